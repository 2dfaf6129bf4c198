/*
 * get.h - the value of a cell by the id of its column.
 *
 * A table without such a column is a mistake of the caller: a build with --enable-werror, as the
 * developers' are, stops there, any other takes the cell for missing. Where a table may or may not
 * have the column, get_maybe() or table_col() asks.
 */
#ifndef TABLE_GET_H
#define TABLE_GET_H

#include "table/table.h"

/* Never NULL; borrowed from the table. */
const struct cell *get_cell(const struct table *t, uint32_t row, const char *id);
const struct cell *get_maybe(const struct table *t, uint32_t row, const char *id);
/* INT64_MIN (I64_UNKNOWN), NaN, false where the cell is missing or of another type. */
int64_t get_i64(const struct table *t, uint32_t row, const char *id);
double get_f64(const struct table *t, uint32_t row, const char *id);
bool get_bool(const struct table *t, uint32_t row, const char *id);
/* For "%.*s": the bytes and their number; ("", 0) where the cell is no text. */
const char *get_str(const struct table *t, uint32_t row, const char *id, int *len);
/* Whether the text is this word, byte for byte. */
bool get_is(const struct table *t, uint32_t row, const char *id, const char *word);
bool cell_is_word(const struct cell *c, const char *word);
/* Whether two rows have the same there. */
bool get_same(const struct table *t, uint32_t a, uint32_t b, const char *id);

#endif
