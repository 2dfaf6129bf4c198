/* get.c - cells by the id of their column, see get.h */
#include "table/get.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

const struct cell *get_maybe(const struct table *t, uint32_t row, const char *id)
{
	static const struct cell missing = { .type = CELL_MISSING };
	int col = table_col(t, id);

	return col < 0 ? &missing : table_cell(t, row, (uint32_t)col);
}

const struct cell *get_cell(const struct table *t, uint32_t row, const char *id)
{
#ifdef DEVELOPERS_BUILD
	if (table_col(t, id) < 0) {
		fprintf(stderr, "%s has no column %s\n", t->view, id);
		abort();
	}
#endif
	return get_maybe(t, row, id);
}

int64_t get_i64(const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = get_cell(t, row, id);

	return c->type == CELL_I64 ? c->v.i : INT64_MIN;
}

double get_f64(const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = get_cell(t, row, id);

	return c->type == CELL_F64 ? c->v.f : (double)NAN;
}

bool get_bool(const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = get_cell(t, row, id);

	return c->type == CELL_BOOL && c->v.b;
}

const char *get_str(const struct table *t, uint32_t row, const char *id, int *len)
{
	const struct cell *c = get_cell(t, row, id);

	*len = c->type == CELL_STR ? (int)c->len : 0;
	return *len ? c->v.s : "";
}

bool cell_is_word(const struct cell *c, const char *word)
{
	return c->type == CELL_STR && text_is(c->v.s, c->len, word);
}

bool get_is(const struct table *t, uint32_t row, const char *id, const char *word)
{
	return cell_is_word(get_cell(t, row, id), word);
}

bool get_same(const struct table *t, uint32_t a, uint32_t b, const char *id)
{
	return !cell_cmp(get_cell(t, a, id), get_cell(t, b, id));
}
