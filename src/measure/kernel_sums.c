/* kernel_sums.c - kernels added up by two keys, see kernel_sums.h */
#include "measure/kernel_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ksums_add(struct ksums *s, const struct pick *k, const struct track *tr, ev_id e, uint32_t a, uint32_t b)
{
	int64_t source = k - s->ps->a, by = split_gpu(k, tr, e), dur = k->p->dur[e];
	struct group_key key = { .k = { k->sc->by == BY_ALL ? 0 : (uint64_t)source, (uint64_t)by, a, b } };
	uint32_t i = groups_add(&s->g, &key);
	struct ksum *r;

	if (i == s->v.n)
		VEC_PUSH(&s->v, (struct ksum){ .a = a, .b = b, .by = by, .source = OWNER_NEW, .pid = OWNER_NEW, .example = e,
			.first_source = (uint32_t)source, .min = INT64_MAX });
	r = &s->v.a[i];
	owner_add(&r->source, source);
	owner_add(&r->pid, gpu_pid(k, tr, e));
	r->phases |= k->f->phases_known;
	r->count++;
	r->total += dur;
	r->min = dur < r->min ? dur : r->min;
	r->max = dur > r->max ? dur : r->max;
	r->phase_ns[pick_gpu_phase(k, e)] += dur;
	if (s->with_durs)
		stats_add(&r->durs, dur);
}

static int cmp_part(const struct ksum *a, const struct ksum *b)
{
	return a->source != b->source ? (a->source > b->source) - (a->source < b->source) : split_cmp(a->by, b->by);
}

static int cmp_source(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct ksum *a = (const struct ksum *)arg + ia, *b = (const struct ksum *)arg + ib;
	int c = cmp_part(a, b);

	return c ? c : (a->total < b->total) - (a->total > b->total);
}

static int cmp_merged(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct ksum *a = (const struct ksum *)arg + ia, *b = (const struct ksum *)arg + ib;

	return (a->total < b->total) - (a->total > b->total);
}

uint32_t *ksums_order(struct ksums *s)
{
	uint32_t n = (uint32_t)s->v.n;
	bool merged = s->ps->n && s->ps->a[0].sc->by == BY_ALL;
	uint32_t *order = groups_order(n, merged ? cmp_merged : cmp_source, s->v.a);

	for (uint32_t i = 0, j; i < n; i = j) {
		int64_t sum = 0;

		for (j = i; j < n && (merged || !cmp_part(&s->v.a[order[i]], &s->v.a[order[j]])); j++)
			sum += s->v.a[order[j]].total;
		for (uint32_t m = i; m < j; m++)
			s->v.a[order[m]].share = sum ? (double)s->v.a[order[m]].total / (double)sum : (double)NAN;
	}
	return order;
}

void ksums_fini(struct ksums *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		stats_fini(&s->v.a[i].durs);
	groups_fini(&s->g);
	VEC_FREE(&s->v);
}

void ksum_put_phases(struct table *t, uint32_t row, uint32_t col, const struct ksum *s)
{
	static const uint8_t order[] = {
		PHASE_FORWARD, PHASE_BACKWARD, PHASE_RECOMPUTE, PHASE_OPTIMIZER, PHASE_DATALOAD, PHASE_OTHER, PHASE_N,
	};

	for (uint32_t i = 0; i < sizeof(order); i++)
		if (order[i] == PHASE_N || s->phases >> order[i] & 1)
			table_i64(t, row, col + i, s->phase_ns[order[i]]);
}
