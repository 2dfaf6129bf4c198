/* no_verdict.c - what is told where nothing binds the run, see no_verdict.h */
#include "verdict/no_verdict.h"

#include "base/i18n.h"

bool no_verdict_doubt(const struct table *gpu, struct sbuf *out)
{
	int col = table_col(gpu, "doubt");

	for (uint32_t r = 0; r < gpu->n_rows; r++) {
		const struct cell *why = table_cell(gpu, r, (uint32_t)col);

		if (why->type != CELL_STR)
			continue;
		if (out)
			sbuf_printf(
				out,
				_("No verdict: it is not known when the GPU is idle, for %.*s."),
				(int)why->len, why->v.s);
		return true;
	}
	return false;
}

static bool any_event(const struct an_ctx *cx)
{
	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		const struct profile *p = cx->session->sources[i].profile;

		if (p && (p->n || p->n_frames))
			return true;
	}
	return false;
}

bool no_verdict_host(const struct an_ctx *cx, struct sbuf *out)
{
	bool any = any_event(cx);

	if (!any)
		sbuf_puts(out, _("Nothing was recorded: the files hold no events."));
	else if (session_caps(cx->session) & CAP_DEVICE_UNREAD)
		sbuf_puts(out, _("Ascend NPU device lanes are not read: what follows is host time."));
	else
		sbuf_puts(out, _("No GPU work was recorded: what follows is host time."));
	return any;
}
