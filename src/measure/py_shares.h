/*
 * py_shares.h - times of a trace, divided among the Python functions that a sampler of another run saw in the same phase (definitions.md
 * §8). Estimates: of the shares of the samples, never of the whole, which stays the trace's. Parts are integer ns and sum to it.
 */
#ifndef ANALYZE_PYJOIN_H
#define ANALYZE_PYJOIN_H

#include "measure/pytree.h"

struct py_weight {
	uint32_t node;		/* the first node of the function in this phase */
	int64_t weight;		/* its self time (or samples) in the phase */
};
struct pyjoin {
	struct scope sc;	/* of the sampler */
	struct pick k;
	struct pytree st;
	bool open;		/* there is a sampler */
	VEC(struct py_weight) of[PHASE_N];	/* in falling order of weight */
};

/*
 * The first sampler of the session with Python stacks. Left out of the weights are imports and set-up, background threads, and frames
 * that wait for the device or for others: of those the trace has its own figures. What stands in no phase belongs to `other`.
 * False when cancelled, *e set. j->open is false when there is no sampler. pyjoin_close() must follow.
 */
bool pyjoin_open(struct pyjoin *j, const struct an_ctx *cx, struct err *e);
void pyjoin_close(struct pyjoin *j);

/* whole >= 0 divided by weights (>= 0, n > 0, not all 0), largest remainder first, the earlier of equals: out sums to whole. */
void apportion(int64_t whole, const struct py_weight *w, size_t n, int64_t *out);

#endif
