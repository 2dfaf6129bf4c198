/* facts.c - puts the derived facts of a source together, see facts.h */
#include "facts/facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "facts/parts.h"

/* definitions.md §3: never by the short name */
static const struct kernel_class truncated = {
	.class = KCLASS_UNRESOLVED, .subclass = "truncated", .tensor_core = -1, .rule_id = "truncated-name",
};

static void classify_kernels(struct facts *f, const struct rules *r)
{
	const struct profile *p = f->p;
	VEC(struct kernel_class) all = { 0 };

	f->kclass_of = xreallocarray(NULL, p->n_strs, sizeof(*f->kclass_of));
	memset(f->kclass_of, 0xff, p->n_strs * sizeof(*f->kclass_of));
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++) {
		struct kernel_class kc;
		size_t n;
		const char *s = profile_str(p, p->name[e], &n);

		f->n_truncated += profile_name_short(p, p->name[e]);
		if (p->name[e] >= p->n_strs || f->kclass_of[p->name[e]] != ID_NONE)
			continue;
		if (profile_name_short(p, p->name[e]))
			kc = truncated;
		else
			rules_kernel(r, s, n, &kc);
		f->kclass_of[p->name[e]] = (uint32_t)all.n;
		VEC_PUSH(&all, kc);
	}
	f->kclasses = all.a;
	f->n_kclasses = (uint32_t)all.n;
}

static void classify_calls(struct facts *f)
{
	const struct profile *p = f->p;

	f->rt_class_of = xmalloc(p->n_strs);
	memset(f->rt_class_of, RT_N, p->n_strs);
	for (ev_id e = p->layer_first[LAYER_RUNTIME]; e < p->layer_first[LAYER_RUNTIME + 1]; e++) {
		size_t n;
		const char *s = profile_str(p, p->name[e], &n);

		if (p->name[e] < p->n_strs && f->rt_class_of[p->name[e]] == RT_N)
			f->rt_class_of[p->name[e]] = (uint8_t)rules_runtime(s, n);
	}
}

static enum busy_kind busy_kind_of(const struct facts *f, enum layer l, ev_id e)
{
	static const uint8_t by_copy[COPY_KIND_N] = {
		[COPY_UNKNOWN] = BUSY_COPY_REST, [COPY_HTOD] = BUSY_HTOD, [COPY_DTOH] = BUSY_DTOH, [COPY_HTOA] = BUSY_HTOD,
		[COPY_ATOH] = BUSY_DTOH, [COPY_ATOA] = BUSY_COPY_REST, [COPY_ATOD] = BUSY_COPY_REST, [COPY_DTOA] = BUSY_COPY_REST,
		[COPY_DTOD] = BUSY_DTOD, [COPY_HTOH] = BUSY_COPY_REST, [COPY_PTOP] = BUSY_PTOP, [COPY_UVM_HTOD] = BUSY_HTOD,
		[COPY_UVM_DTOH] = BUSY_DTOH, [COPY_UVM_DTOD] = BUSY_DTOD,
	};

	if (l == LAYER_KERNEL)
		return facts_kclass(f, e)->class == KCLASS_COMMUNICATION ? BUSY_COMM : BUSY_COMPUTE;
	if (l == LAYER_MEMSET)
		return BUSY_MEMSET;
	if (f->p->aux[e] >= f->p->n_copies)
		return BUSY_COPY_REST;
	return by_copy[f->p->copies[f->p->aux[e]].kind % COPY_KIND_N];
}

struct device_list {
	VEC(struct device_facts) v;
	struct map seen, info;	/* device -> index in v, in the profile's devices */
};

static struct device_facts *device_slot(struct device_list *l, int64_t device)
{
	uint32_t i = map_get_or_put(&l->seen, (uint64_t)device, 0, (uint32_t)l->v.n);
	struct device_facts *d;

	if (i < l->v.n)
		return &l->v.a[i];
	VEC_RESERVE(&l->v, l->v.n + 1);
	d = &l->v.a[l->v.n++];
	memset(d, 0, sizeof(*d));
	d->device = device;
	d->info = map_find(&l->info, (uint64_t)device, 0);
	d->first = INT64_MAX;
	d->last = INT64_MIN;
	return d;
}

static void add_device_track(const struct facts *f, struct device_list *l, const struct track *tr)
{
	const struct profile *p = f->p;
	struct device_facts *d = device_slot(l, tr->device);

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		spans_add(&d->busy[busy_kind_of(f, tr->layer, e)], p->start[e], ev_end(p, e));
		if (p->start[e] < d->first)
			d->first = p->start[e];
		if (ev_end(p, e) > d->last)
			d->last = ev_end(p, e);
	}
}

static int device_cmp(const void *pa, const void *pb)
{
	const struct device_facts *a = pa, *b = pb;

	return (a->device > b->device) - (a->device < b->device);
}

static void make_devices(struct facts *f)
{
	const struct profile *p = f->p;
	struct device_list list = { 0 };

	for (uint32_t i = 0; i < p->n_devices; i++)
		map_put(&list.info, (uint64_t)p->devices[i].device, 0, i);
	for (track_id t = p->layer_track[LAYER_WORK]; t < p->layer_track[LAYER_WORK_LAST + 1]; t++)
		if (p->tracks[t].count)
			add_device_track(f, &list, &p->tracks[t]);
	map_fini(&list.seen);
	map_fini(&list.info);
	f->devices = list.v.a;
	f->n_devices = (uint32_t)list.v.n;
	for (uint32_t i = 0; i < f->n_devices; i++) {
		struct device_facts *d = &f->devices[i];
		struct spans sum = { 0 };

		for (int k = 0; k < BUSY_N; k++) {
			struct spans before = d->any;

			spans_norm(&d->busy[k]);
			spans_trim(&d->busy[k]);
			if (!d->busy[k].n)
				continue;
			spans_union(&sum, &before, &d->busy[k]);
			d->any = sum;
			sum = before;
		}
		spans_fini(&sum);
		spans_trim(&d->any);
	}
	if (f->n_devices)
		qsort(f->devices, f->n_devices, sizeof(*f->devices), device_cmp);
}

static void find_work_of_all(struct facts *f)
{
	for (uint32_t i = 0; i < f->n_devices; i++) {
		const struct device_facts *d = &f->devices[i];
		const track_id *t;
		bool known = true;
		uint32_t n;

		t = facts_device_tracks(f, d, &n);
		for (uint32_t k = 0; k < n; k++)
			known &= f->p->tracks[t[k]].pid >= 0;
		if (known)
			continue;
		f->n_of_all++;
		f->of_all = i;
		for (size_t k = 0; k < d->any.n; k++)
			spans_add(&f->work_of_all, d->any.a[k].start, d->any.a[k].end);
	}
	spans_norm(&f->work_of_all);
}

static bool uses_zero(const struct profile *p)
{
	for (str_id i = 0; i < p->n_strs; i++) {
		size_t n;
		const char *s = profile_str(p, i, &n);

		if (memmem(s, n, "deepspeed/", 10) || memmem(s, n, "partition_parameters", 20) ||
			memmem(s, n, "partitioned_param_coordinator", 29))
			return true;
	}
	return false;
}

/* Samples without a frame are not among it. */
static ns_t framed_time(const struct profile *p)
{
	ns_t sum = 0;

	if (!profile_python_samples(p) || p->sampled_wall_ns <= 0 || p->frames[0].total_ns == NS_UNKNOWN)
		return NS_UNKNOWN;
	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct frame_node *f = &p->frames[i];

		if (f->kind != NODE_EMPTY && f->self_ns > 0)
			sum = i64_sum(sum, f->self_ns);
	}
	return sum;
}

struct facts *facts_new(const struct rules *r, struct profile *p, uint32_t source)
{
	struct facts *f = xcalloc(1, sizeof(*f));

	f->users = 1;
	f->ix = xcalloc(1, sizeof(*f->ix));
	f->p = profile_ref(p);
	f->source = source;
	f->extra = xcalloc(FACTS_EXTRA_N, sizeof(*f->extra));
	for (int i = 0; i < FACTS_EXTRA_N; i++)
		lazy_init(&f->extra[i]);
	classify_kernels(f, r);
	classify_calls(f);
	f->zero = uses_zero(p);
	f->framed_ns = framed_time(p);
	make_devices(f);
	index_devices(f->ix, f);
	find_work_of_all(f);
	facts_first_uses(f);
	facts_blocking_copies(f);
	facts_same_ops(f);
	facts_roles(f, r, f->ix);
	facts_ops(f, r, f->ix);
	facts_captures(f);
	facts_microbatches(f, r, f->ix);
	facts_steps(f, r, f->ix);
	facts_records(f);
	facts_phases(f, r, f->ix);
	return f;
}

static void free_ops(struct op_layer *o)
{
	if (o->from_nvtx) {
		free((void *)(uintptr_t)o->start);
		free((void *)(uintptr_t)o->dur);
		free((void *)(uintptr_t)o->self);
		free((void *)(uintptr_t)o->name);
		free((void *)(uintptr_t)o->parent);
		free((void *)(uintptr_t)o->ev);
	}
	free(o->tracks);
}

struct facts *facts_ref(struct facts *f)
{
	atomic_fetch_add(&f->users, 1);
	return f;
}

void facts_free(struct facts *f)
{
	if (!f || atomic_fetch_sub(&f->users, 1) > 1)
		return;
	for (uint32_t i = 0; i < f->n_procs; i++) {
		free(f->procs[i].phases);
		free(f->procs[i].issue);
		free(f->procs[i].microbatches);
		spans_fini(&f->procs[i].steady);
		spans_fini(&f->procs[i].captures);
	}
	for (uint32_t i = 0; i < f->n_devices; i++) {
		for (int k = 0; k < BUSY_N; k++)
			spans_fini(&f->devices[i].busy[k]);
		spans_fini(&f->devices[i].any);
		spans_fini(&f->devices[i].overlap);
		spans_fini(&f->devices[i].cut);
		spans_fini(&f->devices[i].edges);
		free(f->devices[i].marks);
	}
	spans_fini(&f->work_of_all);
	fact_index_fini(f->ix);
	free(f->ix);
	for (int i = 0; i < FACTS_EXTRA_N; i++)
		lazy_fini(&f->extra[i]);
	free(f->extra);
	free_ops(&f->ops);
	free(f->threads);
	free(f->procs);
	free(f->steps);
	free(f->call_op);
	free(f->call_thread);
	free(f->call_first);
	free(f->blocking);
	free(f->on_cpu);
	free(f->same_op);
	free(f->kclasses);
	free(f->kclass_of);
	free(f->rt_class_of);
	free(f->devices);
	profile_unref(f->p);
	free(f);
}
