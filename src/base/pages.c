/* pages.c - see pages.h */
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif

/* A sanitizer that watches each byte is to see the heap. */
#if defined(MREMAP_FIXED) && !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer)

#define MAPPED_FROM ((size_t)1 << 20)

static size_t page_size(void)
{
	long n = sysconf(_SC_PAGESIZE);

	return n > 0 ? (size_t)n : 4096;
}

static void *map(void *at, size_t bytes, int flags)
{
	void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		mem_exhausted(bytes);
	return p;
}

void *pages_new(size_t bytes)
{
	return bytes < MAPPED_FROM ? xmalloc(bytes) : map(NULL, bytes, 0);
}

void *pages_grow(void *p, size_t bytes, size_t more)
{
	void *q;

	if (more < MAPPED_FROM)
		return xrealloc(p, more);
	if (bytes >= MAPPED_FROM) {
		q = mremap(p, bytes, more, MREMAP_MAYMOVE);
		if (q == MAP_FAILED)
			mem_exhausted(more);
		return q;
	}
	q = map(NULL, more, 0);
	if (bytes)
		memcpy(q, p, bytes);
	free(p);
	return q;
}

void pages_free(void *p, size_t bytes)
{
	if (bytes < MAPPED_FROM)
		free(p);
	else
		munmap(p, bytes);
}

size_t pages_movable(size_t bytes)
{
	return bytes < MAPPED_FROM ? 0 : page_size();
}

bool pages_move(void *to, void *from, size_t n)
{
	if (mremap(from, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED)
		return true;
	/* what was at `to` may be gone */
	map(to, n, MAP_FIXED);
	return false;
}

void pages_free_rest(void *p, size_t bytes, size_t moved)
{
	if (!moved)
		pages_free(p, bytes);
	else if (moved < bytes)
		munmap((char *)p + moved, bytes - moved);
}

#else

void *pages_new(size_t bytes)
{
	return xmalloc(bytes);
}

void *pages_grow(void *p, size_t bytes, size_t more)
{
	(void)bytes;
	return xrealloc(p, more);
}

void pages_free(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}

size_t pages_movable(size_t bytes)
{
	(void)bytes;
	return 0;
}

bool pages_move(void *to, void *from, size_t n)
{
	(void)to;
	(void)from;
	(void)n;
	return false;
}

void pages_free_rest(void *p, size_t bytes, size_t moved)
{
	(void)bytes;
	(void)moved;
	free(p);
}

#endif
