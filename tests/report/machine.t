#!/bin/sh
# machine.t - what other programs read is the same in every language: CSV and JSON of all views in Chinese and in English; filters by the
# words of a key column work in both, and people see them translated.
. "${srcdir:-.}/tests/lib/tap.sh"

command -v msgfmt >/dev/null 2>&1 || skip_all "no msgfmt"
mkdir -p "$T/locale/zh_CN/LC_MESSAGES"
msgfmt -o "$T/locale/zh_CN/LC_MESSAGES/profdive.mo" "$top_srcdir/po/zh_CN.po" || skip_all "no catalogue"
TEXTDOMAINDIR=$T/locale
export TEXTDOMAINDIR
case $("$PROFDIVE" --lang zh_CN help views 2>/dev/null) in
*视图*|*表*) ;;
*) skip_all "no Chinese locale here" ;;
esac
test -d "$PROFDIVE_SAMPLE" || skip_all "no sample"

same=0
for view in quality crosscheck checks findings overview gpustats stepstats threads rules sources coverage; do
	for format in csv json; do
		timeout 60 "$PROFDIVE" --no-cache print "$view" --lang zh_CN --format "$format" "$PROFDIVE_SAMPLE" >"$T/zh" 2>/dev/null
		timeout 60 "$PROFDIVE" --no-cache print "$view" --lang en --format "$format" "$PROFDIVE_SAMPLE" >"$T/en" 2>/dev/null
		cmp -s "$T/zh" "$T/en" && test -s "$T/en" && same=$((same + 1)) || fail "$view as $format"
	done
done
is "views that are the same in both formats" "$same" 22
timeout 60 "$PROFDIVE" --no-cache print quality --lang zh_CN --filter 'check = "launches without GPU work"' "$PROFDIVE_SAMPLE" >"$T/rows" 2>/dev/null
ok "a filter by an English word in Chinese" test "$(wc -l <"$T/rows")" -ge 2
is "whose row is shown in Chinese" "$(grep -c 'launches without GPU work' "$T/rows")" 0
timeout 60 "$PROFDIVE" --no-cache print crosscheck --lang zh_CN --filter 'quantity = "median step period"' "$PROFDIVE_SAMPLE" >"$T/rows" 2>/dev/null
ok "the same of cross-checks" test "$(wc -l <"$T/rows")" -ge 2
done_testing
