/* run_facts.c - facts of a run from a file, see run_facts.h */
#include "session/run_facts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"

#define FACTS_BYTES_MAX (4u << 20)
#define FACTS_MAX	10000
#define KEY_MAX		1024
/* 2^53: from here on a double stands for several integers */
#define EXACT_MAX	9007199254740992.0

struct flat {
	struct session *s;
	const char *origin;
	unsigned left;
	struct err *e;
	bool complete; /* false: *e says which fact was left out first */
};

static void leave_out(struct flat *f, const char *key, const char *why)
{
	if (f->complete)
		err_set(f->e, ERR_LIMIT, _("the fact %.60s is left out: %s"), key, why);
	f->complete = false;
}

static void add_fact(struct flat *f, const char *key, const char *text)
{
	if (!f->left) {
		leave_out(f, key, _("there are too many"));
		return;
	}
	f->left--;
	session_add_fact(f->s, key, text, f->origin);
}

static void add_number(struct flat *f, const char *key, double v)
{
	char text[NUM_TEXT_MAX];

	if (!isfinite(v) || fabs(v) >= EXACT_MAX) {
		leave_out(f, key, _("the number is too large to be exact"));
		return;
	}
	if (v == floor(v))
		snprintf(text, sizeof(text), "%.0f", v + 0.0);
	else
		num_exact(v, text);
	add_fact(f, key, text);
}

static void add_members(struct flat *f, const cJSON *v, const char *prefix);

static void add_value(struct flat *f, const cJSON *v, const char *key)
{
	if (strlen(key) > KEY_MAX)
		leave_out(f, key, _("its name is too long"));
	else if (cJSON_IsObject(v) || cJSON_IsArray(v))
		add_members(f, v, key);
	else if (cJSON_IsNumber(v))
		add_number(f, key, v->valuedouble);
	else if (cJSON_IsBool(v))
		add_fact(f, key, cJSON_IsTrue(v) ? "true" : "false");
	else if (cJSON_IsString(v))
		add_fact(f, key, v->valuestring);
}

/* Depth is at most CJSON_NESTING_LIMIT. */
static void add_members(struct flat *f, const cJSON *v, const char *prefix)
{
	const char *dot = *prefix ? "." : "";
	const cJSON *m;
	unsigned i = 0;

	cJSON_ArrayForEach(m, v)
	{
		char *key = m->string ? xasprintf("%s%s%s", prefix, dot, m->string)
				      : xasprintf("%s%s%u", prefix, dot, i);

		add_value(f, m, key);
		free(key);
		i++;
	}
}

/* text: terminated. */
static bool add_json(struct session *s, const char *path, const char *text, size_t n, struct err *e)
{
	struct flat f = {s, path, FACTS_MAX, e, true};
	const char *end = text;
	cJSON *root = cJSON_ParseWithLengthOpts(text, n + 1, &end, true);

	if (!root) {
		err_set(e, ERR_FORMAT, _("this is no JSON"));
		if (e)
			e->offset = end - text;
		return false;
	}
	add_members(&f, root, "");
	cJSON_Delete(root);
	return f.complete;
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
			err_set(e, ERR_FORMAT, _("line %lld: a fact is KEY = VALUE"),
				(long long)row);
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
	ok = text[at] == '{' || (unsigned char)text[at] == 0xef ? add_json(s, path, text, n, e)
								: add_lines(s, path, text, e);
	free(text);
	return ok;
}
