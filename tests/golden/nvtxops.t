#!/bin/sh
# nvtxops.t - NVTX ranges named like operators are operators: where they are there, nobody is told that operators are missing.
# And Enter on a row of the copies leads to the longest of them.
. "${srcdir:-.}/tests/lib/tap.sh"

command -v sqlite3 >/dev/null || skip_all "no sqlite3"
p=$((281474976710656 + 5 * 16777216))	# process 5 of the first virtual machine

# db FILE RANGE: ten launches, each in a range, 1 ms apart; kernels of 100 us; two copies, the second is the longer one
db()
{
	sqlite3 "$1" <<-EOT
	CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
	INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000'),(2,'k'),(3,'cudaMemcpyAsync_v3020');
	CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT,
		demangledName INT, shortName INT);
	CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT,
		bytes INT, copyKind INT, srcKind INT, dstKind INT);
	CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
	WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 1000000 + 1000, i * 1000000 + 6000, 0, $p + 5, i + 1, 1, 0 FROM n;
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 9000, start + 109000, 0, 1, 7, correlationId, $p, 2, 2 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
	INSERT INTO NVTX_EVENTS SELECT start - 500, end + 500, 59, '$2', globalTid, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2500000, 2504000, 0, $p + 5, 20, 3, 0), (5500000, 5504000, 0, $p + 5, 21, 3, 0);
	INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2510000, 2530000, 0, 1, 7, 20, $p, 1000000, 1, 1, 2), (5510000, 5580000, 0, 1, 7, 21, $p, 3500000, 1, 1, 2);
	EOT
}

missing() { "$PROFDIVE" --no-cache print overview --format csv --window all "$1" | grep -c '^missing.*operators ('; }
fired() { "$PROFDIVE" --no-cache print findings --format csv --window all --filter 'id = record-ops' "$1" | tail -n +2 | wc -l | tr -d ' '; }

db "$T/ops.sqlite" aten::mm
db "$T/ranges.sqlite" fetch
is "ranges named like operators are operators" "$("$PROFDIVE" --no-cache print ops --format csv --window all "$T/ops.sqlite" | tr -d '\r' | sed -n 2p | cut -d, -f1-2)" aten::mm,10
is "then none are missing" "$(missing "$T/ops.sqlite") $(fired "$T/ops.sqlite")" "0 0"
is "other ranges are none, and the idle device cannot be explained" "$(missing "$T/ranges.sqlite") $(fired "$T/ranges.sqlite")" "1 1"

# 70 us at 5.51 ms
cat >"$T/script" <<'EOT'
key 7
expect 4.50 MB
key Enter
expect HtoD
expect 70.00 µs
EOT
cat >"$T/narrow" <<'EOT'
key 5
key j
expect cudaMemcpyAsync
key Enter
key 3
expect no rows in this window
reject Kernels come from
EOT
status "kernels of a call that copies: none, but the file has some" 0 "$PROFDIVE" --no-cache --window all --script "$T/narrow" "$T/ops.sqlite"
diag_file "$T/err"
status "Enter on the copies: the longest one" 0 "$PROFDIVE" --no-cache --window all --script "$T/script" "$T/ops.sqlite"
diag_file "$T/err"
done_testing
