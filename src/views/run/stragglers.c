/* stragglers.c - view `stragglers`: ranks that others waited for, the most costly first, and what made them late (ranks/ranks.h) */
#include <stdlib.h>

#include "calc/groups.h"
#include "ranks/ranks.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_RANK, C_FOR, C_PER_STEP, C_LAST, C_COUNT, C_CAUSE, C_MORE, C_LATE, C_LOOKED, C_KERNEL_MORE, C_KERNEL, C_SOURCE };

static const struct column_def cols[] = {
	[C_RANK] = { "rank", N_("Rank"), UNIT_ID, COL_KEY, 0, N_("rank of the process in the run") },
	[C_FOR] = { "waited_for_ns", N_("Waited for"), UNIT_NS, COL_BAR, 0, N_("sum of the waits of the others where it certainly came last") },
	[C_PER_STEP] = { "per_step_ns", N_("Per step"), UNIT_NS, 0, 1, N_("of it, per step of the window") },
	[C_LAST] = { "last_share", N_("Last"), UNIT_RATIO, 0, 0, N_("share of its collectives in which it certainly came last") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 3, N_("collectives in which it certainly came last") },
	[C_CAUSE] = { "cause", N_("More of"), UNIT_TEXT, 0, 0,
		N_("what it did longest beyond the median rank on its way there; none: nothing makes up a quarter of the lateness") },
	[C_MORE] = { "more_ns", N_("More"), UNIT_NS, 0, 1, N_("how much longer than the median rank, summed") },
	[C_LATE] = { "late_ns", N_("Late"), UNIT_NS, 0, 2, N_("how much later it came than the median rank, summed") },
	[C_LOOKED] = { "looked_at", N_("Of"), UNIT_COUNT, 0, 5,
		N_("collectives for which it is known where the way to them begins: behind the previous one, or with the step") },
	[C_KERNEL_MORE] = { "kernel_more_ns", N_("Kernel more"), UNIT_NS, 0, 3, N_("how much longer the kernel ran than on the rank in the middle, summed") },
	[C_KERNEL] = { "kernel", N_("Kernel"), UNIT_TEXT, COL_NAME, 3, N_("with more compute: the kernel that ran most longer") },
	[C_SOURCE] = { "source", N_("Source"), UNIT_TEXT, 0, 6, N_("file that the figures come from") },
};

static void put_cause(const struct selection *k, const struct rank_cause *c, struct table *t, uint32_t row)
{
	table_i64(t, row, C_LOOKED, c->instances);
	if (!c->instances)
		return;
	table_i64(t, row, C_LATE, c->late_ns);
	if (c->leaf < 0)
		return;
	table_cstr(t, row, C_CAUSE, rank_leaf_name(c->leaf));
	table_i64(t, row, C_MORE, c->more_ns[c->leaf]);
	if (c->kernel != ID_NONE) {
		table_i64(t, row, C_KERNEL_MORE, c->kernel_more_ns);
		an_str(t, row, C_KERNEL, k, c->kernel);
	}
}

static void put(const struct rank_run *r, uint32_t i, const struct rank_cause *c, struct table *t)
{
	const struct rank_source *rs = &r->ranks[i];
	const struct selection *k = rank_pick(r, i);
	uint32_t row = table_row(t), steps = selection_n_steps(k);

	table_i64(t, row, C_RANK, rs->rank);
	table_i64(t, row, C_FOR, rs->waited_for_ns);
	if (steps)
		table_i64(t, row, C_PER_STEP, rs->waited_for_ns / steps);
	table_share(t, row, C_LAST, rs->last, rs->instances);
	table_i64(t, row, C_COUNT, rs->last);
	put_cause(k, c, t, row);
	table_cstr(t, row, C_SOURCE, k->src->path);
	an_ref(t, row, REF_SOURCE, k->f->source, 0, 0, C_SOURCE);
}

static int worst_first(uint32_t a, uint32_t b, const void *arg)
{
	const struct rank_source *ranks = arg;

	return (ranks[a].waited_for_ns < ranks[b].waited_for_ns) - (ranks[a].waited_for_ns > ranks[b].waited_for_ns);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct rank_run *r = rank_run_new(cx, sc, t, e);
	struct rank_cause *causes;
	uint32_t *order;

	if (!r)
		return false;
	causes = rank_causes(r);
	order = groups_order(r->n_ranks, worst_first, r->ranks);
	for (uint32_t i = 0; i < r->n_ranks; i++)
		if (r->ranks[order[i]].last && rank_shown(sc, &r->ranks[order[i]]))
			put(r, order[i], &causes[order[i]], t);
	if (r->n_instances && !t->n_rows)
		table_note(t, "%s", _("no rank certainly came last in a collective of the window"));
	free(order);
	free(causes);
	rank_run_free(r);
	return true;
}

const struct analysis an_stragglers = {
	.id = "stragglers", .title = N_("Stragglers"), .doc = N_("ranks that others wait for, and what they do longer than the others before"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
