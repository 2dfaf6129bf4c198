/*
 * memory_snapshot.h - writes a small memory snapshot as PyTorch pickles one, with known answers; header only, nothing of src/.
 *
 * Device 0, whose history has 11 entries, times in us from 1 000 000 000 on:
 *
 *	0  1000 segment_alloc 2 MiB at 0x1000000		 6  1050 segment_alloc 20 MiB at 0x2000000
 *	1  1010 alloc 500 at 0x1000000, train.py:10 step	 7  1060 alloc 1000 at 0x2000000, model.py:20 forward
 *	2  1020 alloc 3000 at 0x1000400, model.py:20 forward	 8  1070 oom: 2^30 asked for, 4096 free
 *	3, 4 1030 it is freed					 9, 10 1080 what 7 allocated is freed
 *	5  1040 700 at 0x1000c00 are freed that nobody allocated
 *
 * At the end: segment 0 with 500 bytes of 512 active, 512 of 512 that the history does not allocate, the rest a hole; segment 1, all of
 * it a hole. So the base is 512 + 700 = 1212 bytes; allocated after each alloc and free: 1712, 4712 (the peak, entry 2), 1712, 1012, 2012,
 * 1012. In blocks the peak is 512 + 1024 + 512 + 3072 = 5120. Device 1 has no history. The peak lies inside Optimizer.step.
 */
#ifndef GEN_MEMORY_SNAPSHOT_H
#define GEN_MEMORY_SNAPSHOT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOT_ENTRIES = 11, SNAPSHOT_TEXTS = 96 };

struct snapshot_out {
	unsigned char *a;
	size_t n, cap;
	int protocol;
	uint32_t memo;			/* objects memoised so far */
	struct { const char *s; uint32_t memo; } texts[SNAPSHOT_TEXTS];
	unsigned n_texts;
	uint32_t step_stack, forward_stack;
	size_t entry_end[SNAPSHOT_ENTRIES];	/* where the dict of each entry is complete */
};

static inline void snapshot_put(struct snapshot_out *o, const void *s, size_t n)
{
	if (o->n + n > o->cap) {
		o->cap = 2 * (o->n + n) + 64;
		o->a = realloc(o->a, o->cap);
		if (!o->a)
			abort();
	}
	memcpy(o->a + o->n, s, n);
	o->n += n;
}

/* An opcode and its number of n bytes. */
static inline void snapshot_op(struct snapshot_out *o, int op, uint64_t v, size_t n)
{
	unsigned char b[9] = { (unsigned char)op };

	for (size_t i = 0; i < n; i++)
		b[i + 1] = (unsigned char)(v >> 8 * i);
	snapshot_put(o, b, n + 1);
}

static inline uint32_t snapshot_memoize(struct snapshot_out *o)
{
	if (o->protocol >= 4)
		snapshot_op(o, 0x94, 0, 0);
	else
		snapshot_op(o, o->memo < 256 ? 'q' : 'r', o->memo, o->memo < 256 ? 1 : 4);
	return o->memo++;
}

static inline void snapshot_get(struct snapshot_out *o, uint32_t memo)
{
	snapshot_op(o, memo < 256 ? 'h' : 'j', memo, memo < 256 ? 1 : 4);
}

static inline void snapshot_text(struct snapshot_out *o, const char *s)
{
	for (unsigned i = 0; i < o->n_texts; i++)
		if (!strcmp(o->texts[i].s, s)) {
			snapshot_get(o, o->texts[i].memo);
			return;
		}
	if (o->protocol >= 4)
		snapshot_op(o, 0x8c, strlen(s), 1);
	else
		snapshot_op(o, 'X', strlen(s), 4);
	snapshot_put(o, s, strlen(s));
	o->texts[o->n_texts].s = s;
	o->texts[o->n_texts++].memo = snapshot_memoize(o);
}

static inline void snapshot_int(struct snapshot_out *o, int64_t v)
{
	if (v >= 0 && v < 256)
		snapshot_op(o, 'K', (uint64_t)v, 1);
	else if (v >= 0 && v < 65536)
		snapshot_op(o, 'M', (uint64_t)v, 2);
	else if (v >= INT32_MIN && v <= INT32_MAX)
		snapshot_op(o, 'J', (uint64_t)v, 4);
	else {
		snapshot_op(o, 0x8a, 8, 1);
		for (size_t i = 0; i < 8; i++)
			snapshot_put(o, &(unsigned char){ (unsigned char)((uint64_t)v >> 8 * i) }, 1);
	}
}

static inline uint32_t snapshot_begin(struct snapshot_out *o, int empty)
{
	uint32_t memo;

	snapshot_op(o, empty, 0, 0);
	memo = snapshot_memoize(o);
	snapshot_op(o, '(', 0, 0);
	return memo;
}

static inline void snapshot_key_int(struct snapshot_out *o, const char *key, int64_t v)
{
	snapshot_text(o, key);
	snapshot_int(o, v);
}

static inline void snapshot_key_text(struct snapshot_out *o, const char *key, const char *v)
{
	snapshot_text(o, key);
	snapshot_text(o, v);
}

static inline void snapshot_frame(struct snapshot_out *o, const char *name, const char *file, int line)
{
	snapshot_begin(o, '}');
	snapshot_key_text(o, "name", name);
	snapshot_key_text(o, "filename", file);
	snapshot_key_int(o, "line", line);
	snapshot_op(o, 'u', 0, 0);
}

/* The frames of an entry: the shared list `*stack`, made where it is met first; NULL: none. */
static inline void snapshot_frames(struct snapshot_out *o, uint32_t *stack, const char *name, const char *file, int line)
{
	snapshot_text(o, "frames");
	if (stack && *stack) {
		snapshot_get(o, *stack);
		return;
	}
	if (!stack) {
		snapshot_op(o, ']', 0, 0);
		snapshot_memoize(o);
		return;
	}
	*stack = snapshot_begin(o, ']');
	snapshot_frame(o, "malloc", "??", 0);
	snapshot_frame(o, "linear", "/opt/lib/python3.12/site-packages/torch/nn/functional.py", 125);
	snapshot_frame(o, name, file, line);
	snapshot_op(o, 'e', 0, 0);
}

static inline void snapshot_entry(struct snapshot_out *o, unsigned i, const char *action, int64_t addr, int64_t size, int64_t us, uint32_t *stack)
{
	snapshot_begin(o, '}');
	snapshot_key_text(o, "action", action);
	snapshot_key_int(o, addr < 0 ? "device_free" : "addr", addr < 0 ? -addr : addr);
	snapshot_key_int(o, "size", size);
	snapshot_key_int(o, "stream", 0);
	snapshot_key_int(o, "time_us", 1000000000 + us);
	if (stack == &o->step_stack)
		snapshot_frames(o, stack, "step", "/home/u/train.py", 10);
	else
		snapshot_frames(o, stack, "forward", "C:\\work\\model.py", 20);
	snapshot_op(o, 'u', 0, 0);
	if (i < SNAPSHOT_ENTRIES)
		o->entry_end[i] = o->n;
}

static inline void snapshot_block(struct snapshot_out *o, int64_t address, int64_t size, int64_t requested, const char *state)
{
	snapshot_begin(o, '}');
	snapshot_key_int(o, "address", address);
	snapshot_key_int(o, "size", size);
	snapshot_key_int(o, "requested_size", requested);
	snapshot_key_text(o, "state", state);
	snapshot_frames(o, NULL, NULL, NULL, 0);
	snapshot_op(o, 'u', 0, 0);
}

static inline void snapshot_begin_segment(struct snapshot_out *o, int64_t address, int64_t total, int64_t active, int64_t requested, const char *type)
{
	snapshot_begin(o, '}');
	snapshot_key_int(o, "device", 0);
	snapshot_key_int(o, "address", address);
	snapshot_key_int(o, "total_size", total);
	snapshot_key_int(o, "allocated_size", active);
	snapshot_key_int(o, "active_size", active);
	snapshot_key_int(o, "requested_size", requested);
	snapshot_key_int(o, "stream", 0);
	snapshot_key_text(o, "segment_type", type);
	snapshot_text(o, "segment_pool_id");
	snapshot_int(o, 0);
	snapshot_int(o, 0);
	snapshot_op(o, 0x86, 0, 0);
	snapshot_memoize(o);
	snapshot_text(o, "is_expandable");
	snapshot_op(o, 0x89, 0, 0);
	snapshot_frames(o, NULL, NULL, NULL, 0);
	snapshot_text(o, "blocks");
}

static inline void snapshot_segments(struct snapshot_out *o)
{
	snapshot_text(o, "segments");
	snapshot_begin(o, ']');
	snapshot_begin_segment(o, 0x1000000, 2 << 20, 1024, 1012, "small");
	snapshot_begin(o, ']');
	snapshot_block(o, 0x1000000, 512, 500, "active_allocated");
	snapshot_block(o, 0x1000200, 512, 512, "active_allocated");
	snapshot_block(o, 0x1000400, (2 << 20) - 1024, 3000, "inactive");
	snapshot_op(o, 'e', 0, 0);
	snapshot_op(o, 'u', 0, 0);
	snapshot_begin_segment(o, 0x2000000, 20 << 20, 0, 0, "large");
	snapshot_op(o, ']', 0, 0);
	snapshot_memoize(o);
	snapshot_block(o, 0x2000000, 20 << 20, 1000, "inactive");
	snapshot_op(o, 'a', 0, 0);	/* a list of one */
	snapshot_op(o, 'u', 0, 0);
	snapshot_op(o, 'e', 0, 0);
}

static inline void snapshot_history(struct snapshot_out *o, uint64_t more)
{
	snapshot_text(o, "device_traces");
	snapshot_begin(o, ']');
	snapshot_begin(o, ']');
	snapshot_entry(o, 0, "segment_alloc", 0x1000000, 2 << 20, 1000, NULL);
	snapshot_entry(o, 1, "alloc", 0x1000000, 500, 1010, &o->step_stack);
	snapshot_entry(o, 2, "alloc", 0x1000400, 3000, 1020, &o->forward_stack);
	snapshot_entry(o, 3, "free_requested", 0x1000400, 3000, 1030, NULL);
	snapshot_entry(o, 4, "free_completed", 0x1000400, 3000, 1030, NULL);
	snapshot_entry(o, 5, "free_completed", 0x1000c00, 700, 1040, NULL);
	snapshot_entry(o, 6, "segment_alloc", 0x2000000, 20 << 20, 1050, NULL);
	snapshot_entry(o, 7, "alloc", 0x2000000, 1000, 1060, &o->forward_stack);
	snapshot_entry(o, 8, "oom", -4096, 1 << 30, 1070, &o->forward_stack);
	snapshot_entry(o, 9, "free_requested", 0x2000000, 1000, 1080, NULL);
	snapshot_entry(o, 10, "free_completed", 0x2000000, 1000, 1080, NULL);
	for (uint64_t i = 0; i < more; i++) {
		if (i % 333 == 0) {	/* batches, as pickle writes them */
			snapshot_op(o, 'e', 0, 0);
			snapshot_op(o, '(', 0, 0);
		}
		snapshot_entry(o, SNAPSHOT_ENTRIES, "alloc", 0x2000000, 1000, 2000 + (int64_t)i, &o->forward_stack);
		snapshot_entry(o, SNAPSHOT_ENTRIES, "free_requested", 0x2000000, 1000, 2000 + (int64_t)i, &o->step_stack);
		snapshot_entry(o, SNAPSHOT_ENTRIES, "free_completed", 0x2000000, 1000, 2000 + (int64_t)i, &o->step_stack);
	}
	snapshot_op(o, 'e', 0, 0);
	snapshot_op(o, ']', 0, 0);
	snapshot_memoize(o);
	snapshot_op(o, 'e', 0, 0);
}

static inline void snapshot_annotation(struct snapshot_out *o, const char *stage, int64_t us)
{
	snapshot_begin(o, '}');
	snapshot_key_text(o, "stage", stage);
	snapshot_key_text(o, "name", "Optimizer.step#SGD.step");
	snapshot_key_int(o, "device", 0);
	snapshot_key_int(o, "time_us", 1000000000 + us);
	snapshot_op(o, 'u', 0, 0);
}

/* All of it in a protocol from 2 to 5, with `more` allocations and their frees behind the 11 entries. The caller frees out.a. */
static inline struct snapshot_out snapshot_write(int protocol, uint64_t more)
{
	struct snapshot_out o = { .protocol = protocol };

	snapshot_op(&o, 0x80, (uint64_t)protocol, 1);
	snapshot_begin(&o, '}');
	snapshot_segments(&o);
	snapshot_history(&o, more);
	snapshot_text(&o, "allocator_settings");
	snapshot_op(&o, '}', 0, 0);
	snapshot_memoize(&o);
	snapshot_text(&o, "expandable_segments");
	snapshot_op(&o, 0x88, 0, 0);
	snapshot_op(&o, 's', 0, 0);
	snapshot_text(&o, "external_annotations");
	snapshot_begin(&o, ']');
	snapshot_annotation(&o, "START", 1015);
	snapshot_annotation(&o, "END", 1025);
	snapshot_op(&o, 'e', 0, 0);
	snapshot_op(&o, 'u', 0, 0);
	snapshot_op(&o, '.', 0, 0);
	return o;
}

#endif
