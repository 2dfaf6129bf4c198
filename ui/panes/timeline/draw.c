/* draw.c - the timeline on the screen: axis, lanes, cursor, range, marks, and the way from a launch to its work. */
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "ui/panes/timeline/pane.h"

static void draw_cursor(const struct timeline *s, const struct canvas *lanes, const struct time_axis *a, int y)
{
	int64_t x = axis_col(a, s->cursor), m = axis_col(a, s->mark);

	if (s->ranging) {
		int64_t x0 = x < m ? x : m, x1 = x < m ? m : x;

		if (x0 < 0)
			x0 = 0;
		if (x1 >= a->w)
			x1 = a->w - 1;
		for (int row = 0; row < lanes->h; row++)
			canvas_attr(lanes, (int)x0, row, (int)(x1 - x0) + 1, ATTR_REVERSE);
	}
	if (x >= 0 && x < a->w && y >= 0)
		canvas_attr(lanes, (int)x, y, 1, s->ranging ? ATTR_BOLD | ATTR_UNDERLINE : ATTR_REVERSE);
}

/* The launch of the work at the cursor, or the work of the launch. */
static bool linked_pair(const struct timeline *s, const struct profile *pr, ev_id *call, ev_id *work)
{
	const struct lane *l = timeline_lane(s);
	uint32_t first;

	if (!l || l->kind != LANE_EVENTS || !pr || s->ev >= pr->n)
		return false;
	*call = *work = s->ev;
	if (layer_on_gpu(l->layer))
		*call = pr->link[s->ev];
	else if (l->layer == LAYER_RUNTIME && profile_launched_by(pr, s->ev, &first))
		*work = pr->by_launch[first];
	return *call != ID_NONE && *call != *work;
}

/* The letters of the marks that lie in the window, on the axis. */
static void draw_marks(const struct pane *p, const struct canvas *head, const struct time_axis *a)
{
	for (int i = 0; p->ui->marks && i < 26; i++) {
		char letter[2] = { (char)('a' + i), '\0' };
		int64_t x = axis_col(a, p->ui->marks[i].cursor);

		if (*p->ui->mark_set & 1u << i && p->ui->marks[i].pane == PANE_TIMELINE && x >= 0 && x < a->w)
			canvas_puts(head, (int)x, 0, ST_KEY, letter);
	}
}

static void draw_link(const struct pane *p, const struct canvas *lanes, const struct time_axis *a)
{
	const struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	ns_t shift = mv_shift(p->ui, s->source);
	uint32_t from, to;
	ev_id call, work;

	if (!linked_pair(s, pr, &call, &work))
		return;
	from = timeline_lane_of(p->ui, &s->lanes, s->source, call);
	to = timeline_lane_of(p->ui, &s->lanes, s->source, work);
	if (from != UINT32_MAX && to != UINT32_MAX)
		timeline_draw_link(lanes, axis_col(a, pr->start[call] + shift), (int64_t)from - s->top, axis_col(a, pr->start[work] + shift),
			(int64_t)to - s->top);
}

/* What is in the lanes stays the same while the cursor moves: it is drawn once, and copied. */
static void draw_picture(const struct pane *p, const struct time_axis *a, int w, int h)
{
	struct timeline *s = timeline_of(p);
	struct picture *pic = &s->picture;
	const uint8_t *match = s->match && s->match_profile == mv_profile(p->ui, s->source) ? s->match : NULL;
	struct canvas c;

	if (pic->g.w != w || pic->g.h != h)
		grid_resize(&pic->g, w, h);
	grid_clear(&pic->g);
	pic->g.ascii = p->ui->ascii;
	c = canvas_whole(&pic->g);
	for (int y = 0; y < h && s->top + (uint32_t)y < s->lanes.n; y++)
		timeline_draw_lane(p->ui, &s->lanes.a[s->top + (uint32_t)y], &c, y, a, match);
	pic->serial = s->serial;
	pic->top = s->top;
	pic->axis = *a;
}

static void draw_lanes(const struct pane *p, const struct canvas *lanes, const struct time_axis *a)
{
	const struct timeline *s = timeline_of(p);
	const struct picture *pic = &s->picture;

	if (lanes->w < 1 || lanes->h < 1)
		return;
	if (pic->g.w != lanes->w || pic->g.h != lanes->h || pic->g.ascii != p->ui->ascii || pic->serial != s->serial || pic->top != s->top ||
	    pic->axis.t0 != a->t0 || pic->axis.t1 != a->t1 || pic->axis.w != a->w) {
		draw_picture(p, a, lanes->w, lanes->h);
		lanes->g->work += pic->g.work;
	}
	for (int y = 0; y < lanes->h; y++)
		memcpy(&lanes->g->cells[(size_t)(lanes->y + y) * (size_t)lanes->g->w + (size_t)lanes->x],
			&pic->g.cells[(size_t)y * (size_t)pic->g.w], sizeof(*pic->g.cells) * (size_t)pic->g.w);
	lanes->g->work += (unsigned)lanes->h;
}

void timeline_draw_fini(struct timeline *s)
{
	grid_fini(&s->picture.g);
}

void timeline_draw(const struct pane *p, const struct canvas *c)
{
	const struct timeline *s = timeline_of(p);
	struct canvas head = canvas_sub(c, (struct rect){ LANE_LABEL_W, 0, c->w - LANE_LABEL_W, 1 });
	struct canvas lanes = canvas_sub(c, (struct rect){ LANE_LABEL_W, 1, c->w - LANE_LABEL_W, s->h });
	struct canvas detail = canvas_sub(c, (struct rect){ 0, 1 + s->h, c->w, c->h - 1 - s->h });
	struct time_axis a = timeline_axis(s);
	char width[NUM_TEXT_MAX];

	if (!s->lanes.n || s->t1 <= s->t0) {
		canvas_puts(c, 1, 0, ST_DIM, p->ui->session ? p->ui->partial ? _("reading …") : _("no file with a time axis is open") :
			_("nothing is loaded yet"));
		return;
	}
	canvas_printf(c, 0, 0, ST_DIM, _("%s wide"), num_ns(s->t1 - s->t0, width));
	timeline_draw_axis(&head, &a, p->ui->absolute ? 0 : s->t0);
	draw_marks(p, &head, &a);
	if (axis_col(&a, s->cursor) >= 0 && axis_col(&a, s->cursor) < a.w)
		canvas_attr(&head, (int)axis_col(&a, s->cursor), 0, 1, ATTR_REVERSE);
	for (int y = 0; y < lanes.h && s->top + (uint32_t)y < s->lanes.n; y++) {
		uint32_t i = s->top + (uint32_t)y;

		canvas_text(c, 0, 1 + y, i == s->lane ? ST_TITLE : ST_DIM, i == s->lane && p->focused ? ATTR_REVERSE : 0, s->lanes.a[i].label,
			SIZE_MAX, LANE_LABEL_W - 1);
	}
	draw_lanes(p, &lanes, &a);
	if (s->top + (uint32_t)s->h < s->lanes.n)
		canvas_puts(c, LANE_LABEL_W - 1, s->h, ST_DIM, "▾");
	if (s->top > 0)
		canvas_puts(c, LANE_LABEL_W - 1, 1, ST_DIM, "▴");
	draw_link(p, &lanes, &a);
	draw_cursor(s, &lanes, &a, (int)(s->lane - s->top));
	if (detail.h > 0)
		timeline_detail(p, &detail);
}
