/*
 * quality.c - view `quality`: what the files themselves make doubtful (definitions.md §9): lost and unlinked records, short
 * names, overlapping events, the profiler's own time, coverage, and recording options that change what is measured. Each row says
 * what is counted, how much of the whole it is, and what it means for the figures; the worst come first. Whole sources; coverage
 * follows the window.
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "facts/distortion.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "views/figures.h"

enum { C_CHECK, C_VERDICT, C_COUNT, C_OF, C_TIME, C_SHARE, C_MEANS };

static const struct column_def cols[] = {
	[C_CHECK] = { "check", N_("What"), UNIT_TEXT, COL_KEY, 0, N_("what is looked at") },
	[C_VERDICT] = { "verdict", N_("Verdict"), UNIT_TEXT, COL_KEY, 0,
		N_("ok; note: figures are right, but know this; bad: figures of this source are off; unknown: the source cannot tell") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("how many") },
	[C_OF] = { "of", N_("Of"), UNIT_COUNT, 0, 2, N_("of how many") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, 0, 2, N_("how long, where it is a time") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 1, N_("count by of, or time by the wall") },
	[C_MEANS] = { "means", N_("Means"), UNIT_TEXT, COL_NAME, 0, N_("what follows for the figures, and what to record instead") },
	SOURCE_COLS
};

enum verdict { OK, NOTE, BAD, UNKNOWN };
static const char *const verdicts[] = { "ok", "note", "bad", "unknown" };

/* What is counted in one pass over a source. */
struct tally {
	int64_t events, host, host_overlap, other;
	int64_t launches, no_work, graphs, graphs_no_work, graph_kernels, graphs_whole;
	str_id call_name;		/* the one asked for last, and whether it launches graphs */
	bool call_graph;
	int64_t kernels, no_launch, no_op, early, short_names, unclassified, stream_overlap, copies, copies_no_size;
	int64_t nvtx, open;
	ns_t earliest;			/* the most that a kernel starts before its call */
	int64_t overhead;
	struct spans overhead_time;	/* threads flush at once, and records overlap: the time in which any did */
};

/* A count out of a whole. It is `ok` at 0, bad above the share `bad`, else a note. Without a whole the row is left out. */
static const struct check {
	const char *id;
	size_t count, of;		/* places in struct tally */
	double bad;
	const char *means;
} checks[] = {
#define T(member) offsetof(struct tally, member)
	{ N_("launches without GPU work"), T(no_work), T(launches), 0.02,
		N_("launch calls whose work is not in the file: the capture was cut, records were dropped, or the call failed; GPU time "
		"is too low by their kernels") },
	{ N_("graph launches without kernels"), T(graphs_no_work), T(graphs), 2,
		N_("what the graph ran is not linked to the call: its kernels have no op and no phase (nsys: --cuda-graph-trace=node)") },
	{ N_("kernels of CUDA graphs"), T(graph_kernels), T(kernels), 2,
		N_("their op and phase are those of the call that launched the graph, not of the code that was captured") },
	{ N_("CUDA graphs traced as a whole"), T(graphs_whole), T(kernels), 2,
		N_("one event stands for all kernels of a launch, in no class; record with --cuda-graph-trace=node to see them") },
	{ N_("kernels without a launch"), T(no_launch), T(kernels), 0.02,
		N_("no call with their correlation id: they are unattributed to phase, step and op") },
	{ N_("kernels launched outside ops"), T(no_op), T(kernels), 2,
		N_("launched by code that is no operator (Triton, custom extensions, libraries): in no op's device time") },
	{ N_("kernels earlier than their call"), T(early), T(kernels), 0.02,
		N_("start before the call that launched them: the clocks of host and device are not aligned; delays below 0 count as 0") },
	{ N_("short kernel names"), T(short_names), T(kernels), 0,
		N_("base names without arguments (Kernel2): in no class; open the sqlite export of the same run beside this file") },
	{ N_("unclassified kernels"), T(unclassified), T(kernels), 0.5,
		N_("no rule knows the name: their time stands under Unclassified; --rules FILE adds rules") },
	{ N_("kernels that overlap in a stream"), T(stream_overlap), T(kernels), 0.05,
		N_("a stream runs one kernel at a time but for programmatic launches and graphs: sums exceed the busy time, and time stamps "
		"may have been deferred") },
	{ N_("copies without a size"), T(copies_no_size), T(copies), 0.5, N_("bytes and rates are unknown for them") },
	{ N_("host events that overlap"), T(host_overlap), T(host), 0.01,
		N_("overlap their predecessor without nesting: each instant belongs to the later one; totals and parents are doubtful") },
	{ N_("open NVTX ranges"), T(open), T(nvtx), 0.5, N_("ranges without an end: counted, in no time") },
	{ N_("events of unknown categories"), T(other), T(events), 0.5, N_("kept, but in no figure of ops, calls or GPU work") },
#undef T
};

/* A row to come: rows of a source are written with the worst first. */
struct finding {
	const char *check, *means;
	enum verdict verdict;
	int64_t count, of, time_ns;	/* I64_UNKNOWN: none */
	double share;			/* NaN: none */
};
struct findings {
	const struct pick *k;
	struct table *t;
	VEC(struct finding) rows;
};

static struct finding *put(struct findings *r, const char *check, enum verdict v, const char *means)
{
	VEC_PUSH(&r->rows, (struct finding){ check, means, v, I64_UNKNOWN, I64_UNKNOWN, I64_UNKNOWN, NAN });
	return &r->rows.a[r->rows.n - 1];
}

static void write_row(const struct findings *r, const struct finding *f)
{
	uint32_t row = table_row(r->t);

	table_cstr(r->t, row, C_CHECK, f->check);
	table_cstr(r->t, row, C_VERDICT, verdicts[f->verdict]);
	table_i64(r->t, row, C_COUNT, f->count);
	table_i64(r->t, row, C_OF, f->of);
	table_i64(r->t, row, C_TIME, f->time_ns);
	table_f64(r->t, row, C_SHARE, f->share);
	table_cstr(r->t, row, C_MEANS, f->means);
	an_row_source(r->t, row, r->k, -1);
}

static void write_rows(struct findings *r)
{
	static const enum verdict order[] = { BAD, NOTE, UNKNOWN, OK };

	for (size_t v = 0; v < N_COLS(order); v++)
		for (size_t i = 0; i < r->rows.n; i++)
			if (r->rows.a[i].verdict == order[v])
				write_row(r, &r->rows.a[i]);
	VEC_FREE(&r->rows);
}

/* ---- the pass ---- */

static bool launches_graphs(const struct profile *p, ev_id call, struct tally *y)
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

static void tally_call(const struct pick *k, ev_id e, struct tally *y)
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

static void tally_kernel(const struct pick *k, ev_id e, struct tally *y)
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

static void tally_overhead(const struct pick *k, ev_id e, struct tally *y)
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
	return !layer_on_gpu(layer) && layer != LAYER_SPAN && layer != LAYER_INSTANT && layer != LAYER_NVTX_OPEN && layer != LAYER_OVERHEAD &&
		layer != LAYER_SCHED && layer != LAYER_FAULT;
}

static void tally_track(const struct pick *k, const struct track *tr, struct tally *y)
{
	if (host_work(tr->layer)) {
		y->host += tr->count;
		y->host_overlap += tr->overlaps;
	}
	y->other += tr->layer == LAYER_OTHER ? tr->count : 0;
	y->open += tr->layer == LAYER_NVTX_OPEN ? tr->count : 0;
	y->nvtx += tr->layer == LAYER_NVTX || tr->layer == LAYER_NVTX_SE || tr->layer == LAYER_NVTX_OPEN ? tr->count : 0;
	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		if (tr->layer == LAYER_RUNTIME)
			tally_call(k, e, y);
		else if (tr->layer == LAYER_KERNEL)
			tally_kernel(k, e, y);
		else if (tr->layer == LAYER_OVERHEAD)
			tally_overhead(k, e, y);
		else if (tr->layer == LAYER_MEMCPY)
			y->copies_no_size += k->p->aux[e] >= k->p->n_copies || k->p->copies[k->p->aux[e]].bytes == I64_UNKNOWN;
	}
	y->copies += tr->layer == LAYER_MEMCPY ? tr->count : 0;
}

/* ---- rows ---- */

static void put_damage(struct findings *r)
{
	const struct profile *p = r->k->p;
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->n_damages; i++) {
		const struct damage *d = &p->damages[i];

		put(r, _("damaged input"), BAD, d->offset < 0 ? d->what :
			arena_printf(&r->t->arena, _("%s; first at %" PRId64), d->what, d->offset))->count = (int64_t)d->count;
		sum += (int64_t)d->count;
	}
	if (!sum)
		put(r, _("damaged input"), OK, _("every event of the file could be used"))->count = 0;
	if (p->partial)
		put(r, _("complete"), NOTE, _("the file is still being loaded"));
}

static void put_checks(struct findings *r, const struct tally *y)
{
	for (size_t i = 0; i < N_COLS(checks); i++) {
		const struct check *c = &checks[i];
		int64_t count, of;
		struct finding *f;
		double share;

		memcpy(&count, (const char *)y + c->count, sizeof(count));
		memcpy(&of, (const char *)y + c->of, sizeof(of));
		if (!of || (c->count == offsetof(struct tally, no_op) && !r->k->f->ops.n) ||
			(!count && (c->count == offsetof(struct tally, graph_kernels) ||
				c->count == offsetof(struct tally, graphs_whole))) ||
			(c->count == offsetof(struct tally, no_launch) && !(r->k->p->caps & CAP_RUNTIME)))
			continue;
		share = (double)count / (double)of;
		f = put(r, _(c->id), !count ? OK : share > c->bad ? BAD : NOTE, !count ? _("none") : _(c->means));
		f->count = count;
		f->of = of;
		f->share = share;
		if (c->count == offsetof(struct tally, early) && count)
			f->time_ns = y->earliest;
	}
}

static void put_overhead(struct findings *r, struct tally *y)
{
	const struct profile *p = r->k->p;
	ns_t span = p->last_ns > p->first_ns ? p->last_ns - p->first_ns : 0, time;	/* it may have no event with a time */
	struct finding *f;
	double share;

	spans_norm(&y->overhead_time);
	time = spans_measure(&y->overhead_time);
	share = span > 0 ? (double)time / (double)span : 0;
	f = put(r, _("profiler overhead records"), !y->overhead ? OK : share > 0.05 ? BAD : NOTE,
		!y->overhead ? _("none recorded, which does not mean that there was none") :
		_("the profiler's own work on the program's threads: steps in which it falls are too long"));

	f->count = y->overhead;
	f->time_ns = time;
	if (span > 0)
		f->share = share;
}

static void put_coverage(struct findings *r)
{
	struct table *cv = view_of_source(r->k->cx, r->k->sc, "coverage", r->k->f->source, "");
	int64_t wall = table_sum_where(cv, "wall_ns", NULL, NULL), covered = table_sum_where(cv, "covered_ns", NULL, NULL);
	double share = wall > 0 ? (double)covered / (double)wall : 0;
	struct finding *f;

	table_free(cv);
	if (wall == I64_UNKNOWN || wall <= 0)
		return;
	f = put(r, _("host time with an event"), share < 0.8 ? BAD : share < 0.95 ? NOTE : OK, share < 0.8 ?
		_("the issuing thread has no event for more than a fifth of the wall: no safe verdict about the host; add Python stacks") :
		_("share of the wall in which the issuing thread has an event; the rest is untraced"));
	f->time_ns = covered;
	f->share = share;
}

/* What a source with GPU work or ops does not have at all. */
static void put_missing(struct findings *r)
{
	const struct facts *f = r->k->f;
	unsigned caps = r->k->p->caps;

	if (caps & (CAP_OPS | CAP_GPU) && !(caps & CAP_RUNTIME))
		put(r, _("runtime calls"), UNKNOWN,
			_("none recorded: launches, delays, waits and the split of self time are unknown; record CUDA activity"));
	if (caps & (CAP_OPS | CAP_RUNTIME) && !(caps & CAP_GPU))
		put(r, _("GPU work"), UNKNOWN, _("none recorded: device time, idle time and what is exposed are unknown"));
	for (uint32_t i = 0; i < f->n_procs; i++)
		if (f->procs[i].n_steps && f->procs[i].too_few)
			put(r, _("steady steps"), NOTE, _("fewer than 3: medians and outliers mean little"))->of = f->procs[i].n_steps;
}

/* Whether a trace of the same time has every Python call, for which torch takes the interpreter's profile hook. */
static bool hook_taken(const struct pick *k)
{
	const struct session *s = k->cx->session;
	bool taken = false;

	for (uint32_t i = 0; i < s->n_sources; i++)
		taken |= k->cx->facts[i] && k->cx->facts[i]->p->caps & CAP_PYTHON && s->sources[i].clock_group == k->src->clock_group;
	return taken;
}

/* A sampler beside another profiler sees little. */
static void put_frames(struct findings *r)
{
	const struct facts *f = r->k->f;
	double share = f->framed_ns == NS_UNKNOWN ? 1 : (double)f->framed_ns / (double)f->p->sampled_wall_ns;
	char num[NUM_TEXT_MAX];
	struct finding *x;

	if (!facts_few_frames(f))
		return;
	x = put(r, _("time with Python frames"), BAD, arena_printf(&r->t->arena, hook_taken(r->k) ?
		_("frames cover %s of the session: another profiler held the hook (torch.profiler with_stack=True). Its own frames serve the "
		"Python views; record the sampler without it") :
		_("frames cover %s of the session: another profiler held the hook, or most of it ran without Python. With other files this one "
		"serves no Python view"), num_pct(share, num)));
	x->time_ns = f->framed_ns;
	x->share = share;
}

static void put_option(void *arg, const struct distortion *d)
{
	struct findings *r = arg;

	put(r, arena_printf(&r->t->arena, _("recording option %s"), d->option), NOTE, _(d->means));
}

static void put_source(const struct pick *k, struct table *t)
{
	struct tally y = { .events = k->p->n };
	struct findings r = { .k = k, .t = t };

	put_damage(&r);
	for (track_id tr = 0; tr < k->p->n_tracks; tr++)
		tally_track(k, &k->p->tracks[tr], &y);
	put_checks(&r, &y);
	if (k->p->n)
		put_overhead(&r, &y);
	spans_fini(&y.overhead_time);
	put_coverage(&r);
	put_frames(&r);
	put_missing(&r);
	distortions(k->p, put_option, &r);
	write_rows(&r);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope whole = *sc;
	uint32_t n, *src = view_sources(cx, sc, VIEW_ANY, &n, t);
	bool ok = true;

	whole.window = WINDOW_ALL;	/* what was lost is lost for every window */
	for (uint32_t i = 0; ok && i < n; i++) {
		struct pick k;

		if (!pick_init(&k, cx, &whole, src[i], NULL))
			continue;
		k.sc = sc;
		pick_describe(&k, t);
		put_source(&k, t);
		pick_fini(&k);
		ok = !an_cancelled(cx, e);
	}
	free(src);
	return ok;
}

const struct analysis an_quality = {
	.id = "quality", .title = N_("Data quality"), .doc = N_("what the files themselves make doubtful, and what it means for the figures"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
