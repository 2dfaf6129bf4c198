/* table.c - the table pane: which of its tables is shown, Enter, split, filter; rows are drawn by w_table. */
#include "ui/panes/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "catalog/views.h"
#include "table/cell.h"
#include "ui/panes/nav.h"
#include "ui/widgets/frame_find.h"
#include "ui/widgets/model_view.h"
#include "ui/widgets/table.h"

struct table_pane {
	int sub;
	ev_id frame;			/* Python event to show in the call tree as soon as that is there; ID_NONE */
	uint32_t frame_source;
	struct wtable w[TABLE_PANE_VIEWS];
	uint32_t page[TABLE_PANE_VIEWS];	/* of a view with a row per event, from 0 on */
	struct scope page_of;		/* the scope that they are pages of */
};
enum { WHOLE_FROM = 12 };	/* rows of a pane from which on its last line is for what was cut */
_Static_assert(sizeof(struct table_pane) <= TABLE_PANE_STATE, "TABLE_PANE_STATE is too small");

static const struct table_pane_def *def_of(const struct pane *p)
{
	return p->ops->arg;
}

static struct wtable *shown(const struct pane *p)
{
	struct table_pane *s = p->state;

	return &s->w[s->sub];
}

struct wtable *table_pane_shown(const struct pane *p)
{
	return shown(p);
}

int table_pane_sub(const struct pane *p)
{
	return ((const struct table_pane *)p->state)->sub;
}

/* Gaps come in the order of time; what matters first is the longest. */
static bool first_order(struct wtable *w, const char *view)
{
	struct err e = ERR_INIT;

	bool first;

	if (w->sort_chosen || strcmp(view, "gaps") != 0 || !w->res || !w->res->table)
		return false;
	w->sort_chosen = true;
	first = w->cursor == 0 && !w->want_key;
	if (!wtable_sort(w, "dur_ns", &e))
		return false;
	w->to_top = first;
	return true;
}

/* Ops with their callers below: the list of ops is what is looked at first. */
static bool starts_closed(const char *view)
{
	return view && !strcmp(view, "opcallers");
}

void table_pane_open(struct pane *p)
{
	struct table_pane *s = p->state;

	s->frame = ID_NONE;
	for (unsigned i = 0; i < TABLE_PANE_VIEWS; i++) {
		s->w[i].sort_col = -1;
		s->w[i].open_depth = starts_closed(def_of(p)->views[i].view) ? 0 : def_of(p)->open_depth;
	}
}

void table_pane_close(struct pane *p)
{
	struct table_pane *s = p->state;

	for (unsigned i = 0; i < TABLE_PANE_VIEWS; i++)
		wtable_fini(&s->w[i]);
}

/* The device of a partition: the scope's own, else the first that the shown source has. */
static int64_t partition_device(const struct pane *p, const struct scope *sc)
{
	const struct facts *f = mv_facts(p->ui, mv_source(p->ui, sc));

	if (sc->device != SCOPE_ANY)
		return sc->device;
	return f && f->n_devices ? f->devices[0].device : 0;
}

static struct scope view_scope(const struct pane *p)
{
	const struct table_pane *s = p->state;
	const struct table_view_def *v = &def_of(p)->views[s->sub];
	const struct analysis *a = analysis_find(v->view);
	struct scope sc = p->scope;
	char part[24] = "";

	if (v->partition && (!strcmp(v->partition, "cpu") || !strcmp(v->partition, "compute")))
		snprintf(part, sizeof(part), "%s", v->partition);
	else if (v->partition)
		snprintf(part, sizeof(part), "%s:%d", v->partition, (int)partition_device(p, &sc));
	scope_set_partition(&sc, part, strlen(part));
	sc.page = a && a->pages ? s->page[s->sub] + 1 : 0;
	return sc;
}

/* The walk came down to a Python frame: to its row, or say that the tree has none. */
static void show_frame(struct pane *p)
{
	struct table_pane *s = p->state;
	struct wtable *w = shown(p);
	const struct profile *pr = mv_profile(p->ui, s->frame_source);
	char name[128], at[128];
	bool exact;
	uint32_t row;
	int col;

	if (s->frame == ID_NONE || w->stale || !w->prep || strcmp(def_of(p)->views[s->sub].view, "stacks") != 0)
		return;
	if (pr && s->frame < pr->n && w->res->table->n_rows) {
		frame_name_text(pr, s->frame, name, sizeof(name));
		row = frame_find_row(w->res->table, pr, s->frame, &exact);
		col = table_col(w->res->table, "function");
		if (row != ROW_NONE)
			wtable_reveal(w, row);
		if (row == ROW_NONE) {
			snprintf(p->say, sizeof(p->say), _("%s is not in this call tree"), name);
		} else if (!exact) {
			cell_text(table_cell(w->res->table, row, (uint32_t)col), &w->res->table->cols[col], 30, at, sizeof(at));
			snprintf(p->say, sizeof(p->say), _("%s is not in this call tree; its caller %s is"), name, at);
		} else {
			snprintf(p->say, sizeof(p->say), "%s", name);
		}
	}
	s->frame = ID_NONE;
}

void table_pane_want(struct pane *p)
{
	struct table_pane *s = p->state;
	struct scope sc;

	if (memcmp(&s->page_of, &p->scope, sizeof(p->scope)) != 0)
		memset(s->page, 0, sizeof(s->page));
	s->page_of = p->scope;
	sc = view_scope(p);
	if (p->page_rows + 2 >= WHOLE_FROM)
		p->page_rows--;
	wtable_want(shown(p), p, def_of(p)->views[s->sub].view, &sc);
	if (first_order(shown(p), def_of(p)->views[s->sub].view))
		wtable_want(shown(p), p, def_of(p)->views[s->sub].view, &sc);
	show_frame(p);
}

/* The figures are of the whole run though a part of it is asked for: a sampler without a time axis. */
static bool whole_run(const struct pane *p, const struct wtable *w)
{
	const struct table *t = w->res ? w->res->table : NULL;
	struct scope sc = w->res ? w->res->scope : p->scope;
	uint32_t n, source;

	if (p != &p->ui->panes[PANE_PYTHON] || !t || !t->n_rows || !t->window_kind || strcmp(t->window_kind, "all") != 0 || sc.window == WINDOW_ALL)
		return false;
	/* without steps the steady window is all of it */
	if (sc.window == WINDOW_STEADY && !mv_steps(p->ui, &sc, &n, &source))
		return false;
	for (uint32_t i = 0; p->ui->session && i < p->ui->session->n_sources; i++)
		for (uint32_t k = 0; k < t->n_sources; k++)
			if (mv_profile(p->ui, i) && profile_timeless(mv_profile(p->ui, i)) && !strcmp(p->ui->session->sources[i].path, t->sources[k]))
				return true;
	return false;
}

/* How many rows over how much wall, or why there are none yet. */
static void describe_rows(const struct wtable *w, char *right, size_t cap)
{
	char by[96] = "", num[NUM_TEXT_MAX], rows[64];
	const struct table *t = w->res ? w->res->table : NULL;
	const char *busy = w->stale ? "… " : "";

	right[0] = '\0';
	if (!t) {
		snprintf(right, cap, "%s", w->stale ? _("computing …") : "");
		return;
	}
	if (w->res->scope.by != BY_NONE && table_col(t, "by") >= 0)
		snprintf(by, sizeof(by), _("by %s · "), wtable_split_name(w->res->scope.by));
	if (*wtable_show_text(w))
		snprintf(by + strlen(by), sizeof(by) - strlen(by), "%s · ", wtable_show_text(w));
	if (t->row_max && t->rows_seen > t->row_max) {	/* stands there in narrow panes, too */
		snprintf(right, cap, _("%llu-%llu of %llu rows"), (unsigned long long)t->row_from + 1,
			(unsigned long long)t->row_from + t->n_rows, (unsigned long long)t->rows_seen);
		return;
	}
	snprintf(rows, sizeof(rows), ngettext("%zu row", "%zu rows", w->vis.n), w->vis.n);
	if (t->wall_ns > 0)
		snprintf(right, cap, "%s%s%s · %s", busy, by, rows, num_ns(t->wall_ns, num));
	else
		snprintf(right, cap, "%s%s%s", busy, by, rows);
}

static int title_width(const struct table_pane_def *d, unsigned i)
{
	return canvas_width(_(d->views[i].title), strlen(_(d->views[i].title))) + 3;
}

/* The titles that there is room for, the shown one among them; < and > where more are. */
static void draw_titles(const struct pane *p, const struct canvas *c, int room)
{
	const struct table_pane *s = p->state;
	const struct table_pane_def *d = def_of(p);
	unsigned from = 0, sub = (unsigned)s->sub;
	int x = 0, upto = 0;

	for (unsigned i = 0; i <= sub; i++)
		upto += title_width(d, i);
	while (from < sub && upto + 2 > room)
		upto -= title_width(d, from++);
	if (from)
		x = canvas_printf(c, 0, 0, ST_DIM, "<");
	for (unsigned i = from; i < d->n_views; i++) {
		if (i > sub && x + title_width(d, i) + (i + 1 < d->n_views) > room) {
			canvas_printf(c, x, 0, ST_DIM, ">");
			break;
		}
		x += canvas_printf(c, x, 0, i == sub ? ST_TITLE : ST_DIM, i == sub ? "[%s] " : " %s  ", _(d->views[i].title));
	}
}

void table_pane_draw_views(const struct pane *p, const struct canvas *c)
{
	const struct wtable *w = shown(p);
	char right[160];
	int rw;

	describe_rows(w, right, sizeof(right));
	/* which run a figure is of is said at every size */
	if (whole_run(p, w)) {
		const char *say = _("whole run: sampled without clock");
		char rows[64];

		snprintf(rows, sizeof(rows), ngettext("%zu row", "%zu rows", w->vis.n), w->vis.n);
		snprintf(right, sizeof(right), "%s · %s", rows, say);
		if (canvas_width(right, strlen(right)) > c->w / 2)
			snprintf(right, sizeof(right), "%s", canvas_width(say, strlen(say)) <= c->w ? say : _("whole run, no clock"));
		rw = canvas_width(right, strlen(right));
	} else {
		rw = canvas_width(right, strlen(right));
		if (rw > c->w / 2)
			rw = 0;
	}
	if (c->w - rw > 14)
		draw_titles(p, c, c->w - rw - 1);
	if (rw)
		canvas_puts(c, c->w > rw ? c->w - rw : 0, 0, w->stale || (w->res && w->res->table && w->res->table->partial) ? ST_WARN : ST_DIM, right);
}

/* In the last rows, as many as it needs. */
static void draw_empty_hint(const struct canvas *c, const char *hint)
{
	int y = c->h - 1;

	if (canvas_width(hint, strlen(hint)) > c->w - 2)
		y--;
	canvas_wrapped(c, 1, y, ST_DIM, hint);
}

void table_pane_draw(const struct pane *p, const struct canvas *c)
{
	int whole = c->h >= WHOLE_FROM;
	struct canvas body = canvas_sub(c, (struct rect){ 0, 1, c->w, c->h - 1 - whole });
	struct canvas foot = canvas_sub(c, (struct rect){ 0, c->h - whole, c->w, whole });
	char options[SCOPE_OPTIONS_MAX];

	table_pane_draw_views(p, c);
	wtable_draw(shown(p), p, &body, p->ui->session ? _("computing …") : _("nothing is loaded yet"));
	if (whole)
		wtable_draw_whole(shown(p), &foot);
	/* not where a filter, the selected row of another pane, or the way down to here has left nothing */
	if (!shown(p)->vis.n && shown(p)->res && shown(p)->res->table && !shown(p)->res->table->n_notes && c->h > 4 && !shown(p)->filter[0] &&
	    !memcmp(&p->scope, &p->ui->where.scope, sizeof(p->scope)) && scope_options(&p->scope, options) && p->scope.window != WINDOW_TIME)
		draw_empty_hint(c, _(def_of(p)->empty));
}

void table_pane_choose(struct pane *p, int sub, struct outcome *out)
{
	struct table_pane *s = p->state;
	const struct table_pane_def *d = def_of(p);
	int n = (int)d->n_views;

	out->flags |= OUT_HANDLED;
	if (n == 1) {
		outcome_say(out, "%s", _("this pane has one table only"));
		return;
	}
	s->sub = (sub % n + n) % n;
	outcome_say(out, _("table: %s"), _(d->views[s->sub].title));
}

static bool can_split(const char *view)
{
	const struct analysis *an = analysis_find(view);

	for (uint32_t i = 0; an && i < an->n_cols; i++)
		if (!strcmp(an->cols[i].id, "by"))
			return true;
	return false;
}

static void next_split(const struct pane *p, struct outcome *out)
{
	static const struct {
		enum by_dim by;
		const char *name;
	} dims[] = {
		{ BY_NONE, N_("rows are not split") }, { BY_PHASE, N_("split by phase") }, { BY_STEP, N_("split by step") },
		{ BY_MICROBATCH, N_("split by micro-batch") }, { BY_DEVICE, N_("split by device") }, { BY_THREAD, N_("split by thread") },
	};
	size_t n = sizeof(dims) / sizeof(dims[0]), i = 0;

	if (!can_split(def_of(p)->views[((const struct table_pane *)p->state)->sub].view)) {
		out->flags |= OUT_HANDLED;
		outcome_say(out, "%s", _("this table cannot be split"));
		return;
	}
	while (i < n && dims[i].by != p->scope.by)
		i++;
	i = (i + 1) % n;
	out->flags |= OUT_HANDLED | OUT_SCOPE;
	out->to.scope.by = dims[i].by;
	outcome_say(out, "%s", _(dims[i].name));
}

static void enter(struct pane *p, struct outcome *out)
{
	struct wtable *w = shown(p);
	uint32_t row = wtable_row(w);

	out->flags |= OUT_HANDLED;
	if (row == ROW_NONE) {
		outcome_say(out, "%s", _("there is no row to enter"));
		return;
	}
	if (wtable_closed_parent(w)) {
		wtable_act(w, p, ACT_UNFOLD, out);
		return;
	}
	out->to.scope = p->scope;
	if (nav_down(p, w->res->table, row, &out->to, out))
		out->flags |= OUT_GO;
}

/* Beyond the first and the last row of a page: the page before, the next; the very first and last ones. False: there is none. */
static bool turn_page(struct table_pane *s, enum action a)
{
	struct wtable *w = &s->w[s->sub];
	uint32_t *page = &s->page[s->sub], last;
	const struct table *t = w->res && w->prep ? w->res->table : NULL;
	bool on = a == ACT_DOWN || a == ACT_PAGE_DOWN || a == ACT_HALF_DOWN || a == ACT_END;
	bool back = a == ACT_UP || a == ACT_PAGE_UP || a == ACT_HALF_UP || a == ACT_TOP;

	if (w->stale || !t || !t->row_max || t->rows_seen <= t->row_max)
		return false;
	last = (uint32_t)((t->rows_seen - 1) / t->row_max);
	if (on && *page < last && w->cursor + 1 >= w->vis.n) {
		*page = a == ACT_END ? last : *page + 1;
		w->to_top = a != ACT_END;
		w->to_end = a == ACT_END;
		return true;
	}
	if (!back || !*page || w->cursor)
		return false;
	*page = a == ACT_TOP ? 0 : *page - 1;
	w->to_top = a == ACT_TOP;
	w->to_end = a != ACT_TOP;
	return true;
}

void table_pane_act(struct pane *p, enum action a, struct outcome *out)
{
	struct table_pane *s = p->state;

	if (turn_page(s, a)) {
		out->flags |= OUT_HANDLED;
		return;
	}
	switch (a) {
	case ACT_VIEW_NEXT: table_pane_choose(p, s->sub + 1, out); break;
	case ACT_VIEW_PREV: table_pane_choose(p, s->sub - 1, out); break;
	case ACT_SPLIT: next_split(p, out); break;
	case ACT_ENTER: enter(p, out); break;
	default:
		if (!shown(p)->prep && action_get(a)->where != IN_ALL) {
			out->flags |= OUT_HANDLED;
			outcome_say(out, "%s", _("still being computed"));
		} else {
			wtable_act(shown(p), p, a, out);
		}
		break;
	}
}

bool table_pane_find(struct pane *p, const struct needle *n, int dir)
{
	return wtable_find(shown(p), n, dir, p->say, sizeof(p->say));
}

void table_pane_highlight(struct pane *p, const struct needle *n)
{
	struct table_pane *s = p->state;

	for (unsigned i = 0; i < TABLE_PANE_VIEWS; i++)
		s->w[i].needle = n;
}

bool table_pane_filter(struct pane *p, const char *text, struct err *e)
{
	return wtable_filter(shown(p), text, e);
}

const char *table_pane_filter_text(const struct pane *p)
{
	return shown(p)->filter;
}

bool table_pane_sort(struct pane *p, const char *column, struct err *e)
{
	return wtable_sort(shown(p), column, e);
}

const char *table_pane_sorted(const struct pane *p, bool *desc)
{
	return wtable_sorted(shown(p), desc);
}

bool table_pane_columns(struct pane *p, const char *text, struct err *e)
{
	return wtable_columns(shown(p), text, e);
}

bool table_pane_escape(struct pane *p, struct outcome *out)
{
	struct wtable *w = shown(p);

	if (!w->filter[0])
		return false;
	w->filter[0] = '\0';
	outcome_say(out, "%s", _("filter cleared"));
	return true;
}

void table_pane_save(const struct pane *p, struct place *pl)
{
	const struct table_pane *s = p->state;

	pl->sub = s->sub;
	pl->row_key = wtable_key(shown(p));
	pl->ev = s->frame;
	pl->source = s->frame_source;
}

void table_pane_restore(struct pane *p, const struct place *pl)
{
	struct table_pane *s = p->state;

	if (pl->sub >= 0 && (unsigned)pl->sub < def_of(p)->n_views)
		s->sub = pl->sub;
	if (pl->row_key)
		wtable_goto_key(shown(p), pl->row_key);
	s->frame = pl->ev;
	s->frame_source = pl->source;
}

bool table_pane_preview(const struct pane *p, struct scope *sc)
{
	const struct wtable *w = shown(p);
	uint32_t row = wtable_row(w);

	return row != ROW_NONE && nav_narrow(p, w->res->table, row, sc);
}

void table_pane_copy(const struct pane *p, struct sbuf *b)
{
	wtable_copy(shown(p), b);
}

uint32_t table_pane_row(const struct pane *p)
{
	return wtable_row(shown(p));
}

bool table_pane_event(const struct pane *p, uint32_t *source, ev_id *ev)
{
	const struct wtable *w = shown(p);
	uint32_t row = wtable_row(w);

	return row != ROW_NONE && nav_event_of(w->res->table, row, source, ev);
}

const struct table *table_pane_table(const struct pane *p, const struct table_view **v)
{
	const struct wtable *w = shown(p);

	if (!w->res || !w->prep)
		return NULL;
	if (v)
		*v = &w->prep->view;
	return w->res->table;
}

/* A click on a title: by that column, a second one the other way round. */
static void sort_by(const struct pane *p, int col, struct outcome *out)
{
	struct wtable *w = shown(p);
	struct err e = ERR_INIT;

	if (col < 0)
		return;
	if (w->sort_col == col)
		wtable_act(w, p, ACT_INVERT, out);
	else if (!wtable_sort(w, w->res->table->cols[col].id, &e))
		outcome_say(out, "%s", e.text);
}

void table_pane_click(struct pane *p, int x, int y, struct outcome *out)
{
	struct wtable *w = shown(p);

	out->flags |= OUT_HANDLED;
	if (y == 1)
		sort_by(p, wtable_column_at(w, p->cols, x), out);
	else if (y >= 2 && w->top + (uint32_t)(y - 2) < w->vis.n)
		w->cursor = w->top + (uint32_t)(y - 2);
}
