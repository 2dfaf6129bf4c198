/*
 * opt.h - the command line as a table: one opt_def per option serves parsing, --help and completion.
 *
 * GNU style: --name VALUE, --name=VALUE, -x VALUE, -xVALUE; options and operands in any order; "--" ends the options; "-" is an
 * operand. Names must be whole: an abbreviation that works today is another option tomorrow.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sbuf.h"

/* The type of the member at `offset` in the caller's struct. */
enum opt_kind {
	OPT_FLAG,	/* bool: set to true */
	OPT_STRING,	/* const char *: points into argv; the last one counts */
	OPT_LIST,	/* struct opt_list: each one is added */
	OPT_INT,	/* int64_t */
	OPT_BYTES,	/* int64_t: 4GB, 512M (num.h) */
	OPT_CHOICE	/* const char *: one of `choices` */
};

struct opt_list {
	const char **a;		/* point into argv; opt_list_fini() frees the array */
	size_t n;
};

struct opt_def {
	const char *name;		/* without "--"; NULL ends a table */
	char letter;			/* 0 = none */
	enum opt_kind kind;
	const char *arg;		/* what the value is called in help: "FILE"; NULL for flags */
	const char *const *choices;	/* OPT_CHOICE: NULL-terminated */
	size_t offset;
	int64_t min;			/* OPT_INT, OPT_BYTES: smallest value */
	unsigned commands;		/* bit set of the caller's: where the option has a meaning */
	const char *doc;		/* N_() marked */
};

/*
 * Parses argv[0..argc) (without the program's name). Options go to *values, everything else to *operands, in order. False with
 * ERR_USAGE: unknown option (with the nearest known one), missing or wrong value, an option that `command` (one bit) does
 * not have. command = 0 accepts all.
 */
bool opt_parse(const struct opt_def *defs, unsigned command, int argc, char **argv, void *values, struct opt_list *operands,
	struct err *e);
void opt_list_fini(struct opt_list *l);

/* The options of a command (0 = all), one or more lines each, translated, in `cols` columns. */
void opt_help(struct sbuf *out, const struct opt_def *defs, unsigned command, size_t cols);
/* One line per option for completion scripts: "--name<TAB>-x<TAB>ARG<TAB>choice choice<TAB>doc"; fields may be empty. */
void opt_completion(struct sbuf *out, const struct opt_def *defs, unsigned command);

/* The word of a NULL-terminated list that is nearest to `word`, NULL if none is near: for "did you mean". */
const char *opt_nearest(const char *word, const char *const *list);

#endif
