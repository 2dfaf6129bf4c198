/*
 * optree.c - views `optree`: the ops merged by call path over the window, each path with its own time; and `opcallers`: the same from
 * the leaves, each op with its own time, below it who called it and how much of that time each way up accounts for. The self times are
 * those of `ops` (definitions.md §7); those of all nodes of the one, and those of the roots of the other, sum to them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "calc/calltree.h"
#include "measure/op_time.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

/* Columns: those of calltree_row() first; all after C_COUNT stand one further in `optree`, which has a total. */
enum { C_ID, C_PARENT, C_NAME, C_DEPTH, C_COUNT, C_TOTAL, C_SELF = C_TOTAL, C_SYNC, C_LAUNCH, C_MEMCPY, C_OTHER, C_HOST, C_DEVICE, C_SHARE };

/* clang-format off */
#define PARTS_COLS(self_doc, bar) \
	{ "self_ns", N_("Self"), UNIT_NS, bar, 0, self_doc }, \
	{ "sync_ns", N_("Sync"), UNIT_NS, 0, 3, N_("part of self in synchronising calls") }, \
	{ "launch_ns", N_("Launch"), UNIT_NS, 0, 3, N_("part of self in kernel launch calls") }, \
	{ "memcpy_ns", N_("Memcpy"), UNIT_NS, 0, 4, N_("part of self in copy and memset calls") }, \
	{ "other_runtime_ns", N_("Runtime"), UNIT_NS, 0, 6, \
		N_("part of self in other runtime calls") }, \
	{ "host_ns", N_("Host"), UNIT_NS, 0, 4, N_("the rest of self") }
/* clang-format on */

static const struct column_def down_cols[] = {
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the parent node; none at roots") },
	[C_NAME] = { "name", N_("Op"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the op") },
	[C_DEPTH] = { "depth", N_("Depth"), UNIT_ID, COL_JSON_ONLY, 9, N_("0 at roots") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 2, N_("ops that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("time with the ops of this path, clipped to the window") },
	PARTS_COLS(N_("time in which an op of this path is the innermost"), 0),
	{ "device_ns", N_("Device"), UNIT_NS, 0, 2, N_("sum of the kernels launched by this path and below it") },
	{ "share", N_("Share"), UNIT_RATIO, 0, 5, N_("self as a share of the walls of all processes in the tree; none where threads at once took longer") },
	SOURCE_COLS
};

static const struct column_def up_cols[] = {
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the op that this one calls; none at roots") },
	[C_NAME] = { "name", N_("Op and its callers"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the op; below it the op that called it") },
	[C_DEPTH] = { "depth", N_("Depth"), UNIT_ID, COL_JSON_ONLY, 9, N_("0 at roots, 1 for their callers") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 2, N_("calls of the root op this way that start in the window") },
	PARTS_COLS(N_("own time of the root op when it is called this way"), COL_BAR),
	{ "device_ns", N_("Device"), UNIT_NS, 0, 2, N_("sum of the kernels that the root op launches itself") },
	{ "share", N_("Share"), UNIT_RATIO, 0, 5, N_("self as a share of the walls of all processes in the tree; none where threads at once took longer") },
	SOURCE_COLS
};

struct op_view {
	struct calltree tree;
	struct names names;
	struct op_split *sum;	/* per node: the parts of self */
	uint32_t cap;
	bool up;		/* from the leaves */
};

static void add_to_node(struct op_view *v, uint32_t node, const struct op_split *s)
{
	struct call_node *n = &v->tree.a[node];

	if (node >= v->cap) {
		uint32_t cap = (uint32_t)mem_grow(v->cap, node + 1);

		v->sum = xreallocarray(v->sum, cap, sizeof(*v->sum));
		for (; v->cap < cap; v->cap++)
			v->sum[v->cap] = (struct op_split){ 0 };
	}
	n->count += s->count;
	n->total += v->up ? s->self : s->total;	/* what siblings are ordered by */
	n->self += s->self;
	n->device += s->device;
	for (int i = 0; i < RT_N; i++)
		v->sum[node].rt[i] += s->rt[i];
}

static void build_down(struct op_view *v, const struct selection *k, const struct op_split *s)
{
	const struct op_layer *o = &k->f->ops;
	uint32_t *node_of = xreallocarray(NULL, o->n, sizeof(*node_of));

	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t up = o->parent[i] == ID_NONE ? ID_NONE : node_of[o->parent[i]];

		node_of[i] = ID_NONE;
		if (!op_split_any(&s[i]) || !selects_op(k, i))
			continue;
		node_of[i] = calltree_node(&v->tree, up, names_id(&v->names, o->name[i]), i);
		add_to_node(v, node_of[i], &s[i]);
	}
	for (uint32_t i = v->tree.n; i-- > 0;)
		if (v->tree.a[i].parent != ID_NONE)
			v->tree.a[v->tree.a[i].parent].device += v->tree.a[i].device;
	free(node_of);
}

struct op_up {
	struct op_view *v;
	const struct op_layer *o;
	const struct op_split *s;
};

static uint32_t add_caller(void *arg, uint32_t leaf, uint32_t at, uint32_t parent)
{
	const struct op_up *u = arg;
	uint32_t node = calltree_node(&u->v->tree, parent, names_id(&u->v->names, u->o->name[at]), leaf);

	add_to_node(u->v, node, &u->s[leaf]);
	return node;
}

static uint32_t caller_of(void *arg, uint32_t at)
{
	const struct op_up *u = arg;

	return u->o->parent[at];
}

static void build_up(struct op_view *v, const struct selection *k, const struct op_split *s, struct table *t)
{
	const struct op_layer *o = &k->f->ops;
	struct op_up u = { v, o, s };
	VEC(uint32_t) stacks = { 0 };
	struct unwound un;

	for (uint32_t i = 0; i < o->n; i++)
		if (op_split_any(&s[i]) && selects_op(k, i))
			VEC_PUSH(&stacks, i);
	calltree_unwind(&v->tree, &(struct unwinding){ add_caller, caller_of, &u }, stacks.a, stacks.n, k->cx->job, &un);
	calltree_note_cut(t, k->src->path, &un);
	VEC_FREE(&stacks);
}

static void put_rows(const struct op_view *v, const struct selection *k, struct table *t)
{
	uint32_t base = t->n_rows, behind = v->up ? 0 : 1, *order, *rank;
	ns_t walls = selection_walls(k, LAYER_OP);

	calltree_order(&v->tree, &order, &rank);
	for (uint32_t i = 0; i < v->tree.n; i++) {
		const struct call_node *n = &v->tree.a[order[i]];
		uint32_t row = calltree_row(t, &v->tree, order, rank, i, base, &v->names);

		if (!v->up)
			table_i64(t, row, C_TOTAL, n->total);
		table_i64(t, row, C_SELF + behind, n->self);
		if (split_known(k))
			op_split_put(t, row, C_SYNC + behind, n->self, v->sum[order[i]].rt);
		if (split_known(k) && k->p->caps & CAP_GPU)
			table_i64(t, row, C_DEVICE + behind, n->device);
		if (walls > 0)
			table_share(t, row, C_SHARE + behind, (double)n->self, (double)walls);
		an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
		an_row_source(t, row, k, -1);
	}
	free(order);
	free(rank);
}

static void add_source(const struct selection *k, struct table *t, bool up)
{
	struct op_view v = { .names = { .cut = rules_op_base }, .up = up };
	struct op_split *s = op_splits(k);

	names_enter(&v.names, k->p);
	if (up)
		build_up(&v, k, s, t);
	else
		build_down(&v, k, s);
	put_rows(&v, k, t);
	calltree_fini(&v.tree);
	names_fini(&v.names);
	free(v.sum);
	free(s);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e, bool up)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_OPS, t, _("no operators: record with torch.profiler (CPU activities) or with "
		"--pytorch=autograd-nvtx (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		add_source(&ps.a[i], t, up);
		ok = !an_cancelled(cx, e);
	}
	selections_close(&ps);
	return ok;
}

static bool run_down(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, false);
}

static bool run_up(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, true);
}

const struct analysis an_optree = {
	.id = "optree", .title = N_("Op tree"), .doc = N_("ops by call path: who calls what, and where the time goes"),
	.cols = down_cols, .n_cols = N_COLS(down_cols), .run = run_down,
};

const struct analysis an_opcallers = {
	.id = "opcallers", .title = N_("Ops and who calls them"), .doc = N_("the op tree from below: each op's own time by the way it is called"),
	.cols = up_cols, .n_cols = N_COLS(up_cols), .run = run_up,
};
