/*
 * work.h - long computations in background threads: two workers compute facts, analyses and large
 * sorts for the panes, a third thread writes reports. The UI thread asks again each frame for what
 * it shows; what is no longer asked for is dropped or cancelled. Results are immutable tables with a count of users, and belong to the UI thread once collected.
 *
 * Every function is for the UI thread.
 */
#ifndef UI_WORK_WORK_H
#define UI_WORK_WORK_H

#include "scope/analysis.h"
#include "ui/work/flame.h"
#include "ui/work/provider.h"

/* How work is done; the default uses the analyses, tests put their own. Called from the worker thread. */
struct work_ops {
	struct an_ctx *(*ctx_new)(const struct session *s, const struct rulebook *r, struct job *job, const struct an_ctx *reuse);
	void (*ctx_free)(struct an_ctx *cx);
	void (*lanes)(const struct an_ctx *cx);	/* what the timeline draws from (lanes.h), behind the facts; NULL: nothing */
	/* NULL with *e set on failure; cx->job carries the cancel flag */
	struct table *(*table)(const char *id, const struct an_ctx *cx, const struct scope *sc, struct err *e);
	/* of the id "@SOURCE:EVENT"; may be NULL, see ui_opts.event_fields */
	struct table *(*fields)(const struct an_ctx *cx, uint32_t source, ev_id ev, struct err *e);
};

struct result {
	char id[24];
	struct scope scope;
	uint64_t generation;	/* of the session that it was computed from */
	uint64_t serial;	/* different for every result */
	struct table *table;	/* NULL: failed, see err */
	struct err err;
	unsigned users;
	uint64_t used_frame;
};
struct result *result_ref(struct result *r);	/* r may be NULL */
void result_unref(struct result *r);

/* What a table widget needs to know of a table; made in the worker when the table is large. */
struct prep {
	struct table_view view;
	uint64_t *keys;		/* per row: a hash of its names and those of its ancestors, to find it again in a newer table */
	uint16_t *depth;	/* per row; NULL for flat tables */
	bool *parent;		/* per row: has children in the view; NULL for flat tables */
	struct flame *flame;	/* of trees of stacks, else NULL */
	int owner_col;		/* rank, process or source where rows of several are told apart by it only; -1 none */
	bool one_source, one_rank, one_process;	/* all rows have the same: not worth a column */
	uint64_t serial;	/* of the result, and the order that it was made with */
	int sort_col;
	bool desc;
	char filter[256];
	struct err err;		/* the filter is wrong: everything is shown */
};
/* table, sort, filter → struct prep; pure. The caller frees with prep_free. */
struct prep *prep_make(const struct table *t, uint64_t serial, int sort_col, bool desc, const char *filter);
void prep_free(struct prep *p);

struct work;
struct work *work_new(const struct work_ops *ops /* NULL: the analyses */, const struct rulebook *r);
/* Sets ops.fields, before anything is asked for. */
void work_set_fields(struct work *w, struct table *(*fields)(const struct an_ctx *cx, uint32_t source, ev_id ev, struct err *e));
void work_free(struct work *w);
/* The profile that the view `diff` compares with, the caller's; to be set before the first session. */
void work_set_before(struct work *w, const struct diff_side *before);
/* Tables that need not be computed, and where new ones are offered. Before the first session. */
void work_use_tables(struct work *w, const struct ui_tables *t);
int work_fd(const struct work *w);	/* readable when work_collect has something */
/* A new session (owned by work from now on). */
void work_put_session(struct work *w, struct session *s);
const struct session *work_session(const struct work *w);	/* NULL before the first */
const struct an_ctx *work_ctx(const struct work *w);		/* of that session; NULL until its facts are there */
/* Takes over what finished; true when something did. */
bool work_collect(struct work *w);
/* Between these two every result that is needed is asked for. */
void work_frame_begin(struct work *w);
void work_frame_end(struct work *w);
/*
 * The result for (id, scope): of the newest session, else of an older one while the new one is computed (*pending is then
 * true), else NULL. Borrowed until the next work_collect; use result_ref to keep it.
 */
struct result *work_want(struct work *w, const char *id, const struct scope *sc, bool *pending);
/*
 * The prep of a result: made at once when the table is small, else asked for. NULL while it is computed. Owned by the caller
 * when returned. `owner` tells requests of different widgets apart; a new request replaces the older one of the same owner.
 */
struct prep *work_prep(struct work *w, const void *owner, struct result *r, int sort_col, bool desc, const char *filter);
bool work_busy(const struct work *w);		/* something is asked for and not there yet */
const char *work_what(const struct work *w);	/* id of what is computed now, "" */
void work_cancel(struct work *w);		/* the running query; asked for again only after work_forget */
void work_forget(struct work *w);		/* every cached result; those of earlier sessions are not used any more: F5 */

enum report_state { REPORT_NONE, REPORT_RUNNING, REPORT_DONE, REPORT_FAILED };
/* Starts the writer; false when one is running or the facts are not there yet. */
bool work_report_start(struct work *w, const struct ui_report *rep, const struct scope *sc);
/* Text: progress, or what was written, or the error. DONE and FAILED are told once. */
enum report_state work_report_poll(struct work *w, char *text, size_t cap);
bool work_report_running(const struct work *w);
void work_report_cancel(struct work *w);

#endif
