/*
 * par.h - the same function on several threads at once, for work that is cut into pieces which the threads take one after
 * another. There are no pools: threads live as long as one par_run().
 */
#ifndef BASE_PAR_H
#define BASE_PAR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define PAR_MAX 64

/* The number of threads that `asked` means: 0 = one for each processor; at least 1, at most PAR_MAX. */
unsigned par_workers(unsigned asked);
/*
 * Calls fn(arg) on the calling thread and on up to workers - 1 others, and returns when all have returned. Where the system
 * refuses threads there are fewer of them: fn must do all the work even alone. Signals go to the caller's thread only.
 */
void par_run(unsigned workers, void (*fn)(void *arg), void *arg);
/*
 * As pthread_create(); false if there is no thread to be had. The thread gets no signal that others
 * send. What the processor raises for something that the thread itself does (SIGBUS, SIGSEGV,
 * SIGFPE, SIGILL) is never blocked: the system would end the program without calling its handler.
 */
bool par_thread(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *arg), void *arg);
/*
 * The calling thread, and those that it makes from then on, give way to the program's other threads: somebody waits for the screen, not for
 * what is computed behind it. Only where a thread has a priority of its own (Linux); else nothing.
 */
void par_give_way(void);
/* fn(arg, i) for i = 0 … n - 1, each once, in no order, on up to `workers` threads. */
void par_each(unsigned workers, size_t n, void (*fn)(void *arg, size_t i), void *arg);

#endif
