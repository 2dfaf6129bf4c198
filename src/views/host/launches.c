/*
 * launches.c - view `launches`: how long work waits between its launch call and its start, and what long launch calls mean.
 *
 * Delay = start on the device - start of the call, cut off at 0 where the clocks of host and device differ; a kernel may well
 * start before its call returns. Queue = start on the device - end of the call, with its sign. A device that is given less than it
 * can do starts at once: of the runs that were measured, those bound by launches have a median of 2 to 16 us in the queue, all others
 * 64 us and more; 25 us lies between. A long call alone tells nothing: it waits for room in a full queue when the device works.
 */
#include <inttypes.h>

#include "base/num.h"
#include "measure/tally.h"
#include "scope/analysis.h"

#define BOUND_NS INT64_C(25000)
#define LONG_NS INT64_C(100000)

enum { C_CALL, C_TID, C_VERDICT, C_COUNT, C_CALL_TOTAL, C_MEDIAN, C_P90, C_P99, C_MAX, C_QUEUE, C_INSIDE, C_EARLY, C_LONG, C_LONG_NS,
	C_FULL, C_LOST, C_FIRST, C_BY };

static const struct column_def cols[] = {
	[C_CALL] = { "call", N_("Call"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the launching call, whole and verbatim") },
	[C_TID] = { "tid", N_("Thread"), UNIT_ID, 0, 2, N_("thread that called") },
	[C_VERDICT] = { "verdict", N_("Verdict"), UNIT_TEXT, COL_KEY, 0,
		N_("launch-bound: median in the queue below 25 us, the device waits for the host; queue-full: long calls while the device works "
		"take most of the time; queued: the host is ahead") },
	[C_COUNT] = { "count", N_("Calls"), UNIT_COUNT, 0, 0, N_("calls with GPU work of theirs in the file") },
	[C_CALL_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("host time of these calls") },
	[C_MEDIAN] = { "delay_median_ns", N_("Delay"), UNIT_NS, 0, 0,
		N_("from the start of the call to the start of its first kernel: median (mean of the two middle ones); below 0 counts as 0") },
	[C_P90] = { "delay_p90_ns", N_("p90"), UNIT_NS, 0, 2, N_("90th percentile of the delays (nearest rank)") },
	[C_P99] = { "delay_p99_ns", N_("p99"), UNIT_NS, 0, 4, N_("99th percentile of the delays (nearest rank)") },
	[C_MAX] = { "delay_max_ns", N_("Max"), UNIT_NS, 0, 5, N_("longest delay") },
	[C_QUEUE] = { "queue_median_ns", N_("Queue"), UNIT_NS, 0, 3,
		N_("from the end of the call to the start of its first kernel: median; negative: the kernel starts before the call returns") },
	[C_INSIDE] = { "inside", N_("Inside"), UNIT_COUNT, 0, 5, N_("calls whose kernel starts before they return") },
	[C_EARLY] = { "early", N_("Early"), UNIT_COUNT, 0, 6, N_("kernels that start before their call: clocks differ; their delay counts as 0") },
	[C_LONG] = { "long", N_("Long"), UNIT_COUNT, 0, 1, N_("calls over 100 us") },
	[C_LONG_NS] = { "long_ns", N_("Long time"), UNIT_NS, 0, 2, N_("host time of the calls over 100 us") },
	[C_FULL] = { "long_busy_ns", N_("Dev. busy"), UNIT_NS, 0, 1, N_("part of it in which the device works: the queue is full, no loss") },
	[C_LOST] = { "long_idle_ns", N_("Dev. idle"), UNIT_NS, 0, 1, N_("part of it in which the device is idle: lost") },
	[C_FIRST] = { "long_first", N_("First use"), UNIT_COUNT, 0, 3,
		N_("long calls that launch a kernel for the first time in the file: modules are loaded lazily") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct launches_sums {
	struct stats delay, queue;
	ns_t calls_ns, long_ns, long_busy_ns;
	int64_t inside, early, n_long, long_first;
};
struct launches_acc {
	struct tally_row row;
	struct launches_sums s;
	int64_t tid;
	uint32_t call;
};
struct launches_view {
	struct tally y;
	struct launches_sums whole;		/* of the source at hand */
	struct proc_busies busy;	/* of the source at hand */
};

/* Nanoseconds of a call during which a device of its process works. */
static ns_t busy_during(struct launches_view *v, const struct selection *k, ev_id call)
{
	uint32_t proc = k->f->threads[k->f->call_thread[call - k->p->layer_first[LAYER_RUNTIME]]].proc;

	return spans_overlap(proc_busy(&v->busy, proc), k->p->start[call], ev_end(k->p, call));
}

static struct launches_acc *acc_of(struct tally *y, const struct selection *k, const struct track *tr, ev_id e)
{
	uint32_t call = names_id(y->names, k->p->name[k->p->link[e]]);
	thread_id thread = facts_launch_thread(k->f, e);
	struct launches_acc *a = tally_gpu(y, k, tr, e, TALLY_KEY(call, 0, 0, k->sc->by == BY_ALL ? 0 : thread));

	if (a->row.n == 1) {
		a->call = call;
		a->tid = OWNER_NEW;
	}
	owner_add(&a->tid, k->p->threads[thread].tid);
	return a;
}

static void sums_add(struct launches_sums *s, ns_t delay, ns_t queue, ns_t call_ns, ns_t busy_ns, bool first)
{
	stats_add(&s->delay, delay > 0 ? delay : 0);
	stats_add(&s->queue, queue);
	s->calls_ns += call_ns;
	s->early += delay < 0;
	s->inside += queue < 0;
	if (call_ns <= LONG_NS)
		return;
	s->n_long++;
	s->long_ns += call_ns;
	s->long_busy_ns += busy_ns;
	s->long_first += first;
}

static void sums_fini(struct launches_sums *s)
{
	stats_fini(&s->delay);
	stats_fini(&s->queue);
	*s = (struct launches_sums){ 0 };
}

/* The first event of a call stands for it: a graph's later kernels wait for each other. */
static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct launches_view *v = view;
	const struct profile *p = k->p;
	ev_id call = p->link[e];
	uint32_t at;
	ns_t busy = 0;
	bool first;
	struct launches_acc *a;

	if (call == ID_NONE || !profile_launched_by(p, call, &at) || p->by_launch[at] != e)
		return;
	a = acc_of(&v->y, k, tr, e);
	if (p->dur[call] > LONG_NS)
		busy = busy_during(v, k, call);
	first = facts_first(k->f, call) != 0;
	sums_add(&a->s, p->start[e] - p->start[call], p->start[e] - ev_end(p, call), p->dur[call], busy, first);
	sums_add(&v->whole, p->start[e] - p->start[call], p->start[e] - ev_end(p, call), p->dur[call], busy, first);
}

static const char *verdict(struct launches_sums *s)
{
	if (!stats_n(&s->queue))
		return NULL;
	if (stats_median(&s->queue) < (double)BOUND_NS)
		return "launch-bound";
	return s->long_busy_ns > s->calls_ns / 2 ? "queue-full" : "queued";
}

static void tell(struct launches_view *v, const struct selection *k, struct table *t)
{
	struct launches_sums *s = &v->whole;
	char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX], c[NUM_TEXT_MAX];

	if (!stats_n(&s->queue))
		return;
	num_ns((int64_t)stats_median(&s->queue), a);
	if (stats_median(&s->queue) < 0)
		table_note(t, _("%s: half of the kernels start before their call returns: the device is ready when work comes, the host sets the pace"),
			k->src->path);
	else
		table_note(t, stats_median(&s->queue) < (double)BOUND_NS ?
			_("%s: half of the kernels start within %s after their call: the device is ready when work comes, the host sets the pace") :
			_("%s: half of the kernels start later than %s after their call: the host is ahead of the device"), k->src->path, a);
	if (s->n_long)
		table_note(t, ngettext("%s: %" PRId64 " launch call over 100 us takes %s; the device works during %s of it (full queue) and is idle "
			"during %s; first use of a kernel: %" PRId64 " of them", "%s: %" PRId64 " launch calls over 100 us take %s; the device works "
			"during %s of it (full queue) and is idle during %s; first use of a kernel: %" PRId64 " of them", (unsigned long)s->n_long), k->src->path, s->n_long, num_ns(s->long_ns, a),
			num_ns(s->long_busy_ns, b), num_ns(s->long_ns - s->long_busy_ns, c), s->long_first);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct launches_view *v = view;
	bool ok;

	proc_busies_init(&v->busy, k->f);
	ok = selections_gpu(k, LAYER_KERNEL, add, v, e);
	if (ok)
		tell(v, k, t);
	proc_busies_fini(&v->busy);
	sums_fini(&v->whole);
	return ok;
}

static int acc_cmp(const void *a, const void *b)
{
	return tally_cmp_down(((const struct launches_acc *)a)->s.calls_ns, ((const struct launches_acc *)b)->s.calls_ns);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct launches_acc *a = acc;
	struct launches_sums *s = &a->s;

	names_put(t, row, C_CALL, y->names, a->call);
	owner_put(t, row, C_TID, a->tid);
	table_cstr(t, row, C_VERDICT, verdict(s));
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&s->delay));
	table_i64(t, row, C_CALL_TOTAL, s->calls_ns);
	table_f64(t, row, C_MEDIAN, stats_median(&s->delay));
	table_i64(t, row, C_P90, stats_percentile(&s->delay, 90));
	table_i64(t, row, C_P99, stats_percentile(&s->delay, 99));
	table_i64(t, row, C_MAX, s->delay.max);
	table_f64(t, row, C_QUEUE, stats_median(&s->queue));
	table_i64(t, row, C_INSIDE, s->inside);
	table_i64(t, row, C_EARLY, s->early);
	table_i64(t, row, C_LONG, s->n_long);
	table_i64(t, row, C_LONG_NS, s->long_ns);
	table_i64(t, row, C_FULL, s->long_busy_ns);
	table_i64(t, row, C_LOST, s->long_ns - s->long_busy_ns);
	table_i64(t, row, C_FIRST, s->long_first);
	an_ref(t, row, REF_RUNTIME, tally_source(y, &a->row)->f->source, 0, 0, C_CALL);
}

static void row_fini(void *acc)
{
	sums_fini(&((struct launches_acc *)acc)->s);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .empty = N_("no kernel with a launch record"), .source = add_source, .n_names = 1,
	.row_size = sizeof(struct launches_acc), .cmp = acc_cmp, .put = put, .row_fini = row_fini,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct launches_view v = { .y.how = &how };

	return tally_run(&v.y, cx, sc, t, e);
}

const struct analysis an_launches = {
	.id = "launches", .title = N_("Launches"), .doc = N_("how long work waits for its start, and whether long launch calls are a loss"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
