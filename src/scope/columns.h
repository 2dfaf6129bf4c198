/*
 * columns.h - what every analysis ends its rows with: the source, and rank and process where known (cli.md).
 */
#ifndef SCOPE_COLUMNS_H
#define SCOPE_COLUMNS_H

#include "base/i18n.h"
#include "scope/selection.h"

/* clang-format off */
#define SOURCE_COLS \
	{ "source", N_("Source"), UNIT_TEXT, 0, 9, N_("file that the figures come from") }, \
	{ "rank", N_("Rank"), UNIT_ID, 0, 8, N_("rank of the process in the run") }, \
	{ "process", N_("Process"), UNIT_ID, 0, 8, N_("process id") }
/* clang-format on */
#define N_SOURCE_COLS 3

#define N_COLS(cols) (sizeof(cols) / sizeof(*(cols)))

/* Fills the last three columns of a row. pid < 0: the source's only process if it has just one, else unknown. */
static inline void an_row_source(struct table *t, uint32_t row, const struct selection *k, int64_t pid)
{
	uint32_t col = t->n_cols - N_SOURCE_COLS;

	table_cstr(t, row, col, k->src->path);
	if (k->p->rank >= 0)
		table_i64(t, row, col + 1, k->p->rank);
	if (pid < 0 && k->f->n_procs == 1)
		pid = k->f->procs[0].pid;
	if (pid >= 0)
		table_i64(t, row, col + 2, pid);
}

/* Writes an interned string of the selection's profile, whole and verbatim; ID_NONE stays missing. */
static inline void an_str(struct table *t, uint32_t row, uint32_t col, const struct selection *k, str_id id)
{
	size_t n;
	const char *s = profile_str(k->p, id, &n);

	if (id != ID_NONE)
		table_str(t, row, col, s, n);
}

static inline void an_ref(struct table *t, uint32_t row, enum ref_kind kind, uint32_t source, int64_t a, int64_t b, uint16_t name_col)
{
	t->refs[row] = (struct row_ref){ .kind = (uint8_t)kind, .source = source, .a = a, .b = b, .name_col = name_col };
}

/* True (with *e set) when the job was cancelled. */
static inline bool an_cancelled(const struct an_ctx *cx, struct err *e)
{
	return job_cancelled(cx->job) && !err_set(e, ERR_CANCELLED, "cancelled");
}

#endif
