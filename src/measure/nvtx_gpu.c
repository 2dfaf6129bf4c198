/* nvtx_gpu.c - NVTX ranges and the GPU work launched inside them, see nvtx_gpu.h */
#include "measure/nvtx_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "scope/columns.h"

uint64_t nv_domain(struct names *domains, const struct track *tr)
{
	uint64_t domain = tr->domain == ID_NONE ? ID_NONE : names_id(domains, tr->domain);

	return domain << 1 | (tr->layer == LAYER_NVTX_SE);
}

void nv_put_kind(struct table *t, uint32_t row, uint32_t col, const struct selection *k, const struct track *tr)
{
	an_str(t, row, col, k, tr->domain);
	table_cstr(t, row, col + 1, tr->layer == LAYER_NVTX_SE ? "StartEnd" : "PushPop");
}

/* ---- work in scope ---- */

static void note_work(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct nvtx_work *w = arg;

	w->track[e - w->first] = (uint32_t)(tr - k->p->tracks) + 1;
}

bool nvtx_work_init(struct nvtx_work *w, const struct selection *k, struct err *e)
{
	w->k = k;
	w->first = k->p->layer_first[LAYER_WORK];
	w->end = k->p->layer_first[LAYER_WORK_LAST + 1];
	w->track = xcalloc(w->end - w->first, sizeof(*w->track));
	return picks_work(k, note_work, w, e);
}

void nvtx_work_fini(struct nvtx_work *w)
{
	free(w->track);
	w->track = NULL;
}

/* ---- ranges ---- */

static int range_cmp(const void *pa, const void *pb)
{
	const struct nvtx_range *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->e > b->e) - (a->e < b->e);
}

static void collect_ranges(struct nvtx_thread *t, const struct profile *p, enum layer last)
{
	t->ranges.n = 0;
	for (unsigned l = LAYER_NVTX; l <= last; l++) {
		uint32_t n;
		track_id first = profile_host_tracks(p, (enum layer)l, t->thread, &n);

		for (track_id i = first; i < first + n; i++)
			for (ev_id e = p->tracks[i].first; e < p->tracks[i].first + p->tracks[i].count; e++)
				VEC_PUSH(&t->ranges, (struct nvtx_range){ p->start[e], ev_end(p, e), e, i, ID_NONE, 0, 0 });
	}
	if (t->ranges.n)
		qsort(t->ranges.a, t->ranges.n, sizeof(*t->ranges.a), range_cmp);
}

/* Ranges that are open at an instant that only moves forward. */
struct open_ranges {
	const struct nvtx_thread *t;
	VEC(uint32_t) a;
};

/* The shortest open range that contains [start, end], ends included; of equal ones the last in the order. Drops what ended before. */
static uint32_t shortest_around(struct open_ranges *o, ns_t start, ns_t end)
{
	uint32_t best = ID_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < o->a.n; i++) {
		const struct nvtx_range *r = &o->t->ranges.a[o->a.a[i]];

		if (r->end < start)
			continue;
		o->a.a[kept++] = o->a.a[i];
		if (r->end < end)
			continue;
		if (best == ID_NONE || r->end - r->start <= o->t->ranges.a[best].end - o->t->ranges.a[best].start)
			best = o->a.a[i];
	}
	o->a.n = kept;
	return best;
}

/* The first call that starts in the range or later. */
static size_t first_call(const struct nvtx_thread *t, const struct nvtx_range *r)
{
	size_t i;

	LOWER_BOUND(i, 0, t->calls.n, t->calls.a[i].start < r->start);
	return i;
}

static bool range_works(const struct nvtx_thread *t, const struct nvtx_range *r)
{
	for (size_t i = first_call(t, r); i < t->calls.n && t->calls.a[i].start <= r->end; i++)
		if (t->calls.a[i].end <= r->end)
			return true;
	return false;
}

static void nest_ranges(struct nvtx_thread *t)
{
	struct open_ranges open = { .t = t };

	for (uint32_t i = 0; i < t->ranges.n; i++) {
		struct nvtx_range *r = &t->ranges.a[i];

		r->parent = shortest_around(&open, r->start, r->end);
		if (r->parent != ID_NONE) {
			r->level = t->ranges.a[r->parent].level + 1;
			t->ranges.a[r->parent].children += range_works(t, r);
		}
		VEC_PUSH(&open.a, i);
	}
	VEC_FREE(&open.a);
}

/* ---- calls ---- */

static bool has_work(const struct nvtx_work *w, ev_id call)
{
	uint32_t first, n = profile_launched_by(w->k->p, call, &first);

	for (uint32_t i = first; i < first + n; i++)
		if (nvtx_work_track(w, w->k->p->by_launch[i]))
			return true;
	return false;
}

static void collect_calls(struct nvtx_thread *t, const struct nvtx_work *w)
{
	const struct profile *p = w->k->p;
	track_id i = profile_host_track(p, LAYER_RUNTIME, t->thread);
	const struct track *tr = i == ID_NONE ? NULL : &p->tracks[i];

	t->calls.n = 0;
	for (ev_id e = tr ? tr->first : 0; tr && e < tr->first + tr->count; e++)
		if (has_work(w, e))
			VEC_PUSH(&t->calls, (struct nvtx_call){ p->start[e], ev_end(p, e), e, ID_NONE });
}

static void place_calls(struct nvtx_thread *t)
{
	struct open_ranges open = { .t = t };
	uint32_t next = 0;

	for (size_t i = 0; i < t->calls.n; i++) {
		struct nvtx_call *c = &t->calls.a[i];

		while (next < t->ranges.n && t->ranges.a[next].start <= c->start)
			VEC_PUSH(&open.a, next++);
		c->inner = shortest_around(&open, c->start, c->end);
	}
	VEC_FREE(&open.a);
}

void nvtx_push_pop(struct nvtx_thread *t, const struct profile *p)
{
	collect_ranges(t, p, LAYER_NVTX);
	t->calls.n = 0;
	nest_ranges(t);
}

bool nvtx_each_thread(const struct nvtx_work *w, nvtx_thread_fn fn, void *arg, struct err *e)
{
	struct nvtx_thread t = { 0 };
	bool ok = true;

	for (t.thread = 0; t.thread < w->k->p->n_threads && ok; t.thread++) {
		if (!selects_thread(w->k, t.thread))
			continue;
		collect_ranges(&t, w->k->p, LAYER_NVTX_SE);
		collect_calls(&t, w);
		nest_ranges(&t);
		place_calls(&t);
		if (t.ranges.n || t.calls.n)
			fn(arg, w, &t);
		ok = !an_cancelled(w->k->cx, e);
	}
	VEC_FREE(&t.ranges);
	VEC_FREE(&t.calls);
	return ok;
}

void nvtx_each_call(const struct nvtx_thread *t, uint32_t i, nvtx_call_fn fn, void *arg)
{
	const struct nvtx_range *r = &t->ranges.a[i];

	for (size_t c = first_call(t, r); c < t->calls.n && t->calls.a[c].start <= r->end; c++)
		if (t->calls.a[c].end <= r->end)
			fn(arg, &t->calls.a[c]);
}
