/* path.c - critical paths: from the end of a step back to its start, each time to what decided the moment */
#include <stdlib.h>

#include "base/mem.h"
#include "replay/run.h"

struct replay_paths {
	const struct replay_graph *g;
	struct run_trace tr;
	ns_t *marks;
	uint32_t *mark_node;	/* per mark */
};

static void trace_init(struct run_trace *tr, const struct replay_graph *g)
{
	size_t works = (size_t)g->n_works + 1, nodes = (size_t)g->n_nodes + 1;

	tr->work_start = xcalloc(works, sizeof(ns_t));
	tr->work_end = xcalloc(works, sizeof(ns_t));
	tr->work_node = xcalloc(works, sizeof(uint32_t));
	tr->work_pred = xcalloc(works, sizeof(uint32_t));
	tr->node_start = xcalloc(nodes, sizeof(ns_t));
	tr->node_end = xcalloc(nodes, sizeof(ns_t));
	tr->node_prev = xcalloc(nodes, sizeof(uint32_t));
	tr->node_pred = xcalloc(nodes, sizeof(uint32_t));
	tr->node_room = xcalloc(nodes, sizeof(uint32_t));
}

void replay_paths_free(struct replay_paths *ps)
{
	if (!ps)
		return;
	free(ps->tr.work_start);
	free(ps->tr.work_end);
	free(ps->tr.work_node);
	free(ps->tr.work_pred);
	free(ps->tr.node_start);
	free(ps->tr.node_end);
	free(ps->tr.node_prev);
	free(ps->tr.node_pred);
	free(ps->tr.node_room);
	free(ps->marks);
	free(ps->mark_node);
	free(ps);
}

struct replay_paths *replay_paths_new(const struct replay_graph *g, const struct selection *k, const struct change *changes, size_t n,
	struct err *e)
{
	struct replay_paths *ps = xcalloc(1, sizeof(*ps));
	struct plan pl;
	bool ok = plan_make(&pl, g, k, changes, n, NULL, e);

	ps->g = g;
	ps->marks = xcalloc((size_t)n_marks(g) + 1, sizeof(*ps->marks));
	ps->mark_node = xcalloc((size_t)n_marks(g) + 1, sizeof(*ps->mark_node));
	trace_init(&ps->tr, g);
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].kind == NODE_MARK)
			ps->mark_node[g->nodes[i].target] = i;
	if (ok && !run_graph(g, &pl, k->cx->job, ps->marks, NULL, &ps->tr))
		ok = err_set(e, ERR_CANCELLED, "cancelled");
	plan_fini(&pl, g);
	if (ok)
		return ps;
	replay_paths_free(ps);
	return NULL;
}

/* ---- walking back ------------------------------------------------------------------------------- */

struct path_walk {
	const struct replay_paths *ps;
	ns_t from, at;		/* the start of the step; what is behind is told */
	void (*fn)(void *arg, const struct path_piece *piece);
	void *arg;
};

/* The time from `start` up to where the walk is. */
static void back_to(struct path_walk *w, ns_t start, enum path_kind kind, ev_id ev)
{
	if (start < w->from)
		start = w->from;
	if (start >= w->at)
		return;
	w->fn(w->arg, &(struct path_piece){ start, w->at, kind, ev });
	w->at = start;
}

/* The same of a delay that usually is so long: what is more is not explained. */
static void back_delay(struct path_walk *w, ns_t start, ns_t usual, enum path_kind kind, ev_id ev)
{
	back_to(w, start + usual, PATH_RESIDUAL, ev);
	back_to(w, start, kind, ev);
}

/* From the end of a work to the node that launched the first of those that waited for each other. Returns that node. */
static uint32_t back_work(struct path_walk *w, uint32_t work)
{
	const struct replay_graph *g = w->ps->g;
	const struct run_trace *tr = &w->ps->tr;

	for (;;) {
		ev_id ev = g->p->by_launch[work];
		const struct gpu_dev *d = &g->devs[g->streams[g->stream_of[work]].dev];
		uint32_t pred = tr->work_pred[work], node = tr->work_node[work], room = tr->node_room[node];

		back_to(w, tr->work_start[work], PATH_WORK, ev);
		if (pred == ID_NONE) {
			ns_t launched = room == ID_NONE ? tr->node_start[node] : tr->work_end[room];

			back_delay(w, launched, d->latency[g->kind_of[work]], PATH_LAUNCH, ev);
			if (room == ID_NONE)
				return node;
			work = room;
		} else {
			back_delay(w, tr->work_end[pred], d->gap, PATH_QUEUE, ev);
			work = pred;
		}
		if (w->at <= w->from)
			return node;
	}
}

/* From the end of a node to the start of one: its own, or that of the launch it waited for. Returns that node. */
static uint32_t back_node(struct path_walk *w, uint32_t i)
{
	const struct replay_graph *g = w->ps->g;
	const struct run_trace *tr = &w->ps->tr;
	const struct node *x = &g->nodes[i];

	if (tr->node_pred[i] != ID_NONE) {
		ns_t usual = x->kind == NODE_CALL ? g->costs[x->cost].back : 0;

		back_delay(w, tr->work_end[tr->node_pred[i]], usual, PATH_RETURN, x->ev);
		return back_work(w, tr->node_pred[i]);
	}
	if (tr->node_room[i] != ID_NONE) {
		back_to(w, tr->work_end[tr->node_room[i]], PATH_CALL, x->ev);
		return back_work(w, tr->node_room[i]);
	}
	back_to(w, tr->node_start[i], x->kind == NODE_BATCH ? PATH_LOADER : PATH_CALL, x->ev);
	return i;
}

void replay_path(const struct replay_paths *ps, uint32_t step, void (*fn)(void *arg, const struct path_piece *piece), void *arg)
{
	struct path_walk w = { ps, ps->marks[2 * (size_t)step], ps->marks[2 * (size_t)step + 1], fn, arg };
	uint32_t i = back_node(&w, ps->mark_node[2 * (size_t)step + 1]);

	/* at the start of node i */
	while (w.at > w.from) {
		uint32_t before = ps->tr.node_prev[i];

		if (before == ID_NONE) {
			back_to(&w, w.from, PATH_HOST, ID_NONE);
		} else if (ps->tr.node_end[before] > ps->tr.node_start[i]) {	/* inside of it */
			back_to(&w, ps->tr.node_start[before], PATH_CALL, ps->g->nodes[before].ev);
			i = before;
		} else {
			back_to(&w, ps->tr.node_end[before], PATH_HOST, ID_NONE);
			i = back_node(&w, before);
		}
	}
}

const char *path_category(const struct facts *f, const struct path_piece *piece)
{
	static const char *const names[PATH_KIND_N] = { [PATH_HOST] = "host", [PATH_CALL] = "host", [PATH_LAUNCH] = "launch latency",
		[PATH_QUEUE] = "launch latency", [PATH_RETURN] = "wait return", [PATH_LOADER] = "data loading",
		[PATH_RESIDUAL] = "residual" };

	if (piece->kind != PATH_WORK)
		return names[piece->kind];
	if (piece->ev >= f->p->layer_first[LAYER_MEMCPY])
		return "copy";
	return facts_kclass(f, piece->ev)->class == KCLASS_COMMUNICATION ? "communication" : "compute";
}
