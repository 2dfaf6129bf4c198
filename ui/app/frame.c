/* frame.c - what is on the screen: which panes, what they ask for, the frame around them. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "ui/app/app_impl.h"
#include "ui/widgets/model_view.h"
#include "ui/widgets/strip.h"

static int companions(const struct app *a)
{
	return a->maximised || a->here.pane == PANE_HELP || a->here.pane == PANE_DETAIL ? 1 : 3;
}

static void choose_panes(struct app *a)
{
	const struct pane_ops *ops = pane_registry[a->here.pane];

	a->layout = layout_make(a->grid.w, a->grid.h, companions(a));
	a->shown[0] = a->here.pane;
	for (int i = 1; i < a->layout.n_panes; i++) {
		a->shown[i] = ops->follow[i - 1];
		if (a->shown[i] == a->here.pane)
			a->shown[i] = PANE_OVERVIEW;
	}
	if (a->focus >= a->layout.n_panes)
		a->focus = 0;
}

static struct rect body_of(const struct app *a, int i)
{
	struct rect r = a->layout.pane[i];

	if (a->layout.n_panes > 1 && r.h > 1) {
		r.y++;
		r.h--;
	}
	return r;
}

static void want_pane(struct app *a, int i, const struct scope *sc)
{
	struct pane *p = &a->panes[a->shown[i]];
	struct rect r = body_of(a, i);

	p->scope = *sc;
	p->focused = i == a->focus;
	p->pending = p->unanswered = false;
	p->cols = r.w;
	p->rows = r.h;
	p->page_rows = r.h > 2 ? r.h - 2 : 1;
	if (p->ops->want)
		p->ops->want(p);
	if (p->say[0])
		app_say(a, "%s", p->say);
	p->say[0] = '\0';
}

void app_want(struct app *a)
{
	struct scope sc = a->here.scope;
	struct pane *main_pane;
	bool pending = false;

	choose_panes(a);
	a->ctx.where = a->here;
	work_frame_begin(a->work);
	want_pane(a, 0, &sc);
	main_pane = &a->panes[a->shown[0]];
	if (settings_on(&a->set, SET_FOLLOW) && main_pane->ops->preview && !main_pane->ops->preview(main_pane, &sc))
		sc = a->here.scope;
	for (int i = 1; i < a->layout.n_panes; i++)
		want_pane(a, i, &sc);
	/* for ] and [ */
	a->session_unanswered = !work_want(a->work, "findings", &a->o->scope, &pending);
	work_frame_end(a->work);
}

/* ---- frame ---------------------------------------------------------------------------------------- */

/* Without step markers steady is the whole capture, and is called so. */
static void window_text(const struct app *a, char *buf, size_t cap)
{
	uint32_t n, source;

	if (a->here.scope.window == WINDOW_STEADY && a->ctx.an && !a->ctx.partial && !mv_steps(&a->ctx, &a->here.scope, &n, &source))
		snprintf(buf, cap, "%s", _("all (no steps)"));
	else
		mv_window_text(&a->here.scope, buf, cap);
}

static void draw_title(const struct app *a, const struct canvas *c)
{
	char right[128], win[96], num[NUM_TEXT_MAX] = "", path[1024];
	ns_t start, end;
	int x = 1, rw;

	window_text(a, win, sizeof(win));
	if (mv_window(&a->ctx, &a->here.scope, &start, &end))
		snprintf(right, sizeof(right), _("window %s  %s"), win, num_ns(end - start, num));
	else
		snprintf(right, sizeof(right), _("window %s"), win);
	if (a->ctx.partial)
		snprintf(right + strlen(right), sizeof(right) - strlen(right), "  %s", _("(partial)"));
	rw = canvas_width(right, strlen(right));
	if (rw > c->w && num[0]) {	/* half a figure is another figure */
		snprintf(right, sizeof(right), "%s%s", num, a->ctx.partial ? " ~" : "");
		canvas_puts(c, 0, 0, ST_TITLE, right);
		return;
	}
	if (rw + 24 > c->w) {
		canvas_puts(c, 0, 0, ST_TITLE, right);
		return;
	}
	x += canvas_puts(c, x, 0, ST_TITLE, "profdive") + 2;
	if (a->o->title && c->w - x - rw - 3 > 0) {
		text_fit(path, sizeof(path), a->o->title, strlen(a->o->title), (size_t)(c->w - x - rw - 3), TEXT_CUT_MIDDLE);
		canvas_puts(c, x, 0, ST_NORMAL, path);
	}
	canvas_puts(c, c->w - rw - 1, 0, a->ctx.partial ? ST_WARN : ST_NORMAL, right);
}

/* How much of a tab's title is written: all, the short one, or only its digit. */
enum { TAB_FULL, TAB_SHORT, TAB_DIGIT };

static int tab_text(int i, bool on, int level, char *buf, size_t cap)
{
	const struct pane_ops *ops = pane_registry[i];
	const char *title = level != TAB_FULL && ops->tab ? _(ops->tab) : _(ops->title);

	if (on)
		snprintf(buf, cap, "[%d %s]", i + 1, title);
	else if (level == TAB_DIGIT)
		snprintf(buf, cap, " %d", i + 1);
	else
		snprintf(buf, cap, " %d %s", i + 1, title);
	return canvas_width(buf, strlen(buf));
}

static int tabs_width(const struct app *a, const int level[])
{
	const char *title = _(pane_registry[a->here.pane]->title);
	int total = a->here.pane > PANE_FINDINGS ? canvas_width(title, strlen(title)) + 3 : 0;
	char text[64];

	for (int k = 0; k <= PANE_FINDINGS; k++)
		total += tab_text(k, a->here.pane == (enum pane_id)k, level[k], text, sizeof(text));
	return total;
}

/* From the right, titles get shorter until the line fits; false: it does not fit. */
static bool shorten_tabs(const struct app *a, int w, int level[])
{
	for (int want = TAB_SHORT; want <= TAB_DIGIT; want++) {
		for (int i = PANE_FINDINGS; i >= 0; i--) {
			if (tabs_width(a, level) <= w)
				return true;
			level[i] = want;
		}
	}
	return tabs_width(a, level) <= w;
}

/* Calls fn for each tab of a line of `width` columns, from the left, with its text and column. */
static void each_tab(const struct app *a, int width, void (*fn)(void *arg, int x, int pane, const char *text), void *arg)
{
	int level[PANE_FINDINGS + 1] = { 0 }, x = 0, here = (int)a->here.pane;
	/* where they do not fit, the one that is shown comes first */
	bool first = !shorten_tabs(a, width, level);
	char text[64];

	if (here > PANE_FINDINGS)
		snprintf(text, sizeof(text), "[%s]", _(pane_registry[here]->title));
	else
		tab_text(here, true, TAB_SHORT, text, sizeof(text));
	if (first) {
		fn(arg, 0, here, text);
		x = canvas_width(text, strlen(text));
	}
	for (int i = 0; i <= PANE_FINDINGS; i++) {
		char title[64];

		if (here == i && first)
			continue;
		tab_text(i, here == i, level[i], title, sizeof(title));
		fn(arg, x, i, title);
		x += canvas_width(title, strlen(title));
	}
	if (here > PANE_FINDINGS && !first)
		fn(arg, x + 1, here, text);
}

struct tab_canvas {
	const struct canvas *c;
	int here;
};

static void draw_tab(void *arg, int x, int pane, const char *text)
{
	const struct tab_canvas *t = arg;
	bool on = pane == t->here;

	canvas_text(t->c, x, 0, on ? ST_TAB_ON : ST_TAB, on ? 0 : ATTR_UNDERLINE, text, SIZE_MAX, -1);
}

static void draw_tabs(const struct app *a, const struct canvas *c)
{
	struct tab_canvas t = { c, (int)a->here.pane };

	canvas_fill(c, 0, 0, c->w, ST_TAB, ATTR_UNDERLINE, " ");
	each_tab(a, c->w, draw_tab, &t);
}

struct tab_search {
	int x;
	enum pane_id found;
};

static void try_tab(void *arg, int x, int pane, const char *text)
{
	struct tab_search *s = arg;

	if (s->x >= x && s->x < x + canvas_width(text, strlen(text)))
		s->found = (enum pane_id)pane;
}

enum pane_id app_tab_at(const struct app *a, int x)
{
	struct tab_search s = { x, PANE_N };

	each_tab(a, a->layout.tabs.w, try_tab, &s);
	return s.found;
}

static void draw_pane_title(const struct app *a, int i, const struct canvas *c)
{
	const struct pane *p = &a->panes[a->shown[i]];
	struct rect r = a->layout.pane[i];
	struct canvas t = canvas_sub(c, (struct rect){ r.x, r.y, r.w, 1 });
	int x;

	if (i)
		for (int y = 0; y < r.h; y++)
			canvas_fill(c, r.x - 1, r.y + y, 1, ST_AXIS, 0, "│");
	x = canvas_printf(&t, 0, 0, p->focused ? ST_TAB_ON : ST_TITLE, p->focused ? "[%s]" : " %s ", _(p->ops->title));
	canvas_puts(&t, x + 1, 0, ST_DIM, p->pending ? "…" : memcmp(&p->scope, &a->here.scope, sizeof(p->scope)) != 0 ?
		_("of the selected row") : "");
}

static void draw_panes(const struct app *a, const struct canvas *c)
{
	for (int i = 0; i < a->layout.n_panes; i++) {
		const struct pane *p = &a->panes[a->shown[i]];
		struct canvas body = canvas_sub(c, body_of(a, i));

		if (a->layout.n_panes > 1)
			draw_pane_title(a, i, c);
		if (body.w > 0 && body.h > 0)
			p->ops->draw(p, &body);
	}
}

static void progress_text(const struct app *a, char *buf, size_t cap)
{
	const struct ui_progress *pr = &a->progress;
	const char *stage = pr->stage ? pr->stage : _("loading");
	char ev[NUM_TEXT_MAX], pct[NUM_TEXT_MAX], path[256], events[64];

	/* how far it is matters more than the folders above the file */
	text_fit(path, sizeof(path), pr->path, strlen(pr->path), (size_t)(a->grid.w > 100 ? a->grid.w - 70 : 30), TEXT_CUT_MIDDLE);
	snprintf(events, sizeof(events), ngettext("%s event", "%s events", (unsigned long)pr->events), num_count((int64_t)pr->events, ev));
	if (pr->total)
		snprintf(buf, cap, _("%s %s: %s, %s  (Esc stops)"), stage, path,
			num_pct((double)pr->done / (double)pr->total, pct), events);
	else
		snprintf(buf, cap, _("%s %s: %s  (Esc stops)"), stage, path, events);
}

static void breadcrumb(const struct app *a, char *buf, size_t cap)
{
	const struct pane *p = &a->panes[a->here.pane];
	const char *filter = p->ops->filter_text ? p->ops->filter_text(p) : "", *label = p->ops->label ? p->ops->label(p) : NULL;
	char win[96], dev[48] = "";

	window_text(a, win, sizeof(win));
	if (a->here.scope.source >= 0)
		snprintf(dev, sizeof(dev), _(" > file %d"), a->here.scope.source + 1);
	snprintf(buf, cap, "%s > %s%s%s%s%s%s%s%s", p->ops->id, win, dev, a->here.crumb[0] ? " > " : "", a->here.crumb, label ? " > " : "",
		label ? label : "", *filter ? _("  filter: ") : "", filter);
}

static const char *prompt_label(enum prompt_kind k)
{
	static const char *const labels[PROMPT_KINDS] = { "", ":", "/", "&", N_("sort by: ") };

	return _(labels[k]);
}

static void draw_status(const struct app *a, const struct canvas *c)
{
	char crumb[512], cut[600], text[640];
	int cw, tw;

	if (a->prompt.kind != PROMPT_NONE) {
		prompt_draw(&a->prompt, c, prompt_label(a->prompt.kind));
		return;
	}
	breadcrumb(a, crumb, sizeof(crumb));
	snprintf(text, sizeof(text), "%s", a->status);
	if (!text[0] && a->progress.loading)
		progress_text(a, text, sizeof(text));
	else if (!text[0] && work_busy(a->work))
		snprintf(text, sizeof(text), _("computing %s …"), work_what(a->work));
	tw = canvas_width(text, strlen(text));
	cw = canvas_width(crumb, strlen(crumb));
	if (tw && tw + cw + 4 > c->w)
		cw = c->w - tw - 4 > 12 ? c->w - tw - 4 : 0;
	text_fit(cut, sizeof(cut), crumb, strlen(crumb), (size_t)cw, TEXT_CUT_MIDDLE);
	canvas_text(c, 1, 0, ST_STATUS, 0, cut, SIZE_MAX, cw);
	canvas_text(c, cw ? c->w - tw - 1 > cw + 3 ? c->w - tw - 1 : cw + 3 : 1, 0, a->status_error ? ST_ERROR : ST_STATUS,
		ATTR_BOLD, text, SIZE_MAX, -1);
}

/* The way down and up, then what only this pane has, then what works everywhere, leaving at last. */
static int bar_rank(enum action act)
{
	if (act == ACT_ENTER || act == ACT_HIST_BACK)
		return 0;
	if (action_get(act)->where != IN_ALL)
		return 1;
	return act > ACT_HIST_FWD ? 2 : 3;
}

/* One entry; neighbours of one label share it. Returns the new column. */
static int draw_key(const struct app *a, const struct canvas *c, int x, enum action act)
{
	const struct action_def *d = action_get(act), *next = action_get(act + 1);
	bool shares = next->label && !strcmp(next->label, d->label);
	char keys[64];
	int w;

	keymap_keys(&a->keymap, act, keys, sizeof(keys));
	keys[strcspn(keys, " ")] = '\0';
	w = canvas_width(keys, strlen(keys)) + canvas_width(_(d->label), strlen(_(d->label))) + (shares ? 4 : 2);
	if (!keys[0] || x + w > c->w)
		return x;
	x += canvas_puts(c, x, 0, ST_KEY, keys) + 1;
	if (!shares)
		x += canvas_puts(c, x, 0, ST_KEYTEXT, _(d->label)) + 2;
	return x;
}

static int bar_width(const struct app *a, int rank)
{
	int w = 1;

	for (enum action act = ACT_NONE + 1; act < ACT_N; act++) {
		const struct action_def *d = action_get(act);
		char keys[64];

		if (!d->label || bar_rank(act) != rank)
			continue;
		keymap_keys(&a->keymap, act, keys, sizeof(keys));
		w += (int)strcspn(keys, " ") + canvas_width(_(d->label), strlen(_(d->label))) + 3;
	}
	return w;
}

static void draw_keys(const struct app *a, const struct canvas *whole)
{
	const struct pane *p = &a->panes[a->shown[a->focus]];
	int x = 1, tail = bar_width(a, 3);
	unsigned where = p->ops->where_now ? p->ops->where_now(p) : p->ops->where;
	bool skipped = false;
	/* how to get help and out stands on every screen that has a bar */
	struct canvas head = canvas_sub(whole, (struct rect){ 0, 0, whole->w - tail > 20 ? whole->w - tail : whole->w, 1 });
	struct canvas rest = canvas_sub(whole, (struct rect){ head.w, 0, whole->w - head.w, 1 });

	for (int rank = p->ops->where & IN_TEXT ? 1 : 0; rank <= 3; rank++) {
		const struct canvas *c = rank == 3 && rest.w ? &rest : &head;

		if (c == &rest)
			x = 1;
		for (enum action act = ACT_NONE + 1; act < ACT_N; act++) {
			const struct action_def *d = action_get(act);
			int was = x;

			if (!d->label || bar_rank(act) != rank || (d->where != IN_ALL && !(d->where & where)))
				continue;
			/* both of a pair or none */
			if (skipped && action_get(act - 1)->label && !strcmp(action_get(act - 1)->label, d->label))
				continue;
			x = draw_key(a, c, x, act);
			skipped = x == was;
		}
	}
}

void app_draw(struct app *a)
{
	struct canvas c, line;

	grid_clear(&a->grid);
	c = canvas_whole(&a->grid);
	draw_panes(a, &c);
	line = canvas_sub(&c, a->layout.title);
	if (line.h)
		draw_title(a, &line);
	line = canvas_sub(&c, a->layout.strip);
	if (line.h)
		strip_draw(&a->ctx, &a->here.scope, &line);
	line = canvas_sub(&c, a->layout.tabs);
	if (line.h)
		draw_tabs(a, &line);
	line = canvas_sub(&c, a->layout.keys);
	if (line.h)
		draw_keys(a, &line);
	line = canvas_sub(&c, a->layout.status);
	if (line.h)
		draw_status(a, &line);
}
