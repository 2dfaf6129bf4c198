/*
 * shape.h - tables made of a table: chosen columns and rows, sums over groups, a matrix of two
 * columns.
 *
 * Every function makes a new table that owns all it holds; the view's name, window, sources, notes
 * and the partial mark are those of the old one. The caller frees it. Sums of integers are exact; a
 * missing cell adds nothing, and a sum of nothing but missing cells is missing.
 */
#ifndef TABLE_SHAPE_H
#define TABLE_SHAPE_H

#include "table/table.h"

/* A column of the new table. */
struct shape_col {
	uint32_t col; /* index in the old table */
	bool plain;   /* all digits: a duration is shown as a count of ns, titled so */
};

/*
 * The rows of v (NULL: all), with the n columns in that order, which the writers keep: all are
 * shown (COL_JSON_ONLY is dropped), and COL_NAME stays only where it is the last. Trees stay trees:
 * a row whose parent is not among the rows becomes a root.
 */
struct table *table_project(const struct table *t, const struct table_view *v,
			    const struct shape_col *cols, uint32_t n);

/*
 * One row per distinct combination of the key columns, in the order of first sight in v (NULL: all
 * rows), and the sums of the other columns. count_title (N_() marked, NULL = none): a last column
 * `rows` with the number of rows of the group.
 */
struct table *table_group(const struct table *t, const struct table_view *v, const uint32_t *keys,
			  uint32_t n_keys, const uint32_t *sums, uint32_t n_sums,
			  const char *count_title);

/*
 * A matrix: a row per distinct text of row_col, a column per distinct text of col_col (both in the
 * order of first sight), the sums of val_col in the cells (0 where no row falls), a last column and
 * a last row `total` with the sums.
 */
struct table *table_pivot(const struct table *t, const struct table_view *v, uint32_t row_col,
			  uint32_t col_col, uint32_t val_col, const char *total);

/*
 * Adds a row for the rows of t in v from `from` on that `out` (a projection of t by `cols`) does
 * not show: `label` in the first column of text, and the sums of the columns for which sum[i]
 * holds.
 */
void table_add_rest(struct table *out, const struct table *t, const struct table_view *v,
		    uint32_t from, const struct shape_col *cols, const bool *sum,
		    const char *label);

/*
 * Sum of an integer column over the rows of v (NULL: all); false when a cell is missing or no
 * integer, or the sum overflows.
 */
bool table_sum(const struct table *t, const struct table_view *v, uint32_t col, int64_t *sum);

/* Whether two rows differ in a column. */
bool table_varies(const struct table *t, uint32_t col);

#endif
