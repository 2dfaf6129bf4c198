/*
 * nvtxkern.c - views `nvtxkern` (NVTX range x kernel, texts of emit_nvtx grouped, all threads together) and `nvtxkernsum` (by
 * whole text, style, process and thread, as `nsys stats` groups nvtx_kern_sum). A kernel counts once under each range that encloses
 * its launch, so rows do not sum to the kernel time; kernels in no range stand in rows without one.
 */
#include <stdlib.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "measure/nvtx_gpu.h"
#include "scope/analysis.h"
#include "scope/columns.h"

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

struct acc {
	struct stats durs;
	int64_t split, source, pid, tid, ranges;
	uint32_t name, kernel, pick;
	track_id track;		/* ID_NONE: in no range */
	uint64_t last;		/* the range that was counted last, + 1 */
	ev_id example;
};
struct view {
	const struct picks *ps;
	struct groups groups;
	struct names names, domains, kernels;
	VEC(struct acc) acc;
	bool per_thread;
	/* where the walk is */
	const struct nv_work *work;
	const struct nv_thread *thread;
	const struct nv_range *range;	/* NULL: in none */
	uint64_t serial;
	uint32_t name;
	uint64_t domain;
};

static struct acc *acc_of(struct view *v, const struct pick *k, const struct track *tr, ev_id e)
{
	uint32_t pick = (uint32_t)(k - v->ps->a), kernel = names_id(&v->kernels, k->p->name[e]);
	uint64_t owner = k->sc->by == BY_ALL ? 0 : (uint64_t)pick << 32;
	int64_t split = split_gpu(k, tr, e);
	uint32_t g;

	if (v->per_thread && v->thread)
		owner = (uint64_t)pick << 32 | (v->thread->thread + 1);
	g = groups_add(&v->groups, &(struct group_key){ .k = { (uint64_t)v->name << 32 | kernel, v->domain, owner, (uint64_t)split } });
	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .tid = OWNER_NEW, .name = v->name,
			.kernel = kernel, .pick = pick, .track = v->range ? v->range->track : ID_NONE, .example = e });
	return &v->acc.a[g];
}

static void add_kernel(struct view *v, const struct track *tr, ev_id e)
{
	const struct pick *k = v->work->k;
	struct acc *a = acc_of(v, k, tr, e);

	owner_add(&a->source, k - v->ps->a);
	owner_add(&a->pid, gpu_pid(k, tr, e));
	owner_add(&a->tid, v->thread ? k->p->threads[v->thread->thread].tid : -1);
	stats_add(&a->durs, k->p->dur[e]);
	if (v->range && a->last != v->serial)
		a->ranges++;
	a->last = v->serial;
}

static void add_call(void *arg, const struct nv_call *c)
{
	struct view *v = arg;
	const struct profile *p = v->work->k->p;
	uint32_t first, n = profile_launched_by(p, c->e, &first);

	for (uint32_t i = first; i < first + n; i++) {
		const struct track *tr = nv_work_track(v->work, p->by_launch[i]);

		if (tr && tr->layer == LAYER_KERNEL)
			add_kernel(v, tr, p->by_launch[i]);
	}
}

static void enter(struct view *v, const struct nv_range *r)
{
	const struct profile *p = v->work->k->p;
	const struct track *tr = r ? &p->tracks[r->track] : NULL;

	v->range = r;
	v->serial++;
	v->name = r ? names_id(&v->names, p->name[r->e]) : ID_NONE;
	v->domain = !tr ? UINT64_MAX :
		(uint64_t)(tr->domain == ID_NONE ? ID_NONE : names_id(&v->domains, tr->domain)) << 1 | (tr->layer == LAYER_NVTX_SE);
}

static void add_thread(void *arg, const struct nv_work *w, const struct nv_thread *t)
{
	struct view *v = arg;

	v->thread = t;
	for (uint32_t i = 0; i < t->ranges.n; i++) {
		if (!pick_at(w->k, t->ranges.a[i].start))
			continue;
		enter(v, &t->ranges.a[i]);
		nv_each_call(t, i, add_call, v);
	}
	enter(v, NULL);
	for (size_t i = 0; i < t->calls.n; i++)
		if (t->calls.a[i].inner == ID_NONE)
			add_call(v, &t->calls.a[i]);
}

/* Kernels that no call launched, as far as the file knows. */
static void add_unlaunched(struct view *v)
{
	const struct profile *p = v->work->k->p;

	v->thread = NULL;
	enter(v, NULL);
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++)
		if (p->link[e] == ID_NONE && nv_work_track(v->work, e))
			add_kernel(v, nv_work_track(v->work, e), e);
}

static bool add_source(struct view *v, const struct pick *k, struct err *e)
{
	struct nv_work w;
	bool ok = nv_work_init(&w, k, e);

	names_enter(&v->names, k->p);
	names_enter(&v->domains, k->p);
	names_enter(&v->kernels, k->p);
	v->work = &w;
	ok = ok && nv_each_thread(&w, add_thread, v, e);
	if (ok)
		add_unlaunched(v);
	v->work = NULL;
	nv_work_fini(&w);
	return ok;
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;

	return (x->durs.total < y->durs.total) - (x->durs.total > y->durs.total);
}

static void put(const struct view *v, struct table *t, struct acc *a)
{
	const struct pick *k = &v->ps->a[a->pick];
	uint32_t row = table_row(t);
	size_t n;
	const char *s = names_str(&v->names, a->name, &n);

	if (a->track != ID_NONE) {
		table_str(t, row, C_NAME, s ? s : "", n);
		an_str(t, row, C_DOMAIN, k, k->p->tracks[a->track].domain);
		table_cstr(t, row, C_STYLE, nv_style(&k->p->tracks[a->track]));
	}
	s = names_str(&v->kernels, a->kernel, &n);
	table_str(t, row, C_KERNEL, s ? s : "", n);
	if (a->tid >= 0 && a->tid != OWNER_MIXED)
		table_i64(t, row, C_TID, a->tid);
	table_i64(t, row, C_RANGES, a->ranges);
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	table_i64(t, row, C_TOTAL, a->durs.total);
	stats_put(t, row, C_STATS, &a->durs);
	table_cstr(t, row, C_CLASS, kclass_name(facts_kclass(k->f, a->example)->class));
	split_set(t, row, C_BY, k, a->split);
	an_ref(t, row, REF_KERNEL, k->f->source, 0, 0, C_KERNEL);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static void view_fini(struct view *v)
{
	for (size_t i = 0; i < v->acc.n; i++)
		stats_fini(&v->acc.a[i].durs);
	VEC_FREE(&v->acc);
	groups_fini(&v->groups);
	names_fini(&v->names);
	names_fini(&v->domains);
	names_fini(&v->kernels);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e, bool whole)
{
	struct picks ps;
	struct view v = { .ps = &ps, .names.cut = whole ? NULL : rules_op_base, .per_thread = whole };
	bool ok = picks_open(&ps, cx, sc, VIEW_NVTX, t, _("no NVTX ranges: mark the code with torch.cuda.nvtx or record with "
		"--pytorch=autograd-nvtx (nsys)"), e);
	uint32_t *order;

	for (uint32_t i = 0; ok && i < ps.n; i++)
		ok = add_source(&v, &ps.a[i], e);
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	free(order);
	view_fini(&v);
	if (ok && ps.n && !t->n_rows)
		table_note(t, _("no kernel was launched inside an NVTX range of its thread"));
	picks_close(&ps);
	return ok;
}

static bool run_grouped(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, false);
}

static bool run_whole(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, true);
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
