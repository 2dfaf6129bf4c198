/*
 * py_by_step.h - samples with times: cut to a window, and divided by the steps, phases or micro-batches of another source on the same clock
 * (session.h). Which stack
 * a sample belongs to is known at its end alone: what a step gets is exact in sum, and sharp to the length of a sample.
 */
#ifndef MEASURE_PY_BY_STEP_H
#define MEASURE_PY_BY_STEP_H

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
 * Narrows the selection of a sampler, so far of all of the file, to the window `asked` of the source with the steps, on the sampler's own clock.
 * It stays as it is where there is no such source, or that has no such window. False with *e set: no such step.
 */
bool pyruler_narrow(struct selection *k, struct scope *sc, enum window_kind asked, struct err *e);

/* Calls fn for the parts of the samples that lie in the selection's window; of samples of one thread in the order of time. */
void pysamples_each(const struct selection *k, void (*fn)(void *arg, const struct frame_sample *s, ns_t start, ns_t end), void *arg);

/*
 * The call tree of a sampler in the selection's window, a tree for each value of scope.by (step, phase, micro-batch; else one); name_of: per frame
 * of the profile. Nodes have self times alone; their sample is the frame.
 */
void pysplit_tree(struct calltree *t, const struct selection *k, const uint32_t *name_of, const struct pyruler *r);

#endif
