/* Kind zero3: the sample's training on one rank, recorded twice. train.sqlite is a run under nsys alone; rank0.pt.trace.json is
 * another run an hour later, in which torch.profiler's stacks and shapes make all host work two and a half times as long. The answers: what the
 * operations cost that are made of others (fetch, recompute, gate, optimizer), from the intervals in which the script ran them. */
#include "torch_text.h"
#include "truth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SLOWER_PERCENT 250
#define HOUR_NS INT64_C(3600000000000)

enum tag { FETCH, RECOMPUTE, GATE, CPU_ADAM, ELSE, N_TAGS };

static const char *const tag_names[] = { [FETCH] = "ZeRO-3 parameter fetch",
	[RECOMPUTE] = "gradient checkpoint recompute",
	[GATE] = "MoE gating",
	[CPU_ADAM] = "CPU optimizer step (DeepSpeedCPUAdam)" };

struct tagged {
	ns_t start, end;
	enum tag tag;
};
struct tags {
	struct tagged *v;
	size_t n, cap;
};

static void tag(struct tags *t, const struct ev *e, enum tag what)
{
	t->v = gen_grow(t->v, t->n + 1, &t->cap, sizeof(*t->v));
	t->v[t->n++] = (struct tagged){ e->start, e->end, what };
}

/* What a Python frame is the beginning of; N_TAGS: of nothing that the answers tell apart. */
static enum tag frame_tag(const struct ev *e)
{
	static const struct {
		const char *file, *func;
		enum tag tag;
	} known[] = {
		{ "partitioned_param_coordinator.py", "fetch_sub_module", FETCH },
		{ "partitioned_param_coordinator.py", "__all_gather_params_", FETCH },
		{ "partitioned_param_coordinator.py", "release_sub_module", ELSE },
		{ "checkpoint.py", "backward", RECOMPUTE },
		{ "sharded_moe.py", "topkgating", GATE },
		{ "cpu_adam.py", "step", CPU_ADAM },
		{ "stage3.py", "", ELSE },
		{ "optimizer.py", "", ELSE },
	};

	if (e->kind == PY_MODULE)
		return strncmp(e->alt, "TopKGate", 8) == 0 ? GATE : N_TAGS;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *base = strrchr(e->file, '/');

		if (strcmp(base ? base + 1 : e->file, known[i].file) == 0 &&
			(!*known[i].func || strcmp(e->alt, known[i].func) == 0))
			return known[i].tag;
	}
	return N_TAGS;
}

static void tag_thread(const struct run *r, int thread, struct tags *t)
{
	for (size_t i = 0; i < r->pys.n; i++)
		if (r->pys.v[i].thread == thread && r->pys.v[i].kind != PY_SAMPLER && frame_tag(&r->pys.v[i]) != N_TAGS)
			tag(t, &r->pys.v[i], frame_tag(&r->pys.v[i]));
	for (size_t i = 0; i < r->ops.n; i++) {
		const char *name = r->ops.v[i].name;

		if (r->ops.v[i].thread != thread)
			continue;
		if (strcmp(name, "CheckpointFunctionBackward") == 0)
			tag(t, &r->ops.v[i], RECOMPUTE);
		else if (strncmp(name, "autograd::engine::evaluate_function", 35) == 0)
			tag(t, &r->ops.v[i], ELSE);
	}
	for (size_t i = 0; thread == TH_MAIN && i < r->annots.n; i++)
		if (r->annots.v[i].kind == AN_OPTIMIZER || r->annots.v[i].kind == AN_OPTSTEP)
			tag(t, &r->annots.v[i], ELSE);
}

static int by_start(const void *a, const void *b)
{
	const struct tagged *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static ns_t clipped(ns_t lo, ns_t hi, const struct span *w)
{
	lo = lo > w->lo ? lo : w->lo;
	hi = hi < w->hi ? hi : w->hi;
	return hi > lo ? hi - lo : 0;
}

/* Tags nest: the time of each without what lies inside it. */
static void measure(struct tags *t, const struct span *window, ns_t sum[N_TAGS])
{
	size_t open[GEN_MAX_DEPTH], depth = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_start);
	for (size_t i = 0; i < t->n; i++) {
		ns_t inside = clipped(t->v[i].start, t->v[i].end, window);

		while (depth && t->v[open[depth - 1]].end <= t->v[i].start)
			depth--;
		sum[t->v[i].tag] += inside;
		if (depth)
			sum[t->v[open[depth - 1]].tag] -= inside;
		open[depth++] = i;
	}
}

static void put_operations(FILE *f, const struct run *r, const struct span *window)
{
	ns_t sum[N_TAGS] = { 0 };

	for (int th = 0; th < TH_COUNT; th++) {
		struct tags t = { 0 };

		tag_thread(r, th, &t);
		measure(&t, window, sum);
		free(t.v);
	}
	for (int i = 0; i < ELSE; i++)
		fprintf(f, "level2\t%s\t%lld\n", tag_names[i], (long long)sum[i]);
}

static int by_value(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Steps 1 to the last: the first is the warm-up. Their union, and the lower median of their periods. */
static struct span steady(const struct run *r, ns_t *median)
{
	struct span w = { 0, 0 };
	ns_t start = 0, *v = gen_alloc(r->annots.n, sizeof(*v));
	size_t n = 0, seen = 0;

	for (size_t i = 0; i < r->annots.n; i++) {
		const struct ev *e = &r->annots.v[i];

		if (e->kind != AN_STEP)
			continue;
		if (seen == 1)
			w.lo = e->start;
		if (seen > 1)
			v[n++] = e->start - start;
		start = e->start;
		w.hi = e->end;
		seen++;
	}
	v[n++] = w.hi - start;
	qsort(v, n, sizeof(*v), by_value);
	*median = v[(n - 1) / 2];
	free(v);
	return w;
}

static size_t kernels_in(const struct run *r, const struct span *w)
{
	size_t n = 0;

	for (size_t i = 0; i < r->kernels.n; i++) {
		const struct ev *c = run_call(r, r->kernels.v[i].corr);
		ns_t at = c ? c->start : r->kernels.v[i].start;

		n += at >= w->lo && at < w->hi;
	}
	return n;
}

static void put_answers(FILE *f, const struct run *r, const char *source)
{
	ns_t median;
	struct span w = steady(r, &median);

	fprintf(f, "median\t%s\t%lld\n", source, (long long)median);
	fprintf(f, "kernels\t%s\t%lld\n", source, (long long)(kernels_in(r, &w) / (size_t)(r->opt.steps - 1)));
	if (strcmp(source, "torch") == 0)
		put_operations(f, r, &w);
}

static void simulate(struct run *r, const struct gen_opts *opt, int host_percent)
{
	run_init(r, opt);
	r->solo = true;
	r->host_percent = host_percent;
	make_run(r);
}

void make_zero3(const struct gen_opts *opt)
{
	char *torch = gen_path(opt->out, "rank0.pt.trace.json"), *nsys = gen_path(opt->out, "train.sqlite");
	char *ds = gen_path(opt->out, "ds_config.json"), *truth = gen_path(opt->out, "truth.tsv");
	FILE *f = gen_create(opt->truth ? opt->truth : truth);
	struct torch_counts n = { 0 };
	struct run r;

	simulate(&r, opt, 100);
	write_nsys(&r, nsys);
	put_answers(f, &r, "nsys");
	run_free(&r);
	simulate(&r, opt, SLOWER_PERCENT);
	torch_run = (struct torch_run){ .world = 1, .late_ns = HOUR_NS };
	write_torch(&r, torch, opt->gz, &n);
	put_answers(f, &r, "torch");
	run_free(&r);
	write_ds_config(ds);
	gen_close(f, opt->truth ? opt->truth : truth);
	free(torch);
	free(nsys);
	free(ds);
	free(truth);
}
