#!/bin/sh
# The panes are linked: a step, a range of time or an op that is chosen in one narrows the others, and what they then show are
# the figures of `profdive print` for that scope. Key scripts, without a terminal; w writes what a pane shows as CSV.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# keys NAME SIZE: the script on stdin on the sample
keys()
{
	cat >"$T/script"
	status "$1" 0 "$PROFDIVE" --script "$T/script" --screen "$2" "$PROFDIVE_SAMPLE"
}
# keys_of FILE NAME SIZE
keys_of()
{
	cat >"$T/script"
	status "$2" 0 "$PROFDIVE" --script "$T/script" --screen "$3" "$1"
}
print() { "$PROFDIVE" print "$@" "$PROFDIVE_SAMPLE" -n 0 -f csv; }
# sum COLUMN FILE: of a CSV whose texts are quoted
sum()
{
	sed 's/"[^"]*"/text/g' "$2" | awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		{ n += $c } END { printf "%.0f\n", n }' | tr -d '\r'
}

for pane in 1 2 3 4 5 6 7 8 9; do
	keys "pane $pane: } and { choose the step" 80x24 <<-EOF
		step 2
		key $pane
		key }
		expect window step 3
		expect step 3 (4 of 6)
		key { {
		expect window step 1
		key { { {
		expect this is the first step
	EOF
done

# 64 columns of 1 ms: v and eight columns are 8 ms
keys "a range in the timeline is the window of every pane" 80x24 <<-EOF
	window time:100ms..164ms
	key 3
	key w
	expect written to profdive-kernels-1.csv
	key 2
	key g v l l l l l l l l Enter
	expect window 100.00 .. 108.00 ms  8.00 ms
	key 3
	key w
	key 5
	key w
	key 7
	key w
	key 4 t
	key w
	key 8
	key w
EOF
for file in kernels-2:classes:total_ns runtime-1:runtime:total_ns transfers-1:memcpy:bytes ops-1:ops:self_ns breakdown-1:breakdown:time_ns; do
	pane=${file%%:*} view=${file#*:} column=${file##*:}
	view=${view%:*}
	print "$view" --window time:100ms..108ms >"$T/want"
	want=$(sum "$column" "$T/want")
	ok "$pane: print $view has a figure" test "$want" -gt 0
	is "$pane: $column in the range is that of print $view" "$(sum "$column" "profdive-$pane.csv")" "$want"
done
ok "and less than in the window before" test "$(sum total_ns profdive-kernels-2.csv)" -lt "$(sum total_ns profdive-kernels-1.csv)"

# Beside the ops on a wide screen: the kernels that the op launched, itself or below it
print ops >"$T/ops"
for op in aten::_to_copy aten::to CheckpointFunction autograd::engine::evaluate_function:.MmBackward0; do
	rm -f profdive-kernels*.csv
	keys "$op: chosen" 150x40 <<-EOF
		key 4 t
		search ^$op$
		key Tab
		key w
	EOF
	is "$op: its kernels are shown beside it" "$(sum total_ns profdive-kernels-1.csv)" \
		"$(sed 's/"//g' "$T/ops" | grep "^$op," >"$T/row"; head -n 1 "$T/ops" | cat - "$T/row" >"$T/one"; sum device_ns "$T/one")"
done

# nsys and torch write the same kernel's name otherwise: what is beside the timeline is of the file that it shows
keys "beside the timeline stands the kernel under the cursor" 200x60 <<-EOF
	key 2
	search flash_fwd
	expect of the selected row
	expect A Attention flash fwd
	reject no rows in this window
EOF

# A mean per step is of sums over whole steps only: not of samples of the whole run, and not of single events
keys "no mean per step where there is none" 80x24 <<-EOF
	key 6
	key % %
	expect no mean per step
	reject per step ·
	key 3
	view 3
	key % %
	expect no mean per step
	reject per step ·
	view 1
	key % %
	expect mean of 5 steps
	expect 11.30 ms
EOF

keys "Enter on an op goes to the Python frame around it" 80x24 <<-EOF
	key 4 t
	search ^aten::layer_norm$
	key Enter
	expect [6 Python]
	expect forward (moe_transformer.py:201)
	key y
	expect the row: model/moe_transformer.py:201
	key Backspace
	search ^CheckpointFunctionBackward$
	key Enter
	expect no Python frame is recorded around this op
EOF
keys "a frame that the sampler's tree lacks is told, with the nearest caller" 80x24 <<-EOF
	key 2
	search partition_grads
	key Enter
	expect [6 Python]
	expect partition_grads (stage3.py:1418) is not in this call tree
EOF

# Enter on a gap: its window, and the cursor in the lane that shows it
keys "a gap is entered in the lane of its GPU" 80x24 <<-EOF
	key 7 t t
	expect [idle gaps]
	key Enter
	expect  GPU0 idle  at +0
	expect cause:
	key Backspace
	expect [idle gaps]
EOF
keys "the lines of the overview are told whole" 80x24 <<-EOF
	key g i
	expect losses an upper bound
	expect not hidden behind compute.
	key q j i
	expect long, leading, and with evidence of start-up
	key q g y
	expect the row: No single cause
EOF
keys "on a small screen the verdict stays" 24x7 <<-EOF
	expect No single
	key G
	expect No single
	reject Largest
EOF

# :go from an event, from rows that name something, from rows of time
keys "go to what belongs to an event" 80x24 <<-EOF
	step 2
	key 2
	search sgemm|gemm|cutlass
	expect launched by cudaLaunchKernel
	go launch
	expect > cudaLaunch
	reject launched by
	go kernel
	expect launched by cudaLaunchKernel
	go kernel
	expect this is the kernel already
	go op
	expect  main op
	expect > aten::
	go frame
	expect  main py
	go step
	expect window step 2
	window all
	go gap
	expect GPU0 idle  at +0
	expect cause:
	go kernel
	expect launched by
	window steady
	key 1
	go finding
	expect [9 Find]
	expect Checkpointing computes forward twice
	key 4 t
	search aten::mm$
	go kernel
	expect launched by cudaLaunchKernel
EOF
for row in "3 t:kernel:launched by cudaLaunchKernel" "3:launch:> cudaLaunchKernel" "5:op:CheckpointFun" "4 t:frame: py" \
	"7 t t:kernel:launched by cudaLaunchKernel" "7 t t:step:window step" "1 g j j:gap:GPU0 idle  at +0" "1 g j j:kernel:launched by"; do
	at=${row%%:*} row=${row#*:}
	keys "go to the ${row%%:*} from $at" 80x24 <<-EOF
		key $at
		go ${row%%:*}
		expect [2 Time]
		expect ${row#*:}
		key Backspace
		reject [2 Time]
	EOF
done
printf 'main;train;forward 30\nmain;train;backward 60\n' >"$T/host.folded"
keys_of "$T/host.folded" "without a GPU the verdict leads to the call stacks" 80x24 <<-EOF
	key g Enter
	expect [6 Python]
	expect backward
EOF
# ] and [: where the chosen step does not hold the largest instance of a finding, the step that does is chosen. Which step that is
# is worked out of what the finding and the steps say.
step_at()
{
	print steps | awk -F, -v at="$1" 'NR == 1 { next } $2 <= at && at < $2 + $4 { print $1; exit }'
}
print findings | tr -d '\r' | awk 'NR > 1 && /Largest: / { n = NR - 1; sub(/.*Largest: [^;]*at /, ""); sub(/ .*/, "")
	printf "%d:%.0f\n", n, $0 * 1e9 + 2000 }' >"$T/at"
ok "two findings have a largest instance" test "$(head -n 2 "$T/at" | wc -l)" -eq 2
while IFS=: read -r n at; do
	step=$(step_at "$at")
	# from a step that it is not in
	keys "] number $n from another step: step $step is chosen" 100x30 <<-EOF
		$(yes 'key ]' | head -n $((n - 1)))
		step $((step % 5 + 1))
		key ]
		expect window step $step
		expect step $step (
		expect timeline > step $step
	EOF
done <"$T/at"
keys "] in the steady window leaves that" 100x30 <<-EOF
	window steady
	key ]
	expect window steady
EOF
keys "a row that has none says so" 80x24 <<-EOF
	sources
	go kernel
	expect this row has no event and no time to go to
	key 2 g
	type :go fr
	key Tab
	expect go frame
EOF

done_testing
