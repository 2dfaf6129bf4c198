/* plan.c - what changes mean for a graph: which names, which time of which thread */
#include "replay/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "measure/host_partition.h"
#include "scope/columns.h"
#include "rules/name_glob.h"

/* ---- time of threads ---------------------------------------------------------------------------- */

/* The piece that holds at `at`, ID_NONE before the first. */
static size_t piece_at(const struct warps *w, ns_t at)
{
	size_t lo = 0, hi = w->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->a[mid].start <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

double plan_factor(const struct plan *pl, uint32_t seq, ns_t at)
{
	size_t i = pl->warps ? piece_at(&pl->warps[seq], at) : 0;

	return i ? pl->warps[seq].a[i - 1].factor : 1;
}

ns_t plan_time(const struct plan *pl, uint32_t seq, ns_t a, ns_t b)
{
	const struct warps *w = pl->warps ? &pl->warps[seq] : NULL;
	ns_t sum = 0;

	if (!w || !w->n || b <= a)
		return b - a;
	for (size_t i = piece_at(w, a); a < b; i++) {
		ns_t to = i < w->n && w->a[i].start < b ? w->a[i].start : b;

		sum += scale_ns(to - a, i ? w->a[i - 1].factor : 1);
		a = to;
	}
	return sum;
}

/* Multiplies the factors inside the spans. */
static void warp_spans(struct warps *w, const struct spans *s, double factor)
{
	struct warps old = *w;
	double now = 1;
	size_t i = 0, edge = 0;

	*w = (struct warps){ 0 };
	while (i < old.n || edge < 2 * s->n) {
		ns_t span = edge < 2 * s->n ? edge % 2 ? s->a[edge / 2].end : s->a[edge / 2].start : INT64_MAX;
		ns_t t = i < old.n && old.a[i].start < span ? old.a[i].start : span;

		if (i < old.n && old.a[i].start == t)
			now = old.a[i++].factor;
		if (span == t)
			edge++;
		VEC_PUSH(w, (struct warp){ t, edge % 2 ? now * factor : now });
	}
	free(old.a);
}

/* ---- what is selected --------------------------------------------------------------------------- */

struct selecting {
	struct plan *pl;
	const struct replay_graph *g;
	const struct selection *k;
	const struct change *c;
	struct globs glob;
	uint8_t *match;		/* per string: 0 not looked at, 1 no, 2 yes */
	struct spans *of_thread;	/* per thread */
	struct spans *of_issuer;	/* per process */
	uint64_t found;
};

static bool glob_holds(const struct selecting *s, const char *text)
{
	return text && globs_match(&s->glob, text, strlen(text));
}

/* What emit_nvtx appends to the name of an op is not part of it. */
static bool name_matches(struct selecting *s, str_id name)
{
	const struct profile *p = s->g->p;

	if (name >= p->n_strs)
		return false;
	if (!s->match[name]) {
		size_t n;
		const char *text = profile_str(p, name, &n);

		s->match[name] = globs_match(&s->glob, text, n) || globs_match(&s->glob, text, rules_op_base(text, n)) ? 2 : 1;
	}
	return s->match[name] == 2;
}

static bool kernel_matches(struct selecting *s, str_id name)
{
	const struct facts *f = s->g->f;
	const struct kernel_class *kc = &f->kclasses[f->kclass_of[name]];

	switch (s->c->of) {
	case OF_CLASS: return glob_holds(s, kclass_name(kc->class));
	case OF_DTYPE: return glob_holds(s, kc->dtype);
	default: return name_matches(s, name);
	}
}

static uint8_t does_of(enum change_verb v)
{
	return v == CHANGE_OVERLAP ? WORK_MOVES : v == CHANGE_FUSE ? WORK_FUSES : v == CHANGE_ASYNC ? WORK_ASYNC : 0;
}

static void select_kernels(struct selecting *s)
{
	const struct facts *f = s->g->f;
	struct plan *pl = s->pl;
	str_id n = s->g->p->n_strs;

	if (!pl->name_factor) {
		pl->name_factor = xreallocarray(NULL, (size_t)n + 1, sizeof(*pl->name_factor));
		pl->name_does = xcalloc((size_t)n + 1, 1);
		for (str_id i = 0; i < n; i++)
			pl->name_factor[i] = 1;
	}
	for (str_id i = 0; i < n; i++) {
		if (f->kclass_of[i] == ID_NONE || !kernel_matches(s, i))
			continue;
		pl->name_factor[i] *= s->c->factor;
		pl->name_does[i] |= does_of(s->c->verb);
		s->found++;
	}
}

static void select_copies(struct selecting *s)
{
	bool any[WORK_KIND_N] = { 0 };

	for (uint32_t w = 0; w < s->g->n_works; w++)
		any[s->g->kind_of[w]] = true;
	for (int k = WORK_MEMSET; k < WORK_KIND_N; k++) {
		const char *name = k == WORK_MEMSET ? "memset" : copy_kind_name((enum copy_kind)(k - WORK_COPY));

		if (!any[k] || !glob_holds(s, name))
			continue;
		s->pl->kind_factor[k] *= s->c->factor;
		s->pl->kind_does[k] |= does_of(s->c->verb);
		s->found++;
	}
}

/* ---- host ranges -------------------------------------------------------------------------------- */

static void select_events(struct selecting *s, enum layer l)
{
	const struct profile *p = s->g->p;

	for (track_id t = p->layer_track[l]; t < p->layer_track[l + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			if (!name_matches(s, p->name[e]))
				continue;
			spans_add(&s->of_thread[tr->thread], p->start[e], ev_end(p, e));
			s->found++;
		}
	}
}

static void select_ops(struct selecting *s)
{
	const struct op_layer *o = &s->g->f->ops;

	for (uint32_t t = 0; t < o->n_tracks; t++) {
		const struct op_track *tr = &o->tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
			if (!name_matches(s, o->name[i]))
				continue;
			spans_add(&s->of_thread[tr->thread], o->start[i], o->start[i] + o->dur[i]);
			s->found++;
		}
	}
}

/* torch 1.8 and 1.9 write annotations as ops. */
static void select_annotations(struct selecting *s)
{
	select_events(s, LAYER_ANNOT);
	select_events(s, LAYER_NVTX);
	select_events(s, LAYER_NVTX_SE);
	if (!s->found)
		select_events(s, LAYER_OP);
}

static void select_phases(struct selecting *s)
{
	for (uint32_t i = 0; i < s->g->f->n_procs; i++) {
		const struct proc_facts *pf = &s->g->f->procs[i];

		for (uint32_t j = 0; j < pf->n_phases; j++) {
			ns_t start = pf->phases[j].start, end = j + 1 < pf->n_phases ? pf->phases[j + 1].start : s->g->p->last_ns;

			if (!glob_holds(s, phase_name((enum phase)pf->phases[j].phase)))
				continue;
			start = start < s->g->p->first_ns ? s->g->p->first_ns : start;
			if (start < end)
				s->found++;
			spans_add(&s->of_issuer[i], start, end);
		}
	}
}

struct leaf_select {
	struct selecting *s;
	struct host_leaves *ls;
	uint32_t proc;
};

static void select_leaf(void *arg, ns_t start, ns_t end, uint32_t leaf)
{
	struct leaf_select *l = arg;
	size_t n;
	const char *name = host_leaves_str(l->ls, l->ls->a[leaf].l2, &n);

	if (l->ls->a[leaf].l2 == ID_NONE || !globs_match(&l->s->glob, name, n))
		return;
	spans_add(&l->s->of_issuer[l->proc], start, end);
	l->s->found++;
}

static void select_leaves(struct selecting *s)
{
	struct spans whole = { 0 };
	struct host_leaves ls;

	host_leaves_init(&ls, s->k->cx->rules);
	spans_add(&whole, s->g->p->first_ns, s->g->p->last_ns);
	for (uint32_t i = 0; i < s->g->f->n_procs; i++)
		host_partition_each(&ls, s->k, i, &whole, select_leaf, &(struct leaf_select){ s, &ls, i });
	spans_fini(&whole);
	host_leaves_fini(&ls);
}

/* The instants at which a thread is the one that issues. */
static void issues(const struct proc_facts *pf, thread_id t, struct spans *out)
{
	for (uint32_t i = 0; i < pf->n_issue; i++)
		if (pf->issue[i].thread == t)
			spans_append(out, pf->issue[i].start, i + 1 < pf->n_issue ? pf->issue[i + 1].start : NS_LIMIT);
}

/* Ranges of the main thread hold for the issuer at all times, those of other threads while they issue; and each for its own thread. */
static void join_issuer(struct selecting *s, thread_id t)
{
	const struct facts *f = s->g->f;
	uint32_t proc = f->threads[t].proc;
	struct spans busy = { 0 }, part = { 0 };
	const struct spans *add = &s->of_thread[t];

	if (proc == ID_NONE)
		return;
	if (f->procs[proc].main != t) {
		issues(&f->procs[proc], t, &busy);
		spans_intersect(&part, &s->of_thread[t], &busy);
		add = &part;
	}
	for (size_t i = 0; i < add->n; i++)
		spans_add(&s->of_issuer[proc], add->a[i].start, add->a[i].end);
	spans_fini(&busy);
	spans_fini(&part);
}

static void apply(struct selecting *s, uint32_t seq, struct spans *sp)
{
	struct plan *pl = s->pl;

	spans_norm(sp);
	if (!sp->n)
		return;
	if (s->c->verb == CHANGE_ASYNC) {
		for (size_t i = 0; i < sp->n; i++)
			spans_add(&pl->async[seq], sp->a[i].start, sp->a[i].end);
		spans_norm(&pl->async[seq]);
		return;
	}
	warp_spans(&pl->warps[seq], sp, s->c->factor);
}

static void select_host(struct selecting *s)
{
	const struct facts *f = s->g->f;
	struct plan *pl = s->pl;

	if (!pl->warps)
		pl->warps = xcalloc((size_t)s->g->n_seqs + 1, sizeof(*pl->warps));
	if (!pl->async && s->c->verb == CHANGE_ASYNC)
		pl->async = xcalloc((size_t)s->g->n_seqs + 1, sizeof(*pl->async));
	s->of_thread = xcalloc((size_t)s->g->p->n_threads + 1, sizeof(*s->of_thread));
	s->of_issuer = xcalloc((size_t)f->n_procs + 1, sizeof(*s->of_issuer));
	switch (s->c->of) {
	case OF_OP: select_ops(s); break;
	case OF_CALL: select_events(s, LAYER_RUNTIME); break;
	case OF_ANNOTATION: select_annotations(s); break;
	case OF_PHASE: select_phases(s); break;
	default: select_leaves(s); break;
	}
	for (thread_id t = 0; t < s->g->p->n_threads; t++) {
		spans_norm(&s->of_thread[t]);
		if (s->of_thread[t].n)
			join_issuer(s, t);
		apply(s, t, &s->of_thread[t]);
		spans_fini(&s->of_thread[t]);
	}
	for (uint32_t i = 0; i < f->n_procs; i++) {
		apply(s, issuer_seq(s->g, i), &s->of_issuer[i]);
		spans_fini(&s->of_issuer[i]);
	}
	free(s->of_thread);
	free(s->of_issuer);
}

/* ---- all together ------------------------------------------------------------------------------- */

static uint64_t count_launches(const struct replay_graph *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->n_nodes; i++)
		n += g->nodes[i].launches && g->nodes[i].n;
	return n;
}

static uint64_t make_change(struct plan *pl, const struct replay_graph *g, const struct selection *k, const struct change *c)
{
	struct selecting s = { .pl = pl, .g = g, .k = k, .c = c };

	if (c->verb == CHANGE_LAUNCH) {
		pl->launch_ns = c->launch_ns;
		return count_launches(g);
	}
	s.match = xcalloc((size_t)g->p->n_strs + 1, 1);
	glob_add(&s.glob, c->glob, strlen(c->glob), false);
	if (c->of == OF_COPY)
		select_copies(&s);
	else if (change_of_device(c->of))
		select_kernels(&s);
	else
		select_host(&s);
	pl->moves |= c->verb == CHANGE_OVERLAP;
	pl->fuses |= c->verb == CHANGE_FUSE;
	globs_fini(&s.glob);
	free(s.match);
	return s.found;
}

bool plan_make(struct plan *pl, const struct replay_graph *g, const struct selection *k, const struct change *changes, size_t n,
	uint64_t *found, struct err *e)
{
	*pl = (struct plan){ .launch_ns = -1 };
	for (int i = 0; i < WORK_KIND_N; i++)
		pl->kind_factor[i] = 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t met = make_change(pl, g, k, &changes[i]);

		if (found)
			found[i] = met;
		if (k && an_cancelled(k->cx, e))
			return false;
	}
	return true;
}

void plan_fini(struct plan *pl, const struct replay_graph *g)
{
	for (uint32_t i = 0; i < g->n_seqs; i++) {
		if (pl->warps)
			VEC_FREE(&pl->warps[i]);
		if (pl->async)
			spans_fini(&pl->async[i]);
	}
	free(pl->warps);
	free(pl->async);
	free(pl->name_factor);
	free(pl->name_does);
}
