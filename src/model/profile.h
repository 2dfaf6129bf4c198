/*
 * profile.h - one source, frozen. Immutable after builder_finish(); any number of threads may read it.
 *
 * Columns are parallel arrays indexed by ev_id. Every figure is on the source's own time axis (ns).
 *
 *	start, dur	as in the file; dur >= 0
 *	name		interned name, whole and verbatim
 *	self		ns that the event owns in its track: each instant belongs to the active event that is latest in the
 *			order (definitions.md §2). The selfs of a track sum to the measure of the union of its events
 *	parent		event of the same track that is latest in the order among those active at the start; ID_NONE at roots
 *	link		LAYER_KERNEL, MEMCPY, MEMSET, SYNC: the runtime call that launched it (ID_NONE: unknown).
 *			LAYER_RUNTIME: the innermost op of the same thread that contains its start, else the op that its
 *			External id names (only where the id differs from the correlation id), else ID_NONE.
 *	aux		detail index, see schema.h
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stddef.h>

#include "base/spans.h"
#include "model/builder.h"
#include "model/kernel_report.h"
#include "model/memory.h"
#include "model/schema.h"

struct thread {
	int64_t pid, tid;
	str_id name;		/* ID_NONE unknown */
};
struct process {
	int64_t pid;
	str_id name;
};
struct track {
	uint8_t layer;		/* enum layer */
	thread_id thread;	/* host layers; ID_NONE on the GPU */
	int64_t pid;		/* owning process, -1 unknown (torch GPU tracks) */
	int64_t device, context, stream;	/* GPU layers; -1 unknown */
	str_id domain;		/* NVTX domain name, ID_NONE none */
	uint64_t link_group;
	ev_id first;
	uint32_t count;
	uint32_t overlaps;	/* events that overlap their predecessor without nesting */
	uint32_t depth_max;	/* deepest nesting, 1 = flat */
};
struct device {
	int64_t device;
	str_id name;		/* ID_NONE unknown */
	int64_t sm_count;	/* 0 unknown */
	int64_t mem_bytes_per_s;	/* 0 unknown */
	int64_t mem_bytes;	/* 0 unknown */
	int64_t capability;	/* compute capability, 10 x major + minor (H100: 90); 0 unknown */
	int64_t board;		/* the board that the number means, as the file counts boards; -1 unknown */
};
struct damage {
	const char *what;	/* static */
	int64_t offset;		/* first place, -1 unknown */
	uint64_t count;
};
struct content {
	str_id what;
	uint64_t count;
};
struct option {
	str_id key, value;
};

struct cmdline {		/* a string that shows a command line without its arguments, and the one that has them, secrets masked */
	str_id shown, full;
};

struct profile {
	/* columns; on the heap: memory of pages.h */
	uint32_t n;
	ns_t *start, *dur, *self;
	str_id *name;
	ev_id *parent, *link;
	uint32_t *aux;
	/* GPU events ordered by their launch: by_launch[i] is an event, sorted by (link, start); unlinked ones are absent */
	ev_id *by_launch;
	uint32_t n_by_launch;

	/* tables */
	struct track *tracks;
	uint32_t n_tracks;
	track_id layer_track[LAYER_N + 1];	/* tracks of layer l: [layer_track[l], layer_track[l + 1]) */
	ev_id layer_first[LAYER_N + 1];		/* events of layer l: [layer_first[l], layer_first[l + 1]) */
	struct thread *threads;
	uint32_t n_threads;
	struct process *processes;
	uint32_t n_processes;
	struct device *devices;
	uint32_t n_devices;
	struct copy_detail *copies;
	uint32_t n_copies;
	struct kernel_detail *kernels;
	uint32_t n_kernels;
	struct collective_detail *collectives;
	uint32_t n_collectives;
	struct op_detail *op_details;
	uint32_t n_op_details;
	struct um_detail *ums;
	uint32_t n_ums;
	struct event_wait *event_waits;
	uint32_t n_event_waits;
	struct frame_node *frames;
	uint32_t n_frames;
	struct frame_line *frame_lines;
	uint32_t n_frame_lines;
	struct frame_sample *frame_samples;
	uint32_t n_frame_samples;
	struct kernel_reports reports;	/* launches that a kernel profiler measured; see kernel_report.h */
	struct memory_records memory;	/* of an allocator; see memory.h */
	ns_t sampled_wall_ns, sampled_cpu_ns;

	/* strings: use profile_str() */
	char *str_blob;
	uint64_t *str_off;	/* n_strs + 1 */
	uint32_t n_strs;

	/* what the source is */
	enum source_format format;
	str_id producer, version;	/* ID_NONE unknown */
	int64_t bytes;
	int64_t epoch_ns;		/* NS_UNKNOWN: none */
	int64_t rank, world;		/* -1 unknown */
	unsigned caps;
	bool partial;			/* a snapshot while loading */
	ns_t first_ns, last_ns;		/* first start, last end over all layers but SPAN, INSTANT, COUNTER, NVTX_OPEN, SCHED; first > last when empty */
	struct damage *damages;
	uint32_t n_damages;
	struct content *contents;
	uint32_t n_contents;
	struct option *options;
	uint32_t n_options;
	struct cmdline *cmdlines;	/* each `shown` once */
	uint32_t n_cmdlines;
	bool args_shown;		/* made by profile_with_args() */
	char **notes;
	uint32_t n_notes;
	void *map;			/* a mapped cache file (profile_file.h): all arrays lie in it, but those of damages and notes. NULL: heap */
	size_t map_bytes;
	/*
	 * A copy with other names: repaired ones (copy_of_capture.h; the last n_repaired strings), or with arguments (profile_with_args()).
	 * Strings and notes are its own, and the column of names where it is another one; all else belongs to `base`, NULL elsewhere.
	 */
	struct profile *base;
	uint32_t n_repaired;
	_Atomic unsigned refs;
};

struct profile *profile_ref(struct profile *p);
void profile_unref(struct profile *p);

/* Of an event of LAYER_OP; NULL: its args say nothing. */
static inline const struct op_detail *profile_op_detail(const struct profile *p, ev_id e)
{
	return p->aux[e] < p->n_op_details ? &p->op_details[p->aux[e]] : NULL;
}
/* The bytes of a string and their number; ("", 0) for ID_NONE. Always followed by a NUL that is not counted. */
const char *profile_str(const struct profile *p, str_id id, size_t *n);
/*
 * The same profile with the arguments of its command lines in the place of what is shown of them; p itself, with a reference more,
 * where it has none or they are shown already. Ids, columns and figures are the same.
 */
struct profile *profile_with_args(struct profile *p);
/*
 * A kernel's name that is no more than its base name ("Kernel2"), though the kernel has a longer one: nothing may be concluded
 * from it. Names of sources with CAP_SHORT_NAMES, but for those that were repaired and those that show a signature.
 */
bool profile_name_short(const struct profile *p, str_id id);
/* Whether it holds stacks of a sampler of Python code. The CPU samples of an Nsight Systems export are of native code alone. */
static inline bool profile_python_samples(const struct profile *p)
{
	return p->n_frames && !source_format_nsys(p->format);
}
/* Whether its stacks are sums over the whole run, of which no window can be cut. */
static inline bool profile_timeless(const struct profile *p)
{
	return profile_python_samples(p) && !p->n_frame_samples;
}
/* Whether it says what Python did, sampled or traced. */
static inline bool profile_python_stacks(const struct profile *p)
{
	return p->caps & CAP_PYTHON || (p->caps & CAP_SAMPLES && !source_format_nsys(p->format));
}
/* The id of a string, ID_NONE if the profile has no such string. O(strings). */
str_id profile_str_find(const struct profile *p, const char *s, size_t n);

/* Track of an event: O(log tracks). */
track_id profile_track_of(const struct profile *p, ev_id e);
/* The tracks of a layer of a thread, of several only NVTX has (one per domain): the first, and their number. O(log tracks). */
track_id profile_host_tracks(const struct profile *p, enum layer l, thread_id t, uint32_t *n);
/* The first of them; ID_NONE if there is none. */
track_id profile_host_track(const struct profile *p, enum layer l, thread_id t);
/* First event of the track with start >= t, in [first, first + count]. */
ev_id track_lower_bound(const struct profile *p, const struct track *tr, ns_t t);
/* The event of the track that owns instant t (latest in the order among the active), ID_NONE if none. O(log n + depth). */
ev_id track_event_at(const struct profile *p, const struct track *tr, ns_t t);
/* Nesting depth of an event, 0 = root. O(depth). */
unsigned profile_depth(const struct profile *p, ev_id e);
/* The first index of by_launch whose call is not before this one; n_by_launch if there is none. */
uint32_t profile_launch_from(const struct profile *p, ev_id runtime_call);
/* GPU events launched by a runtime call: sets *first to an index into by_launch and returns their number. */
uint32_t profile_launched_by(const struct profile *p, ev_id runtime_call, uint32_t *first);

static inline ns_t ev_end(const struct profile *p, ev_id e)
{
	return p->start[e] + p->dur[e];
}

#endif
