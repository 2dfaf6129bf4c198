/* test_model.c - strings, builder, order and nesting of tracks (against an instant-by-instant version), links, snapshots */
#include <stdlib.h>

#include "base/mem.h"
#include "model/nest.h"
#include "model/profile.h"
#include "model/strtab.h"
#include "tests/lib/tap.h"

/* xorshift: the same numbers everywhere */
static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % n;
}

static void add(struct builder *b, track_id t, const char *name, ns_t start, ns_t end, uint64_t corr, uint64_t ext)
{
	struct builder_event e = { .start = start, .dur = end - start, .corr = corr, .ext = ext, .aux = ID_NONE };

	e.name = builder_intern(b, name, strlen(name));
	builder_add(b, t, &e);
}

static void add_plain(struct builder *b, track_id t, const char *name, ns_t start, ns_t end)
{
	add(b, t, name, start, end, CORR_NONE, CORR_NONE);
}

static const char *name_of(const struct profile *p, ev_id e)
{
	size_t n;

	return e == ID_NONE ? "none" : profile_str(p, p->name[e], &n);
}

static ev_id find(const struct profile *p, const char *name)
{
	for (ev_id e = 0; e < p->n; e++)
		if (strcmp(name_of(p, e), name) == 0)
			return e;
	return ID_NONE;
}

/* ---- strings ---- */

static void test_strtab(void)
{
	struct strtab t = { 0 };
	uint32_t empty = strtab_intern(&t, "", 0), nul = strtab_intern(&t, "a\0b", 3), a = strtab_intern(&t, "a", 1);
	size_t n;
	const char *s;

	is_uint(strtab_find(&t, "b", 1), UINT32_MAX, "not there yet");
	ok(empty != nul && nul != a && empty != a, "strings with NUL and without content are their own");
	is_uint(strtab_intern(&t, "a\0b", 3), nul, "the same bytes, the same id");
	s = strtab_get(&t, nul, &n);
	is_mem(s, n, "a\0b", 3, "bytes come back");
	is_int(s[3], 0, "a NUL that is not counted follows");
	s = strtab_get(&t, empty, &n);
	is_mem(s, n, "", 0, "the empty string too");
	strtab_fini(&t);
}

static void test_strtab_many(void)
{
	enum { N = 20000 };
	struct strtab t = { 0 };
	uint32_t wrong = 0;
	char buf[32];
	size_t n;

	for (uint32_t i = 0; i < N; i++)
		wrong += strtab_intern(&t, buf, (size_t)snprintf(buf, sizeof(buf), "name %u", i)) != i;
	for (uint32_t i = 0; i < N; i++) {
		int len = snprintf(buf, sizeof(buf), "name %u", i);
		const char *s = strtab_get(&t, i, &n);

		wrong += strtab_find(&t, buf, (size_t)len) != i || n != (size_t)len || memcmp(s, buf, n) != 0;
	}
	is_uint(wrong, 0, "%d strings: dense ids, found again", N);
	is_uint(t.n, N, "and no more than those");
	strtab_fini(&t);
}

/* ---- nesting against the definition, instant by instant ---- */

enum { EVENTS = 24, SPAN = 40 };

struct lap {
	ns_t start, dur;
};

/* Track order: start ascending, end descending, as they come. */
static void order(struct lap *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		for (uint32_t j = i; j > 0; j--) {
			struct lap x = v[j - 1], y = v[j];

			if (x.start < y.start || (x.start == y.start && x.start + x.dur >= y.start + y.dur))
				break;
			v[j - 1] = y;
			v[j] = x;
		}
	}
}

/* Latest in the order among the first `n` that are active at t. */
static uint32_t active(const ns_t *start, const ns_t *dur, uint32_t n, ns_t t)
{
	while (n-- > 0)
		if (start[n] <= t && t < start[n] + dur[n])
			return n;
	return ID_NONE;
}

static bool nests_as_defined(const ns_t *start, const ns_t *dur, uint32_t n)
{
	ns_t self[EVENTS], want[EVENTS] = { 0 };
	ev_id parent[EVENTS];
	uint32_t overlaps = 0;
	struct nest_result r = nest_track(start, dur, n, 100, self, parent);
	bool good = true;

	for (ns_t t = 0; t < 2 * SPAN; t++)
		if (active(start, dur, n, t) != ID_NONE)
			want[active(start, dur, n, t)]++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t up = active(start, dur, i, start[i]);

		good &= self[i] == want[i];
		good &= parent[i] == (up == ID_NONE ? ID_NONE : 100 + up);
		overlaps += up != ID_NONE && start[i] + dur[i] > start[up] + dur[up];
	}
	return good && r.overlaps == overlaps;
}

static void test_nest_random(void)
{
	uint32_t wrong = 0, overlapping = 0;

	for (int round = 0; round < 4000; round++) {
		uint32_t n = below(EVENTS + 1);
		struct lap v[EVENTS];
		ns_t start[EVENTS], dur[EVENTS], self[EVENTS];
		ev_id parent[EVENTS];

		for (uint32_t i = 0; i < n; i++)
			v[i] = (struct lap){ below(SPAN), below(4) ? below(SPAN / 2) : 0 };
		order(v, n);
		for (uint32_t i = 0; i < n; i++) {
			start[i] = v[i].start;
			dur[i] = v[i].dur;
		}
		wrong += !nests_as_defined(start, dur, n);
		overlapping += nest_track(start, dur, n, 0, self, parent).overlaps > 0;
	}
	is_uint(wrong, 0, "random tracks: parents, own times and overlaps as by the definition");
	ok(overlapping > 1000, "and many of them overlap (%u)", overlapping);
}

static void test_nest_by_hand(void)
{
	/* a [0,100) holds b [10,50) and outlives it; c [40,60) starts in b and outlives it; d is empty; e [60,60) at c's end */
	static const ns_t start[] = { 0, 10, 40, 45, 60 }, dur[] = { 100, 40, 20, 0, 0 };
	ns_t self[5];
	ev_id parent[5];
	struct nest_result r = nest_track(start, dur, 5, 7, self, parent);

	is_int(self[0], 50, "a: 10 before b, 40 after c");
	is_int(self[1], 30, "b: until c starts");
	is_int(self[2], 20, "c: all of it, later than b");
	is_int(self[3] + self[4], 0, "events of no length own nothing");
	is_uint(parent[0], ID_NONE, "a is a root");
	is_uint(parent[1], 7, "b in a");
	is_uint(parent[2], 8, "c in b, in which it starts");
	is_uint(parent[3], 9, "d in c");
	is_uint(parent[4], 7, "e in a: c has ended");
	is_uint(r.overlaps, 1, "one overlap: c outlives b");
	r = nest_track(start, dur, 0, 0, self, parent);
	is_uint(r.depth_max, 0, "no events: no depth");
}

/* ---- the builder ---- */

/* The same events in any order of adding come out in track order. */
static void test_order(void)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 10, 11);
	track_id t = builder_host_track(b, LAYER_OP, th, ID_NONE, 0);
	struct profile *p;
	uint32_t wrong = 0;

	add_plain(b, t, "late", 50, 60);
	add_plain(b, t, "short", 10, 20);
	add_plain(b, t, "long", 10, 40);
	add_plain(b, t, "short again", 10, 20);
	add_plain(b, t, "first", 0, 5);
	p = builder_finish(b);
	builder_free(b);
	is_str(name_of(p, 0), "first", "start ascending");
	is_str(name_of(p, 1), "long", "then the later end");
	is_str(name_of(p, 2), "short", "then as added");
	is_str(name_of(p, 3), "short again", "(stable)");
	is_str(name_of(p, p->parent[3]), "short", "of equal ones the later lies inside");
	for (ev_id e = 0; e < p->n; e++)
		wrong += profile_track_of(p, e) != 0;
	is_uint(wrong, 0, "all in the one track");
	profile_unref(p);
}

static void test_tracks(void)
{
	struct builder *b = builder_new();
	thread_id two = builder_thread(b, 1, 2), one = builder_thread(b, 1, 1);
	str_id dom = builder_intern(b, "NCCL", 4);
	track_id k = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 1), n = builder_host_track(b, LAYER_NVTX, one, dom, 1);
	track_id empty = builder_host_track(b, LAYER_ANNOT, one, ID_NONE, 1);
	struct profile *p;

	is_uint(builder_thread(b, 1, 2), two, "a thread is made once");
	is_uint(builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 1), k, "a track too");
	ok(builder_host_track(b, LAYER_NVTX, one, ID_NONE, 1) != n, "each domain has its own");
	ok(empty != n, "each layer has its own");
	add_plain(b, k, "kernel", 5, 6);
	add_plain(b, n, "range", 1, 9);
	add_plain(b, builder_host_track(b, LAYER_OP, two, ID_NONE, 1), "op of 2", 3, 4);
	add_plain(b, builder_host_track(b, LAYER_OP, one, ID_NONE, 1), "op of 1", 2, 3);
	p = builder_finish(b);
	builder_free(b);
	is_str(name_of(p, 0), "op of 2", "layers in order, threads in the order of their making");
	is_str(name_of(p, p->layer_first[LAYER_NVTX]), "range", "ranges of a layer are contiguous");
	is_str(name_of(p, p->layer_first[LAYER_KERNEL]), "kernel", "kernels behind them");
	is_uint(p->layer_first[LAYER_N], 4, "every event has its place");
	is_uint(profile_track_of(p, find(p, "kernel")), p->layer_track[LAYER_KERNEL], "an event knows its track past empty ones");
	is_int(p->tracks[profile_track_of(p, find(p, "kernel"))].stream, 7, "with its stream");
	is_uint(p->n_devices, 1, "a device that only tracks name is listed");
	is_int(p->devices[0].sm_count, 0, "with nothing known of it");
	is_uint(p->caps, CAP_OPS | CAP_NVTX | CAP_GPU, "what the source records follows from its events");
	profile_unref(p);
}

static void test_range_and_damage(void)
{
	static const enum layer aside[] = { LAYER_SPAN, LAYER_INSTANT, LAYER_COUNTER, LAYER_NVTX_OPEN };
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 1, 1);
	track_id ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0);
	struct profile *p;

	add_plain(b, ops, "backwards", 30, 20);
	add_plain(b, ops, "late", NS_LIMIT - 5, NS_LIMIT - 5);
	add_plain(b, ops, "op", 10, 20);
	is_uint(builder_events(b), 3, "damaged events are kept");
	p = builder_snapshot(b, true);
	is_uint(p->n_damages, 1, "one kind of damage");
	is_str(p->damages[0].what, "negative duration", "that is named");
	is_uint(p->damages[0].count, 1, "and counted");
	is_int(p->dur[find(p, "backwards")], 0, "an end before the start is a length of 0");
	profile_unref(p);
	for (size_t i = 0; i < sizeof(aside) / sizeof(*aside); i++)
		add_plain(b, layer_on_gpu(aside[i]) ? builder_gpu_track(b, aside[i], 1, 0, 0, 0, 0) :
			builder_host_track(b, aside[i], th, ID_NONE, 0), "aside", -100, 1000);
	p = builder_finish(b);
	builder_free(b);
	is_int(p->first_ns, 10, "marks, counters and capture spans do not make the range");
	is_int(p->last_ns, NS_LIMIT - 5, "ops do");
	profile_unref(p);
}

/* Found by fuzzing: no difference of times and no sum of durations or bytes may overflow, whatever a file says. */
static void test_limits(void)
{
	struct builder *b = builder_new();
	track_id ops = builder_host_track(b, LAYER_OP, builder_thread(b, 1, 1), ID_NONE, 0);
	uint32_t big, too_big, negative;
	struct profile *p;

	add_plain(b, ops, "first", -NS_LIMIT, -NS_LIMIT + 1);
	add_plain(b, ops, "last", INT64_MAX, INT64_MAX);
	is_uint(builder_events(b), 0, "events at impossible times are left out");
	add_plain(b, ops, "long", 0, NS_LIMIT - 10);
	add_plain(b, ops, "second long", 5, NS_LIMIT - 10);
	add_plain(b, ops, "short", 20, 29);
	add_plain(b, ops, "one too long", 40, 41);
	big = builder_copy_detail(b, &(struct copy_detail){ .bytes = NS_LIMIT });
	too_big = builder_copy_detail(b, &(struct copy_detail){ .bytes = 1 });
	negative = builder_copy_detail(b, &(struct copy_detail){ .bytes = -1 });
	p = builder_finish(b);
	builder_free(b);
	is_uint(p->n, 4, "long ones stay");
	is_int(p->dur[find(p, "long")], NS_LIMIT - 10, "as long as they are");
	is_int(p->dur[find(p, "second long")], 0, "but where the sum reaches the limit there is no length");
	is_int(p->dur[find(p, "short")], 9, "what still fits counts");
	is_int(p->dur[find(p, "one too long")], 0, "up to the limit");
	is_uint(p->n_damages, 3, "three kinds of damage");
	is_str(p->damages[0].what, "event at an impossible time", "times");
	is_uint(p->damages[0].count, 2, "of two events");
	is_str(p->damages[1].what, "impossible duration", "durations");
	is_uint(p->damages[1].count, 2, "of two events");
	is_str(p->damages[2].what, "impossible number of bytes", "bytes");
	is_int(p->copies[big].bytes, NS_LIMIT, "bytes up to the limit are known");
	ok(p->copies[too_big].bytes == I64_UNKNOWN && p->copies[negative].bytes == I64_UNKNOWN, "beyond it and below 0 they are not");
	profile_unref(p);
}

/* ---- looking things up ---- */

static struct profile *random_ops(uint32_t n)
{
	struct builder *b = builder_new();
	struct profile *p;

	for (uint32_t i = 0; i < n; i++) {
		thread_id th = builder_thread(b, 1, 1 + below(2));
		ns_t start = below(SPAN);

		add_plain(b, builder_host_track(b, LAYER_OP, th, ID_NONE, 0), "x", start, start + below(SPAN / 2));
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* Event that owns t, and the first that starts at or after t, by looking at every event. */
static bool found_as_defined(const struct profile *p, const struct track *tr, ns_t t)
{
	uint32_t at = active(p->start + tr->first, p->dur + tr->first, tr->count, t);
	ev_id low = tr->first;

	while (low < tr->first + tr->count && p->start[low] < t)
		low++;
	return track_event_at(p, tr, t) == (at == ID_NONE ? ID_NONE : tr->first + at) && track_lower_bound(p, tr, t) == low;
}

static void test_lookup(void)
{
	uint32_t wrong = 0, deep = 0;

	for (int round = 0; round < 300; round++) {
		struct profile *p = random_ops(1 + below(EVENTS));

		for (track_id i = 0; i < p->n_tracks; i++)
			for (ns_t t = -1; t < 2 * SPAN; t++)
				wrong += !found_as_defined(p, &p->tracks[i], t);
		for (ev_id e = 0; e < p->n; e++) {
			unsigned up = p->parent[e] == ID_NONE ? 0 : 1 + profile_depth(p, p->parent[e]);

			wrong += profile_depth(p, e) != up;
			deep += up > 2;
		}
		profile_unref(p);
	}
	is_uint(wrong, 0, "event at an instant, lower bound, depth: as by looking at all");
	ok(deep > 100, "with events deep inside (%u)", deep);
}

/* ---- links ---- */

struct linked {
	struct builder *b;
	thread_id main, other;
	track_id ops, calls, other_calls, kernels;
};

static struct linked linked_new(void)
{
	struct linked l = { .b = builder_new() };

	l.main = builder_thread(l.b, 1, 1);
	l.other = builder_thread(l.b, 1, 2);
	l.ops = builder_host_track(l.b, LAYER_OP, l.main, ID_NONE, 0);
	l.calls = builder_host_track(l.b, LAYER_RUNTIME, l.main, ID_NONE, 0);
	l.other_calls = builder_host_track(l.b, LAYER_RUNTIME, l.other, ID_NONE, 0);
	l.kernels = builder_gpu_track(l.b, LAYER_KERNEL, -1, 0, 0, 7, 0);
	return l;
}

static struct profile *linked_done(struct linked *l)
{
	struct profile *p = builder_finish(l->b);

	builder_free(l->b);
	return p;
}

static const char *link_of(const struct profile *p, const char *name)
{
	return name_of(p, p->link[find(p, name)]);
}

static void test_launches(void)
{
	struct linked l = linked_new();
	struct profile *p;
	uint32_t first;

	add(l.b, l.calls, "cudaLaunchKernel", 10, 30, 5, CORR_NONE);
	builder_add(l.b, l.calls, &(struct builder_event){ .start = 15, .dur = 5, .name = builder_intern(l.b, "cuLaunchKernel", 14),
		.corr = 5, .ext = CORR_NONE, .aux = RUNTIME_DRIVER });
	add(l.b, l.calls, "cudaFuncGetAttributes", 40, 45, 6, CORR_NONE);
	add(l.b, l.calls, "cudaGraphLaunch", 50, 60, 8, CORR_NONE);
	add(l.b, l.kernels, "late", 100, 110, 5, CORR_NONE);
	add(l.b, l.kernels, "early", 90, 95, 5, CORR_NONE);
	add(l.b, l.kernels, "graph 2", 130, 140, 8, CORR_NONE);
	add(l.b, l.kernels, "graph 1", 120, 125, 8, CORR_NONE);
	add(l.b, l.kernels, "lost", 150, 160, 77, CORR_NONE);
	add(l.b, l.kernels, "no id", 170, 180, CORR_NONE, CORR_NONE);
	p = linked_done(&l);
	is_str(link_of(p, "early"), "cudaLaunchKernel", "the runtime call, not the driver call inside it");
	is_str(link_of(p, "lost"), "none", "an id that no call has");
	is_str(link_of(p, "no id"), "none", "no id at all");
	is_uint(profile_launched_by(p, find(p, "cudaGraphLaunch"), &first), 2, "a graph launch has two");
	is_str(name_of(p, p->by_launch[first]), "graph 1", "in order of their start");
	is_uint(profile_launched_by(p, find(p, "cuLaunchKernel"), &first), 0, "the inner call none");
	is_uint(profile_launched_by(p, find(p, "cudaFuncGetAttributes"), &first), 0, "a call of another kind none");
	is_uint(p->n_by_launch, 4, "unlinked ones are not listed");
	profile_unref(p);
}

/* Two processes use the same ids. */
static void test_link_groups(void)
{
	struct builder *b = builder_new();
	struct profile *p;

	for (uint64_t g = 1; g <= 2; g++) {
		thread_id th = builder_thread(b, (int64_t)g, 1);

		add(b, builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, g), g == 1 ? "launch 1" : "launch 2", 0, 5, 9, CORR_NONE);
		add(b, builder_gpu_track(b, LAYER_KERNEL, (int64_t)g, 0, 0, 7, g), g == 1 ? "kernel 1" : "kernel 2", 10, 20, 9, CORR_NONE);
	}
	p = builder_finish(b);
	builder_free(b);
	is_str(link_of(p, "kernel 1"), "launch 1", "ids belong to a process");
	is_str(link_of(p, "kernel 2"), "launch 2", "each to its own");
	profile_unref(p);
}

static void test_ops_of_calls(void)
{
	struct linked l = linked_new();
	struct profile *p;

	add(l.b, l.ops, "outer", 0, 100, CORR_NONE, 41);
	add(l.b, l.ops, "inner", 10, 50, CORR_NONE, 42);
	add(l.b, l.calls, "in inner", 20, 25, 1, 41);
	add(l.b, l.calls, "after inner", 50, 55, 2, CORR_NONE);
	add(l.b, l.calls, "outside, by id", 200, 205, 3, 42);
	add(l.b, l.calls, "outside, id is the correlation", 210, 215, 41, 41);
	add(l.b, l.calls, "outside, no id", 220, 225, 4, CORR_NONE);
	add(l.b, l.other_calls, "other thread", 20, 25, 5, 42);
	p = linked_done(&l);
	is_str(link_of(p, "in inner"), "inner", "containment before the id");
	is_str(link_of(p, "after inner"), "outer", "intervals are half-open");
	is_str(link_of(p, "outside, by id"), "inner", "outside every op the id decides");
	is_str(link_of(p, "outside, id is the correlation"), "none", "an id that only repeats the correlation is worthless");
	is_str(link_of(p, "outside, no id"), "none", "nothing known");
	is_str(link_of(p, "other thread"), "inner", "a thread without ops: the id");
	is_str(link_of(p, "outer"), "none", "an op itself has no link");
	profile_unref(p);
}

/* Around the bounds of what is kept of an id: each is its own. */
static void test_long_ids(void)
{
	static const uint64_t ids[] = { UINT64_MAX - 1, 0, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000,
		UINT64_C(1) << 63, 0x80000002, 1 };
	struct linked l = linked_new();
	struct profile *p;
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		add(l.b, l.ops, "op", 10 * i, 10 * i + 5, CORR_NONE, ids[i]);
		add(l.b, l.calls, "call", 1000 + 10 * i, 1005 + 10 * i, 5000 + i, ids[i]);
		add(l.b, l.calls, "launch", 2000 + 10 * i, 2005 + 10 * i, ids[i], ids[i]);
		add(l.b, l.kernels, "kernel", 3000 + 10 * i, 3005 + 10 * i, ids[i], ids[i]);
	}
	p = linked_done(&l);
	for (ev_id e = 0; e < p->n; e++) {
		ev_id to = p->link[e];

		if (strcmp(name_of(p, e), "kernel") == 0 || strcmp(name_of(p, e), "call") == 0)
			wrong += to == ID_NONE || p->start[to] != p->start[e] - 1000;
		else
			wrong += to != ID_NONE;
	}
	is_uint(p->n, 44, "ids of any size");
	is_uint(wrong, 0, "each call finds its op by it, each kernel its launch");
	profile_unref(p);
}

/* ---- snapshots ---- */

static bool same_columns(const struct profile *a, const struct profile *b)
{
	bool good = a->n == b->n && a->n_tracks == b->n_tracks && a->n_by_launch == b->n_by_launch && a->n_strs == b->n_strs;

	good = good && a->first_ns == b->first_ns && a->last_ns == b->last_ns && a->caps == b->caps;
	for (ev_id e = 0; good && e < a->n; e++)
		good = a->start[e] == b->start[e] && a->dur[e] == b->dur[e] && a->self[e] == b->self[e] && a->name[e] == b->name[e] &&
			a->parent[e] == b->parent[e] && a->link[e] == b->link[e] && a->aux[e] == b->aux[e];
	for (uint32_t i = 0; good && i < a->n_by_launch; i++)
		good = a->by_launch[i] == b->by_launch[i];
	for (track_id t = 0; good && t < a->n_tracks; t++)
		good = a->tracks[t].first == b->tracks[t].first && a->tracks[t].count == b->tracks[t].count &&
			a->tracks[t].layer == b->tracks[t].layer && a->tracks[t].overlaps == b->tracks[t].overlaps;
	for (str_id i = 0; good && i < a->n_strs; i++) {
		size_t n, m;
		const char *x = profile_str(a, i, &n), *y = profile_str(b, i, &m);

		good = n == m && memcmp(x, y, n) == 0;
	}
	return good;
}

static void fill(const struct linked *l, int from, int to)
{
	for (int i = from; i < to; i++) {
		char name[32];
		ns_t t = below(1000);

		snprintf(name, sizeof(name), "op %u", below(20));
		add(l->b, l->ops, name, t, t + below(50), CORR_NONE, (uint64_t)i);
		add(l->b, below(2) ? l->calls : l->other_calls, "cudaLaunchKernel", t, t + 3, (uint64_t)i, below(2) ? 7 : CORR_NONE);
		add(l->b, l->kernels, "kernel", t + 10, t + 10 + below(30), (uint64_t)(below(3) ? i : 5000), CORR_NONE);
	}
}

static void test_snapshots(void)
{
	struct linked l = linked_new();
	struct profile *half, *whole, *done;

	fill(&l, 0, 200);
	half = builder_snapshot(l.b, true);
	is_uint(half->n, 600, "a snapshot has what was there");
	ok(half->partial, "and is marked");
	fill(&l, 200, 400);
	is_uint(half->n, 600, "it does not grow");
	whole = builder_snapshot(l.b, false);
	done = linked_done(&l);
	ok(!done->partial && done->n == 1200, "the end has all");
	ok(same_columns(whole, done), "a snapshot of everything equals the end, column by column");
	ok(!same_columns(half, done), "one of the half does not");
	ok(profile_ref(half) == half, "references are counted");
	profile_unref(half);
	is_uint(half->n, 600, "the first release frees nothing");
	profile_unref(half);
	profile_unref(whole);
	profile_unref(done);
}

/* So many that the memory of events becomes that of columns; a track of every size, in order and not. */
static void test_many(void)
{
	static const uint32_t counts[] = { 150000, 3, 70000, 40000, 9000, 20000, 16384 };
	struct linked l = linked_new();
	str_id name = builder_intern(l.b, "x", 1);
	struct profile *copied, *moved;

	for (uint32_t t = 0; t < sizeof(counts) / sizeof(*counts); t++) {
		track_id tracks[] = { builder_host_track(l.b, LAYER_PYTHON, builder_thread(l.b, 1, t), ID_NONE, 0),
			builder_host_track(l.b, LAYER_RUNTIME, builder_thread(l.b, 1, t), ID_NONE, 0),
			builder_gpu_track(l.b, LAYER_KERNEL, -1, 0, 0, t, 0) };

		for (uint32_t i = 0; i < counts[t]; i++)
			builder_add(l.b, tracks[i % 3], &(struct builder_event){ .start = t % 2 ? below(counts[t]) : i, .dur = below(9),
				.name = name, .corr = below(3) ? i : CORR_NONE, .ext = CORR_NONE, .aux = i });
	}
	builder_set_workers(l.b, 2);
	copied = builder_snapshot(l.b, false);
	moved = linked_done(&l);
	is_uint(moved->n, 305387, "many events");
	ok(same_columns(copied, moved), "where memory is used again the columns are the same");
	profile_unref(copied);
	profile_unref(moved);
}

/* Command lines that differ in their arguments alone are told apart when those are shown. */
static void test_cmdlines(void)
{
	struct builder *b = builder_new();
	struct profile *p, *whole, *again;
	size_t n;

	builder_process_name(b, 1, builder_command(b, CMDLINE_NAME, "python train.py --rank 0", 24));
	builder_process_name(b, 2, builder_command(b, CMDLINE_NAME, "python train.py --rank 1", 24));
	builder_process_name(b, 3, builder_command(b, CMDLINE_NAME, "python train.py --rank 0", 24));
	builder_process_name(b, 4, builder_command(b, CMDLINE_NAME, "python serve.py --token hush", 28));
	builder_process_name(b, 5, builder_command(b, CMDLINE_NAME, "python", 6));
	builder_option_command(b, "command", CMDLINE_PLAIN, "python", 6);
	p = builder_finish(b);
	builder_free(b);
	is_uint(p->n_cmdlines, 3, "as many as there are with arguments");
	is_str(profile_str(p, p->processes[0].name, &n), "python train.py … (2 arguments: --show-args)", "the first");
	is_str(profile_str(p, p->processes[1].name, &n), "python train.py … (2 arguments: --show-args)", "the second");
	is_uint(p->processes[0].name, p->processes[2].name, "an equal one is the same string");
	is_str(profile_str(p, p->processes[4].name, &n), "python", "one without arguments");
	ok(profile_str_find(p, "python serve.py --token hush", 28) == ID_NONE, "a secret is not kept");
	whole = profile_with_args(p);
	again = profile_with_args(whole);
	ok(again == whole, "no copy of what has arguments already");
	is_str(profile_str(whole, p->processes[0].name, &n), "python train.py --rank 0", "the first, with arguments");
	is_str(profile_str(whole, p->processes[1].name, &n), "python train.py --rank 1", "the second");
	is_str(profile_str(whole, p->processes[3].name, &n), "python serve.py --token ****", "the secret stays masked");
	is_str(profile_str(whole, p->processes[4].name, &n), "python", "what had none is as it was");
	is_str(profile_str(p, p->processes[0].name, &n), "python train.py … (2 arguments: --show-args)", "the profile itself is as it was");
	profile_unref(p);
	profile_unref(again);
	profile_unref(whole);
}

int main(void)
{
	test_cmdlines();
	test_strtab();
	test_strtab_many();
	test_nest_by_hand();
	test_nest_random();
	test_order();
	test_tracks();
	test_range_and_damage();
	test_limits();
	test_lookup();
	test_launches();
	test_link_groups();
	test_ops_of_calls();
	test_long_ids();
	test_snapshots();
	test_many();
	return done_testing();
}
