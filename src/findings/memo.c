/* memo.c - findings that several views of a context ask for, computed once; see finding.h */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/lazy.h"
#include "base/mem.h"
#include "findings/finding.h"
#include "scope/columns.h"

enum { MEMO_MAX = 16 };		/* a window of that many sources */

struct kept_findings {
	struct scope scope;
	uint32_t source;
	struct findings *f;	/* NULL while they are computed, users > 0 then */
	unsigned users;
	uint64_t used;
};
struct findings_memo {
	const struct an_ctx *cx;
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct kept_findings v[MEMO_MAX];
	uint64_t clock;
};

static void *per_name_new(const void *cx)
{
	struct findings_memo *m = xcalloc(1, sizeof(*m));

	m->cx = cx;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->done, NULL);
	return m;
}

static void memo_free(void *memo)
{
	struct findings_memo *m = memo;

	for (int i = 0; i < MEMO_MAX; i++)
		findings_free(m->v[i].f);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->done);
	free(m);
}

static struct kept_findings *find(struct findings_memo *m, const struct scope *sc, uint32_t source)
{
	for (int i = 0; i < MEMO_MAX; i++)
		if ((m->v[i].f || m->v[i].users) && m->v[i].source == source && !memcmp(&m->v[i].scope, sc, sizeof(*sc)))
			return &m->v[i];
	return NULL;
}

/* The place that nobody has used for the longest time; NULL: all are in use. */
static struct kept_findings *place(struct findings_memo *m)
{
	struct kept_findings *to = NULL;

	for (int i = 0; i < MEMO_MAX; i++)
		if (!m->v[i].users && (!to || m->v[i].used < to->used))
			to = &m->v[i];
	return to;
}

/* Lets go of the lock for a moment: long enough not to spin, short enough for a cancel to be felt. */
static void wait_a_little(struct findings_memo *m)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 20000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&m->done, &m->lock, &t);
}

/* With the lock held: computes into x, which is in use meanwhile; NULL leaves it empty. */
static struct findings *make(struct findings_memo *m, struct kept_findings *x, const struct an_ctx *cx, const struct scope *sc,
	uint32_t source, struct err *e)
{
	struct findings *f;

	findings_free(x->f);
	*x = (struct kept_findings){ *sc, source, NULL, 1, ++m->clock };
	pthread_mutex_unlock(&m->lock);
	f = findings_new(cx, sc, source, e);
	pthread_mutex_lock(&m->lock);
	x->f = f;
	x->users = f != NULL;
	if (f)
		f->m->k.cx = m->cx;	/* the asker's may be a copy that goes */
	pthread_cond_broadcast(&m->done);
	return f;
}

const struct findings *findings_get(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e)
{
	struct findings_memo *m = cx->memo ? lazy_make(cx->memo, per_name_new, cx->origin, memo_free) : NULL;
	struct kept_findings *x;
	struct findings *f = NULL;

	if (!m)
		return findings_new(cx, sc, source, e);
	pthread_mutex_lock(&m->lock);
	while ((x = find(m, sc, source)) && !x->f && !job_cancelled(cx->job))
		wait_a_little(m);
	if (x && x->f) {
		x->users++;
		x->used = ++m->clock;
		f = x->f;
	} else if (!an_cancelled(cx, e)) {
		x = place(m);
		if (x) {
			f = make(m, x, cx, sc, source, e);
		} else {
			pthread_mutex_unlock(&m->lock);
			return findings_new(cx, sc, source, e);
		}
	}
	pthread_mutex_unlock(&m->lock);
	return f;
}

void findings_put(const struct an_ctx *cx, const struct findings *f)
{
	struct findings_memo *m = cx->memo ? lazy_peek(cx->memo) : NULL;
	bool kept = false;

	if (!f)
		return;
	if (m)
		pthread_mutex_lock(&m->lock);
	for (int i = 0; m && i < MEMO_MAX && !kept; i++) {
		kept = m->v[i].f == f;
		m->v[i].users -= kept;
	}
	if (m)
		pthread_mutex_unlock(&m->lock);
	if (!kept)
		findings_free((struct findings *)(uintptr_t)f);
}
