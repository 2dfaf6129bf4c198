/*
 * owner_stream.h - who owns which instant over several tracks (definitions.md §2), as a stream of pieces: no list of events or segments is
 * made, and a window costs what lies inside it and the depth at its start. Events of all tracks count as one list in the order of
 * owner_event_cmp(); at each instant the latest of them that is active owns it.
 */
#ifndef CALC_OWNER_STREAM_H
#define CALC_OWNER_STREAM_H

#include "calc/owners.h"

struct owner_stream;

struct owner_stream_sink {
	/* True if the event is also tracked as a mark; each piece reports its latest active mark. */
	bool (*marks)(void *arg, const struct owner_event *x);
	/* A piece of time, in order; owner NULL where nothing is active, mark NULL where nothing that marks is. */
	void (*piece)(void *arg, ns_t start, ns_t end, const struct owner_event *owner, const struct owner_event *mark);
	void *arg;
};

/* c->first and c->end are not looked at. Tracks are added before the first run; the caller frees. */
struct owner_stream *owner_stream_new(const struct owner_columns *c, const struct owner_stream_sink *sink, ns_t from);
/* A track, [first, end) of the columns; rank as in struct owner_event. What ended before `from` is left out. */
void owner_stream_track(struct owner_stream *f, uint32_t first, uint32_t end, uint32_t rank);
/* The pieces of [from, to), which is not before the last run's. */
void owner_stream_run(struct owner_stream *f, ns_t from, ns_t to);
void owner_stream_free(struct owner_stream *f);

#endif
