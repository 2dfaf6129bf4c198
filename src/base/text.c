/*
 * text.c - width, escaping, cutting and searching of text, see text.h; the only file that knows
 * libunistring
 */
#include "base/text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>

/* Workers read it while the user changes it. */
static atomic_bool ascii_mode;

void text_set_ascii(bool on)
{
	atomic_store_explicit(&ascii_mode, on, memory_order_relaxed);
}

bool text_ascii(void)
{
	return atomic_load_explicit(&ascii_mode, memory_order_relaxed);
}

const char *text_ellipsis(void)
{
	return text_ascii() ? "~" : "\xe2\x80\xa6";
}

const char *text_dash(void)
{
	return text_ascii() ? "-" : "\xe2\x80\x93";
}

size_t text_decode(const char *s, size_t n, uint32_t *cp)
{
	ucs4_t c;
	int len;

	if (!n)
		return 0;
	if ((unsigned char)*s < 0x80) {
		*cp = (unsigned char)*s;
		return 1;
	}
	len = u8_mbtoucr(&c, (const uint8_t *)s, n < 4 ? n : 4);
	if (len <= 0)
		return 0;
	*cp = c;
	return (size_t)len;
}

size_t text_encode(char *to, uint32_t cp)
{
	uint8_t bytes[4];
	int n = u8_uctomb(bytes, cp, sizeof(bytes));

	if (n <= 0)
		n = u8_uctomb(bytes, 0xfffd, sizeof(bytes));
	memcpy(to, bytes, (size_t)n);
	return (size_t)n;
}

/* Table 3-7 of the Unicode Standard: which second byte may follow a first one. */
static bool second_fits(unsigned char first, unsigned char second)
{
	unsigned char lo = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char hi = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return second >= lo && second <= hi;
}

size_t text_bad_length(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t want, len = 2;

	if (n < 2 || u[0] < 0xc2 || u[0] > 0xf4 || !second_fits(u[0], u[1]))
		return 1;
	want = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	while (len < want && len < n && (u[len] & 0xc0) == 0x80)
		len++;
	return len;
}

bool text_valid(const char *s, size_t n)
{
	return !n || !u8_check((const uint8_t *)s, n);
}

/*
 * Characters to which libunistring and C libraries give different widths: three Indic marks, the
 * hexagrams.
 */
static bool width_disputed(uint32_t cp)
{
	return (cp >= 0x4dc0 && cp <= 0x4dff) || cp == 0x11a07 || cp == 0x11a08 || cp == 0x11c3f;
}

bool text_printable(uint32_t cp)
{
	static const uint32_t hidden = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
				       UC_CATEGORY_MASK_Cs | UC_CATEGORY_MASK_Cn |
				       UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;

	if (cp < 0x7f)
		return cp >= 0x20;
	return !uc_is_general_category_withtable(cp, hidden) &&
	       !uc_is_property_default_ignorable_code_point(cp) && !width_disputed(cp);
}

static void glyph_escape(const char *s, size_t n, struct text_glyph *g)
{
	g->src_len = n;
	g->len = g->width = (uint8_t)(4 * n);
	for (size_t i = 0; i < n; i++)
		snprintf(g->out + 4 * i, 5, "\\x%02x", (unsigned char)s[i]);
}

void text_next(const char *s, size_t n, bool first, struct text_glyph *g)
{
	uint32_t cp = 0;
	size_t len = text_decode(s, n, &cp);
	int width;

	if (!len || !text_printable(cp) || (text_ascii() && cp > 0x7e)) {
		glyph_escape(s, len ? len : 1, g);
		return;
	}
	width = cp < 0x7f ? 1 : uc_width(cp, "UTF-8");
	if (width < 0 || (!width && first)) {
		glyph_escape(s, len, g);
		return;
	}
	g->src_len = len;
	g->len = (uint8_t)len;
	g->width = (uint8_t)width;
	memcpy(g->out, s, len);
	g->out[len] = '\0';
}

/* Most names are plain ASCII: one pass, nothing to look up. */
static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)(s[i] - 0x20) >= 0x5f)
			return false;
	return true;
}

size_t text_width(const char *s, size_t n)
{
	struct text_glyph g;
	size_t w = 0;

	if (is_plain(s, n))
		return n;
	for (size_t i = 0; i < n; i += g.src_len) {
		text_next(s + i, n - i, i == 0, &g);
		w += g.width;
	}
	return w;
}

/* Writes glyphs from *at on as long as they fit in cols columns; moves *at, returns the columns. */
static size_t put_glyphs(struct sbuf *b, const char *s, size_t n, size_t *at, size_t cols)
{
	struct text_glyph g;
	size_t w = 0, i = *at;

	for (; i < n; i += g.src_len) {
		text_next(s + i, n - i, i == 0, &g);
		if (w + g.width > cols)
			break;
		w += g.width;
		sbuf_put(b, g.out, g.len);
	}
	*at = i;
	return w;
}

/*
 * Where a tail of at most cols columns begins, given the width of the whole: never at a combining
 * mark.
 */
static size_t tail_start(const char *s, size_t n, size_t from, size_t rest, size_t cols)
{
	struct text_glyph g;
	size_t i = from;

	for (; i < n; i += g.src_len) {
		text_next(s + i, n - i, i == 0, &g);
		if (rest <= cols && g.width)
			break;
		rest -= g.width;
	}
	return i;
}

static size_t put_cut(struct sbuf *b, const char *s, size_t n, size_t width, size_t cols,
		      enum text_cut how)
{
	size_t left = cols - 1, at = 0, used;

	if (how == TEXT_CUT_MIDDLE)
		left -= (cols - 1) / 2;
	used = put_glyphs(b, s, n, &at, left);
	sbuf_puts(b, text_ellipsis());
	if (how == TEXT_CUT_MIDDLE) {
		at = tail_start(s, n, at, width - used, (cols - 1) / 2);
		used += put_glyphs(b, s, n, &at, SIZE_MAX);
	}
	return used + 1;
}

size_t text_put(struct sbuf *b, const char *s, size_t n, size_t cols, enum text_cut how)
{
	size_t width = text_width(s, n), at = 0;

	if (!cols)
		return 0;
	if (width > cols)
		return put_cut(b, s, n, width, cols, how);
	if (width == n && is_plain(s, n))
		sbuf_put(b, s, n);
	else
		put_glyphs(b, s, n, &at, SIZE_MAX);
	return width;
}

size_t text_fit(char *buf, size_t cap, const char *s, size_t n, size_t cols, enum text_cut how)
{
	struct sbuf b = {0};
	size_t width = text_put(&b, s, n, cols, how);

	/*
	 * A column takes one byte or more, so that cap columns are where to start; wide steps
	 * first, for names without end.
	 */
	for (size_t c = width < cap ? width : cap; b.n >= cap && c;
	     c -= c < 1 + (b.n - cap) / 8 ? c : 1 + (b.n - cap) / 8) {
		sbuf_reset(&b);
		width = text_put(&b, s, n, c, how);
		if (b.n < cap)
			break;
	}
	if (b.n >= cap) {
		sbuf_reset(&b);
		width = 0;
	}
	memcpy(buf, sbuf_str(&b), b.n + 1);
	sbuf_fini(&b);
	return width;
}

void text_pad(struct sbuf *b, const char *s, size_t n, size_t cols, bool right, enum text_cut how)
{
	size_t width = right ? text_width(s, n) : cols;
	size_t lead = width < cols ? cols - width : 0;

	sbuf_fill(b, ' ', lead);
	/*
	 * A cut before a wide character may leave a column free, which goes behind the text on both
	 * sides.
	 */
	sbuf_fill(b, ' ', cols - lead - text_put(b, s, n, cols, how));
}

static uint32_t fold_ascii(char c)
{
	return (uint32_t)(unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* The character at s in lower case; an invalid byte counts as a character beyond Unicode. */
static size_t lower_at(const char *s, size_t n, bool fold, uint32_t *cp)
{
	size_t len = text_decode(s, n, cp);

	if (!len) {
		*cp = 0x110000 + (unsigned char)*s;
		return 1;
	}
	if (fold)
		*cp = *cp < 0x80 ? fold_ascii((char)*cp) : uc_tolower(*cp);
	return len;
}

/* Bytes of s that the word matches at its start, SIZE_MAX if it does not. */
static size_t match_here(const char *s, size_t n, const char *word, size_t word_n)
{
	size_t i = 0, j = 0;

	while (j < word_n) {
		uint32_t a, b;

		if (i == n)
			return SIZE_MAX;
		i += lower_at(s + i, n - i, true, &a);
		j += lower_at(word + j, word_n - j, true, &b);
		if (a != b)
			return SIZE_MAX;
	}
	return i;
}

bool text_has_upper(const char *s, size_t n)
{
	uint32_t cp;

	for (size_t i = 0; i < n;) {
		i += lower_at(s + i, n - i, false, &cp);
		if (cp < 0x110000 && uc_is_upper(cp))
			return true;
	}
	return false;
}

bool text_contains(const char *hay, size_t hay_n, const char *needle, size_t needle_n)
{
	uint32_t cp, first;

	if (!needle_n)
		return true;
	if (!hay_n)
		return false;
	if (text_has_upper(needle, needle_n))
		return memmem(hay, hay_n, needle, needle_n) != NULL;
	lower_at(needle, needle_n, true, &first);
	for (size_t i = 0; i < hay_n; i += lower_at(hay + i, hay_n - i, false, &cp)) {
		/* Most places are ruled out by one byte; a letter beyond ASCII may fold into it. */
		while (i < hay_n && (unsigned char)hay[i] < 0x80 && fold_ascii(hay[i]) != first)
			i++;
		if (i == hay_n)
			break;
		if (match_here(hay + i, hay_n - i, needle, needle_n) != SIZE_MAX)
			return true;
	}
	return false;
}

bool text_same(const char *s, size_t n, const char *word, size_t word_n)
{
	if (text_has_upper(word, word_n))
		return n == word_n && (!n || !memcmp(s, word, n));
	return match_here(s, n, word, word_n) == n;
}
