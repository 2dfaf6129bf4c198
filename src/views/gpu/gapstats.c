/*
 * gapstats.c - views `gapstats` (how long the idle gaps of a device are, per window or --by step) and `gaphist` (how many there are
 * of each size). The gaps are those of the view `gaps`: the holes of the device's busy intervals in its window, clipped to it
 * (definitions.md §5), so both sum to its idle time.
 */
#include <stdlib.h>
#include <string.h>

#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/device_window.h"

enum { C_DEVICE, C_GAPS, C_IDLE, C_SHARE, C_STATS, C_P90 = C_STATS + N_STAT_COLS, C_P99, C_BY };

static const struct column_def stat_cols[] = {
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device in the file") },
	[C_GAPS] = { "gaps", N_("Gaps"), UNIT_COUNT, 0, 0, N_("intervals in which nothing runs on the device") },
	[C_IDLE] = { "idle_ns", N_("Idle"), UNIT_NS, COL_BAR, 0, N_("their sum") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 0, N_("of the window") },
	STAT_COLS(1),
	[C_P90] = { "p90_ns", N_("p90"), UNIT_NS, 0, 1, N_("90th percentile (nearest rank)") },
	[C_P99] = { "p99_ns", N_("p99"), UNIT_NS, 0, 3, N_("99th percentile (nearest rank)") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { H_DEVICE, H_FROM, H_TO, H_GAPS, H_IDLE, H_SHARE, H_LONGER, H_BY };

static const struct column_def hist_cols[] = {
	[H_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device in the file") },
	[H_FROM] = { "from_ns", N_("From"), UNIT_NS, COL_KEY, 0, N_("shortest length of the class") },
	[H_TO] = { "to_ns", N_("To"), UNIT_NS, COL_KEY, 0, N_("the length that is no longer in it; none: no limit") },
	[H_GAPS] = { "gaps", N_("Gaps"), UNIT_COUNT, 0, 0, N_("gaps of such lengths") },
	[H_IDLE] = { "idle_ns", N_("Idle"), UNIT_NS, COL_BAR, 0, N_("their sum") },
	[H_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 0, N_("of the idle time of the device") },
	[H_LONGER] = { "this_or_longer", N_("Or longer"), UNIT_RATIO, 0, 2, N_("share of the idle time in gaps of this class and all longer ones") },
	[H_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

typedef void (*put_fn)(struct table *t, const struct selection *k, const struct device_facts *d, const struct device_window *w, struct stats *gaps);

static void put_stats(struct table *t, const struct selection *k, const struct device_facts *d, const struct device_window *w, struct stats *gaps)
{
	uint32_t row = table_row(t), proc = device_proc(k, d->device);
	ns_t window = spans_measure(&w->w);

	table_i64(t, row, C_DEVICE, d->device);
	table_i64(t, row, C_GAPS, (int64_t)stats_n(gaps));
	table_i64(t, row, C_IDLE, gaps->total);
	if (window)
		table_share(t, row, C_SHARE, (double)gaps->total, (double)window);
	if (stats_n(gaps)) {
		stats_put(t, row, C_STATS, gaps);
		table_i64(t, row, C_P90, stats_percentile(gaps, 90));
		table_i64(t, row, C_P99, stats_percentile(gaps, 99));
	}
	split_set(t, row, C_BY, k, w->by);
	an_ref(t, row, REF_DEVICE, k->f->source, d->device, 0, C_DEVICE);
	an_row_source(t, row, k, proc == ID_NONE ? -1 : k->f->procs[proc].pid);
}

/* Lower bounds of the classes. */
static const ns_t bounds[] = { 0, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000, 10000000,
	20000000, 50000000, 100000000, 1000000000 };
#define N_BOUNDS (sizeof(bounds) / sizeof(*bounds))

static void put_hist(struct table *t, const struct selection *k, const struct device_facts *d, const struct device_window *w, struct stats *gaps)
{
	uint32_t proc = device_proc(k, d->device);
	int64_t count[N_BOUNDS] = { 0 };
	ns_t sum[N_BOUNDS] = { 0 }, longer = gaps->total;

	for (size_t i = 0; i < gaps->v.n; i++) {
		size_t c = N_BOUNDS - 1;

		while (gaps->v.a[i] < bounds[c])
			c--;
		count[c]++;
		sum[c] += gaps->v.a[i];
	}
	for (size_t c = 0; c < N_BOUNDS; longer -= sum[c++]) {
		uint32_t row = count[c] ? table_row(t) : 0;

		if (!count[c])
			continue;
		table_i64(t, row, H_DEVICE, d->device);
		table_i64(t, row, H_FROM, bounds[c]);
		if (c + 1 < N_BOUNDS)
			table_i64(t, row, H_TO, bounds[c + 1]);
		table_i64(t, row, H_GAPS, count[c]);
		table_i64(t, row, H_IDLE, sum[c]);
		table_share(t, row, H_SHARE, (double)sum[c], (double)gaps->total);
		table_f64(t, row, H_LONGER, (double)longer / (double)gaps->total);
		split_set(t, row, H_BY, k, w->by);
		an_ref(t, row, REF_DEVICE, k->f->source, d->device, 0, H_DEVICE);
		an_row_source(t, row, k, proc == ID_NONE ? -1 : k->f->procs[proc].pid);
	}
}

static void put_device(const struct selection *k, const struct device_facts *d, struct table *t, put_fn put)
{
	bool compute = !strcmp(k->sc->partition, "compute");
	struct spans holes = { 0 };
	struct device_windows ws;

	device_windows_make(&ws, k, d);
	for (size_t i = 0; i < ws.n; i++) {
		struct stats gaps = { 0 };

		if (ws.rest && i + 1 == ws.n && !ws.a[i].w.n)
			break;
		spans_subtract(&holes, &ws.a[i].w, compute ? &d->busy[BUSY_COMPUTE] : &d->any);
		for (size_t h = 0; h < holes.n; h++)
			stats_add(&gaps, holes.a[h].end - holes.a[h].start);
		put(t, k, d, &ws.a[i], &gaps);
		stats_fini(&gaps);
	}
	spans_fini(&holes);
	device_windows_fini(&ws);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e, put_fn put)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);

	for (uint32_t i = 0; i < ps.n && ok; i++) {
		const struct selection *k = &ps.a[i];

		for (uint32_t d = 0; d < k->f->n_devices && ok; d++) {
			if (device_in_scope(k, &k->f->devices[d]))
				put_device(k, &k->f->devices[d], t, put);
			ok = !an_cancelled(cx, e);
		}
	}
	selections_close(&ps);
	return ok;
}

static bool run_stats(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, put_stats);
}

static bool run_hist(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return run(cx, sc, t, e, put_hist);
}

const struct analysis an_gapstats = {
	.id = "gapstats", .title = N_("Lengths of gaps"), .doc = N_("how long the idle gaps of each device are: median, p90, p99"),
	.cols = stat_cols, .n_cols = N_COLS(stat_cols), .run = run_stats,
};

const struct analysis an_gaphist = {
	.id = "gaphist", .title = N_("Histogram of gaps"), .doc = N_("idle gaps of each device by length, with their part of the idle time"),
	.cols = hist_cols, .n_cols = N_COLS(hist_cols), .run = run_hist,
};
