#!/bin/sh
# The layers hold, and the check would see if they did not.
. "${srcdir:-.}/tests/lib/tap.sh"

check=$top_srcdir/tools/check-layers
rules=$top_srcdir/tools/layers.txt

ok "every include keeps to tools/layers.txt" sh "$check" "$rules" "$top_srcdir"

mkdir -p "$T/bad/src/base" "$T/bad/ui/widgets"
echo '#include "load/read/loader.h"' >"$T/bad/src/base/x.c"
echo '#include <curses.h>' >"$T/bad/ui/widgets/pane.c"
sh "$check" "$rules" "$T/bad" >"$T/bad.out"
is "a broken tree fails" $? 1
is "an include upwards is named" "$(grep 'must not' "$T/bad.out")" \
	"# src/base/x.c:1: src/base must not include src/load/read"
is "a header outside its one file is named" "$(grep 'not allowed' "$T/bad.out")" \
	"# ui/widgets/pane.c:1: <curses.h> is not allowed here"

mkdir -p "$T/good/src/load" "$T/good/ui/screen"
echo '#include "base/err.h"' >"$T/good/src/load/x.c"
echo '#include <curses.h>' >"$T/good/ui/screen/term_curses.c"
ok "a sound tree passes" sh "$check" "$rules" "$T/good"

done_testing
