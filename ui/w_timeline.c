/* w_timeline.c - which lanes there are, and what lies under a column of one. Drawing is in w_timeline_draw.c. */
#include "ui/w_timeline.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

enum { LANES_MAX = 240, CANDIDATES = 6 };

/* ---- lanes -------------------------------------------------------------------------------------------- */

struct maker {
	const struct ui_ctx *ui;
	const struct profile *p;
	const struct facts *f;
	uint32_t source;
	int rows;
	lane_list *out;
	bool several;		/* more than one process works: its number tells something */
};

static struct lane *add(struct maker *m, enum lane_kind kind)
{
	struct lane l;

	memset(&l, 0, sizeof(l));
	l.kind = kind;
	l.source = m->source;
	l.track = ID_NONE;
	l.device = -1;
	if (m->out->n >= LANES_MAX)
		return &m->out->a[LANES_MAX - 1];
	VEC_PUSH(m->out, l);
	return &m->out->a[m->out->n - 1];
}

static void thread_label(const struct maker *m, thread_id t, char *buf, size_t cap)
{
	const struct thread *th = &m->p->threads[t];
	enum role r = m->f && m->f->threads && t < m->p->n_threads ? m->f->threads[t].role : ROLE_OTHER;
	char pid[16] = "";

	if (m->several)
		snprintf(pid, sizeof(pid), "%d ", (int)(th->pid % 100000));
	if (r == ROLE_OTHER)
		snprintf(buf, cap, "%st%d", pid, (int)(th->tid % 1000000));
	else
		snprintf(buf, cap, "%s%.9s", pid, role_name(r));
}

static enum role role_of(const struct maker *m, thread_id t)
{
	return m->f && m->f->threads ? m->f->threads[t].role : ROLE_OTHER;
}

static int depth_lanes(const struct maker *m, enum layer l, bool main_thread)
{
	int deep = l == LAYER_OP || l == LAYER_PYTHON || l == LAYER_NVTX || l == LAYER_ANNOT;

	if (!deep)
		return 1;
	if (m->rows < 24)
		return main_thread && (l == LAYER_OP || l == LAYER_NVTX) ? 2 : 1;
	return l == LAYER_OP ? 5 : 3;
}

static const struct {
	enum layer layer;
	const char *name;
} host_layers[] = {
	{ LAYER_ANNOT, N_("marks") }, { LAYER_NVTX, "nvtx" }, { LAYER_PYTHON, "py" }, { LAYER_OP, "op" }, { LAYER_RUNTIME, "cuda" },
};

/* Roots first; the last of several lanes shows the innermost event, so the leaf is always in sight. */
static void add_track(struct maker *m, track_id t, const char *who, const char *what)
{
	const struct track *tr = &m->p->tracks[t];
	int n = depth_lanes(m, (enum layer)tr->layer, tr->thread != ID_NONE && role_of(m, tr->thread) == ROLE_MAIN);

	if (n > (int)tr->depth_max)
		n = tr->depth_max > 0 ? (int)tr->depth_max : 1;
	for (int d = 0; d < n; d++) {
		struct lane *l = add(m, LANE_EVENTS);

		l->track = t;
		l->layer = (enum layer)tr->layer;
		l->device = tr->device;
		l->depth = d == n - 1 ? DEPTH_INNERMOST : d;
		if (d)
			snprintf(l->label, sizeof(l->label), "%s", l->depth == DEPTH_INNERMOST ? _("  innermost") : "  …");
		else
			snprintf(l->label, sizeof(l->label), "%.12s %.10s", who, what);
	}
}

/* NVTX domains are tracks of their own: the domain's name tells them apart. */
static const char *track_word(const struct profile *p, track_id k, const char *layer)
{
	size_t n = 0;
	const char *domain = profile_str(p, p->tracks[k].domain, &n);

	return n ? domain : layer;
}

static void add_thread(struct maker *m, thread_id t)
{
	char who[32];

	thread_label(m, t, who, sizeof(who));
	for (size_t i = 0; i < sizeof(host_layers) / sizeof(host_layers[0]); i++) {
		enum layer l = host_layers[i].layer;

		for (track_id k = m->p->layer_track[l]; k < m->p->layer_track[l + 1]; k++)
			if (m->p->tracks[k].thread == t && m->p->tracks[k].count)
				add_track(m, k, who, track_word(m->p, k, _(host_layers[i].name)));
	}
}

static void add_idle(struct maker *m)
{
	for (uint32_t d = 0; m->f && d < m->f->n_devices; d++) {
		struct lane *l = add(m, LANE_IDLE);

		l->device = m->f->devices[d].device;
		snprintf(l->label, sizeof(l->label), _("GPU%d idle"), (int)l->device);
	}
}

static void add_gpu(struct maker *m)
{
	static const enum layer layers[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };
	static const char *const names[] = { "", N_("copy"), N_("set") };

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		for (track_id k = m->p->layer_track[layers[i]]; k < m->p->layer_track[layers[i] + 1]; k++) {
			const struct track *tr = &m->p->tracks[k];
			char who[40];

			snprintf(who, sizeof(who), "GPU%d s%d", (int)tr->device, (int)tr->stream);
			if (tr->count)
				add_track(m, k, who, _(names[i]));
		}
		if (layers[i] == LAYER_KERNEL)
			add_idle(m);
	}
}

static bool works_in_several(const struct profile *p)
{
	track_id first = p->layer_track[LAYER_RUNTIME];

	for (track_id k = first; k < p->layer_track[LAYER_RUNTIME + 1]; k++)
		if (p->threads[p->tracks[k].thread].pid != p->threads[p->tracks[first].thread].pid)
			return true;
	return false;
}

void timeline_lanes(const struct ui_ctx *ui, uint32_t source, int rows, lane_list *out)
{
	struct maker m = { ui, mv_profile(ui, source), mv_facts(ui, source), source, rows, out, false };
	static const enum role order[] = { ROLE_MAIN, ROLE_AUTOGRAD };

	out->n = 0;
	if (!m.p)
		return;
	if (m.f && m.f->p != m.p)
		m.f = NULL;	/* facts of an older snapshot */
	m.several = works_in_several(m.p);
	if (m.f && m.f->n_steps && mv_proc(m.f) != UINT32_MAX) {
		struct lane *l = add(&m, LANE_STEP);

		l->proc = mv_proc(m.f);
		snprintf(l->label, sizeof(l->label), "%s", _("step"));
		l = add(&m, LANE_PHASE);
		l->proc = mv_proc(m.f);
		snprintf(l->label, sizeof(l->label), "%s", _("phase"));
	}
	for (size_t i = 0; i < 2; i++)
		for (thread_id t = 0; t < m.p->n_threads; t++)
			if (role_of(&m, t) == order[i])
				add_thread(&m, t);
	add_gpu(&m);
	for (thread_id t = 0; t < m.p->n_threads; t++)
		if (role_of(&m, t) != ROLE_MAIN && role_of(&m, t) != ROLE_AUTOGRAD)
			add_thread(&m, t);
}

uint32_t timeline_lane_of(const struct ui_ctx *ui, const lane_list *lanes, uint32_t source, ev_id e)
{
	const struct profile *p = mv_profile(ui, source);
	uint32_t best = UINT32_MAX;
	track_id t;
	int depth;

	if (!p || e >= p->n)
		return UINT32_MAX;
	t = profile_track_of(p, e);
	depth = (int)profile_depth(p, e);
	for (uint32_t i = 0; i < lanes->n; i++) {
		const struct lane *l = &lanes->a[i];

		if (l->kind != LANE_EVENTS || l->source != source || l->track != t)
			continue;
		best = i;
		if (l->depth == depth || l->depth == DEPTH_INNERMOST)
			return i;
	}
	return best;
}

/* ---- axis ------------------------------------------------------------------------------------------------ */

ns_t axis_time(const struct time_axis *a, int64_t col)
{
	return a->t0 + (ns_t)((__int128)(a->t1 - a->t0) * col / (a->w > 0 ? a->w : 1));
}

int64_t axis_col(const struct time_axis *a, ns_t t)
{
	__int128 n = (__int128)(t - a->t0) * a->w;
	ns_t d = a->t1 - a->t0;

	int64_t col;

	if (d <= 0)
		return 0;	/* no window yet */
	/* rounds down on both sides of zero; a column holds [axis_time(col), axis_time(col + 1)) */
	col = (int64_t)(n >= 0 ? n / d : -((-n + d - 1) / d));
	return axis_time(a, col + 1) <= t ? col + 1 : col;
}

/* ---- what is where ------------------------------------------------------------------------------------------ */

/* The event itself or the ancestor that the lane's depth shows; ID_NONE when it is not that deep. */
static ev_id at_depth(const struct profile *p, ev_id e, int depth, unsigned *work)
{
	unsigned d;

	if (e == ID_NONE || depth == DEPTH_INNERMOST)
		return e;
	d = profile_depth(p, e);
	*work += d;
	if ((int)d < depth)
		return ID_NONE;
	for (; (int)d > depth; d--)
		e = p->parent[e];
	return e;
}

/* Whether the lane shows the event itself; looks no higher than the lane is deep, however deep the event. */
static bool shows(const struct profile *p, const struct lane *l, ev_id e)
{
	int d = 0;

	if (l->depth == DEPTH_INNERMOST)
		return true;
	for (; d <= l->depth && p->parent[e] != ID_NONE; d++)
		e = p->parent[e];
	return d == l->depth;
}

static ns_t overlap(const struct profile *p, ev_id e, ns_t c0, ns_t c1)
{
	ns_t a = p->start[e] > c0 ? p->start[e] : c0, b = ev_end(p, e) < c1 ? ev_end(p, e) : c1;

	return b > a ? b - a : 0;
}

struct pick timeline_pick(const struct ui_ctx *ui, const struct lane *l, ns_t c0, ns_t c1, unsigned *work)
{
	const struct profile *p = mv_profile(ui, l->source);
	struct pick k = { ID_NONE, 0 };
	const struct track *tr;
	ns_t shift = mv_shift(ui, l->source), best = -1;
	ev_id lo, hi, e;

	if (!p || l->kind != LANE_EVENTS)
		return k;
	tr = &p->tracks[l->track];
	c0 -= shift;
	c1 -= shift;
	lo = track_lower_bound(p, tr, c0);
	hi = track_lower_bound(p, tr, c1);
	k.starts = hi - lo;
	*work += 3;
	e = track_event_at(p, tr, c0);
	e = at_depth(p, e, l->depth, work);
	if (e != ID_NONE) {
		k.ev = e;
		best = overlap(p, e, c0, c1);
	}
	for (uint32_t i = lo; i < hi && i < lo + CANDIDATES; i++) {
		++*work;
		/* what began before the column is above the event that owns its start */
		if (!shows(p, l, i) || overlap(p, i, c0, c1) <= best)
			continue;
		best = overlap(p, i, c0, c1);
		k.ev = i;
	}
	return k;
}

ev_id timeline_next(const struct ui_ctx *ui, const struct lane *l, ev_id ev, ns_t t, int dir)
{
	const struct profile *p = mv_profile(ui, l->source);
	const struct track *tr;
	int64_t i, end;

	if (!p || l->kind != LANE_EVENTS)
		return ID_NONE;
	tr = &p->tracks[l->track];
	end = dir > 0 ? (int64_t)tr->first + tr->count : (int64_t)tr->first - 1;
	if (ev != ID_NONE)
		i = (int64_t)ev + dir;
	else
		i = (int64_t)track_lower_bound(p, tr, t - mv_shift(ui, l->source)) - (dir < 0);
	for (; i != end && i >= (int64_t)tr->first && i < (int64_t)tr->first + tr->count; i += dir)
		if (shows(p, l, (ev_id)i))
			return (ev_id)i;
	return ID_NONE;
}

static bool idle_span(const struct facts *f, int64_t device, ns_t t, ns_t *from, ns_t *to)
{
	const struct device_facts *d = facts_device(f, device);
	size_t i;

	if (!d || spans_contain(&d->any, t))
		return false;
	i = spans_seek(&d->any, t);
	*from = i ? d->any.a[i - 1].end : INT64_MIN;
	*to = i < d->any.n ? d->any.a[i].start : INT64_MAX;
	return true;
}

static bool step_span(const struct facts *f, uint32_t proc, ns_t t, ns_t *from, ns_t *to)
{
	const struct proc_facts *pf = &f->procs[proc];

	for (uint32_t i = 0; i < pf->n_steps; i++) {
		const struct step *s = &f->steps[pf->first_step + i];

		if (t >= s->start && t < s->next) {
			*from = s->start;
			*to = s->next;
			return true;
		}
	}
	return false;
}

static ns_t shifted(ns_t t, ns_t shift)
{
	return t == INT64_MIN || t == INT64_MAX ? t : t + shift;
}

bool timeline_span(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *from, ns_t *to)
{
	const struct facts *f = mv_facts(ui, l->source);
	ns_t shift = mv_shift(ui, l->source);
	enum phase ph;
	bool ok = false;

	if (!f)
		return false;
	t -= shift;
	if (l->kind == LANE_STEP && l->proc < f->n_procs)
		ok = step_span(f, l->proc, t, from, to);
	else if (l->kind == LANE_PHASE)
		ok = mv_phase_at(f, l->proc, t, &ph, from, to);
	else if (l->kind == LANE_IDLE)
		ok = idle_span(f, l->device, t, from, to);
	if (ok) {
		*from = shifted(*from, shift);
		*to = shifted(*to, shift);
	}
	return ok;
}
