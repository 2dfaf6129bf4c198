/*
 * common.h - what the views of memory share: the walk over histories, where a moment lies in the run, owners of stacks.
 */
#ifndef VIEWS_MEMORY_COMMON_H
#define VIEWS_MEMORY_COMMON_H

#include "scope/analysis.h"
#include "scope/columns.h"
#include "views/memory/replay.h"

struct history {
	const struct an_ctx *cx;
	const struct scope *sc;
	const struct source *src;
	uint32_t source;		/* index in the session */
	struct replay r;
	uint32_t from, to;		/* entries of the series in the window */
};

/*
 * Calls fn for each history (device of a source) that the scope lets pass, in the order of the files. Without any, the table says so.
 * False: cancelled, *e set.
 */
typedef void (*history_fn)(const struct history *h, struct table *t, void *arg);
bool histories_walk(const struct an_ctx *cx, const struct scope *sc, struct table *t, history_fn fn, void *arg, struct err *e);
/* The same of sources alone, for views of the state at the end. */
typedef void (*memory_source_fn)(const struct profile *p, uint32_t source, struct table *t, void *arg);
bool memory_sources_walk(const struct an_ctx *cx, const struct scope *sc, struct table *t, memory_source_fn fn, void *arg, struct err *e);

/* A new row with the columns of its source. */
uint32_t memory_row(struct table *t, const struct an_ctx *cx, uint32_t source);
/* Session time of an entry (ID_NONE: none), NS_UNKNOWN. */
ns_t history_time(const struct history *h, uint32_t entry);

/* Where a moment lies in the run: by a trace of the same clock, else by the program's own ranges in the snapshot. */
struct moment {
	int64_t step;		/* I64_UNKNOWN */
	enum phase phase;	/* PHASE_N unknown */
};
struct moment history_moment(const struct history *h, uint32_t entry);

/*
 * Who caused something: the innermost frame of a stack that is neither the allocator's, a library's nor the interpreter's; the innermost
 * Python frame where all are. ID_NONE: the stack has no frame.
 */
uint32_t owner_frame(const struct profile *p, uint32_t stack);
/* "file.py:12 function" into a cell. */
void owner_cell(struct table *t, uint32_t row, uint32_t col, const struct profile *p, uint32_t frame);

#endif
