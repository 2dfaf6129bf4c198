/* memcpy.c - views `memcpy` (per kind and memory kinds of both ends) and `memset` (per device), definitions.md §6 */
#include "measure/device_state.h"
#include "measure/tally.h"
#include "scope/analysis.h"

/* The figures that both tables end with, as offsets from F_COUNT */
enum { F_COUNT, F_BYTES, F_TIME, F_BUSY, F_STEP, F_GBPS, F_OVERLAP, F_EXPOSED, F_AVG, F_UNSIZED, F_HIDDEN, F_STATS, F_BY = F_STATS + N_STAT_COLS };
/* clang-format off */
#define FIGURE_COLS \
	{ "count", N_("Count"), UNIT_COUNT, 0, 2, N_("how many") }, \
	{ "bytes", N_("Bytes"), UNIT_BYTES, 0, 0, \
		N_("bytes moved or set, of those that say how many") }, \
	{ "time_ns", N_("Time"), UNIT_NS, COL_BAR, 0, N_("sum of the durations on the device") }, \
	{ "busy_ns", N_("Busy"), UNIT_NS, 0, 4, \
		N_("time in which at least one of them runs, per device") }, \
	{ "bytes_per_step", N_("Per step"), UNIT_BYTES, 0, 1, \
		N_("bytes by the number of steps in the window") }, \
	{ "gbps", N_("Rate"), UNIT_GBPS, 0, 1, \
		N_("bytes by the time of those that say how many") }, \
	{ "overlap", N_("Hidden"), UNIT_RATIO, 0, 3, \
		N_("share of the busy time that compute or communication on the same device " \
		   "covers: the rest is exposed") }, \
	{ "exposed_ns", N_("Exposed"), UNIT_NS, 0, 2, \
		N_("busy time with neither compute nor communication on the device") }, \
	{ "avg_bytes", N_("Mean size"), UNIT_BYTES, 0, 5, N_("bytes of one on average") }, \
	{ "unsized", N_("Unsized"), UNIT_COUNT, 0, 5, \
		N_("of the count, those that do not say how many bytes") }, \
	{ "hidden_compute_ns", N_("By compute"), UNIT_NS, 0, 3, \
		N_("busy time that compute alone on the same device covers") }, \
	STAT_COLS(5), \
	SPLIT_COL("")
/* clang-format on */

enum { C_KIND, C_SRC, C_DST, C_FIGURES };

static const struct column_def copy_cols[] = {
	[C_KIND] = { "kind", N_("Kind"), UNIT_TEXT, COL_KEY, 0, N_("direction: H host, D device, P peer, A array, UVM unified-memory migration") },
	[C_SRC] = { "src", N_("From"), UNIT_TEXT, COL_KEY, 1, N_("memory kind of the source") },
	[C_DST] = { "dst", N_("To"), UNIT_TEXT, COL_KEY, 1, N_("memory kind of the destination") },
	FIGURE_COLS,
	SOURCE_COLS
};

enum { S_DEVICE, S_FIGURES };

static const struct column_def set_cols[] = {
	[S_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device in the file") },
	FIGURE_COLS,
	SOURCE_COLS
};

/* One row */
struct memcpy_acc {
	struct tally_row row;		/* its durs: of all of them */
	struct copy_detail what;	/* kinds of all of them (memcpy) */
	int64_t device;			/* memset */
	int64_t bytes;			/* of those that say how many */
	int64_t unsized;		/* those that do not */
	ns_t sized_time;		/* of those that do */
	struct gpu_cover cover;
	uint32_t steps;
	const struct selection *of;		/* whose copy or set is the longest */
	ev_id longest;
};
struct memcpy_view {
	struct tally y;
	struct gpu_parts parts;
};

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	static const struct copy_detail unknown = { .bytes = I64_UNKNOWN, .kind = COPY_UNKNOWN, .src = MEM_UNKNOWN, .dst = MEM_UNKNOWN };
	struct memcpy_view *v = view;
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : &unknown;
	struct memcpy_acc *a = tally_gpu(&v->y, k, tr, e, TALLY_KEY(tr->layer == LAYER_MEMSET ? (uint64_t)tr->device :
		((uint64_t)cd->kind << 16 | (uint64_t)cd->src << 8 | cd->dst)));

	if (a->row.n == 1) {
		a->what = *cd;
		a->device = tr->device;
	}
	if (a->row.n == 1 || k->p->dur[e] > a->row.durs.max) {
		a->of = k;
		a->longest = e;
	}
	stats_add(&a->row.durs, k->p->dur[e]);
	if (cd->bytes == I64_UNKNOWN) {
		a->unsized++;
	} else {
		a->bytes += cd->bytes;
		a->sized_time += k->p->dur[e];
	}
	gpu_parts_add(&v->parts, tally_index(&v->y, a), k, tr->device, k->p->start[e], ev_end(k->p, e));
}

static void finish_part(struct memcpy_view *v, struct gpu_part *part)
{
	struct memcpy_acc *a = tally_at(&v->y, part->row);
	uint32_t steps = part->k->sc->by == BY_STEP ? a->row.by != SPLIT_NONE : selection_n_steps(part->k);

	a->steps = steps > a->steps ? steps : a->steps;
	gpu_part_cover(&a->cover, part);
}

/* Source, split, then longest first. */
static int acc_cmp(const void *pa, const void *pb)
{
	const struct memcpy_acc *a = pa, *b = pb;
	int c = tally_cmp_place(&a->row, &b->row);

	return c ? c : tally_cmp_down(a->row.durs.total, b->row.durs.total);
}

/* Columns from `col` (count) on; the figures in bytes are of those whose size is known, and unknown where none is. */
static void put_figures(struct table *t, uint32_t row, uint32_t col, struct memcpy_acc *a)
{
	int64_t sized = (int64_t)a->row.n - a->unsized;

	tally_put_durs(t, row, col + F_COUNT, col + F_TIME, col + F_STATS, &a->row);
	if (sized)
		table_i64(t, row, col + F_BYTES, a->bytes);
	table_i64(t, row, col + F_BUSY, a->cover.busy);
	if (sized && a->steps)
		table_i64(t, row, col + F_STEP, (a->bytes + a->steps / 2) / a->steps);
	if (sized && a->sized_time)
		table_f64(t, row, col + F_GBPS, (double)a->bytes / (double)a->sized_time);
	if (a->cover.busy)
		table_f64(t, row, col + F_OVERLAP, (double)(a->cover.busy - a->cover.bare) / (double)a->cover.busy);
	table_i64(t, row, col + F_EXPOSED, a->cover.bare);
	if (sized)
		table_f64(t, row, col + F_AVG, (double)a->bytes / (double)sized);
	table_i64(t, row, col + F_UNSIZED, a->unsized);
	table_i64(t, row, col + F_HIDDEN, a->cover.busy - a->cover.outside);
}

static void put_copy(void *view, struct table *t, uint32_t row, void *acc)
{
	struct memcpy_acc *a = acc;

	(void)view;
	table_cstr(t, row, C_KIND, copy_kind_name((enum copy_kind)a->what.kind));
	table_cstr(t, row, C_SRC, mem_kind_name((enum mem_kind)a->what.src));
	table_cstr(t, row, C_DST, mem_kind_name((enum mem_kind)a->what.dst));
	put_figures(t, row, C_FIGURES, a);
	an_ref(t, row, REF_EVENT, a->of->f->source, a->longest, 0, C_KIND);
}

static void put_set(void *view, struct table *t, uint32_t row, void *acc)
{
	struct memcpy_acc *a = acc;

	(void)view;
	table_i64(t, row, S_DEVICE, a->device);
	put_figures(t, row, S_FIGURES, a);
	an_ref(t, row, REF_EVENT, a->of->f->source, a->longest, 0, S_DEVICE);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e, const struct tally_view *how)
{
	struct memcpy_view v = { .y.how = how };
	bool ok = tally_collect(&v.y, cx, sc, t, e);

	for (size_t i = 0; i < v.parts.v.n; i++)
		finish_part(&v, &v.parts.v.a[i]);
	if (ok)
		tally_put(&v.y, t);
	gpu_parts_fini(&v.parts);
	tally_fini(&v.y);
	return ok;
}

static const struct tally_view copies = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .empty = N_("no copies in the window"),
	.layers = 1U << LAYER_MEMCPY, .add = add, .row_size = sizeof(struct memcpy_acc), .cmp = acc_cmp, .put = put_copy,
};

static bool run_copies(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, &copies);
}

static const struct tally_view sets = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .empty = N_("no memory sets in the window"),
	.layers = 1U << LAYER_MEMSET, .add = add, .row_size = sizeof(struct memcpy_acc), .cmp = acc_cmp, .put = put_set,
};

static bool run_sets(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, &sets);
}

const struct analysis an_memcpy = {
	.id = "memcpy", .title = N_("Copies"), .doc = N_("copies by direction and memory kinds, and how much of them is exposed"),
	.cols = copy_cols, .n_cols = N_COLS(copy_cols), .run = run_copies,
};

const struct analysis an_memset = {
	.id = "memset", .title = N_("Memory sets"), .doc = N_("memory sets of each device"),
	.cols = set_cols, .n_cols = N_COLS(set_cols), .run = run_sets,
};
