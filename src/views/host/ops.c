/*
 * ops.c - view `ops`: operators by name with the exact split of their self time (definitions.md §7); view `opshapes`: the same ops
 * by name and input shapes: the rows of an op sum to its row in `ops`.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "measure/op_index.h"
#include "measure/op_time.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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

struct op_acc {
	struct op_split s;
	uint32_t shape;		/* number in the shapes, ID_NONE */
	int64_t split, source, pid;
	const char *name;
	size_t len;
	uint64_t latest;	/* who had an op of it last: source and process */
	ns_t wall;		/* of all of them */
	uint32_t steps;		/* of the window in the source */
};
struct op_view {
	struct groups groups;
	struct names names, shapes;
	bool by_shape;
	VEC(struct op_acc) acc;
	const struct scope *sc;
	uint32_t pick_index, steps;
	struct map owners;	/* (row, source and process) -> their number */
	uint32_t n_owners;
	uint32_t *group_of;	/* per op, ID_NONE = not in */
	bool any_shape;
};

static void accumulate(struct op_acc *a, const struct op_split *s)
{
	a->s.count += s->count;
	a->s.total += s->total;
	a->s.self += s->self;
	a->s.exposed += s->exposed;
	a->s.copy_wait += s->copy_wait;
	for (int i = 0; i < RT_N; i++)
		a->s.rt[i] += s->rt[i];
}

/* The row of a name, and a shape; a new one belongs to nobody yet. */
static uint32_t row_of(struct op_view *v, uint32_t name, uint32_t shape, int64_t split)
{
	uint32_t g = groups_add(&v->groups, &(struct group_key){
		.k = { name, (uint64_t)split, v->sc->by == BY_ALL ? 0 : v->pick_index, shape } });

	if (g == v->acc.n) {
		VEC_PUSH(&v->acc, (struct op_acc){ .shape = shape, .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .latest = UINT64_MAX,
			.steps = v->steps });
		v->acc.a[g].name = names_str(&v->names, name, &v->acc.a[g].len);
	}
	return g;
}

/* Whose op it is: the share of a row that merges processes or ranks is of the sum of their walls. */
static void add_owner(struct op_view *v, const struct pick *k, uint32_t row, uint32_t proc)
{
	struct op_acc *a = &v->acc.a[row];
	uint64_t who = (uint64_t)v->pick_index << 32 | proc;

	if (a->latest == who)
		return;
	a->latest = who;
	owner_add(&a->source, v->pick_index);
	owner_add(&a->pid, k->f->procs[proc].pid);
	if (map_get_or_put(&v->owners, row, who, v->n_owners) != v->n_owners)
		return;
	v->n_owners++;
	a->wall = i64_sum(a->wall, k->wall);
}

static uint32_t shape_of(struct op_view *v, const struct pick *k, uint32_t op)
{
	const struct oplayer *o = &k->f->ops;
	const struct op_detail *d = !v->by_shape || o->from_nvtx ? NULL : profile_op_detail(k->p, o->ev ? o->ev[op] : op);

	if (!d || d->shape == ID_NONE)
		return ID_NONE;
	v->any_shape = true;
	return names_id(&v->shapes, d->shape);
}

static void add_op(struct op_view *v, const struct pick *k, thread_id thread, uint32_t op, const struct op_split *s)
{
	int64_t split = split_host(k, thread, k->f->ops.start[op]);
	uint32_t g = row_of(v, names_id(&v->names, k->f->ops.name[op]), shape_of(v, k, op), split);

	v->group_of[op] = g;
	add_owner(v, k, g, k->f->threads[thread].proc);
	accumulate(&v->acc.a[g], s);
}

/* Rows of one op: all but the shape is the same. */
static bool same_op(const struct op_view *v, uint32_t a, uint32_t b)
{
	return a == b || !memcmp(v->groups.keys[a].k, v->groups.keys[b].k, 3 * sizeof(uint64_t));
}

/* Kernels count once for each name on the way from the launching op to the root. */
static void add_device(struct op_view *v, const struct pick *k, const struct op_split *s)
{
	VEC(uint32_t) seen = { 0 };

	for (uint32_t op = 0; op < k->f->ops.n; op++) {
		seen.n = 0;
		for (uint32_t up = s[op].device ? op : ID_NONE; up != ID_NONE; up = k->f->ops.parent[up]) {
			bool again = v->group_of[up] == ID_NONE;

			for (size_t i = 0; i < seen.n && !again; i++)
				again = same_op(v, seen.a[i], v->group_of[up]);
			if (again)
				continue;
			v->acc.a[v->group_of[up]].s.device += s[op].device;
			VEC_PUSH(&seen, v->group_of[up]);
		}
	}
	VEC_FREE(&seen);
}

static bool device_known(const struct pick *k)
{
	return split_known(k) && k->p->caps & CAP_GPU;
}

static void add_ops(struct op_view *v, const struct pick *k)
{
	struct op_split *s = op_splits(k);

	for (uint32_t i = 0; i < k->f->ops.n && !device_known(k); i++)
		s[i].exposed = s[i].self;	/* not shown: of the order of the rows only */
	v->group_of = xreallocarray(NULL, k->f->ops.n, sizeof(*v->group_of));
	for (uint32_t i = 0; i < k->f->ops.n; i++)
		v->group_of[i] = ID_NONE;
	for (uint32_t t = 0; t < k->f->ops.n_tracks; t++) {
		const struct op_track *tr = &k->f->ops.tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++)
			if (op_split_any(&s[i]) && pick_op(k, i))
				add_op(v, k, tr->thread, i, &s[i]);
	}
	add_device(v, k, s);
	free(v->group_of);
	free(s);
}

/* Whether a row is what its name has in the window: nothing tells its ops apart but the process. */
static bool whole_names(const struct scope *sc)
{
	return (sc->by == BY_NONE || sc->by == BY_ALL) && sc->device == SCOPE_ANY && !scope_of_threads(sc) &&
		!sc->phases && sc->kclass < 0 && !sc->subclass_hash && !sc->kernel_hash && !sc->op_hash && !sc->runtime_hash;
}

/* The same sums without going through the ops one by one. */
static void add_names(struct op_view *v, const struct pick *k, const struct op_index *ix)
{
	struct op_split *acc = xcalloc(op_index_slots(ix), sizeof(*acc));
	size_t n;
	const struct span *windows = pick_windows(k, &n);

	op_index_sum(ix, windows, n, acc);
	for (uint32_t i = 0; i < op_index_slots(ix); i++) {
		uint32_t row;

		if (!op_split_any(&acc[i]))
			continue;
		if (!device_known(k))
			acc[i].exposed = acc[i].self;
		row = row_of(v, op_index_name_id(ix, i, &v->names), ID_NONE, SPLIT_NONE);
		add_owner(v, k, row, op_index_proc(ix, i));
		accumulate(&v->acc.a[row], &acc[i]);
		v->acc.a[row].s.device += acc[i].device;
	}
	free(acc);
}

static void add_source(struct op_view *v, const struct pick *k)
{
	const struct op_index *ix = !v->by_shape && whole_names(k->sc) ? facts_op_index(k->f) : NULL;

	v->steps = picks_n_steps(k);
	names_enter(&v->names, k->p);
	names_enter(&v->shapes, k->p);
	if (ix)
		add_names(v, k, ix);
	else
		add_ops(v, k);
}

/* What the device waited for comes first: self time under which the device works costs nothing. Without a device all of it is exposed. */
static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct op_acc *x = (const struct op_acc *)arg + a, *y = (const struct op_acc *)arg + b;

	if (x->s.exposed != y->s.exposed)
		return x->s.exposed < y->s.exposed ? 1 : -1;
	return (x->s.self < y->s.self) - (x->s.self > y->s.self);
}

static void put_rows(const struct op_view *v, const struct picks *ps, struct table *t)
{
	uint32_t *order = groups_order((uint32_t)v->acc.n, acc_cmp, v->acc.a);

	for (size_t i = 0; i < v->acc.n; i++) {
		const struct op_acc *a = &v->acc.a[order[i]];
		const struct pick *k = &ps->a[a->source == OWNER_MIXED ? 0 : a->source];
		uint32_t row = table_row(t);

		table_str(t, row, C_NAME, a->name ? a->name : "", a->len);
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
		if (a->steps && v->sc->by != BY_STEP)
			table_f64(t, row, C_PER_STEP, (double)a->s.count / a->steps);
		split_set(t, row, C_BY, k, a->split);
		an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
		picks_row_owner(t, row, ps, a->source, a->pid);
	}
	free(order);
}

static int shape_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct op_acc *x = (const struct op_acc *)arg + a, *y = (const struct op_acc *)arg + b;

	if (x->s.self != y->s.self)
		return x->s.self < y->s.self ? 1 : -1;
	return (x->s.total < y->s.total) - (x->s.total > y->s.total);
}

static void put_shapes(const struct op_view *v, const struct picks *ps, struct table *t)
{
	uint32_t *order = groups_order((uint32_t)v->acc.n, shape_cmp, v->acc.a);

	for (size_t i = 0; i < v->acc.n; i++) {
		const struct op_acc *a = &v->acc.a[order[i]];
		const struct pick *k = &ps->a[a->source == OWNER_MIXED ? 0 : a->source];
		uint32_t row = table_row(t);
		size_t n;
		const char *s = names_str(&v->shapes, a->shape, &n);

		table_str(t, row, S_NAME, a->name ? a->name : "", a->len);
		if (s)
			table_str(t, row, S_SHAPE, s, n);
		table_i64(t, row, S_COUNT, a->s.count);
		table_i64(t, row, S_SELF, a->s.self);
		table_i64(t, row, S_TOTAL, a->s.total);
		if (device_known(k))
			table_i64(t, row, S_DEVICE, a->s.device);
		split_set(t, row, S_BY, k, a->split);
		an_ref(t, row, REF_OP, k->f->source, 0, 0, S_NAME);
		picks_row_owner(t, row, ps, a->source, a->pid);
	}
	if (v->acc.n && !v->any_shape)
		table_note(t, _("no input shapes recorded: use torch.profiler with record_shapes=True"));
	free(order);
}

static bool run_view(const struct an_ctx *cx, const struct scope *sc, struct table *t, bool by_shape, struct err *e)
{
	struct op_view v = { .names = { .cut = rules_op_base }, .sc = sc, .by_shape = by_shape };
	struct picks ps;
	bool ok = picks_open(&ps, cx, sc, VIEW_OPS, t, _("no operators: record with torch.profiler (CPU activities) or with "
		"--pytorch=autograd-nvtx (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		v.pick_index = i;
		if (ps.a[i].f->ops.from_nvtx)
			table_note(t, _("%s: the ops are NVTX ranges named like operators"), ps.a[i].src->path);
		if (!split_known(&ps.a[i]) && !by_shape)
			table_note(t, _("%s: no runtime calls recorded: the split of self time is unknown"), ps.a[i].src->path);
		add_source(&v, &ps.a[i]);
		ok = !an_cancelled(cx, e);
	}
	if (ok)
		(by_shape ? put_shapes : put_rows)(&v, &ps, t);
	VEC_FREE(&v.acc);
	map_fini(&v.owners);
	groups_fini(&v.groups);
	names_fini(&v.names);
	names_fini(&v.shapes);
	picks_close(&ps);
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
