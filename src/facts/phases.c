/*
 * phases.c - the phase of every instant of a process and the thread that issues work (definitions.md §4, §8).
 *
 * A busy autograd thread decides: backward, or recompute where its innermost marker says so (ops below a
 * CheckpointFunctionBackward that are in no inner backward call). Else the innermost phase marker of the main thread,
 * else "other". Phase markers are names of data/phases.rules.
 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "calc/owners.h"
#include "facts/inferred.h"
#include "facts/parts.h"

struct phase_work {
	struct facts *f;
	const struct rules *r;
	const struct fact_index *ix;
	struct per_name phases;		/* of names */
	uint8_t *says;			/* of names, for inferred_make() */
};

static uint8_t marker_of(const struct facts *f, const struct rules *r, struct per_name m, str_id id)
{
	size_t n;
	const char *s, *phase;

	if (id >= f->p->n_strs)
		return PHASE_N;
	id = facts_same_op(f, id);
	if (m.v[id] == MEMO_NONE) {
		s = profile_str(f->p, id, &n);
		phase = rules_phase_marker(r, s, rules_op_base(s, n));
		m.v[id] = phase ? (uint8_t)phase_by_name(phase, strlen(phase)) : PHASE_N;
	}
	return m.v[id];
}

/* Adds the marker events of a thread; owner = phase. */
static void add_markers(const struct phase_work *w, thread_id thread, event_list *out)
{
	const struct facts *f = w->f;
	const struct profile *p = f->p;

	for (size_t l = 0; l < sizeof(marker_layers) / sizeof(*marker_layers); l++) {
		uint32_t n;
		const track_id *tracks = layer_tracks(p, &w->ix->tracks_of_thread, thread, marker_layers[l], &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct track *tr = &p->tracks[tracks[i]];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
				uint8_t ph = marker_of(f, w->r, w->phases, p->name[e]);

				if (ph != PHASE_N)
					VEC_PUSH(out, (struct owner_event){ p->start[e], ev_end(p, e), ph, (uint32_t)l + 1 });
			}
		}
	}
}

/*
 * Busy intervals of an autograd thread: its ops, and where it has none its runtime calls; they count as backward where no marker
 * of its own says otherwise. All ops, not the roots alone: an op may outlive the one that it began in.
 */
struct busy_columns {
	const ns_t *start, *dur;
	uint32_t n;
};

static struct busy_columns busy_of(const struct phase_work *w, thread_id thread)
{
	const struct facts *f = w->f;
	const struct profile *p = f->p;
	uint32_t ot = f->threads[thread].op_track;
	track_id calls = thread_track(p, w->ix, LAYER_RUNTIME, thread);

	if (ot != ID_NONE) {
		const struct op_track *tr = &f->ops.tracks[ot];

		return (struct busy_columns){ f->ops.start + tr->first, f->ops.dur + tr->first, tr->count };
	}
	if (calls == ID_NONE)
		return (struct busy_columns){ NULL, NULL, 0 };
	return (struct busy_columns){ p->start + p->tracks[calls].first, p->dur + p->tracks[calls].first, p->tracks[calls].count };
}

/*
 * An autograd thread that has ops issues in its bare runtime calls, too. They belong to no phase by themselves: what lies between the ops
 * of one pass is backward anyhow.
 */
static void add_bare_calls(const struct phase_work *w, thread_id thread, event_list *busy)
{
	const struct profile *p = w->f->p;
	track_id calls = thread_track(p, w->ix, LAYER_RUNTIME, thread);
	ev_id first = calls == ID_NONE ? 0 : p->tracks[calls].first;

	if (calls == ID_NONE || w->f->threads[thread].op_track == ID_NONE)
		return;
	for (ev_id e = first; e < first + p->tracks[calls].count; e++)
		if (p->dur[e] && facts_op_of_call(w->f, e) == ID_NONE)
			VEC_PUSH(busy, (struct owner_event){ p->start[e], ev_end(p, e), thread, 0 });
}

/*
 * The union as one flat layer below the markers, so that no op hides the marker that it lies in; and what make_issue() needs: where
 * threads are to be told apart by the op that began last all ops, else the union.
 */
static void add_busy(const struct phase_work *w, thread_id thread, bool several, event_list *flat, event_list *busy)
{
	struct busy_columns b = busy_of(w, thread);
	struct spans u = { 0 };

	for (uint32_t i = 0; i < b.n; i++) {
		if (b.dur[i])
			spans_append(&u, b.start[i], b.start[i] + b.dur[i]);
		if (several)
			VEC_PUSH(busy, (struct owner_event){ b.start[i], b.start[i] + b.dur[i], thread, 0 });
	}
	for (size_t i = 0; i < u.n; i++) {
		VEC_PUSH(flat, (struct owner_event){ u.a[i].start, u.a[i].end, PHASE_BACKWARD, 0 });
		if (!several)
			VEC_PUSH(busy, (struct owner_event){ u.a[i].start, u.a[i].end, thread, 0 });
	}
	spans_fini(&u);
}

static unsigned autograd_threads(const struct phase_work *w, uint32_t proc)
{
	const struct group_index *threads = &w->ix->threads_of_proc;
	unsigned n = 0;

	for (uint32_t k = threads->first[proc]; k < threads->first[proc + 1]; k++)
		n += w->f->threads[threads->v[k]].role == ROLE_AUTOGRAD;
	return n;
}

static void push_phase(struct proc_facts *pf, uint32_t *cap, ns_t start, uint8_t phase)
{
	if (pf->n_phases && pf->phases[pf->n_phases - 1].phase == phase)
		return;
	if (pf->n_phases && pf->phases[pf->n_phases - 1].start == start) {
		pf->phases[pf->n_phases - 1].phase = phase;
		return;
	}
	if (pf->n_phases == *cap) {
		*cap = (uint32_t)mem_grow(*cap, *cap + 1);
		pf->phases = xreallocarray(pf->phases, *cap, sizeof(*pf->phases));
	}
	pf->phases[pf->n_phases++] = (struct phase_seg){ start, phase };
}

/* The main thread: what markers say, and below them what is inferred. */
struct main_phases {
	struct owner_list marked, inferred;
	size_t i;		/* where copy_main() looks next */
};

/* Where nothing is marked. */
static void push_unmarked(struct proc_facts *pf, uint32_t *cap, const struct owner_list *inferred, ns_t from, ns_t to)
{
	size_t i;

	LOWER_BOUND(i, 0, inferred->n, inferred->a[i].end <= from);
	for (; i < inferred->n && inferred->a[i].start < to; i++) {
		if (inferred->a[i].start > from)
			push_phase(pf, cap, from, PHASE_OTHER);
		push_phase(pf, cap, inferred->a[i].start > from ? inferred->a[i].start : from, (uint8_t)inferred->a[i].owner);
		from = inferred->a[i].end;
	}
	if (from < to)
		push_phase(pf, cap, from, PHASE_OTHER);
}

/* Writes the main thread's segments of [from, to). */
static void copy_main(struct proc_facts *pf, uint32_t *cap, struct main_phases *mp, ns_t from, ns_t to)
{
	const struct owner_list *main = &mp->marked;
	size_t *i = &mp->i;
	ns_t t = from;

	while (*i && main->a[*i - 1].end > from)
		--*i;
	for (; *i < main->n && main->a[*i].start < to; ++*i) {
		const struct owner_span *s = &main->a[*i];

		if (s->end <= t)
			continue;
		if (s->start > t)
			push_unmarked(pf, cap, &mp->inferred, t, s->start);
		push_phase(pf, cap, s->start > t ? s->start : t, (uint8_t)s->owner);
		t = s->end;
		if (t >= to)
			return;
	}
	if (t < to)
		push_unmarked(pf, cap, &mp->inferred, t, to);
}

static void merge_phases(struct proc_facts *pf, struct main_phases *main, const struct owner_list *autograd)
{
	uint32_t cap = 0;
	ns_t t = INT64_MIN;

	for (size_t k = 0; k < autograd->n; k++) {
		const struct owner_span *s = &autograd->a[k];

		if (s->start > t)
			copy_main(pf, &cap, main, t, s->start);
		push_phase(pf, &cap, s->start, (uint8_t)s->owner);
		t = s->end;
	}
	copy_main(pf, &cap, main, t, INT64_MAX);
	if (pf->n_phases)
		pf->phases = xreallocarray(pf->phases, pf->n_phases, sizeof(*pf->phases));
}

/*
 * Issue timeline: an autograd thread while it is busy, else the main thread. Where several are busy at once the one whose
 * op started last stands for the one that issued the latest launch.
 */
static void make_issue(struct proc_facts *pf, const event_list *busy)
{
	struct owner_list s = { 0 };
	VEC(struct issue_seg) out = { 0 };

	owner_list_of_events(&s, busy->a, busy->n);
	VEC_PUSH(&out, (struct issue_seg){ INT64_MIN, pf->main });
	for (size_t i = 0; i < s.n; i++) {
		if (out.a[out.n - 1].start == s.a[i].start)
			out.n--;
		VEC_PUSH(&out, (struct issue_seg){ s.a[i].start, (thread_id)s.a[i].owner });
		VEC_PUSH(&out, (struct issue_seg){ s.a[i].end, pf->main });
	}
	owner_list_fini(&s);
	out.a = xreallocarray(out.a, out.n, sizeof(*out.a));
	pf->issue = out.a;
	pf->n_issue = (uint32_t)out.n;
}

static void append(event_list *to, const event_list *from)
{
	for (size_t i = 0; i < from->n; i++)
		VEC_PUSH(to, from->a[i]);
}

const char *phase_evidence_name(enum phase_evidence e)
{
	return e == EVIDENCE_MARKER ? "marker" : e == EVIDENCE_INFERRED ? "inferred" : NULL;
}

static void saw(struct proc_facts *pf, const event_list *ev, enum phase_evidence e)
{
	for (size_t i = 0; i < ev->n; i++)
		if (ev->a[i].owner < PHASE_N && pf->evidence[ev->a[i].owner] < EVIDENCE_MARKER)
			pf->evidence[ev->a[i].owner] = (uint8_t)e;
}

/*
 * What is known of the phases that were not seen. torch marks loaders, optimizers and the nodes of autograd itself, so that a trace
 * without them has none; computing the forward anew shows in sequence numbers or Python frames alone.
 */
static void what_is_known(const struct phase_work *w, uint32_t proc, const struct inferred *x)
{
	const struct facts *f = w->f;
	struct proc_facts *pf = &f->procs[proc];
	bool torch = f->p->format == FORMAT_TORCH, ops = torch && f->ops.n;
	const bool none[PHASE_N] = { [PHASE_DATALOAD] = torch, [PHASE_OPTIMIZER] = torch, [PHASE_BACKWARD] = ops,
		[PHASE_RECOMPUTE] = ops && (x->numbered || f->p->caps & CAP_PYTHON || !pf->evidence[PHASE_BACKWARD]),
		[PHASE_OTHER] = true };

	for (int i = 0; i < PHASE_N; i++)
		if (!pf->evidence[i] && none[i])
			pf->evidence[i] = EVIDENCE_NONE;
}

static uint8_t marker_of_name(void *arg, str_id name)
{
	const struct phase_work *w = arg;

	return marker_of(w->f, w->r, w->phases, name);
}

static void phases_of(struct phase_work *w, uint32_t proc)
{
	const struct facts *f = w->f;
	const struct group_index *threads = &w->ix->threads_of_proc;
	struct proc_facts *pf = &f->procs[proc];
	bool several = autograd_threads(w, proc) > 1;
	event_list main_ev = { 0 }, auto_ev = { 0 }, busy = { 0 };
	struct main_phases main = { 0 };
	struct owner_list autograd = { 0 };
	struct inferred x;

	if (pf->main != ID_NONE)
		add_markers(w, pf->main, &main_ev);
	for (uint32_t k = threads->first[proc]; k < threads->first[proc + 1]; k++) {
		thread_id t = threads->v[k];

		if (f->threads[t].role != ROLE_AUTOGRAD)
			continue;
		add_busy(w, t, several, &auto_ev, &busy);
		add_bare_calls(w, t, &busy);
		add_markers(w, t, &auto_ev);
	}
	for (size_t i = 0; i < auto_ev.n; i++)
		auto_ev.a[i].owner = auto_ev.a[i].owner == PHASE_RECOMPUTE ? PHASE_RECOMPUTE : PHASE_BACKWARD;
	inferred_make(&x, f, w->ix, proc, w->says, marker_of_name, w);
	saw(pf, &main_ev, EVIDENCE_MARKER);
	saw(pf, &auto_ev, EVIDENCE_MARKER);
	saw(pf, &x.main, EVIDENCE_INFERRED);
	saw(pf, &x.recompute[0], EVIDENCE_INFERRED);
	saw(pf, &x.recompute[1], EVIDENCE_INFERRED);
	what_is_known(w, proc, &x);
	append(&main_ev, &x.recompute[0]);
	append(&auto_ev, &x.autograd);
	append(&auto_ev, &x.recompute[1]);
	owner_list_of_events(&main.marked, main_ev.a, main_ev.n);
	owner_list_of_events(&main.inferred, x.main.a, x.main.n);
	owner_list_of_events(&autograd, auto_ev.a, auto_ev.n);
	merge_phases(pf, &main, &autograd);
	make_issue(pf, &busy);
	inferred_fini(&x);
	owner_list_fini(&main.marked);
	owner_list_fini(&main.inferred);
	owner_list_fini(&autograd);
	VEC_FREE(&main_ev);
	VEC_FREE(&auto_ev);
	VEC_FREE(&busy);
}

static bool microbatch_id(const struct facts *f, const struct rules *r, struct per_name m, str_id id, int64_t *number)
{
	struct step_name sn;
	size_t n;
	const char *s = profile_str(f->p, id, &n);

	if (id >= f->p->n_strs || m.v[id] == 0 || !rules_microbatch_name(r, s, n, &sn)) {
		if (id < f->p->n_strs)
			m.v[id] = 0;
		return false;
	}
	*number = sn.number;
	return true;
}

static int range_cmp(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

static void find_microbatches(const struct facts *f, const struct rules *r, const struct fact_index *ix, struct per_name micro, struct proc_facts *pf)
{
	const struct profile *p = f->p;
	VEC(struct range) out = { 0 };

	for (size_t l = 0; l < sizeof(marker_layers) / sizeof(*marker_layers); l++) {
		uint32_t n;
		const track_id *tracks = layer_tracks(p, &ix->tracks_of_thread, pf->main, marker_layers[l], &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct track *tr = &p->tracks[tracks[i]];
			int64_t number;

			for (ev_id e = tr->first; e < tr->first + tr->count; e++)
				if (microbatch_id(f, r, micro, p->name[e], &number))
					VEC_PUSH(&out, (struct range){ p->start[e], ev_end(p, e), number });
		}
	}
	if (out.n)
		qsort(out.a, out.n, sizeof(*out.a), range_cmp);
	pf->microbatches = out.a;
	pf->n_microbatches = (uint32_t)out.n;
}

void facts_microbatches(struct facts *f, const struct rules *r, const struct fact_index *ix)
{
	struct per_name micro = per_name_new(f->p);

	for (uint32_t i = 0; i < f->n_procs; i++)
		if (f->procs[i].main != ID_NONE)
			find_microbatches(f, r, ix, micro, &f->procs[i]);
	free(micro.v);
}

void facts_phases(struct facts *f, const struct rules *r, const struct fact_index *ix)
{
	struct phase_work w = { f, r, ix, per_name_new(f->p), xcalloc(f->p->n_strs + 1, 1) };

	f->phases_known = 1u << PHASE_OTHER;
	for (uint32_t i = 0; i < f->n_procs; i++) {
		phases_of(&w, i);
		for (unsigned ph = 0; ph < PHASE_N; ph++)
			if (f->procs[i].training && f->procs[i].evidence[ph] != EVIDENCE_UNKNOWN)
				f->phases_known |= 1u << ph;
	}
	free(w.phases.v);
	free(w.says);
}
