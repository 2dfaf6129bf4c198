/* osrt.c - view `osrt`: OS runtime calls (blocking libc calls that nsys records) by name, as osrt_sum of `nsys stats` */
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_NAME, C_COUNT, C_TOTAL, C_MAIN, C_STATS, C_P90 = C_STATS + N_STAT_COLS, C_SHARE, C_THREADS, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Call"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the call") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("calls that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations over all threads: mostly threads that wait for work") },
	[C_MAIN] = { "issuing_ns", N_("Issuing"), UNIT_NS, 0, 1, N_("part of it on main and autograd threads, which issue the work") },
	STAT_COLS(3),
	[C_P90] = { "p90_ns", N_("p90"), UNIT_NS, 0, 5, N_("90th percentile (nearest rank)") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 4, N_("of the time of all calls in the table: not of the wall time") },
	[C_THREADS] = { "threads", N_("Threads"), UNIT_COUNT, 0, 3, N_("threads that made such calls") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct osrt_acc {
	struct tally_row row;
	ns_t issuing;
	int64_t threads;
	uint32_t name;
	uint64_t last;		/* thread that was counted last, + 1 */
};

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct tally *y = view;
	uint32_t name = names_id(y->names, k->p->name[e]);
	enum role role = k->f->threads[tr->thread].role;
	uint64_t thread = ((uint64_t)tally_pick(y, k) << 32 | tr->thread) + 1;
	struct osrt_acc *a = tally_host(y, k, tr->thread, k->p->start[e], TALLY_KEY(name));

	a->name = name;
	stats_add(&a->row.durs, k->p->dur[e]);
	if (role == ROLE_MAIN || role == ROLE_AUTOGRAD)
		a->issuing += k->p->dur[e];
	a->threads += a->last != thread;	/* a thread has one track of such calls */
	a->last = thread;
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct osrt_acc *a = acc;

	names_put(t, row, C_NAME, y->names, a->name);
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_i64(t, row, C_MAIN, a->issuing);
	table_i64(t, row, C_P90, stats_percentile(&a->row.durs, 90));
	table_share(t, row, C_SHARE, (double)a->row.durs.total, (double)y->total);
	table_i64(t, row, C_THREADS, a->threads);
}

static const struct tally_view how = {
	.kind = NEED_OSRT, .none = N_("no OS runtime calls: record with --trace=osrt (nsys)"),
	.layers = 1U << LAYER_OSRT, .add = add, .n_names = 1,
	.row_size = sizeof(struct osrt_acc), .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct tally y = { .how = &how };

	return tally_run(&y, cx, sc, t, e);
}

const struct analysis an_osrt = {
	.id = "osrt", .title = N_("OS calls"), .doc = N_("OS runtime calls by name: what threads wait in"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
