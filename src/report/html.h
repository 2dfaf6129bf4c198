/*
 * html.h - `profdive report --html`: the six documents as one page that needs nothing else, with
 * charts. The documents are rendered from the Markdown that is written too (md4c), so both show the
 * same figures; the charts are SVG in the page (svg.h). The page forbids scripts and everything from
 * elsewhere by its own policy.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/sbuf.h"
#include "report/section.h"

#define HTML_FILE "profdive-report.html"

/* The page up to the charts, and the charts; false with *e set when a table cannot be made. */
bool html_begin(struct sbuf *b, struct report *r, struct err *e);
/* One document: its title, and what stands below it in Markdown. */
void html_document(struct sbuf *b, const struct document *d, const char *md, size_t n);
void html_end(struct sbuf *b);

#endif
