/* metric.c - the measures of one source: their names, and sums per step; see metric.h */
#include "base/search.h"
#include "base/sorted.h"
#include "findings/metric_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "calc/stats.h"
#include "scope/columns.h"

static const struct {
	const char *name;
	enum metric_unit unit;
	const char *doc;
} natives[METRIC_N] = {
#define METRIC(id, unit, doc) { #id, MU_##unit, doc },
	METRICS(METRIC)
#undef METRIC
};

/* ---- names ---- */

uint32_t metric_find(const struct finding_rules *fr, const char *name, size_t n)
{
	for (uint32_t i = 0; i < METRIC_N; i++)
		if (strlen(natives[i].name) == n && !memcmp(natives[i].name, name, n))
			return i;
	for (uint32_t i = 0; i < fr->n_metrics; i++)
		if (strlen(fr->metrics[i].name) == n && !memcmp(fr->metrics[i].name, name, n))
			return METRIC_N + i;
	return ID_NONE;
}

enum metric_unit metric_unit(const struct finding_rules *fr, uint32_t metric)
{
	static const enum metric_unit of[MEASURE_N] = { MU_COUNT, MU_NS, MU_NS, MU_BYTES };

	return metric < METRIC_N ? natives[metric].unit : of[fr->metrics[metric - METRIC_N].measure];
}

const char *metric_name(const struct finding_rules *fr, uint32_t metric)
{
	return metric < METRIC_N ? natives[metric].name : fr->metrics[metric - METRIC_N].name;
}

/* ---- values ---- */

void metric_set_i64(struct metrics *m, enum metric_id id, int64_t v)
{
	m->v[id].known = v != I64_UNKNOWN;
	m->v[id].i = m->v[id].known ? v : 0;
}

void metric_set_f64(struct metrics *m, enum metric_id id, double v)
{
	m->v[id].known = !isnan(v);
	m->v[id].f = m->v[id].known ? v : 0;
}

int64_t metrics_step_at(const struct metrics *m, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, 0, m->n_steps, m->steps[i]->start <= t);
	return i && m->steps[i - 1]->next > t ? (int64_t)i - 1 : -1;
}

/* The largest ones, falling; of equals the earlier. */
static void keep_top(struct metric *v, const struct instance *at)
{
	uint32_t i = v->n_top;

	if (i == METRIC_TOP && at->amount <= v->top[i - 1].amount)
		return;
	i = i < METRIC_TOP ? v->n_top++ : METRIC_TOP - 1;
	for (; i && v->top[i - 1].amount < at->amount; i--)
		v->top[i] = v->top[i - 1];
	v->top[i] = *at;
}

void metric_add(struct metrics *m, uint32_t id, int64_t amount, ns_t t, const struct instance *at)
{
	struct metric *v = &m->v[id];
	int64_t step = metrics_step_at(m, t);

	v->i += amount;
	v->events++;
	if (step >= 0 && !v->by_step)
		v->by_step = xcalloc(m->n_steps, sizeof(*v->by_step));
	if (step >= 0)
		v->by_step[step] += amount;
	if (at && amount > 0) {
		struct instance x = *at;

		x.amount = amount;
		keep_top(v, &x);
	}
}

/* The part of an amount, evenly spread over [start, end), that lies before t. */
static int64_t amount_before(int64_t amount, ns_t start, ns_t end, ns_t t)
{
	return t >= end ? amount : t <= start ? 0 : (int64_t)llround((double)amount * ((double)(t - start) / (double)(end - start)));
}

void metric_add_spread(struct metrics *m, uint32_t id, int64_t amount, const struct instance *at)
{
	struct metric *v = &m->v[id];
	int64_t step = metrics_step_at(m, at->start);

	metric_add(m, id, amount, at->start, at);
	if (step >= 0)
		v->by_step[step] -= amount;
	for (uint32_t i = step < 0 ? 0 : (uint32_t)step; i < m->n_steps && m->steps[i]->start < at->end; i++) {
		int64_t part = amount_before(amount, at->start, at->end, m->steps[i]->next) -
			amount_before(amount, at->start, at->end, m->steps[i]->start);

		if (part > 0 && !v->by_step)
			v->by_step = xcalloc(m->n_steps, sizeof(*v->by_step));
		if (part > 0)
			v->by_step[i] += part;
	}
}

void metric_add_span(struct metrics *m, uint32_t id, ns_t start, ns_t end)
{
	metric_add_spread(m, id, end - start, &(struct instance){ start, end, 0, ID_NONE, ID_NONE });
}

void metric_family_known(struct metrics *m, enum metric_family f, const char *why)
{
	for (uint32_t i = 0; i < m->fr->n_metrics; i++) {
		if (m->fr->metrics[i].family != f)
			continue;
		m->v[METRIC_N + i].known = !why;
		m->v[METRIC_N + i].why = why;
	}
}

const struct metric_set *metric_set_known(const struct metric_work *w, enum metric_family f, uint64_t a, uint64_t b)
{
	uint32_t at = map_find(&w->sets[f].memo, a, b);

	return at == MAP_NONE ? NULL : &w->sets[f].a[at];
}

const struct metric_set *metric_set_of(struct metric_work *w, enum metric_family f, uint64_t a, uint64_t b, const char *text, size_t n)
{
	const struct finding_rules *fr = w->m->fr;
	struct metric_sets *ms = &w->sets[f];
	uint32_t at = map_get_or_put(&ms->memo, a, b, ms->n);
	struct metric_set s = { 0 };
	struct name_bits bits;
	uint8_t bit = 0;

	if (at < ms->n)
		return &ms->a[at];
	name_bits_fill(&bits, text, n);
	for (uint32_t i = 0; i < fr->n_metrics; i++) {
		if (fr->metrics[i].family != f)
			continue;
		if (globs_match_bits(&fr->metrics[i].match, &bits, text, n)) {
			s.id = xreallocarray(s.id, s.n + 1, sizeof(*s.id));
			s.bit = xreallocarray(s.bit, s.n + 1, sizeof(*s.bit));
			s.id[s.n] = METRIC_N + i;
			s.bit[s.n++] = bit;
			s.bits |= UINT64_C(1) << bit;
		}
		bit++;
	}
	if (ms->n == ms->cap) {
		ms->cap = (uint32_t)mem_grow(ms->cap, ms->n + 1);
		ms->a = xreallocarray(ms->a, ms->cap, sizeof(*ms->a));
	}
	ms->a[ms->n] = s;
	return &ms->a[ms->n++];
}

void metric_add_set(struct metric_work *w, const struct metric_set *s, uint64_t but, const struct amounts *x, const struct instance *at)
{
	const int64_t of[MEASURE_N] = { x->count, x->time, x->idle, x->bytes };

	for (uint32_t i = 0; i < s->n; i++) {
		enum metric_measure q = w->m->fr->metrics[s->id[i] - METRIC_N].measure;

		if (of[q] <= 0 || but >> s->bit[i] & 1)
			continue;
		if (w->m->fr->metrics[s->id[i] - METRIC_N].family == FAMILY_GAPS && q != MEASURE_COUNT)
			metric_add_spread(w->m, s->id[i], of[q], at);
		else
			metric_add(w->m, s->id[i], of[q], at->start, at);
	}
}

double metric_presence(const struct metrics *m, uint32_t metric)
{
	const int64_t *by = m->v[metric].by_step;
	uint32_t n = 0;

	for (uint32_t i = 0; by && i < m->n_steps; i++)
		n += by[i] != 0;
	return m->n_steps ? (double)n / m->n_steps : (double)NAN;
}

/* What `of` says of the sorted values of a metric per step. */
static int64_t of_steps(const struct metrics *m, uint32_t metric, int64_t (*of)(const int64_t *v, size_t n))
{
	int64_t *sorted, v;

	if (!m->n_steps)
		return I64_UNKNOWN;
	if (!m->v[metric].by_step)
		return m->v[metric].known ? 0 : I64_UNKNOWN;
	sorted = xreallocarray(NULL, m->n_steps, sizeof(*sorted));
	memcpy(sorted, m->v[metric].by_step, m->n_steps * sizeof(*sorted));
	i64_sort(sorted, m->n_steps);
	v = of(sorted, m->n_steps);
	free(sorted);
	return v;
}

int64_t metric_step_median(const struct metrics *m, uint32_t metric)
{
	return of_steps(m, metric, sorted_median);
}

int64_t metric_step_p90(const struct metrics *m, uint32_t metric)
{
	return of_steps(m, metric, sorted_p90);
}

int64_t metric_step_sum(const struct metrics *m, uint32_t metric)
{
	const int64_t *by = m->v[metric].by_step;
	int64_t sum = 0;

	for (uint32_t i = 0; by && i < m->n_steps; i++)
		sum += by[i];
	return m->n_steps ? sum : I64_UNKNOWN;
}

double metric_step_often(const struct metrics *m, uint32_t metric)
{
	const int64_t *by = m->v[metric].by_step;
	int64_t sum = metric_step_sum(m, metric);
	uint32_t n = 0;

	for (uint32_t i = 0; by && i < m->n_steps; i++)
		n += by[i] > 0 && by[i] >= sum / m->n_steps / 2;
	return m->n_steps ? (double)n / m->n_steps : (double)NAN;
}

int64_t metric_step_spikes(const struct metrics *m, uint32_t metric)
{
	const int64_t *by = m->v[metric].by_step;
	int64_t median = metric_step_median(m, metric), more = 0;

	if (!m->n_steps)
		return I64_UNKNOWN;
	for (uint32_t i = 0; by && i < m->n_steps; i++)
		if (by[i] / 10 > median)
			more += by[i] - median;
	return more;
}

/* ---- means over devices and processes ---- */

void metric_divide(struct metrics *m, uint32_t id, uint32_t by, bool up)
{
	struct metric *v = &m->v[id];
	int64_t more = up ? by - 1 : 0;

	if (by <= 1)
		return;
	v->i = (v->i + more) / by;
	for (uint32_t s = 0; v->by_step && s < m->n_steps; s++)
		v->by_step[s] = (v->by_step[s] + more) / by;
}
