/*
 * graph.h - the insides of a replay graph. Private to src/replay.
 *
 * Nodes are the cuts of host time, in the order of their starts over all threads; so what a node depends on stands before it. Work of
 * devices is numbered as in profile->by_launch.
 */
#ifndef REPLAY_GRAPH_H
#define REPLAY_GRAPH_H

#include "base/vec.h"
#include "replay/replay.h"

enum cut_kind {
	NODE_MARK,		/* an instant whose time is wanted: index in marks is `target` */
	NODE_CALL,		/* a call that launches or waits */
	NODE_BATCH,		/* a range in which the thread waits for a loader's worker */
	NODE_FETCHED		/* the end of a range that got its batch at once */
};
enum wait_kind {
	WAIT_NONE,
	WAIT_WORK,		/* for one work of a device: target */
	WAIT_STREAM,		/* for all of a stream so far: target */
	WAIT_ALL,		/* for all work of the process so far */
	WAIT_EVENT,		/* for what was before an event: target is the node that recorded it */
	WAIT_GUESS		/* while the graph is made: not known yet which of them */
};
enum node_act { ACT_NONE, ACT_RECORD /* an event, on `stream` */, ACT_HOLD /* `stream` waits for the event of node `target` */ };

struct node {
	ns_t start, end;	/* as recorded */
	ev_id ev;		/* the call, or the range of the loader; ID_NONE: a mark */
	uint32_t seq;		/* its sequence */
	uint32_t first, n;	/* what it launched, in by_launch */
	uint32_t target;
	uint32_t stream;	/* of an act */
	uint16_t cost;		/* index of what calls of its name cost */
	uint8_t kind, wait, act;
	bool launches;		/* by its name: what `launch` changes */
};

/* What device work is, for its latency: copies by their direction. */
enum work_kind { WORK_KERNEL, WORK_GRAPH, WORK_MEMSET, WORK_COPY, WORK_KIND_N = WORK_COPY + 14 /* COPY_KIND_N */ };

struct gpu_stream {
	int64_t pid, device, context, stream;
	uint32_t dev;		/* index in devs */
};
struct gpu_dev {
	int64_t device;
	ns_t latency[WORK_KIND_N];	/* from the start of a call to the start of its work on an idle device */
	ns_t gap;			/* between two works of a stream */
	uint32_t depth;			/* launches that it holds */
	uint32_t proc;			/* that launches on it, the first one */
};
struct call_cost {
	str_id name;
	ns_t own;		/* of a call with nothing to wait for */
	ns_t back;		/* from the end of the work waited for to its return */
	ns_t launch;		/* of one that launches and finds room in the queue */
	ns_t launch_least;	/* of the shortest of them */
};

struct replay_graph {
	const struct facts *f;
	const struct profile *p;
	struct node *nodes;
	uint32_t n_nodes;
	uint32_t n_seqs;	/* threads, then the issuer of each process */
	uint32_t *seq_proc;	/* per sequence: its process, ID_NONE */
	uint32_t *stream_of;	/* per work: index in streams, ID_NONE: no work of ours */
	uint32_t *after;	/* per work: another one that it waits for, ID_NONE */
	uint8_t *kind_of;	/* per work: enum work_kind */
	uint32_t n_works;
	struct gpu_stream *streams;
	uint32_t n_streams;
	struct gpu_dev *devs;
	uint32_t n_devs;
	struct call_cost *costs;
	uint32_t n_costs;
	struct replay_step *steps;
	uint32_t n_steps;
	ns_t *batch_own;	/* per process: what getting a batch costs that is there */
	struct proc_steps {
		ns_t start, end;	/* of the first and the last */
		ns_t host_end;		/* of its last event on a host thread */
	} *proc_steps;		/* per process */
	struct replay_trust *trust;	/* per process; why_not is not set yet */
	bool events_recorded;	/* which events are waited for is in the source: nothing is inferred across streams */
};

/* The marks of step i: 2 i its start, 2 i + 1 its end. */
static inline uint32_t n_marks(const struct replay_graph *g)
{
	return 2 * g->n_steps;
}
static inline uint32_t issuer_seq(const struct replay_graph *g, uint32_t proc)
{
	return g->f->p->n_threads + proc;
}

/* ---- a moment as recorded and as replayed ---- */

struct when {
	ns_t rec, now;
};
#define WHEN_NEVER ((struct when){ -NS_LIMIT, -NS_LIMIT })
static inline struct when when_later(struct when a, struct when b)
{
	return (struct when){ a.rec > b.rec ? a.rec : b.rec, a.now > b.now ? a.now : b.now };
}
static inline struct when when_plus(struct when a, ns_t d)
{
	return (struct when){ a.rec + d, a.now + d };
}
/*
 * What was recorded is the latest of n causes, and a residual. The residual is that of the cause that was latest; causes that
 * would have been later than what was recorded have one of their own. So other causes come into force as they are. *which: the one that decides
 * the replayed time.
 */
ns_t settle(ns_t recorded, const struct when *cause, unsigned n, unsigned *which);
/* The latest cause, as recorded. */
unsigned latest(const struct when *cause, unsigned n);

/* ---- parts, in the order in which graph.c calls them ---- */

void graph_nodes(struct replay_graph *g);	/* nodes.c: all but targets of guesses, costs, latencies */
void graph_learn(struct replay_graph *g);	/* learn.c: latencies, gaps, depths, costs, what is waited for; trust */

#endif
