/* table_draw.c - the table widget on a canvas: column widths, header, rows, marks; and the table as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "table/cell.h"
#include "ui/widgets/table.h"

enum { MAX_COLS = 48, NAME_GOOD = 26, NAME_GROW = 34, TEXT_MIN = 12, TEXT_MAX = 24 };

struct table_draw_layout {
	int n;			/* shown columns */
	int col[MAX_COLS], x[MAX_COLS], w[MAX_COLS];
};

static int unit_width(const struct column_def *col)
{
	static const uint8_t widths[] = {
		[UNIT_TEXT] = 8, [UNIT_NS] = 8, [UNIT_TIME] = 12, [UNIT_BYTES] = 9, [UNIT_COUNT] = 7, [UNIT_ID] = 5, [UNIT_RATIO] = 7,
		[UNIT_FACTOR] = 6, [UNIT_GBPS] = 9, [UNIT_BOOL] = 3,
	};

	return widths[col->unit];
}

/* Rows of the cross-checks have units of their own. */
static struct column_def def_of(const struct table *t, uint32_t row, uint32_t c)
{
	struct column_def def = t->cols[c];
	int unit = def.unit == UNIT_ID && (!strcmp(def.id, "a") || !strcmp(def.id, "b")) ? table_col(t, "unit") : -1;
	const struct cell *cell = unit < 0 ? NULL : table_cell(t, row, (uint32_t)unit);

	if (cell && cell->type == CELL_STR && cell->len == 2 && !memcmp(cell->v.s, "ns", 2))
		def.unit = UNIT_NS;
	else if (cell && cell->type == CELL_STR && cell->len == 5 && !memcmp(cell->v.s, "bytes", 5))
		def.unit = UNIT_BYTES;
	return def;
}

/* Widths of text columns come from the first rows of the table, so that scrolling does not move them. */
static int text_col_width(const struct table *t, uint32_t c, int max)
{
	int w = 4;

	for (uint32_t r = 0; r < t->n_rows && r < 64; r++) {
		struct cell cell = cell_shown(table_cell(t, r, c), &t->cols[c]);
		int cw = cell.type == CELL_STR ? canvas_width(cell.v.s, cell.len < 64 ? cell.len : 64) : 1;

		if (cw > w)
			w = cw;
	}
	return w > max ? max : w;
}

/* A column without any figure in the first rows is noise on a narrow screen. */
static bool is_empty_col(const struct table *t, uint32_t c)
{
	uint32_t n = t->n_rows < 256 ? t->n_rows : 256;

	for (uint32_t r = 0; r < n; r++)
		if (table_cell(t, r, c)->type != CELL_MISSING)
			return false;
	return n > 0;
}

static int used(const struct table_draw_layout *l)
{
	int sum = 0;

	for (int i = 0; i < l->n; i++)
		sum += l->w[i] + (i ? 1 : 0);
	return sum;
}

/* The last one that is marked and says something: of an op and its kernel, the kernel. Else the last text that names a row. */
static int name_column(const struct table *t)
{
	for (unsigned flag = COL_NAME; flag; flag = flag == COL_NAME ? COL_KEY : 0)
		for (uint32_t c = t->n_cols; c-- > 0;)
			if (t->cols[c].flags & flag && t->cols[c].unit == UNIT_TEXT && !is_empty_col(t, c))
				return (int)c;
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (t->cols[c].unit == UNIT_TEXT && !(t->cols[c].flags & COL_JSON_ONLY))
			return (int)c;
	return -1;
}

static bool is_split_col(const struct column_def *col)
{
	return !strcmp(col->id, "by");
}

/* The column to give up next: highest priority number, the rightmost of equals; -1 when only keys and the name are left. */
static int droppable(const struct wtable *w, const struct table_draw_layout *l, int name)
{
	const struct table *t = w->res->table;
	int sort = w->sort_col, owner = w->prep->owner_col;
	int best = -1;

	for (int i = 0; i < l->n; i++) {
		const struct column_def *col = &t->cols[l->col[i]];

		if (l->col[i] == name || l->col[i] == sort || l->col[i] == owner || col->flags & COL_KEY || is_split_col(col) ||
		    wtable_choice(w, col) == COL_ALWAYS)
			continue;
		if (best < 0 || col->priority >= t->cols[l->col[best]].priority)
			best = i;
	}
	return best;
}

static void drop(struct table_draw_layout *l, int i)
{
	l->n--;
	for (; i < l->n; i++) {
		l->col[i] = l->col[i + 1];
		l->w[i] = l->w[i + 1];
	}
}

/* The widest text column that can give way; -1 none. Keys give way last. */
static int widest_text(const struct table_draw_layout *l, const struct table *t, int name, bool keys)
{
	int widest = -1;

	for (int i = 0; i < l->n; i++) {
		const struct column_def *col = &t->cols[l->col[i]];

		if (l->col[i] == name || col->unit != UNIT_TEXT || l->w[i] <= TEXT_MIN || (!keys && col->flags & COL_KEY))
			continue;
		if (widest < 0 || l->w[i] >= l->w[widest])
			widest = i;
	}
	return widest;
}

/* Long texts beside the name give way before a figure does. */
static void shrink_texts(struct table_draw_layout *l, const struct table *t, int name, int over, bool keys)
{
	int i;

	while (over-- > 0 && (i = widest_text(l, t, name, keys)) >= 0)
		l->w[i]--;
}

/* Numbers are as wide as they are: a process number cut to five digits is another process, -52.19 m no time. */
static int number_col_width(const struct table *t, uint32_t c)
{
	int w = unit_width(&t->cols[c]);
	char buf[128];

	for (uint32_t r = 0; r < t->n_rows && r < 64; r++) {
		struct column_def def = def_of(t, r, c);
		int cw = cell_text(table_cell(t, r, c), &def, 0, buf, sizeof(buf));

		if (cw > w)
			w = cw;
	}
	return w > TEXT_MAX ? TEXT_MAX : w;
}

/* A split column is called what it splits by. */
static const char *col_title(const struct wtable *w, const struct column_def *col)
{
	return is_split_col(col) ? wtable_split_name(w->res->scope.by) : _(col->title);
}

static int col_width(const struct wtable *w, const struct table *t, uint32_t c)
{
	const struct column_def *col = &t->cols[c];
	int cw = col->unit == UNIT_TEXT ? text_col_width(t, c, TEXT_MAX) : number_col_width(t, c);
	const char *title = col_title(w, col);
	int tw = canvas_width(title, strlen(title)) + ((int)c == w->sort_col ? 1 : 0);

	if (!strcmp(col->id, "class"))
		cw += 2;	/* its letter stands before it */
	return cw > tw ? cw : tw;
}

/* What the name column would like: its content, within reason. */
static int name_wish(const struct table *t, int name, int width)
{
	int good = width >= 100 ? NAME_GOOD + 14 : NAME_GOOD, has, title;

	if (name < 0 || t->parents)
		return name < 0 ? 0 : good;
	has = text_col_width(t, (uint32_t)name, good);
	title = canvas_width(_(t->cols[name].title), SIZE_MAX);
	if (has < title)
		has = title;
	return has < good ? has : good;
}

/* Says the same in every row: nothing, or whose rows they are where all are of one. */
static bool says_nothing(const struct wtable *w, const struct table *t, uint32_t c)
{
	const char *id = t->cols[c].id;

	if ((w->prep->one_source && !strcmp(id, "source")) || (w->prep->one_rank && !strcmp(id, "rank")) ||
	    (w->prep->one_process && !strcmp(id, "process")))
		return true;
	return is_empty_col(t, c);
}

static void choose_columns(const struct wtable *w, int name, int width, struct table_draw_layout *l)
{
	const struct table *t = w->res->table;
	int skip = w->pan;

	l->n = 0;
	for (uint32_t c = 0; c < t->n_cols && l->n < MAX_COLS; c++) {
		bool fixed = (int)c == name || t->cols[c].flags & COL_KEY;

		enum col_choice choice = wtable_choice(w, &t->cols[c]);

		if (choice == COL_HIDDEN || (choice == COL_IF_ROOM && says_nothing(w, t, c) && !((int)c == name && t->cols[c].flags & COL_KEY)))
			continue;
		if (!fixed && choice == COL_IF_ROOM && skip > 0) {
			skip--;
			continue;
		}
		l->col[l->n] = (int)c;
		l->w[l->n++] = (int)c == name ? name_wish(t, name, width) : col_width(w, t, c);
	}
}

/* What is left over, and what long texts can spare, is the name's; names of kernels need it. */
static void grow_name(struct table_draw_layout *l, const struct table *t, int name, int width)
{
	int at = 0, good, i;

	while (at < l->n && l->col[at] != name)
		at++;
	if (at == l->n)
		return;
	if (used(l) > width)
		l->w[at] = l->w[at] - (used(l) - width) > 8 ? l->w[at] - (used(l) - width) : 8;
	if (used(l) < width)
		l->w[at] += width - used(l);
	good = t->parents ? 0 : text_col_width(t, (uint32_t)name, NAME_GROW);
	while (l->w[at] < good && (i = widest_text(l, t, name, false)) >= 0 && l->w[i] > TEXT_MIN + 2) {
		l->w[i]--;
		l->w[at]++;
	}
}

/* Chooses columns for a width and places them. */
static void make_layout(const struct wtable *w, int width, struct table_draw_layout *l)
{
	const struct table *t = w->res->table;
	int name = name_column(t), i;

	choose_columns(w, name, width, l);
	while (used(l) > width && (i = droppable(w, l, name)) >= 0) {
		const struct column_def *col = &t->cols[l->col[i]];

		/* only when nothing of lesser rank is left; the texts of keys for what matters most only */
		if (col->priority <= 3)
			shrink_texts(l, t, name, used(l) - width, col->unit == UNIT_TEXT || col->priority <= 1);
		if (used(l) > width)
			drop(l, i);
	}
	if (used(l) > width)
		shrink_texts(l, t, name, used(l) - width, true);
	grow_name(l, t, name, width);
	for (i = 0; i < l->n; i++)
		l->x[i] = i ? l->x[i - 1] + l->w[i - 1] + 1 : 0;
}

int wtable_column_at(const struct wtable *w, int width, int x)
{
	struct table_draw_layout l;

	if (!w->res || !w->res->table || !w->prep)
		return -1;
	make_layout(w, width, &l);
	for (int i = 0; i < l.n; i++)
		if (x >= l.x[i] && x < l.x[i] + l.w[i])
			return l.col[i];
	return -1;
}

static bool is_left(const struct column_def *col)
{
	return col->unit == UNIT_TEXT;
}

static void draw_header(const struct wtable *w, const struct canvas *c, const struct table_draw_layout *l)
{
	const struct table *t = w->res->table;

	canvas_fill(c, 0, 0, c->w, ST_HEAD, 0, " ");
	for (int i = 0; i < l->n; i++) {
		const struct column_def *col = &t->cols[l->col[i]];
		char title[128];
		bool sorted = l->col[i] == w->sort_col;
		int tw;

		snprintf(title, sizeof(title), "%s%s", col_title(w, col), sorted ? w->desc ? "▾" : "▴" : "");
		tw = canvas_width(title, strlen(title));
		canvas_text(c, l->x[i] + (is_left(col) || tw > l->w[i] ? 0 : l->w[i] - tw), 0, ST_HEAD, 0, title, SIZE_MAX, l->w[i]);
	}
}

static void draw_match(const struct wtable *w, const struct canvas *c, int x, int y, int width, const struct cell *cell)
{
	size_t at, len;

	if (!w->needle || !w->needle->set || cell->type != CELL_STR || !needle_match(w->needle, cell->v.s, cell->len, &at, &len))
		return;
	/* where the text was cut, underline the whole cell: the place is not known any more */
	if (canvas_width(cell->v.s, cell->len) > width || !len)
		canvas_attr(c, x, y, width, ATTR_UNDERLINE);
	else
		canvas_attr(c, x + canvas_width(cell->v.s, at), y, canvas_width(cell->v.s + at, len), ATTR_UNDERLINE);
}

static uint8_t text_style(const struct table *t, const struct column_def *col, const struct cell *cell)
{
	enum kclass k;

	if (cell->type != CELL_STR)
		return ST_NORMAL;
	if (!strcmp(col->id, "class") && (k = kclass_find(cell->v.s, cell->len)) != KCLASS_N)
		return style_class_mark(k)->style;
	if (!strcmp(col->id, "framework") && cell->len == 1)
		return style_framework(cell->v.s[0]);
	if (!strcmp(col->id, "verdict") && cell->len == 7 && !memcmp(cell->v.s, "differs", 7))
		return ST_WARN;
	(void)t;
	return ST_NORMAL;
}

/* Of a path that does not fit, the file: folders are what the files of a run have in common. */
static struct cell shown_text(const struct cell *cell, const struct column_def *def, int width)
{
	struct cell c = cell_shown(cell, def);
	bool code = !strcmp(def->id, "file");	/* there, the folders next to it tell packages apart */

	if (c.type != CELL_STR || (strcmp(def->id, "path") != 0 && strcmp(def->id, "source") != 0 && !code) ||
	    canvas_width(c.v.s, c.len) <= width)
		return c;
	for (uint32_t i = 0; i + 1 < cell->len && !(code && canvas_width(c.v.s, c.len) <= width); i++) {
		if (cell->v.s[i] != '/')
			continue;
		c.v.s = cell->v.s + i + 1;
		c.len = cell->len - i - 1;
	}
	return c;
}

static void draw_text_cell(const struct wtable *w, const struct canvas *c, int x, int y, int width, uint32_t row, int col)
{
	const struct table *t = w->res->table;
	const struct cell *cell = table_cell(t, row, (uint32_t)col);
	const struct column_def *def = &t->cols[col];
	char buf[512];
	enum kclass k;
	uint8_t style = text_style(t, def, cell);
	struct cell shown;

	if (style >= ST_C_GEMM && style <= ST_C_OTHER && width > 4 && (k = kclass_find(cell->v.s, cell->len)) != KCLASS_N) {
		char letter[2] = { style_class_mark(k)->letter, '\0' };

		cell_text(cell, def, width - 2, buf, sizeof(buf));
		canvas_puts(c, x, y, style, letter);
		canvas_text(c, x + 2, y, style, 0, buf, SIZE_MAX, width - 2);
		return;
	}
	shown = shown_text(cell, def, width);
	cell_text(&shown, def, width, buf, sizeof(buf));
	canvas_text(c, x, y, style, 0, buf, SIZE_MAX, width);
	draw_match(w, c, x, y, width, cell);
}

static void draw_number(const struct wtable *w, const struct canvas *c, int x, int y, int width, const struct cell *cell,
	const struct column_def *col)
{
	struct column_def def;
	struct cell scaled;
	char buf[128];
	int tw;

	if (wtable_scaled(w, col, cell, &scaled, &def))
		tw = cell_text(&scaled, &def, 0, buf, sizeof(buf));
	else
		tw = cell_text(cell, col, 0, buf, sizeof(buf));
	if (col->flags & COL_BAR && cell->type == CELL_F64 && width >= 16) {
		canvas_bar(c, x, y, width - 8, ST_BAR, cell->v.f);
		x += width - 8;
		width = 8;
	}
	canvas_text(c, x + (tw < width ? width - tw : 0), y, cell->type == CELL_MISSING ? ST_DIM : ST_NORMAL, 0, buf, SIZE_MAX, width);
	if (tw > width && width > 0)	/* of a row far below those that were measured: what is cut must look cut */
		canvas_text(c, x + width - 1, y, ST_NORMAL, 0, text_ellipsis(), SIZE_MAX, 1);
}

/* Columns before the fold mark of a tree row; 0 where the depth is written as a number instead. */
static int indent_of(const struct wtable *w, uint32_t row, int width)
{
	int indent = w->prep->depth[row] * (width < 40 ? 1 : 2);

	return indent > width / 2 ? 0 : indent;
}

/* Indent and fold mark of a tree row; returns the columns taken. */
static int draw_tree(const struct wtable *w, const struct canvas *c, int x, int y, int width, uint32_t row)
{
	int used_cols, limit = width / 2;
	const char *mark = " ";

	if (!w->prep->depth)
		return 0;
	used_cols = indent_of(w, row, width);
	if (w->prep->parent[row])
		mark = wtable_is_open(w, row) ? "▾" : "▸";
	if (w->prep->depth[row] && !used_cols)
		used_cols = canvas_printf(c, x, y, ST_TREE, "%*d…", limit > 4 ? limit - 2 : 1, w->prep->depth[row]);
	canvas_text(c, x + used_cols, y, ST_TREE, 0, mark, SIZE_MAX, 1);
	return used_cols + 2;
}

static void draw_row(const struct wtable *w, const struct pane *p, const struct canvas *c, const struct table_draw_layout *l, int y, uint32_t i)
{
	const struct table *t = w->res->table;
	uint32_t row = w->vis.a[i];
	int name = name_column(t);

	c->g->work++;
	for (int k = 0; k < l->n; k++) {
		const struct column_def def = def_of(t, row, (uint32_t)l->col[k]), *col = &def;
		const struct cell *cell = table_cell(t, row, (uint32_t)l->col[k]);
		int x = l->x[k], width = l->w[k];

		if (l->col[k] == name) {
			int in = draw_tree(w, c, x, y, width, row);

			x += in;
			width -= in;
		}
		if (is_left(col))
			draw_text_cell(w, c, x, y, width, row, l->col[k]);
		else
			draw_number(w, c, x, y, width, cell, col);
	}
	if (map_find(&w->tags, w->prep->keys[row], 0) == 1)
		canvas_attr(c, 0, y, c->w, ATTR_BOLD);
	if (i == w->cursor)
		canvas_attr(c, 0, y, c->w, p->focused ? ATTR_REVERSE : ATTR_BOLD | ATTR_UNDERLINE);
}

static void draw_notes(const struct table *t, const struct canvas *c, int y)
{
	for (uint32_t i = 0; i < t->n_notes; i++)
		y = canvas_wrapped(c, 1, y, ST_DIM, t->notes[i]);
}

static void draw_empty(const struct wtable *w, const struct canvas *c, const char *empty)
{
	int y = 1;

	if (w->res && !w->res->table) {
		canvas_puts(c, 1, 0, ST_ERROR, w->res->err.text);
		return;
	}
	if (!w->res) {
		canvas_puts(c, 1, 0, ST_DIM, empty);
		return;
	}
	canvas_puts(c, 1, y++, ST_DIM, w->filter[0] ? _("no row matches the filter") : _("no rows in this window"));
	draw_notes(w->res->table, c, y);
}

/* What was cut in the row under the cursor, whole: names of kernels differ at their ends. */
void wtable_draw_whole(const struct wtable *w, const struct canvas *c)
{
	const struct table *t = w->res && w->prep ? w->res->table : NULL;
	uint32_t row = wtable_row(w);
	struct table_draw_layout l;
	int x = 1;

	if (!t || row == ROW_NONE)
		return;
	if (w->tagged[0]) {
		canvas_text(c, 1, 0, ST_TITLE, 0, w->tagged, SIZE_MAX, c->w - 2);
		return;
	}
	make_layout(w, c->w, &l);
	for (int i = 0; i < l.n && x < c->w; i++) {
		struct cell cell = cell_shown(table_cell(t, row, (uint32_t)l.col[i]), &t->cols[l.col[i]]);
		int width = l.w[i], in = 0;

		if (l.col[i] == name_column(t) && w->prep->depth)
			in = indent_of(w, row, width) + 2;
		else if (!strcmp(t->cols[l.col[i]].id, "class"))
			in = 2;	/* its letter */
		if (cell.type != CELL_STR || canvas_width(cell.v.s, cell.len) + in <= width)
			continue;
		if (x > 1)
			x += canvas_puts(c, x, 0, ST_DIM, " · ");
		x += canvas_text(c, x, 0, ST_NORMAL, 0, cell.v.s, cell.len, -1);
	}
}

/* The first row that is drawn so that the cursor is in sight; draw is pure, so this is derived and not stored. */
static uint32_t first_row(const struct wtable *w, int rows)
{
	uint32_t top = w->top, n = rows > 0 ? (uint32_t)rows : 1;

	if (w->cursor < top)
		top = w->cursor;
	if (w->cursor >= top + n)
		top = w->cursor - n + 1;
	if (w->vis.n >= n && top > w->vis.n - n)
		top = (uint32_t)w->vis.n - n;
	if (w->vis.n < n)
		top = 0;
	return top;
}

void wtable_draw(const struct wtable *w, const struct pane *p, const struct canvas *c, const char *empty)
{
	struct table_draw_layout l;
	uint32_t top;
	int rows = c->h - 1, y = 1;

	if (!w->res || !w->res->table || !w->prep) {
		draw_empty(w, c, empty);
		return;
	}
	make_layout(w, c->w, &l);
	draw_header(w, c, &l);
	if (!w->vis.n) {
		draw_empty(w, c, empty);
		return;
	}
	top = first_row(w, rows);
	for (uint32_t i = top; i < w->vis.n && y < c->h; i++)
		draw_row(w, p, c, &l, y++, i);
	draw_notes(w->res->table, c, y);
}

const char *wtable_split_name(enum by_dim by)
{
	static const char *const names[] = {
		[BY_NONE] = "", [BY_STEP] = N_("Step"), [BY_PHASE] = N_("Phase"), [BY_MICROBATCH] = N_("Micro-batch"),
		[BY_THREAD] = N_("Thread"), [BY_PROCESS] = N_("Process"), [BY_DEVICE] = N_("GPU"), [BY_RANK] = N_("Rank"), [BY_ALL] = N_("By"),
	};

	return _(names[by]);
}

/* ---- as text -------------------------------------------------------------------------------------- */

void wtable_copy_row(const struct table *t, uint32_t row, struct sbuf *b)
{
	char buf[1024];

	for (uint32_t c = 0; c < t->n_cols; c++) {
		if (t->cols[c].flags & COL_JSON_ONLY)
			continue;
		if (b->n)
			sbuf_putc(b, '\t');
		cell_text(table_cell(t, row, c), &t->cols[c], 0, buf, sizeof(buf));
		sbuf_puts(b, buf);
	}
}

void wtable_copy(const struct wtable *w, struct sbuf *b)
{
	uint32_t row = wtable_row(w);

	if (row != ROW_NONE)
		wtable_copy_row(w->res->table, row, b);
}
