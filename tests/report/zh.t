#!/bin/sh
# zh.t - reports and tables in Chinese: no text is left in English, the figures are the English ones,
# and columns line up although characters are two columns wide.
. "${srcdir:-.}/tests/lib/tap.sh"

po=$top_srcdir/po/zh_CN.po
command -v msgfmt >/dev/null && command -v xgettext >/dev/null || skip_all "gettext's tools are not installed"
test -d "$PROFDIVE_SAMPLE" || skip_all "no generated sample"

# Against the texts of the sources as they are now, not as they were when the template was last made.
(cd "$top_srcdir" && xgettext --from-code=UTF-8 --keyword=_ --keyword=N_ --keyword=ngettext:1,2 --flag=_:1:pass-c-format \
	--flag=N_:1:pass-c-format -f po/POTFILES.in -o "$T/now.pot") 2>"$T/err"
ok "the texts of the sources" test -s "$T/now.pot"
ok "are joined with the catalogue" msgmerge -q --no-fuzzy-matching -o "$T/zh.po" "$po" "$T/now.pot"
msgattrib --untranslated "$T/zh.po" | sed -n 's/^msgid "\(..*\)"$/\1/p' >"$T/left"
is "no text is untranslated" "$(head -n 20 "$T/left")" ""
is "none is in doubt" "$(msgattrib --only-fuzzy "$T/zh.po" | sed -n 's/^msgid "\(..*\)"$/\1/p' | head -n 5)" ""
mkdir -p "$T/locale/zh_CN/LC_MESSAGES"
ok "formats and plurals are sound" msgfmt --check-format --check-header -o "$T/locale/zh_CN/LC_MESSAGES/profdive.mo" "$T/zh.po"

TEXTDOMAINDIR=$T/locale
export TEXTDOMAINDIR
case $("$PROFDIVE" --lang zh_CN help views 2>/dev/null) in
*[!\ -~]*) ;;
*) skip "the program was built without translations"
   done_testing
   exit ;;
esac

status "reports in English" 0 "$PROFDIVE" report --lang en --html -o "$T/en" "$PROFDIVE_SAMPLE"
status "in Chinese" 0 "$PROFDIVE" report --lang zh_CN --html -o "$T/zh" "$PROFDIVE_SAMPLE"

# Every number, and every name in code (a sentence in code has blanks); their order in a sentence is the language's.
figures() { { grep -oE '[0-9]+([.][0-9]+)?' "$1"; grep -oE '`[^` ]*`' "$1"; } | sort | uniq -c; }
for d in 01_training_overview 02_analysis_methods 03_gpu_analysis 04_cpu_analysis 05_code_path_mapping 06_complete_breakdown; do
	figures "$T/en/$d.md" >"$T/a"
	figures "$T/zh/$d.md" >"$T/b"
	ok "$d: the figures and names are the same" diff "$T/a" "$T/b"
	is "$d: as many headings" "$(grep -c '^#' "$T/zh/$d.md")" "$(grep -c '^#' "$T/en/$d.md")"
	is "$d: and none in English" "$(grep -E '^#' "$T/zh/$d.md" | LC_ALL=C grep -vc '[^ -~]')" 0
done

# The heads of a matrix are words of the data, as those of its rows: none of them is translated, also where a text of ours is equal.
matrix() { grep -m 1 'framework scheduling *|' "$1/01_training_overview.md" | awk -F '|' '{ for (i = 3; i < NF - 1; i++) { gsub(/ /, "", $i); printf "%s|", $i } }'; }
ok "a matrix" test "$(matrix "$T/en")" != ""
is "has the same heads in both languages" "$(matrix "$T/zh")" "$(matrix "$T/en")"

# Each table's rows are equally wide on a terminal.
width() { wc -L | tr -d ' '; }
"$PROFDIVE" print gpu --lang zh_CN --format md "$PROFDIVE_SAMPLE" | grep '^|' >"$T/rows"
first=$(head -n 1 "$T/rows" | width)
bad=0
while IFS= read -r row; do
	test "$(printf '%s\n' "$row" | width)" = "$first" || bad=$((bad + 1))
done <"$T/rows"
ok "a table in Chinese has columns" test "$first" -gt 20
is "that line up" "$bad" 0

done_testing
