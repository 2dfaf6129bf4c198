/* quality.c - one pass over a source that counts what makes its figures doubtful, see quality.h */
#include "measure/quality.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "scope/columns.h"

/* What is counted in one pass over a source. */
struct quality_tally {
	int64_t events, host, host_overlap, other;
	int64_t launches, no_work, graphs, graphs_no_work, graph_kernels, graphs_whole;
	str_id call_name; /* the one asked for last, and whether it launches graphs */
	bool call_graph;
	int64_t kernels, no_launch, no_op, early, short_names, unclassified, stream_overlap, copies,
		copies_no_size;
	int64_t nvtx, open;
	ns_t earliest; /* the most that a kernel starts before its call */
	int64_t overhead;
	struct spans overhead_time; /* a union: threads flush at once, and records overlap */
};

/*
 * A count out of a whole. It is `ok` at 0, bad above the share `bad`, else a note. Without a whole
 * the row is left out.
 */
static const struct check {
	const char *id;
	size_t count, of; /* places in struct quality_tally */
	double bad;
	const char *means;
} checks[] = {
#define T(member) offsetof(struct quality_tally, member)
	{N_("launches without GPU work"), T(no_work), T(launches), 2,
	 N_("launch calls whose work is not in the file: the capture was cut, records were "
	    "dropped, or the call failed; GPU time "
	    "is too low by their kernels")},
	{N_("graph launches without kernels"), T(graphs_no_work), T(graphs), 2,
	 N_("what the graph ran is not linked to the call: its kernels have no op and no phase "
	    "(nsys: --cuda-graph-trace=node)")},
	{N_("kernels of CUDA graphs"), T(graph_kernels), T(kernels), 2,
	 N_("their op and phase are those of the call that launched the graph, not of the code "
	    "that was captured")},
	{N_("CUDA graphs traced as a whole"), T(graphs_whole), T(kernels), 2,
	 N_("one event stands for all kernels of a launch, in no class; record with "
	    "--cuda-graph-trace=node to see them")},
	{N_("kernels without a launch"), T(no_launch), T(kernels), 0.02,
	 N_("no call with their correlation id: they are unattributed to phase, step and op")},
	{N_("kernels launched outside ops"), T(no_op), T(kernels), 2,
	 N_("launched by code that is no operator (Triton, custom extensions, libraries): in no "
	    "op's device time")},
	{N_("kernels earlier than their call"), T(early), T(kernels), 0.02,
	 N_("start before the call that launched them: the clocks of host and device are not "
	    "aligned; delays below 0 count as 0")},
	{N_("short kernel names"), T(short_names), T(kernels), 0,
	 N_("base names without arguments (Kernel2): in no class; open the sqlite export of the "
	    "same run beside this file")},
	{N_("unclassified kernels"), T(unclassified), T(kernels), 0.5,
	 N_("no rule knows the name: their time stands under Unclassified; --rules FILE adds "
	    "rules")},
	{N_("kernels that overlap in a stream"), T(stream_overlap), T(kernels), 2,
	 N_("a stream runs one kernel at a time but for programmatic launches and graphs: sums "
	    "exceed the busy time, and time stamps "
	    "may have been deferred")},
	{N_("copies without a size"), T(copies_no_size), T(copies), 0.5,
	 N_("bytes and rates are unknown for them")},
	{N_("host events that overlap"), T(host_overlap), T(host), 0.01,
	 N_("overlap their predecessor without nesting: each instant belongs to the later one; "
	    "totals and parents are doubtful")},
	{N_("open NVTX ranges"), T(open), T(nvtx), 0.5,
	 N_("ranges without an end: counted, in no time")},
	{N_("events of unknown categories"), T(other), T(events), 0.5,
	 N_("kept, but in no figure of ops, calls or GPU work")},
#undef T
};

/* ---- the pass ---- */

static bool launches_graphs(const struct profile *p, ev_id call, struct quality_tally *y)
{
	size_t n;
	const char *s;

	if (p->name[call] != y->call_name) {
		s = profile_str(p, p->name[call], &n);
		y->call_name = p->name[call];
		y->call_graph = memmem(s, n, "GraphLaunch", 11) != NULL;
	}
	return y->call_graph;
}

static void tally_call(const struct selection *k, ev_id e, struct quality_tally *y)
{
	uint32_t first;
	bool graph, work;

	if (facts_rt(k->f, e) != RT_LAUNCH)
		return;
	graph = launches_graphs(k->p, e, y);
	work = profile_launched_by(k->p, e, &first) > 0;
	y->launches += !graph;
	y->no_work += !graph && !work;
	y->graphs += graph;
	y->graphs_no_work += graph && !work;
}

static void tally_kernel(const struct selection *k, ev_id e, struct quality_tally *y)
{
	const struct profile *p = k->p;
	const struct kernel_class *kc = facts_kclass(k->f, e);
	enum kclass class = kc->class;
	ev_id call = p->link[e];
	bool node = p->aux[e] < p->n_kernels && p->kernels[p->aux[e]].graph_node;

	y->kernels++;
	y->short_names += profile_name_short(p, p->name[e]);
	y->unclassified += class == KCLASS_UNCLASSIFIED;
	y->stream_overlap += p->parent[e] != ID_NONE;
	if (class == KCLASS_UNRESOLVED && kc->rule_id && !strcmp(kc->rule_id, "cuda-graph-whole"))
		y->graphs_whole++;
	else
		y->graph_kernels += node || (call != ID_NONE && launches_graphs(p, call, y));
	if (call == ID_NONE) {
		y->no_launch++;
		return;
	}
	y->no_op += facts_op_of_call(k->f, call) == ID_NONE;
	if (p->start[e] < p->start[call]) {
		y->early++;
		if (p->start[call] - p->start[e] > y->earliest)
			y->earliest = p->start[call] - p->start[e];
	}
}

static void tally_overhead(const struct selection *k, ev_id e, struct quality_tally *y)
{
	struct host_class hc;
	size_t n;
	const char *s = profile_str(k->p, k->p->name[e], &n);

	rules_overhead(k->cx->rules, s, n, &hc);
	if (!hc.cause || strcmp(hc.cause, "profiler"))
		return;
	y->overhead++;
	spans_append(&y->overhead_time, k->p->start[e], ev_end(k->p, e));
}

static bool host_work(uint8_t layer)
{
	return !layer_on_gpu(layer) && layer != LAYER_SPAN && layer != LAYER_INSTANT &&
	       layer != LAYER_NVTX_OPEN && layer != LAYER_OVERHEAD && layer != LAYER_SCHED &&
	       layer != LAYER_FAULT;
}

static void tally_track(const struct selection *k, const struct track *tr, struct quality_tally *y)
{
	if (host_work(tr->layer)) {
		y->host += tr->count;
		y->host_overlap += tr->overlaps;
	}
	y->other += tr->layer == LAYER_OTHER ? tr->count : 0;
	y->open += tr->layer == LAYER_NVTX_OPEN ? tr->count : 0;
	y->nvtx += tr->layer == LAYER_NVTX || tr->layer == LAYER_NVTX_SE ||
				   tr->layer == LAYER_NVTX_OPEN
			   ? tr->count
			   : 0;
	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		if (tr->layer == LAYER_RUNTIME)
			tally_call(k, e, y);
		else if (tr->layer == LAYER_KERNEL)
			tally_kernel(k, e, y);
		else if (tr->layer == LAYER_OVERHEAD)
			tally_overhead(k, e, y);
		else if (tr->layer == LAYER_MEMCPY)
			y->copies_no_size += k->p->aux[e] >= k->p->n_copies ||
					     k->p->copies[k->p->aux[e]].bytes == I64_UNKNOWN;
	}
	y->copies += tr->layer == LAYER_MEMCPY ? tr->count : 0;
}

struct quality_sink {
	const struct selection *k;
	void (*fn)(void *arg, const struct quality *q);
	void *arg;
};

static void put_checks(const struct quality_sink *r, const struct quality_tally *y)
{
	for (size_t i = 0; i < N_COLS(checks); i++) {
		const struct check *c = &checks[i];
		int64_t count, of;
		struct quality q;
		double share;

		memcpy(&count, (const char *)y + c->count, sizeof(count));
		memcpy(&of, (const char *)y + c->of, sizeof(of));
		if (!of || (c->count == offsetof(struct quality_tally, no_op) && !r->k->f->ops.n) ||
		    (!count && (c->count == offsetof(struct quality_tally, graph_kernels) ||
				c->count == offsetof(struct quality_tally, graphs_whole))) ||
		    (c->count == offsetof(struct quality_tally, no_launch) &&
		     !(r->k->p->caps & CAP_RUNTIME)))
			continue;
		share = (double)count / (double)of;
		q = (struct quality){c->id,
				     !count ? _("none") : _(c->means),
				     !count	      ? QUALITY_OK
				     : share > c->bad ? QUALITY_BAD
						      : QUALITY_NOTE,
				     count,
				     of,
				     I64_UNKNOWN,
				     share};
		if (c->count == offsetof(struct quality_tally, early) && count)
			q.time_ns = y->earliest;
		r->fn(r->arg, &q);
	}
}

static void put_overhead(const struct quality_sink *r, struct quality_tally *y)
{
	const struct profile *p = r->k->p;
	ns_t span = p->last_ns > p->first_ns ? p->last_ns - p->first_ns : 0,
	     time; /* it may have no event with a time */
	double share;

	spans_norm(&y->overhead_time);
	time = spans_measure(&y->overhead_time);
	share = span > 0 ? (double)time / (double)span : 0;
	r->fn(r->arg,
	      &(struct quality){
		      N_("profiler overhead records"),
		      !y->overhead ? _("none recorded, which does not mean that there was none")
				   : _("the profiler's own work on the program's threads: steps in "
				       "which it falls are too long"),
		      !y->overhead   ? QUALITY_OK
		      : share > 0.05 ? QUALITY_BAD
				     : QUALITY_NOTE,
		      y->overhead, I64_UNKNOWN, time, span > 0 ? share : (double)NAN});
}

void quality_measure(const struct selection *k, void (*fn)(void *arg, const struct quality *q),
		     void *arg)
{
	struct quality_tally y = {.events = k->p->n};
	struct quality_sink r = {k, fn, arg};

	for (track_id tr = 0; tr < k->p->n_tracks; tr++)
		tally_track(k, &k->p->tracks[tr], &y);
	put_checks(&r, &y);
	if (k->p->n)
		put_overhead(&r, &y);
	spans_fini(&y.overhead_time);
}
