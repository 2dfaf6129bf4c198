/* test_jdom.c - JSON trees: exact numbers, NUL in strings, faults with their offset, texts that end early */
#include "base/jdom.h"

#include "base/mem.h"
#include "tests/lib/tap.h"

static struct jdom *parse(const char *text, const struct jdom_opts *o, struct jdom_report *r, struct err *e)
{
	/* a heap copy of exactly this length: reading past the end is seen by the sanitizer */
	size_t n = strlen(text);
	char *copy = xmalloc(n);
	struct jdom *d;

	memcpy(copy, text, n);
	d = jdom_parse(copy, n, o, r, e);
	free(copy);
	return d;
}

static void test_kinds(void)
{
	struct err e = ERR_INIT;
	struct jdom *d = parse("\xef\xbb\xbf {\"a\": null, \"b\": true, \"c\": 1, \"d\": \"x\", \"e\": [1, 2], \"f\": {}, "
			       "\"g\": NaN, \"c\": 2}\n", NULL, NULL, &e);
	static const struct {
		const char *key;
		enum jkind kind;
	} want[] = {
		{ "a", JDOM_NULL }, { "b", JDOM_BOOL }, { "c", JDOM_NUMBER }, { "d", JDOM_STRING }, { "e", JDOM_ARRAY },
		{ "f", JDOM_OBJECT }, { "g", JDOM_NULL }, { "h", JDOM_ABSENT }, { "A", JDOM_ABSENT },
	};
	const struct jval *v;
	int64_t i = -7;

	if (!ok(d != NULL, "an object with every kind parses: %s", e.text))
		return;
	for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++)
		is_int(jval_kind(jval_get(jdom_root(d), want[k].key)), want[k].kind, "kind of %s", want[k].key);
	is_int(jval_get_i64(jdom_root(d), "c", &i), JGET_OK, "a number is there");
	is_int(i, 1, "of equal keys the first counts");
	is_int(jval_get_i64(jdom_root(d), "h", &i), JGET_ABSENT, "absent is told ...");
	is_int(jval_get_i64(jdom_root(d), "a", &i), JGET_WRONG, "... from null ...");
	is_int(jval_get_i64(jdom_root(d), "d", &i), JGET_WRONG, "... and from another type");
	is_int(i, 1, "and neither touches the result");
	ok(jval_true(jval_get(jdom_root(d), "b")) && !jval_true(jval_get(jdom_root(d), "c")), "only true is true");
	v = jval_first(jval_get(jdom_root(d), "e"));
	ok(v && jval_next(v) && !jval_next(jval_next(v)) && !jval_key(v), "an array of two has two elements");
	v = jval_first(jdom_root(d));
	is_str(jval_key(v), "a", "members come in file order");
	ok(!jval_get(NULL, "a") && jval_kind(NULL) == JDOM_ABSENT && !jval_first(NULL), "nothing in, nothing out");
	jdom_free(d);
}

static void test_strings(void)
{
	static const struct {
		const char *json, *want;
		size_t n;
	} cases[] = {
		{ "\"\"", "", 0 },
		{ "\"main\\u0000<thread>\\u00007\"", "main\0<thread>\0" "7", 15 },
		{ "\"n1\"", "n1", 2 },
		{ "\"\\u00e9\\ud83d\\ude00\"", "\xc3\xa9\xf0\x9f\x98\x80", 6 },
		{ "\"a\\ud83db\"", "a\xef\xbf\xbd" "b", 5 },
		{ "\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A", 4 },
		{ "\"C:\\temp\\q\\\\x\\/\"", "C:\temp\\q\\x/", 11 },
		{ "\"\\u12g4\"", "\\u12g4", 6 },
		{ "\"a\tb\nc\xff\"", "a\tb\nc\xff", 6 },
		{ "\"{[\\\"]}\"", "{[\"]}", 5 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct jdom *d = parse(cases[i].json, NULL, NULL, &e);
		size_t n = 99;
		const char *s;

		if (!ok(d != NULL, "string %zu parses: %s", i, e.text))
			continue;
		s = jval_text(jdom_root(d), &n);
		is_mem(s, n, cases[i].want, cases[i].n, "bytes of string %zu", i);
		is_int(jval_kind(jdom_root(d)), JDOM_STRING, "and it is a string");
		jdom_free(d);
	}
}

static void test_raw_nul(void)
{
	static const char text[] = "[\"a\0b\", 5]";
	struct jdom *d = jdom_parse(text, sizeof(text) - 1, NULL, NULL, NULL);
	size_t n = 0;
	const char *s = d ? jval_text(jval_first(jdom_root(d)), &n) : NULL;

	is_mem(s, n, "a\0b", 3, "a raw NUL stays in its string");
	jdom_free(d);
}

static void test_exact_members(void)
{
	struct jdom *d = parse("{\"big\": 9007199254740993, \"f\": 1.5, \"huge\": 1e30, \"t\": 0.1}", NULL, NULL, NULL);
	const struct jval *r = d ? jdom_root(d) : NULL;
	int64_t v = 0;
	size_t n;

	ok(jval_get_i64(r, "big", &v) == JGET_OK && v == 9007199254740993, "an integer that no double holds");
	is_int(jval_get_i64(r, "f", &v), JGET_WRONG, "1.5 is no integer");
	is_int(jval_get_i64(r, "huge", &v), JGET_WRONG, "1e30 does not fit");
	ok(jval_get_scaled(r, "t", 9, &v) == JGET_OK && v == 100000000, "0.1 s are 100000000 ns");
	is_str(jval_text(jval_get(r, "huge"), &n), "1e30", "a number keeps its text");
	jdom_free(d);
}

static void test_faults(void)
{
	static const struct {
		const char *text;
		int64_t offset;
	} cases[] = {
		{ "", 0 }, { "  ", 2 }, { "{\"a\" 1}", 5 }, { "{\"a\": }", 6 }, { "[1, ]", 4 }, { "{\"a\": 1,}", 8 },
		{ "[1}", 2 }, { "[1", 2 }, { "{\"a", 3 }, { "[1] x", 4 }, { "hello", 0 }, { "[01x]", 1 }, { "[tru]", 1 }, { "]", 0 },
		{ "{1: 2}", 1 }, { "[\"\\", 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct jdom *d = parse(cases[i].text, NULL, NULL, &e);

		ok(d == NULL && e.code == ERR_FORMAT, "\"%s\" is refused", cases[i].text);
		is_int(e.offset, cases[i].offset, "at the right byte");
		jdom_free(d);
	}
}

/* Every prefix of a text is used as far as it goes. */
static void test_mend(void)
{
	static const char text[] = "{\"a\": 12, \"b\": [{\"c\": \"x\\\\\"}, true], \"d\": {\"e\": 345}}";
	struct jdom_opts o = { .mend = true };
	struct jdom_report r;
	size_t good = 0;

	for (size_t n = 1; n < sizeof(text); n++) {
		struct err e = ERR_INIT;
		struct jdom *d = jdom_parse(text, n, &o, &r, &e);
		int64_t v;

		good += d && (n == sizeof(text) - 1 ? r.cut_at < 0 : r.cut_at >= 1 && r.cut_at <= (int64_t)n);
		/* 12 is known to be whole from the comma on */
		good += d && (jval_get_i64(jdom_root(d), "a", &v) == JGET_OK && v == 12) == (n > 8);
		jdom_free(d);
	}
	is_uint(good, 2 * (sizeof(text) - 1), "each prefix of %zu bytes gives a tree", sizeof(text) - 1);
	{
		struct jdom *d = parse("{\"a\": [1, 2, 3", &o, &r, NULL);
		const struct jval *v = d ? jval_first(jval_get(jdom_root(d), "a")) : NULL;

		ok(v && jval_next(v) && !jval_next(jval_next(v)), "a number at the cut is not trusted");
		is_int(r.cut_at, 11, "the cut is behind the last whole value");
		jdom_free(d);
		d = parse("[1]\n rest", &o, &r, NULL);
		ok(d && r.cut_at == -1 && r.junk_at == 5, "what follows the value is reported");
		jdom_free(d);
	}
}

static void test_limits(void)
{
	enum { DEEP = 3000 };
	struct jdom_opts small = { .bytes_max = 3 }, flat = { .depth_max = 2 };
	struct err e = ERR_INIT;
	struct jdom_report r;
	char *deep = xmalloc(2 * DEEP);
	struct jdom *d;

	ok(!parse("[12]", &small, NULL, &e) && e.code == ERR_LIMIT, "a text over the limit is refused");
	d = parse("[[1, [2, \"]\\\"\"], [3]], 4]", &flat, &r, &e);
	ok(d && r.pruned == 2 && r.pruned_at == 5, "what is nested too deep is counted, with the first place");
	is_int(d ? jval_kind(jval_next(jval_first(jval_first(jdom_root(d))))) : JDOM_ABSENT, JDOM_NULL, "and becomes null");
	jdom_free(d);
	memset(deep, '[', DEEP);
	memset(deep + DEEP, ']', DEEP);
	d = jdom_parse(deep, 2 * DEEP, NULL, &r, &e);
	ok(d && r.pruned == 1 && r.pruned_at == JDOM_DEPTH_MAX, "3000 brackets deep: the rest is left out");
	jdom_free(d);
	free(deep);
}

int main(void)
{
	test_kinds();
	test_strings();
	test_raw_nul();
	test_exact_members();
	test_faults();
	test_mend();
	test_limits();
	return done_testing();
}
