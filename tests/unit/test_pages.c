/*
 * test_pages.c - databases read from their pages are what SQLite says is in them, to the last bit: tables of every kind of cell and of
 * several page sizes, written here; with bytes spoilt at random and cut; and the corpus where it is there
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/outfile.h"
#include "base/mem.h"
#include "load/loader.h"
#include "load/nsys_db.h"
#include "load/nsys_pages.h"
#include "tests/lib/same_profile.h"
#include "tests/lib/tap.h"

static char path[] = "test_pages.XXXXXX";
static uint64_t seed = 3;

static unsigned dice(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

static struct profile *load(const char *file, bool pages)
{
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct profile *p = NULL;
	struct err e = ERR_INIT;

	nsys_db_no_pages = !pages;
	if (loader_nsys_sqlite.load(&lx, file, &e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	nsys_db_no_pages = false;
	return p;
}

/* NULL, or what differs. */
static const char *compare(const char *file, uint32_t *events)
{
	struct profile *want = load(file, false), *got = load(file, true);
	const char *bad = !want == !got ? NULL : "read by one of them only";

	*events = want ? want->n : 0;
	if (want && got)
		bad = same_profile(want, got);
	for (uint32_t i = 0; bad && want && got && i < want->n_notes && i < got->n_notes; i++)
		if (strcmp(want->notes[i], got->notes[i]) != 0)
			diag("SQLite: %s; pages: %s", want->notes[i], got->notes[i]);
	profile_unref(want);
	profile_unref(got);
	return bad;
}

/* ---- a database ---- */

static void put_rows(sqlite3 *db, const char *sql, unsigned n)
{
	static const char *const odd[] = { "NULL", "1.5", "7.0", "'text'", "x'0102'", "-1", "9223372036854775807", "0", "1", "''" };
	char text[600];

	for (unsigned i = 0; i < n; i++) {
		char cell[4][40];
		char *filled;

		for (unsigned k = 0; k < 4; k++)
			snprintf(cell[k], sizeof(cell[k]), "%s", dice(12) ? "5" : odd[dice(sizeof(odd) / sizeof(*odd))]);
		memset(text, 'a' + (int)(i % 26), sizeof(text));
		text[dice(20) ? dice(30) : dice(599)] = '\0';
		filled = sqlite3_mprintf(sql, i * 1000, i * 1000 + dice(70000), cell[0], cell[1], cell[2], cell[3], text);
		if (sqlite3_exec(db, filled, NULL, NULL, NULL) != SQLITE_OK)
			diag("%s: %s", filled, sqlite3_errmsg(db));
		sqlite3_free(filled);
	}
}

static void make(unsigned page_size)
{
	char pragma[200];
	sqlite3 *db;

	unlink(path);
	sqlite3_open(path, &db);
	snprintf(pragma, sizeof(pragma), "PRAGMA page_size=%u; PRAGMA auto_vacuum=%u; BEGIN", page_size, dice(2));
	sqlite3_exec(db, pragma, NULL, NULL, NULL);
	/* a rowid by another name, columns behind those that are wanted, a column that came later, one of another affinity */
	sqlite3_exec(db, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
		"INSERT INTO StringIds VALUES (5, 'five'), (1, 'one'), (0, 'zero');"
		"CREATE TABLE ThreadNames (nameId INT, priority INT, globalTid INT);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, extra TEXT, end INT, globalTid INT, correlationId INTEGER PRIMARY KEY, nameId INT,"
		" returnValue REAL);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, demangledName, gridX INT, pad TEXT);"
		"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end, eventType INT, text TEXT, globalTid INT, domainId INT, doubleValue REAL)", NULL, NULL, NULL);
	put_rows(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start,end,globalTid,nameId,returnValue,extra) VALUES (%u,%u,%s,%s,%s,'%.0s%s')", 700);
	put_rows(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%u,%u,%s,%s,%s,%s,3,'%s')", 700);
	put_rows(db, "INSERT INTO NVTX_EVENTS VALUES (%u,%u,59,'%.0s%.0s%.0s%.0s%s',281479271743488,0,NULL)", 700);
	/* of REAL: a whole number lies there as an integer below 2^47, as a double from there on */
	sqlite3_exec(db, "UPDATE NVTX_EVENTS SET doubleValue = CASE _rowid_ % 6 WHEN 0 THEN 3 WHEN 1 THEN 140737488355327"
		" WHEN 2 THEN 140737488355328 WHEN 3 THEN 0.1 WHEN 4 THEN -0.0 ELSE -1e300 END WHERE _rowid_ % 5 < 2;"
		"DELETE FROM NVTX_EVENTS WHERE _rowid_ % 7 = 3;"
		"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN contextId INT;"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId) VALUES (1, 2, 3, 4); COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
}

static void write_bytes(const char *bytes, size_t n)
{
	struct err e = ERR_INIT;

	if (!outfile_write(path, bytes, n, &e))
		diag("%s", e.text);
}

/* Bytes behind the header and schema spoilt, or the end gone. */
static void spoilt(unsigned page_size)
{
	struct err e = ERR_INIT;
	unsigned tries, read = 0;
	const char *bad = NULL;
	char *good, *copy;
	size_t n;

	good = file_read_all(path, 64 << 20, &n, &e);
	copy = xmalloc(n);
	for (tries = 0; tries < 150 && !bad; tries++) {
		uint32_t events;

		memcpy(copy, good, n);
		for (unsigned k = dice(4) + 1; k; k--)
			copy[page_size + dice((unsigned)(n - page_size))] = (char)dice(256);
		/* where the page says where its cells are */
		if (dice(2))
			copy[page_size * (1 + dice((unsigned)(n / page_size) - 1)) + dice(16)] ^= (char)(1 << dice(8));
		write_bytes(copy, dice(5) ? n : n - dice((unsigned)n / 2));
		bad = compare(path, &events);
		read += events > 0;
	}
	ok(!bad, "pages of %u bytes, spoilt %u times: %s", page_size, tries, bad ? bad : "the same");
	ok(read > 50, "events in %u of them", read);
	free(copy);
	free(good);
}

static void made(void)
{
	static const unsigned sizes[] = { 512, 1024, 4096, 65536 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint32_t events;
		struct pages f;
		const char *bad;

		make(sizes[i]);
		ok(pages_open(&f, path), "pages of %u bytes can be read", sizes[i]);
		pages_close(&f);
		bad = compare(path, &events);
		ok(!bad, "pages of %u bytes: %s", sizes[i], bad ? bad : "the same");
		ok(events > 1500, "%u events", events);
		spoilt(sizes[i]);
	}
}

/* ---- real files ---- */

#define CORPUS_BYTES (40 << 20)

static void corpus(const char *root)
{
	char *dir = xasprintf("%s/nsys", root);
	struct file_list l = { 0 };
	struct err e = ERR_INIT;
	unsigned n = 0, bad = 0;

	if (!file_list_dir(&l, dir, true, &e))
		diag("%s", e.text);
	for (size_t i = 0; i < l.n; i++) {
		struct file_src *s = file_src_open(l.paths[i], &e);
		bool wanted = s && strstr(l.paths[i], "sqlite") && file_src_size(s) < CORPUS_BYTES;
		const char *differs;
		uint32_t events;

		file_src_close(s);
		if (!wanted)
			continue;
		n++;
		differs = compare(l.paths[i], &events);
		bad += differs != NULL;
		if (differs)
			diag("%s: %s", l.paths[i], differs);
	}
	ok(!bad && n, "nsys: %u databases are the same from their pages (%u are not)", n, bad);
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
	made();
	if (root && *root)
		corpus(root);
	else
		diag("no corpus (PROFDIVE_CORPUS): generated databases only");
	unlink(path);
	return done_testing();
}
