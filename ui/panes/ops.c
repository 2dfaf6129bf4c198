/* ops.c - framework operators: the self-time tree, the flat table, that by input shapes, the kernels that each launched, NVTX ranges. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	10,
	{
		{ "optree", N_("tree"), NULL },
		{ "ops", N_("flat"), NULL },
		{ "opshapes", N_("shapes"), NULL },
		{ "opcallers", N_("callers"), NULL },
		{ "opkernels", N_("op x kernel"), NULL },
		{ "modules", N_("modules"), NULL },
		{ "nvtx", N_("NVTX"), NULL },
		{ "nvtxtrace", N_("each range"), NULL },
		{ "nvtxgpu", N_("NVTX on GPU"), NULL },
		{ "fwdbwd", N_("backward"), NULL },
	},
	2,
	N_("Ops come from a torch.profiler trace, or from NVTX ranges of autograd in an nsys export."),
};

const struct pane_ops pane_ops_ = {
	.id = "ops",
	.title = N_("Ops"),
	.help = N_("Which operators own the CPU time, and what each waits for: self = sync + launch + memcpy + other calls + host."),
	.where = IN_TABLE | IN_TREE,
	.follow = { PANE_KERNELS, PANE_RUNTIME },
	TABLE_PANE_OPS(&def),
};
