/*
 * decimal.h - decimal numbers as text: split once, then scaled to an integer without going through
 * a double.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {
	bool negative;
	const char *s, *end; /* digits and at most one point */
	int64_t point;	     /* digits before the point, the exponent added */
};

/* All of s[0..n): [+-]digits[.digits][e[+-]digits]. False if it is anything else. */
bool decimal_split(const char *s, size_t n, struct decimal *d);
/*
 * |d| * factor, for a factor up to 2^50: rounded half up, or cut off. UINT64_MAX where it does not
 * fit. *exact (may be NULL): nothing was rounded or cut off.
 */
uint64_t decimal_times(const struct decimal *d, uint64_t factor, bool round, bool *exact);
/*
 * A number times 10^digits (0 to 15), rounded half away from zero: "21.180038" with 9 digits is
 * 21180038000. False if the text is no number or the result is beyond int64; *out stays as it is
 * then. *exact as above.
 */
bool decimal_scaled(const char *s, size_t n, int digits, int64_t *out, bool *exact);

#endif
