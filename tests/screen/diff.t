#!/bin/sh
# diff.t - the pane of `profdive diff`: two steps of the sample, whose periods print shows.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_SAMPLE" || skip_all "no generated sample"

# Step 1 has 39.97 ms, step 4 38.76 ms (print steps): 1.21 ms less
cat >"$T/script" <<'END'
key d
expect [Comparison]
expect step      median
expect 39.97 ms
expect 38.76 ms
expect -1.21 ms
type &
type what = op
key Enter
expect op
key Enter
expect [6 Python]
key d
expect [Comparison]
key d
expect [6 Python]
END
status "changes are shown, an op is gone to, d toggles" 0 "$PROFDIVE" diff --script "$T/script" --screen 80x24 \
	"$PROFDIVE_SAMPLE@step:1" "$PROFDIVE_SAMPLE@step:4"
cat "$T/err" >&2

cat >"$T/script" <<'END'
key d
expect only one run is open
END
status "with one run d says what to do" 0 "$PROFDIVE" --script "$T/script" "$PROFDIVE_SAMPLE"

done_testing
