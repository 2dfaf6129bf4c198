/*
 * stepstats.c - view `stepstats`: median, p90 and range over the steps of the window, of the
 * period and of each of its parts. The steps are the rows of the view `steps`; nothing is measured
 * here a second time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "facts/parts.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"
#include "table/get.h"

enum {
	C_WHAT,
	C_N,
	C_MEDIAN,
	C_P90,
	C_MIN,
	C_MAX,
	C_TOTAL,
	C_SHARE
};

static const struct column_def cols[] = {
	[C_WHAT] = {"quantity", N_("Part of the step"), UNIT_TEXT, COL_KEY, 0,
		    N_("the period of the step, or a part of it")},
	[C_N] = {"n", N_("Steps"), UNIT_COUNT, 0, 2, N_("steps of the window")},
	[C_MEDIAN] = {"median_ns", N_("Median"), UNIT_NS, COL_BAR, 0,
		      N_("of an even number of steps the lower of the two middle ones")},
	[C_P90] = {"p90_ns", N_("p90"), UNIT_NS, 0, 1, N_("90th percentile (nearest rank)")},
	[C_MIN] = {"min_ns", N_("Min"), UNIT_NS, 0, 3, N_("smallest")},
	[C_MAX] = {"max_ns", N_("Max"), UNIT_NS, 0, 2, N_("largest")},
	[C_TOTAL] = {"total_ns", N_("Total"), UNIT_NS, 0, 4, N_("over all steps of the window")},
	[C_SHARE] = {"share", N_("Share"), UNIT_RATIO, 0, 1, N_("of the periods")},
	SOURCE_COLS};

/* The quantities are columns of `steps`; the first is what the shares are of. */
static const struct {
	const char *column, *name;
} quantities[] = {
	{"period_ns", "period"},     {"dataload_ns", "dataload"},   {"forward_ns", "forward"},
	{"backward_ns", "backward"}, {"recompute_ns", "recompute"}, {"optimizer_ns", "optimizer"},
	{"other_ns", "other"},	     {"gpu_busy_ns", "GPU busy"},   {"dur_ns", "marker"},
};

struct values {
	VEC(ns_t) v;
};

/* Whether a row of `steps` is inside the window. */
static bool row_counts(const struct selection *k, const struct table *steps, uint32_t row)
{
	ns_t start = get_i64(steps, row, "start_ns") - k->src->shift_ns;
	ns_t period = get_i64(steps, row, "period_ns");

	return k->all || selection_clip(k, start, start + period) > 0;
}

/* The rows of the view `steps` by source and process. */
struct step_rows {
	const struct table *t;
	struct groups procs;
	struct group_index rows;
};

static void step_rows_init(struct step_rows *sr, const struct table *steps)
{
	uint32_t c_pid = steps->n_cols - 1, c_source = steps->n_cols - N_SOURCE_COLS;
	uint32_t *key = xreallocarray(NULL, steps->n_rows, sizeof(*key));

	*sr = (struct step_rows){.t = steps};
	for (uint32_t r = 0; r < steps->n_rows; r++) {
		const struct cell *source = table_cell(steps, r, c_source);

		key[r] = source->type != CELL_STR
				 ? ID_NONE
				 : groups_add(&sr->procs, &(struct group_key){
						  .k = {(uint64_t)table_cell(steps, r, c_pid)->v.i},
						  .name = source->v.s,
						  .name_len = source->len});
	}
	sr->rows = group_index_new(key, steps->n_rows, sr->procs.n);
	free(key);
}

static void step_rows_fini(struct step_rows *sr)
{
	groups_fini(&sr->procs);
	group_index_fini(&sr->rows);
}

static ns_t values_fill(struct values *x, const struct selection *k, const struct step_rows *sr,
			uint32_t col, uint32_t proc)
{
	ns_t sum = 0;

	x->v.n = 0;
	for (uint32_t i = sr->rows.first[proc]; i < sr->rows.first[proc + 1]; i++) {
		const struct cell *c = table_cell(sr->t, sr->rows.v[i], col);

		if (c->type != CELL_I64 || !row_counts(k, sr->t, sr->rows.v[i]))
			continue;
		VEC_PUSH(&x->v, c->v.i);
		sum += c->v.i;
	}
	if (x->v.n)
		i64_sort(x->v.a, x->v.n);
	return sum;
}

static void put_process(const struct selection *k, struct table *t, const struct step_rows *sr,
			int64_t pid)
{
	struct values x = {0};
	uint32_t proc = groups_find(&sr->procs, &(struct group_key){
							.k = {(uint64_t)pid},
							.name = k->src->path,
							.name_len = strlen(k->src->path)});
	ns_t periods = 0;

	if (proc == ID_NONE)
		return;
	for (size_t q = 0; q < sizeof(quantities) / sizeof(*quantities); q++) {
		ns_t sum = values_fill(
			&x, k, sr, (uint32_t)table_col(sr->t, quantities[q].column), proc);
		size_t n = x.v.n;
		uint32_t row;

		if (!n)
			continue;
		if (!q)
			periods = sum;
		row = table_row(t);
		table_cstr(t, row, C_WHAT, quantities[q].name);
		table_i64(t, row, C_N, (int64_t)n);
		table_i64(t, row, C_MEDIAN, sorted_median(x.v.a, n));
		table_i64(t, row, C_P90, sorted_p90(x.v.a, n));
		table_i64(t, row, C_MIN, x.v.a[0]);
		table_i64(t, row, C_MAX, x.v.a[n - 1]);
		table_i64(t, row, C_TOTAL, sum);
		if (periods > 0)
			table_share(t, row, C_SHARE, (double)sum, (double)periods);
		an_row_source(t, row, k, pid);
	}
	VEC_FREE(&x.v);
}

static void put_source(const struct selection *k, struct table *t, const struct step_rows *sr)
{
	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		const struct proc_facts *pf = &k->f->procs[i];

		if (!pf->n_steps)
			continue;
		if (pf->too_few && k->sc->window == WINDOW_STEADY)
			table_note(t, _("%s: too few steps for a verdict"), k->src->path);
		put_process(k, t, sr, pf->pid);
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct table *steps = analysis_table(context_view(cx, "steps"), cx, sc, e);
	struct step_rows sr;
	uint32_t n, *src;

	if (!steps)
		return false;
	step_rows_init(&sr, steps);
	src = view_sources(cx, sc, NEED_ANY, &n, t);
	for (uint32_t i = 0; i < n; i++) {
		struct selection k;

		if (!cx->facts[src[i]]->n_steps || !selection_init(&k, cx, sc, src[i], NULL))
			continue;
		selection_describe(&k, t);
		put_source(&k, t, &sr);
		selection_fini(&k);
	}
	if (!t->n_rows)
		table_note(t, _("no step markers (ProfilerStep, NVTX step_N, optimizer calls): the "
				"whole capture is one window"));
	free(src);
	step_rows_fini(&sr);
	table_free(steps);
	return true;
}

const struct analysis an_stepstats = {
	.id = "stepstats",
	.title = N_("Step statistics"),
	.doc = N_("median, p90 and range of the steps of the window and of their parts"),
	.cols = cols,
	.n_cols = N_COLS(cols),
	.run = run,
};
