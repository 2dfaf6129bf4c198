/*
 * order.h - track order: start ascending, end descending, as they came. What comes in order in stretches, as files have it, costs what
 * the stretches overlap.
 */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include "model/builder_impl.h"

/* Whether a belongs before b, which came first. */
static inline bool raw_before(const struct raw_event *a, const struct raw_event *b)
{
	return a->start != b->start ? a->start < b->start : a->dur > b->dur;
}

/* Puts the events of a track in track order; it has no breaks then. */
void raw_order(struct raw_track *r);

#endif
