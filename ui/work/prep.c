/* prep.c - order, keys and depth of a table's rows for the table widget; pure, may run in the worker. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "table/filter.h"
#include "ui/work/work.h"

/* What names a row: its key and name cells. Figures change from snapshot to snapshot, names do not. */
static uint64_t row_hash(const struct table *t, uint32_t row)
{
	uint64_t h = 0x9e3779b97f4a7c15u;

	for (uint32_t c = 0; c < t->n_cols; c++) {
		const struct cell *cell = table_cell(t, row, c);

		if (!(t->cols[c].flags & (COL_KEY | COL_NAME)))
			continue;
		if (cell->type == CELL_STR)
			h = (h ^ map_hash_bytes(cell->v.s, cell->len)) * 0x100000001b3u;
		else if (cell->type == CELL_I64)
			h = (h ^ (uint64_t)cell->v.i) * 0x100000001b3u;
	}
	return h;
}

/* Rows that are called the same are told apart by their place among each other: a tag or a mark is of one row. */
static uint64_t unique(struct map *seen, uint64_t key)
{
	uint32_t n = map_find(seen, key, 0);

	n = n == MAP_NONE ? 0 : n + 1;
	map_put(seen, key, 0, n);
	return n ? (key ^ n) * 0x9e3779b97f4a7c15u : key;
}

static void make_keys(struct prep *p, const struct table *t)
{
	struct map seen = { 0 };

	p->keys = xreallocarray(NULL, (size_t)t->n_rows + 1, sizeof(*p->keys));
	if (t->parents) {
		p->depth = xcalloc((size_t)t->n_rows + 1, sizeof(*p->depth));
		p->parent = xcalloc((size_t)t->n_rows + 1, sizeof(*p->parent));
	}
	for (uint32_t r = 0; r < t->n_rows; r++) {
		uint32_t up = t->parents ? t->parents[r] : ROW_NONE;

		p->keys[r] = row_hash(t, r);
		if (up < r)
			p->keys[r] ^= p->keys[up] * 31;
		p->keys[r] = unique(&seen, p->keys[r]);
		if (up >= r)
			continue;
		p->depth[r] = (uint16_t)(p->depth[up] < UINT16_MAX ? p->depth[up] + 1 : UINT16_MAX);
	}
	map_fini(&seen);
	for (uint32_t i = 0; p->parent && i < p->view.n; i++) {
		uint32_t up = t->parents[p->view.rows[i]];

		if (up < t->n_rows)
			p->parent[up] = true;
	}
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == CELL_STR)
		return a->len == b->len && !memcmp(a->v.s, b->v.s, a->len);
	return a->type != CELL_I64 || a->v.i == b->v.i;
}

/* True without such a column. */
static bool all_same(const struct table *t, const char *id)
{
	int c = table_col(t, id);

	for (uint32_t r = 1; c >= 0 && r < t->n_rows; r++)
		if (!same_cell(table_cell(t, r, (uint32_t)c), table_cell(t, 0, (uint32_t)c)))
			return false;
	return true;
}

/* Rows of several ranks look like copies of each other unless one column says whose they are. */
static void find_owner(struct prep *p, const struct table *t)
{
	p->one_source = all_same(t, "source");
	p->one_rank = all_same(t, "rank");
	p->one_process = table_col(t, "pid") >= 0 || all_same(t, "process");
	p->owner_col = !p->one_rank ? table_col(t, "rank") : !p->one_process ? table_col(t, "process") :
		!p->one_source ? table_col(t, "source") : -1;
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (t->cols[c].flags & COL_KEY && (!strcmp(t->cols[c].id, "path") || !strcmp(t->cols[c].id, "pid")))
			p->owner_col = -1;
}

struct prep *prep_make(const struct table *t, uint64_t serial, int sort_col, bool desc, const char *filter)
{
	struct prep *p = xcalloc(1, sizeof(*p));
	struct filter *f = NULL;

	p->serial = serial;
	p->sort_col = sort_col;
	p->desc = desc;
	p->err = (struct err)ERR_INIT;
	snprintf(p->filter, sizeof(p->filter), "%s", filter);
	if (*filter)
		f = filter_parse(filter, t->cols, t->n_cols, &p->err);
	table_view_make(&p->view, t, sort_col, desc, f, 0);
	make_keys(p, t);
	find_owner(p, t);
	p->flame = flame_make(t);
	filter_free(f);
	return p;
}

void prep_free(struct prep *p)
{
	if (!p)
		return;
	table_view_fini(&p->view);
	flame_free(p->flame);
	free(p->keys);
	free(p->depth);
	free(p->parent);
	free(p);
}
