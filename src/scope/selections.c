/* selections.c - views over several sources, see selections.h */
#include "scope/selections.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/runs.h"
#include "base/search.h"
#include "base/vec.h"
#include "scope/columns.h"

bool selections_open(struct selections *ps, const struct an_ctx *cx, const struct scope *sc, enum source_need kind, struct table *t,
	const char *none, struct err *e)
{
	uint32_t n, *src = view_sources(cx, sc, kind, &n, t);

	ps->a = xcalloc(n, sizeof(*ps->a));
	ps->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (selection_init(&ps->a[ps->n], cx, sc, src[i], e))
			selection_describe(&ps->a[ps->n++], t);
		else
			selection_fini(&ps->a[ps->n]);
	}
	free(src);
	if (n && !ps->n)
		return false;
	if (!n)
		table_note(t, "%s", none);
	return true;
}

void selections_close(struct selections *ps)
{
	for (uint32_t i = 0; i < ps->n; i++)
		selection_fini(&ps->a[i]);
	free(ps->a);
	memset(ps, 0, sizeof(*ps));
}

/* ---- what a window can reach ---- */

/* From the begin of the first piece of the window to the end of the last; false: no piece. */
static bool hull(const struct selection *k, ns_t *from, ns_t *to)
{
	if (!k->window.n)
		return false;
	*from = k->window.a[0].start;
	*to = k->window.a[k->window.n - 1].end;
	return true;
}

void selection_host_range(const struct selection *k, const struct track *tr, ev_id *first, ev_id *end)
{
	const struct profile *p = k->p;
	ns_t from, to;

	*first = tr->first;
	*end = tr->first + tr->count;
	if (k->all)
		return;
	if (!hull(k, &from, &to)) {
		*end = *first;
		return;
	}
	*end = track_lower_bound(p, tr, to);
	*first = track_lower_bound(p, tr, from);
	/* what is active at the begin of the window is the event before, or around it */
	for (ev_id up = *first > tr->first ? *first - 1 : ID_NONE; up != ID_NONE; up = p->parent[up])
		if (ev_end(p, up) > from)
			*first = up;
}

static int id_cmp(const void *pa, const void *pb)
{
	ev_id a = *(const ev_id *)pa, b = *(const ev_id *)pb;

	return (a > b) - (a < b);
}

RUNS_SORT(sort_ids, ev_id, id_cmp)

typedef VEC(ev_id) id_list;

/* Work of a layer that the window may take: launched by a call that begins in its hull, or by none and beginning there. In order. */
static bool reachable(const struct selection *k, enum layer l, id_list *out)
{
	const struct profile *p = k->p;
	ns_t from, to;

	if (!hull(k, &from, &to))
		return true;
	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		uint32_t i = profile_launch_from(p, track_lower_bound(p, tr, from)), end = profile_launch_from(p, track_lower_bound(p, tr, to));

		for (; i < end && out->n < (p->layer_first[l + 1] - p->layer_first[l]) / 4; i++)
			if (p->by_launch[i] >= p->layer_first[l] && p->by_launch[i] < p->layer_first[l + 1])
				VEC_PUSH(out, p->by_launch[i]);
		if (i < end)
			return false;	/* looking at all is as good */
	}
	for (track_id t = p->layer_track[l]; t < p->layer_track[l + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		ev_id end = track_lower_bound(p, tr, to);

		for (ev_id e = track_lower_bound(p, tr, from); e < end; e++)
			if (p->link[e] == ID_NONE)
				VEC_PUSH(out, e);
	}
	sort_ids(out->a, out->n);
	return true;
}

static bool each_reachable(const struct selection *k, enum layer l, const id_list *ids, selections_gpu_fn fn, void *arg, struct err *e)
{
	const struct track *tr = &k->p->tracks[k->p->layer_track[l]];

	if (an_cancelled(k->cx, e))
		return false;
	for (size_t i = 0; i < ids->n; i++) {
		while (ids->a[i] >= tr->first + tr->count)
			tr++;
		if (selects_gpu(k, l, tr, ids->a[i]))
			fn(arg, k, tr, ids->a[i]);
	}
	return true;
}

bool selections_gpu(const struct selection *k, enum layer l, selections_gpu_fn fn, void *arg, struct err *e)
{
	const struct profile *p = k->p;
	id_list ids = { 0 };
	bool few = !k->all && reachable(k, l, &ids), ok = !few || each_reachable(k, l, &ids, fn, arg, e);

	VEC_FREE(&ids);
	for (track_id t = p->layer_track[l]; !few && t < p->layer_track[l + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		if (an_cancelled(k->cx, e))
			return false;
		for (ev_id ev = tr->first; ev < tr->first + tr->count; ev++)
			if (selects_gpu(k, l, tr, ev))
				fn(arg, k, tr, ev);
	}
	return ok;
}

bool picks_work(const struct selection *k, selections_gpu_fn fn, void *arg, struct err *e)
{
	bool ok = true;

	for (enum layer l = LAYER_WORK; l <= LAYER_WORK_LAST && ok; l++)
		ok = selections_gpu(k, l, fn, arg, e);
	return ok;
}

/* ---- splitting ---- */

int64_t step_at(const struct facts *f, uint32_t proc, ns_t at)
{
	const struct proc_facts *pf = &f->procs[proc];
	uint32_t i;

	LOWER_BOUND(i, pf->first_step, pf->first_step + pf->n_steps, f->steps[i].start <= at);
	if (i == pf->first_step || f->steps[i - 1].next <= at)
		return SPLIT_NONE;
	return f->steps[i - 1].number;
}

int64_t microbatch_at(const struct facts *f, uint32_t proc, ns_t at)
{
	const struct proc_facts *pf = &f->procs[proc];
	uint32_t i;

	LOWER_BOUND(i, 0, pf->n_microbatches, pf->microbatches[i].start <= at);
	if (!i || pf->microbatches[i - 1].end <= at)
		return SPLIT_NONE;
	return pf->microbatches[i - 1].number < 0 ? i - 1 : pf->microbatches[i - 1].number;
}

int64_t split_proc(const struct facts *f, uint32_t proc, enum by_dim by, ns_t at)
{
	if (proc == ID_NONE)
		return SPLIT_NONE;
	return by == BY_STEP ? step_at(f, proc, at) : by == BY_PHASE ? (int64_t)facts_phase_at(f, proc, at) :
		by == BY_MICROBATCH ? microbatch_at(f, proc, at) : SPLIT_NONE;
}

/* The first step, or micro-batch, that ends after `at`; their number if none. */
static uint32_t first_after(const struct facts *f, const struct proc_facts *pf, bool steps, ns_t at)
{
	uint32_t i;

	LOWER_BOUND(i, 0, steps ? pf->n_steps : pf->n_microbatches,
		    (steps ? f->steps[pf->first_step + i].next : pf->microbatches[i].end) <= at);
	return i;
}

/* Steps, micro-batches and phases cut an event; threads, processes and ranks own whole events. */
ns_t split_edge(const struct facts *f, uint32_t proc, enum by_dim by, ns_t at)
{
	const struct proc_facts *pf = proc == ID_NONE ? NULL : &f->procs[proc];
	uint32_t i;

	if (pf && by == BY_PHASE) {
		i = facts_phase_index(pf, at) + 1;
		return i < pf->n_phases ? pf->phases[i].start : INT64_MAX;
	}
	if (pf && by == BY_STEP && (i = first_after(f, pf, true, at)) < pf->n_steps) {
		const struct step *s = &f->steps[pf->first_step + i];

		return s->start > at ? s->start : s->next;
	}
	if (pf && by == BY_MICROBATCH && (i = first_after(f, pf, false, at)) < pf->n_microbatches)
		return pf->microbatches[i].start > at ? pf->microbatches[i].start : pf->microbatches[i].end;
	return INT64_MAX;
}

int64_t split_host(const struct selection *k, thread_id t, ns_t at)
{
	switch (k->sc->by) {
	case BY_STEP:
	case BY_PHASE:
	case BY_MICROBATCH:
		return split_proc(k->f, t == ID_NONE ? ID_NONE : k->f->threads[t].proc, k->sc->by, at);
	case BY_THREAD:
		return t == ID_NONE ? SPLIT_NONE : k->p->threads[t].tid;
	case BY_PROCESS:
		return t == ID_NONE ? SPLIT_NONE : k->p->threads[t].pid;
	case BY_RANK:
		return k->p->rank < 0 ? SPLIT_NONE : k->p->rank;
	case BY_NONE:
	case BY_DEVICE:
	case BY_ALL:
		break;
	}
	return SPLIT_NONE;
}

int64_t gpu_pid(const struct selection *k, const struct track *tr, ev_id e)
{
	thread_id t = tr->pid >= 0 ? ID_NONE : facts_launch_thread(k->f, e);

	return t == ID_NONE ? tr->pid : k->p->threads[t].pid;
}

int64_t split_gpu(const struct selection *k, const struct track *tr, ev_id e)
{
	ev_id call = k->p->link[e];
	int64_t pid;

	switch (k->sc->by) {
	case BY_NONE:
	case BY_ALL:
		return SPLIT_NONE;
	case BY_DEVICE:
		return tr->device;
	case BY_PROCESS:
		pid = gpu_pid(k, tr, e);
		return pid < 0 ? SPLIT_NONE : pid;
	default:
		return split_host(k, facts_launch_thread(k->f, e), call == ID_NONE ? 0 : k->p->start[call]);
	}
}

void split_set(struct table *t, uint32_t row, uint32_t col, const struct selection *k, int64_t key)
{
	if (key == SPLIT_NONE)
		return;
	if (k->sc->by == BY_PHASE)
		table_cstr(t, row, col, phase_name((enum phase)key));
	else
		table_i64(t, row, col, key);
}

uint32_t selection_n_steps(const struct selection *k)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		const struct proc_facts *pf = &k->f->procs[i];
		uint32_t n = 0;

		for (uint32_t s = pf->first_step; s < pf->first_step + pf->n_steps; s++)
			n += k->all || spans_overlap(&k->window, k->f->steps[s].start, k->f->steps[s].next) > 0;
		most = n > most ? n : most;
	}
	return most;
}

void selections_row_owner(struct table *t, uint32_t row, const struct selections *ps, int64_t source, int64_t pid)
{
	uint32_t col = t->n_cols - N_SOURCE_COLS;

	if (source >= 0 && source < ps->n) {
		const struct selection *k = &ps->a[source];

		table_cstr(t, row, col, k->src->path);
		if (k->p->rank >= 0)
			table_i64(t, row, col + 1, k->p->rank);
		if (pid < 0 && k->f->n_procs == 1)
			pid = k->f->procs[0].pid;
	}
	owner_put(t, row, col + 2, pid);
}
