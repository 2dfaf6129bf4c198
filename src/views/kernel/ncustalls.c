/* ncustalls.c - view `ncustalls`: why warps waited, reason by reason; see stalls.h */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "views/kernel/stalls.h"

enum { C_ID, C_REASON, C_CYCLES, C_SHARE, C_SAMPLES };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_REASON] = { "reason", N_("Reason"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("why a warp did not issue; selected: it did") },
	[C_CYCLES] = { "cycles_per_issue", N_("Cycles"), UNIT_FACTOR, 0, 1, N_("cycles that a warp spends so for each instruction that is issued") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 0, N_("part of a warp's latency per issued instruction; of the samples where only those are known") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 2, N_("samples of warps in this state") },
	SOURCE_COLS
};

struct partial {		/* launches whose reasons do not sum to the latency */
	uint64_t n;
	double least;		/* share of it that they sum to */
};

static int by_share(const void *va, const void *vb)
{
	const struct stall *a = va, *b = vb;
	double x = isfinite(a->share) ? a->share : -1, y = isfinite(b->share) ? b->share : -1;

	return (x < y) - (x > y);
}

static void add(const struct launch *x, struct table *t, void *arg)
{
	struct partial *part = arg;
	struct stalls s;

	stalls_of(&s, x);
	if (s.n)
		qsort(s.a, s.n, sizeof(*s.a), by_share);
	for (uint32_t i = 0; i < s.n; i++) {
		uint32_t row = launch_row(t, x);

		table_str(t, row, C_REASON, s.a[i].reason, s.a[i].reason_n);
		number_cell(t, row, C_CYCLES, s.a[i].cycles);
		number_cell(t, row, C_SHARE, s.a[i].share);
		whole_cell(t, row, C_SAMPLES, s.a[i].samples);
	}
	if (s.n && !s.sampled && fabs(s.sum - 1) > 0.01 && (!part->n++ || s.sum < part->least))
		part->least = s.sum;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct partial part = { 0 };

	if (!launches_walk(cx, sc, t, add, &part, e))
		return false;
	if (part.n)
		table_note(t, ngettext("%" PRIu64 " launch whose stall reasons are not the whole latency: its report holds %.0f %% of it",
			"%" PRIu64 " launches whose stall reasons are not the whole latency: the least holds %.0f %% of it",
			(unsigned long)part.n), part.n, 100 * part.least);
	return true;
}

const struct analysis an_ncustalls = {
	.id = "ncustalls", .title = N_("Stalls of kernels"), .doc = N_("why the warps of a profiled launch waited, reason by reason"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
