/* kernel_sums.c - kernels added up by two keys, see kernel_sums.h */
#include "measure/kernel_sums.h"

#include <math.h>

#include "base/vec.h"

void kernel_sums_add(struct kernel_sums *s, const struct selection *k, const struct track *tr, ev_id e, uint32_t a, uint32_t b)
{
	int64_t dur = k->p->dur[e];
	struct kernel_sum *r = tally_gpu(&s->y, k, tr, e, TALLY_KEY(a, b));

	if (r->row.n == 1) {
		r->a = a;
		r->b = b;
		r->part = k->sc->by == BY_ALL ? 0 : r->row.pick;
		r->example = e;
		r->min = r->max = dur;
	}
	r->phases |= k->f->phases_known;
	r->total += dur;
	r->min = dur < r->min ? dur : r->min;
	r->max = dur > r->max ? dur : r->max;
	r->phase_ns[selection_gpu_phase(k, e)] += dur;
	if (s->with_durs)
		stats_add(&r->row.durs, dur);
}

int ksum_cmp(const void *pa, const void *pb)
{
	const struct kernel_sum *a = pa, *b = pb;
	int c = a->part != b->part ? tally_cmp_down(b->part, a->part) : split_cmp(a->row.by, b->row.by);

	return c ? c : tally_cmp_down(a->total, b->total);
}

static void set_shares(struct tally *y)
{
	struct groups parts = { 0 };
	VEC(int64_t) sums = { 0 };

	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < y->n; i++) {
			struct kernel_sum *r = tally_at(y, i);
			uint32_t part = groups_add(&parts, TALLY_KEY(r->part, (uint64_t)r->row.by));

			if (part == sums.n)
				VEC_PUSH(&sums, 0);
			if (!pass)
				sums.a[part] += r->total;
			else
				r->share = sums.a[part] ? (double)r->total / (double)sums.a[part] : (double)NAN;
		}
	}
	VEC_FREE(&sums);
	groups_fini(&parts);
}

bool ksums_run(struct kernel_sums *s, const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	bool ok = tally_collect(&s->y, cx, sc, t, e);

	set_shares(&s->y);
	if (ok)
		tally_put(&s->y, t);
	tally_fini(&s->y);
	return ok;
}

void kernel_sum_put_phases(struct table *t, uint32_t row, uint32_t col, const struct kernel_sum *s)
{
	static const uint8_t order[] = {
		PHASE_FORWARD, PHASE_BACKWARD, PHASE_RECOMPUTE, PHASE_OPTIMIZER, PHASE_DATALOAD, PHASE_OTHER, PHASE_N,
	};

	for (uint32_t i = 0; i < sizeof(order); i++)
		if (order[i] == PHASE_N || s->phases >> order[i] & 1)
			table_i64(t, row, col + i, s->phase_ns[order[i]]);
}
