/* sources.c - the files of the session, and their threads with roles. */
#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"

static const struct table_pane_def def = {
	6,
	{
		{ "sources", N_("files"), NULL },
		{ "threads", N_("threads"), NULL },
		{ "steps", N_("steps"), NULL },
		{ "stepstats", N_("step parts"), NULL },
		{ "coverage", N_("coverage"), NULL },
		{ "quality", N_("quality"), NULL },
	},
	1,
	N_("Nothing could be read."),
};

const struct pane_ops pane_sources = {
	.id = "sources",
	.title = N_("Sources"),
	.help = N_("What was opened, by whom it was recorded, with which options, and what was damaged. Enter shows one file alone."),
	.where = IN_TABLE,
	.follow = { PANE_TIMELINE, PANE_LOG },
	TABLE_PANE_OPS(&def),
};
