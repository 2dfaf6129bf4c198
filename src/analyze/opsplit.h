/*
 * opsplit.h - the self time of ops and what it went into (definitions.md §7), for views that group ops by name or by call path.
 */
#ifndef ANALYZE_OPSPLIT_H
#define ANALYZE_OPSPLIT_H

#include "analyze/pick.h"

/* All in ns. self = sync + launch + memcpy + other + host, exactly. */
struct op_split {
	ns_t total;		/* duration, clipped to the window */
	ns_t self;
	ns_t rt[RT_N];		/* instants of self that runtime calls of a class own on the same thread */
	ns_t exposed;		/* part of self during which no device of the process works */
	ns_t device;		/* kernels launched in the op itself, not below it; by launch */
	bool counted;		/* its start is in the window */
};

/* One entry per op of the source (f->ops.n); the caller frees. Ops of threads out of scope are all zero. */
struct op_split *op_splits(const struct pick *k);
/*
 * Writes sync, launch, memcpy, other and host (the rest of self) into five neighbouring columns from `col` on, in this order.
 * rt: ns per class.
 */
void op_split_put(struct table *t, uint32_t row, uint32_t col, ns_t self, const ns_t rt[RT_N]);
/* Whether the source can tell: runtime calls recorded; device work recorded. Else those figures are unknown. */
static inline bool split_known(const struct pick *k)
{
	return k->p->caps & CAP_RUNTIME;
}

#endif
