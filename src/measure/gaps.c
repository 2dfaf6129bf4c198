/* gaps.c - see gaps.h */
#include "measure/gaps.h"

#include "base/runs.h"
#include "base/search.h"
#include "base/vec.h"
#include "scope/device_window.h"

enum { NEAR = 64 };

struct gaps_work {			/* something that ends a gap when it starts */
	ns_t start;
	ev_id e;
};
typedef VEC(struct gaps_work) work_list;

struct gap_walk {
	const struct selection *k;
	const struct device_facts *d;
	bool compute;			/* gaps against compute alone */
	uint32_t proc;			/* of the device, ID_NONE */
	const struct spans *busy;	/* what a gap is a hole of */
	work_list work;			/* by start */
};

/* ---- what ends a gap ---- */

static int work_cmp(const void *pa, const void *pb)
{
	const struct gaps_work *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->e > b->e) - (a->e < b->e);
}

RUNS_SORT(sort_work, struct gaps_work, work_cmp)

static bool ends_gaps(const struct gap_walk *g, enum layer l, ev_id e)
{
	if (!g->k->p->dur[e])
		return false;
	return !g->compute || (l == LAYER_KERNEL && facts_kclass(g->k->f, e)->class != KCLASS_COMMUNICATION);
}

static void collect_work(struct gap_walk *g)
{
	const struct profile *p = g->k->p;
	uint32_t n;
	const track_id *t = facts_device_tracks(g->k->f, g->d, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct track *tr = &p->tracks[t[i]];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (ends_gaps(g, tr->layer, e))
				VEC_PUSH(&g->work, (struct gaps_work){ p->start[e], e });
	}
	sort_work(g->work.a, g->work.n);
}

/* Where the walk over the gaps is: the first busy interval that ends after the gap's start, the first work at or after its end. */
struct gaps_place {
	size_t busy, work;
};

static size_t first_work(const work_list *w, ns_t t)
{
	size_t i;

	LOWER_BOUND(i, 0, w->n, w->a[i].start < t);
	return i;
}

/* Gaps come in order of time. A few steps from the last one, else by search: parts of the window may be far apart. */
static void go_to(const struct gap_walk *g, struct gaps_place *at, const struct gap *x)
{
	size_t busy_end = at->busy + NEAR, work_end = at->work + NEAR;

	while (at->busy < busy_end && at->busy < g->busy->n && g->busy->a[at->busy].end <= x->start)
		at->busy++;
	if (at->busy == busy_end)
		at->busy = spans_seek(g->busy, x->start);
	while (at->work < work_end && at->work < g->work.n && g->work.a[at->work].start < x->end)
		at->work++;
	if (at->work == work_end)
		at->work = first_work(&g->work, x->end);
}

/*
 * Of the work that starts together at the end, the one launched first decides. A call that is still running when the device falls
 * idle has launched nothing yet: calls that load modules take seconds.
 */
static void find_end(const struct gap_walk *g, const struct gaps_place *at, struct gap *x)
{
	const struct profile *p = g->k->p;
	size_t i = at->work, before = at->busy;
	ns_t start = i < g->work.n ? g->work.a[i].start : 0, first = INT64_MAX;

	x->since = before ? g->busy->a[before - 1].end : INT64_MIN;
	x->ended = i < g->work.n ? g->work.a[i].e : ID_NONE;
	for (; i < g->work.n && g->work.a[i].start == start; i++) {
		ev_id call = p->link[g->work.a[i].e];

		if (call != ID_NONE && ev_end(p, call) < first) {
			first = ev_end(p, call);
			x->ended = g->work.a[i].e;
		}
	}
	x->delay = x->ended != ID_NONE && first != INT64_MAX ? start - first : NS_UNKNOWN;
	x->dependency = first <= x->since;
	x->ahead = x->dependency ? x->since - first : 0;
}

/*
 * Who issues: the thread that launched the work at the end, if it is neither main nor autograd thread or no autograd thread is
 * known (nsys without ranges); else whoever issues for the process at each instant.
 */
static void find_issuer(const struct gap_walk *g, struct gap *x)
{
	const struct facts *f = g->k->f;
	thread_id t = x->ended == ID_NONE ? ID_NONE : facts_launch_thread(f, x->ended);

	x->proc = t == ID_NONE ? g->proc : f->threads[t].proc;
	x->thread = ID_NONE;
	if (t == ID_NONE)
		return;
	if (f->procs[x->proc].n_issue <= 1 || (f->threads[t].role != ROLE_MAIN && f->threads[t].role != ROLE_AUTOGRAD))
		x->thread = t;
}

void gap_each_issuer(const struct facts *f, const struct gap *x, void (*fn)(void *arg, thread_id t, ns_t start, ns_t end), void *arg)
{
	const struct proc_facts *pf = x->proc == ID_NONE ? NULL : &f->procs[x->proc];
	ns_t at = x->start;

	if (x->thread != ID_NONE || !pf || !pf->n_issue) {
		fn(arg, x->thread != ID_NONE ? x->thread : pf ? pf->main : ID_NONE, x->start, x->end);
		return;
	}
	for (uint32_t i = facts_issue_index(pf, x->start); i < pf->n_issue && at < x->end; i++) {
		ns_t end = i + 1 < pf->n_issue && pf->issue[i + 1].start < x->end ? pf->issue[i + 1].start : x->end;

		if (end > at)
			fn(arg, pf->issue[i].thread, at, end);
		at = end > at ? end : at;
	}
}

struct gap_walk *gap_walk_new(const struct selection *k, const struct device_facts *d, bool compute)
{
	struct gap_walk *g = xcalloc(1, sizeof(*g));

	g->k = k;
	g->d = d;
	g->compute = compute;
	g->proc = device_proc(k, d->device);
	g->busy = compute ? &d->busy[BUSY_COMPUTE] : &d->any;
	collect_work(g);
	return g;
}

void gap_walk_free(struct gap_walk *g)
{
	if (!g)
		return;
	VEC_FREE(&g->work);
	free(g);
}

bool gap_walk_each(const struct gap_walk *g, const struct spans *window, bool (*fn)(void *arg, const struct gap *x), void *arg)
{
	struct spans holes = { 0 };
	struct gaps_place at = { 0 };
	bool ok = true;

	spans_subtract(&holes, window, g->busy);
	for (size_t i = 0; i < holes.n && ok; i++) {
		struct gap x = { .start = holes.a[i].start, .end = holes.a[i].end };

		go_to(g, &at, &x);
		find_end(g, &at, &x);
		find_issuer(g, &x);
		ok = fn(arg, &x);
	}
	spans_fini(&holes);
	return ok;
}
