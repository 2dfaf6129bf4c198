/*
 * test_growth.c - ten times the input is at most thirteen times the work, for inputs that are many of one kind: threads, processes,
 * devices, streams, steps, names, files, levels of calls. Work is steps (base/work.h), not time. Documents do not grow at all.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/work.h"
#include "report/report.h"
#include "tests/lib/an_bench.h"

/* times the work for ten times the input: n log n and what is rounded up */
#define MOST	       13
#define DOCUMENTS_MOST (4 << 20) /* bytes of all six and the page */
#define TOO_LITTLE \
	20 /* steps per item below which a view is not judged: it has nothing to do with them */

enum kind {
	THREADS,
	PROCESSES,
	DEVICES,
	STREAMS,
	STEPS,
	NAMES,
	KINDS
};
/* The profile that b was filled for; b is freed. */
static struct profile *finish(struct builder *b)
{
	struct profile *p = builder_finish(b);

	builder_free(b);
	return p;
}

static const char *const kind_names[KINDS] = {"threads", "processes", "devices",
					      "streams", "steps",     "names"};

/* n ops, each with a Python frame around it and a call that launches a kernel; of `kind` everything is another one in each. */
static struct profile *make_many(enum kind kind, int n, int rank)
{
	struct builder *b = builder_new();
	char text[64];

	builder_set_workers(b, 1);
	builder_set_rank(b, rank, -1);
	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS | CAP_PYTHON);
	for (int i = 0; i < n; i++) {
		int own = i + 1;
		int64_t pid = kind == PROCESSES ? own : 1;
		thread_id t =
			builder_thread(b, pid, kind == PROCESSES || kind == THREADS ? own : 1);
		track_id gpu = builder_gpu_track(b, LAYER_KERNEL, -1, kind == DEVICES ? i : 0, -1,
						 kind == STREAMS ? own : 7, 0);
		ns_t at = i * 1000;

		snprintf(text, sizeof(text), kind == STEPS ? "ProfilerStep#%d" : "range %d",
			 kind == STEPS ? i : i % 7);
		if (kind == STEPS || i % 100 == 0)
			put(b, builder_host_track(b, LAYER_ANNOT, t, ID_NONE, 0), text, at,
			    at + 950, CORR_NONE, ID_NONE);
		snprintf(text, sizeof(text), "a.py(3): f%d", kind == NAMES ? i : i % 20);
		put(b, builder_host_track(b, LAYER_PYTHON, t, ID_NONE, 0), text, at + 10, at + 900,
		    CORR_NONE, ID_NONE);
		snprintf(text, sizeof(text), "aten::f%d", kind == NAMES ? i : i % 20);
		put(b, builder_host_track(b, LAYER_OP, t, ID_NONE, 0), text, at + 20, at + 800,
		    CORR_NONE, ID_NONE);
		put(b, builder_host_track(b, LAYER_RUNTIME, t, ID_NONE, 0), "cudaLaunchKernel",
		    at + 100, at + 200, (uint64_t)own, 0);
		snprintf(text, sizeof(text), "kernel%d", kind == NAMES ? i : i % 20);
		put(b, gpu, text, at + 300, at + 700, (uint64_t)own, ID_NONE);
	}
	return finish(b);
}

/* n events below each other on one thread. */
static struct profile *make_deep(enum layer l, int n)
{
	struct builder *b = builder_new();
	track_id t = builder_host_track(b, l, builder_thread(b, 1, 1), ID_NONE, 0);
	char text[64];

	builder_set_workers(b, 1);
	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, l == LAYER_OP ? CAP_OPS : CAP_PYTHON);
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), l == LAYER_OP ? "aten::f%d" : "a.py(3): f%d", i % 50);
		put(b, t, text, i, 2 * n - i, CORR_NONE, ID_NONE);
	}
	if (l == LAYER_PYTHON) /* so that it is a trace of training, whose wall is divided */
		put(b, builder_host_track(b, LAYER_OP, builder_thread(b, 1, 1), ID_NONE, 0),
		    "aten::f", n, n + 1, CORR_NONE, ID_NONE);
	return finish(b);
}

/* ---- what is measured ---- */

struct run {
	struct session *s;
	struct job job;
	struct an_ctx *cx;
};

static void run_add(struct run *r, struct profile *p)
{
	char path[32];

	snprintf(path, sizeof(path), "rank%u.json", r->s ? r->s->n_sources : 0);
	if (!r->s)
		r->s = session_new();
	session_put(r->s, session_add(r->s, path), p, SOURCE_READY);
}

static void run_begin(struct run *r, const struct rulebook *rules)
{
	r->job.workers = 1; /* this thread's, whose steps are counted */
	r->cx = an_ctx_new(r->s, rules, &r->job, NULL);
}

static void run_end(struct run *r)
{
	an_ctx_free(r->cx);
	session_free(r->s);
}

static uint64_t work_of_view(const struct run *r, const struct analysis *a)
{
	uint64_t before = work_steps;
	struct err e = ERR_INIT;
	struct scope sc;
	struct table *t;

	scope_init(&sc);
	scope_parse_window(&sc, "all", &e);
	t = analysis_table(a, r->cx, &sc, &e);
	if (!t)
		fail("%s: %s", a->id, e.text);
	table_free(t);
	return work_steps - before;
}

/* Every view of two runs, the one with ten times as much. */
static void compare_views(const char *what, const struct run *small, const struct run *large,
			  uint64_t n)
{
	unsigned worse = 0;

	for (const struct analysis *const *a = analyses; *a; a++) {
		uint64_t few = work_of_view(small, *a), many = work_of_view(large, *a);

		if (many <= TOO_LITTLE * n || many <= MOST * few)
			continue;
		diag("%s: %s: %llu steps, then %llu", what, (*a)->id, (unsigned long long)few,
		     (unsigned long long)many);
		worse++;
	}
	is_int(worse, 0, "%s: no view does more than %d times the work", what, MOST);
}

static void test_many(const struct rulebook *rules)
{
	enum {
		FEW = 250
	};

	for (int kind = 0; kind < KINDS; kind++) {
		struct run small = {0}, large = {0};
		uint64_t at = work_steps, few, many;

		run_add(&small, make_many((enum kind)kind, FEW, -1));
		run_begin(&small, rules);
		few = work_steps - at;
		at = work_steps;
		run_add(&large, make_many((enum kind)kind, 10 * FEW, -1));
		run_begin(&large, rules);
		many = work_steps - at;
		ok(many <= MOST * few, "%s: profile and facts in %llu steps, then %llu",
		   kind_names[kind], (unsigned long long)few, (unsigned long long)many);
		compare_views(kind_names[kind], &small, &large, 10 * FEW);
		run_end(&small);
		run_end(&large);
	}
}

/* Trees from the leaves would have n * n / 2 rows; up to 1,000 levels they do. */
static void test_deep(const struct rulebook *rules)
{
	static const struct {
		enum layer layer;
		const struct analysis *a;
	} views[] = {
		{LAYER_OP, &an_opcallers},     {LAYER_OP, &an_optree},
		{LAYER_PYTHON, &an_leaves},    {LAYER_PYTHON, &an_stacks},
		{LAYER_PYTHON, &an_breakdown},
	};
	enum {
		FEW = 4000
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		struct run small = {0}, large = {0};
		uint64_t few, many;

		run_add(&small, make_deep(views[i].layer, FEW));
		run_add(&large, make_deep(views[i].layer, 10 * FEW));
		run_begin(&small, rules);
		run_begin(&large, rules);
		few = work_of_view(&small, views[i].a);
		many = work_of_view(&large, views[i].a);
		ok(many > 10 * FEW && many <= MOST * few, "deep: %s in %llu steps, then %llu",
		   views[i].a->id, (unsigned long long)few, (unsigned long long)many);
		run_end(&small);
		run_end(&large);
	}
}

/* ---- documents ---- */

static long size_and_unlink(char **files)
{
	long sum = 0;
	struct stat st;

	for (char **f = files; *f; f++) {
		if (!stat(*f, &st))
			sum += (long)st.st_size;
		unlink(*f);
		free(*f);
	}
	free(files);
	return sum;
}

static long document_bytes(const struct run *r, const char *dir)
{
	struct err e = ERR_INIT;
	struct scope sc;
	char **files = NULL;

	scope_init(&sc);
	scope_parse_window(&sc, "all", &e);
	if (!report_write(r->cx, &sc, dir, &(struct report_opts){.html = true}, NULL, NULL, &files,
			  &e)) {
		fail("report: %s", e.text);
		return 0;
	}
	return size_and_unlink(files);
}

static void compare_documents(const char *what, const struct run *small, const struct run *large)
{
	char dir[] = "/tmp/profdive-growth-XXXXXX";
	long few, many;

	if (!mkdtemp(dir)) {
		fail("no folder in /tmp");
		return;
	}
	few = document_bytes(small, dir);
	many = document_bytes(large, dir);
	rmdir(dir);
	ok(few > 0 && many < 2 * few && many < DOCUMENTS_MOST,
	   "%s: documents of %ld bytes, then %ld", what, few, many);
}

static void test_documents(const struct rulebook *rules)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct run small = {0}, large = {0};

		run_add(&small, make_many((enum kind)kind, 250, -1));
		run_add(&large, make_many((enum kind)kind, 2500, -1));
		run_begin(&small, rules);
		run_begin(&large, rules);
		compare_documents(kind_names[kind], &small, &large);
		run_end(&small);
		run_end(&large);
	}
}

static void add_files(struct run *r, int n)
{
	for (int i = 0; i < n; i++)
		run_add(r, make_many(STEPS, 4, i));
}

static void test_files(const struct rulebook *rules)
{
	struct run small = {0}, large = {0};

	add_files(&small, 30);
	add_files(&large, 300);
	run_begin(&small, rules);
	run_begin(&large, rules);
	compare_views("files", &small, &large, 300);
	compare_documents("files", &small, &large);
	run_end(&small);
	run_end(&large);
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rulebook *rules = rulebook_new(&e);

	test_many(rules);
	test_deep(rules);
	test_documents(rules);
	test_files(rules);
	rulebook_free(rules);
	return done_testing();
}
