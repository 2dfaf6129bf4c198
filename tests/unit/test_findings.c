/*
 * test_findings.c - each rule on a profile that fires it, and on one that just does not. The profiles are made here: 20 steps of
 * 10 ms in which the device computes all the time, but for a hole of known length in each step, with known events of host and
 * device in and beside it. So the share that a rule looks at is known: 1 % of the window are 100 us per step.
 */
#include "tests/lib/finding_bench.h"

static void try_plan(const struct plan *p)
{
	for (int fires = 1; fires >= 0; fires--) {
		struct bench be;
		struct table *t;
		int amount = fires ? p->fires : p->not;

		open_bench(&be, p, amount);
		t = ask(&be, &an_checks);
		if (!ok(holds(t, p->rule) == fires, "%s at %d: %s", p->rule, amount, fires ? "fires" : "does not fire"))
			diag("%s", text(t, row_of(t, p->rule), "why"));
		table_free(t);
		close_bench(&be);
	}
}

static const struct plan *plan_of(const char *rule)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		if (!strcmp(plans[i].rule, rule))
			return &plans[i];
	return NULL;
}

/* ---- what a finding says ---- */

/* 20 steps, in each a hole of 550 us that the loader fills: 11 ms of 200 ms. The first 1 ms of the window is idle, too, without loader. */
static void test_figures(void)
{
	struct bench be;
	struct table *t;
	uint32_t r;

	open_bench(&be, plan_of("dataloader-workers-slow"), 550);
	t = ask(&be, &an_findings);
	r = row_of(t, "dataloader-workers-slow");
	is_int(num(t, r, "saves_ns"), 550 * US, "per step");
	is_int(num(t, r, "window_loss_ns"), 20 * 550 * US, "over the window");
	is_int(num(t, r, "median_ns"), 550 * US, "median of the steps");
	is_int(num(t, r, "p90_ns"), 550 * US, "p90 of the steps");
	is_near(table_cell(t, r, (uint32_t)table_col(t, "share"))->v.f, 0.055, 1e-9, "11 of 200 ms");
	is_near(table_cell(t, r, (uint32_t)table_col(t, "presence"))->v.f, 1, 1e-9, "in every step");
	is_str(text(t, r, "severity"), "major", "5.5 %%: below 15 %%");
	is_str(text(t, r, "confidence"), "firm", "20 steps");
	is_str(text(t, r, "per"), "step", "given per step");
	is_int(t->refs[r].kind, REF_TIME, "leads to its instants");
	is_int(t->refs[r].b - t->refs[r].a, 550 * US, "the largest of them");
	ok(row_of(t, "gpu-idle") == ROW_NONE && row_of(t, "dataloader-bound") == ROW_NONE, "one cause, one finding");
	table_free(t);
	close_bench(&be);
}

/* A hole of 1.65 ms of which the host's op covers all: the gap ends with work launched 1 us before it starts. */
static void test_guide(void)
{
	struct bench be;
	struct table *t;

	open_bench(&be, plan_of("launch-bound"), 1650);
	t = ask(&be, &an_guide);
	is_uint(t->n_rows, 6, "stages");
	is_str(text(t, 0, "answer"), "no", "the steps are alike");
	is_str(text(t, 1, "answer"), "no", "no loader");
	is_str(text(t, 2, "answer"), "yes", "a gap");
	is_str(text(t, 3, "answer"), "no", "neither copies nor communication");
	is_str(text(t, 4, "answer"), "unknown", "no products: nothing to divide by");
	ok(t->refs[2].kind == REF_TIME, "the gap leads to its instants");
	table_free(t);
	close_bench(&be);
}

/* ---- a user's file ---- */

static const char user_rules[] =
	"table findings\n\n"
	"metric idle_mine gaps.time dataload/*\n"
	"ignore dataloader-workers-slow known, workers come next week\n\n"
	"id dataloader-bound\n"
	"  section input\n"
	"  title mine\n"
	"  when idle_mine / window >= 1%\n"
	"  lost idle_mine\n"
	"  says {idle_mine} of {window}, {idle_mine / window}\n"
	"  sample window=1s idle_mine=11ms\n"
	"  not window=1s idle_mine=9ms\n";

static void test_user(void)
{
	struct bench be;
	struct err e = ERR_INIT;
	struct table *t;
	uint32_t r;

	open_bench(&be, plan_of("dataloader-workers-slow"), 550);
	ok(rulebook_add_text(be.r, "user.rules", user_rules, strlen(user_rules), &e), "a user's rules: %s", e.text);
	ok(rulebook_check(be.r, NULL, NULL, NULL), "their samples hold");
	t = ask(&be, &an_checks);
	is_str(text(t, row_of(t, "dataloader-workers-slow"), "state"), "accepted", "ignored");
	is_str(text(t, row_of(t, "dataloader-workers-slow"), "why"), "accepted by the rules in use: known, workers come next week", "why");
	r = row_of(t, "dataloader-bound");
	is_str(text(t, r, "file"), "user.rules", "a rule of the same id is replaced");
	table_free(t);
	t = ask(&be, &an_findings);
	/* 11 ms of 200 ms, the first of five instances told */
	ok(strstr(text(t, row_of(t, "dataloader-bound"), "evidence"), "11.00 ms of 200 ms, 5.5 %") != NULL, "its words: %s",
		text(t, row_of(t, "dataloader-bound"), "evidence"));
	table_free(t);
	close_bench(&be);
}

static void bad(const char *body, const char *want)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	size_t n = rulebook_count(r);
	char file[512];

	snprintf(file, sizeof(file), "table findings\n\n%s", body);
	ok(!rulebook_add_text(r, "bad.rules", file, strlen(file), &e), "refused: %s", want);
	ok(strstr(e.text, want) != NULL, "says why: %s", e.text);
	is_uint(rulebook_count(r), n, "nothing is added");
	rulebook_free(r);
}

/* Each measure of a family has a bit of its own: as many as there are bits, with those of the program, and no more. */
static void test_many_metrics(void)
{
	struct sbuf b = { 0 };
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);

	sbuf_puts(&b, "table findings\n\n");
	for (int i = 0; i < 30; i++)
		sbuf_printf(&b, "metric mine_%d kernels.time name%d\n", i, i);
	ok(rulebook_add_text(r, "many.rules", sbuf_str(&b), b.n, &e), "30 more measures of kernels: %s", e.text);
	sbuf_reset(&b);
	sbuf_puts(&b, "table findings\n\n");
	for (int i = 20; i < 70; i++)
		sbuf_printf(&b, "metric mine_%d kernels.time other%d\n", i, i);
	ok(!rulebook_add_text(r, "more.rules", sbuf_str(&b), b.n, &e) && strstr(e.text, "more than 64 measures of the family kernels"),
		"40 more are refused, for two would share a bit: %s", e.text);
	sbuf_fini(&b);
	rulebook_free(r);
}

static void test_bad(void)
{
	test_many_metrics();
#define REST "  section input\n  title t\n  says s\n  lost idle\n  sample idle=1ms\n  not idle=0ms\n"
	bad("id a\n" REST, "when is missing");
	bad("id a\n  when nothing > 3\n" REST, "no such metric");
	bad("id a\n  when idle ? 3\n" REST, "a condition needs one of");
	bad("id a\n  when (idle > 3\n" REST, "a bracket is missing");
	bad("id a\n  when idle >= 3furlongs\n" REST, "not a number");
	bad("id a\n  when idle > 3\n  severity awful\n" REST, "severity is");
	bad("id a\n  when idle > 3\n  colour red\n" REST, "unknown key");
	bad("id a\n  when idle > 3\n  fix {idle:furlongs}\n" REST, "no such format");
	bad("id a\n  when idle > 3\n  fix {idle\n" REST, "a { without }");
	bad("metric x gaps.weight *\n", "no such FAMILY.MEASURE");
	bad("metric idle gaps.time *\n", "the program has a metric of this name");
	bad("metric X gaps.time *\n", "small letters");
#undef REST
}

/* Fewer than three steps: everything is told with low confidence, and no verdict is given. */
static void test_few(void)
{
	struct bench be;
	struct scope sc;
	struct err e = ERR_INIT;
	struct table *t;

	open_bench(&be, plan_of("launch-bound"), 1650);
	scope_init(&sc);
	sc.window = WINDOW_STEPS;
	sc.step_a = 4;
	sc.step_b = 5;
	t = analysis_table(&an_findings, be.cx, &sc, &e);
	is_str(text(t, row_of(t, "launch-bound"), "confidence"), "low", "two steps");
	is_str(text(t, row_of(t, "launch-bound"), "severity"), "major", "never critical");
	ok(strlen(text(t, row_of(t, "launch-bound"), "caution")) > 0, "says why: %s", text(t, row_of(t, "launch-bound"), "caution"));
	table_free(t);
	close_bench(&be);
}

/* One gap over four steps of 10 ms, in each of which the loader takes 6 ms: it belongs to all four, and the loader explains most of it. */
static void test_long_gap(void)
{
	struct gen g = { .b = builder_new() };
	struct bench be = { session_new(), NULL, NULL };
	struct err e = ERR_INIT;
	struct table *t;

	put_tracks(&g);
	builder_caps(g.b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	for (int i = 0; i < 4; i++) {
		char name[32];

		put(&g, g.annot, numbered("ProfilerStep#@", i, name), i * STEP, (i + 1) * STEP, CORR_NONE, ID_NONE);
		put(&g, g.annot, MULTI, i * STEP + 2000 * US, i * STEP + 8000 * US, CORR_NONE, ID_NONE);
	}
	put_work(&g, g.s7, BUSY, 100 * US, 200 * US, g.call, "cudaLaunchKernel", 50 * US, ID_NONE);
	put_work(&g, g.s7, BUSY, 39900 * US, 39990 * US, g.call, "cudaLaunchKernel", 39850 * US, ID_NONE);
	session_put(be.s, session_add(be.s, "made.json"), builder_finish(g.b), SOURCE_READY);
	builder_free(g.b);
	be.r = rulebook_new(&e);
	be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
	t = ask(&be, &an_checks);
	is_str(text(t, row_of(t, "dataloader-workers-slow"), "state"), "found", "24 of 39.7 ms of idle time is loading");
	is_str(text(t, row_of(t, "dataloader-bound"), "why"), "explained by dataloader-workers-slow", "in four of four steps");
	is_str(text(t, row_of(t, "gpu-idle"), "state"), "explained", "one cause explains most of it");
	table_free(t);
	close_bench(&be);
}

/* The host is in one of 20 steps for 18 ms, in the next for 2, in all others for 10; the device's work of the later ones starts as planned, or not. */
static void test_pace(void)
{
	for (int late = 0; late < 2; late++) {
		struct gen g = { .b = builder_new() };
		struct bench be = { session_new(), NULL, NULL };
		struct err e = ERR_INIT;
		struct table *t;

		put_tracks(&g);
		builder_caps(g.b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
		for (int i = 0; i < STEPS; i++) {
			ns_t at = i * STEP + (i == 6 ? 8000 * US : 0), end = (i + 1) * STEP + (i == 5 ? 8000 * US : 0);
			ns_t work = 5 * STEP + i * STEP + (late && i > 5 ? 8000 * US : 0);
			char name[32];

			snprintf(name, sizeof(name), "ProfilerStep#%d", i);
			put(&g, g.annot, name, at, end, CORR_NONE, ID_NONE);
			put_work(&g, g.s7, BUSY, work, work + STEP, g.call, "cudaLaunchKernel", at + 10 * US, ID_NONE);
		}
		session_put(be.s, session_add(be.s, "made.json"), builder_finish(g.b), SOURCE_READY);
		builder_free(g.b);
		be.r = rulebook_new(&e);
		be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
		t = ask(&be, &an_checks);
		ok(holds(t, "long-steps") == late, "%s: %s", late ? "the device is late as well" : "the device keeps its pace",
			text(t, row_of(t, "long-steps"), "why"));
		table_free(t);
		close_bench(&be);
	}
}

/*
 * 0.1 ms of loading in each step, and 20 ms more in one: 10 % of all, but no property of the steps. Gaps of 1 ms, 60 ms longer in one, and
 * the 1 ms that the device is late: 81 ms in 20 steps.
 */
static void test_single_step(void)
{
	static const struct {
		struct plan p;
		const char *why;
	} tries[] = {
		{ { .rule = "dataloader-bound", .hole = 100, .longer = 20000,
			.items = { { ANNOT, "enumerate(DataLoader)#_MyIter.__next__", 0, HOLE, 0, 0, 0 } } }, "in 1 of 20 steps only" },
		{ { .rule = "gaps-per-step", .hole = 1000, .longer = 60000 }, "the median is 1.00 ms, the mean 4.05 ms" },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		const char *rule = tries[i].p.rule;
		struct bench be;
		struct table *t;

		open_bench(&be, &tries[i].p, 0);
		t = ask(&be, &an_checks);
		is_str(text(t, row_of(t, rule), "state"), "not found", "%s: a loss in one step alone", rule);
		ok(strstr(text(t, row_of(t, rule), "why"), tries[i].why) != NULL, "is told so: %s", text(t, row_of(t, rule), "why"));
		table_free(t);
		close_bench(&be);
	}
}

/* Without steps: three blocking copies, of which one makes nearly all of the loss, are no property of a loop; three alike are. */
static void test_no_steps(void)
{
	for (int alike = 0; alike < 2; alike++) {
		struct plan p = { .rule = "blocking-copies", .hole = 3000, .items = { { CALL, "cudaMemcpy", 0, 1000, 0, 0, 0 },
			{ CALL, "cudaMemcpy", 1000, alike ? 1000 : 20, 0, 0, 0 }, { CALL, "cudaMemcpy", 2000, alike ? 1000 : 20, 0, 0, 0 } },
			.x = { .steps = 1, .marker = -1 } };
		struct bench be;
		struct table *t;

		open_bench(&be, &p, 0);
		t = ask(&be, &an_checks);
		is_str(text(t, row_of(t, p.rule), "state"), alike ? "found" : "not found", "%s", alike ? "three alike" : "one of three");
		if (!alike)
			ok(strstr(text(t, row_of(t, p.rule), "why"), "one event makes 1.00 ms of 1.04 ms") != NULL, "is told so: %s",
				text(t, row_of(t, p.rule), "why"));
		table_free(t);
		close_bench(&be);
	}
}

/* 50 us of an idle device: every share of them is 100 %, and none is a verdict. */
static void test_short_window(void)
{
	struct bench be;
	struct scope sc;
	struct err e = ERR_INIT;
	struct table *t;

	open_bench(&be, plan_of("launch-bound"), 1650);
	scope_init(&sc);
	sc.window = WINDOW_TIME;
	sc.start_ns = 5100 * US;
	sc.end_ns = 5150 * US;
	t = analysis_table(&an_checks, be.cx, &sc, &e);
	is_str(text(t, row_of(t, "launch-bound"), "state"), "not tested", "a window below 100 us");
	is_str(text(t, row_of(t, "gpu-idle"), "state"), "not tested", "nothing of it");
	table_free(t);
	close_bench(&be);
}

/* A file without GPU work asks for it. */
static void test_no_gpu(void)
{
	static const struct plan p = { .rule = "record-gpu", .x.lacks = CAP_GPU };

	for (int lacks = 0; lacks < 2; lacks++) {
		struct plan with = p;
		struct bench be;
		struct table *t;

		with.x.lacks = lacks ? CAP_GPU : 0;
		open_bench(&be, &with, 0);
		t = ask(&be, &an_checks);
		is_str(text(t, row_of(t, p.rule), "state"), lacks ? "found" : "not found", "record-gpu, %s", lacks ? "without" : "with");
		table_free(t);
		close_bench(&be);
	}
}

/* Eight collectives are too few to compare: that is told, and not that there are none; beside the other rank's source it is no question. */
static void test_straggler(void)
{
	static const char rule[] = "straggler-suspected";
	struct plan few = { .rule = rule, .items = { { BESIDE, REDUCE, -4000, 300, 4, 0, 0 } }, .x.steps = 2 };
	struct plan other = *plan_of(rule);
	struct bench be;
	struct table *t;

	open_bench(&be, &few, 0);
	t = ask(&be, &an_checks);
	is_str(text(t, row_of(t, rule), "why"), "too few communication kernels of one name, 10 are needed", "eight are there");
	table_free(t);
	close_bench(&be);
	for (int together = 0; together < 2; together++) {
		open_bench(&be, &other, other.fires);
		be.s->sources[0].profile->rank = 0;
		if (together) {
			struct profile *p = make(&other, other.fires, STEP);

			p->rank = 1;
			an_ctx_free(be.cx);	/* it knows the sources that there were when it was made */
			session_put(be.s, session_add(be.s, "rank1.json"), p, SOURCE_READY);
			be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
		}
		t = ask(&be, &an_checks);
		ok(holds(t, rule) == !together, "%s: %s", together ? "both ranks are open" : "one rank", text(t, row_of(t, rule), "why"));
		table_free(t);
		close_bench(&be);
	}
}

/* Calls that wait say nothing of what they cost where the device's work is not recorded. */
static void test_waits_alone(void)
{
	struct plan p = *plan_of("sync-harmless");
	struct bench be;
	struct table *t;

	p.x.lacks = CAP_GPU;
	open_bench(&be, &p, p.fires);
	t = ask(&be, &an_checks);
	is_str(text(t, row_of(t, p.rule), "state"), "not tested", "no waits are called harmless");
	is_str(text(t, row_of(t, p.rule), "why"), "not known: GPU work", "for want of the device");
	table_free(t);
	close_bench(&be);
}

/* Main threads of a dump: so many in a collective, in a queue's lock, in code of their own. */
static struct profile *make_dump(int collective, int lock, int own)
{
	static const char *const where[][2] = { { "all_reduce", "torch/distributed/distributed_c10d.py" }, { "wait", "threading.py" }, { "step", "train.py" } };
	const int n[] = { collective, lock, own };
	struct builder *b = builder_new();
	struct profile *p;
	int32_t frames = 0;

	builder_set_format(b, FORMAT_PYSPY_DUMP);
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < n[k]; i++, frames += 2) {
			struct frame_node f = { .parent = -1, .file = ID_NONE, .class_name = ID_NONE, .kind = NODE_THREAD, .samples = 1,
				.function = builder_intern(b, "thread (1): MainThread", 22), .total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN };

			builder_frame(b, &f);
			f.parent = frames;
			f.kind = NODE_CODE;
			f.function = builder_intern(b, where[k][0], strlen(where[k][0]));
			f.file = builder_intern(b, where[k][1], strlen(where[k][1]));
			builder_frame(b, &f);
		}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* 100 samples without times, 60 of them in the loader and 40 of these in PIL; and a tenth of that, which is too few. */
static void test_counts(void)
{
	static const struct { const char *function, *file; int parent, samples; } frames[] = {
		{ "main", "train.py", -1, 100 }, { "fetch", "torch/utils/data/_utils/fetch.py", 0, 60 }, { "load", "PIL/ImageFile.py", 1, 40 },
	};

	for (int by = 1; by <= 10; by += 9) {
		struct builder *b = builder_new();
		struct bench be = { session_new(), NULL, NULL };
		struct err e = ERR_INIT;
		struct table *t;

		builder_set_format(b, FORMAT_COLLAPSED);
		for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
			builder_frame(b, &(struct frame_node){ .parent = frames[i].parent, .class_name = ID_NONE, .kind = NODE_CODE,
				.function = builder_intern(b, frames[i].function, strlen(frames[i].function)),
				.file = builder_intern(b, frames[i].file, strlen(frames[i].file)), .samples = frames[i].samples / by,
				.total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN });
		session_put(be.s, session_add(be.s, "raw.txt"), builder_finish(b), SOURCE_READY);
		builder_free(b);
		be.r = rulebook_new(&e);
		be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
		t = ask(&be, &an_checks);
		is_str(text(t, row_of(t, "slow-decode-pil"), "state"), by == 1 ? "found" : "not tested", "of %d samples", 100 / by);
		if (by > 1)
			is_str(text(t, row_of(t, "gc-frames"), "why"), "too few samples, 100 are needed", "too few");
		table_free(t);
		if (by == 1) {
			t = ask(&be, &an_findings);
			ok(strstr(text(t, row_of(t, "slow-decode-pil"), "evidence"), "PIL takes 66.7 % (40 samples of 60 samples)") != NULL,
				"in samples: %s", text(t, row_of(t, "slow-decode-pil"), "evidence"));
			table_free(t);
		}
		close_bench(&be);
	}
}

static void test_hung(void)
{
	static const struct { int collective, lock, own; bool hangs, waits; } dumps[] = {
		{ 2, 0, 1, true, false }, { 3, 0, 0, false, false }, { 0, 3, 0, false, true }, { 0, 2, 1, false, false },
	};

	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		struct bench be = { session_new(), NULL, NULL };
		struct err e = ERR_INIT;
		struct table *t;

		session_put(be.s, session_add(be.s, "dump.txt"), make_dump(dumps[i].collective, dumps[i].lock, dumps[i].own), SOURCE_READY);
		be.r = rulebook_new(&e);
		be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
		t = ask(&be, &an_checks);
		is_str(text(t, row_of(t, "hung-collective"), "state"), dumps[i].hangs ? "found" : "not found", "dump %zu: hangs in a collective", i);
		is_str(text(t, row_of(t, "hung-waiting"), "state"), dumps[i].waits ? "found" : "not found", "dump %zu: all wait", i);
		table_free(t);
		close_bench(&be);
	}
}

/* Every rule has a profile above that fires it, and one that does not. */
static void test_all_planned(void)
{
	struct bench be;
	struct table *t;
	int c;

	open_bench(&be, plan_of("launch-bound"), 1650);
	t = ask(&be, &an_checks);
	c = table_col(t, "id");
	for (uint32_t r = 0; r < t->n_rows; r++) {
		const char *id = table_cell(t, r, (uint32_t)c)->v.s;

		ok(plan_of(id) || !strcmp(id, "record-gpu") || !strncmp(id, "hung-", 5) || !strncmp(id, "calls-f", 7), "%s is tried", id);
	}
	table_free(t);
	close_bench(&be);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		try_plan(&plans[i]);
	test_figures();
	test_guide();
	test_user();
	test_bad();
	test_few();
	test_long_gap();
	test_pace();
	test_single_step();
	test_no_steps();
	test_short_window();
	test_no_gpu();
	test_waits_alone();
	test_straggler();
	test_hung();
	test_counts();
	test_all_planned();
	return done_testing();
}
