/* opt.c - the command line as a table, see opt.h */
#include "base/opt.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

#define WORD_MAX 32	/* longer words are not compared */

static void list_add(struct opt_list *l, const char *s)
{
	l->a = xreallocarray(l->a, l->n + 1, sizeof(*l->a));
	l->a[l->n++] = s;
}

void opt_list_fini(struct opt_list *l)
{
	free(l->a);
	*l = (struct opt_list){ 0 };
}

/* ---- did you mean ------------------------------------------------------------------------------ */

/* Edits (insert, delete, replace) between two words of at most WORD_MAX bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], n = strlen(a), m = strlen(b);

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

struct nearest {
	const char *word, *best;
	size_t best_d;
};

static void nearest_try(struct nearest *t, const char *candidate)
{
	size_t n = strlen(t->word), m = strlen(candidate), d;

	if (n > WORD_MAX || m > WORD_MAX)
		return;
	d = n >= 3 && strncmp(t->word, candidate, n) == 0 ? 0 : distance(t->word, candidate);
	if (d >= t->best_d || d > 1 + m / 4)
		return;
	t->best = candidate;
	t->best_d = d;
}

const char *opt_nearest(const char *word, const char *const *list)
{
	struct nearest t = { word, NULL, SIZE_MAX };

	for (; *list; list++)
		nearest_try(&t, *list);
	return t.best;
}

/* ---- parsing ----------------------------------------------------------------------------------- */

struct parse {
	const struct opt_def *defs;
	unsigned command;
	int argc, at;
	char **argv;
	char *values;
	struct opt_list *operands;
	struct err *e;
};

static bool has_command(const struct opt_def *d, unsigned command)
{
	return !command || !d->commands || (d->commands & command);
}

static bool unknown(struct parse *p, const char *name, size_t n)
{
	char *word = xmemdup0(name, n);
	struct nearest t = { word, NULL, SIZE_MAX };

	for (const struct opt_def *d = p->defs; d->name; d++)
		if (has_command(d, p->command))
			nearest_try(&t, d->name);
	if (t.best)
		err_set(p->e, ERR_USAGE, _("unknown option --%s (did you mean --%s?)"), word, t.best);
	else
		err_set(p->e, ERR_USAGE, _("unknown option --%s"), word);
	free(word);
	return false;
}

static bool set_number(struct parse *p, const struct opt_def *d, const char *v, int64_t *out)
{
	bool ok = d->kind == OPT_INT ? num_parse_i64(v, strlen(v), out) : num_parse_bytes(v, strlen(v), out);

	if (ok && *out >= d->min)
		return true;
	if (d->kind == OPT_INT)
		return err_set(p->e, ERR_USAGE, _("--%s takes a whole number from %lld on, not \"%s\""), d->name,
			       (long long)d->min, v);
	return err_set(p->e, ERR_USAGE, _("--%s takes a size such as 4GB, not \"%s\""), d->name, v);
}

static bool set_choice(struct parse *p, const struct opt_def *d, const char *v, const char **out)
{
	struct sbuf all = { 0 };

	for (size_t i = 0; d->choices[i]; i++) {
		if (strcmp(d->choices[i], v) == 0) {
			*out = v;
			sbuf_fini(&all);
			return true;
		}
		sbuf_printf(&all, "%s%s", i ? ", " : "", d->choices[i]);
	}
	err_set(p->e, ERR_USAGE, _("--%s takes one of %s, not \"%s\""), d->name, sbuf_str(&all), v);
	sbuf_fini(&all);
	return false;
}

static bool set_value(struct parse *p, const struct opt_def *d, const char *v)
{
	void *member = p->values + d->offset;

	switch (d->kind) {
	case OPT_FLAG:
		*(bool *)member = true;
		return true;
	case OPT_STRING:
		*(const char **)member = v;
		return true;
	case OPT_LIST:
		list_add(member, v);
		return true;
	case OPT_INT:
	case OPT_BYTES:
		return set_number(p, d, v, member);
	case OPT_CHOICE:
		return set_choice(p, d, v, member);
	}
	return false;
}

/* attached: the value that stands in the same word, NULL none. */
static bool take(struct parse *p, const struct opt_def *d, const char *attached)
{
	if (!has_command(d, p->command))
		return err_set(p->e, ERR_USAGE, _("--%s has no meaning for this command"), d->name);
	if (d->kind == OPT_FLAG && attached)
		return err_set(p->e, ERR_USAGE, _("--%s takes no value"), d->name);
	if (d->kind != OPT_FLAG && !attached) {
		if (p->at + 1 >= p->argc)
			return err_set(p->e, ERR_USAGE, _("--%s needs a value: %s"), d->name, d->arg);
		attached = p->argv[++p->at];
	}
	return set_value(p, d, attached);
}

static bool long_option(struct parse *p, const char *word)
{
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	for (const struct opt_def *d = p->defs; d->name; d++)
		if (text_is(word, n, d->name))
			return take(p, d, eq ? eq + 1 : NULL);
	return unknown(p, word, n);
}

static const struct opt_def *by_letter(const struct parse *p, char c)
{
	for (const struct opt_def *d = p->defs; d->name; d++)
		if (d->letter == c)
			return d;
	return NULL;
}

/* -x, -xVALUE, or several flags in one word. */
static bool letters(struct parse *p, const char *word)
{
	for (; *word; word++) {
		const struct opt_def *d = by_letter(p, *word);

		if (!d)
			return err_set(p->e, ERR_USAGE, _("unknown option -%c"), *word);
		if (d->kind != OPT_FLAG)
			return take(p, d, word[1] ? word + 1 : NULL);
		if (!take(p, d, NULL))
			return false;
	}
	return true;
}

bool opt_parse(const struct opt_def *defs, unsigned command, int argc, char **argv, void *values, struct opt_list *operands,
	struct err *e)
{
	struct parse p = { defs, command, argc, 0, argv, values, operands, e };
	bool only_operands = false;

	for (; p.at < argc; p.at++) {
		const char *word = argv[p.at];

		if (only_operands || word[0] != '-' || !word[1])
			list_add(operands, word);
		else if (strcmp(word, "--") == 0)
			only_operands = true;
		else if (word[1] == '-' ? !long_option(&p, word + 2) : !letters(&p, word + 1))
			return false;
	}
	return true;
}

/* ---- help and completion ----------------------------------------------------------------------- */

#define HELP_INDENT 24

static void put_choices(struct sbuf *out, const struct opt_def *d, const char *sep)
{
	for (size_t i = 0; d->choices[i]; i++)
		sbuf_printf(out, "%s%s", i ? sep : "", d->choices[i]);
}

/* Breaks at blanks; the first line begins at HELP_INDENT. */
static void put_wrapped(struct sbuf *out, const char *text, size_t cols)
{
	size_t room = cols > HELP_INDENT + 20 ? cols - HELP_INDENT : 20, used = 0;

	while (*text) {
		size_t n = strcspn(text, " "), width = text_width(text, n);

		if (used && used + 1 + width > room) {
			sbuf_putc(out, '\n');
			sbuf_fill(out, ' ', HELP_INDENT);
			used = 0;
		} else if (used) {
			sbuf_putc(out, ' ');
			used++;
		}
		sbuf_put(out, text, n);
		used += width;
		text += n + (text[n] == ' ');
	}
	sbuf_putc(out, '\n');
}

static void help_one(struct sbuf *out, const struct opt_def *d, size_t cols)
{
	struct sbuf head = { 0 };
	size_t width;

	if (d->letter)
		sbuf_printf(&head, "  -%c, --%s", d->letter, d->name);
	else
		sbuf_printf(&head, "      --%s", d->name);
	if (d->kind == OPT_CHOICE) {
		sbuf_putc(&head, ' ');
		put_choices(&head, d, "|");
	} else if (d->arg) {
		sbuf_printf(&head, " %s", d->arg);
	}
	width = text_width(sbuf_str(&head), head.n);
	sbuf_puts(out, sbuf_str(&head));
	if (width + 2 > HELP_INDENT) {
		sbuf_putc(out, '\n');
		width = 0;
	}
	sbuf_fill(out, ' ', HELP_INDENT - width);
	put_wrapped(out, _(d->doc), cols);
	sbuf_fini(&head);
}

void opt_help(struct sbuf *out, const struct opt_def *defs, unsigned command, size_t cols)
{
	for (const struct opt_def *d = defs; d->name; d++)
		if (has_command(d, command))
			help_one(out, d, cols);
}

void opt_completion(struct sbuf *out, const struct opt_def *defs, unsigned command)
{
	for (const struct opt_def *d = defs; d->name; d++) {
		if (!has_command(d, command))
			continue;
		sbuf_printf(out, "--%s\t", d->name);
		if (d->letter)
			sbuf_printf(out, "-%c", d->letter);
		sbuf_printf(out, "\t%s\t", d->arg ? d->arg : "");
		if (d->kind == OPT_CHOICE)
			put_choices(out, d, " ");
		sbuf_printf(out, "\t%s\n", _(d->doc));
	}
}
