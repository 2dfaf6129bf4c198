/*
 * jout.h - a JSON writer (RFC 8259) into a buffer or a stream. What comes out is valid JSON in
 * valid UTF-8 for any bytes that go in:
 *
 *	- invalid UTF-8 becomes U+FFFD, one for each maximal invalid part (as the Unicode Standard
 *	  recommends), so it is not lossless;
 *	- ", \ and control characters are escaped, NUL is \u0000;
 *	- what a terminal must not see raw (C1, bidi, zero-width, separators; text_printable()) is
 *	  written as \uXXXX, which readers take as the same characters;
 *	- NaN and infinities become null.
 *
 *	struct jout j;
 *	jout_init(&j, stdout, NULL);
 *	jout_object(&j);
 *	jout_key(&j, "rows"); jout_array(&j); jout_i64(&j, 7); jout_end(&j);
 *	jout_end(&j);
 *	return jout_finish(&j, e);
 */
#ifndef BASE_JOUT_H
#define BASE_JOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/sbuf.h"

enum {
	JOUT_DEPTH_MAX = 256
};

struct jout {
	struct sbuf *b; /* where to, own or the caller's */
	struct sbuf own;
	FILE *f;
	uint32_t depth;
	bool after_key, too_deep;
	struct {
		bool object, filled;
	} level[JOUT_DEPTH_MAX];
};

/* Writes to f, or, when f is NULL, appends to b. Both stay the caller's. */
void jout_init(struct jout *j, FILE *f, struct sbuf *b);
void jout_object(struct jout *j);
void jout_array(struct jout *j);
/* Closes the innermost object or array. */
void jout_end(struct jout *j);
/* Inside an object, before each value. */
void jout_key(struct jout *j, const char *key);
void jout_null(struct jout *j);
void jout_bool(struct jout *j, bool v);
void jout_i64(struct jout *j, int64_t v);
void jout_f64(struct jout *j, double v);
/* s == NULL is null. */
void jout_str(struct jout *j, const char *s, size_t n);
void jout_cstr(struct jout *j, const char *s);
/* Asks for a line break before the next value or end: layout only. */
void jout_newline(struct jout *j);
/*
 * Writes out what is left; false with ERR_IO when the stream failed, with ERR_LIMIT when nesting
 * went beyond JOUT_DEPTH_MAX.
 */
bool jout_finish(struct jout *j, struct err *e);

/* Appends s as a JSON string with its quotes. */
void jout_quote(struct sbuf *b, const char *s, size_t n);

#endif
