/*
 * sync.c - view `sync`: waits of the host for the device, by what they wait for (definitions.md §6). The kind is told by the
 * name of the API call; the codes of synchronisation records mean different things in different versions of the tools.
 */
#include "base/text.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_TYPE, C_COUNT, C_TIME, C_BUSY, C_LOST, C_MAX, C_CALL, C_BY };

static const struct column_def cols[] = {
	[C_TYPE] = { "type", N_("Type"), UNIT_TEXT, COL_KEY, 0, N_("what is waited for: a stream, the whole context, an event, the start of a copy that blocks its caller; stream-wait is a wait of the device, not of the host") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("waits that start in the window") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, COL_BAR, 0, N_("sum of the waits inside the window") },
	[C_BUSY] = { "busy_ns", N_("Busy"), UNIT_NS, 0, 1, N_("part of it in which a device of the process works: waiting for useful work") },
	[C_LOST] = { "lost_ns", N_("Lost"), UNIT_NS, COL_BAR, 0, N_("part of it in which the devices are idle") },
	[C_MAX] = { "max_ns", N_("Max"), UNIT_NS, 0, 3, N_("longest wait") },
	[C_CALL] = { "call", N_("Call"), UNIT_TEXT, COL_NAME, 4, N_("API call with the longest waits of the row") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

/* First that matches, on the name without its version suffixes. */
static const struct {
	const char *end;		/* the name ends with it */
	uint8_t kind;
} endings[] = {
	{ "StreamSynchronize", SYNC_STREAM }, { "QueueFinish", SYNC_STREAM },
	{ "EventSynchronize", SYNC_EVENT }, { "EventQuery", SYNC_EVENT }, { "EventHostSynchronize", SYNC_EVENT },
	{ "DeviceSynchronize", SYNC_CONTEXT }, { "CtxSynchronize", SYNC_CONTEXT }, { "ThreadSynchronize", SYNC_CONTEXT },
	{ "DeviceReset", SYNC_CONTEXT },
	{ "StreamWaitEvent", SYNC_STREAM_WAIT },
};

static enum sync_kind kind_of_call(const char *s, size_t n)
{
	n = rules_runtime_base(s, n);
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (text_ends(s, n, endings[i].end))
			return (enum sync_kind)endings[i].kind;
	return SYNC_OTHER;
}

struct sync_acc {
	struct tally_row row;
	enum sync_kind kind;
	int64_t count;
	ns_t time, busy, max;
	const struct selection *longest;	/* of the longest wait */
	str_id call;
};
struct sync_view {
	struct tally y;
	struct proc_busies busy;	/* of the present source */
	struct spans any_busy;		/* of all its devices, made when a wait of an unknown process asks */
	bool any_made;
	const struct selection *k;
};

/* ---- when the devices of a process work ---- */

static const struct spans *busy_of(struct sync_view *v, int64_t pid)
{
	const struct facts *f = v->k->f;
	uint32_t proc = facts_proc_of_pid(f, pid);

	if (proc != ID_NONE)
		return proc_busy(&v->busy, proc);
	if (v->any_made)
		return &v->any_busy;
	v->any_made = true;
	for (uint32_t d = 0; d < f->n_devices; d++)
		for (size_t i = 0; i < f->devices[d].any.n; i++)
			spans_add(&v->any_busy, f->devices[d].any.a[i].start, f->devices[d].any.a[i].end);
	spans_norm(&v->any_busy);
	return &v->any_busy;
}

/* ---- adding up ---- */

struct wait {
	ev_id e, call;			/* the record (or the call itself), and the call; ID_NONE unknown */
	thread_id thread;		/* that waits, ID_NONE unknown */
	int64_t pid;
	enum sync_kind kind;
	ns_t end;			/* it begins with e */
};

static bool wanted(const struct selection *k, const struct wait *w)
{
	const struct scope *sc = k->sc;
	uint32_t proc = w->thread == ID_NONE ? ID_NONE : k->f->threads[w->thread].proc;

	if (sc->pid != SCOPE_ANY && w->pid != sc->pid)
		return false;
	if ((sc->tid != SCOPE_ANY || sc->roles) && (w->thread == ID_NONE || !selects_thread(k, w->thread)))
		return false;
	if (sc->phases && (proc == ID_NONE || !(sc->phases >> facts_phase_at(k->f, proc, k->p->start[w->e]) & 1)))
		return false;
	if (w->call == ID_NONE)
		return !sc->op_hash && !sc->runtime_hash && !k->class_ok;
	return selects_call(k, w->call);
}

static void add(struct sync_view *v, const struct wait *w)
{
	const struct selection *k = v->k;
	ns_t start = k->p->start[w->e], end = w->end, in = selection_clip(k, start, end);
	bool counts = selects_at(k, start);
	int64_t by;
	struct sync_acc *a;

	if ((!in && !counts) || !wanted(k, w))
		return;
	by = k->sc->by == BY_PROCESS && w->pid >= 0 ? w->pid : split_host(k, w->thread, start);
	a = tally_add(&v->y, k, by, w->pid, TALLY_KEY(w->kind));
	a->kind = w->kind;
	a->count += counts;
	a->time += in;
	a->busy += pick_overlap(k, busy_of(v, w->pid), start, end);
	if (a->row.n == 1 || in > a->max) {
		a->max = in;
		a->call = w->call == ID_NONE ? ID_NONE : k->p->name[w->call];
		a->longest = k;
	}
}

/* Synchronisation records, typed by the call that they are linked to. */
static void add_records(struct sync_view *v)
{
	const struct profile *p = v->k->p;

	for (track_id t = p->layer_track[LAYER_SYNC]; t < p->layer_track[LAYER_SYNC + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			struct wait w = { e, p->link[e], facts_launch_thread(v->k->f, e), gpu_pid(v->k, tr, e), SYNC_UNKNOWN, ev_end(p, e) };
			size_t n;
			const char *name;

			if (w.call != ID_NONE) {
				name = profile_str(p, p->name[w.call], &n);
				w.kind = kind_of_call(name, n);
			} else if (p->format == FORMAT_TORCH && p->aux[e] < SYNC_KIND_N) {
				w.kind = (enum sync_kind)p->aux[e];	/* the record is named by its kind */
			}
			add(v, &w);
		}
	}
}

/* Without records: the blocking calls themselves. */
static void add_calls(struct sync_view *v)
{
	const struct profile *p = v->k->p;

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			struct wait w = { e, e, tr->thread, p->threads[tr->thread].pid, SYNC_UNKNOWN, ev_end(p, e) };
			size_t n;
			const char *name;

			if (facts_rt(v->k->f, e) != RT_SYNC)
				continue;
			name = profile_str(p, p->name[e], &n);
			w.kind = kind_of_call(name, n);
			add(v, &w);
		}
	}
}

/* Copies that block wait before they start; no tool has a record of that. */
static void add_copies(struct sync_view *v)
{
	const struct facts *f = v->k->f;

	for (uint32_t i = 0; i < f->n_blocking; i++) {
		const struct blocking_copy *b = &f->blocking[i];
		thread_id t = f->call_thread[b->call - f->p->layer_first[LAYER_RUNTIME]];

		if (b->wait_end > f->p->start[b->call])
			add(v, &(struct wait){ b->call, b->call, t, f->p->threads[t].pid, SYNC_COPY, b->wait_end });
	}
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct sync_view *v = view;

	(void)e;
	v->k = k;
	v->any_made = false;
	proc_busies_init(&v->busy, k->f);
	if (k->p->layer_first[LAYER_SYNC] < k->p->layer_first[LAYER_SYNC + 1] || source_format_nsys(k->p->format) > 1) {
		add_records(v);
	} else {
		table_note(t, _("%s: no synchronisation records; the figures are those of the blocking API calls"), k->src->path);
		add_calls(v);
	}
	add_copies(v);
	proc_busies_fini(&v->busy);
	spans_fini(&v->any_busy);
	return true;
}

/* ---- rows ---- */

static int acc_cmp(const void *pa, const void *pb)
{
	const struct sync_acc *a = pa, *b = pb;
	int c = tally_cmp_place(&a->row, &b->row);

	return c ? c : tally_cmp_down(a->time, b->time);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct sync_acc *a = acc;
	const struct facts *f = a->longest->f;

	(void)view;
	table_cstr(t, row, C_TYPE, sync_kind_name(a->kind));
	table_i64(t, row, C_COUNT, a->count);
	table_i64(t, row, C_TIME, a->time);
	if (f->n_devices) {
		table_i64(t, row, C_BUSY, a->busy);
		table_i64(t, row, C_LOST, a->time - a->busy);
	}
	table_i64(t, row, C_MAX, a->max);
	an_str(t, row, C_CALL, a->longest, a->call);
	if (a->call != ID_NONE)
		an_ref(t, row, REF_RUNTIME, f->source, 0, 0, C_CALL);
}

static const struct tally_view how = {
	.kind = NEED_RUNTIME, .none = N_("no API calls recorded: waits are unknown"), .source = add_source,
	.row_size = sizeof(struct sync_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct sync_view v = { .y.how = &how };

	return tally_run(&v.y, cx, sc, t, e);
}

const struct analysis an_sync = {
	.id = "sync", .title = N_("Waits"), .doc = N_("waits of the host for the device, and how much of them is lost"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
