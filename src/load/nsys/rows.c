/* rows.c - rows of small tables, and what was wrong with the rows of one; see nsys.h */
#include "base/i18n.h"
#include "load/nsys/nsys.h"

void nsys_tell_wrong(struct nsys_ctx *cx, const struct nsys_scan *s)
{
	if (s->wrong)
		builder_damage(cx->b, N_("cell of a wrong type"), s->wrong_row, s->wrong);
}

void nsys_each_row_where(struct nsys_ctx *cx, const struct nsys_table *t, const char *filter_col,
			 int64_t filter)
{
	struct nsys_scan *s = NULL;

	if (nsys_db_has(cx->db, t->name, NULL))
		s = nsys_scan_open(cx->db, t->name, t->cols, t->n_cols, filter_col, filter, NULL);
	if (!s)
		return;
	while (nsys_scan_step(s) == NSYS_ROW)
		t->row(cx, s);
	nsys_tell_wrong(cx, s);
	nsys_scan_close(s);
}
