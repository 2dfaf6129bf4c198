/* registry.c - the list of panes, in the order of enum pane_id. */
#include "ui/panes/panes.h"

const struct pane_ops *const pane_registry[PANE_N] = {
	[PANE_OVERVIEW] = &pane_overview,   [PANE_TIMELINE] = &pane_timeline,
	[PANE_KERNELS] = &pane_kernels,	    [PANE_OPS] = &pane_ops_,
	[PANE_RUNTIME] = &pane_runtime,	    [PANE_PYTHON] = &pane_python,
	[PANE_TRANSFERS] = &pane_transfers, [PANE_BREAKDOWN] = &pane_breakdown,
	[PANE_FINDINGS] = &pane_findings,   [PANE_SOURCES] = &pane_sources,
	[PANE_DIFF] = &pane_diff,	    [PANE_LOG] = &pane_log,
	[PANE_DETAIL] = &pane_detail,	    [PANE_SETTINGS] = &pane_settings,
	[PANE_HELP] = &pane_help,
};
