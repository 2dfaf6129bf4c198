/* pane_registry.c - the list of panes, in the order of enum pane_id. */
#include <stdarg.h>
#include <string.h>

#include "ui/panes/panes.h"

const struct pane_ops *const pane_registry[PANE_N] = {
	[PANE_OVERVIEW] = &pane_overview, [PANE_TIMELINE] = &pane_timeline, [PANE_KERNELS] = &pane_kernels, [PANE_OPS] = &pane_ops_,
	[PANE_RUNTIME] = &pane_runtime, [PANE_PYTHON] = &pane_python, [PANE_TRANSFERS] = &pane_transfers,
	[PANE_BREAKDOWN] = &pane_breakdown, [PANE_FINDINGS] = &pane_findings, [PANE_SOURCES] = &pane_sources, [PANE_DIFF] = &pane_diff, [PANE_LOG] = &pane_log,
	[PANE_DETAIL] = &pane_detail,
	[PANE_SETTINGS] = &pane_settings, [PANE_HELP] = &pane_help,
};

enum pane_id pane_by_name(const char *name, size_t n)
{
	if (n == 1 && *name >= '1' && *name <= '9')
		return (enum pane_id)(*name - '1');
	for (int i = 0; i < PANE_N; i++)
		if (strlen(pane_registry[i]->id) == n && !memcmp(pane_registry[i]->id, name, n))
			return (enum pane_id)i;
	return PANE_N;
}

void outcome_say(struct outcome *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->status, sizeof(out->status), fmt, ap);
	va_end(ap);
}
