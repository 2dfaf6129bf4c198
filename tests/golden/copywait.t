#!/bin/sh
# copywait.t - what a copy call did decides whether it waits (definitions.md section 6): five calls of 1 ms, in an op each, with a kernel
# that runs until 700 us into the first, second and fifth. Call, and its copy from the start of the call, us:
#	hipMemcpyWithStream	host to device, 700-900		waits 700, copies 200, returns 100
#	cudaMemcpyAsync		device to pageable, 700-950	waits 700, copies 250, returns 50
#	cudaMemcpyAsync		pinned to device, 700-900	is asynchronous: 1000 dispatch
#	cudaMemcpyAsync		pageable to device, 900-1100	returns before its copy ends: 1000 dispatch
#	cudaMemcpy		pageable to device, 15-915	15 dispatch (20 and less are no wait), copies 900, returns 85
. "${srcdir:-.}/tests/lib/tap.sh"

awk 'function call(i, name, copy, from, to,	t) {
	t = 10000 + 2000 * i
	printf "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::copy_\", \"pid\": 7, \"tid\": 7, \"ts\": %d, \"dur\": 1000}", i ? "," : "", t
	printf ",{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"%s\", \"pid\": 7, \"tid\": 7, \"ts\": %d, \"dur\": 1000, \"args\": {\"correlation\": %d}}", name, t, i + 1
	printf ",{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy %s\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": %d, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d, \"bytes\": 4096}}", copy, t + from, to - from, i + 1
	if (from == 700 && to != 901)
		printf ",{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 9, \"ts\": %d, \"dur\": 800, \"args\": {\"device\": 0, \"stream\": 9, \"correlation\": %d}}", t - 100, 100 + i
}
BEGIN {
	printf "{\"schemaVersion\": 1, \"traceEvents\": ["
	call(0, "hipMemcpyWithStream", "HtoD (Host -> Device)", 700, 900)
	call(1, "cudaMemcpyAsync", "DtoH (Device -> Pageable)", 700, 950)
	call(2, "cudaMemcpyAsync", "HtoD (Pinned -> Device)", 700, 901)
	call(3, "cudaMemcpyAsync", "HtoD (Pageable -> Device)", 900, 1100)
	call(4, "cudaMemcpy", "HtoD (Pageable -> Device)", 15, 915)
	print "]}"
}' >"$T/run.json"

# ask VIEW FILTER COLUMN [OPTION...]: the sum of a column
ask()
{
	view=$1 filter=$2 col=$3
	shift 3
	"$PROFDIVE" --no-cache print "$view" --format csv --window all --filter "$filter" "$@" "$T/run.json" 2>"$T/err" |
		awk -F, -v col="$col" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) c = i; next } { sum += $c } END { print sum + 0 }'
}

is "waits of copies" "$(ask sync 'type = copy' count)" 2
is "their time" "$(ask sync 'type = copy' time_ns)" 1400000
is "the kernel runs meanwhile: waiting for useful work" "$(ask sync 'type = copy' busy_ns)" 1400000
is "the op's memcpy part keeps its meaning" "$(ask ops 'name = "aten::copy_"' memcpy_ns)" 5000000
is "the part of it that waits" "$(ask ops 'name = "aten::copy_"' copy_wait_ns)" 1400000
is "on the CPU: waits" "$(ask breakdown 'level1 = "sync wait"' time_ns)" 1400000
is "on the CPU: copies that block" "$(ask breakdown 'level2 ~ "blocking copy"' time_ns)" 1350000
is "on the CPU: dispatch" "$(ask breakdown 'level2 ~ "dispatch"' time_ns)" 2250000
is "a wait names its op" "$(ask breakdown 'level2 = "wait in aten::copy_"' time_ns)" 1400000
is "beside the device" "$(ask breakdown 'level1 = compute and level2 = "sync wait"' time_ns --partition joint:0)" 1400000
done_testing
