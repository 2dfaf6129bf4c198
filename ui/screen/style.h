/*
 * style.h - what a cell means, not which colour it has. A terminal turns a style into colours and attributes; the dump of a
 * canvas shows one letter per style, so tests can assert meaning without colour.
 *
 * Colour is never alone: every class and phase also has a letter and a fill (ux.md), chosen by style_letter and style_fill.
 */
#ifndef UI_SCREEN_STYLE_H
#define UI_SCREEN_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/kernel_name.h"
#include "rules/words.h"

enum style_attr { ATTR_BOLD = 1, ATTR_REVERSE = 2, ATTR_UNDERLINE = 4, ATTR_DIM = 8 };

/*
 * STYLE(id, dump letter, 256-colour foreground, 16-colour foreground, attributes): -1 is the terminal's own foreground.
 * Near Okabe-Ito; the 16-colour set has no red/green pair and no bright black.
 */
/* clang-format off */
#define STYLES(STYLE) \
	STYLE(NORMAL,	'.', -1, -1, 0) \
	STYLE(TITLE,	'T', -1, -1, ATTR_BOLD) \
	STYLE(DIM,	'd', 245, -1, 0) \
	STYLE(TAB,	't', -1, -1, 0) \
	STYLE(TAB_ON,	'B', -1, -1, ATTR_BOLD | ATTR_REVERSE) \
	STYLE(HEAD,	'h', -1, -1, ATTR_BOLD | ATTR_UNDERLINE) \
	STYLE(SELECT,	's', -1, -1, ATTR_REVERSE) \
	STYLE(MATCH,	'm', 227, 3, ATTR_UNDERLINE) \
	STYLE(FINDING,	'!', 166, 5, ATTR_BOLD) \
	STYLE(STATUS,	'_', -1, -1, 0) \
	STYLE(WARN,	'w', 214, 3, ATTR_BOLD) \
	STYLE(ERROR,	'x', 166, 5, ATTR_BOLD) \
	STYLE(KEY,	'k', -1, -1, ATTR_BOLD) \
	STYLE(KEYTEXT,	'y', 245, -1, 0) \
	STYLE(TREE,	'|', 245, -1, 0) \
	STYLE(BAR,	'b', 74, 6, 0) \
	STYLE(C_GEMM,	'G', 214, 3, 0) \
	STYLE(C_ATTN,	'A', 74, 6, 0) \
	STYLE(C_ELEM,	'E', 36, 4, 0) \
	STYLE(C_RED,	'R', 227, 11, 0) \
	STYLE(C_COMM,	'N', 25, 5, 0) \
	STYLE(C_COPY,	'C', 166, 15, 0) \
	STYLE(C_SET,	'S', 175, 14, 0) \
	STYLE(C_OTHER,	'o', 245, 7, 0) \
	STYLE(P_LOAD,	'1', 175, 5, 0) \
	STYLE(P_FWD,	'2', 74, 6, 0) \
	STYLE(P_BWD,	'3', 214, 3, 0) \
	STYLE(P_REC,	'4', 227, 11, 0) \
	STYLE(P_OPT,	'5', 36, 4, 0) \
	STYLE(P_OTHER,	'6', 245, 7, 0) \
	STYLE(HOST,	'H', 74, 6, 0) \
	STYLE(API,	'a', 245, 7, 0) \
	STYLE(API_SYNC,	'W', 166, 15, 0) \
	STYLE(API_LAUNCH, 'l', 74, 6, 0) \
	STYLE(IDLE,	'i', 175, 13, 0) \
	STYLE(AXIS,	'-', 245, -1, 0)
/* clang-format on */

enum style_id {
#define STYLE(id, letter, c256, c16, attrs) ST_##id,
	STYLES(STYLE)
#undef STYLE
	ST_N
};

struct style {
	char letter;
	int16_t fg256, fg16;
	uint8_t attrs;
};
const struct style *style_get(uint8_t id);
/*
 * Colours of a style in a theme (THEME_* of settings.h) on a terminal of 8, 16 or 256 colours; -1 is the terminal's own. A mono
 * theme has none.
 */
struct style_color {
	int fg, bg;
};
struct style_color style_color(uint8_t id, int theme, int depth);

/* The eight shown kinds of GPU work: style, letter, fill in UTF-8 and in ASCII. */
struct mark {
	uint8_t style;
	char letter;
	const char *fill, *fill_ascii;
	const char *name;
};
const struct mark *style_class_mark(enum kclass k);
/* Style of whose code a frame is, by its letter (rules_framework_name()); ST_NORMAL: the user's, and what has none. */
uint8_t style_framework(char letter);
const struct mark *style_copy_mark(bool memset_work);
const struct mark *style_phase_mark(enum phase p);
/* A bar of that many eighths of a cell's height, 1 to 8. */
const char *style_ramp(int eighths, bool ascii);
/* All class marks for the legend; *n their number. */
const struct mark *style_class_marks(unsigned *n);

#endif
