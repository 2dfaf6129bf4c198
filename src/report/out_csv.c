/* out_csv.c - a table as CSV (RFC 4180): ids as header, figures as they are, empty = unknown */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "report/out_impl.h"

static void put_escaped(struct sbuf *b, const char *s, size_t n)
{
	struct text_glyph g;

	for (size_t i = 0; i < n; i += g.src_len) {
		if (s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
			g.src_len = 1;
			sbuf_putc(b, s[i]);
			continue;
		}
		text_next(s + i, n - i, i == 0, &g);
		sbuf_puts(b, s[i] == '"' ? "\"\"" : g.out);
	}
}

static bool needs_quotes(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("\",\r\n", s[i]) && s[i])
			return true;
	/* An empty name is not an unknown one; blanks at an end are often trimmed by readers. */
	return !n || s[0] == ' ' || s[n - 1] == ' ';
}

static bool safe;

void out_csv_set_safe(bool on)
{
	safe = on;
}

static bool is_formula(const char *s, size_t n)
{
	return n && memchr("=+-@\t\r\n", s[0], 7);
}

static void put_field(struct sbuf *b, const char *s, size_t n)
{
	bool quotes = needs_quotes(s, n);

	if (quotes)
		sbuf_putc(b, '"');
	if (safe && is_formula(s, n))
		sbuf_putc(b, '\'');
	put_escaped(b, s, n);
	if (quotes)
		sbuf_putc(b, '"');
}

static void put_cell(struct sbuf *b, const struct cell *c)
{
	char num[NUM_TEXT_MAX];

	switch ((enum cell_type)c->type) {
	case CELL_MISSING:
		break;
	case CELL_I64:
		sbuf_puts(b, num_count(c->v.i, num));
		break;
	case CELL_F64:
		sbuf_puts(b, num_exact(c->v.f, num));
		break;
	case CELL_STR:
		put_field(b, c->v.s, c->len);
		break;
	case CELL_BOOL:
		sbuf_puts(b, c->v.b ? "true" : "false");
		break;
	}
}

static void end_line(FILE *f, struct sbuf *b)
{
	sbuf_puts(b, "\r\n");
	fwrite(b->s, 1, b->n, f);
	sbuf_reset(b);
}

static void *open_csv(const struct table *t)
{
	(void)t;
	return xcalloc(1, sizeof(struct sbuf));
}

static void begin(void *state, FILE *f, const struct table *t)
{
	struct sbuf *b = state;

	for (uint32_t c = 0; c < t->n_cols; c++) {
		if (c)
			sbuf_putc(b, ',');
		put_field(b, t->cols[c].id, strlen(t->cols[c].id));
	}
	end_line(f, b);
}

static void put_rows(void *state, FILE *f, const struct table *t, const struct table_view *v)
{
	struct sbuf *b = state;

	for (uint32_t i = 0; i < v->n; i++) {
		for (uint32_t c = 0; c < t->n_cols; c++) {
			if (c)
				sbuf_putc(b, ',');
			put_cell(b, table_cell(t, v->rows[i], c));
		}
		end_line(f, b);
	}
}

static void end(void *state, FILE *f, const struct table *t)
{
	(void)f;
	(void)t;
	sbuf_fini(state);
	free(state);
}

const struct out_way out_csv = {.name = "csv", .open = open_csv, .begin = begin, .rows = put_rows, .end = end};
