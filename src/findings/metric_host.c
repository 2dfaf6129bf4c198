/* metric_host.c - metrics of the threads that issue work: runtime calls, operators and ranges, Python frames; see metric.h */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "calc/stats.h"
#include "findings/metric_impl.h"
#include "measure/py_by_step.h"
#include "measure/py_dump.h"
#include "model/cuda_result.h"
#include "scope/selections.h"

enum { SAMPLES_MIN = 100 };	/* of a file without times, for shares of them to be told */

/* Threads whose events count: main and autograd threads, and every thread that launches where no role is known. */
static bool issues(const struct metric_work *w, thread_id t)
{
	const struct thread_facts *tf = t == ID_NONE ? NULL : &w->k->f->threads[t];

	if (!tf || !selects_thread(w->k, t) || tf->role == ROLE_WATCHDOG || tf->role == ROLE_PIN || tf->role == ROLE_LOADER)
		return false;
	return tf->role == ROLE_MAIN || tf->role == ROLE_AUTOGRAD || tf->launches;
}

bool metric_issues(const struct metric_work *w, thread_id t)
{
	return issues(w, t);
}

/* Adds an event of a host thread; its time is clipped to the window, idle is what of that the devices idle. */
static void add_host(struct metric_work *w, const struct metric_set *s, uint64_t inside, thread_id t, ev_id e)
{
	const struct selection *k = w->k;
	ns_t start = k->p->start[e], end = ev_end(k->p, e);
	struct amounts x = { spans_contain(&w->window, start), spans_overlap(&w->window, start, end), 0, 0 };

	if (!x.count && !x.time)
		return;
	x.idle = spans_overlap(&w->idle[k->f->threads[t].proc], start, end);
	metric_add_set(w, s, inside, &x, &(struct instance){ start, end, 0, t, e });
}

typedef const struct metric_set *(*set_fn)(struct metric_work *w, ev_id e);

/* The metrics of an event and of all around it. */
struct within {
	uint64_t bits;
	bool loads;
	bool body, import;	/* of a module; that something imports, as in pytree.h */
	bool run;		/* by the frame directly around it */
};

/* What is inside `own`, which becomes empty where it counts only while data is loaded, and in imports, whatever they import. */
static struct within enter(struct within outer, const struct metric_set **own)
{
	static const struct metric_set nothing = { 0 };

	if ((*own)->entry)
		outer = (struct within){ .body = outer.body };
	outer.loads |= (*own)->loads;
	outer.import |= (*own)->imports || ((*own)->body && outer.body && !outer.run);
	outer.body |= (*own)->body;
	outer.run = (*own)->runs;
	if (outer.import || ((*own)->may_load && !outer.loads))
		*own = &nothing;
	outer.bits |= (*own)->bits;
	return outer;
}

/* One track. What lies inside an event of the same metric counts with that one. */
static void add_track(struct metric_work *w, const struct track *tr, set_fn set_of)
{
	const struct profile *p = w->k->p;
	struct within *within = xmalloc(tr->count * sizeof(*within));

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		const struct metric_set *own = set_of(w, e);
		struct within outer = p->parent[e] == ID_NONE ? (struct within){ 0 } : within[p->parent[e] - tr->first];

		within[e - tr->first] = enter(outer, &own);
		if (own->bits & ~outer.bits)
			add_host(w, own, outer.bits, tr->thread, e);
	}
	free(within);
}

static void add_layer(struct metric_work *w, enum layer l, set_fn set_of)
{
	const struct profile *p = w->k->p;

	for (track_id t = p->layer_track[l]; t < p->layer_track[l + 1]; t++)
		if (p->tracks[t].count && issues(w, p->tracks[t].thread))
			add_track(w, &p->tracks[t], set_of);
}

/* ---- runtime calls ---- */

static const struct metric_set *set_of_call(struct metric_work *w, ev_id e)
{
	size_t n;
	const char *s = profile_str(w->k->p, w->k->p->name[e], &n);

	return metric_set_of(w, FAMILY_CALLS, w->k->p->name[e], 0, s, rules_runtime_base(s, n));
}

struct metric_host_launches {
	struct stats durs;
	int64_t by_phase[PHASE_N];
};

static void add_launch(struct metric_host_launches *x, const struct metric_work *w, thread_id t, ev_id e)
{
	const struct selection *k = w->k;

	if (!spans_contain(&w->window, k->p->start[e]))
		return;
	stats_add(&x->durs, k->p->dur[e]);
	x->by_phase[facts_phase_at(k->f, k->f->threads[t].proc, k->p->start[e])]++;
}

/* When the work of a launch starts; INT64_MAX where the record is missing. */
static ns_t start_of_work(const struct profile *p, ev_id call)
{
	uint32_t first, n = profile_launched_by(p, call, &first);
	ns_t at = INT64_MAX;

	for (uint32_t i = first; i < first + n; i++)
		if (p->start[p->by_launch[i]] < at)
			at = p->start[p->by_launch[i]];
	return at;
}

/* Waits of one thread up to the next launch. */
struct waits {
	ns_t from, busy;		/* start of the first; device time waited for */
	ns_t end;
	ev_id longest;
	uint32_t n;
};

/* Whether the call is made by an op that reads a value of the device, as the rules' metric item_ops counts them. */
static bool reads_value(const struct metric_work *w, ev_id call)
{
	static const char counts[] = "item_ops";
	const struct selection *k = w->k;
	uint32_t op = facts_op_of_call(k->f, call), id = metric_find(w->m->fr, counts, sizeof(counts) - 1);
	size_t n;
	const char *s;

	if (op == ID_NONE || id == ID_NONE || id < METRIC_N)
		return false;
	for (; op != ID_NONE; op = k->f->ops.parent[op]) {
		s = profile_str(k->p, k->f->ops.name[op], &n);
		if (globs_match(&w->m->fr->metrics[id - METRIC_N].match, s, rules_op_base(s, n)))
			return true;
	}
	return false;
}

/*
 * Without the waits, the work launched next could have started up to the idle time earlier, but no more work than what was waited
 * for could have run meanwhile: the smaller of both bounds the gain.
 */
static void end_waits(struct metric_work *w, struct waits *x, thread_id t, ev_id launch)
{
	const struct selection *k = w->k;
	const struct spans *idle = &w->idle[k->f->threads[t].proc];
	ns_t next = start_of_work(k->p, launch), lost;

	if (!x->n)
		return;
	if (next == INT64_MAX)
		next = ev_end(k->p, launch);
	lost = next > x->from ? spans_overlap(idle, x->from, next) : 0;
	lost = lost < x->busy ? lost : x->busy;
	if (lost > 0) {
		struct instance at = { x->from, next, 0, t, x->longest };

		metric_add(w->m, METRIC_sync_bound, lost, x->from, &at);
		if (reads_value(w, x->longest))
			metric_add(w->m, METRIC_item_bound, lost, x->from, &at);
	}
	x->n = 0;
	x->busy = 0;
}

static bool waits_for_device(const struct profile *p, const struct facts *f, ev_id e)
{
	size_t n;
	const char *s = profile_str(p, p->name[e], &n);

	return facts_rt(f, e) == RT_SYNC && !memmem(s, n, "Wait", 4);
}

/* A call that waits from its start to `end`. */
static void add_wait(struct metric_work *w, struct waits *x, thread_id t, ev_id e, ns_t end)
{
	const struct selection *k = w->k;
	ns_t start = k->p->start[e], in = spans_overlap(&w->window, start, end);
	bool counts = spans_contain(&w->window, start);
	struct instance at = { start, end, 0, t, e };

	if (!in && !counts)
		return;
	metric_add(w->m, METRIC_sync_count, counts, start, NULL);
	metric_add(w->m, METRIC_sync_wait, in, start, &at);
	if (!x->n) {
		x->from = start;
		x->longest = e;
	} else if (end - start > k->p->dur[x->longest]) {
		x->longest = e;
	}
	x->n++;
	x->end = end;
	x->busy += in - spans_overlap(&w->idle[k->f->threads[t].proc], start, end);
}

static void scan_calls(struct metric_work *w, const struct track *tr, struct metric_host_launches *l)
{
	const struct selection *k = w->k;
	struct waits waits = { .longest = ID_NONE };
	const struct blocking_copy *b;

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		if (facts_rt(k->f, e) == RT_LAUNCH) {
			end_waits(w, &waits, tr->thread, e);
			add_launch(l, w, tr->thread, e);
		} else if (waits_for_device(k->p, k->f, e)) {
			add_wait(w, &waits, tr->thread, e, ev_end(k->p, e));
		} else if ((b = facts_blocking_copy(k->f, e)) && b->call == e && b->wait_end > k->p->start[e]) {
			add_wait(w, &waits, tr->thread, e, b->wait_end);
		}
	}
}

static void set_launches(struct metric_work *w, struct metric_host_launches *l)
{
	struct metrics *m = w->m;
	int64_t n = w->procs;
	static const enum metric_id sums[] = { METRIC_sync_count, METRIC_sync_wait, METRIC_sync_bound, METRIC_item_bound };

	metric_set_i64(m, METRIC_launches, ((int64_t)stats_n(&l->durs) + n - 1) / n);
	metric_set_i64(m, METRIC_optimizer_launches, l->by_phase[PHASE_OPTIMIZER] / n);
	metric_set_i64(m, METRIC_recompute_launches, l->by_phase[PHASE_RECOMPUTE] / n);
	metric_set_i64(m, METRIC_forward_launches, l->by_phase[PHASE_FORWARD] / n);
	if (stats_n(&l->durs)) {
		metric_set_i64(m, METRIC_launch_p50, stats_lower_median(&l->durs));
		metric_set_i64(m, METRIC_launch_p90, stats_percentile(&l->durs, 90));
	}
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		metric_divide(m, sums[i], w->procs, !i);
		m->v[sums[i]].known = true;
	}
	/* nothing is known to be idle, or busy, without records of the device */
	m->v[METRIC_sync_bound].known = m->v[METRIC_item_bound].known = w->devices > 0;
}

static int instance_cmp(const void *pa, const void *pb)
{
	const struct instance *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->ev > b->ev) - (a->ev < b->ev);
}

/* Calls that returned an error, anywhere in the capture: what follows a fatal one is void, whatever the window is. */
static void count_failures(struct metric_work *w)
{
	const struct profile *p = w->k->p;
	VEC(struct instance) failed = { 0 };
	bool known = false;

	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++) {
		for (ev_id e = p->tracks[t].first; e < p->tracks[t].first + p->tracks[t].count; e++) {
			int64_t code = call_code(p->aux[e]);

			known |= code != I64_UNKNOWN;
			if (code != I64_UNKNOWN && cuda_result_failed(code))
				VEC_PUSH(&failed, (struct instance){ p->start[e], ev_end(p, e), 0, p->tracks[t].thread, e });
		}
	}
	/* in the order of time: of equal amounts a metric keeps those that were added first */
	if (failed.n)
		qsort(failed.a, failed.n, sizeof(*failed.a), instance_cmp);
	for (size_t i = 0; i < failed.n; i++) {
		const struct instance *at = &failed.a[i];

		metric_add(w->m, METRIC_failed_calls, 1, at->start, at);
		if (cuda_result_fatal(call_code(p->aux[at->ev])))
			metric_add(w->m, METRIC_fatal_calls, 1, at->start, at);
	}
	VEC_FREE(&failed);
	w->m->v[METRIC_failed_calls].known = w->m->v[METRIC_fatal_calls].known = known;
	if (!known)
		w->m->v[METRIC_failed_calls].why = w->m->v[METRIC_fatal_calls].why = N_("return codes of CUDA calls");
}

void metric_call_pass(struct metric_work *w)
{
	const struct profile *p = w->k->p;
	struct metric_host_launches l = { { { 0 }, 0, 0, 0 }, { 0 } };
	static const char why[] = N_("CUDA runtime calls");
	static const enum metric_id need[] = { METRIC_launches, METRIC_launch_p50, METRIC_launch_p90, METRIC_sync_count, METRIC_sync_wait,
		METRIC_sync_bound, METRIC_item_bound, METRIC_delay_median, METRIC_optimizer_launches, METRIC_recompute_launches, METRIC_forward_launches,
		METRIC_failed_calls, METRIC_fatal_calls };

	if (!(p->caps & CAP_RUNTIME)) {
		metric_family_known(w->m, FAMILY_CALLS, why);
		for (size_t i = 0; i < sizeof(need) / sizeof(*need); i++)
			w->m->v[need[i]].why = why;
		return;
	}
	metric_family_known(w->m, FAMILY_CALLS, NULL);
	add_layer(w, LAYER_RUNTIME, set_of_call);
	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++)
		if (p->tracks[t].count && issues(w, p->tracks[t].thread))
			scan_calls(w, &p->tracks[t], &l);
	set_launches(w, &l);
	count_failures(w);
	stats_fini(&l.durs);
}

/* ---- operators and ranges ---- */

static const struct metric_set *set_of_op(struct metric_work *w, ev_id e)
{
	str_id id = w->k->p->name[e] < w->k->p->n_strs ? facts_same_op(w->k->f, w->k->p->name[e]) : w->k->p->name[e];
	size_t n;
	const char *s = profile_str(w->k->p, id, &n);

	return metric_set_of(w, FAMILY_OPS, id, 0, s, rules_op_base(s, n));
}

/* Own times of the ops that compute on the CPU. */
static void add_cpu_ops(struct metric_work *w)
{
	const struct op_layer *o = &w->k->f->ops;

	for (uint32_t i = 0; i < o->n_tracks; i++) {
		thread_id t = o->tracks[i].thread;

		for (uint32_t op = o->tracks[i].first; issues(w, t) && op < o->tracks[i].first + o->tracks[i].count; op++) {
			ns_t end = o->start[op] + o->dur[op], in;

			if (!facts_on_cpu(w->k->f, o->name[op]))
				continue;
			in = spans_overlap(&w->window, o->start[op], end);
			metric_add(w->m, METRIC_cpu_ops, in < o->self[op] ? in : o->self[op], o->start[op],
				&(struct instance){ o->start[op], end, 0, t, o->ev ? o->ev[op] : op });
		}
	}
	metric_divide(w->m, METRIC_cpu_ops, w->procs, false);
	if (o->n)
		w->m->v[METRIC_cpu_ops].known = true;
	else
		w->m->v[METRIC_cpu_ops].why = N_("operators");
}

void metric_op_pass(struct metric_work *w)
{
	static const enum layer layers[] = { LAYER_OP, LAYER_ANNOT, LAYER_NVTX, LAYER_NVTX_SE };
	uint32_t events = 0;

	for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
		events += w->k->p->layer_first[layers[i] + 1] - w->k->p->layer_first[layers[i]];
		add_layer(w, layers[i], set_of_op);
	}
	metric_family_known(w->m, FAMILY_OPS, events ? NULL : N_("operators or NVTX ranges"));
	add_cpu_ops(w);
}

/* ---- Python frames ---- */

static const struct metric_set *set_of_class(struct metric_work *w, uint64_t a, uint64_t b, const struct host_class *hc,
	const struct frame_name *fn)
{
	static const char body[] = "<module>", runpy[] = "runpy";
	char text[256];
	size_t len = rules_level2(hc->level2, fn->func, fn->func_len, text, sizeof(text));
	const struct metric_set *found = metric_set_of(w, FAMILY_FRAMES, a, b, text, len < sizeof(text) ? len : sizeof(text) - 1);
	struct metric_set *s = &w->sets[FAMILY_FRAMES].a[found - w->sets[FAMILY_FRAMES].a];

	s->loads = hc->dataload && !hc->elsewhere.level2;
	s->may_load = hc->elsewhere.level2 != NULL;
	s->entry = hc->entry;
	s->imports = rules_frame_imports(fn->file, fn->file_len, fn->func, fn->func_len);
	s->body = fn->func_len == sizeof(body) - 1 && !memcmp(fn->func, body, sizeof(body) - 1);
	s->runs = fn->file && memmem(fn->file, fn->file_len, runpy, sizeof(runpy) - 1) != NULL;
	return s;
}

static const struct metric_set *set_of_frame(struct metric_work *w, ev_id e)
{
	const struct metric_set *known = metric_set_known(w, FAMILY_FRAMES, w->k->p->name[e], 0);
	struct host_class hc;
	struct frame_name fn;
	size_t n;
	const char *s = profile_str(w->k->p, w->k->p->name[e], &n);

	if (known)
		return known;
	rules_python(w->cx->rules, s, n, &hc);
	rules_frame_name(s, n, &fn);
	return set_of_class(w, w->k->p->name[e], 0, &hc, &fn);
}

static const struct metric_set *set_of_sample(struct metric_work *w, const struct profile *p, const struct frame_node *fr)
{
	uint64_t key = (uint64_t)fr->file << 32 | fr->function;
	const struct metric_set *known = metric_set_known(w, FAMILY_FRAMES, key, 1);
	struct frame_name fn = { 0 };
	struct host_class hc;

	if (known)
		return known;
	fn.file = profile_str(p, fr->file, &fn.file_len);
	fn.func = profile_str(p, fr->function, &fn.func_len);
	rules_frame(w->cx->rules, fn.file, fn.file_len, fn.func, fn.func_len, &hc);
	return set_of_class(w, key, 1, &hc, &fn);
}

/* What a forked process does is no part of the frames that it was forked in. */
static void leave_out(struct metrics *m, uint64_t bits, int64_t amount)
{
	uint8_t bit = 0;

	for (uint32_t i = 0; i < m->fr->n_metrics && bits; i++) {
		if (m->fr->metrics[i].family != FAMILY_FRAMES)
			continue;
		if (bits >> bit & 1 && m->fr->metrics[i].measure == MEASURE_TIME)
			m->v[METRIC_N + i].i -= amount;
		bit += bit < 63;
	}
}

struct totals {
	ns_t *of;		/* per frame, with all below it; samples of a file without times */
	ns_t wall;		/* NS_UNKNOWN: the file does not say */
};

static void add_own(void *arg, const struct frame_sample *s, ns_t start, ns_t end)
{
	((struct totals *)arg)->of[s->frame] += end - start;
}

/*
 * What each frame of the sampler took: in the window of the source at hand, where the sampler is on its clock and says when its samples
 * were, else in all of the file.
 */
static struct totals sampled_totals(const struct metric_work *w, uint32_t sampler)
{
	const struct profile *p = w->cx->facts[sampler]->p;
	struct totals t = { xcalloc(p->n_frames, sizeof(*t.of)), p->sampled_wall_ns };
	struct scope sc = *w->k->sc;
	struct selection k;

	if (pytree_pick(&k, &sc, w->cx, sampler, NULL) && !k.all) {
		pysamples_each(&k, add_own, &t);
		for (uint32_t i = p->n_frames; i-- > 0;)
			if (p->frames[i].parent >= 0)
				t.of[p->frames[i].parent] += t.of[i];
		t.wall = k.wall;
	} else {
		for (uint32_t i = 0; i < p->n_frames; i++)
			t.of[i] = w->m->counted ? p->frames[i].samples : p->frames[i].total_ns;
	}
	selection_fini(&k);
	return t;
}

/*
 * Each outermost node of a metric adds its whole time. Where no wall is known (several threads, active time) the sampled time stands for
 * it; a file without times gives numbers of samples.
 */
static void add_samples(struct metric_work *w, uint32_t sampler)
{
	const struct profile *p = w->cx->facts[sampler]->p;
	struct totals t = sampled_totals(w, sampler);
	struct metrics *m = w->m;
	ns_t roots = 0;
	struct within *within = xmalloc(p->n_frames * sizeof(*within));

	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct frame_node *fr = &p->frames[i];
		const struct metric_set *own = set_of_sample(w, p, fr);
		struct within outer = fr->parent < 0 ? (struct within){ 0 } : within[fr->parent];

		if (own->entry) {
			leave_out(m, outer.bits, t.of[i]);
			outer.bits = 0;
		}
		within[i] = enter(outer, &own);
		roots += fr->parent >= 0 ? 0 : t.of[i];
		for (uint32_t j = 0; j < own->n && t.of[i]; j++) {
			if (outer.bits >> own->bit[j] & 1 || m->fr->metrics[own->id[j] - METRIC_N].measure != MEASURE_TIME)
				continue;
			m->v[own->id[j]].i += t.of[i];
			m->v[own->id[j]].events++;
		}
	}
	free(within);
	free(t.of);
	metric_set_i64(m, METRIC_frames_wall, m->counted || t.wall == NS_UNKNOWN ? roots : t.wall);
}

/* The source of stacks of the session that a source without frames of its own is told by; ID_NONE. */
static uint32_t stack_source(const struct metric_work *w)
{
	uint32_t n, found = ID_NONE, *src;
	struct scope sc;

	scope_init(&sc);
	src = view_sources(w->cx, &sc, NEED_STACKS, &n, NULL);
	for (uint32_t i = 0; i < n && found == ID_NONE; i++) {
		const struct profile *p = w->cx->facts[src[i]]->p;

		if (profile_python_samples(p) && (p->rank < 0 || w->k->p->rank < 0 || p->rank == w->k->p->rank))
			found = src[i];
	}
	free(src);
	return found;
}

/* One look at the threads of a job: counts of them, none where the source is no dump. */
static void add_dump(struct metric_work *w)
{
	bool dump = w->k->p->format == FORMAT_PYSPY_DUMP && w->k->p->n_frames;
	struct pytree st = { 0 };
	struct pydump d = { 0 };

	if (dump && pytree_make(&st, w->k, NULL))
		pydump_read(&d, &st);
	metric_set_i64(w->m, METRIC_dump_threads, d.threads);
	metric_set_i64(w->m, METRIC_dump_collective, d.by_state[STATE_COLLECTIVE]);
	metric_set_i64(w->m, METRIC_dump_waiting, d.by_state[STATE_DATA] + d.by_state[STATE_QUEUE] + d.by_state[STATE_LOCK]);
	pydump_fini(&d);
	pytree_fini(&st);
}

void metric_frame_pass(struct metric_work *w)
{
	static const char few[] = N_("too few samples, 100 are needed");
	const struct profile *p = w->k->p;
	uint32_t samples;

	add_dump(w);

	w->m->v[METRIC_frames_wall].why = N_("Python stacks");
	if (p->caps & CAP_OP_STACKS) {	/* what runs no op is not in them */
		metric_family_known(w->m, FAMILY_FRAMES, N_("Python frames outside ops"));
		w->m->v[METRIC_frames_wall].why = N_("Python frames outside ops");
		return;
	}
	if (p->layer_first[LAYER_PYTHON] < p->layer_first[LAYER_PYTHON + 1]) {
		metric_family_known(w->m, FAMILY_FRAMES, NULL);
		metric_set_i64(w->m, METRIC_frames_wall, w->m->v[METRIC_window].i);
		add_layer(w, LAYER_PYTHON, set_of_frame);
		return;
	}
	samples = stack_source(w);
	metric_family_known(w->m, FAMILY_FRAMES, samples == ID_NONE ? N_("Python stacks") : NULL);
	if (samples == ID_NONE)
		return;
	if (w->cx->facts[samples]->p->format == FORMAT_PYSPY_DUMP) {
		metric_family_known(w->m, FAMILY_FRAMES, N_("times of the samples (the file is one look at the stacks)"));
		return;
	}
	w->m->sampled = true;
	w->m->counted = w->cx->facts[samples]->p->frames[0].total_ns == NS_UNKNOWN;
	add_samples(w, samples);
	if (w->cx->facts[samples] == w->k->f && w->m->counted) {
		w->m->v[METRIC_window].known = false;
		w->m->v[METRIC_window].why = N_("times of the samples (the file has counts alone)");
	}
	if (w->m->counted && w->m->v[METRIC_frames_wall].i < SAMPLES_MIN) {
		w->m->v[METRIC_frames_wall].known = false;
		w->m->v[METRIC_frames_wall].why = few;
		metric_family_known(w->m, FAMILY_FRAMES, few);
		return;
	}
	if (w->cx->facts[samples] == w->k->f && !w->m->counted)
		metric_set_i64(w->m, METRIC_window, w->m->v[METRIC_frames_wall].i);	/* stacks alone: no other wall */
	for (uint32_t i = 0; i < w->m->fr->n_metrics; i++) {
		const struct pattern_metric *pm = &w->m->fr->metrics[i];

		if (pm->family == FAMILY_FRAMES && pm->measure != MEASURE_TIME) {
			w->m->v[METRIC_N + i].known = false;
			w->m->v[METRIC_N + i].why = N_("Python frames on the time axis (torch.profiler with_stack)");
		}
	}
}
