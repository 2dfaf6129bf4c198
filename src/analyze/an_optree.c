/* an_optree.c - view `optree`: the ops merged by call path over the window, each path with its own time */
#include <stdlib.h>

#include "analyze/an_common.h"
#include "analyze/analyses.h"
#include "analyze/calltree.h"
#include "analyze/opsplit.h"
#include "analyze/picks.h"
#include "base/mem.h"

enum { C_ID, C_PARENT, C_NAME, C_DEPTH, C_COUNT, C_TOTAL, C_SELF, C_SYNC, C_LAUNCH, C_MEMCPY, C_OTHER, C_HOST, C_DEVICE, C_SHARE };

static const struct column_def cols[] = {
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the parent node; none at roots") },
	[C_NAME] = { "name", N_("Op"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the op") },
	[C_DEPTH] = { "depth", N_("Depth"), UNIT_ID, COL_JSON_ONLY, 9, N_("0 at roots") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 2, N_("ops that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("time with the ops of this path, clipped to the window") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 0, N_("time in which an op of this path is the innermost") },
	[C_SYNC] = { "sync_ns", N_("Sync"), UNIT_NS, 0, 3, N_("part of self in synchronising calls") },
	[C_LAUNCH] = { "launch_ns", N_("Launch"), UNIT_NS, 0, 3, N_("part of self in kernel launch calls") },
	[C_MEMCPY] = { "memcpy_ns", N_("Memcpy"), UNIT_NS, 0, 4, N_("part of self in copy and memset calls") },
	[C_OTHER] = { "other_runtime_ns", N_("Runtime"), UNIT_NS, 0, 6, N_("part of self in other runtime calls") },
	[C_HOST] = { "host_ns", N_("Host"), UNIT_NS, 0, 4, N_("the rest of self") },
	[C_DEVICE] = { "device_ns", N_("Device"), UNIT_NS, 0, 2, N_("sum of the kernels launched by this path and below it") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 5, N_("self as a share of the wall") },
	SOURCE_COLS
};

struct tree_view {
	struct calltree tree;
	struct names names;
	struct op_split *sum;	/* per node */
	uint32_t cap;
};

static void add_to_node(struct tree_view *v, uint32_t node, const struct op_split *s)
{
	struct op_split *sum;

	if (node >= v->cap) {
		uint32_t cap = (uint32_t)mem_grow(v->cap, node + 1);

		v->sum = xreallocarray(v->sum, cap, sizeof(*v->sum));
		for (; v->cap < cap; v->cap++)
			v->sum[v->cap] = (struct op_split){ 0 };
	}
	sum = &v->sum[node];
	v->tree.a[node].count += s->count;
	v->tree.a[node].total += s->total;
	v->tree.a[node].self += s->self;
	v->tree.a[node].device += s->device;
	for (int i = 0; i < RT_N; i++)
		sum->rt[i] += s->rt[i];
}

static void build(struct tree_view *v, const struct pick *k, const struct op_split *s)
{
	const struct oplayer *o = &k->f->ops;
	uint32_t *node_of = xreallocarray(NULL, o->n, sizeof(*node_of));

	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t up = o->parent[i] == ID_NONE ? ID_NONE : node_of[o->parent[i]];

		node_of[i] = ID_NONE;
		if (!op_split_any(&s[i]) || !pick_op(k, i))
			continue;
		node_of[i] = calltree_node(&v->tree, up, names_id(&v->names, o->name[i]), i);
		add_to_node(v, node_of[i], &s[i]);
	}
	for (uint32_t i = v->tree.n; i-- > 0;)
		if (v->tree.a[i].parent != ID_NONE)
			v->tree.a[v->tree.a[i].parent].device += v->tree.a[i].device;
	free(node_of);
}

static void put_rows(const struct tree_view *v, const struct pick *k, struct table *t)
{
	uint32_t base = t->n_rows, *order, *rank;

	calltree_order(&v->tree, &order, &rank);
	for (uint32_t i = 0; i < v->tree.n; i++) {
		const struct call_node *n = &v->tree.a[order[i]];
		uint32_t row = calltree_row(t, &v->tree, order, rank, i, base, &v->names);

		table_i64(t, row, C_TOTAL, n->total);
		table_i64(t, row, C_SELF, n->self);
		if (split_known(k))
			op_split_put(t, row, C_SYNC, n->self, v->sum[order[i]].rt);
		if (split_known(k) && k->p->caps & CAP_GPU)
			table_i64(t, row, C_DEVICE, n->device);
		if (k->wall > 0)
			table_f64(t, row, C_SHARE, (double)n->self / (double)k->wall);
		an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
		an_row_source(t, row, k, -1);
	}
	free(order);
	free(rank);
}

static void add_source(const struct pick *k, struct table *t)
{
	struct tree_view v = { .names = { .cut = rules_op_base } };
	struct op_split *s = op_splits(k);

	names_enter(&v.names, k->p);
	build(&v, k, s);
	put_rows(&v, k, t);
	calltree_fini(&v.tree);
	names_fini(&v.names);
	free(v.sum);
	free(s);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	bool ok = picks_open(&ps, cx, sc, VIEW_OPS, t, _("no operators: record with torch.profiler (CPU activities) or with "
		"--pytorch=autograd-nvtx (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		add_source(&ps.a[i], t);
		ok = !an_cancelled(cx, e);
	}
	picks_close(&ps);
	return ok;
}

const struct analysis an_optree = {
	.id = "optree", .title = N_("Op tree"), .doc = N_("ops by call path: who calls what, and where the time goes"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
