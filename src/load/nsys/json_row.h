/*
 * json_row.h - one line of a JSON export of Nsight Systems as a row of a table.
 *
 *	jsonlines	{"col":1,…,"table":"NVTX_EVENTS"}: names of tables and columns are those of
 *			the SQLite export; a NULL is left out
 *	json (legacy)	{"Type":59,"NvtxEvent":{"Timestamp":"1",…}}: other names, 64-bit integers as
 *			strings, and a field of value 0 may be left out
 */
#ifndef LOAD_NSYS_JSON_ROW_H
#define LOAD_NSYS_JSON_ROW_H

#include "base/jscan.h"
#include "load/nsys/db.h"

enum jcell {
	JCELL_TEXT,
	JCELL_WORD, /* a number, true, false */
	JCELL_OBJECT,
	JCELL_ARRAY
};
struct jpair {
	struct jstr key;
	struct jstr value; /* of text and words; of others the whole text */
	enum jcell kind;
	uint8_t depth;
};
#define JROW_PAIRS 96
/* Keys and values of an object, those of objects inside behind their own: {"a":{"b":1}} is a, b. */
struct jrow {
	struct jpair pair[JROW_PAIRS];
	unsigned n;
	int64_t offset; /* of the line */
};

/* False if the text is no whole object; what stood before the fault is in the row. */
bool jrow_read(struct jrow *r, struct jscan *js);
/* The first pair of this key, NULL. *hint remembers where it was in the row before. */
const struct jpair *jrow_find(const struct jrow *r, const char *key, uint8_t *hint);
bool jrow_int(const struct jrow *r, const char *key, int64_t *v);

/* How the columns of a table are called in a line. */
struct jform {
	const char *table;
	const struct jalias {
		const char *col, *key;
		bool number; /* text there is a number; 0 when the line leaves it out */
	} *alias; /* ends with a NULL col; NULL = the names are the same */
};
/* The table of a row; NULL if it is of none that we know (a form without a table has the names of the table it is given). */
const struct jform *jform_of(const struct jrow *r, bool legacy, struct jform *scratch, char *name,
			     size_t cap);
/* The form of threads in the list that a legacy export ends with. */
extern const struct jform jform_thread_names;

/* A scan over rows that are given one by one, or fetched by `more`. */
struct jrow_scan {
	struct nsys_scan base;
	bool (*more)(struct jrow_scan *s); /* gives the next row; NULL: its owner does */
	void (*drop)(struct jrow_scan *s); /* frees what it lies in; NULL: its owner does */
	const struct jrow *r;
	const char *key[NSYS_COLS_MAX];
	bool number[NSYS_COLS_MAX];
	bool zero[NSYS_COLS_MAX];
	uint8_t hint[NSYS_COLS_MAX];
	char *plain; /* for strings with escapes */
	size_t plain_cap;
};
void jrow_scan_init(struct jrow_scan *s, const struct jform *f, const char *const *cols, size_t n);
void jrow_scan_fini(struct jrow_scan *s);
static inline void jrow_scan_row(struct jrow_scan *s, const struct jrow *r)
{
	s->r = r;
	s->base.n++;
	s->base.row = r->offset;
}

#endif
