/*
 * records.c - launches without work, kernels over each other, and where records begin and end too
 * late; see records.h
 */
#include "facts/records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/vec.h"
#include "facts/parts.h"
#include "model/cuda_result.h"

#define LOST_MAX    0.05 /* of the launches of a window */
#define CUT_MAX	    0.5 /* of its length: what is less is an edge, in no loss, and the rest tells */
#define OVERLAP_MAX 0.01 /* of its length */

/* ---- stream captures ---- */

enum capture_call {
	CAPTURE_NONE,
	CAPTURE_BEGINS,
	CAPTURE_ENDS
};

static enum capture_call capture_call(struct per_name *m, const struct profile *p, ev_id call)
{
	str_id name = p->name[call];
	size_t n;
	const char *s;

	if (name >= p->n_strs)
		return CAPTURE_NONE;
	if (m->v[name] == MEMO_NONE) {
		s = profile_str(p, name, &n);
		m->v[name] = memmem(s, n, "BeginCapture", 12) ? CAPTURE_BEGINS
			     : memmem(s, n, "EndCapture", 10) ? CAPTURE_ENDS
							      : CAPTURE_NONE;
	}
	return (enum capture_call)m->v[name];
}

/* Of the thread that begins one: what it launches until it ends the capture, or its calls end. */
static void find_captures(struct per_name *m, const struct profile *p, const struct track *tr,
			  struct spans *out)
{
	ns_t since = NS_UNKNOWN;

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		enum capture_call c = capture_call(m, p, e);

		if (c == CAPTURE_BEGINS && since == NS_UNKNOWN)
			since = p->start[e];
		if (c != CAPTURE_ENDS || since == NS_UNKNOWN)
			continue;
		spans_add(out, since, ev_end(p, e));
		since = NS_UNKNOWN;
	}
	if (since != NS_UNKNOWN)
		spans_add(out, since, p->start[tr->first + tr->count - 1] + 1);
}

void facts_captures(struct facts *f)
{
	const struct profile *p = f->p;
	struct per_name m = per_name_new(p);

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1];
	     t++) {
		const struct track *tr = &p->tracks[t];

		if (tr->thread != ID_NONE && f->threads[tr->thread].proc != ID_NONE)
			find_captures(&m, p, tr, &f->procs[f->threads[tr->thread].proc].captures);
	}
	for (uint32_t i = 0; i < f->n_procs; i++)
		spans_norm(&f->procs[i].captures);
	free(m.v);
}

/* ---- launches ---- */

bool call_runs_work(const struct facts *f, uint32_t proc, ev_id e)
{
	const struct profile *p = f->p;
	ev_id outer = p->parent[e];
	int64_t code = call_code(p->aux[e]);

	if (facts_rt(f, e) != RT_LAUNCH || (outer != ID_NONE && facts_rt(f, outer) == RT_LAUNCH))
		return false; /* of a runtime call and the driver's inside it the outer counts */
	if (code != I64_UNKNOWN && cuda_result_failed(code))
		return false;
	return proc == ID_NONE || !f->procs[proc].captures.n ||
	       !spans_contain(&f->procs[proc].captures, p->start[e]);
}

ev_id call_work(const struct profile *p, const struct track *tr, ev_id call, uint32_t *at)
{
	ev_id by;

	while (*at < p->n_by_launch && p->link[p->by_launch[*at]] < call)
		++*at;
	if (*at == p->n_by_launch)
		return ID_NONE;
	by = p->link[p->by_launch[*at]];
	return by == call || (by < tr->first + tr->count && p->parent[by] == call)
		       ? p->by_launch[*at]
		       : ID_NONE;
}

/* What the calls of one thread show. Events are in the order of time. */
struct issuer {
	const struct track *tr;
	uint32_t proc;
	uint32_t device;   /* of its first work, index; ID_NONE: none of its work is in the file */
	ev_id first, last; /* launches with work; ID_NONE none */
	ev_id last_any;	   /* call of any kind with work */
	bool graphs;	   /* a launch of a graph has work */
};
struct records {
	struct facts *f;
	VEC(struct issuer) issuers;
	bool *graphs; /* per process: a launch of a graph has work */
	bool *lossy;  /* per device: a launch has lost its work */
};

static uint32_t device_of(const struct facts *f, ev_id gpu)
{
	const struct device_facts *d =
		facts_device(f, f->p->tracks[profile_track_of(f->p, gpu)].device);

	return d ? (uint32_t)(d - f->devices) : ID_NONE;
}

static void look_at_thread(struct records *r, const struct track *tr)
{
	const struct facts *f = r->f;
	const struct profile *p = f->p;
	struct issuer x = {
		.tr = tr,
		.proc = f->threads[tr->thread].proc,
		.device = ID_NONE,
		.first = ID_NONE,
		.last = ID_NONE,
		.last_any = ID_NONE,
	};
	uint32_t at;

	profile_launched_by(p, tr->first, &at);
	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		ev_id work = call_work(p, tr, e, &at);

		if (work == ID_NONE)
			continue;
		x.last_any = e;
		if (x.device == ID_NONE)
			x.device = device_of(f, work);
		if (!call_runs_work(f, x.proc, e))
			continue;
		x.first = x.first == ID_NONE ? e : x.first;
		x.last = e;
		x.graphs |= call_is_graph(p, e);
	}
	if (x.device == ID_NONE)
		return;
	if (x.proc != ID_NONE)
		r->graphs[x.proc] |= x.graphs;
	VEC_PUSH(&r->issuers, x);
}

/* Whether the work of a launch without any must be in the file. */
static bool must_exist(const struct records *r, const struct issuer *x, ev_id call)
{
	bool never = x->last == ID_NONE ||
		     (call_is_graph(r->f->p, call) && x->proc != ID_NONE && !r->graphs[x->proc]);

	return call < (never ? x->last_any : x->last);
}

/* Calls fn for each launch of a thread with its device, and whether it has work. */
static void each_launch(const struct records *r, const struct issuer *x,
			void (*fn)(void *arg, const struct issuer *x, ev_id call, uint32_t device,
				   bool work),
			void *arg)
{
	const struct profile *p = r->f->p;
	uint32_t at, device = x->device;

	profile_launched_by(p, x->tr->first, &at);
	for (ev_id e = x->tr->first; e < x->tr->first + x->tr->count; e++) {
		ev_id work = call_work(p, x->tr, e, &at);

		if (work != ID_NONE && r->f->n_devices > 1)
			device = device_of(r->f, work);
		if (device != ID_NONE && call_runs_work(r->f, x->proc, e))
			fn(arg, x, e, device, work != ID_NONE);
	}
}

/*
 * Launches before the first one with work, and after the last one: the stretch up to, or from, the
 * device's records.
 */
static void add_cut(void *arg, const struct issuer *x, ev_id call, uint32_t device, bool work)
{
	struct records *r = arg;
	struct device_facts *d = &r->f->devices[device];
	ns_t at = r->f->p->start[call];

	if (work || x->last == ID_NONE || call_is_graph(r->f->p, call))
		return;
	if (call < x->first)
		spans_add(&d->cut, at, d->first);
	else if (call > x->last)
		spans_add(&d->cut, d->last, r->f->p->last_ns);
}

static void find_lost(void *arg, const struct issuer *x, ev_id call, uint32_t device, bool work)
{
	struct records *r = arg;

	if (!work && must_exist(r, x, call))
		r->lossy[device] = true;
}

static void push_mark(struct device_facts *d, struct launch_mark m)
{
	if (d->n_marks == d->cap_marks) {
		d->cap_marks = (uint32_t)mem_grow(d->cap_marks, (size_t)d->n_marks + 1);
		d->marks = xreallocarray(d->marks, d->cap_marks, sizeof(*d->marks));
	}
	d->marks[d->n_marks++] = m;
}

static void add_mark(void *arg, const struct issuer *x, ev_id call, uint32_t device, bool work)
{
	struct records *r = arg;
	struct device_facts *d = &r->f->devices[device];
	bool graph = call_is_graph(r->f->p, call), lost = !work && must_exist(r, x, call);

	if (r->lossy[device])
		push_mark(d, (struct launch_mark){r->f->p->start[call], !graph, lost && !graph,
						  graph, lost && graph, 0});
}

/* ---- kernels ---- */

static bool of_graph(const struct profile *p, ev_id kernel)
{
	if (p->aux[kernel] < p->n_kernels && p->kernels[p->aux[kernel]].graph_node)
		return true;
	return p->link[kernel] != ID_NONE && call_is_graph(p, p->link[kernel]);
}

/*
 * A stream runs one kernel after the other; the branches of a graph run side by side, whatever
 * stream they are shown in.
 */
static void add_overlaps(const struct profile *p, const struct track *tr, struct spans *out)
{
	ns_t busy_to = INT64_MIN;

	for (ev_id e = tr->first; e < tr->first + tr->count && tr->stream >= 0; e++) {
		ns_t end = ev_end(p, e);

		if (p->start[e] < busy_to && !of_graph(p, e))
			spans_add(out, p->start[e], end < busy_to ? end : busy_to);
		if (end > busy_to && !of_graph(p, e))
			busy_to = end;
	}
}

/* Kernels that name no launch, each as a mark. */
static void add_bare(const struct profile *p, const struct track *tr, struct device_facts *d)
{
	for (ev_id e = tr->first; e < tr->first + tr->count; e++)
		if (p->link[e] == ID_NONE)
			push_mark(d, (struct launch_mark){p->start[e], 0, 0, 0, 0, 1});
}

static int mark_cmp(const void *pa, const void *pb)
{
	const struct launch_mark *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

static void look_at_kernels(const struct records *r, uint32_t device)
{
	const struct profile *p = r->f->p;
	struct device_facts *d = &r->f->devices[device];
	uint32_t n;
	const track_id *t = facts_device_tracks(r->f, d, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (p->tracks[t[i]].layer != LAYER_KERNEL)
			continue;
		add_overlaps(p, &p->tracks[t[i]], &d->overlap);
		if (r->lossy[device])
			add_bare(p, &p->tracks[t[i]], d);
	}
	spans_norm(&d->overlap);
	spans_trim(&d->overlap);
	if (d->n_marks)
		qsort(d->marks, d->n_marks, sizeof(*d->marks), mark_cmp);
	for (uint32_t i = 1; i < d->n_marks; i++) {
		struct launch_mark *m = &d->marks[i];

		m->launches += m[-1].launches;
		m->lost += m[-1].lost;
		m->graphs += m[-1].graphs;
		m->graphs_lost += m[-1].graphs_lost;
		m->bare += m[-1].bare;
	}
}

/* ---- the last step ---- */

/* The end of the last op or call of a process that begins before t. */
static ns_t last_host_work(const struct facts *f, uint32_t proc, ns_t t)
{
	const struct profile *p = f->p;
	ns_t last = INT64_MIN;
	uint32_t n;
	const track_id *calls = layer_tracks(p, &f->ix->tracks_of_proc, proc, LAYER_RUNTIME, &n);

	for (uint32_t i = 0; i < n; i++) {
		ev_id e = track_lower_bound(p, &p->tracks[calls[i]], t);

		if (e > p->tracks[calls[i]].first && ev_end(p, e - 1) > last)
			last = ev_end(p, e - 1);
	}
	for (uint32_t i = 0; i < f->ops.n_tracks; i++) {
		const struct op_track *tr = &f->ops.tracks[i];

		if (f->threads[tr->thread].proc != proc)
			continue;
		for (uint32_t op = tr->first; op < tr->first + tr->count && f->ops.start[op] < t;
		     op++)
			if (f->ops.parent[op] == ID_NONE &&
			    f->ops.start[op] + f->ops.dur[op] > last)
				last = f->ops.start[op] + f->ops.dur[op];
	}
	return last;
}

/* Behind the last op of the last step, and the work that it has launched, the profiler is ended. */
static void end_last_step(struct facts *f, uint32_t proc)
{
	const struct proc_facts *pf = &f->procs[proc];
	const struct step *s = &f->steps[pf->first_step + pf->n_steps - 1];
	ns_t last = last_host_work(f, proc, s->end);

	for (uint32_t i = 0; i < f->n_devices && last > s->start; i++)
		spans_add(&f->devices[i].edges,
			  last > f->devices[i].last ? last : f->devices[i].last, s->next);
}

void facts_records(struct facts *f)
{
	const struct profile *p = f->p;
	struct records r = {f,
			    {0},
			    xcalloc((size_t)f->n_procs + 1, sizeof(bool)),
			    xcalloc((size_t)f->n_devices + 1, sizeof(bool))};

	for (track_id t = p->layer_track[LAYER_RUNTIME];
	     f->n_devices && t < p->layer_track[LAYER_RUNTIME + 1]; t++)
		if (p->tracks[t].count && p->tracks[t].thread != ID_NONE)
			look_at_thread(&r, &p->tracks[t]);
	for (size_t i = 0; i < r.issuers.n; i++) {
		each_launch(&r, &r.issuers.a[i], add_cut, &r);
		each_launch(&r, &r.issuers.a[i], find_lost, &r);
	}
	for (size_t i = 0; i < r.issuers.n; i++)
		each_launch(&r, &r.issuers.a[i], add_mark, &r);
	for (uint32_t i = 0; i < f->n_devices; i++) {
		look_at_kernels(&r, i);
		spans_norm(&f->devices[i].cut);
		spans_copy(&f->devices[i].edges, &f->devices[i].cut);
	}
	if (f->n_procs == 1 && f->procs[0].n_steps)
		end_last_step(f, 0);
	for (uint32_t i = 0; i < f->n_devices; i++)
		spans_norm(&f->devices[i].edges);
	VEC_FREE(&r.issuers);
	free(r.graphs);
	free(r.lossy);
}

/* ---- what follows ---- */

/* The sums over the marks before t. */
static struct launch_mark marks_before(const struct device_facts *d, ns_t t)
{
	uint32_t lo = 0, hi = d->n_marks;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (d->marks[mid].at < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? d->marks[lo - 1] : (struct launch_mark){0};
}

void gpu_records_count(const struct device_facts *d, const struct spans *window,
		       struct gpu_records *out)
{
	int64_t bare = 0;

	*out = (struct gpu_records){.window = spans_measure(window)};
	for (size_t i = 0; i < window->n; i++) {
		struct launch_mark a = marks_before(d, window->a[i].start),
				   z = marks_before(d, window->a[i].end);

		out->launches += z.launches - a.launches;
		out->lost += z.lost - a.lost;
		out->graphs += z.graphs - a.graphs;
		out->graphs_lost += z.graphs_lost - a.graphs_lost;
		bare += z.bare - a.bare;
		out->overlap += spans_overlap(&d->overlap, window->a[i].start, window->a[i].end);
		out->cut += spans_overlap(&d->cut, window->a[i].start, window->a[i].end);
	}
	out->lost -= bare < out->lost ? bare : out->lost;
	out->graphs_lost -= bare < out->graphs_lost ? bare : out->graphs_lost;
}

static bool more(int64_t part, int64_t whole, double than)
{
	return part > 0 && (double)part > than * (double)whole;
}

bool gpu_records_doubtful(const struct gpu_records *r)
{
	return more(r->lost, r->launches, LOST_MAX) || more(r->graphs_lost, r->graphs, LOST_MAX) ||
	       more(r->overlap, r->window, OVERLAP_MAX) || more(r->cut, r->window, CUT_MAX);
}

void gpu_records_say(const struct gpu_records *r, struct sbuf *out)
{
	char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX];

	if (more(r->graphs_lost, r->graphs, LOST_MAX))
		sbuf_printf(out,
			    _("%" PRId64 " of %" PRId64
			      " launches of CUDA graphs have no work in the file"),
			    r->graphs_lost, r->graphs);
	else if (more(r->lost, r->launches, LOST_MAX))
		sbuf_printf(out, _("%" PRId64 " of %" PRId64 " launches have no work in the file"),
			    r->lost, r->launches);
	else if (more(r->overlap, r->window, OVERLAP_MAX))
		sbuf_printf(out, _("kernels of one stream run at once for %s of %s"),
			    num_ns(r->overlap, a), num_ns(r->window, b));
	else if (more(r->cut, r->window, CUT_MAX))
		sbuf_printf(out, _("GPU work is launched but not recorded for %s of %s"),
			    num_ns(r->cut, a), num_ns(r->window, b));
}
