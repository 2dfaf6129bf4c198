/* flame.c - offsets and levels of a tree of stacks, see flame.h */
#include "ui/work/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "base/search.h"

int64_t flame_width(const struct flame *f, const struct table *t, uint32_t row, enum flame_weight w)
{
	const struct cell *c = f->col[w] < 0 ? NULL : table_cell(t, row, (uint32_t)f->col[w]);

	return c && c->type == CELL_I64 && c->v.i > 0 ? c->v.i : 0;
}

/* Children follow each other from their parent's left edge; a parent stands before its children. */
static void place_rows(struct flame *f, const struct table *t, enum flame_weight w)
{
	int64_t *next = xcalloc(t->n_rows, sizeof(*next));

	f->start[w] = xcalloc(t->n_rows, sizeof(*f->start[w]));
	for (uint32_t r = 0; r < t->n_rows; r++) {
		uint32_t up = t->parents[r];
		int64_t *edge = up < r ? &next[up] : &f->whole[w];

		f->start[w][r] = next[r] = *edge;
		if (__builtin_add_overflow(*edge, flame_width(f, t, r, w), edge))
			*edge = INT64_MAX;
	}
	free(next);
}

static void list_levels(struct flame *f, const struct table *t, enum flame_weight w)
{
	f->levels[w] = xcalloc(f->n_levels, sizeof(*f->levels[w]));
	for (uint32_t r = 0; r < t->n_rows; r++)
		f->levels[w][f->level[r]].n += flame_width(f, t, r, w) > 0;
	for (uint32_t l = 0; l < f->n_levels; l++) {
		f->levels[w][l].rows = xreallocarray(NULL, f->levels[w][l].n, sizeof(uint32_t));
		f->levels[w][l].n = 0;
	}
	for (uint32_t r = 0; r < t->n_rows; r++) {
		struct flame_level *l = &f->levels[w][f->level[r]];

		if (flame_width(f, t, r, w) > 0)
			l->rows[l->n++] = r;
	}
}

static bool has_figures(const struct table *t, int col)
{
	for (uint32_t r = 0; col >= 0 && r < t->n_rows; r++)
		if (t->parents[r] >= r && table_cell(t, r, (uint32_t)col)->type == CELL_I64)
			return true;
	return false;
}

struct flame *flame_make(const struct table *t)
{
	bool leaves = !strcmp(t->view, "leaves");
	struct flame *f;

	if (!t->parents || (!leaves && strcmp(t->view, "stacks") != 0))
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->level = xcalloc(t->n_rows, sizeof(*f->level));
	for (uint32_t r = 0; r < t->n_rows; r++) {
		f->level[r] = t->parents[r] < r ? f->level[t->parents[r]] + 1 : 0;
		if (f->level[r] >= f->n_levels)
			f->n_levels = f->level[r] + 1;
	}
	f->col[FLAME_TIME] = table_col(t, leaves ? "self_ns" : "total_ns");
	f->col[FLAME_SAMPLES] = table_col(t, "samples");
	for (int w = 0; w < FLAME_WEIGHTS; w++) {
		if (!has_figures(t, f->col[w]))
			continue;
		place_rows(f, t, (enum flame_weight)w);
		list_levels(f, t, (enum flame_weight)w);
	}
	return f;
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	for (int w = 0; w < FLAME_WEIGHTS; w++) {
		for (uint32_t l = 0; f->levels[w] && l < f->n_levels; l++)
			free(f->levels[w][l].rows);
		free(f->levels[w]);
		free(f->start[w]);
	}
	free(f->level);
	free(f);
}

uint32_t flame_at(const struct flame *f, const struct table *t, enum flame_weight w, uint32_t level, int64_t at, uint32_t *next)
{
	const struct flame_level *l;
	uint32_t i, row;

	if (next)
		*next = ROW_NONE;
	if (!f->start[w] || level >= f->n_levels)
		return ROW_NONE;
	l = &f->levels[w][level];
	LOWER_BOUND(i, 0, l->n, f->start[w][l->rows[i]] <= at);
	if (next && i < l->n)
		*next = l->rows[i];
	row = i ? l->rows[i - 1] : ROW_NONE;
	return row != ROW_NONE && at - f->start[w][row] < flame_width(f, t, row, w) ? row : ROW_NONE;
}
