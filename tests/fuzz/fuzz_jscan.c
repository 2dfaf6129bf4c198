/*
 * fuzz_jscan.c - the scanner's parts: a value skipped in one window, in small windows, and step by step ends at the same place;
 * what it takes as a string decodes without a byte outside the window; numbers are numbers the same way twice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/jscan.h"
#include "base/num.h"
#include "tests/fuzz/fuzz.h"

/* Skips one value with windows of `step` bytes; where it ended, -1 bad or unfinished. */
static int64_t skip_in_steps(const char *text, size_t n, size_t step)
{
	struct jscan_skipper k = { 0 };

	for (size_t at = 0;; at += step) {
		size_t len = n - at < step ? n - at : step;
		struct jscan js;
		char *window = calloc(1, len + JSCAN_PAD);
		enum jstat st;
		int64_t end;

		memcpy(window, text + at, len);
		jscan_init(&js, window, len, (int64_t)at, at + len == n);
		st = jscan_skip_some(&js, &k);
		end = jscan_offset(&js);
		free(window);
		fuzz_hold(end >= (int64_t)at && end <= (int64_t)(at + len), "offset %lld", (long long)end);
		if (st == JS_OK)
			return end;
		if (st == JS_BAD || at + len == n)
			return -1;
	}
}

static void check_skip(const char *text, size_t n)
{
	struct jscan js;
	int64_t whole = skip_in_steps(text, n, n ? n : 1);
	enum jstat st;

	for (size_t step = 1; step <= 5; step += 2) {
		int64_t end = skip_in_steps(text, n, step);

		fuzz_hold(end == whole, "in steps of %zu the value ends at %lld, at once at %lld", step, (long long)end, (long long)whole);
	}
	jscan_init(&js, text, n, 0, true);
	st = jscan_skip(&js);
	fuzz_hold(st != JS_MORE, "more of a text that is whole");
	fuzz_hold(js.p >= text && js.p <= text + n, "skipped beyond the end");
}

/* A window that is not the last must never give another value than the whole text does: more, or the same. */
static void check_windows(const char *text, size_t n)
{
	for (size_t len = 0; len < n && len < 40; len++) {
		char *window = calloc(1, len + JSCAN_PAD);
		struct jscan a, b;
		struct jstr sa, sb;
		int64_t va = 0, vb = 0;
		bool ka = false, kb = false;
		enum jstat ra, rb;

		memcpy(window, text, len);
		jscan_init(&a, window, len, 0, false);
		jscan_init(&b, text, n, 0, true);
		ra = jscan_string(&a, &sa);
		rb = jscan_string(&b, &sb);
		if (ra == JS_OK)
			fuzz_hold(rb == JS_OK && sa.n == sb.n && jscan_offset(&a) == jscan_offset(&b), "string in a window of %zu", len);
		jscan_init(&a, window, len, 0, false);
		jscan_init(&b, text, n, 0, true);
		ra = jscan_us(&a, &va, &ka);
		rb = jscan_us(&b, &vb, &kb);
		if (ra == JS_OK)
			fuzz_hold(rb == JS_OK && ka == kb && (!ka || va == vb) && jscan_offset(&a) == jscan_offset(&b),
				"time in a window of %zu", len);
		free(window);
	}
}

static void check_strings(const char *text, size_t n, bool lenient)
{
	static const char *const keys[] = { "name", "ts", NULL };
	struct jscan js;
	struct jstr s;
	char *buf = NULL;
	size_t cap = 0, len;

	jscan_init(&js, text, n, 0, true);
	js.lenient = lenient;
	js.keys = keys;
	while (js.p < js.end) {
		const char *before = js.p;

		if (jscan_string(&js, &s) == JS_OK) {
			fuzz_hold(s.s >= text && s.s + s.n <= text + n, "string beyond the text");
			fuzz_hold(jstr_plain(&s, &buf, &cap, &len) && len <= 3 * s.n, "decoded %zu bytes of %zu", len, s.n);
		}
		if (js.p <= before)
			js.p = before + 1;
	}
	free(buf);
}

static void check_numbers(const char *text, size_t n)
{
	struct jscan js;
	int64_t ns = 0, scanned = 0;
	bool known = false;

	if (!jnum_us(text, n, &ns) || n > 100)
		return;
	jscan_init(&js, text, n, 0, true);
	if (jscan_us(&js, &scanned, &known) == JS_OK && known && js.p == js.end)
		fuzz_hold(scanned == ns, "%lld and %lld ns of one number", (long long)scanned, (long long)ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > 4096)
		return 0;
	text = calloc(1, size + JSCAN_PAD);
	if (size)
		memcpy(text, data, size);
	check_skip(text, size);
	check_windows(text, size);
	check_strings(text, size, false);
	check_strings(text, size, true);
	check_numbers(text, size);
	free(text);
	return 0;
}
