/*
 * cmd_tables.c - profdive help tables: every table that the manual pages and the completions are made of, one record per line,
 * fields separated by tabs, never translated. tools/gen-docs reads it and says what it makes of each record.
 *
 *	command NAME ARGS TEXT
 *	option NAME LETTER ARG COMMANDS WORDS TEXT	COMMANDS empty: it has a meaning for all
 *	format NAME TEXT				files that are read
 *	known NAME TEXT					files that are recognised, and what to give instead
 *	view ID TITLE TEXT
 *	column VIEW ID UNIT machine|"" TEXT		machine: in JSON and CSV only
 *	class NAME					of kernels
 *	level1 NAME					of the breakdown
 *	pane ID TITLE TEXT
 *	action NAME WHERE KEYS TEXT
 *	line NAME					a command after ":" that is no action
 *	setting NAME WORDS TEXT				of the explorer; the first word is the default
 */
#include <stdio.h>
#include <string.h>

#include "catalog/views.h"
#include "cmd/cmd.h"
#include "load/read/loader.h"
#include "load/recognised.h"
#include "rules/kernel_name.h"
#include "ui/app/app_impl.h"

/* Words that a free text option knows, for completion; one that ends in ":" wants more. tests/doc/manual.t tries each. */
static const struct {
	const char *option, *words;
} option_words[] = {
	{ "window", "steady all step: steps: time:" },
	{ "by", "step phase microbatch thread process device rank all" },
	{ "partition", "cpu gpu: joint: compute" },
	{ "debug", "load" },
};

static void put_commands(const struct command *all)
{
	for (const struct command *c = all; c->name; c++)
		printf("command\t%s\t%s\t%s\n", c->name, c->args, c->doc);
	for (size_t i = 0; loaders[i]; i++)
		printf("format\t%s\t%s\n", loaders[i]->name, loaders[i]->what);
	for (const struct loader *l = loader_known; l->name; l++)
		printf("known\t%s\t%s\n", l->name, l->what);
}

static void put_words(const struct opt_def *o)
{
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		printf("%s%s", i ? " " : "", o->choices[i]);
	for (size_t i = 0; i < sizeof(option_words) / sizeof(option_words[0]); i++)
		if (strcmp(option_words[i].option, o->name) == 0)
			fputs(option_words[i].words, stdout);
}

static void put_options(const struct command *all)
{
	for (const struct opt_def *o = option_table; o->name; o++) {
		const char letter[2] = { o->letter, '\0' };
		const char *sep = "";

		printf("option\t%s\t%s\t%s\t", o->name, letter, o->arg ? o->arg : "");
		for (const struct command *c = all; o->commands && c->name; c++) {
			if (!(o->commands & c->bit))
				continue;
			printf("%s%s", sep, c->name);
			sep = " ";
		}
		printf("\t");
		put_words(o);
		printf("\t%s\n", o->doc);
	}
}

static const char *column_unit(const struct column_def *c)
{
	switch (c->unit) {
	case UNIT_TEXT:
		return "text";
	case UNIT_TIME:
		return "time (ns)";
	case UNIT_ID:
		return "number";
	case UNIT_BOOL:
		return "true or false";
	default:
		return unit_name(c->unit);
	}
}

static void put_views(void)
{
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis *a = analyses[i];

		printf("view\t%s\t%s\t%s\n", a->id, a->title, a->doc);
		for (uint32_t k = 0; k < a->n_cols; k++)
			printf("column\t%s\t%s\t%s\t%s\t%s\n", a->id, a->cols[k].id, column_unit(&a->cols[k]),
			       a->cols[k].flags & COL_JSON_ONLY ? "machine" : "", a->cols[k].doc);
	}
	for (int c = 0; c < KCLASS_N; c++)
		printf("class\t%s\n", kclass_name((enum kclass)c));
	for (int l = 0; l < L1_N; l++)
		printf("level1\t%s\n", level1_name((enum level1)l));
}

static void put_where(unsigned where)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {
		{ IN_ALL, "all" }, { IN_TABLE, "table" }, { IN_TREE, "tree" }, { IN_TIME, "time" }, { IN_TEXT, "text" }, { IN_LIST, "list" },
		{ IN_STACK, "stacks" }, { IN_FLAME, "flame" },
	};
	const char *sep = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(where & names[i].bit))
			continue;
		printf("%s%s", sep, names[i].name);
		sep = " ";
	}
}

static void put_actions(void)
{
	for (int i = 0; i < PANE_N; i++)
		printf("pane\t%s\t%s\t%s\n", pane_registry[i]->id, pane_registry[i]->title, pane_registry[i]->help);
	for (enum action a = ACT_NONE + 1; a < ACT_N; a++) {
		const struct action_def *d = action_get(a);

		printf("action\t%s\t", d->name);
		put_where(d->where);
		printf("\t%s\t%s\n", d->keys, d->help);
	}
	for (unsigned k = 0; command_name(k); k++)
		printf("line\t%s\n", command_name(k));
	for (enum setting_id id = 0; id < SET_N; id++)
		printf("setting\t%s\t%s\t%s\n", setting_get(id)->name, setting_get(id)->words, setting_get(id)->help);
}

void help_tables(const struct command *all)
{
	put_commands(all);
	put_options(all);
	put_views();
	put_actions();
}
