/* cmd_report.c - profdive report PATH...: the six documents in a folder */
#include <stdio.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "cmd/cmd_report.h"
#include "report/report.h"

const char *report_dir(const struct options *o)
{
	return o->output ? o->output : "./profdive-report";
}

/* The paths are what the command has to say: one a line on stdout. */
static bool write_report(const struct invocation *in, const struct opened *op, const struct scope *sc, struct err *e)
{
	struct an_ctx *cx = an_ctx_new(op->session, op->rules, NULL, NULL);
	char **files = NULL;
	bool ok = report_write(cx, sc, report_dir(&in->opt), &(struct report_opts){.html = in->opt.html}, NULL, NULL, &files, e);

	for (char **f = files; ok && *f; f++)
		printf("%s\n", *f);
	report_free_files(files);
	an_ctx_free(cx);
	return ok;
}

void report_free_files(char **files)
{
	for (char **f = files; f && *f; f++)
		free(*f);
	free(files);
}

int cmd_report(struct invocation *in)
{
	struct opened op;
	struct scope sc;
	struct err e = ERR_INIT;
	int status;

	if (!in->n_args)
		err_set(&e, ERR_USAGE, _("report needs a path"));
	if (e.code || !scope_from_options(&sc, &in->opt, &e))
		return msg_fail(NULL, &e);
	status = open_begin(&op, in, in->args, in->n_args, false);
	if (status == EXIT_DONE)
		status = open_wait(&op);
	if (status <= EXIT_DAMAGED &&
	    (!scope_set_source(&sc, &in->opt, op.session, &e) || !write_report(in, &op, &sc, &e)))
		status = msg_fail(NULL, &e);
	open_end(&op);
	return status;
}
