/* owners.c - who owns which instant, see owners.h */
#include "calc/owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/runs.h"
#include "base/search.h"
#include "base/vec.h"

struct open {
	ns_t end;
	uint32_t owner;
};

struct owners_pass {
	struct owner_list *out;
	VEC(struct open) st;
	ns_t now;
};

static void emit(struct owners_pass *p, ns_t until, uint32_t owner)
{
	struct owner_list *o = p->out;

	if (until <= p->now)
		return;
	if (o->n && o->a[o->n - 1].owner == owner && o->a[o->n - 1].end == p->now)
		o->a[o->n - 1].end = until;
	else
		VEC_PUSH(o, (struct owner_span){ p->now, until, owner });
	p->now = until;
}

static void pop_until(struct owners_pass *p, ns_t t)
{
	while (p->st.n) {
		struct open top = p->st.a[p->st.n - 1];

		if (top.end > t) {
			emit(p, t, top.owner);
			return;
		}
		emit(p, top.end, top.owner);
		p->st.n--;
	}
}

static void begin(struct owners_pass *p, ns_t start, ns_t end, uint32_t owner)
{
	pop_until(p, start);
	p->now = start;
	if (end > start)
		VEC_PUSH(&p->st, (struct open){ end, owner });
}

static void finish(struct owners_pass *p)
{
	pop_until(p, INT64_MAX);
	VEC_FREE(&p->st);
}

void owner_list_of_track(struct owner_list *out, const ns_t *start, const ns_t *dur, uint32_t n, uint32_t base)
{
	struct owners_pass p = { .out = out };

	for (uint32_t i = 0; i < n; i++)
		begin(&p, start[i], start[i] + dur[i], base + i);
	finish(&p);
}

uint32_t owner_lower_bound(const struct owner_columns *c, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, c->first, c->end, c->start[i] < t);
	return i;
}

static ns_t cut_end(const struct owner_columns *c, uint32_t i, ns_t to)
{
	ns_t end = c->start[i] + c->dur[i];

	return end < to ? end : to;
}

void owner_list_of_window(struct owner_list *out, const struct owner_columns *c, ns_t from, ns_t to)
{
	struct owners_pass p = { .out = out, .now = from };
	uint32_t lo = owner_lower_bound(c, from), hi = lo;
	VEC(uint32_t) open = { 0 };

	for (uint32_t up = lo > c->first ? lo - 1 : ID_NONE; up != ID_NONE; up = c->parent[up])
		if (c->start[up] + c->dur[up] > from)
			VEC_PUSH(&open, up);
	while (open.n) {
		uint32_t i = open.a[--open.n];

		begin(&p, from, cut_end(c, i, to), i);
	}
	for (; hi < c->end && c->start[hi] < to; hi++)
		begin(&p, c->start[hi], cut_end(c, hi, to), hi);
	finish(&p);
	VEC_FREE(&open);
}

int owner_event_cmp(const void *pa, const void *pb)
{
	const struct owner_event *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->owner > b->owner) - (a->owner < b->owner);
}

RUNS_SORT(sort_events, struct owner_event, owner_event_cmp)

void owner_list_of_events(struct owner_list *out, struct owner_event *ev, size_t n)
{
	struct owners_pass p = { .out = out };

	sort_events(ev, n);
	for (size_t i = 0; i < n; i++)
		begin(&p, ev[i].start, ev[i].end, ev[i].owner);
	finish(&p);
}

void owner_list_clip(const struct owner_list *s, const struct spans *window, void (*fn)(void *arg, const struct owner_span *piece), void *arg)
{
	size_t w = s->n ? spans_seek(window, s->a[0].start) : 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct owner_span *x = &s->a[i];

		while (w < window->n && window->a[w].end <= x->start)
			w++;
		for (size_t k = w; k < window->n && window->a[k].start < x->end; k++) {
			struct owner_span piece = *x;

			if (window->a[k].start > piece.start)
				piece.start = window->a[k].start;
			if (window->a[k].end < piece.end)
				piece.end = window->a[k].end;
			fn(arg, &piece);
		}
	}
}

/* The first segment that ends after t. */
static size_t seek(const struct owner_list *s, ns_t t)
{
	size_t i;

	LOWER_BOUND(i, 0, s->n, s->a[i].end <= t);
	return i;
}

void owner_list_cross(const struct owner_list *a, const struct owner_list *b, void (*fn)(void *arg, ns_t start, ns_t end, uint32_t oa, uint32_t ob),
	void *arg)
{
	size_t j = a->n ? seek(b, a->a[0].start) : 0;

	for (size_t i = 0; i < a->n; i++) {
		ns_t t = a->a[i].start, end = a->a[i].end;

		while (j < b->n && b->a[j].end <= t)
			j++;
		for (size_t k = j; t < end; k++) {
			ns_t from = k < b->n && b->a[k].start < end ? b->a[k].start : end;

			if (from > t)
				fn(arg, t, from, a->a[i].owner, ID_NONE);
			if (from >= end)
				break;
			t = from > t ? from : t;
			from = b->a[k].end < end ? b->a[k].end : end;
			fn(arg, t, from, a->a[i].owner, b->a[k].owner);
			t = from;
		}
	}
}

void owner_list_fini(struct owner_list *s)
{
	free(s->a);
	memset(s, 0, sizeof(*s));
}
