/* kernel_sums.h - kernels added up by two keys (class and subclass, name, op and name): what the kernel tables share */
#ifndef MEASURE_KERNEL_SUMS_H
#define MEASURE_KERNEL_SUMS_H

#include "measure/tally.h"

struct kernel_sum {
	struct tally_row row;
	uint32_t a, b;			/* the keys */
	uint32_t part;			/* source; 0 with --by all, which merges them */
	ev_id example;			/* the first kernel of the row */
	int64_t total, min, max;
	uint32_t phases;		/* set of phases that are known in one of the sources */
	int64_t phase_ns[PHASE_N + 1];	/* [PHASE_N]: unattributed. Sums to total */
	double share;			/* of all rows of the same part and split; NaN when that is 0 */
};
struct kernel_sums {
	struct tally y;
	bool with_durs;			/* keep every duration, for median and deviation */
};

/* Adds a kernel to the row (a, b) of its source and split; with --by all, of every source. */
void kernel_sums_add(struct kernel_sums *s, const struct selection *k, const struct track *tr, ev_id e, uint32_t a, uint32_t b);
/* tally_run() with the shares; rows that are struct ksum, in the order ksum_cmp(): by part, split, longest first. */
bool ksums_run(struct kernel_sums *s, const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e);
int ksum_cmp(const void *a, const void *b);

/* clang-format off */
#define PHASE_COLS \
	{ "forward_ns", N_("Forward"), UNIT_NS, 0, 5, \
		N_("part of the total launched in forward") }, \
	{ "backward_ns", N_("Backward"), UNIT_NS, 0, 5, \
		N_("part of the total launched in backward") }, \
	{ "recompute_ns", N_("Recompute"), UNIT_NS, 0, 6, \
		N_("part launched while forward work is done again inside backward") }, \
	{ "optimizer_ns", N_("Optimizer"), UNIT_NS, 0, 6, \
		N_("part of the total launched in the optimizer") }, \
	{ "dataload_ns", N_("Dataload"), UNIT_NS, 0, 7, \
		N_("part of the total launched while data is loaded") }, \
	{ "other_ns", N_("Other"), UNIT_NS, 0, 7, \
		N_("part of the total launched in no other phase") }, \
	{ "unattributed_ns", N_("Unattr."), UNIT_NS, 0, 7, \
		N_("part of the total without a launch record; the seven sum to it") }
/* clang-format on */
/* Fills the seven columns from `col` on. */
void kernel_sum_put_phases(struct table *t, uint32_t row, uint32_t col, const struct kernel_sum *s);

#endif
