/* test_diff.c - the statistics of the comparison and --fail-on, by hand */
#include "catalog/views.h"
#include "compare/diff_impl.h"

#include <string.h>

#include "tests/lib/tap.h"

static void test_means(void)
{
	/* 10 / 4 = 2.5, 11 / 4 = 2.75, 7 / 4 = 1.75; 28 / 4 = 7 = 2 + 3 + 2 */
	static const int64_t totals[] = {10, 11, 7}, none[] = {0};
	int64_t m[3];

	diff_means(totals, 3, 4, m);
	is_int(m[0], 2, "2.5 is rounded down, it has the smallest fraction");
	is_int(m[1], 3, "2.75 up");
	is_int(m[2], 2, "1.75 up");
	diff_means(none, 1, 4, m);
	is_int(m[0], 0, "nothing is nothing");
}

static void test_median(void)
{
	static const int64_t four[] = {4, 1, 3, 2}, one[] = {9};

	is_int(diff_median(four, 4), 2, "the lower middle one of four");
	is_int(diff_median(one, 1), 9, "of one");
}

/*
 * Values 0 and 20 three times each: mean 10, variance 6 * 100 / 5 = 120; the quartiles are 0 and 20, so
 * (20 / 1.349)^2 = 219.8 is larger. Two sides: sqrt(219.8 / 6 * 2) = 8.559; 10 degrees of freedom: times
 * 4.59 = 39.29, in large groups times 8.15 = 69.76.
 */
static bool noise_of(const int64_t *b, uint32_t nb, const int64_t *a, uint32_t na, bool many, double rounding, int64_t *noise)
{
	const struct diff_values v[2] = {{b, nb, nb, rounding}, {a, na, na, rounding}};

	return diff_noise(v, many, false, noise);
}

static void test_noise(void)
{
	static const int64_t same[] = {5, 5, 5};
	static const int64_t v[] = {0, 20, 0, 20, 0, 20}, rare[] = {0, 0, 0, 0, 0, 60};
	int64_t noise = -1;

	ok(noise_of(v, 6, v, 6, false, 0, &noise), "six values a side");
	is_int(noise, 40, "an error of 1 in 1000");
	noise_of(v, 6, v, 6, true, 0, &noise);
	is_int(noise, 70, "of 1 in 100000");
	/* Mean 10, variance (5 * 100 + 2500) / 5 = 600, quartiles 0: sqrt(600 / 6 * 2) * 4.59 = 64.9 */
	noise_of(rare, 6, rare, 6, false, 0, &noise);
	is_int(noise, 65, "what happens in one step of six is no change of the other five");
	ok(!noise_of(v, 2, v, 6, false, 0, &noise), "two values tell no noise");
	/* A variance of 150 by rounding: sqrt(150 / 3 * 2) * 8.61 = 86.1 */
	noise_of(same, 3, same, 3, false, 150, &noise);
	is_int(noise, 87, "what is equal up to rounding has the noise of rounding");
}

static void put(struct table *t, const char *what, const char *name, int64_t before, int64_t after, int real)
{
	uint32_t row = table_row(t);

	table_cstr(t, row, 0, what);
	table_cstr(t, row, 1, name);
	table_i64(t, row, 2, before);
	table_i64(t, row, 3, after);
	table_i64(t, row, 4, after - before);
	if (real >= 0)
		table_bool(t, row, 6, real);
}

static void fails(const struct table *t, const char *on, uint32_t want)
{
	struct err e = ERR_INIT;
	uint32_t row;

	ok(diff_fails(t, on, &row, &e), "%s is a condition: %s", on, e.text);
	is_uint(row, want, "%s", on);
}

static void test_fail_on(void)
{
	struct table *t = table_new("diff", an_diff.cols, an_diff.n_cols);
	struct err e = ERR_INIT;
	uint32_t row;

	put(t, "step", "median", 1000, 1040, 1); /* 0: + 4 % */
	put(t, "step", "mean", 1000, 1500, 1);	 /* 1 */
	put(t, "op", "a<b, c>", 100, 200, 1);	 /* 2 */
	put(t, "op", "chance", 100, 300, 0);	 /* 3: within the noise */
	put(t, "kernel", "k", 100, 190, -1);	 /* 4: no estimate */
	put(t, "runtime", "r", 100, 50, 1);	 /* 5: faster */
	fails(t, "step>3%", 0);
	fails(t, "step:median>5%", ROW_NONE);
	fails(t, "step>5%", 1);
	fails(t, "step:mean>5%", 1);
	fails(t, "step > 39ns", 0);
	fails(t, "step:median>40ns", ROW_NONE);
	fails(t, "step>500ns", ROW_NONE);
	fails(t, "op:chance>1%", ROW_NONE);
	fails(t, "op:a<b, c>>5%", 2);
	fails(t, "step>50%,op:a<b, c>>5%", 2);
	fails(t, "kernel>80%", 4);
	fails(t, "runtime>1%", ROW_NONE);
	ok(!diff_fails(t, "step", &row, &e) && e.code == ERR_USAGE, "no limit");
	e = (struct err)ERR_INIT;
	ok(!diff_fails(t, "stp>1%", &row, &e) && e.code == ERR_USAGE, "no such group");
	e = (struct err)ERR_INIT;
	ok(!diff_fails(t, "step>much", &row, &e) && e.code == ERR_USAGE, "no number");
	table_free(t);
}

int main(void)
{
	test_means();
	test_median();
	test_noise();
	test_fail_on();
	return done_testing();
}
