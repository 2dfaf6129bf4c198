/*
 * nvtxkern.c - views `nvtxkern` (NVTX range x kernel, texts of emit_nvtx grouped, all threads together) and `nvtxkernsum` (by
 * whole text, style, process and thread, as `nsys stats` groups nvtx_kern_sum). A kernel counts once under each range that encloses
 * its launch, so rows do not sum to the kernel time; kernels in no range stand in rows without one.
 */
#include "measure/nvtx_gpu.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_NAME, C_KERNEL, C_DOMAIN, C_STYLE, C_TID, C_RANGES, C_COUNT, C_TOTAL, C_STATS, C_CLASS = C_STATS + N_STAT_COLS, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Range"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("range around the launch; none: no range was open") },
	[C_KERNEL] = { "kernel", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the kernel, whole") },
	[C_DOMAIN] = { "domain", N_("Domain"), UNIT_TEXT, 0, 6, N_("NVTX domain; none is the default domain") },
	[C_STYLE] = { "style", N_("Style"), UNIT_TEXT, 0, 6, N_("PushPop or StartEnd") },
	[C_TID] = { "tid", N_("Thread"), UNIT_ID, 0, 5, N_("thread of the range or of the launch, where it is one") },
	[C_RANGES] = { "ranges", N_("Ranges"), UNIT_COUNT, 0, 3, N_("ranges of the name in which the kernel was launched") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("kernels launched inside, once for each range around the launch") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations") },
	STAT_COLS(4),
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 3, N_("class of the kernel") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { NAMES, DOMAINS, KERNELS };

struct nvtxkern_acc {
	struct tally_row row;
	int64_t tid, ranges;
	uint32_t name, kernel;
	const struct track *track;	/* NULL: in no range */
	uint64_t last;		/* the range that was counted last, + 1 */
	ev_id example;
};
struct nvtxkern_view {
	struct tally y;
	bool per_thread;
	/* where the walk is */
	const struct nvtx_work *work;
	const struct nvtx_thread *thread;
	const struct nvtx_range *range;	/* NULL: in none */
	uint64_t serial;
	uint32_t name;
	uint64_t domain;
};

static struct nvtxkern_acc *acc_of(struct nvtxkern_view *v, const struct selection *k, const struct track *tr, ev_id e)
{
	uint32_t kernel = names_id(&v->y.names[KERNELS], k->p->name[e]);
	bool apart = v->per_thread && v->thread;	/* of other sources, too */
	struct nvtxkern_acc *a = tally_gpu(&v->y, k, tr, e, TALLY_KEY((uint64_t)v->name << 32 | kernel,
		v->domain | (apart ? (uint64_t)tally_pick(&v->y, k) << 34 : 0), 0, apart ? v->thread->thread + 1 : 0));

	if (a->row.n == 1) {
		a->tid = OWNER_NEW;
		a->name = v->name;
		a->kernel = kernel;
		a->track = v->range ? &k->p->tracks[v->range->track] : NULL;
		a->example = e;
	}
	return a;
}

static void add_kernel(struct nvtxkern_view *v, const struct track *tr, ev_id e)
{
	const struct selection *k = v->work->k;
	struct nvtxkern_acc *a = acc_of(v, k, tr, e);

	owner_add(&a->tid, v->thread ? k->p->threads[v->thread->thread].tid : -1);
	stats_add(&a->row.durs, k->p->dur[e]);
	if (v->range && a->last != v->serial)
		a->ranges++;
	a->last = v->serial;
}

static void add_call(void *arg, const struct nvtx_call *c)
{
	struct nvtxkern_view *v = arg;
	const struct profile *p = v->work->k->p;
	uint32_t first, n = profile_launched_by(p, c->e, &first);

	for (uint32_t i = first; i < first + n; i++) {
		const struct track *tr = nvtx_work_track(v->work, p->by_launch[i]);

		if (tr && tr->layer == LAYER_KERNEL)
			add_kernel(v, tr, p->by_launch[i]);
	}
}

static void enter(struct nvtxkern_view *v, const struct nvtx_range *r)
{
	const struct profile *p = v->work->k->p;

	v->range = r;
	v->serial++;
	v->name = r ? names_id(&v->y.names[NAMES], p->name[r->e]) : ID_NONE;
	v->domain = r ? nv_domain(&v->y.names[DOMAINS], &p->tracks[r->track]) : NV_NO_RANGE;
}

static void add_thread(void *arg, const struct nvtx_work *w, const struct nvtx_thread *t)
{
	struct nvtxkern_view *v = arg;

	v->thread = t;
	for (uint32_t i = 0; i < t->ranges.n; i++) {
		if (!selects_at(w->k, t->ranges.a[i].start))
			continue;
		enter(v, &t->ranges.a[i]);
		nvtx_each_call(t, i, add_call, v);
	}
	enter(v, NULL);
	for (size_t i = 0; i < t->calls.n; i++)
		if (t->calls.a[i].inner == ID_NONE)
			add_call(v, &t->calls.a[i]);
}

/* Kernels that no call launched, as far as the file knows. */
static void add_unlaunched(struct nvtxkern_view *v)
{
	const struct profile *p = v->work->k->p;

	v->thread = NULL;
	enter(v, NULL);
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++)
		if (p->link[e] == ID_NONE && nvtx_work_track(v->work, e))
			add_kernel(v, nvtx_work_track(v->work, e), e);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct nvtxkern_view *v = view;
	struct nvtx_work w;
	bool ok = nvtx_work_init(&w, k, e);

	(void)t;
	v->work = &w;
	ok = ok && nvtx_each_thread(&w, add_thread, v, e);
	if (ok)
		add_unlaunched(v);
	v->work = NULL;
	nvtx_work_fini(&w);
	return ok;
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct nvtxkern_view *v = view;
	struct nvtxkern_acc *a = acc;
	const struct selection *k = tally_source(&v->y, &a->row);

	if (a->track) {
		names_put(t, row, C_NAME, &v->y.names[NAMES], a->name);
		nv_put_kind(t, row, C_DOMAIN, k, a->track);
	}
	names_put(t, row, C_KERNEL, &v->y.names[KERNELS], a->kernel);
	owner_put(t, row, C_TID, a->tid);
	table_i64(t, row, C_RANGES, a->ranges);
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_cstr(t, row, C_CLASS, kclass_name(facts_kclass(k->f, a->example)->class));
	an_ref(t, row, REF_KERNEL, k->f->source, 0, 0, C_KERNEL);
}

static const struct tally_view how = {
	.kind = NEED_NVTX, .none = NV_NONE, .empty = N_("no kernel was launched inside an NVTX range of its thread"),
	.source = add_source, .n_names = 3, .row_size = sizeof(struct nvtxkern_acc), .put = put,
};

static bool run_grouped(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct nvtxkern_view v = { .y.how = &how, .y.names[NAMES].cut = rules_op_base };

	return tally_run(&v.y, cx, sc, t, e);
}

static bool run_whole(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct nvtxkern_view v = { .y.how = &how, .per_thread = true };

	return tally_run(&v.y, cx, sc, t, e);
}

const struct analysis an_nvtxkern = {
	.id = "nvtxkern", .title = N_("Ranges and kernels"), .doc = N_("which NVTX range launched which kernels, op names grouped"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run_grouped,
};

const struct analysis an_nvtxkernsum = {
	.id = "nvtxkernsum", .title = N_("Range texts and kernels"),
	.doc = N_("which NVTX range launched which kernels, by whole text and thread"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run_whole,
};
