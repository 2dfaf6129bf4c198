/* nest.c - order and nesting of one track, see nest.h */
#include "model/nest.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct stack {
	uint32_t *a;
	size_t n, cap;
};

struct sweep {
	const ns_t *start, *dur;
	ns_t *self;
	ns_t now;		/* everything before it has its owner */
	struct stack st;	/* active events, the latest in the order on top; ended ones below are met when uncovered */
};

static void own(struct sweep *w, uint32_t e, ns_t until)
{
	if (until > w->now) {
		w->self[e] += until - w->now;
		w->now = until;
	}
}

/* Ends everything that ends at or before t. */
static void pop_until(struct sweep *w, ns_t t)
{
	while (w->st.n) {
		uint32_t top = w->st.a[w->st.n - 1];
		ns_t end = w->start[top] + w->dur[top];

		if (end > t) {
			own(w, top, t);
			return;
		}
		own(w, top, end);
		w->st.n--;
	}
}

struct nest_result nest_track(const ns_t *start, const ns_t *dur, uint32_t n, ev_id first, ns_t *self, ev_id *parent)
{
	struct sweep w = { .start = start, .dur = dur, .self = self };
	struct nest_result r = { 0, 0 };

	for (uint32_t i = 0; i < n; i++) {
		self[i] = 0;
		pop_until(&w, start[i]);
		w.now = start[i];
		parent[i] = ID_NONE;
		if (w.st.n) {
			uint32_t top = w.st.a[w.st.n - 1];

			parent[i] = first + top;
			r.overlaps += start[i] + dur[i] > start[top] + dur[top];
		}
		VEC_PUSH(&w.st, i);
		if (w.st.n > r.depth_max)
			r.depth_max = (uint32_t)w.st.n;
	}
	pop_until(&w, INT64_MAX);
	VEC_FREE(&w.st);
	return r;
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
