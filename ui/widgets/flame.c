/* flame.c - the flame graph widget, see widgets/flame.h */
#include "ui/widgets/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "table/cell.h"
#include "ui/work/flame.h"

enum { INFO_LINES = 2, COUNTED_MAX = 200000 };

/* ---- what is shown -------------------------------------------------------------------------------- */

static const struct flame *flame_of(const struct wtable *w)
{
	return w->res && w->res->table && w->prep ? w->prep->flame : NULL;
}

/* Time where it is known, unless samples were asked for. */
static enum flame_weight weight_of(const struct wflame *f, const struct flame *fl)
{
	return fl->start[FLAME_SAMPLES] && (f->samples || !fl->start[FLAME_TIME]) ? FLAME_SAMPLES : FLAME_TIME;
}

static uint32_t row_of_key(const struct wtable *w, uint64_t key)
{
	for (uint32_t r = 0; key && r < w->res->table->n_rows; r++)
		if (w->prep->keys[r] == key)
			return r;
	return ROW_NONE;
}

void wflame_goto_key(struct wflame *f, const struct wtable *w, uint64_t key)
{
	f->row_key = key;
	if (f->prep && f->prep == w->prep)
		f->row = row_of_key(w, key);
}

void wflame_take(struct wflame *f, const struct wtable *w)
{
	if (f->prep == w->prep || !flame_of(w))
		return;
	f->prep = w->prep;
	f->row = row_of_key(w, f->row_key);
	f->zoom = row_of_key(w, f->zoom_key);
	if (f->row == ROW_NONE && w->res->table->n_rows)
		f->row = f->zoom == ROW_NONE ? 0 : f->zoom;
}

static void go(struct wflame *f, const struct wtable *w, uint32_t row)
{
	f->row = row;
	f->row_key = row == ROW_NONE ? 0 : w->prep->keys[row];
}

static void zoom_to(struct wflame *f, const struct wtable *w, uint32_t row)
{
	f->zoom = row;
	f->zoom_key = row == ROW_NONE ? 0 : w->prep->keys[row];
	f->top = 0;
}

/* What is over the width of the screen. */
struct lens {
	const struct flame *fl;
	const struct table *t;
	enum flame_weight weight;
	int64_t from, span;
	int cols;
};

static struct lens lens_of(const struct wflame *f, const struct flame *fl, const struct table *t, int cols)
{
	struct lens l = { fl, t, weight_of(f, fl), 0, 0, cols < 1 ? 1 : cols };

	l.span = fl->whole[l.weight];
	if (f->zoom < l.t->n_rows) {
		l.from = fl->start[l.weight] ? fl->start[l.weight][f->zoom] : 0;
		l.span = flame_width(fl, l.t, f->zoom, l.weight);
	}
	return l;
}

/* The middle of a column: a box is drawn where it covers that. */
static int64_t middle(const struct lens *l, int x)
{
	int64_t parts = 2 * (int64_t)l->cols, k = 2 * (int64_t)x + 1;

	return l->from + l->span / parts * k + l->span % parts * k / parts;
}

/* The first column, from x on, whose middle is not before the offset. */
static int column_of(const struct lens *l, int x, int64_t at)
{
	LOWER_BOUND(x, x, l->cols, middle(l, x) < at);
	return x;
}

static int64_t end_of(const struct lens *l, uint32_t row)
{
	return l->fl->start[l->weight][row] + flame_width(l->fl, l->t, row, l->weight);
}

static uint32_t top_level(const struct wflame *f, const struct flame *fl, int h)
{
	uint32_t level = f->row == ROW_NONE ? 0 : fl->level[f->row], rows = h > 1 ? (uint32_t)h : 1;

	if (level < f->top)
		return level;
	return level >= f->top + rows ? level - rows + 1 : f->top;
}

/* ---- drawing -------------------------------------------------------------------------------------- */

static const struct cell *cell_of(const struct table *t, uint32_t row, const char *col)
{
	int c = table_col(t, col);

	return c < 0 ? NULL : table_cell(t, row, (uint32_t)c);
}

static char letter_of(const struct table *t, uint32_t row)
{
	const struct cell *c = cell_of(t, row, "framework");

	return c && c->type == CELL_STR && c->len ? c->v.s[0] : ' ';
}

static bool row_matches(const struct table *t, uint32_t row, const struct needle *n)
{
	const struct cell *c = cell_of(t, row, "function");

	return c && c->type == CELL_STR && needle_match(n, c->v.s, c->len, NULL, NULL);
}

static void draw_box(const struct wflame *f, const struct wtable *w, const struct canvas *c, int x, int end, int y, uint32_t row)
{
	const struct table *t = w->res->table;
	const struct cell *name = cell_of(t, row, "function"), *cls = cell_of(t, row, "class_name");
	bool here = row == f->row, found = w->needle && w->needle->set && row_matches(t, row, w->needle);
	char letter[3] = { letter_of(t, row), ' ', '\0' };
	uint8_t style = found ? ST_MATCH : style_framework(letter[0]);
	unsigned attrs = here ? ATTR_BOLD | ATTR_UNDERLINE : ATTR_REVERSE;
	char text[256];
	int used;

	c->g->work++;
	canvas_text(c, x, y, style, here ? ATTR_BOLD : 0, end - x == 1 ? letter : here ? ">" : "|", 1, 1);
	if (end - x < 2)
		return;
	canvas_fill(c, x + 1, y, end - x - 1, style, attrs, " ");
	canvas_text(c, x + 1, y, style, attrs, letter, 1, 1);
	if (end - x < 5 || !name)
		return;
	cell_text(name, &t->cols[table_col(t, "function")], end - x - 3, text, sizeof(text));
	used = canvas_text(c, x + 3, y, style, attrs, text, SIZE_MAX, end - x - 3) + 4;
	if (cls && cls->type == CELL_STR && end - x - used > 3)
		canvas_text(c, x + used, y, style, attrs, cls->v.s, cls->len, end - x - used);
}

static void draw_level(const struct wflame *f, const struct wtable *w, const struct lens *l, const struct canvas *c, uint32_t level, int y)
{
	int x = 0;

	while (x < l->cols) {
		uint32_t next, row = flame_at(l->fl, l->t, l->weight, level, middle(l, x), &next);
		int end;

		if (row == ROW_NONE && next == ROW_NONE)
			return;
		if (row == ROW_NONE) {
			x = column_of(l, x + 1, l->fl->start[l->weight][next]);
			continue;
		}
		end = column_of(l, x + 1, end_of(l, row));
		draw_box(f, w, c, x, end, y, row);
		/* the right edge shows where nothing follows */
		if (end < l->cols && flame_at(l->fl, l->t, l->weight, level, middle(l, end), NULL) == ROW_NONE)
			canvas_text(c, end, y, ST_TREE, 0, "|", 1, 1);
		x = end;
	}
}

static void put_figure(char *buf, size_t cap, const struct table *t, uint32_t row, const char *col, const char *label)
{
	int i = table_col(t, col);
	const struct cell *c = cell_of(t, row, col);
	size_t have = strlen(buf);
	char text[160];

	if (!c || c->type == CELL_MISSING)
		return;
	cell_text(c, &t->cols[i], 0, text, sizeof(text));
	snprintf(buf + have, cap - have, "%s%s %s", have ? "  " : "", label, text);
}

/* The box under the cursor, whole: most names do not fit their box. */
static void draw_info(const struct wflame *f, const struct wtable *w, const struct lens *l, const struct canvas *c, int y)
{
	const struct table *t = w->res->table;
	const struct cell *func, *cls, *file, *line, *ran;
	char text[512] = "", pct[NUM_TEXT_MAX];
	int x;

	if (f->row >= t->n_rows)
		return;
	func = cell_of(t, f->row, "function");
	cls = cell_of(t, f->row, "class_name");
	file = cell_of(t, f->row, "file");
	line = cell_of(t, f->row, "line");
	ran = cell_of(t, f->row, "ran_line");
	line = ran && ran->type == CELL_I64 ? ran : line;
	x = canvas_printf(c, 0, y, ST_TITLE, "%c ", letter_of(t, f->row));
	if (func && func->type == CELL_STR)
		x += canvas_text(c, x, y, ST_TITLE, 0, func->v.s, func->len, -1);
	if (cls && cls->type == CELL_STR)
		x += 1 + canvas_text(c, x + 1, y, ST_TITLE, 0, cls->v.s, cls->len, -1);
	if (file && file->type == CELL_STR)
		x += 2 + canvas_text(c, x + 2, y, ST_NORMAL, 0, file->v.s, file->len, -1);
	if (line && line->type == CELL_I64)
		canvas_printf(c, x, y, ST_NORMAL, ":%lld", (long long)line->v.i);
	put_figure(text, sizeof(text), t, f->row, "total_ns", _("total"));
	put_figure(text, sizeof(text), t, f->row, "self_ns", _("self"));
	put_figure(text, sizeof(text), t, f->row, "samples", _("samples"));
	if (flame_width(l->fl, t, f->row, l->weight) > 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), _("  %s of all"), num_pct((double)flame_width(l->fl, t, f->row,
			l->weight) / (double)l->fl->whole[l->weight], pct));
	put_figure(text, sizeof(text), t, f->row, "phase", _("phase"));
	put_figure(text, sizeof(text), t, f->row, "operation", "");
	canvas_puts(c, 0, y + 1, ST_DIM, text);
}

void wflame_draw(const struct wflame *f, const struct wtable *w, const struct canvas *c, const char *empty)
{
	int h = c->h - INFO_LINES > 0 ? c->h - INFO_LINES : c->h;
	struct lens l;
	uint32_t top;

	if (!flame_of(w) || f->prep != w->prep || !w->res->table->n_rows) {
		struct pane none = { 0 };

		wtable_draw(w, &none, c, empty);
		return;
	}
	l = lens_of(f, flame_of(w), w->res->table, c->w);
	top = top_level(f, l.fl, h);
	for (int y = 0; y < h && top + (uint32_t)y < l.fl->n_levels; y++)
		draw_level(f, w, &l, c, top + (uint32_t)y, y);
	if (h < c->h)
		draw_info(f, w, &l, c, h);
}

/* ---- actions -------------------------------------------------------------------------------------- */

/* The widest box below; the first of equals, ROW_NONE if there is none. */
static uint32_t widest_child(const struct lens *l, uint32_t row)
{
	uint32_t level = row == ROW_NONE ? 0 : l->fl->level[row] + 1, next, best = ROW_NONE;
	int64_t at = row == ROW_NONE ? 0 : l->fl->start[l->weight][row];
	uint32_t r = flame_at(l->fl, l->t, l->weight, level, at, &next);

	/* siblings stand in falling order of what they take, so the first has the most */
	if (r == ROW_NONE)
		r = next;
	if (r != ROW_NONE && (row == ROW_NONE || l->t->parents[r] == row))
		best = r;
	return best;
}

/* The nearest box of a column or more to the left or right on the same level, inside what is shown. */
static uint32_t beside(const struct lens *l, uint32_t row, int dir)
{
	uint32_t level = l->fl->level[row];
	int x = column_of(l, 0, l->fl->start[l->weight][row]);
	int end = column_of(l, x, end_of(l, row));

	for (x = dir > 0 ? end : x - 1; x >= 0 && x < l->cols; x += dir) {
		uint32_t r = flame_at(l->fl, l->t, l->weight, level, middle(l, x), NULL);

		if (r != ROW_NONE && r != row)
			return r;
	}
	return ROW_NONE;
}

static void move(struct wflame *f, const struct wtable *w, const struct lens *l, enum action a, struct outcome *out)
{
	uint32_t up = l->t->parents[f->row], to = ROW_NONE;

	switch (a) {
	case ACT_UP: to = up < f->row ? up : ROW_NONE; break;
	case ACT_DOWN: to = widest_child(l, f->row); break;
	case ACT_LEFT: to = beside(l, f->row, -1); break;
	default: to = beside(l, f->row, 1); break;
	}
	if (to == ROW_NONE)
		outcome_say(out, "%s", a == ACT_UP ? _("this is the outermost frame") : a == ACT_DOWN ? _("nothing below this frame") :
			_("no other box on this level"));
	else
		go(f, w, to);
}

static void move_far(struct wflame *f, const struct wtable *w, const struct lens *l, enum action a, int rows)
{
	bool down = a == ACT_PAGE_DOWN || a == ACT_HALF_DOWN || a == ACT_END;
	uint32_t steps = a == ACT_TOP || a == ACT_END ? UINT32_MAX : (uint32_t)(a == ACT_HALF_UP || a == ACT_HALF_DOWN ? (rows + 1) / 2 : rows);

	while (steps--) {
		uint32_t up = l->t->parents[f->row], to = down ? widest_child(l, f->row) : up < f->row ? up : ROW_NONE;

		if (to == ROW_NONE)
			return;
		f->row = to;
	}
	go(f, w, f->row);
}

static void zoom(struct wflame *f, const struct wtable *w, enum action a, struct outcome *out)
{
	uint32_t up = f->zoom == ROW_NONE ? ROW_NONE : w->res->table->parents[f->zoom];

	if (a == ACT_ZOOM_ALL || (a == ACT_ZOOM_OUT && f->zoom != ROW_NONE && up >= f->zoom)) {
		zoom_to(f, w, ROW_NONE);
		outcome_say(out, "%s", _("the whole"));
	} else if (a == ACT_ZOOM_OUT) {
		if (f->zoom == ROW_NONE)
			outcome_say(out, "%s", _("this is the whole"));
		else
			zoom_to(f, w, up);
	} else if (f->zoom == f->row) {
		outcome_say(out, "%s", _("this frame has the whole width; - and 0 zoom out"));
	} else {
		zoom_to(f, w, f->row);
	}
}

static void toggle_weight(struct wflame *f, const struct flame *fl, struct outcome *out)
{
	if (!fl->start[FLAME_SAMPLES] || !fl->start[FLAME_TIME]) {
		outcome_say(out, "%s", fl->start[FLAME_TIME] ? _("the file tells times only") : _("the file tells samples only"));
		return;
	}
	f->samples = !f->samples;
	outcome_say(out, "%s", f->samples ? _("widths are samples") : _("widths are times"));
}

bool wflame_act(struct wflame *f, const struct wtable *w, const struct pane *p, enum action a, struct outcome *out)
{
	const struct flame *fl = flame_of(w);
	struct lens l;

	if (!fl || f->prep != w->prep || f->row >= w->res->table->n_rows)
		return false;
	l = lens_of(f, fl, w->res->table, p->cols);
	if (!fl->start[l.weight])
		return false;
	switch (a) {
	case ACT_UP: case ACT_DOWN: case ACT_LEFT: case ACT_RIGHT: move(f, w, &l, a, out); break;
	case ACT_TOP: case ACT_END: case ACT_PAGE_UP: case ACT_PAGE_DOWN: case ACT_HALF_UP: case ACT_HALF_DOWN:
		move_far(f, w, &l, a, p->page_rows > INFO_LINES + 1 ? p->page_rows - INFO_LINES - 1 : 1);
		break;
	case ACT_ENTER: case ACT_ZOOM_IN: case ACT_ZOOM_OUT: case ACT_ZOOM_ALL: zoom(f, w, a, out); break;
	case ACT_SORT_NEXT: case ACT_SORT_PREV: toggle_weight(f, fl, out); break;
	default: return false;
	}
	f->top = top_level(f, fl, p->page_rows - INFO_LINES);
	out->flags |= OUT_HANDLED;
	return true;
}

bool wflame_escape(struct wflame *f, const struct wtable *w, struct outcome *out)
{
	if (f->zoom == ROW_NONE || f->prep != w->prep)
		return false;
	zoom_to(f, w, ROW_NONE);
	outcome_say(out, "%s", _("the whole"));
	return true;
}

/* Not of trees so large that a key would wait for it. */
static void say_matches(const struct wflame *f, const struct wtable *w, const struct needle *n, char *say, size_t cap)
{
	const struct flame *fl = flame_of(w);
	const struct table *t = w->res->table;
	enum flame_weight weight = fl ? weight_of(f, fl) : FLAME_TIME;
	uint32_t count = 0, at = 0;
	char pct[NUM_TEXT_MAX];
	int64_t sum = 0;
	bool *inside;

	if (!fl || t->n_rows > COUNTED_MAX || fl->whole[weight] <= 0)
		return;
	inside = xcalloc(t->n_rows, 1);
	for (uint32_t r = 0; r < t->n_rows; r++) {
		bool above = t->parents[r] < r && inside[t->parents[r]], own = row_matches(t, r, n);

		inside[r] = above || own;
		count += own;
		at += own && r <= f->row;
		sum += own && !above ? flame_width(fl, t, r, weight) : 0;
	}
	snprintf(say, cap, _("%u of %u, %s of all"), at, count, num_pct((double)sum / (double)fl->whole[weight], pct));
	free(inside);
}

bool wflame_find(struct wflame *f, const struct wtable *w, const struct needle *n, int dir, char *say, size_t cap)
{
	uint32_t rows = flame_of(w) && f->prep == w->prep ? w->res->table->n_rows : 0, at = f->row < rows ? f->row : 0;

	for (uint32_t k = dir ? 1 : 0; k <= rows && rows; k++) {
		uint32_t r = dir < 0 ? (at + rows - k % rows) % rows : (at + k) % rows;

		if (!row_matches(w->res->table, r, n))
			continue;
		go(f, w, r);
		/* outside of what is shown: show all */
		for (uint32_t up = r; f->zoom != ROW_NONE && up != f->zoom; up = w->res->table->parents[up])
			if (w->res->table->parents[up] >= up)
				zoom_to(f, w, ROW_NONE);
		say_matches(f, w, n, say, cap);
		return true;
	}
	return false;
}

void wflame_click(struct wflame *f, const struct wtable *w, int x, int y, int width, int height)
{
	const struct flame *fl = flame_of(w);
	struct lens l;
	uint32_t r;

	if (!fl || f->prep != w->prep)
		return;
	l = lens_of(f, fl, w->res->table, width);
	r = flame_at(fl, l.t, l.weight, top_level(f, fl, height - INFO_LINES) + (uint32_t)y, middle(&l, x), NULL);
	if (r != ROW_NONE)
		go(f, w, r);
}
