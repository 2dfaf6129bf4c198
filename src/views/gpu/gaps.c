/*
 * gaps.c - view `gaps`: the intervals of a device without any kernel, copy or memory set (scope.partition "compute": without
 * compute kernels), and what caused each (definitions.md §5).
 */
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "calc/owners.h"
#include "measure/gaps.h"
#include "measure/idle_cause.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/device_window.h"

enum { C_DEVICE, C_START, C_DUR, C_CAUSE, C_EVIDENCE, C_THREAD, C_ENDED, C_PHASE, C_STEP, C_BY };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device in the file") },
	[C_START] = { "start_ns", N_("Start"), UNIT_TIME, 0, 1, N_("when the gap begins") },
	[C_DUR] = { "dur_ns", N_("Length"), UNIT_NS, COL_BAR, 0, N_("how long nothing runs; the gaps of a device sum to its idle time") },
	[C_CAUSE] = { "cause", N_("Cause"), UNIT_TEXT, COL_KEY, 0, N_("dependency: the work that ends the gap was launched before it began; else what the issuing thread did for most of it") },
	[C_EVIDENCE] = { "evidence", N_("Because"), UNIT_TEXT, COL_NAME, 2, N_("what the cause was told by, with shares of the gap") },
	[C_THREAD] = { "thread", N_("Thread"), UNIT_ID, 0, 6, N_("thread that issued work at the start of the gap, or that launched the work that ends it") },
	[C_ENDED] = { "ended_by", N_("Ended by"), UNIT_TEXT, 0, 5, N_("work that starts when the gap ends") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 4, N_("phase of the process at the start of the gap") },
	[C_STEP] = { "step", N_("Step"), UNIT_ID, 0, 4, N_("step at the start of the gap") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct gaps {
	const struct selection *k;
	struct host_causes *idle;
	struct names *names;		/* of the events, without what emit_nvtx appends */
	const struct device_facts *d;
	struct table *t;
	int64_t by;			/* of the window at hand */
	uint32_t seen;
	struct err *e;
};

/* ---- cause ---- */

struct gaps_causes {
	struct host_causes *idle;
	ns_t ns[CAUSE_N];
};

static void add_causes(void *arg, thread_id t, ns_t start, ns_t end)
{
	struct gaps_causes *c = arg;

	host_causes_add(c->idle, t, start, end, c->ns);
}

/* The cause that owns most; the earlier in the order of equals. */
static enum idle_cause find_cause(const struct gaps *g, const struct gap *x)
{
	struct gaps_causes c = { .idle = g->idle };
	int best = CAUSE_UNTRACED;

	if (x->dependency)
		return CAUSE_DEPENDENCY;
	gap_each_issuer(g->k->f, x, add_causes, &c);
	for (int i = CAUSE_UNTRACED - 1; i >= 0; i--)
		if (c.ns[i] && c.ns[i] >= c.ns[best])
			best = i;
	return (enum idle_cause)best;
}

/* ---- evidence: who owned the instants of the issuing thread ---- */

struct gaps_owner {
	uint32_t name;			/* number in names */
	ns_t ns;
};
struct evidence {
	const struct gaps *g;
	struct map by_name;
	struct names *names;
	VEC(struct gaps_owner) owners;
	VEC(struct owner_event) ev;
};

static void add_event(struct evidence *v, const struct track *tr, ev_id e, ns_t start, ns_t end)
{
	static const uint8_t inside[LAYER_N] = {
		[LAYER_NVTX_SE] = 1, [LAYER_NVTX] = 1, [LAYER_PYTHON] = 2, [LAYER_OP] = 3, [LAYER_OSRT] = 4, [LAYER_RUNTIME] = 5,
		[LAYER_OVERHEAD] = 6,
	};
	const struct profile *p = v->g->k->p;
	ns_t from = p->start[e] > start ? p->start[e] : start, to = ev_end(p, e) < end ? ev_end(p, e) : end;

	/* what was open before counts by its own start: the latest owns the first instants */
	if (to > from)
		VEC_PUSH(&v->ev, (struct owner_event){ p->start[e], to, e, inside[tr->layer] });
}

static void add_layer(struct evidence *v, const struct track *tr, ns_t start, ns_t end)
{
	const struct profile *p = v->g->k->p;
	ev_id first = track_lower_bound(p, tr, start);

	for (ev_id e = first > tr->first ? first - 1 : ID_NONE; e != ID_NONE; e = p->parent[e])
		add_event(v, tr, e, start, end);
	for (ev_id e = first; e < tr->first + tr->count && p->start[e] < end; e++)
		add_event(v, tr, e, start, end);
}

static void add_owner(struct evidence *v, uint32_t name, ns_t ns)
{
	uint32_t i = map_get_or_put(&v->by_name, name, 0, (uint32_t)v->owners.n);

	if (i == v->owners.n)
		VEC_PUSH(&v->owners, (struct gaps_owner){ name, 0 });
	v->owners.a[i].ns += ns;
}

static void add_evidence(void *arg, thread_id t, ns_t start, ns_t end)
{
	static const enum layer layers[] = { LAYER_ANNOT, LAYER_NVTX, LAYER_NVTX_SE, LAYER_PYTHON, LAYER_OP, LAYER_OSRT, LAYER_RUNTIME,
		LAYER_OVERHEAD };
	struct evidence *v = arg;
	const struct profile *p = v->g->k->p;
	struct owner_list segs = { 0 };

	v->ev.n = 0;
	for (size_t l = 0; l < sizeof(layers) / sizeof(*layers) && t != ID_NONE; l++) {
		uint32_t n;
		const track_id *tracks = facts_thread_tracks(v->g->k->f, t, layers[l], &n);

		for (uint32_t i = 0; i < n; i++)
			add_layer(v, &p->tracks[tracks[i]], start, end);
	}
	owner_list_of_events(&segs, v->ev.a, v->ev.n);
	for (size_t i = 0; i < segs.n; i++) {
		ns_t from = segs.a[i].start > start ? segs.a[i].start : start;

		if (segs.a[i].end > from)
			add_owner(v, names_id(v->names, p->name[segs.a[i].owner]), segs.a[i].end - from);
	}
	owner_list_fini(&segs);
}

static int owner_cmp(const void *pa, const void *pb)
{
	const struct gaps_owner *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* "cudaStreamSynchronize 82 %, aten::item 10 %": the three that own most, from 1 % on. */
static void write_owners(const struct evidence *v, const struct gap *x, struct sbuf *out)
{
	ns_t len = x->end - x->start;

	for (size_t i = 0; i < v->owners.n && i < 3; i++) {
		size_t n;
		const char *s = names_str(v->names, v->owners.a[i].name, &n);
		double pct = 100.0 * (double)v->owners.a[i].ns / (double)len;

		if (i && pct < 1)
			break;
		sbuf_puts(out, i ? ", " : "");
		sbuf_put(out, n ? s : "?", n ? n : 1);
		sbuf_printf(out, " %.0f %%", pct);
	}
	if (!v->owners.n)
		sbuf_puts(out, _("no event on the issuing thread"));
}

static void write_evidence(const struct gaps *g, const struct gap *x, struct sbuf *out)
{
	struct evidence v = { .g = g, .names = g->names };
	char ahead[NUM_TEXT_MAX];

	if (x->dependency) {
		sbuf_printf(out, _("launched %s before the gap began"), num_ns(x->ahead, ahead));
		return;
	}
	if (x->proc == ID_NONE) {
		sbuf_puts(out, _("no host thread is known for this device"));
		return;
	}
	gap_each_issuer(g->k->f, x, add_evidence, &v);
	if (v.owners.n)
		qsort(v.owners.a, v.owners.n, sizeof(*v.owners.a), owner_cmp);
	write_owners(&v, x, out);
	map_fini(&v.by_name);
	VEC_FREE(&v.owners);
	VEC_FREE(&v.ev);
}

/* ---- rows ---- */

static thread_id shown_thread(const struct gaps *g, const struct gap *x)
{
	if (x->thread != ID_NONE || x->proc == ID_NONE)
		return x->thread;
	return facts_issuer_at(g->k->f, x->proc, x->start);
}

static bool put_gap(void *arg, const struct gap *x)
{
	struct gaps *g = arg;
	const struct selection *k = g->k;
	struct table *t = g->t;
	uint32_t row = table_row(t);
	thread_id thread = shown_thread(g, x);
	struct sbuf text = { 0 };

	table_i64(t, row, C_DEVICE, g->d->device);
	table_i64(t, row, C_START, selection_session_time(k, x->start));
	table_i64(t, row, C_DUR, x->end - x->start);
	table_cstr(t, row, C_CAUSE, idle_cause_name(find_cause(g, x)));
	write_evidence(g, x, &text);
	table_str(t, row, C_EVIDENCE, text.s, text.n);
	sbuf_fini(&text);
	if (thread != ID_NONE)
		table_i64(t, row, C_THREAD, k->p->threads[thread].tid);
	if (x->ended != ID_NONE)
		an_str(t, row, C_ENDED, k, k->p->name[x->ended]);
	if (x->proc != ID_NONE) {
		table_cstr(t, row, C_PHASE, phase_name(facts_phase_at(k->f, x->proc, x->start)));
		table_i64(t, row, C_STEP, step_at(k->f, x->proc, x->start));
	}
	split_set(t, row, C_BY, k, g->by);
	an_ref(t, row, REF_TIME, k->f->source, selection_session_time(k, x->start), selection_session_time(k, x->end), C_ENDED);
	an_row_source(t, row, k, x->proc == ID_NONE ? -1 : k->f->procs[x->proc].pid);
	return ++g->seen % 1024 || !an_cancelled(k->cx, g->e);
}

static bool put_device(struct gaps *g)
{
	struct gap_walk *scan = gap_walk_new(g->k, g->d, !strcmp(g->k->sc->partition, "compute"));
	struct device_windows ws;
	bool ok = true;

	device_windows_make(&ws, g->k, g->d);
	for (size_t w = 0; w < ws.n && ok; w++) {
		g->by = ws.a[w].by;
		ok = gap_walk_each(scan, &ws.a[w].w, put_gap, g);
	}
	device_windows_fini(&ws);
	gap_walk_free(scan);
	return ok;
}

static bool put_source(const struct selection *k, struct table *t, struct err *e)
{
	struct names names = { .cut = rules_op_base };
	struct gaps g = { .k = k, .t = t, .names = &names, .idle = host_causes_new(k->f, k->cx->rules), .e = e };
	bool ok = true;

	names_enter(&names, k->p);
	for (uint32_t i = 0; i < k->f->n_devices && ok; i++) {
		g.d = &k->f->devices[i];
		if (device_in_scope(k, g.d))
			ok = put_device(&g);
	}
	host_causes_free(g.idle);
	names_fini(&names);
	return ok;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = put_source(&ps.a[i], t, e);
	selections_close(&ps);
	return ok;
}

const struct analysis an_gaps = {
	.id = "gaps", .title = N_("Idle gaps"), .doc = N_("when nothing ran on a device, and why"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
