/*
 * an_opcallers.c - view `opcallers`: the op tree from its leaves: each op with its own time, below it who called it and how much of
 * that time each way up accounts for. The self times are those of `ops` (definitions.md §7); the roots sum to them.
 */
#include <stdlib.h>

#include "analyze/an_common.h"
#include "analyze/analyses.h"
#include "analyze/calltree.h"
#include "analyze/opsplit.h"
#include "analyze/picks.h"
#include "base/mem.h"

enum { C_ID, C_PARENT, C_NAME, C_DEPTH, C_COUNT, C_SELF, C_SYNC, C_LAUNCH, C_MEMCPY, C_OTHER, C_HOST, C_DEVICE, C_SHARE };

static const struct column_def cols[] = {
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the op that this one calls; none at roots") },
	[C_NAME] = { "name", N_("Op and its callers"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the op; below it the op that called it") },
	[C_DEPTH] = { "depth", N_("Depth"), UNIT_ID, COL_JSON_ONLY, 9, N_("0 at roots, 1 for their callers") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 2, N_("calls of the root op this way that start in the window") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, COL_BAR, 0, N_("own time of the root op when it is called this way") },
	[C_SYNC] = { "sync_ns", N_("Sync"), UNIT_NS, 0, 3, N_("part of self in synchronising calls") },
	[C_LAUNCH] = { "launch_ns", N_("Launch"), UNIT_NS, 0, 3, N_("part of self in kernel launch calls") },
	[C_MEMCPY] = { "memcpy_ns", N_("Memcpy"), UNIT_NS, 0, 4, N_("part of self in copy and memset calls") },
	[C_OTHER] = { "other_runtime_ns", N_("Runtime"), UNIT_NS, 0, 6, N_("part of self in other runtime calls") },
	[C_HOST] = { "host_ns", N_("Host"), UNIT_NS, 0, 4, N_("the rest of self") },
	[C_DEVICE] = { "device_ns", N_("Device"), UNIT_NS, 0, 2, N_("sum of the kernels that the root op launches itself") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 5, N_("self as a share of the wall") },
	SOURCE_COLS
};

struct up_view {
	struct calltree tree;
	struct names names;
	struct op_split *sum;	/* per node: the parts of self */
	uint32_t cap;
};

static void add_to_node(struct up_view *v, uint32_t node, const struct op_split *s)
{
	struct call_node *n = &v->tree.a[node];

	if (node >= v->cap) {
		uint32_t cap = (uint32_t)mem_grow(v->cap, node + 1);

		v->sum = xreallocarray(v->sum, cap, sizeof(*v->sum));
		for (; v->cap < cap; v->cap++)
			v->sum[v->cap] = (struct op_split){ 0 };
	}
	n->count += s->count;
	n->self += s->self;
	n->total += s->self;	/* what siblings are ordered by */
	n->device += s->device;
	for (int i = 0; i < RT_N; i++)
		v->sum[node].rt[i] += s->rt[i];
}

static void build(struct up_view *v, const struct pick *k, const struct op_split *s)
{
	const struct oplayer *o = &k->f->ops;

	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t node = ID_NONE;

		if (!op_split_any(&s[i]) || !pick_op(k, i))
			continue;
		for (uint32_t op = i; op != ID_NONE; op = o->parent[op]) {
			node = calltree_node(&v->tree, node, names_id(&v->names, o->name[op]), i);
			add_to_node(v, node, &s[i]);
		}
	}
}

static void put(const struct up_view *v, const struct pick *k, struct table *t, uint32_t node, uint32_t parent)
{
	const struct call_node *n = &v->tree.a[node];
	uint32_t row = table_row(t);
	size_t len;
	const char *name = names_str(&v->names, n->name, &len);

	table_set_parent(t, row, parent);
	table_i64(t, row, C_ID, row);
	if (parent != ROW_NONE)
		table_i64(t, row, C_PARENT, parent);
	table_str(t, row, C_NAME, name, len);
	table_i64(t, row, C_DEPTH, n->depth);
	table_i64(t, row, C_COUNT, n->count);
	table_i64(t, row, C_SELF, n->self);
	if (split_known(k))
		op_split_put(t, row, C_SYNC, n->self, v->sum[node].rt);
	if (split_known(k) && k->p->caps & CAP_GPU)
		table_i64(t, row, C_DEVICE, n->device);
	if (k->wall > 0)
		table_f64(t, row, C_SHARE, (double)n->self / (double)k->wall);
	an_ref(t, row, REF_OP, k->f->source, 0, 0, C_NAME);
	an_row_source(t, row, k, -1);
}

static void add_source(const struct pick *k, struct table *t)
{
	struct up_view v = { .names = { .cut = rules_op_base } };
	struct op_split *s = op_splits(k);
	uint32_t base = t->n_rows, *order, *rank;

	names_enter(&v.names, k->p);
	build(&v, k, s);
	calltree_order(&v.tree, &order, &rank);
	for (uint32_t i = 0; i < v.tree.n; i++) {
		uint32_t up = v.tree.a[order[i]].parent;

		put(&v, k, t, order[i], up == ID_NONE ? ROW_NONE : base + rank[up]);
	}
	free(order);
	free(rank);
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

const struct analysis an_opcallers = {
	.id = "opcallers", .title = N_("Ops and who calls them"), .doc = N_("the op tree from below: each op's own time by the way it is called"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
