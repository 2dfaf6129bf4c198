/* test_pystacks.c - the views of Python stacks on hand-made trees; every figure is worked out in a comment */
#include "tests/lib/py_bench.h"

struct want {
	const char *func;
	int depth;
	int64_t self, total, samples;
};

static int depth_of(const struct table *t, uint32_t row)
{
	int d = 0;

	for (uint32_t up = t->parents[row]; up != ROW_NONE; up = t->parents[up])
		d++;
	return d;
}

static void rows_are(const struct table *t, const struct want *w, uint32_t n, const char *what)
{
	is_int(t->n_rows, n, "%s: rows", what);
	for (uint32_t i = 0; i < n && i < t->n_rows; i++) {
		is_str(text(t, i, "function"), w[i].func, "%s %u: function", what, i);
		is_int(depth_of(t, i), w[i].depth, "%s %u: depth", what, i);
		is_int(num(t, i, "self_ns"), w[i].self, "%s %u: self", what, i);
		is_int(num(t, i, "total_ns"), w[i].total, "%s %u: total", what, i);
		is_int(num(t, i, "samples"), w[i].samples, "%s %u: samples", what, i);
	}
}

/*
 *	main 100 (0)			in file order b comes first; by total a does
 *	  b 40 (40)
 *	  a 60 (10)
 *	    b 50 (30)
 *	      a 20 (20)			recursive
 */
static void test_both_ways(void)
{
	static const struct want down[] = {
		{ "main", 0, 0, 100, 10 }, { "a", 1, 10, 60, 6 }, { "b", 2, 30, 50, 5 }, { "a", 3, 20, 20, 2 }, { "b", 1, 40, 40, 4 },
	};
	/* b on top: 40 + 30, on the stack: 50 + 40; a on top: 10 + 20, on the stack: 60, the inner one is inside */
	static const struct want up[] = {
		{ "b", 0, 70, 90, 7 }, { "main", 1, 40, I64_UNKNOWN, 4 }, { "a", 1, 30, I64_UNKNOWN, 3 }, { "main", 2, 30, I64_UNKNOWN, 3 },
		{ "a", 0, 30, 60, 3 }, { "b", 1, 20, I64_UNKNOWN, 2 }, { "a", 2, 20, I64_UNKNOWN, 2 }, { "main", 3, 20, I64_UNKNOWN, 2 },
		{ "main", 1, 10, I64_UNKNOWN, 1 },
	};
	struct builder *b = sampler(200);
	int32_t main_frame = frame(b, -1, "main", "m.py", 100, 0), a;
	struct bench be;
	struct table *t;

	frame(b, main_frame, "b", "m.py", 40, 40);
	a = frame(b, main_frame, "a", "m.py", 60, 10);
	frame(b, frame(b, a, "b", "m.py", 50, 30), "a", "m.py", 20, 20);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_stacks);
	rows_are(t, down, 5, "stacks");
	table_free(t);
	t = view(&be, &an_leaves);
	rows_are(t, up, 9, "leaves");
	ok(cell(t, 0, "share")->type == CELL_F64 && cell(t, 0, "share")->v.f == 0.35, "70 of the wall of 200");
	table_free(t);
	bench_end(&be);
}

/* 10,000 frames below each other, each with 1 ns of its own: f0 10,000, f1 9,999 … The leaves are one function called by itself. */
static void test_deep(void)
{
	enum { DEEP = 10000 };
	struct builder *b = sampler(DEEP);
	struct bench be;
	bool told = false;
	struct table *t;

	for (int i = 0; i < DEEP; i++)
		frame(b, i - 1, i % 2 ? "odd" : "even", "d.py", DEEP - i, 1);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_stacks);
	is_int(t->n_rows, DEEP, "deep: a row per frame");
	is_int(num(t, DEEP - 1, "total_ns"), 1, "deep: the innermost");
	table_free(t);
	t = view(&be, &an_leaves);
	/* even on top in 5,000 stacks of 1, 3, … 9,999 frames, odd in 5,000 of 2, 4, … 10,000; each level has one caller, and 1,000 are listed */
	is_int(t->n_rows, 2 * 1000, "deep: leaves");
	is_int(num(t, 999, "self_ns") + num(t, 1999, "self_ns"), DEEP - 999, "deep: the stacks of at least 1,000 frames count for the last level");
	for (uint32_t i = 0; i < t->n_notes; i++)
		told |= strstr(t->notes[i], "beyond level 999") && strstr(t->notes[i], "9000 stacks");
	ok(told, "deep: what is not listed is said");
	is_int(num(t, 0, "self_ns"), DEEP / 2, "deep: half of the frames are even");
	is_int(num(t, 0, "total_ns"), DEEP, "deep: recursion is counted once");
	table_free(t);
	bench_end(&be);
}


/* A step of a trainer: forward with a checkpoint, backward that recomputes and waits in the engine, an import, a loader. */
static struct profile *make_step(void)
{
	struct builder *b = sampler(1000);
	int32_t top = frame(b, -1, "<module>", "train.py", 1000, 5), step, fwd, ck, bwd, re, imp;

	step = frame(b, top, "training_step", "train.py", 700, 15);
	fwd = frame(b, step, "_call_impl", TORCH "nn/modules/module.py", 285, 0);
	ck = frame(b, frame(b, fwd, "forward", "model.py", 285, 35), "checkpoint", TORCH "utils/checkpoint.py", 250, 0);
	frame(b, frame(b, ck, "forward", TORCH "nn/modules/linear.py", 250, 50), "linear", "<built-in>", 200, 200);
	bwd = frame(b, frame(b, step, "backward", TORCH "_tensor.py", 400, 0), "_engine_run_backward", TORCH "autograd/graph.py", 400, 100);
	re = frame(b, bwd, "unpack_hook", TORCH "utils/checkpoint.py", 300, 0);
	re = frame(b, re, "_call_impl", TORCH "nn/modules/module.py", 300, 0);
	frame(b, re, "forward", TORCH "nn/modules/linear.py", 300, 300);
	imp = frame(b, top, "<module>", TORCH "utils/checkpoint.py", 95, 45);
	frame(b, imp, "helper", "/opt/site-packages/sympy/core/x.py", 50, 50);
	frame(b, top, "_next_data", TORCH "utils/data/dataloader.py", 200, 200);
	return finished(b);
}

static int64_t self_where(const struct table *t, const char *col, const char *is, const char *col2, const char *is2)
{
	int64_t sum = 0;

	for (uint32_t r = 0; r < t->n_rows; r++)
		if (!strcmp(text(t, r, col), is) && !strcmp(text(t, r, col2), is2))
			sum += num(t, r, "self_ns");
	return sum;
}

static void test_phases(void)
{
	struct bench be = bench_new(make_step(), NULL);
	struct table *t = view(&be, &an_frameworks);
	int64_t sum = 0;

	for (uint32_t r = 0; r < t->n_rows; r++)
		sum += num(t, r, "self_ns");
	is_int(sum, 1000, "frameworks: the rows sum to all self time");
	/* forward: 35 of the model, 50 + 200 of linear; the built-in belongs to torch, which called it */
	is_int(self_where(t, "phase", "forward", "library", "PyTorch"), 250, "forward in torch");
	is_int(self_where(t, "phase", "forward", "library", "user code"), 35, "forward in the user's model");
	is_int(self_where(t, "phase", "recompute", "library", "PyTorch"), 300, "what a module does below backward is recompute");
	is_int(self_where(t, "phase", "backward", "framework", "B"), 100, "waiting for the autograd engine");
	is_int(self_where(t, "phase", "dataload", "framework", "L"), 200, "data loading");
	/* the import: 45 of torch's module body and 50 of what it runs, though checkpoint.py is forward otherwise */
	is_int(self_where(t, "phase", "other", "operation", "module import"), 95, "imports are no phase of a step");
	is_int(self_where(t, "library", "sympy", "framework", "X"), 50, "a package that no rule knows has its own name");
	is_int(self_where(t, "phase", "", "library", "user code"), 20, "the script and its step tell no phase");
	table_free(t);
	bench_end(&be);
}

/*
 *	f 100 (60): line 3 80, line 5 20; it calls g 40 (40): line 9 40, and below that f again 10 (10): line 3 10
 * line 3: on the stack 80, not 90; of its own at least 80 - 40 below f, and all 10 of the inner f
 */
static void test_lines(void)
{
	static const struct frame_line lines[] = { { 0, 3, 80, 8 }, { 0, 5, 20, 2 }, { 1, 9, 40, 4 }, { 2, 3, 10, 1 } };
	struct builder *b = sampler(100);
	struct bench be;
	struct table *t;

	frame(b, frame(b, frame(b, -1, "f", "f.py", 100, 60), "g", "f.py", 40, 30), "f", "f.py", 10, 10);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		builder_frame_line(b, &lines[i]);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_pylines);
	is_int(t->n_rows, 3, "lines: rows");
	is_int(num(t, 0, "line"), 3, "lines: the one with most of its own");
	is_int(num(t, 0, "self_min_ns"), 50, "lines: 40 and 10");
	is_int(num(t, 0, "total_ns"), 80, "lines: recursion counts once");
	is_int(num(t, 0, "samples"), 8, "lines: samples too");
	is_int(num(t, 1, "self_min_ns"), 30, "lines: 40 of g less 10 of the call below");
	is_int(num(t, 2, "self_min_ns"), 0, "lines: 20 could be the call of g");
	table_free(t);
	t = view(&be, &an_stacks);
	is_int(num(t, 0, "ran_line"), 3, "stacks: the line of f with 80 of its 100");
	is_int(num(t, 1, "ran_line"), 9, "stacks: the line of g");
	table_free(t);
	t = view(&be, &an_leaves);
	is_str(text(t, 0, "function"), "f", "leaves: f has 60 and 10 of its own");
	is_int(num(t, 0, "ran_line"), 3, "leaves: the line of the stack with 60");
	table_free(t);
	bench_end(&be);
}

/* Threads: of counts without times, the second half of the samples waits for a queue in a worker. */
static void test_threads(void)
{
	struct builder *b = sampler(NS_UNKNOWN);
	struct frame_node f = { .parent = -1, .function = name(b, "thread (7): MainThread"), .file = ID_NONE, .class_name = ID_NONE,
		.kind = NODE_THREAD, .total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = 30 };
	struct bench be;
	struct table *t;

	builder_frame(b, &f);
	f = (struct frame_node){ .parent = 0, .function = name(b, "main"), .file = name(b, "train.py"), .class_name = ID_NONE,
		.total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = 30, .line = 4 };
	builder_frame(b, &f);
	f = (struct frame_node){ .parent = -1, .function = name(b, "process 9:\"python train.py\""), .file = ID_NONE, .class_name = ID_NONE,
		.kind = NODE_PROCESS, .total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = 100 };
	builder_frame(b, &f);
	f = (struct frame_node){ .parent = 2, .function = name(b, "_worker_loop"), .file = name(b, TORCH "utils/data/_utils/worker.py"),
		.class_name = ID_NONE, .total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = 100 };
	builder_frame(b, &f);
	f.parent = 3;
	f.function = name(b, "poll");
	f.file = name(b, "/usr/lib/python3.11/multiprocessing/connection.py");
	f.samples = 75;
	builder_frame(b, &f);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_pythreads);
	is_int(t->n_rows, 2, "threads: rows");
	is_str(text(t, 0, "role"), "loader-worker", "threads: a worker");
	is_int(num(t, 0, "samples"), 100, "threads: its samples");
	is_int(num(t, 0, "total_ns"), I64_UNKNOWN, "threads: no time is made of counts");
	ok(cell(t, 0, "busy")->v.f == 0.25, "threads: busy in 25 of 100");
	is_str(text(t, 0, "function"), "poll", "threads: where it is");
	is_str(text(t, 1, "role"), "main", "threads: the main thread");
	is_str(text(t, 1, "user_frame"), "main (train.py:4)", "threads: the user's line");
	table_free(t);
	t = view(&be, &an_stacks);
	is_int(num(t, 0, "samples"), 100, "counts: the largest first");
	is_int(num(t, 0, "total_ns"), I64_UNKNOWN, "counts: no times");
	ok(t->wall_ns <= 0, "counts: no wall");
	table_free(t);
	bench_end(&be);
}

/*
 * Queues and pickles. Below the loader of torch a queue is data loading; elsewhere it is a wait for another process.
 *	main 100 (0)
 *	  get (queues) 30 (10) > loads (pickle) 20 (20)
 *	  __next__ (dataloader) 70 (0) > get (queues) 70 (40) > loads (pickle) 30 (30)
 */
#define MP "/usr/lib/python3.11/multiprocessing/"
static void test_queues(void)
{
	struct builder *b = sampler(100);
	int32_t root = frame(b, -1, "main", "train.py", 100, 0), next;
	struct bench be;
	struct table *t;

	frame(b, frame(b, root, "get", MP "queues.py", 30, 10), "loads", "/usr/lib/python3.11/pickle.py", 20, 20);
	next = frame(b, root, "__next__", TORCH "utils/data/dataloader.py", 70, 0);
	frame(b, frame(b, next, "get", MP "queues.py", 70, 40), "loads", "/usr/lib/python3.11/pickle.py", 30, 30);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_frameworks);
	is_int(self_where(t, "level1", "sync wait", "operation", "wait for a process (queue or pipe)"), 10, "queues: a queue of the user's");
	is_int(self_where(t, "level1", "other", "operation", "pickle"), 20, "queues: a pickle of the user's");
	is_int(self_where(t, "level1", "data loading", "operation", "worker queue wait/transfer"), 40, "queues: a queue of the loader");
	is_int(self_where(t, "level1", "data loading", "operation", "pickle"), 30, "queues: a pickle of the loader");
	table_free(t);
	t = view(&be, &an_pythreads);
	is_int(num(t, 0, "wait_ns"), 50, "queues: both are waits");
	table_free(t);
	bench_end(&be);
}

static int32_t counted(struct builder *b, int32_t parent, enum node_kind kind, const char *func, const char *file, int64_t samples)
{
	struct frame_node f = { .parent = parent, .function = name(b, func), .file = name(b, file), .class_name = ID_NONE, .kind = kind,
		.total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = samples };

	builder_frame(b, &f);
	return n_frames++;
}

/*
 * What threads are for, and the choice of one. Samples: main 50; a thread without a name that runs checkpoint.py's backward 40; its worker
 * process 7 (main thread 7: 30, of these 6 wait; its feeder thread 10); pin_memory 20; tqdm's monitor 5.
 */
static void test_roles(void)
{
	static const struct { const char *role; int64_t samples; } want[] = {
		{ "main", 50 }, { "autograd", 40 }, { "loader-worker", 30 }, { "pin-memory", 20 }, { "other", 10 }, { "other", 5 },
	};
	struct builder *b = sampler(NS_UNKNOWN);
	int32_t p = counted(b, -1, NODE_PROCESS, "process 6:\"python train.py\"", NULL, 155), c, t1;
	struct bench be;
	struct scope sc;
	struct table *t;

	/* not named: its number is that of the process */
	counted(b, counted(b, p, NODE_THREAD, "thread (6)", NULL, 50), NODE_CODE, "backward", TORCH "autograd/function.py", 50);
	counted(b, counted(b, p, NODE_THREAD, "thread (0x10)", NULL, 40), NODE_CODE, "backward", TORCH "autograd/function.py", 40);
	c = counted(b, p, NODE_PROCESS, "process 7:\"python train.py\"", NULL, 40);
	t1 = counted(b, c, NODE_THREAD, "thread (7): MainThread", NULL, 30);
	t1 = counted(b, t1, NODE_CODE, "_worker_loop", TORCH "utils/data/_utils/worker.py", 30);
	counted(b, t1, NODE_CODE, "get", MP "queues.py", 6);
	counted(b, counted(b, c, NODE_THREAD, "thread (8): QueueFeederThread", NULL, 10), NODE_CODE, "_feed", MP "queues.py", 10);
	counted(b, counted(b, p, NODE_THREAD, "thread (9): Thread-1 (_pin_memory_loop)", NULL, 20), NODE_CODE, "_pin_memory_loop",
		TORCH "utils/data/_utils/pin_memory.py", 20);
	counted(b, counted(b, p, NODE_THREAD, "thread (11): Thread-2", NULL, 5), NODE_CODE, "run", "/usr/lib/python3/dist-packages/tqdm/_monitor.py", 5);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_pythreads);
	is_int(t->n_rows, 6, "roles: threads");
	for (uint32_t i = 0; i < 6; i++) {
		is_str(text(t, i, "role"), want[i].role, "roles: thread %u", i);
		is_int(num(t, i, "samples"), want[i].samples, "roles: its samples");
	}
	ok(cell(t, 2, "busy")->v.f == 0.8, "roles: the worker is busy in 24 of its 30 samples");
	ok(cell(t, 2, "busy_of_run")->v.f == 0.48, "roles: 24 of the 50 of the longest thread");
	ok(t->n_notes && strstr(t->notes[0], "1 DataLoader worker"), "roles: the workers in words");
	table_free(t);
	scope_init(&sc);
	ok(scope_parse_thread(&sc, "loader-worker", NULL), "roles: --thread takes a role");
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(t->n_rows, 5, "roles: the two processes, the thread, two functions");
	is_str(text(t, 0, "function"), "process 6:\"python train.py\"", "roles: the process above stays");
	is_int(num(t, 0, "samples"), 30, "roles: with what is left below it");
	is_int(num(t, 1, "samples"), 30, "roles: so does the worker's own");
	table_free(t);
	scope_init(&sc);
	ok(scope_parse_thread(&sc, "16", NULL), "roles: --thread takes a number");
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(t->n_rows, 3, "roles: process, thread 0x10, function");
	is_str(text(t, 2, "function"), "backward", "roles: of the thread");
	table_free(t);
	scope_init(&sc);
	sc.window = WINDOW_ALL;
	ok(!scope_parse_thread(&sc, "boss", NULL), "roles: no other words");
	bench_end(&be);
}

/* A dump of a job that hangs: two ranks wait in all_reduce, the third still reads its data. */
static void test_dump(void)
{
	static const char *const where[][2] = { { "all_reduce", TORCH "distributed/distributed_c10d.py" }, { "load", "data.py" } };
	struct builder *b = sampler(NS_UNKNOWN);
	struct bench be;
	struct table *t;
	char label[64];
	bool most = false, look = false;

	builder_set_format(b, FORMAT_PYSPY_DUMP);
	for (int i = 0; i < 3; i++) {
		struct frame_node f = { .parent = -1, .file = ID_NONE, .class_name = ID_NONE, .kind = NODE_THREAD, .total_ns = NS_UNKNOWN,
			.self_ns = NS_UNKNOWN, .samples = 1 };

		snprintf(label, sizeof(label), "thread (%d): MainThread [idle]", i);
		f.function = name(b, label);
		builder_frame(b, &f);
		f.parent = 2 * i;
		f.kind = NODE_CODE;
		f.function = name(b, where[i == 2][0]);
		f.file = name(b, where[i == 2][1]);
		builder_frame(b, &f);
	}
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_pythreads);
	is_int(t->n_rows, 3, "dump: a row per thread");
	ok(cell(t, 0, "busy")->v.f == 0, "dump: an idle thread waits, whatever its frames are");
	for (uint32_t i = 0; i < t->n_notes; i++) {
		most |= strstr(t->notes[i], "2 of 3 main threads are in all_reduce") && strstr(t->notes[i], "collective launch");
		look |= strstr(t->notes[i], "waits for the 1 thread that is not in one") != NULL;
	}
	ok(most && look, "dump: where most wait, and where to look");
	table_free(t);
	bench_end(&be);
}

/* ---- a trace ---- */

/*
 *	thread 1: train 0-1000 > step 100-500 > loss 200-300, step 600-900
 *	  ops	  aten::mm 150-250 (50 in step, 50 in loss), aten::add 260-280, aten::mm 650-700 (in the second step)
 *	thread 2: worker 0-400
 *	thread 3: no Python, aten::mm 0-30
 *	ProfilerStep#0 0-550, #1 550-1000
 */
static struct profile *make_trace(void)
{
	struct builder *b = builder_new();
	thread_id one = builder_thread(b, 1, 1), two = builder_thread(b, 1, 2), three = builder_thread(b, 1, 3);
	track_id py = builder_host_track(b, LAYER_PYTHON, one, ID_NONE, 0), ops = builder_host_track(b, LAYER_OP, one, ID_NONE, 0);
	track_id steps = builder_host_track(b, LAYER_ANNOT, one, ID_NONE, 0);

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_OPS | CAP_PYTHON | CAP_RUNTIME | CAP_GPU);
	put(b, steps, "ProfilerStep#0", 0, 550);
	put(b, steps, "ProfilerStep#1", 550, 1000);
	put(b, py, "train.py(1): train", 0, 1000);
	put(b, py, "train.py(5): step", 100, 500);
	put(b, py, "train.py(9): loss", 200, 300);
	put(b, py, "train.py(5): step", 600, 900);
	put(b, ops, "aten::mm", 150, 250);
	put(b, ops, "aten::add", 260, 280);
	put(b, ops, "aten::mm", 650, 700);
	put(b, builder_host_track(b, LAYER_PYTHON, two, ID_NONE, 0), "work.py(3): worker", 0, 400);
	put(b, builder_host_track(b, LAYER_OP, three, ID_NONE, 0), "aten::mm", 0, 30);
	return finished(b);
}

static void test_trace(void)
{
	static const struct want whole[] = {
		{ "train", 0, 300, 1000, 1 }, { "step", 1, 600, 700, 2 }, { "loss", 2, 100, 100, 1 }, { "worker", 0, 400, 400, 1 },
	};
	/* aten::mm: 50 of it in step and 50 in loss, then 50 in step again */
	static const struct want of_mm[] = {
		{ "train", 0, 0, 150, I64_UNKNOWN }, { "step", 1, 100, 150, I64_UNKNOWN }, { "loss", 2, 50, 50, I64_UNKNOWN },
	};
	struct bench be = bench_new(make_trace(), NULL);
	struct table *t = view(&be, &an_stacks);
	struct scope sc;

	rows_are(t, whole, 4, "trace");
	table_free(t);
	t = view(&be, &an_threads);
	is_int(num(t, 1, "busy_ns"), 400, "threads of a trace: what thread 2 did");
	ok(cell(t, 1, "busy")->v.f == 0.4 && cell(t, 2, "busy")->v.f == 0.03, "as a share of the capture of 1000");
	table_free(t);
	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.op_hash = scope_hash_name("aten::mm", 8);
	t = view_scoped(&be, &an_stacks, &sc);
	rows_are(t, of_mm, 3, "of aten::mm");
	ok(t->n_notes && strstr(t->notes[t->n_notes - 1], "30 ns of the selection"), "the op without a Python frame is told");
	table_free(t);
	bench_end(&be);
}

/* By thread: two trees; by step: train 0-550 and 550-1000, step 100-500 and 600-900 apart. */
static void test_split(void)
{
	static const struct want by_step[] = {
		{ "train", 0, 150, 550, 1 }, { "step", 1, 300, 400, 1 }, { "loss", 2, 100, 100, 1 },
		{ "train", 0, 150, 450, 0 }, { "step", 1, 300, 300, 1 }, { "worker", 0, 400, 400, 1 },
	};
	struct bench be = bench_new(make_trace(), NULL);
	struct table *t;
	struct scope sc;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.by = BY_THREAD;
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(t->n_rows, 4, "by thread: rows");
	is_int(num(t, 0, "by"), 1, "by thread: the first tree");
	is_int(num(t, 3, "by"), 2, "by thread: the worker's");
	table_free(t);
	sc.by = BY_STEP;
	t = view_scoped(&be, &an_stacks, &sc);
	rows_are(t, by_step, 6, "by step");
	is_int(num(t, 0, "by"), 0, "by step: 0");
	is_int(num(t, 3, "by"), 1, "by step: 1");
	table_free(t);
	bench_end(&be);
}

/* With an op chosen, the trace that knows ops answers, not the sampler that stands before it otherwise. */
static void test_choice(void)
{
	struct bench be = bench_new(make_trace(), make_step());
	struct scope sc;
	struct table *t;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.source = 1;
	sc.op_hash = scope_hash_name("aten::mm", 8);
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(num(t, 0, "total_ns"), 1000, "a sampler's file is shown whole");
	ok(t->n_notes && strstr(t->notes[t->n_notes - 1], "does not know which op"), "and says so");
	table_free(t);
	sc.source = -1;
	t = view_scoped(&be, &an_stacks, &sc);
	is_int(num(t, 0, "total_ns"), 150, "beside a trace it is left out");
	is_int(t->n_rows, 3, "the rows are the trace's");
	table_free(t);
	bench_end(&be);
}

int main(void)
{
	test_both_ways();
	test_deep();
	test_phases();
	test_lines();
	test_threads();
	test_queues();
	test_roles();
	test_dump();
	test_trace();
	test_split();
	test_choice();
	return done_testing();
}
