/*
 * an_stacks.c - view `stacks`: Python call tree of a sampler's file, else of torch's python_function events (definitions.md §11).
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/an_common.h"
#include "analyze/analyses.h"
#include "analyze/calltree.h"
#include "analyze/picks.h"
#include "base/mem.h"
#include "analyze/segs.h"

enum { C_ID, C_PARENT, C_FUNCTION, C_FILE, C_LINE, C_TOTAL, C_SELF, C_SAMPLES, C_FRAMEWORK, C_PHASE, C_LEVEL2, C_SHARE };

static const struct column_def cols[] = {
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the calling node; none at roots") },
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("function, module or built-in") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 2, N_("source file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 3, N_("first line of the function") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("time with the function on the stack at this place") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 0, N_("time with the function on top") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 7, N_("samples, or calls of a tracing profiler, where the file has them") },
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 4, N_("whose code it is, by letter (? shows them)") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 5, N_("phase of the step that the frame stands for") },
	[C_LEVEL2] = { "operation", N_("Operation"), UNIT_TEXT, 0, 6, N_("what the frame does, by data/frames.rules") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 3, N_("total as a share of the wall") },
	SOURCE_COLS
};

/* What a frame is called and where it lives; pointers into the profile. */
struct frame_text {
	const char *func, *file;
	size_t func_len, file_len;
	int64_t line;
};

static void put_class(struct table *t, uint32_t row, const struct host_class *hc, const struct frame_text *ft)
{
	char letter[2] = { hc->framework, '\0' }, l2[512];
	uint32_t parent = t->parents[row];

	table_cstr(t, row, C_FRAMEWORK, letter);
	if (hc->phase)
		table_cstr(t, row, C_PHASE, hc->phase);
	else if (parent != ROW_NONE && table_cell(t, parent, C_PHASE)->type == CELL_STR)
		table_str(t, row, C_PHASE, table_cell(t, parent, C_PHASE)->v.s, table_cell(t, parent, C_PHASE)->len);
	if (hc->known && !hc->transparent) {
		rules_level2(hc->level2, ft->func, ft->func_len, l2, sizeof(l2));
		table_cstr(t, row, C_LEVEL2, l2);
	}
}

static uint32_t put_frame(struct table *t, const struct pick *k, uint32_t parent, const struct frame_text *ft, ns_t total, ns_t self,
	ns_t wall)
{
	uint32_t row = table_row(t);

	table_set_parent(t, row, parent);
	table_i64(t, row, C_ID, row);
	if (parent != ROW_NONE)
		table_i64(t, row, C_PARENT, parent);
	table_str(t, row, C_FUNCTION, ft->func, ft->func_len);
	if (ft->file_len)
		table_str(t, row, C_FILE, ft->file, ft->file_len);
	if (ft->line > 0)
		table_i64(t, row, C_LINE, ft->line);
	table_i64(t, row, C_TOTAL, total);
	table_i64(t, row, C_SELF, self);
	if (wall > 0)
		table_f64(t, row, C_SHARE, (double)total / (double)wall);
	an_ref(t, row, REF_FRAME, k->f->source, row, 0, C_FUNCTION);
	an_row_source(t, row, k, -1);
	return row;
}

/* ---- a sampler's tree: as it is in the file ---- */

static void sampled_source(const struct pick *k, struct table *t)
{
	const struct profile *p = k->p;
	uint32_t base = t->n_rows;

	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct frame_node *f = &p->frames[i];
		struct frame_text ft = { .line = f->line };
		struct host_class hc;
		uint32_t row;

		ft.func = profile_str(p, f->function, &ft.func_len);
		ft.file = profile_str(p, f->file, &ft.file_len);
		row = put_frame(t, k, f->parent < 0 ? ROW_NONE : base + (uint32_t)f->parent, &ft, f->total_ns, f->self_ns,
			p->sampled_wall_ns);
		table_i64(t, row, C_SAMPLES, f->samples);
		rules_frame(k->cx->rules, ft.file, ft.file_len, ft.func, ft.func_len, &hc);
		put_class(t, row, &hc, &ft);
	}
	if (p->sampled_wall_ns != NS_UNKNOWN)
		t->wall_ns += p->sampled_wall_ns;
	table_note(t, _("%s: sampled; it has no time axis, so the window does not narrow it"), k->src->path);
}

/* ---- torch's python_function events, merged by call path ---- */

struct py_view {
	struct calltree tree;
	struct names names;
	const struct pick *k;
	ev_id base;
	uint32_t *node_of;	/* per python event */
};

static size_t frame_cut(const char *s, size_t n)
{
	struct frame_name fn;

	rules_frame_name(s, n, &fn);
	return fn.key == s ? fn.key_len : n;
}

static void add_self(void *arg, const struct seg *piece)
{
	struct py_view *v = arg;
	uint32_t node = v->node_of[piece->owner - v->base];

	if (node != ID_NONE)
		v->tree.a[node].self += piece->end - piece->start;
}

static void add_track(struct py_view *v, const struct track *tr)
{
	const struct profile *p = v->k->p;
	struct segs own = { 0 };

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		ns_t clipped = pick_clip(v->k, p->start[e], ev_end(p, e));
		bool counted = pick_at(v->k, p->start[e]);
		uint32_t up = p->parent[e] == ID_NONE ? ID_NONE : v->node_of[p->parent[e] - v->base], node = ID_NONE;

		if (clipped || counted) {
			node = calltree_node(&v->tree, up, names_id(&v->names, p->name[e]), e);
			v->tree.a[node].count += counted;
			v->tree.a[node].total += clipped;
		}
		v->node_of[e - v->base] = node;
	}
	segs_of_track(&own, p->start + tr->first, p->dur + tr->first, tr->count, tr->first);
	segs_clip(&own, &v->k->window, add_self, v);
	segs_fini(&own);
}

static void put_tree(const struct py_view *v, struct table *t)
{
	uint32_t base = t->n_rows, *order, *rank;

	calltree_order(&v->tree, &order, &rank);
	for (uint32_t i = 0; i < v->tree.n; i++) {
		const struct call_node *n = &v->tree.a[order[i]];
		struct frame_text ft;
		struct frame_name fn;
		struct host_class hc;
		size_t len;
		const char *name = names_str(&v->names, n->name, &len);
		uint32_t row;

		rules_frame_name(name, len, &fn);
		ft = (struct frame_text){ fn.func, fn.file, fn.func_len, fn.file_len, fn.line };
		if (fn.kind != FRAME_PYTHON)
			ft = (struct frame_text){ fn.key, NULL, fn.key_len, 0, 0 };
		row = put_frame(t, v->k, n->parent == ID_NONE ? ROW_NONE : base + rank[n->parent], &ft, n->total, n->self, v->k->wall);
		table_i64(t, row, C_SAMPLES, n->count);
		rules_python(v->k->cx->rules, name, len, &hc);
		put_class(t, row, &hc, &ft);
	}
	free(order);
	free(rank);
}

static void traced_source(const struct pick *k, struct table *t)
{
	const struct profile *p = k->p;
	struct py_view v = { .names = { .cut = frame_cut }, .k = k, .base = p->layer_first[LAYER_PYTHON] };
	uint32_t n = p->layer_first[LAYER_PYTHON + 1] - v.base;

	names_enter(&v.names, p);
	v.node_of = xreallocarray(NULL, n, sizeof(*v.node_of));
	for (track_id tr = p->layer_track[LAYER_PYTHON]; tr < p->layer_track[LAYER_PYTHON + 1]; tr++) {
		const struct track *track = &p->tracks[tr];

		if (pick_thread(k, track->thread))
			add_track(&v, track);
		else
			memset(v.node_of + (track->first - v.base), 0xff, track->count * sizeof(*v.node_of));
	}
	put_tree(&v, t);
	free(v.node_of);
	calltree_fini(&v.tree);
	names_fini(&v.names);
}

/* A sampler's file has no time axis: the window does not apply to it. */
static bool add_source(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct table *t, struct err *e)
{
	struct scope whole = *sc;
	struct pick k;
	bool sampled = cx->facts[source]->p->n_frames > 0;

	if (sampled)
		whole.window = WINDOW_ALL;
	if (!pick_init(&k, cx, sampled ? &whole : sc, source, e)) {
		pick_fini(&k);
		return false;
	}
	pick_describe(&k, t);
	if (sampled)
		sampled_source(&k, t);
	else
		traced_source(&k, t);
	pick_fini(&k);
	return !an_cancelled(cx, e);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	uint32_t n, *src = view_sources(cx, sc, VIEW_STACKS, &n, t), done = 0;

	for (uint32_t i = 0; i < n; i++)
		done += add_source(cx, sc, src[i], t, e);
	free(src);
	if (!n)
		table_note(t, _("no Python stacks: add a pyinstrument file (pyinstrument -r json -o profile.json script.py) or record "
			"torch.profiler with_stack=True"));
	return !n || done;
}

const struct analysis an_stacks = {
	.id = "stacks", .title = N_("Python stacks"), .doc = N_("Python call tree: which line the time belongs to"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
