/*
 * test_advice.c - what a finding advises fits the file: copies by what is pinned, on which streams they are and what other work could
 * hide; unified memory by what made its pages move; first calls apart from those of a loop. One cost is told once, and batches that are
 * often late are no single ones.
 */
#include "tests/lib/finding_bench.h"

static void advises(const struct plan *p, const char *const *want, const char *const *not)
{
	struct bench be;
	struct table *t;
	const char *fix;

	open_bench(&be, p, 0);
	t = ask(&be, &an_findings);
	fix = text(t, row_of(t, p->rule), "fix");
	for (; *want; want++)
		ok(strstr(fix, *want) != NULL, "%s: says \"%s\": %s", p->rule, *want, fix);
	for (; *not; not++)
		ok(!strstr(fix, *not), "%s: does not say \"%s\"", p->rule, *not);
	table_free(t);
	close_bench(&be);
}
#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* 2.2 ms of copies alone in each step, beside 7.8 ms of kernels: all of it could be hidden. 1 ms of the first step is no work at all. */
static void test_hidden(void)
{
	struct plan p = { .rule = "copy-bound", .hole = 2200, .queued = true, .items = { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, 2200, 0, 0, 0 } } };

	advises(&p, WORDS("hide at most 44.00 ms of 44.00 ms", "a stream of their own already", "in pinned memory already", "20 copies from the host"),
		WORDS("Copy less", "Pinned memory first", "on streams of kernels"));
	p.items[0].what = QUEUED;
	advises(&p, WORDS("on streams of kernels"), WORDS("Copy less", "a stream of their own already"));
	p.items[0].what = PAGEABLE;
	advises(&p, WORDS("Pinned memory first: 100.0 %"), WORDS("in pinned memory already"));
	p.rule = "copy-not-hidden";
	p.hole = p.items[0].len = 1500;
	p.items[0].what = PINNED;
	advises(&p, WORDS("hide at most 30.00 ms of 30.00 ms", "in pinned memory already"), WORDS("Copy less", "Pinned memory first"));
}

/*
 * Copies from 1 ms to 10.9 ms of each step, kernels from 1 to 5 and from 10.9 to 11 ms: only 0.1 ms of kernels, 19 times in the window
 * of 200 ms, have no copy beside. Copies alone: 19 x 5.9 ms, and 5 ms of the last step.
 */
static void test_not_hidden(void)
{
	static const struct plan p = { .rule = "copy-bound", .hole = 5900, .queued = true,
		.items = { { PINNED, "Memcpy HtoD (Pinned -> Device)", -4000, 9900, 0, 0, 0 } } };

	advises(&p, WORDS("Copy less: other work could hide at most 1.90 ms of 117 ms", "in pinned memory already"),
		WORDS("Copy while other work runs", "on streams of kernels"));
}

/* Copies inside the device are told as such, and not as copies from the host. */
static void test_inside(void)
{
	static const struct plan p = { .rule = "device-copies", .hole = 2200, .queued = true,
		.items = { { INSIDE, "Memcpy DtoD (Device -> Device)", 0, 2200, 0, 0, 0 } } };
	struct bench be;
	struct table *t;

	advises(&p, WORDS("clone()", "Pinned memory and other streams do not help"), WORDS("pin_memory", "non_blocking"));
	open_bench(&be, &p, 0);
	t = ask(&be, &an_findings);
	ok(row_of(t, "copy-bound") == ROW_NONE && row_of(t, "copy-not-hidden") == ROW_NONE, "nothing comes from the host");
	is_int(num(t, row_of(t, "device-copies"), "window_loss_ns"), 20 * 2200 * US, "44 ms in 20 steps");
	table_free(t);
	close_bench(&be);
}

/* Migrations beside kernels are no overlap: the kernels wait for their pages, and the device is not just busy computing. */
static void test_unified(void)
{
	struct plan p = { .rule = "unified-memory", .items = { { MIGRATION, "Unified memory HtoD", -4000, 1500, 0, 0, 0 } } };
	struct bench be;
	struct table *t;

	advises(&p, WORDS("Bring the pages before"), WORDS("prefetched already", "pinned"));
	open_bench(&be, &p, 0);
	t = ask(&be, &an_findings);
	ok(strstr(text(t, row_of(t, p.rule), "evidence"), "30.00 ms lies beside kernels") != NULL, "20 x 1.5 ms: %s",
		text(t, row_of(t, p.rule), "evidence"));
	ok(row_of(t, "gpu-bound") == ROW_NONE, "kernels that wait for pages are not called busy");
	table_free(t);
	close_bench(&be);
	p.items[0].what = PREFETCH;
	advises(&p, WORDS("prefetched already"), WORDS("Bring the pages before"));
}

/*
 * No steps, 4 ms without work. One call of 2.5 ms is first use, whether it allocates or makes a stream; three of 0.8 ms are no first use,
 * nor is one of 0.9 ms.
 */
static void test_first_use(void)
{
	static const struct {
		const char *call;
		int len, n;
		const char *found, *not;
		int ns;
	} tries[] = {
		{ "cudaMalloc", 2500, 1, "idle-compile", "idle-allocator", 2500 * US },
		{ "cudaStreamCreate", 2500, 1, "idle-compile", "idle-allocator", 2500 * US },
		{ "cudaMalloc", 800, 3, "idle-allocator", "idle-compile", 2400 * US },
		{ "cudaMalloc", 900, 1, "idle-allocator", "idle-compile", 900 * US },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		struct plan p = { .rule = tries[i].found, .hole = 4000, .items = { { CALL, tries[i].call, 0, tries[i].len, tries[i].n, 0, 0 } },
			.x = { .steps = 1, .marker = -1 } };
		struct bench be;
		struct table *t;

		open_bench(&be, &p, 0);
		t = ask(&be, &an_findings);
		is_int(num(t, row_of(t, tries[i].found), "window_loss_ns"), tries[i].ns, "%d x %s of %d us: %s", tries[i].n, tries[i].call,
			tries[i].len, tries[i].found);
		ok(row_of(t, tries[i].not) == ROW_NONE, "and not %s", tries[i].not);
		ok(row_of(t, "allocator") == ROW_NONE, "nor memory that a loop allocates");
		table_free(t);
		close_bench(&be);
	}
}

/*
 * 3.55 ms of each step without work: 0.45 ms of tensors on the CPU, 0.45 ms of a loader, 0.95 ms of Python, each too little for its rule, and
 * 1.7 ms of an op that launches. The first 1 ms of the window is idle, too: 72 ms in all, of which the launches explain 34.
 */
static void test_rest(void)
{
	static const struct plan p = { .rule = "gpu-idle", .hole = 3550, .items = { { OP, "aten::randperm", 0, 450, 0, 0, 0 },
		{ ANNOT, "enumerate(DataLoader)#_MyIter.__next__", 450, 450, 0, 0, 0 }, { OP, "aten::add", 1850, 1700, 0, 0, 0 } } };
	struct plan more = p;
	struct bench be;
	struct table *t;

	open_bench(&be, &p, 0);
	t = ask(&be, &an_findings);
	is_int(num(t, row_of(t, "launch-bound"), "window_loss_ns"), 34000 * US, "20 x 1.7 ms");
	is_int(num(t, row_of(t, p.rule), "window_loss_ns"), 38000 * US, "and the rest, once");
	ok(strstr(text(t, row_of(t, p.rule), "evidence"), "Other findings tell 34.00 ms of it.") != NULL, "says so");
	table_free(t);
	close_bench(&be);
	/* 1.25 ms of tensors and 1.1 ms of a loader: each has its rule, and 1 ms of 82 is left */
	more.hole = 4050;
	more.items[0].len = 1250;
	more.items[1].at = 1250;
	more.items[1].len = 1100;
	more.items[2].at = 2350;
	open_bench(&be, &more, 0);
	t = ask(&be, &an_checks);
	is_str(text(t, row_of(t, p.rule), "why"), "explained by dataloader-bound, launch-bound, cpu-tensors", "together they explain it");
	table_free(t);
	close_bench(&be);
}

/* Two findings over the same time, of a user's rules: the larger one loses what the other one leaves. */
static void test_overlap(void)
{
	static const char rules[] = "table findings\n\n"
		"id mine\n  section sync\n  title mine\n  when idle_launch > 0us\n  lost idle_launch\n  overlaps theirs\n  says s\n"
		"  sample idle_launch=1ms\n  not idle_launch=0ms\n\n"
		"id theirs\n  section sync\n  title theirs\n  when idle > 0us\n  lost idle\n  says s\n  sample idle=1ms\n  not idle=0ms\n";
	static const struct plan p = { .rule = "theirs", .hole = 4050, .items = { { OP, "aten::add", 2350, 1700, 0, 0, 0 } } };
	struct bench be;
	struct err e = ERR_INIT;
	struct table *t;

	open_bench(&be, &p, 0);
	ok(rulebook_add_text(be.r, "user.rules", rules, strlen(rules), &e), "a user's rules: %s", e.text);
	t = ask(&be, &an_findings);
	is_int(num(t, row_of(t, "mine"), "window_loss_ns"), 34000 * US, "its own");
	is_int(num(t, row_of(t, "theirs"), "window_loss_ns"), 48000 * US, "82 ms, but 34");
	table_free(t);
	close_bench(&be);
}

/*
 * Workers that do not keep up make every second batch late: 2 ms in ten of 20 steps, where the device has nothing to do. That is 10 % of the
 * time in the loader. In four of the steps it is single batches, and of them the device's idle time is lost, not all of the loader's.
 */
static void test_late_batches(void)
{
	struct plan p = { .rule = "dataloader-workers-slow", .hole = 2000, .items = { { ANNOT, MULTI, 0, 2000, 0, 0, 10 },
		{ ANNOT, MULTI, -1000, 20, 0, 0, 0 } }, .x = { .gapless = 10 } };
	struct bench be;
	struct table *t;

	open_bench(&be, &p, 0);
	t = ask(&be, &an_checks);
	is_str(text(t, row_of(t, p.rule), "state"), "found", "half of the batches are late: %s", text(t, row_of(t, p.rule), "why"));
	is_str(text(t, row_of(t, "slow-first-batch"), "state"), "not found", "they are no single ones");
	table_free(t);
	close_bench(&be);
	p.items[0].skip = p.x.gapless = 16;
	open_bench(&be, &p, 0);
	t = ask(&be, &an_findings);
	ok(row_of(t, p.rule) == ROW_NONE && row_of(t, "dataloader-bound") == ROW_NONE, "four of 20 are no property of the loop");
	is_int(num(t, row_of(t, "slow-first-batch"), "window_loss_ns"), 4 * 2000 * US, "but single batches");
	table_free(t);
	close_bench(&be);
}

int main(void)
{
	test_late_batches();
	test_rest();
	test_overlap();
	test_first_use();
	test_hidden();
	test_not_hidden();
	test_inside();
	test_unified();
	return done_testing();
}
