/* test_ranks.c - ranks of one run against runs whose clocks, arrivals and waits are known, because the test made them */
#include <stdio.h>

#include "base/mem.h"
#include "tests/lib/an_bench.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

enum { RANKS_MAX = 64, STEP_MS = 10 };

/*
 * A run: in each step of 10 ms, `calls` all-reduces 1.5 ms apart. A rank arrives up to 50 us late, the slow one `late` more; all leave 200 us
 * after the last arrival, but for 1 us to either side. Rank r's clock shows t + offset[r] + drift[r] * t at the time t.
 */
struct plan {
	uint32_t ranks, steps, calls, slow;
	ns_t late;
	ns_t offset[RANKS_MAX];
	double drift[RANKS_MAX];
	uint32_t odd_rank;		/* has one call less in step 3; UINT32_MAX none */
	bool same_rank, no_rank, sampled;
	int64_t bytes_of_odd;		/* 0: no sizes are recorded */
	ns_t gemm;			/* that each rank computes before a call; 0: all the time since the call before, -1: none */
};
struct truth {
	ns_t wait[RANKS_MAX], waits;	/* without those of step 3 on where one is odd */
	uint32_t instances;
};

static uint64_t seed;

static ns_t random_below(ns_t n)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (ns_t)((seed >> 33) % (uint64_t)n);
}

static ns_t shown(const struct plan *pl, uint32_t r, ns_t t)
{
	return t + pl->offset[r] + (ns_t)(pl->drift[r] * (double)t);
}

struct rank_tracks {
	struct builder *b;
	track_id notes, calls, stream, compute;
	uint64_t corr;
	ns_t free;			/* true time from which on the device has nothing to do */
};

static void begin_rank(const struct plan *pl, struct rank_tracks *rt, uint32_t r)
{
	thread_id main;

	rt->b = builder_new();
	main = builder_thread(rt->b, 1, 1);
	rt->notes = builder_host_track(rt->b, LAYER_ANNOT, main, ID_NONE, 0);
	rt->calls = builder_host_track(rt->b, LAYER_RUNTIME, main, ID_NONE, 0);
	rt->stream = builder_gpu_track(rt->b, LAYER_KERNEL, 1, r, 1, 7, 0);
	rt->compute = builder_gpu_track(rt->b, LAYER_KERNEL, 1, r, 1, 20, 0);
	rt->corr = 1;
	rt->free = 0;
	builder_set_format(rt->b, FORMAT_TORCH);
	builder_caps(rt->b, CAP_RUNTIME | CAP_GPU);
	builder_set_epoch(rt->b, 0);
	if (!pl->no_rank)
		builder_set_rank(rt->b, pl->same_rank ? 3 : r, pl->ranks);
	for (uint32_t s = 0; s < pl->steps; s++) {
		char step[32];

		snprintf(step, sizeof(step), "ProfilerStep#%u", s);
		put(rt->b, rt->notes, step, shown(pl, r, s * STEP_MS * MS), shown(pl, r, (s + 1) * STEP_MS * MS), CORR_NONE, ID_NONE);
	}
}

static uint32_t sized(const struct plan *pl, struct builder *b, uint32_t r)
{
	struct collective_detail d = { .name = name(b, "allreduce"), .dtype = name(b, "Float"), .group = name(b, "0"), .ranks = name(b, "all"),
		.in_elems = 250000, .out_elems = 250000, .group_size = pl->ranks };
	struct kernel_detail k = { 0 };

	if (!pl->bytes_of_odd)
		return ID_NONE;
	if (r == pl->odd_rank)
		d.in_elems = d.out_elems = pl->bytes_of_odd / 4;
	k.collective = builder_collective(b, &d) + 1;
	return builder_kernel_detail(b, &k);
}

static void call(const struct plan *pl, struct rank_tracks *rt, uint32_t r, ns_t arrival, ns_t end)
{
	ns_t at = shown(pl, r, arrival), until = pl->gemm ? rt->free + pl->gemm : arrival;

	if (pl->gemm >= 0)
		put(rt->b, rt->compute, "ampere_sgemm_128x64_tn", shown(pl, r, rt->free), shown(pl, r, until), CORR_NONE, ID_NONE);
	rt->free = end;
	put(rt->b, rt->calls, "cudaLaunchKernel", at - 20 * US, at - 15 * US, rt->corr, 0);
	put(rt->b, rt->stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", at, shown(pl, r, end), rt->corr,
		sized(pl, rt->b, r));
	rt->corr++;
}

static void one_call(const struct plan *pl, struct rank_tracks *rt, uint32_t s, uint32_t c, struct truth *tr)
{
	ns_t arrival[RANKS_MAX], last = 0, at = s * STEP_MS * MS + MS + c * 1500 * US;
	bool odd = pl->odd_rank != UINT32_MAX && s >= 3 && !pl->bytes_of_odd;

	for (uint32_t r = 0; r < pl->ranks; r++) {
		arrival[r] = at + random_below(50 * US) + (r == pl->slow ? pl->late : 0);
		last = arrival[r] > last ? arrival[r] : last;
	}
	for (uint32_t r = 0; r < pl->ranks; r++) {
		ns_t end = last + 199 * US + random_below(2 * US);

		if ((r == pl->odd_rank && s == 3 && c == 0 && !pl->bytes_of_odd) || (pl->sampled && random_below(2)))
			continue;
		call(pl, &rt[r], r, arrival[r], end);
		if (odd)
			continue;
		tr->wait[r] += last - arrival[r];
		tr->waits += last - arrival[r];
	}
	tr->instances += !odd;
}

static struct bench run_of(const struct plan *pl, struct truth *tr)
{
	struct bench be = { session_new(), NULL, NULL };
	struct rank_tracks rt[RANKS_MAX];
	struct err e = ERR_INIT;

	memset(tr, 0, sizeof(*tr));
	for (uint32_t r = 0; r < pl->ranks; r++)
		begin_rank(pl, &rt[r], r);
	for (uint32_t s = 0; s < pl->steps; s++)
		for (uint32_t c = 0; c < pl->calls; c++)
			one_call(pl, rt, s, c, tr);
	for (uint32_t r = 0; r < pl->ranks; r++) {
		char path[64];

		snprintf(path, sizeof(path), "run_local_rank9/node1_rank_%u.json", r);
		session_put(be.s, session_add(be.s, path), builder_finish(rt[r].b), SOURCE_READY);
		builder_free(rt[r].b);
	}
	be.r = rulebook_new(&e);
	if (!be.r)
		diag("%s", e.text);
	be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
	return be;
}

static bool near(double got, double want, double share)
{
	double d = got > want ? got - want : want - got;

	return d <= share * want + 1;
}

/* The offset is that in the middle: the end of the 21st of 40 calls. */
static void check_clocks(const struct plan *pl, const struct table *t, const char *what)
{
	bool good = true;

	for (uint32_t r = 1; r < pl->ranks; r++) {
		ns_t at = 41225 * US + pl->late, truth = shown(pl, r, at) - shown(pl, 0, at), d = num(t, r, "clock_offset_ns") - truth;

		if (d < -2 * US || d > 2 * US || num(t, r, "clock_unc_ns") > 2 * US || num(t, r, "clock_unc_ns") < 0) {
			diag("rank %u: offset %lld for %lld", r, (long long)num(t, r, "clock_offset_ns"), (long long)truth);
			good = false;
		}
	}
	ok(good, "%s: clocks within 2 us", what);
}

static void check_waits(const struct plan *pl, const struct truth *tr, const struct table *t, const char *what)
{
	ns_t waits = 0;
	bool exact = true, each = true;

	for (uint32_t r = 0; r < pl->ranks; r++) {
		exact &= num(t, r, "kernel_ns") == num(t, r, "wait_ns") + num(t, r, "transfer_ns");
		/* a share of the waits, and what the clock may be off in each of them */
		each &= near((double)num(t, r, "wait_ns"), (double)tr->wait[r], r == pl->slow ? 0.5 : 0.01);
		waits += num(t, r, "wait_ns");
	}
	ok(exact, "%s: kernels = waits + transfers", what);
	ok(each, "%s: waits of each rank within 1 %%", what);
	ok(near((double)waits, (double)tr->waits, 0.01), "%s: waits %lld for %lld", what, (long long)waits, (long long)tr->waits);
	is_int(num(t, pl->slow, "waited_for_ns"), waits, "%s: all of it for the slow rank", what);
	is_near(real(t, pl->slow, "last_share"), 1, 1e-9, "%s: which comes last every time", what);
	is_int(num(t, pl->slow, "collectives"), tr->instances, "%s: in all collectives", what);
}

static void check_skew(const struct plan *pl, const struct bench *be, const struct truth *tr, const char *what)
{
	struct table *t = view(be, &an_skew, "all", "none");
	bool last = true, exact = true, transfer = true;

	is_int(t->n_rows, tr->instances, "%s: a row for each collective", what);
	for (uint32_t i = 0; i < t->n_rows; i++) {
		last &= num(t, i, "last_rank") == pl->slow && num(t, i, "ranks") == pl->ranks;
		transfer &= near((double)num(t, i, "transfer_ns"), 200000, 0.03);
		exact &= num(t, i, "wait_sum_ns") <= num(t, i, "kernel_ns");
	}
	ok(last && exact && transfer, "%s: the slow rank is last, 200 us of transfer", what);
	table_free(t);
}

static void check_run(const struct plan *pl, const char *what)
{
	struct truth tr;
	struct bench be = run_of(pl, &tr);
	struct table *t = view(&be, &an_ranks, "all", "none");

	is_int(t->n_rows, pl->ranks, "%s: a row for each rank", what);
	check_clocks(pl, t, what);
	check_waits(pl, &tr, t, what);
	table_free(t);
	check_skew(pl, &be, &tr, what);
	bench_end(&be);
}

/* Clocks of several hosts that are up to 40 ms off and drift by up to 80 us per s. */
static struct plan random_plan(uint32_t ranks)
{
	struct plan pl = { .ranks = ranks, .steps = 8, .calls = 5, .odd_rank = UINT32_MAX, .gemm = -1 };

	pl.slow = (uint32_t)random_below(ranks);
	pl.late = 200 * US + random_below(500 * US);
	for (uint32_t r = 0; r < ranks; r++) {
		pl.offset[r] = random_below(80 * MS);
		pl.drift[r] = (double)(random_below(160) - 80) / 1e6;
	}
	return pl;
}

static void test_random_runs(void)
{
	for (uint64_t i = 0; i < 20; i++) {
		struct plan pl;
		char what[48];

		seed = i + 1;
		pl = random_plan(i == 19 ? RANKS_MAX : 2 + (uint32_t)random_below(14));
		snprintf(what, sizeof(what), "run %u of %u ranks", (unsigned)i, pl.ranks);
		check_run(&pl, what);
	}
}

/* Rank 1 has one call less in step 3: the steps before it stand, and the note names rank and step. */
static void test_missing_call(void)
{
	struct plan pl;
	struct truth tr;
	struct bench be;
	struct table *t;

	seed = 7;
	pl = random_plan(4);
	pl.odd_rank = 1;
	be = run_of(&pl, &tr);
	t = view(&be, &an_ranks, "all", "none");
	check_waits(&pl, &tr, t, "a call is missing");
	ok(has_note(t, "rank 1 has 4 where most others have 5 in step 3: not matched from there on"), "the note names it");
	is_int(num(t, 0, "collectives"), 15, "three steps of five");
	table_free(t);
	bench_end(&be);
}

static void test_sizes(void)
{
	struct plan pl;
	struct truth tr;
	struct bench be;
	struct table *t;

	seed = 8;
	pl = random_plan(4);
	pl.odd_rank = 2;
	pl.bytes_of_odd = 1000000;	/* as the others */
	be = run_of(&pl, &tr);
	t = view(&be, &an_skew, "all", "none");
	is_int(num(t, 0, "bytes"), 1000000, "bytes of the message");
	/* all-reduce of n ranks: 2 (n - 1) / n of the bytes over each link: 1.5 MB */
	is_near(real(t, 0, "busbw_gbps"), 1.5e6 / (double)num(t, 0, "transfer_ns"), 1e-9, "bus rate");
	table_free(t);
	bench_end(&be);

	pl.bytes_of_odd = 400000;
	be = run_of(&pl, &tr);
	t = view(&be, &an_skew, "all", "none");
	is_int(t->n_rows, 0, "ranks that give other sizes do not take part in one all-reduce");
	ok(has_note(t, "rank 2 has 400000 where most others have 1000000 in step 0"), "the note names the sizes");
	table_free(t);
	bench_end(&be);
}

/* Half of the calls of each rank are not in its file. Clocks agree: ends say what belongs together. */
static void test_samples(void)
{
	struct plan pl;
	struct truth tr;
	struct bench be;
	struct table *t;

	seed = 9;
	pl = random_plan(2);
	memset(pl.offset, 0, sizeof(pl.offset));
	memset(pl.drift, 0, sizeof(pl.drift));
	pl.slow = 1;
	pl.sampled = true;
	be = run_of(&pl, &tr);
	t = view(&be, &an_skew, "all", "none");
	ok(t->n_rows > 2 && t->n_rows < 20, "some of 40 are in both files: %u", t->n_rows);
	for (uint32_t i = 0; i < t->n_rows; i++) {
		is_str(text(t, i, "matched_by"), "ends", "by ends");
		ok(num(t, i, "last_rank") == 1 && num(t, i, "skew_ns") > pl.late - 50 * US && num(t, i, "skew_ns") < pl.late + 50 * US,
			"none is taken for another");
	}
	table_free(t);
	bench_end(&be);

	pl.offset[1] = 900 * MS;	/* files that do not overlap: nothing says how the clocks are to each other */
	be = run_of(&pl, &tr);
	t = view(&be, &an_skew, "all", "none");
	is_int(t->n_rows, 0, "unknown clocks and unknown order: no match");
	ok(has_note(t, "could not be matched"), "which is said");
	table_free(t);
	bench_end(&be);
}

static void test_which_rank(void)
{
	struct plan pl;
	struct truth tr;
	struct bench be;
	struct table *t;

	seed = 10;
	pl = random_plan(3);
	pl.no_rank = true;
	be = run_of(&pl, &tr);
	t = view(&be, &an_ranks, "all", "none");
	is_int(t->n_rows, 3, "ranks by the names of the files");
	is_int(num(t, 2, "rank"), 2, "not by that of the folder, and not the one within a host");
	is_str(text(t, 2, "evidence"), "file name", "evidence");
	table_free(t);
	bench_end(&be);

	pl.no_rank = false;
	pl.same_rank = true;
	be = run_of(&pl, &tr);
	t = view(&be, &an_ranks, "all", "none");
	is_int(t->n_rows, 0, "two files claim one rank");
	ok(has_note(t, "node1_rank_0.json and run_local_rank9/node1_rank_1.json both are rank 3"), "both are named");
	table_free(t);
	bench_end(&be);

	pl = random_plan(1);
	be = run_of(&pl, &tr);
	t = view(&be, &an_ranks, "all", "none");
	is_int(t->n_rows, 0, "one rank");
	ok(has_note(t, "waiting for others is unknown"), "what is unknown then");
	table_free(t);
	bench_end(&be);
}

/* What makes rank 2 late by 600 us in each of 40 calls: it computes longer, or its device has nothing to do for longer. */
static void test_causes(void)
{
	static const struct { ns_t gemm; const char *cause; } of[] = { { 0, "compute" }, { 100 * US, "idle" } };

	for (size_t i = 0; i < 2; i++) {
		struct plan pl;
		struct truth tr;
		struct bench be;
		struct table *t;

		seed = 11;
		pl = random_plan(5);
		pl.slow = 2;
		pl.late = 600 * US;
		pl.gemm = of[i].gemm;
		be = run_of(&pl, &tr);
		t = view(&be, &an_stragglers, "all", "none");
		is_int(t->n_rows, 1, "one rank that others wait for");
		is_int(num(t, 0, "rank"), 2, "the slow one");
		is_int(num(t, 0, "looked_at"), 40, "in all calls");
		is_str(text(t, 0, "cause"), of[i].cause, "its cause");
		ok(near((double)num(t, 0, "late_ns"), 40 * 600e3, 0.05), "late by 24 ms: %lld", (long long)num(t, 0, "late_ns"));
		ok(near((double)num(t, 0, "more_ns"), 40 * 600e3, 0.05), "so much more of it: %lld", (long long)num(t, 0, "more_ns"));
		if (!of[i].gemm) {
			is_str(text(t, 0, "kernel"), "ampere_sgemm_128x64_tn", "the kernel that runs longer");
			ok(near((double)num(t, 0, "kernel_more_ns"), 40 * 600e3, 0.05), "by how much");
		}
		is_int(num(t, 0, "per_step_ns"), tr.waits > 0 ? num(t, 0, "waited_for_ns") / 8 : 0, "per step");
		table_free(t);
		bench_end(&be);
	}
}

int main(void)
{
	test_causes();
	test_random_runs();
	test_missing_call();
	test_sizes();
	test_samples();
	test_which_rank();
	return done_testing();
}
