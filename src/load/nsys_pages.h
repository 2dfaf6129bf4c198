/*
 * nsys_pages.h - the rows of a table of a sound SQLite file, straight from its pages. A row costs a tenth of what it costs through the
 * library, which remains the reference: whatever is out of the ordinary is PAGES_ODD, and is then to be asked of the library.
 * Format: https://www.sqlite.org/fileformat2.html, sections 1.3 (header), 1.6 (b-tree pages), 2.1 (records).
 */
#ifndef LOAD_NSYS_PAGES_H
#define LOAD_NSYS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_DEPTH 20
#define PAGES_COLS_MAX 256	/* of a table */

/* The file, mapped (base/guard.h: where it is cut meanwhile there are zeros, which are odd). */
struct pages {
	int fd;
	const unsigned char *map;
	size_t n;
	uint32_t size, usable;	/* of a page; without what is reserved at its end */
	uint32_t count;		/* of pages */
};
/* False if the header is not that of a plain UTF-8 database of the size of the file. */
bool pages_open(struct pages *f, const char *path);
void pages_close(struct pages *f);

/* A serial type and where the value begins; nothing is behind type 0 (NULL), 8 and 9 (the integers 0 and 1). */
struct pages_cell {
	uint64_t type;
	const unsigned char *p;
};
struct pages_level {
	const unsigned char *page, *cells;	/* cells: the array of offsets */
	unsigned n, next;
	uint32_t right;				/* interior: the last child */
};
struct pages_rows {
	const struct pages *f;
	int16_t want[PAGES_COLS_MAX];		/* per stored column: index in cell, -1 not wanted */
	unsigned n_cols, n_want;		/* stored columns up to the last one wanted; cells */
	struct pages_level level[PAGES_DEPTH];
	unsigned depth;
	uint64_t pages_left;			/* so many may be entered before the tree goes in circles */
	int64_t rowid;
	struct pages_cell cell[64];
};

enum pages_step { PAGES_ROW, PAGES_END, PAGES_ODD };

/* want, n_cols, n_want are set. False: odd. */
bool pages_begin(struct pages_rows *r, const struct pages *f, uint32_t root);
enum pages_step pages_step(struct pages_rows *r);

/* The integer of a cell whose type is 1 to 6, 8 or 9. */
int64_t pages_int(const struct pages_cell *c);
double pages_real(const struct pages_cell *c);	/* of type 7 */

#endif
