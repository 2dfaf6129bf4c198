/*
 * db.h - the tables of an Nsight Systems export, whatever it is stored in: list them, walk
 * their rows. Kinds: sqlite.c (an untrusted SQLite database), nsys/json.c (JSON lines).
 *
 * Nothing here knows what a table means. The file is never written, views, triggers and virtual
 * tables are never touched, and a column that a file lacks reads as NULL. One database belongs to
 * one thread.
 *
 * Damage does not fail: what can be read is given, what cannot is listed in `losses`.
 */
#ifndef LOAD_NSYS_DB_H
#define LOAD_NSYS_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct nsys_scan;
struct nsys_db;

enum nsys_step {
	NSYS_ROW,
	NSYS_END
};
enum nsys_found {
	NSYS_STRING,
	NSYS_NO_STRING,
	NSYS_UNREADABLE
};
enum nsys_type { /* of a cell */
	NSYS_NULL,
	NSYS_INTEGER,
	NSYS_REAL,
	NSYS_TEXT,
	NSYS_BLOB
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
	/* NULL: step by step */
	bool (*each)(struct nsys_scan *s, unsigned workers,
		     bool (*row)(void *arg, struct nsys_scan *s), void *arg);
};
struct nsys_db_ops {
	void (*close)(struct nsys_db *db);
	size_t (*tables)(const struct nsys_db *db);
	const char *(*table)(const struct nsys_db *db, size_t i);
	bool (*has)(struct nsys_db *db, const char *table, const char *column);
	int64_t (*rows)(struct nsys_db *db, const char *table, bool exact);
	enum nsys_found (*string)(struct nsys_db *db, int64_t id, const char **s, size_t *n);
	struct nsys_scan *(*scan)(struct nsys_db *db, const char *table, const char *const *cols,
				  size_t n, const char *filter_col, int64_t filter, struct err *e);
};

enum nsys_loss_kind {
	NSYS_LOST_ROWS,	 /* from .. to cannot be read; rows may lie there */
	NSYS_LOST_TABLE, /* nothing of it can be read, or not what it consists of */
	NSYS_LOST_TEXT,	 /* of row `from`: a part of it was zeroed */
	NSYS_LOST_STRING, /* of StringIds: id `from` */
	NSYS_LOSS_N
};
struct nsys_loss {
	enum nsys_loss_kind kind;
	const char *table; /* of the database */
	int64_t from, to;  /* rowids; INT64_MIN, INT64_MAX: the beginning, the end of the table */
	const char *why;   /* static */
};
#define NSYS_LOSSES_MAX 4096 /* that are kept one by one; all are counted */

/* The first member of each kind's own struct. */
struct nsys_db {
	const struct nsys_db_ops *ops;
	int64_t size_bytes;    /* on disk */
	int64_t missing_bytes; /* that the header promises and the file lacks */
	bool busy; /* a journal lies beside it: someone writes, or stopped while writing */
	VEC(struct nsys_loss) losses;
	uint64_t lost[NSYS_LOSS_N];
};
struct nsys_scan {
	const struct nsys_scan_ops *ops;
	/* Of the present row, by column; NULL: ask ops. Integers are values, else it is for ops. */
	const uint8_t *type;
	const int64_t *value;
	int64_t n;   /* rows so far */
	int64_t row; /* where the present row is: rowid, its number if it has none; byte offset */
	uint64_t wrong;
	int64_t wrong_row;   /* of the first */
	int64_t wrong_now;   /* the row (by number) of which these cells are counted already */
	uint64_t wrong_cells;
};

/*
 * An SQLite export, read-only. NULL with *e set when the file cannot be opened or is no readable
 * database. A file that was cut short opens if its schema can be read; missing_bytes then tells how
 * much is missing.
 */
struct nsys_db *nsys_db_open(const char *path, struct err *e);
/* Rowids that one thread reads at once, at most as many as at first. For tests of small tables. */
extern unsigned nsys_db_piece_rows;

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
 * Number of rows: exact where that is cheap, else the greatest rowid. Of a damaged table, of the
 * rows that can be read.
 */
static inline int64_t nsys_db_rows(struct nsys_db *db, const char *table, bool exact)
{
	return db->ops->rows(db, table, exact);
}

/* The string of a StringIds id, borrowed until the next call. Any bytes. */
static inline enum nsys_found nsys_db_string(struct nsys_db *db, int64_t id, const char **s,
					     size_t *n)
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

/* What cannot be read is passed over, and is among the losses of the database. */
static inline enum nsys_step nsys_scan_step(struct nsys_scan *s)
{
	return s->ops->step(s);
}

/*
 * Calls row() for each row of a scan that was not stepped yet, in the order of the walk and one at
 * a time, though not always on the calling thread: up to `workers` threads read ahead. False when
 * row() returned false, which ends it. The database may be used by row(), not by other threads.
 */
static inline bool nsys_scan_each(struct nsys_scan *s, unsigned workers,
				  bool (*row)(void *arg, struct nsys_scan *s), void *arg)
{
	if (s->ops->each)
		return s->ops->each(s, workers, row, arg);
	while (nsys_scan_step(s) == NSYS_ROW)
		if (!row(arg, s))
			return false;
	return true;
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
	if (s->type && s->type[col] == NSYS_INTEGER) {
		*v = s->value[col];
		return true;
	}
	return (!s->type || s->type[col]) && s->ops->integer(s, col, v);
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
	return s->type ? s->type[col] == NSYS_TEXT : s->ops->is_text(s, col);
}

/* The cell as text whatever it holds (borrowed until the next step); false for NULL and an absent column. */
static inline bool nsys_any(struct nsys_scan *s, unsigned col, const char **p, size_t *n)
{
	return (!s->type || s->type[col]) && s->ops->any(s, col, p, n);
}

#endif
