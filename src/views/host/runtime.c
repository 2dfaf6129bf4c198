/* runtime.c - view `runtime`: CUDA runtime and driver calls by name, who paid for them, and on which thread */
#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_NAME, C_CLASS, C_COUNT, C_TOTAL, C_MIN, C_MAX, C_AVG, C_P50, C_P99, C_SHARE, C_OP, C_OP_SHARE, C_STDDEV, C_CATEGORY, C_PER_STEP,
	C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Call"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the call, whole and verbatim") },
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 2, N_("sync, launch, memcpy or other") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("calls that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("their host time, clipped to the window") },
	[C_MIN] = { "min_ns", N_("Min"), UNIT_NS, 0, 6, N_("shortest call") },
	[C_MAX] = { "max_ns", N_("Max"), UNIT_NS, 0, 4, N_("longest call") },
	[C_AVG] = { "avg_ns", N_("Avg"), UNIT_NS, 0, 5, N_("mean") },
	[C_P50] = { "p50_ns", N_("p50"), UNIT_NS, 0, 3, N_("median (mean of the two middle ones)") },
	[C_P99] = { "p99_ns", N_("p99"), UNIT_NS, 0, 3, N_("99th percentile (nearest rank)") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 4, N_("of the time of all calls in the table") },
	[C_OP] = { "op", N_("Op that paid most"), UNIT_TEXT, 0, 3, N_("innermost op with the largest part of the time") },
	[C_OP_SHARE] = { "op_share", N_("Its part"), UNIT_RATIO, 0, 5, N_("the op's part of the time of the call") },
	[C_STDDEV] = { "stddev_ns", N_("StdDev"), UNIT_NS, 0, 7, N_("standard deviation of the sample (n - 1)") },
	[C_CATEGORY] = { "category", N_("Category"), UNIT_TEXT, 0, 4,
		N_("kernel launch, graph, memcpy dispatch, sync wait, memory management, event/stream, module load, other") },
	[C_PER_STEP] = { "per_step", N_("Per step"), UNIT_FACTOR, 0, 4, N_("calls by the number of steps in the window") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { CALLS, OPS };

struct runtime_acc {
	struct tally_row row;		/* its durs: of the calls that start in the window, whole */
	ns_t total;			/* clipped to the window */
	enum rt_class class;
	const char *category;
	uint32_t steps;			/* of the window in the source (largest, where rows are merged) */
	uint32_t name, top_op;		/* names numbers */
	ns_t top_ns;
};
struct runtime_view {
	struct tally y;
	struct groups op_groups;
	VEC(ns_t) op_ns;
	uint32_t steps;			/* of the source at hand */
	ns_t sum;			/* of all calls, clipped */
};

/* Whose op pays for it: row and op. */
static void pay(struct runtime_view *v, struct runtime_acc *a, const struct selection *k, ev_id e, ns_t ns)
{
	uint32_t op = facts_op_of_call(k->f, e), number = op == ID_NONE ? ID_NONE : names_id(&v->y.names[OPS], k->f->ops.name[op]);
	uint32_t i = groups_add(&v->op_groups, TALLY_KEY(tally_index(&v->y, a), number));

	if (i == v->op_ns.n)
		VEC_PUSH(&v->op_ns, 0);
	v->op_ns.a[i] += ns;
	if (number != ID_NONE && v->op_ns.a[i] > a->top_ns) {
		a->top_ns = v->op_ns.a[i];
		a->top_op = number;
	}
}

static const char *category_of(const struct selection *k, ev_id e)
{
	struct runtime_class rc;
	size_t n;
	const char *s = profile_str(k->p, k->p->name[e], &n);

	rules_runtime_class(k->cx->rules, s, n, &rc);
	return rc.category;
}

static void add_call(struct runtime_view *v, const struct selection *k, const struct track *tr, ev_id e)
{
	ns_t clipped = selection_clip(k, k->p->start[e], ev_end(k->p, e));
	bool counted = selects_at(k, k->p->start[e]);
	uint32_t name;
	struct runtime_acc *a;

	if ((!clipped && !counted) || !selects_call(k, e))
		return;
	name = names_id(&v->y.names[CALLS], k->p->name[e]);
	a = tally_host(&v->y, k, tr->thread, k->p->start[e], TALLY_KEY(name));
	if (a->row.n == 1) {
		a->name = name;
		a->class = facts_rt(k->f, e);
		a->category = category_of(k, e);
		a->top_op = ID_NONE;
	}
	if (a->steps < v->steps)
		a->steps = v->steps;
	a->total += clipped;
	v->sum += clipped;
	if (counted)
		stats_add(&a->row.durs, k->p->dur[e]);
	pay(v, a, k, e, clipped);
}

static void put_durations(struct table *t, uint32_t row, struct stats *durs)
{
	table_i64(t, row, C_COUNT, (int64_t)stats_n(durs));
	if (!stats_n(durs))
		return;
	table_i64(t, row, C_MIN, durs->min);
	table_i64(t, row, C_MAX, durs->max);
	table_f64(t, row, C_AVG, stats_mean(durs));
	table_f64(t, row, C_P50, stats_median(durs));
	table_i64(t, row, C_P99, stats_percentile(durs, 99));
	table_f64(t, row, C_STDDEV, stats_stddev(durs));
}

static int acc_cmp(const void *a, const void *b)
{
	return tally_cmp_down(((const struct runtime_acc *)a)->total, ((const struct runtime_acc *)b)->total);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct runtime_view *v = view;
	const struct tally *y = &v->y;
	struct runtime_acc *a = acc;
	const struct selection *k = tally_source(y, &a->row);

	names_put(t, row, C_NAME, &y->names[CALLS], a->name);
	table_cstr(t, row, C_CLASS, rt_class_name(a->class));
	table_i64(t, row, C_TOTAL, a->total);
	put_durations(t, row, &a->row.durs);
	table_cstr(t, row, C_CATEGORY, a->category);
	if (a->steps && k->sc->by != BY_STEP)
		table_f64(t, row, C_PER_STEP, (double)stats_n(&a->row.durs) / a->steps);
	table_share(t, row, C_SHARE, (double)a->total, (double)v->sum);
	names_put(t, row, C_OP, &y->names[OPS], a->top_op);
	if (a->top_op != ID_NONE)
		table_share(t, row, C_OP_SHARE, (double)a->top_ns, (double)a->total);
	an_ref(t, row, REF_RUNTIME, k->f->source, 0, 0, C_NAME);
}

/* Allocator calls of steps that should need none: the caching allocator has its memory after the warm-up. */
static void tell_allocator(const struct tally *y, struct table *t)
{
	char buf[NUM_TEXT_MAX];
	size_t n = 0;
	ns_t ns = 0;

	for (uint32_t i = 0; i < y->n; i++) {
		const struct runtime_acc *a = tally_at(y, i);

		if (!a->category || strcmp(a->category, "memory management"))
			continue;
		n += stats_n(&a->row.durs);
		ns += a->total;
	}
	if (n && y->ps.a[0].sc->window == WINDOW_STEADY && !y->ps.a[0].no_steps)
		table_note(t, ngettext("%zu allocator call in the steady steps, %s: memory that is given back and taken again each step, or a "
			"cache that does not fit (filter: category = \"memory management\")", "%zu allocator calls in the steady steps, %s: memory that "
			"is given back and taken again each step, or a cache that does not fit (filter: category = \"memory management\")", n), n, num_ns(ns, buf));
}

/* Whether any source of the same run says that the job has more than one rank. */
static bool of_larger_job(const struct selection *k)
{
	const struct session *s = k->cx->session;

	for (uint32_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].profile && s->sources[i].clock_group == k->src->clock_group && s->sources[i].profile->world > 1)
			return true;
	return false;
}

/* A run on one device has nobody to talk to: communication there means that the file is one rank of a larger job. */
static void tell_communication(const struct selection *k, struct table *t)
{
	const struct facts *f = k->f;
	char buf[NUM_TEXT_MAX];
	ns_t ns;

	if (f->n_devices != 1 || of_larger_job(k))
		return;
	ns = spans_measure(&f->devices[0].busy[BUSY_COMM]);
	if (ns > 0)
		table_note(t, _("%s: one device, but communication kernels for %s of the file: it is one rank of a larger job, or a job of one "
			"rank that still calls collectives"), k->src->path, num_ns(ns, buf));
	else if (f->zero)
		table_note(t, _("%s: ZeRO on one device, and no communication kernel in the file, as it should be: parameters come by copies "
			"from the host"), k->src->path);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct runtime_view *v = view;

	(void)e;
	v->steps = selection_n_steps(k);
	tell_communication(k, t);
	for (track_id i = k->p->layer_track[LAYER_RUNTIME]; i < k->p->layer_track[LAYER_RUNTIME + 1]; i++) {
		const struct track *tr = &k->p->tracks[i];
		ev_id ev, end;

		for (selection_host_range(k, tr, &ev, &end); selects_thread(k, tr->thread) && ev < end; ev++)
			add_call(v, k, tr, ev);
	}
	return true;
}

static const struct tally_view how = {
	.kind = NEED_RUNTIME,
	.none = N_("no CUDA runtime calls: record with CUDA activities (torch.profiler) or --trace=cuda (nsys)"),
	.source = add_source, .n_names = 2, .row_size = sizeof(struct runtime_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct runtime_view v = { .y.how = &how, .y.names[OPS].cut = rules_op_base };
	bool ok = tally_collect(&v.y, cx, sc, t, e);

	if (ok) {
		tally_put(&v.y, t);
		tell_allocator(&v.y, t);
	}
	VEC_FREE(&v.op_ns);
	groups_fini(&v.op_groups);
	tally_fini(&v.y);
	return ok;
}

const struct analysis an_runtime = {
	.id = "runtime", .title = N_("Runtime calls"), .doc = N_("CUDA runtime and driver calls: count, time, and the op that paid"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
