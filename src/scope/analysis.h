/*
 * analysis.h - a view: a pure function of (session, scope) to a table. One struct per analysis, one name in the list of all
 * (views.h).
 */
#ifndef SCOPE_ANALYSIS_H
#define SCOPE_ANALYSIS_H

#include "base/err.h"
#include "base/job.h"
#include "model/session.h"
#include "scope/scope.h"
#include "table/table.h"

struct lazy;
struct facts;		/* derived facts of the sources: roles, steps, phases, classes; see facts.h */
struct rules;		/* about names, see rules.h */
struct finding_rules;	/* see finding.h */
struct diff_side;	/* the profile that the view `diff` compares with; see diff.h */
struct changes;		/* what `--change` says, for the views that replay the run; see replay/change.h */
struct analysis;

/* What a context is made of besides its session: the program's, outlives the context. */
struct an_parts {
	const struct rules *rules;
	const struct finding_rules *findings;
	const struct analysis *const *views;	/* NULL-terminated: what context_view() looks in */
};

/* What analyses share; made once per session generation, then read-only. */
struct an_ctx {
	const struct session *session;
	const struct rules *rules;
	const struct finding_rules *findings;
	const struct analysis *const *views;
	struct facts **facts;		/* per source, NULL where the source has no profile; all NULL in a bare context */
	struct job *job;		/* cancel; may be NULL */
	const struct diff_side *before;	/* NULL none; the caller's, outlives the context */
	const struct changes *changes;	/* the same */
	struct lazy *memo;		/* results that several views ask for, made by who defines them (finding.h); NULL in a bare context */
	const struct an_ctx *origin;	/* itself; in a copy with another job: the context copied, which outlives it */
};

struct analysis {
	const char *id, *title, *doc;	/* title and doc N_() marked */
	const struct column_def *cols;
	uint32_t n_cols;
	bool pages;	/* a row per event, told by table_wants() and table_row_done() */
	bool bare;	/* reads the session alone and no facts: may run in a bare context */
	/* Fills an empty table made of cols. Without data: no rows, a note that says why, and true. False: cancelled, or a usage error (no such step). */
	bool (*run)(const struct an_ctx *cx, const struct scope *sc, struct table *out, struct err *e);
};

/* table_new + run; NULL with *e set. The caller owns the table. */
struct table *analysis_table(const struct analysis *a, const struct an_ctx *cx, const struct scope *sc, struct err *e);
/* The same for a view of pages; take(arg, table) gets the rows in chunks, and those that remain are in the result. */
struct table *analysis_chunks(const struct analysis *a, const struct an_ctx *cx, const struct scope *sc, table_take_fn take, void *arg,
	struct err *e);

/* Computes the facts of every source (again: only of those whose profile changed). The session must outlive the context. */
struct an_ctx *context_new(const struct session *s, const struct an_parts *of, struct job *job, const struct an_ctx *reuse);
/* A context without facts, made at once, for analyses that are `bare` alone. */
struct an_ctx *context_bare(const struct session *s, const struct an_parts *of, struct job *job);
void an_ctx_free(struct an_ctx *cx);
/* Another view by its id, for analyses that take figures from it; it must be there. */
const struct analysis *context_view(const struct an_ctx *cx, const char *id);

#endif
