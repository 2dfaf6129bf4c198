/* profile_file_impl.h - the layout of a cache file, shared by cache.c (table, writing), profile_open.c and profile_check.c. Private to src/model. */
#ifndef REOPEN_PROFILE_FILE_IMPL_H
#define REOPEN_PROFILE_FILE_IMPL_H

#include <pthread.h>

#include "reopen/profile_file.h"

#define CACHE_MAGIC "pdcache\n"
#define CACHE_BYTE_ORDER 0x01020304u
#define CACHE_FORMAT 1u			/* raise it when the layout of the file changes; that of structs is noticed by itself */
#define CACHE_PAGE 4096u
#define CACHE_BLOCK 16384u		/* elements that are summed at a time: a section's checksum is that of its blocks' checksums */
#define CACHE_SLACK 64u			/* room below 2^32 for counts, so that n + 1 is no overflow */

struct cache_header {
	char magic[8];
	uint32_t byte_order, format;
	uint64_t layout;		/* hash of the structs and vocabularies that the sections use */
	uint64_t file_bytes;
	uint32_t n_sections, reserved;
	struct cache_source source;
	char loader[CACHE_LOADER_MAX];	/* NUL-padded */
	uint64_t checksum;		/* of header (with 0 here) and directory */
};
struct cache_section {			/* the directory: one behind the header for each section, in order of id */
	uint32_t id, size;		/* size of an element */
	uint64_t count, offset, checksum;
};
struct cache_meta {
	int64_t bytes, epoch_ns, rank, world, sampled_wall_ns, sampled_cpu_ns, first_ns, last_ns;
	uint32_t format, producer, version, caps, n_damages, n_notes;
};
struct cache_damage {			/* its phrase: the text with the same index */
	int64_t offset;
	uint64_t count;
};

enum section {
	SEC_META, SEC_PATH, SEC_TRACKS, SEC_THREADS, SEC_PROCESSES, SEC_DEVICES, SEC_CONTENTS, SEC_OPTIONS, SEC_CMDLINES,
	SEC_DAMAGES,
	SEC_TEXTS,		/* phrases of the damages, then notes; a NUL behind each */
	SEC_SMALL_N,		/* all before it are verified first */
	SEC_STR_OFF = SEC_SMALL_N, SEC_STR_BLOB,
	SEC_START, SEC_DUR, SEC_SELF, SEC_NAME, SEC_PARENT, SEC_LINK, SEC_AUX,
	SEC_BY_LAUNCH, SEC_COPIES, SEC_KERNELS, SEC_COLLECTIVES, SEC_OP_DETAILS, SEC_UMS, SEC_EVENT_WAITS, SEC_FRAMES, SEC_FRAME_LINES,
	SEC_FRAME_SAMPLES,
	SEC_PROFILED, SEC_METRICS, SEC_INSTANCES, SEC_LINES, SEC_KERNEL_RULES, SEC_ROOFS,
	SEC_MEMORY_SERIES, SEC_MEMORY_ENTRIES, SEC_MEMORY_SEGMENTS, SEC_MEMORY_BLOCKS, SEC_MEMORY_FRAMES, SEC_MEMORY_STACKS,
	SEC_MEMORY_STACK_FRAMES, SEC_MEMORY_MARKS, SEC_N
};
#define SEC_EVENT_N (SEC_AUX - SEC_START + 1)
#define CACHE_NO_MEMBER SIZE_MAX

struct section_def {
	const char *name;	/* for messages */
	uint32_t size;
	size_t at, count_at;	/* offsets of the array and of its count (u32) in struct profile; CACHE_NO_MEMBER: has its own rule */
	void (*clean)(void *to, const void *from);	/* copies an element without what lies in its gaps; NULL: it has none */
};
extern const struct section_def cache_sections[SEC_N];

#define CACHE_HEAD_BYTES (sizeof(struct cache_header) + SEC_N * sizeof(struct cache_section))

uint64_t cache_layout(void);
/* Checksum of header and directory, which stand one behind the other at `head`. */
uint64_t cache_head_sum(const void *head);

/* ---- profile_check.c ---- */

/* What a pass over all events finds, to be compared with what the file says. */
struct check_sum {
	uint64_t linked;	/* GPU work with a launch */
	ns_t first_ns, last_ns;
};
struct check_stack {		/* scratch memory of one thread */
	uint32_t *a;
	size_t n, cap;
};
/* Tables: tracks, threads, processes, devices, contents, options, command lines, and the numbers of strings. Sets layer_track and layer_first. */
bool check_tables(struct profile *p);
/*
 * Elements [a, b) of the section; tables must have been checked before. They may be called in any order and at the same time, and trust
 * nothing of what another call checks.
 */
bool check_events(const struct profile *p, uint32_t a, uint32_t b, struct check_stack *st, struct check_sum *sum);
bool check_strings(const struct profile *p, uint64_t blob_bytes, uint32_t a, uint32_t b);
bool check_launches(const struct profile *p, uint32_t a, uint32_t b);
bool check_copies(const struct profile *p, uint32_t a, uint32_t b);
bool check_kernels(const struct profile *p, uint32_t a, uint32_t b);
bool check_collectives(const struct profile *p, uint32_t a, uint32_t b);
bool check_op_details(const struct profile *p, uint32_t a, uint32_t b);
bool check_event_waits(const struct profile *p, uint32_t a, uint32_t b);
bool check_ums(const struct profile *p, uint32_t a, uint32_t b);
bool check_frames(const struct profile *p, uint32_t a, uint32_t b, struct check_stack *st);
bool check_frame_lines(const struct profile *p, uint32_t a, uint32_t b);
bool check_frame_samples(const struct profile *p, uint32_t a, uint32_t b);
/* Launches that a kernel profiler measured, by the section that holds the elements. */
bool check_reports(const struct profile *p, enum section sec, uint32_t a, uint32_t b);
/* What an allocator did and held, by the section that holds the elements. */
bool check_memory(const struct profile *p, enum section sec, uint32_t a, uint32_t b);
/* All of it, in one thread. */
bool check_profile(const struct profile *p);

#endif
