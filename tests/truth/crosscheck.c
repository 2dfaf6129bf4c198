/* crosscheck.c - the rows of view crosscheck against what the truth makes of them, see checks.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/truth/checks.h"

/* What is known of a row: figures (SHEET_UNKNOWN: not from here) and verdict. */
struct row {
	const char *quantity;
	uint32_t a, b;		/* sources; the same inside one source */
	int64_t va, vb;
	const char *verdict;
};

static const struct jval *answers(const struct trial *t, uint32_t source, const char *window)
{
	return jval_get(jval_get(t->truth, source == t->nsys ? "nsys" : "torch"), window);
}

/* Sum of a member over rows; class: only rows of this class. */
static int64_t sum_of(const struct jval *rows, const char *member, const char *class)
{
	int64_t sum = 0;

	for (const struct jval *m = jval_first(rows); m; m = jval_next(m)) {
		size_t n = 0;
		const char *c = jval_text(jval_get(m, "class"), &n);

		if (!class || (c && n == strlen(class) && memcmp(c, class, n) == 0))
			sum += sheet_int(m, member);
	}
	return sum;
}

static int ns_cmp(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

static int64_t median_period(const struct trial *t)
{
	int64_t v[64];
	size_t n = 0;

	for (const struct jval *s = jval_first(jval_get(t->truth, "steps")); s && n < 64; s = jval_next(s))
		if (!jval_true(jval_get(s, "warmup")))
			v[n++] = sheet_int(s, "period_ns");
	qsort(v, n, sizeof(*v), ns_cmp);
	return n ? v[(n - 1) / 2] : 0;
}

/* From the start of the first step to the end of the last period. */
static int64_t all_steps(const struct trial *t)
{
	int64_t sum = 0;

	for (const struct jval *s = jval_first(jval_get(t->truth, "steps")); s; s = jval_next(s))
		sum += sheet_int(s, "period_ns");
	return sum;
}

static bool from_source(const struct trial *t, const struct table *x, uint32_t row, const char *col, uint32_t source)
{
	const struct cell *c = table_cell(x, row, (uint32_t)table_col(x, col));
	const char *path = t->session->sources[source].path;

	return c->type == CELL_STR && c->len > strlen(path) && memcmp(c->v.s, path, strlen(path)) == 0 && c->v.s[strlen(path)] == ':';
}

static bool figure(const char *what, int64_t got, int64_t want)
{
	return want == SHEET_UNKNOWN || trial_equal(what, got, want);
}

/* Exactly one row says it, the two sources in either order. */
static void check_row(struct trial *t, const struct table *x, const struct row *want)
{
	uint32_t found = 0;
	bool good = true;

	for (uint32_t r = 0; r < x->n_rows; r++) {
		bool ab = from_source(t, x, r, "a_source", want->a) && from_source(t, x, r, "b_source", want->b);
		bool ba = from_source(t, x, r, "a_source", want->b) && from_source(t, x, r, "b_source", want->a);

		if (!cell_is(x, r, "quantity", want->quantity) || !(ab || ba))
			continue;
		found++;
		good &= figure(want->quantity, cell_int(x, r, ab ? "a" : "b"), want->va);
		good &= figure(want->quantity, cell_int(x, r, ab ? "b" : "a"), want->vb);
		if (!cell_is(x, r, "verdict", want->verdict)) {
			printf("# %s: not \"%s\"\n", want->quantity, want->verdict);
			good = false;
		}
	}
	good &= trial_equal("rows", found, 1);
	trial_verdict(t, good, "cross-check: %s (%u, %u)", want->quantity, want->a, want->b);
}

static void check_pair(struct trial *t, const struct table *x, const char *window)
{
	const struct jval *n = answers(t, t->nsys, window), *p = answers(t, t->torch, window);
	int64_t steps = sheet_int(n, "steps"), median = median_period(t), steady = sheet_int(answers(t, t->nsys, "steady"), "steps");
	const struct row rows[] = {
		{ "median step period", t->nsys, t->torch, median, median, "agree" },
		{ "steady steps", t->nsys, t->torch, steady, steady, "agree" },
		{ "kernel time per step", t->nsys, t->torch, sum_of(jval_get(n, "kernels"), "total_ns", NULL) / steps,
		  sum_of(jval_get(p, "kernels"), "total_ns", NULL) / steps, "agree" },
		{ "kernels per step", t->nsys, t->torch, sum_of(jval_get(n, "kernels"), "count", NULL) / steps,
		  sum_of(jval_get(p, "kernels"), "count", NULL) / steps, "agree" },
		{ "copy time on the GPU per step", t->nsys, t->torch, sum_of(jval_get(n, "memcpy"), "time_ns", NULL) / steps,
		  sum_of(jval_get(p, "memcpy"), "time_ns", NULL) / steps, "agree" },
		{ "bytes copied per step", t->nsys, t->torch, sum_of(jval_get(n, "memcpy"), "bytes", NULL) / steps,
		  sum_of(jval_get(p, "memcpy"), "bytes", NULL) / steps, "agree" },
		{ "runtime calls per step", t->nsys, t->torch, sum_of(jval_get(n, "runtime"), "count", NULL) / steps,
		  sum_of(jval_get(p, "runtime"), "count", NULL) / steps, "agree" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(t, x, &rows[i]);
}

static void check_inside(struct trial *t, const struct table *x, uint32_t s, const char *window)
{
	const struct jval *w = answers(t, s, window), *gpu = jval_first(jval_get(w, "gpu")), *whole = answers(t, s, "all");
	int64_t self = sum_of(jval_get(whole, "ops"), "self_ns", NULL), copies = sum_of(jval_get(w, "memcpy"), "time_ns", NULL);
	int64_t wall = sheet_int(jval_get(w, "cpu"), "wall_ns"), gpu_wall = sheet_int(gpu, "window_ns");
	const struct row rows[] = {
		{ "median time from step to step, by two kinds of markers", s, s, SHEET_UNKNOWN, SHEET_UNKNOWN, "agree" },
		{ "sum of self times against the union of the ops, whole source", s, s, self, self, "agree" },
		{ "own time of the ops against the wall of the host", s, s, sum_of(jval_get(w, "ops"), "self_ns", NULL), wall, "not-comparable" },
		{ "CPU breakdown against the wall", s, s, wall, wall, "agree" },
		{ "GPU breakdown against the window, all devices", s, s, gpu_wall, gpu_wall, "agree" },
		{ "joint breakdown against the window, all devices", s, s, gpu_wall, gpu_wall, "agree" },
		{ "kernel launch calls against kernels", s, s, sum_of(jval_get(w, "runtime"), "count", "launch"),
		  sum_of(jval_get(w, "kernels"), "count", NULL), "agree" },
		{ "copies: GPU time against the CPU time of their dispatch", s, s, copies,
		  sum_of(jval_get(w, "runtime"), "total_ns", "memcpy"), "not-comparable" },
		{ "copies: GPU time against aten::copy_", s, s, copies,
		  sheet_int(jval_get(jval_get(w, "ops"), "aten::copy_"), "total_ns"), "not-comparable" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(t, x, &rows[i]);
}

static void check_against_sampler(struct trial *t, const struct table *x)
{
	int64_t total = sheet_int(jval_get(t->truth, "pyinstrument"), "total_ns"), steps = all_steps(t);
	const uint32_t s = t->sampler;
	const struct row rows[] = {
		{ "wall of the run against the steps from first start to last end", s, t->nsys, SHEET_UNKNOWN, steps, "agree" },
		{ "wall of the run against the steps from first start to last end", s, t->torch, SHEET_UNKNOWN, steps, "agree" },
		{ "wall of the run per step", s, t->nsys, SHEET_UNKNOWN, median_period(t), "not-comparable" },
		{ "wall of the run per step", s, t->torch, SHEET_UNKNOWN, median_period(t), "not-comparable" },
		{ "sum of self times against the sampled wall", s, s, total, SHEET_UNKNOWN, "agree" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(t, x, &rows[i]);
}

static void check_window(struct trial *t, enum window_kind w, const char *window)
{
	struct table *x = trial_view(t, "crosscheck", TRIAL_NONE, w, BY_NONE, "");

	if (!trial_verdict(t, x && x->n_rows, "cross-checks are there, %s", window))
		return;
	check_pair(t, x, window);
	check_inside(t, x, t->nsys, window);
	check_inside(t, x, t->torch, window);
	check_against_sampler(t, x);
	/* 7 of the pair, 9 inside each of two sources, 5 with the sampler: none that we do not know */
	trial_verdict(t, trial_equal("rows in all", x->n_rows, 30), "cross-checks are all known, %s", window);
	table_free(x);
}

void check_crosschecks(struct trial *t)
{
	check_window(t, WINDOW_STEADY, "steady");
	check_window(t, WINDOW_ALL, "all");
}
