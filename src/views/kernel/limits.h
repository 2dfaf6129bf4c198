/*
 * limits.h - how many blocks of a profiled launch a multiprocessor holds, and what limits them: the least of the limits that the report
 * has. Warps = blocks x ceil(threads of a block / 32).
 */
#ifndef VIEWS_KERNEL_LIMITS_H
#define VIEWS_KERNEL_LIMITS_H

#include "views/kernel/common.h"

enum limit_kind { LIMIT_REGISTERS, LIMIT_SMEM, LIMIT_WARPS, LIMIT_BLOCKS, LIMIT_BARRIERS, LIMIT_N };
struct limits {
	double blocks[LIMIT_N];	/* NaN: the report does not have it */
	double least;		/* of them, NaN unknown */
	double block_warps;	/* warps of a block, NaN unknown */
	double share;		/* theoretical occupancy, 0 to 1; NaN unknown */
	double waves;		/* NaN unknown */
};
void limits_of(struct limits *s, const struct launch *x);
const char *limit_name(enum limit_kind k);	/* "registers", … */

#endif
