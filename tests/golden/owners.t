#!/bin/sh
# owners.t - whose event it is: traces of several ranks merged into one file, by numbers, by text, on devices of one number; processes
# named by a word or by a negative number have a main thread and a breakdown as others have.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# Two ranks with three steps of 2 ms and two launches in each; rank 0 runs aten::mm and kernels `gemm` of 90 us, rank 1 aten::add and `plus`
# of 60 us. $1, $2: their pids as JSON; $3, $4: pids of their devices; $5: the number of rank 1's device; $6: what is added to its ids.
ranks() {
	awk -v p0="$1" -v p1="$2" -v g0="$3" -v g1="$4" -v dev1="$5" -v more="$6" '
	function put(cat, name, pid, tid, ts, dur, args) {
		printf("%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%s,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{%s}}",
			sep, cat, name, pid, tid, ts, dur, args)
		sep = ",\n"
	}
	function rank(r, pid, gpu, device, op, kernel, dur, add,  s, k, t, id) {
		for (s = 0; s < 3; s++) {
			t = 1000 + 2000 * s
			put("user_annotation", "ProfilerStep#" (5 + s), pid, 100 + r, t, 1990, "")
			for (k = 0; k < 2; k++) {
				id = "\"correlation\":" (2 * s + k + 1 + add)
				put("cpu_op", op, pid, 100 + r, t + 100 + 200 * k, 50, "")
				put("cuda_runtime", "cudaLaunchKernel", pid, 100 + r, t + 110 + 200 * k, 10, id)
				put("kernel", kernel, gpu, 7, t + 130 + 200 * k, dur, "\"device\":" device ",\"stream\":7," id)
			}
		}
	}
	BEGIN {
		printf("{\"traceEvents\":[\n")
		rank(0, p0, g0, 0, "aten::mm", "gemm", 90, 0)
		rank(1, p1, g1, dev1, "aten::add", "plus", 60, more)
		printf("\n]}\n")
	}'
}
# VIEW FILE: its rows as JSON
rows() { "$PROFDIVE" --no-cache print "$1" --window all --format json "$2" 2>/dev/null; }
pairs() {
	rows opkernels "$1" | sed -n 's/.*{"op": \([^,]*\), "kernel": \([^,]*\),.*"total_ns": \([0-9]*\),.*/\1 \2 \3/p' | tr -d '"' | sort | paste -sd';'
}
# rows of the breakdown summed per process: each is the wall of that process, 5.99 ms from the first step's start to the last one's end
walls() {
	rows breakdown "$1" | sed -n 's/.*"time_ns": \([0-9]*\),.*"process": \([-0-9]*\).*/\2 \1/p' |
		awk '{ sum[$1] += $2 } END { for (p in sum) print p, sum[p] }' | sort | paste -sd';'
}
mains() { rows threads "$1" | grep '"role": "main"' | sed 's/.*{"pid": \([-0-9]*\), "tid": \([-0-9]*\),.*/\1 \2/' | sort | paste -sd';'; }

ranks 100 101 0 1 1 0 >same.json
is "numbers with the same ids: nobody knows the launch" "$(pairs same.json)" "null gemm 540000;null plus 360000"

ranks 100 101 0 1 1 3 >some.json
is "some ids of one process alone: they tell whose device it is" "$(pairs some.json)" "aten::add plus 360000;aten::mm gemm 540000"

ranks 100 101 0 0 0 3 >one.json
is "one device: only those ids are known" "$(pairs one.json)" \
	"aten::add plus 180000;aten::mm gemm 270000;null gemm 270000;null plus 180000"

ranks '"[TP00] 100"' '"[TP01] 101"' '"[TP00] 0"' '"[TP01] 1"' 1 0 >text.json
is "pids as text: by rank" "$(pairs text.json)" "aten::add plus 360000;aten::mm gemm 540000"
is "each has its main thread" "$(mains text.json)" "100 100;101 101"
is "its steps" "$(rows steps text.json | grep -c '^ .*"marker": "ProfilerStep#[567]"')" 6
is "and its breakdown" "$(walls text.json)" "100 5990000;101 5990000"

ranks '"[TP00] 83"' '"[TP01] 83"' '"[TP00] 0"' '"[TP01] 0"' 0 0 >both.json
is "one number in two texts is two processes" "$(mains both.json)" "1000000001 101;83 100"
is "on devices of one number: by rank" "$(pairs both.json)" "aten::add plus 360000;aten::mm gemm 540000"
is "which are two devices" "$(rows gpu both.json | sed -n 's/.*"device": \([0-9]*\),.*"kernel_sum_ns": \([0-9]*\),.*/\1 \2/p' | sort -n | paste -sd';')" \
	"0 540000;2000 360000"

ranks -7 -8 0 1 1 3 >negative.json
is "a negative pid is a process" "$(walls negative.json | sed 's/^[0-9]* //; s/;[0-9]* /;/')" "5990000;5990000"

printf '[%s,%s,%s]\n' '{"name": "mm", "ph": "X", "ts": 10, "dur": 30, "tid": 0, "pid": "CPU functions", "args": {}}' \
	'{"name": "add", "ph": "X", "ts": 50, "dur": 20, "tid": 0, "pid": "CPU functions", "args": {}}' \
	'{"name": "k", "ph": "X", "ts": 20, "dur": 5, "tid": 1, "pid": "CUDA functions", "args": {}}' >old.json
is "a pid that is a word has its breakdown, 60 us long" "$(walls old.json | sed 's/.* //')" 60000
done_testing
