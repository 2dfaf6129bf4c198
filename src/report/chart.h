/*
 * chart.h - what stands below the table of a section: which rows are the largest, in words, and
 * rows as bars. Both read the table that was printed, nothing else.
 */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/section.h"

/*
 * "Largest: X with 12.3 ms, 41.0 % of the 30.1 ms of all rows; the first three make up 80 %." spec:
 * ids of the columns of names, the last one that of the figures (whole numbers that may be added up).
 * rest: the last row stands for all rows that are not shown. Nothing for trees, for fewer than two
 * rows, for unknown cells, and where the figures sum to nothing.
 */
void chart_reading(struct report *r, const struct table *t, const char *spec, bool rest);

/*
 * A code block with a line per row: label, figure, bar; the longest bar is the largest figure. spec:
 * ids of the columns of the label, the last one that of the figure. Where the column `source`
 * changes, its name stands above. At most CHART_ROWS rows; how many are left out is said.
 */
enum {
	CHART_ROWS = 60
};
void chart_bars(struct report *r, const struct table *t, const char *spec);

#endif
