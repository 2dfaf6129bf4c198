#!/bin/sh
# replay.t: every seed of every fuzzer, one at a time, so that a failure names its file.
. "${srcdir:-.}/tests/lib/tap.sh"

seeds=$top_srcdir/tests/fuzz/seeds
for dir in "$seeds"/*; do
	name=${dir##*/}
	fuzzer=$top_builddir/tests/fuzz/fuzz_$name
	ok "$name: there is a fuzzer" test -x "$fuzzer" || continue
	if "$fuzzer" "$dir"/* >"$T/out" 2>&1; then
		pass "$name: $(find "$dir" -type f | wc -l | tr -d ' ') seeds"
		continue
	fi
	for seed in "$dir"/*; do
		ok "$name: ${seed##*/}" "$fuzzer" "$seed"
	done
done
ok "shape: the seeds of trace, too" "$top_builddir/tests/fuzz/fuzz_shape" "$seeds"/trace/*
done_testing
