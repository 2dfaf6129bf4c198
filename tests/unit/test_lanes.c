/*
 * test_lanes.c - rows for drawing against looking at all events: each event in one row, none over another, the longest between two
 * positions and the first behind a time as a plain scan finds them, with overlaps, lengths of 0 and times below 0.
 */
#include "measure/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "tests/lib/tap.h"

static uint32_t seed = 7;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static struct profile *make(uint32_t n)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 1, 1);
	track_id t[4] = {
		builder_host_track(b, LAYER_OP, th, ID_NONE, 0), builder_gpu_track(b, LAYER_KERNEL, 1, 0, 0, 7, 0),
		builder_gpu_track(b, LAYER_MEMCPY, 1, 0, 0, 7, 0), builder_host_track(b, LAYER_INSTANT, th, ID_NONE, 0),
	};
	static const char *const names[] = { "ncclDevKernel_AllReduce_Sum_f32", "ampere_sgemm_128x64_nn", "Memcpy", "aten::mm" };
	struct profile *p;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = rnd(4);
		const char *s = names[k == 1 ? rnd(2) : k == 2 ? 2 : 3];
		struct copy_detail d = { 8, (uint8_t)(rnd(2) ? COPY_HTOD : rnd(2) ? COPY_DTOH : COPY_DTOD), 0, 0, 0, 0 };

		builder_add(b, t[k], &(struct builder_event){ (ns_t)rnd(n * 4) - n, rnd(5) ? rnd(30) : 0, builder_intern(b, s, strlen(s)),
			CORR_NONE, CORR_NONE, k == 2 ? builder_copy_detail(b, &d) : ID_NONE });
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* Each event of a drawn layer once, where lanes_find() says it is; nothing overlaps its neighbour. */
static bool complete(const struct lanes *x)
{
	const struct profile *p = x->p;
	uint32_t n = 0;
	bool good = true;

	for (ev_id e = 0; e < p->n; e++) {
		track_id t = profile_track_of(p, e);
		uint32_t pos = 0, row = lanes_find(x, t, e, &pos);

		if (p->tracks[t].layer == LAYER_INSTANT) {
			good &= row == ID_NONE;
			continue;
		}
		n++;
		good &= row != ID_NONE && x->ev[pos] == e && pos >= x->rows[row].first && pos < x->rows[row].first + x->rows[row].count &&
			x->rows[row].track == t;
		if (p->tracks[t].layer == LAYER_OP && row != ID_NONE)
			good &= x->rows[row].level <= profile_depth(p, e);
	}
	for (uint32_t r = 0; r < x->n_rows; r++)
		for (uint32_t i = x->rows[r].first + 1; i < x->rows[r].first + x->rows[r].count; i++)
			good &= p->start[x->ev[i]] >= ev_end(p, x->ev[i - 1]);
	return good && n == x->n;
}

/* A row of a part of a GPU track holds what the part's name says; and there are as many as are active at once. */
static bool parts_hold(const struct lanes *x)
{
	const struct profile *p = x->p;
	bool good = true;

	for (uint32_t r = 0; r < x->n_rows; r++)
		for (uint32_t i = x->rows[r].first; i < x->rows[r].first + x->rows[r].count; i++) {
			ev_id e = x->ev[i];
			size_t n;
			bool nccl = !strncmp(profile_str(p, p->name[e], &n), "nccl", 4);

			if (p->tracks[x->rows[r].track].layer == LAYER_KERNEL)
				good &= nccl == (x->rows[r].part == LANE_PART_COMM);
			if (p->tracks[x->rows[r].track].layer == LAYER_MEMCPY)
				good &= (p->copies[p->aux[e]].kind == COPY_HTOD) == (x->rows[r].part == LANE_PART_HTOD) &&
					(p->copies[p->aux[e]].kind == COPY_DTOH) == (x->rows[r].part == LANE_PART_DTOH);
		}
	return good;
}

static bool asks_right(const struct lanes *x)
{
	const struct profile *p = x->p;
	unsigned work = 0;

	for (int k = 0; k < 3000; k++) {
		const struct lane_row *r = &x->rows[rnd(x->n_rows)];
		uint32_t a = r->first + rnd(r->count), b = a + 1 + rnd(r->first + r->count - a), best = a, at = a;
		ns_t t = p->start[x->ev[r->first + rnd(r->count)]] + (ns_t)rnd(3) - 1;

		for (uint32_t i = a; i < b; i++)
			if (p->dur[x->ev[i]] > p->dur[x->ev[best]])
				best = i;
		while (at < r->first + r->count && p->start[x->ev[at]] < t)
			at++;
		if (p->dur[x->ev[lanes_longest(x, a, b, &work)]] != p->dur[x->ev[best]] || lanes_longest(x, a, b, &work) < a ||
		    lanes_longest(x, a, b, &work) >= b || lanes_lower_bound(x, r, a, t, &work) != at)
			return false;
	}
	return true;
}

/* Of rows without overlaps a plain sum over all of their events. */
static bool fills_right(const struct lanes *x)
{
	const struct profile *p = x->p;
	unsigned work = 0;

	for (int k = 0; k < 1000; k++) {
		const struct lane_row *r = &x->rows[rnd(x->n_rows)];
		ns_t c0 = p->start[x->ev[r->first + rnd(r->count)]] + (ns_t)rnd(41) - 20, c1 = c0 + 1 + (ns_t)rnd(5000), sum = 0;
		uint32_t lo = lanes_lower_bound(x, r, r->first, c0, &work), hi = lanes_lower_bound(x, r, lo, c1, &work);

		for (uint32_t i = r->first; i < r->first + r->count; i++) {
			ns_t a = p->start[x->ev[i]], b = ev_end(p, x->ev[i]);

			if (a < c1 && b > c0)
				sum += (b < c1 ? b : c1) - (a > c0 ? a : c0);
		}
		if (lanes_filled(x, r, lo, hi, c0, c1, &work) != sum)
			return false;
	}
	return true;
}

static void test_size(const struct rules *r, uint32_t n)
{
	struct profile *p = make(n);
	struct facts *f = facts_new(r, p, 0);
	const struct lanes *x;

	ok(!facts_lanes(f), "%u events: none before they are made", n);
	facts_make_lanes(f);
	x = facts_lanes(f);
	ok(complete(x), "%u events: each in one row, none over another", n);
	ok(parts_hold(x), "%u events: communication and directions of copies apart", n);
	ok(!x->n_rows || asks_right(x), "%u events: first behind a time, longest between two", n);
	ok(!x->n_rows || fills_right(x), "%u events: how much of a time a row fills", n);
	facts_free(f);
	profile_unref(p);
}

static void test_nested(const struct rules *r)
{
	struct builder *b = builder_new();
	track_id t = builder_host_track(b, LAYER_OP, builder_thread(b, 1, 1), ID_NONE, 0);
	struct profile *p;
	struct facts *f;
	uint32_t pos;
	bool good = true;

	for (int i = 0; i < 40; i++)
		for (int d = 0; d <= i % 5; d++)
			builder_add(b, t, &(struct builder_event){ 100 * i + d, 90 - 2 * d, builder_intern(b, "op", 2), CORR_NONE, CORR_NONE, ID_NONE });
	p = builder_finish(b);
	f = facts_new(r, p, 0);
	facts_make_lanes(f);
	for (ev_id e = 0; e < p->n; e++)
		good &= facts_lanes(f)->rows[lanes_find(facts_lanes(f), 0, e, &pos)].level == profile_depth(p, e);
	ok(good && facts_lanes(f)->n_rows == 5, "where events nest the row is the depth");
	facts_free(f);
	profile_unref(p);
	builder_free(b);
}

static unsigned longest_work(const struct rules *r, uint32_t n)
{
	struct profile *p = make(n);
	struct facts *f = facts_new(r, p, 0);
	unsigned most = 0;

	facts_make_lanes(f);
	for (uint32_t i = 0; i < facts_lanes(f)->n_rows; i++) {
		const struct lane_row *w = &facts_lanes(f)->rows[i];
		unsigned work = 0;

		lanes_longest(facts_lanes(f), w->first, w->first + w->count, &work);
		most = work > most ? work : most;
	}
	facts_free(f);
	profile_unref(p);
	return most;
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rules *r = rules_new(&e);
	unsigned few, many;

	test_size(r, 0);
	test_size(r, 5);
	test_size(r, 2000);
	test_size(r, 150000);
	test_nested(r);
	few = longest_work(r, 5000);
	many = longest_work(r, 300000);
	ok(many <= 150 && few <= 150, "steps to the longest of a whole row: %u of 5,000 events, %u of 300,000", few, many);
	rules_free(r);
	return done_testing();
}
