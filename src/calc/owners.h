/*
 * owners.h - who owns which instant: the stack pass of definitions.md §2 as a list of disjoint segments, for figures that are clipped
 * to windows or crossed with another partition.
 */
#ifndef CALC_OWNERS_H
#define CALC_OWNERS_H

#include "base/spans.h"
#include "model/schema.h"

struct owner_span {
	ns_t start, end;
	uint32_t owner;
};
struct owner_list {
	struct owner_span *a;
	size_t n, cap;
};

/* One event of a merged list: any source of owners. `rank` breaks ties of start and end: a higher rank lies inside. */
struct owner_event {
	ns_t start, end;
	uint32_t owner;
	uint32_t rank;
};

/* Appends the segments of n events in track order; owner = base + index. */
void owner_list_of_track(struct owner_list *out, const ns_t *start, const ns_t *dur, uint32_t n, uint32_t base);
/*
 * The same within [from, to) alone: appends segments that are cut to it. Columns are indexed by owner; the track is [first, end) of them,
 * parent as nest_track() makes it (every event that is active at an instant is the last one that began before it, or above that).
 * Costs what lies inside, and the depth at `from`.
 */
struct owner_columns {
	const ns_t *start, *dur;
	const uint32_t *parent;
	uint32_t first, end;
};
void owner_list_of_window(struct owner_list *out, const struct owner_columns *c, ns_t from, ns_t to);
/* The first event of the track with start >= t, in [first, end]. */
uint32_t owner_lower_bound(const struct owner_columns *c, ns_t t);
/* Order of a merged list, for qsort(): start, -end, rank, owner. */
int owner_event_cmp(const void *a, const void *b);
/* Sorts ev (start, -end, rank, owner) and appends the segments of the latest active event: events that own nothing are left out. */
void owner_list_of_events(struct owner_list *out, struct owner_event *ev, size_t n);
/* Calls fn for each piece of s inside the window. */
void owner_list_clip(const struct owner_list *s, const struct spans *window, void (*fn)(void *arg, const struct owner_span *piece), void *arg);
/* Calls fn for each common piece of a and b; owner of b is ID_NONE where b has no segment. a must be sorted and disjoint, so must b. */
void owner_list_cross(const struct owner_list *a, const struct owner_list *b, void (*fn)(void *arg, ns_t start, ns_t end, uint32_t oa, uint32_t ob),
	void *arg);
void owner_list_fini(struct owner_list *s);

#endif
