/* layout.c - where everything goes. */
#include "ui/widgets/layout.h"

#include <string.h>

static struct rect row(int w, int *y, bool shown)
{
	struct rect r = { 0, *y, w, shown ? 1 : 0 };

	*y += r.h;
	return r;
}

static void split_body(struct screen_layout *l, struct rect body, int want)
{
	int n = body.w >= 160 && body.h >= 43 ? 3 : body.w >= 120 ? 2 : 1, left;

	if (n > want)
		n = want;
	l->n_panes = n;
	l->pane[0] = body;
	if (n == 1)
		return;
	left = n == 3 ? body.w * 3 / 5 : body.w / 2 + body.w / 20;
	l->pane[0].w = left;
	l->pane[1] = (struct rect){ left + 1, body.y, body.w - left - 1, body.h };
	if (n == 2)
		return;
	l->pane[1].h = body.h / 2;
	l->pane[2] = (struct rect){ left + 1, body.y + body.h / 2, body.w - left - 1, body.h - body.h / 2 };
}

struct screen_layout layout_make(int w, int h, int want)
{
	struct screen_layout l;
	struct rect body = { 0, 0, w > 0 ? w : 0, 0 };
	int y = 0, below;

	memset(&l, 0, sizeof(l));
	if (h < 0)
		h = 0;
	l.title = row(body.w, &y, h >= 5);
	l.strip = row(body.w, &y, h >= 10);
	l.tabs = row(body.w, &y, h >= 6);
	below = (h >= 3) + (h >= 8);
	body.y = y;
	body.h = h - y - below;
	if (body.h < 0)
		body.h = 0;
	y = body.y + body.h;
	l.status = row(body.w, &y, h >= 3);
	l.keys = row(body.w, &y, h >= 8);
	split_body(&l, body, want < 1 ? 1 : want > LAYOUT_PANES ? LAYOUT_PANES : want);
	return l;
}
