/*
 * link.h - launches: which runtime call started a GPU event, which op made the runtime call (definitions.md §7).
 * Used by finish.c while it places the events in the columns. Private to src/model.
 */
#ifndef MODEL_LINK_H
#define MODEL_LINK_H

#include "model/profile.h"

struct linker;

/* p: the profile being frozen (its counts and layer tables are filled while linking goes on). */
struct linker *linker_new(const struct profile *p);
/* To be called for every event in column order; runtime calls come before GPU events because of the order of the layers. */
void linker_event(struct linker *ln, struct profile *p, const struct track *tr, ev_id e, uint64_t corr, uint64_t ext);
/* Fills the remaining links and by_launch, frees the linker. All tracks must have been nested. */
void linker_finish(struct linker *ln, struct profile *p);

#endif
