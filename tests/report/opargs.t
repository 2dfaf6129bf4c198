#!/bin/sh
# opargs.t - what torch writes into the args of an op: the shapes of its inputs (view opshapes), and the number by which forward and
# backward belong together (view fwdbwd). All figures of the trace below, in us:
#
#	aten::linear 0-100: in it aten::t 10-20 and aten::addmm 30-90, which launches a kernel of 50 us
#	aten::add 200-220; aten::add 230-270 around another one 240-250, which launches a kernel of 20 us; aten::item 300-305
#	on the other thread the node of addmm 400-460, a second time inside itself, and one that only its Fwd thread id shows, 500-510
. "${srcdir:-.}/tests/lib/tap.sh"

op() { printf '{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1, "tid": %s, "ts": %s, "dur": %s, "args": {%s}},\n' "$@"; }
launch()
{
	printf '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": %s, "dur": 2, ' "$1"
	printf '"args": {"correlation": %s}},\n' "$2"
	printf '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": %s, "dur": %s, ' "$3" "$4"
	printf '"args": {"device": 0, "stream": 7, "correlation": %s}},\n' "$2"
}
{
	echo '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 4}], "traceEvents": ['
	op aten::linear 1 0 100 '"Sequence number": 0, "Fwd thread id": 0, "Input Dims": [[32, 128], [64, 128], [64]]'
	op aten::t 1 10 10 '"Sequence number": 0, "Fwd thread id": 0, "Input Dims": [[64, 128]]'
	op aten::addmm 1 30 60 '"Sequence number": 1, "Fwd thread id": 0, "Input Dims": [[64], [32, 128], [128, 64], [], []]'
	launch 40 1 60 50
	op aten::add 1 200 20 '"Input Dims": [[32, 64], [], []]'
	op aten::add 1 230 40 '"Input dims": [[], [2]]'
	op aten::add 1 240 10 '"Input Dims": [[[1, 2], [3]], [7]]'
	launch 242 2 280 20
	op aten::item 1 300 5 '"External id": 9'
	op 'autograd::engine::evaluate_function: AddmmBackward0' 2 400 60 '"Sequence number": 1, "Fwd thread id": 1'
	op AddmmBackward0 2 405 50 '"Sequence number": 1, "Fwd thread id": 1, "Input Dims": [[32, 64]]'
	op my::node 2 500 10 '"Sequence number": 0, "Fwd thread id": 1, "Input Dims": "none"'
	echo '{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}]}'
} >"$T/trace.json"

# row WHAT TEXT: a row of $T/out that holds all of TEXT
row() { ok "$1" grep -qF "$2" "$T/out"; }
# view VIEW COLUMNS [OPTION...]: the columns by name as TEXT
view()
{
	v=$1
	shift
	status "print $v" 0 "$PROFDIVE" print "$v" -w all -f csv "$@" "$T/trace.json"
}
# Columns: op, shape, count, self_ns, total_ns, device_ns
view opshapes
row "linear, with what it launches below" 'aten::linear,"[32,128]x[64,128]x[64]",1,30000,100000,50000,'
row "scalars at the end are left out" 'aten::addmm,"[64]x[32,128]x[128,64]",1,60000,60000,50000,'
row "one shape of add" 'aten::add,"[32,64]",1,20000,20000,0,'
row "another: the kernel is that of the inner one, a scalar in front stays" 'aten::add,[]x[2],1,30000,40000,0,'
row "the inner one: a list of tensors" 'aten::add,"[[1,2],[3]]x[7]",1,10000,10000,20000,'
row "not recorded is unknown" 'aten::item,,1,5000,5000,0,'
row "a text is no shape" 'my::node,,1,10000,10000,0,'

# The rows of an op sum to its row in ops.
sums()
{
	"$PROFDIVE" print "$1" -w "${3:-all}" -f json "$2" >"$T/json"
	awk -v name="$4" '
	function value(key) { return match($0, "\"" key "\": *-?[0-9]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : 0 }
	match($0, "^ \\{\"" name "\": *\"([^\"\\\\]|\\\\.)*\"") {
		k = substr($0, RSTART, RLENGTH); sub(/^ *\{"[a-z]*": */, "", k)
		c[k] += value("count"); s[k] += value("self_ns"); t[k] += value("total_ns"); d[k] += value("device_ns")
	}
	END { for (k in c) printf "%s %.0f %.0f %.0f %.0f\n", k, c[k], s[k], t[k], d[k] }' "$T/json" | LC_ALL=C sort
}
same()
{
	sums opshapes "$1" "$2" op >"$T/shapes"
	sums ops "$1" "$2" name >"$T/ops"
	ok "$3: there are ops" test -s "$T/ops"
	ok "$3: shapes sum to ops, window $2" cmp "$T/shapes" "$T/ops"
}
same "$T/trace.json" all "small trace"
row_of_add=$(grep '^"aten::add"' "$T/ops")
is "three adds" "$row_of_add" '"aten::add" 3 60000 70000 20000'

view fwdbwd
row "addmm and its node" 'aten::addmm,autograd::engine::evaluate_function: AddmmBackward0,1,60000,50000,60000,0,'
row "the latest op with the number, and a node that only its forward thread shows" 'aten::t,my::node,1,10000,0,10000,0,'
is "a node inside its engine call counts once" "$(grep -c '^[a-z]*::' "$T/out")" 2

# Nothing recorded: said, and unknown everywhere.
sed 's/, "Input [Dd]ims": \[.*\]}}/}}/; s/"Input [Dd]ims": \[.*\]}}/}}/' "$T/trace.json" >"$T/bare.json"
"$PROFDIVE" print opshapes -w all "$T/bare.json" >"$T/out" 2>&1
row "a trace without shapes says so" 'no input shapes recorded'

C=${PROFDIVE_CORPUS:-$srcdir/../shared/corpus}/torch
for f in "$C/dtu-jc/trace.json" "$C/zoology/trace.json" "$C"/param-dlrm-8rank/worker0*.json; do
	test -f "$f" || continue
	same "$f" all "${f#"$C/"}"
	same "$f" steady "${f#"$C/"}"
done
done_testing
