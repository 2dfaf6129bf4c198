#!/bin/sh
# ranks.t: eight ranks of a host, whose clocks agree to a microsecond or two: `ranks` and `skew` say what the raw times say.
# And two ranks with samples of their collectives: what is matched ends together.
. "${srcdir:-.}/tests/lib/tap.sh"

dlrm=$PROFDIVE_CORPUS/torch/param-dlrm-8rank
samples=$PROFDIVE_CORPUS/torch/hta-trace-filter
test -n "$PROFDIVE_CORPUS" && test -d "$dlrm" && test -d "$samples" || skip_all "no corpus (PROFDIVE_CORPUS)"
command -v python3 >/dev/null 2>&1 || skip_all "needs python3"

python3 "$top_srcdir/tests/corpus/ranks.py" "$dlrm"/*.json >"$T/want"
cols() { "$PROFDIVE" print "$@" --format csv | tr -d '\r'; }

# take FILE COLUMN...: these columns of a CSV whose cells hold no comma
take()
{
	file=$1
	shift
	awk -F, -v want="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, w, " "); next }
		{ for (i = 1; i <= n; i++) printf("%s%s", $at[w[i]], (i < n) ? " " : "\n") }' "$file"
}

cols ranks "$dlrm" >"$T/ranks.csv"
take "$T/ranks.csv" rank kernel_ns wait_ns transfer_ns >"$T/ranks"
is "eight ranks" "$(wc -l <"$T/ranks" | tr -d ' ')" 8
is "kernels are waits and transfers, to the ns" "$(awk '$2 != $3 + $4' "$T/ranks")" ""
is "kernels of each rank" "$(cut -d' ' -f1,2 "$T/ranks")" "$(sed -n 's/^rank //p' "$T/want" | cut -d' ' -f1,2)"
# eight collectives, and a clock that moves by up to 2 us in each
sed -n 's/^rank //p' "$T/want" | paste -d' ' "$T/ranks" - >"$T/both"
is "waits of each rank within 16 us" "$(awk '{ d = $3 - $7 } d > 16000 || d < -16000' "$T/both")" ""

cols skew "$dlrm" >"$T/skew.csv"
take "$T/skew.csv" last_rank skew_ns >"$T/skew"
is "who comes last in each collective" "$(cut -d' ' -f1 "$T/skew" | tr '\n' ' ')" "$(sed -n 's/^collective //p' "$T/want" | cut -d' ' -f2 | tr '\n' ' ')"
sed -n 's/^collective //p' "$T/want" | paste -d' ' "$T/skew" - >"$T/both"
is "skew within 3 us" "$(awk '{ d = $2 - $5 } d > 3000 || d < -3000' "$T/both")" ""
is "rank 7 is the first straggler" "$(cols stragglers "$dlrm" | sed -n 2p | cut -d, -f1)" 7

cols skew "$samples" >"$T/samples.csv"
take "$T/samples.csv" matched_by ranks clock_unc_ns >"$T/samples"
ok "some of the sampled collectives are matched" test "$(wc -l <"$T/samples")" -gt 0
is "by two ranks, whose ends are within 0.3 ms" "$(awk '$2 != 2 || $3 > 300000' "$T/samples")" ""
done_testing
