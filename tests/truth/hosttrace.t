#!/bin/sh
# hosttrace.t - calls and NVTX ranges one by one: what the tables of a database say, counted, nested and joined by SQL.
. "${srcdir:-.}/tests/lib/tap.sh"

command -v sqlite3 >/dev/null || skip_all "no sqlite3"
p=$((281474976710656 + 5 * 16777216))	# process 5 of the first virtual machine
db=$T/host.sqlite

# 600 calls on two threads, every third with a kernel or two; ranges on both threads in two domains: 40 long ones, in each some short
# ones that lie in it or reach beyond its end, and some that are as long as the one around them
sqlite3 "$db" <<EOF
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000'),(2,'cuStreamSynchronize'),(3,'cudaMemcpyAsync_v3020'),(4,'k');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT,
	demangledName INT, shortName INT);
CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
CREATE TABLE r(i INT, a INT, b INT);
WITH RECURSIVE n(i, x) AS (SELECT 0, 7 UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 599)
	INSERT INTO r SELECT i, (x >> 8) % 97, (x >> 4) % 800 FROM n;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 1000, i * 1000 + 1 + b, i % 3 = 1, $p + 5 + i % 2, i + 1, 1 + i % 3, 0 FROM r;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 1000 + 500, i * 1000 + 510 + b, 0, 1, 7, i + 1, $p, 4, 4 FROM r WHERE i % 3 = 0;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 1000 + 2500, i * 1000 + 2501 + a, 0, 1, 7, i + 1, $p, 4, 4 FROM r WHERE i % 6 = 0;
INSERT INTO NVTX_EVENTS SELECT i * 10000, i * 10000 + 9000, 59, 'long ' || i, $p + 5 + i % 2, 0 FROM r WHERE i < 40;
INSERT INTO NVTX_EVENTS SELECT (i % 40) * 10000 + 10 * b, (i % 40) * 10000 + 10 * b + 100 + 20 * a, 59, 'short ' || i, $p + 5 + i % 2, i % 3 = 0
	FROM r WHERE i < 400;
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'other', $p + 5, 1), (500, 700, 60, 'start/end', $p + 5, 0);
DROP TABLE r;
EOF

columns()
{
	view=$1
	shift
	"$PROFDIVE" print "$view" --format csv --no-cache --window all "$db" 2>"$T/err" | tr -d '\r' | awk -F, -v want="$*" '
		NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $(at[w[i]]); print line }'
}
sql() { sqlite3 -csv "$db" "$1" | tr -d '\r"'; }

columns calls start_ns dur_ns name api tid work device_ns >"$T/got"
sql "SELECT r.start, r.end - r.start, s.value, CASE eventClass WHEN 1 THEN 'driver' ELSE 'runtime' END, globalTid & 16777215,
	(SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k WHERE k.correlationId = r.correlationId),
	(SELECT ifnull(sum(k.end - k.start), 0) FROM CUPTI_ACTIVITY_KIND_KERNEL k WHERE k.correlationId = r.correlationId)
	FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = nameId ORDER BY r.start" >"$T/want"
same "every call with its work" "$T/got" "$T/want"
is "all 600 of them" "$(wc -l <"$T/got" | tr -d ' ')" 600

# the shortest range around it on its thread; of equal ones the one that was written later lies inside
cat >"$T/parents.sql" <<EOF
WITH n AS (SELECT rowid AS id, start, end, text, globalTid AS t FROM NVTX_EVENTS WHERE eventType = 59),
up AS (SELECT n.*, (SELECT p.id FROM n p WHERE p.t = n.t AND p.start <= n.start AND p.end >= n.end AND p.id <> n.id
	AND (p.end - p.start > n.end - n.start OR p.id < n.id) ORDER BY p.end - p.start, p.start DESC, p.id DESC LIMIT 1) AS parent FROM n)
SELECT u.start, u.end - u.start, (SELECT ifnull(sum(c.end - c.start), 0) FROM up c WHERE c.parent = u.id), u.text,
	(SELECT count(*) FROM up c WHERE c.parent = u.id), (SELECT text FROM n WHERE n.id = u.parent), u.t & 16777215 FROM up u;
EOF
sqlite3 -csv "$db" <"$T/parents.sql" | tr -d '\r"' | sort >"$T/want"
columns nvtxtrace start_ns dur_ns child_ns name children parent tid id >"$T/rows"
awk -F, '{ name[$8] = $4; row[NR] = $0 }
	END { for (i = 1; i <= NR; i++) { split(row[i], c, ","); print c[1] "," c[2] "," c[3] "," c[4] "," c[5] "," (c[6] == "" ? "" : name[c[6]]) "," c[7] } }' \
	"$T/rows" | sort >"$T/got"
same "every push/pop range with what lies inside, and the one around it" "$T/got" "$T/want"
is "some lie in another" "$(cut -d, -f6 "$T/got" | grep -c .)" "$(cut -d, -f6 "$T/want" | grep -c .)"
is "self is the rest" "$(columns nvtxtrace dur_ns child_ns self_ns | awk -F, '$1 - $2 != $3' | wc -l | tr -d ' ')" 0
done_testing
