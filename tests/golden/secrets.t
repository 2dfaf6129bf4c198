#!/bin/sh
# secrets.t - arguments of command lines that stand in profiles: nothing shows or writes them unless --show-args asks for them, and
# what looks like a secret stays masked even then. One input of each kind, all with the same planted command line.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99
mkdir in
# plainarg and its value must be hidden, hushhushhush always
args='--plainarg 7 --hf-token hf_hushhushhushhush --url https://me:hushhush@host/x PW_PASSWORD=hushhush'
cmd="python /home/u/train.py $args"
target="Program: train.py $args"

cat >in/json.json <<EOT
{"start_time": 1700000000.0, "duration": 1.0, "sample_count": 10, "cpu_time": 1.0, "target_description": "$target",
"root_frame": {"function": "main", "file_path": "/home/u/train.py", "line_no": 1, "time": 1.0, "children": []}}
EOT
cat >in/old.json <<EOT
{"start_time": 1700000000.0, "duration": 1.0, "sample_count": 10, "cpu_time": 1.0, "program": "train.py $args",
"root_frame": {"function": "main", "file_path": "/home/u/train.py", "line_no": 1, "time": 1.0, "children": []}}
EOT
cat >in/session.json <<EOT
{"start_time": 1700000000.0, "duration": 1.0, "sample_count": 1, "start_call_stack": [], "target_description": "$target",
"cpu_time": 1.0, "frame_records": [[["main\u0000/home/u/train.py\u00001"], 1.0]]}
EOT
cat >in/text.txt <<EOT

  _     ._   __/__   _ _  _  _ _/_   Recorded: 10:00:00  Samples:  10
 /_//_/// /_\ / //_// / //_'/ //     Duration: 1.000     CPU time: 1.000
/   _/                      v5.0.0

$target

1.000 <module>  train.py:1
└─ 1.000 main  train.py:2
EOT
cat >in/pyi.speedscope.json <<EOT
{"\$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "pyinstrument", "activeProfileIndex": 0,
"name": "CPU profile for '$target' at 2026-01-01T00-00-00", "shared": {"frames": [{"name": "main", "file": "t.py", "line": 1}]},
"profiles": [{"type": "evented", "name": "$target", "unit": "seconds", "startValue": 0, "endValue": 1,
"events": [{"type": "O", "at": 0, "frame": 0}, {"type": "C", "at": 1, "frame": 0}]}]}
EOT
cat >in/spy.speedscope.json <<EOT
{"\$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "py-spy@0.4.0", "name": "py-spy profile",
"activeProfileIndex": 0, "shared": {"frames": [{"name": "process 7:\"$cmd\"", "file": "", "line": 0}, {"name": "main", "file": "t.py", "line": 1}]},
"profiles": [{"type": "sampled", "name": "Process 7 Thread 8 \"MainThread\"", "unit": "seconds", "startValue": 0, "endValue": 1,
"samples": [[0, 1]], "weights": [1]}]}
EOT
cat >in/raw.txt <<EOT
process 7:"$cmd";thread (7): MainThread;main (t.py:1);work (t.py:2) 30
process 7:"$cmd";process 8:"$cmd; --more plainarg2";thread (8): MainThread;main (t.py:1) 10
EOT
cat >in/flame.svg <<EOT
<?xml version="1.0"?><svg version="1.1" total_samples="10"><!-- flamegraph --><text id="title" x="50%" y="24">py-spy record -r 100 -o x.svg -- $cmd</text>
<g><title>all (10 samples, 100%)</title><rect x="0%" y="36" width="100%" height="15" fg:x="0" fg:w="10"/></g>
<g><title>process 7:&quot;$cmd&quot; (10 samples, 100%)</title><rect x="0%" y="52" width="100%" height="15" fg:x="0" fg:w="10"/></g>
<g><title>main (t.py:1) (10 samples, 100%)</title><rect x="0%" y="68" width="100%" height="15" fg:x="0" fg:w="10"/></g></svg>
EOT
cat >in/spy.chrome.json <<EOT
[{"args":{"filename":"","line":null},"cat":"py-spy","name":"process 7:\"$cmd\"","ph":"B","pid":7,"tid":7,"ts":0},
{"args":{"filename":"t.py","line":1},"cat":"py-spy","name":"main","ph":"B","pid":7,"tid":7,"ts":0},
{"args":{"filename":"t.py","line":1},"cat":"py-spy","name":"main","ph":"E","pid":7,"tid":7,"ts":1000},
{"args":{"filename":"","line":null},"cat":"py-spy","name":"process 7:\"$cmd\"","ph":"E","pid":7,"tid":7,"ts":1000}]
EOT
cat >in/dump.txt <<EOT
Process 7: $cmd
Python v3.10.12 (/usr/bin/python3.10)

Thread 7 (active): "MainThread"
    main (t.py:1)
    <module> (t.py:9)
Process 8: $cmd --worker plainarg
Python v3.10.12 (/usr/bin/python3.10)
Parent Process 7: $cmd

Thread 8 (idle): "MainThread"
    wait (t.py:1)
EOT
cat >in/dump.json <<EOT
[{"pid": 7, "thread_id": 1, "thread_name": "MainThread", "os_thread_id": 7, "active": true, "owns_gil": true,
"frames": [{"name": "main", "filename": "t.py", "module": null, "short_filename": "t.py", "line": 1}],
"process_info": {"pid": 7, "command_line": "$cmd", "parent": null}}]
EOT
cat >in/torch.json <<EOT
{"schemaVersion": 1, "WARNING": ["started as HF_TOKEN=hushhush train"], "command": "$cmd", "environ": {"HF_TOKEN": "hushhush"},
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 0, "args": {"name": "$cmd"}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 10, "dur": 20,
 "args": {"External id": 1, "cmdline": "$cmd", "argv": ["python", "train.py", "--plainarg", "7", "--token", "hushhush"],
 "api_key": "hushhush", "environ": {"A": "hushhush"}, "note": "see https://me:hushhush@host/x"}}]}
EOT
t7=$((7 * 16777216 + 7))
cat >in/nsys.jsonl <<EOT
{"id":1,"table":"StringIds","value":"call"}
{"start":10,"end":20,"globalTid":$t7,"nameId":1,"table":"OSRT_API","eventClass":27}
{"globalPid":$((7 * 16777216)),"pid":7,"name":"$cmd","table":"PROCESSES"}
{"name":"PROCESS_0:COMMAND_LINE","table":"META_DATA_CAPTURE","value":"$cmd"}
{"name":"PROCESS_0:ENVIRONMENT_VARIABLE","table":"META_DATA_CAPTURE","value":"PW=hushhush"}
{"name":"SystemEnv","nameEnum":1,"value":"$cmd","table":"TARGET_INFO_SYSTEM_ENV"}
{"timestamp":1,"severity":3,"source":1,"text":"failed: API_KEY=hushhush","table":"DIAGNOSTIC_EVENT"}
EOT

"$PROFDIVE" help views | awk '$1 != "diff" { print $1 }' >views
ok "there are views" test "$(wc -l <views)" -gt 50

# shown OPTIONS...: everything that is printed of every input, into the file `all`
shown()
{
	for f in in/*; do
		while read -r view; do
			"$PROFDIVE" print "$view" --window all --format json "$@" "$f"
		done <views
		"$PROFDIVE" summary "$@" "$f"
	done >all 2>&1
	for format in table csv md; do
		while read -r view; do
			"$PROFDIVE" print "$view" --window all --format $format "$@" in
		done <views
	done >>all 2>&1
	rm -rf r h
	"$PROFDIVE" report "$@" -o r in >>all 2>&1
	"$PROFDIVE" report --html "$@" -o h in >>all 2>&1
	cat r/* h/* >>all
}

shown
ok "the inputs were read" grep -q 'train.py … (7 arguments: --show-args)' all
ok "every kind of input says what ran" test "$(grep -c "train.py … (7 arguments: --show-args)" r/* h/* | awk -F: '{ s += $2 } END { print s }')" -gt 8
is "no argument anywhere" "$(grep -aoE '.{0,60}(plainarg|hushhush).{0,20}' all | sort | uniq -c | head -5)" ""

shown --show-args
is "no secret anywhere" "$(grep -aoE '.{0,60}hushhush.{0,20}' all | sort | uniq -c | head -5)" ""
ok "arguments in reports" grep -q -e "--plainarg 7" r/*
for f in in/*; do
	case $f in in/torch.json | in/nsys.jsonl) continue ;; esac	# no view shows names of processes
	"$PROFDIVE" print sources --format json --show-args "$f" >one
	for view in stacks threads pythreads; do
		"$PROFDIVE" print $view --window all --format json --show-args "$f"
	done >>one 2>&1
	ok "$f: arguments where they were asked for" grep -q -e '--plainarg 7 --hf-token \*\*\*' one
done

# ---- the explorer
cat >script <<'EOT'
sources
save-screen s1
python
save-screen s2
set format csv
write-pane
key i
save-screen s3
w session
arguments
save-screen s4
sources
save-screen s5
python
write-pane
report
save-screen s6
w session2
arguments
sources
save-screen s7
EOT
for f in in/*; do
	rm -f s[1-7] session session2 profdive-*
	status "$f: the explorer" 0 "$PROFDIVE" --screen 200x50 --script script "$f"
	cat s1 s2 s3 s7 session session2 profdive-* >seen
	is "$f: no argument on screens or in files" "$(grep -aoE 'plainarg|hushhush' seen | head -1)" ""
	is "$f: and no secret behind the key" "$(cat s4 s5 s6 | grep -ao 'hushhush' | head -1)" ""
	ok "$f: what is written has no arguments" grep -q 'switch them off' s6
	ok "$f: no second file" test ! -e profdive-python-2.csv
done
for f in json.json dump.txt; do
	rm -f s[1-7]
	"$PROFDIVE" --screen 200x50 --script script "in/$f" >/dev/null 2>&1
	ok "$f: arguments behind the key" grep -q -e "plainarg 7" s4 s5 s6
done
printf 'sources\nset format csv\nwrite-pane\nsave-screen s1\n' >script
rm -f profdive-*
status "started with --show-args" 0 "$PROFDIVE" --show-args --screen 200x50 --script script in/json.json
ok "arguments on the screen" grep -q -e '--plainarg 7' s1
ok "and in what is written" grep -q -e '--plainarg 7 --hf-token \*\*\*' profdive-sources-1.csv
is "without secrets" "$(cat s1 profdive-* | grep -ao hushhush | head -1)" ""
printf 'timeline\nnext-event\nkey i\nsave-screen s1\narguments\nkey Esc\nkey i\nsave-screen s2\n' >script
status "an event whole" 0 "$PROFDIVE" --screen 200x60 --script script in/torch.json
ok "its fields are there" grep -q 'args.cmdline.*python /home/u/train.py … (7 arguments' s1
is "without arguments" "$(grep -aoE 'plainarg|hushhush' s1 | head -1)" ""
is "without secrets" "$(grep -aoE 'hushhush' s2 | head -1)" ""
ok "and with arguments" grep -q -e '--plainarg 7' s2
done_testing
