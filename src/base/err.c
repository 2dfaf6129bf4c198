/* err.c - errors as values, see err.h */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0)))
static void err_fill(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	e->code = code;
	e->sys = 0;
	e->offset = -1;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return false;
	va_start(ap, fmt);
	err_fill(e, code, fmt, ap);
	va_end(ap);
	return false;
}

bool err_sys(struct err *e, int sys, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!e)
		return false;
	va_start(ap, fmt);
	err_fill(e, ERR_IO, fmt, ap);
	va_end(ap);
	e->sys = sys;
	len = strlen(e->text);
	snprintf(e->text + len, sizeof(e->text) - len, ": %s", strerror(sys));
	return false;
}

bool err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;
	size_t len;

	if (!e)
		return false;
	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	len = strlen(e->text);
	if (len + 3 < sizeof(e->text))
		snprintf(e->text + len, sizeof(e->text) - len, ": %.*s", (int)(sizeof(e->text) - len - 3), old);
	return false;
}

int err_exit_status(enum err_code code)
{
	static const int status[] = {
		[ERR_NONE] = 0, [ERR_USAGE] = 2, [ERR_IO] = 3, [ERR_FORMAT] = 3,
		[ERR_LIMIT] = 4, [ERR_NOMEM] = 4, [ERR_CANCELLED] = 130, [ERR_INTERNAL] = 1,
	};

	return status[code];
}
