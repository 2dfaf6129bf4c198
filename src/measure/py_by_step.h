/*
 * py_by_step.h - samples with times, divided by the steps, phases or micro-batches of another source on the same clock (session.h). Which stack
 * a sample belongs to is known at its end alone: what a step gets is exact in sum, and sharp to the length of a sample.
 */
#ifndef ANALYZE_PYSPLIT_H
#define ANALYZE_PYSPLIT_H

#include "calc/calltree.h"
#include "scope/selection.h"

/* A source with steps of one process on the clock of a sampler: time there = time of the sampler + ahead. */
struct pyruler {
	const struct facts *f;
	uint32_t proc;
	ns_t ahead;
};
/* False: the sampler has no times, or nobody on its clock has steps, or several processes have (whose samples these are is unknown). */
bool pyruler_of(struct pyruler *r, const struct an_ctx *cx, uint32_t sampler);

/*
 * The call tree of a sampler, a tree for each value of scope.by; name_of: per frame of the profile. Nodes have self times alone; their
 * sample is the frame. False, and nothing done, where scope.by is none of the three or there is no ruler.
 */
bool pysplit_tree(struct calltree *t, const struct pick *k, const uint32_t *name_of, const struct pyruler *r);

#endif
