#!/bin/sh
# refused.t - numbers that a file cannot mean: they are damage, and no figure, share or verdict is made of them.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# ---- kernels that are all refused: no verdict about the GPU
for i in 1 2 3 4 5; do
	printf '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": %d, "ts": 0, "dur": 4.4e15, "args": {"device": 0, "stream": %d}}\n' $i $i
done | paste -sd, | sed 's/^/{"traceEvents": [/; s/$/]}/' >kernels.json
status "all kernels refused" 1 "$PROFDIVE" --no-cache summary kernels.json
cp out summary
ok "says so" grep -q 'No verdict: all GPU work was refused as damaged (impossible durations: 5)' summary
is "and nothing of the GPU" "$(grep -E 'GPU-bound|%|No loss' summary)" ""
printf '{"traceEvents": [%s,%s]}\n' \
	'{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 1, "ts": 0, "dur": 4.4e15, "args": {"device": 0, "stream": 1}}' \
	'{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 1, "ts": 5000, "dur": -1, "args": {"device": 0, "stream": 1}}' >two.json
"$PROFDIVE" --no-cache summary two.json >summary 2>/dev/null
ok "nor of a window in which all were refused" grep -q 'No verdict: all GPU work was refused as damaged' summary

# ---- counts beyond the range
printf 'a;b 3\na;c 9223372036854775807\na;d 1\n' >counts.txt
status "a count beyond the range" 1 "$PROFDIVE" --no-cache print stacks --format csv counts.txt
ok "is told with its place" grep -q 'too large to be summed: byte 6' err
is "the others are shares of what they are" "$("$PROFDIVE" --no-cache print stacks --format json counts.txt 2>/dev/null |
	sed -n 's/.*"function": "\([a-z]\)".*"samples": \([0-9]*\),.*"share": \([0-9.]*\).*/\1 \2 \3/p' | tr '\n' ';')" "a 4 1;b 3 0.75;d 1 0.25;"
cat >weights.json <<'EOT'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}, {"name": "b"}]},
"profiles": [{"type": "sampled", "name": "x", "unit": "none", "startValue": 0, "endValue": 1,
"samples": [[0], [1], [1]], "weights": [1, 3, 4611686018427387904]}]}
EOT
status "a weight beyond the range" 1 "$PROFDIVE" --no-cache print stacks --format json weights.json
is "is left out" "$(grep -o '"share": [0-9.]*' out | tr '\n' ';')" '"share": 0.75;"share": 0.25;'

# ---- more time than the run lasted
cat >long.json <<'EOT'
{"start_time": 1700000000.0, "duration": 1.0, "sample_count": 10, "cpu_time": 1.0, "target_description": "Program: a.py",
"root_frame": {"function": "main", "file_path": "a.py", "line_no": 1, "time": 4.0, "children": [
{"function": "work", "file_path": "a.py", "line_no": 2, "time": 1.0, "children": []}]}}
EOT
status "a tree longer than the run" 1 "$PROFDIVE" --no-cache print stacks --format json long.json
ok "is told" grep -q 'frames with more time than the recorded duration' err
is "and shares are of its own time" "$(grep -o '"share": [0-9.]*' out | tr '\n' ';')" '"share": 1;"share": 0.25;'
printf '{"start_time": 1700000000.0, "duration": 1.0, "sample_count": 3, "start_call_stack": [], "target_description": "Program: a.py",\n"cpu_time": 1.0, "frame_records": [[["main\\u0000a.py\\u00001"], 0.75],\n[["main\\u0000a.py\\u00001"], 3.0],\n[["work\\u0000a.py\\u00002"], 0.25]]}\n' >long.session.json
status "a record beyond the run" 1 "$PROFDIVE" --no-cache print stacks --format json long.session.json
ok "is told with its place" grep -q 'records beyond the recorded duration: byte [0-9]' err
is "and left out" "$(grep -o '"share": [0-9.]*' out | tr '\n' ';')" '"share": 0.75;"share": 0.25;'
done_testing
