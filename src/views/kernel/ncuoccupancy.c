/*
 * ncuoccupancy.c - view `ncuoccupancy`: the limits of a launch's occupancy, and the report's curves of what it would be with more or
 * fewer registers, threads of a block, or shared memory
 */
#include <math.h>

#include "views/kernel/limits.h"

enum { C_ID, C_WHAT, C_X, C_BLOCKS, C_WARPS, C_LIMITER };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_WHAT] = { "what", N_("What"), UNIT_TEXT, COL_KEY | COL_NAME, 0,
		N_("a limit (registers, smem, warps, blocks, barriers), or a point of a curve (by-registers, by-block, by-smem)") },
	[C_X] = { "x", N_("Amount"), UNIT_COUNT, COL_KEY, 0, N_("registers of a thread, bytes of shared memory or warps of a block that the launch asks for; of a curve: those asked about") },
	[C_BLOCKS] = { "blocks", N_("Blocks"), UNIT_COUNT, 0, 0, N_("blocks that a multiprocessor holds at once by this") },
	[C_WARPS] = { "warps", N_("Warps"), UNIT_COUNT, 0, 0, N_("warps of these blocks") },
	[C_LIMITER] = { "limiter", N_("Limiter"), UNIT_BOOL, 0, 1, N_("whether it is the least of the limits: what bounds the occupancy") },
	SOURCE_COLS
};

static void add_limit(const struct launch *x, struct table *t, const struct limits *s, enum limit_kind k)
{
	static const char *const amounts[LIMIT_N] = { "launch__registers_per_thread", NULL, NULL, NULL, "launch__barrier_count" };
	uint32_t row = launch_row(t, x);
	double amount = NAN;

	if (amounts[k])
		amount = launch_number(x->p, x->l, amounts[k]);
	else if (k == LIMIT_SMEM)
		amount = launch_number(x->p, x->l, "launch__shared_mem_per_block_static") +
			launch_number(x->p, x->l, "launch__shared_mem_per_block_dynamic");
	else if (k == LIMIT_WARPS)
		amount = s->block_warps;
	table_cstr(t, row, C_WHAT, limit_name(k));
	whole_cell(t, row, C_X, amount);
	whole_cell(t, row, C_BLOCKS, s->blocks[k]);
	whole_cell(t, row, C_WARPS, s->blocks[k] * s->block_warps);
	table_bool(t, row, C_LIMITER, s->blocks[k] <= s->least);
}

static void add_curve(const struct launch *x, struct table *t, const struct limits *s, const char *what, const char *metric, bool of_block)
{
	const struct kernel_metric *m = launch_metric(x->p, x->l, metric);

	for (uint32_t i = 0; m && i < m->n_instances; i++) {
		const struct metric_instance *at = &x->p->reports.instances[m->first_instance + i];
		double amount = metric_number((enum metric_kind)at->at_kind, at->at), warps = metric_number((enum metric_kind)at->kind, at->bits);
		uint32_t row = launch_row(t, x);

		table_cstr(t, row, C_WHAT, what);
		whole_cell(t, row, C_X, amount);
		whole_cell(t, row, C_BLOCKS, warps / (of_block ? ceil(amount / 32) : s->block_warps));
		whole_cell(t, row, C_WARPS, warps);
	}
}

static void add(const struct launch *x, struct table *t, void *arg)
{
	struct limits s;

	(void)arg;
	limits_of(&s, x);
	for (unsigned k = 0; k < LIMIT_N; k++)
		if (isfinite(s.blocks[k]))
			add_limit(x, t, &s, (enum limit_kind)k);
	add_curve(x, t, &s, "by-registers", "launch__occupancy_per_register_count", false);
	add_curve(x, t, &s, "by-block", "launch__occupancy_per_block_size", true);
	add_curve(x, t, &s, "by-smem", "launch__occupancy_per_shared_mem_size", false);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return launches_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_ncuoccupancy = {
	.id = "ncuoccupancy", .title = N_("Occupancy of kernels"),
	.doc = N_("what limits the occupancy of a profiled launch, and what it would be with other registers, blocks or shared memory"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
