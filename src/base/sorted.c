/* sorted.c - arrays of integers in order, see sorted.h */
#include "base/sorted.h"

#include <stdlib.h>

int i64_cmp(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

void i64_sort(int64_t *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), i64_cmp);
}
