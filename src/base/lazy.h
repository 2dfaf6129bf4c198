/*
 * lazy.h - a value that is made when it is first asked for and freed with its owner, who need not know what it is.
 *
 * Any number of threads may ask; while one makes the value, the others that want it made wait.
 */
#ifndef BASE_LAZY_H
#define BASE_LAZY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct lazy {
	pthread_mutex_t lock;
	_Atomic(void *) made;
	bool tried; /* make() was called, whatever it returned */
	void (*drop)(void *made);
};

void lazy_init(struct lazy *l);
void lazy_fini(struct lazy *l); /* calls drop() if there is a value */
/* The value; make(of) is called once, drop() frees what it returned. NULL only if make() returned that. */
void *lazy_make(struct lazy *l, void *(*make)(const void *of), const void *of,
		void (*drop)(void *made));
/* The value if it is there already, else NULL. Never waits. */
void *lazy_peek(struct lazy *l);

#endif
