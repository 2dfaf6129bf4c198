/*
 * test_torch.c - torch.profiler traces: eras, layers, links, clock, details, damage with its place,
 * windows, privacy
 */
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "load/read/json_kind.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

static const char *scratch;
static struct job job;
static unsigned batches;

static void on_batch(void *arg, struct builder *b)
{
	(void)arg;
	(void)b;
	batches++;
}

static struct profile *load_n(const char *text, size_t n, struct err *e)
{
	struct load_ctx lx = { .builder = builder_new(), .job = &job, .batch = on_batch };
	struct profile *p = NULL;

	*e = (struct err)ERR_INIT;
	if (outfile_write(scratch, text, n, e) && loader_torch.load(&lx, scratch, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

/* Loads, or ends the test program: every check behind needs the profile. */
static struct profile *load(const char *text)
{
	struct err e;
	struct profile *p = load_n(text, strlen(text), &e);

	if (p)
		return p;
	fail("loading failed: %s", e.text);
	exit(done_testing());
}

static unsigned count_of(const struct profile *p, enum layer l)
{
	return p->layer_first[l + 1] - p->layer_first[l];
}

/* The first event of this name, ID_NONE without one. */
static ev_id find(const struct profile *p, const char *name)
{
	str_id id = profile_str_find(p, name, strlen(name));

	for (ev_id e = 0; e < p->n; e++)
		if (id != ID_NONE && p->name[e] == id)
			return e;
	fail("there is an event %s", name);
	exit(done_testing());
}

static uint64_t content(const struct profile *p, const char *what)
{
	str_id id = profile_str_find(p, what, strlen(what));

	for (uint32_t i = 0; i < p->n_contents; i++)
		if (p->contents[i].what == id)
			return p->contents[i].count;
	return 0;
}

static const struct damage *damage(const struct profile *p, const char *part)
{
	static const struct damage none = { "", -2, 0 };

	for (uint32_t i = 0; i < p->n_damages; i++)
		if (strstr(p->damages[i].what, part))
			return &p->damages[i];
	return &none;
}

static const char *name_of(const struct profile *p, str_id id)
{
	size_t n;

	return profile_str(p, id, &n);
}

static const char *process_name(const struct profile *p, int64_t pid)
{
	for (uint32_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].pid == pid && p->processes[i].name != ID_NONE)
			return name_of(p, p->processes[i].name);
	return NULL;
}

/*
 * Which event a call waits for: that of the cudaEventRecord with id 5, on stream 20. A wait for a call that is not there, and one for
 * nothing (-1), are none. Twice the same text: once it is read event by event, then as one that was seen before.
 */
static void event_waits(void)
{
#define SYNC_ROW(corr, record) "{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"Stream Wait Event\", \"pid\": 0, \"tid\": 7, " \
	"\"ts\": 30, \"dur\": 1, \"args\": {\"cuda_sync_kind\": \"Stream Wait Event\", \"stream\": 7, \"correlation\": " corr \
	", \"device\": 0, \"context\": 1, \"wait_on_stream\": 20, \"wait_on_cuda_event_record_corr_id\": " record \
	", \"wait_on_cuda_event_id\": 3}}"
#define CALL_ROW(name, ts, corr) "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"" name "\", \"pid\": 9, \"tid\": 9, " \
	"\"ts\": " ts ", \"dur\": 1, \"args\": {\"correlation\": " corr "}}"
	struct profile *p = load("{\"schemaVersion\": 1, \"traceEvents\": [\n" CALL_ROW("cudaEventRecord", "10", "5") ",\n"
		CALL_ROW("cudaStreamWaitEvent", "20", "6") ",\n" CALL_ROW("cudaStreamWaitEvent", "22", "8") ",\n"
		CALL_ROW("cudaStreamWaitEvent", "24", "9") ",\n" CALL_ROW("cudaStreamWaitEvent", "26", "10") ",\n"
		SYNC_ROW("6", "5") ",\n" SYNC_ROW("8", "77") ",\n" SYNC_ROW("9", "-1") ",\n" SYNC_ROW("10", "5") "\n]}");

	is_uint(p->n_event_waits, 2, "two of four waits are for an event that was recorded");
	if (p->n_event_waits == 2) {
		const struct event_wait *w = p->event_waits;

		is_int(p->start[w[0].call], 20000, "the first that waits");
		is_int(p->start[w[1].call], 26000, "the second");
		ok(p->start[w[0].record] == 10000 && w[1].record == w[0].record && w[0].stream == 20, "for the same, on stream 20");
	}
	profile_unref(p);
}

/* torch 1.8: other categories, tids as text, "external id"; integer us since 1970 */
static void era_1(void)
{
	struct profile *p =
		load("\n{\"schemaVersion\": 1,\n\"traceEvents\": [\n"
		     "{\"ph\": \"X\", \"cat\": \"Operator\", \"name\": \"ProfilerStep#2\", "
		     "\"pid\": 25738, \"tid\": \"25738\","
		     " \"ts\": 1623143089861000, \"dur\": 100, \"args\": {\"Input dims\": [], "
		     "\"External id\": 1}},\n"
		     "{\"ph\": \"X\", \"cat\": \"Operator\", \"name\": \"aten::mm\", \"pid\": "
		     "25738, \"tid\": \"25738\","
		     " \"ts\": 1623143089861010, \"dur\": 50, \"args\": {\"External id\": 2}},\n"
		     "{\"ph\": \"X\", \"cat\": \"Runtime\", \"name\": \"cudaLaunchKernel\", "
		     "\"pid\": 25738, \"tid\": \"25738\","
		     " \"ts\": 1623143089861020, \"dur\": 8, \"args\": {\"cbid\": 211, "
		     "\"correlation\": 33, \"external id\": 2}},\n"
		     "{\"ph\": \"f\", \"id\": 33, \"pid\": 0, \"tid\": \"stream 7\", \"ts\": "
		     "1623143089861030, \"cat\": \"async\","
		     " \"name\": \"launch\", \"bp\": \"e\"},\n"
		     "{\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"sgemm\", \"pid\": 0, "
		     "\"tid\": \"stream 7\","
		     " \"ts\": 1623143089861030, \"dur\": 20, \"args\": {\"queued\": 0, "
		     "\"device\": 0, \"context\": 1, \"stream\": 7,"
		     " \"correlation\": 33, \"external id\": 2, \"registers per thread\": 80, "
		     "\"shared memory\": 1024,"
		     " \"grid\": [3, 2, 1], \"block\": [128, 1, 1], \"blocks per SM\": inf}},\n"
		     "{\"ph\": \"X\", \"cat\": \"Memcpy\", \"name\": \"Memcpy HtoD (Pageable -> "
		     "Device)\", \"pid\": 0, \"tid\": \"stream 7\","
		     " \"ts\": 1623143089861060, \"dur\": 2, \"args\": {\"device\": 0, "
		     "\"context\": 1, \"stream\": 7, \"bytes\": 4096,"
		     " \"memory bandwidth (GB/s)\": N/A}}\n]}\n");
	ev_id kernel = find(p, "sgemm"), call = find(p, "cudaLaunchKernel"),
	      op = find(p, "aten::mm");
	const struct track *t = &p->tracks[profile_track_of(p, kernel)];
	const struct kernel_detail *k = &p->kernels[p->aux[kernel]];
	const struct copy_detail *c =
		&p->copies[p->aux[find(p, "Memcpy HtoD (Pageable -> Device)")]];

	is_uint(count_of(p, LAYER_OP), 2, "ops, the step among them");
	is_uint(count_of(p, LAYER_ANNOT), 0, "no annotations in this era");
	is_int(p->start[op], INT64_C(1623143089861010000), "ns");
	is_int(p->self[find(p, "ProfilerStep#2")], 50000, "self without the child");
	is_int(p->self[op], 50000, "runtime calls are no children of ops");
	is_uint(p->link[kernel], call, "kernel to launch");
	is_uint(p->link[call], op, "launch to op");
	ok(t->layer == LAYER_KERNEL && t->device == 0 && t->context == 1 && t->stream == 7,
	   "device 0, context 1, stream 7");
	ok(k->grid[0] == 3 && k->grid[1] == 2 && k->block[0] == 128 && k->registers == 80 &&
		   k->shared_bytes == 1024,
	   "launch configuration");
	ok(c->bytes == 4096 && c->kind == COPY_HTOD && c->src == MEM_PAGEABLE &&
		   c->dst == MEM_DEVICE,
	   "copy");
	is_int(p->epoch_ns, 0, "absolute times: the epoch is 1970");
	is_uint(content(p, "Operator"), 2, "category as written");
	is_uint(content(p, "(flow)"), 1, "flows are counted");
	is_uint(p->n_damages, 0, "no damage");
	ok(p->n_threads == 1 && p->threads[0].tid == 25738, "one host thread");
	profile_unref(p);
}

#define OP(name, at, len, stack) "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name "\", \"pid\": 5, \"tid\": \"5\", \"ts\": " #at \
	", \"dur\": " #len ", \"args\": {\"Call stack\": \"" stack "\"}},\n"

/* "name start dur parent's start" of each frame, in their order. */
static const char *frames_text(const struct profile *p)
{
	static char text[1000];
	size_t n = 0;

	for (ev_id e = p->layer_first[LAYER_PYTHON]; e < p->layer_first[LAYER_PYTHON + 1]; e++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %lld+%lld under %s\n", name_of(p, p->name[e]),
			(long long)p->start[e] / 1000, (long long)p->dur[e] / 1000,
			p->parent[e] == ID_NONE ? "-" : name_of(p, p->name[p->parent[e]]));
	text[n] = '\0';
	return text;
}

/* torch 1.9 to 1.13: the Python frames stand in the args of ops, innermost first; ops are written when they end */
static void call_stacks(void)
{
	struct profile *p = load("{\"schemaVersion\": 1, \"traceEvents\": [\n"
		OP("aten::empty", 12, 2, "nn.py(9): forward;train.py(3): <module>")
		OP("aten::conv2d", 11, 5, "nn.py(9): forward;train.py(3): <module>")
		OP("aten::mul", 24, 3, "nn.py(9): forward;fn.py(8): apply;train.py(4): <module>")
		OP("MyFunction", 20, 10, "fn.py(8): apply;train.py(4): <module>")
		OP("ProfilerStep#1", 10, 30, "/l/torch/autograd/profiler.py(614): __enter__;train.py(2): <module>")
		OP("aten::zeros", 50, 1, "/l/torch/autograd/profiler.py(614): __enter__;C:\\\\train.py(6): <module>")
		OP("aten::t", 60, 1, "")
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::v\", \"pid\": 5, \"tid\": \"6\", \"ts\": 12, \"dur\": 1,"
		" \"args\": {\"Call stack\": \"w.py(1): work\", \"Fwd thread id\": 0, \"Sequence number\": 8}}]}\n");

	is_str(frames_text(p),
		"train.py(3): <module> 11+5 under -\n"
		"nn.py(9): forward 11+5 under train.py(3): <module>\n"
		"train.py(4): <module> 20+10 under -\n"
		"fn.py(8): apply 20+10 under train.py(4): <module>\n"
		"nn.py(9): forward 24+3 under fn.py(8): apply\n"
		"C:\\train.py(6): <module> 50+1 under -\n"
		"/l/torch/autograd/profiler.py(614): __enter__ 50+1 under C:\\train.py(6): <module>\n"
		"w.py(1): work 12+1 under -\n",
		"frames last as long as their op; an inner op adds what is new; a range's own are left before it ends");
	ok(p->caps & CAP_PYTHON && p->caps & CAP_OP_STACKS, "Python frames, of ops");
	is_uint(content(p, "cpu_op"), 8, "nothing is added to what the file holds");
	profile_unref(p);

	p = load("{\"schemaVersion\": 1, \"traceEvents\": [\n" OP("aten::empty", 12, 2, "nn.py(9): forward;train.py(3): <module>")
		"{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"train.py(1): <module>\", \"pid\": 5, \"tid\": 5, \"ts\": 2, "
		"\"dur\": 40}]}\n");
	is_str(frames_text(p), "train.py(1): <module> 2+40 under -\n", "frames that are traced are not told twice");
	ok(!(p->caps & CAP_OP_STACKS), "and are all frames");
	profile_unref(p);
}

/*
 * torch 2.5: fractions, base time and metadata behind the events, metadata of threads, foreign keys
 */
static void era_6(void)
{
	struct profile *p = load(
		"{\"schemaVersion\": 1, \"metadata\": {\"env\": {\"SECRET_TOKEN\": \"hunter2\"}},"
		"\"host_name\": \"node17\", \"with_stack\": 1,"
		"\"deviceProperties\": [{\"id\": 0, \"name\": \"H100\", \"numSms\": 132}, {\"id\": "
		"1, \"name\": \"\", \"numSms\": 108}],"
		"\"traceEvents\": ["
		"{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#7\", "
		"\"pid\": 9, \"tid\": 9, \"ts\": 12.345, \"dur\": 9.9995},"
		"{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"a.py(1): f\", \"pid\": "
		"9, \"tid\": 9, \"ts\": 13, \"dur\": 1,"
		" \"args\": {\"Python parent id\": null}},"
		"{\"ph\": \"X\", \"cat\": \"cuda_driver\", \"name\": \"cuLaunchKernelEx\", "
		"\"pid\": 9, \"tid\": 9, \"ts\": 13.5, \"dur\": 0.25},"
		"{\"ph\": \"X\", \"cat\": \"gpu_user_annotation\", \"name\": \"ProfilerStep#7\", "
		"\"pid\": 1, \"tid\": 7, \"ts\": 13, \"dur\": 9},"
		"{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"Stream Wait Event\", \"pid\": "
		"1, \"tid\": 7, \"ts\": 14, \"dur\": 1,"
		" \"args\": {\"cuda_sync_kind\": \"Stream Wait Event\", \"stream\": -1, "
		"\"device\": 1}},"
		"{\"ph\": \"X\", \"cat\": \"overhead\", \"name\": \"Buffer Flush\", \"pid\": -1, "
		"\"tid\": 0, \"ts\": 15, \"dur\": 1},"
		"{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"PyTorch Profiler (0)\", \"pid\": "
		"\"Spans\", \"tid\": \"PyTorch Profiler\","
		" \"ts\": 1, \"dur\": 999999},"
		"{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": "
		"9, \"tid\": 9, \"ts\": 14, \"s\": \"t\"},"
		"{\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 0, \"pid\": 9, \"tid\": 9, "
		"\"args\": {\"name\": \"first\"}},"
		"{\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 0, \"pid\": 9, \"tid\": 9, "
		"\"args\": {\"name\": \"thread 9 (py)\"}},"
		"{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0, \"pid\": 5, \"tid\": 0, "
		"\"args\": {\"name\": \"nobody\"}},"
		"{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0, \"pid\": 9, \"tid\": 0, "
		"\"args\": {\"name\": \"python3\"}}"
		"], \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8},"
		"\"WARNING\": [\"slow \\\"disk\\\"\"], \"baseTimeNanoseconds\": "
		"1743521598000000000}");
	ev_id step = find(p, "ProfilerStep#7"), driver = find(p, "cuLaunchKernelEx");
	const struct track *sync = &p->tracks[p->layer_track[LAYER_SYNC]];

	ok(p->start[step] == 12345 && p->dur[step] == 10000,
	   "12.345 us and 9.9995 us, rounded half up");
	is_uint(count_of(p, LAYER_ANNOT), 1, "host annotations apart from the derived GPU ones");
	is_uint(count_of(p, LAYER_GPU_ANNOT), 1, "which are a layer of their own");
	is_uint(count_of(p, LAYER_PYTHON), 1, "Python frames");
	is_uint(p->aux[driver], RUNTIME_DRIVER, "driver calls are marked");
	ok(sync->device == 1 && sync->stream == -1 && p->aux[sync->first] == SYNC_STREAM_WAIT,
	   "sync kind and place");
	is_uint(count_of(p, LAYER_OVERHEAD), 1, "overhead");
	is_uint(count_of(p, LAYER_SPAN), 1, "capture spans");
	is_uint(count_of(p, LAYER_INSTANT), 1, "instants");
	is_int(p->first_ns, 12345, "the capture span does not stretch the range");
	is_int(p->epoch_ns, INT64_C(1743521598000000000), "base time");
	ok(p->rank == 3 && p->world == 8, "rank 3 of 8");
	is_str(name_of(p, p->threads[0].name), "thread 9 (py)", "the last name of a thread wins");
	is_str(process_name(p, 9), "python3", "process name");
	is_str(process_name(p, 5), NULL, "a process without events is none");
	ok(profile_str_find(p, "with_stack", 10) != ID_NONE, "recording options are shown");
	ok(p->n_devices == 2 && p->devices[0].sm_count == 132 && p->devices[1].name == ID_NONE,
	   "devices; an empty name is none");
	is_str(p->n_notes ? p->notes[0] : NULL, "the profiler logged WARNING: slow \"disk\"",
	       "its warnings are notes");
	ok(profile_str_find(p, "hunter2", 7) == ID_NONE &&
		   profile_str_find(p, "SECRET_TOKEN", 12) == ID_NONE &&
		   profile_str_find(p, "node17", 6) == ID_NONE,
	   "nothing of the environment is kept");
	profile_unref(p);
}

/* Which layer each spelling gives; the same for any case. */
static void categories(void)
{
	static const struct {
		const char *cat;
		enum layer layer;
	} want[] = {
		{"cpu_op", LAYER_OP},
		{"OPERATOR", LAYER_OP},
		{"user_annotation", LAYER_ANNOT},
		{"gpu_user_Annotation", LAYER_GPU_ANNOT},
		{"cuda_runtime", LAYER_RUNTIME},
		{"mtia_runtime", LAYER_OTHER},
		{"xpu_driver", LAYER_RUNTIME},
		{"kernel", LAYER_KERNEL},
		{"mtia_ccp_events", LAYER_OTHER},
		{"gpu_memcpy", LAYER_MEMCPY},
		{"Memset", LAYER_MEMSET},
		{"xpu_sync", LAYER_SYNC},
		{"cuda_event", LAYER_SYNC},
		{"python", LAYER_PYTHON},
		{"Trace", LAYER_SPAN},
		{"overhead", LAYER_OVERHEAD},
		{"cuda_profiler_range", LAYER_OTHER},
		{"kernels", LAYER_OTHER},
		{"", LAYER_OTHER},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		char *text = xasprintf("[{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"n\", "
				       "\"pid\": 1, \"tid\": 2, \"ts\": 3, \"dur\": 4}]",
				       want[i].cat);
		struct profile *p = load(text);

		is_uint(count_of(p, want[i].layer), 1, "\"%s\" is %s", want[i].cat,
			layer_name(want[i].layer));
		profile_unref(p);
		free(text);
	}
}

/* torch 1.7 and the legacy profiler: no category, processes by name, small times */
static void era_0(void)
{
	struct profile *p = load("[{\"name\": \"mm\", \"ph\": \"X\", \"ts\": 37.502999999999986, "
				 "\"dur\": 1e1, \"tid\": 0,"
				 " \"pid\": \"CPU functions\", \"args\": {}}, "
				 "{\"name\": \"k\", \"ph\": \"X\", \"ts\": 40, \"dur\": 2, "
				 "\"tid\": 1, \"pid\": \"CUDA functions\", \"args\": {}}]");
	ev_id k = find(p, "k"), mm = find(p, "mm");

	is_int(p->start[mm], 37503, "float noise is rounded");
	is_int(p->dur[mm], 10000, "an exponent");
	is_uint(count_of(p, LAYER_OP), 1, "CPU functions are ops");
	is_uint(count_of(p, LAYER_KERNEL), 1, "CUDA functions are kernels");
	is_int(p->tracks[profile_track_of(p, k)].device, 1, "whose tid is the device");
	is_int(p->epoch_ns, NS_UNKNOWN, "no epoch");
	profile_unref(p);
}

static void begin_end(void)
{
	static const char text[] =
		"[{\"ph\": \"B\", \"name\": \"out\", \"pid\": 1, \"tid\": 1, \"ts\": 10},"
		"{\"ph\": \"B\", \"name\": \"in\", \"pid\": 1, \"tid\": 1, \"ts\": 12},"
		"{\"ph\": \"B\", \"name\": \"other\", \"pid\": 1, \"tid\": 2, \"ts\": 11},"
		"{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 15},"
		"{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 20},"
		"{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 21}]";
	struct profile *p = load(text);

	is_int(p->dur[find(p, "in")], 3000, "the inner pair");
	is_int(p->dur[find(p, "out")], 10000, "the outer pair");
	is_int(p->self[find(p, "out")], 7000, "nested");
	is_uint(p->n, 2, "what has no end is no event");
	is_int(damage(p, "without an end")->offset,
	       strstr(text, "{\"ph\": \"B\", \"name\": \"other\"") - text,
	       "and is told, with its place");
	is_int(damage(p, "without a begin")->offset,
	       strstr(text, "{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 21") - text,
	       "an end too many as well");
	profile_unref(p);
}

#define GOOD1                                                                                \
	"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"first\", \"pid\": 7, \"tid\": 7, " \
	"\"ts\": 1000, \"dur\": 50, \"args\": {\"External id\": 1}}"
#define GOOD2                                                                                 \
	"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"second\", \"pid\": 7, \"tid\": 7, " \
	"\"ts\": 1100, \"dur\": 5}"
#define OPEN "{\"schemaVersion\": 1, \"traceEvents\": [\n"
#define CLOSE "\n], \"with_flops\": 1}"

/*
 * One fault between two good events: both stay, the fault is named with its place, what follows the
 * list is read.
 */
static void faults(void)
{
	static const struct {
		const char *bad, *what;
		const char *at;		/* begins where the fault is */
		const char *kept;	/* name of the faulty event if it stays */
	} cases[] = {
		{"{\"ph\": \"X\", \"name\": \"f(\"x\", \"y\")\n(1): g\", \"pid\": 7, \"tid\": 7, "
		 "\"ts\": 1060, \"dur\": 2, \"args\": {}},",
		 "unescaped quotes", "{\"ph\": \"X\", \"name\": \"f(", "f(\"x\", \"y\")\n(1): g"},
		{"{\"ph\": \"X\", \"name\": \"lost, \"pid\": 7, \"tid\": 7, \"ts\": 1060, \"dur\": "
		 "2},",
		 "malformed events", "{\"ph\": \"X\", \"name\": \"lost", NULL},
		{"{\"ph\": \"X\", \"name\": \"x\", \"ts\" 5, \"args\": {\"name\": \"y\"}},",
		 "malformed events", "{\"ph\": \"X\", \"name\": \"x\"", NULL},
		{"stray,", "text between events", "stray", NULL},
		{"# note\n", "comments", "# note", NULL},
		{"{\"ph\": \"X\", \"name\": \"no time\", \"pid\": 7, \"tid\": 7, \"dur\": 2},",
		 "without a time", "{\"ph\": \"X\", \"name\": \"no time\"", NULL},
		{"{\"ph\": \"X\", \"name\": \"minus\", \"pid\": 7, \"tid\": 7, \"ts\": 1, \"dur\": "
		 "-5},",
		 "negative", "{\"ph\": \"X\", \"name\": \"minus\"", "minus"},
		{"{\"ph\": \"X\", \"name\": \"nan\", \"pid\": 7, \"tid\": 7, \"ts\": 1, \"dur\": "
		 "NaN},",
		 "no numbers", "{\"ph\": \"X\", \"name\": \"nan\"", "nan"},
		{"{\"name\": \"what\"},", "no events", "{\"name\": \"what\"", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = xasprintf("%s%s,\n%s\n%s%s", OPEN, GOOD1, cases[i].bad, GOOD2, CLOSE);
		struct profile *p = load(text);
		const struct damage *d = damage(p, cases[i].what);

		is_uint(p->n, cases[i].kept ? 3 : 2, "%s: the good events stay", cases[i].what);
		ok(p->start[find(p, "first")] == 1000000 && p->dur[find(p, "second")] == 5000,
		   "%s: and are right", cases[i].what);
		ok(p->n_damages == 1 && d->count == 1, "%s: counted once", cases[i].what);
		is_int(d->offset, strstr(text, cases[i].at) - text, "%s: with its place",
		       cases[i].what);
		ok(profile_str_find(p, "with_flops", 10) != ID_NONE,
		   "%s: the keys behind the list are read", cases[i].what);
		if (cases[i].kept)
			ok(p->dur[find(p, cases[i].kept)] >= 0, "%s: the event itself is kept",
			   cases[i].what);
		profile_unref(p);
		free(text);
	}
}

static void tolerated(void)
{
	static const char *const texts[] = {
		"\xef\xbb\xbf" OPEN GOOD1 "," GOOD2 CLOSE,
		OPEN GOOD1 ",\r\n" GOOD2 "," CLOSE,
		"[" GOOD1 "," GOOD2,		/* the format allows an open list */
		"[" GOOD1 ",\n" GOOD2 ",\n",
		"{\"traceEvents\": [" GOOD1 "], \"traceEvents\": [" GOOD2 "]}",
		"{\"traceEvents\": [" GOOD1 ",, " GOOD2 "]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct profile *p = load(texts[i]);

		ok(p->n == 2 && p->n_damages == 0, "form %zu is whole", i);
		profile_unref(p);
	}
}

/* A trace that is cut at any byte keeps what is complete, and says where it ends. */
static void cut(void)
{
	static const char text[] = OPEN GOOD1 ",\n" GOOD2 CLOSE;
	size_t first = (size_t)(strstr(text, ",\n{") - text),
	       second = (size_t)(strstr(text, "\n], \"with") - text);
	size_t list = (size_t)(strchr(text, '[') - text) + 1, wrong = 0;
	struct err e;

	for (size_t n = list; n < second; n++) {
		struct profile *p = load_n(text, n, &e);

		if (!p || p->n != (n >= first) || p->n_damages != 1 ||
		    p->damages[0].offset != (int64_t)n)
			wrong++;
		if (p)
			profile_unref(p);
	}
	is_uint(wrong, 0, "cut at each of %zu places: the complete events, one damage, at the end",
		second - list);
}

/* The same events, whatever part of them the window's end falls on. */
static void windows(void)
{
	static const char events[] = OPEN GOOD1
		",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\\u00e9 \"q\" z\", \"pid\": "
		"\"7\", \"tid\": 7,"
		" \"ts\": 1200.5, \"dur\": 3.25, \"args\": {\"Input Dims\": [[1, 2], []]}},\n" GOOD2
			CLOSE;
	size_t window = 1 << 20, n = sizeof(events) - 1, wrong = 0, tried = 0;
	char *text = xmalloc(window + n);
	struct err e;

	for (size_t inside = 0; inside < n; inside += 3, tried++) {
		size_t pad = window - inside;
		struct profile *p;

		memset(text, ' ', pad);
		memcpy(text + pad, events, n);
		p = load_n(text, pad + n, &e);
		if (!p || p->n != 3 || p->n_damages != 1 ||
		    p->dur[find(p, "a\xc3\xa9 \"q\" z")] != 3250 ||
		    profile_str_find(p, "with_flops", 10) == ID_NONE)
			wrong++;
		if (p)
			profile_unref(p);
	}
	is_uint(wrong, 0, "%zu places of the window's end in the text", tried);
	ok(batches > tried, "the listener was called");
	free(text);
}

static void places(void)
{
	struct profile *p =
		load("[{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k0\", \"pid\": \"[TP00] "
		     "2\", \"tid\": 7, \"ts\": 5, \"dur\": 1,"
		     " \"args\": {\"device\": 0, \"correlation\": 1}},"
		     "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"l1\", \"pid\": "
		     "\"[TP01] 83\", \"tid\": 83, \"ts\": 1, \"dur\": 1,"
		     " \"args\": {\"correlation\": 1}},"
		     "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"l0\", \"pid\": "
		     "\"[TP00] 83\", \"tid\": 83, \"ts\": 2, \"dur\": 1,"
		     " \"args\": {\"correlation\": 1}},"
		     "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"untimed\", \"pid\": 0, "
		     "\"tid\": 7, \"ts\": 0, \"dur\": 0},"
		     "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"edge\", \"pid\": 7, "
		     "\"tid\": -9223372036854775808, \"ts\": 0, \"dur\": 0},"
		     "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"huge\", \"pid\": 7, "
		     "\"tid\": 10159970886766084423, \"ts\": 1, \"dur\": 0}]");
	const struct track *t = &p->tracks[profile_track_of(p, find(p, "edge"))];

	is_uint(p->link[find(p, "k0")], find(p, "l0"), "merged ranks: a launch of the same rank");
	is_int(p->threads[t->thread].tid, INT64_MIN, "the smallest tid");
	ok(p->threads[p->tracks[profile_track_of(p, find(p, "huge"))].thread].tid !=
		   p->threads[t->thread].tid,
	   "a tid above 2^63");
	is_uint(count_of(p, LAYER_KERNEL), 1, "a kernel with start and end 0 is in no table");
	ok(p->n_notes == 1 && strstr(p->notes[0], "no timestamp"), "but in a note");
	is_uint(content(p, "kernel"), 2, "and in the contents");
	is_str(process_name(p, p->threads[0].pid), "[TP01] 83",
	       "pids that are text name their process");
	profile_unref(p);
}

static void refused(void)
{
	static const char *const texts[] = {"", "{\"a\": 1}", "hello", "{\"traceEvents\": 7}", "{"};
	struct err e;
	struct profile *p;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		p = load_n(texts[i], strlen(texts[i]), &e);
		ok(!p && e.code == ERR_FORMAT, "\"%s\" is refused: %s", texts[i], e.text);
	}
	atomic_store(&job.cancel, true);
	p = load_n("[" GOOD1 "]", sizeof("[" GOOD1 "]") - 1, &e);
	ok(!p && e.code == ERR_CANCELLED, "cancelled");
	atomic_store(&job.cancel, false);
}

static void probes(void)
{
	static const struct {
		const char *text;
		enum json_kind kind;
	} cases[] = {
		{"", JSON_NOT},
		{"plain text", JSON_NOT},
		{"\n{\"schemaVersion\": 1, \"traceEvents\": [", JSON_TORCH},
		{"\xef\xbb\xbf [" GOOD1, JSON_TORCH},
		{"{\"distributedInfo\": {\"rank\": 0}, \"traceEv", JSON_TORCH},
		{"{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\"}]}", JSON_CHROME},
		{"[{\"ph\": \"X\", \"name\": \"mm\", \"pid\": \"CPU functions\"", JSON_TORCH},
		{"[{\"name\": \"k\", \"ph\": \"X\", \"cat\": \"cuda\", \"ts\": 1.5, \"pid\": "
		 "\"Device 0\", \"tid\": \"Stream 7\"}]",
		 JSON_NSYS_CHROME},
		{"[[1, 2, 3], [[4]]]", JSON_MEMORY_TIMELINE},
		{"[{\"a\": 1}]", JSON_UNKNOWN},
		{"{\"schema\": \"1.0.1\", \"pid\": 3, \"nodes\": [", JSON_EXEC_TRACE},
		{"{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\", \"shared\"",
		 JSON_SPEEDSCOPE},
		{"{\"start_time\": 1.5, \"duration\": 2, \"sample_count\": 3, \"root_frame\": "
		 "null}",
		 JSON_PYINSTRUMENT},
		{"{\"train_batch_size\": 8}", JSON_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct probe pr = {
			.path = "x", .head = cases[i].text, .head_len = strlen(cases[i].text)};
		bool ours = cases[i].kind == JSON_TORCH || cases[i].kind == JSON_CHROME;

		is_int(probe_json(cases[i].text, strlen(cases[i].text)), cases[i].kind,
		       "kind of text %zu", i);
		ok((loader_torch.probe(&pr) > 0) == ours, "which is %s",
		   ours ? "ours" : "not ours");
	}
}

static const struct collective_detail *collective_of(const struct profile *p, const char *op)
{
	const struct op_detail *d = profile_op_detail(p, find(p, op));

	return d && d->collective ? &p->collectives[d->collective - 1] : NULL;
}

/* A collective is told by the args of its op and of its kernel; equal ones are one detail; the keys of other events say nothing. */
static void collectives(void)
{
	struct profile *p =
		load("{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"A\", \"numSms\": 108, "
		     "\"computeMajor\": 8, \"computeMinor\": 6, \"warpSize\": 32, \"totalGlobalMem\": 100},"
		     " {\"id\": 1, \"name\": \"gfx90a\", \"computeMajor\": 9, \"computeMinor\": 0, \"warpSize\": 64}],\n"
		     "\"traceEvents\": [\n"
		     "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"record_param_comms\", \"pid\": 1, \"tid\": 1, \"ts\": 1, "
		     "\"dur\": 9, \"args\": {\"Collective name\": \"allreduce\", \"In msg nelems\": 5, \"Out msg nelems\": 6, "
		     "\"Group size\": 2, \"dtype\": \"Float\", \"Process Group Name\": \"7\", "
		     "\"Process Group Ranks\": \"[0, 1]\"}},\n"
		     "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nccl\", \"pid\": 0, \"tid\": 7, \"ts\": 5, "
		     "\"dur\": 2, \"args\": {\"grid\": [3, 1, 1], \"Collective name\": \"allreduce\", \"In msg nelems\": 5, "
		     "\"Out msg nelems\": 6, \"Group size\": 2, \"dtype\": \"Float\", \"Process Group Name\": \"7\", "
		     "\"Process Group Ranks\": \"[0, 1]\"}},\n"
		     "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"send\", \"pid\": 1, \"tid\": 1, \"ts\": 20, "
		     "\"dur\": 9, \"args\": {\"Collective name\": \"send\", \"In msg nelems\": -4}},\n"
		     "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": 40, "
		     "\"dur\": 9, \"args\": {\"dtype\": \"Float\", \"Group size\": 2}}\n]}\n");
	const struct collective_detail *d = collective_of(p, "record_param_comms");
	const struct kernel_detail *k = &p->kernels[p->aux[find(p, "nccl")]];

	is_uint(p->n_collectives, 2, "two collectives");
	ok(d->in_elems == 5 && d->out_elems == 6 && d->group_size == 2, "sizes");
	is_str(name_of(p, d->name), "allreduce", "name");
	is_str(name_of(p, d->dtype), "Float", "type");
	is_str(name_of(p, d->group), "7", "group");
	is_str(name_of(p, d->ranks), "[0, 1]", "ranks");
	ok(k->grid[0] == 3 && p->collectives + k->collective - 1 == d, "the kernel has the same");
	d = collective_of(p, "send");
	ok(d->in_elems == -1 && d->group_size == -1 && d->dtype == ID_NONE, "what is not said is unknown");
	is_uint(p->aux[find(p, "aten::mm")], ID_NONE, "an op without a collective");
	ok(p->devices[0].capability == 86 && p->devices[0].mem_bytes == 100 && p->devices[0].board == -1, "compute capability");
	is_int(p->devices[1].capability, 0, "that of ROCm is another numbering");
	profile_unref(p);
}

int main(void)
{
	char path[] = "test_torch.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	scratch = path;
	era_0();
	era_1();
	call_stacks();
	event_waits();
	era_6();
	categories();
	begin_end();
	faults();
	tolerated();
	cut();
	windows();
	places();
	refused();
	probes();
	collectives();
	unlink(path);
	return done_testing();
}
