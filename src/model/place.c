/* place.c - tracks in order, their events in columns: see place.h */
#include "model/place.h"

#include "base/pages.h"
#include "base/par.h"
#include "model/link.h"
#include "model/nest.h"
#include "model/order.h"

/* Tracks by layer, then host threads in order of pid and tid, streams by device, context, stream. */
static int track_cmp(const void *pa, const void *pb)
{
	const struct raw_track *const *ra = pa, *const *rb = pb;
	const struct track *a = &(*ra)->key, *b = &(*rb)->key;
	const int64_t x[] = { a->layer, a->pid, a->device, a->context, a->stream, a->thread, a->domain, (int64_t)a->link_group };
	const int64_t y[] = { b->layer, b->pid, b->device, b->context, b->stream, b->thread, b->domain, (int64_t)b->link_group };

	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return *ra < *rb ? -1 : 1;
}

/* What the threads that place tracks share. */
struct placing {
	struct profile *p;
	struct linker *ln;
	struct raw_track **order;	/* in track order */
	const track_id *by_size;	/* the long ones first: they are what one waits for */
	ns_t *last;			/* the last end of each track */
	bool consume;
};

#define AHEAD 64		/* events; the processor by itself looks no further than to the end of a page */

static void copy_events(struct profile *p, ev_id first, const struct raw_event *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		__builtin_prefetch((const void *)((uintptr_t)&e[i] + AHEAD * sizeof(*e)));
		p->start[first + i] = e[i].start;
		p->dur[first + i] = e[i].dur;
		p->name[first + i] = e[i].name;
		p->aux[first + i] = e[i].aux;
	}
}

/* Recycles the pages of raw events already copied into columns as pages of the columns still to be filled. */
struct giving {
	char *from, *end;	/* pages that nobody needs any more */
	size_t page;		/* 0: none are given */
	ev_id step;		/* events that are placed before pages are given again */
	ev_id most;
};

#define STEP_FIRST 8192
#define STEP_MOST 32768
#define STEPS 1024		/* each piece that is moved is a mapping, of which there may be 65,530 */

static struct giving giving_begin(const struct placing *pl, const struct raw_track *r)
{
	const struct profile *p = pl->p;
	ev_id least = p->n / STEPS;
	struct giving g = { .from = (char *)r->ev.a, .step = least < STEP_FIRST ? STEP_FIRST : least,
		.most = least < STEP_MOST ? STEP_MOST : least };

	g.end = g.from;
	if (pl->consume && pages_movable(p->n * sizeof(*p->aux)))
		g.page = pages_movable(r->ev.cap * sizeof(*r->ev.a));
	return g;
}

/* To a column with elements of `size` bytes, for its events from `at` on before `next`; other tracks' begin at `end`. */
static void give_column(struct giving *g, void *column, size_t size, ev_id at, ev_id next, ev_id end)
{
	uintptr_t col = (uintptr_t)column, up = g->page - 1;
	uintptr_t to = (col + at * size + up) & ~up, until = (col + next * size + up) & ~up, bound = (col + end * size) & ~up;

	if (until > bound)
		until = bound;
	if (until <= to || until - to > (size_t)(g->end - g->from))
		return;
	if (pages_move((void *)to, g->from, until - to))
		g->from += until - to;
	else
		g->end = g->from;
}

/* Before the events from `at` on before `next` are placed; those in front of them have been. */
static void give_pages(struct giving *g, const struct placing *pl, const struct raw_track *r, const struct track *tr, ev_id at, ev_id next)
{
	struct profile *p = pl->p;
	ev_id end = tr->first + tr->count;
	size_t done = (at - tr->first) * sizeof(*r->ev.a);

	g->end = (char *)r->ev.a + done / g->page * g->page;
	give_column(g, p->start, sizeof(*p->start), at, next, end);
	give_column(g, p->dur, sizeof(*p->dur), at, next, end);
	give_column(g, p->self, sizeof(*p->self), at, next, end);
	give_column(g, p->name, sizeof(*p->name), at, next, end);
	give_column(g, p->parent, sizeof(*p->parent), at, next, end);
	give_column(g, p->link, sizeof(*p->link), at, next, end);
	give_column(g, p->aux, sizeof(*p->aux), at, next, end);
}

#define AT_ONCE 512	/* events and their columns are in the first cache while they are worked on */

/* The events [from, to) of a track. */
static void place_events(const struct placing *pl, const struct raw_track *r, const struct track *tr, uint32_t from, uint32_t to,
	struct nest *nest)
{
	for (uint32_t n; from < to; from += n) {
		n = to - from < AT_ONCE ? to - from : AT_ONCE;
		copy_events(pl->p, tr->first + from, r->ev.a + from, n);
		linker_take(pl->ln, pl->p, tr, tr->first + from, r->ev.a + from, n);
		nest_until(nest, from + n);
	}
}

/* Puts one track into the columns, tells the linker, and nests it. */
static void place_track(void *arg, size_t piece)
{
	const struct placing *pl = arg;
	struct profile *p = pl->p;
	track_id t = pl->by_size[piece];
	struct raw_track *r = pl->order[t];
	struct track *tr = &p->tracks[t];
	struct giving g = giving_begin(pl, r);
	struct nest_result nr;
	struct nest nest;

	raw_order(r);
	nest_begin(&nest, p->start + tr->first, p->dur + tr->first, tr->first, p->self + tr->first, p->parent + tr->first);
	for (uint32_t i = 0, n; i < tr->count; i += n) {
		n = tr->count - i < g.step ? tr->count - i : g.step;
		if (i && g.page) {
			give_pages(&g, pl, r, tr, tr->first + i, tr->first + i + n);
			g.step = 2 * g.step < g.most ? 2 * g.step : g.most;
		}
		place_events(pl, r, tr, i, i + n, &nest);
	}
	if (pl->consume) {
		pages_free_rest(r->ev.a, r->ev.cap * sizeof(*r->ev.a), (size_t)(g.from - (char *)r->ev.a));
		r->ev.a = NULL;
		r->ev.n = r->ev.cap = 0;
	}
	nr = nest_end(&nest);
	tr->overlaps = nr.overlaps;
	tr->depth_max = nr.depth_max;
	pl->last[t] = nr.last;
}

static void alloc_columns(struct profile *p)
{
	p->start = pages_new(p->n * sizeof(*p->start));
	p->dur = pages_new(p->n * sizeof(*p->dur));
	p->self = pages_new(p->n * sizeof(*p->self));
	p->name = pages_new(p->n * sizeof(*p->name));
	p->parent = pages_new(p->n * sizeof(*p->parent));
	p->link = pages_new(p->n * sizeof(*p->link));
	p->aux = pages_new(p->n * sizeof(*p->aux));
}

static void time_range(struct profile *p, const ns_t *last)
{
	p->first_ns = INT64_MAX;
	p->last_ns = INT64_MIN;
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];

		if (!layer_counts_for_range(tr->layer) || !tr->count)
			continue;
		if (p->start[tr->first] < p->first_ns)
			p->first_ns = p->start[tr->first];
		if (last[t] > p->last_ns)
			p->last_ns = last[t];
	}
}

/* Where each track begins, and each layer. */
static void lay_out(struct profile *p, struct raw_track **order)
{
	ev_id first = 0;
	track_id t = 0;

	for (unsigned l = 0; l < LAYER_N; l++) {
		p->layer_track[l] = t;
		p->layer_first[l] = first;
		for (; t < p->n_tracks && order[t]->key.layer == l; t++) {
			p->tracks[t] = order[t]->key;
			p->tracks[t].first = first;
			p->tracks[t].count = (uint32_t)order[t]->ev.n;
			first += p->tracks[t].count;
		}
		p->layer_track[l + 1] = t;
		p->layer_first[l + 1] = first;
	}
}

struct sized {
	uint32_t count;
	track_id track;
};

static int sized_cmp(const void *pa, const void *pb)
{
	const struct sized *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->track < b->track ? -1 : 1;
}

static track_id *tracks_by_size(const struct profile *p)
{
	struct sized *s = xreallocarray(NULL, p->n_tracks, sizeof(*s));
	track_id *t = xreallocarray(NULL, p->n_tracks, sizeof(*t));

	for (track_id i = 0; i < p->n_tracks; i++)
		s[i] = (struct sized){ p->tracks[i].count, i };
	if (p->n_tracks)
		qsort(s, p->n_tracks, sizeof(*s), sized_cmp);
	for (track_id i = 0; i < p->n_tracks; i++)
		t[i] = s[i].track;
	free(s);
	return t;
}

/* Whether calls name the op that they are of otherwise than by their correlation id. */
static bool calls_name_ops(const struct builder *b)
{
	for (size_t i = 0; i < b->tracks.n; i++)
		if (b->tracks.a[i].key.layer == LAYER_RUNTIME && b->tracks.a[i].own_ext)
			return true;
	return false;
}

#define PARALLEL_FROM 20000	/* fewer events are sorted before a thread has begun */

void place_tracks(struct profile *p, struct builder *b, bool consume)
{
	struct raw_track **order = xreallocarray(NULL, b->tracks.n, sizeof(*order));
	unsigned workers = p->n < PARALLEL_FROM ? 1 : par_workers(b->workers);
	struct placing pl = { .p = p, .order = order, .consume = consume };
	track_id *by_size;

	for (size_t i = 0; i < b->tracks.n; i++)
		order[i] = &b->tracks.a[i];
	if (b->tracks.n)
		qsort(order, b->tracks.n, sizeof(*order), track_cmp);
	p->tracks = xcalloc(p->n_tracks, sizeof(*p->tracks));
	lay_out(p, order);
	alloc_columns(p);
	by_size = tracks_by_size(p);
	pl.by_size = by_size;
	pl.last = xreallocarray(NULL, p->n_tracks, sizeof(*pl.last));
	pl.ln = linker_new(p, calls_name_ops(b));
	par_each(workers, p->n_tracks, place_track, &pl);
	linker_finish(pl.ln, p, b->event_waits.a, b->event_waits.n, workers);
	time_range(p, pl.last);
	free(pl.last);
	free(by_size);
	free(order);
}
