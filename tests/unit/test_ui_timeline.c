/* test_ui_timeline.c - what a column of the timeline shows, against a plain scan; work per frame against the number of events. */
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"

#include "catalog/views.h"
#include "measure/lanes.h"
#include "ui/widgets/timeline.h"

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* One op track of n nested and overlapping events, one flat kernel track. */
static struct session *random_session(int n)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 1, 1);
	track_id ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0), k = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 0, 7, 0);
	struct session *s = session_new();
	ns_t t = 0;

	for (int i = 0; i < n; i++) {
		struct builder_event e = { (ns_t)rnd((uint32_t)n * 10), (ns_t)rnd(60), builder_intern(b, "op", 2), CORR_NONE, CORR_NONE, ID_NONE };

		builder_add(b, ops, &e);
		t += rnd(30);
		e.start = t;
		e.dur = (ns_t)rnd(20);
		t += e.dur;
		builder_add(b, k, &e);
	}
	session_put(s, session_add(s, "x"), builder_finish(b), SOURCE_READY);
	builder_free(b);
	return s;
}

static bool active_in(const struct profile *p, ev_id e, ns_t c0, ns_t c1)
{
	return p->start[e] < c1 && (ev_end(p, e) > c0 || (p->start[e] >= c0 && p->start[e] < c1));
}

static void test_pick(const struct rulebook *r)
{
	struct session *s = random_session(2000);
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	struct an_ctx *cx = NULL;
	int wrong_starts = 0, missed = 0, invented = 0;
	unsigned work = 0;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	ui.an = r ? cx = an_ctx_new(s, r, NULL, NULL) : NULL;
	if (cx)
		facts_make_lanes(cx->facts[0]);
	timeline_lanes(&ui, 0, 40, false, &lanes);
	ok(lanes.n >= 2, "ops and kernels have lanes");
	for (uint32_t i = 0; i < lanes.n; i++) {
		const struct lane *l = &lanes.a[i];
		const struct track *tr = &p->tracks[l->track];

		if (l->kind != LANE_EVENTS || l->depth != DEPTH_INNERMOST)
			continue;
		for (int k = 0; k < 400; k++) {
			ns_t c0 = (ns_t)rnd(20000), c1 = c0 + 1 + (ns_t)rnd(200), shift = s->sources[0].shift_ns;
			struct timeline_hit got = timeline_pick(&ui, l, c0 + shift, c1 + shift, &work);
			uint32_t starts = 0, active = 0;

			for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
				starts += p->start[e] >= c0 && p->start[e] < c1;
				active += p->dur[e] > 0 && active_in(p, e, c0, c1);
			}
			wrong_starts += got.starts != starts;
			missed += got.ev == ID_NONE && active;
			invented += got.ev != ID_NONE && !active_in(p, got.ev, c0, c1);
		}
	}
	is_int(wrong_starts, 0, "events that begin in a column are counted exactly");
	is_int(missed, 0, "a column with an event shows one");
	is_int(invented, 0, "what a column shows lies in it");
	VEC_FREE(&lanes);
	an_ctx_free(cx);
	session_free(s);
}

static void test_axis(void)
{
	struct time_axis a = { -1000, 9001, 77 };
	int bad = 0;

	for (int64_t col = 0; col < a.w; col++)
		bad += axis_col(&a, axis_time(&a, col)) != col || axis_col(&a, axis_time(&a, col + 1) - 1) != col;
	is_int(bad, 0, "column and time are inverse at both ends of every column");
	a = (struct time_axis){ 0, INT64_MAX / 2, 200 };
	is_int(axis_col(&a, INT64_MAX / 4 + 1), 100, "no overflow on long captures");
}

/* With the index that the worker makes; without it chains of parents that ended long ago are walked. */
static unsigned frame_work(const struct rulebook *r, int n)
{
	struct session *s = random_session(n);
	struct an_ctx *cx = an_ctx_new(s, r, NULL, NULL);
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	struct grid g;
	struct canvas c;
	struct time_axis a = { p->first_ns + s->sources[0].shift_ns, p->last_ns + s->sources[0].shift_ns, 200 };
	unsigned work;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	ui.an = cx;
	facts_make_lanes(cx->facts[0]);
	grid_init(&g, 200, 60);
	c = canvas_whole(&g);
	timeline_lanes(&ui, 0, 60, false, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++)
		timeline_draw_lane(&ui, &lanes.a[i], &c, (int)i, &a, NULL);
	work = g.work;
	grid_fini(&g);
	VEC_FREE(&lanes);
	an_ctx_free(cx);
	session_free(s);
	return work;
}

static void test_work(const struct rulebook *r)
{
	unsigned small = frame_work(r, 10000), large = frame_work(r, 300000);

	diag("units of work of a whole frame: %u at 10 k events, %u at 300 k", small, large);
	ok(large <= 200000, "a frame stays within 200 k units");
	/* a level of the index more: at most 30 steps per column and lane */
	ok(large < small + 200 * 8 * 45, "thirty times the events cost a level and a half of the index more");
}

static void test_known(void)
{
	struct session *s = fake_session();
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	const struct lane *kernels = NULL, *ops = NULL;
	unsigned work = 0;
	struct timeline_hit k;
	ev_id e;
	size_t n;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	timeline_lanes(&ui, 0, 40, false, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++) {
		if (lanes.a[i].layer == LAYER_KERNEL && lanes.a[i].kind == LANE_EVENTS)
			kernels = &lanes.a[i];
		if (lanes.a[i].layer == LAYER_OP && lanes.a[i].depth == 0)
			ops = &lanes.a[i];
	}
	ok(kernels && ops, "lanes of kernels and of outer ops");
	if (!kernels || !ops)
		return;
	k = timeline_pick(&ui, kernels, 45 * FAKE_MS, 46 * FAKE_MS, &work);
	is_str(mv_ev_name(p, k.ev, &n), "ampere_sgemm_128x64_nn", "the kernel at 45 ms");
	k = timeline_pick(&ui, kernels, 65 * FAKE_MS, 66 * FAKE_MS, &work);
	is_uint(k.ev, ID_NONE, "nothing at 65 ms");
	k = timeline_pick(&ui, ops, 13 * FAKE_MS, 14 * FAKE_MS, &work);
	is_str(mv_ev_name(p, k.ev, &n), "aten::mm", "the outer lane shows the outer op");
	e = timeline_next(&ui, kernels, ID_NONE, 0, 1);
	is_int(p->start[e], 40 * FAKE_MS, "first kernel");
	e = timeline_next(&ui, kernels, e, 0, 1);
	is_int(p->start[e], 140 * FAKE_MS, "next kernel");
	is_int(p->start[p->link[e]], 114 * FAKE_MS, "its launch");
	is_uint(timeline_next(&ui, kernels, e, 0, -1), e - 1, "and back");
	is_uint(timeline_lane_of(&ui, &lanes, 0, e), (uint32_t)(kernels - lanes.a), "an event finds its lane");
	VEC_FREE(&lanes);
	session_free(s);
}

/* A lane that is a row shows in each column the event of the row that takes most of it, whatever overlaps in the track. */
static void test_rows(const struct rulebook *r)
{
	struct session *s = random_session(3000);
	struct an_ctx *cx = an_ctx_new(s, r, NULL, NULL);
	const struct profile *p = s->sources[0].profile;
	const struct lanes *x;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	int wrong = 0, rows = 0;
	unsigned work = 0;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	ui.an = cx;
	facts_make_lanes(cx->facts[0]);
	x = facts_lanes(cx->facts[0]);
	timeline_lanes(&ui, 0, 60, false, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++) {
		const struct lane_row *row = lanes.a[i].row == ID_NONE || lanes.a[i].kind != LANE_EVENTS ? NULL : &x->rows[lanes.a[i].row];
		ns_t shift = s->sources[0].shift_ns;

		rows += row != NULL;
		for (int k = 0; row && k < 300; k++) {
			ns_t c0 = (ns_t)rnd(30000), c1 = c0 + 1 + (ns_t)rnd(500), most = -1;
			struct timeline_hit got = timeline_pick(&ui, &lanes.a[i], c0 + shift, c1 + shift, &work);

			for (uint32_t j = row->first; j < row->first + row->count; j++) {
				ns_t a = p->start[x->ev[j]], b = ev_end(p, x->ev[j]);
				ns_t part = (b < c1 ? b : c1) - (a > c0 ? a : c0);

				if ((part > 0 || (part == 0 && a >= c0 && a < c1)) && part > most)
					most = part;
			}
			if (got.ev != ID_NONE) {
				ns_t a = p->start[got.ev], b = ev_end(p, got.ev);

				most -= (b < c1 ? b : c1) - (a > c0 ? a : c0);
			}
			wrong += got.ev == ID_NONE ? most != -1 : most != 0;
		}
	}
	ok(rows >= 3, "overlapping ops lie in lanes of their own (%d)", rows);
	is_int(wrong, 0, "each column of a row shows the event that takes most of it");
	VEC_FREE(&lanes);
	an_ctx_free(cx);
	session_free(s);
}

/* Launches at 14 ms of each step of 100, kernels at 40; a copy at 70 that nothing launched. */
static void test_queue(const struct rulebook *r)
{
	struct session *s = fake_session();
	struct an_ctx *cx = an_ctx_new(s, r, NULL, NULL);
	struct ui_ctx ui;
	unsigned work = 0;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	ui.an = cx;
	is_int(timeline_queue(&ui, 0, 20 * FAKE_MS, &work), -1, "not known before the lanes are made");
	facts_make_lanes(cx->facts[0]);
	is_int(timeline_queue(&ui, 0, 14 * FAKE_MS, &work), 0, "nothing is launched yet");
	is_int(timeline_queue(&ui, 0, 20 * FAKE_MS, &work), 1, "a kernel waits");
	is_int(timeline_queue(&ui, 0, 41 * FAKE_MS, &work), 0, "it has begun");
	is_int(timeline_queue(&ui, 0, 80 * FAKE_MS, &work), 0, "a copy without a launch is no part of it");
	is_int(timeline_queue(&ui, 0, 330 * FAKE_MS, &work), 1, "the last step's kernel waits");
	an_ctx_free(cx);
	session_free(s);
}

/* Steps of 100 ms from 0, each with its kernel at [40, 60): what the median step did is where this one's is. */
static void test_median(const struct rulebook *r)
{
	struct session *s = fake_session();
	struct an_ctx *cx = an_ctx_new(s, r, NULL, NULL);
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	const struct lane *l = NULL;
	const struct step *median = NULL;
	unsigned work = 0;
	struct timeline_hit k;
	ns_t at = -1;
	size_t n;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	ui.an = cx;
	facts_make_lanes(cx->facts[0]);
	timeline_lanes(&ui, 0, 10, false, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++)
		l = lanes.a[i].kind == LANE_MEDIAN_GPU ? &lanes.a[i] : l;
	ok(!l, "where there is little room it is not beside a step");
	timeline_lanes(&ui, 0, 10, true, &lanes);
	for (uint32_t i = 1; i < lanes.n && !l; i++)
		if (lanes.a[i].kind == LANE_MEDIAN_GPU && lanes.a[i - 1].kind == LANE_EVENTS && lanes.a[i - 1].layer == LAYER_KERNEL)
			l = &lanes.a[i];
	ok(l != NULL, "but where it is wanted its kernels lie below those of the device");
	if (!l)
		return;
	ok(timeline_median_at(&ui, l, 350 * FAKE_MS, &at, &median) && at % FAKE_STEP_NS == 50 * FAKE_MS, "50 ms into the step is 50 ms into the other");
	is_int(at, median->start + 50 * FAKE_MS, "which is the median one");
	k = timeline_pick(&ui, l, 345 * FAKE_MS, 346 * FAKE_MS, &work);
	is_str(mv_ev_name(p, k.ev, &n), "ampere_sgemm_128x64_nn", "its kernel runs at 45 ms");
	is_int(p->start[k.ev], median->start + 40 * FAKE_MS, "the one of the median step");
	is_int(k.busy, FAKE_MS, "over the whole column");
	k = timeline_pick(&ui, l, 355 * FAKE_MS, 365 * FAKE_MS, &work);
	is_int(k.busy, 5 * FAKE_MS, "over half of this one");
	k = timeline_pick(&ui, l, 365 * FAKE_MS, 366 * FAKE_MS, &work);
	is_uint(k.ev, ID_NONE, "and nothing at 65");
	ok(!timeline_median_at(&ui, l, 400 * FAKE_MS, &at, &median), "behind the last step there is none");
	VEC_FREE(&lanes);
	an_ctx_free(cx);
	session_free(s);
}

/* A column that a kernel fills to an eighth has a low bar; one that is filled has its letter. */
static void test_density(const struct rulebook *r)
{
	struct session *s = fake_session();
	struct an_ctx *cx = an_ctx_new(s, r, NULL, NULL);
	struct time_axis a = { 0, 3200 * (ns_t)FAKE_MS, 20 };	/* 160 ms a column: 100 ms steps with 20 ms of kernel each */
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	struct grid g;
	struct canvas c;
	const char *low = style_ramp(1, false), *letter = "G";

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	ui.an = cx;
	facts_make_lanes(cx->facts[0]);
	grid_init(&g, 20, 1);
	c = canvas_whole(&g);
	timeline_lanes(&ui, 0, 10, false, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++) {
		if (lanes.a[i].kind != LANE_EVENTS || lanes.a[i].layer != LAYER_KERNEL)
			continue;
		timeline_draw_lane(&ui, &lanes.a[i], &c, 0, &a, NULL);
		/* [0, 160) ms: the kernel of 40 to 60 ms and that of 140 to 160 ms: 40 of 160 ms, two eighths */
		low = style_ramp(2, false);
		ok(!memcmp(g.cells[0].s, low, g.cells[0].n), "a quarter of the column is busy: two eighths of its height");
		/* [160, 320) ms: 240 to 260 only: 20 of 160 ms */
		low = style_ramp(1, false);
		ok(!memcmp(g.cells[1].s, low, g.cells[1].n), "an eighth");
		grid_clear(&g);
		a.t1 = 200 * FAKE_MS;	/* 10 ms a column: 40 to 60 ms are two of them */
		timeline_draw_lane(&ui, &lanes.a[i], &c, 0, &a, NULL);
		ok(!memcmp(g.cells[4].s, letter, 1) && g.cells[3].s[0] == ' ', "all of it: the class");
	}
	grid_fini(&g);
	VEC_FREE(&lanes);
	an_ctx_free(cx);
	session_free(s);
}

static char cell(const struct grid *g, int x, int y)
{
	return g->cells[y * g->w + x].s[0];
}

/* Down from the launch at (2, 0) to the row of the work, then along it; what stands there stays. */
static void test_link(void)
{
	struct grid g;
	struct canvas c;

	grid_init(&g, 10, 5);
	g.ascii = true;
	c = canvas_whole(&g);
	canvas_puts(&c, 2, 2, ST_NORMAL, "X");
	timeline_draw_link(&c, 2, 0, 7, 4);
	ok(cell(&g, 2, 1) != ' ' && cell(&g, 2, 3) != ' ' && cell(&g, 2, 2) == 'X', "down, and nothing is written over");
	ok(cell(&g, 3, 4) != ' ' && cell(&g, 6, 4) == '>' && cell(&g, 7, 4) == ' ', "along, up to the work");
	ok(g.cells[2].attrs & ATTR_UNDERLINE && g.cells[47].attrs & ATTR_UNDERLINE, "both ends are marked");
	grid_clear(&g);
	timeline_draw_link(&c, 6, 4, 1, 0);
	ok(cell(&g, 6, 3) != ' ' && cell(&g, 2, 0) == '<' && cell(&g, 1, 0) == ' ', "work above and before its launch, as in a wrong clock");
	for (int64_t x0 = -30; x0 < 30; x0 += 7)
		for (int64_t y0 = -9; y0 < 12; y0 += 3)
			for (int64_t x1 = -30; x1 < 30; x1 += 9)
				timeline_draw_link(&c, x0, y0, x1, 3 - y0);
	timeline_draw_link(&c, INT64_MIN / 4, 2, INT64_MAX / 4, 3);
	pass("ends anywhere are clipped");
	grid_fini(&g);
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);

	test_axis();
	test_pick(NULL);
	test_pick(r);
	test_known();
	test_rows(r);
	test_queue(r);
	test_median(r);
	test_density(r);
	test_link();
	test_work(r);
	rulebook_free(r);
	return done_testing();
}
