/* graph.c - the graph of a source: made once, asked for steps, trust and critical paths */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/i18n.h"
#include "base/lazy.h"
#include "calc/stats.h"
#include "replay/run.h"

static void find_spans_of_steps(struct replay_graph *g)
{
	const struct profile *p = g->p;

	g->proc_steps = xcalloc((size_t)g->f->n_procs + 1, sizeof(*g->proc_steps));
	for (uint32_t i = 0; i < g->n_steps; i++) {
		struct proc_steps *s = &g->proc_steps[g->steps[i].proc];

		if (s->end <= s->start || g->steps[i].start < s->start)
			s->start = g->steps[i].start;
		if (g->steps[i].end > s->end)
			s->end = g->steps[i].end;
		s->host_end = p->first_ns;
	}
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];
		uint32_t proc = layer_on_gpu(tr->layer) || tr->thread == ID_NONE ? ID_NONE : g->f->threads[tr->thread].proc;

		if (proc == ID_NONE || !layer_counts_for_range(tr->layer))
			continue;
		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (ev_end(p, e) > g->proc_steps[proc].host_end)
				g->proc_steps[proc].host_end = ev_end(p, e);
	}
}

/* Device work whose launch is known, and all of it. */
static double linked_share(const struct profile *p)
{
	static const enum layer work[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };
	uint64_t n = 0, linked = 0;

	for (size_t l = 0; l < 3; l++)
		for (ev_id e = p->layer_first[work[l]]; e < p->layer_first[work[l] + 1]; e++, n++)
			linked += p->link[e] != ID_NONE;
	return n ? (double)linked / (double)n : NAN;
}

static void find_trust(struct replay_graph *g)
{
	uint32_t n = g->f->n_procs;
	ns_t *marks = xcalloc((size_t)n_marks(g) + 1, sizeof(*marks));
	ns_t *sums = xcalloc((size_t)3 * n + 1, sizeof(*sums));
	struct run_sums tr = { .residual = sums, .waited = sums + n, .inferred = sums + 2 * (size_t)n };
	double linked = linked_share(g->p);
	struct plan pl;

	plan_make(&pl, g, NULL, NULL, 0, NULL, NULL);
	run_graph(g, &pl, NULL, marks, &tr, NULL);
	plan_fini(&pl, g);
	g->trust = xcalloc((size_t)n + 1, sizeof(*g->trust));
	for (uint32_t i = 0; i < n; i++) {
		ns_t window = g->proc_steps[i].end - g->proc_steps[i].start;

		g->trust[i] = (struct replay_trust){ .window_ns = window, .residual_ns = sums[i], .linked = linked,
			.explained = window > sums[i] ? 1 - (double)sums[i] / (double)window : 0,
			.inferred = sums[n + i] > 0 ? (double)sums[2 * n + i] / (double)sums[n + i] : NAN };
	}
	free(sums);
	free(marks);
}

static struct replay_graph *graph_new(const struct facts *f)
{
	struct replay_graph *g = xcalloc(1, sizeof(*g));

	g->f = f;
	g->p = f->p;
	graph_nodes(g);
	find_spans_of_steps(g);
	graph_learn(g);
	find_trust(g);
	return g;
}

static void graph_free(struct replay_graph *g)
{
	free(g->nodes);
	free(g->seq_proc);
	free(g->stream_of);
	free(g->after);
	free(g->kind_of);
	free(g->streams);
	free(g->devs);
	free(g->costs);
	free(g->steps);
	free(g->batch_own);
	free(g->proc_steps);
	free(g->trust);
	free(g);
}

static void *make_graph(const void *facts)
{
	return graph_new(facts);
}

static void drop_graph(void *g)
{
	graph_free(g);
}

const struct replay_graph *replay_graph(const struct facts *f)
{
	return lazy_make(&f->extra[FACTS_REPLAY], make_graph, f, drop_graph);
}

const struct replay_step *replay_steps(const struct replay_graph *g, uint32_t *n)
{
	*n = g->n_steps;
	return g->steps;
}

bool replay_step_times(const struct replay_graph *g, const struct selection *k, const struct change *changes, size_t n, ns_t *out,
	uint64_t *found, struct err *e)
{
	ns_t *marks = xcalloc((size_t)n_marks(g) + 1, sizeof(*marks));
	struct plan pl;
	bool ok = plan_make(&pl, g, k, changes, n, found, e);

	if (ok && !run_graph(g, &pl, k->cx->job, marks, NULL, NULL))
		ok = err_set(e, ERR_CANCELLED, "cancelled");
	for (uint32_t i = 0; i < g->n_steps && ok; i++)
		out[i] = marks[2 * i + 1] - marks[2 * i];
	plan_fini(&pl, g);
	free(marks);
	return ok;
}

/* The steps of a process, [*from, *to): they stand together. */
static void steps_of(const struct replay_graph *g, uint32_t proc, uint32_t *from, uint32_t *to)
{
	uint32_t i;

	LOWER_BOUND(i, 0, g->n_steps, g->steps[i].proc < proc);
	*from = i;
	LOWER_BOUND(i, *from, g->n_steps, g->steps[i].proc <= proc);
	*to = i;
}

ns_t replay_median(const struct replay_graph *g, const struct selection *k, uint32_t proc, const ns_t *times)
{
	struct stats s = { 0 };
	struct spans w = { 0 };
	uint32_t from, to;
	ns_t median;

	selection_proc_window(k, proc, &w);
	steps_of(g, proc, &from, &to);
	for (uint32_t i = from; i < to; i++)
		if (g->steps[i].step == ID_NONE || spans_contain(&w, g->steps[i].start))
			stats_add(&s, times ? times[i] : g->steps[i].end - g->steps[i].start);
	median = stats_n(&s) ? stats_lower_median(&s) : NS_UNKNOWN;
	stats_fini(&s);
	spans_fini(&w);
	return median;
}

/* ---- trust -------------------------------------------------------------------------------------- */

#define MIN_EXPLAINED 0.9
#define MIN_LINKED 0.95
#define MIN_STEPS 3

static uint32_t steps_in(const struct replay_graph *g, const struct selection *k, uint32_t proc)
{
	struct spans w = { 0 };
	uint32_t n = 0, from, to;

	selection_proc_window(k, proc, &w);
	steps_of(g, proc, &from, &to);
	for (uint32_t i = from; i < to; i++)
		n += spans_contain(&w, g->steps[i].start);
	spans_fini(&w);
	return n;
}

static const char *why_not(const struct replay_graph *g, const struct selection *k, uint32_t proc, const struct replay_trust *t)
{
	if (g->p->n_damages)
		return N_("the file is damaged");
	if (t->window_ns <= 0)
		return N_("no steps and no events of this process");
	if (t->linked < MIN_LINKED)
		return N_("the launches of the device work are not recorded");
	if (g->f->procs[proc].n_steps && steps_in(g, k, proc) < MIN_STEPS)
		return N_("too few steps");
	if (t->explained < MIN_EXPLAINED)
		return N_("what waits for what explains too little of the recorded times");
	return NULL;
}

void replay_trust(const struct replay_graph *g, const struct selection *k, uint32_t proc, struct replay_trust *out)
{
	*out = g->trust[proc];
	out->why_not = why_not(g, k, proc, out);
	out->trusted = !out->why_not;
}
