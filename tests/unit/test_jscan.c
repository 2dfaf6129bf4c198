/*
 * test_jscan.c - the JSON scanner: numbers to the nanosecond, escapes, windows that end anywhere,
 * lenient strings
 */
#include "base/jscan.h"
#include "tests/lib/tap.h"

static char text[4096 + JSCAN_PAD];	/* what a scanner looks at, with its zero bytes */

static struct jscan scan_n(const char *s, size_t n, bool last)
{
	struct jscan js;

	memset(text, 0, sizeof(text));
	memcpy(text, s, n);
	jscan_init(&js, text, n, 0, last);
	return js;
}

static struct jscan scan(const char *s)
{
	return scan_n(s, strlen(s), true);
}

static void times(void)
{
	static const struct {
		const char *s;
		int64_t ns;
	} good[] = {
		{"0", 0},
		{"12", 12000},
		{"12.3", 12300},
		{"12.34", 12340},
		{"12.345", 12345},
		{"12.3454", 12345},
		{"12.3455", 12346}, /* the fourth decimal rounds half up */
		{"12.9995", 13000},
		{"0.0004", 0},
		{"0.0005", 1},
		{"-1.5", -1500},
		{"1e-05", 0},
		{"5e-4", 1}, /* 0.5 ns */
		{"1.5e3", 1500000},
		{"1E+2", 100000},
		{"37.502999999999986", 37503},
		{"1712195495794447.391", 1712195495794447391}, /* 19 digits: no double holds them */
		{"1623143089861123", 1623143089861123000},
		{"9223372036854775.807", INT64_MAX},
		{"9223372036854775.808", INT64_MAX}, /* clamped */
		{"-9223372036854775808", INT64_MIN},
		{"99999999999999999999999", INT64_MAX},
		{"1e99999999", INT64_MAX},
		{"0e99999999", 0},
		{"\"1699529623106750\"", 1699529623106750000},
		{"\"200.125\"", 200125},
	};
	static const char *const bad[] = {"null", "NaN",     "-nan",	   "inf", "N/A",
					  "\"\"", "\"12x\"", "{\"a\": 1}", "[1]", "1.2.3",
					  "1e",	  "-",	     "."};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		char value[80];
		int64_t ns = 77;
		bool known = false;
		struct jscan js;

		snprintf(value, sizeof(value), "%s,", good[i].s);
		js = scan(value);
		ok(jscan_us(&js, &ns, &known) == JS_OK && known && *js.p == ',',
		   "%s is a time, and is left at the comma", good[i].s);
		is_int(ns, good[i].ns, "%s us", good[i].s);
		js = scan(good[i].s);
		ok(jscan_us(&js, &ns, &known) == JS_OK && known && ns == good[i].ns,
		   "%s at the end of the text", good[i].s);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char value[80];
		int64_t ns;
		bool known = true;
		struct jscan js;

		snprintf(value, sizeof(value), "%s}", bad[i]);
		js = scan(value);
		ok(jscan_us(&js, &ns, &known) == JS_OK && !known && *js.p == '}',
		   "%s is no time and is skipped", bad[i]);
	}
}

static void integers(void)
{
	struct jscan js = scan("[-7, 18446744073709551615, 10159970886766084423, \"0x1F\", 12.9, "
			       "\"stream\", 99999999999999999999]");
	uint64_t u = 0;
	int64_t v = 0;
	bool known = false;

	js.p++;
	ok(jscan_i64(&js, &v, &known) == JS_OK && known && v == -7, "negative");
	js.p++;
	ok(jscan_u64(&js, &u, &known) == JS_OK && known && u == UINT64_MAX, "2^64 - 1");
	js.p++;
	ok(jscan_u64(&js, &u, &known) == JS_OK && known && u == UINT64_C(10159970886766084423),
	   "above 2^63");
	js.p++;
	ok(jscan_u64(&js, &u, &known) == JS_OK && known && u == 31, "hexadecimal in quotes");
	js.p++;
	ok(jscan_i64(&js, &v, &known) == JS_OK && known && v == 12, "a fraction is cut off");
	js.p++;
	ok(jscan_i64(&js, &v, &known) == JS_OK && !known, "a word is no number");
	js.p++;
	ok(jscan_i64(&js, &v, &known) == JS_OK && known && v == INT64_MAX, "clamped");
	ok(jscan_take(&js, ']') == JS_OK, "and the list ends");
}

static void plain_is(const char *json, const char *want, size_t n)
{
	struct jscan js = scan(json);
	struct jstr s = { 0 };
	char *buf = NULL;
	size_t cap = 0, got = 0;
	const char *p = "";

	if (ok(jscan_string(&js, &s) == JS_OK, "%s is a string", json))
		p = jstr_plain(&s, &buf, &cap, &got);
	is_mem(p, got, want, n, "%s decoded", json);
	free(buf);
}

static void strings(void)
{
	plain_is("\"abc\"", "abc", 3);
	plain_is("\"\"", "", 0);
	plain_is("\"a\\n\\t\\\"\\\\\\/b\"", "a\n\t\"\\/b", 7);
	plain_is("\"\\u00e9\\u20ac\"", "\xc3\xa9\xe2\x82\xac", 5);
	plain_is("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4);
	plain_is("\"\\ud83d!\"", "\xef\xbf\xbd!", 4);
	plain_is("\"\\udc00\"", "\xef\xbf\xbd", 3);
	plain_is("\"\\u0000\"", "", 1);
	plain_is("\"torch\\cuda\\__init__.py\"", "torch\\cuda\\__init__.py",
		 22); /* unknown escapes stay */
	plain_is("\"\\u12\"", "\\u12", 4);
	plain_is("\"a\tb\001c\xff\"", "a\tb\001c\xff", 6);
}

/* Every cut of the text must ask for more, and nothing but the whole may be accepted. */
static void cut_anywhere(void)
{
	static const char value[] = "{\"a\": [1, \"x\\\"y}\", {\"b\": null}], \"c\": -1.5e3} ";
	size_t whole = sizeof(value) - 2;
	unsigned wrong = 0;

	for (size_t n = 0; n < whole; n++) {
		struct jscan js = scan_n(value, n, false);
		struct jscan end = scan_n(value, n, true);

		wrong += jscan_skip(&js) != JS_MORE;
		wrong += jscan_skip(&end) != JS_BAD;
	}
	is_uint(wrong, 0,
		"a value cut at any of %zu places wants more, or is bad where the text ends",
		whole);
	for (size_t n = 1; n <= 4; n++) {
		struct jscan js = scan_n("1234,", n, false);
		int64_t v;
		bool known;

		ok(jscan_i64(&js, &v, &known) == JS_MORE && js.p == text,
		   "a number may go on behind its first %zu digits", n);
	}
}

/* The skipper that keeps its state: any split gives the same end. */
static void skip_in_pieces(void)
{
	static const char *const values[] = {"{\"a\": [1, \"x\\\"]}y\", {}], \"c\": \"}\"}",
					     "\"a\\\\\"", "-12.5", "[[], {}]", "null"};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		size_t n = strlen(values[i]), wrong = 0;

		for (size_t cut = 0; cut <= n; cut++) {
			char buf[128];
			struct jscan_skipper k = { 0 };
			struct jscan js = scan_n(values[i], cut, false);
			enum jstat st = jscan_skip_some(&js, &k);
			size_t at = (size_t)(js.p - text);

			if (st == JS_MORE) {
				size_t left =
					(size_t)snprintf(buf, sizeof(buf), "%s, 7", values[i] + at);

				js = scan_n(buf, left, true);
				st = jscan_skip_some(&js, &k);
				at += (size_t)(js.p - text);
			}
			wrong += st != JS_OK || at != n;
		}
		is_uint(wrong, 0, "%s is skipped whatever the cut", values[i]);
	}
}

static void depth(void)
{
	char deep[JSCAN_DEPTH + 8];
	struct jscan js;

	memset(deep, '[', sizeof(deep));
	js = scan_n(deep, sizeof(deep), false);
	ok(jscan_skip(&js) == JS_BAD, "nesting deeper than the limit is refused");
}

static void lenient(void)
{
	static const char *const keys[] = { "name", "pid", "args", NULL };
	static const char object[] =
		"\"{\"device\": \"cpu\", \"dtype\": \"f\"}(12): run\", \"pid\": 7}";
	struct jscan js = scan(object);
	struct jstr s;

	ok(jscan_string(&js, &s) == JS_OK && s.n == 1, "strict: the first quote ends the string");
	js = scan(object);
	js.lenient = true;
	js.keys = keys;
	ok(jscan_string(&js, &s) == JS_OK, "lenient: a string with quotes inside");
	is_mem(s.s, s.n, object + 1, (size_t)(strstr(object, "\", \"pid") - object) - 1,
	       "ends where a known key follows");
	js = scan_n(object, strlen(object) - 12, false);
	js.lenient = true;
	js.keys = keys;
	ok(jscan_string(&js, &s) == JS_MORE, "and wants to see that key");
}

static void offsets(void)
{
	struct jscan js;
	struct jstr s;

	memset(text, 0, sizeof(text));
	memcpy(text, "  \"a\" 5", 7);
	jscan_init(&js, text, 7, 1000, true);
	ok(jscan_key(&js, &s) == JS_BAD, "a key without a colon");
	is_int(jscan_offset(&js), 1006, "the fault is in the text where the colon should be");
}

int main(void)
{
	times();
	integers();
	strings();
	cut_anywhere();
	skip_in_pieces();
	depth();
	lenient();
	offsets();
	return done_testing();
}
