/* overview_impl.h - what the parts of the view `overview` share. Private to src/verdict. */
#ifndef VERDICT_OVERVIEW_IMPL_H
#define VERDICT_OVERVIEW_IMPL_H

#include "scope/columns.h"

enum {
	C_SECTION,
	C_TEXT,
	C_VALUE,
	C_SHARE,
	C_GOTO,
	C_TITLE,
	C_SOURCE
};

enum pane {
	PANE_NONE,
	PANE_OVERVIEW,
	PANE_TIMELINE,
	PANE_KERNELS,
	PANE_OPS,
	PANE_RUNTIME,
	PANE_PYTHON,
	PANE_TRANSFERS,
	PANE_BREAKDOWN,
	PANE_FINDINGS
};

struct say {
	const struct an_ctx *cx;
	const struct scope *sc;
	struct table *t;
	const char *run; /* which run the sentences are about, "" where there is only one */
	const char
		*rank; /* which rank of it the next sentence is about, "" where there is only one */
	bool windowed; /* the window of a run with GPU work stands in the table */
};

/*
 * Adds a sentence to a section. value_ns: I64_UNKNOWN none; share: below 0 none; pane: where the
 * reader goes on. Returns its row.
 */
uint32_t overview_say(const struct say *s, const char *section, int64_t value_ns, double share,
		      enum pane pane, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* A line per file, then damage and what is missing. */
void overview_files(const struct say *s);

#endif
