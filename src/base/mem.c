/* mem.c - allocation that cannot fail for the caller, see mem.h */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/work.h"

_Thread_local uint64_t work_steps;

static mem_oom_fn oom_handler;

void mem_set_oom_handler(mem_oom_fn fn)
{
	oom_handler = fn;
}

_Noreturn void mem_exhausted(size_t n)
{
	if (oom_handler)
		oom_handler(n);
	abort();
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	work_count(n / 16 + 1);
	if (!p)
		mem_exhausted(n);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	work_count(n * size / 16 + 1);
	if (!p)
		mem_exhausted(n);
	return p;
}

void *xrealloc(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);

	work_count(n / 16 + 1);
	if (!q)
		mem_exhausted(n);
	return q;
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		mem_exhausted(SIZE_MAX);
	return xrealloc(p, bytes);
}

char *xstrdup(const char *s)
{
	return xmemdup0(s, strlen(s));
}

char *xmemdup0(const void *s, size_t n)
{
	char *p = xmalloc(n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = xmalloc((size_t)(n < 0 ? 0 : n) + 1);
	p[0] = '\0';
	va_start(ap, fmt);
	if (n >= 0)
		vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

size_t mem_grow(size_t cap, size_t want)
{
	size_t n = cap + cap / 2;

	if (n < 16)
		n = 16;
	return n < want ? want : n;
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
