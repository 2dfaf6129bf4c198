/*
 * shape.c - events that look like one met before, without looking at their keys; see torch_impl.h
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

#include "load/torch/fast/numbers.h"
#include "load/torch/torch_impl.h"

#define LIT_MAX 1024		/* bytes between the values of one event */
#define STEADY_MAX 512		/* bytes of the values that are compared with them */
#define GAPS_MAX 64
#define SHAPES_MAX 48
#define NAMES 256		/* a power of 2 */
#define PAD 32			/* readable bytes behind a literal */
#define MISSES_MAX 4096		/* so many more misses than hits: the file is of another kind */
#define PAST_BITS 2		/* bits per shape in the history of shapes */
#define GUESSES 1024		/* size of the table "history -> next shape"; a power of 2 */

enum gap_kind { GAP_END, GAP_TEXT, GAP_ID_TEXT, GAP_ID, GAP_INT, GAP_US, GAP_TIME, GAP_DIM, GAP_STRING, GAP_WORD, GAP_NEST, GAP_LIST };

struct shape_gap {
	uint16_t lit, lit_n;	/* the literal in front of the value */
	uint32_t tail;		/* see same_bytes() */
	uint16_t at;		/* of the member of struct tev */
	uint32_t have;
	uint8_t kind;
	bool varies;
	uint16_t text, text_n;	/* !varies: the value last read, in the shape's texts */
	uint32_t changed;	/* so often it was another one */
};

/* A text to compare, and the value behind it. */
struct shape_piece {
	uint32_t tail;
	uint16_t text, n, at;
	uint8_t kind;
	bool literal;		/* the text holds no value: where it differs the event has another shape */
	char stop;		/* what ends the value, if it is a word */
};

struct tshape {
	struct shape_piece pieces[GAPS_MAX];
	struct tev ev;			/* of the event read last; its texts may lie in `text` */
	struct tknown known;
	uint32_t events;
	unsigned index, name_piece;	/* name_piece: behind it the name is known */
	struct shape_gap gaps[GAPS_MAX];
	unsigned n_gaps;
	uint32_t lead_at, lead_tail;	/* the last 32 bytes of the literal in front of the first value; of fewer, which they are */
	uint16_t cat, cat_n;		/* the category, in lit */
	unsigned lit_n;
	char lit[LIT_MAX + PAD];
	char text[LIT_MAX + STEADY_MAX + PAD];
};

struct shape_way;
struct tshapes {
	struct front front;
	const struct shape_way *way;
	struct tshape shapes[SHAPES_MAX];
	unsigned n;
	struct tshape *last;
	struct tshape *guess[GUESSES][2];	/* what came next, and before that, by the indexes of the shapes before */
	unsigned past;
	const struct jstr *name;	/* of the event that did not fit, if that much is known */
	struct tshape *by_name[NAMES];	/* the last one of an event with a name of this hash */
	unsigned misses, hits;
	bool hopeless;
	struct tev parsed, walked;	/* read by the parser, and gap by gap */
};

void tshapes_free(struct tshapes *t)
{
	free(t);
}

/* ---- which values are steady ---- */

#define OF_LANE (TEV_PID | TEV_TID | TEV_DEVICE | TEV_STREAM | TEV_CONTEXT)
#define OF_DETAIL (TEV_GRID | TEV_BLOCK | TEV_REGISTERS | TEV_SHARED | TEV_NODE)

/* Where each gap's value lies in an event. */
struct places {
	const char *at[GAPS_MAX];
	size_t n[GAPS_MAX];
};

/* Of n bytes that are compared by 32: which of the last ones belong to them. */
static uint32_t tail_of(size_t n)
{
	return n % 32 ? (UINT32_C(1) << n % 32) - 1 : n ? UINT32_MAX : 0;
}

/* A text value that is compared lies in the shape, not in the window. */
static void keep_text(struct tshape *s, const struct shape_gap *g)
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
		struct shape_gap *g = &s->gaps[i];
		struct shape_piece *c = &s->pieces[n];

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
		*c = (struct shape_piece){ .text = (uint16_t)from, .n = (uint16_t)(at - from), .at = g->at, .kind = g->kind, .literal = literal };
		c->tail = tail_of(c->n);
		if (g->kind == GAP_WORD)
			c->stop = s->lit[g[1].lit];
		n++;
		from = at;
		literal = true;
	}
	s->known = (struct tknown){ .steady = (varying & OF_LANE ? 0 : TKNOWN_LANE) | (varying & OF_DETAIL ? 0 : TKNOWN_AUX) |
						  (varying & TEV_NAME ? 0 : TKNOWN_NAME) };
}

static void count_change(const struct tshape *s, struct shape_gap *g, const char *v, size_t n)
{
	if (g->varies || (n == g->text_n && memcmp(v, s->text + g->text, n) == 0))
		return;
	g->changed++;
	g->varies = g->changed > 2 && g->changed > s->events / 16;
}

/* What was read into t->walked, at `pl`, is what the shape has from now on. */
static void take_values(struct tshapes *t, struct tshape *s, const struct places *pl)
{
	for (unsigned i = 0; i + 1 < s->n_gaps; i++)
		count_change(s, &s->gaps[i], pl->at[i], pl->n[i]);
	s->ev = t->walked;
	lay_out(s, pl);
}

/* ---- reading by a shape ---- */

static inline const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	return p;
}

/* [x, y, z] with three plain numbers. */
static inline const char *read_dim(const char *p, int32_t dim[3])
{
	for (unsigned i = 0; i < 3; i++) {
		int64_t v;

		if (*p++ != "[,,"[i])
			return NULL;
		p = read_small(skip_blanks(p), &v);
		if (!p)
			return NULL;
		dim[i] = (int32_t)v;
		p = skip_blanks(p);
	}
	return *p == ']' ? p + 1 : NULL;
}

/* The same operator has the same args nearly always. */
static struct tshape **place_of_name(struct tshapes *t, const struct jstr *name)
{
	return &t->by_name[text_ends_hash(name->s, name->n) >> 32 & (NAMES - 1)];
}

#ifdef __SSE2__
#define READ(name) name##_sse2
#define READ_BYTES 16
#include "load/torch/fast/shape_read.h"
#endif
#define READ(name) name##_plain
#define READ_BYTES 1
#include "load/torch/fast/shape_read.h"

static const struct shape_way {
	const char *name;
	bool (*by_shape)(struct tshapes *t, struct jscan *js);
	const char *(*walk)(struct tshapes *t, const struct tshape *s, const struct jscan *js, struct places *pl);
} ways[] = {
#ifdef __SSE2__
	{ "sse2", by_shape_sse2, walk_sse2 },
#endif
	{ "plain", by_shape_plain, walk_plain },
};

/* ---- learning ---- */

struct learner {
	const struct tparser *parser;
	struct jscan js;
	struct tshape *s;
	const char *from;	/* where the present literal began */
};

/* The literal up to p, and a value that goes on to `end`. */
static bool put_gap(struct learner *l, const char *p, const char *end, struct shape_gap g)
{
	struct tshape *s = l->s;
	size_t n = (size_t)(p - l->from);

	if (s->lit_n + n > LIT_MAX || s->n_gaps == GAPS_MAX || memchr(l->from, '\0', n))
		return false;
	memcpy(s->lit + s->lit_n, l->from, n);
	g.lit = (uint16_t)s->lit_n;
	g.lit_n = (uint16_t)n;
	g.tail = tail_of(n);
	s->lit_n += (unsigned)n;
	s->gaps[s->n_gaps++] = g;
	l->from = end;
	return true;
}

/* js is at a value that is not wanted. */
static bool learn_skip(struct learner *l)
{
	const char *v = l->js.p;
	struct shape_gap g = { .kind = *v == '"' ? GAP_STRING : *v == '{' || *v == '[' ? GAP_NEST : GAP_WORD };

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

static bool learn_text(struct learner *l, struct shape_gap g)
{
	const char *v = l->js.p;
	struct jstr t;

	return jscan_string(&l->js, &t) == JS_OK && put_gap(l, v + 1, l->js.p - 1, g);
}

static bool learn_number(struct learner *l, struct shape_gap g)
{
	const char *v = l->js.p;
	struct jstr t;

	return (*v == '-' || (unsigned char)(*v - '0') < 10) && jscan_word(&l->js, &t) == JS_OK && put_gap(l, v, l->js.p, g);
}

static bool learn_list(struct learner *l, struct shape_gap g)
{
	const char *v = l->js.p;

	return jscan_skip(&l->js) == JS_OK && put_gap(l, v, l->js.p, g);
}

/* js is at the value of a key that is wanted; null and the like remain literal, they say nothing. */
static bool learn_value(struct learner *l, const struct tkey *k)
{
	char c = *l->js.p;
	enum tkey_kind kind = (enum tkey_kind)k->kind;
	struct shape_gap g = { .at = k->at, .have = k->have };
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

/* The value is skipped: any number or text is fine there. */
static void want_nothing(struct shape_gap *g)
{
	static const uint8_t skipped[] = {
		[GAP_TEXT] = GAP_STRING, [GAP_ID_TEXT] = GAP_STRING, [GAP_ID] = GAP_WORD, [GAP_INT] = GAP_WORD, [GAP_US] = GAP_WORD,
		[GAP_TIME] = GAP_WORD, [GAP_DIM] = GAP_NEST, [GAP_LIST] = GAP_NEST,
	};

	g->varies = g->kind == GAP_TIME;
	if (g->kind < sizeof(skipped) && skipped[g->kind])
		g->kind = skipped[g->kind];
	g->have = 0;
	g->at = 0;
}

/* What follows from the gaps: which members are known, and which values cannot be compared. */
static void settle(struct tshape *s)
{
	bool span = s->ev.ph == 'X' || tev_instant(s->ev.ph);

	for (unsigned i = 0; i < s->n_gaps; i++) {
		struct shape_gap *g = &s->gaps[i];

		if (tev_only_counted(s->ev.ph)) {
			want_nothing(g);
			continue;
		}
		if (g->kind == GAP_ID_TEXT)
			s->ev.have |= g->have | g->have << 2;
		else if (g->kind == GAP_ID)
			s->ev.have = (s->ev.have | g->have) & ~(g->have << 2);
		else
			s->ev.have |= g->have;
		/* others look at an event's texts later: only what is known of spans at once may lie in the shape */
		g->varies = (g->have & (TEV_TS | TEV_DUR | TEV_CORR | TEV_EXT)) || g->kind == GAP_ID_TEXT ||
			(g->kind == GAP_TEXT && (g->have != TEV_NAME || !span)) || (g->kind == GAP_LIST && !span);
		/* of one key twice the last counts, so that both are to be read */
		for (unsigned k = 0; k < i; k++)
			if (g->at && s->gaps[k].at == g->at)
				g->varies = s->gaps[k].varies = true;
	}
	s->lead_at = s->gaps[0].lit_n < 32 ? 0 : s->gaps[0].lit_n - 32u;
	s->lead_tail = tail_of(s->gaps[0].lit_n - s->lead_at);
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
	good = learn_object(&l, &p->event) && l.js.p == end && put_gap(&l, end, end, (struct shape_gap){ .kind = GAP_END });
	if (good) {
		settle(s);
		good = t->way->walk(t, s, js, &pl) == end;
	}
	if (!good) {
		memset(s, 0, sizeof(*s));
		return;
	}
	s->ev = t->walked;
	s->index = t->n % (1u << PAST_BITS);
	lay_out(s, &pl);
	t->n++;
	t->last = s;
}

/* ---- the two together ---- */

struct tshapes *tshapes_new(const char *way)
{
	struct tshapes *t = NULL;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways) && !t; i++) {
		if (way && strcmp(ways[i].name, way) != 0)
			continue;
		t = xcalloc(1, sizeof(*t));
		t->way = &ways[i];
	}
	return t;
}

static enum jstat by_parser(struct tshapes *t, const struct tparser *p, struct jscan *js)
{
	struct jscan before = *js;
	enum jstat st = tparser_event(p, js, &t->parsed);

	t->last = NULL;
	t->hopeless = ++t->misses > t->hits + MISSES_MAX;
	if (st == JS_OK && t->n < SHAPES_MAX && !t->hopeless)
		learn(t, p, &before, js->p);
	return st;
}

enum jstat tshapes_event(struct tshapes *t, const struct tparser *p, struct jscan *js, const struct tev **ev, struct tknown **known)
{
	enum jstat st;

	if (!t->hopeless && t->way->by_shape(t, js)) {
		*ev = &t->last->ev;
		*known = &t->last->known;
		return JS_OK;
	}
	st = by_parser(t, p, js);
	*ev = &t->parsed;
	*known = t->last ? &t->last->known : NULL;
	return st;
}
