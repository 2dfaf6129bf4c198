#!/bin/sh
# Signals, sizes and job control: tests/term/jobs.c is the terminal and the shell.
#
# JOBS_ROUNDS=300 (12): rounds of each storm; JOBS_SEEDS="1 2" (7): a storm for each
. "${srcdir:-.}/tests/lib/tap.sh"
TERM=xterm-256color
PROFDIVE_CACHE_MIN=0
export TERM PROFDIVE_CACHE_MIN
jobs=$top_builddir/tests/term/jobs

"$jobs" interrupt 0 0 true >/dev/null 2>&1 || skip_all "there are no pseudo terminals here"

for seed in ${JOBS_SEEDS:-7}; do
	ok "stops, sizes and keys in any order, seed $seed" "$jobs" storm "${JOBS_ROUNDS:-12}" "$seed" "$PROFDIVE" --mouse "$PROFDIVE_SAMPLE"
done

# ended STATUS MS ^C|SIGNAL COMMAND...: it ends so, and the terminal is as before; one that is done within MS proves nothing
ended()
{
	want=$1
	shift
	"$jobs" interrupt "$@" >"$T/ended" || return 1
	test "$(cut -f 1 "$T/ended")" = early && return
	case $want in *"$(cut -f 2 "$T/ended")"*) return 0 ;; esac
	diag_file "$T/ended"
	return 1
}
# at_any_time STATUS ^C|SIGNAL COMMAND...
at_any_time()
{
	status=$1 how=$2
	shift 2
	for ms in 0 1 2 3 5 8 12 20 40; do
		ended "$status" "$ms" "$how" "$@" || return 1
	done
}

# a file that takes its time, and what the cache has of it
{
	printf '{"traceEvents": [\n{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5.000, "dur": 9.000}'
	awk 'BEGIN { for (i = 0; i < 400000; i++)
		printf ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d.250, \"dur\": 1.500}", i % 100, i * 2 }'
	printf '\n]}\n'
} >"$T/long.pt.trace.json"
touch -t 200001010000 "$T/long.pt.trace.json"
in_cache() { "$PROFDIVE" --screen 80x24 "$1" >/dev/null && "$PROFDIVE" --debug load --screen 80x24 "$1" 2>&1 | grep -q 'cache: opened'; }

ok "^C ends a file being read before anything is shown, or a picture of it" at_any_time 130 ^C "$PROFDIVE" --no-cache --screen 80x24 "$T/long.pt.trace.json"
ok "SIGINT" at_any_time 130 2 "$PROFDIVE" --no-cache --screen 80x24 "$T/long.pt.trace.json"
ok "the file is in the cache" in_cache "$T/long.pt.trace.json"
# 130 before anything is shown; then the second ^C leaves, with 0
ok "^C just after a file was opened from the cache" at_any_time "130 0" ^C "$PROFDIVE" "$T/long.pt.trace.json"
ok "SIGINT" at_any_time 130 2 "$PROFDIVE" "$T/long.pt.trace.json"
ok "SIGTERM" at_any_time 143 15 "$PROFDIVE" "$T/long.pt.trace.json"
ok "SIGHUP" at_any_time 129 1 "$PROFDIVE" "$T/long.pt.trace.json"
ok "SIGINT while a screen is made from the cache" at_any_time 130 2 "$PROFDIVE" --screen 80x24 "$T/long.pt.trace.json"
mkfifo "$T/script"
ok "SIGINT, while a script is waited for" ended 130 500 2 "$PROFDIVE" --script "$T/script" "$PROFDIVE_SAMPLE"
ok "who wants SIGHUP ignored gets it" at_any_time 0 ignored-1 "$PROFDIVE" --screen 80x24 "$PROFDIVE_SAMPLE"

done_testing
