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
	struct pyruler ruler;
	enum by_dim by;
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

bool pyruler_narrow(struct selection *k, struct scope *sc, enum window_kind asked, struct err *e)
{
	struct scope other = *sc;
	struct pyruler r;
	struct selection t;
	bool known;

	if (asked == WINDOW_ALL || !pyruler_of(&r, k->cx, k->f->source))
		return true;
	other.window = asked;
	known = selection_init(&t, k->cx, &other, r.f->source, e);
	if (known && !t.all) {
		selection_proc_window(&t, r.proc, &k->window);
		for (size_t i = 0; i < k->window.n; i++) {
			k->window.a[i].start -= r.ahead;
			k->window.a[i].end -= r.ahead;
		}
		sc->window = asked;
		k->all = false;
		k->wall = spans_measure(&k->window);
	}
	selection_fini(&t);
	return known;
}

void pysamples_each(const struct selection *k, void (*fn)(void *arg, const struct frame_sample *s, ns_t start, ns_t end), void *arg)
{
	const struct span *w;
	size_t n, first = 0;

	w = selection_windows(k, &n);
	for (uint32_t i = 0; i < k->p->n_frame_samples; i++) {
		const struct frame_sample *s = &k->p->frame_samples[i];

		/* samples begin one after another: what ended before this one is behind all that follow */
		while (first < n && w[first].end <= s->start)
			first++;
		for (size_t j = first; j < n && w[j].start < s->start + s->dur; j++) {
			ns_t start = s->start > w[j].start ? s->start : w[j].start, end = s->start + s->dur;

			fn(arg, s, start, end < w[j].end ? end : w[j].end);
		}
	}
}

static void add_part(void *arg, const struct frame_sample *s, ns_t start, ns_t end)
{
	struct splitter *v = arg;
	const struct pyruler *r = &v->ruler;

	for (ns_t at = start + r->ahead, to = end + r->ahead, edge; at < to; at = edge) {
		uint32_t node = node_of(v, (uint32_t)s->frame, split_proc(r->f, r->proc, v->by, at));

		edge = split_edge(r->f, r->proc, v->by, at);
		edge = edge < to ? edge : to;
		v->t->a[node].self += edge - at;
	}
}

void pysplit_tree(struct calltree *t, const struct selection *k, const uint32_t *name_of, const struct pyruler *r)
{
	struct splitter v = { .t = t, .p = k->p, .name_of = name_of, .ruler = *r, .by = k->sc->by };

	pysamples_each(k, add_part, &v);
	map_fini(&v.nodes);
	VEC_FREE(&v.path);
}
