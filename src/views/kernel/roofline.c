/*
 * roofline.c - view `roofline`: work and traffic of a profiled launch against the roofs of its device, by the report's own charts
 *
 * intensity = FLOP/s by byte/s; ridge = peak FLOP/s by peak byte/s; left of it memory is the roof, right of it computation.
 */
#include <inttypes.h>
#include <math.h>

#include "views/kernel/common.h"

enum { C_ID, C_ROOF, C_LEVEL, C_FLOPS, C_BYTES, C_INTENSITY, C_RIDGE, C_PEAK_FLOPS, C_PEAK_BYTES, C_SHARE, C_SIDE };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_ROOF] = { "roof", N_("Roof"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("kind of work: fp64, fp32, fp16, tensor-…") },
	[C_LEVEL] = { "level", N_("Level"), UNIT_TEXT, COL_KEY, 0, N_("memory that the bytes are counted at: dram, l2, l1") },
	[C_FLOPS] = { "flops", N_("FLOP/s"), UNIT_FACTOR, 0, 1, N_("operations a second that the launch did") },
	[C_BYTES] = { "bytes_per_s", N_("Bytes/s"), UNIT_FACTOR, 0, 2, N_("bytes a second that it moved") },
	[C_INTENSITY] = { "intensity", N_("Intensity"), UNIT_FACTOR, 0, 1, N_("operations a byte") },
	[C_RIDGE] = { "ridge", N_("Ridge"), UNIT_FACTOR, 0, 2, N_("operations a byte where the two roofs meet") },
	[C_PEAK_FLOPS] = { "peak_flops", N_("Peak FLOP/s"), UNIT_FACTOR, 0, 3, N_("operations a second that the device can do, at the clock of the measurement") },
	[C_PEAK_BYTES] = { "peak_bytes_per_s", N_("Peak bytes/s"), UNIT_FACTOR, 0, 3, N_("bytes a second that this memory can move") },
	[C_SHARE] = { "achieved_share", N_("Of the roof"), UNIT_RATIO, COL_BAR, 0, N_("operations a second by those that the roof allows at this intensity") },
	[C_SIDE] = { "side", N_("Side"), UNIT_TEXT, 0, 1, N_("the roof above the launch: compute or memory") },
	SOURCE_COLS
};

static const char *level_name(uint32_t level)
{
	static const char *const names[LEVEL_N] = { NULL, "dram", "l2", "l1" };

	return names[level];
}

static void put_point(struct table *t, uint32_t row, const struct kernel_roof *r)
{
	double intensity = r->flops / r->bytes_per_s, ridge = r->peak_flops / r->peak_bytes_per_s, roof;

	if (!(r->flops > 0) || !isfinite(intensity) || !isfinite(ridge))
		return;
	number_cell(t, row, C_INTENSITY, intensity);
	roof = intensity < ridge ? intensity * r->peak_bytes_per_s : r->peak_flops;
	number_cell(t, row, C_SHARE, r->flops / roof);
	table_cstr(t, row, C_SIDE, intensity < ridge ? "memory" : "compute");
}

static void add(const struct launch *x, struct table *t, void *arg)
{
	*(uint64_t *)arg += !x->l->n_roofs;
	for (uint32_t i = x->l->first_roof; i < x->l->first_roof + x->l->n_roofs; i++) {
		const struct kernel_roof *r = &x->p->reports.roofs[i];
		uint32_t row = launch_row(t, x);

		launch_str(t, row, C_ROOF, x, r->roof);
		if (level_name(r->level))
			table_cstr(t, row, C_LEVEL, level_name(r->level));
		number_cell(t, row, C_FLOPS, r->flops);
		number_cell(t, row, C_BYTES, r->bytes_per_s);
		number_cell(t, row, C_RIDGE, r->peak_flops / r->peak_bytes_per_s);
		number_cell(t, row, C_PEAK_FLOPS, r->peak_flops);
		number_cell(t, row, C_PEAK_BYTES, r->peak_bytes_per_s);
		put_point(t, row, r);
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	uint64_t without = 0;

	if (!launches_walk(cx, sc, t, add, &without, e))
		return false;
	if (without)
		table_note(t, ngettext("%" PRIu64 " launch without a roofline: profile with --set roofline or --set full",
			"%" PRIu64 " launches without a roofline: profile with --set roofline or --set full", (unsigned long)without), without);
	return true;
}

const struct analysis an_roofline = {
	.id = "roofline", .title = N_("Roofline"), .doc = N_("work and traffic of profiled launches against the roofs of their device"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
