#!/bin/sh
# work.t: how much work loading is, by counts that do not depend on the clock: the file is read once, nothing is allocated per
# event, the columns are as wide as they are meant to be. `bench --work` counts; `make bench` measures time.
. "${srcdir:-.}/tests/lib/tap.sh"

bench=$top_builddir/tests/perf/bench

# count FILE: sets events size read allocations columns resident sanitized
count()
{
	"$bench" --work "$1" >"$T/work" || fail "bench --work $1"
	read -r _ events _ size _ read _ allocations _ columns _ resident _ sanitized _ indexed <"$T/work"
	diag "${1##*/}: $(cat "$T/work")"
}

# holds NAME: the checks that hold for any file of many events
holds()
{
	# The probe reads the head; the loader maps a plain file, or reads everything once.
	ok "$1: the file is read at most once" test "$read" -le "$((size + 2 * 1024 * 1024))"
	ok "$1: no allocation per event" test "$allocations" -lt "$((events / 50))"
	# start, dur, self, name, parent, link, aux: 40 bytes; a launch index, details of copies and kernels
	ok "$1: at most 44 bytes of columns per event" test "$columns" -le "$((events * 44))" -a "$columns" -ge "$((events * 40))"
}

for n in 60000 240000; do
	mkdir "$T/$n"
	"$TRACEGEN" --kind bench --events "$n" --out "$T/$n"
	count "$T/$n/bench.pt.trace.json"
	holds "trace of $n"
	# "events": {"cpu_op": 20000, …, "ac2g": 20000, …}: all but the flows, and the mark at the end of the trace
	want=$(sed -n 's/^ "events": {\(.*\)},$/\1/p' "$T/$n/truth.json" | tr ',' '\n' | grep -v ac2g |
		awk '{ n += $2 } END { print n + 1 }')
	is "trace of $n: every event but the flows is there" "$events" "$want"
	test "$n" -ne 60000 || few=$allocations few_events=$events few_indexed=$indexed
done
ok "four times the events, not twice the allocations" test "$allocations" -lt "$((2 * few))"
# Freed memory is given back: what stays is the columns and the strings. (A sanitizer keeps what was freed.)
if test "$sanitized" -eq 0; then
	ok "trace of 240000: at most 60 bytes of memory per event" test "$resident" -le "$((events * 60))"
	# facts, rows for drawing (10 bytes), sums of ops by name (3 per op), numbers of autograd (24 per op that has one); without the
	# rules, which every session has once
	ok "an event more: at most 80 with facts and all indexes" test "$((indexed - few_indexed))" -le "$(((events - few_events) * 80))"
else
	skip "memory per event" "built with a sanitizer"
	skip "memory per event with indexes" "built with a sanitizer"
fi

count "$PROFDIVE_SAMPLE/rank0.pt.trace.json"
holds "sample trace"
count "$PROFDIVE_SAMPLE/train.sqlite"
ok "sample database: no allocation per event" test "$allocations" -lt "$((events / 20))"
done_testing
