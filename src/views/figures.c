/* figures.c - see figures.h */
#include "views/figures.h"

#include <stdio.h>
#include <string.h>

#include "model/schema.h"

struct table *view_of_source(const struct an_ctx *cx, const struct scope *sc, const char *id, uint32_t source, const char *partition)
{
	struct scope one = *sc;

	one.source = (int32_t)source;
	scope_set_partition(&one, partition, strlen(partition));
	return analysis_table(context_view(cx, id), cx, &one, NULL);
}

int64_t table_sum_where(const struct table *t, const char *col, const char *key, const char *is)
{
	int c = t ? table_col(t, col) : -1, kc = t && key ? table_col(t, key) : -1;
	int64_t sum = I64_UNKNOWN;

	for (uint32_t r = 0; c >= 0 && r < t->n_rows; r++) {
		const struct cell *x = table_cell(t, r, (uint32_t)c), *w = kc >= 0 ? table_cell(t, r, (uint32_t)kc) : NULL;

		if (x->type != CELL_I64 || (is && (!w || w->type != CELL_STR || w->len != strlen(is) || memcmp(w->v.s, is, w->len))))
			continue;
		sum = (sum == I64_UNKNOWN ? 0 : sum) + x->v.i;
	}
	return sum;
}

int64_t view_sum(const struct an_ctx *cx, const struct scope *sc, const char *id, uint32_t source, const char *col, const char *key,
	const char *is)
{
	struct table *t = view_of_source(cx, sc, id, source, "");
	int64_t v = table_sum_where(t, col, key, is);

	table_free(t);
	return v;
}
