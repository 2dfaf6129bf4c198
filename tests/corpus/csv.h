/* csv.h - a CSV file with a line of titles, as nsys stats writes it; .gz too */
#ifndef TESTS_CORPUS_CSV_H
#define TESTS_CORPUS_CSV_H

#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"

struct csv {
	char *text;			/* fields are unquoted in place, each with a NUL */
	VEC(char *) fields;
	size_t width, n_rows;		/* without the titles */
};

/* False with *e set: unreadable, or rows of other lengths than the titles. csv_fini() in either case. */
bool csv_read(struct csv *c, const char *path, struct err *e);
void csv_fini(struct csv *c);
/* The column of a title. A test that asks for one that is not there ends. */
size_t csv_col(const struct csv *c, const char *title);

static inline const char *csv_at(const struct csv *c, size_t row, size_t col)
{
	return c->fields.a[(row + 1) * c->width + col];
}

#endif
