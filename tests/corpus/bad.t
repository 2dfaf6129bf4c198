#!/bin/sh
# bad.t: bad input. Each file gives one clear line (path: what: where), costs no other file its place, and the exit status
# is that of the contract: 0 nothing lost, 1 something lost, 3 nothing could be read. First inputs made here, then the corpus.
. "${srcdir:-.}/tests/lib/tap.sh"

sources() { "$PROFDIVE" print sources --format csv "$@"; }

# events: the third figure of the only row: path,format,producer,version,bytes,events (quoted fields hold no comma here)
events() { tail -n 1 "$T/out" | tr -d '\r' | cut -d, -f6; }

# line_is NAME FILE WHAT: stderr is exactly one line, of this file, and says WHAT (a pattern)
line_is()
{
	if test "$(wc -l <"$T/err")" -eq 1 && grep -q "^profdive: $2: .*$3" "$T/err"; then
		pass "$1: one line"
	else
		fail "$1: one line, of the file, that says \"$3\""
		diag_file "$T/err"
	fi
}

# unreadable NAME FILE WHAT: status 3 and one line, nothing on stdout
unreadable()
{
	status "$1: status" 3 sources "$2"
	line_is "$1" "$2" "$3"
	is "$1: nothing on stdout" "$(cat "$T/out")" ""
}

# usable NAME FILE EVENTS WHAT: status 1, one line, and so many events were kept
usable()
{
	status "$1: status" 1 sources "$2"
	line_is "$1" "$2" "$4"
	is "$1: events" "$(events)" "$3"
}

# ---- inputs made here -------------------------------------------------------------------------

# trace N: a torch trace of N ops of 50 us, one a line, on stdout
trace()
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", " \
		"\"pid\": 7, \"tid\": 7, \"ts\": %d, \"dur\": 50, \"args\": {\"External id\": %d}}\n", i ? "," : "", 1000 + 100 * i, i + 1 }'
	echo '], "traceName": "made.json"}'
}

mkdir "$T/in" "$T/empty-folder"
trace 40 >"$T/in/good.json"
: >"$T/in/empty.json"
: >"$T/in/run.sqlite"
echo 'epoch 1, loss 0.25' >"$T/in/train.log"
echo '[[1000, 2000, 3000], [[0, 16, 0, 0, 0, 0, 0, 0, 0], [0, 16, 32, 0, 0, 0, 0, 0, 0], [0, 16, 0, 0, 0, 0, 0, 0, 0]]]' \
	>"$T/in/memory.json"
echo '{"answer": 42}' >"$T/in/other.json"
echo '{"schemaVersion": 1, "deviceProperties": []}' >"$T/in/no-events.json"
printf 'SQLite format 3\000 and then nothing of the kind' >"$T/in/broken.sqlite"
head -c 2000 "$T/in/good.json" >"$T/in/cut.json"
sed '20s/.*/,{"ph": "X", "cat": , "name"/' "$T/in/good.json" >"$T/in/one-bad.json"
sed 's/"dur": 50, "args": {"External id": 7}/"dur": -50, "args": {"External id": 7}/' "$T/in/good.json" >"$T/in/negative.json"

status "good input: status" 0 sources "$T/in/good.json"
is "good input: no message" "$(cat "$T/err")" ""
is "good input: events" "$(events)" 40
unreadable "empty file" "$T/in/empty.json" "empty"
unreadable "sqlite of zero bytes" "$T/in/run.sqlite" "empty"
unreadable "text file" "$T/in/train.log" "text"
unreadable "memory timeline" "$T/in/memory.json" "memory timeline"
unreadable "JSON of another kind" "$T/in/other.json" "JSON"
unreadable "trace without events" "$T/in/no-events.json" ""
unreadable "broken sqlite" "$T/in/broken.sqlite" ""
unreadable "empty folder" "$T/empty-folder" "no profile"
unreadable "no such file" "$T/in/absent.json" "No such file"

# A pipe that nobody writes into would be waited for, one that somebody does is read once only.
mkfifo "$T/pipe"
unreadable "pipe" "$T/pipe" "a pipe or a device"

# 2000 bytes hold the head and as many whole events as there are whole lines
whole=$(($(head -c 2000 "$T/in/good.json" | grep -c '}}$')))
usable "cut trace" "$T/in/cut.json" "$whole" "byte 2000"
usable "one bad event" "$T/in/one-bad.json" 39 "byte [0-9]"
usable "negative duration" "$T/in/negative.json" 40 "negative.*byte [0-9]"
is "negative duration: the op counts, with no time" \
	"$("$PROFDIVE" print ops --window all --format csv "$T/in/negative.json" 2>"$T/err" | tr -d '\r' | sed -n 2p | cut -d, -f1-3)" \
	"aten::mm,40,1950000"

if command -v gzip >"$T/.which"; then
	trace 3000 | gzip -n -c >"$T/in/whole.json.gz"
	size=$(($(wc -c <"$T/in/whole.json.gz") / 2))
	head -c "$size" "$T/in/whole.json.gz" >"$T/in/cut.json.gz"
	gzip -dc "$T/in/cut.json.gz" 2>"$T/.gzip" | grep -c '}}$' >"$T/least"
	status "cut gzip: status" 1 sources "$T/in/cut.json.gz"
	line_is "cut gzip" "$T/in/cut.json.gz" "gzip.*byte [0-9]"
	# gzip holds back what it has not checked yet, so there may be more
	ok "cut gzip: every whole event is there" test "$(events)" -ge "$(cat "$T/least")" -a "$(events)" -lt 3000
	(cat "$T/in/whole.json.gz" && echo trailing) >"$T/in/garbage.json.gz"
	usable "garbage behind the gzip stream" "$T/in/garbage.json.gz" 3000 "follow.*byte [0-9]"
else
	skip "cut gzip" "no gzip"
fi

# All of them at once: each bad file has its line, the good one its row.
status "good among bad: status" 1 sources "$T/in/empty.json" "$T/in/run.sqlite" "$T/in/good.json" "$T/in/train.log" \
	"$T/in/memory.json" "$T/in/broken.sqlite"
is "good among bad: one line each" "$(cut -d: -f2 "$T/err" | sort -u | wc -l | tr -d ' ') of $(wc -l <"$T/err" | tr -d ' ')" "5 of 5"
is "good among bad: the good one is read" "$(tr -d '\r' <"$T/out" | grep "^$T/in/good.json," | cut -d, -f6)" 40
mkdir "$T/folder"
cp "$T/in/good.json" "$T/in/train.log" "$T/in/memory.json" "$T/folder"
status "folder of a good file and no damaged one: status" 0 sources "$T/folder"
is "folder: the memory timeline is named, the log is not" "$(sed 's/: a memory.*//' "$T/err")" "profdive: $T/folder/memory.json"
cp "$T/in/run.sqlite" "$T/folder"
status "folder with an empty profile: status" 1 sources "$T/folder"
is "folder with an empty profile: it is named" "$(grep -c "run.sqlite: .*empty" "$T/err")" 1

# ---- the corpus -------------------------------------------------------------------------------

bad=$PROFDIVE_CORPUS/torch-malformed

# malformed FILE STATUS EVENTS [WHAT]: what a reader should make of it (counted by hand in the files)
malformed()
{
	test -f "$bad/$1" || {
		skip "$1" "not in the corpus"
		return
	}
	case $2 in
	1) usable "$1" "$bad/$1" "$3" "$4" ;;
	3) unreadable "$1" "$bad/$1" "$4" ;;
	*)
		status "$1: status" "$2" sources "$bad/$1"
		is "$1: no message" "$(cat "$T/err")" ""
		is "$1: events" "$(events)" "$3"
		;;
	esac
}

if test -n "$PROFDIVE_CORPUS" && test -d "$bad"; then
	malformed bare_NA_bandwidth.json 0 3
	malformed bare_array_open_tail.json 0 2
	malformed crlf.json 0 2
	malformed ctrl_chars_pt130622.json 0 3
	malformed dup_keys.json 0 1
	malformed empty.json 3 0 empty
	malformed gz_named_json.json 0 201
	malformed ids_over_2p63.json 0 1
	malformed int_min_tid.json 0 2
	malformed invalid_utf8_kineto80.json 0 3
	malformed multi_member.json.gz 0 201
	malformed nan_inf_literals.json 1 3 'byte 168'
	malformed negative_dur.json 1 3 'negative.*byte 168'
	malformed quote_dict_name_kineto1459.json 1 3 'quote.*byte 168'
	malformed quote_newline_pt113001.json 1 3 'quote.*byte 168'
	malformed trailing_comma_no_close.json 1 2 'byte 289'
	malformed trailing_garbage.json.gz 0 201
	malformed truncated.json.gz 1 198 'gzip.*byte 24417'
	malformed truncated_mid_string.json 1 1 'byte 170'
	malformed ts_as_string_ascend.json 0 1
	malformed unpadded_ns_kineto896.json 0 2
	malformed utf8_bom.json 0 1
	malformed win_backslash_pt98432.json 0 3
	malformed zero_ts_kernel_kineto109.json 0 2	# the untimed kernel is no event

	# Whatever lies in the corpus opens, or a line says why not, one for each kind of damage: never a crash, never silence.
	find "$PROFDIVE_CORPUS" -type f ! -path '*/expected/*' | sort >"$T/files"
	odd=0 opened=0 named=0
	while read -r file; do
		got=0
		sources "$file" >"$T/out" 2>"$T/err" </dev/null || got=$?
		lines=$(wc -l <"$T/err")
		case $got in
		0) test "$lines" -eq 0 && opened=$((opened + 1)) && continue ;;
		1) test "$lines" -gt 0 && ! grep -v "^profdive: $file: " "$T/err" >&2 && opened=$((opened + 1)) && continue ;;
		3) test "$lines" -eq 1 && named=$((named + 1)) && continue ;;
		esac
		odd=$((odd + 1))
		diag "status $got, $lines lines: $file"
	done <"$T/files"
	is "files of the corpus that neither open nor say why" "$odd" 0
	diag "$opened files of the corpus open, $named say what they are"
else
	skip "malformed files of the corpus" "no corpus (PROFDIVE_CORPUS)"
fi
done_testing
