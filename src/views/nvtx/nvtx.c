/* nvtx.c - view `nvtx`: ranges by name; emit_nvtx op names are grouped by their base (definitions.md §3) */
#include <stdlib.h>

#include "base/vec.h"
#include "calc/owners.h"
#include "measure/nvtx_gpu.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_NAME, C_COUNT, C_OPEN, C_TOTAL, C_SELF, C_GPU, C_MIN, C_MAX, C_DOMAIN, C_AVG, C_MEDIAN, C_STDDEV, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Range"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the range") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("closed ranges that start in the window") },
	[C_OPEN] = { "open", N_("Open"), UNIT_COUNT, 0, 5, N_("ranges without an end: counted here, in no time") },
	[C_TOTAL] = { "total_ns", N_("Total*"), UNIT_NS, COL_BAR, 0, N_("sum of durations: nested time counts twice") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 0, N_("time in which the range is the innermost of its thread and domain") },
	[C_GPU] = { "gpu_ns", N_("GPU"), UNIT_NS, 0, 2, N_("sum of the kernels launched inside, on the same thread") },
	[C_MIN] = { "min_ns", N_("Min"), UNIT_NS, 0, 6, N_("shortest closed range") },
	[C_MAX] = { "max_ns", N_("Max"), UNIT_NS, 0, 5, N_("longest closed range") },
	[C_DOMAIN] = { "domain", N_("Domain"), UNIT_TEXT, 0, 7, N_("NVTX domain, where all ranges of the name have the same") },
	[C_AVG] = { "avg_ns", N_("Avg"), UNIT_NS, 0, 5, N_("mean of the closed ranges") },
	[C_MEDIAN] = { "median_ns", N_("Median"), UNIT_NS, 0, 5, N_("median (mean of the two middle ones)") },
	[C_STDDEV] = { "stddev_ns", N_("StdDev"), UNIT_NS, 0, 8, N_("standard deviation of the sample (n - 1)") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct nvtx_acc {
	struct tally_row row;		/* its durs: of the closed ranges that start in the window, whole */
	int64_t open;
	ns_t total, self, gpu;		/* total: clipped to the window */
	uint32_t name;
	str_id domain;
};
struct nvtx_view {
	struct tally y;
	const struct selection *k;
	const struct track *tr;
	uint32_t *row_of;	/* per event of the track, ID_NONE = not in */
};

static struct nvtx_acc *acc_of(struct nvtx_view *v, ev_id e)
{
	uint32_t name = names_id(v->y.names, v->k->p->name[e]);
	struct nvtx_acc *a = tally_host(&v->y, v->k, v->tr->thread, v->k->p->start[e], TALLY_KEY(name));

	a->name = name;
	if (a->row.n == 1)
		a->domain = v->tr->domain;
	if (a->domain != v->tr->domain)
		a->domain = ID_NONE;
	return a;
}

static void add_range(struct nvtx_view *v, ev_id e)
{
	const struct profile *p = v->k->p;
	ns_t clipped = selection_clip(v->k, p->start[e], ev_end(p, e));
	bool counted = selects_at(v->k, p->start[e]);
	uint32_t *row = &v->row_of[e - v->tr->first];
	struct nvtx_acc *a;

	*row = ID_NONE;
	if (!clipped && !counted)
		return;
	a = acc_of(v, e);
	*row = tally_index(&v->y, a);
	if (v->tr->layer == LAYER_NVTX_OPEN) {
		a->open += counted;
		return;
	}
	a->total += clipped;
	if (counted)
		stats_add(&a->row.durs, p->dur[e]);
}

static struct nvtx_acc *row_at(struct nvtx_view *v, uint32_t i)
{
	return tally_at(&v->y, i);
}

static void add_self(void *arg, const struct owner_span *piece)
{
	struct nvtx_view *v = arg;
	uint32_t i = v->row_of[piece->owner - v->tr->first];

	if (i != ID_NONE)
		row_at(v, i)->self += piece->end - piece->start;
}

static ns_t kernels_of(const struct selection *k, ev_id call)
{
	uint32_t first, n = profile_launched_by(k->p, call, &first);
	ns_t sum = 0;

	for (uint32_t i = first; i < first + n; i++)
		if (k->p->by_launch[i] < k->p->layer_first[LAYER_KERNEL + 1])
			sum += k->p->dur[k->p->by_launch[i]];
	return sum;
}

/* Kernels launched inside a range count once for each name that encloses the launch. */
static void add_gpu(struct nvtx_view *v, const struct track *calls)
{
	const struct selection *k = v->k;
	VEC(uint32_t) seen = { 0 };

	for (ev_id e = calls->first; e < calls->first + calls->count; e++) {
		ns_t gpu = selects_at(k, k->p->start[e]) ? kernels_of(k, e) : 0;

		seen.n = 0;
		for (ev_id r = gpu ? track_event_at(k->p, v->tr, k->p->start[e]) : ID_NONE; r != ID_NONE; r = k->p->parent[r]) {
			uint32_t g = v->row_of[r - v->tr->first];
			bool again = g == ID_NONE || ev_end(k->p, r) <= k->p->start[e];

			for (size_t i = 0; i < seen.n && !again; i++)
				again = seen.a[i] == g;
			if (again)
				continue;
			row_at(v, g)->gpu += gpu;
			VEC_PUSH(&seen, g);
		}
	}
	VEC_FREE(&seen);
}

static void add_track(struct nvtx_view *v, const struct track *tr)
{
	const struct profile *p = v->k->p;
	struct owner_list own = { 0 };
	track_id calls = profile_host_track(p, LAYER_RUNTIME, tr->thread);

	v->tr = tr;
	v->row_of = xreallocarray(NULL, tr->count, sizeof(*v->row_of));
	for (ev_id e = tr->first; e < tr->first + tr->count; e++)
		add_range(v, e);
	if (tr->layer != LAYER_NVTX_OPEN) {
		owner_list_of_track(&own, p->start + tr->first, p->dur + tr->first, tr->count, tr->first);
		owner_list_clip(&own, &v->k->window, add_self, v);
		owner_list_fini(&own);
		if (calls != ID_NONE)
			add_gpu(v, &p->tracks[calls]);
	}
	free(v->row_of);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct nvtx_view *v = view;

	(void)t;
	(void)e;
	v->k = k;
	for (track_id tr = k->p->layer_track[LAYER_NVTX]; tr < k->p->layer_track[LAYER_NVTX_OPEN + 1]; tr++)
		if (selects_thread(k, k->p->tracks[tr].thread))
			add_track(v, &k->p->tracks[tr]);
	return true;
}

static int acc_cmp(const void *a, const void *b)
{
	return tally_cmp_down(((const struct nvtx_acc *)a)->self, ((const struct nvtx_acc *)b)->self);
}

static void put_durations(struct table *t, uint32_t row, struct stats *durs)
{
	if (!stats_n(durs))
		return;
	table_i64(t, row, C_MIN, durs->min);
	table_i64(t, row, C_MAX, durs->max);
	table_f64(t, row, C_AVG, stats_mean(durs));
	table_f64(t, row, C_MEDIAN, stats_median(durs));
	table_f64(t, row, C_STDDEV, stats_stddev(durs));
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct nvtx_acc *a = acc;
	const struct selection *k = tally_source(y, &a->row);

	names_put(t, row, C_NAME, y->names, a->name);
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->row.durs));
	table_i64(t, row, C_OPEN, a->open);
	table_i64(t, row, C_TOTAL, a->total);
	table_i64(t, row, C_SELF, a->self);
	if (k->p->caps & CAP_GPU && k->p->caps & CAP_RUNTIME)
		table_i64(t, row, C_GPU, a->gpu);
	put_durations(t, row, &a->row.durs);
	if (a->row.source != OWNER_MIXED)
		an_str(t, row, C_DOMAIN, k, a->domain);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
}

static const struct tally_view how = {
	.kind = NEED_NVTX, .none = NV_NONE, .source = add_source, .n_names = 1,
	.row_size = sizeof(struct nvtx_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct nvtx_view v = { .y.how = &how, .y.names[0].cut = rules_op_base };

	return tally_run(&v.y, cx, sc, t, e);
}

const struct analysis an_nvtx = {
	.id = "nvtx", .title = N_("NVTX ranges"), .doc = N_("NVTX ranges by name, their own time and the kernels launched inside"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
