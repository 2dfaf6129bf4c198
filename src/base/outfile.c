/* outfile.c - making files in folders that may be shared, see outfile.h */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/vec.h"

#define TRIES	  100
#define NSS_BYTES 16384 /* an entry of the user or group database */

static struct {
	bool force;
	void (*warn)(const char *text);
} policy;

void outfile_policy(bool force, void (*warn)(const char *text))
{
	policy.force = force;
	policy.warn = warn;
}

int outfile_create(int dir_fd, const char *name, mode_t mode)
{
	return openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* ---- folders ---- */

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool folder_make(const char *dir, mode_t mode, struct err *e)
{
	char *p = xstrdup(dir);
	int sys;

	for (char *c = *p ? p + 1 : p; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		(void)mkdir(p, mode); /* the last one fails, too, if this did */
		*c = '/';
	}
	free(p);
	if (mkdir(dir, mode) == 0)
		return true;
	sys = errno;
	return is_folder(dir) || err_sys(e, sys, _("cannot make the folder %s"), dir);
}

/* A group that has the caller's name and nobody else in it, as many systems give to each user. */
static bool own_group(gid_t gid)
{
	char *buf = xmalloc(2 * NSS_BYTES);
	struct group g, *group = NULL;
	struct passwd u, *user = NULL;
	bool own;

	getpwuid_r(geteuid(), &u, buf, NSS_BYTES, &user);
	getgrgid_r(gid, &g, buf + NSS_BYTES, NSS_BYTES, &group);
	own = user && group && strcmp(user->pw_name, group->gr_name) == 0;
	for (char **m = own ? group->gr_mem : NULL; m && *m; m++)
		own &= strcmp(*m, user->pw_name) == 0;
	free(buf);
	return own;
}

/* With an access control list the group's bits say what the list grants at most. */
static bool others_may_write(int fd, const struct stat *st)
{
	if (st->st_mode & S_ISVTX || !(st->st_mode & (S_IWGRP | S_IWOTH)))
		return false;
	return st->st_mode & S_IWOTH || !own_group(st->st_gid) ||
	       fgetxattr(fd, "system.posix_acl_access", NULL, 0) > 0;
}

/* Root may do everything anyway. */
static bool is_strangers_link(const char *dir)
{
	size_t n = strlen(dir);
	struct stat st;
	char *path;
	bool found;

	while (n > 1 && dir[n - 1] == '/')
		n--;
	path = xmemdup0(dir, n);
	found = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != 0 &&
		st.st_uid != geteuid();
	free(path);
	return found;
}

static bool check_folder(int fd, const char *dir, struct err *e)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, _("cannot write into %s"), dir);
	if (!policy.force && is_strangers_link(dir))
		return err_set(e, ERR_USAGE,
			       _("%s is another user's link; nothing was written (--force does)"),
			       dir);
	if (!policy.force && others_may_write(fd, &st))
		return err_set(e, ERR_USAGE,
			       _("others may write to the folder %s and replace what is written "
				 "there; nothing was written (--force does)"),
			       dir);
	if (st.st_uid == geteuid() || !policy.warn)
		return true;
	text = xasprintf(_("%s: the folder belongs to another user (uid %lu)"), dir,
			 (unsigned long)st.st_uid);
	policy.warn(text);
	free(text);
	return true;
}

/* ---- sets ---- */

struct outfile_out {
	FILE *f;
	char *name;
	char *tmp; /* where it lies; NULL: under its name */
	char *old; /* what stood at the name lies here, NULL: nothing */
	bool placed;
};

struct outset {
	int fd;
	char *dir; /* as given, with a slash if there has to be one before a name */
	VEC(struct outfile_out) files;
	bool done;
};

struct outset *outset_open(const char *dir, struct err *e)
{
	struct outset *s = xcalloc(1, sizeof(*s));
	size_t n = strlen(dir);

	s->dir = xasprintf("%s%s", dir, n && dir[n - 1] == '/' ? "" : "/");
	s->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd >= 0 ? check_folder(s->fd, dir, e)
		       : err_sys(e, errno, _("cannot write into %s"), dir))
		return s;
	outset_free(s);
	return NULL;
}

static bool refuse(const struct outset *s, const char *name, int sys, struct err *e)
{
	return err_sys(e, sys, _("cannot write %s%s"), strcmp(s->dir, "./") ? s->dir : "", name);
}

/*
 * The mode that a file of this name gets, in *kept; 0: 0666 less the umask. A device is no place
 * for a file, neither is a link to one (/dev/stdout): it would be gone afterwards.
 */
static bool look_at_target(const struct outset *s, const char *name, mode_t *kept, struct err *e)
{
	struct stat st;

	*kept = 0;
	if (fstatat(s->fd, name, &st, 0) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		return err_set(e, ERR_IO, _("cannot write %s%s: it is a device"), s->dir, name);
	if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || refuse(s, name, errno, e);
	if (S_ISDIR(st.st_mode))
		return refuse(s, name, EISDIR, e);
	if (S_ISREG(st.st_mode) && st.st_uid == geteuid())
		*kept = (st.st_mode & 0666) | S_IFREG;
	return true;
}

/* Hidden, so that nobody takes what a killed process left for a profile. */
static char *fresh_name(const char *name, int i)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return xasprintf(".%.200s.%ld.%09ld.%d.tmp", name, (long)getpid(), t.tv_nsec, i);
}

/* Nobody else may read it before it has its mode. */
static int create_beside(const struct outset *s, const char *name, mode_t kept, char **tmp)
{
	int fd = -1;

	*tmp = NULL;
	for (int i = 0; fd < 0 && i < TRIES; i++) {
		free(*tmp);
		*tmp = fresh_name(name, i);
		fd = outfile_create(s->fd, *tmp, kept ? 0600 : 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0 && kept && fchmod(fd, kept & 0666) < 0) {
		int sys = errno;

		close(fd);
		unlinkat(s->fd, *tmp, 0);
		errno = sys;
		return -1;
	}
	return fd;
}

FILE *outset_add(struct outset *s, const char *name, unsigned flags, struct err *e)
{
	struct outfile_out o = {0};
	mode_t kept = 0;
	int fd, sys;

	if (!*name) {
		refuse(s, name, EISDIR, e);
		return NULL;
	}
	if (!(flags & OUT_NEW) && !look_at_target(s, name, &kept, e))
		return NULL;
	fd = flags & OUT_NEW ? outfile_create(s->fd, name, 0666)
			     : create_beside(s, name, kept, &o.tmp);
	sys = errno;
	o.f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!o.f) {
		if (fd >= 0)
			close(fd);
		free(o.tmp);
		refuse(s, name, sys, e);
		return NULL;
	}
	o.name = xstrdup(name);
	o.placed = flags & OUT_NEW;
	VEC_PUSH(&s->files, o);
	return o.f;
}

/* The content is on the disk before the name is. */
static bool finish_stream(struct outfile_out *o)
{
	bool ok = fflush(o->f) == 0 && !ferror(o->f) && fsync(fileno(o->f)) == 0;
	int sys = errno ? errno : EIO;

	if (fclose(o->f) != 0 && ok) {
		ok = false;
		sys = errno;
	}
	o->f = NULL;
	errno = sys;
	return ok;
}

/*
 * What stands at the name stays there under a second one until all are placed. Where it may not be
 * linked (another user's file, a file system without links) it is moved: the name is free for a moment.
 */
static bool set_aside(const struct outset *s, struct outfile_out *o)
{
	o->old = fresh_name(o->name, TRIES);
	if (linkat(s->fd, o->name, s->fd, o->old, 0) == 0)
		return true;
	if (errno != ENOENT && renameat(s->fd, o->name, s->fd, o->old) == 0)
		return true;
	free(o->old);
	o->old = NULL;
	return errno == ENOENT;
}

static void put_back(const struct outset *s, struct outfile_out *o)
{
	if (o->old) {
		(void)renameat(s->fd, o->old, s->fd, o->name);
		unlinkat(s->fd, o->old, 0); /* rename leaves both names of one file */
	} else if (o->placed)
		unlinkat(s->fd, o->name, 0);
	free(o->old);
	o->old = NULL;
	o->placed = false;
}

/* `last`: nothing can fail after it. */
static bool place(const struct outset *s, struct outfile_out *o, bool last)
{
	if (o->placed)
		return true;
	if (!last && !set_aside(s, o))
		return false;
	if (renameat(s->fd, o->tmp, s->fd, o->name) < 0)
		return false;
	free(o->tmp);
	o->tmp = NULL;
	o->placed = true;
	return true;
}

bool outset_commit(struct outset *s, struct err *e)
{
	bool ok = true;

	for (size_t i = 0; ok && i < s->files.n; i++)
		ok = finish_stream(&s->files.a[i]) || refuse(s, s->files.a[i].name, errno, e);
	for (size_t i = 0; ok && i < s->files.n; i++)
		ok = place(s, &s->files.a[i], i + 1 == s->files.n) ||
		     refuse(s, s->files.a[i].name, errno, e);
	s->done = ok;
	if (ok)
		(void)fsync(s->fd); /* without it a crash may bring the old ones back */
	return ok;
}

void outset_free(struct outset *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.n; i++) {
		struct outfile_out *o = &s->files.a[i];

		if (o->f)
			fclose(o->f);
		if (o->tmp)
			unlinkat(s->fd, o->tmp, 0);
		if (!s->done)
			put_back(s, o);
		else if (o->old)
			unlinkat(s->fd, o->old, 0);
		free(o->old);
		free(o->tmp);
		free(o->name);
	}
	VEC_FREE(&s->files);
	if (s->fd >= 0)
		close(s->fd);
	free(s->dir);
	free(s);
}

/* ---- one file ---- */

/* The folder; *name points into the path. The caller frees. */
static char *folder_of(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');

	*name = slash ? slash + 1 : path;
	if (!slash)
		return xstrdup(".");
	return xmemdup0(path, slash == path ? 1 : (size_t)(slash - path));
}

struct outset *outset_of(const char *path, unsigned flags, FILE **f, struct err *e)
{
	const char *name;
	char *dir = folder_of(path, &name);
	struct outset *s = outset_open(dir, e);

	*f = s ? outset_add(s, name, flags, e) : NULL;
	if (!*f) {
		outset_free(s);
		s = NULL;
	}
	free(dir);
	return s;
}

bool outfile_write(const char *path, const void *data, size_t n, struct err *e)
{
	FILE *f;
	struct outset *s = outset_of(path, 0, &f, e);
	bool ok;

	if (!s)
		return false;
	(void)fwrite(data, 1, n, f); /* commit looks at the stream */
	ok = outset_commit(s, e);
	outset_free(s);
	return ok;
}

static bool may_append(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       st.st_nlink == 1;
}

static FILE *append_in(const struct outset *s, const char *name, const char *path, struct err *e)
{
	int fd = outfile_create(s->fd, name, 0666), sys = errno;
	FILE *f;

	if (fd < 0 && sys == EEXIST) {
		/* a pipe is not waited for */
		fd = openat(s->fd, name,
			    O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		sys = errno;
		if ((fd < 0 && (sys == ELOOP || sys == ENXIO)) || (fd >= 0 && !may_append(fd))) {
			err_set(e, ERR_IO,
				_("cannot write %s: it is no file of one's own, or has a second "
				  "name"),
				path);
			if (fd >= 0)
				close(fd);
			return NULL;
		}
	}
	f = fd >= 0 ? fdopen(fd, "a") : NULL;
	if (f)
		return f;
	if (fd >= 0)
		close(fd);
	err_sys(e, sys, _("cannot write %s"), path);
	return NULL;
}

FILE *outfile_append(const char *path, struct err *e)
{
	const char *name;
	char *dir = folder_of(path, &name);
	struct outset *s = outset_open(dir, e);
	FILE *f = s ? append_in(s, name, path, e) : NULL;

	outset_free(s);
	free(dir);
	return f;
}
