/*
 * diff_findings.c - findings that are gone, new, or stay, in this order, each with what it loses per step on both sides: the rules are
 * tried on both. What a rule loses is told of the side that lacks the finding, too, where it can be measured.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "compare/diff_impl.h"
#include "findings/finding.h"
#include "scope/columns.h"

struct both {
	struct diff *d;
	struct findings *f[2];
	const struct finding *x[2];	/* of one rule; NULL: the side does not have the rule */
};

/* Of the first source, as the steps are. */
static bool try_side(struct both *b, int side, struct err *e)
{
	const struct an_ctx *cx = b->d->side[side].cx;
	struct scope *sc = &b->d->scope[side];
	struct err own = ERR_INIT;
	uint32_t n, *src = finding_sources(cx, sc, &n, NULL);

	if (n)
		b->f[side] = findings_new(cx, sc, src[0], &own);
	free(src);
	b->d->have[GROUP_FINDING][side] = b->f[side] != NULL;
	if (own.code != ERR_CANCELLED)
		return true;
	*e = own;
	return false;
}

static const struct finding *find_rule(const struct findings *f, const char *id)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].rule->id, id))
			return &f->v[i];
	return NULL;
}

static bool found(const struct finding *x)
{
	return x && x->state == FINDING_FOUND;
}

static const char *change_of(const struct both *b)
{
	static const char *const words[FINDING_STATE_N] = { "stayed", "explained", "accepted", "not tested", NULL };
	const struct finding *other = found(b->x[0]) ? b->x[1] : b->x[0];
	const char *word = other ? words[other->state] : "not tested";

	return word ? word : found(b->x[0]) ? "gone" : "new";
}

static int64_t per_step(const struct findings *f, const struct finding *x)
{
	uint32_t per = findings_per(f);

	return !x || x->lost_ns == I64_UNKNOWN ? I64_UNKNOWN : per ? x->lost_ns / per : x->lost_ns;
}

/* What is lost in each step, where one measure says so; *own is made where nothing of it occurs at all. */
static bool step_values(const struct both *b, int side, struct diff_values *v, int64_t **own)
{
	const struct findings *f = b->f[side];
	const char *lost = b->x[side] ? b->x[side]->rule->lost : NULL;
	uint32_t id = lost ? metric_find(f->m->fr, lost, strlen(lost)) : ID_NONE;

	if (id == ID_NONE || metric_unit(f->m->fr, id) != MU_NS || !f->m->v[id].known || !f->m->n_steps)
		return false;
	if (!f->m->v[id].by_step && f->m->v[id].i)
		return false;
	if (!f->m->v[id].by_step)
		*own = xcalloc(f->m->n_steps, sizeof(**own));
	*v = (struct diff_values){ *own ? *own : f->m->v[id].by_step, f->m->n_steps, f->m->n_steps,
		diff_rounding(b->d, side, f->m->v[id].events) };
	return true;
}

static void put_figures(const struct both *b, struct table *t, uint32_t row)
{
	int64_t before = per_step(b->f[0], b->x[0]), after = per_step(b->f[1], b->x[1]), noise = 0, *own[2] = { NULL, NULL };
	struct diff_values v[2];
	bool known = step_values(b, 0, &v[0], &own[0]) && step_values(b, 1, &v[1], &own[1]) && diff_noise(v, false, false, &noise);

	if (before != I64_UNKNOWN && after != I64_UNKNOWN) {
		diff_put_change(t, row, before, after, known, noise);
	} else {
		table_i64(t, row, C_BEFORE, before);
		table_i64(t, row, C_AFTER, after);
	}
	free(own[0]);
	free(own[1]);
}

/* "major", or the state with what decided. */
static void put_side(const struct finding *x, struct sbuf *out)
{
	if (!x)
		sbuf_puts(out, _("not tested"));
	else if (found(x))
		sbuf_puts(out, finding_severity_name(x->severity));
	else
		sbuf_printf(out, "%s (%s)", finding_state_name(x->state), x->why);
}

static void put_detail(const struct both *b, struct table *t, uint32_t row)
{
	const struct findings *f = b->f[found(b->x[1]) ? 1 : 0];
	const struct finding *x = b->x[found(b->x[1]) ? 1 : 0];
	struct sbuf out = { 0 };

	finding_text(f, x->rule->title, &out);
	sbuf_printf(&out, "; %s: ", _("before"));
	put_side(b->x[0], &out);
	sbuf_printf(&out, "; %s: ", _("after"));
	put_side(b->x[1], &out);
	table_str(t, row, C_DETAIL, out.s, out.n);
	sbuf_fini(&out);
}

static void put_rule(const struct both *b, struct table *t)
{
	const struct findings *f = b->f[1];
	const struct instance *at = found(b->x[1]) ? finding_instance(f, b->x[1]) : NULL;
	uint32_t row = table_row(t);

	table_cstr(t, row, C_WHAT, "finding");
	table_cstr(t, row, C_NAME, b->x[found(b->x[1]) ? 1 : 0]->rule->id);
	put_figures(b, t, row);
	table_cstr(t, row, C_CHANGE, change_of(b));
	put_detail(b, t, row);
	if (at)
		an_ref(t, row, REF_TIME, f->m->source, selection_session_time(&f->m->k, at->start), selection_session_time(&f->m->k, at->end), C_NAME);
}

/* Rules of section "meta" describe the recording, not the run: they are not compared. */
static bool of_capture(const struct finding_rule *r)
{
	return !r->lost && !r->verdict && !strcmp(r->section, "meta");
}

/* Rules that side `of` has found, by rank: of those that the other side has found, too, or of the others. */
static void put_rules(struct both *b, struct table *t, int of, bool both)
{
	for (uint32_t i = 0; i < b->f[of]->n_found; i++) {
		b->x[of] = &b->f[of]->v[b->f[of]->rank[i]];
		b->x[!of] = find_rule(b->f[!of], b->x[of]->rule->id);
		if (found(b->x[!of]) == both && !of_capture(b->x[of]->rule))
			put_rule(b, t);
	}
}

static void note_caution(const struct both *b, struct table *t, int side)
{
	if (b->f[side]->caution)
		table_note(t, _("findings %s: %s"), side ? _("after") : _("before"), b->f[side]->caution);
}

bool diff_findings(struct diff *d, struct table *t, struct err *e)
{
	struct both b = { .d = d };
	bool ok = try_side(&b, 0, e) && try_side(&b, 1, e);

	if (ok && b.f[0] && b.f[1]) {
		put_rules(&b, t, 0, false);
		put_rules(&b, t, 1, false);
		put_rules(&b, t, 1, true);
		note_caution(&b, t, 0);
		note_caution(&b, t, 1);
	}
	findings_free(b.f[0]);
	findings_free(b.f[1]);
	return ok;
}
