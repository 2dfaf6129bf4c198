/* mouse.c - clicks and the wheel: tabs, the strip of steps, panes. */
#include "facts/facts.h"
#include "ui/app/app_impl.h"
#include "ui/widgets/strip.h"

enum { WHEEL_ROWS = 3 };

static bool within(struct rect r, const struct term_event *ev)
{
	return ev->x >= r.x && ev->x < r.x + r.w && ev->y >= r.y && ev->y < r.y + r.h;
}

/* A tab, or a cell of the strip of steps. False: the click is elsewhere. */
static bool click_frame(struct app *a, const struct term_event *ev)
{
	const struct step *s;
	enum pane_id tab;

	if (within(a->layout.tabs, ev)) {
		tab = app_tab_at(a, ev->x);
		if (tab != PANE_N && tab != a->here.pane)
			app_jump(a, tab);
		return true;
	}
	if (!within(a->layout.strip, ev))
		return false;
	s = strip_step_at(&a->ctx, &a->here.scope, a->layout.strip.w, ev->x - a->layout.strip.x);
	if (s)
		app_goto_step(a, s->number);
	return true;
}

void app_mouse(struct app *a, const struct term_event *ev)
{
	a->dirty = true;
	if (ev->button >= 4) {
		for (int i = 0; i < WHEEL_ROWS; i++)
			app_action(a, ev->button == 4 ? ACT_UP : ACT_DOWN);
		return;
	}
	if (click_frame(a, ev))
		return;
	for (int i = 0; i < a->layout.n_panes; i++) {
		struct rect r = a->layout.pane[i];
		struct pane *p = &a->panes[a->shown[i]];
		struct outcome out = { .to = a->here };
		int head = a->layout.n_panes > 1;

		if (!within(r, ev))
			continue;
		a->focus = i;
		out.to.scope = p->scope;
		if (p->ops->click && ev->y - r.y >= head) {
			p->ops->click(p, ev->x - r.x, ev->y - r.y - head, &out);
			app_take_outcome(a, p, ACT_ENTER, &out);
		}
	}
}
