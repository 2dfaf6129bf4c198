/*
 * nest.h - the stack pass of definitions.md §2 over one track: parent, self time, overlaps.
 */
#ifndef MODEL_NEST_H
#define MODEL_NEST_H

#include <stddef.h>

#include "model/schema.h"

struct nest_result {
	uint32_t overlaps;	/* events that outlive the event they start in */
	uint32_t depth_max;	/* 1 = flat, 0 = no events */
	ns_t last;		/* the last end, INT64_MIN = no events */
};

/*
 * start, dur: n events in track order (start ascending, end descending, file order). Writes self (ns) and parent
 * (first + index in the track, ID_NONE at roots) for each. For ANY input the selfs sum to the measure of the union.
 */
struct nest_result nest_track(const ns_t *start, const ns_t *dur, uint32_t n, ev_id first, ns_t *self, ev_id *parent);

/* The same bit by bit. The members are nest.c's. */
struct nest_active {
	ns_t end;
	uint32_t event;
};
struct nest {
	const ns_t *start, *dur;
	ns_t *self;
	ev_id *parent;
	ev_id first;
	uint32_t n;		/* so many events are done */
	ns_t now;		/* everything before it has its owner */
	struct {		/* the latest in the order on top; ended ones below are met when uncovered */
		struct nest_active *a;
		size_t n, cap;
	} active;
	struct nest_result result;
};
void nest_begin(struct nest *w, const ns_t *start, const ns_t *dur, ev_id first, ns_t *self, ev_id *parent);
void nest_until(struct nest *w, uint32_t n);		/* the first n events are in their place */
struct nest_result nest_end(struct nest *w);

/* Sort keys of a track; sort_keys() orders them by (start ascending, end descending, position ascending). */
struct sort_key {
	ns_t start, end;
	uint32_t pos;
};
/* Merge sort that costs n where the input is in order. tmp: room for n keys. */
void sort_keys(struct sort_key *k, struct sort_key *tmp, uint32_t n);

#endif
