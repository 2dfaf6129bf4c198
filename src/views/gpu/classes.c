/* classes.c - view `classes`: kernels by class and subclass, split by the phase of their launch */
#include <string.h>

#include "measure/kernel_sums.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_CLASS, C_SUBCLASS, C_COUNT, C_TOTAL, C_PHASES, C_SHARE = C_PHASES + PHASE_N + 1, C_AVG, C_BY };

static const struct column_def cols[] = {
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, COL_KEY, 0, N_("what kind of work the kernels do, told by their names") },
	[C_SUBCLASS] = { "subclass", N_("Kind"), UNIT_TEXT, COL_NAME, 1, N_("finer kind inside the class") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 2, N_("kernels") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of the kernels' durations") },
	PHASE_COLS,
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, N_("share of all kernel time") },
	[C_AVG] = { "avg_ns", N_("Average"), UNIT_NS, 0, 4, N_("mean duration") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct classes_sums {
	struct kernel_sums k;
	struct groups subclasses;
};

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct classes_sums *s = view;
	const struct kernel_class *kc = facts_kclass(k->f, e);
	struct group_key sub = { { 0 }, kc->subclass, strlen(kc->subclass) };

	kernel_sums_add(&s->k, k, tr, e, kc->class, groups_add(&s->subclasses, &sub));
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct classes_sums *s = view;
	const struct kernel_sum *r = acc;
	const struct group_key *sub = &s->subclasses.keys[r->b];

	table_cstr(t, row, C_CLASS, kclass_name((enum kclass)r->a));
	if (sub->name_len)
		table_str(t, row, C_SUBCLASS, sub->name, sub->name_len);
	table_i64(t, row, C_COUNT, (int64_t)r->row.n);
	table_i64(t, row, C_TOTAL, r->total);
	kernel_sum_put_phases(t, row, C_PHASES, r);
	table_f64(t, row, C_SHARE, r->share);
	table_f64(t, row, C_AVG, (double)r->total / (double)r->row.n);
	an_ref(t, row, REF_CLASS, tally_source(view, &r->row)->f->source, (int64_t)r->a, 0, C_CLASS);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .layers = 1U << LAYER_KERNEL, .add = add,
	.row_size = sizeof(struct kernel_sum), .cmp = ksum_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct classes_sums s = { .k.y.how = &how };
	bool ok = ksums_run(&s.k, cx, sc, t, e);

	groups_fini(&s.subclasses);
	return ok;
}

const struct analysis an_classes = {
	.id = "classes", .title = N_("Kernel classes"), .doc = N_("GPU time by class of kernel and phase of the step"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
