#!/bin/sh
# findings.t - measures of data/findings.rules: every one is used by a rule, and every pattern over Python frames is an operation that
# data/frames.rules names, so that none waits for a name that never comes.
. "${srcdir:-.}/tests/lib/tap.sh"

rules=$top_srcdir/data/findings.rules

grep -v '^metric ' "$rules" >"$T/rest"
sed -n 's/^metric \([a-z0-9_]*\) .*/\1/p' "$rules" | while read -r name; do
	grep -qw "$name" "$T/rest" || echo "$name"
done >"$T/unused"
is "every measure is used" "$(cat "$T/unused")" ""

sed -n 's/^  level2 //p' "$top_srcdir/data/frames.rules" | sort -u >"$T/names"
ok "the operations of frames" test -s "$T/names"
sed -n 's/^metric \([a-z0-9_]*\) frames\.[a-z]* \(.*\)/\1|\2/p' "$rules" |
awk -F '|' '{ for (i = 2; i <= NF; i++) { gsub(/^ | $/, "", $i); print $i } }' | sort -u >"$T/patterns"
while IFS= read -r pattern; do
	hit=no
	while IFS= read -r name; do
		# shellcheck disable=SC2254
		case $name in $pattern) hit=yes; break ;; esac
	done <"$T/names"
	is "frames: $pattern" "$hit" yes
done <"$T/patterns"
done_testing
