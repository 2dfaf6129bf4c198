/*
 * out_impl.h - what the writers of out.h share. Each writes the rows of v (never NULL) to f; errors
 * of the stream are found by the caller.
 */
#ifndef REPORT_OUT_IMPL_H
#define REPORT_OUT_IMPL_H

#include "report/out.h"

void out_text_write(FILE *f, const struct table *t, const struct table_view *v);
void out_csv_write(FILE *f, const struct table *t, const struct table_view *v);
void out_json_write(FILE *f, const struct table *t, const struct table_view *v);
void out_md_write(FILE *f, const struct table *t, const struct table_view *v);

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
