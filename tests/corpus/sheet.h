/*
 * sheet.h - a table as a test compares it: rows of a name and a few integers, from an expected file or from a view.
 */
#ifndef TESTS_CORPUS_SHEET_H
#define TESTS_CORPUS_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/corpus/jtree.h"

#define SHEET_VALUES 24
#define SHEET_UNKNOWN INT64_MIN		/* null: equals nothing but itself, never 0 */

struct sheet_row {
	char *key;			/* owned, may hold any byte */
	size_t len;
	int64_t v[SHEET_VALUES];
};
struct sheet {
	struct sheet_row *rows;
	size_t n, cap;
	unsigned width;			/* values per row */
	const char *const *titles;	/* of the values, for messages; borrowed */
};

/* Adds a row of zeros, returns its values. */
int64_t *sheet_add(struct sheet *s, const char *key, size_t len);
/* Sorts by key, adds up rows of equal keys (unknown makes the sum unknown), and drops rows of zeros. */
void sheet_pack(struct sheet *s);
void sheet_fini(struct sheet *s);

/* Member of an object, or the object itself when it is a number: SHEET_UNKNOWN if it is no integer. */
int64_t sheet_int(const struct jval *object, const char *key);
int64_t sheet_number(const struct jval *number);

/*
 * Compares two packed sheets; each difference is written as a TAP comment, at most `most` of them. Returns their number.
 * extra(row) may allow a row that only `got` has; NULL = none.
 */
size_t sheet_compare(const char *what, const struct sheet *got, const struct sheet *want, bool (*extra)(const struct sheet_row *),
	size_t most);

#endif
