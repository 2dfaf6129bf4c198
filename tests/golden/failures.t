#!/bin/sh
# failures.t - return codes of CUDA calls: one that loses the device's state comes before every loss, also where GPU work is recorded,
# another error is told first among the findings, and answers of queries (600, not ready) are no errors.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace FILE KERNELS CODE...: calls of 1 ms, one every 2 ms, with these return codes; KERNELS kernels of 1 ms before them
trace()
{
	file=$1 kernels=$2
	shift 2
	printf '%s\n' '{"id":1,"table":"StringIds","value":"cudaDeviceSynchronize_v3020"}' \
		'{"id":2,"table":"StringIds","value":"volta_sgemm_128x64_nn"}' \
		'{"id":3,"table":"StringIds","value":"cudaLaunchKernel_v7000"}' >"$file"
	t=0 corr=1
	while [ $corr -le "$kernels" ]; do
		printf '{"start":%d,"end":%d,"eventClass":0,"globalTid":281474976710657,"correlationId":%d,"nameId":3,"returnValue":0,"table":"CUPTI_ACTIVITY_KIND_RUNTIME"}\n' \
			$t $((t + 5000)) $corr
		printf '{"start":%d,"end":%d,"deviceId":0,"contextId":1,"streamId":7,"globalPid":281474976710656,"correlationId":%d,"demangledName":2,"shortName":2,"table":"CUPTI_ACTIVITY_KIND_KERNEL"}\n' \
			$((t + 6000)) $((t + 1006000)) $corr
		t=$((t + 2000000)) corr=$((corr + 1))
	done >>"$file"
	for code in "$@"; do
		printf '{"start":%d,"end":%d,"eventClass":0,"globalTid":281474976710657,"correlationId":%d,"nameId":1,"returnValue":%d,"table":"CUPTI_ACTIVITY_KIND_RUNTIME"}\n' \
			$t $((t + 1000000)) $corr "$code"
		t=$((t + 2000000)) corr=$((corr + 1))
	done >>"$file"
}
# verdict FILE: the sentence on top; first FILE: id of the first finding
verdict() { "$PROFDIVE" --no-cache print overview --format csv "$1" 2>/dev/null | sed -n 's/^verdict,"\{0,1\}\(.*\)/\1/p' | head -n 1; }
first() { "$PROFDIVE" --no-cache print findings --format csv "$1" 2>/dev/null | sed -n 2p | cut -d , -f 1; }

trace "$T/void.jsonl" 0 0 600 700 700
case $(verdict "$T/void.jsonl") in
"2 CUDA calls failed, the first cudaDeviceSynchronize with 700 (illegal memory address): results and profile are void"*)
	pass "two calls failed, told first" ;;
*) fail "two calls failed, told first: $(verdict "$T/void.jsonl")" ;;
esac
is "the first finding" "$(first "$T/void.jsonl")" calls-fatal

trace "$T/beside.jsonl" 20 700
case $(verdict "$T/beside.jsonl") in
"1 CUDA call failed, the first cudaDeviceSynchronize with 700"*) pass "before every loss of the GPU" ;;
*) fail "before every loss of the GPU: $(verdict "$T/beside.jsonl")" ;;
esac
ok "and there are losses" test "$("$PROFDIVE" --no-cache print findings --format csv "$T/beside.jsonl" 2>"$T/err" | grep -c window)" -gt 1

trace "$T/refused.jsonl" 20 2 0
is "an error that the device survives is the first finding" "$(first "$T/refused.jsonl")" calls-failed
ok "but no verdict" test -z "$(verdict "$T/refused.jsonl" | grep "CUDA call")"
is "which call" "$("$PROFDIVE" --no-cache print calls --format csv --filter 'result > 0' "$T/refused.jsonl" 2>"$T/err" | grep -c '^0\{0,1\}')" 2

trace "$T/fine.jsonl" 20 600 600 0
is "answers are no errors" "$("$PROFDIVE" --no-cache print findings --format csv "$T/fine.jsonl" 2>"$T/err" | grep -c '^calls-fa')" 0

for f in void fine; do
	ok "no advice for torch about a file of nsys ($f)" test -z "$("$PROFDIVE" --no-cache summary "$T/$f.jsonl" 2>"$T/err" | grep torch.profiler)"
done
done_testing
