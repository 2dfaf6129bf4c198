/* selection.c - a scope applied to one source, see selection.h */
#include "scope/selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/work.h"

/* ---- which sources ---- */

/* How well a source serves a view: 0 = not at all, more is better. */
static int suitability(const struct facts *f, enum source_need kind)
{
	unsigned caps = f->p->caps;
	int nsys = source_format_nsys(f->p->format);
	int rank = nsys > 1 ? 3 : nsys ? 1 : 2;	/* conversions of an export lack copies and sets */

	switch (kind) {
	case NEED_ANY:
		return 1;
	case NEED_GPU:
		return caps & CAP_GPU ? rank : 0;
	case NEED_RUNTIME:
		return caps & CAP_RUNTIME ? rank : 0;
	case NEED_OPS:
		return f->ops.n ? 2 - f->ops.from_nvtx : 0;
	case NEED_SEQ:
		return !f->ops.n ? 0 : f->ops.from_nvtx ? 1 : f->p->n_op_details ? 2 : 0;
	case NEED_NVTX:
		return f->p->layer_track[LAYER_NVTX] < f->p->layer_track[LAYER_NVTX_OPEN + 1] ? 1 : 0;
	case NEED_OSRT:
		return f->p->layer_track[LAYER_OSRT] < f->p->layer_track[LAYER_OSRT + 1] ? 1 : 0;
	case NEED_SCHED:
		return f->p->layer_track[LAYER_SCHED] < f->p->layer_track[LAYER_SCHED + 1] ? 1 : 0;
	case NEED_UM:
		return f->p->n_ums ? 1 : 0;
	case NEED_STACKS:
		return profile_python_samples(f->p) ? 3 : caps & CAP_PYTHON ? 2 : caps & CAP_SAMPLES ? 1 : 0;
	case NEED_JOINT:
		return !(caps & CAP_GPU) ? 0 : f->ops.n && !f->ops.from_nvtx ? 2 : 1;
	case NEED_HOST:
		return f->ops.n && !f->ops.from_nvtx ? 2 : caps & (CAP_RUNTIME | CAP_NVTX | CAP_PYTHON | CAP_OPS) ? 1 : 0;
	}
	return 0;
}

/* Stacks of a part of the run that is smaller than its steps at work: those of a sampler without a time axis are not of it. */
static bool beyond(const struct facts *f, enum source_need kind, const struct scope *sc)
{
	return kind == NEED_STACKS && (sc->window == WINDOW_STEPS || sc->window == WINDOW_TIME) && profile_timeless(f->p);
}

/*
 * With an op chosen, a source that knows ops answers before one that cannot tell whose a call, or a Python frame, is; with a window, one
 * whose frames have times before one whose have none, which comes before native code.
 */
static int suits(const struct facts *f, enum source_need kind, const struct scope *sc)
{
	int best = 2 * suitability(f, kind);

	if (best && beyond(f, kind, sc))
		best = 3;
	return best && sc->op_hash && f->ops.n ? best + 16 : best;
}

/* Exports of one capture: what the more complete one has is not wanted twice. */
static bool same_export(const struct facts *f, const struct facts *o, enum source_need kind)
{
	int own = source_format_nsys(f->p->format);

	return own && source_format_nsys(o->p->format) > own && kind != NEED_ANY && suitability(o, kind);
}

/* Forms of one pyinstrument run: the stacks of the best. */
static bool same_sampling(const struct an_ctx *cx, uint32_t i, uint32_t j, enum source_need kind)
{
	return kind == NEED_STACKS && cx->session->sources[i].twin == (int64_t)j && source_format_pyi(cx->facts[i]->p->format);
}

/* A sampler that saw little is no source of stacks where there are other files: some of them may show what it did not. */
static bool left_out(const struct an_ctx *cx, uint32_t i, enum source_need kind)
{
	bool alone = true;

	if (kind != NEED_STACKS || !facts_few_frames(cx->facts[i]))
		return false;
	for (uint32_t j = 0; j < cx->session->n_sources; j++)
		alone &= !cx->facts[j] || facts_few_frames(cx->facts[j]);
	return !alone;
}

/* A better source of the same run, of the same rank as far as known, stands for this one. */
static bool outdone(const struct an_ctx *cx, uint32_t i, enum source_need kind, const struct scope *sc)
{
	const struct source *s = &cx->session->sources[i];

	for (uint32_t j = 0; j < cx->session->n_sources; j++) {
		const struct source *o = &cx->session->sources[j];

		if (j == i || !cx->facts[j] || o->clock_group != s->clock_group || left_out(cx, j, kind))
			continue;
		if (o->profile->rank >= 0 && s->profile->rank >= 0 && o->profile->rank != s->profile->rank)
			continue;
		if (suits(cx->facts[j], kind, sc) > suits(cx->facts[i], kind, sc) ||
		    same_export(cx->facts[i], cx->facts[j], kind) || same_sampling(cx, i, j, kind))
			return true;
	}
	return false;
}

uint32_t *view_sources(const struct an_ctx *cx, const struct scope *sc, enum source_need kind, uint32_t *n, struct table *notes)
{
	VEC(uint32_t) out = { 0 };
	char num[NUM_TEXT_MAX];

	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		if (!cx->facts[i] || (sc->source >= 0 && (uint32_t)sc->source != i))
			continue;
		if (sc->rank != SCOPE_ANY && cx->facts[i]->p->rank != sc->rank)
			continue;
		if (sc->clock_group >= 0 && cx->session->sources[i].clock_group != sc->clock_group)
			continue;
		if (!suitability(cx->facts[i], kind))
			continue;
		if (sc->source < 0 && left_out(cx, i, kind)) {
			if (notes)
				table_note(notes, _("%s: its frames cover %s of its duration: left out (--source chooses it, and `quality` says more)"),
					cx->session->sources[i].path, num_pct((double)cx->facts[i]->framed_ns /
					(double)cx->facts[i]->p->sampled_wall_ns, num));
			continue;
		}
		if (sc->source < 0 && outdone(cx, i, kind, sc)) {
			if (notes)
				table_note(notes, _("%s records this too; the figures here are those of another source of the same run "
					"(--source chooses)"), cx->session->sources[i].path);
			continue;
		}
		if (notes && kind == NEED_GPU && cx->facts[i]->n_truncated)
			table_note(notes, ngettext("%s: %" PRIu32 " kernel has a truncated name and no class (a .sqlite of the run opened "
				"beside it repairs it)", "%s: %" PRIu32 " kernels have truncated names and no class (a .sqlite of the run opened "
				"beside it repairs them)", cx->facts[i]->n_truncated), cx->session->sources[i].path, cx->facts[i]->n_truncated);
		VEC_PUSH(&out, i);
	}
	*n = (uint32_t)out.n;
	return out.a;
}

/* ---- windows ---- */

static void whole_source(const struct selection *k, struct spans *out)
{
	if (k->p->first_ns < k->p->last_ns)
		spans_append(out, k->p->first_ns, k->p->last_ns);
}

static void steps_window(const struct selection *k, const struct proc_facts *pf, struct spans *out)
{
	for (uint32_t i = pf->first_step; i < pf->first_step + pf->n_steps; i++) {
		const struct step *s = &k->f->steps[i];

		if (s->number >= k->sc->step_a && s->number <= k->sc->step_b)
			spans_append(out, s->start, s->next);
	}
}

static void proc_window(const struct selection *k, const struct proc_facts *pf, struct spans *out)
{
	switch (k->sc->window) {
	case WINDOW_ALL:
		whole_source(k, out);
		break;
	case WINDOW_STEADY:
		spans_copy(out, &pf->steady);
		break;
	case WINDOW_STEPS:
		steps_window(k, pf, out);
		break;
	case WINDOW_TIME:
		spans_append(out, k->sc->start_ns - k->src->shift_ns, k->sc->end_ns - k->src->shift_ns);
		break;
	}
}

/* Appends all spans; the caller normalises once at the end. */
static void add_all(struct spans *sum, const struct spans *more)
{
	for (size_t i = 0; i < more->n; i++)
		spans_add(sum, more->a[i].start, more->a[i].end);
}

/* The union over the processes that have steps. */
static void source_window(struct selection *k)
{
	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		struct spans w = { 0 };

		proc_window(k, &k->f->procs[i], &w);
		add_all(&k->window, &w);
		spans_fini(&w);
	}
	spans_norm(&k->window);
	if (!k->window.n && k->sc->window == WINDOW_STEADY) {
		k->no_steps = true;
		k->all = true;
	}
	if (k->all) {
		k->window.n = 0;
		whole_source(k, &k->window);
	}
	k->wall = spans_measure(&k->window);
}

/* Whether the thread has ops, or events of another host layer. */
static bool has_layer(const struct facts *f, thread_id t, enum layer l)
{
	const track_id *tracks;
	uint32_t n, events = 0;

	if (l == LAYER_OP)
		return f->threads[t].op_track != ID_NONE;
	tracks = facts_thread_tracks(f, t, l, &n);
	for (uint32_t i = 0; i < n; i++)
		events += f->p->tracks[tracks[i]].count;
	return events > 0;
}

ns_t selection_walls(const struct selection *k, enum layer l)
{
	uint8_t *seen = xcalloc(k->f->n_procs, 1);
	ns_t sum = 0;

	for (thread_id t = 0; t < k->p->n_threads; t++) {
		uint8_t *proc = &seen[k->f->threads[t].proc];

		if (*proc || !selects_thread(k, t) || !has_layer(k->f, t, l))
			continue;
		*proc = 1;
		sum = i64_sum(sum, k->wall);
	}
	free(seen);
	return sum ? sum : k->wall;
}

void selection_proc_window(const struct selection *k, uint32_t proc, struct spans *out)
{
	out->n = 0;
	if (k->all)
		whole_source(k, out);
	else
		proc_window(k, &k->f->procs[proc], out);
	if (!out->n && k->sc->window == WINDOW_STEADY)
		spans_copy(out, &k->window);	/* a helper process without steps: looked at while the others step */
}

/* The windows of the processes that own GPU tracks of the device; unknown owners (torch) count as every process. */
void selection_device_window(const struct selection *k, const struct device_facts *d, struct spans *out)
{
	int64_t last = -1;
	const track_id *t;
	uint32_t n;

	out->n = 0;
	if (k->all) {
		spans_append(out, d->first, d->last);
		return;
	}
	t = facts_device_tracks(k->f, d, &n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t pid = k->p->tracks[t[i]].pid;
		uint32_t proc = pid < 0 || pid == last ? ID_NONE : facts_proc_of_pid(k->f, pid);
		struct spans w = { 0 };

		if (pid < 0) {
			spans_copy(out, &k->window);
			return;
		}
		last = pid;
		if (proc == ID_NONE)
			continue;
		proc_window(k, &k->f->procs[proc], &w);
		add_all(out, &w);
		spans_fini(&w);
	}
	spans_norm(out);
	if (!out->n)
		spans_copy(out, &k->window);
}

/* The first track of the layer whose pid is not below this one: tracks of a layer are in order of pid. */
static track_id first_of_pid(const struct profile *p, enum layer l, int64_t pid)
{
	track_id i;

	LOWER_BOUND(i, p->layer_track[l], p->layer_track[l + 1], p->tracks[i].pid < pid);
	return i;
}

/* Visits the devices that process `pid` itself is known to use; more than once maybe. False as soon as fn says so. */
static bool each_own_device(const struct facts *f, int64_t pid, bool (*fn)(void *arg, const struct device_facts *d), void *arg)
{
	for (enum layer l = LAYER_WORK; l <= LAYER_WORK_LAST && pid >= 0; l++) {
		track_id t = first_of_pid(f->p, l, pid);
		const struct device_facts *d = NULL;

		for (; t < f->p->layer_track[l + 1] && f->p->tracks[t].pid == pid; t++) {
			if (d && d->device == f->p->tracks[t].device)
				continue;
			d = facts_device(f, f->p->tracks[t].device);
			if (d && !fn(arg, d))
				return false;
		}
	}
	return true;
}

static bool add_busy(void *arg, const struct device_facts *d)
{
	add_all(arg, &d->any);
	return true;
}

static bool is_single(void *arg, const struct device_facts *d)
{
	const struct spans **one = arg;

	if (*one && *one != &d->any)
		return false;
	*one = &d->any;
	return true;
}

static bool no_more(void *arg, const struct device_facts *d)
{
	(void)arg, (void)d;
	return false;
}

bool proc_busy_common(const struct facts *f, uint32_t proc)
{
	return each_own_device(f, f->procs[proc].pid, no_more, NULL);
}

/* What the facts have where the process has but one device, or none; NULL: it has several. */
static const struct spans *busy_of_facts(const struct facts *f, uint32_t proc)
{
	const struct spans *one = f->n_of_all ? &f->devices[f->of_all].any : NULL;

	if (proc_busy_common(f, proc))
		return &f->work_of_all;
	return f->n_of_all < 2 && each_own_device(f, f->procs[proc].pid, is_single, &one) ? one : NULL;
}

void proc_busies_init(struct proc_busies *b, const struct facts *f)
{
	b->f = f;
	b->of = xcalloc(f->n_procs, sizeof(*b->of));
	b->made = xcalloc(f->n_procs, sizeof(*b->made));
}

const struct spans *proc_busy(struct proc_busies *b, uint32_t proc)
{
	if (b->of[proc])
		return b->of[proc];
	b->of[proc] = busy_of_facts(b->f, proc);
	if (!b->of[proc]) {
		spans_copy(&b->made[proc], &b->f->work_of_all);
		each_own_device(b->f, b->f->procs[proc].pid, add_busy, &b->made[proc]);
		spans_norm(&b->made[proc]);
		b->of[proc] = &b->made[proc];
	}
	return b->of[proc];
}

void proc_busies_fini(struct proc_busies *b)
{
	for (uint32_t i = 0; b->f && i < b->f->n_procs; i++)
		spans_fini(&b->made[i]);
	free(b->made);
	free(b->of);
	*b = (struct proc_busies){ 0 };
}

/* ---- filters ---- */

static bool class_picked(const struct scope *sc, const struct kernel_class *kc)
{
	return (sc->kclass < 0 || (int)kc->class == sc->kclass) &&
		(!sc->subclass_hash || scope_hash_name(kc->subclass, strlen(kc->subclass)) == sc->subclass_hash);
}

static void filter_classes(struct selection *k)
{
	if (k->sc->kclass < 0 && !k->sc->subclass_hash && !k->sc->kernel_hash)
		return;
	k->class_ok = xcalloc(k->p->n_strs, 1);
	for (str_id id = 0; id < k->p->n_strs; id++) {
		size_t n;
		const char *s;

		if (k->f->kclass_of[id] == ID_NONE)
			continue;
		if (!class_picked(k->sc, &k->f->kclasses[k->f->kclass_of[id]]))
			continue;
		s = profile_str(k->p, id, &n);
		k->class_ok[id] = !k->sc->kernel_hash || scope_hash_name(s, n) == k->sc->kernel_hash;
	}
}

static bool launches_picked(const struct selection *k, ev_id call)
{
	uint32_t first, n = profile_launched_by(k->p, call, &first);

	for (uint32_t i = first; i < first + n; i++) {
		ev_id e = k->p->by_launch[i];

		if (e >= k->p->layer_first[LAYER_KERNEL] && e < k->p->layer_first[LAYER_KERNEL + 1] &&
		    k->class_ok[k->p->name[e]])
			return true;
	}
	return false;
}

/* op_ok: the selected op and everything below it; and with a kernel filter only what launches such kernels, up to the roots. */
static void filter_ops(struct selection *k)
{
	const struct op_layer *o = &k->f->ops;
	uint8_t *launching;

	if (!k->sc->op_hash && !k->class_ok)
		return;
	k->op_ok = xmalloc(o->n);
	memset(k->op_ok, !k->sc->op_hash, o->n);
	for (uint32_t i = 0; k->sc->op_hash && i < o->n; i++) {
		size_t n;
		const char *s = profile_str(k->p, o->name[i], &n);

		k->op_ok[i] = scope_hash_name(s, rules_op_base(s, n)) == k->sc->op_hash ||
			(o->parent[i] != ID_NONE && k->op_ok[o->parent[i]]);
	}
	if (!k->class_ok)
		return;
	launching = xcalloc(o->n, 1);
	for (ev_id e = k->p->layer_first[LAYER_RUNTIME]; e < k->p->layer_first[LAYER_RUNTIME + 1]; e++)
		if (facts_op_of_call(k->f, e) != ID_NONE && launches_picked(k, e))
			for (uint32_t op = facts_op_of_call(k->f, e); op != ID_NONE && !launching[op]; op = o->parent[op])
				launching[op] = 1;
	for (uint32_t i = 0; i < o->n; i++)
		k->op_ok[i] &= launching[i];
	free(launching);
}

bool selection_init(struct selection *k, const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e)
{
	memset(k, 0, sizeof(*k));
	k->cx = cx;
	k->sc = sc;
	k->f = cx->facts[source];
	k->p = k->f->p;
	k->src = &cx->session->sources[source];
	k->all = sc->window == WINDOW_ALL;
	source_window(k);
	if (sc->window == WINDOW_STEPS && !k->window.n)
		return err_set(e, ERR_USAGE, "%s: no step %" PRId64 "%s (steps: %u)", k->src->path, sc->step_a,
			sc->step_b != sc->step_a ? " …" : "", k->f->n_steps);
	filter_classes(k);
	filter_ops(k);
	return true;
}

void selection_fini(struct selection *k)
{
	spans_fini(&k->window);
	free(k->class_ok);
	free(k->op_ok);
	memset(k, 0, sizeof(*k));
}

bool selects_at(const struct selection *k, ns_t t)
{
	return k->all || spans_contain(&k->window, t);
}

ns_t selection_clip(const struct selection *k, ns_t start, ns_t end)
{
	return k->all ? end - start : spans_overlap(&k->window, start, end);
}

ns_t pick_overlap(const struct selection *k, const struct spans *s, ns_t start, ns_t end)
{
	ns_t sum = 0;

	if (k->all)
		return spans_overlap(s, start, end);
	for (size_t i = spans_seek(&k->window, start); i < k->window.n && k->window.a[i].start < end; i++) {
		ns_t from = k->window.a[i].start > start ? k->window.a[i].start : start;
		ns_t to = k->window.a[i].end < end ? k->window.a[i].end : end;

		sum += spans_overlap(s, from, to);
	}
	return sum;
}

const struct span *selection_windows(const struct selection *k, size_t *n)
{
	static const struct span everything = { -NS_LIMIT, NS_LIMIT };

	*n = k->all ? 1 : k->window.n;
	return k->all ? &everything : k->window.a;
}

enum phase selection_gpu_phase(const struct selection *k, ev_id e)
{
	thread_id t = facts_launch_thread(k->f, e);

	return t == ID_NONE ? PHASE_N : facts_phase_at(k->f, k->f->threads[t].proc, k->p->start[k->p->link[e]]);
}

static bool name_is(const struct selection *k, str_id id, uint64_t hash)
{
	size_t n;
	const char *s = profile_str(k->p, id, &n);

	return scope_hash_name(s, n) == hash;
}

/* The selected op is the innermost op of the call or above it. */
static bool call_in_op(const struct selection *k, ev_id call)
{
	uint32_t op = call == ID_NONE ? ID_NONE : facts_op_of_call(k->f, call);

	return op != ID_NONE && k->op_ok[op];
}

bool selects_gpu(const struct selection *k, enum layer l, const struct track *tr, ev_id e)
{
	ev_id call = k->p->link[e];
	const struct scope *sc = k->sc;

	if (sc->device != SCOPE_ANY && tr->device != sc->device)
		return false;
	if (!k->all && !spans_contain(&k->window, call != ID_NONE ? k->p->start[call] : k->p->start[e]))
		return false;
	if (sc->pid != SCOPE_ANY && tr->pid >= 0 && tr->pid != sc->pid)
		return false;
	if ((sc->tid != SCOPE_ANY || sc->roles) && (call == ID_NONE || !selects_thread(k, facts_launch_thread(k->f, e))))
		return false;
	if (k->class_ok && (l != LAYER_KERNEL || !k->class_ok[k->p->name[e]]))
		return false;
	if (sc->phases && !(selection_gpu_phase(k, e) < PHASE_N && sc->phases >> selection_gpu_phase(k, e) & 1))
		return false;
	if (sc->op_hash && !call_in_op(k, call))
		return false;
	return !sc->runtime_hash || (call != ID_NONE && name_is(k, k->p->name[call], sc->runtime_hash));
}

bool selects_thread(const struct selection *k, thread_id t)
{
	const struct thread *th = &k->p->threads[t];

	work_count(1);
	return (k->sc->pid == SCOPE_ANY || th->pid == k->sc->pid) && (k->sc->tid == SCOPE_ANY || th->tid == k->sc->tid) &&
		(!k->sc->roles || k->sc->roles >> k->f->threads[t].role & 1);
}

bool selects_call(const struct selection *k, ev_id call)
{
	const struct scope *sc = k->sc;

	if (k->class_ok && !launches_picked(k, call))
		return false;
	if (sc->op_hash && !call_in_op(k, call))
		return false;
	return !sc->runtime_hash || name_is(k, k->p->name[call], sc->runtime_hash);
}

bool selects_op(const struct selection *k, uint32_t op)
{
	return !k->op_ok || k->op_ok[op];
}

void selection_describe(const struct selection *k, struct table *t)
{
	char text[64];

	table_source(t, k->src->path);
	t->partial |= k->p->partial;
	if (t->n_sources > 1)
		return;
	scope_window_text(k->sc, text, sizeof(text));
	t->window_kind = k->no_steps ? "all" : arena_strndup(&t->arena, text, strlen(text));
	if (k->window.n) {
		t->start_ns = selection_session_time(k, k->window.a[0].start);
		t->end_ns = selection_session_time(k, k->window.a[k->window.n - 1].end);
	}
	t->wall_ns = k->wall;
	if (k->no_steps)
		table_note(t, _("no step markers: the whole capture is one window"));
	for (uint32_t i = 0; i < k->f->n_procs && k->sc->window == WINDOW_STEADY; i++)
		if (k->f->procs[i].n_steps && k->f->procs[i].too_few)
			table_note(t, _("%s: too few steps for a verdict (fewer than 3 steady ones)"), k->src->path);
}
