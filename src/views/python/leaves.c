/*
 * leaves.c - view `leaves`: the call tree of `stacks` the other way round. The first level are functions by the time with them on
 * top of the stack, and below each who called it; so the first level sums to the whole, and what is below a row to the row.
 */
#include <stdlib.h>
#include <string.h>

#include "scope/analysis.h"
#include "views/python/common.h"

enum { C_BY, C_ID, C_PARENT, C_FRAMEWORK, C_FUNCTION, C_CLASS, C_FILE, C_LINE, C_RAN, C_SELF, C_TOTAL, C_SAMPLES, C_PHASE, C_LEVEL2, C_SHARE };

static const struct column_def cols[] = {
	[C_BY] = SPLIT_COL("; of a sampler where a trace on its clock has steps"),
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node of the called function; none at the first level") },
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 2, N_("whose code it is, by letter (? shows them)") },
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("function on top of the stack; below it, its callers") },
	[C_CLASS] = { "class_name", N_("Of"), UNIT_TEXT, 0, 1, N_("class of the object whose method it is, where the sampler looked") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 2, N_("source file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 3, N_("first line of the function, where all of the row agree") },
	[C_RAN] = { "ran_line", N_("Ran"), UNIT_ID, 0, 4, N_("line of it that ran in the stack with most of the time, where the sampler recorded lines") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, COL_BAR, 0, N_("time with the function of the first level on top, called this way") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, 0, 2, N_("first level: time with the function anywhere on the stack, recursion counted once") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 7, N_("samples of the self time, where the file has them") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 5, N_("phase of the step, where all of the row agree") },
	[C_LEVEL2] = { "operation", N_("Operation"), UNIT_TEXT, 0, 6, N_("what the frame does, by data/frames.rules") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 3, N_("self time as a share of the walls of all processes in the table; none where threads at once took longer") },
	SOURCE_COLS
};

struct leaves_view {
	struct calltree tree;		/* name = function (func_of); sample = a node of it */
	int64_t *totals;		/* per function: time on the stack, recursion counted once */
	VEC(int64_t) samples;		/* per row; I64_UNKNOWN */
	VEC(uint8_t) mixed;		/* per row: what its stacks do not agree in */
	VEC(uint32_t) most, most_at;	/* per row: the leaf with most time of its stacks, and the node of the row in that stack */
	const struct pytree *st;
};
enum { MIXED_LINE = 1, MIXED_PHASE = 2, MIXED_CLASS = 4 };

static void compare(struct leaves_view *v, uint32_t row, const struct py_node *nd)
{
	const struct py_node *first = &v->st->a[v->tree.a[row].sample];

	if (v->st->frames.a[first->frame].line != v->st->frames.a[nd->frame].line)
		v->mixed.a[row] |= MIXED_LINE;
	if (first->phase != nd->phase)
		v->mixed.a[row] |= MIXED_PHASE;
	if (first->decides != nd->decides || first->import != nd->import || first->letter != nd->letter)
		v->mixed.a[row] |= MIXED_CLASS;
}

static uint32_t add_to_row(void *arg, uint32_t leaf_at, uint32_t frame_at, uint32_t parent)
{
	struct leaves_view *v = arg;
	const struct py_node *leaf = &v->st->a[leaf_at], *at = &v->st->a[frame_at];
	uint32_t row = calltree_split_node(&v->tree, parent, v->st->func_of[at->frame], frame_at, v->st->split[frame_at]);

	if (row == v->samples.n) {
		VEC_PUSH(&v->samples, 0);
		VEC_PUSH(&v->mixed, 0);
		VEC_PUSH(&v->most, leaf_at);
		VEC_PUSH(&v->most_at, frame_at);
	}
	if (leaf->self > v->st->a[v->most.a[row]].self) {
		v->most.a[row] = leaf_at;
		v->most_at.a[row] = frame_at;
	}
	compare(v, row, at);
	v->tree.a[row].self += leaf->self;
	v->tree.a[row].total += leaf->self;
	if (leaf->self_count == I64_UNKNOWN || v->samples.a[row] == I64_UNKNOWN)
		v->samples.a[row] = I64_UNKNOWN;
	else
		v->samples.a[row] += leaf->self_count;
	return row;
}

static uint32_t caller_of(void *arg, uint32_t at)
{
	const struct leaves_view *v = arg;

	return v->st->a[at].parent;
}

static bool unwind_all(struct leaves_view *v, const struct selection *k, struct table *t, struct err *e)
{
	VEC(uint32_t) stacks = { 0 };
	struct unwound un;

	for (uint32_t i = 0; i < v->st->n; i++)
		if (v->st->a[i].self > 0)
			VEC_PUSH(&stacks, i);
	calltree_unwind(&v->tree, &(struct unwinding){ add_to_row, caller_of, v }, stacks.a, stacks.n, k->cx->job, &un);
	calltree_note_cut(t, k->src->path, &un);
	VEC_FREE(&stacks);
	return !an_cancelled(k->cx, e);
}

static void put_row(struct table *t, const struct selection *k, const struct leaves_view *v, uint32_t i, uint32_t parent)
{
	const struct call_node *n = &v->tree.a[i];
	struct py_node nd = v->st->a[n->sample];
	const struct py_frame *f = &v->st->frames.a[nd.frame];
	uint32_t row = table_row(t);

	table_set_parent(t, row, parent);
	table_i64(t, row, C_ID, row);
	if (parent != ROW_NONE)
		table_i64(t, row, C_PARENT, parent);
	split_set(t, row, C_BY, k, n->split);
	table_str(t, row, C_FUNCTION, f->func, f->func_len);
	if (f->cls_len)
		table_str(t, row, C_CLASS, f->cls, f->cls_len);
	if (f->file_len)
		table_str(t, row, C_FILE, f->file, f->file_len);
	if (f->line > 0 && !(v->mixed.a[i] & MIXED_LINE))
		table_i64(t, row, C_LINE, f->line);
	if (pytree_ran(k->p, &v->st->a[v->most_at.a[i]]) > 0)
		table_i64(t, row, C_RAN, pytree_ran(k->p, &v->st->a[v->most_at.a[i]]));
	if (v->st->timed)
		table_i64(t, row, C_SELF, n->self);
	if (v->st->timed && parent == ROW_NONE && k->sc->by == BY_NONE)
		table_i64(t, row, C_TOTAL, v->totals[n->name]);
	table_i64(t, row, C_SAMPLES, v->samples.a[i]);
	if (v->mixed.a[i] & MIXED_PHASE)
		nd.phase = PHASE_N;
	if (v->mixed.a[i] & MIXED_CLASS)
		nd.letter = f->lib == ID_NONE ? '\0' : f->hc.framework;	/* a built-in of several callers is nobody's */
	py_put_class(t, row, v->st, &nd, (struct py_class_cols){ C_FRAMEWORK, C_PHASE, C_LEVEL2 });
	if (v->st->wall > 0)
		table_share(t, row, C_SHARE, (double)n->self, (double)v->st->wall);
	an_ref(t, row, REF_FRAME, k->f->source, row, 0, C_FUNCTION);
	an_row_source(t, row, k, -1);
}

static void add_total(void *arg, uint32_t node, bool outermost)
{
	struct leaves_view *v = arg;

	if (outermost)
		v->totals[v->st->func_of[v->st->a[node].frame]] += v->st->a[node].total;
}

static bool put_leaves(struct table *t, const struct selection *k, const struct pytree *st, struct err *e)
{
	struct leaves_view v = { .st = st };
	uint32_t base = t->n_rows, *order, *rank;
	bool done = unwind_all(&v, k, t, e);

	v.totals = xcalloc(st->n_funcs, sizeof(*v.totals));
	pytree_each(st, add_total, &v);
	calltree_order(&v.tree, &order, &rank);
	for (uint32_t i = 0; done && i < v.tree.n; i++) {
		uint32_t up = v.tree.a[order[i]].parent;

		put_row(t, k, &v, order[i], up == ID_NONE ? ROW_NONE : base + rank[up]);
	}
	free(order);
	free(rank);
	free(v.totals);
	VEC_FREE(&v.samples);
	VEC_FREE(&v.mixed);
	VEC_FREE(&v.most);
	VEC_FREE(&v.most_at);
	calltree_fini(&v.tree);
	return done;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return py_sources(cx, sc, t, put_leaves, e);
}

const struct analysis an_leaves = {
	.id = "leaves", .title = N_("Python leaves"), .doc = N_("Python functions by their own time, and below each its callers"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
