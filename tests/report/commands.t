#!/bin/sh
# commands.t - the command below a table of the report prints the rows of that table again: each is
# run as it stands there, and its rows hold the first cell of names of the table.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_SAMPLE" || skip_all "no generated sample"

R=$T/report
status "report" 0 "$PROFDIVE" report -o "$R" "$PROFDIVE_SAMPLE"
grep -h '^Rows: ' "$R"/*.md | sed 's/^Rows: `profdive \(.*\) PATH\.\.\.`$/\1/' | sort -u >"$T/commands"
ok "there are commands" test "$(wc -l <"$T/commands")" -ge 15
while read -r line; do
	eval "set -- $line"
	status "profdive $line" 0 "$PROFDIVE" "$@" --format json "$PROFDIVE_SAMPLE"
	ok "prints rows" grep -q '^ {' "$T/out"
done <"$T/commands"

# The breakdown of the device: what the command prints sums to the wall that the document states.
section() { awk -v want="$2" '/^#/{on = ($0 ~ "^##* " want "$")} on' "$R/$1"; }
section 06_complete_breakdown.md 'GPU 0 wall, complete' >"$T/part"
eval "set -- $(sed -n 's/^Rows: `profdive \(.*\) PATH\.\.\.`$/\1/p' "$T/part")"
"$PROFDIVE" "$@" --format json "$PROFDIVE_SAMPLE" >"$T/out"
is "the rows of $* sum to the stated wall" \
	"$(sed -n 's/^ {.*"time_ns": *\([0-9]*\).*/\1/p' "$T/out" | awk '{ s += $1 } END { printf "%.0f", s }')" \
	"$(sed -n 's/.* Wall: \([0-9]*\) ns\..*/\1/p' "$T/part")"

done_testing
