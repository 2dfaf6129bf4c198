/* complete.c - Tab after ":", "&" and in F6: names of commands, and of what stands after each. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "facts/facts.h"
#include "ui/app/app_impl.h"

/* The k-th word of its kind, or NULL; *n its length. `of`: what stands before it on the line. */
typedef const char *(*words_fn)(const struct app *a, const char *of, unsigned k, size_t *n);

static const char *whole(const char *s, size_t *n)
{
	*n = s ? strlen(s) : 0;
	return s;
}

/* The k-th of words separated by blanks. */
static const char *nth(const char *words, unsigned k, size_t *n)
{
	for (; *words; words += *n, words += strspn(words, " ")) {
		*n = strcspn(words, " ");
		if (!k--)
			return words;
	}
	return NULL;
}

static const char *action_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	(void)a;
	(void)of;
	return k + 1 < ACT_N ? whole(action_get((enum action)(k + 1))->name, n) : NULL;
}

static const char *command_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	unsigned commands = 0;

	if (command_name(k))
		return whole(command_name(k), n);
	while (command_name(commands))
		commands++;
	return action_words(a, of, k - commands, n);
}

static const char *column_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	const struct pane *p = &a->panes[a->shown[a->focus]];
	const struct table *t = p->ops->table ? p->ops->table(p, NULL) : NULL;

	(void)of;
	return t && k < t->n_cols ? whole(t->cols[k].id, n) : NULL;
}

/* "set " a setting, "set NAME " its words */
static const char *setting_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	size_t len = strcspn(of, " ");
	enum setting_id id = setting_find(of, len);

	(void)a;
	if (!*of)
		return k < SET_N ? whole(setting_get((enum setting_id)k)->name, n) : NULL;
	return id < SET_N ? setting_word(id, k, n) : NULL;
}

/* "map KEY " an action */
static const char *map_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	return *of ? action_words(a, of, k, n) : NULL;
}

static const char *window_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	(void)a;
	return *of ? NULL : nth("steady all step: steps: time:", k, n);
}

static const char *go_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	(void)a;
	return *of ? NULL : whole(app_go_kind(k), n);
}

static const char *by_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	(void)a;
	return *of ? NULL : nth("none step phase microbatch thread process device rank all", k, n);
}

static const char *all_word(const struct app *a, const char *of, unsigned k, size_t *n)
{
	(void)a;
	return *of ? NULL : nth("all", k, n);
}

static const char *thread_words(const struct app *a, const char *of, unsigned k, size_t *n)
{
	(void)a;
	return *of ? NULL : k < ROLE_N ? whole(role_name((enum role)k), n) : nth("all", k - ROLE_N, n);
}

static const struct {
	const char *command;
	words_fn words;
} arguments[] = {
	{ "set", setting_words }, { "map", map_words }, { "filter", column_words }, { "sort", column_words }, { "columns", column_words },
	{ "go", go_words }, { "window", window_words }, { "by", by_words }, { "device", all_word }, { "file", all_word },
	{ "thread", thread_words },
};

static words_fn words_of(const char *line, size_t n)
{
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		if (strlen(arguments[i].command) == n && !memcmp(arguments[i].command, line, n))
			return arguments[i].words;
	return NULL;
}

/* Where the word at the end of a line begins. A filter's names also stand after "(" and "!", a column after its sign. */
static size_t last_word(const char *line, const char *breaks)
{
	size_t at = strlen(line);

	while (at && !strchr(breaks, line[at - 1]))
		at--;
	return at;
}

/* ":w ", ":source ", ":write-pane ": the k-th file that begins so; folders end in "/". */
static bool complete_path(const char *stem, size_t lead, unsigned k, char *out, size_t cap)
{
	char pattern[PROMPT_BYTES + 1];
	glob_t g;
	bool found = false;

	snprintf(pattern, sizeof(pattern), "%s*", stem + lead);
	if (glob(pattern, GLOB_MARK, NULL, &g) == 0) {
		found = k < g.gl_pathc && (size_t)snprintf(out, cap, "%.*s%s", (int)lead, stem, g.gl_pathv[k]) < cap;
		globfree(&g);
	}
	return found;
}

static bool takes_path(const char *line, size_t n)
{
	static const char *const commands[] = { "w", "source", "write-pane" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strlen(commands[i]) == n && !memcmp(commands[i], line, n))
			return true;
	return false;
}

bool app_complete(void *arg, enum prompt_kind kind, const char *stem, unsigned k, char *out, size_t cap)
{
	const struct app *a = arg;
	words_fn words = kind == PROMPT_COMMAND ? command_words : kind == PROMPT_SEARCH ? NULL : column_words;
	size_t from = last_word(stem, " (!+-"), lead = strcspn(stem, " "), n = 0;
	char of[PROMPT_BYTES] = "";
	const char *w;

	if (kind == PROMPT_COMMAND && !stem[lead]) {
		from = 0;
	} else if (kind == PROMPT_COMMAND && takes_path(stem, lead)) {
		return complete_path(stem, lead + strspn(stem + lead, " "), k, out, cap);
	} else if (kind == PROMPT_COMMAND) {
		words = words_of(stem, lead);
		lead += strspn(stem + lead, " ");
		snprintf(of, sizeof(of), "%.*s", from > lead ? (int)(from - lead) : 0, stem + lead);
	} else if (kind == PROMPT_SORT) {
		from = 0;
	}
	for (unsigned i = 0; words && (w = words(a, of, i, &n)); i++) {
		if (strncmp(w, stem + from, strlen(stem + from)) != 0 || strlen(stem + from) > n || k--)
			continue;
		snprintf(out, cap, "%.*s%.*s", (int)from, stem, (int)n, w);
		return true;
	}
	return false;
}
