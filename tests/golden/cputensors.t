#!/bin/sh
# cputensors.t - ops that launch nothing anywhere in the file compute on the CPU (definitions.md sections 7, 8). Four steps of 10 ms, in us
# from the start of each:
#	0-6000		aten::randperm, launches nothing; 100-300 in it aten::empty: 5800 of compute
#	6000-6500	aten::view: metadata, whatever it takes
#	6500-7000	aten::add_ with a launch at 6600-6610, its kernel 6650-8650
#	7000-7400	aten::add_ without one: the name launches elsewhere, so it is left to the device
#	9990		end of the step
# The device idles from 8650 to 6650 of the next step: 8000 of 10000, 6000 of them while aten::randperm computes.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace LAUNCH LAUNCHED: categories of the call and of the kernel; none where it is "-"
trace()
{
	awk -v call="$1" -v kernel="$2" 'function event(cat, name, from, dur, args) {
		if (cat == "-")
			return
		printf "%s\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": 7, \"ts\": %d, \"dur\": %d, \"args\": {%s}}",
			n++ ? "," : "", cat, name, cat == kernel ? 0 : 7, t + from, dur, args
	}
	BEGIN {
		printf "{\"schemaVersion\": 1, \"traceEvents\": ["
		for (i = 0; i < 4; i++) {
			t = 10000 * (i + 1)
			event("user_annotation", "ProfilerStep#" (i + 5), 0, 9990, "")
			event("cpu_op", "aten::randperm", 0, 6000, "")
			event("cpu_op", "aten::empty", 100, 200, "")
			event("cpu_op", "aten::view", 6000, 500, "")
			event("cpu_op", "aten::add_", 6500, 500, "")
			event(call, "cudaLaunchKernel", 6600, 10, "\"correlation\": " (i + 1))
			event(kernel, "k", 6650, 2000, "\"device\": 0, \"stream\": 7, \"correlation\": " (i + 1))
			event("cpu_op", "aten::add_", 7000, 400, "")
		}
		print "]}"
	}'
}

# ask FILE VIEW FILTER COLUMN: the sum of a column over all of the capture
ask()
{
	"$PROFDIVE" --no-cache print "$2" --format csv --window all --filter "$3" "$1" 2>"$T/err" |
		awk -F, -v col="$4" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) c = i; next } { sum += $c } END { print sum + 0 }'
}

trace cuda_runtime kernel >"$T/gpu.json"
is "compute on the CPU" "$(ask "$T/gpu.json" breakdown 'level1 = compute' time_ns)" 23200000
is "and what it is called" "$(ask "$T/gpu.json" breakdown 'level2 = "aten::randperm on the CPU"' time_ns)" 23200000
is "views compute nothing" "$(ask "$T/gpu.json" breakdown 'level2 ~ "tensor metadata" and level1 ~ framework' time_ns)" 2000000
is "nor do empty tensors" "$(ask "$T/gpu.json" breakdown 'level2 ~ "tensor allocation"' time_ns)" 800000
is "a name that launches is the device's" "$(ask "$T/gpu.json" breakdown 'level2 = "aten::add_ CPU launch"' time_ns)" 3600000
is "three gaps between four kernels" "$(ask "$T/gpu.json" gaps 'cause = compute' dur_ns)" 24000000
"$PROFDIVE" --no-cache summary "$T/gpu.json" >"$T/out" 2>&1
ok "the verdict is that of the CPU" grep -q '^Bound by tensors on the CPU: .* in aten::randperm\.' "$T/out"
ok "and what to do" grep -q '^1\. Tensors are computed on the CPU: .*Make the tensor on the GPU' "$T/out"
ok "not the launches" sh -c '! grep -q Launch-bound "$1"' - "$T/out"

# nobody says what was launched
trace - kernel >"$T/nocalls.json"
is "no calls recorded: none is known to compute" "$(ask "$T/nocalls.json" breakdown 'level1 = compute' time_ns)" 0

# no device at all: every op that computes
trace - - >"$T/cpu.json"
is "no device: all ops that compute" "$(ask "$T/cpu.json" breakdown 'level1 = compute' time_ns)" 26800000
is "no device: views do not" "$(ask "$T/cpu.json" breakdown 'level2 ~ "tensor metadata"' time_ns)" 2000000

case_of=${PROFDIVE_CORPUS:-none}/cases/fault-06.json
if test -f "$case_of"; then
	is "3 times 7980 us of 30 ms" "$(ask "$case_of" breakdown 'level2 = "aten::normal_ on the CPU"' time_ns)" 23940000
	"$PROFDIVE" --no-cache summary "$case_of" >"$T/out" 2>&1
	ok "its verdict" grep -q '^Bound by tensors on the CPU: .* in aten::normal_\.' "$T/out"
fi
done_testing
