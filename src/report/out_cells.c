/* out_cells.c - what the writers share: order of columns, depth of rows, text of cells; see out_impl.h */
#include "report/out_impl.h"

#include "base/text.h"
#include "table/cell.h"

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
	struct cell c = cell_shown(table_cell(t, row, col), &t->cols[col]);
	char buf[CELL_TEXT_MAX];

	if (c.type == CELL_STR) {
		text_put(b, c.v.s, c.len, SIZE_MAX, TEXT_CUT_END);
		return;
	}
	cell_text(&c, &t->cols[col], 0, buf, sizeof(buf));
	sbuf_puts(b, buf);
}
