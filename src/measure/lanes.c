/* lanes.c - rows of events for drawing, see lanes.h */
#include "measure/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/par.h"
#include "base/search.h"
#include "base/sorted.h"
#include "base/vec.h"

enum { FAN = 16, SHIFT = 4, CHUNK = 1 << 16 };

struct making {
	struct lanes *x;
	const struct facts *f;
	uint32_t *at;			/* per track: its first position, and one more */
	VEC(struct lane_row) *rows;	/* per track */
};

static bool drawn(enum layer l)
{
	return l == LAYER_OP || l == LAYER_ANNOT || l == LAYER_PYTHON || l == LAYER_RUNTIME || l == LAYER_NVTX || l == LAYER_KERNEL ||
		l == LAYER_MEMCPY || l == LAYER_MEMSET;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

static enum lane_part part_of(const struct facts *f, enum layer l, ev_id e)
{
	static const uint8_t by_kind[COPY_KIND_N] = {
		[COPY_HTOD] = LANE_PART_HTOD, [COPY_HTOA] = LANE_PART_HTOD, [COPY_UVM_HTOD] = LANE_PART_HTOD,
		[COPY_DTOH] = LANE_PART_DTOH, [COPY_ATOH] = LANE_PART_DTOH, [COPY_UVM_DTOH] = LANE_PART_DTOH,
	};

	if (l == LAYER_KERNEL)
		return facts_kclass(f, e)->class == KCLASS_COMMUNICATION ? LANE_PART_COMM : LANE_PART_ALL;
	if (l != LAYER_MEMCPY || f->p->aux[e] >= f->p->n_copies)
		return LANE_PART_ALL;
	return (enum lane_part)by_kind[f->p->copies[f->p->aux[e]].kind % COPY_KIND_N];
}

/* The first row of the part in which nothing is active any more. */
static uint16_t first_free(ns_t ends[LANE_LEVELS], uint16_t *used, ns_t start, ns_t end)
{
	uint16_t i = 0;

	while (i < *used && i + 1 < LANE_LEVELS && ends[i] > start)
		i++;
	if (i == *used)
		ends[(*used)++] = INT64_MIN;
	if (ends[i] < end)
		ends[i] = end;
	return i;
}

/* slot[i] = part * LANE_LEVELS + level of the i-th event. */
static void place(const struct facts *f, const struct track *tr, uint16_t *slot)
{
	const struct profile *p = f->p;
	ns_t (*ends)[LANE_LEVELS];
	uint16_t used[LANE_PARTS] = { 0 };

	ends = xmalloc(LANE_PARTS * sizeof(*ends));
	for (uint32_t i = 0; i < tr->count; i++) {
		ev_id e = tr->first + i;
		enum lane_part part = part_of(f, tr->layer, e);

		slot[i] = (uint16_t)(part * LANE_LEVELS + first_free(ends[part], &used[part], p->start[e], ev_end(p, e)));
	}
	free(ends);
}

static void make_track(void *arg, size_t t)
{
	struct making *m = arg;
	const struct track *tr = &m->f->p->tracks[t];
	uint32_t next[LANE_PARTS * LANE_LEVELS] = { 0 }, at = m->at[t];
	uint16_t *slot;

	if (m->at[t + 1] == at)
		return;
	slot = xreallocarray(NULL, tr->count, sizeof(*slot));
	place(m->f, tr, slot);
	for (uint32_t i = 0; i < tr->count; i++)
		next[slot[i]]++;
	for (uint32_t s = 0; s < LANE_PARTS * LANE_LEVELS; s++) {
		uint32_t n = next[s];

		if (n)
			VEC_PUSH(&m->rows[t], (struct lane_row){ (track_id)t, (uint8_t)(s / LANE_LEVELS), (uint16_t)(s % LANE_LEVELS), at, n });
		next[s] = at;
		at += n;
	}
	for (uint32_t i = 0; i < tr->count; i++)
		m->x->ev[next[slot[i]]++] = tr->first + i;
	free(slot);
}

static void join_rows(struct making *m)
{
	const struct profile *p = m->f->p;
	VEC(struct lane_row) all = { 0 };

	m->x->first_row = xcalloc((size_t)p->n_tracks + 1, sizeof(*m->x->first_row));
	for (track_id t = 0; t < p->n_tracks; t++) {
		m->x->first_row[t] = (uint32_t)all.n;
		for (size_t i = 0; i < m->rows[t].n; i++)
			VEC_PUSH(&all, m->rows[t].a[i]);
		VEC_FREE(&m->rows[t]);
	}
	m->x->first_row[p->n_tracks] = (uint32_t)all.n;
	m->x->rows = all.a;
	m->x->n_rows = (uint32_t)all.n;
}

/* ---- what is above the events -------------------------------------------------------------------------------------- */

static uint32_t count_at(const struct lanes *x, unsigned level)
{
	return (uint32_t)(((uint64_t)x->n + (UINT64_C(1) << SHIFT * level) - 1) >> SHIFT * level);
}

static bool longer(const struct lanes *x, struct lane_top a, struct lane_top b)
{
	if (a.dur != b.dur || a.dur != UINT32_MAX)
		return a.dur > b.dur;
	return x->p->dur[x->ev[a.pos]] > x->p->dur[x->ev[b.pos]];
}

static struct lane_top top_at(const struct lanes *x, unsigned level, uint32_t i)
{
	return level ? x->top[level - 1][i] : (struct lane_top){ x->dur[i], i };
}

/* One entry of a level out of those below it. */
static void raise(struct lanes *x, unsigned level, uint32_t i)
{
	uint32_t a = i << SHIFT, n = count_at(x, level), b = n - a > FAN ? a + FAN : n;
	struct lane_top best = top_at(x, level, a);

	for (uint32_t k = a + 1; k < b; k++)
		if (longer(x, top_at(x, level, k), best))
			best = top_at(x, level, k);
	x->top[level][i] = best;
}

static void make_chunk(void *arg, size_t c)
{
	struct lanes *x = arg;
	uint32_t a = (uint32_t)c * CHUNK, b = x->n - a > CHUNK ? a + CHUNK : x->n;

	for (uint32_t i = a; i < b; i++) {
		ns_t d = x->p->dur[x->ev[i]];

		x->dur[i] = d < UINT32_MAX ? (uint32_t)d : UINT32_MAX;
		if (i % FAN == 0)
			x->sample[i / FAN] = x->p->start[x->ev[i]];
	}
	for (unsigned level = 0; level < 4; level++)
		for (uint32_t i = a >> SHIFT * (level + 1); i < (b + (1u << SHIFT * (level + 1)) - 1) >> SHIFT * (level + 1); i++)
			raise(x, level, i);
}

static void make_above(struct lanes *x, unsigned workers)
{
	x->sample = xreallocarray(NULL, x->n / FAN + 1, sizeof(*x->sample));
	x->dur = xreallocarray(NULL, x->n, sizeof(*x->dur));
	for (unsigned level = 0; level < 7; level++)
		x->top[level] = xcalloc((size_t)count_at(x, level + 1) + 1, sizeof(**x->top));
	par_each(workers, ((size_t)x->n + CHUNK - 1) / CHUNK, make_chunk, x);
	for (unsigned level = 4; level < 7; level++)
		for (uint32_t i = 0; i < count_at(x, level + 1); i++)
			raise(x, level, i);
}

static ns_t length_at(const struct lanes *x, uint32_t i)
{
	return x->dur[i] != UINT32_MAX ? x->dur[i] : x->p->dur[x->ev[i]];
}

static void sum_lengths(struct lanes *x)
{
	ns_t sum = 0;

	x->filled = xreallocarray(NULL, x->n / FAN + 1, sizeof(*x->filled));
	for (uint32_t i = 0; i < x->n; i++) {
		if (i % FAN == 0)
			x->filled[i / FAN] = sum;
		sum += length_at(x, i);
	}
	if (x->n % FAN == 0)
		x->filled[x->n / FAN] = sum;
}

static void find_unlinked(struct lanes *x)
{
	VEC(ns_t) v = { 0 };

	for (ev_id e = x->p->layer_first[LAYER_WORK]; e < x->p->layer_first[LAYER_WORK_LAST + 1]; e++)
		if (x->p->link[e] == ID_NONE)
			VEC_PUSH(&v, x->p->start[e]);
	i64_sort(v.a, v.n);
	x->unlinked = v.a;
	x->n_unlinked = (uint32_t)v.n;
}

static void sample_events(struct lanes *x)
{
	x->start_sample = xreallocarray(NULL, x->p->n / FAN + 1, sizeof(*x->start_sample));
	for (ev_id e = 0; e < x->p->n; e += FAN)
		x->start_sample[e / FAN] = x->p->start[e];
}

/* by_launch is in the order of the calls. */
static void count_launches(struct lanes *x)
{
	const struct profile *p = x->p;
	ev_id first = p->layer_first[LAYER_RUNTIME], end = p->layer_first[LAYER_RUNTIME + 1];
	uint32_t k = 0;

	x->launched = xreallocarray(NULL, (end - first) / FAN + 1, sizeof(*x->launched));
	for (ev_id c = first; c <= end; c += FAN) {
		while (k < p->n_by_launch && p->link[p->by_launch[k]] < c)
			k++;
		x->launched[(c - first) / FAN] = k;
	}
}

static uint32_t launched_before(const struct lanes *x, ev_id call, unsigned *work)
{
	const struct profile *p = x->p;
	uint32_t k = x->launched[(call - p->layer_first[LAYER_RUNTIME]) / FAN];

	for (; k < p->n_by_launch && p->link[p->by_launch[k]] < call; k++)
		++*work;
	return k;
}

uint32_t lanes_launched_before(const struct lanes *x, const struct track *tr, ev_id call, unsigned *work)
{
	return launched_before(x, call, work) - launched_before(x, tr->first, work);
}

uint32_t lanes_unlinked_before(const struct lanes *x, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, 0, x->n_unlinked, x->unlinked[i] < t);
	return i;
}

struct lanes *lanes_new(const struct facts *f, unsigned workers)
{
	const struct profile *p = f->p;
	struct lanes *x = xcalloc(1, sizeof(*x));
	struct making m = { .x = x, .f = f };

	x->p = p;
	m.at = xcalloc((size_t)p->n_tracks + 1, sizeof(*m.at));
	m.rows = xcalloc(p->n_tracks, sizeof(*m.rows));
	for (track_id t = 0; t < p->n_tracks; t++)
		m.at[t + 1] = m.at[t] + (drawn((enum layer)p->tracks[t].layer) ? p->tracks[t].count : 0);
	x->n = m.at[p->n_tracks];
	x->ev = xreallocarray(NULL, x->n, sizeof(*x->ev));
	par_each(workers, p->n_tracks, make_track, &m);
	join_rows(&m);
	make_above(x, workers);
	sum_lengths(x);
	find_unlinked(x);
	sample_events(x);
	count_launches(x);
	free(m.at);
	free(m.rows);
	return x;
}

void lanes_free(struct lanes *x)
{
	if (!x)
		return;
	for (unsigned level = 0; level < 7; level++)
		free(x->top[level]);
	free(x->launched);
	free(x->start_sample);
	free(x->dur);
	free(x->unlinked);
	free(x->sample);
	free(x->filled);
	free(x->ev);
	free(x->rows);
	free(x->first_row);
	free(x);
}

const struct lanes *facts_lanes(const struct facts *f)
{
	return lazy_peek(&f->extra[FACTS_LANES]);
}

static void *make_lanes(const void *facts)
{
	return lanes_new(facts, par_workers(0));
}

static void drop_lanes(void *x)
{
	lanes_free(x);
}

void facts_make_lanes(const struct facts *f)
{
	lazy_make(&f->extra[FACTS_LANES], make_lanes, f, drop_lanes);
}

/* ---- asking -------------------------------------------------------------------------------------------------------- */

/* Where in [lo, hi) the first start at or behind t can be, told by the samples of every FAN-th place. */
static void narrow(const ns_t *sample, ns_t t, uint32_t *lo, uint32_t *hi)
{
	uint32_t i;

	LOWER_BOUND(i, *lo / FAN + (*lo % FAN != 0), *hi / FAN + (*hi % FAN != 0), sample[i] < t);
	/* samples before i are below t, that of i is not */
	if (i && (i - 1) * FAN > *lo)
		*lo = (i - 1) * FAN;
	if ((uint64_t)i * FAN < *hi)
		*hi = i * FAN > *lo ? i * FAN : *lo;
}

uint32_t lanes_lower_bound(const struct lanes *x, const struct lane_row *r, uint32_t from, ns_t t, unsigned *work)
{
	uint32_t lo = from, hi = r->first + r->count, i;

	++*work;
	narrow(x->sample, t, &lo, &hi);
	LOWER_BOUND(i, lo, hi, x->p->start[x->ev[i]] < t);
	return i;
}

ev_id lanes_track_lower_bound(const struct lanes *x, const struct track *tr, ns_t t, unsigned *work)
{
	uint32_t lo = tr->first, hi = tr->first + tr->count, i;

	++*work;
	narrow(x->start_sample, t, &lo, &hi);
	LOWER_BOUND(i, lo, hi, x->p->start[i] < t);
	return i;
}

uint32_t lanes_longest(const struct lanes *x, uint32_t a, uint32_t b, unsigned *work)
{
	struct lane_top best = top_at(x, 0, a);

	while (a < b) {
		unsigned level = 0;
		struct lane_top t;

		/* the widest block that begins at a and ends within b */
		while (level < 7 && !(a & ((UINT32_C(1) << SHIFT * (level + 1)) - 1)) && b - a >= UINT32_C(1) << SHIFT * (level + 1))
			level++;
		t = top_at(x, level, a >> SHIFT * level);
		if (longer(x, t, best))
			best = t;
		a += UINT32_C(1) << SHIFT * level;
		++*work;
	}
	return best.pos;
}

static ns_t filled_before(const struct lanes *x, uint32_t pos, unsigned *work)
{
	ns_t sum = x->filled[pos / FAN];

	for (uint32_t i = pos / FAN * FAN; i < pos; i++)
		sum += length_at(x, i);
	++*work;
	return sum;
}

ns_t lanes_filled(const struct lanes *x, const struct lane_row *r, uint32_t lo, uint32_t hi, ns_t c0, ns_t c1, unsigned *work)
{
	ns_t sum = hi > lo ? filled_before(x, hi, work) - filled_before(x, lo, work) : 0, end;

	if (hi > lo && (end = ev_end(x->p, x->ev[hi - 1])) > c1)
		sum -= end - c1;
	if (lo > r->first && (end = ev_end(x->p, x->ev[lo - 1])) > c0)
		sum += (end < c1 ? end : c1) - c0;
	return sum < c1 - c0 ? sum : c1 - c0;
}

uint32_t lanes_find(const struct lanes *x, track_id t, ev_id e, uint32_t *pos)
{
	unsigned work = 0;

	for (uint32_t i = x->first_row[t]; i < x->first_row[t + 1]; i++) {
		const struct lane_row *r = &x->rows[i];

		/* ids rise within a row as starts do */
		LOWER_BOUND(*pos, r->first, r->first + r->count, (work++, x->ev[*pos] < e));
		if (*pos < r->first + r->count && x->ev[*pos] == e)
			return i;
	}
	return ID_NONE;
}
