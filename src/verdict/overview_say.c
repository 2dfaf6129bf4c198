/* overview_say.c - a sentence of the view `overview`, as a row */
#include <stdarg.h>
#include <stdio.h>

#include "verdict/overview_impl.h"

uint32_t overview_say(const struct say *s, const char *section, int64_t value_ns, double share, enum pane pane, const char *fmt, ...)
{
	uint32_t row = table_row(s->t);
	char text[1024];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s%s", s->run, s->rank);
	va_list ap;

	len = len < sizeof(text) ? len : sizeof(text) - 1;
	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	table_cstr(s->t, row, C_SECTION, section);
	table_cstr(s->t, row, C_TEXT, text);
	table_i64(s->t, row, C_VALUE, value_ns);
	if (share >= 0)
		table_f64(s->t, row, C_SHARE, share);
	if (pane) {
		table_i64(s->t, row, C_GOTO, pane);
		an_ref(s->t, row, REF_VIEW, UINT32_MAX, pane, 0, C_TEXT);
	}
	return row;
}
