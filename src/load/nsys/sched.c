/*
 * sched.c - context switches (SCHED_EVENTS) to intervals of threads on a CPU, see nsys.h
 *
 * A row says that a thread was put on a CPU or taken off. A thread whose first row takes it off was
 * on since the session began; one that is not taken off stays on until the last row of the table.
 * Threads of processes that have no other events are left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "load/nsys/nsys.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,

/* clang-format off */
#define SCHED_COLS(C) C(SCHED, start) C(SCHED, cpu) C(SCHED, isSchedIn) C(SCHED, globalTid)
enum { SCHED_COLS(COL_ID) SCHED_N };
static const char *const sched_cols[] = { SCHED_COLS(COL_NAME) };
/* clang-format on */

static void sched_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct nsys_switch w = {.cpu = nsys_int_or(s, SCHED_cpu, -1),
				.in = nsys_int_or(s, SCHED_isSchedIn, 0) != 0};

	if (nsys_int(s, SCHED_globalTid, &w.gtid) && nsys_int(s, SCHED_start, &w.at) &&
	    nsys_time_ok(w.at))
		VEC_PUSH(&cx->switches, w);
}

static int switch_cmp(const void *pa, const void *pb)
{
	const struct nsys_switch *a = pa, *b = pb;

	if (a->gtid != b->gtid)
		return a->gtid < b->gtid ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->in - b->in; /* off one CPU, then on the next */
}

static void put_on(struct nsys_ctx *cx, const struct nsys_switch *w, ns_t start, ns_t end)
{
	struct builder_event ev = {.start = start,
				   .dur = end > start ? end - start : 0,
				   .corr = CORR_NONE,
				   .ext = CORR_NONE,
				   .aux = ID_NONE};

	ev.name = w->cpu < 0 ? nsys_intern(cx, "CPU ?") : nsys_intern(cx, "CPU %" PRId64, w->cpu);
	builder_add(cx->b, nsys_host_track(cx, LAYER_SCHED, w->gtid, ID_NONE), &ev);
}

/* The rows of one thread, in order. */
static void put_thread(struct nsys_ctx *cx, const struct nsys_switch *w, size_t n, ns_t last)
{
	const struct nsys_switch *on = NULL;

	if (!w[0].in)
		put_on(cx, &w[0], 0, w[0].at);
	for (size_t i = 0; i < n; i++) {
		if (on)
			put_on(cx, on, on->at, w[i].at);
		on = w[i].in ? &w[i] : NULL;
	}
	if (on)
		put_on(cx, on, on->at, last);
}

void nsys_put_switches(struct nsys_ctx *cx)
{
	struct nsys_switch *w = cx->switches.a;
	ns_t last = 0;

	for (size_t i = 0; i < cx->switches.n; i++)
		last = w[i].at > last ? w[i].at : last;
	if (cx->switches.n)
		qsort(w, cx->switches.n, sizeof(*w), switch_cmp);
	for (size_t i = 0, end; i < cx->switches.n; i = end) {
		for (end = i; end < cx->switches.n && w[end].gtid == w[i].gtid; end++)
			;
		if (map_find(&cx->processes, NSYS_GLOBAL_PID(w[i].gtid), 0) != MAP_NONE)
			put_thread(cx, w + i, end - i, last);
	}
}

const struct nsys_table nsys_sched = {"SCHED_EVENTS", sched_cols, SCHED_N, sched_row};
