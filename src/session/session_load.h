/*
 * session_load.h - loads the files of a session on threads of its own, while somebody looks at what is there already.
 *
 * `jobs` threads share the files, in the order of the paths; where there are fewer files, several read one. The session belongs to the caller:
 * threads hand profiles over under a lock, and session_loader_poll() puts them into it. All functions are called by one
 * thread, except session_loader_cancel().
 */
#ifndef SESSION_SESSION_LOAD_H
#define SESSION_SESSION_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/session.h"

struct session_loader;
struct reopen;
struct load_part;

struct session_load_opts {
	unsigned jobs;		/* threads in all; 0 = one for each processor, at most 8 */
	bool snapshots;		/* hand over partial profiles: 100 ms after a file was begun, then whenever its events have doubled */
	struct reopen *reopen;	/* the reopen cache, which must outlive the loader; NULL = none */
	const struct load_part *part;	/* of each file, copied; NULL = all of it. Then without a cache */
};

/* What is being done at this moment. */
struct load_progress {
	bool loading;			/* some file is waiting or being read */
	const char *path;		/* the first of those being read, NULL none; lives as long as the loader */
	const char *stage;		/* static, N_() marked, NULL none */
	uint64_t done, total;		/* bytes or rows of that file's stage; total 0 = unknown */
	uint64_t events;		/* so far, over all files */
};

/* Adds the paths to the session (states WAITING) and begins. The paths are copied. */
struct session_loader *session_loader_start(struct session *s, const char *const *paths, size_t n,
	const struct session_load_opts *o);
/* Puts what is new into the session; true if anything is. Never blocks for long. */
bool session_loader_poll(struct session_loader *l, struct session *s);
/* Readable when poll() has something to do; poll() drains it. -1 if there is none. */
int session_loader_fd(const struct session_loader *l);
void session_loader_progress(struct session_loader *l, struct load_progress *p);
/* Files that are not complete fail with ERR_CANCELLED. Any thread, any number of times. */
void session_loader_cancel(struct session_loader *l);
/*
 * Waits until every file is done, polling into s; cancels as soon as *stop becomes true (stop may be NULL).
 * false with ERR_CANCELLED if it was cancelled.
 */
bool session_loader_wait(struct session_loader *l, struct session *s, const atomic_bool *stop, struct err *e);
/* Cancels, waits for the threads, frees. NULL is fine. */
void session_loader_free(struct session_loader *l);

#endif
