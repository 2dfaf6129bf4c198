/* work.c - what is measured, see measure.h */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "catalog/views.h"
#include "findings/rulebook.h"
#include "load/read/loader.h"
#include "measure/lanes.h"
#include "measure/op_index.h"
#include "tests/perf/measure.h"

static void fail(struct figures *f, const char *why)
{
	size_t n = strnlen(why, sizeof(f->why) - 1);

	memcpy(f->why, why, n);
	f->why[n] = '\0';
}

/* ---- the base ---- */

static bool is_sqlite(const char *path)
{
	char head[16];
	size_t n = 0;
	struct err e = ERR_INIT;

	return file_head(path, head, sizeof(head), &n, NULL, NULL, &e) && n == sizeof(head) && memcmp(head, "SQLite format 3", 16) == 0;
}

static void read_text(const char *path, struct figures *f)
{
	struct err e = ERR_INIT;
	struct file_src *s = file_src_open(path, &e);
	size_t cap = 256 * 1024, got = s ? 1 : 0;
	char *buf = xmalloc(cap);

	while (got && file_src_read(s, buf, cap, &got, &e))
		f->text_bytes += got;
	f->ok = s && !e.code;
	if (!f->ok)
		fail(f, e.text);
	free(buf);
	file_src_close(s);
}

/* Every column of every row of one table. */
static bool scan_table(sqlite3 *db, const char *table, struct figures *f)
{
	char *sql = xasprintf("SELECT * FROM \"%s\"", table);
	sqlite3_stmt *st = NULL;
	bool ok = sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK;
	int rc = SQLITE_DONE;

	while (ok && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++)
			f->text_bytes += (uint64_t)sqlite3_column_bytes(st, i) ? 1 : 0;
		f->rows++;
	}
	sqlite3_finalize(st);
	free(sql);
	return ok && rc == SQLITE_DONE;
}

static void scan_database(const char *path, struct figures *f)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;

	f->ok = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &st, NULL) == SQLITE_OK;
	while (f->ok && sqlite3_step(st) == SQLITE_ROW)
		f->ok = scan_table(db, (const char *)sqlite3_column_text(st, 0), f);
	if (!f->ok)
		fail(f, db ? sqlite3_errmsg(db) : "cannot open");
	sqlite3_finalize(st);
	sqlite3_close(db);
	f->text_bytes = 0;	/* rows count, not text */
}

void work_base(const char *path, struct figures *f)
{
	double start = now_s();

	if (is_sqlite(path))
		scan_database(path, f);
	else
		read_text(path, f);
	f->load_s = now_s() - start;
}

/* ---- loading ---- */

static uint64_t column_bytes(const struct profile *p)
{
	size_t event = sizeof(*p->start) + sizeof(*p->dur) + sizeof(*p->self) + sizeof(*p->name) + sizeof(*p->parent) +
		sizeof(*p->link) + sizeof(*p->aux);

	return (uint64_t)p->n * event + p->n_by_launch * sizeof(*p->by_launch) + p->n_copies * sizeof(*p->copies) +
		p->n_kernels * sizeof(*p->kernels) + p->n_frames * sizeof(*p->frames) + p->n_tracks * sizeof(*p->tracks);
}

static struct profile *load(const char *path, struct job *job, struct figures *f)
{
	struct err e = ERR_INIT;
	struct profile *p = NULL;
	double start = now_s();

	f->ok = loader_load(path, job, NULL, NULL, &p, &e);
	f->load_s = now_s() - start;
	if (!f->ok) {
		fail(f, e.text);
		return NULL;
	}
	f->resident_bytes = anonymous_bytes();
	f->events = p->n ? p->n : p->n_frames;
	for (uint32_t i = 0; i < p->n_contents; i++)
		f->seen += p->contents[i].count;
	f->column_bytes = column_bytes(p);
	return p;
}

static void load_and_drop(const char *path, unsigned workers, struct figures *f)
{
	struct job job = { .workers = workers };
	struct profile *p = load(path, &job, f);

	if (p)
		profile_unref(p);
}

void work_load(const char *path, struct figures *f)
{
	load_and_drop(path, 0, f);
}

void work_load_alone(const char *path, struct figures *f)
{
	load_and_drop(path, 1, f);
}

void work_indexed(const char *path, struct figures *f)
{
	struct err e = ERR_INIT;
	struct rules *rules = rules_new(&e);
	struct job job = { .workers = 1 };
	struct profile *p = load(path, &job, f);
	struct facts *facts = p && rules ? facts_new(rules, p, 0) : NULL;

	if (facts) {
		facts_make_lanes(facts);
		facts_op_index(facts);
		mem_trim();
		f->resident_bytes = anonymous_bytes();
	}
	facts_free(facts);
	if (p)
		profile_unref(p);
	rules_free(rules);
}

void work_first(const char *path, struct figures *f)
{
	static const char *const views[] = { "gpu", "kernels", "ops" };
	struct session *s = session_new();
	struct err e = ERR_INIT;
	struct rulebook *rules = rulebook_new(&e);
	struct job job = { 0 };
	double start = now_s();
	struct profile *p = load(path, &job, f);
	struct an_ctx *cx = NULL;
	struct scope sc;

	session_add(s, path);
	if (p && rules) {
		session_put(s, 0, p, SOURCE_READY);
		cx = an_ctx_new(s, rules, &job, NULL);
	}
	scope_init(&sc);
	for (size_t i = 0; cx && i < sizeof(views) / sizeof(*views); i++) {
		struct table *t = analysis_table(analysis_find(views[i]), cx, &sc, &e);

		f->rows += t ? t->n_rows : 0;
		table_free(t);
	}
	f->first_s = now_s() - start;
	an_ctx_free(cx);
	session_free(s);
	rulebook_free(rules);
}
