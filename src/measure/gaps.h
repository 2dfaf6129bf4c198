/*
 * gaps.h - the intervals of a device without work, and what ended each: the walk that the tables of gaps and the findings share.
 * Times are on the source's axis.
 */
#ifndef MEASURE_GAPS_H
#define MEASURE_GAPS_H

#include "scope/selection.h"

struct gap {
	ns_t start, end;		/* clipped to the window */
	ns_t since;			/* when the device really fell idle: at most start; INT64_MIN before its first work */
	ev_id ended;			/* the work that ends it; ID_NONE: nothing follows */
	bool dependency;		/* that was launched before `since`: the call had returned */
	ns_t ahead;			/* by so much */
	ns_t delay;			/* from the end of its launch call to its start; NS_UNKNOWN without a launch record */
	thread_id thread;		/* that issued: of the whole gap, or ID_NONE: that of the process at each instant */
	uint32_t proc;			/* whose issuing threads count, ID_NONE unknown */
};

struct gap_walk;
/* compute: gaps against compute kernels alone, else against all work of the device. The selection must outlive it. */
struct gap_walk *gap_walk_new(const struct selection *k, const struct device_facts *d, bool compute);
void gap_walk_free(struct gap_walk *g);
/* Calls fn for each gap of the window in order of time, until it returns false; then false. */
bool gap_walk_each(const struct gap_walk *g, const struct spans *window, bool (*fn)(void *arg, const struct gap *x), void *arg);
/* Calls fn for each piece of the gap with the thread that issues in it (ID_NONE unknown); the pieces sum to the gap. */
void gap_each_issuer(const struct facts *f, const struct gap *x, void (*fn)(void *arg, thread_id t, ns_t start, ns_t end), void *arg);

#endif
