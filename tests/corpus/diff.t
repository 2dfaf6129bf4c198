#!/bin/sh
# diff.t - profdive diff on real runs: single-process loading against four workers, a run with itself,
# halves of runs, and sums that hold.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_CORPUS/torch" || skip_all "no corpus"
C=$PROFDIVE_CORPUS

value() { grep -F "\"what\": \"$1\", \"name\": \"$2\"," "$T/out" | sed -n "s/.*\"$3\": *\\([^,}]*\\).*/\\1/p"; }
sum() { grep -F "\"what\": \"$1\"" "$T/out" | sed -n "s/.*\"$2\": *\\(-\\{0,1\\}[0-9]*\\).*/\\1/p" | awk '{ s += $1 } END { printf "%.0f", s }'; }
# The groups that partition the step sum to its mean, before, after and in the change.
sums()
{
	groups=0
	for g in phase breakdown gpu; do
		test -n "$(sum $g before_ns)" && grep -q "\"what\": \"$g\"" "$T/out" || continue
		groups=$((groups + 1))
		for f in before_ns after_ns delta_ns; do
			test "$(sum $g $f)" = "$(awk -v v="$(value step mean $f)" -v n="$1" 'BEGIN { printf "%.0f", v * n }')" ||
				test "$g" != gpu -a "$(sum $g $f)" = "$(value step mean $f)" || return 1
		done
	done
	test "$groups" -eq 3
}

# The medians of the steps' periods, lower middle of six, from the steps themselves.
median() { "$PROFDIVE" print steps --format csv "$1" | tail -n +2 | cut -d, -f4 | sort -n | sed -n 3p; }

w0=$C/torch/kineto-resnet50-w0-a w4=$C/torch/kineto-resnet50-w4-a
status "ResNet-50, no workers against four" 0 "$PROFDIVE" diff "$w0" "$w4" --format json
is "the median step before" "$(value step median before_ns)" "$(median "$w0")"
is "the step became faster, which is real" "$(value step median significant)" true
is "what changed most is the data loading" \
	"$(grep -F '"what": "phase"' "$T/out" | head -n 1 | sed 's/.*"name": "\([^"]*\)".*/\1/')" dataload
ok "phases, breakdown and device sum to the mean step" sums 1

for t in kineto-resnet50-w0-a hta-nccl tl-mi300-ddp-resnet18 hta-trace-compare; do
	for f in "$C/torch/$t"/*; do
		"$PROFDIVE" diff "$f" "$f" --format csv --filter 'delta_ns != 0' >"$T/out" 2>"$T/err"
		is "$t with itself: no change" "$(wc -l <"$T/out" | tr -d ' ')" 1
		break
	done
done

# ---- findings gone and new, kernels that other algorithms replaced ----
"$PROFDIVE" diff "$w0" "$w4" --format json >"$T/out" 2>"$T/err"
is "the loader in the training process is gone" "$(value finding dataloader-single-process change)" '"gone"'
# 33.9 % of the window are lost to it (a sweep of the trace by a separate program), of a mean step of 174.9 ms: 59.3 ms
ok "and lost a third of the step" awk -v v="$(value finding dataloader-single-process before_ns)" 'BEGIN { exit !(v > 58.7e6 && v < 59.8e6) }'
is "after it nothing of it is left" "$(value finding dataloader-single-process after_ns)" 0
is "products are in fp32 on both sides" "$(value finding no-tensor-cores change)" '"stayed"'
ok "convolutions run other kernels" grep -q '"what": "sequence".*"change": "replaced"' "$T/out"
# kernels by launch of the median steps, 5 before and 6 after, by the view of instances
for side in w0:5:before w4:6:after; do
	dir=$C/torch/kineto-resnet50-${side%%:*}-a step=${side#*:}
	n=$("$PROFDIVE" print instances --window "step:${step%:*}" --format csv --filter 'layer = kernel' "$dir" 2>/dev/null | tail -n +2 | wc -l | tr -d ' ')
	is "the sequence has the $n kernels of step ${step%:*}" \
		"$(grep -F '"what": "sequence"' "$T/out" | sed -n "s/.*\"${side##*:}_count\": *\([0-9.]*\).*/\1/p" | awk '{ s += $1 } END { print s }')" "$n"
done
"$PROFDIVE" diff "$C/nsys/fastvideo-train/mfu_2gpu_before.sqlite" "$C/nsys/fastvideo-train/mfu_2gpu_after.sqlite" --format json >"$T/out" 2>"$T/err"
is "two captures of nsys: the empty queues are new" "$(value finding launch-bound change)" '"new"'
ok "both devices are aligned" test "$(grep -c '"what": "sequence".*kernels in the same order' "$T/out")" -eq 2

# eight ranks: one of them is compared, and that is said
"$PROFDIVE" diff "$C/torch/param-dlrm-8rank" "$C/torch/param-dlrm-8rank" --limit 1 >"$T/out" 2>"$T/err"
ok "of several ranks one is compared" grep -q 'before: of several ranks 0 alone is compared' "$T/out"
"$PROFDIVE" diff --rank 3 "$C/torch/param-dlrm-8rank" "$C/torch/param-dlrm-8rank" --limit 1 >"$T/out" 2>"$T/err"
is "or that which was asked for" "$(grep -c 'several ranks' "$T/out")" 0

# Halves of the steady, not outlying steps of every trace that has at least six of them. Kernels are left out: the clock of a device
# rises and falls in a run, which is a real change (param-linear-kineto: all GEMMs take 10 % less in the second half, and
# reductions 9 %), and so are the findings that lose the time of these kernels.
halves()
{
	n=$(wc -l <"$T/steps")
	a=$(head -n 1 "$T/steps") z=$(tail -n 1 "$T/steps") m=$(sed -n "$((n / 2))p" "$T/steps") k=$(sed -n "$((n / 2 + 1))p" "$T/steps")
	"$PROFDIVE" diff "$1@steps:$a-$m" "$1@steps:$k-$z" --format csv --filter 'significant = true and what != kernel and what != class and what != gpu and name != no-tensor-cores and name != small-grids' 2>"$T/err" >"$T/out"
}
runs=0
for f in "$C"/torch/*/*.json*; do
	"$PROFDIVE" print steps --format csv "$f" 2>/dev/null | tail -n +2 | awk -F, '$5 != "true" && $6 != "true" { print $1 }' >"$T/steps"
	test "$(wc -l <"$T/steps")" -ge 6 && test "$(sort -u "$T/steps" | wc -l)" -eq "$(wc -l <"$T/steps")" || continue
	halves "$f"
	runs=$((runs + 1))
	is "$(basename "$(dirname "$f")"): two halves, no real change" "$(wc -l <"$T/out" | tr -d ' ')" 1
done
ok "runs were halved" test "$runs" -ge 3

done_testing
