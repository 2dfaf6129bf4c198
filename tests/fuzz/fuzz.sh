# fuzz.sh FUZZER...: each for FUZZ_SECONDS (60), one after the other, from its seeds on; `make fuzz`. What the fuzzers learn is
# kept in tests/fuzz/work/NAME of the build folder and used the next time, findings lie in tests/fuzz/findings. FUZZ_ONLY="gz ui"
# names those to run.
set -u
here=${srcdir:-.}/tests/fuzz
seconds=${FUZZ_SECONDS:-60}
findings=tests/fuzz/findings
mkdir -p "$findings"
bad=0

# Events of a generated run beside the seeds: too large to keep, worth to begin with.
more_seeds()
{
	case $1 in
	sqlite | trace) ;;
	shape) cp "$here"/seeds/trace/* "$work/" ;;
	*) return 0 ;;
	esac
	tests/gen/tracegen --kind overlap --out "$work/made" && mv "$work"/made/*.json "$work/" && rm -rf "$work/made"
}

for fuzzer in "$@"; do
	name=${fuzzer##*/fuzz_}
	case " ${FUZZ_ONLY:-$name} " in
	*" $name "*) ;;
	*) continue ;;
	esac
	if ! "$fuzzer" -help=1 2>&1 | grep -q libFuzzer; then
		echo "fuzz: $fuzzer is built without libFuzzer: configure with CC=clang --enable-fuzzing" >&2
		exit 2
	fi
	work=tests/fuzz/work/$name
	mkdir -p "$work"
	more_seeds "$name"
	dict=
	test ! -f "$here/$name.dict" || dict=-dict=$here/$name.dict
	test "$name" != shape || dict=-dict=$here/trace.dict
	ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} "$fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 \
		-max_len=16384 -print_final_stats=1 -artifact_prefix="$findings/$name-" $dict \
		"$work" "$here/seeds/$name" >"$findings/$name.log" 2>&1
	status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$findings/$name.log")
	if test "$status" -eq 0; then
		echo "fuzz: $name: ${runs:-?} executions, no finding"
	else
		echo "fuzz: $name: a finding after ${runs:-?} executions, see $findings/$name.log"
		bad=1
	fi
done
exit $bad
