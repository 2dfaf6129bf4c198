/* timeline.c - which lanes there are, and what lies under a column of one. Drawing is in timeline_draw.c. */
#include "ui/widgets/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/search.h"
#include "base/text.h"
#include "measure/lanes.h"

enum { LANES_MAX = 240, CANDIDATES = 6 };

/* ---- lanes -------------------------------------------------------------------------------------------- */

struct maker {
	const struct ui_ctx *ui;
	const struct profile *p;
	const struct facts *f;
	uint32_t source;
	int rows;
	lane_list *out;
	const struct lanes *x;	/* NULL: not made yet */
	bool several;		/* more than one process works: its number tells something */
	const struct step *median;	/* whose lanes are wanted below those of a step; NULL none */
	struct map busiest;		/* device -> its stream with most kernels that compute */
};

static struct lane *add(struct maker *m, enum lane_kind kind)
{
	struct lane l;

	memset(&l, 0, sizeof(l));
	l.kind = kind;
	l.source = m->source;
	l.track = ID_NONE;
	l.row = ID_NONE;
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

static struct lane *add_events(struct maker *m, track_id t, int depth, uint32_t row)
{
	const struct track *tr = &m->p->tracks[t];
	struct lane *l = add(m, LANE_EVENTS);

	l->track = t;
	l->layer = (enum layer)tr->layer;
	l->device = tr->device;
	l->depth = depth;
	l->row = row;
	return l;
}

/* Roots first; the last of several lanes shows the innermost event, so the leaf is always in sight. */
static void add_track(struct maker *m, track_id t, const char *who, const char *what)
{
	const struct track *tr = &m->p->tracks[t];
	int n = depth_lanes(m, (enum layer)tr->layer, tr->thread != ID_NONE && role_of(m, tr->thread) == ROLE_MAIN);

	if (n > (int)tr->depth_max)
		n = tr->depth_max > 0 ? (int)tr->depth_max : 1;
	if (m->x && n > (int)(m->x->first_row[t + 1] - m->x->first_row[t]))
		n = (int)(m->x->first_row[t + 1] - m->x->first_row[t]);
	for (int d = 0; d < n; d++) {
		uint32_t row = m->x && (d < n - 1 || tr->depth_max == 1) ? m->x->first_row[t] + (uint32_t)d : ID_NONE;
		struct lane *l = add_events(m, t, d == n - 1 ? DEPTH_INNERMOST : d, row);

		if (d)
			snprintf(l->label, sizeof(l->label), "%s", l->depth == DEPTH_INNERMOST ? _("  innermost") : "  …");
		else
			snprintf(l->label, sizeof(l->label), "%.12s %.10s", who, what);
	}
}

static struct lane *add_median(struct maker *m, enum lane_kind kind)
{
	struct lane *l = add(m, kind);

	l->proc = mv_proc(m->f);
	l->median = (uint32_t)(m->median - m->f->steps);
	snprintf(l->label, sizeof(l->label), "%s", _("  median step"));
	return l;
}

static uint32_t computing(const struct maker *m, track_id t)
{
	const struct lane_row *r = &m->x->rows[m->x->first_row[t]];

	return m->x->first_row[t] < m->x->first_row[t + 1] && r->part == LANE_PART_ALL ? r->count : 0;
}

/* Of each device the stream with most kernels that compute; the first where they are equal. */
static void find_busiest(struct maker *m)
{
	for (track_id k = m->p->layer_track[LAYER_KERNEL]; k < m->p->layer_track[LAYER_KERNEL + 1]; k++) {
		uint64_t device = (uint64_t)m->p->tracks[k].device;

		if (computing(m, k) > computing(m, map_get_or_put(&m->busiest, device, 0, k)))
			map_put(&m->busiest, device, 0, k);
	}
}

/* Whether it is that of a device of the step's process. */
static bool beside_median(const struct maker *m, track_id t)
{
	const struct track *tr = &m->p->tracks[t];

	if (!m->median || tr->layer != LAYER_KERNEL || (tr->pid >= 0 && tr->pid != m->f->procs[mv_proc(m->f)].pid))
		return false;
	return map_find(&m->busiest, (uint64_t)tr->device, 0) == t && computing(m, t) > 0;
}

static void add_median_gpu(struct maker *m, const struct lane *beside)
{
	struct lane kernels = *beside, *l = add_median(m, LANE_MEDIAN_GPU);

	l->track = kernels.track;
	l->layer = kernels.layer;
	l->device = kernels.device;
	l->depth = kernels.depth;
	l->row = kernels.row;
}

/* A stream: what communicates and the directions of copies apart, and a lane for each event that is active at the same time. */
static void add_stream(struct maker *m, track_id t, const char *who, const char *what)
{
	static const char *const parts[LANE_PARTS] = { NULL, N_("comm"), "HtoD", "DtoH" };

	if (!m->x) {
		add_track(m, t, who, what);
		return;
	}
	for (uint32_t r = m->x->first_row[t]; r < m->x->first_row[t + 1]; r++) {
		const struct lane_row *row = &m->x->rows[r];
		struct lane *l = add_events(m, t, row->level, r);
		const char *part = parts[row->part] ? _(parts[row->part]) : what;

		if (row->level)
			snprintf(l->label, sizeof(l->label), _("  beside %d"), row->level);
		else
			snprintf(l->label, sizeof(l->label), "%.12s %.10s", who, part);
		if (!row->level && row->part == LANE_PART_ALL && beside_median(m, t))
			add_median_gpu(m, l);
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
		uint32_t n;
		track_id first = profile_host_tracks(m->p, host_layers[i].layer, t, &n);

		for (track_id k = first; k < first + n; k++)
			if (m->p->tracks[k].count)
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
	if (m->f && m->f->n_devices && m->p->n_by_launch)
		snprintf(add(m, LANE_QUEUE)->label, sizeof(((struct lane *)0)->label), "%s", _("launch queue"));
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
				add_stream(m, k, who, _(names[i]));
		}
		if (layers[i] == LAYER_KERNEL)
			add_idle(m);
	}
}

static int period_cmp(const void *a, const void *b)
{
	const struct step *x = *(const struct step *const *)a, *y = *(const struct step *const *)b;
	ns_t px = x->next - x->start, py = y->next - y->start;

	return px != py ? (px > py) - (px < py) : (x->start > y->start) - (x->start < y->start);
}

/* The lower median by period of the steady steps; NULL: fewer than 3 of them. */
static const struct step *median_step(const struct facts *f, uint32_t proc)
{
	const struct proc_facts *pf = &f->procs[proc];
	const struct step *best = NULL;
	VEC(const struct step *) v = { 0 };

	for (uint32_t i = pf->first_step; i < pf->first_step + pf->n_steps; i++)
		if (!f->steps[i].warmup && !f->steps[i].partial)
			VEC_PUSH(&v, &f->steps[i]);
	if (v.n >= 3) {
		qsort(v.a, v.n, sizeof(*v.a), period_cmp);
		best = v.a[(v.n - 1) / 2];
	}
	VEC_FREE(&v);
	return best;
}

static bool works_in_several(const struct profile *p)
{
	track_id first = p->layer_track[LAYER_RUNTIME];

	for (track_id k = first; k < p->layer_track[LAYER_RUNTIME + 1]; k++)
		if (p->threads[p->tracks[k].thread].pid != p->threads[p->tracks[first].thread].pid)
			return true;
	return false;
}

void timeline_lanes(const struct ui_ctx *ui, uint32_t source, int rows, bool beside, lane_list *out)
{
	struct maker m = { ui, mv_profile(ui, source), mv_facts(ui, source), source, rows, out, NULL, false, NULL, { 0 } };
	static const enum role order[] = { ROLE_MAIN, ROLE_AUTOGRAD };

	out->n = 0;
	if (!m.p)
		return;
	if (m.f && m.f->p != m.p)
		m.f = NULL;	/* facts of an older snapshot */
	m.x = m.f ? facts_lanes(m.f) : NULL;
	m.several = works_in_several(m.p);
	if (m.f && m.f->n_steps && mv_proc(m.f) != UINT32_MAX) {
		struct lane *l = add(&m, LANE_STEP);

		l->proc = mv_proc(m.f);
		snprintf(l->label, sizeof(l->label), "%s", _("step"));
		l = add(&m, LANE_PHASE);
		l->proc = mv_proc(m.f);
		snprintf(l->label, sizeof(l->label), "%s", _("phase"));
		m.median = rows >= 24 || beside ? median_step(m.f, mv_proc(m.f)) : NULL;
		if (m.median)
			add_median(&m, LANE_MEDIAN);
	}
	if (m.x && m.median)
		find_busiest(&m);
	for (size_t i = 0; i < 2; i++)
		for (thread_id t = 0; t < m.p->n_threads; t++)
			if (role_of(&m, t) == order[i])
				add_thread(&m, t);
	add_gpu(&m);
	for (thread_id t = 0; t < m.p->n_threads; t++)
		if (role_of(&m, t) != ROLE_MAIN && role_of(&m, t) != ROLE_AUTOGRAD)
			add_thread(&m, t);
	map_fini(&m.busiest);
}

uint32_t timeline_lane_of(const struct ui_ctx *ui, const lane_list *lanes, uint32_t source, ev_id e)
{
	const struct profile *p = mv_profile(ui, source);
	const struct facts *f = mv_facts(ui, source);
	const struct lanes *x = p && f && f->p == p ? facts_lanes(f) : NULL;
	uint32_t best = UINT32_MAX, row, pos;
	track_id t;
	int depth;

	if (!p || e >= p->n)
		return UINT32_MAX;
	t = profile_track_of(p, e);
	row = x ? lanes_find(x, t, e, &pos) : ID_NONE;
	depth = (int)profile_depth(p, e);
	for (uint32_t i = 0; i < lanes->n; i++) {
		const struct lane *l = &lanes->a[i];

		if (l->kind != LANE_EVENTS || l->source != source || l->track != t)
			continue;
		if (l->row != ID_NONE && layer_on_gpu(l->layer) && l->row != row)
			continue;
		best = i;
		if (l->row != ID_NONE ? l->row == row : l->depth == depth || l->depth == DEPTH_INNERMOST)
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

/* A lane that is a row: the events of a column lie one behind the other, so the longest is one of three. */
static struct timeline_hit pick_row(const struct lanes *x, const struct lane_row *r, ns_t c0, ns_t c1, uint32_t *from, unsigned *work)
{
	const struct profile *p = x->p;
	uint32_t end = r->first + r->count, lo, hi, one[3];
	struct timeline_hit k = { ID_NONE, 0, 0 };
	ns_t best = -1;
	int n = 0;

	lo = *from == TIMELINE_SEARCH ? lanes_lower_bound(x, r, r->first, c0, work) : *from;
	hi = lo < end && p->start[x->ev[lo]] < c1 ? lanes_lower_bound(x, r, lo, c1, work) : lo;
	*from = hi;
	k.starts = hi - lo;
	k.busy = lanes_filled(x, r, lo, hi, c0, c1, work);
	if (lo > r->first && ev_end(p, x->ev[lo - 1]) > c0)
		one[n++] = lo - 1;
	if (hi > lo)
		one[n++] = hi - 1;		/* may be cut by the end of the column */
	if (hi > lo + 1)
		one[n++] = lanes_longest(x, lo, hi - 1, work);
	for (int i = 0; i < n; i++) {
		ns_t part = overlap(p, x->ev[one[i]], c0, c1);

		++*work;
		if (part <= best && k.ev != ID_NONE)
			continue;
		best = part;
		k.ev = x->ev[one[i]];
	}
	return k;
}

/* The same by the rows: where events overlap again and again, parents that ended long ago make long chains. */
static ev_id owner_in_rows(const struct lanes *x, const struct track *tr, ns_t t, unsigned *work)
{
	track_id k = (track_id)(tr - x->p->tracks);
	ev_id best = ID_NONE;

	for (uint32_t i = x->first_row[k]; i < x->first_row[k + 1]; i++) {
		const struct lane_row *r = &x->rows[i];
		uint32_t pos = lanes_lower_bound(x, r, r->first, t + 1, work);

		if (pos > r->first && ev_end(x->p, x->ev[pos - 1]) > t && (best == ID_NONE || x->ev[pos - 1] > best))
			best = x->ev[pos - 1];
	}
	return best;
}

/* The event that owns instant t: the last one that began by then, or one above it. */
static ev_id owner_before(const struct profile *p, const struct lanes *x, const struct track *tr, ev_id lo, ns_t t, unsigned *work)
{
	ev_id e;

	while (lo < tr->first + tr->count && p->start[lo] == t)
		lo++;
	e = lo > tr->first ? lo - 1 : ID_NONE;
	for (int n = 0; e != ID_NONE && ev_end(p, e) <= t; e = p->parent[e], n++) {
		++*work;
		if (x && n > LANE_LEVELS)
			return owner_in_rows(x, tr, t, work);
	}
	return e;
}

/* track_lower_bound(); x may be NULL. */
static ev_id lower_bound(const struct profile *p, const struct lanes *x, const struct track *tr, ns_t t, unsigned *work)
{
	return x ? lanes_track_lower_bound(x, tr, t, work) : track_lower_bound(p, tr, t);
}

/* What nests lies in time that its roots fill; those are the first row of the track. */
static ns_t filled_by_roots(const struct lanes *x, const struct lane *l, ns_t c0, ns_t c1, unsigned *work)
{
	const struct lane_row *r;
	uint32_t lo, hi;

	if (!x || l->depth > 0 || x->first_row[l->track] == x->first_row[l->track + 1])
		return -1;
	r = &x->rows[x->first_row[l->track]];
	lo = lanes_lower_bound(x, r, r->first, c0, work);
	hi = lanes_lower_bound(x, r, lo, c1, work);
	return lanes_filled(x, r, lo, hi, c0, c1, work);
}

static struct timeline_hit pick_depth(const struct profile *p, const struct lanes *x, const struct lane *l, ns_t c0, ns_t c1, uint32_t *from,
	unsigned *work)
{
	const struct track *tr = &p->tracks[l->track];
	struct timeline_hit k = { ID_NONE, 0, -1 };
	ns_t best = -1;
	ev_id lo, hi, e;

	lo = *from == TIMELINE_SEARCH ? lower_bound(p, x, tr, c0, work) : *from;
	hi = lo < tr->first + tr->count && p->start[lo] < c1 ? lower_bound(p, x, tr, c1, work) : lo;
	*from = hi;
	k.starts = hi - lo;
	*work += 2;
	e = at_depth(p, owner_before(p, x, tr, lo, c0, work), l->depth, work);
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
	/* only where several share the column is more to tell than the event itself */
	k.busy = k.starts > 1 ? filled_by_roots(x, l, c0, c1, work) : best;
	return k;
}

static const struct lanes *lanes_of(const struct ui_ctx *ui, const struct lane *l)
{
	const struct facts *f = mv_facts(ui, l->source);

	return f && f->p == mv_profile(ui, l->source) ? facts_lanes(f) : NULL;
}

struct timeline_hit timeline_pick_next(const struct ui_ctx *ui, const struct lane *l, ns_t c0, ns_t c1, uint32_t *from, unsigned *work)
{
	const struct profile *p = mv_profile(ui, l->source);
	ns_t shift = mv_shift(ui, l->source), at;
	uint32_t anew = TIMELINE_SEARCH;
	const struct step *median;
	const struct lanes *x;

	if (!p || (l->kind != LANE_EVENTS && l->kind != LANE_MEDIAN_GPU))
		return (struct timeline_hit){ ID_NONE, 0, -1 };
	if (l->kind == LANE_MEDIAN_GPU) {
		if (!timeline_median_at(ui, l, c0, &at, &median))
			return (struct timeline_hit){ ID_NONE, 0, -1 };
		c1 = at + (c1 - c0) < median->next + shift ? at + (c1 - c0) : median->next + shift;
		c0 = at;
		from = &anew;
	}
	x = lanes_of(ui, l);
	if (x && l->row != ID_NONE)
		return pick_row(x, &x->rows[l->row], c0 - shift, c1 - shift, from, work);
	return pick_depth(p, x, l, c0 - shift, c1 - shift, from, work);
}

struct timeline_hit timeline_pick(const struct ui_ctx *ui, const struct lane *l, ns_t c0, ns_t c1, unsigned *work)
{
	uint32_t from = TIMELINE_SEARCH;

	return timeline_pick_next(ui, l, c0, c1, &from, work);
}

/* ---- the launch queue --------------------------------------------------------------------------------------- */

int64_t timeline_queue(const struct ui_ctx *ui, uint32_t source, ns_t t, unsigned *work)
{
	const struct profile *p = mv_profile(ui, source);
	const struct facts *f = mv_facts(ui, source);
	const struct lanes *x = p && f && f->p == p ? facts_lanes(f) : NULL;
	int64_t n = 0;

	if (!x || !p->n_by_launch)
		return -1;
	t -= mv_shift(ui, source);
	for (track_id k = p->layer_track[LAYER_RUNTIME]; k < p->layer_track[LAYER_RUNTIME + 1]; k++) {
		const struct track *tr = &p->tracks[k];

		n += lanes_launched_before(x, tr, lanes_track_lower_bound(x, tr, t, work), work);
	}
	for (track_id k = p->layer_track[LAYER_WORK]; k < p->layer_track[LAYER_WORK_LAST + 1]; k++)
		n -= lanes_track_lower_bound(x, &p->tracks[k], t, work) - p->tracks[k].first;
	return n + lanes_unlinked_before(x, t);
}

static ev_id next_in_row(const struct lanes *x, const struct lane_row *r, ev_id ev, ns_t t, int dir)
{
	unsigned work = 0;
	uint32_t pos;
	int64_t i;

	if (ev != ID_NONE && lanes_find(x, r->track, ev, &pos) != ID_NONE && pos >= r->first && pos < r->first + r->count)
		i = (int64_t)pos + dir;
	else
		i = (int64_t)lanes_lower_bound(x, r, r->first, t, &work) - (dir < 0);
	return i >= (int64_t)r->first && i < (int64_t)r->first + r->count ? x->ev[i] : ID_NONE;
}

ev_id timeline_next(const struct ui_ctx *ui, const struct lane *l, ev_id ev, ns_t t, int dir)
{
	const struct profile *p = mv_profile(ui, l->source);
	const struct lanes *x;
	const struct track *tr;
	int64_t i, end;

	if (!p || l->kind != LANE_EVENTS)
		return ID_NONE;
	x = lanes_of(ui, l);
	if (x && l->row != ID_NONE)
		return next_in_row(x, &x->rows[l->row], ev, t - mv_shift(ui, l->source), dir);
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
	uint32_t i;

	LOWER_BOUND(i, pf->first_step, pf->first_step + pf->n_steps, f->steps[i].start <= t);
	if (i == pf->first_step || t >= f->steps[i - 1].next)
		return false;
	*from = f->steps[i - 1].start;
	*to = f->steps[i - 1].next;
	return true;
}

bool timeline_median_at(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *at, const struct step **median)
{
	const struct facts *f = mv_facts(ui, l->source);
	ns_t shift = mv_shift(ui, l->source), from, to;

	if (!f || l->proc >= f->n_procs || l->median >= f->n_steps || !step_span(f, l->proc, t - shift, &from, &to))
		return false;
	if (median)
		*median = &f->steps[l->median];
	*at = f->steps[l->median].start + t - from;
	return *at - shift < f->steps[l->median].next;
}

bool timeline_median_phase(const struct ui_ctx *ui, const struct lane *l, ns_t t, enum phase *phase)
{
	ns_t at;

	if (!timeline_median_at(ui, l, t, &at, NULL))
		return false;
	*phase = facts_phase_at(mv_facts(ui, l->source), l->proc, at - mv_shift(ui, l->source));
	return true;
}

static ns_t shifted(ns_t t, ns_t shift)
{
	return t == INT64_MIN || t == INT64_MAX ? t : t + shift;
}

bool timeline_step_at(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *from, ns_t *to)
{
	const struct facts *f = mv_facts(ui, l->source);
	ns_t shift = mv_shift(ui, l->source);

	if (!f || l->proc >= f->n_procs || !step_span(f, l->proc, t - shift, from, to))
		return false;
	*from += shift;
	*to += shift;
	return true;
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
