#!/bin/sh
# bench.sh [FILE...]: the bench on a generated trace of EVENTS events (10^6) and a generated database, and on the largest real
# files where the corpus is there; or on the given files. ROUNDS (5) rounds. From `make bench`, or by hand in the source tree.
set -eu
. "${srcdir:-.}/tests/lib/env.sh"
: "${EVENTS:=1000000}" "${ROUNDS:=5}"
bench=$top_builddir/tests/perf/bench
data=$top_builddir/tests/perf/data

# generate FOLDER OPTION...: kept between runs; the same options give the same bytes
generate()
{
	test -f "$1/done" || {
		rm -rf "$1" && mkdir -p "$1"
		"$TRACEGEN" --out "$@" && : >"$1/done"
	}
}

if test $# -eq 0; then
	generate "$data/trace-$EVENTS" --kind bench --events "$EVENTS"
	generate "$data/run-10" --kind run --seed 1 --scale 10
	set -- "$data/trace-$EVENTS/bench.pt.trace.json" "$data/run-10/rank0.pt.trace.json" "$data/run-10/train.sqlite"
	for file in torch/hta-df-index/df_index_resolver.json.gz torch/hta-mtia/mtia_rank_0.json.gz \
		nsys/fastvideo-train/mfu_2gpu_before.sqlite; do
		test ! -f "$PROFDIVE_CORPUS/$file" || set -- "$@" "$PROFDIVE_CORPUS/$file"
	done
fi
if command -v sha256sum >/dev/null; then
	for file; do
		printf '# %s %s bytes, sha256 %.16s\n' "${file##*/}" "$(wc -c <"$file")" "$(sha256sum <"$file")"
	done
fi
exec "$bench" --rounds "$ROUNDS" "$@"
