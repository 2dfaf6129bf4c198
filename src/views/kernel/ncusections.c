/*
 * ncusections.c - view `ncusections`: the lines of the sections of a report, as Nsight Compute's details page has them: sections in
 * their order, lines by the name of the metric
 */
#include "views/kernel/common.h"

enum { C_ID, C_SECTION, C_LABEL, C_METRIC, C_UNIT, C_VALUE, C_BASELINE, C_DELTA };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_SECTION] = { "section", N_("Section"), UNIT_TEXT, COL_KEY, 0, N_("section of the report") },
	[C_LABEL] = { "label", N_("Label"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("what the section calls the value") },
	[C_METRIC] = { "metric", N_("Metric"), UNIT_TEXT, 0, 4, N_("name of the metric, as Nsight Compute calls it") },
	[C_UNIT] = { "unit", N_("Unit"), UNIT_TEXT, 0, 1, N_("unit of the value, told by the name of the metric; not scaled") },
	[C_VALUE] = { "value", N_("Value"), UNIT_TEXT, COL_MIXED, 0, N_("the value; missing where the report has none, or none that is a number") },
	[C_BASELINE] = { "baseline", N_("Baseline"), UNIT_TEXT, COL_MIXED, 2, N_("the same value of the launch that is compared with") },
	[C_DELTA] = { "delta", N_("Difference"), UNIT_FACTOR, 0, 2, N_("value less baseline: in percent of the baseline, of percentages in points") },
	SOURCE_COLS
};

static void add(const struct launch *x, struct table *t, void *arg)
{
	const struct kernel_reports *r = &x->p->reports;

	(void)arg;
	for (uint32_t i = x->l->first_line; i < x->l->first_line + x->l->n_lines; i++) {
		const struct section_line *l = &r->lines[i];
		const struct kernel_metric *m = &r->metrics[l->metric];
		uint32_t row = launch_row(t, x);
		size_t n;
		const char *name = metric_name(x->p, m, &n), *unit = unit_of_metric(name, n);

		launch_str(t, row, C_SECTION, x, l->title != ID_NONE ? l->title : l->section);
		launch_str(t, row, C_LABEL, x, l->label);
		table_str(t, row, C_METRIC, name, n);
		if (*unit)
			table_cstr(t, row, C_UNIT, unit);
		value_cell(t, row, C_VALUE, x->p, m->kind, m->bits);
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return launches_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_ncusections = {
	.id = "ncusections", .title = N_("Sections of kernel reports"),
	.doc = N_("the sections of Nsight Compute reports, line by line as its details page has them"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
