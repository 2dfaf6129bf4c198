/* diff.c - what differs between this session and the one that it is compared with. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	1,
	{
		{ "diff", N_("changes"), NULL },
	},
	1,
	N_("profdive diff BEFORE AFTER opens two profiles; run@step:3 names a window of one."),
};

const struct pane_ops pane_diff = {
	.id = "diff",
	.title = N_("Comparison"),
	.help = N_("Each quantity per step, before and after; Real: the change is larger than the noise. Enter goes down from an op or a call of "
		"the run after, from a finding or a changed sequence of kernels to its instants. & what = sequence shows one group."),
	.where = IN_TABLE,
	.follow = { PANE_OPS, PANE_TIMELINE },
	TABLE_PANE_OPS(&def),
};
