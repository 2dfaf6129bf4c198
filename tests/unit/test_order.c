/* test_order.c - track order against putting one event after the other where it belongs, for stretches of many kinds */
#include <stdlib.h>
#include <string.h>

#include "model/order.h"
#include "tests/lib/tap.h"

enum { N = 600 };

static uint64_t seed = 7;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

static void add(struct raw_track *r, ns_t start, ns_t dur)
{
	struct raw_event e = { .start = start, .dur = dur, .aux = (uint32_t)r->ev.n };

	if (r->ev.n && raw_before(&e, &r->ev.a[r->ev.n - 1]))
		VEC_PUSH(&r->breaks, (uint32_t)r->ev.n);
	VEC_PUSH(&r->ev, e);
}

static void insert_all(const struct raw_event *from, struct raw_event *to, size_t n)
{
	for (size_t i = 0, k; i < n; i++) {
		for (k = i; k && (to[k - 1].start > from[i].start ||
				(to[k - 1].start == from[i].start && to[k - 1].start + to[k - 1].dur < from[i].start + from[i].dur)); k--)
			to[k] = to[k - 1];
		to[k] = from[i];
	}
}

/* What comes later, behind what was ordered before, as in a snapshot. */
static void check(struct raw_track *r, const char *what)
{
	struct raw_event *want = xreallocarray(NULL, r->ev.n, sizeof(*want));

	insert_all(r->ev.a, want, r->ev.n);
	raw_order(r);
	ok(!r->breaks.n && (!r->ev.n || memcmp(want, r->ev.a, r->ev.n * sizeof(*want)) == 0), "%s", what);
	free(want);
}

static void done(struct raw_track *r)
{
	VEC_FREE(&r->ev);
	VEC_FREE(&r->breaks);
	memset(r, 0, sizeof(*r));
}

int main(void)
{
	struct raw_track r = { 0 };

	check(&r, "no event");
	for (int i = 0; i < N; i++)
		add(&r, i / 3, N - i);
	is_uint(r.breaks.n, 0, "in order there is no break");
	check(&r, "in order");
	done(&r);
	for (int i = 0; i < N; i++)
		add(&r, N - i, 1);
	check(&r, "backwards");
	done(&r);
	for (int i = 0; i < N; i++)
		add(&r, i % 200, below(3));
	check(&r, "three times the same stretch of time");
	done(&r);
	for (int i = 0; i < N; i++)
		add(&r, i < 400 ? 2 * i : 2 * i - 701, 5);
	is_uint(r.breaks.n, 1, "one that begins in the middle of another");
	check(&r, "goes into it");
	done(&r);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < N; i++)
			add(&r, below(100), below(4));
		check(&r, round ? "more of it, behind what is in order" : "anyhow, with many that are equal");
	}
	done(&r);
	return done_testing();
}
