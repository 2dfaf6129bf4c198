/*
 * sqlite.h - what sqlite.c (the file, its tables and strings), sqlite_rows.c (the
 * rows of a table) and sqlite_conn.c (connections) share. Nobody else knows SQLite.
 */
#ifndef LOAD_NSYS_SQLITE_H
#define LOAD_NSYS_SQLITE_H

#include <sqlite3.h>

#include "base/map.h"
#include "base/par.h"
#include "base/vec.h"
#include "load/nsys/db.h"

#define SQ_ROW_BYTES_MIN 3 /* a b-tree cell: pointer, size, rowid */

struct sq_batch;

/* A connection; one thread at a time. */
struct sq_reader {
	sqlite3 *sq;
	int64_t periods, periods_left; /* of the present statement: all, and not yet used */
	/* for the function nsys_row() of this connection, see sqlite_rows.c */
	struct sq_batch *out; /* NULL: takes note of the rowid alone */
	int64_t lo, hi;	      /* rowids that may come; lo grows with each row */
	int64_t rowid;	      /* of the last row */
	bool any, stopped;    /* whether there was one; there are more, behind it */
	const char *refused;  /* why the last row was not taken, NULL none */
};

struct sq_table {
	char *name;
	char **cols;
	size_t n_cols;
	int key; /* first column of the primary key, -1 none */
	bool cols_read;
};

struct sq_db {
	struct nsys_db base;
	char *path;
	struct sq_reader main; /* all but large tables */
	struct sq_reader
		*ahead[PAR_MAX]; /* connections of threads that read large tables, on demand */
	sqlite3_stmt *string;	 /* StringIds row of an id, or of a rowid where id has no index */
	bool string_tried, string_by_rowid;
	bool string_gaps;      /* the index below is not whole */
	struct map string_row; /* id -> index into string_rowids */
	VEC(int64_t) string_rowids;
	bool salvage;
	VEC(struct sq_table) tables;
};

/* The interface gives the first member; the struct begins there. */
static inline struct sq_db *sq_db_of(struct nsys_db *base)
{
	return (struct sq_db *)(void *)base;
}

/* ---- sqlite_conn.c ---- */

bool sq_reader_open(struct sq_db *db, struct sq_reader *r);
void sq_reader_close(struct sq_reader *r);
/* Frees sql (of sqlite3_mprintf, may be NULL). NULL if it cannot be prepared. */
sqlite3_stmt *sq_prepare(struct sq_reader *r, char *sql);
/* sqlite3_step() of a statement that may use its whole budget. */
int sq_step(struct sq_reader *r, sqlite3_stmt *st);
const char *sq_why(int rc);
struct sq_table *sq_find_table(struct sq_db *db, const char *name);
bool sq_has_column(struct sq_db *db, struct sq_table *t, const char *column);
void sq_lost(struct sq_db *db, enum nsys_loss_kind kind, const char *table, int64_t from,
	     int64_t to, const char *why);
/* A text as long as to lie in several pages, of which one was zeroed: SQLite does not see that. */
bool sq_zeroed_text(const char *p, size_t n);

/* ---- sqlite_rows.c ---- */

/* Makes nsys_row() known to a connection: after sq_reader_open(). */
bool sq_rows_init(struct sq_reader *r);
/* nsys_db_ops.scan */
struct nsys_scan *sq_scan(struct nsys_db *base, const char *table, const char *const *cols,
			  size_t n, const char *filter_col, int64_t filter, struct err *e);

#endif
