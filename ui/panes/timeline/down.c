/* down.c - Enter in the timeline: step, window, kernel, API call, op, Python frame. */
#include <string.h>

#include "base/i18n.h"
#include "rules/rules.h"
#include "ui/panes/nav.h"
#include "ui/panes/timeline/pane.h"
#include "ui/widgets/frame_find.h"

static bool first_gpu_lane(const struct timeline *s, uint32_t *lane)
{
	for (uint32_t i = 0; i < s->lanes.n; i++) {
		if (s->lanes.a[i].kind == LANE_EVENTS && s->lanes.a[i].layer == LAYER_KERNEL) {
			*lane = i;
			return true;
		}
	}
	return false;
}

static void zoom_place(struct place *to, ns_t from, ns_t until)
{
	to->pane = PANE_TIMELINE;
	to->scope.window = WINDOW_TIME;
	to->scope.start_ns = from;
	to->scope.end_ns = until > from ? until : from + 1;
	to->t0 = to->t1 = 0;
	to->ev = ID_NONE;
	to->lane = UINT32_MAX;
}

/* The Python frame that the main thread is in at a time, of a file on the clock of the timeline; one that has a file. ID_NONE: none. */
static ev_id frame_during(const struct ui_ctx *ui, uint32_t shown, ns_t at, uint32_t *source)
{
	for (uint32_t i = 0; ui->session && i < ui->session->n_sources; i++) {
		const struct facts *f = mv_facts(ui, i);
		uint32_t proc = f && f->p == mv_profile(ui, i) ? mv_proc(f) : UINT32_MAX;
		struct frame_name fn = { 0 };
		ev_id e = ID_NONE;

		if (proc != UINT32_MAX && f->procs[proc].main != ID_NONE &&
		    ui->session->sources[i].clock_group == ui->session->sources[shown].clock_group)
			e = frame_at(f->p, f->procs[proc].main, at - mv_shift(ui, i));
		for (; e != ID_NONE; e = f->p->parent[e]) {
			size_t n;
			const char *name = mv_ev_name(f->p, e, &n);

			rules_frame_name(name, n, &fn);
			if (fn.kind == FRAME_PYTHON)
				break;
		}
		*source = i;
		if (e != ID_NONE)
			return e;
	}
	return ID_NONE;
}

/* Below a gap that is the window: what Python did meanwhile. */
static bool enter_idle(struct pane *p, ns_t from, ns_t to, struct outcome *out)
{
	uint32_t source;
	ev_id e = frame_during(p->ui, timeline_of(p)->source, from + (to - from) / 2, &source);

	if (e == ID_NONE)
		return false;
	out->to.pane = PANE_PYTHON;
	out->to.sub = 0;
	out->to.row_key = 0;
	out->to.ev = e;
	out->to.source = source;
	out->flags |= OUT_GO;
	return true;
}

static void enter_span(struct pane *p, const struct lane *l, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	const struct facts *f = mv_facts(p->ui, s->source);
	ns_t from, to, shift = mv_shift(p->ui, s->source);
	uint32_t gpu;

	if (!timeline_span(p->ui, l, s->cursor, &from, &to) || from == INT64_MIN || to == INT64_MAX) {
		outcome_say(out, "%s", _("there is nothing to enter at the cursor"));
		return;
	}
	if (l->kind == LANE_STEP) {
		for (uint32_t i = 0; i < f->n_steps; i++) {
			const struct step *st = &f->steps[i];
			struct scope *sc = &out->to.scope;

			if (st->start + shift != from)
				continue;
			if (sc->window == WINDOW_STEPS && sc->step_a == st->number && sc->step_b == st->number && first_gpu_lane(s, &gpu)) {
				s->lane = gpu;
				timeline_pick_cursor(p);
				outcome_say(out, "%s", _("in this step already: to the kernels"));
				return;
			}
			sc->window = WINDOW_STEPS;
			sc->step_a = sc->step_b = st->number;
			out->to.t0 = out->to.t1 = 0;
			out->to.ev = ID_NONE;
			out->flags |= OUT_GO;
			return;
		}
	}
	if (out->to.scope.window == WINDOW_TIME && out->to.scope.start_ns == from && out->to.scope.end_ns == to) {
		if (l->kind != LANE_IDLE || !enter_idle(p, from, to, out))
			outcome_say(out, "%s", _("this is the window already"));
		return;
	}
	zoom_place(&out->to, from, to);
	out->flags |= OUT_GO;
}

static bool stacks_anywhere(const struct ui_ctx *ui)
{
	for (uint32_t i = 0; ui->session && i < ui->session->n_sources; i++)
		if (mv_profile(ui, i) && profile_python_stacks(mv_profile(ui, i)))
			return true;
	return false;
}

static void crumb_event(struct place *to, const struct profile *p, ev_id e)
{
	size_t n;
	const char *name = mv_ev_name(p, e, &n);

	place_crumb(to, name, n);
}

static void enter_event(struct pane *p, const struct lane *l, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	const char *why, *name;
	struct across to;
	char text[128];
	size_t n;

	if (s->ev == ID_NONE) {
		outcome_say(out, "%s", _("there is no event at the cursor; . and , go to one"));
		return;
	}
	crumb_event(&out->to, pr, s->ev);
	if (l->layer == LAYER_ANNOT) {
		zoom_place(&out->to, pr->start[s->ev] + mv_shift(p->ui, s->source), ev_end(pr, s->ev) + mv_shift(p->ui, s->source));
		out->flags |= OUT_GO;
		return;
	}
	if (timeline_down(p->ui, s->source, s->ev, &to, &why)) {
		nav_event(&out->to, to.source, to.ev);
		out->to.t0 = s->t0;
		out->to.t1 = s->t1;
		out->flags |= OUT_GO;
		if (to.by == ACROSS_NONE)
			return;
		across_place(p->ui, s->source, &to, &out->to);
		across_text(p->ui, &to, text, sizeof(text));
		outcome_say(out, "%s", text);
		return;
	}
	if (layer_on_gpu(l->layer) || l->layer == LAYER_RUNTIME) {
		outcome_say(out, "%s", why);
		return;
	}
	if (!stacks_anywhere(p->ui)) {
		outcome_say(out, "%s", why);
		return;
	}
	/* below ops and frames: the call stacks */
	name = mv_ev_name(pr, s->ev, &n);
	out->to.pane = PANE_PYTHON;
	out->to.sub = 0;
	out->to.row_key = 0;
	out->to.ev = l->layer == LAYER_PYTHON ? s->ev : ID_NONE;
	out->to.source = s->source;
	if (l->layer == LAYER_OP || l->layer == LAYER_NVTX)
		out->to.scope.op_hash = n ? scope_hash_name(name, rules_op_base(name, n)) : 0;
	if (l->layer != LAYER_PYTHON)
		outcome_say(out, "%s", why);
	out->flags |= OUT_GO;
}

void timeline_enter(struct pane *p, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);

	/* the window as it is shown comes back with Backspace */
	if (s->ranging && s->mark != s->cursor) {
		ns_t a = s->mark < s->cursor ? s->mark : s->cursor, b = s->mark < s->cursor ? s->cursor : s->mark;

		s->ranging = false;
		zoom_place(&out->to, a, b);
		out->flags |= OUT_GO;
	} else if (!l) {
		outcome_say(out, "%s", _("there is nothing to enter"));
	} else if (l->kind != LANE_EVENTS) {
		enter_span(p, l, out);
	} else {
		enter_event(p, l, out);
	}
}
