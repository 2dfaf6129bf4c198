/* run.h - one replay of a graph. Private to src/replay. */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "replay/plan.h"

/* Sums over the steps of each process, as recorded; arrays of the caller. */
struct run_sums {
	ns_t *residual;			/* what is not explained, absolute values */
	ns_t *waited, *inferred;	/* what work waited for other streams; the part of it that is inferred */
};
/* What decided the times of a replay, for those who follow it back; arrays of the caller. Times are as replayed. */
struct run_trace {
	ns_t *work_start, *work_end;	/* per work */
	uint32_t *work_node;		/* the node that launched it */
	uint32_t *work_pred;		/* the one whose end decided its start; ID_NONE: its launch */
	ns_t *node_start, *node_end;	/* per node */
	uint32_t *node_prev;		/* the node before it on its thread, or that the thread waited for; ID_NONE: none */
	uint32_t *node_pred;		/* the work whose end decided its own end; ID_NONE: the host, or nothing */
	uint32_t *node_room;		/* the work whose end made room in the queue for its launch; ID_NONE: there was room */
};

/* Times of all marks into marks[n_marks()]; sums, tr: NULL where not wanted. False: cancelled. */
bool run_graph(const struct replay_graph *g, const struct plan *pl, struct job *job, ns_t *marks, struct run_sums *sums,
	struct run_trace *tr);

#endif
