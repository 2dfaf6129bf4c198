/* folder.c - the folder of the reopen cache, see folder.h */
#include "reopen/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/check64.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/vec.h"

#define CAP_BYTES (INT64_C(4) << 30)
#define EDGE_BYTES (256 * 1024)		/* of a source's beginning and end are hashed */
#define NAME_DIGITS 16
#define NAME_TAIL ".pfc"
#define TABLES_TAIL ".pfv"		/* as long as NAME_TAIL */
#define TMP_TAIL ".tmp"
#define TMP_TRIES 20

/* ---- the folder -------------------------------------------------------------------------------------- */

/* NULL: there is no place. The specification of these variables says that relative paths do not count. */
static char *folder_path(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return xasprintf("%s/profdive", xdg);
	return home && *home == '/' ? xasprintf("%s/.cache/profdive", home) : NULL;
}

static int64_t times(uint64_t blocks, uint64_t size)
{
	int64_t n;

	return __builtin_mul_overflow(blocks, size, &n) ? INT64_MAX : n;
}

static int64_t cap_of(int fd)
{
	const char *s = getenv("PROFDIVE_CACHE_MAX");
	struct statvfs st;
	int64_t n;

	if (s && num_parse_bytes(s, strlen(s), &n))
		return n;
	n = fstatvfs(fd, &st) == 0 ? times(st.f_blocks, st.f_frsize) / 10 : CAP_BYTES;
	return n < CAP_BYTES ? n : CAP_BYTES;
}

bool cache_dir_open(struct cache_dir *d, bool create, struct err *e)
{
	struct stat st;

	*d = (struct cache_dir){ .fd = -1, .path = folder_path() };
	if (!d->path)
		return err_set(e, ERR_IO, _("no place for the reopen cache: HOME is not set"));
	if (create && !folder_make(d->path, 0700, e))
		return false;
	d->fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0 && errno == ENOENT && !create)
		return err_set(e, ERR_NONE, "none");
	if (d->fd < 0 || fstat(d->fd, &st) < 0)
		return err_sys(e, errno, _("cannot open %s"), d->path);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(e, ERR_IO, _("%s is not used: others may write to it"), d->path);
	d->cap_bytes = cap_of(d->fd);
	return true;
}

void cache_dir_close(struct cache_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	free(d->path);
	*d = (struct cache_dir){ .fd = -1 };
}

/* ---- files ---------------------------------------------------------------------------------------------- */

void cache_dir_name(const char *path, char name[CACHE_NAME_MAX])
{
	snprintf(name, CACHE_NAME_MAX, "%016" PRIx64 NAME_TAIL, check64(path, strlen(path)));
}

void cache_dir_name_tables(const char *paths, char name[CACHE_NAME_MAX])
{
	snprintf(name, CACHE_NAME_MAX, "%016" PRIx64 TABLES_TAIL, check64(paths, strlen(paths)));
}

bool cache_dir_is_tables(const char *name)
{
	return strcmp(name + strcspn(name, "."), TABLES_TAIL) == 0;
}

int cache_dir_get(const struct cache_dir *d, const char *name, struct err *e)
{
	int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0) {
		err_sys(e, errno, _("cannot open the cache file"));
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return fd;
	err_set(e, ERR_IO, _("the cache file is not ours"));
	close(fd);
	return -1;
}

void cache_dir_touch(int fd)
{
	if (futimens(fd, NULL) < 0)
		return;		/* a folder that may only be read */
}

void cache_dir_remove(const struct cache_dir *d, const char *name)
{
	unlinkat(d->fd, name, 0);
}

static bool is_cache_name(const char *s)
{
	return strspn(s, "0123456789abcdef") == NAME_DIGITS &&
		(strcmp(s + NAME_DIGITS, NAME_TAIL) == 0 || strcmp(s + NAME_DIGITS, TABLES_TAIL) == 0);
}

static bool is_tmp_name(const char *s)
{
	size_t n = strlen(s);

	return n < CACHE_NAME_MAX && strspn(s, "0123456789abcdef") == NAME_DIGITS && n > sizeof(TMP_TAIL) &&
		strcmp(s + n - (sizeof(TMP_TAIL) - 1), TMP_TAIL) == 0;
}

static DIR *open_list(const struct cache_dir *d)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;

	if (!list && fd >= 0)
		close(fd);
	return list;
}

static int oldest_first(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;

	return x->used_ns != y->used_ns ? (x->used_ns < y->used_ns ? -1 : 1) : strcmp(x->name, y->name);
}

static int64_t time_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

struct cache_entry *cache_dir_list(const struct cache_dir *d, size_t *n)
{
	VEC(struct cache_entry) v = { 0 };
	DIR *list = open_list(d);
	struct dirent *de;

	VEC_RESERVE(&v, 1);
	while (list && (de = readdir(list))) {
		struct cache_entry x = { .name = "" };
		struct stat st;

		if (!is_cache_name(de->d_name) || fstatat(d->fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		memcpy(x.name, de->d_name, NAME_DIGITS + sizeof(NAME_TAIL));
		x.bytes = st.st_size;
		x.used_ns = time_ns(&st.st_mtim);
		VEC_PUSH(&v, x);
	}
	if (list)
		closedir(list);
	qsort(v.a, v.n, sizeof(*v.a), oldest_first);
	*n = v.n;
	return v.a;
}

/* Its writer holds the lock as long as it lives. */
static void sweep_one(const struct cache_dir *d, const char *name)
{
	int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(d->fd, name, 0);
	close(fd);
}

void cache_dir_sweep(const struct cache_dir *d)
{
	DIR *list = open_list(d);
	struct dirent *de;

	while (list && (de = readdir(list)))
		if (is_tmp_name(de->d_name))
			sweep_one(d, de->d_name);
	if (list)
		closedir(list);
}

bool cache_dir_make_room(const struct cache_dir *d, int64_t bytes, const char *name, struct err *e)
{
	struct cache_entry *a;
	struct statvfs st;
	int64_t sum = 0;
	size_t n;

	if (bytes > d->cap_bytes)
		return err_set(e, ERR_LIMIT, _("%" PRId64 " bytes are more than the cache may have"), bytes);
	cache_dir_sweep(d);
	cache_dir_remove(d, name);
	a = cache_dir_list(d, &n);
	for (size_t i = 0; i < n; i++)
		sum += a[i].bytes;
	for (size_t i = 0; i < n && sum > d->cap_bytes - bytes; i++) {
		cache_dir_remove(d, a[i].name);
		sum -= a[i].bytes;
	}
	free(a);
	/* the last half of what is free is left to others */
	if (fstatvfs(d->fd, &st) == 0 && bytes > times(st.f_bavail, st.f_frsize) / 2)
		return err_set(e, ERR_LIMIT, _("the file system of the cache is nearly full"));
	return true;
}

int cache_dir_create(const struct cache_dir *d, const char *name, char tmp[CACHE_NAME_MAX], struct err *e)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < TMP_TRIES; i++) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		snprintf(tmp, CACHE_NAME_MAX, "%.*s.%ld.%09ld" TMP_TAIL, NAME_DIGITS, name, (long)getpid(), t.tv_nsec);
		fd = outfile_create(d->fd, tmp, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		err_sys(e, errno, _("cannot write into %s"), d->path);
	else
		(void)!flock(fd, LOCK_EX | LOCK_NB);	/* where locks are unknown, nothing is swept either */
	return fd;
}

bool cache_dir_commit(const struct cache_dir *d, int fd, const char *tmp, const char *name, struct err *e)
{
	int sys = 0;

	if (fsync(fd) < 0 || renameat(d->fd, tmp, d->fd, name) < 0)
		sys = errno;
	close(fd);
	if (sys)
		unlinkat(d->fd, tmp, 0);
	else
		(void)fsync(d->fd);
	return !sys || err_sys(e, sys, _("cannot write into %s"), d->path);
}

/* ---- the source -------------------------------------------------------------------------------------------- */

static bool journal_beside(const char *path)
{
	static const char *const tails[] = { "-wal", "-journal" };
	bool found = false;

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		char *name = xasprintf("%s%s", path, tails[i]);
		struct stat st;

		found |= stat(name, &st) == 0 && st.st_size > 0;
		free(name);
	}
	return found;
}

static bool hash_part(int fd, char *buf, off_t at, size_t n, uint64_t *out)
{
	size_t got = 0;
	ssize_t r = 1;

	while (got < n && (r > 0 || (r < 0 && errno == EINTR))) {
		r = pread(fd, buf + got, n - got, at + (off_t)got);
		got += r > 0 ? (size_t)r : 0;
	}
	*out = check64(buf, got);
	return got == n;
}

static bool hash_edges(int fd, const struct stat *st, struct cache_source *out)
{
	size_t n = st->st_size < EDGE_BYTES ? (size_t)st->st_size : EDGE_BYTES;
	char *buf = xmalloc(n);
	bool ok = hash_part(fd, buf, 0, n, &out->head) && hash_part(fd, buf, st->st_size - (off_t)n, n, &out->tail);

	free(buf);
	return ok;
}

bool cache_source_read(const char *path, struct cache_source *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok = false;

	if (fd < 0)
		return err_sys(e, errno, _("cannot open %s"), path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(e, ERR_IO, _("it is no plain file"));
	} else if (journal_beside(path)) {
		err_set(e, ERR_IO, _("a journal lies beside it"));
	} else {
		*out = (struct cache_source){ .bytes = (uint64_t)st.st_size, .mtime_ns = time_ns(&st.st_mtim) };
		ok = hash_edges(fd, &st, out) || err_set(e, ERR_IO, _("it changes while it is read"));
	}
	close(fd);
	return ok;
}
