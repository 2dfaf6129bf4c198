/* jscan.c - tolerant pull scanner for JSON text in a window; see jscan.h */
#include "base/jscan.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/decimal.h"
#include "base/mem.h"
#include "base/text.h"

void jscan_init(struct jscan *js, const char *p, size_t n, int64_t base, bool last)
{
	*js = (struct jscan){ .p = p, .end = p + n, .begin = p, .base = base, .last = last };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* ---- strings ---- */

/*
 * The first quote or backslash in [p, end), else end. May look at up to 15 bytes behind end
 * (JSCAN_PAD).
 */
static const char *find_quote(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');

	for (; p < end; p += 16) {
		__m128i v = _mm_loadu_si128((const void *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);

		if (mask) {
			p += __builtin_ctz(mask);
			break;
		}
	}
	return p < end ? p : end;
#else
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
#endif
}

static bool key_listed(const char *const *keys, const char *s, size_t n)
{
	for (; *keys; keys++)
		if (text_is(s, n, *keys))
			return true;
	return false;
}

/* Whether one of js->keys and its colon follow (js is a copy: it may be moved). */
static enum jstat key_follows(struct jscan *js)
{
	const char *s, *q;

	if (!js->keys)
		return JS_OK;
	if (jscan_peek(js) != '"')
		return js->p < js->end ? JS_BAD : jscan_at_end(js);
	s = js->p + 1;
	q = find_quote(s, js->end);
	if (q == js->end)
		return jscan_at_end(js);
	js->p = q + 1;
	if (*q != '"' || !key_listed(js->keys, s, (size_t)(q - s)))
		return JS_BAD;
	return jscan_take(js, ':');
}

/* Lenient mode: whether the quote at q ends the string. */
static enum jstat closes(const struct jscan *js, const char *q)
{
	struct jscan at = *js;
	char c;

	at.p = q + 1;
	c = jscan_peek(&at);
	if (at.p == at.end)
		return js->last ? JS_OK : JS_MORE;
	at.p++;
	if (c == ',')
		return key_follows(&at);
	if (c != '}' && c != ']')
		return JS_BAD;
	c = jscan_peek(&at);
	if (at.p == at.end)
		return js->last ? JS_OK : JS_MORE;
	return c == ',' || c == '}' || c == ']' || c == '{' ? JS_OK : JS_BAD;
}

/*
 * A string that does not end in the window; where the text ends as well, that is where it went
 * wrong.
 */
static enum jstat string_open(struct jscan *js)
{
	if (js->last)
		js->p = js->end;
	return jscan_at_end(js);
}

static enum jstat string_at(struct jscan *js, struct jstr *out, bool lenient)
{
	const char *s = js->p + 1, *q = s;
	enum jstat st;

	out->escaped = false;
	for (;; q++) {
		q = find_quote(q, js->end);
		if (q == js->end)
			return string_open(js);
		if (*q == '\\') {
			out->escaped = true;
			if (++q == js->end)
				return string_open(js);
			continue;
		}
		st = lenient ? closes(js, q) : JS_OK;
		if (st == JS_MORE)
			return st;
		if (st == JS_OK)
			break;
	}
	out->s = s;
	out->n = (size_t)(q - s);
	js->p = q + 1;
	return JS_OK;
}

enum jstat jscan_string(struct jscan *js, struct jstr *out)
{
	if (jscan_peek(js) != '"')
		return js->p < js->end ? JS_BAD : jscan_at_end(js);
	return string_at(js, out, js->lenient);
}

enum jstat jscan_key(struct jscan *js, struct jstr *out)
{
	enum jstat st;

	if (jscan_peek(js) != '"')
		return js->p < js->end ? JS_BAD : jscan_at_end(js);
	st = string_at(js, out, false);
	return st == JS_OK ? jscan_take(js, ':') : st;
}

bool jstr_is(const struct jstr *s, const char *word)
{
	return text_is(s->s, s->n, word);
}

static unsigned hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (unsigned)((c | 32) - 'a') + 10;
	return 16;
}

/* Four hexadecimal digits at s, or -1. */
static long hex4(const char *s, const char *end)
{
	long v = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		unsigned d = hex_value(s[i]);

		if (d > 15)
			return -1;
		v = v * 16 + (long)d;
	}
	return v;
}

/* s is behind "\u"; returns what is behind the escape, NULL if it is none. */
static const char *put_unicode(char **o, const char *s, const char *end)
{
	long hi = hex4(s, end), lo;
	uint32_t c = (uint32_t)hi;

	if (hi < 0)
		return NULL;
	s += 4;
	if (hi >= 0xd800 && hi < 0xe000) {
		lo = end - s >= 6 && s[0] == '\\' && s[1] == 'u' ? hex4(s + 2, end) : -1;
		if (hi < 0xdc00 && lo >= 0xdc00 && lo < 0xe000) {
			c = 0x10000 + ((uint32_t)(hi - 0xd800) << 10) + (uint32_t)(lo - 0xdc00);
			s += 6;
		}
	}
	*o += text_encode(*o, c);
	return s;
}

/*
 * s is at a backslash; returns what is behind the escape. An escape never grows when it is decoded.
 */
static const char *put_escape(char **o, const char *s, const char *end)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit, *next;

	if (end - s < 2) {
		*(*o)++ = *s;
		return s + 1;
	}
	hit = memchr(from, s[1], sizeof(from) - 1);
	if (hit) {
		*(*o)++ = to[hit - from];
		return s + 2;
	}
	next = s[1] == 'u' ? put_unicode(o, s + 2, end) : NULL;
	if (next)
		return next;
	*(*o)++ = *s;	/* unknown: a path with backslashes; the letter follows by itself */
	return s + 1;
}

const char *jstr_plain(const struct jstr *s, char **buf, size_t *cap, size_t *n)
{
	const char *p = s->s, *end = p + s->n;
	char *o;

	*n = s->n;
	if (!s->escaped)
		return p;
	if (*cap < s->n + 1) {
		*cap = mem_grow(*cap, s->n + 1);
		*buf = xrealloc(*buf, *cap);
	}
	for (o = *buf; p < end; )
		if (*p == '\\')
			p = put_escape(&o, p, end);
		else
			*o++ = *p++;
	*n = (size_t)(o - *buf);
	return *buf;
}

/* ---- any value ---- */

enum jstat jscan_word(struct jscan *js, struct jstr *out)
{
	const char *s, *p;

	jscan_peek(js);
	for (s = p = js->p; p < js->end; p++)
		if (*p == ',' || *p == '}' || *p == ']' || is_blank(*p))
			break;
	if (p == js->end && !js->last)
		return JS_MORE;
	if (p == s || *s == '"' || *s == '{' || *s == '[' || *s == ':')
		return JS_BAD;
	*out = (struct jstr){ .s = s, .n = (size_t)(p - s) };
	js->p = p;
	return JS_OK;
}

static enum jstat skip_string(struct jscan *js, bool lenient)
{
	struct jstr s;

	return string_at(js, &s, lenient);
}

static enum jstat skip_nest(struct jscan *js)
{
	unsigned depth = 0;
	enum jstat st;

	for (; js->p < js->end; js->p++) {
		switch (*js->p) {
		case '"':
			st = skip_string(js, false);
			if (st != JS_OK)
				return st;
			js->p--;
			break;
		case '{':
		case '[':
			if (++depth > JSCAN_DEPTH)
				return JS_BAD;
			break;
		case '}':
		case ']':
			if (--depth == 0) {
				js->p++;
				return JS_OK;
			}
			break;
		default:
			break;
		}
	}
	return jscan_at_end(js);
}

enum jstat jscan_skip(struct jscan *js)
{
	char c = jscan_peek(js);
	struct jstr w;

	if (c == '"')
		return skip_string(js, js->lenient);
	if (c == '{' || c == '[')
		return skip_nest(js);
	return jscan_word(js, &w);
}

enum jstat jscan_skip_some(struct jscan *js, struct jscan_skipper *k)
{
	for (; js->p < js->end; js->p++) {
		char c = *js->p;
		bool stop = c == ',' || c == '}' || c == ']' || is_blank(c);

		if (k->in_string) {
			k->in_string = k->escape || c != '"';
			k->escape = !k->escape && c == '\\';
			if (!k->in_string && !k->depth) {
				js->p++;
				return JS_OK;
			}
			continue;
		}
		if (k->word ? stop : k->started && !k->depth)
			return JS_OK;
		if (is_blank(c))
			continue;
		if (c == '"')
			k->in_string = true;
		else if (c == '{' || c == '[')
			k->depth++;
		else if ((c == '}' || c == ']') && k->depth)
			k->depth--;
		else if (!k->depth && stop)
			return JS_BAD;
		else
			k->word = !k->depth;
		k->started = true;
	}
	if (!js->last)
		return JS_MORE;
	return k->started && !k->depth && !k->in_string ? JS_OK : JS_BAD;
}

/* ---- numbers ---- */

static int64_t with_sign(uint64_t v, bool negative)
{
	if (v > INT64_MAX)
		return negative ? INT64_MIN : INT64_MAX;
	return negative ? -(int64_t)v : (int64_t)v;
}

bool jnum_us(const char *s, size_t n, int64_t *ns)
{
	struct decimal d;

	if (!decimal_split(s, n, &d))
		return false;
	*ns = with_sign(decimal_times(&d, 1000, true, NULL), d.negative);
	return true;
}

static bool hexadecimal(const char *s, size_t n, uint64_t *v)
{
	if (n < 3 || n > 18 || s[0] != '0' || (s[1] | 32) != 'x')
		return false;
	*v = 0;
	for (size_t i = 2; i < n; i++) {
		unsigned d = hex_value(s[i]);

		if (d > 15)
			return false;
		*v = *v << 4 | d;
	}
	return true;
}

bool jnum_i64(const char *s, size_t n, int64_t *out)
{
	struct decimal d;
	uint64_t v;

	if (hexadecimal(s, n, &v)) {
		*out = with_sign(v, false);
		return true;
	}
	if (!decimal_split(s, n, &d))
		return false;
	*out = with_sign(decimal_times(&d, 1, false, NULL), d.negative);
	return true;
}

bool jnum_u64(const char *s, size_t n, uint64_t *out)
{
	struct decimal d;
	uint64_t v;

	if (hexadecimal(s, n, out))
		return true;
	if (!decimal_split(s, n, &d))
		return false;
	v = decimal_times(&d, 1, false, NULL);
	*out = d.negative ? (uint64_t)with_sign(v, true) : v;
	return true;
}

/*
 * The text of a number that is bare or in quotes; n = 0 if the value (which is skipped) can be
 * none.
 */
static enum jstat number_text(struct jscan *js, struct jstr *s)
{
	char c = jscan_peek(js);

	if (c == '"')
		return string_at(js, s, js->lenient);
	if (c != '{' && c != '[')
		return jscan_word(js, s);
	s->n = 0;
	s->s = js->p;
	return jscan_skip(js);
}

/*
 * Whether the number that ended at p is really over: not the window's end, not a fraction or an
 * exponent.
 */
static bool number_over(const struct jscan *js, const char *p)
{
	return p < js->end && (*p == ',' || *p == '}' || *p == ']' || is_blank(*p));
}

/* Up to 18 digits, which cannot overflow; returns what follows them. */
static const char *short_digits(const char *p, uint64_t *v)
{
	const char *limit = p + 18;
	uint64_t x = 0;

	for (; p < limit && (unsigned char)(*p - '0') < 10; p++)
		x = x * 10 + (uint64_t)(*p - '0');
	*v = x;
	return p;
}

enum jstat jscan_i64(struct jscan *js, int64_t *out, bool *known)
{
	bool negative = jscan_peek(js) == '-';
	const char *s = js->p + negative, *p;
	struct jstr t;
	enum jstat st;
	uint64_t v;

	p = short_digits(s, &v);
	if (p > s && number_over(js, p)) {
		*out = negative ? -(int64_t)v : (int64_t)v;
		*known = true;
		js->p = p;
		return JS_OK;
	}
	st = number_text(js, &t);
	*known = st == JS_OK && jnum_i64(t.s, t.n, out);
	return st;
}

enum jstat jscan_u64(struct jscan *js, uint64_t *out, bool *known)
{
	const char *s, *p;
	struct jstr t;
	enum jstat st;

	jscan_peek(js);
	s = js->p;
	p = short_digits(s, out);
	if (p > s && number_over(js, p)) {
		*known = true;
		js->p = p;
		return JS_OK;
	}
	st = number_text(js, &t);
	*known = st == JS_OK && jnum_u64(t.s, t.n, out);
	return st;
}

/* "123.456" and shorter, "123": what nearly every ts and dur is. NULL: something else. */
static const char *plain_us(const struct jscan *js, const char *s, uint64_t *ns)
{
	static const uint64_t scale[] = { 1000, 100, 10, 1 };
	uint64_t v, frac = 0;
	const char *p = short_digits(s, &v), *q;

	if (p == s || p - s > 16)	/* 10^16 us fit into an int64 of ns as well */
		return NULL;
	q = p;
	if (*p == '.') {
		s = p + 1;
		for (q = s; q < s + 3 && (unsigned char)(*q - '0') < 10; q++)
			frac = frac * 10 + (uint64_t)(*q - '0');
		frac *= scale[q - s];
	}
	if (!number_over(js, q) || v > INT64_MAX / 1000 - 1)
		return NULL;
	*ns = v * 1000 + (*p == '.' ? frac : 0);
	return q;
}

enum jstat jscan_us(struct jscan *js, int64_t *ns, bool *known)
{
	bool negative = jscan_peek(js) == '-';
	struct jstr t;
	enum jstat st;
	uint64_t v;
	const char *p = plain_us(js, js->p + negative, &v);

	if (p) {
		*ns = negative ? -(int64_t)v : (int64_t)v;
		*known = true;
		js->p = p;
		return JS_OK;
	}
	st = number_text(js, &t);
	*known = st == JS_OK && jnum_us(t.s, t.n, ns);
	return st;
}
