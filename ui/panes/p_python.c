/* p_python.c - Python call stacks: of torch's with_stack, or sampled by pyinstrument. */
#include "base/i18n.h"
#include "ui/panes/p_table.h"
#include "ui/panes/panes.h"

static const struct table_pane_def def = {
	2,
	{
		{ "stacks", N_("call tree"), NULL },
		{ "chains", N_("ways to the GPU"), NULL },
	},
	6,
	N_("Stacks come from torch.profiler with with_stack=True, or from a pyinstrument session in JSON."),
};

const struct pane_ops pane_python = {
	.id = "python",
	.title = N_("Python"),
	.help = N_("Which Python lines the time belongs to; letters say whose code a frame is (P yours, T torch, D DeepSpeed, …)."),
	.where = IN_TABLE | IN_TREE,
	.follow = { PANE_OPS, PANE_BREAKDOWN },
	TABLE_PANE_OPS(&def),
};
