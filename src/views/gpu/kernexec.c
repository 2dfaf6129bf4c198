/*
 * kernexec.c - view `kernexec`: API call x kernel, as cuda_kern_exec_sum of `nsys stats` groups them: per process, thread and
 * device. Times of each launch:
 *
 *	call	start to end of the API call
 *	queue	end of the call to the start of the kernel; a kernel that began while the call still ran has none
 *	kernel	its duration
 *	whole	start of the call to the later of both ends
 *
 * A call that launched several kernels (a graph) counts once for each.
 */
#include "measure/tally.h"
#include "scope/analysis.h"

enum what { WHOLE, CALL, QUEUE, KERNEL, WHAT_N };
enum { C_CALL, C_KERNEL, C_TID, C_DEVICE, C_COUNT, C_QUEUED, C_STATS, C_QUEUE_TOTAL = C_STATS + WHAT_N * N_STAT_COLS, C_KERNEL_TOTAL,
	C_CALL_TOTAL, C_BY };

/* clang-format off */
#define TIMES(id, title, prio, doc) \
	{ id "_avg_ns", title, UNIT_NS, 0, prio, doc }, \
	{ id "_median_ns", N_("Median"), UNIT_NS, 0, (prio) + 3, \
		N_("their median (mean of the two middle ones)") }, \
	{ id "_min_ns", N_("Min"), UNIT_NS, 0, 9, N_("shortest") }, \
	{ id "_max_ns", N_("Max"), UNIT_NS, 0, 8, N_("longest") }, \
	{ id "_stddev_ns", N_("StdDev"), UNIT_NS, 0, 9, \
		N_("standard deviation of the sample (n - 1)") }
/* clang-format on */

static const struct column_def cols[] = {
	[C_CALL] = { "call", N_("Call"), UNIT_TEXT, COL_KEY, 0, N_("the API call, whole and verbatim") },
	[C_KERNEL] = { "kernel", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the kernel, whole") },
	[C_TID] = { "tid", N_("Thread"), UNIT_ID, 0, 5, N_("thread that called") },
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, 0, 4, N_("number of the device in the file") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("kernels that such calls launched") },
	[C_QUEUED] = { "queued", N_("Queued"), UNIT_COUNT, 0, 3, N_("of them, those that began after the call had ended: the others found the device waiting") },
	TIMES("total", N_("Whole"), 2, N_("mean from the start of the call to the end of the kernel")),
	TIMES("api", N_("Call time"), 1, N_("mean duration of the call")),
	TIMES("queue", N_("Queue time"), 0, N_("mean from the end of the call to the start of the kernel, of those queued")),
	TIMES("kernel", N_("Kernel time"), 0, N_("mean duration of the kernel")),
	[C_QUEUE_TOTAL] = { "queue_total_ns", N_("Queue sum"), UNIT_NS, 0, 6, N_("sum of the queue times") },
	[C_KERNEL_TOTAL] = { "kernel_total_ns", N_("Kernel sum"), UNIT_NS, COL_BAR, 4, N_("sum of the durations of the kernels") },
	[C_CALL_TOTAL] = { "api_total_ns", N_("Call sum"), UNIT_NS, 0, 5, N_("sum of the durations of the calls") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { CALLS, KERNELS };

struct kernexec_acc {
	struct tally_row row;		/* its durs: of the kernels */
	struct stats times[KERNEL];	/* the others */
	int64_t tid, device;
	uint32_t call, kernel;
};

static struct kernexec_acc *acc_of(struct tally *y, const struct selection *k, const struct track *tr, ev_id e)
{
	uint32_t call = names_id(&y->names[CALLS], k->p->name[k->p->link[e]]), kernel = names_id(&y->names[KERNELS], k->p->name[e]);
	thread_id thread = facts_launch_thread(k->f, e);
	bool merge = k->sc->by == BY_ALL;
	struct kernexec_acc *a = tally_gpu(y, k, tr, e, TALLY_KEY((uint64_t)call << 32 | kernel, merge ? 0 : (uint64_t)tr->device, 0,
		merge ? 0 : thread));

	if (a->row.n == 1) {
		a->call = call;
		a->kernel = kernel;
		a->tid = a->device = OWNER_NEW;
	}
	owner_add(&a->tid, k->p->threads[thread].tid);
	owner_add(&a->device, tr->device);
	return a;
}

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	const struct profile *p = k->p;
	ev_id call = p->link[e];
	ns_t end, call_end;
	struct kernexec_acc *a;

	if (call == ID_NONE)
		return;
	a = acc_of(view, k, tr, e);
	call_end = ev_end(p, call);
	end = ev_end(p, e) > call_end ? ev_end(p, e) : call_end;
	stats_add(&a->times[WHOLE], end - p->start[call]);
	stats_add(&a->times[CALL], p->dur[call]);
	if (p->start[e] >= call_end)
		stats_add(&a->times[QUEUE], p->start[e] - call_end);
	stats_add(&a->row.durs, p->dur[e]);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct kernexec_acc *a = acc;

	names_put(t, row, C_CALL, &y->names[CALLS], a->call);
	names_put(t, row, C_KERNEL, &y->names[KERNELS], a->kernel);
	owner_put(t, row, C_TID, a->tid);
	owner_put(t, row, C_DEVICE, a->device);
	table_i64(t, row, C_QUEUED, (int64_t)stats_n(&a->times[QUEUE]));
	for (uint32_t i = 0; i < KERNEL; i++)
		stats_put(t, row, C_STATS + i * N_STAT_COLS, &a->times[i]);
	tally_put_durs(t, row, C_COUNT, C_KERNEL_TOTAL, C_STATS + KERNEL * N_STAT_COLS, &a->row);
	table_i64(t, row, C_QUEUE_TOTAL, a->times[QUEUE].total);
	table_i64(t, row, C_CALL_TOTAL, a->times[CALL].total);
	an_ref(t, row, REF_KERNEL, tally_source(y, &a->row)->f->source, 0, 0, C_KERNEL);
}

static void row_fini(void *acc)
{
	for (uint32_t i = 0; i < KERNEL; i++)
		stats_fini(&((struct kernexec_acc *)acc)->times[i]);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .empty = N_("no kernel with a launch record"),
	.layers = 1U << LAYER_KERNEL, .add = add, .n_names = 2,
	.row_size = sizeof(struct kernexec_acc), .put = put, .row_fini = row_fini,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct tally y = { .how = &how };

	return tally_run(&y, cx, sc, t, e);
}

const struct analysis an_kernexec = {
	.id = "kernexec", .title = N_("Launch to execution"), .doc = N_("time in the launching call, in the queue and in the kernel, by call and kernel"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
