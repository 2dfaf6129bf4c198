/* runtime.c - CUDA runtime and driver calls, who paid for them, and the threads that made them. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	8,
	{
		{ "runtime", N_("calls"), NULL },
		{ "callers", N_("who calls"), NULL },
		{ "calls", N_("each call"), NULL },
		{ "launches", N_("launches"), NULL },
		{ "sync", N_("waits"), NULL },
		{ "threads", N_("threads"), NULL },
		{ "osrt", N_("OS calls"), NULL },
		{ "sched", N_("on CPU"), NULL },
	},
	1,
	N_("CUDA calls come from an nsys sqlite export or a torch.profiler trace with CUDA activity."),
};

const struct pane_ops pane_runtime = {
	.id = "runtime",
	.title = N_("Runtime"),
	.help = N_("Where the host spends time in CUDA calls; Enter shows who makes a call, then the Python frames."),
	.where = IN_TABLE,
	.follow = { PANE_OPS, PANE_TIMELINE },
	TABLE_PANE_OPS(&def),
};
