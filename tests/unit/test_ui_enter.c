/*
 * test_ui_enter.c - Enter narrows to what the row says: every table of every pane of the sample, row by row. The rows that are
 * shown then have the row's own name in the column of that name, and as many events as it said.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "findings/rulebook.h"
#include "session/session_load.h"
#include "tests/lib/tap.h"
#include "tests/lib/ui_run.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

enum {
	ROWS = 6,
	FILES = 16
};

static struct session *sample(void)
{
	const char *dir = getenv("PROFDIVE_SAMPLE");
	char paths[FILES][512], *p[FILES];
	struct session *s = session_new();
	struct session_loader *l;
	struct err e = ERR_INIT;
	size_t n = 0;
	DIR *d = dir ? opendir(dir) : NULL;

	for (struct dirent *x; d && n < FILES && (x = readdir(d));)
		if (strstr(x->d_name, "rank0.") == x->d_name) {
			snprintf(paths[n], sizeof(paths[n]), "%s/%s", dir, x->d_name);
			p[n] = paths[n];
			n++;
		}
	if (d)
		closedir(d);
	l = session_loader_start(s, (const char *const *)p, n,
				 &(struct session_load_opts){.jobs = 1});
	if (!n || !session_loader_wait(l, s, NULL, &e))
		diag("the sample is not there: %s", e.text);
	session_loader_free(l);
	return s;
}

static const struct cell *cell_of(const struct table *t, uint32_t row, const char *id)
{
	int col = table_col(t, id);

	return col < 0 ? NULL : table_cell(t, row, (uint32_t)col);
}

/* What the names of kinds of rows are called in tables. */
static const struct {
	enum ref_kind kind;
	const char *from[3], *to[3];
} names[] = {
	{REF_CLASS, {"class"}, {"class"}},
	{REF_KERNEL, {"name", "kernel"}, {"name", "kernel"}},
	{REF_RUNTIME, {"name", "call"}, {"call", "name"}},
	{REF_DEVICE, {"device"}, {"device"}},
};

/* Rows of `to` whose name is another than that of the row. */
static uint32_t others(const struct table *from, uint32_t row, enum ref_kind kind,
		       const struct table *to)
{
	const struct cell *want = NULL;
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *col = NULL;

		if (names[i].kind != kind)
			continue;
		for (int k = 0; k < 3 && names[i].from[k] && !want; k++)
			want = cell_of(from, row, names[i].from[k]);
		for (int k = 0; k < 3 && names[i].to[k] && !col; k++)
			col = table_col(to, names[i].to[k]) < 0 ? NULL : names[i].to[k];
		for (uint32_t r = 0; want && col && r < to->n_rows; r++)
			n += cell_cmp(want, cell_of(to, r, col)) != 0;
	}
	return n;
}

static int64_t sum_of_counts(const struct table *t)
{
	int64_t sum = 0;

	for (uint32_t r = 0; r < t->n_rows; r++) {
		const struct cell *c = cell_of(t, r, "count");

		sum += c && c->type == CELL_I64 ? c->v.i : c ? 0 : 1;
	}
	return sum;
}

static struct {
	unsigned entered, compared, counted;
} seen;

static bool same_rows(const struct pane *p, const struct table *from, uint32_t row,
		      enum ref_kind kind)
{
	const struct table *to = p->ops->table ? p->ops->table(p, NULL) : NULL;
	const struct cell *count = cell_of(from, row, "count");
	uint32_t wrong;

	if (!to || kind == REF_OP || kind == REF_THREAD || kind == REF_TIME)
		return true;
	seen.compared++;
	wrong = others(from, row, kind, to);
	if (wrong) {
		diag("%s row %u: %u of %u rows of %s have another name", from->view, row, wrong,
		     to->n_rows, to->view);
		return false;
	}
	/* stacks count samples or Python calls */
	if (!count || count->type != CELL_I64 || !strcmp(to->view, "stacks"))
		return true;
	seen.counted++;
	if (sum_of_counts(to) == count->v.i)
		return true;
	diag("%s row %u says %lld, %s shows %lld", from->view, row, (long long)count->v.i, to->view,
	     (long long)sum_of_counts(to));
	return false;
}

/* Enter on row `row` of the table shown; false: what is shown then is not what the row says. */
static bool enter_row(struct app *a, uint32_t row)
{
	struct pane *p = app_focused(a);
	const struct table_view *v;
	const struct table *t = p->ops->table(p, &v);
	struct result *held = result_ref(table_pane_shown(p)->res);
	enum pane_id was = a->here.pane;
	int sub = table_pane_sub(p);
	bool same = true;
	uint32_t at;

	for (uint32_t i = 0; i < row; i++)
		app_action(a, ACT_DOWN);
	at = p->ops->row(p);
	if (at != ROW_NONE && t->refs && !t->parents) {
		app_action(a, ACT_ENTER);
		settle(a);
		if (a->here.pane != was || table_pane_sub(app_focused(a)) != sub) {
			seen.entered++;
			same = same_rows(app_focused(a), t, at, (enum ref_kind)t->refs[at].kind);
		}
	}
	result_unref(held);
	return same;
}

static unsigned enter_all(struct app *a, enum pane_id id, int sub)
{
	unsigned wrong = 0;

	for (uint32_t row = 0; row < ROWS; row++) {
		struct place to = a->here;
		struct pane *p;

		place_init(&to, id, &a->o->scope);
		to.sub = sub;
		app_go(a, &to);
		settle(a);
		p = app_focused(a);
		app_action(a, ACT_TOP);
		if (!p->ops->table || !p->ops->table(p, NULL) ||
		    row >= p->ops->table(p, NULL)->n_rows)
			break;
		wrong += !enter_row(a, row);
	}
	return wrong;
}

int main(void)
{
	static const enum pane_id panes[] = {PANE_KERNELS, PANE_OPS, PANE_RUNTIME, PANE_TRANSFERS};
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	struct session *s = sample();
	struct app *a = xcalloc(1, sizeof(*a));
	struct ui_opts o = {.provider = made_provider(s),
			    .rules = r,
			    .title = "sample",
			    .script = "none",
			    .script_text = "",
			    .width = 80,
			    .height = 40};

	scope_init(&o.scope);
	o.scope.window = WINDOW_ALL;
	if (!app_init(a, &o, NULL, &e) || !settle(a))
		fail("%s", e.text);
	for (size_t i = 0; i < sizeof(panes) / sizeof(panes[0]); i++) {
		const struct table_pane_def *d = pane_registry[panes[i]]->arg;

		for (unsigned sub = 0; sub < d->n_views; sub++)
			is_uint(enter_all(a, panes[i], (int)sub), 0,
				"%s, %s: Enter shows what the row says",
				pane_registry[panes[i]]->id, d->views[sub].title);
	}
	ok(seen.entered > 60 && seen.compared > 30 && seen.counted > 20,
	   "%u rows entered, %u tables compared, %u counts", seen.entered, seen.compared,
	   seen.counted);
	app_fini(a);
	free(a);
	session_free(s);
	rulebook_free(r);
	return done_testing();
}
