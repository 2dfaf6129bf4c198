/*
 * test_nsys.c - the Nsight Systems loader on small databases made here, one for each mark of an era
 * and each fault.
 */
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/job.h"
#include "base/mem.h"
#include "load/nsys/nsys.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

static char dir[] = "/tmp/test_nsys.XXXXXX";
static char path[64];

#define STRINGS "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
#define THREADS "CREATE TABLE ThreadNames(nameId INTEGER, priority INTEGER, globalTid INTEGER);"
#define KERNEL_2020                                                                              \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER, deviceId " \
	"INTEGER,"                                                                               \
	"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "        \
	"demangledName INTEGER,"                                                                 \
	"shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ "    \
	"INTEGER, blockX INTEGER,"                                                               \
	"blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory "       \
	"INTEGER, graphNodeId INTEGER);"
#define RUNTIME                                                                                    \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER," \
	"globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
#define MEMCPY                                                                                  \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER," \
	"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes " \
	"INTEGER,"                                                                              \
	"copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
#define NVTX                                                                                 \
	"CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT," \
	"globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"

/*
 * Serialized ids of VM 1: $5 becomes the globalPid of process 5, $5.6 the globalTid of its thread
 * 6.
 */
static char *expand_ids(const char *sql)
{
	char *out = xmalloc(strlen(sql) * 8 + 24), *to = out, *end;

	while (*sql) {
		int64_t id = INT64_C(1) << 48;

		if (*sql != '$') {
			*to++ = *sql++;
			continue;
		}
		id |= strtoll(sql + 1, &end, 10) << 24;
		if (*end == '.')
			id |= strtoll(end + 1, &end, 10);
		to += sprintf(to, "%" PRId64, id);
		sql = end;
	}
	*to = '\0';
	return out;
}

static void make_db(const char *text)
{
	char *sql = expand_ids(text), *why = NULL;
	sqlite3 *db = NULL;

	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
		fail("test database: %s", why ? why : sqlite3_errmsg(db));
		sqlite3_free(why);
	}
	sqlite3_close(db);
	free(sql);
}

static struct profile *load_job(struct job *job, struct err *e)
{
	struct builder *b = builder_new();
	struct load_ctx lx = {.builder = b, .job = job};
	struct profile *p = loader_nsys_sqlite.load(&lx, path, e) ? builder_finish(b) : NULL;

	builder_free(b);
	return p;
}

static struct profile *load_db(const char *sql)
{
	struct job job = {0};
	struct err e = ERR_INIT;
	struct profile *p;

	make_db(sql);
	p = load_job(&job, &e);
	if (!p) {
		fail("load: %s", e.text);
		exit(done_testing());
	}
	return p;
}

static ev_id find(const struct profile *p, enum layer l, const char *name)
{
	for (ev_id e = p->layer_first[l]; e < p->layer_first[l + 1]; e++) {
		size_t n;
		const char *s = profile_str(p, p->name[e], &n);

		if (n == strlen(name) && memcmp(s, name, n) == 0)
			return e;
	}
	return ID_NONE;
}

static unsigned count(const struct profile *p, enum layer l)
{
	return p->layer_first[l + 1] - p->layer_first[l];
}

static const struct track *track_of(const struct profile *p, ev_id e)
{
	return &p->tracks[profile_track_of(p, e)];
}

static const char *str(const struct profile *p, str_id id)
{
	size_t n;

	return id == ID_NONE ? NULL : profile_str(p, id, &n);
}

static uint64_t damage(const struct profile *p, const char *what)
{
	for (uint32_t i = 0; i < p->n_damages; i++)
		if (strcmp(p->damages[i].what, what) == 0)
			return p->damages[i].count;
	return 0;
}

static bool noted(const struct profile *p, const char *part)
{
	for (uint32_t i = 0; i < p->n_notes; i++)
		if (strstr(p->notes[i], part))
			return true;
	return false;
}

static const char *option(const struct profile *p, const char *key)
{
	for (uint32_t i = 0; i < p->n_options; i++)
		if (strcmp(str(p, p->options[i].key), key) == 0)
			return str(p, p->options[i].value);
	return NULL;
}

static int64_t content(const struct profile *p, const char *what)
{
	for (uint32_t i = 0; i < p->n_contents; i++)
		if (strcmp(str(p, p->contents[i].what), what) == 0)
			return (int64_t)p->contents[i].count;
	return -1;
}

/* 2020: no mangledName, no meta tables, boards in TARGET_INFO_CUDA_GPU with kB/s */
static void test_kernels_2020(void)
{
	struct profile *p = load_db(
		STRINGS THREADS KERNEL_2020
		"INSERT INTO StringIds VALUES(1,'void "
		"ns::gemm<4>(float*)'),(2,'gemm'),(3,'API_TOKEN=abc');"
		"CREATE TABLE TARGET_INFO_CUDA_GPU(name TEXT, globalMemoryBandwidth INTEGER, "
		"numMultiprocessors INTEGER,"
		" deviceId INTEGER); INSERT INTO TARGET_INFO_CUDA_GPU VALUES('A100', 1555200000, "
		"108, 0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(100,150,0,1,7,11,$5,1,2,32,2,3,4,64,1,1,512,1024,NULL),"
		"(200,210,0,1,7,12,$5,NULL,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,9),"
		"(300,310,0,1,7,13,$5,77,2,0,1,1,1,1,1,1,0,0,0),"
		"(400,410,0,1,7,14,$5,77,78,0,1,1,1,1,1,1,0,0,0),"
		"(500,510,0,1,7,15,$5,NULL,NULL,0,1,1,1,1,1,1,0,0,0);");
	ev_id k = find(p, LAYER_KERNEL, "void ns::gemm<4>(float*)"),
	      s = find(p, LAYER_KERNEL, "gemm");
	const struct kernel_detail *d = &p->kernels[p->aux[k]], *u = &p->kernels[p->aux[s]];

	is_int(count(p, LAYER_KERNEL), 5, "all kernels");
	is_int(p->start[k], 100, "start");
	is_int(p->dur[k], 50, "duration");
	is_int(d->grid[0] * 100 + d->grid[1] * 10 + d->grid[2], 234, "grid");
	is_int(d->block[0], 64, "block");
	is_int(d->registers, 32, "registers");
	is_int(d->shared_bytes, 1536, "static and dynamic shared memory together");
	is_int(u->registers, -1, "NULL registers are unknown, not 0");
	is_int(u->shared_bytes, -1, "NULL shared memory is unknown");
	is_int(u->grid[0], 0, "NULL grid");
	is_uint(u->graph_node, 9, "graph node");
	is_int(p->start[s], 200, "no demangled name: the short one");
	ok(find(p, LAYER_KERNEL, "?77") != ID_NONE,
	   "no string for any of its ids: the id is shown");
	is_int(p->start[find(p, LAYER_KERNEL, "?77")], 400,
	       "a dangling id gives way to a short name");
	is_int(p->start[find(p, LAYER_KERNEL, "(unnamed)")], 500, "no name at all");
	is_int(profile_str_find(p, "API_TOKEN=abc", 13), ID_NONE,
	       "strings that no name refers to are not loaded");
	is_int(p->n_devices, 1, "one device");
	is_str(str(p, p->devices[0].name), "A100", "its name");
	is_int(p->devices[0].mem_bytes_per_s, INT64_C(1555200000000), "kB/s become bytes/s");
	is_int(p->devices[0].board, 0, "the board is told, too");
	is_int(p->epoch_ns, NS_UNKNOWN, "no epoch");
	is_int(p->version, ID_NONE, "no version");
	profile_unref(p);
}

static void test_faulty_rows(void)
{
	struct profile *p =
		load_db(STRINGS THREADS "INSERT INTO StringIds VALUES(1,'k');"
					/* no declared types: any cell may hold anything */
					"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, "
					"deviceId, streamId, correlationId, shortName);"
					"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100, NULL, "
					"0, 7, 1, 1), (200, 150, 0, 7, 2, 1),"
					"('soon', 300, 0, 7, 3, 1), (NULL, 310, 0, 7, 3, 1), (0, "
					"0, 0, 7, 4, 1), (400, 410, x'00', 7, 5, 1),"
					"(500.0, 520.0, 0, 7, 6, 'written out'), "
					"(9223372036854775807, 9223372036854775807, 0, 7, 7, 1),"
					"(600, -9223372036854775808, 0, 7, 8, 1);");

	is_int(count(p, LAYER_KERNEL), 4, "the usable rows");
	is_uint(damage(p, "row without an end time"), 1, "NULL end is counted");
	is_uint(damage(p, "row that ends before it starts"), 1, "end < start is counted");
	is_uint(damage(p, "row without a start time"), 2, "text and NULL as a start");
	is_uint(damage(p, "row with an impossible time"), 2, "times at the ends of 64 bits");
	is_uint(damage(p, "cell of a wrong type"), 2, "text as a start and a blob as a device");
	ok(noted(p, "1 GPU row has no time"), "start = end = 0 is untimed");
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++)
		if (p->start[e] < 300)
			is_int(p->dur[e], 0, "row at %d has length 0", (int)p->start[e]);
	is_int(p->dur[find(p, LAYER_KERNEL, "written out")], 20,
	       "whole doubles and names as text are read");
	is_int(p->n_tracks, 2, "the blob leaves its device unknown");
	is_int(content(p, "CUPTI_ACTIVITY_KIND_KERNEL"), 9, "contents count rows as written");
	profile_unref(p);
}

/* Two processes use the same correlation ids; class 67 repeats a call. */
static void test_two_processes(void)
{
	struct profile *p =
		load_db(STRINGS THREADS KERNEL_2020 RUNTIME
			"CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
			"INSERT INTO PROCESSES VALUES($5,5,'five'),($99,99,'idle');"
			"INSERT INTO StringIds "
			"VALUES(1,'a'),(2,'b'),(3,'cudaLaunchKernel_v7000'),(4,'cuLaunchKernel'),"
			"(5,'old'),(6,'main'),(7,'other');"
			"INSERT INTO ThreadNames VALUES(5,0,$5.5),(6,0,$5.5),(7,0,$6.6),"
			"(7,0,$99.99);"
			"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
			"(10,20,0,$5.5,100,3,0),(12,18,1,$6.8,100,4,701),(10,20,67,$5.5,100,3,0);"
			"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
			"(30,40,0,1,7,100,$5,1,1,0,1,1,1,1,1,1,0,0,0),"
			"(30,40,0,1,7,100,$6,2,2,0,1,1,1,1,1,1,0,0,0);");
	ev_id a = find(p, LAYER_KERNEL, "a"), b = find(p, LAYER_KERNEL, "b");
	ev_id launch = find(p, LAYER_RUNTIME, "cudaLaunchKernel_v7000"),
	      driver = find(p, LAYER_RUNTIME, "cuLaunchKernel");

	is_int(count(p, LAYER_RUNTIME), 2, "class 67 is no call");
	is_int(content(p, "CUPTI_ACTIVITY_KIND_RUNTIME"), 3, "but is in the table");
	is_int(content(p, "CUPTI_ACTIVITY_KIND_RUNTIME (call chains, class 67)"), 1, "and counted");
	is_int(p->link[a], launch, "kernel of process 5 links to the call of process 5");
	is_int(p->link[b], driver, "kernel of process 6 links to the call of process 6");
	ok(call_is_driver(p->aux[driver]), "driver call");
	ok(!call_is_driver(p->aux[launch]), "runtime call");
	ok(track_of(p, a) != track_of(p, b), "streams of two processes are two tracks");
	is_int(p->threads[track_of(p, driver)->thread].tid, 8, "tid");
	is_int(track_of(p, driver)->pid, 6, "pid");
	is_str(str(p, p->threads[track_of(p, launch)->thread].name), "main",
	       "the last name of a thread wins");
	is_int(p->n_processes, 2, "processes without events are left out");
	for (uint32_t i = 0; i < p->n_processes; i++)
		is_str(str(p, p->processes[i].name), p->processes[i].pid == 5 ? "five" : "other",
		       "name of process %d", (int)p->processes[i].pid);
	ok(noted(p, "1 CUDA call returned an error: cuLaunchKernel, code 701"),
	   "failed calls");
	profile_unref(p);
}

static void test_nvtx(void)
{
	struct profile *p =
		load_db(STRINGS THREADS NVTX
			"INSERT INTO StringIds VALUES(1,'ncclAllReduce');"
			"INSERT INTO NVTX_EVENTS VALUES"
			"(100,200,59,'step 1',$5.5,NULL,NULL,0),"
			"(120,150,59,'inner',$5.5,NULL,NULL,0),"
			"(120,180,59,'ignored text',$5.5,NULL,1,3)," /* its domain is made below */
			"(130,140,59,'lost domain',$5.5,NULL,NULL,4),"
			"(150,250,60,'start-end',$5.5,$5.6,NULL,0),"
			"(160,170,71,'imported',$5.5,NULL,NULL,0),"
			"(170,NULL,59,'open',$5.5,NULL,NULL,0),"
			"(180,NULL,34,'mark',$5.5,NULL,NULL,0),"
			"(190,NULL,33,'category',$5.5,NULL,NULL,0),"
			"(-9000,195,59,'early',$5.7,NULL,NULL,0),"
			"(-9999,NULL,75,'NCCL',$5.5,NULL,NULL,3);");
	ev_id nccl = find(p, LAYER_NVTX, "ncclAllReduce"),
	      lost = find(p, LAYER_NVTX, "lost domain");
	ev_id step = find(p, LAYER_NVTX, "step 1"), inner = find(p, LAYER_NVTX, "inner");
	ev_id early = find(p, LAYER_NVTX, "early"), open = find(p, LAYER_NVTX_OPEN, "open");

	is_int(count(p, LAYER_NVTX), 5, "push/pop ranges");
	is_int(count(p, LAYER_NVTX_SE), 2, "start/end ranges, imported ones among them");
	is_int(count(p, LAYER_INSTANT), 1, "marks");
	is_int(count(p, LAYER_NVTX_OPEN), 1, "open ranges");
	is_int(p->dur[open], 0, "an open range has no time");
	is_str(str(p, track_of(p, nccl)->domain), "NCCL",
	       "a domain whose row comes after its ranges");
	is_str(str(p, track_of(p, lost)->domain), "domain 4", "a domain without a row");
	is_int(track_of(p, step)->domain, ID_NONE, "the default domain has no name");
	is_int(p->parent[inner], step, "nesting inside a domain");
	is_int(p->parent[nccl], ID_NONE, "no nesting across domains");
	is_int(p->self[step], 70,
	       "self of a range is without its child, and ignores other domains");
	is_int(p->start[early], -9000, "negative start");
	is_int(p->dur[early], 9195, "duration from a negative start");
	is_int(p->first_ns, -9000, "the creation of a domain does not stretch the time line");
	is_uint(p->n_damages, 0, "nothing of this is damage");
	profile_unref(p);
}

/* the words below are what the columns hold, by the documentation of the schema */
static void test_payloads(void)
{
	struct profile *p = load_db(
		STRINGS THREADS
		"CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,"
		" uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER,"
		" floatValue REAL, jsonTextId INTEGER, jsonText TEXT);"
		"INSERT INTO StringIds VALUES(1,'{\"ranks\": 8}');"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid) VALUES(1,2,59,'none',$5.5);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, uint64Value) VALUES(3,4,59,'u64',$5.5,-1);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, int64Value) VALUES(5,6,59,'i64',$5.5,-7);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, doubleValue) VALUES(7,8,59,'double',$5.5,0.25);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, floatValue) VALUES(7,8,59,'whole',$5.7,2.0);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, uint32Value) VALUES(9,10,60,'u32',$5.5,0);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, jsonTextId) VALUES(11,12,59,'fields',$5.5,1);"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, jsonText) VALUES(13,NULL,59,'open',$5.5,'[2]');"
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, jsonTextId) VALUES(15,16,59,'dangling',$5.5,9);");

	is_int(p->aux[find(p, LAYER_NVTX, "none")], ID_NONE, "a range without a payload");
	is_str(str(p, p->aux[find(p, LAYER_NVTX, "u64")]), "18446744073709551615", "64 bits without a sign");
	is_str(str(p, p->aux[find(p, LAYER_NVTX, "i64")]), "-7", "64 bits with a sign");
	is_str(str(p, p->aux[find(p, LAYER_NVTX, "double")]), "0.25", "a fraction");
	is_str(str(p, p->aux[find(p, LAYER_NVTX, "whole")]), "2", "a whole number");
	is_str(str(p, p->aux[find(p, LAYER_NVTX_SE, "u32")]), "0", "zero is a payload, too");
	is_str(str(p, p->aux[find(p, LAYER_NVTX, "fields")]), "{\"ranks\": 8}", "fields, a registered string");
	is_str(str(p, p->aux[find(p, LAYER_NVTX_OPEN, "open")]), "[2]", "fields of an open range");
	is_str(str(p, p->aux[find(p, LAYER_NVTX, "dangling")]), "?9", "a string that is missing");
	is_uint(p->n_damages, 0, "no payload is damage");
	profile_unref(p);
}

static void test_copies(void)
{
	struct profile *p = load_db(
		STRINGS THREADS MEMCPY RUNTIME
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start, end, deviceId, streamId, bytes, "
		"memKind);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, "
		"streamId, correlationId,"
		" globalPid, syncType);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId, contextId, "
		"streamId, correlationId,"
		" globalPid, graphId, graphExecId);"
		"INSERT INTO StringIds "
		"VALUES(1,'cudaMemcpyAsync_v3020'),(2,'cudaGraphLaunch_v10000');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(10,20,0,$5.5,0,1,0),"
		"(20,30,0,$5.5,8,2,0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(100,200,0,1,7,9,$5,4096,1,0,2),"
		"(300,310,0,1,0,0,$5,65536,11,4,2),(320,330,0,1,7,0,$5,NULL,NULL,NULL,99);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(400,450,0,7,64,2);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION "
		"VALUES(500,600,0,1,4294967295,12,$5,1);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(700,900,0,1,7,8,$5,3,4);");
	ev_id h = find(p, LAYER_MEMCPY, "Memcpy HtoD"),
	      uvm = find(p, LAYER_MEMCPY, "Memcpy UVM-HtoD");
	ev_id odd = find(p, LAYER_MEMCPY, "Memcpy unknown"), set = find(p, LAYER_MEMSET, "Memset");
	ev_id graph = find(p, LAYER_KERNEL, "CUDA graph 3 (exec 4)"),
	      sync = p->layer_first[LAYER_SYNC];
	const struct copy_detail *d = &p->copies[p->aux[h]], *o = &p->copies[p->aux[odd]];

	is_int(d->bytes, 4096, "bytes");
	is_int(d->kind * 100 + d->src * 10 + d->dst, 102, "kind HtoD, from pageable, to device");
	is_int(track_of(p, uvm)->stream, NSYS_STREAM_UVM, "migrations have a track of their own");
	is_int(p->link[uvm], ID_NONE, "correlation id 0 links to nothing");
	is_int(o->bytes, I64_UNKNOWN, "NULL bytes are unknown");
	is_int(o->src, MEM_UNKNOWN, "NULL memory kind");
	is_int(o->dst, MEM_UNKNOWN, "a memory kind that does not exist");
	is_int(p->copies[p->aux[set]].bytes, 64, "memset bytes");
	is_int(p->copies[p->aux[set]].dst, MEM_DEVICE, "memset memory");
	is_int(track_of(p, sync)->stream, -1, "stream 4294967295 is none");
	is_uint(p->aux[sync], SYNC_UNKNOWN, "syncType is not believed");
	is_int(p->dur[graph], 200, "a graph launch is GPU work");
	is_int(p->link[graph], find(p, LAYER_RUNTIME, "cudaGraphLaunch_v10000"), "with its launch");
	ok(noted(p, "kernels inside 1 CUDA graph launch were not traced"), "and a note");
	profile_unref(p);
}

static void test_meta(void)
{
	struct profile *p = load_db(
		STRINGS THREADS KERNEL_2020
		"CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
		"INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION','2026.1.1.204'),"
		"('EXPORT_PARAM_TIME_SHIFT','1000'),('EXPORT_PARAM_TABLES_TO_EXPORT','');"
		"CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
		"INSERT INTO META_DATA_CAPTURE "
		"VALUES('CAPTURE_EVENT_TYPE','Cuda'),('CAPTURE_EVENT_TYPE','NvtxEvents'),"
		"('PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE','Graph'),('CUDA_GRAPH_TRACE_OPTIONS:"
		"MODE','Graph'),"
		"('PROCESS_0:COLLECT_GPU_MEMORY_USAGE','false'),"
		"('PROCESS_0:ENVIRONMENT_VARIABLE','HF_TOKEN=hf_0123456789abcdef0123');"
		"CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);"
		"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000);"
		"CREATE TABLE DIAGNOSTIC_EVENT(timestamp, timestampType, source, severity, text "
		"TEXT, globalPid);"
		"INSERT INTO DIAGNOSTIC_EVENT VALUES(1,1,1,3,'failed: API_KEY=s3cr3t "
		"/home/x',0),(1,1,1,1,'fine',0),"
		"(1,1,1,2,'seen hf_0123456789abcdef0123',0),(1,1,1,2,'seen "
		"hf_0123456789abcdef0123',0);"
		"CREATE TABLE TARGET_INFO_GPU(id, name TEXT, smCount, memoryBandwidth, cuDevice);"
		"INSERT INTO TARGET_INFO_GPU "
		"VALUES(0,'Small',10,100,1),(1,'Big',20,200,0),(2,'Adapter',0,0,0);"
		"CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId, cudaId, pid);"
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0,0,6);"
		"CREATE TABLE MPI_RANKS(globalPid, rank);"
		"INSERT INTO MPI_RANKS VALUES($5,3),($6,4);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(30,40,0,1,7,1,$6,1,1,0,1,1,1,1,1,1,0,0,0),"
		"(50,60,1,1,7,2,$6,1,1,0,1,1,1,1,1,1,0,0,0);");

	is_str(str(p, p->version), "2026.1.1.204", "version");
	is_str(str(p, p->producer), "Nsight Systems", "producer");
	is_int(p->epoch_ns, INT64_C(1699999999999999000), "epoch of a shifted export");
	is_str(option(p, "CAPTURE_EVENT_TYPE"), "Cuda,NvtxEvents", "what was asked for");
	is_str(option(p, "CUDA_GRAPH_TRACE_OPTIONS:MODE"), "Graph", "an option");
	is_int(p->n_options, 2, "once each, and none that is off");
	ok((p->caps & (CAP_RUNTIME | CAP_SYNC | CAP_GPU | CAP_NVTX)) ==
		   (CAP_RUNTIME | CAP_SYNC | CAP_GPU | CAP_NVTX),
	   "what a lazy export left out was recorded as empty");
	ok(noted(p, "error): failed: API_KEY=****** /home/x"),
	   "secrets in messages are masked, paths stay");
	ok(!noted(p, "hf_0"), "tokens too");
	is_int(p->n_notes, 4, "shift, two messages, the guess; no information and no repetition");
	is_int(p->n_devices, 2, "the devices in use");
	is_str(str(p, p->devices[0].name), "Small", "device 0 of process 6 by the map of the file");
	is_str(str(p, p->devices[1].name), "Small", "device 1 by the driver's ordinal");
	ok(noted(p, "is a guess"), "which is a guess");
	is_int(p->rank, 4, "the rank of the process that has events");
	profile_unref(p);
}

static void test_normalised(void)
{
	struct profile *p =
		load_db(STRINGS THREADS
			"CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
			"INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PARAM_TIME_NORMALIZE','true'),"
			"('EXPORT_PARAM_TIMES_TO_EXPORT','1-2');"
			"CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);"
			"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000);");

	is_int(p->epoch_ns, 0, "a normalised export counts from 1970");
	ok(noted(p, "a part of the capture"), "a cut export says so");
	is_uint(p->n, 0, "a file without events opens");
	profile_unref(p);
}

/*
 * Copies made by scripts: no primary key on StringIds, a view, a table without rowids, no process
 * columns.
 */
static void test_foreign(void)
{
	struct profile *p = load_db(
		"CREATE TABLE StringIds(id INTEGER, value TEXT); INSERT INTO StringIds "
		"VALUES(7,'seven'),(5,'five');" THREADS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER PRIMARY KEY, end, deviceId, "
		"streamId, correlationId,"
		" shortName) WITHOUT ROWID; INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
		"VALUES(30,35,0,7,2,5),(10,15,0,7,1,7);"
		"CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT 1 AS start, 2 AS end, 3 AS bytes;"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, correlationId, globalTid, "
		"nameId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,2,1,$9.9,7),(3,4,2,$9.9,5);");
	ev_id k = find(p, LAYER_KERNEL, "seven");

	is_int(count(p, LAYER_KERNEL), 2, "rows of a table without rowids");
	is_int(p->start[k], 10, "strings without an index");
	is_int(p->link[k], find(p, LAYER_RUNTIME, "seven"),
	       "kernels belong to the one process that made calls");
	is_int(track_of(p, k)->pid, 9, "its pid");
	is_int(count(p, LAYER_MEMSET), 0, "views are not read");
	is_int(content(p, "CUPTI_ACTIVITY_KIND_MEMSET"), -1, "nor counted");
	profile_unref(p);
}

static void refuses(const char *what, enum err_code code, const char *part)
{
	struct job job = {0};
	struct err e = ERR_INIT;
	struct profile *p = load_job(&job, &e);

	ok(!p, "%s is refused", what);
	is_int(e.code, code, "%s: error code", what);
	ok(strstr(e.text, part), "%s: \"%s\" says \"%s\"", what, e.text, part);
	if (p)
		profile_unref(p);
}

static void write_file(const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n)
		fail("cannot write the test file");
	if (f)
		fclose(f);
}

static void test_refusals(void)
{
	char garbage[8192] = "SQLite format 3";
	struct probe pr = {.path = path, .head = garbage, .head_len = sizeof(garbage)};

	make_db("CREATE TABLE t(a);");
	refuses("another database", ERR_FORMAT, "no Nsight Systems export");
	make_db("CREATE TABLE dlprof_models(a);");
	refuses("DLProf", ERR_FORMAT, "a DLProf database");
	make_db(STRINGS);
	refuses("strings alone", ERR_FORMAT, "no tables of events");
	unlink(path);
	refuses("no file", ERR_IO, "cannot open");
	write_file("", 0);
	refuses("an empty file", ERR_FORMAT, "empty");
	memset(garbage + 16, 0x5a, sizeof(garbage) - 16);
	write_file(garbage, sizeof(garbage));
	refuses("garbage behind the magic", ERR_FORMAT, "damaged");
	ok(loader_nsys_sqlite.probe(&pr) > 0, "probe takes any SQLite file");
	memcpy(garbage + 100, "StringIds", 9);
	is_int(loader_nsys_sqlite.probe(&pr), 100, "probe is certain of StringIds");
	garbage[3] = 'X';
	is_int(loader_nsys_sqlite.probe(&pr), 0, "probe leaves others alone");
}

#define MANY_KERNELS(n)                                                                          \
	STRINGS THREADS KERNEL_2020                                                              \
		"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < " #n ")" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT "                                 \
		"i*10,i*10+5,0,1,7,i,$5,1,1,0,1,1,1,1,1,1,0,0,0 FROM c;"

static unsigned batches;

static void count_batch(void *arg, struct builder *b)
{
	struct job *job = arg;

	batches++;
	is_uint(builder_events(b), 65536, "events at the first batch");
	atomic_store(&job->cancel, true);
}

static void test_progress_and_cancel(void)
{
	struct job job = {0};
	struct err e = ERR_INIT;
	struct builder *b = builder_new();
	struct load_ctx lx = {.builder = b, .job = &job, .batch = count_batch, .batch_arg = &job};
	struct profile *p;

	make_db(MANY_KERNELS(70000));
	ok(!loader_nsys_sqlite.load(&lx, path, &e), "cancelled after a batch");
	is_int(e.code, ERR_CANCELLED, "says so");
	is_uint(batches, 1, "one batch");
	builder_free(b);
	atomic_store(&job.cancel, false);
	atomic_store(&job.events, 0);
	p = load_job(&job, &e);
	is_uint(p->n, 70000, "whole table");
	is_uint(job.total, 70000, "rows to read");
	is_uint(job.done, 70000, "rows read");
	is_uint(job.events, 70000, "events told");
	profile_unref(p);
}

/*
 * An interrupted copy: what was copied can be read (as far as the tree of its pages was copied,
 * which it is here).
 */
static void test_truncated(void)
{
	struct job job = {0};
	struct err e = ERR_INIT;
	struct profile *p;
	struct stat st;
	char note[120];

	make_db(MANY_KERNELS(10000));
	if (stat(path, &st) != 0 || truncate(path, st.st_size / 2) != 0)
		fail("cannot cut the test file");
	p = load_job(&job, &e);
	ok(p, "half a file opens: %s", e.text);
	if (!p)
		return;
	ok(p->n > 4500 && p->n < 5500, "about half of the rows (%u of 10000)", p->n);
	is_uint(damage(p, "part of a table cannot be read"), 1, "the end of the table is marked");
	is_uint(damage(p, "bytes missing at the end of the file"),
		(uint64_t)(st.st_size - st.st_size / 2), "and the missing bytes counted");
	snprintf(note, sizeof(note), "table CUPTI_ACTIVITY_KIND_KERNEL: no row from row %u on can be read", p->n + 1);
	ok(noted(p, note), "with the row");
	profile_unref(p);
}

/*
 * Thread 5.5: taken off at 30 (on since the session began), on 50-80, and moved from CPU 2 to 3 at 90 until the last row, 200. Rows in any
 * order; thread 9.9 is of a process without events.
 */
static void test_switches(void)
{
	struct profile *p = load_db(STRINGS THREADS RUNTIME
				    "CREATE TABLE SCHED_EVENTS(start, cpu, isSchedIn, globalTid);"
				    "INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000');"
				    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100,120,0,$5.5,7,1,0);"
				    "INSERT INTO SCHED_EVENTS VALUES(50,1,1,$5.5),(30,1,0,$5.5),(80,1,0,$5.5),(90,3,1,$5.5),"
				    "(90,2,0,$5.5),(85,2,1,$5.5),(10,0,1,$9.9),(200,0,0,$9.9),(NULL,0,0,$5.5);");
	static const struct {
		ns_t start, dur;
		const char *cpu;
	} want[] = {{0, 30, "CPU 1"}, {50, 30, "CPU 1"}, {85, 5, "CPU 2"}, {90, 110, "CPU 3"}};
	ev_id e = p->layer_first[LAYER_SCHED];

	is_int(count(p, LAYER_SCHED), 4, "four stretches, none of other processes");
	for (size_t i = 0; i < 4; i++)
		ok(p->start[e + i] == want[i].start && p->dur[e + i] == want[i].dur &&
			   !strcmp(str(p, p->name[e + i]), want[i].cpu),
		   "stretch %zu", i);
	ok(p->first_ns == 100 && p->last_ns == 120, "they do not stretch the time line");
	is_uint(p->n_threads, 1, "nor make a thread of a process without events");
	profile_unref(p);
}

/* A handle is used again: the latest record before the wait counts, in the process of the wait; with numbers of recordings, that one. */
static void test_event_waits(void)
{
	struct profile *p = load_db(
		STRINGS THREADS RUNTIME
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, streamId, correlationId, "
		"globalPid, syncType, eventId, eventSyncId);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId, contextId, streamId, correlationId, globalPid, eventId, "
		"eventSyncId);"
		"INSERT INTO StringIds VALUES(1,'cudaEventRecord_v3020'),(2,'cudaStreamWaitEvent_v3020'),"
		"(3,'cudaEventSynchronize_v3020'),(4,'cudaStreamSynchronize_v3020');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(10,11,0,$5.5,1,1,0),(20,21,0,$5.5,2,1,0),(30,31,0,$5.5,3,2,0),"
		"(40,41,0,$5.5,4,1,0),(50,51,0,$5.5,5,3,0),(60,61,0,$5.5,6,4,0),(35,36,0,$6.6,1,1,0),(70,71,0,$6.6,9,3,0),"
		"(80,81,0,$5.5,10,3,0),(90,91,0,$5.5,11,3,0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(0,1,7,1,$5,77,0),(0,1,20,2,$5,77,0),(0,1,7,4,$5,78,5),"
		"(0,1,13,1,$6,77,0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(30,31,0,1,24,3,$5,3,77,0),(50,51,0,1,4294967295,5,$5,1,78,5),"
		"(60,61,0,1,7,6,$5,2,77,0),(70,71,0,1,4294967295,9,$6,1,77,0),(80,81,0,1,4294967295,10,$5,1,99,0),"
		"(90,91,0,1,4294967295,11,$5,1,78,6);");
	static const struct {
		ns_t call, record;
		int64_t stream;
	} want[] = {{30, 20, 20}, {50, 40, 7}, {70, 35, 13}};

	is_uint(p->n_event_waits, 3, "a wait for a stream, for a handle never recorded and for another recording have no event");
	for (size_t i = 0; i < 3; i++) {
		const struct event_wait *w = NULL;

		for (uint32_t k = 0; k < p->n_event_waits; k++)
			if (p->start[p->event_waits[k].call] == want[i].call)
				w = &p->event_waits[k];
		ok(w && p->start[w->record] == want[i].record && w->stream == want[i].stream, "the wait at %d", (int)want[i].call);
	}
	profile_unref(p);
}

static void test_path(void)
{
	struct profile *p;

	snprintf(path, sizeof(path), "%s/a?mode=rw#%%41 b.sqlite", dir);
	p = load_db(STRINGS THREADS "CREATE TABLE NVTX_EVENTS(start, end, text, globalTid);"
				    "INSERT INTO NVTX_EVENTS VALUES(1,2,'x',5);");
	is_uint(p->n, 1, "a path with characters that mean something in a URI");
	is_int(count(p, LAYER_NVTX), 1, "no eventType column: push/pop");
	profile_unref(p);
	unlink(path);
}

int main(void)
{
	if (!mkdtemp(dir))
		return skip_all("no temporary directory");
	snprintf(path, sizeof(path), "%s/t.sqlite", dir);
	test_kernels_2020();
	test_faulty_rows();
	test_two_processes();
	test_nvtx();
	test_payloads();
	test_copies();
	test_switches();
	test_event_waits();
	test_meta();
	test_normalised();
	test_foreign();
	test_refusals();
	test_progress_and_cancel();
	test_truncated();
	unlink(path);
	test_path();
	rmdir(dir);
	return done_testing();
}
