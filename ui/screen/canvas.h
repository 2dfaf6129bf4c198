/*
 * canvas.h - a grid of cells: UTF-8 text, a style id and attributes. Panes draw into a canvas and nothing else, so every
 * screen can be tested without a terminal.
 *
 * A struct canvas is a window on a grid: drawing is clipped to it and (0, 0) is its corner. Copies share the grid. Text is
 * made safe on the way in: control bytes, invalid UTF-8, bidi and zero-width format characters become \x.. or \u....; in
 * ASCII mode everything else that is not ASCII is replaced.
 */
#ifndef UI_SCREEN_CANVAS_H
#define UI_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ui/screen/style.h"

enum { CELL_BYTES = 13 };
struct canvas_cell {
	char s[CELL_BYTES];	/* the bytes of one character with its combining marks; not terminated */
	uint8_t n;		/* their number; 0 = right half of a wide character */
	uint8_t style;		/* enum style_id */
	uint8_t attrs;		/* enum style_attr, added to those of the style */
};
struct grid {
	int w, h;
	struct canvas_cell *cells;
	bool ascii;
	unsigned work;		/* units of work of this frame: rows formatted, index steps; what tests assert */
	int cursor_x, cursor_y;	/* where the terminal's cursor goes, -1 hidden */
};
struct rect {
	int x, y, w, h;
};
struct canvas {
	struct grid *g;
	int x, y, w, h;		/* clip in grid cells; w or h may be 0 */
};

void grid_init(struct grid *g, int w, int h);
void grid_resize(struct grid *g, int w, int h);	/* empties it */
void grid_clear(struct grid *g);
void grid_fini(struct grid *g);
struct canvas canvas_whole(struct grid *g);
/* A part of c, clipped to it; r is relative to c. */
struct canvas canvas_sub(const struct canvas *c, struct rect r);

/*
 * Writes at most max_w columns (max_w < 0: up to the clip, whose last column then tells of what is cut) of n bytes (n == SIZE_MAX:
 * strlen) from column x on; x may be negative. Returns the number of columns taken, clipped or not.
 */
int canvas_text(const struct canvas *c, int x, int y, uint8_t style, unsigned attrs, const char *s, size_t n, int max_w);
/* The same for a terminated string without limit. */
int canvas_puts(const struct canvas *c, int x, int y, uint8_t style, const char *s);
/* The same, ending before column x + w: heads of columns of figures, whatever the width of their characters. Returns x + w. */
int canvas_puts_right(const struct canvas *c, int x, int w, int y, uint8_t style, const char *s);
int canvas_printf(const struct canvas *c, int x, int y, uint8_t style, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Fills w cells of a line with one character (UTF-8 text of one column). */
void canvas_fill(const struct canvas *c, int x, int y, int w, uint8_t style, unsigned attrs, const char *ch);
/* Adds attributes to w cells that are there already. */
void canvas_attr(const struct canvas *c, int x, int y, int w, unsigned attrs);
/* Whether a cell within the clip is a blank. */
bool canvas_blank(const struct canvas *c, int x, int y);
/* A horizontal bar of `ratio` (0..1) of w columns, in eighths where the terminal can, in '#' where not. */
void canvas_bar(const struct canvas *c, int x, int y, int w, uint8_t style, double ratio);
/* Bytes of s that fit into w columns when lines break at blanks; *skip (may be NULL) = blanks that the break swallows. At least 1 of n > 0. */
size_t canvas_wrap(const char *s, size_t n, int w, size_t *skip);
/* Word-wraps text from row y, leaving one column free on the right. Returns the row after it. */
int canvas_wrapped(const struct canvas *c, int x, int y, uint8_t style, const char *s);
/* Columns that a text takes (after escaping). */
int canvas_width(const char *s, size_t n);

/* The screen as text, a line per row, trailing blanks cut. */
void grid_dump_text(const struct grid *g, FILE *f);
/* One letter per cell: the style; upper-case attributes follow as a second plane where any is set (R reverse, U underline, B bold). */
void grid_dump_styles(const struct grid *g, FILE *f);
/* True when the text of the screen (lines joined by \n, ASCII spaces) holds the needle. */
bool grid_find(const struct grid *g, const char *needle);

#endif
