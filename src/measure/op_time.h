/*
 * op_time.h - the self time of ops and what it went into (definitions.md §7), for views that group ops by name or by call path.
 *
 * Everything is a sum over instants or over starts, so what a window holds is the sum of what its parts hold. op_pass_window() is the one
 * place where it is made; op_index.h keeps such sums for the parts of a source.
 */
#ifndef MEASURE_OP_TIME_H
#define MEASURE_OP_TIME_H

#include "calc/owners.h"
#include "scope/selection.h"

/* All in ns but count. self = sync + launch + memcpy + other + host, exactly. */
struct op_split {
	int64_t count;		/* starts in the window */
	ns_t total;		/* duration, clipped to the window */
	ns_t self;
	ns_t rt[RT_N];		/* instants of self that runtime calls of a class own on the same thread */
	ns_t copy_wait;		/* part of rt[RT_MEMCPY] in which blocking copies wait for their copy to start */
	ns_t exposed;		/* part of self during which no device of the process works */
	ns_t device;		/* kernels launched in the op itself, not below it; by launch */
};
/* Whether something of the op is in the window; an op of length 0 is where its start is. */
static inline bool op_split_any(const struct op_split *s)
{
	return s->total || s->count;
}

/* One entry per op of the source (f->ops.n); the caller frees. Ops of threads out of scope are all zero. */
struct op_split *op_splits(const struct selection *k);
/*
 * Writes sync, launch, memcpy, other and host (the rest of self) into five neighbouring columns from `col` on, in this order.
 * rt: ns per class.
 */
void op_split_put(struct table *t, uint32_t row, uint32_t col, ns_t self, const ns_t rt[RT_N]);
/* Whether the source can tell: runtime calls recorded; device work recorded. Else those figures are unknown. */
static inline bool split_known(const struct selection *k)
{
	return k->p->caps & CAP_RUNTIME;
}

/* ---- the pass over a window, for op_time.c and op_index.c ---- */

/* What passes over a source share; read-only while they run, so several threads may use one. */
struct op_plan {
	const struct facts *f;
	track_id *calls_of;	/* per thread: its first track of runtime calls, ID_NONE */
	struct proc_busies busy;	/* made for all processes that have ops */
};
/* A pass of one thread. Sums go to acc[slot_of(op)]: the op itself, or what slot_of_name says of its name and process. */
struct op_pass {
	const struct op_plan *plan;
	struct op_split *acc;
	const uint32_t *slot_of_name;	/* NULL: a slot per op. Per string, and one more for ops without a name */
	const uint32_t *base_of_proc;	/* per process: the first of its slots; NULL: a slot per op */
	uint32_t slot_base;
	uint64_t work;			/* events looked at */
	struct owner_list own, calls;		/* scratch */
};
void op_plan_init(struct op_plan *pl, const struct facts *f);
void op_plan_fini(struct op_plan *pl);
/* Adds all but `device` of the ops of one track for [from, to), source time. */
void op_pass_window(struct op_pass *w, const struct op_track *tr, ns_t from, ns_t to);
void op_pass_fini(struct op_pass *w);
/* The slot of an op of the process that slot_base is for. */
static inline uint32_t op_pass_slot(const struct op_pass *w, uint32_t op)
{
	const struct facts *f = w->plan->f;
	str_id name;

	if (!w->slot_of_name)
		return op;
	name = f->ops.name[op];
	return w->slot_base + w->slot_of_name[name < f->p->n_strs ? name : f->p->n_strs];
}
/* Calls fn for each kernel whose launch lies in [from, to), launching thread by launching thread. */
typedef void (*op_launch_fn)(void *arg, const struct track *tr, ev_id kernel, ev_id call);
void op_launches(const struct facts *f, ns_t from, ns_t to, op_launch_fn fn, void *arg);

#endif
