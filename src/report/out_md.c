/* out_md.c - a table in GitHub's Markdown, aligned in its source as well */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/out_impl.h"
#include "table/cell.h"

struct out_md_layout {
	const struct table *t;	/* the present one */
	uint32_t *order, n;
	size_t *width;
	struct sbuf line, cell;
};

/* The longest run of backticks in s: the fence of a code span must be longer. */
static size_t longest_ticks(const char *s, size_t n)
{
	size_t best = 0, run = 0;

	for (size_t i = 0; i < n; i++) {
		run = s[i] == '`' ? run + 1 : 0;
		if (run > best)
			best = run;
	}
	return best;
}

static bool needs_code(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] && strchr("<>*_[]&`~\\#|$", s[i]))
			return true;
	return false;
}

/* In tables GitHub reads \| as | also inside code. */
static void put_piped(struct sbuf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '|')
			sbuf_putc(b, '\\');
		sbuf_putc(b, s[i]);
	}
}

void out_md_name(struct sbuf *b, const char *s, size_t n)
{
	struct sbuf shown = {0};
	size_t ticks;

	text_put(&shown, s, n, SIZE_MAX, TEXT_CUT_END);
	if (!needs_code(sbuf_str(&shown), shown.n)) {
		sbuf_put(b, sbuf_str(&shown), shown.n);
		sbuf_fini(&shown);
		return;
	}
	ticks = longest_ticks(shown.s, shown.n);
	sbuf_fill(b, '`', ticks + 1);
	sbuf_puts(b, ticks ? " " : "");
	put_piped(b, shown.s, shown.n);
	sbuf_puts(b, ticks ? " " : "");
	sbuf_fill(b, '`', ticks + 1);
	sbuf_fini(&shown);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c & '\x80';
}

/* An underscore inside a word (step_N) and a # that begins no line are text. */
static bool is_active(const char *s, size_t n, size_t i)
{
	if (s[i] == '_')
		return i == 0 || i + 1 == n || !is_word(s[i - 1]) || !is_word(s[i + 1]);
	if (s[i] == '#')
		return i == 0;
	return s[i] && strchr("\\`*[]<>|~&$", s[i]);
}

void out_md_text(struct sbuf *b, const char *s, size_t n)
{
	struct sbuf shown = {0};

	text_put(&shown, s, n, SIZE_MAX, TEXT_CUT_END);
	for (size_t i = 0; i < shown.n; i++) {
		if (is_active(shown.s, shown.n, i))
			sbuf_putc(b, '\\');
		sbuf_putc(b, shown.s[i]);
	}
	sbuf_fini(&shown);
}

/* Markdown trims blanks in cells, so that depth in a tree is shown by dots. */
static void put_dots(struct sbuf *b, uint32_t depth)
{
	for (uint32_t d = 0; d < depth && d < OUT_DEPTH_MAX; d++)
		sbuf_puts(b, text_ascii() ? ". " : "\xc2\xb7 ");
	if (depth > OUT_DEPTH_MAX) {
		sbuf_puts(b, text_ellipsis());
		sbuf_putc(b, ' ');
	}
}

static void make_cell(struct out_md_layout *l, uint32_t row, uint32_t i)
{
	struct cell c = cell_shown(table_cell(l->t, row, l->order[i]), &l->t->cols[l->order[i]]);

	sbuf_reset(&l->cell);
	if (i == l->n - 1 && l->t->cols[l->order[i]].flags & COL_NAME)
		put_dots(&l->cell, out_depth(l->t, row));
	if (c.type == CELL_STR)
		out_md_name(&l->cell, c.v.s, c.len);
	else
		out_cell(&l->cell, l->t, row, l->order[i]);
}

static void make_title(struct out_md_layout *l, uint32_t i)
{
	const char *title = column_title(&l->t->cols[l->order[i]]);

	sbuf_reset(&l->cell);
	put_piped(&l->cell, title, strlen(title));
}

static void widen(struct out_md_layout *l, uint32_t i)
{
	size_t w = text_width(sbuf_str(&l->cell), l->cell.n);

	if (w > l->width[i])
		l->width[i] = w;
}

static void *open_md(const struct table *t)
{
	struct out_md_layout *l = xcalloc(1, sizeof(*l));

	l->t = t;
	l->order = xcalloc(t->n_cols, sizeof(*l->order));
	l->width = xcalloc(t->n_cols, sizeof(*l->width));
	l->n = out_columns(t, l->order);
	for (uint32_t i = 0; i < l->n; i++) {
		l->width[i] = 3;
		make_title(l, i);
		widen(l, i);
	}
	return l;
}

static void look(void *state, const struct table *t, const struct table_view *v)
{
	struct out_md_layout *l = state;

	l->t = t;
	for (uint32_t r = 0; r < v->n; r++) {
		for (uint32_t i = 0; i < l->n; i++) {
			make_cell(l, v->rows[r], i);
			widen(l, i);
		}
	}
}

static void add(struct out_md_layout *l, uint32_t i)
{
	sbuf_puts(&l->line, i ? " | " : "| ");
	text_pad(&l->line, sbuf_str(&l->cell), l->cell.n, l->width[i],
		 out_right(&l->t->cols[l->order[i]]), TEXT_CUT_END);
}

static void end_line(FILE *f, struct out_md_layout *l)
{
	sbuf_puts(&l->line, " |\n");
	fwrite(l->line.s, 1, l->line.n, f);
	sbuf_reset(&l->line);
}

static void begin(void *state, FILE *f, const struct table *t)
{
	struct out_md_layout *l = state;

	l->t = t;
	for (uint32_t i = 0; i < l->n; i++) {
		make_title(l, i);
		add(l, i);
	}
	end_line(f, l);
	for (uint32_t i = 0; i < l->n; i++) {
		bool right = out_right(&l->t->cols[l->order[i]]);

		sbuf_puts(&l->line, i ? " | " : "| ");
		sbuf_fill(&l->line, '-', l->width[i] - right);
		sbuf_puts(&l->line, right ? ":" : "");
	}
	end_line(f, l);
}

static void put_notes(FILE *f, struct out_md_layout *l)
{
	for (uint32_t i = 0; i < l->t->n_notes; i++) {
		sbuf_puts(&l->line, i ? "* " : "\n* ");
		out_md_text(&l->line, l->t->notes[i], strlen(l->t->notes[i]));
		sbuf_putc(&l->line, '\n');
		fwrite(l->line.s, 1, l->line.n, f);
		sbuf_reset(&l->line);
	}
}

static void put_rows(void *state, FILE *f, const struct table *t, const struct table_view *v)
{
	struct out_md_layout *l = state;

	l->t = t;
	for (uint32_t r = 0; r < v->n; r++) {
		for (uint32_t i = 0; i < l->n; i++) {
			make_cell(l, v->rows[r], i);
			add(l, i);
		}
		end_line(f, l);
	}
}

static void end(void *state, FILE *f, const struct table *t)
{
	struct out_md_layout *l = state;

	l->t = t;
	put_notes(f, l);
	sbuf_fini(&l->line);
	sbuf_fini(&l->cell);
	free(l->order);
	free(l->width);
	free(l);
}

const struct out_way out_md = {.name = "md", .open = open_md, .look = look, .begin = begin, .rows = put_rows, .end = end};
