/*
 * clock.c - one clock for all ranks: members of a blocking collective leave it together, so what their ends differ by is what their
 * clocks do; see ranks_impl.h
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ranks/ranks_impl.h"

bool ranks_ends_together(const char *kind)
{
	static const char *const kinds[] = { "AllReduce", "AllGather", "ReduceScatter", "AllToAll", "Barrier" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return true;
	return false;
}

static int by_time(const void *pa, const void *pb)
{
	const struct end_point *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

static int by_ns(const void *pa, const void *pb)
{
	const ns_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* Median of the values, which are reordered; of an even number the mean of the two middle ones. */
static ns_t median(ns_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_ns);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

/* Medians of time and difference of some of the points, less what a drift explains. */
static void middle(const struct end_point *a, size_t n, ns_t *room, ns_t *at, ns_t *diff)
{
	for (size_t i = 0; i < n; i++)
		room[i] = a[i].at;
	*at = median(room, n);
	for (size_t i = 0; i < n; i++)
		room[i] = a[i].diff;
	*diff = median(room, n);
}

/* Sets offset and uncertainty for the clock's drift. */
static void fit_offset(const struct end_point *a, size_t n, ns_t *room, struct rank_clock *c)
{
	c->offset_ns = 0;
	for (size_t i = 0; i < n; i++)
		room[i] = a[i].diff - clock_offset(c, a[i].at);
	c->offset_ns = median(room, n);
	for (size_t i = 0; i < n; i++) {
		ns_t d = a[i].diff - clock_offset(c, a[i].at);

		room[i] = d < 0 ? -d : d;
	}
	c->unc_ns = median(room, n);
}

/* Too few points tell no drift from noise. */
enum { DRIFT_POINTS = 9 };

/*
 * Whether the medians of two samples of n points differ by more than three standard errors of that: of a median it is 1.25 deviations by
 * the root of n, and a deviation is 1.48 times the median absolute one.
 */
static bool beyond_noise(ns_t diff, ns_t mad, size_t n)
{
	return fabs((double)diff) > 3 * 1.25 * 1.48 * (double)mad * sqrt(2 / (double)n);
}

void clock_fit(struct end_point *a, size_t n, struct rank_clock *out)
{
	ns_t *room = xreallocarray(NULL, n, sizeof(*room));
	struct rank_clock flat = { .ends = (uint32_t)n }, line;
	size_t third = n / 3;
	ns_t t0, t1, d0, d1;

	qsort(a, n, sizeof(*a), by_time);
	flat.at = a[n / 2].at;
	line = flat;
	fit_offset(a, n, room, &flat);
	*out = flat;
	if (n >= DRIFT_POINTS) {
		middle(a, third, room, &t0, &d0);
		middle(a + n - third, third, room, &t1, &d1);
		line.drift = t1 > t0 ? (double)(d1 - d0) / (double)(t1 - t0) : 0;
		fit_offset(a, n, room, &line);
		if (line.unc_ns <= flat.unc_ns && beyond_noise(d1 - d0, line.unc_ns, third))
			*out = line;
	}
	free(room);
}

/* ---- the chain of ranks ---- */

struct clock_pairs {
	VEC(struct end_point) *of;	/* per rank: ends of its collectives against those of one rank */
};

/* Ends of all ranks without a clock that share instances with rank q. */
static void ends_against(const struct rank_run *r, uint32_t q, const bool *done, struct clock_pairs *p)
{
	for (uint32_t i = 0; i < r->n_instances; i++) {
		const struct rank_instance *in = &r->instances[i];
		const struct rank_arrival *a = &r->arrivals[in->first], *ref = NULL;

		if (!ranks_ends_together(r->groups[in->group].kind))
			continue;
		for (uint32_t m = 0; m < in->n; m++)
			if (a[m].rank == q)
				ref = &a[m];
		for (uint32_t m = 0; ref && m < in->n; m++)
			if (!done[a[m].rank])
				VEC_PUSH(&p->of[a[m].rank], (struct end_point){ a[m].end,
					a[m].end - (ref->end - clock_offset(&r->ranks[q].clock, ref->end)) });
	}
}

/* Gives clocks to all that a chain of collectives connects with rank `first`. */
static void align_from(struct rank_run *r, uint32_t first, bool *done, struct clock_pairs *p, uint32_t *queue)
{
	uint32_t n = 0;

	queue[n++] = first;
	done[first] = true;
	for (uint32_t head = 0; head < n; head++) {
		uint32_t q = queue[head];

		ends_against(r, q, done, p);
		for (uint32_t i = 0; i < r->n_ranks; i++) {
			if (p->of[i].n) {
				clock_fit(p->of[i].a, p->of[i].n, &r->ranks[i].clock);
				r->ranks[i].clock.reference = first;
				r->ranks[i].clock.unc_ns += r->ranks[q].clock.unc_ns;
				done[i] = true;
				queue[n++] = i;
			}
			p->of[i].n = 0;
		}
	}
}

void ranks_align(struct rank_run *r)
{
	bool *done = xcalloc(r->n_ranks, sizeof(*done));
	uint32_t *queue = xcalloc(r->n_ranks, sizeof(*queue));
	struct clock_pairs p = { xcalloc(r->n_ranks, sizeof(*p.of)) };

	for (uint32_t i = 0; i < r->n_ranks; i++)
		if (!done[i]) {
			r->ranks[i].clock = (struct rank_clock){ .reference = i };
			align_from(r, i, done, &p, queue);
		}
	for (uint32_t i = 0; i < r->n_ranks; i++)
		VEC_FREE(&p.of[i]);
	free(p.of);
	free(queue);
	free(done);
}

ns_t rank_common_time(const struct rank_run *r, uint32_t rank, ns_t source_time)
{
	ns_t t = source_time + r->ranks[rank].base_ns;

	return t - clock_offset(&r->ranks[rank].clock, t);
}
