/* metric_copy.c - metrics over copies: by kind and memory, on which streams, and what other work could hide; see metric.h */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "findings/metric_impl.h"
#include "measure/device_state.h"
#include "scope/selections.h"

enum { LARGE_BYTES = 1000000, TINY_BYTES = 64 };
enum { UM_ASKED = 1 };	/* um_detail.why: a prefetch by the user */

/* Copies from the host that have one size. */
struct size_sum {
	int64_t bytes, count;
};
struct copies {
	struct metric_work *w;
	struct map size_of;		/* bytes -> index in sizes */
	VEC(struct size_sum) sizes;
	const struct track *last;	/* looked at, and whether its stream runs kernels */
	bool last_runs;
};

static void add_size(struct copies *x, int64_t bytes)
{
	uint32_t at;

	if (bytes < LARGE_BYTES)
		return;
	at = map_get_or_put(&x->size_of, (uint64_t)bytes, 0, (uint32_t)x->sizes.n);
	if (at == x->sizes.n)
		VEC_PUSH(&x->sizes, (struct size_sum){ bytes, 0 });
	x->sizes.a[at].count++;
}

/* Whether the stream of a copy runs kernels, too: the copy then waits for them, and they for it. */
static bool find_kernels(const struct profile *p, const struct track *copy)
{
	for (track_id t = p->layer_track[LAYER_KERNEL]; t < p->layer_track[LAYER_KERNEL + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		if (tr->count && tr->stream == copy->stream && tr->device == copy->device && tr->context == copy->context &&
		    tr->pid == copy->pid)
			return true;
	}
	return false;
}

static bool runs_kernels(struct copies *x, const struct track *copy)
{
	if (x->last != copy)
		x->last_runs = find_kernels(x->w->k->p, copy);
	x->last = copy;
	return x->last_runs;
}

static void add_copy(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct copies *x = arg;
	struct metric_work *w = x->w;
	const struct profile *p = k->p;
	const struct copy_detail *cd = p->aux[e] < p->n_copies ? &p->copies[p->aux[e]] : NULL;
	const struct device_facts *d = facts_device(k->f, tr->device);
	enum phase ph = selection_gpu_phase(k, e);
	int size = !cd || cd->bytes == I64_UNKNOWN ? 1 : cd->bytes >= LARGE_BYTES ? 2 : cd->bytes > TINY_BYTES;
	static const char *const sizes[] = { "tiny", "small", "large" };
	ns_t beside = d ? spans_overlap(&d->busy[BUSY_COMPUTE], p->start[e], ev_end(p, e)) : 0;
	char text[128];
	uint8_t kind = cd ? cd->kind : COPY_UNKNOWN, src = cd ? cd->src : MEM_UNKNOWN, dst = cd ? cd->dst : MEM_UNKNOWN;
	int n = snprintf(text, sizeof(text), "%s/%s/%s/%s/%s", copy_kind_name((enum copy_kind)kind), mem_kind_name((enum mem_kind)src),
		mem_kind_name((enum mem_kind)dst), sizes[size], ph < PHASE_N ? phase_name(ph) : "unattributed");
	const struct metric_set *s = metric_set_of(w, FAMILY_COPIES, (uint64_t)kind << 24 | (uint64_t)src << 16 | (uint64_t)dst << 8 |
		(uint64_t)size, ph, text, (size_t)n);
	int64_t bytes = cd && cd->bytes != I64_UNKNOWN ? cd->bytes : 0;
	const struct instance at = { p->start[e], ev_end(p, e), 0, ID_NONE, e };

	metric_add_set(w, s, 0, &(struct amounts){ 1, p->dur[e], p->dur[e] - beside, bytes }, &at);
	if (kind == COPY_HTOD)
		add_size(x, bytes);
	if ((kind == COPY_HTOD || kind == COPY_DTOH) && runs_kernels(x, tr))
		metric_add(w->m, METRIC_copy_kernel_stream, p->dur[e], at.start, &at);
	if (cd && cd->um && p->ums[cd->um - 1].why == UM_ASKED)
		metric_add(w->m, METRIC_um_asked, p->dur[e], at.start, NULL);
}

static bool knows_memory(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_copies; i++)
		if (p->copies[i].src != MEM_UNKNOWN && p->copies[i].dst != MEM_UNKNOWN)
			return true;
	return false;
}

static void set_copies(struct copies *x)
{
	struct metrics *m = x->w->m;
	const struct size_sum *best = NULL;
	static const enum metric_id sums[] = { METRIC_copy_kernel_stream, METRIC_um_asked };

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		metric_divide(m, sums[i], x->w->devices, false);
		m->v[sums[i]].known = true;
	}
	for (size_t i = 0; i < x->sizes.n; i++)
		if (!best || best->bytes * best->count < x->sizes.a[i].bytes * x->sizes.a[i].count)
			best = &x->sizes.a[i];
	metric_set_i64(m, METRIC_copy_same_count, best ? (best->count + x->w->devices - 1) / x->w->devices : 0);
	metric_set_i64(m, METRIC_copy_same_bytes, best ? best->bytes : 0);
}

void metric_copies(struct metric_work *w)
{
	struct copies x = { .w = w };
	const struct profile *p = w->k->p;

	metric_family_known(w->m, FAMILY_COPIES, w->devices ? NULL : N_("GPU work"));
	selections_gpu(w->k, LAYER_MEMCPY, add_copy, &x, NULL);
	metric_set_i64(w->m, METRIC_no_memkind, p->n_copies && !knows_memory(p));
	if (w->devices)
		set_copies(&x);
	map_fini(&x.size_of);
	VEC_FREE(&x.sizes);
}

void metric_copies_alone(struct metrics *m, const struct device_facts *d, const struct spans *window, const struct spans *states)
{
	struct spans host = { 0 }, other = { 0 }, work = { 0 };
	ns_t alone = spans_measure(&states[GPU_HTOD]) + spans_measure(&states[GPU_DTOH]) + spans_measure(&states[GPU_BOTH]), beside;

	spans_union(&host, &d->busy[BUSY_HTOD], &d->busy[BUSY_DTOH]);
	spans_intersect(&work, &d->any, window);
	spans_subtract(&other, &work, &host);
	beside = spans_measure(&other);
	m->v[METRIC_copy_alone].i += alone;
	m->v[METRIC_copy_hidable].i += alone < beside ? alone : beside;
	spans_fini(&host);
	spans_fini(&other);
	spans_fini(&work);
}
