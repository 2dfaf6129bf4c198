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
#include <stdlib.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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

struct acc {
	struct stats times[WHAT_N];
	int64_t split, source, pid, tid, device;
	uint32_t call, kernel, pick;
};
struct view {
	const struct picks *ps;
	struct groups groups;
	struct names calls, kernels;
	VEC(struct acc) acc;
};

static struct acc *acc_of(struct view *v, const struct pick *k, const struct track *tr, ev_id e)
{
	uint32_t call = names_id(&v->calls, k->p->name[k->p->link[e]]), kernel = names_id(&v->kernels, k->p->name[e]);
	uint32_t pick = (uint32_t)(k - v->ps->a);
	bool merge = k->sc->by == BY_ALL;
	uint64_t thread = merge ? 0 : (uint64_t)pick << 32 | facts_launch_thread(k->f, e);
	int64_t split = split_gpu(k, tr, e);
	uint32_t g = groups_add(&v->groups, &(struct group_key){ .k = { (uint64_t)call << 32 | kernel, thread,
		merge ? 0 : (uint64_t)tr->device, (uint64_t)split } });

	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .tid = OWNER_NEW,
			.device = OWNER_NEW, .call = call, .kernel = kernel, .pick = pick });
	return &v->acc.a[g];
}

static void add(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	struct view *v = arg;
	const struct profile *p = k->p;
	ev_id call = p->link[e];
	ns_t end, call_end;
	struct acc *a;

	if (call == ID_NONE)
		return;
	a = acc_of(v, k, tr, e);
	owner_add(&a->source, k - v->ps->a);
	owner_add(&a->pid, gpu_pid(k, tr, e));
	owner_add(&a->tid, p->threads[facts_launch_thread(k->f, e)].tid);
	owner_add(&a->device, tr->device);
	call_end = ev_end(p, call);
	end = ev_end(p, e) > call_end ? ev_end(p, e) : call_end;
	stats_add(&a->times[WHOLE], end - p->start[call]);
	stats_add(&a->times[CALL], p->dur[call]);
	if (p->start[e] >= call_end)
		stats_add(&a->times[QUEUE], p->start[e] - call_end);
	stats_add(&a->times[KERNEL], p->dur[e]);
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;

	return (x->times[KERNEL].total < y->times[KERNEL].total) - (x->times[KERNEL].total > y->times[KERNEL].total);
}

static void put_owned(struct table *t, uint32_t row, uint32_t col, int64_t owner)
{
	if (owner >= 0 && owner != OWNER_MIXED)
		table_i64(t, row, col, owner);
}

static void put(const struct view *v, struct table *t, struct acc *a)
{
	const struct pick *k = &v->ps->a[a->pick];
	uint32_t row = table_row(t);
	size_t n;
	const char *s = names_str(&v->calls, a->call, &n);

	table_str(t, row, C_CALL, s ? s : "", n);
	s = names_str(&v->kernels, a->kernel, &n);
	table_str(t, row, C_KERNEL, s ? s : "", n);
	put_owned(t, row, C_TID, a->tid);
	put_owned(t, row, C_DEVICE, a->device);
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->times[KERNEL]));
	table_i64(t, row, C_QUEUED, (int64_t)stats_n(&a->times[QUEUE]));
	for (uint32_t i = 0; i < WHAT_N; i++)
		stats_put(t, row, C_STATS + i * N_STAT_COLS, &a->times[i]);
	table_i64(t, row, C_QUEUE_TOTAL, a->times[QUEUE].total);
	table_i64(t, row, C_KERNEL_TOTAL, a->times[KERNEL].total);
	table_i64(t, row, C_CALL_TOTAL, a->times[CALL].total);
	split_set(t, row, C_BY, k, a->split);
	an_ref(t, row, REF_KERNEL, k->f->source, 0, 0, C_KERNEL);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static void view_fini(struct view *v)
{
	for (size_t i = 0; i < v->acc.n; i++)
		for (int w = 0; w < WHAT_N; w++)
			stats_fini(&v->acc.a[i].times[w]);
	VEC_FREE(&v->acc);
	groups_fini(&v->groups);
	names_fini(&v->calls);
	names_fini(&v->kernels);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);
	uint32_t *order;

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		names_enter(&v.calls, ps.a[i].p);
		names_enter(&v.kernels, ps.a[i].p);
		ok = picks_gpu(&ps.a[i], LAYER_KERNEL, add, &v, e);
	}
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	if (ok && ps.n && !v.acc.n)
		table_note(t, _("no kernel with a launch record"));
	free(order);
	view_fini(&v);
	picks_close(&ps);
	return ok;
}

const struct analysis an_kernexec = {
	.id = "kernexec", .title = N_("Launch to execution"), .doc = N_("time in the launching call, in the queue and in the kernel, by call and kernel"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
