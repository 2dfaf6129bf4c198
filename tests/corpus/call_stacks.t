#!/bin/sh
# call_stacks.t - traces of torch 1.9, whose Python frames stand in the args of ops: the outermost frames of `stacks`, which are lines of
# the training script, against sums over the trace by another program; the finding that stacks are missing is not made.
. "${srcdir:-.}/tests/lib/tap.sh"

test -n "$PROFDIVE_CORPUS" && test -d "$PROFDIVE_CORPUS/torch" || skip_all "no corpus"
command -v python3 >/dev/null 2>&1 || skip_all "needs python3"

for name in kineto-resnet50-w0-a kineto-resnet50-w4-a; do
	for trace in "$PROFDIVE_CORPUS/torch/$name"/*.json.gz; do
		timeout 60 "$PROFDIVE" --no-cache print stacks --window all --format json "$trace" >"$T/rows" 2>"$T/err"
		python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["rows"]:
    if r["parent"] is None and r["total_ns"]:
        print("%s(%d): %s\t%d" % (r["file"], r["line"], r["function"], r["total_ns"]))' "$T/rows" | sort >"$T/got"
		python3 "$top_srcdir/tests/corpus/call_stacks.py" "$trace" | grep -v '	0$' | sort >"$T/want"
		is "$name: outermost frames" "$(diff "$T/got" "$T/want")" ""
		ok "$name: lines of the training script" test "$(grep -c '^resnet50_profiler_api.py(' "$T/got")" -ge 4
		is "$name: stacks are not said to be missing" \
			"$(timeout 60 "$PROFDIVE" --no-cache print findings --format csv "$trace" 2>/dev/null | grep -c record-stacks)" 0
	done
done
done_testing
