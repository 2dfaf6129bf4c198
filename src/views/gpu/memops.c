/*
 * memops.c - view `memops`: memory operations by direction, memory sets among them: durations as cuda_gpu_mem_time_sum and sizes as
 * cuda_gpu_mem_size_sum of `nsys stats`. The view `memcpy` tells the memory kinds of both ends, and what is hidden.
 */
#include <stdlib.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

#define MEMSET COPY_KIND_N

enum { C_KIND, C_COUNT, C_TOTAL, C_STATS, C_SHARE = C_STATS + N_STAT_COLS, C_BYTES, C_AVG_BYTES, C_MEDIAN_BYTES, C_MIN_BYTES, C_MAX_BYTES,
	C_STDDEV_BYTES, C_GBPS, C_BY };

static const struct column_def cols[] = {
	[C_KIND] = { "operation", N_("Operation"), UNIT_TEXT, COL_KEY, 0, N_("direction of the copy, as in the view memcpy, or memset") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("how many") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of the durations on the device") },
	STAT_COLS(3),
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 2, N_("of the sum of all rows: not of the wall time") },
	[C_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, 0, 0, N_("bytes moved or set") },
	[C_AVG_BYTES] = { "avg_bytes", N_("Mean size"), UNIT_BYTES, 0, 4, N_("bytes of one on average") },
	[C_MEDIAN_BYTES] = { "median_bytes", N_("Median"), UNIT_BYTES, 0, 4, N_("median of the sizes (mean of the two middle ones)") },
	[C_MIN_BYTES] = { "min_bytes", N_("Smallest"), UNIT_BYTES, 0, 5, N_("smallest") },
	[C_MAX_BYTES] = { "max_bytes", N_("Largest"), UNIT_BYTES, 0, 5, N_("largest") },
	[C_STDDEV_BYTES] = { "stddev_bytes", N_("StdDev"), UNIT_BYTES, 0, 7, N_("standard deviation of the sizes (n - 1)") },
	[C_GBPS] = { "gbps", N_("Rate"), UNIT_GBPS, 0, 2, N_("bytes by time") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct acc {
	struct stats durs, sizes;
	int64_t split, source, pid;
	uint32_t kind;
	bool unsized;		/* of some the size is unknown: then of the row */
};
struct view {
	const struct picks *ps;
	struct groups groups;
	VEC(struct acc) acc;
	ns_t total;
};

static void add(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	struct view *v = arg;
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : NULL;
	uint32_t kind = tr->layer == LAYER_MEMSET ? MEMSET : cd ? cd->kind : COPY_UNKNOWN, pick = (uint32_t)(k - v->ps->a);
	int64_t split = split_gpu(k, tr, e);
	uint32_t g = groups_add(&v->groups, &(struct group_key){ .k = { kind, (uint64_t)split, k->sc->by == BY_ALL ? 0 : pick } });
	struct acc *a;

	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .kind = kind });
	a = &v->acc.a[g];
	owner_add(&a->source, pick);
	owner_add(&a->pid, gpu_pid(k, tr, e));
	stats_add(&a->durs, k->p->dur[e]);
	v->total += k->p->dur[e];
	if (cd && cd->bytes != I64_UNKNOWN)
		stats_add(&a->sizes, cd->bytes);
	else
		a->unsized = true;
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;

	return (x->durs.total < y->durs.total) - (x->durs.total > y->durs.total);
}

static void put_sizes(struct table *t, uint32_t row, struct acc *a)
{
	if (a->unsized)
		return;
	table_i64(t, row, C_BYTES, a->sizes.total);
	table_f64(t, row, C_AVG_BYTES, stats_mean(&a->sizes));
	table_f64(t, row, C_MEDIAN_BYTES, stats_median(&a->sizes));
	table_i64(t, row, C_MIN_BYTES, a->sizes.min);
	table_i64(t, row, C_MAX_BYTES, a->sizes.max);
	table_f64(t, row, C_STDDEV_BYTES, stats_stddev(&a->sizes));
	if (a->durs.total)
		table_f64(t, row, C_GBPS, (double)a->sizes.total / (double)a->durs.total);
}

static void put(const struct view *v, struct table *t, struct acc *a)
{
	const struct pick *k = &v->ps->a[a->source == OWNER_MIXED ? 0 : a->source];
	uint32_t row = table_row(t);

	table_cstr(t, row, C_KIND, a->kind == MEMSET ? "memset" : copy_kind_name((enum copy_kind)a->kind));
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	table_i64(t, row, C_TOTAL, a->durs.total);
	stats_put(t, row, C_STATS, &a->durs);
	if (v->total)
		table_share(t, row, C_SHARE, (double)a->durs.total, (double)v->total);
	put_sizes(t, row, a);
	split_set(t, row, C_BY, k, a->split);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);
	uint32_t *order;

	for (uint32_t i = 0; ok && i < ps.n; i++)
		ok = picks_gpu(&ps.a[i], LAYER_MEMCPY, add, &v, e) && picks_gpu(&ps.a[i], LAYER_MEMSET, add, &v, e);
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	free(order);
	for (size_t i = 0; i < v.acc.n; i++) {
		stats_fini(&v.acc.a[i].durs);
		stats_fini(&v.acc.a[i].sizes);
	}
	VEC_FREE(&v.acc);
	groups_fini(&v.groups);
	if (ok && ps.n && !t->n_rows)
		table_note(t, _("neither copies nor memory sets in the window"));
	picks_close(&ps);
	return ok;
}

const struct analysis an_memops = {
	.id = "memops", .title = N_("Memory operations"), .doc = N_("copies by direction and memory sets: statistics of times and sizes"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
