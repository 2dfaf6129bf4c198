/*
 * numbers.h - numbers of the plainest form, eight digits at a time, for fast/shape.c: inline, since they are a quarter of what
 * reading a trace costs.
 *
 * p points to the number; 24 bytes must be readable there. What is returned is behind it, NULL where the number is of another form: then
 * jscan.h says what it is. What follows is not looked at, the caller knows what must.
 */
#ifndef LOAD_TORCH_FAST_NUMBERS_H
#define LOAD_TORCH_FAST_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/schema.h"

/* The digits of a time but the last eight, which change seldom. */
struct front {
	uint64_t text[2], mask[2], value;
	unsigned n;		/* 0: none is known */
	bool dot;		/* five digits, a dot and three digits follow, else eight digits */
};

/* Eight digits at once; *n: how many of the eight bytes are digits in front. */
static inline uint64_t digits8(const char *p, unsigned *n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t t, other;

	memcpy(&t, p, 8);
	t ^= UINT64_C(0x3030303030303030);
	other = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
	*n = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
	if (!*n)
		return 0;
	t <<= 64 - 8 * *n;	/* zeros in front */
	t = t * 10 + (t >> 8);
	return (((t & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
		((t >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >> 32;
#else
	uint64_t v = 0;

	for (*n = 0; *n < 8 && (unsigned char)(p[*n] - '0') < 10; ++*n)
		v = v * 10 + (unsigned char)(p[*n] - '0');
	return v;
#endif
}

static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };

/* 1 to 16 digits; NULL if there are others. */
static inline const char *digits(const char *p, uint64_t *v)
{
	unsigned n, m;
	uint64_t x = digits8(p, &n);

	*v = x;
	if (n < 8)
		return n ? p + n : NULL;
	x = digits8(p + 8, &m);
	*v = *v * powers[m] + (m ? x : 0);
	return m < 8 || (unsigned char)(p[16] - '0') >= 10 ? p + 8 + m : NULL;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ZEROS UINT64_C(0x3030303030303030)

/* The high bit of every byte of t (text ^ ZEROS) that is no digit: exact up to the first one, and behind it while it is a dot. */
static inline uint64_t no_digits(uint64_t t)
{
	return ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
}

static inline uint64_t value8(uint64_t t)
{
	t = t * 10 + (t >> 8);
	return (((t & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
		((t >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >> 32;
}

/* A front of as many digits as the last one, from a and b. False: these are no digits, or too many. */
static __attribute__((noinline)) bool move_front(struct front *f, uint64_t a, uint64_t b)
{
	uint64_t unit = f->dot ? UINT64_C(100000000) : UINT64_C(100000000000), value, low;
	unsigned more = f->n > 8 ? f->n - 8 : 0;

	if (!f->n)
		return false;
	a &= f->mask[0];
	b &= f->mask[1];
	value = (a ^ ZEROS) & f->mask[0];
	low = (b ^ ZEROS) & f->mask[1];
	if (no_digits(value) || no_digits(low))
		return false;
	value = value8(more ? value : value << (64 - 8 * f->n));
	if (more)
		value = value * powers[more] + value8(low << (64 - 8 * more));
	if (value >= INT64_MAX / unit - 1)
		return false;
	f->text[0] = a;
	f->text[1] = b;
	f->value = value * unit;
	return true;
}

/* A time as most are: of as many digits as the last one, three of which may stand behind a dot. NULL: another. */
static inline const char *read_near(struct front *f, const char *p, ns_t *ns)
{
	uint64_t a, b, x, y;

	memcpy(&a, p, 8);
	memcpy(&b, p + 8, 8);
	if ((((a ^ f->text[0]) & f->mask[0]) | ((b ^ f->text[1]) & f->mask[1])) && !move_front(f, a, b))
		return NULL;
	p += f->n;
	memcpy(&x, p, 8);
	if (!f->dot) {
		x ^= ZEROS;
		*ns = (ns_t)(f->value + value8(x) * 1000);
		return no_digits(x) || p[8] == '.' || !f->n ? NULL : p + 8;
	}
	if (p[5] != '.')
		return NULL;
	memcpy(&y, p + 1, 8);
	x = ((x & UINT64_C(0x000000ffffffffff)) | (y & UINT64_C(0xffffff0000000000))) ^ ZEROS;
	if (no_digits(x))
		return NULL;
	*ns = (ns_t)(f->value + value8(x));
	return p + 9;
}

/* One to seven digits, or one to four, a dot and three digits. NULL: another. */
static inline const char *read_short(const char *p, ns_t *ns)
{
	uint64_t t, other, above;
	unsigned n;

	memcpy(&t, p, 8);
	t ^= ZEROS;
	other = no_digits(t);
	if (!other)
		return NULL;
	n = (unsigned)__builtin_ctzll(other) & ~7u;
	if (!n)
		return NULL;
	if (p[n >> 3] != '.') {
		*ns = (ns_t)value8(t << (64 - n)) * 1000;
		return p + (n >> 3);
	}
	above = UINT64_C(0xffffff) << n;
	if (n > 32 || ((other >> 8) & above))
		return NULL;
	t = (t & ((UINT64_C(1) << n) - 1)) | ((t >> 8) & above);
	*ns = (ns_t)value8(t << (40 - n));
	return p + (n >> 3) + 4;
}

/* One to seven digits. NULL: another number. */
static inline const char *read_small(const char *p, int64_t *v)
{
	uint64_t t, other;
	unsigned n;

	memcpy(&t, p, 8);
	t ^= ZEROS;
	other = no_digits(t);
	n = other ? (unsigned)__builtin_ctzll(other) & ~7u : 0;
	if (!n)
		return NULL;
	*v = (int64_t)value8(t << (64 - n));
	return p + (n >> 3);
}

/* p: a time of n digits without its decimals, of which there are three or none. What is not near the next one is no loss. */
static inline void keep_front(struct front *f, const char *p, size_t n, bool dot, ns_t ns)
{
	uint64_t unit = dot ? UINT64_C(100000000) : UINT64_C(100000000000);
	size_t last = dot ? 5 : 8;

	if (n <= last || n > 16 || ns < 0 || (uint64_t)ns > INT64_MAX - unit)
		return;
	memset(f, 0, sizeof(*f));
	f->n = (unsigned)(n - last);
	f->dot = dot;
	memcpy(f->text, p, f->n);
	memset(f->mask, 0xff, f->n);
	f->value = (uint64_t)ns / unit * unit;
}
#else
static inline const char *read_near(struct front *f, const char *p, ns_t *ns)
{
	(void)f, (void)p, (void)ns;
	return NULL;
}
static inline const char *read_short(const char *p, ns_t *ns)
{
	(void)p, (void)ns;
	return NULL;
}
static inline const char *read_small(const char *p, int64_t *v)
{
	unsigned n;

	*v = (int64_t)digits8(p, &n);
	return n && n < 8 ? p + n : NULL;
}
static inline void keep_front(struct front *f, const char *p, size_t n, bool dot, ns_t ns)
{
	(void)f, (void)p, (void)n, (void)dot, (void)ns;
}
#endif

static const char *read_any_int(const char *p, int64_t *v)
{
	bool negative = *p == '-';
	uint64_t u;

	p = digits(p + negative, &u);
	*v = negative ? -(int64_t)u : (int64_t)u;
	return p;
}

static inline const char *read_int(const char *p, int64_t *v)
{
	const char *q = read_small(p, v);

	return q ? q : read_any_int(p, v);
}

/* Up to three decimals: more are rounded, elsewhere. */
static const char *read_any_us(struct front *f, const char *p, ns_t *ns)
{
	bool negative = *p == '-';
	const char *s = p + negative;
	uint64_t u, frac = 0;
	unsigned n = 0;

	p = digits(s, &u);
	if (!p || u > INT64_MAX / 1000 - 1)
		return NULL;
	if (*p == '.') {
		frac = digits8(p + 1, &n);
		if (n > 3)
			return NULL;
		frac *= powers[3 - n];
		p += 1 + n;
	}
	u = u * 1000 + frac;
	*ns = negative ? -(ns_t)u : (ns_t)u;
	if (f && !negative && (n == 3 || (!n && p[-1] != '.')))
		keep_front(f, s, (size_t)(p - s) - (n ? 4 : 0), n, *ns);
	return p;
}

static inline const char *read_us(const char *p, ns_t *ns)
{
	const char *q = read_short(p, ns);

	return q ? q : read_any_us(NULL, p, ns);
}

static inline const char *read_time(struct front *f, const char *p, ns_t *ns)
{
	const char *q = read_near(f, p, ns);

	return q ? q : read_any_us(f, p, ns);
}

#endif
