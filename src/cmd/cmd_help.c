/* cmd_help.c - --help, --version, help COMMAND, help views, help options: all written from the tables */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/sbuf.h"
#include "catalog/views.h"
#include "cmd/cmd.h"
#include "load/read/loader.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif
#define HELP_COLS 100

/* $COLUMNS where a shell sets it, at most what is read with ease. */
static size_t help_cols(void)
{
	const char *s = getenv("COLUMNS");
	int64_t cols;

	return s && num_parse_i64(s, strlen(s), &cols) && cols >= 40 && cols < HELP_COLS ? (size_t)cols : HELP_COLS;
}

int help_version(void)
{
	printf("profdive %s\n", PACKAGE_VERSION);
	return EXIT_DONE;
}

static void put_usage(const struct command *all, struct sbuf *b)
{
	sbuf_puts(b, _("profdive - explore profiles of GPU training runs\n\nUsage:\n"));
	for (const struct command *c = all; c->name; c++)
		sbuf_printf(b, "  profdive%s%s [OPTIONS] %s\n", c == all ? "" : " ", c == all ? "" : c->name, c->args);
	sbuf_puts(b, _("\nCommands:\n"));
	for (const struct command *c = all; c->name; c++)
		sbuf_printf(b, "  %-14s%s\n", c->name, _(c->doc));
	sbuf_puts(b, _("\nA PATH is a file or a folder; several form one session. Read are, also as .gz:\n"));
	for (size_t i = 0; loaders[i]; i++)
		if (loaders[i]->load)
			sbuf_printf(b, "  %-14s%s\n", loaders[i]->name, _(loaders[i]->what));
	sbuf_puts(b, _("\nOptions:\n"));
}

void help_command(const struct command *all, const struct command *c)
{
	struct sbuf b = { 0 };

	if (c)
		sbuf_printf(&b, "profdive %s [OPTIONS] %s\n%s\n\n%s\n", c->name, c->args, _(c->doc), _("Options:"));
	else
		put_usage(all, &b);
	opt_help(&b, option_table, c ? c->bit : 0, help_cols());
	fwrite(b.s, 1, b.n, stdout);
	sbuf_fini(&b);
}

static void list_views(void)
{
	for (size_t i = 0; analyses[i]; i++)
		printf("%-12s  %s\n", analyses[i]->id, _(analyses[i]->doc));
}

/* For completion scripts: see opt_completion(). */
static void list_options(void)
{
	struct sbuf b = { 0 };

	opt_completion(&b, option_table, 0);
	fwrite(b.s, 1, b.n, stdout);
	sbuf_fini(&b);
}

int cmd_help(struct invocation *in)
{
	const struct command *c = in->n_args ? command_find(in->all, in->args[0]) : NULL;
	struct err e = ERR_INIT;

	if (!in->n_args || c) {
		help_command(in->all, c);
	} else if (strcmp(in->args[0], "views") == 0) {
		list_views();
	} else if (strcmp(in->args[0], "options") == 0) {
		list_options();
	} else if (strcmp(in->args[0], "tables") == 0) {
		help_tables(in->all);
	} else {
		err_set(&e, ERR_USAGE, _("there is no help on \"%s\""), in->args[0]);
		return msg_fail(NULL, &e);
	}
	return EXIT_DONE;
}
