/* oom.c - view `oom`: the times that device memory ran out, and who held it then */
#include "views/memory/ownership.h"

enum { C_DEVICE, C_TIME, C_ASKED, C_FREE, C_ALLOCATED, C_RESERVED, C_STEP, C_PHASE, C_ASKER, C_TOP, C_TOP_BYTES };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("Device"), UNIT_ID, COL_KEY, 0, N_("number of the device") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_TIME, COL_KEY, 0, N_("when") },
	[C_ASKED] = { "asked", N_("Asked"), UNIT_BYTES, 0, 0, N_("bytes that were asked for") },
	[C_FREE] = { "device_free", N_("Free"), UNIT_BYTES, 0, 1, N_("bytes that the device had free, by its driver") },
	[C_ALLOCATED] = { "allocated", N_("Allocated"), UNIT_BYTES, 0, 1, N_("bytes allocated then, as the program asked for them") },
	[C_RESERVED] = { "reserved", N_("Reserved"), UNIT_BYTES, 0, 1, N_("bytes that the allocator had from the driver then") },
	[C_STEP] = { "step", N_("Step"), UNIT_ID, 0, 3, N_("step in which it happened") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 3, N_("phase in which it happened") },
	[C_ASKER] = { "asked_by", N_("Asked by"), UNIT_TEXT, COL_NAME, 1, N_("frame of the program that asked for it") },
	[C_TOP] = { "top_owner", N_("Largest owner"), UNIT_TEXT, 0, 2, N_("frame of the program that owned most then; missing: what was there before the recording") },
	[C_TOP_BYTES] = { "top_owner_bytes", N_("Its bytes"), UNIT_BYTES, 0, 2, N_("bytes that it owned") },
	SOURCE_COLS
};

static void put_owner(struct table *t, uint32_t row, const struct history *h, uint32_t at)
{
	struct ownership w;

	ownership_init(&w, h, at);
	if (w.n && w.a[0].at_bytes) {
		if (w.a[0].frame != ID_NONE)
			owner_cell(t, row, C_TOP, h->r.p, w.a[0].frame);
		table_i64(t, row, C_TOP_BYTES, w.a[0].at_bytes);
	}
	ownership_fini(&w);
}

static void add_event(const struct history *h, struct table *t, uint32_t i, int64_t allocated, int64_t reserved)
{
	const struct memory_entry *e = replay_entry(&h->r, i);
	uint32_t row = memory_row(t, h->cx, h->source), asker = owner_frame(h->r.p, e->stack);
	struct moment m = history_moment(h, i);

	table_i64(t, row, C_DEVICE, h->r.s->device);
	table_i64(t, row, C_TIME, history_time(h, i));
	table_i64(t, row, C_ASKED, e->bytes);
	table_i64(t, row, C_FREE, (int64_t)e->address);
	table_i64(t, row, C_ALLOCATED, allocated);
	table_i64(t, row, C_RESERVED, reserved);
	table_i64(t, row, C_STEP, m.step);
	if (m.phase < PHASE_N)
		table_cstr(t, row, C_PHASE, phase_name(m.phase));
	if (asker != ID_NONE)
		owner_cell(t, row, C_ASKER, h->r.p, asker);
	put_owner(t, row, h, i);
}

/* A program that runs out of memory again and again is shown so often. */
enum { EVENTS_MAX = 100 };

static void add(const struct history *h, struct table *t, void *arg)
{
	int64_t allocated = h->r.base_bytes, reserved = h->r.reserved_base;
	uint32_t n = 0;

	(void)arg;
	for (uint32_t i = 0; i < h->to; i++) {
		allocated += h->r.delta[i];
		if (reserved != I64_UNKNOWN)
			reserved += replay_reserves(&h->r, i);
		if (i >= h->from && replay_entry(&h->r, i)->action == MEMORY_OOM && n++ < EVENTS_MAX)
			add_event(h, t, i, allocated, reserved);
	}
	if (n > EVENTS_MAX)
		table_note(t, _("device %lld: of %u times that memory ran out the first %d are shown"), (long long)h->r.s->device, n, EVENTS_MAX);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return histories_walk(cx, sc, t, add, NULL, e);
}

const struct analysis an_oom = {
	.id = "oom", .title = N_("Out of memory"), .doc = N_("the times that device memory ran out, and who held it then"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
