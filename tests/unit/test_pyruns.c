/* test_pyruns.c - what samplers show of real training runs, on hand-made trees: forked workers, threads, roles, waits */
#include "tests/lib/py_bench.h"
#include "tests/lib/sampler.h"

#define EPOCH (1796072928 * (int64_t)1000000000)
#define MP "/usr/lib/python3.11/multiprocessing/"
#define LOADER TORCH "utils/data/dataloader.py"

/* A frame with times in µs. */
static int32_t us(struct builder *b, int32_t parent, const char *func, const char *file, int64_t total, int64_t self)
{
	return frame(b, parent, func, file, total * 1000, self * 1000);
}

/* The sum of a column of the rows with this text. */
static int64_t sum_where(const struct table *t, const char *col, const char *is, const char *sum)
{
	int64_t n = 0;

	for (uint32_t r = 0; r < t->n_rows; r++)
		if (!strcmp(text(t, r, col), is))
			n += num(t, r, sum);
	return n;
}

static uint32_t row_where(const struct table *t, const char *col, const char *is)
{
	uint32_t r = 0;

	while (r < t->n_rows && strcmp(text(t, r, col), is))
		r++;
	return r;
}

/*
 * A worker that was forked lies below the loader that started it:
 *	<module> 1000 > run 1000 (900) > DataLoader.__iter__ 100 (4) > BaseProcess.start 96 (6) > Popen._launch 90 (5)
 *		> BaseProcess._bootstrap 85 (1) > BaseProcess.run 84 (1) > _worker_loop 83 (3) > get (queues) 50 (50)
 *			fetch 30 (10) > Data.__getitem__ (data.py) 20 (20)
 * To start it took 4 + 6 + 5 = 15 of 1000; the worker's own are 85.
 */
static void test_forked(void)
{
	struct builder *b = sampler(1000 * 1000);
	int32_t at = us(b, us(b, -1, "<module>", "train.py", 1000, 0), "run", "train.py", 1000, 900), loop, fetch;
	struct bench be;
	struct table *t;

	at = us(b, at, "DataLoader.__iter__", LOADER, 100, 4);
	at = us(b, us(b, at, "BaseProcess.start", MP "process.py", 96, 6), "Popen._launch", MP "popen_fork.py", 90, 5);
	at = us(b, us(b, at, "BaseProcess._bootstrap", MP "process.py", 85, 1), "BaseProcess.run", MP "process.py", 84, 1);
	loop = us(b, at, "_worker_loop", TORCH "utils/data/_utils/worker.py", 83, 3);
	us(b, loop, "Queue.get", MP "queues.py", 50, 50);
	fetch = us(b, loop, "_MapDatasetFetcher.fetch", TORCH "utils/data/_utils/fetch.py", 30, 10);
	us(b, fetch, "Data.__getitem__", "data.py", 20, 20);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_frameworks);
	is_int(sum_where(t, "operation", "DataLoader worker start", "self_ns"), 15 * 1000, "forked: the start, without what was started");
	is_int(sum_where(t, "operation", "DataLoader worker", "self_ns"), 3 * 1000, "forked: the worker's loop");
	is_int(sum_where(t, "operation", "worker queue wait/transfer", "self_ns"), 50 * 1000, "forked: its queue");
	is_int(sum_where(t, "operation", "dataset __getitem__", "self_ns"), 30 * 1000, "forked: what it loads");
	table_free(t);
	t = view(&be, &an_checks);
	is_str(text(t, row_where(t, "id", "dataloader-restart"), "state"), "not found", "forked: 15 of 1000 are no restart of workers");
	is_str(text(t, row_where(t, "id", "dataloader-restart"), "why"), "worker_start / frames_wall = 1.5 % (>=2%)", "forked: of 1000");
	table_free(t);
	bench_end(&be);
}

/* A process of the user's, forked in an optimizer step, computes and waits: neither is a part of the step, nor the user's line of its parent's. */
static void test_forked_anywhere(void)
{
	struct builder *b = sampler(1000);
	int32_t at = frame(b, frame(b, -1, "train", "train.py", 1000, 0), "Adam.step", TORCH "optim/adam.py", 1000, 400);
	struct bench be;
	struct table *t;

	at = frame(b, frame(b, at, "Popen._launch", MP "popen_fork.py", 600, 0), "BaseProcess._bootstrap", MP "process.py", 600, 0);
	frame(b, frame(b, at, "BaseProcess.run", MP "process.py", 600, 0), "Queue.get", MP "queues.py", 600, 600);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_frameworks);
	is_int(sum_where(t, "phase", "optimizer", "self_ns"), 400, "forked anywhere: the step is the parent's");
	is_int(sum_where(t, "operation", "wait for a process (queue or pipe)", "self_ns"), 600, "forked anywhere: the child waits");
	table_free(t);
	t = view(&be, &an_pythreads);
	is_str(text(t, 0, "function"), "Queue.get", "forked anywhere: most is the child's");
	is_str(text(t, 0, "user_frame"), "", "forked anywhere: which runs no code of the user's");
	table_free(t);
	bench_end(&be);
}

/*
 * py-spy learns a thread's name late: 3 samples of thread 10 of process 9 without it and 5 with it are one thread's. Number 10 of process 8
 * is another one's, and of the two that had number 12 nobody knows whose the 2 samples without a name are.
 */
static void test_late_names(void)
{
	static const char raw[] = "process 9:\"python a.py\";thread (10);<module> (a.py:1) 3\n"
		"process 9:\"python a.py\";thread (10): MainThread;<module> (a.py:2) 5\n"
		"process 8:\"python b.py\";thread (10);<module> (b.py:1) 7\n"
		"process 9:\"python a.py\";thread (12);run (a.py:9) 2\n"
		"process 9:\"python a.py\";thread (12): Thread-1;run (a.py:9) 11\n"
		"process 9:\"python a.py\";thread (12): Thread-2;run (a.py:9) 13\n";
	static const struct { const char *name; int64_t pid, samples; } want[] = {
		{ "Thread-2", 9, 13 }, { "Thread-1", 9, 11 }, { "MainThread", 9, 8 }, { "thread (10)", 8, 7 }, { "thread (12)", 9, 2 },
	};
	struct err e = ERR_INIT;
	struct bench be = bench_new(sampler_text(&loader_collapsed, raw, &e), NULL);
	struct table *t = view(&be, &an_pythreads);

	is_int(t->n_rows, 5, "late names: a row per thread");
	for (uint32_t i = 0; i < 5; i++) {
		is_str(text(t, i, "name"), want[i].name, "late names: thread %u", i);
		is_int(num(t, i, "pid"), want[i].pid, "late names: its process");
		is_int(num(t, i, "samples"), want[i].samples, "late names: its samples");
	}
	table_free(t);
	t = view(&be, &an_pylines);
	is_int(num(t, row_where(t, "file", "a.py"), "samples"), 26, "late names: the lines stay (a.py:9 has most)");
	is_int(sum_where(t, "function", "<module>", "samples"), 15, "late names: those of the thread that was merged, too");
	table_free(t);
	bench_end(&be);
}

/* Three dumps one after another: the main thread runs with and without the GIL, then waits; a feeder waits all the time. */
static void test_dumps(void)
{
#define FEEDER "Thread 8 (idle): \"QueueFeederThread\"\n    Condition.wait (threading.py:327)\n    Queue._feed (multiprocessing/queues.py:231)\n"
#define DUMP(state, where) "Process 7: python t.py\nPython v3.11.7 (/usr/bin/python3.11)\n\nThread 7 (" state "): \"MainThread\"\n    " where "\n" FEEDER
	static const char dumps[] = DUMP("active+gil", "step (t.py:3)") DUMP("active", "step (t.py:4)") DUMP("idle", "load (t.py:9)");
	struct err e = ERR_INIT;
	struct bench be = bench_new(sampler_text(&loader_pyspy_dump, dumps, &e), NULL);
	struct table *t = view(&be, &an_pythreads);
	uint32_t main_row = row_where(t, "name", "MainThread");

	is_int(t->n_rows, 2, "dumps: a row per thread");
	is_int(num(t, main_row, "samples"), 3, "dumps: a sample each");
	is_str(text(t, main_row, "states"), "active 1, active+gil 1, idle 1", "dumps: its states over the dumps");
	is_str(text(t, row_where(t, "name", "QueueFeederThread"), "states"), "idle 3", "dumps: those of the feeder");
	ok(cell(t, main_row, "busy")->v.f == 2. / 3, "dumps: it waits in one of the three");
	ok(t->n_notes && strstr(t->notes[0], "1 of 1 main thread is in step"), "dumps: one main thread: %s", t->n_notes ? t->notes[0] : "");
	table_free(t);
	bench_end(&be);
}

/* A trace with Python frames: main 0-1000 on one thread, in one step. */
static struct profile *make_stacked(void)
{
	struct builder *b = builder_new();
	thread_id one = builder_thread(b, 1, 1);

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_OPS | CAP_PYTHON);
	builder_set_epoch(b, EPOCH);
	put(b, builder_host_track(b, LAYER_PYTHON, one, ID_NONE, 0), "t.py(1): traced", 0, 1000);
	put(b, builder_host_track(b, LAYER_OP, one, ID_NONE, 0), "aten::mm", 100, 200);
	return finished(b);
}

static bool noted(const struct table *t, const char *text)
{
	bool found = false;

	for (uint32_t i = 0; i < t->n_notes; i++)
		found |= strstr(t->notes[i], text) != NULL;
	return found;
}

/* A sampler with frames for 499 of 1000 beside a trace with frames: the trace serves. With frames for 500 the sampler does, and alone always. */
static void test_hook(void)
{
	for (int framed = 499; framed <= 500; framed++) {
		bool few = framed < 500;
		struct builder *b = sampler(1000);
		struct bench be;
		struct table *t;
		uint32_t row;

		builder_set_epoch(b, EPOCH);
		frame(b, -1, "sampled", "t.py", framed, framed);
		be = bench_new(finished(b), make_stacked());
		t = view(&be, &an_stacks);
		is_str(text(t, 0, "function"), few ? "traced" : "sampled", "hook, %d of 1000: whose stacks", framed);
		ok(noted(t, "its frames cover 49.9 % of its duration") == few, "hook: and says so");
		table_free(t);
		t = view(&be, &an_quality);
		row = row_where(t, "check", "time with Python frames");
		ok((row < t->n_rows) == few, "hook: doubtful");
		if (few) {
			is_str(text(t, row, "verdict"), "bad", "hook: how much");
			is_int(num(t, row, "time_ns"), 499, "hook: of the session");
			ok(strstr(text(t, row, "means"), "another profiler held the hook (torch") != NULL, "hook: %s", text(t, row, "means"));
		}
		table_free(t);
		bench_end(&be);
	}
}

/* Alone, what there is is shown; and who held the hook is not claimed. */
static void test_few_alone(void)
{
	struct builder *b = sampler(1000);
	struct bench be;
	struct table *t;

	frame(b, -1, "sampled", "t.py", 60, 60);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_stacks);
	is_str(text(t, 0, "function"), "sampled", "few frames alone: they are shown");
	table_free(t);
	t = view(&be, &an_quality);
	ok(strstr(text(t, row_where(t, "check", "time with Python frames"), "means"), "or most of it ran without Python") != NULL,
		"few frames alone: why is not known");
	table_free(t);
	bench_end(&be);
}

static struct table *threads_of(struct bench *be, const char *dump)
{
	struct err e = ERR_INIT;

	*be = bench_new(sampler_text(&loader_pyspy_dump, dump, &e), NULL);
	return view(be, &an_pythreads);
}

#define PROCESS(pid, command, state, frames) "Process " #pid ": " command "\nPython v3.11.7 (/usr/bin/python3.11)\n\n" \
	"Thread " #pid " (" state "): \"MainThread\"\n" frames
#define RANK(pid, state, frames) PROCESS(pid, "python train.py", state, frames "    main (train.py:50)\n    <module> (train.py:60)\n")
#define LAUNCHER PROCESS(1, "torchrun train.py", "idle", "    _invoke_run (torch/distributed/elastic/agent/server/api.py:835)\n" \
	"    main (torch/distributed/run.py:892)\n    <module> (torchrun:8)\n")
#define REDUCE "    all_reduce (torch/distributed/distributed_c10d.py:2709)\n    step (train.py:20)\n"
#define LOADS "    open (data.py:3)\n"

/* Three ranks in a collective, one loads; their launcher waits for them, and a logger of its own does nothing of the run. */
static void test_launcher(void)
{
	struct bench be;
	struct table *t = threads_of(&be, LAUNCHER RANK(11, "idle", REDUCE) RANK(12, "idle", REDUCE) RANK(13, "idle", REDUCE) RANK(14, "active", LOADS)
		PROCESS(9, "python log.py", "idle", "    accept (log.py:7)\n    <module> (log.py:9)\n"));

	is_int(t->n_rows, 6, "launcher: all threads have a row");
	ok(noted(t, "3 of 4 main threads are in all_reduce"), "launcher: the ranks are four");
	ok(noted(t, "waits for the 1 thread that is not in one"), "launcher: one of them is late");
	ok(noted(t, "2 main threads do other work"), "launcher: it and the logger are left out");
	table_free(t);
	bench_end(&be);
	t = threads_of(&be, LAUNCHER RANK(11, "idle", "    get (queue.py:180)\n") RANK(12, "idle", "    get (queue.py:180)\n") RANK(13, "active", LOADS));
	ok(noted(t, "2 of 3 main threads are in get") && noted(t, "the place of the fewest"), "launcher: the fewest of the ranks");
	table_free(t);
	bench_end(&be);
	t = threads_of(&be, RANK(11, "idle", "    get (queue.py:180)\n") RANK(12, "idle", "    get (queue.py:180)\n") PROCESS(13, "python other.py", "active",
		LOADS "    <module> (other.py:2)\n"));
	ok(noted(t, "2 of 2 main threads are in get") && !noted(t, "the place of the fewest"), "other program: nobody waits for it");
	table_free(t);
	bench_end(&be);
}

/* A main thread in the engine: with a thread of autograd's beside it, it waits for that; else it computes where it runs, and is idle where it is. */
static void test_engine(void)
{
#define ENGINE "    _engine_run_backward (torch/autograd/graph.py:1113)\n    backward (torch/autograd/__init__.py:395)\n"
#define HOOKS "Thread 77 (active+gil)\n    unpack_hook (torch/utils/checkpoint.py:1369)\n"
	static const struct { const char *dump, *state, *what; } want[] = {
		{ RANK(11, "active", ENGINE), "runs", "without a thread of autograd's it runs backward itself" },
		{ RANK(11, "active+gil", ENGINE), "gil", "with the GIL, too" },
		{ RANK(11, "idle", ENGINE), "idle", "idle: for what is not known" },
		{ RANK(11, "active", ENGINE) HOOKS, "autograd", "a thread of autograd's runs it" },
		{ RANK(11, "idle", ENGINE) HOOKS, "autograd", "and is waited for" },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct bench be;
		struct table *t = threads_of(&be, want[i].dump);
		uint32_t row = row_where(t, "name", "MainThread");

		is_str(text(t, row, "state"), want[i].state, "engine: %s", want[i].what);
		is_str(text(t, row, "operation"), i < 3 ? "autograd engine (backward)" : "autograd engine (waiting for backward thread)",
			"engine: what is said of it");
		table_free(t);
		bench_end(&be);
	}
}

/* A thread without a name whose stack begins with a script is the main one, unless two do; imports in another thread are no script. */
static void test_script(void)
{
	static const char raw[] = "thread (0x7f10);<module> (train.py:9);backward (torch/_tensor.py:5) 70\n"
		"thread (0x7f20);run (threading.py:9);_find_and_load (<frozen importlib._bootstrap>:7);<module> (lazy.py:1) 20\n";
	static const char two[] = "thread (0x7f10);<module> (train.py:9);f (train.py:1) 70\nthread (0x7f20);<module> (other.py:9);g (other.py:1) 20\n";
	struct err e = ERR_INIT;
	struct bench be = bench_new(sampler_text(&loader_collapsed, raw, &e), NULL);
	struct table *t = view(&be, &an_pythreads);

	is_str(text(t, 0, "role"), "main", "script: the thread that runs it");
	is_str(text(t, 1, "role"), "", "script: not the one that imports");
	table_free(t);
	bench_end(&be);
	be = bench_new(sampler_text(&loader_collapsed, two, &e), NULL);
	t = view(&be, &an_pythreads);
	is_str(text(t, 0, "role"), "", "script: of two nobody knows");
	table_free(t);
	bench_end(&be);
}

/* Garbage collection, as each tool writes it: 30 of 1000 are found by one rule, which says so much. */
static void test_collector(void)
{
	static const char *const how[][2] = {
		{ "collect", "<built-in>" }, { "gc.collect", "train.py" },
		{ "gc_collect_main", "/usr/lib/libpython3.12.so.1.0" },
	};

	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		struct builder *b = sampler(1000 * 1000);
		struct bench be;
		struct table *t;

		us(b, us(b, -1, "train", "train.py", 1000, 970), how[i][0], how[i][1], 30, 30);
		be = bench_new(finished(b), NULL);
		t = view(&be, &an_frameworks);
		is_int(sum_where(t, "operation", "Python GC", "self_ns"), 30 * 1000, "collector, %s: its time", how[i][0]);
		table_free(t);
		t = view(&be, &an_findings);
		ok(strstr(text(t, row_where(t, "id", "gc-frames"), "evidence"), "takes 30.00") != NULL, "collector: %s",
			text(t, row_where(t, "id", "gc-frames"), "evidence"));
		ok(row_where(t, "id", "python-gc") == t->n_rows, "collector: once");
		table_free(t);
		bench_end(&be);
	}
}

/*
 * One step 0-1000 of a trace: aten::item 0-100, aten::copy_ 100-300, AddmmBackward0 in its node 300-600; Python around it all. With a device there is
 * a call as well, so that what the rest is is a matter of the device.
 */
static struct profile *make_words(bool device)
{
	struct builder *b = builder_new();
	thread_id one = builder_thread(b, 1, 1);
	track_id ops = builder_host_track(b, LAYER_OP, one, ID_NONE, 0);

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_OPS | (device ? CAP_RUNTIME | CAP_GPU : 0));
	put(b, builder_host_track(b, LAYER_ANNOT, one, ID_NONE, 0), "ProfilerStep#1", 0, 1000);
	put(b, ops, "aten::item", 0, 100);
	put(b, ops, "aten::copy_", 100, 300);
	put(b, ops, "AddmmBackward0", 300, 600);
	if (device)
		put(b, builder_host_track(b, LAYER_RUNTIME, one, ID_NONE, 0), "cudaLaunchKernel", 700, 710);
	return finished(b);
}

static void test_words(void)
{
	static const struct { const char *level1, *with, *without; int64_t ns; } want[] = {
		{ "framework scheduling", "implicit host sync (item)", "value read (item)", 100 },
		{ "data movement", "aten::copy_ dispatch", "tensor copy (aten::copy_)", 200 },
		{ "framework scheduling", "backward dispatch", "backward node", 300 },
	};

	for (int device = 0; device <= 1; device++) {
		struct bench be = bench_new(make_words(device), NULL);
		struct table *t = view(&be, &an_breakdown);
		uint32_t waits = row_where(t, "level1", "sync wait");

		for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
			uint32_t row = row_where(t, "level2", device ? want[i].with : want[i].without);

			is_int(num(t, row, "time_ns"), want[i].ns, "words: %s", device ? want[i].with : want[i].without);
			ok(device || !strcmp(text(t, row, "level1"), want[i].level1), "words: without a device it is %s", want[i].level1);
		}
		ok((waits < t->n_rows) == device, "words: nobody waits for a device that is not there");
		table_free(t);
		bench_end(&be);
	}
}

/* A sampler beside a trace without a device: .item() is no wait; alone it may be one. */
static void test_words_sampled(void)
{
	for (int traced = 0; traced <= 1; traced++) {
		struct builder *b = sampler(100);
		struct bench be;
		struct table *t;

		frame(b, frame(b, -1, "train", "train.py", 100, 60), "linear", TORCH "functional.py", 40, 40);
		be = bench_new(finished(b), traced ? make_words(false) : NULL);
		t = view(&be, &an_frameworks);
		is_int(sum_where(t, "operation", traced ? "op call" : "op dispatch", "self_ns"), 40, "words, sampled: %s a trace", traced ? "beside" : "without");
		table_free(t);
		bench_end(&be);
	}
}

/* AdamW.__init__ 100 (10) > _find_and_load 90 (20) > <module> 70: 90 are an import, 10 set up an optimizer, none is a step of it. */
static void test_imports(void)
{
	struct builder *b = sampler(200);
	int32_t main_frame = frame(b, -1, "main", "train.py", 200, 0), at;
	struct bench be;
	struct table *t;

	at = frame(b, main_frame, "AdamW.__init__", TORCH "optim/adamw.py", 100, 10);
	at = frame(b, at, "_find_and_load", "<frozen importlib._bootstrap>", 90, 20);
	frame(b, at, "<module>", TORCH "_dynamo/__init__.py", 70, 70);
	frame(b, main_frame, "AdamW.step", TORCH "optim/adamw.py", 100, 100);
	be = bench_new(finished(b), NULL);
	t = view(&be, &an_frameworks);
	is_int(sum_where(t, "operation", "module import", "self_ns"), 90, "imports: below the optimizer that asks for them");
	is_int(sum_where(t, "operation", "optimizer set-up", "self_ns"), 10, "imports: the rest sets it up");
	is_int(sum_where(t, "phase", "optimizer", "self_ns"), 100, "imports: a step is a step");
	table_free(t);
	bench_end(&be);
}

/* Threads as austin 3.7 writes them: interpreter, colon, number. A module's file stays a file. */
static void test_austin(void)
{
	static const char stacks[] = "# austin: 3.7.0\n# mode: wall\n# interval: 100\nP28475;T0:28475;train.py:<module>:3;train.py:step:9 300\n"
		"P28475;T0:28476;/usr/lib/python3.12/threading.py:Condition.wait:355 200\n";
	struct err e = ERR_INIT;
	struct bench be = bench_new(sampler_text(&loader_collapsed, stacks, &e), NULL);
	struct table *t = view(&be, &an_pythreads);

	is_int(t->n_rows, 2, "austin: threads");
	is_int(num(t, 0, "pid"), 28475, "austin: the process");
	is_int(num(t, 0, "tid"), 28475, "austin: the thread, without its interpreter");
	is_int(num(t, 0, "total_ns"), 300000, "austin: its time");
	is_str(text(t, 0, "role"), "main", "austin: its number is that of the process");
	is_int(num(t, 1, "tid"), 28476, "austin: another one");
	is_int(num(t, 1, "wait_ns"), 200000, "austin: which waits");
	table_free(t);
	bench_end(&be);
}

/* A feeder of a queue in the lock of its condition waits, and has a role whatever it is called. */
static void test_feeder(void)
{
	static const char raw[] = "process 9:\"python a.py\";thread (9): MainThread;<module> (a.py:1) 30\n"
		"process 9:\"python a.py\";thread (12);Queue._feed (multiprocessing/queues.py:231);Condition.wait (threading.py:327);lock.acquire (<built-in>) 20\n"
		"process 9:\"python a.py\";thread (12);Queue._feed (multiprocessing/queues.py:240) 5\n";
	struct err e = ERR_INIT;
	struct bench be = bench_new(sampler_text(&loader_collapsed, raw, &e), NULL);
	struct table *t = view(&be, &an_pythreads);
	uint32_t row = row_where(t, "name", "thread (12)");

	is_str(text(t, row, "role"), "other", "feeder: its role");
	is_str(text(t, row, "state"), "lock", "feeder: where it is");
	ok(cell(t, row, "busy")->v.f == 0.2, "feeder: it is busy in 5 of 25");
	table_free(t);
	bench_end(&be);
}

int main(void)
{
	test_austin();
	test_feeder();
	test_words();
	test_words_sampled();
	test_imports();
	test_collector();
	test_launcher();
	test_engine();
	test_script();
	test_hook();
	test_few_alone();
	test_late_names();
	test_dumps();
	test_forked();
	test_forked_anywhere();
	return done_testing();
}
