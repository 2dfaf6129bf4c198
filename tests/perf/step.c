/*
 * step.c - `bench step`: the floor under a reader of databases by the API: the columns that our loader wants of each table that has
 * events, of every row, in file order, and nothing else done with them. Columns that a table lacks are left out.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "tests/perf/bench.h"
#include "tests/perf/measure.h"

/* As in src/load/nsys/gpu.c, host.c and nsys/nvtx.c; *: text */
#define GPU "start end deviceId contextId streamId correlationId globalPid graphNodeId"
static const struct {
	const char *table, *columns;
} tables[] = {
	{ "CUPTI_ACTIVITY_KIND_KERNEL", GPU " demangledName shortName mangledName registersPerThread gridX gridY gridZ blockX blockY blockZ"
		" staticSharedMemory dynamicSharedMemory" },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY", GPU " bytes copyKind srcKind dstKind virtualAddress migrationCause" },
	{ "CUPTI_ACTIVITY_KIND_MEMSET", GPU " bytes memKind" },
	{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", GPU },
	{ "CUPTI_ACTIVITY_KIND_RUNTIME", "start end globalTid nameId correlationId eventClass returnValue" },
	{ "OSRT_API", "start end globalTid nameId correlationId eventClass returnValue" },
	{ "NVTX_EVENTS", "start end eventType *text textId globalTid domainId jsonTextId uint64Value *jsonText int64Value doubleValue"
		" uint32Value int32Value floatValue" },
};
enum { COLUMNS_MAX = 32 };

struct step {
	sqlite3 *db;
	uint64_t rows, sum;
};

static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* SELECT of the columns that are there; returns their number, a bit of *text for those that are text. */
static int make_select(sqlite3 *db, const char *table, const char *columns, char *sql, size_t size, uint32_t *text)
{
	char words[512], *save = NULL;
	int n = 0, at = snprintf(sql, size, "SELECT ");

	snprintf(words, sizeof(words), "%s", columns);
	*text = 0;
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		bool is_text = *w == '*';

		if (!has_column(db, table, w + is_text))
			continue;
		*text |= (uint32_t)is_text << n;
		at += snprintf(sql + at, size - (size_t)at, "%s%s", n++ ? "," : "", w + is_text);
	}
	snprintf(sql + at, size - (size_t)at, " FROM %s", table);
	return n;
}

static bool step_table(struct step *s, const char *table, const char *columns)
{
	char sql[1024];
	uint32_t text;
	int n = make_select(s->db, table, columns, sql, sizeof(sql), &text), rc;
	sqlite3_stmt *st = NULL;

	if (!n)
		return true;
	if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
		return false;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			s->sum += text >> i & 1 ? (uint64_t)(sqlite3_column_text(st, i) ? sqlite3_column_bytes(st, i) : 0) :
				(uint64_t)sqlite3_column_int64(st, i);
		s->rows++;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE;
}

int bench_step(int argc, char **argv)
{
	struct step s = { 0 };
	double since = now_s();
	bool ok;

	if (argc != 1)
		return BENCH_USAGE;
	ok = sqlite3_open_v2(argv[0], &s.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;
	for (size_t i = 0; ok && i < sizeof(tables) / sizeof(tables[0]); i++)
		ok = step_table(&s, tables[i].table, tables[i].columns);
	if (ok)
		printf("peer=sqlite3_step version=%s impl=API seconds=%.6f anon_kib=%" PRId64 " events=%" PRIu64 "\n", sqlite3_libversion(),
			now_s() - since, anonymous_bytes() / 1024, s.rows);
	else
		fprintf(stderr, "%s: %s\n", argv[0], sqlite3_errmsg(s.db));
	sqlite3_close(s.db);
	return ok ? 0 : 1;
}
