/*
 * pyidle.c - view `pyidle`: what Python did while the GPU idled.
 *
 * Where frames and device are on one clock, it is a measurement: the innermost frame of the issuing thread at each idle instant, of torch's
 * frames or of a sampler that says when its samples were. Else the idle time of each step and phase is divided by the shares that a sampler
 * saw in that phase (py_shares.h), and every such row says that it is an estimate.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "calc/owners.h"
#include "facts/parts.h"
#include "measure/device_state.h"
#include "measure/py_threads.h"
#include "scope/analysis.h"
#include "scope/device_window.h"
#include "views/python/rows.h"

static const struct column_def cols[] = {
	PY_COLS("device", N_("Device"), UNIT_ID, N_("number of the device"), N_("of the idle time of the device (in the step)")),
};

/* A device beside the source that shows the Python frames of its process. */
struct beside {
	const struct selection *k;		/* of the device */
	const struct facts *f;		/* of the frames */
	uint32_t proc;			/* in f; of samples in the facts of the device */
	ns_t ahead;			/* time there = time here + ahead */
	ns_t apart;			/* how far equal steps lie apart there; 0 on one clock; NS_UNKNOWN: none to compare */
	bool sampled;
};

/* Idle time by step, phase, function and the frame that says what is done. */
struct idle_sum {
	uint32_t pool;
	enum phase phase;
	uint32_t frame, decides;	/* events of the frames; of samples the node, and ID_NONE */
	ns_t ns, unsure;
};
struct idle_view {
	const struct beside *b;
	const struct rules *rules;
	struct py_pools *pools;
	struct groups g;
	struct names names;
	VEC(struct idle_sum) rows;
	const struct spans *idle;
	struct selection sampler;		/* of samples */
	struct scope sc;
	struct pytree st;
	uint32_t *node_of;		/* per frame of the sampler: node, ID_NONE of threads that issue nothing */
	ns_t longest;			/* of the samples that lie in idle time */
	ev_id *decides, first;		/* per frame of the track at hand, which begins at `first` */
};

/* Steps and phases are those of the trace. */
static const struct facts *ruler(const struct beside *b)
{
	return b->sampled ? b->k->f : b->f;
}

/* Adds [start, end) of idle time; unsure: none of it is sure. name and by: what tells rows apart. */
static void add_time(struct idle_view *v, ns_t start, ns_t end, uint32_t name, uint32_t by, struct idle_sum x, bool unsure)
{
	for (ns_t from = start; start < end;) {
		struct py_piece piece = py_cut(v->pools, ruler(v->b), v->b->proc, start, end);
		uint32_t i = groups_add(&v->g, &(struct group_key){ .k = { (uint64_t)piece.pool << 8 | piece.phase, name, by } });

		if (i == v->rows.n) {
			x.pool = piece.pool;
			x.phase = piece.phase;
			VEC_PUSH(&v->rows, x);
		}
		v->rows.a[i].ns += piece.end - start;
		v->rows.a[i].unsure += unsure || piece.start > from || piece.end < end ? piece.end - start : 0;
		start = piece.end;
	}
}

/* ---- frames of a trace ---- */

static bool decides(const struct idle_view *v, ev_id e)
{
	struct host_class hc;
	size_t n;
	const char *s = profile_str(v->b->f->p, v->b->f->p->name[e], &n);

	rules_python(v->rules, s, n, &hc);
	return hc.known && !hc.transparent;
}

/* Per frame of a track: the innermost one around it that decides, itself included; ID_NONE none. A caller stands before what it calls. */
static void find_deciding(struct idle_view *v, const struct track *tr)
{
	const struct profile *p = v->b->f->p;

	v->decides = xreallocarray(v->decides, tr->count, sizeof(*v->decides));
	v->first = tr->first;
	for (uint32_t i = 0; i < tr->count; i++) {
		ev_id e = tr->first + i;

		v->decides[i] = decides(v, e) ? e : p->parent[e] == ID_NONE ? ID_NONE : v->decides[p->parent[e] - tr->first];
	}
}

static void add_frame(void *arg, const struct owner_span *piece)
{
	struct idle_view *v = arg;
	const struct profile *p = v->b->f->p;
	ev_id d = v->decides[piece->owner - v->first];

	add_time(v, piece->start, piece->end, names_id(&v->names, p->name[piece->owner]), d == ID_NONE ? ID_NONE : names_id(&v->names, p->name[d]),
		(struct idle_sum){ .frame = piece->owner, .decides = d }, false);
}

static void add_idle(const struct spans *idle, ns_t start, ns_t end, struct spans *out)
{
	for (size_t w = spans_seek(idle, start); w < idle->n && idle->a[w].start < end; w++)
		spans_append(out, idle->a[w].start > start ? idle->a[w].start : start, idle->a[w].end < end ? idle->a[w].end : end);
}

/* The idle instants in which `thread` issues work, on the clock of the frames. `slots`: the issuing segments of each thread. */
static void thread_idle(const struct beside *b, const struct spans *idle, const struct group_index *slots, thread_id thread,
	struct spans *out)
{
	const struct proc_facts *pf = &b->f->procs[b->proc];

	for (uint32_t i = slots->first[thread]; i < slots->first[thread + 1]; i++) {
		uint32_t at = slots->v[i];

		add_idle(idle, pf->issue[at].start, at + 1 < pf->n_issue ? pf->issue[at + 1].start : INT64_MAX, out);
	}
	if (!pf->n_issue && pf->main == thread)
		spans_copy(out, idle);
}

static struct group_index issuing_slots(const struct proc_facts *pf, uint32_t n_threads)
{
	uint32_t *key = xreallocarray(NULL, pf->n_issue, sizeof(*key));
	struct group_index ix;

	for (uint32_t i = 0; i < pf->n_issue; i++)
		key[i] = pf->issue[i].thread;
	ix = group_index_new(key, pf->n_issue, n_threads);
	free(key);
	return ix;
}

static void measure_frames(struct idle_view *v)
{
	const struct facts *f = v->b->f;
	const struct profile *p = f->p;
	struct group_index slots = issuing_slots(&f->procs[v->b->proc], p->n_threads);

	names_enter(&v->names, p);
	for (track_id t = p->layer_track[LAYER_PYTHON]; t < p->layer_track[LAYER_PYTHON + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		struct spans own = { 0 };
		struct owner_list frames = { 0 };

		if (f->threads[tr->thread].proc == v->b->proc)
			thread_idle(v->b, v->idle, &slots, tr->thread, &own);
		if (own.n) {
			find_deciding(v, tr);
			owner_list_of_track(&frames, p->start + tr->first, p->dur + tr->first, tr->count, tr->first);
			owner_list_clip(&frames, &own, add_frame, v);
		}
		owner_list_fini(&frames);
		spans_fini(&own);
	}
	group_index_fini(&slots);
}

/* Whether the frame, or one around it, loads data always: then a queue below it does, too. */
static bool loads(const struct idle_view *v, ev_id e)
{
	const struct profile *p = v->b->f->p;

	for (; e != ID_NONE; e = p->parent[e]) {
		struct host_class hc;
		size_t n;
		const char *s = profile_str(p, p->name[e], &n);

		rules_python(v->rules, s, n, &hc);
		if (hc.dataload && !hc.elsewhere.level2)
			return true;
	}
	return false;
}

static void put_frame(struct table *t, uint32_t row, const struct idle_view *v, const struct idle_sum *s)
{
	const struct profile *pr = v->b->f->p;
	struct frame_name fn;
	struct host_class hc;
	char op[512], letter[2] = { 0 };
	bool borrowed;
	size_t n;
	const char *name = profile_str(pr, pr->name[s->frame], &n);

	rules_frame_name(name, n, &fn);
	rules_python(v->rules, name, n, &hc);
	letter[0] = hc.framework;
	borrowed = !hc.known && fn.kind != FRAME_PYTHON;
	if (fn.kind == FRAME_PYTHON) {
		table_str(t, row, PY_FUNCTION, fn.func, fn.func_len);
		table_str(t, row, PY_FILE, fn.file, fn.file_len);
		table_i64(t, row, PY_LINE, fn.line > 0 ? fn.line : I64_UNKNOWN);
	} else {
		table_str(t, row, PY_FUNCTION, fn.key, fn.key_len);
	}
	if (s->decides != ID_NONE) {
		name = profile_str(pr, pr->name[s->decides], &n);
		rules_frame_name(name, n, &fn);
		rules_python(v->rules, name, n, &hc);
		if (!loads(v, s->decides))
			rules_under(&hc, &hc.elsewhere);
		rules_level2(hc.level2, fn.func, fn.func_len, op, sizeof(op));
		table_cstr(t, row, PY_OPERATION, op);
		letter[0] = borrowed ? hc.framework : letter[0];	/* a built-in is its caller's */
	}
	table_cstr(t, row, PY_FRAMEWORK, letter);
	table_cstr(t, row, PY_SAMPLER, v->b->k->cx->session->sources[v->b->f->source].path);
}

/* ---- samples ---- */

static bool open_sampler(struct idle_view *v, struct err *e)
{
	const struct profile *p = v->b->f->p;
	struct py_issuers w;

	scope_init(&v->sc);
	v->sc.window = WINDOW_ALL;	/* the idle time that it is for may be anywhere */
	if (!pytree_pick(&v->sampler, &v->sc, v->b->k->cx, v->b->f->source, e) || !pytree_make(&v->st, &v->sampler, e))
		return false;
	v->node_of = xreallocarray(NULL, p->n_frames, sizeof(*v->node_of));
	memset(v->node_of, 0xff, p->n_frames * sizeof(*v->node_of));
	w = py_issuers_of(&v->st, v->b->k->f->procs[v->b->proc].pid);
	/* threads of autograd run beside the main one: an idle instant has one frame */
	for (uint32_t i = 0; i < v->st.n; i++)
		if (py_issues(&w, &v->st, &v->st.a[i]) && v->st.threads.a[v->st.a[i].owner].role != ROLE_AUTOGRAD)
			v->node_of[v->st.a[i].source] = i;
	return true;
}

static void close_sampler(struct idle_view *v)
{
	free(v->node_of);
	pytree_fini(&v->st);
	selection_fini(&v->sampler);
}

static void measure_samples(struct idle_view *v)
{
	const struct profile *p = v->b->f->p;

	for (uint32_t i = 0; i < p->n_frame_samples; i++) {
		const struct frame_sample *s = &p->frame_samples[i];
		uint32_t node = v->node_of[s->frame];
		ns_t from = s->start - v->b->ahead, to = from + s->dur;

		for (size_t w = spans_seek(v->idle, from); node != ID_NONE && w < v->idle->n && v->idle->a[w].start < to; w++) {
			ns_t start = v->idle->a[w].start > from ? v->idle->a[w].start : from;
			ns_t end = v->idle->a[w].end < to ? v->idle->a[w].end : to;

			v->longest = s->dur > v->longest ? s->dur : v->longest;
			add_time(v, start, end, v->st.func_of[v->st.a[node].frame], v->st.a[node].decides, (struct idle_sum){ .frame = node, .decides = ID_NONE },
				start > from || end < to);
		}
	}
}

/* ---- rows ---- */

static int by_time(uint32_t a, uint32_t b, const void *arg)
{
	const struct idle_view *v = arg;
	const struct idle_sum *x = &v->rows.a[a], *y = &v->rows.a[b];
	int c = split_cmp(v->pools->a.a[x->pool].split, v->pools->a.a[y->pool].split);

	if (c || x->ns == y->ns)
		return c ? c : (x->phase > y->phase) - (x->phase < y->phase);
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static const char *basis_text(struct table *t, const struct idle_view *v)
{
	const struct beside *b = v->b;
	char num[NUM_TEXT_MAX];

	if (b->sampled)
		return arena_printf(&t->arena, _("clocks linked by epoch, samples up to %s long"), num_ns(v->longest, num));
	if (b->f == b->k->f)
		return _("one clock");
	if (b->apart == NS_UNKNOWN)
		return _("clocks linked by epoch");
	return arena_printf(&t->arena, _("clocks linked by epoch, steps up to %s apart"), num_ns(b->apart, num));
}

/* What is left of a pool has no frame on the issuing thread. */
static void put_rest(struct table *t, const struct py_pools *p, const struct py_pool *x, const char *basis)
{
	for (enum phase ph = PHASE_DATALOAD; ph < PHASE_N; ph++)
		if (x->ns[ph])
			py_put_row(t, p, x, ph, x->ns[ph], basis);
}

static void put_measured(struct table *t, const struct idle_view *v)
{
	const char *basis = basis_text(t, v);
	uint32_t *order = groups_order((uint32_t)v->rows.n, by_time, v), *pools = py_pools_order(v->pools);
	size_t at = 0;

	for (size_t i = 0; i < v->pools->a.n; i++) {
		struct py_pool *x = &v->pools->a.a[pools[i]];

		for (; at < v->rows.n && v->rows.a[order[at]].pool == pools[i]; at++) {
			const struct idle_sum *s = &v->rows.a[order[at]];
			uint32_t row = py_put_row(t, v->pools, x, s->phase, s->ns, basis);

			if (v->b->sampled) {
				py_put_node(t, row, &v->st, s->frame, v->sampler.src->path);
				table_i64(t, row, PY_UNSURE, s->unsure);
			} else {
				put_frame(t, row, v, s);
			}
			x->ns[s->phase] -= s->ns;
		}
		put_rest(t, v->pools, x, basis);
	}
	free(order);
	free(pools);
}

static bool put_all_measured(struct table *t, struct py_pools *p, const struct beside *b, const struct spans *idle, struct err *e)
{
	struct idle_view v = { .b = b, .rules = b->k->cx->rules, .pools = p, .names = { .cut = py_name_cut }, .idle = idle };
	bool ok = !b->sampled || open_sampler(&v, e);

	if (ok && b->sampled)
		measure_samples(&v);
	else if (ok)
		measure_frames(&v);
	if (ok)
		put_measured(t, &v);
	if (b->sampled)
		close_sampler(&v);
	VEC_FREE(&v.rows);
	free(v.decides);
	groups_fini(&v.g);
	names_fini(&v.names);
	return ok;
}

/* ---- where the frames of a device are ---- */

/* How far the markers of equal steps lie apart on a clock that two sources share. */
static ns_t steps_apart(const struct facts *a, const struct facts *b, ns_t ahead)
{
	ns_t apart = NS_UNKNOWN;

	for (uint32_t i = 0; i < a->n_steps; i++) {
		for (uint32_t k = 0; k < b->n_steps; k++) {
			ns_t d;

			if (a->steps[i].number != b->steps[k].number)
				continue;
			d = a->steps[i].start + ahead - b->steps[k].start;
			d = d < 0 ? -d : d;
			apart = d > apart ? d : apart;
			break;
		}
	}
	return apart;
}

static bool has_frames(const struct facts *f)
{
	return f && f->p->layer_first[LAYER_PYTHON] < f->p->layer_first[LAYER_PYTHON + 1];
}

/* A file of the same run on the same clock. */
static bool may_tell(const struct selection *k, uint32_t source)
{
	const struct session *s = k->cx->session;
	const struct facts *f = k->cx->facts[source];

	return f && s->sources[source].clock_group == k->src->clock_group &&
		(f->p->rank < 0 || k->p->rank < 0 || f->p->rank == k->p->rank);
}

/* Samples say no process: they are of the device's where the trace has but one that trains. */
static bool find_samples(struct beside *b, const struct selection *k, uint32_t proc)
{
	uint32_t training = 0;

	for (uint32_t i = 0; i < k->f->n_procs; i++)
		training += k->f->procs[i].training;
	for (uint32_t i = 0; training == 1 && proc != ID_NONE && i < k->cx->session->n_sources; i++) {
		if (!may_tell(k, i) || !k->cx->facts[i]->p->n_frame_samples || facts_few_frames(k->cx->facts[i]))
			continue;
		*b = (struct beside){ .k = k, .f = k->cx->facts[i], .proc = proc, .sampled = true,
			.ahead = k->src->shift_ns - k->cx->session->sources[i].shift_ns };
		return true;
	}
	return false;
}

/* The frames of the device's process: of the same file, of another trace, of a sampler. */
static bool find_frames(struct beside *b, const struct selection *k, uint32_t proc)
{
	const struct session *s = k->cx->session;
	int64_t pid = proc == ID_NONE ? -1 : k->f->procs[proc].pid;

	*b = (struct beside){ .k = k, .f = has_frames(k->f) ? k->f : NULL, .proc = proc };
	for (uint32_t i = 0; !b->f && i < s->n_sources; i++) {
		const struct facts *f = k->cx->facts[i];

		if (!may_tell(k, i) || !has_frames(f))
			continue;
		for (b->proc = 0; b->proc < f->n_procs && f->procs[b->proc].pid != pid; b->proc++)
			;
		if (b->proc == f->n_procs)
			continue;
		b->f = f;
		b->ahead = k->src->shift_ns - s->sources[i].shift_ns;
		b->apart = steps_apart(k->f, f, b->ahead);
	}
	return (b->f && b->proc != ID_NONE) || find_samples(b, k, proc);
}

static void shift(struct spans *s, ns_t by)
{
	for (size_t i = 0; i < s->n; i++) {
		s->a[i].start += by;
		s->a[i].end += by;
	}
}

static bool idle_device(struct table *t, const struct selection *k, const struct device_facts *d, struct pyjoin *j, struct err *e)
{
	uint32_t proc = device_proc(k, d->device);
	struct py_pools p = { .k = k, .device = d->device, .pid = proc == ID_NONE ? -1 : k->f->procs[proc].pid };
	struct spans window = { 0 }, states[GPU_STATE_N] = { { 0 } }, *idle = &states[GPU_IDLE];
	struct beside b;
	bool measured = find_frames(&b, k, proc), ok = true;

	selection_device_window(k, d, &window);
	gpu_state_spans(d, &window, states);
	if (measured && !b.sampled)
		shift(idle, b.ahead);
	for (size_t i = 0; i < idle->n; i++)
		py_pools_add(&p, measured ? ruler(&b) : k->f, measured ? b.proc : proc, idle->a[i].start, idle->a[i].end);
	if (measured) {
		ok = put_all_measured(t, &p, &b, idle, e);
	} else {
		pyjoin_weigh(j, k->f->source, p.pid);
		py_put_estimates(t, &p, j);
	}
	t->wall_ns += p.whole;
	for (int i = 0; i < GPU_STATE_N; i++)
		spans_fini(&states[i]);
	spans_fini(&window);
	py_pools_fini(&p);
	return ok;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct pyjoin j;
	struct selections ps = { 0 };
	bool done = pyjoin_open(&j, cx, sc, e) && selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);

	t->wall_ns = 0;
	for (uint32_t i = 0; i < ps.n && done; i++)
		for (uint32_t d = 0; d < ps.a[i].f->n_devices && done; d++)
			if (device_in_scope(&ps.a[i], &ps.a[i].f->devices[d]))
				done = idle_device(t, &ps.a[i], &ps.a[i].f->devices[d], &j, e);
	if (ps.n && !j.open && t->n_rows && table_cell(t, 0, PY_FUNCTION)->type == CELL_MISSING)
		table_note(t, _("no Python frames beside this device: record torch.profiler with_stack=True, or add a file of a sampler"));
	selections_close(&ps);
	pyjoin_close(&j);
	return done && !an_cancelled(cx, e);
}

const struct analysis an_pyidle = {
	.id = "pyidle", .title = N_("Python while the GPU idles"),
	.doc = N_("what Python did while a device was idle: measured on one clock, else estimated per step and phase from a sampler"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
