/* test_facts.c - roles, steps by each rule, warm-up, steady window, phases, micro-batches: figures worked out by hand */
#include "facts/facts.h"

#include <stdlib.h>

#include "tests/lib/tap.h"

static struct rules *rules;

/* ---- a source is put together ---- */

struct run {
	struct builder *b;
	struct profile *p;
	struct facts *f;
};

static struct run run_new(void)
{
	struct run r = { .b = builder_new() };

	return r;
}

static void run_done(struct run *r)
{
	r->p = builder_finish(r->b);
	builder_free(r->b);
	r->f = facts_new(rules, r->p, 0);
}

static void run_free(struct run *r)
{
	facts_free(r->f);
	profile_unref(r->p);
}

static void put(struct run *r, enum layer l, int64_t pid, int64_t tid, const char *name, ns_t start, ns_t end, uint64_t corr)
{
	track_id t = layer_on_gpu(l) ? builder_gpu_track(r->b, l, -1, 0, 0, 7, 0) :
		builder_host_track(r->b, l, builder_thread(r->b, pid, tid), ID_NONE, 0);
	struct builder_event e = { .start = start, .dur = end - start, .corr = corr, .ext = CORR_NONE, .aux = ID_NONE };

	e.name = builder_intern(r->b, name, strlen(name));
	builder_add(r->b, t, &e);
}

/* On the main thread of process 1. */
static void host(struct run *r, enum layer l, const char *name, ns_t start, ns_t end)
{
	put(r, l, 1, 1, name, start, end, CORR_NONE);
}

/* A launch at `at` and its kernel 10 later; corr 0: the kernel is missing. */
static void launch(struct run *r, ns_t at, uint64_t corr)
{
	put(r, LAYER_RUNTIME, 1, 1, "cudaLaunchKernel", at, at + 2, corr);
	if (corr)
		put(r, LAYER_KERNEL, -1, -1, "void at::native::vectorized_elementwise_kernel<4>()", at + 10, at + 15, corr);
}

static enum role role_of(const struct run *r, int64_t pid, int64_t tid)
{
	for (thread_id t = 0; t < r->p->n_threads; t++)
		if (r->p->threads[t].pid == pid && r->p->threads[t].tid == tid)
			return r->f->threads[t].role;
	return ROLE_N;
}

static void name_thread(struct run *r, int64_t tid, const char *name)
{
	builder_thread_name(r->b, builder_thread(r->b, 1, tid), builder_intern(r->b, name, strlen(name)));
}

/* ---- roles ---- */

static void test_roles(void)
{
	static const struct { int64_t tid; const char *name; } named[] = {
		{ 3, "pt_autograd_1" }, { 4, "pt_data_worker" }, { 5, "pt_data_pin" }, { 6, "pt_nccl_watchdg" }, { 7, "python3" },
	};
	struct run r = run_new();

	host(&r, LAYER_OP, "aten::mm", 0, 10);
	put(&r, LAYER_ANNOT, 1, 9, "ProfilerStep#3", 0, 100, CORR_NONE);
	put(&r, LAYER_OP, 1, 2, "autograd::engine::evaluate_function: MmBackward0", 20, 30, CORR_NONE);
	put(&r, LAYER_OP, 1, 8, "ReluBackward1", 20, 30, CORR_NONE);
	put(&r, LAYER_OP, 1, 10, "torch::autograd::AccumulateGrad", 20, 30, CORR_NONE);
	put(&r, LAYER_OP, 1, 11, "my::LossBackward", 20, 30, CORR_NONE);
	put(&r, LAYER_OP, 1, 12, "Backward", 20, 30, CORR_NONE);
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		put(&r, LAYER_OP, 1, named[i].tid, "aten::empty", 40, 50, CORR_NONE);
		name_thread(&r, named[i].tid, named[i].name);
	}
	run_done(&r);
	is_int(role_of(&r, 1, 9), ROLE_MAIN, "ProfilerStep makes a main thread, whatever its number");
	is_int(role_of(&r, 1, 1), ROLE_OTHER, "tid = pid does not then");
	is_int(role_of(&r, 1, 2), ROLE_AUTOGRAD, "graph nodes make an autograd thread");
	is_int(role_of(&r, 1, 3), ROLE_AUTOGRAD, "so does its name");
	is_int(role_of(&r, 1, 8), ROLE_AUTOGRAD, "torch 1.8 writes the nodes alone");
	is_int(role_of(&r, 1, 10), ROLE_AUTOGRAD, "the leaves too");
	is_int(role_of(&r, 1, 11), ROLE_OTHER, "an op in a name space is no node");
	is_int(role_of(&r, 1, 12), ROLE_OTHER, "nor is a bare word");
	is_int(role_of(&r, 1, 4), ROLE_LOADER, "a worker of the loader");
	is_int(role_of(&r, 1, 5), ROLE_PIN, "pinned memory");
	is_int(role_of(&r, 1, 6), ROLE_WATCHDOG, "watchdog");
	is_int(role_of(&r, 1, 7), ROLE_OTHER, "no sign, no role");
	run_free(&r);
}

/* What threads without a telling name do. */
static void test_roles_by_work(void)
{
	struct run r = run_new();

	put(&r, LAYER_ANNOT, 1, 1, "ProfilerStep#3", 0, 100, CORR_NONE);
	put(&r, LAYER_PYTHON, 1, 2, "torch/utils/data/_utils/worker.py(220): _worker_loop", 0, 90, CORR_NONE);
	put(&r, LAYER_PYTHON, 1, 3, "torch/utils/data/_utils/pin_memory.py(17): _pin_memory_loop", 0, 90, CORR_NONE);
	put(&r, LAYER_RUNTIME, 1, 4, "cudaEventQuery_v3020", 10, 11, 1);
	put(&r, LAYER_RUNTIME, 1, 4, "cudaEventQuery_v3020", 20, 21, 2);
	put(&r, LAYER_ANNOT, 1, 5, "gloo:all_reduce", 10, 50, CORR_NONE);
	put(&r, LAYER_RUNTIME, 1, 6, "cudaEventQuery_v3020", 10, 11, 3);
	put(&r, LAYER_RUNTIME, 1, 6, "cudaLaunchKernel_v7000", 20, 21, 4);
	put(&r, LAYER_ANNOT, 1, 7, "gloo:all_reduce", 10, 50, CORR_NONE);
	put(&r, LAYER_OP, 1, 7, "aten::mm", 60, 70, CORR_NONE);
	put(&r, LAYER_OSRT, 2, 2, "read", 0, 10, CORR_NONE);
	builder_thread_name(r.b, builder_thread(r.b, 2, 2), builder_intern(r.b, "pt_data_worker", 14));
	run_done(&r);
	is_int(role_of(&r, 1, 2), ROLE_LOADER, "by work: the loop of a worker");
	is_int(role_of(&r, 1, 3), ROLE_PIN, "by work: the loop that pins memory");
	is_int(role_of(&r, 1, 4), ROLE_WATCHDOG, "by work: nothing but questions for events");
	is_int(role_of(&r, 1, 5), ROLE_WATCHDOG, "by work: nothing but collectives");
	is_int(role_of(&r, 1, 6), ROLE_OTHER, "by work: who launches, too, is no watchdog");
	is_int(role_of(&r, 1, 7), ROLE_OTHER, "by work: who computes, too, is none");
	is_int(role_of(&r, 2, 2), ROLE_LOADER, "a worker is a process of its own: its main thread is the worker");
	run_free(&r);
}

static void test_main_thread(void)
{
	struct run r = run_new();

	put(&r, LAYER_OP, 1, 1, "aten::mm", 0, 10, CORR_NONE);
	put(&r, LAYER_RUNTIME, 1, 2, "cudaLaunchKernel", 0, 10, 1);
	put(&r, LAYER_RUNTIME, 5, 8, "cudaLaunchKernel", 0, 10, 2);
	put(&r, LAYER_RUNTIME, 5, 9, "cudaLaunchKernel", 0, 10, 3);
	put(&r, LAYER_RUNTIME, 5, 9, "cudaLaunchKernelExC", 20, 30, 4);
	put(&r, LAYER_RUNTIME, 5, 8, "cudaGetDevice", 20, 30, 5);
	put(&r, LAYER_RUNTIME, 5, 8, "cudaLaunchHostFunc_v10000", 40, 50, 6);
	put(&r, LAYER_OP, 1, 3, "autograd::engine::evaluate_function: X", 0, 10, CORR_NONE);
	put(&r, LAYER_OP, 1, 1, "autograd::engine::evaluate_function: X", 10, 20, CORR_NONE);
	run_done(&r);
	is_int(role_of(&r, 1, 1), ROLE_MAIN, "tid = pid, also with backward of its own");
	is_int(role_of(&r, 1, 3), ROLE_AUTOGRAD, "the other one is autograd");
	is_int(role_of(&r, 5, 9), ROLE_MAIN, "else the most launches: host functions are none");
	is_int(role_of(&r, 5, 8), ROLE_OTHER, "the other thread is not");
	run_free(&r);
}

/* Events and busy time: every host layer, overlapping ones once; marks count and take no time. */
static void test_busy(void)
{
	struct run r = run_new();

	host(&r, LAYER_OP, "aten::mm", 0, 100);
	host(&r, LAYER_OP, "aten::add", 20, 30);
	host(&r, LAYER_RUNTIME, "cudaLaunchKernel", 90, 120);
	host(&r, LAYER_ANNOT, "forward", 200, 250);
	host(&r, LAYER_INSTANT, "mark", 500, 500);
	host(&r, LAYER_SPAN, "PyTorch Profiler (0)", 0, 1000);
	run_done(&r);
	is_int(r.f->threads[0].busy_ns, 170, "120 of ops and calls, 50 of a range");
	is_uint(r.f->threads[0].events, 5, "five events: the capture span is none");
	is_uint(r.f->threads[0].launches, 1, "one launch");
	run_free(&r);
}

/* ---- steps ---- */

static const struct step *step(const struct run *r, uint32_t i)
{
	static const struct step none = { .number = -99 };

	return i < r->f->n_steps ? &r->f->steps[i] : &none;
}

static void test_profiler_steps(void)
{
	struct run r = run_new();

	host(&r, LAYER_ANNOT, "ProfilerStep#11", 1000, 1900);
	host(&r, LAYER_ANNOT, "ProfilerStep#10", 0, 900);
	host(&r, LAYER_ANNOT, "ProfilerStep#12", 2000, 2950);
	host(&r, LAYER_NVTX, "step_1", 0, 400);
	host(&r, LAYER_NVTX, "step_2", 400, 800);
	host(&r, LAYER_ANNOT, "micro_batch 0", 1100, 1200);
	host(&r, LAYER_ANNOT, "micro_batch 1", 1300, 1400);
	host(&r, LAYER_ANNOT, "micro_batch 0", 1950, 1960);
	run_done(&r);
	is_uint(r.f->n_steps, 3, "ProfilerStep before any NVTX range");
	is_int(step(&r, 0)->number, 10, "in the order of time");
	is_int(step(&r, 0)->next, 1000, "a period lasts to the next start");
	is_int(step(&r, 0)->end, 900, "the marker to its own end");
	is_int(step(&r, 2)->next, 2950, "the last period to its own end");
	is_uint(step(&r, 0)->microbatches, 0, "no micro-batch in the first");
	is_uint(step(&r, 1)->microbatches, 3, "three in the period of the second, one behind its marker");
	is_uint(r.f->procs[0].n_microbatches, 3, "three of the process");
	is_int(r.f->procs[0].microbatches[1].number, 1, "with their numbers");
	run_free(&r);
}

static void test_nvtx_steps(void)
{
	struct run r = run_new();
	char name[32];

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "train_batch %d", i + 5);
		host(&r, LAYER_NVTX, name, i * 1000, i * 1000 + 950);
		for (int k = 0; k < 3; k++) {
			snprintf(name, sizeof(name), "iteration %d", 3 * i + k);
			host(&r, LAYER_NVTX, name, i * 1000 + k * 300, i * 1000 + k * 300 + 290);
		}
	}
	host(&r, LAYER_NVTX, "micro_batch 1", 0, 100);
	run_done(&r);
	is_uint(r.f->n_steps, 4, "the outer family, not the more frequent one inside it");
	is_int(step(&r, 0)->number, 5, "with the number of its name");
	is_int(step(&r, 3)->next, 3950, "the last to its own end");
	run_free(&r);
}

/* Two optimizers a step, 20 apart; steps are 1000 apart. */
static void test_optimizer_steps(void)
{
	struct run r = run_new();

	for (int i = 0; i < 4; i++) {
		host(&r, LAYER_ANNOT, "Optimizer.step#AdamW.step", i * 1000 + 800, i * 1000 + 850);
		host(&r, LAYER_ANNOT, "Optimizer.step#SGD.step", i * 1000 + 870, i * 1000 + 900);
		host(&r, LAYER_ANNOT, "Optimizer.zero_grad#SGD.zero_grad", i * 1000 + 910, i * 1000 + 920);
	}
	run_done(&r);
	is_uint(r.f->n_steps, 4, "several optimizers are one cluster");
	is_int(step(&r, 1)->start, 1800, "from the first call");
	is_int(step(&r, 1)->end, 1900, "to the end of the last");
	is_int(step(&r, 1)->next, 2800, "period to the next cluster");
	is_int(step(&r, 2)->number, 2, "counted from 0");
	ok(!step(&r, 2)->partial && step(&r, 3)->partial, "what follows the last optimizer is cut, its period is not a step's");
	is_int(spans_measure(&r.f->procs[0].steady), 3000, "and not in the steady window");
	is_uint(r.f->procs[0].step_counts[STEPS_BY_OPTIMIZER].n, 4, "what the optimizer says is kept");
	is_int(r.f->procs[0].step_counts[STEPS_BY_OPTIMIZER].median_ns, 1000, "with the time from one to the next");
	is_uint(r.f->procs[0].step_counts[STEPS_BY_NVTX].n, 0, "and that NVTX says nothing");
	run_free(&r);
	r = run_new();
	host(&r, LAYER_ANNOT, "Optimizer.step#AdamW.step", 800, 850);
	host(&r, LAYER_OP, "aten::mm", 0, 1000);
	run_done(&r);
	is_uint(r.f->n_steps, 0, "one optimizer call parts nothing: the whole source is the window");
	run_free(&r);
	r = run_new();
	for (int i = 0; i < 5; i++)
		host(&r, LAYER_ANNOT, "Optimizer.step#AdamW.step", i * 1000, i * 1000 + 50);
	run_done(&r);
	is_uint(r.f->n_steps, 5, "one optimizer: every call is a step");
	run_free(&r);
}

static void test_no_steps(void)
{
	struct run r = run_new();

	host(&r, LAYER_ANNOT, "micro_batch 0", 0, 10);
	host(&r, LAYER_ANNOT, "micro_batch 1", 10, 20);
	host(&r, LAYER_OP, "aten::mm", 0, 10);
	run_done(&r);
	is_uint(r.f->n_steps, 0, "micro-batches are no steps");
	ok(r.f->procs[0].step_rule == NULL, "no rule matched");
	is_uint(r.f->procs[0].steady.n, 0, "and there is no steady window");
	run_free(&r);
}

/* ---- warm-up, outliers, partial steps ---- */

/* ProfilerStep from `number`, of these lengths, back to back. */
static void put_steps(struct run *r, int number, const ns_t *len, int n)
{
	ns_t t = 0;
	char name[32];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "ProfilerStep#%d", number + i);
		host(r, LAYER_ANNOT, name, t, t + len[i]);
		t += len[i];
	}
}

/* "w" warm-up, "p" partial, "o" outlier, "." plain, per step. */
static const char *marks(const struct run *r, char *buf)
{
	uint32_t i;

	for (i = 0; i < r->f->n_steps && i < 31; i++)
		buf[i] = step(r, i)->warmup ? 'w' : step(r, i)->partial ? 'p' : step(r, i)->outlier ? 'o' : '.';
	buf[i] = '\0';
	return buf;
}

static void test_warmup(void)
{
	static const struct {
		const char *why, *marks;
		const char *call;	/* in the first step */
		int number, n;
		ns_t len[8];
	} cases[] = {
		{ "number 0 is evidence", "w....", NULL, 0, 5, { 200, 100, 100, 100, 100 } },
		{ "cudaMalloc is evidence", "w....", "cudaMalloc_v3020", 7, 5, { 200, 100, 100, 100, 100 } },
		{ "a loaded module is evidence", "w....", "cuModuleLoadData", 7, 5, { 200, 100, 100, 100, 100 } },
		{ "cudaMallocHost alone is none", "o....", "cudaMallocHost", 7, 5, { 200, 100, 100, 100, 100 } },
		{ "a schedule has skipped the warm-up already", "o....", NULL, 7, 5, { 200, 100, 100, 100, 100 } },
		{ "1.25 x the median is not longer", ".....", NULL, 0, 5, { 125, 100, 100, 100, 100 } },
		{ "a little more is", "w....", NULL, 0, 5, { 126, 100, 100, 100, 100 } },
		{ "the lower of two middle values", "w..oo", NULL, 0, 5, { 126, 100, 100, 200, 200 } },
		{ "a later long one is an outlier", "...o.", "cudaMalloc", 7, 5, { 100, 100, 100, 200, 100 } },
		{ "short steps are plain", ".....", NULL, 0, 5, { 50, 100, 100, 100, 100 } },
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = run_new();

		put_steps(&r, cases[i].number, cases[i].len, cases[i].n);
		if (cases[i].call)
			host(&r, LAYER_RUNTIME, cases[i].call, 10, 20);
		run_done(&r);
		is_str(marks(&r, buf), cases[i].marks, "warm-up: %s", cases[i].why);
		run_free(&r);
	}
}

/* Four steps of 1 ms, the first of 2 ms with a launch of 0.5 ms that a kernel is launched by for the first time; `busy`: the device works. */
static void first_launch_marks(bool busy, char *buf)
{
	static const ns_t len[] = { 2000000, 1000000, 1000000, 1000000 };
	struct run r = run_new();

	put_steps(&r, 7, len, 4);
	put(&r, LAYER_RUNTIME, 1, 1, "cudaLaunchKernel", 100000, 600000, 1);
	put(&r, LAYER_KERNEL, -1, -1, "gemm", 700000, 800000, 1);
	for (int i = 0; i < 3; i++) {
		put(&r, LAYER_RUNTIME, 1, 1, "cudaLaunchKernel", 2100000 + i * 1000000, 2105000 + i * 1000000, (uint64_t)i + 2);
		put(&r, LAYER_KERNEL, -1, -1, "gemm", 2200000 + i * 1000000, 2300000 + i * 1000000, (uint64_t)i + 2);
	}
	if (busy)
		put(&r, LAYER_KERNEL, -1, -1, "other", 50000, 650000, CORR_NONE);
	run_done(&r);
	marks(&r, buf);
	run_free(&r);
}

static void test_first_launch(void)
{
	char buf[32];

	first_launch_marks(false, buf);
	is_str(buf, "w...", "warm-up: code that the first launch of a kernel loads is evidence");
	first_launch_marks(true, buf);
	is_str(buf, "o...", "warm-up: a launch that waits for a busy device is none");
}

static void test_steady(void)
{
	static const ns_t len[] = { 300, 100, 100, 100 }, few[] = { 300, 100, 100 };
	struct run r = run_new();

	put_steps(&r, 0, len, 4);
	run_done(&r);
	is_uint(r.f->procs[0].steady.n, 1, "steady steps in a row are one interval");
	is_int(r.f->procs[0].steady.a[0].start, 300, "from the end of the warm-up");
	is_int(r.f->procs[0].steady.a[0].end, 600, "to the end of the last period");
	ok(!r.f->procs[0].too_few, "three are enough");
	run_free(&r);
	r = run_new();
	put_steps(&r, 0, few, 3);
	run_done(&r);
	ok(r.f->procs[0].too_few, "two are too few for a verdict");
	is_int(spans_measure(&r.f->procs[0].steady), 500, "then every complete step is kept");
	ok(step(&r, 0)->warmup, "the mark stays");
	run_free(&r);
}

/* Five steps of 100 with 10 launches each; the last lost the kernels of `lost` launches. */
static struct run cut_run(int lost)
{
	static const ns_t len[] = { 100, 100, 100, 100, 100 };
	struct run r = run_new();

	put_steps(&r, 7, len, 5);
	for (int i = 0; i < 50; i++)
		launch(&r, i * 10, i >= 50 - lost ? 0 : (uint64_t)(i + 1));
	run_done(&r);
	return r;
}

static void test_partial(void)
{
	char buf[32];
	struct run r = cut_run(0);

	is_str(marks(&r, buf), ".....", "all work is there");
	run_free(&r);
	r = cut_run(3);
	is_str(marks(&r, buf), "....p", "launches without GPU work: cut");
	is_int(r.f->procs[0].steady.a[0].end, 400, "and not steady");
	run_free(&r);
	r = cut_run(13);
	ok(step(&r, 4)->partial, "what inner steps lack is not held against the last, more is");
	run_free(&r);
}

/* Two steps with `a` and `b` launches, of these lengths. */
static const char *stub_marks(int a, ns_t len_a, int b, ns_t len_b, char *buf)
{
	const ns_t len[] = { len_a, len_b };
	struct run r = run_new();

	put_steps(&r, 7, len, 2);
	for (int i = 0; i < a; i++)
		launch(&r, i * 10, (uint64_t)(i + 1));
	for (int i = 0; i < b; i++)
		launch(&r, len_a + i * 10, (uint64_t)(a + i + 1));
	run_done(&r);
	marks(&r, buf);
	run_free(&r);
	return buf;
}

static void test_stubs(void)
{
	static const ns_t len[] = { 100, 100, 100, 20 };
	struct run r;
	char buf[32];

	is_str(stub_marks(20, 1000, 0, 50, buf), ".p", "stub: the last of two, without launches");
	is_str(stub_marks(20, 1000, 9, 200, buf), ".p", "stub: less than half the launches in less than half the time");
	is_str(stub_marks(9, 200, 20, 1000, buf), "p.", "stub: or the first");
	is_str(stub_marks(20, 1000, 10, 200, buf), "o.", "half the launches is a short step");
	is_str(stub_marks(20, 1000, 9, 500, buf), "o.", "and so is half the time");
	r = run_new();
	put_steps(&r, 7, len, 4);
	for (int i = 0; i < 31; i++)
		host(&r, LAYER_OP, "aten::mm", i * 10, i * 10 + 5);
	run_done(&r);
	is_str(marks(&r, buf), "...p", "stub: without a device the ops count");
	run_free(&r);
}

/* ---- phases ---- */

static void phases(const struct run *r, ns_t start, ns_t end, ns_t out[PHASE_N])
{
	memset(out, 0, PHASE_N * sizeof(*out));
	for (ns_t t = start; t < end; t++)
		out[facts_phase_at(r->f, 0, t)]++;
}

static void is_phases(const struct run *r, const ns_t want[PHASE_N], const char *what)
{
	ns_t got[PHASE_N];

	phases(r, 0, 1000, got);
	for (int i = 0; i < PHASE_N; i++)
		is_int(got[i], want[i], "%s: %s", what, phase_name((enum phase)i));
}

static void test_phases(void)
{
	/* loader 100; forward 250 less the 50 inside it that the loader has; optimizer 100; backward on its own thread 220, of
	   which 60 of a checkpoint less the 20 of a node inside it are recompute; the marker of the main thread adds 80 */
	static const ns_t want[PHASE_N] = { 150, 200, 260, 40, 100, 250 };
	struct run r = run_new();

	host(&r, LAYER_ANNOT, "ProfilerStep#1", 0, 1000);
	host(&r, LAYER_ANNOT, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 100);
	host(&r, LAYER_ANNOT, "forward", 100, 350);
	host(&r, LAYER_ANNOT, "dataload", 200, 250);
	host(&r, LAYER_ANNOT, "backward", 400, 700);
	host(&r, LAYER_ANNOT, "Optimizer.step#AdamW.step", 800, 900);
	put(&r, LAYER_OP, 1, 2, "autograd::engine::evaluate_function: CheckpointFunctionBackward", 420, 500, CORR_NONE);
	put(&r, LAYER_OP, 1, 2, "CheckpointFunctionBackward", 430, 490, CORR_NONE);
	put(&r, LAYER_OP, 1, 2, "aten::mm", 435, 450, CORR_NONE);
	put(&r, LAYER_OP, 1, 2, "autograd::engine::evaluate_function: MmBackward0", 460, 480, CORR_NONE);
	put(&r, LAYER_OP, 1, 2, "autograd::engine::evaluate_function: AddBackward0", 510, 650, CORR_NONE);
	run_done(&r);
	is_phases(&r, want, "an autograd thread");
	is_int(facts_phase_at(r.f, 0, 425), PHASE_BACKWARD, "around the checkpoint");
	is_int(facts_phase_at(r.f, 0, 440), PHASE_RECOMPUTE, "forward work inside it");
	is_int(facts_phase_at(r.f, 0, 470), PHASE_BACKWARD, "a node inside that");
	is_int(facts_phase_at(r.f, 0, 950), PHASE_OTHER, "no marker");
	is_uint(r.p->threads[facts_issuer_at(r.f, 0, 440)].tid, 2, "the autograd thread issues while it is busy");
	is_uint(r.p->threads[facts_issuer_at(r.f, 0, 505)].tid, 1, "the main thread between its nodes");
	is_uint(r.p->threads[facts_issuer_at(r.f, 0, 650)].tid, 1, "and from its end on");
	run_free(&r);
}

/* emit_nvtx: the names have a tail, the phases are the same. */
static void test_nvtx_phases(void)
{
	static const ns_t want[PHASE_N] = { 0, 100, 250, 50, 0, 600 };
	struct run r = run_new();

	host(&r, LAYER_NVTX, "forward", 0, 100);
	put(&r, LAYER_NVTX, 1, 2, "autograd::engine::evaluate_function: CheckpointFunctionBackward, op_id = 3", 200, 500, CORR_NONE);
	put(&r, LAYER_NVTX, 1, 2, "CheckpointFunctionBackward, seq = 4, op_id = 4", 300, 350, CORR_NONE);
	put(&r, LAYER_NVTX, 1, 2, "aten::mm, op_id = 5, sizes = [[4, 4]]", 310, 320, CORR_NONE);
	host(&r, LAYER_NVTX, "step_1", 0, 1000);
	run_done(&r);
	ok(r.f->ops.from_nvtx, "the ops are NVTX ranges");
	is_uint(r.f->ops.n, 3, "three of them: markers are none");
	is_phases(&r, want, "emit_nvtx");
	run_free(&r);
}

/* Backward on the main thread is still backward. */
static void test_main_backward(void)
{
	static const ns_t want[PHASE_N] = { 0, 0, 150, 50, 0, 800 };
	struct run r = run_new();

	host(&r, LAYER_ANNOT, "ProfilerStep#1", 0, 1000);
	host(&r, LAYER_OP, "autograd::engine::evaluate_function: CheckpointFunctionBackward", 100, 300);
	host(&r, LAYER_OP, "CheckpointFunctionBackward", 200, 250);
	run_done(&r);
	is_phases(&r, want, "backward on the main thread");
	run_free(&r);
}

/* ---- launches, devices, classes ---- */

static void test_launch_facts(void)
{
	struct run r = run_new();
	const struct device_facts *d;
	ev_id kernel, call;
	size_t n;

	host(&r, LAYER_OP, "aten::add", 0, 50);
	host(&r, LAYER_OP, "aten::fill_", 10, 40);
	launch(&r, 20, 1);
	launch(&r, 45, 2);
	launch(&r, 70, 3);
	put(&r, LAYER_KERNEL, -1, -1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 100, 130, 4);
	run_done(&r);
	kernel = r.p->layer_first[LAYER_KERNEL];
	call = r.p->link[kernel];
	is_str(profile_str(r.p, r.f->ops.name[facts_op_of_call(r.f, call)], &n), "aten::fill_", "the innermost op of a launch");
	is_str(profile_str(r.p, r.f->ops.name[facts_op_of_call(r.f, r.p->link[kernel + 1])], &n), "aten::add", "the outer one");
	is_uint(facts_op_of_call(r.f, r.p->link[kernel + 2]), ID_NONE, "no op");
	is_uint(r.p->threads[facts_launch_thread(r.f, kernel)].tid, 1, "the launching thread");
	is_uint(facts_launch_thread(r.f, kernel + 3), ID_NONE, "unknown without a launch");
	is_int(facts_kclass(r.f, kernel)->class, KCLASS_ELEMENTWISE, "class of a kernel");
	is_int(facts_rt(r.f, call), RT_LAUNCH, "class of a call");
	d = facts_device(r.f, 0);
	ok(d != NULL, "the device");
	is_int(d ? spans_measure(&d->busy[BUSY_COMPUTE]) : -1, 15, "15 of compute");
	is_int(d ? spans_measure(&d->busy[BUSY_COMM]) : -1, 30, "30 of communication");
	is_int(d ? spans_measure(&d->any) : -1, 45, "45 of either");
	is_int(d ? d->last - d->first : -1, 100, "from 30 to 130");
	ok(r.f->procs[0].training, "a process that launches is one that trains");
	run_free(&r);
}

int main(void)
{
	struct err e = ERR_INIT;

	rules = rules_new(&e);
	if (!ok(rules != NULL, "rules: %s", e.text))
		return done_testing();
	test_roles();
	test_roles_by_work();
	test_main_thread();
	test_busy();
	test_profiler_steps();
	test_nvtx_steps();
	test_optimizer_steps();
	test_no_steps();
	test_warmup();
	test_first_launch();
	test_steady();
	test_partial();
	test_stubs();
	test_phases();
	test_nvtx_phases();
	test_main_backward();
	test_launch_facts();
	rules_free(rules);
	return done_testing();
}
