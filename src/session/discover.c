/* discover.c - from paths to the files of a session, see discover.h */
#include "session/discover.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/map.h"
#include "base/mem.h"
#include "load/identify.h"
#include "load/read/head.h"

struct search {
	struct discovery *d;
	struct map seen;	/* (device, inode) of files taken */
};

static void push(char ***list, size_t *n, const char *path)
{
	*list = xreallocarray(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = xstrdup(path);
}

static void add_note(struct discovery *d, const char *path, const struct err *e)
{
	d->notes = xreallocarray(d->notes, d->n_notes + 1, sizeof(*d->notes));
	d->notes[d->n_notes++] = (struct left_out){ xstrdup(path), *e };
}

/* Whether the file was taken before; what cannot be asked about is new. */
static bool seen_before(struct search *s, const char *path)
{
	struct stat st;
	uint32_t fresh = (uint32_t)s->seen.n;

	return stat(path, &st) == 0 &&
		map_get_or_put(&s->seen, (uint64_t)st.st_dev, (uint64_t)st.st_ino, fresh) != fresh;
}

static void take(struct search *s, const char *path)
{
	if (!seen_before(s, path))
		push(&s->d->sources, &s->d->n_sources, path);
}

static bool is_facts_name(const char *path)
{
	static const char *const names[] = { "config.json", "deepspeed_config.json", "ds_config.json" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool looks_like_profile(const char *path)
{
	static const char *const ends[] = { ".sqlite", ".json", ".nsys-rep", ".qdrep", ".ncu-rep", ".pyisession" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (path_ends(path, ends[i]))
			return true;
	return false;
}

/* A file that a folder holds. */
static void consider(struct search *s, const char *path)
{
	struct identity id;
	struct err e = ERR_INIT;

	if (is_facts_name(path)) {
		if (!seen_before(s, path))
			push(&s->d->facts, &s->d->n_facts, path);
		return;
	}
	if (!loader_identify(path, &id, &e) || id.empty) {
		if (looks_like_profile(path))
			take(s, path);
		return;
	}
	if (id.loader && id.loader->load) {
		take(s, path);
	} else if (id.loader && !seen_before(s, path)) {
		err_set(&e, ERR_FORMAT, "%s", _(id.what));
		add_note(s->d, path, &e);
	}
}

static void consider_folder(struct search *s, const char *dir, bool deep, struct err *e)
{
	struct file_list l = { 0 };

	file_list_dir(&l, dir, deep, e);
	for (size_t i = 0; i < l.n; i++)
		consider(s, l.paths[i]);
	file_list_fini(&l);
}

static int is_subfolder(const struct dirent *de)
{
	return de->d_name[0] != '.';
}

static void search_folder(struct search *s, const char *dir, bool recursive)
{
	size_t had = s->d->n_sources + s->d->n_notes, len = strlen(dir);
	struct err e = ERR_INIT;
	struct dirent **names = NULL;
	struct stat st;
	int n;

	consider_folder(s, dir, recursive, &e);
	n = recursive || e.code ? 0 : scandir(dir, &names, is_subfolder, alphasort);
	for (int i = 0; i < n; i++) {
		char *sub = xasprintf("%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/", names[i]->d_name);

		if (lstat(sub, &st) == 0 && S_ISDIR(st.st_mode))
			consider_folder(s, sub, false, NULL);
		free(sub);
		free(names[i]);
	}
	free(names);
	if (!e.code && had == s->d->n_sources + s->d->n_notes)
		err_set(&e, ERR_IO, "%s", recursive ? _("no profile in this folder or below") :
			_("no profile in this folder or its subfolders (--recursive searches deeper)"));
	if (e.code)
		add_note(s->d, dir, &e);
}

/* Opening a pipe may wait for ever, and a profile is read more than once. */
static void refuse(struct discovery *d, const char *path)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_IO, "%s", _("a pipe or a device: write what comes out of it to a file, and open that"));
	add_note(d, path, &e);
}

void discover(struct discovery *d, const char *const *paths, size_t n, bool recursive)
{
	struct search s = { .d = d };
	struct stat st;

	*d = (struct discovery){ 0 };
	for (size_t i = 0; i < n; i++) {
		bool there = stat(paths[i], &st) == 0;

		if (there && S_ISDIR(st.st_mode))
			search_folder(&s, paths[i], recursive);
		else if (there && !S_ISREG(st.st_mode))
			refuse(d, paths[i]);
		else
			take(&s, paths[i]);
	}
	map_fini(&s.seen);
}

void discovery_fini(struct discovery *d)
{
	for (size_t i = 0; i < d->n_sources; i++)
		free(d->sources[i]);
	for (size_t i = 0; i < d->n_facts; i++)
		free(d->facts[i]);
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->notes[i].path);
	free(d->sources);
	free(d->facts);
	free(d->notes);
	*d = (struct discovery){ 0 };
}
