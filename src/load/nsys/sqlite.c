/*
 * sqlite.c - an untrusted SQLite database: the file, its tables and strings; see db.h.
 * The rows are read in sqlite_rows.c, connections are opened in sqlite_conn.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "load/nsys/file.h"
#include "load/nsys/sqlite.h"

#define TABLES_MAX     4096
#define EXACT_ROWS_MAX (1 << 20)

static const struct nsys_db_ops sqlite_ops;
static void db_close(struct nsys_db *base);

/* ---- opening ---- */

static bool list_tables(struct sq_db *db)
{
	static const char sql[] =
		"SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0";
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db->main.sq, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = SQLITE_ROW;
	while (rc == SQLITE_ROW && db->tables.n < TABLES_MAX &&
	       (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const void *name = sqlite3_column_text(st, 0);

		if (name)
			VEC_PUSH(&db->tables, (struct sq_table){.name = xstrdup(name)});
		else if (sqlite3_column_type(st, 0) != SQLITE_NULL)
			rc = SQLITE_NOMEM;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

static bool connect(struct sq_db *db)
{
	return sq_reader_open(db, &db->main) && sq_rows_init(&db->main) && list_tables(db);
}

static void disconnect(struct sq_db *db)
{
	for (size_t i = 0; i < db->tables.n; i++) {
		struct sq_table *t = &db->tables.a[i];

		for (size_t k = 0; k < t->n_cols; k++)
			free(t->cols[k]);
		free(t->cols);
		free(t->name);
	}
	VEC_FREE(&db->tables);
	VEC_FREE(&db->string_rowids);
	map_fini(&db->string_row);
	sqlite3_finalize(db->string);
	db->string = NULL;
	sq_reader_close(&db->main);
	for (unsigned i = 0; i < PAR_MAX; i++) {
		if (db->ahead[i])
			sq_reader_close(db->ahead[i]);
		free(db->ahead[i]);
		db->ahead[i] = NULL;
	}
}

static bool open_failed(const struct sq_db *db, const char *path, struct err *e)
{
	sqlite3 *sq = db->main.sq;
	int rc = sq ? sqlite3_errcode(sq) : SQLITE_NOMEM;
	const char *said = sq ? sqlite3_errmsg(sq) : "out of memory";

	if (db->base.missing_bytes > 0)
		return err_set(e, ERR_FORMAT,
			       _("a truncated SQLite database: %lld of %lld bytes are there"),
			       (long long)db->base.size_bytes,
			       (long long)(db->base.size_bytes + db->base.missing_bytes));
	if (db->base.busy)
		return err_set(
			e, ERR_IO,
			_("another program is writing this database, or stopped while writing: %s"),
			said);
	if (nsys_file_gzip(path))
		return err_set(e, ERR_FORMAT,
			       _("a compressed SQLite database: unpack it first (gunzip)"));
	if (rc == SQLITE_CANTOPEN || rc == SQLITE_IOERR || rc == SQLITE_PERM)
		return err_set(e, ERR_IO, "%s", said);
	return err_set(e, ERR_FORMAT, _("a damaged SQLite database: %s"), said);
}

struct nsys_db *nsys_db_open(const char *path, struct err *e)
{
	struct sq_db *db = xcalloc(1, sizeof(*db));
	bool done;

	db->base.ops = &sqlite_ops;
	db->base.size_bytes = nsys_file_bytes(path);
	if (db->base.size_bytes < 0) {
		err_sys(e, errno, _("cannot open"));
		free(db);
		return NULL;
	}
	if (!db->base.size_bytes) {
		err_set(e, ERR_FORMAT, _("the file is empty"));
		free(db);
		return NULL;
	}
	db->base.busy = nsys_file_journal(path);
	db->base.missing_bytes = nsys_file_promised(path) - db->base.size_bytes;
	if (db->base.missing_bytes < 0 || db->base.busy)
		db->base.missing_bytes = 0;
	db->path = xstrdup(path);
	done = connect(db);
	if (!done && db->base.missing_bytes > 0) {
		disconnect(db);
		db->salvage = true;
		done = connect(db);
	}
	if (done)
		return &db->base;
	open_failed(db, path, e);
	db_close(&db->base);
	return NULL;
}

static void db_close(struct nsys_db *base)
{
	struct sq_db *db = sq_db_of(base);

	disconnect(db);
	VEC_FREE(&db->base.losses);
	free(db->path);
	free(db);
}

/* ---- tables and columns ---- */

static size_t db_tables(const struct nsys_db *base)
{
	return ((const struct sq_db *)(const void *)base)->tables.n;
}

static const char *db_table(const struct nsys_db *base, size_t i)
{
	return ((const struct sq_db *)(const void *)base)->tables.a[i].name;
}

static bool db_has(struct nsys_db *base, const char *table, const char *column)
{
	struct sq_db *db = sq_db_of(base);
	struct sq_table *t = sq_find_table(db, table);

	return t && (!column || sq_has_column(db, t, column));
}

static int64_t max_rowid(struct sq_db *db, const char *table)
{
	sqlite3_stmt *st =
		sq_prepare(&db->main, sqlite3_mprintf("SELECT max(_rowid_) FROM \"%w\"", table));
	int64_t v = st && sq_step(&db->main, st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;

	sqlite3_finalize(st);
	return v;
}

/*
 * rowids are no counts where rows were deleted or written by hand; WITHOUT ROWID tables have none
 * (-1).
 */
static int64_t db_rows(struct nsys_db *base, const char *table, bool exact)
{
	struct sq_db *db = sq_db_of(base);
	int64_t n_max = db->base.size_bytes / SQ_ROW_BYTES_MIN, n = max_rowid(db, table);
	struct nsys_scan *s = NULL;

	if (n >= 0 && n <= n_max && (!exact || n > EXACT_ROWS_MAX))
		return n;
	/* count(*) would not notice a tree with circles */
	s = sq_scan(base, table, NULL, 0, NULL, 0, NULL);
	for (n = 0; s && nsys_scan_step(s) == NSYS_ROW;)
		n++;
	nsys_scan_close(s);
	return n;
}

/* ---- strings ---- */

/*
 * Exports declare id as the primary key; a copy made by a script may not, and a search would then
 * read all strings.
 */
static void index_strings(struct sq_db *db)
{
	static const char *const cols[] = {"id"};
	uint64_t lost = db->base.lost[NSYS_LOST_ROWS];
	struct nsys_scan *s = sq_scan(&db->base, "StringIds", cols, 1, NULL, 0, NULL);
	int64_t id;

	while (s && nsys_scan_step(s) == NSYS_ROW) {
		if (!nsys_int(s, 0, &id))
			continue;
		map_get_or_put(&db->string_row, (uint64_t)id, 0, (uint32_t)db->string_rowids.n);
		VEC_PUSH(&db->string_rowids, s->row);
	}
	db->string_gaps = !s || db->base.lost[NSYS_LOST_ROWS] > lost;
	nsys_scan_close(s);
}

static void prepare_string(struct sq_db *db)
{
	struct sq_table *t = sq_find_table(db, "StringIds");

	db->string_tried = true;
	if (!t || !sq_has_column(db, t, "id") || !sq_has_column(db, t, "value"))
		return;
	db->string_by_rowid = t->key < 0 || strcmp(t->cols[t->key], "id") != 0;
	if (db->string_by_rowid)
		index_strings(db);
	db->string =
		sq_prepare(&db->main, sqlite3_mprintf("SELECT value FROM StringIds WHERE %s = ?",
						      db->string_by_rowid ? "_rowid_" : "id"));
	if (!db->string)
		sq_lost(db, NSYS_LOST_TABLE, t->name, 0, 0, sq_why(sqlite3_errcode(db->main.sq)));
}

static enum nsys_found unreadable(struct sq_db *db, int64_t id, const char *why)
{
	sq_lost(db, NSYS_LOST_STRING, "StringIds", id, id, why);
	return NSYS_UNREADABLE;
}

/* What the statement has found. */
static enum nsys_found found_string(struct sq_db *db, int64_t id, const char **s, size_t *n)
{
	sqlite3_stmt *st = db->string;
	int type = sqlite3_column_type(st, 0);
	const void *p;

	if (type == SQLITE_NULL)
		return NSYS_NO_STRING;
	p = type == SQLITE_BLOB ? sqlite3_column_blob(st, 0)
				: (const void *)sqlite3_column_text(st, 0);
	*n = (size_t)sqlite3_column_bytes(st, 0);
	*s = p ? p : "";
	if (!p && (*n || type != SQLITE_BLOB))
		return unreadable(db, id, sq_why(SQLITE_NOMEM));
	if (type == SQLITE_TEXT && sq_zeroed_text(*s, *n))
		sq_lost(db, NSYS_LOST_TEXT, "StringIds", id, id, N_("zero bytes in a text"));
	return NSYS_STRING;
}

static enum nsys_found db_string(struct nsys_db *base, int64_t id, const char **s, size_t *n)
{
	struct sq_db *db = sq_db_of(base);
	int64_t key = id;
	int rc;

	if (!db->string_tried)
		prepare_string(db);
	if (!db->string)
		return NSYS_NO_STRING;
	if (db->string_by_rowid) {
		uint32_t at = map_find(&db->string_row, (uint64_t)id, 0);

		if (at == MAP_NONE && db->string_gaps)
			return unreadable(db, id, sq_why(SQLITE_CORRUPT));
		if (at == MAP_NONE)
			return NSYS_NO_STRING;
		key = db->string_rowids.a[at];
	}
	sqlite3_reset(db->string);
	sqlite3_bind_int64(db->string, 1, key);
	rc = sq_step(&db->main, db->string);
	if (rc == SQLITE_ROW)
		return found_string(db, id, s, n);
	return rc == SQLITE_DONE ? NSYS_NO_STRING : unreadable(db, id, sq_why(rc));
}

static const struct nsys_db_ops sqlite_ops = {
	.close = db_close,
	.tables = db_tables,
	.table = db_table,
	.has = db_has,
	.rows = db_rows,
	.string = db_string,
	.scan = sq_scan,
};
