/* text.c - lines that scroll. */
#include "ui/widgets/text.h"

#include <stdarg.h>
#include <string.h>

#include "base/i18n.h"

void wtext_reset(struct wtext *w)
{
	sbuf_reset(&w->text);
	w->lines.n = 0;
}

void wtext_add(struct wtext *w, uint8_t style, const char *fmt, ...)
{
	char buf[1024];
	size_t at = w->text.n, n;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	n = strlen(buf);
	sbuf_put(&w->text, buf, n);
	VEC_PUSH(&w->lines, (struct wtext_line){ at, n, style });
}

void wtext_wrap(struct wtext *w, uint8_t style, int width, int hang, const char *text)
{
	size_t n = strlen(text), skip = 0, take = n;
	bool first = true;

	do {
		int room = width - (first ? 0 : hang);

		if (width > 0)
			take = canvas_wrap(text, n, room > 8 ? room : 8, &skip);
		wtext_add(w, style, "%*s%.*s", first ? 0 : hang, "", (int)take, text);
		text += take + skip;
		n -= take + skip;
		first = false;
	} while (n);
}

void wtext_fini(struct wtext *w)
{
	sbuf_fini(&w->text);
	VEC_FREE(&w->lines);
}

void wtext_draw(const struct wtext *w, const struct canvas *c)
{
	/* a wider screen has fewer lines than the place was chosen among */
	int max = (int)w->lines.n > c->h ? (int)w->lines.n - c->h : 0, top = w->top < max ? w->top : max;
	bool more = w->lines.n > (size_t)(top + c->h) && c->h > 1;

	for (int y = 0; y < c->h && (size_t)(top + y) < w->lines.n; y++) {
		const struct wtext_line *l = &w->lines.a[top + y];
		const char *s = w->text.s + l->at;
		bool hit = w->needle && w->needle->set && needle_match(w->needle, s, l->n, NULL, NULL);

		/* the last line leaves room for how far it is */
		struct canvas part = canvas_sub(c, (struct rect){ 0, 0, more && y == c->h - 1 && c->w > 30 ? c->w - 9 : c->w, c->h });

		canvas_text(&part, 1, y, hit ? ST_MATCH : l->style, 0, s, l->n, -1);
		c->g->work++;
	}
	if (more && c->w > 30)
		canvas_printf(c, c->w - 8, c->h - 1, ST_DIM, "%3d %%", (int)((size_t)(top + c->h) * 100 / w->lines.n));
}

bool wtext_act(struct wtext *w, const struct pane *p, enum action a, struct outcome *out)
{
	int page = p->rows > 2 ? p->rows - 1 : 1, max = (int)w->lines.n > p->rows ? (int)w->lines.n - p->rows : 0, to;

	if (w->top > max)
		w->top = max;
	to = w->top;
	switch (a) {
	case ACT_DOWN: to++; break;
	case ACT_UP: to--; break;
	case ACT_PAGE_DOWN: case ACT_TAG: to += page; break;
	case ACT_PAGE_UP: to -= page; break;
	case ACT_HALF_DOWN: to += (page + 1) / 2; break;
	case ACT_HALF_UP: to -= (page + 1) / 2; break;
	case ACT_TOP: to = 0; break;
	case ACT_END: to = max; break;
	default: return false;
	}
	if (to > max)
		to = max;
	if (to < 0)
		to = 0;
	if (to == w->top)
		outcome_say(out, "%s", to ? _("this is the end") : _("this is the beginning"));
	w->top = to;
	out->flags |= OUT_HANDLED;
	return true;
}

static bool line_matches(const struct wtext *w, size_t i, const struct needle *n)
{
	return needle_match(n, w->text.s + w->lines.a[i].at, w->lines.a[i].n, NULL, NULL);
}

static void count_matches(const struct wtext *w, const struct needle *n, char *say, size_t cap)
{
	size_t all = 0, before = 0;

	for (size_t i = 0; i < w->lines.n; i++) {
		if (!line_matches(w, i, n))
			continue;
		all++;
		before += i < w->match;
	}
	snprintf(say, cap, _("%zu of %zu"), before, all);
}

bool wtext_find(struct wtext *w, const struct needle *n, int dir, char *say, size_t cap)
{
	size_t total = w->lines.n, at = w->match ? w->match - 1 : (size_t)w->top;

	for (size_t k = dir ? 1 : 0; k <= total && total; k++) {
		size_t i = dir < 0 ? (at + total - k % total) % total : (at + k) % total;

		if (!line_matches(w, i, n))
			continue;
		w->match = i + 1;
		w->top = i > 2 ? (int)i - 2 : 0;
		count_matches(w, n, say, cap);
		return true;
	}
	return false;
}

/* ---- panes that are one text ---- */

void text_pane_close(struct pane *p)
{
	wtext_fini(p->state);
}

void text_pane_draw(const struct pane *p, const struct canvas *c)
{
	wtext_draw(p->state, c);
}

void text_pane_act(struct pane *p, enum action a, struct outcome *out)
{
	wtext_act(p->state, p, a, out);
}

bool text_pane_find(struct pane *p, const struct needle *n, int dir)
{
	return wtext_find(p->state, n, dir, p->say, sizeof(p->say));
}

void text_pane_highlight(struct pane *p, const struct needle *n)
{
	((struct wtext *)p->state)->needle = n;
}
