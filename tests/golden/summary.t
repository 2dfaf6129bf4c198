#!/bin/sh
# summary.t - the head of a summary, and of whom its lines speak: a window that nobody measured, two runs whose files are called alike,
# ranks with steps of different length. The traces are written here, so each figure is known.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace RANK ZERO STEP KERNEL: four steps of STEP us from ZERO on, each with an op that launches one kernel of KERNEL us; 0 none
trace()
{
	test "$1" = - && echo '{"schemaVersion": 1,' || echo '{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": '"$1"', "world_size": 4},'
	echo '"traceEvents": ['
	awk -v zero="$2" -v step="$3" -v kernel="$4" 'BEGIN {
		for (i = 0; i < 4; i++) {
			t = zero + i * step
			x = "{\"ph\": \"X\", \"pid\": 7, \"tid\": 7, \"ts\": "
			printf "%s%s%.0f, \"dur\": %d, \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\"}", i ? "," : "", x, t, step, i + 3
			printf ",%s%.0f, \"dur\": 90, \"cat\": \"cpu_op\", \"name\": \"aten::mm\"}", x, t + 10
			if (!kernel) continue
			printf ",%s%.0f, \"dur\": 5, \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"args\": {\"correlation\": %d}}", x, t + 20, i + 1
			printf ",{\"ph\": \"X\", \"pid\": 0, \"tid\": 7, \"ts\": %.0f, \"dur\": %d, \"cat\": \"kernel\", \"name\": \"k\", \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}", t + 40, kernel, i + 1
		}
	}'
	echo ']}'
}

summary() { "$PROFDIVE" --no-cache --lang en summary "$@" >"$T/out" 2>"$T/err"; }
says() { ok "$1" grep -qF -- "$2" "$T/out"; }

cd "$T" || exit 99
mkdir a b

# Without a GPU: the window is that of the steps, 4 x 1 ms, and no loss can be looked for.
trace - 1000 1000 0 >host.json
summary host.json
is "host time alone: the window" "$(head -n 1 out)" "host.json: window steady, 4.00 ms"
says "host time alone: no claim about losses" "No loss was found: there is no GPU work to lose time on."

# A phase that nothing marks is not 0 %: it is not told. The op of 90 us in each step of 1 ms becomes the optimizer.
is "no phases" "$(sed -n 3p out)" "step: median 1.00 ms, p90 1.00 ms over 4 steady steps; nothing tells their phases"
sed 's/aten::mm/Optimizer.step#SGD.step/g' host.json >optimizer.json
summary optimizer.json
is "the only one" "$(sed -n 3p out)" "step: median 1.00 ms, p90 1.00 ms over 4 steady steps; optimizer 9.0 %, other 91.0 %"

# A sampler alone: what it sampled, of 1 s, the largest first.
cat >sampled.speedscope.json <<'EOT'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "py-spy@0.4.0", "name": "main", "activeProfileIndex": 0,
"shared": {"frames": [
 {"name": "<module>", "file": "/home/u/train.py", "line": 1},
 {"name": "log_metrics", "file": "/usr/lib/python3.12/site-packages/mlflow/tracking/fluent.py", "line": 900}]},
"profiles": [{"type": "sampled", "name": "MainThread", "unit": "seconds", "startValue": 0, "endValue": 1,
 "samples": [[0], [0, 1]], "weights": [0.75, 0.25]}]}
EOT
summary sampled.speedscope.json
is "a sampler alone: its largest" "$(sed -n 3p out)" "framework scheduling: Python, 750 ms (75.0 %); other: logging, 250 ms (25.0 %)"

# One source whose two kinds of markers lie apart is not two sources that disagree: NVTX steps of 100 ms, in every other one the
# optimizer 60 ms later.
if command -v sqlite3 >.which; then
	sqlite3 a.sqlite <<-EOT
		CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
		CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
			INSERT INTO NVTX_EVENTS SELECT i * 100000000, i * 100000000 + 99000000, 59, 'step_' || i, 281474976710656 + 5 * 16777216 + 5, 0 FROM n;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
			INSERT INTO NVTX_EVENTS SELECT i * 100000000 + (i % 2) * 60000000 + 10000000, i * 100000000 + (i % 2) * 60000000 + 15000000, 59,
				'Optimizer.step#SGD.step', 281474976710656 + 5 * 16777216 + 5, 0 FROM n;
	EOT
	"$PROFDIVE" --no-cache print crosscheck --format csv a.sqlite sampled.speedscope.json >out
	is "markers of one source differ" "$(grep -c 'two kinds of markers.*differ' out)" 1
	summary a.sqlite sampled.speedscope.json
	is "no sources disagree for it" "$(grep -c 'Sources of the run disagree' out)" 0
else
	skip "markers of one source" "no sqlite3"
fi

# Nothing at all: no window, no host time that would follow.
echo '{"schemaVersion": 1, "traceEvents": []}' >none.json
summary none.json
is "no events: the window has no length" "$(head -n 1 out)" "none.json: window all"
is "no events: so it says" "$(sed -n 2p out)" "Nothing was recorded: the files hold no events."
ok "a report of Nsight Compute alone" "$PROFDIVE" --no-cache summary "$top_srcdir/tests/fuzz/seeds/ncu/report"
is "says what it holds, not that nothing was recorded" "$("$PROFDIVE" --no-cache summary "$top_srcdir/tests/fuzz/seeds/ncu/report" | sed -n 2p)" \
	"3 kernel launches were measured by Nsight Compute (print ncu); no recording of the run is beside them."

# Two runs, a day apart: files of one name are told apart by their folder, and no window stands for both.
trace - 1000 1000 300 >a/trace.json
trace - 86400001000 2000 300 >b/trace.json
summary a/trace.json b/trace.json
is "two runs: no window of both" "$(head -n 1 out)" "a/trace.json, b/trace.json: window steady"
says "two runs: the first" "a/trace.json: step: median 1.00 ms, p90 1.00 ms over 4 steady steps"
says "two runs: the second" "b/trace.json: step: median 2.00 ms, p90 2.00 ms over 4 steady steps"
says "two runs: GPU of the first" "a/trace.json: GPU 0: compute 30.0 %, communication 0 %, copies 0 %, idle 70.0 % of 4.00 ms"
says "two runs: GPU of the second" "b/trace.json: GPU 0: compute 15.0 %, communication 0 %, copies 0 %, idle 85.0 % of 8.00 ms"
mv a/trace.json a/first.run.json
mv b/trace.json b/second.run.json
summary a/first.run.json b/second.run.json
says "files of two names: as much of it as is needed" "second: step: median 2.00 ms"

# A run without a GPU, or a sampler, before one with: the window is that of the GPU.
summary host.json sampled.speedscope.json a/first.run.json
is "host and sampler before a run with a GPU" "$(sed -n '1s/.*: window/window/p' out)" "window steady"
"$PROFDIVE" --no-cache print overview --format json sampled.speedscope.json host.json a/first.run.json >out
is "so in JSON" "$(sed -n 's/.*"window": {"kind": "\([a-z]*\)".*"wall_ns": \([0-9]*\)}.*/\1 \2/p' out)" "steady 4000000"

# Four ranks on one clock (dates): the step is that of one of them, and says so; devices that are left out are counted.
mkdir ranks
for r in 0 1 2 3; do
	trace "$r" 1700000000000000 "$((1000 + 100 * r))" 300 >"ranks/rank$r.json"
done
summary ranks
is "ranks: no window of all" "$(sed -n '1s/.*: window/window/p' out)" "window steady"
says "ranks: whose step" "rank 0: step: median 1.00 ms"
is "ranks: devices told and counted" "$(grep -c '^GPU 0: compute' out) + $(sed -n 's/ more GPUs (profdive print gpu)\.$//p' out)" "2 + 2"
# Findings of ranks are one line. Rank 2 is idle for 40 us and three times for 900 us in four steps; the gaps of rank 3 are no short ones.
says "ranks: all that have it, and the worst" "at most 685 µs per step (ranks 0-2; the worst: rank 2)"
"$PROFDIVE" --no-cache --lang en report -o report ranks >out
is "report: each finding once" "$(sed -n 's/^### [0-9]*\. //p' report/01_*.md | sort | uniq -d | wc -l)" 0
is "report: the worst of its ranks" "$(grep -c 'at most 685 µs per step.*(ranks 0-2; the worst: rank 2)$' report/01_*.md)" 1
mkdir busy
cp ranks/rank[023].json busy
trace 1 1700000000000000 1100 1090 >busy/rank1.json
summary busy
says "ranks: some have it" "(ranks 0, 2; the worst: rank 2)"
"$PROFDIVE" --no-cache --lang en summary --rank 2 ranks >out
is "one rank: its window" "$(sed -n '1s/.*: window/window/p' out)" "window steady, 4.80 ms"
says "one rank: its step" "step: median 1.20 ms, p90 1.20 ms over 4 steady steps"
is "one rank: not named" "$(grep -c '^rank ' out)" 0
status "a rank that is not there" 2 "$PROFDIVE" --no-cache --lang en summary --rank 7 ranks
is "it says so" "$(head -n 1 err)" "profdive: --rank 7: no file says that it is of this rank"
# A file that does not say its rank is no other rank.
mkdir one
trace 0 1700000000000000 1000 300 >one/rank0.json
trace - 1700000000000000 1000 300 >one/also.json
summary one
is "one rank and a file without: the window" "$(sed -n '1s/.*: window/window/p' out)" "window steady, 4.00 ms"
is "one rank and a file without: not named" "$(grep -c '^rank ' out)" 0
done_testing
