#!/bin/sh
# records.t - GPU records that must be in a file and are not, or that cannot be (definitions.md section 9): idle time is not known then,
# no loss is taken from it, and the first sentence says why. Each trace is ten steps of 2 ms with three launches each, whose kernels take
# 300 us: 55 % of the time the device does nothing.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace WHAT: the launches of every step, changed as WHAT says
trace()
{
	awk -v what="$1" '
	function event(cat, name, t, dur, args)
	{
		printf("%s{\"ph\": \"X\", \"pid\": %d, \"tid\": 7, \"ts\": %.1f, \"dur\": %.1f, \"cat\": \"%s\", \"name\": \"%s\", \"args\": {%s}}",
			n++ ? ",\n" : "", (cat == "kernel") ? 0 : 7, t, dur, cat, name, args)
	}
	function call(name, t, dur, id) { event("cuda_runtime", name, t, dur, "\"correlation\": " id) }
	function kernel(t, dur, stream, id) { event("kernel", "k", t, dur, "\"device\": 0, \"stream\": " stream ((id) ? ", \"correlation\": " id : "")) }
	BEGIN {
		printf("{\"schemaVersion\": 1, \"traceEvents\": [")
		steps = (what == "ends") ? 1 : 10
		for (i = 0; i < steps; i++) {
			t = 1000 + 2000 * i
			event("user_annotation", "ProfilerStep#" (i + 3), t, 2000, "")
			for (k = 0; k < 3; k++) {
				id = 10 * i + k + 1
				name = (what ~ /^graph/ && k == 1) ? "cudaGraphLaunch" : "cudaLaunchKernel"
				lost = (what == "lost" || what == "graphs" || what == "captured") && k == 1
				lost = lost || (what == "one" && id == 42) || (what == "ends" && k > 0)
				call(name, t + 500 * k + 10, 40, id)
				if (what == "captured" && k == 1) {
					call("cudaStreamBeginCapture", t + 501, 2, 1000 + id)
					call("cudaStreamEndCapture", t + 560, 2, 2000 + id)
				}
				if (what == "driver")
					event("cuda_driver", "cuLaunchKernel", t + 500 * k + 20, 10, "\"correlation\": " (id + 500))
				if (!lost)
					kernel(t + 500 * k + 60, 300, 7, (what == "unnamed") ? 0 : (what == "driver") ? id + 500 : id)
			}
			if ((what == "over" || what == "beside") && i == 2) {
				call("cudaLaunchKernel", t + 1600, 5, 900)
				kernel(t + 1700, 8000, (what == "over") ? 7 : 8, 900)
			}
		}
		printf("\n]}\n")
	}'
}

# verdict FILE: the first sentence; doubt FILE: the cell of the device
verdict() { "$PROFDIVE" --no-cache --lang en summary "$1" 2>"$T/err" | sed -n 2p; }
doubt() { "$PROFDIVE" --no-cache --lang en print gpu --format json "$1" 2>"$T/err" | sed -n 's/.*"doubt": "\([^"]*\)".*/\1/p'; }
state() { "$PROFDIVE" --no-cache --lang en print checks --format csv "$1" 2>"$T/err" | awk -F, -v id="$2" '$1 == id { print $2 }'; }

for what in whole lost one graphs graphrecorded captured unnamed driver over beside ends; do
	trace "$what" >"$T/$what.json"
done

# What is whole has its bound: the device is idle 11 of 20 ms.
ok "whole: a bound" test -n "$(verdict "$T/whole.json" | grep idle)"
is "whole: nothing is in doubt" "$(doubt "$T/whole.json")" ""
is "whole: the loss" "$(state "$T/whole.json" launch-bound)" found

is "lost: one of three launches" "$(doubt "$T/lost.json")" "10 of 30 launches have no work in the file"
is "lost: no verdict" "$(verdict "$T/lost.json")" \
	"No verdict: it is not known when the GPU is idle, for 10 of 30 launches have no work in the file."
is "lost: no loss is taken from it" "$(state "$T/lost.json" launch-bound) $(state "$T/lost.json" gpu-idle)" "not tested not tested"
is "lost: quality says so" "$("$PROFDIVE" --no-cache --lang en print quality --format csv "$T/lost.json" | grep '^idle time' | cut -d , -f 2)" bad
is "lost: the overview says so" "$("$PROFDIVE" --no-cache --lang en print overview --format csv "$T/lost.json" | grep -c '^verdict,"No verdict: it is not known')" 1
"$PROFDIVE" --no-cache --lang en report -o "$T/report" "$T/lost.json" >"$T/out" 2>"$T/err"
ok "lost: the documents say so" grep -q 'No verdict: it is not known when the GPU is idle' "$T"/report/*verview*.md
is "lost: the line of the GPU" "$("$PROFDIVE" --no-cache --lang en summary "$T/lost.json" | grep -c '^GPU 0: .*idle or not recorded')" 1
printf 'key 9\nsave-screen -\n' >"$T/script"
"$PROFDIVE" --no-cache --lang en --script "$T/script" --screen 160x40 "$T/lost.json" >"$T/out" 2>"$T/err"
is "lost: the explorer says so, once, and nothing is found" "$(grep -c 'No verdict: it is not known' "$T/out") $(grep -c '^ nothing found ' "$T/out")" "1 1"
is "one of thirty is no more than 5 %" "$(doubt "$T/one.json")" ""

is "replays that are not recorded" "$(doubt "$T/graphs.json")" "10 of 10 launches of CUDA graphs have no work in the file"
ok "replays that are not recorded: no verdict" test -n "$(verdict "$T/graphs.json" | grep '^No verdict')"
is "replays that are" "$(doubt "$T/graphrecorded.json")" ""
is "nothing runs in a stream capture" "$(doubt "$T/captured.json")" ""
is "kernels that name no launch are the work of some" "$(doubt "$T/unnamed.json")" ""
is "the driver's call inside that of the runtime has the work" "$(doubt "$T/driver.json")" ""

# 8 ms from 1.7 ms of step 3 on: four steps follow, whose twelve kernels of 300 us lie inside it.
is "a kernel over twelve of its stream" "$(doubt "$T/over.json")" "kernels of one stream run at once for 3.60 ms of 20.00 ms"
is "the same in another stream" "$(doubt "$T/beside.json")" ""
ok "and it has a verdict" test -z "$(verdict "$T/beside.json" | grep '^No verdict')"

# The only step: one kernel up to 360 us, then launches at 510 and 1010 us without work up to the end of the step.
is "records that end in the only step" "$(doubt "$T/ends.json")" "GPU work is launched but not recorded for 1.64 ms of 2.00 ms"

# Launches behind the last one with work are cut by the end of the capture: 30 with work, then 30 without, and no steps.
sed 's/ProfilerStep#/range /' "$T/whole.json" | sed '$d' >"$T/cut.json"
awk 'BEGIN {
	for (i = 0; i < 30; i++)
		printf(",{\"ph\": \"X\", \"pid\": 7, \"tid\": 7, \"ts\": %d, \"dur\": 5, \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"args\": {\"correlation\": %d}}\n", 20500 + 10 * i, 5000 + i)
	printf("]}\n")
}' >>"$T/cut.json"
is "behind the last work: the end of the capture" "$(doubt "$T/cut.json")" ""
ok "it keeps its verdict" test -z "$(verdict "$T/cut.json" | grep '^No verdict:')"

# The real ones: a capture of 1 s with 1,714 launches behind its last recorded one; leading steps without kernels.
if test -n "$PROFDIVE_CORPUS" && test -d "$PROFDIVE_CORPUS/cases"; then
	ok "fastvideo-h100 keeps its verdict" test -n "$(verdict "$PROFDIVE_CORPUS/nsys/fastvideo-h100/h100_2gpu_1s.sqlite" | grep '^Bound by copies: 97.0 %')"
	is "fault-04: the steady window is whole" "$(doubt "$PROFDIVE_CORPUS/cases/fault-04.json")" ""
	ok "fault-04: GPU-bound" test -n "$(verdict "$PROFDIVE_CORPUS/cases/fault-04.json" | grep '^GPU-bound: 94.2 %')"
else
	skip "real files" "no corpus"
fi
done_testing
