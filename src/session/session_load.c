/* session_load.c - loads the files of a session on threads, see session_load.h */
#include "session/session_load.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/job.h"
#include "base/mem.h"
#include "base/par.h"
#include "load/read/loader.h"
#include "load/read/part.h"
#include "reopen/cache.h"

#define JOBS_MAX 8
#define FIRST_SNAPSHOT_NS 100000000
#define WAIT_NS 50000000

/* One file. What both sides touch is under the loader's lock; job is atomic by itself. */
struct session_load_slot {
	struct session_loader *l;
	char *path;
	struct job job;
	enum source_state state;
	struct profile *fresh;	/* newer than what poll() took, NULL none */
	struct err err;
	bool news;
	/* the loading thread's own */
	int64_t began_ns;
	uint64_t snapshot_events;
};

struct session_loader {
	struct session_load_slot *slots;
	size_t n, next, running;	/* next: to be begun */
	pthread_t *threads;
	size_t n_threads;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int wake[2];
	bool snapshots;
	struct reopen *reopen;	/* the caller's, NULL none */
	bool has_part;
	struct load_part part;
	atomic_bool cancelled;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the loading threads ----------------------------------------------------------------------- */

/* Under the lock. */
static void tell(struct session_load_slot *s)
{
	s->news = true;
	pthread_cond_broadcast(&s->l->changed);
	if (s->l->wake[1] >= 0 && write(s->l->wake[1], "", 1) < 0)
		return;	/* full: the reader is awake already */
}

static void hand_over(struct session_load_slot *s, struct profile *p, enum source_state state)
{
	struct profile *old;

	pthread_mutex_lock(&s->l->lock);
	old = s->fresh;
	s->fresh = p;
	s->state = state;
	tell(s);
	pthread_mutex_unlock(&s->l->lock);
	if (old)
		profile_unref(old);
}

static void on_batch(void *arg, struct builder *b)
{
	struct session_load_slot *s = arg;
	uint64_t n = builder_events(b);

	if (!n || n < 2 * s->snapshot_events || now_ns() - s->began_ns < FIRST_SNAPSHOT_NS)
		return;
	s->snapshot_events = n;
	hand_over(s, builder_snapshot(b, true), SOURCE_LOADING);
}

static void load_slot(struct session_load_slot *s)
{
	struct reopen_ticket t;
	struct profile *p;
	struct err e = ERR_INIT;

	s->began_ns = now_ns();
	job_stage(&s->job, N_("opening"));
	p = reopen_find(s->l->reopen, s->path, &t);
	if (p)
		job_add(&s->job, 0, p->n);
	else if (loader_load_part(s->path, s->l->has_part ? &s->l->part : NULL, &s->job, s->l->snapshots ? on_batch : NULL, s, &p, &e))
		reopen_keep(s->l->reopen, &t, p, now_ns() - s->began_ns);
	else
		s->err = e;
	reopen_ticket_fini(&t);
	hand_over(s, p, p ? SOURCE_READY : SOURCE_FAILED);
}

static void *work(void *arg)
{
	struct session_loader *l = arg;

	pthread_mutex_lock(&l->lock);
	while (l->next < l->n) {
		struct session_load_slot *s = &l->slots[l->next++];

		s->state = SOURCE_LOADING;
		tell(s);
		pthread_mutex_unlock(&l->lock);
		load_slot(s);
		pthread_mutex_lock(&l->lock);
	}
	l->running--;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* ---- start and end ----------------------------------------------------------------------------- */

static void open_wake(struct session_loader *l)
{
	if (pipe(l->wake) < 0) {
		l->wake[0] = l->wake[1] = -1;
		return;
	}
	for (int i = 0; i < 2; i++) {
		fcntl(l->wake[i], F_SETFL, O_NONBLOCK);
		fcntl(l->wake[i], F_SETFD, FD_CLOEXEC);
	}
}

static unsigned thread_count(unsigned jobs)
{
	unsigned n = par_workers(jobs);

	return !jobs && n > JOBS_MAX ? JOBS_MAX : n;
}

static void start_threads(struct session_loader *l, size_t want)
{
	l->threads = xcalloc(want, sizeof(*l->threads));
	l->running = want;
	while (l->n_threads < want && par_thread(&l->threads[l->n_threads], NULL, work, l))
		l->n_threads++;
	if (l->n_threads == want)
		return;
	pthread_mutex_lock(&l->lock);
	l->running -= want - l->n_threads;
	if (!l->n_threads)
		l->running = 1;
	pthread_mutex_unlock(&l->lock);
	if (!l->n_threads)
		work(l);	/* no thread to be had: then here and now */
}

struct session_loader *session_loader_start(struct session *s, const char *const *paths, size_t n,
	const struct session_load_opts *o)
{
	struct session_loader *l = xcalloc(1, sizeof(*l));
	pthread_condattr_t attr;
	unsigned jobs;
	size_t want;

	l->n = n;
	l->slots = xcalloc(n, sizeof(*l->slots));
	l->snapshots = o->snapshots;
	l->has_part = o->part;
	if (o->part)
		l->part = *o->part;
	l->reopen = o->part ? NULL : o->reopen;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &attr);
	pthread_condattr_destroy(&attr);
	open_wake(l);
	for (size_t i = 0; i < n; i++) {
		session_add(s, paths[i]);
		l->slots[i].l = l;
		l->slots[i].path = xstrdup(paths[i]);
		l->slots[i].state = SOURCE_WAITING;
		l->slots[i].err = (struct err)ERR_INIT;
	}
	/* what the files leave over is for the pieces of each */
	jobs = thread_count(o->jobs);
	want = jobs < n ? jobs : n;
	for (size_t i = 0; i < n; i++)
		l->slots[i].job.workers = want ? jobs / (unsigned)want : 1;
	start_threads(l, want);
	return l;
}

void session_loader_cancel(struct session_loader *l)
{
	atomic_store(&l->cancelled, true);
	for (size_t i = 0; i < l->n; i++)
		atomic_store(&l->slots[i].job.cancel, true);
}

void session_loader_free(struct session_loader *l)
{
	if (!l)
		return;
	session_loader_cancel(l);
	for (size_t i = 0; i < l->n_threads; i++)
		pthread_join(l->threads[i], NULL);
	for (size_t i = 0; i < l->n; i++) {
		if (l->slots[i].fresh)
			profile_unref(l->slots[i].fresh);
		free(l->slots[i].path);
	}
	for (int i = 0; i < 2; i++)
		if (l->wake[i] >= 0)
			close(l->wake[i]);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l->slots);
	free(l->threads);
	free(l);
}

/* ---- the other side ---------------------------------------------------------------------------- */

static void drain(int fd)
{
	char buf[64];

	while (fd >= 0 && read(fd, buf, sizeof(buf)) > 0)
		;
}

/* Under the lock. */
static bool take_news(struct session_loader *l, struct session *s)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		struct session_load_slot *slot = &l->slots[i];

		if (!slot->news)
			continue;
		any = true;
		slot->news = false;
		if (slot->state == SOURCE_FAILED)
			session_fail(s, (uint32_t)i, &slot->err);
		else if (slot->fresh)
			session_put(s, (uint32_t)i, slot->fresh, slot->state);
		else
			s->sources[i].state = slot->state;
		slot->fresh = NULL;
	}
	return any;
}

bool session_loader_poll(struct session_loader *l, struct session *s)
{
	bool any;

	drain(l->wake[0]);
	pthread_mutex_lock(&l->lock);
	any = take_news(l, s);
	pthread_mutex_unlock(&l->lock);
	return any;
}

int session_loader_fd(const struct session_loader *l)
{
	return l->wake[0];
}

void session_loader_progress(struct session_loader *l, struct load_progress *p)
{
	*p = (struct load_progress){ 0 };
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->n; i++) {
		struct session_load_slot *s = &l->slots[i];

		p->events += atomic_load(&s->job.events);
		p->loading |= s->state == SOURCE_WAITING || s->state == SOURCE_LOADING;
		if (p->path || s->state != SOURCE_LOADING)
			continue;
		p->path = s->path;
		p->stage = atomic_load(&s->job.stage);
		p->done = atomic_load(&s->job.done);
		p->total = atomic_load(&s->job.total);
	}
	pthread_mutex_unlock(&l->lock);
}

bool session_loader_wait(struct session_loader *l, struct session *s, const atomic_bool *stop, struct err *e)
{
	bool running = true;

	while (running) {
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += WAIT_NS;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (stop && atomic_load(stop))
			session_loader_cancel(l);
		pthread_mutex_lock(&l->lock);
		if (l->running)
			pthread_cond_timedwait(&l->changed, &l->lock, &t);
		running = l->running > 0;
		pthread_mutex_unlock(&l->lock);
		session_loader_poll(l, s);
	}
	if (atomic_load(&l->cancelled))
		return err_set(e, ERR_CANCELLED, "cancelled");
	return true;
}
