/*
 * table_file.c - what is kept of a session beside its profiles, see cache.h
 *
 * The file: a head, the absolute path of the first source, the bytes. It is read whole into memory, never mapped: a file that is cut
 * while it is read is found short, and nothing else.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check64.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "reopen/cache_impl.h"
#include "reopen/folder.h"

#define BYTES_MAGIC "pdviews\n"
#define PATH_BYTES_MAX 65536u

struct bytes_head {
	char magic[8];
	uint64_t key;
	struct cache_source source;	/* of the first source */
	char loader[CACHE_LOADER_MAX];
	uint32_t path_bytes, reserved;
	uint64_t bytes;
	uint64_t checksum;		/* of path and bytes */
	uint64_t head_sum;		/* of this head, with 0 here */
};

void reopen_session_fini(struct reopen_session *s)
{
	reopen_ticket_fini(&s->first);
}

/* ---- which session ------------------------------------------------------------------------------------------ */

/* The source is as it was, so that what was made of it then is what would be made of it now. */
static bool still(const struct reopen_ticket *t)
{
	struct cache_source now;

	return t->path && t->settled && cache_source_read(t->path, &now, NULL) && !memcmp(&now, &t->source, sizeof(now));
}

static void add_source(struct sbuf *key, const char *given, const struct reopen_ticket *t)
{
	sbuf_put(key, given, strlen(given) + 1);
	sbuf_put(key, t->path, strlen(t->path) + 1);
	sbuf_put(key, t->loader, strlen(t->loader) + 1);
	sbuf_put(key, &t->source, sizeof(t->source));
}

bool reopen_identify(struct reopen *r, const char *const *paths, size_t n, struct reopen_session *out)
{
	struct sbuf key = { 0 }, names = { 0 };
	bool ok = r && n;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n && ok; i++) {
		struct reopen_ticket t;

		ok = reopen_seen(r, paths[i], &t) && still(&t);
		if (ok) {
			add_source(&key, paths[i], &t);
			sbuf_printf(&names, "%s\n", t.path);
		}
		if (ok && !i)
			out->first = t;
		else
			reopen_ticket_fini(&t);
	}
	if (ok) {
		out->key = check64(key.s, key.n);
		cache_dir_name_tables(sbuf_str(&names), out->name);
	}
	sbuf_fini(&key);
	sbuf_fini(&names);
	return ok;
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t n)
{
	char *s = to;

	while (n) {
		ssize_t r = read(fd, s, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		s += r;
		n -= (size_t)r;
	}
	return true;
}

static uint64_t head_sum(struct bytes_head h)
{
	h.head_sum = 0;
	return check64(&h, sizeof(h));
}

/* Head and body (path, then bytes) of a file; NULL: it is none, or damaged. */
static char *read_file(int fd, size_t limit, struct bytes_head *h)
{
	char *s = NULL, more;

	if (!read_all(fd, h, sizeof(*h)) || memcmp(h->magic, BYTES_MAGIC, sizeof(h->magic)) != 0 || h->head_sum != head_sum(*h) ||
	    h->path_bytes > PATH_BYTES_MAX || h->bytes > limit || h->loader[CACHE_LOADER_MAX - 1])
		return NULL;
	s = xmalloc(h->path_bytes + h->bytes);
	if (read_all(fd, s, h->path_bytes + h->bytes) && read(fd, &more, 1) == 0 &&
	    check64(s, h->path_bytes + h->bytes) == h->checksum)
		return s;
	free(s);
	return NULL;
}

char *reopen_read_bytes(struct reopen *r, const struct reopen_session *s, size_t limit, size_t *n)
{
	struct bytes_head h;
	struct cache_dir d = { .fd = -1 };
	struct err e = ERR_INIT;
	char *all = NULL;
	int fd = -1;

	if (r && cache_dir_open(&d, false, &e) && (fd = cache_dir_get(&d, s->name, &e)) >= 0)
		all = read_file(fd, limit, &h);
	if (all && h.key == s->key) {
		memmove(all, all + h.path_bytes, h.bytes);
		*n = h.bytes;
		cache_dir_touch(fd);
		reopen_note(r, "cache: opened tables name=%s bytes=%zu", s->name, *n);
	} else {
		if (fd >= 0)
			reopen_note(r, "cache: not using tables name=%s why=%s", s->name, all ? "other key" : "damaged");
		free(all);
		all = NULL;
	}
	if (fd >= 0)
		close(fd);
	cache_dir_close(&d);
	return all;
}

bool reopen_peek_bytes(int fd, struct cache_info *out, struct err *e)
{
	struct bytes_head h;
	char *all = read_file(fd, SIZE_MAX / 2, &h);

	if (!all)
		return err_set(e, ERR_FORMAT, _("the cache file is damaged: %s"), _("wrong checksum"));
	*out = (struct cache_info){ .source = h.source, .file_bytes = sizeof(h) + h.path_bytes + h.bytes };
	out->path = xmemdup0(all, h.path_bytes);
	memcpy(out->loader, h.loader, sizeof(out->loader));
	free(all);
	return true;
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *from, size_t n, struct err *e)
{
	const char *s = from;

	while (n) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return err_sys(e, w < 0 ? errno : EIO, _("cannot write the cache file"));
		s += w;
		n -= (size_t)w;
	}
	return true;
}

static void make_file(const struct reopen_session *s, const void *bytes, size_t n, struct sbuf *out)
{
	struct bytes_head h = { .key = s->key, .source = s->first.source, .path_bytes = (uint32_t)strlen(s->first.path), .bytes = n };

	memcpy(h.magic, BYTES_MAGIC, sizeof(h.magic));
	memcpy(h.loader, s->first.loader, sizeof(h.loader));
	sbuf_put(out, &h, sizeof(h));
	sbuf_put(out, s->first.path, h.path_bytes);
	sbuf_put(out, bytes, n);
	h.checksum = check64(out->s + sizeof(h), out->n - sizeof(h));
	h.head_sum = head_sum(h);
	memcpy(out->s, &h, sizeof(h));
}

bool reopen_write_bytes(struct reopen *r, const struct reopen_session *s, const void *bytes, size_t n, struct err *e)
{
	struct cache_dir d = { .fd = -1 };
	struct sbuf all = { 0 };
	char tmp[CACHE_NAME_MAX];
	bool ok;
	int fd;

	if (!r || strlen(s->first.path) > PATH_BYTES_MAX)
		return err_set(e, ERR_LIMIT, _("the cache is not used"));
	make_file(s, bytes, n, &all);
	ok = cache_dir_open(&d, true, e) && cache_dir_make_room(&d, (int64_t)all.n, s->name, e) &&
		(fd = cache_dir_create(&d, s->name, tmp, e)) >= 0;
	if (ok && write_all(fd, all.s, all.n, e)) {
		ok = cache_dir_commit(&d, fd, tmp, s->name, e);
		if (ok)
			reopen_note(r, "cache: stored tables name=%s bytes=%zu", s->name, n);
	} else if (ok) {
		cache_dir_remove(&d, tmp);
		close(fd);
		ok = false;
	}
	cache_dir_close(&d);
	sbuf_fini(&all);
	return ok;
}
