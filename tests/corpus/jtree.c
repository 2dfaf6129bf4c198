/* jtree.c - JSON as a tree for tests, see jtree.h */
#include "tests/corpus/jtree.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/jscan.h"
#include "base/mem.h"

#define DEPTH_MAX 1000

struct jtree {
	struct arena arena;
	struct jval *root;
	struct jscan js;
	char *text, *plain;
	size_t plain_cap;
};

static const char *keep(struct jtree *d, const struct jstr *s, size_t *n)
{
	const char *plain = jstr_plain(s, &d->plain, &d->plain_cap, n);

	return arena_strndup(&d->arena, plain, *n);
}

static struct jval *value(struct jtree *d, unsigned depth);

/* Members or elements up to the closing bracket. */
static bool list(struct jtree *d, struct jval *v, char close, unsigned depth)
{
	struct jval **next = &v->child;
	struct jstr key;

	d->js.p++;
	if (jscan_take(&d->js, close) == JS_OK)
		return true;
	do {
		const char *name = NULL;
		size_t n;

		if (v->kind == JVAL_OBJECT) {
			if (jscan_key(&d->js, &key) != JS_OK)
				return false;
			name = keep(d, &key, &n);
		}
		*next = value(d, depth + 1);
		if (!*next)
			return false;
		(*next)->key = name;
		next = &(*next)->next;
	} while (jscan_take(&d->js, ',') == JS_OK);
	return jscan_take(&d->js, close) == JS_OK;
}

static bool word(struct jtree *d, struct jval *v)
{
	struct decimal number;
	struct jstr s;

	if (jscan_word(&d->js, &s) != JS_OK)
		return false;
	v->text = keep(d, &s, &v->n);
	v->kind = jstr_is(&s, "null")				? JVAL_NULL
		  : jstr_is(&s, "true") || jstr_is(&s, "false") ? JVAL_BOOL
								: JVAL_NUMBER;
	return v->kind != JVAL_NUMBER || decimal_split(s.s, s.n, &number);
}

static struct jval *value(struct jtree *d, unsigned depth)
{
	struct jval *v = arena_zalloc(&d->arena, sizeof(*v));
	char c = jscan_peek(&d->js);
	struct jstr s;
	bool good;

	v->kind = c == '{' ? JVAL_OBJECT : c == '[' ? JVAL_ARRAY : JVAL_STRING;
	if (c == '{' || c == '[') {
		good = depth < DEPTH_MAX && list(d, v, c == '{' ? '}' : ']', depth);
	} else if (c == '"') {
		good = jscan_string(&d->js, &s) == JS_OK;
		v->text = good ? keep(d, &s, &v->n) : NULL;
	} else {
		good = word(d, v);
	}
	return good ? v : NULL;
}

struct jtree *jtree_parse(const char *text, size_t n, struct err *e)
{
	struct jtree *d = xcalloc(1, sizeof(*d));

	d->text = xcalloc(1, n + JSCAN_PAD);
	memcpy(d->text, text, n);
	jscan_init(&d->js, d->text, n, 0, true);
	d->root = value(d, 0);
	jscan_peek(&d->js);
	if (d->root && d->js.p == d->js.end)
		return d;
	err_set(e, ERR_FORMAT, "no JSON at byte %lld", (long long)jscan_offset(&d->js));
	jtree_free(d);
	return NULL;
}

void jtree_free(struct jtree *d)
{
	if (!d)
		return;
	arena_free(&d->arena);
	free(d->text);
	free(d->plain);
	free(d);
}

const struct jval *jtree_root(const struct jtree *d)
{
	return d->root;
}

const struct jval *jval_get(const struct jval *v, const char *key)
{
	const struct jval *m = jval_kind(v) == JVAL_OBJECT ? v->child : NULL;

	while (m && strcmp(m->key, key) != 0)
		m = m->next;
	return m;
}

const char *jval_text(const struct jval *v, size_t *n)
{
	enum jkind k = jval_kind(v);

	*n = k == JVAL_STRING || k == JVAL_NUMBER ? v->n : 0;
	return k == JVAL_STRING || k == JVAL_NUMBER ? v->text : NULL;
}

bool jval_true(const struct jval *v)
{
	return jval_kind(v) == JVAL_BOOL && v->text[0] == 't';
}
