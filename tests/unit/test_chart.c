/* test_chart.c - rows in words and as bars below a table of the report: every figure by hand */
#include "report/chart.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

static const struct column_def cols[] = {
	{"name", "Name", UNIT_TEXT, COL_KEY, 0, ""},
	{"kind", "Kind", UNIT_TEXT, 0, 0, ""},
	{"time_ns", "Time", UNIT_NS, 0, 0, ""},
};

/* Rows a, b, c ... with these times; INT64_MIN is unknown. */
static struct table *made(const int64_t *ns, uint32_t n)
{
	struct table *t = table_new("test", cols, 3);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = table_row(t);
		char name[2] = {(char)('a' + i), '\0'};

		table_cstr(t, row, 0, name);
		table_cstr(t, row, 1, "k");
		table_i64(t, row, 2, ns[i]);
	}
	return t;
}

static char *text_of(const struct table *t, const char *spec, int rest, bool bars)
{
	struct report r = {0};
	char *text = NULL;
	size_t n = 0;

	r.f = open_memstream(&text, &n);
	if (bars)
		chart_bars(&r, t, spec);
	else
		chart_reading(&r, t, spec, rest);
	fclose(r.f);
	return text;
}

static void reads(const int64_t *ns, uint32_t n, const char *spec, bool rest, const char *want)
{
	struct table *t = made(ns, n);
	char *got = text_of(t, spec, rest, false);

	is_str(got, want, "%u rows%s: \"%s\"", n, rest ? " with a rest" : "", want);
	free(got);
	table_free(t);
}

static void test_reading(void)
{
	static const int64_t three[] = {100, 600, 300}, five[] = {5, 400, 300, 195, 100};
	static const int64_t rest[] = {100, 200, 700}, hole[] = {1, INT64_MIN, 2}, none[] = {0, 0};

	reads(three, 3, "name time_ns", false, "\nLargest: b with 600 ns, 60.0 % of the 1.00 µs of all rows.\n");
	reads(five, 5, "name kind time_ns", false,
	      "\nLargest: b k with 400 ns, 40.0 % of the 1.00 µs of all rows. The three largest make up 89.5 %.\n");
	/* 700 ns are of many rows, not of one */
	reads(rest, 3, "name time_ns", true, "\nLargest: b with 200 ns, 20.0 % of the 1.00 µs of all rows.\n");
	reads(hole, 3, "name time_ns", false, "");
	reads(none, 2, "name time_ns", false, "");
	reads(three, 1, "name time_ns", false, "");
	reads(three, 3, "name no_such", false, "");
}

static unsigned count_of(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void test_bars(void)
{
	/* 40 columns for 800; 400: 20; 10: half a column; unknown: none */
	static const int64_t ns[] = {800, 400, 10, INT64_MIN};
	struct table *t = made(ns, 4);
	char *got = text_of(t, "name kind time_ns", 0, true);

	is_int(count_of(got, "█"), 60, "40 and 20 columns");
	ok(strstr(got, "c k      10 ns  ▌\n"), "half a column");
	ok(strstr(got, "d k          –  \n"), "an unknown figure has no bar");
	ok(!strncmp(got, "\n```text\na k     800 ns  █", 24), "a code block, labels side by side");
	free(got);
	table_free(t);
}

static void test_many(void)
{
	int64_t ns[CHART_ROWS + 5];
	struct table *t;
	char *got;

	for (int i = 0; i < CHART_ROWS + 5; i++)
		ns[i] = 1;
	t = made(ns, CHART_ROWS + 5);
	got = text_of(t, "kind time_ns", 0, true);
	is_int(count_of(got, "\nk "), CHART_ROWS, "as many rows as a chart has");
	ok(strstr(got, "The chart leaves out 5 rows."), "and how many it leaves out");
	free(got);
	table_free(t);
}

int main(void)
{
	test_reading();
	test_bars();
	test_many();
	return done_testing();
}
