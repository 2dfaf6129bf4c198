/* cmd_event.c - the fields of an event for the explorer's pane of i: session/event_fields.h as a table. */
#include "base/i18n.h"
#include "cmd/cmd.h"
#include "session/event_fields.h"
#include "table/table.h"

enum { COL_FIELD, COL_VALUE, N_COLS };
static const struct column_def cols[N_COLS] = {
	{ "field", N_("Field"), UNIT_TEXT, COL_KEY, 0, N_("name in the file") },
	{ "value", N_("Value"), UNIT_TEXT, COL_NAME, 0, N_("as it stands there") },
};

static void put(void *arg, const char *key, size_t key_len, const char *value, size_t value_len)
{
	struct table *t = arg;
	uint32_t row = table_row(t);

	table_str(t, row, COL_FIELD, key, key_len);
	table_str(t, row, COL_VALUE, value, value_len);
}

struct table *event_fields_table(const struct an_ctx *cx, uint32_t source, ev_id ev, struct err *e)
{
	const struct source *s = source < cx->session->n_sources ? &cx->session->sources[source] : NULL;
	struct table *t = table_new("fields", cols, N_COLS);
	struct job own = { 0 };

	if (s && s->profile && event_fields_read(s->path, s->profile, ev, cx->job ? cx->job : &own, put, t, e))
		return t;
	table_free(t);
	return NULL;
}
