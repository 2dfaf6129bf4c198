/*
 * out.h - a table on a stream, in the formats of `print --format`: for people (table, md) or for
 * programs (csv, json).
 *
 *	table	aligned columns, translated titles, figures with units (cell.h); columns for JSON
 *		only are left out. Columns of names (COL_NAME) come last, the last one is never cut,
 *		others at 48 columns; rows of trees are indented. A column without any value is left
 *		out; source, rank and process stand once below where all rows have the same. Notes follow.
 *	csv	RFC 4180: CRLF, a header of column ids, all columns, figures as in JSON, empty =
 *		unknown; a name with control characters (other than tab and line breaks), invalid
 *		UTF-8 or bidi characters has them as \x.. like on the screen.
 *	json	the object of cli.md; names verbatim (jout.h), unknown null, one row a line.
 *	md	a table of GitHub's Markdown, aligned in the source too; columns and figures as in
 *		`table`. Names that hold what Markdown would interpret stand in `code`; | is
 *		escaped. Notes follow as a list.
 */
#ifndef REPORT_OUT_H
#define REPORT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "table/table.h"

enum out_format {
	OUT_TABLE,
	OUT_CSV,
	OUT_JSON,
	OUT_MD
};

/*
 * Whether text cells of CSV that a spreadsheet would run as a formula (= + - @, tab, CR or LF at their
 * beginning) get an apostrophe before them. Off at first; holds for the whole process, to be set before
 * any output.
 */
void out_csv_set_safe(bool on);
/* The format of a name ("table", "csv", "json", "md"); false when there is no such. */
bool out_format_find(const char *name, enum out_format *fmt);
/*
 * Writes the rows of the view (v == NULL: all rows, in order). false with ERR_IO when the stream
 * fails.
 */
bool out_table(FILE *f, enum out_format fmt, const struct table *t, const struct table_view *v,
	       struct err *e);

/*
 * The same piece by piece, for more rows than should be in memory. Formats whose layout depends on the rows (out_needs_look()) are shown
 * all of them once, before the first is written, and by then out_end() has to come with the notes: the last table, of the same view.
 */
struct out;
struct out *out_begin(FILE *f, enum out_format fmt, const struct table *t);
bool out_needs_look(enum out_format fmt);
void out_look(struct out *o, const struct table *t, const struct table_view *v);
void out_rows(struct out *o, const struct table *t, const struct table_view *v);
/* What stands behind the rows. Frees; false with ERR_IO when the stream failed. */
bool out_end(struct out *o, const struct table *t, struct err *e);

/*
 * Appends a name so that Markdown shows it as it is, in prose or in a table cell: escaped as on the
 * screen, in `code` where needed.
 */
void out_md_name(struct sbuf *b, const char *s, size_t n);
/*
 * Appends a sentence that may hold names, so that Markdown shows it as it is: what it would interpret
 * stands behind a backslash.
 */
void out_md_text(struct sbuf *b, const char *s, size_t n);

#endif
