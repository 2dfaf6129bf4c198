/* The CPU side of the truth: operators with their split, CUDA calls, ranges, Python frames,
 * threads, coverage. */
#include "truth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One printed row of any table by name. */
struct row {
	const char *name, *cls;
	long long count, open;
	ns_t total, self, part[4], host, exposed, min, max, device, device_self;
};

struct rows {
	struct row *v;
	size_t n, cap;
};

static struct row *row_of(struct rows *rows, const char *name)
{
	struct row *x;

	for (size_t i = 0; i < rows->n; i++)
		if (rows->v[i].name == name || strcmp(rows->v[i].name, name) == 0)
			return &rows->v[i];
	rows->v = gen_grow(rows->v, rows->n, &rows->cap, sizeof(*rows->v));
	x = &rows->v[rows->n++];
	*x = (struct row){ .name = name };
	return x;
}

/* CPU events: counted by their start, their time clipped. */
static void row_add(struct row *x, const struct spans *w, ns_t start, ns_t end_ns)
{
	ns_t dur = spans_common(w, start, end_ns);

	if (spans_contain(w, start)) {
		x->min = x->count && x->min < dur ? x->min : dur;
		x->max = x->count && x->max > dur ? x->max : dur;
		x->count++;
	}
	x->total += dur;
}

static void window_cuts(struct cuts *c, const struct spans *w)
{
	for (size_t i = 0; i < w->n; i++) {
		cuts_add(c, w->v[i].lo);
		cuts_add(c, w->v[i].hi);
	}
}

static void layer_cuts(struct cuts *c, const struct layer *l)
{
	for (size_t i = 0; i < l->n; i++) {
		cuts_add(c, l->v[i].start);
		cuts_add(c, l->v[i].end);
	}
}

static void split_ops(struct truth *t, struct rows *rows, const struct spans *w, int thread)
{
	const struct layer *ops = &t->ops[thread], *calls = &t->calls[thread];
	ns_t self = 0, covered = 0;
	struct spans cover = { 0 };
	struct cuts c = { 0 };

	layer_cuts(&c, ops);
	layer_cuts(&c, calls);
	window_cuts(&c, w);
	for (size_t i = 0; i < t->busy.n; i++) {
		cuts_add(&c, t->busy.v[i].lo);
		cuts_add(&c, t->busy.v[i].hi);
	}
	cuts_sort(&c);
	for (size_t i = 0; i + 1 < c.n; i++) {
		ptrdiff_t op = layer_owner(ops, c.v[i]), call = layer_owner(calls, c.v[i]);
		ns_t len = c.v[i + 1] - c.v[i];
		struct row *x;

		if (op < 0 || !spans_contain(w, c.v[i]))
			continue;
		x = row_of(rows, t->r->ops.v[ops->v[op].index].name);
		x->self += len;
		self += len;
		if (call >= 0)
			x->part[gen_apis[t->r->calls.v[calls->v[call].index].def].cls] += len;
		else
			x->host += len;
		if (!spans_contain(&t->busy, c.v[i]))
			x->exposed += len;
	}
	for (size_t i = 0; i < ops->n; i++)
		spans_add(&cover, ops->v[i].start, ops->v[i].end);
	spans_union(&cover);
	for (size_t i = 0; i < w->n; i++)
		covered += spans_common(&cover, w->v[i].lo, w->v[i].hi);
	assert(self == covered); /* the self times of a layer sum to the measure of its union */
	spans_free(&cover);
	cuts_free(&c);
}

/* Kernels launched inside: every operator that is active when the launch call starts. */
static void device_time(struct truth *t, struct rows *rows, const struct spans *w)
{
	for (size_t i = 0; i < t->r->kernels.n; i++) {
		const struct ev *k = &t->r->kernels.v[i], *c = run_call(t->r, k->corr);
		const struct layer *l;
		ptrdiff_t op;
		bool innermost = true;

		if (!c || !spans_contain(w, c->start))
			continue;
		l = &t->ops[c->thread];
		for (op = layer_owner(l, c->start); op >= 0; op = layer_outer(l, c->start, op)) {
			struct row *x = row_of(rows, t->r->ops.v[l->v[op].index].name);

			assert(c->end <= l->v[op].end);
			x->device += k->end - k->start;
			if (innermost)
				x->device_self += k->end - k->start;
			innermost = false;
		}
	}
}

static void put_ops(struct truth *t, const struct spans *w)
{
	struct rows rows = { 0 };
	bool first = true;

	for (size_t i = 0; i < t->r->ops.n; i++)
		row_add(row_of(&rows, t->r->ops.v[i].name), w, t->r->ops.v[i].start,
			t->r->ops.v[i].end);
	for (int th = 0; th < TH_COUNT; th++)
		split_ops(t, &rows, w, th);
	device_time(t, &rows, w);
	fputs("   \"ops\": {", t->f);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *x = &rows.v[i];

		if (!x->count && !x->total)
			continue;
		assert(x->part[0] + x->part[1] + x->part[2] + x->part[3] + x->host == x->self);
		fputs(first ? "\n    " : ",\n    ", t->f);
		json_string(t->f, x->name);
		fprintf(t->f,
			": {\"count\": %lld, \"total_ns\": %lld, \"self_ns\": %lld, \"sync_ns\": "
			"%lld, \"launch_ns\": %lld, "
			"\"memcpy_ns\": %lld, \"other_runtime_ns\": %lld, \"host_ns\": %lld, "
			"\"exposed_ns\": %lld, \"device_ns\": %lld, "
			"\"device_self_ns\": %lld}",
			x->count, (long long)x->total, (long long)x->self,
			(long long)x->part[CALL_SYNC], (long long)x->part[CALL_LAUNCH],
			(long long)x->part[CALL_MEMCPY], (long long)x->part[CALL_OTHER],
			(long long)x->host, (long long)x->exposed, (long long)x->device,
			(long long)x->device_self);
		first = false;
	}
	fputs("\n   },\n", t->f);
	free(rows.v);
}

static void put_runtime(struct truth *t, enum source src, const struct spans *w)
{
	struct rows rows = { 0 };
	bool first = true;

	for (size_t i = 0; i < t->r->calls.n; i++) {
		const struct ev *e = &t->r->calls.v[i];
		const struct api_def *a = &gen_apis[e->def];
		struct row *x = row_of(&rows, src == SRC_TORCH ? a->torch : a->nsys);

		x->cls = gen_call_names[a->cls];
		row_add(x, w, e->start, e->end);
	}
	fputs("   \"runtime\": {", t->f);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *x = &rows.v[i];

		if (!x->count && !x->total)
			continue;
		fprintf(t->f,
			"%s\n    \"%s\": {\"class\": \"%s\", \"count\": %lld, \"total_ns\": %lld, "
			"\"min_ns\": %lld, \"max_ns\": "
			"%lld}",
			first ? "" : ",", x->name, x->cls, x->count, (long long)x->total,
			(long long)x->min, (long long)x->max);
		first = false;
	}
	fputs("\n   },\n", t->f);
	free(rows.v);
}

/* One layer of named events on one thread; `name_of` gives the table's name of an item's event. */
struct named {
	struct layer l;
	const char **name; /* by `index` of the items */
	size_t n, cap;
};

static void named_add(struct named *s, const char *name, ns_t start, ns_t end_ns)
{
	s->name = gen_grow(s->name, s->n, &s->cap, sizeof(*s->name));
	s->name[s->n] = name;
	layer_add(&s->l, start, end_ns, s->n, s->n);
	s->n++;
}

/* Self times of the layer, kernels launched inside its events on the same thread; then the layer is
 * emptied. */
static void named_fold(
	struct truth *t, struct named *s, struct rows *rows, const struct spans *w, int thread)
{
	struct cuts c = { 0 };

	layer_sort(&s->l);
	layer_cuts(&c, &s->l);
	window_cuts(&c, w);
	cuts_sort(&c);
	for (size_t i = 0; i < s->l.n; i++)
		row_add(row_of(rows, s->name[s->l.v[i].index]), w, s->l.v[i].start, s->l.v[i].end);
	for (size_t i = 0; i + 1 < c.n; i++) {
		ptrdiff_t at = layer_owner(&s->l, c.v[i]);

		if (at >= 0 && spans_contain(w, c.v[i]))
			row_of(rows, s->name[s->l.v[at].index])->self += c.v[i + 1] - c.v[i];
	}
	for (size_t i = 0; i < t->r->kernels.n; i++) {
		const struct ev *k = &t->r->kernels.v[i], *call = run_call(t->r, k->corr);

		if (!call || call->thread != thread || !spans_contain(w, call->start))
			continue;
		for (ptrdiff_t at = layer_owner(&s->l, call->start); at >= 0;
			at = layer_outer(&s->l, call->start, at)) {
			assert(s->l.v[at].end >= call->end);
			row_of(rows, s->name[s->l.v[at].index])->device += k->end - k->start;
		}
	}
	cuts_free(&c);
	layer_free(&s->l);
	free(s->name);
	*s = (struct named){ 0 };
}

static void put_named(FILE *f, const char *table, const struct rows *rows, bool ranges)
{
	bool first = true;

	fprintf(f, "   \"%s\": {", table);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *x = &rows->v[i];

		if (!x->count && !x->total && !x->open)
			continue;
		fputs(first ? "\n    " : ",\n    ", f);
		json_string(f, x->name);
		fprintf(f, ": {\"count\": %lld", x->count);
		if (ranges)
			fprintf(f, ", \"open\": %lld", x->open);
		fprintf(f, ", \"total_ns\": %lld, \"self_ns\": %lld", (long long)x->total,
			(long long)x->self);
		if (ranges)
			fprintf(f, ", \"gpu_ns\": %lld", (long long)x->device);
		fputs("}", f);
		first = false;
	}
	fputs("\n   },\n", f);
}

static void put_annotations(struct truth *t, const struct spans *w)
{
	struct rows rows = { 0 };
	struct named s = { 0 };

	for (size_t i = 0; i < t->r->annots.n; i++)
		named_add(
			&s, t->r->annots.v[i].name, t->r->annots.v[i].start, t->r->annots.v[i].end);
	named_fold(t, &s, &rows, w, TH_MAIN);
	put_named(t->f, "annotations", &rows, true);
	free(rows.v);
}

static void put_python(struct truth *t, const struct spans *w)
{
	struct rows rows = { 0 };

	for (int th = 0; th < TH_COUNT; th++) {
		struct named s = { 0 };

		for (size_t i = 0; i < t->r->pys.n; i++) {
			const struct ev *e = &t->r->pys.v[i];

			if (e->kind != PY_SAMPLER && e->thread == th)
				named_add(&s, e->name, e->start, e->end);
		}
		named_fold(t, &s, &rows, w, th);
	}
	put_named(t->f, "python", &rows, false);
	free(rows.v);
}

/* Push/pop per thread and domain, start/end apart; operators under the name before emit_nvtx's
 * tail. */
static void put_nvtx(struct truth *t, const struct spans *w)
{
	const struct run *r = t->r;
	struct rows rows = { 0 };

	for (int th = 0; th < TH_COUNT; th++) {
		struct named s = { 0 };

		for (size_t i = 0; i < r->annots.n; i++)
			if (r->annots.v[i].thread == th)
				named_add(&s, r->annots.v[i].alt, r->annots.v[i].start,
					r->annots.v[i].end);
		for (size_t i = 0; i < r->ops.n; i++)
			if (r->ops.v[i].thread == th)
				named_add(&s, r->ops.v[i].name, r->ops.v[i].start, r->ops.v[i].end);
		named_fold(t, &s, &rows, w, th);
		for (int kind = NV_NCCL; kind <= NV_STARTEND; kind++) {
			for (size_t i = 0; i < r->nvtx.n; i++)
				if (r->nvtx.v[i].thread == th && r->nvtx.v[i].kind == kind)
					named_add(&s, r->nvtx.v[i].name, r->nvtx.v[i].start,
						r->nvtx.v[i].end);
			named_fold(t, &s, &rows, w, th);
		}
	}
	for (size_t i = 0; i < r->nvtx.n; i++)
		if (r->nvtx.v[i].kind == NV_OPEN && spans_contain(w, r->nvtx.v[i].start))
			row_of(&rows, r->nvtx.v[i].name)->open++;
	put_named(t->f, "nvtx", &rows, true);
	free(rows.v);
}

static void union_of(const struct evs *s, int thread, struct spans *out)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].thread == thread && s->v[i].end >= s->v[i].start)
			spans_add(out, s->v[i].start, s->v[i].end);
}

/* All that the source has of one thread, every layer. */
void cpu_union(const struct truth *t, enum source src, int thread, struct spans *out)
{
	union_of(&t->r->ops, thread, out);
	union_of(&t->r->annots, thread, out);
	union_of(&t->r->calls, thread, out);
	if (src == SRC_NSYS)
		union_of(&t->r->nvtx, thread, out);
	for (size_t i = 0; src == SRC_TORCH && i < t->r->pys.n; i++)
		if (t->r->pys.v[i].thread == thread && t->r->pys.v[i].kind != PY_SAMPLER)
			spans_add(out, t->r->pys.v[i].start, t->r->pys.v[i].end);
	spans_union(out);
}

struct span cpu_extent(const struct truth *t, enum source src)
{
	struct span all = { INT64_MAX, INT64_MIN };

	for (int th = 0; th < TH_COUNT; th++) {
		struct spans s = { 0 };

		cpu_union(t, src, th, &s);
		if (s.n && s.v[0].lo < all.lo)
			all.lo = s.v[0].lo;
		if (s.n && s.v[s.n - 1].hi > all.hi)
			all.hi = s.v[s.n - 1].hi;
		spans_free(&s);
	}
	assert(all.lo <= t->gpu_all.lo && all.hi >= t->gpu_all.hi);
	return all;
}

static long long thread_events(const struct truth *t, enum source src, int th)
{
	const struct evs *const cpu[] = { &t->r->ops, &t->r->annots, &t->r->calls, &t->r->pys,
		&t->r->nvtx };
	long long n = 0;

	for (int k = 0; k < 5; k++) {
		if (cpu[k] == (src == SRC_TORCH ? &t->r->nvtx : &t->r->pys))
			continue;
		for (size_t i = 0; i < cpu[k]->n; i++)
			n += cpu[k]->v[i].thread == th &&
				(cpu[k] != &t->r->pys || cpu[k]->v[i].kind != PY_SAMPLER);
	}
	return n;
}

void put_threads(struct truth *t, enum source src)
{
	bool first = true;

	fputs("  \"threads\": [", t->f);
	for (int th = 0; th < TH_COUNT; th++) {
		struct spans s = { 0 };

		cpu_union(t, src, th, &s);
		if (s.n) {
			fprintf(t->f,
				"%s\n   {\"pid\": %d, \"tid\": %d, \"name\": \"%s\", \"role\": "
				"\"%s\", \"events\": %lld, "
				"\"busy_ns\": %lld}",
				first ? "" : ",", GEN_PID, gen_tids[th], gen_thread_names[th],
				gen_thread_roles[th], thread_events(t, src, th),
				(long long)spans_measure(&s));
			first = false;
		}
		spans_free(&s);
	}
	fputs("\n  ],\n", t->f);
}

/* Instants of the window at which neither the autograd nor the main thread has an event of any
 * layer. */
static void put_coverage(struct truth *t, enum source src, const struct spans *w)
{
	struct spans s = { 0 };
	ns_t wall = spans_measure(w), covered = 0;

	cpu_union(t, src, TH_MAIN, &s);
	cpu_union(t, src, TH_AUTOGRAD, &s);
	for (size_t i = 0; i < w->n; i++)
		covered += spans_common(&s, w->v[i].lo, w->v[i].hi);
	fprintf(t->f,
		"   \"cpu\": {\"start_ns\": %lld, \"end_ns\": %lld, \"wall_ns\": %lld, "
		"\"covered_ns\": %lld, \"untraced_ns\": "
		"%lld},\n",
		(long long)w->v[0].lo, (long long)w->v[w->n - 1].hi, (long long)wall,
		(long long)covered, (long long)(wall - covered));
	spans_free(&s);
}

void put_cpu_tables(struct truth *t, enum source src, const struct spans *w)
{
	put_coverage(t, src, w);
	put_runtime(t, src, w);
	put_ops(t, w);
	if (src == SRC_NSYS) {
		put_nvtx(t, w);
	} else {
		put_annotations(t, w);
		put_python(t, w);
	}
}
