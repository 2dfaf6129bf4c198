/*
 * memory.h - what an allocator did and held, beside the columns of events: the history of each device (allocations, frees, ranges
 * reserved from the driver) and the state at its end (segments and the blocks in them).
 *
 * A series is the history of one device: a run of entries in the order in which they happened. Segments are those of all devices; each
 * owns a run of blocks, in order of address. A stack is a run of frames, innermost first; stacks are shared. Bytes that a file
 * does not tell are I64_UNKNOWN; times are ns from the epoch of the source, NS_UNKNOWN where the file has none.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/schema.h"

struct builder;
struct profile;

enum memory_action {
	MEMORY_ALLOC,
	MEMORY_FREE_REQUESTED,	/* the program gave it back; a stream may still use it */
	MEMORY_FREE_COMPLETED,	/* it can be had again: from here on it is not allocated */
	MEMORY_SEGMENT_ALLOC, MEMORY_SEGMENT_FREE, MEMORY_SEGMENT_MAP, MEMORY_SEGMENT_UNMAP,	/* of the driver */
	MEMORY_SNAPSHOT, MEMORY_OOM,
	MEMORY_OTHER,		/* of a kind that we do not know */
	MEMORY_ACTION_N
};
enum block_state { BLOCK_ACTIVE, BLOCK_AWAITING_FREE, BLOCK_INACTIVE, BLOCK_OTHER, BLOCK_STATE_N };

struct memory_entry {
	ns_t time;
	uint64_t address;	/* OOM: bytes that the device had free */
	int64_t bytes;		/* alloc, free: see `rounded` of the series; segments: from the driver; OOM: asked for */
	uint64_t stream;
	uint32_t stack;		/* of whoever caused it; ID_NONE not recorded */
	uint32_t action;	/* enum memory_action */
};
struct memory_series {
	int64_t device;		/* as the file counts */
	ns_t first_ns, last_ns;	/* of its entries; first > last: none has a time */
	uint32_t first_entry, n_entries;
	uint32_t rounded;	/* bytes of alloc and free are those of the block, not those that were asked for */
	uint32_t more;		/* 0 */
};
struct memory_segment {
	uint64_t address;
	int64_t total, allocated, active, requested;	/* bytes as the file sums them */
	uint64_t stream;
	int64_t pool, pool_more;	/* (0, 0): the default one; -1 unknown */
	int64_t device;			/* -1 unknown */
	uint32_t first_block, n_blocks;
	uint32_t stack;
	uint8_t large, expandable;	/* 2: not told */
	uint16_t more;			/* 0 */
};
struct memory_block {
	uint64_t address;
	int64_t bytes, requested;	/* requested: of what lay in it last where it is inactive */
	uint32_t stack;
	uint32_t state;			/* enum block_state */
};
struct memory_frame {
	str_id function, file;
	int64_t line;
};
struct memory_stack {
	uint32_t first, n;	/* in the ids of frames */
};
struct memory_mark {		/* a range of the program's own (Optimizer.step, …), one end of it */
	ns_t time;
	int64_t device;		/* -1 unknown */
	str_id name;
	uint32_t end;		/* 0 begins, 1 ends */
};

/* A member of struct profile. */
struct memory_records {
	struct memory_series *series;
	struct memory_entry *entries;
	struct memory_segment *segments;
	struct memory_block *blocks;
	struct memory_frame *frames;
	struct memory_stack *stacks;
	uint32_t *stack_frames;
	struct memory_mark *marks;
	uint32_t n_series, n_entries, n_segments, n_blocks, n_frames, n_stacks, n_stack_frames, n_marks;
};

/*
 * Filling a builder. Indices are those of the profile's tables. Sizes below 0, or so large that sums could overflow, become unknown and
 * are counted as damage. Times are UTC ns until builder_memory_done(), which makes the first one the epoch of the source.
 */
uint32_t builder_memory_frame(struct builder *b, str_id function, str_id file, int64_t line);	/* equal ones once */
uint32_t builder_memory_stack(struct builder *b);		/* a new one, without frames */
uint32_t builder_memory_stacks(const struct builder *b);	/* how many there are */
void builder_memory_stack_frame(struct builder *b, uint32_t frame);	/* to the last stack */
uint32_t builder_memory_entry(struct builder *b, const struct memory_entry *e);
uint32_t builder_memory_block(struct builder *b, const struct memory_block *k);
/* first_block and n_blocks: of blocks that no other segment owns. */
uint32_t builder_memory_segment(struct builder *b, const struct memory_segment *s);
uint32_t builder_memory_mark(struct builder *b, const struct memory_mark *m);
/* The entries [first, first + n), which no other series owns. */
void builder_memory_series(struct builder *b, int64_t device, bool rounded, uint32_t first, uint32_t n);
void builder_memory_done(struct builder *b);

/* Time of the last entry of all series, from the epoch on; NS_UNKNOWN without any. */
ns_t profile_memory_end(const struct profile *p);

#endif
