/* runtime.c - view `runtime`: CUDA runtime and driver calls by name, who paid for them, and on which thread */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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

struct call_acc {
	int64_t split, source, pid;
	ns_t total;			/* clipped to the window */
	enum rt_class class;
	const char *category;
	uint32_t steps;			/* of the window in the source (largest, where rows are merged) */
	struct stats durs;		/* of the calls that start in it, whole */
	const char *name;
	size_t len;
	uint32_t top_op;	/* names number */
	ns_t top_ns;
};
struct call_view {
	struct groups groups, op_groups;
	struct names names, ops;
	VEC(struct call_acc) acc;
	VEC(ns_t) op_ns;
	const struct scope *sc;
	uint32_t steps;			/* of the source at hand */
};

static void pay(struct call_view *v, uint32_t g, const struct pick *k, ev_id e, ns_t ns)
{
	uint32_t op = facts_op_of_call(k->f, e), number = op == ID_NONE ? ID_NONE : names_id(&v->ops, k->f->ops.name[op]);
	uint32_t i = groups_add(&v->op_groups, &(struct group_key){ .k = { g, number } });
	struct call_acc *a = &v->acc.a[g];

	if (i == v->op_ns.n)
		VEC_PUSH(&v->op_ns, 0);
	v->op_ns.a[i] += ns;
	if (number != ID_NONE && v->op_ns.a[i] > a->top_ns) {
		a->top_ns = v->op_ns.a[i];
		a->top_op = number;
	}
}

static const char *category_of(const struct pick *k, ev_id e)
{
	struct runtime_class rc;
	size_t n;
	const char *s = profile_str(k->p, k->p->name[e], &n);

	rules_runtime_class(k->cx->rules, s, n, &rc);
	return rc.category;
}

static void add_call(struct call_view *v, const struct pick *k, uint32_t pick_index, const struct track *tr, ev_id e)
{
	ns_t clipped = pick_clip(k, k->p->start[e], ev_end(k->p, e));
	bool counted = pick_at(k, k->p->start[e]);
	int64_t split = split_host(k, tr->thread, k->p->start[e]);
	uint32_t name, g;
	struct call_acc *a;

	if ((!clipped && !counted) || !pick_call(k, e))
		return;
	name = names_id(&v->names, k->p->name[e]);
	g = groups_add(&v->groups, &(struct group_key){ .k = { name, (uint64_t)split, v->sc->by == BY_ALL ? 0 : pick_index } });
	if (g == v->acc.n) {
		VEC_PUSH(&v->acc, (struct call_acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW,
			.class = facts_rt(k->f, e), .category = category_of(k, e), .top_op = ID_NONE });
		v->acc.a[g].name = names_str(&v->names, name, &v->acc.a[g].len);
	}
	a = &v->acc.a[g];
	owner_add(&a->source, pick_index);
	owner_add(&a->pid, tr->pid);
	if (a->steps < v->steps)
		a->steps = v->steps;
	a->total += clipped;
	if (counted)
		stats_add(&a->durs, k->p->dur[e]);
	pay(v, g, k, e, clipped);
}

static void put_durations(struct table *t, uint32_t row, struct call_acc *a)
{
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	if (!stats_n(&a->durs))
		return;
	table_i64(t, row, C_MIN, a->durs.min);
	table_i64(t, row, C_MAX, a->durs.max);
	table_f64(t, row, C_AVG, stats_mean(&a->durs));
	table_f64(t, row, C_P50, stats_median(&a->durs));
	table_i64(t, row, C_P99, stats_percentile(&a->durs, 99));
	table_f64(t, row, C_STDDEV, stats_stddev(&a->durs));
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct call_acc *x = (const struct call_acc *)arg + a, *y = (const struct call_acc *)arg + b;

	return (x->total < y->total) - (x->total > y->total);
}

static void put_rows(struct call_view *v, const struct picks *ps, struct table *t)
{
	uint32_t *order = groups_order((uint32_t)v->acc.n, acc_cmp, v->acc.a);
	ns_t sum = 0;

	for (size_t i = 0; i < v->acc.n; i++)
		sum += v->acc.a[i].total;
	for (size_t i = 0; i < v->acc.n; i++) {
		struct call_acc *a = &v->acc.a[order[i]];
		uint32_t row = table_row(t);
		size_t n;
		const char *op = names_str(&v->ops, a->top_op, &n);

		table_str(t, row, C_NAME, a->name, a->len);
		table_cstr(t, row, C_CLASS, rt_class_name(a->class));
		table_i64(t, row, C_TOTAL, a->total);
		put_durations(t, row, a);
		table_cstr(t, row, C_CATEGORY, a->category);
		if (a->steps && v->sc->by != BY_STEP)
			table_f64(t, row, C_PER_STEP, (double)stats_n(&a->durs) / a->steps);
		if (sum)
			table_share(t, row, C_SHARE, (double)a->total, (double)sum);
		table_str(t, row, C_OP, op, n);
		if (op && a->total)
			table_share(t, row, C_OP_SHARE, (double)a->top_ns, (double)a->total);
		split_set(t, row, C_BY, &ps->a[a->source == OWNER_MIXED ? 0 : a->source], a->split);
		an_ref(t, row, REF_RUNTIME, ps->a[a->source == OWNER_MIXED ? 0 : a->source].f->source, 0, 0, C_NAME);
		picks_row_owner(t, row, ps, a->source, a->pid);
	}
	free(order);
}

/* Allocator calls of steps that should need none: the caching allocator has its memory after the warm-up. */
static void tell_allocator(const struct call_view *v, const struct picks *ps, struct table *t)
{
	char buf[NUM_TEXT_MAX];
	size_t n = 0;
	ns_t ns = 0;

	for (size_t i = 0; i < v->acc.n; i++) {
		const struct call_acc *a = &v->acc.a[i];

		if (!a->category || strcmp(a->category, "memory management"))
			continue;
		n += stats_n(&a->durs);
		ns += a->total;
	}
	if (n && v->sc->window == WINDOW_STEADY && !ps->a[0].no_steps)
		table_note(t, ngettext("%zu allocator call in the steady steps, %s: memory that is given back and taken again each step, or a "
			"cache that does not fit (filter: category = \"memory management\")", "%zu allocator calls in the steady steps, %s: memory that "
			"is given back and taken again each step, or a cache that does not fit (filter: category = \"memory management\")", n), n, num_ns(ns, buf));
}

/* Whether any source of the same run says that the job has more than one rank. */
static bool of_larger_job(const struct pick *k)
{
	const struct session *s = k->cx->session;

	for (uint32_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].profile && s->sources[i].clock_group == k->src->clock_group && s->sources[i].profile->world > 1)
			return true;
	return false;
}

/* A run on one device has nobody to talk to: communication there means that the file is one rank of a larger job. */
static void tell_communication(const struct pick *k, struct table *t)
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

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct call_view v = { .ops = { .cut = rules_op_base }, .sc = sc };
	struct picks ps;
	bool ok = picks_open(&ps, cx, sc, VIEW_RUNTIME, t, _("no CUDA runtime calls: record with CUDA activities (torch.profiler) "
		"or --trace=cuda (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		const struct pick *k = &ps.a[i];

		names_enter(&v.names, k->p);
		names_enter(&v.ops, k->p);
		v.steps = picks_n_steps(k);
		tell_communication(k, t);
		for (track_id tr = k->p->layer_track[LAYER_RUNTIME]; tr < k->p->layer_track[LAYER_RUNTIME + 1]; tr++) {
			const struct track *track = &k->p->tracks[tr];
			ev_id ev, end;

			for (pick_host_range(k, track, &ev, &end); pick_thread(k, track->thread) && ev < end; ev++)
				add_call(&v, k, i, track, ev);
		}
		ok = !an_cancelled(cx, e);
	}
	if (ok) {
		put_rows(&v, &ps, t);
		tell_allocator(&v, &ps, t);
	}
	for (size_t i = 0; i < v.acc.n; i++)
		stats_fini(&v.acc.a[i].durs);
	VEC_FREE(&v.acc);
	VEC_FREE(&v.op_ns);
	groups_fini(&v.groups);
	groups_fini(&v.op_groups);
	names_fini(&v.names);
	names_fini(&v.ops);
	picks_close(&ps);
	return ok;
}

const struct analysis an_runtime = {
	.id = "runtime", .title = N_("Runtime calls"), .doc = N_("CUDA runtime and driver calls: count, time, and the op that paid"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
