/*
 * chains.c - views `chains` (each GPU event with the whole way to it: phase, Python frame, op,
 * runtime call) and `callers` (each runtime call with the op and the Python frame that made it).
 * One row per distinct way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum {
	H_PHASE,
	H_FRAME,
	H_ROOT,
	H_OP,
	H_CALL,
	H_KERNEL,
	H_COUNT,
	H_CALL_NS,
	H_GPU,
	H_SHARE
};

static const struct column_def chain_cols[] = {
	[H_PHASE] = {"phase", N_("Phase"), UNIT_TEXT, COL_KEY, 0,
		     N_("phase of the step at the launch; empty: unattributed")},
	[H_FRAME] = {"frame", N_("Python frame"), UNIT_TEXT, 0, 3,
		     N_("innermost Python function at the launch, on the same thread")},
	[H_ROOT] = {"root", N_("Outer op"), UNIT_TEXT, 0, 4, N_("outermost op around the launch")},
	[H_OP] = {"op", N_("Op"), UNIT_TEXT, 0, 1, N_("innermost op around the launch")},
	[H_CALL] = {"call", N_("Runtime call"), UNIT_TEXT, 0, 2, N_("the call that launched it")},
	[H_KERNEL] = {"kernel", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0,
		      N_("name of the kernel, or the kind of the copy")},
	[H_COUNT] = {"count", N_("Count"), UNIT_COUNT, 0, 2, N_("GPU events")},
	[H_CALL_NS] = {"call_ns", N_("In calls"), UNIT_NS, 0, 3,
		       N_("host time of the launching calls, each counted once")},
	[H_GPU] = {"gpu_ns", N_("GPU time"), UNIT_NS, COL_BAR, 0,
		   N_("sum of the GPU events' durations")},
	[H_SHARE] = {"share", N_("Share"), UNIT_RATIO, 0, 1, N_("of the GPU time of all rows")},
	SOURCE_COLS};

enum {
	R_CLASS,
	R_CALL,
	R_OP,
	R_FRAME,
	R_PHASE,
	R_COUNT,
	R_TOTAL,
	R_SHARE,
	R_BY
};

static const struct column_def caller_cols[] = {
	[R_CLASS] = {"class", N_("Class"), UNIT_TEXT, COL_KEY, 1,
		     N_("sync, launch, memcpy or other")},
	[R_CALL] = {"call", N_("Runtime call"), UNIT_TEXT, COL_KEY, 0,
		    N_("the call, whole and verbatim")},
	[R_OP] = {"op", N_("Op"), UNIT_TEXT, 0, 0, N_("innermost op around the call")},
	[R_FRAME] = {"frame", N_("Python frame"), UNIT_TEXT, COL_NAME, 0,
		     N_("innermost Python function around the call, on the same thread")},
	[R_PHASE] = {"phase", N_("Phase"), UNIT_TEXT, 0, 2,
		     N_("phase of the step in which the calls start")},
	[R_COUNT] = {"count", N_("Count"), UNIT_COUNT, 0, 1, N_("calls that start in the window")},
	[R_TOTAL] = {"total_ns", N_("Total"), UNIT_NS, COL_BAR, 0,
		     N_("their host time, clipped to the window")},
	[R_SHARE] = {"share", N_("Share"), UNIT_RATIO, 0, 2, N_("of the time of all rows")},
	[R_BY] = SPLIT_COL(""),
	SOURCE_COLS};

/* Copies and memsets have numbers of their own among those of kernel names. */
#define COPY_BASE     0xffffff00u
#define MEMSET_NUMBER (COPY_BASE + 0x80)

struct chains_way {
	int64_t count, pid;
	ns_t ns, call_ns; /* chains: GPU time and time in calls; callers: host time in ns */
	uint32_t pick;
	uint8_t phase; /* PHASE_N unattributed */
	enum rt_class class;
	uint32_t frame, root, op, call, kernel; /* numbers of names, ID_NONE none */
	int64_t split;		/* callers: value of --by */
};
struct ways {
	struct groups groups;
	struct names names; /* of ops, calls, kernels and frames alike */
	VEC(struct chains_way) a;
	struct map splits;	/* values of --by -> 0, 1, 2 … */
	uint32_t n_splits;
	uint32_t pick;
	ns_t sum;
};

static uint32_t python_frame(struct ways *w, const struct selection *k, thread_id thread, ns_t at)
{
	track_id tr = thread == ID_NONE ? ID_NONE : profile_host_track(k->p, LAYER_PYTHON, thread);
	ev_id e = tr == ID_NONE ? ID_NONE : track_event_at(k->p, &k->p->tracks[tr], at);

	for (; e != ID_NONE; e = k->p->parent[e]) {
		struct frame_name fn;
		size_t n;
		const char *s = profile_str(k->p, k->p->name[e], &n);

		rules_frame_name(s, n, &fn);
		if (fn.kind == FRAME_PYTHON)
			return names_id(&w->names, k->p->name[e]);
	}
	return ID_NONE;
}

/* Everything that is known of a call: who made it. */
static struct chains_way way_of_call(struct ways *w, const struct selection *k, ev_id call)
{
	struct chains_way x = {.pick = w->pick,
			.pid = -1,
			.phase = PHASE_N,
			.frame = ID_NONE,
			.root = ID_NONE,
			.op = ID_NONE,
			.call = ID_NONE,
			.kernel = ID_NONE};
	thread_id thread;
	uint32_t op, root;

	if (call == ID_NONE)
		return x;
	thread = k->f->call_thread[call - k->p->layer_first[LAYER_RUNTIME]];
	op = root = facts_op_of_call(k->f, call);
	while (root != ID_NONE && k->f->ops.parent[root] != ID_NONE)
		root = k->f->ops.parent[root];
	if (op != ID_NONE) {
		x.op = names_id(&w->names, k->f->ops.name[op]);
		x.root = names_id(&w->names, k->f->ops.name[root]);
	}
	x.call = names_id(&w->names, k->p->name[call]);
	x.class = facts_rt(k->f, call);
	if (k->p->caps & CAP_PYTHON)
		x.frame = python_frame(w, k, thread, k->p->start[call]);
	if (thread != ID_NONE) {
		x.pid = k->p->threads[thread].pid;
		x.phase = (uint8_t)facts_phase_at(k->f, k->f->threads[thread].proc,
						  k->p->start[call]);
	}
	return x;
}

static struct chains_way *ways_at(struct ways *w, const struct chains_way *x)
{
	const struct group_key key = {.k = {(uint64_t)x->pick << 32 | x->phase,
					    (uint64_t)x->root << 32 | x->op,
					    (uint64_t)x->call << 32 | x->kernel,
					    (uint64_t)x->frame << 32 | (uint32_t)x->pid}};
	uint32_t g = groups_add(&w->groups, &key);

	if (g == w->a.n)
		VEC_PUSH(&w->a, *x);
	return &w->a.a[g];
}

static uint32_t gpu_name(struct ways *w, const struct selection *k, const struct track *tr, ev_id e)
{
	uint32_t aux = k->p->aux[e];

	if (tr->layer == LAYER_KERNEL)
		return names_id(&w->names, k->p->name[e]);
	if (tr->layer == LAYER_MEMSET)
		return MEMSET_NUMBER;
	return COPY_BASE + (aux == ID_NONE ? (uint32_t)COPY_UNKNOWN : k->p->copies[aux].kind);
}

static void add_gpu(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct ways *w = arg;
	ev_id call = k->p->link[e];
	struct chains_way x = way_of_call(w, k, call), *to;
	uint32_t first;

	x.kernel = gpu_name(w, k, tr, e);
	if (x.pid < 0)
		x.pid = tr->pid;
	to = ways_at(w, &x);
	to->count++;
	to->ns += k->p->dur[e];
	w->sum += k->p->dur[e];
	/* A graph launch has many kernels, but takes its time once. */
	if (call != ID_NONE && profile_launched_by(k->p, call, &first) &&
	    k->p->by_launch[first] == e)
		to->call_ns += k->p->dur[call];
}

static void add_call(struct ways *w, const struct selection *k, ev_id call)
{
	ns_t clipped = selection_clip(k, k->p->start[call], ev_end(k->p, call));
	bool counted = selects_at(k, k->p->start[call]);
	struct chains_way x, *to;

	if ((!clipped && !counted) || !selects_call(k, call))
		return;
	x = way_of_call(w, k, call);
	x.split = split_host(k, k->f->call_thread[call - k->p->layer_first[LAYER_RUNTIME]], k->p->start[call]);
	/* callers know no outer op: its place in the key is that of the split */
	x.root = map_get_or_put(&w->splits, (uint64_t)x.split, 0, w->n_splits);
	w->n_splits += x.root == w->n_splits;
	to = ways_at(w, &x);
	to->count += counted;
	to->ns += clipped;
	w->sum += clipped;
}

/*
 * ---- rows --------------------------------------------------------------------------------------
 */

static int way_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct chains_way *x = (const struct chains_way *)arg + a, *y = (const struct chains_way *)arg + b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void put_name(struct table *t, uint32_t row, uint32_t col, const struct ways *w,
		     uint32_t number)
{
	size_t n;
	const char *s;

	if (number == ID_NONE)
		return;
	if (number >= COPY_BASE) {
		table_cstr(t, row, col,
			   number == MEMSET_NUMBER ? "memset"
						   : arena_printf(&t->arena, "memcpy %s",
								  copy_kind_name((enum copy_kind)(
									  number - COPY_BASE))));
		return;
	}
	s = names_str(&w->names, number, &n);
	table_str(t, row, col, s, n);
}

static void put_chain(const struct ways *w, const struct selections *ps, struct table *t,
		      const struct chains_way *x)
{
	uint32_t row = table_row(t);

	table_cstr(t, row, H_PHASE, x->phase < PHASE_N ? phase_name((enum phase)x->phase) : NULL);
	put_name(t, row, H_FRAME, w, x->frame);
	put_name(t, row, H_ROOT, w, x->root);
	put_name(t, row, H_OP, w, x->op);
	put_name(t, row, H_CALL, w, x->call);
	put_name(t, row, H_KERNEL, w, x->kernel);
	table_i64(t, row, H_COUNT, x->count);
	if (x->call != ID_NONE)
		table_i64(t, row, H_CALL_NS, x->call_ns);
	table_i64(t, row, H_GPU, x->ns);
	if (w->sum > 0)
		table_share(t, row, H_SHARE, (double)x->ns, (double)w->sum);
	if (x->kernel < COPY_BASE)
		an_ref(t, row, REF_KERNEL, ps->a[x->pick].f->source, 0, 0, H_KERNEL);
	selections_row_owner(t, row, ps, x->pick, x->pid);
}

static void put_caller(const struct ways *w, const struct selections *ps, struct table *t,
		       const struct chains_way *x)
{
	uint32_t row = table_row(t);

	table_cstr(t, row, R_CLASS, rt_class_name(x->class));
	put_name(t, row, R_CALL, w, x->call);
	put_name(t, row, R_OP, w, x->op);
	put_name(t, row, R_FRAME, w, x->frame);
	table_cstr(t, row, R_PHASE, x->phase < PHASE_N ? phase_name((enum phase)x->phase) : NULL);
	table_i64(t, row, R_COUNT, x->count);
	table_i64(t, row, R_TOTAL, x->ns);
	if (w->sum > 0)
		table_share(t, row, R_SHARE, (double)x->ns, (double)w->sum);
	split_set(t, row, R_BY, &ps->a[x->pick], x->split);
	an_ref(t, row, REF_RUNTIME, ps->a[x->pick].f->source, 0, 0, R_CALL);
	selections_row_owner(t, row, ps, x->pick, x->pid);
}

static void put_rows(struct ways *w, const struct selections *ps, struct table *t,
		     void (*put)(const struct ways *, const struct selections *, struct table *,
				 const struct chains_way *))
{
	uint32_t *order = groups_order((uint32_t)w->a.n, way_cmp, w->a.a);

	for (size_t i = 0; i < w->a.n; i++)
		put(w, ps, t, &w->a.a[order[i]]);
	free(order);
}

static bool chains_source(struct ways *w, const struct selection *k, struct err *e)
{
	return selections_gpu(k, LAYER_KERNEL, add_gpu, w, e) &&
	       selections_gpu(k, LAYER_MEMCPY, add_gpu, w, e) &&
	       selections_gpu(k, LAYER_MEMSET, add_gpu, w, e);
}

static bool callers_source(struct ways *w, const struct selection *k, struct err *e)
{
	for (track_id tr = k->p->layer_track[LAYER_RUNTIME];
	     tr < k->p->layer_track[LAYER_RUNTIME + 1]; tr++) {
		const struct track *track = &k->p->tracks[tr];

		for (ev_id ev = track->first;
		     selects_thread(k, track->thread) && ev < track->first + track->count; ev++)
			add_call(w, k, ev);
		if (an_cancelled(k->cx, e))
			return false;
	}
	return true;
}

/* Of the sources of a run the one with ops: without them the way ends at the call. */
static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e,
		bool gpu)
{
	struct ways w = {0};
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_JOINT, t, _(NO_GPU_WORK), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		w.pick = i;
		names_enter(&w.names, ps.a[i].p);
		w.names.cut = ps.a[i].f->ops.from_nvtx ? rules_op_base
						       : NULL; /* torch's own op names are whole */
		ok = gpu ? chains_source(&w, &ps.a[i], e) : callers_source(&w, &ps.a[i], e);
	}
	if (ok)
		put_rows(&w, &ps, t, gpu ? put_chain : put_caller);
	VEC_FREE(&w.a);
	groups_fini(&w.groups);
	map_fini(&w.splits);
	names_fini(&w.names);
	selections_close(&ps);
	return ok;
}

static bool run_chains(const struct an_ctx *cx, const struct scope *sc, struct table *t,
		       struct err *e)
{
	return run(cx, sc, t, e, true);
}

static bool run_callers(const struct an_ctx *cx, const struct scope *sc, struct table *t,
			struct err *e)
{
	return run(cx, sc, t, e, false);
}

const struct analysis an_chains = {
	.id = "chains",
	.title = N_("Ways to the kernels"),
	.doc = N_("GPU work by phase, Python frame, op and runtime call that lead to it"),
	.cols = chain_cols,
	.n_cols = N_COLS(chain_cols),
	.run = run_chains,
};

const struct analysis an_callers = {
	.id = "callers",
	.title = N_("Callers of the runtime"),
	.doc = N_("CUDA runtime calls by the op and the Python frame that made them"),
	.cols = caller_cols,
	.n_cols = N_COLS(caller_cols),
	.run = run_callers,
};
