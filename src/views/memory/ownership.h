/*
 * ownership.h - the allocations of a history by owner (the frame of the program that caused them, see common.h), and the base
 * as a row of its own.
 */
#ifndef VIEWS_MEMORY_OWNERSHIP_H
#define VIEWS_MEMORY_OWNERSHIP_H

#include "views/memory/common.h"

struct owner {
	uint32_t frame;		/* ID_NONE: no stack was recorded */
	bool base;		/* what was there before the recording, of unknown origin */
	uint64_t allocs, at_blocks;
	int64_t bytes;		/* allocated in the window */
	int64_t at_bytes;	/* live after the entry asked for */
	int64_t end_bytes;	/* live after the last entry */
	ns_t life_ns;		/* sum over those that ended; NS_UNKNOWN without times */
	uint64_t ended;
	uint32_t born, dies;	/* first birth and last end of those counted in at_blocks; ID_NONE: unknown, or not in the history */
};
struct ownership {
	struct owner *a;	/* those with anything, largest at_bytes first, then bytes */
	uint32_t n;
};

/* `at`: an entry of the history, ID_NONE: before all of them. Allocations outside the window are left out of allocs and bytes. */
void ownership_init(struct ownership *w, const struct history *h, uint32_t at);
void ownership_fini(struct ownership *w);

#endif
