/*
 * pack.h - a table as bytes and back, to keep a result beyond the process that computed it. Bytes are of one build on one machine:
 * numbers in its byte order, columns by the definitions that the reader hands in. Whoever stores them keeps them to that build.
 */
#ifndef TABLE_PACK_H
#define TABLE_PACK_H

#include "base/sbuf.h"
#include "table/table.h"

/* Appends the whole table: cells, references, parents, notes, window, sources. */
void table_pack(const struct table *t, struct sbuf *out);
/*
 * The table that table_pack() made of a view with these columns. NULL if the bytes are anything else: cut, longer, with cells of a type
 * that the unit of their column does not have, with references or parents that lead outside. view and cols must outlive the table.
 */
struct table *table_unpack(const void *bytes, size_t n, const char *view, const struct column_def *cols, uint32_t n_cols);

#endif
