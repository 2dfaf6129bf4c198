/* nvtx.c - view `nvtx`: ranges by name; emit_nvtx op names are grouped by their base (definitions.md §3) */
#include <stdlib.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "calc/owners.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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

struct range_acc {
	int64_t open, split, source, pid;
	ns_t total, self, gpu;		/* total: clipped to the window */
	struct stats durs;		/* of the closed ranges that start in it, whole */
	const char *name;
	size_t len;
	str_id domain;
};
struct range_view {
	struct groups groups;
	struct names names;
	VEC(struct range_acc) acc;
	const struct scope *sc;
	uint32_t pick_index;
	const struct pick *k;
	const struct track *tr;
	uint32_t *group_of;	/* per event of the track, ID_NONE = not in */
};

static struct range_acc *acc_of(struct range_view *v, ev_id e, uint32_t *group)
{
	int64_t split = split_host(v->k, v->tr->thread, v->k->p->start[e]);
	uint32_t name = names_id(&v->names, v->k->p->name[e]);
	uint32_t g = groups_add(&v->groups, &(struct group_key){
		.k = { name, (uint64_t)split, v->sc->by == BY_ALL ? 0 : v->pick_index } });

	if (g == v->acc.n) {
		VEC_PUSH(&v->acc, (struct range_acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW,
			.domain = v->tr->domain });
		v->acc.a[g].name = names_str(&v->names, name, &v->acc.a[g].len);
	}
	if (v->acc.a[g].domain != v->tr->domain)
		v->acc.a[g].domain = ID_NONE;
	owner_add(&v->acc.a[g].source, v->pick_index);
	owner_add(&v->acc.a[g].pid, v->tr->pid);
	*group = g;
	return &v->acc.a[g];
}

static void add_range(struct range_view *v, ev_id e)
{
	const struct profile *p = v->k->p;
	ns_t clipped = pick_clip(v->k, p->start[e], ev_end(p, e));
	bool counted = pick_at(v->k, p->start[e]);
	uint32_t *group = &v->group_of[e - v->tr->first];
	struct range_acc *a;

	*group = ID_NONE;
	if (!clipped && !counted)
		return;
	a = acc_of(v, e, group);
	if (v->tr->layer == LAYER_NVTX_OPEN) {
		a->open += counted;
		return;
	}
	a->total += clipped;
	if (counted)
		stats_add(&a->durs, p->dur[e]);
}

static void add_self(void *arg, const struct seg *piece)
{
	struct range_view *v = arg;
	uint32_t g = v->group_of[piece->owner - v->tr->first];

	if (g != ID_NONE)
		v->acc.a[g].self += piece->end - piece->start;
}

static ns_t kernels_of(const struct pick *k, ev_id call)
{
	uint32_t first, n = profile_launched_by(k->p, call, &first);
	ns_t sum = 0;

	for (uint32_t i = first; i < first + n; i++)
		if (k->p->by_launch[i] < k->p->layer_first[LAYER_KERNEL + 1])
			sum += k->p->dur[k->p->by_launch[i]];
	return sum;
}

/* Kernels launched inside a range count once for each name that encloses the launch. */
static void add_gpu(struct range_view *v, const struct track *calls)
{
	const struct pick *k = v->k;
	VEC(uint32_t) seen = { 0 };

	for (ev_id e = calls->first; e < calls->first + calls->count; e++) {
		ns_t gpu = pick_at(k, k->p->start[e]) ? kernels_of(k, e) : 0;

		seen.n = 0;
		for (ev_id r = gpu ? track_event_at(k->p, v->tr, k->p->start[e]) : ID_NONE; r != ID_NONE; r = k->p->parent[r]) {
			uint32_t g = v->group_of[r - v->tr->first];
			bool again = g == ID_NONE || ev_end(k->p, r) <= k->p->start[e];

			for (size_t i = 0; i < seen.n && !again; i++)
				again = seen.a[i] == g;
			if (again)
				continue;
			v->acc.a[g].gpu += gpu;
			VEC_PUSH(&seen, g);
		}
	}
	VEC_FREE(&seen);
}

static void add_track(struct range_view *v, const struct track *tr)
{
	const struct profile *p = v->k->p;
	struct segs own = { 0 };
	track_id calls = profile_host_track(p, LAYER_RUNTIME, tr->thread);

	v->tr = tr;
	v->group_of = xreallocarray(NULL, tr->count, sizeof(*v->group_of));
	for (ev_id e = tr->first; e < tr->first + tr->count; e++)
		add_range(v, e);
	if (tr->layer != LAYER_NVTX_OPEN) {
		segs_of_track(&own, p->start + tr->first, p->dur + tr->first, tr->count, tr->first);
		segs_clip(&own, &v->k->window, add_self, v);
		segs_fini(&own);
		if (calls != ID_NONE)
			add_gpu(v, &p->tracks[calls]);
	}
	free(v->group_of);
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct range_acc *x = (const struct range_acc *)arg + a, *y = (const struct range_acc *)arg + b;

	return (x->self < y->self) - (x->self > y->self);
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

static void put_rows(const struct range_view *v, const struct picks *ps, struct table *t)
{
	uint32_t *order = groups_order((uint32_t)v->acc.n, acc_cmp, v->acc.a);

	for (size_t i = 0; i < v->acc.n; i++) {
		struct range_acc *a = &v->acc.a[order[i]];
		const struct pick *k = &ps->a[a->source == OWNER_MIXED ? 0 : a->source];
		uint32_t row = table_row(t);

		table_str(t, row, C_NAME, a->name ? a->name : "", a->len);
		table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
		table_i64(t, row, C_OPEN, a->open);
		table_i64(t, row, C_TOTAL, a->total);
		table_i64(t, row, C_SELF, a->self);
		if (k->p->caps & CAP_GPU && k->p->caps & CAP_RUNTIME)
			table_i64(t, row, C_GPU, a->gpu);
		put_durations(t, row, &a->durs);
		if (a->source != OWNER_MIXED)
			an_str(t, row, C_DOMAIN, k, a->domain);
		split_set(t, row, C_BY, k, a->split);
		an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
		picks_row_owner(t, row, ps, a->source, a->pid);
	}
	free(order);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct range_view v = { .names = { .cut = rules_op_base }, .sc = sc };
	struct picks ps;
	bool ok = picks_open(&ps, cx, sc, VIEW_NVTX, t, _("no NVTX ranges: mark the code with torch.cuda.nvtx or record with "
		"--pytorch=autograd-nvtx (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		v.k = &ps.a[i];
		v.pick_index = i;
		names_enter(&v.names, v.k->p);
		for (track_id tr = v.k->p->layer_track[LAYER_NVTX]; tr < v.k->p->layer_track[LAYER_NVTX_OPEN + 1]; tr++)
			if (pick_thread(v.k, v.k->p->tracks[tr].thread))
				add_track(&v, &v.k->p->tracks[tr]);
		ok = !an_cancelled(cx, e);
	}
	if (ok)
		put_rows(&v, &ps, t);
	for (size_t i = 0; i < v.acc.n; i++)
		stats_fini(&v.acc.a[i].durs);
	VEC_FREE(&v.acc);
	groups_fini(&v.groups);
	names_fini(&v.names);
	picks_close(&ps);
	return ok;
}

const struct analysis an_nvtx = {
	.id = "nvtx", .title = N_("NVTX ranges"), .doc = N_("NVTX ranges by name, their own time and the kernels launched inside"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
