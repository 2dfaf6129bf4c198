/*
 * out_impl.h - what the writers of out.h share. Each writes the rows of v (never NULL) to f; errors
 * of the stream are found by the caller. Rows may come in several tables of the same columns.
 */
#ifndef REPORT_OUT_IMPL_H
#define REPORT_OUT_IMPL_H

#include "report/out.h"

struct out {
	FILE *f;
	const struct out_way *way;
	void *state;		/* the writer's own */
	bool begun;		/* what stands before the rows is written */
};
/* In this order; look: NULL where it is not needed. begin, rows and end may look at the notes of a table in `end` alone. */
struct out_way {
	const char *name;
	void *(*open)(const struct table *t);
	void (*look)(void *state, const struct table *t, const struct table_view *v);
	void (*begin)(void *state, FILE *f, const struct table *t);
	void (*rows)(void *state, FILE *f, const struct table *t, const struct table_view *v);
	void (*end)(void *state, FILE *f, const struct table *t);	/* frees the state */
};
extern const struct out_way out_text, out_csv, out_json, out_md;

/*
 * The columns that people see, names last: indices into t->cols in `order` (room for t->n_cols),
 * returns how many.
 */
uint32_t out_columns(const struct table *t, uint32_t *order);
/*
 * How deep a row stands in the tree; 0 at roots and where there is no tree, OUT_DEPTH_MAX + 1 for all beyond: a recursion of
 * 10^5 levels must not become lines of 10^5 columns.
 */
enum { OUT_DEPTH_MAX = 200 };
uint32_t out_depth(const struct table *t, uint32_t row);
/*
 * Whether the column stands on the right side of its cell: figures do, words and ids of rows do
 * not.
 */
bool out_right(const struct column_def *c);
/* Appends a cell as people read it, without cut. */
void out_cell(struct sbuf *b, const struct table *t, uint32_t row, uint32_t col);

#endif
