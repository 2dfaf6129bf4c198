#!/bin/sh
# um.t - unified memory: pages that migrate are copies by direction, apart from those that the program asked for; page faults
# are counted as rows of their table. Sums by hand.
. "${srcdir:-.}/tests/lib/tap.sh"

p=$((281474976710656 + 5 * 16777216))	# process 5 of the first virtual machine

# copy START END KIND BYTES SOURCE DESTINATION: a row; kinds 11 and 12 are migrations to and from the device
copy()
{
	echo "{\"start\":$1,\"end\":$2,\"copyKind\":$3,\"bytes\":$4,\"srcKind\":$5,\"dstKind\":$6,\"contextId\":1,\"correlationId\":0," \
		"\"deviceId\":0,\"globalPid\":$p,\"streamId\":0,\"migrationCause\":2,\"table\":\"CUPTI_ACTIVITY_KIND_MEMCPY\"}"
}
{
	echo '{"id":1,"table":"StringIds","value":"k"}'
	copy 100 200 11 65536 4 2
	copy 300 350 11 4096 4 2
	copy 400 430 12 8192 2 4
	copy 500 520 1 64 1 2
	for fault in 100 150 300; do
		echo "{\"start\":$fault,\"end\":$((fault + 10)),\"deviceId\":0,\"address\":4096,\"numberOfPageFaults\":2,\"globalPid\":$p," \
			"\"table\":\"CUDA_UM_GPU_PAGE_FAULT_EVENTS\"}"
	done
} >"$T/um.jsonl"

print() { "$PROFDIVE" print "$@" --no-cache --window all "$T/um.jsonl" 2>"$T/err"; }

# operation, count, time: 100 + 50, 30, 20; the mean of two is their median
print memops --format csv | tr -d '\r' | sed 1d | cut -d, -f1-5 >"$T/ops"
printf '%s\n' "UVM-HtoD,2,150,75,75" "UVM-DtoH,1,30,30,30" "HtoD,1,20,20,20" >"$T/want"
same "migrations by direction, and the copy" "$T/ops" "$T/want"
print memops --format json | sed -n 's/.*"operation": "\([^"]*\)".*"bytes": \([0-9]*\).*/\1 \2/p' >"$T/bytes"
printf '%s\n' "UVM-HtoD 69632" "UVM-DtoH 8192" "HtoD 64" >"$T/want"
same "their bytes" "$T/bytes" "$T/want"
ok "rows of page faults are counted" grep -q "CUDA_UM_GPU_PAGE_FAULT_EVENTS 3" <<EOF
$(print sources --format json)
EOF
done_testing
