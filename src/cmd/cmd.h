/*
 * cmd.h - the program around the libraries: commands, options, messages, exit statuses. The contract is the manual page.
 *
 * Exit status: 0 done · 1 done, but some input was damaged · 2 usage · 3 no input could be read · 4 out of memory or over
 * --max-mem · 5 diff --fail-on found a regression · 130 cancelled. stdout holds data only; messages go to stderr, one line
 * each, "profdive: PATH: what: where", with every byte that comes from outside escaped.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "load/read/part.h"
#include "model/session.h"
#include "reopen/cache.h"
#include "rules/rules.h"
#include "scope/analysis.h"
#include "session/session_load.h"

enum { EXIT_DONE = 0, EXIT_DAMAGED = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3, EXIT_MEMORY = 4, EXIT_REGRESSION = 5, EXIT_CANCELLED = 130 };

/* Bits of opt_def.commands. */
enum command_bit { CMD_OPEN = 1, CMD_REPORT = 2, CMD_PRINT = 4, CMD_DIFF = 8, CMD_RULES = 16, CMD_CACHE = 32, CMD_HELP = 64, CMD_SUMMARY = 128, CMD_WHATIF = 256 };

struct options {
	const char *from, *to, *steps;	/* of what is loaded */
	const char *window, *by, *source, *format, *sort, *filter, *thread, *partition, *lang, *color, *config, *session, *script, *screen, *log,
		*debug, *output, *fail_on;
	struct opt_list facts, rules, changes;
	int64_t limit, rank, device, jobs, max_mem;	/* I64_UNKNOWN where not given; limit, jobs: 0 */
	bool ascii, mouse, no_cache, show_args, recursive, html, force, csv_safe, help, version;
};
extern const struct opt_def option_table[];

struct invocation;
struct command {
	const char *name;		/* NULL ends the table */
	unsigned bit;
	const char *args, *doc;		/* doc is N_() marked */
	int (*run)(struct invocation *in);	/* exit status */
};
/* All commands; the first is the explorer, which has no word of its own. */
extern const struct command commands[];
const struct command *command_find(const struct command *all, const char *name);	/* NULL unknown */

struct invocation {
	const struct command *command, *all;	/* the one that runs; all there are */
	struct options opt;
	const char *const *args;	/* operands without the command's word */
	size_t n_args;
	int ended_by;			/* signal that ended the explorer, 0 none */
};

int cmd_open(struct invocation *in);
int cmd_report(struct invocation *in);
int cmd_print(struct invocation *in);
int cmd_whatif(struct invocation *in);
int cmd_diff(struct invocation *in);
int cmd_summary(struct invocation *in);
int cmd_rules(struct invocation *in);
int cmd_cache(struct invocation *in);
int cmd_help(struct invocation *in);
void help_command(const struct command *all, const struct command *c);
int help_version(void);
/* What the manual pages and the completions are made of; see cmd_tables.c. */
void help_tables(const struct command *all);

/* The fields of an event as they stand in its file (session/event_fields.h): field, value. NULL with *e set. */
struct table *event_fields_table(const struct an_ctx *cx, uint32_t source, ev_id ev, struct err *e);

/* ---- messages (messages.c) ---------------------------------------------------------------------- */

/* Opens --log; messages go there as well. */
bool msg_open_log(const char *path, struct err *e);
/* "profdive: PATH: what: where"; path NULL = none. where, NULL: "byte N" if e has an offset. */
void msg_err(const char *path, const struct err *e, const char *where);
/* One line, already complete but for "profdive: "; escaped here. */
void msg_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A line that may come from any thread. While it is held (the explorer has the terminal) the last one waits. */
void msg_warn(const char *text);
void msg_hold_warning(bool on);
/* Tells the error and returns its exit status; a usage error names the help. */
int msg_fail(const char *path, const struct err *e);
/* Flushes stdout; EXIT_DONE, or a message and EXIT_UNREADABLE if something could not be written. */
int msg_finish_output(int status);

/* ---- sessions from the command line (open_session.c) ---------------------------------------------- */

struct opened {
	struct session *session;
	struct session_loader *loader;	/* NULL once everything is loaded */
	struct rulebook *rules;
	struct reopen *reopen;		/* NULL: --no-cache */
	bool leave;			/* open_end() does not wait until the cache is written */
	bool damaged;			/* some input was lost: exit status 1 */
	bool debug;			/* --debug load: tell how loading went */
	bool show_args;			/* open_wait() gives the session arguments of command lines */
	bool snapshots;			/* as open_begin was told */
	struct file_stamp *stamps;	/* size and mtime of each file when loading began; see open_again() */
	size_t n_stamps;
	int64_t began_ns;
	struct load_part part_of;	/* what of the files is loaded */
	char part[128];			/* the same in words, "": all */
};
/* Set by ^C; loading then ends. The second ^C kills. */
extern atomic_bool interrupted;

/* The rules with those of --rules before them. NULL with *e set. */
struct rulebook *open_rules(const struct options *o, struct err *e);
/* Finds the files, reads facts and rules, begins to load. EXIT_DONE, else a message was given. */
int open_begin(struct opened *op, const struct invocation *in, const char *const *paths, size_t n, bool snapshots);
enum open_again { OPEN_SAME, OPEN_BEGUN, OPEN_FAILED };
/*
 * Where a file has changed, came or went since open_begin(): begins anew with an empty session, SAME and FAILED (none is left) leave
 * everything as it is. Says nothing: a screen is shown.
 */
enum open_again open_again(struct opened *op, const struct invocation *in);
bool open_loading(const struct opened *op);	/* some file is still being read */
/* Waits; tells what failed and what was damaged. EXIT_DONE, EXIT_DAMAGED, or worse (then there is nothing to show). */
int open_wait(struct opened *op);
/* The exit status of what is loaded by now, without a message. */
int open_status(const struct opened *op);
/* Ends loading, and unless `leave` is set waits until what was loaded is in the reopen cache; what is on stdout is flushed before. */
void open_end(struct opened *op);

/* Window, --by, --rank, --device, --thread, --partition: needs no session. */
bool scope_from_options(struct scope *sc, const struct options *o, struct err *e);
/* --source: part of a path, a format, or a number (from 1, as listed); ERR_USAGE where no or several fit, or none is of --rank. */
bool scope_set_source(struct scope *sc, const struct options *o, const struct session *s, struct err *e);

#endif
