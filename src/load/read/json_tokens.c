/* json_tokens.c - JSON tokens out of a moving window, see json_tokens.h */
#include "base/decimal.h"
#include "load/read/json_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

void jtok_init(struct jtok *t, struct textwin *w)
{
	*t = (struct jtok){ .w = w, .junk_at = -1, .cut = N_("the JSON text ends early: what follows is missing") };
}

void jtok_fini(struct jtok *t)
{
	free(t->plain);
}

static bool blank(char c)
{
	return c == ' ' || c == '\n' || c == ',' || c == '\r' || c == '\t' || c == ':';
}

/* The next byte that is part of a token; false at the end. */
static bool find(struct textwin *w)
{
	for (;;) {
		while (w->p < w->end && blank(*w->p))
			w->p++;
		if (w->p < w->end)
			return true;
		if (!textwin_more(w))
			return false;
	}
}

/* Whether a colon follows the n bytes at p. */
static bool before_colon(struct textwin *w, size_t n)
{
	for (;;) {
		const char *c = w->p + n;

		while (c < w->end && (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t'))
			c++;
		if (c < w->end)
			return *c == ':';
		if (!textwin_more(w))
			return false;
	}
}

static enum jtok_kind string(struct jtok *t)
{
	struct textwin *w = t->w;
	size_t n = 1;
	bool key;

	t->s.escaped = false;
	for (;;) {
		if (n >= (size_t)(w->end - w->p)) {
			if (textwin_more(w))
				continue;
			w->p = w->end;
			return JT_END;
		}
		if (w->p[n] == '"')
			break;
		if (w->p[n] == '\\') {
			t->s.escaped = true;
			n++;
		}
		n++;
	}
	key = before_colon(w, n + 1);
	t->s.s = w->p + 1;
	t->s.n = n - 1;
	w->p += n + 1;
	return key ? JT_KEY : JT_STR;
}

static bool in_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+' || c == '_';
}

static enum jtok_kind word(struct jtok *t)
{
	struct textwin *w = t->w;
	size_t n = 0;
	char c;

	for (;;) {
		while (n < (size_t)(w->end - w->p) && in_word(w->p[n]))
			n++;
		if (n < (size_t)(w->end - w->p) || !textwin_more(w))
			break;
	}
	t->s = (struct jstr){ w->p, n, false };
	w->p += n;
	if (w->p == w->end && t->depth)
		return JT_END;
	c = t->s.s[0];
	return (c >= '0' && c <= '9') || (c == '-' && n > 1 && t->s.s[1] >= '0' && t->s.s[1] <= '9') ? JT_NUM : JT_WORD;
}

static enum jtok_kind token(struct jtok *t)
{
	struct textwin *w = t->w;

	while (find(w)) {
		switch (*w->p) {
		case '{':
		case '[':
			t->depth++;
			return *w->p++ == '{' ? JT_OBJ : JT_ARR;
		case '}':
		case ']':
			t->depth -= t->depth > 0;
			return *w->p++ == '}' ? JT_OBJ_END : JT_ARR_END;
		case '"':
			return string(t);
		default:
			if (in_word(*w->p))
				return word(t);
			if (!t->junk++)
				t->junk_at = textwin_offset(w);
			w->p++;
		}
	}
	return JT_END;
}

enum jtok_kind jtok_next(struct jtok *t)
{
	t->kind = token(t);
	if (t->kind != JT_END && t->kind != JT_KEY)
		t->whole = textwin_offset(t->w);
	return t->kind;
}

static void skip_to(struct jtok *t, uint32_t depth)
{
	while (t->kind != JT_END && t->depth > depth)
		jtok_next(t);
}

void jtok_skip_rest(struct jtok *t)
{
	if (t->kind == JT_OBJ || t->kind == JT_ARR)
		skip_to(t, t->depth - 1);
}

void jtok_skip(struct jtok *t)
{
	struct textwin *w = t->w;
	struct jscan_skipper k = { 0 };
	struct jscan js;
	enum jstat st = JS_MORE;

	if (!find(w) || *w->p == '}' || *w->p == ']')
		return;
	while (st == JS_MORE) {
		jscan_init(&js, w->p, (size_t)(w->end - w->p), 0, false);
		st = jscan_skip_some(&js, &k);
		w->p += js.p - js.begin;
		if (st == JS_MORE && !textwin_more(w))
			break;
	}
	t->kind = st == JS_OK ? JT_WORD : JT_END;
	if (st == JS_OK)
		t->whole = textwin_offset(w);
}

bool jtok_key(struct jtok *t, uint32_t depth)
{
	if (t->depth < depth)	/* its value closed more than it opened */
		return false;
	while (jtok_next(t) != JT_END && t->depth >= depth)
		if (t->kind == JT_KEY && t->depth == depth)
			return true;
	return false;
}

bool jtok_element(struct jtok *t, uint32_t depth)
{
	if (t->depth < depth)
		return false;
	skip_to(t, depth);
	return jtok_next(t) != JT_END && t->depth >= depth;
}

const char *jtok_text(struct jtok *t, size_t *n)
{
	return jstr_plain(&t->s, &t->plain, &t->plain_cap, n);
}

bool jtok_scaled(struct jtok *t, int digits, int64_t *out)
{
	jtok_next(t);
	if (t->kind == JT_NUM)
		return decimal_scaled(t->s.s, t->s.n, digits, out, NULL);
	jtok_skip_rest(t);
	return false;
}

bool jtok_string(struct jtok *t, const char **s, size_t *n)
{
	jtok_next(t);
	if (t->kind == JT_STR) {
		*s = jtok_text(t, n);
		return true;
	}
	jtok_skip_rest(t);
	return false;
}

bool jtok_i64(const struct jtok *t, int64_t *out)
{
	return t->kind == JT_NUM && jnum_i64(t->s.s, t->s.n, out);
}

void jtok_finish(struct jtok *t)
{
	if (t->depth && t->kind == JT_END && !t->w->failed)
		builder_damage(t->w->lx->builder, t->cut, t->whole, 1);
	if (t->junk)
		builder_damage(t->w->lx->builder, N_("bytes that are no JSON"), t->junk_at, t->junk);
}

void jtok_behind(struct jtok *t)
{
	if (!t->depth && find(t->w))
		builder_damage(t->w->lx->builder, N_("something follows the JSON value"), textwin_offset(t->w), 1);
}

bool jtok_open(struct jtok *t, enum jtok_kind kind, uint32_t *depth)
{
	if (jtok_next(t) != kind) {
		jtok_skip_rest(t);
		return false;
	}
	*depth = t->depth;
	return true;
}

void jtok_objects(struct jtok *t, void (*fn)(void *arg), void *arg)
{
	uint32_t depth;

	if (!jtok_open(t, JT_ARR, &depth))
		return;
	while (jtok_element(t, depth))
		if (t->kind == JT_OBJ)
			fn(arg);
}

bool jtok_pass(struct jtok *t, struct load_ctx *lx, const char *path, void (*read)(void *arg), void *arg, bool tell, struct err *e)
{
	struct textwin w;
	bool ok = textwin_open(&w, lx, path, e);

	jtok_init(t, &w);
	if (ok) {
		read(arg);
		if (tell) {
			jtok_finish(t);
			textwin_finish(&w);
		}
	}
	ok = ok && !w.failed;
	jtok_fini(t);
	textwin_close(&w);
	return ok;
}
