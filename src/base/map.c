/* map.c - open-addressing hash, see map.h */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* Two words at a time: both halves of their product, where the compiler has it. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide r = (wide)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
#else
	return mix(a) * 3 ^ mix(b ^ UINT64_C(0x8ebc6af09c88c6e3));
#endif
}

static inline uint64_t word(const unsigned char *s, size_t n)
{
	uint64_t w = 0;

	memcpy(&w, s, n);
	return w;
}

uint64_t map_hash_bytes(const void *p, size_t n)
{
	const uint64_t k1 = UINT64_C(0xa0761d6478bd642f), k2 = UINT64_C(0xe7037ed1a0b428db);
	const unsigned char *s = p;
	uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15) ^ k1, g = k2;

	for (; n > 32; s += 32, n -= 32) {
		h = fold(word(s, 8) ^ k1, word(s + 8, 8) ^ h);
		g = fold(word(s + 16, 8) ^ k2, word(s + 24, 8) ^ g);
	}
	h ^= g;
	if (n > 16) {
		h = fold(word(s, 8) ^ k1, word(s + 8, 8) ^ h);
		s += 16;
		n -= 16;
	}
	/* the last bytes, some of them twice */
	if (n >= 8)
		return mix(fold(word(s, 8) ^ k2, word(s + n - 8, 8) ^ h));
	if (n >= 4)
		return mix(fold(word(s, 4) ^ k2, word(s + n - 4, 4) ^ h));
	return n ? mix(fold(((uint64_t)s[0] << 16 | (uint64_t)s[n / 2] << 8 | s[n - 1]) ^ k2, h)) : mix(h);
}

static struct map_slot *slot_of(const struct map *m, uint64_t a, uint64_t b)
{
	size_t i = (size_t)mix(a ^ mix(b)) & (m->cap - 1);

	while (m->slots[i].val != MAP_NONE && (m->slots[i].a != a || m->slots[i].b != b))
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static void rehash(struct map *m, size_t cap)
{
	struct map old = *m;

	m->slots = xreallocarray(NULL, cap, sizeof(*m->slots));
	memset(m->slots, 0xff, cap * sizeof(*m->slots));
	m->cap = cap;
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].val != MAP_NONE)
			*slot_of(m, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
}

void map_reserve(struct map *m, size_t n)
{
	size_t cap = m->cap ? m->cap : 64;

	while (cap < n * 2)
		cap *= 2;
	if (cap != m->cap)
		rehash(m, cap);
}

uint32_t map_find(const struct map *m, uint64_t a, uint64_t b)
{
	return m->cap ? slot_of(m, a, b)->val : MAP_NONE;
}

static void store(struct map *m, struct map_slot *s, uint64_t a, uint64_t b, uint32_t val)
{
	m->n += s->val == MAP_NONE;
	s->a = a;
	s->b = b;
	s->val = val;
}

void map_put(struct map *m, uint64_t a, uint64_t b, uint32_t val)
{
	map_reserve(m, m->n + 1);
	store(m, slot_of(m, a, b), a, b, val);
}

uint32_t map_get_or_put(struct map *m, uint64_t a, uint64_t b, uint32_t fresh)
{
	struct map_slot *s;

	map_reserve(m, m->n + 1);
	s = slot_of(m, a, b);
	if (s->val == MAP_NONE)
		store(m, s, a, b, fresh);
	return s->val;
}

void map_fini(struct map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}
