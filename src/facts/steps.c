/*
 * steps.c - step markers, periods, warm-up, partial steps, the steady window (definitions.md §4).
 *
 * Markers, first that matches per process: ProfilerStep#N; the outermost NVTX family of data/steps.rules; outermost
 * optimizer-step calls clustered by period; else none: the whole source is one window.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/search.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "facts/parts.h"

struct marker {
	ns_t start, end;
	str_id name;
	int64_t number;
	uint32_t family;	/* index of the first marker of its family */
};
typedef VEC(struct marker) marker_list;

static int64_t parse_number(const char *s, size_t n)
{
	int64_t v = 0;

	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s[i] - '0', &v))
			return I64_UNKNOWN;
	return n ? v : I64_UNKNOWN;
}

static int marker_cmp(const void *pa, const void *pb)
{
	const struct marker *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

static void sort_markers(marker_list *m)
{
	if (m->n)
		qsort(m->a, m->n, sizeof(*m->a), marker_cmp);
}

struct step_work {
	struct facts *f;
	const struct rules *r;
	const struct fact_index *ix;
	struct per_name step;	/* per name: 0 = names no step */
	struct warmup *warmup;	/* NULL: not needed so far */
};

/* ProfilerStep#N of the main thread: an annotation, or an op in torch 1.8-1.9. */
static void profiler_steps(const struct step_work *w, uint32_t proc, marker_list *out)
{
	static const char prefix[] = "ProfilerStep#";
	static const enum layer layers[] = { LAYER_ANNOT, LAYER_OP };
	const struct profile *p = w->f->p;

	for (size_t l = 0; l < 2; l++) {
		track_id t = thread_track(p, w->ix, layers[l], w->f->procs[proc].main);

		if (t == ID_NONE)
			continue;
		for (ev_id e = p->tracks[t].first; e < p->tracks[t].first + p->tracks[t].count; e++) {
			size_t n;
			const char *s = profile_str(p, p->name[e], &n);

			if (n < sizeof(prefix) || memcmp(s, prefix, sizeof(prefix) - 1))
				continue;
			VEC_PUSH(out, (struct marker){ p->start[e], ev_end(p, e), p->name[e],
				parse_number(s + sizeof(prefix) - 1, n - (sizeof(prefix) - 1)), 0 });
		}
	}
	sort_markers(out);
}

static uint64_t family_key(const struct step_name *sn)
{
	return map_hash_bytes(sn->head, sn->head_len) * 31 + map_hash_bytes(sn->tail, sn->tail_len) * 2 + (sn->number < 0);
}

/*
 * The first marker of the family, all->n if there is none. `families` has one of each hash; should two families ever have the
 * same, the second is looked for among all markers.
 */
static uint32_t family_of(const struct step_work *w, struct map *families, const marker_list *all, const struct step_name *sn)
{
	uint32_t first = map_get_or_put(families, family_key(sn), 0, (uint32_t)all->n);

	for (uint32_t i = first; i < all->n; i++) {
		struct step_name other;
		size_t n;
		const char *s = profile_str(w->f->p, all->a[i].name, &n);

		if (all->a[i].family == i && rules_step_name(w->r, s, n, &other) && step_name_same_family(sn, &other))
			return i;
	}
	return (uint32_t)all->n;
}

static void add_nvtx_marker(const struct step_work *w, struct map *families, ev_id e, marker_list *out)
{
	const struct profile *p = w->f->p;
	struct step_name sn;
	uint32_t family;
	size_t n;
	const char *s = profile_str(p, p->name[e], &n);

	if (p->name[e] >= p->n_strs || w->step.v[p->name[e]] == 0)
		return;
	w->step.v[p->name[e]] = rules_step_name(w->r, s, n, &sn);
	if (!w->step.v[p->name[e]])
		return;
	family = family_of(w, families, out, &sn);
	VEC_PUSH(out, (struct marker){ p->start[e], ev_end(p, e), p->name[e], sn.number < 0 ? I64_UNKNOWN : sn.number, family });
}

/* All NVTX step markers of a process's threads. */
static void nvtx_markers(const struct step_work *w, uint32_t proc, marker_list *out)
{
	const struct profile *p = w->f->p;
	struct map families = { 0 };

	for (enum layer l = LAYER_NVTX; l <= LAYER_NVTX_SE; l++) {
		uint32_t n_tracks;
		const track_id *tracks = layer_tracks(p, &w->ix->tracks_of_proc, proc, l, &n_tracks);

		for (uint32_t k = 0; k < n_tracks; k++) {
			const struct track *tr = &p->tracks[tracks[k]];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++)
				add_nvtx_marker(w, &families, e, out);
		}
	}
	map_fini(&families);
}

/* Latest end seen, and latest end among the other families. */
struct latest {
	ns_t end[2];
	uint32_t family[2];
};

static void latest_add(struct latest *x, ns_t end, uint32_t family)
{
	int k = family == x->family[0] ? 0 : 1;

	if (x->family[k] != ID_NONE && end <= x->end[k])
		return;
	x->end[k] = end;
	x->family[k] = family;
	if (k == 1 && (x->family[0] == ID_NONE || x->end[1] > x->end[0]))
		*x = (struct latest){ { x->end[1], x->end[0] }, { x->family[1], x->family[0] } };
}

struct family_sum {
	size_t n, inside;	/* markers; those of them that lie inside a marker of another family */
};

/* Sums per family, at the index of its first marker. A marker may lie in all that start no later and end no earlier. */
static struct family_sum *sum_families(const marker_list *all)
{
	struct family_sum *sum = xcalloc(all->n, sizeof(*sum));
	struct latest x = { { 0, 0 }, { ID_NONE, ID_NONE } };
	marker_list by_start = { 0 };

	for (size_t i = 0; i < all->n; i++)
		VEC_PUSH(&by_start, all->a[i]);
	sort_markers(&by_start);
	for (size_t i = 0, seen = 0; i < by_start.n; i++) {
		const struct marker *m = &by_start.a[i];
		int k;

		for (; seen < by_start.n && by_start.a[seen].start <= m->start; seen++)
			latest_add(&x, by_start.a[seen].end, by_start.a[seen].family);
		k = x.family[0] == m->family;
		sum[m->family].n++;
		sum[m->family].inside += x.family[k] != ID_NONE && x.end[k] >= m->end;
	}
	VEC_FREE(&by_start);
	return sum;
}

/* The outermost family: least of it lies inside others; of equals the most frequent. */
static void nvtx_steps(const struct step_work *w, uint32_t proc, marker_list *out)
{
	marker_list all = { 0 };
	struct family_sum *sum;
	uint32_t best = ID_NONE;

	nvtx_markers(w, proc, &all);
	sum = sum_families(&all);
	for (uint32_t i = 0; i < all.n; i++) {
		size_t n = sum[i].n, in = sum[i].inside;

		if (all.a[i].family != i)
			continue;
		if (best == ID_NONE || in * sum[best].n < sum[best].inside * n ||
			(in * sum[best].n == sum[best].inside * n && n > sum[best].n))
			best = i;
	}
	for (size_t i = 0; i < all.n; i++)
		if (all.a[i].family == best)
			VEC_PUSH(out, all.a[i]);
	free(sum);
	VEC_FREE(&all);
	sort_markers(out);
}

static bool optimizer_call(const char *s, size_t n)
{
	static const char prefix[] = "Optimizer.step#";

	return n > sizeof(prefix) - 1 && !memcmp(s, prefix, sizeof(prefix) - 1);
}

/* Largest gap within a cluster: the value before the largest relative jump of the sorted gaps (>= 4x). -1: no such jump, each call is a step. */
static ns_t cluster_gap(const marker_list *m)
{
	VEC(ns_t) gaps = { 0 };
	ns_t cut = -1;
	double best = 4;

	for (size_t i = 1; i < m->n; i++)
		VEC_PUSH(&gaps, m->a[i].start > m->a[i - 1].end ? m->a[i].start - m->a[i - 1].end : 0);
	if (gaps.n)
		i64_sort(gaps.a, gaps.n);
	for (size_t i = 1; i < gaps.n; i++) {
		double jump = (double)gaps.a[i] / (double)(gaps.a[i - 1] > 0 ? gaps.a[i - 1] : 1);

		if (jump > best) {
			best = jump;
			cut = gaps.a[i - 1];
		}
	}
	VEC_FREE(&gaps);
	return cut;
}

static void optimizer_steps(const struct step_work *w, uint32_t proc, marker_list *out)
{
	const struct profile *p = w->f->p;
	marker_list calls = { 0 };
	ns_t cut;

	for (size_t l = 0; l < sizeof(marker_layers) / sizeof(*marker_layers); l++) {
		uint32_t n_tracks;
		const track_id *tracks = layer_tracks(p, &w->ix->tracks_of_thread, w->f->procs[proc].main,
			marker_layers[l], &n_tracks);

		for (uint32_t k = 0; k < n_tracks; k++) {
			const struct track *tr = &p->tracks[tracks[k]];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
				size_t n;
				const char *s = profile_str(p, p->name[e], &n);

				if (optimizer_call(s, n))
					VEC_PUSH(&calls, (struct marker){ p->start[e], ev_end(p, e), ID_NONE, I64_UNKNOWN, 0 });
			}
		}
	}
	sort_markers(&calls);
	cut = cluster_gap(&calls);
	for (size_t i = 0; i < calls.n; i++) {
		struct marker *last = out->n ? &out->a[out->n - 1] : NULL;

		if (last && calls.a[i].start - last->end <= cut) {
			if (calls.a[i].end > last->end)
				last->end = calls.a[i].end;
		} else if (!last || calls.a[i].start >= last->end) {
			VEC_PUSH(out, calls.a[i]);
		}
	}
	VEC_FREE(&calls);
}

static ns_t period(const struct step *s)
{
	return s->next - s->start;
}

/* Lower middle of the periods of steps [from, n), those that the capture cuts aside; 0 if there are none. */
static ns_t median_period(const struct step *s, size_t from, size_t n)
{
	VEC(ns_t) v = { 0 };
	ns_t mid = 0;

	for (size_t i = from; i < n; i++)
		if (!s[i].partial)
			VEC_PUSH(&v, period(&s[i]));
	if (v.n) {
		i64_sort(v.a, v.n);
		mid = sorted_median(v.a, v.n);
	}
	VEC_FREE(&v);
	return mid;
}

struct launch_count {
	uint32_t all, without;	/* launch calls; those without GPU work in the file */
	uint32_t graphs;	/* of the latter those of graphs, which often have none */
};

static struct launch_count count_launches(const struct step_work *w, const struct step *s)
{
	const struct facts *f = w->f;
	const struct profile *p = f->p;
	struct launch_count c = { 0, 0, 0 };
	uint32_t n_tracks;
	const track_id *tracks = layer_tracks(p, &w->ix->tracks_of_proc, s->proc, LAYER_RUNTIME, &n_tracks);

	for (uint32_t k = 0; k < n_tracks; k++) {
		const struct track *tr = &p->tracks[tracks[k]];
		ev_id e = track_lower_bound(p, tr, s->start);
		uint32_t at;

		for (profile_launched_by(p, e, &at); e < tr->first + tr->count && p->start[e] < s->next; e++) {
			if (!call_runs_work(f, s->proc, e))
				continue;
			c.all++;
			if (call_work(p, tr, e, &at) != ID_NONE)
				continue;
			c.without++;
			c.graphs += call_is_graph(p, e);
		}
	}
	return c;
}

/* The first op of a track that starts at t or later. */
static uint32_t op_from(const struct op_layer *o, const struct op_track *tr, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, tr->first, tr->first + tr->count, o->start[i] < t);
	return i;
}

/* Ops of the step's process that start in it. */
static uint32_t count_ops(const struct step_work *w, const struct step *s)
{
	const struct group_index *threads = &w->ix->threads_of_proc;
	const struct op_layer *o = &w->f->ops;
	uint32_t n = 0;

	for (uint32_t i = threads->first[s->proc]; i < threads->first[s->proc + 1]; i++) {
		uint32_t track = w->f->threads[threads->v[i]].op_track;

		if (track != ID_NONE)
			n += op_from(o, &o->tracks[track], s->next) - op_from(o, &o->tracks[track], s->start);
	}
	return n;
}

/* Whether the step at one end is a stub: less than half as long as its neighbour, with less than half of its launches (or ops). */
static bool is_stub(const struct step_work *w, const struct step *end, const struct step *inner)
{
	uint32_t a, b;

	if (period(end) >= period(inner) / 2)
		return false;
	if (w->f->n_devices) {
		a = count_launches(w, end).all;
		b = count_launches(w, inner).all;
	} else {
		a = count_ops(w, end);
		b = count_ops(w, inner);
	}
	return (uint64_t)a * 2 < b;
}

static void mark_stubs(const struct step_work *w, struct step *s, uint32_t n)
{
	uint32_t ends[2] = { 0, n - 1 }, inner[2] = { 1, n - 2 };

	for (int k = 0; n >= 2 && k < 2; k++) {
		if (s[ends[k]].partial || !is_stub(w, &s[ends[k]], &s[inner[k]]))
			continue;
		s[ends[k]].partial = true;
		s[ends[k]].why = N_("less than half of its neighbour's work: cut by the capture");
	}
}

#define CUT_LAUNCHES N_("launches without GPU work: cut by the capture")

/* Launches, and no work of any of them; launches of graphs alone are no sign. */
static bool work_is_lost(const struct step_work *w, const struct step *s)
{
	struct launch_count c = count_launches(w, s);

	return c.all && c.without == c.all && c.graphs < c.all;
}

/* Of the steps [*from, *to) the runs at both ends whose GPU work is not in the file, which leaves [*from, *to). Nothing where all are so. */
static void mark_lost(const struct step_work *w, struct step *s, uint32_t *from, uint32_t *to)
{
	uint32_t a = *from, z = *to;

	while (a < z && work_is_lost(w, &s[a]))
		a++;
	while (z > a && work_is_lost(w, &s[z - 1]))
		z--;
	if (a == z)
		return;
	for (uint32_t i = *from; i < *to; i++) {
		if (i >= a && i < z)
			continue;
		s[i].partial = true;
		s[i].why = CUT_LAUNCHES;
	}
	*from = a;
	*to = z;
}

/*
 * The first or last step is cut when more than 2 % of its launches have no GPU work beyond the share that inner steps lack
 * (graph launches and failed launches never have any), or when it has no launches at all while inner steps have.
 */
static void mark_cut_launches(const struct step_work *w, struct step *s, uint32_t n)
{
	struct launch_count inner = { 0, 0, 0 };
	uint32_t ends[2] = { 0, n - 1 };
	double share;

	if (n < 3 || !w->f->n_devices)
		return;
	for (uint32_t i = 1; i + 1 < n; i++) {
		struct launch_count c = count_launches(w, &s[i]);

		inner.all += c.all;
		inner.without += c.without;
	}
	if (!inner.all)
		return;
	share = (double)inner.without / inner.all + 0.02;
	for (int k = 0; k < 2; k++) {
		struct launch_count c = count_launches(w, &s[ends[k]]);

		if (c.all && c.without <= share * c.all)
			continue;
		s[ends[k]].partial = true;
		s[ends[k]].why = c.all ? CUT_LAUNCHES : N_("no launches: cut by the capture");
	}
}

/* A marker at the end of each step (the optimizer's) leaves the last one without its forward and backward. */
static void mark_partial(const struct step_work *w, struct step *s, uint32_t n, bool ends_step)
{
	uint32_t from = 0, to = n;

	if (ends_step && n >= 2) {
		s[n - 1].partial = true;
		s[n - 1].why = N_("begins at the last optimizer step: what follows is not in the capture");
	}
	if (w->f->n_devices)
		mark_lost(w, s, &from, &to);
	mark_cut_launches(w, s + from, to - from);
	mark_stubs(w, s + from, to - from);
}

/* Events of all processes are looked through once, and only if some step is long. */
static const char *warmup_evidence(struct step_work *w, const struct step *s)
{
	if (s->number == 0)
		return N_("first step of the run");
	if (!w->warmup)
		w->warmup = warmup_new(w->f);
	return warmup_at(w->warmup, s->start, s->next);
}

/* Leading steps longer than 1.25 x the median of the later ones: warm-up with evidence, outliers without; later ones: outliers. */
static void mark_slow(struct step_work *w, struct step *s, uint32_t n)
{
	uint32_t first = 0;
	ns_t med;

	/* the leading ones only: a median for each of many steps would take n^2 */
	for (; first + 1 < n; first++) {
		const char *why;

		med = median_period(s, first + 1, n);
		why = med > 0 && period(&s[first]) > med + med / 4 ? warmup_evidence(w, &s[first]) : NULL;
		if (!why)
			break;
		s[first].warmup = true;
		s[first].why = why;
	}
	med = median_period(s, first, n);
	for (uint32_t i = 0; i < n; i++) {
		s[i].outlier = !s[i].warmup && !s[i].partial && period(&s[i]) > med + med / 4;
		if (s[i].outlier && !s[i].why)
			s[i].why = N_("longer than 1.25 x the median");
	}
}

static void steady_window(struct proc_facts *pf, const struct step *s, uint32_t n)
{
	uint32_t steady = 0;

	for (uint32_t i = 0; i < n; i++)
		steady += !s[i].warmup && !s[i].partial;
	pf->too_few = steady < 3;
	for (uint32_t i = 0; i < n; i++)
		if (!s[i].partial && (!s[i].warmup || pf->too_few))
			spans_append(&pf->steady, s[i].start, s[i].next);
	for (uint32_t i = 0; i < n && !pf->steady.n; i++)
		spans_append(&pf->steady, s[i].start, s[i].next);
}

/* The first micro-batch that starts at t or later. */
static uint32_t microbatch_from(const struct proc_facts *pf, ns_t t)
{
	uint32_t i;

	LOWER_BOUND(i, 0, pf->n_microbatches, pf->microbatches[i].start < t);
	return i;
}

static uint32_t count_microbatches(const struct proc_facts *pf, const struct step *s)
{
	uint32_t from = microbatch_from(pf, s->start), to = microbatch_from(pf, s->next);

	return to > from ? to - from : 0;
}

static void make_steps(struct step_work *w, uint32_t proc, const marker_list *m, bool ends_step)
{
	struct facts *f = w->f;
	struct proc_facts *pf = &f->procs[proc];
	uint32_t n = (uint32_t)m->n;
	struct step *s;

	pf->first_step = f->n_steps;
	pf->n_steps = n;
	f->steps = xreallocarray(f->steps, f->n_steps + n, sizeof(*f->steps));
	s = f->steps + f->n_steps;
	for (uint32_t i = 0; i < n; i++) {
		ns_t next = i + 1 < n ? m->a[i + 1].start : m->a[i].end;

		s[i] = (struct step){
			.number = m->a[i].number == I64_UNKNOWN ? (int64_t)i : m->a[i].number, .name = m->a[i].name,
			.start = m->a[i].start, .end = m->a[i].end, .next = next, .proc = proc,
		};
		s[i].microbatches = count_microbatches(pf, &s[i]);
	}
	f->n_steps += n;
	mark_partial(w, s, n, ends_step);
	mark_slow(w, s, n);
	steady_window(pf, s, n);
}

/* Sources of step markers, the most trusted first. */
static const struct {
	const char *name;
	void (*find)(const struct step_work *w, uint32_t proc, marker_list *out);
	bool ends_step;		/* the marker is the end of a step, so its period reaches into the next one */
	uint32_t least;		/* fewer markers tell nothing */
} step_sources[STEPS_BY_N] = {
	[STEPS_BY_PROFILER] = { N_("ProfilerStep annotations"), profiler_steps, false, 1 },
	[STEPS_BY_NVTX] = { N_("NVTX ranges"), nvtx_steps, false, 1 },
	[STEPS_BY_OPTIMIZER] = { N_("optimizer steps"), optimizer_steps, true, 2 },
};

const char *steps_by_name(enum steps_by by)
{
	return step_sources[by].name;
}

/* What the markers say, whether they are taken or not: number, and time from one to the next. */
static struct step_count count_markers(const marker_list *m)
{
	struct step_count c = { (uint32_t)m->n, NS_UNKNOWN, NS_UNKNOWN };
	VEC(ns_t) v = { 0 };

	for (size_t i = 1; i < m->n; i++)
		VEC_PUSH(&v, m->a[i].start - m->a[i - 1].start);
	if (v.n) {
		i64_sort(v.a, v.n);
		c.median_ns = sorted_median(v.a, v.n);
		c.iqr_ns = v.a[(3 * (v.n - 1)) / 4] - v.a[(v.n - 1) / 4];
	}
	VEC_FREE(&v);
	return c;
}

static void proc_steps(struct step_work *w, uint32_t proc)
{
	struct proc_facts *pf = &w->f->procs[proc];

	for (int by = 0; by < STEPS_BY_N; by++) {
		marker_list m = { 0 };

		step_sources[by].find(w, proc, &m);
		pf->step_counts[by] = count_markers(&m);
		if (!pf->step_rule && m.n >= step_sources[by].least) {
			pf->step_rule = step_sources[by].name;
			make_steps(w, proc, &m, step_sources[by].ends_step);
		}
		VEC_FREE(&m);
	}
}

void facts_steps(struct facts *f, const struct rules *r, const struct fact_index *ix)
{
	struct step_work w = { f, r, ix, per_name_new(f->p), NULL };

	for (uint32_t i = 0; i < f->n_procs; i++) {
		f->procs[i].first_step = f->n_steps;
		if (f->procs[i].main == ID_NONE)
			continue;
		proc_steps(&w, i);
		f->procs[i].training |= f->procs[i].n_steps > 0;
	}
	warmup_free(w.warmup);
	free(w.step.v);
}
