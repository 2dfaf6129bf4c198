/* app.c - life of the explorer: start, the loop over terminal, worker, provider and script, end. */
#include "ui/app/app_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "ui/screen/signals.h"

enum { TICK_MS = 100, FRAME_MS = 16, SCRIPT_LIMIT_MS = 120000 };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- start and end -------------------------------------------------------------------------------- */

static void open_panes(struct app *a)
{
	for (int i = 0; i < PANE_N; i++) {
		struct pane *p = &a->panes[i];

		p->ops = pane_registry[i];
		p->ui = &a->ctx;
		p->state = p->ops->state_size ? xcalloc(1, p->ops->state_size) : NULL;
		p->scope = a->o->scope;
		if (p->ops->open)
			p->ops->open(p);
	}
}

static bool configure(struct app *a, struct err *e)
{
	if (a->o->config)
		command_config(a, a->o->config);
	for (const char *const *s = a->o->settings; s && *s; s++)
		if (!settings_set(&a->set, *s, NULL, e))
			return false;
	app_apply_settings(a);
	return true;
}

bool app_init(struct app *a, const struct ui_opts *o, const struct work_ops *ops, struct err *e)
{
	int w, h;

	a->o = o;
	a->term = o->script ? &term_null : &term_curses;
	a->finding = -1;
	if (o->script && !(a->script = script_open(o->script, o->script_text, e)))
		return false;
	a->work = work_new(ops, o->rules);
	if (!a->work)
		return err_set(e, ERR_NOMEM, "%s", _("no thread for the worker"));
	work_set_before(a->work, o->before);
	work_set_fields(a->work, o->event_fields);
	if (!a->term->open(&(struct term_opts){ o->width, o->height }, e))
		return false;
	a->term->size(&w, &h);
	grid_init(&a->grid, w, h);
	keymap_init(&a->keymap);
	a->ctx.work = a->work;
	a->ctx.rules = o->rules;
	a->ctx.progress = &a->progress;
	a->ctx.keys = &a->keymap;
	a->ctx.log = &a->log;
	a->ctx.opts = o;
	a->ctx.set = &a->set;
	a->ctx.panes = a->panes;
	a->ctx.marks = a->marks;
	a->ctx.mark_set = &a->mark_set;
	a->run_line = command_run;
	a->prompt.complete = app_complete;
	a->prompt.complete_arg = a;
	place_init(&a->here, PANE_OVERVIEW, &o->scope);
	open_panes(a);
	if (o->session) {
		snprintf(a->session_path, sizeof(a->session_path), "%s", o->session);
		a->session_due = true;
	}
	if (!configure(a, e))
		return false;
	work_use_tables(a->work, &o->tables);	/* behind the settings: tables hold sentences in the alphabet that these choose */
	return true;
}

void app_fini(struct app *a)
{
	if (a->term)
		a->term->close();
	for (int i = 0; i < PANE_N; i++) {
		if (a->panes[i].ops && a->panes[i].ops->close)
			a->panes[i].ops->close(&a->panes[i]);
		free(a->panes[i].state);
	}
	work_free(a->work);
	needle_fini(&a->needle);
	grid_fini(&a->grid);
	script_free(a->script);
}

/* ---- one turn ------------------------------------------------------------------------------------- */

static void take_news(struct app *a)
{
	const struct ui_provider *pv = &a->o->provider;
	struct ui_progress was = a->progress;
	uint64_t gen = pv->poll ? pv->poll(pv->arg, &a->progress) : 0;
	struct session *s;

	if (memcmp(&was, &a->progress, sizeof(was)) != 0)
		a->dirty = true;
	/* also where all was read before anybody asked */
	if (!a->progress.loading && (was.loading || (gen && !a->loaded))) {
		app_log(a, _("loading done"));
		a->loaded = true;
	}
	if (!gen || gen == a->generation || !pv->take || !(s = pv->take(pv->arg)))
		return;
	a->generation = gen;
	work_put_session(a->work, s);
	a->dirty = true;
}

static void take_report(struct app *a)
{
	char text[256];
	enum report_state st = work_report_poll(a->work, text, sizeof(text));

	if (st == REPORT_RUNNING) {
		if (strcmp(text, a->status) != 0) {
			snprintf(a->status, sizeof(a->status), "%s", text);
			a->status_error = false;
			a->dirty = true;
		}
	} else if (st == REPORT_DONE) {
		app_say(a, "%s", text);
	} else if (st == REPORT_FAILED) {
		app_fail(a, _("no reports: %s"), text);
	}
}

/* Restores the saved session (--session) once all its files are loaded. */
static void resume_session(struct app *a)
{
	if (!a->session_due || a->progress.loading || !a->ctx.an || work_busy(a->work))
		return;
	a->session_due = false;
	session_file_read(a, a->o->session);
	a->dirty = true;
}

void app_turn(struct app *a)
{
	take_news(a);
	if (work_collect(a->work))
		a->dirty = true;
	take_report(a);
	a->ctx.session = work_session(a->work);
	a->ctx.an = work_ctx(a->work);
	a->ctx.partial = a->progress.loading || (a->ctx.session && a->ctx.session->loading);
	if (!a->dirty)
		return;
	a->dirty = false;
	app_want(a);
	app_input_waiting(a);
	a->dirty = false;
	app_draw(a);
	a->term->flush(&a->grid, a->redraw);
	a->redraw = false;
	resume_session(a);
}

bool app_idle(const struct app *a)
{
	return !a->dirty && !a->typed.n && !a->progress.loading && !work_busy(a->work) && !(a->session_due && a->ctx.an);
}

/* ---- the loop ------------------------------------------------------------------------------------- */

static void read_terminal(struct app *a)
{
	struct term_event ev;

	while (!a->quit && (ev = a->term->read()).key)
		app_input(a, &ev);
}

static void take_signals(struct app *a)
{
	struct signals_news news = signals_take();
	int w, h;

	if (news.end) {
		a->ended_by = news.end;
		a->exit_status = 128 + news.end;
		a->quit = true;
		return;
	}
	if (news.stop)
		a->term->suspend(false);
	else if (news.go_on)
		a->term->resume();
	if (!news.stop && !news.go_on && !news.size)
		return;
	a->term->size(&w, &h);
	app_resize(a, w, h);
}

static bool terminal_gone(const struct pollfd *fd)
{
	/* there may be input as well, which then ends at once and for ever */
	return fd->fd >= 0 && fd->revents & (POLLHUP | POLLERR | POLLNVAL);
}

static int provider_fd(const struct app *a)
{
	return a->o->provider.wake_fd ? a->o->provider.wake_fd(a->o->provider.arg) : -1;
}

static void wait_for_something(struct app *a, int timeout)
{
	struct pollfd fds[] = {
		{ a->term->fd(), POLLIN, 0 }, { signals_fd(), POLLIN, 0 },
		{ work_fd(a->work), POLLIN, 0 }, { provider_fd(a), POLLIN, 0 },
	};

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout) < 0 && errno != EINTR)
		a->quit = true;
	if (terminal_gone(&fds[0]))
		a->quit = true;
	take_signals(a);
}

static bool run_interactive(struct app *a)
{
	int64_t last = 0;

	while (!a->quit) {
		int64_t now = now_ms();
		bool waits = a->dirty && now - last < FRAME_MS;

		if (!waits) {
			last = a->dirty ? now : last;
			app_turn(a);
		}
		/* while something runs its progress is shown; else nothing moves, nothing wakes */
		if (a->dirty)
			wait_for_something(a, waits ? (int)(FRAME_MS - (now - last)) : 0);
		else
			wait_for_something(a, app_idle(a) ? -1 : TICK_MS);
		read_terminal(a);
	}
	return true;
}

static bool run_script(struct app *a, struct err *e)
{
	int64_t since = now_ms();

	app_turn(a);
	while (!a->quit && !script_done(a->script)) {
		take_signals(a);
		if (a->quit)
			break;
		if (app_idle(a)) {
			if (!command_next(a, a->script, e))
				return false;
			a->dirty = true;
			since = now_ms();
		} else {
			if (!a->dirty)
				wait_for_something(a, TICK_MS);
			if (now_ms() - since > SCRIPT_LIMIT_MS)
				return err_set(e, ERR_LIMIT, _("script: still busy with %s after %d s"), work_what(a->work), SCRIPT_LIMIT_MS / 1000);
		}
		app_turn(a);
	}
	return true;
}

static bool run(struct app *a, struct err *e)
{
	/* ^C came before its signal was ours */
	if (a->o->interrupted && atomic_load(a->o->interrupted)) {
		a->exit_status = 130;
		return true;
	}
	return a->script ? run_script(a, e) : run_interactive(a);
}

int ui_run(const struct ui_opts *o, int *ended_by, struct err *e)
{
	struct app *a = xcalloc(1, sizeof(*a));
	int status;

	signals_open(!o->script);
	if (!app_init(a, o, NULL, e))
		a->exit_status = 2;
	else if (!run(a, e))
		a->exit_status = 1;
	status = a->exit_status;
	*ended_by = a->ended_by;
	if (status == 130) {
		signals_end_soon(status);
		/* a second ^C that was typed meanwhile is not for the shell, which would get it as a letter */
		if (a->term)
			tcflush(a->term->fd(), TCIFLUSH);
	}
	app_fini(a);
	signals_close();
	free(a);
	return status;
}
