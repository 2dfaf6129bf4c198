/* kernel_sums.h - kernels added up by two keys (class and subclass, name, op and name): what the kernel tables share */
#ifndef ANALYZE_KSUMS_H
#define ANALYZE_KSUMS_H

#include "base/vec.h"
#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/columns.h"
#include "scope/selections.h"

struct ksum {
	uint32_t a, b;			/* the keys */
	int64_t by;			/* scope.by, SPLIT_NONE */
	int64_t source, pid;		/* owners, see selections.h; source = index in picks */
	ev_id example;			/* a kernel of the row, in source `first_source` */
	uint32_t first_source;
	int64_t count, total, min, max;
	struct stats durs;		/* only with ksums.with_durs */
	uint32_t phases;		/* set of phases that are known in one of the sources */
	int64_t phase_ns[PHASE_N + 1];	/* [PHASE_N]: unattributed. Sums to total */
	double share;			/* of all rows of the same source and split; NaN when that is 0. Set by ksums_order() */
};
struct ksums {
	const struct picks *ps;
	struct groups g;
	VEC(struct ksum) v;
	bool with_durs;			/* keep every duration, for median and deviation */
};

/* Adds a kernel to the row (a, b) of its source and split; with --by all, of every source. */
void ksums_add(struct ksums *s, const struct pick *k, const struct track *tr, ev_id e, uint32_t a, uint32_t b);
/* Rows ordered by source, split, longest first; sets the shares. The caller frees. */
uint32_t *ksums_order(struct ksums *s);
void ksums_fini(struct ksums *s);

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
void ksum_put_phases(struct table *t, uint32_t row, uint32_t col, const struct ksum *s);

#endif
