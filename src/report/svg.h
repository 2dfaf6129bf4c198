/*
 * svg.h - charts of the report's page. Each draws the figures of one table, names every part in its
 * <title>, with all digits, and writes nothing where the table has no rows.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "base/sbuf.h"
#include "table/table.h"

/* View `steps`: a bar per step, its phases on top of each other; per source and rank one chart. */
void svg_steps(struct sbuf *b, const struct table *t);
/* View `gpu`: a bar per device, cut into compute, communication, copies and idle. */
void svg_gpu(struct sbuf *b, const struct table *t);
#define SVG_MIN_PX 0.4
/*
 * View `breakdown`: an icicle, level 1 above its level 2 above its level 3, widths by time. What is
 * narrower than SVG_MIN_PX is left blank.
 */
void svg_icicle(struct sbuf *b, const struct table *t);

#endif
