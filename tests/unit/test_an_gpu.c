/* test_an_gpu.c - the GPU views on two hand-made sources; every figure is worked out in a comment */
#include <string.h>

#include "measure/idle_cause.h"
#include "scope/selections.h"
#include "tests/lib/an_bench.h"

/* ---- making sources ---- */

static uint32_t grid(struct builder *b, int32_t blocks)
{
	return builder_kernel_detail(b, &(struct kernel_detail){ .grid = { blocks, 1, 1 }, .block = { 128, 1, 1 }, .registers = 32 });
}

#define LAUNCH "cudaLaunchKernel_v7000"

/*
 * Device 0, several streams at once, window of its work [1000, 5400):
 *
 *	gemm  s7   1000-2000      gemm s8  1500-2500      nccl s9 2200-3200 (no launch)     relu s7 3000-3100
 *	HtoD  s10  3050-3600      DtoH s11 3400-3900      DtoD s10 3800-4000                memset s7 3950-4200
 *	gemm  s7   5000-5400, launched 4900-4950 after a cudaStreamSynchronize 4000-4800
 *
 * Device 1: work launched ahead (gap 1200-1300), and by a call that is running when the gap 1400-1500 begins.
 */
static void streams_device0(struct builder *b)
{
	track_id s7 = builder_gpu_track(b, LAYER_KERNEL, 100, 0, 1, 7, 100), s8 = builder_gpu_track(b, LAYER_KERNEL, 100, 0, 1, 8, 100);
	track_id s9 = builder_gpu_track(b, LAYER_KERNEL, 100, 0, 1, 9, 100), c10 = builder_gpu_track(b, LAYER_MEMCPY, 100, 0, 1, 10, 100);
	track_id c11 = builder_gpu_track(b, LAYER_MEMCPY, 100, 0, 1, 11, 100), m7 = builder_gpu_track(b, LAYER_MEMSET, 100, 0, 1, 7, 100);
	track_id sync = builder_gpu_track(b, LAYER_SYNC, 100, 0, 1, 7, 100);

	put(b, s7, "ampere_sgemm_128x64_tn", 1000, 2000, 1, grid(b, 50));
	put(b, s8, "ampere_sgemm_128x64_tn", 1500, 2500, 2, grid(b, 200));
	put(b, s9, "ncclDevKernel_AllReduce_Sum_f32", 2200, 3200, CORR_NONE, grid(b, 10));
	put(b, s7, "relu_kernel", 3000, 3100, 3, ID_NONE);
	put(b, s7, "ampere_sgemm_128x64_tn", 5000, 5400, 6, grid(b, 100));
	put(b, c10, "Memcpy HtoD", 3050, 3600, 4, copy(b, COPY_HTOD, MEM_PAGEABLE, MEM_DEVICE, 1100));
	put(b, c11, "Memcpy DtoH", 3400, 3900, 5, copy(b, COPY_DTOH, MEM_DEVICE, MEM_PINNED, 600));
	put(b, c10, "Memcpy DtoD", 3800, 4000, CORR_NONE, copy(b, COPY_DTOD, MEM_DEVICE, MEM_DEVICE, 800));
	put(b, m7, "Memset", 3950, 4200, CORR_NONE, copy(b, COPY_UNKNOWN, MEM_UNKNOWN, MEM_DEVICE, 64));
	put(b, sync, "sync", 4010, 4790, 7, SYNC_EVENT);	/* the code of the file lies: the call decides */
	put(b, sync, "sync", 4810, 4820, CORR_NONE, SYNC_STREAM);
}

static struct profile *make_streams(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 100, 100), other = builder_thread(b, 100, 101);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 100);
	track_id calls2 = builder_host_track(b, LAYER_RUNTIME, other, ID_NONE, 100);
	track_id d1 = builder_gpu_track(b, LAYER_KERNEL, 100, 1, 1, 7, 100);
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_SYNC);
	builder_device(b, 0, "Test GPU", 100, 0);
	streams_device0(b);
	put(b, calls, LAUNCH, 100, 150, 1, 0);
	put(b, calls, LAUNCH, 200, 250, 2, 0);
	put(b, calls, LAUNCH, 300, 350, 3, 0);
	put(b, calls, "cudaMemcpyAsync_v3020", 400, 450, 4, 0);
	put(b, calls, "cudaMemcpyAsync_v3020", 500, 550, 5, 0);
	put(b, calls, "cudaStreamSynchronize_v3020", 4000, 4800, 7, 0);
	put(b, calls, LAUNCH, 4900, 4950, 6, 0);
	put(b, d1, "relu_kernel", 1000, 1200, 8, ID_NONE);
	put(b, d1, "relu_kernel", 1300, 1400, 9, ID_NONE);
	put(b, d1, "relu_kernel", 1500, 1600, 10, ID_NONE);
	put(b, calls2, LAUNCH, 600, 610, 8, 0);
	put(b, calls2, LAUNCH, 620, 630, 9, 0);
	put(b, calls2, LAUNCH, 1390, 1460, 10, 0);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/*
 * Four steps of 1000 ns. In each, from its start: HtoD of 1000 bytes launched at 20, on the device 30-70; aten::mm 90-130 launches
 * a gemm at 100, on the device 150-350; Optimizer.step 600-900 launches at 700, on the device 950-1050: in the NEXT step.
 * In step 1 also a kernel without launch, 1500-1510, and a cudaDeviceSynchronize 1400-1600.
 */
static void one_step(struct builder *b, int i, const track_id t[6])
{
	ns_t s = 1000 * i;
	uint64_t corr = 10 * (uint64_t)i;
	char step[32];

	snprintf(step, sizeof(step), "ProfilerStep#%d", i);
	put(b, t[0], step, s, s + 1000, CORR_NONE, ID_NONE);
	put(b, t[0], "Optimizer.step#SGD.step", s + 600, s + 900, CORR_NONE, ID_NONE);
	put(b, t[1], "aten::mm", s + 90, s + 130, CORR_NONE, ID_NONE);
	put(b, t[2], "cudaMemcpyAsync", s + 20, s + 25, corr + 1, 0);
	put(b, t[2], "cudaLaunchKernel", s + 100, s + 110, corr + 2, 0);
	put(b, t[2], "cudaLaunchKernel", s + 700, s + 720, corr + 3, 0);
	put(b, t[3], "ampere_sgemm_128x64_tn", s + 150, s + 350, corr + 2, ID_NONE);
	put(b, t[3], "multi_tensor_apply_kernel", s + 950, s + 1050, corr + 3, ID_NONE);
	put(b, t[4], "Memcpy HtoD (Pinned -> Device)", s + 30, s + 70, corr + 1, copy(b, COPY_HTOD, MEM_PINNED, MEM_DEVICE, 1000));
}

static struct profile *make_steps(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1);
	track_id t[6] = {
		builder_host_track(b, LAYER_ANNOT, main, ID_NONE, 0), builder_host_track(b, LAYER_OP, main, ID_NONE, 0),
		builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0), builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0),
		builder_gpu_track(b, LAYER_MEMCPY, -1, 0, -1, 7, 0), 0,
	};
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_set_rank(b, 3, 8);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	for (int i = 0; i < 4; i++)
		one_step(b, i, t);
	put(b, t[2], "cudaDeviceSynchronize", 1400, 1600, CORR_NONE, 0);
	put(b, t[3], "orphan_kernel", 1500, 1510, CORR_NONE, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* ---- streams ---- */

/*
 * compute: [1000,2500) [3000,3100) [5000,5400) = 2000; communication outside it: [2500,3000) [3100,3200) = 600
 * copies outside both, [3200,4200) = 1000: HtoD only [3200,3400) 200, both [3400,3600) 200, DtoH only [3600,3900) 300,
 * DtoD [3900,4000) 100, memset [4000,4200) 200; idle [4200,5000) = 800; together 4400
 * kernels: 1000 + 1000 + 1000 + 100 + 400 = 3500; union [1000,3200) [5000,5400) = 2600
 */
static void test_partition(const struct bench *be)
{
	struct table *t = view(be, &an_gpu, "all", "none");

	is_uint(t->n_rows, 2, "one row per device");
	ROW_IS(t, 0, "device 0", { "device", 0 }, { "window_ns", 4400 }, { "kernels", 5 }, { "kernel_sum_ns", 3500 },
		{ "kernel_busy_ns", 2600 }, { "compute_ns", 2000 }, { "exposed_comm_ns", 600 }, { "exposed_memcpy_ns", 1000 },
		{ "idle_ns", 800 }, { "exposed_htod_ns", 200 }, { "exposed_both_ns", 200 }, { "exposed_dtoh_ns", 300 },
		{ "exposed_dtod_ns", 100 }, { "exposed_ptop_ns", 0 }, { "exposed_memset_ns", 200 }, { "exposed_rest_ns", 0 },
		{ "comm_sum_ns", 1000 }, { "unattributed", 1 }, { "process", 100 });
	/* 50/100 of 1000, all of 1000, 10/100 of 1000, all of 400: 2000 of 3400; the relu's grid is unknown */
	is_near(real(t, 0, "sm_use"), 2000.0 / 3400, 1e-12, "use of the multiprocessors");
	is_near(real(t, 0, "compute_share"), 2000.0 / 4400, 1e-12, "compute by window");
	is_near(real(t, 0, "utilization"), 2600.0 / 4400, 1e-12, "kernel busy by window");
	is_str(text(t, 0, "name"), "Test GPU", "name of the device");
	is_str(text(t, 0, "source"), "a.sqlite", "source");
	ok(cell(t, 0, "by")->type == CELL_MISSING && cell(t, 0, "rank")->type == CELL_MISSING, "no split, no rank");
	/* device 1: [1000,1600), three kernels of 200, 100, 100 */
	ROW_IS(t, 1, "device 1", { "device", 1 }, { "window_ns", 600 }, { "compute_ns", 400 }, { "idle_ns", 200 });
	ok(cell(t, 1, "sm_use")->type == CELL_MISSING, "unknown multiprocessors are not 0");
	table_free(t);
	/*
	 * Session time = source time - 100 (the first call). On the wall clock source [1400,2400) is all compute, with nccl from 2200
	 * hidden behind it; but no launch lies in it, only the nccl kernel, which has none, starts there: it counts, whole.
	 */
	t = view(be, &an_gpu, "time:1300..2300", "none");
	ROW_IS(t, 0, "cut", { "window_ns", 1000 }, { "kernels", 1 }, { "kernel_sum_ns", 1000 }, { "kernel_busy_ns", 1000 },
		{ "compute_ns", 1000 }, { "exposed_comm_ns", 0 }, { "idle_ns", 0 }, { "comm_sum_ns", 1000 });
	table_free(t);
}

static void test_copies(const struct bench *be)
{
	struct table *t = view(be, &an_memcpy, "all", "none");
	uint32_t h = find(t, "kind", "HtoD"), d = find(t, "kind", "DtoH");

	is_uint(t->n_rows, 3, "only the kinds that occur");
	ROW_IS(t, h, "HtoD", { "count", 1 }, { "bytes", 1100 }, { "time_ns", 550 }, { "busy_ns", 550 },
		{ "exposed_ns", 400 }, { "hidden_compute_ns", 50 },	/* without relu [3050,3100) and nccl up to 3200 */
		{ "unsized", 0 });
	is_str(text(t, h, "src"), "pageable", "source of HtoD");
	is_str(text(t, h, "dst"), "device", "destination of HtoD");
	is_near(real(t, h, "gbps"), 2.0, 1e-12, "1100 bytes in 550 ns");
	is_near(real(t, h, "overlap"), 150.0 / 550, 1e-12, "all that is not exposed");
	ok(cell(t, h, "bytes_per_step")->type == CELL_MISSING, "no steps: unknown");
	ROW_IS(t, d, "DtoH", { "bytes", 600 }, { "busy_ns", 500 }, { "exposed_ns", 500 });
	is_str(text(t, d, "dst"), "pinned", "destination of DtoH");
	table_free(t);
	t = view(be, &an_memset, "all", "none");
	ROW_IS(t, 0, "memset", { "device", 0 }, { "count", 1 }, { "bytes", 64 }, { "time_ns", 250 }, { "exposed_ns", 250 });
	table_free(t);
}

/* Waits: [4010,4790) = 780, typed by cudaStreamSynchronize; the device works until 4200: 190. The other record has no call. */
static void test_sync(const struct bench *be)
{
	struct table *t = view(be, &an_sync, "all", "none");

	is_uint(t->n_rows, 2, "two types");
	ROW_IS(t, find(t, "type", "stream"), "stream", { "count", 1 }, { "time_ns", 780 }, { "busy_ns", 190 }, { "lost_ns", 590 });
	ROW_IS(t, find(t, "type", "unknown"), "no call", { "count", 1 }, { "time_ns", 10 }, { "busy_ns", 0 }, { "lost_ns", 10 });
	is_str(text(t, find(t, "type", "stream"), "call"), "cudaStreamSynchronize_v3020", "name of the call, verbatim");
	table_free(t);
}

static void test_gaps(const struct bench *be)
{
	struct table *t = view(be, &an_gaps, "all", "none");

	is_uint(t->n_rows, 3, "three gaps");
	/* 4200-5000: cudaStreamSynchronize until 4800 (600), a launch call of 50, nothing for 150 */
	ROW_IS(t, 0, "gap of device 0", { "device", 0 }, { "start_ns", 4100 }, { "dur_ns", 800 }, { "thread", 100 });
	is_str(text(t, 0, "cause"), "sync", "what held longest");
	is_str(text(t, 0, "evidence"), "cudaStreamSynchronize_v3020 75 %, cudaLaunchKernel_v7000 6 %", "with shares");
	is_str(text(t, 0, "ended_by"), "ampere_sgemm_128x64_tn", "what ended it");
	ROW_IS(t, 1, "launched ahead", { "device", 1 }, { "start_ns", 1100 }, { "dur_ns", 100 });
	is_str(text(t, 1, "cause"), "dependency", "the call returned at 630, the gap began at 1200");
	is_str(text(t, 1, "evidence"), "launched 570 ns before the gap began", "by how much");
	is_str(text(t, 2, "cause"), "launch", "the call was running when the gap began");
	is_str(text(t, 2, "evidence"), "cudaLaunchKernel_v7000 60 %", "until 1460 of 1400-1500");
	is_int(num(t, 2, "thread"), 101, "the thread that launched");
	table_free(t);
}

static void test_compute_gaps(const struct bench *be)
{
	struct scope sc;
	struct err e = ERR_INIT;
	struct table *t;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.device = 0;
	memcpy(sc.partition, "compute", sizeof("compute"));
	t = analysis_table(&an_gaps, be->cx, &sc, &e);
	/* holes of compute: [2500,3000) ended by relu, launched at 350; [3100,5000) ended by the last gemm */
	is_uint(t->n_rows, 2, "two gaps against compute alone");
	ROW_IS(t, 0, "first", { "start_ns", 2400 }, { "dur_ns", 500 });
	is_str(text(t, 0, "cause"), "dependency", "relu was launched long before");
	/* [3100,5000): 800 of 1900 in the call; nothing for 1050: untraced */
	ROW_IS(t, 1, "second", { "start_ns", 3000 }, { "dur_ns", 1900 });
	is_str(text(t, 1, "cause"), "untraced", "no event for most of it");
	table_free(t);
}

static void test_kernel_tables(const struct bench *be)
{
	struct table *t = view(be, &an_kernels, "all", "none");
	uint32_t g = find(t, "name", "ampere_sgemm_128x64_tn"), n;

	is_uint(t->n_rows, 3, "three names");
	is_uint(g, 0, "the longest first");
	ROW_IS(t, g, "gemm", { "count", 3 }, { "total_ns", 2400 }, { "min_ns", 400 }, { "max_ns", 1000 }, { "other_ns", 2400 },
		{ "unattributed_ns", 0 }, { "process", 100 });
	is_str(text(t, g, "class"), "GEMM", "class");
	is_str(text(t, g, "layout"), "TN", "layout");
	n = find(t, "name", "ncclDevKernel_AllReduce_Sum_f32");
	ROW_IS(t, n, "nccl", { "total_ns", 1000 }, { "unattributed_ns", 1000 }, { "other_ns", 0 });
	/* 2400 + 1000 + 100 + 400 on device 1 = 3900 */
	is_near(real(t, g, "share"), 2400.0 / 3900, 1e-12, "share");
	table_free(t);
	t = view(be, &an_classes, "all", "device");
	/* device 0: GEMM, Communication, relu; device 1: relu */
	is_uint(t->n_rows, 4, "classes by device");
	ROW_IS(t, 0, "GEMM of device 0", { "by", 0 }, { "total_ns", 2400 });
	is_near(real(t, 0, "share"), 2400.0 / 3500, 1e-12, "share of its device");
	ROW_IS(t, 3, "device 1", { "by", 1 }, { "count", 3 }, { "total_ns", 400 });
	table_free(t);
}

/* ---- steps ---- */

/*
 * Step 1 is [1000,2000). By launch: gemm 1150-1350, optimizer 1950-2050 (whole, 100), orphan by its start. On the wall clock:
 * the optimizer of step 0 until 1050 (50), gemm 200, orphan 10, its own optimizer from 1950 (50) = 310; HtoD 1030-1070: hidden until
 * 1050, exposed 20; idle 1000 - 310 - 20 = 670.
 */
static void test_step_window(const struct bench *be)
{
	struct table *t = view(be, &an_kernels, "step:1", "none");

	is_uint(t->n_rows, 3, "by launch");
	ROW_IS(t, find(t, "name", "ampere_sgemm_128x64_tn"), "gemm", { "count", 1 }, { "total_ns", 200 }, { "other_ns", 200 },
		{ "rank", 3 }, { "process", 1 });
	ROW_IS(t, find(t, "name", "multi_tensor_apply_kernel"), "optimizer", { "count", 1 }, { "total_ns", 100 },
		{ "optimizer_ns", 100 }, { "other_ns", 0 });
	ROW_IS(t, find(t, "name", "orphan_kernel"), "orphan", { "total_ns", 10 }, { "unattributed_ns", 10 });
	is_str(t->window_kind, "step:1", "window of the table");
	is_int(t->wall_ns, 1000, "its wall");
	table_free(t);
	t = view(be, &an_gpu, "step:1", "none");
	ROW_IS(t, 0, "wall of step 1", { "window_ns", 1000 }, { "kernels", 3 }, { "kernel_sum_ns", 310 }, { "kernel_busy_ns", 310 },
		{ "compute_ns", 310 }, { "exposed_memcpy_ns", 20 }, { "exposed_htod_ns", 20 }, { "idle_ns", 670 }, { "unattributed", 1 });
	table_free(t);
}

static void test_step_split(const struct bench *be)
{
	struct table *t = view(be, &an_gpu, "all", "step");

	/* the device works from 30 to 4050: step 0 has 970 of it, what lies after the last step is in a row without one */
	is_uint(t->n_rows, 5, "four steps and the rest");
	ROW_IS(t, 4, "the rest: the end, and the kernel without a launch", { "window_ns", 50 }, { "kernels", 1 }, { "kernel_sum_ns", 10 });
	ok(table_cell(t, 4, (uint32_t)table_col(t, "by"))->type == CELL_MISSING, "it has no step");
	ROW_IS(t, 0, "step 0", { "by", 0 }, { "window_ns", 970 }, { "compute_ns", 250 });
	/* by launch gemm 200 and optimizer 100; the orphan has no launch, so no step */
	ROW_IS(t, 1, "step 1", { "by", 1 }, { "window_ns", 1000 }, { "compute_ns", 310 }, { "idle_ns", 670 }, { "kernels", 2 },
		{ "kernel_sum_ns", 300 });
	table_free(t);
	t = view(be, &an_memcpy, "steps:1-2", "none");
	ROW_IS(t, 0, "copies", { "count", 2 }, { "bytes", 2000 }, { "bytes_per_step", 1000 }, { "time_ns", 80 });
	/* each copy lies in 1030-1070, the optimizer before it until 1050 */
	is_near(real(t, 0, "overlap"), 0.5, 1e-12, "half hidden");
	table_free(t);
	t = view(be, &an_memcpy, "all", "step");
	is_uint(t->n_rows, 4, "one row per step");
	ROW_IS(t, 2, "step 2", { "by", 2 }, { "bytes", 1000 }, { "bytes_per_step", 1000 });
	table_free(t);
	t = view(be, &an_gpu, "step:9", "none");
	ok(!t, "no such step");
}

/* Phases cut the wall clock: Optimizer.step is [1600,1900) of step 1, the rest is other; nothing runs in the optimizer. */
static void test_phase_split(const struct bench *be)
{
	struct table *t = view(be, &an_gpu, "step:1", "phase");

	is_uint(t->n_rows, 3, "two phases and the rest");
	ROW_IS(t, 2, "the kernel without a launch", { "window_ns", 0 }, { "kernels", 1 }, { "kernel_sum_ns", 10 }, { "unattributed", 1 });
	is_str(text(t, 0, "by"), "optimizer", "first");
	ROW_IS(t, 0, "optimizer", { "window_ns", 300 }, { "compute_ns", 0 }, { "idle_ns", 300 });
	is_str(text(t, 1, "by"), "other", "second");
	ROW_IS(t, 1, "other", { "window_ns", 700 }, { "compute_ns", 310 }, { "idle_ns", 370 });
	table_free(t);
	/* by launch the kernels of the optimizer are in it */
	t = view(be, &an_classes, "step:1", "phase");
	ok(find(t, "by", "optimizer") < t->n_rows, "kernels launched in the optimizer");
	is_int(num(t, find(t, "by", "optimizer"), "total_ns"), 100, "their time");
	table_free(t);
}

static void test_step_gaps(const struct bench *be)
{
	struct table *t = view(be, &an_gaps, "step:1", "none");
	int64_t sum = 0;
	uint32_t i;

	for (i = 0; i < t->n_rows; i++)
		sum += num(t, i, "dur_ns");
	is_int(sum, 670, "the gaps sum to the idle time");
	/* [1350,1500): cudaDeviceSynchronize from 1400. Ended by the orphan: nobody knows when that was launched */
	for (i = 0; i < t->n_rows && num(t, i, "start_ns") != 1350; i++)
		;
	is_int(num(t, i, "dur_ns"), 150, "gap before the orphan");
	is_str(text(t, i, "cause"), "sync", "the wait");
	is_int(num(t, i, "step"), 1, "its step");
	/* [1510,1950): wait until 1600 (90), Optimizer.step until 1900 (280 without the launch call of 20), ProfilerStep (50) */
	is_int(num(t, i + 1, "start_ns"), 1510, "gap after it");
	is_str(text(t, i + 1, "cause"), "optimizer", "in the optimizer between its ops");
	is_str(text(t, i + 1, "evidence"), "Optimizer.step#SGD.step 64 %, cudaDeviceSynchronize 20 %, ProfilerStep#1 11 %", "shares");
	table_free(t);
}

/* No synchronisation records: the calls. [1400,1600), the orphan runs for 10 of it. */
static void test_sync_calls(const struct bench *be)
{
	struct table *t = view(be, &an_sync, "all", "none");

	is_uint(t->n_rows, 1, "one type");
	is_str(text(t, 0, "type"), "context", "cudaDeviceSynchronize");
	ROW_IS(t, 0, "whole", { "count", 1 }, { "time_ns", 200 }, { "busy_ns", 10 }, { "lost_ns", 190 });
	ok(has_note(t, "no synchronisation records"), "and says so");
	table_free(t);
	t = view(be, &an_sync, "time:1450..1550", "none");
	ROW_IS(t, 0, "cut", { "count", 0 }, { "time_ns", 100 }, { "busy_ns", 10 }, { "lost_ns", 90 });
	table_free(t);
}

static void test_instances(const struct bench *be)
{
	struct table *t = view(be, &an_instances, "all", "none");

	is_uint(t->n_rows, 13, "all GPU work");
	ROW_IS(t, 0, "first copy", { "start_ns", 30 }, { "dur_ns", 40 }, { "delay_ns", 10 }, { "launch_ns", 5 }, { "step", 0 },
		{ "bytes", 1000 }, { "stream", 7 });
	is_str(text(t, 0, "layer"), "memcpy", "what it is");
	is_str(text(t, 0, "class"), "HtoD", "direction");
	ROW_IS(t, 1, "first kernel", { "start_ns", 150 }, { "delay_ns", 50 });
	is_str(text(t, 1, "op"), "aten::mm", "op around the launch");
	is_str(text(t, 1, "launch"), "cudaLaunchKernel", "the call");
	table_free(t);
	t = view(be, &an_opkernels, "all", "none");
	ROW_IS(t, find(t, "op", "aten::mm"), "op and kernel", { "count", 4 }, { "total_ns", 800 });
	is_str(text(t, find(t, "kernel", "multi_tensor_apply_kernel"), "op"), NULL, "no op around the launch");
	table_free(t);
}

/* Both sources, merged over ranks: the gemm of 2400 and of 800. */
static void test_merged(void)
{
	struct profile *(*make[])(void) = { make_streams, make_steps };
	struct bench be = bench_new(make, 2);
	struct table *t = view(&be, &an_kernels, "all", "none");

	is_uint(t->n_rows, 6, "rows of their own per source");
	table_free(t);
	t = view(&be, &an_kernels, "all", "all");
	is_uint(t->n_rows, 5, "one row per name");
	ROW_IS(t, 0, "gemm", { "count", 7 }, { "total_ns", 3200 });
	ok(cell(t, 0, "source")->type == CELL_MISSING, "of no single source");
	table_free(t);
	bench_end(&be);
}

/* Instants of step 1 on the main thread, and an interval whose causes sum to it: [1390,1650). */
static void test_idle(const struct bench *be)
{
	struct host_causes *d = host_causes_new(be->cx->facts[0], be->cx->rules);
	ns_t ns[CAUSE_N] = { 0 };

	is_str(idle_cause_name(host_cause_at(d, 0, 1500)), "sync", "in the wait");
	is_str(idle_cause_name(host_cause_at(d, 0, 1705)), "launch", "in a launch call, in the optimizer");
	is_str(idle_cause_name(host_cause_at(d, 0, 1650)), "optimizer", "in the optimizer");
	is_str(idle_cause_name(host_cause_at(d, 0, 1950)), "python", "in the step only");
	is_str(idle_cause_name(host_cause_at(d, 0, 4500)), "untraced", "after the last step");
	is_str(idle_cause_name(host_cause_at(d, ID_NONE, 1500)), "untraced", "on no thread");
	host_causes_add(d, 0, 1390, 1650, ns);
	is_int(ns[CAUSE_PYTHON], 10, "python");
	is_int(ns[CAUSE_SYNC], 200, "sync");
	is_int(ns[CAUSE_OPTIMIZER], 50, "optimizer");
	host_causes_free(d);
}

int main(void)
{
	struct profile *(*streams[])(void) = { make_streams };
	struct profile *(*steps[])(void) = { make_steps };
	struct bench be = bench_new(streams, 1);

	test_partition(&be);
	test_copies(&be);
	test_sync(&be);
	test_gaps(&be);
	test_compute_gaps(&be);
	test_kernel_tables(&be);
	bench_end(&be);
	be = bench_new(steps, 1);
	test_step_window(&be);
	test_step_split(&be);
	test_phase_split(&be);
	test_step_gaps(&be);
	test_sync_calls(&be);
	test_instances(&be);
	test_idle(&be);
	bench_end(&be);
	test_merged();
	return done_testing();
}
