/*
 * test_nsys_samples.c - CPU samples of Nsight Systems: a small database whose tree is known, the same rows as lines of JSON, a part of
 * them; and the databases of the corpus against sums that SQLite makes of their tables
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sbuf.h"
#include "load/nsys/nsys.h"
#include "tests/lib/sampler.h"

static char path[] = "test_nsys_samples.XXXXXX";

#define P5 "281475060596736"	/* process 5 of the first virtual machine; its threads 5 and 6 */
#define T5  "281475060596741"
#define T6  "281475060596742"
#define T9  "281475127705609"	/* process 9 and its only thread */

static const char made[] =
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
	"INSERT INTO StringIds VALUES (1,'main'),(2,'work'),(3,'0x10'),(4,'spin'),(5,'[Max depth]'),(6,'/bin/app'),(7,'/x/libcuda.so.1'),"
	"(8,'trainer'),(9,'loader');"
	"CREATE TABLE ThreadNames(nameId INTEGER, priority INTEGER, globalTid INTEGER);"
	"INSERT INTO ThreadNames VALUES (8,0," T5 "),(9,0," T6 "),(9,0,281475077373954);"	/* the last one of a process without samples */
	"CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
	"INSERT INTO PROCESSES VALUES (" P5 ",5,'python');"
	"CREATE TABLE COMPOSITE_EVENTS(id INTEGER NOT NULL PRIMARY KEY, start INTEGER, cpu INTEGER, threadState INTEGER, globalTid INTEGER,"
	" cpuCycles INTEGER);"
	"INSERT INTO COMPOSITE_EVENTS VALUES (1,0,0,1," T5 ",1),(2,1000000,0,1," T5 ",1),(3,3000000,0,1," T5 ",1),(4,0,1,1," T6 ",1),"
	"(5,1500000,1,1," T6 ",1),(6,4000000,1,1," T6 ",1),(7,5000000,1,1," T9 ",1),(8,NULL,1,1," T9 ",1);"
	"CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER NOT NULL, symbol INTEGER, module INTEGER, kernelMode INTEGER, unresolved INTEGER,"
	" specialEntry INTEGER, stackDepth INTEGER);"
	"INSERT INTO SAMPLING_CALLCHAINS VALUES (1,2,6,NULL,NULL,NULL,0),(1,1,6,NULL,NULL,NULL,1),"
	"(2,2,6,0,0,0,0),(2,1,6,0,0,0,1),"
	"(3,3,7,0,1,0,0),(3,2,6,0,0,0,1),(3,1,6,0,0,0,2),"
	"(4,4,6,0,0,0,0),(4,5,5,NULL,NULL,NULL,1),"
	"(5,4,6,0,0,0,0),"
	"(7,1,6,0,0,0,2),(7,2,6,0,0,0,1),(7,4,6,0,0,0,0),"
	"(2,4,6,0,0,0,2);";	/* a piece of the second again */

static sqlite3 *open_made(const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail("test database: %s", why ? why : sqlite3_errmsg(db));
	sqlite3_free(why);
	return db;
}

/* from >= to: all of it */
static struct profile *load(const struct loader *l, ns_t from, ns_t to)
{
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct profile *p = NULL;
	struct err e = ERR_INIT;

	if (from < to)
		builder_keep_within(lx.builder, from, to);
	if (l->load(&lx, path, &e))
		p = builder_finish(lx.builder);
	else
		diag("%s", e.text);
	builder_free(lx.builder);
	return p;
}

/* The tree as lines of "depth function samples", freed by the caller. */
static char *drawn(const struct profile *p)
{
	struct sbuf out = { 0 };
	unsigned *depth = xcalloc(p->n_frames + 1, sizeof(*depth));

	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct frame_node *f = &p->frames[i];

		depth[i] = f->parent < 0 ? 0 : depth[f->parent] + 1;
		sbuf_printf(&out, "%u %s %" PRId64 "\n", depth[i], sampler_str(p, f->function), f->samples);
	}
	free(depth);
	sbuf_puts(&out, "");
	return out.s;
}

static bool has_note(const struct profile *p, const char *text)
{
	for (uint32_t i = 0; i < p->n_notes; i++)
		if (strstr(p->notes[i], text))
			return true;
	return false;
}

static bool has_option(const struct profile *p, const char *key, const char *value)
{
	for (uint32_t i = 0; i < p->n_options; i++)
		if (sampler_named(p, p->options[i].key, key, strlen(key)))
			return sampler_named(p, p->options[i].value, value, strlen(value));
	return false;
}

static uint64_t damage(const struct profile *p, const char *what)
{
	for (uint32_t i = 0; i < p->n_damages; i++)
		if (strcmp(p->damages[i].what, what) == 0)
			return p->damages[i].count;
	return 0;
}

/* ---- a database whose tree is known ---- */

static void tree(const struct profile *p)
{
	static const char five[] = "process 5:\"python\"", t5[] = "process 5:\"python\";thread (5): trainer";
	const struct frame_node *f;

	is_int(sampler_roots(p, false), 7, "every sample once");
	f = sampler_at(p, five);
	ok(f && f->samples == 6 && f->kind == NODE_PROCESS, "a process, by its name");
	f = sampler_at(p, t5);
	ok(f && f->samples == 3 && f->kind == NODE_THREAD, "its main thread");
	f = sampler_at(p, "process 5:\"python\";thread (5): trainer;main;work");
	ok(f && f->samples == 3 && f->kind == NODE_NATIVE && f->total_ns == NS_UNKNOWN, "samples of equal stacks are added; they are no times");
	f = sampler_at(p, "process 5:\"python\";thread (5): trainer;main;work;libcuda.so.1!0x10");
	ok(f && f->samples == 1 && sampler_named(p, f->file, "/x/libcuda.so.1", 15), "without a symbol: module and address");
	f = sampler_at(p, "process 5:\"python\";thread (6): loader;[Max depth];spin");
	ok(f && f->samples == 1, "a chain that was cut stands apart");
	f = sampler_at(p, "process 5:\"python\";thread (6): loader;spin");
	ok(f && f->samples == 1, "from the one that has nothing above");
	f = sampler_at(p, "process 5:\"python\";thread (6): loader;(no frame)");
	ok(f && f->samples == 1 && f->kind == NODE_EMPTY, "a sample without a chain");
	f = sampler_at(p, "process 9;thread (9);main;work;spin");
	ok(f && f->samples == 1, "rows from the outermost in; a process and thread without names");
}

static void remarks(const struct profile *p)
{
	ok(p->caps & CAP_SAMPLES, "the source has samples");
	ok(has_note(p, "CPU samples: 7;"), "how many there are");
	ok(has_note(p, "cut ([Max depth]): 1 of 7"), "how many chains are cut");
	ok(has_note(p, "without its callers: 1 of 7"), "how many are of one function");
	ok(has_note(p, "without a call chain: 1 of 7"), "how many have none");
	ok(has_note(p, "module!address: 1 of 7"), "how many end without a symbol");
	/* apart on their threads: 1, 2, 1.5 and 2.5 ms */
	ok(has_option(p, "interval", "2.000000 ms (median)"), "the interval");
	is_int((int64_t)damage(p, "sample without a number or a time"), 1, "a sample without a time");
	is_int((int64_t)damage(p, "call chains in several pieces, of which one was read"), 1, "a chain in two pieces");
	ok(p->n_threads == 0 && p->n_processes == 0, "a thread that has samples alone has no lane");
}

/* Every row of every table as a line of JSON: the texts here need no escapes. */
static void write_json(sqlite3 *db, bool chains_first)
{
	static const char *const tables[] = { "StringIds", "ThreadNames", "PROCESSES", "COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS" };
	struct sbuf out = { 0 };

	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++) {
		const char *name = tables[chains_first ? sizeof(tables) / sizeof(*tables) - 1 - t : t];
		char *sql = xasprintf("SELECT * FROM %s", name);
		sqlite3_stmt *st;

		sqlite3_prepare_v2(db, sql, -1, &st, NULL);
		free(sql);
		while (sqlite3_step(st) == SQLITE_ROW) {
			sbuf_puts(&out, "{");
			for (int c = 0; c < sqlite3_column_count(st); c++) {
				bool text = sqlite3_column_type(st, c) == SQLITE_TEXT;

				if (sqlite3_column_type(st, c) != SQLITE_NULL)
					sbuf_printf(&out, text ? "\"%s\":\"%s\"," : "\"%s\":%s,", sqlite3_column_name(st, c),
						(const char *)sqlite3_column_text(st, c));
			}
			sbuf_printf(&out, "\"table\":\"%s\"}\n", name);
		}
		sqlite3_finalize(st);
	}
	outfile_write(path, out.s, out.n, NULL);
	sbuf_fini(&out);
}

static void known(void)
{
	struct profile *p, *q;
	char *want = NULL, *got;
	sqlite3 *db = open_made(made);

	p = load(&loader_nsys_sqlite, 0, 0);
	if (ok(p != NULL, "a database with CPU samples")) {
		tree(p);
		remarks(p);
		want = drawn(p);
	}
	q = load(&loader_nsys_sqlite, 0, 2000000);
	got = q ? drawn(q) : NULL;
	ok(q && sampler_roots(q, false) == 4, "a part of the time: its samples alone");
	free(got);
	profile_unref(q);
	for (int order = 0; order < 2; order++) {
		write_json(db, order);
		q = load(&loader_nsys_jsonl, 0, 0);
		got = q ? drawn(q) : NULL;
		is_str(got, want, order ? "as lines of JSON, the chains before their samples" : "as lines of JSON");
		free(got);
		profile_unref(q);
	}
	sqlite3_close(db);
	free(want);
	profile_unref(p);
}

/* Samples of Python are marks of a domain of their own, whose stacks lie in payloads that nobody has described. */
static void python(void)
{
	static const char marks[] = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
		"CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER);"
		"INSERT INTO NVTX_EVENTS VALUES (-5,NULL,75,'Python Periodic Sampling'," T5 ",2),(10,NULL,34,NULL," T5 ",2),"
		"(20,NULL,34,NULL," T5 ",2),(15,NULL,34,'mine'," T5 ",0);";
	struct profile *p;

	sqlite3_close(open_made(marks));
	p = load(&loader_nsys_sqlite, 0, 0);
	ok(p && has_note(p, "does not show: 2;"), "samples of Python are told, without their stacks");
	ok(p && !p->n_frames && !(p->caps & CAP_SAMPLES), "and are no stacks");
	profile_unref(p);
}

/* ---- the corpus ---- */

/* What the tree has of samples whose leaf is this function of this module, on this thread. */
static int64_t leaf_samples(const struct profile *p, int64_t tid, const char *function, const char *module)
{
	char label[40];
	int64_t sum = 0, *self = xcalloc(p->n_frames + 1, sizeof(*self));
	bool *here = xcalloc(p->n_frames + 1, sizeof(*here));

	snprintf(label, sizeof(label), "thread (%" PRId64 ")", tid);
	for (uint32_t i = p->n_frames; i-- > 0;) {
		self[i] += p->frames[i].samples;
		if (p->frames[i].parent >= 0)
			self[p->frames[i].parent] -= p->frames[i].samples;
	}
	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct frame_node *f = &p->frames[i];

		if (f->kind == NODE_THREAD)
			here[i] = strncmp(sampler_str(p, f->function), label, strlen(label)) == 0;
		else
			here[i] = f->parent >= 0 && here[f->parent];
		if (here[i] && f->kind == NODE_NATIVE && strcmp(sampler_str(p, f->function), function) == 0 &&
		    strcmp(sampler_str(p, f->file), module) == 0)
			sum += self[i];
	}
	free(here);
	free(self);
	return sum;
}

/* Leaves by thread, function and module, as the tables say. */
static const char sums[] =
	"SELECT e.globalTid & 16777215, CASE WHEN c.unresolved THEN replace(m.value, rtrim(m.value, replace(m.value, '/', '')), '') || '!' ||"
	" s.value ELSE s.value END, m.value, count(*) FROM COMPOSITE_EVENTS e JOIN SAMPLING_CALLCHAINS c ON c.id = e.id AND c.stackDepth = 0"
	" JOIN StringIds s ON s.id = c.symbol JOIN StringIds m ON m.id = c.module GROUP BY 1, 2, 3";

/* Leaves that differ; *rows: how many there are, *samples: in how many samples. */
static unsigned differing(const char *file, unsigned *rows, int64_t *samples)
{
	struct profile *p;
	unsigned bad = 0;
	sqlite3_stmt *st = NULL;
	sqlite3 *db;

	*rows = 0;
	*samples = 0;
	if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, sums, -1, &st, NULL) != SQLITE_OK) {
		sqlite3_close(db);
		return 0;
	}
	p = NULL;
	while (sqlite3_step(st) == SQLITE_ROW) {
		struct job job = { 0 };
		struct load_ctx lx = { .builder = builder_new(), .job = &job };

		if (!p && loader_nsys_sqlite.load(&lx, file, NULL))
			p = builder_finish(lx.builder);
		builder_free(lx.builder);
		bad += !p || leaf_samples(p, sqlite3_column_int64(st, 0), (const char *)sqlite3_column_text(st, 1),
			(const char *)sqlite3_column_text(st, 2)) != sqlite3_column_int64(st, 3);
		*samples += sqlite3_column_int64(st, 3);
		++*rows;
	}
	bad += p && sampler_roots(p, false) != *samples;
	sqlite3_finalize(st);
	sqlite3_close(db);
	profile_unref(p);
	return bad;
}

static void corpus(const char *root)
{
	char *dir = xasprintf("%s/nsys", root);
	struct file_list l = { 0 };
	unsigned files = 0, bad = 0, rows = 0;
	int64_t samples = 0;

	file_list_dir(&l, dir, true, NULL);
	for (size_t i = 0; i < l.n; i++) {
		unsigned n, wrong;
		int64_t of;

		if (!strstr(l.paths[i], ".sqlite"))
			continue;
		wrong = differing(l.paths[i], &n, &of);
		if (wrong)
			diag("%s: %u of %u leaves differ", l.paths[i], wrong, n);
		files += n > 0;
		rows += n;
		bad += wrong;
		samples += of;
	}
	ok(!bad && files, "%u databases with %" PRId64 " CPU samples: %u leaves by thread as SQLite counts them, %u not", files, samples, rows, bad);
	file_list_fini(&l);
	free(dir);
}

int main(void)
{
	const char *root = getenv("PROFDIVE_CORPUS");
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	known();
	python();
	unlink(path);
	if (root && *root)
		corpus(root);
	else
		diag("no corpus (PROFDIVE_CORPUS): the database made here only");
	return done_testing();
}
