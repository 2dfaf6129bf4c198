/* app_impl.h - the state of the explorer; shared by app*.c, command.c and script.c only. All of it belongs to the UI thread. */
#ifndef UI_APP_APP_IMPL_H
#define UI_APP_APP_IMPL_H

#include "ui/app/app.h"
#include "ui/screen/settings.h"
#include "ui/screen/term.h"
#include "ui/widgets/layout.h"
#include "ui/widgets/pane.h"
#include "ui/widgets/prompt.h"

enum { HISTORY_MAX = 64, TYPED_MAX = 256 };
struct script;

/* Keys and clicks that wait for the table they are meant for, in the order in which they came. */
struct typeahead {
	struct term_event v[TYPED_MAX];
	unsigned n;
};

struct app {
	const struct ui_opts *o;
	const struct term_ops *term;
	struct work *work;
	struct grid grid;
	struct keymap keymap;
	struct settings set;
	struct ui_log log;
	struct ui_progress progress;
	struct ui_ctx ctx;
	uint64_t generation;		/* of the session that work has */

	struct pane panes[PANE_N];
	struct place here;		/* of the main pane */
	struct place back[HISTORY_MAX], fwd[HISTORY_MAX], marks[26], last;
	unsigned n_back, n_fwd, mark_set;
	bool have_last;

	struct screen_layout layout;
	enum pane_id shown[LAYOUT_PANES];	/* [0] is the main pane */
	int focus;				/* index into shown */
	bool maximised;
	enum pane_id help_for;

	struct typeahead typed;
	bool session_unanswered;	/* steps and findings are not there yet, not even earlier ones */
	struct prompt prompt;
	struct needle needle;
	char pending_mark;		/* 'm', '\'' or 'M' waits for a letter */
	ui_key measure_from;		/* the first letter of two, 0: none yet */
	unsigned count;			/* digits typed so far, :set counts */
	bool ask_report;		/* waits for y or n */
	char status[256];
	bool status_error;
	int finding;			/* index of the last finding gone to, -1 none */
	bool loaded;			/* the log says so */
	bool interrupted;		/* ^C just before */
	bool loading_stopped;		/* that ^C stopped the loading of files: a second one ends with 130 */
	bool args_shown, args_seen;	/* arguments of command lines are on the screen; were at some time */

	uint64_t noted;			/* a hash of the screen, see `note` */
	bool session_due;		/* o->session is still to be read */
	char session_path[512];		/* of :w */

	bool quit, redraw, dirty;
	int exit_status;
	int ended_by;			/* the signal, 0 none */
	struct script *script;
	/* Runs a line as if typed after ":" (command_run); here for keys, which commands stand above. */
	bool (*run_line)(struct app *a, const char *line, struct err *e);
};

/* app/state.c */
void app_log(struct app *a, const char *text);
void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));	/* status line and log */
void app_fail(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));	/* the same as an error */
struct pane *app_focused(struct app *a);
void app_resize(struct app *a, int w, int h);
void app_apply_settings(struct app *a);

/* app.c */
bool app_init(struct app *a, const struct ui_opts *o, const struct work_ops *ops, struct err *e);
void app_fini(struct app *a);
/* One turn: news from provider and worker, what the panes want, a frame if something changed. */
void app_turn(struct app *a);
bool app_idle(const struct app *a);	/* nothing loads, nothing is computed */

/* frame.c */
void app_want(struct app *a);
void app_draw(struct app *a);
enum pane_id app_tab_at(const struct app *a, int x);	/* the pane whose tab is in that column; PANE_N none */

/* history.c: places and history */
void app_go(struct app *a, const struct place *to);		/* remembers where we were */
void app_jump(struct app *a, enum pane_id id);			/* a digit */
void app_set_scope(struct app *a, const struct scope *sc);	/* same place, other scope */
bool app_back(struct app *a);
bool app_forward(struct app *a);
void app_mark(struct app *a, ui_key letter, bool set);
/* Selects the time from one mark of the timeline to another as a range there; '.' is its cursor. Says why when there is none. */
void app_measure(struct app *a, ui_key from, ui_key to);
void app_step(struct app *a, int dir);
void app_goto_step(struct app *a, int64_t number);
void app_finding(struct app *a, int dir);

/* go.c: to the launch, kernel, ... of the row under the cursor; says why where there is none. false with *e set: no such kind */
bool app_go_to(struct app *a, const char *kind, struct err *e);
const char *app_go_kind(unsigned k);	/* the k-th kind, NULL when there are no more */

/* typeahead.c */
/* A key or click of the terminal: acts at once, or waits while the focused pane has no table yet for what it was asked. */
void app_input(struct app *a, const struct term_event *ev);
/* Those that waited, as far as their tables are there. After app_want(). */
void app_input_waiting(struct app *a);

/* act.c */
void app_key(struct app *a, ui_key k);
enum action app_bound(const struct app *a, ui_key k);	/* what the key does in the focused pane; ACT_NONE */
void app_action(struct app *a, enum action act);
/* Does what a pane wants: another place, another scope, words in the status line; says so where there is no effect. */
void app_take_outcome(struct app *a, const struct pane *p, enum action act, const struct outcome *out);
void app_start_report(struct app *a);
void app_write(struct app *a, const char *path);	/* the pane into a new file, in the format of its suffix */
void app_search(struct app *a, const char *text);
void app_filter(struct app *a, const char *text);

/* mouse.c */
void app_mouse(struct app *a, const struct term_event *ev);

/* command.c */
/* Runs one ":" line. false with *e set when it is wrong or an expectation of a script fails. */
bool command_run(struct app *a, const char *line, struct err *e);
/* Runs the next line of a script. false with *e set, naming file and line. */
bool command_next(struct app *a, struct script *s, struct err *e);
/* The name of the k-th command that is no action; NULL when there are no more. */
const char *command_name(unsigned k);
/* Reads a configuration file; what is wrong in it is told, the rest counts. A file that is not there has nothing. */
void command_config(struct app *a, const char *path);

/* complete.c: see prompt.complete; arg is the app */
bool app_complete(void *arg, enum prompt_kind kind, const char *stem, unsigned k, char *out, size_t cap);

/* session_file.c */
bool session_file_write(struct app *a, const char *path, struct err *e);
void session_file_read(struct app *a, const char *path);

/* script.c */
struct script *script_open(const char *path, const char *text /* NULL: the file */, struct err *e);
void script_free(struct script *s);
bool script_done(const struct script *s);
const char *script_next(struct script *s);	/* the next line; not when script_done() */
bool script_wrap(const struct script *s, struct err *e);	/* Puts file and line before *e. false */

#endif
