#!/bin/sh
# copysizes.t - copies and memory sets of which some do not say how many bytes, and what hides them (definitions.md section 6), in us:
#	copy 0-100	4000 bytes	a kernel 0-50, communication 50-80: 80 hidden, 50 of it by compute, 20 exposed
#	copy 200-400	no size		exposed
#	set 500-510	no size		the only one
. "${srcdir:-.}/tests/lib/tap.sh"

# gpu CAT NAME FROM LENGTH STREAM [ARGS]
gpu()
{
	printf ',\n{"ph": "X", "cat": "%s", "name": "%s", "pid": 0, "tid": %d, "ts": %d, "dur": %d, "args": {"device": 0, "stream": %d%s}}' \
		"$1" "$2" "$5" "$3" "$4" "$5" "$6"
}

{
	printf '{"schemaVersion": 1, "traceEvents": [\n'
	printf '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 600, "args": {}}'
	gpu gpu_memcpy "Memcpy HtoD (Pinned -> Device)" 0 100 7 ', "bytes": 4000'
	gpu gpu_memcpy "Memcpy HtoD (Pinned -> Device)" 200 200 7 ''
	gpu gpu_memset "Memset (Device)" 500 10 7 ''
	gpu kernel k 0 50 8 ''
	gpu kernel 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)' 50 30 9 ''
	echo ']}'
} >"$T/run.json"

# cell VIEW COLUMN: of the only row
cell()
{
	"$PROFDIVE" --no-cache print "$1" --window all --format json "$T/run.json" 2>"$T/err" |
		sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p" | tail -1
}

is "bytes are those that are known" "$(cell memcpy bytes)" 4000
is "one copy does not say" "$(cell memcpy unsized)" 1
is "the rate is of those that say" "$(cell memcpy gbps)" 0.04
is "so is the mean" "$(cell memcpy avg_bytes)" 4000
is "hidden and exposed are of the same thing: 80 of 300" "$(cell memcpy overlap | cut -c1-6)" 0.2666
is "exposed" "$(cell memcpy exposed_ns)" 220000
is "by compute alone" "$(cell memcpy hidden_compute_ns)" 50000
is "no size is known at all: no bytes" "$(cell memset bytes)" null
is "and all are counted" "$(cell memset unsized)" 1
done_testing
