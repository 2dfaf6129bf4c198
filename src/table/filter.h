/*
 * filter.h - the small language behind `&` in the panes and --filter on the command line.
 *
 *	gemm				rows with a text cell that holds "gemm" (case is ignored
 *					unless a capital is typed)
 *	total_ns > 1ms			column, operator (= != < <= > >= ~ !~), value with unit
 *					(ns us ms s m h, KB MB GB, %)
 *	class = GEMM and count >= 10	and, or, not, parentheses; ~ = contains
 *
 * and binds closer than or; words side by side mean and. A word with blanks or operator characters
 * stands in "…" or '…'. The unit at the end of an id may be left out (total > 1ms). Texts are
 * compared with the smart case of the search. An unknown cell matches no comparison but `= null`;
 * `!= null` finds what is known. An empty text matches every row.
 */
#ifndef TABLE_FILTER_H
#define TABLE_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "table/table.h"

struct filter;
/*
 * NULL with *e set (ERR_USAGE, offset = column of the fault) when the text does not parse or names
 * no column of the table.
 */
struct filter *filter_parse(const char *text, const struct column_def *cols, uint32_t n_cols,
			    struct err *e);
bool filter_match(const struct filter *f, const struct table *t, uint32_t row);
void filter_free(struct filter *f);

#endif
