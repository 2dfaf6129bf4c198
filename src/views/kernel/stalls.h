/*
 * stalls.h - why the warps of a profiled launch did not issue: cycles of each reason per issued instruction, which sum to the latency of
 * a warp per issued instruction; and samples of the program counter, where they were taken.
 */
#ifndef VIEWS_KERNEL_STALLS_H
#define VIEWS_KERNEL_STALLS_H

#include "views/kernel/common.h"

enum { STALLS_MAX = 32 };

struct stall {
	const char *reason;	/* borrowed from the profile, reason_n bytes: "long_scoreboard" */
	size_t reason_n;
	double cycles, samples;	/* NaN unknown */
	double share;		/* of the latency, or of all samples where there is none; NaN unknown */
};
struct stalls {
	struct stall a[STALLS_MAX];
	uint32_t n;
	double latency;		/* cycles of a warp per issued instruction, as the report says; NaN unknown */
	double sum;		/* of the shares */
	bool sampled;		/* the shares are of samples */
};
void stalls_of(struct stalls *s, const struct launch *x);
/* The largest share but that of `selected`, which is a warp that issues; NULL: none is known. */
const struct stall *stalls_top(const struct stalls *s);

#endif
