/* memcpy.c - views `memcpy` (per kind and memory kinds of both ends) and `memset` (per device), definitions.md §6 */
#include "base/vec.h"
#include "calc/groups.h"
#include "calc/stats.h"
#include "measure/device_state.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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
struct acc {
	uint32_t kind, src, dst;	/* memcpy */
	int64_t device;			/* memset; OWNER_* for memcpy */
	int64_t by, source, pid;
	int64_t count, time, bytes;	/* bytes: of the copies that say how many */
	struct stats durs;
	int64_t unsized;		/* copies that do not */
	ns_t sized_time;		/* of those that do */
	struct gpu_cover cover;
	uint32_t steps;
	const struct pick *of;		/* whose copy is the longest */
	ev_id longest;
};
/* The intervals of a row on one device of one source. */
struct part {
	uint32_t acc;
	const struct pick *k;
	int64_t device;
	struct spans busy;
};
struct sums {
	const struct picks *ps;
	enum layer layer;
	struct groups g, gparts;
	VEC(struct acc) acc;
	VEC(struct part) parts;
};

static uint32_t acc_of(struct sums *s, const struct pick *k, const struct track *tr, ev_id e, const struct copy_detail *cd)
{
	int64_t by = split_gpu(k, tr, e), source = k->sc->by == BY_ALL ? 0 : k - s->ps->a;
	bool set = s->layer == LAYER_MEMSET;
	struct group_key key = { .k = { (uint64_t)source, (uint64_t)by,
		set ? (uint64_t)tr->device : ((uint64_t)cd->kind << 16 | (uint64_t)cd->src << 8 | cd->dst) } };
	uint32_t i = groups_add(&s->g, &key);

	if (i == s->acc.n)
		VEC_PUSH(&s->acc, (struct acc){ .kind = cd->kind, .src = cd->src, .dst = cd->dst, .device = tr->device, .by = by,
			.source = OWNER_NEW, .pid = OWNER_NEW, .of = k, .longest = e });
	return i;
}

static struct part *part_of(struct sums *s, uint32_t acc, const struct pick *k, int64_t device)
{
	struct group_key key = { .k = { acc, (uint64_t)(k - s->ps->a), (uint64_t)device } };
	uint32_t i = groups_add(&s->gparts, &key);

	if (i == s->parts.n)
		VEC_PUSH(&s->parts, (struct part){ .acc = acc, .k = k, .device = device });
	return &s->parts.a[i];
}

static void add(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	static const struct copy_detail unknown = { .bytes = I64_UNKNOWN, .kind = COPY_UNKNOWN, .src = MEM_UNKNOWN, .dst = MEM_UNKNOWN };
	struct sums *s = arg;
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : &unknown;
	uint32_t i = acc_of(s, k, tr, e, cd);
	struct acc *a = &s->acc.a[i];

	owner_add(&a->source, k - s->ps->a);
	owner_add(&a->pid, gpu_pid(k, tr, e));
	a->count++;
	a->time += k->p->dur[e];
	if (k->p->dur[e] > a->of->p->dur[a->longest]) {
		a->of = k;
		a->longest = e;
	}
	stats_add(&a->durs, k->p->dur[e]);
	if (cd->bytes == I64_UNKNOWN) {
		a->unsized++;
	} else {
		a->bytes += cd->bytes;
		a->sized_time += k->p->dur[e];
	}
	spans_add(&part_of(s, i, k, tr->device)->busy, k->p->start[e], ev_end(k->p, e));
}

static void finish_part(struct sums *s, struct part *part)
{
	struct acc *a = &s->acc.a[part->acc];
	uint32_t steps = part->k->sc->by == BY_STEP ? a->by != SPLIT_NONE : picks_n_steps(part->k);

	a->steps = steps > a->steps ? steps : a->steps;
	gpu_cover_add(&a->cover, facts_device(part->k->f, part->device), &part->busy);
	spans_fini(&part->busy);
}

/* Source, split, then longest first. */
static int acc_cmp(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct acc *a = (const struct acc *)arg + ia, *b = (const struct acc *)arg + ib;
	int c = (a->source > b->source) - (a->source < b->source);

	c = c ? c : split_cmp(a->by, b->by);
	return c ? c : (a->time < b->time) - (a->time > b->time);
}

/* Columns from `col` (count) on; the figures in bytes are of those whose size is known, and unknown where none is. */
static void put_figures(struct table *t, uint32_t row, uint32_t col, struct acc *a)
{
	bool sized = a->unsized < a->count;

	table_i64(t, row, col + F_COUNT, a->count);
	if (sized)
		table_i64(t, row, col + F_BYTES, a->bytes);
	table_i64(t, row, col + F_TIME, a->time);
	table_i64(t, row, col + F_BUSY, a->cover.busy);
	if (sized && a->steps)
		table_i64(t, row, col + F_STEP, (a->bytes + a->steps / 2) / a->steps);
	if (sized && a->sized_time)
		table_f64(t, row, col + F_GBPS, (double)a->bytes / (double)a->sized_time);
	if (a->cover.busy)
		table_f64(t, row, col + F_OVERLAP, (double)(a->cover.busy - a->cover.bare) / (double)a->cover.busy);
	table_i64(t, row, col + F_EXPOSED, a->cover.bare);
	if (sized)
		table_f64(t, row, col + F_AVG, (double)a->bytes / (double)(a->count - a->unsized));
	table_i64(t, row, col + F_UNSIZED, a->unsized);
	table_i64(t, row, col + F_HIDDEN, a->cover.busy - a->cover.outside);
	stats_put(t, row, col + F_STATS, &a->durs);
}

static void put(const struct sums *s, struct table *t, struct acc *a)
{
	const struct pick *k = &s->ps->a[a->source < s->ps->n ? a->source : 0];
	bool set = s->layer == LAYER_MEMSET;
	uint32_t row = table_row(t);

	if (set) {
		table_i64(t, row, S_DEVICE, a->device);
	} else {
		table_cstr(t, row, C_KIND, copy_kind_name((enum copy_kind)a->kind));
		table_cstr(t, row, C_SRC, mem_kind_name((enum mem_kind)a->src));
		table_cstr(t, row, C_DST, mem_kind_name((enum mem_kind)a->dst));
	}
	put_figures(t, row, set ? S_FIGURES : C_FIGURES, a);
	split_set(t, row, (set ? S_FIGURES : C_FIGURES) + F_BY, k, a->by);
	if (set)
		an_ref(t, row, REF_DEVICE, k->f->source, a->device, 0, S_DEVICE);
	else
		an_ref(t, row, REF_EVENT, a->of->f->source, a->longest, 0, C_KIND);
	picks_row_owner(t, row, s->ps, a->source, a->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e, enum layer l)
{
	struct picks ps;
	struct sums s = { .ps = &ps, .layer = l };
	bool ok = picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);
	uint32_t *order;

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = picks_gpu(&ps.a[i], l, add, &s, e);
	for (size_t i = 0; i < s.parts.n; i++)
		finish_part(&s, &s.parts.a[i]);
	order = groups_order((uint32_t)s.acc.n, acc_cmp, s.acc.a);
	for (uint32_t i = 0; i < s.acc.n && ok; i++)
		put(&s, t, &s.acc.a[order[i]]);
	free(order);
	groups_fini(&s.g);
	groups_fini(&s.gparts);
	for (size_t i = 0; i < s.acc.n; i++)
		stats_fini(&s.acc.a[i].durs);
	VEC_FREE(&s.acc);
	VEC_FREE(&s.parts);
	if (ok && ps.n && !t->n_rows)
		table_note(t, l == LAYER_MEMCPY ? _("no copies in the window") : _("no memory sets in the window"));
	picks_close(&ps);
	return ok;
}

static bool run_copies(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, LAYER_MEMCPY);
}

static bool run_sets(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, LAYER_MEMSET);
}

const struct analysis an_memcpy = {
	.id = "memcpy", .title = N_("Copies"), .doc = N_("copies by direction and memory kinds, and how much of them is exposed"),
	.cols = copy_cols, .n_cols = N_COLS(copy_cols), .run = run_copies,
};

const struct analysis an_memset = {
	.id = "memset", .title = N_("Memory sets"), .doc = N_("memory sets of each device"),
	.cols = set_cols, .n_cols = N_COLS(set_cols), .run = run_sets,
};
