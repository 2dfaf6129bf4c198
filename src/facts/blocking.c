/*
 * blocking.c - copy calls in which the host waits, told by what the call did (definitions.md section 6): one end is host memory that is
 * not known to be pinned, or the call is no asynchronous one, and it returns after its own copy has ended.
 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "facts/parts.h"

#define DISPATCH_MAX_NS INT64_C(20000) /* a shorter time before the copy is dispatch, no wait */

static bool is_async(const struct profile *p, ev_id call)
{
	size_t n;
	const char *s = profile_str(p, p->name[call], &n);

	return memmem(s, n, "Async", 5) != NULL;
}

static bool may_be_pageable(uint8_t mem)
{
	return mem == MEM_PAGEABLE || mem == MEM_UNKNOWN;
}

/* Whether a copy of this kind may hold up its caller. */
static bool may_block(const struct copy_detail *c, bool async)
{
	switch (c->kind) {
	case COPY_HTOD:
	case COPY_HTOA:
		return !async || may_be_pageable(c->src);
	case COPY_DTOH:
	case COPY_ATOH:
		return !async || may_be_pageable(c->dst);
	case COPY_HTOH:
		return !async || may_be_pageable(c->src) || may_be_pageable(c->dst);
	default:
		return c->src == MEM_PAGEABLE || c->dst == MEM_PAGEABLE;
	}
}

/* The copies of one call, `n` GPU events from `first` of by_launch on. False: it has none that may block. */
static bool copies_of(const struct profile *p, uint32_t first, uint32_t n, struct blocking_copy *b)
{
	bool async = is_async(p, b->call), any = false;

	for (uint32_t i = first; i < first + n; i++) {
		ev_id e = p->by_launch[i];

		if (e < p->layer_first[LAYER_MEMCPY] || e >= p->layer_first[LAYER_MEMCPY + 1] ||
		    p->aux[e] >= p->n_copies || !may_block(&p->copies[p->aux[e]], async))
			continue;
		b->copy_start = any && b->copy_start < p->start[e] ? b->copy_start : p->start[e];
		b->copy_end = any && b->copy_end > ev_end(p, e) ? b->copy_end : ev_end(p, e);
		any = true;
	}
	return any;
}

void facts_blocking_copies(struct facts *f)
{
	const struct profile *p = f->p;
	VEC(struct blocking_copy) out = {0};
	uint32_t n;

	for (uint32_t i = 0; i < p->n_by_launch; i += n) {
		struct blocking_copy b = {.call = p->link[p->by_launch[i]]};
		ns_t start = p->start[b.call];

		for (n = 1; i + n < p->n_by_launch && p->link[p->by_launch[i + n]] == b.call; n++)
			;
		if (facts_rt(f, b.call) != RT_MEMCPY || !copies_of(p, i, n, &b) ||
		    b.copy_end > ev_end(p, b.call) || b.copy_end <= start)
			continue;
		b.copy_start = b.copy_start > start ? b.copy_start : start;
		b.wait_end = b.copy_start - start > DISPATCH_MAX_NS ? b.copy_start : start;
		VEC_PUSH(&out, b);
	}
	f->blocking = out.a;
	f->n_blocking = (uint32_t)out.n;
}

static const struct blocking_copy *find(const struct facts *f, ev_id call)
{
	uint32_t i;

	LOWER_BOUND(i, 0, f->n_blocking, f->blocking[i].call < call);
	return i < f->n_blocking && f->blocking[i].call == call ? &f->blocking[i] : NULL;
}

const struct blocking_copy *facts_blocking_copy(const struct facts *f, ev_id call)
{
	const struct blocking_copy *b = NULL;

	for (ev_id up = call; f->n_blocking && !b && up != ID_NONE && facts_rt(f, up) == RT_MEMCPY;
	     up = f->p->parent[up])
		b = find(f, up);
	return b;
}
