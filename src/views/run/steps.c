/* steps.c - view `steps`: marker, period, phases of the period, and what kind of step it is (definitions.md §4) */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_STEP, C_START, C_DUR, C_PERIOD, C_WARMUP, C_PARTIAL, C_OUTLIER, C_DATALOAD, C_FORWARD, C_BACKWARD, C_RECOMPUTE, C_OPTIMIZER,
	C_OTHER, C_MICRO, C_GPU, C_SHARE, C_FORWARD_BY, C_RECOMPUTE_BY, C_WHY, C_NAME };

static const struct column_def cols[] = {
	[C_STEP] = { "step", N_("Step"), UNIT_ID, COL_KEY, 0, N_("number of the step as its marker says it") },
	[C_START] = { "start_ns", N_("Start"), UNIT_TIME, 0, 5, N_("start of the marker") },
	[C_DUR] = { "dur_ns", N_("Marker"), UNIT_NS, 0, 4, N_("the marker's own range") },
	[C_PERIOD] = { "period_ns", N_("Period"), UNIT_NS, COL_BAR, 0, N_("from the start to the next step's start") },
	[C_WARMUP] = { "warmup", N_("Warm-up"), UNIT_BOOL, 0, 3, N_("long, leading, and with evidence of start-up work") },
	[C_PARTIAL] = { "partial", N_("Partial"), UNIT_BOOL, 0, 3, N_("cut by the capture") },
	[C_OUTLIER] = { "outlier", N_("Outlier"), UNIT_BOOL, 0, 3, N_("longer than 1.25 times the median, without evidence") },
	[C_DATALOAD] = { "dataload_ns", N_("Dataload"), UNIT_NS, 0, 1, N_("part of the period spent loading data") },
	[C_FORWARD] = { "forward_ns", N_("Forward"), UNIT_NS, 0, 1, N_("part of the period in forward") },
	[C_BACKWARD] = { "backward_ns", N_("Backward"), UNIT_NS, 0, 1, N_("part of the period in backward") },
	[C_RECOMPUTE] = { "recompute_ns", N_("Recompute"), UNIT_NS, 0, 2, N_("forward work inside backward (gradient checkpointing)") },
	[C_OPTIMIZER] = { "optimizer_ns", N_("Optimizer"), UNIT_NS, 0, 1, N_("part of the period in the optimizer") },
	[C_OTHER] = { "other_ns", N_("Other"), UNIT_NS, 0, 1, N_("the rest of the period; the six phases sum to it") },
	[C_MICRO] = { "microbatches", N_("Micro"), UNIT_COUNT, 0, 6, N_("micro-batch markers in the period") },
	[C_GPU] = { "gpu_busy_ns", N_("GPU busy"), UNIT_NS, 0, 2, N_("time of the period in which any device works (kernel, copy, memset)") },
	[C_SHARE] = { "dataload_share", N_("Load %"), UNIT_RATIO, 0, 4, N_("share of the period spent loading data") },
	[C_FORWARD_BY] = { "forward_by", N_("Forward by"), UNIT_TEXT, 0, 7, N_("how forward is known: marker, or inferred from what autograd records; unknown: not at all, its time is in other") },
	[C_RECOMPUTE_BY] = { "recompute_by", N_("Recompute by"), UNIT_TEXT, 0, 8, N_("the same of recompute") },
	[C_WHY] = { "evidence", N_("Because"), UNIT_TEXT, 0, 5, N_("why it is marked") },
	[C_NAME] = { "marker", N_("Name"), UNIT_TEXT, COL_NAME, 6, N_("name of the step marker") },
	SOURCE_COLS
};

/* Time of each phase in [start, end): sums to its length. */
static void phase_times(const struct proc_facts *pf, ns_t start, ns_t end, ns_t out[PHASE_N])
{
	memset(out, 0, PHASE_N * sizeof(*out));
	for (uint32_t i = facts_phase_index(pf, start); i < pf->n_phases && pf->phases[i].start < end; i++) {
		ns_t from = pf->phases[i].start > start ? pf->phases[i].start : start;
		ns_t to = i + 1 < pf->n_phases && pf->phases[i + 1].start < end ? pf->phases[i + 1].start : end;

		if (to > from)
			out[pf->phases[i].phase] += to - from;
	}
}

/* When any device of the source works. */
static void any_device(const struct facts *f, struct spans *out)
{
	for (uint32_t d = 0; d < f->n_devices; d++)
		for (size_t i = 0; i < f->devices[d].any.n; i++)
			spans_add(out, f->devices[d].any.a[i].start, f->devices[d].any.a[i].end);
	spans_norm(out);
}

/* Lower median of each phase over the complete steps of a process that are not warm-up. False if there are none. */
static bool usual_phases(const struct facts *f, uint32_t proc, ns_t out[PHASE_N])
{
	const struct proc_facts *pf = &f->procs[proc];
	struct stats st[PHASE_N] = { 0 };
	bool any;

	for (uint32_t i = pf->first_step; i < pf->first_step + pf->n_steps; i++) {
		ns_t ph[PHASE_N];

		if (f->steps[i].warmup || f->steps[i].partial)
			continue;
		phase_times(pf, f->steps[i].start, f->steps[i].next, ph);
		for (int k = 0; k < PHASE_N; k++)
			stats_add(&st[k], ph[k]);
	}
	any = stats_n(&st[0]) > 0;
	for (int k = 0; k < PHASE_N; k++) {
		out[k] = any ? stats_lower_median(&st[k]) : 0;
		stats_fini(&st[k]);
	}
	return any;
}

/* Why a step is long: the phase that grew most over its median. */
static const char *outlier_cause(struct table *t, const char *why, const ns_t ph[PHASE_N], const ns_t usual[PHASE_N])
{
	char grew[NUM_TEXT_MAX], from[NUM_TEXT_MAX];
	int top = 0;

	for (int k = 1; k < PHASE_N; k++)
		if (ph[k] - usual[k] > ph[top] - usual[top])
			top = k;
	if (ph[top] <= usual[top])
		return why;
	return arena_printf(&t->arena, _("%s; most of it in %s: %s more than its median of %s"), why, phase_name((enum phase)top),
		num_ns(ph[top] - usual[top], grew), num_ns(usual[top], from));
}

struct steps_view {
	const struct selection *k;
	struct table *t;
	struct spans busy;	/* when any device of the source works */
	uint32_t usual_of;	/* process that `usual` is of, ID_NONE */
	ns_t usual[PHASE_N];
};

static void put_evidence(struct steps_view *v, uint32_t row, const struct step *s, const ns_t ph[PHASE_N])
{
	const char *why = s->why ? _(s->why) : NULL;

	if (s->outlier && v->usual_of != s->proc && usual_phases(v->k->f, s->proc, v->usual))
		v->usual_of = s->proc;
	if (s->outlier && v->usual_of == s->proc && why)
		why = outlier_cause(v->t, why, ph, v->usual);
	table_cstr(v->t, row, C_WHY, why);
}

static void put_step(struct steps_view *v, const struct step *s)
{
	const struct selection *k = v->k;
	struct table *t = v->t;
	const struct proc_facts *pf = &k->f->procs[s->proc];
	uint32_t row = table_row(t);
	ns_t ph[PHASE_N];

	phase_times(pf, s->start, s->next, ph);
	table_i64(t, row, C_STEP, s->number);
	table_i64(t, row, C_START, selection_session_time(k, s->start));
	table_i64(t, row, C_DUR, s->end - s->start);
	table_i64(t, row, C_PERIOD, s->next - s->start);
	table_bool(t, row, C_WARMUP, s->warmup);
	table_bool(t, row, C_PARTIAL, s->partial);
	table_bool(t, row, C_OUTLIER, s->outlier);
	for (int i = 0; i < PHASE_N; i++)
		if (pf->evidence[i] != EVIDENCE_UNKNOWN)
			table_i64(t, row, C_DATALOAD + (uint32_t)i, ph[i]);
	table_cstr(t, row, C_FORWARD_BY, phase_evidence_name((enum phase_evidence)pf->evidence[PHASE_FORWARD]));
	table_cstr(t, row, C_RECOMPUTE_BY, phase_evidence_name((enum phase_evidence)pf->evidence[PHASE_RECOMPUTE]));
	table_i64(t, row, C_MICRO, s->microbatches);
	if (k->p->caps & CAP_GPU)
		table_i64(t, row, C_GPU, spans_overlap(&v->busy, s->start, s->next));
	if (s->next > s->start)
		table_share(t, row, C_SHARE, (double)ph[PHASE_DATALOAD], (double)(s->next - s->start));
	put_evidence(v, row, s, ph);
	an_str(t, row, C_NAME, k, s->name);
	an_ref(t, row, REF_STEP, k->f->source, s->number, pf->pid, C_NAME);
	an_row_source(t, row, k, pf->pid);
}

static void put_source(const struct selection *k, struct table *t)
{
	struct steps_view v = { .k = k, .t = t, .usual_of = ID_NONE };

	any_device(k->f, &v.busy);
	selection_describe(k, t);
	for (uint32_t i = 0; i < k->f->n_procs; i++)
		if (k->f->procs[i].step_rule)
			table_note(t, _("%s: steps by %s"), k->src->path, _(k->f->procs[i].step_rule));
	for (uint32_t i = 0; i < k->f->n_steps; i++) {
		const struct step *s = &k->f->steps[i];

		if (k->sc->window == WINDOW_STEPS && (s->number < k->sc->step_a || s->number > k->sc->step_b))
			continue;
		if (k->sc->window == WINDOW_TIME && !selection_clip(k, s->start, s->next))
			continue;
		put_step(&v, s);
	}
	spans_fini(&v.busy);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	uint32_t n, *src = view_sources(cx, sc, NEED_ANY, &n, t);

	(void)e;
	for (uint32_t i = 0; i < n; i++) {
		struct selection k;

		if (cx->facts[src[i]]->n_steps == 0 || !selection_init(&k, cx, sc, src[i], NULL))
			continue;
		put_source(&k, t);
		selection_fini(&k);
	}
	if (!t->n_rows)
		table_note(t, _("no step markers (ProfilerStep, NVTX step_N, optimizer calls): the whole capture is one window"));
	free(src);
	return true;
}

const struct analysis an_steps = {
	.id = "steps", .title = N_("Steps"), .doc = N_("training steps with their phases; warm-up, partial and outlying ones are marked"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
