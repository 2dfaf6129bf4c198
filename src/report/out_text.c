/* out_text.c - a table as aligned columns for people, on a terminal or in a pipe */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/out_impl.h"

enum {
	GAP = 2,
	INDENT = 2,
	WIDE = 48 /* cut of all columns but the last */
};

/* What the rows so far have in a column. */
struct out_text_seen {
	bool any, several;	/* a known value; different ones */
	struct cell first;
	char *own;		/* its text */
	struct sbuf text;	/* as it is shown */
};
struct out_text_layout {
	const struct table *t;	/* the present one */
	uint32_t *order, n;
	size_t *width;
	struct out_text_seen *seen;	/* per column of the table */
	uint64_t rows;
	struct sbuf line, cell;
};

/* Indents by the depth in the tree; what is deeper than lines should be long has an ellipsis there. */
static void put_indent(struct sbuf *b, uint32_t depth)
{
	sbuf_fill(b, ' ', (size_t)INDENT * (depth <= OUT_DEPTH_MAX ? depth : OUT_DEPTH_MAX));
	if (depth > OUT_DEPTH_MAX) {
		sbuf_puts(b, text_ellipsis());
		sbuf_putc(b, ' ');
	}
}

/* The text of a cell into l->cell, in trees indented in the column of names. */
static void make_cell(struct out_text_layout *l, uint32_t row, uint32_t i)
{
	sbuf_reset(&l->cell);
	if (l->t->parents && i == l->n - 1 && l->t->cols[l->order[i]].flags & COL_NAME)
		put_indent(&l->cell, out_depth(l->t, row));
	out_cell(&l->cell, l->t, row, l->order[i]);
}

static void widen(size_t *width, size_t w)
{
	if (w > WIDE)
		w = WIDE;
	if (w > *width)
		*width = w;
}

/*
 * Adds one column to the line; what stands in the last one is not cut, and not filled on the left
 * side.
 */
static void add(struct out_text_layout *l, uint32_t i, const char *s, size_t n)
{
	bool right = out_right(&l->t->cols[l->order[i]]);

	if (i)
		sbuf_fill(&l->line, ' ', GAP);
	if (i == l->n - 1 && !right)
		text_put(&l->line, s, n, SIZE_MAX, TEXT_CUT_END);
	else
		text_pad(&l->line, s, n, l->width[i], right, TEXT_CUT_MIDDLE);
}

static void end_line(FILE *f, struct sbuf *b)
{
	while (b->n && b->s[b->n - 1] == ' ')
		b->n--;
	sbuf_putc(b, '\n');
	fwrite(b->s, 1, b->n, f);
	sbuf_reset(b);
}

static void put_notes(FILE *f, struct out_text_layout *l)
{
	for (uint32_t i = 0; i < l->t->n_notes; i++) {
		if (!i)
			end_line(f, &l->line);
		sbuf_puts(&l->line, "* ");
		text_put(&l->line, l->t->notes[i], strlen(l->t->notes[i]), SIZE_MAX, TEXT_CUT_END);
		end_line(f, &l->line);
	}
}

/* ---- columns that say nothing ---- */

static bool all_missing(const struct out_text_layout *l, uint32_t col)
{
	return l->rows && !l->seen[col].any;
}

static bool all_equal(const struct out_text_layout *l, uint32_t col)
{
	return l->rows && !l->seen[col].several;
}

/* Whose figures they are stands below the table once where it is the same in all rows. */
static bool says_owner(const struct column_def *c)
{
	static const char *const ids[] = { "source", "rank", "process" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (!strcmp(c->id, ids[i]))
			return !(c->flags & COL_KEY);
	return false;
}

static void drop_columns(struct out_text_layout *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct column_def *c = &l->t->cols[l->order[i]];
		bool owner = says_owner(c) && all_equal(l, l->order[i]);

		if (owner || (!(c->flags & COL_KEY) && all_missing(l, l->order[i])))
			continue;
		l->width[n] = l->width[i];
		l->order[n++] = l->order[i];
	}
	l->n = n;
}

static void put_owner(FILE *f, struct out_text_layout *l)
{
	for (uint32_t c = 0; c < l->t->n_cols; c++) {
		const struct column_def *def = &l->t->cols[c];

		if (!says_owner(def) || !all_equal(l, c) || all_missing(l, c))
			continue;
		sbuf_puts(&l->line, l->line.n ? ", " : "* ");
		sbuf_puts(&l->line, def->id);
		sbuf_puts(&l->line, " ");
		sbuf_put(&l->line, sbuf_str(&l->seen[c].text), l->seen[c].text.n);
	}
	if (!l->line.n)
		return;
	if (!l->t->n_notes)
		fputc('\n', f);
	end_line(f, &l->line);
}

/* ---- the writer ---- */

static void *open_text(const struct table *t)
{
	struct out_text_layout *l = xcalloc(1, sizeof(*l));

	l->t = t;
	l->order = xcalloc(t->n_cols, sizeof(*l->order));
	l->width = xcalloc(t->n_cols, sizeof(*l->width));
	l->seen = xcalloc(t->n_cols, sizeof(*l->seen));
	l->n = out_columns(t, l->order);
	for (uint32_t i = 0; i < l->n; i++) {
		const char *title = column_title(&t->cols[l->order[i]]);

		widen(&l->width[i], text_width(title, strlen(title)));
	}
	return l;
}

/* Of columns that say whose the rows are, whether they all say the same; of others only whether they say anything. */
static void see(struct out_text_layout *l, uint32_t row, uint32_t col)
{
	const struct cell *c = table_cell(l->t, row, col);
	struct out_text_seen *s = &l->seen[col];

	s->any |= c->type != CELL_MISSING;
	if (s->several || !says_owner(&l->t->cols[col]))
		return;
	if (l->rows) {
		s->several = cell_cmp(&s->first, c) != 0;
		return;
	}
	out_cell(&s->text, l->t, row, col);
	s->first = *c;
	if (c->type == CELL_STR) {	/* the row may be gone when the next is compared */
		s->first.v.s = memcpy(xmalloc((size_t)c->len + 1), c->v.s, c->len);
		s->own = (char *)(uintptr_t)s->first.v.s;
	}
}

/* Widths need no indentation: names of trees stand in the last column, which has no width if it is text. */
static void look(void *state, const struct table *t, const struct table_view *v)
{
	struct out_text_layout *l = state;

	l->t = t;
	for (uint32_t r = 0; r < v->n; r++, l->rows++) {
		for (uint32_t c = 0; c < t->n_cols; c++)
			see(l, v->rows[r], c);
		for (uint32_t i = 0; i < l->n; i++) {
			if (i == l->n - 1 && !out_right(&t->cols[l->order[i]]))
				continue;
			sbuf_reset(&l->cell);
			out_cell(&l->cell, t, v->rows[r], l->order[i]);
			widen(&l->width[i], text_width(sbuf_str(&l->cell), l->cell.n));
		}
	}
}

static void begin(void *state, FILE *f, const struct table *t)
{
	struct out_text_layout *l = state;

	l->t = t;
	drop_columns(l);
	for (uint32_t i = 0; i < l->n; i++) {
		const char *title = column_title(&t->cols[l->order[i]]);

		add(l, i, title, strlen(title));
	}
	end_line(f, &l->line);
}

static void put_rows(void *state, FILE *f, const struct table *t, const struct table_view *v)
{
	struct out_text_layout *l = state;

	l->t = t;
	for (uint32_t r = 0; r < v->n; r++) {
		for (uint32_t i = 0; i < l->n; i++) {
			make_cell(l, v->rows[r], i);
			add(l, i, sbuf_str(&l->cell), l->cell.n);
		}
		end_line(f, &l->line);
	}
}

static void end(void *state, FILE *f, const struct table *t)
{
	struct out_text_layout *l = state;

	l->t = t;
	put_notes(f, l);
	if (l->rows)
		put_owner(f, l);
	for (uint32_t c = 0; c < t->n_cols; c++) {
		sbuf_fini(&l->seen[c].text);
		free(l->seen[c].own);
	}
	sbuf_fini(&l->line);
	sbuf_fini(&l->cell);
	free(l->seen);
	free(l->order);
	free(l->width);
	free(l);
}

const struct out_way out_text = {.name = "table", .open = open_text, .look = look, .begin = begin, .rows = put_rows, .end = end};
