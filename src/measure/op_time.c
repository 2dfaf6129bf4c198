/* op_time.c - self time of ops and its split, see op_time.h */
#include "measure/op_time.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

/* ---- what all passes share -------------------------------------------------------------------------------- */

void op_plan_init(struct op_plan *pl, const struct facts *f)
{
	const struct profile *p = f->p;

	*pl = (struct op_plan){ .f = f };
	pl->calls_of = xreallocarray(NULL, p->n_threads, sizeof(*pl->calls_of));
	for (thread_id t = 0; t < p->n_threads; t++)
		pl->calls_of[t] = ID_NONE;
	for (track_id t = p->layer_track[LAYER_RUNTIME + 1]; t-- > p->layer_track[LAYER_RUNTIME];)
		pl->calls_of[p->tracks[t].thread] = t;
	proc_busies_init(&pl->busy, f);
	for (uint32_t i = 0; i < f->ops.n_tracks; i++)	/* now: passes of several threads share the plan */
		proc_busy(&pl->busy, f->threads[f->ops.tracks[i].thread].proc);
}

void op_plan_fini(struct op_plan *pl)
{
	proc_busies_fini(&pl->busy);
	free(pl->calls_of);
}

/* ---- one window of one thread ------------------------------------------------------------------------------- */

static void add_call_piece(void *arg, ns_t start, ns_t end, uint32_t op, uint32_t call)
{
	struct op_pass *w = arg;
	struct op_split *s = &w->acc[op_pass_slot(w, op)];
	const struct blocking_copy *b;

	s->self += end - start;
	if (call == ID_NONE)
		return;
	s->rt[facts_rt(w->plan->f, call)] += end - start;
	b = facts_blocking_copy(w->plan->f, call);
	if (b && start < b->wait_end)
		s->copy_wait += (end < b->wait_end ? end : b->wait_end) - start;
}

/* The parts of the segments that lie in no busy interval. */
static void add_exposed(struct op_pass *w, const struct spans *busy)
{
	size_t b = w->own.n ? spans_seek(busy, w->own.a[0].start) : 0;

	for (size_t i = 0; i < w->own.n; i++) {
		const struct owner_span *x = &w->own.a[i];
		ns_t free_ns = x->end - x->start;

		while (b < busy->n && busy->a[b].end <= x->start)
			b++;
		for (size_t k = b; k < busy->n && busy->a[k].start < x->end; k++) {
			ns_t from = busy->a[k].start > x->start ? busy->a[k].start : x->start;
			ns_t to = busy->a[k].end < x->end ? busy->a[k].end : x->end;

			free_ns -= to - from;
		}
		w->acc[op_pass_slot(w, x->owner)].exposed += free_ns;
	}
}

/* False: nothing of the track is in. */
static bool add_totals(struct op_pass *w, const struct owner_columns *c, ns_t from, ns_t to)
{
	uint32_t first = owner_lower_bound(c, from), i = first;
	bool open = false;

	for (uint32_t up = i > c->first ? i - 1 : ID_NONE; up != ID_NONE; up = c->parent[up]) {
		ns_t end = c->start[up] + c->dur[up];

		w->work++;
		if (end <= from)
			continue;
		w->acc[op_pass_slot(w, up)].total += (end < to ? end : to) - from;
		open = true;
	}
	for (; i < c->end && c->start[i] < to; i++) {
		struct op_split *s = &w->acc[op_pass_slot(w, i)];
		ns_t end = c->start[i] + c->dur[i];

		w->work++;
		s->count++;
		s->total += (end < to ? end : to) - c->start[i];
	}
	return open || i > first;
}

void op_pass_window(struct op_pass *w, const struct op_track *tr, ns_t from, ns_t to)
{
	const struct facts *f = w->plan->f;
	const struct profile *p = f->p;
	struct owner_columns ops = { f->ops.start, f->ops.dur, f->ops.parent, tr->first, tr->first + tr->count };
	track_id calls = w->plan->calls_of[tr->thread];
	uint32_t proc = f->threads[tr->thread].proc;

	w->own.n = w->calls.n = 0;
	w->slot_base = w->base_of_proc ? w->base_of_proc[proc] : 0;
	if (!add_totals(w, &ops, from, to))
		return;
	owner_list_of_window(&w->own, &ops, from, to);
	if (calls != ID_NONE && w->own.n)
		owner_list_of_window(&w->calls, &(struct owner_columns){ p->start, p->dur, p->parent, p->tracks[calls].first,
			p->tracks[calls].first + p->tracks[calls].count }, w->own.a[0].start, w->own.a[w->own.n - 1].end);
	w->work += w->calls.n;
	owner_list_cross(&w->own, &w->calls, add_call_piece, w);
	add_exposed(w, w->plan->busy.of[proc]);
}

void op_pass_fini(struct op_pass *w)
{
	owner_list_fini(&w->own);
	owner_list_fini(&w->calls);
}

/* ---- launches -------------------------------------------------------------------------------------------------- */

void op_launches(const struct facts *f, ns_t from, ns_t to, op_launch_fn fn, void *arg)
{
	const struct profile *p = f->p;

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		ev_id lo = track_lower_bound(p, tr, from), hi = track_lower_bound(p, tr, to);
		uint32_t i = lo < hi ? profile_launch_from(p, lo) : p->n_by_launch;

		for (; i < p->n_by_launch && p->link[p->by_launch[i]] < hi; i++) {
			ev_id e = p->by_launch[i];

			if (e >= p->layer_first[LAYER_KERNEL] && e < p->layer_first[LAYER_KERNEL + 1])
				fn(arg, &p->tracks[profile_track_of(p, e)], e, p->link[e]);
		}
	}
}

/* ---- every op by itself ------------------------------------------------------------------------------------------ */

struct op_time_launches {
	const struct selection *k;
	struct op_split *out;
};

static void add_launch(void *arg, const struct track *tr, ev_id e, ev_id call)
{
	struct op_time_launches *l = arg;
	uint32_t op = facts_op_of_call(l->k->f, call);

	if (op != ID_NONE && selects_gpu(l->k, LAYER_KERNEL, tr, e))
		l->out[op].device += l->k->p->dur[e];
}

struct op_split *op_splits(const struct selection *k)
{
	struct op_plan plan;
	struct op_pass w = { .plan = &plan, .acc = xcalloc(k->f->ops.n, sizeof(*w.acc)) };
	struct op_time_launches l = { k, w.acc };
	size_t n;
	const struct span *windows = selection_windows(k, &n);

	op_plan_init(&plan, k->f);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t t = 0; t < k->f->ops.n_tracks; t++)
			if (selects_thread(k, k->f->ops.tracks[t].thread))
				op_pass_window(&w, &k->f->ops.tracks[t], windows[i].start, windows[i].end);
		op_launches(k->f, windows[i].start, windows[i].end, add_launch, &l);
	}
	op_pass_fini(&w);
	op_plan_fini(&plan);
	return w.acc;
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
