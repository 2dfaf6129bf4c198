/*
 * search.h - binary search, said once.
 *
 *	uint32_t i;
 *
 *	LOWER_BOUND(i, 0, n, start[i] < t);	// the first that starts at t or later, n if none does
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/*
 * Sets the variable i to the first number of [from, to) for which `before`, an expression in i, is
 * false; to `to` if it is true for all. It must be true of a first part of the range and false of
 * the rest. Where the range is empty, i is `from`.
 */
#define LOWER_BOUND(i, from, to, before) do {							\
	__typeof__(i) lower_ = (from), upper_ = (to);						\
												\
	while (lower_ < upper_) {								\
		(i) = lower_ + (upper_ - lower_) / 2;						\
		if (before)									\
			lower_ = (i) + 1;							\
		else										\
			upper_ = (i);								\
	}											\
	(i) = lower_;										\
} while (0)

#endif
