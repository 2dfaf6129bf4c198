/*
 * rulebook.h - all that rule files say: the rules about names (rules.h) and the rules of findings (finding.h).
 *
 * Does not change after loading. Not to be added to while other threads look up.
 */
#ifndef FINDINGS_RULEBOOK_H
#define FINDINGS_RULEBOOK_H

#include "rules/rules.h"

struct finding_rules;
struct rulebook {
	struct rules *names;
	struct finding_rules *findings;
};

struct rulebook *rulebook_empty(void);
/* The built-in rules. NULL and *e set if an embedded file is malformed (our own mistake). */
struct rulebook *rulebook_new(struct err *e);
void rulebook_free(struct rulebook *b); /* NULL is allowed */
/*
 * Reads one more rule file and puts its rules before those that are there (of two added files the later wins; a finding or metric of the
 * same name replaces that which is there). On failure nothing is added and *e says which line is wrong.
 */
bool rulebook_add_file(struct rulebook *b, const char *path, struct err *e);
/* The same from memory. `name` is used in messages only. */
bool rulebook_add_text(struct rulebook *b, const char *name, const char *text, size_t len,
		       struct err *e);

/* rules_count(), rules_each() and rules_check() of both kinds, those of names first. */
size_t rulebook_count(const struct rulebook *b);
void rulebook_each(const struct rulebook *b, void (*fn)(void *arg, const struct rule_info *u),
		   void *arg);
bool rulebook_check(const struct rulebook *b,
		    void (*fail)(void *ctx, const struct rules_failure *f), void *ctx,
		    size_t *samples);

#endif
