/*
 * memory.c - view `memory`: what each device held, at its peak and at the end
 *
 * Figures of the end are those of the segments and blocks of the snapshot; those of the peak come from the history replayed
 * (replay.h). Fragmented: inactive bytes in segments that hold an active block; freeable: segments without one.
 */
#include "views/memory/common.h"

#include "rules/words.h"

enum { C_DEVICE, C_RESERVED, C_ALLOCATED, C_ACTIVE, C_REQUESTED, C_PEAK, C_PEAK_ROUNDED, C_PEAK_TIME, C_PEAK_STEP, C_PEAK_PHASE, C_PEAK_ENTRY,
	C_BASE, C_LOSS, C_INACTIVE, C_FRAGMENTED, C_FREEABLE, C_LARGEST, C_SEGMENTS, C_BLOCKS, C_ACTIVE_BLOCKS, C_ENTRIES, C_ALLOCS, C_FREES,
	C_OOM, C_CAPACITY, C_HEADROOM };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("Device"), UNIT_ID, COL_KEY, 0, N_("number of the device") },
	[C_RESERVED] = { "reserved_end", N_("Reserved"), UNIT_BYTES, COL_BAR, 0, N_("bytes that the allocator had from the driver at the end") },
	[C_ALLOCATED] = { "allocated_end", N_("Allocated"), UNIT_BYTES, 0, 1, N_("bytes of blocks that were allocated at the end") },
	[C_ACTIVE] = { "active_end", N_("Active"), UNIT_BYTES, 0, 5, N_("bytes of blocks that were allocated, or waited for a stream, at the end") },
	[C_REQUESTED] = { "requested_end", N_("Requested"), UNIT_BYTES, 0, 5, N_("bytes that the program asked for of the active blocks at the end") },
	[C_PEAK] = { "peak_allocated", N_("Peak"), UNIT_BYTES, 0, 0, N_("most bytes allocated at once, as the program asked for them, with what was there before the recording") },
	[C_PEAK_ROUNDED] = { "peak_rounded", N_("Peak in blocks"), UNIT_BYTES, 0, 2, N_("most bytes of blocks at once: requests rounded up to 512 bytes") },
	[C_PEAK_TIME] = { "peak_time_ns", N_("Peak at"), UNIT_TIME, 0, 2, N_("when the peak was reached first") },
	[C_PEAK_STEP] = { "peak_step", N_("Step"), UNIT_ID, 0, 3, N_("step in which the peak lies") },
	[C_PEAK_PHASE] = { "peak_phase", N_("Phase"), UNIT_TEXT, 0, 3, N_("phase in which the peak lies") },
	[C_PEAK_ENTRY] = { "peak_entry", N_("Peak entry"), UNIT_ID, 0, 8, N_("number of the entry of the history that reached the peak, from 0 on") },
	[C_BASE] = { "base_bytes", N_("Before"), UNIT_BYTES, 0, 3, N_("bytes that were allocated when the recording began, of unknown origin") },
	[C_LOSS] = { "rounding_loss", N_("Rounding"), UNIT_BYTES, 0, 4, N_("bytes of active blocks at the end that nobody asked for") },
	[C_INACTIVE] = { "inactive", N_("Inactive"), UNIT_BYTES, 0, 5, N_("reserved bytes at the end that no block used") },
	[C_FRAGMENTED] = { "fragmented", N_("Fragmented"), UNIT_BYTES, 0, 2, N_("inactive bytes at the end in segments that hold an active block") },
	[C_FREEABLE] = { "freeable", N_("Freeable"), UNIT_BYTES, 0, 4, N_("bytes at the end of segments without an active block: empty_cache() gives them back") },
	[C_LARGEST] = { "largest_inactive", N_("Largest hole"), UNIT_BYTES, 0, 4, N_("bytes of the largest inactive block at the end") },
	[C_SEGMENTS] = { "segments", N_("Segments"), UNIT_COUNT, 0, 6, N_("ranges from the driver at the end") },
	[C_BLOCKS] = { "blocks", N_("Blocks"), UNIT_COUNT, 0, 6, N_("blocks in them") },
	[C_ACTIVE_BLOCKS] = { "active_blocks", N_("Active blocks"), UNIT_COUNT, 0, 7, N_("those of them that were allocated at the end") },
	[C_ENTRIES] = { "entries", N_("Entries"), UNIT_COUNT, 0, 7, N_("entries of the history") },
	[C_ALLOCS] = { "allocs", N_("Allocs"), UNIT_COUNT, 0, 5, N_("allocations in the history") },
	[C_FREES] = { "frees", N_("Frees"), UNIT_COUNT, 0, 5, N_("blocks given back in the history") },
	[C_OOM] = { "oom", N_("OOM"), UNIT_COUNT, 0, 2, N_("times that memory ran out, see view oom") },
	[C_CAPACITY] = { "capacity", N_("Capacity"), UNIT_BYTES, 0, 4, N_("memory of the device, where a trace of the same run says it") },
	[C_HEADROOM] = { "headroom", N_("Headroom"), UNIT_BYTES, 0, 3, N_("capacity less the peak in blocks") },
	SOURCE_COLS
};

struct state {
	int64_t total, allocated, active, requested, loss, inactive, fragmented, freeable, largest;
	int64_t segments, blocks, active_blocks;
};

static int64_t or_0(int64_t bytes)
{
	return bytes == I64_UNKNOWN ? 0 : bytes;
}

static void add_block(struct state *x, const struct memory_block *k, int64_t *hole)
{
	x->blocks++;
	x->active_blocks += k->state == BLOCK_ACTIVE;
	if (k->state == BLOCK_INACTIVE) {
		*hole += or_0(k->bytes);
		x->largest = or_0(k->bytes) > x->largest ? k->bytes : x->largest;
	} else {
		x->requested += or_0(k->requested);
		x->loss += or_0(k->bytes) - or_0(k->requested);
	}
}

static void add_segment(struct state *x, const struct profile *p, const struct memory_segment *s)
{
	int64_t hole = 0;

	x->segments++;
	x->total += or_0(s->total);
	x->allocated += or_0(s->allocated);
	x->active += or_0(s->active);
	for (uint32_t i = s->first_block; i < s->first_block + s->n_blocks; i++)
		add_block(x, &p->memory.blocks[i], &hole);
	x->inactive += hole;
	if (or_0(s->active))
		x->fragmented += hole;
	else
		x->freeable += or_0(s->total);
}

static void put_state(struct table *t, uint32_t row, const struct profile *p, int64_t device)
{
	struct state x = { 0 };

	for (uint32_t i = 0; i < p->memory.n_segments; i++)
		if (p->memory.segments[i].device == device)
			add_segment(&x, p, &p->memory.segments[i]);
	if (!p->memory.n_segments)
		return;
	table_i64(t, row, C_RESERVED, x.total);
	table_i64(t, row, C_ALLOCATED, x.allocated);
	table_i64(t, row, C_ACTIVE, x.active);
	table_i64(t, row, C_REQUESTED, x.requested);
	table_i64(t, row, C_LOSS, x.loss);
	table_i64(t, row, C_INACTIVE, x.inactive);
	table_i64(t, row, C_FRAGMENTED, x.fragmented);
	table_i64(t, row, C_FREEABLE, x.freeable);
	table_i64(t, row, C_LARGEST, x.largest);
	table_i64(t, row, C_SEGMENTS, x.segments);
	table_i64(t, row, C_BLOCKS, x.blocks);
	table_i64(t, row, C_ACTIVE_BLOCKS, x.active_blocks);
}

/* I64_UNKNOWN: no source of the same clock says it. */
static int64_t capacity(const struct history *h)
{
	for (uint32_t i = 0; i < h->cx->session->n_sources; i++) {
		const struct source *s = &h->cx->session->sources[i];

		for (uint32_t k = 0; s->profile && s->clock_group == h->src->clock_group && k < s->profile->n_devices; k++)
			if (s->profile->devices[k].device == h->r.s->device && s->profile->devices[k].mem_bytes > 0)
				return s->profile->devices[k].mem_bytes;
	}
	return I64_UNKNOWN;
}

static void put_peak(struct table *t, uint32_t row, const struct history *h)
{
	struct moment m = history_moment(h, h->r.peak_entry);
	int64_t whole = capacity(h);

	table_i64(t, row, C_PEAK, h->r.peak_bytes);
	table_i64(t, row, C_PEAK_ROUNDED, h->r.peak_rounded);
	table_i64(t, row, C_PEAK_TIME, history_time(h, h->r.peak_entry));
	table_i64(t, row, C_PEAK_STEP, m.step);
	if (m.phase < PHASE_N)
		table_cstr(t, row, C_PEAK_PHASE, phase_name(m.phase));
	if (h->r.peak_entry != ID_NONE)
		table_i64(t, row, C_PEAK_ENTRY, h->r.peak_entry);
	table_i64(t, row, C_CAPACITY, whole);
	if (whole != I64_UNKNOWN)
		table_i64(t, row, C_HEADROOM, whole - h->r.peak_rounded);
}

static void add(const struct history *h, struct table *t, void *arg)
{
	uint32_t row = memory_row(t, h->cx, h->source);

	(void)arg;
	table_i64(t, row, C_DEVICE, h->r.s->device);
	put_state(t, row, h->r.p, h->r.s->device);
	put_peak(t, row, h);
	table_i64(t, row, C_BASE, h->r.base_bytes);
	table_i64(t, row, C_ENTRIES, h->r.s->n_entries);
	table_i64(t, row, C_ALLOCS, (int64_t)h->r.allocs);
	table_i64(t, row, C_FREES, (int64_t)h->r.frees);
	table_i64(t, row, C_OOM, (int64_t)h->r.ooms);
	if (h->r.unknown)
		table_note(t, ngettext("device %lld: %llu entry says too little of what was allocated: peak and base are estimates",
			"device %lld: %llu entries say too little of what was allocated: peak and base are estimates", (unsigned long)h->r.unknown),
			(long long)h->r.s->device, (unsigned long long)h->r.unknown);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return histories_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_memory = {
	.id = "memory", .title = N_("Memory"), .doc = N_("what each device held of a memory snapshot: peak, end, fragmentation"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
