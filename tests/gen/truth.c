/* truth.json: what a reader of the generated files must find, worked out from the generator's own
 * model. */
#include "truth.h"

#include <assert.h>
#include <stdlib.h>

static void add_layer(struct layer *l, const struct evs *s, int thread)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].thread == thread)
			layer_add(l, s->v[i].start, s->v[i].end, i, i);
	layer_sort(l);
}

static void add_busy(struct spans *out, const struct evs *s)
{
	for (size_t i = 0; i < s->n; i++)
		spans_add(out, s->v[i].start, s->v[i].end);
	spans_union(out);
}

static void prepare(struct truth *t)
{
	const struct run *r = t->r;

	for (int th = 0; th < TH_COUNT; th++) {
		add_layer(&t->ops[th], &r->ops, th);
		add_layer(&t->calls[th], &r->calls, th);
	}
	add_busy(&t->kernel_busy, &r->kernels);
	add_busy(&t->busy, &r->kernels);
	add_busy(&t->busy, &r->copies);
	add_busy(&t->busy, &r->sets);
	t->gpu_all = (struct span){ t->busy.v[0].lo, t->busy.v[t->busy.n - 1].hi };
	find_steps(t);
}

/* What a physical machine cannot do. */
static void check_causality(const struct run *r)
{
	const struct evs *const gpu[] = { &r->kernels, &r->copies, &r->sets };
	struct spans lanes[ST_COUNT] = { 0 };
	size_t n[ST_COUNT] = { 0 };

	for (int k = 0; k < 3; k++) {
		for (size_t i = 0; i < gpu[k]->n; i++) {
			const struct ev *e = &gpu[k]->v[i], *c = run_call(r, e->corr);

			assert(e->end > e->start);
			assert(!c || e->start > c->start);
			spans_add(&lanes[e->stream], e->start, e->end);
			n[e->stream]++;
		}
	}
	for (int s = 0; s < ST_COUNT; s++) {
		spans_union(&lanes[s]);
		assert(lanes[s].n == n[s]); /* work of one stream neither overlaps nor touches */
		spans_free(&lanes[s]);
	}
	for (size_t i = 0; i < r->calls.n; i++)
		assert(r->calls.v[i].end > r->calls.v[i].start);
}

static void put_window(struct truth *t, enum source src, const char *kind, const struct spans *cpu,
	const struct spans *gpu, const struct spans *launches)
{
	fprintf(t->f, "  \"%s\": {\n", kind);
	put_gpu_tables(t, src, gpu, launches);
	put_cpu_tables(t, src, cpu);
	fprintf(t->f, "   \"steps\": %zu\n  }",
		kind[0] == 'a' ? t->nsteps : t->nsteps - t->first_steady);
}

static void put_source(struct truth *t, enum source src)
{
	struct span cpu_all = cpu_extent(t, src), gpu_all = t->gpu_all,
		    always = { INT64_MIN / 2, INT64_MAX / 2 };
	struct span steady = { t->steps[t->first_steady].start,
		t->steps[t->nsteps - 1].period_end };
	struct spans cpu = { &cpu_all, 1, 1 }, gpu = { &gpu_all, 1, 1 }, any = { &always, 1, 1 },
		     middle = { &steady, 1, 1 };

	fprintf(t->f, " \"%s\": {\n", src == SRC_TORCH ? "torch" : "nsys");
	put_threads(t, src);
	put_window(t, src, "all", &cpu, &gpu, &any);
	fputs(",\n", t->f);
	put_window(t, src, "steady", &middle, &middle, &middle);
	fputs("\n },\n", t->f);
}

static size_t torch_frames(const struct run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->pys.n; i++)
		n += r->pys.v[i].kind != PY_SAMPLER;
	return n;
}

static void put_counts(struct truth *t, const struct torch_counts *n)
{
	const struct run *r = t->r;
	size_t driver = 0;

	for (size_t i = 0; i < r->calls.n; i++)
		driver += (size_t)gen_apis[r->calls.v[i].def].driver;
	fprintf(t->f,
		" \"events\": {\n  \"torch\": {\"user_annotation\": %zu, \"cpu_op\": %zu, "
		"\"python_function\": %zu, "
		"\"cuda_runtime\": %zu, \"cuda_driver\": %zu, \"kernel\": %zu, \"gpu_memcpy\": "
		"%zu, \"gpu_memset\": %zu, "
		"\"cuda_sync\": %zu, \"gpu_user_annotation\": %zu, \"overhead\": 1, \"Trace\": 1, "
		"\"ac2g\": %zu, \"fwdbwd\": %zu},\n",
		r->annots.n, r->ops.n, torch_frames(r), r->calls.n - driver, driver, r->kernels.n,
		r->copies.n, r->sets.n, r->syncs.n, n->gpu_annotations, n->ac2g, n->fwdbwd);
	fprintf(t->f,
		"  \"nsys\": {\"CUPTI_ACTIVITY_KIND_KERNEL\": %zu, \"CUPTI_ACTIVITY_KIND_MEMCPY\": "
		"%zu, "
		"\"CUPTI_ACTIVITY_KIND_MEMSET\": %zu, \"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION\": "
		"%zu, "
		"\"CUPTI_ACTIVITY_KIND_RUNTIME\": %zu, \"NVTX_EVENTS\": %zu}\n },\n",
		r->kernels.n, r->copies.n, r->sets.n, r->syncs.n, r->calls.n,
		r->ops.n + r->annots.n + r->nvtx.n + 1);
}

static void truth_free(struct truth *t)
{
	for (int th = 0; th < TH_COUNT; th++) {
		layer_free(&t->ops[th]);
		layer_free(&t->calls[th]);
	}
	spans_free(&t->busy);
	spans_free(&t->kernel_busy);
	free(t->steps);
}

void write_truth(struct run *r, const char *path, const char *pyinstrument_path,
	const struct torch_counts *n)
{
	struct truth t = { .r = r, .f = gen_create(path) };

	check_causality(r);
	prepare(&t);
	fprintf(t.f,
		"{\n \"format\": \"tracegen-truth-1\",\n \"options\": {\"seed\": %llu, \"steps\": "
		"%lld, \"layers\": %lld, \"scale\": "
		"%lld},\n",
		(unsigned long long)r->opt.seed, (long long)r->opt.steps, (long long)r->opt.layers,
		(long long)r->opt.scale);
	fprintf(t.f, " \"clock\": {\"utc_epoch_ns\": %lld, \"kineto_base_ns\": %lld},\n",
		(long long)GEN_UTC_EPOCH_NS, (long long)GEN_KINETO_BASE_NS);
	put_counts(&t, n);
	put_steps(&t);
	put_source(&t, SRC_TORCH);
	put_source(&t, SRC_NSYS);
	write_pyinstrument(r, pyinstrument_path, t.f);
	fputs("\n}\n", t.f);
	gen_close(t.f, path);
	truth_free(&t);
}
