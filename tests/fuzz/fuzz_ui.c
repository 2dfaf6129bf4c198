/*
 * fuzz_ui.c - the explorer without a terminal: the first byte chooses a size, the rest are lines of a key script (a line that is
 * no command is typed key by key). Whatever happens, the screen holds printable characters only.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/ui_fake.h"
#include "ui/app/app_impl.h"

static struct session *session;

static uint64_t fake_poll(void *arg, struct ui_progress *pr)
{
	(void)arg;
	memset(pr, 0, sizeof(*pr));
	return session->generation;
}

static struct session *fake_take(void *arg)
{
	(void)arg;
	return session_clone(session);
}

static void fake_cancel(void *arg)
{
	(void)arg;
}

static bool fake_write(void *arg, const struct an_ctx *cx, const struct scope *sc, char *done, size_t cap, struct err *e)
{
	(void)arg;
	(void)sc;
	(void)e;
	snprintf(done, cap, "6 files of %u sources", cx->session->n_sources);
	return true;
}

static void settle(struct app *a)
{
	for (int i = 0; i < 100 && !a->quit; i++) {
		struct pollfd fd = { work_fd(a->work), POLLIN, 0 };

		app_turn(a);
		if (app_idle(a))
			return;
		poll(&fd, 1, 50);
	}
}

static void check_screen(const struct app *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	grid_dump_text(&a->grid, f);
	fclose(f);
	fuzz_check_printed(text, n, "\n");
	free(text);
}

static void do_line(struct app *a, const char *line)
{
	struct err e = ERR_INIT;

	if (!command_run(a, line, &e))
		for (const char *p = line; *p && p < line + 64 && !a->quit; p++)
			if (*p != 26)	/* ^Z stops the process */
				app_key(a, (unsigned char)*p);
	settle(a);
}

static void run(const char *title, int w, int h, char *text)
{
	struct app *a = xcalloc(1, sizeof(*a));
	struct ui_opts o = { .provider = { .poll = fake_poll, .take = fake_take, .cancel = fake_cancel }, .report = { NULL, NULL, fake_write } };
	struct err e = ERR_INIT;
	char *at = NULL;
	int lines = 0;

	o.rules = fuzz_rules();
	o.title = title;
	o.script = "none";
	o.script_text = "";
	o.width = w;
	o.height = h;
	scope_init(&o.scope);
	o.scope.window = WINDOW_ALL;
	fuzz_hold(app_init(a, &o, NULL, &e), "%s", e.text);
	settle(a);
	for (char *s = strtok_r(text, "\n", &at); s && !a->quit && lines < 40; s = strtok_r(NULL, "\n", &at), lines++)
		do_line(a, s);
	check_screen(a);
	app_fini(a);
	free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int sizes[][2] = { { 80, 24 }, { 20, 6 }, { 1, 1 }, { 200, 50 }, { 40, 12 }, { 132, 5 }, { 11, 60 }, { 79, 23 } };
	char *text;
	int here;

	if (!session)
		session = fake_session();
	if (!size || size > 2048)
		return 0;
	text = xmemdup0((const char *)data + 1, size - 1);
	for (size_t i = 0; i + 1 < size; i++)
		if (text[i] == '/')	/* no path to anywhere else */
			text[i] = '_';
	/* a folder in which nothing can be made and no file is worth reading: `w` and `:source` find no place */
	here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fuzz_hold(here >= 0 && chdir("/proc/self/ns") == 0, "no /proc");
	run("made \x1b[31m\xff", sizes[data[0] % 8][0], sizes[data[0] % 8][1], text);
	fuzz_hold(fchdir(here) == 0, "no way back");
	close(here);
	free(text);
	text_set_ascii(false);
	return 0;
}
