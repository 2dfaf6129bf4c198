/*
 * replay.h - the history of a device replayed: what was allocated after each entry, when each allocation ended, the peak.
 *
 * Base: what was allocated when the history begins and is of unknown origin: blocks that are freed in it without having been allocated in
 * it, and blocks that are active at its end and were not. Bytes are those of the entries (of a snapshot: those that were asked for);
 * `rounded` ones are whole blocks of 512 bytes, as the allocator hands them out, or larger where the state at the end says so.
 */
#ifndef VIEWS_MEMORY_REPLAY_H
#define VIEWS_MEMORY_REPLAY_H

#include "model/profile.h"

struct base_block {
	int64_t bytes;
	uint32_t died;		/* entry of the series that ends it, ID_NONE: none does */
};
struct replay {
	const struct profile *p;
	const struct memory_series *s;
	uint32_t *died;		/* by entry of the series: of an allocation, the entry that ends it, ID_NONE: none does. Of others ID_NONE */
	int64_t *delta;		/* by entry: what it adds to what is allocated */
	struct base_block *base;
	uint32_t n_base;
	int64_t base_bytes, base_rounded, end_bytes;
	int64_t peak_bytes, peak_rounded;
	uint32_t peak_entry;	/* the first one after which as much was allocated; ID_NONE: before all of them */
	int64_t reserved_base;	/* I64_UNKNOWN where no segment says */
	uint64_t allocs, frees, ooms;
	uint64_t unknown;	/* entries without bytes: figures are bounds */
};

void replay_init(struct replay *r, const struct profile *p, const struct memory_series *s);
void replay_fini(struct replay *r);

static inline const struct memory_entry *replay_entry(const struct replay *r, uint32_t i)
{
	return &r->p->memory.entries[r->s->first_entry + i];
}
/* What an entry adds to what is reserved. */
int64_t replay_reserves(const struct replay *r, uint32_t i);
/* Whether the allocation of entry i is live after entry `at` (ID_NONE: before all entries); the same of a base block. */
static inline bool replay_live(const struct replay *r, uint32_t i, uint32_t at)
{
	return at != ID_NONE && replay_entry(r, i)->action == MEMORY_ALLOC && i <= at && r->died[i] > at;
}
static inline bool replay_base_live(const struct base_block *k, uint32_t at)
{
	return at == ID_NONE || k->died > at;
}
/* The entry in [from, to) after which most is allocated, the first of several; ID_NONE: the interval is empty. */
uint32_t replay_peak_within(const struct replay *r, uint32_t from, uint32_t to, int64_t *bytes);

#endif
