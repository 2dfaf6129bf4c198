/*
 * memops.c - view `memops`: memory operations by direction, memory sets among them: durations as cuda_gpu_mem_time_sum and sizes as
 * cuda_gpu_mem_size_sum of `nsys stats`. The view `memcpy` tells the memory kinds of both ends, and what is hidden.
 */
#include "measure/tally.h"
#include "scope/analysis.h"

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

struct memops_acc {
	struct tally_row row;
	struct stats sizes;
	uint32_t kind;
	bool unsized;		/* of some the size is unknown: then of the row */
};

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : NULL;
	uint32_t kind = tr->layer == LAYER_MEMSET ? MEMSET : cd ? cd->kind : COPY_UNKNOWN;
	struct memops_acc *a = tally_gpu(view, k, tr, e, TALLY_KEY(kind));

	a->kind = kind;
	stats_add(&a->row.durs, k->p->dur[e]);
	if (cd && cd->bytes != I64_UNKNOWN)
		stats_add(&a->sizes, cd->bytes);
	else
		a->unsized = true;
}

static void put_sizes(struct table *t, uint32_t row, struct memops_acc *a)
{
	if (a->unsized)
		return;
	table_i64(t, row, C_BYTES, a->sizes.total);
	table_f64(t, row, C_AVG_BYTES, stats_mean(&a->sizes));
	table_f64(t, row, C_MEDIAN_BYTES, stats_median(&a->sizes));
	table_i64(t, row, C_MIN_BYTES, a->sizes.min);
	table_i64(t, row, C_MAX_BYTES, a->sizes.max);
	table_f64(t, row, C_STDDEV_BYTES, stats_stddev(&a->sizes));
	if (a->row.durs.total)
		table_f64(t, row, C_GBPS, (double)a->sizes.total / (double)a->row.durs.total);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct memops_acc *a = acc;

	table_cstr(t, row, C_KIND, a->kind == MEMSET ? "memset" : copy_kind_name((enum copy_kind)a->kind));
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_share(t, row, C_SHARE, (double)a->row.durs.total, (double)y->total);
	put_sizes(t, row, a);
}

static void row_fini(void *acc)
{
	stats_fini(&((struct memops_acc *)acc)->sizes);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK,
	.empty = N_("neither copies nor memory sets in the window"),
	.layers = 1U << LAYER_MEMCPY | 1U << LAYER_MEMSET, .add = add,
	.row_size = sizeof(struct memops_acc), .put = put, .row_fini = row_fini,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct tally y = { .how = &how };

	return tally_run(&y, cx, sc, t, e);
}

const struct analysis an_memops = {
	.id = "memops", .title = N_("Memory operations"), .doc = N_("copies by direction and memory sets: statistics of times and sizes"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
