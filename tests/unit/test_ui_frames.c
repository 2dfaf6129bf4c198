/*
 * test_ui_frames.c - what a key costs until its frame is there, in units of work (rows written, steps through an index), which do not
 * depend on the clock: bounded by the screen, and the same for twenty times the events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "findings/rulebook.h"
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"
#include "tests/lib/ui_run.h"

enum { PRESSES = 20, FEW = 15000, MANY = 300000, PER_STEP = 3000 };

/* Steps with ops, calls and kernels of 50 names each, four events a turn. */
static struct profile *make(int events)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 1, 1);
	track_id marks = builder_host_track(b, LAYER_ANNOT, th, ID_NONE, 0), ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0), kernels = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 0, 7, 0);
	struct profile *p;
	char name[64];

	for (int i = 0; i * 4 < events; i++) {
		uint64_t corr = (uint64_t)i + 1;
		ns_t t = (ns_t)i * 10;

		if (i % (PER_STEP / 4) == 0) {
			snprintf(name, sizeof(name), "ProfilerStep#%d", i / (PER_STEP / 4));
			fake_event(b, marks, name, t, PER_STEP / 4 * 10, CORR_NONE, ID_NONE);
		}
		snprintf(name, sizeof(name), "aten::op_%d", i % 50);
		fake_event(b, ops, name, t, 8, CORR_NONE, ID_NONE);
		fake_event(b, ops, "aten::inner", t + 1, 4, CORR_NONE, ID_NONE);
		fake_event(b, calls, "cudaLaunchKernel", t + 2, 1, corr, 0);
		snprintf(name, sizeof(name), "kernel_%d", i % 50);
		fake_event(b, kernels, name, t + 4, 3 + i % 3, corr, ID_NONE);
	}
	builder_set_format(b, FORMAT_TORCH);
	builder_set_producer(b, "torch.profiler (Kineto)", NULL);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* Keys as a person presses them, to and fro. */
static const struct task {
	const char *what;
	const char *before[3];
	enum action to, fro;
} tasks[] = {
	{ "cursor in a table", { "kernels", "view 2" }, ACT_DOWN, ACT_UP },
	{ "page of all instances", { "kernels", "view 3" }, ACT_PAGE_DOWN, ACT_PAGE_UP },
	{ "end of all instances", { "kernels", "view 3" }, ACT_END, ACT_TOP },
	{ "next match", { "kernels", "view 3", "search kernel_4" }, ACT_NEXT_MATCH, ACT_PREV_MATCH },
	{ "pane", { "ops", "kernels" }, ACT_PANE_4, ACT_PANE_3 },
	{ "pane of the timeline", { "timeline", "kernels" }, ACT_PANE_2, ACT_PANE_3 },
	{ "cursor in the timeline", { "timeline", "zoom-all" }, ACT_RIGHT, ACT_LEFT },
	{ "lane", { "timeline", "zoom-all" }, ACT_DOWN, ACT_UP },
	{ "next event", { "timeline", "zoom-all" }, ACT_NEXT_EVENT, ACT_PREV_EVENT },
	{ "zoom", { "timeline", "zoom-all" }, ACT_ZOOM_IN, ACT_ZOOM_OUT },
};
enum { N_TASKS = sizeof(tasks) / sizeof(tasks[0]), N_TABLES = 5 };

static unsigned cost(struct app *a, const struct task *t)
{
	struct err e = ERR_INIT;
	unsigned most = 0;

	for (size_t i = 0; i < 3 && t->before[i]; i++) {
		if (!command_run(a, t->before[i], &e))
			fail("%s: %s", t->before[i], e.text);
		if (!settle(a))
			fail("still busy with %s", work_what(a->work));
	}
	for (int i = 0; i < PRESSES; i++) {
		a->grid.work = 0;
		app_action(a, i % 2 ? t->fro : t->to);
		app_want(a);
		app_draw(a);
		if (a->grid.work > most)
			most = a->grid.work;
	}
	if (!settle(a))
		fail("still busy with %s", work_what(a->work));
	return most;
}

static void costs(const struct rulebook *r, int events, int w, int h, unsigned out[N_TASKS])
{
	struct app *a = xcalloc(1, sizeof(*a));
	struct session *session = session_new();
	struct ui_opts o = { .provider = made_provider(session), .rules = r, .title = "made",
		.script = "none", .script_text = "", .width = w, .height = h };
	struct err e = ERR_INIT;

	session_put(session, session_add(session, "run/trace.json"), make(events), SOURCE_READY);
	scope_init(&o.scope);
	o.scope.window = WINDOW_ALL;
	if (app_init(a, &o, NULL, &e)) {
		if (!settle(a))
			fail("still busy with %s", work_what(a->work));
		for (size_t i = 0; i < N_TASKS; i++)
			out[i] = cost(a, &tasks[i]);
		app_fini(a);
	} else {
		fail("%s", e.text);
	}
	free(a);
	session_free(session);
}

static void test_size(const struct rulebook *r, int w, int h, unsigned limit)
{
	unsigned few[N_TASKS] = { 0 }, many[N_TASKS] = { 0 };

	costs(r, FEW, w, h, few);
	costs(r, MANY, w, h, many);
	for (size_t i = 0; i < N_TASKS; i++) {
		/* a table alone on the screen: its rows */
		unsigned most = w < 120 && i < N_TABLES ? (unsigned)h : limit;

		ok(few[i] && many[i] <= most, "%dx%d, %s: %u units, of %u at most", w, h, tasks[i].what, many[i], most);
		/* an index is one level deeper */
		ok(many[i] <= few[i] + few[i] / 2 + 2000, "%dx%d, %s: %u for a twentieth of the events", w, h, tasks[i].what, few[i]);
	}
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);

	test_size(r, 80, 24, 12000);
	test_size(r, 200, 60, 60000);
	rulebook_free(r);
	return done_testing();
}
