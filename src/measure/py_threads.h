/*
 * py_threads.h - the threads of a sampler's call tree: what number they have, and what they are for (definitions.md §4). py-spy names only
 * threads that Python started: those of autograd show by what they run, DataLoader workers and the thread that pins memory by their loops.
 */
#ifndef ANALYZE_PYROLES_H
#define ANALYZE_PYROLES_H

#include "measure/pytree.h"

/*
 * The name of a thread as its label has it, without number and state ("thread (12): MainThread [idle]" → MainThread): points into f,
 * *n = 0 where there is none.
 */
const char *py_thread_name(const struct py_frame *f, size_t *n);
/* State in a label of a dump: "idle", "active", "active+gil"; points into f, *n = 0 where there is none. */
const char *py_thread_state(const struct py_frame *f, size_t *n);

/* Fills st->threads and the owner of every node. Of a trace, whose threads have roles of their own (facts.h), it does nothing. */
void pytree_roles(struct pytree *st, const struct pick *k);
/* Leaves only the threads that the scope chooses, by number, process or role; totals of processes are then those of what is left. */
void pytree_narrow(struct pytree *st, const struct scope *sc);

#endif
