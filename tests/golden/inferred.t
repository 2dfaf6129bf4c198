#!/bin/sh
# inferred.t - phases that no marker shows (definitions.md section 4). Three steps of 10 ms on a main thread (7) and an autograd thread (8);
# in each, us from its start:
#	 500- 600	aten::view, which records nothing: it carries the number of the convolution
#	1000-2000	aten::conv2d, number 10 of the step		forward: 1000-4500
#	4000-4500	aten::cross_entropy_loss, number 11
#	4500-5000	nothing of the main thread				other
#	5000-5500	node of number 11, on the autograd thread	backward: 5000-8000, the gap in it, too
#	6000-8000	node of number 10; inside it aten::conv2d records anew, 6500-7500: recompute
#	8500-9500	Optimizer.step
# A second trace has no numbers: forward is not known, and no 0 stands for it.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace NUMBERED
trace()
{
	awk -v numbered="$1" 'function x(cat, name, tid, at, dur, seq, fwd) {
		printf ",{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 7, \"tid\": %d, \"ts\": %d, \"dur\": %d", cat, name, tid, t + at, dur
		if (numbered && seq)
			printf ", \"args\": {\"Sequence number\": %d, \"Fwd thread id\": %d}", seq, fwd
		printf "}"
	}
	BEGIN {
		printf "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::empty\", \"pid\": 7, \"tid\": 7, \"ts\": 1, \"dur\": 1}"
		for (i = 0; i < 3; i++) {
			t = 10000 + 10000 * i
			n = 10 + 10 * i
			x("user_annotation", "ProfilerStep#" i + 1, 7, 0, 10000)
			x("cpu_op", "aten::view", 7, 500, 100, n, 0)
			x("cpu_op", "aten::conv2d", 7, 1000, 1000, n, 0)
			x("cpu_op", "aten::cross_entropy_loss", 7, 4000, 500, n + 1, 0)
			x("cpu_op", "autograd::engine::evaluate_function: NllLossBackward0", 8, 5000, 500, n + 1, 1)
			x("cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", 8, 6000, 2000, n, 1)
			x("cpu_op", "aten::conv2d", 8, 6500, 1000, n + 2, 0)
			x("user_annotation", "Optimizer.step#SGD.step", 7, 8500, 1000)
		}
		print "]}"
	}'
}
trace 1 >"$T/numbered.json"
trace 0 >"$T/plain.json"

# steps FILE COLUMN...: the values of step 2
steps()
{
	file=$1
	shift
	"$PROFDIVE" --no-cache print steps --window all --format csv "$file" 2>"$T/err" |
		awk -F, -v cols="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["step"] == 2 { n = split(cols, c, " "); for (i = 1; i <= n; i++) printf("%s%s", (i > 1) ? " " : "", ($at[c[i]] == "") ? "?" : $at[c[i]]) }'
}

is "forward: from the first to the last op that records" "$(steps "$T/numbered.json" forward_ns forward_by)" "3500000 inferred"
is "recompute: what records anew inside a node" "$(steps "$T/numbered.json" recompute_ns recompute_by)" "1000000 inferred"
is "backward: the whole pass, less that" "$(steps "$T/numbered.json" backward_ns)" 2000000
is "the rest" "$(steps "$T/numbered.json" dataload_ns optimizer_ns other_ns period_ns)" "0 1000000 2500000 10000000"
is "without numbers: forward and recompute are not known" "$(steps "$T/plain.json" forward_ns forward_by recompute_ns)" "? ? ?"
is "their time is in other and in backward" "$(steps "$T/plain.json" backward_ns optimizer_ns other_ns)" "3000000 1000000 6000000"
"$PROFDIVE" --no-cache summary "$T/plain.json" >"$T/out" 2>"$T/err"
ok "and the summary says so" grep -q 'among it forward, which nothing tells' "$T/out"
done_testing
