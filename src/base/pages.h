/*
 * pages.h - large arrays whose memory can become that of another array, so that it need not be given back, fetched and cleared anew: a
 * page costs as much as what is written to it. Small ones come from the heap, and so do all where pages cannot be moved.
 *
 * Like those of mem.h these do not fail for the caller.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* What is in new memory is not specified. `bytes` is always the size that was asked for last. */
void *pages_new(size_t bytes);
void *pages_grow(void *p, size_t bytes, size_t more);	/* p: NULL or of these functions */
void pages_free(void *p, size_t bytes);

/* The size of a page; 0: pages of an array of so many bytes cannot be moved. */
size_t pages_movable(size_t bytes);
/*
 * Whole pages, n bytes, of such an array to where pages of another one are, which are lost. An array is moved away from its beginning on.
 * False: `from` is as it was, `to` like new memory.
 */
bool pages_move(void *to, void *from, size_t n);
/* Frees an array of which the first `moved` bytes are elsewhere now. */
void pages_free_rest(void *p, size_t bytes, size_t moved);

#endif
