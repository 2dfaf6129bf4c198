/* opsplit.c - self time of ops and its split, see opsplit.h */
#include "analyze/opsplit.h"

#include <stdlib.h>

#include "analyze/facts_impl.h"
#include "analyze/segs.h"
#include "base/vec.h"

struct work {
	const struct pick *k;
	struct op_split *out;
	track_id *calls_of;	/* per thread: its first track of runtime calls, ID_NONE */
	struct group_index by_proc;	/* the op tracks */
};

static void index_work(struct work *w)
{
	const struct facts *f = w->k->f;
	const struct profile *p = f->p;
	uint32_t *proc = xreallocarray(NULL, f->ops.n_tracks, sizeof(*proc));

	w->calls_of = xreallocarray(NULL, p->n_threads, sizeof(*w->calls_of));
	for (thread_id t = 0; t < p->n_threads; t++)
		w->calls_of[t] = ID_NONE;
	for (track_id t = p->layer_track[LAYER_RUNTIME + 1]; t-- > p->layer_track[LAYER_RUNTIME];)
		w->calls_of[p->tracks[t].thread] = t;
	for (uint32_t i = 0; i < f->ops.n_tracks; i++)
		proc[i] = f->threads[f->ops.tracks[i].thread].proc;
	w->by_proc = group_index_new(proc, f->ops.n_tracks, f->n_procs);
	free(proc);
}

static void add_call_piece(void *arg, ns_t start, ns_t end, uint32_t op, uint32_t call)
{
	struct work *w = arg;

	w->out[op].self += end - start;
	if (call != ID_NONE)
		w->out[op].rt[facts_rt(w->k->f, call)] += end - start;
}

static void add_idle_piece(void *arg, ns_t start, ns_t end, uint32_t op, uint32_t busy)
{
	struct work *w = arg;

	if (busy == ID_NONE)
		w->out[op].exposed += end - start;
}

static void keep(void *arg, const struct seg *piece)
{
	struct segs *out = arg;

	VEC_PUSH(out, *piece);
}

/* Who owns which instant of the op layer of a thread, inside the window. */
static void own_instants(const struct pick *k, const struct op_track *tr, struct segs *out)
{
	struct segs all = { 0 };

	segs_of_track(&all, k->f->ops.start + tr->first, k->f->ops.dur + tr->first, tr->count, tr->first);
	segs_clip(&all, &k->window, keep, out);
	segs_fini(&all);
}

static void runtime_instants(const struct pick *k, const struct track *tr, struct segs *out)
{
	segs_of_track(out, k->p->start + tr->first, k->p->dur + tr->first, tr->count, tr->first);
}

static void split_thread(struct work *w, const struct op_track *tr, const struct segs *busy)
{
	const struct pick *k = w->k;
	struct segs own = { 0 }, calls = { 0 };

	own_instants(k, tr, &own);
	if (w->calls_of[tr->thread] != ID_NONE)
		runtime_instants(k, &k->p->tracks[w->calls_of[tr->thread]], &calls);
	segs_cross(&own, &calls, add_call_piece, w);
	segs_cross(&own, busy, add_idle_piece, w);
	segs_fini(&own);
	segs_fini(&calls);
	for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
		w->out[i].total = pick_clip(k, k->f->ops.start[i], k->f->ops.start[i] + k->f->ops.dur[i]);
		w->out[i].counted = pick_at(k, k->f->ops.start[i]);
	}
}

static void busy_segs(const struct pick *k, uint32_t proc, struct segs *out)
{
	struct spans busy = { 0 };

	pick_proc_busy(k, proc, &busy);
	for (size_t i = 0; i < busy.n; i++)
		VEC_PUSH(out, (struct seg){ busy.a[i].start, busy.a[i].end, 0 });
	spans_fini(&busy);
}

/* Whether no GPU work says whose it is (torch): it then counts as that of every process. */
static bool work_of_all(const struct profile *p)
{
	static const enum layer work[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };

	for (size_t l = 0; l < sizeof(work) / sizeof(*work); l++)
		for (track_id t = p->layer_track[work[l]]; t < p->layer_track[work[l] + 1]; t++)
			if (p->tracks[t].pid >= 0)
				return false;
	return true;
}

static void add_device_time(struct work *w)
{
	const struct profile *p = w->k->p;

	for (track_id t = p->layer_track[LAYER_KERNEL]; t < p->layer_track[LAYER_KERNEL + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			uint32_t op = p->link[e] == ID_NONE ? ID_NONE : facts_op_of_call(w->k->f, p->link[e]);

			if (op != ID_NONE && pick_gpu(w->k, LAYER_KERNEL, tr, e))
				w->out[op].device += p->dur[e];
		}
	}
}

struct op_split *op_splits(const struct pick *k)
{
	struct work w = { .k = k, .out = xcalloc(k->f->ops.n, sizeof(*w.out)) };
	struct segs busy = { 0 };
	bool of_all = work_of_all(k->p), made = false;

	index_work(&w);
	for (uint32_t proc = 0; proc < k->f->n_procs; proc++) {
		if (w.by_proc.first[proc] == w.by_proc.first[proc + 1])
			continue;
		if (!made || !of_all) {
			busy.n = 0;
			busy_segs(k, proc, &busy);
			made = true;
		}
		for (uint32_t i = w.by_proc.first[proc]; i < w.by_proc.first[proc + 1]; i++) {
			const struct op_track *tr = &k->f->ops.tracks[w.by_proc.v[i]];

			if (pick_thread(k, tr->thread))
				split_thread(&w, tr, &busy);
		}
	}
	segs_fini(&busy);
	add_device_time(&w);
	group_index_fini(&w.by_proc);
	free(w.calls_of);
	return w.out;
}

void op_split_put(struct table *t, uint32_t row, uint32_t col, ns_t self, const ns_t rt[RT_N])
{
	static const enum rt_class order[RT_N] = { RT_SYNC, RT_LAUNCH, RT_MEMCPY, RT_OTHER };

	for (uint32_t i = 0; i < RT_N; i++) {
		table_i64(t, row, col + i, rt[order[i]]);
		self -= rt[order[i]];
	}
	table_i64(t, row, col + RT_N, self);
}
