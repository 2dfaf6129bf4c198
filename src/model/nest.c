/* nest.c - order and nesting of one track, see nest.h */
#include "model/nest.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static inline void own(struct nest *w, uint32_t e, ns_t until)
{
	if (until > w->now) {
		w->self[e] += until - w->now;
		w->now = until;
	}
}

/* Ends everything that ends at or before t. */
static inline void pop_until(struct nest *w, ns_t t)
{
	while (w->active.n) {
		const struct nest_active top = w->active.a[w->active.n - 1];

		if (top.end > t) {
			own(w, top.event, t);
			return;
		}
		own(w, top.event, top.end);
		w->active.n--;
	}
}

void nest_begin(struct nest *w, const ns_t *start, const ns_t *dur, ev_id first, ns_t *self, ev_id *parent)
{
	*w = (struct nest){ .start = start, .dur = dur, .self = self, .parent = parent, .first = first,
		.result = { .last = INT64_MIN } };
}

static inline void nest_event(struct nest *w, uint32_t e, ns_t start, ns_t end)
{
	w->self[e] = 0;
	pop_until(w, start);
	w->now = start;
	w->parent[e] = ID_NONE;
	if (w->active.n) {
		const struct nest_active *top = &w->active.a[w->active.n - 1];

		w->parent[e] = w->first + top->event;
		w->result.overlaps += end > top->end;
	}
	VEC_PUSH(&w->active, (struct nest_active){ end, e });
	if (w->active.n > w->result.depth_max)
		w->result.depth_max = (uint32_t)w->active.n;
	if (end > w->result.last)
		w->result.last = end;
}

/* On a copy, which can be in registers: of *w the compiler has to assume that writing to self changes it. */
void nest_until(struct nest *w, uint32_t n)
{
	struct nest v = *w;

	for (; v.n < n; v.n++)
		nest_event(&v, v.n, v.start[v.n], v.start[v.n] + v.dur[v.n]);
	*w = v;
}

struct nest_result nest_end(struct nest *w)
{
	pop_until(w, INT64_MAX);
	VEC_FREE(&w->active);
	return w->result;
}

struct nest_result nest_track(const ns_t *start, const ns_t *dur, uint32_t n, ev_id first, ns_t *self, ev_id *parent)
{
	struct nest w;

	nest_begin(&w, start, dur, first, self, parent);
	nest_until(&w, n);
	return nest_end(&w);
}

static int key_cmp(const struct sort_key *a, const struct sort_key *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->pos < b->pos ? -1 : 1;
}

static void merge(struct sort_key *k, struct sort_key *tmp, uint32_t mid, uint32_t n)
{
	uint32_t i = 0, j = mid, o = 0;

	memcpy(tmp, k, mid * sizeof(*k));
	while (i < mid && j < n)
		k[o++] = key_cmp(&tmp[i], &k[j]) <= 0 ? tmp[i++] : k[j++];
	while (i < mid)
		k[o++] = tmp[i++];
}

void sort_keys(struct sort_key *k, struct sort_key *tmp, uint32_t n)
{
	uint32_t mid = n / 2;

	if (n < 2)
		return;
	sort_keys(k, tmp, mid);
	sort_keys(k + mid, tmp, n - mid);
	if (key_cmp(&k[mid - 1], &k[mid]) > 0)
		merge(k, tmp, mid, n);
}
