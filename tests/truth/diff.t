#!/bin/sh
# diff.t - profdive diff on traces that are written here, so that every figure is known: 12 steps of
# three ops one after the other; the jitter of step i is (i * 7) mod 5 µs in aten::mm.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace FILE MM_US COPY_US: ProfilerStep#0..11, in each aten::mm (MM_US and jitter), aten::add (300 µs),
# aten::copy_ (COPY_US), 100 µs of nothing
trace()
{
	awk -v mm="$2" -v copy="$3" '
		function ev(cat, name, ts, dur) {
			printf "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": %d}\n",
				n++ ? "," : "", cat, name, ts, dur
		}
		BEGIN {
			print "{\"schemaVersion\": 1, \"traceEvents\": ["
			t = 1000
			for (i = 0; i < 12; i++) {
				m = mm + (i * 7) % 5
				s = t
				ev("cpu_op", "aten::mm", t, m); t += m
				ev("cpu_op", "aten::add", t, 300); t += 300
				if (copy) { ev("cpu_op", "aten::copy_", t, copy); t += copy }
				t += 100
				ev("user_annotation", "ProfilerStep#" i, s, t - s)
			}
			print "]}"
		}' >"$1"
}
mkdir "$T/a" "$T/b" "$T/c"
trace "$T/a/x.pt.trace.json" 1000 50
trace "$T/b/x.pt.trace.json" 1050 50
trace "$T/c/x.pt.trace.json" 1000 0

# value WHAT NAME FIELD: from the JSON of the last diff (one row a line)
value() { grep -F "\"what\": \"$1\", \"name\": \"$2\"," "$T/out" | sed -n "s/.*\"$3\": *\\([^,}]*\\).*/\\1/p"; }
# sum WHAT FIELD
sum() { grep -F "\"what\": \"$1\"" "$T/out" | sed -n "s/.*\"$2\": *\\(-\\{0,1\\}[0-9]*\\).*/\\1/p" | awk '{ s += $1 } END { printf "%.0f", s }'; }

status "5 % more in one op" 0 "$PROFDIVE" diff "$T/a" "$T/b" --format json
is "the op before: 1000 µs, and 22 µs of jitter in 12 steps" \
	"$(value op aten::mm before_ns)" $((1000000 + 22000 / 12))
is "after" "$(value op aten::mm after_ns)" $((1050000 + 22000 / 12))
is "the change" "$(value op aten::mm delta_ns)" 50000
is "is real" "$(value op aten::mm significant)" true
is "the other op did not change" "$(value op aten::add delta_ns)" 0
is "the median step: 1450 µs and 2 µs" "$(value step median before_ns)" 1452000
is "grew by as much" "$(value step median delta_ns)" 50000
is "which is real" "$(value step median significant)" true
is "the phases sum to the mean step" "$(sum phase before_ns)" "$(value step mean before_ns)"
is "their changes to its change" "$(sum phase delta_ns)" "$(value step mean delta_ns)"
is "the breakdown sums to the mean step" "$(sum breakdown after_ns)" "$(value step mean after_ns)"
is "its changes to its change" "$(sum breakdown delta_ns)" "$(value step mean delta_ns)"

status "--fail-on what grew" 5 "$PROFDIVE" diff "$T/a" "$T/b" --fail-on 'op:aten::mm>4%'
ok "names it" grep -q 'regression: op aten::mm' "$T/err"
status "--fail-on more than that" 0 "$PROFDIVE" diff "$T/a" "$T/b" --fail-on 'op>6%,step>3.5%'
status "--fail-on the step" 5 "$PROFDIVE" diff "$T/a" "$T/b" --fail-on 'step>3%'
status "the other way round nothing grew" 0 "$PROFDIVE" diff "$T/b" "$T/a" --fail-on 'step>0%,op>0%'

status "a run with itself" 0 "$PROFDIVE" diff "$T/a" "$T/a" --format csv --filter 'delta_ns != 0'
is "has no change" "$(wc -l <"$T/out" | tr -d ' ')" 1
status "two halves of one run" 0 "$PROFDIVE" diff "$T/a@steps:0-5" "$T/a@steps:6-11" --format csv --filter 'significant = true'
is "have no real change" "$(wc -l <"$T/out" | tr -d ' ')" 1
ok "of six steps each" grep -q . "$T/out"

status "an op less" 0 "$PROFDIVE" diff "$T/a" "$T/c" --format json
is "is gone" "$(value op aten::copy_ change)" '"gone"'
is "and was 50 µs" "$(value op aten::copy_ delta_ns)" -50000
is "once a step" "$(value op aten::copy_ before_count)" 1

# Step against step of one run: step 5 has 0 µs of jitter ((5 * 7) mod 5), step 2 has 4
status "a step with another" 0 "$PROFDIVE" diff "$T/a@step:5" "$T/a@step:2" --format json
is "4 µs longer" "$(value step median delta_ns)" 4000
is "exact, without an estimate of noise" "$(value step median noise_ns)" null
is "and without a verdict" "$(value step median significant)" null

status "as a document" 0 "$PROFDIVE" diff "$T/a" "$T/b" -o "$T/doc"
ok "with the change of the step" grep -q '^\* step median: 1.45 ms → 1.50 ms (50.00 µs), larger than the noise of' "$T/doc/07_comparison.md"
ok "and the op" grep -q '^\* op aten::mm: 1.00 ms → 1.05 ms' "$T/doc/07_comparison.md"

done_testing
