/*
 * ops.c - the ops of a source: torch's op tracks as they are, or, where there are none, NVTX ranges named like
 * operators (emit_nvtx) nested anew without the other ranges (definitions.md §3).
 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "facts/parts.h"
#include "model/nest.h"
#include "model/strtab.h"

void facts_same_ops(struct facts *f)
{
	const struct profile *p = f->p;
	VEC(str_id) first = { 0 };	/* per base */
	struct strtab bases = { 0 };

	for (str_id id = 0; id < p->n_strs; id++) {
		size_t n;
		const char *s = profile_str(p, id, &n);
		size_t base = rules_op_base(s, n);
		uint32_t b;

		if (f->same_op)
			f->same_op[id] = id;
		if (base == n)
			continue;
		if (!f->same_op) {
			f->same_op = xreallocarray(NULL, p->n_strs, sizeof(*f->same_op));
			for (str_id i = 0; i <= id; i++)
				f->same_op[i] = i;
		}
		b = strtab_intern(&bases, s, base);
		if (b == first.n)
			VEC_PUSH(&first, id);
		f->same_op[id] = first.a[b];
	}
	strtab_fini(&bases);
	VEC_FREE(&first);
}

static void torch_ops(struct facts *f)
{
	const struct profile *p = f->p;
	VEC(struct op_track) tracks = { 0 };

	/* LAYER_OP is the first layer, so an op's index is its event id */
	f->ops.n = p->layer_first[LAYER_OP + 1];
	f->ops.start = p->start;
	f->ops.dur = p->dur;
	f->ops.self = p->self;
	f->ops.name = p->name;
	f->ops.parent = p->parent;
	for (track_id t = p->layer_track[LAYER_OP]; t < p->layer_track[LAYER_OP + 1]; t++)
		VEC_PUSH(&tracks, (struct op_track){ p->tracks[t].thread, p->tracks[t].first, p->tracks[t].count });
	f->ops.tracks = tracks.a;
	f->ops.n_tracks = (uint32_t)tracks.n;
}

static bool op_like(const struct rules *r, const char *s, size_t n)
{
	struct step_name sn;
	struct host_class hc;

	if (rules_op_base(s, n) < n)
		return true;
	if (rules_step_name(r, s, n, &sn) || rules_microbatch_name(r, s, n, &sn))
		return false;
	if (n > 6 && !memcmp(s, "aten::", 6))
		return true;
	if (n > 33 && !memcmp(s, "autograd::engine::evaluate_function", 33))
		return true;
	if (rules_phase_marker(r, s, n))
		return false;
	rules_op(r, s, n, &hc);
	return hc.known && memmem(s, n, "::", 2);
}

static bool op_like_id(const struct facts *f, const struct rules *r, struct per_name m, str_id id)
{
	size_t n;
	const char *s;

	if (id >= f->p->n_strs)
		return false;
	if (m.v[id] == MEMO_NONE) {
		s = profile_str(f->p, id, &n);
		m.v[id] = op_like(r, s, n);
	}
	return m.v[id];
}

struct nvtx_ops {
	VEC(ns_t) start, dur;
	VEC(str_id) name;
	VEC(ev_id) ev;
	VEC(struct op_track) tracks;
};

/* The op-like ranges of a thread over all domains, in track order. */
static void collect_thread(const struct facts *f, const struct rules *r, struct per_name m, const struct fact_index *ix, thread_id thread,
	struct nvtx_ops *o)
{
	const struct profile *p = f->p;
	uint32_t n_tracks;
	const track_id *tracks = layer_tracks(p, &ix->tracks_of_thread, thread, LAYER_NVTX, &n_tracks);
	VEC(struct sort_key) keys = { 0 };
	struct sort_key *tmp;

	for (uint32_t i = 0; i < n_tracks; i++) {
		const struct track *tr = &p->tracks[tracks[i]];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (op_like_id(f, r, m, p->name[e]))
				VEC_PUSH(&keys, (struct sort_key){ p->start[e], ev_end(p, e), e });
	}
	if (!keys.n)
		return;
	tmp = xreallocarray(NULL, keys.n, sizeof(*tmp));
	sort_keys(keys.a, tmp, (uint32_t)keys.n);
	free(tmp);
	VEC_PUSH(&o->tracks, (struct op_track){ thread, (uint32_t)o->ev.n, (uint32_t)keys.n });
	for (size_t i = 0; i < keys.n; i++) {
		VEC_PUSH(&o->start, keys.a[i].start);
		VEC_PUSH(&o->dur, keys.a[i].end - keys.a[i].start);
		VEC_PUSH(&o->name, p->name[keys.a[i].pos]);
		VEC_PUSH(&o->ev, keys.a[i].pos);
	}
	VEC_FREE(&keys);
}

static void nvtx_ops(struct facts *f, const struct rules *r, const struct fact_index *ix)
{
	struct nvtx_ops o = { 0 };
	struct per_name m = per_name_new(f->p);
	ns_t *self;
	uint32_t *parent;

	for (thread_id t = 0; t < f->p->n_threads; t++)
		collect_thread(f, r, m, ix, t, &o);
	free(m.v);
	self = xreallocarray(NULL, o.ev.n, sizeof(*self));
	parent = xreallocarray(NULL, o.ev.n, sizeof(*parent));
	for (size_t i = 0; i < o.tracks.n; i++) {
		uint32_t first = o.tracks.a[i].first;

		nest_track(o.start.a + first, o.dur.a + first, o.tracks.a[i].count, first, self + first, parent + first);
	}
	f->ops = (struct op_layer){
		.n = (uint32_t)o.ev.n, .start = o.start.a, .dur = o.dur.a, .self = self, .name = o.name.a, .parent = parent,
		.ev = o.ev.a, .tracks = o.tracks.a, .n_tracks = (uint32_t)o.tracks.n, .from_nvtx = true,
	};
}

uint32_t op_layer_at(const struct op_layer *o, const struct op_track *tr, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, tr->first, tr->first + tr->count, o->start[i] <= t);
	if (i == tr->first)
		return ID_NONE;
	for (i--; i != ID_NONE && o->start[i] + o->dur[i] <= t; i = o->parent[i])
		;
	return i;
}

static void link_calls(struct facts *f)
{
	const struct profile *p = f->p;
	ev_id base = p->layer_first[LAYER_RUNTIME];
	uint32_t n = p->layer_first[LAYER_RUNTIME + 1] - base;

	f->call_op = xreallocarray(NULL, n, sizeof(*f->call_op));
	f->call_thread = xreallocarray(NULL, n, sizeof(*f->call_thread));
	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		uint32_t ot = f->threads[tr->thread].op_track;

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			f->call_thread[e - base] = tr->thread;
			if (f->ops.from_nvtx)
				f->call_op[e - base] = ot == ID_NONE ? ID_NONE : op_layer_at(&f->ops, &f->ops.tracks[ot], p->start[e]);
			else
				f->call_op[e - base] = p->link[e];
		}
	}
}

/* Processes that issue GPU work or have ops; in a source without either, those that call the runtime at all. */
static void mark_training(struct facts *f)
{
	const struct profile *p = f->p;
	bool any = false;

	for (thread_id t = 0; t < p->n_threads; t++) {
		if (!f->threads[t].launches && f->threads[t].op_track == ID_NONE)
			continue;
		f->procs[f->threads[t].proc].training = true;
		any = true;
	}
	for (track_id t = p->layer_track[LAYER_RUNTIME]; !any && t < p->layer_track[LAYER_RUNTIME + 1]; t++)
		f->procs[f->threads[p->tracks[t].thread].proc].training = true;
}

void facts_ops(struct facts *f, const struct rules *r, const struct fact_index *ix)
{
	if (f->p->layer_first[LAYER_OP + 1] > 0)
		torch_ops(f);
	else
		nvtx_ops(f, r, ix);
	for (uint32_t i = 0; i < f->ops.n_tracks; i++)
		f->threads[f->ops.tracks[i].thread].op_track = i;
	mark_training(f);
	link_calls(f);
	facts_find_on_cpu(f, r);
}
