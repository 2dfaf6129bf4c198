/* py_by_step.c - samples by step, see py_by_step.h */
#include "measure/py_by_step.h"

#include "base/map.h"
#include "base/vec.h"
#include "scope/selections.h"

/* The only process with steps; ID_NONE: none, or several. */
static uint32_t stepping_proc(const struct facts *f)
{
	uint32_t found = ID_NONE;

	for (uint32_t i = 0; i < f->n_procs; i++) {
		if (!f->procs[i].n_steps)
			continue;
		if (found != ID_NONE)
			return ID_NONE;
		found = i;
	}
	return found;
}

bool pyruler_of(struct pyruler *r, const struct an_ctx *cx, uint32_t sampler)
{
	const struct session *s = cx->session;

	for (uint32_t i = 0; cx->facts[sampler]->p->n_frame_samples && i < s->n_sources; i++) {
		const struct facts *f = cx->facts[i];

		if (!f || s->sources[i].clock_group != s->sources[sampler].clock_group || stepping_proc(f) == ID_NONE)
			continue;
		*r = (struct pyruler){ f, stepping_proc(f), s->sources[sampler].shift_ns - s->sources[i].shift_ns };
		return true;
	}
	return false;
}

struct splitter {
	struct calltree *t;
	const struct profile *p;
	const uint32_t *name_of;
	struct map nodes;		/* (frame, split) -> node */
	VEC(uint32_t) path;
};

/* The node of a frame for a value of the split: made from the outermost caller down. */
static uint32_t node_of(struct splitter *v, uint32_t frame, int64_t split)
{
	uint32_t node = ID_NONE;

	v->path.n = 0;
	for (uint32_t f = frame; f != ID_NONE && node == ID_NONE; f = v->p->frames[f].parent < 0 ? ID_NONE : (uint32_t)v->p->frames[f].parent) {
		node = map_find(&v->nodes, f, (uint64_t)split);
		if (node == MAP_NONE) {
			node = ID_NONE;
			VEC_PUSH(&v->path, f);
		}
	}
	while (v->path.n) {
		frame = v->path.a[--v->path.n];
		node = calltree_split_node(v->t, node, v->name_of[frame], frame, split);
		map_put(&v->nodes, frame, (uint64_t)split, node);
	}
	return node;
}

bool pysplit_tree(struct calltree *t, const struct pick *k, const uint32_t *name_of, const struct pyruler *r)
{
	struct splitter v = { .t = t, .p = k->p, .name_of = name_of };
	enum by_dim by = k->sc->by;

	if (by != BY_STEP && by != BY_PHASE && by != BY_MICROBATCH)
		return false;
	for (uint32_t i = 0; i < k->p->n_frame_samples; i++) {
		const struct frame_sample *s = &k->p->frame_samples[i];
		ns_t to = s->start + s->dur + r->ahead;

		for (ns_t at = s->start + r->ahead, end; at < to; at = end) {
			uint32_t node = node_of(&v, (uint32_t)s->frame, split_proc(r->f, r->proc, by, at));

			end = split_edge(r->f, r->proc, by, at);
			end = end < to ? end : to;
			t->a[node].self += end - at;
		}
	}
	map_fini(&v.nodes);
	VEC_FREE(&v.path);
	return true;
}
