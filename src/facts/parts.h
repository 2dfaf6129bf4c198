/* parts.h - the parts facts are made of, in the order in which facts.c calls them. Private to src/facts. */
#ifndef FACTS_PARTS_H
#define FACTS_PARTS_H

#include "base/map.h"
#include "facts/facts.h"

/* The items of each key, in their own order: those of key k are v[first[k]] .. v[first[k + 1] - 1]. */
struct group_index {
	uint32_t *first, *v;
};
/* key_of[i] is the key of item i, below n_keys, or ID_NONE for none. O(n + n_keys). */
struct group_index group_index_new(const uint32_t *key_of, uint32_t n, uint32_t n_keys);
void group_index_fini(struct group_index *ix);

/*
 * So that a process, thread or device is asked for its own tracks only: there may be as many of them as there are events. Made by
 * facts_roles(), those of the devices by facts_new().
 */
struct fact_index {
	struct group_index threads_of_proc, tracks_of_thread, tracks_of_proc;
	struct group_index tracks_of_device;	/* of GPU work, by the index in f->devices */
	struct map procs;			/* pid -> index in f->procs */
};
void index_threads(struct fact_index *ix, const struct facts *f);
void index_tracks(struct fact_index *ix, const struct facts *f);
void index_devices(struct fact_index *ix, const struct facts *f);
void fact_index_fini(struct fact_index *ix);
/* The tracks of one layer that an index of tracks has for a key, and their number. */
const track_id *layer_tracks(const struct profile *p, const struct group_index *ix, uint32_t key, enum layer l, uint32_t *n);
/* profile_host_track() for any domain. */
track_id thread_track(const struct profile *p, const struct fact_index *ix, enum layer l, thread_id t);

/* Fills f->same_op, which the others use: facts/ops.c */
void facts_same_ops(struct facts *f);
/* Fills f->threads, f->procs (pid, main, training) and the index: roles.c */
void facts_roles(struct facts *f, const struct rules *r, struct fact_index *ix);
/* Fills f->ops, f->call_op, f->call_thread, f->on_cpu: facts/ops.c, oncpu.c */
void facts_ops(struct facts *f, const struct rules *r, const struct fact_index *ix);
/* Fills f->blocking, needs the classes of calls: blocking.c */
void facts_blocking_copies(struct facts *f);
/* Fills f->call_first, needs the devices: first_use.c */
void facts_first_uses(struct facts *f);
/* Whether a call launches or makes a graph, by its name: first_use.c */
bool call_is_graph(const struct profile *p, ev_id call);
/* Fills f->on_cpu, needs the ops and their calls: oncpu.c */
void facts_find_on_cpu(struct facts *f, const struct rules *r);
/* Fills microbatches of each process: phases.c */
void facts_microbatches(struct facts *f, const struct rules *r, const struct fact_index *ix);
/* Fills f->steps, steady, needs the micro-batches: steps.c */
void facts_steps(struct facts *f, const struct rules *r, const struct fact_index *ix);
/* Fills captures of each process: records.c */
void facts_captures(struct facts *f);
/*
 * Whether a call launches work that runs: by its class, the outer one of a runtime call and the driver's inside it, not into a graph that
 * its process (ID_NONE: unknown) captures, and without an error. Needs the captures: records.c
 */
bool call_runs_work(const struct facts *f, uint32_t proc, ev_id e);
/*
 * The first GPU event of a call of a track, or of the call directly inside it; ID_NONE none. *at is a place in by_launch, not behind that of
 * the call: who asks for one call after the other passes it on.
 */
ev_id call_work(const struct profile *p, const struct track *tr, ev_id call, uint32_t *at);
/* Fills overlap, edges and marks of each device, needs the steps: records.c */
void facts_records(struct facts *f);
/* Fills phases, evidence, issue of each process, needs ops and steps: phases.c, inferred.c */
void facts_phases(struct facts *f, const struct rules *r, const struct fact_index *ix);

/*
 * What shows that a step was one of warming up, NULL: nothing. The first event of a kind that says so within [start, end), of all
 * processes: warmup.c
 */
struct warmup;
struct warmup *warmup_new(const struct facts *f);
void warmup_free(struct warmup *w);	/* NULL is fine */
const char *warmup_at(const struct warmup *w, ns_t start, ns_t end);

/* Which of the host layers may hold markers (steps, phases, micro-batches). */
extern const enum layer marker_layers[4];

/* A lookup on names, remembered per string of the profile. `none` says that the name was not looked at yet. */
struct per_name {
	uint8_t *v;
};
#define MEMO_NONE 0xff
struct per_name per_name_new(const struct profile *p);

#endif
