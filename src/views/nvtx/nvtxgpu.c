/*
 * nvtxgpu.c - NVTX ranges projected on the GPU: `nvtxproj` (every range with work, as nvtx_gpu_proj_trace of `nsys stats`),
 * `nvtxgpusum` (by whole text, as nvtx_gpu_proj_sum) and `nvtxgpu` (texts of emit_nvtx grouped).
 *
 * The projection is an envelope: from the first start to the last end of the work launched inside, idle time and the work of others
 * included. Beside it stand the time in which work of the range runs (busy), its sum, and the sum of what no inner range launched
 * (self): the selfs of all ranges and the work outside of all ranges sum to the GPU time.
 */
#include "measure/nvtx_gpu.h"
#include "measure/tally.h"
#include "scope/analysis.h"

#define NO_WORK N_("no work was launched inside an NVTX range")

/* ---- one range ---- */

struct projection {
	ns_t start, end;
	int64_t calls;		/* with work: nsys counts their correlation ids */
	int64_t events;		/* kernels, copies and memory sets */
	ns_t sum, self, busy;
};
struct projecting {
	const struct nvtx_work *work;
	uint32_t range;
	struct projection x;
	struct spans spans;	/* reused */
};

static void project_call(void *arg, const struct nvtx_call *c)
{
	struct projecting *j = arg;
	const struct profile *p = j->work->k->p;
	uint32_t first, n = profile_launched_by(p, c->e, &first);

	j->x.calls++;
	for (uint32_t i = first; i < first + n; i++) {
		ev_id e = p->by_launch[i];

		if (!nvtx_work_track(j->work, e))
			continue;
		j->x.start = !j->x.events || p->start[e] < j->x.start ? p->start[e] : j->x.start;
		j->x.end = !j->x.events || ev_end(p, e) > j->x.end ? ev_end(p, e) : j->x.end;
		j->x.events++;
		j->x.sum += p->dur[e];
		j->x.self += c->inner == j->range ? p->dur[e] : 0;
		spans_add(&j->spans, p->start[e], ev_end(p, e));
	}
}

/* False: nothing was launched inside. */
static bool project(struct projecting *j, const struct nvtx_thread *t, uint32_t range)
{
	j->range = range;
	j->x = (struct projection){ 0 };
	j->spans.n = 0;
	nvtx_each_call(t, range, project_call, j);
	if (!j->x.events)
		return false;
	spans_norm(&j->spans);
	j->x.busy = spans_measure(&j->spans);
	return true;
}

/* ---- nvtxproj: every range ---- */

enum { I_NAME, I_DOMAIN, I_STYLE, I_START, I_PROJ, I_RSTART, I_RDUR, I_CALLS, I_EVENTS, I_BUSY, I_SUM, I_SELF, I_LEVEL, I_CHILDREN, I_ID,
	I_PARENT, I_TID, I_PAYLOAD, I_BY };

static const struct column_def proj_cols[] = {
	[I_NAME] = { "name", N_("Range"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("text of the range, whole") },
	[I_DOMAIN] = { "domain", N_("Domain"), UNIT_TEXT, 0, 7, N_("NVTX domain; none is the default domain") },
	[I_STYLE] = { "style", N_("Style"), UNIT_TEXT, 0, 7, N_("PushPop or StartEnd") },
	[I_START] = { "start_ns", N_("Start"), UNIT_TIME, COL_KEY, 1, N_("start of the first work launched inside") },
	[I_PROJ] = { "proj_ns", N_("Projected"), UNIT_NS, COL_BAR, 0, N_("from there to the end of the last") },
	[I_RSTART] = { "range_start_ns", N_("On host"), UNIT_TIME, 0, 4, N_("start of the range itself") },
	[I_RDUR] = { "range_ns", N_("Host time"), UNIT_NS, 0, 2, N_("duration of the range itself") },
	[I_CALLS] = { "calls", N_("Calls"), UNIT_COUNT, 0, 4, N_("calls inside that launched work: what nsys calls GPU ops") },
	[I_EVENTS] = { "events", N_("Work"), UNIT_COUNT, 0, 3, N_("kernels, copies and memory sets launched inside") },
	[I_BUSY] = { "busy_ns", N_("Busy"), UNIT_NS, 0, 1, N_("time in which at least one of them runs") },
	[I_SUM] = { "sum_ns", N_("Sum"), UNIT_NS, 0, 4, N_("sum of their durations") },
	[I_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 1, N_("part of the sum that no inner range launched") },
	[I_LEVEL] = { "level", N_("Level"), UNIT_COUNT, 0, 5, N_("ranges around it on its thread") },
	[I_CHILDREN] = { "children", N_("Children"), UNIT_COUNT, 0, 6, N_("ranges directly inside it that have work, too") },
	[I_ID] = { "id", N_("Id"), UNIT_ID, 0, 8, N_("number of the range in this table") },
	[I_PARENT] = { "parent", N_("Parent"), UNIT_ID, 0, 8, N_("id of the shortest range around it") },
	[I_TID] = { "tid", N_("Thread"), UNIT_ID, 0, 5, N_("thread of the range") },
	[I_PAYLOAD] = { "payload", N_("Payload"), UNIT_TEXT, 0, 7, N_("what the program attached to the range: a number, or fields as JSON") },
	[I_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct proj_view {
	struct table *t;
	struct projecting j;
	VEC(uint64_t) id_of;	/* per range of the thread; ROW_NONE none */
};

static void put_instance(struct proj_view *v, const struct nvtx_work *w, const struct nvtx_thread *t, uint32_t i)
{
	const struct selection *k = w->k;
	const struct nvtx_range *r = &t->ranges.a[i];
	const struct projection *x = &v->j.x;
	const struct track *tr = &k->p->tracks[r->track];
	uint64_t parent = r->parent == ID_NONE ? ROW_NONE : v->id_of.a[r->parent];
	uint32_t row = table_row(v->t);

	an_str(v->t, row, I_NAME, k, k->p->name[r->e]);
	nv_put_kind(v->t, row, I_DOMAIN, k, tr);
	table_i64(v->t, row, I_START, selection_session_time(k, x->start));
	table_i64(v->t, row, I_PROJ, x->end - x->start);
	table_i64(v->t, row, I_RSTART, selection_session_time(k, r->start));
	table_i64(v->t, row, I_RDUR, r->end - r->start);
	table_i64(v->t, row, I_CALLS, x->calls);
	table_i64(v->t, row, I_EVENTS, x->events);
	table_i64(v->t, row, I_BUSY, x->busy);
	table_i64(v->t, row, I_SUM, x->sum);
	table_i64(v->t, row, I_SELF, x->self);
	table_i64(v->t, row, I_LEVEL, r->level);
	table_i64(v->t, row, I_CHILDREN, r->children);
	table_i64(v->t, row, I_ID, (int64_t)v->id_of.a[i]);
	if (parent != ROW_NONE)
		table_i64(v->t, row, I_PARENT, (int64_t)parent);
	table_i64(v->t, row, I_TID, k->p->threads[t->thread].tid);
	an_str(v->t, row, I_PAYLOAD, k, k->p->aux[r->e]);
	split_set(v->t, row, I_BY, k, split_host(k, t->thread, r->start));
	an_ref(v->t, row, REF_EVENT, k->f->source, r->e, 0, I_NAME);
	an_row_source(v->t, row, k, tr->pid);
	table_row_done(v->t);
}

static void put_thread(void *arg, const struct nvtx_work *w, const struct nvtx_thread *t)
{
	struct proj_view *v = arg;

	v->j.work = w;
	v->id_of.n = 0;
	for (uint32_t i = 0; i < t->ranges.n; i++) {
		VEC_PUSH(&v->id_of, ROW_NONE);
		if (!selects_at(w->k, t->ranges.a[i].start) || !project(&v->j, t, i))
			continue;
		v->id_of.a[i] = v->t->rows_seen;
		if (table_wants(v->t))
			put_instance(v, w, t, i);
	}
}

static bool each_thread(const struct selection *k, nvtx_thread_fn fn, void *arg, struct err *e)
{
	struct nvtx_work w;
	bool ok = nvtx_work_init(&w, k, e) && nvtx_each_thread(&w, fn, arg, e);

	nvtx_work_fini(&w);
	return ok;
}

static bool run_instances(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	struct proj_view v = { .t = t };
	bool ok = selections_open(&ps, cx, sc, NEED_NVTX, t, _(NV_NONE), e);

	for (uint32_t i = 0; ok && i < ps.n; i++)
		ok = each_thread(&ps.a[i], put_thread, &v, e);
	if (ok && ps.n && !t->rows_seen)
		table_note(t, "%s", _(NO_WORK));
	spans_fini(&v.j.spans);
	VEC_FREE(&v.id_of);
	selections_close(&ps);
	return ok;
}

/* ---- nvtxgpu, nvtxgpusum: by name ---- */

enum { C_NAME, C_DOMAIN, C_STYLE, C_COUNT, C_PROJ, C_BUSY, C_SUM, C_SELF, C_RANGE, C_STATS, C_CALLS = C_STATS + N_STAT_COLS, C_AVG_CALLS,
	C_EVENTS, C_AVG_LEVEL, C_AVG_CHILDREN, C_BY };

static const struct column_def sum_cols[] = {
	[C_NAME] = { "name", N_("Range"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the range") },
	[C_DOMAIN] = { "domain", N_("Domain"), UNIT_TEXT, COL_KEY, 6, N_("NVTX domain; none is the default domain") },
	[C_STYLE] = { "style", N_("Style"), UNIT_TEXT, COL_KEY, 6, N_("PushPop or StartEnd") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("ranges with work inside that start in the window") },
	[C_PROJ] = { "proj_ns", N_("Projected"), UNIT_NS, 0, 1, N_("sum of their envelopes on the GPU, idle time and the work of others included") },
	[C_BUSY] = { "busy_ns", N_("Busy"), UNIT_NS, 0, 2, N_("sum of the times in which work of the range runs") },
	[C_SUM] = { "sum_ns", N_("GPU"), UNIT_NS, 0, 2, N_("sum of the durations of all work launched inside: nested time counts twice") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, COL_BAR, 0, N_("work that no inner range launched: each piece of work is in one row") },
	[C_RANGE] = { "range_ns", N_("Host time"), UNIT_NS, 0, 3, N_("sum of the durations of the ranges themselves") },
	STAT_COLS(5),
	[C_CALLS] = { "calls", N_("Calls"), UNIT_COUNT, 0, 6, N_("calls inside that launched work: what nsys calls GPU ops") },
	[C_AVG_CALLS] = { "avg_calls", N_("Of one"), UNIT_FACTOR, 0, 8, N_("mean of the calls of one range") },
	[C_EVENTS] = { "events", N_("Work"), UNIT_COUNT, 0, 5, N_("kernels, copies and memory sets launched inside") },
	[C_AVG_LEVEL] = { "avg_level", N_("Level"), UNIT_FACTOR, 0, 8, N_("mean number of ranges around it") },
	[C_AVG_CHILDREN] = { "avg_children", N_("Children"), UNIT_FACTOR, 0, 8, N_("mean number of ranges directly inside it that have work, too") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { NAMES, DOMAINS };

struct nvtxgpu_acc {
	struct tally_row row;		/* its durs: of the projections */
	int64_t calls, events, levels, children;
	ns_t busy, sum, self, range;
	uint32_t name;
	const struct track *track;
};
struct nvtxgpu_view {
	struct tally y;
	struct projecting j;
};

static struct nvtxgpu_acc *acc_of(struct nvtxgpu_view *v, const struct selection *k, const struct nvtx_range *r)
{
	const struct track *tr = &k->p->tracks[r->track];
	uint32_t name = names_id(&v->y.names[NAMES], k->p->name[r->e]);
	struct nvtxgpu_acc *a = tally_host(&v->y, k, tr->thread, r->start, TALLY_KEY(name, nv_domain(&v->y.names[DOMAINS], tr)));

	if (a->row.n == 1) {
		a->name = name;
		a->track = tr;
	}
	return a;
}

static void sum_thread(void *arg, const struct nvtx_work *w, const struct nvtx_thread *t)
{
	struct nvtxgpu_view *v = arg;

	v->j.work = w;
	for (uint32_t i = 0; i < t->ranges.n; i++) {
		const struct nvtx_range *r = &t->ranges.a[i];
		struct nvtxgpu_acc *a;

		if (!selects_at(w->k, r->start) || !project(&v->j, t, i))
			continue;
		a = acc_of(v, w->k, r);
		stats_add(&a->row.durs, v->j.x.end - v->j.x.start);
		a->busy += v->j.x.busy;
		a->sum += v->j.x.sum;
		a->self += v->j.x.self;
		a->range += r->end - r->start;
		a->calls += v->j.x.calls;
		a->events += v->j.x.events;
		a->levels += r->level;
		a->children += r->children;
	}
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	(void)t;
	return each_thread(k, sum_thread, view, e);
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct nvtxgpu_acc *a = pa, *b = pb;
	int c = tally_cmp_down(a->self, b->self);

	return c ? c : tally_cmp_down(a->row.durs.total, b->row.durs.total);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct nvtxgpu_acc *a = acc;
	const struct selection *k = tally_source(y, &a->row);
	double n = (double)a->row.n;

	names_put(t, row, C_NAME, &y->names[NAMES], a->name);
	nv_put_kind(t, row, C_DOMAIN, k, a->track);
	tally_put_durs(t, row, C_COUNT, C_PROJ, C_STATS, &a->row);
	table_i64(t, row, C_BUSY, a->busy);
	table_i64(t, row, C_SUM, a->sum);
	table_i64(t, row, C_SELF, a->self);
	table_i64(t, row, C_RANGE, a->range);
	table_i64(t, row, C_CALLS, a->calls);
	table_f64(t, row, C_AVG_CALLS, (double)a->calls / n);
	table_i64(t, row, C_EVENTS, a->events);
	table_f64(t, row, C_AVG_LEVEL, (double)a->levels / n);
	table_f64(t, row, C_AVG_CHILDREN, (double)a->children / n);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
}

static const struct tally_view how = {
	.kind = NEED_NVTX, .none = NV_NONE, .empty = NO_WORK, .source = add_source, .n_names = 2,
	.row_size = sizeof(struct nvtxgpu_acc), .cmp = acc_cmp, .put = put,
};

static bool run_sums(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e, bool whole)
{
	struct nvtxgpu_view v = { .y.how = &how, .y.names[NAMES].cut = whole ? NULL : rules_op_base };
	bool ok = tally_run(&v.y, cx, sc, t, e);

	spans_fini(&v.j.spans);
	return ok;
}

static bool run_grouped(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run_sums(cx, sc, t, e, false);
}

static bool run_whole(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run_sums(cx, sc, t, e, true);
}

const struct analysis an_nvtxgpu = {
	.id = "nvtxgpu", .title = N_("Ranges on the GPU"),
	.doc = N_("NVTX ranges projected on the GPU: envelope, busy, sum and self of the work launched inside, op names grouped"),
	.cols = sum_cols, .n_cols = N_COLS(sum_cols), .run = run_grouped,
};

const struct analysis an_nvtxgpusum = {
	.id = "nvtxgpusum", .title = N_("Range texts on the GPU"), .doc = N_("NVTX ranges projected on the GPU, by whole text"),
	.cols = sum_cols, .n_cols = N_COLS(sum_cols), .run = run_whole,
};

const struct analysis an_nvtxproj = {
	.id = "nvtxproj", .title = N_("Projected ranges"), .doc = N_("every NVTX range with work on the GPU, projected, with its nesting"),
	.cols = proj_cols, .n_cols = N_COLS(proj_cols), .pages = true, .run = run_instances,
};
