/* breakdown.c - each nanosecond of the window once: CPU, GPU and joint partition, and the cross-checks between sources. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	5,
	{
		{ "breakdown", N_("CPU"), "cpu" },
		{ "breakdown", N_("GPU x CPU"), "joint" },
		{ "breakdown", N_("GPU"), "gpu" },
		{ "gpu", N_("devices"), NULL },
		{ "crosscheck", N_("cross-checks"), NULL },
	},
	1,
	N_("A breakdown needs a trace with a time axis: nsys or torch.profiler."),
};

const struct pane_ops pane_breakdown = {
	.id = "breakdown",
	.title = N_("Breakdown"),
	.tab = N_("Break"),
	.help = N_("Where the whole wall time went: the rows add up to the window to the nanosecond."),
	.where = IN_TABLE,
	.follow = { PANE_OPS, PANE_KERNELS },
	TABLE_PANE_OPS(&def),
};
