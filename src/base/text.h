/*
 * text.h - text for people's eyes: display width, escaping, cutting, searching. The only user of
 * libunistring.
 *
 * Names come from files and may hold any bytes. What is printed is UTF-8 in which every byte of
 * these is shown as \x.. (two hex digits a byte): control characters (C0, DEL, C1), invalid UTF-8,
 * format characters (bidi marks and overrides, zero-width spaces and joiners, soft hyphen, BOM),
 * everything else that Unicode calls default-ignorable (variation selectors …), unassigned code
 * points, line and paragraph separators, a combining mark with nothing before it, and the few
 * characters whose width libraries dispute. Everything that remains has the same width in
 * libunistring and wcwidth(), so curses and we agree. In ASCII mode everything beyond ASCII is
 * shown as \x.. too.
 *
 * Widths are in terminal columns. All functions take (pointer, length); NUL is a byte like any
 * other.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/sbuf.h"

/*
 * ASCII mode (--ascii, or a locale without UTF-8) holds for the whole process; set it once, before
 * any output.
 */
void text_set_ascii(bool on);
bool text_ascii(void);
/*
 * What stands for cut text ("…" or "~") and for an unknown value ("–" or "-"); both one column
 * wide.
 */
const char *text_ellipsis(void);
const char *text_dash(void);

/*
 * Length of the UTF-8 character at s (1 to 4, <= n) and its code point in *cp; 0 when the bytes are
 * not valid, or n is 0.
 */
size_t text_decode(const char *s, size_t n, uint32_t *cp);
/*
 * Writes the code point as UTF-8 (1 to 4 bytes, their number is returned); U+FFFD for what is no
 * character: surrogates, and what lies beyond U+10FFFF.
 */
size_t text_encode(char *to, uint32_t cp);
/*
 * Length of the longest prefix of s that a valid character could begin with, at least 1: what one
 * U+FFFD stands for.
 */
size_t text_bad_length(const char *s, size_t n);
bool text_valid(const char *s, size_t n);
/* Whether a code point may be printed as it is. */
bool text_printable(uint32_t cp);

/* One step through a text as it is printed. */
struct text_glyph {
	size_t src_len; /* bytes consumed from the source */
	uint8_t width;	/* columns: 0 (combining), 1, 2; 4 for each escaped byte */
	uint8_t len;	/* bytes in out */
	char out[17];	/* UTF-8 or \x.., terminated */
};
/*
 * The glyph at s (n > 0). `first` = nothing stands before it, so that a combining mark has no base.
 */
void text_next(const char *s, size_t n, bool first, struct text_glyph *g);

/* Columns that the text takes when printed (escaped, not cut). */
size_t text_width(const char *s, size_t n);

enum text_cut {
	TEXT_CUT_END,
	TEXT_CUT_MIDDLE
};
/*
 * Appends the text as it is printed, in at most `cols` columns (SIZE_MAX = no cut), with an
 * ellipsis where something is left out. Returns the columns used.
 */
size_t text_put(struct sbuf *b, const char *s, size_t n, size_t cols, enum text_cut how);
/*
 * The same into buf of cap > 0 bytes, terminated; a text that does not fit is cut like one with too
 * many columns.
 */
size_t text_fit(char *buf, size_t cap, const char *s, size_t n, size_t cols, enum text_cut how);
/*
 * text_put, then filled with spaces to exactly `cols` columns: behind the text, or before it when
 * `right`.
 */
void text_pad(struct sbuf *b, const char *s, size_t n, size_t cols, bool right, enum text_cut how);

/* Whether a search word has a capital and so minds case (smart case). */
bool text_has_upper(const char *s, size_t n);
/*
 * Whether hay holds needle; case counts only if the needle has a capital. An empty needle is in
 * everything.
 */
bool text_contains(const char *hay, size_t hay_n, const char *needle, size_t needle_n);
/* Whether the n bytes at s are these, begin with these, end with these, hold these. */
static inline bool text_is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && (!n || memcmp(s, word, n) == 0);
}
static inline bool text_starts(const char *s, size_t n, const char *word)
{
	size_t k = strlen(word);

	return n >= k && (!k || memcmp(s, word, k) == 0);
}
static inline bool text_ends(const char *s, size_t n, const char *word)
{
	size_t k = strlen(word);

	return n >= k && text_is(s + n - k, k, word);
}
/* s NULL: no. */
static inline bool text_holds(const char *s, size_t n, const char *word)
{
	return s && memmem(s, n, word, strlen(word));
}
/* Whether both are the same under the same rule (the second is the search word). */
bool text_same(const char *s, size_t n, const char *word, size_t word_n);

#endif
