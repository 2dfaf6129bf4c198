/* run_facts.c - facts of a run from a file, see run_facts.h */
#include "load/run_facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/jdom.h"
#include "base/mem.h"

#define FACTS_BYTES_MAX (4u << 20)
#define FACTS_DEPTH_MAX 32
#define FACTS_MAX 10000

struct flat {
	struct session *s;
	const char *origin;
	unsigned left;
};

static void add_members(struct flat *f, const struct jval *v, const char *prefix);

static void add_value(struct flat *f, const struct jval *v, const char *key)
{
	enum jkind kind = jval_kind(v);
	const char *text;
	size_t n;

	if (kind == JDOM_OBJECT || kind == JDOM_ARRAY) {
		add_members(f, v, key);
		return;
	}
	if (kind == JDOM_NULL || !f->left)
		return;
	f->left--;
	text = kind == JDOM_BOOL ? (jval_true(v) ? "true" : "false") : jval_text(v, &n);
	session_add_fact(f->s, key, text, f->origin);
}

/* Depth is at most FACTS_DEPTH_MAX: jdom cuts there. */
static void add_members(struct flat *f, const struct jval *v, const char *prefix)
{
	unsigned i = 0;

	for (const struct jval *m = jval_first(v); m; m = jval_next(m), i++) {
		const char *name = jval_key(m), *dot = *prefix ? "." : "";
		char *key = name ? xasprintf("%s%s%s", prefix, dot, name) : xasprintf("%s%s%u", prefix, dot, i);

		add_value(f, m, key);
		free(key);
	}
}

static bool add_json(struct session *s, const char *path, const char *text, size_t n, struct err *e)
{
	const struct jdom_opts opts = { .depth_max = FACTS_DEPTH_MAX };
	struct flat f = { s, path, FACTS_MAX };
	struct jdom *d = jdom_parse(text, n, &opts, NULL, e);

	if (!d)
		return false;
	add_members(&f, jdom_root(d), "");
	jdom_free(d);
	return true;
}

static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

static bool add_lines(struct session *s, const char *path, char *text, struct err *e)
{
	int64_t row = 0;

	for (char *line = text, *next; line; line = next) {
		char *eq;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		row++;
		line = trim(line);
		if (!*line || *line == '#')
			continue;
		eq = strchr(line, '=');
		if (!eq || eq == line) {
			err_set(e, ERR_FORMAT, _("line %lld: a fact is KEY = VALUE"), (long long)row);
			return false;
		}
		*eq = '\0';
		session_add_fact(s, trim(line), trim(eq + 1), path);
	}
	return true;
}

bool run_facts_read(struct session *s, const char *path, struct err *e)
{
	size_t n, at = 0;
	char *text = file_read_all(path, FACTS_BYTES_MAX, &n, e);
	bool ok;

	if (!text)
		return false;
	while (isspace((unsigned char)text[at]))
		at++;
	ok = text[at] == '{' || (unsigned char)text[at] == 0xef ? add_json(s, path, text, n, e) : add_lines(s, path, text, e);
	free(text);
	return ok;
}
