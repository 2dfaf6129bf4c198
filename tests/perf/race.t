#!/bin/sh
# race.t: the contenders of the bench read the same. Sums over a generated trace as profdive's profile has them, as the generator's
# truth has them, and as every peer that is installed prints them; the class scan in each way; the bare step over a database.
. "${srcdir:-.}/tests/lib/tap.sh"

bench=$top_builddir/tests/perf/bench

# word KEY FILE: the value behind " KEY="
word()
{
	sed -n "s/.* $1=\([^ ]*\).*/\1/p" "$2"
}

"$TRACEGEN" --kind bench --events 6000 --out "$T/torch"
trace=$T/torch/bench.pt.trace.json
truth=$T/torch/truth.json
"$bench" load "$trace" >"$T/load" || fail "bench load"

is "events of the trace" "$(word events "$T/load")" "$(sed -n 's/.*"trace_events": \([0-9]*\).*/\1/p' "$truth")"
# "events": {"cpu_op": 2000, …}: all of them but the flows are spans
is "spans" "$(word spans "$T/load")" \
	"$(sed -n 's/^ "events": {\(.*\)},$/\1/p' "$truth" | tr ',' '\n' | grep -v ac2g | awk '{ n += $2 } END { print n }')"
# the sums, from the text as it is written: one event per four lines, "name": "…" without escapes, "dur": us.ddd
tr -d '\n' <"$trace" | sed 's/},[ ]*{/}\n{/g' | grep '"ph": "X"' >"$T/spans"
is "bytes of all names" "$(word name_bytes "$T/load")" \
	"$(sed 's/.*"cat": "[^"]*", "name": "\([^"]*\)".*/\1/' "$T/spans" | awk '{ n += length($0) } END { print n }')"
is "all durations" "$(word dur_ns "$T/load")" \
	"$(sed 's/.*"dur": \([0-9]*\)\.\([0-9]*\).*/\1\2/' "$T/spans" | awk '{ n += $1 } END { printf "%.0f\n", n }')"

"$bench" scan --with plain "$trace" >"$T/scan.plain"
is "the scan counts brackets outside strings" "$(word brackets "$T/scan.plain")" \
	"$(sed 's/"[^"]*"//g' "$trace" | tr -dc '[]{}' | wc -c)"
for way in avx2 sse2; do
	if "$bench" scan --with $way "$trace" >"$T/scan" 2>/dev/null; then
		is "the same with $way" "$(word brackets "$T/scan")" "$(word brackets "$T/scan.plain")"
		printf '{"a\\\\":"[\\"{","b":"\\\\\\"]%070d"}\n' 0 >"$T/escapes"
		is "escapes with $way" "$("$bench" scan --with $way "$T/escapes" | sed 's/.*brackets=//')" 2
	else
		skip "the same with $way" "this processor cannot do it"
		skip "escapes with $way" "this processor cannot do it"
	fi
done

# Peers need their libraries and, with a sanitizer's flags in $CC, a plain compiler: what does not compile is left out.
sh "$top_srcdir/tests/perf/peers/build.sh" "$top_builddir/tests/perf/data/peers" >"$T/names" 2>"$T/missing"
diag_file "$T/missing"
tab=$(printf '\t')
while IFS=$tab read -r name command; do
	printf '%s\t-\t%s\n' profdive "$bench load '$trace'" "$name" "$command '$trace'" >"$T/jobs"
	status "$name reads the same" 0 sh -c "'$bench' race --rounds 1 1 <'$T/jobs'"
done <"$T/names"
printf '%s\t-\t%s\n' profdive "$bench load '$trace'" other "$bench load '$trace' | sed 's/spans=/&1/'" >"$T/jobs"
status "who reads something else fails" 1 sh -c "'$bench' race --rounds 1 1 <'$T/jobs'"
is "and is void" "$(grep -c 'other | void: spans' "$T/out")" 1

"$TRACEGEN" --kind bench-nsys --events 500 --out "$T/nsys"
"$bench" load "$T/nsys/bench.sqlite" >"$T/load"
"$bench" step "$T/nsys/bench.sqlite" >"$T/step"
is "500 kernels, 1000 calls, 125 copies, 500 ranges" "$(word events "$T/load")" 2125
is "the bare step sees the same rows" "$(word events "$T/step")" 2125


# each leaves its letter: six rounds, the one that does not count among them
for letter in a b c; do
	printf '%s\t-\t%s\n' $letter "printf $letter >>'$T/order'; echo ' seconds=1'"
done >"$T/jobs"
status "three in six rounds" 0 sh -c "'$bench' race --rounds 5 1 <'$T/jobs'"
fold -w 3 "$T/order" >"$T/rounds"
is "each once in a round" "$(grep -c a "$T/rounds") $(grep -c b "$T/rounds") $(grep -c c "$T/rounds")" "6 6 6"
ok "and not in one order" test "$(sort -u "$T/rounds" | wc -l)" -gt 2

done_testing
