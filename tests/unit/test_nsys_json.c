/*
 * test_nsys_json.c - Nsight Systems as JSON: lines of tables, the older form, and Chrome traces made of
 * an export, on small inputs written here.
 */
#include <unistd.h>

#include "base/fileio.h"
#include "base/job.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

static char dir[] = "/tmp/test_nsys_json.XXXXXX";
static char path[64];

/* Serialized ids of VM 1: process 5 and its threads 5 and 6. */
#define P5  "281475060596736"
#define T5  "281475060596741"
#define T6  "281475060596742"

static struct profile *load_with(const struct loader *l, const char *text, size_t n, struct err *e)
{
	struct builder *b = builder_new();
	struct job job = {0};
	struct load_ctx lx = {.builder = b, .job = &job};
	struct profile *p;

	outfile_write(path, text, n, NULL);
	p = l->load(&lx, path, e) ? builder_finish(b) : NULL;
	builder_free(b);
	return p;
}

static struct profile *load(const char *text)
{
	struct err e = ERR_INIT;
	const struct loader *l;
	struct profile *p = NULL;

	outfile_write(path, text, strlen(text), NULL);
	l = loader_probe(path, &e);
	if (l)
		p = load_with(l, text, strlen(text), &e);
	if (!p) {
		fail("load: %s", e.text);
		exit(done_testing());
	}
	return p;
}

static unsigned count(const struct profile *p, enum layer l)
{
	return p->layer_first[l + 1] - p->layer_first[l];
}

static const char *str(const struct profile *p, str_id id)
{
	size_t n;

	return id == ID_NONE ? NULL : profile_str(p, id, &n);
}

static const struct track *track_of(const struct profile *p, ev_id e)
{
	return &p->tracks[profile_track_of(p, e)];
}

static ev_id first(const struct profile *p, enum layer l)
{
	return p->layer_first[l];
}

static uint64_t damage(const struct profile *p, const char *what)
{
	for (uint32_t i = 0; i < p->n_damages; i++)
		if (strcmp(p->damages[i].what, what) == 0)
			return p->damages[i].count;
	return 0;
}

/* ---- jsonlines ---- */

/* Rows mixed; strings and the domain behind their users; a 64-bit id as a string, too. */
static const char lines[] =
	"{\"correlationId\":7,\"deviceId\":0,\"contextId\":1,\"streamId\":13,\"demangledName\":3,"
	"\"end\":900,\"globalPid\":" P5 ",\"gridX\":2,\"gridY\":3,\"gridZ\":1,\"blockX\":64,\"blockY\":1,"
	"\"blockZ\":1,\"registersPerThread\":40,\"dynamicSharedMemory\":8,\"staticSharedMemory\":4,"
	"\"shortName\":2,\"start\":500,\"table\":\"CUPTI_ACTIVITY_KIND_KERNEL\"}\n"
	"{\"domainId\":4,\"end\":800,\"eventType\":59,\"globalTid\":\"" T5 "\",\"start\":100,"
	"\"table\":\"NVTX_EVENTS\",\"text\":\"a\\tb \\u00e9\",\"uint32Value\":7}\n"
	"{\"domainId\":0,\"eventType\":59,\"globalTid\":" T5 ",\"start\":700,\"jsonText\":\"[\\\"x\\\"]\","
	"\"table\":\"NVTX_EVENTS\",\"textId\":2}\n"
	"{\"correlationId\":7,\"end\":300,\"eventClass\":0,\"globalTid\":" T5 ",\"nameId\":1,\"returnValue\":0,"
	"\"start\":200,\"table\":\"CUPTI_ACTIVITY_KIND_RUNTIME\"}\n"
	"{\"bytes\":4096,\"copyKind\":1,\"srcKind\":0,\"dstKind\":2,\"correlationId\":8,\"deviceId\":0,\"contextId\":1,"
	"\"streamId\":7,\"start\":1000,\"end\":1100,\"globalPid\":" P5 ",\"table\":\"CUPTI_ACTIVITY_KIND_MEMCPY\"}\n"
	"{\"domainId\":4,\"eventType\":75,\"globalTid\":" T5 ",\"start\":-5,\"table\":\"NVTX_EVENTS\",\"text\":\"dom\"}\n"
	"{\"id\":1,\"table\":\"StringIds\",\"value\":\"cudaLaunchKernel_v7000\"}\n"
	"{\"id\":2,\"table\":\"StringIds\",\"value\":\"Kernel2\"}\n"
	"{\"id\":3,\"table\":\"StringIds\",\"value\":\"void cutlass::Kernel2<x>(int)\"}\n"
	"{\"id\":4,\"table\":\"StringIds\",\"value\":\"worker\"}\n"
	"{\"globalTid\":" T5 ",\"nameId\":4,\"table\":\"ThreadNames\"}\n"
	"{\"name\":\"EXPORT_PRODUCT_VERSION\",\"table\":\"META_DATA_EXPORT\",\"value\":\"2025.1.1\"}\n"
	"{\"name\":\"PROCESS_0:ENVIRONMENT_VARIABLE\",\"table\":\"META_DATA_CAPTURE\",\"value\":\"SECRET=1\"}\n"
	"{\"table\":\"TARGET_INFO_SESSION_START_TIME\",\"utcEpochNs\":1700000000000000000}\n"
	"{\"cuDevice\":0,\"id\":0,\"memoryBandwidth\":1000000000000,\"name\":\"GPU A\",\"smCount\":108,"
	"\"table\":\"TARGET_INFO_GPU\"}\n"
	"{\"cpu\":1,\"globalTid\":" T5 ",\"isSchedIn\":1,\"start\":3,\"table\":\"SCHED_EVENTS\"}\n";

static void test_lines(void)
{
	struct profile *p = load(lines);
	ev_id k = first(p, LAYER_KERNEL), r = first(p, LAYER_RUNTIME), n = first(p, LAYER_NVTX);
	const struct kernel_detail *d = &p->kernels[p->aux[k]];

	is_int(p->format, FORMAT_NSYS_JSONL, "its format");
	is_str(str(p, p->version), "2025.1.1", "the version");
	is_int(p->epoch_ns, INT64_C(1700000000000000000), "the epoch");
	is_uint(p->n, 6, "events: kernel, copy, call, range, open range, a stretch on a CPU");
	is_str(str(p, p->name[k]), "void cutlass::Kernel2<x>(int)", "a name whose string comes later");
	is_int(p->start[k], 500, "start");
	is_int(p->dur[k], 400, "length");
	is_int(p->link[k], r, "linked to its launch");
	is_int(d->grid[0] * 100 + d->grid[1] * 10 + d->grid[2], 231, "grid");
	is_int(d->shared_bytes, 12, "shared memory");
	is_int(d->registers, 40, "registers");
	is_int(track_of(p, k)->pid, 5, "process of the kernel");
	is_int(track_of(p, k)->stream, 13, "stream");
	is_str(str(p, p->name[n]), "a\tb \xc3\xa9", "a text with escapes");
	is_str(str(p, track_of(p, n)->domain), "dom", "a domain that is created later");
	is_int(count(p, LAYER_NVTX_OPEN), 1, "a range without an end is open");
	is_str(str(p, p->name[first(p, LAYER_NVTX_OPEN)]), "Kernel2", "a registered string");
	is_str(str(p, p->aux[n]), "7", "a number as payload");
	is_str(str(p, p->aux[first(p, LAYER_NVTX_OPEN)]), "[\"x\"]", "fields as payload");
	is_str(str(p, p->threads[track_of(p, r)->thread].name), "worker", "thread name");
	is_str(str(p, p->devices[0].name), "GPU A", "the board");
	is_int(p->devices[0].sm_count, 108, "its multiprocessors");
	is_int(p->copies[p->aux[first(p, LAYER_MEMCPY)]].bytes, 4096, "bytes of the copy");
	is_int(p->copies[p->aux[first(p, LAYER_MEMCPY)]].src, MEM_PAGEABLE, "its memory");
	is_uint(p->n_options, 1, "no environment is an option");
	is_str(str(p, p->options[0].key), "context switches", "but what was recorded is");
	is_uint(p->n_damages, 0, "nothing is damaged");
	ok(!profile_name_short(p, p->name[k]), "its names are whole");
	profile_unref(p);
}

static void test_lines_damaged(void)
{
	static const char text[] =
		"{\"id\":1,\"table\":\"StringIds\",\"value\":\"call\"}\n"
		"{\"start\":10,\"end\":20,\"globalTid\":" T5 ",\"nameId\":1,\"table\":\"OSRT_API\",\"eventClass\":27}\n"
		"\n"
		"{\"start\":30,\"end\":\"x\",\"globalTid\":" T5 ",\"nameId\":9,\"table\":\"OSRT_API\",\"eventClass\":27}\n"
		"{\"start\":50,\"end\":40,\"globalTid\":null,\"nameId\":1,\"table\":\"OSRT_API\",\"eventClass\":27}\n"
		"{\"end\":60,\"globalTid\":" T5 ",\"nameId\":1,\"table\":\"OSRT_API\",\"eventClass\":27}\n"
		"noise\n"
		"{\"start\":70,\"end\":71,\"nested\":{\"a\":[1,{\"b\":2}]},\"nameId\":1,\"globalTid\":" T5
		",\"table\":\"OSRT_API\",\"eventClass\":27}\n"
		"{\"start\":80,\"end\":90,\"globalTid\":" T5 ",\"nam";
	struct profile *p = load(text);

	is_uint(count(p, LAYER_OSRT), 4, "what can be used is kept");
	is_uint(damage(p, "lines that are no JSON object, skipped"), 1, "a line of noise");
	is_uint(damage(p, "malformed lines, skipped"), 1, "the line that is cut");
	is_uint(damage(p, "cell of a wrong type"), 1, "a word where a time should be");
	is_uint(damage(p, "row without an end time"), 1, "which leaves no end");
	is_uint(damage(p, "row that ends before it starts"), 1, "a negative length");
	is_uint(damage(p, "row without a start time"), 1, "no start");
	is_str(str(p, p->name[first(p, LAYER_OSRT) + 1]), "call", "the row without a thread is first on thread 0");
	profile_unref(p);
}

/* ---- the older form ---- */

static const char legacy[] =
	"{\"data\":[\"[Unknown]\",\"[kernel.kallsyms]\",\"cudaLaunchKernel_v7000\",\"Kernel2\","
	"\"void cutlass::Kernel2<x>(int)\",\"sem_wait\",\"flush\",\"main\"],\"files\":[{\"FileName\":1}]}\n"
	"{\"Type\":49,\"DiagnosticEvent\":{\"Timestamp\":{\"Time\":\"0\",\"Type\":\"TargetTimestamp\"},"
	"\"Source\":\"Analysis\",\"Level\":\"Warning\",\"Text\":\"clock drifts\"}}\n"
	"{\"Type\":59,\"NvtxEvent\":{\"Type\":59,\"Timestamp\":\"100\",\"Text\":\"step_0\",\"GlobalTid\":\"" T5
	"\",\"EndTimestamp\":\"800\",\"DomainId\":\"0\",\"NsTime\":true}}\n"
	"{\"Type\":34,\"NvtxEvent\":{\"Type\":34,\"Timestamp\":\"850\",\"Text\":\"mark\",\"GlobalTid\":\"" T5 "\"}}\n"
	"{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"200\",\"endNs\":\"300\",\"correlationId\":7,\"eventClass\":0,"
	"\"name\":\"2\",\"returnValue\":0,\"globalTid\":\"" T5 "\"}}\n"
	/* a field of value 0 may be left out: this is a runtime call, too */
	"{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"310\",\"endNs\":\"320\",\"correlationId\":9,\"name\":\"2\","
	"\"globalTid\":\"" T6 "\"}}\n"
	"{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"400\",\"endNs\":\"450\",\"eventClass\":27,\"name\":\"5\","
	"\"globalTid\":\"" T5 "\"}}\n"
	"{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"460\",\"endNs\":\"470\",\"eventClass\":3,\"name\":\"6\","
	"\"globalTid\":\"" T5 "\"}}\n"
	"{\"Type\":47,\"TraceProcessEvent\":{\"startNs\":\"20\",\"endNs\":\"20\",\"eventClass\":6,\"name\":\"6\","
	"\"globalTid\":\"" P5 "\"}}\n"
	"{\"Type\":79,\"CudaEvent\":{\"startNs\":\"500\",\"endNs\":\"900\",\"correlationId\":7,\"contextId\":1,\"streamId\":13,"
	"\"eventClass\":3,\"globalPid\":\"" P5 "\",\"kernel\":{\"gridX\":2,\"gridY\":3,\"gridZ\":1,\"blockX\":64,\"blockY\":1,"
	"\"blockZ\":1,\"registersPerThread\":40,\"staticSharedMemory\":4,\"demangledName\":\"4\",\"shortName\":\"3\"}}}\n"
	"{\"Type\":80,\"CudaEvent\":{\"startNs\":\"1000\",\"endNs\":\"1100\",\"correlationId\":8,\"deviceId\":0,\"streamId\":7,"
	"\"eventClass\":1,\"globalPid\":\"" P5 "\",\"memcpy\":{\"sizebytes\":\"4096\",\"copyKind\":1,\"dstKind\":2}}}\n"
	"{\"Type\":106,\"CudaEvent\":{\"startNs\":\"1200\",\"endNs\":\"1300\",\"correlationId\":9,\"eventClass\":5,"
	"\"globalPid\":\"" P5 "\",\"sync\":{\"syncType\":\"3\"}}}\n"
	"{\"Type\":999,\"Whatever\":{\"startNs\":\"1\"}}\n"
	"{\"data\":[{\"nameIdx\":\"7\",\"priority\":\"0\",\"globalTid\":\"" T5 "\"}]}\n";

static void test_legacy(void)
{
	struct profile *p = load(legacy);
	ev_id k = first(p, LAYER_KERNEL), r = first(p, LAYER_RUNTIME), c = first(p, LAYER_MEMCPY);

	is_int(p->format, FORMAT_NSYS_JSON, "its format");
	is_uint(p->n, 9, "events: range, mark, two calls, OS call, overhead, kernel, copy, sync");
	is_str(str(p, p->name[first(p, LAYER_NVTX)]), "step_0", "a range");
	is_int(p->dur[first(p, LAYER_NVTX)], 700, "its length");
	is_int(count(p, LAYER_INSTANT), 1, "a mark");
	is_str(str(p, p->name[r]), "cudaLaunchKernel_v7000", "a call, by the number of its name");
	is_int(count(p, LAYER_RUNTIME), 2, "a call without eventClass is one of the runtime");
	is_str(str(p, p->name[first(p, LAYER_OSRT)]), "sem_wait", "an OS call");
	is_str(str(p, p->name[first(p, LAYER_OVERHEAD)]), "flush", "overhead");
	is_str(str(p, p->name[k]), "void cutlass::Kernel2<x>(int)", "a kernel, by its whole name");
	is_int(p->link[k], r, "linked to its launch");
	is_int(track_of(p, k)->device, 0, "a device that is left out is 0");
	is_int(p->kernels[p->aux[k]].shared_bytes, 4, "so is shared memory");
	is_int(p->copies[p->aux[c]].bytes, 4096, "bytes of the copy");
	is_int(p->copies[p->aux[c]].src, MEM_PAGEABLE, "pageable memory is the 0 that is left out");
	is_int(count(p, LAYER_SYNC), 1, "synchronisation");
	is_str(str(p, p->threads[track_of(p, r)->thread].name), "main", "names of threads at the end");
	is_str(p->n_notes ? p->notes[0] : NULL, "profiler (warning): clock drifts", "a message of the profiler");
	is_uint(p->n_damages, 0, "nothing is damaged");
	profile_unref(p);
}

/* NUL bytes, a byte order mark, CRLF, no newline at the end. */
static void test_odd_bytes(void)
{
	static const char text[] =
		"\xef\xbb\xbf{\"id\":1,\"table\":\"StringIds\",\"value\":\"c\"}\r\n"
		"\0\0\n"
		"{\"start\":1,\"end\":2,\"globalTid\":" T5 ",\"nameId\":1,\"table\":\"OSRT_API\",\"eventClass\":27}";
	struct err e = ERR_INIT;
	struct profile *p = load_with(&loader_nsys_jsonl, text, sizeof(text) - 1, &e);

	is_uint(p ? p->n : 0, 1, "the row behind zero bytes");
	is_str(p ? str(p, p->name[0]) : NULL, "c", "the string behind a byte order mark");
	is_uint(p ? damage(p, "lines that are no JSON object, skipped") : 0, 1, "and the zeros are damage");
	profile_unref(p);
}

static void test_string_lines(void)
{
	static const char text[] =
		"{\"type\":\"String\",\"id\":\"4\",\"value\":\"late \\\"quoted\\\"\"}\n"
		"{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"1\",\"endNs\":\"2\",\"eventClass\":1,\"name\":\"4\",\"globalTid\":\"" T5
		"\"}}\n"
		"{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"3\",\"endNs\":\"4\",\"eventClass\":1,\"name\":\"5\",\"globalTid\":\"" T5
		"\"}}\n";
	struct profile *p = load(text);
	ev_id r = first(p, LAYER_RUNTIME);

	is_str(str(p, p->name[r]), "late \"quoted\"", "strings as lines of their own");
	is_str(str(p, p->name[r + 1]), "?5", "a string that is not there");
	ok(call_is_driver(p->aux[r]), "a driver call");
	profile_unref(p);
}

static void test_nothing(void)
{
	struct err e = ERR_INIT;

	ok(!load_with(&loader_nsys_jsonl, "", 0, &e) && e.code == ERR_FORMAT, "an empty file: %s", e.text);
	ok(!load_with(&loader_nsys_json, "{}\n", 3, &e) && e.code == ERR_FORMAT, "no row: %s", e.text);
	ok(!load_with(&loader_nsys_chrome, "", 0, &e) && e.code == ERR_FORMAT, "an empty trace: %s", e.text);
	ok(!load_with(&loader_nsys_chrome, "{\"a\": 1}", 8, &e) && e.code == ERR_FORMAT, "no list: %s", e.text);
}

/* Every cut of the text, and every byte broken: no crash, and no more events than there are. */
static void test_cuts(const struct loader *l, const char *text, size_t n, uint32_t events)
{
	uint32_t most = 0, loaded = 0;

	for (size_t i = 0; i < n; i += 3) {
		char *copy = xmalloc(n + 1);
		struct err e = ERR_INIT;
		struct profile *p;

		memcpy(copy, text, n + 1);
		p = load_with(l, copy, i, &e);
		most = p && p->n > most ? p->n : most;
		loaded += p != NULL;
		profile_unref(p);
		copy[i] ^= 0x15;
		p = load_with(l, copy, n, &e);
		most = p && p->n > most ? p->n : most;
		profile_unref(p);
		free(copy);
	}
	ok(most <= events + 1 && loaded > n / 6, "%s: cut or broken anywhere, at most %u events of %u", l->name, most, events);
}

/* ---- Chrome traces ---- */

#define CALL(name, ts, dur, corr)                                                                 \
	"{\"name\": \"" name "\", \"ph\": \"X\", \"cat\": \"cuda_api\", \"ts\": " ts ", \"dur\": " dur   \
	", \"tid\": \"CUDA API Thread 6\", \"pid\": \"Device 1\", \"args\": {\"correlationId\": " corr   \
	", \"raw_pid\": 5, \"raw_tid\": 6}}"
#define KERNEL(name, start, end, corr)                                                            \
	"{\"name\": " name ", \"ph\": \"X\", \"cat\": \"cuda\", \"ts\": 0.0, \"dur\": 0.0, \"tid\": \"Stream 7\", "   \
	"\"pid\": \"Device 1\", \"args\": {\"grid\": [4, 2, 1], \"block\": [128, 1, 1], \"registersPerThread\": 24, " \
	"\"staticSharedMemory\": 16, \"dynamicSharedMemory\": 0, \"correlationId\": " corr ", \"start_ns\": " start   \
	", \"end_ns\": " end "}}"

/* clang-format off */
static const char chrome[] =
	"[{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0.0, \"pid\": \"Device 1\", \"tid\": \"\", "
	"\"cat\": \"__metadata\", \"args\": {\"name\": \"Device 1\"}}, "
	KERNEL("\"Kernel2\"", "5001", "5500", "7") ", "
	CALL("cudaGraphLaunch_v10000", "4.0", "0.5", "7") ", "
	KERNEL("\"vectorized_elementwise_kernel\"", "5600", "5700", "7") ", "
	KERNEL("null", "5800", "5900", "0") ", "
	KERNEL("\"void k<int>(int)\"", "6000", "6100", "8") ", "
	CALL("cuLaunchKernelEx", "4.6", "0.1", "8") ", "
	"{\"name\": \"\", \"ph\": \"s\", \"ts\": 4.0, \"pid\": \"Device 1\", \"tid\": \"CUDA API Thread 6\", "
	"\"cat\": \"cuda_flow\", \"args\": {}, \"id\": 7}, "
	"{\"name\": \"range\", \"ph\": \"X\", \"cat\": \"nvtx\", \"ts\": 3.9994, \"dur\": 1.0006, "
	"\"tid\": \"NVTX Thread 6\", \"pid\": \"Device 1\", \"args\": {}}, "
	"{\"name\": \"range\", \"ph\": \"X\", \"cat\": \"nvtx-kernel\", \"ts\": 5.0, \"dur\": 1.0, "
	"\"tid\": \"NVTX Kernel Thread 6\", \"pid\": \"Device 1\", \"args\": {}}, "
	"{\"name\": \"poll\", \"ph\": \"X\", \"cat\": \"osrt\", \"ts\": 7, \"dur\": 2, \"tid\": \"Thread 9\", "
	"\"pid\": \"Process 5\", \"args\": {\"returnValue\": 0, \"nestingLevel\": null}}, "
	"{\"name\": \"[Unknown]\", \"ph\": \"X\", \"cat\": \"osrt\", \"ts\": 1, \"dur\": 0.0, \"tid\": \"Thread 0\", "
	"\"pid\": \"Process 5\", \"args\": {}}, "
	"{\"name\": \"Scheduled In\", \"ph\": \"i\", \"cat\": \"sched\", \"ts\": 1, \"tid\": \"Thread 9\", "
	"\"pid\": \"Process 5\", \"args\": {\"cpu\": 0}}]";
/* clang-format on */

static void test_chrome(void)
{
	struct profile *p = load(chrome);
	ev_id k = first(p, LAYER_KERNEL), r = first(p, LAYER_RUNTIME), n = first(p, LAYER_NVTX);
	uint32_t at;

	is_int(p->format, FORMAT_NSYS_CHROME, "its format");
	is_uint(p->n, 8, "events: 4 kernels, 2 calls, range, OS call; what is derived is none");
	is_int(p->start[k], 5001, "whole ns are taken where they are given");
	is_int(p->start[n], 3999, "microseconds are rounded half up: start");
	is_int(p->dur[n], 1001, "microseconds are rounded half up: length");
	is_int(p->start[r], 4000, "a call");
	is_uint(profile_launched_by(p, r, &at), 2, "a graph launch has both its kernels");
	is_int(p->link[k + 2], ID_NONE, "correlation id 0 is none");
	is_int(p->link[k + 3], r + 1, "a kernel and its launch");
	is_int(p->aux[r], 0, "a runtime call");
	ok(call_is_driver(p->aux[r + 1]), "a driver call");
	is_int(p->threads[track_of(p, r)->thread].pid, 5, "the process that the calls name");
	is_int(track_of(p, k)->device, 1, "device");
	is_int(track_of(p, k)->stream, 7, "stream");
	is_int(p->kernels[p->aux[k]].grid[0] * 10 + p->kernels[p->aux[k]].grid[1], 42, "grid");
	is_int(p->kernels[p->aux[k]].shared_bytes, 16, "shared memory");
	ok(profile_name_short(p, p->name[k]), "Kernel2 is a short name");
	ok(profile_name_short(p, p->name[k + 1]), "so is a base name that rules know");
	ok(!profile_name_short(p, p->name[k + 3]), "a signature is whole");
	is_str(str(p, p->name[k + 2]), "(unnamed)", "a kernel without a name");
	is_uint(p->n_damages, 0, "nothing is damaged");
	profile_unref(p);
}

/* nsys2json: no process numbers, no ids at the kernels; wrapped in an object, and damaged. */
static void test_chrome_bare(void)
{
	static const char text[] =
		"{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
		"{\"name\": \"cudaLaunchKernel\", \"ph\": \"X\", \"cat\": \"cuda_api\", \"ts\": 1.0, \"dur\": 1.0, "
		"\"tid\": \"CUDA API Thread 111\", \"pid\": \"Device 0\", \"args\": {\"correlationId\": 3}},\n"
		"{\"name\": \"broken\", \"ph\": \"X\", \"cat\": , \"ts\": 1.0},\n"
		"{\"name\": \"k\", \"ph\": \"X\", \"cat\": \"cuda\", \"ts\": 2.5, \"dur\": 1.25, \"tid\": \"Stream 7\", "
		"\"pid\": \"Device 0\", \"args\": {}},\n"
		"{\"name\": \"lost\", \"ph\": \"X\", \"cat\": \"cuda\", \"ts\": 2.5, \"dur\": 1.25, \"tid\": \"elsewhere\", "
		"\"pid\": \"Device 0\", \"args\": {}},\n"
		"{\"name\": \"untimed\", \"ph\": \"X\", \"cat\": \"nvtx\", \"ts\": \"?\", \"tid\": \"NVTX Thread 1\", \"pid\": \"Device 0\"}\n"
		"], \"other\": {}}\n";
	struct profile *p = load(text);
	ev_id k = first(p, LAYER_KERNEL);

	is_uint(p->n, 2, "what can be used is kept");
	is_int(p->start[k], 2500, "a kernel");
	is_int(p->dur[k], 1250, "its length");
	is_int(p->link[k], ID_NONE, "has no launch: nothing is guessed");
	ok(p->threads[0].pid < 0, "a process without a number");
	is_int(p->threads[0].tid, 111, "its thread");
	is_uint(damage(p, "malformed events, skipped"), 1, "one event is malformed");
	is_uint(damage(p, "kernels of no stream, skipped"), 1, "one has no stream");
	is_uint(damage(p, "events without a time, skipped"), 1, "one has no time");
	profile_unref(p);
}

/* Longer than the window: objects are cut by its end. */
static void test_long(void)
{
	const unsigned n = 30000;
	size_t cap = 200u * n, at;
	char *text = xmalloc(cap);
	struct err e = ERR_INIT;
	struct profile *p;

	at = (size_t)snprintf(text, cap, "{\"id\":1,\"table\":\"StringIds\",\"value\":\"call\"}\n");
	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, cap - at, "{\"start\":%u,\"end\":%u,\"globalTid\":" T5
			",\"nameId\":1,\"table\":\"OSRT_API\",\"eventClass\":27}\n", i * 10, i * 10 + 7);
	p = load_with(&loader_nsys_jsonl, text, at, &e);
	is_uint(p ? p->n : 0, n, "lines over several windows");
	is_int(p ? p->last_ns : 0, (n - 1) * 10 + 7, "to the last");
	is_uint(p ? p->n_damages : 1, 0, "without damage");
	profile_unref(p);
	at = (size_t)snprintf(text, cap, "[");
	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, cap - at, "%s{\"name\": \"k\", \"ph\": \"X\", \"cat\": \"cuda\", \"ts\": %u.5, \"dur\": 0.25, "
			"\"tid\": \"Stream 7\", \"pid\": \"Device 0\", \"args\": {}}", i ? ", " : "", i);
	at += (size_t)snprintf(text + at, cap - at, "]");
	p = load_with(&loader_nsys_chrome, text, at, &e);
	is_uint(p ? p->n : 0, n, "events over several windows");
	is_uint(p ? p->n_damages : 1, 0, "without damage");
	profile_unref(p);
	free(text);
}

int main(void)
{
	if (!mkdtemp(dir))
		return skip_all("no temporary folder");
	snprintf(path, sizeof(path), "%s/x", dir);
	test_lines();
	test_lines_damaged();
	test_legacy();
	test_odd_bytes();
	test_string_lines();
	test_nothing();
	test_chrome();
	test_chrome_bare();
	test_long();
	test_cuts(&loader_nsys_jsonl, lines, sizeof(lines) - 1, 5);
	test_cuts(&loader_nsys_json, legacy, sizeof(legacy) - 1, 9);
	test_cuts(&loader_nsys_chrome, chrome, sizeof(chrome) - 1, 8);
	unlink(path);
	rmdir(dir);
	return done_testing();
}
