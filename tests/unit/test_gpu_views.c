/* test_gpu_views.c - collectives, offload, devices and occupancy, expert rules: figures worked out in the comments */
#include <stdio.h>

#include "facts/occupancy.h"
#include "tests/lib/an_bench.h"

/* ---- collectives ---- */

/*
 * One device, compute on stream 7: 0-1000 and 3000-3500.
 *
 *	all-reduce	500-1500 and 3100-3300, 1000 floats in a group of 4; the args stand at the op that launched
 *	all-gather	2000-2400, args at the kernel; 100 to 400 BFloat16
 *	SendRecv	2500-2600, launched inside NVTX ncclAllToAll: what NCCL calls it is no more than how it runs
 *	DeepEP		2700-2800, no launch
 */
static uint32_t args(struct builder *b, const char *what, const char *dtype, int64_t in, int64_t out)
{
	return builder_collective(b, &(struct collective_detail){ .name = name(b, what), .dtype = name(b, dtype), .group = name(b, "0"),
		.ranks = name(b, "[0, 1, 2, 3]"), .in_elems = in, .out_elems = out, .group_size = 4 });
}

static struct profile *make_collectives(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1);
	track_id ops = builder_host_track(b, LAYER_OP, main, ID_NONE, 0), calls = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0);
	track_id nvtx = builder_host_track(b, LAYER_NVTX, main, name(b, "NCCL"), 0), s7 = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 0);
	track_id s9 = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 9, 0);
	struct kernel_detail gather = { .grid = { 1, 1, 1 }, .registers = -1, .shared_bytes = -1 };
	uint32_t reduce = args(b, "allreduce", "Float", 1000, 1000);
	struct profile *p;

	gather.collective = args(b, "_allgather_base", "BFloat16", 100, 400) + 1;
	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	put(b, ops, "c10d::allreduce_", 0, 100, CORR_NONE, ID_NONE);
	put(b, ops, "record_param_comms", 10, 90, CORR_NONE,
		builder_op_detail(b, &(struct op_detail){ .shape = ID_NONE, .collective = reduce + 1, .seq = -1 }));
	put(b, ops, "aten::mm", 20, 80, CORR_NONE, ID_NONE);
	put(b, calls, "cudaLaunchKernel", 30, 35, 1, 0);
	put(b, calls, "cudaLaunchKernel", 40, 45, 2, 0);
	put(b, calls, "cudaLaunchKernel", 110, 115, 3, 0);
	put(b, nvtx, "ncclAllToAll", 120, 140, CORR_NONE, ID_NONE);
	put(b, calls, "cudaLaunchKernel", 125, 130, 4, 0);
	put(b, s7, "ampere_sgemm_128x64_tn", 0, 1000, CORR_NONE, ID_NONE);
	put(b, s7, "ampere_sgemm_128x64_tn", 3000, 3500, CORR_NONE, ID_NONE);
	put(b, s9, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 500, 1500, 1, ID_NONE);
	put(b, s9, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3100, 3300, 2, ID_NONE);
	put(b, s9, "ncclDevKernel_AllGather_RING_LL", 2000, 2400, 3, builder_kernel_detail(b, &gather));
	put(b, s9, "ncclDevKernel_SendRecv", 2500, 2600, 4, ID_NONE);
	put(b, s9, "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)", 2700, 2800, CORR_NONE, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_collectives(void)
{
	struct profile *(*make[])(void) = { make_collectives };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_collectives, "all", "none");
	uint32_t r = find(t, "collective", "AllReduce");

	is_int(t->n_rows, 4, "compute is none");
	is_int(num(t, r, "count"), 2, "all-reduce: both");
	is_int(num(t, r, "total_ns"), 1200, "their time");
	is_int(num(t, r, "exposed_ns"), 500, "1000-1500 is without compute");
	ok(real(t, r, "overlap") > 0.583 && real(t, r, "overlap") < 0.584, "700 of 1200 are hidden");
	is_int(num(t, r, "in_bytes"), 4000, "1000 floats");
	is_int(num(t, r, "ranks"), 4, "in a group of four");
	is_str(text(t, r, "told_by"), "args", "of the op around the op that launched");
	ok(real(t, r, "gbps") > 6.66 && real(t, r, "gbps") < 6.67, "4000 bytes by 600 ns");
	r = find(t, "collective", "AllGather");
	is_int(num(t, r, "in_bytes"), 200, "all-gather: in");
	is_int(num(t, r, "out_bytes"), 800, "out");
	is_str(text(t, r, "members"), "[0, 1, 2, 3]", "members");
	is_str(text(t, r, "dtype"), "BFloat16", "type as written");
	r = find(t, "collective", "AllToAll");
	is_str(text(t, r, "told_by"), "range", "SendRecv inside ncclAllToAll is all-to-all");
	is_int(num(t, r, "in_bytes"), I64_UNKNOWN, "of a size that nobody recorded");
	r = find(t, "collective", "Dispatch");
	is_str(text(t, r, "told_by"), "kernel", "DeepEP by its name");
	is_int(num(t, r, "total_ns"), 100, "time");
	ok(has_note(t, "sizes and groups"), "and it is said that sizes are missing");
	table_free(t);
	bench_end(&be);
}

/* ---- offload ---- */

/*
 * Two steps. In each 3000 bytes go to the device in two copies of 1000 ns, 500 come back; in the second one 1000 more go to the device.
 */
static struct profile *make_offload(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1);
	track_id marks = builder_host_track(b, LAYER_ANNOT, main, ID_NONE, 0), calls = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0);
	track_id s = builder_gpu_track(b, LAYER_MEMCPY, 1, 0, 1, 7, 0);
	uint64_t corr = 1;
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU);
	for (int i = 0; i < 2; i++) {
		ns_t at = 10000 * i;
		char step[32];

		snprintf(step, sizeof(step), "ProfilerStep#%d", i + 5);
		put(b, marks, step, at, at + 10000, CORR_NONE, ID_NONE);
		for (int c = 0; c < 3 + i; c++, corr++) {
			bool out = c == 2;

			put(b, calls, "cudaMemcpyAsync", at + 100 * c, at + 100 * c + 10, corr, 0);
			put(b, s, out ? "Memcpy DtoH" : "Memcpy HtoD", at + 2000 * c, at + 2000 * c + 1000, corr, out ?
				copy(b, COPY_DTOH, MEM_DEVICE, MEM_PINNED, 500) :
				copy(b, COPY_HTOD, MEM_PINNED, MEM_DEVICE, c == 3 ? 1000 : 1500));
		}
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static struct table *offload(const char *const facts[][2], size_t n, const char *by)
{
	struct profile *(*make[])(void) = { make_offload };
	struct bench be = bench_new(make, 1);
	struct table *t;

	for (size_t i = 0; i < n; i++)
		session_add_fact(be.s, facts[i][0], facts[i][1], "facts");
	t = view(&be, &an_offload, "all", by);
	bench_end(&be);
	return t;
}

/*
 * 1000 parameters of 2 bytes over 2 ranks: a shard of 1000 bytes. (3000 + 4000) / 2 = 3500 per step: 3.5 fetches.
 * 800 of the 1000 parameters are experts, of 8 of which a token needs 2: used 1000 - 800 x 3/4 = 400; efficiency 400 / 3500. Fetched of
 * experts: 3500 x 0.8 = 2800, used 2800 / 4 = 700, waste 2100.
 */
static void test_offload(void)
{
	static const char *const moe[][2] = { { "parameters", "1e3" }, { "torch_dtype", "bfloat16" }, { "shards", "2" }, { "num_experts", "8" },
		{ "num_experts_per_tok", "2" }, { "expert_parameters", "800" }, { "experts_used", "4" } };
	struct table *t = offload(moe, 6, "none");

	is_int(t->n_rows, 1, "one process");
	is_int(num(t, 0, "steps"), 2, "two steps");
	is_int(num(t, 0, "htod_bytes"), 3500, "per step to the device");
	is_int(num(t, 0, "dtoh_bytes"), 500, "and back");
	is_int(num(t, 0, "htod_ns"), 2500, "2 and 3 copies of 1000 ns");
	is_int(num(t, 0, "parameter_bytes"), 2000, "all parameters");
	is_int(num(t, 0, "shard_bytes"), 1000, "those of a rank");
	ok(real(t, 0, "fetches") == 3.5, "fetches");
	is_int(num(t, 0, "used_bytes"), 400, "used");
	ok(real(t, 0, "efficiency") > 0.1142 && real(t, 0, "efficiency") < 0.1143, "efficiency");
	is_int(num(t, 0, "moe_fetched_bytes"), 2800, "experts fetched");
	is_int(num(t, 0, "moe_used_bytes"), 700, "used");
	is_int(num(t, 0, "moe_waste_bytes"), 2100, "wasted");
	ok(real(t, 0, "moe_waste") == 0.75, "three quarters");
	ok(has_note(t, "top_k"), "told by top_k: it is said");
	table_free(t);

	t = offload(moe, 7, "none");
	is_int(num(t, 0, "moe_waste_bytes"), 1400, "half of the experts are used, somebody counted");
	table_free(t);

	t = offload(moe, 3, "step");
	is_int(t->n_rows, 2, "by step");
	is_int(num(t, 1, "htod_bytes"), 4000, "the second one");
	ok(real(t, 1, "efficiency") == 0.25, "dense: a shard is used once");
	is_int(num(t, 1, "moe_waste_bytes"), I64_UNKNOWN, "no experts, no waste");
	table_free(t);
}

static void test_offload_unknown(void)
{
	static const char *const some[][2] = { { "parameters", "1000" }, { "fp16.enabled", "true" }, { "shards", "1" }, { "experts", "4" },
		{ "top_k", "2" } };
	static const struct { size_t n; const char *reason; int64_t shard; } cases[] = {
		{ 0, "parameters", I64_UNKNOWN }, { 1, "dtype", I64_UNKNOWN }, { 2, "shards", I64_UNKNOWN }, { 5, "expert_parameters", 2000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct table *t = offload(some, cases[i].n, "none");

		is_int(num(t, 0, "htod_bytes"), 3500, "copies are measured");
		is_int(num(t, 0, "used_bytes"), I64_UNKNOWN, "what is used is unknown");
		is_int(num(t, 0, "shard_bytes"), cases[i].shard, "the shard");
		ok(text(t, 0, "reason") && strstr(text(t, 0, "reason"), cases[i].reason), "because of %s", cases[i].reason);
		table_free(t);
	}
}

/* ---- occupancy ---- */

/* By hand after the tables of the CUDA programming guide. */
static void test_occupancy(void)
{
	static const struct {
		int64_t capability;
		int32_t threads, registers, shared;
		int64_t blocks;		/* 0: unknown */
		double share;
		const char *limit;
	} cases[] = {
		{ 70, 256, 32, 0, 8, 1, "warps" },		/* 64 / 8 */
		{ 70, 32, 16, 0, 32, 0.5, "blocks" },		/* 32 blocks of one warp */
		{ 80, 256, 255, 0, 1, 0.125, "registers" },	/* 65536 / 8160->8192 = 8 warps */
		{ 90, 384, 168, 0, 1, 12 / 64.0, "registers" },	/* 65536 / 5376 = 12 warps */
		{ 80, 128, 40, 65536, 2, 8 / 64.0, "shared memory" },	/* 164 KiB / 65 KiB */
		{ 75, 128, 40, 49152, 1, 4 / 32.0, "shared memory" },	/* 64 KiB / 48 KiB */
		{ 86, 1024, 32, 0, 1, 32 / 48.0, "warps" },
		{ 86, 100, 32, 0, 12, 1, "warps" },		/* 100 threads are 4 warps */
		{ 80, 1024, 128, 0, 0, 0, NULL },		/* 65536 / 4096 = 16 warps: cannot run */
		{ 94, 256, 32, 0, 0, 0, NULL },			/* no such capability */
		{ 80, 256, -1, 0, 0, 0, NULL },			/* registers unknown */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct device d = { .capability = cases[i].capability, .sm_count = 10 };
		struct kernel_detail k = { .grid = { 40, 1, 1 }, .block = { cases[i].threads, 1, 1 }, .registers = cases[i].registers,
			.shared_bytes = cases[i].shared };
		struct occupancy o = { 0 };

		if (!cases[i].blocks) {
			ok(!occupancy_of(&o, &d, &k), "case %zu is unknown", i);
			continue;
		}
		ok(occupancy_of(&o, &d, &k) && o.blocks == cases[i].blocks, "case %zu: blocks", i);
		ok(o.share == cases[i].share, "share %g", o.share);
		is_str(o.limit, cases[i].limit, "limit");
		ok(o.waves == 40.0 / (10.0 * (double)cases[i].blocks), "waves");
	}
	ok(!occupancy_of(&(struct occupancy){ 0 }, NULL, &(struct kernel_detail){ 0 }), "no device");
}

/* ---- devices and expert rules ---- */

#define AT_STREAM(b, l, pid) builder_gpu_track(b, l, pid, 0, 1, 7, (uint64_t)(pid))

/*
 * Two processes that both say device 0. In process 1: a kernel 0-1000 of 20 blocks of 256 threads, 64 registers (4 blocks per
 * multiprocessor, half the warps, 20 / (4 x 10) waves), and calls with copies:
 *
 *	cudaMemcpyAsync	100-400 in aten::copy_ in train.py, pageable HtoD 8 bytes		cuda_memcpy_async
 *	cudaMemcpy	500-700, DtoH 5000 bytes						cuda_memcpy_sync
 *	cudaMemcpy	800-810, HtoD 64000 bytes: small enough
 *	cudaMemcpy	820-830, DtoD
 *	cudaMemset	840-850 of pinned memory						cuda_memset_sync
 *	cudaStreamSynchronize 900-1400: 900-1000 busy, then idle				cuda_api_sync
 *	cudaMemcpyAsync	1500-1510, pinned: fine
 */
static void expert_calls(struct builder *b, track_id calls)
{
	track_id c = AT_STREAM(b, LAYER_MEMCPY, 1), m = AT_STREAM(b, LAYER_MEMSET, 1);

	put(b, calls, "cudaMemcpyAsync", 100, 400, 1, 0);
	put(b, calls, "cudaMemcpy", 500, 700, 2, 0);
	put(b, calls, "cudaMemcpy", 800, 810, 3, 0);
	put(b, calls, "cudaMemcpy", 820, 830, 4, 0);
	put(b, calls, "cudaMemset", 840, 850, 5, 0);
	put(b, calls, "cudaStreamSynchronize", 900, 1400, CORR_NONE, 0);
	put(b, calls, "cudaMemcpyAsync", 1500, 1510, 6, 0);
	put(b, c, "Memcpy HtoD", 390, 395, 1, copy(b, COPY_HTOD, MEM_PAGEABLE, MEM_DEVICE, 8));
	put(b, c, "Memcpy DtoH", 600, 690, 2, copy(b, COPY_DTOH, MEM_DEVICE, MEM_PAGEABLE, 5000));
	put(b, c, "Memcpy HtoD", 800, 805, 3, copy(b, COPY_HTOD, MEM_PAGEABLE, MEM_DEVICE, 64000));
	put(b, c, "Memcpy DtoD", 820, 825, 4, copy(b, COPY_DTOD, MEM_DEVICE, MEM_DEVICE, 100));
	put(b, m, "Memset", 845, 847, 5, copy(b, COPY_UNKNOWN, MEM_UNKNOWN, MEM_PINNED, 16));
	put(b, c, "Memcpy HtoD", 990, 995, 6, copy(b, COPY_HTOD, MEM_PINNED, MEM_DEVICE, 70000));
}

static struct profile *make_expert(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1), second = builder_thread(b, 2, 2);
	track_id ops = builder_host_track(b, LAYER_OP, main, ID_NONE, 0), py = builder_host_track(b, LAYER_PYTHON, main, ID_NONE, 0);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 1);
	struct kernel_detail k = { .grid = { 20, 1, 1 }, .block = { 256, 1, 1 }, .registers = 64, .shared_bytes = 0 };
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	builder_device(b, 0, "Test GPU", 10, INT64_C(2000000000000));
	builder_device_more(b, 0, 80, INT64_C(80000000000), 3);
	put(b, builder_host_track(b, LAYER_RUNTIME, second, ID_NONE, 2), "cudaLaunchKernel", 0, 5, 1, 0);
	put(b, AT_STREAM(b, LAYER_KERNEL, 2), "relu_kernel", 10, 20, 1, ID_NONE);
	put(b, AT_STREAM(b, LAYER_KERNEL, 1), "ampere_sgemm_128x64_tn", 0, 1000, CORR_NONE, builder_kernel_detail(b, &k));
	put(b, ops, "aten::copy_", 90, 410, CORR_NONE, ID_NONE);
	put(b, py, "train.py(7): step", 50, 450, CORR_NONE, ID_NONE);
	put(b, py, "<built-in method copy_ of Tensor object at 0x7f>", 80, 420, CORR_NONE, ID_NONE);
	expert_calls(b, calls);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_devices(const struct bench *be)
{
	struct table *t = view(be, &an_devices, "all", "none");

	is_int(t->n_rows, 2, "the same number in two processes: two rows");
	is_int(num(t, 0, "process"), 1, "of process 1");
	is_int(num(t, 0, "board"), 3, "board");
	is_str(text(t, 0, "capability"), "8.0", "capability");
	is_int(num(t, 0, "sm_count"), 10, "multiprocessors");
	ok(real(t, 0, "peak_gbps") == 2000, "peak");
	is_int(num(t, 0, "kernels"), 1, "kernels");
	is_int(num(t, 0, "copies"), 6, "copies and sets");
	is_int(num(t, 0, "streams"), 1, "all on one stream");
	ok(real(t, 0, "occupancy") == 0.5 && real(t, 0, "below_one_wave") == 1, "occupancy: 4 blocks of 8 warps, half a wave");
	is_int(num(t, 1, "kernel_sum_ns"), 10, "process 2");
	ok(real(t, 1, "occupancy") == -1 && real(t, 1, "occupancy_known") == 0, "whose kernel tells nothing");
	table_free(t);
	t = view(be, &an_kernelshapes, "all", "none");
	ok(real(t, 0, "occupancy") == 0.5 && real(t, 0, "waves") == 0.5, "the same per shape");
	is_str(text(t, 0, "limited_by"), "registers", "by registers");
	is_int(num(t, 0, "registers"), 64, "which are told");
	table_free(t);
}

static void test_expert(const struct bench *be)
{
	struct table *t = view(be, &an_expert, "all", "none");
	uint32_t r = find(t, "rule", "cuda_memcpy_async");

	is_int(num(t, r, "count"), 1, "one pageable copy; the pinned one is fine");
	is_int(num(t, r, "bytes"), 8, "bytes");
	is_int(num(t, r, "time_ns"), 5, "on the device");
	is_int(num(t, r, "host_ns"), 300, "the call");
	is_str(text(t, r, "op"), "aten::copy_", "op");
	is_str(text(t, r, "frame"), "train.py(7): step", "frame: built-ins are none");
	is_str(text(t, r, "src"), "pageable", "from");
	r = find(t, "rule", "cuda_memcpy_sync");
	is_int(num(t, r, "bytes"), 5000, "the synchronous copy");
	is_str(text(t, r + 1, "rule"), "cuda_memset_sync", "small ones and those inside the device are none");
	r = find(t, "rule", "cuda_memset_sync");
	is_int(num(t, r, "host_ns"), 10, "the memset of host memory");
	r = find(t, "rule", "cuda_api_sync");
	is_int(num(t, r, "time_ns"), 500, "the wait");
	is_int(num(t, r, "lost_ns"), 400, "of which nothing runs from 1000 on");
	is_int(t->n_rows, 4, "no gap of half a second, no unused stretch");
	table_free(t);
}

/* Two kernels of 1000 ns, 600 ms apart: one gap; of 30 parts all but the first and the last are unused, and those hardly used. */
static struct profile *make_gap(void)
{
	struct builder *b = builder_new();
	track_id s = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 0);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, builder_thread(b, 1, 1), ID_NONE, 0);
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	builder_caps(b, CAP_RUNTIME | CAP_GPU);
	put(b, calls, "cudaLaunchKernel", 0, 10, 1, 0);
	put(b, s, "relu_kernel", 1000, 2000, 1, ID_NONE);
	put(b, s, "relu_kernel", 600002000, 600003000, CORR_NONE, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_gap(void)
{
	struct profile *(*make[])(void) = { make_gap };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_expert, "all", "none");

	is_int(t->n_rows, 2, "a gap and a stretch");
	is_str(text(t, 0, "rule"), "gpu_gaps", "gap");
	is_int(num(t, 0, "time_ns"), 600000000, "its length");
	is_int(num(t, 0, "start_ns"), 2000, "its start");
	is_str(text(t, 1, "rule"), "gpu_time_util", "stretch");
	is_int(num(t, 1, "time_ns"), 600002000, "parts that stand together are one");
	ok(real(t, 1, "in_use") > 3.3e-6 && real(t, 1, "in_use") < 3.4e-6, "2000 ns of it are used");
	table_free(t);
	bench_end(&be);
}

/* ---- copies at once ---- */

/*
 * Device 0: 0-100 1000 bytes, and on another stream 60-80 400 bytes; device 1: 50-150 2000 bytes. One at once: 0-50 at 10 bytes/ns and
 * 100-150 at 20, so 1500 bytes in 100 ns; two: 50-100, 500 + 1000 + 400 bytes.
 */
static struct profile *make_copies(void)
{
	struct builder *b = builder_new();
	track_id a = builder_gpu_track(b, LAYER_MEMCPY, 1, 0, 1, 7, 0), c = builder_gpu_track(b, LAYER_MEMCPY, 1, 0, 1, 8, 0);
	track_id d = builder_gpu_track(b, LAYER_MEMCPY, 1, 1, 1, 7, 0);
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	put(b, a, "Memcpy HtoD", 0, 100, CORR_NONE, copy(b, COPY_HTOD, MEM_PINNED, MEM_DEVICE, 1000));
	put(b, c, "Memcpy HtoD", 60, 80, CORR_NONE, copy(b, COPY_HTOD, MEM_PINNED, MEM_DEVICE, 400));
	put(b, d, "Memcpy HtoD", 50, 150, CORR_NONE, copy(b, COPY_HTOD, MEM_PINNED, MEM_DEVICE, 2000));
	put(b, d, "Memcpy DtoH", 200, 210, CORR_NONE, copy(b, COPY_DTOH, MEM_DEVICE, MEM_PINNED, I64_UNKNOWN));
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_copyrate(void)
{
	struct profile *(*make[])(void) = { make_copies };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_copyrate, "all", "none");

	is_int(t->n_rows, 3, "two rows to the device, one back");
	is_int(num(t, 0, "devices"), 2, "both devices");
	is_int(num(t, 0, "time_ns"), 50, "for so long");
	is_int(num(t, 0, "bytes"), 1900, "and copy");
	ok(real(t, 0, "gbps") == 38 && real(t, 0, "gbps_each") == 19, "together and each");
	is_int(num(t, 1, "time_ns"), 100, "one device");
	is_int(num(t, 1, "bytes"), 1500, "its bytes");
	is_int(num(t, 2, "time_ns"), 10, "back to the host");
	is_int(num(t, 2, "bytes"), I64_UNKNOWN, "of a size that is not known");
	table_free(t);
	bench_end(&be);
}

/* ---- forward and backward ---- */

/*
 * Main thread: aten::linear 0-100, seq 3, with aten::t 10-20, seq 3, and aten::addmm 30-90, seq 4, launching 50 ns of kernels. Autograd
 * thread: the engine runs AddmmBackward0, seq 4, 200-260, launching 120 ns; TBackward0, seq 3, 300-310, nothing; XBackward0, seq 9, of
 * which nobody knows the forward. Then main again uses number 4 for aten::relu at 400, and ReluBackward0 follows at 500.
 */
static struct profile *make_nodes(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1), back = builder_thread(b, 1, 2);
	track_id f = builder_host_track(b, LAYER_NVTX, main, ID_NONE, 1), g = builder_host_track(b, LAYER_NVTX, back, ID_NONE, 1);
	track_id cf = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 1), cb = builder_host_track(b, LAYER_RUNTIME, back, ID_NONE, 1);
	track_id s = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 1);
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	put(b, f, "aten::linear, seq = 3, op_id = 1", 0, 100, CORR_NONE, ID_NONE);
	put(b, f, "aten::t, seq = 3, op_id = 2", 10, 20, CORR_NONE, ID_NONE);
	put(b, f, "aten::addmm, seq = 4, op_id = 3, sizes = [[4, 4]]", 30, 90, CORR_NONE, ID_NONE);
	put(b, cf, "cudaLaunchKernel", 40, 45, 1, 0);
	put(b, g, "autograd::engine::evaluate_function: AddmmBackward0, seq = 4, op_id = 4", 200, 260, CORR_NONE, ID_NONE);
	put(b, g, "AddmmBackward0, seq = 4, op_id = 5", 205, 255, CORR_NONE, ID_NONE);
	put(b, g, "aten::mm, op_id = 6", 210, 250, CORR_NONE, ID_NONE);
	put(b, cb, "cudaLaunchKernel", 220, 225, 2, 0);
	put(b, g, "TBackward0, seq = 3, op_id = 7", 300, 310, CORR_NONE, ID_NONE);
	put(b, g, "XBackward0, seq = 9, op_id = 8", 320, 330, CORR_NONE, ID_NONE);
	put(b, f, "aten::relu, seq = 4, op_id = 9", 400, 410, CORR_NONE, ID_NONE);
	put(b, g, "ReluBackward0, seq = 4, op_id = 10", 500, 505, CORR_NONE, ID_NONE);
	put(b, s, "gemm", 60, 110, 1, ID_NONE);
	put(b, s, "gemm", 230, 350, 2, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_fwdbwd(void)
{
	struct profile *(*make[])(void) = { make_nodes };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_fwdbwd, "all", "none");
	uint32_t r = find(t, "forward", "aten::addmm");

	is_int(t->n_rows, 4, "a node inside its engine call counts once");
	is_str(text(t, r, "backward"), "autograd::engine::evaluate_function: AddmmBackward0", "addmm and its node");
	is_int(num(t, r, "forward_ns"), 60, "forward");
	is_int(num(t, r, "backward_ns"), 60, "backward");
	is_int(num(t, r, "forward_gpu_ns"), 50, "kernels of forward");
	is_int(num(t, r, "backward_gpu_ns"), 120, "and of backward, launched by an op below");
	ok(real(t, r, "ratio") == 2.4, "ratio");
	r = find(t, "forward", "aten::t");
	is_str(text(t, r, "backward"), "TBackward0", "the inner of two ops with the number");
	r = find(t, "forward", "aten::relu");
	is_str(text(t, r, "backward"), "ReluBackward0", "a number that comes again belongs to the op before it");
	r = find(t, "backward", "XBackward0");
	ok(!text(t, r, "forward") && num(t, r, "forward_ns") == I64_UNKNOWN, "no forward op is known");
	table_free(t);
	bench_end(&be);
}

/* ---- scheduling ---- */

/* Events 0-1000. Thread 1 is on CPU 0 at -100-300 and 500-600 and on CPU 3 at 600-700; thread 2 on CPU 1 at 900-1100. */
static struct profile *make_sched(void)
{
	struct builder *b = builder_new();
	thread_id one = builder_thread(b, 1, 1), two = builder_thread(b, 1, 2);
	track_id a = builder_host_track(b, LAYER_SCHED, one, ID_NONE, 1), c = builder_host_track(b, LAYER_SCHED, two, ID_NONE, 1);
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	put(b, builder_host_track(b, LAYER_OSRT, one, ID_NONE, 1), "read", 0, 1000, CORR_NONE, ID_NONE);
	put(b, a, "CPU 0", -100, 300, CORR_NONE, ID_NONE);
	put(b, a, "CPU 0", 500, 600, CORR_NONE, ID_NONE);
	put(b, a, "CPU 3", 600, 700, CORR_NONE, ID_NONE);
	put(b, c, "CPU 1", 900, 1100, CORR_NONE, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_sched(void)
{
	struct profile *(*make[])(void) = { make_sched };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_sched, "all", "none");
	const struct profile *p = be.s->sources[0].profile;

	ok(p->first_ns == 0 && p->last_ns == 1000, "scheduling does not stretch the source");
	is_int(t->n_rows, 2, "a row per thread");
	is_int(num(t, 0, "on_cpu_ns"), 600, "time on a CPU");
	ok(real(t, 0, "share") == 0.5, "of -100 to 1100");
	is_int(num(t, 0, "cpus"), 2, "on two");
	is_int(num(t, 0, "moves"), 1, "moved once");
	is_int(num(t, 0, "max_ns"), 400, "longest");
	table_free(t);
	t = view(&be, &an_sched, "time:100..650", "none");
	is_int(num(t, 0, "on_cpu_ns"), 350, "cut by the window");
	is_int(num(t, 0, "count"), 2, "stretches that start in it");
	ok(real(t, 0, "share") > 0.636 && real(t, 0, "share") < 0.637, "350 of 550");
	is_int(num(t, 1, "on_cpu_ns"), 0, "the other one was not on a CPU");
	table_free(t);
	bench_end(&be);
}

int main(void)
{
	struct profile *(*expert[])(void) = { make_expert };
	struct bench be;

	test_collectives();
	test_offload();
	test_offload_unknown();
	test_occupancy();
	be = bench_new(expert, 1);
	test_devices(&be);
	test_expert(&be);
	bench_end(&be);
	test_gap();
	test_copyrate();
	test_fwdbwd();
	test_sched();
	return done_testing();
}
