#!/bin/sh
# No file is missing from the lists of the build, or listed without being there.
. "${srcdir:-.}/tests/lib/tap.sh"

ok "the lists are fresh (else: tools/list-sources --update)" \
	sh "$top_srcdir/tools/list-sources" --check

# The check itself, on a small tree of its own
mkdir -p "$T/t/tools" "$T/t/src" "$T/t/po"
cp "$top_srcdir/tools/list-sources" "$T/t/tools/"
printf '%s\n' '#@ x_SOURCES = src *.c !skip*' 'x_SOURCES =' '#@ end' 'after = 1' >"$T/t/src/local.mk"
: >"$T/t/Makefile.am"
: >"$T/t/po/POTFILES.in"
echo 'puts(_("x"));' >"$T/t/src/b.c"
: >"$T/t/src/a.c"
: >"$T/t/src/skip.c"
status "a file that is not listed fails" 1 sh "$T/t/tools/list-sources" --check
status "--update writes the lists" 0 sh "$T/t/tools/list-sources" --update
printf '%s\n' '#@ x_SOURCES = src *.c !skip*' 'x_SOURCES = \' '	src/a.c \' '	src/b.c' '#@ end' \
	'after = 1' >"$T/want"
same "the list is the files of the tree" "$T/t/src/local.mk" "$T/want"
is "the file with text to translate is named" "$(grep -v '^#' "$T/t/po/POTFILES.in")" src/b.c
status "then the check passes" 0 sh "$T/t/tools/list-sources" --check

# A test that is no shell script would be run by the wrong program.
cd "$top_srcdir" || exit 99
is "every .t file is for sh" \
	"$(find tests -name '*.t' -exec sh -c 'head -n 1 "$1" | grep -q "^#!/bin/sh" || echo "$1"' - {} \;)" ""

# A thread that blocks what it raises itself dies without its handler: par_thread() is for all.
is "threads are started by par_thread()" "$(grep -rl --include='*.c' 'pthread_create(' src ui | sort | tr '\n' ' ')" \
	"src/base/par.c ui/work/work.c "

done_testing
