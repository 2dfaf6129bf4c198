#!/bin/sh
# shares.t - shares where several processes or threads work at once: of the walls of the processes, and none where threads together
# took longer than the wall.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# ev PID TID CAT NAME TS DUR: an event
ev() { printf '{"ph": "X", "pid": %d, "tid": %d, "cat": "%s", "name": "%s", "ts": %d, "dur": %d, "args": {}}' "$@"; }
# trace FILE EVENT...
trace() { f=$1; shift; printf '{"schemaVersion": 1, "traceEvents": [\n' >"$f"; printf '%s\n' "$@" | paste -sd, >>"$f"; echo ']}' >>"$f"; }
# share NAME: of the row of that name in `out`
share() { sed -n "s/.*\"\(name\|function\|check\)\": \"$1\".*\"share\": \([0-9.a-z]*\).*/\2/p" out; }

# two processes for 1000 us, aten::mm takes 800 us of each: 1600 of 2000
trace two.json "$(ev 1 1 cpu_op aten::mm 0 800)" "$(ev 1 1 cpu_op aten::add 900 100)" "$(ev 2 2 cpu_op aten::mm 100 800)"
"$PROFDIVE" --no-cache print ops --window all --format json two.json >out
is "an op of two processes" "$(share aten::mm)" 0.8
is "an op of one of them" "$(share aten::add)" 0.1
"$PROFDIVE" --no-cache print ops --window all --by thread --format json two.json >out
is "each by itself" "$(share aten::mm | paste -sd' ')" "0.8 0.8"

# trees and pairs are of all processes of the file: aten::mm 1600 of 2000, aten::add 100 of them
"$PROFDIVE" --no-cache print optree --window all --format json two.json >out
is "optree: an op of two processes" "$(share aten::mm)" 0.8
is "optree: an op of one of them, in the same tree" "$(share aten::add)" 0.05

# the same of frames: f has 2 x 1000 us, 400 of them its own, the module 2 x 800
trace frames.json "$(ev 1 1 python_function 'a.py(1): f' 0 1000)" "$(ev 1 1 python_function 'nn.Module: Linear_0' 0 800)" \
	"$(ev 2 2 python_function 'a.py(1): f' 0 1000)" "$(ev 2 2 python_function 'nn.Module: Linear_0' 100 800)" \
	"$(ev 1 1 cpu_op aten::mm 0 800)" "$(ev 2 2 cpu_op aten::mm 100 800)"
# column VIEW NAME: the share in the first row with that name
column()
{
	"$PROFDIVE" --no-cache print "$1" --window all --format csv frames.json 2>err | awk -F, -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "share") c = i; next }
		index("," $0 ",", "," name ",") { print $c; exit }'
}
is "leaves: a frame of two processes" "$(column leaves 'nn.Module: Linear')" 0.8
is "modules" "$(column modules 'nn.Module: Linear_0')" 0.8
is "opframes" "$(column opframes aten::mm)" 0.8
is "stacks" "$(column stacks f)" 1

# two threads of one process, at once
trace threads.json "$(ev 1 1 cpu_op aten::mm 0 800)" "$(ev 1 2 cpu_op aten::mm 0 800)" "$(ev 1 1 cpu_op aten::add 900 100)"
for view in ops optree; do
	"$PROFDIVE" --no-cache print $view --window all --format json threads.json >out
	is "$view: more time than the wall is no share of it" "$(share aten::mm)" null
	is "$view: others have theirs" "$(share aten::add)" 0.1
done

# two processes wait at the same time, 300 and 200 us, while the kernel of each runs for 250: no sum of them is a time
gpu() { printf '{"ph": "X", "pid": %d, "tid": 7, "cat": "kernel", "name": "k", "ts": %d, "dur": 250, "args": {"device": %d, "stream": 7, "correlation": %d}}' "$@"; }
call() { printf '{"ph": "X", "pid": %d, "tid": %d, "cat": "cuda_runtime", "name": "%s", "ts": %d, "dur": %d, "args": {"correlation": %d}}' "$@"; }
trace waits.json "$(ev 1 1 cpu_op aten::mm 0 20)" "$(ev 2 2 cpu_op aten::mm 0 20)" \
	"$(call 1 1 cudaLaunchKernel 5 5 1)" "$(gpu 0 100 0 1)" "$(call 1 1 cudaDeviceSynchronize 100 300 3)" \
	"$(call 2 2 cudaLaunchKernel 5 5 2)" "$(gpu 1 100 1 2)" "$(call 2 2 cudaDeviceSynchronize 100 200 4)"
"$PROFDIVE" --no-cache print overview --window all --format csv waits.json | grep -o 'process.*host waits.*' | tr -d '\r"' | sed 's/,[^ ].*//' >out
is "waits of two processes are told of each" "$(cat out)" \
	"process 1: host waits 300 µs in context synchronisation (1 call): device busy 250 µs, idle 50.00 µs
process 2: host waits 200 µs in context synchronisation (1 call): device busy 200 µs, idle 0"
sed 's/"pid": 2, "tid": 2/"pid": 1, "tid": 2/g' waits.json >one.json
"$PROFDIVE" --no-cache print overview --window all --format csv one.json >out
ok "those of one process need no name" grep -q '"host waits 500' out

# the profiler flushes on two threads at once, 600 of 1000 us
trace flush.json "$(ev 1 1 cpu_op aten::mm 0 1000)" "$(ev 1 1 overhead 'Activity Buffer Request' 100 500)" \
	"$(ev 1 2 overhead 'Activity Buffer Request' 200 500)"
"$PROFDIVE" --no-cache print quality --format json flush.json >out
is "overhead is the time in which any thread has it" "$(share 'profiler overhead records')" 0.6
ok "and so is its time" grep -q '"check": "profiler overhead records".*"count": 2, .*"time_ns": 600000,' out
done_testing
