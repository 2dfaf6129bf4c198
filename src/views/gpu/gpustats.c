/*
 * gpustats.c - view `gpustats`: how the parts of a device's wall time vary over the steps of the window. The steps are the rows of
 * `gpu --by step`; nothing is measured here a second time.
 */
#include <stdlib.h>
#include <string.h>

#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "table/get.h"

enum { C_DEVICE, C_WHAT, C_N, C_MEDIAN, C_P90, C_MIN, C_MAX, C_AVG, C_STDDEV, C_TOTAL, C_SHARE };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device in the file") },
	[C_WHAT] = { "quantity", N_("Part of the step"), UNIT_TEXT, COL_KEY, 0, N_("the step, or what the device does in it") },
	[C_N] = { "n", N_("Steps"), UNIT_COUNT, 0, 2, N_("steps of the window") },
	[C_MEDIAN] = { "median_ns", N_("Median"), UNIT_NS, COL_BAR, 0, N_("of an even number of steps the lower of the two middle ones") },
	[C_P90] = { "p90_ns", N_("p90"), UNIT_NS, 0, 1, N_("90th percentile (nearest rank)") },
	[C_MIN] = { "min_ns", N_("Min"), UNIT_NS, 0, 3, N_("smallest") },
	[C_MAX] = { "max_ns", N_("Max"), UNIT_NS, 0, 2, N_("largest") },
	[C_AVG] = { "avg_ns", N_("Avg"), UNIT_NS, 0, 4, N_("mean") },
	[C_STDDEV] = { "stddev_ns", N_("StdDev"), UNIT_NS, 0, 6, N_("standard deviation of the sample (n - 1)") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, 0, 5, N_("over all steps of the window") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 1, N_("of the steps") },
	SOURCE_COLS
};

/* Columns of `gpu`; the first is what the shares are of. The parts from compute to idle sum to it in each step. */
static const struct { const char *column, *name; } quantities[] = {
	{ "window_ns", "step" }, { "compute_ns", "compute" }, { "exposed_comm_ns", "exposed communication" },
	{ "exposed_memcpy_ns", "exposed copy" }, { "idle_ns", "idle" }, { "exposed_htod_ns", "exposed HtoD" },
	{ "exposed_dtoh_ns", "exposed DtoH" }, { "exposed_both_ns", "exposed both ways" }, { "exposed_dtod_ns", "exposed DtoD" },
	{ "exposed_ptop_ns", "exposed PtoP" }, { "exposed_memset_ns", "exposed memset" }, { "exposed_rest_ns", "exposed other" },
	{ "kernel_busy_ns", "kernel busy" },
};
#define N_QUANTITIES (sizeof(quantities) / sizeof(*quantities))

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->type == b->type && cell_cmp(a, b) == 0;
}

/* Rows of one device stand together. */
static uint32_t device_end(const struct table *steps, uint32_t row)
{
	uint32_t device = (uint32_t)table_col(steps, "device"), source = steps->n_cols - N_SOURCE_COLS, end = row + 1;

	while (end < steps->n_rows && same_cell(table_cell(steps, row, device), table_cell(steps, end, device)) &&
	       same_cell(table_cell(steps, row, source), table_cell(steps, end, source)))
		end++;
	return end;
}

static void copy_cell(struct table *t, uint32_t row, uint32_t col, const struct cell *c)
{
	if (c->type == CELL_STR)
		table_str(t, row, col, c->v.s, c->len);
	else if (c->type == CELL_I64)
		table_i64(t, row, col, c->v.i);
}

static void put_quantity(struct table *t, const struct table *steps, uint32_t first, const char *name, struct stats *s, int64_t whole)
{
	uint32_t row = table_row(t);

	copy_cell(t, row, C_DEVICE, get_cell(steps, first, "device"));
	table_cstr(t, row, C_WHAT, name);
	table_i64(t, row, C_N, (int64_t)stats_n(s));
	table_i64(t, row, C_MEDIAN, stats_lower_median(s));
	table_i64(t, row, C_P90, stats_percentile(s, 90));
	table_i64(t, row, C_MIN, s->min);
	table_i64(t, row, C_MAX, s->max);
	table_f64(t, row, C_AVG, stats_mean(s));
	table_f64(t, row, C_STDDEV, stats_stddev(s));
	table_i64(t, row, C_TOTAL, s->total);
	if (whole)
		table_share(t, row, C_SHARE, (double)s->total, (double)whole);
	t->refs[row] = steps->refs[first];
	t->refs[row].name_col = C_DEVICE;
	for (uint32_t i = 1; i <= N_SOURCE_COLS; i++)
		copy_cell(t, row, t->n_cols - i, table_cell(steps, first, steps->n_cols - i));
}

static void put_device(struct table *t, const struct table *steps, uint32_t first, uint32_t end)
{
	int64_t whole = 0;

	for (size_t q = 0; q < N_QUANTITIES; q++) {
		uint32_t col = (uint32_t)table_col(steps, quantities[q].column);
		struct stats s = { 0 };

		for (uint32_t r = first; r < end; r++)
			if (table_cell(steps, r, col)->type == CELL_I64)
				stats_add(&s, table_cell(steps, r, col)->v.i);
		if (!q)
			whole = s.total;
		if (stats_n(&s) && (s.max || q < 5))
			put_quantity(t, steps, first, quantities[q].name, &s, whole);
		stats_fini(&s);
	}
}

/* What the reader is told stands in the table of steps. */
static void copy_head(struct table *t, const struct table *from)
{
	for (uint32_t i = 0; i < from->n_sources; i++)
		table_source(t, from->sources[i]);
	for (uint32_t i = 0; i < from->n_notes; i++)
		table_note(t, "%s", from->notes[i]);
	t->window_kind = from->window_kind ? arena_strndup(&t->arena, from->window_kind, strlen(from->window_kind)) : NULL;
	t->start_ns = from->start_ns;
	t->end_ns = from->end_ns;
	t->wall_ns = from->wall_ns;
	t->partial = from->partial;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope by_step = *sc;
	struct table *steps;
	uint32_t by;

	by_step.by = BY_STEP;
	steps = analysis_table(context_view(cx, "gpu"), cx, &by_step, e);
	if (!steps)
		return false;
	copy_head(t, steps);
	by = (uint32_t)table_col(steps, "by");
	for (uint32_t r = 0, end; r < steps->n_rows; r = end) {
		end = device_end(steps, r);
		if (table_cell(steps, r, by)->type == CELL_I64)	/* else the whole window: no process with steps uses it */
			put_device(t, steps, r, end);
	}
	if (!t->n_rows && t->n_sources)
		table_note(t, _("no steps on a device in this window"));
	table_free(steps);
	return true;
}

const struct analysis an_gpustats = {
	.id = "gpustats", .title = N_("GPU time over steps"),
	.doc = N_("median, p90 and range over the steps of what each device does"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
