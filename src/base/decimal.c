/* decimal.c - decimal numbers to integers, see decimal.h */
#include "base/decimal.h"

#define FRACTION_MAX UINT64_C(1000000000000000000) /* 18 digits behind the point decide all */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool split_exponent(const char *s, const char *end, int64_t *exp)
{
	bool negative = s < end && *s == '-';
	int64_t v = 0;

	if (s < end && (*s == '-' || *s == '+'))
		s++;
	if (s == end)
		return false;
	for (; s < end; s++) {
		if (!is_digit(*s))
			return false;
		if (v < 100000)
			v = v * 10 + (*s - '0');
	}
	*exp = negative ? -v : v;
	return true;
}

bool decimal_split(const char *s, size_t n, struct decimal *d)
{
	const char *end = s + n, *p;
	int64_t digits = 0, exp = 0;
	bool point = false;

	d->negative = n && *s == '-';
	if (n && (*s == '-' || *s == '+'))
		s++;
	d->point = -1;
	for (p = s; p < end; p++) {
		if (is_digit(*p)) {
			digits++;
		} else if (*p == '.' && !point) {
			point = true;
			d->point = digits;
		} else {
			break;
		}
	}
	if (!digits || (p < end && ((*p | 32) != 'e' || !split_exponent(p + 1, end, &exp))))
		return false;
	d->s = s;
	d->end = p;
	d->point = (point ? d->point : digits) + exp;
	return true;
}

/* Digits before the point and behind it; the fraction is part / whole of 10^k. */
struct halves {
	uint64_t whole, part, of;
	bool cut; /* a digit other than 0 stands behind those of `part` */
};

static bool take_whole(uint64_t *v, unsigned digit)
{
	return !__builtin_mul_overflow(*v, 10u, v) && !__builtin_add_overflow(*v, digit, v);
}

static void take_part(struct halves *h, unsigned digit)
{
	if (h->of < FRACTION_MAX) {
		h->part = h->part * 10 + digit;
		h->of *= 10;
	} else {
		h->cut |= digit > 0;
	}
}

/* False where the whole part is beyond 64 bits. */
static bool halve(const struct decimal *d, struct halves *h)
{
	int64_t left = d->point; /* digits still to come before the point */

	*h = (struct halves){.of = 1};
	for (; left < 0 && h->of < FRACTION_MAX; left++)
		take_part(h, 0);
	for (const char *p = d->s; p < d->end; p++) {
		if (*p == '.')
			continue;
		if (left <= 0)
			take_part(h, (unsigned)(*p - '0'));
		else if (!take_whole(&h->whole, (unsigned)(*p - '0')))
			return false;
		left--;
	}
	for (; left > 0 && h->whole; left--)
		if (!take_whole(&h->whole, 0))
			return false;
	return true;
}

uint64_t decimal_times(const struct decimal *d, uint64_t factor, bool round, bool *exact)
{
	unsigned __int128 part;
	struct halves h;
	uint64_t v;

	if (exact)
		*exact = false;
	if (!halve(d, &h) || __builtin_mul_overflow(h.whole, factor, &v))
		return UINT64_MAX;
	part = (unsigned __int128)h.part * factor;
	if (exact)
		*exact = !h.cut && (!part || part % h.of == 0);
	if (part &&
	    __builtin_add_overflow(v, (uint64_t)((part * 2 + (round ? h.of : 0)) / h.of / 2), &v))
		return UINT64_MAX;
	return v;
}

bool decimal_scaled(const char *s, size_t n, int digits, int64_t *out, bool *exact)
{
	uint64_t factor = 1, v;
	struct decimal d;

	if (exact)
		*exact = false;
	if (!decimal_split(s, n, &d))
		return false;
	while (digits-- > 0)
		factor *= 10;
	v = decimal_times(&d, factor, true, exact);
	if (v > (uint64_t)INT64_MAX + d.negative)
		return false;
	*out = (int64_t)(d.negative ? 0 - v : v);
	return true;
}
