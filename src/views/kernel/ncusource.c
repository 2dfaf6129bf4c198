/*
 * ncusource.c - view `ncusource`: figures of each instruction of a profiled launch, by its offset in the function
 *
 * A report has no disassembly as text; an instruction is told by its address less that of the function. What was counted for the
 * function is 0 for an instruction that the report does not list under it; what was not counted is missing. Instructions that no metric
 * lists (never executed) have no row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "views/kernel/common.h"

/* R(NAME, how the metric of samples spells it) */
/* clang-format off */
#define REASONS(R) \
	R(barrier, "barrier") \
	R(branch_resolving, "branch_resolving") \
	R(dispatch_stall, "dispatch_stall") \
	R(drain, "drain") \
	R(gmma, "gmma") \
	R(imc_miss, "imc_miss") \
	R(lg_throttle, "lg_throttle") \
	R(long_scoreboard, "long_scoreboard") \
	R(math_pipe_throttle, "math_pipe_throttle") \
	R(membar, "membar") \
	R(mio_throttle, "mio_throttle") \
	R(misc, "misc") \
	R(no_instruction, "no_instructions") \
	R(not_selected, "not_selected") \
	R(selected, "selected") \
	R(short_scoreboard, "short_scoreboard") \
	R(sleeping, "sleeping") \
	R(tex_throttle, "tex_throttle") \
	R(wait, "wait")
/* clang-format on */

enum {
	C_ID, C_OFFSET, C_SAMPLES, C_NOT_ISSUED, C_EXECUTED, C_THREADS, C_THREADS_ON, C_DIVERGENT,
#define R(name, metric) C_##name,
	REASONS(R)
#undef R
#define R(name, metric) C_##name##_not_issued,
	REASONS(R)
#undef R
	C_END
};

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_OFFSET] = { "offset", N_("Offset"), UNIT_ID, COL_KEY, 0, N_("bytes from the beginning of the function to the instruction") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, COL_BAR, 0, N_("samples of warps at this instruction") },
	[C_NOT_ISSUED] = { "samples_not_issued", N_("Not issued"), UNIT_COUNT, 0, 1, N_("of them in cycles in which the scheduler issued nothing") },
	[C_EXECUTED] = { "executed", N_("Executed"), UNIT_COUNT, 0, 1, N_("times that a warp executed it") },
	[C_THREADS] = { "threads", N_("Threads"), UNIT_COUNT, 0, 2, N_("threads of these warps that were active") },
	[C_THREADS_ON] = { "threads_on", N_("Not masked"), UNIT_COUNT, 0, 3, N_("of them not predicated off") },
	[C_DIVERGENT] = { "divergent", N_("Divergent"), UNIT_COUNT, 0, 3, N_("branches on which the threads of a warp parted") },
#define R(name, metric) [C_##name] = { "stall_" #name, "stall_" #name, UNIT_COUNT, COL_JSON_ONLY | COL_VERBATIM, 9, \
		N_("samples of warps that waited here for this reason") },
	REASONS(R)
#undef R
#define R(name, metric) [C_##name##_not_issued] = { "stall_" #name "_not_issued", "stall_" #name "_not_issued", UNIT_COUNT, \
		COL_JSON_ONLY | COL_VERBATIM, 9, N_("the same, in cycles in which the scheduler issued nothing") },
	REASONS(R)
#undef R
	SOURCE_COLS
};

/* The metric of a column; samples and samples_not_issued are sums. */
static const struct { const char *name; uint16_t col, sum; } metrics[] = {
	{ "inst_executed", C_EXECUTED, 0 }, { "thread_inst_executed", C_THREADS, 0 }, { "thread_inst_executed_true", C_THREADS_ON, 0 },
	{ "smsp__branch_targets_threads_divergent", C_DIVERGENT, 0 },
#define R(name, metric) { "smsp__pcsamp_warps_issue_stalled_" metric, C_##name, C_SAMPLES }, \
	{ "smsp__pcsamp_warps_issue_stalled_" metric "_not_issued", C_##name##_not_issued, C_NOT_ISSUED },
	REASONS(R)
#undef R
};
#define N_METRICS (sizeof(metrics) / sizeof(*metrics))

typedef VEC(uint64_t) addresses;

static int address_cmp(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return (a > b) - (a < b);
}

/* All addresses that any of the metrics has, each once, in order. */
static void gather(addresses *to, const struct launch *x, const struct kernel_metric *const m[])
{
	size_t n = 0;

	for (size_t k = 0; k < N_METRICS; k++)
		for (uint32_t i = 0; m[k] && i < m[k]->n_instances; i++) {
			const struct metric_instance *at = &x->p->reports.instances[m[k]->first_instance + i];

			if (at->at_kind == METRIC_WHOLE)
				VEC_PUSH(to, at->at);
		}
	if (to->n)
		qsort(to->a, to->n, sizeof(*to->a), address_cmp);
	for (size_t i = 0; i < to->n; i++)
		if (!i || to->a[i] != to->a[n - 1])
			to->a[n++] = to->a[i];
	to->n = n;
}

static void add_to(struct table *t, uint32_t row, uint32_t col, int64_t v)
{
	const struct cell *c = table_cell(t, row, col);
	int64_t sum = 0;

	if (!__builtin_add_overflow(c->type == CELL_I64 ? c->v.i : 0, v, &sum))
		table_i64(t, row, col, sum);
}

/* Rows that a metric says nothing of keep 0: it was measured for all of them. */
static void put_metric(const struct launch *x, struct table *t, const addresses *at, uint32_t first, const struct kernel_metric *m, size_t k)
{
	for (uint32_t row = first; row < first + at->n; row++) {
		table_i64(t, row, metrics[k].col, 0);
		if (metrics[k].sum)
			add_to(t, row, metrics[k].sum, 0);
	}
	for (uint32_t i = 0; i < m->n_instances; i++) {
		const struct metric_instance *in = &x->p->reports.instances[m->first_instance + i];
		const uint64_t *found;
		uint32_t row;

		if (in->at_kind != METRIC_WHOLE || in->kind != METRIC_WHOLE || in->bits > INT64_MAX)
			continue;
		found = bsearch(&in->at, at->a, at->n, sizeof(*at->a), address_cmp);
		row = first + (uint32_t)(found - at->a);
		table_i64(t, row, metrics[k].col, (int64_t)in->bits);
		if (metrics[k].sum)
			add_to(t, row, metrics[k].sum, (int64_t)in->bits);
	}
}

static void add(const struct launch *x, struct table *t, void *arg)
{
	const struct kernel_metric *m[N_METRICS], *pcs = launch_metric(x->p, x->l, "launch__function_pcs");
	double begin = pcs ? metric_number((enum metric_kind)pcs->kind, pcs->bits) : NAN;
	addresses at = { 0 };
	uint32_t first = t->n_rows;
	uint64_t base;

	(void)arg;
	for (size_t k = 0; k < N_METRICS; k++)
		m[k] = launch_metric(x->p, x->l, metrics[k].name);
	gather(&at, x, m);
	base = at.n && begin >= 0 && begin <= (double)at.a[0] ? (uint64_t)begin : at.n ? at.a[0] : 0;
	for (size_t i = 0; i < at.n; i++)
		table_i64(t, launch_row(t, x), C_OFFSET, (int64_t)((at.a[i] - base) & INT64_MAX));
	for (size_t k = 0; k < N_METRICS; k++)
		if (m[k] && at.n)
			put_metric(x, t, &at, first, m[k], k);
	VEC_FREE(&at);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	if (!launches_walk(cx, sc, t, add, NULL, e))
		return false;
	if (!t->n_rows && t->n_sources)
		table_note(t, "%s", _("the reports hold no figures of instructions (profile with --set full or --section SourceCounters)"));
	return true;
}

const struct analysis an_ncusource = {
	.id = "ncusource", .title = N_("Instructions of kernels"), .doc = N_("samples, executions and stalls of each instruction of a profiled launch"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
