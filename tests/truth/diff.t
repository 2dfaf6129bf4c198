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
"$PROFDIVE" diff "$T/a@steps:0-5" "$T/a@steps:6-11" >"$T/out" 2>&1
is "of six steps each" "$(grep -c '^\* \(before\|after\): 6 steps compared' "$T/out")" 2

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

# ---- kernel sequences and findings ----
# gpu FILE "KERNEL:US ..." LOADER_US: 12 steps of 10 ms; a loader of LOADER_US, then an op that launches these kernels one after the
# other (the first one 1 ms after the loader has ended), the last one lasts until 100 µs before the end of the step
gpu()
{
	awk -v list="$2" -v loader="$3" '
		function ev(cat, name, ts, dur, tid, args) {
			printf "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %d, \"dur\": %d, \"args\": {%s}}\n",
				n++ ? "," : "", cat, name, cat == "kernel" ? 0 : 1, tid, ts, dur, args
		}
		BEGIN {
			print "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"Test\"}], \"traceEvents\": ["
			k = split(list, part, " ")
			for (i = 0; i < 12; i++) {
				s = 1000 + i * 10000
				ev("user_annotation", "ProfilerStep#" i, s, 10000, 1, "")
				ev("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", s, loader, 1, "")
				ev("cpu_op", "aten::work", s + loader, 900, 1, "")
				t = s + loader + 1000
				for (j = 1; j <= k; j++) {
					split(part[j], x, ":")
					c++
					ev("cuda_runtime", "cudaLaunchKernel", s + loader + 10 * j, 5, 1, "\"correlation\": " c)
					d = j < k ? x[2] : s + 9900 - t
					ev("kernel", x[1], t, d, 7, "\"device\": 0, \"stream\": 7, \"correlation\": " c)
					t += d
				}
			}
			print "]}"
		}' >"$1"
}
mkdir "$T/g" "$T/h"
gpu "$T/g/x.pt.trace.json" "first:40 a:10 b:20 b:20 c:30 a:10 b:20 b:20 c:30 a:10 b:20 b:20 c:30 last:0" 2000
gpu "$T/h/x.pt.trace.json" "a:10 fused:25 c:30 a:10 fused:25 c:30 a:10 fused:25 c:30 new:50 last:0" 100
status "kernels that changed" 0 "$PROFDIVE" diff "$T/g" "$T/h" --format json
is "a kernel at the start is gone" "$(value sequence first change),$(value sequence first before_ns),$(value sequence first after_ns)" '"removed",40000,0'
is "one is new before the last" "$(value sequence new change),$(value sequence new after_count)" '"inserted",1'
is "two became one, in three layers: 3 times 40 µs" "$(value sequence 'b + b → fused' change),$(value sequence 'b + b → fused' before_ns)" '"replaced",120000'
is "3 times 25 µs" "$(value sequence 'b + b → fused' after_ns)" 75000
is "six kernels, then three" "$(value sequence 'b + b → fused' before_count),$(value sequence 'b + b → fused' after_count)" 6,3
ok "and says where" grep -q 'GPU 0, 3 times; first at kernel 3 of 14 before, 2 of 11 after, launched by aten::work' "$T/out"
is "what stays: a and c of three layers, and the last" "$(value sequence 'GPU 0 kernels in the same order' before_count)" 7
# 14 kernels from 2000 + 1000 to 9900, 11 from 100 + 1000 on
is "they sum to the kernels of the step" "$(sum sequence before_ns),$(sum sequence after_ns)" 6900000,8800000

# A loader of 2 ms in a step of 10 ms, the device idle; then one of 0.1 ms: 1 %
is "a finding is gone" "$(value finding dataloader-single-process change)" '"gone"'
# The device works until 100 µs before the step's end, so the loader's time is idle time; nothing jitters: the noise is that of the
# microseconds of the file, 2 values of variance (1000^2 / 6) by 12 a side, 22 degrees of freedom: sqrt(1e6/6/6) * 3.85 = 641.7
is "with its loss before" "$(value finding dataloader-single-process before_ns)" 2000000
is "and after, below its threshold" "$(value finding dataloader-single-process after_ns)" 100000
is "which is real" "$(value finding dataloader-single-process significant)" true
is "with a noise of rounding" "$(value finding dataloader-single-process noise_ns)" 642
ok "what decided is told" grep -q 'not found (loader_single_idle / window = 1.0 % (>=2%))' "$T/out"
status "the other way round" 0 "$PROFDIVE" diff "$T/h" "$T/g" --format json
is "it is new" "$(value finding dataloader-single-process change)" '"new"'
status "a regression of a finding" 5 "$PROFDIVE" diff "$T/h" "$T/g" --fail-on 'finding:dataloader-single-process>1ms'
ok "is named" grep -q 'regression: finding dataloader-single-process' "$T/err"
status "with itself" 0 "$PROFDIVE" diff "$T/g" "$T/g" --format csv --filter 'change != stayed and change != same and change != missing'
is "nothing is gone or new, in no sequence" "$(wc -l <"$T/out" | tr -d ' ')" 1
status "as a document" 0 "$PROFDIVE" diff "$T/g" "$T/h" -o "$T/gdoc"
ok "whose verdict tells what is gone" grep -q '^\* finding dataloader-single-process (gone): 2.00 ms → 100 µs (-1.90 ms), larger than' "$T/gdoc/07_comparison.md"
ok "with the findings" grep -q '^## Findings gone and new' "$T/gdoc/07_comparison.md"
ok "with the sequence" grep -q '| replaced | .*b + b → fused' "$T/gdoc/07_comparison.md"

# ---- slow steps of one side ----
# slow FILE STEPS SLOW MARK: steps of 1000 µs (and jitter of (i * 7) mod 5), those of the list SLOW of 3000; MARK: forward is marked
slow()
{
	awk -v n="$2" -v list=",$3," -v mark="$4" '
		function ev(cat, name, ts, dur) {
			printf "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": %d}\n",
				k++ ? "," : "", cat, name, ts, dur
		}
		BEGIN {
			print "{\"schemaVersion\": 1, \"traceEvents\": ["
			t = 1000
			for (i = 0; i < n; i++) {
				m = (index(list, "," i ",") ? 3000 : 1000) + (i * 7) % 5
				ev("user_annotation", "ProfilerStep#" i, t, m)
				ev("cpu_op", "aten::mm", t, m - 100)
				if (mark) ev("user_annotation", "## forward ##", t, 500)
				t += m
			}
			print "]}"
		}' >"$1"
}
for d in even two one many; do mkdir "$T/$d"; done
slow "$T/even/x.pt.trace.json" 12 "" ""
slow "$T/two/x.pt.trace.json" 12 5,8 ""
slow "$T/one/x.pt.trace.json" 12 5 ""
slow "$T/many/x.pt.trace.json" 200 31,61,91,121,151 ""
status "two slow steps after" 0 "$PROFDIVE" diff "$T/even" "$T/two" --format json
is "are told in the first row" "$(grep '"what"' "$T/out" | grep -m 1 '"what": "step"' | sed 's/.*"name": "\([^"]*\)".*"detail": "\([^"]*\)".*/\1: \2/')" \
	"median: slow steps: 0 of 12 before, 2 of 12 after"
is "the median stays" "$(value step median delta_ns)" 0
is "the mean has them: 2 x 2000 of 12" "$(value step mean delta_ns)" $((4000000 / 12))
is "which is more than the noise of the others" "$(value step mean significant)" true
is "the breakdown sums to it" "$(sum breakdown delta_ns)" "$(value step mean delta_ns)"
status "--fail-on the step looks at the mean" 5 "$PROFDIVE" diff "$T/even" "$T/two" --fail-on 'step>3%'
ok "which is named" grep -q 'regression: step mean' "$T/err"
status "not at more than it grew" 0 "$PROFDIVE" diff "$T/even" "$T/two" --fail-on 'step>34%'
status "not the other way round" 0 "$PROFDIVE" diff "$T/two" "$T/even" --fail-on 'step>0%'
status "one slow step may be chance" 0 "$PROFDIVE" diff "$T/even" "$T/one" --fail-on 'step>3%'
status "as a document" 0 "$PROFDIVE" diff "$T/even" "$T/two" -o "$T/slowdoc"
ok "whose first line tells them" grep -q '^\* step median: 1.00 ms → 1.00 ms (0), within the noise of .*; slow steps: 0 of 12 before, 2 of 12 after$' "$T/slowdoc/07_comparison.md"
# 200 steps: 1000 and 2 µs of jitter in the mean, and 5 of them 2000 longer; a sample of 64 of them would miss these
status "of 200 steps all count" 0 "$PROFDIVE" diff "$T/even" "$T/many" --format json
is "their mean" "$(value step mean after_ns)" $((1002000 + 5 * 2000000 / 200))
is "and the groups that sum to it" "$(sum breakdown after_ns),$(sum phase after_ns)" "$(value step mean after_ns),$(value step mean after_ns)"
is "ops have no less: all but 100 µs" "$(value op aten::mm after_ns)" $((902000 + 5 * 2000000 / 200))

# ---- what one side cannot tell, or does not have ----
mkdir "$T/marked"
slow "$T/marked/x.pt.trace.json" 12 "" 1
status "forward is marked after" 0 "$PROFDIVE" diff "$T/even" "$T/marked" --format json
is "it is not 0 before" "$(value phase forward before_ns),$(value phase forward after_ns),$(value phase forward delta_ns)" null,500000,null
is "but not known" "$(value phase forward change)" '"not known"'
mkdir "$T/g3" "$T/g2"
sed 's/"pid": 0,/"pid": 3,/; s/"device": 0/"device": 3/; s/"id": 0/"id": 3/' "$T/g/x.pt.trace.json" >"$T/g3/x.pt.trace.json"
status "the device has another number" 0 "$PROFDIVE" diff "$T/g" "$T/g3" --format json
is "it is the same device" "$(value gpu 'GPU 0 compute' delta_ns),$(value gpu 'GPU 0 compute' detail)" '0,"GPU 3 after"'
is "there is no other" "$(grep -c '"what": "gpu"' "$T/out"),$(grep -c '"change": "gone"\|"change": "new"' "$T/out")" 4,0
is "its kernels are aligned" "$(value sequence 'GPU 0 kernels in the same order' change)" '"same"'
# the last kernel of each step on a second device
awk '/"name": "last"/ { gsub(/"pid": 0,/, "\"pid\": 1,"); gsub(/"device": 0/, "\"device\": 1") } { print }' "$T/g/x.pt.trace.json" >"$T/g2/x.pt.trace.json"
status "one device more" 0 "$PROFDIVE" diff "$T/g" "$T/g2" --format json
is "is new" "$(value gpu 'GPU 1 compute' change)" '"new"'
status "one less" 0 "$PROFDIVE" diff "$T/g2" "$T/g" --format json
is "is gone" "$(value gpu 'GPU 1 compute' change)" '"gone"'
status "as a document" 0 "$PROFDIVE" diff "$T/a" "$T/c" -o "$T/gonedoc"
is "what is gone is no change to nothing" "$(grep -c '^\* .*→ 0' "$T/gonedoc/07_comparison.md"),$(grep -c '^\* op .aten::copy_.: gone, 50.00 µs' "$T/gonedoc/07_comparison.md")" 0,1

# ---- a run recorded by two tools: the device comes from the one that does not know its rank ----
if test -d "$PROFDIVE_SAMPLE"; then
	status "two steps of a run with two sources" 0 "$PROFDIVE" diff "$PROFDIVE_SAMPLE@step:1" "$PROFDIVE_SAMPLE@step:4" --format json
	for side in before after; do
		is "the device's states sum to the step $side" "$(sum gpu ${side}_ns)" "$(value step mean ${side}_ns)"
	done
	ok "kernels are compared" grep -q '"what": "kernel"' "$T/out"
	is "the same ones, in the same order" "$(grep -c '"what": "sequence"' "$T/out")" 1
fi

done_testing
