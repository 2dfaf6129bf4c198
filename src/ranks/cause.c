/* cause.c - why a rank comes late to collectives: what it did on its way there that the others did not; see ranks.h */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "measure/device_state.h"
#include "ranks/ranks.h"

enum { LATE_BEGIN = GPU_STATE_N };
_Static_assert((int)LATE_BEGIN < (int)RANK_LEAVES, "a leaf for each state");

const char *rank_leaf_name(int leaf)
{
	return leaf < 0 ? NULL : leaf == LATE_BEGIN ? "late begin" : gpu_state_name((enum gpu_state)leaf);
}

/* A way of one rank, source time; begin NS_UNKNOWN: not known. */
struct cause_way {
	ns_t begin, arrival;
};
struct cause_causes {
	const struct rank_run *r;
	struct cause_way *ways;		/* per arrival */
	struct spans *states;		/* per rank and state, of the device that runs its collectives */
	int64_t *device;		/* per rank */
	struct names names;		/* of kernels */
	struct map sums;		/* (late rank, number of the name) to its index in `more` */
	VEC(ns_t) more;
	VEC(str_id) ids;		/* of the late rank's profile */
	struct rank_cause *out;
	ns_t *room;			/* per rank */
};

/* ---- ways ---- */

static const struct rank_arrival *arrival_of(const struct cause_causes *c, uint32_t i)
{
	return &c->r->arrivals[i];
}

struct turn {
	ns_t start;
	uint32_t arrival;
};

static int by_start(const void *pa, const void *pb)
{
	const struct turn *a = pa, *b = pb;

	return a->start != b->start ? (a->start > b->start) - (a->start < b->start) : (a->arrival > b->arrival) - (a->arrival < b->arrival);
}

static ns_t step_begin(const struct selection *k, int64_t number)
{
	for (uint32_t i = 0; i < k->f->n_steps && number != SPLIT_NONE; i++)
		if (k->f->steps[i].number == number)
			return k->f->steps[i].start;
	return NS_UNKNOWN;
}

/* The ways of a rank: each begins where the last of its collectives before has ended. */
static void find_ways(struct cause_causes *c, uint32_t rank, const struct turn *turns, size_t n)
{
	const struct selection *k = rank_pick(c->r, rank);
	ns_t ended = NS_UNKNOWN;

	for (size_t i = 0; i < n; i++) {
		const struct rank_arrival *a = arrival_of(c, turns[i].arrival);
		ns_t start = k->p->start[a->e], end = ev_end(k->p, a->e), begin = ended == NS_UNKNOWN ? step_begin(k, a->step) : ended;

		c->ways[turns[i].arrival] = (struct cause_way){ begin != NS_UNKNOWN && begin > start ? start : begin, start };
		ended = ended == NS_UNKNOWN || end > ended ? end : ended;
	}
}

static void find_all_ways(struct cause_causes *c)
{
	VEC(struct turn) *of = xcalloc(c->r->n_ranks, sizeof(*of));

	for (uint32_t i = 0; i < c->r->n_instances; i++) {
		const struct rank_instance *in = &c->r->instances[i];

		for (uint32_t a = in->first; a < in->first + in->n; a++)
			VEC_PUSH(&of[arrival_of(c, a)->rank], (struct turn){ rank_pick(c->r, arrival_of(c, a)->rank)->p->start[arrival_of(c, a)->e], a });
	}
	for (uint32_t i = 0; i < c->r->n_ranks; i++) {
		if (of[i].n) {
			qsort(of[i].a, of[i].n, sizeof(*of[i].a), by_start);
			find_ways(c, i, of[i].a, of[i].n);
		}
		VEC_FREE(&of[i]);
	}
	free(of);
}

static void find_states(struct cause_causes *c)
{
	for (uint32_t i = 0; i < c->r->n_instances; i++)
		for (uint32_t a = 0; a < c->r->instances[i].n; a++) {
			const struct rank_arrival *at = arrival_of(c, c->r->instances[i].first + a);
			const struct selection *k = rank_pick(c->r, at->rank);
			struct spans whole = { 0 };

			if (c->device[at->rank] != SCOPE_ANY)
				continue;
			c->device[at->rank] = k->p->tracks[profile_track_of(k->p, at->e)].device;
			spans_append(&whole, k->p->first_ns, k->p->last_ns);
			gpu_state_spans(facts_device(k->f, c->device[at->rank]), &whole, &c->states[(size_t)at->rank * GPU_STATE_N]);
			spans_fini(&whole);
		}
}

/* ---- one collective ---- */

static int by_ns(const void *pa, const void *pb)
{
	const ns_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* How long the way of a member took in a leaf; late begin: when it began, common clock. */
static ns_t time_in(const struct cause_causes *c, uint32_t arrival, int leaf)
{
	uint32_t rank = arrival_of(c, arrival)->rank;
	const struct cause_way *w = &c->ways[arrival];

	if (leaf == LATE_BEGIN)
		return rank_common_time(c->r, rank, w->begin);
	return spans_overlap(&c->states[(size_t)rank * GPU_STATE_N + (size_t)leaf], w->begin, w->arrival);
}

/* What member `late` has more than the lower median of the others. */
static ns_t more_than_median(struct cause_causes *c, const struct rank_instance *in, uint32_t late, int leaf)
{
	uint32_t n = 0;

	for (uint32_t a = in->first; a < in->first + in->n; a++)
		if (a != late)
			c->room[n++] = leaf < 0 ? arrival_of(c, a)->start : time_in(c, a, leaf);
	qsort(c->room, n, sizeof(*c->room), by_ns);
	return (leaf < 0 ? arrival_of(c, late)->start : time_in(c, late, leaf)) - c->room[(n - 1) / 2];
}

/* The member, other than the late one, that arrived in the middle. */
static uint32_t middle_member(struct cause_causes *c, const struct rank_instance *in, uint32_t late)
{
	ns_t middle = arrival_of(c, late)->start - more_than_median(c, in, late, -1);
	uint32_t a = in->first;

	while (a == late || arrival_of(c, a)->start != middle)
		a++;
	return a;
}

/* Adds `sign` times the kernels of a member's way to what rank `late` ran more. */
static void add_kernels(struct cause_causes *c, uint32_t late, uint32_t arrival, int sign)
{
	uint32_t rank = arrival_of(c, arrival)->rank, n;
	const struct selection *k = rank_pick(c->r, rank);
	const struct cause_way *w = &c->ways[arrival];
	const track_id *tracks = facts_device_tracks(k->f, facts_device(k->f, c->device[rank]), &n);

	names_enter(&c->names, k->p);
	for (uint32_t t = 0; t < n; t++) {
		const struct track *tr = &k->p->tracks[tracks[t]];

		if (tr->layer != LAYER_KERNEL)
			continue;
		for (ev_id e = track_lower_bound(k->p, tr, w->begin); e < tr->first + tr->count && k->p->start[e] < w->arrival; e++) {
			uint32_t i;

			if (facts_kclass(k->f, e)->class == KCLASS_COMMUNICATION)
				continue;
			i = map_get_or_put(&c->sums, late, names_id(&c->names, k->p->name[e]), (uint32_t)c->more.n);
			if (i == c->more.n) {
				VEC_PUSH(&c->more, 0);
				VEC_PUSH(&c->ids, ID_NONE);
			}
			c->more.a[i] += sign * k->p->dur[e];
			c->ids.a[i] = sign > 0 ? k->p->name[e] : c->ids.a[i];
		}
	}
}

static bool known_ways(const struct cause_causes *c, const struct rank_instance *in)
{
	for (uint32_t a = in->first; a < in->first + in->n; a++)
		if (c->ways[a].begin == NS_UNKNOWN)
			return false;
	return true;
}

static void look_at(struct cause_causes *c, const struct rank_instance *in)
{
	struct rank_cause *out = &c->out[in->last_rank];
	uint32_t late = in->first;

	if (!known_ways(c, in))
		return;
	while (arrival_of(c, late)->rank != in->last_rank)
		late++;
	out->instances++;
	out->late_ns += more_than_median(c, in, late, -1);
	for (int leaf = 0; leaf <= LATE_BEGIN; leaf++)
		out->more_ns[leaf] += more_than_median(c, in, late, leaf);
	add_kernels(c, in->last_rank, late, 1);
	add_kernels(c, in->last_rank, middle_member(c, in, late), -1);
}

/* ---- the answer ---- */

/* Files that hold samples of the collectives do not say which one was before another. */
static bool only_samples(const struct rank_run *r)
{
	for (uint32_t i = 0; i < r->n_groups; i++)
		if (r->groups[i].how == RANK_MATCH_ENDS)
			return true;
	return false;
}

static void conclude(struct cause_causes *c)
{
	for (uint32_t i = 0; i < c->r->n_ranks; i++) {
		struct rank_cause *o = &c->out[i];

		for (int leaf = 0; leaf <= LATE_BEGIN; leaf++)
			if (o->more_ns[leaf] > 0 && o->more_ns[leaf] >= o->late_ns / 4 && (o->leaf < 0 || o->more_ns[leaf] > o->more_ns[o->leaf]))
				o->leaf = leaf;
	}
	for (size_t s = 0; s < c->sums.cap; s++) {
		const struct map_slot *slot = &c->sums.slots[s];
		struct rank_cause *o = slot->val == MAP_NONE ? NULL : &c->out[slot->a];

		if (o && o->leaf == GPU_COMPUTE && c->more.a[slot->val] > o->kernel_more_ns) {
			o->kernel_more_ns = c->more.a[slot->val];
			o->kernel = c->ids.a[slot->val];
		}
	}
}

static void fini(struct cause_causes *c)
{
	for (size_t i = 0; i < (size_t)c->r->n_ranks * GPU_STATE_N; i++)
		spans_fini(&c->states[i]);
	free(c->states);
	free(c->device);
	free(c->ways);
	free(c->room);
	names_fini(&c->names);
	map_fini(&c->sums);
	VEC_FREE(&c->more);
	VEC_FREE(&c->ids);
}

struct rank_cause *rank_causes(const struct rank_run *r)
{
	struct cause_causes c = { .r = r, .ways = xcalloc(r->n_arrivals, sizeof(*c.ways)), .device = xcalloc(r->n_ranks, sizeof(*c.device)),
		.states = xcalloc((size_t)r->n_ranks * GPU_STATE_N, sizeof(*c.states)), .out = xcalloc(r->n_ranks, sizeof(*c.out)),
		.room = xcalloc(r->n_ranks, sizeof(*c.room)) };

	for (uint32_t i = 0; i < r->n_ranks; i++) {
		c.device[i] = SCOPE_ANY;
		c.out[i].leaf = -1;
		c.out[i].kernel = ID_NONE;
	}
	find_all_ways(&c);
	find_states(&c);
	for (uint32_t i = 0; i < r->n_instances && !only_samples(r); i++)
		if (r->instances[i].in && r->instances[i].last_rank != ID_NONE)
			look_at(&c, &r->instances[i]);
	conclude(&c);
	fini(&c);
	return c.out;
}
