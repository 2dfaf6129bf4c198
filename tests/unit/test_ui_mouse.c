/* test_ui_mouse.c - clicks on tabs, on the strip of steps, on titles of columns; panes by number and name. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "findings/rulebook.h"
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"
#include "tests/lib/ui_run.h"

static char *screen(const struct app *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	grid_dump_text(&a->grid, f);
	fclose(f);
	return text;
}

static void click(struct app *a, int x, int y)
{
	app_mouse(a, &(struct term_event){UK_MOUSE, x, y, 1});
	settle(a);
}

/* Column of a text on a line of the screen; -1: it is not there. */
static int column_of(const struct app *a, int y, const char *text)
{
	char *all = screen(a), *line = all;
	const char *at;
	int x = -1;

	for (int i = 0; i < y; i++)
		line = strchr(line, '\n') + 1;
	*strchr(line, '\n') = '\0';
	at = strstr(line, text);
	if (at)
		x = (int)text_width(line, (size_t)(at - line));
	free(all);
	return x;
}

static void test_mouse(struct app *a)
{
	struct err e = ERR_INIT;
	int count;

	click(a, column_of(a, 2, "3 Kernels"), 2);
	is_int(a->here.pane, PANE_KERNELS, "a click on a tab goes to its pane");
	click(a, column_of(a, 2, "4 Ops") + 2, 2);
	is_int(a->here.pane, PANE_OPS, "also on its title");
	app_key(a, 't');
	settle(a);
	count = column_of(a, 4, "Count");
	ok(count > 0, "the flat table of ops has titles");
	click(a, count, 4);
	ok(column_of(a, 4, "Count▾") > 0, "a click on a title sorts by it");
	click(a, count, 4);
	ok(column_of(a, 4, "Count▴") > 0, "a second one the other way round");
	click(a, 8 + 2, 1);
	ok(a->here.scope.window == WINDOW_STEPS && a->here.scope.step_a == 5,
	   "a click on the third cell of the strip chooses the third step, 5: %d",
	   (int)a->here.scope.step_a);
	command_run(a, "3", &e);
	settle(a);
	is_int(a->here.pane, PANE_KERNELS, ":3 is the third pane");
	command_run(a, "findings", &e);
	settle(a);
	is_int(a->here.pane, PANE_FINDINGS, ":findings is the pane of that name");
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	struct session *s = fake_session();
	struct app *a = xcalloc(1, sizeof(*a));
	struct ui_opts o = {.provider = made_provider(s),
			    .rules = r,
			    .title = "run/",
			    .script = "none",
			    .script_text = "",
			    .width = 80,
			    .height = 24};

	scope_init(&o.scope);
	o.scope.window = WINDOW_ALL;
	if (!app_init(a, &o, NULL, &e) || !settle(a))
		fail("%s", e.text);
	else
		test_mouse(a);
	app_fini(a);
	free(a);
	session_free(s);
	rulebook_free(r);
	return done_testing();
}
