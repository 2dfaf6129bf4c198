/* figures.c - see figures.h */
#include "views/figures.h"

#include <stdio.h>
#include <string.h>

#include "model/schema.h"
#include "table/get.h"

struct table *view_of_source(const struct an_ctx *cx, const struct scope *sc, const char *id, uint32_t source, const char *partition)
{
	struct scope one = *sc;

	one.source = (int32_t)source;
	scope_set_partition(&one, partition, strlen(partition));
	return analysis_table(context_view(cx, id), cx, &one, NULL);
}

int64_t table_sum_where(const struct table *t, const char *col, const char *key, const char *is)
{
	int64_t sum = I64_UNKNOWN;

	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		int64_t v = is && !get_is(t, r, key, is) ? I64_UNKNOWN : get_i64(t, r, col);

		if (v != I64_UNKNOWN)
			sum = (sum == I64_UNKNOWN ? 0 : sum) + v;
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
