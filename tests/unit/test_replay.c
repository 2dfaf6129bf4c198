/* test_replay.c - replays of a hand-made run, figures worked out in the comments; and what changes look like on the command line */
#include "base/mem.h"
#include "replay/change.h"
#include "replay/replay.h"
#include "tests/lib/an_bench.h"

#define US INT64_C(1000)
#define STEP_US 1000
#define N_STEPS 5

/*
 * Steps of 1000 us, all alike; times within a step, us:
 *
 *	host	load 0-400 | launch 400-410 | launch 420-430 | cudaStreamSynchronize 440-815 | rest to 1000
 *	device	             GEMM 405-705, 5 after its launch on an idle device | elementwise 705-805, right behind it
 *
 * The wait returns 10 after the end of the work. Its own cost shows nowhere, so it is what is left of the shortest: those 10.
 */
static struct profile *make_run(void)
{
	struct builder *b = builder_new();
	thread_id main = builder_thread(b, 1, 1);
	track_id notes = builder_host_track(b, LAYER_ANNOT, main, ID_NONE, 0), calls = builder_host_track(b, LAYER_RUNTIME, main, ID_NONE, 0);
	track_id ops = builder_host_track(b, LAYER_OP, main, ID_NONE, 0), s7 = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 0);
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	for (int i = 0; i < N_STEPS; i++) {
		ns_t t = i * STEP_US * US;
		char step[32];

		snprintf(step, sizeof(step), "ProfilerStep#%d", i + 1);
		put(b, notes, step, t, t + STEP_US * US, CORR_NONE, ID_NONE);
		put(b, notes, "load", t, t + 400 * US, CORR_NONE, ID_NONE);
		put(b, ops, "aten::mm", t + 400 * US, t + 415 * US, CORR_NONE, ID_NONE);
		put(b, calls, "cudaLaunchKernel", t + 400 * US, t + 410 * US, (uint64_t)(10 * i + 1), 0);
		put(b, calls, "cudaLaunchKernel", t + 420 * US, t + 430 * US, (uint64_t)(10 * i + 2), 0);
		put(b, calls, "cudaStreamSynchronize", t + 440 * US, t + 815 * US, (uint64_t)(10 * i + 3), 0);
		put(b, s7, "ampere_sgemm_128x64_tn", t + 405 * US, t + 705 * US, (uint64_t)(10 * i + 1), ID_NONE);
		put(b, s7, "void at::native::vectorized_elementwise_kernel<4>()", t + 705 * US, t + 805 * US, (uint64_t)(10 * i + 2), ID_NONE);
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static const struct {
	const char *change;
	ns_t step_us;		/* of every step */
	const char *because;
} known[] = {
	{ "drop class:NoSuchClass", 1000, "nothing is changed" },
	{ "drop annotation:load", 600, "400 of the host are gone, the rest follows it" },
	{ "scale annotation:load 0.5", 800, "200 of them" },
	{ "scale annotation:load 1.5", 1200, "200 more" },
	{ "scale class:GEMM 0.5", 850, "405-555, then 555-655, the wait ends at 665 instead of 815" },
	{ "drop kernel:ampere_*", 720, "the other kernel still runs for 100, from 425 (launch + 5): the wait ends at 535" },
	{ "drop class:*", 635, "both are done at 425, the wait ends after its own 10: 450 instead of 815" },
	{ "async call:cudaStreamSynchronize", 635, "the same for the host; the device is done before the next launch" },
	{ "launch 0", 1000, "the host waits for the device as before" },
	{ "launch 100000", 1000, "launches at 400-500 and 510-610, work 405-705 and 705-805 as before" },
	{ "launch 400000", 1415, "400-800, 810-1210: work 815-915, the wait from 1220 takes its own 10, then 185 are left" },
	{ "fuse class:*", 900, "one work of 300, done at 705; the wait ends at 715" },
	{ "scale phase:nothing 0.5", 1000, "no such phase" },
};

static void test_known(void)
{
	struct profile *(*make[])(void) = { make_run };
	struct bench be = bench_new(make, 1);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct changes cs = { xcalloc(1, sizeof(*cs.a)), 1 };
		struct err e = ERR_INIT;
		struct table *t;

		ok(change_parse(known[i].change, &cs.a[0], &e), "%s", known[i].change);
		be.cx->changes = &cs;
		t = view(&be, &an_whatif, "steady", "none");
		is_int(num(t, 0, "step_ns"), 1000 * US, "%s: as recorded", known[i].change);
		is_int(num(t, 0, "replayed_ns"), known[i].step_us * US, "%s: %s", known[i].change, known[i].because);
		is_int(num(t, 0, "gain_ns"), (1000 - known[i].step_us) * US, "%s: gain", known[i].change);
		table_free(t);
		change_fini(&cs.a[0]);
		free(cs.a);
	}
	bench_end(&be);
}

/* The second row has both changes: without the loader 600, and 150 less of the device. */
static void test_several(void)
{
	struct profile *(*make[])(void) = { make_run };
	struct bench be = bench_new(make, 1);
	struct changes cs = { xcalloc(2, sizeof(*cs.a)), 2 };
	struct err e = ERR_INIT;
	struct table *t;

	ok(change_parse("drop annotation:load", &cs.a[0], &e) && change_parse("scale class:GEMM 0.5", &cs.a[1], &e), "two changes");
	be.cx->changes = &cs;
	t = view(&be, &an_whatif, "steady", "none");
	is_int(t->n_rows, 2, "two rows");
	ROW_IS(t, 0, "the first", { "replayed_ns", 600 * US });
	ROW_IS(t, 1, "both", { "replayed_ns", 450 * US }, { "gain_ns", 550 * US }, { "low_ns", 550 * US }, { "high_ns", 550 * US });
	ok(cell(t, 1, "trusted")->v.b, "all of it is explained");
	table_free(t);
	for (size_t i = 0; i < 2; i++)
		change_fini(&cs.a[i]);
	free(cs.a);
	bench_end(&be);
}

/* The sum of a kind over the rows with this owner (NULL: all), per step. */
static ns_t critical_us(const struct table *t, const char *kind, const char *owner)
{
	ns_t sum = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		if (!strcmp(text(t, i, "category"), kind) && (!owner || (text(t, i, "owner") && !strcmp(text(t, i, "owner"), owner))))
			sum += num(t, i, "time_ns");
	return sum / US / N_STEPS;
}

/* 0-400 the host, 5 until the first kernel starts, 300 and 100 of kernels, 10 until the wait returns, 185 of the host: 1000. */
static void test_critical(void)
{
	struct profile *(*make[])(void) = { make_run };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_critical, "steady", "none");
	ns_t sum = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		sum += num(t, i, "time_ns");
	is_int(sum, N_STEPS * STEP_US * US, "all rows sum to the steps");
	is_int(critical_us(t, "host", NULL), 585, "the host");
	is_int(critical_us(t, "launch latency", "GEMM"), 5, "launch of the first kernel");
	is_int(critical_us(t, "compute", "GEMM"), 300, "the first kernel");
	is_int(critical_us(t, "compute", "Elementwise"), 100, "the second, which follows it");
	is_int(critical_us(t, "wait return", "cudaStreamSynchronize"), 10, "the return of the wait");
	is_int(critical_us(t, "residual", NULL), 0, "nothing is left unexplained");
	table_free(t);
	t = view(&be, &an_critical, "steady", "step");
	sum = 0;
	for (uint32_t i = 0; i < t->n_rows; i++)
		sum += num(t, i, "by") == 2 ? num(t, i, "time_ns") : 0;
	is_int(sum, STEP_US * US, "the rows of one step sum to it");
	table_free(t);
	bench_end(&be);
}

/*
 * The first kernel is of fp32 by its name: at half its time 850. The other one is elementwise: 55 instead of 100, so 805. No other change has
 * anything to change, or gains: launches at 1 us leave the host waiting for the device, as long as it lasts.
 */
static void test_plan(void)
{
	struct profile *(*make[])(void) = { make_run };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_plan, "steady", "none");

	is_int(t->n_rows, 3, "as recorded, and two changes");
	ROW_IS(t, 0, "as recorded", { "step_ns", 1000 * US }, { "gain_ns", I64_UNKNOWN });
	is_str(text(t, 1, "change"), "scale dtype:fp32 0.5", "the best first");
	ROW_IS(t, 1, "lower precision", { "step_ns", 850 * US }, { "gain_ns", 150 * US }, { "cumulative_ns", 150 * US });
	is_str(text(t, 2, "change"), "scale class:Elementwise 0.55", "then the other");
	ROW_IS(t, 2, "elementwise", { "step_ns", 805 * US }, { "gain_ns", 45 * US }, { "cumulative_ns", 195 * US });
	table_free(t);
	bench_end(&be);
}

static void test_parse(void)
{
	static const struct {
		const char *text, *wrong;	/* part of the message */
	} bad[] = {
		{ "", "is no" }, { "dorp class:GEMM", "did you mean drop" }, { "drop", "takes KIND:NAME" }, { "drop GEMM", "takes KIND:NAME" },
		{ "drop klass:GEMM", "did you mean class" }, { "drop class:", "names nothing" }, { "scale class:GEMM", "ends with a factor" },
		{ "scale class:GEMM x", "ends with a factor" }, { "scale class:GEMM -1", "ends with a factor" }, { "launch", "launch takes" },
		{ "launch 1us", "launch takes" }, { "async class:GEMM", "async is about" }, { "overlap op:aten::mm", "work of a device" },
		{ "fuse phase:forward", "work of a device" },
	};
	struct err e = ERR_INIT;
	struct change c;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok(!change_parse(bad[i].text, &c, &e) && e.code == ERR_USAGE, "refused: %s", bad[i].text);
		ok(strstr(e.text, bad[i].wrong), "%s", e.text);
	}
	ok(change_parse("scale annotation:my range: 2 parts 0.25", &c, &e), "blanks and colons in a name");
	is_str(c.glob, "my range: 2 parts", "the name");
	is_near(c.factor, 0.25, 1e-12, "the factor");
	change_fini(&c);
	ok(change_parse("drop op:autograd::engine::evaluate_function: *", &c, &e), "colons behind the first");
	is_str(c.glob, "autograd::engine::evaluate_function: *", "the name");
	change_fini(&c);
}

int main(void)
{
	test_parse();
	test_known();
	test_several();
	test_critical();
	test_plan();
	return done_testing();
}
