/* place.h - the events of a builder into the columns of a profile. Used by finish.c, private to src/model. */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include "model/builder_impl.h"

/*
 * Makes the tracks, the columns, the links and the time range of a profile, whose numbers of events and tracks are set and whose strings
 * are there. consume: the builder's events are freed.
 */
void place_tracks(struct profile *p, struct builder *b, bool consume);

#endif
