#!/bin/sh
# What the manual pages and the completions take from the program is what it says now.
. "${srcdir:-.}/tests/lib/tap.sh"

ok "README, doc/ and data/completions/ are fresh (tools/gen-docs --update)" \
	sh "$top_srcdir/tools/gen-docs" --check "$PROFDIVE"

# A check that could not fail would say nothing: a page with another text is found.
mkdir "$T/tree" && cp "$top_srcdir/README" "$T/tree/" && cp -R "$top_srcdir/doc" "$top_srcdir/tools" "$T/tree/" && mkdir "$T/tree/data" &&
	cp -R "$top_srcdir/data/completions" "$T/tree/data/" && chmod -R u+w "$T/tree"
ok "a copy of the tree is fresh" sh "$T/tree/tools/gen-docs" --check "$PROFDIVE"
sed '/^\.SS gpu$/d' "$top_srcdir/doc/profdive-views.7" >"$T/tree/doc/profdive-views.7"
status "a stale page is found" 1 sh "$T/tree/tools/gen-docs" --check "$PROFDIVE"
sh "$T/tree/tools/gen-docs" --update "$PROFDIVE" >"$T/out"
same "and is written anew" "$T/tree/doc/profdive-views.7" "$top_srcdir/doc/profdive-views.7"
sed '/^    forward /s/[0-9]/7/' "$top_srcdir/README" >"$T/tree/README"
status "a wrong figure in README is found" 1 sh "$T/tree/tools/gen-docs" --check "$PROFDIVE"
sh "$T/tree/tools/gen-docs" --update "$PROFDIVE" >"$T/out"
same "and set right" "$T/tree/README" "$top_srcdir/README"
rm "$T/tree/data/completions/_profdive"
status "a completion that is missing is found" 1 sh "$T/tree/tools/gen-docs" --check "$PROFDIVE"

done_testing
