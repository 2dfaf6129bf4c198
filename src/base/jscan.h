/*
 * jscan.h - pull scanner for JSON over a window of bytes, without a DOM and without allocation.
 *
 * The window is [p, end) of a longer text, followed by at least JSCAN_PAD readable bytes of zero.
 * Every function moves p behind what it read when it returns JS_OK. It returns JS_MORE when the
 * window ends inside the value although the text goes on (`last` is false): put p back, bring more
 * bytes, try again. JS_BAD: not what was asked for; p is where it went wrong.
 *
 * It is tolerant where writers of traces are known to fail: raw control characters and any bytes in
 * strings, unknown escapes (kept as they are), bare words as values (N/A, inf, -nan, Infinity,
 * null, true …), and, in `lenient` mode, unescaped quotes in string values (see jscan_string).
 */
#ifndef BASE_JSCAN_H
#define BASE_JSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSCAN_PAD 64		/* zero bytes that must be readable behind the window */
#define JSCAN_DEPTH 512		/* deepest nesting that jscan_skip() goes along with */

enum jstat { JS_OK, JS_MORE, JS_BAD };

struct jscan {
	const char *p, *end;
	const char *begin;	/* first byte of the window … */
	int64_t base; /* … and its offset in the text: error offsets are base + (p - begin) */
	bool last;		/* the text ends at `end` */
	bool lenient;
	/* lenient: the keys that may follow a value, NULL-terminated; NULL = any */
	const char *const *keys;
};

/* A string as it stands in the window, without its quotes. Valid while the window is. */
struct jstr {
	const char *s;
	size_t n;
	bool escaped;		/* holds backslashes: jstr_plain() before use */
};

void jscan_init(struct jscan *js, const char *p, size_t n, int64_t base, bool last);
static inline int64_t jscan_offset(const struct jscan *js)
{
	return js->base + (js->p - js->begin);
}

/* Skips blanks and returns the next byte without taking it; 0 at the end of the window. */
static inline char jscan_peek(struct jscan *js)
{
	const char *p = js->p, *end = js->end;

	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	js->p = p;
	return p < end ? *p : '\0';
}

/* What a scanner says that came to the end of the window. */
static inline enum jstat jscan_at_end(const struct jscan *js)
{
	return js->last ? JS_BAD : JS_MORE;
}

/* Takes the byte c after blanks. */
static inline enum jstat jscan_take(struct jscan *js, char c)
{
	if (jscan_peek(js) == c && js->p < js->end) {
		js->p++;
		return JS_OK;
	}
	return js->p < js->end ? JS_BAD : jscan_at_end(js);
}
/*
 * A string. In lenient mode a quote ends it only where a comma and one of `keys` with its colon, or
 * a closing bracket that is itself followed by one of , ] } or the end comes next: the other quotes
 * belong to the string.
 */
enum jstat jscan_string(struct jscan *js, struct jstr *out);
/* A key and its colon. */
enum jstat jscan_key(struct jscan *js, struct jstr *out);
/* Skips one value of any kind; brackets inside strings do not count. */
enum jstat jscan_skip(struct jscan *js);
/* A bare word or number as it stands: up to the next blank, comma or closing bracket. */
enum jstat jscan_word(struct jscan *js, struct jstr *out);

/*
 * Numbers. Each takes a number or a string that holds one (decimal, or 0x… hexadecimal); *known is
 * false, and the value is skipped, where it is something else (null, N/A, NaN, an object).
 * Fractions are cut off; what does not fit is clamped.
 */
enum jstat jscan_i64(struct jscan *js, int64_t *out, bool *known);
/* A negative number becomes its two's complement. */
enum jstat jscan_u64(struct jscan *js, uint64_t *out, bool *known);
/*
 * Decimal microseconds → ns, digit by digit: the fourth decimal rounds half up, exponents count;
 * clamped to int64.
 */
enum jstat jscan_us(struct jscan *js, int64_t *ns, bool *known);

/* The same on text of known length; false if it is no number as a whole. */
bool jnum_us(const char *s, size_t n, int64_t *ns);
bool jnum_i64(const char *s, size_t n, int64_t *out);
bool jnum_u64(const char *s, size_t n, uint64_t *out);

/*
 * The bytes that a string stands for: itself if it has no escapes, else decoded into *buf (grown
 * with xrealloc, *cap its size; the caller frees it). Unknown escapes stay as they are; \u pairs
 * become UTF-8, lone surrogates U+FFFD. *n: length.
 */
const char *jstr_plain(const struct jstr *s, char **buf, size_t *cap, size_t *n);
bool jstr_is(const struct jstr *s, const char *word);

/*
 * Skips one value that need not fit into a window: begin with a zeroed struct, feed windows until
 * it returns JS_OK. p is then behind the value; JS_MORE: the whole window was taken.
 */
struct jscan_skipper {
	uint32_t depth;
	bool started, in_string, escape, word;
};
enum jstat jscan_skip_some(struct jscan *js, struct jscan_skipper *k);

#endif
