#!/bin/sh
# stats.t: every table that the vendor's own tool (nsys stats 2022.4) printed of the databases, cell by cell as printed.
# official.c knows which view and column answers to which, and the faults of theirs by which rows may differ; comments tell them.
. "${srcdir:-.}/tests/lib/tap.sh"

stats=$PROFDIVE_CORPUS/expected/nsys-stats
if test -z "$PROFDIVE_CORPUS" || test ! -d "$stats"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
compare=$top_builddir/tests/corpus/compare

tables=0 rows=0 faults=0
for base in $(cd "$stats" && ls | sed -n 's/\.[a-z]*\.csv\(\.gz\)*$//p' | sort -u); do
	file=$PROFDIVE_CORPUS/nsys/$(echo "$base" | sed 's#__#/#').sqlite
	test -f "$file" || {
		skip "$base" "no database"
		continue
	}
	"$compare" "$file" "$stats/$base".*.csv* >"$T/out" 2>&1
	grep '^#' "$T/out" | cut -c1-240
	grep -v '^#' "$T/out" >"$T/verdicts"
	while read -r report n bad odd; do
		is "$base.$report: $n rows" "$bad" 0
		tables=$((tables + 1)) rows=$((rows + n)) faults=$((faults + odd))
	done <"$T/verdicts"
done
want=$(find "$stats" -name '*.csv*' | wc -l)
is "every table was compared" "$tables" "$((want))"
diag "$tables tables, $rows rows agree; $faults of them only by a fault of theirs that is named above"
done_testing
