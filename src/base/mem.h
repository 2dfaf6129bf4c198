/*
 * mem.h - allocation that cannot fail for the caller.
 *
 * When memory ends, the handler that the program installed is called (restore the terminal, one line, exit 4);
 * without one the process aborts. Sizes are checked before they are multiplied.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

typedef void (*mem_oom_fn)(size_t wanted_bytes);

/* fn must not return. */
void mem_set_oom_handler(mem_oom_fn fn);
/* What happens when memory ends: so many bytes could not be had. */
_Noreturn void mem_exhausted(size_t n);

void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
/* realloc for n elements of `size` bytes; overflow counts as out of memory. */
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
/* A terminated copy of n bytes (which may hold NUL). */
char *xmemdup0(const void *s, size_t n);
/* printf into a heap string; the caller frees. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), nonnull(1)));
/* Next capacity for a growing array that needs `want` elements: 1.5 x, at least 16. */
size_t mem_grow(size_t cap, size_t want);

/*
 * Gives freed memory back to the system where the library keeps it: after loading, half of what a process holds can be of that kind.
 * Takes milliseconds.
 */
void mem_trim(void);

#endif
