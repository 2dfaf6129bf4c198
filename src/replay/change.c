/* change.c - the texts of changes, see change.h */
#include "replay/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/opt.h"

enum { TAKES_SEL = 1, TAKES_FACTOR = 2, TAKES_NS = 4 };

static const char *const verbs[] = { "drop", "scale", "async", "overlap", "launch", "fuse", NULL };
static const uint8_t takes[] = { TAKES_SEL, TAKES_SEL | TAKES_FACTOR, TAKES_SEL, TAKES_SEL, TAKES_NS, TAKES_SEL };
static const char *const kinds[] = { "class", "kernel", "dtype", "copy", "op", "call", "level2", "annotation", "phase", NULL };

static int find_word(const char *const *list, const char *s, size_t n)
{
	for (int i = 0; list[i]; i++)
		if (strlen(list[i]) == n && !memcmp(list[i], s, n))
			return i;
	return -1;
}

static bool unknown_word(const char *what, const char *s, size_t n, const char *const *list, struct err *e)
{
	char *word = xmemdup0(s, n);
	const char *near = opt_nearest(word, list);

	if (near)
		err_set(e, ERR_USAGE, _("\"%s\" is no %s (did you mean %s?)"), word, what, near);
	else
		err_set(e, ERR_USAGE, _("\"%s\" is no %s"), word, what);
	free(word);
	return false;
}

/* A number from 0 on, "0.5" or "2": digits and one point. */
static bool parse_factor(const char *s, double *out)
{
	double v = 0, unit = 1;
	bool point = false, any = false;

	for (; *s; s++) {
		if (*s == '.' && !point) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return false;
		any = true;
		v = point ? v + (*s - '0') * (unit /= 10) : v * 10 + (*s - '0');
	}
	*out = v;
	return any && v <= 1e6;
}

static bool parse_ns(const char *s, int64_t *out)
{
	int64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || v > INT64_C(1000000000))
			return false;
		v = v * 10 + (*s - '0');
	}
	*out = v;
	return true;
}

/* What stands behind the verb: the selection, and before its end the number where the verb has one. */
static bool parse_sel(struct change *c, const char *s, struct err *e)
{
	const char *colon = strchr(s, ':'), *end = s + strlen(s);
	int of;

	if (takes[c->verb] & TAKES_FACTOR) {
		const char *number = strrchr(s, ' ');

		if (!number || !parse_factor(number + 1, &c->factor))
			return err_set(e, ERR_USAGE, _("%s ends with a factor, as in: scale class:GEMM 0.5"), verbs[c->verb]);
		for (end = number; end > s && end[-1] == ' '; end--)
			;
	}
	if (!colon || colon >= end)
		return err_set(e, ERR_USAGE, _("%s takes KIND:NAME, as in: %s class:GEMM"), verbs[c->verb], verbs[c->verb]);
	of = find_word(kinds, s, (size_t)(colon - s));
	if (of < 0)
		return unknown_word(_("kind of selection"), s, (size_t)(colon - s), kinds, e);
	if (colon + 1 == end)
		return err_set(e, ERR_USAGE, _("%s: names nothing"), kinds[of]);
	c->of = (enum change_of)of;
	c->glob = xmemdup0(colon + 1, (size_t)(end - colon - 1));
	return true;
}

/* What cannot be done to what is selected. */
static bool fits(const struct change *c, struct err *e)
{
	bool device = change_of_device(c->of);

	if ((c->verb == CHANGE_OVERLAP || c->verb == CHANGE_FUSE) && !device)
		return err_set(e, ERR_USAGE, _("%s is about work of a device: class, kernel, dtype or copy"), verbs[c->verb]);
	if (c->verb == CHANGE_ASYNC && device && c->of != OF_COPY)
		return err_set(e, ERR_USAGE, _("async is about what the host waits for: copy, call, op, annotation, phase or level2"));
	return true;
}

static bool parse(const char *text, struct change *c, struct err *e)
{
	const char *rest = strchr(text, ' ');
	size_t n = rest ? (size_t)(rest - text) : strlen(text);
	int verb = find_word(verbs, text, n);

	if (verb < 0)
		return unknown_word(_("kind of change"), text, n, verbs, e);
	c->verb = (enum change_verb)verb;
	c->factor = verb == CHANGE_DROP ? 0 : 1;
	while (rest && *rest == ' ')
		rest++;
	if (!(takes[verb] & TAKES_NS))
		return parse_sel(c, rest ? rest : "", e) && fits(c, e);
	if (!rest || !parse_ns(rest, &c->launch_ns))
		return err_set(e, ERR_USAGE, _("launch takes the ns that a launch costs, as in: launch 1000"));
	return true;
}

bool change_parse(const char *text, struct change *out, struct err *e)
{
	*out = (struct change){ .text = xstrdup(text) };
	if (parse(text, out, e))
		return true;
	change_fini(out);
	return err_wrap(e, "--change %s", text);
}

void change_fini(struct change *c)
{
	free(c->text);
	free(c->glob);
	*c = (struct change){ 0 };
}
