/*
 * nsys_db.h - the thin layer over SQLite: open an untrusted database, list its tables, walk rows.
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

struct nsys_db;
struct nsys_scan;

/*
 * Opens read-only. NULL with *e set when the file cannot be opened or is no readable SQLite
 * database. A file that was cut short opens if its schema can be read; nsys_db_missing() then tells
 * how much is missing.
 */
struct nsys_db *nsys_db_open(const char *path, struct err *e);
void nsys_db_close(struct nsys_db *db);
int64_t nsys_db_size(const struct nsys_db *db); /* bytes on disk */
int64_t
nsys_db_missing(const struct nsys_db *db); /* bytes that the header promises and the file lacks */
bool nsys_db_busy(
	const struct nsys_db
		*db); /* a journal lies beside it: someone writes, or stopped while writing */

/* The real tables of the file, in its order. Names are borrowed from the database. */
size_t nsys_db_tables(const struct nsys_db *db);
const char *nsys_db_table(const struct nsys_db *db, size_t i);
/* Whether the table is there (column NULL), or has the column. Case-sensitive. */
bool nsys_db_has(struct nsys_db *db, const char *table, const char *column);
/*
 * Number of rows: exact where that is cheap, else the greatest rowid. 0 if there are none or it
 * cannot be told.
 */
int64_t nsys_db_rows(struct nsys_db *db, const char *table, bool exact);

/* The string of a StringIds id, borrowed until the next call; false if there is none. Any bytes. */
bool nsys_db_string(struct nsys_db *db, int64_t id, const char **s, size_t *n);

enum nsys_step {
	NSYS_ROW,
	NSYS_END,
	NSYS_DAMAGED
};
#define NSYS_COLS_MAX 24

/*
 * A walk over all rows of a table in file order; `cols` (at most NSYS_COLS_MAX) are numbered as in
 * the array. filter_col: only rows where that column is the integer `filter` (NULL: all rows).
 */
struct nsys_scan *nsys_scan_open(struct nsys_db *db, const char *table, const char *const *cols,
				 size_t n, const char *filter_col, int64_t filter, struct err *e);
void nsys_scan_close(struct nsys_scan *s);
/*
 * NSYS_DAMAGED ends the walk: the rows before it are good; nsys_scan_why() says what SQLite said.
 */
enum nsys_step nsys_scan_step(struct nsys_scan *s);
const char *nsys_scan_why(const struct nsys_scan *s);
int64_t nsys_scan_count(const struct nsys_scan *s); /* rows so far */
int64_t
nsys_scan_row(const struct nsys_scan *s); /* rowid of the present row, its number if it has none */
/* Cells that held something else than was asked for, and the row of the first. */
uint64_t nsys_scan_wrong(const struct nsys_scan *s, int64_t *first_row);

/*
 * The cell as an integer: false for NULL, an absent column, and (counted as wrong) any other type.
 */
bool nsys_int(struct nsys_scan *s, unsigned col, int64_t *v);
int64_t nsys_int_or(struct nsys_scan *s, unsigned col, int64_t otherwise);
/* The same for text (any bytes, borrowed until the next step). */
bool nsys_text(struct nsys_scan *s, unsigned col, const char **p, size_t *n);
bool nsys_is_text(struct nsys_scan *s, unsigned col);

#endif
