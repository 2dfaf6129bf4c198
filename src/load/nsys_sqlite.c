/*
 * nsys_sqlite.c - the only file that knows SQLite, see nsys_db.h.
 *
 * The settings follow https://www.sqlite.org/security.html for databases of unknown origin. No
 * mmap by the library: a file that is cut short while it is open would raise SIGBUS.
 *
 * Plain tables of sound files are read from their pages (nsys_pages.h). At the first row that is
 * not as usual the library begins at the first row and skips as many as were read: what it says of
 * the rest is what counts.
 */
#include <inttypes.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "load/nsys_db.h"
#include "load/nsys_file.h"
#include "load/nsys_pages.h"

#define TABLES_MAX	 4096
#define EXACT_ROWS_MAX	 (1 << 20)
#define STRING_BYTES_MAX (64 << 20)
#define ROW_BYTES_MIN	 3 /* a b-tree cell: pointer, size, rowid */
#define OPS_PERIOD	 1000000 /* steps of the virtual machine between two looks at the budget */

struct table {
	char *name;
	char **cols;
	size_t n_cols;
	int key; /* first column of the primary key, -1 none */
	bool cols_read;
};

struct sqlite_db {
	struct nsys_db base;
	sqlite3 *sq;
	sqlite3_stmt *string; /* StringIds row of an id, or of a rowid where id has no index */
	bool string_tried, string_by_rowid;
	struct map string_row; /* id -> index into string_rowids */
	VEC(int64_t) string_rowids;
	int64_t periods_left; /* of the present statement */
	bool salvage;
	VEC(struct table) tables;
	struct pages pages; /* map NULL: not that kind of file */
};

struct sqlite_scan {
	struct nsys_scan base;
	sqlite3_stmt *st;
	int cell[NSYS_COLS_MAX]; /* column of the statement, -1 absent */
	bool has_rowid;
	int64_t n_max;
	struct pages_rows *rows; /* NULL: rows come from st */
	char number[32]; /* as text, see nsys_any() */
	int alias;		 /* the column that is another name of the rowid, -1 none */
};

bool nsys_db_no_pages;

static const struct nsys_db_ops sqlite_ops;
static const struct nsys_scan_ops scan_ops;
static void db_close(struct nsys_db *base);
static struct nsys_scan *scan_open(struct nsys_db *base, const char *table, const char *const *cols,
				   size_t n, const char *filter_col, int64_t filter, struct err *e);

/* The interface gives the first member; the struct begins there. */
static struct sqlite_db *db_of(struct nsys_db *base)
{
	return (struct sqlite_db *)(void *)base;
}

static struct sqlite_scan *scan_of(struct nsys_scan *base)
{
	return (struct sqlite_scan *)(void *)base;
}

/* ---- opening ---- */

static void harden(sqlite3 *sq, bool salvage)
{
	static const struct {
		int what, on;
	} configs[] = {
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},	     {SQLITE_DBCONFIG_DQS_DDL, 0},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
	};
	static const struct {
		int what, max;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, STRING_BYTES_MAX},
		{SQLITE_LIMIT_SQL_LENGTH, 1000000},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_VDBE_OP, 100000},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
	};

	for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++)
		sqlite3_db_config(sq, configs[i].what, configs[i].on, (int *)NULL);
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		sqlite3_limit(sq, limits[i].what, limits[i].max);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DEFENSIVE, !salvage, (int *)NULL);
	sqlite3_busy_timeout(sq, 2000);
	sqlite3_exec(sq,
		     "PRAGMA query_only=1; PRAGMA trusted_schema=0; PRAGMA cell_size_check=1;"
		     "PRAGMA mmap_size=0; PRAGMA cache_size=-16384",
		     NULL, NULL, NULL);
	/*
	 * Only so does SQLite read a file that is shorter than its header says; nothing can be
	 * written all the same.
	 */
	if (salvage)
		sqlite3_exec(sq, "PRAGMA writable_schema=1", NULL, NULL, NULL);
}

static bool list_tables(struct sqlite_db *db)
{
	static const char sql[] =
		"SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0";
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db->sq, sql, -1, &st, NULL);

	while (rc == SQLITE_OK && db->tables.n < TABLES_MAX &&
	       (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const void *name = sqlite3_column_text(st, 0);

		if (name)
			VEC_PUSH(&db->tables, (struct table){.name = xstrdup(name)});
		rc = SQLITE_OK;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_OK || rc == SQLITE_DONE;
}

/*
 * A damaged tree can be walked forever: child pages that are shared multiply with every level. A
 * row costs at least as many bytes as steps, so a statement that takes many times more is going in
 * circles.
 */
static void fresh_budget(struct sqlite_db *db)
{
	db->periods_left = db->base.size_bytes / OPS_PERIOD * 8 + 64;
}

static int spend_budget(void *arg)
{
	struct sqlite_db *db = arg;

	return --db->periods_left < 0;
}

static bool connect(struct sqlite_db *db, const char *path)
{
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	char *uri = nsys_file_uri(path);
	int rc = sqlite3_open_v2(uri, &db->sq, flags, NULL);

	free(uri);
	if (rc != SQLITE_OK)
		return false;
	harden(db->sq, db->salvage);
	if (nsys_file_lone_wal(path))
		sqlite3_exec(db->sq, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL);
	fresh_budget(db);
	if (!db->base.busy && !db->base.missing_bytes && !nsys_db_no_pages)
		(void)pages_open(&db->pages, path);
	sqlite3_progress_handler(db->sq, OPS_PERIOD, spend_budget, db);
	return list_tables(db);
}

static void disconnect(struct sqlite_db *db)
{
	for (size_t i = 0; i < db->tables.n; i++) {
		struct table *t = &db->tables.a[i];

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
	sqlite3_close(db->sq);
	db->sq = NULL;
	pages_close(&db->pages);
}

static bool open_failed(const struct sqlite_db *db, const char *path, struct err *e)
{
	int rc = db->sq ? sqlite3_errcode(db->sq) : SQLITE_NOMEM;
	const char *said = db->sq ? sqlite3_errmsg(db->sq) : "out of memory";

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
	struct sqlite_db *db = xcalloc(1, sizeof(*db));
	bool done;

	db->base.ops = &sqlite_ops;
	db->pages.fd = -1;
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
	done = connect(db, path);
	if (!done && db->base.missing_bytes > 0) {
		disconnect(db);
		db->salvage = true;
		done = connect(db, path);
	}
	if (done)
		return &db->base;
	open_failed(db, path, e);
	db_close(&db->base);
	return NULL;
}

static void db_close(struct nsys_db *base)
{
	struct sqlite_db *db = db_of(base);

	disconnect(db);
	free(db);
}

/* ---- tables and columns ---- */

static size_t db_tables(const struct nsys_db *base)
{
	return ((const struct sqlite_db *)(const void *)base)->tables.n;
}

static const char *db_table(const struct nsys_db *base, size_t i)
{
	return ((const struct sqlite_db *)(const void *)base)->tables.a[i].name;
}

static sqlite3_stmt *prepare(struct sqlite_db *db, char *sql)
{
	sqlite3_stmt *st = NULL;

	fresh_budget(db);
	if (sql && sqlite3_prepare_v2(db->sq, sql, -1, &st, NULL) != SQLITE_OK)
		st = NULL;
	sqlite3_free(sql);
	return st;
}

static void read_columns(struct sqlite_db *db, struct table *t)
{
	sqlite3_stmt *st = prepare(db, sqlite3_mprintf("PRAGMA table_info(\"%w\")", t->name));
	size_t cap = 0;

	t->cols_read = true;
	t->key = -1;
	while (st && sqlite3_step(st) == SQLITE_ROW) {
		const void *name = sqlite3_column_text(st, 1);

		if (!name)
			continue;
		if (t->n_cols == cap) {
			cap = mem_grow(cap, t->n_cols + 1);
			t->cols = xreallocarray(t->cols, cap, sizeof(*t->cols));
		}
		if (sqlite3_column_int(st, 5) == 1)
			t->key = (int)t->n_cols;
		t->cols[t->n_cols++] = xstrdup(name);
	}
	sqlite3_finalize(st);
}

static struct table *find_table(struct sqlite_db *db, const char *name)
{
	for (size_t i = 0; i < db->tables.n; i++)
		if (strcmp(db->tables.a[i].name, name) == 0)
			return &db->tables.a[i];
	return NULL;
}

static bool has_column(struct sqlite_db *db, struct table *t, const char *column)
{
	if (!t->cols_read)
		read_columns(db, t);
	for (size_t i = 0; i < t->n_cols; i++)
		if (strcmp(t->cols[i], column) == 0)
			return true;
	return false;
}

static bool db_has(struct nsys_db *base, const char *table, const char *column)
{
	struct sqlite_db *db = db_of(base);
	struct table *t = find_table(db, table);

	return t && (!column || has_column(db, t, column));
}

static int64_t max_rowid(struct sqlite_db *db, const char *table)
{
	sqlite3_stmt *st = prepare(db, sqlite3_mprintf("SELECT max(_rowid_) FROM \"%w\"", table));
	int64_t v = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;

	sqlite3_finalize(st);
	return v;
}

/*
 * rowids are no counts where rows were deleted or written by hand; WITHOUT ROWID tables have none
 * (-1).
 */
static int64_t db_rows(struct nsys_db *base, const char *table, bool exact)
{
	struct sqlite_db *db = db_of(base);
	int64_t n_max = db->base.size_bytes / ROW_BYTES_MIN, n = max_rowid(db, table);
	struct nsys_scan *s = NULL;

	if (n >= 0 && n <= n_max && (!exact || n > EXACT_ROWS_MAX))
		return n;
	/* count(*) would not notice a tree with circles */
	s = scan_open(base, table, NULL, 0, NULL, 0, NULL);
	for (n = 0; s && nsys_scan_step(s) == NSYS_ROW;)
		n++;
	nsys_scan_close(s);
	return n;
}

/*
 * Exports declare id as the primary key; a copy made by a script may not, and a search would then
 * read all strings.
 */
static void index_strings(struct sqlite_db *db)
{
	sqlite3_stmt *st = prepare(db, sqlite3_mprintf("SELECT _rowid_, id FROM StringIds"));

	while (st && (int64_t)db->string_rowids.n < db->base.size_bytes / ROW_BYTES_MIN &&
	       sqlite3_step(st) == SQLITE_ROW) {
		uint64_t id = (uint64_t)sqlite3_column_int64(st, 1);

		map_get_or_put(&db->string_row, id, 0, (uint32_t)db->string_rowids.n);
		VEC_PUSH(&db->string_rowids, sqlite3_column_int64(st, 0));
	}
	sqlite3_finalize(st);
}

static bool prepare_string(struct sqlite_db *db)
{
	struct table *t = find_table(db, "StringIds");

	if (db->string_tried)
		return false;
	db->string_tried = true;
	if (!t || !has_column(db, t, "id") || !has_column(db, t, "value"))
		return false;
	db->string_by_rowid = t->key < 0 || strcmp(t->cols[t->key], "id") != 0;
	if (db->string_by_rowid)
		index_strings(db);
	db->string = prepare(db, sqlite3_mprintf("SELECT value FROM StringIds WHERE %s = ?",
						 db->string_by_rowid ? "_rowid_" : "id"));
	return db->string;
}

static bool cell_text(sqlite3_stmt *st, int c, const char **p, size_t *n)
{
	const void *bytes = sqlite3_column_type(st, c) == SQLITE_BLOB
				    ? sqlite3_column_blob(st, c)
				    : (const void *)sqlite3_column_text(st, c);

	*p = bytes ? bytes : "";
	*n = bytes ? (size_t)sqlite3_column_bytes(st, c) : 0;
	return true;
}

static bool db_string(struct nsys_db *base, int64_t id, const char **s, size_t *n)
{
	struct sqlite_db *db = db_of(base);

	if (!db->string && !prepare_string(db))
		return false;
	if (db->string_by_rowid) {
		uint32_t at = map_find(&db->string_row, (uint64_t)id, 0);

		if (at == MAP_NONE)
			return false;
		id = db->string_rowids.a[at];
	}
	fresh_budget(db);
	sqlite3_reset(db->string);
	sqlite3_bind_int64(db->string, 1, id);
	if (sqlite3_step(db->string) != SQLITE_ROW ||
	    sqlite3_column_type(db->string, 0) == SQLITE_NULL)
		return false;
	return cell_text(db->string, 0, s, n);
}

/* ---- walking rows ---- */

/* "SELECT rowid, a, b FROM t WHERE f = n" out of the columns that are there */
static char *scan_sql(struct sqlite_db *db, struct table *t, struct sqlite_scan *s,
		      const char *const *cols, size_t n, const char *filter_col, int64_t filter)
{
	sqlite3_str *sql = sqlite3_str_new(db->sq);
	int at = s->has_rowid;

	sqlite3_str_appendf(sql, "SELECT %s", s->has_rowid ? "_rowid_" : "");
	for (size_t i = 0; i < n; i++) {
		s->cell[i] = -1;
		if (!has_column(db, t, cols[i]))
			continue;
		sqlite3_str_appendf(sql, "%s\"%w\"", at ? "," : "", cols[i]);
		s->cell[i] = at++;
	}
	/* not by an index that has all columns: its order is another one, and its damage not the table's */
	sqlite3_str_appendf(sql, "%s FROM \"%w\"%s", at ? "" : "NULL", t->name,
			    filter_col ? "" : " NOT INDEXED");
	if (filter_col)
		sqlite3_str_appendf(sql, " WHERE \"%w\" = %lld", filter_col, (long long)filter);
	return sqlite3_str_finish(sql);
}

/* ---- rows from the pages ---- */

static int64_t root_page(struct sqlite_db *db, const char *table)
{
	sqlite3_stmt *st = prepare(
		db, sqlite3_mprintf("SELECT max(rootpage) FROM sqlite_master WHERE type = 'table' "
				    "AND name = %Q HAVING count(*) = 1",
				    table));
	int64_t v = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;

	sqlite3_finalize(st);
	return v > 0 && v < INT32_MAX ? v : 0;
}

/* One column of the table, in their order; false if it makes the table one for the library. */
static bool map_column(struct sqlite_scan *s, sqlite3_stmt *st, const char *const *cols, size_t n)
{
	struct pages_rows *r = s->rows;
	const char *name = (const char *)sqlite3_column_text(st, 1);
	const char *type = (const char *)sqlite3_column_text(st, 2);
	int at = sqlite3_column_int(st, 0);

	/* hidden: generated, or of a virtual table */
	if (!name || !type || at < 0 || at >= PAGES_COLS_MAX || sqlite3_column_int(st, 6))
		return false;
	r->want[at] = -1;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(cols[i], name) != 0)
			continue;
		/*
		 * Rows from before a column was added have its default. Columns of REAL keep whole numbers below 2^47
		 * as integers: here, too, those are read and written alike (real_text()).
		 */
		if (r->want[at] >= 0 || sqlite3_column_type(st, 4) != SQLITE_NULL)
			return false;
		if (sqlite3_column_int(st, 5) && sqlite3_stricmp(type, "INTEGER") == 0)
			s->alias = (int)i;
		r->want[at] = (int16_t)i;
		r->n_cols = (unsigned)at + 1;
	}
	return true;
}

static void use_pages(struct sqlite_db *db, struct table *t, struct sqlite_scan *s,
		      const char *const *cols, size_t n)
{
	uint32_t root = (uint32_t)root_page(db, t->name), keys = 0;
	sqlite3_stmt *st = prepare(db, sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", t->name));
	bool good = root && st;

	s->rows = xcalloc(1, sizeof(*s->rows));
	s->rows->n_want = (unsigned)n;
	while (good && sqlite3_step(st) == SQLITE_ROW) {
		keys += sqlite3_column_int(st, 5) != 0;
		good = map_column(s, st, cols, n);
	}
	sqlite3_finalize(st);
	/* of a key of several columns none is the rowid */
	if (good && (s->alias < 0 || keys == 1) && pages_begin(s->rows, &db->pages, root))
		return;
	free(s->rows);
	s->rows = NULL;
}

static struct nsys_scan *scan_open(struct nsys_db *base, const char *table, const char *const *cols,
				   size_t n, const char *filter_col, int64_t filter, struct err *e)
{
	struct sqlite_db *db = db_of(base);
	struct table *t = find_table(db, table);
	struct sqlite_scan *s;

	if (!t || n > NSYS_COLS_MAX || (filter_col && !has_column(db, t, filter_col))) {
		err_set(e, ERR_FORMAT, _("table %s: missing"), table);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->base.ops = &scan_ops;
	s->base.row = INT64_MIN;
	s->n_max = db->base.size_bytes / ROW_BYTES_MIN;
	s->has_rowid = !has_column(db, t, "_rowid_");
	s->st = prepare(db, scan_sql(db, t, s, cols, n, filter_col, filter));
	if (!s->st && s->has_rowid) { /* WITHOUT ROWID */
		s->has_rowid = false;
		s->st = prepare(db, scan_sql(db, t, s, cols, n, filter_col, filter));
	}
	s->alias = -1;
	if (s->st && s->has_rowid && !filter_col && db->pages.map)
		use_pages(db, t, s, cols, n);
	if (s->st)
		return &s->base;
	err_set(e, ERR_FORMAT, "table %s: %s", table, sqlite3_errmsg(db->sq));
	free(s);
	return NULL;
}

static void scan_close(struct nsys_scan *base)
{
	struct sqlite_scan *s = scan_of(base);

	sqlite3_finalize(s->st);
	free(s->rows);
	free(s);
}

/*
 * A damaged tree can lead to the same pages again and again: rowids must grow, and rows need bytes.
 */
static bool runs_in_circles(struct sqlite_scan *s, int64_t rowid)
{
	struct nsys_scan *b = &s->base;
	bool circle = (b->n && rowid <= b->row) || b->n >= s->n_max;

	if (!circle)
		b->row = rowid;
	return circle;
}

static enum nsys_step next_row(struct sqlite_scan *s)
{
	bool pages = s->rows;
	enum pages_step step = pages ? pages_step(s->rows) : PAGES_ODD;
	int rc = SQLITE_ROW;

	if (step == PAGES_END)
		return NSYS_END;
	if (step == PAGES_ROW && (!s->base.n || s->rows->rowid > s->base.row))
		return NSYS_ROW;
	free(s->rows);
	s->rows = NULL;
	for (int64_t i = 0; pages && i < s->base.n && rc == SQLITE_ROW; i++)
		rc = sqlite3_step(s->st);
	if (rc == SQLITE_ROW)
		rc = sqlite3_step(s->st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		s->base.why = sqlite3_errstr(rc);
	return rc == SQLITE_ROW ? NSYS_ROW : rc == SQLITE_DONE ? NSYS_END : NSYS_DAMAGED;
}

static enum nsys_step scan_step(struct nsys_scan *base)
{
	struct sqlite_scan *s = scan_of(base);
	enum nsys_step step = next_row(s);
	int64_t rowid = base->n + 1;

	if (step != NSYS_ROW)
		return step;
	if (s->has_rowid)
		rowid = s->rows ? s->rows->rowid : sqlite3_column_int64(s->st, 0);
	if (runs_in_circles(s, rowid)) {
		base->why = N_("rows out of order");
		return NSYS_DAMAGED;
	}
	base->n++;
	return NSYS_ROW;
}

/* Columns without a declared type keep a whole number that a script wrote as a double. */
static bool whole_double(double d, int64_t *v)
{
	if (!(d > -9e15 && d < 9e15))
		return false;
	*v = (int64_t)d;
	return (double)*v == d;
}

static bool page_integer(struct sqlite_scan *s, unsigned col, int64_t *v)
{
	const struct pages_cell *c = &s->rows->cell[col];

	if ((int)col == s->alias) {
		*v = s->rows->rowid;
		return true;
	}
	if (!c->type)
		return false;
	if (c->type != 7 && c->type < 12) {
		*v = pages_int(c);
		return true;
	}
	if (c->type == 7 && whole_double(pages_real(c), v))
		return true;
	return nsys_scan_wrong(&s->base, (unsigned)s->cell[col]);
}

static bool scan_integer(struct nsys_scan *base, unsigned col, int64_t *v)
{
	struct sqlite_scan *s = scan_of(base);
	int c = s->cell[col], type;

	if (c < 0)
		return false;
	if (s->rows)
		return page_integer(s, col, v);
	type = sqlite3_column_type(s->st, c);
	if (type == SQLITE_INTEGER) {
		*v = sqlite3_column_int64(s->st, c);
		return true;
	}
	if (type == SQLITE_NULL)
		return false;
	if (type == SQLITE_FLOAT && whole_double(sqlite3_column_double(s->st, c), v))
		return true;
	return nsys_scan_wrong(base, (unsigned)c);
}

static bool scan_is_text(struct nsys_scan *base, unsigned col)
{
	struct sqlite_scan *s = scan_of(base);

	if (s->rows)
		return s->cell[col] >= 0 && s->rows->cell[col].type >= 13 &&
		       s->rows->cell[col].type % 2;
	return s->cell[col] >= 0 && sqlite3_column_type(s->st, s->cell[col]) == SQLITE_TEXT;
}

static bool page_text(struct sqlite_scan *s, unsigned col, const char **p, size_t *n)
{
	const struct pages_cell *c = &s->rows->cell[col];

	if (!c->type && (int)col != s->alias)
		return false;
	if (c->type < 12)
		return nsys_scan_wrong(&s->base, (unsigned)s->cell[col]);
	*p = (const char *)c->p;
	*n = (size_t)(c->type - 12) / 2;
	return true;
}

static bool scan_text(struct nsys_scan *base, unsigned col, const char **p, size_t *n)
{
	struct sqlite_scan *s = scan_of(base);
	int c = s->cell[col], type;

	if (c < 0)
		return false;
	if (s->rows)
		return page_text(s, col, p, n);
	type = sqlite3_column_type(s->st, c);
	if (type == SQLITE_NULL)
		return false;
	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		return nsys_scan_wrong(base, (unsigned)c);
	return cell_text(s->st, c, p, n);
}

static bool number_text(struct sqlite_scan *s, const char **p, size_t *n)
{
	*p = s->number;
	*n = strlen(s->number);
	return true;
}

static bool integer_text(struct sqlite_scan *s, int64_t v, const char **p, size_t *n)
{
	snprintf(s->number, sizeof(s->number), "%" PRId64, v);
	return number_text(s, p, n);
}

/* A point in any locale. Without ".0": columns of REAL keep whole numbers as integers in their pages. */
static bool real_text(struct sqlite_scan *s, double v, const char **p, size_t *n)
{
	sqlite3_snprintf(sizeof(s->number), s->number, "%.15g", v);
	return number_text(s, p, n);
}

static bool page_any(struct sqlite_scan *s, unsigned col, const char **p, size_t *n)
{
	const struct pages_cell *c = &s->rows->cell[col];
	int64_t v;

	if (c->type >= 12)
		return page_text(s, col, p, n);
	if (c->type == 7)
		return real_text(s, pages_real(c), p, n);
	return page_integer(s, col, &v) && integer_text(s, v, p, n);
}

static bool scan_any(struct nsys_scan *base, unsigned col, const char **p, size_t *n)
{
	struct sqlite_scan *s = scan_of(base);
	int c = s->cell[col], type;

	if (c < 0)
		return false;
	if (s->rows)
		return page_any(s, col, p, n);
	type = sqlite3_column_type(s->st, c);
	if (type == SQLITE_NULL)
		return false;
	if (type == SQLITE_INTEGER)
		return integer_text(s, sqlite3_column_int64(s->st, c), p, n);
	if (type == SQLITE_FLOAT)
		return real_text(s, sqlite3_column_double(s->st, c), p, n);
	return cell_text(s->st, c, p, n);
}

static const struct nsys_scan_ops scan_ops = {
	.close = scan_close,
	.step = scan_step,
	.integer = scan_integer,
	.text = scan_text,
	.is_text = scan_is_text,
	.any = scan_any,
};

static const struct nsys_db_ops sqlite_ops = {
	.close = db_close,
	.tables = db_tables,
	.table = db_table,
	.has = db_has,
	.rows = db_rows,
	.string = db_string,
	.scan = scan_open,
};
