/* Sets of intervals, layers of a track, lists of instants: the plain tools of the truth. */
#include "truth.h"

#include <stdlib.h>

void *gen_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory");
	return p;
}

void spans_add(struct spans *s, ns_t lo, ns_t hi)
{
	if (hi <= lo)
		return;
	s->v = gen_grow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct span){ lo, hi };
}

static int by_lo(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void spans_union(struct spans *s)
{
	size_t out = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_lo);
	for (size_t i = 0; i < s->n; i++) {
		if (out && s->v[i].lo <= s->v[out - 1].hi) {
			if (s->v[i].hi > s->v[out - 1].hi)
				s->v[out - 1].hi = s->v[i].hi;
		} else {
			s->v[out++] = s->v[i];
		}
	}
	s->n = out;
}

ns_t spans_measure(const struct spans *s)
{
	ns_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->v[i].hi - s->v[i].lo;
	return sum;
}

/* First span that ends after t. */
static size_t first_after(const struct spans *s, ns_t t)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->v[mid].hi <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

ns_t spans_common(const struct spans *s, ns_t lo, ns_t hi)
{
	ns_t sum = 0;

	for (size_t i = first_after(s, lo); i < s->n && s->v[i].lo < hi; i++) {
		ns_t a = s->v[i].lo > lo ? s->v[i].lo : lo, b = s->v[i].hi < hi ? s->v[i].hi : hi;

		if (b > a)
			sum += b - a;
	}
	return sum;
}

bool spans_contain(const struct spans *s, ns_t t)
{
	size_t i = first_after(s, t);

	return i < s->n && s->v[i].lo <= t;
}

void spans_free(struct spans *s)
{
	free(s->v);
	*s = (struct spans){ 0 };
}

void layer_add(struct layer *l, ns_t start, ns_t end_ns, size_t order, size_t index)
{
	l->v = gen_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct item){ start, end_ns, order, index };
}

static int by_track_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void layer_sort(struct layer *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_track_order);
	l->max_end = gen_alloc(l->n, sizeof(*l->max_end));
	for (size_t i = 0; i < l->n; i++)
		l->max_end[i] =
			i && l->max_end[i - 1] > l->v[i].end ? l->max_end[i - 1] : l->v[i].end;
}

ptrdiff_t layer_outer(const struct layer *l, ns_t t, ptrdiff_t below)
{
	while (below-- > 0 && l->max_end[below] > t)
		if (l->v[below].start <= t && t < l->v[below].end)
			return below;
	return -1;
}

ptrdiff_t layer_owner(const struct layer *l, ns_t t)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (l->v[mid].start <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return layer_outer(l, t, (ptrdiff_t)lo);
}

void layer_free(struct layer *l)
{
	free(l->v);
	free(l->max_end);
	*l = (struct layer){ 0 };
}

void cuts_add(struct cuts *c, ns_t t)
{
	c->v = gen_grow(c->v, c->n, &c->cap, sizeof(*c->v));
	c->v[c->n++] = t;
}

static int by_time(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void cuts_sort(struct cuts *c)
{
	size_t out = 0;

	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_time);
	for (size_t i = 0; i < c->n; i++)
		if (!out || c->v[i] != c->v[out - 1])
			c->v[out++] = c->v[i];
	c->n = out;
}

void cuts_free(struct cuts *c)
{
	free(c->v);
	*c = (struct cuts){ 0 };
}
