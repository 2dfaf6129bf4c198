/*
 * trial.h - a generated folder, loaded as one session, with the generator's answers beside it: what the comparisons of this
 * folder work on. Views are tables, as panes and reports get them.
 */
#ifndef TESTS_TRUTH_TRIAL_H
#define TESTS_TRUTH_TRIAL_H

#include "scope/analysis.h"
#include "tests/corpus/jtree.h"
#include "tests/corpus/sheet.h"

#define TRIAL_NONE UINT32_MAX

struct trial {
	struct session *session;
	struct rulebook *rules;
	struct an_ctx *cx;
	struct job job;
	struct jtree *dom;
	const struct jval *truth;		/* root of truth.json */
	uint32_t nsys, torch, sampler;		/* index of the source, TRIAL_NONE if the folder has none */
	/* the steady window by the truth, as numbers of steps and as session time: what WINDOW_STEPS and WINDOW_TIME stand for here */
	int64_t step_a, step_b;
	ns_t start_ns, end_ns;
	unsigned differ;			/* comparisons that failed */
};

/* Loads every profile of the folder, the facts of its *config.json and its truth.json. trial_close() in either case. */
bool trial_open(struct trial *t, const char *dir, struct err *e);
void trial_close(struct trial *t);

/* A view of one source; NULL and a comment on stdout if it failed. partition of breakdown, else "". table_free() it. */
struct table *trial_view(const struct trial *t, const char *view, uint32_t source, enum window_kind w, enum by_dim by,
	const char *partition);

/* Says "agree WHAT" or "differ WHAT" and counts. Returns `agrees`. */
bool trial_verdict(struct trial *t, bool agrees, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* True if equal, else a comment. */
bool trial_equal(const char *what, int64_t got, int64_t want);

/* ---- rows as sheets ---- */

/* "ours" or "ours=theirs" where the two sides name a column differently. */
struct spec {
	const char *keys[4];		/* columns that make the key, joined by a blank and a bar */
	const char *cols[SHEET_VALUES];	/* columns of the values */
	ns_t shift;			/* session time of the truth's time 0: added to its start_ns and end_ns */
};
void sheet_of_table(struct sheet *s, const struct table *t, const struct spec *sp);
/* Members of an object (their names are the first key) or elements of an array. */
void sheet_of_truth(struct sheet *s, const struct jval *rows, const struct spec *sp);
/* Packs and compares both, frees both, says the verdict. */
bool trial_sheets(struct trial *t, const char *what, struct sheet *got, struct sheet *want);

/* The same of a view and rows of the truth. */
bool trial_view_sheets(struct trial *t, const char *what, const char *view, uint32_t source, enum window_kind w,
	const struct jval *truth, const struct spec *sp);

/* Value of a cell of an integer or boolean column; SHEET_UNKNOWN if missing. */
int64_t cell_int(const struct table *t, uint32_t row, const char *col);
/* Whether a text cell holds exactly this. */
bool cell_is(const struct table *t, uint32_t row, const char *col, const char *text);
/* Sum of a column over the rows whose `key` cell is `is` (NULL: all). */
int64_t column_sum(const struct table *t, const char *col, const char *key, const char *is);

#endif
