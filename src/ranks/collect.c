/* collect.c - the collectives of all ranks of a run, by group, step and order of the calls; see ranks_impl.h */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "measure/collective.h"
#include "ranks/ranks_impl.h"
#include "scope/columns.h"

void ranks_set_bases(struct rank_run *r)
{
	bool dated = true;
	int64_t zero = INT64_MAX, span;

	for (uint32_t i = 0; i < r->n_ranks; i++) {
		int64_t epoch = rank_pick(r, i)->p->epoch_ns;

		dated &= epoch != NS_UNKNOWN;
		zero = epoch < zero ? epoch : zero;
	}
	for (uint32_t i = 0; i < r->n_ranks && dated; i++)
		dated = !__builtin_sub_overflow(rank_pick(r, i)->p->epoch_ns, zero, &span) && span < INT64_MAX / 4;
	for (uint32_t i = 0; i < r->n_ranks; i++)
		r->ranks[i].base_ns = dated ? rank_pick(r, i)->p->epoch_ns - zero : rank_pick(r, i)->src->shift_ns;
}

struct collector {
	struct rank_run *r;
	struct collective_finder finder;
	struct groups groups;
	VEC(struct rank_group) rows;
	VEC(struct rank_arrival) v;
	struct map known;		/* group by args and kind of the source at hand */
	uint32_t rank;
};

static uint32_t group_new(struct collector *c, const struct profile *p, const struct collective *what)
{
	struct arena *a = &c->r->arena;
	struct rank_group g = { .kind = what->kind, .name = "", .members = "", .size = -1, .break_rank = ID_NONE };
	size_t n;
	uint32_t i;
	char *key;

	if (what->args) {
		const char *s = profile_str(p, what->args->group, &n);

		g.name = arena_strndup(a, s, n);
		s = profile_str(p, what->args->ranks, &n);
		g.members = arena_strndup(a, s, n);
		g.size = what->args->group_size > 0 ? what->args->group_size : -1;
	}
	key = arena_printf(a, "%s\n%s\n%s", g.kind, g.name, g.members);
	i = groups_add(&c->groups, &(struct group_key){ .name = key, .name_len = strlen(key) });
	if (i == c->rows.n)
		VEC_PUSH(&c->rows, g);
	return i;
}

static uint32_t group_of(struct collector *c, const struct profile *p, const struct collective *what)
{
	uint64_t a = what->args ? (uint64_t)(what->args - p->collectives) + 1 : 0, b = (uint64_t)(uintptr_t)what->kind;
	uint32_t g = map_find(&c->known, a, b);

	if (g == MAP_NONE) {
		g = group_new(c, p, what);
		map_put(&c->known, a, b, g);
	}
	return g;
}

/* What only two ranks do, or nobody knows what: no collective. */
static bool is_collective(const struct collective *what)
{
	static const char *const pairs[] = { "SendRecv", "Send", "Recv" };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (!strcmp(what->kind, pairs[i]))
			return false;
	return what->told != COLLECTIVE_BY_RULE;
}

static int64_t launch_step(const struct selection *k, ev_id e)
{
	const struct facts *f = k->f;
	thread_id t = facts_launch_thread(f, e);
	uint32_t proc = t != ID_NONE ? f->threads[t].proc : f->n_procs == 1 ? 0 : ID_NONE;
	ev_id call = k->p->link[e];

	return proc == ID_NONE || proc >= f->n_procs ? SPLIT_NONE : step_at(f, proc, k->p->start[call == ID_NONE ? e : call]);
}

static int64_t bytes_of(const struct profile *p, const struct collective_detail *d)
{
	int64_t in = d ? collective_bytes(p, d, d->in_elems) : -1, out = d ? collective_bytes(p, d, d->out_elems) : -1;

	return in > out ? in : out;
}

static void add(struct collector *c, const struct selection *k, const struct track *tr, ev_id e)
{
	const struct profile *p = k->p;
	ns_t base = c->r->ranks[c->rank].base_ns;
	struct collective what;

	if (facts_kclass(k->f, e)->class != KCLASS_COMMUNICATION)
		return;
	collective_of(&c->finder, k->f, e, &what);
	if (!what.kind || !is_collective(&what))
		return;
	VEC_PUSH(&c->v, (struct rank_arrival){ .group = group_of(c, p, &what), .rank = c->rank, .step = launch_step(k, e), .e = e,
		.start = p->start[e] + base, .end = ev_end(p, e) + base, .bytes = bytes_of(p, what.args),
		.in = selects_gpu(k, LAYER_KERNEL, tr, e) });
}

static bool collect_rank(struct collector *c, uint32_t rank, struct err *e)
{
	const struct selection *k = rank_pick(c->r, rank);
	const struct profile *p = k->p;

	c->rank = rank;
	map_fini(&c->known);
	for (track_id t = p->layer_track[LAYER_KERNEL]; t < p->layer_track[LAYER_KERNEL + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		if (an_cancelled(k->cx, e))
			return false;
		for (ev_id ev = tr->first; ev < tr->first + tr->count; ev++)
			add(c, k, tr, ev);
	}
	return true;
}

/* By group, rank, step and time; the event makes it an order. */
static int by_rank(const void *pa, const void *pb)
{
	const struct rank_arrival *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->e > b->e) - (a->e < b->e);
}

static int by_call(const void *pa, const void *pb)
{
	const struct rank_arrival *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->k != b->k)
		return a->k < b->k ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Numbers the calls of each rank's step, then puts those of all ranks together. */
static void order(struct collector *c)
{
	struct rank_arrival *a = c->v.a;

	if (!c->v.n)
		return;
	qsort(a, c->v.n, sizeof(*a), by_rank);
	for (size_t i = 0; i < c->v.n; i++) {
		struct rank_group *g = &c->rows.a[a[i].group];
		bool more = i && a[i].group == a[i - 1].group && a[i].rank == a[i - 1].rank;

		a[i].k = more && a[i].step == a[i - 1].step ? a[i - 1].k + 1 : 0;
		g->n_ranks += !more;
		g->calls++;
	}
	qsort(a, c->v.n, sizeof(*a), by_call);
}

bool ranks_collect(struct rank_run *r, struct err *e)
{
	struct collector c = { .r = r };
	bool ok = true;

	ranks_set_bases(r);
	for (uint32_t i = 0; i < r->n_ranks && ok; i++)
		ok = collect_rank(&c, i, e);
	order(&c);
	r->arrivals = c.v.a;
	r->n_arrivals = (uint32_t)c.v.n;
	r->groups = c.rows.a;
	r->n_groups = (uint32_t)c.rows.n;
	collective_finder_fini(&c.finder);
	groups_fini(&c.groups);
	map_fini(&c.known);
	return ok;
}
