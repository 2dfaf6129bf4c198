#!/bin/sh
# The tutorial is true: what it tells to type is typed, and the screen says what it says.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99
ln -s "$PROFDIVE_SAMPLE" sample
sed -n 's/^    //p' "$top_srcdir/doc/tutorial.md" | grep -v '^profdive ' >script
ok "it has something to type" test "$(grep -c '^key ' script)" -ge 15
ok "and to see" test "$(grep -c '^expect ' script)" -ge 25
status "the tutorial on the sample" 0 "$PROFDIVE" --script script sample
ok "a tutorial that is wrong is found" sh -c 'sed "s/66.2 %/66.3 %/" script >wrong && ! "$0" --script wrong sample' "$PROFDIVE"

done_testing
