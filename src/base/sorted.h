/* sorted.h - arrays of integers in order, and what is read from them */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* For qsort() and bsearch() of int64_t. */
int i64_cmp(const void *a, const void *b);
/* Ascending; v may be NULL where n is 0. */
void i64_sort(int64_t *v, size_t n);

/* Of a sorted array that is not empty: the lower of the two middle values (definitions.md §4). */
static inline int64_t sorted_median(const int64_t *v, size_t n)
{
	return v[(n - 1) / 2];
}
/* And the smallest value that at least 90 of 100 do not exceed (nearest rank). */
static inline int64_t sorted_p90(const int64_t *v, size_t n)
{
	return v[(9 * n + 9) / 10 - 1];
}

#endif
