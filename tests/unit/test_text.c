/* test_text.c - width, escaping, cutting and searching of text (base/text.h) */
#include "base/text.h"

#include <locale.h>
#include <wchar.h>

#include "tests/lib/tap.h"

static size_t encode(uint32_t cp, char *s)
{
	if (cp < 0x80)
		return s[0] = (char)cp, 1;
	if (cp < 0x800)
		return s[0] = (char)(0xc0 | cp >> 6), s[1] = (char)(0x80 | (cp & 63)), 2;
	if (cp < 0x10000) {
		s[0] = (char)(0xe0 | cp >> 12);
		s[1] = (char)(0x80 | (cp >> 6 & 63));
		s[2] = (char)(0x80 | (cp & 63));
		return 3;
	}
	s[0] = (char)(0xf0 | cp >> 18);
	s[1] = (char)(0x80 | (cp >> 12 & 63));
	s[2] = (char)(0x80 | (cp >> 6 & 63));
	s[3] = (char)(0x80 | (cp & 63));
	return 4;
}

/*
 * How many of [lo, hi] are printed as they are but with another width than the C library's; -1
 * columns count as different.
 */
static int disputes(uint32_t lo, uint32_t hi, int *printed)
{
	struct text_glyph g;
	char s[4];
	int n = 0;

	*printed = 0;
	for (uint32_t cp = lo; cp <= hi; cp++) {
		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		size_t len = encode(cp, s);

		text_next(s, len, false, &g);
		if (g.out[0] == '\\' && cp != '\\')
			continue;
		(*printed)++;
		if (g.width != wcwidth((wchar_t)cp)) {
			if (n++ < 5)
				diag("U+%04X: ours %d, wcwidth %d", (unsigned)cp, g.width,
				     wcwidth((wchar_t)cp));
		}
	}
	return n;
}

static void test_wcwidth(void)
{
	static const struct {
		const char *name;
		uint32_t lo, hi;
		int min;
	} ranges[] = {
		{"ASCII", 0x20, 0x7e, 95},
		{"Latin", 0xa0, 0x24f, 400},
		{"combining marks", 0x300, 0x36f, 100},
		{"Greek and Cyrillic", 0x370, 0x52f, 400},
		{"dashes and quotes", 0x2010, 0x2027, 20},
		{"arrows", 0x2190, 0x21ff, 112},
		{"mathematics", 0x2200, 0x22ff, 256},
		{"box drawing", 0x2500, 0x257f, 128},
		{"blocks", 0x2580, 0x259f, 32},
		{"geometric shapes", 0x25a0, 0x25ff, 96},
		{"braille", 0x2800, 0x28ff, 256},
		{"CJK punctuation", 0x3000, 0x303f, 60},
		{"kana", 0x3040, 0x30ff, 180},
		{"CJK", 0x4e00, 0x9fff, 20000},
		{"Hangul", 0xac00, 0xd7a3, 11172},
		{"full-width forms", 0xff01, 0xff60, 96},
		{"emoji", 0x1f300, 0x1f5ff, 700},
		{"CJK B", 0x20000, 0x2a6d6, 42000},
	};
	int printed, n;

	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
		skip(1, "no UTF-8 locale");
		return;
	}
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		n = disputes(ranges[i].lo, ranges[i].hi, &printed);
		is_int(n, 0, "width of %s is wcwidth's", ranges[i].name);
		ok(printed >= ranges[i].min, "%s: %d are printed", ranges[i].name, printed);
	}
	/*
	 * The C library may know another version of Unicode: then new characters differ, the bulk
	 * does not.
	 */
	n = disputes(0x20, 0x10ffff, &printed);
	ok(n <= printed / 200, "all of Unicode: %d of %d disputed", n, printed);
}

static void shown(const char *s, size_t n, const char *want, const char *name)
{
	struct sbuf b = {0};
	size_t w = text_put(&b, s, n, SIZE_MAX, TEXT_CUT_END);

	is_str(sbuf_str(&b), want, "%s", name);
	is_uint(w, text_width(s, n), "%s: width returned is text_width", name);
	sbuf_fini(&b);
}

static void test_escape(void)
{
	shown("aten::mm", 8, "aten::mm", "plain");
	shown("", 0, "", "empty");
	shown("a\0b", 3, "a\\x00b", "NUL");
	shown("\x1b[31m", 5, "\\x1b[31m", "escape sequence");
	shown("a\tb\nc\x7f", 6, "a\\x09b\\x0ac\\x7f", "controls");
	shown("\xc2\x9b"
	      "1m",
	      4, "\\xc2\\x9b1m", "C1 control");
	shown("x\xff\xc3(", 4, "x\\xff\\xc3(", "invalid UTF-8");
	shown("\xe2\x80\xae"
	      "evil",
	      7,
	      "\\xe2\\x80\\xae"
	      "evil",
	      "right-to-left override");
	shown("a\xe2\x80\x8b"
	      "b",
	      5,
	      "a\\xe2\\x80\\x8b"
	      "b",
	      "zero-width space");
	shown("\xed\xa0\x80", 3, "\\xed\\xa0\\x80", "surrogate");
	shown("\xc0\xaf", 2, "\\xc0\\xaf", "overlong");
	shown("\xcc\x81x", 3, "\\xcc\\x81x", "combining mark without base");
	shown("e\xcc\x81x", 4, "e\xcc\x81x", "combining mark with base");
	shown("\xe7\xae\x97\xe5\xad\x90", 6, "\xe7\xae\x97\xe5\xad\x90", "Chinese");
	is_uint(text_width("\xe7\xae\x97\xe5\xad\x90", 6), 4,
		"two Chinese characters take four columns");
	is_uint(text_width("e\xcc\x81x", 4), 2, "an accent takes none");
	is_uint(text_width("a\0b", 3), 6, "an escaped byte takes four");
}

static void test_ascii(void)
{
	text_set_ascii(true);
	shown("\xc3\xa9t\xc3\xa9", 5, "\\xc3\\xa9t\\xc3\\xa9", "ASCII mode");
	is_str(text_ellipsis(), "~", "ASCII ellipsis");
	is_str(text_dash(), "-", "ASCII dash");
	text_set_ascii(false);
	is_str(text_dash(), "\xe2\x80\x93", "dash");
}

static void cut(const char *s, size_t cols, enum text_cut how, const char *want)
{
	struct sbuf b = {0};
	size_t w = text_put(&b, s, strlen(s), cols, how);

	is_str(sbuf_str(&b), want, "cut \"%s\" to %zu", s, cols);
	is_uint(w, text_width(b.s, b.n), "cut \"%s\" to %zu: columns returned", s, cols);
	sbuf_fini(&b);
}

static void test_cut(void)
{
	cut("abcdefgh", 8, TEXT_CUT_END, "abcdefgh");
	cut("abcdefgh", 5, TEXT_CUT_END, "abcd\xe2\x80\xa6");
	cut("abcdefgh", 5, TEXT_CUT_MIDDLE, "ab\xe2\x80\xa6gh");
	cut("abcdefgh", 6, TEXT_CUT_MIDDLE, "abc\xe2\x80\xa6gh");
	cut("abcdefgh", 2, TEXT_CUT_MIDDLE, "a\xe2\x80\xa6");
	cut("abcdefgh", 1, TEXT_CUT_MIDDLE, "\xe2\x80\xa6");
	/* Four characters of two columns: 7 columns hold "…" and three of them. */
	cut("\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b", 7, TEXT_CUT_END,
	    "\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe2\x80\xa6");
	/* 6 columns: only two fit beside the ellipsis, one column stays free. */
	cut("\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b", 6, TEXT_CUT_END,
	    "\xe4\xb8\x80\xe4\xba\x8c\xe2\x80\xa6");
	cut("\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b", 6, TEXT_CUT_MIDDLE,
	    "\xe4\xb8\x80\xe2\x80\xa6\xe5\x9b\x9b");
	/* The tail must not begin with the accent of a letter that was left out. */
	cut("abcde\xcc\x81"
	    "f",
	    3, TEXT_CUT_MIDDLE,
	    "a\xe2\x80\xa6"
	    "f");
	cut("abcde\xcc\x81"
	    "f",
	    5, TEXT_CUT_MIDDLE,
	    "ab\xe2\x80\xa6"
	    "e\xcc\x81"
	    "f");
	/* An escaped byte is never cut in two. */
	cut("ab\x01"
	    "cd",
	    6, TEXT_CUT_END, "ab\xe2\x80\xa6");
}

static void test_fit(void)
{
	char buf[9];
	size_t w;

	w = text_fit(buf, sizeof(buf), "abcdefghij", 10, SIZE_MAX, TEXT_CUT_END);
	is_str(buf, "abcde\xe2\x80\xa6", "what the buffer cannot hold is cut");
	is_uint(w, 6, "columns of it");
	w = text_fit(buf, sizeof(buf), "abcdefgh", 8, SIZE_MAX, TEXT_CUT_END);
	is_str(buf, "abcdefgh", "a full buffer");
	w = text_fit(buf, 2, "abcdefgh", 8, SIZE_MAX, TEXT_CUT_END);
	is_str(buf, "", "no room even for the ellipsis");
	is_uint(w, 0, "no columns");
	w = text_fit(buf, 1, "", 0, SIZE_MAX, TEXT_CUT_END);
	is_str(buf, "", "nothing into a buffer of one byte");
}

/*
 * Any bytes: never more columns than asked for, always valid and printable UTF-8, the width as
 * announced.
 */
static void test_random(void)
{
	static const char pieces[][5] = {"a",
					 "b",
					 "\x01",
					 "\xff",
					 "\xe4\xb8\x80",
					 "\xcc\x81",
					 "\xe2\x80\xae",
					 "\xf0\x9f\x98\x80",
					 "\xe4\xb8"};
	struct sbuf in = {0}, out = {0};
	int bad = 0;

	srand(7);
	for (int round = 0; round < 20000; round++) {
		size_t cols = (size_t)(rand() % 24), w;
		enum text_cut how = rand() % 2 ? TEXT_CUT_END : TEXT_CUT_MIDDLE;
		char buf[40];

		sbuf_reset(&in);
		sbuf_reset(&out);
		for (int k = rand() % 12; k > 0; k--)
			sbuf_puts(&in, pieces[rand() % 9]);
		w = text_put(&out, sbuf_str(&in), in.n, cols, how);
		bad += w > cols || w != text_width(sbuf_str(&out), out.n) ||
		       !text_valid(sbuf_str(&out), out.n);
		w = text_fit(buf, sizeof(buf) - (size_t)(rand() % 39), sbuf_str(&in), in.n, cols,
			     how);
		bad += w > cols || w != text_width(buf, strlen(buf)) ||
		       !text_valid(buf, strlen(buf));
		sbuf_reset(&out);
		text_pad(&out, sbuf_str(&in), in.n, cols, rand() % 2, how);
		bad += text_width(sbuf_str(&out), out.n) != cols;
	}
	is_int(bad, 0, "20000 random texts stay within their columns");
	sbuf_fini(&in);
	sbuf_fini(&out);
}

static void test_pad(void)
{
	struct sbuf b = {0};

	text_pad(&b, "ab", 2, 5, false, TEXT_CUT_END);
	text_pad(&b, "cd", 2, 5, true, TEXT_CUT_END);
	text_pad(&b, "\xe4\xb8\x80", 3, 3, true, TEXT_CUT_END);
	is_str(sbuf_str(&b), "ab      cd \xe4\xb8\x80", "padding left and right, by columns");
	sbuf_fini(&b);
}

static void test_search(void)
{
#define HAS(h, n) text_contains(h, strlen(h), n, strlen(n))
	ok(HAS("Ampere_SGEMM_128", "gemm"), "small letters find capitals");
	ok(!HAS("ampere_sgemm_128", "GEMM"), "a capital minds case");
	ok(HAS("ampere_sGEMM", "sGEMM"), "with a capital, as written");
	ok(HAS("x", "") && HAS("", ""), "nothing is in everything");
	ok(!HAS("ab", "abc") && !HAS("", "a"), "longer than the text");
	ok(HAS("\xc3\x89T\xc3\x89", "\xc3\xa9t\xc3\xa9"), "letters beyond ASCII too");
	ok(HAS("aab", "ab") && HAS("aaab", "aab"), "overlapping starts");
	ok(text_contains("a\0b", 3, "\0b", 2), "NUL is a byte like any other");
	ok(text_contains("a\xff", 2, "\xff", 1), "so is an invalid byte");
	ok(!text_contains("\xc3\xa9", 2, "\xa9", 1), "but not one out of a character");
	ok(text_same("GEMM", 4, "gemm", 4) && !text_same("gemm", 4, "GEMM", 4) &&
		   !text_same("gemmx", 5, "gemm", 4),
	   "equality alike");
#undef HAS
}

static void test_encode(void)
{
	unsigned wrong = 0;
	char want[4], got[4];

	for (uint32_t cp = 0; cp < 0x120000; cp++) {
		bool none = (cp >= 0xd800 && cp < 0xe000) || cp > 0x10ffff;
		size_t n = encode(none ? 0xfffd : cp, want);

		wrong += text_encode(got, cp) != n || memcmp(got, want, n) != 0;
	}
	is_uint(wrong, 0, "every code point as UTF-8, U+FFFD for what is none");
}

static void test_decode(void)
{
	uint32_t cp = 0;

	is_uint(text_decode("\xf0\x9f\x98\x80", 4, &cp), 4, "four bytes");
	is_uint(cp, 0x1f600, "code point");
	is_uint(text_decode("\xf0\x9f\x98", 3, &cp), 0, "cut short");
	is_uint(text_decode("", 0, &cp), 0, "nothing");
	is_uint(text_bad_length("\xf0\x9f\x98"
				"a",
				4),
		3, "a cut character is one fault");
	is_uint(text_bad_length("\xf0\x80\x80\x80", 4), 1, "an overlong one is not");
	is_uint(text_bad_length("\xed\xa0\x80", 3), 1, "nor is a surrogate");
	is_uint(text_bad_length("\xe4\xb8", 2), 2, "cut at the end");
	is_uint(text_bad_length("\xff\xff", 2), 1, "a byte that is never valid");
}

int main(void)
{
	test_wcwidth();
	test_escape();
	test_ascii();
	test_cut();
	test_fit();
	test_random();
	test_pad();
	test_search();
	test_encode();
	test_decode();
	return done_testing();
}
