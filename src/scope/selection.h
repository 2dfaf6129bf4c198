/*
 * selection.h - a scope applied to one source: which sources a view uses, the windows, and which events are in.
 */
#ifndef SCOPE_SELECTION_H
#define SCOPE_SELECTION_H

#include "facts/facts.h"
#include "scope/analysis.h"

/* Which kind of source a view wants; the best of each run (clock group) is taken (definitions.md §10), scope.source overrides. */
enum source_need {
	NEED_ANY,	/* every source that is ready */
	NEED_GPU,	/* nsys where it has GPU work, else torch */
	NEED_OPS,	/* torch where it has ops, else nsys (NVTX ranges named like operators) */
	NEED_RUNTIME,	/* as NEED_GPU, by runtime calls */
	NEED_SEQ,	/* torch where its ops say something in their args, else nsys as NEED_OPS */
	NEED_NVTX,
	NEED_OSRT,
	NEED_SCHED,
	NEED_UM,	/* unified memory: what of it migrated, or was touched where it was not */
	NEED_STACKS,	/* pyinstrument, else torch with python frames */
	NEED_JOINT,	/* both host and GPU on one clock: torch with ops and GPU work, else nsys */
	NEED_HOST	/* host partition: torch with ops, else nsys with runtime calls or NVTX */
};

/* Indexes of the sources that the view uses, in order; *n their number (0: none). The caller frees. Adds notes on what was left out. */
uint32_t *view_sources(const struct an_ctx *cx, const struct scope *sc, enum source_need kind, uint32_t *n, struct table *notes);

#define NO_GPU_WORK N_("no GPU work in these sources")	/* note of views of the GPU without a source */

struct selection {
	const struct an_ctx *cx;
	const struct scope *sc;
	const struct facts *f;
	const struct profile *p;
	const struct source *src;
	bool all;			/* window all: nothing is clipped */
	struct spans window;		/* source time; union over the processes; for CPU figures. all: first to last event */
	ns_t wall;			/* its measure */
	bool no_steps;			/* steady was asked for, but there are no steps: the whole source is the window */
	uint8_t *class_ok;		/* per kernel-class entry: in the scope's class / kernel name; NULL = no such filter */
	uint8_t *op_ok;			/* per op: it or an ancestor is the selected op; NULL = no such filter */
};

/* False with ERR_USAGE when the window names no step of this source (then the source has no rows; callers go on with the others). */
bool selection_init(struct selection *k, const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e);
void selection_fini(struct selection *k);

/*
 * The wall times of all processes of the scope with ops (LAYER_OP, NVTX ranges that stand for ops included) or events of another host layer,
 * added up: what shares are of where the rows of a source merge its processes. One wall where there is no such process.
 */
ns_t selection_walls(const struct selection *k, enum layer l);

/* The window of one process (its steps), or of one device (all: first start to last end of its GPU work). spans_fini() it. */
void selection_proc_window(const struct selection *k, uint32_t proc, struct spans *out);
void selection_device_window(const struct selection *k, const struct device_facts *d, struct spans *out);

/*
 * Unions of the busy intervals of the devices that each process uses (source time), made when asked for. Where a process has one device
 * or none of its own they are those of the facts, so that what is the same for thousands of processes is there once.
 */
struct proc_busies {
	const struct facts *f;
	const struct spans **of;
	struct spans *made;
};
void proc_busies_init(struct proc_busies *b, const struct facts *f);
/* Normalised; lives as long as b and the facts. Not safe for concurrent use. */
const struct spans *proc_busy(struct proc_busies *b, uint32_t proc);
void proc_busies_fini(struct proc_busies *b);
/* Whether it is that of the work of no known process, f->work_of_all: as for all processes without devices of their own. */
bool proc_busy_common(const struct facts *f, uint32_t proc);

/* Whole GPU events in tables: by launch, without one by start; and device, pid, phase, class, name, op, call filters. */
bool selects_gpu(const struct selection *k, enum layer l, const struct track *tr, ev_id e);
/* CPU events: false if the thread is out of scope (pid, tid). */
bool selects_thread(const struct selection *k, thread_id t);
/* Filters on a runtime call other than time: op, call name, and (with a kernel or class filter) whether it launched such a kernel. */
bool selects_call(const struct selection *k, ev_id call);
/* Filters on an op other than time: selected op (it or below it), class/kernel: it or something below launched such a kernel. */
bool selects_op(const struct selection *k, uint32_t op);
/* Nanoseconds of [start, end) inside the window; everything when window all. */
ns_t selection_clip(const struct selection *k, ns_t start, ns_t end);
/* Nanoseconds of it inside a normalised set, too. */
ns_t pick_overlap(const struct selection *k, const struct spans *s, ns_t start, ns_t end);
/*
 * The window as intervals within which nothing is clipped that counts: those of `window`, or one that holds every time there is for window
 * all. Borrowed from the selection. Starts and pieces of events in them are exactly those of selects_at() and selection_clip().
 */
const struct span *selection_windows(const struct selection *k, size_t *n);
/* Whether an instant (start of a CPU event) counts. */
bool selects_at(const struct selection *k, ns_t t);
/* Phase of a GPU event (that of its launch), PHASE_N = unattributed. */
enum phase selection_gpu_phase(const struct selection *k, ev_id e);

/* Sets window_kind, start/end/wall, source path of a table from a selection; call for each source used (the first decides the window). */
void selection_describe(const struct selection *k, struct table *t);
static inline ns_t selection_session_time(const struct selection *k, ns_t source_time)
{
	return source_time + k->src->shift_ns;
}

#endif
