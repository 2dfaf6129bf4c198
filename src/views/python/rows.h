/*
 * rows.h - what the views share that put Python functions beside times of a trace (pyhost, pyidle): times by step and phase, and their rows.
 * The rows of a phase, and of a step where --by splits, sum exactly to its time.
 */
#ifndef VIEWS_PYTHON_ROWS_H
#define VIEWS_PYTHON_ROWS_H

#include "measure/py_shares.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { PY_BY, PY_PART, PY_PHASE, PY_FRAMEWORK, PY_FUNCTION, PY_FILE, PY_LINE, PY_OPERATION, PY_TIME, PY_SHARE, PY_UNSURE, PY_BASIS, PY_SAMPLER };

#define PY_COLS(part_id, part_title, part_unit, part_doc, share_doc)							\
	[PY_BY] = SPLIT_COL("; here by step, micro-batch or phase"),							\
	[PY_PART] = { part_id, part_title, part_unit, COL_KEY, 1, part_doc },						\
	[PY_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, COL_KEY, 1, N_("phase of the step") },				\
	[PY_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 3, N_("whose code it is, by letter (? shows them)") },	\
	[PY_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_KEY | COL_NAME, 0,					\
		N_("Python function; none: no frame or no sample tells") },						\
	[PY_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 4, N_("source file, as recorded") },				\
	[PY_LINE] = { "line", N_("Line"), UNIT_ID, 0, 4, N_("first line of the function") },				\
	[PY_OPERATION] = { "operation", N_("Operation"), UNIT_TEXT, 0, 2, N_("what the innermost known frame does") },	\
	[PY_TIME] = { "time_ns", N_("Time"), UNIT_NS, 0, 0, N_("of the trace; the rows of a phase sum to it") },	\
	[PY_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, share_doc },					\
	[PY_UNSURE] = { "unsure_ns", N_("Unsure"), UNIT_NS, 0, 3,							\
		N_("of samples on one clock: the part that lies in samples which reach beyond the idle time, the step or the phase; none: not told by samples") }, \
	[PY_BASIS] = { "basis", N_("Basis"), UNIT_TEXT, 0, 2, N_("one clock: measured; sampled estimate: by the shares of the samples in the phase") }, \
	[PY_SAMPLER] = { "sampler", N_("Sampler"), UNIT_TEXT, 0, 8, N_("file whose samples or frames these are") },	\
	SOURCE_COLS

/* A time by phase that is to be told by function; one for each value of the split. */
struct py_pool {
	int64_t split;		/* SPLIT_NONE */
	ns_t ns[PHASE_N];
	ns_t whole;		/* of all phases, whatever of them is told */
};
struct py_pools {
	const struct selection *k;
	const char *part;	/* text of the part, or NULL: */
	int64_t device;
	int64_t pid;		/* for the rows, -1 unknown */
	VEC(struct py_pool) a;
	struct groups g;
	ns_t whole;
};
/* A piece of time that lies in one step and one phase. */
struct py_piece {
	uint32_t pool;		/* index */
	enum phase phase;
	ns_t start, end;
};
/* The first piece of [start, end); its pool is made where it is new. Steps and phases are those of process proc of f; ID_NONE: none. */
struct py_piece py_cut(struct py_pools *p, const struct facts *f, uint32_t proc, ns_t start, ns_t end);
/* Adds [start, end), or ns at an instant, to the pools. */
void py_pools_add(struct py_pools *p, const struct facts *f, uint32_t proc, ns_t start, ns_t end);
void py_pools_add_at(struct py_pools *p, const struct facts *f, uint32_t proc, ns_t at, ns_t ns);
void py_pools_fini(struct py_pools *p);
/* Indexes of the pools in rising order of the split, unknown last; the caller frees. */
uint32_t *py_pools_order(const struct py_pools *p);

/* A row of a pool; basis NULL: none. Returns it. */
uint32_t py_put_row(struct table *t, const struct py_pools *p, const struct py_pool *x, enum phase phase, ns_t ns, const char *basis);
/* What a node of a call tree is. */
void py_put_node(struct table *t, uint32_t row, const struct pytree *st, uint32_t node, const char *sampler);
/* The rows of all pools by the shares of the sampler, the largest phase first; one row without a function for a phase that it has nothing of. */
void py_put_estimates(struct table *t, const struct py_pools *p, const struct pyjoin *j);

#endif
