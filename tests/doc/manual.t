#!/bin/sh
# Everything that has a name has an entry in the manual, every entry says something, and the words
# that completions offer are words that the program takes.
. "${srcdir:-.}/tests/lib/tap.sh"

doc=$top_srcdir/doc
"$PROFDIVE" help tables >"$T/tables" || exit 99
tab=$(printf '\t')

# missing KIND FIELD PAGE FORMAT: names of a kind that PAGE has no entry for
missing()
{
	awk -F"$tab" -v k="$1" -v f="$2" '$1 == k { print $f }' "$T/tables" | sort -u | while IFS= read -r name; do
		# shellcheck disable=SC2059 # the format is ours
		want=$(printf "$4" "$name" | sed 's/-/\\-/g')
		grep -qF -e "$want" "$doc/$3" || echo "$name"
	done
}

for kind in command option view column action line setting pane format known class level1; do
	ok "the program names some: $kind" grep -q "^$kind$tab" "$T/tables"
done
is "every command is in profdive(1)" "$(missing command 2 profdive.1 '\\fB%s\\fR')" ""
is "every option is in profdive(1)" "$(missing option 2 profdive.1 '\\fB--%s\\fR')" ""
is "every format is in profdive(1)" "$(missing format 2 profdive.1 '\\fB%s\\fR')" ""
is "every known format is in profdive(1)" "$(missing known 2 profdive.1 '\\fB%s\\fR')" ""
is "every format is in profdive-formats(7)" "$(missing format 2 profdive-formats.7 '\\fB%s\\fR')" ""
is "every known format is in profdive-formats(7)" "$(missing known 2 profdive-formats.7 '\\fB%s\\fR')" ""
is "every view is in profdive(1)" "$(missing view 2 profdive.1 '\\fB%s\\fR')" ""
is "every view is in profdive-views(7)" "$(missing view 2 profdive-views.7 '.SS %s')" ""
is "every column is in profdive-views(7)" "$(missing column 3 profdive-views.7 '\\fB%s\\fR (')" ""
is "every class is in profdive-views(7)" "$(missing class 2 profdive-views.7 '%s')" ""
is "every class is in profdive-rules(5)" "$(missing class 2 profdive-rules.5 '%s')" ""
is "every pane is in profdive-keys(7)" "$(missing pane 2 profdive-keys.7 '\\fB%s\\fR')" ""
is "every setting is in profdive-keys(7)" "$(missing setting 2 profdive-keys.7 '\\fB%s\\fR (')" ""
is "every action is in profdive-keys(7)" "$(missing action 2 profdive-keys.7 '\\fI:%s\\fR')" ""
is "a name that is not there is found" "$(printf 'view\tnowhere\n' >"$T/one"; cp "$T/tables" "$T/all"; cp "$T/one" "$T/tables"
	missing view 2 profdive.1 '\\fB%s\\fR'; cp "$T/all" "$T/tables")" nowhere

# Commands after ":" are described by hand, those of scripts without the colon.
awk -F"$tab" '$1 == "line" { print $2 }' "$T/tables" | sed 's/-/\\\\-/g' | while IFS= read -r name; do
	grep -qE "^\.B :?$name |fB$name " "$doc/profdive-keys.7" || echo "$name"
done >"$T/lines"
is "every command after a colon is in profdive-keys(7)" "$(cat "$T/lines")" ""

# What the reader of rule files knows, as its tables have it.
grep -oE '\{"[a-z0-9-]+", *(set_|RULE_)' "$top_srcdir/src/rules/rule_file.c" | sed 's/^{"//; s/".*//' >"$T/keys"
sed -n '/table_names\[TABLE_N\]/,/};/p' "$top_srcdir/src/rules/rule_file.c" | grep -oE '"[a-z]+"' | tr -d '"' >"$T/rule_tables"
ok "the reader of rules has keys" test "$(wc -l <"$T/keys")" -ge 18
ok "and tables" test "$(wc -l <"$T/rule_tables")" -ge 7
is "every key and flag of a rule is in profdive-rules(5)" "$(sed 's/-/\\\\-/g' "$T/keys" | while IFS= read -r key; do
	grep -qE "^\.[BR]+ (.*[^a-z])?$key([^a-z]|\$)" "$doc/profdive-rules.5" || echo "$key"; done)" ""
is "every table of rules is in profdive-rules(5)" "$(while IFS= read -r name; do
	grep -qx ".SS $name" "$doc/profdive-rules.5" || echo "$name"; done <"$T/rule_tables")" ""

# Texts: the last field of each kind that has one
is "every name has a text" "$(awk -F"$tab" '/^(command|option|format|known|view|column|pane|action|setting)\t/ && $NF == "" { print $2, $3 }' \
	"$T/tables")" ""
is "every record has all its fields" "$(awk -F"$tab" 'BEGIN { n["command"] = 4; n["option"] = 7; n["format"] = n["known"] = 3
	n["view"] = n["pane"] = 4; n["column"] = 6; n["action"] = 5; n["setting"] = 4; n["class"] = n["level1"] = n["line"] = 2 }
	NF != n[$1] { print NR ": " $0 }' "$T/tables")" ""
is "no view has two columns of one name" "$(awk -F"$tab" '$1 == "column" { print $2, $3 }' "$T/tables" | sort | uniq -d)" ""
is "no two actions have one name" "$(awk -F"$tab" '$1 == "action" { print $2 }' "$T/tables" | sort | uniq -d)" ""
is "no two actions have one key" "$(awk -F"$tab" '$1 == "action" { n = split($4, k, " "); for (i = 1; i <= n; i++) print k[i] }' \
	"$T/tables" | sort | uniq -d)" ""

# Words of options: each is taken, and a word that is none is not.
cd "$T" || exit 99
awk -F"$tab" '$1 == "option" && $6 != "" { n = split($6, w, " "); for (i = 1; i <= n; i++) print $2, w[i] }' "$T/tables" >"$T/words"
ok "there are words" test "$(wc -l <"$T/words")" -ge 20
while read -r option word; do
	case $option:$word in
	window:step:) word=step:1 ;;
	window:steps:) word=steps:1-2 ;;
	window:time:) word=time:0ms..1ms ;;
	partition:*:) word=${word}0 ;;
	esac
	status "--$option $word is taken" 0 "$PROFDIVE" print steps --"$option" "$word" "$PROFDIVE_SAMPLE/train.sqlite"
done <"$T/words"
for option in window by partition format color lang; do
	status "--$option nonsense is not" 2 "$PROFDIVE" print steps --$option nonsense "$PROFDIVE_SAMPLE/train.sqlite"
done

# The pages are well formed, where there is a tool that can tell.
for page in "$doc"/*.[1-8]; do
	name=${page##*/}
	if command -v groff >/dev/null; then
		is "$name: no warning of groff" "$(groff -man -Tutf8 -ww -z "$page" 2>&1 | head -n 5)" ""
	else
		skip "$name: no warning of groff" "needs groff"
	fi
	is "$name: no line is empty outside examples" "$(awk '/^\.EX/ { on = 1 } /^\.EE/ { on = 0 } /^$/ && !on { print NR }' "$page")" ""
	is "$name: ASCII only" "$(LC_ALL=C tr -d '\t\n -~' <"$page")" ""
done

done_testing
