/*
 * py_dump.h - the dump of a job that hangs, in words: who waits where. Most processes of such a job wait at one place; who stands elsewhere
 * is what they may wait for.
 */
#ifndef MEASURE_PY_DUMP_H
#define MEASURE_PY_DUMP_H

#include "measure/pytree.h"

/* What a thread does at the frame on top of its stack. */
enum py_state { STATE_COLLECTIVE, STATE_DEVICE, STATE_DATA, STATE_QUEUE, STATE_LOCK, STATE_ENGINE, STATE_IDLE, STATE_GIL, STATE_RUNS, STATE_N };
const char *py_state_word(enum py_state s);	/* "collective", "device", … */
/* By the rules for the node, else by the state that a dump gives the thread. Of counts and times without states: STATE_RUNS. */
enum py_state py_state_of(const struct pytree *st, const struct py_node *nd);
/* Whether the node's own time is waiting: not STATE_GIL, not STATE_RUNS, and no collective that is only issued. */
bool py_waits(const struct pytree *st, const struct py_node *nd);

struct py_place {			/* one function, with the same state */
	uint32_t node;			/* the first thread's */
	uint32_t threads;
	enum py_state state;
	char pids[64];			/* of the first processes, "12, 13, 14" */
};
struct pydump {
	VEC(struct py_place) places;	/* most threads first */
	uint32_t threads;		/* main threads that do the same work; all threads where no name tells the main ones */
	uint32_t aside;			/* other main threads: launchers, and processes of other programs */
	bool mains;
	bool alike;			/* all do the same work, as far as their stacks tell */
	uint32_t by_state[STATE_N];
};
/* Of a dump's tree. pydump_fini() must follow. */
void pydump_read(struct pydump *d, const struct pytree *st);
void pydump_fini(struct pydump *d);
/* The sentences, for `line` to take: places, who holds the GIL, and where to look first. */
void pydump_say(const struct pydump *d, const struct pytree *st, const struct profile *p, void (*line)(void *arg, const char *text), void *arg);

#endif
