/*
 * flame.c - `bench flame`: the Python pane over deep stacks, on no terminal: a sampler's tree of STACKS different stacks, each DEPTH
 * frames deep, that part at many depths. How long its views take to be there, and what a key costs until the cells are: work units
 * are those of struct grid, which do not depend on the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "findings/rulebook.h"
#include "model/builder.h"
#include "tests/perf/bench.h"
#include "tests/perf/measure.h"
#include "tests/perf/stage.h"

enum { STACKS = 2000, DEPTH = 500, SAMPLES = 500, WIDTH = 200, HEIGHT = 60, FRAMES = 40 };

/* Stack i leaves the common path at a depth of its own; SAMPLES samples each. */
static struct session *deep_session(void)
{
	struct builder *b = builder_new();
	struct session *s = session_new();
	int32_t n = 0, common[DEPTH];
	char name[64];

	builder_set_format(b, FORMAT_COLLAPSED);
	builder_caps(b, CAP_SAMPLES);
	builder_sampled_wall(b, NS_UNKNOWN, NS_UNKNOWN);
	for (int i = 0; i < STACKS; i++) {
		int parts = i ? (int)((unsigned)i * 2654435761u % 400) : DEPTH;

		/* a tree in preorder: the common path first, so later stacks hang below its nodes by number of the parent alone */
		for (int d = i ? parts : 0; d < DEPTH; d++) {
			struct frame_node f = { .parent = d ? (d == parts && i ? common[d - 1] : n - 1) : -1, .line = d + 1, .class_name = ID_NONE,
				.total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = SAMPLES };

			f.function = builder_intern(b, name, (size_t)snprintf(name, sizeof(name), "f%d", i ? (d * 31 + i) % 977 : d));
			f.file = builder_intern(b, name, (size_t)snprintf(name, sizeof(name), "mod%d.py", d % 40));
			builder_frame(b, &f);
			if (!i)
				common[d] = n;
			n++;
		}
	}
	session_put(s, session_add(s, "bench"), builder_finish(b), SOURCE_READY);
	builder_free(b);
	return s;
}

static void measure_view(struct app *a, const char *what)
{
	static const enum action keys[] = { ACT_DOWN, ACT_ENTER, ACT_RIGHT, ACT_END, ACT_ZOOM_OUT, ACT_TOP, ACT_PAGE_DOWN, ACT_ZOOM_ALL };
	double took[FRAMES], since = now_s(), there, mid;
	unsigned work = 0;

	settle(a);
	there = now_s() - since;
	for (int i = 0; i < FRAMES; i++) {
		since = now_s();
		app_action(a, keys[i % (int)(sizeof(keys) / sizeof(*keys))]);
		app_want(a);
		app_draw(a);
		took[i] = (now_s() - since) * 1000;
		work = a->grid.work > work ? a->grid.work : work;
	}
	mid = median(took, FRAMES);	/* sorts */
	printf("| %s | %.2f | %.3f | %.3f | %u |\n", what, there, mid, took[FRAMES - 1], work);
}

static void run(struct app *a)
{
	static const char *const views[] = { "call tree", "by leaf", "flame", "inverse" };
	struct rusage use;

	app_jump(a, PANE_PYTHON);
	app_action(a, ACT_MAXIMISE);
	printf("| view | s until there | median ms | worst ms | work units |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		measure_view(a, views[i]);
		app_action(a, ACT_VIEW_NEXT);
	}
	getrusage(RUSAGE_SELF, &use);
	printf("\nPeak memory, all four views held: %ld MB.\n", use.ru_maxrss / 1024);
}

int bench_flame(int argc, char **argv)
{
	struct session *s = deep_session();
	struct app *a = calloc(1, sizeof(*a));
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	struct ui_opts o = { .provider = { .arg = s, .poll = poll_session, .take = take_session }, .rules = r, .title = "bench", .width = WIDTH,
		.height = HEIGHT, .script = "none", .script_text = "" };
	int status = 1;

	(void)argc;
	(void)argv;
	scope_init(&o.scope);
	printf("%u frames: %d stacks, %d deep, %d samples; a screen of %dx%d.\n\n", s->sources[0].profile->n_frames, STACKS, DEPTH,
		STACKS * SAMPLES, WIDTH, HEIGHT);
	if (a && r && app_init(a, &o, NULL, &e)) {
		run(a);
		app_fini(a);
		status = 0;
	} else {
		fprintf(stderr, "bench flame: %s\n", e.text);
	}
	free(a);
	rulebook_free(r);
	session_free(s);
	return status;
}
