/*
 * mempeak.c - view `mempeak`: who owned what was allocated at the peak; of a window of time, at the peak within it
 *
 * Rows of a device sum to what was allocated: what was there before the recording is a row of its own, what no stack was recorded for
 * another one.
 */
#include "views/memory/ownership.h"

enum { C_DEVICE, C_OWNER, C_FILE, C_BYTES, C_BLOCKS, C_SHARE, C_BASE, C_BORN, C_DIES, C_END };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("Device"), UNIT_ID, COL_KEY, 0, N_("number of the device") },
	[C_OWNER] = { "owner", N_("Owner"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("innermost frame of the program itself that allocated it; missing where none was recorded") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 8, N_("its file") },
	[C_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, COL_BAR, 0, N_("bytes live at the peak, as the program asked for them") },
	[C_BLOCKS] = { "blocks", N_("Blocks"), UNIT_COUNT, 0, 2, N_("blocks of them") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 1, N_("part of all that was live at the peak") },
	[C_BASE] = { "base", N_("Before"), UNIT_BOOL, 0, 3, N_("whether it was there before the recording began: its owner is unknown") },
	[C_BORN] = { "born_ns", N_("Born"), UNIT_TIME, 0, 4, N_("when the first of them was allocated") },
	[C_DIES] = { "dies_ns", N_("Dies"), UNIT_TIME, 0, 4, N_("when the last of them is freed; missing where one outlives the recording") },
	[C_END] = { "end_bytes", N_("At the end"), UNIT_BYTES, 0, 5, N_("bytes of this owner live at the end of the recording") },
	SOURCE_COLS
};

static void add_owner(const struct history *h, struct table *t, const struct owner *o, int64_t all)
{
	uint32_t row = memory_row(t, h->cx, h->source);
	const struct profile *p = h->r.p;
	size_t n;
	const char *file;

	table_i64(t, row, C_DEVICE, h->r.s->device);
	if (o->frame != ID_NONE) {
		owner_cell(t, row, C_OWNER, p, o->frame);
		file = profile_str(p, p->memory.frames[o->frame].file, &n);
		table_str(t, row, C_FILE, file, n);
	}
	table_i64(t, row, C_BYTES, o->at_bytes);
	table_i64(t, row, C_BLOCKS, (int64_t)o->at_blocks);
	table_share(t, row, C_SHARE, (double)o->at_bytes, (double)all);
	table_bool(t, row, C_BASE, o->base);
	if (o->at_blocks && !o->base)
		table_i64(t, row, C_BORN, history_time(h, o->born));
	if (o->at_blocks)
		table_i64(t, row, C_DIES, history_time(h, o->dies));
	table_i64(t, row, C_END, o->end_bytes);
}

static void add(const struct history *h, struct table *t, void *arg)
{
	int64_t all = h->r.peak_bytes;
	uint32_t at = h->r.peak_entry;
	struct ownership w;

	(void)arg;
	if (h->sc->window == WINDOW_TIME)
		at = replay_peak_within(&h->r, h->from, h->to, &all);
	if (h->sc->window == WINDOW_TIME && at == ID_NONE)
		return;
	ownership_init(&w, h, at);
	for (uint32_t i = 0; i < w.n; i++)
		if (w.a[i].at_bytes)
			add_owner(h, t, &w.a[i], all);
	ownership_fini(&w);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return histories_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_mempeak = {
	.id = "mempeak", .title = N_("Memory at the peak"), .doc = N_("who owned what was allocated at the peak, or at the peak of a window of time"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
