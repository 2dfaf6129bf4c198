/*
 * run.c - the replay: one pass over the nodes in the order of their recorded starts. Every moment is kept twice, as recorded and as
 * replayed (struct when), so that residuals come out where they arise.
 */
#include "replay/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The end of what was done so far, and the work that ended last as recorded; ID_NONE: none, or it is not known. */
struct ending {
	struct when at;
	uint32_t work;
};
static const struct ending nothing = { WHEN_NEVER, ID_NONE };

struct seq_at {
	struct when call, done;	/* start and end of its last call */
	uint32_t node;		/* that call; ID_NONE: none yet */
};
struct stream_at {
	struct ending end;
	struct ending held;	/* what the next work waits for, too */
	struct ending tail;	/* work that moved away and that waits of the host include */
	ns_t fused;		/* time of the longest of the works that are one now; -1 none */
	uint32_t fused_in;	/* the stretch between two marks that they lie in */
};
struct dev_at {
	struct ending *ring;	/* ends of the last launches */
	uint32_t launches;
	struct ending away[3];	/* streams of work that moved: to the device, to the host, other */
};

struct replay_run {
	const struct replay_graph *g;
	const struct plan *pl;
	struct run_sums *sums;
	struct run_trace *tr;
	struct seq_at *seq;
	struct stream_at *stream;
	struct dev_at *dev;
	struct ending *all;	/* per process */
	struct ending *event;	/* per node that recorded one; NULL: none is recorded */
	ns_t *end;		/* per work: as replayed */
	ns_t *late;		/* per process: how much earlier its loader was asked the last time that it did not wait */
	ns_t *marks;
	uint32_t stretch;
};

unsigned latest(const struct when *cause, unsigned n)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n; i++)
		if (cause[i].rec > cause[best].rec)
			best = i;
	return best;
}

ns_t settle(ns_t recorded, const struct when *cause, unsigned n, unsigned *which)
{
	unsigned best = latest(cause, n);
	ns_t now = -NS_LIMIT;

	*which = best;

	for (unsigned i = 0; i < n; i++) {
		ns_t t = cause[i].now;

		if (t > -NS_LIMIT / 2 && (i == best || cause[i].rec > recorded))
			t += recorded - cause[i].rec;
		if (t <= now)
			continue;
		now = t;
		*which = i;
	}
	return now;
}

static struct ending end_later(struct ending a, struct ending b)
{
	return (struct ending){ when_later(a.at, b.at), b.at.rec >= a.at.rec ? b.work : a.work };
}

static bool in_steps(const struct replay_run *r, uint32_t proc, ns_t at)
{
	return proc != ID_NONE && at >= r->g->proc_steps[proc].start && at < r->g->proc_steps[proc].end;
}

/* ---- the device --------------------------------------------------------------------------------- */

static double work_factor(const struct replay_run *r, uint32_t w)
{
	uint8_t kind = r->g->kind_of[w];
	str_id name = r->g->p->name[r->g->p->by_launch[w]];

	if (kind >= WORK_MEMSET)
		return r->pl->kind_factor[kind];
	return r->pl->name_factor && name < r->g->p->n_strs ? r->pl->name_factor[name] : 1;
}

static uint8_t work_does(const struct replay_run *r, uint32_t w)
{
	uint8_t kind = r->g->kind_of[w];
	str_id name = r->g->p->name[r->g->p->by_launch[w]];

	if (kind >= WORK_MEMSET)
		return r->pl->kind_does[kind];
	return r->pl->name_does && name < r->g->p->n_strs ? r->pl->name_does[name] : 0;
}

/* The streams that works of this kind move to. */
static struct ending *away_of(struct replay_run *r, uint32_t dev, uint8_t kind)
{
	return &r->dev[dev].away[kind == WORK_COPY + COPY_HTOD ? 0 : kind == WORK_COPY + COPY_DTOH ? 1 : 2];
}

enum { BY_LAUNCH, BY_STREAM, BY_HELD, BY_AFTER, BY_AWAY, BY_N };

struct launching {
	const struct node *x;
	struct when at;		/* when the device could take it */
	struct when start;	/* of the first work of the launch */
	uint32_t stream;	/* of the work before this one in the launch; ID_NONE: it is the first */
	uint32_t last;		/* the last one placed; ID_NONE */
};

/* What a work waits for. Works of a launch behind its first follow each other on a stream, elsewhere as long after the first. */
static void causes_of(struct replay_run *r, const struct launching *l, uint32_t w, struct when *cause, uint32_t *pred)
{
	const struct replay_graph *g = r->g;
	uint32_t s = g->stream_of[w];
	const struct stream_at *st = &r->stream[s];
	const struct gpu_dev *d = &g->devs[g->streams[s].dev];
	ns_t start = g->p->start[g->p->by_launch[w]];

	for (int i = 0; i < BY_N; i++) {
		cause[i] = WHEN_NEVER;
		pred[i] = ID_NONE;
	}
	if (l->stream == s) {
		cause[BY_STREAM] = st->end.at;
		pred[BY_STREAM] = st->end.work;
		return;
	}
	if (l->stream != ID_NONE)
		cause[BY_LAUNCH] = when_plus(l->start, start - l->start.rec);
	else
		cause[BY_LAUNCH] = when_plus(l->at, d->latency[g->kind_of[w]]);
	cause[BY_STREAM] = when_plus(st->end.at, d->gap);
	pred[BY_STREAM] = st->end.work;
	cause[BY_HELD] = when_plus(st->held.at, d->gap);
	pred[BY_HELD] = st->held.work;
	if (g->after[w] == ID_NONE)
		return;
	pred[BY_AFTER] = g->after[w];
	cause[BY_AFTER] = (struct when){ ev_end(g->p, g->p->by_launch[g->after[w]]) + d->gap, r->end[g->after[w]] + d->gap };
}

/* What is not explained of a recorded start, and how long the work waited for other streams. */
static void sum_work(struct replay_run *r, const struct launching *l, uint32_t w, const struct when *cause)
{
	const struct replay_graph *g = r->g;
	unsigned best = latest(cause, BY_N);
	uint32_t proc = g->seq_proc[l->x->seq];
	ns_t start = g->p->start[g->p->by_launch[w]], residual = start - cause[best].rec;

	if (!in_steps(r, proc, start))
		return;
	r->sums->residual[proc] += residual < 0 ? -residual : residual;
	if (best == BY_HELD || best == BY_AFTER) {
		ns_t alone = cause[BY_LAUNCH].rec > cause[BY_STREAM].rec ? cause[BY_LAUNCH].rec : cause[BY_STREAM].rec;

		r->sums->waited[proc] += cause[best].rec - alone;
		r->sums->inferred[proc] += best == BY_AFTER ? cause[best].rec - alone : 0;
	}
}

static void trace_work(struct replay_run *r, const struct launching *l, uint32_t w, ns_t start, uint32_t pred)
{
	r->tr->work_node[w] = (uint32_t)(l->x - r->g->nodes);
	r->tr->work_pred[w] = pred;
	r->tr->work_start[w] = start;
	r->tr->work_end[w] = r->end[w];
}

/* A work that joins those before it: only what it lasts longer than the longest of them counts. */
static bool fuse(struct replay_run *r, struct stream_at *st, uint8_t does, ns_t *dur)
{
	bool joins = does & WORK_FUSES && st->fused >= 0 && st->fused_in == r->stretch;
	ns_t longest = joins && st->fused > *dur ? st->fused : *dur;

	if (joins)
		*dur = longest - st->fused;
	st->fused = does & WORK_FUSES ? longest : -1;
	st->fused_in = r->stretch;
	return joins;
}

/* Where a work that moves away waits, and who waits for it. */
static void move_causes(struct replay_run *r, uint32_t w, struct when *cause, uint32_t *pred)
{
	const struct replay_graph *g = r->g;
	uint32_t dev = g->streams[g->stream_of[w]].dev;

	cause[BY_AWAY] = (struct when){ -NS_LIMIT, away_of(r, dev, g->kind_of[w])->at.now + g->devs[dev].gap };
	pred[BY_AWAY] = away_of(r, dev, g->kind_of[w])->work;
	if (g->kind_of[w] == WORK_COPY + COPY_HTOD)
		cause[BY_STREAM].now = -NS_LIMIT;
}

static void place(struct replay_run *r, struct launching *l, uint32_t w)
{
	const struct replay_graph *g = r->g;
	uint32_t s = g->stream_of[w], pred[BY_N], proc = g->seq_proc[l->x->seq];
	struct stream_at *st = &r->stream[s];
	ev_id e = g->p->by_launch[w];
	uint8_t does = r->pl->moves || r->pl->fuses ? work_does(r, w) : 0;
	struct when cause[BY_N], start = { .rec = g->p->start[e] };
	struct ending end = { .work = w };
	ns_t dur = scale_ns(g->p->dur[e], work_factor(r, w));
	unsigned which;

	causes_of(r, l, w, cause, pred);
	if (r->sums)
		sum_work(r, l, w, cause);
	if (does & WORK_MOVES)
		move_causes(r, w, cause, pred);
	start.now = settle(start.rec, cause, BY_N, &which);
	if (r->pl->fuses && fuse(r, st, does, &dur)) {
		start.now = st->end.at.now;
		which = BY_STREAM;
	}
	end.at = (struct when){ start.rec + g->p->dur[e], start.now + dur };
	r->end[w] = end.at.now;
	if (r->tr)
		trace_work(r, l, w, start.now, which == BY_LAUNCH ? ID_NONE : pred[which]);
	if (does & WORK_MOVES) {
		struct ending *away = away_of(r, g->streams[s].dev, g->kind_of[w]);
		struct ending *waits = g->kind_of[w] == WORK_COPY + COPY_HTOD ? &st->held : &st->tail;

		*away = end_later(*away, end);
		*waits = end_later(*waits, end);
		st->end.at.rec = st->end.at.rec > end.at.rec ? st->end.at.rec : end.at.rec;
	} else {
		st->end = end_later(st->end, end);
	}
	if (proc != ID_NONE)
		r->all[proc] = end_later(r->all[proc], end);
	if (l->stream == ID_NONE)
		l->start = start;
	l->stream = s;
	l->last = w;
}

/* ---- host time ---------------------------------------------------------------------------------- */

/* When the issuer of a process is where it was at a recorded moment. */
static ns_t issuer_now(const struct replay_run *r, uint32_t proc, ns_t at)
{
	uint32_t seq = issuer_seq(r->g, proc);
	const struct seq_at *q = &r->seq[seq];
	ns_t t;

	if (at >= q->done.rec)
		return q->done.now + plan_time(r->pl, seq, q->done.rec, at);
	t = q->call.now + (at - q->call.rec);
	return t < q->done.now ? t : q->done.now;
}

/* When a node begins. *inside: it lies within a call of its sequence, whose time goes on as it is. */
static struct when node_start(const struct replay_run *r, const struct node *x, bool *inside, uint32_t *before)
{
	const struct seq_at *q = &r->seq[x->seq];
	struct when start = { .rec = x->start };
	uint32_t proc = r->g->seq_proc[x->seq];
	ns_t own;

	*inside = x->start < q->done.rec;
	*before = q->node;
	if (*inside) {
		own = q->call.now + (x->start - q->call.rec);
		start.now = own < q->done.now ? own : q->done.now;
	} else if (proc != ID_NONE && x->seq != issuer_seq(r->g, proc)) {
		start.now = issuer_now(r, proc, x->start);
		if (start.now > q->done.now)
			*before = r->seq[issuer_seq(r->g, proc)].node;
		else
			start.now = q->done.now;
	} else {
		start.now = q->done.now + plan_time(r->pl, x->seq, q->done.rec, x->start);
	}
	return start;
}

/* What a node waits for; at.rec is -NS_LIMIT where there is nothing. */
static struct ending target_of(const struct replay_run *r, const struct node *x)
{
	const struct replay_graph *g = r->g;
	const struct stream_at *st;

	switch (x->wait) {
	case WAIT_WORK:
		return (struct ending){ { ev_end(g->p, g->p->by_launch[x->target]), r->end[x->target] }, x->target };
	case WAIT_STREAM:
		st = &r->stream[x->target];
		return end_later(end_later(st->end, st->held), st->tail);
	case WAIT_ALL:
		return g->seq_proc[x->seq] == ID_NONE ? nothing : r->all[g->seq_proc[x->seq]];
	case WAIT_EVENT:
		return r->event[x->target];
	default:
		return nothing;
	}
}

/* Whether a change lets a wait not wait. */
static bool waits_not(const struct replay_run *r, const struct node *x, double factor)
{
	const struct plan *pl = r->pl;

	if (factor == 0)
		return true;
	if (pl->async && spans_contain(&pl->async[x->seq], x->start))
		return true;
	return x->wait == WAIT_WORK && x->n && pl->kind_does[r->g->kind_of[x->target]] & WORK_ASYNC;
}

/* All that a call launches joins works before it: there is no such call any more. */
static bool launch_gone(struct replay_run *r, const struct node *x)
{
	bool gone = x->n > 0;

	for (uint32_t w = x->first; w < x->first + x->n && gone; w++) {
		const struct stream_at *st = r->g->stream_of[w] == ID_NONE ? NULL : &r->stream[r->g->stream_of[w]];

		gone = st && work_does(r, w) & WORK_FUSES && st->fused >= 0 && st->fused_in == r->stretch;
	}
	return gone;
}

static ns_t own_time(struct replay_run *r, const struct node *x, ns_t own, double factor)
{
	if (r->pl->fuses && launch_gone(r, x))
		return 0;
	if (x->launches && r->pl->launch_ns >= 0)
		return scale_ns(r->pl->launch_ns, factor);
	if (own == x->end - x->start)
		return plan_time(r->pl, x->seq, x->start, x->end);
	return scale_ns(own, factor);
}

static void sum_node(struct replay_run *r, const struct node *x, ns_t residual)
{
	uint32_t proc = r->g->seq_proc[x->seq];

	if (in_steps(r, proc, x->start))
		r->sums->residual[proc] += residual < 0 ? -residual : residual;
}

/* Goes on behind a node. `before`: the node that its start follows; pred: the work whose end decided its own. */
static void pass(struct replay_run *r, const struct node *x, bool inside, uint32_t before, struct when start, struct when end, uint32_t pred)
{
	struct seq_at *q = &r->seq[x->seq];
	uint32_t i = (uint32_t)(x - r->g->nodes);

	if (r->tr) {
		r->tr->node_start[i] = start.now;
		r->tr->node_end[i] = end.now;
		r->tr->node_prev[i] = before;
		r->tr->node_pred[i] = pred;
		r->tr->node_room[i] = ID_NONE;
	}
	if (!inside)
		*q = (struct seq_at){ start, end, i };
}

/* ---- calls -------------------------------------------------------------------------------------- */

/* When the queue has room for a launch; .full: the launch was recorded while it had none. */
struct room {
	struct when at;
	uint32_t work_dev;	/* device of what it launches, ID_NONE */
	uint32_t made_by;	/* the work whose end makes it, as replayed; ID_NONE: there was room */
	bool full;
};

static struct room queue_room(const struct replay_run *r, const struct node *x, struct when start)
{
	const struct replay_graph *g = r->g;
	struct room room = { start, ID_NONE, ID_NONE, false };
	const struct dev_at *d;
	struct ending before;

	for (uint32_t w = x->first; w < x->first + x->n && room.work_dev == ID_NONE; w++)
		if (g->stream_of[w] != ID_NONE)
			room.work_dev = g->streams[g->stream_of[w]].dev;
	if (room.work_dev == ID_NONE)
		return room;
	d = &r->dev[room.work_dev];
	if (d->launches < g->devs[room.work_dev].depth)
		return room;
	before = d->ring[d->launches % g->devs[room.work_dev].depth];
	if (before.at.rec >= x->end)	/* it was launched though: the queue is deeper than it seems */
		return room;
	room.full = before.at.rec > x->start;
	room.made_by = before.at.now > start.now ? before.work : ID_NONE;
	room.at = when_later(start, before.at);
	return room;
}

static ns_t call_end(struct replay_run *r, const struct node *x, const struct room *room, uint32_t *pred)
{
	const struct call_cost *cost = &r->g->costs[x->cost];
	double factor = plan_factor(r->pl, x->seq, x->start);
	struct ending target = target_of(r, x);
	ns_t dur = x->end - x->start, own = dur;
	struct when cause[2];
	unsigned which;
	ns_t end;

	if (target.work != ID_NONE && target.at.rec > x->start)
		own = cost->own < dur ? cost->own : dur;
	else if (room->full)
		own = cost->launch < dur ? cost->launch : dur;
	cause[0] = (struct when){ room->at.rec + own, room->at.now + own_time(r, x, own, factor) };
	cause[1] = x->wait == WAIT_NONE || target.work == ID_NONE ? WHEN_NEVER : when_plus(target.at, cost->back);
	if (r->sums)
		sum_node(r, x, x->end - cause[latest(cause, 2)].rec);
	if (waits_not(r, x, factor))
		cause[1].now = -NS_LIMIT;
	end = settle(x->end, cause, 2, &which);
	*pred = which ? target.work : ID_NONE;
	return end;
}

static void take_place(struct replay_run *r, const struct room *room, struct ending end)
{
	struct dev_at *d = &r->dev[room->work_dev];

	d->ring[d->launches++ % r->g->devs[room->work_dev].depth] = end;
}

static void step_events(struct replay_run *r, const struct node *x, struct when start)
{
	const struct stream_at *st = x->act == ACT_NONE ? NULL : &r->stream[x->stream];
	struct ending done;

	if (!st || !r->event)
		return;
	if (x->act == ACT_HOLD) {
		r->stream[x->stream].held = end_later(st->held, r->event[x->target]);
		return;
	}
	done = end_later(end_later(st->end, st->held), st->tail);
	done.at = when_later(done.at, start);
	r->event[x - r->g->nodes] = done;
}

static void step_call(struct replay_run *r, const struct node *x)
{
	uint32_t before, pred;
	bool inside;
	struct when start = node_start(r, x, &inside, &before), end = { .rec = x->end };
	struct room room = queue_room(r, x, start);
	struct launching l = { x, room.at, WHEN_NEVER, ID_NONE, ID_NONE };

	step_events(r, x, start);
	for (uint32_t w = x->first; w < x->first + x->n; w++)
		if (r->g->stream_of[w] != ID_NONE)
			place(r, &l, w);
	if (l.last != ID_NONE)
		take_place(r, &room, (struct ending){ { ev_end(r->g->p, r->g->p->by_launch[l.last]), r->end[l.last] }, l.last });
	end.now = call_end(r, x, &room, &pred);
	pass(r, x, inside, before, start, end, pred);
	if (r->tr)
		r->tr->node_room[x - r->g->nodes] = room.made_by;
}

/* ---- steps and loaders -------------------------------------------------------------------------- */

static void step_mark(struct replay_run *r, const struct node *x)
{
	const struct replay_step *s = &r->g->steps[x->target / 2];
	bool inside;
	uint32_t before, pred = ID_NONE;
	struct when at = node_start(r, x, &inside, &before), end = at;

	/* the whole capture lasts until its last work is done */
	if (s->step == ID_NONE && x->target % 2 && r->all[s->proc].at.rec > -NS_LIMIT) {
		struct when cause[2] = { { r->g->proc_steps[s->proc].host_end, 0 }, r->all[s->proc].at };
		unsigned which;

		cause[0].now = at.now - (at.rec - cause[0].rec);
		end.now = settle(at.rec, cause, 2, &which);
		pred = which ? r->all[s->proc].work : ID_NONE;
	}
	r->marks[x->target] = end.now;
	r->stretch++;
	pass(r, x, inside, before, at, end, pred);
}

/*
 * A worker that nothing held up makes its batch when it did. Where the batch before was there already, it was held up by the thread that
 * takes them, and moves with it.
 */
static void step_batch(struct replay_run *r, const struct node *x)
{
	uint32_t proc = r->g->seq_proc[x->seq], before;
	double factor = plan_factor(r->pl, x->seq, x->start);
	bool inside;
	struct when start = node_start(r, x, &inside, &before), end = { .rec = x->end };
	ns_t own = r->g->batch_own[proc], made = x->end + r->late[proc];

	if (x->kind == NODE_FETCHED) {
		end.now = start.now;
		r->late[proc] = start.now < start.rec ? start.now - start.rec : 0;
	} else {
		end.now = start.now + scale_ns(own, factor);
		if (!waits_not(r, x, factor) && made > end.now)
			end.now = made;
	}
	pass(r, x, inside, before, start, end, ID_NONE);
}

/* ---- all together ------------------------------------------------------------------------------- */

static void run_begin(struct replay_run *r)
{
	const struct replay_graph *g = r->g;

	r->seq = xcalloc((size_t)g->n_seqs + 1, sizeof(*r->seq));
	r->stream = xcalloc((size_t)g->n_streams + 1, sizeof(*r->stream));
	r->dev = xcalloc((size_t)g->n_devs + 1, sizeof(*r->dev));
	r->all = xcalloc((size_t)g->f->n_procs + 1, sizeof(*r->all));
	r->late = xcalloc((size_t)g->f->n_procs + 1, sizeof(*r->late));
	r->end = xcalloc((size_t)g->n_works + 1, sizeof(*r->end));
	if (g->events_recorded)
		r->event = xcalloc((size_t)g->n_nodes + 1, sizeof(*r->event));
	for (uint32_t i = 0; i < g->n_seqs; i++)
		r->seq[i] = (struct seq_at){ { g->p->first_ns, g->p->first_ns }, { g->p->first_ns, g->p->first_ns }, ID_NONE };
	for (uint32_t i = 0; i < g->n_streams; i++)
		r->stream[i] = (struct stream_at){ nothing, nothing, nothing, -1, 0 };
	for (uint32_t i = 0; i < g->f->n_procs; i++)
		r->all[i] = nothing;
	for (uint32_t i = 0; i < g->n_devs; i++) {
		r->dev[i].ring = xreallocarray(NULL, (size_t)g->devs[i].depth + 1, sizeof(struct ending));
		for (int a = 0; a < 3; a++)
			r->dev[i].away[a] = nothing;
	}
}

static void run_end(struct replay_run *r)
{
	for (uint32_t i = 0; i < r->g->n_devs; i++)
		free(r->dev[i].ring);
	free(r->seq);
	free(r->stream);
	free(r->dev);
	free(r->all);
	free(r->late);
	free(r->end);
	free(r->event);
}

bool run_graph(const struct replay_graph *g, const struct plan *pl, struct job *job, ns_t *marks, struct run_sums *sums,
	struct run_trace *tr)
{
	struct replay_run r = { .g = g, .pl = pl, .sums = sums, .tr = tr, .marks = marks };
	bool ok = true;

	run_begin(&r);
	for (uint32_t i = 0; i < g->n_nodes && ok; i++) {
		const struct node *x = &g->nodes[i];

		if (x->kind == NODE_MARK)
			step_mark(&r, x);
		else if (x->kind == NODE_CALL)
			step_call(&r, x);
		else
			step_batch(&r, x);
		ok = i % 4096 || !job_cancelled(job);
	}
	run_end(&r);
	return ok;
}
