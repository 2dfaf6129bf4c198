/* work_impl.h - what the workers and the report's thread share; private to work*.c */
#ifndef UI_WORK_WORK_IMPL_H
#define UI_WORK_WORK_IMPL_H

#include <pthread.h>

#include "base/vec.h"
#include "ui/work/work.h"

enum { WORKERS = 2 };		/* a view that takes long keeps no other one waiting */

/* A session and its facts. Freed in a worker only: it takes a while. */
struct snap {
	struct session *session;
	struct an_ctx *cx;
	bool cx_asked, cx_failed;	/* a worker makes the context, or has */
	bool lanes_asked, laned;
	unsigned users;		/* under the lock */
	struct snap *next_garbage;
};

enum req_state { REQ_WAITING, REQ_RUNNING, REQ_DONE };
struct req {
	struct req *next;
	enum req_state state;
	struct job job;
	uint64_t frame;			/* last frame that asked for it */
	struct result *result;		/* what is computed, or whose prep is made */
	bool forgotten;			/* begun before work_forget(): its answer is not for anybody */
	bool looked;			/* already looked up in the stored tables, without success */
	const void *owner;		/* prep requests */
	struct prep *prep;		/* in: order; out: the answer */
	bool done_prep;
};

struct report_job {
	pthread_t thread;
	bool started;
	struct ui_report rep;
	struct scope scope;
	struct snap *snap;
	struct job job;
	_Atomic int state;
	char text[512];
	struct err err;
};

struct work {
	struct work_ops ops;
	struct ui_tables tables;
	const struct rulebook *rules;
	const struct diff_side *before;
	pthread_t threads[WORKERS];
	unsigned n_threads;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool quit;
	int fd[2];
	atomic_bool news;		/* something finished since the last work_collect */
	struct snap *snap;		/* the newest */
	struct snap *made;		/* the newest with a context: the next one shares its facts */
	struct snap *garbage;
	pthread_mutex_t tables_lock;	/* tables of earlier sessions are asked by one at a time */
	struct req *reqs;		/* in the order of asking */
	struct job ctx_job;
	/* UI thread only */
	VEC(struct result *) cache;
	uint64_t frame, serial;
	struct report_job report;
};

/*
 * A thread with w as its argument; the signals that others send are the UI thread's. false:
 * there is none to be had.
 */
bool work_thread(struct work *w, pthread_t *t, void *(*fn)(void *arg));
/* Wakes whoever polls work_fd(). */
void work_notify(struct work *w);
/*
 * One user less; the last one leaves it to a worker to free. Called with the lock held. NULL is
 * fine.
 */
void work_snap_unref(struct work *w, struct snap *s);

#endif
