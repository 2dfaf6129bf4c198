#!/bin/sh
# memory.t: memory snapshots of PyTorch: every expected figure, and who owned the live set at the peak and at the end
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/memory" || test ! -d "$PROFDIVE_CORPUS/expected/memory"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
command -v python3 >/dev/null 2>&1 || skip_all "needs python3"

timeout 300 python3 "$top_srcdir/tests/corpus/memory.py" "$PROFDIVE" "$PROFDIVE_CORPUS/memory" "$PROFDIVE_CORPUS/expected/memory" >"$T/out"
is "figures that differ" "$(grep -c '^differ ' "$T/out")" 0
grep '^differ ' "$T/out" | head -n 20 | sed 's/^/# /'
at_least()
{
	ok "$1: at least $2" test "$(sed -n "s/^$1 //p" "$T/out")" -ge "$2"
}
at_least snapshots 3
at_least figures 57
at_least owners-at-the-end 7
at_least owners-at-the-peak 31
at_least sums 27
done_testing
