/* skew.c - view `skew`: the collectives that several ranks share, one row each: who arrived first and last, what that cost all others */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_KIND, C_STEP, C_K, C_RANKS, C_BYTES, C_FIRST, C_LAST, C_SKEW, C_WAIT, C_TRANSFER, C_KERNEL, C_BUSBW, C_UNC, C_AT, C_BY, C_GROUP,
	C_MEMBERS };

static const struct column_def cols[] = {
	[C_KIND] = { "collective", N_("Collective"), UNIT_TEXT, COL_KEY, 0, N_("what the ranks do together") },
	[C_STEP] = { "step", N_("Step"), UNIT_ID, COL_KEY, 1, N_("number of the step that launched it") },
	[C_K] = { "k", N_("No."), UNIT_ID, COL_KEY, 2, N_("which of its kind and group in the step, from 0; matched by ends: in the file") },
	[C_RANKS] = { "ranks", N_("Ranks"), UNIT_COUNT, 0, 3, N_("ranks that are matched in it") },
	[C_BYTES] = { "bytes", N_("Size"), UNIT_BYTES, 0, 3, N_("the larger of what a rank gives and gets, of the largest rank") },
	[C_FIRST] = { "first_rank", N_("First"), UNIT_ID, 0, 2, N_("rank that arrived first; none: nearer to the next than the clocks are known") },
	[C_LAST] = { "last_rank", N_("Last rank"), UNIT_ID, 0, 0, N_("rank that arrived last; none: nearer to the one before than the clocks are known") },
	[C_SKEW] = { "skew_ns", N_("Skew"), UNIT_NS, COL_BAR, 0, N_("from the first arrival to the last") },
	[C_WAIT] = { "wait_sum_ns", N_("Waits"), UNIT_NS, COL_BAR, 0, N_("sum over the ranks of the time until the last arrived") },
	[C_TRANSFER] = { "transfer_ns", N_("Transfer"), UNIT_NS, 0, 1, N_("from the last arrival to the end: median over the ranks") },
	[C_KERNEL] = { "kernel_ns", N_("Kernels"), UNIT_NS, 0, 4, N_("sum over the ranks of the kernels: waits and transfers") },
	[C_BUSBW] = { "busbw_gbps", N_("Bus rate"), UNIT_GBPS, 0, 3, N_("bytes over each rank's link by the transfer") },
	[C_UNC] = { "clock_unc_ns", N_("±"), UNIT_NS, 0, 5, N_("uncertainty of the clocks of its ranks") },
	[C_AT] = { "last_ns", N_("At"), UNIT_TIME, 0, 4, N_("the last arrival, from that of the first collective on") },
	[C_BY] = { "matched_by", N_("Matched by"), UNIT_TEXT, 0, 6, N_("order: the order of the calls; ends: kernels that end together") },
	[C_GROUP] = { "group", N_("Group"), UNIT_TEXT, 0, 5, N_("name of the process group") },
	[C_MEMBERS] = { "members", N_("Members"), UNIT_TEXT, 0, 7, N_("ranks of the group") },
};

/* Bytes over the link of each rank by those of the message, with n ranks; 0: not known for this kind. */
static double bus_factor(const char *kind, double n)
{
	if (!strcmp(kind, "AllReduce"))
		return 2 * (n - 1) / n;
	if (!strcmp(kind, "AllGather") || !strcmp(kind, "ReduceScatter") || !strcmp(kind, "AllToAll"))
		return (n - 1) / n;
	return !strcmp(kind, "Broadcast") || !strcmp(kind, "Reduce") ? 1 : 0;
}

static void put_rank(const struct rank_run *r, struct table *t, uint32_t row, uint32_t col, uint32_t rank)
{
	if (rank != ID_NONE)
		table_i64(t, row, col, r->ranks[rank].rank);
}

static void put_group(struct table *t, uint32_t row, const struct rank_group *g)
{
	table_cstr(t, row, C_KIND, g->kind);
	table_cstr(t, row, C_BY, g->how == RANK_MATCH_ENDS ? "ends" : "order");
	if (*g->name)
		table_cstr(t, row, C_GROUP, g->name);
	if (*g->members)
		table_cstr(t, row, C_MEMBERS, g->members);
}

static ns_t kernel_time(const struct rank_run *r, const struct rank_instance *in)
{
	ns_t sum = 0;

	for (uint32_t i = in->first; i < in->first + in->n; i++)
		sum += r->arrivals[i].end - r->arrivals[i].start;
	return sum;
}

static void put(const struct rank_run *r, const struct rank_instance *in, ns_t zero, struct table *t)
{
	const struct rank_group *g = &r->groups[in->group];
	uint32_t row = table_row(t);
	double factor = bus_factor(g->kind, (double)(g->size > 0 ? g->size : in->n));

	put_group(t, row, g);
	if (in->step != SPLIT_NONE)
		table_i64(t, row, C_STEP, in->step);
	table_i64(t, row, C_K, in->k);
	table_i64(t, row, C_RANKS, in->n);
	if (in->bytes >= 0)
		table_i64(t, row, C_BYTES, in->bytes);
	put_rank(r, t, row, C_FIRST, in->first_rank);
	put_rank(r, t, row, C_LAST, in->last_rank);
	table_i64(t, row, C_SKEW, in->skew);
	table_i64(t, row, C_WAIT, in->wait);
	table_i64(t, row, C_TRANSFER, in->transfer);
	table_i64(t, row, C_KERNEL, kernel_time(r, in));
	if (in->bytes >= 0 && in->transfer > 0 && factor > 0)
		table_f64(t, row, C_BUSBW, factor * (double)in->bytes / (double)in->transfer);
	table_i64(t, row, C_UNC, in->unc_ns);
	table_i64(t, row, C_AT, in->last_ns - zero);
}

static bool concerns(const struct rank_run *r, const struct scope *sc, const struct rank_instance *in)
{
	for (uint32_t i = 0; i < in->n; i++)
		if (rank_shown(sc, &r->ranks[r->arrivals[in->first + i].rank]))
			return true;
	return false;
}

static int by_time(const void *pa, const void *pb)
{
	const struct rank_instance *a = pa, *b = pb;

	return a->last_ns != b->last_ns ? (a->last_ns > b->last_ns) - (a->last_ns < b->last_ns) : (a->first > b->first) - (a->first < b->first);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct rank_run *r = rank_run_new(cx, sc, t, e);

	if (!r)
		return false;
	if (r->n_instances)
		qsort(r->instances, r->n_instances, sizeof(*r->instances), by_time);
	for (uint32_t i = 0; i < r->n_instances; i++)
		if (r->instances[i].in && concerns(r, sc, &r->instances[i]))
			put(r, &r->instances[i], r->instances[0].last_ns, t);
	rank_run_free(r);
	return true;
}

const struct analysis an_skew = {
	.id = "skew", .title = N_("Skew"), .doc = N_("collectives of several ranks: who arrives last, how long the others wait, real transfer"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
