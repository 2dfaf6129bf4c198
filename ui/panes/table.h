/* table.h - the pane of one or more tables: kernels, ops, runtime, … differ in a table of views only. */
#ifndef UI_PANES_TABLE_H
#define UI_PANES_TABLE_H

#include "ui/widgets/pane.h"
#include "ui/widgets/table.h"

struct table_view_def {
	const char *view;	/* analysis id */
	const char *title;	/* N_() marked */
	const char *partition;	/* breakdown: "cpu", "gpu", "joint"; of gaps: "compute"; else NULL */
};
enum { TABLE_PANE_VIEWS = 11 };
struct table_pane_def {
	unsigned n_views;
	struct table_view_def views[TABLE_PANE_VIEWS];
	unsigned open_depth;	/* trees: how many levels are open at first */
	const char *empty;	/* what would fill the pane, N_() marked */
};

/* A pane_ops of this kind: PANE_TABLE_OPS in an initialiser, with .arg = the definition. */
/* For panes that draw a view of theirs in another way: the table that is chosen, its number, the line that names them all. */
struct wtable *table_pane_shown(const struct pane *p);
int table_pane_sub(const struct pane *p);
void table_pane_choose(struct pane *p, int sub, struct outcome *out);
void table_pane_draw_views(const struct pane *p, const struct canvas *c);

void table_pane_open(struct pane *p);
void table_pane_close(struct pane *p);
void table_pane_want(struct pane *p);
void table_pane_draw(const struct pane *p, const struct canvas *c);
void table_pane_act(struct pane *p, enum action a, struct outcome *out);
bool table_pane_find(struct pane *p, const struct needle *n, int dir);
void table_pane_highlight(struct pane *p, const struct needle *n);
bool table_pane_filter(struct pane *p, const char *text, struct err *e);
const char *table_pane_filter_text(const struct pane *p);
bool table_pane_sort(struct pane *p, const char *column, struct err *e);
const char *table_pane_sorted(const struct pane *p, bool *desc);
bool table_pane_columns(struct pane *p, const char *text, struct err *e);
bool table_pane_escape(struct pane *p, struct outcome *out);
void table_pane_save(const struct pane *p, struct place *pl);
void table_pane_restore(struct pane *p, const struct place *pl);
bool table_pane_preview(const struct pane *p, struct scope *sc);
void table_pane_copy(const struct pane *p, struct sbuf *b);
uint32_t table_pane_row(const struct pane *p);
bool table_pane_event(const struct pane *p, uint32_t *source, ev_id *ev);
const struct table *table_pane_table(const struct pane *p, const struct table_view **v);
void table_pane_click(struct pane *p, int x, int y, struct outcome *out);

enum { TABLE_PANE_STATE = 16384 };	/* not less than the state; checked in panes/table.c */

#define TABLE_PANE_OPS(def)									\
	.state_size = TABLE_PANE_STATE, .arg = (def), .open = table_pane_open, .close = table_pane_close,	\
	.want = table_pane_want, .draw = table_pane_draw, .act = table_pane_act, .find = table_pane_find,	\
	.highlight = table_pane_highlight, .filter = table_pane_filter, .filter_text = table_pane_filter_text,	\
	.sort = table_pane_sort, .sorted = table_pane_sorted, .columns = table_pane_columns, .escape = table_pane_escape, .save = table_pane_save,				\
	.restore = table_pane_restore, .preview = table_pane_preview, .copy = table_pane_copy,		\
	.table = table_pane_table, .row = table_pane_row, .event = table_pane_event, .click = table_pane_click

#endif
