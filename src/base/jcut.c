/*
 * jcut.c - cuts a JSON list between its elements, see jcut.h
 *
 * The escape and string masks are those of every bit-parallel JSON scanner: a quote is escaped behind an odd run of
 * backslashes, and the exclusive-or of all quotes so far says what is inside. Away from the place where a cut is wanted
 * only the depth at the end of each 64 bytes matters, so that brackets need be counted, not walked.
 */
#include "base/jcut.h"

#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#define JCUT_X86 1
#include <immintrin.h>
#else
#define JCUT_X86 0
#endif

#define BLOCK 64

/* One bit per byte of a block. */
struct masks {
	uint64_t quote, back, open, close;
};

/* ---- from masks to depth: the same for every way ---- */

/* The bytes that a backslash escapes; *carry: the one behind the block, as it was for the byte at its start. */
static inline uint64_t escaped_by(uint64_t back, bool *carry)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	uint64_t first = *carry, starts, odd, sum;

	if (!back) {
		*carry = false;
		return first;
	}
	/* runs that begin on an odd byte: adding them to the backslashes carries to the byte behind the run */
	back &= ~first;
	starts = back << 1 | first;
	odd = back & ~even & ~starts;
	*carry = __builtin_add_overflow(odd, back, &sum);
	return (even ^ sum << 1) & starts;
}

static inline uint64_t prefix_xor(uint64_t x)
{
	x ^= x << 1;
	x ^= x << 2;
	x ^= x << 4;
	x ^= x << 8;
	x ^= x << 16;
	return x ^ x << 32;
}

/* Bracket by bracket: where the list ends, where its last comma is. at: offset of the block. */
static size_t walk(struct jcut *k, uint64_t open, uint64_t close, uint64_t comma, size_t at)
{
	size_t cut = JCUT_NONE;

	for (uint64_t m = open | close | comma; m && !k->ended; m &= m - 1) {
		uint64_t bit = m & -m;

		if (bit & open)
			k->depth++;
		else if (bit & close)
			k->ended = --k->depth < 0;
		else if (!k->depth)
			cut = at + (size_t)__builtin_ctzll(m) + 1;
	}
	return cut;
}

/* ---- the bytes of a block, one function per way ---- */

static inline void classify_plain(const char *p, struct masks *m)
{
	*m = (struct masks){ 0 };
	for (unsigned i = 0; i < BLOCK; i++) {
		uint64_t bit = UINT64_C(1) << i;

		m->quote |= p[i] == '"' ? bit : 0;
		m->back |= p[i] == '\\' ? bit : 0;
		m->open |= p[i] == '{' || p[i] == '[' ? bit : 0;
		m->close |= p[i] == '}' || p[i] == ']' ? bit : 0;
	}
}

static inline uint64_t commas_plain(const char *p)
{
	uint64_t m = 0;

	for (unsigned i = 0; i < BLOCK; i++)
		m |= (uint64_t)(p[i] == ',') << i;
	return m;
}

#if JCUT_X86
static inline uint64_t equal16(const __m128i v[4], char c)
{
	const __m128i w = _mm_set1_epi8(c);
	uint64_t m = 0;

	for (unsigned i = 0; i < 4; i++)
		m |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v[i], w)) << 16 * i;
	return m;
}

/* [ and { differ in one bit, ] and } too: with it set they are the curly ones, and nothing else becomes one */
static inline void classify_sse2(const char *p, struct masks *m)
{
	const __m128i bit = _mm_set1_epi8(0x20);
	__m128i v[4];

	for (unsigned i = 0; i < 4; i++)
		v[i] = _mm_loadu_si128((const void *)(p + 16 * i));
	m->quote = equal16(v, '"');
	m->back = equal16(v, '\\');
	for (unsigned i = 0; i < 4; i++)
		v[i] = _mm_or_si128(v[i], bit);
	m->open = equal16(v, '{');
	m->close = equal16(v, '}');
}

static inline uint64_t commas_sse2(const char *p)
{
	__m128i v[4];

	for (unsigned i = 0; i < 4; i++)
		v[i] = _mm_loadu_si128((const void *)(p + 16 * i));
	return equal16(v, ',');
}

#define TARGET_AVX2 __attribute__((target("avx2,pclmul,popcnt,bmi")))

TARGET_AVX2 static inline uint64_t equal32(__m256i a, __m256i b, char c)
{
	const __m256i w = _mm256_set1_epi8(c);

	return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, w)) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, w)) << 32;
}

TARGET_AVX2 static inline void classify_avx2(const char *p, struct masks *m)
{
	const __m256i bit = _mm256_set1_epi8(0x20);
	__m256i a = _mm256_loadu_si256((const void *)p);
	__m256i b = _mm256_loadu_si256((const void *)(p + 32));

	m->quote = equal32(a, b, '"');
	m->back = equal32(a, b, '\\');
	a = _mm256_or_si256(a, bit);
	b = _mm256_or_si256(b, bit);
	m->open = equal32(a, b, '{');
	m->close = equal32(a, b, '}');
}

TARGET_AVX2 static inline uint64_t commas_avx2(const char *p)
{
	return equal32(_mm256_loadu_si256((const void *)p), _mm256_loadu_si256((const void *)(p + 32)), ',');
}

TARGET_AVX2 static inline uint64_t prefix_xor_clmul(uint64_t x)
{
	__m128i v = _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)x), _mm_set1_epi8(-1), 0);

	return (uint64_t)_mm_cvtsi128_si64(v);
}
#endif

/*
 * One pass over whole blocks; a macro, because a function that inlines its helpers must be compiled for their instructions.
 * A block is walked where a cut is wanted, and where the list may end in it.
 */
#define DEFINE_SCAN(name, target, classify, commas, prefix)					\
target static size_t name(struct jcut *k, const char *p, size_t n, size_t from)			\
{												\
	size_t cut = JCUT_NONE;									\
	uint64_t inside = k->in_string ? UINT64_MAX : 0;					\
												\
	for (size_t at = 0; at < n && !k->ended; at += BLOCK) {					\
		struct masks m;									\
		uint64_t in;									\
		int64_t closed;									\
												\
		classify(p + at, &m);								\
		m.quote &= ~escaped_by(m.back, &k->escape);					\
		in = prefix(m.quote) ^ inside;							\
		inside = (uint64_t)((int64_t)in >> 63);						\
		m.open &= ~in;									\
		m.close &= ~in;									\
		closed = __builtin_popcountll(m.close);						\
		if (at + BLOCK <= from && closed <= k->depth) {					\
			k->depth += __builtin_popcountll(m.open) - closed;			\
		} else {									\
			size_t here = walk(k, m.open, m.close, commas(p + at) & ~in, at);	\
												\
			cut = here != JCUT_NONE ? here : cut;					\
		}										\
	}											\
	k->in_string = inside;									\
	return cut;										\
}

#define TARGET_NONE
DEFINE_SCAN(scan_plain, TARGET_NONE, classify_plain, commas_plain, prefix_xor)
#if JCUT_X86
DEFINE_SCAN(scan_sse2, TARGET_NONE, classify_sse2, commas_sse2, prefix_xor)
DEFINE_SCAN(scan_avx2, TARGET_AVX2, classify_avx2, commas_avx2, prefix_xor_clmul)
#endif

/* ---- choosing ---- */

typedef size_t (*scan_fn)(struct jcut *k, const char *p, size_t n, size_t from);

static bool has_avx2(void)
{
#if JCUT_X86
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt") &&
		__builtin_cpu_supports("bmi");
#else
	return false;
#endif
}

static const char *const way_names[] = {
#if JCUT_X86
	"avx2", "sse2",
#endif
	"plain", NULL
};
static const scan_fn scans[] = {
#if JCUT_X86
	scan_avx2, scan_sse2,
#endif
	scan_plain
};
static atomic_int chosen = -1;	/* index into both */

const char *const *jcut_ways(void)
{
	return way_names + (JCUT_X86 && !has_avx2());
}

static int way_of(const char *name)
{
	for (int i = 0; way_names[i]; i++)
		if (strcmp(way_names[i], name) == 0)
			return i;
	return -1;
}

bool jcut_use(const char *way)
{
	for (const char *const *w = jcut_ways(); *w; w++) {
		if (way && strcmp(*w, way) != 0)
			continue;
		atomic_store(&chosen, way_of(*w));
		return true;
	}
	return false;
}

static int way_index(void)
{
	int i = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (i < 0) {
		jcut_use(NULL);
		i = atomic_load(&chosen);
	}
	return i;
}

const char *jcut_way(void)
{
	return way_names[way_index()];
}

/* What is left behind the last whole block, as a block of its own. */
static size_t scan_rest(struct jcut *k, const char *p, size_t n, size_t from, scan_fn scan)
{
	char block[BLOCK] = { 0 };
	bool escape = k->escape;
	size_t cut, i = n;

	memcpy(block, p, n);
	cut = scan(k, block, BLOCK, from);
	/* the byte behind the last one is not the block's: count the backslashes by hand */
	while (i && p[i - 1] == '\\')
		i--;
	k->escape = ((n - i) & 1) ^ (i == 0 && escape);
	return cut;
}

size_t jcut_scan(struct jcut *k, const char *p, size_t n, size_t from)
{
	scan_fn scan = scans[way_index()];
	size_t whole = n - n % BLOCK, cut, rest;

	cut = scan(k, p, whole, from);
	if (k->ended || whole == n)
		return cut;
	rest = scan_rest(k, p + whole, n - whole, from > whole ? from - whole : 0, scan);
	return rest != JCUT_NONE ? whole + rest : cut;
}
