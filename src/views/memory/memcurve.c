/*
 * memcurve.c - view `memcurve`: what was allocated and reserved over time
 *
 * The entries of a device are divided into 500 parts of as many; of each part the entries with the least and with the most allocated
 * are rows, so that no extreme is lost.
 */
#include "views/memory/common.h"

enum { C_DEVICE, C_TIME, C_ENTRY, C_ALLOCATED, C_RESERVED };
enum { PARTS = 500 };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("Device"), UNIT_ID, COL_KEY, 0, N_("number of the device") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_TIME, COL_KEY, 0, N_("when") },
	[C_ENTRY] = { "entry", N_("Entry"), UNIT_ID, 0, 3, N_("number of the entry of the history, from 0 on") },
	[C_ALLOCATED] = { "allocated", N_("Allocated"), UNIT_BYTES, COL_BAR, 0, N_("bytes allocated after it, as the program asked for them") },
	[C_RESERVED] = { "reserved", N_("Reserved"), UNIT_BYTES, 0, 1, N_("bytes that the allocator had from the driver after it") },
	SOURCE_COLS
};

struct point {
	uint32_t entry;
	int64_t allocated, reserved;
};

static void put(const struct history *h, struct table *t, const struct point *x)
{
	uint32_t row = memory_row(t, h->cx, h->source);

	table_i64(t, row, C_DEVICE, h->r.s->device);
	table_i64(t, row, C_TIME, history_time(h, x->entry));
	table_i64(t, row, C_ENTRY, x->entry);
	table_i64(t, row, C_ALLOCATED, x->allocated);
	table_i64(t, row, C_RESERVED, x->reserved);
}

static void put_part(const struct history *h, struct table *t, const struct point *low, const struct point *high)
{
	put(h, t, low->entry < high->entry ? low : high);
	if (low->entry != high->entry)
		put(h, t, low->entry < high->entry ? high : low);
}

static void add(const struct history *h, struct table *t, void *arg)
{
	uint32_t n = h->to - h->from, part = 0;
	struct point x = { 0, h->r.base_bytes, h->r.reserved_base }, low = { 0 }, high = { 0 };
	bool any = false;

	(void)arg;
	for (; x.entry < h->to; x.entry++) {
		x.allocated += h->r.delta[x.entry];
		if (x.reserved != I64_UNKNOWN)
			x.reserved += replay_reserves(&h->r, x.entry);
		if (x.entry < h->from)
			continue;
		if (any && (uint64_t)(x.entry - h->from) * PARTS / n != part) {
			put_part(h, t, &low, &high);
			any = false;
		}
		part = (uint32_t)((uint64_t)(x.entry - h->from) * PARTS / n);
		low = any && low.allocated <= x.allocated ? low : x;
		high = any && high.allocated >= x.allocated ? high : x;
		any = true;
	}
	if (any)
		put_part(h, t, &low, &high);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return histories_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_memcurve = {
	.id = "memcurve", .title = N_("Memory over time"), .doc = N_("what was allocated and reserved over time, with every extreme"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
