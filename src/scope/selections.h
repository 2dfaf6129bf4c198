/*
 * selections.h - what the views share that go over several sources: the picks of all sources that a view uses, walks over GPU events,
 * and the splitting of rows (--by).
 */
#ifndef SCOPE_SELECTIONS_H
#define SCOPE_SELECTIONS_H

#include "scope/selection.h"

struct selections {
	struct selection *a;
	uint32_t n;
};

/*
 * Opens a selection for every source that the view uses and describes it in the table (window, source paths, notes). A source without
 * the wanted steps is left out; false (ERR_USAGE) only when every one is. No source at all: n = 0 and the note `none`.
 * selections_close() must follow in either case.
 */
bool selections_open(struct selections *ps, const struct an_ctx *cx, const struct scope *sc, enum source_need kind, struct table *t,
	const char *none, struct err *e);
void selections_close(struct selections *ps);

/*
 * The part of a host track that can have events in the window: [*first, *end). Others may be among them. O(log n + depth), window all:
 * the whole track.
 */
void selection_host_range(const struct selection *k, const struct track *tr, ev_id *first, ev_id *end);

/* Calls fn for each event of a GPU layer that the selection holds (selects_gpu), track by track, in their order. False when
 * cancelled, *e set. Costs what the window's calls launched where that is little. */
typedef void (*selections_gpu_fn)(void *arg, const struct selection *k, const struct track *tr, ev_id e);
bool selections_gpu(const struct selection *k, enum layer l, selections_gpu_fn fn, void *arg, struct err *e);
/* The same for kernels, then copies, then memory sets. */
bool picks_work(const struct selection *k, selections_gpu_fn fn, void *arg, struct err *e);

/* ---- splitting rows ---- */

#define SPLIT_NONE INT64_MIN	/* not split, or unknown for this event */
/* clang-format off */
#define SPLIT_COL(doc_more) \
	{ "by", N_("By"), UNIT_ID, 0, 1, \
		N_("what --by splits the rows by: number of the step, micro-batch, device, " \
		   "process, thread or rank, or name of the phase" doc_more) }
/* clang-format on */

/* The value of scope.by for a GPU event: that of its launch; process and device are those of its track. */
int64_t split_gpu(const struct selection *k, const struct track *tr, ev_id e);
/* The value of scope.by for something that thread t does at `at`. */
int64_t split_host(const struct selection *k, thread_id t, ns_t at);
/* Number of the step, or of the micro-batch, of a process at an instant; SPLIT_NONE. */
int64_t step_at(const struct facts *f, uint32_t proc, ns_t at);
int64_t microbatch_at(const struct facts *f, uint32_t proc, ns_t at);
/* The value of a split by step, phase or micro-batch for a process at an instant, SPLIT_NONE; and when the next one begins, INT64_MAX never. */
int64_t split_proc(const struct facts *f, uint32_t proc, enum by_dim by, ns_t at);
ns_t split_edge(const struct facts *f, uint32_t proc, enum by_dim by, ns_t at);
/* Order of two values of a split: ascending, unknown last. */
static inline int split_cmp(int64_t a, int64_t b)
{
	if ((a == SPLIT_NONE) != (b == SPLIT_NONE))
		return a == SPLIT_NONE ? 1 : -1;
	return (a > b) - (a < b);
}
void split_set(struct table *t, uint32_t row, uint32_t col, const struct selection *k, int64_t key);
/* Steps of the source whose period touches the window: the most that one process has; 0 without steps. */
uint32_t selection_n_steps(const struct selection *k);

/* ---- the process and the source of a row that many events add to ---- */

#define OWNER_NEW INT64_MIN
#define OWNER_MIXED INT64_MAX
/* Adds one more value to what a row knows (start with OWNER_NEW): the same, or mixed. -1 (unknown) mixes with all but itself. */
static inline void owner_add(int64_t *owner, int64_t value)
{
	if (*owner == OWNER_NEW)
		*owner = value;
	else if (*owner != value)
		*owner = OWNER_MIXED;
}
/* Writes an owner that is known and one: no cell for OWNER_MIXED and below 0. */
static inline void owner_put(struct table *t, uint32_t row, uint32_t col, int64_t owner)
{
	if (owner >= 0 && owner != OWNER_MIXED)
		table_i64(t, row, col, owner);
}
/* Process of a GPU event: that of its track, else that of the launching thread; -1 unknown. */
int64_t gpu_pid(const struct selection *k, const struct track *tr, ev_id e);
/*
 * The last columns of a row: source (index in ps, or OWNER_MIXED: rows merged over sources have none) and process (OWNER_MIXED or -1:
 * unknown).
 */
void selections_row_owner(struct table *t, uint32_t row, const struct selections *ps, int64_t source, int64_t pid);

#endif
