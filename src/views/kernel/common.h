/*
 * common.h - what the views of profiled launches share: the walk over them, cells, units of metrics.
 *
 * A launch is told by its source and its `id`, its number in the file from 0 on, as Nsight Compute counts. Every launch of a report is
 * shown: a report has no time axis that a window could narrow.
 */
#ifndef VIEWS_KERNEL_COMMON_H
#define VIEWS_KERNEL_COMMON_H

#include "scope/analysis.h"
#include "scope/columns.h"

struct launch {
	const struct profile *p;
	const struct profiled_launch *l;
	const char *path;
	uint32_t source;	/* index in the session */
	int64_t id;
};

#define LAUNCH_ID_COL { "id", N_("ID"), UNIT_ID, COL_KEY, 0, N_("number of the profiled launch in its report, from 0 on") }

/*
 * Calls fn for each profiled launch that the scope lets pass (source, process, kernel), in the order of the files. Without any, the table
 * says so. False: cancelled, *e set.
 */
typedef void (*launch_fn)(const struct launch *x, struct table *t, void *arg);
bool launches_walk(const struct an_ctx *cx, const struct scope *sc, struct table *t, launch_fn fn, void *arg, struct err *e);

/* A new row of this launch with its id (column 0) and the columns of its source. */
uint32_t launch_row(struct table *t, const struct launch *x);
void launch_str(struct table *t, uint32_t row, uint32_t col, const struct launch *x, str_id id);
/* A value as it is: text, a whole number, or a number. What is missing, NaN or infinite stays missing. */
void value_cell(struct table *t, uint32_t row, uint32_t col, const struct profile *p, uint32_t kind, uint64_t bits);
/* A number of a metric; NaN and infinite ones stay missing. whole_cell(): rounded. */
void number_cell(struct table *t, uint32_t row, uint32_t col, double v);
void whole_cell(struct table *t, uint32_t row, uint32_t col, double v);

/* The name of a metric, borrowed. */
static inline const char *metric_name(const struct profile *p, const struct kernel_metric *m, size_t *n)
{
	return profile_str(p, m->name, n);
}
/* Whether the metric stands for others ("regex:…", "group:…", "breakdown:…"): its value is their names. */
bool metric_is_list(const char *name, size_t n);
/* The unit of a metric's values, told by its name; "" if it has none. Static. */
const char *unit_of_metric(const char *name, size_t n);

#endif
