/* inferred.c - phases that no marker shows, see inferred.h */
#include "facts/inferred.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/search.h"
#include "base/sorted.h"
#include "base/text.h"

#define EVIDENCE_SHARE 100 /* a hull below 1 in so many of its period is no evidence */

typedef VEC(struct span) span_list; /* unlike struct spans in any order, and not disjoint */

/* What a name says, looked at once. */
enum {
	SAYS_SEEN = 1,
	SAYS_ENGINE = 2,
	SAYS_NODE = 4,
	SAYS_WRAPPER = 8,
	SAYS_MODULE = 16,
	SAYS_AGAIN = 32
};

struct inferred_work {
	const struct facts *f;
	const struct fact_index *ix;
	uint32_t proc;
	uint8_t (*marker)(void *arg, str_id name);
	void *arg;
	uint8_t *says;		 /* per string */
	struct map node_numbers; /* sequence numbers that nodes of the backward pass carry */
	span_list recorded;	 /* outermost ops of the main thread that record, by start */
	VEC(ns_t) breaks;	 /* instants of the main thread that end a pass, ascending */
	struct inferred *out;
};

/* ---- names and ops ---- */

/* A wrapper: a step, a loader or an optimizer, which torch 1.8 and 1.9 write as operators, or a mark of another phase than backward. */
static uint8_t look_at(const struct inferred_work *w, str_id id)
{
	size_t n;
	const char *s = profile_str(w->f->p, id, &n);
	uint8_t ph = w->marker(w->arg, id), says = SAYS_SEEN;

	if (text_starts(s, n, "autograd::engine::evaluate_function: "))
		says |= SAYS_ENGINE | SAYS_NODE;
	if (rules_autograd_node(s, n))
		says |= SAYS_NODE;
	if (text_starts(s, n, "ProfilerStep#") ||
	    (ph != PHASE_N && ph != PHASE_BACKWARD && ph != PHASE_RECOMPUTE))
		says |= SAYS_WRAPPER;
	if (text_starts(s, n, "nn.Module: ") || text_starts(s, n, "FSDP::pre_forward") ||
	    text_starts(s, n, "FSDP::post_forward"))
		says |= SAYS_MODULE;
	if (text_holds(s, n, "torch/utils/checkpoint.py") &&
	    (text_holds(s, n, "recompute_fn") || text_holds(s, n, "unpack_hook")))
		says |= SAYS_AGAIN;
	return says;
}

static uint8_t says(const struct inferred_work *w, str_id id)
{
	if (id >= w->f->p->n_strs)
		return SAYS_SEEN;
	if (!w->says[id])
		w->says[id] = look_at(w, id);
	return w->says[id];
}

static uint8_t op_says(const struct inferred_work *w, uint32_t op)
{
	return says(w, w->f->ops.name[op]);
}

static const struct op_detail *detail_of(const struct facts *f, uint32_t op)
{
	return f->ops.from_nvtx ? NULL : profile_op_detail(f->p, f->ops.ev ? f->ops.ev[op] : op);
}

static bool is_node(const struct inferred_work *w, uint32_t op)
{
	const struct op_detail *d = detail_of(w->f, op);

	return (d && d->backward) || op_says(w, op) & SAYS_NODE;
}

/* The sequence number that an op had read when it began, -1 none. */
static int64_t number_of(const struct facts *f, uint32_t op)
{
	const struct op_detail *d = detail_of(f, op);

	return d ? d->seq : -1;
}

static ns_t op_end(const struct facts *f, uint32_t op)
{
	return f->ops.start[op] + f->ops.dur[op];
}

static const struct op_track *ops_of(const struct facts *f, thread_id t)
{
	uint32_t ot = t == ID_NONE ? ID_NONE : f->threads[t].op_track;

	return ot == ID_NONE ? NULL : &f->ops.tracks[ot];
}

static void collect_numbers(struct inferred_work *w)
{
	const struct facts *f = w->f;
	const struct group_index *threads = &w->ix->threads_of_proc;

	for (uint32_t k = threads->first[w->proc]; k < threads->first[w->proc + 1]; k++) {
		const struct op_track *tr = ops_of(f, threads->v[k]);

		for (uint32_t op = tr ? tr->first : 0; tr && op < tr->first + tr->count; op++) {
			int64_t seq = number_of(f, op);

			w->out->numbered |= seq >= 0;
			if (seq >= 0 && is_node(w, op))
				map_put(&w->node_numbers, (uint64_t)seq, 0, 1);
		}
	}
}

/*
 * Sequence numbers are read before an op records, so that ops that record nothing carry the number of the next one that does: of those
 * with one number the last one recorded.
 */
static void collect_recorded(struct inferred_work *w, const struct op_track *tr)
{
	const struct facts *f = w->f;
	bool *inside = xcalloc(
		tr->count,
		sizeof(*inside)); /* of an op that is no wrapper; parents stand before their children */
	struct map last = {0};

	for (uint32_t op = tr->first; op < tr->first + tr->count; op++) {
		int64_t seq = number_of(f, op);
		uint32_t up = f->ops.parent[op], at;

		inside[op - tr->first] = up != ID_NONE && (inside[up - tr->first] ||
							   !(op_says(w, up) & SAYS_WRAPPER));
		if (inside[op - tr->first] || op_says(w, op) & SAYS_WRAPPER || seq < 0 ||
		    map_find(&w->node_numbers, (uint64_t)seq, 0) == MAP_NONE || is_node(w, op))
			continue;
		at = map_get_or_put(&last, (uint64_t)seq, 0, (uint32_t)w->recorded.n);
		if (at == w->recorded.n)
			VEC_PUSH(&w->recorded, (struct span){0, 0});
		w->recorded.a[at] = (struct span){f->ops.start[op], op_end(f, op)};
	}
	map_fini(&last);
	free(inside);
}

static int span_cmp(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* ---- passes ---- */

/* What ends a pass: an op that records, the start of a step, a marked phase of another kind. */
static void collect_breaks(struct inferred_work *w, const struct op_track *tr)
{
	const struct facts *f = w->f;
	const struct proc_facts *pf = &f->procs[w->proc];

	for (size_t i = 0; i < w->recorded.n; i++)
		VEC_PUSH(&w->breaks, w->recorded.a[i].start);
	for (uint32_t i = pf->first_step; i < pf->first_step + pf->n_steps; i++)
		VEC_PUSH(&w->breaks, f->steps[i].start);
	for (uint32_t op = tr ? tr->first : 0; tr && op < tr->first + tr->count; op++)
		if (op_says(w, op) & SAYS_WRAPPER)
			VEC_PUSH(&w->breaks, f->ops.start[op]);
	for (size_t l = 0; l < sizeof(marker_layers) / sizeof(*marker_layers); l++) {
		uint32_t n;
		const track_id *tracks = layer_tracks(f->p, &w->ix->tracks_of_thread, pf->main,
						      marker_layers[l], &n);

		for (uint32_t i = 0; marker_layers[l] != LAYER_OP && i < n; i++) {
			const struct track *mt = &f->p->tracks[tracks[i]];

			for (ev_id e = mt->first; e < mt->first + mt->count; e++)
				if (says(w, f->p->name[e]) & SAYS_WRAPPER)
					VEC_PUSH(&w->breaks, f->p->start[e]);
		}
	}
	i64_sort(w->breaks.a, w->breaks.n);
}

/* Whether a pass ends somewhere in (after, until]. */
static bool breaks_in(const struct inferred_work *w, ns_t after, ns_t until)
{
	size_t i;

	LOWER_BOUND(i, 0, w->breaks.n, w->breaks.a[i] <= after);
	return i < w->breaks.n && w->breaks.a[i] <= until;
}

/* An engine that runs on a thread of its own holds up the main thread: an op of that ends the pass, too. */
static bool main_acts(const struct inferred_work *w, const struct op_track *main, ns_t after, ns_t until)
{
	const struct facts *f = w->f;
	struct owner_columns c = {f->ops.start, f->ops.dur, f->ops.parent, main ? main->first : 0,
				main ? main->first + main->count : 0};
	uint32_t at = main ? owner_lower_bound(&c, after) : 0;

	return main && at < c.end && f->ops.start[at] <= until;
}

/* The passes of a thread: runs of nodes that the engine calls, between which nothing else begins. */
static void find_passes(const struct inferred_work *w, const struct op_track *tr,
			const struct op_track *main, struct spans *out)
{
	const struct facts *f = w->f;
	bool own = tr != main;

	for (uint32_t op = tr->first; op < tr->first + tr->count; op++) {
		struct span *last = out->n ? &out->a[out->n - 1] : NULL;
		ns_t start = f->ops.start[op], end = op_end(f, op);

		if (!(op_says(w, op) & SAYS_ENGINE))
			continue;
		if (!last || (start > last->end && (breaks_in(w, last->end, start) ||
						    (own && main_acts(w, main, last->end, start)))))
			spans_append(out, start, end);
		else
			last->end = end > last->end ? end : last->end;
	}
}

/* ---- forward ---- */

/* What a hull belongs to: a micro-batch, or a step without any, or where there are no steps the pass that follows. */
struct inferred_group {
	uint64_t id;
	ns_t period; /* its length, 0 not known */
};

struct inferred_cursor { /* instants are asked for in ascending order */
	uint32_t step, micro;
	size_t pass;
};

static struct inferred_group group_at(const struct inferred_work *w, const struct spans *passes, struct inferred_cursor *at,
			     ns_t t)
{
	const struct proc_facts *pf = &w->f->procs[w->proc];
	const struct step *s = &w->f->steps[pf->first_step + at->step];

	for (; at->step < pf->n_steps && s->next <= t; s++)
		at->step++;
	while (at->micro < pf->n_microbatches && pf->microbatches[at->micro].end <= t)
		at->micro++;
	while (at->pass < passes->n && passes->a[at->pass].end <= t)
		at->pass++;
	if (!pf->n_steps)
		return (struct inferred_group){
			at->pass < passes->n ? UINT64_C(3) << 32 | at->pass : UINT64_MAX, 0};
	if (at->step == pf->n_steps || s->start > t)
		return (struct inferred_group){UINT64_MAX, 0};
	if (!s->microbatches)
		return (struct inferred_group){UINT64_C(2) << 32 | at->step, s->next - s->start};
	if (at->micro == pf->n_microbatches || pf->microbatches[at->micro].start > t)
		return (struct inferred_group){UINT64_MAX, 0};
	return (struct inferred_group){UINT64_C(1) << 32 | at->micro, s->next - s->start};
}

/* Hulls of ranges in the order of their starts, those inside a pass aside. */
static void add_hulls(struct inferred_work *w, const span_list *r, const struct spans *passes)
{
	struct inferred_group now = {UINT64_MAX, 0};
	struct inferred_cursor at = {0, 0, 0};
	struct span hull = {0, 0};

	for (size_t i = 0; i <= r->n; i++) {
		struct inferred_group g = {UINT64_MAX, 0};

		if (i < r->n && spans_contain(passes, r->a[i].start))
			continue;
		if (i < r->n)
			g = group_at(w, passes, &at, r->a[i].start);
		if (g.id != now.id) {
			if (now.id != UINT64_MAX &&
			    (hull.end - hull.start) >= now.period / EVIDENCE_SHARE &&
			    hull.end > hull.start)
				VEC_PUSH(&w->out->main, (struct owner_event){hull.start, hull.end,
									   PHASE_FORWARD, 0});
			now = g;
			hull = i < r->n ? r->a[i] : hull;
		} else if (i < r->n && r->a[i].end > hull.end) {
			hull.end = r->a[i].end;
		}
	}
}

/* Ranges of modules of the main thread, and where there are none their Python frames. */
static void collect_modules(const struct inferred_work *w, span_list *out)
{
	static const enum layer layers[] = {LAYER_ANNOT, LAYER_OP, LAYER_NVTX, LAYER_NVTX_SE,
					    LAYER_PYTHON};
	const struct profile *p = w->f->p;

	for (size_t l = 0;
	     l < sizeof(layers) / sizeof(*layers) && !(layers[l] == LAYER_PYTHON && out->n); l++) {
		uint32_t n;
		const track_id *tracks = layer_tracks(p, &w->ix->tracks_of_thread,
						      w->f->procs[w->proc].main, layers[l], &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct track *tr = &p->tracks[tracks[i]];

			for (ev_id e = tr->first; e < tr->first + tr->count; e++)
				if (says(w, p->name[e]) & SAYS_MODULE)
					VEC_PUSH(out, (struct span){p->start[e], ev_end(p, e)});
		}
	}
	if (out->n)
		qsort(out->a, out->n, sizeof(*out->a), span_cmp);
}

static void find_forward(struct inferred_work *w, const struct spans *passes)
{
	span_list modules = {0};

	if (w->recorded.n) {
		add_hulls(w, &w->recorded, passes);
		return;
	}
	collect_modules(w, &modules);
	add_hulls(w, &modules, passes);
	VEC_FREE(&modules);
}

/* ---- recompute ---- */

/* Within each node that the engine calls: from the first to the last op that records, as no op of a backward pass does otherwise. */
static void recorded_anew(const struct inferred_work *w, const struct op_track *tr, event_list *out)
{
	const struct facts *f = w->f;

	for (uint32_t op = tr->first; op < tr->first + tr->count; op++) {
		struct span hull = {INT64_MAX, INT64_MIN};
		ns_t end = op_end(f, op);

		if (!(op_says(w, op) & SAYS_ENGINE))
			continue;
		for (uint32_t in = op + 1; in < tr->first + tr->count && f->ops.start[in] < end;
		     in++) {
			if (op_says(w, in) & SAYS_ENGINE)
				break; /* a node inside: it is looked at by itself */
			if (number_of(f, in) < 0 || is_node(w, in))
				continue;
			hull.start = f->ops.start[in] < hull.start ? f->ops.start[in] : hull.start;
			hull.end = op_end(f, in) > hull.end ? op_end(f, in) : hull.end;
		}
		if (hull.end > hull.start)
			VEC_PUSH(out,
				 (struct owner_event){hull.start, hull.end < end ? hull.end : end,
						    PHASE_RECOMPUTE, 1});
	}
}

/* Frames of the checkpoint on a thread; false: there are none. */
static bool checkpoint_frames(const struct inferred_work *w, thread_id t, event_list *out)
{
	const struct profile *p = w->f->p;
	uint32_t n;
	const track_id *tracks = layer_tracks(p, &w->ix->tracks_of_thread, t, LAYER_PYTHON, &n);
	size_t before = out->n;

	for (uint32_t i = 0; i < n; i++) {
		const struct track *tr = &p->tracks[tracks[i]];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (says(w, p->name[e]) & SAYS_AGAIN)
				VEC_PUSH(out, (struct owner_event){p->start[e], ev_end(p, e),
								 PHASE_RECOMPUTE, 1});
	}
	return out->n > before;
}

/* ---- the inference of one source ---- */

/* Passes of all threads that run the backward pass, and what is computed again inside them; `all` gets the passes in order. */
static void find_backward(struct inferred_work *w, const struct op_track *main, struct spans *all)
{
	const struct facts *f = w->f;
	const struct group_index *threads = &w->ix->threads_of_proc;

	for (uint32_t k = threads->first[w->proc]; k < threads->first[w->proc + 1]; k++) {
		thread_id t = threads->v[k];
		const struct op_track *tr = ops_of(f, t);
		bool of_main = t == f->procs[w->proc].main;
		struct spans passes = {0};

		if (!tr || (!of_main && f->threads[t].role != ROLE_AUTOGRAD))
			continue;
		find_passes(w, tr, main, &passes);
		for (size_t i = 0; i < passes.n; i++) {
			struct owner_event x = {passes.a[i].start, passes.a[i].end, PHASE_BACKWARD,
					      0};

			if (of_main)
				VEC_PUSH(&w->out->main, x);
			else
				VEC_PUSH(&w->out->autograd, x);
			spans_add(all, x.start, x.end);
		}
		if (passes.n && !checkpoint_frames(w, t, &w->out->recompute[!of_main]))
			recorded_anew(w, tr, &w->out->recompute[!of_main]);
		spans_fini(&passes);
	}
	spans_norm(all);
}

void inferred_make(struct inferred *x, const struct facts *f, const struct fact_index *ix,
		   uint32_t proc, uint8_t *says, uint8_t (*marker)(void *arg, str_id name),
		   void *arg)
{
	struct inferred_work w = {.f = f,
			 .ix = ix,
			 .proc = proc,
			 .says = says,
			 .marker = marker,
			 .arg = arg,
			 .out = x};
	const struct op_track *main = ops_of(f, f->procs[proc].main);
	struct spans passes = {0};

	*x = (struct inferred){0};
	if (f->procs[proc].main == ID_NONE)
		return;
	collect_numbers(&w);
	if (main)
		collect_recorded(&w, main);
	if (w.recorded.n)
		qsort(w.recorded.a, w.recorded.n, sizeof(*w.recorded.a), span_cmp);
	collect_breaks(&w, main);
	find_backward(&w, main, &passes);
	find_forward(&w, &passes);
	map_fini(&w.node_numbers);
	VEC_FREE(&w.recorded);
	VEC_FREE(&w.breaks);
	spans_fini(&passes);
}

void inferred_fini(struct inferred *x)
{
	VEC_FREE(&x->main);
	VEC_FREE(&x->autograd);
	VEC_FREE(&x->recompute[0]);
	VEC_FREE(&x->recompute[1]);
}
