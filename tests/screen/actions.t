#!/bin/sh
# Every action in every pane, by name: nothing crashes, and each changes the screen or says why not. Help shows the keys that are
# bound. Both scripts are made of the program's own table of actions.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99
tab=$(printf '\t')
"$PROFDIVE" help tables >tables || exit 99
awk -F"$tab" '$1 == "pane" { print $2 }' tables >panes
# those that leave the program, and those of which the screen of a script shows nothing
awk -F"$tab" '$1 == "action" { print $2 }' tables | grep -vxE 'quit|back|escape|suspend|redraw' >actions
ok "there are panes" test "$(wc -l <panes)" -ge 13
ok "and actions" test "$(wc -l <actions)" -ge 70

# One after the other, from a fresh place each: Esc closes what asks, the pane is shown again before the next.
while read -r pane; do
	while read -r action; do
		printf '%s\nkey Esc\n%s\nnote\n%s\nanswered\nkey Esc\n' "$pane" "$pane" "$action"
	done <actions
done <panes >script
for size in 80x24 200x60 20x6; do
	status "every action in every pane at $size" 0 "$PROFDIVE" --script script --screen $size "$PROFDIVE_SAMPLE"
	rm -rf profdive-*
done

# The help of each pane on a screen that holds it: every action that works there stands in it with all its keys.
while read -r pane; do
	printf '%s\nhelp\nsave-screen help-%s\nkey q\n' "$pane" "$pane"
done <panes >script
status "the help of every pane" 0 "$PROFDIVE" --script script --screen 160x150 "$PROFDIVE_SAMPLE"
awk -F"$tab" '$1 == "action" { print $2 "\t" $3 "\t" $4 }' tables >bound
while read -r pane; do
	if test "$pane" = help; then
		continue
	fi
	while IFS="$tab" read -r action where bound_to; do
		grep -q " :$action  *[^ ]" "help-$pane" || { test "$where" = all && echo "$pane: $action is missing"; continue; }
		line=$(sed -n "s/ :$action  *[^ ].*//p" "help-$pane" | sed 's/^ *//; s/ *$//')
		test "$line" = "$bound_to" || echo "$pane: $action has \"$line\", bound is \"$bound_to\""
	done <bound
done <panes >wrong
is "help shows what is bound" "$(cat wrong)" ""

cat >script <<-EOF
	map B next-view
	map t none
	kernels
	help
	save-screen mapped
EOF
status "a key is mapped" 0 "$PROFDIVE" --script script --screen 160x150 "$PROFDIVE_SAMPLE"
is "and the help shows the new one only" "$(grep ' :next-view ' mapped | sed 's/ :.*//; s/ //g')" B

done_testing
