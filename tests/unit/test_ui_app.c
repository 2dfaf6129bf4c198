/* test_ui_app.c - the whole explorer without a terminal: loading, every key in every pane, the walk down and back, sizes. */
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"

#include <poll.h>
#include <unistd.h>

#include "base/mem.h"
#include "findings/rulebook.h"
#include "ui/app/app_impl.h"

static struct {
	struct session *session;	/* NULL: still loading */
	int cancelled;
	bool loading;
	enum ui_reload reload;
} P;

static uint64_t fake_poll(void *arg, struct ui_progress *pr)
{
	(void)arg;
	memset(pr, 0, sizeof(*pr));
	pr->loading = P.loading;
	pr->stage = "reading";
	pr->done = 25;
	pr->total = 100;
	pr->events = 1234;
	snprintf(pr->path, sizeof(pr->path), "run/trace.json");
	return P.session ? P.session->generation : 0;
}

static struct session *fake_take(void *arg)
{
	(void)arg;
	return session_clone(P.session);
}

static void fake_cancel(void *arg)
{
	(void)arg;
	P.cancelled++;
}

static enum ui_reload fake_reload(void *arg)
{
	(void)arg;
	return P.reload;
}

static bool fake_write(void *arg, const struct an_ctx *cx, const struct scope *sc, char *done, size_t cap, struct err *e)
{
	(void)arg;
	(void)sc;
	(void)e;
	snprintf(done, cap, "6 reports of %u sources", cx->session->n_sources);
	return true;
}

static char script_path[64];
static struct rulebook *rules;

static struct app *start(struct ui_opts *o, int w, int h)
{
	struct app *a = xcalloc(1, sizeof(*a));
	struct err e = ERR_INIT;

	memset(o, 0, sizeof(*o));
	o->provider = (struct ui_provider){ .poll = fake_poll, .take = fake_take, .cancel = fake_cancel, .reload = fake_reload };
	o->report.write = fake_write;
	o->rules = rules;
	scope_init(&o->scope);
	o->scope.window = WINDOW_ALL;
	o->title = "run/";
	o->script = script_path;
	o->width = w;
	o->height = h;
	if (!app_init(a, o, NULL, &e)) {
		diag("%s", e.text);
		exit(1);
	}
	return a;
}

static void settle(struct app *a)
{
	for (int i = 0; i < 400; i++) {
		struct pollfd fd = { work_fd(a->work), POLLIN, 0 };

		app_turn(a);
		if (app_idle(a) || P.loading)
			return;
		poll(&fd, 1, 50);
	}
	fail("still busy with %s", work_what(a->work));
}

static void stop(struct app *a)
{
	app_fini(a);
	free(a);
}

static void keys(struct app *a, const char *names)
{
	struct err e = ERR_INIT;
	char line[256];

	snprintf(line, sizeof(line), "key %s", names);
	if (!command_run(a, line, &e))
		fail("%s: %s", line, e.text);
	settle(a);
}

static bool run(struct app *a, const char *line)
{
	struct err e = ERR_INIT;
	bool done = command_run(a, line, &e);

	settle(a);
	return done;
}

static void test_loading(void)
{
	struct ui_opts o;
	struct app *a;

	P.loading = true;
	P.session = NULL;
	a = start(&o, 80, 24);
	settle(a);
	ok(grid_find(&a->grid, "reading run/trace.json: 25.0 %"), "the first frame comes before the first session, with progress");
	ok(grid_find(&a->grid, "[1 Overview]"), "and shows the overview");
	app_key(a, KEY_ESC_);
	is_int(P.cancelled, 1, "Esc stops loading");
	app_key(a, 3);
	is_int(P.cancelled, 2, "so does ^C");
	app_key(a, 3);
	ok(a->quit && a->exit_status == 130, "^C twice quits with 130");
	a->quit = false;
	P.session = fake_session();
	P.session->loading = true;
	P.session->generation++;
	settle(a);
	ok(grid_find(&a->grid, "(partial)"), "a snapshot while loading is marked");
	session_free(P.session);
	P.session = fake_session();
	P.session->generation += 10;
	P.loading = false;
	settle(a);
	ok(!grid_find(&a->grid, "(partial)"), "and no longer when it is whole");
	ok(grid_find(&a->grid, "run/"), "title");
	stop(a);
}

static char *screen(const struct app *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	grid_dump_text(&a->grid, f);
	grid_dump_styles(&a->grid, f);
	fclose(f);
	return text;
}

/* Every bound key in every pane: something changes on the screen or the status line says why not. */
static void test_every_key(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);
	int silent = 0, pressed = 0;

	settle(a);
	for (int pane = 0; pane < PANE_N; pane++) {
		for (unsigned i = 0; i < a->keymap.n; i++) {
			ui_key k = a->keymap.v[i].key;
			char *before, *after, name[16];

			if (a->keymap.v[i].action == ACT_SUSPEND || a->keymap.v[i].action == ACT_REDRAW || a->keymap.v[i].action == ACT_WRITE)
				continue;
			app_jump(a, (enum pane_id)pane);
			a->status[0] = '\0';
			settle(a);
			before = screen(a);
			app_key(a, k);
			settle(a);
			after = screen(a);
			if (!strcmp(before, after) && !a->status[0] && !a->quit) {
				silent++;
				diag("%s is silent in %s", keymap_key_name(k, name, sizeof(name)), pane_registry[pane]->id);
			}
			pressed++;
			free(before);
			free(after);
			a->quit = a->interrupted = a->ask_report = false;
			a->pending_mark = 0;
			a->prompt.kind = PROMPT_NONE;
			a->dirty = true;
			settle(a);
		}
	}
	is_int(silent, 0, "no key of %d is silent", pressed);
	stop(a);
}

/* step, window, kernel, API call, op; and back by as many Backspaces to the place of the beginning */
static void test_walk(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);

	settle(a);
	ok(grid_find(&a->grid, "4 of 4 steps"), "four steps in the strip");
	ok(run(a, "step 5"), "a step is chosen");
	ok(!run(a, "step 99"), "a step that is not there is refused");
	is_int(a->here.scope.step_a, 5, "the scope is step 5");
	keys(a, "2");
	ok(run(a, "search sgemm"), "search in the timeline");
	ok(grid_find(&a->grid, "launched by cudaLaunchKernel on main 26 ms earlier in aten::mm") ||
		grid_find(&a->grid, "launched by cudaLaunchKernel on main 26.00 ms earlier in aten::copy_"),
		"the launch of the kernel at 240 ms is told: called at 214 ms in aten::copy_");
	keys(a, "Enter");
	ok(grid_find(&a->grid, "cudaLaunchKernel"), "Enter goes to the launch");
	keys(a, "Enter");
	ok(grid_find(&a->grid, "aten::copy_"), "then to the op");
	keys(a, "Enter");
	ok(a->here.pane == PANE_TIMELINE && strstr(a->status, "no file has Python stacks"), "below which is nothing: %s", a->status);
	keys(a, "Backspace Backspace");
	ok(a->here.pane == PANE_TIMELINE && grid_find(&a->grid, "launched by cudaLaunchKernel"), "two Backspaces lead back to the kernel");
	keys(a, "C-]");
	ok(!grid_find(&a->grid, "launched by"), "and forward again");
	keys(a, "Q");
	ok(a->quit, "Q quits");
	stop(a);
}

static void test_kernels(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);

	settle(a);
	keys(a, "3");
	ok(grid_find(&a->grid, "GEMM") && grid_find(&a->grid, "80.00 ms"), "classes: 4 kernels of 20 ms");
	keys(a, "Enter");
	ok(grid_find(&a->grid, "ampere_sgemm_128x64_nn") && grid_find(&a->grid, "[kernels]"), "Enter: its kernels");
	is_int(a->here.scope.kclass, KCLASS_GEMM, "the scope is the class");
	keys(a, "Enter");
	ok(grid_find(&a->grid, "[instances]") && grid_find(&a->grid, "4 rows"), "Enter: four instances");
	keys(a, "j Enter");
	ok(a->here.pane == PANE_TIMELINE && grid_find(&a->grid, "GPU0 s7"), "Enter: the timeline at the instance");
	keys(a, "q q q q");
	ok(a->here.pane == PANE_OVERVIEW && !a->quit, "q leads back to the overview");
	keys(a, "q");
	ok(a->quit, "and q there quits");
	stop(a);
}

static void test_table(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);

	settle(a);
	keys(a, "4 t");
	ok(grid_find(&a->grid, "[flat]"), "t shows the next table");
	ok(run(a, "filter copy_") && grid_find(&a->grid, "1 row "), "a filter leaves one row");
	ok(grid_find(&a->grid, "filter: copy_"), "and is told in the status line");
	keys(a, "Esc");
	ok(grid_find(&a->grid, "2 rows"), "Esc clears it");
	ok(!run(a, "sort nonsense"), "an unknown column is refused");
	ok(run(a, "sort total_ns") && grid_find(&a->grid, "▾"), "sorted by a column, marked");
	ok(run(a, "resize 200x60") && a->layout.n_panes == 3, "200x60: three panes");
	ok(grid_find(&a->grid, "of the selected row"), "the panes beside follow the selected row");
	keys(a, "Tab");
	is_int(a->focus, 1, "Tab goes to the next pane");
	keys(a, "O");
	is_int(a->layout.n_panes, 1, "O shows it alone");
	stop(a);
}

/* aten::copy_ has 8 ms of its own in each of 4 steps, 1 ms of it a launch; aten::mm, which calls it, 20 - 8 */
static void test_callers(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 120, 24);

	settle(a);
	keys(a, "O 4 t t t");
	ok(grid_find(&a->grid, "[callers]") && grid_find(&a->grid, "2 rows"), "two ops, closed");
	ok(grid_find(&a->grid, "4 48.00 ms") && grid_find(&a->grid, "4 32.00 ms"), "with their self times, 4 x 12 and 4 x 8 ms");
	keys(a, "G Right");
	ok(grid_find(&a->grid, "3 rows"), "the caller of aten::copy_ is below it");
	keys(a, "G y");
	ok(grid_find(&a->grid, "aten::mm 4 32.00 ms 0 4.00 ms"), "all 32 ms are of calls by aten::mm");
	stop(a);
}

/* Two files of one run: kernels are those of nsys, but below an op those of the file that knows ops. */
static void test_two_files(void)
{
	struct ui_opts o;
	struct session *one = P.session;
	struct app *a;

	P.session = fake_session();
	session_put(P.session, session_add(P.session, "run/train.sqlite"), fake_nsys_profile(), SOURCE_READY);
	P.session->sources[1].clock_group = P.session->sources[0].clock_group;
	a = start(&o, 140, 30);
	settle(a);
	keys(a, "3 O");
	ok(grid_find(&a->grid, "76.00 ms"), "4 kernels of 19 ms: those of nsys");
	keys(a, "O 4 t");
	ok(run(a, "search copy_") && grid_find(&a->grid, "of the selected row"), "an op is selected");
	ok(grid_find(&a->grid, "80.00 ms") && !grid_find(&a->grid, "76.00 ms"), "its 4 kernels of 20 ms are shown beside it");
	stop(a);
	session_free(P.session);
	P.session = one;
}

static void test_split(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);

	settle(a);
	keys(a, "3 p");
	ok(grid_find(&a->grid, "by Phase") && grid_find(&a->grid, "split by phase"), "p splits by phase, and the title says so");
	keys(a, "p");
	ok(grid_find(&a->grid, "by Step · 4 rows"), "then by step");
	keys(a, "j Enter");
	ok(a->here.scope.window == WINDOW_STEPS && a->here.scope.step_a == a->here.scope.step_b, "Enter on such a row goes to its step");
	ok(grid_find(&a->grid, "20.00 ms"), "which has one kernel of 20 ms");
	keys(a, "Backspace p");
	ok(grid_find(&a->grid, "by Micro-batch"), "then by micro-batch");
	keys(a, "p p p");
	ok(!grid_find(&a->grid, "by "), "and round to none");
	keys(a, "4 p");
	ok(grid_find(&a->grid, "cannot be split"), "a tree is not split");
	stop(a);
}

static void test_sizes(void)
{
	static const int sizes[][2] = { { 80, 24 }, { 60, 15 }, { 200, 60 }, { 20, 6 }, { 20, 3 }, { 5, 2 }, { 1, 1 }, { 300, 4 }, { 160, 48 } };
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);
	int frames = 0;

	settle(a);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int pane = 0; pane < PANE_N; pane++) {
			app_resize(a, sizes[i][0], sizes[i][1]);
			app_jump(a, (enum pane_id)pane);
			settle(a);
			for (const char *k = "jjlk+.>v%"; *k; k++)
				app_key(a, (ui_key)*k);
			settle(a);
			frames++;
		}
	}
	pass("%d panes at %zu sizes", frames, sizeof(sizes) / sizeof(sizes[0]));
	for (int w = 1; w < 20; w++) {	/* a strip without room for a cell divided by it */
		app_resize(a, w, 24);
		settle(a);
	}
	app_resize(a, 20, 6);
	app_jump(a, PANE_KERNELS);
	settle(a);
	ok(grid_find(&a->grid, "GEMM"), "20x6 still shows the first row");
	ok(grid_find(&a->grid, "400 ms"), "and the window's width whole: 400 m would be minutes");
	stop(a);
}

/* The screen of a pane after a line. */
static bool shows(struct app *a, const char *line, const char *text)
{
	return run(a, line) && grid_find(&a->grid, text);
}

static void test_figures(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 100, 24);

	settle(a);
	run(a, "window steps:4-5");
	keys(a, "3");
	ok(grid_find(&a->grid, "40.00 ms"), "GEMM in two steps: 2 kernels of 20 ms");
	keys(a, "%");
	ok(grid_find(&a->grid, "shares · ") && grid_find(&a->grid, "20.0 %"), "a percent sign shows 40 ms of 200 ms");
	keys(a, "%");
	ok(grid_find(&a->grid, "mean of 2 steps") && grid_find(&a->grid, "20.00 ms") && !grid_find(&a->grid, "40.00 ms"),
		"again: one kernel of 20 ms in a step");
	keys(a, "%");
	ok(grid_find(&a->grid, "40.00 ms"), "and back");
	run(a, "window time:0ns..200ms");
	keys(a, "% %");
	ok(grid_find(&a->grid, "no mean per step"), "a window of time has no mean per step");
	run(a, "window all");
	keys(a, "g Space");
	ok(grid_find(&a->grid, "1 tagged · Count 4 · Total 80.00 ms"), "a tagged row is summed: 4 of 20 ms");
	keys(a, "k Space");
	ok(grid_find(&a->grid, "no row is tagged"), "and no longer");
	keys(a, "4 t");
	ok(shows(a, "search aten", "/aten  1 of 2"), "two ops match");
	keys(a, "n");
	ok(grid_find(&a->grid, "/aten  2 of 2"), "n goes to the second");
	keys(a, "n");
	ok(grid_find(&a->grid, "/aten  1 of 2"), "and round");
	keys(a, "N");
	ok(grid_find(&a->grid, "/aten  2 of 2"), "N goes back");
	stop(a);
}

static void test_columns(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);
	char line[PROMPT_BYTES];

	settle(a);
	keys(a, "4 t");
	ok(grid_find(&a->grid, "Count"), "a column");
	ok(run(a, "columns -count") && !grid_find(&a->grid, "Count"), "is hidden");
	ok(!run(a, "columns -nonsense"), "an unknown one is refused");
	ok(shows(a, "columns all", "Count"), "and shown again");
	ok(app_complete(a, PROMPT_FILTER, "cou", 0, line, sizeof(line)) && !strcmp(line, "count"), "& completes columns: %s", line);
	ok(app_complete(a, PROMPT_FILTER, "name = x and self", 0, line, sizeof(line)) && !strcmp(line, "name = x and self_ns"),
		"also the second: %s", line);
	ok(app_complete(a, PROMPT_COMMAND, "set th", 0, line, sizeof(line)) && !strcmp(line, "set theme"), "settings: %s", line);
	ok(app_complete(a, PROMPT_COMMAND, "set theme mo", 0, line, sizeof(line)) && !strcmp(line, "set theme mono"), "their words: %s", line);
	ok(app_complete(a, PROMPT_COMMAND, "map B zoom", 1, line, sizeof(line)) && !strcmp(line, "map B zoom-out"), "actions: %s", line);
	ok(app_complete(a, PROMPT_COMMAND, "win", 0, line, sizeof(line)) && !strcmp(line, "window"), "commands: %s", line);
	ok(app_complete(a, PROMPT_COMMAND, "source /et", 0, line, sizeof(line)) && !strcmp(line, "source /etc/"), "files: %s", line);
	ok(!app_complete(a, PROMPT_COMMAND, "w /nonexistent/x", 0, line, sizeof(line)), "none where there is none");
	ok(!app_complete(a, PROMPT_SEARCH, "a", 0, line, sizeof(line)), "a search is not completed");
	keys(a, ":");
	for (const char *k = "set asc"; *k; k++)
		app_key(a, (ui_key)*k);
	keys(a, "Tab Space o n Enter");
	ok(a->ctx.ascii, "Tab in the prompt");
	keys(a, ": Up");
	ok(grid_find(&a->grid, ":set ascii on"), "Up recalls");
	stop(a);
}

static void test_settings(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);

	settle(a);
	ok(run(a, "set theme light") && a->set.v[SET_THEME] == THEME_LIGHT, "a theme by name");
	ok(!run(a, "set theme pink") && a->set.v[SET_THEME] == THEME_LIGHT, "an unknown one is refused");
	ok(!run(a, "set pink on"), "and an unknown setting");
	ok(run(a, "set color=never") && a->set.v[SET_COLOR] == COLOR_NEVER, "NAME=VALUE, and color for colour");
	ok(run(a, "set follow off") && !settings_on(&a->set, SET_FOLLOW), "off");
	keys(a, "F2");
	ok(grid_find(&a->grid, "theme") && grid_find(&a->grid, "default light contrast mono"), "F2 shows the words");
	keys(a, "j l");
	ok(a->set.v[SET_THEME] == THEME_CONTRAST && grid_find(&a->grid, "theme contrast"), "and goes to the next");
	keys(a, "h h");
	ok(a->set.v[SET_THEME] == THEME_DEFAULT, "or back");
	keys(a, "h");
	ok(a->set.v[SET_THEME] == THEME_MONO, "round at the ends");
	keys(a, "F2");
	is_int(a->here.pane, PANE_OVERVIEW, "F2 again leaves");
	run(a, "set counts on");
	run(a, "sources");
	keys(a, "4");
	is_int(a->here.pane, PANE_SOURCES, "a digit is a count then");
	keys(a, "Esc");
	run(a, "ops");
	keys(a, "t g 1 j G k");
	run(a, "set counts off");
	ok(!run(a, "map B by-nothing"), "no such action");
	ok(!run(a, "map B nonsense") && run(a, "map B next-view") && run(a, "map t none"), "keys are mapped, and freed");
	keys(a, "t");
	ok(grid_find(&a->grid, "t is not bound"), "a freed key says so");
	stop(a);
}

static void test_config(void)
{
	static const char text[] = "# mine\n\nset wasd on\nset theme pink\n:map B next-view\nquit\n";
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);
	FILE *f = fopen(script_path, "w");

	fputs(text, f);
	fclose(f);
	command_config(a, script_path);
	ok(settings_on(&a->set, SET_WASD), "set in the configuration");
	is_int(keymap_find(&a->keymap, 'B'), ACT_VIEW_NEXT, "map, too");
	ok(!a->quit, "nothing else");
	ok(strstr(a->log.v[(a->log.n - 2) % LOG_LINES].text, ":4: theme is one of: default light contrast mono"), "what is wrong is told with its line: %s",
		a->log.v[(a->log.n - 2) % LOG_LINES].text);
	ok(strstr(a->status, ":6: only set and map"), "each: %s", a->status);
	a->status[0] = '\0';
	command_config(a, "/nonexistent/profdive/config");
	is_str(a->status, "", "a file that is not there has nothing");
	stop(a);
	fclose(fopen(script_path, "w"));
}

static void test_detail(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 40);

	settle(a);
	run(a, "kernels");
	run(a, "view 3");
	run(a, "search sgemm");
	keys(a, "i");
	ok(grid_find(&a->grid, "20.00 ms (20000000 ns)"), "i: a cell with its exact figure");
	ok(grid_find(&a->grid, "ampere_sgemm_128x64_nn"), "and the name whole");
	ok(grid_find(&a->grid, "Launched by         cudaLaunchKernel"), "of an event also what launched it");
	keys(a, "i 2");
	run(a, "search copy_");
	keys(a, "i");
	ok(grid_find(&a->grid, "Inside              aten::mm") && grid_find(&a->grid, "8.00 ms  (8000000 ns)"), "an op of the timeline: what it is in");
	keys(a, "q");
	is_int(a->here.pane, PANE_TIMELINE, "q leaves");
	run(a, "log");
	keys(a, "i");
	ok(grid_find(&a->grid, "nothing is selected in Log"), "where there is nothing it says so");
	stop(a);
}

static void test_reload(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);
	struct session *was = P.session;

	settle(a);
	keys(a, "3 j F5");
	ok(grid_find(&a->grid, "no file has changed"), "F5 without a change computes again");
	P.reload = RELOAD_FAILED;
	keys(a, "F5");
	ok(grid_find(&a->grid, "cannot be read any more") && grid_find(&a->grid, "80.00 ms"), "files that are gone: what was read stays");
	P.reload = RELOAD_BEGUN;
	P.session = session_new();
	session_put(P.session, session_add(P.session, "run/train.sqlite"), fake_nsys_profile(), SOURCE_READY);
	P.session->generation = was->generation + 7;
	keys(a, "F5");
	ok(grid_find(&a->grid, "76.00 ms") && !grid_find(&a->grid, "80.00 ms"), "files that changed: 4 kernels of 19 ms");
	ok(grid_find(&a->grid, "have changed: reading them again"), "and it is told");
	stop(a);
	session_free(P.session);
	P.session = was;
	P.reload = RELOAD_SAME;
}

/* Without step markers steady is the whole capture, and the title says so. */
static void test_no_steps(void)
{
	struct session *one = P.session;
	struct ui_opts o;
	struct app *a;

	P.session = session_new();
	session_put(P.session, session_add(P.session, "run/train.sqlite"), fake_nsys_profile(), SOURCE_READY);
	a = start(&o, 80, 24);
	a->here.scope.window = WINDOW_STEADY;
	settle(a);
	ok(grid_find(&a->grid, "window all (no steps)") && !grid_find(&a->grid, "steady"), "no steps: the window is not called steady");
	stop(a);
	session_free(P.session);
	P.session = one;
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* The separators that the frame draws stand where they were put: no pane has drawn over them. */
static bool frame_whole(const struct app *a)
{
	for (int i = 1; i < a->layout.n_panes; i++) {
		struct rect r = a->layout.pane[i];

		for (int y = r.y; y < r.y + r.h; y++) {
			const struct canvas_cell *c = &a->grid.cells[(size_t)y * (size_t)a->grid.w + (size_t)r.x - 1];

			/* F2 may have come by and set ascii */
			if (a->ctx.ascii ? c->n != 1 || c->s[0] != '|' : c->n != 3 || memcmp(c->s, "│", 3) != 0)
				return false;
		}
	}
	return true;
}

static bool reversed_row(const struct app *a, struct rect r, int y)
{
	for (int x = r.x; x < r.x + r.w; x++)
		if (!(a->grid.cells[(size_t)y * (size_t)a->grid.w + (size_t)x].attrs & ATTR_REVERSE))
			return false;
	return true;
}

/* In a table with rows that has the keys, one row is the one of the cursor. */
static bool cursor_visible(const struct app *a)
{
	const struct pane *p = &a->panes[a->shown[a->focus]];
	struct rect r = a->layout.pane[a->focus];

	if (!p->ops->row || p->ops->row(p) == ROW_NONE || r.h < 4)
		return true;
	for (int y = r.y; y < r.y + r.h; y++)
		if (reversed_row(a, r, y))
			return true;
	return false;
}

/* Enter on a gap that is the window already changes nothing, and says so. */
static void test_enter_ends(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 120, 30);

	settle(a);
	ok(run(a, "timeline") && run(a, "search aten::copy_") && a->here.pane == PANE_TIMELINE, "an op in the timeline");
	settle(a);
	ok(run(a, "go gap"), "to a gap");
	settle(a);
	keys(a, "Enter");
	settle(a);
	ok(strstr(a->status, "the window already") != NULL, "which is the window: %s", a->status);
	stop(a);
}

/* Any key in any order at any size; the seed is fixed. */
static void test_random(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);
	uint32_t seed = 7;
	int broken = 0, lost = 0;
	enum { STEPS = 6000 };

	settle(a);
	for (int i = 0; i < STEPS; i++) {
		unsigned k = next_random(&seed) % a->keymap.n;
		enum action act = a->keymap.v[k].action;
		char name[16];

		if (i % 9 == 0)
			app_resize(a, 1 + (int)(next_random(&seed) % 220), 1 + (int)(next_random(&seed) % 70));
		if (act == ACT_SUSPEND || act == ACT_WRITE || act == ACT_QUIT || act == ACT_CANCEL)
			continue;
		app_key(a, a->keymap.v[k].key);
		if (i % 3 == 0)
			settle(a);
		else
			app_turn(a);
		if (!frame_whole(a) && !broken++)
			diag("step %d, %dx%d, key %s in %s", i, a->grid.w, a->grid.h, keymap_key_name(a->keymap.v[k].key, name, sizeof(name)),
				pane_registry[a->here.pane]->id);
		if (!cursor_visible(a) && !lost++)
			diag("step %d, %dx%d, key %s in %s", i, a->grid.w, a->grid.h, keymap_key_name(a->keymap.v[k].key, name, sizeof(name)),
				pane_registry[a->here.pane]->id);
		a->quit = false;
	}
	is_int(broken, 0, "%d keys at random sizes: nothing is drawn outside its rectangle", STEPS);
	is_int(lost, 0, "and the row of the cursor is always visible");
	stop(a);
}

static void test_report(void)
{
	struct ui_opts o;
	struct app *a = start(&o, 80, 24);

	settle(a);
	keys(a, "R");
	ok(grid_find(&a->grid, "6 reports of 1 sources"), "R shows where the reports are");
	run(a, "sources");
	ok(grid_find(&a->grid, "run/trace.json"), "sources by name");
	keys(a, "?");
	ok(grid_find(&a->grid, "Sources:") && grid_find(&a->grid, "Keys of this pane"), "help is about the pane that asked");
	ok(run(a, "search previous") && grid_find(&a->grid, "/previous  1 of "), "a search in a text counts its lines");
	keys(a, "Esc");
	keys(a, "? m a 3 ' a");
	is_int(a->here.pane, PANE_SOURCES, "a mark brings back");
	stop(a);
}

static void test_script(void)
{
	struct ui_opts o;
	struct err e = ERR_INIT;
	struct app *a = start(&o, 80, 24);
	FILE *f = fopen(script_path, "w");
	int ended_by;

	stop(a);
	fputs("# a comment\nkey 3\nexpect GEMM\nreject nonsense\nexpect nonsense\n", f);
	fclose(f);
	is_int(ui_run(&o, &ended_by, &e), 1, "an expectation that fails ends the script with 1");
	ok(strstr(e.text, ":5: ") && strstr(e.text, "nonsense"), "and names the line: %s", e.text);
	f = fopen(script_path, "w");
	fputs("set ascii\nkey 2\nreject ─\nexpect GPU0 s7\nq\n", f);
	fclose(f);
	e = (struct err)ERR_INIT;
	is_int(ui_run(&o, &ended_by, &e), 0, "a script that holds ends with 0 (%s)", e.text);
}

int main(void)
{
	struct err e = ERR_INIT;
	int fd;

	rules = rulebook_new(&e);
	if (!rules) {
		fail("rules: %s", e.text);
		return done_testing();
	}
	snprintf(script_path, sizeof(script_path), "/tmp/profdive-ui-XXXXXX");
	fd = mkstemp(script_path);
	close(fd);
	test_loading();
	test_walk();
	test_kernels();
	test_table();
	test_report();
	test_callers();
	test_two_files();
	test_split();
	test_figures();
	test_columns();
	test_settings();
	test_config();
	test_no_steps();
	test_detail();
	test_reload();
	test_sizes();
	test_every_key();
	test_enter_ends();
	test_random();
	test_script();
	unlink(script_path);
	session_free(P.session);
	rulebook_free(rules);
	return done_testing();
}
