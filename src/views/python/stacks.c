/*
 * stacks.c - view `stacks`: Python call tree of a sampler's file, else of torch's python_function events (definitions.md §11).
 */
#include <stdlib.h>

#include "scope/analysis.h"
#include "views/python/common.h"

enum { C_BY, C_ID, C_PARENT, C_FRAMEWORK, C_FUNCTION, C_CLASS, C_FILE, C_LINE, C_RAN, C_TOTAL, C_SELF, C_SAMPLES, C_PHASE, C_LEVEL2, C_SHARE };

static const struct column_def cols[] = {
	[C_BY] = SPLIT_COL("; of a sampler where a trace on its clock has steps"),
	[C_ID] = { "id", N_("Id"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the node") },
	[C_PARENT] = { "parent", N_("Parent"), UNIT_ID, COL_JSON_ONLY, 9, N_("number of the calling node; none at roots") },
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 2, N_("whose code it is, by letter (? shows them)") },
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("function, module or built-in") },
	[C_CLASS] = { "class_name", N_("Of"), UNIT_TEXT, 0, 1, N_("class of the object whose method it is, where the sampler looked") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 2, N_("source file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 3, N_("first line of the function") },
	[C_RAN] = { "ran_line", N_("Ran"), UNIT_ID, 0, 4, N_("line of it that took most of the total, where the sampler recorded lines") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("time with the function on the stack at this place") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 0, N_("time with the function on top") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 7, N_("samples, or calls of a tracing profiler, where the file has them") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 5, N_("phase of the step that the frame stands for") },
	[C_LEVEL2] = { "operation", N_("Operation"), UNIT_TEXT, 0, 6, N_("what the frame does, by data/frames.rules") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 3, N_("total as a share of the wall; none where threads at once took longer") },
	SOURCE_COLS
};

static void put_node(struct table *t, const struct selection *k, const struct pytree *st, uint32_t base, uint32_t i)
{
	const struct py_node *nd = &st->a[i];
	const struct py_frame *f = &st->frames.a[nd->frame];
	uint32_t row = table_row(t);

	table_set_parent(t, row, nd->parent == ID_NONE ? ROW_NONE : base + nd->parent);
	table_i64(t, row, C_ID, row);
	if (nd->parent != ID_NONE)
		table_i64(t, row, C_PARENT, base + nd->parent);
	split_set(t, row, C_BY, k, st->split[i]);
	table_str(t, row, C_FUNCTION, f->func, f->func_len);
	if (f->cls_len)
		table_str(t, row, C_CLASS, f->cls, f->cls_len);
	if (f->file_len)
		table_str(t, row, C_FILE, f->file, f->file_len);
	if (f->line > 0)
		table_i64(t, row, C_LINE, f->line);
	if (pytree_ran(k->p, nd) > 0)
		table_i64(t, row, C_RAN, pytree_ran(k->p, nd));
	if (st->timed) {
		table_i64(t, row, C_TOTAL, nd->total);
		table_i64(t, row, C_SELF, nd->self);
	}
	table_i64(t, row, C_SAMPLES, nd->count);
	py_put_class(t, row, st, nd, (struct py_class_cols){ C_FRAMEWORK, C_PHASE, C_LEVEL2 });
	if (st->wall > 0)
		table_share(t, row, C_SHARE, (double)nd->total, (double)st->wall);
	an_ref(t, row, REF_FRAME, k->f->source, row, 0, C_FUNCTION);
	an_row_source(t, row, k, -1);
}

static bool put_tree(struct table *t, const struct selection *k, const struct pytree *st, struct err *e)
{
	uint32_t base = t->n_rows;

	(void)e;
	for (uint32_t i = 0; i < st->n; i++)
		put_node(t, k, st, base, i);
	return true;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return py_sources(cx, sc, t, put_tree, e);
}

const struct analysis an_stacks = {
	.id = "stacks", .title = N_("Python stacks"), .doc = N_("Python call tree: which line the time belongs to; of CPU samples where there is no Python"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
