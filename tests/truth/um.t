#!/bin/sh
# um.t - unified memory: pages that migrate are copies by direction, apart from those that the program asked for; what migrated and
# was touched, by address, in all and by cause. Sums by hand, and of a larger database by SQL.
. "${srcdir:-.}/tests/lib/tap.sh"

p=$((281474976710656 + 5 * 16777216))	# process 5 of the first virtual machine
file=$T/um.jsonl

# copy START END KIND BYTES SOURCE DESTINATION ADDRESS CAUSE: a row; kinds 11 and 12 are migrations to and from the device
copy()
{
	echo "{\"start\":$1,\"end\":$2,\"copyKind\":$3,\"bytes\":$4,\"srcKind\":$5,\"dstKind\":$6,\"contextId\":1,\"correlationId\":0," \
		"\"deviceId\":0,\"globalPid\":$p,\"streamId\":0,\"virtualAddress\":$7,\"migrationCause\":$8," \
		"\"table\":\"CUPTI_ACTIVITY_KIND_MEMCPY\"}"
}
{
	echo '{"id":1,"table":"StringIds","value":"k"}'
	echo '{"id":2,"table":"StringIds","value":"fill"}'
	echo '{"id":3,"table":"StringIds","value":"/bin/app"}'
	echo '{"id":4,"table":"StringIds","value":"app.cu"}'
	copy 100 200 11 65536 4 2 4096 2
	copy 300 350 11 4096 4 2 8192 1
	copy 400 430 12 8192 2 4 4096 4
	copy 500 520 1 64 1 2 0 0
	for fault in 100 150 300; do
		echo "{\"start\":$fault,\"end\":$((fault + fault / 10)),\"deviceId\":0,\"address\":4096,\"numberOfPageFaults\":2," \
			"\"globalPid\":$p,\"faultAccessType\":2,\"table\":\"CUDA_UM_GPU_PAGE_FAULT_EVENTS\"}"
	done
	for line in 7 7 9; do
		echo "{\"start\":50,\"globalPid\":$p,\"address\":8192,\"CpuInstruction\":2,\"module\":3,\"sourceFile\":4," \
			"\"sourceLine\":$line,\"table\":\"CUDA_UM_CPU_PAGE_FAULT_EVENTS\"}"
	done
} >"$file"

print() { "$PROFDIVE" print "$@" --no-cache --window all "$file" 2>"$T/err"; }

# columns VIEW COLUMN...: of the CSV, without its heading
columns()
{
	view=$1
	shift
	print "$view" --format csv | tr -d '\r' | awk -F, -v want="$*" '
		NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $(at[w[i]]); print line }'
}

# operation, count, time: 100 + 50, 30, 20; the mean of two is their median
columns memops operation count total_ns avg_ns median_ns >"$T/ops"
printf '%s\n' "UVM-HtoD,2,150,75,75" "UVM-DtoH,1,30,30,30" "HtoD,1,20,20,20" >"$T/want"
same "migrations by direction, and the copy" "$T/ops" "$T/want"
columns memops operation bytes >"$T/bytes"
printf '%s\n' "UVM-HtoD,69632" "UVM-DtoH,8192" "HtoD,64" >"$T/want"
same "their bytes" "$T/bytes" "$T/want"
ok "rows of page faults are counted" grep -q "CUDA_UM_GPU_PAGE_FAULT_EVENTS 3" <<EOF
$(print sources --format json)
EOF

sums="htod_bytes dtoh_bytes migrations time_ns cpu_faults gpu_faults"
columns umtotal $sums min_address max_address addresses >"$T/got"
echo "69632,8192,3,180,3,6,0x1000,0x2000,2" >"$T/want"
same "all of it" "$T/got" "$T/want"
columns umpages address $sums >"$T/got"
printf '%s\n' "0x1000,65536,8192,2,130,0,6" "0x2000,4096,0,1,50,3,0" >"$T/want"
same "by address" "$T/got" "$T/want"
# durations of the GPU's faults: 10, 15 and 30
columns umcauses kind name module file line faults count bytes total_ns median_ns min_ns max_ns >"$T/got"
printf '%s\n' "GPU fault,write,,,,6,3,,55,15,10,30" "CPU fault,fill,/bin/app,app.cu,7,2,2,,,,," \
	"CPU fault,fill,/bin/app,app.cu,9,1,1,,,,," "UVM-HtoD,page fault,,,,,1,65536,100,100,100,100" \
	"UVM-DtoH,eviction,,,,,1,8192,30,30,30,30" "UVM-HtoD,user prefetch,,,,,1,4096,50,50,50,50" >"$T/want"
same "by cause" "$T/got" "$T/want"
is "another device has nothing" "$(print umtotal --device 1 --format csv | sed 1d)" ""

# ---- a larger one, by SQL: addresses, kinds and numbers from a linear congruence ----
if ! command -v sqlite3 >/dev/null; then
	skip "no sqlite3"
	done_testing
	exit
fi
file=$T/um.sqlite
sqlite3 "$file" <<EOF
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1,'f1'),(2,'f2'),(3,'f3'),(9,'/bin/app');
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT,
	bytes INT, copyKind INT, srcKind INT, dstKind INT, migrationCause INT, virtualAddress INT);
CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start INT, globalPid INT, address INT, originalFaultPc INT, CpuInstruction INT, module INT,
	unresolvedFaultPc INT, SourceFile INT, SourceLine INT);
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start INT, end INT, globalPid INT, deviceId INT, address INT, numberOfPageFaults INT,
	faultAccessType INT);
CREATE TABLE r(i INT, a INT, b INT, c INT);
WITH RECURSIVE n(i, x) AS (SELECT 0, 7 UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 1999)
	INSERT INTO r SELECT i, (x >> 8) % 37, (x >> 4) % 1000, (x >> 12) % 5 FROM n;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT i * 1000, i * 1000 + 1 + b, 0, 1, 0, 0, $p, 4096 * (1 + c), 11 + a % 2, 4, 2, 1 + c,
	65536 * (1 + a) FROM r WHERE i % 3 = 0;
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS SELECT i * 1000, $p, 65536 * (1 + b % 41), 0, 1 + a % 3, 9, 0, 9, c FROM r WHERE i % 3 = 1;
INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS SELECT i * 1000, i * 1000 + b, $p, 0, 65536 * (1 + a), 1 + c, c FROM r WHERE i % 3 = 2;
DROP TABLE r;
EOF
sql() { sqlite3 -csv "$file" "$1" | tr -d '\r"' | sort; }
columns umpages address $sums | sort >"$T/got"
sql "SELECT printf('0x%x', a), sum(h), sum(d), sum(n), sum(t), sum(c), sum(g) FROM (
	SELECT virtualAddress a, (copyKind = 11) * bytes h, (copyKind = 12) * bytes d, 1 n, end - start t, 0 c, 0 g
		FROM CUPTI_ACTIVITY_KIND_MEMCPY
	UNION ALL SELECT address, 0, 0, 0, 0, 1, 0 FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS
	UNION ALL SELECT address, 0, 0, 0, 0, 0, numberOfPageFaults FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS) GROUP BY a" >"$T/want"
same "addresses as SQL adds them up" "$T/got" "$T/want"
columns umcauses kind name module file line faults count total_ns min_ns max_ns addresses | grep -v ^UVM | sort >"$T/got"
sql "SELECT 'CPU fault', s.value, m.value, m.value, nullif(sourceLine, 0), count(*), count(*), NULL, NULL, NULL, count(DISTINCT address)
	FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS JOIN StringIds s ON s.id = CpuInstruction JOIN StringIds m ON m.id = module GROUP BY 2, 5
	UNION ALL SELECT 'GPU fault', CASE faultAccessType WHEN 0 THEN 'unknown' WHEN 1 THEN 'read' WHEN 2 THEN 'write'
	WHEN 3 THEN 'atomic' ELSE 'prefetch' END, NULL, NULL, NULL, sum(numberOfPageFaults), count(*), sum(end - start),
	min(end - start), max(end - start), count(DISTINCT address) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS GROUP BY 2" >"$T/want"
same "what touched them" "$T/got" "$T/want"
columns umcauses kind name count bytes total_ns | grep ^UVM | sort >"$T/got"
sql "SELECT CASE copyKind WHEN 11 THEN 'UVM-HtoD' ELSE 'UVM-DtoH' END, CASE migrationCause WHEN 1 THEN 'user prefetch'
	WHEN 2 THEN 'page fault' WHEN 3 THEN 'speculative prefetch' WHEN 4 THEN 'eviction' ELSE 'access counters' END, count(*),
	sum(bytes), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1, 2" >"$T/want"
same "why they moved" "$T/got" "$T/want"
columns umtotal $sums addresses >"$T/got"
sql "SELECT (SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 11),
	(SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 12), (SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY),
	(SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY), (SELECT count(*) FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS),
	(SELECT sum(numberOfPageFaults) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS), (SELECT count(*) FROM (
	SELECT virtualAddress FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION SELECT address FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS
	UNION SELECT address FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS))" >"$T/want"
same "in all" "$T/got" "$T/want"

sqlite3 "$file" "DROP TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS"
columns umtotal cpu_faults | sed 's/^$/unknown/' >"$T/got"
is "faults that were not recorded are unknown, not 0" "$(cat "$T/got")" unknown
done_testing
