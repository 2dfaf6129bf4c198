/* work.c - the worker threads: one lock, a list of requests, results handed over to the UI thread in work_collect. */
#include "ui/work/work_impl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/vec.h"
#include "catalog/views.h"
#include "measure/lanes.h"
#include "ui/screen/signals.h"

enum { CACHE_MAX = 96, SMALL_ROWS = 8192 };

struct result *result_ref(struct result *r)
{
	if (r)
		r->users++;
	return r;
}

void result_unref(struct result *r)
{
	if (!r || --r->users)
		return;
	if (r->table)
		table_free(r->table);
	free(r);
}

/* ---- the default operations -------------------------------------------------------------------- */

static struct table *analysis_by_id(const char *id, const struct an_ctx *cx, const struct scope *sc, struct err *e)
{
	const struct analysis *a = analysis_find(id);

	if (!a) {
		err_set(e, ERR_INTERNAL, _("there is no view \"%s\""), id);
		return NULL;
	}
	return analysis_table(a, cx, sc, e);
}

static void make_lanes(const struct an_ctx *cx)
{
	for (uint32_t i = 0; i < cx->session->n_sources; i++)
		if (cx->facts[i] && !job_cancelled(cx->job))
			facts_make_lanes(cx->facts[i]);
}

static const struct work_ops default_ops = { .ctx_new = an_ctx_new, .ctx_free = an_ctx_free, .lanes = make_lanes, .table = analysis_by_id };

/* ---- the worker -------------------------------------------------------------------------------- */

void work_notify(struct work *w)
{
	ssize_t n;

	atomic_store(&w->news, true);
	n = write(w->fd[1], "", 1);

	(void)n;	/* a full pipe wakes as well */
}

void work_snap_unref(struct work *w, struct snap *s)
{
	if (!s || --s->users)
		return;
	s->next_garbage = w->garbage;
	w->garbage = s;
	pthread_cond_signal(&w->cond);
}

/* Called with the lock held; lets go of it. */
static void free_garbage(struct work *w)
{
	struct snap *s = w->garbage;

	w->garbage = NULL;
	pthread_mutex_unlock(&w->lock);
	while (s) {
		struct snap *next = s->next_garbage;

		if (s->cx)
			w->ops.ctx_free(s->cx);
		session_free(s->session);
		free(s);
		s = next;
	}
	pthread_mutex_lock(&w->lock);
}

static void make_ctx(struct work *w)
{
	struct snap *s = w->snap, *made = w->made;
	struct an_ctx *cx;

	s->cx_asked = true;
	s->users++;
	if (made)
		made->users++;
	atomic_store(&w->ctx_job.cancel, w->quit);
	pthread_mutex_unlock(&w->lock);
	cx = w->ops.ctx_new(s->session, w->rules, &w->ctx_job, made ? made->cx : NULL);
	pthread_mutex_lock(&w->lock);
	s->cx = cx;
	s->cx_failed = !cx;
	work_snap_unref(w, made);
	if (cx) {
		work_snap_unref(w, w->made);
		w->made = s;
		s->users++;
	}
	work_snap_unref(w, s);
	pthread_cond_broadcast(&w->cond);
	work_notify(w);
}

static bool wants_lanes(const struct work *w)
{
	return w->ops.lanes && w->snap && w->snap->cx && !w->snap->laned;
}

static void run_lanes(struct work *w)
{
	struct snap *s = w->snap;

	s->lanes_asked = true;
	s->users++;
	pthread_mutex_unlock(&w->lock);
	w->ops.lanes(s->cx);
	pthread_mutex_lock(&w->lock);
	s->laned = true;
	work_snap_unref(w, s);
	work_notify(w);
}

static struct req *next_req(struct work *w)
{
	for (struct req *r = w->reqs; r; r = r->next)
		if (r->state == REQ_WAITING)
			return r;
	return NULL;
}

static struct table *fields_of(const struct work *w, const char *id, const struct an_ctx *cx, struct err *e)
{
	uint32_t source, ev;

	if (w->ops.fields && sscanf(id, "@%" SCNu32 ":%" SCNu32, &source, &ev) == 2)
		return w->ops.fields(cx, source, ev, e);
	err_set(e, ERR_USAGE, "%s", _("no more is known of this event"));
	return NULL;
}

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void keep_table(struct work *w, const struct ui_tables *tables, const struct snap *s, const struct result *res, int64_t ns)
{
	if (!tables->keep || res->id[0] == '@')		/* that is in a file already */
		return;
	pthread_mutex_lock(&w->tables_lock);
	tables->keep(tables->arg, s->session, res->id, &res->scope, res->table, ns);
	pthread_mutex_unlock(&w->tables_lock);
}

static void run_analysis(struct work *w, struct req *r, struct snap *s, const struct ui_tables *tables)
{
	struct result *res = r->result;
	struct an_ctx cx = *s->cx;
	int64_t since = clock_ns();

	cx.job = &r->job;
	cx.before = w->before;
	if (res->id[0] == '@')
		res->table = fields_of(w, res->id, &cx, &res->err);
	else
		res->table = w->ops.table(res->id, &cx, &res->scope, &res->err);
	if (res->table && s->session->loading)
		res->table->partial = true;
	else if (res->table)
		keep_table(w, tables, s, res, clock_ns() - since);
}

/* Tables that are there already come before the facts, which take longer. */
static struct req *next_unlooked(struct work *w)
{
	for (struct req *r = w->reqs; r && w->tables.find && w->snap && !w->snap->session->loading; r = r->next)
		if (r->state == REQ_WAITING && !r->prep && !r->looked && r->result->id[0] != '@')
			return r;
	return NULL;
}

static void look_up(struct work *w, struct req *r)
{
	const struct ui_tables tables = w->tables;
	struct snap *s = w->snap;
	struct table *t;

	r->state = REQ_RUNNING;
	r->looked = true;
	s->users++;
	r->result->generation = s->session->generation;
	pthread_mutex_unlock(&w->lock);
	pthread_mutex_lock(&w->tables_lock);
	t = tables.find(tables.arg, s->session, r->result->id, &r->result->scope);
	pthread_mutex_unlock(&w->tables_lock);
	pthread_mutex_lock(&w->lock);
	r->result->table = t;
	/* who has been waiting meanwhile for something else */
	r->state = t || atomic_load(&r->job.cancel) ? REQ_DONE : REQ_WAITING;
	if (r->state == REQ_DONE && !t)
		err_set(&r->result->err, ERR_CANCELLED, "%s", _("cancelled; F5 computes it"));
	work_snap_unref(w, s);
	if (r->state == REQ_DONE)
		work_notify(w);
}

static void run_req(struct work *w, struct req *r)
{
	const struct ui_tables tables = w->tables;
	struct snap *s = w->snap;

	r->state = REQ_RUNNING;
	s->users++;
	if (!r->owner)
		r->result->generation = s->session->generation;
	pthread_mutex_unlock(&w->lock);
	if (r->prep) {
		struct prep *order = r->prep;

		r->prep = prep_make(r->result->table, order->serial, order->sort_col, order->desc, order->filter);
		prep_free(order);
	} else {
		run_analysis(w, r, s, &tables);
	}
	pthread_mutex_lock(&w->lock);
	r->state = REQ_DONE;
	work_snap_unref(w, s);
	work_notify(w);
}

static bool wants_ctx(const struct work *w)
{
	return w->snap && !w->snap->cx_asked;
}

static void *worker(void *arg)
{
	struct work *w = arg;

	par_give_way();
	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		struct req *r;

		if (w->garbage)
			free_garbage(w);
		else if ((r = next_unlooked(w)))
			look_up(w, r);
		else if (wants_ctx(w))
			make_ctx(w);
		else if (wants_lanes(w) && !w->snap->lanes_asked)
			run_lanes(w);
		else if (w->snap && w->snap->cx && (r = next_req(w)))
			run_req(w, r);
		else
			pthread_cond_wait(&w->cond, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- life -------------------------------------------------------------------------------------- */

bool work_thread(struct work *w, pthread_t *t, void *(*fn)(void *arg))
{
	sigset_t old;
	bool ok;

	signals_keep_out(&old);
	ok = pthread_create(t, NULL, fn, w) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

struct work *work_new(const struct work_ops *ops, const struct rulebook *r)
{
	struct work *w = xcalloc(1, sizeof(*w));

	w->ops = ops ? *ops : default_ops;
	w->rules = r;
	pthread_mutex_init(&w->lock, NULL);
	pthread_mutex_init(&w->tables_lock, NULL);
	pthread_cond_init(&w->cond, NULL);
	w->fd[0] = w->fd[1] = -1;
	if (pipe(w->fd) == 0) {
		for (int i = 0; i < 2; i++) {
			fcntl(w->fd[i], F_SETFL, O_NONBLOCK);
			fcntl(w->fd[i], F_SETFD, FD_CLOEXEC);
		}
	}
	while (w->n_threads < WORKERS && work_thread(w, &w->threads[w->n_threads], worker))
		w->n_threads++;
	if (w->n_threads)
		return w;
	close(w->fd[0]);
	close(w->fd[1]);
	free(w);
	return NULL;
}

void work_set_fields(struct work *w, struct table *(*fields)(const struct an_ctx *cx, uint32_t source, ev_id ev, struct err *e))
{
	pthread_mutex_lock(&w->lock);
	w->ops.fields = fields;
	pthread_mutex_unlock(&w->lock);
}

void work_use_tables(struct work *w, const struct ui_tables *t)
{
	pthread_mutex_lock(&w->lock);
	w->tables = *t;
	pthread_mutex_unlock(&w->lock);
}

static void req_free(struct req *r)
{
	result_unref(r->result);
	prep_free(r->prep);
	free(r);
}

void work_set_before(struct work *w, const struct diff_side *before)
{
	w->before = before;
}

void work_free(struct work *w)
{
	if (!w)
		return;
	work_report_cancel(w);
	if (w->report.started)
		pthread_join(w->report.thread, NULL);
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	atomic_store(&w->ctx_job.cancel, true);
	for (struct req *r = w->reqs; r; r = r->next)
		atomic_store(&r->job.cancel, true);
	pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->n_threads; i++)
		pthread_join(w->threads[i], NULL);
	while (w->reqs) {
		struct req *next = w->reqs->next;

		req_free(w->reqs);
		w->reqs = next;
	}
	for (size_t i = 0; i < w->cache.n; i++)
		result_unref(w->cache.a[i]);
	VEC_FREE(&w->cache);
	pthread_mutex_lock(&w->lock);
	if (w->report.snap)
		work_snap_unref(w, w->report.snap);
	work_snap_unref(w, w->snap);
	work_snap_unref(w, w->made);
	free_garbage(w);
	pthread_mutex_unlock(&w->lock);
	pthread_mutex_destroy(&w->lock);
	pthread_mutex_destroy(&w->tables_lock);
	pthread_cond_destroy(&w->cond);
	close(w->fd[0]);
	close(w->fd[1]);
	free(w);
}

int work_fd(const struct work *w)
{
	return w->fd[0];
}

void work_put_session(struct work *w, struct session *s)
{
	struct snap *fresh = xcalloc(1, sizeof(*fresh));

	fresh->session = s;
	fresh->users = 1;
	pthread_mutex_lock(&w->lock);
	work_snap_unref(w, w->snap);
	w->snap = fresh;
	/* what was begun for a part of the session is asked for again: the whole need not wait for it */
	for (struct req *r = w->reqs; r && !s->loading; r = r->next)
		if (r->state == REQ_RUNNING && !r->owner)
			atomic_store(&r->job.cancel, true);
	pthread_cond_signal(&w->cond);
	pthread_mutex_unlock(&w->lock);
}

const struct session *work_session(const struct work *w)
{
	return w->snap ? w->snap->session : NULL;
}

static struct an_ctx *current_ctx(const struct work *cw)
{
	struct work *w = (struct work *)(uintptr_t)cw;
	struct an_ctx *cx;

	pthread_mutex_lock(&w->lock);
	cx = w->snap ? w->snap->cx : NULL;
	pthread_mutex_unlock(&w->lock);
	return cx;
}

const struct an_ctx *work_ctx(const struct work *w)
{
	return current_ctx(w);
}

/* ---- asking and getting ------------------------------------------------------------------------- */

static bool same_query(const struct result *r, const char *id, const struct scope *sc)
{
	return !strcmp(r->id, id) && !memcmp(&r->scope, sc, sizeof(*sc));
}

static void cache_put(struct work *w, struct result *res)
{
	size_t oldest = 0;

	for (size_t i = 0; i < w->cache.n; i++) {
		if (same_query(w->cache.a[i], res->id, &res->scope)) {
			result_unref(w->cache.a[i]);
			w->cache.a[i] = res;
			return;
		}
		if (w->cache.a[i]->used_frame < w->cache.a[oldest]->used_frame)
			oldest = i;
	}
	if (w->cache.n < CACHE_MAX) {
		VEC_PUSH(&w->cache, res);
		return;
	}
	result_unref(w->cache.a[oldest]);
	w->cache.a[oldest] = res;
}

static bool is_cancelled(const struct result *r)
{
	return !r->table && r->err.code == ERR_CANCELLED;
}

/* Takes finished analyses off the list; finished preps stay until their owner asks. */
bool work_collect(struct work *w)
{
	char drain[64];
	bool any = atomic_exchange(&w->news, false);

	while (read(w->fd[0], drain, sizeof(drain)) > 0)
		any = true;
	pthread_mutex_lock(&w->lock);
	for (struct req **p = &w->reqs; *p;) {
		struct req *r = *p;

		if (r->state != REQ_DONE || r->owner) {
			p = &r->next;
			continue;
		}
		*p = r->next;
		any = true;
		r->result->used_frame = w->frame;
		if (!r->forgotten && (!is_cancelled(r->result) || r->frame == UINT64_MAX))
			cache_put(w, result_ref(r->result));
		req_free(r);
	}
	pthread_mutex_unlock(&w->lock);
	return any;
}

void work_frame_begin(struct work *w)
{
	w->frame++;
}

/* Requests that this frame did not repeat are stopped; those that wait are forgotten. */
void work_frame_end(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	for (struct req **p = &w->reqs; *p;) {
		struct req *r = *p;

		if (r->frame >= w->frame) {
			p = &r->next;
		} else if (r->state == REQ_RUNNING) {
			atomic_store(&r->job.cancel, true);
			p = &r->next;
		} else {
			*p = r->next;
			req_free(r);
		}
	}
	pthread_mutex_unlock(&w->lock);
}

static void append(struct work *w, struct req *fresh)
{
	struct req **p = &w->reqs;

	while (*p)
		p = &(*p)->next;
	*p = fresh;
	pthread_cond_signal(&w->cond);
}

static void ask(struct work *w, const char *id, const struct scope *sc)
{
	struct req *fresh;

	pthread_mutex_lock(&w->lock);
	for (struct req *r = w->reqs; r; r = r->next) {
		if (!r->owner && same_query(r->result, id, sc) && !atomic_load(&r->job.cancel)) {
			r->frame = w->frame;
			pthread_mutex_unlock(&w->lock);
			return;
		}
	}
	fresh = xcalloc(1, sizeof(*fresh));
	fresh->frame = w->frame;
	fresh->result = xcalloc(1, sizeof(*fresh->result));
	fresh->result->users = 1;
	fresh->result->err = (struct err)ERR_INIT;
	fresh->result->serial = ++w->serial;
	fresh->result->scope = *sc;
	snprintf(fresh->result->id, sizeof(fresh->result->id), "%s", id);
	append(w, fresh);
	pthread_mutex_unlock(&w->lock);
}

struct result *work_want(struct work *w, const char *id, const struct scope *sc, bool *pending)
{
	const struct session *s = work_session(w);
	struct result *found = NULL;

	for (size_t i = 0; i < w->cache.n && !found; i++)
		if (same_query(w->cache.a[i], id, sc))
			found = w->cache.a[i];
	if (found)
		found->used_frame = w->frame;
	if (s && (!found || found->generation != s->generation)) {
		*pending = true;
		ask(w, id, sc);
	}
	return found;
}

static bool prep_fits(const struct prep *p, uint64_t serial, int sort_col, bool desc, const char *filter)
{
	return p->serial == serial && p->sort_col == sort_col && p->desc == desc && !strcmp(p->filter, filter);
}

/* The answer for this owner if it is there and fits; older requests of the owner are dropped. */
static bool find_prep(struct work *w, const void *owner, uint64_t serial, int sort_col, bool desc, const char *filter,
	struct prep **out)
{
	for (struct req **p = &w->reqs; *p;) {
		struct req *r = *p;

		if (r->owner != owner) {
			p = &r->next;
			continue;
		}
		if (r->state == REQ_RUNNING) {
			r->frame = w->frame;
			return true;
		}
		if (!prep_fits(r->prep, serial, sort_col, desc, filter)) {
			*p = r->next;
			req_free(r);
			continue;
		}
		r->frame = w->frame;
		if (r->state == REQ_DONE) {
			*p = r->next;
			*out = r->prep;
			r->prep = NULL;
			req_free(r);
		}
		return true;
	}
	return false;
}

struct prep *work_prep(struct work *w, const void *owner, struct result *res, int sort_col, bool desc, const char *filter)
{
	struct prep *out = NULL;
	struct req *fresh;

	if (res->table->n_rows <= SMALL_ROWS)
		return prep_make(res->table, res->serial, sort_col, desc, filter);
	pthread_mutex_lock(&w->lock);
	if (!find_prep(w, owner, res->serial, sort_col, desc, filter, &out)) {
		fresh = xcalloc(1, sizeof(*fresh));
		fresh->frame = w->frame;
		fresh->owner = owner;
		fresh->result = result_ref(res);
		fresh->prep = xcalloc(1, sizeof(*fresh->prep));
		fresh->prep->serial = res->serial;
		fresh->prep->sort_col = sort_col;
		fresh->prep->desc = desc;
		snprintf(fresh->prep->filter, sizeof(fresh->prep->filter), "%s", filter);
		append(w, fresh);
	}
	pthread_mutex_unlock(&w->lock);
	return out;
}

bool work_busy(const struct work *cw)
{
	struct work *w = (struct work *)(uintptr_t)cw;
	bool busy;

	pthread_mutex_lock(&w->lock);
	busy = w->reqs || (w->snap && !w->snap->cx && !w->snap->cx_failed) || wants_lanes(w);
	pthread_mutex_unlock(&w->lock);
	return busy || atomic_load(&w->news) || atomic_load(&w->report.state) != REPORT_NONE;
}

const char *work_what(const struct work *cw)
{
	struct work *w = (struct work *)(uintptr_t)cw;
	const char *what = "";

	pthread_mutex_lock(&w->lock);
	if (w->snap && !w->snap->cx && !w->snap->cx_failed)
		what = _("facts");
	else if (w->reqs)
		what = w->reqs->result->id;
	pthread_mutex_unlock(&w->lock);
	return what;
}

/* A cancelled result goes into the cache, so that it is not asked for again at once. */
void work_cancel(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	for (struct req *r = w->reqs; r; r = r->next) {
		if (r->owner)
			continue;
		r->frame = UINT64_MAX;
		if (r->state == REQ_RUNNING) {
			atomic_store(&r->job.cancel, true);
		} else if (r->state == REQ_WAITING && w->snap) {
			r->state = REQ_DONE;
			r->result->generation = w->snap->session->generation;
			err_set(&r->result->err, ERR_CANCELLED, "%s", _("cancelled; F5 computes it"));
		}
	}
	work_notify(w);
	pthread_mutex_unlock(&w->lock);
}

void work_forget(struct work *w)
{
	for (size_t i = 0; i < w->cache.n; i++)
		result_unref(w->cache.a[i]);
	w->cache.n = 0;
	pthread_mutex_lock(&w->lock);
	for (struct req *r = w->reqs; r; r = r->next)
		r->forgotten |= r->state != REQ_WAITING && !r->owner;
	w->tables = (struct ui_tables){ NULL, NULL, NULL };
	pthread_mutex_unlock(&w->lock);
}

void work_report_cancel(struct work *w)
{
	atomic_store(&w->report.job.cancel, true);
}
