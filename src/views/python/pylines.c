/*
 * pylines.c - view `pylines`: the lines that ran, of samplers that recorded them (py-spy, austin, speedscope). A line's total is the
 * time with it anywhere on the stack, of a recursive function that of its outermost call. Which line made a call is not recorded, so
 * what a line took itself is known only from below: at least its total less all that was called at that place.
 */
#include <stdlib.h>

#include "scope/analysis.h"
#include "views/python/common.h"

enum { C_FRAMEWORK, C_FUNCTION, C_FILE, C_LINE, C_LEAST, C_TOTAL, C_SHARE, C_SAMPLES };

static const struct column_def cols[] = {
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 3, N_("whose code it is, by letter (? shows them)") },
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("function that the line is in") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, COL_KEY, 0, N_("source file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, COL_KEY, 0, N_("line that ran") },
	[C_LEAST] = { "self_min_ns", N_("Self min"), UNIT_NS, COL_BAR, 0, N_("at least so much the line took itself: its total less all calls of its function there") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, 0, 1, N_("time with the line on the stack; recursion counts once") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 2, N_("total as a share of the wall") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 4, N_("samples with the line on the stack") },
	SOURCE_COLS
};

struct line_sum {
	uint32_t node;		/* the first */
	int32_t line;
	ns_t total, least;
	int64_t samples;
};
struct lines_view {
	const struct pytree *st;
	const struct profile *p;
	struct groups g;
	VEC(struct line_sum) rows;
};

static void add_lines(void *arg, uint32_t i, bool outermost)
{
	struct lines_view *v = arg;
	const struct py_node *nd = &v->st->a[i];
	int64_t below = nd->total - nd->self;

	for (uint32_t l = frame_lines_of(v->p, nd->source); l < v->p->n_frame_lines && v->p->frame_lines[l].frame == nd->source; l++) {
		const struct frame_line *x = &v->p->frame_lines[l];
		uint32_t g = groups_add(&v->g, &(struct group_key){ .k = { v->st->func_of[nd->frame], (uint64_t)(uint32_t)x->line } });
		struct line_sum *s;

		if (g == v->rows.n)
			VEC_PUSH(&v->rows, (struct line_sum){ .node = i, .line = x->line });
		s = &v->rows.a[g];
		s->total += outermost && v->st->timed ? x->total_ns : 0;
		s->least += v->st->timed && x->total_ns > below ? x->total_ns - below : 0;
		if (outermost && x->samples != I64_UNKNOWN && s->samples != I64_UNKNOWN)
			s->samples += x->samples;
		else if (x->samples == I64_UNKNOWN)
			s->samples = I64_UNKNOWN;
	}
}

static int by_least(uint32_t a, uint32_t b, const void *arg)
{
	const struct line_sum *x = (const struct line_sum *)arg + a, *y = (const struct line_sum *)arg + b;

	if (x->least != y->least)
		return x->least > y->least ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->samples < y->samples) - (x->samples > y->samples);
}

static void put_line(struct table *t, const struct selection *k, const struct pytree *st, const struct line_sum *s)
{
	const struct py_node *nd = &st->a[s->node];
	const struct py_frame *f = &st->frames.a[nd->frame];
	char letter[2] = { nd->letter, '\0' };
	uint32_t row = table_row(t);

	if (letter[0])
		table_cstr(t, row, C_FRAMEWORK, letter);
	table_str(t, row, C_FUNCTION, f->func, f->func_len);
	if (f->file_len)
		table_str(t, row, C_FILE, f->file, f->file_len);
	table_i64(t, row, C_LINE, s->line);
	if (st->timed) {
		table_i64(t, row, C_LEAST, s->least);
		table_i64(t, row, C_TOTAL, s->total);
	}
	table_i64(t, row, C_SAMPLES, s->samples);
	if (st->wall > 0)
		table_share(t, row, C_SHARE, (double)(st->timed ? s->total : s->samples), (double)st->wall);
	an_row_source(t, row, k, -1);
}

static bool put_lines(struct table *t, const struct selection *k, const struct pytree *st, struct err *e)
{
	struct lines_view v = { .st = st, .p = k->p };
	uint32_t *order;

	(void)e;
	if (!k->p->n_frame_lines) {
		table_note(t, _("%s: the lines that ran are not recorded"), k->src->path);
		return true;
	}
	pytree_each(st, add_lines, &v);
	order = groups_order((uint32_t)v.rows.n, by_least, v.rows.a);
	for (size_t i = 0; i < v.rows.n; i++)
		put_line(t, k, st, &v.rows.a[order[i]]);
	free(order);
	groups_fini(&v.g);
	VEC_FREE(&v.rows);
	return true;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope own = *sc;

	own.window = WINDOW_ALL;	/* how long a line ran is known for all of the file alone */
	return py_sources(cx, &own, t, put_lines, e);
}

const struct analysis an_pylines = {
	.id = "pylines", .title = N_("Python lines"), .doc = N_("lines that ran, by the time that they took, where the sampler recorded them"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
