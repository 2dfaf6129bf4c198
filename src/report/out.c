/* out.c - picks the writer of a format, and what the writers share; see out.h and out_impl.h */
#include "report/out.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "report/out_impl.h"
#include "table/cell.h"

typedef void (*write_fn)(FILE *f, const struct table *t, const struct table_view *v);

static const struct {
	const char *name;
	write_fn write;
} formats[] = {
	[OUT_TABLE] = {"table", out_text_write},
	[OUT_CSV] = {"csv", out_csv_write},
	[OUT_JSON] = {"json", out_json_write},
	[OUT_MD] = {"md", out_md_write},
};

bool out_format_find(const char *name, enum out_format *fmt)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, name)) {
			*fmt = (enum out_format)i;
			return true;
		}
	}
	return false;
}

bool out_table(FILE *f, enum out_format fmt, const struct table *t, const struct table_view *v,
	       struct err *e)
{
	struct table_view all = {0};
	bool done = true;

	if (!v)
		table_view_make(&all, t, -1, false, NULL, 0);
	errno = 0;
	formats[fmt].write(f, t, v ? v : &all);
	if (fflush(f) || ferror(f))
		done = err_sys(e, errno, "writing %s", t->view);
	table_view_fini(&all);
	return done;
}

uint32_t out_columns(const struct table *t, uint32_t *order)
{
	uint32_t n = 0;

	for (unsigned names = 0; names < 2; names++)
		for (uint32_t i = 0; i < t->n_cols; i++)
			if (!(t->cols[i].flags & COL_JSON_ONLY) &&
			    !(t->cols[i].flags & COL_NAME) == !names)
				order[n++] = i;
	return n;
}

uint32_t out_depth(const struct table *t, uint32_t row)
{
	uint32_t depth = 0;

	while (t->parents && t->parents[row] < row && depth <= OUT_DEPTH_MAX) {
		row = t->parents[row];
		depth++;
	}
	return depth;
}

bool out_right(const struct column_def *c)
{
	return c->unit != UNIT_TEXT && c->unit != UNIT_BOOL && !(c->flags & COL_NAME);
}

void out_cell(struct sbuf *b, const struct table *t, uint32_t row, uint32_t col)
{
	const struct cell *c = table_cell(t, row, col);
	char buf[CELL_TEXT_MAX];

	if (c->type == CELL_STR) {
		text_put(b, c->v.s, c->len, SIZE_MAX, TEXT_CUT_END);
		return;
	}
	cell_text(c, &t->cols[col], 0, buf, sizeof(buf));
	sbuf_puts(b, buf);
}
