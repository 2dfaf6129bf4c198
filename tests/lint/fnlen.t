#!/bin/sh
# Functions stay short: 95 of 100 within 60 lines, none over 120.
. "${srcdir:-.}/tests/lib/tap.sh"

ctags --version 2>/dev/null | grep -q Universal || skip_all "needs universal-ctags"
fnlen=$top_srcdir/tools/fnlen

cd "$top_srcdir" || exit 99
ok "functions of src and ui are short" sh "$fnlen" 120 60 src ui

awk 'BEGIN { print "int f(void)\n{"; for (i = 0; i < 118; i++) print ""; print "\treturn 0;\n}" }' \
	>"$T/long.c"
sh "$fnlen" 120 121 "$T" >"$T/out"
is "a function of 122 lines is seen" "$(grep '^# ' "$T/out")" "# 122 lines: $T/long.c:f"

done_testing
