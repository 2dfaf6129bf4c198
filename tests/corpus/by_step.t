#!/bin/sh
# by_step.t: on every trace and database, the rows of --by step, that without a step among them, sum to the whole.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/torch"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
command -v python3 >/dev/null 2>&1 || skip_all "needs python3"

find "$PROFDIVE_CORPUS/torch" "$PROFDIVE_CORPUS/nsys" -name '*.json' -o -name '*.json.gz' -o -name '*.sqlite' | sort >"$T/files"
xargs python3 "$top_srcdir/tests/corpus/by_step.py" "$PROFDIVE" <"$T/files" >"$T/out"
is "sums that differ" "$(grep -c '^differ' "$T/out")" 0
grep '^differ' "$T/out" | sed 's/^/# /'
ok "sums were compared" test "$(sed -n 's/^compared //p' "$T/out")" -gt 100
done_testing
