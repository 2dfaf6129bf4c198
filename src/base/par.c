/* par.c - a function on several threads, see par.h */
#include "base/par.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

/* The usual 8 MiB for each would count against a limit of memory (--max-mem). */
#define STACK_BYTES (1u << 20)

struct call {
	void (*fn)(void *arg);
	void *arg;
};

struct par_pieces {
	void (*fn)(void *arg, size_t i);
	void *arg;
	size_t n;
	atomic_size_t next;
};

unsigned par_workers(unsigned asked)
{
	long n = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > PAR_MAX ? PAR_MAX : (unsigned)n;
}

static void *thread(void *arg)
{
	struct call *c = arg;

	c->fn(c->arg);
	return NULL;
}

bool par_thread(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *arg), void *arg)
{
	static const int own[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	sigset_t set, old;
	bool ok;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&set, own[i]);
	pthread_sigmask(SIG_SETMASK, &set, &old);
	ok = pthread_create(t, attr, fn, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

void par_run(unsigned workers, void (*fn)(void *arg), void *arg)
{
	struct call c = { fn, arg };
	pthread_t threads[PAR_MAX];
	pthread_attr_t attr;
	unsigned n = 0;

	pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	while (n + 1 < workers && n < PAR_MAX && par_thread(&threads[n], &attr, thread, &c))
		n++;
	pthread_attr_destroy(&attr);
	fn(arg);
	while (n)
		pthread_join(threads[--n], NULL);
}

static void take_pieces(void *arg)
{
	struct par_pieces *p = arg;
	size_t i;

	while ((i = atomic_fetch_add(&p->next, 1)) < p->n)
		p->fn(p->arg, i);
}

void par_each(unsigned workers, size_t n, void (*fn)(void *arg, size_t i), void *arg)
{
	struct par_pieces p = { .fn = fn, .arg = arg, .n = n };

	par_run(workers < n ? workers : n ? (unsigned)n : 1, take_pieces, &p);
}

void par_give_way(void)
{
#ifdef __linux__
	/* to the kernel a thread is a process here */
	id_t self = (id_t)syscall(SYS_gettid);

	(void)setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + 10);
#endif
}
