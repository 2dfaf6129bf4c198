/* roles.c - which thread is the main thread, which run autograd (definitions.md §4) */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "facts/parts.h"

struct roles_votes {			/* per thread */
	uint32_t steps;		/* ProfilerStep#N annotations */
	uint32_t backward;	/* autograd::engine::evaluate_function */
	uint32_t nodes;		/* nodes of the autograd graph: all that torch 1.8 and 1.9 write of the engine */
	uint32_t comm;		/* collectives: ops and ranges of c10d, NCCL, gloo */
	uint32_t queries;	/* calls that ask whether an event is done */
	uint32_t worker, pin;	/* the loops of a DataLoader's worker, of its thread that pins memory */
};

enum { NAME_PLAIN, NAME_STEP, NAME_BACKWARD, NAME_NODE, NAME_COMM, NAME_QUERY, NAME_WORKER, NAME_PIN };

static uint8_t kind_of(const struct rules *r, enum layer l, const char *s, size_t n)
{
	struct host_class hc;

	if (l == LAYER_RUNTIME)
		return text_ends(s, rules_runtime_base(s, n), "EventQuery") ? NAME_QUERY : NAME_PLAIN;
	if (text_ends(s, n, "_worker_loop"))
		return NAME_WORKER;
	if (text_ends(s, n, "_pin_memory_loop"))
		return NAME_PIN;
	if (l == LAYER_PYTHON)
		return NAME_PLAIN;
	if (text_starts(s, n, "ProfilerStep#"))
		return NAME_STEP;
	if (text_starts(s, n, "autograd::engine::evaluate_function"))
		return NAME_BACKWARD;
	if (rules_autograd_node(s, n))
		return NAME_NODE;
	rules_op(r, s, n, &hc);
	return hc.comm ? NAME_COMM : NAME_PLAIN;
}

static void vote(struct roles_votes *v, uint8_t kind)
{
	v->steps += kind == NAME_STEP;
	v->backward += kind == NAME_BACKWARD;
	v->nodes += kind == NAME_NODE;
	v->comm += kind == NAME_COMM;
	v->queries += kind == NAME_QUERY;
	v->worker += kind == NAME_WORKER;
	v->pin += kind == NAME_PIN;
}

/* What the events of each thread speak for. A name has one kind, whatever layer it is seen in first. */
static void count_votes(const struct facts *f, const struct rules *r, struct roles_votes *v)
{
	static const enum layer layers[] = { LAYER_OP, LAYER_ANNOT, LAYER_NVTX, LAYER_NVTX_SE, LAYER_PYTHON, LAYER_RUNTIME };
	const struct profile *p = f->p;
	struct per_name m = per_name_new(p);

	for (size_t l = 0; l < sizeof(layers) / sizeof(*layers); l++) {
		for (track_id t = p->layer_track[layers[l]]; t < p->layer_track[layers[l] + 1]; t++) {
			const struct track *tr = &p->tracks[t];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
				str_id id = p->name[e];
				size_t n;

				if (id >= p->n_strs)
					continue;
				id = facts_same_op(f, id);
				if (m.v[id] == MEMO_NONE) {
					const char *s = profile_str(p, id, &n);

					m.v[id] = kind_of(r, layers[l], s, n);
				}
				vote(&v[tr->thread], m.v[id]);
			}
		}
	}
	free(m.v);
}

static bool counts_as_event(enum layer l)
{
	return !layer_on_gpu(l) && l != LAYER_SPAN && l != LAYER_INSTANT && l != LAYER_NVTX_OPEN && l != LAYER_SCHED &&
		l != LAYER_FAULT;
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

static thread_id best_thread(const struct facts *f, const struct group_index *threads, uint32_t proc, const struct roles_votes *v,
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

static enum role role_of_name(const struct rules *r, const char *s, size_t n)
{
	const char *role = rules_thread_role(r, s, n);

	return role ? role_by_name(role, strlen(role)) : ROLE_N;
}

/* What a thread shows that is not its process's main thread; the first that holds. */
static enum role shown_role(const struct thread_facts *tf, const struct roles_votes *v, enum role by_name, const char **evidence)
{
	const struct { bool holds; enum role role; const char *evidence; } signs[] = {
		{ v->backward > 0, ROLE_AUTOGRAD, N_("has autograd::engine::evaluate_function") },
		{ v->nodes > 0, ROLE_AUTOGRAD, N_("has nodes of the autograd graph") },
		{ v->worker > 0, ROLE_LOADER, N_("runs the loop of a DataLoader worker") },
		{ v->pin > 0, ROLE_PIN, N_("runs the loop that pins memory") },
		{ by_name != ROLE_N && by_name != ROLE_MAIN, by_name, N_("its name") },
		{ tf->events && v->queries == tf->events, ROLE_WATCHDOG, N_("asks for events and does nothing else") },
		{ tf->events && v->comm == tf->events, ROLE_WATCHDOG, N_("runs collectives and nothing else") },
		{ tf->launches > 0, ROLE_OTHER, N_("launches kernels, no sign of another role") },
		{ true, ROLE_OTHER, N_("no sign of another role") },
	};
	size_t i = 0;

	while (!signs[i].holds)
		i++;
	*evidence = signs[i].evidence;
	return signs[i].role;
}

/* The main thread of a process that only loads data is a worker: DataLoader workers are processes of their own. */
static bool is_loader_process(const struct thread_facts *tf, const struct roles_votes *v, enum role by_name)
{
	return !tf->launches && !v->steps && !v->backward && (by_name == ROLE_LOADER || v->worker);
}

static void name_role(struct facts *f, const struct rules *r, thread_id t, const struct roles_votes *v)
{
	struct thread_facts *tf = &f->threads[t];
	size_t n;
	const char *s = profile_str(f->p, f->p->threads[t].name, &n);
	enum role by_name = n ? role_of_name(r, s, n) : ROLE_N;

	if (t != f->procs[tf->proc].main || is_loader_process(tf, &v[t], by_name))
		tf->role = shown_role(tf, &v[t], by_name, &tf->evidence);
}

void facts_roles(struct facts *f, const struct rules *r, struct fact_index *ix)
{
	const struct profile *p = f->p;
	struct roles_votes *v = xcalloc(p->n_threads, sizeof(*v));

	f->threads = xcalloc(p->n_threads, sizeof(*f->threads));
	measure_threads(f);
	count_votes(f, r, v);
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
	for (thread_id t = 0; t < p->n_threads; t++)
		f->autograd |= f->threads[t].role == ROLE_AUTOGRAD;
	count_marks(f);
	free(v);
}
