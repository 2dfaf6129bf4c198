/*
 * runs.h - merging of sorted runs: RUNS_SORT(name, type, cmp) defines static void name(type *a, size_t n), a stable sort of arrays
 * that are mostly a few sorted runs behind one another (the tracks of a layer). O(n log runs): one pass where all is in order,
 * never worse than a merge sort. One temporary array of the size of a. int cmp(const void *, const void *) as for qsort().
 */
#ifndef BASE_RUNS_H
#define BASE_RUNS_H

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

typedef VEC(size_t) run_list;	/* where each run begins, and last the end of the array */

#define RUNS_SORT(name, type, cmp)								\
static void name##_merge(type *a, type *tmp, size_t mid, size_t n)				\
{												\
	size_t i = 0, j = mid, k = 0;								\
												\
	if (cmp(&a[mid - 1], &a[mid]) <= 0)							\
		return;										\
	memcpy(tmp, a, mid * sizeof(*a));							\
	while (i < mid && j < n)								\
		a[k++] = cmp(&tmp[i], &a[j]) <= 0 ? tmp[i++] : a[j++];				\
	memcpy(a + k, tmp + i, (mid - i) * sizeof(*a));						\
}												\
												\
static void name##_runs(type *a, type *tmp, const size_t *run, size_t n_runs)			\
{												\
	size_t half = n_runs / 2;								\
												\
	if (n_runs < 2)										\
		return;										\
	name##_runs(a, tmp, run, half);								\
	name##_runs(a, tmp, run + half, n_runs - half);						\
	name##_merge(a + run[0], tmp, run[half] - run[0], run[n_runs] - run[0]);			\
}												\
												\
static void name(type *a, size_t n)								\
{												\
	run_list run = { 0 };									\
	type *tmp;										\
												\
	for (size_t i = 1; i < n; i++) {							\
		if (cmp(&a[i - 1], &a[i]) <= 0)							\
			continue;								\
		if (!run.n)									\
			VEC_PUSH(&run, 0);							\
		VEC_PUSH(&run, i);								\
	}											\
	if (!run.n)										\
		return;										\
	VEC_PUSH(&run, n);									\
	tmp = xreallocarray(NULL, n, sizeof(*tmp));						\
	name##_runs(a, tmp, run.a, run.n - 1);							\
	free(tmp);										\
	VEC_FREE(&run);										\
}

#endif
