/* transfers.c - copies, memory sets, waits and idle gaps. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	11,
	{
		{ "memcpy", N_("copies"), NULL },
		{ "sync", N_("waits"), NULL },
		{ "gaps", N_("idle gaps"), NULL },
		{ "gaps", N_("compute gaps"), "compute" },
		{ "copyrate", N_("at once"), NULL },
		{ "memset", N_("memsets"), NULL },
		{ "streams", N_("streams"), NULL },
		{ "expert", N_("expert rules"), NULL },
		{ "offload", N_("offload"), NULL },
		{ "umpages", N_("unified memory"), NULL },
		{ "umcauses", N_("page faults"), NULL },
	},
	1,
	N_("Copies come from an nsys sqlite export or a torch.profiler trace with CUDA activity."),
};

const struct pane_ops pane_transfers = {
	.id = "transfers",
	.title = N_("Transfers"),
	.tab = N_("Copies"),
	.help = N_("What is copied, how fast, and who waits for it; idle gaps with their cause."),
	.where = IN_TABLE,
	.follow = { PANE_TIMELINE, PANE_RUNTIME },
	TABLE_PANE_OPS(&def),
};
