/* ncumetrics.c - view `ncumetrics`: every metric of every profiled launch, in base units, as the report holds them */
#include "views/kernel/common.h"

enum { C_ID, C_METRIC, C_UNIT, C_VALUE, C_INSTANCES };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_METRIC] = { "metric", N_("Metric"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the metric, as Nsight Compute calls it") },
	[C_UNIT] = { "unit", N_("Unit"), UNIT_TEXT, 0, 1, N_("unit of the value, told by the name of the metric; not scaled") },
	[C_VALUE] = { "value", N_("Value"), UNIT_TEXT, COL_MIXED, 0, N_("the value; missing where the report has none, or none that is a number") },
	[C_INSTANCES] = { "instances", N_("Instances"), UNIT_COUNT, 0, 3, N_("parts that the report holds of it: per instruction, opcode, …") },
	SOURCE_COLS
};

static void add(const struct launch *x, struct table *t, void *arg)
{
	const struct kernel_metric *m = &x->p->reports.metrics[x->l->first_metric];

	(void)arg;
	for (uint32_t i = 0; i < x->l->n_metrics; i++) {
		size_t n;
		const char *name = metric_name(x->p, &m[i], &n);
		uint32_t row;

		if (metric_is_list(name, n))
			continue;
		row = launch_row(t, x);
		table_str(t, row, C_METRIC, name, n);
		if (*unit_of_metric(name, n))
			table_cstr(t, row, C_UNIT, unit_of_metric(name, n));
		value_cell(t, row, C_VALUE, x->p, m[i].kind, m[i].bits);
		table_i64(t, row, C_INSTANCES, m[i].n_instances);
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return launches_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_ncumetrics = {
	.id = "ncumetrics", .title = N_("Metrics of kernels"), .doc = N_("every metric that Nsight Compute collected of a launch"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
