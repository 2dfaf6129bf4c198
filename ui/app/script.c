/*
 * script.c - key scripts: a line is a command (command.c), run only when nothing loads and nothing is computed. "#" begins a
 * comment. Lines of use in scripts: key NAME..., type TEXT, expect TEXT, reject TEXT, save-screen FILE, save-styles FILE, resize WxH.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ui/app/app_impl.h"

struct script {
	char *path;
	VEC(char *) lines;
	size_t at;
};

struct script *script_open(const char *path, const char *text, struct err *e)
{
	size_t n = text ? strlen(text) : 0;
	char *all = text ? xmemdup0(text, n) : file_read_all(path, UI_FILE_MAX, &n, e), *at = all, *line;
	struct script *s;

	if (!all) {
		err_wrap(e, _("script %s"), path);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->path = xstrdup(path);
	while ((line = file_line(&at, all + n)))
		VEC_PUSH(&s->lines, xstrdup(line));
	free(all);
	return s;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->lines.n; i++)
		free(s->lines.a[i]);
	VEC_FREE(&s->lines);
	free(s->path);
	free(s);
}

bool script_done(const struct script *s)
{
	return s->at >= s->lines.n;
}

const char *script_next(struct script *s)
{
	return s->lines.a[s->at++];
}

bool script_wrap(const struct script *s, struct err *e)
{
	return err_wrap(e, "%s:%zu", s->path, s->at);
}
