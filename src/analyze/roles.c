/* roles.c - which thread is the main thread, which run autograd (definitions.md §4) */
#include <stdlib.h>
#include <string.h>

#include "analyze/facts_impl.h"
#include "base/i18n.h"
#include "base/map.h"
#include "base/vec.h"

struct votes {			/* per thread */
	uint32_t steps;		/* ProfilerStep#N annotations */
	uint32_t backward;	/* autograd::engine::evaluate_function */
	uint32_t nodes;		/* nodes of the autograd graph: all that torch 1.8 and 1.9 write of the engine */
};

static bool has_prefix(const char *s, size_t n, const char *prefix)
{
	size_t k = strlen(prefix);

	return n >= k && !memcmp(s, prefix, k);
}

enum { NAME_PLAIN, NAME_STEP, NAME_BACKWARD, NAME_NODE };

/* "CudnnConvolutionBackward", "ReluBackward1": the class of a node, without a name space. */
static bool is_node(const char *s, size_t n)
{
	static const char word[] = "Backward", leaf[] = "torch::autograd::AccumulateGrad";

	n = rules_op_base(s, n);
	if (n == strlen(leaf) && !memcmp(s, leaf, n))
		return true;
	while (n && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return n > strlen(word) && s[0] >= 'A' && s[0] <= 'Z' && !memmem(s, n, "::", 2) &&
		!memcmp(s + n - strlen(word), word, strlen(word));
}

static uint8_t name_kind(const struct profile *p, struct memo m, str_id id)
{
	size_t n;
	const char *s;

	if (id >= p->n_strs)
		return NAME_PLAIN;
	if (m.v[id] == MEMO_NONE) {
		s = profile_str(p, id, &n);
		m.v[id] = has_prefix(s, n, "ProfilerStep#") ? NAME_STEP :
			has_prefix(s, n, "autograd::engine::evaluate_function") ? NAME_BACKWARD : is_node(s, n) ? NAME_NODE : NAME_PLAIN;
	}
	return m.v[id];
}

static void count_votes(const struct facts *f, struct votes *v)
{
	const struct profile *p = f->p;
	struct memo m = memo_new(p);

	for (size_t l = 0; l < sizeof(marker_layers) / sizeof(*marker_layers); l++) {
		for (track_id t = p->layer_track[marker_layers[l]]; t < p->layer_track[marker_layers[l] + 1]; t++) {
			const struct track *tr = &p->tracks[t];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
				uint8_t k = name_kind(p, m, p->name[e]);

				v[tr->thread].steps += k == NAME_STEP;
				v[tr->thread].backward += k == NAME_BACKWARD;
				v[tr->thread].nodes += k == NAME_NODE;
			}
		}
	}
	free(m.v);
}

static bool counts_as_event(enum layer l)
{
	return !layer_on_gpu(l) && l != LAYER_SPAN && l != LAYER_INSTANT && l != LAYER_NVTX_OPEN;
}

/* Marks and ranges without an end have no time and say nothing of a role, but they are events of their thread. */
static void count_marks(struct facts *f)
{
	const struct profile *p = f->p;

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];

		if ((tr->layer == LAYER_INSTANT || tr->layer == LAYER_NVTX_OPEN) && f->threads[tr->thread].events)
			f->threads[tr->thread].events += tr->count;
	}
}

/* Events, launches and busy time of every thread. */
static void measure_threads(struct facts *f)
{
	const struct profile *p = f->p;
	struct spans *busy = xcalloc(p->n_threads, sizeof(*busy));

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];

		if (!counts_as_event(tr->layer))
			continue;
		f->threads[tr->thread].events += tr->count;
		for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
			if (tr->layer == LAYER_RUNTIME)
				f->threads[tr->thread].launches += facts_rt(f, e) == RT_LAUNCH;
			if (p->parent[e] == ID_NONE || tr->overlaps)
				spans_add(&busy[tr->thread], p->start[e], ev_end(p, e));
		}
	}
	for (thread_id t = 0; t < p->n_threads; t++) {
		spans_norm(&busy[t]);
		f->threads[t].busy_ns = spans_measure(&busy[t]);
		spans_fini(&busy[t]);
	}
	free(busy);
}

/* The processes, in order of their first thread. */
static void find_procs(struct facts *f)
{
	const struct profile *p = f->p;
	VEC(struct proc_facts) procs = { 0 };
	struct map by_pid = { 0 };

	for (thread_id t = 0; t < p->n_threads; t++) {
		int64_t pid = p->threads[t].pid;
		uint32_t i = map_get_or_put(&by_pid, (uint64_t)pid, 0, (uint32_t)procs.n);

		f->threads[t].proc = i;
		if (i == procs.n)
			VEC_PUSH(&procs, (struct proc_facts){ .pid = pid, .main = ID_NONE });
	}
	map_fini(&by_pid);
	f->procs = procs.a;
	f->n_procs = (uint32_t)procs.n;
}

static thread_id best_thread(const struct facts *f, const struct group_index *threads, uint32_t proc, const struct votes *v,
	const char **evidence)
{
	thread_id by_step = ID_NONE, by_tid = ID_NONE, by_launch = ID_NONE, by_events = ID_NONE;

	for (uint32_t i = threads->first[proc]; i < threads->first[proc + 1]; i++) {
		thread_id t = threads->v[i];
		const struct thread_facts *tf = &f->threads[t];

		if (!tf->events)
			continue;
		if (v[t].steps && (by_step == ID_NONE || v[t].steps > v[by_step].steps))
			by_step = t;
		if (f->p->threads[t].tid == f->p->threads[t].pid)
			by_tid = t;
		if (tf->launches && (by_launch == ID_NONE || tf->launches > f->threads[by_launch].launches))
			by_launch = t;
		if (by_events == ID_NONE || tf->events > f->threads[by_events].events)
			by_events = t;
	}
	*evidence = by_step != ID_NONE ? N_("has the ProfilerStep annotations") : by_tid != ID_NONE ? N_("tid = pid") :
		by_launch != ID_NONE ? N_("most kernel launches") : N_("most events of its process");
	return by_step != ID_NONE ? by_step : by_tid != ID_NONE ? by_tid : by_launch != ID_NONE ? by_launch : by_events;
}

static enum role role_by_name(const struct rules *r, const char *s, size_t n)
{
	const char *role = rules_thread_role(r, s, n);

	for (int i = 0; role && i < ROLE_N; i++)
		if (!strcmp(role, role_name((enum role)i)))
			return (enum role)i;
	return ROLE_N;
}

static void name_role(struct facts *f, const struct rules *r, thread_id t, const struct votes *v)
{
	struct thread_facts *tf = &f->threads[t];
	size_t n;
	const char *s = profile_str(f->p, f->p->threads[t].name, &n);
	enum role by_name = n ? role_by_name(r, s, n) : ROLE_N;

	if (t == f->procs[tf->proc].main)
		return;
	if (v[t].backward) {
		tf->role = ROLE_AUTOGRAD;
		tf->evidence = N_("has autograd::engine::evaluate_function");
	} else if (v[t].nodes) {
		tf->role = ROLE_AUTOGRAD;
		tf->evidence = N_("has nodes of the autograd graph");
	} else if (by_name != ROLE_N && by_name != ROLE_MAIN) {
		tf->role = by_name;
		tf->evidence = N_("its name");
	} else {
		tf->role = ROLE_OTHER;
		tf->evidence = N_("no sign of another role");
	}
}

void facts_roles(struct facts *f, const struct rules *r, struct fact_index *ix)
{
	const struct profile *p = f->p;
	struct votes *v = xcalloc(p->n_threads, sizeof(*v));

	f->threads = xcalloc(p->n_threads, sizeof(*f->threads));
	measure_threads(f);
	count_votes(f, v);
	for (thread_id t = 0; t < p->n_threads; t++)
		f->threads[t].op_track = ID_NONE;
	find_procs(f);
	index_threads(ix, f);
	index_tracks(ix, f);
	for (uint32_t i = 0; i < f->n_procs; i++) {
		const char *evidence;
		/* torch files its profiler overhead under a pseudo process -1 */
		thread_id t = f->procs[i].pid < 0 ? ID_NONE : best_thread(f, &ix->threads_of_proc, i, v, &evidence);

		f->procs[i].main = t;
		if (t == ID_NONE)
			continue;
		f->threads[t].role = ROLE_MAIN;
		f->threads[t].evidence = evidence;
	}
	for (thread_id t = 0; t < p->n_threads; t++)
		name_role(f, r, t, v);
	count_marks(f);
	free(v);
}
