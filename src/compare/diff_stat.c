/*
 * diff_stat.c - means that sum, and what is noise; see diff.h
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sorted.h"
#include "compare/diff_impl.h"

int64_t diff_sum(const int64_t *v, uint32_t n)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (__builtin_add_overflow(sum, v[i], &sum))
			return INT64_MAX;
	return sum;
}

static int64_t *sorted(const int64_t *v, uint32_t n)
{
	int64_t *s = xcalloc(n, sizeof(*s));

	memcpy(s, v, n * sizeof(*s));
	i64_sort(s, n);
	return s;
}

int64_t diff_median(const int64_t *v, uint32_t n)
{
	int64_t *s = sorted(v, n), mid = sorted_median(s, n);

	free(s);
	return mid;
}

struct fraction {
	uint32_t rest;
	size_t i;
};

static int by_rest(const void *a, const void *b)
{
	const struct fraction *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest < y->rest ? 1 : -1;
	return (x->i > y->i) - (x->i < y->i);
}

void diff_means(const int64_t *totals, size_t n_totals, uint32_t n, int64_t *means)
{
	struct fraction *f = xcalloc(n_totals + 1, sizeof(*f));
	uint64_t rest = 0;

	for (size_t i = 0; i < n_totals; i++) {
		means[i] = totals[i] / n;
		f[i] = (struct fraction){(uint32_t)(totals[i] % n), i};
		rest += f[i].rest;
	}
	qsort(f, n_totals, sizeof(*f), by_rest);
	for (size_t i = 0; i < rest / n; i++)
		means[f[i].i]++;
	free(f);
}

/* ---- noise ------------------------------------------------------------------------------------- */

/* The value at part q of sorted values, between two of them in proportion. */
static double quantile(const int64_t *s, uint32_t n, double q)
{
	double at = q * (n - 1);
	uint32_t i = (uint32_t)at;

	if (i + 1 >= n)
		return (double)s[n - 1];
	return (double)s[i] + (at - i) * (double)(s[i + 1] - s[i]);
}

/* Squared spread: the larger of the variance and that of a normal with this interquartile range. */
static double spread2(const int64_t *v, uint32_t n, bool robust_only)
{
	int64_t *s = sorted(v, n);
	double iqr = (quantile(s, n, 0.75) - quantile(s, n, 0.25)) / 1.349, mean = 0, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += (double)v[i] / n;
	for (uint32_t i = 0; i < n; i++)
		sum += ((double)v[i] - mean) * ((double)v[i] - mean);
	sum /= n - 1;
	free(s);
	return robust_only || iqr * iqr > sum ? iqr * iqr : sum;
}

/*
 * Student's t, two-sided, errors of 1e-3 and 1e-5, by degrees of freedom (integrated numerically, to
 * two decimals); between two lines the upper one counts, which is the larger quantile.
 */
static double student(uint32_t df, bool many)
{
	static const struct {
		uint32_t df;
		double t3, t5;
	} table[] = {
		{4, 8.61, 27.77}, {5, 6.87, 17.90}, {6, 5.96, 13.56}, {7, 5.41, 11.21},
		{8, 5.04, 9.78},  {9, 4.78, 8.83},  {10, 4.59, 8.15}, {12, 4.32, 7.26},
		{14, 4.14, 6.71}, {16, 4.01, 6.33}, {20, 3.85, 5.85}, {25, 3.73, 5.51},
		{30, 3.65, 5.30}, {40, 3.55, 5.05}, {60, 3.46, 4.82}, {120, 3.37, 4.61},
	};
	size_t i = sizeof(table) / sizeof(*table) - 1;

	while (i && table[i].df > df)
		i--;
	return many ? table[i].t5 : table[i].t3;
}

bool diff_noise(const struct diff_values v[2], bool many, bool median, int64_t *noise)
{
	double se = 0;

	if (v[0].n < 3 || v[1].n < 3)
		return false;
	for (int s = 0; s < 2; s++)
		se += (spread2(v[s].ns, v[s].n, median) + v[s].rounding) / (v[s].of > v[s].n ? v[s].of : v[s].n);
	/* The median of n normal values spreads sqrt(pi / 2) as wide as their mean. */
	se = sqrt(se) * (median ? 1.2533 : 1);
	se = ceil(se * student(v[0].n + v[1].n - 2, many));
	*noise = se < 9e18 ? (int64_t)se : INT64_MAX;
	return true;
}
