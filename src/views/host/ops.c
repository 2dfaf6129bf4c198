/*
 * ops.c - view `ops`: operators by name with the exact split of their self time (definitions.md §7); view `opshapes`: the same ops
 * by name and input shapes: the rows of an op sum to its row in `ops`.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "measure/op_index.h"
#include "measure/op_time.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_NAME, C_COUNT, C_TOTAL, C_SELF, C_SYNC, C_LAUNCH, C_MEMCPY, C_OTHER, C_HOST, C_COPY_WAIT, C_DEVICE, C_EXPOSED, C_SHARE,
	C_PER_STEP, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Op"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the op") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 2, N_("ops that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total*"), UNIT_NS, 0, 4, N_("sum of durations: nested time counts twice") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, COL_BAR, 0, N_("time in which the op is the innermost of its thread") },
	[C_SYNC] = { "sync_ns", N_("Sync"), UNIT_NS, 0, 1, N_("part of self in synchronising calls") },
	[C_LAUNCH] = { "launch_ns", N_("Launch"), UNIT_NS, 0, 1, N_("part of self in kernel launch calls") },
	[C_MEMCPY] = { "memcpy_ns", N_("Memcpy"), UNIT_NS, 0, 1, N_("part of self in copy and memset calls (dispatch, not the transfer)") },
	[C_OTHER] = { "other_runtime_ns", N_("Runtime"), UNIT_NS, 0, 3, N_("part of self in other runtime calls") },
	[C_HOST] = { "host_ns", N_("Host"), UNIT_NS, 0, 1, N_("the rest of self: Python and C++ scheduling") },
	[C_COPY_WAIT] = { "copy_wait_ns", N_("Copy wait"), UNIT_NS, 0, 4, N_("part of memcpy in which copies that block wait for the device before they start") },
	[C_DEVICE] = { "device_ns", N_("Device"), UNIT_NS, 0, 3, N_("sum of the kernels launched inside") },
	[C_EXPOSED] = { "exposed_ns", N_("Exposed"), UNIT_NS, 0, 0, N_("part of self during which the device is idle") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 2,
		N_("self as a share of the wall, of rows over several processes of their walls; none where threads at once took longer") },
	[C_PER_STEP] = { "per_step", N_("Per step"), UNIT_FACTOR, 0, 3, N_("count by the number of steps in the window") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { S_NAME, S_SHAPE, S_COUNT, S_SELF, S_TOTAL, S_DEVICE, S_BY };

static const struct column_def shape_cols[] = {
	[S_NAME] = { "op", N_("Op"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the op") },
	[S_SHAPE] = { "shape", N_("Input shapes"), UNIT_TEXT, COL_KEY, 0, N_("dimensions of each input, [] without any; unknown where not recorded") },
	[S_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 0, N_("ops that start in the window") },
	[S_SELF] = { "self_ns", N_("Self"), UNIT_NS, COL_BAR, 0, N_("time in which the op is the innermost of its thread") },
	[S_TOTAL] = { "total_ns", N_("Total*"), UNIT_NS, 0, 2, N_("sum of durations: nested time counts twice") },
	[S_DEVICE] = { "device_ns", N_("Device"), UNIT_NS, 0, 0, N_("sum of the kernels launched inside; of ops of one name in each other, that of the inner one") },
	[S_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { OPS, SHAPES };

struct ops_acc {
	struct tally_row row;
	struct op_split s;
	uint32_t name, shape;	/* numbers in the names; shape: ID_NONE unknown */
	uint64_t latest;	/* who had an op of it last: source and process, + 1 */
	ns_t wall;		/* of all of them */
	uint32_t steps;		/* of the window in the source */
};
struct ops_view {
	struct tally y;
	bool by_shape;
	uint32_t steps;
	struct map owners;	/* (row, source and process) -> their number */
	uint32_t n_owners;
	uint32_t *row_of;	/* per op, ID_NONE = not in */
	bool any_shape;
};

static void accumulate(struct ops_acc *a, const struct op_split *s)
{
	a->s.count += s->count;
	a->s.total += s->total;
	a->s.self += s->self;
	a->s.exposed += s->exposed;
	a->s.copy_wait += s->copy_wait;
	for (int i = 0; i < RT_N; i++)
		a->s.rt[i] += s->rt[i];
}

/*
 * The row of a name and a shape, for an op of a process: the share of a row that merges processes or ranks is of the sum of their
 * walls.
 */
static struct ops_acc *acc_of(struct ops_view *v, const struct selection *k, uint32_t name, uint32_t shape, int64_t split, uint32_t proc)
{
	struct ops_acc *a = tally_add(&v->y, k, split, k->f->procs[proc].pid, TALLY_KEY(name, shape));
	uint64_t who = (uint64_t)tally_pick(&v->y, k) << 32 | proc;

	if (a->row.n == 1) {
		a->name = name;
		a->shape = shape;
		a->steps = v->steps;
	}
	if (a->latest == who + 1)
		return a;
	a->latest = who + 1;
	if (map_get_or_put(&v->owners, tally_index(&v->y, a), who, v->n_owners) == v->n_owners) {
		v->n_owners++;
		a->wall = i64_sum(a->wall, k->wall);
	}
	return a;
}

static uint32_t shape_of(struct ops_view *v, const struct selection *k, uint32_t op)
{
	const struct op_layer *o = &k->f->ops;
	const struct op_detail *d = !v->by_shape || o->from_nvtx ? NULL : profile_op_detail(k->p, o->ev ? o->ev[op] : op);

	if (!d || d->shape == ID_NONE)
		return ID_NONE;
	v->any_shape = true;
	return names_id(&v->y.names[SHAPES], d->shape);
}

static void add_op(struct ops_view *v, const struct selection *k, thread_id thread, uint32_t op, const struct op_split *s)
{
	int64_t split = split_host(k, thread, k->f->ops.start[op]);
	struct ops_acc *a = acc_of(v, k, names_id(&v->y.names[OPS], k->f->ops.name[op]), shape_of(v, k, op), split,
		k->f->threads[thread].proc);

	v->row_of[op] = tally_index(&v->y, a);
	accumulate(a, s);
}

/* Rows of one op: all but the shape is the same. */
static bool same_op(const struct ops_view *v, uint32_t a, uint32_t b)
{
	const uint64_t *x = v->y.g.keys[a].k, *z = v->y.g.keys[b].k;

	return x[0] == z[0] && x[2] == z[2] && x[3] == z[3];
}

/* Kernels count once for each name on the way from the launching op to the root. */
static void add_device(struct ops_view *v, const struct selection *k, const struct op_split *s)
{
	VEC(uint32_t) seen = { 0 };

	for (uint32_t op = 0; op < k->f->ops.n; op++) {
		seen.n = 0;
		for (uint32_t up = s[op].device ? op : ID_NONE; up != ID_NONE; up = k->f->ops.parent[up]) {
			bool again = v->row_of[up] == ID_NONE;

			for (size_t i = 0; i < seen.n && !again; i++)
				again = same_op(v, seen.a[i], v->row_of[up]);
			if (again)
				continue;
			((struct ops_acc *)tally_at(&v->y, v->row_of[up]))->s.device += s[op].device;
			VEC_PUSH(&seen, v->row_of[up]);
		}
	}
	VEC_FREE(&seen);
}

static bool device_known(const struct selection *k)
{
	return split_known(k) && k->p->caps & CAP_GPU;
}

static void add_ops(struct ops_view *v, const struct selection *k)
{
	struct op_split *s = op_splits(k);

	for (uint32_t i = 0; i < k->f->ops.n && !device_known(k); i++)
		s[i].exposed = s[i].self;	/* not shown: of the order of the rows only */
	v->row_of = xreallocarray(NULL, k->f->ops.n, sizeof(*v->row_of));
	for (uint32_t i = 0; i < k->f->ops.n; i++)
		v->row_of[i] = ID_NONE;
	for (uint32_t t = 0; t < k->f->ops.n_tracks; t++) {
		const struct op_track *tr = &k->f->ops.tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++)
			if (op_split_any(&s[i]) && selects_op(k, i))
				add_op(v, k, tr->thread, i, &s[i]);
	}
	add_device(v, k, s);
	free(v->row_of);
	free(s);
}

/* Whether a row is what its name has in the window: nothing tells its ops apart but the process. */
static bool whole_names(const struct scope *sc)
{
	return (sc->by == BY_NONE || sc->by == BY_ALL) && sc->device == SCOPE_ANY && !scope_of_threads(sc) &&
		!sc->phases && sc->kclass < 0 && !sc->subclass_hash && !sc->kernel_hash && !sc->op_hash && !sc->runtime_hash;
}

/* The same sums without going through the ops one by one. */
static void add_names(struct ops_view *v, const struct selection *k, const struct op_index *ix)
{
	struct op_split *sums = xcalloc(op_index_slots(ix), sizeof(*sums));
	size_t n;
	const struct span *windows = selection_windows(k, &n);

	op_index_sum(ix, windows, n, sums);
	for (uint32_t i = 0; i < op_index_slots(ix); i++) {
		struct ops_acc *a;

		if (!op_split_any(&sums[i]))
			continue;
		if (!device_known(k))
			sums[i].exposed = sums[i].self;
		a = acc_of(v, k, op_index_name_id(ix, i, &v->y.names[OPS]), ID_NONE, SPLIT_NONE, op_index_proc(ix, i));
		accumulate(a, &sums[i]);
		a->s.device += sums[i].device;
	}
	free(sums);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct ops_view *v = view;
	const struct op_index *ix = !v->by_shape && whole_names(k->sc) ? facts_op_index(k->f) : NULL;

	(void)e;
	if (k->f->ops.from_nvtx)
		table_note(t, _("%s: the ops are NVTX ranges named like operators"), k->src->path);
	if (!split_known(k) && !v->by_shape)
		table_note(t, _("%s: no runtime calls recorded: the split of self time is unknown"), k->src->path);
	v->steps = selection_n_steps(k);
	if (ix)
		add_names(v, k, ix);
	else
		add_ops(v, k);
	return true;
}

/* What the device waited for comes first: self time under which the device works costs nothing. Without a device all of it is exposed. */
static int acc_cmp(const void *pa, const void *pb)
{
	const struct ops_acc *a = pa, *b = pb;
	int c = tally_cmp_down(a->s.exposed, b->s.exposed);

	return c ? c : tally_cmp_down(a->s.self, b->s.self);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	const struct ops_acc *a = acc;
	const struct selection *k = tally_source(y, &a->row);

	names_put(t, row, C_NAME, &y->names[OPS], a->name);
	table_i64(t, row, C_COUNT, a->s.count);
	table_i64(t, row, C_TOTAL, a->s.total);
	table_i64(t, row, C_SELF, a->s.self);
	if (split_known(k)) {
		op_split_put(t, row, C_SYNC, a->s.self, a->s.rt);
		table_i64(t, row, C_COPY_WAIT, a->s.copy_wait);
	}
	if (device_known(k)) {
		table_i64(t, row, C_DEVICE, a->s.device);
		table_i64(t, row, C_EXPOSED, a->s.exposed);
	}
	if (a->wall > 0)
		table_share(t, row, C_SHARE, (double)a->s.self, (double)a->wall);
	if (a->steps && k->sc->by != BY_STEP)
		table_f64(t, row, C_PER_STEP, (double)a->s.count / a->steps);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
}

static int shape_cmp(const void *pa, const void *pb)
{
	const struct ops_acc *a = pa, *b = pb;
	int c = tally_cmp_down(a->s.self, b->s.self);

	return c ? c : tally_cmp_down(a->s.total, b->s.total);
}

static void put_shape(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	const struct ops_acc *a = acc;
	const struct selection *k = tally_source(y, &a->row);

	names_put(t, row, S_NAME, &y->names[OPS], a->name);
	names_put(t, row, S_SHAPE, &y->names[SHAPES], a->shape);
	table_i64(t, row, S_COUNT, a->s.count);
	table_i64(t, row, S_SELF, a->s.self);
	table_i64(t, row, S_TOTAL, a->s.total);
	if (device_known(k))
		table_i64(t, row, S_DEVICE, a->s.device);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, S_NAME);
}

#define NO_OPS N_("no operators: record with torch.profiler (CPU activities) or with --pytorch=autograd-nvtx (nsys)")

static const struct tally_view ops = {
	.kind = NEED_OPS, .none = NO_OPS, .source = add_source, .n_names = 2,
	.row_size = sizeof(struct ops_acc), .cmp = acc_cmp, .put = put,
};
static const struct tally_view shapes = {
	.kind = NEED_OPS, .none = NO_OPS, .source = add_source, .n_names = 2,
	.row_size = sizeof(struct ops_acc), .cmp = shape_cmp, .put = put_shape,
};

static bool run_view(const struct an_ctx *cx, const struct scope *sc, struct table *t, bool by_shape, struct err *e)
{
	struct ops_view v = { .y.how = by_shape ? &shapes : &ops, .y.names[OPS].cut = rules_op_base, .by_shape = by_shape };
	bool ok = tally_run(&v.y, cx, sc, t, e);

	if (ok && by_shape && t->n_rows && !v.any_shape)
		table_note(t, _("no input shapes recorded: use torch.profiler with record_shapes=True"));
	map_fini(&v.owners);
	return ok;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run_view(cx, sc, t, false, e);
}

static bool run_shapes(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run_view(cx, sc, t, true, e);
}

const struct analysis an_ops = {
	.id = "ops", .title = N_("Ops"), .doc = N_("operators by the part of their self time that the device waited for; every row explains its self time"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};

const struct analysis an_opshapes = {
	.id = "opshapes", .title = N_("Ops by input shapes"), .doc = N_("operators by name and the shapes of their inputs; the rows of an op sum to its row in ops"),
	.cols = shape_cols, .n_cols = N_COLS(shape_cols), .run = run_shapes,
};
