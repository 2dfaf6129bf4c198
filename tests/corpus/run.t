#!/bin/sh
# run.t: real profiles against the reference values of another program (expected/*.json of the corpus), one line per file.
# The whole file is the window. compare.c knows what is compared and how; a comment tells each difference.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/expected"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
compare=$top_builddir/tests/corpus/compare

# expected_of FILE: its expected file; / is written as __, which names of files may hold too
expected_of() { echo "$PROFDIVE_CORPUS/expected/$(echo "$1" | sed 's#/#__#g').json"; }

# words_of KIND: the words that compare printed behind KIND
words_of() { sed -n "s/^$1 //p" "$T/out"; }

files=0 whole=0 views=0 sums=0
(cd "$PROFDIVE_CORPUS" && find . -type f ! -path './expected/*' | sed 's#^\./##' | sort) >"$T/files"
while read -r file; do
	expected=$(expected_of "$file")
	test -f "$expected" || continue
	files=$((files + 1))
	if "$compare" "$PROFDIVE_CORPUS/$file" "$expected" >"$T/out" 2>&1; then
		pass "$file: $(words_of agree) | $(words_of sums)"
		whole=$((whole + 1))
	else
		fail "$file: $(words_of differ)"
	fi
	grep -v '^agree\|^sums\|^differ' "$T/out" | sed 's/^# //; s/^/# /'
	views=$((views + $(words_of agree | wc -w)))
	sums=$((sums + $(words_of sums | wc -w)))
done <"$T/files"

want=$(find "$PROFDIVE_CORPUS/expected" -maxdepth 1 -name '*.json' | wc -l)
is "every expected file has its profile" "$files" "$((want))"
diag "$whole of $files files, $views views agree; $sums groups of sums hold"
done_testing
