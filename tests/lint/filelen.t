#!/bin/sh
# No source file is longer than 800 lines.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$top_srcdir" || exit 99
find src ui tests -name '*.[ch]' ! -name rules_data.c -exec wc -l {} + |
	awk '$2 != "total" { print $1, $2 }' >"$T/lines"
ok "there are files to look at" test -s "$T/lines"
is "files over 800 lines" "$(awk '$1 > 800 { print $2 " (" $1 ")" }' "$T/lines")" ""

done_testing
