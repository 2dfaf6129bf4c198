/*
 * crosscheck.c - view `crosscheck`: the same quantity from two places (definitions.md §9). Figures come from the other analyses;
 * nothing is computed here but ratios and verdicts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "facts/distortion.h"
#include "measure/py_by_step.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"
#include "views/figures.h"

enum { C_QUANTITY, C_UNIT, C_A, C_A_SOURCE, C_B, C_B_SOURCE, C_RATIO, C_TOLERANCE, C_VERDICT, C_REASON };

static const struct column_def cols[] = {
	[C_QUANTITY] = { "quantity", N_("Quantity"), UNIT_TEXT, COL_KEY | COL_NAME | COL_WORDS, 0, N_("what is compared") },
	[C_UNIT] = { "unit", N_("Unit"), UNIT_TEXT, 0, 5, N_("unit of both figures") },
	[C_A] = { "a", N_("A"), UNIT_ID, 0, 1, N_("first figure") },
	[C_A_SOURCE] = { "a_source", N_("A from"), UNIT_TEXT, 0, 3, N_("where the first figure comes from") },
	[C_B] = { "b", N_("B"), UNIT_ID, 0, 1, N_("second figure") },
	[C_B_SOURCE] = { "b_source", N_("B from"), UNIT_TEXT, 0, 3, N_("where the second figure comes from") },
	[C_RATIO] = { "ratio", N_("A/B"), UNIT_FACTOR, 0, 2, N_("first divided by second") },
	[C_TOLERANCE] = { "tolerance", N_("Tolerance"), UNIT_RATIO, 0, 4, N_("largest deviation of the ratio from 1 that agrees") },
	[C_VERDICT] = { "verdict", N_("Verdict"), UNIT_TEXT, COL_KEY, 0, N_("agree, differ or not-comparable") },
	[C_REASON] = { "reason", N_("Reason"), UNIT_TEXT, 0, 2, N_("what explains the difference, or what the tolerance is") },
};

/* A figure of one source, with how many there are of it, NS_UNKNOWN when the source cannot tell. */
struct figure {
	int64_t value;
	const char *from;	/* arena or session: path, with the view after a colon */
};

struct check_ctx {
	const struct an_ctx *cx;
	struct scope sc;
	struct table *t;
	uint32_t pair[2];	/* the two sources that are compared, ID_NONE inside one */
};

static const char *label(const struct check_ctx *c, uint32_t source, const char *view)
{
	return arena_printf(&c->t->arena, "%s: %s", c->cx->session->sources[source].path, view);
}

/* ---- what makes two sources differ ---- */

/* The options of one source that the other was recorded without: what is measured is changed by measuring. */
static const char *observer_effect(const struct check_ctx *c, uint32_t i, uint32_t j)
{
	struct arena *mem = &c->t->arena;
	const char *a = distortion_list(c->cx->facts[i]->p, mem), *b = distortion_list(c->cx->facts[j]->p, mem);
	const char *pi = c->cx->session->sources[i].path, *pj = c->cx->session->sources[j].path;

	if ((a && b && !strcmp(a, b)) || (!a && !b))
		return NULL;
	if (a && b)
		return arena_printf(mem, _("observer effect: %s was recorded with %s, %s with %s"), pi, a, pj, b);
	return arena_printf(mem, _("observer effect: %s was recorded with %s, which makes host time longer"), a ? pi : pj, a ? a : b);
}

/* Launches of a source whose GPU work is not in the file; 0 if it cannot tell. */
static int64_t lost_launches(const struct check_ctx *c, uint32_t i)
{
	int64_t n = view_sum(c->cx, &c->sc, "quality", i, "count", "check", "launches without GPU work");

	return n == I64_UNKNOWN ? 0 : n;
}

static const char *cut_capture(const struct check_ctx *c, uint32_t i, uint32_t j)
{
	int64_t a = lost_launches(c, i), b = lost_launches(c, j);

	if (a == b)
		return NULL;
	return arena_printf(&c->t->arena, ngettext("cut capture: %s lacks the GPU work of %" PRId64 " launch, the other of %" PRId64,
		"cut capture: %s lacks the GPU work of %" PRId64 " launches, the other of %" PRId64, (unsigned long)(a > b ? a : b)),
		c->cx->session->sources[a > b ? i : j].path, a > b ? a : b, a > b ? b : a);
}

/* ---- rows ---- */

struct verdict {
	double tolerance;	/* < 0: not comparable */
	const char *reason;
};

/* Where two sources differ the reason is looked for: what recording does to times, or work that one of them has not. */
static void put_verdict(const struct check_ctx *c, uint32_t row, struct verdict v, bool differ, bool time)
{
	const char *why = NULL;

	if (differ && c->pair[0] != ID_NONE)
		why = time ? observer_effect(c, c->pair[0], c->pair[1]) : cut_capture(c, c->pair[0], c->pair[1]);
	table_cstr(c->t, row, C_VERDICT, v.tolerance < 0 ? "not-comparable" : differ ? "differ" : "agree");
	table_cstr(c->t, row, C_REASON, why ? why : v.reason);
}

static void put_check(const struct check_ctx *c, const char *quantity, const char *unit, struct figure a, struct figure b,
	struct verdict v)
{
	uint32_t row;
	double ratio;

	if (a.value == I64_UNKNOWN || b.value == I64_UNKNOWN)
		return;
	row = table_row(c->t);
	ratio = b.value ? (double)a.value / (double)b.value : a.value ? NAN : 1.0;
	table_cstr(c->t, row, C_QUANTITY, quantity);
	table_cstr(c->t, row, C_UNIT, unit);
	table_i64(c->t, row, C_A, a.value);
	table_cstr(c->t, row, C_A_SOURCE, a.from);
	table_i64(c->t, row, C_B, b.value);
	table_cstr(c->t, row, C_B_SOURCE, b.from);
	table_f64(c->t, row, C_RATIO, ratio);
	if (v.tolerance >= 0)
		table_f64(c->t, row, C_TOLERANCE, v.tolerance);
	put_verdict(c, row, v, v.tolerance >= 0 && !(fabs(ratio - 1.0) <= v.tolerance), !strcmp(unit, "ns"));
}

/* ---- inside one source ---- */

static int64_t union_of_ops(const struct facts *f)
{
	int64_t sum = 0;

	for (uint32_t t = 0; t < f->ops.n_tracks; t++) {
		struct spans s = { 0 };

		for (uint32_t i = f->ops.tracks[t].first; i < f->ops.tracks[t].first + f->ops.tracks[t].count; i++)
			spans_add(&s, f->ops.start[i], f->ops.start[i] + f->ops.dur[i]);
		spans_norm(&s);
		sum += spans_measure(&s);
		spans_fini(&s);
	}
	return sum;
}

static void check_self(const struct check_ctx *c, uint32_t i)
{
	struct check_ctx whole = *c;
	const struct facts *f = c->cx->facts[i];

	if (!f->ops.n)
		return;
	whole.sc.window = WINDOW_ALL;
	put_check(c, N_("sum of self times against the union of the ops, whole source"), "ns",
		(struct figure){ view_sum(c->cx, &whole.sc, "ops", i, "self_ns", NULL, NULL), label(c, i, "ops") },
		(struct figure){ union_of_ops(f), label(c, i, "op tracks") },
		(struct verdict){ 0, _("exact: each instant has one owner") });
}

/* How much of the window ops explain; threads that run at once make it more than the wall. */
static void check_self_in_wall(const struct check_ctx *c, uint32_t i)
{
	struct table *t = view_of_source(c->cx, &c->sc, "breakdown", i, "cpu");

	if (t && t->wall_ns > 0 && c->cx->facts[i]->ops.n)
		put_check(c, N_("own time of the ops against the wall of the host"), "ns",
			(struct figure){ view_sum(c->cx, &c->sc, "ops", i, "self_ns", NULL, NULL), label(c, i, "ops") },
			(struct figure){ t->wall_ns, label(c, i, "window") },
			(struct verdict){ -1, _("the rest is Python, calls outside of ops and untraced; ops of several threads run at once") });
	table_free(t);
}

static void check_partition(const struct check_ctx *c, uint32_t i, const char *partition, const char *quantity)
{
	struct table *t = view_of_source(c->cx, &c->sc, "breakdown", i, partition);

	if (t && t->n_rows)
		put_check(c, quantity, "ns", (struct figure){ table_sum_where(t, "time_ns", NULL, NULL), label(c, i, "breakdown") },
			(struct figure){ t->wall_ns, label(c, i, "window") }, (struct verdict){ 0, _("exact: the rows are a partition") });
	table_free(t);
}

/* Why there are not as many kernels as launches: kernels = launches + alone + other calls + more of one call - launches without. */
struct launch_sums {
	int64_t alone;		/* kernels without a call in the file */
	int64_t other;		/* of calls that are no launches: ROCm's memory sets and copies are kernels */
	int64_t more;		/* beyond the first of a launch: graphs */
	int64_t with;		/* launches that have a kernel */
};

static void add_launched(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct launch_sums *s = arg;
	ev_id call = k->p->link[e];
	uint32_t first;

	(void)tr;
	if (call == ID_NONE)
		s->alone++;
	else if (facts_rt(k->f, call) != RT_LAUNCH)
		s->other++;
	else if (profile_launched_by(k->p, call, &first) && k->p->by_launch[first] != e)
		s->more++;
	else
		s->with++;
}

static const char *launch_reason(const struct check_ctx *c, uint32_t i, int64_t launches)
{
	struct launch_sums s = { 0 };
	struct selection k;
	bool ok = selection_init(&k, c->cx, &c->sc, i, NULL) && selections_gpu(&k, LAYER_KERNEL, add_launched, &s, NULL);

	selection_fini(&k);
	if (!ok)
		return NULL;
	return arena_printf(&c->t->arena, _("kernels without a call in the file: %" PRId64 "; of other calls than launches: %" PRId64
		"; further ones of a launch (graphs): %" PRId64 "; launches without a kernel: %" PRId64), s.alone, s.other, s.more,
		launches - s.with);
}

static void check_launches(const struct check_ctx *c, uint32_t i)
{
	const struct profile *p = c->cx->facts[i]->p;
	int64_t launches, kernels;
	const char *why = NULL;

	if (!(p->caps & CAP_RUNTIME) || p->layer_first[LAYER_KERNEL] == p->layer_first[LAYER_KERNEL + 1])
		return;
	launches = view_sum(c->cx, &c->sc, "runtime", i, "count", "class", "launch");
	kernels = view_sum(c->cx, &c->sc, "kernels", i, "count", NULL, NULL);
	if (launches != I64_UNKNOWN && kernels != I64_UNKNOWN && launches != kernels)
		why = launch_reason(c, i, launches);
	put_check(c, N_("kernel launch calls against kernels"), "count", (struct figure){ launches, label(c, i, "runtime") },
		(struct figure){ kernels, label(c, i, "kernels") }, (struct verdict){ 0.02, why ? why : _("exact events of one run") });
}

static void check_copies(const struct check_ctx *c, uint32_t i)
{
	int64_t gpu = view_sum(c->cx, &c->sc, "memcpy", i, "time_ns", NULL, NULL);

	put_check(c, N_("copies: GPU time against the CPU time of their dispatch"), "ns",
		(struct figure){ gpu, label(c, i, "memcpy") },
		(struct figure){ view_sum(c->cx, &c->sc, "runtime", i, "total_ns", "class", "memcpy"), label(c, i, "runtime") },
		(struct verdict){ -1, _("asynchronous dispatch: the call returns before the copy runs") });
	put_check(c, N_("copies: GPU time against aten::copy_"), "ns", (struct figure){ gpu, label(c, i, "memcpy") },
		(struct figure){ view_sum(c->cx, &c->sc, "ops", i, "total_ns", "name", "aten::copy_"), label(c, i, "ops") },
		(struct verdict){ -1, _("asynchronous dispatch: the op returns before the copy runs; copies within a device are kernels") });
}

/* What a sampler's figure rests on: its interval or rate, where the file says so, and that its own time is in it. */
static const char *sampled(const struct check_ctx *c, uint32_t i, const char *rest)
{
	static const char *const keys[] = { "interval", "rate" };
	const struct profile *p = c->cx->facts[i]->p;
	size_t n;

	for (uint32_t k = 0; k < p->n_options; k++) {
		const char *key = profile_str(p, p->options[k].key, &n);

		for (size_t j = 0; j < sizeof(keys) / sizeof(*keys); j++)
			if (strcmp(key, keys[j]) == 0)
				return arena_printf(&c->t->arena, _("sampled, %s %s, the sampler's own time is in it: %s"), key,
					profile_str(p, p->options[k].value, &n), rest);
	}
	return arena_printf(&c->t->arena, _("sampled, interval unknown, the sampler's own time is in it: %s"), rest);
}

static void check_sampler(const struct check_ctx *c, uint32_t i)
{
	const struct profile *p = c->cx->facts[i]->p;
	int64_t self = 0;

	for (uint32_t k = 0; k < p->n_frames && p->frames[k].self_ns != NS_UNKNOWN; k++)
		self += p->frames[k].self_ns;
	if (p->n_frames && p->frames[0].self_ns != NS_UNKNOWN)
		put_check(c, N_("sum of self times against the sampled wall"), "ns", (struct figure){ self, label(c, i, "stacks") },
			(struct figure){ p->sampled_wall_ns, label(c, i, "duration") },
			(struct verdict){ 0.10, sampled(c, i, _("start and stop of the profiler are in the duration")) });
}

/* That of two medians of steps: their own spread (the range of the middle half), at least 5 %. */
static double tolerance_of(ns_t iqr, ns_t median)
{
	double spread = median > 0 ? (double)iqr / (double)median : 0;

	return spread > 0.05 ? spread : 0.05;
}

/* The markers that made the steps against each other kind of markers that the same process has. */
static void check_step_sources(const struct check_ctx *c, uint32_t i)
{
	const struct facts *f = c->cx->facts[i];

	for (uint32_t proc = 0; proc < f->n_procs; proc++) {
		const struct step_count *n = f->procs[proc].step_counts;
		int a = 0;

		while (a < STEPS_BY_N && (!f->procs[proc].step_rule || f->procs[proc].step_rule != steps_by_name((enum steps_by)a)))
			a++;
		for (int b = a + 1; b < STEPS_BY_N; b++) {
			if (n[b].n < 2 || n[a].n < 2)
				continue;
			put_check(c, N_("median time from step to step, by two kinds of markers"), "ns",
				(struct figure){ n[a].median_ns, label(c, i, _(steps_by_name((enum steps_by)a))) },
				(struct figure){ n[b].median_ns, label(c, i, _(steps_by_name((enum steps_by)b))) },
				(struct verdict){ tolerance_of(n[a].iqr_ns > n[b].iqr_ns ? n[a].iqr_ns : n[b].iqr_ns, n[b].median_ns), n[b].n > n[a].n + 1 ?
					_("several markers of the second kind in a step: micro-batches, or an optimizer per group") :
					_("one run; the first opens the step and the second may close it, so the steps between are others") });
		}
	}
}

/* ---- between two sources ---- */

struct step_stats {
	uint32_t n, steps;	/* steady ones; all */
	ns_t median, iqr, whole;	/* whole: from the first start to the last end, warm-up included */
};

static struct step_stats steps_of(const struct facts *f)
{
	struct step_stats st = { 0, f->n_steps, NS_UNKNOWN, 0, NS_UNKNOWN };
	VEC(ns_t) v = { 0 };

	for (uint32_t i = 0; i < f->n_steps; i++)
		if (!f->steps[i].warmup && !f->steps[i].partial)
			VEC_PUSH(&v, f->steps[i].next - f->steps[i].start);
	st.n = (uint32_t)v.n;
	if (v.n) {
		i64_sort(v.a, v.n);
		st.median = sorted_median(v.a, v.n);
		st.iqr = v.a[(3 * (v.n - 1)) / 4] - v.a[(v.n - 1) / 4];
		st.whole = f->steps[f->n_steps - 1].next - f->steps[0].start;
	}
	VEC_FREE(&v);
	return st;
}

static bool one_run(const struct check_ctx *c, uint32_t i, uint32_t j)
{
	return c->cx->session->sources[i].clock_group == c->cx->session->sources[j].clock_group;
}

/* 2 % within a run; between runs the interquartile range of the steps, at least 5 %. */
static struct verdict step_tolerance(const struct check_ctx *c, uint32_t i, uint32_t j, const struct step_stats *a,
	const struct step_stats *b)
{
	struct verdict v = { 0.02, _("exact events of one run") };

	if (one_run(c, i, j))
		return v;
	v.tolerance = tolerance_of(a->iqr > b->iqr ? a->iqr : b->iqr, b->median);
	v.reason = _("other run: the interquartile range of the steps, at least 5 %");
	return v;
}

/* Steps of all processes that are in the window of the scope: what the sums of the views are divided by. */
static uint32_t steps_in_window(const struct check_ctx *c, uint32_t i)
{
	const struct facts *f = c->cx->facts[i];
	struct selection k;
	uint32_t n = 0;

	if (selection_init(&k, c->cx, &c->sc, i, NULL))
		for (uint32_t s = 0; s < f->n_steps; s++)
			n += selection_clip(&k, f->steps[s].start, f->steps[s].next) > 0;
	selection_fini(&k);
	return n;
}

static int64_t per_step(int64_t sum, uint32_t n)
{
	return sum == I64_UNKNOWN || !n ? I64_UNKNOWN : sum / n;
}

static void compare_gpu(const struct check_ctx *c, uint32_t i, uint32_t j, struct verdict v)
{
	static const struct { const char *quantity, *view, *col, *unit; } rows[] = {
		{ N_("kernel time per step"), "kernels", "total_ns", "ns" },
		{ N_("kernels per step"), "kernels", "count", "count" },
		{ N_("copy time on the GPU per step"), "memcpy", "time_ns", "ns" },
		{ N_("bytes copied per step"), "memcpy", "bytes", "bytes" },
		{ N_("runtime calls per step"), "runtime", "count", "count" },
	};
	uint32_t a = steps_in_window(c, i), b = steps_in_window(c, j);

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		put_check(c, rows[r].quantity, rows[r].unit,
			(struct figure){ per_step(view_sum(c->cx, &c->sc, rows[r].view, i, rows[r].col, NULL, NULL), a), label(c, i, rows[r].view) },
			(struct figure){ per_step(view_sum(c->cx, &c->sc, rows[r].view, j, rows[r].col, NULL, NULL), b), label(c, j, rows[r].view) },
			v);
}

/* Adds what [from, to) has of each of n steps, which are in order of time. */
static void add_to_steps(const struct step *steps, uint32_t n, ns_t from, ns_t to, ns_t *sums)
{
	uint32_t i;

	LOWER_BOUND(i, 0, n, steps[i].next <= from);
	for (; i < n && steps[i].start < to; i++) {
		ns_t start = steps[i].start > from ? steps[i].start : from, end = steps[i].next < to ? steps[i].next : to;

		sums[i] += end > start ? end - start : 0;
	}
}

/* Lower median over the steady steps of what a sampler on their clock saw of each; NS_UNKNOWN without such a clock. */
static ns_t sampled_step(const struct check_ctx *c, uint32_t sampler, uint32_t other)
{
	const struct profile *p = c->cx->facts[sampler]->p;
	const struct step *steps;
	struct pyruler r;
	ns_t *sums, median = NS_UNKNOWN;
	uint32_t n, steady = 0;

	if (!pyruler_of(&r, c->cx, sampler) || r.f != c->cx->facts[other])
		return NS_UNKNOWN;
	steps = r.f->steps + r.f->procs[r.proc].first_step;
	n = r.f->procs[r.proc].n_steps;
	sums = xcalloc(n, sizeof(*sums));
	for (uint32_t k = 0; k < p->n_frame_samples; k++)
		add_to_steps(steps, n, p->frame_samples[k].start + r.ahead, p->frame_samples[k].start + p->frame_samples[k].dur + r.ahead, sums);
	for (uint32_t i = 0; i < n; i++)
		if (!steps[i].warmup && !steps[i].partial && sums[i])
			sums[steady++] = sums[i];
	if (steady) {
		i64_sort(sums, steady);
		median = sorted_median(sums, steady);
	}
	free(sums);
	return median;
}

/* What a sampler saw from the first step's start to the last one's end; NS_UNKNOWN where it is not on their clock. */
static ns_t sampled_stretch(const struct check_ctx *c, uint32_t sampler, uint32_t other)
{
	const struct profile *p = c->cx->facts[sampler]->p;
	const struct step *steps;
	struct spans stretch = { 0 };
	struct pyruler r;
	ns_t sum = 0;

	if (!pyruler_of(&r, c->cx, sampler) || r.f != c->cx->facts[other])
		return NS_UNKNOWN;
	steps = r.f->steps + r.f->procs[r.proc].first_step;
	spans_append(&stretch, steps[0].start, steps[r.f->procs[r.proc].n_steps - 1].next);
	for (uint32_t k = 0; k < p->n_frame_samples; k++)
		sum += spans_overlap(&stretch, p->frame_samples[k].start + r.ahead, p->frame_samples[k].start + p->frame_samples[k].dur + r.ahead);
	spans_fini(&stretch);
	return sum;
}

/* A sampler's duration has start-up and shutdown in it: against the steps only what it saw while they ran counts. */
static void compare_stretch(const struct check_ctx *c, uint32_t sampler, uint32_t other, const struct step_stats *b)
{
	ns_t seen = sampled_stretch(c, sampler, other), wall = c->cx->facts[sampler]->p->sampled_wall_ns;
	bool linked = seen != NS_UNKNOWN, near = wall >= 0.9 * (double)b->whole && wall <= 1.1 * (double)b->whole;

	put_check(c, linked ? N_("sampled time against the steps from first start to last end, on one clock") :
		N_("wall of the run against the steps from first start to last end"), "ns",
		(struct figure){ linked ? seen : wall, label(c, sampler, linked ? "samples" : "duration") },
		(struct figure){ b->whole, label(c, other, "steps") },
		(struct verdict){ linked || near ? 0.10 : -1, sampled(c, sampler, linked ? _("samples are cut at the first and the last step") :
			_("start-up and shutdown outside the steps count in the first figure only")) });
}

static void compare_sampler(const struct check_ctx *c, uint32_t sampler, uint32_t other, const struct step_stats *b)
{
	if (facts_few_frames(c->cx->facts[sampler]))
		return;	/* its own duration against its frames says so */
	put_check(c, N_("sampled time of a step, on one clock"), "ns", (struct figure){ sampled_step(c, sampler, other), label(c, sampler, "samples") },
		(struct figure){ b->median, label(c, other, "steps") },
		(struct verdict){ 0.10, sampled(c, sampler, _("samples are cut at the steps of the other source")) });
	compare_stretch(c, sampler, other, b);
	if (b->steps)
		put_check(c, N_("wall of the run per step"), "ns",
			(struct figure){ per_step(c->cx->facts[sampler]->p->sampled_wall_ns, b->steps), label(c, sampler, "duration") },
			(struct figure){ b->median, label(c, other, "steps") },
			(struct verdict){ -1, sampled(c, sampler, _("start-up, shutdown and warm-up steps are in the first figure, divided by "
				"all steps of the other source")) });
}

static void compare_pair(const struct check_ctx *all, uint32_t i, uint32_t j)
{
	const struct check_ctx pair = { all->cx, all->sc, all->t, { i, j } }, *c = &pair;
	struct step_stats a = steps_of(c->cx->facts[i]), b = steps_of(c->cx->facts[j]);
	struct verdict v = step_tolerance(c, i, j, &a, &b);

	if (profile_python_samples(c->cx->facts[i]->p) && b.n)
		compare_sampler(c, i, j, &b);
	if (profile_python_samples(c->cx->facts[j]->p) && a.n)
		compare_sampler(c, j, i, &a);
	if (!a.n || !b.n)
		return;
	put_check(c, N_("median step period"), "ns", (struct figure){ a.median, label(c, i, "steps") },
		(struct figure){ b.median, label(c, j, "steps") }, v);
	put_check(c, N_("steady steps"), "count", (struct figure){ a.n, label(c, i, "steps") },
		(struct figure){ b.n, label(c, j, "steps") },
		one_run(c, i, j) ? (struct verdict){ 0, _("one run: every source should see the same steps") } :
		a.n == b.n ? (struct verdict){ 0, _("other run, as many steps") } :
		(struct verdict){ -1, _("other step count: figures are per step") });
	if (c->cx->facts[i]->p->caps & c->cx->facts[j]->p->caps & CAP_GPU)
		compare_gpu(c, i, j, v);
}

/*
 * Few sources are compared each with each. Of a run with many ranks that would be a million pairs: there the files of one rank are
 * compared with each other, and every file with the first one.
 */
#define EACH_WITH_EACH 16	/* sources at most */

struct crosscheck_pairs {
	uint32_t n, first;	/* sources that were read; the first of them */
	uint32_t *next;		/* the next source of the same rank, ID_NONE */
};

static void pairs_init(struct crosscheck_pairs *ps, const struct an_ctx *cx)
{
	uint32_t n = cx->session->n_sources;
	struct map next_of_rank = { 0 };

	*ps = (struct crosscheck_pairs){ .first = ID_NONE, .next = xreallocarray(NULL, n, sizeof(*ps->next)) };
	for (uint32_t i = n; i-- > 0;) {
		ps->next[i] = ID_NONE;
		if (!cx->facts[i])
			continue;
		ps->first = i;
		ps->n++;
		if (cx->facts[i]->p->rank < 0)
			continue;
		ps->next[i] = map_find(&next_of_rank, (uint64_t)cx->facts[i]->p->rank, 0);
		map_put(&next_of_rank, (uint64_t)cx->facts[i]->p->rank, 0, i);
	}
	map_fini(&next_of_rank);
}

static void compare_others(const struct check_ctx *c, const struct crosscheck_pairs *ps, uint32_t i)
{
	bool all = ps->n <= EACH_WITH_EACH || i == ps->first;

	for (uint32_t j = all ? i + 1 : ps->next[i]; j < c->cx->session->n_sources; j = all ? j + 1 : ps->next[j])
		if (c->cx->facts[j])
			compare_pair(c, i, j);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct crosscheck_pairs ps;
	bool done = true;
	struct check_ctx c = { cx, *sc, t, { ID_NONE, ID_NONE } };

	c.sc.by = BY_NONE;
	t->window_kind = sc->window == WINDOW_ALL ? "all" : "steady";
	pairs_init(&ps, cx);
	if (ps.n > EACH_WITH_EACH && sc->source < 0)
		table_note(t, _("%u sources: those of one rank are compared with each other, and every one with the first"), ps.n);
	for (uint32_t i = 0; done && i < cx->session->n_sources; i++) {
		if (!cx->facts[i] || (sc->source >= 0 && (uint32_t)sc->source != i))
			continue;
		table_source(t, cx->session->sources[i].path);
		if (sc->source < 0)
			compare_others(&c, &ps, i);
		check_step_sources(&c, i);
		check_self(&c, i);
		check_self_in_wall(&c, i);
		check_partition(&c, i, "cpu", N_("CPU breakdown against the wall"));
		check_partition(&c, i, "gpu", N_("GPU breakdown against the window, all devices"));
		check_partition(&c, i, "joint", N_("joint breakdown against the window, all devices"));
		check_launches(&c, i);
		check_copies(&c, i);
		check_sampler(&c, i);
		done = !an_cancelled(cx, e);
	}
	free(ps.next);
	if (done && !t->n_rows)
		table_note(t, _("nothing to compare"));
	return done;
}

const struct analysis an_crosscheck = {
	.id = "crosscheck", .title = N_("Cross-checks"), .doc = N_("the same quantity from two places, with tolerance and verdict"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
