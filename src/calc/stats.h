/*
 * stats.h - a sample of integers (durations, sizes) and what tables say of it: exact sum, mean, median, sample standard deviation,
 * percentiles. Mean, median and deviation are those that `nsys stats` prints (definitions.md §4: the median of a table is the mean
 * of the two middle values; deviation with n - 1).
 *
 *	struct stats s = { 0 };
 *	stats_add(&s, dur);
 *	stats_put(t, row, C_AVG, &s);
 *	stats_fini(&s);
 *
 * Not safe for concurrent use: median and percentiles reorder the sample.
 */
#ifndef CALC_STATS_H
#define CALC_STATS_H

#include "base/i18n.h"
#include "base/vec.h"
#include "model/schema.h"
#include "table/table.h"

struct stats {
	VEC(int64_t) v;		/* in no order */
	int64_t total;		/* I64_UNKNOWN: beyond 64 bits */
	int64_t min, max;	/* mean nothing while it is empty */
};

void stats_add(struct stats *s, int64_t v);
void stats_fini(struct stats *s);
static inline size_t stats_n(const struct stats *s)
{
	return s->v.n;
}

/* NaN for an empty sample, and where the total is unknown. */
double stats_mean(const struct stats *s);
double stats_median(struct stats *s);
/* NaN for an empty sample, 0 for one value. Two passes in long double: exact to the digits that anybody prints. */
double stats_stddev(const struct stats *s);
/* The k-th smallest value, k < stats_n(). Expected O(n). */
int64_t stats_kth(struct stats *s, size_t k);
/* Nearest rank: the smallest value that at least `percent` of the sample do not exceed. The sample must not be empty. */
int64_t stats_percentile(struct stats *s, unsigned percent);
/* The lower of the two middle values, as the median of steps is defined. The sample must not be empty. */
int64_t stats_lower_median(struct stats *s);

/* Columns of a table of durations, in this order, from `avg_ns` on. */
/* clang-format off */
#define STAT_COLS(prio) \
	{ "avg_ns", N_("Avg"), UNIT_NS, 0, prio, N_("mean") }, \
	{ "median_ns", N_("Median"), UNIT_NS, 0, prio, \
		N_("median (mean of the two middle ones)") }, \
	{ "min_ns", N_("Min"), UNIT_NS, 0, prio, N_("shortest") }, \
	{ "max_ns", N_("Max"), UNIT_NS, 0, prio, N_("longest") }, \
	{ "stddev_ns", N_("StdDev"), UNIT_NS, 0, (prio) + 2, \
		N_("standard deviation of the sample (n - 1)") }
/* clang-format on */
#define N_STAT_COLS 5
/* Fills the five columns from `col` on; all stay missing for an empty sample. */
void stats_put(struct table *t, uint32_t row, uint32_t col, struct stats *s);

#endif
