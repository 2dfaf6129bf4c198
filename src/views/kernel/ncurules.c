/* ncurules.c - view `ncurules`: what the rules in a report advise, in the order of its sections */
#include "views/kernel/common.h"

enum { C_ID, C_RULE, C_SECTION, C_TYPE, C_SPEEDUP_KIND, C_SPEEDUP, C_FOCUS, C_TEXT };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_RULE] = { "rule", N_("Rule"), UNIT_TEXT, COL_KEY, 0, N_("identifier of the rule, as Nsight Compute calls it") },
	[C_SECTION] = { "section", N_("Section"), UNIT_TEXT, 0, 3, N_("identifier of the section that the rule belongs to") },
	[C_TYPE] = { "type", N_("Type"), UNIT_TEXT, 0, 1, N_("INF, WRN, ERR or OPT, as the report says") },
	[C_SPEEDUP_KIND] = { "speedup_kind", N_("Speedup of"), UNIT_TEXT, 0, 2, N_("local: of what the rule looks at; global: of the kernel") },
	[C_SPEEDUP] = { "speedup_pct", N_("Speedup"), UNIT_FACTOR, 0, 1, N_("percent that the rule estimates to be gained") },
	[C_FOCUS] = { "focus_metric", N_("Metric"), UNIT_TEXT, 0, 4, N_("metric that the advice is about") },
	[C_TEXT] = { "text", N_("Advice"), UNIT_TEXT, COL_NAME, 0, N_("the advice in the words of the report") },
	SOURCE_COLS
};

static void add(const struct launch *x, struct table *t, void *arg)
{
	static const char *const types[RULE_TYPE_N] = { NULL, "INF", "WRN", "ERR", "OPT" };
	static const char *const kinds[SPEEDUP_KIND_N] = { NULL, "local", "global" };

	(void)arg;
	for (uint32_t i = x->l->first_rule; i < x->l->first_rule + x->l->n_rules; i++) {
		const struct kernel_rule *r = &x->p->reports.rules[i];
		uint32_t row = launch_row(t, x);

		launch_str(t, row, C_RULE, x, r->rule);
		launch_str(t, row, C_SECTION, x, r->section);
		if (types[r->type])
			table_cstr(t, row, C_TYPE, types[r->type]);
		if (kinds[r->speedup])
			table_cstr(t, row, C_SPEEDUP_KIND, kinds[r->speedup]);
		number_cell(t, row, C_SPEEDUP, r->speedup_pct);
		launch_str(t, row, C_FOCUS, x, r->focus);
		launch_str(t, row, C_TEXT, x, r->text);
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return launches_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_ncurules = {
	.id = "ncurules", .title = N_("Advice of kernel reports"), .doc = N_("what the rules of Nsight Compute say of each profiled launch"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
