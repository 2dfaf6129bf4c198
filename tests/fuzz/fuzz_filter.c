/* fuzz_filter.c - what people type: filters against a small table, windows, splits, numbers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scope/scope.h"
#include "table/filter.h"
#include "tests/fuzz/fuzz.h"

static const struct column_def cols[] = {
	{ "name", "Name", UNIT_TEXT, COL_NAME, 0, "" },	    { "total_ns", "Total", UNIT_NS, 0, 0, "" },
	{ "start_ns", "Start", UNIT_TIME, 0, 0, "" },	    { "bytes", "Bytes", UNIT_BYTES, 0, 0, "" },
	{ "count", "Count", UNIT_COUNT, 0, 0, "" },	    { "tid", "Thread", UNIT_ID, 0, 0, "" },
	{ "share", "Share", UNIT_RATIO, 0, 0, "" },	    { "ratio", "Ratio", UNIT_FACTOR, 0, 0, "" },
	{ "rate_gbps", "Rate", UNIT_GBPS, 0, 0, "" },	    { "warmup", "Warm-up", UNIT_BOOL, 0, 0, "" },
};
enum { N_COLS = sizeof(cols) / sizeof(*cols) };

static struct table *sample(void)
{
	static const int64_t values[] = { 0, 1, -1, 1000000, INT64_MAX, INT64_MIN + 1 };
	static const char *const names[] = { "", "aten::mm", "GEMM", "\x1b[2J\xff\x80", "null", "Größe" };
	struct table *t = table_new("made", cols, N_COLS);

	for (uint32_t i = 0; i < 6; i++) {
		uint32_t row = table_row(t);

		table_cstr(t, row, 0, names[i]);
		for (uint32_t c = 1; c <= 5; c++)
			table_i64(t, row, c, values[(i + c) % 6]);
		table_f64(t, row, 6, (double)i / 5);
		table_f64(t, row, 7, i == 2 ? INFINITY : i * 1e300);
		table_f64(t, row, 8, i == 3 ? NAN : (double)i);
		table_bool(t, row, 9, i & 1);
	}
	table_row(t);	/* all cells missing */
	return t;
}

static void check_filter(const struct table *t, const char *text)
{
	struct err e = ERR_INIT;
	struct filter *f = filter_parse(text, cols, N_COLS, &e);
	struct table_view v = { 0 };
	uint32_t hits = 0;

	if (!f) {
		fuzz_hold(e.code == ERR_USAGE, "fails without a reason");
		fuzz_hold(e.offset >= -1 && e.offset <= (int64_t)strlen(text), "fault at %lld", (long long)e.offset);
		return;
	}
	for (uint32_t row = 0; row < t->n_rows; row++)
		hits += filter_match(f, t, row);
	table_view_make(&v, t, 1, true, f, 0);
	fuzz_hold(v.n == hits, "%u rows in the view, %u match", v.n, hits);
	table_view_fini(&v);
	filter_free(f);
}

/* The other half of a filter: `not (f)` matches exactly the rows that f does not. */
static void check_not(const struct table *t, const char *text)
{
	size_t n = strlen(text);
	char *negated = malloc(n + 8);
	struct err e = ERR_INIT;
	struct filter *f = filter_parse(text, cols, N_COLS, &e), *g;

	memcpy(negated, "not (", 5);
	memcpy(negated + 5, text, n);
	memcpy(negated + 5 + n, ")", 2);
	g = filter_parse(negated, cols, N_COLS, &e);
	for (uint32_t row = 0; f && g && !strpbrk(text, "()\"'") && row < t->n_rows; row++)
		fuzz_hold(filter_match(f, t, row) != filter_match(g, t, row), "row %u matches both or neither", row);
	filter_free(f);
	filter_free(g);
	free(negated);
}

static void check_scope(const char *text)
{
	struct err e = ERR_INIT;
	struct scope a, b;
	char buf[128];

	scope_init(&a);
	scope_init(&b);
	if (scope_parse_window(&a, text, &e)) {
		scope_window_text(&a, buf, sizeof(buf));
		fuzz_hold(scope_parse_window(&b, buf, &e), "window %s does not parse: %s", buf, e.text);
		fuzz_hold(a.window == b.window && a.step_a == b.step_a && a.step_b == b.step_b, "window %s is another", buf);
		fuzz_hold(a.window != WINDOW_TIME || a.start_ns <= a.end_ns, "window %s ends before it begins", buf);
		fuzz_hold(a.window != WINDOW_STEPS || a.step_a <= a.step_b, "steps %s the wrong way round", buf);
	} else {
		fuzz_hold(e.code == ERR_USAGE, "fails without a reason");
	}
	scope_parse_by(&a, text, &e);
	phase_by_name(text, strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table *t;
	char *text;

	if (size > 4096)
		return 0;
	text = malloc(size + 1);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	t = sample();
	check_filter(t, text);
	check_not(t, text);
	check_scope(text);
	table_free(t);
	free(text);
	return 0;
}
