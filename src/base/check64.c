/* check64.c - checksum of bytes, see check64.h */
#include "base/check64.h"

#include <string.h>

#define LANES 8
#define STEP (LANES * sizeof(uint64_t))
#define K1 UINT64_C(0x9e3779b97f4a7c15)
#define K2 UINT64_C(0xbf58476d1ce4e5b9)

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * K1;
	x = (x ^ x >> 29) * K2;
	return x ^ x >> 32;
}

static uint64_t word(const unsigned char *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	return w;
}

uint64_t check64(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t lane[LANES], h = mix(n + K1), w = 0;

	for (unsigned i = 0; i < LANES; i++)
		lane[i] = (i + 1) * K1;
	for (; n >= STEP; s += STEP, n -= STEP)
		for (unsigned i = 0; i < LANES; i++) {
			w = (lane[i] ^ word(s + i * sizeof(w))) * K2;
			lane[i] = w << 29 | w >> 35;
		}
	for (unsigned i = 0; i < LANES; i++)
		h = mix(h ^ lane[i]);
	for (; n >= sizeof(w); s += sizeof(w), n -= sizeof(w))
		h = mix(h ^ word(s));
	w = 0;
	if (n)
		memcpy(&w, s, n);
	return mix(h ^ w);
}
