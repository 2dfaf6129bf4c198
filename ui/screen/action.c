/* action.c - the table of actions. */
#include "ui/screen/action.h"

#include <string.h>

#include "base/i18n.h"

static const struct action_def defs[ACT_N] = {
	[ACT_NONE] = { "", "", 0, NULL, "" },
#define ACTION(id, name, keys, where, label, help) [ACT_##id] = { name, keys, where, label, help },
	ACTIONS(ACTION)
#undef ACTION
};

const struct action_def *action_get(enum action a)
{
	return &defs[(unsigned)a < ACT_N ? a : ACT_NONE];
}

enum action action_find(const char *name, size_t n)
{
	for (enum action a = ACT_NONE + 1; a < ACT_N; a++)
		if (strlen(defs[a].name) == n && !memcmp(defs[a].name, name, n))
			return a;
	return ACT_NONE;
}
