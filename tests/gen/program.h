/* Random training programs, a machine that runs them step by step, and the changes whose outcome it can tell.
 * Unlike sim.c, which writes one run down as it goes, the machine runs the same program again with one thing changed: what a
 * replay of the recorded run predicts is compared with what then happens.  All times are integer nanoseconds. */
#ifndef GEN_PROGRAM_H
#define GEN_PROGRAM_H

#include "gen.h"

#define PROGRAM_ACTORS 8 /* main thread, autograd thread, then loader workers, which no trace holds */
#define PROGRAM_CHANGES 5
#define PROGRAM_DEPTH 1024 /* of a device's queue, as CUDA has it */

enum act {
	ACT_HOST, /* ns of work */
	ACT_OPEN, /* a range: name, layer */
	ACT_CLOSE,
	ACT_LAUNCH, /* kernel, stream, ns on the device */
	ACT_GRAPH, /* nodes kernels of ns each */
	ACT_COPY, /* copy, src, dst, bytes, stream, ns on the device; blocks: the call returns after its copy */
	ACT_SYNC_STREAM,
	ACT_SYNC_DEVICE,
	ACT_SYNC_EVENT, /* id */
	ACT_RECORD, /* id, stream */
	ACT_WAIT, /* the stream waits for event id */
	ACT_POST, /* one more of semaphore id */
	ACT_TAKE, /* one less, or wait for it */
	ACT_START /* the profiler waits for the device and begins to record */
};

enum range_layer { RANGE_OP, RANGE_ANNOTATION, RANGE_STEP };

struct action {
	enum act what;
	ns_t ns, cost; /* cost: of the call itself, without waiting */
	const char *name;
	enum range_layer layer;
	enum gen_kernel kernel;
	enum gen_stream stream;
	enum gen_copy copy;
	enum gen_mem src, dst;
	int64_t bytes;
	int id, nodes;
	bool blocks;
};

struct script {
	struct action *v;
	size_t n, cap;
};

struct program {
	struct script actor[PROGRAM_ACTORS];
	int actors, events, semaphores, steps;
	ns_t latency; /* from the start of a launch call to the start of its kernel */
	ns_t copy_latency, graph_latency;
	ns_t gap; /* between two operations of a stream */
	ns_t node_gap; /* between two nodes of a graph */
	ns_t sync_return, copy_return; /* from the end of the work waited for to the return of the call */
	ns_t wake; /* from a post to the thread that waits for it */
	int depth; /* operations that the device holds before a launch waits */
	int noise_percent; /* of latencies, gaps and returns */
	bool waits_recorded; /* the trace tells which events streams wait for */
	/* what there is to change */
	bool loader, optimizer_range, augment, stream_syncs, device_syncs, event_syncs, items;
};

enum change_verb { CHANGE_NONE, CHANGE_DROP, CHANGE_SCALE, CHANGE_ASYNC, CHANGE_LAUNCH, CHANGE_OVERLAP };
enum change_kind { OF_CLASS, OF_OP, OF_ANNOTATION, OF_CALL, OF_COPY };

struct change {
	enum change_verb verb;
	enum change_kind kind;
	const char *glob;
	int permille; /* scale */
	ns_t ns; /* launch */
};

extern const struct change no_change;

/* program.c: r gives random numbers and keeps names; step: how long one takes without a loader, which is made in proportion */
void program_make(struct program *p, struct run *r, ns_t step);
void program_free(struct program *p);

/* machine.c: runs the program under a change; recorded may be NULL, else gets what a profiler would see.
 * start, end: one for each recorded step, allocated by the caller. true: a launch found the queue full while recorded. */
bool machine_run(const struct program *p, const struct change *c, struct run *recorded, ns_t *start, ns_t *end);

/* whatif.c */
void choose_changes(const struct program *p, struct run *r, struct change *out); /* PROGRAM_CHANGES of them */

#endif
