/*
 * diff.h - two profiles, quantity by quantity, per step: the view `diff` compares cx->before with what it
 * is asked for. Its rows stand by group, in a group by the size of the difference; notes say which steps
 * were compared and what only one side has. Without cx->before there are no rows.
 *
 * Both sides are cut into the steps of their window (steady by default), slow ones among them, which the first row counts; a side without
 * steps is one, as long as the wall of its window. Every quantity has one value per step; what a row shows is the mean over all steps, so
 * that the rows of the groups `phase`, `gpu` (per device) and `breakdown` sum to the mean step on each side, and their differences to
 * its difference, to the nanosecond. The first row is the median step. Devices are compared by rank and by their order in it, under the
 * number that they had before. What a side cannot tell (a phase without marker or evidence) is missing there, and its time is in another
 * row.
 *
 * A difference is significant when it is larger than the noise: t * sqrt(sb^2/nb + sa^2/na), s = the
 * larger of standard deviation and interquartile range / 1.349 of the values per step (of DIFF_STEPS of them at most, evenly spread;
 * and of what rounding adds where a file has whole microseconds), t = Student's
 * quantile for nb + na - 2 degrees of freedom and an error of 1 in 1000, in groups of many rows
 * (DIFF_MANY) 1 in 100000. Below three steps on a side there is no noise and no verdict. One slow step may be chance; where a side has
 * more of them, the spread is that of the others: they are part of the change then, not of the noise.
 */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "scope/analysis.h"

enum {
	DIFF_STEPS = 64
};

/* One of the two profiles. */
struct diff_side {
	const struct an_ctx *cx;
	struct scope scope; /* its window and what narrows it; `by` and partition do not count */
};


/*
 * --fail-on: comma-separated conditions GROUP[:NAME] > N% (of the value before) or > TIME; the group
 * `step` means its median and its mean. *row is the first row that grew by more, and whose growth is not within the
 * noise; ROW_NONE: there is none. false with ERR_USAGE: not such a condition.
 */
bool diff_fails(const struct table *t, const char *conditions, uint32_t *row, struct err *e);

#endif
