/* memalloc.c - view `memalloc`: allocations by the frame of the program that made them */
#include "views/memory/ownership.h"

enum { C_DEVICE, C_OWNER, C_ALLOCS, C_BYTES, C_PEAK, C_END, C_LIFE, C_BASE };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("Device"), UNIT_ID, COL_KEY, 0, N_("number of the device") },
	[C_OWNER] = { "owner", N_("Owner"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("innermost frame of the program itself that allocates; missing where none was recorded") },
	[C_ALLOCS] = { "allocs", N_("Allocs"), UNIT_COUNT, 0, 1, N_("allocations in the window") },
	[C_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, COL_BAR, 0, N_("their bytes, as the program asked for them, freed or not") },
	[C_PEAK] = { "alive_at_peak", N_("At the peak"), UNIT_BYTES, 0, 1, N_("bytes of this owner live at the peak") },
	[C_END] = { "alive_at_end", N_("At the end"), UNIT_BYTES, 0, 2, N_("bytes of this owner live at the end of the recording") },
	[C_LIFE] = { "mean_life_ns", N_("Mean life"), UNIT_NS, 0, 2, N_("mean time from an allocation of the window to its end, of those that end") },
	[C_BASE] = { "base", N_("Before"), UNIT_BOOL, 0, 4, N_("whether it was there before the recording began: its owner is unknown") },
	SOURCE_COLS
};

static void add(const struct history *h, struct table *t, void *arg)
{
	struct ownership w;

	(void)arg;
	ownership_init(&w, h, h->r.peak_entry);
	for (uint32_t i = 0; i < w.n; i++) {
		const struct owner *o = &w.a[i];
		uint32_t row = memory_row(t, h->cx, h->source);

		table_i64(t, row, C_DEVICE, h->r.s->device);
		if (o->frame != ID_NONE)
			owner_cell(t, row, C_OWNER, h->r.p, o->frame);
		table_i64(t, row, C_ALLOCS, (int64_t)o->allocs);
		table_i64(t, row, C_BYTES, o->bytes);
		table_i64(t, row, C_PEAK, o->at_bytes);
		table_i64(t, row, C_END, o->end_bytes);
		if (o->ended)
			table_i64(t, row, C_LIFE, o->life_ns / (int64_t)o->ended);
		table_bool(t, row, C_BASE, o->base);
	}
	ownership_fini(&w);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return histories_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_memalloc = {
	.id = "memalloc", .title = N_("Allocations"), .doc = N_("allocations of device memory by the frame of the program that made them"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
