/*
 * idle_cause.h - why a device was idle: what the issuing host thread did, instant by instant. The first cause of the order below that
 * holds at an instant owns it; so the causes of any interval sum to its length.
 */
#ifndef MEASURE_IDLE_CAUSE_H
#define MEASURE_IDLE_CAUSE_H

#include "facts/facts.h"

enum idle_cause {
	CAUSE_DEPENDENCY,	/* of gaps only: the work that ends it was launched before it began */
	CAUSE_PROFILER,		/* overhead record of the profiler */
	CAUSE_DATALOAD,		/* DataLoader, collate, decode */
	CAUSE_SYNC,		/* blocking synchronisation call */
	CAUSE_ALLOCATOR,	/* device or pinned-host memory is allocated or freed */
	CAUSE_COMPILE,		/* module load, graph instantiation, compilers */
	CAUSE_COPY,		/* copy call that blocks */
	CAUSE_COMM,		/* collective, store or barrier */
	CAUSE_COMPUTE,		/* an op computes on the CPU */
	CAUSE_LAUNCH,		/* launch or op dispatch */
	CAUSE_OPTIMIZER,	/* inside the optimizer, between its ops */
	CAUSE_IO,		/* checkpoint, logging, evaluation, file input and output */
	CAUSE_PYTHON,		/* some range or Python frame is open, nothing more is known */
	CAUSE_UNTRACED,		/* no event at all */
	CAUSE_N
};
const char *idle_cause_name(enum idle_cause c);	/* the word of the command line contract */

/* Causes of one source, made per thread on first use. Not safe for concurrent use. */
struct host_causes;
struct host_causes *host_causes_new(const struct facts *f, const struct rules *r);
void host_causes_free(struct host_causes *d);

/* What owns instant t on the thread: never CAUSE_DEPENDENCY; ID_NONE is untraced. */
enum idle_cause host_cause_at(struct host_causes *d, thread_id t, ns_t at);
/* Adds the ns of each cause in [start, end) on the thread; they sum to end - start. */
void host_causes_add(struct host_causes *d, thread_id t, ns_t start, ns_t end, ns_t out[CAUSE_N]);

#endif
