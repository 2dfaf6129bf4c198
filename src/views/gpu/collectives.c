/*
 * collectives.c - view `collectives`: communication kernels by collective, data type, size, group and stream, and how much of them
 * compute on the same device covers.
 * See measure/collective.h for what tells them.
 */
#include <string.h>

#include "measure/collective.h"
#include "measure/device_state.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_KIND, C_DTYPE, C_COUNT, C_RANKS, C_IN, C_OUT, C_TOTAL, C_BUSY, C_EXPOSED, C_OVERLAP, C_GBPS, C_STATS,
	C_GROUP = C_STATS + N_STAT_COLS, C_MEMBERS, C_STREAM, C_FROM, C_KERNEL, C_BY };

static const struct column_def cols[] = {
	[C_KIND] = { "collective", N_("Collective"), UNIT_TEXT, COL_KEY, 0, N_("what the ranks do together, or the library where only that is known") },
	[C_DTYPE] = { "dtype", N_("Type"), UNIT_TEXT, COL_KEY, 2, N_("data type, as the source spells it") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 0, N_("kernels") },
	[C_RANKS] = { "ranks", N_("Ranks"), UNIT_COUNT, 0, 2, N_("size of the group") },
	[C_IN] = { "in_bytes", N_("In"), UNIT_BYTES, 0, 1, N_("bytes that a rank gives to one of them") },
	[C_OUT] = { "out_bytes", N_("Out"), UNIT_BYTES, 0, 2, N_("bytes that a rank gets from one of them") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of the durations: waiting for other ranks is in it") },
	[C_BUSY] = { "busy_ns", N_("Busy"), UNIT_NS, 0, 4, N_("time in which at least one of them runs, per device") },
	[C_EXPOSED] = { "exposed_ns", N_("Exposed"), UNIT_NS, COL_BAR, 0, N_("busy time without compute on the device") },
	[C_OVERLAP] = { "overlap", N_("Hidden"), UNIT_RATIO, 0, 1, N_("share of the busy time that compute on the same device covers") },
	[C_GBPS] = { "gbps", N_("Rate"), UNIT_GBPS, 0, 2, N_("larger of In and Out by the mean duration (algorithm bandwidth)") },
	STAT_COLS(5),
	[C_GROUP] = { "group", N_("Group"), UNIT_TEXT, 0, 3, N_("name of the process group") },
	[C_MEMBERS] = { "members", N_("Members"), UNIT_TEXT, 0, 7, N_("ranks of the group") },
	[C_STREAM] = { "stream", N_("Stream"), UNIT_ID, 0, 6, N_("stream that they run on") },
	[C_FROM] = { "told_by", N_("Told by"), UNIT_TEXT, 0, 6, N_("args: recorded with sizes; kernel, range: by the name of the kernel, or of what launched it; rule: only that it is communication") },
	[C_KERNEL] = { "kernel", N_("Kernel"), UNIT_TEXT, COL_NAME, 4, N_("kernel of the longest one") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

/* ---- rows ---- */

struct collectives_acc {
	struct tally_row row;
	struct collective what;
	int64_t stream;
	str_id kernel;			/* of the longest one, in `longest` */
	const struct selection *longest;
	struct gpu_cover cover;
};
struct collectives_view {
	struct tally y;
	struct gpu_parts parts;
	struct collective_finder finder;
};

static struct collectives_acc *acc_of(struct collectives_view *v, const struct selection *k, const struct track *tr, ev_id e)
{
	const struct kernel_class *kc = facts_kclass(k->f, e);
	struct collective w;
	struct collectives_acc *a;

	collective_of(&v->finder, k->f, e, &w);
	/* args are those of their profile: rows are merged over sources only where there are none */
	a = tally_gpu(&v->y, k, tr, e, &(struct group_key){ .k = { (uint64_t)tr->stream,
		(uint64_t)(uintptr_t)(w.args ? (const void *)w.args : (const void *)kc->dtype) },
		.name = w.kind, .name_len = strlen(w.kind) });
	if (a->row.n == 1) {
		a->what = w;
		a->stream = tr->stream;
	}
	return a;
}

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct collectives_view *v = view;
	struct collectives_acc *a;

	if (facts_kclass(k->f, e)->class != KCLASS_COMMUNICATION)
		return;
	a = acc_of(v, k, tr, e);
	if (a->row.n == 1 || k->p->dur[e] > a->row.durs.max) {
		a->kernel = k->p->name[e];
		a->longest = k;
	}
	stats_add(&a->row.durs, k->p->dur[e]);
	gpu_parts_add(&v->parts, tally_index(&v->y, a), k, tr->device, k->p->start[e], ev_end(k->p, e));
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct collectives_acc *a = pa, *b = pb;
	int c = tally_cmp_place(&a->row, &b->row);

	return c ? c : tally_cmp_down(a->row.durs.total, b->row.durs.total);
}

static void put_args(struct table *t, uint32_t row, const struct selection *k, struct collectives_acc *a)
{
	const struct collective_detail *d = a->what.args;
	int64_t in = collective_bytes(k->p, d, d->in_elems), out = collective_bytes(k->p, d, d->out_elems), most = in > out ? in : out;
	double mean = stats_mean(&a->row.durs);

	an_str(t, row, C_DTYPE, k, d->dtype);
	an_str(t, row, C_GROUP, k, d->group);
	an_str(t, row, C_MEMBERS, k, d->ranks);
	if (d->group_size > 0)
		table_i64(t, row, C_RANKS, d->group_size);
	if (in >= 0)
		table_i64(t, row, C_IN, in);
	if (out >= 0)
		table_i64(t, row, C_OUT, out);
	if (most >= 0 && mean > 0)
		table_f64(t, row, C_GBPS, (double)most / mean);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	struct collectives_acc *a = acc;
	const struct facts *f = a->longest->f;

	table_cstr(t, row, C_KIND, a->what.kind);
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_i64(t, row, C_BUSY, a->cover.busy);
	table_i64(t, row, C_EXPOSED, a->cover.outside);
	if (a->cover.busy)
		table_f64(t, row, C_OVERLAP, (double)(a->cover.busy - a->cover.outside) / (double)a->cover.busy);
	if (a->what.args)
		put_args(t, row, tally_source(view, &a->row), a);
	else if (f->kclass_of[a->kernel] != ID_NONE)
		table_cstr(t, row, C_DTYPE, f->kclasses[f->kclass_of[a->kernel]].dtype);
	if (a->stream >= 0)
		table_i64(t, row, C_STREAM, a->stream);
	table_cstr(t, row, C_FROM, collective_told_name(a->what.told));
	an_str(t, row, C_KERNEL, a->longest, a->kernel);
	an_ref(t, row, REF_KERNEL, f->source, 0, 0, C_KERNEL);
}

static void say_unsized(const struct tally *y, struct table *t)
{
	bool unsized = false;

	for (uint32_t i = 0; i < y->n; i++)
		unsized |= !((const struct collectives_acc *)tally_at(y, i))->what.args;
	if (unsized)
		table_note(t, _("sizes and groups are unknown where told_by is not args: torch.profiler from 2.2 on records them"));
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .layers = 1U << LAYER_KERNEL, .add = add,
	.row_size = sizeof(struct collectives_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct collectives_view v = { .y.how = &how };
	bool ok = tally_collect(&v.y, cx, sc, t, e);

	for (size_t i = 0; i < v.parts.v.n; i++)
		gpu_part_cover(&((struct collectives_acc *)tally_at(&v.y, v.parts.v.a[i].row))->cover, &v.parts.v.a[i]);
	if (ok)
		tally_put(&v.y, t);
	say_unsized(&v.y, t);
	gpu_parts_fini(&v.parts);
	collective_finder_fini(&v.finder);
	tally_fini(&v.y);
	return ok;
}

const struct analysis an_collectives = {
	.id = "collectives", .title = N_("Collectives"), .doc = N_("communication by collective, size and group, and how much of it compute hides"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
