#!/bin/sh
# The way down goes on in another file of the run where one file has no further level: same step, same event by name and order, and the
# clock where the files share one. Which event it must be is known apart: on the sample's common clock the frame is around the op.
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
# enters N: as many lines, since each waits for its table
enters()
{
	i=0
	while test "$i" -lt "$1"; do
		echo "key Enter"
		i=$((i + 1))
	done
}
# row N: name, start and length of the Nth event that was copied
row() { sed -n 's/.*the row: //p' "$T/out" | sed -n "$1s/ *\$//p"; }

# class, kernel, instance, launch, op: five levels of the export; the frame is in the trace alone
keys "from a kernel of the export to the Python frame of the trace" 160x30 "$PROFDIVE_SAMPLE" <<-EOF
	key 3
	$(enters 5)
	expect f3 innermost
	key y
	save-screen -
	key Enter
	expect [2 Timeline]
	expect → rank0.pt.trace.json, step 1, by order
	key y
	save-screen -
	key Enter
	expect [6 Python]
	expect forward (moe_transformer.py:41)
	key Backspace
	expect f2 main py
	key Backspace
	expect f3 innermost
EOF
op=$(row 1) frame=$(row 2)
is "from this op" "${op%, op_id*}" aten::mm
is "to this frame" "${frame% * *}" "model/moe_transformer.py(41): forward"
ok "the frame is around the op on the clock that both files share" awk -v op="$op" -v frame="$frame" 'BEGIN {
	n = split(op, o, " "); m = split(frame, f, " ")
	exit !(f[m - 1] <= o[n - 1] && o[n - 1] + o[n] <= f[m - 1] + f[m]) }'

# The same without a common clock: the trace loses its epoch
mkdir unlinked
cp "$PROFDIVE_SAMPLE/train.sqlite" unlinked
sed '/"baseTimeNanoseconds"/d' "$PROFDIVE_SAMPLE/rank0.pt.trace.json" >unlinked/rank0.pt.trace.json
keys "by order alone where the clocks are not one" 160x30 unlinked <<-EOF
	key 3
	$(enters 5)
	key y
	key Enter
	expect → rank0.pt.trace.json, step 1, by order
	key y
	save-screen -
EOF
is "to the same frame" "$(row 1 | sed 's/ [0-9]* [0-9]*$//')" "model/moe_transformer.py(41): forward"
is "of the same length" "$(row 1 | sed 's/.* //')" "${frame##* }"
keys "a window of time becomes the step in the other file" 160x30 unlinked <<-EOF
	window time:76ms..80ms
	key 3
	$(enters 6)
	expect → rank0.pt.trace.json, step 1, by order
	expect window step 1
EOF
keys ":go frame takes the same way" 160x30 unlinked <<-EOF
	key 3
	$(enters 3)
	expect GPU0 s7
	go frame
	expect → rank0.pt.trace.json, step 1, by order
	key y
	save-screen -
EOF
is ":go frame: the same frame" "$(row 1 | sed 's/.* \([0-9]*\)$/\1/')" "${frame##* }"
keys "from an idle gap to the frame" 160x30 "$PROFDIVE_SAMPLE" <<-EOF
	key 7
	key t t
	expect [idle gaps]
	go frame
	expect [2 Timeline]
	expect f2 main py
EOF

# Nothing anywhere: which recording would have it
keys "without a trace the recording that would have frames is named" 160x30 "$PROFDIVE_SAMPLE/train.sqlite" <<-EOF
	key 3
	$(enters 6)
	expect torch.profiler with_stack=True records them
	reject →
EOF

if command -v sqlite3 >/dev/null; then
	# an export without ranges has no ops: launch, then op; one without calls has no launches
	mkdir noranges nocalls
	for folder in noranges nocalls; do
		cp "$PROFDIVE_SAMPLE/rank0.pt.trace.json" "$PROFDIVE_SAMPLE/train.sqlite" $folder
	done
	sqlite3 noranges/train.sqlite "DELETE FROM NVTX_EVENTS WHERE text NOT GLOB 'step_*'"
	sqlite3 nocalls/train.sqlite "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME"
	keys "from a launch to the op of the trace" 160x30 noranges <<-EOF
		key s s
		expect file 2 of 2: no
		key 3
		$(enters 4)
		expect cudaLaunchKernelExC
		key Enter
		expect → rank0.pt.trace.json, step 1, by order
		key y
		save-screen -
	EOF
	is "it is the op that launched the kernel" "$(row 1 | sed 's/ .*//')" aten::mm
	keys "from a kernel to its launch in the trace" 160x30 nocalls <<-EOF
		key s s
		expect file 2 of 2: no
		key 3
		$(enters 4)
		expect → rank0.pt.trace.json, step 1, by order
		key y
		save-screen -
	EOF
	ok "it is a launch" test "$(row 1 | sed 's/ .*//')" = cudaLaunchKernelExC
else
	skip "events of an export that lacks ranges or calls" "sqlite3 is not installed"
fi

# A real export and its conversion, which has kernels and no launches: the launch that is come to belongs to a kernel at the same time
nsys=${PROFDIVE_CORPUS:-/nonexistent}/nsys
if test -f "$nsys/fastvideo-h100/h100_2gpu_1s.sqlite" && test -f "$nsys/json-derived/fastvideo-h100_h100_2gpu_1s.nsys2json.json"; then
	mkdir real
	ln -s "$nsys/fastvideo-h100/h100_2gpu_1s.sqlite" "$nsys/json-derived/fastvideo-h100_h100_2gpu_1s.nsys2json.json" real
	keys "from a kernel of a conversion to its launch in the export" 160x30 real <<-EOF
		key s
		expect file 1 of 2
		key 3
		$(enters 2)
		key G
		key Enter
		expect f1 GPU0
		key i
		save-screen -
		key i
		key Enter
		expect → h100_2gpu_1s.sqlite, by order
		go kernel
		key i
		save-screen -
	EOF
	ok "its kernel is the one that was entered: same start and length, to a microsecond" awk '
		match($0, /^ (Start|Duration) .*\(/) { sub(/.*\(/, ""); v[n++] = $1 }
		END { exit !(n == 4 && v[1] > 0 && (v[0] - v[2]) ^ 2 <= 1e6 && (v[1] - v[3]) ^ 2 <= 1e6) }' "$T/out"
else
	skip "a real export and its conversion" "no corpus"
fi

done_testing
