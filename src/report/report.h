/*
 * report.h - `profdive report`: six Markdown documents about a session. A report computes nothing:
 * every figure is a cell of a table of some analysis, the same that panes and `print` show, printed
 * by the one Markdown writer (out.h).
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/err.h"
#include "scope/analysis.h"
#include "scope/scope.h"

/* What is written besides the documents; NULL: nothing. */
struct report_opts {
	bool html; /* one page with all of them and charts, see html.h */
};

/*
 * Writes the documents into dir (made if need be, with its parents): all of them are new
 * afterwards, or none (base/outfile.h says which folders are refused). The scope's window, source,
 * rank, device and thread hold for all of them; its `by` and partition do not. progress (may be
 * NULL) is called before each document with its file name and at the end with done == total. *files
 * (may be NULL): the paths of what was written and NULL, the six documents first; the caller frees
 * each and the array.
 *
 * false with *e set: ERR_IO, ERR_USAGE (no such step, a folder that is refused), ERR_CANCELLED
 * through cx->job.
 */
bool report_write(const struct an_ctx *cx, const struct scope *sc, const char *dir,
		  const struct report_opts *opts,
		  void (*progress)(void *arg, const char *file, int done, int total), void *arg,
		  char ***files, struct err *e);

#endif
