/*
 * cmd_open.c - profdive PATH...: the explorer, which gets its sessions from the loader while that works; without a terminal
 * the summary as text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/cmd_report.h"
#include "report/out.h"
#include "report/report.h"
#include "ui/app.h"

/* ---- the provider of sessions: called by the explorer's thread only ---------------------------- */

static uint64_t provider_poll(void *arg, struct ui_progress *pr)
{
	struct opened *op = arg;
	struct load_progress lp = { 0 };

	if (op->loader) {
		session_loader_poll(op->loader, op->session);
		session_loader_progress(op->loader, &lp);
	}
	*pr = (struct ui_progress){
		.loading = lp.loading, .done = lp.done, .total = lp.total, .events = lp.events, .stage = lp.stage,
	};
	if (lp.path) {
		size_t n = strlen(lp.path), cut = n < sizeof(pr->path) ? 0 : n - sizeof(pr->path) + 1;

		memcpy(pr->path, lp.path + cut, n - cut + 1);
	}
	return op->session->generation;
}

static struct session *provider_take(void *arg)
{
	return session_clone(((struct opened *)arg)->session);
}

static void provider_cancel(void *arg)
{
	struct opened *op = arg;

	if (op->loader)
		session_loader_cancel(op->loader);
}

/* ---- R ----------------------------------------------------------------------------------------- */

static bool reports_exist(void *arg, char *path, size_t cap)
{
	const struct invocation *in = arg;
	const char *dir = report_dir(&in->opt);
	char *first = xasprintf("%s/01_training_overview.md", dir);
	struct stat st;
	bool there = stat(first, &st) == 0;

	snprintf(path, cap, "%s", dir);
	free(first);
	return there;
}

static void report_progress(void *arg, const char *file, int done, int total)
{
	struct job *job = arg;

	(void)file;
	if (!job)
		return;
	atomic_store(&job->done, (uint64_t)done);
	atomic_store(&job->total, (uint64_t)total);
	job_stage(job, N_("writing"));
}

static bool reports_write(void *arg, const struct an_ctx *cx, const struct scope *sc, char *done_text, size_t cap, struct err *e)
{
	const struct invocation *in = arg;
	const char *dir = report_dir(&in->opt);
	char **files = NULL;
	bool ok = report_write(cx, sc, dir, NULL, report_progress, cx->job, &files, e);

	if (ok)
		snprintf(done_text, cap, _("%d reports in %s"), REPORT_FILES, dir);
	report_free_files(files);
	return ok;
}

/* ---- the explorer ------------------------------------------------------------------------------ */

static bool parse_screen(struct ui_opts *u, const char *text, struct err *e)
{
	char rest;

	if (!text)
		return true;
	if (sscanf(text, "%4dx%4d%c", &u->width, &u->height, &rest) == 2 && u->width > 0 && u->height > 0)
		return true;
	return err_set(e, ERR_USAGE, _("--screen takes WIDTHxHEIGHT such as 80x24, not \"%s\""), text);
}

/* --color, then NO_COLOR. */
static enum ui_color color_of(const struct options *o)
{
	static const struct {
		const char *name;
		enum ui_color color;
	} names[] = {
		{ "auto", UI_COLOR_AUTO }, { "always", UI_COLOR_ALWAYS }, { "never", UI_COLOR_NEVER },
		{ "16", UI_COLOR_16 }, { "256", UI_COLOR_256 },
	};
	const char *no = getenv("NO_COLOR");

	for (size_t i = 0; o->color && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, o->color) == 0)
			return names[i].color;
	return no && *no ? UI_COLOR_NEVER : UI_COLOR_AUTO;
}

static char *title_of(const struct invocation *in)
{
	if (in->n_args == 1)
		return xstrdup(in->args[0]);
	return xasprintf(_("%s and %zu more"), in->args[0], in->n_args - 1);
}

static int explore(struct invocation *in, struct opened *op, struct ui_opts *u)
{
	struct err e = ERR_INIT;
	char *title = title_of(in);
	int status;

	u->provider = (struct ui_provider){
		.arg = op, .wake_fd = session_loader_fd(op->loader), .poll = provider_poll, .take = provider_take,
		.cancel = provider_cancel,
	};
	u->report = (struct ui_report){ .arg = in, .exists = reports_exist, .write = reports_write };
	u->rules = op->rules;
	u->title = title;
	status = ui_run(u, &e);
	if (status && e.code && e.code != ERR_CANCELLED)
		msg_err(u->script, &e, NULL);
	else if (!status)
		status = open_wait(op);
	free(title);
	return status;
}

/* ---- without a terminal ------------------------------------------------------------------------ */

static bool print_view(const struct an_ctx *cx, const struct scope *sc, const char *id, struct err *e)
{
	const struct analysis *a = analysis_find(id);
	struct table *t = a ? analysis_table(a, cx, sc, e) : NULL;
	bool ok = !a;

	if (t) {
		printf("%s\n", _(a->title));
		ok = out_table(stdout, OUT_TABLE, t, NULL, e);
		printf("\n");
		table_free(t);
	}
	return ok;
}

static bool summarise(const struct opened *op, const struct scope *sc, struct err *e)
{
	static const char *const views[] = { "sources", "steps", "gpu" };
	struct an_ctx *cx = an_ctx_new(op->session, op->rules, NULL, NULL);
	bool ok = true;

	if (analysis_find("overview"))
		ok = print_view(cx, sc, "overview", e);
	else
		for (size_t i = 0; ok && i < sizeof(views) / sizeof(views[0]); i++)
			ok = print_view(cx, sc, views[i], e);
	an_ctx_free(cx);
	return ok;
}

static int print_summary(struct opened *op, const struct scope *sc)
{
	struct err e = ERR_INIT;
	int status = open_wait(op);

	if (status <= EXIT_DAMAGED && !summarise(op, sc, &e))
		status = msg_fail(NULL, &e);
	return status;
}

int cmd_open(struct invocation *in)
{
	struct ui_opts u = { .ascii = in->opt.ascii, .mouse = in->opt.mouse, .lang = in->opt.lang, .script = in->opt.script, .out = stdout,
		.color = color_of(&in->opt) };
	bool screen = in->opt.script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
	struct err e = ERR_INIT;
	struct opened op;
	int status;

	if (!in->n_args) {
		err_set(&e, ERR_USAGE, _("a path is missing: a profile file, or a folder that holds some"));
		return msg_fail(NULL, &e);
	}
	if (!scope_from_options(&u.scope, &in->opt, &e) || !parse_screen(&u, in->opt.screen, &e))
		return msg_fail(NULL, &e);
	status = open_begin(&op, in, in->args, in->n_args, screen);
	if (status == EXIT_DONE)
		status = screen ? explore(in, &op, &u) : print_summary(&op, &u.scope);
	op.leave = screen && !in->opt.script;	/* who quits does not want to wait */
	open_end(&op);
	return status;
}
