/*
 * chart.c - the largest rows of a table in words, and its rows as bars; see chart.h
 */
#include "report/chart.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "report/out.h"
#include "table/cell.h"
#include "table/shape.h"

enum {
	COLS_MAX = 6,
	BAR = 40,   /* columns of the longest bar */
	LABEL = 48, /* columns of a label at most */
	TOP = 3
};

struct spec {
	uint32_t cols[COLS_MAX], n;
};

/* The columns that the table has; the last one must be among them. */
static bool parse_spec(struct spec *sp, const struct table *t, const char *text)
{
	int col = -1;

	sp->n = 0;
	while (*text && sp->n < COLS_MAX) {
		size_t len = strcspn(text, " ");
		char id[64];

		snprintf(id, sizeof(id), "%.*s", (int)len, text);
		col = table_col(t, id);
		if (col >= 0)
			sp->cols[sp->n++] = (uint32_t)col;
		text += len + (text[len] == ' ');
	}
	return col >= 0 && sp->n > 1;
}

/* ---- in words ---------------------------------------------------------------------------------- */

/* The rows with the largest figures of the first n; the earlier one where they are equal. */
static uint32_t largest(const struct table *t, uint32_t col, uint32_t n, uint32_t top[TOP])
{
	uint32_t k = 0;

	for (uint32_t row = 0; row < n; row++) {
		int64_t v = table_cell(t, row, col)->v.i;
		uint32_t at = k;

		while (at && table_cell(t, top[at - 1], col)->v.i < v)
			at--;
		if (at == TOP)
			continue;
		k += k < TOP;
		memmove(&top[at + 1], &top[at], (k - 1 - at) * sizeof(*top));
		top[at] = row;
	}
	return k;
}

static void put_figure(struct sbuf *b, const struct table *t, uint32_t col, int64_t v)
{
	struct cell c = {.type = CELL_I64, .v.i = v};
	char buf[CELL_TEXT_MAX];

	cell_text(&c, &t->cols[col], 0, buf, sizeof(buf));
	sbuf_puts(b, buf);
}

static void put_label(struct sbuf *b, const struct cell *c, const struct column_def *col)
{
	char buf[CELL_TEXT_MAX];

	if (c->type == CELL_STR) {
		out_md_name(b, c->v.s, c->len);
		return;
	}
	cell_text(c, col, 0, buf, sizeof(buf));
	sbuf_puts(b, buf);
}

void chart_reading(struct report *r, const struct table *t, const char *text, bool rest)
{
	uint32_t n = t->n_rows - (rest && t->n_rows), top[TOP + 1], k, value;
	struct sbuf name = {0}, first = {0}, all = {0};
	char share[NUM_TEXT_MAX], three[NUM_TEXT_MAX];
	struct spec sp;
	int64_t sum, part = 0;

	if (t->parents || n < 2 || !parse_spec(&sp, t, text))
		return;
	value = sp.cols[sp.n - 1];
	if (!table_sum(t, NULL, value, &sum) || sum <= 0)
		return;
	k = largest(t, value, n, top);
	for (uint32_t i = 0; i < k; i++)
		part += table_cell(t, top[i], value)->v.i;
	for (uint32_t i = 0; i + 1 < sp.n; i++) {
		if (i)
			sbuf_puts(&name, " ");
		put_label(&name, table_cell(t, top[0], sp.cols[i]), &t->cols[sp.cols[i]]);
	}
	put_figure(&first, t, value, table_cell(t, top[0], value)->v.i);
	put_figure(&all, t, value, sum);
	num_pct((double)table_cell(t, top[0], value)->v.i / (double)sum, share);
	fprintf(r->f, _("\nLargest: %s with %s, %s of the %s of all rows."), sbuf_str(&name),
		sbuf_str(&first), share, sbuf_str(&all));
	if (t->n_rows > TOP + 1)
		fprintf(r->f, _(" The three largest make up %s."),
			num_pct((double)part / (double)sum, three));
	fputc('\n', r->f);
	sbuf_fini(&name);
	sbuf_fini(&first);
	sbuf_fini(&all);
}

/* ---- bars -------------------------------------------------------------------------------------- */

static double figure(const struct cell *c)
{
	double f = c->type == CELL_I64 ? (double)c->v.i : c->type == CELL_F64 ? c->v.f : 0;

	return f > 0 ? f : 0;
}

/* The columns of the label with a blank between them. */
static void label_of(struct sbuf *b, const struct table *t, uint32_t row, const struct spec *sp)
{
	char buf[CELL_TEXT_MAX];

	sbuf_reset(b);
	for (uint32_t i = 0; i + 1 < sp->n; i++) {
		const struct cell *c = table_cell(t, row, sp->cols[i]);

		if (i)
			sbuf_putc(b, ' ');
		if (c->type == CELL_STR) {
			text_put(b, c->v.s, c->len, SIZE_MAX, TEXT_CUT_END);
			continue;
		}
		cell_text(c, &t->cols[sp->cols[i]], 0, buf, sizeof(buf));
		sbuf_puts(b, buf);
	}
}

/* Eighths of a column, so that a bar is right to 0.3 %. */
static void put_bar(FILE *f, double part)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned n = (unsigned)(part * BAR * 8 + 0.5);

	for (unsigned i = 0; i < n / 8; i++)
		fputs("█", f);
	fputs(eighths[n % 8], f);
}

static void put_line(struct report *r, const struct table *t, uint32_t row, const struct spec *sp,
		     double max, size_t width)
{
	uint32_t value = sp->cols[sp->n - 1];
	struct sbuf label = {0}, line = {0};
	char buf[CELL_TEXT_MAX];

	label_of(&label, t, row, sp);
	text_pad(&line, sbuf_str(&label), label.n, width, false, TEXT_CUT_MIDDLE);
	cell_text(table_cell(t, row, value), &t->cols[value], 0, buf, sizeof(buf));
	sbuf_puts(&line, "  ");
	text_pad(&line, buf, strlen(buf), 9, true, TEXT_CUT_END);
	fprintf(r->f, "%s  ", sbuf_str(&line));
	put_bar(r->f, max > 0 ? figure(table_cell(t, row, value)) / max : 0);
	fputc('\n', r->f);
	sbuf_fini(&line);
	sbuf_fini(&label);
}

static bool same_text(const struct cell *a, const struct cell *b)
{
	return a->type == b->type &&
	       (a->type != CELL_STR || (a->len == b->len && !memcmp(a->v.s, b->v.s, a->len)));
}

/* The source above its first row, where the rows have several. */
static void put_source(struct report *r, const struct table *t, uint32_t row, int col)
{
	const struct cell *c = table_cell(t, row, (uint32_t)col);
	struct sbuf b = {0};

	if (row && same_text(c, table_cell(t, row - 1, (uint32_t)col)))
		return;
	if (c->type == CELL_STR)
		text_put(&b, c->v.s, c->len, SIZE_MAX, TEXT_CUT_END);
	fprintf(r->f, "%s%s\n", row ? "\n" : "", sbuf_str(&b));
	sbuf_fini(&b);
}

void chart_bars(struct report *r, const struct table *t, const char *text)
{
	uint32_t n = t->n_rows < CHART_ROWS ? t->n_rows : CHART_ROWS;
	int source = table_col(t, "source");
	struct sbuf label = {0};
	struct spec sp;
	double max = 0;
	size_t width = 0;

	if (!n || !parse_spec(&sp, t, text))
		return;
	for (uint32_t row = 0; row < n; row++) {
		double v = figure(table_cell(t, row, sp.cols[sp.n - 1]));
		size_t w;

		label_of(&label, t, row, &sp);
		w = text_width(sbuf_str(&label), label.n);
		width = w > width ? w : width;
		max = v > max ? v : max;
	}
	fputs("\n```text\n", r->f);
	for (uint32_t row = 0; row < n; row++) {
		if (source >= 0)
			put_source(r, t, row, source);
		put_line(r, t, row, &sp, max, width < LABEL ? width : LABEL);
	}
	fputs("```\n", r->f);
	if (n < t->n_rows)
		fprintf(r->f,
			ngettext("\nThe chart leaves out %u row.\n",
				 "\nThe chart leaves out %u rows.\n", t->n_rows - n),
			t->n_rows - n);
	sbuf_fini(&label);
}
