/* cmd_print.c - profdive print VIEW PATH...: the rows of one view on stdout */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "report/out.h"
#include "table/filter.h"
#include "table/table.h"

/* What the options ask of the rows, checked before anything is loaded. */
struct request {
	const struct analysis *a;
	struct scope scope;
	enum out_format format;
	int sort_col;		/* -1 = as the view orders them */
	bool desc;
	struct filter *filter;
	uint32_t limit;
};

static bool find_view(struct request *rq, const struct invocation *in, struct err *e)
{
	const char **ids = NULL, *near;
	size_t n = 0;

	if (!in->n_args)
		return err_set(e, ERR_USAGE, _("print needs a view (profdive help views lists them) and a path"));
	rq->a = analysis_find(in->args[0]);
	if (rq->a)
		return in->n_args > 1 || err_set(e, ERR_USAGE, _("print %s needs a path"), rq->a->id);
	while (analyses[n])
		n++;
	ids = xcalloc(n + 1, sizeof(*ids));
	for (size_t i = 0; i < n; i++)
		ids[i] = analyses[i]->id;
	near = opt_nearest(in->args[0], ids);
	if (near)
		err_set(e, ERR_USAGE, _("there is no view \"%s\" (did you mean %s?)"), in->args[0], near);
	else
		err_set(e, ERR_USAGE, _("there is no view \"%s\" (profdive help views lists them)"), in->args[0]);
	free(ids);
	return false;
}

static bool parse_sort(struct request *rq, const char *text, struct err *e)
{
	const char *comma = strchr(text, ',');
	size_t n = comma ? (size_t)(comma - text) : strlen(text);

	rq->desc = comma && strcmp(comma + 1, "desc") == 0;
	if (comma && !rq->desc && strcmp(comma + 1, "asc") != 0)
		return err_set(e, ERR_USAGE, _("--sort takes COLUMN or COLUMN,desc, not \"%s\""), text);
	for (uint32_t i = 0; i < rq->a->n_cols; i++) {
		if (strlen(rq->a->cols[i].id) != n || memcmp(rq->a->cols[i].id, text, n) != 0)
			continue;
		rq->sort_col = (int)i;
		return true;
	}
	return err_set(e, ERR_USAGE, _("--sort %s: the view %s has no such column"), text, rq->a->id);
}

static bool parse_request(struct request *rq, const struct invocation *in, struct err *e)
{
	const struct options *o = &in->opt;

	*rq = (struct request){ .sort_col = -1, .limit = (uint32_t)(o->limit > UINT32_MAX ? UINT32_MAX : o->limit) };
	if (!find_view(rq, in, e) || !scope_from_options(&rq->scope, o, e))
		return false;
	if (o->format && !out_format_find(o->format, &rq->format))
		return err_set(e, ERR_USAGE, _("--format %s is unknown"), o->format);
	if (o->sort && !parse_sort(rq, o->sort, e))
		return false;
	if (!o->filter)
		return true;
	rq->filter = filter_parse(o->filter, rq->a->cols, rq->a->n_cols, e);
	return rq->filter || err_wrap(e, "--filter");
}

static bool print_rows(const struct request *rq, const struct opened *op, struct err *e)
{
	struct an_ctx *cx = rq->a->bare ? an_ctx_bare(op->session, op->rules, NULL) :
		an_ctx_new(op->session, op->rules, NULL, NULL);
	struct table *t = analysis_table(rq->a, cx, &rq->scope, e);
	struct table_view v;
	bool ok = t != NULL;

	if (ok) {
		if (op->part[0])
			table_note(t, _("only a part of the files was loaded: %s"), op->part);
		table_view_make(&v, t, rq->sort_col, rq->desc, rq->filter, rq->limit);
		ok = out_table(stdout, rq->format, t, &v, e);
		table_view_fini(&v);
		table_free(t);
	}
	an_ctx_free(cx);
	return ok;
}

static int load_and_print(struct request *rq, struct invocation *in)
{
	struct opened op;
	struct err e = ERR_INIT;
	int status = open_begin(&op, in, in->args + 1, in->n_args - 1, false);

	if (status == EXIT_DONE)
		status = open_wait(&op);
	if (status <= EXIT_DAMAGED &&
	    (!scope_set_source(&rq->scope, &in->opt, op.session, &e) || !print_rows(rq, &op, &e)))
		status = msg_fail(NULL, &e);
	open_end(&op);
	return status;
}

int cmd_print(struct invocation *in)
{
	struct request rq;
	struct err e = ERR_INIT;
	int status;

	if (parse_request(&rq, in, &e))
		status = load_and_print(&rq, in);
	else
		status = msg_fail(NULL, &e);
	if (rq.filter)
		filter_free(rq.filter);
	return status;
}
