/* pane.c - what panes and the app share: places, outcomes, panes by name; see pane.h */
#include "ui/widgets/pane.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

enum {
	CRUMB_COLS = 22
};

void place_init(struct place *pl, enum pane_id pane, const struct scope *sc)
{
	memset(pl, 0, sizeof(*pl));
	pl->pane = pane;
	pl->sub = -1;
	pl->scope = *sc;
	pl->source = UINT32_MAX;
	pl->ev = ID_NONE;
	pl->lane = UINT32_MAX;
	pl->idle_gpu = SCOPE_ANY;
}

void place_crumb(struct place *pl, const char *label, size_t n)
{
	size_t have = strlen(pl->crumb);
	char cut[128];

	text_fit(cut, sizeof(cut), label, n, CRUMB_COLS, TEXT_CUT_MIDDLE);
	snprintf(pl->crumb + have, sizeof(pl->crumb) - have, "%s%s", have ? " > " : "", cut);
}

void outcome_say(struct outcome *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->status, sizeof(out->status), fmt, ap);
	va_end(ap);
}

enum pane_id pane_by_name(const struct ui_ctx *ui, const char *name, size_t n)
{
	if (n == 1 && *name >= '1' && *name <= '9')
		return (enum pane_id)(*name - '1');
	for (int i = 0; ui->panes && i < PANE_N; i++)
		if (strlen(ui->panes[i].ops->id) == n && !memcmp(ui->panes[i].ops->id, name, n))
			return (enum pane_id)i;
	return PANE_N;
}
