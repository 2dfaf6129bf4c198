/* test_ui_timeline.c - what a column of the timeline shows, against a plain scan; work per frame against the number of events. */
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"

#include "ui/w_timeline.h"

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

static void test_pick(void)
{
	struct session *s = random_session(2000);
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	int wrong_starts = 0, missed = 0, invented = 0;
	unsigned work = 0;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	timeline_lanes(&ui, 0, 40, &lanes);
	ok(lanes.n >= 2, "ops and kernels have lanes");
	for (uint32_t i = 0; i < lanes.n; i++) {
		const struct lane *l = &lanes.a[i];
		const struct track *tr = &p->tracks[l->track];

		if (l->kind != LANE_EVENTS || l->depth != DEPTH_INNERMOST)
			continue;
		for (int k = 0; k < 400; k++) {
			ns_t c0 = (ns_t)rnd(20000), c1 = c0 + 1 + (ns_t)rnd(200), shift = s->sources[0].shift_ns;
			struct pick got = timeline_pick(&ui, l, c0 + shift, c1 + shift, &work);
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

static unsigned frame_work(int n)
{
	struct session *s = random_session(n);
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	struct grid g;
	struct canvas c;
	struct time_axis a = { p->first_ns + s->sources[0].shift_ns, p->last_ns + s->sources[0].shift_ns, 200 };
	unsigned work;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	grid_init(&g, 200, 60);
	c = canvas_whole(&g);
	timeline_lanes(&ui, 0, 60, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++)
		timeline_draw_lane(&ui, &lanes.a[i], &c, (int)i, &a, NULL);
	work = g.work;
	grid_fini(&g);
	VEC_FREE(&lanes);
	session_free(s);
	return work;
}

static void test_work(void)
{
	unsigned small = frame_work(10000), large = frame_work(300000);

	diag("units of work of a whole frame: %u at 10 k events, %u at 300 k", small, large);
	ok(large <= 200000, "a frame stays within 200 k units");
	ok(large < 2 * small, "thirty times the events do not double the work");
}

static void test_known(void)
{
	struct session *s = fake_session();
	const struct profile *p = s->sources[0].profile;
	struct ui_ctx ui;
	lane_list lanes = { NULL, 0, 0 };
	const struct lane *kernels = NULL, *ops = NULL;
	unsigned work = 0;
	struct pick k;
	ev_id e;
	size_t n;

	memset(&ui, 0, sizeof(ui));
	ui.session = s;
	timeline_lanes(&ui, 0, 40, &lanes);
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

int main(void)
{
	test_axis();
	test_pick();
	test_known();
	test_work();
	return done_testing();
}
