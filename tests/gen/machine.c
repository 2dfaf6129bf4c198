/* The machine that runs a program: threads with a clock each, streams in order, events across streams, a bounded queue of launches,
 * semaphores between threads.  Always the thread that is furthest behind does its next action; work of the device is known as soon
 * as it is launched, since it waits only for what was launched before.
 *
 * What a change means:
 *   drop of a range    no time passes on its thread inside; launches are made in their order, waits do not wait
 *   scale of a range   work and calls inside take so much longer; waits still wait for their work
 *   drop, scale of a class or copy   its time on the device; launches stay
 *   async              the call takes its own time and does not wait; the copy itself is as before
 *   launch             how long each launch call takes; the kernel comes as long after its start as before
 *   overlap            copies to the device leave their streams for one of their own, and what follows on the old stream still waits
 *                      for them; copies to the host do so, too, wait for what is before them on the old stream, and nothing there
 *                      waits for them.  Events recorded and waits made after a copy still wait for it. */
#include "program.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct stream {
	ns_t end; /* of its last operation */
	ns_t held; /* the next operation waits for this: events, copies that moved away */
	ns_t tail; /* copies to the host that moved away: waits of the host and events include them */
};

struct semaphore {
	ns_t *post;
	size_t n, cap, taken;
};

struct device_work {
	ns_t start, end;
};

struct actor {
	size_t at;
	ns_t now;
	bool stuck, done;
	int depth, changed; /* ranges open; the depth at which the changed range began, 0: outside */
	struct open_ev open[GEN_MAX_DEPTH];
};

struct machine {
	const struct program *p;
	const struct change *c, *change; /* what holds now: nothing is changed before the profiler starts */
	struct run *r; /* NULL: nothing is recorded */
	struct actor actor[PROGRAM_ACTORS];
	struct stream stream[ST_COUNT], away[COPY_KINDS];
	struct semaphore *sem;
	struct {
		ns_t at;
		int64_t corr;
		enum gen_stream stream;
	} *event;
	ns_t *pending; /* ends of what the device holds */
	int npending;
	bool recording, was_full;
	ns_t *start, *end;
	int step;
};

static ns_t later(ns_t a, ns_t b)
{
	return a > b ? a : b;
}

/* A latency with its noise: the same for the same action, whatever was changed. */
static ns_t noisy(const struct machine *m, int thread, int salt, ns_t ns)
{
	struct run dice = { .rng = (m->actor[thread].at * 64 + (uint64_t)thread) * 16 + (uint64_t)salt };

	return m->p->noise_percent ? run_jitter(&dice, ns, m->p->noise_percent) : ns;
}

static bool recorded_thread(int thread)
{
	return thread == TH_MAIN || thread == TH_AUTOGRAD;
}

/* ---- what a change does ---------------------------------------------------------------------------------- */

static bool range_changed(const struct machine *m, const struct action *a)
{
	enum change_kind want = a->layer == RANGE_OP ? OF_OP : OF_ANNOTATION;

	return (m->c->verb == CHANGE_DROP || m->c->verb == CHANGE_SCALE) && m->c->kind == want &&
		fnmatch(m->c->glob, a->name, 0) == 0;
}

/* Time of the host: as it is, scaled, or none. */
static ns_t host_time(const struct machine *m, int thread, ns_t ns)
{
	if (!m->actor[thread].changed)
		return ns;
	return m->c->verb == CHANGE_DROP ? 0 : ns * m->c->permille / 1000;
}

static bool waits_dropped(const struct machine *m, int thread)
{
	return m->actor[thread].changed && m->c->verb == CHANGE_DROP;
}

static ns_t device_time(const struct machine *m, enum change_kind kind, const char *name, ns_t ns)
{
	if (m->c->kind != kind || (m->c->verb != CHANGE_DROP && m->c->verb != CHANGE_SCALE) || fnmatch(m->c->glob, name, 0) != 0)
		return ns;
	return m->c->verb == CHANGE_DROP ? 0 : ns * m->c->permille / 1000;
}

static bool changed_so(const struct machine *m, enum change_verb verb, enum change_kind kind, const char *name)
{
	return m->c->verb == verb && m->c->kind == kind && fnmatch(m->c->glob, name, 0) == 0;
}

static ns_t launch_cost(const struct machine *m, int thread, const struct action *a)
{
	return host_time(m, thread, m->c->verb == CHANGE_LAUNCH ? m->c->ns : a->cost);
}

/* ---- the device ------------------------------------------------------------------------------------------ */

/* When the device takes one more operation from a call at this time. */
static ns_t queue_room(struct machine *m, ns_t now)
{
	int keep = 0;

	for (int i = 0; i < m->npending; i++)
		if (m->pending[i] > now)
			m->pending[keep++] = m->pending[i];
	m->npending = keep;
	if (keep < m->p->depth)
		return now;
	m->was_full = m->was_full || m->recording;
	for (int i = 1; i < keep; i++) /* the ends of several streams, nearly in order */
		for (int j = i; j > 0 && m->pending[j - 1] > m->pending[j]; j--) {
			ns_t t = m->pending[j];

			m->pending[j] = m->pending[j - 1];
			m->pending[j - 1] = t;
		}
	return m->pending[keep - m->p->depth];
}

static struct device_work place(struct stream *order, const struct stream *also, ns_t ready, ns_t gap, ns_t ns)
{
	struct device_work w = { .start = later(ready, later(order->end, later(order->held, also->held)) + gap) };

	w.end = w.start + ns;
	order->end = w.end;
	return w;
}

static void holds(struct machine *m, ns_t end)
{
	if (m->npending < m->p->depth + PROGRAM_ACTORS)
		m->pending[m->npending++] = end;
}

static struct device_work run_kernel(struct machine *m, int thread, const struct action *a, ns_t at)
{
	ns_t ready = at + noisy(m, thread, 1, m->p->latency), gap = noisy(m, thread, 2, m->p->gap);
	struct stream *s = &m->stream[a->stream];

	return place(s, s, ready, gap, device_time(m, OF_CLASS, gen_kernels[a->kernel].cls, a->ns));
}

static struct device_work run_copy(struct machine *m, int thread, const struct action *a, ns_t at)
{
	const char *name = gen_copy_names[a->copy];
	ns_t ready = at + noisy(m, thread, 1, m->p->copy_latency), gap = noisy(m, thread, 2, m->p->gap);
	struct stream *s = &m->stream[a->stream], *order = s;
	struct device_work w;

	if (changed_so(m, CHANGE_OVERLAP, OF_COPY, name)) {
		order = &m->away[a->copy];
		if (a->copy == COPY_DTOH)
			ready = later(ready, s->end + gap);
	}
	w = place(order, s, ready, gap, device_time(m, OF_COPY, name, a->ns));
	if (order != s && a->copy == COPY_HTOD)
		s->held = later(s->held, w.end);
	else if (order != s)
		s->tail = later(s->tail, w.end);
	return w;
}

/* When everything given to the stream so far is done. */
static ns_t stream_done(const struct machine *m, enum gen_stream st)
{
	const struct stream *s = &m->stream[st];

	return later(s->end, later(s->held, s->tail));
}

static ns_t device_done(const struct machine *m)
{
	ns_t t = 0;

	for (int i = 0; i < ST_COUNT; i++)
		t = later(t, stream_done(m, (enum gen_stream)i));
	return t;
}

/* ---- what the profiler writes ---------------------------------------------------------------------------- */

static int64_t innermost_ext(const struct actor *t)
{
	const struct open_ev *o = t->depth ? &t->open[t->depth - 1] : NULL;

	return o && o->vec ? o->vec->v[o->index].ext : 0;
}

static struct ev *write_call(struct machine *m, int thread, enum gen_api api, ns_t end)
{
	struct actor *t = &m->actor[thread];
	struct ev *e;

	if (!m->r || !m->recording)
		return NULL;
	e = evs_add(&m->r->calls);
	e->def = (int)api;
	e->thread = thread;
	e->start = t->now;
	e->end = end;
	e->corr = m->r->next_corr++;
	e->ext = innermost_ext(t);
	return e;
}

static struct ev *write_work(struct evs *vec, const struct ev *call, const struct action *a, struct device_work w)
{
	struct ev *e;

	if (!call)
		return NULL;
	e = evs_add(vec);
	e->start = w.start;
	e->end = w.end;
	e->stream = (int)a->stream;
	e->thread = call->thread;
	e->corr = call->corr;
	e->ext = call->ext;
	e->def = (int)a->kernel;
	e->kind = (int)a->copy;
	e->src = (int)a->src;
	e->dst = (int)a->dst;
	e->bytes = a->bytes;
	return e;
}

static struct ev *write_wait(struct machine *m, const struct ev *call, enum gen_sync kind, int stream)
{
	struct ev *e;

	if (!call)
		return NULL;
	e = evs_add(&m->r->syncs);
	e->kind = (int)kind;
	e->stream = stream;
	e->corr = call->corr;
	e->ext = call->ext;
	e->start = call->start + 280;
	e->end = later(e->start, call->end - 170);
	return e;
}

/* Which event is waited for, where the trace tells it. */
static void write_event_of(const struct machine *m, struct ev *wait, int id)
{
	if (!wait || !m->p->waits_recorded || !m->event[id].corr)
		return;
	wait->bytes = m->event[id].corr;
	wait->src = (int)m->event[id].stream;
	wait->dst = id + 1;
}

/* ---- actions --------------------------------------------------------------------------------------------- */

static void open_range(struct machine *m, int thread, const struct action *a)
{
	struct actor *t = &m->actor[thread];
	struct open_ev *o = &t->open[t->depth++];
	struct ev *e;

	if (t->depth == GEN_MAX_DEPTH)
		die("nesting too deep");
	if (!t->changed && range_changed(m, a))
		t->changed = t->depth;
	o->vec = NULL;
	if (!m->recording || !recorded_thread(thread))
		return;
	if (a->layer == RANGE_STEP)
		m->start[m->step] = t->now;
	if (!m->r)
		return;
	o->vec = a->layer == RANGE_OP ? &m->r->ops : &m->r->annots;
	o->index = o->vec->n;
	e = evs_add(o->vec);
	e->name = a->name;
	e->alt = a->layer == RANGE_STEP ? run_str(m->r, "step_%d", m->step) : a->name;
	e->kind = a->layer == RANGE_STEP ? AN_STEP : AN_MICRO;
	e->thread = thread;
	e->start = t->now;
	e->end = -1;
	e->ext = m->r->next_ext++;
}

static void close_range(struct machine *m, int thread)
{
	struct actor *t = &m->actor[thread];
	struct open_ev *o = &t->open[t->depth - 1];

	if (t->changed == t->depth)
		t->changed = 0;
	t->depth--;
	if (o->vec)
		o->vec->v[o->index].end = t->now;
	if (m->recording && thread == TH_MAIN && t->depth == 0)
		m->end[m->step++] = t->now;
}

/* Ends a call after its own cost, or when what it waits for is done and it has returned. */
static ns_t after_wait(const struct machine *m, int thread, const struct action *a, ns_t done, ns_t back, bool waits)
{
	const struct actor *t = &m->actor[thread];
	ns_t own = t->now + host_time(m, thread, a->cost);

	return waits && !waits_dropped(m, thread) ? later(own, done + noisy(m, thread, 3, back)) : own;
}

static void do_launch(struct machine *m, int thread, const struct action *a)
{
	struct actor *t = &m->actor[thread];
	ns_t room = queue_room(m, t->now), end = room + launch_cost(m, thread, a);
	struct ev *call = write_call(m, thread, API_LAUNCH, end);
	struct device_work w = run_kernel(m, thread, a, room);

	holds(m, w.end);
	if (call)
		write_work(&m->r->kernels, call, a, w);
	t->now = end;
}

static void do_graph(struct machine *m, int thread, const struct action *a)
{
	static const enum gen_kernel nodes[] = { K_GEMM_TN, K_GELU, K_ADD, K_LN };
	struct actor *t = &m->actor[thread];
	ns_t room = queue_room(m, t->now), end = room + launch_cost(m, thread, a), ready, gap;
	struct ev *call = write_call(m, thread, API_GRAPH_LAUNCH, end), *e;
	struct stream *s = &m->stream[a->stream];
	struct device_work w = { 0, 0 };

	ready = room + noisy(m, thread, 1, m->p->graph_latency);
	gap = noisy(m, thread, 2, m->p->gap);
	for (int i = 0; i < a->nodes; i++) {
		struct action node = *a;

		node.kernel = nodes[i % 4];
		w = place(s, s, ready, gap, device_time(m, OF_CLASS, gen_kernels[node.kernel].cls, a->ns * (1 + i % 3)));
		gap = m->p->node_gap;
		e = call ? write_work(&m->r->kernels, call, &node, w) : NULL;
		if (e)
			e->micro = i + 1;
	}
	holds(m, w.end);
	t->now = end;
}

static void do_copy(struct machine *m, int thread, const struct action *a)
{
	struct actor *t = &m->actor[thread];
	ns_t room = queue_room(m, t->now), back = noisy(m, thread, 3, m->p->copy_return), end;
	struct device_work w = run_copy(m, thread, a, room);
	bool waits = a->blocks && !changed_so(m, CHANGE_ASYNC, OF_COPY, gen_copy_names[a->copy]);
	struct ev *call;

	end = after_wait(m, thread, a, w.end, back, waits);
	end = later(end, room + host_time(m, thread, a->cost));
	call = write_call(m, thread, API_MEMCPY, end);
	holds(m, w.end);
	if (call)
		write_work(&m->r->copies, call, a, w);
	t->now = end;
}

static void do_sync(struct machine *m, int thread, const struct action *a)
{
	static const struct {
		enum gen_api api;
		enum gen_sync kind;
	} kinds[] = {
		[ACT_SYNC_STREAM] = { API_STREAM_SYNC, SYNC_STREAM },
		[ACT_SYNC_DEVICE] = { API_DEVICE_SYNC, SYNC_CONTEXT },
		[ACT_SYNC_EVENT] = { API_EVENT_SYNC, SYNC_EVENT },
	};
	enum gen_api api = kinds[a->what].api;
	bool waits = !changed_so(m, CHANGE_ASYNC, OF_CALL, gen_apis[api].torch);
	struct actor *t = &m->actor[thread];
	ns_t done, end;
	struct ev *e;

	if (a->what == ACT_SYNC_STREAM)
		done = stream_done(m, a->stream);
	else
		done = a->what == ACT_SYNC_DEVICE ? device_done(m) : m->event[a->id].at;
	end = after_wait(m, thread, a, done, m->p->sync_return, waits);
	e = write_wait(m, write_call(m, thread, api, end), kinds[a->what].kind,
		a->what == ACT_SYNC_STREAM ? (int)a->stream : -1);
	if (a->what == ACT_SYNC_EVENT)
		write_event_of(m, e, a->id);
	t->now = end;
}

static void do_record(struct machine *m, int thread, const struct action *a)
{
	struct actor *t = &m->actor[thread];
	ns_t end = t->now + host_time(m, thread, a->cost);
	struct ev *call = write_call(m, thread, API_EVENT_RECORD, end), *e;

	if (call && m->p->waits_recorded) {
		e = evs_add(&m->r->records);
		e->stream = (int)a->stream;
		e->corr = call->corr;
		e->dst = a->id + 1;
	}
	m->event[a->id].at = later(t->now, stream_done(m, a->stream));
	m->event[a->id].corr = call ? call->corr : 0;
	m->event[a->id].stream = a->stream;
	t->now = end;
}

static void do_stream_wait(struct machine *m, int thread, const struct action *a)
{
	struct actor *t = &m->actor[thread];
	ns_t end = t->now + host_time(m, thread, a->cost);
	struct ev *call = write_call(m, thread, API_STREAM_WAIT, end);

	if (m->p->waits_recorded)
		write_event_of(m, write_wait(m, call, SYNC_STREAM_WAIT, (int)a->stream), a->id);
	m->stream[a->stream].held = later(m->stream[a->stream].held, m->event[a->id].at);
	t->now = end;
}

static void do_post(struct machine *m, int thread, const struct action *a)
{
	struct semaphore *s = &m->sem[a->id];

	s->post = gen_grow(s->post, s->n, &s->cap, sizeof(*s->post));
	s->post[s->n++] = m->actor[thread].now;
	for (int i = 0; i < m->p->actors; i++)
		m->actor[i].stuck = false;
}

/* false: nothing was posted yet, the thread is stuck */
static bool do_take(struct machine *m, int thread, const struct action *a)
{
	struct semaphore *s = &m->sem[a->id];
	struct actor *t = &m->actor[thread];

	if (waits_dropped(m, thread)) {
		s->taken++;
		return true;
	}
	if (s->taken >= s->n) {
		t->stuck = true;
		return false;
	}
	t->now = later(t->now, s->post[s->taken++] + noisy(m, thread, 4, m->p->wake));
	return true;
}

static void step_actor(struct machine *m, int thread)
{
	struct actor *t = &m->actor[thread];
	const struct action *a = &m->p->actor[thread].v[t->at];
	bool through = true;

	switch (a->what) {
	case ACT_HOST: t->now += host_time(m, thread, a->ns); break;
	case ACT_OPEN: open_range(m, thread, a); break;
	case ACT_CLOSE: close_range(m, thread); break;
	case ACT_LAUNCH: do_launch(m, thread, a); break;
	case ACT_GRAPH: do_graph(m, thread, a); break;
	case ACT_COPY: do_copy(m, thread, a); break;
	case ACT_SYNC_STREAM:
	case ACT_SYNC_DEVICE:
	case ACT_SYNC_EVENT: do_sync(m, thread, a); break;
	case ACT_RECORD: do_record(m, thread, a); break;
	case ACT_WAIT: do_stream_wait(m, thread, a); break;
	case ACT_POST: do_post(m, thread, a); break;
	case ACT_TAKE: through = do_take(m, thread, a); break;
	case ACT_START:
		t->now = later(t->now, device_done(m));
		m->recording = true;
		m->c = m->change;
		break;
	}
	t->at += through;
	t->done = t->at == m->p->actor[thread].n;
}

/* The thread that is furthest behind; -1: all are done. */
static int next_actor(const struct machine *m)
{
	int best = -1;
	bool open = false;

	for (int i = 0; i < m->p->actors; i++) {
		const struct actor *t = &m->actor[i];

		open = open || (!t->done && recorded_thread(i));
		if (!t->done && !t->stuck && (best < 0 || t->now < m->actor[best].now))
			best = i;
	}
	if (best < 0 && open)
		die("the threads of the program wait for each other");
	return best;
}

bool machine_run(const struct program *p, const struct change *c, struct run *recorded, ns_t *start, ns_t *end)
{
	struct machine m = { .p = p, .c = &no_change, .change = c, .r = recorded, .start = start, .end = end };
	int next;

	m.sem = calloc((size_t)p->semaphores, sizeof(*m.sem));
	m.event = calloc((size_t)p->events + 1, sizeof(*m.event));
	m.pending = calloc((size_t)p->depth + PROGRAM_ACTORS, sizeof(*m.pending));
	if (!m.sem || !m.event || !m.pending)
		die("out of memory");
	for (int i = 0; i < p->actors; i++)
		m.actor[i].done = p->actor[i].n == 0;
	while ((next = next_actor(&m)) >= 0)
		step_actor(&m, next);
	for (int i = 0; i < p->semaphores; i++)
		free(m.sem[i].post);
	free(m.sem);
	free(m.event);
	free(m.pending);
	return m.was_full;
}
