/* sbuf.c - a growing byte buffer, see sbuf.h */
#include "base/sbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *sbuf_reserve(struct sbuf *b, size_t n)
{
	if (b->cap - b->n < n + 1) {
		b->cap = mem_grow(b->cap, b->n + n + 1);
		b->s = xrealloc(b->s, b->cap);
	}
	return b->s + b->n;
}

void sbuf_put(struct sbuf *b, const void *p, size_t n)
{
	char *to = sbuf_reserve(b, n);

	if (n)
		memcpy(to, p, n);
	to[n] = '\0';
	b->n += n;
}

void sbuf_puts(struct sbuf *b, const char *s)
{
	sbuf_put(b, s, strlen(s));
}

void sbuf_putc(struct sbuf *b, char c)
{
	sbuf_put(b, &c, 1);
}

void sbuf_fill(struct sbuf *b, char c, size_t n)
{
	char *to = sbuf_reserve(b, n);

	memset(to, c, n);
	to[n] = '\0';
	b->n += n;
}

void sbuf_printf(struct sbuf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(sbuf_reserve(b, (size_t)n), (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

const char *sbuf_str(const struct sbuf *b)
{
	return b->s ? b->s : "";
}

void sbuf_reset(struct sbuf *b)
{
	b->n = 0;
	if (b->s)
		b->s[0] = '\0';
}

void sbuf_fini(struct sbuf *b)
{
	free(b->s);
	b->s = NULL;
	b->n = b->cap = 0;
}
