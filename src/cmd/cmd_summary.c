/* cmd_summary.c - profdive summary PATH...: at most 15 lines to paste into a chat, of the same sentences as the overview and the findings */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "scope/found_on.h"
#include "table/get.h"

enum { LINES = 15, COLS = 500 };

struct summary {
	const struct table *overview, *findings, *checks;
	bool many;		/* runs or ranks: each has a window of its own */
	bool unread;		/* work of a device that is not read: of losses nothing is known */
	unsigned lines;
};

static void put_cell(struct sbuf *b, const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = get_cell(t, row, id);

	if (c->type == CELL_STR)
		sbuf_put(b, c->v.s, c->len);
}

static bool put_line(struct summary *s, const struct sbuf *b)
{
	struct sbuf out = { 0 };

	if (s->lines >= LINES || !b->n)
		return false;
	text_put(&out, b->s, b->n, COLS, TEXT_CUT_END);
	puts(sbuf_str(&out));
	sbuf_fini(&out);
	s->lines++;
	return true;
}

/* The rows of a section of the overview, at most `max`; returns how many it has. */
static unsigned put_section(struct summary *s, const char *section, const char *label, unsigned max)
{
	const struct table *t = s->overview;
	unsigned n = 0;

	for (uint32_t r = 0; r < t->n_rows; r++) {
		struct sbuf b = { 0 };

		if (!get_is(t, r, "section", section) || n++ >= max)
			continue;
		sbuf_puts(&b, label);
		put_cell(&b, t, r, "text");
		put_line(s, &b);
		sbuf_fini(&b);
	}
	return n;
}

/* The first rows of a section with their shares, one after the other in a line. */
static void put_shares(struct summary *s, const char *section, unsigned max)
{
	const struct table *t = s->overview;
	struct sbuf b = { 0 };
	unsigned n = 0;

	for (uint32_t r = 0; r < t->n_rows; r++) {
		const struct cell *share = get_cell(t, r, "share");
		char pct[NUM_TEXT_MAX];

		if (!get_is(t, r, "section", section) || n++ >= max)
			continue;
		sbuf_puts(&b, b.n ? "; " : "");
		put_cell(&b, t, r, "text");
		if (share->type == CELL_F64)
			sbuf_printf(&b, " (%s)", num_pct(share->v.f, pct));
	}
	put_line(s, &b);
	sbuf_fini(&b);
}

/* Two devices, and how many more there are: a cut list must not pass for a whole one. */
static unsigned put_gpus(struct summary *s)
{
	enum { GPUS = 2 };
	unsigned n = put_section(s, "gpu", "", GPUS);
	struct sbuf b = { 0 };

	if (n > GPUS)
		sbuf_printf(&b, ngettext("%u more GPU (profdive print gpu).", "%u more GPUs (profdive print gpu).", n - GPUS), n - GPUS);
	put_line(s, &b);
	sbuf_fini(&b);
	return n;
}

static void put_head(struct summary *s)
{
	const struct table *t = s->overview;
	struct sbuf b = { 0 };
	char wall[NUM_TEXT_MAX];

	for (uint32_t i = 0; i < t->n_sources && i < 2; i++)
		sbuf_printf(&b, "%s%s", i ? ", " : "", t->sources[i]);
	if (t->n_sources > 2)
		sbuf_printf(&b, _(" and %u more"), t->n_sources - 2);
	sbuf_printf(&b, _(": window %s"), t->window_kind ? t->window_kind : "all");
	if (!s->many && t->wall_ns > 0)
		sbuf_printf(&b, ", %s", num_ns(t->wall_ns, wall));
	put_line(s, &b);
	sbuf_fini(&b);
}

/* One line per rule: of several files that of the largest loss stands for all. */
static bool told_before(const struct table *t, uint32_t row)
{
	for (uint32_t r = 0; r < row; r++)
		if (get_same(t, r, row, "id"))
			return true;
	return false;
}

/* The fix of the worst finding with the same title: advice fits its file. */
static void put_fix(struct sbuf *b, const struct table *t, const struct cell *title)
{
	uint32_t n, *rows = found_worst(t, &n), i = 0;

	while (i < n && cell_cmp(get_cell(t, rows[i], "title"), title))
		i++;
	if (i < n) {
		sbuf_puts(b, ". ");
		put_cell(b, t, rows[i], "fix");
	}
	free(rows);
}

/* Of GPU work of which nothing is known no loss is either. */
static bool refused(const struct table *t)
{
	for (uint32_t r = 0; r < t->n_rows; r++)
		if (get_is(t, r, "section", "gpu") && get_cell(t, r, "share")->type == CELL_F64)
			return false;
	return true;
}

/* The losses as the overview ranks them, one line per rule. */
static void put_findings(struct summary *s, unsigned max, bool gpu)
{
	const struct table *t = s->overview;
	struct sbuf b = { 0 };
	unsigned n = 0;

	for (uint32_t r = 0; r < t->n_rows && n < max; r++) {
		const struct cell *share = get_cell(t, r, "share");
		char pct[NUM_TEXT_MAX];

		if (!get_is(t, r, "section", "loss"))
			continue;
		sbuf_reset(&b);
		sbuf_printf(&b, "%u. ", ++n);
		put_cell(&b, t, r, "text");
		if (share->type == CELL_F64)
			sbuf_printf(&b, " (%s)", num_pct(share->v.f, pct));
		put_fix(&b, s->findings, get_cell(t, r, "title"));
		put_line(s, &b);
	}
	if (!n && !(gpu ? refused(t) : s->unread)) {
		sbuf_puts(&b, gpu ? _("No loss was found.") : _("No loss was found: there is no GPU work to lose time on."));
		put_line(s, &b);
	}
	sbuf_fini(&b);
}

static void put_remarks(struct summary *s)
{
	const struct table *t = s->findings;
	struct sbuf b = { 0 };

	for (uint32_t r = 0; r < t->n_rows; r++) {
		if (!get_is(t, r, "severity", "info") || told_before(t, r))
			continue;
		sbuf_puts(&b, b.n ? "; " : _("Also: "));
		put_cell(&b, t, r, "title");
	}
	put_line(s, &b);
	sbuf_fini(&b);
}

static void put_untested(struct summary *s)
{
	const struct table *t = s->checks;
	struct sbuf b = { 0 };
	uint32_t n = 0;

	for (uint32_t r = 0; r < t->n_rows; r++)
		n += get_is(t, r, "state", "not tested") && !told_before(t, r);
	if (n)
		sbuf_printf(&b, ngettext("%u check could not be made for want of data (profdive print checks).",
			"%u checks could not be made for want of data (profdive print checks).", n), n);
	put_line(s, &b);
	sbuf_fini(&b);
}

/* The first finding that knows a command, those with a sentence for the verdict before the others: its question comes first. */
static uint32_t next_row(const struct table *t)
{
	for (int verdict = 1; verdict >= 0; verdict--)
		for (uint32_t r = 0; r < t->n_rows; r++)
			if (get_cell(t, r, "capture")->type == CELL_STR && (!verdict || get_cell(t, r, "verdict")->type == CELL_STR))
				return r;
	return ROW_NONE;
}

static void put_next(struct summary *s)
{
	uint32_t r = next_row(s->findings);
	struct sbuf b = { 0 };

	if (r == ROW_NONE)
		return;
	sbuf_puts(&b, _("Run next: "));
	put_cell(&b, s->findings, r, "capture");
	put_line(s, &b);
	sbuf_fini(&b);
}

static void put_summary(struct summary *s)
{
	unsigned gpus;

	put_head(s);
	put_section(s, "verdict", "", s->many ? 2 : 1);
	put_section(s, "step", "", s->many ? 2 : 1);
	gpus = put_gpus(s);
	if (!gpus)
		put_shares(s, "cpu", 3);
	if (!put_section(s, "dump", "", 6))
		put_findings(s, 5, gpus > 0);
	put_remarks(s);
	put_untested(s);
	put_next(s);
	put_section(s, "missing", _("Missing: "), 2);
}

/* Runs that share no clock, or ranks of one; most files do not say their rank. */
static bool several(const struct session *x, const struct scope *sc)
{
	int64_t rank = -1;
	int group = -1;

	for (uint32_t i = 0; i < x->n_sources; i++) {
		const struct profile *p = x->sources[i].profile;

		if (!p || (sc->source >= 0 && (uint32_t)sc->source != i) || (sc->rank != SCOPE_ANY && sc->rank != p->rank))
			continue;
		if ((group >= 0 && group != x->sources[i].clock_group) || (rank >= 0 && p->rank >= 0 && rank != p->rank))
			return true;
		group = x->sources[i].clock_group;
		rank = p->rank >= 0 ? p->rank : rank;
	}
	return false;
}

static bool summarise(const struct opened *op, const struct scope *sc, struct err *e)
{
	struct an_ctx *cx = an_ctx_new(op->session, op->rules, NULL, NULL);
	static const char *const views[] = { "overview", "findings", "checks" };
	struct table *t[3] = { NULL };
	bool ok = true;

	for (size_t i = 0; i < 3 && ok; i++) {
		t[i] = analysis_table(analysis_find(views[i]), cx, sc, e);
		ok = t[i] != NULL;
	}
	if (ok)
		put_summary(&(struct summary){ t[0], t[1], t[2], several(op->session, sc), session_caps(op->session) & CAP_DEVICE_UNREAD, 0 });
	for (size_t i = 0; i < 3; i++)
		table_free(t[i]);
	an_ctx_free(cx);
	return ok;
}

int cmd_summary(struct invocation *in)
{
	struct scope sc;
	struct err e = ERR_INIT;
	struct opened op;
	int status;

	if (!in->n_args) {
		err_set(&e, ERR_USAGE, _("a path is missing: a profile file, or a folder that holds some"));
		return msg_fail(NULL, &e);
	}
	if (!scope_from_options(&sc, &in->opt, &e))
		return msg_fail(NULL, &e);
	status = open_begin(&op, in, in->args, in->n_args, false);
	if (status == EXIT_DONE)
		status = open_wait(&op);
	if (status <= EXIT_DAMAGED && (!scope_set_source(&sc, &in->opt, op.session, &e) || !summarise(&op, &sc, &e)))
		status = msg_fail(NULL, &e);
	open_end(&op);
	return status;
}
