/* test_segs.c - who owns which instant, clipped and crossed: against looking at each instant by itself */
#include "calc/owners.h"

#include <stdlib.h>

#include "base/vec.h"
#include "tests/lib/tap.h"

enum { EVENTS = 20, SPAN = 50, END = 2 * SPAN };

static uint64_t seed = 2463534242u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % n;
}

/* Owner per instant [0, END). */
static void paint(const struct owner_list *s, uint32_t *at)
{
	for (ns_t t = 0; t < END; t++)
		at[t] = ID_NONE;
	for (size_t i = 0; i < s->n; i++)
		for (ns_t t = s->a[i].start; t < s->a[i].end; t++)
			at[t] = s->a[i].owner;
}

static bool sorted_and_disjoint(const struct owner_list *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->a[i].start >= s->a[i].end || (i && s->a[i - 1].end > s->a[i].start))
			return false;
	return true;
}

/* Whether x comes after y: later start, then earlier end, then higher rank, then higher owner. */
static bool inside(const struct owner_event *x, const struct owner_event *y)
{
	if (x->start != y->start)
		return x->start > y->start;
	if (x->end != y->end)
		return x->end < y->end;
	return x->rank != y->rank ? x->rank > y->rank : x->owner > y->owner;
}

static uint32_t owner_at(const struct owner_event *ev, size_t n, ns_t t)
{
	const struct owner_event *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (ev[i].start <= t && t < ev[i].end && (!best || inside(&ev[i], best)))
			best = &ev[i];
	return best ? best->owner : ID_NONE;
}

static size_t random_events(struct owner_event *ev)
{
	size_t n = below(EVENTS + 1);

	for (size_t i = 0; i < n; i++) {
		ns_t start = below(SPAN);

		ev[i] = (struct owner_event){ start, start + (below(5) ? below(SPAN) : 0), (uint32_t)i, below(3) };
	}
	return n;
}

static void test_events(void)
{
	uint32_t wrong = 0, gaps = 0;

	for (int round = 0; round < 3000; round++) {
		struct owner_event ev[EVENTS], copy[EVENTS];
		uint32_t at[END];
		struct owner_list s = { 0 };
		size_t n = random_events(ev);

		memcpy(copy, ev, sizeof(ev));
		owner_list_of_events(&s, ev, n);
		paint(&s, at);
		wrong += !sorted_and_disjoint(&s);
		for (ns_t t = 0; t < END; t++) {
			wrong += at[t] != owner_at(copy, n, t);
			gaps += at[t] == ID_NONE;
		}
		owner_list_fini(&s);
	}
	is_uint(wrong, 0, "random events: each instant belongs to the latest active one");
	ok(gaps > 0, "with instants that belong to nobody");
}

/* A track in track order: its place in the track is its rank. */
static void test_track(void)
{
	uint32_t wrong = 0;

	for (int round = 0; round < 3000; round++) {
		struct owner_event ev[EVENTS], ordered[EVENTS];
		ns_t start[EVENTS], dur[EVENTS];
		uint32_t at[END];
		struct owner_list s = { 0 };
		size_t n = random_events(ev), m = 0;

		for (size_t i = 0; i < n; i++) {	/* insertion */
			size_t k = m++;

			for (; k > 0 && inside(&ordered[k - 1], &ev[i]); k--)
				ordered[k] = ordered[k - 1];
			ordered[k] = ev[i];
		}
		for (size_t i = 0; i < n; i++) {
			start[i] = ordered[i].start;
			dur[i] = ordered[i].end - ordered[i].start;
			ordered[i].owner = 1000 + (uint32_t)i;
			ordered[i].rank = 0;
		}
		owner_list_of_track(&s, start, dur, (uint32_t)n, 1000);
		paint(&s, at);
		wrong += !sorted_and_disjoint(&s);
		for (ns_t t = 0; t < END; t++)
			wrong += at[t] != owner_at(ordered, n, t);
		owner_list_fini(&s);
	}
	is_uint(wrong, 0, "random tracks: the same, owner = base + place");
}

static void by_hand(void)
{
	struct owner_list s = { 0 };
	struct owner_event ev[] = { { 0, 100, 1, 0 }, { 20, 60, 2, 0 }, { 50, 80, 3, 0 }, { 30, 30, 4, 0 }, { 20, 60, 5, 1 } };
	static const struct owner_span want[] = { { 0, 20, 1 }, { 20, 50, 5 }, { 50, 80, 3 }, { 80, 100, 1 } };

	owner_list_of_events(&s, ev, 5);
	is_uint(s.n, 4, "four pieces");
	for (size_t i = 0; i < s.n && i < 4; i++)
		ok(s.a[i].start == want[i].start && s.a[i].end == want[i].end && s.a[i].owner == want[i].owner,
			"piece %zu: [%d, %d) of %u", i, (int)want[i].start, (int)want[i].end, want[i].owner);
	owner_list_fini(&s);
	owner_list_of_events(&s, NULL, 0);
	is_uint(s.n, 0, "no events, no pieces");
	owner_list_fini(&s);
}

/* ---- clip and cross ---- */

static void collect(void *arg, const struct owner_span *piece)
{
	struct owner_list *out = arg;

	VEC_PUSH(out, *piece);
}

static void random_window(struct spans *w)
{
	uint32_t n = below(5);

	for (uint32_t i = 0; i < n; i++) {
		ns_t start = below(END);

		spans_add(w, start, start + below(20));
	}
	spans_norm(w);
}

static void test_clip(void)
{
	uint32_t wrong = 0;

	for (int round = 0; round < 3000; round++) {
		struct owner_event ev[EVENTS];
		uint32_t at[END], cut[END];
		struct owner_list s = { 0 }, out = { 0 };
		struct spans w = { 0 };
		size_t n = random_events(ev);

		owner_list_of_events(&s, ev, n);
		random_window(&w);
		owner_list_clip(&s, &w, collect, &out);
		paint(&s, at);
		paint(&out, cut);
		wrong += !sorted_and_disjoint(&out);
		for (ns_t t = 0; t < END; t++)
			wrong += cut[t] != (spans_contain(&w, t) ? at[t] : ID_NONE);
		owner_list_fini(&s);
		owner_list_fini(&out);
		spans_fini(&w);
	}
	is_uint(wrong, 0, "pieces inside random windows, and nothing outside");
}

struct crossing {
	uint32_t a[END], b[END];
	uint32_t wrong;
};

static void mark(void *arg, ns_t start, ns_t end, uint32_t oa, uint32_t ob)
{
	struct crossing *x = arg;

	x->wrong += start >= end;
	for (ns_t t = start; t < end; t++) {
		x->wrong += x->a[t] != ID_NONE;	/* no instant twice */
		x->a[t] = oa;
		x->b[t] = ob;
	}
}

static uint32_t cross_once(void)
{
	struct owner_event ea[EVENTS], eb[EVENTS];
	uint32_t at[END], bt[END];
	struct owner_list a = { 0 }, b = { 0 };
	struct crossing x = { .wrong = 0 };
	size_t na = random_events(ea), nb = random_events(eb);

	memset(x.a, 0xff, sizeof(x.a));
	memset(x.b, 0xff, sizeof(x.b));
	owner_list_of_events(&a, ea, na);
	owner_list_of_events(&b, eb, nb);
	owner_list_cross(&a, &b, mark, &x);
	paint(&a, at);
	paint(&b, bt);
	for (ns_t t = 0; t < END; t++)
		x.wrong += x.a[t] != at[t] || x.b[t] != (at[t] == ID_NONE ? ID_NONE : bt[t]);
	owner_list_fini(&a);
	owner_list_fini(&b);
	return x.wrong;
}

static void test_cross(void)
{
	uint32_t wrong = 0;

	for (int round = 0; round < 3000; round++)
		wrong += cross_once();
	is_uint(wrong, 0, "every instant of a once, with the owner that b has there");
}

int main(void)
{
	by_hand();
	test_events();
	test_track();
	test_clip();
	test_cross();
	return done_testing();
}
