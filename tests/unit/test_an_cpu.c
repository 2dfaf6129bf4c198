/* test_an_cpu.c - the host views on hand-made sources; every figure is worked out in a comment */
#include "tests/lib/an_bench.h"

#define US 1000

/*
 * Three steps of 1000 us on one thread, one device. In each, from its start, in us:
 *
 *	aten::mm    0-100	launches gemm by a call 10-20, runs 22-122: delay 12, queue 2
 *	aten::item  100-400	waits 110-390 for a kernel of 100-390 launched before (aten::pre, step 0 aside: by the step before)
 *	aten::empty 500-560	the device is idle; in step 1 with a cudaMalloc 510-550
 *	aten::add   600-850	launches relu by a call 610-840 (230 us): in step 1 and 2 the device works 600-900; the kernel runs 900-910
 *
 * Step 0 is launched into an idle device: its long call is the first use of relu, and the device is idle during it.
 * One kernel starts 3 us before its call (clocks differ): delay 0, queue -8.
 */
static struct profile *make_host(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1);
	track_id annot = builder_host_track(b, LAYER_ANNOT, main, ID_NONE, 0), op = builder_host_track(b, LAYER_OP, main, ID_NONE, 0);
	track_id call = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0);
	track_id s7 = builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0), s8 = builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 8, 0);
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	builder_option(b, "with_stack", "1");
	builder_option(b, "profile_memory", "0");
	builder_damage(b, "event without a start", 77, 2);
	for (int i = 0; i < 3; i++) {
		ns_t t = 1000 * US * i;
		uint64_t corr = 10 * (uint64_t)(i + 1);
		char step[32];

		snprintf(step, sizeof(step), "ProfilerStep#%d", i + 7);
		put(b, annot, step, t, t + 1000 * US, CORR_NONE, ID_NONE);
		put(b, op, "aten::mm", t, t + 100 * US, CORR_NONE, ID_NONE);
		put(b, call, "cudaLaunchKernel", t + 10 * US, t + 20 * US, corr, 0);
		put(b, s7, "ampere_sgemm_128x64_tn", t + 22 * US, t + 122 * US, corr, ID_NONE);
		put(b, op, "aten::item", t + 100 * US, t + 400 * US, CORR_NONE, ID_NONE);
		put(b, call, "cudaStreamSynchronize", t + 110 * US, t + 390 * US, CORR_NONE, 0);
		put(b, s8, "orphan_kernel", t + 100 * US, t + 390 * US, CORR_NONE, ID_NONE);
		put(b, op, "aten::empty", t + 500 * US, t + 560 * US, CORR_NONE, ID_NONE);
		put(b, op, "aten::add", t + 600 * US, t + 850 * US, CORR_NONE, ID_NONE);
		put(b, call, "cudaLaunchKernel", t + 610 * US, t + 840 * US, corr + 1, 0);
		if (i > 0)
			put(b, s8, "orphan_kernel", t + 600 * US, t + 900 * US, CORR_NONE, ID_NONE);
		put(b, s7, "relu_kernel", t + 900 * US, t + 910 * US, corr + 1, ID_NONE);
	}
	put(b, call, "cudaMalloc", 1510 * US, 1550 * US, CORR_NONE, 0);
	put(b, call, "cudaLaunchKernelExC", 1950 * US, 1955 * US, 99, 0);
	put(b, s7, "relu_kernel", 1947 * US, 1948 * US, 99, ID_NONE);
	put(b, call, "cudaLaunchKernelExC", 1960 * US, 1965 * US, 100, 0);	/* its kernel is lost */
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/*
 * exposed: mm 22 us a step before its kernel runs = 66; item 390-400 = 30; empty 60 a step = 180; add 250 in step 0, 0 in the others.
 * self: mm 300, item 900, empty 180, add 750. So by what the device waits for: add 250, empty 180, mm 66, item 30.
 */
static void test_ops(const struct bench *be)
{
	static const char *const order[] = { "aten::add", "aten::empty", "aten::mm", "aten::item" };
	struct table *t = view(be, &an_ops, "steady", "none");

	for (uint32_t i = 0; i < 4; i++)
		is_str(text(t, i, "name"), order[i], "ops: rank %u by what the device waited for", i);
	ROW_IS(t, 0, "aten::add", { "exposed_ns", 250 * US }, { "self_ns", 750 * US }, { "launch_ns", 690 * US }, { "device_ns", 30 * US });
	ROW_IS(t, 1, "aten::empty", { "exposed_ns", 180 * US }, { "other_runtime_ns", 40 * US }, { "host_ns", 140 * US });
	ROW_IS(t, 2, "aten::mm", { "exposed_ns", 66 * US }, { "device_ns", 300 * US });
	ROW_IS(t, 3, "aten::item", { "exposed_ns", 30 * US }, { "sync_ns", 840 * US }, { "count", 3 });
	ok(real(t, 0, "per_step") == 1.0, "ops: one a step");
	table_free(t);
	t = view(be, &an_ops, "steady", "step");
	is_int(cell(t, 0, "per_step")->type, CELL_MISSING, "ops by step: the count says it already");
	is_int(num(t, 0, "by"), 7, "ops by step: step 7's add first");
	table_free(t);
}

static void test_runtime(const struct bench *be)
{
	struct table *t = view(be, &an_runtime, "steady", "none");
	uint32_t row = find(t, "name", "cudaLaunchKernel");

	ok(real(t, row, "per_step") == 2.0, "runtime: two launches a step");
	is_str(text(t, row, "category"), "kernel launch", "runtime: category of a launch");
	is_str(text(t, find(t, "name", "cudaMalloc"), "category"), "memory management", "runtime: category of the allocator");
	ok(has_note(t, "1 allocator call in the steady steps, 40.00"), "runtime: the steady steps call the allocator");
	ok(!has_note(t, "communication"), "runtime: nothing is said of communication in a run that has no ZeRO");
	table_free(t);
	t = view(be, &an_runtime, "all", "none");
	ok(!has_note(t, "allocator"), "runtime: with the warm-up in the window the allocator is no news");
	table_free(t);
}

static void test_callers(const struct bench *be)
{
	struct table *t = view(be, &an_callers, "steady", "step");
	uint32_t seen = 0;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (!text(t, i, "call") || strcmp(text(t, i, "call"), "cudaStreamSynchronize"))
			continue;
		ROW_IS(t, i, "callers by step", { "count", 1 }, { "total_ns", 280 * US });
		is_str(text(t, i, "op"), "aten::item", "callers by step: the op");
		seen |= 1u << (num(t, i, "by") - 7);
	}
	is_uint(seen, 7, "callers by step: a row for each of the steps 7, 8 and 9");
	table_free(t);
}

/*
 * cudaLaunchKernel: delays 12, 12, 12 and 290, 290, 290: median of six 151; queue 2 x 3, 60 x 3: median 31. Long: three of 230 = 690,
 * the device works during step 1's and 2's = 460 and is idle in step 0's = 230, which is relu's first use.
 * cudaLaunchKernelExC: one, 3 us early: delay 0, queue -8.
 */
static void test_launches(const struct bench *be)
{
	struct table *t = view(be, &an_launches, "steady", "none");

	is_uint(t->n_rows, 2, "launches: one row per call and thread");
	is_str(text(t, 0, "call"), "cudaLaunchKernel", "launches: the longest first");
	ROW_IS(t, 0, "cudaLaunchKernel", { "count", 6 }, { "total_ns", 720 * US }, { "delay_p90_ns", 290 * US }, { "delay_max_ns", 290 * US },
		{ "inside", 0 }, { "early", 0 }, { "long", 3 }, { "long_ns", 690 * US }, { "long_busy_ns", 460 * US },
		{ "long_idle_ns", 230 * US }, { "long_first", 1 });
	ok(real(t, 0, "delay_median_ns") == 151.0 * US, "launches: median delay");
	ok(real(t, 0, "queue_median_ns") == 31.0 * US, "launches: median in the queue");
	is_str(text(t, 0, "verdict"), "queue-full", "launches: most of the time is long calls under a working device");
	ROW_IS(t, 1, "cudaLaunchKernelExC", { "count", 1 }, { "delay_max_ns", 0 }, { "inside", 1 }, { "early", 1 }, { "long", 0 });
	ok(real(t, 1, "queue_median_ns") == -8.0 * US, "launches: the queue keeps its sign");
	is_str(text(t, 1, "verdict"), "launch-bound", "launches: a kernel that starts at once");
	ok(has_note(t, "3 launch calls over 100 us take 690 µs; the device works during 460 µs"), "launches: what the long calls waited for");
	table_free(t);
}

static int64_t level2(const struct table *t, const char *level1, const char *name);

/*
 * The first launch of relu, 230 us on an idle device, loads its code; the two later ones wait while the device works. The gap 390-900
 * of the first step is idle for it most of all.
 */
static void test_first_launch(const struct bench *be)
{
	struct table *t = view(be, &an_breakdown, "steady", "none");
	uint32_t row = 0;

	is_int(level2(t, NULL, "first launch of a kernel (lazy loading)"), 230 * US, "first launch: named so in the breakdown");
	is_int(level2(t, NULL, "aten::add CPU launch"), 520 * US, "first launch: the op keeps its host time and the later launches");
	table_free(t);
	t = view(be, &an_gaps, "steady", "none");
	while (row < t->n_rows && num(t, row, "start_ns") != 390 * US)
		row++;
	is_int(num(t, row, "dur_ns"), 510 * US, "first launch: the gap");
	is_str(text(t, row, "cause"), "compile", "first launch: code is loaded");
	table_free(t);
}

/* 8 launches, 12 kernels: 5 without a call, and one launch without a kernel. 12 = 8 + 5 - 1. */
static void test_launch_reason(const struct bench *be)
{
	struct table *t = view(be, &an_crosscheck, "all", "none");
	uint32_t row = find(t, "quantity", "kernel launch calls against kernels");

	ROW_IS(t, row, "launches against kernels", { "a", 8 }, { "b", 12 });
	is_str(text(t, row, "verdict"), "differ", "launches against kernels: they differ");
	is_str(text(t, row, "reason"), "kernels without a call in the file: 5; of other calls than launches: 0; further ones of a launch "
		"(graphs): 0; launches without a kernel: 1", "launches against kernels: why, in parts that sum up");
	table_free(t);
}

static void test_quality(const struct bench *be)
{
	struct table *t = view(be, &an_quality, "steady", "none");
	uint32_t row = find(t, "check", "damaged input");

	is_str(text(t, row, "verdict"), "bad", "quality: damage");
	for (uint32_t i = 1, ranks = 0; i < t->n_rows; i++) {
		static const char *const order[] = { "bad", "note", "unknown", "ok" };

		while (ranks < 3 && strcmp(text(t, i, "verdict"), order[ranks]))
			ranks++;
		is_str(text(t, i, "verdict"), order[ranks], "quality: row %u in the order of the verdicts", i);
	}
	is_int(num(t, row, "count"), 2, "quality: how often");
	ok(text(t, row, "means") && strstr(text(t, row, "means"), "first at 77"), "quality: and where first");
	row = find(t, "check", "launches without GPU work");
	ROW_IS(t, row, "launches without work", { "count", 1 }, { "of", 8 });
	is_str(text(t, row, "verdict"), "note", "quality: a lost launch is a note: whether idle time is known is a row of its own");
	row = find(t, "check", "kernels without a launch");
	ROW_IS(t, row, "kernels without a launch", { "count", 5 }, { "of", 12 });
	row = find(t, "check", "kernels earlier than their call");
	ROW_IS(t, row, "early kernels", { "count", 1 }, { "time_ns", 3 * US });
	row = find(t, "check", "kernels launched outside ops");
	ROW_IS(t, row, "outside ops", { "count", 1 }, { "of", 12 });
	is_str(text(t, find(t, "check", "short kernel names"), "verdict"), "ok", "quality: whole names");
	ok(find(t, "check", "recording option with_stack") < t->n_rows, "quality: an option that distorts");
	is_uint(find(t, "check", "recording option profile_memory"), t->n_rows, "quality: one that was off does not");
	is_uint(find(t, "check", "graph launches without kernels"), t->n_rows, "quality: nothing is said of what is not there");
	is_uint(find(t, "check", "kernels of CUDA graphs"), t->n_rows, "quality: nor of graphs in a run without them");
	/* the step annotations cover all of it */
	row = find(t, "check", "host time with an event");
	is_int(num(t, row, "time_ns"), 3000 * US, "quality: coverage in the window");
	table_free(t);
}

/*
 * One thread, 0-1000: the fetch of ZeRO-3 [0, 400) copies 100-150 and, in aten::item, waits 200-300; a helper that no rule knows runs
 * 320-350. A checkpoint recomputes [400, 900): aten::mm 450-500, then a node of the backward pass 600-800 with aten::mm 650-700.
 *
 * ZeRO-3 parameter fetch: 400 less the item 190-310 = 280, of which the copy call 50 is data movement. Recompute: 500 - 200 = 300.
 * In the node aten::mm is its own again: 50, on the CPU, since no aten::mm launches anything.
 */
static struct profile *make_owners(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1);
	track_id py = builder_host_track(b, LAYER_PYTHON, main, ID_NONE, 0), op = builder_host_track(b, LAYER_OP, main, ID_NONE, 0);
	track_id call = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0);
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_OPS | CAP_PYTHON);
	put(b, py, "deepspeed/runtime/zero/partitioned_param_coordinator.py(286): fetch_sub_module", 0, 400, CORR_NONE, ID_NONE);
	put(b, call, "cudaMemcpyAsync", 100, 150, CORR_NONE, 0);
	put(b, op, "aten::item", 190, 310, CORR_NONE, ID_NONE);
	put(b, call, "cudaStreamSynchronize", 200, 300, CORR_NONE, 0);
	put(b, py, "some/helper.py(1): helper", 320, 350, CORR_NONE, ID_NONE);
	put(b, op, "CheckpointFunctionBackward", 400, 900, CORR_NONE, ID_NONE);
	put(b, op, "aten::mm", 450, 500, CORR_NONE, ID_NONE);
	put(b, op, "autograd::engine::evaluate_function: MmBackward0", 600, 800, CORR_NONE, ID_NONE);
	put(b, op, "aten::mm", 650, 700, CORR_NONE, ID_NONE);
	put(b, op, "aten::add", 900, 1000, CORR_NONE, ID_NONE);
	put(b, py, "torch/_functorch/aot_autograd.py(700): aot_module_simplified", 1000, 1100, CORR_NONE, ID_NONE);
	put(b, py, "torch/_inductor/output_code.py(590): __call__", 1010, 1060, CORR_NONE, ID_NONE);
	put(b, py, "some/helper.py(1): helper", 1020, 1030, CORR_NONE, ID_NONE);
	put(b, builder_host_track(b, LAYER_ANNOT, main, ID_NONE, 0), "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1100, 1200,
		CORR_NONE, ID_NONE);
	put(b, op, "aten::cat", 1120, 1160, CORR_NONE, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static int64_t level2(const struct table *t, const char *level1, const char *name)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		if (text(t, i, "level2") && !strcmp(text(t, i, "level2"), name) && (!level1 || !strcmp(text(t, i, "level1"), level1)))
			sum += num(t, i, "time_ns");
	return sum;
}

static void test_owners(void)
{
	struct profile *(*owners[])(void) = { make_owners };
	struct bench be = bench_new(owners, 1);
	struct table *t = view(&be, &an_breakdown, "all", "none");
	uint32_t row;

	is_int(t->wall_ns, 1200, "owners: the wall");
	is_int(level2(t, "data loading", "DataLoader next (single process)"), 100, "owners: ops that make a batch are data loading");
	is_int(level2(t, NULL, "compiled-region dispatch"), 40, "wrappers: one with nothing inside is a leaf of its own");
	is_int(level2(t, NULL, "compile: AOTAutograd"), 60, "wrappers: an unknown helper inside asks the next that is none");
	is_int(level2(t, NULL, "ZeRO-3 parameter fetch"), 280, "owners: the fetch with its copy and its helper");
	is_int(level2(t, "data movement", "ZeRO-3 parameter fetch"), 50, "owners: level 1 stays that of the call");
	is_int(level2(t, NULL, "implicit host sync (item)"), 120, "owners: a wait that says why keeps its name");
	is_int(level2(t, NULL, "gradient checkpoint recompute"), 300, "owners: the recompute, up to the node of the backward pass");
	is_int(level2(t, "compute", "aten::mm on the CPU"), 50, "owners: in the node ops are their own again");
	is_int(level2(t, NULL, "Python"), 0, "owners: an unknown helper inside belongs to the fetch");
	row = find(t, "level2", "gradient checkpoint recompute");
	ok(row < t->n_rows && t->refs[row].kind == REF_TIME, "owners: a row leads to its longest instant");
	/* the recompute's own op: 400-450, 500-600, 800-900; the longest 100 begin at 500 */
	ROW_IS(t, row, "recompute", { "time_ns", 250 }, { "pieces", 3 }, { "longest_ns", 100 }, { "longest_start_ns", 500 });
	table_free(t);
	bench_end(&be);
}

/*
 * nn.Module: Net [0, 500) calls Linear [100, 200) and again [300, 400), with an unknown helper [110, 190) inside. Kernels: launched at
 * 150 in the first Linear (40 long), at 250 in Net (7 long), at 600 outside (100 long). A second thread recomputes Linear [0, 50).
 */
static struct profile *make_modules(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1), other = builder_thread(b, 1, 2);
	track_id py = builder_host_track(b, LAYER_PYTHON, main, ID_NONE, 0), py2 = builder_host_track(b, LAYER_PYTHON, other, ID_NONE, 0);
	track_id call = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0), s7 = builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0);
	track_id op = builder_host_track(b, LAYER_OP, main, ID_NONE, 0);
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_OPS | CAP_PYTHON | CAP_GPU);
	put(b, op, "aten::mm", 0, 10, CORR_NONE, ID_NONE);
	put(b, py, "nn.Module: Net_0", 0, 500, CORR_NONE, ID_NONE);
	put(b, py, "nn.Module: Linear_0", 100, 200, CORR_NONE, ID_NONE);
	put(b, py, "some/helper.py(1): helper", 110, 190, CORR_NONE, ID_NONE);
	put(b, py, "nn.Module: Linear_0", 300, 400, CORR_NONE, ID_NONE);
	put(b, py2, "nn.Module: Linear_0", 0, 50, CORR_NONE, ID_NONE);
	put(b, call, "cudaLaunchKernel", 150, 155, 1, 0);
	put(b, call, "cudaLaunchKernel", 250, 255, 2, 0);
	put(b, call, "cudaLaunchKernel", 600, 605, 3, 0);
	put(b, s7, "gemm", 160, 200, 1, ID_NONE);
	put(b, s7, "gemm", 300, 307, 2, ID_NONE);
	put(b, s7, "gemm", 700, 800, 3, ID_NONE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_modules(void)
{
	struct profile *(*modules[])(void) = { make_modules };
	struct bench be = bench_new(modules, 1);
	struct table *t = view(&be, &an_modules, "all", "none");

	is_uint(t->n_rows, 3, "modules: two paths of one thread, one of another");
	is_str(text(t, 0, "name"), "nn.Module: Net_0", "modules: the root");
	ROW_IS(t, 0, "Net", { "count", 1 }, { "total_ns", 500 }, { "self_ns", 300 }, { "device_ns", 47 }, { "kernels", 2 });
	ROW_IS(t, 1, "Linear in Net", { "parent", 0 }, { "count", 2 }, { "total_ns", 200 }, { "self_ns", 200 }, { "device_ns", 40 });
	ROW_IS(t, 2, "Linear on its own", { "parent", I64_UNKNOWN }, { "total_ns", 50 }, { "self_ns", 50 }, { "device_ns", 0 });
	table_free(t);
	bench_end(&be);
}

int main(void)
{
	struct profile *(*host[])(void) = { make_host };
	struct bench be = bench_new(host, 1);

	test_ops(&be);
	test_runtime(&be);
	test_callers(&be);
	test_launches(&be);
	test_first_launch(&be);
	test_launch_reason(&be);
	test_quality(&be);
	bench_end(&be);
	test_owners();
	test_modules();
	return done_testing();
}
