#!/bin/sh
# The libraries keep to the layers by what they link, and the check would see if they did not.
. "${srcdir:-.}/tests/lib/tap.sh"

check=$top_srcdir/tools/check-links
rules=$top_srcdir/tools/layers.txt
nm --version >/dev/null 2>&1 && command -v tsort >/dev/null || skip_all "needs nm and tsort"

sh "$check" "$rules" "$top_builddir" >"$T/all"
ok "no library calls upwards or in a circle" test $? = 0
grep -E '^(not ok|#)' "$T/all" | sed 's/^/# /'
is "every folder of the rules was looked at" "$(grep -c 'has no circle' "$T/all")" \
	"$(sed 's/#.*//' "$rules" | awk '$1 && $1 !~ /^@/' | wc -l)"

# The same on three libraries of one or two objects: sound, with a call upwards, with a circle.
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || { skip "planted calls" "no C compiler"; done_testing; exit; }
printf '%s\n' 'low' 'high low' >"$T/rules"

# library FOLDER OBJECT SOURCE...: one library of these objects
library()
{
	folder=$T/tree/$1 lib=$T/tree/$1/lib$1.a
	mkdir -p "$folder"
	rm -f "$lib"
	shift
	while test $# -gt 0; do
		printf '%s\n' "$2" >"$folder/$1.c"
		$cc -c -o "$folder/$1.o" "$folder/$1.c" && ar cr "$lib" "$folder/$1.o"
		shift 2
	done
}

library low a 'int a(void) { return 1; }' b 'int a(void); int b(void) { return a(); }'
library high c 'int a(void); int c(void) { return a(); }'
ok "a sound tree passes" sh "$check" "$T/rules" "$T/tree"

library low a 'int c(void); int a(void) { return c(); }' b 'int b(void) { return 2; }'
sh "$check" "$T/rules" "$T/tree" >"$T/up"
is "a call upwards fails" $? 1
is "and is named" "$(grep 'must not' "$T/up")" "# low/a.o must not need c of high/c.o"

library low a 'int b(void); int a(void) { return b(); }' b 'int a(void); int b(void) { return a(); }'
sh "$check" "$T/rules" "$T/tree" >"$T/circle"
is "a circle fails" $? 1
is "in its library" "$(grep '^not ok' "$T/circle")" "not ok 2 - low has no circle"
is "with its objects" "$(sed -n 's/^# *\([ab]\.o\)$/\1/p' "$T/circle" | sort | tr '\n' ' ')" "a.o b.o "

done_testing
