/* test_filter.c - the filter language (table/filter.h) */
#include "table/filter.h"

#include "tests/lib/tap.h"

static const struct column_def cols[] = {
	{"name", "Name", UNIT_TEXT, COL_NAME, 0, ""}, {"class", "Class", UNIT_TEXT, 0, 0, ""},
	{"total_ns", "Total", UNIT_NS, 0, 0, ""},     {"bytes", "Bytes", UNIT_BYTES, 0, 0, ""},
	{"share", "Share", UNIT_RATIO, 0, 0, ""},     {"count", "Count", UNIT_COUNT, 0, 0, ""},
	{"tensor_core", "TC", UNIT_BOOL, 0, 0, ""},   {"rate", "Rate", UNIT_GBPS, 0, 0, ""},
};
enum {
	C_NAME,
	C_CLASS,
	C_TOTAL,
	C_BYTES,
	C_SHARE,
	C_COUNT,
	C_TC,
	C_RATE,
	N_COLS
};

static struct table *t;

static void make(void)
{
	static const struct {
		const char *name, *class;
		int64_t total, bytes, count;
		double share, rate;
		int tc;
	} rows[] = {
		{"ampere_sgemm_128", "GEMM", 1500000, 4000000000, 12, 0.5, 27.7, 1},
		{"Memcpy HtoD", "Copy", 1000000, 512, 3, 0.125, NAN, 0},
		{"void f<int>(long)", "Elementwise", INT64_MIN, INT64_MIN, 10, 0.001, 0, -1},
		{"not and or", NULL, 7, 0, INT64_MIN, NAN, 1, 1},
	};

	t = table_new("x", cols, N_COLS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t r = table_row(t);

		table_cstr(t, r, C_NAME, rows[i].name);
		table_cstr(t, r, C_CLASS, rows[i].class);
		table_i64(t, r, C_TOTAL, rows[i].total);
		table_i64(t, r, C_BYTES, rows[i].bytes);
		table_i64(t, r, C_COUNT, rows[i].count);
		table_f64(t, r, C_SHARE, rows[i].share);
		table_f64(t, r, C_RATE, rows[i].rate);
		if (rows[i].tc >= 0)
			table_bool(t, r, C_TC, rows[i].tc);
	}
}

/* want: the rows that match, "02" = the first and the third. */
static void finds(const char *text, const char *want)
{
	struct err e = ERR_INIT;
	struct filter *f = filter_parse(text, cols, N_COLS, &e);
	char got[8] = "";

	if (!f) {
		fail("%s: %s", text, e.text);
		return;
	}
	for (uint32_t r = 0, n = 0; r < t->n_rows; r++)
		if (filter_match(f, t, r))
			got[n++] = (char)('0' + r), got[n] = '\0';
	is_str(got, want, "%s", text);
	filter_free(f);
}

static void refuses(const char *text, int64_t at)
{
	struct err e = ERR_INIT;
	struct filter *f = filter_parse(text, cols, N_COLS, &e);

	if (ok(!f && e.code == ERR_USAGE && e.text[0], "refused: %s", text))
		is_int(e.offset, at, "%s: %s", text, e.text);
	filter_free(f);
	ok(!filter_parse(text, cols, N_COLS, NULL), "refused without err: %s", text);
}

static void test_words(void)
{
	finds("", "0123");
	finds("   ", "0123");
	finds("gemm", "0");
	finds("GEMM", "0");
	finds("SGEMM", "");
	finds("copy", "1");
	finds("memcpy htod", "1");
	finds("gemm copy", "");
	finds("gemm or copy", "01");
	finds("\"f<int>\"", "2");
	finds("'(long)'", "2");
	finds("'and or'", "3");
	finds("not gemm", "123");
	finds("not not gemm", "0");
	finds("!", "");
}

static void test_columns(void)
{
	finds("total_ns > 1ms", "0");
	finds("total_ns >= 1ms", "01");
	finds("total>=1ms", "01");
	finds("total_ns < 1.5ms", "13");
	finds("total_ns <= 0.0015s", "013");
	finds("total_ns = 7", "3");
	finds("total_ns == 7ns", "3");
	finds("total_ns != 7", "01");
	finds("bytes > 1KB", "0");
	finds("bytes = 0", "3");
	finds("share > 10%", "01");
	finds("share = 0.125", "1");
	finds("share < 1 %", "");
	finds("share < 1%", "2");
	finds("count > 2.5", "012");
	finds("tensor_core = true", "03");
	finds("tensor_core = no", "1");
	finds("rate > 20GB/s", "0");
	finds("rate < 20", "23");
	finds("class = GEMM", "0");
	finds("class = gemm", "0");
	finds("class = gem", "");
	finds("class ~ gem", "0");
	finds("class != GEMM", "12");
	finds("class !~ e", "1");
	finds("class < D", "1");
	finds("name = 'Memcpy HtoD'", "1");
}

static void test_unknown(void)
{
	finds("total_ns = null", "2");
	finds("total_ns != null", "013");
	finds("class = null", "3");
	finds("class = \"null\"", "");
	finds("not total_ns > 0", "2");
}

static void test_logic(void)
{
	finds("class = GEMM and count >= 10", "0");
	finds("class = GEMM or count = 3 and share > 90%", "0");
	finds("(class = GEMM or count = 3) and share < 20%", "1");
	finds("count >= 10 not gemm", "2");
	finds("not (gemm or copy)", "23");
	finds("gemm AND count=12 OR copy", "01");
	finds("((((gemm))))", "0");
}

static void test_faults(void)
{
	refuses("foo = 1", 0);
	refuses("gemm and foo > 1", 9);
	refuses("total_ns > fast", 11);
	refuses("total_ns >", 10);
	refuses("total_ns > > 1", 11);
	refuses("> 1", 0);
	refuses("share > 1GB", 8);
	refuses("count ~ 3", 8);
	refuses("tensor_core = maybe", 14);
	refuses("(gemm", 0);
	refuses("gemm)", 4);
	refuses("gemm and", 8);
	refuses("or gemm", 0);
	refuses("gemm or or copy", 8);
	refuses("not", 3);
	refuses("()", 1);
	refuses("\"gemm", 0);
	refuses("\"name\" = x", 0);
	refuses("total_ns < null", 11);
	refuses("gemm && copy", 5);
	refuses("gemm || copy", 5);
}

static void test_nesting(void)
{
	char text[40001];
	struct filter *f;

	memset(text, '(', 40000);
	text[40000] = '\0';
	ok(!filter_parse(text, cols, N_COLS, NULL), "40000 parentheses are refused, not followed");
	for (size_t i = 0; i < 40000; i += 4)
		memcpy(text + i, "not ", 4);
	ok(!filter_parse(text, cols, N_COLS, NULL), "nor 10000 negations");
	for (size_t i = 0; i < 40000; i += 4)
		memcpy(text + i, "gem ", 4);
	f = filter_parse(text, cols, N_COLS, NULL);
	ok(f && filter_match(f, t, 0) && !filter_match(f, t, 1),
	   "10000 words side by side are no nesting");
	filter_free(f);
}

/* No text may crash it, and a text that parses can be evaluated. */
static void test_random(void)
{
	static const char *const pieces[] = {
		"gemm", " ",   "(",   ")",  "total", "=", "<",	  ">",	   "!",	   "~",	    "and",
		"or",	"not", "1ms", "\"", "'",     "%", "null", "class", "\xff", "share", "5"};
	char text[200];
	int parsed = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct filter *f;

		text[0] = '\0';
		for (int k = rand() % 12; k > 0; k--) {
			strcat(text, pieces[rand() % 22]);
			strcat(text, rand() % 2 ? " " : "");
		}
		f = filter_parse(text, cols, N_COLS, NULL);
		parsed += f != NULL;
		for (uint32_t r = 0; f && r < t->n_rows; r++)
			filter_match(f, t, r);
		filter_free(f);
	}
	ok(parsed > 1000 && parsed < 19000, "%d of 20000 random texts parse", parsed);
}

int main(void)
{
	make();
	test_words();
	test_columns();
	test_unknown();
	test_logic();
	test_faults();
	test_nesting();
	test_random();
	table_free(t);
	return done_testing();
}
