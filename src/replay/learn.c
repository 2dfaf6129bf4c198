/*
 * learn.c - what the recorded run tells of its machine: latencies, gaps, the depth of queues, what calls cost; and what is waited for where no
 * record says it.
 *
 * Figures are medians of what shows the thing alone (a work on an idle device, a call with nothing to wait for): a smallest value would
 * be a record of one lucky moment, and every other work would have a residual.
 */
#include <stdlib.h>
#include <string.h>

#include "calc/stats.h"
#include "replay/graph.h"

#define NEAR_NS INT64_C(5000)		/* a work that starts so soon after an end waited for it, where nothing else explains it */
#define FAR_NS INT64_C(20000)		/* has waited, for sure */
/* the clocks of host and device may differ by so much in a file */
#define SKEW_NS INT64_C(50000)
#define LATENCY_NS INT64_C(5000)	/* where no work shows a latency */
#define DEPTH INT64_C(1024)		/* of a queue that was never seen full */
#define DEPTH_MIN 16
#define AGREE_MIN 3			/* launches that show a depth */
#define SAMPLES 20000			/* of one kind: more do not move a median */
#define STREAMS_MAX 256			/* a wait is not looked for in more */

struct learn {
	struct replay_graph *g;
	ns_t *end;		/* per stream: of what it did so far */
	ns_t *dev_end;		/* per device */
	ns_t *all_end;		/* per process */
	uint32_t *list;		/* works by stream, in the order of their launches */
	uint32_t *first, *count;	/* per stream: where its works begin in list; how many were launched so far */
	ns_t *event;		/* per node that records an event: when it is done */
	uint32_t *launched;	/* per device: launches so far */
	ns_t **launch_end;	/* per device: ends of what its launches launched */
};

static void sample(struct stats *s, ns_t v)
{
	if (stats_n(s) < SAMPLES)
		stats_add(s, v);
}

static ns_t median_or(struct stats *s, ns_t otherwise)
{
	ns_t v = stats_n(s) ? stats_lower_median(s) : otherwise;

	stats_fini(s);
	return v;
}

static void forget(struct learn *l)
{
	const struct replay_graph *g = l->g;

	for (uint32_t i = 0; i < g->n_streams; i++)
		l->end[i] = -NS_LIMIT;
	for (uint32_t i = 0; i < g->n_devs; i++)
		l->dev_end[i] = -NS_LIMIT;
	for (uint32_t i = 0; i < g->f->n_procs; i++)
		l->all_end[i] = -NS_LIMIT;
	memset(l->count, 0, g->n_streams * sizeof(*l->count));
	memset(l->launched, 0, g->n_devs * sizeof(*l->launched));
}

/* ---- latencies and gaps ------------------------------------------------------------------------- */

struct dev_samples {
	struct stats idle[WORK_KIND_N];		/* the whole device was idle */
	struct stats stream_idle[WORK_KIND_N];	/* its stream was */
	struct stats gap;
	ns_t least;
};

static void sample_work(struct learn *l, struct dev_samples *ds, const struct node *x, uint32_t w)
{
	const struct replay_graph *g = l->g;
	uint32_t s = g->stream_of[w], d = g->streams[s].dev;
	ns_t start = g->p->start[g->p->by_launch[w]], latency = start - x->start;

	if (latency < -SKEW_NS)
		return;
	if (ds[d].least > latency)
		ds[d].least = latency;
	if (l->dev_end[d] <= x->start)
		sample(&ds[d].idle[g->kind_of[w]], latency);
	else if (l->end[s] <= x->start)
		sample(&ds[d].stream_idle[g->kind_of[w]], latency);
	else if (l->end[s] > x->start + FAR_NS && start >= l->end[s] && start - l->end[s] < FAR_NS)
		sample(&ds[d].gap, start - l->end[s]);
}

static void note_work(struct learn *l, const struct node *x, uint32_t w)
{
	const struct replay_graph *g = l->g;
	uint32_t s = g->stream_of[w], d = g->streams[s].dev, proc = g->seq_proc[x->seq];
	ns_t end = ev_end(g->p, g->p->by_launch[w]);

	if (l->end[s] < end)
		l->end[s] = end;
	if (l->dev_end[d] < end)
		l->dev_end[d] = end;
	if (proc != ID_NONE && l->all_end[proc] < end)
		l->all_end[proc] = end;
	l->list[l->first[s] + l->count[s]++] = w;
}

/*
 * A kind of work that never found the device idle may have waited for another stream each time: it has the latency of the quickest kind that
 * did, or less.
 */
static void set_device(struct gpu_dev *d, struct dev_samples *ds)
{
	ns_t quickest = NS_LIMIT;

	for (int k = 0; k < WORK_KIND_N; k++) {
		d->latency[k] = median_or(&ds->idle[k], NS_UNKNOWN);
		if (d->latency[k] != NS_UNKNOWN && d->latency[k] < quickest)
			quickest = d->latency[k];
	}
	if (quickest == NS_LIMIT)
		quickest = ds->least < NS_LIMIT ? ds->least : LATENCY_NS;
	for (int k = 0; k < WORK_KIND_N; k++) {
		ns_t least = stats_n(&ds->stream_idle[k]) ? ds->stream_idle[k].min : quickest;

		if (d->latency[k] == NS_UNKNOWN)
			d->latency[k] = least < quickest ? least : quickest;
		stats_fini(&ds->stream_idle[k]);
	}
	d->gap = median_or(&ds->gap, 0);
}

/* Where most launches wait for room, one that finds room is among the short ones. */
static void set_launch(struct call_cost *c, struct stats *s)
{
	if (stats_n(s)) {
		c->launch = stats_percentile(s, 10);
		c->launch_least = s->min;
	}
	stats_fini(s);
}

static void learn_latencies(struct learn *l)
{
	struct replay_graph *g = l->g;
	struct dev_samples *ds = xcalloc((size_t)g->n_devs + 1, sizeof(*ds));
	struct stats *launch = xcalloc((size_t)g->n_costs + 1, sizeof(*launch));

	for (uint32_t i = 0; i < g->n_devs; i++)
		ds[i].least = NS_LIMIT;
	forget(l);
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct node *x = &g->nodes[i];
		bool first = true;

		if (x->n && x->wait == WAIT_NONE)
			sample(&launch[x->cost], x->end - x->start);
		for (uint32_t w = x->first; w < x->first + x->n; w++) {
			if (g->stream_of[w] == ID_NONE)
				continue;
			if (first)
				sample_work(l, ds, x, w);
			first = false;
			note_work(l, x, w);
		}
	}
	for (uint32_t i = 0; i < g->n_devs; i++)
		set_device(&g->devs[i], &ds[i]);
	for (uint32_t i = 0; i < g->n_costs; i++)
		set_launch(&g->costs[i], &launch[i]);
	free(ds);
	free(launch);
}

/* ---- depth of queues ---------------------------------------------------------------------------- */

/* The launches of a node on the device of its first work; its end is that of the last. */
static uint32_t launch_dev(const struct replay_graph *g, const struct node *x, ns_t *end)
{
	uint32_t dev = ID_NONE;

	for (uint32_t w = x->first; w < x->first + x->n; w++) {
		ns_t t = ev_end(g->p, g->p->by_launch[w]);

		if (g->stream_of[w] == ID_NONE)
			continue;
		if (dev == ID_NONE || t > *end)
			*end = t;
		if (dev == ID_NONE)
			dev = g->streams[g->stream_of[w]].dev;
	}
	return dev;
}

/* How many of the last launches of a device had work that was not done at t. Ends are nearly in order. */
static uint32_t held_at(const struct learn *l, uint32_t dev, ns_t t)
{
	uint32_t n = 0, i = l->launched[dev];

	while (i > 0 && n < 4 * DEPTH && l->launch_end[dev][i - 1] > t) {
		n++;
		i--;
	}
	return n;
}

/*
 * Launches that take far longer than most while the device has much to do wait for room. Between the moment that there is room and their
 * return lies what the shortest launch takes, or more: what the device holds then is one less than its depth, if such launches agree on it.
 */
static uint32_t agreed_depth(struct stats *held)
{
	uint32_t depth = DEPTH;
	int64_t low, high, mid;

	if (stats_n(held) >= AGREE_MIN) {
		low = stats_percentile(held, 20);
		mid = stats_lower_median(held);
		high = stats_percentile(held, 80);
		if (high - low <= mid / 8 + 2)
			depth = (uint32_t)mid + 1;
	}
	stats_fini(held);
	return depth;
}

static void learn_depths(struct learn *l)
{
	struct replay_graph *g = l->g;
	struct stats *held = xcalloc((size_t)g->n_devs + 1, sizeof(*held));

	forget(l);
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct node *x = &g->nodes[i];
		const struct call_cost *c = x->kind == NODE_CALL ? &g->costs[x->cost] : NULL;
		ns_t end;
		uint32_t dev = x->n ? launch_dev(g, x, &end) : ID_NONE;

		if (dev == ID_NONE)
			continue;
		if (x->wait == WAIT_NONE && x->end - x->start > 4 * c->launch + FAR_NS && stats_n(&held[dev]) < SAMPLES / 10) {
			uint32_t n = held_at(l, dev, x->end - c->launch_least);

			if (n >= DEPTH_MIN)
				stats_add(&held[dev], n);
		}
		l->launch_end[dev][l->launched[dev]++] = end;
	}
	for (uint32_t i = 0; i < g->n_devs; i++)
		g->devs[i].depth = agreed_depth(&held[i]);
	free(held);
}

/* ---- what is waited for ------------------------------------------------------------------------- */

/* The last work of the stream, of those launched so far, that has ended by t; ID_NONE. */
static uint32_t ended_by(const struct learn *l, uint32_t stream, ns_t t)
{
	const struct profile *p = l->g->p;
	const uint32_t *v = l->list + l->first[stream];
	uint32_t lo = 0, hi = l->count[stream];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ev_end(p, p->by_launch[v[mid]]) <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? v[lo - 1] : ID_NONE;
}

/* The work of a device (ID_NONE: of all that the process uses) that ended last by t, but for one stream. */
static uint32_t last_end(const struct learn *l, uint32_t dev, uint32_t proc, uint32_t but, ns_t t)
{
	const struct replay_graph *g = l->g;
	uint32_t best = ID_NONE;

	for (uint32_t s = 0; s < g->n_streams && g->n_streams <= STREAMS_MAX; s++) {
		uint32_t w;

		if (s == but || (dev == ID_NONE ? g->devs[g->streams[s].dev].proc != proc : g->streams[s].dev != dev))
			continue;
		w = ended_by(l, s, t);
		if (w != ID_NONE && (best == ID_NONE || ev_end(g->p, g->p->by_launch[w]) > ev_end(g->p, g->p->by_launch[best])))
			best = w;
	}
	return best;
}

static void infer_wait(struct learn *l, const struct node *x, uint32_t w)
{
	struct replay_graph *g = l->g;
	uint32_t s = g->stream_of[w], d = g->streams[s].dev, other;
	ns_t start = g->p->start[g->p->by_launch[w]];
	ns_t launch = x->start + g->devs[d].latency[g->kind_of[w]], before = l->end[s] + g->devs[d].gap;
	ns_t explained = launch > before ? launch : before;

	if (start - explained <= NEAR_NS / 2)
		return;
	other = last_end(l, d, ID_NONE, s, start);
	if (other != ID_NONE && start - ev_end(g->p, g->p->by_launch[other]) <= NEAR_NS &&
		ev_end(g->p, g->p->by_launch[other]) > explained)
		g->after[w] = other;
}

/* The name of a call that synchronises with a stream, as opposed to an event or memory. */
static bool of_stream(const struct replay_graph *g, const struct node *x)
{
	size_t n;
	const char *s = profile_str(g->p, g->p->name[x->ev], &n);

	return memmem(s, n, "Stream", 6) != NULL;
}

static void guess_wait(struct learn *l, struct node *x)
{
	const struct replay_graph *g = l->g;
	uint32_t proc = g->seq_proc[x->seq], w;
	ns_t end;

	x->wait = WAIT_NONE;
	if (proc == ID_NONE)
		return;
	if (facts_rt(g->f, x->ev) != RT_SYNC) {
		if (l->all_end[proc] > x->start && l->all_end[proc] <= x->end)
			x->wait = WAIT_ALL;
		return;
	}
	w = last_end(l, ID_NONE, proc, ID_NONE, x->end);
	end = w == ID_NONE ? -NS_LIMIT : ev_end(g->p, g->p->by_launch[w]);
	if (end <= x->start) /* nothing ended meanwhile, unless the device's clock is late */
		w = last_end(l, ID_NONE, proc, ID_NONE, x->end + FAR_NS);
	if (w == ID_NONE)
		return;
	end = ev_end(g->p, g->p->by_launch[w]);
	x->target = w;
	if (of_stream(g, x) && end == l->end[g->stream_of[w]]) {
		x->wait = WAIT_STREAM;
		x->target = g->stream_of[w];
	} else if (end > x->start) {
		x->wait = WAIT_WORK;
	}
}

/* When what a node waits for was done; -NS_LIMIT: there was nothing. */
static ns_t target_end(const struct learn *l, const struct node *x)
{
	const struct replay_graph *g = l->g;

	if (x->wait == WAIT_WORK)
		return ev_end(g->p, g->p->by_launch[x->target]);
	if (x->wait == WAIT_STREAM)
		return l->end[x->target];
	if (x->wait == WAIT_EVENT)
		return l->event[x->target];
	if (x->wait == WAIT_ALL && g->seq_proc[x->seq] != ID_NONE)
		return l->all_end[g->seq_proc[x->seq]];
	return -NS_LIMIT;
}

struct wait_samples {
	struct stats own, back;
	ns_t least;
};

static void sample_wait(struct learn *l, struct node *x, struct wait_samples *ws)
{
	ns_t done, dur = x->end - x->start;

	if (x->wait == WAIT_GUESS)
		guess_wait(l, x);
	if (x->wait == WAIT_NONE)
		return;
	done = target_end(l, x);
	if (done > x->end + SKEW_NS) { /* it returned before: it is about something else */
		x->wait = WAIT_NONE;
		return;
	}
	if (dur < ws->least)
		ws->least = dur;
	if (done <= x->start)
		sample(&ws->own, dur);
	else
		sample(&ws->back, x->end - done);
}

/* What a call costs by itself is never more than its shortest, with or without waiting. */
static void set_cost(struct call_cost *c, struct wait_samples *ws)
{
	ns_t least = ws->least < NS_LIMIT ? ws->least : 0;

	c->back = median_or(&ws->back, NS_UNKNOWN);
	c->own = median_or(&ws->own, c->back >= 0 && c->back < least ? c->back : least);
	if (c->back == NS_UNKNOWN)
		c->back = c->own;
}

static void learn_waits(struct learn *l)
{
	struct replay_graph *g = l->g;
	struct wait_samples *ws = xcalloc((size_t)g->n_costs + 1, sizeof(*ws));

	for (uint32_t i = 0; i < g->n_costs; i++)
		ws[i].least = NS_LIMIT;
	forget(l);
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		struct node *x = &g->nodes[i];
		bool first = true;

		if (x->kind != NODE_CALL)
			continue;
		if (x->act == ACT_RECORD)
			l->event[i] = l->end[x->stream] > x->start ? l->end[x->stream] : x->start;
		for (uint32_t w = x->first; w < x->first + x->n; w++) {
			if (g->stream_of[w] == ID_NONE)
				continue;
			if (first && !g->events_recorded)
				infer_wait(l, x, w);
			first = false;
			note_work(l, x, w);
		}
		sample_wait(l, x, &ws[x->cost]);
	}
	for (uint32_t i = 0; i < g->n_costs; i++)
		set_cost(&g->costs[i], &ws[i]);
	free(ws);
}

/* ---- all together ------------------------------------------------------------------------------- */

static void count_works(struct learn *l)
{
	const struct replay_graph *g = l->g;
	uint32_t sum = 0;
	ns_t end;

	for (uint32_t w = 0; w < g->n_works; w++)
		if (g->stream_of[w] != ID_NONE)
			l->first[g->stream_of[w] + 1]++;
	for (uint32_t s = 0; s <= g->n_streams; s++)
		l->first[s] = sum += l->first[s];
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		uint32_t dev = g->nodes[i].n ? launch_dev(g, &g->nodes[i], &end) : ID_NONE;

		if (dev != ID_NONE)
			l->launched[dev]++;
	}
	for (uint32_t i = 0; i < g->n_devs; i++)
		l->launch_end[i] = xreallocarray(NULL, (size_t)l->launched[i] + 1, sizeof(ns_t));
}

void graph_learn(struct replay_graph *g)
{
	struct learn l = { .g = g };

	l.end = xreallocarray(NULL, (size_t)g->n_streams + 1, sizeof(*l.end));
	l.dev_end = xreallocarray(NULL, (size_t)g->n_devs + 1, sizeof(*l.dev_end));
	l.all_end = xreallocarray(NULL, (size_t)g->f->n_procs + 1, sizeof(*l.all_end));
	l.list = xreallocarray(NULL, (size_t)g->n_works + 1, sizeof(*l.list));
	l.first = xcalloc((size_t)g->n_streams + 2, sizeof(*l.first));
	l.count = xcalloc((size_t)g->n_streams + 1, sizeof(*l.count));
	l.launched = xcalloc((size_t)g->n_devs + 1, sizeof(*l.launched));
	l.launch_end = xcalloc((size_t)g->n_devs + 1, sizeof(*l.launch_end));
	if (g->events_recorded)
		l.event = xcalloc((size_t)g->n_nodes + 1, sizeof(*l.event));
	count_works(&l);
	learn_latencies(&l);
	learn_depths(&l);
	learn_waits(&l);
	for (uint32_t i = 0; i < g->n_devs; i++)
		free(l.launch_end[i]);
	free(l.event);
	free(l.end);
	free(l.dev_end);
	free(l.all_end);
	free(l.list);
	free(l.first);
	free(l.count);
	free(l.launched);
	free(l.launch_end);
}
