/*
 * cmd_open.c - profdive PATH...: the explorer, which gets its sessions from the loader while that works; without a terminal
 * the summary as text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "cmd/cmd_open.h"
#include "cmd/cmd_report.h"
#include "cmd/stored_views.h"
#include "report/out.h"
#include "report/report.h"
#include "ui/screen/settings.h"

/* ---- the provider of sessions: called by the explorer's thread only ---------------------------- */

struct provided {
	struct opened *op;
	const struct invocation *in;
	bool show_args;
	uint64_t before;	/* generations of the sessions before the present one */
};

static uint64_t provider_poll(void *arg, struct ui_progress *pr)
{
	struct provided *pv = arg;
	struct opened *op = pv->op;
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
	return pv->before + op->session->generation;
}

static struct session *provider_take(void *arg)
{
	const struct provided *pv = arg;
	struct session *s = session_clone(pv->op->session);

	s->generation += pv->before;
	if (pv->show_args)
		session_show_args(s);
	return s;
}

static void provider_show_args(void *arg, bool on)
{
	struct provided *pv = arg;

	pv->show_args = on;
	pv->before += pv->op->session->generation > 0;	/* what was taken already is taken again */
}

static void provider_cancel(void *arg)
{
	const struct provided *pv = arg;

	if (pv->op->loader)
		session_loader_cancel(pv->op->loader);
}

static int provider_fd(void *arg)
{
	const struct provided *pv = arg;

	return pv->op->loader ? session_loader_fd(pv->op->loader) : -1;
}

static enum ui_reload provider_reload(void *arg)
{
	struct provided *pv = arg;
	uint64_t was = pv->op->session->generation;

	switch (open_again(pv->op, pv->in)) {
	case OPEN_SAME:
		return RELOAD_SAME;
	case OPEN_BEGUN:
		pv->before += was;
		return RELOAD_BEGUN;
	default:
		return RELOAD_FAILED;
	}
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

/* What the command line sets of the explorer's settings; NULL at the end. */
static char **settings_of(const struct options *o)
{
	char **set = xcalloc(5, sizeof(*set));
	size_t n = 0;

	if (o->color)
		set[n++] = xasprintf("colour %s", o->color);
	if (o->ascii)
		set[n++] = xstrdup("ascii on");
	if (o->mouse)
		set[n++] = xstrdup("mouse on");
	if (o->show_args)
		set[n++] = xstrdup("show-args on");
	return set;
}

static void free_settings(char **set)
{
	for (size_t i = 0; set[i]; i++)
		free(set[i]);
	free(set);
}

/* --config, else the user's own, which a script is not run with: it must do the same everywhere. */
static char *config_path(const struct options *o)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (o->config)
		return xstrdup(o->config);
	if (o->script || o->screen)
		return NULL;
	if (dir && *dir == '/')
		return xasprintf("%s/profdive/config", dir);
	return home && *home ? xasprintf("%s/.config/profdive/config", home) : NULL;
}

static bool write_table(FILE *f, int format, const struct table *t, const struct table_view *v, struct err *e)
{
	static const enum out_format formats[] = { [FORMAT_CSV] = OUT_CSV, [FORMAT_JSON] = OUT_JSON, [FORMAT_MD] = OUT_MD };

	return out_table(f, formats[format], t, v, e);
}

static char *title_of(const struct invocation *in, const struct opened *op)
{
	char *what = in->n_args == 1 ? xstrdup(in->args[0]) : xasprintf(_("%s and %zu more"), in->args[0], in->n_args - 1), *title;

	if (!op->part[0])
		return what;
	title = xasprintf(_("%s: only %s"), what, op->part);
	free(what);
	return title;
}

int explore(struct invocation *in, struct opened *op, struct ui_opts *u)
{
	struct err e = ERR_INIT;
	char *title = u->title ? xstrdup(u->title) : title_of(in, op), *config = config_path(&in->opt), **settings = settings_of(&in->opt);
	struct stored_views *kept = stored_views_new(op->reopen, in->opt.rules.n > 0 || u->before);
	struct provided pv = { .op = op, .in = in };
	int status;

	u->provider = (struct ui_provider){
		.arg = &pv, .wake_fd = provider_fd, .poll = provider_poll, .take = provider_take, .cancel = provider_cancel,
		.reload = provider_reload, .show_args = provider_show_args,
	};
	u->write_args = in->opt.show_args;
	u->tables = stored_views_ops(kept);
	u->report = (struct ui_report){ .arg = in, .exists = reports_exist, .write = reports_write };
	u->rules = op->rules;
	u->title = title;
	u->config = config;
	u->paths = in->args;
	u->n_paths = in->n_args;
	u->session = in->opt.session;
	u->settings = (const char *const *)settings;
	u->write_table = write_table;
	u->event_fields = event_fields_table;
	u->interrupted = &interrupted;
	msg_hold_warning(true);
	status = ui_run(u, &in->ended_by, &e);
	msg_hold_warning(false);
	/* who quits does not want to wait */
	op->leave = !u->script || status == EXIT_CANCELLED || in->ended_by;
	if (status && e.code && e.code != ERR_CANCELLED)
		msg_err(u->script, &e, NULL);
	else if (!status && !open_loading(op))		/* who leaves while a file is read does not wait for it */
		status = open_wait(op);
	free(title);
	stored_views_finish(kept);
	free(config);
	free_settings(settings);
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

/* The files of --session, then those of the command line. */
static bool add_session(struct invocation *in, char ***named, size_t *n, const char ***all, struct err *e)
{
	if (!in->opt.session)
		return true;
	if (!ui_session_paths(in->opt.session, named, n, e))
		return false;
	*all = xcalloc(*n + in->n_args, sizeof(**all));
	for (size_t i = 0; i < *n; i++)
		(*all)[i] = (*named)[i];
	for (size_t i = 0; i < in->n_args; i++)
		(*all)[*n + i] = in->args[i];
	in->args = *all;
	in->n_args += *n;
	return true;
}

/* Who names a configuration means it: it must be there. */
static bool check_config(const struct options *o, struct err *e)
{
	size_t n;
	char *text = o->config ? file_read_all(o->config, UI_FILE_MAX, &n, e) : NULL;

	free(text);
	if (!o->config || text)
		return true;
	e->code = ERR_USAGE;
	return err_wrap(e, "--config");
}

bool explore_options(struct ui_opts *u, const struct invocation *in, bool *screen, struct err *e)
{
	bool picture = in->opt.screen && !in->opt.script;	/* the first screen, once it is there */

	*screen = in->opt.script || picture || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
	u->script = picture ? "--screen" : in->opt.script;
	u->script_text = picture ? "save-screen -\n" : NULL;
	u->out = stdout;
	return scope_from_options(&u->scope, &in->opt, e) && parse_screen(u, in->opt.screen, e) && check_config(&in->opt, e);
}

static int open_paths(struct invocation *in)
{
	struct ui_opts u = { 0 };
	bool screen;
	struct err e = ERR_INIT;
	struct opened op;
	int status;

	if (!in->n_args) {
		err_set(&e, ERR_USAGE, _("a path is missing: a profile file, or a folder that holds some"));
		return msg_fail(NULL, &e);
	}
	if (!explore_options(&u, in, &screen, &e))
		return msg_fail(NULL, &e);
	status = open_begin(&op, in, in->args, in->n_args, screen);
	if (status == EXIT_DONE)
		status = screen ? explore(in, &op, &u) : print_summary(&op, &u.scope);
	open_end(&op);
	return status;
}

int cmd_open(struct invocation *in)
{
	struct err e = ERR_INIT;
	char **named = NULL;
	const char **all = NULL;
	size_t n = 0;
	int status = add_session(in, &named, &n, &all, &e) ? open_paths(in) : msg_fail(NULL, &e);

	while (n)
		free(named[--n]);
	free(named);
	free(all);
	return status;
}
