/* test_spans.c - sets of intervals (base/spans.h), against a bitmap with one byte per ns */
#include "base/spans.h"

#include "tests/lib/tap.h"

enum {
	LEN = 96,
	OFFSET = -40,
	ROUNDS = 4000
};

/* bit[i] = the ns OFFSET + i is in the set */
static void fill(bool *bit, int64_t start, int64_t end)
{
	for (int64_t t = start; t < end; t++)
		bit[t - OFFSET] = true;
}

static void random_set(struct spans *s, bool *bit)
{
	s->n = 0;
	memset(bit, 0, LEN);
	for (int k = rand() % 9; k > 0; k--) {
		/* Some are empty or inverted: they must not count. */
		int64_t start = OFFSET + rand() % LEN, end = start + rand() % 14 - 2;

		if (end > OFFSET + LEN)
			end = OFFSET + LEN;
		spans_add(s, start, end);
		fill(bit, start, end);
	}
	spans_norm(s);
}

static bool is_normal(const struct spans *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->a[i].start >= s->a[i].end || (i && s->a[i - 1].end >= s->a[i].start))
			return false;
	return true;
}

static bool is_set(const struct spans *s, const bool *bit)
{
	bool got[LEN] = {false};

	for (size_t i = 0; i < s->n; i++)
		fill(got, s->a[i].start, s->a[i].end);
	return is_normal(s) && !memcmp(got, bit, LEN);
}

static int64_t count(const bool *bit, int64_t start, int64_t end)
{
	int64_t n = 0;

	for (int64_t t = start; t < end; t++)
		n += bit[t - OFFSET];
	return n;
}

static int check_ops(const struct spans *a, const bool *x, const struct spans *b, const bool *y,
		     struct spans *out)
{
	bool or_[LEN], and_[LEN], minus[LEN];
	int bad = 0;

	for (int i = 0; i < LEN; i++) {
		or_[i] = x[i] || y[i];
		and_[i] = x[i] && y[i];
		minus[i] = x[i] && !y[i];
	}
	spans_union(out, a, b);
	bad += !is_set(out, or_);
	spans_intersect(out, a, b);
	bad += !is_set(out, and_);
	spans_subtract(out, a, b);
	bad += !is_set(out, minus);
	spans_copy(out, a);
	bad += !is_set(out, x);
	return bad;
}

static int check_queries(const struct spans *s, const bool *bit)
{
	int64_t start = OFFSET + rand() % LEN, end = start + rand() % (OFFSET + LEN - start + 1);
	size_t at = spans_seek(s, start), want = 0;
	int bad = 0;

	while (want < s->n && s->a[want].end <= start)
		want++;
	bad += at != want;
	bad += spans_measure(s) != count(bit, OFFSET, OFFSET + LEN);
	bad += spans_overlap(s, start, end) != count(bit, start, end);
	bad += spans_overlap(s, OFFSET - 100, OFFSET + LEN + 100) !=
	       count(bit, OFFSET, OFFSET + LEN);
	bad += spans_contain(s, start) != bit[start - OFFSET];
	return bad;
}

static void test_random(void)
{
	struct spans a = {0}, b = {0}, out = {0};
	bool x[LEN], y[LEN];
	int bad_norm = 0, bad_ops = 0, bad_queries = 0;

	srand(11);
	for (int i = 0; i < ROUNDS; i++) {
		random_set(&a, x);
		random_set(&b, y);
		bad_norm += !is_set(&a, x) + !is_set(&b, y);
		bad_ops += check_ops(&a, x, &b, y, &out);
		bad_queries += check_queries(&a, x);
	}
	is_int(bad_norm, 0, "norm: %d pairs as in the bitmap", ROUNDS);
	is_int(bad_ops, 0, "union, intersection, difference, copy");
	is_int(bad_queries, 0, "measure, overlap, contain, seek");
	spans_fini(&a);
	spans_fini(&b);
	spans_fini(&out);
}

static void test_append(void)
{
	struct spans s = {0};

	spans_append(&s, 0, 10);
	spans_append(&s, 10, 20);
	spans_append(&s, 12, 15);
	spans_append(&s, 30, 30);
	spans_append(&s, 30, 40);
	is_uint(s.n, 2, "touching and contained intervals merge, empty ones vanish");
	is_int(spans_measure(&s), 30, "measure");
	is_int(spans_overlap(&s, 5, 35), 20, "overlap of [5, 35)");
	ok(spans_contain(&s, 19) && !spans_contain(&s, 20) && spans_contain(&s, 30) &&
		   !spans_contain(&s, 40),
	   "the end is outside");
	spans_fini(&s);
	is_int(spans_measure(&s), 0, "empty after fini");
	ok(!spans_contain(&s, 0) && spans_seek(&s, 0) == 0, "queries of an empty set");
}

int main(void)
{
	test_append();
	test_random();
	return done_testing();
}
