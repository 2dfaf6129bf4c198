/* timeline_draw.c - axis and lanes on a canvas. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "ui/widgets/timeline.h"

enum { MAX_HITS = 16 };

/* 1, 2 or 5 times a power of ten, so that ticks are at least `cols` columns apart. */
static ns_t tick_width(const struct time_axis *a, int cols)
{
	ns_t want = (a->t1 - a->t0) / (a->w > cols ? a->w / cols : 1), t = 1;

	while (t < want) {
		if (t * 2 >= want)
			return t * 2;
		if (t * 5 >= want)
			return t * 5;
		if (t > INT64_MAX / 10)
			break;
		t *= 10;
	}
	return t;
}

/* Ticks are whole multiples of the largest unit that is not wider than their distance. */
static void tick_text(ns_t t, ns_t tick, char *buf, size_t cap)
{
	static const struct {
		ns_t unit;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	size_t i = 0;

	while (i < 3 && tick < units[i].unit)
		i++;
	snprintf(buf, cap, "%" PRId64 "%s", t / units[i].unit, units[i].name);
}

void timeline_draw_axis(const struct canvas *c, const struct time_axis *a, ns_t zero)
{
	ns_t tick = tick_width(a, 14), t;
	int64_t x;

	canvas_fill(c, 0, 0, c->w, ST_AXIS, 0, "─");
	t = (a->t0 - zero) / tick * tick + zero;
	for (; t < a->t1; t += tick) {
		char text[48];

		x = axis_col(a, t);
		if (x < 0 || x >= a->w)
			continue;
		tick_text(t - zero, tick, text, sizeof(text));
		canvas_puts(c, (int)x, 0, ST_AXIS, "|");
		if (x + 1 + canvas_width(text, strlen(text)) < c->w)
			canvas_puts(c, (int)x + 1, 0, ST_NORMAL, text);
	}
}

/* ---- one lane ------------------------------------------------------------------------------------------------ */

struct timeline_draw_run {
	int x, w;
	ev_id ev;
	uint32_t starts;
	int eighths;		/* of its columns that are filled, rounded up; 8: all, or not known */
	bool cut_left, cut_right;
};

static const char *fill_of(const struct canvas *c, const struct mark *m)
{
	return c->g->ascii ? m->fill_ascii : m->fill;
}

/* What fills less than half of its columns is shown by how much that is: a letter there would say that all of it is busy. */
static bool sparse(const struct timeline_draw_run *r)
{
	return r->w <= 2 && r->eighths <= 4;
}

static void draw_gpu_run(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct timeline_draw_run *r)
{
	const struct mark *m = mv_event_mark(ui, l->source, r->ev, l->layer);
	const struct profile *p = mv_profile(ui, l->source);
	char letter[2] = { m->letter, '\0' };
	size_t n;
	const char *name = mv_ev_name(p, r->ev, &n);

	if (sparse(r)) {
		canvas_fill(c, r->x, y, r->w, m->style, 0, style_ramp(r->eighths, c->g->ascii));
		return;
	}
	canvas_fill(c, r->x, y, r->w, m->style, 0, fill_of(c, m));
	canvas_puts(c, r->x, y, m->style, letter);
	/* the name where there is room for a piece that says something */
	if (r->w >= 16)
		canvas_text(c, r->x + 2, y, m->style, 0, name, n, r->w - 4);
}

static const struct mark *api_mark(const struct ui_ctx *ui, const struct lane *l, ev_id e)
{
	static const struct mark marks[RT_N] = {
		[RT_SYNC] = { ST_API_SYNC, 'S', "S", "S", "" }, [RT_LAUNCH] = { ST_API_LAUNCH, 'l', "l", "l", "" },
		[RT_MEMCPY] = { ST_C_COPY, 'c', "c", "c", "" }, [RT_OTHER] = { ST_API, '.', ".", ".", "" },
	};
	const struct profile *p = mv_profile(ui, l->source);
	size_t n;
	const char *name = mv_ev_name(p, e, &n);

	return &marks[rules_runtime(name, n)];
}

static void draw_name_run(const struct lane *l, const struct canvas *c, int y, const struct timeline_draw_run *r, uint8_t style, const char *name,
	size_t n)
{
	char buf[512];
	int x = r->x, w = r->w, tw;

	(void)l;
	if (w == 1) {
		canvas_fill(c, x, y, 1, style, 0, r->starts > 1 ? style_ramp(r->eighths, c->g->ascii) : "|");
		return;
	}
	canvas_fill(c, x, y, w, style, 0, "─");
	if (!r->cut_left)
		canvas_puts(c, x, y, style, "[");
	if (!r->cut_right)
		canvas_puts(c, x + w - 1, y, style, "]");
	tw = canvas_width(name, n < 200 ? n : 200);
	if (w < 6)
		return;
	if (tw <= w - 4) {
		canvas_text(c, x + (w - tw) / 2, y, style, 0, name, n, w - 4);
		return;
	}
	/* the tail tells most: the number of a step, the end of a scope */
	text_fit(buf, sizeof(buf), name, n, (size_t)(w - 2), TEXT_CUT_MIDDLE);
	canvas_text(c, x + 1, y, style, 0, buf, SIZE_MAX, w - 2);
}

static void draw_api_run(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct timeline_draw_run *r)
{
	const struct mark *m = api_mark(ui, l, r->ev);
	char letter[2] = { m->letter, '\0' };
	const struct profile *p = mv_profile(ui, l->source);
	size_t n;
	const char *name = mv_ev_name(p, r->ev, &n);

	if (r->w >= 14) {
		draw_name_run(l, c, y, r, m->style, name, n);
		canvas_puts(c, r->x, y, m->style, letter);
		return;
	}
	canvas_fill(c, r->x, y, r->w, m->style, 0, sparse(r) ? style_ramp(r->eighths, c->g->ascii) : letter);
}

static void draw_run(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct timeline_draw_run *r,
	const uint8_t *match)
{
	const struct profile *p = mv_profile(ui, l->source);
	size_t n;
	const char *name = mv_ev_name(p, r->ev, &n);

	if (layer_on_gpu(l->layer))
		draw_gpu_run(ui, l, c, y, r);
	else if (l->layer == LAYER_RUNTIME)
		draw_api_run(ui, l, c, y, r);
	else
		draw_name_run(l, c, y, r, ST_HOST, name, n);
	if (match && p->name[r->ev] < p->n_strs && match[p->name[r->ev]])
		canvas_attr(c, r->x, y, r->w, ATTR_UNDERLINE | ATTR_BOLD);
}

static int eighths(ns_t busy, ns_t width)
{
	return busy < 0 || width < 1 ? 8 : (int)(((__int128)busy * 8 + width - 1) / width);
}

static void draw_events(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct time_axis *a,
	const uint8_t *match)
{
	struct timeline_draw_run r = { 0, 0, ID_NONE, 0, 8, false, false };
	const struct profile *p = mv_profile(ui, l->source);
	ns_t shift = mv_shift(ui, l->source), busy = 0;
	uint32_t from = TIMELINE_SEARCH;

	for (int x = 0; x <= a->w; x++) {
		struct timeline_hit k = { ID_NONE, 0, 0 };

		if (x < a->w)
			k = timeline_pick_next(ui, l, axis_time(a, x), axis_time(a, x + 1), &from, &c->g->work);
		if (r.w && k.ev == r.ev) {
			r.w++;
			r.starts += k.starts;
			busy += k.busy;
			continue;
		}
		if (r.w && r.ev != ID_NONE) {
			r.eighths = eighths(busy, axis_time(a, x) - axis_time(a, r.x));
			r.cut_left = p->start[r.ev] + shift < a->t0;
			r.cut_right = ev_end(p, r.ev) + shift > a->t1;
			draw_run(ui, l, c, y, &r, match);
		}
		r = (struct timeline_draw_run){ x, 1, k.ev, k.starts, 8, false, false };
		busy = k.busy;
	}
}

static void draw_phase_col(const struct facts *f, const struct lane *l, const struct canvas *c, int x, int y, ns_t mid)
{
	enum phase ph;
	ns_t from, to;
	char letter[2] = "";

	if (!mv_phase_at(f, l->proc, mid, &ph, &from, &to) || ph == PHASE_OTHER)
		return;
	letter[0] = style_phase_mark(ph)->letter;
	canvas_fill(c, x, y, 1, style_phase_mark(ph)->style, 0, letter);
}

static void draw_median_col(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int x, int y, ns_t mid)
{
	enum phase ph;
	char letter[2] = "";

	if (!timeline_median_phase(ui, l, mid, &ph) || ph == PHASE_OTHER)
		return;
	letter[0] = style_phase_mark(ph)->letter;
	canvas_fill(c, x, y, 1, style_phase_mark(ph)->style, 0, letter);
}

/* A column of many intervals is sampled, not measured: a frame must not grow with the number of events. */
static ns_t busy_part(const struct spans *any, ns_t c0, ns_t c1)
{
	int busy = 0;

	if (spans_seek(any, c1) - spans_seek(any, c0) <= MAX_HITS)
		return spans_overlap(any, c0, c1);
	for (int i = 0; i < MAX_HITS; i++)
		busy += spans_contain(any, c0 + (c1 - c0) / MAX_HITS * i);
	return (c1 - c0) / MAX_HITS * busy;
}

static void draw_idle_col(const struct facts *f, const struct lane *l, const struct canvas *c, int x, int y, ns_t c0, ns_t c1)
{
	const struct device_facts *d = facts_device(f, l->device);
	ns_t busy;

	if (!d || c1 <= d->first || c0 >= d->last)
		return;
	busy = busy_part(&d->any, c0, c1);
	if (busy <= (c1 - c0) / 20)
		canvas_fill(c, x, y, 1, ST_IDLE, 0, "─");
	else if (busy * 2 < c1 - c0)
		canvas_fill(c, x, y, 1, ST_IDLE, 0, "-");
	else if (busy * 10 < (c1 - c0) * 9)
		canvas_fill(c, x, y, 1, ST_IDLE, 0, ".");
}

static void draw_steps(const struct ui_ctx *ui, const struct facts *f, const struct lane *l, const struct canvas *c, int y,
	const struct time_axis *a)
{
	const struct proc_facts *pf = &f->procs[l->proc];
	ns_t shift = mv_shift(ui, l->source);

	for (uint32_t i = 0; i < pf->n_steps; i++) {
		const struct step *s = &f->steps[pf->first_step + i];
		int64_t x0 = axis_col(a, s->start + shift), x1 = axis_col(a, s->end + shift);
		struct timeline_draw_run r = { 0, 0, 0, 1, 8, x0 < 0, x1 >= a->w };
		size_t n;
		const char *name;
		char number[32];

		if (x1 < 0 || x0 >= a->w)
			continue;
		r.x = x0 < 0 ? 0 : (int)x0;
		r.w = (int)(x1 >= a->w ? a->w : x1 > x0 ? x1 : x0 + 1) - r.x;
		name = profile_str(f->p, s->name, &n);
		if (!n) {
			snprintf(number, sizeof(number), _("step %" PRId64), s->number);
			name = number;
			n = strlen(number);
		}
		draw_name_run(l, c, y, &r, s->warmup || s->partial ? ST_DIM : s->outlier ? ST_FINDING : ST_TITLE, name, n);
		c->g->work++;
	}
}

/* How far the host is ahead: 0 means that the device has nothing to do once it is done. Sampled at the middle of each column. */
static void draw_queue(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct time_axis *a)
{
	for (int x = 0; x < a->w; x++) {
		ns_t t = axis_time(a, x);
		int64_t n = timeline_queue(ui, l->source, t + (axis_time(a, x + 1) - t) / 2, &c->g->work);
		char digit[2] = { n > 9 ? '+' : (char)('0' + n), '\0' };

		if (n >= 0)
			canvas_fill(c, x, y, 1, n ? ST_API_LAUNCH : ST_IDLE, 0, digit);
	}
}

void timeline_draw_lane(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct time_axis *a,
	const uint8_t *match)
{
	const struct facts *f = mv_facts(ui, l->source);
	ns_t shift = mv_shift(ui, l->source);

	if (l->kind == LANE_EVENTS || l->kind == LANE_MEDIAN_GPU) {
		draw_events(ui, l, c, y, a, match);
		return;
	}
	if (l->kind == LANE_QUEUE) {
		draw_queue(ui, l, c, y, a);
		return;
	}
	if (!f)
		return;
	if (l->kind == LANE_STEP) {
		draw_steps(ui, f, l, c, y, a);
		return;
	}
	for (int x = 0; x < a->w; x++) {
		ns_t c0 = axis_time(a, x) - shift, c1 = axis_time(a, x + 1) - shift;

		c->g->work++;
		if (l->kind == LANE_MEDIAN)
			draw_median_col(ui, l, c, x, y, c0 + shift + (c1 - c0) / 2);
		else if (l->kind == LANE_PHASE)
			draw_phase_col(f, l, c, x, y, c0 + (c1 - c0) / 2);
		else
			draw_idle_col(f, l, c, x, y, c0, c1);
	}
}

/* ---- launch and work ----------------------------------------------------------------------------------------- */

static int64_t within(int64_t v, int64_t n)
{
	return v < 0 ? 0 : v >= n ? n - 1 : v;
}

static void fill_blank(const struct canvas *c, int64_t x, int64_t y, const char *ch)
{
	if (canvas_blank(c, (int)x, (int)y))
		canvas_fill(c, (int)x, (int)y, 1, ST_TITLE, 0, ch);
}

void timeline_draw_link(const struct canvas *c, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
	int64_t a, b, step = y1 > y0 ? 1 : -1;

	if (c->w < 1 || c->h < 1)
		return;
	if (x0 >= 0 && x0 < c->w) {
		b = within(y1, c->h);
		for (int64_t y = within(y0 + step, c->h); y != b && y != y0; y += step)
			fill_blank(c, x0, y, "│");
		if (y0 >= 0 && y0 < c->h)
			canvas_attr(c, (int)x0, (int)y0, 1, ATTR_BOLD | ATTR_UNDERLINE);
	}
	if (y1 < 0 || y1 >= c->h)
		return;
	a = within(x0 < x1 ? x0 : x1 + 1, c->w);
	b = within(x0 < x1 ? x1 - 1 : x0, c->w);
	for (int64_t x = a; x <= b && x0 != x1; x++)
		fill_blank(c, x, y1, x0 < x1 ? x == x1 - 1 ? ">" : "─" : x == x1 + 1 ? "<" : "─");
	if (x1 >= 0 && x1 < c->w)
		canvas_attr(c, (int)x1, (int)y1, 1, ATTR_BOLD | ATTR_UNDERLINE);
}
