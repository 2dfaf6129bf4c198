#!/bin/sh
# ncu.t: reports of Nsight Compute say what NVIDIA's own reader printed of them: every metric, every line of the sections, every rule,
# every figure of an instruction; and what is derived from them holds.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/ncu/rep" || test ! -d "$PROFDIVE_CORPUS/expected/ncu"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
command -v python3 >/dev/null 2>&1 || skip_all "needs python3"

python3 "$top_srcdir/tests/corpus/ncu.py" "$PROFDIVE" "$PROFDIVE_CORPUS/ncu/rep" "$PROFDIVE_CORPUS/expected/ncu" >"$T/out"
is "cells that differ" "$(grep -c '^differ ' "$T/out")" 0
grep '^differ ' "$T/out" | head -n 20 | sed 's/^/# /'
at_least()
{
	ok "$1: at least $2" test "$(sed -n "s/^$1 //p" "$T/out")" -ge "$2"
}
at_least reports 9
at_least launches 44
at_least metrics 15261
at_least units 15000
at_least lines 2506
at_least rules 126
at_least instruction-cells 78800
at_least sums-of-stalls 6
at_least limiters 42
at_least occupancies 84
at_least cells-of-roofs 48
at_least cells-of-raw-pages 15261
at_least launches-of-pages 44
at_least lines-of-details-pages 2506

# real pages, with scaled units and thousands; one that holds nothing but errors
page=$PROFDIVE_CORPUS/ncu/csv/dsocr_k0001.details.csv
if test -f "$page"; then
	"$PROFDIVE" --no-cache print ncumetrics --format csv "$page" >"$T/metrics" 2>/dev/null
	is "Mbyte become bytes" "$(grep '^0,dram__bytes_read.sum,' "$T/metrics" | cut -d, -f3,4)" "byte,2330000"
	is "n/a has no value" "$(grep '^0,flop_count_hp.sum,' "$T/metrics" | cut -d, -f4)" ""
fi
page=$PROFDIVE_CORPUS/ncu/csv/dsocr_error_only.csv
if test -f "$page"; then
	"$PROFDIVE" --no-cache print ncu "$page" >"$T/out" 2>&1
	ok "a file of errors says its error" grep -q "did not match any section" "$T/out"
fi
done_testing
