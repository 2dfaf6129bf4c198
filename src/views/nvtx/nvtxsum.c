/*
 * nvtxsum.c - view `nvtxsum`: closed NVTX ranges by their whole text, domain and style, as `nsys stats` groups them in nvtx_sum
 * (share), nvtx_pushpop_sum and nvtx_startend_sum (style_share). The view `nvtx` groups what emit_nvtx writes, and knows self times.
 */
#include <stdlib.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "measure/nvtx_gpu.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_NAME, C_DOMAIN, C_STYLE, C_COUNT, C_TOTAL, C_STATS, C_SHARE = C_STATS + N_STAT_COLS, C_STYLE_SHARE, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Range"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("text of the range, whole") },
	[C_DOMAIN] = { "domain", N_("Domain"), UNIT_TEXT, COL_KEY, 3, N_("NVTX domain; none is the default domain") },
	[C_STYLE] = { "style", N_("Style"), UNIT_TEXT, COL_KEY, 2, N_("PushPop or StartEnd") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("closed ranges that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total*"), UNIT_NS, COL_BAR, 0, N_("sum of their durations, whole: nested time counts twice") },
	STAT_COLS(3),
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 4, N_("of the sum of all rows, both styles: not of the wall time") },
	[C_STYLE_SHARE] = { "style_share", N_("Of style"), UNIT_RATIO, 0, 7, N_("of the sum of all rows of the same style") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct acc {
	struct stats durs;
	int64_t split, source, pid;
	uint32_t name, example_pick;
	track_id track;
};
struct view {
	const struct picks *ps;
	struct groups groups;
	struct names names, domains;
	VEC(struct acc) acc;
	ns_t total[2];		/* by style */
};

static void add(struct view *v, const struct pick *k, track_id ti, ev_id e)
{
	const struct track *tr = &k->p->tracks[ti];
	int64_t split = split_host(k, tr->thread, k->p->start[e]);
	uint32_t name = names_id(&v->names, k->p->name[e]), pick = (uint32_t)(k - v->ps->a);
	uint64_t domain = tr->domain == ID_NONE ? ID_NONE : names_id(&v->domains, tr->domain);
	uint32_t g = groups_add(&v->groups, &(struct group_key){ .k = { name, domain << 1 | (tr->layer == LAYER_NVTX_SE),
		(uint64_t)split, k->sc->by == BY_ALL ? 0 : pick } });

	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .name = name,
			.example_pick = pick, .track = ti });
	owner_add(&v->acc.a[g].source, pick);
	owner_add(&v->acc.a[g].pid, tr->pid);
	stats_add(&v->acc.a[g].durs, k->p->dur[e]);
	v->total[tr->layer == LAYER_NVTX_SE] += k->p->dur[e];
}

static void add_source(struct view *v, const struct pick *k)
{
	names_enter(&v->names, k->p);
	names_enter(&v->domains, k->p);
	for (track_id i = k->p->layer_track[LAYER_NVTX]; i < k->p->layer_track[LAYER_NVTX_SE + 1]; i++) {
		const struct track *tr = &k->p->tracks[i];

		for (ev_id e = tr->first; pick_thread(k, tr->thread) && e < tr->first + tr->count; e++)
			if (pick_at(k, k->p->start[e]))
				add(v, k, i, e);
	}
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;

	return (x->durs.total < y->durs.total) - (x->durs.total > y->durs.total);
}

static void put(const struct view *v, struct table *t, struct acc *a)
{
	const struct pick *k = &v->ps->a[a->example_pick];
	const struct track *tr = &k->p->tracks[a->track];
	ns_t style = v->total[tr->layer == LAYER_NVTX_SE], all = v->total[0] + v->total[1];
	uint32_t row = table_row(t);
	size_t n;
	const char *s = names_str(&v->names, a->name, &n);

	table_str(t, row, C_NAME, s ? s : "", n);
	an_str(t, row, C_DOMAIN, k, tr->domain);
	table_cstr(t, row, C_STYLE, nv_style(tr));
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	table_i64(t, row, C_TOTAL, a->durs.total);
	stats_put(t, row, C_STATS, &a->durs);
	if (all)
		table_share(t, row, C_SHARE, (double)a->durs.total, (double)all);
	if (style)
		table_share(t, row, C_STYLE_SHARE, (double)a->durs.total, (double)style);
	split_set(t, row, C_BY, k, a->split);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_NVTX, t, _("no NVTX ranges: mark the code with torch.cuda.nvtx or record with "
		"--pytorch=autograd-nvtx (nsys)"), e);
	uint32_t *order;

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		add_source(&v, &ps.a[i]);
		ok = !an_cancelled(cx, e);
	}
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	for (size_t i = 0; i < v.acc.n; i++)
		stats_fini(&v.acc.a[i].durs);
	free(order);
	VEC_FREE(&v.acc);
	groups_fini(&v.groups);
	names_fini(&v.names);
	names_fini(&v.domains);
	picks_close(&ps);
	return ok;
}

const struct analysis an_nvtxsum = {
	.id = "nvtxsum", .title = N_("NVTX texts"), .doc = N_("NVTX ranges by whole text, domain and style, with their statistics"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
