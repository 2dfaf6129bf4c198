/*
 * nsys_db.h - the tables of an Nsight Systems export, whatever it is stored in: list them, walk
 * their rows. Kinds: nsys_sqlite.c (an untrusted SQLite database), nsys_json.c (JSON lines).
 *
 * Nothing here knows what a table means. The file is never written, views, triggers and virtual
 * tables are never touched, and a column that a file lacks reads as NULL. One database belongs to
 * one thread.
 */
#ifndef LOAD_NSYS_DB_H
#define LOAD_NSYS_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct nsys_scan;
struct nsys_db;

enum nsys_step {
	NSYS_ROW,
	NSYS_END,
	NSYS_DAMAGED
};
#define NSYS_COLS_MAX 24

/* What a kind of export brings; see the functions below, which call these. */
struct nsys_scan_ops {
	void (*close)(struct nsys_scan *s);
	enum nsys_step (*step)(struct nsys_scan *s);
	bool (*integer)(struct nsys_scan *s, unsigned col, int64_t *v);
	bool (*text)(struct nsys_scan *s, unsigned col, const char **p, size_t *n);
	bool (*is_text)(struct nsys_scan *s, unsigned col);
	bool (*any)(struct nsys_scan *s, unsigned col, const char **p, size_t *n);
};
struct nsys_db_ops {
	void (*close)(struct nsys_db *db);
	size_t (*tables)(const struct nsys_db *db);
	const char *(*table)(const struct nsys_db *db, size_t i);
	bool (*has)(struct nsys_db *db, const char *table, const char *column);
	int64_t (*rows)(struct nsys_db *db, const char *table, bool exact);
	bool (*string)(struct nsys_db *db, int64_t id, const char **s, size_t *n);
	struct nsys_scan *(*scan)(struct nsys_db *db, const char *table, const char *const *cols,
				  size_t n, const char *filter_col, int64_t filter, struct err *e);
};

/* The first member of each kind's own struct. */
struct nsys_db {
	const struct nsys_db_ops *ops;
	int64_t size_bytes;    /* on disk */
	int64_t missing_bytes; /* that the header promises and the file lacks */
	bool busy; /* a journal lies beside it: someone writes, or stopped while writing */
};
struct nsys_scan {
	const struct nsys_scan_ops *ops;
	int64_t n;   /* rows so far */
	int64_t row; /* where the present row is: rowid, its number if it has none; byte offset */
	uint64_t wrong;
	int64_t wrong_row;   /* of the first */
	int64_t wrong_now;   /* the row (by number) of which these cells are counted already */
	uint64_t wrong_cells;
	const char *why;
};

/*
 * An SQLite export, read-only. NULL with *e set when the file cannot be opened or is no readable
 * database. A file that was cut short opens if its schema can be read; missing_bytes then tells how
 * much is missing.
 */
struct nsys_db *nsys_db_open(const char *path, struct err *e);
/* For tests that hold the two against each other: all rows come from the library. */
extern bool nsys_db_no_pages;

static inline void nsys_db_close(struct nsys_db *db) /* NULL is fine */
{
	if (db)
		db->ops->close(db);
}

/* The real tables of the file, in its order. Names are borrowed from the database. */
static inline size_t nsys_db_tables(const struct nsys_db *db)
{
	return db->ops->tables(db);
}

static inline const char *nsys_db_table(const struct nsys_db *db, size_t i)
{
	return db->ops->table(db, i);
}

/* Whether the table is there (column NULL), or has the column. Case-sensitive. */
static inline bool nsys_db_has(struct nsys_db *db, const char *table, const char *column)
{
	return db->ops->has(db, table, column);
}

/*
 * Number of rows: exact where that is cheap, else the greatest rowid. 0 if there are none or it
 * cannot be told.
 */
static inline int64_t nsys_db_rows(struct nsys_db *db, const char *table, bool exact)
{
	return db->ops->rows(db, table, exact);
}

/* The string of a StringIds id, borrowed until the next call; false if there is none. Any bytes. */
static inline bool nsys_db_string(struct nsys_db *db, int64_t id, const char **s, size_t *n)
{
	return db->ops->string(db, id, s, n);
}

/*
 * A walk over all rows of a table in file order; `cols` (at most NSYS_COLS_MAX) are numbered as in
 * the array. filter_col: only rows where that column is the integer `filter` (NULL: all rows).
 */
static inline struct nsys_scan *nsys_scan_open(struct nsys_db *db, const char *table,
					       const char *const *cols, size_t n,
					       const char *filter_col, int64_t filter,
					       struct err *e)
{
	return db->ops->scan(db, table, cols, n, filter_col, filter, e);
}

static inline void nsys_scan_close(struct nsys_scan *s) /* NULL is fine */
{
	if (s)
		s->ops->close(s);
}

/*
 * NSYS_DAMAGED ends the walk: the rows before it are good; nsys_scan_why() says what is wrong.
 */
static inline enum nsys_step nsys_scan_step(struct nsys_scan *s)
{
	return s->ops->step(s);
}

static inline const char *nsys_scan_why(const struct nsys_scan *s)
{
	return s->why ? s->why : "";
}

/* A cell held something else than was asked for. It may be looked at twice, but counts once. */
static inline bool nsys_scan_wrong(struct nsys_scan *s, unsigned col)
{
	if (s->wrong_now != s->n) {
		s->wrong_now = s->n;
		s->wrong_cells = 0;
	}
	if (s->wrong_cells >> col & 1)
		return false;
	s->wrong_cells |= UINT64_C(1) << col;
	if (!s->wrong++)
		s->wrong_row = s->row;
	return false;
}

/*
 * The cell as an integer: false for NULL, an absent column, and (counted as wrong) any other type.
 */
static inline bool nsys_int(struct nsys_scan *s, unsigned col, int64_t *v)
{
	return s->ops->integer(s, col, v);
}

static inline int64_t nsys_int_or(struct nsys_scan *s, unsigned col, int64_t otherwise)
{
	int64_t v;

	return nsys_int(s, col, &v) ? v : otherwise;
}

/* The same for text (any bytes, borrowed until the next step). */
static inline bool nsys_text(struct nsys_scan *s, unsigned col, const char **p, size_t *n)
{
	return s->ops->text(s, col, p, n);
}

/* Whether the cell holds text rather than a number. */
static inline bool nsys_is_text(struct nsys_scan *s, unsigned col)
{
	return s->ops->is_text(s, col);
}

/* The cell as text whatever it holds (borrowed until the next step); false for NULL and an absent column. */
static inline bool nsys_any(struct nsys_scan *s, unsigned col, const char **p, size_t *n)
{
	return s->ops->any(s, col, p, n);
}

#endif
