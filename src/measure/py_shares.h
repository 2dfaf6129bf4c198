/*
 * py_shares.h - times of a trace, divided among the Python functions that a sampler saw in the same phase (definitions.md
 * §8). Estimates: of the shares of the samples, never of the whole, which stays the trace's. Parts are integer ns and sum to it.
 */
#ifndef MEASURE_PY_SHARES_H
#define MEASURE_PY_SHARES_H

#include "measure/pytree.h"

struct py_weight {
	uint32_t node;		/* the first node of the function in this phase */
	int64_t weight;		/* its self time (or samples) in the phase */
};
struct pyjoin {
	struct scope sc;	/* of the sampler */
	struct selection k;
	struct pytree st;
	bool open;		/* there is a sampler */
	bool same_run;		/* of the process that was weighed last: it is in both files, or they share a clock */
	VEC(struct py_weight) of[PHASE_N];	/* in falling order of weight */
};

/*
 * The first sampler of the session with Python stacks, for tables of the scope. j->open is false when there is none. False when cancelled,
 * *e set. pyjoin_close() must follow.
 */
bool pyjoin_open(struct pyjoin *j, const struct an_ctx *cx, const struct scope *sc, struct err *e);
/*
 * Weighs the functions for process `pid` (-1 unknown) of source `of`. What counts are samples of the same process, where the sampler has
 * it (else it is another run), and of the threads that issue work: the main thread and those of autograd, of these the ones that the scope
 * chooses. Left out are imports and set-up, and frames that wait for the device or for others: of those the trace has its own figures.
 * What stands in no phase belongs to `other`.
 */
void pyjoin_weigh(struct pyjoin *j, uint32_t of, int64_t pid);
void pyjoin_close(struct pyjoin *j);

/* whole >= 0 divided by weights (>= 0, n > 0, not all 0), largest remainder first, the earlier of equals: out sums to whole. */
void apportion(int64_t whole, const struct py_weight *w, size_t n, int64_t *out);

#endif
