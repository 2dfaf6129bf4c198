/*
 * shape_read.h - reading an event by its shape, for one set of instructions. Included by fast/shape.c alone, once for each, with
 *
 *	READ(name)	the name of a function in this set
 *	READ_BYTES	bytes that are compared at once: 1 (no vectors), 16 (SSE2)
 *
 * Each set gives the same results. 64 bytes must be readable behind the window (JSCAN_PAD), so that 32 may be loaded anywhere in it.
 */

/* ---- bytes: which of 32 ---- */

#if READ_BYTES == 16
#define READ_V struct read_v16
struct read_v16 {
	__m128i a, b;
};

static inline struct read_v16 READ(load)(const char *p)
{
	return (struct read_v16){ _mm_loadu_si128((const void *)p), _mm_loadu_si128((const void *)(p + 16)) };
}

static inline uint32_t READ(mask)(__m128i a, __m128i b)
{
	return (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
}

static inline uint32_t READ(equal)(struct read_v16 v, char c)
{
	return READ(mask)(_mm_cmpeq_epi8(v.a, _mm_set1_epi8(c)), _mm_cmpeq_epi8(v.b, _mm_set1_epi8(c)));
}

static inline struct read_v16 READ(or)(struct read_v16 v, char c)
{
	return (struct read_v16){ _mm_or_si128(v.a, _mm_set1_epi8(c)), _mm_or_si128(v.b, _mm_set1_epi8(c)) };
}

static inline uint32_t READ(same)(const char *p, const char *q)
{
	struct read_v16 v = READ(load)(p), w = READ(load)(q);

	return READ(mask)(_mm_cmpeq_epi8(v.a, w.a), _mm_cmpeq_epi8(v.b, w.b));
}

static inline __m128i READ(numeric16)(__m128i v)
{
	v = _mm_sub_epi8(v, _mm_set1_epi8('-'));
	return _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8('9' - '-')), v);
}

static inline uint32_t READ(numeric)(const char *p)
{
	struct read_v16 v = READ(load)(p);

	return READ(mask)(READ(numeric16)(v.a), READ(numeric16)(v.b));
}
#else
#define READ_V struct read_v1
struct read_v1 {
	char c[32];
};

static inline struct read_v1 READ(load)(const char *p)
{
	struct read_v1 v;

	memcpy(v.c, p, 32);
	return v;
}

static inline uint32_t READ(equal)(struct read_v1 v, char c)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < 32; i++)
		m |= (uint32_t)(v.c[i] == c) << i;
	return m;
}

static inline struct read_v1 READ(or)(struct read_v1 v, char c)
{
	for (unsigned i = 0; i < 32; i++)
		v.c[i] = (char)(v.c[i] | c);
	return v;
}

static inline uint32_t READ(same)(const char *p, const char *q)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < 32; i++)
		m |= (uint32_t)(p[i] == q[i]) << i;
	return m;
}

static inline uint32_t READ(numeric)(const char *p)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < 32; i++)
		m |= (uint32_t)(p[i] >= '-' && p[i] <= '9') << i;
	return m;
}
#endif

/*
 * A literal holds no zero byte, so it cannot go on into the zeros behind the window: no need to ask for its end. Of the last
 * 32 bytes `tail` says which belong to it.
 */
static inline bool READ(same_bytes)(const char *p, const char *lit, size_t n, uint32_t tail)
{
	for (; n > 32; p += 32, lit += 32, n -= 32)
		if (READ(same)(p, lit) != UINT32_MAX)
			return false;
	return !(~READ(same)(p, lit) & tail);
}

/* The first quote or backslash, or something behind end. */
static inline const char *READ(string_end)(const char *p, const char *end)
{
	for (; p < end; p += 32) {
		READ_V v = READ(load)(p);
		uint32_t mask = READ(equal)(v, '"') | READ(equal)(v, '\\');

		if (mask)
			return p + __builtin_ctz(mask);
	}
	return p;
}

/* ---- values: what is behind them, NULL where one is of another form ---- */

/* As jscan_word() goes. */
static inline const char *READ(skip_word)(const char *p, const char *end)
{
	const char *s = p;

	if (*p == '"' || *p == '{' || *p == '[' || *p == ':')
		return NULL;
	for (; p < end; p += 32) {
		READ_V v = READ(load)(p);
		/* } and ] differ in one bit that , does not have, and no other byte becomes one of them */
		uint32_t mask = READ(equal)(READ(or)(v, 0x20), '}') | READ(equal)(v, ',') | READ(equal)(v, ' ') |
			READ(equal)(v, '\n') | READ(equal)(v, '\r') | READ(equal)(v, '\t');

		if (mask) {
			p += __builtin_ctz(mask);
			break;
		}
	}
	return p > s && p < end ? p : NULL;
}

/* stop: what follows a word; what it ends that is of digits, dots and signs need not be looked at closely. */
static inline const char *READ(skip_number)(const char *p, const char *end, char stop)
{
	uint32_t other = ~READ(numeric)(p);
	unsigned n = other ? (unsigned)__builtin_ctz(other) : 0;

	return n && p[n] == stop ? p + n : READ(skip_word)(p, end);
}

/* Exclusive or of all bits below and the bit itself: with the quotes, what is in a string. */
static inline uint32_t READ(prefix_xor)(uint32_t x)
{
	x ^= x << 1;
	x ^= x << 2;
	x ^= x << 4;
	x ^= x << 8;
	return x ^ x << 16;
}

/* A list or an object, as jscan_skip() goes; strings with escapes are left to it. */
static inline const char *READ(skip_nest)(const char *p, const char *end)
{
	uint32_t inside = 0;
	unsigned depth = 0;

	if (*p != '[' && *p != '{')
		return NULL;
	for (; p < end; p += 32) {
		READ_V v = READ(load)(p), w = READ(or)(v, 0x20);
		uint32_t back = READ(equal)(v, '\\'), in = READ(prefix_xor)(READ(equal)(v, '"')) ^ inside;
		/* [ and { differ in one bit, ] and } too */
		uint32_t open = READ(equal)(w, '{') & ~in, both = (READ(equal)(w, '}') & ~in) | open;

		inside = (uint32_t)((int32_t)in >> 31);
		for (; both; both &= both - 1) {
			uint32_t bit = both & -both;

			if (bit & open) {
				if (++depth > JSCAN_DEPTH)
					return NULL;
			} else if (--depth == 0) {
				p += __builtin_ctz(bit) + 1;
				return (back & (bit - 1)) || p > end ? NULL : p;
			}
		}
		if (back)
			return NULL;
	}
	return NULL;
}

/* A string up to its closing quote, without escapes. */
static inline const char *READ(read_text)(const char *p, const char *end, struct jstr *t)
{
	const char *q = READ(string_end)(p, end);

	if (q >= end || *q != '"')
		return NULL;
	*t = (struct jstr){ .s = p, .n = (size_t)(q - p) };
	return q;
}

/* A list as it stands there. */
static inline const char *READ(read_list)(const char *p, const char *end, struct jstr *t)
{
	const char *q = *p == '[' ? READ(skip_nest)(p, end) : NULL;

	if (q)
		*t = (struct jstr){ .s = p, .n = (size_t)(q - p) };
	return q;
}

static inline __attribute__((always_inline)) const char *READ(read_value)(struct tshapes *ts, const struct jscan *js, const char *p,
	enum gap_kind kind, char stop, void *at)
{
	struct jstr t;

	switch (kind) {
	case GAP_TEXT:
	case GAP_ID_TEXT:
		return READ(read_text)(p, js->end, at);
	case GAP_TIME:
		return read_time(&ts->front, p, at);
	case GAP_US:
		return read_us(p, at);
	case GAP_ID:
	case GAP_INT:
		return read_int(p, at);
	case GAP_WORD:
		return READ(skip_number)(p, js->end, stop);
	case GAP_STRING:
		return READ(read_text)(p, js->end, &t);
	case GAP_NEST:
		return READ(skip_nest)(p, js->end);
	case GAP_DIM:
		return read_dim(p, at);
	case GAP_LIST:
		return READ(read_list)(p, js->end, at);
	default:
		return NULL;
	}
}

/* ---- events ---- */

/* Gap by gap, into t->walked; what is behind the event, NULL if it does not fit. */
static const char *READ(walk)(struct tshapes *t, const struct tshape *s, const struct jscan *js, struct places *pl)
{
	const char *p = js->p;

	t->walked = s->ev;
	for (const struct shape_gap *g = s->gaps;; g++) {
		if (!READ(same_bytes)(p, s->lit + g->lit, g->lit_n, g->tail))
			return NULL;
		p += g->lit_n;
		if (g->kind == GAP_END)
			return p;
		pl->at[g - s->gaps] = p;
		p = READ(read_value)(t, js, p, (enum gap_kind)g->kind, s->lit[g[1].lit], (char *)&t->walked + g->at);
		if (!p)
			return NULL;
		pl->n[g - s->gaps] = (size_t)(p - pl->at[g - s->gaps]);
	}
}

static const char *READ(read_by_gaps)(struct tshapes *t, struct tshape *s, const struct jscan *js)
{
	struct places pl;
	const char *p = READ(walk)(t, s, js, &pl);

	if (!p)
		return NULL;
	take_values(t, s, &pl);
	return p;
}

/* Most shapes that do not fit differ there: in the phase, the category, or the layout. */
static inline bool READ(same_lead)(const struct tshape *s, const struct jscan *js)
{
	return (size_t)(js->end - js->p) > s->lead_at && !(~READ(same)(js->p + s->lead_at, s->lit + s->lead_at) & s->lead_tail);
}

/* Into s->ev. What is behind the event, NULL if it does not fit. */
static inline __attribute__((always_inline)) const char *READ(read_by)(struct tshapes *t, struct tshape *s, const struct jscan *js)
{
	const struct shape_piece *c = s->pieces;
	const char *p = js->p;

	for (;; c++) {
		if (!READ(same_bytes)(p, s->text + c->text, c->n, c->tail)) {
			if (!c->literal && READ(same_lead)(s, js))
				return READ(read_by_gaps)(t, s, js);
			break;
		}
		p += c->n;
		if (c->kind == GAP_END)
			return p;
		p = READ(read_value)(t, js, p, (enum gap_kind)c->kind, c->stop, (char *)&s->ev + c->at);
		if (!p)
			break;
	}
	t->name = (unsigned)(c - s->pieces) > s->name_piece ? &s->ev.name : NULL;
	return NULL;
}

static inline __attribute__((always_inline)) bool READ(fits)(struct tshapes *t, struct tshape *s, struct jscan *js)
{
	const char *p = READ(read_by)(t, s, js);

	if (!p)
		return false;
	s->ev.offset = jscan_offset(js);
	s->events++;
	js->p = p;
	t->hits++;
	return true;
}

/* Not the one that was expected: what came there before that, what the name had last, then all. NULL: none fits. */
static __attribute__((noinline)) struct tshape *READ(another)(struct tshapes *t, const struct tshape *expected, struct jscan *js)
{
	struct tshape *const guess[] = { t->guess[t->past][1], t->name ? *place_of_name(t, t->name) : NULL };

	for (unsigned i = 0; i < t->n + 2; i++) {
		struct tshape *s = i < 2 ? guess[i] : &t->shapes[i - 2];

		if (!s || s == expected || !READ(same_lead)(s, js) || (i && (s == guess[0] || (i > 1 && s == guess[1]))) || !READ(fits)(t, s, js))
			continue;
		if (i && (s->ev.have & TEV_NAME))
			*place_of_name(t, &s->ev.name) = s;
		return s;
	}
	return NULL;
}

/* Whether the event fits a shape, which then is t->last. */
static __attribute__((noinline)) bool READ(by_shape)(struct tshapes *t, struct jscan *js)
{
	struct tshape **guess = t->guess[t->past], *s = guess[0];

	t->name = NULL;
	if (!s || !READ(fits)(t, s, js)) {
		s = READ(another)(t, s, js);
		if (!s)
			return false;
		guess[1] = guess[0];
		guess[0] = s;
	}
	t->past = (t->past << PAST_BITS | s->index) & (GUESSES - 1);
	t->last = s;
	return true;
}

#undef READ_V
#undef READ
#undef READ_BYTES
