/* test_decimal.c - decimal text to integers: exact, rounded, too large, no number */
#include "base/decimal.h"

#include "tests/lib/tap.h"

static void test_scaled(void)
{
	static const struct {
		const char *text;
		int digits;
		int64_t want;
		bool held, exact;
	} cases[] = {
		{"21.180038", 9, 21180038000, true, true},
		{"1795967786.918471", 9, 1795967786918471000, true, true},
		{"1795967786.9184711234", 9, 1795967786918471123, true, false},
		{"0.0000000004", 9, 0, true, false},
		{"0.0000000005", 9, 1, true, false},
		{"-0.0000000005", 9, -1, true, false},
		{"0", 9, 0, true, true},
		{"-0.000", 9, 0, true, true},
		{"1e-06", 9, 1000, true, true},
		{"2.5E+3", 0, 2500, true, true},
		{"1e3", 0, 1000, true, true},
		{"1.5", 0, 2, true, false},
		{"12.0", 0, 12, true, true},
		{"9223372036854775807", 0, INT64_MAX, true, true},
		{"-9223372036854775808", 0, INT64_MIN, true, true},
		{"9223372036854775808", 0, 0, false, false},
		{"9223372036854775806.5", 0, INT64_MAX, true, false},
		{"9223372036854775807.5", 0, 0, false, false},
		{"1e400", 0, 0, false, false},
		{"1e-400", 9, 0, true, false},
		{"0.00000000000000000000000000000000000000000000000000012e50", 9, 12000000, true,
		 true},
		{"", 0, 0, false, false},
		{"-", 0, 0, false, false},
		{".", 0, 0, false, false},
		{"+7", 0, 7, true, true},
		{"1.", 0, 1, true, true},
		{".5", 1, 5, true, true},
		{"000000000000000000000000000000012", 0, 12, true, true},
		{"0.4999999999999999999999999", 0, 0, true, false},
		{"0.5000000000000000000000001", 0, 1, true, false},
		{"3.0000000000000000000000000", 0, 3, true, true},
		{"3.0000000000000000000000001", 0, 3, true, false},
		{"0e100000", 9, 0, true, true},
		{"5e-100000", 9, 0, true, false},
		{"1e", 0, 0, false, false},
		{"1x", 0, 0, false, false},
		{"1.2.3", 0, 0, false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool exact = false;
		int64_t v = -77;
		bool held = decimal_scaled(cases[i].text, strlen(cases[i].text), cases[i].digits,
					   &v, &exact);

		is_int(held, cases[i].held, "\"%s\" x 1e%d is a number in range", cases[i].text,
		       cases[i].digits);
		if (cases[i].held) {
			is_int(v, cases[i].want, "its value");
			is_int(exact, cases[i].exact, "rounded or not");
		}
	}
}

static void test_times(void)
{
	static const struct {
		const char *text;
		uint64_t factor;
		bool round;
		uint64_t want;
		bool exact;
	} cases[] = {
		{"1.5", 1024, true, 1536, true},
		{"-1.5", 1024, true, 1536, true},
		{"1.9999", 1, false, 1, false},
		{"1.9999", 1, true, 2, false},
		{"18446744073709551615", 1, false, UINT64_MAX, true},
		{"18446744073709551616", 1, false, UINT64_MAX, false},
		{"18446744073709551.615", 1000, true, UINT64_MAX, true},
		{"18446744073709551.6155", 1000, true, UINT64_MAX, false},
		{"1e30", 1, true, UINT64_MAX, false},
		/* 0.1 * 2^50 = 112589990684262.4 */
		{"0.1", UINT64_C(1) << 50, true, UINT64_C(112589990684262), false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal d;
		bool exact = !cases[i].exact,
		     split = decimal_split(cases[i].text, strlen(cases[i].text), &d);

		if (!ok(split, "\"%s\" is a number", cases[i].text))
			continue;
		is_uint(decimal_times(&d, cases[i].factor, cases[i].round, &exact), cases[i].want,
			"its value");
		is_int(exact, cases[i].exact, "cut off or not");
		is_int(d.negative, cases[i].text[0] == '-', "its sign");
	}
}

int main(void)
{
	test_scaled();
	test_times();
	return done_testing();
}
