#!/bin/sh
# smallwork.t - first sentences of files with next to no GPU work, and with none: for how long the GPU works and what takes the capture
# instead; what is recorded, and that GPU work is missing. And what speaks against a verdict stands behind it, whatever it is.
. "${srcdir:-.}/tests/lib/tap.sh"

head='{"schemaVersion": 1, "traceEvents": ['
# host CAT NAME TS DUR ID; kernel TS DUR ID; step N TS DUR: events, each with the comma before it; times in us
host() { printf ',{"ph": "X", "pid": 7, "tid": 7, "cat": "%s", "name": "%s", "ts": %s, "dur": %s, "args": {"correlation": %s}}\n' "$@"; }
kernel() { printf ',{"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "%s", "ts": %s, "dur": %s, "args": {"device": 0, "stream": 7, "correlation": %s}}\n' "$@"; }
copy() { printf ',{"ph": "X", "pid": 0, "tid": %s, "cat": "gpu_memcpy", "name": "Memcpy %s (Pinned -> Device)", "ts": %s, "dur": %s, "args": {"device": 0, "stream": %s, "bytes": 1000000}}\n' "$1" "$2" "$3" "$4" "$1"; }
trace() { echo "$head"; tail -c +2; echo ']}'; }
verdict() { "$PROFDIVE" --no-cache --lang en summary "$1" 2>"$T/err" | sed -n 2p; }

# 254 us of work in 2.3 s: the context takes 275 ms, two more frees 100 ms each, an op of 1.8 s computes on the CPU.
{
	host cuda_runtime cudaFree 0 275000 1
	host cuda_runtime cudaFree 300000 100000 2
	host cuda_runtime cudaFree 400000 100000 3
	host cpu_op aten::normal_ 500000 1790000 0
	host cuda_runtime cudaLaunchKernel 2290000 5 4
	kernel k 2299746 254 4
} | trace >"$T/small.json"
is "little work in a long capture" "$(verdict "$T/small.json")" \
	"The GPU works for 254 µs of 2.30 s: context creation 275 ms (cudaFree), aten::normal_ on the CPU 1.79 s, allocator (cudaFree) 200 ms."
is "so in the overview" "$("$PROFDIVE" --no-cache --lang en print overview --format csv "$T/small.json" | grep -c '^verdict,"The GPU works for 254 µs of 2.30 s')" 1
"$PROFDIVE" --no-cache --lang en report -o "$T/report" "$T/small.json" >"$T/out" 2>"$T/err"
ok "so in the documents" grep -q 'The GPU works for 254 µs of 2.30 s' "$T"/report/*verview*.md

# 30 ms of 2.3 s are 1.3 %; and 20 ms are less than 1 %.
sed 's/"dur": 254/"dur": 30000/' "$T/small.json" >"$T/more.json"
is "more than 1 % has a bound" "$(verdict "$T/more.json" | grep -c '^The GPU works for')" 0
sed 's/"dur": 254/"dur": 20000/' "$T/small.json" >"$T/less.json"
is "less than 1 % has none" "$(verdict "$T/less.json" | cut -d : -f 1)" "The GPU works for 20.00 ms of 2.32 s"

# steps LENGTH: four steps of so many us, of which the device computes all but 10 us
steps()
{
	for i in 0 1 2 3; do
		host user_annotation "ProfilerStep#$((i + 3))" "$((1000 + i * $1))" "$1" 0
		host cuda_runtime cudaLaunchKernel "$((1001 + i * $1))" 3 "$((i + 1))"
		kernel k "$((1010 + i * $1))" "$(($1 - 10))" "$((i + 1))"
	done
}
steps 200 | trace >"$T/short.json"
is "steps of 0.8 ms in all" "$(verdict "$T/short.json" | cut -d : -f 1)" "The GPU works for 760 µs of 800 µs"
steps 300 | trace >"$T/long.json"
ok "steps of 1.2 ms in all: a bound" test -n "$(verdict "$T/long.json" | grep '^GPU-bound: 96.7 %')"

# No GPU work: what there is, then what there is not, also where calls are recorded.
{
	host cpu_op aten::mm 0 1000 0
	host cpu_op aten::add 1000 1000 0
	host cuda_runtime cudaMalloc 2000 500 1
} | trace >"$T/calls.json"
is "ops and a call" "$(verdict "$T/calls.json")" "Recorded is host time: 2 operators, 1 CUDA call. GPU work is missing."
is "it is the first that is missing" "$("$PROFDIVE" --no-cache --lang en summary "$T/calls.json" | grep '^Missing' | head -n 1)" \
	"Missing: GPU work (CUDA calls are recorded, but no kernel and no copy)"
if command -v sqlite3 >"$T/which"; then
	sqlite3 "$T/host.sqlite" <<-EOT
		CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES(1, 'poll');
		CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
		INSERT INTO NVTX_EVENTS VALUES(0, 1000000, 59, 'load', 281474976710656 + 5 * 16777216 + 5, 0);
		CREATE TABLE OSRT_API(start INT, end INT, globalTid INT, nameId INT, returnValue INT);
		INSERT INTO OSRT_API VALUES(1000000, 3000000, 281474976710656 + 5 * 16777216 + 5, 1, 0);
		INSERT INTO OSRT_API VALUES(3000000, 6000000, 281474976710656 + 5 * 16777216 + 5, 1, 0);
	EOT
	is "ranges and waits" "$(verdict "$T/host.sqlite")" "Recorded is host time: 1 NVTX range, 2 OS calls that wait (5.00 ms). GPU work is missing."
else
	skip "ranges and waits" "no sqlite3"
fi

# Copies alone for 100 ms: 60 from the host, 30 both ways at once, 10 to it. What the verdict names adds up.
{
	host cpu_op aten::copy_ 0 5 0
	copy 8 HtoD 0 90000
	printf '%s' ',{"ph": "X", "pid": 0, "tid": 9, "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "ts": 60000, "dur": 40000, "args": {"device": 0, "stream": 9, "bytes": 1000000}}'
} | trace >"$T/copies.json"
ok "copies both ways are named" test -n "$(verdict "$T/copies.json" | grep 'from the host 60.0 %, to the host 10.0 %, both ways at once 30.0 %, in the device, between devices and memory sets 0 %\.')"

# Nine gaps of 10 us in 9.99 ms. Low confidence is said behind every verdict, also where no finding has one; and what is bad about the data.
{
	for i in 0 1 2 3 4 5 6 7 8 9; do
		host cuda_runtime cudaLaunchKernel "$((1000 + 1000 * i))" 5 "$((i + 1))"
		kernel ampere_bf16_s16816gemm "$((1010 + 1000 * i))" 990 "$((i + 1))"
	done
} | trace >"$T/nosteps.json"
is "no steps" "$(verdict "$T/nosteps.json")" "GPU-bound: 99.1 % of the time the GPU computes. (No verdict yet: no steps, this is what one window shows.)"
{
	for i in 0 1 2 3 4 5 6 7 8 9; do
		host user_annotation "ProfilerStep#$((i + 3))" "$((1000 + 1000 * i))" 1000 0
		host cuda_runtime cudaLaunchKernel "$((1001 + 1000 * i))" 5 "$((i + 1))"
		kernel ampere_bf16_s16816gemm "$((1010 + 1000 * i))" 490 "$((i + 1))"
		kernel ampere_bf16_s16816gemm "$((1500 + 1000 * i))" 500 "$((i + 100))"
	done
} | trace >"$T/bad.json"
is "what quality calls bad" "$(verdict "$T/bad.json")" \
	"GPU-bound: 99.0 % of the time the GPU computes. (Doubtful: kernels without a launch, 50.0 %.)"
done_testing
