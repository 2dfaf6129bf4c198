/*
 * plan.c - view `plan`: of usual changes the one that gains most, then the one that gains most on top of it, until that is less than 1 % of the
 * step. Each row is a replay (replay.h) with all changes so far.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/vec.h"
#include "replay/replay.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_CHANGE, C_MEANS, C_STEP, C_GAIN, C_SHARE, C_ALL, C_TRUSTED, C_WHY };

static const struct column_def cols[] = {
	[C_CHANGE] = { "change", N_("Change"), UNIT_TEXT, COL_KEY, 0, N_("what is changed next, as whatif takes it") },
	[C_MEANS] = { "means", N_("Stands for"), UNIT_TEXT, COL_NAME, 0, N_("what an engineer would do") },
	[C_STEP] = { "step_ns", N_("Step then"), UNIT_NS, COL_BAR, 0, N_("median step with this and the changes above; the first row: as recorded") },
	[C_GAIN] = { "gain_ns", N_("Gain"), UNIT_NS, 0, 0, N_("by how much this change makes it shorter, on top of those above") },
	[C_SHARE] = { "gain_share", N_("Gain %"), UNIT_RATIO, 0, 1, N_("of the recorded step") },
	[C_ALL] = { "cumulative_ns", N_("In all"), UNIT_NS, 0, 2, N_("gain of all changes so far") },
	[C_TRUSTED] = { "trusted", N_("Trusted"), UNIT_BOOL, 0, 4, N_("whether the replay explains enough of the recorded run") },
	[C_WHY] = { "why_not", N_("Why not"), UNIT_TEXT, 0, 4, N_("why it does not") },
	SOURCE_COLS
};

/* What is tried. Products in lower precision are at most twice as fast, what only moves memory at 0.55 of its time. */
static const struct {
	const char *change, *means;
} usual[] = {
	{ "drop phase:dataload", N_("batches are ready in time: workers, or more of them") },
	{ "async op:aten::_local_scalar_dense", N_("values are not read back, or later: .item(), print, if") },
	{ "async op:aten::copy_", N_("copies do not block: pinned memory, non_blocking") },
	{ "scale dtype:fp32 0.5", N_("fp32 kernels in lower precision, at most") },
	{ "scale class:Elementwise 0.55", N_("elementwise kernels fused, or in lower precision") },
	{ "scale class:Norm 0.55", N_("normalisation fused, or in lower precision") },
	{ "fuse class:Optimizer", N_("one kernel for all parameters") },
	{ "launch 1000", N_("launches at 1 us: CUDA graphs, compilation") },
	{ "overlap copy:HtoD", N_("batches are copied on a stream of their own") },
	{ "overlap copy:DtoH", N_("results are copied on a stream of their own") },
};
#define N_USUAL (sizeof(usual) / sizeof(*usual))
#define LEAST_SHARE 100		/* less than one part of so many is no change to make */

#define REPLAYS_BYTES ((size_t)64 << 20)	/* of replays that are kept for other processes */

/* What the steps of all processes take with some of the changes, in their order. */
struct plan_replayed {
	uint8_t made[N_USUAL];
	size_t n;
	bool met;		/* the last of them changes something */
	ns_t *times;
};
/* One replay tells of all processes, and most processes take the same changes. */
struct replays {
	VEC(struct plan_replayed) v;
	size_t bytes;
	uint32_t n_steps;
};

struct planning {
	const struct selection *k;
	const struct replay_graph *g;
	struct table *t;
	uint32_t proc;
	struct replays *replays;
	struct change tried[N_USUAL];	/* the changes made so far, and the next */
	uint8_t order[N_USUAL];		/* which they are */
	bool made[N_USUAL];	/* or there is nothing to change */
	size_t n;
	ns_t recorded, step;
};

static void replays_empty(struct replays *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		free(r->v.a[i].times);
	r->v.n = r->bytes = 0;
}

/* With the changes made so far and the next one; NULL: cancelled. */
static const struct plan_replayed *replay(struct planning *v, struct err *e)
{
	struct replays *r = v->replays;
	struct plan_replayed x = { .n = v->n + 1 };
	uint64_t found[N_USUAL];

	for (size_t i = 0; i < r->v.n; i++)
		if (r->v.a[i].n == x.n && !memcmp(r->v.a[i].made, v->order, x.n))
			return &r->v.a[i];
	if (r->bytes > REPLAYS_BYTES)
		replays_empty(r);
	memcpy(x.made, v->order, x.n);
	x.times = xcalloc((size_t)r->n_steps + 1, sizeof(*x.times));
	if (!replay_step_times(v->g, v->k, v->tried, x.n, x.times, found, e)) {
		free(x.times);
		return NULL;
	}
	x.met = found[v->n] > 0;
	r->bytes += r->n_steps * sizeof(*x.times);
	VEC_PUSH(&r->v, x);
	return &r->v.a[r->v.n - 1];
}

static uint32_t put_row(struct planning *v, const char *change, const char *means, ns_t step)
{
	struct table *t = v->t;
	uint32_t row = table_row(t);
	struct replay_trust trust;

	replay_trust(v->g, v->k, v->proc, &trust);
	table_cstr(t, row, C_CHANGE, change);
	table_cstr(t, row, C_MEANS, means);
	table_i64(t, row, C_STEP, step);
	table_bool(t, row, C_TRUSTED, trust.trusted);
	table_cstr(t, row, C_WHY, trust.why_not ? _(trust.why_not) : NULL);
	an_row_source(t, row, v->k, v->k->f->procs[v->proc].pid);
	return row;
}

/* The change that makes the step shortest on top of those made; N_USUAL: none does. false: cancelled. */
static bool best_next(struct planning *v, const struct change *all, size_t *best, ns_t *step, struct err *e)
{
	*best = N_USUAL;
	*step = v->step;
	for (size_t i = 0; i < N_USUAL; i++) {
		const struct plan_replayed *x;
		ns_t then;

		if (v->made[i])
			continue;
		v->tried[v->n] = all[i];
		v->order[v->n] = (uint8_t)i;
		x = replay(v, e);
		if (!x)
			return false;
		v->made[i] = !x->met;
		then = replay_median(v->g, v->k, v->proc, x->times);
		if (then >= *step)
			continue;
		*best = i;
		*step = then;
	}
	return true;
}

static bool plan_process(struct planning *v, const struct change *all, struct err *e)
{
	size_t best;
	ns_t step;

	v->step = v->recorded = replay_median(v->g, v->k, v->proc, NULL);
	while (v->n < N_USUAL) {
		uint32_t row;

		if (!best_next(v, all, &best, &step, e))
			return false;
		if (best == N_USUAL || v->step - step < v->recorded / LEAST_SHARE)
			break;
		row = put_row(v, usual[best].change, _(usual[best].means), step);
		table_i64(v->t, row, C_GAIN, v->step - step);
		table_share(v->t, row, C_SHARE, (double)(v->step - step), (double)v->recorded);
		table_i64(v->t, row, C_ALL, v->recorded - step);
		v->tried[v->n] = all[best];
		v->order[v->n++] = (uint8_t)best;
		v->made[best] = true;
		v->step = step;
	}
	return true;
}

static bool put_source(const struct selection *k, struct table *t, const struct change *all, struct err *e)
{
	const struct replay_graph *g = replay_graph(k->f);
	struct replays kept = { 0 };
	bool ok = true;

	replay_steps(g, &kept.n_steps);
	for (uint32_t p = 0; p < k->f->n_procs && ok; p++) {
		struct planning v = { .k = k, .g = g, .t = t, .proc = p, .replays = &kept };
		struct replay_trust trust;

		if (!k->f->procs[p].training || replay_median(g, k, p, NULL) == NS_UNKNOWN)
			continue;
		replay_trust(g, k, p, &trust);
		put_row(&v, NULL, _("as recorded"), replay_median(g, k, p, NULL));
		ok = !trust.trusted || plan_process(&v, all, e);
	}
	replays_empty(&kept);
	VEC_FREE(&kept.v);
	return ok;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct change all[N_USUAL];
	struct selections ps;
	bool ok = true;

	for (size_t i = 0; i < N_USUAL; i++)
		ok = change_parse(usual[i].change, &all[i], e) && ok;
	ok = selections_open(&ps, cx, sc, NEED_JOINT, t, _("no source with both host and device work"), e) && ok;
	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = put_source(&ps.a[i], t, all, e);
	selections_close(&ps);
	for (size_t i = 0; i < N_USUAL; i++)
		change_fini(&all[i]);
	return ok;
}

const struct analysis an_plan = {
	.id = "plan", .title = N_("Plan"), .doc = N_("which usual changes make the step shorter, the best first, each on top of those before"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
