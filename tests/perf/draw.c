/*
 * draw.c - `bench draw`: frames of the explorer with the timeline in front, on no terminal. From the whole capture down to
 * single events, at several places per zoom: what a key press costs until the cells of the screen are there. Work units are those of
 * struct grid, which do not depend on the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "findings/rulebook.h"
#include "tests/perf/bench.h"
#include "tests/perf/measure.h"
#include "tests/perf/stage.h"
#include "ui/panes/timeline/pane.h"

enum { WIDTH = 240, HEIGHT = 60, FRAMES = 24, ZOOMS_MAX = 48 };

struct zoom {
	ns_t window_ns;
	double p50_ms, p99_ms;
	unsigned work;
};

/* Processor time of this thread: what others do on the machine at the same time is not the frame's. */
static double thread_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A frame as after a key: what the panes want, and all cells. */
static double frame_ms(struct app *a)
{
	double since = thread_s();

	app_want(a);
	app_draw(a);
	return (thread_s() - since) * 1000;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_zoom(struct app *a, struct zoom *z)
{
	const struct timeline *tl = timeline_of(&a->panes[PANE_TIMELINE]);
	double took[FRAMES];

	z->window_ns = tl->t1 - tl->t0;
	z->work = 0;
	for (int i = 0; i < FRAMES; i++) {
		app_action(a, i < FRAMES / 2 ? ACT_PAN_RIGHT : ACT_PAN_LEFT);
		took[i] = frame_ms(a);
		/* nobody waits for the tables beside it, which follow the window in the background */
		work_collect(a->work);
		if (a->grid.work > z->work)
			z->work = a->grid.work;
	}
	z->p50_ms = median(took, FRAMES);
	z->p99_ms = took[FRAMES - 1];
}

static void print_zooms(const struct zoom *z, size_t n)
{
	size_t worst = 0;

	printf("| window | median ms | worst ms | work units |\n|---|---|---|---|\n");
	for (size_t i = 0; i < n; i++) {
		printf("| %.6f s | %.3f | %.3f | %u |\n", (double)z[i].window_ns / 1e9, z[i].p50_ms, z[i].p99_ms, z[i].work);
		if (z[i].p50_ms > z[worst].p50_ms)
			worst = i;
	}
	if (n)
		printf("\nWorst zoom: %.6f s wide, median %.3f ms of processor time (must be at most 5, aims at 3), worst %.3f ms (16, 8), %u work units.\n",
			(double)z[worst].window_ns / 1e9, z[worst].p50_ms, z[worst].p99_ms, z[worst].work);
}

static void measure_zooms(struct app *a, const char *what)
{
	const struct timeline *tl = timeline_of(&a->panes[PANE_TIMELINE]);
	struct zoom z[ZOOMS_MAX];
	size_t n = 0;
	ns_t was = 0;

	printf("\n%s: %d columns, %d lanes:\n\n", what, tl->w, tl->h);
	while (n < ZOOMS_MAX && tl->t1 - tl->t0 != was && tl->t1 - tl->t0 > 2000) {
		was = tl->t1 - tl->t0;
		measure_zoom(a, &z[n++]);
		for (int i = 0; i < 2; i++) {
			app_action(a, ACT_ZOOM_IN);
			frame_ms(a);
		}
	}
	print_zooms(z, n);
	app_action(a, ACT_ZOOM_ALL);
	frame_ms(a);
}

/* What a person waits for: from a key to the frame. Tables are there already; each key is pressed KEYS times, to and fro. */
enum { KEYS = 100 };
static const struct task {
	const char *what;
	const char *before[3];	/* commands, NULL-terminated */
	enum action to, fro;
} tasks[] = {
	{ "cursor in a table", { "kernels", "top" }, ACT_DOWN, ACT_UP },
	{ "cursor among all instances", { "kernels", "view 3" }, ACT_DOWN, ACT_UP },
	{ "page of all instances", { "kernels", "view 3" }, ACT_PAGE_DOWN, ACT_PAGE_UP },
	{ "first and last instance", { "kernels", "view 3" }, ACT_END, ACT_TOP },
	{ "next match among all instances", { "kernels", "view 3", "search gemm" }, ACT_NEXT_MATCH, ACT_PREV_MATCH },
	{ "cursor in the op tree", { "ops", "view 1" }, ACT_DOWN, ACT_UP },
	{ "pane: ops and kernels", { "ops", "kernels" }, ACT_PANE_4, ACT_PANE_3 },
	{ "pane: timeline and kernels", { "timeline", "kernels" }, ACT_PANE_2, ACT_PANE_3 },
	{ "cursor in the timeline", { "timeline", "zoom-all" }, ACT_RIGHT, ACT_LEFT },
	{ "lane of the timeline", { "timeline", "zoom-all" }, ACT_DOWN, ACT_UP },
	{ "next event", { "timeline", "zoom-all" }, ACT_NEXT_EVENT, ACT_PREV_EVENT },
	{ "zoom", { "timeline", "zoom-all" }, ACT_ZOOM_IN, ACT_ZOOM_OUT },
};

static void measure_task(struct app *a, const struct task *t)
{
	double took[KEYS];
	unsigned work = 0;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < 3 && t->before[i]; i++) {
		command_run(a, t->before[i], &e);
		settle(a);
	}
	for (int i = 0; i < KEYS; i++) {
		double since = now_s();

		app_action(a, i < KEYS / 2 ? t->to : t->fro);
		app_want(a);
		app_draw(a);
		took[i] = (now_s() - since) * 1000;
		work_collect(a->work);
		if (a->grid.work > work)
			work = a->grid.work;
	}
	qsort(took, KEYS, sizeof(took[0]), by_value);
	printf("| %s | %.3f | %.3f | %u |\n", t->what, took[KEYS / 2], took[KEYS * 99 / 100], work);
}

static void measure_keys(struct app *a)
{
	printf("\nFrom a key to its frame, %dx%d, %d presses of each:\n\n", WIDTH, HEIGHT, KEYS);
	printf("| key | p50 ms | p99 ms | work units |\n|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		measure_task(a, &tasks[i]);
}

/* The size that the goal is set for: 15 lanes of 240 columns. */
static void small_timeline(struct app *a)
{
	const struct timeline *tl = timeline_of(&a->panes[PANE_TIMELINE]);

	for (int h = 15; h < HEIGHT; h++) {
		app_resize(a, 240 + LANE_LABEL_W, h);
		frame_ms(a);
		if (tl->h >= 15)
			return;
	}
}

static int draw(struct session *s, const struct rulebook *r, struct err *e)
{
	struct app *a = calloc(1, sizeof(*a));
	struct ui_opts o = { .provider = { .arg = s, .poll = poll_session, .take = take_session }, .rules = r, .title = "bench", .width = WIDTH,
		.height = HEIGHT, .script = "none", .script_text = "" };
	double since = now_s();

	if (!a)
		return 1;
	scope_init(&o.scope);
	o.scope.window = WINDOW_ALL;
	if (!app_init(a, &o, NULL, e)) {
		free(a);
		return 1;
	}
	frame_ms(a);
	settle(a);
	app_jump(a, PANE_TIMELINE);
	settle(a);
	printf("%u events; the first screens were there after %.3f s.\n", s->sources[0].profile->n, now_s() - since);
	measure_zooms(a, "Timeline and the panes beside it");
	measure_keys(a);
	app_jump(a, PANE_TIMELINE);
	settle(a);
	app_action(a, ACT_MAXIMISE);
	frame_ms(a);
	measure_zooms(a, "Timeline alone");
	small_timeline(a);
	measure_zooms(a, "Timeline alone, small");
	app_fini(a);
	free(a);
	return 0;
}

int bench_draw(int argc, char **argv)
{
	uint64_t events = synth_events(argc, argv);
	struct err e = ERR_INIT;
	struct session *s;
	struct rulebook *r;
	int status = 1;

	if (!events)
		return BENCH_USAGE;
	s = synth_session(events);
	r = rulebook_new(&e);
	if (r)
		status = draw(s, r, &e);
	if (status)
		fprintf(stderr, "bench draw: %s\n", e.text);
	rulebook_free(r);
	session_free(s);
	return status;
}
