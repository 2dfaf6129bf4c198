/*
 * map.h - open-addressing hash from (u64, u64) to u32: correlation ids, track keys, group-by keys.
 * Zero-initialise to begin; map_fini() frees. Not safe for concurrent writers.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct map_slot {
	uint64_t a, b;
	uint32_t val;		/* MAP_NONE = empty slot */
};

struct map {
	struct map_slot *slots;
	size_t cap, n;		/* cap is a power of two */
};

uint64_t map_hash_bytes(const void *p, size_t n);
/* The value, or MAP_NONE. */
uint32_t map_find(const struct map *m, uint64_t a, uint64_t b);
/* Stores val (not MAP_NONE) and replaces an older one. */
void map_put(struct map *m, uint64_t a, uint64_t b, uint32_t val);
/* The present value, else stores `fresh` and returns it. */
uint32_t map_get_or_put(struct map *m, uint64_t a, uint64_t b, uint32_t fresh);
void map_reserve(struct map *m, size_t n);
void map_fini(struct map *m);

#endif
