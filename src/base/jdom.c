/* jdom.c - JSON documents as a tree, on top of cJSON; the only user of that library. See jdom.h */
#include "base/jdom.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/mem.h"

/*
 * The rewritten text marks each string value with 's' and each number, which becomes a string, with 'n' in front; NUL in a
 * string becomes C0 80, which no valid UTF-8 holds. settle() takes the marks off again.
 */
enum want { WANT_VALUE, WANT_VALUE_OR_CLOSE, WANT_KEY, WANT_KEY_OR_CLOSE, WANT_COLON, WANT_COMMA_OR_CLOSE, WANT_END };

struct scan {
	const unsigned char *text;
	size_t n, at;
	char *out;
	size_t out_n, out_cap;
	enum want want;
	char stack[JDOM_DEPTH_MAX];
	unsigned depth, depth_max;
	/* where the text could be closed so that all before it stays */
	size_t safe_at, safe_out;
	unsigned safe_depth;
	struct jdom_report rep;
};

struct jdom {
	cJSON *root;
};

/* ---- output ------------------------------------------------------------------------------------ */

static void put(struct scan *s, const void *bytes, size_t n)
{
	if (s->out_cap - s->out_n < n) {
		s->out_cap = mem_grow(s->out_cap, s->out_n + n);
		s->out = xrealloc(s->out, s->out_cap);
	}
	memcpy(s->out + s->out_n, bytes, n);
	s->out_n += n;
}

static void put_char(struct scan *s, char c)
{
	put(s, &c, 1);
}

/* ---- tokens: each returns false where the text ends inside, or at a fault (at is then before the end) ---- */

static bool bad(struct scan *s, struct err *e, const char *what)
{
	err_set(e, ERR_FORMAT, "%s", what);
	if (e)
		e->offset = (int64_t)s->at;
	return false;
}

static int hex4(const unsigned char *p, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < 4; i++) {
		int c = i < n ? tolower(p[i]) : 0;

		if (!c || !isxdigit(c))
			return -1;
		v = v * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return v;
}

/* At the u of an escape. */
static void put_unicode(struct scan *s)
{
	const unsigned char *p = s->text + s->at;
	size_t left = s->n - s->at;
	int hi = hex4(p + 1, left - 1), lo = -1;

	if (hi < 0) {
		put(s, "\\\\u", 3);
		s->at++;
		return;
	}
	if (hi >= 0xd800 && hi < 0xdc00 && left >= 11 && p[5] == '\\' && p[6] == 'u')
		lo = hex4(p + 7, left - 7);
	if (hi == 0) {
		put(s, "\xc0\x80", 2);
		s->at += 5;
	} else if (lo >= 0xdc00 && lo < 0xe000) {
		put_char(s, '\\');
		put(s, p, 11);
		s->at += 11;
	} else if (hi >= 0xd800 && hi < 0xe000) {
		put(s, "\xef\xbf\xbd", 3);
		s->at += 5;
	} else {
		put_char(s, '\\');
		put(s, p, 5);
		s->at += 5;
	}
}

/* At the backslash; false if the text ends inside. */
static bool put_escape(struct scan *s)
{
	unsigned char c;

	if (++s->at == s->n)
		return false;
	c = s->text[s->at];
	if (c == 'u') {
		put_unicode(s);
		return true;
	}
	put_char(s, '\\');
	if (!c || !strchr("\"\\/bfnrt", c))
		put_char(s, '\\');	/* unknown: stays as it is */
	else
		put_char(s, (char)s->text[s->at++]);
	return true;
}

static bool string(struct scan *s, bool value)
{
	put(s, "\"s", value ? 2 : 1);
	for (s->at++; s->at < s->n;) {
		size_t run = s->at;

		while (run < s->n && s->text[run] != '"' && s->text[run] != '\\' && s->text[run])
			run++;
		put(s, s->text + s->at, run - s->at);
		s->at = run;
		if (run == s->n)
			break;
		if (s->text[run] == '"') {
			s->at++;
			put_char(s, '"');
			return true;
		}
		if (!s->text[run]) {
			put(s, "\xc0\x80", 2);
			s->at++;
		} else if (!put_escape(s)) {
			break;
		}
	}
	s->at = s->n;
	return false;
}

static bool word_is(const unsigned char *p, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* A number or a bare word; at stays at a word that means nothing. */
static bool word(struct scan *s)
{
	const unsigned char *p = s->text + s->at;
	size_t n = 0, left = s->n - s->at;
	struct decimal d;

	while (n < left && (isalnum(p[n]) || strchr("+-.", p[n] ? p[n] : ' ')))
		n++;
	if (n == left && s->depth) {
		s->at = s->n;
		return false;	/* 12 may have been 123 */
	}
	if (word_is(p, n, "true") || word_is(p, n, "false") || word_is(p, n, "null")) {
		put(s, p, n);
	} else if (word_is(p, n, "NaN") || word_is(p, n, "Infinity") || word_is(p, n, "-Infinity")) {
		put(s, "null", 4);
	} else if (decimal_split((const char *)p, n, &d)) {
		put(s, "\"n", 2);
		put(s, p, n);
		put_char(s, '"');
	} else {
		return false;
	}
	s->at += n;
	return true;
}

/* Skips a value that is nested too deep; false if the text ends inside. */
static bool prune(struct scan *s)
{
	unsigned long depth = 0;
	bool in_string = false;

	if (!s->rep.pruned++)
		s->rep.pruned_at = (int64_t)s->at;
	put(s, "null", 4);
	for (; s->at < s->n; s->at++) {
		unsigned char c = s->text[s->at];

		if (c == '\\' && in_string)
			s->at++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == '{' || c == '['))
			depth++;
		else if (!in_string && (c == '}' || c == ']') && !--depth) {
			s->at++;
			return true;
		}
	}
	s->at = s->n;
	return false;
}

/* ---- structure --------------------------------------------------------------------------------- */

static void mark_safe(struct scan *s)
{
	s->safe_at = s->at;
	s->safe_out = s->out_n;
	s->safe_depth = s->depth;
}

static void value_done(struct scan *s)
{
	s->want = s->depth ? WANT_COMMA_OR_CLOSE : WANT_END;
	mark_safe(s);
}

static bool open_value(struct scan *s, char c)
{
	if (s->depth == s->depth_max) {
		if (!prune(s))
			return false;
		value_done(s);
		return true;
	}
	s->stack[s->depth++] = c == '{' ? '}' : ']';
	s->want = c == '{' ? WANT_KEY_OR_CLOSE : WANT_VALUE_OR_CLOSE;
	put_char(s, c);
	s->at++;
	mark_safe(s);
	return true;
}

static bool value(struct scan *s, char c)
{
	if (c == '{' || c == '[')
		return open_value(s, c);
	if (c == '"' ? !string(s, true) : !word(s))
		return false;
	value_done(s);
	return true;
}

static bool close_value(struct scan *s, char c)
{
	if (c != s->stack[s->depth - 1])
		return false;
	s->depth--;
	put_char(s, c);
	s->at++;
	value_done(s);
	return true;
}

static bool comma_or_close(struct scan *s, char c)
{
	if (c != ',')
		return close_value(s, c);
	put_char(s, c);
	s->at++;
	s->want = s->stack[s->depth - 1] == '}' ? WANT_KEY : WANT_VALUE;
	return true;
}

static bool key(struct scan *s, char c)
{
	s->want = WANT_COLON;
	return c == '"' && string(s, false);
}

/* Takes one token; false at a fault or where the text ends inside it. */
static bool token(struct scan *s, char c)
{
	bool closing = c == '}' || c == ']';

	switch (s->want) {
	case WANT_VALUE_OR_CLOSE:
		return closing ? close_value(s, c) : value(s, c);
	case WANT_VALUE:
		return value(s, c);
	case WANT_KEY_OR_CLOSE:
		return closing ? close_value(s, c) : key(s, c);
	case WANT_KEY:
		return key(s, c);
	case WANT_COLON:
		s->want = WANT_VALUE;
		s->at += c == ':';
		put_char(s, ':');
		return c == ':';
	case WANT_COMMA_OR_CLOSE:
		return comma_or_close(s, c);
	case WANT_END:
		break;
	}
	return false;
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->n && s->text[s->at] && strchr(" \t\r\n", s->text[s->at]))
		s->at++;
}

/* Drops what came after the last whole value and closes what is open there. */
static void mend(struct scan *s)
{
	s->rep.cut_at = (int64_t)s->safe_at;
	s->out_n = s->safe_out;
	while (s->safe_depth)
		put_char(s, s->stack[--s->safe_depth]);
}

static bool rewrite(struct scan *s, bool lenient, struct err *e)
{
	if (s->n >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
		s->at = 3;
	for (skip_blanks(s); s->at < s->n && s->want != WANT_END; skip_blanks(s))
		if (!token(s, (char)s->text[s->at]) && s->at < s->n)
			return bad(s, e, _("this is no JSON"));
	if (s->want != WANT_END) {
		if (!lenient || !s->safe_out)
			return bad(s, e, _("the JSON text ends early"));
		mend(s);
	} else if (s->at < s->n) {
		if (!lenient)
			return bad(s, e, _("something follows the JSON value"));
		s->rep.junk_at = (int64_t)s->at;
	}
	return true;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

/* Takes the mark off and NULs back in; the length goes to valueint, which strings do not use. */
static void settle_text(cJSON *v)
{
	const char *from = v->valuestring + 1;
	char *to = v->valuestring;

	if (v->valuestring[0] == 'n')
		v->type = cJSON_Raw;
	for (; *from; from++) {
		if (from[0] == '\xc0' && from[1] == '\x80') {
			*to++ = '\0';
			from++;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	v->valueint = (int)(to - v->valuestring);
}

/* Depth is at most JDOM_DEPTH_MAX. */
static void settle(cJSON *v)
{
	for (; v; v = v->next) {
		if (v->type == cJSON_String)
			settle_text(v);
		settle(v->child);
	}
}

static void use_our_memory(void)
{
	cJSON_Hooks hooks = { .malloc_fn = xmalloc, .free_fn = free };

	cJSON_InitHooks(&hooks);
}

struct jdom *jdom_parse(const char *text, size_t n, const struct jdom_opts *o, struct jdom_report *r, struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct jdom_opts none = { 0 };
	struct jdom *d = NULL;
	struct scan *s;

	o = o ? o : &none;
	if (n > (o->bytes_max ? o->bytes_max : JDOM_BYTES_MAX)) {
		err_set(e, ERR_LIMIT, _("a JSON text of %zu bytes is too long to be read as a whole"), n);
		return NULL;
	}
	pthread_once(&once, use_our_memory);
	s = xcalloc(1, sizeof(*s));
	s->text = (const unsigned char *)text;
	s->n = n;
	s->depth_max = o->depth_max && o->depth_max < JDOM_DEPTH_MAX ? o->depth_max : JDOM_DEPTH_MAX;
	s->rep = (struct jdom_report){ .cut_at = -1, .junk_at = -1, .pruned_at = -1 };
	if (rewrite(s, o->mend, e)) {
		d = xcalloc(1, sizeof(*d));
		d->root = cJSON_ParseWithLength(s->out, s->out_n);
		settle(d->root);
		if (r)
			*r = s->rep;
		if (!d->root) {	/* the scanner lets nothing pass that the library refuses */
			err_set(e, ERR_INTERNAL, _("the JSON library refuses the text"));
			jdom_free(d);
			d = NULL;
		}
	}
	free(s->out);
	free(s);
	return d;
}

void jdom_free(struct jdom *d)
{
	if (!d)
		return;
	cJSON_Delete(d->root);
	free(d);
}

/* ---- values ------------------------------------------------------------------------------------ */

/* struct jval is only a name for the library's node. */
static const cJSON *node(const struct jval *v)
{
	return (const cJSON *)(const void *)v;
}

static const struct jval *jval(const cJSON *c)
{
	return (const struct jval *)(const void *)c;
}

const struct jval *jdom_root(const struct jdom *d)
{
	return jval(d->root);
}

enum jkind jval_kind(const struct jval *v)
{
	static const struct {
		int type;
		enum jkind kind;
	} kinds[] = {
		{ cJSON_NULL, JDOM_NULL }, { cJSON_True, JDOM_BOOL }, { cJSON_False, JDOM_BOOL }, { cJSON_Raw, JDOM_NUMBER },
		{ cJSON_String, JDOM_STRING }, { cJSON_Array, JDOM_ARRAY }, { cJSON_Object, JDOM_OBJECT },
	};

	for (size_t i = 0; v && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((node(v)->type & 0xff) == kinds[i].type)
			return kinds[i].kind;
	return JDOM_ABSENT;
}

const struct jval *jval_get(const struct jval *v, const char *key)
{
	return jval_kind(v) == JDOM_OBJECT ? jval(cJSON_GetObjectItemCaseSensitive(node(v), key)) : NULL;
}

const struct jval *jval_first(const struct jval *v)
{
	return v ? jval(node(v)->child) : NULL;
}

const struct jval *jval_next(const struct jval *v)
{
	return v ? jval(node(v)->next) : NULL;
}

const char *jval_key(const struct jval *v)
{
	return v ? node(v)->string : NULL;
}

const char *jval_text(const struct jval *v, size_t *n)
{
	enum jkind k = jval_kind(v);

	*n = 0;
	if (k != JDOM_STRING && k != JDOM_NUMBER)
		return NULL;
	*n = (size_t)node(v)->valueint;
	return node(v)->valuestring;
}

bool jval_true(const struct jval *v)
{
	return v && (node(v)->type & 0xff) == cJSON_True;
}

enum jget jval_get_str(const struct jval *v, const char *key, const char **s, size_t *n)
{
	const struct jval *m = jval_get(v, key);

	if (!m)
		return JGET_ABSENT;
	if (jval_kind(m) != JDOM_STRING)
		return JGET_WRONG;
	*s = jval_text(m, n);
	return JGET_OK;
}

static enum jget get_decimal(const struct jval *v, const char *key, int digits, int64_t *out, bool *exact)
{
	const struct jval *m = jval_get(v, key);
	const char *s;
	size_t n;

	if (!m)
		return JGET_ABSENT;
	if (jval_kind(m) != JDOM_NUMBER)
		return JGET_WRONG;
	s = jval_text(m, &n);
	return decimal_scaled(s, n, digits, out, exact) ? JGET_OK : JGET_WRONG;
}

enum jget jval_get_i64(const struct jval *v, const char *key, int64_t *out)
{
	int64_t got;
	bool exact;
	enum jget g = get_decimal(v, key, 0, &got, &exact);

	if (g == JGET_OK && !exact)
		return JGET_WRONG;
	if (g == JGET_OK)
		*out = got;
	return g;
}

enum jget jval_get_scaled(const struct jval *v, const char *key, int digits, int64_t *out)
{
	int64_t got;
	enum jget g = get_decimal(v, key, digits, &got, NULL);

	if (g == JGET_OK)
		*out = got;
	return g;
}
