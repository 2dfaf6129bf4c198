#!/bin/sh
# :w FILE and --session FILE: files, window, pane, row, filter, marks; what is wrong in a session is told.
. "${srcdir:-.}/tests/lib/tap.sh"

cp -R "$PROFDIVE_SAMPLE" "$T/run with blanks" && cd "$T" || exit 99

# keys NAME STATUS [ARGUMENT...]: the script on stdin
keys()
{
	cat >"$T/script"
	name=$1 want=$2
	shift 2
	status "$name" "$want" "$PROFDIVE" --script "$T/script" "$@"
}

keys "a session is written" 0 "run with blanks" <<-EOF
	step 3
	key 2
	search sgemm|gemm|cutlass
	key m k
	window all
	key 4
	key t
	filter self_ns > 5ms
	sort +count
	key j j
	save-screen before
	w my.session
	expect session written
	w
	expect session written
EOF
is "the path is absolute" "$(sed -n 2p my.session)" "open $T/run with blanks"
keys "and gone on from" 0 --session my.session <<-EOF
	save-screen after
	expect [4 Ops]
	key ' k
	expect window step 3
	expect launched by cudaLaunchKernel
EOF
# but for the title, and from the notes on, which name the files
sed '1d;12,$d' before >a && sed '1d;12,$d' after >b
ok "it has rows" grep -q aten:: a
ok "the screen is the one from before" diff a b

ok "the order is kept" grep -qx 'sort +count' my.session
sed 's/^sort.*/sort -nothing/' my.session >no-column
keys "a column that is no longer there is told" 0 --session no-column <<-EOF
	expect no column "nothing"
EOF

printf 'something else\n' >text
keys "a file that is no session is not written over" 1 "run with blanks" <<-EOF
	w text
EOF
is "it is as it was" "$(cat text)" "something else"
status "nor read" 2 "$PROFDIVE" --session text
status "one that is not there" 3 "$PROFDIVE" --session none

sed 's/^place.*/place nowhere/; s/row=[0-9]*/row=7/' my.session >damaged
printf 'nonsense\nmark k\nmark z kernels t0=5 t1=3 file=99 lane=99999999999\n' >>damaged
keys "a damaged one: told, the rest counts" 0 --session damaged <<-EOF
	expect of the session is not understood
	key ' z
	expect [3 Kernels]
EOF

# Names of files and events hold what a terminal would take for a command: not in the session, and found again.
name=$(printf 'run\033[2J\ta\\b\302\233\377é')
mkdir "$name"
printf '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::\\u001b]0;x\\u0007é", "pid": 1, "tid": 1, "ts": %s, "dur": 5}, {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": %s, "dur": 1}]}' 10.0 20.0 >"$name/t.json"
keys "a session of names with control bytes" 0 "$name/t.json" <<-EOF
	window all
	key 4
	key Enter
	save-screen before
	w hostile.session
EOF
is "the path in bytes" "$(sed -n 's/^open .*run/run/p' hostile.session)" 'run\033[2J\011a\134b\302\233\377é/t.json'
ok "the name of the op" grep -q 'crumb=.*aten::.*x1b.*é' hostile.session
is "no control byte, nothing that is no UTF-8" "$(LC_ALL=C tr -d '\n\040-\176' <hostile.session | od -An -tx1 | tr -d ' \n' | sed 's/c3a9//g')" ""
keys "and gone on from" 0 --session hostile.session <<-EOF
	expect aten::
	save-screen after
EOF
ok "the same screen" sh -c 'sed "1d;22,\$d" before >a && sed "1d;22,\$d" after >b && diff a b'

# Lanes that are hidden, folded and moved are so again, whatever pane the session was left in.
keys "lanes are left" 0 "run with blanks" <<-EOF
	step 2
	key 2
	search sgemm|gemm|cutlass
	key K K
	filter GPU
	key j x
	key & Enter
	save-screen lanes-before
	key 3
	w lanes.session
EOF
is "in one line" "$(grep -c '^lanes hidden=[0-9]* order=[0-9,]*$' lanes.session)" 1
keys "and found" 0 --session lanes.session <<-EOF
	expect [3 Kernels]
	key 2
	expect GPU0 s7
	save-screen lanes-after
EOF
is "as they were" "$(cut -c1-15 lanes-after | sed -n '5,19p')" "$(cut -c1-15 lanes-before | sed -n '5,19p')"
sed 's/^lanes.*/lanes hidden=x order=,,5 colour=3/' lanes.session >lanes-damaged
keys "what is no list of lanes is told" 0 --session lanes-damaged <<-EOF
	expect of the session is not understood
EOF

done_testing
