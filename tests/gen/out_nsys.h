/* Rows of an nsys export, for the writers of one. Every failure ends the program. */
#ifndef GEN_OUT_NSYS_H
#define GEN_OUT_NSYS_H

#include <sqlite3.h>

#include "gen.h"

#define NSYS_GID(tid) ((INT64_C(1) << 48) | ((int64_t)GEN_PID << 24) | (tid))

struct db {
	sqlite3 *h;
	const char *strings[512];
	int nstrings;
};

/* A database with all tables, and the rows that every run has; db_close() adds the strings. */
void db_open(struct db *db, const char *path);
void db_close(struct db *db);
void put_session(struct db *db, ns_t last); /* last: when the recording ended */

void db_check(struct db *db, int rc, const char *what);
/* INSERT of one row; shape: i = int64_t, s = text, n = NULL (takes no argument). */
sqlite3_stmt *db_prepare(struct db *db, const char *table, const char *shape);
void db_row(struct db *db, sqlite3_stmt *st, const char *shape, ...);
int64_t db_string(struct db *db, const char *s); /* s must outlive db */

#endif
