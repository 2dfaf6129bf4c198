/* nodes.c - the nodes of the graph: calls that launch or wait, steps, batches of loaders */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "replay/graph.h"

struct nodes {
	struct replay_graph *g;
	VEC(struct node) v;
	struct map costs;	/* name -> index in costs */
	VEC(struct call_cost) cost;
	uint32_t *stream_of_track;
	ev_id *sync_of;		/* per call: the record of its wait, ID_NONE */
	uint32_t *record;	/* per call: the stream on which it records an event that is waited for; ID_NONE: none */
	uint32_t next_wait;	/* index in event_waits of the next call that waits for an event */
	uint8_t *frees;		/* per string: 0 not looked at, 1 no, 2 may_wait() */
};

/* ---- streams ------------------------------------------------------------------------------------ */

static bool same_stream(const struct gpu_stream *s, const struct track *tr)
{
	return s->pid == tr->pid && s->device == tr->device && s->context == tr->context && s->stream == tr->stream;
}

static uint32_t dev_of(struct replay_graph *g, int64_t device)
{
	uint32_t i = 0;

	while (i < g->n_devs && g->devs[i].device != device)
		i++;
	if (i == g->n_devs)
		g->devs[g->n_devs++] = (struct gpu_dev){ .device = device, .proc = ID_NONE };
	return i;
}

/* Every stream once: its kernels, copies and memory sets are tracks of their own. */
static void make_streams(struct nodes *b)
{
	struct replay_graph *g = b->g;
	const struct profile *p = g->p;
	struct map by_key = { 0 };

	g->streams = xcalloc(p->n_tracks + 1, sizeof(*g->streams));
	b->stream_of_track = xreallocarray(NULL, p->n_tracks + 1, sizeof(*b->stream_of_track));
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];
		int64_t key[] = { tr->pid, tr->device, tr->context, tr->stream };
		uint32_t s;

		b->stream_of_track[t] = ID_NONE;
		if (tr->layer != LAYER_KERNEL && tr->layer != LAYER_MEMCPY && tr->layer != LAYER_MEMSET)
			continue;
		s = map_get_or_put(&by_key, map_hash_bytes(key, sizeof(key)), (uint64_t)tr->stream, g->n_streams);
		if (s == g->n_streams)
			g->streams[g->n_streams++] = (struct gpu_stream){ tr->pid, tr->device, tr->context, tr->stream, 0 };
		if (same_stream(&g->streams[s], tr))
			b->stream_of_track[t] = s;
	}
	map_fini(&by_key);
	g->devs = xcalloc((size_t)g->n_streams + 1, sizeof(*g->devs));
	for (uint32_t i = 0; i < g->n_streams; i++)
		g->streams[i].dev = dev_of(g, g->streams[i].device);
}

/* The stream that a record of a wait is about; its device is not always right, and not always there. */
static uint32_t stream_of_wait(const struct replay_graph *g, const struct track *tr)
{
	uint32_t found = ID_NONE;

	if (tr->stream < 0)
		return ID_NONE;
	for (uint32_t i = 0; i < g->n_streams; i++) {
		const struct gpu_stream *s = &g->streams[i];

		if (s->stream != tr->stream || (s->pid >= 0 && tr->pid >= 0 && s->pid != tr->pid))
			continue;
		if (s->device == tr->device)
			return i;
		found = found == ID_NONE ? i : ID_NONE - 1;
	}
	return found < g->n_streams ? found : ID_NONE;
}

static void index_waits(struct nodes *b)
{
	const struct profile *p = b->g->p;
	ev_id base = p->layer_first[LAYER_RUNTIME];
	uint32_t n = p->layer_first[LAYER_RUNTIME + 1] - base;

	b->sync_of = xreallocarray(NULL, (size_t)n + 1, sizeof(*b->sync_of));
	memset(b->sync_of, 0xff, n * sizeof(*b->sync_of));
	for (track_id t = p->layer_track[LAYER_SYNC]; t < p->layer_track[LAYER_SYNC + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		b->stream_of_track[t] = stream_of_wait(b->g, tr);
		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (p->link[e] != ID_NONE)
				b->sync_of[p->link[e] - base] = e;
	}
}

/* The stream of this number on the device of a record. */
static uint32_t stream_by_number(const struct replay_graph *g, const struct track *of, int64_t number)
{
	struct track tr = *of;

	tr.stream = number;
	return stream_of_wait(g, &tr);
}

/* Which calls record events that something waits for, and on which streams. */
static void index_records(struct nodes *b)
{
	const struct profile *p = b->g->p;
	ev_id base = p->layer_first[LAYER_RUNTIME];
	uint32_t n = p->layer_first[LAYER_RUNTIME + 1] - base;

	b->record = xreallocarray(NULL, (size_t)n + 1, sizeof(*b->record));
	memset(b->record, 0xff, n * sizeof(*b->record));
	for (uint32_t i = 0; i < p->n_event_waits; i++) {
		const struct event_wait *w = &p->event_waits[i];
		ev_id sync = b->sync_of[w->call - base];

		if (sync != ID_NONE)
			b->record[w->record - base] = stream_by_number(b->g, &p->tracks[profile_track_of(p, sync)], w->stream);
	}
	b->g->events_recorded = p->n_event_waits > 0;
}

/* ---- work --------------------------------------------------------------------------------------- */

static uint8_t kind_of_work(const struct profile *p, ev_id e)
{
	if (e < p->layer_first[LAYER_MEMCPY])
		return p->aux[e] < p->n_kernels && p->kernels[p->aux[e]].graph_node ? WORK_GRAPH : WORK_KERNEL;
	if (e >= p->layer_first[LAYER_MEMSET])
		return WORK_MEMSET;
	return (uint8_t)(WORK_COPY + (p->aux[e] < p->n_copies ? p->copies[p->aux[e]].kind : COPY_UNKNOWN));
}

/* Tracks of work are few: the one of the event before is tried first. */
static void make_works(struct nodes *b)
{
	struct replay_graph *g = b->g;
	const struct profile *p = g->p;
	track_id t = 0;

	g->n_works = p->n_by_launch;
	g->stream_of = xreallocarray(NULL, (size_t)g->n_works + 1, sizeof(*g->stream_of));
	g->after = xreallocarray(NULL, (size_t)g->n_works + 1, sizeof(*g->after));
	g->kind_of = xcalloc((size_t)g->n_works + 1, 1);
	memset(g->after, 0xff, (size_t)g->n_works * sizeof(*g->after));
	for (uint32_t i = 0; i < g->n_works; i++) {
		ev_id e = p->by_launch[i];

		if (!p->n_tracks || e - p->tracks[t].first >= p->tracks[t].count)
			t = profile_track_of(p, e);
		g->stream_of[i] = b->stream_of_track[t];
		g->kind_of[i] = kind_of_work(p, e);
	}
}

/* ---- calls -------------------------------------------------------------------------------------- */

static uint16_t cost_of(struct nodes *b, str_id name)
{
	uint32_t i = map_get_or_put(&b->costs, name, 0, (uint32_t)b->cost.n);

	if (i == b->cost.n && i < UINT16_MAX)
		VEC_PUSH(&b->cost, (struct call_cost){ .name = name });
	return (uint16_t)(i < b->cost.n ? i : b->cost.n - 1);
}

static bool named(const struct profile *p, str_id name, const char *word)
{
	size_t n;
	const char *s = profile_str(p, name, &n);

	return name != ID_NONE && text_holds(s, n, word);
}

/* What a synchronising call waits for, as far as its name and its record tell. */
static void name_wait(const struct nodes *b, struct node *x, ev_id record)
{
	const struct profile *p = b->g->p;
	str_id name = p->name[x->ev];

	x->wait = WAIT_GUESS;
	if (named(p, name, "Device") || named(p, name, "Ctx") || named(p, name, "Thread"))
		x->wait = WAIT_ALL;
	if (!named(p, name, "Stream") || record == ID_NONE)
		return;
	x->target = b->stream_of_track[profile_track_of(p, record)];
	x->wait = x->target == ID_NONE ? WAIT_GUESS : WAIT_STREAM;
}

/* Calls that may wait for the device without being there for that: memory is given back, or got. */
static bool name_may_wait(const struct profile *p, str_id name)
{
	static const char *const words[] = { "Malloc", "Free", "MemAlloc", "HostAlloc", "HostRegister", "HostUnregister" };

	if (named(p, name, "Async"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (named(p, name, words[i]))
			return true;
	return false;
}

static bool may_wait(struct nodes *b, str_id name)
{
	if (name >= b->g->p->n_strs)
		return false;
	if (!b->frees[name])
		b->frees[name] = name_may_wait(b->g->p, name) ? 2 : 1;
	return b->frees[name] == 2;
}

/* The sequence that a thread's call at this time belongs to. */
static uint32_t seq_at(const struct replay_graph *g, thread_id t, ns_t at)
{
	uint32_t proc = g->f->threads[t].proc;

	return proc != ID_NONE && facts_issuer_at(g->f, proc, at) == t ? issuer_seq(g, proc) : t;
}

static uint32_t last_copy(const struct nodes *b, const struct node *x)
{
	uint32_t best = ID_NONE;

	for (uint32_t i = x->first; i < x->first + x->n; i++)
		if (b->g->kind_of[i] >= WORK_COPY &&
		    (best == ID_NONE || ev_end(b->g->p, b->g->p->by_launch[i]) > ev_end(b->g->p, b->g->p->by_launch[best])))
			best = i;
	return best;
}

/*
 * A call that records an event, waits for one, or lets a stream wait for one. The target of a wait is the recording call; it becomes a node
 * when all nodes are there.
 */
static void name_event(struct nodes *b, struct node *x)
{
	const struct profile *p = b->g->p;
	ev_id base = p->layer_first[LAYER_RUNTIME];
	const struct event_wait *w;
	ev_id sync = b->sync_of[x->ev - base];

	if (b->record[x->ev - base] != ID_NONE) {
		x->act = ACT_RECORD;
		x->stream = b->record[x->ev - base];
	}
	while (b->next_wait < p->n_event_waits && p->event_waits[b->next_wait].call < x->ev)
		b->next_wait++;
	w = &p->event_waits[b->next_wait];
	if (b->next_wait == p->n_event_waits || w->call != x->ev || sync == ID_NONE || b->record[w->record - base] == ID_NONE)
		return;
	x->target = w->record;
	if (facts_rt(b->g->f, x->ev) == RT_SYNC) {
		x->wait = WAIT_EVENT;
		return;
	}
	x->stream = b->stream_of_track[profile_track_of(p, sync)];
	x->act = x->stream == ID_NONE ? ACT_NONE : ACT_HOLD;
}

static void add_call(struct nodes *b, ev_id call, uint32_t first, uint32_t n)
{
	const struct replay_graph *g = b->g;
	const struct profile *p = g->p;
	enum rt_class class = facts_rt(g->f, call);
	thread_id t = g->f->call_thread[call - p->layer_first[LAYER_RUNTIME]];
	struct node x = { .start = p->start[call], .end = ev_end(p, call), .ev = call, .first = first, .n = n, .target = ID_NONE,
		.stream = ID_NONE, .kind = NODE_CALL, .launches = class == RT_LAUNCH };
	const struct blocking_copy *copy = n && class == RT_MEMCPY ? facts_blocking_copy(g->f, call) : NULL;

	if (copy && copy->call == call) {
		x.target = last_copy(b, &x);
		x.wait = x.target == ID_NONE ? WAIT_NONE : WAIT_WORK;
	} else if (class == RT_SYNC) {
		name_wait(b, &x, b->sync_of[call - p->layer_first[LAYER_RUNTIME]]);
	} else if (!n && class == RT_OTHER && may_wait(b, p->name[call])) {
		x.wait = WAIT_GUESS;
	}
	if (!n)
		name_event(b, &x);
	if (!n && x.wait == WAIT_NONE && x.act == ACT_NONE)
		return;
	x.seq = seq_at(g, t, x.start);
	x.cost = cost_of(b, p->name[call]);
	VEC_PUSH(&b->v, x);
}

static void add_calls(struct nodes *b)
{
	const struct profile *p = b->g->p;
	uint32_t at = 0;

	for (ev_id call = p->layer_first[LAYER_RUNTIME]; call < p->layer_first[LAYER_RUNTIME + 1]; call++) {
		uint32_t n = 0;

		while (at + n < p->n_by_launch && p->link[p->by_launch[at + n]] == call)
			n++;
		if (n || facts_rt(b->g->f, call) == RT_SYNC || facts_rt(b->g->f, call) == RT_OTHER)
			add_call(b, call, at, n);
		at += n;
	}
}

/* ---- steps and batches -------------------------------------------------------------------------- */

static void add_mark(struct nodes *b, uint32_t proc, ns_t at, uint32_t mark)
{
	VEC_PUSH(&b->v, (struct node){ .start = at, .end = at, .ev = ID_NONE, .seq = issuer_seq(b->g, proc), .target = mark,
		.stream = ID_NONE, .kind = NODE_MARK });
}

static void add_step(struct nodes *b, uint32_t proc, uint32_t step, ns_t start, ns_t end)
{
	struct replay_graph *g = b->g;

	add_mark(b, proc, start, 2 * g->n_steps);
	add_mark(b, proc, end, 2 * g->n_steps + 1);
	g->steps[g->n_steps++] = (struct replay_step){ proc, step, start, end };
}

static void add_steps(struct nodes *b)
{
	struct replay_graph *g = b->g;
	const struct facts *f = g->f;

	g->steps = xcalloc((size_t)f->n_steps + f->n_procs + 1, sizeof(*g->steps));
	for (uint32_t i = 0; i < f->n_procs; i++) {
		const struct proc_facts *pf = &f->procs[i];

		for (uint32_t s = pf->first_step; s < pf->first_step + pf->n_steps; s++)
			add_step(b, i, s, f->steps[s].start, f->steps[s].next);
		if (!pf->n_steps && pf->training && g->p->first_ns < g->p->last_ns)
			add_step(b, i, ID_NONE, g->p->first_ns, g->p->last_ns);
	}
}

#define BATCH_NS INT64_C(100000)	/* a batch that is there is got in less */

/* The ranges in which a thread gets a batch that a worker process made. */
static void each_batch(struct nodes *b, uint32_t proc, void (*fn)(struct nodes *b, uint32_t proc, ev_id e))
{
	static const enum layer layers[] = { LAYER_ANNOT, LAYER_OP };
	const struct facts *f = b->g->f;
	thread_id main = f->procs[proc].main;

	for (size_t l = 0; l < 2 && main != ID_NONE; l++) {
		uint32_t n;
		const track_id *tracks = facts_thread_tracks(f, main, layers[l], &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct track *tr = &f->p->tracks[tracks[i]];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++)
				if (named(f->p, f->p->name[e], "_MultiProcessingDataLoaderIter"))
					fn(b, proc, e);
		}
	}
}

static void batch_cost(struct nodes *b, uint32_t proc, ev_id e)
{
	if (b->g->p->dur[e] < b->g->batch_own[proc])
		b->g->batch_own[proc] = b->g->p->dur[e];
}

static void add_batch(struct nodes *b, uint32_t proc, ev_id e)
{
	const struct profile *p = b->g->p;
	bool waits = p->dur[e] > 2 * b->g->batch_own[proc];
	struct node x = { .start = p->start[e], .end = ev_end(p, e), .ev = e, .seq = issuer_seq(b->g, proc), .target = ID_NONE,
		.stream = ID_NONE, .kind = waits ? NODE_BATCH : NODE_FETCHED };

	if (!waits)
		x.start = x.end;
	VEC_PUSH(&b->v, x);
}

static void add_batches(struct nodes *b)
{
	struct replay_graph *g = b->g;

	g->batch_own = xcalloc((size_t)g->f->n_procs + 1, sizeof(*g->batch_own));
	for (uint32_t i = 0; i < g->f->n_procs; i++) {
		g->batch_own[i] = BATCH_NS;
		each_batch(b, i, batch_cost);
		each_batch(b, i, add_batch);
	}
}

/* ---- all together ------------------------------------------------------------------------------- */

/* By start; marks before what begins there, what lasts longer before what lies inside. */
static int node_cmp(const void *pa, const void *pb)
{
	const struct node *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if ((a->kind == NODE_CALL) != (b->kind == NODE_CALL))
		return a->kind == NODE_CALL ? 1 : -1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->ev > b->ev) - (a->ev < b->ev);
}

/* Recording calls become nodes; those stand before all that wait for them. */
static void find_records(struct nodes *b)
{
	struct replay_graph *g = b->g;
	ev_id base = g->p->layer_first[LAYER_RUNTIME];

	for (uint32_t i = 0; i < g->n_nodes; i++) {
		struct node *x = &g->nodes[i];

		if (x->kind != NODE_CALL)
			continue;
		if (x->act == ACT_RECORD)
			b->record[x->ev - base] = i;
		if (x->act != ACT_HOLD && x->wait != WAIT_EVENT)
			continue;
		x->target = b->record[x->target - base];
		if (x->target < i && g->nodes[x->target].act == ACT_RECORD)
			continue;
		x->act = ACT_NONE;
		x->wait = WAIT_NONE;
	}
}

static void find_owners(struct replay_graph *g)
{
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct node *x = &g->nodes[i];

		for (uint32_t w = x->first; w < x->first + x->n; w++) {
			struct gpu_dev *d = g->stream_of[w] == ID_NONE ? NULL : &g->devs[g->streams[g->stream_of[w]].dev];

			if (d && d->proc == ID_NONE)
				d->proc = g->seq_proc[x->seq];
		}
	}
}

static void make_seqs(struct replay_graph *g)
{
	g->n_seqs = g->p->n_threads + g->f->n_procs;
	g->seq_proc = xcalloc((size_t)g->n_seqs + 1, sizeof(*g->seq_proc));
	for (uint32_t i = 0; i < g->p->n_threads; i++)
		g->seq_proc[i] = g->f->threads[i].proc;
	for (uint32_t i = 0; i < g->f->n_procs; i++)
		g->seq_proc[issuer_seq(g, i)] = i;
}

void graph_nodes(struct replay_graph *g)
{
	struct nodes b = { .g = g, .frees = xcalloc((size_t)g->p->n_strs + 1, 1) };

	make_seqs(g);
	make_streams(&b);
	index_waits(&b);
	index_records(&b);
	make_works(&b);
	add_steps(&b);
	add_batches(&b);
	add_calls(&b);
	if (b.v.n)
		qsort(b.v.a, b.v.n, sizeof(*b.v.a), node_cmp);
	g->nodes = b.v.a;
	g->n_nodes = (uint32_t)b.v.n;
	g->costs = b.cost.a;
	g->n_costs = (uint32_t)b.cost.n;
	find_records(&b);
	find_owners(g);
	free(b.record);
	map_fini(&b.costs);
	free(b.frees);
	free(b.stream_of_track);
	free(b.sync_of);
}
