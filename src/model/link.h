/*
 * link.h - launches: which runtime call started a GPU event, which op made the runtime call (definitions.md §7).
 * Used by place.c: it is told the ids while the events are placed, and links them when all are. Private to src/model.
 */
#ifndef MODEL_LINK_H
#define MODEL_LINK_H

#include "model/builder_impl.h"

struct linker;

/*
 * p: the profile being frozen; its strings, tracks and layer tables are laid out, its columns are not filled.
 * calls_name_ops: the ext of runtime calls is wanted too.
 */
struct linker *linker_new(const struct profile *p, bool calls_name_ops);
/* To be called for all events, in any order and by any thread, each event once: n of a track from `first` on. */
void linker_take(struct linker *ln, struct profile *p, const struct track *tr, ev_id first, const struct raw_event *e, uint32_t n);
/* Fills the links, by_launch and event_waits on up to `workers` threads, frees the linker. All tracks must have been nested. */
void linker_finish(struct linker *ln, struct profile *p, const struct raw_wait *waits, size_t n_waits, unsigned workers);

#endif
