/* text.h - scrolled lines of text: help, log. Zero-initialise to begin. */
#ifndef UI_WIDGETS_TEXT_H
#define UI_WIDGETS_TEXT_H

#include "base/vec.h"
#include "ui/widgets/pane.h"

struct wtext_line {
	size_t at, n;
	uint8_t style;
};
struct wtext {
	struct sbuf text;
	VEC(struct wtext_line) lines;
	int top;
	size_t match;			/* line of the last match + 1 */
	const struct needle *needle;
};
void wtext_reset(struct wtext *w);	/* empties, keeps the place */
/* Adds a line, broken at `width` columns (0: never); what follows is indented by `hang`. */
void wtext_wrap(struct wtext *w, uint8_t style, int width, int hang, const char *text);
void wtext_add(struct wtext *w, uint8_t style, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void wtext_fini(struct wtext *w);
void wtext_draw(const struct wtext *w, const struct canvas *c);
bool wtext_act(struct wtext *w, const struct pane *p, enum action a, struct outcome *out);
/* Goes to a matching line; into `say` which of how many. */
bool wtext_find(struct wtext *w, const struct needle *n, int dir, char *say, size_t cap);

/* The operations of a pane that is one text; its state begins with a struct wtext. */
/* clang-format off */
#define TEXT_PANE_OPS \
	.where = IN_TEXT, .close = text_pane_close, .draw = text_pane_draw, .act = text_pane_act, \
	.find = text_pane_find, .highlight = text_pane_highlight
/* clang-format on */
void text_pane_close(struct pane *p);
void text_pane_draw(const struct pane *p, const struct canvas *c);
void text_pane_act(struct pane *p, enum action a, struct outcome *out);
bool text_pane_find(struct pane *p, const struct needle *n, int dir);
void text_pane_highlight(struct pane *p, const struct needle *n);

#endif
