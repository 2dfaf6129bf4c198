/*
 * quality.h - what a source itself makes doubtful (definitions.md section 9), as far as one pass
 * over its events tells: lost and unlinked records, short names, overlapping events, the profiler's
 * own time. Of whole sources, whatever the window is.
 */
#ifndef MEASURE_QUALITY_H
#define MEASURE_QUALITY_H

#include "scope/selection.h"

/* Figures are right; are right, but this must be known; are off; cannot be told. */
enum quality_verdict {
	QUALITY_OK,
	QUALITY_NOTE,
	QUALITY_BAD,
	QUALITY_UNKNOWN
};

struct quality {
	const char *check, *means; /* what is looked at, N_() marked; what follows, translated */
	enum quality_verdict verdict;
	int64_t count, of, time_ns; /* I64_UNKNOWN: none */
	double share;		    /* NaN: none */
};
/* Calls fn for each check of the source; what does not apply to it is left out. */
void quality_measure(const struct selection *k, void (*fn)(void *arg, const struct quality *q),
		     void *arg);

#endif
