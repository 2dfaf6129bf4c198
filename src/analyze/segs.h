/*
 * segs.h - who owns which instant: the stack pass of definitions.md §2 as a list of disjoint segments, for figures that are clipped
 * to windows or crossed with another partition.
 */
#ifndef ANALYZE_SEGS_H
#define ANALYZE_SEGS_H

#include "base/spans.h"
#include "model/schema.h"

struct seg {
	ns_t start, end;
	uint32_t owner;
};
struct segs {
	struct seg *a;
	size_t n, cap;
};

/* One event of a merged list: any source of owners. `rank` breaks ties of start and end: a higher rank lies inside. */
struct seg_event {
	ns_t start, end;
	uint32_t owner;
	uint32_t rank;
};

/* Appends the segments of n events in track order; owner = base + index. */
void segs_of_track(struct segs *out, const ns_t *start, const ns_t *dur, uint32_t n, uint32_t base);
/* Sorts ev (start, -end, rank, position) and appends the segments of the latest active event: events that own nothing are left out. */
void segs_of_events(struct segs *out, struct seg_event *ev, size_t n);
/* Calls fn for each piece of s inside the window. */
void segs_clip(const struct segs *s, const struct spans *window, void (*fn)(void *arg, const struct seg *piece), void *arg);
/* Calls fn for each common piece of a and b; owner of b is ID_NONE where b has no segment. a must be sorted and disjoint, so must b. */
void segs_cross(const struct segs *a, const struct segs *b, void (*fn)(void *arg, ns_t start, ns_t end, uint32_t oa, uint32_t ob),
	void *arg);
void segs_fini(struct segs *s);

#endif
