/*
 * go.c - ":go KIND": from the row or event under the cursor of any pane to its launch, kernel, op, frame, step, gap or finding.
 * A row that names a kernel, a class, an op or a call stands for the longest one in the window; a row of time for that time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "rules/rules.h"
#include "ui/app/app_impl.h"
#include "ui/panes/nav.h"
#include "ui/panes/timeline/pane.h"
#include "ui/widgets/model_view.h"

static const enum layer work[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };
enum { N_WORK = sizeof(work) / sizeof(work[0]) };

/* What the row under the cursor is about. */
struct go_subject {
	uint32_t source;
	ev_id ev;		/* ID_NONE: a time only */
	ns_t from, to;		/* session time */
};

static enum layer layer_of(const struct profile *p, ev_id e)
{
	return (enum layer)p->tracks[profile_track_of(p, e)].layer;
}

static void set_event(const struct app *a, struct go_subject *s, uint32_t source, ev_id ev)
{
	const struct profile *p = mv_profile(&a->ctx, source);

	s->source = source;
	s->ev = ev;
	s->from = p->start[ev] + mv_shift(&a->ctx, source);
	s->to = s->from + p->dur[ev];
}

/* ---- rows that name something: its longest event ---------------------------------------------------- */

static bool name_fits(const struct app *a, uint32_t source, ev_id e, const struct scope *sc)
{
	const struct kernel_class *k = sc->kclass >= 0 ? mv_kclass(&a->ctx, source, e) : NULL;
	size_t n;
	const char *s = mv_ev_name(mv_profile(&a->ctx, source), e, &n);

	if (sc->op_hash)
		return scope_hash_name(s, rules_op_base(s, n)) == sc->op_hash;
	if (sc->kclass >= 0)
		return k && (int32_t)k->class == sc->kclass &&
			(!sc->subclass_hash || scope_hash_name(k->subclass, strlen(k->subclass)) == sc->subclass_hash);
	return scope_hash_name(s, n) == (sc->kernel_hash ? sc->kernel_hash : sc->runtime_hash);
}

/* The longest event of a layer that starts in [from, to] and fits; sc NULL: any. Names are looked at once each. */
static ev_id longest(const struct app *a, uint32_t source, enum layer l, const struct scope *sc, ns_t from, ns_t to)
{
	enum { UNKNOWN, NO, YES };
	const struct profile *p = mv_profile(&a->ctx, source);
	uint8_t *fits = xcalloc((size_t)p->n_strs + 1, 1);
	ns_t shift = mv_shift(&a->ctx, source);
	ev_id best = ID_NONE;

	for (ev_id e = p->layer_first[l]; e < p->layer_first[l + 1]; e++) {
		uint8_t *ok = &fits[p->name[e] < p->n_strs ? p->name[e] : p->n_strs];

		if (p->start[e] + shift < from || p->start[e] + shift > to || (best != ID_NONE && p->dur[e] <= p->dur[best]))
			continue;
		if (*ok == UNKNOWN)
			*ok = !sc || name_fits(a, source, e, sc) ? YES : NO;
		if (*ok == YES)
			best = e;
	}
	free(fits);
	return best;
}

static bool longest_named(const struct app *a, uint32_t source, const struct scope *sc, struct go_subject *s)
{
	static const enum layer ops[N_WORK] = { LAYER_OP, LAYER_NVTX, LAYER_ANNOT }, calls[] = { LAYER_RUNTIME };
	const enum layer *l = sc->op_hash ? ops : sc->runtime_hash ? calls : work;
	size_t n = l == calls ? 1 : N_WORK;
	ev_id e = ID_NONE;

	for (size_t i = 0; i < n && e == ID_NONE && mv_profile(&a->ctx, source); i++)
		e = longest(a, source, l[i], sc, s->from, s->to);
	if (e != ID_NONE)
		set_event(a, s, source, e);
	return e != ID_NONE;
}

/* ---- what the row is about ----------------------------------------------------------------------------- */

static bool subject_of_row(const struct app *a, const struct pane *p, const struct table *t, uint32_t row, struct go_subject *s)
{
	struct scope sc = p->scope;
	uint32_t source, n = a->ctx.session ? a->ctx.session->n_sources : 0;
	ev_id ev;

	if (nav_event_of(t, row, &source, &ev)) {
		set_event(a, s, source, ev);
		return true;
	}
	sc.kclass = -1;
	sc.subclass_hash = sc.kernel_hash = sc.op_hash = sc.runtime_hash = 0;
	if (!nav_narrow(p, t, row, &sc) || !mv_window(&a->ctx, &sc, &s->from, &s->to))
		return false;
	s->source = mv_source(&a->ctx, &sc);
	if (sc.kclass < 0 && !sc.kernel_hash && !sc.op_hash && !sc.runtime_hash)
		return mv_profile(&a->ctx, s->source) && (sc.window == WINDOW_TIME || sc.window == WINDOW_STEPS);
	if (longest_named(a, s->source, &sc, s))
		return true;
	for (uint32_t i = 0; i < n; i++)
		if (longest_named(a, i, &sc, s))
			return true;
	return false;
}

/* No event at the cursor of the timeline: the step, phase or gap there, else the instant. */
static bool subject_of_cursor(const struct app *a, const struct pane *p, struct go_subject *s)
{
	const struct timeline *tl = timeline_of(p);
	const struct lane *l = timeline_lane(tl);

	s->source = tl->source;
	if (!l || l->kind == LANE_EVENTS || !timeline_span(&a->ctx, l, tl->cursor, &s->from, &s->to) || s->from == INT64_MIN ||
	    s->to == INT64_MAX)
		s->from = s->to = tl->cursor;
	return mv_profile(&a->ctx, s->source) != NULL;
}

static bool subject(const struct app *a, const struct pane *p, struct go_subject *s)
{
	const struct table *t = p->ops->table ? p->ops->table(p, NULL) : NULL;
	uint32_t row = t && p->ops->row ? p->ops->row(p) : ROW_NONE, source;
	ev_id ev;

	s->ev = ID_NONE;
	if (p->ops->told && !(t = p->ops->told(p, &row)))
		row = ROW_NONE;
	if (p->ops->event && p->ops->event(p, &source, &ev) && mv_profile(&a->ctx, source) && ev < mv_profile(&a->ctx, source)->n) {
		set_event(a, s, source, ev);
		return true;
	}
	if (row != ROW_NONE)
		return subject_of_row(a, p, t, row, s);
	if (p != &a->panes[PANE_TIMELINE])
		return false;
	return subject_of_cursor(a, p, s);
}

/* ---- events ------------------------------------------------------------------------------------------------ */

/* A time stands for the longest kernel that starts in it or ends it, where there is none for such a copy or memory set. */
static ev_id anchor(const struct app *a, const struct go_subject *s)
{
	ev_id e = s->ev;

	for (size_t i = 0; i < N_WORK && e == ID_NONE; i++)
		e = longest(a, s->source, work[i], NULL, s->from, s->to);
	return e;
}

/* The first call within an event of its thread that launched something. */
static ev_id first_launch(const struct profile *p, ev_id within)
{
	track_id k = profile_host_track(p, LAYER_RUNTIME, p->tracks[profile_track_of(p, within)].thread);

	if (k != ID_NONE) {
		const struct track *tr = &p->tracks[k];
		uint32_t first;

		for (ev_id e = tr->first; e < tr->first + tr->count && p->start[e] < ev_end(p, within); e++)
			if (p->start[e] >= p->start[within] && profile_launched_by(p, e, &first))
				return e;
	}
	return ID_NONE;
}

/* How an event was come to: the file that it is of, where it is another one by which way, and why there is none. */
struct go_way {
	uint32_t source;
	bool crossed;
	struct across last;	/* crossed */
	const char *why;	/* translated */
};

/* One level down, in another file of the run where this one has nothing. */
static ev_id below(const struct app *a, struct go_way *w, ev_id e)
{
	struct across to;

	if (!timeline_down(&a->ctx, w->source, e, &to, &w->why))
		return ID_NONE;
	if (to.by != ACROSS_NONE) {
		w->crossed = true;
		w->last = to;
	}
	w->source = to.source;
	return to.ev;
}

static ev_id find_launch(const struct app *a, struct go_way *w, ev_id e)
{
	const struct profile *p = mv_profile(&a->ctx, w->source);
	enum layer l = layer_of(p, e);

	if (layer_on_gpu(l))
		return below(a, w, e);
	w->why = _("nothing was launched from here");
	return l == LAYER_RUNTIME ? e : first_launch(p, e);
}

static ev_id find_kernel(const struct app *a, struct go_way *w, ev_id e)
{
	uint32_t first;
	ev_id call;

	if (layer_on_gpu(layer_of(mv_profile(&a->ctx, w->source), e)))
		return e;
	call = find_launch(a, w, e);
	w->why = _("nothing was launched from here");
	return call != ID_NONE && profile_launched_by(mv_profile(&a->ctx, w->source), call, &first) ?
		mv_profile(&a->ctx, w->source)->by_launch[first] : ID_NONE;
}

static ev_id find_op(const struct app *a, struct go_way *w, ev_id e)
{
	enum layer l = layer_of(mv_profile(&a->ctx, w->source), e);

	if (l == LAYER_OP || l == LAYER_NVTX || l == LAYER_ANNOT)
		return e;
	e = find_launch(a, w, e);
	if (e != ID_NONE)
		e = below(a, w, e);
	return e != ID_NONE && layer_of(mv_profile(&a->ctx, w->source), e) != LAYER_PYTHON ? e : ID_NONE;
}

static ev_id find_frame(const struct app *a, struct go_way *w, ev_id e)
{
	while (e != ID_NONE && layer_of(mv_profile(&a->ctx, w->source), e) != LAYER_PYTHON)
		e = below(a, w, e);
	return e;
}

static void go_event(struct app *a, uint32_t from, const struct go_way *w, ev_id ev)
{
	const struct profile *p = mv_profile(&a->ctx, w->source);
	struct place to = a->here;
	size_t n;
	const char *name = mv_ev_name(p, ev, &n);
	char text[128];

	nav_event(&to, w->source, ev);
	if (w->crossed) {
		across_place(&a->ctx, from, &w->last, &to);
		across_text(&a->ctx, &w->last, text, sizeof(text));
	}
	place_crumb(&to, name, n);
	app_go(a, &to);
	if (w->crossed)
		app_say(a, "%s", text);
}

/* ---- times ------------------------------------------------------------------------------------------------- */

static void go_time(struct app *a, const struct scope *sc, uint32_t source, int64_t idle_gpu)
{
	struct place to = a->here;

	nav_event(&to, source, ID_NONE);
	to.scope = *sc;
	to.idle_gpu = idle_gpu;
	app_go(a, &to);
}

static bool go_step(struct app *a, const struct go_subject *s)
{
	struct scope sc = a->here.scope;
	uint32_t n, source;
	const struct step *st = mv_steps(&a->ctx, &sc, &n, &source);

	for (uint32_t i = 0; i < n; i++) {
		ns_t shift = mv_shift(&a->ctx, source);

		if (s->from < st[i].start + shift || s->from >= st[i].next + shift)
			continue;
		sc.window = WINDOW_STEPS;
		sc.step_a = sc.step_b = st[i].number;
		go_time(a, &sc, source, SCOPE_ANY);
		return true;
	}
	app_say(a, "%s", _("this is in no step"));
	return false;
}

/* The longest gap in the time of the row; of an event or an instant the last one that begins before, else the first. */
static bool gap_of(const struct device_facts *d, const struct go_subject *s, ns_t shift, struct span *gap)
{
	bool found = false, range = s->ev == ID_NONE && s->from < s->to;

	for (size_t i = 0; i + 1 < d->any.n; i++) {
		struct span x = { d->any.a[i].end + shift, d->any.a[i + 1].start + shift };

		if (range ? x.start >= s->to : found && x.start > s->from)
			break;
		if (range && (x.end <= s->from || (found && x.end - x.start <= gap->end - gap->start)))
			continue;
		*gap = x;
		found = true;
	}
	return found;
}

static bool go_gap(struct app *a, const struct go_subject *s)
{
	const struct facts *f = mv_facts(&a->ctx, s->source);
	const struct profile *p = f ? f->p : NULL;
	const struct track *tr = p && s->ev != ID_NONE ? &p->tracks[profile_track_of(p, s->ev)] : NULL;
	const struct device_facts *d = !f || !f->n_devices ? NULL :
		tr && layer_on_gpu((enum layer)tr->layer) ? facts_device(f, tr->device) : &f->devices[0];
	struct scope sc = a->here.scope;
	struct span gap;

	if (!d || !gap_of(d, s, mv_shift(&a->ctx, s->source), &gap)) {
		app_say(a, "%s", _("no idle gaps are known here"));
		return false;
	}
	sc.window = WINDOW_TIME;
	sc.start_ns = gap.start;
	sc.end_ns = gap.end;
	go_time(a, &sc, s->source, d->device);
	return true;
}

/* The first finding whose largest instance lies in the time of the row, or around it. */
static bool go_finding(struct app *a, const struct go_subject *s)
{
	bool pending = false;
	const struct result *r = work_want(a->work, "findings", &a->o->scope, &pending);
	const struct table *t = r ? r->table : NULL;
	struct place at = a->here;

	for (uint32_t i = 0; t && i < t->n_rows; i++) {
		const struct row_ref *ref = t->refs ? &t->refs[i] : NULL;

		if (!ref || ref->kind != REF_TIME || ref->a > s->to || ref->b < s->from)
			continue;
		at.pane = PANE_FINDINGS;
		at.sub = 0;
		at.lane = i;
		at.ev = ID_NONE;
		app_go(a, &at);
		return true;
	}
	app_say(a, "%s", pending ? _("findings are still being computed") : _("no finding has its largest instance here"));
	return false;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	ev_id (*find)(const struct app *a, struct go_way *w, ev_id e);
	bool (*go)(struct app *a, const struct go_subject *s);
} kinds[] = {
	{ "launch", find_launch, NULL }, { "kernel", find_kernel, NULL }, { "op", find_op, NULL }, { "frame", find_frame, NULL },
	{ "step", NULL, go_step }, { "gap", NULL, go_gap }, { "finding", NULL, go_finding },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *app_go_kind(unsigned k)
{
	return k < N_KINDS ? kinds[k].name : NULL;
}

static void go_found(struct app *a, const struct go_subject *s, unsigned k)
{
	struct go_way w = { .source = s->source };
	ev_id e = anchor(a, s), to = e == ID_NONE ? ID_NONE : kinds[k].find(a, &w, e);

	if (to == ID_NONE)
		app_say(a, "%s", w.why ? w.why : _("no GPU work starts here"));
	else if (to == s->ev && a->here.pane == PANE_TIMELINE)
		app_say(a, _("this is the %s already"), kinds[k].name);
	else
		go_event(a, s->source, &w, to);
}

bool app_go_to(struct app *a, const char *kind, struct err *e)
{
	const struct pane *p = app_focused(a);
	struct go_subject s;
	unsigned k = 0;

	while (k < N_KINDS && strcmp(kinds[k].name, kind) != 0)
		k++;
	if (k == N_KINDS)
		return err_set(e, ERR_USAGE, _("usage: %s"), "go launch|kernel|op|frame|step|gap|finding");
	a->status[0] = '\0';
	if (!subject(a, p, &s))
		app_say(a, "%s", _("this row has no event and no time to go to"));
	else if (kinds[k].go)
		kinds[k].go(a, &s);
	else
		go_found(a, &s, k);
	return true;
}
