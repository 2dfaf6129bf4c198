#!/bin/sh
# barecalls.t - an autograd thread issues while it is busy, in calls outside of its ops, too (definitions.md section 8). One step of 1000 us:
#	main		aten::main 0-1000
#	autograd	a node 100-200, a wait 250-450 outside of any op, a node 500-600, a launch 700-710 behind the last one
# So main has 0-100, 200-250, 450-500, 600-700 and 710-1000: 590.
. "${srcdir:-.}/tests/lib/tap.sh"

# ev TID CAT NAME FROM LENGTH
ev() { printf '%s\n{"ph": "X", "pid": 1, "tid": %d, "cat": "%s", "name": "%s", "ts": %d, "dur": %d, "args": {}}' "$sep" "$@"; sep=,; }
{
	sep=
	node='autograd::engine::evaluate_function: MmBackward0'
	printf '{"schemaVersion": 1, "traceEvents": ['
	ev 1 cpu_op aten::main 0 1000
	ev 2 cpu_op "$node" 100 100
	ev 2 cuda_runtime cudaStreamSynchronize 250 200
	ev 2 cpu_op "$node" 500 100
	ev 2 cuda_runtime cudaLaunchKernel 700 10
	echo ']}'
} >"$T/run.json"

# ask FILTER: the time of rows of the breakdown
ask()
{
	"$PROFDIVE" --no-cache print breakdown --format csv --window all --filter "$1" "$T/run.json" 2>"$T/err" |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ns") c = i; next } { sum += $c } END { print sum + 0 }'
}

is "the wait" "$(ask 'level1 = "sync wait"')" 200000
is "the launch" "$(ask 'level3 = cudaLaunchKernel')" 10000
is "the nodes" "$(ask 'level3 ~ MmBackward0')" 200000
is "the main thread has the rest" "$(ask 'level3 = "aten::main"')" 590000
is "all of it" "$(ask 'level1 != ""')" 1000000
done_testing
