/*
 * test_sqlite_faults.c - databases of which a page was zeroed, or of which reads fail: nothing may be lost without a word. Every page of
 * three databases in turn, and every n-th read, below SQLite: in a file system of its own (https://www.sqlite.org/vfs.html).
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "load/nsys/db.h"
#include "load/read/loader.h"
#include "tests/lib/same_profile.h"
#include "tests/lib/tap.h"

static char path[] = "test_sqlite_faults.XXXXXX";

/* ---- a file system with faults ---- */

static struct {
	sqlite3_int64 zero_from, zero_to; /* bytes of the file; none if equal */
	uint64_t fail_each;		  /* 0 never */
	uint64_t reads;
} fault;

struct faulty_file {
	sqlite3_file base;
	sqlite3_file *real;
};

static sqlite3_vfs *real_vfs;

static sqlite3_file *real_of(sqlite3_file *f)
{
	return ((struct faulty_file *)(void *)f)->real;
}

static int faulty_read(sqlite3_file *f, void *buf, int n, sqlite3_int64 at)
{
	int rc = real_of(f)->pMethods->xRead(real_of(f), buf, n, at);
	sqlite3_int64 from = at > fault.zero_from ? at : fault.zero_from;
	sqlite3_int64 to = at + n < fault.zero_to ? at + n : fault.zero_to;
	uint64_t number = __atomic_add_fetch(&fault.reads, 1, __ATOMIC_RELAXED);

	if (fault.fail_each && number % fault.fail_each == 0)
		return SQLITE_IOERR_READ;
	if (from < to)
		memset((char *)buf + (from - at), 0, (size_t)(to - from));
	return rc;
}

static int faulty_close(sqlite3_file *f)
{
	int rc = real_of(f)->pMethods->xClose(real_of(f));

	free(real_of(f));
	return rc;
}

#define PASS_ON(name, params, args)                        \
	static int faulty_##name params                    \
	{                                                  \
		return real_of(f)->pMethods->x##name args; \
	}

PASS_ON(Write, (sqlite3_file * f, const void *b, int n, sqlite3_int64 at), (real_of(f), b, n, at))
PASS_ON(Truncate, (sqlite3_file * f, sqlite3_int64 n), (real_of(f), n))
PASS_ON(Sync, (sqlite3_file * f, int how), (real_of(f), how))
PASS_ON(FileSize, (sqlite3_file * f, sqlite3_int64 *n), (real_of(f), n))
PASS_ON(Lock, (sqlite3_file * f, int how), (real_of(f), how))
PASS_ON(Unlock, (sqlite3_file * f, int how), (real_of(f), how))
PASS_ON(CheckReservedLock, (sqlite3_file * f, int *is), (real_of(f), is))
PASS_ON(FileControl, (sqlite3_file * f, int op, void *arg), (real_of(f), op, arg))
PASS_ON(SectorSize, (sqlite3_file * f), (real_of(f)))
PASS_ON(DeviceCharacteristics, (sqlite3_file * f), (real_of(f)))

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	static const sqlite3_io_methods methods = {
		1,
		faulty_close,
		faulty_read,
		faulty_Write,
		faulty_Truncate,
		faulty_Sync,
		faulty_FileSize,
		faulty_Lock,
		faulty_Unlock,
		faulty_CheckReservedLock,
		faulty_FileControl,
		faulty_SectorSize,
		faulty_DeviceCharacteristics,
		NULL,
		NULL,
		NULL,
		NULL,
		NULL,
		NULL,
	};
	struct faulty_file *file = (struct faulty_file *)(void *)f;
	int rc;

	(void)vfs;
	file->real = xcalloc(1, (size_t)real_vfs->szOsFile);
	rc = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
	file->base.pMethods = rc == SQLITE_OK ? &methods : NULL;
	if (rc != SQLITE_OK)
		free(file->real);
	return rc;
}

static void install_faults(void)
{
	static sqlite3_vfs vfs;

	real_vfs = sqlite3_vfs_find(NULL);
	vfs = *real_vfs;
	vfs.zName = "faulty";
	vfs.szOsFile = sizeof(struct faulty_file);
	vfs.xOpen = faulty_open;
	sqlite3_vfs_register(&vfs, 1);
}

/* ---- databases ---- */

#define NUMBERS(n)                                                                         \
	"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < " #n \
	") INSERT INTO "
#define G "281474993487889" /* thread 17 of process 1 */
#define P "281474993487872"
#define TABLES                                                                                     \
	"CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"                                   \
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION','2025.1');"                 \
	"CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);" NUMBERS(                    \
		40) "DIAGNOSTIC_EVENT SELECT 3, printf('events were lost, %d of them', i) FROM c;" \
		    "CREATE TABLE PROCESSES (globalPid INTEGER, name TEXT);" NUMBERS(              \
			    60) "PROCESSES SELECT " P                                              \
				" + i * 16777216, printf('process-%d', i) FROM c;"                 \
				"CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount "    \
				"INTEGER, memoryBandwidth INTEGER);"                               \
				"INSERT INTO TARGET_INFO_GPU VALUES (0, 'H200', 132, "             \
				"4800000000000);"                                                  \
				"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end "    \
				"INTEGER, globalTid INTEGER, correlationId INTEGER, nameId "       \
				"INTEGER);"                                                        \
				"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end "     \
				"INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"  \
				" correlationId INTEGER, globalPid INTEGER, demangledName "        \
				"INTEGER, shortName INTEGER);"                                     \
				"CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType " \
				"INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER);"
#define STRINGS NUMBERS(300) "StringIds SELECT i, printf('kernel_%d_of_many', i) FROM c;"
#define ROWS(n)                                                                                   \
	NUMBERS(n)                                                                                \
	"CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 * i, 1000 * i + 100, " G                         \
	", i, i % 3 FROM c;" NUMBERS(n) "CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000 * i + 200, 1000 " \
					"* i + 900, 0, 1, 7, i, " P ", i % 300, i % 300 FROM c;"

static const struct made {
	const char *name;
	unsigned piece_rows;
	bool one_each; /* a row of a table of events is an event */
	const char *sql;
} made[] = {
	{"small pages", 32, true,
	 "PRAGMA page_size=512;" TABLES
	 "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);" STRINGS
	 "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);" NUMBERS(
		 200) "ThreadNames SELECT i, " P " + i FROM c;" ROWS(400)
		 NUMBERS(100) "NVTX_EVENTS SELECT 1000 * i, 1000 * i + 950, 59, printf('step %d', "
			      "i), " G ", 0 FROM c;"},
	/* domains are looked up in the middle of the table that has them; texts of many pages; other keys, no rowids, no order */
	{"long texts, odd keys", 64, false,
	 "PRAGMA page_size=1024;" TABLES "CREATE TABLE StringIds (id INTEGER, value TEXT);" STRINGS
	 "UPDATE StringIds SET value = value || printf('%.*c', 1500, 'x') WHERE id % 50 = 0;"
	 "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER PRIMARY KEY) WITHOUT "
	 "ROWID;" NUMBERS(200) "ThreadNames SELECT i, " P " + i FROM c;" ROWS(200)
		 NUMBERS(60) "NVTX_EVENTS SELECT 1000 * i, 1000 * i + 950, 59, printf('range %d "
			     "%.*c', i, 30 * i, 'y'), " G ", i % 4 FROM c;"
			     "INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'domain one', " G
			     ", 1), (0, NULL, 75, 'domain two', " G ", 2);"
			     "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET rowid = -1000000 - rowid WHERE "
			     "rowid < 10;"
			     "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET rowid = rowid * 100000000 "
			     "WHERE rowid > 150;"},
	{"samples, switches and gaps", 200, false,
	 "PRAGMA page_size=2048;" TABLES
	 "CREATE TABLE StringIds (id INT PRIMARY KEY, value TEXT);" STRINGS
	 "CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER, globalTid "
	 "INTEGER);" NUMBERS(
		 900) "COMPOSITE_EVENTS SELECT i + 1, 1000 * i, " G " FROM c;"
		      "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER, "
		      "module INTEGER, stackDepth INTEGER);" NUMBERS(
			      1800) "SAMPLING_CALLCHAINS SELECT i / 2 + 1, i % 7, 8, i % 2 FROM c;"
				    "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, "
				    "isSchedIn INTEGER, globalTid INTEGER);" NUMBERS(
					    700) "SCHED_EVENTS SELECT 100 * i, 1, i % 2, " G
						 " FROM c;"
						 "CREATE TABLE GPU_METRICS (timestamp INTEGER, "
						 "value INTEGER);" NUMBERS(
							 700) "GPU_METRICS SELECT i, i FROM "
							      "c;" ROWS(2500) "DELETE FROM "
									      "CUPTI_ACTIVITY_KIND_"
									      "KERNEL WHERE rowid "
									      "% 10 = 3;"},
};
enum {
	N_MADE = sizeof(made) / sizeof(*made)
};

static void make(const struct made *m)
{
	sqlite3 *db = NULL;
	char *why = NULL;

	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, "PRAGMA synchronous=0", NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, m->sql, NULL, NULL, &why) != SQLITE_OK)
		fail("%s: %s", m->name, why ? why : "?");
	sqlite3_free(why);
	sqlite3_close(db);
}

/* NULL: refused, with a reason in *e. */
static struct profile *load(unsigned workers, struct err *e)
{
	struct job job = {.workers = workers};
	struct load_ctx lx = {.builder = builder_new(), .job = &job};
	struct profile *p = NULL;

	memset(e, 0, sizeof(*e));
	if (loader_nsys_sqlite.load(&lx, path, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

struct count {
	unsigned tries, refused, told, same, silent, dumb, wrong;
};

/* Whether what was loaded with faults is the sound file, or says that it is not. */
static struct profile *try_once(const struct profile *sound, unsigned workers, struct count *c,
				const char *what, uint64_t number)
{
	struct err e;
	struct profile *p = load(workers, &e);
	const char *differs = p ? same_profile(sound, p) : NULL;

	c->tries++;
	c->refused += !p;
	c->dumb += !p && (e.code == ERR_NONE || !*e.text);
	c->told += p && p->n_damages;
	c->same += p && !p->n_damages && !differs;
	if (p && !p->n_damages && differs) {
		c->silent++;
		diag("%s %" PRIu64 ": %s differs, and nothing is said", what, number, differs);
	}
	return p;
}

static void report(const struct made *m, unsigned workers, const char *what, const struct count *c)
{
	is_uint(c->silent, 0, "%s: %u %s, read by %u: nothing is lost without a word", m->name,
		c->tries, what, workers);
	is_uint(c->dumb, 0, "each refusal has a reason");
	diag("told of %u, refused %u, without effect %u, silent %u", c->told, c->refused, c->same,
	     c->silent);
}

/* ---- pages ---- */

struct file {
	char *bytes;
	size_t n, page;
};

static unsigned be16(const char *p)
{
	return (unsigned)(unsigned char)p[0] << 8 | (unsigned char)p[1];
}

/* Rows of a leaf of a table, 0 of other pages. */
static unsigned rows_of(const struct file *f, size_t page)
{
	const char *p = f->bytes + page * f->page;

	return page && p[0] == 0x0d ? be16(p + 3) : 0;
}

static void zeroed_pages(const struct made *m, const struct profile *sound, const struct file *f,
			 unsigned workers)
{
	struct count c = {0};

	for (size_t page = 0; page < f->n / f->page; page++) {
		unsigned rows = rows_of(f, page), lost;
		struct profile *p;

		fault.zero_from = (sqlite3_int64)(page * f->page);
		fault.zero_to = fault.zero_from + (sqlite3_int64)f->page;
		p = try_once(sound, workers, &c, "page", page + 1);
		lost = p ? sound->n - p->n : 0;
		/* of a leaf the rows that lie there, no more and no less; or it is of another table */
		if (m->one_each && rows && p && lost && lost != rows) {
			c.wrong++;
			diag("page %zu has %u rows, %u are lost", page + 1, rows, lost);
		}
		profile_unref(p);
	}
	fault.zero_from = fault.zero_to = 0;
	report(m, workers, "pages zeroed", &c);
	is_uint(c.wrong, 0, "no row is lost but those that lay there");
}

/* ---- reads ---- */

/* How many reads one thread makes; several make a few more, not always as many. */
static uint64_t count_reads(void)
{
	struct err e;

	fault.reads = 0;
	profile_unref(load(1, &e));
	return fault.reads;
}

static void failing_reads(const struct made *m, const struct profile *sound, unsigned workers)
{
	uint64_t reads = count_reads();
	struct count c = {0};

	for (uint64_t n = 1; n <= reads; n++) {
		fault.reads = 0;
		fault.fail_each = n;
		profile_unref(try_once(sound, workers, &c, "read", n));
	}
	fault.fail_each = 0;
	ok(reads > 50, "%s: %" PRIu64 " reads", m->name, reads);
	report(m, workers, "times every n-th read failed", &c);
}

/* ---- what is said ---- */

static bool noted(const struct profile *p, const char *text)
{
	for (uint32_t i = 0; i < p->n_notes; i++)
		if (strstr(p->notes[i], text))
			return true;
	return false;
}

static uint64_t damage(const struct profile *p, const char *what)
{
	for (uint32_t i = 0; i < p->n_damages; i++)
		if (strcmp(p->damages[i].what, what) == 0)
			return p->damages[i].count;
	return 0;
}

/* The number of the page that alone holds this text. */
static size_t page_with(const struct file *f, const char *text)
{
	const char *at = memmem(f->bytes, f->n, text, strlen(text));

	return at ? (size_t)(at - f->bytes) / f->page : 0;
}

static void zero(const struct file *f, size_t page)
{
	fault.zero_from = (sqlite3_int64)(page * f->page);
	fault.zero_to = fault.zero_from + (sqlite3_int64)f->page;
}

static unsigned named(const struct profile *p, enum layer l, const char *name)
{
	unsigned n = 0;

	for (ev_id e = p->layer_first[l]; e < p->layer_first[l + 1]; e++) {
		size_t len;
		const char *s = profile_str(p, p->name[e], &len);

		n += len == strlen(name) && memcmp(s, name, len) == 0;
	}
	return n;
}

/* Rows of the leaf that holds kernel_120_of_many: ids that 400 kernels, i % 300 each, are named after. */
static void lost_names(const struct file *f)
{
	size_t page = page_with(f, "kernel_120_of_many");
	unsigned ids = rows_of(f, page), kernels = 0;
	struct err e;
	struct profile *p;

	for (unsigned i = 0; i < 400; i++) {
		char text[40];

		snprintf(text, sizeof(text), "kernel_%u_of_many", i % 300);
		kernels += page_with(f, text) == page;
	}
	zero(f, page);
	p = load(1, &e);
	fault.zero_from = fault.zero_to = 0;
	if (!ok(p && ids > 5, "a page of StringIds with %u names is lost", ids))
		return;
	is_uint(damage(p, "pages of StringIds cannot be read"), ids, "each name is counted");
	is_uint(named(p, LAYER_KERNEL, "(unnamed)"), kernels, "its kernels have no name");
	is_uint(p->n, 900, "all events are there");
	profile_unref(p);
}

static void lost_rows(const struct file *f)
{
	size_t page = page_with(f, "step 50");
	struct err e;
	struct profile *p;
	char note[120] = "step 50";
	unsigned first = 50, rows = rows_of(f, page);

	/* ranges are steps: row i + 1 is "step i" */
	while (page_with(f, note) == page)
		snprintf(note, sizeof(note), "step %u", --first);
	snprintf(note, sizeof(note), "table NVTX_EVENTS: rows %u to %u cannot be read", first + 2,
		 first + 1 + rows);
	zero(f, page);
	p = load(1, &e);
	fault.zero_from = fault.zero_to = 0;
	if (!ok(p && rows > 3, "a page of ranges with %u rows is lost", rows))
		return;
	is_uint(damage(p, "part of a table cannot be read"), 1, "one place");
	ok(noted(p, note), "which rows: %s", note);
	is_uint(p->n, 900 - rows, "those behind are read");
	profile_unref(p);
}

static void one(const struct made *m, bool told)
{
	struct profile *sound, *again;
	struct err e;
	struct file f;

	make(m);
	f.bytes = file_read_all(path, 64 << 20, &f.n, &e);
	f.page = be16(f.bytes + 16);
	nsys_db_piece_rows = m->piece_rows;
	sound = load(1, &e);
	if (!ok(sound && !sound->n_damages && sound->n > 400, "%s: %u events on %zu pages", m->name,
		sound ? sound->n : 0, f.n / f.page))
		return;
	again = load(3, &e);
	ok(again && !same_profile(sound, again), "the same by three threads");
	profile_unref(again);
	for (unsigned workers = 1; workers <= 2; workers++) {
		zeroed_pages(m, sound, &f, workers);
		failing_reads(m, sound, workers);
	}
	if (told) {
		lost_names(&f);
		lost_rows(&f);
	}
	profile_unref(sound);
	free(f.bytes);
}

/* ---- more than is read at once ---- */

/* A batch ends with its rows or with its text; ids far apart make one piece of the table. Sums by hand. */
static void large(void)
{
	static const struct made m = {
		"large", 16, false,
		"PRAGMA page_size=4096;" TABLES
		"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);" STRINGS NUMBERS(
			5000) "CUPTI_ACTIVITY_KIND_KERNEL (rowid, start, end, deviceId, streamId, "
			      "demangledName)"
			      " SELECT 1000000000 * (i - 2500), 1000 * i + 1, 1000 * i + 1 + i, 0, "
			      "7, i % 300 FROM c;" NUMBERS(
				      40) "NVTX_EVENTS SELECT 1000 * i, 1000 * i + 950, 59, "
					  "printf('%.*c', 200000, 'z'), " G ", 0 FROM c;"};
	struct profile *p[2];
	int64_t dur = 0;
	struct err e;

	make(&m);
	nsys_db_piece_rows = m.piece_rows;
	for (unsigned i = 0; i < 2; i++)
		p[i] = load(1 + 2 * i, &e);
	if (!ok(p[0] && p[1], "large tables"))
		return;
	ok(!same_profile(p[0], p[1]), "the same by three threads");
	is_uint(p[0]->n_damages, 0, "sound");
	is_uint(p[0]->n, 5040, "every row");
	for (ev_id k = p[0]->layer_first[LAYER_KERNEL]; k < p[0]->layer_first[LAYER_KERNEL + 1];
	     k++)
		dur += p[0]->dur[k];
	is_int(dur, 12497500, "0 + 1 + … + 4999 ns");
	for (unsigned i = 0; i < 2; i++)
		profile_unref(p[i]);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	install_faults();
	for (size_t i = 0; i < N_MADE; i++)
		one(&made[i], i == 0);
	large();
	unlink(path);
	return done_testing();
}
