/*
 * ranks.c - view `ranks`: the ranks of one run side by side: clock, steps, state of the devices, and the waiting in collectives that the
 * ranks share (ranks/ranks.h). A row's device time is its window: compute, exposed and idle sum to it.
 */
#include <stdlib.h>

#include "calc/stats.h"
#include "measure/device_state.h"
#include "ranks/ranks.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_RANK, C_DEVICE, C_OFFSET, C_UNC, C_STEPS, C_MEDIAN, C_P90, C_COMPUTE, C_COMM, C_COPY, C_IDLE, C_COLLECTIVES, C_KERNEL, C_WAIT,
	C_TRANSFER, C_FOR, C_LAST, C_EVIDENCE, C_SOURCE };

static const struct column_def cols[] = {
	[C_RANK] = { "rank", N_("Rank"), UNIT_ID, COL_KEY, 0, N_("rank of the process in the run") },
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, 0, 5, N_("device that it works on; none: several") },
	[C_OFFSET] = { "clock_offset_ns", N_("Offset"), UNIT_NS, 0, 5,
		N_("how far its clock is ahead of that of the lowest rank that collectives connect it with, in the middle of them") },
	[C_UNC] = { "clock_unc_ns", N_("±"), UNIT_NS, 0, 6, N_("uncertainty of the offset: median deviation of the ends of matched collectives") },
	[C_STEPS] = { "steps", N_("Steps"), UNIT_COUNT, 0, 4, N_("steps in the window") },
	[C_MEDIAN] = { "step_median_ns", N_("Median"), UNIT_NS, 0, 2, N_("median of the periods of its steps (lower of the two middle ones)") },
	[C_P90] = { "step_p90_ns", N_("p90"), UNIT_NS, 0, 6, N_("90th percentile of the periods (nearest rank)") },
	[C_COMPUTE] = { "compute_ns", N_("Compute"), UNIT_NS, 0, 1, N_("time in which its devices compute") },
	[C_COMM] = { "exposed_comm_ns", N_("Exp. comm"), UNIT_NS, 0, 1, N_("time with communication and no compute") },
	[C_COPY] = { "exposed_copy_ns", N_("Exp. copy"), UNIT_NS, 0, 4, N_("time with copies or memsets alone") },
	[C_IDLE] = { "idle_ns", N_("Idle"), UNIT_NS, 0, 2, N_("time in which its devices do nothing") },
	[C_COLLECTIVES] = { "collectives", N_("Coll."), UNIT_COUNT, 0, 5, N_("collectives of it that are matched with other ranks") },
	[C_KERNEL] = { "kernel_ns", N_("Kernels"), UNIT_NS, 0, 3, N_("time of their kernels: waiting and transfer") },
	[C_WAIT] = { "wait_ns", N_("Waits"), UNIT_NS, COL_BAR, 0, N_("of it, until the last rank arrived") },
	[C_TRANSFER] = { "transfer_ns", N_("Transfer"), UNIT_NS, 0, 2, N_("of it, the rest") },
	[C_FOR] = { "waited_for_ns", N_("Waited for"), UNIT_NS, COL_BAR, 0, N_("sum of the waits of the others where it certainly came last") },
	[C_LAST] = { "last_share", N_("Last"), UNIT_RATIO, 0, 1, N_("share of its collectives in which it certainly came last") },
	[C_EVIDENCE] = { "evidence", N_("Known by"), UNIT_TEXT, 0, 7, N_("what says its rank: file, or file name") },
	[C_SOURCE] = { "source", N_("Source"), UNIT_TEXT, COL_NAME, 3, N_("file that the figures come from") },
};

static void put_steps(struct table *t, uint32_t row, const struct selection *k)
{
	struct stats periods = { 0 };

	for (uint32_t i = 0; i < k->f->n_steps; i++) {
		const struct step *s = &k->f->steps[i];

		if (k->all || selection_clip(k, s->start, s->next) > 0)
			stats_add(&periods, s->next - s->start);
	}
	table_i64(t, row, C_STEPS, (int64_t)stats_n(&periods));
	if (stats_n(&periods)) {
		table_i64(t, row, C_MEDIAN, stats_lower_median(&periods));
		table_i64(t, row, C_P90, stats_percentile(&periods, 90));
	}
	stats_fini(&periods);
}

static void put_device_time(struct table *t, uint32_t row, const struct selection *k)
{
	ns_t sum[GPU_STATE_N] = { 0 }, copies = 0;

	for (uint32_t d = 0; d < k->f->n_devices; d++) {
		struct spans window = { 0 }, of[GPU_STATE_N] = { 0 };

		selection_device_window(k, &k->f->devices[d], &window);
		gpu_state_spans(&k->f->devices[d], &window, of);
		for (int s = 0; s < GPU_STATE_N; s++) {
			sum[s] += spans_measure(&of[s]);
			spans_fini(&of[s]);
		}
		spans_fini(&window);
	}
	for (int s = GPU_HTOD; s < GPU_IDLE; s++)
		copies += sum[s];
	table_i64(t, row, C_COMPUTE, sum[GPU_COMPUTE]);
	table_i64(t, row, C_COMM, sum[GPU_COMM]);
	table_i64(t, row, C_COPY, copies);
	table_i64(t, row, C_IDLE, sum[GPU_IDLE]);
	if (k->f->n_devices == 1)
		table_i64(t, row, C_DEVICE, k->f->devices[0].device);
}

static void put_waits(struct table *t, uint32_t row, const struct rank_source *rs)
{
	table_i64(t, row, C_COLLECTIVES, rs->instances);
	if (!rs->instances)
		return;
	table_i64(t, row, C_KERNEL, rs->kernel_ns);
	table_i64(t, row, C_WAIT, rs->wait_ns);
	table_i64(t, row, C_TRANSFER, rs->transfer_ns);
	table_i64(t, row, C_FOR, rs->waited_for_ns);
	table_share(t, row, C_LAST, rs->last, rs->instances);
}

static void put(const struct rank_run *r, uint32_t i, struct table *t)
{
	const struct rank_source *rs = &r->ranks[i];
	const struct selection *k = rank_pick(r, i);
	uint32_t row = table_row(t);

	table_i64(t, row, C_RANK, rs->rank);
	if (rs->clock.reference != i) {
		table_i64(t, row, C_OFFSET, rs->clock.offset_ns);
		table_i64(t, row, C_UNC, rs->clock.unc_ns);
	}
	put_steps(t, row, k);
	put_device_time(t, row, k);
	put_waits(t, row, rs);
	table_cstr(t, row, C_EVIDENCE, rank_evidence_name(rs->by));
	table_cstr(t, row, C_SOURCE, k->src->path);
	an_ref(t, row, REF_SOURCE, k->f->source, 0, 0, C_SOURCE);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct rank_run *r = rank_run_new(cx, sc, t, e);

	if (!r)
		return false;
	for (uint32_t i = 0; i < r->n_ranks; i++)
		if (rank_shown(sc, &r->ranks[i]))
			put(r, i, t);
	rank_run_free(r);
	return true;
}

const struct analysis an_ranks = {
	.id = "ranks", .title = N_("Ranks"), .doc = N_("the ranks of one run: clocks, steps, device time, and who waits for whom"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
