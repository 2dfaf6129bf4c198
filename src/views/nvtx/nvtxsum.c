/*
 * nvtxsum.c - view `nvtxsum`: closed NVTX ranges by their whole text, domain and style, as `nsys stats` groups them in nvtx_sum
 * (share), nvtx_pushpop_sum and nvtx_startend_sum (style_share). The view `nvtx` groups what emit_nvtx writes, and knows self times.
 */
#include "measure/nvtx_gpu.h"
#include "measure/tally.h"
#include "scope/analysis.h"

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

enum { NAMES, DOMAINS };

struct nvtxsum_acc {
	struct tally_row row;
	uint32_t name;
	const struct track *track;
};
struct nvtxsum_view {
	struct tally y;
	ns_t total[2];		/* by style */
};

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct nvtxsum_view *v = view;
	uint32_t name = names_id(&v->y.names[NAMES], k->p->name[e]);
	struct nvtxsum_acc *a = tally_host(&v->y, k, tr->thread, k->p->start[e], TALLY_KEY(name, nv_domain(&v->y.names[DOMAINS], tr)));

	if (a->row.n == 1) {
		a->name = name;
		a->track = tr;
	}
	stats_add(&a->row.durs, k->p->dur[e]);
	v->total[tr->layer == LAYER_NVTX_SE] += k->p->dur[e];
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct nvtxsum_view *v = view;
	struct nvtxsum_acc *a = acc;
	const struct selection *k = tally_source(&v->y, &a->row);

	names_put(t, row, C_NAME, &v->y.names[NAMES], a->name);
	nv_put_kind(t, row, C_DOMAIN, k, a->track);
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_share(t, row, C_SHARE, (double)a->row.durs.total, (double)v->y.total);
	table_share(t, row, C_STYLE_SHARE, (double)a->row.durs.total, (double)v->total[a->track->layer == LAYER_NVTX_SE]);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
}

static const struct tally_view how = {
	.kind = NEED_NVTX, .none = NV_NONE, .layers = 1U << LAYER_NVTX | 1U << LAYER_NVTX_SE, .add = add, .n_names = 2,
	.row_size = sizeof(struct nvtxsum_acc), .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct nvtxsum_view v = { .y.how = &how };

	return tally_run(&v.y, cx, sc, t, e);
}

const struct analysis an_nvtxsum = {
	.id = "nvtxsum", .title = N_("NVTX texts"), .doc = N_("NVTX ranges by whole text, domain and style, with their statistics"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
