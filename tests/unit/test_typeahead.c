/*
 * test_typeahead.c - keys typed faster than tables are computed do what they do when typed slowly: 200
 * random bursts before the first table is there, against the same keys with a wait behind each.
 */
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"

#include <poll.h>
#include <unistd.h>

#include "base/mem.h"
#include "findings/rulebook.h"
#include "ui/app/app_impl.h"

static struct session *session;
static struct rulebook *rules;
static char script_path[64];

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

static struct app *start(struct ui_opts *o)
{
	struct app *a = xcalloc(1, sizeof(*a));
	struct err e = ERR_INIT;

	memset(o, 0, sizeof(*o));
	o->provider = (struct ui_provider){.poll = fake_poll, .take = fake_take};
	o->rules = rules;
	scope_init(&o->scope);
	o->scope.window = WINDOW_ALL;
	o->title = "run/";
	o->script = script_path;
	o->width = 80;
	o->height = 24;
	if (!app_init(a, o, NULL, &e)) {
		diag("%s", e.text);
		exit(1);
	}
	app_turn(
		a); /* takes the session; nothing is computed that could be collected before the next turn */
	return a;
}

static void settle(struct app *a)
{
	for (int i = 0; i < 400; i++) {
		struct pollfd fd = {work_fd(a->work), POLLIN, 0};

		app_turn(a);
		if (app_idle(a) || a->quit)
			return;
		poll(&fd, 1, 50);
	}
	fail("still busy with %s, %u keys wait", work_what(a->work), a->typed.n);
}

static void type(struct app *a, ui_key k)
{
	app_input(a, &(struct term_event){.key = k});
}

/* The screen without the status line: that tells of waiting keys in one of two. Heap. */
static char *screen(struct app *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	a->status[0] = '\0';
	a->dirty = true;
	app_turn(a);
	grid_dump_text(&a->grid, f);
	grid_dump_styles(&a->grid, f);
	fclose(f);
	return text;
}

static void stop(struct app *a)
{
	app_fini(a);
	free(a);
}

static char *screen_after(const ui_key *keys, int n, bool slowly, unsigned *most)
{
	struct ui_opts o;
	struct app *a = start(&o);
	char *text;

	if (slowly)
		settle(a);
	for (int i = 0; i < n && !a->quit; i++) {
		type(a, keys[i]);
		if (a->typed.n > *most)
			*most = a->typed.n;
		if (slowly)
			settle(a);
	}
	settle(a);
	text = screen(a);
	stop(a);
	return text;
}

static void tell_difference(const char *names, const char *fast, const char *want)
{
	size_t i = 0, line = 0;

	for (; fast[i] && fast[i] == want[i]; i++)
		if (fast[i] == '\n')
			line = i + 1;
	diag("burst%s: %.*s", names, (int)strcspn(fast + line, "\n"), fast + line);
	diag("slowly: %.*s", (int)strcspn(want + line, "\n"), want + line);
}

static void test_bursts(void)
{
	static const char typed[] = "123456789\r\r\r\rjjjkGgtTpIi%<>n][}{eEcC.,+-v:/&";
	uint32_t seed = 20;
	unsigned waited = 0, slow = 0, same = 0;

	for (int round = 0; round < 200; round++) {
		ui_key keys[8];
		int n = 0;
		char *fast, *want, names[128] = "", name[16];

		for (; n < 8 && (n < 2 || seed / 65536 % 5); n++) {
			seed = seed * 1103515245u + 12345u;
			keys[n] = (ui_key)typed[seed / 65536 % (sizeof(typed) - 1)];
			strcat(strcat(names, " "), keymap_key_name(keys[n], name, sizeof(name)));
		}
		want = screen_after(keys, n, true, &slow);
		fast = screen_after(keys, n, false, &waited);
		if (!strcmp(fast, want))
			same++;
		else
			tell_difference(names, fast, want);
		free(fast);
		free(want);
	}
	is_int(same, 200, "bursts that end as the same keys typed slowly");
	ok(waited > 1, "keys had to wait: up to %u at once", waited);
	is_int(slow, 0, "typed slowly none waits");
}

static void test_escape(void)
{
	struct ui_opts o;
	struct app *a = start(&o);

	type(a, '3');
	is_int(a->here.pane, PANE_KERNELS, "a digit acts at once");
	type(a, KEY_ENTER_);
	type(a, 'j');
	type(a, '4');
	is_int(a->typed.n, 3, "Enter waits for the table, and what comes behind waits for Enter");
	is_str(a->status, "3 keys wait for the table; Esc drops them", "the status line says so");
	type(a, KEY_ESC_);
	is_int(a->typed.n, 0, "Esc drops them");
	is_int(a->here.pane, PANE_KERNELS, "and does nothing else");
	settle(a);
	is_int(a->here.pane, PANE_KERNELS, "nothing comes later");
	stop(a);
}

static void test_quit(void)
{
	struct ui_opts o;
	struct app *a = start(&o);

	type(a, '3');
	type(a, KEY_ENTER_);
	type(a, 'Q');
	ok(a->quit, "Q leaves at once, whatever waits");
	stop(a);
}

static void test_too_many(void)
{
	struct ui_opts o;
	struct app *a = start(&o);

	type(a, '3');
	for (int i = 0; i < TYPED_MAX + 5; i++)
		type(a, 'j');
	is_int(a->typed.n, TYPED_MAX, "no more than there is room for wait");
	ok(a->status_error && strstr(a->status, "this one is lost"), "who types more is told: %s",
	   a->status);
	settle(a);
	is_int(a->typed.n, 0, "they come when the table is there");
	stop(a);
}

int main(void)
{
	struct err e = ERR_INIT;

	rules = rulebook_new(&e);
	snprintf(script_path, sizeof(script_path), "/tmp/profdive-typed-XXXXXX");
	close(mkstemp(script_path));
	session = fake_session();
	session->generation += 10;
	test_escape();
	test_quit();
	test_too_many();
	test_bursts();
	unlink(script_path);
	session_free(session);
	rulebook_free(rules);
	return done_testing();
}
