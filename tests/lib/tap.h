/*
 * tap.h - Test Anything Protocol for the unit tests; header only.
 *
 *	int main(void)
 *	{
 *		is_int(spans_total(&s), 30, "two spans of %d", 15);
 *		return done_testing();
 *	}
 *
 * Every check prints one line and returns whether it held, so that a test can stop early.
 * The last argument(s) of each are a printf format and its arguments: the name of the check.
 * done_testing prints the plan and gives the exit status: 0 all held, 1 some failed. Under the
 * harness (TAP_HARNESS is set) it is 0 then too: the harness has read the failures and would
 * count the status as one more.
 */
#ifndef TESTS_LIB_TAP_H
#define TESTS_LIB_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_PRINTF(f, a) __attribute__((format(printf, f, a), unused))

static int tap_count;
static int tap_failed;

#define ok(cond, ...) tap_ok(__FILE__, __LINE__, (cond), __VA_ARGS__)
#define is_int(got, want, ...) tap_int(__FILE__, __LINE__, (got), (want), __VA_ARGS__)
#define is_uint(got, want, ...) tap_uint(__FILE__, __LINE__, (got), (want), __VA_ARGS__)
/* |got - want| <= eps; a NaN is never near anything */
#define is_near(got, want, eps, ...) tap_near(__FILE__, __LINE__, (got), (want), (eps), __VA_ARGS__)
/* Either may be NULL: NULL equals NULL only. */
#define is_str(got, want, ...) tap_str(__FILE__, __LINE__, (got), (want), __VA_ARGS__)
#define is_mem(got, got_len, want, want_len, ...) \
	tap_mem(__FILE__, __LINE__, (got), (got_len), (want), (want_len), __VA_ARGS__)
#define pass(...) tap_ok(__FILE__, __LINE__, true, __VA_ARGS__)
#define fail(...) tap_ok(__FILE__, __LINE__, false, __VA_ARGS__)

static inline bool tap_vok(const char *file, int line, bool held, const char *fmt, va_list ap)
	TAP_PRINTF(4, 0);
static inline bool tap_ok(const char *file, int line, bool held, const char *fmt, ...)
	TAP_PRINTF(4, 5);
static inline bool tap_int(const char *file, int line, int64_t got, int64_t want, const char *fmt,
			   ...) TAP_PRINTF(5, 6);
static inline bool tap_uint(const char *file, int line, uint64_t got, uint64_t want,
			    const char *fmt, ...) TAP_PRINTF(5, 6);
static inline bool tap_near(const char *file, int line, double got, double want, double eps,
			    const char *fmt, ...) TAP_PRINTF(6, 7);
static inline bool tap_str(const char *file, int line, const char *got, const char *want,
			   const char *fmt, ...) TAP_PRINTF(5, 6);
static inline bool tap_mem(const char *file, int line, const void *got, size_t got_len,
			   const void *want, size_t want_len, const char *fmt, ...) TAP_PRINTF(7, 8);
static inline void diag(const char *fmt, ...) TAP_PRINTF(1, 2);
static inline void skip(int n, const char *fmt, ...) TAP_PRINTF(2, 3);
static inline int skip_all(const char *fmt, ...) TAP_PRINTF(1, 2);

static inline bool tap_vok(const char *file, int line, bool held, const char *fmt, va_list ap)
{
	tap_count++;
	tap_failed += !held;
	printf("%s %d - ", held ? "ok" : "not ok", tap_count);
	vprintf(fmt, ap);
	printf("\n");
	if (!held)
		printf("# failed at %s:%d\n", file, line);
	fflush(stdout); /* the line must be out before a crash */
	return held;
}

static inline bool tap_ok(const char *file, int line, bool held, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_vok(file, line, held, fmt, ap);
	va_end(ap);
	return held;
}

static inline bool tap_int(const char *file, int line, int64_t got, int64_t want, const char *fmt,
			   ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_vok(file, line, got == want, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("got %" PRId64 ", want %" PRId64, got, want);
	return got == want;
}

static inline bool tap_uint(const char *file, int line, uint64_t got, uint64_t want,
			    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_vok(file, line, got == want, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("got %" PRIu64 ", want %" PRIu64, got, want);
	return got == want;
}

static inline bool tap_near(const char *file, int line, double got, double want, double eps,
			    const char *fmt, ...)
{
	bool held = fabs(got - want) <= eps;
	va_list ap;

	va_start(ap, fmt);
	tap_vok(file, line, held, fmt, ap);
	va_end(ap);
	if (!held)
		diag("got %.17g, want %.17g +- %g", got, want, eps);
	return held;
}

static inline bool tap_str(const char *file, int line, const char *got, const char *want,
			   const char *fmt, ...)
{
	bool held = got && want ? strcmp(got, want) == 0 : got == want;
	va_list ap;

	va_start(ap, fmt);
	tap_vok(file, line, held, fmt, ap);
	va_end(ap);
	if (!held) {
		diag("got  \"%s\"", got ? got : "(null)");
		diag("want \"%s\"", want ? want : "(null)");
	}
	return held;
}

static inline bool tap_mem(const char *file, int line, const void *got, size_t got_len,
			   const void *want, size_t want_len, const char *fmt, ...)
{
	bool held = got_len == want_len && (!got_len || memcmp(got, want, got_len) == 0);
	va_list ap;

	va_start(ap, fmt);
	tap_vok(file, line, held, fmt, ap);
	va_end(ap);
	if (!held) {
		size_t i = 0;

		while (i < got_len && i < want_len &&
		       ((const unsigned char *)got)[i] == ((const unsigned char *)want)[i])
			i++;
		diag("got %zu bytes, want %zu, first difference at byte %zu", got_len, want_len, i);
	}
	return held;
}

/* A comment line; text of several lines stays one comment per line. */
static inline void diag(const char *fmt, ...)
{
	char text[2048];
	char *line = text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	while (line) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		printf("# %s\n", line);
		line = end;
	}
	fflush(stdout);
}

/* n checks that cannot run here, and why */
static inline void skip(int n, const char *fmt, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	for (; n > 0; n--)
		printf("ok %d # SKIP %s\n", ++tap_count, why);
	fflush(stdout);
}

/* The whole program cannot run here: return skip_all("why") from main, before any check. */
static inline int skip_all(const char *fmt, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	printf("1..0 # SKIP %s\n", why);
	return 0;
}

static inline int done_testing(void)
{
	printf("1..%d\n", tap_count);
	fflush(stdout);
	if (!tap_count)
		return 1; /* a test program that checks nothing is a mistake */
	return tap_failed && !getenv("TAP_HARNESS");
}

#endif
