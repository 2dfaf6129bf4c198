/*
 * link.c - launch links, see link.h.
 *
 * Several runtime calls may carry one correlation id (a driver call inside a runtime call, rocprofiler twins); they form
 * a chain. The one taken: a launching name first, a runtime API call before a driver call, then the latest start that is
 * not after the GPU event's (torch.md §4).
 */
#include "model/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

struct runtime_ref {
	ev_id call;
	uint32_t next;		/* index of the next call with the same id, ID_NONE */
	uint64_t ext;		/* External id if it differs from the correlation id, else CORR_NONE */
};

struct linker {
	struct map by_corr;		/* (link group, correlation id) -> newest entry in refs */
	VEC(struct runtime_ref) refs;
	VEC(uint64_t) op_ext;		/* External id per op, in column order */
	uint8_t *launches;		/* per string: 0 not looked at, 1 no, 2 names a launching call */
	bool any_ext;			/* some runtime call carries a usable External id */
};

struct linker *linker_new(const struct profile *p)
{
	struct linker *ln = xcalloc(1, sizeof(*ln));

	ln->launches = xcalloc(p->n_strs, 1);
	return ln;
}

static bool launching_name(struct linker *ln, const struct profile *p, str_id name)
{
	static const char *const words[] = { "Launch", "Memcpy", "Memset", "Graph" };
	size_t n;
	const char *s = profile_str(p, name, &n);

	if (name >= p->n_strs)
		return false;
	if (!ln->launches[name]) {
		ln->launches[name] = 1;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (memmem(s, n, words[i], strlen(words[i])))
				ln->launches[name] = 2;
	}
	return ln->launches[name] == 2;
}

static void add_call(struct linker *ln, const struct track *tr, ev_id e, uint64_t corr, uint64_t ext)
{
	struct runtime_ref r = { e, ID_NONE, ext != corr ? ext : CORR_NONE };

	ln->any_ext |= r.ext != CORR_NONE;
	if (corr != CORR_NONE) {
		r.next = map_find(&ln->by_corr, tr->link_group, corr);
		map_put(&ln->by_corr, tr->link_group, corr, (uint32_t)ln->refs.n);
	}
	VEC_PUSH(&ln->refs, r);
}

static bool better(struct linker *ln, const struct profile *p, ev_id a, ev_id b, ns_t start)
{
	bool la = launching_name(ln, p, p->name[a]), lb = launching_name(ln, p, p->name[b]);
	bool da = p->aux[a] == RUNTIME_DRIVER, db = p->aux[b] == RUNTIME_DRIVER;
	bool early_a = p->start[a] <= start, early_b = p->start[b] <= start;

	if (la != lb)
		return la;
	if (da != db)
		return db;
	if (early_a != early_b)
		return early_a;
	return early_a ? p->start[a] > p->start[b] : p->start[a] < p->start[b];
}

static ev_id launch_of(struct linker *ln, const struct profile *p, const struct track *tr, ns_t start, uint64_t corr)
{
	ev_id best = ID_NONE;
	uint32_t i = corr == CORR_NONE ? ID_NONE : map_find(&ln->by_corr, tr->link_group, corr);

	for (; i != ID_NONE; i = ln->refs.a[i].next)
		if (best == ID_NONE || better(ln, p, ln->refs.a[i].call, best, start))
			best = ln->refs.a[i].call;
	return best;
}

void linker_event(struct linker *ln, struct profile *p, const struct track *tr, ev_id e, uint64_t corr, uint64_t ext)
{
	p->link[e] = ID_NONE;
	if (tr->layer == LAYER_OP)
		VEC_PUSH(&ln->op_ext, ext);
	else if (tr->layer == LAYER_RUNTIME)
		add_call(ln, tr, e, corr, ext);
	else if (layer_on_gpu(tr->layer))
		p->link[e] = launch_of(ln, p, tr, p->start[e], corr);
}

/* The op that declares an External id, for runtime calls outside every op. */
static ev_id op_by_ext(const struct map *m, const struct linker *ln, uint32_t ref)
{
	uint64_t ext = ln->refs.a[ref].ext;

	return ext == CORR_NONE ? ID_NONE : map_find(m, 0, ext);
}

static void link_calls(struct linker *ln, struct profile *p)
{
	struct map ops = { 0 };
	uint32_t ref = 0;

	for (size_t i = 0; ln->any_ext && i < ln->op_ext.n; i++)
		if (ln->op_ext.a[i] != CORR_NONE)
			map_put(&ops, 0, ln->op_ext.a[i], p->layer_first[LAYER_OP] + (ev_id)i);
	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		track_id op_track = profile_host_track(p, LAYER_OP, tr->thread);

		for (ev_id e = tr->first; e < tr->first + tr->count; e++, ref++) {
			if (op_track != ID_NONE)
				p->link[e] = track_event_at(p, &p->tracks[op_track], p->start[e]);
			if (p->link[e] == ID_NONE)
				p->link[e] = op_by_ext(&ops, ln, ref);
		}
	}
	map_fini(&ops);
}

struct launch_key {
	ev_id launch;
	ev_id event;
	ns_t start;
};

static int launch_cmp(const void *pa, const void *pb)
{
	const struct launch_key *a = pa, *b = pb;

	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->event < b->event ? -1 : 1;
}

static void index_launches(struct profile *p)
{
	static const enum layer work[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };
	VEC(struct launch_key) keys = { 0 };

	for (size_t l = 0; l < sizeof(work) / sizeof(*work); l++)
		for (ev_id e = p->layer_first[work[l]]; e < p->layer_first[work[l] + 1]; e++)
			if (p->link[e] != ID_NONE)
				VEC_PUSH(&keys, (struct launch_key){ p->link[e], e, p->start[e] });
	if (keys.n)
		qsort(keys.a, keys.n, sizeof(*keys.a), launch_cmp);
	p->by_launch = xreallocarray(NULL, keys.n, sizeof(*p->by_launch));
	p->n_by_launch = (uint32_t)keys.n;
	for (size_t i = 0; i < keys.n; i++)
		p->by_launch[i] = keys.a[i].event;
	VEC_FREE(&keys);
}

void linker_finish(struct linker *ln, struct profile *p)
{
	link_calls(ln, p);
	index_launches(p);
	map_fini(&ln->by_corr);
	VEC_FREE(&ln->refs);
	VEC_FREE(&ln->op_ext);
	free(ln->launches);
	free(ln);
}
