/* cmd_print.c - profdive print VIEW PATH...: the rows of one view on stdout; profdive whatif PATH...: those of the view whatif */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "replay/change.h"
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
	struct changes changes;
	const char *const *paths;
	size_t n_paths;
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

static bool parse_changes(struct request *rq, const struct options *o, struct err *e)
{
	rq->changes.a = xcalloc(o->changes.n + 1, sizeof(*rq->changes.a));
	for (size_t i = 0; i < o->changes.n; i++) {
		if (!change_parse(o->changes.a[i], &rq->changes.a[i], e))
			return false;
		rq->changes.n++;
	}
	return true;
}

/* The view and the paths. */
static bool find_rows(struct request *rq, const struct invocation *in, struct err *e)
{
	if (in->command->bit == CMD_PRINT) {
		rq->paths = in->args + 1;
		rq->n_paths = in->n_args - 1;
		return find_view(rq, in, e);
	}
	rq->a = analysis_find("whatif");
	rq->paths = in->args;
	rq->n_paths = in->n_args;
	if (!in->opt.changes.n)
		return err_set(e, ERR_USAGE, _("whatif needs a change, as in: --change 'scale class:GEMM 0.5'"));
	return in->n_args || err_set(e, ERR_USAGE, _("a path is missing: a profile file, or a folder that holds some"));
}

static bool parse_request(struct request *rq, const struct invocation *in, struct err *e)
{
	const struct options *o = &in->opt;

	*rq = (struct request){ .sort_col = -1, .limit = (uint32_t)(o->limit > UINT32_MAX ? UINT32_MAX : o->limit) };
	if (!find_rows(rq, in, e) || !scope_from_options(&rq->scope, o, e) || !parse_changes(rq, o, e))
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

/* ---- rows by chunks ---- */

struct printing {
	const struct request *rq;
	struct out *out;
	uint64_t rows;		/* that matched so far */
	bool look;		/* at the rows; else they are written */
	bool several;		/* chunks */
};

static void take_rows(void *arg, struct table *t)
{
	struct printing *pr = arg;
	const struct request *rq = pr->rq;
	struct table_view v;

	if (!pr->out)
		pr->out = out_begin(stdout, rq->format, t);
	pr->several = true;
	table_view_make(&v, t, -1, false, rq->filter, 0);
	if (rq->limit && pr->rows + v.n > rq->limit)
		v.n = (uint32_t)(rq->limit - pr->rows);
	pr->rows += v.n;
	if (pr->look)
		out_look(pr->out, t, &v);
	else
		out_rows(pr->out, t, &v);
	table_view_fini(&v);
}

static void note_part(struct table *t, const struct opened *op)
{
	if (op->part[0])
		table_note(t, _("only a part of the files was loaded: %s"), op->part);
}

/*
 * Rows of a view with a row per event go out as they are made. Where the layout depends on all of them and they are more than a chunk, they are
 * made twice.
 */
static bool print_chunks(const struct request *rq, const struct opened *op, const struct an_ctx *cx, struct err *e)
{
	struct printing pr = { .rq = rq, .look = out_needs_look(rq->format) };
	struct table *t = analysis_chunks(rq->a, cx, &rq->scope, take_rows, &pr, e);

	if (t && pr.look) {
		bool several = pr.several;

		take_rows(&pr, t);
		pr.look = false;
		pr.rows = 0;
		if (several) {
			table_free(t);
			t = analysis_chunks(rq->a, cx, &rq->scope, take_rows, &pr, e);
		}
	}
	if (!t)
		return false;
	take_rows(&pr, t);
	note_part(t, op);
	if (!out_end(pr.out, t, e)) {
		table_free(t);
		return false;
	}
	table_free(t);
	return true;
}

static bool print_table(const struct request *rq, const struct opened *op, const struct an_ctx *cx, struct err *e)
{
	struct table *t = analysis_table(rq->a, cx, &rq->scope, e);
	struct table_view v;
	bool ok;

	if (!t)
		return false;
	note_part(t, op);
	table_view_make(&v, t, rq->sort_col, rq->desc, rq->filter, rq->limit);
	ok = out_table(stdout, rq->format, t, &v, e);
	table_view_fini(&v);
	table_free(t);
	return ok;
}

static bool print_rows(const struct request *rq, const struct opened *op, struct err *e)
{
	struct an_ctx *cx = rq->a->bare ? an_ctx_bare(op->session, op->rules, NULL) :
		an_ctx_new(op->session, op->rules, NULL, NULL);
	bool ok;

	cx->changes = rq->changes.n ? &rq->changes : NULL;
	ok = rq->a->pages && rq->sort_col < 0 ? print_chunks(rq, op, cx, e) : print_table(rq, op, cx, e);
	an_ctx_free(cx);
	return ok;
}

static int load_and_print(struct request *rq, struct invocation *in)
{
	struct opened op;
	struct err e = ERR_INIT;
	int status = open_begin(&op, in, rq->paths, rq->n_paths, false);

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
	for (size_t i = 0; i < rq.changes.n; i++)
		change_fini(&rq.changes.a[i]);
	free(rq.changes.a);
	return status;
}

int cmd_whatif(struct invocation *in)
{
	return cmd_print(in);
}
