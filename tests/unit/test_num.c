/* test_num.c - numbers and units, read and written (base/num.h) */
#include "base/num.h"

#include "base/text.h"
#include "tests/lib/tap.h"

typedef bool (*parse_i64_fn)(const char *s, size_t n, int64_t *out);

static void reads(parse_i64_fn f, const char *s, int64_t want)
{
	int64_t v = -77;

	if (ok(f(s, strlen(s), &v), "\"%s\" is read", s))
		is_int(v, want, "\"%s\"", s);
}

static void refuses(parse_i64_fn f, const char *s)
{
	int64_t v = -77;

	ok(!f(s, strlen(s), &v) && v == -77, "\"%s\" is refused", s);
}

static void test_parse_ns(void)
{
	reads(num_parse_ns, "0", 0);
	reads(num_parse_ns, "17", 17);
	reads(num_parse_ns, "12.5ms", 12500000);
	reads(num_parse_ns, " 80 ms ", 80000000);
	reads(num_parse_ns, "1.000000001s", 1000000001);
	reads(num_parse_ns, "3\xc2\xb5s", 3000);
	reads(num_parse_ns, "3us", 3000);
	reads(num_parse_ns, "2m", INT64_C(120000000000));
	reads(num_parse_ns, "1.5h", INT64_C(5400000000000));
	reads(num_parse_ns, "-4ms", -4000000);
	reads(num_parse_ns, "+4ms", 4000000);
	reads(num_parse_ns, ".5us", 500);
	reads(num_parse_ns, "1.us", 1000);
	reads(num_parse_ns, "0.0004us", 0);
	reads(num_parse_ns, "0.0005us", 1);
	/* A double would lose the last digits. */
	reads(num_parse_ns, "9223372036.854775807s", INT64_MAX);
	reads(num_parse_ns, "0.1234567894999999999999999999s", 123456789);
	refuses(num_parse_ns, "9223372036.854775808s");
	refuses(num_parse_ns, "99999999999999999999");
	refuses(num_parse_ns, "");
	refuses(num_parse_ns, ".");
	refuses(num_parse_ns, "ms");
	refuses(num_parse_ns, "1.2.3ms");
	refuses(num_parse_ns, "1e3ms");
	refuses(num_parse_ns, "5 parsecs");
	refuses(num_parse_ns, "- 4ms");
}

static void test_parse_bytes(void)
{
	reads(num_parse_bytes, "4GB", INT64_C(4000000000));
	reads(num_parse_bytes, "4gb", INT64_C(4000000000));
	reads(num_parse_bytes, "4GiB", INT64_C(4294967296));
	reads(num_parse_bytes, "4G", INT64_C(4294967296));
	reads(num_parse_bytes, "1.5K", 1536);
	reads(num_parse_bytes, "512", 512);
	reads(num_parse_bytes, "512 B", 512);
	refuses(num_parse_bytes, "9000000PB");
	refuses(num_parse_bytes, "4 gigs");
}

static void test_parse_rest(void)
{
	int64_t i = 5;
	double f = 5;

	reads(num_parse_i64, "-12", -12);
	reads(num_parse_i64, "9223372036854775807", INT64_MAX);
	refuses(num_parse_i64, "1.0");
	refuses(num_parse_i64, "12x");
	ok(num_parse_ratio("12.5%", 5, &f) && f == 0.125, "per cent");
	ok(num_parse_ratio("12.5 %", 6, &f) && f == 0.125, "per cent with a blank");
	ok(num_parse_ratio("0.25", 4, &f) && f == 0.25, "share");
	ok(!num_parse_ratio("%", 1, &f), "a sign alone");
	ok(num_parse_f64("-2e3", 4, &f) && f == -2000, "floating point");
	ok(!num_parse_f64("nan", 3, &f) && !num_parse_f64("inf", 3, &f) &&
		   !num_parse_f64("0x10", 4, &f) && !num_parse_f64("1e999", 5, &f),
	   "no nan, inf, hex, overflow");
	ok(num_parse_i64("12345", 3, &i) && i == 123, "the length counts, not a terminator");
}

static void prints(char *(*f)(int64_t v, char *buf), int64_t v, const char *want)
{
	char buf[NUM_TEXT_MAX];

	is_str(f(v, buf), want, "%" PRId64 " is %s", v, want);
}

static void test_print_ns(void)
{
	prints(num_ns, 0, "0");
	prints(num_ns, 1, "1 ns");
	prints(num_ns, 512, "512 ns");
	prints(num_ns, 999, "999 ns");
	prints(num_ns, 1000, "1.00 \xc2\xb5s");
	prints(num_ns, 1234, "1.23 \xc2\xb5s");
	prints(num_ns, 1235, "1.24 \xc2\xb5s");
	prints(num_ns, 12340000, "12.34 ms");
	prints(num_ns, 99994999, "99.99 ms");
	prints(num_ns, 99995000, "100 ms");
	prints(num_ns, 856900000, "857 ms");
	prints(num_ns, 999499999, "999 ms");
	prints(num_ns, 999500000, "1.00 s");
	prints(num_ns, 1224000000, "1.22 s");
	prints(num_ns, INT64_C(4321000000000), "4321 s");
	prints(num_ns, -12340000, "-12.34 ms");
	prints(num_ns, INT64_MIN, "-9223372037 s");
	text_set_ascii(true);
	prints(num_ns, 1234, "1.23 us");
	text_set_ascii(false);
}

static void test_print_rest(void)
{
	prints(num_bytes, 0, "0");
	prints(num_bytes, 512, "512 B");
	prints(num_bytes, INT64_C(50950000000), "50.95 GB");
	prints(num_bytes, INT64_C(-4000000), "-4.00 MB");
	prints(num_count, 1240, "1240");
	prints(num_count, INT64_MIN, "-9223372036854775808");
	prints(num_time, INT64_C(12345678499), "12.345678 s");
	prints(num_time, -1500000, "-0.001500 s");
	prints(num_time, 0, "0");
	prints(num_time, 400, "400 ns");
}

static void prints_f(char *(*f)(double v, char *buf), double v, const char *want)
{
	char buf[NUM_TEXT_MAX];

	is_str(f(v, buf), want, "%.17g is %s", v, want);
}

static void test_print_double(void)
{
	prints_f(num_pct, 0.97, "97.0 %");
	prints_f(num_pct, 0, "0 %");
	prints_f(num_pct, 0.0004, "<0.1 %");
	prints_f(num_pct, -0.0004, "-<0.1 %");
	prints_f(num_pct, 0.0006, "0.1 %");
	prints_f(num_pct, 1, "100.0 %");
	prints_f(num_pct, 0.9999, ">99.9 %");
	prints_f(num_pct, 1.5, "150.0 %");
	prints_f(num_pct, NAN, "?");
	prints_f(num_factor, 1.0249, "1.02");
	prints_f(num_factor, 12.345, "12.3");
	prints_f(num_factor, 9.999, "10.0");
	prints_f(num_factor, 99.96, "100");
	prints_f(num_factor, 1514.2, "1514");
	prints_f(num_factor, 0.00123, "0.00123");
	prints_f(num_factor, 0, "0");
	prints_f(num_rate, 27.7, "27.7 GB/s");
	prints_f(num_rate, 1514, "1514 GB/s");
	prints_f(num_rate, 0.85, "850 MB/s");
	prints_f(num_rate, 0.0000123, "12.3 KB/s");
	prints_f(num_rate, 1e-9, "1.00 B/s");
	prints_f(num_rate, 0, "0 GB/s");
	prints_f(num_exact, 0.1, "0.1");
	prints_f(num_exact, 1.0 / 3, "0.3333333333333333");
	prints_f(num_exact, 5e-324, "4.94065645841247e-324");
	prints_f(num_exact, 123456789012345678.0, "1.2345678901234568e+17");
}

/* Printed and read again, a figure is within half a per cent, and nothing but 0 is printed as 0. */
static void test_round_trip(void)
{
	char buf[NUM_TEXT_MAX];
	int bad = 0;

	srand(3);
	for (int i = 0; i < 50000; i++) {
		int64_t v = ((int64_t)rand() << 31 ^ rand()) >> (rand() % 62), back = 0;

		num_ns(v, buf);
		if (!num_parse_ns(buf, strlen(buf), &back) ||
		    fabs((double)(back - v)) > 0.005 * fabs((double)v) + 1e-9) {
			diag("%" PRId64 " → %s → %" PRId64, v, buf, back);
			bad++;
		}
	}
	is_int(bad, 0, "50000 durations printed and read back");
}

int main(void)
{
	test_parse_ns();
	test_parse_bytes();
	test_parse_rest();
	test_print_ns();
	test_print_rest();
	test_print_double();
	test_round_trip();
	return done_testing();
}
