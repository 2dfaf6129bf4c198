/*
 * pane.h - a pane is a struct of functions over what the explorer shows it. Read this after provider.h.
 *
 * Each turn of the loop, for every visible pane: the app sets scope and focus, calls want() (which asks for tables and takes
 * over what is there), then draw() (reads its state, writes the canvas; it may keep what it drew to copy it the next time).
 * act() is called for the focused pane only and tells in an outcome what should happen; panes never change each other.
 */
#ifndef UI_WIDGETS_PANE_H
#define UI_WIDGETS_PANE_H

#include "base/sbuf.h"
#include "ui/screen/canvas.h"
#include "ui/screen/keymap.h"
#include "ui/screen/needle.h"
#include "ui/screen/settings.h"
#include "ui/work/work.h"

enum pane_id {
	PANE_OVERVIEW, PANE_TIMELINE, PANE_KERNELS, PANE_OPS, PANE_RUNTIME, PANE_PYTHON, PANE_TRANSFERS, PANE_BREAKDOWN,
	PANE_FINDINGS, PANE_SOURCES, PANE_DIFF, PANE_LOG, PANE_DETAIL, PANE_SETTINGS, PANE_HELP, PANE_N
};

/* Where someone is; what history, marks and drilling pass around. A plain value. */
struct place {
	enum pane_id pane;
	int sub;		/* which table of the pane, -1 keep */
	struct scope scope;
	uint32_t source;	/* of ev */
	ev_id ev;		/* event under the cursor, ID_NONE */
	int64_t t0, t1, cursor;	/* timeline window and cursor, session time; t0 == t1: as the scope says */
	uint32_t lane;		/* timeline, UINT32_MAX: that of ev */
	bool ranging;		/* timeline: with a range from `range` to cursor; once */
	int64_t range;
	int64_t idle_gpu;	/* timeline: go to its lane "idle", of `source` unless that is UINT32_MAX; once. SCOPE_ANY: no */
	uint64_t row_key;	/* table: row under the cursor, 0 none */
	char crumb[160];	/* what was entered on the way: "step 3 > GEMM" */
	bool jump;		/* reached by a digit, not by Enter */
};

struct log_line {
	char text[256];
};
enum { LOG_LINES = 200 };
struct ui_log {
	struct log_line v[LOG_LINES];
	unsigned n;		/* ever written; the last LOG_LINES are kept */
};

/* The read side of the app: what every pane may look at. */
struct ui_ctx {
	struct work *work;
	const struct session *session;	/* NULL before the first */
	const struct an_ctx *an;	/* NULL until facts are there */
	const struct rulebook *rules;
	const struct ui_progress *progress;
	const struct keymap *keys;
	const struct ui_log *log;
	const struct ui_opts *opts;
	struct place where;		/* of the main pane: what the strip and the status line show */
	const struct settings *set;
	const struct place *marks;	/* 26, of which a bit of *mark_set says whether it is set */
	const unsigned *mark_set;
	const struct pane *panes;	/* PANE_N of them */
	bool ascii, absolute, partial;
};

struct pane {
	const struct pane_ops *ops;
	const struct ui_ctx *ui;
	void *state;
	struct scope scope;	/* of this pane: that of the place, or narrowed by the selection of the main pane */
	bool focused;
	bool pending;		/* want() found something still being computed */
	bool unanswered;	/* want() found no answer yet, not even one of an earlier state of the session */
	char say[160];		/* set by want() and find(): for the status line, the app takes it */
	int page_rows;		/* rows of the body at the last draw */
	int cols, rows;		/* size of the body */
};

/* A line of source code, as a file names it. */
struct code_place {
	const char *path;	/* n bytes, borrowed */
	size_t n;
	int64_t line;		/* <= 0 unknown */
};

enum outcome_flag { OUT_HANDLED = 1, OUT_GO = 2, OUT_SCOPE = 4 /* same place, other scope */, OUT_ABSREL = 8, OUT_COMMAND = 16 };
struct outcome {
	unsigned flags;
	struct place to;	/* OUT_GO, OUT_SCOPE */
	char status[256];	/* what the key did, "" nothing to say */
	char command[64];	/* OUT_COMMAND: a line to run as if typed after ":" */
};

struct pane_ops {
	const char *id, *title;		/* title N_() marked */
	const char *tab;		/* shorter title for the line of tabs; NULL: the title */
	const char *help;		/* what the pane answers, N_() marked */
	unsigned where;			/* enum action_where without IN_ALL */
	unsigned (*where_now)(const struct pane *p);	/* those of the view that is shown, for the key bar; NULL: all */
	size_t state_size;
	enum pane_id follow[2];		/* what is shown beside it on wide screens */
	const void *arg;		/* of the pane type */
	void (*open)(struct pane *p);
	void (*close)(struct pane *p);
	void (*want)(struct pane *p);
	void (*draw)(const struct pane *p, const struct canvas *c);
	/* true when the action means something here, even if nothing moved (then status says why) */
	void (*act)(struct pane *p, enum action a, struct outcome *out);
	/* dir +1, -1 from the cursor on, 0 = from the cursor itself; false: no match */
	bool (*find)(struct pane *p, const struct needle *n, int dir);
	void (*highlight)(struct pane *p, const struct needle *n);	/* NULL clears */
	/* The row of `table` under the cursor, ROW_NONE; the event there, false: none. Both may be NULL. */
	uint32_t (*row)(const struct pane *p);
	bool (*event)(const struct pane *p, uint32_t *source, ev_id *ev);
	bool (*filter)(struct pane *p, const char *text, struct err *e);
	const char *(*filter_text)(const struct pane *p);
	bool (*sort)(struct pane *p, const char *column, struct err *e);	/* see wtable_sort */
	const char *(*sorted)(const struct pane *p, bool *desc);	/* id of the column, NULL: as the analysis has it */
	bool (*columns)(struct pane *p, const char *text, struct err *e);	/* see wtable_columns */
	/* Escape: true when there was something to clear */
	bool (*escape)(struct pane *p, struct outcome *out);
	void (*save)(const struct pane *p, struct place *pl);
	void (*restore)(struct pane *p, const struct place *pl);
	/* the scope that the selected row leads to; false: none */
	bool (*preview)(const struct pane *p, struct scope *sc);
	/* Where what is shown is no table: the row that the line under the cursor tells of. NULL: none. May be NULL itself. */
	const struct table *(*told)(const struct pane *p, uint32_t *row);
	void (*copy)(const struct pane *p, struct sbuf *b);		/* the row under the cursor as text */
	bool (*code)(const struct pane *p, struct code_place *at);	/* where the row under the cursor is written; false: unknown */
	/* What is shown, and (*v, may be NULL) which of its rows in which order; NULL: no table, or none yet. Borrowed. */
	const struct table *(*table)(const struct pane *p, const struct table_view **v);
	void (*click)(struct pane *p, int x, int y, struct outcome *out);
	const char *(*label)(const struct pane *p);			/* of the window or lane, for the breadcrumb; may be NULL */
};

extern const struct pane_ops *const pane_registry[PANE_N];
/* A pane of ui->panes by its id or its digit; PANE_N when unknown. */
enum pane_id pane_by_name(const struct ui_ctx *ui, const char *name, size_t n);

void place_init(struct place *pl, enum pane_id pane, const struct scope *sc);
/* Appends " > label" to the crumb; the label is cut. */
void place_crumb(struct place *pl, const char *label, size_t n);
void outcome_say(struct outcome *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
