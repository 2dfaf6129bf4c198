/* fuzz_text.c - any bytes on their way to a terminal: no control byte comes out, no more columns than asked for; and into JSON */
#include <stdlib.h>
#include <string.h>

#include "base/jout.h"
#include "base/jscan.h"
#include "base/text.h"
#include "report/out.h"
#include "table/cell.h"
#include "tests/fuzz/fuzz.h"

static void check_put(const char *s, size_t n)
{
	size_t full = text_width(s, n);

	for (size_t cols = 0; cols < 48; cols = 2 * cols + 1) {
		for (int how = TEXT_CUT_END; how <= TEXT_CUT_MIDDLE; how++) {
			struct sbuf b = { 0 };
			size_t used = text_put(&b, s, n, cols, (enum text_cut)how);

			fuzz_hold(used <= cols, "%zu columns of %zu", used, cols);
			fuzz_hold(used == text_width(sbuf_str(&b), b.n), "%zu columns, measured %zu", used, text_width(sbuf_str(&b), b.n));
			fuzz_hold(full > cols || used == full, "cut although %zu columns fit into %zu", full, cols);
			fuzz_check_printed(sbuf_str(&b), b.n, "");
			sbuf_reset(&b);
			text_pad(&b, s, n, cols, how == TEXT_CUT_END, (enum text_cut)how);
			fuzz_hold(text_width(sbuf_str(&b), b.n) == cols, "padded to %zu of %zu", text_width(sbuf_str(&b), b.n), cols);
			sbuf_fini(&b);
		}
	}
}

static void check_fit(const char *s, size_t n)
{
	for (size_t cap = 1; cap < 40; cap += 3) {
		char *buf = malloc(cap);
		size_t cols = text_fit(buf, cap, s, n, SIZE_MAX, TEXT_CUT_MIDDLE);

		fuzz_hold(memchr(buf, '\0', cap), "not terminated within %zu", cap);
		fuzz_hold(text_width(buf, strlen(buf)) == cols, "%zu columns in %zu bytes", cols, cap);
		fuzz_check_printed(buf, strlen(buf), "");
		free(buf);
	}
}

/* The quotes close at the end, and what is between them stands for the bytes. */
static void check_json(const char *s, size_t n)
{
	struct sbuf b = { 0 };
	struct jscan js;
	struct jstr str;
	char *plain = NULL;
	size_t cap = 0, len, quoted;
	const char *back;

	jout_quote(&b, s, n);
	quoted = b.n;
	fuzz_check_printed(sbuf_str(&b), b.n, "");
	sbuf_fill(&b, '\0', JSCAN_PAD);
	jscan_init(&js, sbuf_str(&b), quoted, 0, true);
	fuzz_hold(jscan_string(&js, &str) == JS_OK && js.p == js.end, "quoted text is no JSON");
	back = jstr_plain(&str, &plain, &cap, &len);
	if (text_valid(s, n))
		fuzz_hold(len == n && (!n || memcmp(back, s, n) == 0), "%zu bytes come back as %zu", n, len);
	free(plain);
	sbuf_fini(&b);
}

static void check_others(const char *s, size_t n)
{
	static const struct column_def col = { "name", "Name", UNIT_TEXT, COL_NAME, 0, "" };
	struct table *t = table_new("made", &col, 1);
	uint32_t row = table_row(t);
	struct sbuf b = { 0 };
	char buf[256];
	int width;

	out_md_name(&b, s, n);
	fuzz_check_printed(sbuf_str(&b), b.n, "");
	sbuf_reset(&b);
	out_md_text(&b, s, n);
	fuzz_check_printed(sbuf_str(&b), b.n, "\n");
	sbuf_fini(&b);
	table_str(t, row, 0, s, n);
	width = cell_text(table_cell(t, row, 0), &col, 20, buf, sizeof(buf));
	fuzz_hold(width >= 0 && width <= 20 && text_width(buf, strlen(buf)) == (size_t)width, "cell of %d columns", width);
	fuzz_check_printed(buf, strlen(buf), "");
	table_note(t, "%s", "a note");
	fuzz_check_output(t);
	table_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;

	if (size > 4096)
		return 0;
	for (int ascii = 0; ascii < 2; ascii++) {
		text_set_ascii(ascii);
		check_put(s, size);
		check_fit(s, size);
		check_json(s, size);
		check_others(s, size);
	}
	text_set_ascii(false);
	if (text_valid(s, size / 2))
		fuzz_hold(text_contains(s, size, s, size / 2), "a text does not hold its own beginning");
	fuzz_hold(text_contains(s, size, s, 0), "a text does not hold the empty one");
	return 0;
}
