/*
 * table.h - the table and tree widget: any struct table, sorted, filtered, folded, searched; only visible rows are formatted.
 * Zero-initialise to begin.
 */
#ifndef UI_WIDGETS_TABLE_H
#define UI_WIDGETS_TABLE_H

#include "base/map.h"
#include "base/vec.h"
#include "ui/widgets/pane.h"

struct wtable {
	struct result *res;		/* what is shown; owned reference, may be NULL */
	struct prep *prep;		/* of res; NULL: not yet */
	bool stale;			/* res answers an older question */
	int sort_col;			/* column index, -1 = as the analysis ordered it */
	bool desc, sort_chosen;
	char want_sort[64];		/* as for wtable_sort: when the table is there; "" none */
	char filter[256];
	struct map open;		/* row key → 1 open, 0 closed; absent: by depth */
	unsigned open_depth;		/* rows above this depth are open unless said otherwise */
	struct map tags;		/* row key → 1 */
	struct map hidden;		/* hash of a class → 1 */
	VEC(uint32_t) vis;		/* visible rows */
	uint32_t cursor, top;		/* indexes into vis */
	int pan;			/* columns skipped after the name */
	uint8_t show;			/* enum show */
	int64_t steps;			/* in the window of res, 0 where a mean per step says nothing */
	struct map chosen;		/* hash of a column id → 1 always shown, 0 hidden; absent: as there is room */
	char tagged[160];		/* totals of the tagged rows, "" none */
	VEC(uint32_t) hits;		/* rows of prep->view that match, as places in it */
	uint64_t hits_of;		/* hash of the text searched for, 0 none; of prep */
	bool to_top, to_end;		/* the next order begins at its first row, or its last: nobody has chosen one */
	uint64_t want_key;		/* go to this row when it appears; 0 none */
	const struct needle *needle;	/* highlight */
};

enum show { SHOW_FIGURES, SHOW_SHARE, SHOW_PER_STEP, SHOW_N };
enum col_choice { COL_HIDDEN, COL_IF_ROOM, COL_ALWAYS };

void wtable_fini(struct wtable *w);
/*
 * Asks for (id, scope) and takes over what is there; keeps the old table, marked stale, until the new one has come.
 * Sets pane->pending.
 */
void wtable_want(struct wtable *w, struct pane *p, const char *id, const struct scope *sc);
/* Draws header and rows; `empty` says why there may be none. Returns the number of body rows. */
void wtable_draw(const struct wtable *w, const struct pane *p, const struct canvas *c, const char *empty);
/* One line: the totals of tagged rows, else the texts of the row under the cursor that do not fit their columns. */
void wtable_draw_whole(const struct wtable *w, const struct canvas *c);
const char *wtable_split_name(enum by_dim by);	/* "Phase", as the title of the column; "" when rows are not split */
/* Cursor, order and folding. False: the action is none of those. */
bool wtable_act(struct wtable *w, const struct pane *p, enum action a, struct outcome *out);
/* Goes to a match; into `say` its number of how many, where that is known at once. */
bool wtable_find(struct wtable *w, const struct needle *n, int dir, char *say, size_t cap);
bool wtable_filter(struct wtable *w, const char *text, struct err *e);
/*
 * By the column of that id or title; "+ID" upwards, "-ID" downwards, without a sign as its unit asks for. Before there is a table it is
 * remembered, and the pane says then when there is no such column.
 */
bool wtable_sort(struct wtable *w, const char *column, struct err *e);
/* The column whose title is there in a table of that width; -1 none. */
int wtable_column_at(const struct wtable *w, int width, int x);
const char *wtable_sorted(const struct wtable *w, bool *desc);	/* id, NULL: as the analysis ordered it */
/* table_sum.c. Columns: "+ID" always, "-ID" never, several by blanks or commas; "all": as there is room. */
bool wtable_columns(struct wtable *w, const char *text, struct err *e);
enum col_choice wtable_choice(const struct wtable *w, const struct column_def *col);
/* A figure as a share of the window or as a mean per step: the cell and its unit, or false: as it is. */
bool wtable_scaled(const struct wtable *w, const struct column_def *col, const struct cell *cell, struct cell *out, struct column_def *def);
void wtable_count_steps(struct wtable *w, const struct pane *p);
void wtable_next_show(struct wtable *w, struct outcome *out);
const char *wtable_show_text(const struct wtable *w);	/* "per step", "" for plain figures */
void wtable_sum_tags(struct wtable *w);
/* Row under the cursor, ROW_NONE if there is none. */
uint32_t wtable_row(const struct wtable *w);
void wtable_reveal(struct wtable *w, uint32_t row);	/* opens what is above the row and goes to it */
uint64_t wtable_key(const struct wtable *w);
void wtable_goto_key(struct wtable *w, uint64_t key);
bool wtable_is_open(const struct wtable *w, uint32_t row);	/* trees only */
/* True when the row under the cursor is a closed parent. */
bool wtable_closed_parent(const struct wtable *w);
void wtable_copy(const struct wtable *w, struct sbuf *b);
void wtable_copy_row(const struct table *t, uint32_t row, struct sbuf *b);	/* its cells, with tabs between them */

#endif
