/* kernels.c - GPU kernels: classes, then kernels, then instances; and which op launched what. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	6,
	{
		{ "classes", N_("classes"), NULL },
		{ "kernels", N_("kernels"), NULL },
		{ "instances", N_("instances"), NULL },
		{ "opkernels", N_("op x kernel"), NULL },
		{ "collectives", N_("collectives"), NULL },
		{ "devices", N_("devices"), NULL },
	},
	1,
	N_("Kernels come from an nsys sqlite export or a torch.profiler trace with CUDA activity."),
};

const struct pane_ops pane_kernels = {
	.id = "kernels",
	.title = N_("Kernels"),
	.help = N_("Which GPU work takes the time: Enter goes from a class to its kernels, to each instance, to the timeline."),
	.where = IN_TABLE,
	.follow = { PANE_OPS, PANE_TIMELINE },
	TABLE_PANE_OPS(&def),
};
