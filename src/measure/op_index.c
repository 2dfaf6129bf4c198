/* op_index.c - sums of ops by name for parts of a source, see op_index.h */
#include "measure/op_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/par.h"
#include "base/search.h"
#include "base/sorted.h"
#include "base/vec.h"

enum { SAMPLE = 64, SHARE_MIN = 16, SLOTS_MAX = 1 << 20, DENSE_BYTES_PER_OP = 4 };

struct entry {
	uint32_t slot;
	struct op_split s;
};
struct stray {			/* a launch outside of an op that it counts for */
	ns_t at;
	ev_id kernel;
};
typedef VEC(struct stray) stray_list;

/* `share` blocks in a row. */
struct op_index_part {
	uint32_t *first;	/* per block of it and one more: index in entries */
	VEC(struct entry) entries;
	stray_list strays;
	struct op_split *before;	/* per slot: sums of all parts before */
};
struct op_index {
	struct op_plan plan;
	uint32_t *slot_of_name;		/* per string, and for none */
	str_id *string_of_name;		/* one string of each name, ID_NONE for none */
	uint32_t *base_of_proc;		/* per process: its first slot; ID_NONE: has no ops */
	uint32_t *proc_of_base;
	uint32_t n_names, n_slots;
	ns_t *edges;			/* n_blocks + 1 times; the first and the last are beyond all events */
	uint32_t n_blocks, share, n_parts;
	struct op_index_part *parts;
	stray_list strays;		/* by time */
};

uint32_t op_index_slots(const struct op_index *ix)
{
	return ix->n_slots;
}

uint32_t op_index_name_id(const struct op_index *ix, uint32_t slot, struct names *nm)
{
	return names_id(nm, ix->string_of_name[slot % ix->n_names]);
}

uint32_t op_index_proc(const struct op_index *ix, uint32_t slot)
{
	return ix->proc_of_base[slot / ix->n_names];
}

/* ---- slots --------------------------------------------------------------------------------------------------- */

static void find_names(struct op_index *ix, const struct facts *f)
{
	const struct profile *p = f->p;
	struct names names = { .cut = rules_op_base };

	names_enter(&names, p);
	for (uint32_t i = 0; i < f->ops.n; i++)
		names_id(&names, f->ops.name[i]);
	ix->n_names = names.g.n + 1;
	ix->slot_of_name = xreallocarray(NULL, (size_t)p->n_strs + 1, sizeof(*ix->slot_of_name));
	memcpy(ix->slot_of_name, names.of, p->n_strs * sizeof(*ix->slot_of_name));
	ix->slot_of_name[p->n_strs] = ix->n_names - 1;
	ix->string_of_name = xreallocarray(NULL, ix->n_names, sizeof(*ix->string_of_name));
	memset(ix->string_of_name, 0xff, ix->n_names * sizeof(*ix->string_of_name));
	for (str_id id = p->n_strs; id-- > 0;)
		if (names.of[id] != ID_NONE)
			ix->string_of_name[names.of[id]] = id;
	names_fini(&names);
}

static void find_procs(struct op_index *ix, const struct facts *f)
{
	uint32_t n = 0;

	ix->base_of_proc = xreallocarray(NULL, f->n_procs, sizeof(*ix->base_of_proc));
	ix->proc_of_base = xcalloc(f->n_procs, sizeof(*ix->proc_of_base));
	memset(ix->base_of_proc, 0xff, f->n_procs * sizeof(*ix->base_of_proc));
	for (uint32_t i = 0; i < f->ops.n_tracks; i++) {
		uint32_t proc = f->threads[f->ops.tracks[i].thread].proc;

		if (ix->base_of_proc[proc] != ID_NONE)
			continue;
		ix->base_of_proc[proc] = n * ix->n_names;
		ix->proc_of_base[n++] = proc;
	}
	ix->n_slots = n * ix->n_names;
}

static struct op_pass pass_of(const struct op_index *ix, struct op_split *acc)
{
	return (struct op_pass){ .plan = &ix->plan, .acc = acc, .slot_of_name = ix->slot_of_name, .base_of_proc = ix->base_of_proc };
}

/* ---- device time ------------------------------------------------------------------------------------------------ */

struct credit {
	const struct op_index *ix;
	struct op_pass *pass;
	stray_list *strays;	/* NULL: they are known already */
	VEC(uint32_t) seen;
};

static const struct op_track *track_of_op(const struct op_layer *o, uint32_t op)
{
	uint32_t i;

	LOWER_BOUND(i, 1, o->n_tracks, o->tracks[i].first <= op);
	return &o->tracks[i - 1];
}

static bool inside_all(const struct op_layer *o, uint32_t op, ns_t at)
{
	for (; op != ID_NONE; op = o->parent[op])
		if (at < o->start[op] || at >= o->start[op] + o->dur[op])
			return false;
	return true;
}

static bool first_time(struct credit *c, uint32_t slot)
{
	for (size_t i = 0; i < c->seen.n; i++)
		if (c->seen.a[i] == slot)
			return false;
	VEC_PUSH(&c->seen, slot);
	return true;
}

/* The op and all above it, each name once; with `windows` only ops that have something in them. */
static void give(struct credit *c, uint32_t op, ns_t dur, const struct spans *windows)
{
	const struct facts *f = c->ix->plan.f;
	const struct op_layer *o = &f->ops;

	c->seen.n = 0;
	c->pass->slot_base = c->ix->base_of_proc[f->threads[track_of_op(o, op)->thread].proc];
	for (; op != ID_NONE; op = o->parent[op]) {
		uint32_t slot = op_pass_slot(c->pass, op);

		c->pass->work++;
		if (windows && !spans_contain(windows, o->start[op]) &&
		    !spans_overlap(windows, o->start[op], o->start[op] + o->dur[op]))
			continue;
		if (first_time(c, slot))
			c->pass->acc[slot].device += dur;
	}
}

static void credit_launch(void *arg, const struct track *tr, ev_id kernel, ev_id call)
{
	struct credit *c = arg;
	const struct facts *f = c->ix->plan.f;
	uint32_t op = facts_op_of_call(f, call);

	(void)tr;
	if (op == ID_NONE)
		return;
	if (inside_all(&f->ops, op, f->p->start[call]))
		give(c, op, f->p->dur[kernel], NULL);
	else if (c->strays)
		VEC_PUSH(c->strays, (struct stray){ f->p->start[call], kernel });
}

static size_t first_stray(const stray_list *v, ns_t t)
{
	size_t i;

	LOWER_BOUND(i, 0, v->n, v->a[i].at < t);
	return i;
}

static void credit_strays(struct credit *c, const struct span *windows, size_t n)
{
	const struct facts *f = c->ix->plan.f;
	const stray_list *v = &c->ix->strays;
	struct spans all = { (struct span *)(uintptr_t)windows, n, n };

	for (size_t w = 0; w < n; w++)
		for (size_t i = first_stray(v, windows[w].start); i < v->n && v->a[i].at < windows[w].end; i++)
			give(c, facts_op_of_call(f, f->p->link[v->a[i].kernel]), f->p->dur[v->a[i].kernel], &all);
}

/* ---- building ------------------------------------------------------------------------------------------------- */

/* Every SAMPLE-th start of each track, and of those in order every so many. More tracks than blocks can bear make longer blocks. */
static void cut(struct op_index *ix, uint32_t block)
{
	const struct op_layer *o = &ix->plan.f->ops;
	uint32_t step = block < SAMPLE ? block : SAMPLE, every = block / step;
	VEC(ns_t) v = { 0 };
	size_t n = 0;

	for (uint32_t t = 0; t < o->n_tracks; t++)
		for (uint32_t i = 0; i < o->tracks[t].count; i += step)
			VEC_PUSH(&v, o->start[o->tracks[t].first + i]);
	i64_sort(v.a, v.n);
	/* each block looks at each track and each slot */
	if (every < (o->n_tracks + ix->n_slots / 2) / step)
		every = (o->n_tracks + ix->n_slots / 2) / step;
	ix->edges = xreallocarray(NULL, v.n / every + 3, sizeof(*ix->edges));
	ix->edges[n++] = -NS_LIMIT;
	for (size_t i = every; i < v.n; i += every)
		if (v.a[i] > ix->edges[n - 1])
			ix->edges[n++] = v.a[i];
	ix->edges[n] = NS_LIMIT;
	ix->n_blocks = (uint32_t)n;
	VEC_FREE(&v);
}

static bool empty(const struct op_split *s)
{
	static const struct op_split none;

	return !memcmp(s, &none, sizeof(none));
}

static void pass_over(struct op_index *ix, struct op_pass *w, struct credit *c, ns_t from, ns_t to)
{
	const struct op_layer *o = &ix->plan.f->ops;

	for (uint32_t t = 0; t < o->n_tracks; t++)
		op_pass_window(w, &o->tracks[t], from, to);
	op_launches(ix->plan.f, from, to, credit_launch, c);
}

static void build_part(void *arg, size_t i)
{
	struct op_index *ix = arg;
	struct op_index_part *part = &ix->parts[i];
	struct op_split *acc = xcalloc(ix->n_slots, sizeof(*acc));
	struct op_pass w = pass_of(ix, acc);
	struct credit c = { .ix = ix, .pass = &w, .strays = &part->strays };
	uint32_t a = (uint32_t)i * ix->share, b = a + ix->share < ix->n_blocks ? a + ix->share : ix->n_blocks;

	part->first = xcalloc((size_t)ix->share + 1, sizeof(*part->first));
	for (uint32_t k = a; k < b; k++) {
		pass_over(ix, &w, &c, ix->edges[k], ix->edges[k + 1]);
		for (uint32_t s = 0; s < ix->n_slots; s++) {
			if (empty(&acc[s]))
				continue;
			VEC_PUSH(&part->entries, (struct entry){ s, acc[s] });
			memset(&acc[s], 0, sizeof(acc[s]));
		}
		part->first[k - a + 1] = (uint32_t)part->entries.n;
	}
	op_pass_fini(&w);
	VEC_FREE(&c.seen);
	free(acc);
}

static void add(struct op_split *to, const struct op_split *s, int sign)
{
	to->count += sign * s->count;
	to->total += sign * s->total;
	to->self += sign * s->self;
	to->exposed += sign * s->exposed;
	to->copy_wait += sign * s->copy_wait;
	to->device += sign * s->device;
	for (int i = 0; i < RT_N; i++)
		to->rt[i] += sign * s->rt[i];
}

static int stray_cmp(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;

	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void join_parts(struct op_index *ix)
{
	struct op_split *sum = xcalloc(ix->n_slots, sizeof(*sum));

	for (uint32_t i = 0; i < ix->n_parts; i++) {
		struct op_index_part *part = &ix->parts[i];

		part->before = xreallocarray(NULL, ix->n_slots, sizeof(*sum));
		memcpy(part->before, sum, ix->n_slots * sizeof(*sum));
		for (size_t k = 0; k < part->entries.n; k++)
			add(&sum[part->entries.a[k].slot], &part->entries.a[k].s, 1);
		part->entries.a = xreallocarray(part->entries.a, part->entries.n, sizeof(*part->entries.a));
		part->entries.cap = part->entries.n;
		for (size_t k = 0; k < part->strays.n; k++)
			VEC_PUSH(&ix->strays, part->strays.a[k]);
		VEC_FREE(&part->strays);
	}
	if (ix->strays.n)
		qsort(ix->strays.a, ix->strays.n, sizeof(*ix->strays.a), stray_cmp);
	free(sum);
}

struct op_index *op_index_new(const struct facts *f, uint32_t block)
{
	struct op_index *ix = xcalloc(1, sizeof(*ix));
	size_t least;

	op_plan_init(&ix->plan, f);
	find_names(ix, f);
	if ((uint64_t)ix->n_names * f->ops.n_tracks > SLOTS_MAX && (uint64_t)ix->n_names * f->n_procs > SLOTS_MAX) {
		op_index_free(ix);
		return NULL;
	}
	find_procs(ix, f);
	cut(ix, block);
	/* sums of everything before may cost so many bytes per op */
	least = (size_t)ix->n_slots * sizeof(struct op_split) / ((size_t)block * DENSE_BYTES_PER_OP);
	ix->share = least > SHARE_MIN ? (uint32_t)least : SHARE_MIN;
	ix->n_parts = (ix->n_blocks + ix->share - 1) / ix->share;
	ix->parts = xcalloc(ix->n_parts, sizeof(*ix->parts));
	par_each(par_workers(0), ix->n_parts, build_part, ix);
	join_parts(ix);
	return ix;
}

void op_index_free(struct op_index *ix)
{
	if (!ix)
		return;
	for (uint32_t i = 0; i < ix->n_parts; i++) {
		free(ix->parts[i].first);
		free(ix->parts[i].before);
		VEC_FREE(&ix->parts[i].entries);
	}
	free(ix->parts);
	free(ix->edges);
	free(ix->slot_of_name);
	free(ix->string_of_name);
	free(ix->base_of_proc);
	free(ix->proc_of_base);
	VEC_FREE(&ix->strays);
	op_plan_fini(&ix->plan);
	free(ix);
}

size_t op_index_bytes(const struct op_index *ix)
{
	size_t n = sizeof(*ix) + ((size_t)ix->n_blocks + 1) * sizeof(*ix->edges) + ix->strays.cap * sizeof(*ix->strays.a);

	for (uint32_t i = 0; i < ix->n_parts; i++)
		n += sizeof(struct op_index_part) + ix->n_slots * sizeof(struct op_split) + ix->parts[i].entries.cap * sizeof(struct entry) +
			((size_t)ix->share + 1) * sizeof(uint32_t);
	for (uint32_t i = 0; i < ix->plan.f->n_procs; i++)
		n += ix->plan.busy.made[i].cap * sizeof(struct span);
	return n;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* What all blocks before k hold. */
static uint64_t add_before(const struct op_index *ix, uint32_t k, int sign, struct op_split *acc)
{
	const struct op_index_part *part;
	uint32_t i = k / ix->share;
	uint64_t work;

	if (i == ix->n_parts)	/* the last part is full */
		i--;
	part = &ix->parts[i];
	for (uint32_t s = 0; s < ix->n_slots; s++)
		add(&acc[s], &part->before[s], sign);
	work = part->first[k - i * ix->share];
	for (uint64_t x = 0; x < work; x++)
		add(&acc[part->entries.a[x].slot], &part->entries.a[x].s, sign);
	return work + ix->n_slots;
}

/* The first edge at or behind t. */
static uint32_t edge_from(const struct op_index *ix, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, 0, ix->n_blocks, ix->edges[i] < t);
	return i;
}

uint64_t op_index_sum(const struct op_index *cix, const struct span *windows, size_t n, struct op_split *acc)
{
	struct op_index *ix = (struct op_index *)(uintptr_t)cix;	/* passes only read it */
	struct op_pass w = pass_of(ix, acc);
	struct credit c = { .ix = ix, .pass = &w };

	for (size_t i = 0; i < n; i++) {
		ns_t from = windows[i].start > -NS_LIMIT ? windows[i].start : -NS_LIMIT;
		ns_t to = windows[i].end < NS_LIMIT ? windows[i].end : NS_LIMIT;
		uint32_t a = edge_from(ix, from), b = edge_from(ix, to);

		if (from >= to)
			continue;
		b -= ix->edges[b] > to;
		if (a >= b) {
			pass_over(ix, &w, &c, from, to);
			continue;
		}
		pass_over(ix, &w, &c, from, ix->edges[a]);
		w.work += add_before(ix, b, 1, acc) + add_before(ix, a, -1, acc);
		pass_over(ix, &w, &c, ix->edges[b], to);
	}
	credit_strays(&c, windows, n);
	VEC_FREE(&c.seen);
	op_pass_fini(&w);
	return w.work;
}

/* ---- one per source ----------------------------------------------------------------------------------------------- */

static void *make_index(const void *facts)
{
	return op_index_new(facts, OP_BLOCK);
}

static void drop_index(void *ix)
{
	op_index_free(ix);
}

const struct op_index *facts_op_index(const struct facts *f)
{
	return lazy_make(&f->extra[FACTS_OP_INDEX], make_index, f, drop_index);
}
