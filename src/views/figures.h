/* figures.h - figures of other views: analyses that compare or judge take what a view says, they do not count again. */
#ifndef VIEWS_FIGURES_H
#define VIEWS_FIGURES_H

#include "scope/analysis.h"

/* The view of one source in a scope; partition "" where it has none. NULL if it failed. The caller frees. */
struct table *view_of_source(const struct an_ctx *cx, const struct scope *sc, const char *id, uint32_t source, const char *partition);
/* Sum of a column over the rows whose column `key` holds `is` (NULL: all rows); I64_UNKNOWN if no row has a value. t may be NULL. */
int64_t table_sum_where(const struct table *t, const char *col, const char *key, const char *is);
/* Both at once. */
int64_t view_sum(const struct an_ctx *cx, const struct scope *sc, const char *id, uint32_t source, const char *col, const char *key,
	const char *is);

#endif
