/* guard.c - see guard.h. What the handler does is async-signal-safe: it looks at a table of atomics, maps, writes, exits. */
#include "base/guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RANGES 1024

enum range_state { RANGE_FREE, RANGE_TAKEN, RANGE_ON };

struct guard_range {
	atomic_int state;
	uintptr_t begin, end;
	atomic_bool cut;
	int status;
	const char *_Atomic last_words;		/* NULL: not vital */
};

static struct guard_range ranges[RANGES];
static void (*_Atomic otherwise)(int sig);
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uintptr_t page = 4096;

static struct guard_range *find(uintptr_t at)
{
	for (struct guard_range *r = ranges; r < ranges + RANGES; r++)
		if (atomic_load(&r->state) == RANGE_ON && at >= r->begin && at < r->end)
			return r;
	return NULL;
}

static _Noreturn void end_with(const struct guard_range *r, const char *words, void (*fn)(int sig))
{
	ssize_t n;

	if (fn)
		fn(0);
	n = write(STDERR_FILENO, words, strlen(words));
	(void)n;
	_exit(r->status);
}

static void on_bus(int sig, siginfo_t *si, void *context)
{
	uintptr_t at = (uintptr_t)si->si_addr & ~(page - 1);
	struct guard_range *r = find((uintptr_t)si->si_addr);
	void (*fn)(int) = atomic_load(&otherwise);

	(void)context;
	if (r && atomic_load(&r->last_words))
		end_with(r, atomic_load(&r->last_words), fn);
	/* the instruction is tried again when this returns */
	if (r && mmap((void *)at, r->end - at, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
		atomic_store(&r->cut, true);
		return;
	}
	if (fn)
		fn(sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void install(void)
{
	struct sigaction sa;
	long size = sysconf(_SC_PAGESIZE);

	if (size > 0)
		page = (uintptr_t)size;
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_bus;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
}

void guard_otherwise(void (*fn)(int sig))
{
	pthread_once(&once, install);
	atomic_store(&otherwise, fn);
}

static size_t whole_pages(size_t n)
{
	return (n + page - 1) & ~(size_t)(page - 1);
}

static struct guard_range *take(void)
{
	for (struct guard_range *r = ranges; r < ranges + RANGES; r++) {
		int was = RANGE_FREE;

		if (atomic_compare_exchange_strong(&r->state, &was, RANGE_TAKEN))
			return r;
	}
	return NULL;
}

#define LARGE ((size_t)2 << 20)	/* what the system can map as one where memory and file are aligned to it: on x86-64, on arm64 with small pages */

/* Maps `size` zero bytes, aligned to LARGE if size >= LARGE. NULL: no address space. */
static char *map_zeros(size_t size)
{
	size_t more = size < LARGE || size > SIZE_MAX - LARGE ? 0 : LARGE, skip;
	char *p = mmap(NULL, size + more, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (!more)
		return p;
	skip = (size_t)(-(uintptr_t)p & (LARGE - 1));
	if (skip)
		munmap(p, skip);
	if (skip < more)
		munmap(p + skip + size, more - skip);
	return p + skip;
}

const char *guard_map(int fd, size_t n, size_t pad)
{
	struct guard_range *r;
	size_t size;
	char *p;

	pthread_once(&once, install);
	size = whole_pages(n + pad);
	if (!n || size < n || !(r = take()))
		return NULL;
	/* zeros, and then the file over all of them but the last */
	p = map_zeros(size);
	if (!p || mmap(p, whole_pages(n), PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		if (p)
			munmap(p, size);
		atomic_store(&r->state, RANGE_FREE);
		return NULL;
	}
	r->begin = (uintptr_t)p;
	r->end = (uintptr_t)p + size;
	atomic_store(&r->last_words, NULL);
	atomic_store(&r->cut, false);
	atomic_store(&r->state, RANGE_ON);
	return p;
}

bool guard_was_cut(const char *p)
{
	const struct guard_range *r = find((uintptr_t)p);

	return r && atomic_load(&r->cut);
}

bool guard_vital(const char *p, const char *last_words, int status)
{
	struct guard_range *r = find((uintptr_t)p);

	if (!r)
		return false;
	r->status = status;
	atomic_store(&r->last_words, last_words);
	return !atomic_load(&r->cut);
}

void guard_unmap(const char *p, size_t n, size_t pad)
{
	struct guard_range *r = p ? find((uintptr_t)p) : NULL;

	if (!r)
		return;
	munmap((void *)(uintptr_t)p, whole_pages(n + pad));
	atomic_store(&r->state, RANGE_FREE);
}
