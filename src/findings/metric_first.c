/*
 * metric_first.c - metrics of first use: the first call of a function takes long where it makes the device's context, a library's handle or
 * its memory pool. Loading of modules and kernels is told apart, see facts/first_use.c.
 */
#include <string.h>

#include "base/vec.h"
#include "findings/metric_impl.h"

enum { LONG_NS = 1000000, TIMES = 10 };

/* The calls of one function by one process. */
struct function {
	ev_id first;
	thread_id thread;
	ns_t others;	/* time of all but the first */
	int64_t n;
};
struct functions {
	struct map of;	/* (process, name) -> index */
	VEC(struct function) v;
};

static void add_call(struct functions *x, const struct profile *p, uint32_t proc, thread_id t, ev_id e)
{
	uint32_t at = map_get_or_put(&x->of, proc, p->name[e], (uint32_t)x->v.n);
	struct function *f;

	if (at == x->v.n)
		VEC_PUSH(&x->v, (struct function){ .first = ID_NONE });
	f = &x->v.a[at];
	f->n++;
	if (f->first == ID_NONE || p->start[e] < p->start[f->first]) {
		f->others += f->first == ID_NONE ? 0 : p->dur[f->first];
		f->first = e;
		f->thread = t;
	} else {
		f->others += p->dur[e];
	}
}

/* Calls inside others count with these; launches, copies and waits take as long as the device makes them. */
static void add_track(struct functions *x, const struct metric_work *w, const struct track *tr)
{
	const struct profile *p = w->k->p;

	for (ev_id e = tr->first; e < tr->first + tr->count; e++)
		if (p->parent[e] == ID_NONE && facts_rt(w->k->f, e) == RT_OTHER)
			add_call(x, p, w->k->f->threads[tr->thread].proc, tr->thread, e);
}

static bool is_long(const struct profile *p, const struct function *f)
{
	ns_t dur = p->dur[f->first];

	return dur >= LONG_NS && (f->n == 1 || dur / TIMES >= f->others / (f->n - 1));
}

/* Whether a metric of the rules counts the call. */
static bool counted(const struct metric_work *w, const char *metric, const char *s, size_t n)
{
	uint32_t id = metric_find(w->m->fr, metric, strlen(metric));

	return id != ID_NONE && id >= METRIC_N && globs_match(&w->m->fr->metrics[id - METRIC_N].match, s, n);
}

static void add_first(struct metric_work *w, const struct function *f)
{
	const struct profile *p = w->k->p;
	ns_t start = p->start[f->first], end = ev_end(p, f->first);
	ns_t idle = spans_overlap(&w->idle[w->k->f->threads[f->thread].proc], start, end);
	struct runtime_class rc;
	bool memory;
	size_t n;
	const char *s = profile_str(p, p->name[f->first], &n);

	rules_runtime_class(w->cx->rules, s, n, &rc);
	if (!idle || (rc.cause && !strcmp(rc.cause, "compile")) || (rc.category && !strcmp(rc.category, "graph")))
		return;
	n = rules_runtime_base(s, n);
	memory = counted(w, "alloc_calls", s, n) || counted(w, "pin_calls", s, n);
	metric_add_spread(w->m, memory ? METRIC_first_memory : METRIC_first_handles, idle,
		&(struct instance){ start, end, 0, f->thread, f->first });
}

void metric_first_pass(struct metric_work *w)
{
	static const enum metric_id sums[] = { METRIC_first_memory, METRIC_first_handles };
	const struct profile *p = w->k->p;
	struct functions x = { .v = { 0 } };

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++)
		if (p->tracks[t].count && metric_issues(w, p->tracks[t].thread))
			add_track(&x, w, &p->tracks[t]);
	for (size_t i = 0; i < x.v.n; i++)
		if (is_long(p, &x.v.a[i]))
			add_first(w, &x.v.a[i]);
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		metric_divide(w->m, sums[i], w->procs, false);
		w->m->v[sums[i]].known = w->devices > 0 && (p->caps & CAP_RUNTIME);
		if (!(p->caps & CAP_RUNTIME))
			w->m->v[sums[i]].why = N_("CUDA runtime calls");
	}
	map_fini(&x.of);
	VEC_FREE(&x.v);
}
