/* sentence.c - a finding in sentences: what the rule says, how it is spread over the steps, and its largest instances */
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "findings/finding.h"
#include "scope/columns.h"

void finding_text(const struct findings *f, const char *text, struct sbuf *out)
{
	if (text && *text)
		finding_fill(f->m->fr, f->m, _(text), out, NULL);
}

void finding_advice(const struct findings *f, const struct finding *x, struct sbuf *out)
{
	const struct finding_lines *l = &x->rule->advise;

	finding_text(f, x->rule->fix, out);
	for (uint32_t i = 0; i < l->n; i++) {
		enum truth holds = TRUTH_UNKNOWN;

		finding_holds(f->m->fr, f->m, l->v[i], &holds, NULL, NULL, NULL);
		if (holds != TRUTH_YES)
			continue;
		sbuf_puts(out, out->n ? " " : "");
		finding_text(f, advice_text(l->v[i]), out);
	}
}

const struct instance *finding_instance(const struct findings *f, const struct finding *x)
{
	return x->at != ID_NONE && f->m->v[x->at].n_top ? &f->m->v[x->at].top[0] : NULL;
}

enum { NAME_COLS = 48 };

/* Names of kernels can be longer than all else that is said: their ends tell most. */
static void put_name(const struct profile *p, str_id id, struct sbuf *out)
{
	size_t n;
	const char *s = profile_str(p, id, &n);
	char cut[NAME_COLS * 4 + 1];

	text_fit(cut, sizeof(cut), s, rules_op_base(s, n), NAME_COLS, TEXT_CUT_MIDDLE);
	sbuf_puts(out, cut);
}

/* The innermost Python frame of the thread that is the user's own code; where there is none, the innermost of any. */
static void put_frame(const struct findings *f, thread_id t, ns_t at, struct sbuf *out)
{
	const struct profile *p = f->m->k.p;
	track_id tr = profile_host_track(p, LAYER_PYTHON, t);
	const char *best = NULL;
	size_t len = 0;

	for (ev_id e = tr == ID_NONE ? ID_NONE : track_event_at(p, &p->tracks[tr], at); e != ID_NONE; e = p->parent[e]) {
		struct frame_name fn;
		struct host_class hc;
		size_t n;
		const char *s = profile_str(p, p->name[e], &n);

		rules_frame_name(s, n, &fn);
		if (fn.kind != FRAME_PYTHON)
			continue;
		rules_python(f->m->k.cx->rules, s, n, &hc);
		if (!best || !hc.known) {
			best = s;
			len = n;
		}
		if (!hc.known)
			break;
	}
	if (!best)
		return;
	sbuf_puts(out, ", ");
	text_put(out, best, len, 2 * NAME_COLS, TEXT_CUT_MIDDLE);
}

void finding_who(const struct findings *f, const struct instance *at, struct sbuf *out)
{
	const struct profile *p = f->m->k.p;
	uint32_t op = ID_NONE;

	if (at->ev == ID_NONE)
		return;
	if (at->ev >= p->layer_first[LAYER_KERNEL])
		op = p->link[at->ev] == ID_NONE ? ID_NONE : facts_op_of_call(f->m->k.f, p->link[at->ev]);
	else if (at->ev >= p->layer_first[LAYER_RUNTIME] && at->ev < p->layer_first[LAYER_RUNTIME + 1])
		op = facts_op_of_call(f->m->k.f, at->ev);
	put_name(p, p->name[at->ev], out);
	if (op != ID_NONE) {
		sbuf_puts(out, ", ");
		put_name(p, f->m->k.f->ops.name[op], out);
	}
	if (at->thread != ID_NONE && (at->ev < p->layer_first[LAYER_PYTHON] || at->ev >= p->layer_first[LAYER_PYTHON + 1]))
		put_frame(f, at->thread, at->start, out);
}

static void put_spread(const struct findings *f, uint32_t id, struct sbuf *out)
{
	const struct metrics *m = f->m;
	char med[NUM_TEXT_MAX], p90[NUM_TEXT_MAX];
	uint32_t in;

	if (id == ID_NONE || m->n_steps < 2)
		return;
	in = (uint32_t)(metric_presence(m, id) * m->n_steps + 0.5);
	sbuf_printf(out, ngettext(" Per step: median %s, p90 %s, in %u of %u step.", " Per step: median %s, p90 %s, in %u of %u steps.",
		m->n_steps), num_ns(metric_step_median(m, id), med),
		num_ns(metric_step_p90(m, id), p90), in, m->n_steps);
}

static void put_instances(const struct findings *f, uint32_t id, struct sbuf *out)
{
	const struct metric *v = &f->m->v[id];
	struct sbuf who[2] = { { 0 }, { 0 } };

	if (metric_unit(f->m->fr, id) != MU_NS)
		return;
	for (uint32_t i = 0; i < v->n_top; i++) {
		char len[NUM_TEXT_MAX], at[NUM_TEXT_MAX];

		sbuf_printf(out, i ? _("; %s at %s") : _("%s at %s"), num_ns(v->top[i].amount, len),
			num_time(selection_session_time(&f->m->k, v->top[i].start), at));
		sbuf_reset(&who[i & 1]);
		finding_who(f, &v->top[i], &who[i & 1]);
		/* who made all of them is told once */
		if (who[i & 1].n && (!i || strcmp(sbuf_str(&who[0]), sbuf_str(&who[1])) != 0))
			sbuf_printf(out, " (%s)", sbuf_str(&who[i & 1]));
	}
	sbuf_fini(&who[0]);
	sbuf_fini(&who[1]);
}

void finding_seen(const struct findings *f, const struct finding *x, struct sbuf *out)
{
	char told[NUM_TEXT_MAX];

	finding_text(f, x->rule->says, out);
	put_spread(f, x->spread, out);
	if (x->told_ns)
		sbuf_printf(out, _(" Other findings tell %s of it."), num_ns(x->told_ns, told));
}

void finding_instances(const struct findings *f, const struct finding *x, struct sbuf *out)
{
	if (x->at != ID_NONE)
		put_instances(f, x->at, out);
}
