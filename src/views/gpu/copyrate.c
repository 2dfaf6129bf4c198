/*
 * copyrate.c - view `copyrate`: on how many devices copies of a direction run at the same time, and at what rate together. Devices of
 * one host share its memory and often its links: rates that add up to less than one device alone gets say so.
 *
 * A copy's bytes are spread evenly over its time. Over the rows of a direction the bytes sum to those of `memcpy`, the times to the time
 * with at least one such copy on any device of the run. Devices of sources without a common clock are not compared.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_KIND, C_DEVICES, C_TIME, C_SHARE, C_BYTES, C_GBPS, C_EACH };

static const struct column_def cols[] = {
	[C_KIND] = { "kind", N_("Kind"), UNIT_TEXT, COL_KEY, 0, N_("direction, as in the view memcpy") },
	[C_DEVICES] = { "devices", N_("GPUs at once"), UNIT_COUNT, COL_KEY, 0, N_("devices that copy in this direction at the same time") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, COL_BAR, 0, N_("how long it is exactly so many") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 1, N_("of the time in which any device copies in this direction") },
	[C_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, 0, 1, N_("copied in that time, by all of them") },
	[C_GBPS] = { "gbps", N_("Together"), UNIT_GBPS, 0, 0, N_("rate of all of them together") },
	[C_EACH] = { "gbps_each", N_("Each"), UNIT_GBPS, 0, 2, N_("that, by the number of devices") },
	SOURCE_COLS
};

struct edge {
	ns_t at;
	uint32_t device;	/* number in `devices` */
	int8_t step;		/* 1 begins, -1 ends */
	double rate;		/* bytes per ns */
};
struct flow {			/* copies of one direction on one clock */
	uint32_t kind;
	int clock;
	int64_t source;
	bool unsized;
	VEC(struct edge) edges;
};
struct copyrate_view {
	const struct selections *ps;
	struct groups g, devices;
	VEC(struct flow) flows;
};

static void add(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct copyrate_view *v = arg;
	const struct profile *p = k->p;
	const struct copy_detail *cd = p->aux[e] < p->n_copies ? &p->copies[p->aux[e]] : NULL;
	uint32_t kind = cd ? cd->kind : COPY_UNKNOWN, source = (uint32_t)(k - v->ps->a);
	uint32_t i = groups_add(&v->g, &(struct group_key){ .k = { (uint64_t)k->src->clock_group, kind } });
	/* the same number in two processes is counted twice only where the tracks say so: they may be different boards */
	struct group_key device = { .k = { source, (uint64_t)tr->pid, (uint64_t)tr->device } };
	ns_t start = selection_session_time(k, p->start[e]);
	struct flow *f;
	struct edge x;

	if (i == v->flows.n)
		VEC_PUSH(&v->flows, (struct flow){ .kind = kind, .clock = k->src->clock_group, .source = OWNER_NEW });
	f = &v->flows.a[i];
	owner_add(&f->source, source);
	if (!p->dur[e])
		return;
	f->unsized |= !cd || cd->bytes == I64_UNKNOWN;
	x = (struct edge){ start, groups_add(&v->devices, &device), 1, cd ? (double)cd->bytes / (double)p->dur[e] : 0 };
	VEC_PUSH(&f->edges, x);
	x.at += p->dur[e];
	x.step = -1;
	VEC_PUSH(&f->edges, x);
}

static int edge_cmp(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

struct level {
	ns_t time;
	double bytes;
};

/* Fills levels[n] for n devices at once; returns the time with any. */
static ns_t sweep(const struct flow *f, uint32_t n_devices, struct level *levels)
{
	uint32_t *copies = xcalloc(n_devices, sizeof(*copies)), at_once = 0, running = 0;
	double rate = 0;
	ns_t any = 0;

	for (size_t i = 0; i < f->edges.n; i++) {
		const struct edge *x = &f->edges.a[i];
		ns_t dt = i ? x->at - f->edges.a[i - 1].at : 0;

		levels[at_once].time += dt;
		levels[at_once].bytes += rate * (double)dt;
		any += at_once ? dt : 0;
		at_once -= copies[x->device] > 0;
		copies[x->device] += (uint32_t)x->step;
		at_once += copies[x->device] > 0;
		running += (uint32_t)x->step;
		rate = running ? rate + x->step * x->rate : 0;	/* no rest of rounding is left when nothing runs */
	}
	free(copies);
	return any;
}

static void put_flow(const struct copyrate_view *v, struct table *t, struct flow *f)
{
	uint32_t n = v->devices.n;
	struct level *levels = xcalloc((size_t)n + 1, sizeof(*levels));
	ns_t any;

	if (f->edges.n)
		qsort(f->edges.a, f->edges.n, sizeof(*f->edges.a), edge_cmp);
	any = sweep(f, n, levels);
	for (uint32_t i = n; i > 0; i--) {
		uint32_t row;

		if (!levels[i].time)
			continue;
		row = table_row(t);
		table_cstr(t, row, C_KIND, copy_kind_name((enum copy_kind)f->kind));
		table_i64(t, row, C_DEVICES, i);
		table_i64(t, row, C_TIME, levels[i].time);
		table_share(t, row, C_SHARE, (double)levels[i].time, (double)any);
		selections_row_owner(t, row, v->ps, f->source, -1);
		if (f->unsized)
			continue;
		table_i64(t, row, C_BYTES, (int64_t)(levels[i].bytes + 0.5));
		table_f64(t, row, C_GBPS, levels[i].bytes / (double)levels[i].time);
		table_f64(t, row, C_EACH, levels[i].bytes / (double)levels[i].time / i);
	}
	free(levels);
}

static int flow_cmp(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct flow *a = (const struct flow *)arg + ia, *b = (const struct flow *)arg + ib;

	return a->clock != b->clock ? (a->clock > b->clock) - (a->clock < b->clock) : (a->kind > b->kind) - (a->kind < b->kind);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	struct copyrate_view v = { .ps = &ps };
	bool ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);
	uint32_t *order;

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = selections_gpu(&ps.a[i], LAYER_MEMCPY, add, &v, e);
	order = groups_order((uint32_t)v.flows.n, flow_cmp, v.flows.a);
	for (size_t i = 0; i < v.flows.n && ok; i++)
		put_flow(&v, t, &v.flows.a[order[i]]);
	free(order);
	for (size_t i = 0; i < v.flows.n; i++)
		VEC_FREE(&v.flows.a[i].edges);
	VEC_FREE(&v.flows);
	groups_fini(&v.g);
	groups_fini(&v.devices);
	selections_close(&ps);
	return ok;
}

const struct analysis an_copyrate = {
	.id = "copyrate", .title = N_("Copies at once"), .doc = N_("how many devices copy in a direction at the same time, and their rate together"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
