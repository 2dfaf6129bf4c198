/*
 * lanes.h - how the events of a track lie below one another when they are drawn, and the longest one between two of them, for frames
 * whose cost does not grow with the number of events.
 *
 * A ROW is a list of events of one track of which no two are active at once, by start. An event goes to the first row that is free when it
 * begins: where events nest that is their depth, where they overlap there are as many rows as are active at once. GPU tracks are cut by
 * what runs before that (kernels that compute or communicate, copies to and from the device). So every event lies in exactly one row,
 * but for what finds none of LANE_LEVELS free: that is all in the last.
 *
 * 10.1 bytes per event, and 8 per GPU event without a launch. Immutable once made.
 */
#ifndef MEASURE_LANES_H
#define MEASURE_LANES_H

#include "facts/facts.h"

#define LANE_LEVELS 64

enum lane_part { LANE_PART_ALL, LANE_PART_COMM, LANE_PART_HTOD, LANE_PART_DTOH, LANE_PARTS };
struct lane_row {
	track_id track;
	uint8_t part;		/* enum lane_part: LANE_PART_ALL also is the rest of a track that was cut */
	uint16_t level;		/* number among the rows of its part */
	uint32_t first, count;	/* positions */
};
struct lane_top {
	uint32_t dur, pos;
};
struct lanes {
	const struct profile *p;
	struct lane_row *rows;	/* by track, part, level; none is empty */
	uint32_t n_rows;
	uint32_t *first_row;	/* per track, and one more */
	ev_id *ev;		/* by position */
	uint32_t n;
	ns_t *sample;		/* start of every 16th position */
	ns_t *filled;		/* sum of the lengths of all positions before every 16th */
	uint32_t *dur;		/* by position; UINT32_MAX: that long, or longer */
	struct lane_top *top[7];	/* per 16, 16^2, … positions: the longest event */
	ns_t *start_sample;	/* start of every 16th event of the profile */
	uint32_t *launched;	/* per 16 runtime calls: entries of by_launch of the calls before */
	ns_t *unlinked;		/* starts of GPU work without a launch, ascending */
	uint32_t n_unlinked;
};

struct lanes *lanes_new(const struct facts *f, unsigned workers);
void lanes_free(struct lanes *x);
/* Those of a source; NULL: not made yet. Any thread. */
const struct lanes *facts_lanes(const struct facts *f);
/* Makes them, once; who asks meanwhile waits. */
void facts_make_lanes(const struct facts *f);

/* The first position of a row, from `from` on, whose event begins at or behind t; the row's end if none. *work counts steps. */
uint32_t lanes_lower_bound(const struct lanes *x, const struct lane_row *r, uint32_t from, ns_t t, unsigned *work);
/* The position of the longest event in [a, b), a < b; the first of equal ones. */
uint32_t lanes_longest(const struct lanes *x, uint32_t a, uint32_t b, unsigned *work);
/*
 * How much of [c0, c1) the events of a row fill, ns; [lo, hi): its positions that begin in there, see lanes_lower_bound(). Exact, but for the
 * last row of a track that has more events at once than LANE_LEVELS: those are counted each, up to the whole of it.
 */
ns_t lanes_filled(const struct lanes *x, const struct lane_row *r, uint32_t lo, uint32_t hi, ns_t c0, ns_t c1, unsigned *work);
/* track_lower_bound() out of an array that stays in the processor's cache. */
ev_id lanes_track_lower_bound(const struct lanes *x, const struct track *tr, ns_t t, unsigned *work);
/* GPU work that the runtime calls of the track before `call` launched. */
uint32_t lanes_launched_before(const struct lanes *x, const struct track *tr, ev_id call, unsigned *work);
/* GPU work without a launch that begins before t. */
uint32_t lanes_unlinked_before(const struct lanes *x, ns_t t);
/* Row of an event of a drawn layer and its position; ID_NONE if it is in none. */
uint32_t lanes_find(const struct lanes *x, track_id t, ev_id e, uint32_t *pos);

#endif
