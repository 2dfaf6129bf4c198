/*
 * sbuf.h - a growing byte buffer, always terminated once something was put. Zero-initialise to
 * begin; sbuf_fini() frees. The bytes may hold NUL: n is the length.
 */
#ifndef BASE_SBUF_H
#define BASE_SBUF_H

#include <stddef.h>

struct sbuf {
	char *s;       /* NULL as long as nothing was put */
	size_t n, cap; /* cap counts the terminator */
};

/*
 * Room for n more bytes and a terminator; returns the place to write to, the caller then adds to n.
 */
char *sbuf_reserve(struct sbuf *b, size_t n);
void sbuf_put(struct sbuf *b, const void *p, size_t n);
void sbuf_puts(struct sbuf *b, const char *s);
void sbuf_putc(struct sbuf *b, char c);
void sbuf_fill(struct sbuf *b, char c, size_t n);
void sbuf_printf(struct sbuf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));
/* The content as a string, "" when empty; owned by the buffer, valid until the next change. */
const char *sbuf_str(const struct sbuf *b);
/* Empties, keeps the memory. */
void sbuf_reset(struct sbuf *b);
void sbuf_fini(struct sbuf *b);

#endif
