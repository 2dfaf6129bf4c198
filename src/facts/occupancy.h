/*
 * occupancy.h - theoretical occupancy of a kernel: how many of the warps that a multiprocessor can hold its launch allows.
 *
 * Limits: "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide (resident warps and blocks, 65536
 * registers, shared memory per multiprocessor, 1 KiB of which each block takes for itself from 8.0 on). Registers are given to warps
 * in pieces of 256, and to four warps at a time; shared memory in pieces of 256 bytes before 8.0 and of 128 since (CUDA Occupancy
 * Calculator). The largest carve-out of shared memory is assumed. Compute capabilities that are not in the table have no occupancy.
 */
#ifndef FACTS_OCCUPANCY_H
#define FACTS_OCCUPANCY_H

#include "model/profile.h"

struct occupancy {
	int64_t blocks;		/* per multiprocessor */
	double share;		/* warps of these blocks by warps that it can hold */
	double waves;		/* blocks of the grid by blocks that the device holds at once; NaN without a grid or a number of multiprocessors */
	const char *limit;	/* "warps", "blocks", "registers", "shared memory": the tightest, the first of equals */
};

/* False: something that it takes is unknown, or the kernel could not have run. */
bool occupancy_of(struct occupancy *out, const struct device *d, const struct kernel_detail *k);

#endif
