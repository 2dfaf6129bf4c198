/*
 * section.h - what a document of the report is made of. A document is a table of sections
 * (doc_*.c); a section is a heading, a sentence of method, and one view with chosen columns.
 */
#ifndef REPORT_SECTION_H
#define REPORT_SECTION_H

#include <stdio.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "table/table.h"

struct report;

enum section_shape {
	SHAPE_ROWS,  /* the rows as they are */
	SHAPE_GROUP, /* one row per `group`, the columns of `cols` summed */
	SHAPE_MATRIX /* `group` names three columns: down, across, and what is summed in the cells */
};

/*
 * All texts are N_() marked; "{N}" in them stands for the number of the device. Texts are Markdown
 * of our own.
 *
 * cols: ids of the columns to show, in order, each with marks behind it:
 *	+  summed in the row that stands for the rows beyond `limit`
 *	?  shown only where it differs between rows (source, rank, process, by)
 *	#  all digits: durations as a count of ns
 * An id that the view does not have is left out.
 */
struct section {
	int level; /* of the heading: 2, 3; 0 = none */
	const char *heading;
	const char *text;      /* the method: how the figures are defined; NULL none */
	const char *view;      /* NULL: a section of text only */
	const char *partition; /* of the scope; "{N}" as in texts */
	enum by_dim by;
	bool whole;	 /* window all */
	bool per_device; /* once for each device of the view `gpu` */
	enum section_shape shape;
	const char *count;   /* SHAPE_GROUP: title of a column that counts the rows; NULL none */
	const char *group;   /* see enum section_shape */
	const char *cols;    /* see above */
	const char *filter;  /* of the rows, see filter.h */
	const char *sort;    /* column id, falling; NULL: as the analysis orders */
	uint32_t limit;	     /* rows at most; 0 = all. In trees the largest by `sort` */
	bool exact;	     /* state that the sum of time_ns equals the wall */
	const char *reading; /* name and figure: says which rows are the largest, see chart.h */
	const char *bars;    /* label and figure: the rows as bars below the table, see chart.h */
	const char *missing; /* what to say when there are no rows: which file would provide them */
	/* What stands below the text instead of a table; NULL: the usual way. */
	bool (*write)(struct report *r, const struct section *s, struct err *e);
};

/*
 * Documents are read by people and must not grow with the run: of what a section has more the largest
 * are shown, the rest is summed in a last row or counted, and the command below prints the whole.
 */
enum {
	DOC_ROWS_MAX = 200, /* of a table without a limit of its own */
	DOC_COMPLETE_MAX = 1000, /* of the complete breakdown */
	DOC_LINES_MAX = 100, /* sentences, findings, notes of one section */
	DOC_SOURCES_MAX = 8, /* files named below a table */
	DOC_DEVICES_MAX = 16 /* with sections of their own */
};

struct document {
	const char *file, *title, *intro;
	const struct section *sections; /* ends with .level < 0 */
};
#define SECTIONS_END {.level = -1}

/* In the order in which they are written. */
extern const struct document doc_overview, doc_methods, doc_gpu, doc_cpu, doc_paths, doc_breakdown;
extern const struct document *const documents[]; /* NULL-terminated */

/* ---- a report being written ---- */

struct report {
	const struct an_ctx *cx;
	const struct scope *scope;
	const struct document *doc;
	FILE *f; /* the document at hand, in memory */
	struct sbuf *page; /* of HTML, NULL none; see html.h */
	struct table_cache *cache;
	struct groups told; /* notes of this document so far: none is told twice */
};

/*
 * The table of a view in a scope, computed once per report; owned by the report. NULL without
 * error: no such view. NULL with *e set: it failed.
 */
const struct table *report_table(struct report *r, const char *view, const struct scope *sc,
				 struct err *e);
void table_cache_free(struct table_cache *c);
/*
 * The numbers of the devices in the window of s, each once, in *n: the first DOC_DEVICES_MAX. The
 * caller frees. NULL with *e set.
 */
int64_t *report_devices(struct report *r, const struct section *s, uint32_t *n, struct err *e);
/* The scope of a section for a device (SCOPE_ANY: none). */
void section_scope(const struct report *r, const struct section *s, int64_t device,
		   struct scope *out);
/*
 * Writes the sections, heading and all. Sections per device that follow each other are written
 * device by device.
 */
bool sections_write(struct report *r, const struct section *s, struct err *e);

/* For sections with a writer of their own. */
bool report_put_table(struct report *r, const struct table *t,
		      struct err *e); /* its notes are told below it, once per document */
void report_put_notes(struct report *r, const struct table *t);
void report_put_md(struct report *r, const char *s, size_t n); /* a sentence with names, escaped */
/* "3 more rows are not shown." */
void report_put_more(struct report *r, uint32_t n);
/* The files of a table, each once, at most DOC_SOURCES_MAX: `put` is called for each; returns how many are not named. */
uint32_t report_each_source(const struct table *t, void (*put)(void *arg, const char *path), void *arg);
/* "Source: …. Window: …." */
void report_put_caption(struct report *r, const struct table *t);

#endif
