/* ownership.c - see ownership.h */
#include "views/memory/ownership.h"

#include <stdlib.h>

#include "base/mem.h"

struct counting {
	const struct history *h;
	struct owner *of;	/* by frame; then those without a frame, and the base */
	uint32_t *frame_of;	/* by stack, from 1 on; 0: not looked up yet */
	uint32_t at, last;
};

static uint32_t owner_index(struct counting *x, uint32_t stack)
{
	const struct profile *p = x->h->r.p;
	uint32_t frame;

	if (stack == ID_NONE)
		return p->memory.n_frames;
	if (!x->frame_of[stack]) {
		frame = owner_frame(p, stack);
		x->frame_of[stack] = (frame == ID_NONE ? p->memory.n_frames : frame) + 1;
	}
	return x->frame_of[stack] - 1;
}

static void count_live(struct owner *o, int64_t bytes, uint32_t born, uint32_t died)
{
	o->at_bytes += bytes;
	o->born = o->at_blocks && o->born < born ? o->born : born;
	o->dies = !o->at_blocks ? died : o->dies == ID_NONE || died == ID_NONE ? ID_NONE : died > o->dies ? died : o->dies;
	o->at_blocks++;
}

static void count_life(struct owner *o, const struct replay *r, uint32_t i)
{
	ns_t born = replay_entry(r, i)->time, died = r->died[i] == ID_NONE ? NS_UNKNOWN : replay_entry(r, r->died[i])->time;

	if (born == NS_UNKNOWN || died == NS_UNKNOWN || died < born || o->life_ns > NS_LIMIT)
		return;
	o->life_ns += died - born;
	o->ended++;
}

static void count_entry(struct counting *x, uint32_t i)
{
	const struct replay *r = &x->h->r;
	const struct memory_entry *e = replay_entry(r, i);
	int64_t bytes = e->bytes == I64_UNKNOWN ? 0 : e->bytes;
	struct owner *o;

	if (e->action != MEMORY_ALLOC)
		return;
	o = &x->of[owner_index(x, e->stack)];
	if (i >= x->h->from && i < x->h->to) {
		o->allocs++;
		o->bytes += bytes;
		count_life(o, r, i);
	}
	if (replay_live(r, i, x->at))
		count_live(o, bytes, i, r->died[i]);
	if (replay_live(r, i, x->last))
		o->end_bytes += bytes;
}

static int by_size(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->at_bytes != y->at_bytes)
		return x->at_bytes > y->at_bytes ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

void ownership_init(struct ownership *w, const struct history *h, uint32_t at)
{
	const struct memory_records *m = &h->r.p->memory;
	uint32_t n = m->n_frames + 2;
	struct counting x = { .h = h, .of = xcalloc(n, sizeof(*x.of)), .frame_of = xcalloc(m->n_stacks, sizeof(*x.frame_of)), .at = at,
		.last = h->r.s->n_entries ? h->r.s->n_entries - 1 : ID_NONE };

	for (uint32_t i = 0; i < n; i++)
		x.of[i].frame = i < m->n_frames ? i : ID_NONE;
	for (uint32_t i = 0; i < h->r.s->n_entries; i++)
		count_entry(&x, i);
	x.of[n - 1].base = true;
	for (uint32_t i = 0; i < h->r.n_base; i++) {
		if (replay_base_live(&h->r.base[i], at))
			count_live(&x.of[n - 1], h->r.base[i].bytes, ID_NONE, h->r.base[i].died);
		if (h->r.base[i].died == ID_NONE)
			x.of[n - 1].end_bytes += h->r.base[i].bytes;
	}
	w->n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (x.of[i].allocs || x.of[i].at_blocks || x.of[i].end_bytes)
			x.of[w->n++] = x.of[i];
	if (w->n)
		qsort(x.of, w->n, sizeof(*x.of), by_size);
	w->a = x.of;
	free(x.frame_of);
}

void ownership_fini(struct ownership *w)
{
	free(w->a);
}
