/* test_pyruns.c - what samplers show of real training runs, on hand-made trees: forked workers, threads, roles, waits */
#include "tests/lib/py_bench.h"

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

int main(void)
{
	test_forked();
	test_forked_anywhere();
	return done_testing();
}
