#!/bin/sh
# allrows.t - views with a row per event print all of them, in every format, however many: 100,050 calls, each with a kernel, in two NVTX
# ranges; rows, sums and last ids are known. Filter and limit hold over all. Screens turn pages.
. "${srcdir:-.}/tests/lib/tap.sh"

command -v sqlite3 >/dev/null || skip_all "no sqlite3"
p=$((281474976710656 + 5 * 16777216))	# process 5 of the first virtual machine

# i-th: call at 10 i us for 2 us, kernel 1 us later for 3 us, the ranges "outer" and "inner" around the call; the last call is another one
sqlite3 "$T/many.sqlite" <<EOT
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000'),(2,'k'),(3,'cuLaunchKernelWithALongerName'),(4,'last');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT,
	demangledName INT, shortName INT);
CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100049)
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10000, i * 10000 + 2000, 0, $p + 5, i + 1, CASE i WHEN 100049 THEN 3 ELSE 1 END, 0 FROM n;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 3000, start + 6000, 0, 1, 7, correlationId, $p, CASE nameId WHEN 3 THEN 4 ELSE 2 END, 2
	FROM CUPTI_ACTIVITY_KIND_RUNTIME;
INSERT INTO NVTX_EVENTS SELECT start, end + 1000, 59, 'outer', globalTid, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
INSERT INTO NVTX_EVENTS SELECT start, end + 500, 59, 'inner', globalTid, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
EOT

rows() { timeout 300 "$PROFDIVE" --no-cache print "$@" --window all "$T/many.sqlite" 2>"$T/err"; }
# column VIEW NAME: rows and the sum of a column
column()
{
	rows "$1" --format csv | tr -d '\r' | awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		{ sum += $c } END { printf("%d %.0f\n", NR - 1, sum) }'
}

is "instances: all kernels, 3 us each" "$(column instances dur_ns)" "100050 300150000"
is "calls: all, 2 us each" "$(column calls dur_ns)" "100050 200100000"
is "nvtxtrace: all ranges, 3 and 2.5 us" "$(column nvtxtrace dur_ns)" "200100 550275000"
is "nvtxproj: all ranges, 3 us of work each" "$(column nvtxproj sum_ns)" "200100 600300000"
is "ids and parents go on over chunks" "$(rows nvtxtrace --format csv --filter 'id >= 200098' | tr -d '\r' | cut -d, -f 9-10 | tail -n 2)" \
	"200098,
200099,200098"
is "the same of projected ranges" "$(rows nvtxproj --format csv --filter 'id >= 200098' | tr -d '\r' | cut -d, -f 15-16 | tail -n 2)" \
	"200098,
200099,200098"
is "no note says that rows are left out" "$(rows calls --format json | tail -n 1 | grep -c 'only the first\|rows .* to ')" 0
is "json has all rows" "$(rows calls --format json | grep -c '"dur_ns":')" 100050
rows calls >"$T/table"
is "so has the table, below one head" "$(grep -c 'cudaLaunchKernel\|LongerName' "$T/table") $(grep -c 'On GPU' "$T/table") $(tail -n 1 "$T/table" | cut -c 1-9)" \
	"100050 1 * source "
is "and Markdown" "$(rows calls --format md | grep -c '^| .*LaunchKernel')" 100050
is "a limit counts over chunks" "$(rows calls --format csv --limit 20000 | wc -l | tr -d ' ')" 20001
is "a filter looks at all" "$(rows calls --format csv --filter 'name ~ "WithALongerName"' | tail -n +2 | cut -d, -f 1)" 1000490000
is "an order, too" "$(rows calls --format csv --sort start_ns,desc --limit 1 | tail -n +2 | cut -d, -f 1)" 1000490000

# each call: the second page, its end, the last page, the first page again
cat >"$T/script" <<'EOT'
window all
runtime
view 3
expect 1-10000 of 100050
key End
key Down
expect 10001-20000 of 100050
key Up
expect 1-10000 of 100050
key Down
key End
key End
expect 100001-100050 of 100050
expect cuLaunchK
key Home
key Home
expect 1-10000 of 100050
EOT
timeout 100 "$PROFDIVE" --no-cache --script "$T/script" --screen 120x24 "$T/many.sqlite" >"$T/screen" 2>&1
is "the screen turns pages" "$?" 0
done_testing
