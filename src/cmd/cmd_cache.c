/* cmd_cache.c - profdive cache list|drop [PATH...]: what the reopen cache holds, and removing it */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "load/read/loader.h"
#include "reopen/folder.h"
#include "report/out.h"
#include "table/table.h"

enum { C_PATH, C_BYTES, C_EVENTS, C_USED, C_STATE, C_FILE, C_N };

static const struct column_def columns[C_N] = {
	[C_PATH] = { "path", N_("Source"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the profile that was loaded; without events: the first one of a session whose tables are kept") },
	[C_BYTES] = { "bytes", N_("Size"), UNIT_BYTES, 0, 1, N_("of the cache file") },
	[C_EVENTS] = { "events", N_("Events"), UNIT_COUNT, 0, 3, N_("of the profile") },
	[C_USED] = { "used", N_("Last used"), UNIT_TEXT, 0, 2, N_("UTC") },
	[C_STATE] = { "state", N_("State"), UNIT_TEXT, 0, 1,
		N_("ready, stale (the source has changed), gone (there is no source), old (of another build), damaged") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("name in the folder of the cache") },
};

/* Source file, or a folder above it. Absolute where it exists, else as it was given. */
struct cmd_cache_wanted {
	char **paths;
	size_t n;
};

static char *absolute(const char *path)
{
	char *real = realpath(path, NULL), *cwd, *s;

	if (real || *path == '/')
		return real ? real : xstrdup(path);
	cwd = getcwd(NULL, 0);
	s = xasprintf("%s/%s", cwd ? cwd : "", path);
	free(cwd);
	return s;
}

static void wanted_init(struct cmd_cache_wanted *w, const struct invocation *in)
{
	w->n = in->n_args - 1;
	w->paths = xcalloc(w->n, sizeof(*w->paths));
	for (size_t i = 0; i < w->n; i++)
		w->paths[i] = absolute(in->args[i + 1]);
}

static void wanted_fini(struct cmd_cache_wanted *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->paths[i]);
	free(w->paths);
}

static bool is_wanted(const struct cmd_cache_wanted *w, const char *path)
{
	for (size_t i = 0; i < w->n; i++) {
		size_t n = strlen(w->paths[i]);

		if (path && strncmp(path, w->paths[i], n) == 0 && (!path[n] || path[n] == '/' || (n && path[n - 1] == '/')))
			return true;
	}
	return !w->n;
}

/* What a file says of itself; path NULL where it says nothing that could be believed. */
static void peek(const struct cache_dir *d, const struct cache_entry *x, struct cache_info *out)
{
	int fd = cache_dir_get(d, x->name, NULL);

	*out = (struct cache_info){ .path = NULL };
	if (fd < 0)
		return;
	if (!(cache_dir_is_tables(x->name) ? reopen_peek_bytes : cache_peek)(fd, out, NULL))
		out->path = NULL;
	close(fd);
}

static const char *state_of(const struct cache_info *ci)
{
	struct cache_source now;
	char tag[CACHE_LOADER_MAX];
	size_t n = strcspn(ci->loader, " ");
	char *loader = xmemdup0(ci->loader, n);

	reopen_loader_tag(loader, tag);
	free(loader);
	if (!ci->path)
		return "damaged";
	if (access(ci->path, F_OK) < 0)
		return "gone";
	if (!cache_source_read(ci->path, &now, NULL) || memcmp(&now, &ci->source, sizeof(now)) != 0)
		return "stale";
	return strcmp(tag, ci->loader) == 0 ? "ready" : "old";
}

static void add_row(struct table *t, const struct cache_entry *x, const struct cache_info *ci)
{
	uint32_t row = table_row(t);
	time_t used = (time_t)(x->used_ns / 1000000000);
	struct tm tm;
	char text[32];

	table_cstr(t, row, C_PATH, ci->path);
	table_i64(t, row, C_BYTES, x->bytes);
	if (ci->path && !cache_dir_is_tables(x->name))
		table_i64(t, row, C_EVENTS, (int64_t)ci->events);
	if (gmtime_r(&used, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		table_cstr(t, row, C_USED, text);
	table_cstr(t, row, C_STATE, state_of(ci));
	table_cstr(t, row, C_FILE, x->name);
}

static bool list(const struct cache_dir *d, const struct cmd_cache_wanted *w, const struct options *o, struct err *e)
{
	struct table *t = table_new("cache", columns, C_N);
	enum out_format fmt = OUT_TABLE;
	size_t n;
	struct cache_entry *a = cache_dir_list(d, &n);
	int64_t sum = 0;
	char text[2][NUM_TEXT_MAX];
	bool ok;

	for (size_t i = n; i-- > 0;) {
		struct cache_info ci;

		peek(d, &a[i], &ci);
		sum += a[i].bytes;
		if (is_wanted(w, ci.path))
			add_row(t, &a[i], &ci);
		free(ci.path);
	}
	table_note(t, _("%s: %s of at most %s"), d->path, num_bytes(sum, text[0]), num_bytes(d->cap_bytes, text[1]));
	if (o->format)
		out_format_find(o->format, &fmt);
	ok = out_table(stdout, fmt, t, NULL, e);
	free(a);
	table_free(t);
	return ok;
}

/* Without paths everything goes, damaged files too. */
static bool drop(const struct cache_dir *d, const struct cmd_cache_wanted *w, const struct options *o, struct err *e)
{
	size_t n, gone = 0;
	struct cache_entry *a = cache_dir_list(d, &n);
	int64_t sum = 0;
	char text[NUM_TEXT_MAX];

	(void)o;
	(void)e;
	cache_dir_sweep(d);
	for (size_t i = 0; i < n; i++) {
		struct cache_info ci;

		peek(d, &a[i], &ci);
		if (is_wanted(w, ci.path)) {
			cache_dir_remove(d, a[i].name);
			gone++;
			sum += a[i].bytes;
		}
		free(ci.path);
	}
	printf(_("%zu removed, %s\n"), gone, num_bytes(sum, text));
	free(a);
	return true;
}

static const struct {
	const char *name;
	bool (*run)(const struct cache_dir *d, const struct cmd_cache_wanted *w, const struct options *o, struct err *e);
} actions[] = {
	{ "list", list }, { "drop", drop },
};

int cmd_cache(struct invocation *in)
{
	struct err e = ERR_INIT;
	struct cache_dir d = { .fd = -1 };
	struct cmd_cache_wanted w;
	size_t i = 0, n = sizeof(actions) / sizeof(actions[0]);
	bool ok;

	while (in->n_args && i < n && strcmp(in->args[0], actions[i].name) != 0)
		i++;
	if (!in->n_args || i == n) {
		err_set(&e, ERR_USAGE, _("cache takes list or drop, and paths of sources"));
		return msg_fail(NULL, &e);
	}
	ok = cache_dir_open(&d, true, &e);
	if (ok) {
		wanted_init(&w, in);
		ok = actions[i].run(&d, &w, &in->opt, &e);
		wanted_fini(&w);
	}
	cache_dir_close(&d);
	return ok ? EXIT_DONE : msg_fail(NULL, &e);
}
