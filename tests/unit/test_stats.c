/* test_stats.c - statistics against sorting and long division; launches, ranges and gaps of a hand-made run, figures in comments */
#include "calc/stats.h"

#include <string.h>

#include "base/err.h"
#include "catalog/views.h"
#include "model/builder.h"
#include "rules/rules.h"
#include "tests/lib/tap.h"

/* ---- samples ---- */

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

static int cmp(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

static struct stats sample(const int64_t *v, size_t n)
{
	struct stats s = { 0 };

	for (size_t i = 0; i < n; i++)
		stats_add(&s, v[i]);
	return s;
}

static void test_by_hand(void)
{
	/* 2 4 4 4 5 5 7 9: mean 5, squares of the differences 9 1 1 1 0 0 4 16 = 32, by 7; middle two 4 and 5 */
	struct stats s = sample((int64_t[]){ 9, 4, 5, 2, 7, 4, 5, 4 }, 8);

	is_int(s.total, 40, "total");
	is_int(s.min, 2, "min");
	is_int(s.max, 9, "max");
	is_near(stats_mean(&s), 5, 0, "mean");
	is_near(stats_median(&s), 4.5, 0, "median of an even number");
	is_int(stats_lower_median(&s), 4, "the lower of the middle two");
	is_near(stats_stddev(&s), 2.13808993529939517, 1e-15, "deviation with n - 1");
	is_int(stats_percentile(&s, 90), 9, "p90: rank 7.2, so the 8th");
	is_int(stats_percentile(&s, 50), 4, "p50: rank 4");
	is_int(stats_percentile(&s, 100), 9, "p100");
	stats_fini(&s);
	s = sample((int64_t[]){ 7 }, 1);
	is_near(stats_median(&s), 7, 0, "one value: median");
	is_near(stats_stddev(&s), 0, 0, "one value: deviation");
	stats_fini(&s);
	s = sample(NULL, 0);
	ok(isnan(stats_mean(&s)) && isnan(stats_median(&s)) && isnan(stats_stddev(&s)), "no value: unknown, not 0");
	/* doubles are 256 apart at 1.2e18: the middle of two large neighbours must not overflow on the way */
	s = sample((int64_t[]){ INT64_C(1200000000000000000), INT64_C(1200000000000001024) }, 2);
	is_near(stats_median(&s), 1200000000000000512.0, 0, "large values");
	is_near(stats_stddev(&s), 724.0773439350246, 1e-9, "their deviation: 1024 by the root of 2");
	stats_fini(&s);
}

/* Every rank of samples with many and with few equal values, ordered and not. */
static void test_ranks(void)
{
	enum { N = 200 };
	static const uint32_t ranges[] = { 1, 2, 5, 1000 };
	size_t bad = 0, checks = 0;

	for (size_t round = 0; round < 400; round++) {
		int64_t v[N], sorted[N];
		size_t n = 1 + below(N);
		struct stats s;

		for (size_t i = 0; i < n; i++)
			v[i] = round % 8 == 7 ? (int64_t)i : round % 8 == 6 ? -(int64_t)i : below(ranges[round % 4]);
		memcpy(sorted, v, n * sizeof(*v));
		qsort(sorted, n, sizeof(*v), cmp);
		s = sample(v, n);
		for (int k = 0; k < 10; k++, checks++) {
			size_t at = below((uint32_t)n);

			bad += stats_kth(&s, at) != sorted[at];
		}
		bad += s.min != sorted[0] || s.max != sorted[n - 1];
		stats_fini(&s);
	}
	is_uint(bad, 0, "%zu ranks are those of the sorted sample", checks);
}

/* ---- a run ---- */

static str_id name(struct builder *b, const char *s)
{
	return builder_intern(b, s, strlen(s));
}

static void put(struct builder *b, track_id t, const char *s, ns_t start, ns_t end, uint64_t corr, uint32_t aux)
{
	builder_add(b, t, &(struct builder_event){ start, end - start, name(b, s), corr, CORR_NONE, aux });
}

/*
 * Thread 10 (main):
 *	outer		0-1000 in domain D, payload "layer 7"
 *	aten::mm, op_id = 1	100-200		launches k1 at 110-120, on the device 150-250 (queued 30)
 *	aten::mm, op_id = 2	300-400		launches k1 at 310-330, on the device 320-360 (the call still runs: not queued)
 *						and a copy of 64 bytes at 340-350, on the device 500-600
 *			390-410 launches k4, past the end of mm: on another stream 510-520, inside the copy
 *	aten::empty, op_id = 3	600-605		launches nothing
 *	(nothing)	1100-1110 launches k2, on the device 1200-1300 (queued 90): in no range
 * Thread 11: start/end range other 400-450; no call. k3 has no launch: 700-750 on the device.
 * OS calls: poll 0-50 (main), 0-500 and 500-1500 (thread 11).
 *
 * Idle of device 0 in [150,1300): 250-320 70, 360-500 140, 600-700 100, 750-1200 450; sum 760 of 1150.
 */
static struct profile *make_run(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 10, 10), other = builder_thread(b, 10, 11);
	track_id outer = builder_host_track(b, LAYER_NVTX, main, name(b, "D"), 10);
	track_id ops = builder_host_track(b, LAYER_NVTX, main, ID_NONE, 10), se = builder_host_track(b, LAYER_NVTX_SE, other, ID_NONE, 10);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 10), os = builder_host_track(b, LAYER_OSRT, main, ID_NONE, 10);
	track_id os2 = builder_host_track(b, LAYER_OSRT, other, ID_NONE, 10), kernels = builder_gpu_track(b, LAYER_KERNEL, 10, 0, 1, 7, 10);
	track_id kernels8 = builder_gpu_track(b, LAYER_KERNEL, 10, 0, 1, 8, 10);
	track_id copies = builder_gpu_track(b, LAYER_MEMCPY, 10, 0, 1, 7, 10);
	uint32_t wide = builder_kernel_detail(b, &(struct kernel_detail){ .grid = { 8, 2, 1 }, .block = { 128, 1, 1 }, .registers = 32 });
	uint32_t small = builder_kernel_detail(b, &(struct kernel_detail){ .grid = { 8, 1, 1 }, .block = { 128, 1, 1 }, .registers = 32 });
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_NVTX);
	put(b, outer, "outer", 0, 1000, CORR_NONE, name(b, "layer 7"));
	put(b, ops, "aten::mm, op_id = 1", 100, 200, CORR_NONE, ID_NONE);
	put(b, ops, "aten::mm, op_id = 2", 300, 400, CORR_NONE, ID_NONE);
	put(b, ops, "aten::empty, op_id = 3", 600, 605, CORR_NONE, ID_NONE);
	put(b, se, "other", 400, 450, CORR_NONE, ID_NONE);
	put(b, calls, "cudaLaunchKernel", 110, 120, 1, 0);
	put(b, calls, "cudaLaunchKernel", 310, 330, 2, 0);
	put(b, calls, "cudaMemcpyAsync", 340, 350, 3, 0);
	put(b, calls, "cudaLaunchKernel", 390, 410, 5, 0);
	put(b, calls, "cudaLaunchKernel", 1100, 1110, 4, 0);
	put(b, kernels, "k1", 150, 250, 1, wide);
	put(b, kernels, "k1", 320, 360, 2, small);
	put(b, kernels, "k2", 1200, 1300, 4, small);
	put(b, kernels, "k3", 700, 750, CORR_NONE, small);
	put(b, kernels8, "k4", 510, 520, 5, small);
	put(b, copies, "Memcpy DtoD", 500, 600, 3,
		builder_copy_detail(b, &(struct copy_detail){ 64, COPY_DTOD, MEM_DEVICE, MEM_DEVICE, 0, 0 }));
	put(b, os, "poll", 0, 50, CORR_NONE, ID_NONE);
	put(b, os2, "poll", 0, 500, CORR_NONE, ID_NONE);
	put(b, os2, "poll", 500, 1500, CORR_NONE, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

struct bench {
	struct session *s;
	struct rulebook *r;
	struct an_ctx *cx;
};

static struct table *view(const struct bench *be, const struct analysis *a)
{
	struct err e = ERR_INIT;
	struct scope sc;
	struct table *t;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	t = analysis_table(a, be->cx, &sc, &e);
	ok(t != NULL, "%s", a->id);
	return t;
}

static const struct cell *cell(const struct table *t, uint32_t row, const char *col)
{
	static const struct cell none = { .type = CELL_MISSING };
	int c = table_col(t, col);

	if (c < 0)
		diag("no column %s", col);
	return c < 0 || row >= t->n_rows ? &none : table_cell(t, row, (uint32_t)c);
}

/* Integer or double; -1 for a missing cell. */
static double num(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = cell(t, row, col);

	return c->type == CELL_I64 ? (double)c->v.i : c->type == CELL_F64 ? c->v.f : -1;
}

static bool text_is(const struct table *t, uint32_t row, const char *col, const char *s)
{
	const struct cell *c = cell(t, row, col);

	return s ? c->type == CELL_STR && strcmp(c->v.s, s) == 0 : c->type == CELL_MISSING;
}

/* The row with these texts (NULL: missing) in two columns; n_rows if none. */
static uint32_t find(const struct table *t, const char *col, const char *s, const char *col2, const char *s2)
{
	uint32_t i = 0;

	while (i < t->n_rows && !(text_is(t, i, col, s) && (!col2 || text_is(t, i, col2, s2))))
		i++;
	return i;
}

struct want {
	const char *col;
	double v;
};
#define ROW_IS(t, row, what, ...) do {								\
	const struct want w_[] = { __VA_ARGS__ };						\
	for (size_t i_ = 0; i_ < sizeof(w_) / sizeof(*w_); i_++)				\
		is_near(num(t, row, w_[i_].col), w_[i_].v, 1e-9, "%s: %s", what, w_[i_].col);	\
} while (0)

static void test_ranges(const struct bench *be)
{
	struct table *t = view(be, &an_nvtxsum);

	is_uint(t->n_rows, 5, "texts are whole");
	/* sums 1000 + 100 + 100 + 5 + 50 = 1255, push/pop 1205 */
	ROW_IS(t, find(t, "name", "outer", "domain", "D"), "outer", { "count", 1 }, { "total_ns", 1000 }, { "share", 1000.0 / 1255 },
		{ "style_share", 1000.0 / 1205 });
	ROW_IS(t, find(t, "name", "other", "style", "StartEnd"), "other", { "total_ns", 50 }, { "style_share", 1 }, { "stddev_ns", 0 });
	table_free(t);

	t = view(be, &an_nvtxgpu);
	is_uint(t->n_rows, 2, "op names are grouped; a range without work is not listed");
	/* outer: 150 to 600; work 100 + 40 + 100 and 10 at once, which no inner range launched; aten::empty has no work */
	ROW_IS(t, find(t, "name", "outer", NULL, NULL), "outer on the GPU", { "count", 1 }, { "proj_ns", 450 }, { "busy_ns", 240 },
		{ "sum_ns", 250 }, { "self_ns", 10 }, { "calls", 4 }, { "events", 4 }, { "avg_level", 0 }, { "avg_children", 2 });
	/* 150-250 and 320-600: 100 and 280, mean 190 */
	ROW_IS(t, find(t, "name", "aten::mm", NULL, NULL), "mm on the GPU", { "count", 2 }, { "proj_ns", 380 }, { "avg_ns", 190 },
		{ "min_ns", 100 }, { "max_ns", 280 }, { "self_ns", 240 }, { "range_ns", 200 }, { "avg_level", 1 }, { "avg_calls", 1.5 });
	table_free(t);

	t = view(be, &an_nvtxproj);
	is_uint(t->n_rows, 3, "every range with work");
	is_uint(find(t, "name", "outer", "payload", "layer 7"), 0, "the payload of a range");
	is_uint(find(t, "name", "aten::mm, op_id = 2", "payload", NULL), 2, "a range without one");
	ROW_IS(t, 2, "second mm", { "start_ns", 320 }, { "proj_ns", 280 }, { "range_start_ns", 300 }, { "range_ns", 100 }, { "calls", 2 },
		{ "level", 1 }, { "children", 0 }, { "parent", 0 }, { "id", 2 }, { "tid", 10 });
	table_free(t);
}

static void test_range_kernels(const struct bench *be)
{
	struct table *t = view(be, &an_nvtxkern);

	is_uint(t->n_rows, 5, "range x kernel");
	ROW_IS(t, find(t, "name", "aten::mm", "kernel", "k1"), "mm x k1", { "ranges", 2 }, { "count", 2 }, { "total_ns", 140 },
		{ "median_ns", 70 });
	ROW_IS(t, find(t, "name", "outer", "kernel", "k1"), "outer x k1", { "ranges", 1 }, { "count", 2 });
	ROW_IS(t, find(t, "name", NULL, "kernel", "k2"), "in no range", { "ranges", 0 }, { "count", 1 }, { "tid", 10 });
	ROW_IS(t, find(t, "name", NULL, "kernel", "k3"), "without launch", { "ranges", 0 }, { "count", 1 }, { "tid", -1 });
	table_free(t);
	t = view(be, &an_nvtxkernsum);
	is_uint(t->n_rows, 6, "texts are whole");
	table_free(t);
}

static void test_kernels(const struct bench *be)
{
	struct table *t = view(be, &an_kernexec);

	is_uint(t->n_rows, 3, "kernels with a launch");
	/* whole: 110 to 250 = 140, 310 to 360 = 50; queue 30 and none */
	ROW_IS(t, find(t, "kernel", "k1", "call", "cudaLaunchKernel"), "k1", { "count", 2 }, { "queued", 1 }, { "total_avg_ns", 95 },
		{ "api_avg_ns", 15 }, { "queue_avg_ns", 30 }, { "queue_max_ns", 30 }, { "kernel_avg_ns", 70 }, { "kernel_total_ns", 140 });
	table_free(t);
	t = view(be, &an_kernelshapes);
	is_uint(t->n_rows, 5, "k1 by grid");
	ROW_IS(t, find(t, "name", "k1", "grid", "8x2x1"), "k1 8x2", { "count", 1 }, { "total_ns", 100 }, { "share", 100.0 / 300 });
	table_free(t);
	t = view(be, &an_kernels);
	/* 100 and 40: mean 70, deviation 60 by the root of 2 */
	ROW_IS(t, find(t, "name", "k1", NULL, NULL), "k1", { "median_ns", 70 }, { "stddev_ns", 42.426406871192853 });
	table_free(t);
	t = view(be, &an_memops);
	ROW_IS(t, find(t, "operation", "DtoD", NULL, NULL), "DtoD", { "count", 1 }, { "total_ns", 100 }, { "bytes", 64 },
		{ "median_bytes", 64 }, { "share", 1 });
	table_free(t);
}

static void test_rest(const struct bench *be)
{
	struct table *t = view(be, &an_osrt), *gaps = view(be, &an_gaps);
	double idle = 0;

	/* 50, 500, 1000: mean 516.67; p90: rank 2.7, the third */
	ROW_IS(t, 0, "poll", { "count", 3 }, { "total_ns", 1550 }, { "issuing_ns", 50 }, { "median_ns", 500 }, { "p90_ns", 1000 },
		{ "threads", 2 }, { "share", 1 });
	table_free(t);
	t = view(be, &an_gapstats);
	ROW_IS(t, 0, "gaps", { "device", 0 }, { "gaps", 4 }, { "idle_ns", 760 }, { "share", 760.0 / 1150 }, { "median_ns", 120 },
		{ "p90_ns", 450 }, { "min_ns", 70 });
	for (uint32_t i = 0; i < gaps->n_rows; i++)
		idle += num(gaps, i, "dur_ns");
	is_near(idle, 760, 0, "the gaps listed are the gaps counted");
	table_free(gaps);
	table_free(t);
	t = view(be, &an_gaphist);
	is_uint(t->n_rows, 1, "all below 1 us");
	ROW_IS(t, 0, "class", { "from_ns", 0 }, { "to_ns", 1000 }, { "gaps", 4 }, { "idle_ns", 760 }, { "this_or_longer", 1 });
	table_free(t);
	t = view(be, &an_gpustats);
	is_uint(t->n_rows, 0, "no steps, no distribution");
	table_free(t);
}

/* Ranges and delays are not bounded by the durations of a file: sums beyond 64 bits are unknown, and nothing wraps around. */
static void test_beyond(void)
{
	static const int64_t v[] = { INT64_MAX - 1, 3, INT64_MAX - 5, -7 };
	struct stats s = sample(v, 4);

	ok(s.total == I64_UNKNOWN, "the total is unknown");
	ok(isnan(stats_mean(&s)), "and so is the mean");
	is_int(s.min, -7, "minimum");
	is_int(s.max, INT64_MAX - 1, "maximum");
	is_near(stats_median(&s), 4611686018427387902.5, 1024, "the median: of 3 and 2^63 - 6");
	is_near(stats_stddev(&s) / 5325116328314171700., 1, 1e-12, "the deviation: sqrt(4 / 3) of 2^62");
	stats_fini(&s);
	is_int(i64_sum(INT64_MAX, -1), INT64_MAX - 1, "a sum that fits");
	ok(i64_sum(INT64_MAX, 1) == I64_UNKNOWN && i64_sum(-INT64_MAX, -2) == I64_UNKNOWN, "sums that do not");
	ok(i64_sum(I64_UNKNOWN, 5) == I64_UNKNOWN && i64_sum(5, I64_UNKNOWN) == I64_UNKNOWN, "a sum with something unknown");
}

int main(void)
{
	test_beyond();
	struct bench be = { session_new(), NULL, NULL };
	struct err e = ERR_INIT;

	test_by_hand();
	test_ranks();
	session_put(be.s, session_add(be.s, "a.sqlite"), make_run(), SOURCE_READY);
	be.r = rulebook_new(&e);
	be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
	test_ranges(&be);
	test_range_kernels(&be);
	test_kernels(&be);
	test_rest(&be);
	an_ctx_free(be.cx);
	rulebook_free(be.r);
	session_free(be.s);
	return done_testing();
}
