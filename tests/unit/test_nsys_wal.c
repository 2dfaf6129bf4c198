/*
 * test_nsys_wal.c - databases with a write-ahead log beside them: its rows are read, and nothing is
 * made, changed or removed in the folder, whether the writer is gone or still there.
 */
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/job.h"
#include "base/mem.h"
#include "load/nsys/nsys.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

static char dir[] = "test_nsys_wal.XXXXXX";

#define TABLES                                                                                   \
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"                            \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER, " \
	"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "        \
	"value INTEGER, bytes INTEGER);"
#define ROW(start)                                                          \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(" #start ", " #start \
	" + 5, 0, 1, 7, 0, 281474976710656, 0, 64);"

static char *in_dir(const char *name, const char *tail)
{
	return xasprintf("%s/%s%s", dir, name, tail);
}

/* One row in the database, two in its log. */
static sqlite3 *writer(const char *name)
{
	char *path = in_dir(name, ""), *why = NULL;
	sqlite3 *db = NULL;

	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db,
			 "PRAGMA journal_mode=WAL;" TABLES ROW(
				 10) "PRAGMA wal_checkpoint(TRUNCATE);"
				     "PRAGMA wal_autocheckpoint=0;" ROW(20) ROW(30),
			 NULL, NULL, &why) != SQLITE_OK)
		fail("test database: %s", why ? why : sqlite3_errmsg(db));
	sqlite3_free(why);
	free(path);
	return db;
}

static void copy(const char *from, const char *to, const char *tail)
{
	char *a = in_dir(from, tail), *b = in_dir(to, tail), *cmd = xasprintf("cp '%s' '%s'", a, b);

	ok(system(cmd) == 0, "%s%s is left", to, tail);
	free(a);
	free(b);
	free(cmd);
}

/* Names and bytes of all files; an index in shared memory changes with its locks, so only its size. */
static char *folder(void)
{
	char *cmd = xasprintf("cd '%s' && ls -A && cksum *.sqlite *-wal && wc -c *-shm", dir),
	     *text = xcalloc(1, 8192);
	FILE *f = popen(cmd, "r");

	ok(f && fread(text, 1, 8191, f) > 0, "the folder is listed");
	if (f)
		pclose(f);
	free(cmd);
	return text;
}

static unsigned memsets(const char *name)
{
	char *path = in_dir(name, "");
	struct job job = {0};
	struct err e = ERR_INIT;
	struct builder *b = builder_new();
	struct load_ctx lx = {.builder = b, .job = &job};
	struct profile *p = loader_nsys_sqlite.load(&lx, path, &e) ? builder_finish(b) : NULL;
	unsigned n = p ? p->layer_first[LAYER_MEMSET + 1] - p->layer_first[LAYER_MEMSET] : 0;

	ok(p && !p->n_damages, "%s is read (%s)", name, e.text);
	builder_free(b);
	if (p)
		profile_unref(p);
	free(path);
	return n;
}

static void reads_all(const char *name)
{
	char *before = folder(), *after;

	is_uint(memsets(name), 3, "%s: with the rows of the log", name);
	after = folder();
	is_str(after, before, "%s: the folder is as it was", name);
	free(before);
	free(after);
}

int main(void)
{
	sqlite3 *db;
	char *cmd;

	if (!mkdtemp(dir))
		return skip_all("no scratch folder");
	db = writer("live.sqlite");
	copy("live.sqlite", "lone.sqlite", "");
	copy("live.sqlite", "lone.sqlite", "-wal");
	copy("live.sqlite", "stale.sqlite", "");
	copy("live.sqlite", "stale.sqlite", "-wal");
	copy("live.sqlite", "stale.sqlite", "-shm");
	reads_all("lone.sqlite");  /* the writer is gone, and its index with it */
	reads_all("stale.sqlite"); /* it was killed */
	reads_all("live.sqlite");  /* it is still there */
	sqlite3_close(db);
	cmd = xasprintf("rm -rf '%s'", dir);
	if (system(cmd) != 0)
		diag("%s is left", dir);
	free(cmd);
	return done_testing();
}
