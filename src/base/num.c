/* num.c - parsing and printing of numbers with units, see num.h */
#include "base/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/text.h"

struct unit_name {
	const char *name;
	int64_t factor;
};

static const struct unit_name time_units[] = {
	{"", 1},
	{"ns", 1},
	{"us", 1000},
	{"\xc2\xb5s", 1000},
	{"\xce\xbcs", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", INT64_C(60000000000)},
	{"h", INT64_C(3600000000000)},
	{NULL, 0},
};

static const struct unit_name size_units[] = {
	{"", 1},
	{"B", 1},
	{"KB", 1000},
	{"MB", 1000000},
	{"GB", 1000000000},
	{"TB", INT64_C(1000000000000)},
	{"PB", INT64_C(1000000000000000)},
	{"K", INT64_C(1) << 10},
	{"M", INT64_C(1) << 20},
	{"G", INT64_C(1) << 30},
	{"T", INT64_C(1) << 40},
	{"P", INT64_C(1) << 50},
	{"KiB", INT64_C(1) << 10},
	{"MiB", INT64_C(1) << 20},
	{"GiB", INT64_C(1) << 30},
	{"TiB", INT64_C(1) << 40},
	{"PiB", INT64_C(1) << 50},
	{NULL, 0},
};

static void trim(const char **s, size_t *n)
{
	while (*n && (**s == ' ' || **s == '\t'))
		(*s)++, (*n)--;
	while (*n && ((*s)[*n - 1] == ' ' || (*s)[*n - 1] == '\t'))
		(*n)--;
}

/* The factor of the unit in s, 0 if there is no such unit. */
static int64_t unit_factor(const struct unit_name *u, const char *s, size_t n, bool any_case)
{
	for (; u->name; u++)
		if (strlen(u->name) == n &&
		    !(any_case ? strncasecmp(u->name, s, n) : strncmp(u->name, s, n)))
			return u->factor;
	return 0;
}

/* [+-]digits[.digits][ ]unit, exact. */
static bool parse_scaled(const char *s, size_t n, const struct unit_name *units, bool any_case,
			 int64_t *out)
{
	struct decimal d;
	size_t used = 0;
	int64_t scale;
	uint64_t v;

	trim(&s, &n);
	while (used < n && memchr("+-.0123456789", s[used], 13))
		used++;
	if (!decimal_split(s, used, &d))
		return false;
	const char *unit = s + used;
	size_t unit_n = n - used;

	trim(&unit, &unit_n);
	scale = unit_factor(units, unit, unit_n, any_case);
	v = scale ? decimal_times(&d, (uint64_t)scale, true, NULL) : UINT64_MAX;
	if (v > INT64_MAX)
		return false;
	*out = d.negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool num_parse_ns(const char *s, size_t n, int64_t *out)
{
	return parse_scaled(s, n, time_units, false, out);
}

bool num_parse_bytes(const char *s, size_t n, int64_t *out)
{
	return parse_scaled(s, n, size_units, true, out);
}

bool num_parse_i64(const char *s, size_t n, int64_t *out)
{
	static const struct unit_name none[] = {
		{"", 1},
		{NULL, 0},
	};

	return !memchr(s, '.', n) && parse_scaled(s, n, none, false, out);
}

bool num_parse_f64(const char *s, size_t n, double *out)
{
	char buf[NUM_TEXT_MAX], *end;
	double v;

	trim(&s, &n);
	if (!n || n >= sizeof(buf) || strspn(s, "+-.0123456789eE") < n)
		return false;
	memcpy(buf, s, n);
	buf[n] = '\0';
	v = strtod(buf, &end);
	if (end != buf + n || !isfinite(v))
		return false;
	*out = v;
	return true;
}

bool num_parse_ratio(const char *s, size_t n, double *out)
{
	bool pct;
	double v;

	trim(&s, &n);
	pct = n && s[n - 1] == '%';
	if (!num_parse_f64(s, n - pct, &v))
		return false;
	*out = pct ? v / 100 : v;
	return true;
}

struct num_step {
	uint64_t scale; /* of the unit in the base unit */
	const char *name, *ascii;
};

static const struct num_step time_steps[] = {
	{1, "ns", "ns"},	{1000, "\xc2\xb5s", "us"}, {1000000, "ms", "ms"},
	{1000000000, "s", "s"}, {0, NULL, NULL},
};

static const struct num_step size_steps[] = {
	{1, "B", "B"},
	{1000, "KB", "KB"},
	{1000000, "MB", "MB"},
	{1000000000, "GB", "GB"},
	{UINT64_C(1000000000000), "TB", "TB"},
	{UINT64_C(1000000000000000), "PB", "PB"},
	{0, NULL, NULL},
};

static uint64_t div_round(uint64_t v, uint64_t by)
{
	return v / by + (v % by >= by - by / 2);
}

/*
 * The figure in the largest unit in which it is 1 or more: two decimals below 100, none from 100
 * on; whole in the base unit. What would round to 1000 goes to the next unit. Integers only.
 */
static char *print_scaled(int64_t v, const struct num_step *st, char *buf)
{
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v, x;
	const char *sign = v < 0 ? "-" : "";

	while (st[1].scale && u >= st[1].scale - st[1].scale / 2000)
		st++;
	if (!u) {
		snprintf(buf, NUM_TEXT_MAX, "0");
		return buf;
	}
	const char *name = text_ascii() ? st->ascii : st->name;

	x = st->scale > 1 ? div_round(u, st->scale / 100) : u;
	if (st->scale > 1 && x < 10000)
		snprintf(buf, NUM_TEXT_MAX, "%s%" PRIu64 ".%02" PRIu64 " %s", sign, x / 100,
			 x % 100, name);
	else
		snprintf(buf, NUM_TEXT_MAX, "%s%" PRIu64 " %s", sign, div_round(u, st->scale),
			 name);
	return buf;
}

char *num_ns(int64_t ns, char *buf)
{
	return print_scaled(ns, time_steps, buf);
}

char *num_bytes(int64_t bytes, char *buf)
{
	return print_scaled(bytes, size_steps, buf);
}

char *num_count(int64_t n, char *buf)
{
	snprintf(buf, NUM_TEXT_MAX, "%" PRId64, n);
	return buf;
}

static char *print_word(const char *word, char *buf)
{
	snprintf(buf, NUM_TEXT_MAX, "%s", word);
	return buf;
}

char *num_pct(double ratio, char *buf)
{
	double a = fabs(ratio) * 100;
	const char *sign = ratio < 0 ? "-" : "";

	if (!isfinite(ratio))
		return print_word("?", buf);
	if (a == 0)
		return print_word("0 %", buf);
	if (a < 0.05)
		snprintf(buf, NUM_TEXT_MAX, "%s<0.1 %%", sign);
	else if (a >= 99.95 && a < 100)
		snprintf(buf, NUM_TEXT_MAX, "%s>99.9 %%", sign);
	else if (a < 1e15)
		snprintf(buf, NUM_TEXT_MAX, "%s%.1f %%", sign, a);
	else
		snprintf(buf, NUM_TEXT_MAX, "%s%.3g %%", sign, a);
	return buf;
}

/* Three significant digits, all digits before the point. */
static char *print_3(double f, const char *unit, char *buf)
{
	double a = fabs(f);
	int decimals = a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2;

	if (a == 0)
		snprintf(buf, NUM_TEXT_MAX, "0%s", unit);
	else if (a < 1 || a >= 1e15)
		snprintf(buf, NUM_TEXT_MAX, "%.3g%s", f, unit);
	else
		snprintf(buf, NUM_TEXT_MAX, "%.*f%s", decimals, f, unit);
	return buf;
}

char *num_factor(double f, char *buf)
{
	return isfinite(f) ? print_3(f, "", buf) : print_word("?", buf);
}

char *num_rate(double bytes_per_ns, char *buf)
{
	double a = fabs(bytes_per_ns);

	if (!isfinite(bytes_per_ns))
		return print_word("?", buf);
	if (a >= 0.9995 || a == 0)
		return print_3(bytes_per_ns, " GB/s", buf);
	if (a >= 0.9995e-3)
		return print_3(bytes_per_ns * 1e3, " MB/s", buf);
	if (a >= 0.9995e-6)
		return print_3(bytes_per_ns * 1e6, " KB/s", buf);
	return print_3(bytes_per_ns * 1e9, " B/s", buf);
}

char *num_time(int64_t ns, char *buf)
{
	uint64_t us = div_round(ns < 0 ? -(uint64_t)ns : (uint64_t)ns, 1000);

	if (!us)
		return num_ns(ns, buf);
	snprintf(buf, NUM_TEXT_MAX, "%s%" PRIu64 ".%06" PRIu64 " s", ns < 0 ? "-" : "",
		 us / 1000000, us % 1000000);
	return buf;
}

char *num_exact(double f, char *buf)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, NUM_TEXT_MAX, "%.*g", digits, f);
		if (strtod(buf, NULL) == f)
			break;
	}
	return buf;
}
