/* test_pyjoin.c - Python beside the GPU: measured on one clock, else estimated; every figure is worked out in a comment */
#include "measure/py_shares.h"
#include "tests/lib/py_bench.h"

/*
 *	ProfilerStep#0 0-1000, DataLoader 50-251, aten::mm 300-400; launches 5-10 and 310-330
 *	device 0: 20-100, 400-700; so over its own window 20-700 it is idle 100-400: 151 ns while data are loaded, 149 in phase other
 *	frames, where recorded: train 0-1000 > fetch 90-300
 */
enum { FRAMES = 1, TWO_STEPS = 2 };	/* two: 0-350 and 350-1000, with an epoch */
#define EPOCH INT64_C(1700000000000000000)
static struct profile *make_device(int what)
{
	struct builder *b = builder_new();
	thread_id one = builder_thread(b, 1, 1);
	track_id notes = builder_host_track(b, LAYER_ANNOT, one, ID_NONE, 0), calls = builder_host_track(b, LAYER_RUNTIME, one, ID_NONE, 0);
	track_id dev = builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0), py;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_OPS | CAP_RUNTIME | CAP_GPU);
	put(b, notes, "ProfilerStep#0", 0, what & TWO_STEPS ? 350 : 1000);
	if (what & TWO_STEPS) {
		put(b, notes, "ProfilerStep#1", 350, 1000);
		builder_set_epoch(b, EPOCH);
	}
	put(b, notes, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 50, 251);
	put(b, builder_host_track(b, LAYER_OP, one, ID_NONE, 0), "aten::mm", 300, 400);
	for (uint64_t i = 0; i < 2; i++) {
		ns_t call = i ? 310 : 5, work = i ? 400 : 20;

		builder_add(b, calls, &(struct builder_event){ call, i ? 20 : 5, name(b, "cudaLaunchKernel"), i, CORR_NONE, 0 });
		builder_add(b, dev, &(struct builder_event){ work, i ? 300 : 80, name(b, "ampere_sgemm_128x64_tn"), i, CORR_NONE, ID_NONE });
	}
	if (what & FRAMES) {
		py = builder_host_track(b, LAYER_PYTHON, one, ID_NONE, 0);
		builder_caps(b, CAP_PYTHON);
		put(b, py, "train.py(1): train", 0, 1000);
		put(b, py, "torch/utils/data/_utils/fetch.py(9): fetch", 90, 300);
	}
	return finished(b);
}

/* Loading: 20 in _next_data, 10 in the user's load below it. Phase other: 10 of main; an import and a wait for the device, left out. */
static struct profile *make_shares(void)
{
	struct builder *b = sampler(240);
	int32_t top = frame(b, -1, "main", "train.py", 240, 10);

	frame(b, frame(b, top, "_next_data", TORCH "utils/data/dataloader.py", 30, 20), "load", "data.py", 10, 10);
	frame(b, frame(b, top, "<module>", "train.py", 100, 0), "<module>", "lib.py", 100, 100);
	frame(b, top, "synchronize", TORCH "cuda/__init__.py", 100, 100);
	return finished(b);
}

static void row_is(const struct table *t, uint32_t row, const char *phase, const char *func, int64_t ns, const char *basis)
{
	is_str(text(t, row, "phase"), phase, "row %u: phase", row);
	is_str(text(t, row, "function"), func, "row %u: function", row);
	is_int(num(t, row, "time_ns"), ns, "row %u: time", row);
	is_str(text(t, row, "basis"), basis, "row %u: basis", row);
}

static void test_idle(void)
{
	struct bench be = bench_new(make_device(FRAMES), NULL);
	struct table *t = view(&be, &an_pyidle);

	is_int(t->n_rows, 3, "idle, one clock: rows");
	row_is(t, 0, "dataload", "fetch", 151, "one clock");
	row_is(t, 1, "other", "train", 100, "one clock");
	row_is(t, 2, "other", "fetch", 49, "one clock");
	table_free(t);
	bench_end(&be);

	/* 151 by 20 : 10 is 100.67 and 50.33: the ns that is over goes to the larger remainder */
	be = bench_new(make_device(0), make_shares());
	t = view(&be, &an_pyidle);
	is_int(t->n_rows, 3, "idle, another run: rows");
	row_is(t, 0, "dataload", "_next_data", 101, "sampled estimate");
	row_is(t, 1, "dataload", "load", 50, "sampled estimate");
	row_is(t, 2, "other", "main", 149, "sampled estimate");
	table_free(t);
	bench_end(&be);

	be = bench_new(make_device(0), NULL);
	t = view(&be, &an_pyidle);
	is_int(t->n_rows, 2, "idle, no frames at all: a row per phase");
	row_is(t, 0, "dataload", "", 151, "");
	row_is(t, 1, "other", "", 149, "");
	table_free(t);
	bench_end(&be);
}

/*
 * A sampler on the clock of the trace, started 30 before its zero. Samples, on the trace's axis: main -30-80, fetch 80-260, main 260-370,
 * item 370-1000. The device idles 100-400, step 1 begins at 350, loading ends at 251.
 */
static struct profile *make_clocked(void)
{
	static const struct frame_sample samples[] = { { 0, 110, 0 }, { 110, 180, 1 }, { 290, 110, 0 }, { 400, 630, 2 } };
	struct builder *b = sampler(1030);
	int32_t top = frame(b, -1, "main", "train.py", 1030, 220);

	frame(b, top, "fetch", TORCH "utils/data/_utils/fetch.py", 180, 180);
	frame(b, top, "<built-in method item of Tensor object at 0x7f>", NULL, 630, 630);
	builder_set_epoch(b, EPOCH - 30);
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		builder_frame_sample(b, &samples[i]);
	return finished(b);
}

static void test_clocked(void)
{
	static const char linked[] = "clocks linked by epoch, samples up to 630 ns long";
	static const struct { int64_t step; const char *func; int64_t total; } by_step[] = {
		{ 1, "main", 650 }, { 1, "<built-in method item of Tensor object at 0x7f>", 630 }, { 0, "main", 350 }, { 0, "fetch", 180 },
		{ I64_UNKNOWN, "main", 30 },
	};
	struct bench be = bench_new(make_device(TWO_STEPS), make_clocked());
	struct table *t = view(&be, &an_pyidle);
	struct scope sc;
	int64_t sum = 0;

	is_int(t->n_rows, 4, "samples on one clock: rows");
	row_is(t, 0, "dataload", "fetch", 151, linked);
	is_int(num(t, 0, "unsure_ns"), 151, "the sample of fetch began before the device idled");
	row_is(t, 1, "other", "main", 110, linked);
	is_int(num(t, 1, "unsure_ns"), 0, "that of main lies in idle time");
	row_is(t, 2, "other", "<built-in method item of Tensor object at 0x7f>", 30, linked);
	row_is(t, 3, "other", "fetch", 9, linked);
	table_free(t);
	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.by = BY_STEP;
	t = view_scoped(&be, &an_pyidle, &sc);
	is_int(t->n_rows, 5, "by step: rows");
	row_is(t, 1, "other", "main", 90, linked);
	is_int(num(t, 1, "by"), 0, "the first 90 of main are of step 0");
	is_int(num(t, 1, "unsure_ns"), 90, "and the sample goes on behind it");
	ok(cell(t, 1, "share")->v.f == 0.36, "90 of the 250 that step 0 idles");
	row_is(t, 3, "other", "<built-in method item of Tensor object at 0x7f>", 30, linked);
	row_is(t, 4, "other", "main", 20, linked);
	is_int(num(t, 4, "by"), 1, "20 of main are of step 1");
	for (uint32_t r = 0; r < t->n_rows; r++)
		sum += num(t, r, "time_ns");
	is_int(sum, 300, "all of the idle time");
	table_free(t);
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(t->n_rows, 5, "stacks by step: rows");
	for (uint32_t r = 0; r < 5; r++) {
		is_str(text(t, r, "function"), by_step[r].func, "stacks by step %u: function", r);
		is_int(num(t, r, "by"), by_step[r].step, "stacks by step %u: step", r);
		is_int(num(t, r, "total_ns"), by_step[r].total, "stacks by step %u: total", r);
	}
	table_free(t);
	bench_end(&be);
}

/* Samples cover both steps but for 10 ns at the end of the first: 340 and 650, of which the lower is the median; that of the periods is 350. */
/*
 * The sampler of test_clocked() in windows of the trace: step 0 is 0-350 (main 80 and 90, fetch 180), step 1 350-1000 (main 20, item 630), and
 * 70-270 has 10 and 10 of main and fetch's 180. Metrics of frames are those of the trace's window, too.
 */
static void test_windows(void)
{
	static const struct { int64_t step, start, end, main_total, main_self, fetch, item; } want[] = {
		{ 0, 0, 0, 350, 170, 180, I64_UNKNOWN }, { 1, 0, 0, 650, 20, I64_UNKNOWN, 630 }, { -1, 70, 270, 200, 20, 180, I64_UNKNOWN },
	};
	struct bench be = bench_new(make_device(TWO_STEPS), make_clocked());
	struct table *t;
	struct scope sc;

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		scope_init(&sc);
		sc.window = want[i].step < 0 ? WINDOW_TIME : WINDOW_STEPS;
		sc.step_a = sc.step_b = want[i].step;
		sc.start_ns = want[i].start;
		sc.end_ns = want[i].end;
		t = view_scoped(&be, &an_stacks, &sc);
		is_int(t->n_rows, 2, "window %zu: main, and what ran below it", i);
		is_int(num(t, 0, "total_ns"), want[i].main_total, "window %zu: main", i);
		is_int(num(t, 0, "self_ns"), want[i].main_self, "window %zu: main itself", i);
		is_int(num(t, 1, "self_ns"), want[i].fetch == I64_UNKNOWN ? want[i].item : want[i].fetch, "window %zu: below it", i);
		ok(cell(t, 0, "share")->v.f == 1, "window %zu: shares are of the window", i);
		is_int(t->wall_ns, want[i].main_total, "window %zu: its wall", i);
		table_free(t);
	}
	scope_init(&sc);
	sc.window = WINDOW_ALL;
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(num(t, 0, "total_ns"), 1030, "window all: what lies before the trace, too");
	table_free(t);
	bench_end(&be);
}

static void test_crosscheck(void)
{
	static const struct frame_sample samples[] = { { 0, 370, 0 }, { 380, 700, 0 } };
	struct builder *b = sampler(1080);
	struct bench be;
	struct table *t;
	uint32_t row = 0;

	frame(b, -1, "main", "train.py", 1070, 1070);
	builder_set_epoch(b, EPOCH - 30);
	for (size_t i = 0; i < 2; i++)
		builder_frame_sample(b, &samples[i]);
	be = bench_new(make_device(TWO_STEPS), finished(b));
	t = view(&be, &an_crosscheck);
	while (row < t->n_rows && strcmp(text(t, row, "quantity"), "sampled time of a step, on one clock"))
		row++;
	is_int(num(t, row, "a"), 340, "crosscheck: sampled time of a step");
	is_int(num(t, row, "b"), 350, "crosscheck: its period");
	is_str(text(t, row, "verdict"), "agree", "crosscheck: within 10 %%");
	table_free(t);
	bench_end(&be);
}

/* Without a common clock the estimate is made for each step: 151 and 99 in step 0, 50 in step 1. */
static void test_estimate_by_step(void)
{
	struct bench be = bench_new(make_device(TWO_STEPS), make_shares());
	struct table *t;
	struct scope sc;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.by = BY_STEP;
	t = view_scoped(&be, &an_pyidle, &sc);
	is_int(t->n_rows, 4, "estimate by step: rows");
	row_is(t, 0, "dataload", "_next_data", 101, "sampled estimate");
	row_is(t, 2, "other", "main", 99, "sampled estimate");
	row_is(t, 3, "other", "main", 50, "sampled estimate");
	is_int(num(t, 3, "by"), 1, "of step 1");
	table_free(t);
	t = view_scoped(&be, &an_pyhost, &sc);
	/* between events 0-5, 10-50, 251-300: 94 in step 0; 350-1000 in step 1, whose marker started later than the op of 300-400 */
	is_int(t->n_rows, 3, "host by step: rows");
	row_is(t, 0, "other", "main", 80, "sampled estimate");
	row_is(t, 1, "other", "main", 94, "sampled estimate");
	row_is(t, 2, "other", "main", 650, "sampled estimate");
	is_int(num(t, 2, "by"), 1, "host by step: the step");
	table_free(t);
	bench_end(&be);
}

/* aten::mm has 100 of its own, 20 of them in the launch; between events: 0-5, 10-50, 251-300, 400-1000 */
static void test_host(void)
{
	struct bench be = bench_new(make_device(0), make_shares());
	struct table *t = view(&be, &an_pyhost);

	is_int(t->n_rows, 2, "host: rows");
	row_is(t, 0, "other", "main", 80, "sampled estimate");
	is_str(text(t, 0, "part"), "host part of the ops", "host: of the ops");
	row_is(t, 1, "other", "main", 694, "sampled estimate");
	is_str(text(t, 1, "part"), "between events", "host: the rest");
	table_free(t);
	bench_end(&be);
}

static bool says(const struct table *t, const char *words)
{
	bool found = false;

	for (uint32_t i = 0; i < t->n_notes; i++)
		found |= strstr(t->notes[i], words) != NULL;
	return found;
}

static int64_t time_of(const struct table *t, const char *col, const char *is)
{
	int64_t sum = 0;

	for (uint32_t r = 0; r < t->n_rows; r++)
		if (!strcmp(text(t, r, col), is))
			sum += num(t, r, "time_ns");
	return sum;
}

/*
 * What the trace knows by the marker of a step alone is 0-5, 10-50, 251-300 and 350-1000 (the second step begins inside aten::mm, and is the
 * event that began last). With the sampler of test_clocked() main ran for 5, 40, 40 and 20 of it, fetch for 251-260, and item from 370 on.
 */
static void test_markers(void)
{
	struct bench be = bench_new(make_device(TWO_STEPS), NULL);
	struct table *t = view(&be, &an_breakdown);

	is_int(time_of(t, "level2", "step boundary"), 744, "markers: without a sampler there is nothing to tell them by");
	table_free(t);
	bench_end(&be);
	be = bench_new(make_device(TWO_STEPS), make_clocked());
	t = view(&be, &an_breakdown);
	is_int(time_of(t, "level2", "step boundary"), 0, "markers: none is left");
	is_int(time_of(t, "level3", "main"), 105, "markers: main");
	is_int(time_of(t, "level3", "fetch"), 9, "markers: fetch");
	is_int(time_of(t, "level3", "<built-in method item of Tensor object at 0x7f>"), 630, "markers: item");
	is_int(time_of(t, "partition", "cpu"), 1000, "markers: the rows sum to the wall");
	ok(says(t, "told by the samples of b.json"), "markers: and it is said");
	table_free(t);
	bench_end(&be);
}

static int32_t label(struct builder *b, int32_t parent, enum node_kind kind, const char *text, ns_t total)
{
	struct frame_node f = { .parent = parent, .function = name(b, text), .file = ID_NONE, .class_name = ID_NONE, .kind = kind,
		.total_ns = total, .self_ns = 0, .samples = total / 10 };

	builder_frame(b, &f);
	return n_frames++;
}

/*
 * Samples of two processes. Of the one that trains: main 10 itself and 30 in _next_data; a thread of its own 500 in a helper. Of its worker: 1000
 * in fetch, 2000 in select. What the trace's process idles is told by main and _next_data alone.
 */
static struct profile *make_processes(int pid)
{
	struct builder *b = sampler(4000);
	char text[64];
	int32_t p, t;

	snprintf(text, sizeof(text), "process %d:\"python train.py\"", pid);
	p = label(b, -1, NODE_PROCESS, text, 3540);
	snprintf(text, sizeof(text), "thread (%d): MainThread", pid);
	t = label(b, p, NODE_THREAD, text, 40);
	frame(b, frame(b, t, "main", "train.py", 40, 10), "_next_data", TORCH "utils/data/dataloader.py", 30, 30);
	frame(b, label(b, p, NODE_THREAD, "thread (70): Thread-3 (helper)", 500), "helper", "helper.py", 500, 500);
	p = label(b, p, NODE_PROCESS, "process 80:\"python train.py\"", 3000);
	t = frame(b, label(b, p, NODE_THREAD, "thread (80): MainThread", 3000), "_worker_loop", TORCH "utils/data/_utils/worker.py", 3000, 0);
	frame(b, t, "fetch", TORCH "utils/data/_utils/fetch.py", 1000, 1000);
	frame(b, t, "select", "/usr/lib/python3.11/selectors.py", 2000, 2000);
	return finished(b);
}

/* The process of the trace is 1. */
static void test_processes(void)
{
	for (int pid = 1; pid <= 2; pid++) {
		struct bench be = bench_new(make_device(0), make_processes(pid));
		struct table *t = view(&be, &an_pyidle);
		struct scope sc;

		is_int(t->n_rows, 2, "processes: rows");
		row_is(t, 0, "dataload", "_next_data", 151, "sampled estimate");
		row_is(t, 1, "other", "main", 149, "sampled estimate");
		table_free(t);
		t = view(&be, &an_pyhost);
		for (uint32_t r = 0; r < t->n_rows; r++)
			ok(!strcmp(text(t, r, "function"), "main") || !strcmp(text(t, r, "function"), "_next_data"), "processes: %s", text(t, r, "function"));
		ok(says(t, "another run") == (pid != 1), "processes: another run where the trace's is not among them");
		table_free(t);
		scope_init(&sc);
		sc.window = WINDOW_ALL;
		ok(scope_parse_thread(&sc, "autograd", NULL), "processes: --thread");
		t = view_scoped(&be, &an_pyhost, &sc);
		is_int(t->n_rows, 0, "processes: there is no thread of autograd");
		table_free(t);
		bench_end(&be);
	}
}

static void test_apportion(void)
{
	static const struct py_weight w[] = { { 0, 1 }, { 0, 1 }, { 0, 1 }, { 0, 0 } };
	static const struct py_weight big[] = { { 0, NS_LIMIT - 1 }, { 0, 1 } };
	int64_t out[4];

	apportion(100, w, 4, out);
	ok(out[0] == 34 && out[1] == 33 && out[2] == 33 && out[3] == 0, "100 by thirds: the first has the rest");
	apportion(NS_LIMIT - 1, big, 2, out);
	ok(out[0] == NS_LIMIT - 2 && out[1] == 1, "73 years by 73 years: no overflow");
}

int main(void)
{
	test_idle();
	test_clocked();
	test_windows();
	test_crosscheck();
	test_estimate_by_step();
	test_host();
	test_markers();
	test_processes();
	test_apportion();
	return done_testing();
}
