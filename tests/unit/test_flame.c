/* test_flame.c - flame graphs: where boxes lie, by hand; what is drawn stays inside; editors get the path as one argument */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "tests/lib/tap.h"
#include "ui/screen/editor.h"
#include "ui/widgets/flame.h"
#include "ui/work/flame.h"

static const struct column_def cols[] = {
	{ "function", "Function", UNIT_TEXT, COL_KEY | COL_NAME, 0, "" }, { "total_ns", "Total", UNIT_NS, 0, 0, "" },
	{ "samples", "Samples", UNIT_COUNT, 0, 0, "" }, { "framework", "Fw", UNIT_TEXT, 0, 0, "" }, { "file", "File", UNIT_TEXT, 0, 0, "" },
	{ "line", "Line", UNIT_ID, 0, 0, "" },
};

static uint32_t add(struct table *t, uint32_t parent, const char *func, int64_t ns, int64_t samples)
{
	uint32_t row = table_row(t);

	table_set_parent(t, row, parent);
	table_cstr(t, row, 0, func);
	table_i64(t, row, 1, ns);
	table_i64(t, row, 2, samples);
	table_cstr(t, row, 3, "P");
	return row;
}

/*
 *	main 0..100 (4 samples)			0..4 samples
 *	  a 0..60 (1)	 b 60..90 (3)		0..1	1..4
 *	    c 0..20 (1)	   d 60..90 (2)		0..1	1..3
 *	other 100..150 (0 samples: no box then)
 */
static struct table *small(void)
{
	struct table *t = table_new("stacks", cols, 6);
	uint32_t main = add(t, ROW_NONE, "main", 100, 4), a = add(t, main, "a", 60, 1);

	add(t, a, "c", 20, 1);
	add(t, add(t, main, "b", 30, 3), "d", 30, 2);
	add(t, ROW_NONE, "other", 50, 0);
	return t;
}

static void test_places(void)
{
	static const struct {
		enum flame_weight w;
		uint32_t level;
		int64_t at;
		uint32_t row, next;
	} want[] = {
		{ FLAME_TIME, 0, 0, 0, 5 }, { FLAME_TIME, 0, 99, 0, 5 }, { FLAME_TIME, 0, 100, 5, ROW_NONE }, { FLAME_TIME, 0, 150, ROW_NONE, ROW_NONE },
		{ FLAME_TIME, 1, 59, 1, 3 }, { FLAME_TIME, 1, 60, 3, ROW_NONE }, { FLAME_TIME, 1, 90, ROW_NONE, ROW_NONE },
		{ FLAME_TIME, 2, 20, ROW_NONE, 4 }, { FLAME_TIME, 2, 89, 4, ROW_NONE }, { FLAME_TIME, 3, 0, ROW_NONE, ROW_NONE },
		{ FLAME_SAMPLES, 0, 3, 0, ROW_NONE }, { FLAME_SAMPLES, 0, 4, ROW_NONE, ROW_NONE }, { FLAME_SAMPLES, 1, 1, 3, ROW_NONE },
		{ FLAME_SAMPLES, 2, 3, ROW_NONE, ROW_NONE },
	};
	struct table *t = small();
	struct flame *f = flame_make(t);

	is_int(f->whole[FLAME_TIME], 150, "whole, time");
	is_int(f->whole[FLAME_SAMPLES], 4, "whole, samples");
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		uint32_t next;

		is_int(flame_at(f, t, want[i].w, want[i].level, want[i].at, &next), want[i].row, "%zu: the box", i);
		is_int(next, want[i].next, "%zu: the next one", i);
	}
	flame_free(f);
	table_free(t);
}

/* ---- drawing ---- */

struct shown {
	struct result res;
	struct wtable w;
	struct wflame f;
	struct grid g;
	struct pane p;
};

static void show(struct shown *s, struct table *t, int width, int height)
{
	memset(s, 0, sizeof(*s));
	s->res.table = t;
	s->res.users = 2;
	s->w.res = &s->res;
	s->w.prep = prep_make(t, 1, -1, false, "");
	s->f.row = s->f.zoom = ROW_NONE;
	s->p.cols = width;
	s->p.page_rows = height;
	grid_init(&s->g, width, height);
	wflame_take(&s->f, &s->w);
}

static void hide(struct shown *s)
{
	prep_free(s->w.prep);
	grid_fini(&s->g);
	table_free(s->res.table);
}

static void draw(struct shown *s)
{
	struct canvas c;

	grid_clear(&s->g);
	s->g.work = 0;
	c = canvas_whole(&s->g);
	wflame_draw(&s->f, &s->w, &c, "empty");
}

static void line_is(const struct shown *s, int y, const char *want, const char *what)
{
	char got[256];
	size_t n = 0;

	for (int x = 0; x < s->g.w && x < 255; x++)
		got[n++] = s->g.cells[y * s->g.w + x].s[0];
	while (n && got[n - 1] == ' ')
		n--;
	got[n] = '\0';
	is_str(got, want, "%s", what);
}

static void act(struct shown *s, enum action a)
{
	struct outcome out = { 0 };

	wflame_act(&s->f, &s->w, &s->p, a, &out);
}

/* 30 columns for 150 ns: a column is 5 ns; c has 4 columns and a right edge where nothing follows, b and d have 6. */
static void test_drawing(void)
{
	struct shown s;

	show(&s, small(), 30, 6);
	draw(&s);
	line_is(&s, 0, ">P main             |P other", "roots side by side");
	line_is(&s, 1, "|P a        |P b  |", "children from the left edge of their parent");
	line_is(&s, 2, "|P  |       |P d  |", "a narrow box has its letter only");
	ok(s.g.work == 6, "6 boxes, %u units of work", s.g.work);
	act(&s, ACT_DOWN);
	act(&s, ACT_RIGHT);
	is_int(s.f.row, 3, "down to the widest, right to its neighbour");
	act(&s, ACT_ENTER);
	draw(&s);
	line_is(&s, 0, "|P main", "zoomed: callers over the whole width");
	line_is(&s, 1, ">P b", "zoomed: the box too");
	line_is(&s, 2, "|P d", "zoomed: what is below");
	act(&s, ACT_ZOOM_OUT);
	is_int(s.f.zoom, 0, "out: the caller has the width");
	act(&s, ACT_ZOOM_ALL);
	act(&s, ACT_SORT_NEXT);
	draw(&s);
	/* 4 samples: 7.5 columns each; the middles of columns 0 to 7 lie in the first */
	line_is(&s, 1, "|P a   >P b", "by samples");
	hide(&s);
}

/* 10,000 levels; the cursor's box is always there, and a frame costs the screen, not the tree. */
static void test_deep(void)
{
	struct table *t = table_new("stacks", cols, 6);
	struct shown s;
	char want[32];

	for (uint32_t i = 0; i < 10000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		add(t, i ? i - 1 : ROW_NONE, name, 10000 - i, 1);
	}
	show(&s, t, 40, 10);
	act(&s, ACT_END);
	is_int(s.f.row, 9999, "the end is the innermost frame");
	draw(&s);
	ok(s.g.work <= 80, "8 levels are drawn: %u units of work", s.g.work);
	act(&s, ACT_PAGE_UP);
	act(&s, ACT_ENTER);
	draw(&s);
	snprintf(want, sizeof(want), ">P f%u", s.f.row);
	ok(grid_find(&s.g, want), "the box of the cursor is on the screen: %s", want);
	hide(&s);
}

/* Any size, any zoom: no cell outside, no crash; every row of the tree can be gone to. */
static void test_sizes(void)
{
	static const int sizes[][2] = { { 80, 24 }, { 40, 10 }, { 200, 60 }, { 1, 1 }, { 2, 3 }, { 20, 6 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct shown s;
		bool seen = true;

		show(&s, small(), sizes[i][0], sizes[i][1]);
		for (uint32_t row = 0; row < 6; row++) {
			wflame_goto_key(&s.f, &s.w, s.w.prep->keys[row]);
			draw(&s);
			seen &= s.f.row == row;
			act(&s, ACT_ENTER);
			draw(&s);
		}
		ok(seen, "%dx%d", sizes[i][0], sizes[i][1]);
		hide(&s);
	}
}

/* a 60 and d 30: 90 of 150; main above them does not match */
static void test_search(void)
{
	struct needle n = { 0 };
	struct shown s;
	char say[80] = "";

	show(&s, small(), 30, 6);
	needle_set(&n, "^[ad]$");
	ok(wflame_find(&s.f, &s.w, &n, 0, say, sizeof(say)) && s.f.row == 1, "the first match is a");
	is_str(say, "1 of 2, 60.0 % of all", "what the matches take");
	ok(wflame_find(&s.f, &s.w, &n, 1, say, sizeof(say)) && s.f.row == 4, "the next is d");
	act(&s, ACT_ENTER);
	ok(wflame_find(&s.f, &s.w, &n, 1, say, sizeof(say)) && s.f.row == 1 && s.f.zoom == ROW_NONE, "outside the zoom: all is shown");
	needle_set(&n, "main|a");
	wflame_find(&s.f, &s.w, &n, 0, say, sizeof(say));
	is_str(say, "2 of 2, 66.7 % of all", "a match below a match counts once: 100 of 150");
	needle_fini(&n);
	hide(&s);
}

/* ---- editors ---- */

static void argv_is(const char *editor, const char *path, int64_t line, const char *const *want, const char *what)
{
	struct err e = ERR_INIT;
	char **argv = editor_argv(editor, path, strlen(path), line, &e);
	size_t i = 0;

	for (; argv && argv[i] && want[i]; i++)
		is_str(argv[i], want[i], "%s: argument %zu", what, i);
	ok(argv && !argv[i] && !want[i], "%s: %zu arguments %s", what, i, e.text);
	editor_argv_free(argv);
}

static void test_editor(void)
{
	char name[] = "-x; touch gone $(id) 'q'.py";
	struct err e = ERR_INIT;
	FILE *f = fopen(name, "w");

	if (f)
		fclose(f);
	argv_is("vim", name, 12, (const char *const[]){ "vim", "+12", "./-x; touch gone $(id) 'q'.py", NULL }, "a path like an option");
	argv_is(" emacsclient  -t ", name, 0, (const char *const[]){ "emacsclient", "-t", "./-x; touch gone $(id) 'q'.py", NULL }, "no line");
	argv_is("/usr/bin/code -w", name, 7, (const char *const[]){ "/usr/bin/code", "-w", "--goto", "./-x; touch gone $(id) 'q'.py:7", NULL },
		"an editor with PATH:LINE");
	unlink(name);
	ok(!editor_argv("vim", name, strlen(name), 1, &e) && strstr(e.text, "no such file"), "a file that is not here: %s", e.text);
	ok(!editor_argv(" ", "/", 1, 1, &e) && strstr(e.text, "EDITOR"), "no editor: %s", e.text);
	ok(!editor_argv("vim", "a\0b", 3, 1, &e), "a NUL in the path");
}

int main(void)
{
	test_places();
	test_drawing();
	test_deep();
	test_sizes();
	test_search();
	test_editor();
	return done_testing();
}
