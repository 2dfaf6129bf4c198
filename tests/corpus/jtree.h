/*
 * jtree.h - JSON as a tree, for tests that compare: numbers keep their text, members their order. The text is trusted to be the
 * output of a program, up to 1000 levels deep.
 */
#ifndef TESTS_CORPUS_JTREE_H
#define TESTS_CORPUS_JTREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum jkind {
	JVAL_ABSENT,
	JVAL_NULL,
	JVAL_BOOL,
	JVAL_NUMBER,
	JVAL_STRING,
	JVAL_ARRAY,
	JVAL_OBJECT
};

struct jtree;
struct jval {
	enum jkind kind;
	const char *key, *text; /* terminated; text of what is neither array nor object */
	size_t n;
	struct jval *child, *next;
};

/* NULL with *e set where the text is no JSON value and nothing else. */
struct jtree *jtree_parse(const char *text, size_t n, struct err *e);
void jtree_free(struct jtree *d); /* NULL is fine */
const struct jval *jtree_root(const struct jtree *d);

/* All take NULL for a value that is absent. */
static inline enum jkind jval_kind(const struct jval *v)
{
	return v ? v->kind : JVAL_ABSENT;
}
static inline const struct jval *jval_first(const struct jval *v)
{
	return v ? v->child : NULL;
}
static inline const struct jval *jval_next(const struct jval *v)
{
	return v ? v->next : NULL;
}
static inline const char *jval_key(const struct jval *v)
{
	return v ? v->key : NULL;
}
/* The member of that key, of equal ones the first; NULL if there is none, or v is no object. */
const struct jval *jval_get(const struct jval *v, const char *key);
/* Text of a string or number, *n its length; NULL for other kinds. */
const char *jval_text(const struct jval *v, size_t *n);
bool jval_true(const struct jval *v);

#endif
