/* table.c - state of the table widget: which rows are visible, cursor, order, folding, search. Drawing is in table_draw.c. */
#include "ui/widgets/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/search.h"
#include "table/cell.h"
#include "table/filter.h"

void wtable_fini(struct wtable *w)
{
	result_unref(w->res);
	prep_free(w->prep);
	map_fini(&w->open);
	map_fini(&w->tags);
	map_fini(&w->hidden);
	map_fini(&w->chosen);
	VEC_FREE(&w->vis);
	VEC_FREE(&w->hits);
	memset(w, 0, sizeof(*w));
}

/* ---- visible rows -------------------------------------------------------------------------------- */

bool wtable_is_open(const struct wtable *w, uint32_t row)
{
	uint32_t v = map_find(&w->open, w->prep->keys[row], 0);

	if (w->filter[0])
		return v != 0;
	return v == MAP_NONE ? w->prep->depth[row] < w->open_depth : v != 0;
}

static int class_col(const struct table *t)
{
	return table_col(t, "class");
}

static bool is_hidden(const struct wtable *w, const struct table *t, int col, uint32_t row)
{
	const struct cell *c;

	if (!w->hidden.n || col < 0)
		return false;
	c = table_cell(t, row, (uint32_t)col);
	return c->type == CELL_STR && map_find(&w->hidden, map_hash_bytes(c->v.s, c->len), 0) != MAP_NONE;
}

static void show_rows(struct wtable *w)
{
	const struct table *t = w->res->table;
	unsigned closed = UINT32_MAX;	/* depth of the closed row that we are below */
	int cls = class_col(t);

	w->vis.n = 0;
	VEC_RESERVE(&w->vis, (size_t)w->prep->view.n + 1);
	for (uint32_t i = 0; i < w->prep->view.n; i++) {
		uint32_t row = w->prep->view.rows[i];

		if (w->prep->depth) {
			if (w->prep->depth[row] > closed)
				continue;
			closed = w->prep->parent[row] && !wtable_is_open(w, row) ? w->prep->depth[row] : UINT32_MAX;
		}
		if (!is_hidden(w, t, cls, row))
			w->vis.a[w->vis.n++] = row;
	}
}

static void seek_key(struct wtable *w, uint64_t key)
{
	for (size_t i = 0; i < w->vis.n; i++) {
		if (w->prep->keys[w->vis.a[i]] == key) {
			w->cursor = (uint32_t)i;
			return;
		}
	}
}

static void clamp(struct wtable *w)
{
	if (w->cursor >= w->vis.n)
		w->cursor = w->vis.n ? (uint32_t)w->vis.n - 1 : 0;
	if (w->top > w->cursor)
		w->top = w->cursor;
}

/* Recomputes what is visible and keeps the cursor on its row. */
static void refresh(struct wtable *w, uint64_t key)
{
	show_rows(w);
	if (key)
		seek_key(w, key);
	clamp(w);
}

uint32_t wtable_row(const struct wtable *w)
{
	return w->res && w->prep && w->cursor < w->vis.n ? w->vis.a[w->cursor] : ROW_NONE;
}

uint64_t wtable_key(const struct wtable *w)
{
	uint32_t row = wtable_row(w);

	return row == ROW_NONE ? w->want_key : w->prep->keys[row];
}

void wtable_goto_key(struct wtable *w, uint64_t key)
{
	w->want_key = key;
	if (w->res && w->prep)
		seek_key(w, key);
}

bool wtable_closed_parent(const struct wtable *w)
{
	uint32_t row = wtable_row(w);

	return row != ROW_NONE && w->prep->parent && w->prep->parent[row] && !wtable_is_open(w, row);
}

/* ---- snapshots ------------------------------------------------------------------------------------ */

static bool falls(const struct column_def *col)
{
	return col->unit != UNIT_TEXT && col->unit != UNIT_ID && col->unit != UNIT_TIME;
}

/* See wtable_sort. */
static bool set_order(struct wtable *w, const struct table *t, const char *column, struct err *e)
{
	char sign = *column == '+' || *column == '-' ? *column++ : '\0';
	int c = table_col(t, column);

	for (uint32_t i = 0; c < 0 && i < t->n_cols; i++)
		if (!strcasecmp(_(t->cols[i].title), column))
			c = (int)i;
	if (c < 0)
		return err_set(e, ERR_USAGE, _("no column \"%s\""), column);
	w->sort_col = c;
	w->sort_chosen = true;
	w->desc = sign ? sign == '-' : falls(&t->cols[c]);
	return true;
}

/* The order that was asked for before there was a table. */
static void remembered_order(struct wtable *w, struct pane *p, const struct table *t)
{
	struct err e = ERR_INIT;

	w->sort_col = -1;
	if (!set_order(w, t, w->want_sort, &e))
		snprintf(p->say, sizeof(p->say), "%.150s", e.text);
}

static void take(struct wtable *w, struct pane *p, struct result *r)
{
	uint64_t key = w->want_key ? w->want_key : wtable_key(w);
	struct prep *prep;

	if (w->want_sort[0])
		remembered_order(w, p, r->table);
	else if (!w->res || strcmp(w->res->id, r->id) != 0)
		w->sort_col = -1;
	prep = work_prep(p->ui->work, w, r, w->sort_col, w->desc, w->filter);
	if (!prep) {
		p->pending = p->unanswered = true;
		return;
	}
	w->want_sort[0] = '\0';
	result_ref(r);
	result_unref(w->res);
	prep_free(w->prep);
	w->res = r;
	w->prep = prep;
	w->hits_of = 0;
	refresh(w, w->to_top || w->to_end ? 0 : key);
	if (w->to_top || w->to_end)
		w->cursor = w->top = 0;
	if (w->to_end && w->vis.n)
		w->cursor = (uint32_t)w->vis.n - 1;
	w->to_top = w->to_end = false;
	wtable_count_steps(w, p);
	wtable_sum_tags(w);
	w->want_key = 0;
}

static bool order_changed(const struct wtable *w)
{
	return !w->prep || w->prep->sort_col != w->sort_col || w->prep->desc != w->desc || strcmp(w->prep->filter, w->filter) != 0;
}

void wtable_want(struct wtable *w, struct pane *p, const char *id, const struct scope *sc)
{
	struct result *r = work_want(p->ui->work, id, sc, &p->pending);

	w->stale = !r || p->pending;
	p->unanswered = !r;
	if (r && !r->table) {
		/* failed: show why instead of an old answer */
		if (w->res != r) {
			result_ref(r);
			result_unref(w->res);
			w->res = r;
			prep_free(w->prep);
			w->prep = NULL;
			w->vis.n = 0;
			w->hits_of = 0;
		}
		return;
	}
	if (!r)
		r = w->res;
	if (r && r->table && (r != w->res || order_changed(w)))
		take(w, p, r);
}

/* ---- actions --------------------------------------------------------------------------------------- */

static void move_to(struct wtable *w, int64_t to, struct outcome *out)
{
	int64_t last = (int64_t)w->vis.n - 1;

	if (to < 0)
		to = 0;
	if (to > last)
		to = last < 0 ? 0 : last;
	if (to == (int64_t)w->cursor)
		outcome_say(out, "%s", last < 0 ? _("there are no rows") : to == last && last > 0 ? _("this is the last row") :
			_("this is the first row"));
	w->cursor = (uint32_t)to;
}

static bool act_move(struct wtable *w, const struct pane *p, enum action a, struct outcome *out)
{
	int64_t page = p->page_rows > 1 ? p->page_rows - 1 : 1, at = w->cursor;

	switch (a) {
	case ACT_DOWN: at += 1; break;
	case ACT_UP: at -= 1; break;
	case ACT_PAGE_DOWN: at += page; break;
	case ACT_PAGE_UP: at -= page; break;
	case ACT_HALF_DOWN: at += (page + 1) / 2; break;
	case ACT_HALF_UP: at -= (page + 1) / 2; break;
	case ACT_TOP: at = 0; break;
	case ACT_END: at = (int64_t)w->vis.n - 1; break;
	default: return false;
	}
	move_to(w, at, out);
	return true;
}

static void set_open(struct wtable *w, uint32_t row, bool open)
{
	map_put(&w->open, w->prep->keys[row], 0, open);
}

static void fold_all(struct wtable *w, bool open)
{
	uint64_t key = wtable_key(w);
	uint32_t row = wtable_row(w);
	const struct table *t = w->res->table;

	map_fini(&w->open);
	memset(&w->open, 0, sizeof(w->open));
	w->open_depth = open ? UINT32_MAX : 0;
	if (!open && row != ROW_NONE) {
		while (t->parents[row] < row)
			row = t->parents[row];
		key = w->prep->keys[row];
	}
	refresh(w, key);
}

static void open_below(struct wtable *w, uint32_t row)
{
	const struct table *t = w->res->table;
	uint64_t key = w->prep->keys[row];
	bool *in = xcalloc(t->n_rows, sizeof(*in));

	in[row] = true;
	set_open(w, row, true);
	for (uint32_t r = row + 1; r < t->n_rows; r++) {
		uint32_t up = t->parents[r];

		in[r] = up < r && in[up];
		if (in[r])
			set_open(w, r, true);
	}
	free(in);
	refresh(w, key);
}

static void to_parent(struct wtable *w, uint32_t row, struct outcome *out)
{
	uint32_t up = w->res->table->parents[row];

	if (up < row)
		seek_key(w, w->prep->keys[up]);
	else
		outcome_say(out, "%s", _("this row has no parent"));
}

static bool act_fold(struct wtable *w, enum action a, struct outcome *out)
{
	uint32_t row = wtable_row(w);
	bool parent, open;

	if (!w->prep || !w->prep->depth || row == ROW_NONE)
		return false;
	parent = w->prep->parent[row];
	open = parent && wtable_is_open(w, row);
	switch (a) {
	case ACT_LEFT:
	case ACT_FOLD:
		if (open)
			set_open(w, row, false);
		else if (a == ACT_LEFT)
			to_parent(w, row, out);
		else
			outcome_say(out, "%s", _("nothing to close here"));
		break;
	case ACT_RIGHT:
		if (!parent || open)
			outcome_say(out, "%s", parent ? _("open already") : _("nothing below this row"));
		else
			set_open(w, row, true);
		break;
	case ACT_UNFOLD:
		if (!parent)
			outcome_say(out, "%s", _("nothing below this row"));
		else
			set_open(w, row, !open);
		break;
	case ACT_FOLD_ALL:
		fold_all(w, false);
		outcome_say(out, "%s", _("all rows are closed"));
		return true;
	case ACT_UNFOLD_ALL:
		fold_all(w, true);
		outcome_say(out, "%s", _("all rows are open"));
		return true;
	case ACT_STAR:
		open_below(w, row);
		outcome_say(out, "%s", parent ? _("all below is open") : _("nothing below this row"));
		return true;
	default: return false;
	}
	refresh(w, w->prep->keys[wtable_row(w)]);
	return true;
}

static bool is_shown(const struct column_def *col)
{
	return !(col->flags & COL_JSON_ONLY);
}

static void next_sort(struct wtable *w, int dir, struct outcome *out)
{
	const struct table *t = w->res->table;
	int n = (int)t->n_cols, c = w->sort_col;

	if (!n)
		return;
	do {
		c += dir;
		if (c < -1)
			c = n - 1;
		if (c >= n)
			c = -1;
	} while (c >= 0 && !is_shown(&t->cols[c]));
	w->sort_col = c;
	w->desc = c >= 0 && falls(&t->cols[c]);
	if (c < 0)
		outcome_say(out, "%s", _("in the order of the analysis"));
	else
		outcome_say(out, _("sorted by %s"), _(t->cols[c].title));
}

static void pan(struct wtable *w, int by, struct outcome *out)
{
	int to = w->pan + by, max = (int)w->res->table->n_cols - 1;

	if (to > max)
		to = max;
	if (to < 0)
		to = 0;
	if (to == w->pan)
		outcome_say(out, "%s", by < 0 ? _("all columns from the first on are shown") : _("no more columns"));
	else if (to)
		outcome_say(out, ngettext("%d column skipped", "%d columns skipped", (unsigned long)to), to);
	else
		outcome_say(out, "%s", _("from the first column on"));
	w->pan = to;
}

static void tag(struct wtable *w, uint32_t row, struct outcome *out)
{
	uint64_t key = w->prep->keys[row];
	bool on = map_find(&w->tags, key, 0) != 1;

	map_put(&w->tags, key, 0, on);
	wtable_sum_tags(w);
	outcome_say(out, "%s", w->tagged[0] ? w->tagged : _("no row is tagged"));
	if (w->cursor + 1 < w->vis.n)
		w->cursor++;
}

static void hide(struct wtable *w, uint32_t row, struct outcome *out)
{
	const struct table *t = w->res->table;
	int col = class_col(t);
	const struct cell *c = col < 0 ? NULL : table_cell(t, row, (uint32_t)col);

	if (!c || c->type != CELL_STR) {
		outcome_say(out, "%s", _("this row has no class to hide"));
		return;
	}
	map_put(&w->hidden, map_hash_bytes(c->v.s, c->len), 0, 1);
	outcome_say(out, _("%.*s hidden; X shows all"), (int)c->len, c->v.s);
	refresh(w, 0);
}

static bool act_order(struct wtable *w, enum action a, struct outcome *out)
{
	uint32_t row = wtable_row(w);

	switch (a) {
	case ACT_SORT_NEXT: next_sort(w, 1, out); return true;
	case ACT_SORT_PREV: next_sort(w, -1, out); return true;
	case ACT_INVERT:
		w->desc = !w->desc;
		outcome_say(out, "%s", w->sort_col < 0 ? _("choose a column first: < or >") :
			w->desc ? _("largest first") : _("smallest first"));
		return true;
	case ACT_PERCENT: wtable_next_show(w, out); return true;
	case ACT_LEFT: pan(w, -1, out); return true;
	case ACT_RIGHT: pan(w, 1, out); return true;
	case ACT_PAN_LEFT: pan(w, -3, out); return true;
	case ACT_PAN_RIGHT: pan(w, 3, out); return true;
	case ACT_TAG:
		if (row != ROW_NONE)
			tag(w, row, out);
		return row != ROW_NONE;
	case ACT_HIDE:
		if (row != ROW_NONE)
			hide(w, row, out);
		return row != ROW_NONE;
	case ACT_SHOW_ALL:
		outcome_say(out, "%s", w->hidden.n ? _("all classes are shown") : _("no class is hidden"));
		map_fini(&w->hidden);
		memset(&w->hidden, 0, sizeof(w->hidden));
		refresh(w, wtable_key(w));
		return true;
	default:
		return false;
	}
}

/* Keeps the cursor in sight without moving more than needed. */
static void scroll(struct wtable *w, uint32_t rows)
{
	if (w->cursor < w->top)
		w->top = w->cursor;
	else if (w->cursor >= w->top + rows)
		w->top = w->cursor - rows + 1;
}

bool wtable_act(struct wtable *w, const struct pane *p, enum action a, struct outcome *out)
{
	if (!w->res || !w->res->table || !w->prep)
		return false;
	if (act_move(w, p, a, out) || act_fold(w, a, out) || act_order(w, a, out)) {
		out->flags |= OUT_HANDLED;
		scroll(w, p->page_rows > 0 ? (uint32_t)p->page_rows : 1);
		return true;
	}
	return false;
}

/* ---- search, filter, sort by name ------------------------------------------------------------------- */

static bool row_matches(const struct table *t, uint32_t row, const struct needle *n)
{
	for (uint32_t c = 0; c < t->n_cols; c++) {
		struct cell cell = cell_shown(table_cell(t, row, c), &t->cols[c]);

		if (cell.type == CELL_STR && is_shown(&t->cols[c]) && needle_match(n, cell.v.s, cell.len, NULL, NULL))
			return true;
	}
	return false;
}

void wtable_reveal(struct wtable *w, uint32_t row)
{
	const struct table *t = w->res->table;
	uint64_t key = w->prep->keys[row];

	for (uint32_t up = t->parents ? t->parents[row] : ROW_NONE; up < t->n_rows; up = t->parents[up])
		set_open(w, up, true);
	refresh(w, key);
}

enum { HITS_ROWS = 50000 };	/* a table with more is searched from match to match: nobody waits for their number */

/* All matches at once: n and N then are a search in a sorted list, and their number is known. False: the table is too long. */
static bool find_hits(struct wtable *w, const struct needle *n)
{
	const struct table_view *v = &w->prep->view;
	uint64_t of = scope_hash_name(n->text, strlen(n->text));

	if (v->n > HITS_ROWS)
		return false;
	if (w->hits_of == of)
		return true;
	w->hits_of = of;
	w->hits.n = 0;
	for (uint32_t i = 0; i < v->n; i++)
		if (row_matches(w->res->table, v->rows[i], n))
			VEC_PUSH(&w->hits, i);
	return true;
}

static bool find_next(struct wtable *w, const struct needle *n, int dir, uint32_t at)
{
	const struct table_view *v = &w->prep->view;

	for (uint32_t k = dir ? 1 : 0; k <= v->n; k++) {
		uint32_t i = dir < 0 ? (at + v->n - k % v->n) % v->n : (at + k) % v->n;

		if (row_matches(w->res->table, v->rows[i], n)) {
			wtable_reveal(w, v->rows[i]);
			return true;
		}
	}
	return false;
}

/* The first hit at or after a place of the view; hits.n when there is none. */
static size_t hit_from(const struct wtable *w, uint32_t at)
{
	size_t i;

	LOWER_BOUND(i, 0, w->hits.n, w->hits.a[i] < at);
	return i;
}

bool wtable_find(struct wtable *w, const struct needle *n, int dir, char *say, size_t cap)
{
	const struct table_view *v;
	uint32_t row = wtable_row(w), at = 0;
	size_t i;

	if (!w->prep || !w->prep->view.n)
		return false;
	v = &w->prep->view;
	while (at < v->n && v->rows[at] != row)
		at++;
	if (!find_hits(w, n))
		return find_next(w, n, dir, at);
	if (!w->hits.n)
		return false;
	i = hit_from(w, dir > 0 ? at + 1 : at);
	i = dir < 0 ? (i + w->hits.n - 1) % w->hits.n : i % w->hits.n;
	wtable_reveal(w, v->rows[w->hits.a[i]]);
	snprintf(say, cap, _("%zu of %zu"), i + 1, w->hits.n);
	return true;
}

bool wtable_filter(struct wtable *w, const char *text, struct err *e)
{
	if (*text && w->res && w->res->table) {
		struct filter *f = filter_parse(text, w->res->table->cols, w->res->table->n_cols, e);

		if (!f)
			return false;
		filter_free(f);
	}
	snprintf(w->filter, sizeof(w->filter), "%s", text);
	return true;
}

bool wtable_sort(struct wtable *w, const char *column, struct err *e)
{
	if (w->res && w->res->table)
		return set_order(w, w->res->table, column, e);
	if ((size_t)snprintf(w->want_sort, sizeof(w->want_sort), "%s", column) < sizeof(w->want_sort))
		return true;
	w->want_sort[0] = '\0';
	return err_set(e, ERR_USAGE, _("no column \"%s\""), column);
}

const char *wtable_sorted(const struct wtable *w, bool *desc)
{
	const struct table *t = w->res ? w->res->table : NULL;

	*desc = w->desc;
	return t && w->sort_col >= 0 && (uint32_t)w->sort_col < t->n_cols ? t->cols[w->sort_col].id : NULL;
}
