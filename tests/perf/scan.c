/*
 * scan.c - `bench scan`: the floor under every program that reads such a text. Each byte is put into its class (quote, backslash,
 * bracket), the quotes give a mask of what lies inside strings, and the brackets outside are counted; nothing is kept. With AVX2 and
 * PCLMULQDQ, with SSE2, or plain: the best that the processor has, as the loader may use, too.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/perf/bench.h"
#include "tests/perf/measure.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#else
#define HAVE_X86 0
#endif

struct scan {
	uint64_t brackets;	/* { } [ ] outside strings */
	bool in_string, escape;
};

static void scan_plain(const char *p, size_t n, struct scan *s)
{
	for (size_t i = 0; i < n; i++) {
		char c = p[i];

		if (s->in_string) {
			if (s->escape)
				s->escape = false;
			else if (c == '\\')
				s->escape = true;
			else if (c == '"')
				s->in_string = false;
		} else if (c == '"') {
			s->in_string = true;
		} else {
			s->brackets += c == '{' || c == '}' || c == '[' || c == ']';
		}
	}
}

#if HAVE_X86
/* What a block of 64 bytes holds, one bit per byte. Brackets: [ ] and { } differ from each other in bit 5 only. */
struct classes {
	uint64_t quotes, backslashes, brackets;
};

__attribute__((target("avx2"))) static inline uint64_t equal_avx2(__m256i a, __m256i b, char c)
{
	__m256i v = _mm256_set1_epi8(c);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, v)) |
		(uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, v)) << 32;
}

__attribute__((target("avx2"))) static inline struct classes classes_avx2(const char *p)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p), b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
	__m256i fold = _mm256_set1_epi8(0x20), a5 = _mm256_or_si256(a, fold), b5 = _mm256_or_si256(b, fold);

	return (struct classes){ equal_avx2(a, b, '"'), equal_avx2(a, b, '\\'), equal_avx2(a5, b5, '{') | equal_avx2(a5, b5, '}') };
}

__attribute__((target("avx2,pclmul,popcnt"))) static void scan_avx2(const char *p, size_t n, struct scan *s)
{
	uint64_t inside = s->in_string ? ~UINT64_C(0) : 0;
	size_t i = 0;

	for (; i + 64 <= n; i += 64) {
		struct classes c = classes_avx2(p + i);
		uint64_t mask;

		if (c.backslashes || s->escape) {
			s->in_string = inside != 0;
			scan_plain(p + i, 64, s);
			inside = s->in_string ? ~UINT64_C(0) : 0;
			continue;
		}
		mask = (uint64_t)_mm_cvtsi128_si64(
			       _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)c.quotes), _mm_set1_epi8(-1), 0)) ^ inside;
		inside = (uint64_t)((int64_t)mask >> 63);
		s->brackets += (uint64_t)__builtin_popcountll(c.brackets & ~mask);
	}
	s->in_string = inside != 0;
	scan_plain(p + i, n - i, s);
}

static inline uint64_t equal_sse2(const __m128i *v, char c, bool fold)
{
	__m128i want = _mm_set1_epi8(c), bit = _mm_set1_epi8(fold ? 0x20 : 0);
	uint64_t m = 0;

	for (int k = 0; k < 4; k++)
		m |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(v[k], bit), want)) << (16 * k);
	return m;
}

static void scan_sse2(const char *p, size_t n, struct scan *s)
{
	uint64_t inside = s->in_string ? ~UINT64_C(0) : 0;
	size_t i = 0;

	for (; i + 64 <= n; i += 64) {
		__m128i v[4];
		uint64_t mask;

		for (int k = 0; k < 4; k++)
			v[k] = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 16 * k));
		if (equal_sse2(v, '\\', false) || s->escape) {
			s->in_string = inside != 0;
			scan_plain(p + i, 64, s);
			inside = s->in_string ? ~UINT64_C(0) : 0;
			continue;
		}
		mask = equal_sse2(v, '"', false);
		for (int shift = 1; shift < 64; shift *= 2)
			mask ^= mask << shift;
		mask ^= inside;
		inside = (uint64_t)((int64_t)mask >> 63);
		s->brackets += (uint64_t)__builtin_popcountll((equal_sse2(v, '{', true) | equal_sse2(v, '}', true)) & ~mask);
	}
	s->in_string = inside != 0;
	scan_plain(p + i, n - i, s);
}

static bool can_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul");
}

static bool can_sse2(void)
{
	return true;
}
#endif

static bool can_plain(void)
{
	return true;
}

/* Best first */
static const struct {
	const char *name;
	bool (*can)(void);
	void (*scan)(const char *p, size_t n, struct scan *s);
} ways[] = {
#if HAVE_X86
	{ "avx2", can_avx2, scan_avx2 },
	{ "sse2", can_sse2, scan_sse2 },
#endif
	{ "plain", can_plain, scan_plain },
};
enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

/* With the opening and mapping of the file, as any reader has it. */
static int scan_file(const char *path, size_t way)
{
	double since = now_s();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct scan s = { 0 };
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED) {
		fprintf(stderr, "%s: cannot be mapped\n", path);
		return 1;
	}
	ways[way].scan(map, (size_t)st.st_size, &s);
	printf("peer=scan version=%s impl=%s seconds=%.6f anon_kib=0 brackets=%" PRIu64 "\n", PACKAGE_VERSION, ways[way].name, now_s() - since,
		s.brackets);
	munmap(map, (size_t)st.st_size);
	return 0;
}

int bench_scan(int argc, char **argv)
{
	const char *want = argc == 3 && strcmp(argv[0], "--with") == 0 ? argv[1] : NULL;

	if (argc != 1 && !want)
		return BENCH_USAGE;
	for (size_t i = 0; i < N_WAYS; i++)
		if ((!want || strcmp(want, ways[i].name) == 0) && ways[i].can())
			return scan_file(argv[argc - 1], i);
	fprintf(stderr, "bench scan: this processor cannot do %s\n", want ? want : "it");
	return 1;
}
