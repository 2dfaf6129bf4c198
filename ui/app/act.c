/* act.c - keys and actions: which are the app's own, which go to the focused pane; every key without effect says so. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/outfile.h"
#include "ui/app/app_impl.h"
#include "ui/screen/editor.h"

enum { COUNT_MAX = 9999 };

/* ---- search and filter ------------------------------------------------------------------------------ */

/* What was found, and where the pane says so which of how many. */
static void say_found(struct app *a, struct pane *p)
{
	app_say(a, p->say[0] ? "/%s  %s" : "/%s", a->needle.text, p->say);
	p->say[0] = '\0';
}

void app_search(struct app *a, const char *text)
{
	struct pane *p = app_focused(a);

	if (!p->ops->find) {
		app_say(a, _("there is nothing to search in %s"), _(p->ops->title));
		return;
	}
	needle_set(&a->needle, text);
	if (p->ops->highlight)
		p->ops->highlight(p, a->needle.set ? &a->needle : NULL);
	if (!a->needle.set)
		app_say(a, "%s", _("search cleared"));
	else if (!p->ops->find(p, &a->needle, 0))
		app_fail(a, _("not found: %s"), text);
	else
		say_found(a, p);
}

static void next_match(struct app *a, int dir)
{
	struct pane *p = app_focused(a);

	if (!a->needle.set)
		app_say(a, "%s", _("nothing is searched for yet: /"));
	else if (!p->ops->find)
		app_say(a, _("there is nothing to search in %s"), _(p->ops->title));
	else if (!p->ops->find(p, &a->needle, dir))
		app_fail(a, _("not found: %s"), a->needle.text);
	else if (p->ops->highlight)
		p->ops->highlight(p, &a->needle);
	if (p->say[0])
		say_found(a, p);
}

void app_filter(struct app *a, const char *text)
{
	struct pane *p = app_focused(a);
	struct err e = ERR_INIT;

	if (!p->ops->filter)
		app_say(a, _("there is nothing to filter in %s"), _(p->ops->title));
	else if (!p->ops->filter(p, text, &e))
		app_fail(a, "%s", e.text);
	else
		app_say(a, "%s", *text ? _("filter set; & and Enter clears it") : _("filter cleared"));
}

/* ---- actions of the app ------------------------------------------------------------------------------ */

static void act_quit(struct app *a)
{
	a->quit = true;
}

static void act_back(struct app *a)
{
	if (a->maximised)
		a->maximised = false;
	else if (!app_back(a))
		a->quit = true;
}

static void stop_loading(struct app *a)
{
	if (a->o->provider.cancel)
		a->o->provider.cancel(a->o->provider.arg);
	app_say(a, "%s", _("loading is being stopped; what is read so far stays"));
}

/* One thing at a time, from the inside out; never quits. */
static void act_escape(struct app *a)
{
	struct pane *p = app_focused(a);
	struct outcome out = { .to = a->here };
	if (work_report_running(a->work)) {
		work_report_cancel(a->work);
		app_say(a, "%s", _("the reports are being stopped"));
	} else if (a->progress.loading) {
		stop_loading(a);
	} else if (a->needle.set) {
		app_search(a, "");
	} else if (p->ops->escape && p->ops->escape(p, &out)) {
		app_say(a, "%s", out.status);
	} else if (a->maximised) {
		a->maximised = false;
	} else if (!app_back(a)) {
		app_say(a, "%s", _("nothing to leave; q or Q quits"));
	}
}

static void act_cancel(struct app *a)
{
	/* nothing that could be kept: it is meant for the program as a whole */
	bool nothing_yet = !a->ctx.an && !(a->progress.loading && a->progress.events);

	if (a->interrupted || nothing_yet) {
		a->quit = true;
		a->exit_status = a->progress.loading || nothing_yet || a->loading_stopped ? 130 : 0;
		return;
	}
	a->interrupted = true;
	a->loading_stopped = a->progress.loading;
	if (work_report_running(a->work)) {
		work_report_cancel(a->work);
		app_say(a, "%s", _("the reports are being stopped; ^C again quits"));
	} else if (a->progress.loading) {
		stop_loading(a);
	} else if (work_busy(a->work)) {
		work_cancel(a->work);
		app_say(a, "%s", _("query cancelled, F5 computes it; ^C again quits"));
	} else {
		app_say(a, "%s", _("nothing runs; ^C again quits"));
	}
}

static void act_help(struct app *a)
{
	struct place to = a->here;

	if (a->here.pane == PANE_HELP) {
		app_back(a);
		return;
	}
	to.pane = PANE_HELP;
	to.sub = (int)a->shown[a->focus];
	app_go(a, &to);
}

static void act_detail(struct app *a)
{
	struct place to = a->here;

	if (a->here.pane == PANE_DETAIL) {
		app_back(a);
		return;
	}
	to.pane = PANE_DETAIL;
	to.sub = (int)a->shown[a->focus];
	app_go(a, &to);
}

static void act_settings(struct app *a)
{
	if (a->here.pane == PANE_SETTINGS)
		app_back(a);
	else
		app_jump(a, PANE_SETTINGS);
}

static void cycle_focus(struct app *a, int dir)
{
	int n = a->layout.n_panes;
	int id = (int)a->here.pane;

	if (n > 1) {
		a->focus = (a->focus + dir + n) % n;
		return;
	}
	/* one pane on the screen: the next one in the row of tabs */
	if (id > PANE_FINDINGS)
		id = dir > 0 ? PANE_FINDINGS : PANE_OVERVIEW;
	app_jump(a, (enum pane_id)((id + dir + PANE_FINDINGS + 1) % (PANE_FINDINGS + 1)));
}

static void act_next_pane(struct app *a)
{
	cycle_focus(a, 1);
}

static void act_prev_pane(struct app *a)
{
	cycle_focus(a, -1);
}

static void act_maximise(struct app *a)
{
	if (!a->maximised && a->layout.n_panes < 2) {
		app_say(a, "%s", _("this is the only pane on the screen"));
		return;
	}
	if (!a->maximised && a->focus)
		app_jump(a, a->shown[a->focus]);
	a->maximised = !a->maximised;
}

static void act_hist_back(struct app *a)
{
	if (!app_back(a))
		app_say(a, "%s", _("this is where it began"));
	else
		app_say(a, _("back in %s"), _(pane_registry[a->here.pane]->title));
}

static void act_hist_fwd(struct app *a)
{
	if (!app_forward(a))
		app_say(a, "%s", _("there is nothing forward"));
}

static void act_search(struct app *a)
{
	prompt_open(&a->prompt, PROMPT_SEARCH, "");
}

static void act_next_match(struct app *a)
{
	next_match(a, 1);
}

static void act_prev_match(struct app *a)
{
	next_match(a, -1);
}

static void act_filter(struct app *a)
{
	prompt_open(&a->prompt, PROMPT_FILTER, "");
}

static void act_sort_menu(struct app *a)
{
	if (app_focused(a)->ops->sort)
		prompt_open(&a->prompt, PROMPT_SORT, "");
	else
		app_say(a, _("there is nothing to sort in %s"), _(app_focused(a)->ops->title));
}

static void act_command(struct app *a)
{
	prompt_open(&a->prompt, PROMPT_COMMAND, "");
}

static void act_next_step(struct app *a)
{
	app_step(a, 1);
}

static void act_prev_step(struct app *a)
{
	app_step(a, -1);
}

static void act_next_finding(struct app *a)
{
	app_finding(a, 1);
}

static void act_prev_finding(struct app *a)
{
	app_finding(a, -1);
}

static void act_source(struct app *a)
{
	struct scope sc = a->here.scope;
	int32_t n = a->ctx.session ? (int32_t)a->ctx.session->n_sources : 0;

	if (n < 2) {
		app_say(a, "%s", _("only one file is open"));
		return;
	}
	sc.source = sc.source + 1 < n ? sc.source + 1 : -1;
	app_set_scope(a, &sc);
	if (sc.source < 0)
		app_say(a, "%s", _("each view chooses its file"));
	else
		app_say(a, _("file %d of %d: %s"), sc.source + 1, n, a->ctx.session->sources[sc.source].path);
}

static void act_window(struct app *a)
{
	struct scope sc = a->here.scope;

	sc.window = sc.window == WINDOW_STEADY ? WINDOW_ALL : WINDOW_STEADY;
	app_set_scope(a, &sc);
	app_say(a, "%s", sc.window == WINDOW_ALL ? _("the whole capture") : _("the steady steps"));
}

static void act_mark(struct app *a)
{
	a->pending_mark = 'm';
	app_say(a, "%s", _("mark: which letter?"));
}

static void act_goto_mark(struct app *a)
{
	a->pending_mark = '\'';
	app_say(a, "%s", _("go to mark: which letter? ' is the last place"));
}

static void act_measure(struct app *a)
{
	a->pending_mark = 'M';
	a->measure_from = 0;
	app_say(a, "%s", _("measure: from which mark? . is the cursor"));
}

static void act_diff(struct app *a)
{
	if (a->here.pane == PANE_DIFF)
		app_back(a);
	else if (a->o->before)
		app_jump(a, PANE_DIFF);
	else
		app_say(a, "%s", _("only one run is open: profdive diff BEFORE AFTER compares two"));
}

/* The row in the status line instead; what is between its cells there are blanks. */
static void say_copied(struct app *a, char *row)
{
	for (char *s = row; *s; s++)
		if (*s == '\t')
			*s = ' ';
	app_say(a, _("this terminal has no clipboard; the row: %.150s"), row);
}

static void act_copy(struct app *a)
{
	struct pane *p = app_focused(a);
	struct sbuf b = { NULL, 0, 0 };

	if (p->ops->copy)
		p->ops->copy(p, &b);
	if (!b.n)
		app_say(a, "%s", _("there is nothing to copy here"));
	else if (a->term->copy(b.s, b.n))
		app_say(a, "%s", _("copied to the terminal's clipboard"));
	else
		say_copied(a, b.s);
	sbuf_fini(&b);
}

static void act_edit(struct app *a)
{
	const struct pane *p = app_focused(a);
	const char *editor = getenv("VISUAL");
	struct err e = ERR_INIT;
	struct code_place at;
	char **argv;

	if (!p->ops->code || !p->ops->code(p, &at)) {
		app_say(a, "%s", _("no line of source code is known here"));
		return;
	}
	if (!editor || !*editor)
		editor = getenv("EDITOR");
	argv = editor_argv(editor, at.path, at.n, at.line, &e);
	if (!argv || !a->term->run(argv, &e))
		app_fail(a, "%s", e.text);
	editor_argv_free(argv);
	a->redraw = true;
}

static const char *const suffixes[] = { [FORMAT_CSV] = "csv", [FORMAT_JSON] = "json", [FORMAT_MD] = "md", [FORMAT_TEXT] = "txt" };
enum { N_FORMATS = sizeof(suffixes) / sizeof(suffixes[0]) };

/* The pane into a new file. false with *e set; e->sys is EEXIST where there is one already. */
static bool write_pane(struct app *a, const char *path, int format, struct err *e)
{
	const struct pane *p = app_focused(a);
	const struct table_view *v = NULL;
	const struct table *t = format != FORMAT_TEXT && p->ops->table ? p->ops->table(p, &v) : NULL;
	FILE *f;
	struct outset *set = outset_of(path, OUT_NEW, &f, e);
	bool done = true;

	if (!set)
		return false;
	if (t)
		done = a->o->write_table(f, format, t, v, e);
	else
		grid_dump_text(&a->grid, f);
	done = done && outset_commit(set, e);
	outset_free(set);
	return done;
}

/* A pane without a table, or without a writer for it, is written as it looks. false: its table is still being computed. */
static bool format_of(const struct app *a, const struct pane *p, int wanted, int *format)
{
	*format = p->ops->table && a->o->write_table ? wanted : FORMAT_TEXT;
	return *format == FORMAT_TEXT || (p->ops->table(p, NULL) && !p->pending);
}

/* What is written is passed on: arguments of command lines get there by --show-args alone, and not because they are on the screen. */
static bool may_write(struct app *a)
{
	if (!a->args_shown || a->o->write_args)
		return true;
	app_fail(a, "%s", _("arguments of command lines are shown: switch them off (A) before writing, or start with --show-args"));
	return false;
}

void app_write(struct app *a, const char *path)
{
	struct err e = ERR_INIT;
	const char *dot = strrchr(path, '.');
	int format = a->set.v[SET_FORMAT];

	for (int i = 0; dot && i < N_FORMATS; i++)
		if (!strcmp(dot + 1, suffixes[i]))
			format = i;
	if (!may_write(a))
		return;
	if (!format_of(a, app_focused(a), format, &format))
		app_say(a, "%s", _("still being computed"));
	else if (write_pane(a, path, format, &e))
		app_say(a, _("written to %s"), path);
	else
		app_fail(a, "%s", e.text);
}

/* Never over a file that is there: the first free number. */
static void act_write(struct app *a)
{
	const struct pane *p = app_focused(a);
	struct err e = ERR_INIT;
	char path[128];
	int format;

	if (!may_write(a))
		return;
	if (!format_of(a, p, a->set.v[SET_FORMAT], &format)) {
		app_say(a, "%s", _("still being computed"));
		return;
	}
	for (int i = 1; i < 1000; i++) {
		snprintf(path, sizeof(path), "profdive-%s-%d.%s", p->ops->id, i, suffixes[format]);
		e = (struct err)ERR_INIT;
		if (write_pane(a, path, format, &e)) {
			app_say(a, _("written to %s"), path);
			return;
		}
		if (e.sys != EEXIST)
			break;
	}
	app_fail(a, "%s", e.text);
}

void app_start_report(struct app *a)
{
	if (work_report_running(a->work))
		app_say(a, "%s", _("the reports are being written already"));
	else if (work_report_start(a->work, &a->o->report, &a->o->scope))
		app_say(a, "%s", _("writing reports …"));
	else
		app_fail(a, "%s", _("nothing is loaded yet that could be reported"));
}

static void act_report(struct app *a)
{
	char path[160] = "";

	if (!may_write(a))
		return;
	if (!a->o->report.write) {
		app_fail(a, "%s", _("there is no report writer here"));
		return;
	}
	if (a->o->report.exists && a->o->report.exists(a->o->report.arg, path, sizeof(path))) {
		a->ask_report = true;
		app_say(a, _("%s has reports already: overwrite? y/n"), path);
		return;
	}
	app_start_report(a);
}

static void act_args(struct app *a)
{
	a->set.v[SET_ARGS] = !settings_on(&a->set, SET_ARGS);
	app_apply_settings(a);
	app_say(a, "%s", a->args_shown ? _("command lines with their arguments") : _("command lines without their arguments"));
}

static void act_reload(struct app *a)
{
	const struct ui_provider *pv = &a->o->provider;
	enum ui_reload r = pv->reload ? pv->reload(pv->arg) : RELOAD_SAME;

	if (r == RELOAD_FAILED)
		app_fail(a, "%s", _("the files cannot be read any more; what is shown is what was read"));
	else if (r == RELOAD_BEGUN)
		app_say(a, "%s", _("files have changed: reading them again"));
	else
		app_say(a, "%s", _("no file has changed; computed again"));
	if (r != RELOAD_BEGUN)
		work_forget(a->work);
}

static void act_redraw(struct app *a)
{
	a->redraw = true;
}

static void act_suspend(struct app *a)
{
	int w, h;

	a->term->suspend(true);
	a->term->size(&w, &h);
	app_resize(a, w, h);
}

typedef void (*act_fn)(struct app *a);
static const act_fn app_actions[ACT_N] = {
	[ACT_BACK] = act_back, [ACT_QUIT] = act_quit, [ACT_ESCAPE] = act_escape, [ACT_CANCEL] = act_cancel, [ACT_HELP] = act_help,
	[ACT_SETTINGS] = act_settings, [ACT_DETAIL] = act_detail, [ACT_NEXT_PANE] = act_next_pane, [ACT_PREV_PANE] = act_prev_pane,
	[ACT_MAXIMISE] = act_maximise, [ACT_HIST_BACK] = act_hist_back, [ACT_HIST_FWD] = act_hist_fwd, [ACT_SEARCH] = act_search,
	[ACT_NEXT_MATCH] = act_next_match, [ACT_PREV_MATCH] = act_prev_match, [ACT_FILTER] = act_filter,
	[ACT_SORT_MENU] = act_sort_menu, [ACT_COMMAND] = act_command, [ACT_NEXT_STEP] = act_next_step,
	[ACT_PREV_STEP] = act_prev_step, [ACT_NEXT_FINDING] = act_next_finding, [ACT_PREV_FINDING] = act_prev_finding,
	[ACT_SOURCE] = act_source, [ACT_WINDOW] = act_window, [ACT_MARK] = act_mark, [ACT_GOTO_MARK] = act_goto_mark,
	[ACT_MEASURE] = act_measure, [ACT_DIFF] = act_diff, [ACT_ARGS] = act_args, [ACT_COPY] = act_copy, [ACT_EDIT] = act_edit,
	[ACT_WRITE] = act_write, [ACT_REPORT] = act_report, [ACT_RELOAD] = act_reload, [ACT_REDRAW] = act_redraw,
	[ACT_SUSPEND] = act_suspend,
};

/* ---- dispatch ------------------------------------------------------------------------------------------ */

static enum pane_id pane_of(enum action act)
{
	if (act >= ACT_PANE_1 && act <= ACT_PANE_9)
		return (enum pane_id)(PANE_OVERVIEW + (act - ACT_PANE_1));
	return act == ACT_PANE_SOURCES ? PANE_SOURCES : act == ACT_PANE_LOG ? PANE_LOG : PANE_N;
}

void app_take_outcome(struct app *a, const struct pane *p, enum action act, const struct outcome *out)
{
	if (!(out->flags & OUT_HANDLED)) {
		app_say(a, _("%s: no effect in %s"), action_get(act)->name, _(p->ops->title));
		return;
	}
	if (out->flags & OUT_GO)
		app_go(a, &out->to);
	else if (out->flags & OUT_SCOPE)
		app_set_scope(a, &out->to.scope);
	if (out->flags & OUT_COMMAND) {
		struct err e = ERR_INIT;

		if (!a->run_line(a, out->command, &e))
			app_fail(a, "%s", e.text);
	}
	if (out->flags & OUT_ABSREL) {
		a->ctx.absolute = !a->ctx.absolute;
		app_say(a, "%s", a->ctx.absolute ? _("times count from the session's zero") : _("times count from the left edge"));
	}
	if (out->status[0])
		app_say(a, "%s", out->status);
}

void app_action(struct app *a, enum action act)
{
	struct pane *p = app_focused(a);
	struct outcome out = { .to = a->here };

	if (act != ACT_CANCEL)
		a->interrupted = false;
	if (pane_of(act) != PANE_N) {
		app_jump(a, pane_of(act));
		return;
	}
	if (app_actions[act]) {
		app_actions[act](a);
		return;
	}
	out.to.scope = p->scope;
	if (p->ops->act)
		p->ops->act(p, act, &out);
	app_take_outcome(a, p, act, &out);
}

static void accept_prompt(struct app *a)
{
	enum prompt_kind kind = a->prompt.kind;
	struct pane *p = app_focused(a);
	struct err e = ERR_INIT;
	char text[PROMPT_BYTES];

	snprintf(text, sizeof(text), "%s", a->prompt.text);
	a->prompt.kind = PROMPT_NONE;
	switch (kind) {
	case PROMPT_COMMAND:
		if (!a->run_line(a, text, &e))
			app_fail(a, "%s", e.text);
		break;
	case PROMPT_SEARCH:
		app_search(a, text);
		break;
	case PROMPT_FILTER:
		app_filter(a, text);
		break;
	case PROMPT_SORT:
		if (p->ops->sort && !p->ops->sort(p, text, &e))
			app_fail(a, "%s", e.text);
		break;
	case PROMPT_NONE:
	case PROMPT_KINDS:
		break;
	}
}

static void answer(struct app *a, ui_key k)
{
	a->ask_report = false;
	if (k == 'y' || k == 'Y')
		app_start_report(a);
	else
		app_say(a, "%s", _("no reports written"));
}

static ui_key wasd(const struct app *a, ui_key k)
{
	if (!settings_on(&a->set, SET_WASD) || a->shown[a->focus] != PANE_TIMELINE)
		return k;
	return k == 'w' ? '+' : k == 's' ? '-' : k == 'a' ? 'h' : k == 'd' ? 'l' : k;
}

enum action app_bound(const struct app *a, ui_key k)
{
	return keymap_find(&a->keymap, wasd(a, k));
}

/* Moves that a count repeats. */
static bool repeats(enum action act)
{
	return (act >= ACT_LEFT && act <= ACT_RIGHT) || (act >= ACT_PAGE_UP && act <= ACT_PAN_RIGHT) ||
		(act >= ACT_NEXT_MATCH && act <= ACT_HASH) || (act >= ACT_ZOOM_IN && act <= ACT_NEXT_FINDING && act != ACT_ZOOM_ALL);
}

/* A digit of a count; false: it is no such. */
static bool take_digit(struct app *a, ui_key k)
{
	if (!settings_on(&a->set, SET_COUNTS) || k < '0' || k > '9' || (k == '0' && !a->count))
		return false;
	a->count = a->count * 10 + (k - '0');
	if (a->count > COUNT_MAX)
		a->count = COUNT_MAX;
	app_say(a, "%u", a->count);
	return true;
}

static void run_bound(struct app *a, enum action act)
{
	unsigned n = a->count && repeats(act) ? a->count : 1;

	a->count = 0;
	while (n-- > 0 && !a->quit)
		app_action(a, act);
}

/* A letter after m, ' or M. */
static void take_letter(struct app *a, ui_key k)
{
	char what = a->pending_mark;

	a->pending_mark = 0;
	if (what != 'M') {
		app_mark(a, k, what == 'm');
	} else if (!a->measure_from && k != KEY_ESC_) {
		a->pending_mark = 'M';
		a->measure_from = k;
		app_say(a, "%s", _("measure: to which mark? . is the cursor"));
	} else if (k != KEY_ESC_) {
		app_measure(a, a->measure_from, k);
	}
}

void app_key(struct app *a, ui_key k)
{
	enum action act;
	char name[16];

	a->dirty = true;
	if (a->prompt.kind != PROMPT_NONE) {
		enum prompt_result r = prompt_key(&a->prompt, k);

		if (r == PROMPT_ACCEPT)
			accept_prompt(a);
		else if (r == PROMPT_CANCEL)
			a->prompt.kind = PROMPT_NONE;
		return;
	}
	a->status[0] = '\0';
	a->status_error = false;
	if (a->ask_report) {
		answer(a, k);
	} else if (a->pending_mark) {
		take_letter(a, k);
	} else if (take_digit(a, k)) {
		return;
	} else if ((act = app_bound(a, k)) != ACT_NONE) {
		run_bound(a, act);
	} else if (k != UK_PASTE_BEGIN && k != UK_PASTE_END) {
		a->count = 0;
		app_say(a, _("%s is not bound; ? shows the keys"), keymap_key_name(k, name, sizeof(name)));
	}
}
