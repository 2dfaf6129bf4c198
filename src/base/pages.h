/*
 * pages.h - large arrays whose pages can be moved into another array (mremap), which saves the page
 * faults of freeing them and touching new ones. Small arrays come from the heap, and so do all
 * where the system cannot move pages.
 *
 * Like those of mem.h these do not fail for the caller.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* New memory is not cleared. `bytes` is always the size that was asked for last. */
void *pages_new(size_t bytes);
void *pages_grow(void *p, size_t bytes, size_t more);	/* p: NULL or of these functions */
void pages_free(void *p, size_t bytes);

/* The size of a page; 0: pages of an array of so many bytes cannot be moved. */
size_t pages_movable(size_t bytes);
/*
 * Moves n bytes, whole pages, from one such array to the place of another one's pages, whose
 * contents are lost. Pages leave an array in order, from its beginning on. False: `from` is
 * unchanged, the contents of `to` are not specified.
 */
bool pages_move(void *to, void *from, size_t n);
/* Frees an array whose first `moved` bytes were moved away. */
void pages_free_rest(void *p, size_t bytes, size_t moved);

#endif
