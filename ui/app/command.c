/*
 * command.c - the language after ":", of scripts and of tests. Every action has a command of its name; those here take arguments.
 * What a key does and what a command does is the same code.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/map.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/text.h"
#include "ui/app/app_impl.h"
#include "ui/widgets/model_view.h"

typedef bool (*command_fn)(struct app *a, const char *arg, struct err *e);

static bool usage(struct err *e, const char *what)
{
	return err_set(e, ERR_USAGE, _("usage: %s"), what);
}

/* ---- places ---------------------------------------------------------------------------------------------- */

static bool cmd_goto(struct app *a, const char *arg, struct err *e)
{
	struct place to = a->here;
	int64_t ns;
	ns_t start, end;

	if (!num_parse_ns(arg, strlen(arg), &ns))
		return usage(e, "goto 12.5ms");
	if (!a->ctx.absolute && mv_window(&a->ctx, &a->here.scope, &start, &end))
		ns += start;
	to.pane = PANE_TIMELINE;
	to.ev = ID_NONE;
	to.cursor = ns;
	to.t0 = to.t1 = 0;
	app_go(a, &to);
	return true;
}

static bool cmd_step(struct app *a, const char *arg, struct err *e)
{
	int64_t n;
	uint32_t source;

	if (!num_parse_i64(arg, strlen(arg), &n))
		return usage(e, "step N");
	if (!mv_step(&a->ctx, &a->here.scope, n, &source))
		return err_set(e, ERR_USAGE, _("there is no step %" PRId64), n);
	app_goto_step(a, n);
	return true;
}

static bool cmd_window(struct app *a, const char *arg, struct err *e)
{
	struct scope sc = a->here.scope;

	if (!scope_parse_window(&sc, arg, e))
		return false;
	app_set_scope(a, &sc);
	return true;
}

static bool cmd_by(struct app *a, const char *arg, struct err *e)
{
	struct scope sc = a->here.scope;

	if (!scope_parse_by(&sc, arg, e))
		return false;
	app_set_scope(a, &sc);
	return true;
}

static bool cmd_device(struct app *a, const char *arg, struct err *e)
{
	struct scope sc = a->here.scope;

	if (!strcmp(arg, "all"))
		sc.device = SCOPE_ANY;
	else if (!num_parse_i64(arg, strlen(arg), &sc.device))
		return usage(e, "device N|all");
	app_set_scope(a, &sc);
	return true;
}

static bool cmd_thread(struct app *a, const char *arg, struct err *e)
{
	struct scope sc = a->here.scope;

	sc.pid = sc.tid = SCOPE_ANY;
	sc.roles = 0;
	if (strcmp(arg, "all") != 0 && !scope_parse_thread(&sc, arg, NULL))
		return usage(e, "thread TID|PID/TID|ROLE|all");
	app_set_scope(a, &sc);
	return true;
}

static bool cmd_file(struct app *a, const char *arg, struct err *e)
{
	struct scope sc = a->here.scope;
	int64_t n = 0;

	if (strcmp(arg, "all") != 0 && (!num_parse_i64(arg, strlen(arg), &n) || n < 1 || !a->ctx.session ||
	    n > (int64_t)a->ctx.session->n_sources))
		return usage(e, "file N|all");
	sc.source = (int32_t)n - 1;
	app_set_scope(a, &sc);
	return true;
}

static bool cmd_measure(struct app *a, const char *arg, struct err *e)
{
	if (!arg[0] || arg[1] != ' ' || !arg[2] || arg[3])
		return usage(e, "measure a b");
	app_measure(a, (ui_key)(unsigned char)arg[0], (ui_key)(unsigned char)arg[2]);
	return true;
}

static bool cmd_view(struct app *a, const char *arg, struct err *e)
{
	struct place to = a->here;
	int64_t n;

	if (!num_parse_i64(arg, strlen(arg), &n) || n < 1)
		return usage(e, "view N");
	to.sub = (int)n - 1;
	to.ev = ID_NONE;
	if (app_focused(a)->ops->restore)
		app_focused(a)->ops->restore(app_focused(a), &to);
	return true;
}

/* ---- tables ------------------------------------------------------------------------------------------------ */

static bool cmd_filter(struct app *a, const char *arg, struct err *e)
{
	(void)e;
	app_filter(a, arg);
	return true;
}

static bool cmd_search(struct app *a, const char *arg, struct err *e)
{
	(void)e;
	app_search(a, arg);
	return true;
}

static bool cmd_sort(struct app *a, const char *arg, struct err *e)
{
	struct pane *p = app_focused(a);

	if (!p->ops->sort)
		return err_set(e, ERR_USAGE, _("there is nothing to sort in %s"), _(p->ops->title));
	return p->ops->sort(p, arg, e);
}

static bool cmd_columns(struct app *a, const char *arg, struct err *e)
{
	struct pane *p = app_focused(a);

	if (!p->ops->columns)
		return err_set(e, ERR_USAGE, _("there are no columns to choose in %s"), _(p->ops->title));
	return p->ops->columns(p, arg, e);
}

/* ---- settings ------------------------------------------------------------------------------------------------ */

static bool cmd_set(struct app *a, const char *arg, struct err *e)
{
	enum setting_id id;
	const char *word;
	size_t n = 0;

	if (!*arg) {
		app_jump(a, PANE_SETTINGS);
		return true;
	}
	if (!settings_set(&a->set, arg, &id, e))
		return false;
	app_apply_settings(a);
	word = setting_word(id, a->set.v[id], &n);
	app_say(a, "%s %.*s", setting_get(id)->name, (int)n, word);
	return true;
}

static bool cmd_map(struct app *a, const char *arg, struct err *e)
{
	size_t n = strcspn(arg, " ");
	const char *name = arg + n + strspn(arg + n, " ");
	enum action act = action_find(name, strlen(name));
	ui_key k = keymap_key(arg, n);

	if (!k || (act == ACT_NONE && strcmp(name, "none") != 0))
		return usage(e, "map KEY ACTION|none");
	keymap_bind(&a->keymap, k, act);
	return true;
}

/* The line `at` of the file, which is called `name`. */
static void config_line(struct app *a, const char *name, size_t at, const char *line)
{
	const char *s = line + strspn(line, ": \t");
	size_t n = strcspn(s, " \t");
	bool set = n == 3 && !memcmp(s, "set", n), map = n == 3 && !memcmp(s, "map", n);
	struct err e = ERR_INIT;

	if (!n || *s == '#')
		return;
	s += n + strspn(s + n, " \t");
	if (!set && !map)
		app_fail(a, _("%s:%zu: only set and map stand here"), name, at);
	else if (!(set ? settings_set(&a->set, s, NULL, &e) : cmd_map(a, s, &e)))
		app_fail(a, "%s:%zu: %s", name, at, e.text);
}

void command_config(struct app *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;	/* the fault is read, not its folders */
	struct err e = ERR_INIT;
	size_t n, at = 0;
	char *text = file_read_all(path, UI_FILE_MAX, &n, &e), *next = text, *line;

	if (!text) {
		if (e.sys != ENOENT)
			app_fail(a, "%s", e.text);
		return;
	}
	while ((line = file_line(&next, text + n)))
		config_line(a, name, ++at, line);
	free(text);
}

/* ---- scripts and tests ------------------------------------------------------------------------------------------ */

static bool cmd_key(struct app *a, const char *arg, struct err *e)
{
	while (*arg) {
		size_t n = strcspn(arg, " ");
		ui_key k = keymap_key(arg, n);

		if (!k)
			return err_set(e, ERR_USAGE, _("there is no key \"%.*s\""), (int)n, arg);
		app_key(a, k);
		/* keys in a row act on what the pane wants by then, as typed ones do */
		app_want(a);
		arg += n;
		arg += strspn(arg, " ");
	}
	return true;
}

static bool cmd_type(struct app *a, const char *arg, struct err *e)
{
	size_t n = strlen(arg);

	(void)e;
	while (n) {
		uint32_t cp = 0;
		size_t len = text_decode(arg, n, &cp);

		if (!len)
			break;
		app_key(a, cp);
		arg += len;
		n -= len;
	}
	return true;
}

static bool cmd_expect(struct app *a, const char *arg, struct err *e)
{
	return grid_find(&a->grid, arg) || err_set(e, ERR_USAGE, _("not on the screen: %s"), arg);
}

static bool cmd_reject(struct app *a, const char *arg, struct err *e)
{
	return !grid_find(&a->grid, arg) || err_set(e, ERR_USAGE, _("on the screen: %s"), arg);
}

static uint64_t screen_hash(const struct app *a)
{
	return map_hash_bytes(a->grid.cells, sizeof(*a->grid.cells) * (size_t)a->grid.w * (size_t)a->grid.h);
}

static bool cmd_note(struct app *a, const char *arg, struct err *e)
{
	(void)arg;
	(void)e;
	a->noted = screen_hash(a);
	return true;
}

static bool cmd_answered(struct app *a, const char *arg, struct err *e)
{
	(void)arg;
	return screen_hash(a) != a->noted || a->status[0] || err_set(e, ERR_USAGE, "%s", _("nothing on the screen has changed, and nothing says why"));
}

static bool save(struct app *a, const char *path, void (*dump)(const struct grid *, FILE *), struct err *e)
{
	struct outset *set;
	FILE *f;
	bool done;

	if (!strcmp(path, "-")) {
		if (a->o->out)
			dump(&a->grid, a->o->out);
		return true;
	}
	set = outset_of(path, 0, &f, e);
	if (!set)
		return false;
	dump(&a->grid, f);
	done = outset_commit(set, e);
	outset_free(set);
	return done;
}

static bool cmd_save_screen(struct app *a, const char *arg, struct err *e)
{
	return save(a, *arg ? arg : "-", grid_dump_text, e);
}

static bool cmd_save_styles(struct app *a, const char *arg, struct err *e)
{
	return save(a, *arg ? arg : "-", grid_dump_styles, e);
}

static bool cmd_resize(struct app *a, const char *arg, struct err *e)
{
	int w, h;

	if (sscanf(arg, "%dx%d", &w, &h) != 2 || w < 1 || h < 1 || w > 2000 || h > 1000)
		return usage(e, "resize 80x24");
	app_resize(a, w, h);
	return true;
}

/* A path as typed: "~/" is the home. Returns buf, or the path itself. */
static const char *typed_path(const char *path, char *buf, size_t cap)
{
	const char *home = getenv("HOME");

	if (strncmp(path, "~/", 2) != 0 || !home || (size_t)snprintf(buf, cap, "%s%s", home, path + 1) >= cap)
		return path;
	return buf;
}

static bool cmd_source(struct app *a, const char *arg, struct err *e)
{
	char path[PATH_MAX];
	struct script *s = script_open(typed_path(arg, path, sizeof(path)), NULL, e);
	bool ok = s != NULL;

	while (ok && !script_done(s))
		ok = command_next(a, s, e);
	script_free(s);
	return ok;
}

static bool cmd_write_pane(struct app *a, const char *arg, struct err *e)
{
	char path[PATH_MAX];

	if (!*arg)
		return usage(e, "write-pane FILE");
	app_write(a, typed_path(arg, path, sizeof(path)));
	return true;
}

static bool cmd_w(struct app *a, const char *arg, struct err *e)
{
	char path[PATH_MAX];

	arg = *arg ? typed_path(arg, path, sizeof(path)) : a->session_path;
	if (!*arg || strlen(arg) >= sizeof(a->session_path))
		return usage(e, "w FILE");
	if (!session_file_write(a, arg, e))
		return false;
	if (arg != a->session_path)
		snprintf(a->session_path, sizeof(a->session_path), "%s", arg);
	app_say(a, _("session written; profdive --session %s"), arg);
	return true;
}

static const struct {
	const char *name;
	command_fn fn;
} commands[] = {
	{ "answered", cmd_answered }, { "by", cmd_by }, { "columns", cmd_columns }, { "device", cmd_device }, { "expect", cmd_expect }, { "file", cmd_file }, { "filter", cmd_filter },
	{ "go", app_go_to }, { "goto", cmd_goto }, { "key", cmd_key }, { "map", cmd_map }, { "measure", cmd_measure }, { "note", cmd_note }, { "reject", cmd_reject }, { "resize", cmd_resize },
	{ "save-screen", cmd_save_screen }, { "save-styles", cmd_save_styles }, { "search", cmd_search }, { "set", cmd_set },
	{ "sort", cmd_sort }, { "source", cmd_source }, { "step", cmd_step }, { "thread", cmd_thread }, { "type", cmd_type }, { "view", cmd_view },
	{ "w", cmd_w }, { "window", cmd_window }, { "write-pane", cmd_write_pane },
};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* Short names that hands know. */
static const struct {
	const char *name;
	enum action act;
} aliases[] = {
	{ "q", ACT_QUIT }, { "h", ACT_HELP }, { "export", ACT_REPORT },
};

static bool is_word(const char *line, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(line, word, n);
}

bool command_run(struct app *a, const char *line, struct err *e)
{
	size_t n;
	enum action act;
	enum pane_id pane;

	line += strspn(line, ": \t");
	n = strcspn(line, " \t");
	if (!n)
		return true;
	a->dirty = true;
	for (int i = 0; i < N_COMMANDS; i++) {
		/* an action of the same name is meant when there is no argument */
		if (!is_word(line, n, commands[i].name) || (!line[n] && action_find(line, n) != ACT_NONE))
			continue;
		line += n;
		return commands[i].fn(a, line + strspn(line, " \t"), e);
	}
	act = action_find(line, n);
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]) && act == ACT_NONE; i++)
		if (is_word(line, n, aliases[i].name))
			act = aliases[i].act;
	pane = act == ACT_NONE && !line[n] ? pane_by_name(&a->ctx, line, n) : PANE_N;
	if (pane != PANE_N) {
		app_jump(a, pane);
		return true;
	}
	if (act == ACT_NONE)
		return err_set(e, ERR_USAGE, _("no command \"%.*s\"; Tab completes, ? shows the keys"), (int)(n < 60 ? n : 60), line);
	a->status[0] = '\0';
	app_action(a, act);
	return true;
}

const char *command_name(unsigned k)
{
	return k < N_COMMANDS ? commands[k].name : NULL;
}

bool command_next(struct app *a, struct script *s, struct err *e)
{
	const char *line = script_next(s);

	return *line == '#' || command_run(a, line, e) || script_wrap(s, e);
}
