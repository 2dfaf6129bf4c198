/*
 * test_reopen.c - the reopen cache around a loader: what is kept and found again, what is not, the folder with its cap, writers that meet,
 * and writers that are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "load/read/loader.h"
#include "reopen/cache.h"
#include "reopen/folder.h"
#include "session/session_load.h"
#include "tests/lib/cache_fake.h"
#include "tests/lib/tap.h"

static char home[] = "test_reopen.XXXXXX";
static char *top;		/* absolute path of home */

static char *in_top(const char *name)
{
	return xasprintf("%s/%s", top, name);
}

/* A trace with n ops, changed `age` seconds ago. */
static char *trace(const char *name, int n, int age)
{
	char *path = in_top(name);
	FILE *f = fopen(path, "w");
	struct timespec t[2] = { { 0, UTIME_OMIT }, { time(NULL) - age, 123456789 } };

	fprintf(f, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
	for (int i = 0; i < n; i++)
		fprintf(f, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 5},\n",
			i % 7, 10 * i);
	fprintf(f, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"last\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 5}]}\n", 10 * n);
	fclose(f);
	utimensat(AT_FDCWD, path, t, 0);
	return path;
}

static size_t files(const char *tail)
{
	char *dir = in_top("profdive");
	struct file_list l = { 0 };
	size_t n = 0, len = strlen(tail);

	file_list_dir(&l, dir, false, NULL);
	for (size_t i = 0; i < l.n; i++) {
		size_t k = strlen(l.paths[i]);

		n += k > len && !strcmp(l.paths[i] + k - len, tail);
	}
	file_list_fini(&l);
	free(dir);
	return n;
}

static void clear(void)
{
	struct cache_dir d;
	struct cache_entry *a;
	size_t n;

	if (cache_dir_open(&d, true, NULL)) {
		a = cache_dir_list(&d, &n);
		for (size_t i = 0; i < n; i++)
			cache_dir_remove(&d, a[i].name);
		free(a);
		cache_dir_sweep(&d);
	}
	cache_dir_close(&d);
}

static struct profile *load(const char *path)
{
	struct job job = { 0 };
	struct profile *p = NULL;

	if (!loader_load(path, &job, NULL, NULL, &p, NULL))
		exit(99);
	return p;
}

/* One open of a file: from the cache, or loaded and kept. *note: what was told about it last. */
static struct profile *open_file(const char *path, bool *cached, char **note)
{
	struct reopen *r = reopen_new();
	struct reopen_ticket t;
	struct profile *p = reopen_find(r, path, &t);
	char *s;

	*cached = p != NULL;
	if (!p) {
		p = load(path);
		reopen_keep(r, &t, p, 0);
	}
	reopen_ticket_fini(&t);
	reopen_finish(r, false);
	free(*note);
	*note = NULL;
	while ((s = reopen_take_note(r))) {
		free(*note);
		*note = s;
	}
	reopen_free(r);
	return p;
}

static bool says(const char *note, const char *text)
{
	if (note && strstr(note, text))
		return true;
	diag("the note is \"%s\"", note ? note : "none");
	return false;
}

/* ---- kept and found ------------------------------------------------------------------------------------------ */

static void test_round(void)
{
	char *path = trace("a.json", 100, 100), *note = NULL;
	struct profile *p, *q;
	bool cached;

	setenv("PROFDIVE_CACHE_MIN", "0", 1);
	clear();
	p = open_file(path, &cached, &note);
	ok(!cached && says(note, "stored"), "the first time it is loaded and stored");
	is_uint(files(".pfc"), 1, "as one file");
	q = open_file(path, &cached, &note);
	ok(cached && says(note, "opened"), "the second time it is opened");
	is_str(fake_differ(p, q), NULL, "and equal");
	profile_unref(q);
	unsetenv("PROFDIVE_CACHE_MIN");
	q = open_file(path, &cached, &note);
	ok(cached, "what is there is used whatever its size");
	clear();
	profile_unref(q);
	q = open_file(path, &cached, &note);
	ok(!cached && files(".pfc") == 0, "what is small and fast is not kept by itself");
	profile_unref(p);
	profile_unref(q);
	setenv("PROFDIVE_CACHE_MIN", "0", 1);
	free(note);
	free(path);
}

/* The source changes in some way: the profile must be that of the new state. */
static void test_stale(void)
{
	char *path = trace("b.json", 50, 100), *note = NULL;
	struct timespec same[2];
	struct profile *p;
	struct stat st;
	bool cached;

	clear();
	profile_unref(open_file(path, &cached, &note));
	stat(path, &st);
	same[0] = st.st_atim;
	same[1] = st.st_mtim;
	free(trace("b.json", 60, 100));
	p = open_file(path, &cached, &note);
	ok(!cached && p->n == 61, "a longer source is loaded again");
	profile_unref(p);

	free(trace("b.json", 60, 200));
	p = open_file(path, &cached, &note);
	ok(!cached, "so is one that is merely of another time");
	profile_unref(p);

	clear();
	free(trace("b.json", 50, 100));
	utimensat(AT_FDCWD, path, same, 0);
	profile_unref(open_file(path, &cached, &note));
	free(trace("b.json", 50, 100));
	if (truncate(path, st.st_size - 20) < 0)
		exit(99);
	utimensat(AT_FDCWD, path, same, 0);
	p = open_file(path, &cached, &note);
	ok(!cached && p->n_damages, "one that was cut with its time put back");
	profile_unref(p);

	clear();
	free(trace("b.json", 50, 100));
	utimensat(AT_FDCWD, path, same, 0);
	profile_unref(open_file(path, &cached, &note));
	free(trace("b.json", 50, 100));
	{
		FILE *f = fopen(path, "r+");

		fseek(f, -4, SEEK_END);
		fputs(" ]", f);
		fclose(f);
	}
	utimensat(AT_FDCWD, path, same, 0);
	p = open_file(path, &cached, &note);
	ok(!cached, "one of the same size and time, but with another end");
	profile_unref(p);
	free(note);
	free(path);
}

static void test_never_kept(void)
{
	char *path = trace("c.json", 10, 0), *wal = in_top("c.json-wal"), *note = NULL;
	bool cached;

	clear();
	profile_unref(open_file(path, &cached, &note));
	ok(files(".pfc") == 0 && says(note, "just before"), "a source changed a moment ago could change again unnoticed: not kept");
	free(trace("c.json", 10, -3600));
	profile_unref(open_file(path, &cached, &note));
	ok(files(".pfc") == 0, "nor is one from the future");
	free(trace("c.json", 10, 100));
	if (!outfile_write(wal, "x", 1, NULL))
		exit(99);
	profile_unref(open_file(path, &cached, &note));
	ok(files(".pfc") == 0 && says(note, "journal"), "nor one with an sqlite journal beside it");
	unlink(wal);
	profile_unref(open_file(path, &cached, &note));
	ok(files(".pfc") == 1, "without it, it is");
	if (!outfile_write(wal, "x", 1, NULL))
		exit(99);
	profile_unref(open_file(path, &cached, &note));
	ok(!cached, "and is not used when a journal comes");
	unlink(wal);
	free(wal);
	free(path);
	free(note);
}

/* It changes between the look before loading and the writing. */
static void test_changed_while_loading(void)
{
	char *path = trace("d.json", 10, 100), *note;
	struct reopen *r = reopen_new();
	struct reopen_ticket t;
	struct profile *p;

	clear();
	p = reopen_find(r, path, &t);
	ok(!p, "nothing there");
	p = load(path);
	free(trace("d.json", 11, 90));
	reopen_keep(r, &t, p, 0);
	reopen_finish(r, false);
	note = reopen_take_note(r);
	ok(files(".pfc") == 0 && says(note, "while it was loaded"), "a source that changes while it is loaded is not kept");
	free(note);
	reopen_ticket_fini(&t);
	reopen_free(r);
	profile_unref(p);
	free(path);
}

static void test_damaged_file(void)
{
	char *path = trace("e.json", 30, 100), *note = NULL, name[CACHE_NAME_MAX], *file;
	struct profile *p;
	bool cached;
	FILE *f;

	clear();
	profile_unref(open_file(path, &cached, &note));
	cache_dir_name(path, name);
	file = xasprintf("%s/profdive/%s", top, name);
	f = fopen(file, "r+");
	fseek(f, 4096, SEEK_SET);	/* the first section */
	fputc('#', f);
	fclose(f);
	p = open_file(path, &cached, &note);
	ok(!cached && p->n == 31, "a damaged cache file: the source is loaded");
	profile_unref(p);
	p = open_file(path, &cached, &note);
	ok(cached, "and stored again");
	profile_unref(p);
	unlink(file);
	if (symlink("/dev/zero", file) < 0)
		exit(99);
	p = open_file(path, &cached, &note);
	ok(!cached && p->n == 31, "a link in its place is not followed");
	profile_unref(p);
	free(file);
	free(note);
	free(path);
}

/* ---- places -------------------------------------------------------------------------------------------------- */

static void test_places(void)
{
	char *path = trace("f.json", 10, 100), *note = NULL, *dir = in_top("profdive"), *other = in_top("open");
	char *inside = in_top("open/profdive"), *plain = in_top("f.json");
	struct stat st;
	bool cached;

	clear();
	is_int(stat(dir, &st) == 0 ? (int)(st.st_mode & 0777) : -1, 0700, "the folder is for its owner alone");
	mkdir(other, 0700);
	mkdir(inside, 0777);
	chmod(inside, 0777);
	setenv("XDG_CACHE_HOME", other, 1);
	profile_unref(open_file(path, &cached, &note));
	ok(says(note, "others may write"), "a folder that others may write to is not used");
	setenv("XDG_CACHE_HOME", plain, 1);
	profile_unref(open_file(path, &cached, &note));
	ok(!cached && says(note, "not stored"), "a file in the folder's place: loaded all the same");
	setenv("XDG_CACHE_HOME", "/proc", 1);
	profile_unref(open_file(path, &cached, &note));
	ok(!cached && says(note, "not stored"), "a place that cannot be written to: loaded all the same");
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "also-relative", 1);
	profile_unref(open_file(path, &cached, &note));
	ok(!cached && says(note, "HOME is not set") && access("relative", F_OK) < 0, "relative places do not count");
	setenv("XDG_CACHE_HOME", top, 1);
	rmdir(inside);
	rmdir(other);
	free(path);
	free(note);
	free(dir);
	free(other);
	free(inside);
	free(plain);
}

/* Reading works where writing does not: files that were stored before are used. */
static void test_read_only(void)
{
	char *path = trace("g.json", 10, 100), *b = trace("g2.json", 10, 100), *note = NULL, *dir = in_top("profdive");
	bool cached;

	clear();
	profile_unref(open_file(path, &cached, &note));
	chmod(dir, 0500);
	profile_unref(open_file(path, &cached, &note));
	ok(cached, "a folder that may only be read is read");
	profile_unref(open_file(b, &cached, &note));
	if (geteuid() == 0)
		skip(1, "root may write everywhere");
	else
		ok(!cached && says(note, "not stored"), "and nothing is stored in it");
	chmod(dir, 0700);
	free(path);
	free(b);
	free(dir);
	free(note);
}

/* ---- the cap --------------------------------------------------------------------------------------------------- */

static void set_age(const struct cache_dir *d, const char *name, int seconds)
{
	struct timespec t[2] = { { 0, UTIME_OMIT }, { time(NULL) - seconds, 0 } };

	utimensat(d->fd, name, t, 0);
}

static void test_cap(void)
{
	static const char *const names[] = { "h1.json", "h2.json", "h3.json" };
	char *paths[3], file[3][CACHE_NAME_MAX], *note = NULL, text[32];
	struct cache_entry *a;
	struct cache_dir d;
	size_t n;
	bool cached;

	clear();
	for (int i = 0; i < 3; i++) {
		paths[i] = trace(names[i], 20, 100);
		cache_dir_name(paths[i], file[i]);
	}
	profile_unref(open_file(paths[0], &cached, &note));
	cache_dir_open(&d, false, NULL);
	a = cache_dir_list(&d, &n);
	snprintf(text, sizeof(text), "%lld", (long long)a[0].bytes * 2 + 10);
	free(a);
	setenv("PROFDIVE_CACHE_MAX", text, 1);
	profile_unref(open_file(paths[1], &cached, &note));
	is_uint(files(".pfc"), 2, "two fit");
	set_age(&d, file[0], 50);
	set_age(&d, file[1], 100);
	profile_unref(open_file(paths[2], &cached, &note));
	a = cache_dir_list(&d, &n);
	ok(n == 2 && !strcmp(a[0].name, file[0]) && !strcmp(a[1].name, file[2]), "the third puts out the oldest");
	free(a);
	set_age(&d, file[2], 10);
	profile_unref(open_file(paths[0], &cached, &note));
	a = cache_dir_list(&d, &n);
	ok(cached && n == 2 && !strcmp(a[1].name, file[0]), "opening one makes it the youngest");
	free(a);
	setenv("PROFDIVE_CACHE_MAX", "1000", 1);
	profile_unref(open_file(paths[1], &cached, &note));
	ok(files(".pfc") == 2 && says(note, "more than the cache may have"), "what is larger than the cap puts out nobody");
	unsetenv("PROFDIVE_CACHE_MAX");
	cache_dir_close(&d);
	for (int i = 0; i < 3; i++)
		free(paths[i]);
	free(note);
}

static void test_sweep(void)
{
	struct cache_dir d;
	char dead[CACHE_NAME_MAX], alive[CACHE_NAME_MAX];
	int a, b;

	clear();
	cache_dir_open(&d, true, NULL);
	a = cache_dir_create(&d, "0123456789abcdef.pfc", dead, NULL);
	b = cache_dir_create(&d, "0123456789abcdef.pfc", alive, NULL);
	ok(a >= 0 && b >= 0 && strcmp(dead, alive) != 0, "two writers have files of their own");
	close(a);
	cache_dir_sweep(&d);
	is_uint(files(".tmp"), 1, "a temporary file without a writer is swept away");
	ok(faccessat(d.fd, alive, F_OK, 0) == 0, "one with a writer stays");
	ok(cache_dir_commit(&d, b, alive, "0123456789abcdef.pfc", NULL) && files(".pfc") == 1 && !files(".tmp"), "and gets its name");
	cache_dir_close(&d);
	clear();
}

/* ---- writers that meet, writers that die --------------------------------------------------------------------- */

struct meeting {
	const char *path;
	const struct profile *p;
	atomic_uint wrong, opened;
	atomic_bool ended;
};

static void write_once(const char *path, struct profile *p)
{
	struct reopen *r = reopen_new();
	struct reopen_ticket t;

	profile_unref(reopen_find(r, path, &t));
	reopen_keep(r, &t, p, 0);
	reopen_ticket_fini(&t);
	reopen_finish(r, false);
	reopen_free(r);
}

static void *write_often(void *arg)
{
	struct meeting *m = arg;
	struct profile *p = load(m->path);

	for (int i = 0; i < 25; i++)
		write_once(m->path, p);
	profile_unref(p);
	return NULL;
}

static void *read_often(void *arg)
{
	struct meeting *m = arg;

	while (!atomic_load(&m->ended)) {
		struct reopen *r = reopen_new();
		struct reopen_ticket t;
		struct profile *p = reopen_find(r, m->path, &t);

		if (p) {
			m->opened++;
			m->wrong += fake_differ(m->p, p) != NULL;
			profile_unref(p);
		}
		reopen_ticket_fini(&t);
		reopen_free(r);
	}
	return NULL;
}

static void test_meeting(void)
{
	char *path = trace("i.json", 3000, 100);
	struct profile *p = load(path);
	struct meeting m = { .path = path, .p = p };
	pthread_t t[3];

	clear();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i ? write_often : read_often, &m);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
	for (int i = 0; i < 500 && !atomic_load(&m.opened); i++)
		usleep(10000);
	atomic_store(&m.ended, true);
	pthread_join(t[0], NULL);
	is_uint(atomic_load(&m.wrong), 0, "two writers and a reader at once: never anything else than the profile");
	ok(atomic_load(&m.opened) > 0, "which was opened %u times", atomic_load(&m.opened));
	is_uint(files(".tmp"), 0, "and nothing lies about");
	profile_unref(p);
	free(path);
}

/* A child writes again and again, and is killed at some moment; `seen`: soon after a temporary file has shown up. */
static void kill_writer(const char *path, struct profile *p, bool seen, unsigned after_us)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(99);
	if (!pid) {
		for (;;) {
			clear();
			write_once(path, p);
		}
	}
	for (int i = 0; seen && i < 20000 && !files(".tmp"); i++)
		usleep(200);
	usleep(after_us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_killed(void)
{
	char *path = trace("j.json", 40000, 100), *note = NULL;
	struct profile *p = load(path), *q;
	struct fake_random rnd = { 4711 };
	unsigned wrong = 0, left = 0, there = 0;
	bool cached;

	clear();
	for (int i = 0; i < 30; i++) {
		kill_writer(path, p, i & 1, fake_below(&rnd, i & 1 ? 3000 : 30000));
		left += files(".tmp") > 0;
		q = open_file(path, &cached, &note);
		there += cached;
		wrong += fake_differ(p, q) != NULL;
		profile_unref(q);
	}
	is_uint(wrong, 0, "killed at any moment: the profile is right every time");
	diag("of 30 kills %u left a temporary file, %u a whole cache file", left, there);
	ok(left > 0, "some kills met the middle of the writing");
	clear();
	is_uint(files(""), 0, "and what they left is swept away");
	profile_unref(p);
	free(note);
	free(path);
}

/* ---- in a session -------------------------------------------------------------------------------------------- */

static struct session *session_of(const char *path, struct reopen *r)
{
	const struct session_load_opts o = { .jobs = 1, .snapshots = true, .reopen = r };
	struct session *s = session_new();
	struct session_loader *l = session_loader_start(s, &path, 1, &o);

	session_loader_wait(l, s, NULL, NULL);
	session_loader_free(l);
	return s;
}

static void test_session(void)
{
	char *path = trace("k.json", 5000, 100), *note = NULL;
	struct session *s[2];

	clear();
	for (int i = 0; i < 2; i++) {
		struct reopen *r = reopen_new();

		s[i] = session_of(path, r);
		reopen_finish(r, false);
		note = reopen_take_note(r);
		ok(says(note, i ? "opened" : "stored"), i ? "the second session opens" : "a session stores what it loaded");
		free(note);
		reopen_free(r);
	}
	ok(s[1]->sources[0].state == SOURCE_READY && !fake_differ(s[0]->sources[0].profile, s[1]->sources[0].profile),
	   "both hold the same");
	clear();
	is_str(fake_differ(s[0]->sources[0].profile, s[1]->sources[0].profile), NULL, "also when the cache file is gone");
	session_free(s[0]);
	session_free(s[1]);
	s[0] = session_of(path, NULL);
	ok(s[0]->sources[0].profile && !files(".pfc"), "without a cache everything is loaded");
	session_free(s[0]);
	free(path);
}

/* ---- bytes of a session ------------------------------------------------------------------------------------ */

static bool know(struct reopen *r, const char *path)
{
	struct reopen_ticket t;
	struct profile *p = reopen_find(r, path, &t);

	reopen_ticket_fini(&t);
	if (p)
		profile_unref(p);
	return t.settled;
}

static char *bytes_of(struct reopen *r, const struct reopen_session *s)
{
	size_t n = 0;
	char *b = reopen_read_bytes(r, s, 100, &n), *text = b ? xmemdup0(b, n) : NULL;

	free(b);
	return text;
}

static bool bytes_are(struct reopen *r, const struct reopen_session *s, const char *want)
{
	char *got = bytes_of(r, s);
	bool same = want ? got && !strcmp(got, want) : !got;

	free(got);
	return same;
}

static void test_bytes(void)
{
	char *paths[2] = { trace("v1.json", 10, 100), trace("v2.json", 20, 100) };
	const char *both[2] = { paths[0], paths[1] }, *turned[2] = { paths[1], paths[0] };
	struct reopen *r = reopen_new();
	struct reopen_session s, one, other, none;
	struct err e = ERR_INIT;

	clear();
	ok(!reopen_identify(r, both, 2, &none), "a session of files that were not opened is nothing");
	reopen_session_fini(&none);
	ok(know(r, paths[0]) && know(r, paths[1]) && reopen_identify(r, both, 2, &s), "files that were opened make a session");
	ok(bytes_are(r, &s, NULL), "of which nothing is kept yet");
	ok(reopen_write_bytes(r, &s, "figures", 7, &e) && bytes_are(r, &s, "figures"), "what is kept is there");
	ok(reopen_identify(r, both, 1, &one) && one.key != s.key && bytes_are(r, &one, NULL), "not for one of the files");
	ok(reopen_identify(r, turned, 2, &other) && other.key != s.key && bytes_are(r, &other, NULL), "nor in another order");
	ok(reopen_write_bytes(r, &s, "newer", 5, &e) && bytes_are(r, &s, "newer") && files(".pfv") == 1, "it is replaced");
	reopen_session_fini(&s);
	free(trace("v2.json", 21, 50));
	ok(!reopen_identify(r, both, 2, &s), "a file that has changed since is not the one that was opened");
	reopen_session_fini(&s);
	ok(know(r, paths[1]) && reopen_identify(r, both, 2, &s) && bytes_are(r, &s, NULL), "opened again, the old bytes are not its");
	reopen_session_fini(&s);
	free(trace("v2.json", 22, 0));
	ok(!know(r, paths[1]) && !reopen_identify(r, both, 2, &s), "one that was changed just now has none");
	reopen_session_fini(&s);
	reopen_session_fini(&one);
	reopen_session_fini(&other);
	reopen_free(r);
	free(paths[0]);
	free(paths[1]);
}

/* The only .pfv, as bytes; and put back with the n first ones, byte i changed. */
static char *tables_file(size_t *n)
{
	char *dir = in_top("profdive"), *all = NULL;
	struct file_list l = { 0 };

	file_list_dir(&l, dir, false, NULL);
	for (size_t i = 0; i < l.n; i++)
		if (cache_dir_is_tables(strrchr(l.paths[i], '/') + 1))
			all = file_read_all(l.paths[i], 1 << 20, n, NULL);
	file_list_fini(&l);
	free(dir);
	return all;
}

static void put_tables_file(const char *name, const char *s, size_t n, size_t i)
{
	char *path = xasprintf("%s/profdive/%s", top, name);
	int fd = open(path, O_WRONLY | O_TRUNC);
	char other = i < n ? (char)(s[i] ^ 1 << i % 8) : 0;

	if (fd < 0 || write(fd, s, n) != (ssize_t)n || (i < n && pwrite(fd, &other, 1, (off_t)i) != 1))
		diag("%s: %s", path, strerror(errno));
	close(fd);
	free(path);
}

static void test_bytes_damaged(void)
{
	char *path = trace("v3.json", 10, 100), *all;
	const char *paths[1] = { path };
	struct reopen *r = reopen_new();
	struct reopen_session s;
	struct cache_info ci;
	struct err e = ERR_INIT;
	bool flips = true, cuts = true;
	size_t n = 0;
	int fd;

	clear();
	ok(know(r, path) && reopen_identify(r, paths, 1, &s) && reopen_write_bytes(r, &s, "figures", 7, &e), "bytes of one file");
	all = tables_file(&n);
	fd = -1;
	if (ok(all && n > 200, "in a file of its own")) {
		char *file = xasprintf("%s/profdive/%s", top, s.name);

		fd = open(file, O_RDONLY);
		free(file);
	}
	ok(reopen_peek_bytes(fd, &ci, &e) && !strcmp(ci.path, path) && ci.source.bytes == s.first.source.bytes, "that says whose it is");
	free(ci.path);
	close(fd);
	for (size_t i = 0; all && i < n; i++) {
		put_tables_file(s.name, all, n, i);
		flips &= bytes_are(r, &s, NULL);
		put_tables_file(s.name, all, i, SIZE_MAX);
		cuts &= bytes_are(r, &s, NULL);
	}
	ok(flips, "with any of its %zu bytes changed it is nothing", n);
	ok(cuts, "nor cut anywhere");
	put_tables_file(s.name, all, n, SIZE_MAX);
	ok(bytes_are(r, &s, "figures"), "as it was it is good again");
	ok(!reopen_read_bytes(r, &s, 6, &n), "more bytes than the reader wants are not read");
	reopen_session_fini(&s);
	reopen_free(r);
	free(all);
	free(path);
}

static void remove_all(void)
{
	struct file_list l = { 0 };
	char *dir = in_top("profdive");

	clear();
	file_list_dir(&l, top, false, NULL);
	for (size_t i = 0; i < l.n; i++)
		unlink(l.paths[i]);
	file_list_fini(&l);
	rmdir(dir);
	rmdir(top);
	free(dir);
	free(top);
}

int main(void)
{
	if (!mkdtemp(home) || !(top = realpath(home, NULL)))
		return 99;
	setenv("XDG_CACHE_HOME", top, 1);
	unsetenv("PROFDIVE_CACHE_MAX");
	setenv("PROFDIVE_CACHE_MIN", "0", 1);
	test_killed();		/* forks: before any thread */
	test_round();
	test_stale();
	test_never_kept();
	test_changed_while_loading();
	test_damaged_file();
	test_places();
	test_read_only();
	test_cap();
	test_sweep();
	test_meeting();
	test_session();
	test_bytes();
	test_bytes_damaged();
	remove_all();
	return done_testing();
}
