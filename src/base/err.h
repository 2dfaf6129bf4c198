/*
 * err.h - errors as values: a code, the system's errno, a place in the input, and a readable chain.
 *
 * The caller owns a struct err on its stack and passes its address; NULL means "not interested".
 * err_set() is called where the fault is found, err_wrap() on the way up: "reading X: table Y: column Z is missing".
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum err_code {
	ERR_NONE,
	ERR_USAGE,	/* wrong command line: exit status 2 */
	ERR_IO,		/* the system refused: 3 */
	ERR_FORMAT,	/* not a format that we read, or damaged beyond use: 3 */
	ERR_LIMIT,	/* a limit of ours or --max-mem: 4 */
	ERR_NOMEM,	/* 4 */
	ERR_CANCELLED,	/* 130 */
	ERR_INTERNAL
};

struct err {
	enum err_code code;
	int sys;		/* errno, 0 if none */
	int64_t offset;		/* byte offset or row in the input, -1 if unknown */
	char text[512];		/* always terminated; may hold bytes of the input: escape before printing */
};

#define ERR_INIT { ERR_NONE, 0, -1, "" }

/* Sets *e (e may be NULL) and returns false, so that `return err_set(e, …)` reads well. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* As err_set, and adds ": strerror(sys)". */
bool err_sys(struct err *e, int sys, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts "prefix: " before the text; keeps code and offset. Returns false. */
bool err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Exit status of cli.md for a code. */
int err_exit_status(enum err_code code);

#endif
