/*
 * job.h - what a long piece of work shares with whoever waits for it: progress and a cancel flag.
 * All members are atomic or written before the job starts; any thread may read them.
 */
#ifndef BASE_JOB_H
#define BASE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct job {
	atomic_bool cancel;		/* set by anyone; the work looks once per batch and ends with ERR_CANCELLED */
	_Atomic uint64_t done, total;	/* bytes or rows of the present stage; total 0 = unknown */
	_Atomic uint64_t events;	/* events so far, over all inputs */
	_Atomic(const char *) stage;	/* a static string: "reading", "sorting", … */
	unsigned workers;		/* threads for this piece of work, set before it starts; 0 = one per processor */
};

static inline bool job_cancelled(const struct job *j)
{
	return j && atomic_load_explicit(&j->cancel, memory_order_relaxed);
}

static inline void job_add(struct job *j, uint64_t done, uint64_t events)
{
	if (!j)
		return;
	atomic_fetch_add_explicit(&j->done, done, memory_order_relaxed);
	atomic_fetch_add_explicit(&j->events, events, memory_order_relaxed);
}

static inline void job_stage(struct job *j, const char *stage)
{
	if (j)
		atomic_store(&j->stage, stage);
}

#endif
