/*
 * inferred.h - phases that no marker shows, concluded from what autograd records (definitions.md section 4). Private to the facts.
 *
 *	forward		on the main thread outside of marked phases and of passes: from the first to the last outermost op that records
 *			for autograd, per step and micro-batch; where no op has a sequence number, of the ranges and frames of modules
 *	backward	a pass: from the first to the last node of one run of the engine, on whichever thread it runs
 *	recompute	within a node of the backward pass: frames of torch's checkpoint that run the forward again, else from the first to
 *			the last op that records anew
 */
#ifndef FACTS_INFERRED_H
#define FACTS_INFERRED_H

#include "base/vec.h"
#include "calc/owners.h"
#include "facts/parts.h"

typedef VEC(struct owner_event) event_list;

struct inferred {
	event_list
		main; /* owner: PHASE_FORWARD, and passes of the main thread; they count where nothing is marked */
	event_list autograd; /* passes of autograd threads */
	event_list recompute
		[2];   /* of the main thread, of autograd threads: inside what is marked backward */
	bool numbered; /* ops carry sequence numbers */
};

/*
 * Needs threads, ops, steps and micro-batches of the process. says: a byte per string of the profile, 0 at
 * first, for what is asked about names; all processes share it. marker: phase of a name, PHASE_N none. Source
 * time, ns. inferred_fini() must follow. O(events log events).
 */
void inferred_make(struct inferred *x, const struct facts *f, const struct fact_index *ix,
		   uint32_t proc, uint8_t *says, uint8_t (*marker)(void *arg, str_id name),
		   void *arg);
void inferred_fini(struct inferred *x);

#endif
