/*
 * replay.h - the recorded run as a graph of what waits for what, and how long its steps would take with something changed.
 *
 * The graph of a source has, in the order of time, the points at which a host thread launches work or waits, and for each the work of
 * devices that it launched:
 *
 *	a host thread	works between these points as long as it did; the thread that issues (facts.h) and autograd's threads while they
 *			are busy are one sequence per process, every other thread is a sequence that begins its calls when the issuer is
 *			where it was when they were recorded
 *	device work	starts at the latest of: launch + latency, the end of the work before it on its stream, the ends on other streams
 *			that it waits for. Waits across streams are those recorded, else inferred from work that starts right at an end
 *	host waits	end at the latest of: call + own cost, end of the work waited for + cost of returning
 *	launches	on a full queue wait for the work that many launches before
 *
 * Latencies and costs are learned from the recorded run. What a rule does not explain of a recorded time is a residual, signed, and kept
 * with the cause that decided; so the replay without changes gives back every recorded time exactly. All times are ns of the source.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/change.h"
#include "scope/selection.h"

struct replay_graph;

/* One step of the recorded run; of a process without markers its whole time. */
struct replay_step {
	uint32_t proc;		/* index in facts */
	uint32_t step;		/* index in facts, ID_NONE: the whole capture */
	ns_t start, end;	/* its period as recorded */
};

/*
 * The graph of a source, made at the first call and kept with the facts; any thread may ask. It lives as long as the facts. Linear in
 * the events; about 60 bytes per call that launches or waits, 12 per work of a device.
 */
const struct replay_graph *replay_graph(const struct facts *f);

/* The steps, in the order of processes and time. */
const struct replay_step *replay_steps(const struct replay_graph *g, uint32_t *n);

/*
 * The lengths of all steps with n changes made, in their order, into out[]; without changes they are the recorded ones. k: the source,
 * for changes that name parts of the breakdown. found[i], may be NULL: how much change i met (names, ranges or calls); 0: it
 * changes nothing. False (*e ERR_CANCELLED) when the job of k is cancelled; ERR_USAGE for a change that cannot be made.
 */
bool replay_step_times(const struct replay_graph *g, const struct selection *k, const struct change *changes, size_t n, ns_t *out,
	uint64_t *found, struct err *e);

/* The lower median of the steps of a process that the window of k holds; times NULL: as recorded. NS_UNKNOWN: it holds none. */
ns_t replay_median(const struct replay_graph *g, const struct selection *k, uint32_t proc, const ns_t *times);

/* Whether what a replay says of a process may be believed. */
struct replay_trust {
	bool trusted;
	const char *why_not;	/* N_() marked; NULL: trusted */
	ns_t window_ns;		/* of its steps */
	ns_t residual_ns;	/* sum over device work and waits of the host inside */
	double explained;	/* 1 - residual / window, not below 0 */
	double linked;		/* share of device work whose launch is known; NaN: there is none */
	double inferred;	/* share of the waiting of device work for other streams that rests on inferred waits; NaN: none waits */
};
void replay_trust(const struct replay_graph *g, const struct selection *k, uint32_t proc, struct replay_trust *out);

/* ---- the chain of events that decides how long a step is ---- */

enum path_kind {
	PATH_HOST,		/* host work between calls; ev: ID_NONE */
	PATH_CALL,		/* a call's own time; ev: the call */
	PATH_LAUNCH,		/* from a launch to the start of its work, as long as that usually takes; ev: the work */
	PATH_WORK,		/* device work; ev */
	PATH_QUEUE,		/* from the end of a work to the start of the next one, likewise; ev: the next one */
	PATH_RETURN,		/* from the end of the work waited for to the return of the call, likewise; ev: the call */
	PATH_LOADER,		/* waits for a batch; ev: the range of the loader */
	PATH_RESIDUAL,		/* what is longer than usual of a launch, queue or return: not explained; ev as there */
	PATH_KIND_N
};
struct path_piece {
	ns_t start, end;	/* in the time of this run */
	enum path_kind kind;
	ev_id ev;
};
/* "host", "launch latency", "compute", "communication", "copy", "wait return", "data loading", "residual": words of machine output. */
const char *path_category(const struct facts *f, const struct path_piece *piece);
/*
 * The critical paths of a run with changes made (n == 0: as recorded). NULL as replay_step_times() returns false. About 40 bytes per node and
 * 24 per work while it lives.
 */
struct replay_paths;
struct replay_paths *replay_paths_new(const struct replay_graph *g, const struct selection *k, const struct change *changes, size_t n,
	struct err *e);
void replay_paths_free(struct replay_paths *ps);
/* Calls fn for each piece of the path of a step, from the last to the first: they cover the step's time in this run without a gap. */
void replay_path(const struct replay_paths *ps, uint32_t step, void (*fn)(void *arg, const struct path_piece *piece), void *arg);

#endif
