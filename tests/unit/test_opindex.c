/*
 * test_opindex.c - sums of ops by name for windows: what the index of a source gives against looking at every instant by itself, on random
 * threads whose ops overlap without nesting, last no time, have launches outside of themselves, and lie before zero.
 */
#include "measure/op_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "tests/lib/tap.h"

enum { NAMES = 7, THREADS = 3, ROUNDS = 60, FROM = -120, UNTIL = 380, WINDOWS = 3 };

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % n;
}

static str_id name(struct builder *b, const char *s)
{
	return builder_intern(b, s, strlen(s));
}

static str_id op_name(struct builder *b)
{
	static const char *const names[NAMES] = { "aten::mm", "aten::add", "aten::mul", "aten::linear", "autograd::x", "", "aten::copy_" };

	return name(b, names[below(NAMES)]);
}

static str_id call_name(struct builder *b)
{
	static const char *const names[] = { "cudaLaunchKernel", "cudaDeviceSynchronize", "cudaMemcpyAsync", "cudaFuncGetAttributes" };

	return name(b, names[below(4)]);
}

static ns_t at(void)
{
	return FROM + 20 + (ns_t)below(UNTIL - FROM - 160);
}

/* Two processes: the last thread is the second one's. */
static struct profile *make(void)
{
	struct builder *b = builder_new();
	uint64_t corr = 1;
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_GPU | CAP_OPS);
	for (int t = 0; t < THREADS; t++) {
		int64_t pid = t == THREADS - 1 ? 2 : 1;
		thread_id th = builder_thread(b, pid, 10 + t);
		track_id ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0), calls = builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0);
		track_id gpu = builder_gpu_track(b, LAYER_KERNEL, pid, t == THREADS - 1 ? 1 : below(2), -1, 7 + t, 0);

		for (uint32_t i = below(30); i; i--)
			builder_add(b, ops, &(struct builder_event){ at(), below(4) ? below(90) : 0, op_name(b), CORR_NONE, i, ID_NONE });
		for (uint32_t i = below(16); i; i--, corr++) {
			/* an id that names an op of any thread, where the call is in none */
			builder_add(b, calls, &(struct builder_event){ at(), below(12), call_name(b), corr, 1 + below(30), 0 });
			if (below(3))
				builder_add(b, gpu, &(struct builder_event){ at(), below(40), name(b, "kernel"), corr, CORR_NONE, ID_NONE });
		}
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* ---- the same by looking ------------------------------------------------------------------------------------- */

static ev_id owner(const struct profile *p, ev_id a, ev_id b, ns_t t)
{
	ev_id last = ID_NONE;

	for (ev_id e = a; e < b; e++)
		if (p->start[e] <= t && t < ev_end(p, e))
			last = e;
	return last;
}

static bool in(const struct span *w, size_t n, ns_t t)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].start <= t && t < w[i].end)
			return true;
	return false;
}

/* A device of the process works; the torch of this test says whose its streams are. */
static bool busy(const struct profile *p, int64_t pid, ns_t t)
{
	for (track_id a = p->layer_track[LAYER_KERNEL]; a < p->layer_track[LAYER_KERNEL + 1]; a++)
		for (track_id b = p->layer_track[LAYER_KERNEL]; b < p->layer_track[LAYER_KERNEL + 1]; b++) {
			const struct track *own = &p->tracks[a], *any = &p->tracks[b];

			if (own->pid == pid && own->device == any->device &&
			    owner(p, any->first, any->first + any->count, t) != ID_NONE)
				return true;
		}
	return false;
}

/* Sums per (name, pid) in a table of all strings: pid 1 and 2. */
static struct op_split *sum_at(struct op_split *sums, const struct profile *p, ev_id op)
{
	return &sums[2 * p->name[op] + (p->threads[p->tracks[profile_track_of(p, op)].thread].pid == 2)];
}

static void look_at(const struct facts *f, const struct track *tr, ns_t t, struct op_split *sums)
{
	const struct profile *p = f->p;
	ev_id op = owner(p, tr->first, tr->first + tr->count, t), call = ID_NONE;
	struct op_split *s;

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		sum_at(sums, p, e)->count += p->start[e] == t;
		sum_at(sums, p, e)->total += p->start[e] <= t && t < ev_end(p, e);
	}
	if (op == ID_NONE)
		return;
	s = sum_at(sums, p, op);
	s->self++;
	s->exposed += !busy(p, p->threads[tr->thread].pid, t);
	for (track_id c = p->layer_track[LAYER_RUNTIME]; c < p->layer_track[LAYER_RUNTIME + 1]; c++)
		if (p->tracks[c].thread == tr->thread)
			call = owner(p, p->tracks[c].first, p->tracks[c].first + p->tracks[c].count, t);
	if (call != ID_NONE)
		s->rt[facts_rt(f, call)]++;
}

static bool op_in(const struct profile *p, ev_id op, const struct span *w, size_t n)
{
	bool any = in(w, n, p->start[op]);

	for (ns_t t = p->start[op]; t < ev_end(p, op) && !any; t++)
		any = in(w, n, t);
	return any;
}

static void look_at_kernels(const struct profile *p, const struct span *w, size_t n, struct op_split *sums)
{
	for (ev_id k = p->layer_first[LAYER_KERNEL]; k < p->layer_first[LAYER_KERNEL + 1]; k++) {
		ev_id call = p->link[k], op = call == ID_NONE || !in(w, n, p->start[call]) ? ID_NONE : p->link[call];
		VEC(struct op_split *) given = { 0 };

		for (; op != ID_NONE; op = p->parent[op]) {
			struct op_split *s = sum_at(sums, p, op);
			bool again = !op_in(p, op, w, n);

			for (size_t i = 0; i < given.n; i++)
				again |= given.a[i] == s;
			if (again)
				continue;
			s->device += p->dur[k];
			VEC_PUSH(&given, s);
		}
		VEC_FREE(&given);
	}
}

static struct op_split *look(const struct facts *f, const struct span *w, size_t n)
{
	const struct profile *p = f->p;
	struct op_split *sums = calloc(2 * p->n_strs, sizeof(*sums));

	for (ns_t t = FROM; t < UNTIL; t++)
		for (track_id i = p->layer_track[LAYER_OP]; in(w, n, t) && i < p->layer_track[LAYER_OP + 1]; i++)
			look_at(f, &p->tracks[i], t, sums);
	look_at_kernels(p, w, n, sums);
	return sums;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

static size_t random_windows(struct span *w)
{
	size_t n = below(WINDOWS) + 1;
	ns_t t = FROM + below(100);

	if (!below(8)) {
		w[0] = (struct span){ -NS_LIMIT, NS_LIMIT };
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		w[i].start = t + below(60);
		w[i].end = w[i].start + 1 + below(below(2) ? 5 : 200);
		t = w[i].end + 1;
	}
	return n;
}

/* Every sum, and nothing besides: "" or the first figure that differs. */
static const char *compare(const struct facts *f, const struct op_index *ix, const struct op_split *got, const struct op_split *want)
{
	struct names nm = { .cut = rules_op_base };
	const struct profile *p = f->p;
	size_t found = 0, wanted = 0;
	const char *differs = "";

	names_enter(&nm, p);
	for (uint32_t i = 0; i < op_index_slots(ix); i++) {
		size_t len;
		uint32_t id = op_index_name_id(ix, i, &nm);
		const char *s = names_str(&nm, id, &len);
		str_id str = s ? profile_str_find(p, s, len) : ID_NONE;
		static const struct op_split none;

		found += memcmp(&got[i], &none, sizeof(none)) != 0;
		if (str == ID_NONE)
			continue;
		if (memcmp(&got[i], &want[2 * str + (f->procs[op_index_proc(ix, i)].pid == 2)], sizeof(*got)) != 0)
			differs = s;
	}
	for (uint32_t i = 0; i < 2 * p->n_strs; i++) {
		static const struct op_split none;

		wanted += memcmp(&want[i], &none, sizeof(none)) != 0;
	}
	names_fini(&nm);
	return *differs ? differs : found != wanted ? "number of names" : "";
}

static bool holds(const struct facts *f, const struct op_index *ix, const struct span *w, size_t n)
{
	struct op_split *got = calloc(op_index_slots(ix) + 1, sizeof(*got)), *want = look(f, w, n);
	const char *differs;

	op_index_sum(ix, w, n, got);
	differs = compare(f, ix, got, want);
	if (*differs)
		diag("window [%d, %d) of %zu: %s", (int)w[0].start, (int)w[0].end, n, differs);
	free(got);
	free(want);
	return !*differs;
}

static void test_random(const struct rules *r)
{
	static const uint32_t blocks[] = { 1, 2, 5, OP_BLOCK };
	bool good = true;
	unsigned overlaps = 0, strays = 0;

	for (int i = 0; i < ROUNDS && good; i++) {
		struct profile *p = make();
		struct facts *f = facts_new(r, p, 0);
		struct op_index *ix = op_index_new(f, blocks[i % 4]);
		struct span w[WINDOWS];

		for (track_id t = 0; t < p->n_tracks; t++)
			overlaps += p->tracks[t].layer == LAYER_OP ? p->tracks[t].overlaps : 0;
		for (ev_id e = p->layer_first[LAYER_RUNTIME]; e < p->layer_first[LAYER_RUNTIME + 1]; e++)
			strays += p->link[e] != ID_NONE && p->start[e] >= ev_end(p, p->link[e]);
		for (int k = 0; k < 12 && good; k++)
			good = holds(f, ix, w, random_windows(w));
		op_index_free(ix);
		facts_free(f);
		profile_unref(p);
	}
	ok(good, "counts, times, parts of self time and device time of every name, in any window, with blocks of any size");
	ok(overlaps > 100 && strays > 20, "among ops that overlap (%u) and launches outside of their op (%u)", overlaps, strays);
}

/* ---- work --------------------------------------------------------------------------------------------------------- */

/* A thousand times n ops in a row of ten names, a launch in each. */
static struct profile *make_long(uint32_t n)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 1, 1);
	track_id ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0), calls = builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0);
	track_id gpu = builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0);
	struct profile *p;

	for (uint32_t i = 0; i < 1000 * n; i++) {
		char s[16];

		snprintf(s, sizeof(s), "aten::op%u", i % 10);
		builder_add(b, ops, &(struct builder_event){ 100 * (ns_t)i, 90, name(b, s), CORR_NONE, CORR_NONE, ID_NONE });
		builder_add(b, calls, &(struct builder_event){ 100 * (ns_t)i + 10, 20, name(b, "cudaLaunchKernel"), i + 1, CORR_NONE, 0 });
		builder_add(b, gpu, &(struct builder_event){ 100 * (ns_t)i + 50, 30, name(b, "kernel"), i + 1, CORR_NONE, ID_NONE });
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* The most that any of a few windows costs. */
static uint64_t most_work(const struct rules *r, uint32_t n, size_t *bytes_per_op)
{
	struct profile *p = make_long(n);
	struct facts *f = facts_new(r, p, 0);
	const struct op_index *ix = facts_op_index(f);
	struct op_split *acc = calloc(op_index_slots(ix), sizeof(*acc));
	uint64_t most = 0;

	for (uint32_t i = 1; i < 20; i++) {
		struct span w = { 100 * 31 * i + 7, 100 * (ns_t)(1000 * n - 53 * i) - 7 };
		uint64_t work;

		w.end = i % 2 ? w.end : w.start + (w.end - w.start) / i;
		work = op_index_sum(ix, &w, 1, acc);
		most = work > most ? work : most;
	}
	*bytes_per_op = op_index_bytes(ix) / (1000 * n);
	free(acc);
	facts_free(f);
	profile_unref(p);
	return most;
}

static void test_work(const struct rules *r)
{
	size_t small, large;
	uint64_t few = most_work(r, 20, &small), many = most_work(r, 160, &large);

	diag("events and sums looked at: %" PRIu64 " of 20,000 ops, %" PRIu64 " of 160,000; bytes per op: %zu", few, many, large);
	/* two ends of at most a block: its ops, their calls and launches */
	ok(few <= 8 * OP_BLOCK && many <= 8 * OP_BLOCK, "a window of any width costs no more than what its ends hold");
	ok(large <= 4, "at most 4 bytes per op");
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rules *r = rules_new(&e);

	test_random(r);
	test_work(r);
	rules_free(r);
	return done_testing();
}
