/* test_align.c - alignments against the longest common subsequence by the table of all prefixes, and their bound of work */
#include "calc/edit_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/tap.h"

enum { N_MAX = 60 };
#define ALL UINT64_MAX

/* Elements that a longest common subsequence leaves out, on both sides. */
static uint32_t least_edits(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb)
{
	uint32_t lcs[N_MAX + 1][N_MAX + 1] = { { 0 } };

	for (uint32_t i = 1; i <= na; i++)
		for (uint32_t j = 1; j <= nb; j++) {
			uint32_t up = lcs[i - 1][j], left = lcs[i][j - 1];

			lcs[i][j] = a[i - 1] == b[j - 1] ? lcs[i - 1][j - 1] + 1 : up > left ? up : left;
		}
	return na + nb - 2 * lcs[na][nb];
}

/* Whether the runs cover both sides in order and what is called the same is; *edits: elements that are not. */
static bool sound(const struct align_run *r, size_t n, const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb, uint32_t *edits)
{
	uint32_t i = 0, j = 0;

	*edits = 0;
	for (size_t k = 0; k < n; k++) {
		if (r[k].a != i || r[k].b != j || !(r[k].na + r[k].nb))
			return false;
		if (r[k].kind == ALIGN_SAME && (r[k].na != r[k].nb || memcmp(a + i, b + j, r[k].na * sizeof(*a))))
			return false;
		if (r[k].kind != ALIGN_SAME)
			*edits += r[k].na + r[k].nb;
		i += r[k].na;
		j += r[k].nb;
	}
	return i == na && j == nb;
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void test_shortest(void)
{
	uint32_t a[N_MAX], b[N_MAX], seed = 5, bad = 0;

	for (int round = 0; round < 4000; round++) {
		uint32_t na = next(&seed) % N_MAX, nb = next(&seed) % N_MAX, letters = 1 + next(&seed) % 8, edits;
		struct align_run *r;
		size_t n;

		for (uint32_t i = 0; i < na; i++)
			a[i] = next(&seed) % letters;
		for (uint32_t i = 0; i < nb; i++)
			b[i] = next(&seed) % letters;
		r = align(a, na, b, nb, ALL, &n);
		bad += !sound(r, n, a, na, b, nb, &edits) || edits != least_edits(a, na, b, nb);
		free(r);
	}
	is_uint(bad, 0, "4000 alignments are as short as can be");
}

static void test_runs(void)
{
	/* 1 2 3 6 4 against 1 3 5 4: 2 is gone, 6 became 5 */
	static const uint32_t a[] = { 1, 2, 3, 6, 4 }, b[] = { 1, 3, 5, 4 };
	size_t n;
	struct align_run *r = align(a, 5, b, 4, ALL, &n);

	is_uint(n, 5, "runs");
	ok(r[0].kind == ALIGN_SAME && r[0].na == 1, "1 stays");
	ok(r[1].kind == ALIGN_CHANGED && r[1].a == 1 && r[1].na == 1 && !r[1].nb, "2 is taken out");
	ok(r[2].kind == ALIGN_SAME && r[2].na == 1 && r[2].b == 1, "3 stays");
	ok(r[3].kind == ALIGN_CHANGED && r[3].na == 1 && r[3].nb == 1, "6 is replaced by 5");
	ok(r[4].kind == ALIGN_SAME && r[4].a == 4 && r[4].b == 3, "4 stays");
	free(r);
	r = align(a, 0, b, 0, ALL, &n);
	is_uint(n, 0, "nothing against nothing");
	free(r);
	r = align(a, 5, b, 0, ALL, &n);
	ok(n == 1 && r[0].kind == ALIGN_CHANGED && r[0].na == 5, "something against nothing");
	free(r);
}

/* A million elements: a thousand edits are found; two sequences that share nothing are given up, their common ends are not. */
static void test_bound(void)
{
	enum { MANY = 1000000, BUDGET = 50000000 };
	uint32_t *a = xcalloc(MANY, sizeof(*a)), *b = xcalloc(MANY, sizeof(*b)), seed = 1, edits = 0;
	struct align_run *r;
	size_t n;

	for (uint32_t i = 0; i < MANY; i++)
		a[i] = b[i] = next(&seed) % 50;
	for (uint32_t i = 500; i < MANY; i += 1000)
		b[i] = 99;
	r = align(a, MANY, b, MANY, BUDGET, &n);
	ok(sound(r, n, a, MANY, b, MANY, &edits), "covers a million");
	is_uint(edits, 2000, "1000 replaced ones");
	free(r);
	for (uint32_t i = 10; i < MANY - 10; i++)
		b[i] = 100 + i % 7;
	r = align(a, MANY, b, MANY, BUDGET, &n);
	ok(sound(r, n, a, MANY, b, MANY, &edits), "covers what is not aligned");
	ok(n == 3 && r[1].kind == ALIGN_OPEN && r[1].na == MANY - 20, "and says so");
	free(r);
	free(a);
	free(b);
}

int main(void)
{
	test_shortest();
	test_runs();
	test_bound();
	return done_testing();
}
