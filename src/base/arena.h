/*
 * arena.h - bump allocator: many small objects, one free. What it hands out is aligned to 16 bytes, and lives
 * until arena_free() or arena_reset(). Zero-initialise the struct to begin.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *head;
	size_t used_bytes;	/* handed out so far */
};

void *arena_alloc(struct arena *a, size_t n);
void *arena_zalloc(struct arena *a, size_t n);
/* A terminated copy of n bytes. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
void arena_free(struct arena *a);

#endif
