/*
 * flame.h - a flame graph (icicle: callers above, callees below) of a tree of stacks in characters: zoom, cursor, search.
 * Zero-initialise to begin.
 *
 * A box is its left edge `|` (of the box under the cursor `>`), the letter of the framework, the function; its colour is the
 * framework's. A box narrower than a column is left out where another one covers the middle of that column.
 */
#ifndef UI_WIDGETS_FLAME_H
#define UI_WIDGETS_FLAME_H

#include "ui/widgets/table.h"

struct wflame {
	const struct prep *prep;	/* rows below are of this one */
	uint32_t row, zoom;		/* under the cursor; over the whole width. ROW_NONE none, and the whole */
	uint64_t row_key, zoom_key;	/* the same, to be found again in a newer table; 0 none */
	uint32_t top;			/* level at the upper edge, unless the cursor lies outside then */
	bool samples;			/* widths are samples */
};

/* After wtable_want: takes over a newer table. */
void wflame_take(struct wflame *f, const struct wtable *w);
void wflame_draw(const struct wflame *f, const struct wtable *w, const struct canvas *c, const char *empty);
/* False: the action means nothing here. */
bool wflame_act(struct wflame *f, const struct wtable *w, const struct pane *p, enum action a, struct outcome *out);
/*
 * To the next box that matches in reading order; dir 0: from the cursor on. Says which of how many it is and what they take together,
 * a match below another one counted once.
 */
bool wflame_find(struct wflame *f, const struct wtable *w, const struct needle *n, int dir, char *say, size_t cap);
/* Leaves the zoom; false when there is none. */
bool wflame_escape(struct wflame *f, const struct wtable *w, struct outcome *out);
void wflame_goto_key(struct wflame *f, const struct wtable *w, uint64_t key);
void wflame_click(struct wflame *f, const struct wtable *w, int x, int y, int width, int height);

#endif
