/* pane.c - the timeline pane: window, cursor, zoom, range, and the way down from a lane. */
#include "ui/panes/timeline/pane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "measure/lanes.h"
#include "ui/panes/nav.h"
#include "ui/panes/panes.h"

enum { MIN_WINDOW_NS = 40 };

/* ---- window ------------------------------------------------------------------------------------------------ */

static void extent(const struct pane *p, ns_t *lo, ns_t *hi)
{
	const struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	ns_t shift = mv_shift(p->ui, s->source);

	*lo = s->t0;
	*hi = s->t1;
	if (pr && pr->first_ns <= pr->last_ns) {
		*lo = pr->first_ns + shift;
		*hi = pr->last_ns + shift;
	}
	if (*hi - *lo < MIN_WINDOW_NS)
		*hi = *lo + MIN_WINDOW_NS;
}

/* Shows [t0, t0 + width), kept within the capture with a little air. */
static void set_window(const struct pane *p, ns_t t0, ns_t width)
{
	struct timeline *s = timeline_of(p);
	ns_t lo, hi, air;

	s->touched = true;
	extent(p, &lo, &hi);
	air = (hi - lo) / 50;
	if (width < MIN_WINDOW_NS)
		width = MIN_WINDOW_NS;
	if (width > hi - lo + 2 * air)
		width = hi - lo + 2 * air;
	if (t0 + width > hi + air)
		t0 = hi + air - width;
	if (t0 < lo - air)
		t0 = lo - air;
	s->t0 = t0;
	s->t1 = t0 + width;
}

/* Moves the cursor; the window follows by half a screen when it is left. */
static void cursor_to(const struct pane *p, ns_t t)
{
	struct timeline *s = timeline_of(p);
	ns_t lo, hi, width = s->t1 - s->t0;

	extent(p, &lo, &hi);
	if (t < lo)
		t = lo;
	if (t >= hi)
		t = hi - 1;
	s->cursor = t;
	if (t < s->t0 || t >= s->t1)
		set_window(p, t - width / 2, width);
}

/* Puts the cursor on an event and shows it at a width at which it can be seen. */
static void show_event(const struct pane *p, ev_id e)
{
	struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	ns_t start, dur, width = s->t1 - s->t0;
	uint32_t lane;

	if (!pr || e >= pr->n)
		return;
	start = pr->start[e] + mv_shift(p->ui, s->source);
	dur = pr->dur[e] > 0 ? pr->dur[e] : 1;
	lane = timeline_lane_of(p->ui, &s->lanes, s->source, e);
	if (lane != UINT32_MAX)
		s->lane = lane;
	else if (s->n_hidden)
		snprintf(((struct pane *)(uintptr_t)p)->say, sizeof(p->say), "%s", _("its lane is hidden or folded; X shows all"));
	if (width / dur > (ns_t)(s->w > 0 ? s->w : 80) || start < s->t0 || start >= s->t1 || dur > width)
		set_window(p, start - dur * 10, dur * 24);
	s->cursor = start;
	s->ev = e;
	s->ev_picked = false;
	if (start < s->t0 || start >= s->t1)
		set_window(p, start - (s->t1 - s->t0) / 3, s->t1 - s->t0);
}

static bool same_window(const struct scope *a, const struct scope *b)
{
	return a->window == b->window && a->step_a == b->step_a && a->step_b == b->step_b && a->start_ns == b->start_ns &&
		a->end_ns == b->end_ns && a->source == b->source;
}

static void follow_scope(struct pane *p)
{
	struct timeline *s = timeline_of(p);
	ns_t start, end;

	if (s->have_window && same_window(&s->seen, &p->scope))
		return;
	/* steps are not known before the facts: until then the whole capture is shown, and this is tried again */
	if (!mv_window(p->ui, &p->scope, &start, &end))
		return;
	s->t0 = start;
	s->t1 = end > start ? end : start + MIN_WINDOW_NS;
	if (s->cursor < start || s->cursor >= end)
		s->cursor = start;
	s->seen = p->scope;
	s->touched = false;
	s->have_window = mv_facts(p->ui, s->source) != NULL || p->scope.window == WINDOW_ALL || p->scope.window == WINDOW_TIME;
	s->ev = ID_NONE;
	s->ranging = false;
}

static void to_idle_lane(struct timeline *s, int64_t device)
{
	for (uint32_t k = 0; k < s->lanes.n; k++)
		if (s->lanes.a[k].kind == LANE_IDLE && s->lanes.a[k].device == device)
			s->lane = k;
	s->ev = ID_NONE;
}

/* What a finding tells of begins there: work of the GPU rather than what the host did. */
static void to_lane_with_start(const struct pane *p)
{
	struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	ns_t shift = mv_shift(p->ui, s->source);
	unsigned work = 0;

	for (int gpu = 1; gpu >= 0; gpu--) {
		for (uint32_t i = 0; pr && i < s->lanes.n; i++) {
			const struct lane *l = &s->lanes.a[i];
			ev_id e;

			if (l->kind != LANE_EVENTS || layer_on_gpu(l->layer) != (gpu == 1))
				continue;
			e = timeline_pick(p->ui, l, s->cursor, s->cursor + 1, &work).ev;
			if (e == ID_NONE || pr->start[e] + shift != s->cursor)
				continue;
			s->lane = i;
			s->ev = e;
			s->ev_picked = false;
			return;
		}
	}
}

/* The session's zero moves when an earlier source arrives; what is shown stays the same. */
static void follow_clock(struct timeline *s, ns_t shift)
{
	ns_t by = s->shift_source == s->source ? shift - s->shift : 0;

	s->shift = shift;
	s->shift_source = s->source;
	s->t0 += by;
	s->t1 += by;
	s->cursor += by;
	s->mark += by;
}

static void timeline_want(struct pane *p)
{
	struct timeline *s = timeline_of(p);
	struct result *gaps;
	bool pending = false;

	s->w = p->cols - LANE_LABEL_W;
	s->h = p->page_rows + 2 - 1 - (p->page_rows >= 9 ? DETAIL_ROWS : p->page_rows >= 5 ? 1 : 0);
	s->source = s->chosen_source != UINT32_MAX ? s->chosen_source : mv_source(p->ui, &p->scope);
	timeline_make_lanes(p);
	p->unanswered = !s->lanes_facts || !s->lanes_index;
	follow_clock(s, mv_shift(p->ui, s->source));
	follow_scope(p);
	if (s->want_ev != ID_NONE && s->lanes.n) {
		show_event(p, s->want_ev);
		s->want_ev = ID_NONE;
	}
	if (s->want_idle != SCOPE_ANY && s->lanes.n) {
		to_idle_lane(s, s->want_idle);
		s->want_idle = SCOPE_ANY;
	}
	if (s->want_lane && s->lanes.n) {
		to_lane_with_start(p);
		s->want_lane = false;
	}
	if (s->ev == ID_NONE || !s->lanes_profile || s->ev >= s->lanes_profile->n)
		timeline_pick_cursor(p);
	if (timeline_lane(s) && timeline_lane(s)->kind == LANE_IDLE && (gaps = work_want(p->ui->work, "gaps", &p->scope, &pending))) {
		if (gaps != s->gaps) {
			result_unref((struct result *)(uintptr_t)s->gaps);
			s->gaps = result_ref(gaps);
		}
	}
	if (s->lane < s->top)
		s->top = s->lane;
	if (s->h > 0 && s->lane >= s->top + (uint32_t)s->h)
		s->top = s->lane - (uint32_t)s->h + 1;
}

static void timeline_open(struct pane *p)
{
	struct timeline *s = timeline_of(p);

	s->chosen_source = s->shift_source = UINT32_MAX;
	s->ev = s->want_ev = ID_NONE;
	s->want_idle = SCOPE_ANY;
}

static void timeline_close(struct pane *p)
{
	struct timeline *s = timeline_of(p);

	VEC_FREE(&s->lanes);
	timeline_choose_fini(s);
	free(s->match);
	timeline_draw_fini(s);
	result_unref((struct result *)(uintptr_t)s->gaps);
}

/* ---- moving ---------------------------------------------------------------------------------------------------- */

static void move_lane(struct pane *p, int64_t by, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	int64_t to = (int64_t)s->lane + by, last = (int64_t)s->lanes.n - 1;

	if (to > last)
		to = last;
	if (to < 0)
		to = 0;
	if (to == (int64_t)s->lane)
		outcome_say(out, "%s", by > 0 ? _("this is the last lane") : _("this is the first lane"));
	s->lane = (uint32_t)to;
	timeline_pick_cursor(p);
}

static void move_columns(struct pane *p, int64_t by, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	struct time_axis a = timeline_axis(s);
	ns_t was = s->cursor;

	cursor_to(p, axis_time(&a, axis_col(&a, s->cursor) + by));
	if (was == s->cursor)
		outcome_say(out, "%s", by > 0 ? _("this is the end of the capture") : _("this is the start of the capture"));
	timeline_pick_cursor(p);
}

static void to_edge(struct pane *p, ns_t t, const char *there, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	ns_t was = s->cursor;

	cursor_to(p, t);
	if (s->cursor == was)
		outcome_say(out, "%s", there);
	timeline_pick_cursor(p);
}

static void zoom(struct pane *p, bool in, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	ns_t width = s->t1 - s->t0, want = in ? width / 2 : width > INT64_MAX / 4 ? width : width * 2, off = s->cursor - s->t0;
	char num[NUM_TEXT_MAX];

	/* the cursor keeps its column */
	set_window(p, s->cursor - (ns_t)((__int128)off * want / (width ? width : 1)), want);
	if (s->t1 - s->t0 == width)
		outcome_say(out, "%s", in ? _("this is as close as it gets") : _("this is the whole capture"));
	else
		outcome_say(out, _("%s wide"), num_ns(s->t1 - s->t0, num));
	timeline_pick_cursor(p);
}

static void zoom_all(struct pane *p, struct outcome *out)
{
	struct timeline *s = timeline_of(p);

	s->have_window = false;
	outcome_say(out, "%s", _("the whole window"));
}

static void pan(struct pane *p, int dir)
{
	struct timeline *s = timeline_of(p);
	ns_t half = (s->t1 - s->t0) / 2, was = s->t0;

	set_window(p, s->t0 + dir * half, s->t1 - s->t0);
	cursor_to(p, s->cursor + (s->t0 - was));
	timeline_pick_cursor(p);
}

static void next_event(struct pane *p, int dir, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	const struct profile *pr = mv_profile(p->ui, s->source);
	ns_t from, to;
	ev_id e;

	if (!l || !pr)
		return;
	if (l->kind != LANE_EVENTS) {
		if (!timeline_span(p->ui, l, s->cursor, &from, &to) || (dir > 0 ? to == INT64_MAX : from == INT64_MIN))
			outcome_say(out, "%s", _("nothing further in this lane"));
		else
			cursor_to(p, dir > 0 ? to : from - 1);
		return;
	}
	e = timeline_next(p->ui, l, s->ev, s->cursor, dir);
	if (e == ID_NONE) {
		outcome_say(out, "%s", dir > 0 ? _("no later event in this lane") : _("no earlier event in this lane"));
		return;
	}
	cursor_to(p, pr->start[e] + mv_shift(p->ui, s->source));
	s->ev = e;
	s->ev_picked = false;
}

static const struct device_facts *gap_device(const struct pane *p, int64_t *device)
{
	const struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	const struct facts *f = mv_facts(p->ui, s->source);

	if (!f || !f->n_devices)
		return NULL;
	*device = l && l->device >= 0 ? l->device : f->devices[0].device;
	return facts_device(f, *device);
}

static void next_gap(struct pane *p, int dir, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	int64_t device = -1;
	const struct device_facts *d = gap_device(p, &device);
	ns_t shift = mv_shift(p->ui, s->source), least = (s->t1 - s->t0) / (s->w > 0 ? s->w : 1);
	char num[NUM_TEXT_MAX];
	int64_t i;

	if (!d || d->any.n < 2) {
		outcome_say(out, "%s", _("no idle gaps are known here"));
		return;
	}
	/* gap i lies between interval i and i + 1 */
	i = (int64_t)spans_seek(&d->any, s->cursor - shift);
	if (dir < 0)
		i -= spans_contain(&d->any, s->cursor - shift) ? 1 : 2;
	for (; i >= 0 && i + 1 < (int64_t)d->any.n; i += dir)
		if (d->any.a[i + 1].start - d->any.a[i].end >= least)
			break;
	if (i < 0 || i + 1 >= (int64_t)d->any.n) {
		outcome_say(out, "%s", _("no further gap as wide as a column; zoom in for shorter ones"));
		return;
	}
	cursor_to(p, d->any.a[i].end + shift);
	to_idle_lane(s, device);
	outcome_say(out, _("GPU %" PRId64 " idle for %s"), device, num_ns(d->any.a[i + 1].start - d->any.a[i].end, num));
}

/* Scans the lane for the next event that `ok` accepts; names are compared as ids. */
static bool seek(struct pane *p, const uint8_t *ok, int dir, bool from_here)
{
	struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	const struct profile *pr = mv_profile(p->ui, s->source);
	ev_id e = s->ev;

	if (!l || !pr || l->kind != LANE_EVENTS)
		return false;
	if (from_here && e != ID_NONE && ok[pr->name[e]])
		return true;
	while ((e = timeline_next(p->ui, l, e, s->cursor, dir)) != ID_NONE) {
		if (pr->name[e] >= pr->n_strs || !ok[pr->name[e]])
			continue;
		cursor_to(p, pr->start[e] + mv_shift(p->ui, s->source));
		s->ev = e;
		s->ev_picked = false;
		return true;
	}
	return false;
}

static void same_name(struct pane *p, int dir, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	uint8_t *ok;

	if (!pr || s->ev == ID_NONE) {
		outcome_say(out, "%s", _("there is no event at the cursor"));
		return;
	}
	ok = xcalloc((size_t)pr->n_strs + 1, 1);
	ok[pr->name[s->ev]] = 1;
	if (!seek(p, ok, dir, false))
		outcome_say(out, "%s", dir > 0 ? _("no later event of this name") : _("no earlier event of this name"));
	free(ok);
}

static void range(struct timeline *s, struct outcome *out)
{
	s->ranging = !s->ranging;
	s->mark = s->cursor;
	outcome_say(out, "%s", s->ranging ? _("range: move to its other end, Enter zooms") : _("range dropped"));
}

static void timeline_act(struct pane *p, enum action a, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	int64_t page = s->h > 1 ? s->h - 1 : 1;

	if (!s->lanes.n)
		return;
	out->flags |= OUT_HANDLED;
	switch (a) {
	case ACT_LEFT: move_columns(p, -1, out); break;
	case ACT_RIGHT: move_columns(p, 1, out); break;
	case ACT_DOWN: move_lane(p, 1, out); break;
	case ACT_UP: move_lane(p, -1, out); break;
	case ACT_PAGE_DOWN: move_lane(p, page, out); break;
	case ACT_PAGE_UP: move_lane(p, -page, out); break;
	case ACT_HALF_DOWN: move_lane(p, (page + 1) / 2, out); break;
	case ACT_HALF_UP: move_lane(p, -(page + 1) / 2, out); break;
	case ACT_TOP: to_edge(p, s->t0, _("this is the left edge"), out); break;
	case ACT_END: to_edge(p, s->t1 - 1, _("this is the right edge"), out); break;
	case ACT_PAN_LEFT: pan(p, -1); break;
	case ACT_PAN_RIGHT: pan(p, 1); break;
	case ACT_ZOOM_IN: zoom(p, true, out); break;
	case ACT_ZOOM_OUT: zoom(p, false, out); break;
	case ACT_ZOOM_ALL: zoom_all(p, out); break;
	case ACT_NEXT_EVENT: next_event(p, 1, out); break;
	case ACT_PREV_EVENT: next_event(p, -1, out); break;
	case ACT_NEXT_GAP: next_gap(p, 1, out); break;
	case ACT_PREV_GAP: next_gap(p, -1, out); break;
	case ACT_STAR: same_name(p, 1, out); break;
	case ACT_HASH: same_name(p, -1, out); break;
	case ACT_RANGE: range(s, out); break;
	case ACT_ENTER: timeline_enter(p, out); break;
	case ACT_ABSREL:
		out->flags |= OUT_ABSREL;
		break;
	default:
		if (!timeline_lane_act(p, a, out))
			out->flags = 0;
		break;
	}
}

/* ---- the rest of the interface --------------------------------------------------------------------------------- */

static void make_match(struct timeline *s, const struct profile *pr, const struct needle *n)
{
	free(s->match);
	s->match = NULL;
	s->match_profile = pr;
	s->serial++;
	if (!pr || !n)
		return;
	s->match = xcalloc((size_t)pr->n_strs + 1, 1);
	for (uint32_t i = 0; i < pr->n_strs; i++) {
		size_t len;
		const char *str = profile_str(pr, i, &len);

		s->match[i] = needle_match(n, str, len, NULL, NULL);
	}
}

static void timeline_highlight(struct pane *p, const struct needle *n)
{
	make_match(timeline_of(p), mv_profile(p->ui, timeline_of(p)->source), n);
}

static bool timeline_find(struct pane *p, const struct needle *n, int dir)
{
	struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	uint32_t was = s->lane;

	if (!s->match || s->match_profile != pr)
		make_match(s, pr, n);
	if (!s->match)
		return false;
	if (seek(p, s->match, dir < 0 ? -1 : 1, dir == 0))
		return true;
	/* not in this lane: the first lane that has one */
	for (uint32_t i = 0; dir == 0 && i < s->lanes.n; i++) {
		s->lane = i;
		s->ev = ID_NONE;
		if (seek(p, s->match, 1, false))
			return true;
	}
	s->lane = was;
	timeline_pick_cursor(p);
	return false;
}

static bool timeline_escape(struct pane *p, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	ns_t start, end;

	if (s->ranging) {
		s->ranging = false;
		outcome_say(out, "%s", _("range dropped"));
		return true;
	}
	if (s->lanes.n && mv_window(p->ui, &p->scope, &start, &end) && (s->t0 > start || s->t1 < end)) {
		s->have_window = false;
		outcome_say(out, "%s", _("the whole window"));
		return true;
	}
	return false;
}

static void timeline_save(const struct pane *p, struct place *pl)
{
	const struct timeline *s = timeline_of(p);

	pl->t0 = s->t0;
	pl->t1 = s->t1;
	pl->cursor = s->cursor;
	pl->lane = s->lane;
	pl->source = s->source;
	pl->ev = s->ev;
}

static void timeline_restore(struct pane *p, const struct place *pl)
{
	struct timeline *s = timeline_of(p);

	s->chosen_source = (pl->ev != ID_NONE || pl->idle_gpu != SCOPE_ANY) && pl->scope.source < 0 ? pl->source : UINT32_MAX;
	s->want_idle = pl->idle_gpu;
	s->ranging = pl->ranging;
	s->want_lane = pl->t0 < pl->t1 && pl->lane == UINT32_MAX && pl->ev == ID_NONE && pl->idle_gpu == SCOPE_ANY && !pl->ranging;
	s->mark = pl->range;
	if (pl->t0 < pl->t1) {
		s->t0 = pl->t0;
		s->t1 = pl->t1;
		s->seen = pl->scope;
		s->have_window = s->touched = true;
		s->cursor = pl->cursor ? pl->cursor : s->cursor;
	} else if (pl->ev == ID_NONE && pl->cursor) {
		cursor_to(p, pl->cursor);
	} else if (!same_window(&s->seen, &pl->scope)) {
		s->have_window = false;
	}
	/* a lane's number holds in the lanes of its file: those of another one are still to be made */
	if (pl->lane != UINT32_MAX && (pl->ev == ID_NONE || pl->source == s->source)) {
		s->lane = pl->lane;
		s->cursor = pl->cursor;
		s->ev = pl->ev;
		s->ev_picked = false;
		return;
	}
	if (pl->ev != ID_NONE)
		s->want_ev = pl->ev;
	else
		s->ev = ID_NONE;
}

static bool timeline_preview(const struct pane *p, struct scope *sc)
{
	const struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	const struct profile *pr = mv_profile(p->ui, s->source);
	const char *name;
	size_t n;

	if (s->ranging && s->mark != s->cursor) {
		sc->window = WINDOW_TIME;
		sc->start_ns = s->mark < s->cursor ? s->mark : s->cursor;
		sc->end_ns = s->mark < s->cursor ? s->cursor : s->mark;
		return true;
	}
	if (!l || l->kind != LANE_EVENTS || s->ev == ID_NONE || !pr || s->ev >= pr->n)
		return false;
	name = mv_ev_name(pr, s->ev, &n);
	if (l->layer == LAYER_KERNEL)
		sc->kernel_hash = scope_hash_name(name, n);
	else if (l->layer == LAYER_RUNTIME)
		sc->runtime_hash = scope_hash_name(name, n);
	else if (l->layer == LAYER_OP)
		sc->op_hash = scope_hash_name(name, n);
	else
		return false;
	/* the name is that of its file: another one may write the same kernel's otherwise */
	if (sc->source < 0)
		sc->source = (int32_t)s->source;
	return true;
}

static bool timeline_event(const struct pane *p, uint32_t *source, ev_id *ev)
{
	const struct timeline *s = timeline_of(p);

	*source = s->source;
	*ev = s->ev;
	return s->ev != ID_NONE;
}

static void timeline_copy(const struct pane *p, struct sbuf *b)
{
	const struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	size_t n;
	const char *name;

	if (!pr || s->ev == ID_NONE || s->ev >= pr->n)
		return;
	name = mv_ev_name(pr, s->ev, &n);
	sbuf_put(b, name, n);
	sbuf_printf(b, "\t%" PRId64 "\t%" PRId64, pr->start[s->ev] + mv_shift(p->ui, s->source), pr->dur[s->ev]);
}

static void timeline_click(struct pane *p, int x, int y, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	struct time_axis a = timeline_axis(s);

	out->flags |= OUT_HANDLED;
	if (y >= 1 && y <= s->h && s->top + (uint32_t)(y - 1) < s->lanes.n)
		s->lane = s->top + (uint32_t)(y - 1);
	if (x >= LANE_LABEL_W && s->t1 > s->t0)
		cursor_to(p, axis_time(&a, x - LANE_LABEL_W));
	timeline_pick_cursor(p);
}

/* Which of several files is shown stands before the lane, as in the overview. */
static const char *timeline_label(const struct pane *p)
{
	struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	const char *words = l ? l->label + strspn(l->label, " ") : NULL;

	if (!l || !p->ui->session || p->ui->session->n_sources < 2)
		return words;
	snprintf(s->label, sizeof(s->label), "f%" PRIu32 " %s", s->source + 1, words);
	return s->label;
}

const struct pane_ops pane_timeline = {
	.id = "timeline",
	.title = N_("Timeline"),
	.tab = N_("Time"),
	.help = N_("What ran when: Enter goes from a step to its window, from a kernel to its launch, to the op, to the Python frame."),
	.where = IN_TIME,
	.follow = { PANE_OPS, PANE_KERNELS },
	.state_size = sizeof(struct timeline),
	.open = timeline_open,
	.close = timeline_close,
	.want = timeline_want,
	.draw = timeline_draw,
	.act = timeline_act,
	.find = timeline_find,
	.highlight = timeline_highlight,
	.filter = timeline_filter,
	.filter_text = timeline_filter_text,
	.escape = timeline_escape,
	.save = timeline_save,
	.restore = timeline_restore,
	.preview = timeline_preview,
	.copy = timeline_copy,
	.event = timeline_event,
	.click = timeline_click,
	.label = timeline_label,
};
