/* memsegments.c - view `memsegments`: the ranges that the allocator had from the driver at the end, and what lies in them */
#include <stdio.h>

#include "base/map.h"
#include "base/vec.h"
#include "views/memory/common.h"

enum { C_DEVICE, C_ADDRESS, C_BYTES, C_USED, C_INACTIVE, C_BLOCKS, C_HOLES, C_LARGEST, C_STREAM, C_POOL, C_SIZE, C_EXPANDABLE, C_OWNER };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("Device"), UNIT_ID, COL_KEY, 0, N_("number of the device") },
	[C_ADDRESS] = { "address", N_("Address"), UNIT_ID, COL_KEY, 0, N_("address of its first byte, from the lowest segment of the device on") },
	[C_BYTES] = { "bytes", N_("Size"), UNIT_BYTES, COL_BAR, 0, N_("size of the segment") },
	[C_USED] = { "used", N_("Used"), UNIT_BYTES, 0, 1, N_("bytes of its active blocks") },
	[C_INACTIVE] = { "inactive", N_("Inactive"), UNIT_BYTES, 0, 2, N_("bytes of its other blocks") },
	[C_BLOCKS] = { "blocks", N_("Blocks"), UNIT_COUNT, 0, 4, N_("blocks in it") },
	[C_HOLES] = { "holes", N_("Holes"), UNIT_COUNT, 0, 3, N_("inactive blocks in it") },
	[C_LARGEST] = { "largest_hole", N_("Largest hole"), UNIT_BYTES, 0, 3, N_("bytes of the largest of them") },
	[C_STREAM] = { "stream", N_("Stream"), UNIT_ID, 0, 6, N_("stream that its blocks are for") },
	[C_POOL] = { "pool", N_("Pool"), UNIT_TEXT, 0, 6, N_("memory pool: 0,0 is the default one") },
	[C_SIZE] = { "size_class", N_("For"), UNIT_TEXT, 0, 5, N_("small: for requests up to 1 MiB; large") },
	[C_EXPANDABLE] = { "expandable", N_("Expandable"), UNIT_BOOL, 0, 7, N_("whether its size is the mapped part of a larger range") },
	[C_OWNER] = { "owner", N_("Reserved by"), UNIT_TEXT, COL_NAME, 4, N_("frame of the program that made the allocator reserve it, where recorded") },
	SOURCE_COLS
};

struct inside {
	int64_t used, inactive, holes, largest;
};

static struct inside look_inside(const struct profile *p, const struct memory_segment *s)
{
	struct inside x = { 0 };

	for (uint32_t i = s->first_block; i < s->first_block + s->n_blocks; i++) {
		const struct memory_block *k = &p->memory.blocks[i];
		int64_t bytes = k->bytes == I64_UNKNOWN ? 0 : k->bytes;

		if (k->state != BLOCK_INACTIVE) {
			x.used += bytes;
			continue;
		}
		x.inactive += bytes;
		x.holes++;
		x.largest = bytes > x.largest ? bytes : x.largest;
	}
	return x;
}

/* The lowest address of each device. */
struct lows {
	struct map of;		/* device -> index */
	VEC(uint64_t) low;
};

static uint32_t low_index(struct lows *w, const struct memory_segment *s)
{
	uint32_t i = map_get_or_put(&w->of, (uint64_t)s->device, 0, (uint32_t)w->low.n);

	if (i == w->low.n)
		VEC_PUSH(&w->low, s->address);
	return i;
}

static void find_lows(struct lows *w, const struct profile *p)
{
	for (uint32_t i = 0; i < p->memory.n_segments; i++) {
		uint32_t k = low_index(w, &p->memory.segments[i]);

		if (p->memory.segments[i].address < w->low.a[k])
			w->low.a[k] = p->memory.segments[i].address;
	}
}

static void put_kind(struct table *t, uint32_t row, const struct memory_segment *s)
{
	char pool[64];

	table_i64(t, row, C_STREAM, (int64_t)s->stream);
	if (s->pool >= 0) {
		snprintf(pool, sizeof(pool), "%lld,%lld", (long long)s->pool, (long long)s->pool_more);
		table_cstr(t, row, C_POOL, pool);
	}
	if (s->large < 2)
		table_cstr(t, row, C_SIZE, s->large ? "large" : "small");
	if (s->expandable < 2)
		table_bool(t, row, C_EXPANDABLE, s->expandable);
}

struct memsegments_walk {
	const struct an_ctx *cx;
	const struct scope *sc;
};

static void add(const struct profile *p, uint32_t source, struct table *t, void *arg)
{
	const struct memsegments_walk *w = arg;
	struct lows lows = { 0 };

	find_lows(&lows, p);
	for (uint32_t i = 0; i < p->memory.n_segments; i++) {
		const struct memory_segment *s = &p->memory.segments[i];
		struct inside x = look_inside(p, s);
		uint32_t row, owner = owner_frame(p, s->stack);

		if (w->sc->device != SCOPE_ANY && s->device != w->sc->device)
			continue;
		row = memory_row(t, w->cx, source);
		if (s->device >= 0)
			table_i64(t, row, C_DEVICE, s->device);
		table_i64(t, row, C_ADDRESS, (int64_t)(s->address - lows.low.a[low_index(&lows, s)]));
		table_i64(t, row, C_BYTES, s->total);
		table_i64(t, row, C_USED, x.used);
		table_i64(t, row, C_INACTIVE, x.inactive);
		table_i64(t, row, C_BLOCKS, s->n_blocks);
		table_i64(t, row, C_HOLES, x.holes);
		table_i64(t, row, C_LARGEST, x.largest);
		put_kind(t, row, s);
		if (owner != ID_NONE)
			owner_cell(t, row, C_OWNER, p, owner);
	}
	map_fini(&lows.of);
	VEC_FREE(&lows.low);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct memsegments_walk w = { cx, sc };

	return memory_sources_walk(cx, sc, t, add, &w, e);
}

const struct analysis an_memsegments = {
	.id = "memsegments", .title = N_("Memory segments"), .doc = N_("what the allocator had from the driver at the end, segment by segment"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
