#!/bin/sh
# stats.t: every table that the vendor's own tool (nsys stats 2022.4, once 2024.6) printed of the databases, cell by cell.
# official.c knows which view and column answers to which, and the faults of theirs by which rows may differ; comments tell them.
. "${srcdir:-.}/tests/lib/tap.sh"

stats=$PROFDIVE_CORPUS/expected/nsys-stats
if test -z "$PROFDIVE_CORPUS" || test ! -d "$stats"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
compare=$top_builddir/tests/corpus/compare

# tables_of FILE: the tables in the text of `nsys profile --stats=true` as CSV files $T/log.REPORT.csv; dashes tell the columns
tables_of()
{
	tr -d '\r' <"$1" | awk -v to="$T/log" '
	/Executing .* stats report/ { split($0, part, "\047"); file = to "." part[2] ".csv"; titles = ""; n = 0; next }
	file == "" || /^ *$/ { next }
	titles == "" { titles = $0; next }
	n == 0 && /^ *-[- ]*$/ {
		for (i = 1; i <= length($0); i++) if (substr($0, i, 1) == "-" && substr($0, i - 1, 1) != "-") at[++n] = i
		put(titles)
		next
	}
	n && /^ / { put($0); next }
	{ file = "" }
	function put(line, i, cell, text) {
		for (i = 1; i <= n; i++) {
			cell = i < n ? substr(line, at[i], at[i + 1] - at[i]) : substr(line, at[i])
			sub(/^ */, "", cell)
			sub(/ *$/, "", cell)
			text = text (i > 1 ? "," : "") "\"" cell "\""
		}
		print text > file
	}'
}

# compare_with FILE CSV...: one check a table
compare_with()
{
	"$compare" "$@" >"$T/out" 2>&1
	grep '^#' "$T/out" | cut -c1-240
	grep -v '^#' "$T/out" >"$T/verdicts"
	while read -r report n bad odd; do
		is "$base.$report: $n rows" "$bad" 0
		tables=$((tables + 1)) rows=$((rows + n)) faults=$((faults + odd))
	done <"$T/verdicts"
}

tables=0 rows=0 faults=0
for base in $(cd "$stats" && ls | sed -n 's/\.[a-z]*\.csv\(\.gz\)*$//p' | sort -u); do
	file=$PROFDIVE_CORPUS/nsys/$(echo "$base" | sed 's#__#/#').sqlite
	test -f "$file" || {
		skip "$base" "no database"
		continue
	}
	compare_with "$file" "$stats/$base".*.csv*
done
want=$(find "$stats" -name '*.csv*' | wc -l)
is "every table was compared" "$tables" "$((want))"
base=fuser-h100__report1
log=$PROFDIVE_CORPUS/nsys/fuser-h100/nsys-log.txt
if test -f "$log"; then
	tables_of "$log"
	compare_with "$PROFDIVE_CORPUS/nsys/fuser-h100/report1.sqlite" "$T"/log.*.csv
	is "tables of a later version, 2024.6" "$((tables - want))" 5
fi
diag "$tables tables, $rows rows agree; $faults of them only by a fault of theirs that is named above"
done_testing
