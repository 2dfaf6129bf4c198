/*
 * w_table.h - the table and tree widget: any struct table, sorted, filtered, folded, searched; only visible rows are formatted.
 * Zero-initialise to begin.
 */
#ifndef UI_W_TABLE_H
#define UI_W_TABLE_H

#include "base/map.h"
#include "base/vec.h"
#include "ui/pane.h"

struct wtable {
	struct result *res;		/* what is shown; owned reference, may be NULL */
	struct prep *prep;		/* of res; NULL: not yet */
	bool stale;			/* res answers an older question */
	int sort_col;			/* column index, -1 = as the analysis ordered it */
	bool desc, sort_chosen;
	char filter[256];
	struct map open;		/* row key → 1 open, 0 closed; absent: by depth */
	unsigned open_depth;		/* rows above this depth are open unless said otherwise */
	struct map tags;		/* row key → 1 */
	struct map hidden;		/* hash of a class → 1 */
	VEC(uint32_t) vis;		/* visible rows */
	uint32_t cursor, top;		/* indexes into vis */
	int pan;			/* columns skipped after the name */
	bool percent;
	uint64_t want_key;		/* go to this row when it appears; 0 none */
	const struct needle *needle;	/* highlight */
};

void wtable_fini(struct wtable *w);
/*
 * Asks for (id, scope) and takes over what is there; keeps the old table, marked stale, until the new one has come.
 * Sets pane->pending.
 */
void wtable_want(struct wtable *w, struct pane *p, const char *id, const struct scope *sc);
/* Draws header and rows; `empty` says why there may be none. Returns the number of body rows. */
void wtable_draw(const struct wtable *w, const struct pane *p, const struct canvas *c, const char *empty);
/* One line: the texts of the row under the cursor that do not fit their columns. */
void wtable_draw_whole(const struct wtable *w, const struct canvas *c);
const char *wtable_split_name(enum by_dim by);	/* "Phase", as the title of the column; "" when rows are not split */
/* Cursor, order and folding. False: the action is none of those. */
bool wtable_act(struct wtable *w, const struct pane *p, enum action a, struct outcome *out);
bool wtable_find(struct wtable *w, const struct needle *n, int dir);
bool wtable_filter(struct wtable *w, const char *text, struct err *e);
bool wtable_sort(struct wtable *w, const char *column, struct err *e);
/* Row under the cursor, ROW_NONE if there is none. */
uint32_t wtable_row(const struct wtable *w);
void wtable_reveal(struct wtable *w, uint32_t row);	/* opens what is above the row and goes to it */
uint64_t wtable_key(const struct wtable *w);
void wtable_goto_key(struct wtable *w, uint64_t key);
bool wtable_is_open(const struct wtable *w, uint32_t row);	/* trees only */
/* True when the row under the cursor is a closed parent. */
bool wtable_closed_parent(const struct wtable *w);
void wtable_copy(const struct wtable *w, struct sbuf *b);
bool wtable_csv(const struct wtable *w, struct sbuf *b);

#endif
