/* cmd_diff.c - profdive diff BEFORE AFTER: two profiles, or two windows of one, as a table and as a document */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "cmd/cmd_open.h"
#include "compare/diff.h"
#include "report/compare.h"
#include "report/out.h"
#include "table/filter.h"
#include "table/get.h"

struct comparison {
	char *path[2];
	struct diff_side side[2];
	struct an_ctx *cx[2];
	struct opened op[2];
	enum out_format format;
	struct filter *filter;
	int sort_col;	/* -1 = groups, largest changes first */
	bool desc;
	uint32_t row;	/* of the table, that --fail-on found */
};

/* "run@step:3" is a window of a path; a file whose name is so is meant first. */
static bool parse_side(struct comparison *c, int i, const char *arg, const struct options *o, struct err *e)
{
	const char *mark = strrchr(arg, '@');
	bool windowed = mark && mark > arg && access(arg, F_OK) != 0;

	if (!scope_from_options(&c->side[i].scope, o, e))
		return false;
	c->path[i] = windowed ? xasprintf("%.*s", (int)(mark - arg), arg) : xstrdup(arg);
	return !windowed || scope_parse_window(&c->side[i].scope, mark + 1, e);
}

static bool parse_sort(struct comparison *c, const char *text, struct err *e)
{
	const char *comma = strchr(text, ',');
	size_t n = comma ? (size_t)(comma - text) : strlen(text);

	c->desc = comma && strcmp(comma + 1, "desc") == 0;
	if (comma && !c->desc && strcmp(comma + 1, "asc") != 0)
		return err_set(e, ERR_USAGE, _("--sort takes COLUMN or COLUMN,desc, not \"%s\""), text);
	for (uint32_t i = 0; i < an_diff.n_cols; i++)
		if (strlen(an_diff.cols[i].id) == n && memcmp(an_diff.cols[i].id, text, n) == 0)
			c->sort_col = (int)i;
	return c->sort_col >= 0 || err_set(e, ERR_USAGE, _("--sort %s: the view %s has no such column"), text, "diff");
}

/* All that can be wrong is found before anything is loaded. */
static bool parse_comparison(struct comparison *c, const struct invocation *in, struct err *e)
{
	const struct options *o = &in->opt;
	struct table *none;
	uint32_t row;
	bool ok;

	c->sort_col = -1;
	c->row = ROW_NONE;
	if (in->n_args != 2)
		return err_set(e, ERR_USAGE, _("diff needs two profiles: BEFORE and AFTER"));
	for (int i = 0; i < 2; i++)
		if (!parse_side(c, i, in->args[i], o, e))
			return false;
	if (o->format && !out_format_find(o->format, &c->format))
		return err_set(e, ERR_USAGE, _("--format %s is unknown"), o->format);
	if (o->sort && !parse_sort(c, o->sort, e))
		return false;
	if (o->filter && !(c->filter = filter_parse(o->filter, an_diff.cols, an_diff.n_cols, e)))
		return err_wrap(e, "--filter");
	if (!o->fail_on)
		return true;
	none = table_new("diff", an_diff.cols, an_diff.n_cols);
	ok = diff_fails(none, o->fail_on, &row, e);
	table_free(none);
	return ok;
}

static int load(struct comparison *c, const struct invocation *in, int i)
{
	const char *path = c->path[i];
	struct err e = ERR_INIT;
	int status = open_begin(&c->op[i], in, &path, 1, false);

	if (status == EXIT_DONE)
		status = open_wait(&c->op[i]);
	if (status > EXIT_DAMAGED)
		return status;
	if (!scope_set_source(&c->side[i].scope, &in->opt, c->op[i].session, &e))
		return msg_fail(NULL, &e);
	c->cx[i] = an_ctx_new(c->op[i].session, c->op[i].rules, NULL, NULL);
	c->side[i].cx = c->cx[i];
	return status;
}

static bool show(struct comparison *c, const struct invocation *in, const struct table *t, struct err *e)
{
	const struct options *o = &in->opt;
	struct table_view v;
	char *path = NULL;
	bool ok;

	table_view_make(&v, t, c->sort_col, c->desc, c->filter, (uint32_t)(o->limit > UINT32_MAX ? UINT32_MAX : o->limit));
	ok = out_table(stdout, c->format, t, &v, e);
	table_view_fini(&v);
	if (ok && o->output) {
		ok = compare_write(t, in->args[0], in->args[1], o->output, &path, e);
		if (ok)
			msg_line(_("written: %s"), path);
		free(path);
	}
	return ok && (!o->fail_on || diff_fails(t, o->fail_on, &c->row, e));
}

static void tell_regression(const struct comparison *c, const struct table *t)
{
	int n, m;
	const char *what = get_str(t, c->row, "what", &n), *name = get_str(t, c->row, "name", &m);

	msg_line(_("regression: %.*s %.*s"), n, what, m, name);
}

static int compare(struct comparison *c, const struct invocation *in)
{
	struct err e = ERR_INIT;
	struct table *t;
	int status = EXIT_DONE;

	c->cx[1]->before = &c->side[0];
	t = analysis_table(&an_diff, c->cx[1], &c->side[1].scope, &e);
	if (!t || !show(c, in, t, &e))
		status = msg_fail(NULL, &e);
	else if (c->row != ROW_NONE) {
		tell_regression(c, t);
		status = EXIT_REGRESSION;
	}
	table_free(t);
	return status;
}

/* Panes, unless what is asked for is a table or a verdict. */
static bool wants_panes(const struct options *o, bool screen)
{
	return o->script || o->screen || (screen && !o->format && !o->output && !o->fail_on && !o->filter && !o->sort && !o->limit);
}

/* The run before is loaded whole, that after while it is looked at. */
static int open_panes(struct comparison *c, struct invocation *in, struct ui_opts *u)
{
	const char *path = c->path[1];
	struct invocation after = *in;	/* what is read again on F5, and kept in a session */
	char *title = xasprintf(_("%s, compared with %s"), in->args[1], in->args[0]);
	int status = load(c, in, 0);

	after.args = &path;
	after.n_args = 1;

	if (status <= EXIT_DAMAGED) {
		u->title = title;
		u->before = &c->side[0];
		u->scope = c->side[1].scope;
		status = open_begin(&c->op[1], &after, after.args, 1, true);
		if (status == EXIT_DONE)
			status = explore(&after, &c->op[1], u);
		in->ended_by = after.ended_by;
	}
	free(title);
	return status;
}

static int print_table(struct comparison *c, struct invocation *in)
{
	int status[2] = { EXIT_DONE, EXIT_DONE }, shown;

	for (int i = 0; i < 2; i++) {
		status[i] = load(c, in, i);
		if (status[i] > EXIT_DAMAGED)
			return status[i];
	}
	shown = compare(c, in);
	return shown == EXIT_DONE && (status[0] || status[1]) ? EXIT_DAMAGED : shown;
}

static void comparison_fini(struct comparison *c)
{
	for (int i = 0; i < 2; i++) {
		an_ctx_free(c->cx[i]);
		if (c->op[i].session)
			open_end(&c->op[i]);
		free(c->path[i]);
	}
	if (c->filter)
		filter_free(c->filter);
}

int cmd_diff(struct invocation *in)
{
	struct comparison c = { 0 };
	struct ui_opts u = { 0 };
	struct err e = ERR_INIT;
	bool screen;
	int status;

	if (!parse_comparison(&c, in, &e) || !explore_options(&u, in, &screen, &e))
		status = msg_fail(NULL, &e);
	else
		status = wants_panes(&in->opt, screen) ? open_panes(&c, in, &u) : print_table(&c, in);
	comparison_fini(&c);
	return status;
}
