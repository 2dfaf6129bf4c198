/* escape.h - text inside HTML and SVG */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include "base/sbuf.h"

/* Appends text as it is printed elsewhere (control bytes as \x..), with &, <, > and " escaped. */
void html_text(struct sbuf *b, const char *s, size_t n);

#endif
