/*
 * match.c - which kernels of several ranks are one collective: by the order of the calls in a step, or by their ends where the files
 * hold only some of them; see ranks_impl.h
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "ranks/ranks_impl.h"

typedef VEC(struct rank_instance) instance_list;

struct matcher {
	struct rank_run *r;
	instance_list out;
	struct map steps;		/* (rank, number of a step) to its index in the facts */
	bool any_steps;
	uint32_t *calls;		/* per rank, in the bucket at hand */
	uint32_t *sorted;		/* room for as many */
	bool *takes_part;		/* per rank, in the group at hand */
};

static void know_steps(struct matcher *m)
{
	for (uint32_t i = 0; i < m->r->n_ranks; i++) {
		const struct facts *f = rank_pick(m->r, i)->f;

		for (uint32_t s = 0; s < f->n_steps; s++)
			map_put(&m->steps, i, (uint64_t)f->steps[s].number, s);
		m->any_steps |= f->n_steps != 0;
	}
}

/* Whether a rank should have the calls of a step: it has the step, and whole. */
static bool expected(const struct matcher *m, uint32_t rank, int64_t step)
{
	return m->takes_part[rank] && (step == SPLIT_NONE || map_find(&m->steps, rank, (uint64_t)step) != MAP_NONE);
}

static bool cut_short(const struct matcher *m, int64_t step)
{
	for (uint32_t i = 0; i < m->r->n_ranks; i++) {
		uint32_t s = step == SPLIT_NONE ? MAP_NONE : map_find(&m->steps, i, (uint64_t)step);

		if (s != MAP_NONE && m->takes_part[i] && rank_pick(m->r, i)->f->steps[s].partial)
			return true;
	}
	return step == SPLIT_NONE && m->any_steps;
}

static int by_count(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* The number of calls that most ranks have; of several the largest. */
static uint32_t usual_calls(const struct matcher *m, int64_t step)
{
	uint32_t n = 0, most = 0, usual = 0;

	for (uint32_t i = 0; i < m->r->n_ranks; i++)
		if (expected(m, i, step))
			m->sorted[n++] = m->calls[i];
	qsort(m->sorted, n, sizeof(*m->sorted), by_count);
	for (uint32_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && m->sorted[i + same] == m->sorted[i]; same++)
			;
		if (same >= most) {
			most = same;
			usual = m->sorted[i];
		}
	}
	return usual;
}

/* The first rank that has another number of calls than most, which is set; ID_NONE, all have it. */
static uint32_t odd_one(const struct matcher *m, int64_t step, uint32_t *usual)
{
	*usual = usual_calls(m, step);
	for (uint32_t i = 0; i < m->r->n_ranks; i++)
		if (expected(m, i, step) && m->calls[i] != *usual)
			return i;
	return ID_NONE;
}

/* Ranks give and get the same in these. */
static bool sizes_equal(const char *kind)
{
	return ranks_ends_together(kind) && strcmp(kind, "AllToAll") != 0;
}

/* A member whose size differs from the first one's; ID_NONE. */
static uint32_t odd_size(const struct rank_run *r, uint32_t first, uint32_t n)
{
	const struct rank_arrival *a = &r->arrivals[first];

	for (uint32_t i = 1; i < n && sizes_equal(r->groups[a->group].kind); i++)
		if (a[i].bytes >= 0 && a[0].bytes >= 0 && a[i].bytes != a[0].bytes)
			return i;
	return ID_NONE;
}

static void break_off(struct rank_group *g, uint32_t rank, int64_t step, int64_t calls, int64_t usual)
{
	g->break_rank = rank;
	g->break_step = step;
	g->break_calls = calls;
	g->usual_calls = usual;
}

static void emit(struct matcher *m, uint32_t first, uint32_t n)
{
	const struct rank_arrival *a = &m->r->arrivals[first];

	VEC_PUSH(&m->out, (struct rank_instance){ .group = a->group, .k = a->k, .step = a->step, .first = first, .n = n });
	m->r->groups[a->group].matched += n;
}

/* Instances of a bucket whose ranks agree; false: sizes differ, and the match of the group ends. */
static bool emit_bucket(struct matcher *m, uint32_t first, uint32_t end)
{
	struct rank_arrival *a = m->r->arrivals;

	for (uint32_t i = first, n; i < end; i += n) {
		uint32_t odd;

		for (n = 1; i + n < end && a[i + n].k == a[i].k; n++)
			;
		if (n < 2)
			continue;
		odd = odd_size(m->r, i, n);
		if (odd != ID_NONE) {
			break_off(&m->r->groups[a[i].group], a[i + odd].rank, a[i].step, a[i + odd].bytes, a[i].bytes);
			return false;
		}
		emit(m, i, n);
	}
	return true;
}

static uint32_t bucket_end(const struct rank_run *r, uint32_t first, uint32_t end)
{
	uint32_t i = first;

	while (i < end && r->arrivals[i].step == r->arrivals[first].step)
		i++;
	return i;
}

static void count_bucket(struct matcher *m, uint32_t first, uint32_t end)
{
	memset(m->calls, 0, m->r->n_ranks * sizeof(*m->calls));
	for (uint32_t i = first; i < end; i++)
		m->calls[m->r->arrivals[i].rank]++;
}

/* Whether most steps of a group have other numbers of calls from rank to rank: the files hold samples. */
static bool sampled(struct matcher *m, uint32_t first, uint32_t end)
{
	uint32_t odd = 0, buckets = 0, usual;

	for (uint32_t i = first, next; i < end; i = next) {
		next = bucket_end(m->r, i, end);
		count_bucket(m, i, next);
		buckets++;
		odd += odd_one(m, m->r->arrivals[i].step, &usual) != ID_NONE;
	}
	return 2 * odd > buckets;
}

/* The ends of a group's instances, taken by themselves, must lie on a line from rank to rank. */
static bool ends_agree(const struct matcher *m, size_t from)
{
	const struct rank_run *r = m->r;
	VEC(struct end_point) v = { 0 };
	bool agree = true;

	for (uint32_t rank = 1; rank < r->n_ranks && agree; rank++) {
		struct rank_clock c;

		v.n = 0;
		for (size_t i = from; i < m->out.n; i++) {
			const struct rank_arrival *a = &r->arrivals[m->out.a[i].first];

			for (uint32_t j = 1; j < m->out.a[i].n; j++)
				if (a[j].rank == rank)
					VEC_PUSH(&v, (struct end_point){ a[j].end, a[j].end - a->end });
		}
		if (!v.n)
			continue;
		clock_fit(v.a, v.n, &c);
		agree = c.unc_ns <= RANK_END_TOLERANCE_NS;
	}
	VEC_FREE(&v);
	return agree;
}

static void match_group(struct matcher *m, uint32_t first, uint32_t end)
{
	struct rank_run *r = m->r;
	struct rank_group *g = &r->groups[r->arrivals[first].group];
	size_t from = m->out.n;
	uint32_t usual;

	memset(m->takes_part, 0, r->n_ranks * sizeof(*m->takes_part));
	for (uint32_t i = first; i < end; i++)
		m->takes_part[r->arrivals[i].rank] = true;
	/* more ranks than it has: several groups of one name, which the file does not tell apart */
	if (g->n_ranks < 2 || (g->size > 0 && g->n_ranks > g->size) || sampled(m, first, end))
		return;
	for (uint32_t i = first, next; i < end && g->break_rank == ID_NONE; i = next) {
		int64_t step = r->arrivals[i].step;
		uint32_t odd;

		next = bucket_end(r, i, end);
		count_bucket(m, i, next);
		odd = odd_one(m, step, &usual);
		if (odd == ID_NONE)
			emit_bucket(m, i, next);
		else if (!cut_short(m, step))
			break_off(g, odd, step, m->calls[odd], usual);
	}
	g->how = RANK_MATCH_ORDER;
	if (ranks_ends_together(g->kind) && !ends_agree(m, from)) {
		m->out.n = from;
		g->matched = 0;
		g->how = RANK_MATCH_NONE;
		g->break_rank = ID_NONE;
	}
}

static uint32_t group_end(const struct rank_run *r, uint32_t first)
{
	uint32_t i = first;

	while (i < r->n_arrivals && r->arrivals[i].group == r->arrivals[first].group)
		i++;
	return i;
}

void ranks_match_order(struct rank_run *r)
{
	struct matcher m = { .r = r, .calls = xcalloc(r->n_ranks, sizeof(*m.calls)), .sorted = xcalloc(r->n_ranks, sizeof(*m.sorted)),
		.takes_part = xcalloc(r->n_ranks, sizeof(*m.takes_part)) };

	know_steps(&m);
	for (uint32_t i = 0, next; i < r->n_arrivals; i = next) {
		next = group_end(r, i);
		match_group(&m, i, next);
	}
	r->instances = m.out.a;
	r->n_instances = (uint32_t)m.out.n;
	map_fini(&m.steps);
	free(m.calls);
	free(m.sorted);
	free(m.takes_part);
}

/* ---- by ends ---- */

static ns_t common_end(const struct rank_run *r, const struct rank_arrival *a)
{
	return a->end - clock_offset(&r->ranks[a->rank].clock, a->end);
}

/* Whether the clocks of all ranks of a slice compare: aligned to one, or by what their files say. */
static bool one_clock(const struct rank_run *r, uint32_t first, uint32_t end)
{
	uint32_t a = r->arrivals[first].rank;

	for (uint32_t i = first + 1; i < end; i++) {
		uint32_t b = r->arrivals[i].rank;

		if (r->ranks[a].clock.reference != r->ranks[b].clock.reference &&
		    rank_pick(r, a)->src->clock_group != rank_pick(r, b)->src->clock_group)
			return false;
	}
	return true;
}

struct end_key {
	ns_t end;
	uint32_t index;
};

static int by_end(const void *pa, const void *pb)
{
	const struct end_key *a = pa, *b = pb;

	return a->end != b->end ? (a->end > b->end) - (a->end < b->end) : (a->index > b->index) - (a->index < b->index);
}

static int arrival_by_rank(const void *pa, const void *pb)
{
	const struct rank_arrival *a = pa, *b = pb;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Puts the arrivals of a slice in the order of their ends; the ends, for the caller to free. */
static struct end_key *sort_by_end(struct rank_run *r, uint32_t first, uint32_t n)
{
	struct end_key *key = xreallocarray(NULL, n, sizeof(*key));
	struct rank_arrival *old = xreallocarray(NULL, n, sizeof(*old));

	memcpy(old, &r->arrivals[first], n * sizeof(*old));
	for (uint32_t i = 0; i < n; i++)
		key[i] = (struct end_key){ common_end(r, &old[i]), i };
	qsort(key, n, sizeof(*key), by_end);
	for (uint32_t i = 0; i < n; i++)
		r->arrivals[first + i] = old[key[i].index];
	free(old);
	return key;
}

static bool ranks_differ(const struct rank_arrival *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (a[i].rank == a[i - 1].rank)
			return false;
	return true;
}

/* Ends that follow each other within the tolerance are one collective where they are one of each rank. */
static void match_slice(struct matcher *m, uint32_t first, uint32_t end)
{
	struct rank_run *r = m->r;
	struct rank_arrival *a = r->arrivals;
	struct end_key *key = sort_by_end(r, first, end - first);
	uint32_t k = 0;

	for (uint32_t i = first, n; i < end; i += n) {
		for (n = 1; i + n < end && key[i + n - first].end - key[i + n - 1 - first].end <= RANK_END_TOLERANCE_NS; n++)
			;
		qsort(&a[i], n, sizeof(*a), arrival_by_rank);
		if (n < 2 || key[i + n - 1 - first].end - key[i - first].end > RANK_END_TOLERANCE_NS || !ranks_differ(&a[i], n) ||
		    odd_size(r, i, n) != ID_NONE)
			continue;
		for (uint32_t j = 0; j < n; j++)
			a[i + j].k = k;
		k++;
		emit(m, i, n);
		r->groups[a[i].group].how = RANK_MATCH_ENDS;
	}
	free(key);
}

void ranks_match_ends(struct rank_run *r)
{
	struct matcher m = { .r = r, .out = { r->instances, r->n_instances, r->n_instances } };

	for (uint32_t i = 0, next; i < r->n_arrivals; i = next) {
		const struct rank_group *g = &r->groups[r->arrivals[i].group];

		next = group_end(r, i);
		if (g->how == RANK_MATCH_NONE && g->n_ranks > 1 && ranks_ends_together(g->kind) && one_clock(r, i, next))
			match_slice(&m, i, next);
	}
	r->instances = m.out.a;
	r->n_instances = (uint32_t)m.out.n;
}
