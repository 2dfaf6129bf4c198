#!/bin/sh
# forward.t - inferred forward of every step against expected/forward.tsv, which a separate program made; and backward with recompute of a
# run on the CPU, and its recompute, against the sampler that ran beside it.
. "${srcdir:-.}/tests/lib/tap.sh"

expected=$PROFDIVE_CORPUS/expected/forward.tsv
test -n "$PROFDIVE_CORPUS" && test -f "$expected" || skip_all "no corpus"

# steps TRACE COLUMN...: one line per step
steps()
{
	trace=$1
	shift
	"$PROFDIVE" --no-cache print steps --window all --format csv "$trace" 2>"$T/err" |
		awk -F, -v cols="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ n = split(cols, c, " "); for (i = 1; i <= n; i++) printf("%s%s", (i > 1) ? " " : "", ($at[c[i]] == "") ? "?" : $at[c[i]]); print "" }'
}

tail -n +2 "$expected" | cut -f 1 | sort -u >"$T/traces"
same=0
while IFS= read -r trace; do
	# a step in which markers show forward is left to them
	steps "$PROFDIVE_CORPUS/$trace" step forward_ns forward_by | sed -n 's/ inferred$//p' | grep -v ' 0$' | sort >"$T/got"
	awk -F '\t' -v t="$trace" '$1 == t { print $2, $4 }' "$expected" | sort >"$T/want"
	test -s "$T/got" || continue
	is "$trace" "$(comm -23 "$T/got" "$T/want" | head -n 3)" ""
	same=$((same + $(comm -12 "$T/got" "$T/want" | wc -l)))
done <"$T/traces"
ok "steps that are the same: $same" test "$same" -ge 35

# backward and recompute per step of w0 by the session that was recorded beside it, ms
steps "$PROFDIVE_CORPUS/runs-2026/w0.pt.trace.json.gz" step backward_ns recompute_ns >"$T/w0"
awk 'BEGIN { n = split("467.0 379.3 350.3 420.9 385.8 401.1", want, " ") }
	$1 >= 2 && $1 <= 7 { d = ($2 + $3) / 1e6 - want[$1 - 1]; if (d < -1 || d > 1) print $1, d; seen++ }
	END { if (seen != n) print "steps", seen }' "$T/w0" >"$T/out"
is "w0: backward with recompute within 1 ms of the session" "$(cat "$T/out")" ""
is "checkpoint: recompute is the union of its unpack_hook frames" \
	"$(steps "$PROFDIVE_CORPUS/runs-2026/checkpoint.pt.trace.json.gz" recompute_ns | awk '{ s += $1 } END { printf "%.3f", s / 1e6 }')" 877.643
done_testing
