#!/bin/sh
# The command line's faults: exit status, one line each on stderr, nothing but data on stdout.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# says NAME STATUS EXPECTED-STDERR ARGS...: the whole of stderr, and an empty stdout unless something could be shown
says()
{
	says_name=$1 says_status=$2 says_err=$3
	shift 3
	status "$says_name: exit status" "$says_status" "$PROFDIVE" "$@"
	is "$says_name: message" "$(cat "$T/err")" "$says_err"
	if test "$says_status" -ge 2; then
		is "$says_name: nothing on stdout" "$(cat "$T/out")" ""
	fi
}

hint='profdive: profdive --help lists commands and options'

# ---- usage
says "no path" 2 "profdive: a path is missing: a profile file, or a folder that holds some
$hint"
says "unknown option" 2 "profdive: unknown option --windw (did you mean --window?)
$hint" --windw all x.sqlite
says "value missing" 2 "profdive: --device needs a value: N
$hint" print gpu x.sqlite --device
says "no number" 2 "profdive: --limit takes a whole number from 0 on, not \"-3\"
$hint" print gpu --limit -3 x.sqlite
says "unknown format" 2 "profdive: --format takes one of table, csv, json, md, not \"xml\"
$hint" print gpu --format xml x.sqlite
says "no view" 2 "profdive: print needs a view (profdive help views lists them) and a path
$hint" print
says "unknown view" 2 "profdive: there is no view \"kernals\" (did you mean kernels?)
$hint" print kernals x.sqlite
says "view without a path" 2 "profdive: print kernels needs a path
$hint" print kernels
says "unknown column" 2 "profdive: --sort size: the view kernels has no such column
$hint" print kernels --sort size x.sqlite
says "bad order" 2 "profdive: --sort takes COLUMN or COLUMN,desc, not \"name,up\"
$hint" print kernels --sort name,up x.sqlite
says "bad partition" 2 "profdive: --partition takes cpu, gpu:N, joint:N or compute, not \"gpu\"
$hint" print gpu --partition gpu x.sqlite
says "bad thread" 2 "profdive: --thread takes TID, PID/TID or a role (main, autograd, loader-worker, pin-memory, comm-watchdog, other), not \"boss\"
$hint" print gpu --thread boss x.sqlite
says "bad screen" 2 "profdive: --screen takes WIDTHxHEIGHT such as 80x24, not \"80\"
$hint" --screen 80 x.sqlite
says "option of another command" 2 "profdive: --mouse has no meaning for this command
$hint" print gpu --mouse x.sqlite
says "diff of one" 2 "profdive: diff needs two profiles: BEFORE and AFTER
$hint" diff a
says "diff of no window" 2 "profdive: window 'stp:3': steady, all, step:N, steps:A-B or time:A..B is wanted
$hint" diff a a@stp:3
says "diff that fails on nothing known" 2 "profdive: --fail-on: there is no group \"stp\"
$hint" diff a b --fail-on 'stp>3%'
says "diff that fails on no limit" 2 "profdive: --fail-on: \"many\" is neither a percentage nor a time
$hint" diff a b --fail-on 'step>many'
says "cache without a word" 2 "profdive: cache takes list or drop, and paths of sources
$hint" cache
says "cache with a wrong word" 2 "profdive: cache takes list or drop, and paths of sources
$hint" cache lst
says "no such help" 2 "profdive: there is no help on \"foo\"
$hint" help foo
status "bad window: exit status" 2 "$PROFDIVE" print gpu --window step:x x.sqlite
status "bad filter: exit status" 2 "$PROFDIVE" print gpu --filter 'device >' x.sqlite
is "bad filter: two lines" "$(wc -l <"$T/err" | tr -d ' ')" 2

# ---- files that are no profiles
: >empty.json
: >empty.sqlite
echo "hello there" >text.txt
mkdir hollow in
printf 'esc\033[31mape\n' >"$(printf 'red\033[31m.txt')"
printf 'NVIDIA Tegra Profiler Report 2024.1\n\0\0' >run.nsys-rep
printf '[[1, 2, 3], [4, 5, 6]]' >memory.json
says "no such file" 3 "profdive: nowhere.json: cannot open: No such file or directory" print sources nowhere.json
says "empty file" 3 "profdive: empty.json: the file is empty" print sources empty.json
says "empty sqlite" 3 "profdive: empty.sqlite: the file is empty" print sources empty.sqlite
says "text" 3 "profdive: text.txt: plain text, not a profile" print sources text.txt
says "empty folder" 3 \
	"profdive: hollow: no profile in this folder or its subfolders (--recursive searches deeper)" print sources hollow
says "escape in a name" 3 'profdive: red\x1b[31m.txt: plain text, not a profile' \
	print sources "$(printf 'red\033[31m.txt')"
says "nsys report" 3 "profdive: run.nsys-rep: an Nsight Systems report, whose format is not public: run nsys export\
 --type sqlite FILE and open the .sqlite" print sources run.nsys-rep
says "memory timeline" 3 "profdive: memory.json: a memory timeline of torch.profiler, not read yet: the trace itself\
 (export_chrome_trace) is read" print sources memory.json
says "missing facts" 3 "profdive: nowhere: cannot open: No such file or directory" print sources --facts nowhere text.txt

# ---- files with damage; what is good beside them
frame='{"function": "f", "file_path": "x.py", "line_no": 3, "time": 2.000000, "children": []}'
head='{"start_time": 5.0, "duration": 2.5, "sample_count": 3, "program": "x", "cpu_time": 1.5, "root_frame": '
printf '%s%s}' "$head" "$frame" >good.json
printf '%s%s, ' "$head" "$frame" >cut.json
gzip -c good.json >good.json.gz
says "a good file" 0 "" print sources good.json
says "a good gzip file" 0 "" print sources good.json.gz
says "a file that ends early" 1 "profdive: cut.json: the JSON text ends early: frames after this place are missing: byte\
 $(($(wc -c <cut.json) - 2))" print sources cut.json
says "a good and a bad file" 1 "profdive: text.txt: plain text, not a profile" print sources text.txt good.json
status "the good one is shown" 1 "$PROFDIVE" print sources --format csv text.txt good.json
is "as one of two rows" "$(grep -c . "$T/out")" 3
head -c 60 good.json.gz >cut.json.gz
status "a gzip file that ends before its frames" 3 "$PROFDIVE" print sources cut.json.gz
is "is named" "$(cut -c1-23 "$T/err" | sort -u)" "profdive: cut.json.gz: "

cp good.json empty.sqlite text.txt run.nsys-rep in/
says "a folder" 1 "profdive: in/run.nsys-rep: an Nsight Systems report, whose format is not public: run nsys export --type\
 sqlite FILE and open the .sqlite
profdive: in/empty.sqlite: the file is empty" print sources in
rm in/empty.sqlite
status "a report that is not read is no damage" 0 "$PROFDIVE" print sources in

# ---- output
status "without a terminal: the summary" 0 "$PROFDIVE" good.json
ok "names the file" grep -q 'good\.json' "$T/out"
if test -w /dev/full; then
	got=0
	"$PROFDIVE" print sources good.json >/dev/full 2>"$T/err" </dev/null || got=$?
	is "a full disk: exit status" "$got" 3
	is "a full disk: message" "$(cat "$T/err")" "profdive: writing sources: No space left on device"
else
	skip "a full disk" "there is no /dev/full"
fi
if test -w /dev/full; then
	got=0
	"$PROFDIVE" help views >/dev/full 2>"$T/err" </dev/null || got=$?
	is "a full disk, help: exit status" "$got" 3
	is "a full disk, help: message" "$(cat "$T/err")" \
		"profdive: standard output: cannot write: No space left on device"
fi
got=0
"$PROFDIVE" print sources good.json >&- 2>"$T/err" </dev/null || got=$?
is "closed stdout: exit status" "$got" 3
is "closed stdout: one line" "$(wc -l <"$T/err" | tr -d ' ')" 1
says "help" 0 "" --help
ok "lists the commands" grep -q '^  check-rules ' "$T/out"
status "version" 0 "$PROFDIVE" --version
is "is one line" "$(sed 's/[0-9][0-9.]*$/N/' "$T/out")" "profdive N"
status "the built-in rules hold" 0 "$PROFDIVE" check-rules
status "a summary" 0 "$PROFDIVE" summary "$PROFDIVE_SAMPLE"
ok "of at most 15 lines" test "$(wc -l <"$T/out")" -le 15
cp "$T/out" "$T/summary"
"$PROFDIVE" print findings --format csv "$PROFDIVE_SAMPLE" 2>/dev/null | awk -F, '$2 != "info" && NR > 1 { print $5 }' >"$T/titles"
ok "the sample has findings" test "$(wc -l <"$T/titles")" -ge 3
is "the summary tells them in the same order" \
	"$(sed -n 's/^[0-9]*\. \([^:]*\): .*/\1/p' "$T/summary" | head -n 3)" "$(head -n 3 "$T/titles")"
printf 'table findings\n\nignore recompute the model does not fit without\n' >accept.rules
status "a finding that is accepted" 0 "$PROFDIVE" print checks --rules accept.rules --filter 'id = "recompute"' --format csv "$PROFDIVE_SAMPLE"
ok "is not reported, and the checks say why" grep -q '^recompute,accepted,accepted by the rules in use: the model does not fit' "$T/out"
printf 'table findings\n\nid x\n  section input\n' >broken.rules
status "a finding without its parts" 3 "$PROFDIVE" check-rules broken.rules
ok "is told with its line" grep -q 'broken.rules: line 3: finding x: title is missing' "$T/err"
status "a rule file that is none" 3 "$PROFDIVE" check-rules text.txt

# A view without rows says why: on a sampler alone, and on a trace of host ops alone.
cat >"$T/host.json" <<'END'
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"External id": 1}}
]}
END
for file in "$PROFDIVE_SAMPLE/pyinstrument.json" "$T/host.json"; do
	mute=
	for view in $("$PROFDIVE" help views | awk '{ print $1 }'); do
		"$PROFDIVE" print "$view" --format json "$file" >"$T/view.json" 2>/dev/null
		if grep -q '"rows": *\[\]' "$T/view.json" && grep -q '"notes": *\[\]' "$T/view.json"; then
			mute="$mute $view"
		fi
	done
	is "$(basename "$file"): empty views without a reason" "$mute" ""
done

# The dump of a job that hangs, in words: who is where, who holds the GIL, and where to look.
rank() { printf 'Process %s: python train.py\nPython v3.11.4 (/usr/bin/python3.11)\n\nThread %s (idle): "MainThread"\n' "$1" "$1"; }
{
	for pid in 100 101; do
		rank $pid
		printf '    all_reduce (torch/distributed/distributed_c10d.py:2806)\n    train (train.py:57)\n    <module> (train.py:99)\n\n'
	done
	rank 102
	printf '    wait (threading.py:324)\n    get (queue.py:180)\n    _try_get_data (torch/utils/data/dataloader.py:1131)\n    train (train.py:50)\n'
	printf 'Thread 150 (active+gil): "Thread-1 (_pin_memory_loop)"\n    do_one_step (torch/utils/data/_utils/pin_memory.py:40)\n'
} >hang.txt
status "the summary of a dump" 0 "$PROFDIVE" --lang en summary hang.txt
is "says who waits where" "$(sed -n 2,5p out)" \
"2 of 3 main threads are in all_reduce (torch/distributed/distributed_c10d.py:2806), called from train (train.py:57): collective launch; \
inside a collective, which ends when every rank has entered it (pid 100, 101)
1 of 3 main threads are in wait (threading.py:324), called from train (train.py:50): thread wait; \
waiting in the data loader, for a batch or for work (pid 102)
the GIL is held by thread (150): Thread-1 (_pin_memory_loop) [active+gil], in do_one_step (torch/utils/data/_utils/pin_memory.py:40)
the collective waits for the 1 thread that is not in one: look there first"

done_testing
