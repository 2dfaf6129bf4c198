/*
 * plan.h - changes made ready for a replay: what they do to names, kinds of work, calls and to the time of threads. Private to src/replay.
 */
#ifndef REPLAY_PLAN_H
#define REPLAY_PLAN_H

#include "replay/graph.h"

/* From start on, until the next one, time of the thread passes so much slower (0: not at all). */
struct warp {
	ns_t start;
	double factor;
};
struct warps {
	struct warp *a;		/* ascending; before the first the factor is 1 */
	size_t n, cap;
};

enum { WORK_MOVES = 1, WORK_FUSES = 2, WORK_ASYNC = 4 };

struct plan {
	double *name_factor;	/* per string: of kernels of this name */
	uint8_t *name_does;	/* per string: WORK_* */
	double kind_factor[WORK_KIND_N];	/* of copies and memory sets */
	uint8_t kind_does[WORK_KIND_N];
	struct warps *warps;	/* per sequence */
	struct spans *async;	/* per sequence: calls that begin inside do not wait */
	int64_t launch_ns;	/* -1: as recorded */
	bool moves, fuses;	/* anything */
};

/* False (*e set) when a change cannot be made. found[i] as in replay_step_times(). plan_fini() frees in either case. */
bool plan_make(struct plan *pl, const struct replay_graph *g, const struct selection *k, const struct change *changes, size_t n,
	uint64_t *found, struct err *e);
void plan_fini(struct plan *pl, const struct replay_graph *g);

/* What the time from a to b of a sequence is now. */
ns_t plan_time(const struct plan *pl, uint32_t seq, ns_t a, ns_t b);
double plan_factor(const struct plan *pl, uint32_t seq, ns_t at);
static inline ns_t scale_ns(ns_t t, double factor)
{
	return factor == 1 ? t : (ns_t)((double)t * factor + 0.5);
}

#endif
