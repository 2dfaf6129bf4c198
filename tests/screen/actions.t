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

# What takes long and is the same in every table was done in every pane.
grep -vxE 'reload|report|cancel' actions >quick

# Each table of a pane on its own: those that "view N" shows, as long as the screen changes.
while read -r pane; do
	for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf '%s\nview %d\nsave-screen view-%s-%d\n' "$pane" $n "$pane" $n
	done
done <panes >script
status "the tables of every pane" 0 "$PROFDIVE" --script script --screen 120x20 "$PROFDIVE_SAMPLE"
while read -r pane; do
	n=1
	while test $n -lt 12 && ! cmp -s "view-$pane-$n" "view-$pane-$((n + 1))"; do
		n=$((n + 1))
		echo "$pane $n"
	done
done <panes >tables-of
ok "there are many" test "$(wc -l <tables-of)" -ge 30
while read -r pane n; do
	while read -r action; do
		printf '%s\nview %d\nkey Esc\nnote\n%s\nanswered\nkey Esc\n' "$pane" "$n" "$action"
	done <quick
done <tables-of >script
status "every action in every table" 0 "$PROFDIVE" --script script --screen 80x24 "$PROFDIVE_SAMPLE"
rm -rf profdive-*

# The row of each pane whole, and the comparison, which only two runs have.
grep -vxE 'detail|help' panes | while read -r pane; do
	while read -r action; do
		printf '%s\ndetail\nnote\n%s\nanswered\nkey Esc\n' "$pane" "$action"
	done <quick
done >script
status "every action over a detail" 0 "$PROFDIVE" --script script --screen 80x24 "$PROFDIVE_SAMPLE"
rm -rf profdive-*
grep -vx diff quick | while read -r action; do
	printf 'overview\ndiff\nexpect [Comparison]\nnote\n%s\nanswered\nkey Esc\n' "$action"
done >script
for size in 80x24 200x60; do
	status "every action in the comparison at $size" 0 "$PROFDIVE" diff "$PROFDIVE_SAMPLE@step:1" "$PROFDIVE_SAMPLE@step:4" --script script --screen $size
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
