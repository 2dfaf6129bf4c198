/*
 * provider.h - what the explorer is handed: where sessions come from, who writes reports, which tables are there already, and how to begin.
 *
 * ui never loads and never writes reports. The provider may work in threads of its own; the explorer calls it from one thread only,
 * except report.write (see there).
 */
#ifndef UI_WORK_PROVIDER_H
#define UI_WORK_PROVIDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/session.h"
#include "scope/analysis.h"
#include "scope/scope.h"

struct rulebook;

/* What is being read at this moment; every member may be unknown (0 or empty). */
struct ui_progress {
	bool loading;			/* some source is not final yet */
	uint64_t done, total;		/* bytes or rows of the present stage */
	uint64_t events;
	const char *stage;		/* static: "reading", … */
	char path[256];			/* the file at hand, unescaped; cut at the front if need be */
};

enum ui_reload { RELOAD_SAME, RELOAD_BEGUN, RELOAD_FAILED };

/* Where sessions come from. */
struct ui_provider {
	void *arg;
	/* Readable when there is something new; poll() drains it. NULL, or -1: the explorer asks every 100 ms. */
	int (*wake_fd)(void *arg);
	/* Never blocks for long. Returns the generation of the newest session (0: nothing yet) and fills *pr. */
	uint64_t (*poll)(void *arg, struct ui_progress *pr);
	/* A session of its own for the explorer, made under the provider's lock (session_clone); the explorer frees it. */
	struct session *(*take)(void *arg);
	/* Stop loading and keep what is there. */
	void (*cancel)(void *arg);
	/*
	 * Reads the files again if one of them changed, came or went; NULL: cannot. The session that poll() tells of stays until there
	 * is something of the new one.
	 */
	enum ui_reload (*reload)(void *arg);
	/* Sessions taken from now on have command lines with or without arguments; poll() tells of a newer one. NULL: cannot. */
	void (*show_args)(void *arg, bool on);
};

/* The writer of the six documents; write == NULL: R says that there is none. */
struct ui_report {
	void *arg;
	/*
	 * The place where the documents would go, into path, and whether files are there already (then the explorer asks).
	 * Called from the UI thread, may be NULL.
	 */
	bool (*exists)(void *arg, char *path, size_t cap);
	/*
	 * Runs on a worker thread while the explorer goes on. cx->job carries cancel and progress (done, total, stage); cx and
	 * its session stay alive and unchanged until it returns. Puts what to tell the user ("6 reports in ./profdive-report")
	 * into done_text. false with *e set on failure or cancel.
	 */
	bool (*write)(void *arg, const struct an_ctx *cx, const struct scope *sc, char *done_text, size_t cap, struct err *e);
};

/*
 * Tables that an earlier session with the same files has computed; find == NULL: there are none. All of it is called from the worker's
 * thread, and only for sessions that are loaded to the end.
 */
struct ui_tables {
	void *arg;
	/* A table of its own for the caller, exactly the one that the view would compute; NULL: not there. Fast: it may not look at events. */
	struct table *(*find)(void *arg, const struct session *s, const char *view, const struct scope *sc);
	/* Offers a table that took so long to compute; copies it. */
	void (*keep)(void *arg, const struct session *s, const char *view, const struct scope *sc, const struct table *t,
		int64_t took_ns);
};

struct ui_opts {
	struct ui_provider provider;
	struct ui_report report;
	struct ui_tables tables;
	const struct rulebook *rules;
	const struct diff_side *before;	/* what d compares with (compare/diff.h); NULL none */
	struct scope scope;		/* where to begin: scope_init() and --window, --device, … */
	const char *const *paths;	/* what was opened, for :w */
	size_t n_paths;
	bool write_args;		/* what is written may hold arguments of command lines: --show-args */
	const char *session;		/* a file of :w to go on from as soon as everything is read; NULL none */
	const char *title;		/* what was opened, as typed; escaped at output */
	const char *script;		/* key script; then no terminal is opened. NULL none */
	const char *script_text;	/* lines of a script that is in no file, with `script` as its name; NULL none */
	int width, height;		/* screen of a script (0 = 80x24) */
	FILE *out;			/* where `save-screen -` of a script writes; NULL: stdout is left alone */
	const char *const *settings;	/* of the command line, "NAME VALUE" (settings.h), NULL at the end; they win over config */
	/* Columns `field` and `value` of an event, from a worker thread; may read its file for long. NULL: there are none. */
	struct table *(*event_fields)(const struct an_ctx *cx, uint32_t source, ev_id ev, struct err *e);
	/* Writes a table in a format (FORMAT_* of settings.h but text); v as in out.h. NULL: w writes screens only. */
	bool (*write_table)(FILE *f, int format, const struct table *t, const struct table_view *v, struct err *e);
	const atomic_bool *interrupted;	/* set by a SIGINT before ui_run() takes them; NULL none */
	const char *config;		/* lines of `set` and `map`, read at the start; need not be there. NULL none */
};

#endif
