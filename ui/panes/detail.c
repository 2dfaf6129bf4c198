/*
 * detail.c - i: the row or event under the cursor of the pane that asked, whole: every column with what it means, names uncut,
 * all that is known of the event.
 */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "table/cell.h"
#include "ui/panes/panes.h"
#include "ui/widgets/event_text.h"

struct detail_pane {
	struct wtext text;
};

static void add_cell(struct wtext *w, int cols, const struct column_def *col, const struct cell *c)
{
	char num[CELL_TEXT_MAX], line[512];
	int pad;

	if (c->type == CELL_MISSING)
		return;
	if (c->type == CELL_STR) {
		event_text_line(w, cols, _(col->title), c->v.s, c->len);
		return;
	}
	cell_text(c, col, 0, num, sizeof(num));
	if (c->type == CELL_I64 && (col->unit == UNIT_NS || col->unit == UNIT_TIME || col->unit == UNIT_BYTES))
		snprintf(num + strlen(num), sizeof(num) - strlen(num), " (%" PRId64 " %s)", c->v.i, col->unit == UNIT_BYTES ? "B" : "ns");
	pad = 12 - canvas_width(num, strlen(num));
	snprintf(line, sizeof(line), "%s%*s%s", num, pad > 0 ? pad + 2 : 2, "", col->doc ? _(col->doc) : "");
	event_text_line(w, cols, _(col->title), line, strlen(line));
}

static void add_row(struct wtext *w, int cols, const struct table *t, uint32_t row)
{
	wtext_add(w, ST_TITLE, "%s", _("The row"));
	for (uint32_t c = 0; c < t->n_cols; c++)
		add_cell(w, cols, &t->cols[c], table_cell(t, row, c));
	wtext_add(w, ST_NORMAL, "%s", "");
}

/* All that the file says, as soon as it is read; until then that it is being read. */
static void add_fields(struct pane *p, uint32_t source, ev_id ev)
{
	struct detail_pane *s = p->state;
	struct scope sc;
	char id[24];
	struct result *r;

	if (!p->ui->opts->event_fields)
		return;
	scope_init(&sc);
	snprintf(id, sizeof(id), "@%" PRIu32 ":%" PRIu32, source, ev);
	r = work_want(p->ui->work, id, &sc, &p->pending);
	if (r && r->err.code == ERR_USAGE)
		return;	/* files of this kind say no more */
	wtext_add(&s->text, ST_NORMAL, "%s", "");
	wtext_add(&s->text, ST_TITLE, "%s", _("In the file"));
	if (!r)
		wtext_add(&s->text, ST_DIM, "%s", _("being read …"));
	else if (!r->table)
		wtext_add(&s->text, ST_DIM, "%s", r->err.text);
	for (uint32_t i = 0; r && r->table && i < r->table->n_rows; i++) {
		const struct cell *key = table_cell(r->table, i, 0), *value = table_cell(r->table, i, 1);
		char name[64];

		text_fit(name, sizeof(name), key->v.s, key->len, 40, TEXT_CUT_MIDDLE);
		event_text_line(&s->text, p->cols, name, value->v.s, value->len);
	}
}

static void detail_want(struct pane *p)
{
	struct detail_pane *s = p->state;
	int about = p->ui->where.sub;
	const struct pane *of = &p->ui->panes[about >= 0 && about < PANE_N && about != PANE_DETAIL ? about : PANE_OVERVIEW];
	const struct table *t = of->ops->table ? of->ops->table(of, NULL) : NULL;
	uint32_t row = t && of->ops->row ? of->ops->row(of) : ROW_NONE, source;
	ev_id ev;

	if (of->ops->told && !(t = of->ops->told(of, &row)))
		row = ROW_NONE;
	wtext_reset(&s->text);
	if (row != ROW_NONE)
		add_row(&s->text, p->cols, t, row);
	if (of->ops->event && of->ops->event(of, &source, &ev)) {
		event_text(&s->text, p->ui, source, ev, p->cols);
		add_fields(p, source, ev);
	}
	if (!s->text.lines.n)
		wtext_add(&s->text, ST_DIM, _("nothing is selected in %s that has more to tell"), _(of->ops->title));
}

/* All of it: what one wants in a bug report. */
static void detail_copy(const struct pane *p, struct sbuf *b)
{
	const struct wtext *w = &((const struct detail_pane *)p->state)->text;

	for (size_t i = 0; i < w->lines.n; i++)
		sbuf_printf(b, "%.*s\n", (int)w->lines.a[i].n, w->text.s + w->lines.a[i].at);
}

const struct pane_ops pane_detail = {
	.id = "detail",
	.title = N_("Detail"),
	.help = N_("The selected row or event whole: every column and what it means, names uncut. i or q leaves."),
	TEXT_PANE_OPS,
	.follow = { PANE_OVERVIEW, PANE_TIMELINE },
	.state_size = sizeof(struct detail_pane),
	.want = detail_want,
	.copy = detail_copy,
};
