/*
 * sync.c - view `sync`: waits of the host for the device, by what they wait for (definitions.md §6). The kind is told by the
 * name of the API call; the codes of synchronisation records mean different things in different versions of the tools.
 */
#include <string.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t k = strlen(endings[i].end);

		if (n >= k && !memcmp(s + n - k, endings[i].end, k))
			return (enum sync_kind)endings[i].kind;
	}
	return SYNC_OTHER;
}

struct acc {
	enum sync_kind kind;
	int64_t by, source, pid;
	int64_t count;
	ns_t time, busy, max;
	uint32_t call_source;		/* of the longest wait */
	str_id call;
};
struct sums {
	const struct picks *ps;
	struct groups g;
	VEC(struct acc) acc;
	struct proc_busies busy;	/* of the present source */
	struct spans any_busy;		/* of all its devices, made when a wait of an unknown process asks */
	bool any_made;
	const struct pick *k;
};

/* ---- when the devices of a process work ---- */

static const struct spans *busy_of(struct sums *s, int64_t pid)
{
	const struct facts *f = s->k->f;
	uint32_t proc = facts_proc_of_pid(f, pid);

	if (proc != ID_NONE)
		return proc_busy(&s->busy, proc);
	if (s->any_made)
		return &s->any_busy;
	s->any_made = true;
	for (uint32_t d = 0; d < f->n_devices; d++)
		for (size_t i = 0; i < f->devices[d].any.n; i++)
			spans_add(&s->any_busy, f->devices[d].any.a[i].start, f->devices[d].any.a[i].end);
	spans_norm(&s->any_busy);
	return &s->any_busy;
}

static ns_t overlap_in(const struct pick *k, const struct spans *s, ns_t start, ns_t end)
{
	ns_t sum = 0;

	if (k->all)
		return spans_overlap(s, start, end);
	for (size_t i = spans_seek(&k->window, start); i < k->window.n && k->window.a[i].start < end; i++) {
		ns_t from = k->window.a[i].start > start ? k->window.a[i].start : start;
		ns_t to = k->window.a[i].end < end ? k->window.a[i].end : end;

		sum += spans_overlap(s, from, to);
	}
	return sum;
}

/* ---- adding up ---- */

struct wait {
	ev_id e, call;			/* the record (or the call itself), and the call; ID_NONE unknown */
	thread_id thread;		/* that waits, ID_NONE unknown */
	int64_t pid;
	enum sync_kind kind;
	ns_t end;			/* it begins with e */
};

static bool wanted(const struct pick *k, const struct wait *w)
{
	const struct scope *sc = k->sc;
	uint32_t proc = w->thread == ID_NONE ? ID_NONE : k->f->threads[w->thread].proc;

	if (sc->pid != SCOPE_ANY && w->pid != sc->pid)
		return false;
	if ((sc->tid != SCOPE_ANY || sc->roles) && (w->thread == ID_NONE || !pick_thread(k, w->thread)))
		return false;
	if (sc->phases && (proc == ID_NONE || !(sc->phases >> facts_phase_at(k->f, proc, k->p->start[w->e]) & 1)))
		return false;
	if (w->call == ID_NONE)
		return !sc->op_hash && !sc->runtime_hash && !k->class_ok;
	return pick_call(k, w->call);
}

static struct acc *acc_of(struct sums *s, const struct wait *w)
{
	int64_t by = split_host(s->k, w->thread, s->k->p->start[w->e]), source = s->k - s->ps->a;
	struct group_key key = { .k = { s->k->sc->by == BY_ALL ? 0 : (uint64_t)source, 0, w->kind } };
	uint32_t i;

	if (s->k->sc->by == BY_PROCESS && w->pid >= 0)
		by = w->pid;
	key.k[1] = (uint64_t)by;
	i = groups_add(&s->g, &key);
	if (i == s->acc.n)
		VEC_PUSH(&s->acc, (struct acc){ .kind = w->kind, .by = by, .source = OWNER_NEW, .pid = OWNER_NEW, .max = -1,
			.call = ID_NONE });
	return &s->acc.a[i];
}

static void add(struct sums *s, const struct wait *w)
{
	const struct pick *k = s->k;
	ns_t start = k->p->start[w->e], end = w->end, in = pick_clip(k, start, end);
	bool counts = pick_at(k, start);
	struct acc *a;

	if ((!in && !counts) || !wanted(k, w))
		return;
	a = acc_of(s, w);
	owner_add(&a->source, k - s->ps->a);
	owner_add(&a->pid, w->pid);
	a->count += counts;
	a->time += in;
	a->busy += overlap_in(k, busy_of(s, w->pid), start, end);
	if (in > a->max) {
		a->max = in;
		a->call = w->call == ID_NONE ? ID_NONE : k->p->name[w->call];
		a->call_source = (uint32_t)(k - s->ps->a);
	}
}

/* Synchronisation records, typed by the call that they are linked to. */
static void add_records(struct sums *s)
{
	const struct profile *p = s->k->p;

	for (track_id t = p->layer_track[LAYER_SYNC]; t < p->layer_track[LAYER_SYNC + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			struct wait w = { e, p->link[e], facts_launch_thread(s->k->f, e), gpu_pid(s->k, tr, e), SYNC_UNKNOWN, ev_end(p, e) };
			size_t n;
			const char *name;

			if (w.call != ID_NONE) {
				name = profile_str(p, p->name[w.call], &n);
				w.kind = kind_of_call(name, n);
			} else if (p->format == FORMAT_TORCH && p->aux[e] < SYNC_KIND_N) {
				w.kind = (enum sync_kind)p->aux[e];	/* the record is named by its kind */
			}
			add(s, &w);
		}
	}
}

/* Without records: the blocking calls themselves. */
static void add_calls(struct sums *s)
{
	const struct profile *p = s->k->p;

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			struct wait w = { e, e, tr->thread, p->threads[tr->thread].pid, SYNC_UNKNOWN, ev_end(p, e) };
			size_t n;
			const char *name;

			if (facts_rt(s->k->f, e) != RT_SYNC)
				continue;
			name = profile_str(p, p->name[e], &n);
			w.kind = kind_of_call(name, n);
			add(s, &w);
		}
	}
}

/* Copies that block wait before they start; no tool has a record of that. */
static void add_copies(struct sums *s)
{
	const struct facts *f = s->k->f;

	for (uint32_t i = 0; i < f->n_blocking; i++) {
		const struct blocking_copy *b = &f->blocking[i];
		thread_id t = f->call_thread[b->call - f->p->layer_first[LAYER_RUNTIME]];

		if (b->wait_end > f->p->start[b->call])
			add(s, &(struct wait){ b->call, b->call, t, f->p->threads[t].pid, SYNC_COPY, b->wait_end });
	}
}

static void add_source(struct sums *s, const struct pick *k, struct table *t)
{
	s->k = k;
	s->any_made = false;
	proc_busies_init(&s->busy, k->f);
	if (k->p->layer_first[LAYER_SYNC] < k->p->layer_first[LAYER_SYNC + 1] || source_format_nsys(k->p->format) > 1) {
		add_records(s);
	} else {
		table_note(t, _("%s: no synchronisation records; the figures are those of the blocking API calls"), k->src->path);
		add_calls(s);
	}
	add_copies(s);
	proc_busies_fini(&s->busy);
	spans_fini(&s->any_busy);
}

/* ---- rows ---- */

static int acc_cmp(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct acc *a = (const struct acc *)arg + ia, *b = (const struct acc *)arg + ib;
	int c = (a->source > b->source) - (a->source < b->source);

	c = c ? c : split_cmp(a->by, b->by);
	return c ? c : (a->time < b->time) - (a->time > b->time);
}

static void put(const struct sums *s, struct table *t, const struct acc *a)
{
	const struct pick *k = &s->ps->a[a->call_source];
	uint32_t row = table_row(t);
	bool devices = k->f->n_devices > 0;

	table_cstr(t, row, C_TYPE, sync_kind_name(a->kind));
	table_i64(t, row, C_COUNT, a->count);
	table_i64(t, row, C_TIME, a->time);
	if (devices) {
		table_i64(t, row, C_BUSY, a->busy);
		table_i64(t, row, C_LOST, a->time - a->busy);
	}
	table_i64(t, row, C_MAX, a->max);
	an_str(t, row, C_CALL, k, a->call);
	split_set(t, row, C_BY, k, a->by);
	if (a->call != ID_NONE)
		an_ref(t, row, REF_RUNTIME, k->f->source, 0, 0, C_CALL);
	picks_row_owner(t, row, s->ps, a->source, a->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct sums s = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_RUNTIME, t, _("no API calls recorded: waits are unknown"), e);
	uint32_t *order;

	for (uint32_t i = 0; i < ps.n && ok; i++) {
		ok = !an_cancelled(cx, e);
		if (ok)
			add_source(&s, &ps.a[i], t);
	}
	order = groups_order((uint32_t)s.acc.n, acc_cmp, s.acc.a);
	for (uint32_t i = 0; i < s.acc.n && ok; i++)
		put(&s, t, &s.acc.a[order[i]]);
	free(order);
	groups_fini(&s.g);
	VEC_FREE(&s.acc);
	picks_close(&ps);
	return ok;
}

const struct analysis an_sync = {
	.id = "sync", .title = N_("Waits"), .doc = N_("waits of the host for the device, and how much of them is lost"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
