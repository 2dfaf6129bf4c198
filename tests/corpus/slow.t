#!/bin/sh
# slow.t: the op table of real torch traces against a second, slow implementation of its definition (slow_ops.py), and the sums
# that must hold in every real profile (identities.py), windows all and steady.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/torch"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
if ! python3 -c 'import json, gzip, heapq' >/dev/null 2>&1; then
	skip_all "no python3"
fi
here=$top_srcdir/tests/corpus

# said FIRST-WORD-THAT-PASSES: each line of $T/out becomes a check
said()
{
	while read -r word what; do
		case $word in
		"$1") pass "$what" ;;
		left) diag "not read: $what" ;;
		*) fail "$word $what" ;;
		esac
	done <"$T/out"
}

# Traces below 1 MB on disk: the others take Python seconds each. The last is damaged: Python's reader refuses it.
find "$PROFDIVE_CORPUS/torch" -type f -name '*.json*' -size -1000k ! -path '*/pytorch-inductor-broken/*' | sort >"$T/traces"
xargs python3 "$here/slow_ops.py" "$PROFDIVE" <"$T/traces" >"$T/out" 2>"$T/err"
said agree
diag_file "$T/err"
ok "at least ten traces have ops, both windows compared" \
	test "$(grep '^agree' "$T/out" | grep -cv ', 0 ops')" -ge 20

find "$PROFDIVE_CORPUS/torch" "$PROFDIVE_CORPUS/nsys" -type f \( -name '*.json*' -o -name '*.sqlite' \) | sort >"$T/all"
xargs python3 "$here/identities.py" "$PROFDIVE" <"$T/all" >"$T/out" 2>"$T/err"
said holds
diag_file "$T/err"
ok "identities of at least 80 profiles, not $(grep -c ^holds "$T/out")" test "$(grep -c ^holds "$T/out")" -ge 80
done_testing
