/*
 * collective.h - which collective a communication kernel carries out: what kind, in which group, how large, and how that is known.
 *
 * torch tells it in the args of the kernel, else in those of the record_param_comms that launched it. Where neither does, the kernel's
 * name tells the kind, else the op or the NVTX range around its launch, and the size is unknown: Nsight Systems writes the schemas of
 * NCCL's payloads, but not the values.
 */
#ifndef MEASURE_COLLECTIVE_H
#define MEASURE_COLLECTIVE_H

#include "base/vec.h"
#include "facts/facts.h"

enum collective_told { COLLECTIVE_BY_ARGS, COLLECTIVE_BY_KERNEL, COLLECTIVE_BY_RANGE, COLLECTIVE_BY_RULE };
const char *collective_told_name(enum collective_told t);	/* "args", "kernel", "range", "rule" */

struct collective {
	const char *kind;			/* "AllReduce"; static or owned by the rules */
	const struct collective_detail *args;	/* of the profile; NULL: none recorded */
	enum collective_told told;
};
/* Remembers the tracks of the thread that launched last. Zero to begin with; collective_finder_fini() frees. Not for several threads. */
struct collective_finder {
	const struct facts *f;
	thread_id thread;
	VEC(track_id) tracks;
};
/* Of a kernel of the class KCLASS_COMMUNICATION. */
void collective_of(struct collective_finder *c, const struct facts *f, ev_id e, struct collective *out);
void collective_finder_fini(struct collective_finder *c);
/* Bytes of so many elements of its data type; -1 where one of them is unknown. */
int64_t collective_bytes(const struct profile *p, const struct collective_detail *d, int64_t elems);

#endif
