/* ranks_impl.h - the stages of rank_run_new(), in their order */
#ifndef RANKS_RANKS_IMPL_H
#define RANKS_RANKS_IMPL_H

#include "ranks/ranks.h"

/* Which source is which rank; false, with a note in the table: they are no ranks of one run. */
bool ranks_identify(struct rank_run *r, struct table *t);
/* Fills groups and arrivals, by group, step, k and rank; times are those of base_time(). False: cancelled. */
bool ranks_collect(struct rank_run *r, struct err *e);
/* Fills instances by the order of calls; groups whose ends speak against that have how = RANK_MATCH_NONE. */
void ranks_match_order(struct rank_run *r);
/* Adds instances of groups without a match by their ends. */
void ranks_match_ends(struct rank_run *r);
/* Sets the clocks by the ends of the instances. */
void ranks_align(struct rank_run *r);
/* Brings arrivals to the common clock, and fills what instances and ranks say of waiting. */
void ranks_wait(struct rank_run *r);

/* Source time to the clock that all sources share as far as their files say it. */
void ranks_set_bases(struct rank_run *r);

struct end_point {
	ns_t at, diff;
};
/* The line through the differences of the ends of two ranks, by medians; the points are reordered. n >= 1. */
void clock_fit(struct end_point *a, size_t n, struct rank_clock *out);
static inline ns_t clock_offset(const struct rank_clock *c, ns_t at)
{
	return c->offset_ns + (ns_t)(c->drift * (double)(at - c->at));
}
/* Whether all ranks leave collectives of a kind at one time. */
bool ranks_ends_together(const char *kind);

#endif
