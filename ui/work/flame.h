/*
 * flame.h - where the rows of a tree of stacks lie in a flame graph: every row has an offset and a width in time (or samples), its
 * children lie below it from its left edge on. Made once per table, in the worker; what is on the screen is then found by binary
 * search in one level, so a frame costs the columns of the screen, not the rows of the table.
 */
#ifndef UI_WORK_FLAME_H
#define UI_WORK_FLAME_H

#include "table/table.h"

enum flame_weight { FLAME_TIME, FLAME_SAMPLES, FLAME_WEIGHTS };
struct flame_level {
	uint32_t *rows;		/* those with a width, in order of offset */
	uint32_t n;
};
struct flame {
	uint32_t *level;	/* per row */
	int64_t *start[FLAME_WEIGHTS];	/* per row; NULL: the table does not say */
	struct flame_level *levels[FLAME_WEIGHTS];
	uint32_t n_levels;
	int64_t whole[FLAME_WEIGHTS];
	int col[FLAME_WEIGHTS];	/* column of the widths */
};

/* For tables whose rows stand depth first and have total_ns (leaves: self_ns) or samples; NULL for every other. flame_free() it. */
struct flame *flame_make(const struct table *t);
void flame_free(struct flame *f);	/* f may be NULL */
/* Width of a row; 0 unknown. */
int64_t flame_width(const struct flame *f, const struct table *t, uint32_t row, enum flame_weight w);
/* The row of the level that covers the offset, ROW_NONE if none; *next (may be NULL): the first row that begins after it. */
uint32_t flame_at(const struct flame *f, const struct table *t, enum flame_weight w, uint32_t level, int64_t at, uint32_t *next);

#endif
