/*
 * facts.h - what is derived once from a frozen profile and shared by all analyses and the timeline: thread roles, steps, phases,
 * the steady window, the op layer, classes of names, busy intervals of devices. See definitions.md §4, §5, §7.
 *
 * All times are on the SOURCE's axis (ns); session time = source time + source.shift_ns. Immutable once made.
 */
#ifndef FACTS_FACTS_H
#define FACTS_FACTS_H

#include <stdatomic.h>

#include "base/lazy.h"
#include "base/spans.h"
#include "model/profile.h"
#include "rules/rules.h"

struct thread_facts {
	enum role role;
	const char *evidence;	/* static, says why */
	uint32_t proc;		/* index of its process */
	uint32_t events;	/* over all host layers */
	uint32_t launches;	/* runtime calls of class launch */
	uint32_t op_track;	/* index into oplayer.tracks, ID_NONE none */
	ns_t busy_ns;		/* measure of the union of its events */
};

/* The ops of a source in one nested layer: the torch op tracks, or NVTX ranges that are named like operators. */
struct op_track {
	thread_id thread;
	uint32_t first, count;
};
struct op_layer {
	uint32_t n;
	const ns_t *start, *dur, *self;
	const str_id *name;
	const uint32_t *parent;		/* op index, ID_NONE at roots */
	const ev_id *ev;		/* event of each op; NULL = the op index is the event */
	struct op_track *tracks;	/* by thread */
	uint32_t n_tracks;
	bool from_nvtx;			/* the arrays belong to this struct */
};

struct step {
	int64_t number;			/* as named by the marker; counted from 0 where it has none */
	str_id name;			/* the marker's name, ID_NONE for clusters */
	ns_t start, end;		/* the marker's own range */
	ns_t next;			/* end of the period */
	uint32_t proc, microbatches;
	bool warmup, partial, outlier;
	const char *why;		/* evidence of the mark, NULL none */
};

struct phase_seg {			/* holds from start to the start of the next one */
	ns_t start;
	uint8_t phase;			/* enum phase */
};
struct issue_seg {			/* which thread issues work from start on (definitions §8) */
	ns_t start;
	thread_id thread;
};
struct range {
	ns_t start, end;
	int64_t number;
};

/* Where step markers may come from; the first one with markers makes the steps. */
enum steps_by { STEPS_BY_PROFILER, STEPS_BY_NVTX, STEPS_BY_OPTIMIZER, STEPS_BY_N };
const char *steps_by_name(enum steps_by by);	/* N_() marked */
struct step_count {
	uint32_t n;			/* markers */
	ns_t median_ns, iqr_ns;		/* from one marker's start to the next one's: lower median, range of the middle half; NS_UNKNOWN below two */
};

/*
 * How the time of a phase is known in a process: by markers, by inference from what autograd records, or as nothing, because the tool marks
 * the phase wherever it occurs. Unknown phases are part of "other".
 */
enum phase_evidence { EVIDENCE_UNKNOWN, EVIDENCE_NONE, EVIDENCE_MARKER, EVIDENCE_INFERRED };
const char *phase_evidence_name(enum phase_evidence e);	/* "marker", "inferred"; NULL for the others */

struct proc_facts {
	int64_t pid;
	thread_id main;			/* ID_NONE: the process has no thread with events of ours */
	uint32_t first_step, n_steps;
	const char *step_rule;		/* what the step markers are, NULL: whole source is one window */
	struct step_count step_counts[STEPS_BY_N];	/* of every source of markers */
	struct phase_seg *phases;	/* phases[0].start == INT64_MIN */
	uint32_t n_phases;
	uint8_t evidence[PHASE_N];	/* enum phase_evidence */
	struct issue_seg *issue;
	uint32_t n_issue;
	struct range *microbatches;
	uint32_t n_microbatches;
	struct spans steady;		/* union of the steady periods; empty when there are no steps */
	struct spans captures;		/* of its streams, into graphs: what is launched meanwhile does not run */
	bool too_few;			/* fewer than 3 steady steps: no verdict */
	bool training;			/* launches GPU work, or has ops or steps; where no process does, calls the runtime */
};

/* Busy intervals of a device over the whole source, each normalised. */
enum busy_kind { BUSY_COMPUTE, BUSY_COMM, BUSY_HTOD, BUSY_DTOH, BUSY_PTOP, BUSY_DTOD, BUSY_MEMSET, BUSY_COPY_REST, BUSY_N };
struct device_facts {
	int64_t device;
	uint32_t info;			/* index in profile->devices, ID_NONE */
	struct spans busy[BUSY_N];
	struct spans any;		/* union of all of them */
	ns_t first, last;		/* of its GPU work */
	/* how far its records can be trusted: records.h */
	struct spans overlap;		/* two kernels of one stream run */
	struct spans cut;		/* its records have not begun yet, or have ended, though work is launched */
	struct spans edges;		/* the same, and behind the last op of the last step: no loss lies in them */
	struct launch_mark *marks;	/* by time; none where no launch has lost its work */
	uint32_t n_marks, cap_marks;
};

/* A launch of a device, or a kernel that names none, and how many of each kind there are up to it. */
struct launch_mark {
	ns_t at;
	uint32_t launches, lost, graphs, graphs_lost, bare;
};

/* A call that launches a kernel for the first time in the file; and one that loads its code meanwhile (first_use.c). */
enum { FIRST_USE = 1, FIRST_LOADS = 2 };

/* A copy call that returns after its own copy: it waits in [start of the call, wait_end), copies in [copy_start, copy_end). */
struct blocking_copy {
	ev_id call;
	ns_t wait_end;			/* the start of the call: it does not wait */
	ns_t copy_start, copy_end;	/* inside the call */
};

/* Values that belong to facts but are defined above them. */
enum facts_extra { FACTS_LANES, FACTS_OP_INDEX, FACTS_REPLAY, FACTS_EXTRA_N };

struct facts {
	atomic_uint users;
	struct profile *p;		/* referenced */
	uint32_t source;
	struct thread_facts *threads;	/* per profile thread */
	struct proc_facts *procs;
	uint32_t n_procs;
	struct step *steps;		/* by process, then start */
	uint32_t n_steps;
	struct op_layer ops;
	uint32_t *call_op;		/* per runtime call (event - layer_first[LAYER_RUNTIME]): op index, ID_NONE */
	thread_id *call_thread;		/* per runtime call */
	uint8_t *call_first;		/* per runtime call: FIRST_USE, FIRST_LOADS or 0 */
	struct blocking_copy *blocking;	/* by call: blocking.c */
	uint32_t n_blocking;
	struct kernel_class *kclasses;	/* per distinct kernel name */
	uint32_t n_kclasses;
	uint32_t n_truncated;		/* kernels with a short name (profile_name_short), in no class */
	uint32_t *kclass_of;		/* per string: index into kclasses, ID_NONE */
	uint8_t *rt_class_of;		/* per string: enum rt_class of a runtime call's name */
	struct device_facts *devices;	/* by device number */
	uint32_t n_devices;
	struct spans work_of_all;	/* GPU work that nobody says whose it is (torch): it counts as that of every process */
	uint32_t phases_known;		/* set (1 << enum phase) of those that one of its processes knows; PHASE_OTHER always */
	ns_t framed_ns;			/* time with frames of a sampler's file; NS_UNKNOWN: it has no times, or says not how long it was */
	bool autograd;			/* it has threads of autograd's */
	bool zero;			/* a name tells of DeepSpeed's ZeRO */
	uint8_t *on_cpu;		/* see facts_on_cpu(): per string */
	str_id *same_op;		/* see facts_same_op(); NULL: each is itself */
	uint32_t n_of_all, of_all;	/* devices with such work, and the last of them */
	struct fact_index *ix;
	struct lazy *extra;		/* FACTS_EXTRA_N values, made when first asked for by those who define them */
};

struct facts *facts_new(const struct rules *r, struct profile *p, uint32_t source);
struct facts *facts_ref(struct facts *f);	/* one more user; facts_free() lets go */
void facts_free(struct facts *f);

/* Whether it is a trace of a program that uses no device: ops are recorded, and nothing of one (an unread device is one). */
static inline bool facts_no_device(const struct facts *f)
{
	return f->ops.n && !f->ops.from_nvtx && !(f->p->caps & (CAP_GPU | CAP_RUNTIME | CAP_DEVICE_UNREAD));
}

/*
 * A sampler's file whose frames cover less than half of its duration: another profiler held the hook that it needs (torch with_stack
 * takes that of pyinstrument), so what it has is no picture of the run.
 */
static inline bool facts_few_frames(const struct facts *f)
{
	return f->framed_ns != NS_UNKNOWN && f->framed_ns < f->p->sampled_wall_ns / 2;
}

/*
 * The first name that differs from this one at most in what emit_nvtx appends to the name of an op ("…, op_id = 7"): no two of its names
 * are equal, but what is asked of the rules about one (rules_op() and all else that looks at rules_op_base() alone) holds for all. Names
 * without that are themselves. id: of a string of the profile.
 */
static inline str_id facts_same_op(const struct facts *f, str_id id)
{
	return f->same_op ? f->same_op[id] : id;
}

/*
 * Whether ops of this name compute on the CPU: a rule says that they compute (views and empty tensors do not), and none of them launches
 * anything, itself or below it, in a source whose launches are recorded; or the source knows no device at all.
 */
static inline bool facts_on_cpu(const struct facts *f, str_id id)
{
	return id < f->p->n_strs && f->on_cpu[facts_same_op(f, id)];
}

/* enum phase of process `proc` at t. */
enum phase facts_phase_at(const struct facts *f, uint32_t proc, ns_t t);
/* Index in phases[] of the segment that holds t (0 where there are none). O(log n). */
uint32_t facts_phase_index(const struct proc_facts *pf, ns_t t);
/* The same in issue[]. */
uint32_t facts_issue_index(const struct proc_facts *pf, ns_t t);
/* The thread that issues work at t; the main thread where none is busy. */
thread_id facts_issuer_at(const struct facts *f, uint32_t proc, ns_t t);
/* Class of a kernel event. Never NULL. */
const struct kernel_class *facts_kclass(const struct facts *f, ev_id kernel);
/* Class of a runtime call. */
enum rt_class facts_rt(const struct facts *f, ev_id call);
/* FIRST_USE, FIRST_LOADS or 0. */
static inline uint8_t facts_first(const struct facts *f, ev_id call)
{
	return f->call_first[call - f->p->layer_first[LAYER_RUNTIME]];
}
/* What a copy call, or a call inside one, waits and copies; NULL: it does not block, or not by what its copy shows. O(log n). */
const struct blocking_copy *facts_blocking_copy(const struct facts *f, ev_id call);
/* The op in whose own time or below which the runtime call was made; ID_NONE. */
uint32_t facts_op_of_call(const struct facts *f, ev_id call);
/* The thread that launched a GPU event, ID_NONE unknown; its process index, ID_NONE unknown. */
thread_id facts_launch_thread(const struct facts *f, ev_id gpu);
/* The op index that owns instant t on a thread. */
uint32_t op_layer_at(const struct op_layer *o, const struct op_track *tr, ns_t t);
const struct device_facts *facts_device(const struct facts *f, int64_t device);
/* The tracks of a thread in one layer; those of a device's GPU work, in their order. */
const track_id *facts_thread_tracks(const struct facts *f, thread_id t, enum layer l, uint32_t *n);
const track_id *facts_device_tracks(const struct facts *f, const struct device_facts *d, uint32_t *n);
uint32_t facts_proc_of_pid(const struct facts *f, int64_t pid);	/* ID_NONE: none */

#endif
