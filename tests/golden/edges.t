#!/bin/sh
# edges.t - what lies at the ends of a capture is in no loss: the last step behind its last op, and the time in which launches have no
# work in the file because the GPU's records have not begun yet.
. "${srcdir:-.}/tests/lib/tap.sh"

cat >"$T/lib.awk" <<'EOF2'
function event(cat, name, t, dur, args)
{
	printf("%s{\"ph\": \"X\", \"pid\": %d, \"tid\": 7, \"ts\": %d, \"dur\": %d, \"cat\": \"%s\", \"name\": \"%s\", \"args\": {%s}}",
		n++ ? ",\n" : "{\"schemaVersion\": 1, \"traceEvents\": [\n", (cat == "kernel") ? 0 : 7, t, dur, cat, name, args)
}
function call(t, id) { event("cuda_runtime", "cudaLaunchKernel", t, 5, "\"correlation\": " id) }
function kernel(t, dur, id) { event("kernel", "k", t, dur, "\"device\": 0, \"stream\": 7, \"correlation\": " id) }
EOF2

# Five steps of 10 ms: an op of 9.9 ms, and kernels from 1 ms to 9.9 ms. Behind the last op the last step is $1 us longer; $2: before it.
steps()
{
	{ cat "$T/lib.awk" && cat <<'EOF2'; } >"$T/steps.awk"
BEGIN {
	for (i = 0; i < 5; i++) {
		t = 1000 + 10000 * i + ((i == 4) ? hole : 0)
		event("user_annotation", "ProfilerStep#" (i + 3), t, 10000 + ((i == 4) ? tail : (i == 3) ? hole : 0), "")
		event("cpu_op", "aten::mm", t + 10, 9900, "")
		for (k = 0; k < 10; k++) {
			call(t + 20 + 900 * k, 10 * i + k + 1)
			kernel(t + 1000 + 890 * k, 890, 10 * i + k + 1)
		}
	}
	print "]}"
}
EOF2
	awk -v tail="$1" -v hole="$2" -f "$T/steps.awk"
}

# Two steps of 10 ms, of each 40 launches in its first 400 us and kernels from 4 ms to 9.6 ms; of the first one the work of two is lost.
late()
{
	{ cat "$T/lib.awk" && cat <<'EOF2'; } >"$T/late.awk"
BEGIN {
	for (i = 0; i < 2; i++) {
		t = 1000 + 10000 * i
		event("user_annotation", "ProfilerStep#" (i + 3), t, 10000, "")
		for (k = 0; k < 40; k++) {
			call(t + 20 + 10 * k, 40 * i + k + 1)
			if (i || k >= lost)
				kernel(t + 4000 + 140 * k, 140, 40 * i + k + 1)
		}
	}
	print "]}"
}
EOF2
	awk -v lost="$1" -f "$T/late.awk"
}

# Of a finding what it loses in all, in ns; "" where it is not found.
lost()
{
	"$PROFDIVE" --no-cache --lang en print findings --format json "$1" 2>"$T/err" | tr '{' '\n' |
		sed -n "s/.*\"id\": \"$2\".*\"window_loss_ns\": \([0-9]*\).*/\1/p"
}

# The device has four gaps of 1.1 ms between steps and one of 1 ms before the first: 5.4 ms. The tail of 14 ms is idle time of the device.
steps 0 0 >"$T/whole.json"
steps 14000 0 >"$T/tail.json"
steps 0 14000 >"$T/hole.json"
is "the tail is idle" "$("$PROFDIVE" --no-cache print gpu --format csv "$T/tail.json" | sed -n 2p | cut -d , -f 2,9)" 64000000,19500000
is "gaps without a tail" "$(lost "$T/whole.json" gaps-per-step)" 5400000
is "no loss is in the tail" "$(lost "$T/tail.json" gaps-per-step)" 5400000
is "nor does the host do anything in it" "$(lost "$T/tail.json" python-bound)" ""
# Between two steps the same 14 ms are a loss, 14.09 ms outside of ops; 90 us of that kind end three steps before, and 10 us begin each.
is "a hole between steps is one" "$(lost "$T/hole.json" python-bound)" 14410000

# Idle, and in no call: 3.8 ms before the work of each step, 0.4 ms between them. What is idle behind the last call is an edge. Where two
# launches of the first step have lost their work, only the 20 us before them are idle there.
late 0 >"$T/early.json"
late 2 >"$T/late.json"
is "records from the first launch on" "$(lost "$T/early.json" python-bound)" 8000000
is "records that begin late" "$(lost "$T/late.json" python-bound)" 4220000
done_testing
