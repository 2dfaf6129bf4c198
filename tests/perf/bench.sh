#!/bin/sh
# bench.sh TARGET [FILE...]: what `make TARGET` measures. From make, or by hand in the build folder with srcdir set.
#
#   bench            load, 100 MB: profdive against the peers that are installed (tools/install-bench-deps) and against the class scan.
#                    Or the given trace, of any size. Below 3 minutes
#   bench-big        the same with 1 GB; cJSON and Python take 8 GB of memory and minutes there: only with SLOW=1
#   bench-ir         instructions per byte (valgrind), 10 MB: exact, a gate. IR_MAX (5.2): fails above it
#   bench-sqlite     a database of KERNELS (2,000,000) kernels and twice as many calls, against the same columns read and dropped, by one worker and by two
#   bench-aggregate  tables of a window, EVENTS (10,000,000) events
#   bench-draw       frames of the timeline, EVENTS (10,000,000) events
#   bench-flame      the views of Python stacks, 10^6 samples of stacks 500 deep
#   bench-reopen     the second opening of a trace of EVENTS (1,000,000) events against the first, if there is a cache
#   bench-files      a table of the given files, or of a few generated ones
#   bench-doc        doc/benchmarks.md out of what the last run of each of these found
#
# ROUNDS (5). Generated files are kept in tests/perf/data of the build folder; the same options give the same bytes.
set -eu
. "${srcdir:-.}/tests/lib/env.sh"
target=$1
shift
: "${ROUNDS:=5}" "${KERNELS:=2000000}" "${IR_MAX:=5.2}" "${SLOW:=}"
bench=$top_builddir/tests/perf/bench
here=$top_srcdir/tests/perf
data=$top_builddir/tests/perf/data
results=$data/results
tab=$(printf '\t')
mkdir -p "$results"

# generate FOLDER OPTION...
generate()
{
	test -f "$1/done" || {
		rm -rf "$1" && mkdir -p "$1"
		"$TRACEGEN" --out "$@" && : >"$1/done"
	}
}

# trace EVENTS: a generated trace of so many events, about 250 bytes each, in $file
trace()
{
	generate "$data/trace-$1" --kind bench --events "$1"
	file=$data/trace-$1/bench.pt.trace.json
}

# name_of FILE: what it is, so that another run can tell whether it had the same
name_of()
{
	printf '%s, %s bytes' "${1##*/}" "$(wc -c <"$1")"
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1" | awk '{ printf ", sha256 %.16s", $1 }'
	fi
	echo
}

# section NAME TITLE: the output of this target to the terminal and to its part of the page
section()
{
	part=$results/$1.md
	printf '## %s\n\n' "$2" | tee "$part"
}

# to_part COMMAND...: with its status
to_part()
{
	status=$(
		exec 3>&1
		{ { "$@" && echo 0 >&3 || echo $? >&3; } | tee -a "$part" >&2; } 3>&1 1>/dev/null
	)
	return "$status"
}

# peers [FOLDER]: NAME TAB COMMAND of those that are installed
peers()
{
	sh "$here/peers/build.sh" "${1:-$data/peers}"
}

# target_of PEER: from the issue that asked for the loader: at least; aim
target_of()
{
	case $1 in
	simdjson) echo 'p>=4:6.5' ;;
	rapidjson) echo 'p>=2.5:4.2' ;;
	yajl) echo 'p>=4.5:7' ;;
	cjson) echo 'p>=12:20' ;;
	python) echo 'p>=25:40' ;;
	*) echo - ;;
	esac
}

# jobs FILE SKIPPED...: lines for `bench race`, those peers left out
jobs()
{
	f=$1
	shift
	printf '%s\t%s\t%s\n' \
		profdive - "$bench load '$f'" \
		'2 workers' 'o>=1.6:1.75' "$bench load --workers 2 '$f'"
	test ! -f "$f.gz" || printf '%s\t%s\t%s\n' gz 'p<=3:1.5' "$bench load '$f.gz'"
	printf '%s\t%s\t%s\n' 'class scan' 'o<=10:5.5' "$bench scan '$f'"
	peers | while IFS=$tab read -r name command; do
		case " $* " in
		*" $name "*) ;;
		*) printf '%s\t%s\t%s\n' "$name" "$(target_of "$name")" "$command '$f'" ;;
		esac
	done
}

# race FILE SKIPPED...
race()
{
	f=$1
	printf 'Input: %s\n' "$(name_of "$f")" | tee -a "$part"
	jobs "$@" >"$data/jobs"
	mb=$(($(wc -c <"$f") / 1000))
	echo "$bench race --rounds $ROUNDS ${mb%???}.$(echo "000$mb" | tail -c 4)" >"$data/command"
	to_part sh "$data/command" <"$data/jobs"
	cat >>"$part" <<-'TXT'

	profdive keeps columns, names, nesting and links of all events; the peers keep nothing of what they read (trees last until the end)
	and check the syntax of all of it. Same fields, same sums: who read something else is void. Anonymous memory at the end.
	TXT
}

ir_of()
{
	valgrind --tool=callgrind --callgrind-out-file="$data/callgrind.out" "$@" 2>&1 >"$data/ir.line" |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# ir NAME COMMAND: instructions for the file less those for one of 100 KB, by the bytes between them; what is left of the small one is
# what every file costs: the start, and what tells formats apart
ir()
{
	name=$1
	shift
	large=$(ir_of "$@" "$file") small=$(ir_of "$@" "$tiny")
	awk -v name="$name" -v large="$large" -v small="$small" -v bytes="$(wc -c <"$file")" -v tiny="$(wc -c <"$tiny")" 'BEGIN {
		per_byte = (large - small) / (bytes - tiny)
		printf "| %s | %.2f | %.0f | %.1f |\n", name, per_byte, (large - small) / (40000 - 400), (small - per_byte * tiny) / 1e6
	}' | tee -a "$part" | tee "$data/ir.row"
}

run_ir()
{
	if ! command -v valgrind >/dev/null; then
		echo "bench-ir: skipped, no valgrind (tools/install-bench-deps)"
		return 0
	fi
	section ir "Instructions (callgrind)"
	trace 400
	tiny=$file
	trace 40000
	printf 'Input: %s\n\n| | per byte | per event | once, 10^6 |\n|---|---|---|---|\n' "$(name_of "$file")" | tee -a "$part"
	ir 'load, 1 worker' "$bench" load
	ours=$(cut -d '|' -f 3 "$data/ir.row")
	ir 'class scan, AVX2' "$bench" scan
	# valgrind knows no AVX-512
	PEER_ARCH=-march=x86-64-v3
	export PEER_ARCH
	peers "$data/peers-ir" | while IFS=$tab read -r name command; do
		case $name in
		python | jansson | *-dom) ;;
		*) ir "$name" $command ;;
		esac
	done
	printf '\nThe peers are compiled for x86-64-v3. Must be at most %s per byte, aims at 3.5.\n' "$IR_MAX" |
		tee -a "$part"
	awk -v is="$ours" -v max="$IR_MAX" 'BEGIN { exit !(is <= max) }' ||
		{ echo "bench-ir: $ours instructions per byte, more than $IR_MAX" >&2; return 1; }
}

run_sqlite()
{
	section sqlite "Databases (nsys)"
	generate "$data/nsys-$KERNELS" --kind bench-nsys --events "$KERNELS"
	file=$data/nsys-$KERNELS/bench.sqlite
	printf 'Input: %s\n' "$(name_of "$file")" | tee -a "$part"
	mb=$(($(wc -c <"$file") / 1000000))
	for workers in '1 o<=1.4:1.2' '2 o<=0.8:0.65'; do
		echo | tee -a "$part"
		printf '%s\t%s\t%s\n' profdive - "$bench load --workers ${workers%% *} '$file'" \
			'bare step' "${workers#* }" "$bench step '$file'" >"$data/jobs"
		to_part "$bench" race --rounds "$ROUNDS" "$mb" <"$data/jobs"
	done
	printf '\nThe bare step selects the same columns of the same rows and drops them, on one thread.\n' | tee -a "$part"
}

# Seconds until all is there that the first screen shows, and seconds of processor time for it
open_once()
{
	printf '# the first screen\n' >"$data/first.script"
	date +%s.%N >"$data/t0"
	("$PROFDIVE" --script "$data/first.script" --screen 240x60 "$1" >/dev/null && times >"$data/times")
	date +%s.%N | awk -v t0="$(cat "$data/t0")" '{ printf "%.3f ", $1 - t0 }'
	# the last line: user and system time of what the shell has run, as 0m1.234s
	tail -n 1 "$data/times" | awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } printf "%.3f\n", sum }'
}

# Until the end of the first screen, the list of what to look at, is there. With a limit of memory no figures of a part are shown.
first_frame()
{
	TERM=xterm LC_ALL=C.UTF-8 "$top_builddir/tests/term/pty" 240x60 --until 'What to look at' "$PROFDIVE" --max-mem 64GB "$1"
}

run_reopen()
{
	XDG_CACHE_HOME=$data/cache
	export XDG_CACHE_HOME
	if ! "$PROFDIVE" cache list >/dev/null 2>&1; then
		echo "bench-reopen: skipped, this build has no cache"
		return 0
	fi
	section reopen "Reopening"
	trace "${EVENTS:-1000000}"
	printf 'Input: %s\n\n| first, s | again, s | ratio | all, first, s | all, again, s | ratio | cpu first, s | cpu again, s |\n|---|---|---|---|---|---|---|---|\n' \
		"$(name_of "$file")" | tee -a "$part"
	for _ in $(seq "$ROUNDS"); do
		rm -rf "$data/cache"
		first=$(first_frame "$file")
		rm -rf "$data/cache"
		all_first=$(open_once "$file")
		again=$(first_frame "$file")
		all_again=$(open_once "$file")
		echo "$first $again $all_first $all_again" | awk '{ printf "| %.3f | %.3f | %.1f | %.3f | %.3f | %.1f | %.3f | %.3f |\n",
			$1, $2, $1 / $2, $3, $5, $3 / $5, $4, $6 }' | tee -a "$part"
	done
	tee -a "$part" <<-'TXT'

	First, again: in a terminal, until the first screen has the figures of the whole file: the verdict, the steps, the devices (those of
	the part that is read are there from the first third of a second on). Must be at least 20, aims at 100 (10^7 events). All: until
	nothing is left to be done, the facts that only other panes need among it.
	TXT
}

run_files()
{
	if test $# -eq 0; then
		trace "${EVENTS:-1000000}"
		generate "$data/run-10" --kind run --seed 1 --scale 10
		set -- "$file" "$data/run-10/rank0.pt.trace.json" "$data/run-10/train.sqlite"
		for file in torch/hta-df-index/df_index_resolver.json.gz torch/hta-mtia/mtia_rank_0.json.gz \
			nsys/fastvideo-train/mfu_2gpu_before.sqlite; do
			test ! -f "$PROFDIVE_CORPUS/$file" || set -- "$@" "$PROFDIVE_CORPUS/$file"
		done
	fi
	for file; do
		printf '# %s\n' "$(name_of "$file")"
	done
	"$bench" files --rounds "$ROUNDS" "$@"
}

# The machine by its processor alone
run_doc()
{
	page=$top_srcdir/doc/benchmarks.md
	{
		cat <<-'TXT'
		# Benchmarks

		Written by `make bench-doc` out of the last run of `make bench`, `bench-big`, `bench-ir`, `bench-sqlite`, `bench-aggregate`,
		`bench-draw` and `bench-reopen` (tests/perf/bench.sh says what each measures). Ratios of one run on one machine mean
		something, seconds do not: others work on such machines, too. Instructions and work units do not depend on that.

		TXT
		printf 'Processor: %s, %s cores. Compiler: %s. profdive %s.\n' \
			"$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" "$(getconf _NPROCESSORS_ONLN)" \
			"$(${CC:-cc} --version | head -n 1)" "$("$PROFDIVE" --version | awk 'NR == 1 { print $2 }')"
		for name in load load-big real ir sqlite aggregate draw flame reopen; do
			test ! -f "$results/$name.md" || { echo && cat "$results/$name.md"; }
		done
	} >"$page"
	echo "$page"
}

# race_of EVENTS SKIPPED...: a generated trace, and its gz beside it
race_of()
{
	events=$1
	shift
	trace "$events"
	test -f "$file.gz" || gzip -nc "$file" >"$file.gz"
	race "$file" "$@"
}

fast_only="jansson simdjson-dom rapidjson-dom"
test -n "$SLOW" || fast_only="$fast_only cjson python"

# shellcheck disable=SC2086 # $fast_only is a list of names
case $target in
bench | bench-big)
	if test $# -gt 0; then
		section real "Loading, another trace"
		race "$1" $fast_only
	elif test "$target" = bench; then
		section load "Loading, 100 MB"
		race_of 400000
	else
		section load-big "Loading, 1 GB"
		race_of 4000000 $fast_only
	fi
	;;
bench-ir) run_ir ;;
bench-sqlite) run_sqlite ;;
bench-aggregate)
	section aggregate "Tables of a window"
	to_part "$bench" aggregate "${EVENTS:-10000000}"
	;;
bench-draw)
	section draw "Frames of the timeline"
	to_part "$bench" draw "${EVENTS:-10000000}"
	;;
bench-flame)
	section flame "Frames of the Python pane"
	to_part "$bench" flame
	;;
bench-reopen) run_reopen ;;
bench-files) run_files "$@" ;;
bench-doc) run_doc ;;
*)
	sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
