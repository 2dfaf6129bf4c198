/* metric_kernel.c - metrics over kernels, each whole and by its launch; see metric.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calc/stats.h"
#include "facts/occupancy.h"
#include "findings/metric_impl.h"
#include "scope/selections.h"

#define OCCUPANCY_LOW 0.25
enum { CHAIN_MIN = 5, COMM_SAMPLES = 10, ALGORITHMS_MAX = 5 };

/* A kernel of one name and grid, beside communication and without. */
struct metric_kernel_pair {
	struct stats with, without;
};
struct name_sum {
	str_id name;
	ns_t ns;
	struct stats durs;	/* communication kernels only */
	bool comm;
};
/* A convolution: different kernels that it launched, a number that stands for the set of them, and their time. */
struct conv_op {
	uint32_t kernels;
	uint64_t set;
	int64_t step;	/* -1 none */
	ns_t ns;
};
struct kernels {
	struct metric_work *w;
	struct stats durs, delays, comm_durs;
	struct map pair_of, name_of;
	struct map conv_of, conv_kernel;	/* op -> index in convs; (op, name) -> seen */
	VEC(struct conv_op) convs;
	VEC(struct metric_kernel_pair) pairs;
	VEC(struct name_sum) names;
	ns_t small_gemm, chain, run_ns;
	uint32_t run;		/* elementwise kernels in a row */
	int64_t count;
	bool any_grid, any_occupancy;
};

static const char *tc_word(int8_t tc)
{
	return tc > 0 ? "tc" : tc < 0 ? "unknown" : "notc";
}

static const struct metric_set *set_of_kernel(struct metric_work *w, ev_id e, enum phase ph)
{
	const struct profile *p = w->k->p;
	const struct kernel_class *c = facts_kclass(w->k->f, e);
	struct sbuf text = { 0 };
	const struct metric_set *s = metric_set_known(w, FAMILY_KERNELS, p->name[e], ph);
	size_t n;
	const char *name = profile_str(p, p->name[e], &n);

	if (s)
		return s;
	sbuf_printf(&text, "%s/%s/%s/%s/%s/", kclass_name(c->class), c->subclass, c->dtype ? c->dtype : "-", tc_word(c->tensor_core),
		ph < PHASE_N ? phase_name(ph) : "unattributed");
	sbuf_put(&text, name, n);
	s = metric_set_of(w, FAMILY_KERNELS, p->name[e], ph, text.s, text.n);
	sbuf_fini(&text);
	return s;
}

static void add_name(struct kernels *x, ev_id e, bool comm)
{
	const struct profile *p = x->w->k->p;
	uint32_t at = map_get_or_put(&x->name_of, p->name[e], 0, (uint32_t)x->names.n);

	if (at == x->names.n)
		VEC_PUSH(&x->names, (struct name_sum){ .name = p->name[e], .comm = comm });
	x->names.a[at].ns += p->dur[e];
	if (comm)
		stats_add(&x->names.a[at].durs, p->dur[e]);
}

static void add_one(struct kernels *x, enum metric_id id, ev_id e)
{
	const struct profile *p = x->w->k->p;

	metric_add(x->w->m, id, p->dur[e], p->start[e], &(struct instance){ p->start[e], ev_end(p, e), 0, ID_NONE, e });
}

/* Products are made to run with few warps that have many registers each. */
static void add_occupancy(struct kernels *x, const struct device *d, ev_id e, enum kclass class)
{
	const struct profile *p = x->w->k->p;
	struct occupancy o;

	if (class == KCLASS_GEMM || class == KCLASS_CONV || !occupancy_of(&o, d, &p->kernels[p->aux[e]]))
		return;
	x->any_occupancy = true;
	if (o.share < OCCUPANCY_LOW)
		add_one(x, METRIC_low_occupancy, e);
}

/* Fewer blocks than multiprocessors; communication, and products that are split otherwise, are made so. */
static void add_grid(struct kernels *x, const struct device_facts *d, ev_id e, enum kclass class)
{
	const struct profile *p = x->w->k->p;
	const struct kernel_detail *kd = p->aux[e] < p->n_kernels ? &p->kernels[p->aux[e]] : NULL;
	int64_t sms = d && d->info != ID_NONE ? p->devices[d->info].sm_count : 0;
	int64_t blocks = kd ? (int64_t)kd->grid[0] * kd->grid[1] * kd->grid[2] : 0;

	if (sms <= 0 || blocks <= 0)
		return;
	x->any_grid = true;
	if (class == KCLASS_COMMUNICATION || class == KCLASS_ATTENTION)
		return;
	if (blocks >= sms)
		add_occupancy(x, &p->devices[d->info], e, class);
	else if (class == KCLASS_GEMM)
		x->small_gemm += p->dur[e];
	else if (class != KCLASS_CONV)
		add_one(x, METRIC_small_grid, e);
}

static void add_overlap(struct kernels *x, const struct device_facts *d, ev_id e)
{
	const struct profile *p = x->w->k->p;
	ns_t beside = d && d->busy[BUSY_COMM].n ? spans_overlap(&d->busy[BUSY_COMM], p->start[e], ev_end(p, e)) : 0;
	uint32_t at;

	if (!d || !d->busy[BUSY_COMM].n || !p->dur[e])
		return;
	at = map_get_or_put(&x->pair_of, p->name[e], p->aux[e], (uint32_t)x->pairs.n);
	if (at == x->pairs.n)
		VEC_PUSH(&x->pairs, (struct metric_kernel_pair){ { { 0 }, 0, 0, 0 }, { { 0 }, 0, 0, 0 } });
	if (beside * 10 > p->dur[e] * 9)
		stats_add(&x->pairs.a[at].with, p->dur[e]);
	else if (beside * 20 < p->dur[e])
		stats_add(&x->pairs.a[at].without, p->dur[e]);
}

/*
 * cuDNN and MIOpen try algorithms inside the op. One algorithm is up to five products and transforms (backward has two of them); layout
 * changes and elementwise helpers do not count.
 */
static void add_conv(struct kernels *x, ev_id e, enum kclass class)
{
	const struct selection *k = x->w->k;
	uint32_t op = k->p->link[e] == ID_NONE ? ID_NONE : facts_op_of_call(k->f, k->p->link[e]), at;
	size_t n;
	const char *s;

	if (op == ID_NONE || (class != KCLASS_CONV && class != KCLASS_GEMM && class != KCLASS_FFT))
		return;
	s = profile_str(k->p, k->f->ops.name[op], &n);
	if (!memmem(s, n, "conv", 4))
		return;
	at = map_get_or_put(&x->conv_of, op, 0, (uint32_t)x->convs.n);
	if (at == x->convs.n)
		VEC_PUSH(&x->convs, (struct conv_op){ .step = metrics_step_at(x->w->m, k->f->ops.start[op]) });
	x->convs.a[at].ns += k->p->dur[e];
	if (map_find(&x->conv_kernel, op, k->p->name[e]) != MAP_NONE)
		return;
	map_put(&x->conv_kernel, op, k->p->name[e], 1);
	x->convs.a[at].kernels++;
	x->convs.a[at].set ^= map_hash_bytes(&k->p->name[e], sizeof(k->p->name[e]));
}

/* In how many steps each set of kernels is launched by a convolution. */
static void count_steps(const struct kernels *x, struct map *steps)
{
	struct map seen = { 0 };

	for (size_t i = 0; i < x->convs.n; i++) {
		const struct conv_op *c = &x->convs.a[i];
		uint32_t n = map_find(steps, c->set, 0);

		if (c->step < 0 || map_find(&seen, c->set, (uint64_t)c->step) != MAP_NONE)
			continue;
		map_put(&seen, c->set, (uint64_t)c->step, 1);
		map_put(steps, c->set, 0, n == MAP_NONE ? 1 : n + 1);
	}
	map_fini(&seen);
}

/* What most of the steps launch is how the convolution is computed, and no search; without steps that cannot be told. */
static ns_t conv_search(const struct kernels *x)
{
	struct map steps = { 0 };
	ns_t sum = 0;

	if (x->w->m->n_steps < 2)
		return I64_UNKNOWN;
	count_steps(x, &steps);
	for (size_t i = 0; i < x->convs.n; i++) {
		const struct conv_op *c = &x->convs.a[i];
		uint32_t n = map_find(&steps, c->set, 0);

		if (c->kernels > ALGORITHMS_MAX && (n == MAP_NONE || 2 * n <= x->w->m->n_steps))
			sum += c->ns;
	}
	map_fini(&steps);
	return sum;
}

static void end_chain(struct kernels *x)
{
	if (x->run >= CHAIN_MIN)
		x->chain += x->run_ns;
	x->run = 0;
	x->run_ns = 0;
}

static void add_kernel(struct kernels *x, const struct device_facts *d, ev_id e)
{
	const struct selection *k = x->w->k;
	const struct profile *p = k->p;
	enum kclass class = facts_kclass(k->f, e)->class;
	enum phase ph = selection_gpu_phase(k, e);
	bool comm = class == KCLASS_COMMUNICATION;

	metric_add_set(x->w, set_of_kernel(x->w, e, ph), 0, &(struct amounts){ 1, p->dur[e], 0, 0 },
		&(struct instance){ p->start[e], ev_end(p, e), 0, ID_NONE, e });
	x->count++;
	add_name(x, e, comm);
	if (p->link[e] != ID_NONE && p->start[e] >= ev_end(p, p->link[e]))
		stats_add(&x->delays, p->start[e] - ev_end(p, p->link[e]));
	else if (p->link[e] != ID_NONE)
		stats_add(&x->delays, 0);
	stats_add(comm ? &x->comm_durs : &x->durs, p->dur[e]);
	add_grid(x, d, e, class);
	add_conv(x, e, class);
	if (!comm)
		add_overlap(x, d, e);
	if (ph == PHASE_RECOMPUTE)
		metric_add(x->w->m, METRIC_recompute_device, p->dur[e], p->start[p->link[e]], NULL);
	if (class != KCLASS_ELEMENTWISE)
		end_chain(x);
	else
		x->run_ns += p->dur[e];
	x->run += class == KCLASS_ELEMENTWISE;
}

/* Over kernels with enough samples of both kinds: what their medians say they lost. */
static ns_t comm_slow(struct kernels *x)
{
	double lost = 0;

	for (size_t i = 0; i < x->pairs.n; i++) {
		struct metric_kernel_pair *q = &x->pairs.a[i];
		double more;

		if (stats_n(&q->with) < COMM_SAMPLES || stats_n(&q->without) < COMM_SAMPLES)
			continue;
		more = stats_median(&q->with) - stats_median(&q->without);
		if (more > 0)
			lost += more * (double)stats_n(&q->with);
	}
	return (ns_t)llround(lost);
}

/* The largest of the communication kernels decides: equal work, so the spread is waiting. */
static double comm_skew(struct kernels *x)
{
	struct name_sum *best = NULL;
	int64_t median;

	for (size_t i = 0; i < x->names.n; i++) {
		struct name_sum *s = &x->names.a[i];

		if (s->comm && stats_n(&s->durs) >= COMM_SAMPLES && (!best || s->ns > best->ns))
			best = s;
	}
	median = best ? stats_lower_median(&best->durs) : 0;
	return median > 0 ? (double)stats_percentile(&best->durs, 90) / (double)median : (double)NAN;
}

const char *kernel_base_name(const char *s, size_t n, size_t *len)
{
	size_t end = 0, from = 0;

	while (end < n && s[end] != '<' && s[end] != '(')
		end++;
	if (!end && n) {
		/* "(anonymous namespace)::name": the bracket is no argument */
		const char *colon = memmem(s, n, "::", 2);

		if (!colon) {
			*len = n;
			return s;
		}
		return kernel_base_name(colon + 2, n - (size_t)(colon + 2 - s), len);
	}
	for (size_t i = 0; i < end; i++)
		if (s[i] == ' ' || s[i] == ':')
			from = i + 1;
	if (from == end && end < n && s[end] == '(') {
		const char *close = memchr(s + end, ')', n - end);

		/* "void (anonymous namespace)::name<...>" */
		if (close && (size_t)(close - s) + 1 < n)
			return kernel_base_name(close + 1, n - (size_t)(close + 1 - s), len);
	}
	*len = end - from;
	return s + from;
}

int64_t metric_kernel_skip(const struct metrics *m, str_id name)
{
	const struct profile *p = m->k.p;
	ns_t at = m->n_steps > 1 ? m->steps[1]->start : m->n_steps ? m->steps[0]->start : INT64_MIN, first = INT64_MAX;
	size_t n, base_len;
	const char *s = profile_str(p, name, &n), *base = kernel_base_name(s, n, &base_len);
	struct map like = { 0 };
	int64_t before = 0;

	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++)
		if (p->name[e] == name && p->start[e] >= at && p->start[e] < first)
			first = p->start[e];
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++) {
		uint32_t is;

		if (p->start[e] >= first)
			continue;
		is = map_find(&like, p->name[e], 0);
		if (is == MAP_NONE) {
			size_t len;
			const char *other = profile_str(p, p->name[e], &len), *b = kernel_base_name(other, len, &len);

			is = memmem(b, len, base, base_len) != NULL;
			map_put(&like, p->name[e], 0, is);
		}
		before += is;
	}
	map_fini(&like);
	return before;
}

static void find_top(struct kernels *x)
{
	struct metrics *m = x->w->m;
	const struct name_sum *best = NULL;
	const char *s;
	size_t n;

	for (size_t i = 0; i < x->names.n; i++)
		if (!x->names.a[i].comm && (!best || x->names.a[i].ns > best->ns))
			best = &x->names.a[i];
	if (!best)
		return;
	s = profile_str(m->k.p, best->name, &n);
	m->top_kernel = xmemdup0(s, n);
	m->top_kernel_ns = best->ns;
	m->top_kernel_skip = metric_kernel_skip(m, best->name);
}

/* Of a sum over the devices, in all and per step. */
static void set_mean(struct metrics *m, enum metric_id id, uint32_t devices)
{
	metric_divide(m, id, devices, false);
	m->v[id].known = true;
}

static void set_kernels(struct kernels *x)
{
	struct metrics *m = x->w->m;
	int64_t n = x->w->devices ? x->w->devices : 1, search;

	metric_set_i64(m, METRIC_kernels, (x->count + n - 1) / n);
	metric_set_i64(m, METRIC_kernel_sum, x->durs.total / n);
	metric_set_i64(m, METRIC_elementwise_chain, x->chain / n);
	m->v[METRIC_conv_search].why = x->w->k->f->ops.n ? N_("step markers") : N_("operators");
	search = x->w->k->f->ops.n ? conv_search(x) : I64_UNKNOWN;
	metric_set_i64(m, METRIC_conv_search, search == I64_UNKNOWN ? search : search / n);
	set_mean(m, METRIC_recompute_device, (uint32_t)n);
	metric_set_i64(m, METRIC_comm_slow, comm_slow(x) / n);
	metric_set_f64(m, METRIC_comm_skew, comm_skew(x));
	if (stats_n(&x->comm_durs))
		m->v[METRIC_comm_skew].why = N_("too few communication kernels of one name, 10 are needed");
	if (stats_n(&x->durs))
		metric_set_i64(m, METRIC_kernel_median, stats_lower_median(&x->durs));
	if (stats_n(&x->comm_durs))
		metric_set_i64(m, METRIC_comm_kernel_median, stats_lower_median(&x->comm_durs));
	if (stats_n(&x->delays))
		metric_set_i64(m, METRIC_delay_median, stats_lower_median(&x->delays));
	if (x->any_grid) {
		metric_set_i64(m, METRIC_small_gemm, x->small_gemm / n);
		set_mean(m, METRIC_small_grid, (uint32_t)n);
	}
	if (x->any_occupancy)
		set_mean(m, METRIC_low_occupancy, (uint32_t)n);
	m->v[METRIC_low_occupancy].why = N_("grids, registers and shared memory of the kernels, and what the device has of them");
	m->v[METRIC_small_gemm].why = m->v[METRIC_small_grid].why = N_("the number of multiprocessors and the grids of the kernels");
	find_top(x);
}

/* ---- all of them ---- */

void metric_kernel_pass(struct metric_work *w)
{
	struct kernels x = { .w = w };
	const struct profile *p = w->k->p;

	for (track_id t = p->layer_track[LAYER_KERNEL]; t < p->layer_track[LAYER_KERNEL + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		const struct device_facts *d = facts_device(w->k->f, tr->device);

		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (selects_gpu(w->k, LAYER_KERNEL, tr, e))
				add_kernel(&x, d, e);
		end_chain(&x);
	}
	if (w->devices)
		set_kernels(&x);
	metric_family_known(w->m, FAMILY_KERNELS, w->devices ? NULL : N_("GPU work"));
	metric_copies(w);
	for (size_t i = 0; i < x.pairs.n; i++) {
		stats_fini(&x.pairs.a[i].with);
		stats_fini(&x.pairs.a[i].without);
	}
	for (size_t i = 0; i < x.names.n; i++)
		stats_fini(&x.names.a[i].durs);
	VEC_FREE(&x.pairs);
	VEC_FREE(&x.names);
	VEC_FREE(&x.convs);
	map_fini(&x.conv_of);
	map_fini(&x.conv_kernel);
	map_fini(&x.pair_of);
	map_fini(&x.name_of);
	stats_fini(&x.durs);
	stats_fini(&x.delays);
	stats_fini(&x.comm_durs);
}
