#!/bin/sh
# large.t: inputs on which anything but a linear pass would take hours: a million events that overlap in one stream, recursion
# 100 000 calls deep, an operator track in which no event ends before the next begins. Every view, the report and the explorer.
. "${srcdir:-.}/tests/lib/tap.sh"

limit=240
command -v timeout >/dev/null || skip_all "no timeout command"

# trace KIND N: on stdout; event i begins at i us
trace()
{
	awk -v kind="$1" -v n="$2" 'BEGIN {
		print "{\"schemaVersion\": 1, \"traceEvents\": ["
		for (i = 0; i < n; i++) {
			sep = i ? "," : ""
			if (kind == "stream")	# each lasts for ten times all starts: n at once
				printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}}\n", sep, i % 50, i, 10 * n
			else if (kind == "overlap")
				printf "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::f%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}\n", sep, i % 50, i, 10 * n
			else if (kind == "nest")
				printf "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::f\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}\n", sep, i, 2 * (n - i)
			else
				printf "%s{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"a.py(3): f%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"Python id\":%d}}\n", sep, i % 50, i, 2 * (n - i), i
		}
		print "]}"
	}'
}

# view NAME FILE: the rows of a view as CSV in $T/out
view()
{
	timeout "$limit" "$PROFDIVE" print "$1" --window all --format csv "$2" >"$T/out" 2>"$T/err"
}

# cell ROW COLUMN: a figure of $T/out by the title of its column (no cell before it holds a comma)
cell()
{
	tr -d '\r' <"$T/out" | awk -F, -v row="$1" -v col="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) at = i }
		NR == row + 1 { print $at }'
}

cat >"$T/keys" <<'TXT'
timeline
key + + + l l L n N
same-next
key ] [ G g
kernels
key j Enter j Enter
ops
unfold-all
key G Enter
key C-o
python
unfold-all
key G k k Enter
save-screen -
TXT

n=1000000
trace stream $n >"$T/stream.json"
ok "a million kernels at once in one stream: loads" view sources "$T/stream.json"
is "all of them" "$(cell 1 events)" $n
ok "the view of the device" view gpu "$T/stream.json"
# from 0 to (n - 1) + 10 n us without a gap
is "busy from the first to the last" "$(cell 1 compute_ns)" "$((11 * n - 1))000"
is "never idle" "$(cell 1 idle_ns)" 0
is "the sum of a million durations of 10 s" "$(cell 1 kernel_sum_ns)" "$((10 * n * n))000"
rm "$T/stream.json"

n=100000
for kind in stream overlap nest python; do
	trace $kind $n >"$T/$kind.json"
	ok "$kind of $n: loads" view sources "$T/$kind.json"
	is "$kind of $n: whole" "$(cell 1 events)" $n
	for v in streams instances optree chains callers stacks layers; do	# the report has the others
		ok "$kind of $n: $v" view $v "$T/$kind.json"
	done
	case $kind in
	overlap) want=$((11 * n - 1))000 ;;
	nest) want=$((2 * n))000 ;;
	*) want= ;;
	esac
	if test -n "$want"; then
		view ops "$T/$kind.json"
		is "$kind of $n: the selfs sum to the union" "$(tr -d '\r' <"$T/out" | awk -F, '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i == "self_ns") at = i; next } { s += $at } END { printf "%.0f", s }')" "$want"
	fi
	# no line grows with the depth of the tree
	for format in table md; do
		timeout "$limit" "$PROFDIVE" print optree --window all --format $format "$T/$kind.json" 2>"$T/err" |
			awk 'length > max { max = length } END { print max + 0 }' >"$T/longest"
		ok "$kind of $n: the tree in lines of at most 2000 bytes ($format)" test "$(cat "$T/longest")" -le 2000
	done
	ok "$kind of $n: the report" timeout "$limit" "$PROFDIVE" report -o "$T/report" --window all "$T/$kind.json"
	ok "$kind of $n: the explorer" timeout "$limit" "$PROFDIVE" --script "$T/keys" --window all "$T/$kind.json"
	rm -rf "$T/$kind.json" "$T/report"
done

# ---- many of a kind ----------------------------------------------------------------------------

n=100000
awk -v n=$n 'BEGIN {
	print "{\"schemaVersion\": 1, \"traceEvents\": ["
	for (i = 0; i < n; i++)
		printf "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":10}\n", i ? "," : "", i, 10 * i
	print "]}" }' >"$T/steps.json"
ok "$n steps: the view" view steps "$T/steps.json"
is "$n steps: all of them" "$(($(wc -l <"$T/out") - 1))" $n
ok "$n steps: the overview" view overview "$T/steps.json"
rm "$T/steps.json"

# device i has one kernel, process i a step and a call: each asks for its own tracks, not for all
for kind in device process; do
	# what is computed for each process looks at all devices' work where nobody says whose it is
	test $kind = device && n=2000 || n=3000
	awk -v n=$n -v kind=$kind 'BEGIN {
		print "{\"schemaVersion\": 1, \"traceEvents\": ["
		for (i = 0; i < n; i++) {
			d = kind == "device" ? i : 0
			p = kind == "device" ? 1 : i + 1
			printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,\"tid\":7,\"ts\":%d,\"dur\":4,\"args\":{\"device\":%d,\"stream\":7,\"correlation\":%d}},\n",
				i ? "," : "", d, 10 * i + 4, d, i
			printf "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":9},\n", i, p, p, 10 * i
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}}\n",
				p, p, 10 * i + 1, i
		}
		print "]}" }' >"$T/many.json"
	ok "$n: one $kind each" timeout 60 "$PROFDIVE" print overview "$T/many.json"
	ok "$n: one $kind each, the devices" view gpu "$T/many.json"
	is "$n: one $kind each, all kernels are busy" "$(tr -d '\r' <"$T/out" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kernel_sum_ns") at = i; next } { s += $at } END { printf "%.0f", s }')" $((n * 4000))
	rm "$T/many.json"
done

# ---- an export cut at many places --------------------------------------------------------------

"$TRACEGEN" --kind run --steps 4 --layers 2 --out "$T/run"
db=$T/run/train.sqlite
size=$(wc -c <"$db")
odd=0 tried=0
for tenth in 1 2 3 4 5 6 7 8 9; do
	head -c "$((size * tenth / 10))" "$db" >"$T/cut.sqlite"
	got=0
	timeout "$limit" "$PROFDIVE" print sources "$T/cut.sqlite" >"$T/out" 2>"$T/err" || got=$?
	tried=$((tried + 1))
	case $got in
	1 | 3) grep -q "^profdive: $T/cut.sqlite: " "$T/err" && ! grep -v "^profdive: $T/cut.sqlite: " "$T/err" || odd=$((odd + 1)) ;;
	*) odd=$((odd + 1)) && diag "cut at $tenth tenths: status $got" ;;
	esac
done
is "an export cut at $tried places: status 1 or 3, and lines that say so" "$odd" 0
done_testing
