/*
 * nsys.h - what the files of the Nsight Systems loaders share. Private to src/load.
 *
 *	loader.c	probe, recognise, the order of the tables, progress and cancel
 *	nsys/context.c	ids to strings, threads and tracks
 *	host.c	rows of host tables: API calls, OS runtime, overhead
 *	nsys/nvtx.c	NVTX ranges, marks and domains
 *	nsys/gpu.c	rows of GPU tables: kernels, graphs, copies, sets, synchronisation
 *	nsys/um.c	page faults of unified memory
 *	samples.c	CPU samples and their call chains
 *	nsys/meta.c	version, epoch, options, diagnostics, names of threads and processes, ranks
 *	device.c	which board a device number means
 *	sqlite.c	the database; sqlite_rows.c: its rows, sqlite_conn.c: connections to it
 *	nsys/json.c	the same tables as lines of JSON
 *	json_row.c	one such line
 *	chrome.c	Chrome traces that scripts make of an export (no tables)
 *
 * What differs between versions of the format (2020 to 2026) is decided by the tables and columns
 * that are there.
 */
#ifndef LOAD_NSYS_NSYS_H
#define LOAD_NSYS_NSYS_H

#include "base/map.h"
#include "base/vec.h"
#include "load/nsys/db.h"
#include "load/read/loader.h"
#include "model/builder.h"

/* Serialized ids: 8 bits hardware, 8 bits VM, 24 bits pid, 24 bits tid. */
#define NSYS_PID(g)	   ((int64_t)((uint64_t)(g) >> 24 & 0xffffff))
#define NSYS_TID(g)	   ((int64_t)((uint64_t)(g)&0xffffff))
#define NSYS_GLOBAL_PID(g) ((uint64_t)(g) & ~UINT64_C(0xffffff))

#define NSYS_GROUP_NONE	 UINT64_MAX
#define NSYS_STREAM_UVM	 (-2) /* of unified-memory migrations, which belong to no stream */
#define NSYS_STREAM_NONE 4294967295

struct nsys_track_slot { /* the track of the row before: rows of one track come in runs */
	bool valid;
	uint64_t group;
	int64_t device, context, stream;
	enum layer layer;
	str_id domain;
	track_id track;
};

struct nsys_device_use {
	int64_t pid, device;
};

struct nsys_switch { /* a row of SCHED_EVENTS */
	int64_t gtid;
	ns_t at;
	int64_t cpu; /* -1 unknown */
	bool in;
};

struct nsys_ctx {
	struct load_ctx *lx;
	struct builder *b;
	struct nsys_db *db;
	enum source_format format;
	struct map strings;   /* StringIds id -> str_id */
	struct map threads;   /* globalTid -> thread_id */
	struct map processes; /* globalPid -> index into groups; those with events */
	VEC(uint64_t) groups;
	struct map domains; /* (globalPid, domainId) -> str_id */
	bool domains_read;
	struct map device_seen; /* (pid, device) -> 0 */
	VEC(struct nsys_device_use) devices;
	VEC(struct nsys_switch) switches; /* until all events are read */
	VEC(struct nsys_event) records, waits; /* of CUDA events, until all rows are read */
	struct nsys_samples *samples;	  /* NULL: none so far */
	struct nsys_track_slot slot;
	str_id copy_name[COPY_KIND_N], memset_name, sync_name;
	uint64_t
		only_group; /* the one process with API calls, NSYS_GROUP_NONE if none or several */
	unsigned groups_with_calls;
	uint64_t python_samples; /* marks of them */
	uint64_t untimed, backtraces, graph_rows, failed_calls;
	int64_t failed_code;
	str_id failed_name;
	uint64_t events_told; /* events that the job has been told of */
};

/* A call that recorded a CUDA event on a stream, or that waits for one. */
struct nsys_event {
	uint64_t group, corr;
	int64_t event, sync; /* the handle, which is used again; the number of this recording, 0: not told (before 2026.2) */
	int64_t stream;
};

/* A table with events: the columns that we want and what a row of it becomes. */
struct nsys_table {
	const char *name;
	const char *const *cols;
	size_t n_cols;
	void (*row)(struct nsys_ctx *cx, struct nsys_scan *s);
};
extern const struct nsys_table nsys_sched, nsys_composite, nsys_chains, nsys_cpu_fault, nsys_gpu_fault, nsys_runtime, nsys_kernel, nsys_graph, nsys_memcpy, nsys_memset,
	nsys_sync, nsys_event_record, nsys_nvtx, nsys_osrt, nsys_profiler_overhead, nsys_cupti_overhead;

/* nsys/context.c */
void nsys_ctx_fini(struct nsys_ctx *cx);
/*
 * The name in a cell that holds a string id, or (files made by scripts) the text itself. ID_NONE if
 * the cell is NULL. An id that the file has no string for is ID_NONE if dangling_ok, else "?<id>";
 * one whose string cannot be read likewise ID_NONE or "(unnamed)".
 */
str_id nsys_name(struct nsys_ctx *cx, struct nsys_scan *s, unsigned col, bool dangling_ok);
str_id nsys_intern(struct nsys_ctx *cx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
thread_id nsys_thread(struct nsys_ctx *cx, int64_t global_tid);
track_id nsys_host_track(struct nsys_ctx *cx, enum layer l, int64_t global_tid, str_id domain);
/* group: the globalPid, NSYS_GROUP_NONE unknown */
track_id nsys_gpu_track(struct nsys_ctx *cx, enum layer l, uint64_t group, int64_t device,
			int64_t context, int64_t stream);
/*
 * start and duration of the row into *ev; false (counted as damage) when it has no usable start. A
 * missing end is damage and length 0.
 */
bool nsys_span(struct nsys_ctx *cx, struct nsys_scan *s, unsigned col_start, unsigned col_end,
	       struct builder_event *ev);
/* A time that 64-bit differences cannot overflow with. */
bool nsys_time_ok(int64_t t);
uint64_t nsys_corr(struct nsys_scan *s, unsigned col);

/* loader.c: the tables with events, in the order to read them; NULL-terminated. */
extern const struct nsys_table *const nsys_tables[];
/*
 * Reads an export: what it says of itself, the events (by the given function, which fails only when
 * cancelled or when the system refuses), names, boards, what else there is.
 */
bool nsys_read(struct nsys_ctx *cx, bool (*events)(struct nsys_ctx *cx, struct err *e),
	       struct err *e);
/* All rows of a table that is there; false only when cancelled. */
bool nsys_each_row(struct nsys_ctx *cx, const struct nsys_table *t, struct err *e);

/* nsys/rows.c */
/* Tells the builder of the cells of a wrong type. */
void nsys_tell_wrong(struct nsys_ctx *cx, const struct nsys_scan *s);
/* The rows of a small table in which a column has a value; filter_col NULL: all. */
void nsys_each_row_where(struct nsys_ctx *cx, const struct nsys_table *t, const char *filter_col,
			 int64_t filter);

/* nsys/meta.c, device.c */
void nsys_read_meta(struct nsys_ctx *cx);    /* before the events */
void nsys_read_names(struct nsys_ctx *cx);   /* after them: names of what has events */
void nsys_read_devices(struct nsys_ctx *cx); /* after them */
void nsys_put_switches(struct nsys_ctx *cx); /* after them, before the names */

/* event_wait.c */
void nsys_event_waited(struct nsys_ctx *cx, uint64_t group, uint64_t corr, int64_t event, int64_t sync);
void nsys_put_event_waits(struct nsys_ctx *cx); /* after the events */

/* samples.c */
void nsys_put_samples(struct nsys_ctx *cx); /* after the names */
void nsys_samples_fini(struct nsys_ctx *cx);
/* Names, kept if there are samples of the thread (then of its process, too, if it is the main thread) or the process. */
void nsys_sampled_name(struct nsys_ctx *cx, int64_t gtid, str_id name);
void nsys_sampled_process_name(struct nsys_ctx *cx, uint64_t group, str_id name);
bool nsys_is_sampled(const struct nsys_ctx *cx, int64_t g); /* the process of g, a globalTid or globalPid */


#endif
