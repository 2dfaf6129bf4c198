#!/bin/sh
# shares.t - no share of any view of any real profile, in the windows `all` and `steady`, is below 0 or above 1.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/expected"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
compare=$top_builddir/tests/corpus/compare

(cd "$PROFDIVE_CORPUS" && find . -type f ! -path './expected/*' | sed 's#^\./##' | sort) >"$T/files"
files=0 shares=0
while read -r file; do
	"$compare" --shares "$PROFDIVE_CORPUS/$file" >"$T/out" 2>&1
	n=$(sed -n 's/^shares //p' "$T/out")
	test -n "$n" || continue	# no profile
	files=$((files + 1))
	shares=$((shares + n))
	if grep '^beyond' "$T/out" >"$T/beyond"; then
		fail "$file: $(head -3 "$T/beyond" | tr '\n' ';')"
	fi
done <"$T/files"
ok "many files have shares" test $files -gt 150 -a $shares -gt 100000
is "all shares of $files files ($shares) are shares" "$tap_failed" 0
done_testing
