/* cache.c - the reopen cache around a loader, see cache.h */
#include "reopen/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buildid.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/par.h"
#include "base/vec.h"
#include "load/read/loader.h"
#include "reopen/cache_impl.h"
#include "reopen/folder.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif
#define WORTH_BYTES (32 << 20)
#define WORTH_NS 500000000
#define SETTLED_NS INT64_C(2000000000)

struct save {
	char *path;
	char loader[CACHE_LOADER_MAX];
	struct cache_source source;
	struct profile *profile;
};

struct cache_seen {
	char *path;
	struct reopen_ticket t;
};

/* Everything below the lock is under it. */
struct reopen {
	int64_t min_bytes;		/* -1: as usual */
	atomic_bool stop;		/* the writing is to end */
	pthread_mutex_t lock;
	VEC(struct save) queue;		/* not yet begun */
	VEC(char *) notes;
	VEC(struct cache_seen) seen;		/* tickets by the path as it was given */
	bool writing;			/* the thread runs */
	bool joinable;
	pthread_t thread;
};

/* ---- begin and end ---------------------------------------------------------------------------------------- */

struct reopen *reopen_new(void)
{
	struct reopen *r = xcalloc(1, sizeof(*r));
	const char *s = getenv("PROFDIVE_CACHE_MIN");

	r->min_bytes = -1;
	if (s)
		num_parse_bytes(s, strlen(s), &r->min_bytes);
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static void save_fini(struct save *s)
{
	free(s->path);
	profile_unref(s->profile);
}

void reopen_finish(struct reopen *r, bool abandon)
{
	if (!r)
		return;
	if (abandon)
		atomic_store(&r->stop, true);
	if (r->joinable)
		pthread_join(r->thread, NULL);
	r->joinable = false;
}

void reopen_free(struct reopen *r)
{
	if (!r)
		return;
	reopen_finish(r, true);
	for (size_t i = 0; i < r->queue.n; i++)
		save_fini(&r->queue.a[i]);
	for (size_t i = 0; i < r->notes.n; i++)
		free(r->notes.a[i]);
	for (size_t i = 0; i < r->seen.n; i++) {
		free(r->seen.a[i].path);
		reopen_ticket_fini(&r->seen.a[i].t);
	}
	VEC_FREE(&r->queue);
	VEC_FREE(&r->notes);
	VEC_FREE(&r->seen);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- notes -------------------------------------------------------------------------------------------------- */

void reopen_note(struct reopen *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&r->lock);
	VEC_PUSH(&r->notes, xstrdup(text));
	pthread_mutex_unlock(&r->lock);
}

char *reopen_take_note(struct reopen *r)
{
	char *s = NULL;

	if (!r)
		return NULL;
	pthread_mutex_lock(&r->lock);
	if (r->notes.n) {
		s = r->notes.a[0];
		r->notes.n--;
		memmove(r->notes.a, r->notes.a + 1, r->notes.n * sizeof(*r->notes.a));
	}
	pthread_mutex_unlock(&r->lock);
	return s;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

void reopen_loader_tag(const char *loader, char out[CACHE_LOADER_MAX])
{
	char id[48];

	snprintf(out, CACHE_LOADER_MAX, "%s %u %s %s", loader, REOPEN_LOADERS, PACKAGE_VERSION, build_id(id, sizeof(id)));
}

static int64_t utc_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the loader is asked for comes from the same file as the fingerprint: a change in between shows in the time. */
static bool fill_ticket(struct reopen *r, const char *path, struct reopen_ticket *t)
{
	struct err e = ERR_INIT;
	const struct loader *l;

	t->path = realpath(path, NULL);
	if (!t->path)
		return false;
	if (!cache_source_read(t->path, &t->source, &e)) {
		reopen_note(r, "cache: passed over file path=%s why=%s", path, e.text);
		return false;
	}
	t->settled = t->source.mtime_ns <= utc_ns() - SETTLED_NS;
	l = loader_probe(path, NULL);
	if (l)
		reopen_loader_tag(l->name, t->loader);
	return l != NULL;
}

static struct cache_key key_of(const char *path, const char *loader, const struct cache_source *s)
{
	return (struct cache_key){ .path = path, .loader = loader, .source = *s };
}

static struct profile *find_in(const struct cache_dir *d, const struct reopen_ticket *t, struct err *e)
{
	struct cache_key k = key_of(t->path, t->loader, &t->source);
	struct profile *p = NULL;
	char name[CACHE_NAME_MAX];
	int fd;

	cache_dir_name(t->path, name);
	fd = cache_dir_get(d, name, e);
	if (fd < 0)
		return NULL;
	p = cache_open(fd, &k, e);
	if (p)
		cache_dir_touch(fd);
	close(fd);
	return p;
}

static struct reopen_ticket copy_ticket(const struct reopen_ticket *t)
{
	struct reopen_ticket c = *t;

	c.path = xstrdup(t->path);
	return c;
}

/* The last look at a path counts. */
static void remember(struct reopen *r, const char *path, const struct reopen_ticket *t)
{
	size_t i = 0;

	pthread_mutex_lock(&r->lock);
	while (i < r->seen.n && strcmp(r->seen.a[i].path, path) != 0)
		i++;
	if (i == r->seen.n)
		VEC_PUSH(&r->seen, (struct cache_seen){ .path = xstrdup(path) });
	reopen_ticket_fini(&r->seen.a[i].t);
	r->seen.a[i].t = copy_ticket(t);
	pthread_mutex_unlock(&r->lock);
}

bool reopen_seen(struct reopen *r, const char *path, struct reopen_ticket *out)
{
	bool found = false;

	memset(out, 0, sizeof(*out));
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->seen.n && !found; i++) {
		if (strcmp(r->seen.a[i].path, path) != 0)
			continue;
		*out = copy_ticket(&r->seen.a[i].t);
		found = true;
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

struct profile *reopen_find(struct reopen *r, const char *path, struct reopen_ticket *t)
{
	struct profile *p = NULL;
	struct err e = ERR_INIT;
	struct cache_dir d;

	memset(t, 0, sizeof(*t));
	if (!r)
		return NULL;
	if (!fill_ticket(r, path, t)) {
		reopen_ticket_fini(t);
		return NULL;
	}
	remember(r, path, t);
	if (cache_dir_open(&d, false, &e))
		p = find_in(&d, t, &e);
	cache_dir_close(&d);
	if (p)
		reopen_note(r, "cache: opened file path=%s events=%" PRIu32 " bytes=%zu", path, p->n, p->map_bytes);
	else if (e.code && e.sys != ENOENT)	/* nothing there is nothing to tell */
		reopen_note(r, "cache: loading the source path=%s why=%s", path, e.text);
	return p;
}

void reopen_ticket_fini(struct reopen_ticket *t)
{
	free(t->path);
	t->path = NULL;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

static bool write_file(const struct cache_dir *d, const struct save *s, const atomic_bool *stop, struct err *e)
{
	struct cache_key k = key_of(s->path, s->loader, &s->source);
	char name[CACHE_NAME_MAX], tmp[CACHE_NAME_MAX];
	int fd;

	cache_dir_name(s->path, name);
	if (!cache_dir_make_room(d, cache_bytes(s->profile, &k), name, e))
		return false;
	fd = cache_dir_create(d, name, tmp, e);
	if (fd < 0)
		return false;
	if (cache_write(fd, s->profile, &k, stop, e))
		return cache_dir_commit(d, fd, tmp, name, e);
	cache_dir_remove(d, tmp);
	close(fd);
	return false;
}

/* The source is looked at again: what was loaded is its present state only if that has not changed meanwhile. */
static void save(struct reopen *r, const struct save *s)
{
	struct cache_source now;
	struct err e = ERR_INIT;
	struct cache_dir d = { .fd = -1 };
	int64_t began = utc_ns();
	bool ok;

	ok = cache_source_read(s->path, &now, &e);
	if (ok && memcmp(&now, &s->source, sizeof(now)) != 0)
		ok = err_set(&e, ERR_IO, _("it has changed while it was loaded"));
	ok = ok && cache_dir_open(&d, true, &e) && write_file(&d, s, &r->stop, &e);
	cache_dir_close(&d);
	if (ok)
		reopen_note(r, "cache: stored file path=%s took_ms=%" PRId64, s->path, (utc_ns() - began) / 1000000);
	else if (e.code != ERR_CANCELLED)
		reopen_note(r, "cache: not stored path=%s why=%s", s->path, e.text);
}

static void *write_queue(void *arg)
{
	struct reopen *r = arg;

	pthread_mutex_lock(&r->lock);
	while (r->queue.n && !atomic_load(&r->stop)) {
		struct save s = r->queue.a[0];

		r->queue.n--;
		memmove(r->queue.a, r->queue.a + 1, r->queue.n * sizeof(*r->queue.a));
		pthread_mutex_unlock(&r->lock);
		save(r, &s);
		save_fini(&s);
		pthread_mutex_lock(&r->lock);
	}
	r->writing = false;
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Under the lock. Without a thread nothing is stored. */
static void start_writing(struct reopen *r)
{
	if (r->writing)
		return;
	if (r->joinable)
		pthread_join(r->thread, NULL);	/* it is past its last unlock */
	r->joinable = r->writing = par_thread(&r->thread, NULL, write_queue, r);
}

static bool worth(const struct reopen *r, const struct reopen_ticket *t, int64_t took_ns)
{
	if (r->min_bytes >= 0)
		return t->source.bytes >= (uint64_t)r->min_bytes;
	return t->source.bytes >= WORTH_BYTES || took_ns >= WORTH_NS;
}

void reopen_keep(struct reopen *r, const struct reopen_ticket *t, struct profile *p, int64_t took_ns)
{
	struct save s;

	if (!r || !t->path || !worth(r, t, took_ns))
		return;
	if (!t->settled) {
		reopen_note(r, "cache: not stored path=%s why=%s", t->path, _("it was changed just before it was loaded"));
		return;
	}
	s = (struct save){ .path = xstrdup(t->path), .source = t->source, .profile = profile_ref(p) };
	memcpy(s.loader, t->loader, sizeof(s.loader));
	pthread_mutex_lock(&r->lock);
	VEC_PUSH(&r->queue, s);
	start_writing(r);
	pthread_mutex_unlock(&r->lock);
}
