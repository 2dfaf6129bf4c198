/* arena.c - bump allocator, see arena.h */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, cap;
	_Alignas(16) char data[];
};

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_block *b = a->head;
	size_t want = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);

	if (!b || b->cap - b->used < want) {
		size_t cap = want > BLOCK_BYTES ? want : BLOCK_BYTES;

		b = xmalloc(sizeof(*b) + cap);
		b->next = a->head;
		b->used = 0;
		b->cap = cap;
		a->head = b;
	}
	b->used += want;
	a->used_bytes += want;
	return b->data + b->used - want;
}

void *arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
	p[0] = '\0';
	va_start(ap, fmt);
	if (n >= 0)
		vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_free(struct arena *a)
{
	struct arena_block *b = a->head;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	a->head = NULL;
	a->used_bytes = 0;
}
