/* replay.c - see replay.h */
#include "views/memory/replay.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#define GONE (MAP_NONE - 1)	/* an address whose allocation ended */

struct replaying {
	struct replay *r;
	struct map at;		/* address -> entry of the allocation there, or GONE */
	int64_t *rounded;	/* by entry: what it adds to what is allocated, in rounded bytes */
	VEC(struct base_block) base;
};

static int64_t rounded(int64_t bytes)
{
	return (bytes + 511) / 512 * 512;
}

static int64_t known(struct replay *r, int64_t bytes)
{
	r->unknown += bytes == I64_UNKNOWN;
	return bytes == I64_UNKNOWN ? 0 : bytes;
}

static void add_base(struct replaying *x, int64_t bytes, int64_t in_block, uint32_t died)
{
	VEC_PUSH(&x->base, (struct base_block){ bytes, died });
	x->r->base_bytes += bytes;
	x->r->base_rounded += in_block;
}

static void end_allocation(struct replaying *x, uint32_t i, uint32_t by)
{
	int64_t bytes = replay_entry(x->r, i)->bytes == I64_UNKNOWN ? 0 : replay_entry(x->r, i)->bytes;

	x->r->died[i] = by;
	x->r->delta[by] -= bytes;
	x->rounded[by] -= rounded(bytes);
}

static void allocate(struct replaying *x, uint32_t i, const struct memory_entry *e)
{
	uint32_t before = map_find(&x->at, e->address, 0);

	x->r->allocs++;
	x->r->delta[i] = known(x->r, e->bytes);
	x->rounded[i] = rounded(x->r->delta[i]);
	if (before < GONE) {	/* its end is missing */
		end_allocation(x, before, i);
		x->r->unknown++;
	}
	map_put(&x->at, e->address, 0, i);
}

static void release(struct replaying *x, uint32_t i, const struct memory_entry *e)
{
	uint32_t born = map_find(&x->at, e->address, 0);
	int64_t bytes;

	x->r->frees++;
	if (born < GONE) {
		end_allocation(x, born, i);
	} else {
		bytes = known(x->r, e->bytes);
		x->r->delta[i] -= bytes;
		x->rounded[i] -= rounded(bytes);
		add_base(x, bytes, rounded(bytes), i);
	}
	map_put(&x->at, e->address, 0, GONE);
}

/* Blocks that are active at the end, and were not allocated in the history. */
static void add_old_blocks(struct replaying *x)
{
	const struct memory_records *m = &x->r->p->memory;

	for (uint32_t i = 0; i < m->n_segments; i++) {
		const struct memory_segment *s = &m->segments[i];

		for (uint32_t k = s->first_block; s->device == x->r->s->device && k < s->first_block + s->n_blocks; k++) {
			const struct memory_block *b = &m->blocks[k];

			if ((b->state != BLOCK_ACTIVE && b->state != BLOCK_AWAITING_FREE) || map_find(&x->at, b->address, 0) < GONE)
				continue;
			add_base(x, known(x->r, b->requested), known(x->r, b->bytes), ID_NONE);
		}
	}
}

int64_t replay_reserves(const struct replay *r, uint32_t i)
{
	const struct memory_entry *e = replay_entry(r, i);
	int64_t bytes = e->bytes == I64_UNKNOWN ? 0 : e->bytes;

	if (e->action == MEMORY_SEGMENT_ALLOC || e->action == MEMORY_SEGMENT_MAP)
		return bytes;
	return e->action == MEMORY_SEGMENT_FREE || e->action == MEMORY_SEGMENT_UNMAP ? -bytes : 0;
}

static void find_peaks(struct replay *r, const int64_t *in_block)
{
	int64_t bytes = r->base_bytes, in_blocks = r->base_rounded;

	r->peak_bytes = bytes;
	r->peak_rounded = in_blocks;
	r->peak_entry = ID_NONE;
	for (uint32_t i = 0; i < r->s->n_entries; i++) {
		bytes += r->delta[i];
		in_blocks += in_block[i];
		if (bytes > r->peak_bytes) {
			r->peak_bytes = bytes;
			r->peak_entry = i;
		}
		r->peak_rounded = in_blocks > r->peak_rounded ? in_blocks : r->peak_rounded;
	}
	r->end_bytes = bytes;
}

static void find_reserved(struct replay *r)
{
	const struct memory_records *m = &r->p->memory;
	bool any = false;

	for (uint32_t i = 0; i < m->n_segments; i++)
		if (m->segments[i].device == r->s->device && m->segments[i].total != I64_UNKNOWN) {
			r->reserved_base += m->segments[i].total;
			any = true;
		}
	for (uint32_t i = 0; i < r->s->n_entries; i++)
		r->reserved_base -= replay_reserves(r, i);
	if (!any)
		r->reserved_base = I64_UNKNOWN;
}

void replay_init(struct replay *r, const struct profile *p, const struct memory_series *s)
{
	struct replaying x = { .r = r };

	*r = (struct replay){ .p = p, .s = s };
	r->died = xreallocarray(NULL, s->n_entries, sizeof(*r->died));
	r->delta = xcalloc(s->n_entries, sizeof(*r->delta));
	x.rounded = xcalloc(s->n_entries, sizeof(*x.rounded));
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct memory_entry *e = replay_entry(r, i);

		r->died[i] = ID_NONE;
		r->ooms += e->action == MEMORY_OOM;
		if (e->action == MEMORY_ALLOC)
			allocate(&x, i, e);
		else if (e->action == MEMORY_FREE_COMPLETED)
			release(&x, i, e);
	}
	add_old_blocks(&x);
	find_peaks(r, x.rounded);
	find_reserved(r);
	r->base = x.base.a;
	r->n_base = (uint32_t)x.base.n;
	map_fini(&x.at);
	free(x.rounded);
}

void replay_fini(struct replay *r)
{
	free(r->died);
	free(r->delta);
	free(r->base);
}

uint32_t replay_peak_within(const struct replay *r, uint32_t from, uint32_t to, int64_t *bytes)
{
	int64_t level = r->base_bytes;
	uint32_t peak = ID_NONE;

	for (uint32_t i = 0; i < to && i < r->s->n_entries; i++) {
		level += r->delta[i];
		if (i >= from && (peak == ID_NONE || level > *bytes)) {
			*bytes = level;
			peak = i;
		}
	}
	return peak;
}
