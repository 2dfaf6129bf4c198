/*
 * compare.h - 07_comparison.md: the table of `profdive diff` for people who were not there. Like the
 * six documents of report.h it computes nothing: every figure is a cell of the table.
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "base/err.h"
#include "table/table.h"

#define COMPARE_FILE "07_comparison.md"

/*
 * Writes dir/COMPARE_FILE atomically; dir is made if need be. before, after: what the sides are called.
 * *path (may be NULL): where it is, the caller frees. false: ERR_IO.
 */
bool compare_write(const struct table *diff, const char *before, const char *after, const char *dir,
		   char **path, struct err *e);

#endif
