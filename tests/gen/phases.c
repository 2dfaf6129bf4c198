/* Steps, the phases that partition each of them, and which step and phase a kernel belongs to. */
#include "truth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char node[] = "autograd::engine::evaluate_function: ",
		  recompute[] = "CheckpointFunctionBackward";

static int by_value(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static ns_t period(const struct step *s)
{
	return s->period_end - s->start;
}

/* Leading steps longer than 1.25 x the median of the later ones; only step 0 has evidence
 * (allocation, loading). */
static void mark_warmup(struct truth *t)
{
	ns_t *later = gen_alloc(t->nsteps, sizeof(*later)), median;
	size_t n = 0;

	for (size_t i = 1; i < t->nsteps; i++)
		later[n++] = period(&t->steps[i]);
	qsort(later, n, sizeof(*later), by_value);
	median = later[(n - 1) / 2];
	t->steps[0].warmup = period(&t->steps[0]) * 4 > median * 5;
	assert(t->steps[0].warmup);
	for (size_t i = 1; i < t->nsteps; i++)
		assert(period(&t->steps[i]) * 4 < median * 5);
	t->first_steady = 1;
	free(later);
}

/* The autograd thread, while an operator is active on it: the innermost of a graph node and a
 * checkpoint decides. */
static int autograd_phase(const struct truth *t, ns_t at, bool narrow)
{
	const struct layer *l = &t->ops[TH_AUTOGRAD];
	ptrdiff_t owner = layer_owner(l, at);

	if (owner < 0)
		return -1;
	for (ptrdiff_t i = owner; i >= 0; i = layer_outer(l, at, i)) {
		const char *name = t->r->ops.v[l->v[i].index].name;

		if (strncmp(name, node, sizeof(node) - 1) == 0)
			return PH_BACKWARD;
		if (strcmp(name, recompute) == 0)
			return narrow && i == owner ? PH_BACKWARD : PH_RECOMPUTE;
	}
	return PH_BACKWARD;
}

enum gen_phase phase_at(const struct truth *t, ns_t at, bool narrow)
{
	static const int of_annotation[] = { [AN_STEP] = -1,
		[AN_MICRO] = -1,
		[AN_FORWARD] = PH_FORWARD,
		[AN_BACKWARD] = PH_BACKWARD,
		[AN_OPTIMIZER] = PH_OPTIMIZER,
		[AN_OPTSTEP] = PH_OPTIMIZER,
		[AN_DATALOAD] = PH_DATALOAD };
	int phase = autograd_phase(t, at, narrow);

	if (phase >= 0)
		return (enum gen_phase)phase;
	phase = PH_OTHER;
	for (size_t i = 0; i < t->r->annots.n;
		i++) { /* in order of start: the last one that holds is innermost */
		const struct ev *a = &t->r->annots.v[i];

		if (a->start <= at && at < a->end && of_annotation[a->kind] >= 0)
			phase = of_annotation[a->kind];
	}
	return (enum gen_phase)phase;
}

static void add_phases(struct truth *t, struct step *s)
{
	struct cuts c = { 0 };
	ns_t sum = 0, sum2 = 0;

	cuts_add(&c, s->start);
	cuts_add(&c, s->period_end);
	for (size_t i = 0; i < t->r->annots.n; i++) {
		cuts_add(&c, t->r->annots.v[i].start);
		cuts_add(&c, t->r->annots.v[i].end);
	}
	for (size_t i = 0; i < t->ops[TH_AUTOGRAD].n; i++) {
		cuts_add(&c, t->ops[TH_AUTOGRAD].v[i].start);
		cuts_add(&c, t->ops[TH_AUTOGRAD].v[i].end);
	}
	cuts_sort(&c);
	for (size_t i = 0; i + 1 < c.n; i++) {
		if (c.v[i] < s->start || c.v[i] >= s->period_end)
			continue;
		s->phase[phase_at(t, c.v[i], false)] += c.v[i + 1] - c.v[i];
		s->narrow[phase_at(t, c.v[i], true)] += c.v[i + 1] - c.v[i];
	}
	for (int p = 0; p < PH_COUNT; p++) {
		sum += s->phase[p];
		sum2 += s->narrow[p];
	}
	assert(sum == period(s) && sum2 == sum);
	assert(s->phase[PH_RECOMPUTE] > 0 && s->phase[PH_OTHER] > 0);
	cuts_free(&c);
}

void find_steps(struct truth *t)
{
	const struct run *r = t->r;

	t->steps = gen_alloc((size_t)r->opt.steps, sizeof(*t->steps));
	for (size_t i = 0; i < r->annots.n; i++)
		if (r->annots.v[i].kind == AN_STEP)
			t->steps[t->nsteps++] = (struct step){ .number = (int)t->nsteps,
				.start = r->annots.v[i].start,
				.end = r->annots.v[i].end };
	for (size_t i = 0; i < t->nsteps; i++) {
		t->steps[i].number = (int)i;
		t->steps[i].period_end =
			i + 1 < t->nsteps ? t->steps[i + 1].start : t->steps[i].end;
		add_phases(t, &t->steps[i]);
	}
	mark_warmup(t);
}

enum gen_phase kernel_phase(const struct truth *t, const struct ev *kernel)
{
	const struct ev *c = run_call(t->r, kernel->corr);

	return c ? phase_at(t, c->start, false) : PH_UNATTRIBUTED;
}

/* GPU work belongs to a window by its launch; without one by its own start. */
bool launched_in(const struct truth *t, const struct ev *gpu, const struct spans *w)
{
	const struct ev *c = run_call(t->r, gpu->corr);

	return spans_contain(w, c ? c->start : gpu->start);
}

static void put_phases(FILE *f, const char *suffix, const ns_t *v)
{
	for (int p = 0; p < PH_UNATTRIBUTED; p++)
		fprintf(f, ", \"%s%s_ns\": %lld", gen_phase_names[p], suffix, (long long)v[p]);
}

static void put_micro(struct truth *t, const struct ev *a, bool first)
{
	long long kernels = 0, kernel_ns = 0, htod = 0, step = -1;
	struct span only = { a->start, a->end };
	struct spans w = { &only, 1, 1 };

	for (size_t i = 0; i < t->r->kernels.n; i++) {
		const struct ev *k = &t->r->kernels.v[i];

		if (!run_call(t->r, k->corr) || !launched_in(t, k, &w))
			continue;
		kernels++;
		kernel_ns += k->end - k->start;
	}
	for (size_t i = 0; i < t->r->copies.n; i++)
		if (t->r->copies.v[i].kind == COPY_HTOD && launched_in(t, &t->r->copies.v[i], &w))
			htod += t->r->copies.v[i].bytes;
	for (size_t i = 0; i < t->nsteps; i++)
		if (t->steps[i].start <= a->start && a->start < t->steps[i].period_end)
			step = (long long)i;
	fprintf(t->f,
		"%s\n  {\"step\": %lld, \"name\": \"%s\", \"start_ns\": %lld, \"dur_ns\": %lld, "
		"\"kernels\": %lld, "
		"\"kernel_sum_ns\": %lld, \"htod_bytes\": %lld}",
		first ? "" : ",", step, a->name, (long long)a->start,
		(long long)(a->end - a->start), kernels, kernel_ns, htod);
}

void put_steps(struct truth *t)
{
	bool first = true;

	fputs(" \"steps\": [", t->f);
	for (size_t i = 0; i < t->nsteps; i++) {
		const struct step *s = &t->steps[i];

		fprintf(t->f,
			"%s\n  {\"step\": %d, \"start_ns\": %lld, \"dur_ns\": %lld, \"period_ns\": "
			"%lld, \"warmup\": %s, "
			"\"partial\": false, \"outlier\": false, \"microbatches\": 2",
			i ? "," : "", s->number, (long long)s->start,
			(long long)(s->end - s->start), (long long)period(s),
			s->warmup ? "true" : "false");
		put_phases(t->f, "", s->phase);
		put_phases(t->f, "_narrow", s->narrow);
		fputs("}", t->f);
	}
	fputs("\n ],\n \"micro_batches\": [", t->f);
	for (size_t i = 0; i < t->r->annots.n; i++) {
		if (t->r->annots.v[i].kind != AN_MICRO)
			continue;
		put_micro(t, &t->r->annots.v[i], first);
		first = false;
	}
	fputs("\n ],\n", t->f);
}
