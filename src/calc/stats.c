/* stats.c - samples of integers, see stats.h */
#include "calc/stats.h"

#include "base/sorted.h"

#include <math.h>

void stats_add(struct stats *s, int64_t v)
{
	if (!s->v.n) {
		s->min = v;
		s->max = v;
	}
	VEC_PUSH(&s->v, v);
	s->total = i64_sum(s->total, v);
	s->min = v < s->min ? v : s->min;
	s->max = v > s->max ? v : s->max;
}

void stats_fini(struct stats *s)
{
	VEC_FREE(&s->v);
}

double stats_mean(const struct stats *s)
{
	return !s->v.n || s->total == I64_UNKNOWN ? (double)NAN : (double)s->total / (double)s->v.n;
}

static int64_t median3(int64_t a, int64_t b, int64_t c)
{
	if (a > b)
		return b > c ? b : a > c ? c : a;
	return a > c ? a : b > c ? c : b;
}

/* Hoare's selection. Samples made to defeat the pivot are sorted instead. */
int64_t stats_kth(struct stats *s, size_t k)
{
	int64_t *a = s->v.a;
	size_t lo = 0, hi = s->v.n - 1;

	for (int rounds = 0; lo < hi; rounds++) {
		int64_t pivot = median3(a[lo], a[lo + (hi - lo) / 2], a[hi]);
		size_t i = lo, j = hi;

		if (rounds == 64) {
			i64_sort(a + lo, hi - lo + 1);
			break;
		}
		for (;;) {
			int64_t swap;

			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = a[i];
			a[i++] = a[j];
			a[j--] = swap;
		}
		/* a[lo..j] <= pivot <= a[j + 1..hi], and j < hi: of the three one besides the pivot is not less than it */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return a[k];
}

double stats_median(struct stats *s)
{
	size_t n = s->v.n;
	int64_t lower, upper;

	if (!n)
		return (double)NAN;
	lower = stats_kth(s, (n - 1) / 2);
	upper = n % 2 ? lower : stats_kth(s, n / 2);
	return (double)lower + ((double)upper - (double)lower) / 2;
}

double stats_stddev(const struct stats *s)
{
	size_t n = s->v.n;
	long double mean, sum = 0;

	if (!n)
		return (double)NAN;
	if (n == 1)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += (long double)s->v.a[i];
	mean = sum / (long double)n;
	sum = 0;
	for (size_t i = 0; i < n; i++) {
		long double d = (long double)s->v.a[i] - mean;

		sum += d * d;
	}
	return (double)sqrtl(sum / (long double)(n - 1));
}

int64_t stats_percentile(struct stats *s, unsigned percent)
{
	size_t rank = (s->v.n * percent + 99) / 100;

	return stats_kth(s, rank ? rank - 1 : 0);
}

int64_t stats_lower_median(struct stats *s)
{
	return stats_kth(s, (s->v.n - 1) / 2);
}

void stats_put(struct table *t, uint32_t row, uint32_t col, struct stats *s)
{
	if (!s->v.n)
		return;
	table_f64(t, row, col, stats_mean(s));
	table_f64(t, row, col + 1, stats_median(s));
	table_i64(t, row, col + 2, s->min);
	table_i64(t, row, col + 3, s->max);
	table_f64(t, row, col + 4, stats_stddev(s));
}
