/*
 * table.h - the one result type of every analysis: typed columns, rows, missing cells, an optional parent per row (trees),
 * a drill-down reference per row, notes. The same table feeds pane, report, CSV, JSON and markdown.
 *
 * A table owns everything in it (an arena); it is written by one analysis and then read-only. Strings carry lengths and
 * may hold any bytes: whoever prints them escapes.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/work.h"

enum unit {
	UNIT_TEXT,	/* string; with COL_MIXED also i64 or f64 */
	UNIT_NS,	/* i64 duration, ns */
	UNIT_TIME,	/* i64 point in session time, ns */
	UNIT_BYTES,	/* i64 */
	UNIT_COUNT,	/* i64 */
	UNIT_ID,	/* i64, printed plain: pid, tid, device, step number */
	UNIT_RATIO,	/* f64 0..1 */
	UNIT_FACTOR,	/* f64, plain (ratio a/b) */
	UNIT_GBPS,	/* f64, GB/s = bytes/ns */
	UNIT_BOOL
};
const char *unit_name(enum unit u);	/* JSON "unit": "ns", "bytes", … ("" for text, id, bool) */

enum column_flag {
	COL_KEY = 1,		/* identifies the row: never dropped on narrow screens, left-aligned */
	COL_NAME = 2,		/* the wide text column: takes the remaining width, is shortened in the middle */
	COL_JSON_ONLY = 4,	/* not shown on screens and in text tables */
	COL_BAR = 8,		/* screens may draw it as a bar */
	COL_VERBATIM = 16,	/* the title is a word of the data: shown as it is, in every language */
	COL_MIXED = 32,		/* text of which a cell may be a number: rows of several kinds */
	COL_WORDS = 64		/* the texts of its cells are the program's, N_() marked: translated where people read them, else as they are */
};
struct column_def {
	const char *id;		/* machine name, the contract of cli.md */
	const char *title;	/* N_() marked, translated at display */
	enum unit unit;
	unsigned flags;
	uint8_t priority;	/* 0 = last to be dropped on a narrow screen, 9 = first */
	const char *doc;	/* one sentence for help and manual, N_() marked */
};

enum cell_type { CELL_MISSING, CELL_I64, CELL_F64, CELL_STR, CELL_BOOL };
struct cell {
	uint8_t type;		/* enum cell_type; MISSING prints as "–" and null */
	uint32_t len;		/* CELL_STR */
	union {
		int64_t i;
		double f;
		const char *s;
		bool b;
	} v;
};

/* What Enter on a row narrows the session to; the fields that are set depend on kind. */
enum ref_kind { REF_NONE, REF_STEP, REF_TIME, REF_DEVICE, REF_THREAD, REF_CLASS, REF_KERNEL, REF_OP, REF_RUNTIME, REF_FRAME, REF_EVENT,
	REF_SOURCE, REF_VIEW };
struct row_ref {
	uint8_t kind;		/* enum ref_kind */
	uint32_t source;	/* index in the session, UINT32_MAX none */
	int64_t a, b;		/* STEP: step index a · TIME: session ns [a, b) · DEVICE: a · THREAD: pid a, tid b · EVENT: ev_id a ·
				   CLASS: enum kclass a · KERNEL/OP/RUNTIME: name is a cell (column `name_col`) */
	uint16_t name_col;
};

#define ROW_NONE UINT32_MAX
struct table;
/* Takes the rows that a table has so far, which go when it returns. */
typedef void (*table_take_fn)(void *arg, struct table *t);
struct table {
	struct arena arena;
	const char *view;			/* "ops" */
	const struct column_def *cols;		/* static */
	uint32_t n_cols, n_rows, cap_rows;
	struct cell *cells;			/* n_rows x n_cols, row-major */
	struct row_ref *refs;			/* per row */
	uint32_t *parents;			/* per row, ROW_NONE at roots; NULL = not a tree. A parent stands before its children */
	char **notes;				/* remarks for the reader, English or translated by the analysis through _() */
	uint32_t n_notes, cap_notes;
	/* the window the figures refer to (print --format json, pane title) */
	const char *window_kind;		/* "all", "steady", "step:3", … (arena or static) */
	int64_t start_ns, end_ns, wall_ns;	/* session time; wall = measure, may be less than end - start */
	const char **sources;			/* paths used, arena */
	uint32_t n_sources;
	bool partial;				/* computed while loading */
	/* of a view with a row per event, see table_wants() */
	struct arena text;			/* of cells */
	uint64_t row_from, row_max, rows_seen;
	table_take_fn take;
	void *take_arg;
};

struct table *table_new(const char *view, const struct column_def *cols, uint32_t n_cols);
void table_free(struct table *t);
/* Adds a row of missing cells, returns its index. */
uint32_t table_row(struct table *t);
void table_set_parent(struct table *t, uint32_t row, uint32_t parent);	/* makes the table a tree */
void table_i64(struct table *t, uint32_t row, uint32_t col, int64_t v);	/* INT64_MIN stays missing */
void table_f64(struct table *t, uint32_t row, uint32_t col, double v);	/* NaN stays missing */
/*
 * A part by its whole, 0 to 1. Stays missing where it is no share: of nothing, of an unknown sum, or of less than the part (work of
 * several threads at once is more than the time in which they did it). Sums of rounded parts may end a hair above the whole.
 */
void table_share(struct table *t, uint32_t row, uint32_t col, double part, double whole);
void table_bool(struct table *t, uint32_t row, uint32_t col, bool v);
/* Copies n bytes into the table. s == NULL stays missing. */
void table_str(struct table *t, uint32_t row, uint32_t col, const char *s, size_t n);
void table_cstr(struct table *t, uint32_t row, uint32_t col, const char *s);
void table_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
void table_source(struct table *t, const char *path);

/*
 * Views with a row per event have more rows than a screen needs or memory should hold. They ask before each row, in order, whether it is
 * wanted: a page is rows [row_from, row_from + row_max), row_max 0 is all of them. They say when a row is done, and look at no row
 * again: who has set `take` before the view runs gets the rows by TABLE_CHUNK, and the last ones stay in the table.
 */
enum { TABLE_CHUNK = 8192 };
static inline bool table_wants(struct table *t)
{
	uint64_t i = t->rows_seen++;

	return i >= t->row_from && (!t->row_max || i - t->row_from < t->row_max);
}
void table_row_done(struct table *t);

static inline const struct cell *table_cell(const struct table *t, uint32_t row, uint32_t col)
{
	work_count(1);
	return &t->cells[(size_t)row * t->n_cols + col];
}
/* Column index by id, -1 unknown. */
int table_col(const struct table *t, const char *id);
/* The title as people read it. */
const char *column_title(const struct column_def *c);
/* <0, 0, >0; missing sorts last in both directions when desc is handled by the caller through table_view. */
int cell_cmp(const struct cell *a, const struct cell *b);

/*
 * A view = a permutation of rows after filter and sort. For trees, children stay below their parent and are sorted
 * among their siblings; a row that matches keeps its ancestors.
 */
struct table_view {
	uint32_t *rows;
	uint32_t n;
};
struct filter;
void table_view_make(struct table_view *v, const struct table *t, int sort_col /* -1 = as it is */, bool desc, const struct filter *f,
	uint32_t limit /* 0 = all */);
void table_view_fini(struct table_view *v);

#endif
