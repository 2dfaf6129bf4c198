/* The GPU side of the truth: partition, kernels, classes, copies, memsets, waits, gaps. */
#include "truth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[GS_COUNT] = { "compute", "exposed_comm", "exposed_htod",
	"exposed_dtoh", "exposed_both", "exposed_dtod", "exposed_memset", "idle" };

static bool is_comm(const struct ev *k)
{
	return strcmp(gen_kernels[k->def].cls, "Communication") == 0;
}

/* What covers one instant; asked only between two neighbouring boundaries. */
struct cover {
	struct spans compute, comm, copy[COPY_KINDS], sets;
};

static void cover_make(const struct run *r, struct cover *c)
{
	for (size_t i = 0; i < r->kernels.n; i++)
		spans_add(is_comm(&r->kernels.v[i]) ? &c->comm : &c->compute, r->kernels.v[i].start,
			r->kernels.v[i].end);
	for (size_t i = 0; i < r->copies.n; i++)
		spans_add(&c->copy[r->copies.v[i].kind], r->copies.v[i].start, r->copies.v[i].end);
	for (size_t i = 0; i < r->sets.n; i++)
		spans_add(&c->sets, r->sets.v[i].start, r->sets.v[i].end);
	spans_union(&c->compute);
	spans_union(&c->comm);
	for (int k = 0; k < COPY_KINDS; k++)
		spans_union(&c->copy[k]);
	spans_union(&c->sets);
}

static void cover_free(struct cover *c)
{
	spans_free(&c->compute);
	spans_free(&c->comm);
	for (int k = 0; k < COPY_KINDS; k++)
		spans_free(&c->copy[k]);
	spans_free(&c->sets);
}

static enum gpu_state state_at(const struct cover *c, ns_t t)
{
	bool up, down;

	if (spans_contain(&c->compute, t))
		return GS_COMPUTE;
	if (spans_contain(&c->comm, t))
		return GS_COMM;
	up = spans_contain(&c->copy[COPY_HTOD], t);
	down = spans_contain(&c->copy[COPY_DTOH], t);
	if (up || down)
		return up && down ? GS_BOTH : up ? GS_HTOD : GS_DTOH;
	if (spans_contain(&c->copy[COPY_DTOD], t))
		return GS_DTOD;
	return spans_contain(&c->sets, t) ? GS_MEMSET : GS_IDLE;
}

static void add_cuts(struct cuts *c, const struct evs *s)
{
	for (size_t i = 0; i < s->n; i++) {
		cuts_add(c, s->v[i].start);
		cuts_add(c, s->v[i].end);
	}
}

static void window_cuts(struct cuts *c, const struct spans *w)
{
	for (size_t i = 0; i < w->n; i++) {
		cuts_add(c, w->v[i].lo);
		cuts_add(c, w->v[i].hi);
	}
}

struct gaps {
	long long count;
	ns_t total, longest, current;
};

static void gap_extend(struct gaps *g, ns_t len)
{
	if (!g->current)
		g->count++;
	g->current += len;
	g->total += len;
	if (g->current > g->longest)
		g->longest = g->current;
}

static void put_gaps(FILE *f, const char *name, const struct gaps *g)
{
	fprintf(f, "   \"%s\": {\"count\": %lld, \"total_ns\": %lld, \"longest_ns\": %lld},\n",
		name, g->count, (long long)g->total, (long long)g->longest);
}

static void put_partition_row(
	struct truth *t, const struct spans *w, const struct spans *launches, const ns_t *sum)
{
	const struct run *r = t->r;
	long long launched = 0, launched_ns = 0, clipped = 0;
	ns_t exposed = sum[GS_HTOD] + sum[GS_DTOH] + sum[GS_BOTH] + sum[GS_DTOD] + sum[GS_MEMSET],
	     busy = 0;

	for (size_t i = 0; i < r->kernels.n; i++) {
		const struct ev *k = &r->kernels.v[i];

		if (launched_in(t, k, launches)) {
			launched++;
			launched_ns += k->end - k->start;
		}
		clipped += spans_common(w, k->start, k->end);
	}
	for (size_t i = 0; i < w->n; i++)
		busy += spans_common(&t->kernel_busy, w->v[i].lo, w->v[i].hi);
	fprintf(t->f,
		"   \"gpu\": [{\"device\": %d, \"window_ns\": %lld, \"kernels\": %lld, "
		"\"kernel_sum_ns\": %lld, "
		"\"kernel_sum_clipped_ns\": %lld, \"kernel_busy_ns\": %lld, \"exposed_memcpy_ns\": "
		"%lld, \"exposed_ptop_ns\": 0",
		GEN_DEVICE, (long long)spans_measure(w), launched, launched_ns, clipped,
		(long long)busy, (long long)exposed);
	for (int s = 0; s < GS_COUNT; s++)
		fprintf(t->f, ", \"%s_ns\": %lld", state_names[s], (long long)sum[s]);
	fputs("}],\n", t->f);
}

static void put_partition(struct truth *t, const struct spans *w, const struct spans *launches)
{
	struct gaps idle = { 0 }, compute = { 0 };
	ns_t sum[GS_COUNT] = { 0 }, all = 0;
	struct cover cover = { 0 };
	struct cuts c = { 0 };

	cover_make(t->r, &cover);
	add_cuts(&c, &t->r->kernels);
	add_cuts(&c, &t->r->copies);
	add_cuts(&c, &t->r->sets);
	window_cuts(&c, w);
	cuts_sort(&c);
	for (size_t i = 0; i + 1 < c.n; i++) {
		ns_t len = c.v[i + 1] - c.v[i];
		enum gpu_state s = state_at(&cover, c.v[i]);

		if (!spans_contain(w, c.v[i])) {
			idle.current = compute.current = 0;
			continue;
		}
		sum[s] += len;
		if (s == GS_IDLE)
			gap_extend(&idle, len);
		else
			idle.current = 0;
		if (s != GS_COMPUTE)
			gap_extend(&compute, len);
		else
			compute.current = 0;
	}
	for (int s = 0; s < GS_COUNT; s++)
		all += sum[s];
	assert(all == spans_measure(w));
	for (int s = 0; s < GS_COUNT; s++)
		assert(sum[s] > 0);
	put_partition_row(t, w, launches, sum);
	put_gaps(t->f, "idle_gaps", &idle);
	put_gaps(t->f, "compute_gaps", &compute);
	cover_free(&cover);
	cuts_free(&c);
}

struct total {
	long long count;
	ns_t sum, min, max, phase[PH_COUNT];
};

static void total_add(struct total *x, ns_t dur, enum gen_phase p)
{
	x->min = x->count && x->min < dur ? x->min : dur;
	x->max = x->count && x->max > dur ? x->max : dur;
	x->count++;
	x->sum += dur;
	x->phase[p] += dur;
}

static void put_total(FILE *f, const struct total *x)
{
	fprintf(f, "\"count\": %lld, \"total_ns\": %lld, \"min_ns\": %lld, \"max_ns\": %lld",
		x->count, (long long)x->sum, (long long)x->min, (long long)x->max);
	for (int p = 0; p < PH_COUNT; p++)
		fprintf(f, ", \"%s_ns\": %lld", gen_phase_names[p], (long long)x->phase[p]);
	fputs("}", f);
}

static void put_classes(FILE *f, const struct total *by_kernel)
{
	bool first = true;

	fputs("   \"classes\": {", f);
	for (int k = 0; k < K_COUNT; k++) {
		struct total x = { 0 };
		bool seen = false;

		for (int j = 0; j < K_COUNT; j++) {
			const struct total *y = &by_kernel[j];

			if (strcmp(gen_kernels[j].cls, gen_kernels[k].cls) != 0 || !y->count)
				continue;
			seen = seen || j < k;
			x.min = x.count && x.min < y->min ? x.min : y->min;
			x.max = x.max > y->max ? x.max : y->max;
			x.count += y->count;
			x.sum += y->sum;
			for (int p = 0; p < PH_COUNT; p++)
				x.phase[p] += y->phase[p];
		}
		if (seen || !x.count)
			continue;
		fprintf(f, "%s\n    \"%s\": {", first ? "" : ",", gen_kernels[k].cls);
		put_total(f, &x);
		first = false;
	}
	fputs("\n   },\n", f);
}

static void put_kernels(struct truth *t, enum source src, const struct spans *w)
{
	struct total by_kernel[K_COUNT] = { 0 };
	bool first = true;

	for (size_t i = 0; i < t->r->kernels.n; i++) {
		const struct ev *k = &t->r->kernels.v[i];

		if (launched_in(t, k, w))
			total_add(&by_kernel[k->def], k->end - k->start, kernel_phase(t, k));
	}
	fputs("   \"kernels\": {", t->f);
	for (int k = 0; k < K_COUNT; k++) {
		if (!by_kernel[k].count)
			continue;
		fputs(first ? "\n    " : ",\n    ", t->f);
		json_string(t->f, src == SRC_TORCH ? gen_kernels[k].torch : gen_kernels[k].nsys);
		fprintf(t->f, ": {\"class\": \"%s\", ", gen_kernels[k].cls);
		put_total(t->f, &by_kernel[k]);
		first = false;
	}
	fputs("\n   },\n", t->f);
	put_classes(t->f, by_kernel);
}

static void put_copy_row(
	struct truth *t, const struct spans *w, int kind, int src, int dst, bool *first)
{
	long long count = 0, bytes = 0, time = 0;
	struct spans busy = { 0 };

	for (size_t i = 0; i < t->r->copies.n; i++) {
		const struct ev *e = &t->r->copies.v[i];

		if (e->kind != kind || e->src != src || e->dst != dst || !launched_in(t, e, w))
			continue;
		count++;
		bytes += e->bytes;
		time += e->end - e->start;
		spans_add(&busy, e->start, e->end);
	}
	if (count) {
		spans_union(&busy);
		fprintf(t->f,
			"%s\n    {\"kind\": \"%s\", \"src\": \"%s\", \"dst\": \"%s\", \"count\": "
			"%lld, \"bytes\": %lld, "
			"\"time_ns\": %lld, \"busy_ns\": %lld}",
			*first ? "" : ",", gen_copy_names[kind], gen_mem_names[src],
			gen_mem_names[dst], count, bytes, time, (long long)spans_measure(&busy));
		*first = false;
	}
	spans_free(&busy);
}

static void put_copies(struct truth *t, const struct spans *w)
{
	long long count = 0, bytes = 0, time = 0;
	bool first = true;

	fputs("   \"memcpy\": [", t->f);
	for (int kind = 0; kind < COPY_KINDS; kind++)
		for (int src = 0; src < 3; src++)
			for (int dst = 0; dst < 3; dst++)
				put_copy_row(t, w, kind, src, dst, &first);
	for (size_t i = 0; i < t->r->sets.n; i++) {
		const struct ev *e = &t->r->sets.v[i];

		if (!launched_in(t, e, w))
			continue;
		count++;
		bytes += e->bytes;
		time += e->end - e->start;
	}
	fprintf(t->f,
		"\n   ],\n   \"memset\": [{\"device\": %d, \"count\": %lld, \"bytes\": %lld, "
		"\"time_ns\": %lld}],\n",
		GEN_DEVICE, count, bytes, time);
}

static void put_syncs(struct truth *t, const struct spans *w)
{
	bool first = true;

	fputs("   \"sync\": [", t->f);
	for (int kind = 0; kind < SYNC_KINDS; kind++) {
		long long count = 0, time = 0, busy = 0, call = 0;

		for (size_t i = 0; i < t->r->syncs.n; i++) {
			const struct ev *e = &t->r->syncs.v[i], *c = run_call(t->r, e->corr);

			if (e->kind != kind || !spans_contain(w, c->start))
				continue;
			assert(spans_common(w, c->start, c->end) ==
				c->end - c->start); /* none is cut by a window */
			count++;
			time += e->end - e->start;
			call += c->end - c->start;
			busy += spans_common(&t->busy, e->start, e->end);
		}
		if (!count)
			continue;
		fprintf(t->f,
			"%s\n    {\"type\": \"%s\", \"count\": %lld, \"time_ns\": %lld, "
			"\"busy_ns\": %lld, \"lost_ns\": %lld, "
			"\"call_ns\": %lld}",
			first ? "" : ",", gen_sync_names[kind], count, time, busy, time - busy,
			call);
		first = false;
	}
	fputs("\n   ],\n", t->f);
}

void put_gpu_tables(
	struct truth *t, enum source src, const struct spans *wall, const struct spans *launches)
{
	put_partition(t, wall, launches);
	put_kernels(t, src, launches);
	put_copies(t, launches);
	put_syncs(t, launches);
}
