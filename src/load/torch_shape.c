/*
 * torch_shape.c - events that look like one met before, without looking at their keys; see torch_impl.h
 *
 * Writers of traces print each kind of event by the same few lines of code: the bytes between the values are the same every
 * time. A shape is what one event had there, and what kind of value each gap takes. An event that fits a shape byte for byte
 * is read by it; what does not fit, and every value that is not of the plainest form, goes to tparser_event(), which also is
 * the judge of what is an event at all: shapes are only learned from what it accepted. What follows a number or a bare word in
 * a shape is a comma, a blank or a bracket, because the parser saw it end there: so a value that ends elsewhere does not fit.
 *
 * Many values are the same in event after event: the process, the thread, the stream, sizes. A shape keeps what it read last,
 * and compares such values together with the literals around them, as one text: equal bytes have equal values. Only gaps whose
 * value varies are read one by one; which these are is found out by counting. A shape is thus a list of pieces: a text to
 * compare, and behind it a value to read. Where a text differs, the event is read gap by gap, and gives the texts anew.
 *
 * Values of keys that nobody wants are skipped as the parser skips them.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "load/torch_impl.h"
#include "load/torch_num.h"

#define LIT_MAX 1024		/* bytes between the values of one event */
#define STEADY_MAX 512		/* bytes of the values that are compared with them */
#define GAPS_MAX 64
#define SHAPES_MAX 48
#define NAMES 256		/* a power of 2 */
#define PAD 16			/* readable bytes behind a literal */
#define MISSES_MAX 4096		/* so many more misses than hits: the file is of another kind */
#define BEFORE 8		/* predecessors told apart by the guess at what comes next */

enum gap_kind { GAP_END, GAP_TEXT, GAP_ID_TEXT, GAP_ID, GAP_INT, GAP_US, GAP_TIME, GAP_DIM, GAP_STRING, GAP_WORD, GAP_NEST, GAP_LIST };

struct gap {
	uint16_t lit, lit_n;	/* the literal in front of the value */
	uint16_t tail;		/* see same_bytes() */
	uint16_t at;		/* of the member of struct tev */
	uint32_t have;
	uint8_t kind;
	bool varies;
	uint16_t text, text_n;	/* !varies: the value last read, in the shape's texts */
	uint32_t changed;	/* so often it was another one */
};

/* A text to compare, and the value behind it. */
struct piece {
	uint16_t text, n, tail;
	uint16_t at;
	uint8_t kind;
	bool literal;		/* the text holds no value: where it differs the event has another shape */
	char stop;		/* what ends the value, if it is a word */
};

struct tshape {
	struct piece pieces[GAPS_MAX];
	struct tev ev;			/* of the event read last; its texts may lie in `text` */
	struct tknown known;
	uint32_t events;
	unsigned index, name_piece;	/* name_piece: behind it the name is known */
	struct tshape *next[BEFORE];	/* what followed last, by the shape before this */
	struct gap gaps[GAPS_MAX];
	unsigned n_gaps;
	uint16_t cat, cat_n;		/* the category, in lit */
	unsigned lit_n;
	char lit[LIT_MAX + PAD];
	char text[LIT_MAX + STEADY_MAX + PAD];
};

struct tshapes {
	struct front front;
	struct tshape shapes[SHAPES_MAX];
	unsigned n;
	struct tshape *last;
	unsigned before;		/* the index of the one before, of BEFORE */
	const struct jstr *name;	/* of the event that did not fit, if that much is known */
	struct tshape *by_name[NAMES];	/* the last one of an event with a name of this hash */
	unsigned misses, hits;
	struct tev parsed, walked;	/* read by the parser, and gap by gap */
};

struct tshapes *tshapes_new(void)
{
	return xcalloc(1, sizeof(struct tshapes));
}

void tshapes_free(struct tshapes *t)
{
	free(t);
}

struct tknown *tshapes_known(struct tshapes *t)
{
	return t->last ? &t->last->known : NULL;
}

/* ---- reading by a shape ---- */

/*
 * A literal holds no zero byte, so it cannot go on into the zeros behind the window: no need to ask for its end. Of the last
 * 16 bytes `tail` says which belong to it.
 */
static inline bool same_bytes(const char *p, const char *lit, size_t n, unsigned tail)
{
#ifdef __SSE2__
	for (; n > 32; p += 32, lit += 32, n -= 32) {
		__m128i a = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)p), _mm_loadu_si128((const void *)lit));
		__m128i b = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)(p + 16)), _mm_loadu_si128((const void *)(lit + 16)));

		if (_mm_movemask_epi8(_mm_and_si128(a, b)) != 0xffff)
			return false;
	}
	for (;; p += 16, lit += 16, n -= 16) {
		__m128i a = _mm_loadu_si128((const void *)p), b = _mm_loadu_si128((const void *)lit);
		unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));

		if (n <= 16)
			return !(~same & tail);
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

/* A list as it stands there. */
static inline const char *read_list(const char *p, const char *end, struct jstr *t)
{
	const char *q = *p == '[' ? skip_nest(p, end) : NULL;

	if (q)
		*t = (struct jstr){ .s = p, .n = (size_t)(q - p) };
	return q;
}

/* stop: what follows a word; a number that it ends need not be looked at closely. */
static inline const char *skip_number(const char *p, const char *end, char stop)
{
	unsigned n;

	digits8(p, &n);
	return n && n < 8 && p[n] == stop ? p + n : skip_word(p, end);
}

static inline __attribute__((always_inline)) const char *read_value(struct tshapes *ts, const struct jscan *js, const char *p, enum gap_kind kind, char stop, void *at)
{
	struct jstr t;

	switch (kind) {
	case GAP_TEXT:
	case GAP_ID_TEXT:
		return read_text(p, js->end, at);
	case GAP_TIME:
		return read_time(&ts->front, p, at);
	case GAP_US:
		return read_us(p, at);
	case GAP_ID:
	case GAP_INT:
		return read_int(p, at);
	case GAP_WORD:
		return skip_number(p, js->end, stop);
	case GAP_STRING:
		return read_text(p, js->end, &t);
	case GAP_NEST:
		return skip_nest(p, js->end);
	case GAP_DIM:
		return read_dim(p, at);
	case GAP_LIST:
		return read_list(p, js->end, at);
	default:
		return NULL;
	}
}

/* ---- which values are steady ---- */

#define OF_LANE (TEV_PID | TEV_TID | TEV_DEVICE | TEV_STREAM | TEV_CONTEXT)
#define OF_DETAIL (TEV_GRID | TEV_BLOCK | TEV_REGISTERS | TEV_SHARED | TEV_NODE)

/* Where each gap's value lies in an event. */
struct places {
	const char *at[GAPS_MAX];
	size_t n[GAPS_MAX];
};

/* A text value that is compared lies in the shape, not in the window. */
static void keep_text(struct tshape *s, const struct gap *g)
{
	if (g->kind == GAP_TEXT || g->kind == GAP_ID_TEXT || g->kind == GAP_LIST)
		((struct jstr *)(void *)((char *)&s->ev + g->at))->s = s->text + g->text;
}

/* Puts the values at `pl`, which s->ev holds, into the texts. */
static void lay_out(struct tshape *s, const struct places *pl)
{
	unsigned n = 0, from = 0, at = 0;
	bool literal = true;
	uint32_t varying = 0;

	s->name_piece = GAPS_MAX;
	for (unsigned i = 0; i < s->n_gaps; i++) {
		struct gap *g = &s->gaps[i];
		struct piece *c = &s->pieces[n];

		memcpy(s->text + at, s->lit + g->lit, g->lit_n);
		at += g->lit_n;
		/* nothing that compares may go on into the zeros behind the window */
		if (g->kind != GAP_END && !g->varies && (at + pl->n[i] > (size_t)STEADY_MAX + g->lit || memchr(pl->at[i], '\0', pl->n[i])))
			g->varies = true;
		if (g->have == TEV_NAME)
			s->name_piece = n;
		if (g->kind != GAP_END && !g->varies) {
			g->text = (uint16_t)at;
			g->text_n = (uint16_t)pl->n[i];
			memcpy(s->text + at, pl->at[i], pl->n[i]);
			at += g->text_n;
			keep_text(s, g);
			literal = false;
			continue;
		}
		varying |= g->have;
		*c = (struct piece){ .text = (uint16_t)from, .n = (uint16_t)(at - from), .at = g->at, .kind = g->kind, .literal = literal };
		c->tail = (uint16_t)(c->n % 16 ? (1u << c->n % 16) - 1 : c->n ? 0xffff : 0);
		if (g->kind == GAP_WORD)
			c->stop = s->lit[g[1].lit];
		n++;
		from = at;
		literal = true;
	}
	s->known = (struct tknown){ .steady = (varying & OF_LANE ? 0 : TKNOWN_LANE) | (varying & OF_DETAIL ? 0 : TKNOWN_AUX) |
						  (varying & TEV_NAME ? 0 : TKNOWN_NAME) };
}

static void count_change(const struct tshape *s, struct gap *g, const char *v, size_t n)
{
	if (g->varies || (n == g->text_n && memcmp(v, s->text + g->text, n) == 0))
		return;
	g->changed++;
	g->varies = g->changed > 2 && g->changed > s->events / 16;
}

/* Gap by gap, into t->walked; what is behind the event, NULL if it does not fit. */
static const char *walk(struct tshapes *t, const struct tshape *s, const struct jscan *js, struct places *pl)
{
	const char *p = js->p;

	t->walked = s->ev;
	for (const struct gap *g = s->gaps;; g++) {
		if (!same_bytes(p, s->lit + g->lit, g->lit_n, g->tail))
			return NULL;
		p += g->lit_n;
		if (g->kind == GAP_END)
			return p;
		pl->at[g - s->gaps] = p;
		p = read_value(t, js, p, (enum gap_kind)g->kind, s->lit[g[1].lit], (char *)&t->walked + g->at);
		if (!p)
			return NULL;
		pl->n[g - s->gaps] = (size_t)(p - pl->at[g - s->gaps]);
	}
}

static const char *read_by_gaps(struct tshapes *t, struct tshape *s, const struct jscan *js)
{
	struct places pl;
	const char *p = walk(t, s, js, &pl);

	if (!p)
		return NULL;
	for (unsigned i = 0; i + 1 < s->n_gaps; i++)
		count_change(s, &s->gaps[i], pl.at[i], pl.n[i]);
	s->ev = t->walked;
	lay_out(s, &pl);
	return p;
}

/* Into s->ev. What is behind the event, NULL if it does not fit. */
static inline const char *read_by(struct tshapes *t, struct tshape *s, const struct jscan *js)
{
	const struct piece *c = s->pieces;
	const char *p = js->p;

	for (;; c++) {
		if (!same_bytes(p, s->text + c->text, c->n, c->tail)) {
			if (!c->literal)
				return read_by_gaps(t, s, js);
			break;
		}
		p += c->n;
		if (c->kind == GAP_END)
			return p;
		p = read_value(t, js, p, (enum gap_kind)c->kind, c->stop, (char *)&s->ev + c->at);
		if (!p)
			break;
	}
	t->name = (unsigned)(c - s->pieces) > s->name_piece ? &s->ev.name : NULL;
	return NULL;
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
		s->ev.ph = t.n == 1 ? *t.s : '?';
		return true;
	}
	s->ev.have |= TEV_CAT;
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

static bool learn_list(struct learner *l, struct gap g)
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
	if (kind == K_ARGS || ((kind == K_DIM || kind == K_LIST) && c == '{'))
		return false;
	if ((kind == K_DIM || kind == K_LIST) && c != '[')
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
	if (kind == K_US)
		g.kind = g.have == TEV_TS ? GAP_TIME : GAP_US;
	else
		g.kind = kind == K_ID ? GAP_ID : kind == K_DIM ? GAP_DIM : kind == K_LIST ? GAP_LIST : GAP_INT;
	return kind == K_DIM || kind == K_LIST ? learn_list(l, g) : learn_number(l, g);
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

/* What follows from the gaps: which members are known, and which values cannot be compared. */
static void settle(struct tshape *s)
{
	for (unsigned i = 0; i < s->n_gaps; i++) {
		struct gap *g = &s->gaps[i];

		if (g->kind == GAP_ID_TEXT)
			s->ev.have |= g->have | g->have << 2;
		else if (g->kind == GAP_ID)
			s->ev.have = (s->ev.have | g->have) & ~(g->have << 2);
		else
			s->ev.have |= g->have;
		/* others look at an event's texts later: only what is known of spans at once may lie in the shape */
		g->varies = (g->have & (TEV_TS | TEV_DUR | TEV_CORR | TEV_EXT)) || g->kind == GAP_ID_TEXT ||
			(g->kind == GAP_TEXT && (g->have != TEV_NAME || s->ev.ph != 'X')) || (g->kind == GAP_LIST && s->ev.ph != 'X');
		/* of one key twice the last counts, so that both are to be read */
		for (unsigned k = 0; k < i; k++)
			if (g->at && s->gaps[k].at == g->at)
				g->varies = s->gaps[k].varies = true;
	}
	s->ev.name = (struct jstr){ .s = "" };
	s->ev.cat = (struct jstr){ .s = s->lit + s->cat, .n = s->cat_n };
}

/* js: as it was in front of the event, which goes on to `end`. */
static void learn(struct tshapes *t, const struct tparser *p, const struct jscan *js, const char *end)
{
	struct tshape *s = &t->shapes[t->n];
	struct learner l = { .parser = p, .js = *js, .s = s, .from = js->p };
	struct places pl;
	bool good;

	l.js.p++;
	good = learn_object(&l, &p->event) && l.js.p == end && put_gap(&l, end, end, (struct gap){ .kind = GAP_END });
	if (good) {
		settle(s);
		good = walk(t, s, js, &pl) == end;
	}
	if (!good) {
		memset(s, 0, sizeof(*s));
		return;
	}
	s->ev = t->walked;
	s->index = t->n % BEFORE;
	lay_out(s, &pl);
	t->n++;
	t->last = s;
}

/* ---- the two together ---- */

/* The same operator has the same args nearly always. */
static struct tshape **place_of_name(struct tshapes *t, const struct jstr *name)
{
	return &t->by_name[text_ends_hash(name->s, name->n) >> 32 & (NAMES - 1)];
}

static inline bool fits(struct tshapes *t, struct tshape *s, struct jscan *js)
{
	const char *p = read_by(t, s, js);

	if (!p)
		return false;
	s->ev.offset = jscan_offset(js);
	s->events++;
	js->p = p;
	if (t->last) {
		t->last->next[t->before] = s;
		t->before = t->last->index;
	}
	t->last = s;
	t->hits++;
	return true;
}

/* Not the one that was expected: what the name had last, then all. */
static bool another_fits(struct tshapes *t, struct tshape *expected, struct jscan *js)
{
	struct tshape *c = t->name ? *place_of_name(t, t->name) : NULL;
	bool done = c && c != expected && fits(t, c, js);

	for (unsigned i = 0; i < t->n && !done; i++) {
		struct tshape *s = &t->shapes[i];

		done = s != expected && s != c && fits(t, s, js);
	}
	if (done && (t->last->ev.have & TEV_NAME))
		*place_of_name(t, &t->last->ev.name) = t->last;
	return done;
}

static enum jstat by_parser(struct tshapes *t, const struct tparser *p, struct jscan *js)
{
	struct jscan before = *js;
	enum jstat st = tparser_event(p, js, &t->parsed);

	t->misses++;
	t->last = NULL;
	if (st == JS_OK && t->n < SHAPES_MAX)
		learn(t, p, &before, js->p);
	return st;
}

enum jstat tshapes_event(struct tshapes *t, const struct tparser *p, struct jscan *js, const struct tev **ev)
{
	struct tshape *expected = t->last ? t->last->next[t->before] : NULL;

	*ev = &t->parsed;
	if (t->misses > t->hits + MISSES_MAX) {
		t->last = NULL;
		return tparser_event(p, js, &t->parsed);
	}
	t->name = NULL;
	if ((expected && fits(t, expected, js)) || another_fits(t, expected, js)) {
		*ev = &t->last->ev;
		return JS_OK;
	}
	return by_parser(t, p, js);
}
