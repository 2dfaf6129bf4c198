/* fileio.c - streamed and whole reading (plain, gzip), folders; see fileio.h */
#include "base/fileio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/gunzip.h"
#include "base/i18n.h"
#include "base/mem.h"

#define IN_BYTES (256 * 1024)
#define TEXT_BYTES (128 * 1024)
#define LIST_DEPTH 16

struct file_src {
	char *path;
	int fd;
	bool seekable, regular, gz, unreadable;
	struct timespec written;		/* when the file had been written last, at its opening */
	int64_t size, file_pos, text_pos;	/* bytes on disk at its opening, read from it, handed out */
	unsigned char *in;
	size_t in_at, in_n;
	struct gunzip *z;
	bool ended;
	char *text;		/* TEXT_BYTES that were inflated, of which so much was handed out */
	size_t text_at, text_n;
	size_t inflated;	/* all of it so far */
	const char *damage;
	int64_t damage_at;
	const char *map;
	size_t map_n, map_done;
};

/* As many bytes as the system gives at once; 0 at the end, -1 with errno. */
static ssize_t read_once(const struct file_src *s, void *buf, size_t n)
{
	ssize_t r;

	if (n > SSIZE_MAX)
		n = SSIZE_MAX;
	do
		r = s->seekable ? pread(s->fd, buf, n, s->file_pos) : read(s->fd, buf, n);
	while (r < 0 && errno == EINTR);
	return r;
}

/* Of a gzip file the offset is that of the text, which gz_fill() knows. */
static void file_damage(struct file_src *s, const char *damage, int64_t at)
{
	if (s->damage)
		return;
	s->damage = damage;
	s->damage_at = s->gz ? -1 : at;
}

static bool written_to(const struct file_src *s)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && (st.st_size != s->size || st.st_mtim.tv_sec != s->written.tv_sec ||
					  st.st_mtim.tv_nsec != s->written.tv_nsec);
}

/* Behind a read: whether the file still is as it was when it was opened. */
static void check_unchanged(struct file_src *s, bool at_end)
{
	if (!s->regular || !s->size)
		return;
	if (at_end && s->file_pos < s->size)
		file_damage(s, N_("the file became shorter while it was read"), s->file_pos);
	else if (s->file_pos > s->size || (at_end && written_to(s)))
		file_damage(s, N_("the file was written to while it was read"), -1);
}

/*
 * As many bytes as the system gives at once; 0 at the end. A file that cannot be read any further
 * is one that ends there, with damage.
 */
static bool raw_read(struct file_src *s, void *buf, size_t n, size_t *got, struct err *e)
{
	ssize_t r = s->unreadable ? 0 : read_once(s, buf, n);

	*got = 0;
	if (r < 0 && !s->file_pos)
		return err_sys(e, errno, _("cannot read %s"), s->path);
	if (r < 0) {
		s->unreadable = true;
		file_damage(s, N_("the system cannot read the file any further"), s->file_pos);
	} else if (r > 0) {
		s->file_pos += r;
		*got = (size_t)r;
		check_unchanged(s, false);
	} else if (n && !s->unreadable) {
		check_unchanged(s, true);
	}
	return true;
}

static bool fill_in(struct file_src *s, struct err *e)
{
	s->in_at = 0;
	return raw_read(s, s->in, IN_BYTES, &s->in_n, e);
}

/* regular: nothing else is read, nor waited for. */
static bool src_begin(struct file_src *s, bool regular, struct err *e)
{
	struct stat st;

	s->fd = open(s->path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK | O_NOCTTY : 0));
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return err_sys(e, errno, _("cannot open %s"), s->path);
	if (S_ISDIR(st.st_mode))
		return err_sys(e, EISDIR, _("cannot open %s"), s->path);
	if (regular && !S_ISREG(st.st_mode))
		return err_set(e, ERR_IO, _("cannot open %s: a pipe or a device, no file"), s->path);
	s->size = st.st_size;
	s->regular = S_ISREG(st.st_mode);
	s->written = st.st_mtim;
	s->seekable = lseek(s->fd, 0, SEEK_CUR) >= 0;
	s->in = xmalloc(IN_BYTES);
	if (!fill_in(s, e))
		return false;
	s->gz = s->in_n >= 2 && s->in[0] == 0x1f && s->in[1] == 0x8b;
	if (!s->gz)
		return true;
	s->z = gunzip_new(s->seekable);
	s->text = xmalloc(TEXT_BYTES);
	return s->z || err_set(e, ERR_NOMEM, _("cannot begin to decompress %s"), s->path);
}

static struct file_src *src_open(const char *path, bool regular, struct err *e)
{
	struct file_src *s = xcalloc(1, sizeof(*s));

	s->path = xstrdup(path);
	s->fd = -1;
	if (src_begin(s, regular, e))
		return s;
	file_src_close(s);
	return NULL;
}

struct file_src *file_src_open(const char *path, struct err *e)
{
	return src_open(path, false, e);
}

void file_src_close(struct file_src *s)
{
	if (!s)
		return;
	gunzip_free(s->z);
	free(s->text);
	guard_unmap(s->map, s->map_n, FILE_PAD);
	if (s->fd >= 0)
		close(s->fd);
	free(s->in);
	free(s->path);
	free(s);
}

static bool read_plain(struct file_src *s, char *buf, size_t n, size_t *got, struct err *e)
{
	size_t k = s->in_n - s->in_at;

	/* the first bytes are in the buffer already: they were looked at for the magic */
	if (k > n)
		k = n;
	memcpy(buf, s->in + s->in_at, k);
	s->in_at += k;
	*got = k;
	while (*got < n) {
		if (!raw_read(s, buf + *got, n - *got, &k, e))
			return false;
		if (!k)
			break;
		*got += k;
	}
	return true;
}

static void gz_end(struct file_src *s, const char *damage)
{
	s->ended = true;
	if (damage && !s->damage) {
		s->damage = damage;
		s->damage_at = -1;	/* settled by gz_fill(): where the text ends */
	}
}

/* Behind a member: another one, padding, or rubbish. */
static bool gz_next_member(struct file_src *s, struct err *e)
{
	for (;;) {
		while (s->in_at < s->in_n && !s->in[s->in_at])
			s->in_at++;
		if (s->in_at < s->in_n)
			break;
		if (!fill_in(s, e))
			return false;
		if (!s->in_n) {
			gz_end(s, NULL);
			return true;
		}
	}
	/* if the buffer cuts the magic, who inflates sees the rest of it and complains by itself */
	if (s->in[s->in_at] != 0x1f) {
		gz_end(s, N_("bytes that are not gzip follow the compressed data"));
		return true;
	}
	gunzip_next_member(s->z);
	return true;
}

/* Inflates into n > 0 bytes. */
static bool gz_step(struct file_src *s, char *buf, size_t n, size_t *got, enum gunzip_end *end, struct err *e)
{
	const unsigned char *in;
	size_t left, room = n;

	if (s->in_at == s->in_n && !fill_in(s, e))
		return false;
	in = s->in + s->in_at;
	left = s->in_n - s->in_at;
	*end = gunzip_run(s->z, &in, &left, buf, &room);
	s->in_at = s->in_n - left;
	*got = n - room;
	return true;
}

/* What is to be done at the end of a step. */
static bool gz_turn(struct file_src *s, enum gunzip_end end, struct err *e)
{
	if (end == GUNZIP_MEMBER)
		return gz_next_member(s, e);
	if (end != GUNZIP_MORE)
		gz_end(s, end == GUNZIP_CUT ? N_("the gzip stream ends early") : N_("the gzip stream is damaged"));
	return true;
}

/* From the beginning, by zlib, up to what there is already. */
static bool gz_anew(struct file_src *s, struct err *e)
{
	enum gunzip_end end;
	size_t k;

	gunzip_free(s->z);
	s->z = gunzip_new(false);
	if (!s->z)
		return err_set(e, ERR_NOMEM, _("cannot begin to decompress %s"), s->path);
	s->in_at = s->in_n = 0;
	s->file_pos = 0;
	for (size_t skip = s->inflated; skip && !s->ended; skip -= k)
		if (!gz_step(s, s->text, skip < TEXT_BYTES ? skip : TEXT_BYTES, &k, &end, e) || !gz_turn(s, end, e))
			return false;
	return true;
}

/*
 * The next TEXT_BYTES of text; fewer at its end. So much at once in whatever pieces it is read, so that they make no difference: where
 * ISA-L meets damage all of this is dropped, and zlib says what there is.
 */
static bool gz_fill(struct file_src *s, char *buf, size_t *n, struct err *e)
{
	enum gunzip_end end;
	size_t k;

	for (*n = 0; *n < TEXT_BYTES && !s->ended;) {
		if (!gz_step(s, buf + *n, TEXT_BYTES - *n, &k, &end, e))
			return false;
		*n += k;
		if (end > GUNZIP_MEMBER && gunzip_is_fast(s->z)) {
			*n = 0;
			if (!gz_anew(s, e))
				return false;
		} else if (!gz_turn(s, end, e)) {
			return false;
		}
	}
	s->inflated += *n;
	if (s->damage && s->damage_at < 0)
		s->damage_at = (int64_t)s->inflated;
	return true;
}

static bool read_gz(struct file_src *s, char *buf, size_t n, size_t *got, struct err *e)
{
	size_t k;

	for (*got = 0; *got < n; *got += k) {
		k = n - *got < s->text_n - s->text_at ? n - *got : s->text_n - s->text_at;
		if (k) {
			memcpy(buf + *got, s->text + s->text_at, k);
			s->text_at += k;
		} else if (s->ended) {
			return true;
		} else if (n - *got >= TEXT_BYTES) {
			if (!gz_fill(s, buf + *got, &k, e))
				return false;
		} else {
			s->text_at = 0;
			if (!gz_fill(s, s->text, &s->text_n, e))
				return false;
		}
	}
	return true;
}

bool file_src_read(struct file_src *s, void *buf, size_t n, size_t *got, struct err *e)
{
	*got = 0;
	if (!(s->gz ? read_gz : read_plain)(s, buf, n, got, e))
		return false;
	s->text_pos += (int64_t)*got;
	return true;
}

bool file_src_gz(const struct file_src *s)
{
	return s->gz;
}

const char *file_src_map(struct file_src *s, size_t *n)
{
	if (!s->map && !s->gz && s->seekable && s->size > 0 && (uint64_t)s->size < SIZE_MAX / 2) {
		s->map_n = (size_t)s->size;
		s->map = guard_map(s->fd, s->map_n, FILE_PAD);
	}
	*n = s->map_n;
	return s->map;
}

#define PAGE 4096u	/* or a multiple: then the system refuses a hint now and then */

void file_src_need(struct file_src *s, size_t at, size_t n)
{
#ifdef MADV_POPULATE_READ
	size_t from = at & ~(size_t)(PAGE - 1), end = s->map_n < at + n ? s->map_n : at + n;

	if (from < end)
		(void)madvise((void *)(uintptr_t)(s->map + from), end - from, MADV_POPULATE_READ);
#else
	(void)s, (void)at, (void)n;
#endif
}

/*
 * Given back in pieces of this size: a multiple of what guard_map() lets the system map as one, so that none is torn, and few of them, since
 * each time all other threads are interrupted.
 */
#define LARGE ((size_t)16 << 20)

void file_src_done_with(struct file_src *s, size_t end)
{
	end &= ~(LARGE - 1);
	if (end <= s->map_done || end > s->map_n)
		return;
	(void)madvise((void *)(uintptr_t)(s->map + s->map_done), end - s->map_done, MADV_DONTNEED);
	s->map_done = end;
}

void file_src_seek(struct file_src *s, int64_t at)
{
	s->in_at = s->in_n = 0;
	s->file_pos = s->text_pos = at;
	if ((size_t)at < s->map_done)
		s->map_done = (size_t)at & ~(LARGE - 1);
}

bool file_src_rewind(struct file_src *s, struct err *e)
{
	if (s->gz) {
		gunzip_free(s->z);
		s->z = gunzip_new(s->seekable);
		if (!s->z)
			return err_set(e, ERR_NOMEM, _("cannot begin to decompress %s"), s->path);
	}
	s->in_at = s->in_n = s->text_at = s->text_n = s->inflated = 0;
	s->file_pos = s->text_pos = 0;
	s->ended = s->unreadable = false;
	return s->seekable || err_set(e, ERR_IO, _("%s cannot be read twice"), s->path);
}

int64_t file_src_size(const struct file_src *s)
{
	return s->size;
}

int64_t file_src_done(const struct file_src *s)
{
	return s->file_pos - (int64_t)(s->in_n - s->in_at);
}

const char *file_src_damage(const struct file_src *s, int64_t *offset)
{
	if (s->damage && offset)
		*offset = s->damage_at;
	return s->damage;
}

bool file_head(const char *path, void *buf, size_t cap, size_t *got, bool *gz, int64_t *size_bytes,
	       struct err *e)
{
	struct file_src *s = file_src_open(path, e);
	bool ok;

	if (!s)
		return false;
	ok = file_src_read(s, buf, cap, got, e);
	if (gz)
		*gz = s->gz;
	if (size_bytes)
		*size_bytes = s->size;
	file_src_close(s);
	return ok;
}

/* Grows *buf while reading; false on error or when limit is passed. */
static bool read_rest(struct file_src *s, char **buf, size_t limit, size_t *n, struct err *e)
{
	size_t cap = 4096, got;

	*buf = xmalloc(cap);
	for (;;) {
		if (!file_src_read(s, *buf + *n, cap - 1 - *n, &got, e))
			return false;
		*n += got;
		if (*n > limit)
			return err_set(e, ERR_LIMIT, _("%s is longer than %zu bytes"), s->path,
				       limit);
		if (*n < cap - 1)
			break;
		cap *= 2;
		*buf = xrealloc(*buf, cap);
	}
	(*buf)[*n] = '\0';
	if (s->damage)
		return err_set(e, ERR_FORMAT, "%s: %s", s->path, _(s->damage));
	return true;
}

char *file_read_all(const char *path, size_t limit, size_t *n, struct err *e)
{
	struct file_src *s = src_open(path, true, e);
	char *buf = NULL;

	*n = 0;
	if (!s)
		return NULL;
	if (!read_rest(s, &buf, limit, n, e)) {
		free(buf);
		buf = NULL;
	}
	file_src_close(s);
	return buf;
}

char *file_line(char **at, char *end)
{
	char *line = *at, *stop;

	if (line == end)
		return NULL;
	stop = memchr(line, '\n', (size_t)(end - line));
	*at = stop ? stop + 1 : end;
	if (!stop)
		stop = end;
	*stop = '\0';
	while (stop > line && stop[-1] == '\r')
		*--stop = '\0';
	return line;
}

static void list_push(struct file_list *l, char *path)
{
	if (l->n == l->cap) {
		l->cap = mem_grow(l->cap, l->n + 1);
		l->paths = xreallocarray(l->paths, l->cap, sizeof(*l->paths));
	}
	l->paths[l->n++] = path;
}

static bool list_into(struct file_list *l, const char *dir, unsigned depth, struct err *e);

/* Takes path. A folder that was reached through a link is not entered: links may form a ring. */
static void list_entry(struct file_list *l, char *path, unsigned depth)
{
	struct stat st, lst;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		list_push(l, path);
		return;
	}
	if (depth && lstat(path, &lst) == 0 && S_ISDIR(lst.st_mode))
		list_into(l, path, depth - 1, NULL);
	free(path);
}

static bool list_into(struct file_list *l, const char *dir, unsigned depth, struct err *e)
{
	size_t n = strlen(dir);
	const char *sep = n && dir[n - 1] == '/' ? "" : "/";
	DIR *d = opendir(dir);
	struct dirent *de;

	if (!d)
		return err_sys(e, errno, _("cannot list %s"), dir);
	while ((de = readdir(d)))
		if (de->d_name[0] != '.')
			list_entry(l, xasprintf("%s%s%s", dir, sep, de->d_name), depth);
	closedir(d);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool file_list_dir(struct file_list *l, const char *dir, bool deep, struct err *e)
{
	size_t had = l->n;

	if (!list_into(l, dir, deep ? LIST_DEPTH : 0, e))
		return false;
	if (l->n > had)
		qsort(l->paths + had, l->n - had, sizeof(*l->paths), by_name);
	return true;
}

void file_list_fini(struct file_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->paths[i]);
	free(l->paths);
	*l = (struct file_list){ 0 };
}
