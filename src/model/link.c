/*
 * link.c - launch links, see link.h.
 *
 * Several runtime calls may carry one correlation id (a driver call inside a runtime call, rocprofiler twins); they form
 * a chain. The one taken: a launching name first, a runtime API call before a driver call, then the latest start that is
 * not after the GPU event's (torch.md §4).
 *
 * Correlation ids belong to a process. In a file that several processes were merged into, a GPU event whose id calls of
 * several processes carry is linked only if the owner of its device is known; else it has no launch.
 */
#include "model/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/par.h"
#include "base/vec.h"
#include "model/id_table.h"

#define PIECE 32768		/* events that one thread takes at a time */

/*
 * Until its link is known, the column `link` has an event's id: the correlation id of a runtime call and of what is on the GPU, the
 * External id of an op. Runtime calls are numbered: their event minus the layer's first.
 */
struct linker {
	uint32_t *next;		/* per call: the one before it with the same correlation id, ID_NONE; room for one more */
	uint32_t *call_ext;	/* per call: External id, ID_NONE if it equals the correlation id; NULL: none has one */
	bool one_group;		/* all calls are of this link group: */
	uint64_t group;
	struct idtab by_id;	/* correlation id -> newest call */
	struct map by_corr;	/* else (link group, correlation id) -> the same */
	uint32_t *proc;		/* per call: its process; NULL: the calls of each link group are of one */
	struct map devices;	/* with proc: (link group, device) -> the process that owns it, ID_NONE unknown */
	uint8_t *launches;	/* per string: 0 not looked at, 1 no, 2 names a launching call */
};

static uint32_t n_of(const struct profile *p, enum layer l)
{
	return p->layer_first[l + 1] - p->layer_first[l];
}

struct linker *linker_new(const struct profile *p, bool calls_name_ops)
{
	struct linker *ln = xcalloc(1, sizeof(*ln));

	ln->next = xreallocarray(NULL, (size_t)n_of(p, LAYER_RUNTIME) + 1, sizeof(*ln->next));
	if (calls_name_ops)
		ln->call_ext = xreallocarray(NULL, n_of(p, LAYER_RUNTIME), sizeof(*ln->call_ext));
	ln->launches = xcalloc(p->n_strs, 1);
	return ln;
}

void linker_take(struct linker *ln, struct profile *p, const struct track *tr, ev_id first, const struct raw_event *e, uint32_t n)
{
	bool call = tr->layer == LAYER_RUNTIME;
	ev_id *id = p->link + first;

	if (call || layer_on_gpu(tr->layer))
		for (uint32_t i = 0; i < n; i++)
			id[i] = e[i].corr;
	else if (tr->layer == LAYER_OP && ln->call_ext)
		for (uint32_t i = 0; i < n; i++)
			id[i] = e[i].ext;
	else
		memset(id, 0xff, n * sizeof(*id));
	for (uint32_t i = 0; call && ln->call_ext && i < n; i++)
		ln->call_ext[first - p->layer_first[LAYER_RUNTIME] + i] = e[i].ext != e[i].corr ? e[i].ext : ID_NONE;
}

/* ---- calls by correlation id ------------------------------------------------------------------- */

static bool find_group(struct linker *ln, const struct profile *p)
{
	track_id t = p->layer_track[LAYER_RUNTIME], end = p->layer_track[LAYER_RUNTIME + 1];

	ln->group = t < end ? p->tracks[t].link_group : 0;
	for (; t < end; t++)
		if (p->tracks[t].link_group != ln->group)
			return false;
	return true;
}

/* Numbers the processes of the calls if those of one link group are of several. */
static void find_procs(struct linker *ln, const struct profile *p)
{
	struct map by_pid = { 0 }, by_group = { 0 };
	bool several = false;
	ev_id base = p->layer_first[LAYER_RUNTIME];

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		uint32_t proc = map_get_or_put(&by_pid, (uint64_t)p->threads[tr->thread].pid, 0, (uint32_t)by_pid.n);

		several |= map_get_or_put(&by_group, tr->link_group, 0, proc) != proc;
	}
	if (several)
		ln->proc = xreallocarray(NULL, n_of(p, LAYER_RUNTIME), sizeof(*ln->proc));
	for (track_id t = p->layer_track[LAYER_RUNTIME]; several && t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		uint32_t proc = map_find(&by_pid, (uint64_t)p->threads[tr->thread].pid, 0);

		for (uint32_t i = 0; i < tr->count; i++)
			ln->proc[tr->first - base + i] = proc;
	}
	map_fini(&by_pid);
	map_fini(&by_group);
}

static void index_calls(struct linker *ln, const struct profile *p)
{
	ev_id base = p->layer_first[LAYER_RUNTIME];
	const uint32_t *corr = p->link + base;

	ln->one_group = find_group(ln, p);
	if (ln->one_group)
		idtab_init(&ln->by_id, corr, n_of(p, LAYER_RUNTIME));
	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (uint32_t i = tr->first - base; i < tr->first - base + tr->count; i++) {
			ln->next[i] = ID_NONE;
			if (corr[i] == ID_NONE)
				continue;
			if (ln->one_group) {
				ln->next[i] = idtab_put(&ln->by_id, corr[i], i);
			} else {
				ln->next[i] = map_find(&ln->by_corr, tr->link_group, corr[i]);
				map_put(&ln->by_corr, tr->link_group, corr[i], i);
			}
		}
	}
}

static uint32_t newest_call(const struct linker *ln, uint64_t group, uint32_t corr)
{
	if (corr == ID_NONE)
		return ID_NONE;
	if (!ln->one_group)
		return map_find(&ln->by_corr, group, corr);
	return group == ln->group ? idtab_get(&ln->by_id, corr) : ID_NONE;
}

/* ---- owners of devices ------------------------------------------------------------------------- */

#define OWNER_SHARE 10		/* an owner has all but one of so many events */

struct vote {			/* events of a device whose id only this process has */
	uint64_t group;
	int64_t device;
	uint32_t proc;
	uint64_t n;
};

struct link_votes {
	VEC(struct vote) list;
	struct map device;	/* (link group, device) -> number */
	struct map at;		/* (device's number, process) -> index in list */
};

/* The only process that has calls of this id; ID_NONE: none or several. */
static uint32_t only_proc(const struct linker *ln, uint32_t call)
{
	uint32_t proc = call == ID_NONE ? ID_NONE : ln->proc[call];

	for (; call != ID_NONE; call = ln->next[call])
		if (ln->proc[call] != proc)
			return ID_NONE;
	return proc;
}

static void vote(const struct linker *ln, const struct profile *p, struct link_votes *v, const struct track *tr)
{
	uint32_t device = map_get_or_put(&v->device, tr->link_group, (uint64_t)tr->device, (uint32_t)v->device.n);

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		uint32_t proc = only_proc(ln, newest_call(ln, tr->link_group, p->link[e]));
		uint32_t i;

		if (proc == ID_NONE)
			continue;
		i = map_get_or_put(&v->at, device, proc, (uint32_t)v->list.n);
		if (i == v->list.n)
			VEC_PUSH(&v->list, (struct vote){ tr->link_group, tr->device, proc, 0 });
		v->list.a[i].n++;
	}
}

/* A device is of the process that alone has the ids of nearly all its events, as far as one process alone has them. */
static void find_owners(struct linker *ln, const struct profile *p)
{
	struct link_votes v = { 0 };
	uint64_t *sum;

	for (track_id t = 0; t < p->n_tracks; t++)
		if (layer_on_gpu(p->tracks[t].layer))
			vote(ln, p, &v, &p->tracks[t]);
	sum = xcalloc(v.device.n + 1, sizeof(*sum));
	for (size_t i = 0; i < v.list.n; i++)
		sum[map_find(&v.device, v.list.a[i].group, (uint64_t)v.list.a[i].device)] += v.list.a[i].n;
	for (size_t i = 0; i < v.list.n; i++) {
		const struct vote *x = &v.list.a[i];
		uint64_t others = sum[map_find(&v.device, x->group, (uint64_t)x->device)] - x->n;

		if (others <= x->n / (OWNER_SHARE - 1))
			map_put(&ln->devices, x->group, (uint64_t)x->device, x->proc);
	}
	free(sum);
	VEC_FREE(&v.list);
	map_fini(&v.device);
	map_fini(&v.at);
}

/* Whose calls may have launched an event of this track; ID_NONE: nobody knows. */
static uint32_t owner_of(const struct linker *ln, const struct track *tr, uint32_t call)
{
	uint32_t owner = map_find(&ln->devices, tr->link_group, (uint64_t)tr->device);

	return owner != MAP_NONE ? owner : only_proc(ln, call);
}

/* ---- GPU events -------------------------------------------------------------------------------- */

/* Several threads may find it out at once, all the same. */
static bool launching_name(struct linker *ln, const struct profile *p, str_id name)
{
	static const char *const words[] = { "Launch", "Memcpy", "Memset", "Graph" };
	uint8_t known;

	if (name >= p->n_strs)
		return false;
	known = __atomic_load_n(&ln->launches[name], __ATOMIC_RELAXED);
	if (!known) {
		size_t n;
		const char *s = profile_str(p, name, &n);

		known = 1;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (memmem(s, n, words[i], strlen(words[i])))
				known = 2;
		__atomic_store_n(&ln->launches[name], known, __ATOMIC_RELAXED);
	}
	return known == 2;
}

static bool better(struct linker *ln, const struct profile *p, ev_id a, ev_id b, ns_t start)
{
	bool la = launching_name(ln, p, p->name[a]), lb = launching_name(ln, p, p->name[b]);
	bool da = call_is_driver(p->aux[a]), db = call_is_driver(p->aux[b]);
	bool early_a = p->start[a] <= start, early_b = p->start[b] <= start;

	if (la != lb)
		return la;
	if (da != db)
		return db;
	if (early_a != early_b)
		return early_a;
	return early_a ? p->start[a] > p->start[b] : p->start[a] < p->start[b];
}

static ev_id launch_of(struct linker *ln, const struct profile *p, const struct track *tr, ev_id e)
{
	ev_id base = p->layer_first[LAYER_RUNTIME], best = ID_NONE;
	uint32_t i = newest_call(ln, tr->link_group, p->link[e]);
	uint32_t owner = ln->proc ? owner_of(ln, tr, i) : ID_NONE;

	for (; i != ID_NONE; i = ln->next[i])
		if (ln->proc && ln->proc[i] != owner)
			continue;
		else if (best == ID_NONE || better(ln, p, base + i, best, p->start[e]))
			best = base + i;
	return best;
}

/* ---- runtime calls ----------------------------------------------------------------------------- */

/* The op, if it is of the call's own process: External ids belong to a process, too. */
static ev_id op_of_call(const struct linker *ln, const struct profile *p, uint32_t call, ev_id op)
{
	const struct track *a, *b;

	if (!ln->proc || op == ID_NONE)
		return op;
	a = &p->tracks[profile_track_of(p, p->layer_first[LAYER_RUNTIME] + call)];
	b = &p->tracks[profile_track_of(p, op)];
	return p->threads[a->thread].pid == p->threads[b->thread].pid ? op : ID_NONE;
}

/* The op that declares an External id, for runtime calls outside every op; the last one in column order. */
static void link_by_ext(const struct linker *ln, struct profile *p)
{
	ev_id first = p->layer_first[LAYER_OP], *call = p->link + p->layer_first[LAYER_RUNTIME];
	const uint32_t *ext = p->link + first;
	struct idtab by_ext = { 0 };		/* External id -> op */

	idtab_init(&by_ext, ext, n_of(p, LAYER_OP));
	for (uint32_t i = 0; i < n_of(p, LAYER_OP); i++)
		if (ext[i] != ID_NONE)
			idtab_put(&by_ext, ext[i], first + i);
	for (uint32_t i = 0; i < n_of(p, LAYER_RUNTIME); i++)
		if (call[i] == ID_NONE && ln->call_ext[i] != ID_NONE)
			call[i] = op_of_call(ln, p, i, idtab_get(&by_ext, ln->call_ext[i]));
	idtab_fini(&by_ext);
}

static void index_ops(const struct linker *ln, struct profile *p)
{
	const ev_id *call = p->link + p->layer_first[LAYER_RUNTIME];
	bool any = false;

	if (!ln->call_ext)
		return;
	for (uint32_t i = 0; i < n_of(p, LAYER_RUNTIME) && !any; i++)
		any = ln->call_ext[i] != ID_NONE && call[i] == ID_NONE;
	if (any)
		link_by_ext(ln, p);
	memset(p->link + p->layer_first[LAYER_OP], 0xff, n_of(p, LAYER_OP) * sizeof(*p->link));
}

/* ---- pieces of tracks, on several threads ------------------------------------------------------ */

struct link_piece {
	track_id track;
	ev_id first, end;
};

struct link_pieces {
	struct linker *ln;
	struct profile *p;
	VEC(struct link_piece) list;
};

#define STEPS 16

/* The first op that begins behind t, from one on that began earlier: near as a rule, since calls come in order. */
static ev_id next_op(const struct profile *p, const struct track *ops, ev_id from, ns_t t)
{
	ev_id end = ops->first + ops->count;

	for (unsigned i = 0; i < STEPS; i++, from++)
		if (from == end || p->start[from] > t)
			return from;
	return track_lower_bound(p, ops, t + 1);
}

static void link_calls(struct profile *p, const struct link_piece *pc, const struct track *ops)
{
	ev_id op = ops->first;

	for (ev_id e = pc->first; e < pc->end; e++) {
		ev_id in;

		op = next_op(p, ops, op, p->start[e]);
		in = op == ops->first ? ID_NONE : op - 1;
		while (in != ID_NONE && ev_end(p, in) <= p->start[e])
			in = p->parent[in];
		p->link[e] = in;
	}
}

static void link_piece(void *arg, size_t i)
{
	const struct link_pieces *ps = arg;
	const struct link_piece *pc = &ps->list.a[i];
	struct profile *p = ps->p;
	const struct track *tr = &p->tracks[pc->track];
	track_id ops = tr->layer == LAYER_RUNTIME ? profile_host_track(p, LAYER_OP, tr->thread) : ID_NONE;

	if (ops != ID_NONE)
		link_calls(p, pc, &p->tracks[ops]);
	else if (tr->layer == LAYER_RUNTIME)
		memset(p->link + pc->first, 0xff, (pc->end - pc->first) * sizeof(*p->link));
	else
		for (ev_id e = pc->first; e < pc->end; e++)
			p->link[e] = launch_of(ps->ln, p, tr, e);
}

static void link_events(struct linker *ln, struct profile *p, unsigned workers)
{
	struct link_pieces ps = { .ln = ln, .p = p };

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];
		ev_id end = tr->first + tr->count;

		if (tr->layer != LAYER_RUNTIME && !layer_on_gpu(tr->layer))
			continue;
		for (ev_id e = tr->first; e < end; e += end - e < PIECE ? end - e : PIECE)
			VEC_PUSH(&ps.list, (struct link_piece){ t, e, end - e < PIECE ? end : e + PIECE });
	}
	par_each(workers, ps.list.n, link_piece, &ps);
	VEC_FREE(&ps.list);
}

/* ---- by_launch --------------------------------------------------------------------------------- */

/* A handful of events of one call: by start, then as they stand. */
static void order_group(const struct profile *p, ev_id *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		ev_id e = a[i];
		uint32_t k = i;

		for (; k && p->start[a[k - 1]] > p->start[e]; k--)
			a[k] = a[k - 1];
		a[k] = e;
	}
}

struct launch_key {
	ns_t start;
	ev_id event;
};

static int launch_cmp(const void *pa, const void *pb)
{
	const struct launch_key *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->event < b->event ? -1 : 1;
}

/* Very many events of one call: a graph launch. */
static void sort_group(const struct profile *p, ev_id *a, uint32_t n)
{
	struct launch_key *k = xreallocarray(NULL, n, sizeof(*k));

	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct launch_key){ p->start[a[i]], a[i] };
	qsort(k, n, sizeof(*k), launch_cmp);
	for (uint32_t i = 0; i < n; i++)
		a[i] = k[i].event;
	free(k);
}

#define GROUP_SMALL 32

/* Counted, then put in place: links are calls, and those are numbered without gaps. */
static void index_launches(struct linker *ln, struct profile *p)
{
	ev_id base = p->layer_first[LAYER_RUNTIME];
	uint32_t n_calls = n_of(p, LAYER_RUNTIME), sum = 0;
	uint32_t *at = ln->next;	/* reused as scratch: linking is done */

	memset(at, 0, ((size_t)n_calls + 1) * sizeof(*at));
	for (ev_id e = p->layer_first[LAYER_WORK]; e < p->layer_first[LAYER_WORK_LAST + 1]; e++)
		if (p->link[e] != ID_NONE)
			at[p->link[e] - base]++;
	for (uint32_t i = 0; i <= n_calls; i++) {
		uint32_t count = at[i];

		at[i] = sum;
		sum += count;
	}
	p->by_launch = xreallocarray(NULL, sum, sizeof(*p->by_launch));
	p->n_by_launch = sum;
	for (ev_id e = p->layer_first[LAYER_WORK]; e < p->layer_first[LAYER_WORK_LAST + 1]; e++)
		if (p->link[e] != ID_NONE)
			p->by_launch[at[p->link[e] - base]++] = e;
	/* each place is now where the next one's begins */
	for (uint32_t i = 0; i < n_calls; i++) {
		uint32_t first = i ? at[i - 1] : 0, n = at[i] - first;

		if (n > 1)
			(n > GROUP_SMALL ? sort_group : order_group)(p, p->by_launch + first, n);
	}
}

static int wait_cmp(const void *pa, const void *pb)
{
	const struct event_wait *a = pa, *b = pb;

	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->record > b->record) - (a->record < b->record);
}

/* Whether a call is there, and has such a name: records of waits are of other calls, too. */
static bool about_event(const struct profile *p, uint32_t call, const char *word)
{
	str_id name = call == ID_NONE ? ID_NONE : p->name[p->layer_first[LAYER_RUNTIME] + call];
	size_t n;
	const char *s = name < p->n_strs ? profile_str(p, name, &n) : NULL;

	return s && memmem(s, n, word, strlen(word));
}

/* Correlation ids become calls; what names none is left out, and so is what is there twice. */
static void link_event_waits(const struct linker *ln, struct profile *p, const struct raw_wait *waits, size_t n_waits)
{
	ev_id base = p->layer_first[LAYER_RUNTIME];
	uint32_t n = 0, kept = 0;

	if (!n_waits || ln->proc)
		return;
	p->event_waits = xreallocarray(NULL, n_waits, sizeof(*p->event_waits));
	for (size_t i = 0; i < n_waits; i++) {
		const struct raw_wait *w = &waits[i];
		uint32_t call = newest_call(ln, w->group, w->call), record = newest_call(ln, w->group, w->record);

		if (about_event(p, call, "Event") && about_event(p, record, "EventRecord"))
			p->event_waits[n++] = (struct event_wait){ base + call, base + record, w->stream };
	}
	if (n)
		qsort(p->event_waits, n, sizeof(*p->event_waits), wait_cmp);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || p->event_waits[kept - 1].call != p->event_waits[i].call)
			p->event_waits[kept++] = p->event_waits[i];
	p->n_event_waits = kept;
}

void linker_finish(struct linker *ln, struct profile *p, const struct raw_wait *waits, size_t n_waits, unsigned workers)
{
	index_calls(ln, p);
	find_procs(ln, p);
	if (ln->proc)
		find_owners(ln, p);
	link_event_waits(ln, p, waits, n_waits);
	link_events(ln, p, workers);
	index_ops(ln, p);
	index_launches(ln, p);
	map_fini(&ln->by_corr);
	map_fini(&ln->devices);
	free(ln->proc);
	idtab_fini(&ln->by_id);
	free(ln->next);
	free(ln->call_ext);
	free(ln->launches);
	free(ln);
}
