/*
 * diff_impl.h - what the parts of the comparison share; see diff.h
 */
#ifndef ANALYZE_DIFF_IMPL_H
#define ANALYZE_DIFF_IMPL_H

#include "analyze/diff.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

/* The groups, in the order of the table. */
enum diff_group {
	GROUP_STEP,
	GROUP_PHASE,
	GROUP_GPU,
	GROUP_BREAKDOWN,
	GROUP_CLASS,
	GROUP_KERNEL,
	GROUP_OP,
	GROUP_RUNTIME,
	GROUP_COPY,
	GROUP_SYNC,
	GROUP_N
};

/* One quantity: its value in each step of both sides, ns; what a step lacks is 0. */
struct quantity {
	enum diff_group group;
	int64_t part; /* rows of one group and part sum to the step: the device */
	const char *name;
	size_t len;
	int64_t *ns[2];
	int64_t count[2]; /* events over all steps; -1: not counted */
};

/* The steps of a side that are compared. */
struct diff_steps {
	int64_t number[DIFF_STEPS];
	int64_t period[DIFF_STEPS]; /* without steps: the wall of the window */
	uint32_t n;	/* values per quantity: 1 where there are no steps */
	bool any;	/* there are steps */
	uint32_t of;	/* steady steps, outlying ones included */
	uint32_t outliers;
};

struct diff {
	const struct diff_side *side;
	struct scope scope[2]; /* narrowed to one rank where the steps are of one */
	struct diff_steps steps[2];
	VEC(struct quantity) q;
	struct map index; /* (hash of the name, group and part) -> quantity */
	struct arena arena;
	bool have[GROUP_N][2]; /* the side has rows of this group */
	int64_t grid[2];       /* the side's times are multiples of this, ns: 1 or 1000 */
};

/* diff_gather.c: fills steps and quantities of both sides; false with *e set. */
bool diff_gather(struct diff *d, struct err *e);

/* diff_stat.c */
int64_t diff_sum(const int64_t *v, uint32_t n);
/* The lower middle of the values. */
int64_t diff_median(const int64_t *v, uint32_t n);
/*
 * Whole numbers that sum to floor(sum of totals / n) and are each within 1 of totals[i] / n: the
 * remainder goes to the largest fractions.
 */
void diff_means(const int64_t *totals, size_t n_totals, uint32_t n, int64_t *means);
/* One side of a quantity: its value in each step, and the variance that each has by rounding, ns^2. */
struct diff_values {
	const int64_t *ns;
	uint32_t n;
	double rounding;
};
/* See diff.h; false: fewer than three values on a side. median: of the difference of medians. */
bool diff_noise(const struct diff_values v[2], bool many, bool median, int64_t *noise);

#endif
