/*
 * py_markers.h - what ran while a trace shows nothing but the marker of a step: a trace without Python frames beside a sampler on its clock
 * (py_by_step.h). The leaves of the breakdown then say it by the samples, sharp to their length.
 */
#ifndef MEASURE_PY_MARKERS_H
#define MEASURE_PY_MARKERS_H

#include "measure/host_partition.h"
#include "measure/pytree.h"

struct py_markers {
	bool open;		/* there is such a sampler */
	struct scope sc;	/* of the sampler */
	struct selection k;
	struct pytree st;
	struct host_leaves *ls;
	uint32_t *leaf_of;	/* per node of st; ID_NONE not asked for yet */
	VEC(struct owner_span) ran;	/* samples of the thread that issues, on the clock of the trace: owner = node */
	size_t at;		/* the first that does not end before the last piece */
	host_leaf_fn *fn;		/* whom the pieces go to */
	void *arg;
};

/* For a process of the trace of `k`. py_markers_close() must follow. */
void py_markers_open(struct py_markers *m, const struct selection *k, uint32_t proc, struct host_leaves *ls, host_leaf_fn *fn, void *arg);
/* A host_leaf_fn: hands pieces on, in the order of time, those of a step's marker cut by what ran. */
void py_markers_piece(void *m, ns_t start, ns_t end, uint32_t leaf);
void py_markers_close(struct py_markers *m);

#endif
