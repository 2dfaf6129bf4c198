/*
 * schema.h - what an event is. Read this first.
 *
 * A PROFILE is one source file. Its events lie in columns (one array per property, see profile.h), grouped by TRACK.
 * A track holds the events of ONE LAYER of one host thread, or of one layer of one GPU stream (definitions.md §2):
 * the kernels and the copies of a stream are two tracks, the ops and the runtime calls of a thread are two tracks.
 * So the kind of an event is the layer of its track and costs no memory per event.
 *
 * Inside a track the order is start ascending, end descending, file order. Tracks are sorted by layer first, so all
 * events of a layer are one contiguous range of the columns.
 */
#ifndef MODEL_SCHEMA_H
#define MODEL_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t ns_t;		/* nanoseconds; on the source's own axis unless said otherwise */
typedef uint32_t str_id;	/* an interned string of one profile */
typedef uint32_t ev_id;		/* index into the columns of one profile */
typedef uint32_t track_id;
typedef uint32_t thread_id;	/* index into the thread table of one profile */

/*
 * The times of events lie within (-NS_LIMIT, NS_LIMIT), 73 years around the source's zero, and the durations of a profile sum to
 * less than NS_LIMIT: no difference of two times and no sum of durations overflows. The builder sees to it.
 */
#define NS_LIMIT (INT64_C(1) << 61)

#define ID_NONE UINT32_MAX
#define NS_UNKNOWN INT64_MIN
#define I64_UNKNOWN INT64_MIN
/* A sum of numbers, unknown where one is or where it does not fit into 64 bits. */
static inline int64_t i64_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return a == I64_UNKNOWN || b == I64_UNKNOWN || __builtin_add_overflow(a, b, &sum) ? I64_UNKNOWN : sum;
}

/* LAYER(id, name, on_gpu, doc). The order is the order of the tracks in a profile. */
/* clang-format off */
#define LAYERS(LAYER) \
	LAYER(OP, "op", false, "framework operators: torch cpu_op / Operator") \
	LAYER(ANNOT, "annotation", false, \
		"user_annotation: ProfilerStep, DataLoader, Optimizer.step, …") \
	LAYER(PYTHON, "python", false, "python_function frames of torch's with_stack") \
	LAYER(RUNTIME, "runtime", false, "CUDA/HIP runtime and driver calls") \
	LAYER(NVTX, "nvtx", false, "NVTX push/pop ranges, one track per thread and domain") \
	LAYER(NVTX_SE, "nvtx-se", false, "NVTX start/end ranges, one track per thread and domain") \
	LAYER(NVTX_OPEN, "nvtx-open", false, "NVTX ranges without an end: length 0, counted only") \
	LAYER(OSRT, "osrt", false, "OS runtime calls (blocking libc calls)") \
	LAYER(OVERHEAD, "overhead", false, "profiler overhead records") \
	LAYER(SPAN, "span", false, "capture spans of category Trace: not work, not in any range") \
	LAYER(INSTANT, "instant", false, "marks: [memory], NVTX marks, iteration starts") \
	LAYER(OTHER, "other", false, "host events of no known category") \
	LAYER(KERNEL, "kernel", true, "kernels and CUDA-graph executions") \
	LAYER(MEMCPY, "memcpy", true, "copies, unified-memory migrations among them") \
	LAYER(MEMSET, "memset", true, "memory sets") \
	LAYER(SYNC, "sync", true, \
		"synchronisation records of the device side (overlap kernels; never busy)") \
	LAYER(GPU_ANNOT, "gpu-annotation", true, "gpu_user_annotation: derived, not work") \
	LAYER(COUNTER, "counter", true, "counters (value not kept in this version)") \
	LAYER(SCHED, "sched", false, "threads on a CPU: no event of theirs, in no range") \
	LAYER(FAULT, "page-fault", false, \
		"page faults of unified memory: no event of a thread, in no range")
/* clang-format on */

enum layer {
#define LAYER(id, name, gpu, doc) LAYER_##id,
	LAYERS(LAYER)
#undef LAYER
	LAYER_N
};
/* The work of devices: its layers stand one behind the other, and so do their tracks and events. */
#define LAYER_WORK LAYER_KERNEL
#define LAYER_WORK_LAST LAYER_MEMSET
_Static_assert(LAYER_MEMCPY == LAYER_KERNEL + 1 && LAYER_MEMSET == LAYER_MEMCPY + 1, "layers of work are neighbours");

const char *layer_name(enum layer l);
bool layer_on_gpu(enum layer l);
bool layer_counts_for_range(enum layer l);	/* for the first and last time of a profile */

/* memcpy kinds and memory kinds: exactly the words of cli.md, see copy_kind_name() */
enum copy_kind {	/* values of nsys/CUPTI copyKind */
	COPY_UNKNOWN, COPY_HTOD, COPY_DTOH, COPY_HTOA, COPY_ATOH, COPY_ATOA, COPY_ATOD, COPY_DTOA, COPY_DTOD, COPY_HTOH,
	COPY_PTOP, COPY_UVM_HTOD, COPY_UVM_DTOH, COPY_UVM_DTOD, COPY_KIND_N
};
enum mem_kind {		/* values of nsys/CUPTI memKind */
	MEM_PAGEABLE, MEM_PINNED, MEM_DEVICE, MEM_ARRAY, MEM_MANAGED, MEM_DEVICE_STATIC, MEM_MANAGED_STATIC, MEM_UNKNOWN,
	MEM_KIND_N
};
enum sync_kind { SYNC_UNKNOWN, SYNC_STREAM, SYNC_CONTEXT, SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_OTHER, SYNC_COPY, SYNC_KIND_N };

const char *copy_kind_name(enum copy_kind k);	/* "HtoD", …, "unknown" */
const char *mem_kind_name(enum mem_kind k);	/* "pageable", …, "unknown" */
const char *sync_kind_name(enum sync_kind k);	/* "stream", … */

/* Details that only some events have; an event's `aux` column is an index into the profile's array of that detail. */
struct copy_detail {		/* LAYER_MEMCPY; LAYER_MEMSET uses bytes and dst only */
	int64_t bytes;		/* I64_UNKNOWN if the file does not say */
	uint8_t kind;		/* enum copy_kind */
	uint8_t src, dst;	/* enum mem_kind */
	uint8_t pad;		/* no byte without a name: details are compared and written whole */
	uint32_t um;		/* of a migration: index + 1 in the profile's um_details, 0 none */
};
/*
 * LAYER_FAULT, and copies that are migrations: where in unified memory, and why. The name of a fault of a CPU is the function or
 * instruction that touched the page.
 */
enum um_what { UM_MIGRATION, UM_CPU_FAULT, UM_GPU_FAULT, UM_WHAT_N };
struct um_detail {
	uint64_t address;	/* virtual, of the first byte; 0 unknown */
	int64_t faults;		/* that the record stands for; 0 of a migration */
	int64_t device;		/* of a fault of a GPU, -1 unknown */
	str_id module, file;	/* of the instruction; ID_NONE unknown */
	int32_t line;		/* 0 unknown */
	uint8_t what;		/* enum um_what */
	uint8_t why;		/* migrationCause of a migration, access type of a fault of a GPU, as nsys numbers them; 0 unknown */
	uint8_t pad[2];
};
/* "page fault", …; "read", …; "unknown" */
const char *um_cause_name(unsigned why);
const char *um_access_name(unsigned why);
struct kernel_detail {		/* LAYER_KERNEL; equal ones are shared */
	int32_t grid[3], block[3];	/* 0 = unknown */
	int32_t registers;		/* per thread, -1 unknown */
	int32_t shared_bytes;		/* static + dynamic, -1 unknown */
	uint64_t graph_node;		/* 0 = not from a CUDA graph */
	uint32_t collective;		/* index + 1 in the profile's collectives, 0 none */
	uint32_t pad;
};
/*
 * What torch writes about a collective (args of record_param_comms and, since torch 2.2, of the kernel); equal ones are shared.
 */
struct collective_detail {
	str_id name;			/* "allreduce", "_allgather_base", as written */
	str_id dtype, group, ranks;	/* "BFloat16", "3", "[0, 1]"; ID_NONE unknown */
	int64_t in_elems, out_elems;	/* -1 unknown */
	int64_t group_size;		/* -1 unknown */
};
/* LAYER_OP: what the args of an op say; ops that say nothing have none. Not shared: the number differs from op to op. */
struct op_detail {
	str_id shape;			/* of the inputs: "[32,128]x[128,64]"; ID_NONE not recorded */
	uint32_t collective;		/* index + 1 in the profile's collectives, 0 none */
	int64_t seq;			/* sequence number of autograd, -1 unknown */
	uint32_t backward;		/* 1: runs a node of the graph (torch: has the number of a forward thread); 0: no, or not known */
	uint32_t pad;
};
/*
 * A call that waits for an event, or lets a stream wait for it, where the file says which: the call that recorded the event, and the stream
 * that it was recorded on. Sorted by call.
 */
struct event_wait {
	ev_id call, record;
	int64_t stream;		/* -1 unknown */
};
/* LAYER_SYNC: aux is an enum sync_kind as the file gives it (a hint; the API call's name decides). */
/* LAYER_NVTX, LAYER_NVTX_SE, LAYER_NVTX_OPEN and NVTX marks: aux is the str_id of the payload, ID_NONE without one. */
/*
 * LAYER_RUNTIME: bit 0 of aux is set for calls of the driver API, the other bits are 1 + the return code (cudaError_t, CUresult),
 * 0 where the file does not record it. ID_NONE: nothing is known of the call.
 */
#define RUNTIME_DRIVER 1u

static inline bool call_is_driver(uint32_t aux)
{
	return aux != ID_NONE && aux & RUNTIME_DRIVER;
}
/* code: I64_UNKNOWN not recorded; what is no code of CUDA (below 0, above 2^30) counts as not recorded. */
static inline uint32_t call_aux(bool driver, int64_t code)
{
	return (driver ? RUNTIME_DRIVER : 0) | (code >= 0 && code <= INT64_C(1) << 30 ? (uint32_t)(code + 1) << 1 : 0);
}
/* The return code, I64_UNKNOWN: not recorded. */
static inline int64_t call_code(uint32_t aux)
{
	return aux != ID_NONE && aux >> 1 ? (int64_t)(aux >> 1) - 1 : I64_UNKNOWN;
}

#endif
