/*
 * sqlite_rows.c - the rows of a table of an SQLite database, see sqlite.h
 *
 * A table is read in pieces of consecutive rowids, each a query of its own, so that several
 * threads, each with its own connection, can read at once, and so that a damaged page costs the
 * rows that lie on it, not those behind. The pieces are the same whatever the number of threads,
 * and so are the rows and their order. (Whether SQLite takes a row of a damaged page can depend on
 * what the connection has read before; then there are losses either way.)
 *
 * The query hands its rows to an aggregate function: it gets the values as they are, while
 * sqlite3_column_int64() and the like check and lock for each, which is half the time of a row.
 *
 * A table WITHOUT ROWID is stepped through, by one thread and up to the first damage.
 */
#include "load/nsys/sqlite.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"

#define BATCH_ROWS 2048
#define BATCH_TEXT (1u << 20) /* bytes, and one text of any size */

unsigned nsys_db_piece_rows = BATCH_ROWS;

struct lost_rows {
	int64_t from, to;
	const char *why;
};
/* Rows that were read, and not yet looked at. The value of a text: where in `text` it is. */
struct sq_batch {
	unsigned n, n_cols, n_want; /* rows; columns of a row; those of them that the query has */
	uint8_t at[NSYS_COLS_MAX];  /* column of the query -> of the row */
	bool filtered;		    /* only rows whose value behind those is `filter` */
	int64_t filter;
	int64_t rowid[BATCH_ROWS];
	int64_t *value;
	uint8_t *type; /* of columns that the table lacks: NSYS_NULL, from the start */
	VEC(char) text;
	VEC(struct lost_rows) lost;
	int64_t zeroed; /* the first row with a text that was zeroed */
	bool any_zeroed;
};
struct text_head {
	uint32_t n;
};

/* Rowids of which the first that was not read is lo. */
struct sqlite_rows_piece {
	int64_t lo, hi;
	bool done;
};

struct sq_scan {
	struct nsys_scan base;
	struct sq_db *db;
	const char *table;
	char *sql;	  /* of a piece; of the whole table if it has no rowids */
	sqlite3_stmt *st; /* of the main connection */
	bool rowids, begun, over;
	int64_t next, last; /* rowids that are in no piece yet */
	int64_t piece_rows;
	bool pieces_left;
	struct sqlite_rows_piece piece; /* of `batch` */
	struct sq_batch batch;
	unsigned present;	    /* row of the batch */
	const struct sq_batch *now; /* whose row is looked at */
	char number[32];	    /* as text, see nsys_any() */
};

static struct sq_scan *scan_of(struct nsys_scan *base)
{
	return (struct sq_scan *)(void *)base;
}

/* ---- batches ---- */

/* Memory for the rows of a batch whose columns are told. */
static void batch_init(struct sq_batch *b)
{
	size_t cells = (size_t)BATCH_ROWS * b->n_cols + 1;

	b->value = xcalloc(cells, sizeof(*b->value));
	b->type = xcalloc(cells, sizeof(*b->type));
}

static void batch_init_like(struct sq_batch *b, const struct sq_batch *like)
{
	b->n_cols = like->n_cols;
	b->n_want = like->n_want;
	b->filtered = like->filtered;
	b->filter = like->filter;
	memcpy(b->at, like->at, sizeof(b->at));
	batch_init(b);
}

static void batch_clear(struct sq_batch *b)
{
	b->n = 0;
	b->text.n = 0;
	b->lost.n = 0;
	b->any_zeroed = false;
}

static void batch_fini(struct sq_batch *b)
{
	free(b->value);
	free(b->type);
	VEC_FREE(&b->text);
	VEC_FREE(&b->lost);
}

static bool batch_full(const struct sq_batch *b)
{
	return b->n == BATCH_ROWS || b->text.n >= BATCH_TEXT;
}

/* False: out of memory. */
static bool put_text(struct sq_batch *b, sqlite3_value *v, int type, int64_t *value)
{
	const void *p =
		type == SQLITE_BLOB ? sqlite3_value_blob(v) : (const void *)sqlite3_value_text(v);
	struct text_head h = {(uint32_t)sqlite3_value_bytes(v)};

	if (!p && (h.n || type == SQLITE_TEXT))
		return false;
	*value = (int64_t)b->text.n;
	VEC_RESERVE(&b->text, b->text.n + sizeof(h) + h.n);
	memcpy(b->text.a + b->text.n, &h, sizeof(h));
	b->text.n += sizeof(h);
	if (!h.n)
		return true;
	memcpy(b->text.a + b->text.n, p, h.n);
	if (type == SQLITE_TEXT && !b->any_zeroed && sq_zeroed_text(b->text.a + b->text.n, h.n)) {
		b->any_zeroed = true;
		b->zeroed = b->rowid[b->n];
	}
	b->text.n += h.n;
	return true;
}

static bool put_odd(struct sq_batch *b, sqlite3_value *v, int type, uint8_t *to, int64_t *value)
{
	double d;

	if (type == SQLITE_FLOAT) {
		d = sqlite3_value_double(v);
		memcpy(value, &d, sizeof(d));
		*to = NSYS_REAL;
		return true;
	}
	*to = type == SQLITE_TEXT ? NSYS_TEXT : NSYS_BLOB;
	return put_text(b, v, type, value);
}

/* The next row, for which there is room. False: out of memory. */
static bool put_row(struct sq_batch *b, int64_t rowid, sqlite3_value **v)
{
	uint8_t *types = b->type + (size_t)b->n * b->n_cols;
	int64_t *values = b->value + (size_t)b->n * b->n_cols;

	if (b->filtered && (sqlite3_value_type(v[b->n_want]) != SQLITE_INTEGER ||
			    sqlite3_value_int64(v[b->n_want]) != b->filter))
		return true;
	b->rowid[b->n] = rowid;
	for (unsigned i = 0; i < b->n_want; i++) {
		int type = sqlite3_value_type(v[i]);
		uint8_t *to = &types[b->at[i]];

		if (type == SQLITE_INTEGER) {
			*to = NSYS_INTEGER;
			values[b->at[i]] = sqlite3_value_int64(v[i]);
		} else if (type == SQLITE_NULL) {
			*to = NSYS_NULL;
		} else if (!put_odd(b, v[i], type, to, &values[b->at[i]])) {
			return false;
		}
	}
	b->n++;
	return true;
}

/* ---- reading ---- */

/* NULL, or why a row is not to be taken: a damaged tree leads to others than were asked for. */
static const char *refuse(struct sq_reader *r, int64_t rowid)
{
	if (rowid < r->lo || rowid > r->hi || (r->any && rowid <= r->rowid))
		return N_("rows out of order");
	return NULL;
}

/* nsys_row(rowid, columns…), for each row. To fail is the only way to end the query. */
static void take_row(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	struct sq_reader *r = sqlite3_user_data(ctx);
	int64_t rowid = n ? sqlite3_value_int64(v[0]) : 0;

	r->refused = refuse(r, rowid);
	if (r->refused) {
		sqlite3_result_error_code(ctx, SQLITE_CORRUPT);
		return;
	}
	r->stopped = !r->out || batch_full(r->out);
	if (r->out && !r->stopped && !put_row(r->out, rowid, v + 1)) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (r->stopped)
		sqlite3_result_error_code(ctx, SQLITE_ABORT);
	if (r->out && r->stopped)
		return;
	r->any = true;
	r->rowid = rowid;
}

static void no_result(sqlite3_context *ctx)
{
	(void)ctx;
}

bool sq_rows_init(struct sq_reader *r)
{
	return sqlite3_create_function_v2(r->sq, "nsys_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, r,
					  NULL, take_row, no_result, NULL) == SQLITE_OK;
}

/* Rows lo to hi into `out`, as many as there is room for; see sq_reader. SQLITE_DONE: all. */
static int query(struct sq_reader *r, sqlite3_stmt *st, struct sq_batch *out, int64_t lo,
		 int64_t hi)
{
	int rc;

	r->out = out;
	r->lo = lo;
	r->hi = hi;
	r->any = r->stopped = false;
	r->refused = NULL;
	sqlite3_bind_int64(st, 1, lo);
	sqlite3_bind_int64(st, 2, hi);
	rc = sq_step(r, st);
	sqlite3_reset(st);
	return rc == SQLITE_ROW ? SQLITE_DONE : rc;
}

enum sqlite_rows_probe {
	PROBE_BAD,
	PROBE_GOOD, /* there is a row to be read, or none at all */
	PROBE_LONG  /* that took too long to be tried again */
};

static enum sqlite_rows_probe probe(struct sq_reader *r, sqlite3_stmt *st, int64_t lo, int64_t hi)
{
	int rc = query(r, st, NULL, lo, hi);

	if (rc == SQLITE_INTERRUPT)
		return PROBE_LONG;
	return rc == SQLITE_DONE || r->stopped ? PROBE_GOOD : PROBE_BAD;
}

/* a <= b; both may be any. */
static int64_t add_up_to(int64_t a, uint64_t n, int64_t b)
{
	return (uint64_t)b - (uint64_t)a < n ? b : (int64_t)((uint64_t)a + n);
}

/*
 * The first rowid from which on there is something to be read again, looked for in growing steps:
 * what is damaged is mostly a page or many in a row. False if there is none up to hi.
 */
static bool first_good(struct sq_reader *r, sqlite3_stmt *st, int64_t lo, int64_t hi, int64_t *good)
{
	int64_t bad = lo;
	enum sqlite_rows_probe p = PROBE_BAD;

	for (uint64_t step = 1; p == PROBE_BAD && bad < hi; step *= 2) {
		*good = add_up_to(bad, step, hi);
		p = probe(r, st, *good, hi);
		if (p == PROBE_BAD)
			bad = *good;
	}
	if (p != PROBE_GOOD)
		return false;
	while ((uint64_t)*good - (uint64_t)bad > 1) {
		int64_t mid = add_up_to(bad, ((uint64_t)*good - (uint64_t)bad) / 2, *good);

		if (probe(r, st, mid, hi) == PROBE_GOOD)
			*good = mid;
		else
			bad = mid;
	}
	return true;
}

/* Behind what cannot be read: p->lo is the first rowid that was not read. */
static void pass_damage(struct sq_reader *r, sqlite3_stmt *st, struct sq_batch *b, struct sqlite_rows_piece *p,
			int rc)
{
	struct lost_rows l = {p->lo, p->hi, r->refused ? r->refused : sq_why(rc)};
	int64_t good;
	bool more = rc != SQLITE_INTERRUPT && first_good(r, st, p->lo, p->hi, &good);

	if (more) {
		l.to = good - 1;
		p->lo = good;
	}
	p->done = !more;
	VEC_PUSH(&b->lost, l);
}

/* Reads on in a piece, until the batch is full or the piece done. */
static void fill(struct sq_reader *r, sqlite3_stmt *st, struct sq_batch *b, struct sqlite_rows_piece *p)
{
	batch_clear(b);
	while (!p->done && !batch_full(b)) {
		int rc = query(r, st, b, p->lo, p->hi);

		/* with the last row read it is the next piece whose pages are damaged */
		if (rc == SQLITE_DONE || (r->any && r->rowid == p->hi)) {
			p->done = true;
			return;
		}
		if (r->any)
			p->lo = r->rowid + 1;
		if (!r->stopped)
			pass_damage(r, st, b, p, rc);
	}
}

/* The same for a table without rowids, whose rows are numbered. */
static void fill_by_steps(struct sq_scan *s)
{
	struct sq_batch *b = &s->batch;
	int64_t n_max = s->db->base.size_bytes / SQ_ROW_BYTES_MIN;
	const char *why = NULL;
	int rc = SQLITE_ROW;

	batch_clear(b);
	while (!why && !batch_full(b) && (rc = sq_step(&s->db->main, s->st)) == SQLITE_ROW) {
		sqlite3_value *v[NSYS_COLS_MAX + 1];

		for (unsigned i = 0; i < b->n_want + b->filtered; i++)
			v[i] = sqlite3_column_value(s->st, (int)i + 1);
		if (s->next == n_max)
			why = sq_why(SQLITE_INTERRUPT);
		else if (!put_row(b, ++s->next, v))
			why = sq_why(SQLITE_NOMEM);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		why = sq_why(rc);
	if (why)
		VEC_PUSH(&b->lost, (struct lost_rows){s->next + 1, INT64_MAX, why});
	s->over = why || rc == SQLITE_DONE;
}

/* ---- pieces ---- */

/* min or max of the rowids; false: cannot be told, or there are none. */
static bool end_rowid(struct sq_scan *s, const char *which, int64_t *v)
{
	struct sq_reader *r = &s->db->main;
	sqlite3_stmt *st = sq_prepare(
		r, sqlite3_mprintf("SELECT %s(_rowid_) FROM \"%w\" NOT INDEXED", which, s->table));
	bool told =
		st && sq_step(r, st) == SQLITE_ROW && sqlite3_column_type(st, 0) == SQLITE_INTEGER;

	if (told)
		*v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return told;
}

/* Where rowids are much further apart than rows, or their end is not known, all are one piece. */
static void plan(struct sq_scan *s)
{
	int64_t n_max = s->db->base.size_bytes / SQ_ROW_BYTES_MIN;
	bool dense;

	s->begun = s->pieces_left = true;
	s->next = INT64_MIN;
	s->last = INT64_MAX;
	dense = end_rowid(s, "min", &s->next) & end_rowid(s, "max", &s->last);
	dense = dense && s->next <= s->last &&
		(uint64_t)s->last - (uint64_t)s->next < (uint64_t)n_max;
	s->piece_rows = dense ? nsys_db_piece_rows : 0;
	s->piece.done = true;
}

static bool next_piece(struct sq_scan *s, struct sqlite_rows_piece *p)
{
	if (!s->pieces_left)
		return false;
	p->done = false;
	p->lo = s->next;
	p->hi = s->piece_rows ? add_up_to(s->next, (uint64_t)s->piece_rows - 1, s->last) : s->last;
	s->pieces_left = p->hi < s->last;
	if (s->pieces_left)
		s->next = p->hi + 1;
	return true;
}

/* What was lost with a batch, to the database. */
static void tell_lost(struct sq_scan *s, const struct sq_batch *b)
{
	for (size_t i = 0; i < b->lost.n; i++)
		sq_lost(s->db, NSYS_LOST_ROWS, s->table, b->lost.a[i].from, b->lost.a[i].to,
			b->lost.a[i].why);
	if (b->any_zeroed)
		sq_lost(s->db, NSYS_LOST_TEXT, s->table, b->zeroed, b->zeroed,
			N_("zero bytes in a text"));
}

/* ---- one row after the other ---- */

static void show(struct sq_scan *s, const struct sq_batch *b, unsigned i)
{
	s->now = b;
	s->base.type = b->type + (size_t)i * b->n_cols;
	s->base.value = b->value + (size_t)i * b->n_cols;
	s->base.row = b->rowid[i];
	s->base.n++;
}

static bool more_rows(struct sq_scan *s)
{
	s->present = 0;
	do {
		if (!s->rowids && s->over)
			return false;
		if (!s->rowids)
			fill_by_steps(s);
		else if (s->piece.done && !next_piece(s, &s->piece))
			return false;
		else
			fill(&s->db->main, s->st, &s->batch, &s->piece);
		tell_lost(s, &s->batch);
	} while (!s->batch.n);
	return true;
}

static enum nsys_step scan_step(struct nsys_scan *base)
{
	struct sq_scan *s = scan_of(base);

	if (!s->begun)
		plan(s);
	if (s->present == s->batch.n && !more_rows(s))
		return NSYS_END;
	show(s, &s->batch, s->present++);
	return NSYS_ROW;
}

/* ---- several threads ---- */

enum sqlite_rows_slot_state {
	SLOT_FREE,
	SLOT_BUSY,
	SLOT_FULL
};
struct sqlite_rows_slot {
	struct sq_batch batch;
	struct sqlite_rows_piece piece;
	enum sqlite_rows_slot_state state;
	uint64_t number; /* of the piece */
};
/* Each thread does what comes next: hand over the piece whose turn it is, or read another. */
struct team {
	struct sq_scan *s;
	bool (*row)(void *arg, struct nsys_scan *s);
	void *arg;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	struct sqlite_rows_slot *slots;
	unsigned n_slots, n_readers;
	uint64_t next_read, next_given;
	bool giving, all_read, stop;
};

/* The next connection, with the statement; NULL if there is none. */
static struct sq_reader *join_team(struct team *t, sqlite3_stmt **st)
{
	struct sq_db *db = t->s->db;
	struct sq_reader *r;
	unsigned i;

	pthread_mutex_lock(&t->lock);
	i = t->n_readers++;
	pthread_mutex_unlock(&t->lock);
	if (i >= PAR_MAX)
		return NULL;
	r = db->ahead[i];
	if (!r) {
		r = db->ahead[i] = xcalloc(1, sizeof(*r));
		if (!sq_reader_open(db, r) || !sq_rows_init(r))
			sq_reader_close(r);
	}
	if (r->sq)
		*st = sq_prepare(r, sqlite3_mprintf("%s", t->s->sql));
	return r->sq && *st ? r : NULL;
}

static struct sqlite_rows_slot *find_slot(struct team *t, enum sqlite_rows_slot_state state)
{
	for (unsigned i = 0; i < t->n_slots; i++)
		if (t->slots[i].state == state &&
		    (state == SLOT_FREE || t->slots[i].number == t->next_given))
			return &t->slots[i];
	return NULL;
}

/* All rows of a piece; what did not fit into the batch is read now. False: row() said so. */
static bool give(struct team *t, struct sqlite_rows_slot *k, struct sq_reader *r, sqlite3_stmt *st)
{
	for (;;) {
		tell_lost(t->s, &k->batch);
		for (unsigned i = 0; i < k->batch.n; i++) {
			show(t->s, &k->batch, i);
			if (!t->row(t->arg, &t->s->base))
				return false;
		}
		if (k->piece.done)
			return true;
		fill(r, st, &k->batch, &k->piece);
	}
}

/* With the lock, which is given up meanwhile; as read_piece(). */
static void give_piece(struct team *t, struct sqlite_rows_slot *k, struct sq_reader *r, sqlite3_stmt *st)
{
	bool go_on;

	t->giving = true;
	pthread_mutex_unlock(&t->lock);
	go_on = give(t, k, r, st);
	pthread_mutex_lock(&t->lock);
	t->giving = false;
	t->stop |= !go_on;
	t->next_given++;
	k->state = SLOT_FREE;
	pthread_cond_broadcast(&t->changed);
}

static void read_piece(struct team *t, struct sqlite_rows_slot *k, struct sq_reader *r, sqlite3_stmt *st)
{
	t->all_read = !next_piece(t->s, &k->piece);
	if (t->all_read) {
		pthread_cond_broadcast(&t->changed);
		return;
	}
	k->state = SLOT_BUSY;
	k->number = t->next_read++;
	pthread_mutex_unlock(&t->lock);
	fill(r, st, &k->batch, &k->piece);
	pthread_mutex_lock(&t->lock);
	k->state = SLOT_FULL;
	pthread_cond_broadcast(&t->changed);
}

static void work(void *arg)
{
	struct team *t = arg;
	sqlite3_stmt *st = NULL;
	struct sq_reader *r = join_team(t, &st);
	struct sqlite_rows_slot *k;

	pthread_mutex_lock(&t->lock);
	while (r && !t->stop && !(t->all_read && t->next_given == t->next_read)) {
		if (!t->giving && (k = find_slot(t, SLOT_FULL)))
			give_piece(t, k, r, st);
		else if (!t->all_read && (k = find_slot(t, SLOT_FREE)))
			read_piece(t, k, r, st);
		else
			pthread_cond_wait(&t->changed, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	sqlite3_finalize(st);
}

static bool each_ahead(struct sq_scan *s, unsigned workers, bool (*row)(void *, struct nsys_scan *),
		       void *arg)
{
	struct team t = {.s = s, .row = row, .arg = arg, .n_slots = workers + 2};

	pthread_mutex_init(&t.lock, NULL);
	pthread_cond_init(&t.changed, NULL);
	t.slots = xcalloc(t.n_slots, sizeof(*t.slots));
	for (unsigned i = 0; i < t.n_slots; i++)
		batch_init_like(&t.slots[i].batch, &s->batch);
	par_run(workers, work, &t);
	for (unsigned i = 0; i < t.n_slots; i++)
		batch_fini(&t.slots[i].batch);
	free(t.slots);
	pthread_cond_destroy(&t.changed);
	pthread_mutex_destroy(&t.lock);
	s->now = NULL;
	s->base.type = NULL;
	return !t.stop;
}

/* The number of pieces, as far as that matters for so many threads. */
static unsigned threads_for(const struct sq_scan *s, unsigned workers)
{
	uint64_t rows = (uint64_t)s->last - (uint64_t)s->next, pieces;

	/* while somebody writes, two connections may see different states of the file */
	if (s->db->base.busy || !s->piece_rows || !sqlite3_threadsafe())
		return 1;
	pieces = rows / (uint64_t)s->piece_rows;
	return pieces < workers ? (unsigned)pieces : workers;
}

static bool scan_each(struct nsys_scan *base, unsigned workers,
		      bool (*row)(void *, struct nsys_scan *), void *arg)
{
	struct sq_scan *s = scan_of(base);
	bool go_on = true;

	if (s->rowids)
		plan(s);
	workers = s->rowids ? threads_for(s, workers < PAR_MAX ? workers : PAR_MAX) : 1;
	if (workers > 1)
		go_on = each_ahead(s, workers, row, arg);
	/* all, where there was one thread, or none that could open the file again */
	while (go_on && scan_step(base) == NSYS_ROW)
		go_on = row(arg, base);
	return go_on;
}

/* ---- opening ---- */

/* Of the columns that are there; the rowid, where there is one, goes in front. */
static char *scan_sql(struct sq_scan *s, struct sq_table *t, const char *const *cols, size_t n,
		      const char *filter_col)
{
	sqlite3_str *sql = sqlite3_str_new(s->db->main.sq);
	struct sq_batch *b = &s->batch;

	sqlite3_str_appendall(sql, s->rowids ? "SELECT nsys_row(_rowid_" : "SELECT NULL");
	b->n_want = 0;
	for (size_t i = 0; i < n; i++) {
		if (!sq_has_column(s->db, t, cols[i]))
			continue;
		sqlite3_str_appendf(sql, ",\"%w\"", cols[i]);
		b->at[b->n_want++] = (uint8_t)i;
	}
	if (filter_col)
		sqlite3_str_appendf(sql, ",\"%w\"", filter_col);
	/* not by an index, whose order is another one, and its damage not the table's */
	sqlite3_str_appendf(sql, "%s FROM \"%w\" NOT INDEXED%s", s->rowids ? ")" : "", t->name,
			    s->rowids ? " WHERE _rowid_ BETWEEN ?1 AND ?2" : "");
	return sqlite3_str_finish(sql);
}

static bool scan_prepare(struct sq_scan *s, struct sq_table *t, const char *const *cols, size_t n,
			 const char *filter_col)
{
	s->sql = scan_sql(s, t, cols, n, filter_col);
	s->st = sq_prepare(&s->db->main, sqlite3_mprintf("%s", s->sql ? s->sql : ""));
	if (s->st)
		return true;
	sqlite3_free(s->sql);
	s->sql = NULL;
	return false;
}

static void scan_close(struct nsys_scan *base)
{
	struct sq_scan *s = scan_of(base);

	sqlite3_finalize(s->st);
	sqlite3_free(s->sql);
	batch_fini(&s->batch);
	free(s);
}

static const struct nsys_scan_ops scan_ops;

struct nsys_scan *sq_scan(struct nsys_db *base, const char *table, const char *const *cols,
			  size_t n, const char *filter_col, int64_t filter, struct err *e)
{
	struct sq_db *db = sq_db_of(base);
	struct sq_table *t = sq_find_table(db, table);
	struct sq_scan *s;
	int rc;

	if (!t || n > NSYS_COLS_MAX || (filter_col && !sq_has_column(db, t, filter_col))) {
		err_set(e, ERR_FORMAT, _("table %s: missing"), table);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->base.ops = &scan_ops;
	s->base.row = INT64_MIN;
	s->db = db;
	s->table = t->name;
	s->batch.n_cols = (unsigned)n;
	s->batch.filtered = filter_col;
	s->batch.filter = filter;
	s->rowids = !sq_has_column(db, t, "_rowid_");
	if (!s->rowids || !scan_prepare(s, t, cols, n, filter_col)) {
		s->rowids = false;
		scan_prepare(s, t, cols, n, filter_col);
	}
	batch_init(&s->batch);
	if (s->st)
		return &s->base;
	rc = sqlite3_errcode(db->main.sq);
	sq_lost(db, NSYS_LOST_TABLE, t->name, 0, 0, sq_why(rc));
	err_set(e, ERR_FORMAT, "table %s: %s", table, sq_why(rc));
	scan_close(&s->base);
	return NULL;
}

/* ---- cells ---- */

/* Columns without a declared type keep a whole number that a script wrote as a double. */
static bool whole_double(double d, int64_t *v)
{
	if (!(d > -9e15 && d < 9e15))
		return false;
	*v = (int64_t)d;
	return (double)*v == d;
}

static double real_of(const struct nsys_scan *s, unsigned col)
{
	double d;

	memcpy(&d, &s->value[col], sizeof(d));
	return d;
}

static bool scan_integer(struct nsys_scan *s, unsigned col, int64_t *v)
{
	if (s->type[col] == NSYS_REAL && whole_double(real_of(s, col), v))
		return true;
	return nsys_scan_wrong(s, col);
}

static bool stored_text(struct nsys_scan *base, unsigned col, const char **p, size_t *n)
{
	const struct sq_batch *b = scan_of(base)->now;
	struct text_head h;

	memcpy(&h, b->text.a + base->value[col], sizeof(h));
	*p = b->text.a + base->value[col] + sizeof(h);
	*n = h.n;
	return true;
}

static bool scan_text(struct nsys_scan *s, unsigned col, const char **p, size_t *n)
{
	if (s->type[col] == NSYS_NULL)
		return false;
	if (s->type[col] != NSYS_TEXT && s->type[col] != NSYS_BLOB)
		return nsys_scan_wrong(s, col);
	return stored_text(s, col, p, n);
}

static bool scan_any(struct nsys_scan *base, unsigned col, const char **p, size_t *n)
{
	struct sq_scan *s = scan_of(base);

	if (base->type[col] == NSYS_TEXT || base->type[col] == NSYS_BLOB)
		return stored_text(base, col, p, n);
	/* a point in any locale, and no ".0": columns of REAL keep whole numbers as integers */
	if (base->type[col] == NSYS_REAL)
		sqlite3_snprintf(sizeof(s->number), s->number, "%.15g", real_of(base, col));
	else
		snprintf(s->number, sizeof(s->number), "%" PRId64, base->value[col]);
	*p = s->number;
	*n = strlen(s->number);
	return true;
}

static const struct nsys_scan_ops scan_ops = {
	.close = scan_close,
	.step = scan_step,
	.integer = scan_integer,
	.text = scan_text,
	.any = scan_any,
	.each = scan_each,
};
