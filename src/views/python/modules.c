/*
 * modules.c - view `modules`: the nn.Module calls of torch's Python frames, merged by their path, with the GPU work launched inside.
 *
 * A module owns the instants of its thread at which it is the innermost module, and the kernels launched then. Backward runs on
 * another thread without module frames: only recomputed forwards (gradient checkpointing) have modules there.
 */
#include <stdlib.h>

#include "base/search.h"
#include "base/vec.h"
#include "calc/calltree.h"
#include "calc/owners.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_ID, C_PARENT, C_NAME, C_DEPTH, C_COUNT, C_TOTAL, C_SELF, C_DEVICE, C_KERNELS, C_SHARE };

static const struct column_def cols[] = {
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the parent node; none at roots") },
	[C_NAME] = { "name", N_("Module"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("class and number of the module, as torch writes them") },
	[C_DEPTH] = { "depth", N_("Depth"), UNIT_ID, COL_JSON_ONLY, 9, N_("0 at roots") },
	[C_COUNT] = { "count", N_("Calls"), UNIT_COUNT, 0, 1, N_("calls that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("host time in the module and below it, clipped to the window") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 0, N_("host time in which it is the innermost module") },
	[C_DEVICE] = { "device_ns", N_("Device"), UNIT_NS, 0, 0, N_("sum of the kernels launched in the module and below it, forward and recompute") },
	[C_KERNELS] = { "kernels", N_("Kernels"), UNIT_COUNT, 0, 2, N_("how many") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 3, N_("total as a share of the walls of all processes with frames") },
	SOURCE_COLS
};

struct module_view {
	const struct selection *k;
	struct calltree tree;
	struct names names;
	VEC(int64_t) kernels;	/* per node */
	uint32_t *node_of;	/* per Python event: its node, or that of the module around it; ID_NONE */
	struct owner_list *own;	/* per thread: which node is the innermost module */
};

static bool is_module(const struct profile *p, str_id id)
{
	struct frame_name fn;
	size_t n;
	const char *s = profile_str(p, id, &n);

	rules_frame_name(s, n, &fn);
	return fn.kind == FRAME_MODULE;
}

static uint32_t node_for(struct module_view *v, uint32_t up, ev_id e)
{
	uint32_t node = calltree_node(&v->tree, up, names_id(&v->names, v->k->p->name[e]), e);

	if (node == v->kernels.n)
		VEC_PUSH(&v->kernels, 0);
	v->tree.a[node].count += selects_at(v->k, v->k->p->start[e]);
	v->tree.a[node].total += selection_clip(v->k, v->k->p->start[e], ev_end(v->k->p, e));
	return node;
}

static void own_piece(void *arg, const struct owner_span *piece)
{
	struct module_view *v = arg;

	v->tree.a[piece->owner].self += piece->end - piece->start;
}

static void add_track(struct module_view *v, const struct track *tr, const uint8_t *module)
{
	const struct profile *p = v->k->p;
	ev_id base = p->layer_first[LAYER_PYTHON];
	VEC(struct owner_event) ev = { 0 };

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		uint32_t up = p->parent[e] == ID_NONE ? ID_NONE : v->node_of[p->parent[e] - base];

		v->node_of[e - base] = p->name[e] < p->n_strs && module[p->name[e]] ? node_for(v, up, e) : up;
		if (v->node_of[e - base] != up)
			VEC_PUSH(&ev, (struct owner_event){ p->start[e], ev_end(p, e), v->node_of[e - base], 0 });
	}
	owner_list_of_events(&v->own[tr->thread], ev.a, ev.n);
	owner_list_clip(&v->own[tr->thread], &v->k->window, own_piece, v);
	VEC_FREE(&ev);
}

/* The innermost module of a thread at an instant, ID_NONE. */
static uint32_t module_at(const struct owner_list *s, ns_t t)
{
	size_t i;

	LOWER_BOUND(i, 0, s->n, s->a[i].start <= t);
	return i && s->a[i - 1].end > t ? s->a[i - 1].owner : ID_NONE;
}

static void add_kernel(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct module_view *v = arg;
	thread_id thread = facts_launch_thread(k->f, e);
	uint32_t node;

	(void)tr;
	if (thread == ID_NONE)
		return;
	node = module_at(&v->own[thread], k->p->start[k->p->link[e]]);
	if (node == ID_NONE)
		return;
	v->tree.a[node].device += k->p->dur[e];
	v->kernels.a[node]++;
}

static void sum_up(struct module_view *v)
{
	for (uint32_t i = v->tree.n; i-- > 0;) {
		if (v->tree.a[i].parent == ID_NONE)
			continue;
		v->tree.a[v->tree.a[i].parent].device += v->tree.a[i].device;
		v->kernels.a[v->tree.a[i].parent] += v->kernels.a[i];
	}
}

static void put_rows(const struct module_view *v, struct table *t)
{
	const struct selection *k = v->k;
	uint32_t base = t->n_rows, *order, *rank;
	ns_t walls = selection_walls(k, LAYER_PYTHON);

	calltree_order(&v->tree, &order, &rank);
	for (uint32_t i = 0; i < v->tree.n; i++) {
		const struct call_node *n = &v->tree.a[order[i]];
		uint32_t row = calltree_row(t, &v->tree, order, rank, i, base, &v->names);

		table_i64(t, row, C_TOTAL, n->total);
		table_i64(t, row, C_SELF, n->self);
		if (k->p->caps & CAP_GPU && k->p->caps & CAP_RUNTIME) {
			table_i64(t, row, C_DEVICE, n->device);
			table_i64(t, row, C_KERNELS, v->kernels.a[order[i]]);
		}
		if (walls > 0)
			table_share(t, row, C_SHARE, (double)n->total, (double)walls);
		an_ref(t, row, REF_FRAME, k->f->source, 0, 0, C_NAME);
		an_row_source(t, row, k, -1);
	}
	free(order);
	free(rank);
}

static bool add_source(const struct selection *k, struct table *t, struct err *e)
{
	const struct profile *p = k->p;
	struct module_view v = { .k = k };
	uint8_t *module = xcalloc(p->n_strs, 1);
	bool ok;

	names_enter(&v.names, p);
	for (ev_id i = p->layer_first[LAYER_PYTHON]; i < p->layer_first[LAYER_PYTHON + 1]; i++)
		if (p->name[i] < p->n_strs && !module[p->name[i]])
			module[p->name[i]] = is_module(p, p->name[i]) ? 1 : 2;
	for (uint32_t i = 0; i < p->n_strs; i++)
		module[i] &= 1;
	v.node_of = xreallocarray(NULL, p->layer_first[LAYER_PYTHON + 1] - p->layer_first[LAYER_PYTHON], sizeof(*v.node_of));
	v.own = xcalloc(p->n_threads, sizeof(*v.own));
	for (track_id tr = p->layer_track[LAYER_PYTHON]; tr < p->layer_track[LAYER_PYTHON + 1]; tr++)
		if (selects_thread(k, p->tracks[tr].thread))
			add_track(&v, &p->tracks[tr], module);
	ok = selections_gpu(k, LAYER_KERNEL, add_kernel, &v, e);
	sum_up(&v);
	if (ok)
		put_rows(&v, t);
	for (thread_id i = 0; i < p->n_threads; i++)
		owner_list_fini(&v.own[i]);
	free(v.own);
	free(v.node_of);
	free(module);
	calltree_fini(&v.tree);
	names_fini(&v.names);
	VEC_FREE(&v.kernels);
	return ok;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_OPS, t, _("no nn.Module frames: record with torch.profiler, with_stack=True"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++)
		ok = add_source(&ps.a[i], t, e) && !an_cancelled(cx, e);
	if (ok && ps.n && !t->n_rows)
		table_note(t, _("no nn.Module frames: record with torch.profiler, with_stack=True"));
	selections_close(&ps);
	return ok;
}

const struct analysis an_modules = {
	.id = "modules", .title = N_("Modules"), .doc = N_("nn.Module calls by path: host time, and the GPU work launched inside"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
