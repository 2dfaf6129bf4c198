/* metric_step.c - metrics of the steps and their phases, of what is known of the run, and of what the source can tell; see metric.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "calc/stats.h"
#include "findings/metric_impl.h"
#include "measure/host_partition.h"
#include "scope/analysis.h"
#include "table/get.h"

/* When the device begins with the work that is launched in each step, and ends it. INT64_MAX: no work. */
struct device_step {
	ns_t first, last;
};

static struct device_step *device_steps(const struct metrics *m)
{
	const struct profile *p = m->k.p;
	struct device_step *d = xcalloc((size_t)m->n_steps + 1, sizeof(*d));

	for (uint32_t i = 0; i < m->n_steps; i++)
		d[i] = (struct device_step){ INT64_MAX, INT64_MIN };
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++) {
		int64_t i = p->link[e] == ID_NONE ? -1 : metrics_step_at(m, p->start[p->link[e]]);

		if (i < 0)
			continue;
		d[i].first = p->start[e] < d[i].first ? p->start[e] : d[i].first;
		d[i].last = ev_end(p, e) > d[i].last ? ev_end(p, e) : d[i].last;
	}
	return d;
}

/* From the step's work to that of the next one; of a step without a next one that has work, as long as its own. I64_UNKNOWN: no work. */
static ns_t device_period(const struct metrics *m, const struct device_step *d, uint32_t i)
{
	if (d[i].first == INT64_MAX)
		return I64_UNKNOWN;
	if (i + 1 < m->n_steps && m->steps[i + 1]->start == m->steps[i]->next && d[i + 1].first != INT64_MAX)
		return d[i + 1].first - d[i].first;
	return d[i].last - d[i].first;
}

/* What steps longer than 1.5 times the median cost. Where the device keeps its pace, only the host waited at another place. */
static void long_steps(struct metrics *m, ns_t median)
{
	struct device_step *d = device_steps(m);
	struct stats s = { 0 };
	ns_t pace;

	for (uint32_t i = 0; i < m->n_steps; i++)
		if (device_period(m, d, i) != I64_UNKNOWN)
			stats_add(&s, device_period(m, d, i));
	pace = stats_n(&s) ? stats_lower_median(&s) : 0;
	metric_set_i64(m, METRIC_long_steps, 0);
	for (uint32_t i = 0; i < m->n_steps; i++) {
		ns_t more = m->steps[i]->next - m->steps[i]->start - median, on_device = device_period(m, d, i);

		if (more <= median / 2 || (on_device != I64_UNKNOWN && on_device - pace <= pace / 2))
			continue;
		more = on_device != I64_UNKNOWN && on_device - pace < more ? on_device - pace : more;
		metric_add(m, METRIC_long_steps, more, m->steps[i]->start,
			&(struct instance){ m->steps[i]->start, m->steps[i]->next, 0, ID_NONE, ID_NONE });
	}
	stats_fini(&s);
	free(d);
}

static void step_lengths(struct metrics *m)
{
	struct stats s = { 0 };
	int64_t median;

	metric_set_i64(m, METRIC_steps, m->n_steps);
	for (uint32_t i = 0; i < m->n_steps; i++)
		stats_add(&s, m->steps[i]->next - m->steps[i]->start);
	if (m->n_steps) {
		median = stats_lower_median(&s);
		metric_set_i64(m, METRIC_step_median, median);
		metric_set_i64(m, METRIC_step_p90, stats_percentile(&s, 90));
		metric_set_i64(m, METRIC_step_max, s.max);
		long_steps(m, median);
	}
	stats_fini(&s);
}

static void leading_steps(struct metrics *m)
{
	const struct facts *f = m->k.f;
	ns_t warm = 0;

	for (uint32_t i = 0; i < f->n_procs; i++) {
		const struct proc_facts *pf = &f->procs[i];

		if (!pf->n_steps)
			continue;
		for (uint32_t s = pf->first_step; s < pf->first_step + pf->n_steps && f->steps[s].warmup; s++)
			warm += f->steps[s].next - f->steps[s].start;
		metric_set_i64(m, METRIC_warmup, warm);
		metric_set_i64(m, METRIC_first_step, f->steps[pf->first_step].next - f->steps[pf->first_step].start);
		return;
	}
}

/* ---- phases ---- */

static const enum metric_id phase_metric[PHASE_N] = {
	[PHASE_DATALOAD] = METRIC_dataload, [PHASE_FORWARD] = METRIC_forward, [PHASE_BACKWARD] = METRIC_backward,
	[PHASE_RECOMPUTE] = METRIC_recompute, [PHASE_OPTIMIZER] = METRIC_optimizer, [PHASE_OTHER] = METRIC_N,
};

static void add_phase(struct metric_work *w, const struct spans *idle, enum phase ph, ns_t start, ns_t end)
{
	struct instance at = { start, end, 0, ID_NONE, ID_NONE };
	ns_t in = spans_overlap(idle, start, end);

	if (phase_metric[ph] < METRIC_N && end > start)
		metric_add(w->m, phase_metric[ph], end - start, start, &at);
	if (ph == PHASE_OPTIMIZER && in)
		metric_add(w->m, METRIC_optimizer_idle, in, start, &at);
}

static void add_phases(struct metric_work *w, uint32_t proc)
{
	const struct proc_facts *pf = &w->k->f->procs[proc];
	struct spans window = { 0 };

	selection_proc_window(w->k, proc, &window);
	for (size_t i = 0; i < window.n; i++) {
		ns_t at = window.a[i].start;

		for (uint32_t s = facts_phase_index(pf, at); s < pf->n_phases && at < window.a[i].end; s++) {
			ns_t end = s + 1 < pf->n_phases ? pf->phases[s + 1].start : INT64_MAX;

			end = end < window.a[i].end ? end : window.a[i].end;
			add_phase(w, &w->idle[proc], (enum phase)pf->phases[s].phase, at, end);
			at = end;
		}
	}
	spans_fini(&window);
}

static void phases(struct metric_work *w)
{
	uint32_t known = w->k->f->phases_known;

	for (uint32_t p = 0; p < w->k->f->n_procs; p++)
		if (w->k->f->procs[p].training)
			add_phases(w, p);
	for (int i = 0; i <= PHASE_N; i++) {
		enum metric_id id = i == PHASE_N ? METRIC_optimizer_idle : phase_metric[i];

		if (id == METRIC_N)
			continue;
		w->m->v[id].known = known >> (i == PHASE_N ? PHASE_OPTIMIZER : i) & 1;
		w->m->v[id].why = N_("phases of the step");
		metric_divide(w->m, id, w->procs, false);
	}
}

/* ---- coverage, overhead ---- */

static void coverage(struct metric_work *w)
{
	ns_t wall = 0, untraced = 0;

	if (w->k->p->layer_first[LAYER_KERNEL] == 0)
		return;		/* no host events at all */
	for (uint32_t p = 0; p < w->k->f->n_procs; p++) {
		struct spans window = { 0 };

		if (!w->k->f->procs[p].training)
			continue;
		selection_proc_window(w->k, p, &window);
		wall += spans_measure(&window);
		untraced += host_untraced(w->k, p, &window);
		spans_fini(&window);
	}
	if (wall > 0)
		metric_set_f64(w->m, METRIC_coverage, 1 - (double)untraced / (double)wall);
}

/* Records of threads that issue nothing delay nothing; those of no known process concern everybody. */
static void overhead(struct metric_work *w)
{
	const struct profile *p = w->k->p;
	struct spans all = { 0 }, in = { 0 };

	for (track_id t = p->layer_track[LAYER_OVERHEAD]; t < p->layer_track[LAYER_OVERHEAD + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		bool known = tr->thread != ID_NONE && p->threads[tr->thread].pid >= 0;

		if (known && !w->k->f->threads[tr->thread].launches)
			continue;
		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			size_t n;
			const char *s = profile_str(p, p->name[e], &n);
			struct host_class hc;

			rules_overhead(w->cx->rules, s, n, &hc);
			if (!hc.cause || !strcmp(hc.cause, "profiler"))
				spans_add(&all, p->start[e], ev_end(p, e));
		}
	}
	spans_norm(&all);
	spans_intersect(&in, &all, &w->window);
	metric_set_i64(w->m, METRIC_overhead, 0);
	for (size_t i = 0; i < in.n; i++)
		metric_add_span(w->m, METRIC_overhead, in.a[i].start, in.a[i].end);
	spans_fini(&all);
	spans_fini(&in);
}

/* ---- what else is known ---- */

static int64_t fact_i64(const struct session *s, const char *const *keys)
{
	int64_t v;

	for (; *keys; keys++) {
		const char *text = session_fact(s, *keys);

		if (text && num_parse_i64(text, strlen(text), &v) && v > 0)
			return v;
	}
	return I64_UNKNOWN;
}

static void run_facts(struct metrics *m, const struct session *s)
{
	static const char *const bytes[] = { "parameter_bytes", "param_bytes", NULL };
	static const char *const experts[] = { "experts", "num_experts", "num_local_experts", "n_routed_experts", NULL };
	static const char *const zero[] = { "zero_optimization.stage", "zero_stage", NULL };
	static const char *const used[] = { "experts_used", "top_k", "num_experts_per_tok", "moe_topk", NULL };
	int64_t stage = fact_i64(s, zero);

	metric_set_i64(m, METRIC_zero_stage, stage == I64_UNKNOWN ? 0 : stage);
	metric_set_i64(m, METRIC_param_bytes, fact_i64(s, bytes));
	metric_set_i64(m, METRIC_experts, fact_i64(s, experts));
	metric_set_i64(m, METRIC_experts_used, fact_i64(s, used));
	m->v[METRIC_param_bytes].why = N_("parameter_bytes among the facts of the run (--facts)");
	m->v[METRIC_experts].why = m->v[METRIC_experts_used].why = N_("the number of experts among the facts of the run (--facts)");
}

static bool several_tools(const struct session *s)
{
	const struct profile *first = NULL;

	for (uint32_t i = 0; i < s->n_sources; i++) {
		const struct profile *p = s->sources[i].profile;

		if (p && first && p->format != first->format)
			return true;
		first = p ? p : first;
	}
	return false;
}

/* Whether the two cells, "PATH: what", name two files. */
static bool two_files(const struct table *t, uint32_t row)
{
	const struct cell *a = get_cell(t, row, "a_source");
	const struct cell *b = get_cell(t, row, "b_source");
	const char *end = a->type == CELL_STR ? memrchr(a->v.s, ':', a->len) : NULL;
	size_t n = end ? (size_t)(end - a->v.s) + 1 : 0;

	return b->type != CELL_STR || b->len < n || memcmp(a->v.s, b->v.s, n) != 0;
}

static void differences(struct metric_work *w)
{
	struct table *t;
	struct scope sc = *w->k->sc;
	int64_t n = 0;

	w->m->v[METRIC_disagreements].why = N_("a second source of the same run");
	if (!several_tools(w->cx->session))
		return;		/* several ranks recorded by one tool are no disagreement */
	sc.source = -1;
	t = analysis_table(context_view(w->cx, "crosscheck"), w->cx, &sc, NULL);
	for (uint32_t r = 0; t && r < t->n_rows; r++)
		n += get_is(t, r, "verdict", "differ") && two_files(t, r);
	if (t)
		metric_set_i64(w->m, METRIC_disagreements, n);
	table_free(t);
}

static void what_is_there(struct metric_work *w)
{
	unsigned caps = 0;
	int64_t damaged = 0;
	bool stacks = false, ops = false, others = false;

	for (uint32_t i = 0; i < w->cx->session->n_sources; i++) {
		const struct facts *f = w->cx->facts[i];

		if (!f)
			continue;
		caps |= f->p->caps;
		ops |= f->ops.n > 0;
		stacks |= profile_python_stacks(f->p);
		others |= f->p->rank >= 0 && w->k->p->rank >= 0 && f->p->rank != w->k->p->rank;
	}
	for (uint32_t i = 0; i < w->k->p->n_damages; i++)
		damaged += (int64_t)w->k->p->damages[i].count;
	metric_set_i64(w->m, METRIC_damaged, damaged);
	metric_set_i64(w->m, METRIC_no_gpu, !(caps & (CAP_GPU | CAP_DEVICE_UNREAD)));
	metric_set_i64(w->m, METRIC_no_ops, !ops);
	metric_set_i64(w->m, METRIC_other_ranks, others);
	metric_set_i64(w->m, METRIC_no_stacks, !stacks);
	metric_set_i64(w->m, METRIC_no_steps, !w->k->f->n_steps);
}

void metric_whys(struct metrics *m)
{
	static const char why[] = N_("step markers");
	static const enum metric_id need[] = { METRIC_step_median, METRIC_step_p90, METRIC_step_max, METRIC_long_steps, METRIC_warmup,
		METRIC_first_step };
	static const char gpu[] = N_("GPU work");

	for (int i = 0; i < METRIC_N; i++)
		m->v[i].why = gpu;
	for (size_t i = 0; i < sizeof(need) / sizeof(*need); i++)
		m->v[need[i]].why = why;
	m->v[METRIC_coverage].why = N_("host events");
	m->v[METRIC_comm_skew].why = m->v[METRIC_comm_kernel_median].why = N_("communication kernels");
}

void metric_step_pass(struct metric_work *w)
{
	step_lengths(w->m);
	leading_steps(w->m);
	phases(w);
	coverage(w);
	overhead(w);
	run_facts(w->m, w->cx->session);
	differences(w);
	what_is_there(w);
}
