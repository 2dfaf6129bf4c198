/* The nsys export: SQLite as of 2025.1, the tables that a training capture has, rows not sorted by
 * time. */
#include "out_nsys.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GID(tid) NSYS_GID(tid)
#define OTHER_GID(pid, tid) ((INT64_C(1) << 48) | ((int64_t)(pid) << 24) | (tid))

static const char schema[] =
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE ProcessStreams (globalPid INTEGER NOT NULL, filenameId INTEGER NOT NULL, "
	"contentId INTEGER NOT NULL);"
	"CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, name "
	"TEXT NOT NULL, "
	"nameEnum INTEGER NOT NULL, value TEXT NOT NULL);"
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime "
	"TEXT);"
	"CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, "
	"startTime INTEGER NOT NULL, "
	"stopTime INTEGER NOT NULL);"
	"CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
	"busLocation TEXT, isDiscrete INTEGER, "
	"l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, "
	"smCount INTEGER, pwGpuId INTEGER, "
	"uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, maxRegistersPerSm INTEGER, "
	"threadsPerWarp INTEGER, "
	"asyncEngines INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, maxThreadsPerBlock "
	"INTEGER, maxShmemPerSm INTEGER, "
	"computeMajor INTEGER, computeMinor INTEGER, smMajor INTEGER, smMinor INTEGER);"
	"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER "
	"NOT NULL);"
	"CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId INTEGER NOT NULL, hwId INTEGER "
	"NOT NULL, vmId INTEGER NOT NULL, "
	"processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
	"parentContextId INTEGER, "
	"isGreenContext INTEGER);"
	"CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, "
	"vmId INTEGER NOT NULL, "
	"processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER NOT NULL, flag "
	"INTEGER NOT NULL);"
	"CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
	"CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
	"CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER NOT "
	"NULL, source INTEGER NOT NULL, "
	"severity INTEGER NOT NULL, text TEXT NOT NULL, globalPid INTEGER);"
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);"
	"CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label "
	"TEXT);"
	"CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"deviceId INTEGER NOT NULL, "
	"contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, "
	"bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind "
	"INTEGER, dstKind INTEGER, "
	"srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, "
	"migrationCause INTEGER, "
	"graphNodeId INTEGER, virtualAddress INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"deviceId INTEGER NOT NULL, "
	"contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, "
	"value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"deviceId INTEGER NOT NULL, "
	"contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, "
	"demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "
	"launchType INTEGER, cacheConfig INTEGER, "
	"registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
	"gridZ INTEGER NOT NULL, "
	"blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
	"staticSharedMemory INTEGER NOT NULL, "
	"dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, "
	"localMemoryTotal INTEGER NOT NULL, "
	"gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
	"sharedMemoryLimitConfig INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
	"NULL, deviceId INTEGER NOT NULL, "
	"contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, "
	"deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, "
	"eventSyncId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"eventClass INTEGER NOT NULL, "
	"globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER "
	"NOT NULL, callchainId INTEGER);"
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT "
	"NULL, rangeId INTEGER, "
	"category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
	"textId INTEGER, domainId INTEGER, "
	"uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, "
	"int32Value INTEGER, floatValue REAL, "
	"jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);";

void db_check(struct db *db, int rc, const char *what)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		die("sqlite: %s: %s", what, sqlite3_errmsg(db->h));
}

sqlite3_stmt *db_prepare(struct db *db, const char *table, const char *shape)
{
	char sql[512];
	int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (", table);
	sqlite3_stmt *st;

	for (size_t i = 0; shape[i]; i++)
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, i ? ",?" : "?");
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	db_check(db, sqlite3_prepare_v2(db->h, sql, -1, &st, NULL), sql);
	return st;
}

void db_row(struct db *db, sqlite3_stmt *st, const char *shape, ...)
{
	va_list ap;

	va_start(ap, shape);
	for (int i = 0; shape[i]; i++) {
		if (shape[i] == 'i')
			sqlite3_bind_int64(st, i + 1, va_arg(ap, int64_t));
		else if (shape[i] == 's')
			sqlite3_bind_text(
				st, i + 1, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
		else
			sqlite3_bind_null(st, i + 1);
	}
	va_end(ap);
	db_check(db, sqlite3_step(st), "insert");
	sqlite3_reset(st);
}

int64_t db_string(struct db *db, const char *s)
{
	for (int i = 0; i < db->nstrings; i++)
		if (db->strings[i] == s || strcmp(db->strings[i], s) == 0)
			return i;
	if (db->nstrings == 512)
		die("too many strings");
	db->strings[db->nstrings] = s;
	return db->nstrings++;
}

static void put_pairs(struct db *db, const char *table, const char *const (*pairs)[2], size_t n)
{
	sqlite3_stmt *st = db_prepare(db, table, "ss");

	for (size_t i = 0; i < n; i++)
		db_row(db, st, "ss", pairs[i][0], pairs[i][1]);
	sqlite3_finalize(st);
}

static void put_meta(struct db *db)
{
	static const char *const exported[][2] = {
		{ "EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems" },
		{ "EXPORT_PRODUCT_VERSION", "2025.1.3.140" },
		{ "EXPORT_SCHEMA_VERSION", "3.17.2" },
		{ "EXPORT_SCHEMA_VERSION_MAJOR", "3" },
		{ "EXPORT_SCHEMA_VERSION_MINOR", "17" },
		{ "EXPORT_SCHEMA_VERSION_MICRO", "2" },
		{ "EXPORT_PLATFORM", "linux-desktop" },
		{ "EXPORT_ARCH", "x64" },
		{ "EXPORT_PARAM_LAZY", "true" },
		{ "EXPORT_PARAM_TIME_NORMALIZE", "false" },
		{ "EXPORT_PARAM_TIME_SHIFT", "0" },
	};
	static const char *const captured[][2] = {
		{ "CAPTURE_EVENT_TYPE", "Cuda" },
		{ "CAPTURE_EVENT_TYPE", "NvtxEvents" },
		{ "START_TRIGGER", "Immediate" },
		{ "PROCESS_0:COMMAND", "python3" },
		{ "PROCESS_0:ARGUMENT_0", "train.py" },
		{ "CUDA_GRAPH_TRACE_OPTIONS:MODE", "Graph" },
	};

	put_pairs(db, "META_DATA_EXPORT", exported, sizeof(exported) / sizeof(exported[0]));
	put_pairs(db, "META_DATA_CAPTURE", captured, sizeof(captured) / sizeof(captured[0]));
}

static void put_enum(struct db *db, const char *table, const char *const *labels, int64_t n)
{
	sqlite3_stmt *st = db_prepare(db, table, "iss");

	for (int64_t i = 0; i < n; i++)
		db_row(db, st, "iss", i, labels[i], labels[i]);
	sqlite3_finalize(st);
}

static void put_enums(struct db *db)
{
	static const char *const copies[] = { "Unknown", "Host-to-Device", "Device-to-Host",
		"Host-to-Array", "Array-to-Host", "Array-to-Array", "Array-to-Device",
		"Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer" };
	static const char *const kinds[] = { "Pageable", "Pinned", "Device", "Array", "Managed",
		"Device Static", "Managed Static", "Unknown" };

	put_enum(db, "ENUM_CUDA_MEMCPY_OPER", copies, 11);
	put_enum(db, "ENUM_CUDA_MEM_KIND", kinds, 8);
}

/* CUDA ordinal 0 is nsys's GPU 1: only TARGET_INFO_CUDA_DEVICE tells. */
static void put_devices(struct db *db)
{
	sqlite3_stmt *st = db_prepare(db, "TARGET_INFO_GPU", "iissiiiiiiisisiiiiiiiiiiii");

	for (int64_t i = 0; i < 2; i++)
		db_row(db, st, "iissiiiiiiisisiiiiiiiiiiii", INT64_C(1) << 48, i,
			"NVIDIA H100 80GB HBM3", i ? "0000:2a:00.0" : "0000:1b:00.0", INT64_C(1),
			INT64_C(52428800), INT64_C(85045477376), INT64_C(3352320000000),
			INT64_C(1980000000), INT64_C(132), i,
			i ? "00000000-0000-0000-0000-000000000002"
			  : "00000000-0000-0000-0000-000000000001",
			INT64_C(0), "GH100", 1 - i, INT64_C(65536), INT64_C(32), INT64_C(3),
			INT64_C(64), INT64_C(32), INT64_C(1024), INT64_C(233472), INT64_C(9),
			INT64_C(0), INT64_C(9), INT64_C(0));
	sqlite3_finalize(st);
	st = db_prepare(db, "TARGET_INFO_CUDA_DEVICE", "iii");
	db_row(db, st, "iii", INT64_C(1), (int64_t)GEN_DEVICE, (int64_t)GEN_PID);
	sqlite3_finalize(st);
	st = db_prepare(db, "TARGET_INFO_CUDA_CONTEXT_INFO", "iiiiiini");
	db_row(db, st, "iiiiiini", INT64_C(7), INT64_C(0), INT64_C(1), (int64_t)GEN_PID,
		(int64_t)GEN_DEVICE, INT64_C(1), INT64_C(0));
	sqlite3_finalize(st);
	st = db_prepare(db, "TARGET_INFO_CUDA_STREAM", "iiiiiii");
	for (int i = 0; i < ST_COUNT; i++)
		db_row(db, st, "iiiiiii", (int64_t)gen_stream_ids[i], INT64_C(0), INT64_C(1),
			(int64_t)GEN_PID, INT64_C(1), INT64_C(0),
			i == ST_COMPUTE ? INT64_C(3) : INT64_C(2));
	sqlite3_finalize(st);
}

static void put_threads(struct db *db)
{
	sqlite3_stmt *st = db_prepare(db, "PROCESSES", "iis");

	db_row(db, st, "iis", OTHER_GID(1, 0), INT64_C(1), "systemd");
	db_row(db, st, "iis", OTHER_GID(914, 0), INT64_C(914), "dockerd");
	db_row(db, st, "iis", GID(0), (int64_t)GEN_PID, "python3");
	sqlite3_finalize(st);
	st = db_prepare(db, "ThreadNames", "iii");
	db_row(db, st, "iii", db_string(db, "systemd"), INT64_C(0), OTHER_GID(1, 1));
	db_row(db, st, "iii", db_string(db, "dockerd"), INT64_C(0), OTHER_GID(914, 914));
	db_row(db, st, "iii", db_string(db, "tokio-rt-worker"), INT64_C(0), OTHER_GID(914, 931));
	/* a thread is named after its parent until it names itself: the later row counts */
	db_row(db, st, "iii", db_string(db, "python3"), INT64_C(0), GID(gen_tids[TH_AUTOGRAD]));
	for (int i = 0; i < TH_COUNT; i++)
		db_row(db, st, "iii", db_string(db, gen_thread_names[i]), INT64_C(0),
			GID(gen_tids[i]));
	sqlite3_finalize(st);
}

void put_session(struct db *db, ns_t last)
{
	sqlite3_stmt *st = db_prepare(db, "TARGET_INFO_SESSION_START_TIME", "iss");

	db_row(db, st, "iss", GEN_UTC_EPOCH_NS, "2025-11-29T07:06:40", "2025-11-29T07:06:40");
	sqlite3_finalize(st);
	st = db_prepare(db, "ANALYSIS_DETAILS", "iiii");
	db_row(db, st, "iiii", INT64_C(1) << 48, last, INT64_C(5400000000),
		INT64_C(5400000000) + last);
	sqlite3_finalize(st);
	st = db_prepare(db, "DIAGNOSTIC_EVENT", "iiiisn");
	db_row(db, st, "iiiisn", INT64_C(-40000000), INT64_C(1), INT64_C(2), INT64_C(1),
		"Profiling has started.");
	db_row(db, st, "iiiisn", last, INT64_C(1), INT64_C(3), INT64_C(1),
		"Number of CUDA events collected: all.");
	sqlite3_finalize(st);
}

static void put_kernels(struct db *db, const struct run *r)
{
	static const char alone[] = "iiiiniiiiiiiiiiiiiiiiiiiiini", node[] = "iiiiniiiiiiiiiiiiiiiiiiiiiii";
	sqlite3_stmt *st = db_prepare(db, "CUPTI_ACTIVITY_KIND_KERNEL", alone);

	for (size_t i = 0; i < r->kernels.n; i++) {
		const struct ev *e = &r->kernels.v[i];
		const struct kernel_def *k = &gen_kernels[e->def];
		int64_t full = db_string(db, k->nsys), one = 1, zero = 0;

		/* the number of a graph's node comes before the last; alone, 0 is the last one */
		db_row(db, st, e->micro ? node : alone, e->start, e->end, (int64_t)GEN_DEVICE, one,
			(int64_t)gen_stream_ids[e->stream], e->corr, GID(0), full,
			db_string(db, k->brief), full, one, zero, (int64_t)k->regs,
			(int64_t)k->grid, one, one, (int64_t)k->block, one, one, (int64_t)k->shared,
			zero, zero, zero, (int64_t)i + 1, (int64_t)k->shared, (int64_t)e->micro, zero);
	}
	sqlite3_finalize(st);
}

static void put_copies(struct db *db, const struct run *r)
{
	static const int64_t kinds[COPY_KINDS] = { 1, 2, 8 };
	static const char shape[] = "iiiiniiiiiniinnnnnnn";
	sqlite3_stmt *st = db_prepare(db, "CUPTI_ACTIVITY_KIND_MEMCPY", shape);

	for (size_t i = 0; i < r->copies.n; i++) {
		const struct ev *e = &r->copies.v[i];

		db_row(db, st, shape, e->start, e->end, (int64_t)GEN_DEVICE, INT64_C(1),
			(int64_t)gen_stream_ids[e->stream], e->corr, GID(0), e->bytes,
			kinds[e->kind], (int64_t)e->src, (int64_t)e->dst);
	}
	sqlite3_finalize(st);
	st = db_prepare(db, "CUPTI_ACTIVITY_KIND_MEMSET", "iiiiniiiiini");
	for (size_t i = 0; i < r->sets.n; i++) {
		const struct ev *e = &r->sets.v[i];

		db_row(db, st, "iiiiniiiiini", e->start, e->end, (int64_t)GEN_DEVICE, INT64_C(1),
			(int64_t)gen_stream_ids[e->stream], e->corr, GID(0), INT64_C(0), e->bytes,
			INT64_C(2));
	}
	sqlite3_finalize(st);
}

/* syncType as exports of 2025.1 hold it (not what its enumeration says), and the older meaning
 * beside it. */
static void put_syncs(struct db *db, const struct run *r)
{
	static const int64_t types[SYNC_KINDS] = { 2, 4, 1, 3 }, old[SYNC_KINDS] = { 3, 1, 2, 3 };
	static const char shape[] = "iiiiniiiiiin";
	sqlite3_stmt *st = db_prepare(db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", shape);

	for (size_t i = 0; i < r->syncs.n; i++) {
		const struct ev *e = &r->syncs.v[i];

		db_row(db, st, shape, e->start, e->end, (int64_t)GEN_DEVICE, INT64_C(1),
			e->stream >= 0 ? (int64_t)gen_stream_ids[e->stream] : INT64_C(4294967295),
			e->corr, GID(0), old[e->kind], types[e->kind],
			e->dst                      ? (int64_t)e->dst
				: e->kind == SYNC_EVENT ? INT64_C(3)
							: INT64_C(0));
	}
	sqlite3_finalize(st);
}

/* Which stream an event was recorded on; exports have this table where events were traced. */
static void put_records(struct db *db, const struct run *r)
{
	static const char table[] = "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL, contextId INTEGER NOT "
				    "NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid "
				    "INTEGER, eventId INTEGER NOT NULL);";
	sqlite3_stmt *st;

	if (!r->records.n)
		return;
	db_check(db, sqlite3_exec(db->h, table, NULL, NULL, NULL), "events");
	st = db_prepare(db, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "iiniiii");
	for (size_t i = 0; i < r->records.n; i++) {
		const struct ev *e = &r->records.v[i];

		db_row(db, st, "iiniiii", (int64_t)GEN_DEVICE, INT64_C(1), (int64_t)gen_stream_ids[e->stream], e->corr, GID(0),
			(int64_t)e->dst);
	}
	sqlite3_finalize(st);
}

static void put_calls(struct db *db, const struct run *r)
{
	sqlite3_stmt *st = db_prepare(db, "CUPTI_ACTIVITY_KIND_RUNTIME", "iiiiiiin");

	for (size_t i = 0; i < r->calls.n; i++) {
		const struct ev *e = &r->calls.v[i];
		const struct api_def *a = &gen_apis[e->def];

		db_row(db, st, "iiiiiiin", e->start, e->end, (int64_t)a->driver,
			GID(gen_tids[e->thread]), e->corr, db_string(db, a->nsys),
			e->def == API_EVENT_QUERY ? INT64_C(600) : INT64_C(0));
	}
	sqlite3_finalize(st);
}

void write_nvtx_name(const struct ev *e, char *buf, size_t size)
{
	if (e->seq)
		snprintf(buf, size, "%s, seq = %lld, op_id = %lld", e->name, (long long)e->seq,
			(long long)e->ext);
	else
		snprintf(buf, size, "%s, op_id = %lld", e->name, (long long)e->ext);
}

/* The ranges that are neither operators nor step markers: NCCL's domain, start/end, one never
 * closed, a mark. */
static void put_nvtx_extras(struct db *db, const struct run *r)
{
	static const char text[] = "iniiiisi"
				   "nni"
				   "nnnnnnnnn",
			  range[] = "iiiiiisi"
				    "nni"
				    "nnnnnnnnn";
	static const char registered[] = "iiiiiini"
					 "nii"
					 "nnnnnnnnn";
	sqlite3_stmt *st = db_prepare(db, "NVTX_EVENTS", text);
	int64_t gid = GID(gen_tids[TH_MAIN]), zero = 0, id = 1;

	db_row(db, st, text, INT64_C(-2000000), INT64_C(75), zero, zero, zero, "NCCL", gid,
		INT64_C(1));
	for (size_t i = 0; i < r->nvtx.n; i++) {
		const struct ev *e = &r->nvtx.v[i];

		gid = GID(gen_tids[e->thread]);
		if (e->kind == NV_NCCL)
			db_row(db, st, registered, e->start, e->end, INT64_C(59), zero, zero, zero,
				gid, db_string(db, e->name), INT64_C(1));
		else if (e->kind == NV_STARTEND)
			db_row(db, st, range, e->start, e->end, INT64_C(60), id++, zero, zero, e->name,
				gid, zero);
		else
			db_row(db, st, text, e->start, e->kind == NV_OPEN ? INT64_C(59) : INT64_C(34),
				zero, zero, zero, e->name, gid, zero);
	}
	sqlite3_finalize(st);
}

static void put_nvtx(struct db *db, const struct run *r)
{
	static const char range[] = "iiinnnsi"
				    "nni"
				    "nnnnnnnnn";
	sqlite3_stmt *st = db_prepare(db, "NVTX_EVENTS", range);
	char text[512];

	for (size_t i = 0; i < r->annots.n; i++) {
		const struct ev *e = &r->annots.v[i];

		db_row(db, st, range, e->start, e->end, INT64_C(59), e->alt, GID(gen_tids[e->thread]),
			INT64_C(0));
	}
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct ev *e = &r->ops.v[i];

		write_nvtx_name(e, text, sizeof(text));
		db_row(db, st, range, e->start, e->end, INT64_C(59), text, GID(gen_tids[e->thread]),
			INT64_C(0));
	}
	sqlite3_finalize(st);
	put_nvtx_extras(db, r);
}

static void put_strings(struct db *db)
{
	sqlite3_stmt *st = db_prepare(db, "StringIds", "is");

	for (int i = 0; i < db->nstrings; i++)
		db_row(db, st, "is", (int64_t)i, db->strings[i]);
	sqlite3_finalize(st);
}

void db_open(struct db *db, const char *path)
{
	remove(path);
	db_check(db, sqlite3_open(path, &db->h), path);
	db_check(db,
		sqlite3_exec(db->h, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;", NULL,
			NULL, NULL),
		"begin");
	db_check(db, sqlite3_exec(db->h, schema, NULL, NULL, NULL), "schema");
	db_string(db, "");
	put_meta(db);
	put_enums(db);
	put_devices(db);
	put_threads(db);
}

void db_close(struct db *db)
{
	put_strings(db);
	db_check(db, sqlite3_exec(db->h, "COMMIT", NULL, NULL, NULL), "commit");
	db_check(db, sqlite3_close(db->h), "close");
}

void write_nsys(const struct run *r, const char *path)
{
	struct db db = { 0 };

	db_open(&db, path);
	put_session(&db, r->th[TH_MAIN].now + 9000000);
	put_copies(&db, r);
	put_kernels(&db, r);
	put_syncs(&db, r);
	put_records(&db, r);
	put_calls(&db, r);
	put_nvtx(&db, r);
	db_close(&db);
}
