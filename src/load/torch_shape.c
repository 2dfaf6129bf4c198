/*
 * torch_shape.c - events that look like one met before, without looking at their keys; see torch_impl.h
 *
 * Writers of traces print each kind of event by the same few lines of code: the bytes between the values are the same every
 * time. A shape is what one event had there, and what kind of value each gap takes. An event that fits a shape byte for byte
 * is read by it; what does not fit, and every value that is not of the plainest form, goes to tparser_event(), which also is
 * the judge of what is an event at all: shapes are only learned from what it accepted. What follows a number or a bare word in
 * a shape is a comma, a blank or a bracket, because the parser saw it end there: so a value that ends elsewhere does not fit.
 *
 * Values of keys that nobody wants are skipped as the parser skips them.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "load/torch_impl.h"

#define LIT_MAX 1024		/* bytes between the values of one event */
#define GAPS_MAX 64
#define SHAPES_MAX 48
#define NAMES 256
#define PAD 16			/* readable bytes behind a literal */
#define MISSES_MAX 4096		/* so many more misses than hits: the file is of another kind */

enum gap_kind { GAP_END, GAP_TEXT, GAP_ID_TEXT, GAP_ID, GAP_INT, GAP_US, GAP_DIM, GAP_STRING, GAP_WORD, GAP_NEST };

struct gap {
	uint16_t lit, lit_n;	/* the literal in front of the value */
	uint16_t tail;		/* see same_bytes() */
	uint16_t at;		/* of the member of struct tev */
	uint32_t have;
	uint8_t kind;
	/* a whole number as it was last, with the byte behind it: it is often the same again (a process, a thread, a stream) */
	uint8_t last_n;
	uint64_t last_text, last_mask;
	int64_t last;
};

struct tshape {
	struct gap gaps[GAPS_MAX];
	unsigned n_gaps;
	char ph;
	uint32_t have;		/* from the literals: a category */
	uint16_t cat, cat_n;	/* it, in lit */
	uint8_t cat_number;	/* of the batch, + 1 */
	struct tshape *next[2];	/* what followed last, and before */
	char lit[LIT_MAX + PAD];
	unsigned lit_n;
};

/* The first digits of a time, which change seldom. */
struct front {
	uint64_t text, value;
};

struct tshapes {
	struct front front;
	struct tshape shapes[SHAPES_MAX];
	unsigned n;
	struct tshape *last;
	struct tshape *by_name[NAMES];	/* the last one of an event with a name of this hash */
	unsigned misses, hits;
};

struct tshapes *tshapes_new(void)
{
	struct tshapes *t = xcalloc(1, sizeof(*t));

	memset(&t->front.text, '0', sizeof(t->front.text));
	return t;
}

void tshapes_free(struct tshapes *t)
{
	free(t);
}

uint8_t *tshapes_cat(struct tshapes *t)
{
	return t && t->last && t->last->have & TEV_CAT ? &t->last->cat_number : NULL;
}

/* ---- reading by a shape ---- */

/*
 * A literal holds no zero byte, so it cannot go on into the zeros behind the window: no need to ask for its end. Of the last
 * 16 bytes `tail` says which belong to it.
 */
static inline bool same_bytes(const char *p, const char *lit, size_t n, unsigned tail)
{
#ifdef __SSE2__
	for (;; p += 16, lit += 16, n -= 16) {
		__m128i a = _mm_loadu_si128((const void *)p), b = _mm_loadu_si128((const void *)lit);
		unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));

		if (n <= 16)
			return (same & tail) == tail;
		if (same != 0xffff)
			return false;
	}
#else
	(void)tail;
	return strncmp(p, lit, n) == 0;
#endif
}

/* The first quote or backslash, or something behind end. */
static inline const char *string_end(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');

	for (; p < end; p += 16) {
		__m128i v = _mm_loadu_si128((const void *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);

		if (mask)
			return p + __builtin_ctz(mask);
	}
	return p;
#else
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
#endif
}

/* Eight digits at once; *n: how many of the eight bytes are digits in front. */
static inline uint64_t digits8(const char *p, unsigned *n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t t, other;

	memcpy(&t, p, 8);
	t ^= UINT64_C(0x3030303030303030);
	other = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
	*n = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
	if (!*n)
		return 0;
	t <<= 64 - 8 * *n;	/* zeros in front */
	t = t * 10 + (t >> 8);
	return (((t & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
		((t >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >> 32;
#else
	uint64_t v = 0;

	for (*n = 0; *n < 8 && (unsigned char)(p[*n] - '0') < 10; ++*n)
		v = v * 10 + (unsigned char)(p[*n] - '0');
	return v;
#endif
}

static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };

/* 1 to 16 digits; NULL if there are others. */
static inline const char *digits(const char *p, uint64_t *v)
{
	unsigned n, m;
	uint64_t x = digits8(p, &n);

	*v = x;
	if (n < 8)
		return n ? p + n : NULL;
	x = digits8(p + 8, &m);
	*v = *v * powers[m] + (m ? x : 0);
	return m < 8 || (unsigned char)(p[16] - '0') >= 10 ? p + 8 + m : NULL;
}

/* As digits(), with the first eight known from before. */
static inline const char *digits_behind(struct front *f, const char *p, uint64_t *v)
{
	uint64_t text, x;
	unsigned n;

	memcpy(&text, p, 8);
	if (text != f->text) {
		x = digits8(p, &n);
		if (n < 8) {
			*v = x;
			return n ? p + n : NULL;
		}
		*f = (struct front){ text, x };
	}
	x = digits8(p + 8, &n);
	*v = f->value * powers[n] + (n ? x : 0);
	return n < 8 || (unsigned char)(p[16] - '0') >= 10 ? p + 8 + n : NULL;
}

static const char *read_new_int(struct gap *g, const char *p, int64_t *v)
{
	const char *s = p;
	bool negative = *p == '-';
	uint64_t u;

	p = digits(p + negative, &u);
	*v = negative ? -(int64_t)u : (int64_t)u;
	if (p && p - s < 8) {
		g->last_n = (uint8_t)(p - s);
		g->last_mask = 0;
		memset(&g->last_mask, 0xff, g->last_n + 1u);
		memcpy(&g->last_text, s, 8);
		g->last_text &= g->last_mask;
		g->last = *v;
	}
	return p;
}

static inline const char *read_int(struct gap *g, const char *p, int64_t *v)
{
	uint64_t text;

	memcpy(&text, p, 8);
	if ((text & g->last_mask) != g->last_text || !g->last_mask)
		return read_new_int(g, p, v);
	*v = g->last;
	return p + g->last_n;
}

/* Up to three decimals: more are rounded, elsewhere. */
static inline const char *read_us(struct front *f, const char *p, ns_t *ns)
{
	bool negative = *p == '-';
	uint64_t u, frac = 0;
	unsigned n;

	p = digits_behind(f, p + negative, &u);
	if (!p || u > INT64_MAX / 1000 - 1)
		return NULL;
	if (*p == '.') {
		frac = digits8(p + 1, &n);
		if (n > 3)
			return NULL;
		frac *= powers[3 - n];
		p += 1 + n;
	}
	u = u * 1000 + frac;
	*ns = negative ? -(ns_t)u : (ns_t)u;
	return p;
}

/* [x, y, z] with three plain numbers. */
static inline const char *read_dim(const char *p, int32_t dim[3])
{
	for (unsigned i = 0; i < 3; i++) {
		unsigned n;
		uint64_t v;

		if (*p++ != "[,,"[i])
			return NULL;
		p += *p == ' ';
		v = digits8(p, &n);
		if (!n || n == 8)
			return NULL;
		dim[i] = (int32_t)v;
		p += n;
	}
	return *p == ']' ? p + 1 : NULL;
}

/* As jscan_word() goes. */
static inline const char *skip_word(const char *p, const char *end)
{
	const char *s = p;

	if (*p == '"' || *p == '{' || *p == '[' || *p == ':')
		return NULL;
#ifdef __SSE2__
	for (; p < end; p += 16) {
		__m128i v = _mm_loadu_si128((const void *)p);
		/* } and ] differ in one bit that , does not have, and no other byte becomes one of them */
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('}')),
					   _mm_cmpeq_epi8(v, _mm_set1_epi8(',')));
		unsigned mask;

		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8(' ')));
		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
		mask = (unsigned)_mm_movemask_epi8(hit);
		if (mask) {
			p += __builtin_ctz(mask);
			break;
		}
	}
#else
	while (p < end && *p != ',' && *p != '}' && *p != ']' && *p != ' ' && *p != '\n' && *p != '\r' && *p != '\t')
		p++;
#endif
	return p > s && p < end ? p : NULL;
}

/* The next quote or bracket; what differs in one bit is not told apart: { [ and } ] are, and so are some control bytes. */
static inline const char *nest_mark(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');

	for (; p < end; p += 16) {
		__m128i v = _mm_loadu_si128((const void *)p), w = _mm_or_si128(v, _mm_set1_epi8(0x20));
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, quote),
					   _mm_or_si128(_mm_cmpeq_epi8(w, open), _mm_cmpeq_epi8(w, close)));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);

		if (mask)
			return p + __builtin_ctz(mask);
	}
#else
	while (p < end && *p != '"' && *p != '{' && *p != '[' && *p != '}' && *p != ']')
		p++;
#endif
	return p;
}

/* As jscan_skip() goes; strings with escapes are left to it. */
static const char *skip_nest(const char *p, const char *end)
{
	unsigned depth = 0;

	if (*p != '[' && *p != '{')
		return NULL;
	for (; (p = nest_mark(p, end)) < end; p++) {
		if (*p == '"') {
			p = string_end(p + 1, end);
			if (p >= end || *p != '"')
				return NULL;
		} else if (*p == '{' || *p == '[') {
			if (++depth > JSCAN_DEPTH)
				return NULL;
		} else if ((*p == '}' || *p == ']') && --depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

/* A string up to its closing quote, without escapes. */
static inline const char *read_text(const char *p, const char *end, struct jstr *t)
{
	const char *q = string_end(p, end);

	if (q >= end || *q != '"')
		return NULL;
	*t = (struct jstr){ .s = p, .n = (size_t)(q - p) };
	return q;
}

static inline const char *read_gap(struct tshapes *ts, const struct jscan *js, const char *p, struct gap *g, struct tev *ev)
{
	void *at = (char *)ev + g->at;
	struct jstr t;

	switch ((enum gap_kind)g->kind) {
	case GAP_WORD:
		return skip_word(p, js->end);
	case GAP_STRING:
		return read_text(p, js->end, &t);
	case GAP_NEST:
		return skip_nest(p, js->end);
	case GAP_TEXT:
		p = read_text(p, js->end, at);
		ev->have |= p ? g->have : 0;
		return p;
	case GAP_ID_TEXT:
		ev->have |= g->have | g->have << 2;
		return read_text(p, js->end, at);
	case GAP_ID:
		ev->have = (ev->have | g->have) & ~(g->have << 2);
		return read_int(g, p, at);
	case GAP_INT:
		ev->have |= g->have;
		return read_int(g, p, at);
	case GAP_US:
		ev->have |= g->have;
		return read_us(&ts->front, p, at);
	case GAP_DIM:
		ev->have |= g->have;
		return read_dim(p, at);
	default:
		return NULL;
	}
}

static inline bool read_by(struct tshapes *t, struct tshape *s, struct jscan *js, struct tev *ev)
{
	const char *p = js->p;

	ev->have = s->have;
	for (struct gap *g = s->gaps;; g++) {
		if (!same_bytes(p, s->lit + g->lit, g->lit_n, g->tail))
			return false;
		p += g->lit_n;
		if (g->kind == GAP_END)
			break;
		p = read_gap(t, js, p, g, ev);
		if (!p)
			return false;
	}
	ev->ph = s->ph;
	if (!(ev->have & TEV_NAME))
		ev->name = (struct jstr){ .s = "" };
	ev->cat = (struct jstr){ .s = s->lit + s->cat, .n = s->cat_n };
	ev->offset = jscan_offset(js);
	js->p = p;
	return true;
}

/* ---- learning ---- */

struct learner {
	const struct tparser *parser;
	struct jscan js;
	struct tshape *s;
	const char *from;	/* where the present literal began */
};

/* The literal up to p, and a value that goes on to `end`. */
static bool put_gap(struct learner *l, const char *p, const char *end, struct gap g)
{
	struct tshape *s = l->s;
	size_t n = (size_t)(p - l->from);

	if (s->lit_n + n > LIT_MAX || s->n_gaps == GAPS_MAX || memchr(l->from, '\0', n))
		return false;
	memcpy(s->lit + s->lit_n, l->from, n);
	g.lit = (uint16_t)s->lit_n;
	g.lit_n = (uint16_t)n;
	g.tail = (uint16_t)(n % 16 ? (1u << n % 16) - 1 : n ? 0xffff : 0);
	s->lit_n += (unsigned)n;
	s->gaps[s->n_gaps++] = g;
	l->from = end;
	return true;
}

/* js is at a value that is not wanted. */
static bool learn_skip(struct learner *l)
{
	const char *v = l->js.p;
	struct gap g = { .kind = *v == '"' ? GAP_STRING : *v == '{' || *v == '[' ? GAP_NEST : GAP_WORD };

	if (jscan_skip(&l->js) != JS_OK)
		return false;
	return *v == '"' ? put_gap(l, v + 1, l->js.p - 1, g) : put_gap(l, v, l->js.p, g);
}

/* The category and the phase are part of the literal, and known by it. */
static bool learn_literal(struct learner *l, const struct tkey *k)
{
	struct tshape *s = l->s;
	struct jstr t;

	if (jscan_string(&l->js, &t) != JS_OK || t.escaped)
		return false;
	if (k->kind == K_PHASE) {
		s->ph = t.n == 1 ? *t.s : '?';
		return true;
	}
	s->have |= TEV_CAT;
	s->cat = (uint16_t)(s->lit_n + (size_t)(t.s - l->from));
	s->cat_n = (uint16_t)t.n;
	return t.n <= LIT_MAX;
}

static bool learn_text(struct learner *l, struct gap g)
{
	const char *v = l->js.p;
	struct jstr t;

	return jscan_string(&l->js, &t) == JS_OK && put_gap(l, v + 1, l->js.p - 1, g);
}

static bool learn_number(struct learner *l, struct gap g)
{
	const char *v = l->js.p;
	struct jstr t;

	return (*v == '-' || (unsigned char)(*v - '0') < 10) && jscan_word(&l->js, &t) == JS_OK && put_gap(l, v, l->js.p, g);
}

static bool learn_dim(struct learner *l, struct gap g)
{
	const char *v = l->js.p;

	return jscan_skip(&l->js) == JS_OK && put_gap(l, v, l->js.p, g);
}

/* js is at the value of a key that is wanted; null and the like remain literal, they say nothing. */
static bool learn_value(struct learner *l, const struct tkey *k)
{
	char c = *l->js.p;
	enum tkey_kind kind = (enum tkey_kind)k->kind;
	struct gap g = { .at = k->at, .have = k->have };
	struct jstr t;

	if (kind == K_SKIP)
		return learn_skip(l);
	/* not what it should be, and a bracket would fit where it is: not to be learned */
	if (kind == K_ARGS || (kind == K_DIM && c == '{'))
		return false;
	if (kind == K_DIM && c != '[')
		return learn_skip(l);
	if (kind == K_PHASE || g.have == TEV_CAT)
		return c == '"' && learn_literal(l, k);
	if (c == 'n' && kind != K_US)
		return jscan_word(&l->js, &t) == JS_OK && jstr_is(&t, "null");
	if (kind == K_TEXT || (kind == K_ID && c == '"')) {
		g.kind = kind == K_TEXT ? GAP_TEXT : GAP_ID_TEXT;
		g.at = kind == K_TEXT ? g.at : k->text_at;
		return c == '"' && learn_text(l, g);
	}
	g.kind = kind == K_US ? GAP_US : kind == K_ID ? GAP_ID : kind == K_DIM ? GAP_DIM : GAP_INT;
	return kind == K_DIM ? learn_dim(l, g) : learn_number(l, g);
}

/* One object and, in the event, its args: js behind the {. */
static bool learn_object(struct learner *l, const struct tkeys *keys)
{
	const struct tkey *k;
	struct jstr key;
	char c;

	while ((c = jscan_peek(&l->js)) != '}') {
		if (c == ',') {
			l->js.p++;
			continue;
		}
		if (jscan_key(&l->js, &key) != JS_OK || !jscan_peek(&l->js))
			return false;
		k = tkeys_find(keys, &key);
		if (k && k->kind == K_ARGS && *l->js.p == '{') {
			l->js.p++;
			if (!learn_object(l, &l->parser->args))
				return false;
		} else if (k ? !learn_value(l, k) : !learn_skip(l)) {
			return false;
		}
	}
	l->js.p++;
	return true;
}

/* js: as it was in front of the event, which goes on to `end`. */
static void learn(struct tshapes *t, const struct tparser *p, const struct jscan *js, const char *end)
{
	struct tshape *s = &t->shapes[t->n];
	struct learner l = { .parser = p, .js = *js, .s = s, .from = js->p };

	l.js.p++;
	if (!learn_object(&l, &p->event) || l.js.p != end || !put_gap(&l, end, end, (struct gap){ .kind = GAP_END })) {
		memset(s, 0, sizeof(*s));
		return;
	}
	s->next[0] = s;
	t->n++;
	t->last = s;
}

/* ---- the two together ---- */

/* The same operator has the same args nearly always. */
static struct tshape **place_of_name(struct tshapes *t, const struct jstr *name)
{
	uint64_t a = 0, b = 0;
	size_t k = name->n < 8 ? name->n : 8;

	memcpy(&a, name->s, k);
	memcpy(&b, name->s + name->n - k, k);
	return &t->by_name[((a ^ b * 31 ^ name->n) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % NAMES];
}

static bool fits(struct tshapes *t, struct tshape *s, struct jscan *js, struct tev *ev)
{
	struct tshape *l = t->last;

	if (!read_by(t, s, js, ev))
		return false;
	if (l && l->next[0] != s) {
		l->next[1] = l->next[0];
		l->next[0] = s;
	}
	t->last = s;
	t->hits++;
	return true;
}

/* What followed the shape before, what the name had last, and then all. */
static bool any_fits(struct tshapes *t, struct jscan *js, struct tev *ev)
{
	struct tshape *a = t->last ? t->last->next[0] : NULL, *b = t->last ? t->last->next[1] : NULL, *c = NULL;
	bool done;

	if (a && fits(t, a, js, ev))
		return true;
	if (a && (ev->have & TEV_NAME))
		c = *place_of_name(t, &ev->name);
	done = (c && c != a && fits(t, c, js, ev)) || (b && b != a && b != c && fits(t, b, js, ev));
	for (unsigned i = 0; i < t->n && !done; i++) {
		struct tshape *s = &t->shapes[i];

		done = s != a && s != b && s != c && fits(t, s, js, ev);
	}
	if (done && (ev->have & TEV_NAME))
		*place_of_name(t, &ev->name) = t->last;
	return done;
}

static enum jstat by_parser(struct tshapes *t, const struct tparser *p, struct jscan *js, struct tev *ev)
{
	struct jscan before = *js;
	enum jstat st = tparser_event(p, js, ev);

	t->misses++;
	t->last = NULL;
	if (st == JS_OK && t->n < SHAPES_MAX)
		learn(t, p, &before, js->p);
	return st;
}

enum jstat tshapes_event(struct tshapes *t, const struct tparser *p, struct jscan *js, struct tev *ev)
{
	if (t->misses > t->hits + MISSES_MAX) {
		t->last = NULL;
		return tparser_event(p, js, ev);
	}
	if (any_fits(t, js, ev))
		return JS_OK;
	return by_parser(t, p, js, ev);
}
