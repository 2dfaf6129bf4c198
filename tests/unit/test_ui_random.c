/*
 * test_ui_random.c - the explorer under random sizes and keys: whatever is pressed, in whatever order, each pane draws within its own
 * rectangle, and the row or lane under the cursor is in sight. The numbers are the same in each run.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "findings/rulebook.h"
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"
#include "tests/lib/ui_run.h"
#include "ui/panes/panes.h"
#include "ui/panes/timeline/pane.h"
#include "ui/screen/style.h"

enum { ROUNDS = 40, KEYS = 150, NAMES = 90 };
static struct session *session;
static uint32_t seed = 11;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Four steps with many names each, wide and foreign ones among them: tables are longer than the screen. */
static struct profile *many(void)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 100, 100), other = builder_thread(b, 100, 101);
	track_id marks = builder_host_track(b, LAYER_ANNOT, th, ID_NONE, 0), ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0), py = builder_host_track(b, LAYER_PYTHON, other, ID_NONE, 0);
	track_id kernels = builder_gpu_track(b, LAYER_KERNEL, 100, 0, 0, 7, 0);
	struct profile *p;
	char name[96];

	for (int s = 0; s < FAKE_STEPS; s++) {
		snprintf(name, sizeof(name), "ProfilerStep#%d", s);
		fake_event(b, marks, name, s * 1000, 1000, CORR_NONE, ID_NONE);
		for (int i = 0; i < NAMES; i++) {
			uint64_t corr = (uint64_t)(s * NAMES + i + 1);
			ns_t t = s * 1000 + i * 11;

			snprintf(name, sizeof(name), i % 7 ? "aten::op_%d" : "\xe6\x93\x8d\xe4\xbd\x9c\xe6\x93\x8d\xe4\xbd\x9c %d \x1b[31m\xff", i);
			fake_event(b, ops, name, t, 9, CORR_NONE, ID_NONE);
			fake_event(b, ops, "aten::inner", t + 1, 5, CORR_NONE, ID_NONE);
			fake_event(b, calls, i % 9 ? "cudaLaunchKernel" : "cudaStreamSynchronize", t + 2, 2, corr, 0);
			snprintf(name, sizeof(name), "void kernel_%d<float, 4, \xe6\xa0\xb8>(int, float const*)", i);
			if (i % 9)
				fake_event(b, kernels, name, t + 4, 6, corr, ID_NONE);
			snprintf(name, sizeof(name), "file_%d.py(%d): function_%d", i % 5, i, i);
			fake_event(b, py, name, t, 10, CORR_NONE, ID_NONE);
		}
	}
	builder_set_format(b, FORMAT_TORCH);
	builder_set_producer(b, "torch.profiler (Kineto)", NULL);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* ---- what holds ------------------------------------------------------------------------------------------- */

static struct rect body_of(const struct app *a, int i)
{
	struct rect r = a->layout.pane[i];
	int head = a->layout.n_panes > 1 && r.h > 1;

	return (struct rect){ r.x, r.y + head, r.w, r.h - head };
}

static bool inside(struct rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

/* Draws the pane alone over a field of marks: those around its rectangle stay. */
static bool stays_within(const struct app *a, int i)
{
	const struct pane *p = &a->panes[a->shown[i]];
	struct rect r = body_of(a, i);
	struct grid g;
	struct canvas whole, body;
	bool good = true;

	if (r.w < 1 || r.h < 1)
		return true;
	grid_init(&g, a->grid.w, a->grid.h);
	g.ascii = a->grid.ascii;
	whole = canvas_whole(&g);
	for (int y = 0; y < g.h; y++)
		canvas_fill(&whole, 0, y, g.w, ST_ERROR, ATTR_DIM, "X");
	body = canvas_sub(&whole, r);
	p->ops->draw(p, &body);
	for (int y = 0; y < g.h; y++)
		for (int x = 0; x < g.w; x++) {
			const struct canvas_cell *c = &g.cells[y * g.w + x];

			good &= inside(r, x, y) || (c->s[0] == 'X' && c->style == ST_ERROR && c->attrs == ATTR_DIM);
		}
	grid_fini(&g);
	return good;
}

static bool has_cursor(const struct pane *p)
{
	uint32_t row;

	if (p->rows < 4 || p->cols < 20 || p->ops->where & IN_TEXT)
		return false;
	if (p->ops == &pane_timeline)
		return timeline_of(p)->lanes.n > 0;
	if (p->ops->told)
		return p->ops->told(p, &row) != NULL;
	return p->ops->row && p->ops->row(p) != ROW_NONE && p->ops->table && p->ops->table(p, NULL) && !p->pending;
}

static bool cursor_in_sight(const struct app *a)
{
	struct rect r = body_of(a, a->focus);

	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++) {
			const struct canvas_cell *c = &a->grid.cells[y * a->grid.w + x];

			if ((c->attrs | style_get(c->style)->attrs) & ATTR_REVERSE)
				return true;
		}
	return false;
}

/* ---- keys --------------------------------------------------------------------------------------------------- */

/* A key of the key map more often than another; none that stops the process, writes a file or opens an editor. */
static ui_key some_key(const struct app *a)
{
	static const enum action never[] = { ACT_SUSPEND, ACT_WRITE, ACT_EDIT, ACT_REPORT };
	ui_key k = rnd(5) ? a->keymap.v[rnd(a->keymap.n)].key : rnd(4) ? 32 + rnd(95) : rnd(2) ? 0x4e2d : KEY_ESC_;

	if (a->prompt.kind != PROMPT_NONE)
		return k == ':' ? KEY_ESC_ : k;
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (keymap_find(&a->keymap, k) == never[i])
			return 'j';
	return k;
}

struct seen {
	unsigned shown[PANE_N], cursors, outside, hidden;
	char what[160];
};

static void look(struct app *a, struct seen *s, ui_key k)
{
	char name[16];

	s->shown[a->shown[a->focus]]++;
	for (int i = 0; i < a->layout.n_panes; i++) {
		if (stays_within(a, i))
			continue;
		s->outside++;
		snprintf(s->what, sizeof(s->what), "%s at %dx%d after %s", a->panes[a->shown[i]].ops->id, a->grid.w, a->grid.h,
			keymap_key_name(k, name, sizeof(name)));
	}
	if (!has_cursor(&a->panes[a->shown[a->focus]]))
		return;
	s->cursors++;
	if (cursor_in_sight(a))
		return;
	s->hidden++;
	snprintf(s->what, sizeof(s->what), "%s at %dx%d after %s", a->panes[a->shown[a->focus]].ops->id, a->grid.w, a->grid.h,
		keymap_key_name(k, name, sizeof(name)));
}

static void run(const struct rulebook *r, struct seen *s)
{
	struct app *a = xcalloc(1, sizeof(*a));
	struct ui_opts o = { .provider = made_provider(session), .rules = r, .title = "made",
		.script = "none", .script_text = "", .width = 80, .height = 24 };
	struct err e = ERR_INIT;

	scope_init(&o.scope);
	if (!app_init(a, &o, NULL, &e)) {
		fail("%s", e.text);
		free(a);
		return;
	}
	if (!settle(a))
		fail("still busy with %s", work_what(a->work));
	for (int i = 0; i < KEYS; i++) {
		ui_key k = some_key(a);

		if (rnd(6) == 0)
			app_resize(a, 1 + (int)rnd(rnd(3) ? 100 : 220), 1 + (int)rnd(rnd(3) ? 30 : 70));
		app_key(a, k);
		a->quit = false;
		if (!settle(a))
			fail("still busy with %s", work_what(a->work));
		look(a, s, k);
	}
	app_fini(a);
	free(a);
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	struct seen s = { { 0 }, 0, 0, 0, "" };
	unsigned panes = 0;

	unsetenv("VISUAL");
	unsetenv("EDITOR");
	/* nothing can be written there */
	if (chdir("/proc/self/ns") != 0)
		diag("no /proc");
	session = session_new();
	session_put(session, session_add(session, "run/trace.json"), many(), SOURCE_READY);
	for (int i = 0; i < ROUNDS; i++)
		run(r, &s);
	for (int i = 0; i < PANE_N; i++)
		panes += s.shown[i] > 0;
	diag("%d keys, %u panes, %u times with a cursor; the last that was wrong: %s", ROUNDS * KEYS, panes, s.cursors, s.what);
	ok(s.cursors > ROUNDS * KEYS / 3, "mostly with a row under the cursor");
	ok(panes >= PANE_N - 3, "nearly every pane was looked at");
	is_uint(s.outside, 0, "nothing is drawn outside of a pane's rectangle");
	is_uint(s.hidden, 0, "the row under the cursor is in sight");
	session_free(session);
	rulebook_free(r);
	return done_testing();
}
