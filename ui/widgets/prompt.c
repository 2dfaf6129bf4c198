/* prompt.c - the line editor behind ":", "/", "&" and F6. */
#include "ui/widgets/prompt.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/screen/glyph.h"

static void set_text(struct prompt *p, const char *text)
{
	snprintf(p->text, sizeof(p->text), "%s", text);
	p->n = p->at = strlen(p->text);
}

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text)
{
	p->kind = kind;
	p->recall = 0;
	p->completion = 0;
	p->stem[0] = '\0';
	set_text(p, text);
}

static void remember(struct prompt *p)
{
	struct prompt_lines *h = &p->history[p->kind];

	if (!p->n || (h->n && !strcmp(h->v[h->n - 1], p->text)))
		return;
	if (h->n == PROMPT_HISTORY) {
		memmove(h->v[0], h->v[1], sizeof(h->v[0]) * (PROMPT_HISTORY - 1));
		h->n--;
	}
	memcpy(h->v[h->n++], p->text, sizeof(p->text));
}

static void recall(struct prompt *p, int by)
{
	const struct prompt_lines *h = &p->history[p->kind];

	if (by > 0 && p->recall >= h->n)
		return;
	if (by < 0 && !p->recall)
		return;
	if (!p->recall)
		memcpy(p->typed, p->text, sizeof(p->typed));
	p->recall = (unsigned)((int)p->recall + by);
	set_text(p, p->recall ? h->v[h->n - p->recall] : p->typed);
}

static void insert(struct prompt *p, ui_key k)
{
	char s[4];
	size_t len = text_encode(s, k);

	if (p->n + len >= sizeof(p->text))
		return;
	memmove(p->text + p->at + len, p->text + p->at, p->n - p->at + 1);
	memcpy(p->text + p->at, s, len);
	p->n += len;
	p->at += len;
}

static size_t char_before(const struct prompt *p)
{
	size_t i = p->at;

	while (i > 0 && ((unsigned char)p->text[--i] & 0xc0) == 0x80)
		;
	return i;
}

static size_t char_after(const struct prompt *p)
{
	size_t i = p->at;

	if (i < p->n)
		i++;
	while (i < p->n && ((unsigned char)p->text[i] & 0xc0) == 0x80)
		i++;
	return i;
}

static void erase(struct prompt *p, size_t from, size_t to)
{
	memmove(p->text + from, p->text + to, p->n - to + 1);
	p->n -= to - from;
	p->at = from;
}

static size_t word_before(const struct prompt *p)
{
	size_t i = p->at;

	while (i > 0 && p->text[i - 1] == ' ')
		i--;
	while (i > 0 && p->text[i - 1] != ' ')
		i--;
	return i;
}

static void complete(struct prompt *p)
{
	char line[PROMPT_BYTES];
	void *arg = p->complete_arg;

	if (!p->complete)
		return;
	if (!p->completion)
		memcpy(p->stem, p->text, sizeof(p->stem));
	if (!p->complete(arg, p->kind, p->stem, p->completion, line, sizeof(line))) {
		if (!p->completion)
			return;
		p->completion = 0;	/* round to the first */
		if (!p->complete(arg, p->kind, p->stem, 0, line, sizeof(line)))
			return;
	}
	set_text(p, line);
	p->completion++;
}

static bool edit(struct prompt *p, ui_key k)
{
	switch (k) {
	case UK_LEFT: case 2: p->at = char_before(p); break;
	case UK_RIGHT: case 6: p->at = char_after(p); break;
	case UK_HOME: case 1: p->at = 0; break;
	case UK_END: case 5: p->at = p->n; break;
	case UK_UP: case 16: recall(p, 1); break;
	case UK_DOWN: case 14: recall(p, -1); break;
	case KEY_BS_: case 8: erase(p, char_before(p), p->at); break;
	case UK_DEL: case 4: {
		size_t at = p->at;

		erase(p, at, char_after(p));
		break;
	}
	case 21: erase(p, 0, p->at); break;
	case 23: erase(p, word_before(p), p->at); break;
	default: return false;
	}
	return true;
}

enum prompt_result prompt_key(struct prompt *p, ui_key k)
{
	if (k == UK_PASTE_BEGIN || k == UK_PASTE_END) {
		p->pasting = k == UK_PASTE_BEGIN;
		return PROMPT_GOES_ON;
	}
	if (p->pasting && k < ' ')
		k = ' ';	/* a pasted line end is no Enter */
	if (k == KEY_TAB_) {
		complete(p);
		return PROMPT_GOES_ON;
	}
	p->completion = 0;
	if (k == KEY_ESC_ || k == 3)
		return PROMPT_CANCEL;
	if (k == KEY_BS_ && !p->n)
		return PROMPT_CANCEL;
	if (k == KEY_ENTER_) {
		remember(p);
		return PROMPT_ACCEPT;
	}
	if (!edit(p, k) && k >= ' ' && k < KEY_SPECIAL)
		insert(p, k);
	return PROMPT_GOES_ON;
}

void prompt_draw(const struct prompt *p, const struct canvas *c, const char *label)
{
	int x = canvas_puts(c, 0, 0, ST_KEY, label), room = c->w - x - 1, cur = canvas_width(p->text, p->at);
	const char *s = p->text;
	size_t n = p->n;

	/* long lines scroll by whole characters */
	while (cur > room && n) {
		struct glyph g;

		if (!glyph_next(&s, &n, false, false, &g))
			break;
		cur -= g.width;
	}
	canvas_text(c, x, 0, ST_STATUS, 0, s, n, room);
	c->g->cursor_x = c->x + x + cur;
	c->g->cursor_y = c->y;
}
