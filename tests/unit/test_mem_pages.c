/* test_mem_pages.c - arrays that grow and whose pages become those of another */
#include <stdint.h>
#include <string.h>

#include "base/pages.h"
#include "tests/lib/tap.h"

enum { SMALL = 1000, LARGE = 3 << 20, LARGER = 5 << 20 };

static unsigned char byte_at(size_t i)
{
	return (unsigned char)(i * 31 + i / 4096);
}

static void fill(unsigned char *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		p[i] = byte_at(i);
}

static bool filled(const unsigned char *p, size_t at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != byte_at(at + i))
			return false;
	return true;
}

static void test_grow(void)
{
	unsigned char *p = pages_grow(NULL, 0, SMALL);

	fill(p, 0, SMALL);
	p = pages_grow(p, SMALL, 2 * SMALL);
	ok(filled(p, 0, SMALL), "a small one grows");
	p = pages_grow(p, 2 * SMALL, LARGE);
	ok(filled(p, 0, SMALL), "becomes large");
	fill(p, SMALL, LARGE);
	p = pages_grow(p, LARGE, LARGER);
	ok(filled(p, 0, LARGE), "and grows on");
	fill(p, LARGE, LARGER);
	pages_free(p, LARGER);
	pages_free(pages_new(0), 0);
}

/* Its first pages, in two pieces, to the middle of another. */
static void test_move(void)
{
	unsigned char *from = pages_new(LARGE), *to = pages_new(LARGER), *mid;
	size_t page = pages_movable(LARGE), n = 16 * page;

	fill(from, 0, LARGE);
	memset(to, 7, LARGER);
	if (!page) {
		ok(!pages_move(to, from, 4096), "what cannot be moved is not");
		ok(filled(from, 0, LARGE), "and stays");
		pages_free_rest(from, LARGE, 0);
	} else {
		mid = to + (1 << 20);
		ok(pages_move(mid, from, n) && filled(mid, 0, n), "pages move with what is in them");
		ok(pages_move(mid - page, from + n, page) && filled(mid - page, n, page), "a second time");
		ok(filled(from + n + page, n + page, LARGE - n - page), "what is behind them stays");
		ok(to[(1 << 20) - page - 1] == 7 && mid[n] == 7, "so does what is around their new place");
		pages_free_rest(from, LARGE, n + page);
		memset(to, 8, LARGER);
	}
	pages_free(to, LARGER);
	is_uint(pages_movable(SMALL), 0, "a small array is on the heap");
}

/* From where there are none. */
static void test_refused(void)
{
	unsigned char *to = pages_new(LARGE);
	size_t page = pages_movable(LARGE);

	if (page) {
		to[0] = 9;
		ok(!pages_move(to, (void *)(page * 16), page), "pages that are nowhere are not moved");
		to[0] = to[page] = 5;
		ok(to[0] == 5 && to[page] == 5, "and memory to write in is there");
	}
	pages_free(to, LARGE);
}

int main(void)
{
	test_grow();
	test_move();
	test_refused();
	return done_testing();
}
