/*
 * owner_stream.h - who owns which instant over several tracks (definitions.md §2), as a stream of pieces: no list of events or segments is
 * made, and a window costs what lies inside it and the depth at its start. Events of all tracks count as one list in the order of
 * seg_event_cmp(); at each instant the latest of them that is active owns it.
 */
#ifndef ANALYZE_SEGFLOW_H
#define ANALYZE_SEGFLOW_H

#include "calc/owners.h"

struct segflow;

struct segflow_sink {
	/* True if the event is also tracked as a mark; each piece reports its latest active mark. */
	bool (*marks)(void *arg, const struct seg_event *x);
	/* A piece of time, in order; owner NULL where nothing is active, mark NULL where nothing that marks is. */
	void (*piece)(void *arg, ns_t start, ns_t end, const struct seg_event *owner, const struct seg_event *mark);
	void *arg;
};

/* c->first and c->end are not looked at. Tracks are added before the first run; the caller frees. */
struct segflow *segflow_new(const struct seg_columns *c, const struct segflow_sink *sink, ns_t from);
/* A track, [first, end) of the columns; rank as in struct seg_event. What ended before `from` is left out. */
void segflow_track(struct segflow *f, uint32_t first, uint32_t end, uint32_t rank);
/* The pieces of [from, to), which is not before the last run's. */
void segflow_run(struct segflow *f, ns_t from, ns_t to);
void segflow_free(struct segflow *f);

#endif
