#!/bin/sh
# A window narrows Python: frames with times answer before a sampler that has none, and a pane that shows such a sampler says that its
# figures are those of the whole run, at every size.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# keys NAME SIZE FILE...: the script on stdin
keys()
{
	name=$1 size=$2
	shift 2
	cat >"$T/script"
	status "$name" 0 timeout 120 "$PROFDIVE" --script "$T/script" --screen "$size" "$@"
}

# The longest gap of the GPU: what Python did meanwhile stands two levels below it
keys "from an idle gap to what Python did meanwhile" 100x30 "$PROFDIVE_SAMPLE" <<-EOF
	key 7
	key t t
	expect  3.49 ms optimizer
	key Enter
	expect GPU0 idle  at +0  3.49 ms
	key Enter
	expect [6 Python]
	expect step (cpu_adam.py:100)
	key w
EOF
# the frame as the trace has it, and its share of the gap: both are of 3.49 ms, and the frame ends with the gap or before it
gap=$("$PROFDIVE" print gaps "$PROFDIVE_SAMPLE" -n 0 -f csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "dur_ns") c = i; next }
	$c + 0 > max { max = $c + 0 } END { print max }')
want=$(sed -n '/cpu_adam.py(100): step"/{n;s/.*"dur": *\([0-9.]*\).*/\1/p;}' "$PROFDIVE_SAMPLE/rank0.pt.trace.json" |
	awk -v gap="$gap" '{ d = $1 * 1000 } d > max && d < gap { max = d } END { printf "%.3f\n", max / gap }')
got=$(tr -d '\r"' <profdive-python-1.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "share") c = i; next }
	/cpu_adam.py,100/ { printf "%.3f\n", $c }')
is "its share of the gap" "$got" "$want"

keys "a step narrows the tree to its frames" 80x24 "$PROFDIVE_SAMPLE" <<-EOF
	step 2
	key 6
	expect rows · 38.97 ms
	reject whole run
	window steady
	expect whole run: sampled without clock
	window all
	reject whole run
EOF

mkdir sampler
cp "$PROFDIVE_SAMPLE/train.sqlite" "$PROFDIVE_SAMPLE/pyinstrument.json" sampler
for size in 40x10 60x15 80x24 100x30 120x35 160x48 200x60; do
	keys "a sampler alone says what its figures are of at $size" $size sampler <<-EOF
		step 2
		key 6
		expect whole run: sampled without clock
		key t
		expect whole run: sampled without clock
		key t
		expect whole run: sampled without clock
	EOF
done
keys "the least screen says it shorter" 20x6 sampler <<-EOF
	step 2
	key 6
	expect whole run, no clock
EOF

done_testing
