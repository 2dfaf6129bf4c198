/* panes.h - the panes by name, for the registry. */
#ifndef UI_PANES_PANES_H
#define UI_PANES_PANES_H

#include "ui/widgets/pane.h"

extern const struct pane_ops pane_overview, pane_timeline, pane_kernels, pane_ops_, pane_runtime, pane_python, pane_transfers,
	pane_breakdown, pane_findings, pane_sources, pane_diff, pane_log, pane_detail, pane_settings, pane_help;

#endif
