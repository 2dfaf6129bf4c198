/*
 * cell.h - the only formatter: one cell as text for people. Machine output (JSON, CSV) prints numbers as they are.
 */
#ifndef TABLE_CELL_H
#define TABLE_CELL_H

#include <stddef.h>

#include "base/num.h"
#include "table/table.h"

enum { CELL_TEXT_MAX = 64 };	/* enough for every number */
/*
 * Writes the cell as UTF-8 for a person into buf (at most cap bytes, terminated): 12.34 ms, 50.95 GB, 61.2 %, "–" when missing;
 * text with control bytes, invalid UTF-8 and bidi characters escaped, cut in the middle to `width` columns (0 = no cut).
 * Returns the display width in columns.
 */
int cell_text(const struct cell *c, const struct column_def *col, int width, char *buf, size_t cap);
/* The cell as it is shown: words of the program (COL_WORDS) translated. */
struct cell cell_shown(const struct cell *c, const struct column_def *col);
/* num_ns, num_bytes, num_pct, num_count … for sentences stand in base/num.h (buf of CELL_TEXT_MAX). */

#endif
