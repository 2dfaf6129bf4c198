/* kernels.c - views `kernels` (one row per kernel name) and `opkernels` (one row per op and kernel that it launched) */
#include "measure/kernel_sums.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { K_NAME, K_CLASS, K_SUBCLASS, K_LAYOUT, K_DTYPE, K_TENSOR, K_COUNT, K_TOTAL, K_MIN, K_MAX, K_PHASES,
	K_AVG = K_PHASES + PHASE_N + 1, K_SHARE, K_MEDIAN, K_STDDEV, K_BY };

static const struct column_def kernel_cols[] = {
	[K_NAME] = { "name", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the kernel, whole") },
	[K_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 2, N_("what kind of work it does, told by its name") },
	[K_SUBCLASS] = { "subclass", N_("Kind"), UNIT_TEXT, 0, 6, N_("finer kind inside the class") },
	[K_LAYOUT] = { "layout", N_("Layout"), UNIT_TEXT, 0, 8, N_("matrix layout that the name of a GEMM tells") },
	[K_DTYPE] = { "dtype", N_("Type"), UNIT_TEXT, 0, 5, N_("data type that the name tells") },
	[K_TENSOR] = { "tensor_core", N_("TC"), UNIT_BOOL, 0, 6, N_("whether the name tells of tensor cores") },
	[K_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("kernels of this name") },
	[K_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations") },
	[K_MIN] = { "min_ns", N_("Min"), UNIT_NS, 0, 4, N_("shortest") },
	[K_MAX] = { "max_ns", N_("Max"), UNIT_NS, 0, 4, N_("longest") },
	PHASE_COLS,
	[K_AVG] = { "avg_ns", N_("Average"), UNIT_NS, 0, 3, N_("mean duration") },
	[K_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, N_("share of all kernel time") },
	[K_MEDIAN] = { "median_ns", N_("Median"), UNIT_NS, 0, 5, N_("median (mean of the two middle ones)") },
	[K_STDDEV] = { "stddev_ns", N_("StdDev"), UNIT_NS, 0, 7, N_("standard deviation of the sample (n - 1)") },
	[K_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { O_OP, O_KERNEL, O_COUNT, O_TOTAL, O_AVG, O_SHARE, O_CLASS, O_BY };

static const struct column_def op_cols[] = {
	[O_OP] = { "op", N_("Operator"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("innermost op that launched the kernel") },
	[O_KERNEL] = { "kernel", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the kernel, whole") },
	[O_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("kernels of this name that the op launched") },
	[O_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations") },
	[O_AVG] = { "avg_ns", N_("Average"), UNIT_NS, 0, 3, N_("mean duration") },
	[O_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, N_("share of all kernel time") },
	[O_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 2, N_("class of the kernel") },
	[O_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { KERNELS, OPS };

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct kernel_sums *s = view;
	bool with_ops = s->y.how->n_names > OPS;
	ev_id call = k->p->link[e];
	uint32_t op = with_ops && call != ID_NONE ? facts_op_of_call(k->f, call) : ID_NONE;
	uint32_t op_name = op == ID_NONE ? ID_NONE : names_id(&s->y.names[OPS], k->f->ops.name[op]);

	kernel_sums_add(s, k, tr, e, names_id(&s->y.names[KERNELS], k->p->name[e]), op_name);
}

static void put_kernel(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct kernel_sum *r = acc;
	const struct selection *k = tally_source(y, &r->row);
	const struct kernel_class *kc = facts_kclass(k->f, r->example);

	names_put(t, row, K_NAME, &y->names[KERNELS], r->a);
	table_cstr(t, row, K_CLASS, kclass_name(kc->class));
	if (*kc->subclass)
		table_cstr(t, row, K_SUBCLASS, kc->subclass);
	table_cstr(t, row, K_LAYOUT, kc->layout);
	table_cstr(t, row, K_DTYPE, kc->dtype);
	if (kc->tensor_core >= 0)
		table_bool(t, row, K_TENSOR, kc->tensor_core);
	table_i64(t, row, K_COUNT, (int64_t)r->row.n);
	table_i64(t, row, K_TOTAL, r->total);
	table_i64(t, row, K_MIN, r->min);
	table_i64(t, row, K_MAX, r->max);
	kernel_sum_put_phases(t, row, K_PHASES, r);
	table_f64(t, row, K_AVG, (double)r->total / (double)r->row.n);
	table_f64(t, row, K_SHARE, r->share);
	table_f64(t, row, K_MEDIAN, stats_median(&r->row.durs));
	table_f64(t, row, K_STDDEV, stats_stddev(&r->row.durs));
	an_ref(t, row, REF_KERNEL, k->f->source, 0, 0, K_NAME);
}

static void put_op(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct kernel_sum *r = acc;
	const struct selection *k = tally_source(y, &r->row);

	names_put(t, row, O_OP, &y->names[OPS], r->b);
	names_put(t, row, O_KERNEL, &y->names[KERNELS], r->a);
	table_i64(t, row, O_COUNT, (int64_t)r->row.n);
	table_i64(t, row, O_TOTAL, r->total);
	table_f64(t, row, O_AVG, (double)r->total / (double)r->row.n);
	table_f64(t, row, O_SHARE, r->share);
	table_cstr(t, row, O_CLASS, kclass_name(facts_kclass(k->f, r->example)->class));
	an_ref(t, row, r->b == ID_NONE ? REF_KERNEL : REF_OP, k->f->source, 0, 0, r->b == ID_NONE ? O_KERNEL : O_OP);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct tally *y = view;

	(void)t;
	y->names[OPS].cut = k->f->ops.from_nvtx ? rules_op_base : NULL;	/* torch's own op names are whole */
	return selections_gpu(k, LAYER_KERNEL, add, y, e);
}

/* Ops come from the source that has them, if it has the GPU work too (torch beside nsys); else kernels stand without an op. */
static enum source_need kind_with_ops(const struct an_ctx *cx, const struct scope *sc)
{
	uint32_t n, *src = view_sources(cx, sc, NEED_OPS, &n, NULL);
	bool gpu = false;

	for (uint32_t i = 0; i < n; i++)
		gpu |= cx->facts[src[i]]->n_devices > 0;
	free(src);
	return gpu ? NEED_OPS : NEED_GPU;
}

static bool run_kernels(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	static const struct tally_view how = {
		.kind = NEED_GPU, .none = NO_GPU_WORK, .layers = 1U << LAYER_KERNEL, .add = add, .n_names = 1,
		.row_size = sizeof(struct kernel_sum), .cmp = ksum_cmp, .put = put_kernel,
	};
	struct kernel_sums s = { .y.how = &how, .with_durs = true };

	return ksums_run(&s, cx, sc, t, e);
}

static bool run_ops(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct tally_view how = {
		.kind = kind_with_ops(cx, sc), .none = NO_GPU_WORK, .source = add_source, .n_names = 2,
		.row_size = sizeof(struct kernel_sum), .cmp = ksum_cmp, .put = put_op,
	};
	struct kernel_sums s = { .y.how = &how };

	return ksums_run(&s, cx, sc, t, e);
}

const struct analysis an_kernels = {
	.id = "kernels", .title = N_("Kernels"), .doc = N_("kernels by name, with what their names tell"),
	.cols = kernel_cols, .n_cols = N_COLS(kernel_cols), .run = run_kernels,
};

const struct analysis an_opkernels = {
	.id = "opkernels", .title = N_("Ops and kernels"), .doc = N_("which operator launched which kernels"),
	.cols = op_cols, .n_cols = N_COLS(op_cols), .run = run_ops,
};
