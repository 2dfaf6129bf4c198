/*
 * rules_impl.h - the insides of struct rules, shared by rules*.c only.
 *
 * A rule file is read into an array of rules per table. The texts stay in one writable copy of the
 * file that the set owns; every string of a rule points into it.
 */
#ifndef RULES_RULES_IMPL_H
#define RULES_RULES_IMPL_H

#include "base/err.h"
#include "rules/name_glob.h"
#include "rules/rules.h"

enum rule_table {
	TABLE_KERNELS,
	TABLE_OPS,
	TABLE_FRAMES,
	TABLE_RUNTIME,
	TABLE_STEPS,
	TABLE_PHASES,
	TABLE_THREADS,
	TABLE_N
};

enum rule_flag {
	RULE_TRANSPARENT = 1u << 0,
	RULE_SYNC = 1u << 1,
	RULE_BLOCKS = 1u << 2,
	RULE_MICROBATCH = 1u << 3,
	RULE_NEVER = 1u << 4,
	RULE_OWNER = 1u << 5,
	RULE_ENDS_OWNER = 1u << 6,
	RULE_COMPUTES = 1u << 7,
	RULE_ENTRY = 1u << 8
};

struct rule_sample {
	const char *text;
	size_t len;
	int line;
	bool is_not;
};

struct rule {
	const char *id;
	const char *file;
	uint64_t check; /* check64 of the file's text */
	int line;
	enum rule_table table;
	bool fold_case;
	struct globs match, but_not;
	struct rule_sample *samples;
	size_t n_samples, cap_samples;
	/* what the rule says; NULL or 0 where it says nothing */
	enum kclass class;
	const char *subclass;
	int8_t tensor_core; /* -2: from the name */
	enum level1 l1;
	const char *level2, *phase, *cause, *category, *role;
	struct class_levels elsewhere, alone, cpu; /* see struct host_class */
	char framework;
	const char *library;
	unsigned flags;
	bool has_class, has_l1;
};

struct rule_list {
	struct rule *v;
	size_t n, cap;
};

struct rules {
	struct rule_list table[TABLE_N];
	char **texts; /* the file copies that the strings point into */
	size_t n_texts;
};

struct rule_file {
	char *name, *text; /* what the strings of its rules point into */
	struct rule_list table[TABLE_N];
};

/* ---- rules.c ---- */

/*
 * Fill *out from the rule, and from `fallback` where it says nothing (or u is NULL). `cause` is the
 * gap cause of host work that is neither waiting, copying, communicating nor loading.
 */
void rules_host_fill(const struct rule *u, const struct host_class *fallback, const char *cause,
		     struct host_class *out);

/* ---- glob.c, rule_find() ---- */

/* The first rule of the table that matches, or NULL. num may be NULL. */
const struct rule *rule_find(const struct rule_list *t, const char *name, size_t len,
			     struct glob_number *num);

/* ---- rule_file.c ---- */

void rule_list_fini(struct rule_list *l);

#endif
