/*
 * sqlite_conn.c - a connection to an untrusted SQLite database: how it is opened, its budget and
 * its statements, which columns a table has, and what was lost; see sqlite.h.
 *
 * The settings follow https://www.sqlite.org/security.html for databases of unknown origin. No
 * mmap by the library: a file that is cut short while it is open would raise SIGBUS.
 *
 * Whatever SQLite answers but "row" and "done" is damage, and ends up in the losses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "load/nsys/file.h"
#include "load/nsys/sqlite.h"

#define STRING_BYTES_MAX (64 << 20)
#define OPS_PERIOD	 1000000 /* steps of the virtual machine between two looks at the budget */
#define ZEROED_TEXT_MIN	 64 /* a row of several pages is that long at least, of 512 bytes each */

static bool harden(sqlite3 *sq, bool salvage)
{
	static const struct {
		int what, on;
	} configs[] = {
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},   {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},	       {SQLITE_DBCONFIG_DQS_DDL, 0},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},   {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
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
	/*
	 * With a writable schema, and only so, SQLite reads a file that is shorter than its header
	 * says; nothing can be written all the same. A larger cache of pages is slower: pages are
	 * read once, into memory that then is in no cache of the processor.
	 */
	return sqlite3_exec(
		       sq,
		       "PRAGMA query_only=1; PRAGMA trusted_schema=0; PRAGMA cell_size_check=1;"
		       "PRAGMA mmap_size=0",
		       NULL, NULL, NULL) == SQLITE_OK &&
	       (!salvage ||
		sqlite3_exec(sq, "PRAGMA writable_schema=1", NULL, NULL, NULL) == SQLITE_OK);
}

/*
 * A damaged tree can be walked forever: child pages that are shared multiply with every level. A
 * row costs at least as many bytes as steps, so a statement that takes many times more is going in
 * circles.
 */
static int spend_budget(void *arg)
{
	struct sq_reader *r = arg;

	return --r->periods_left < 0;
}

int sq_step(struct sq_reader *r, sqlite3_stmt *st)
{
	r->periods_left = r->periods;
	return sqlite3_step(st);
}

bool sq_reader_open(struct sq_db *db, struct sq_reader *r)
{
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	char *uri = nsys_file_uri(db->path);
	int rc = sqlite3_open_v2(uri, &r->sq, flags, NULL);

	free(uri);
	r->periods = r->periods_left = db->base.size_bytes / OPS_PERIOD * 8 + 64;
	if (rc != SQLITE_OK)
		return false;
	if (nsys_file_lone_wal(db->path) &&
	    sqlite3_exec(r->sq, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
		return false;
	sqlite3_progress_handler(r->sq, OPS_PERIOD, spend_budget, r);
	return harden(r->sq, db->salvage);
}

void sq_reader_close(struct sq_reader *r)
{
	sqlite3_close(r->sq);
	r->sq = NULL;
}

/* ---- losses ---- */

const char *sq_why(int rc)
{
	return rc == SQLITE_INTERRUPT ? N_("its pages lead in circles") : sqlite3_errstr(rc);
}

static bool joins(const struct nsys_loss *l, const struct nsys_loss *next)
{
	return l->kind == NSYS_LOST_ROWS && next->kind == l->kind && l->table == next->table &&
	       l->to < next->from && l->to + 1 == next->from;
}

/* Whether the same was found before: a table can be walked twice. */
static bool is_known(const struct nsys_db *db, const struct nsys_loss *l)
{
	for (size_t i = 0; i < db->losses.n; i++) {
		const struct nsys_loss *old = &db->losses.a[i];

		if (old->kind == l->kind && old->table == l->table && old->from <= l->from &&
		    old->to >= l->to)
			return true;
	}
	return false;
}

void sq_lost(struct sq_db *db, enum nsys_loss_kind kind, const char *table, int64_t from,
	     int64_t to, const char *why)
{
	struct nsys_loss l = {kind, table, from, to, why};
	struct nsys_db *b = &db->base;

	if (b->losses.n && joins(&b->losses.a[b->losses.n - 1], &l)) {
		b->losses.a[b->losses.n - 1].to = to;
	} else if (b->losses.n == NSYS_LOSSES_MAX) {
		b->lost[kind]++;
	} else if (!is_known(b, &l)) {
		b->lost[kind]++;
		VEC_PUSH(&b->losses, l);
	}
}

bool sq_zeroed_text(const char *p, size_t n)
{
	return n >= ZEROED_TEXT_MIN && memchr(p, 0, n);
}

/* ---- statements and columns ---- */

sqlite3_stmt *sq_prepare(struct sq_reader *r, char *sql)
{
	sqlite3_stmt *st = NULL;

	r->periods_left = r->periods;
	if (sql && sqlite3_prepare_v2(r->sq, sql, -1, &st, NULL) != SQLITE_OK)
		st = NULL;
	sqlite3_free(sql);
	return st;
}

static void add_column(struct sq_table *t, const char *name, bool key)
{
	t->cols = xreallocarray(t->cols, t->n_cols + 1, sizeof(*t->cols));
	if (key)
		t->key = (int)t->n_cols;
	t->cols[t->n_cols++] = xstrdup(name);
}

static void read_columns(struct sq_db *db, struct sq_table *t)
{
	sqlite3_stmt *st =
		sq_prepare(&db->main, sqlite3_mprintf("PRAGMA table_info(\"%w\")", t->name));
	int rc = st ? SQLITE_ROW : sqlite3_errcode(db->main.sq);

	t->cols_read = true;
	t->key = -1;
	while (rc == SQLITE_ROW && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const void *name = sqlite3_column_text(st, 1);

		if (name)
			add_column(t, name, sqlite3_column_int(st, 5) == 1);
		else
			rc = SQLITE_NOMEM;
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		sq_lost(db, NSYS_LOST_TABLE, t->name, 0, 0, sq_why(rc));
}

struct sq_table *sq_find_table(struct sq_db *db, const char *name)
{
	for (size_t i = 0; i < db->tables.n; i++)
		if (strcmp(db->tables.a[i].name, name) == 0)
			return &db->tables.a[i];
	return NULL;
}

bool sq_has_column(struct sq_db *db, struct sq_table *t, const char *column)
{
	if (!t->cols_read)
		read_columns(db, t);
	for (size_t i = 0; i < t->n_cols; i++)
		if (strcmp(t->cols[i], column) == 0)
			return true;
	return false;
}
