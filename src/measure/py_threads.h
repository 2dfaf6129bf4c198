/*
 * py_threads.h - the threads of a sampler's call tree: what number they have, and what they are for (definitions.md §4). py-spy names only
 * threads that Python started: those of autograd show by what they run, DataLoader workers and the thread that pins memory by their loops.
 */
#ifndef MEASURE_PY_THREADS_H
#define MEASURE_PY_THREADS_H

#include "measure/pytree.h"

/*
 * The name of a thread as its label has it, without number and state ("thread (12): MainThread [idle]" → MainThread): points into f,
 * *n = 0 where there is none.
 */
const char *py_thread_name(const struct py_frame *f, size_t *n);
/* State in a label of a dump: "idle", "active", "active+gil"; points into f, *n = 0 where there is none. */
const char *py_thread_state(const struct py_frame *f, size_t *n);

/* Which threads of a sampler issue the work of a process. */
struct py_issuers {
	bool process, main;	/* the sampler knows the process; it knows main threads (of it) */
	int64_t pid;
};
/* pid < 0 unknown: then, and where the sampler has no such process, the threads of all its processes. */
struct py_issuers py_issuers_of(const struct pytree *st, int64_t pid);
/* Main threads and autograd's; where no main thread is known all but those that are known to do something else. */
bool py_issues(const struct py_issuers *w, const struct pytree *st, const struct py_node *nd);

/* Fills st->threads and the owner of every node. Of a trace, whose threads have roles of their own (facts.h), it does nothing. */
void pytree_roles(struct pytree *st, const struct selection *k);
/* Leaves only the threads that the scope chooses, by number, process or role; totals of processes are then those of what is left. */
void pytree_narrow(struct pytree *st, const struct scope *sc);

#endif
