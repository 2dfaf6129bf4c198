/*
 * hosttrace.c - what the host did, one row each in time order: `calls` (CUDA runtime and driver calls, as cuda_api_trace of
 * `nsys stats`) and `nvtxtrace` (NVTX push/pop ranges with their nesting, as nvtx_pushpop_trace).
 */
#include <stdlib.h>

#include "base/vec.h"
#include "measure/nvtx_gpu.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

struct hosttrace_item {
	ns_t start;		/* session time */
	ev_id e;
	uint32_t source;	/* index in picks */
	track_id track;
	uint32_t parent;	/* of a range: index of the item, ID_NONE */
	uint32_t level, children;
	ns_t child_ns;		/* of the ranges directly inside */
};
struct items {
	const struct selections *ps;
	VEC(struct hosttrace_item) v;
};

static int item_cmp(const void *pa, const void *pb)
{
	const struct hosttrace_item *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->e > b->e) - (a->e < b->e);
}

/* Those of the items that are wanted, as rows. False when cancelled. */
static bool put_items(const struct items *s, void (*put)(struct table *t, const struct selection *k, const struct hosttrace_item *x), const struct an_ctx *cx,
	struct table *t, struct err *e)
{
	for (size_t i = 0; i < s->v.n; i++) {
		if (table_wants(t)) {
			put(t, &s->ps->a[s->v.a[i].source], &s->v.a[i]);
			table_row_done(t);
		}
		if (!(i % TABLE_CHUNK) && an_cancelled(cx, e))
			return false;
	}
	return true;
}

static void put_when(struct table *t, uint32_t row, const struct selection *k, const struct hosttrace_item *x, uint32_t col_start, uint32_t col_dur)
{
	table_i64(t, row, col_start, x->start);
	table_i64(t, row, col_dur, k->p->dur[x->e]);
}

static void put_phase(struct table *t, uint32_t row, const struct selection *k, const struct hosttrace_item *x, uint32_t col_phase, uint32_t col_step)
{
	uint32_t proc = k->f->threads[k->p->tracks[x->track].thread].proc;

	if (proc == ID_NONE)
		return;
	table_cstr(t, row, col_phase, phase_name(facts_phase_at(k->f, proc, k->p->start[x->e])));
	table_i64(t, row, col_step, step_at(k->f, proc, k->p->start[x->e]));
}

/* ---- calls ---- */

enum { C_START, C_DUR, C_NAME, C_CLASS, C_API, C_TID, C_THREAD, C_RESULT, C_WORK, C_DEVICE, C_OP, C_PHASE, C_STEP, C_BY };

static const struct column_def call_cols[] = {
	[C_START] = { "start_ns", N_("Start"), UNIT_TIME, COL_KEY, 0, N_("when the call begins") },
	[C_DUR] = { "dur_ns", N_("Duration"), UNIT_NS, COL_BAR, 0, N_("how long it takes on the host") },
	[C_NAME] = { "name", N_("Call"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the call, whole and verbatim") },
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 2, N_("sync, launch, memcpy or other") },
	[C_API] = { "api", N_("API"), UNIT_TEXT, 0, 5, N_("runtime or driver") },
	[C_TID] = { "tid", N_("Thread"), UNIT_ID, 0, 3, N_("thread that calls") },
	[C_THREAD] = { "thread", N_("Thread name"), UNIT_TEXT, 0, 5, N_("its name, as recorded") },
	[C_RESULT] = { "result", N_("Result"), UNIT_ID, 0, 5, N_("return code (cudaError_t, CUresult): 0 is success; unknown where the file has none") },
	[C_WORK] = { "work", N_("Work"), UNIT_COUNT, 0, 1, N_("kernels, copies and memory sets that it launched") },
	[C_DEVICE] = { "device_ns", N_("On GPU"), UNIT_NS, 0, 1, N_("sum of their durations") },
	[C_OP] = { "op", N_("Operator"), UNIT_TEXT, 0, 2, N_("innermost op around the call") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 3, N_("phase of the step at the call") },
	[C_STEP] = { "step", N_("Step"), UNIT_ID, 0, 4, N_("step of the call") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

static void add_calls(struct items *s, const struct selection *k, uint32_t source)
{
	const struct profile *p = k->p;

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++)
		for (ev_id e = p->tracks[t].first; selects_thread(k, p->tracks[t].thread) && e < p->tracks[t].first + p->tracks[t].count; e++)
			if (selects_at(k, p->start[e]) && selects_call(k, e))
				VEC_PUSH(&s->v, (struct hosttrace_item){ .start = selection_session_time(k, p->start[e]), .e = e, .source = source, .track = t });
}

static void put_op(struct table *t, uint32_t row, const struct selection *k, ev_id call)
{
	uint32_t op = facts_op_of_call(k->f, call);
	const char *s;
	size_t n;

	if (op == ID_NONE)
		return;
	s = profile_str(k->p, k->f->ops.name[op], &n);
	table_str(t, row, C_OP, s, k->f->ops.from_nvtx ? rules_op_base(s, n) : n);
}

static void put_call(struct table *t, const struct selection *k, const struct hosttrace_item *x)
{
	const struct profile *p = k->p;
	const struct track *tr = &p->tracks[x->track];
	uint32_t row = table_row(t), first, n = profile_launched_by(p, x->e, &first);
	ns_t sum = 0;

	for (uint32_t i = first; i < first + n; i++)
		sum += p->dur[p->by_launch[i]];
	put_when(t, row, k, x, C_START, C_DUR);
	an_str(t, row, C_NAME, k, p->name[x->e]);
	table_cstr(t, row, C_CLASS, rt_class_name(facts_rt(k->f, x->e)));
	table_cstr(t, row, C_API, call_is_driver(p->aux[x->e]) ? "driver" : "runtime");
	table_i64(t, row, C_RESULT, call_code(p->aux[x->e]));
	table_i64(t, row, C_TID, p->threads[tr->thread].tid);
	an_str(t, row, C_THREAD, k, p->threads[tr->thread].name);
	if (p->caps & CAP_GPU) {
		table_i64(t, row, C_WORK, n);
		table_i64(t, row, C_DEVICE, sum);
	}
	put_op(t, row, k, x->e);
	put_phase(t, row, k, x, C_PHASE, C_STEP);
	split_set(t, row, C_BY, k, split_host(k, tr->thread, p->start[x->e]));
	an_ref(t, row, REF_EVENT, k->f->source, x->e, 0, C_NAME);
	an_row_source(t, row, k, tr->pid);
}

static bool run_calls(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	struct items s = { .ps = &ps };
	bool ok = selections_open(&ps, cx, sc, NEED_RUNTIME, t, _("no CUDA runtime calls: record with CUDA activities (torch.profiler) "
		"or --trace=cuda (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		add_calls(&s, &ps.a[i], i);
		ok = !an_cancelled(cx, e);
	}
	if (s.v.n)
		qsort(s.v.a, s.v.n, sizeof(*s.v.a), item_cmp);
	ok = ok && put_items(&s, put_call, cx, t, e);
	VEC_FREE(&s.v);
	selections_close(&ps);
	return ok;
}

/* ---- ranges ---- */

enum { R_START, R_DUR, R_CHILD, R_SELF, R_NAME, R_DOMAIN, R_LEVEL, R_CHILDREN, R_ID, R_PARENT, R_TID, R_THREAD, R_PAYLOAD, R_BY };

static const struct column_def range_cols[] = {
	[R_START] = { "start_ns", N_("Start"), UNIT_TIME, COL_KEY, 0, N_("when the range begins") },
	[R_DUR] = { "dur_ns", N_("Duration"), UNIT_NS, COL_BAR, 0, N_("how long it is") },
	[R_CHILD] = { "child_ns", N_("Inside"), UNIT_NS, 0, 1, N_("sum of the durations of the ranges directly inside") },
	[R_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 1, N_("the rest; below 0 where ranges inside overlap") },
	[R_NAME] = { "name", N_("Range"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("text of the range, whole") },
	[R_DOMAIN] = { "domain", N_("Domain"), UNIT_TEXT, 0, 4, N_("NVTX domain; none is the default domain") },
	[R_LEVEL] = { "level", N_("Level"), UNIT_COUNT, 0, 3, N_("ranges around it on its thread") },
	[R_CHILDREN] = { "children", N_("Children"), UNIT_COUNT, 0, 4, N_("ranges directly inside it") },
	[R_ID] = { "id", N_("Id"), UNIT_ID, 0, 6, N_("number of the range in this table") },
	[R_PARENT] = { "parent", N_("Parent"), UNIT_ID, 0, 6, N_("id of the shortest range around it") },
	[R_TID] = { "tid", N_("Thread"), UNIT_ID, 0, 3, N_("thread of the range") },
	[R_THREAD] = { "thread", N_("Thread name"), UNIT_TEXT, 0, 5, N_("its name, as recorded") },
	[R_PAYLOAD] = { "payload", N_("Payload"), UNIT_TEXT, 0, 7, N_("what the program attached to the range: a number, or fields as JSON") },
	[R_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

/* The ranges of a thread that the window has, nested among all of them. */
static void add_ranges(struct items *s, const struct selection *k, uint32_t source, const struct nvtx_thread *t)
{
	uint32_t first = (uint32_t)s->v.n, n = (uint32_t)t->ranges.n, kept = 0, *at = xreallocarray(NULL, n, sizeof(*at));

	for (uint32_t i = 0; i < n; i++) {
		const struct nvtx_range *r = &t->ranges.a[i];

		at[i] = selects_at(k, r->start) ? first + kept++ : ID_NONE;
		if (at[i] != ID_NONE)
			VEC_PUSH(&s->v, (struct hosttrace_item){ .start = selection_session_time(k, r->start), .e = r->e, .source = source, .track = r->track,
				.parent = r->parent == ID_NONE ? ID_NONE : at[r->parent], .level = r->level });
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct nvtx_range *r = &t->ranges.a[i];
		struct hosttrace_item *up = r->parent == ID_NONE || at[r->parent] == ID_NONE ? NULL : &s->v.a[at[r->parent]];

		if (!up)
			continue;
		up->children++;
		up->child_ns += r->end - r->start;
	}
	free(at);
}

static void put_range(struct table *t, const struct selection *k, const struct hosttrace_item *x)
{
	const struct profile *p = k->p;
	const struct track *tr = &p->tracks[x->track];
	uint32_t row = table_row(t);

	put_when(t, row, k, x, R_START, R_DUR);
	table_i64(t, row, R_CHILD, x->child_ns);
	table_i64(t, row, R_SELF, p->dur[x->e] - x->child_ns);
	an_str(t, row, R_NAME, k, p->name[x->e]);
	an_str(t, row, R_DOMAIN, k, tr->domain);
	table_i64(t, row, R_LEVEL, x->level);
	table_i64(t, row, R_CHILDREN, x->children);
	table_i64(t, row, R_ID, (int64_t)t->rows_seen - 1);
	if (x->parent != ID_NONE)
		table_i64(t, row, R_PARENT, x->parent);
	table_i64(t, row, R_TID, p->threads[tr->thread].tid);
	an_str(t, row, R_THREAD, k, p->threads[tr->thread].name);
	an_str(t, row, R_PAYLOAD, k, p->aux[x->e]);
	split_set(t, row, R_BY, k, split_host(k, tr->thread, p->start[x->e]));
	an_ref(t, row, REF_EVENT, k->f->source, x->e, 0, R_NAME);
	an_row_source(t, row, k, tr->pid);
}

static bool run_ranges(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	struct items s = { .ps = &ps };
	struct nvtx_thread th = { 0 };
	bool ok = selections_open(&ps, cx, sc, NEED_NVTX, t, _(NV_NONE), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		for (th.thread = 0; th.thread < ps.a[i].p->n_threads; th.thread++) {
			if (!selects_thread(&ps.a[i], th.thread))
				continue;
			nvtx_push_pop(&th, ps.a[i].p);
			add_ranges(&s, &ps.a[i], i, &th);
		}
		ok = !an_cancelled(cx, e);
	}
	ok = ok && put_items(&s, put_range, cx, t, e);
	VEC_FREE(&th.ranges);
	VEC_FREE(&s.v);
	selections_close(&ps);
	return ok;
}

const struct analysis an_calls = {
	.id = "calls", .title = N_("CUDA calls"), .doc = N_("every CUDA runtime and driver call, with the work that it launched"),
	.cols = call_cols, .n_cols = N_COLS(call_cols), .pages = true, .run = run_calls,
};
const struct analysis an_nvtxtrace = {
	.id = "nvtxtrace", .title = N_("NVTX ranges"), .doc = N_("every NVTX push/pop range with its nesting, thread by thread"),
	.cols = range_cols, .n_cols = N_COLS(range_cols), .pages = true, .run = run_ranges,
};
