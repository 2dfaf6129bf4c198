/*
 * num.h - numbers and units as people write them: parsing for options and filters, printing for
 * sentences and cells. The decimal point is a point, as long as LC_NUMERIC is C (i18n_init sees to
 * it). Times go through integers only.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parsers: the whole of s[0..n) must be the number (blanks around it are allowed); false leaves
 * *out alone. No message: the caller knows what it asked for. Values beyond the type are false,
 * never clipped.
 */
/*
 * "12.5ms" → 12500000. Units ns us µs ms s m h (m = minutes), none = ns; a fraction of a ns rounds
 * half away from 0.
 */
bool num_parse_ns(const char *s, size_t n, int64_t *out);
/*
 * "4GB" → 4000000000. B KB MB GB TB PB are powers of 1000; K M G T P and KiB … PiB powers of 1024;
 * none = bytes. Case is ignored.
 */
bool num_parse_bytes(const char *s, size_t n, int64_t *out);
/* "12.5%" → 0.125; without the sign the number is the ratio itself. */
bool num_parse_ratio(const char *s, size_t n, double *out);
/* Decimal integer with an optional sign. */
bool num_parse_i64(const char *s, size_t n, int64_t *out);
/* Decimal floating point ("1.5", "-2e3"); no nan, no inf, no hex. */
bool num_parse_f64(const char *s, size_t n, double *out);

/*
 * Printers: 3 to 4 significant digits with the unit that keeps the figure between 1 and 1000, so at
 * most 0.5 % off; 0 stands for nothing but 0. buf has NUM_TEXT_MAX bytes; all return buf. Negative
 * values carry "-".
 */
enum {
	NUM_TEXT_MAX = 64
};
/* 857 ms, 12.34 ms, 1.22 s, 512 ns, 0 */
char *num_ns(int64_t ns, char *buf);
/* 50.95 GB (powers of 1000), 512 B, 0 */
char *num_bytes(int64_t bytes, char *buf);
/* 0.123 → 12.3 %; <0.1 % and >99.9 % where rounding would say nothing or all; NaN → ? */
char *num_pct(double ratio, char *buf);
/* All digits: 1240 */
char *num_count(int64_t n, char *buf);
/* 1.02, 12.3, 1514, 0.00123; NaN → ? */
char *num_factor(double f, char *buf);
/* 27.7 GB/s, 850 MB/s; GB/s = bytes/ns; NaN → ? */
char *num_rate(double bytes_per_ns, char *buf);
/* A point in time: 12.345678 s, down to the microsecond. */
char *num_time(int64_t ns, char *buf);
/* The shortest decimal of 15 to 17 digits that reads back as the same double; f must be finite. */
char *num_exact(double f, char *buf);

#endif
