/*
 * builder.h - the only writer of a profile. A loader fills one; builder_finish() sorts, nests, links and freezes it.
 *
 * Not thread-safe: one thread at a time. Everything is copied; nothing given to a builder needs to outlive
 * the call. Memory grows in columns, there is no allocation per event.
 */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include <stddef.h>

#include "base/cmdline.h"
#include "base/err.h"
#include "model/schema.h"

struct builder;
struct profile;

struct builder *builder_new(void);
void builder_free(struct builder *b);

/* Threads that builder_finish() and builder_snapshot() may use; 0 (as at first) = one per processor. */
void builder_set_workers(struct builder *b, unsigned workers);

/* Interns n bytes (any bytes). The id is valid in this builder and in the profile that it becomes. */
str_id builder_intern(struct builder *b, const char *s, size_t n);
const char *builder_str(const struct builder *b, str_id id, size_t *n);	/* borrowed until the next intern */

/*
 * A text that holds, or may hold, a command line (base/cmdline.h), as all of them come in: interned is what is shown of it, and the whole
 * is kept beside it, secrets masked, for who asks for arguments (profile_with_args()). The text itself is not kept.
 */
str_id builder_command(struct builder *b, enum cmdline_form form, const char *s, size_t n);
/* The whole of what builder_command() gave; of any other string itself. Borrowed until the next intern. */
const char *builder_cmdline(const struct builder *b, str_id id, size_t *n);

/* The host thread (pid, tid), made on first use. */
thread_id builder_thread(struct builder *b, int64_t pid, int64_t tid);
void builder_thread_name(struct builder *b, thread_id t, str_id name);	/* the last one wins */
void builder_process_name(struct builder *b, int64_t pid, str_id name);

/*
 * Track of a layer of a host thread. domain: NVTX domain name (ID_NONE elsewhere).
 * `link_group`: events of equal link_group share one space of correlation ids (nsys: the process; a torch file: 0).
 */
track_id builder_host_track(struct builder *b, enum layer l, thread_id t, str_id domain, uint64_t link_group);
/* Track of a layer of a stream. device is the number that the file gives (-1 unknown), pid the owning process if known (else -1). */
track_id builder_gpu_track(struct builder *b, enum layer l, int64_t pid, int64_t device, int64_t context, int64_t stream,
	uint64_t link_group);

#define CORR_NONE UINT64_MAX
struct builder_event {
	/*
	 * A start beyond NS_LIMIT: the event is left out. dur < 0, or so long that the durations so far would sum to NS_LIMIT,
	 * becomes 0. Each is counted as damage.
	 */
	ns_t start, dur;
	str_id name;
	uint64_t corr;		/* correlation id, CORR_NONE if none */
	uint64_t ext;		/* torch "External id", CORR_NONE if none: ops declare it, runtime and GPU events refer to it */
	uint32_t aux;		/* see schema.h; ID_NONE if none */
};
void builder_add(struct builder *b, track_id t, const struct builder_event *e);

/* Events in the form in which they are kept, many at once: the same as builder_add() of each, in less time. */
#define BUILDER_SHORT UINT32_C(0x80000000)	/* ids below this can be in a row, others cannot */
struct builder_row {
	ns_t start, dur;
	uint32_t corr, ext;	/* ID_NONE if none */
	str_id name;
	uint32_t aux;
	track_id track;
	uint32_t of_caller;	/* is not looked at */
};
void builder_add_rows(struct builder *b, const struct builder_row *r, size_t n);
/*
 * Whether the detail of an event that is left out is left out, too: it has to be the last one that was made when the event is added, so
 * that rows are to be added one by one then.
 */
bool builder_is_choosy(const struct builder *b);

/* Where things are in a file, without its events: what builder_add() was told since builder_survey_only(). */
struct builder_step {
	int64_t number;		/* of ProfilerStep#number */
	ns_t start, end;
};
struct builder_survey {
	ns_t first, last;	/* of events that count for a profile's range; first > last: none */
	struct { struct builder_step *a; size_t n, cap; } steps;
};
/* From now on no event is kept. The builder owns the result, which is read when the file was. */
const struct builder_survey *builder_survey_only(struct builder *b);
/* From now on only events are kept of which some part lies in [from, to); builder_left_out(): how many were not. */
void builder_keep_within(struct builder *b, ns_t from, ns_t to);
uint64_t builder_left_out(const struct builder *b);
/* Whether a moment is in what is to be kept: for what is no event. */
bool builder_wants(const struct builder *b, ns_t at);

/* Bytes below 0, or so many that the sum over the copies could overflow, become unknown and are counted as damage. */
uint32_t builder_copy_detail(struct builder *b, const struct copy_detail *d);
uint32_t builder_kernel_detail(struct builder *b, const struct kernel_detail *d);
uint32_t builder_collective(struct builder *b, const struct collective_detail *d);
uint32_t builder_op_detail(struct builder *b, const struct op_detail *d);
uint32_t builder_um_detail(struct builder *b, const struct um_detail *d);
/*
 * The call with correlation id `call` waits for the event that the call with id `record` recorded on a stream (-1 unknown). Kept where both
 * calls are in the source, and the ids of a link group are those of one process.
 */
void builder_event_wait(struct builder *b, uint64_t link_group, uint64_t call, uint64_t record, int64_t stream);

/* ---- what the source is ---- */
enum source_format {
	FORMAT_NSYS_SQLITE, FORMAT_TORCH, FORMAT_PYINSTRUMENT,
	FORMAT_NSYS_JSONL, FORMAT_NSYS_JSON,	/* exports with the same tables, as text */
	FORMAT_NSYS_CHROME,			/* a Chrome trace that a script made of an export: less in it, short names */
	FORMAT_PYI_SESSION, FORMAT_PYI_HTML, FORMAT_PYI_TEXT,	/* other forms of a pyinstrument run */
	FORMAT_SPEEDSCOPE, FORMAT_COLLAPSED, FORMAT_FLAMEGRAPH,	/* of py-spy and others */
	FORMAT_PYSPY_CHROME, FORMAT_PYSPY_DUMP,
	FORMAT_NCU_REPORT, FORMAT_NCU_CSV, FORMAT_NCU_TEXT,	/* Nsight Compute: the report, and what its command line prints */
	FORMAT_MEMORY_SNAPSHOT,			/* of PyTorch's caching allocator */
	FORMAT_N
};
const char *source_format_name(enum source_format f);	/* "nsys-sqlite", "torch", "pyinstrument", … */
/* How complete an Nsight Systems source of this format is: 3 the database, 2 the same as text, 1 a conversion, 0 something else. */
int source_format_nsys(enum source_format f);
/* How much a form keeps of a pyinstrument run: 5 the session … 1 the text; 0 something else. A speedscope file may be of another tool. */
int source_format_pyi(enum source_format f);

void builder_set_format(struct builder *b, enum source_format f);
/* producer: "Nsight Systems", "torch.profiler (Kineto)", "pyinstrument"; version as the file says it, NULL unknown */
void builder_set_producer(struct builder *b, const char *producer, const char *version);
void builder_set_bytes(struct builder *b, int64_t file_bytes);
/* UTC ns of the source's time 0; not called = the source has no epoch. */
void builder_set_epoch(struct builder *b, int64_t utc_ns);
void builder_set_rank(struct builder *b, int64_t rank, int64_t world);	/* -1 unknown */
/* A recording option that costs time or changes figures: ("with_stack", "1"); shown by `sources`. Never environments. */
void builder_option(struct builder *b, const char *key, const char *value);
void builder_option_id(struct builder *b, const char *key, str_id value);
/* An option whose value may hold a command line. */
void builder_option_command(struct builder *b, const char *key, enum cmdline_form form, const char *s, size_t n);
/* Adds n to the count of rows/events of a table or category AS WRITTEN IN THE FILE: `contents` of `sources`. */
void builder_content(struct builder *b, const char *what, size_t len, uint64_t n);
/* A device of the file: number as in events, name, SM count, memory bandwidth (bytes/s); 0 / NULL unknown. */
void builder_device(struct builder *b, int64_t device, const char *name, int64_t sm_count, int64_t mem_bytes_per_s);
/* More about a device that was told: compute capability (10 x major + minor, 0 unknown), bytes of memory (0 unknown), board (-1 unknown). */
void builder_device_more(struct builder *b, int64_t device, int64_t capability, int64_t mem_bytes, int64_t board);
/* Whether the source records runtime calls at all, python frames, sync records (0 then is a measurement, not unknown). */
enum { CAP_RUNTIME = 1, CAP_PYTHON = 2, CAP_SYNC = 4, CAP_OPS = 8, CAP_GPU = 16, CAP_NVTX = 32, CAP_SAMPLES = 64,
	CAP_SHORT_NAMES = 128,	/* kernels are named without namespace and template arguments: no names to classify by */
	CAP_OP_STACKS = 512,	/* Python frames are those of the call stacks of ops: none between two ops, and no calls are counted */
	CAP_DEVICE_UNREAD = 256 };	/* the file has work of a device that is not read: nothing is known of it, and an op may launch some */
void builder_caps(struct builder *b, unsigned caps);	/* or-ed; layers with events are added by finish */

/* Damage: counted per `what` (a short static phrase), with the first place. offset: byte offset or row; -1 unknown. */
void builder_damage(struct builder *b, const char *what, int64_t offset, uint64_t n);
/* A remark that is no damage: "kernels inside 3 graph launches were not traced". */
void builder_note(struct builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- sampled call trees without a time axis (pyinstrument, py-spy, collapsed stacks, …) ---- */
enum node_kind {
	NODE_CODE,		/* a Python function, a built-in, or a function of whatever language the sampler saw */
	NODE_NATIVE,		/* C, C++ or unsymbolised code among Python frames (py-spy --native) */
	NODE_THREAD,		/* a root, or below a process: what follows ran on this thread; `function` is its label */
	NODE_PROCESS,		/* a root, or below the process that started it */
	NODE_AWAIT,		/* pyinstrument's [await] */
	NODE_ELSEWHERE,		/* pyinstrument's [out-of-context]: another async context ran */
	NODE_EMPTY,		/* samples in which no frame could be read */
	NODE_KIND_N
};
struct frame_node {		/* preorder; parent < own index; -1 for a root */
	int32_t parent;
	int32_t line;		/* first line of the function; 0 unknown */
	str_id function, file;	/* verbatim; ID_NONE unknown */
	str_id class_name;	/* of self or cls, where the sampler looked; ID_NONE unknown */
	uint32_t kind;		/* enum node_kind */
	ns_t total_ns, self_ns;	/* NS_UNKNOWN in a source of counts without an interval */
	int64_t samples;	/* with the frame on the stack at this place; I64_UNKNOWN when the format has none */
};
void builder_frame(struct builder *b, const struct frame_node *f);
/* How the total of a frame divides by the line that ran, where the sampler recorded it. By frame, largest first. */
struct frame_line {
	uint32_t frame;		/* index of a frame that was added before */
	int32_t line;		/* > 0 */
	ns_t total_ns;
	int64_t samples;
};
void builder_frame_line(struct builder *b, const struct frame_line *l);
/*
 * Where the samples lie in time, of a source that has an epoch and says it: what the innermost frame was in [start, start + dur), ns from
 * the epoch. By start; those of one thread do not overlap, those of several may.
 */
struct frame_sample {
	ns_t start, dur;
	uint64_t frame;		/* index of a frame that was added before */
};
void builder_frame_sample(struct builder *b, const struct frame_sample *s);
/* Wall time that the sampler saw (pyinstrument: duration) and CPU time, ns; NS_UNKNOWN if absent. */
void builder_sampled_wall(struct builder *b, ns_t wall_ns, ns_t cpu_ns);

uint64_t builder_events(const struct builder *b);
/*
 * A profile of what is complete so far; the builder goes on. partial=true marks it. Cost: a copy and a sort of everything,
 * so callers space it out (each one at least twice the events of the one before).
 */
struct profile *builder_snapshot(struct builder *b, bool partial);
/* The same without the copy; the builder is empty afterwards and only builder_free() may follow. */
struct profile *builder_finish(struct builder *b);

#endif
