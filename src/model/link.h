/*
 * link.h - launches: which runtime call started a GPU event, which op made the runtime call (definitions.md §7).
 * Used by finish.c: it is told the ids while the events are placed, and links them when all are. Private to src/model.
 */
#ifndef MODEL_LINK_H
#define MODEL_LINK_H

#include "model/profile.h"

struct linker;

/* p: the profile being frozen; its strings, tracks and layer tables are laid out, its columns are not filled. */
struct linker *linker_new(const struct profile *p);
/* To be called for every event, in any order and by any thread, each event once. */
void linker_event(struct linker *ln, struct profile *p, const struct track *tr, ev_id e, uint64_t corr, uint64_t ext);
/* Fills the links and by_launch on up to `workers` threads, frees the linker. All tracks must have been nested. */
void linker_finish(struct linker *ln, struct profile *p, unsigned workers);

#endif
