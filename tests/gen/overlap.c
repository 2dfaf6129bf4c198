/* A small trace whose operators overlap without nesting, with parents and self times worked out by
 * hand.
 *
 * The rule: in the order (start up, end down, file order) the parent of an event is the latest one
 * before it that is active at its start; each instant belongs to the active event that is latest in
 * the order.  Times in units of 100 ns.
 */
#include "torch_text.h"

#include <stdlib.h>

#define U 100LL
#define ZERO_NS INT64_C(2000000)

struct lap {
	const char *name;
	int at, lo, hi; /* start of the pattern; the event within it */
	const char *parent; /* NULL: none */
	int self, sync, launch, memcpy, exposed, device;
	bool overlaps; /* ends after its parent */
};

/* In the order of the file.  host = self - sync - launch - memcpy. */
static const struct lap laps[] = {
	/* two that overlap: a owns [0,60), b [60,150); a copy is dispatched in b at [100,110) and
	   runs [105,140) */
	{ "two::a", 0, 0, 100, NULL, 60, 0, 0, 0, 60, 0, false },
	{ "two::b", 0, 60, 150, "two::a", 90, 0, 0, 10, 55, 0, true },
	/* three: a [0,50), b [50,80), c [80,200) */
	{ "three::a", 1000, 0, 100, NULL, 50, 0, 0, 0, 50, 0, false },
	{ "three::b", 1000, 50, 120, "three::a", 30, 0, 0, 0, 30, 0, true },
	{ "three::c", 1000, 80, 200, "three::b", 120, 0, 0, 0, 120, 0, true },
	/* a child that outlives its parent: a [0,150), b [150,170) [180,210) [230,260), c
	 * [170,180), d [210,230); launch [190,200) in b while a is active too, its kernel runs
	 * [195,230); a wait [240,280) outlives b */
	{ "outlive::a", 2000, 0, 200, NULL, 150, 0, 0, 0, 150, 35, false },
	{ "outlive::b", 2000, 150, 260, "outlive::a", 80, 20, 10, 0, 65, 35, true },
	{ "outlive::c", 2000, 170, 180, "outlive::b", 10, 0, 0, 0, 10, 0, false },
	{ "outlive::d", 2000, 210, 230, "outlive::b", 20, 0, 0, 0, 0, 0, false },
	/* equal starts, the shorter one first in the file: the longer is the outer */
	{ "start::short", 3000, 0, 60, "start::long", 60, 0, 0, 0, 60, 0, false },
	{ "start::long", 3000, 0, 100, NULL, 40, 0, 0, 0, 40, 0, false },
	/* equal intervals: the first in the file is the outer and owns nothing */
	{ "equal::a", 4000, 0, 80, NULL, 0, 0, 0, 0, 0, 0, false },
	{ "equal::b", 4000, 0, 80, "equal::a", 80, 0, 0, 0, 80, 0, false },
	/* length zero: within, at the start (a is longer, so before it), at the end (a is over: no
	   parent) */
	{ "zero::a", 5000, 0, 100, NULL, 100, 0, 0, 0, 100, 0, false },
	{ "zero::first", 5000, 0, 0, "zero::a", 0, 0, 0, 0, 0, 0, false },
	{ "zero::within", 5000, 40, 40, "zero::a", 0, 0, 0, 0, 0, 0, false },
	{ "zero::last", 5000, 100, 100, NULL, 0, 0, 0, 0, 0, 0, false },
	/* touching is not overlapping */
	{ "touch::a", 6000, 0, 50, NULL, 50, 0, 0, 0, 50, 0, false },
	{ "touch::b", 6000, 50, 100, NULL, 50, 0, 0, 0, 50, 0, false },
	/* a short one inside the overlap: a [0,20), b [20,30) [40,120), c [30,40) */
	{ "inside::a", 7000, 0, 100, NULL, 20, 0, 0, 0, 20, 0, false },
	{ "inside::b", 7000, 20, 120, "inside::a", 90, 0, 0, 0, 90, 0, true },
	{ "inside::c", 7000, 30, 40, "inside::b", 10, 0, 0, 0, 10, 0, false },
	/* two that overlap inside a third, which gets its time back: a [0,50) [200,300), b
	 * [50,100), c [100,160) [170,200), d [160,170): at 160 b is over, so d belongs to c */
	{ "return::a", 8000, 0, 300, NULL, 150, 0, 0, 0, 150, 0, false },
	{ "return::b", 8000, 50, 150, "return::a", 50, 0, 0, 0, 50, 0, false },
	{ "return::c", 8000, 100, 200, "return::b", 90, 0, 0, 0, 90, 0, true },
	{ "return::d", 8000, 160, 170, "return::c", 10, 0, 0, 0, 10, 0, false },
	/* a chain inside a longer one: a [0,100) [350,400), b [100,150), c [150,250), d [250,350)
	 */
	{ "chain::a", 9000, 0, 400, NULL, 150, 0, 0, 0, 150, 0, false },
	{ "chain::b", 9000, 100, 200, "chain::a", 50, 0, 0, 0, 50, 0, false },
	{ "chain::c", 9000, 150, 300, "chain::b", 100, 0, 0, 0, 100, 0, true },
	{ "chain::d", 9000, 250, 350, "chain::c", 100, 0, 0, 0, 100, 0, true },
};

#define LAPS (sizeof(laps) / sizeof(laps[0]))
#define UNION 1810 /* of the patterns: 150 + 200 + 260 + 100 + 80 + 100 + 100 + 120 + 300 + 400 */

static ns_t at(int pattern, int t)
{
	return ZERO_NS + (pattern + t) * U;
}

static void put_call(FILE *f, const char *name, int cbid, int corr, ns_t start, ns_t end_ns)
{
	torch_event(f, "cuda_runtime", name, GEN_PID, GEN_PID, start, end_ns);
	fprintf(f, "\"cbid\": %d, \"correlation\": %d", cbid, corr);
	torch_end(f);
}

static void put_gpu(FILE *f)
{
	static const char kernel[] = "\"queued\": 0, \"device\": 0, \"context\": 1,\n      "
				     "\"stream\": 7, \"correlation\": 11,\n"
				     "      \"registers per thread\": 24,\n      \"shared "
				     "memory\": 0,\n      \"grid\": [64, 1, 1],\n"
				     "      \"block\": [128, 1, 1]";

	put_call(f, "cudaMemcpyAsync", 41, 10, at(0, 100), at(0, 110));
	put_call(f, "cudaLaunchKernel", 211, 11, at(2000, 190), at(2000, 200));
	put_call(f, "cudaStreamSynchronize", 131, 12, at(2000, 240), at(2000, 280));
	torch_event(
		f, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, 7, at(0, 105), at(0, 140));
	fputs("\"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": 10,\n      "
	      "\"bytes\": 87500, "
	      "\"memory bandwidth (GB/s)\": 25",
		f);
	torch_end(f);
	torch_event(f, "kernel", gen_kernels[K_ADD].torch, 0, 7, at(2000, 195), at(2000, 230));
	fputs(kernel, f);
	torch_end(f);
	torch_event(f, "cuda_sync", "Stream Sync", 0, 7, at(2000, 241), at(2000, 279));
	fputs("\"cuda_sync_kind\": \"Stream Sync\",\n      \"stream\": 7, \"correlation\": 12,\n   "
	      "   \"device\": 0, \"context\": 1",
		f);
	torch_end(f);
}

static void put_trace(const char *path)
{
	FILE *f = gen_create(path);

	torch_header(f);
	for (size_t i = 0; i < LAPS; i++) {
		torch_event(f, "cpu_op", laps[i].name, GEN_PID, GEN_PID, at(laps[i].at, laps[i].lo),
			at(laps[i].at, laps[i].hi));
		fprintf(f, "\"External id\": %zu,\"Record function id\": 0, \"Ev Idx\": %zu", i + 1,
			i);
		torch_end(f);
	}
	put_gpu(f);
	torch_meta(f, "thread_name", GEN_PID, GEN_PID, ZERO_NS, "name", "thread 41210 (python3)");
	fprintf(f,
		"  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    "
		"\"pid\": \"\", \"tid\": \"\", \"ts\": ");
	torch_ts(f, at(9000, 500));
	fputs("\n  }\n  ],\n  \"traceName\": \"overlap.pt.trace.json\"\n}\n", f);
	gen_close(f, path);
}

static void put_answers(FILE *f)
{
	int self = 0, overlapping = 0;

	fputs("{\n \"format\": \"tracegen-truth-1\",\n \"kind\": \"overlap\",\n \"events\": [", f);
	for (size_t i = 0; i < LAPS; i++) {
		const struct lap *l = &laps[i];

		self += l->self;
		overlapping += l->overlaps;
		fprintf(f,
			"%s\n  {\"name\": \"%s\", \"start_ns\": %lld, \"dur_ns\": %lld, "
			"\"parent\": ",
			i ? "," : "", l->name, (long long)at(l->at, l->lo),
			(long long)(l->hi - l->lo) * U);
		if (l->parent)
			json_string(f, l->parent);
		else
			fputs("null", f);
		fprintf(f,
			", \"count\": 1, \"total_ns\": %lld, \"self_ns\": %lld, \"sync_ns\": %lld, "
			"\"launch_ns\": %lld, \"memcpy_ns\": "
			"%lld, \"other_runtime_ns\": 0, \"host_ns\": %lld, \"exposed_ns\": %lld, "
			"\"device_ns\": %lld, "
			"\"overlaps_parent\": %s}",
			(long long)(l->hi - l->lo) * U, l->self * U, l->sync * U, l->launch * U,
			l->memcpy * U, (l->self - l->sync - l->launch - l->memcpy) * U,
			l->exposed * U, l->device * U, l->overlaps ? "true" : "false");
	}
	if (self != UNION)
		die("overlap: self times do not sum to the union");
	fprintf(f,
		"\n ],\n \"self_sum_ns\": %lld,\n \"overlapping\": %d,\n \"gpu_window_ns\": "
		"%lld,\n \"cpu_window_ns\": %lld\n}\n",
		self * U, overlapping, (long long)(at(2000, 230) - at(0, 105)),
		(long long)(at(9000, 400) - at(0, 0)));
}

void make_overlap(const struct gen_opts *opt)
{
	char *trace = gen_path(opt->out, "overlap.pt.trace.json"),
	     *truth = gen_path(opt->out, "truth.json");
	FILE *f = gen_create(opt->truth ? opt->truth : truth);

	put_trace(trace);
	if (opt->gz)
		torch_gzip(trace);
	put_answers(f);
	gen_close(f, truth);
	free(trace);
	free(truth);
}
