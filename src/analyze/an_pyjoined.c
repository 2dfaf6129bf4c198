/*
 * an_pyjoined.c - Python functions beside the GPU: view `pyhost`, who the host part of the ops and the time between all events
 * belongs to, and view `pyidle`, what Python did while the GPU idled.
 *
 * Where frames and device are on one clock, pyidle is a measurement: the innermost frame of the issuing thread at each idle instant.
 * Elsewhere the time of each phase is divided by the shares that a sampler of another run saw in that phase (pyjoin.h), and every
 * such row says that it is an estimate. In both the rows of a phase sum exactly to its time.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/an_common.h"
#include "analyze/analyses.h"
#include "analyze/devwin.h"
#include "analyze/gpu_state.h"
#include "analyze/leaf.h"
#include "analyze/opsplit.h"
#include "analyze/picks.h"
#include "analyze/pyjoin.h"
#include "base/num.h"

enum { C_PART, C_PHASE, C_FRAMEWORK, C_FUNCTION, C_FILE, C_LINE, C_OPERATION, C_TIME, C_SHARE, C_BASIS, C_SAMPLER };

#define COLS(part_id, part_title, part_unit, part_doc, share_doc)						\
	[C_PART] = { part_id, part_title, part_unit, COL_KEY, 1, part_doc },					\
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, COL_KEY, 1, N_("phase of the step") },			\
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 3, N_("whose code it is, by letter (? shows them)") },	\
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_KEY | COL_NAME, 0,				\
		N_("Python function; none: no frame or no sample tells") },					\
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 4, N_("source file, as recorded") },			\
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 4, N_("first line of the function") },			\
	[C_OPERATION] = { "operation", N_("Operation"), UNIT_TEXT, 0, 2, N_("what the innermost known frame does") },	\
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, 0, 0, N_("of the trace; the rows of a phase sum to it") },	\
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, share_doc },				\
	[C_BASIS] = { "basis", N_("Basis"), UNIT_TEXT, 0, 2, N_("one clock: measured; sampled estimate: by the shares of another run") }, \
	[C_SAMPLER] = { "sampler", N_("Sampler"), UNIT_TEXT, 0, 8, N_("file whose samples or frames these are") },	\
	SOURCE_COLS

static const struct column_def host_cols[] = {
	COLS("part", N_("Part"), UNIT_TEXT, N_("host part of the ops, or time in which the issuing thread shows no event"),
		N_("of the time of the part, over all phases")),
};
static const struct column_def idle_cols[] = {
	COLS("device", N_("Device"), UNIT_ID, N_("number of the device"), N_("of the idle time of the device")),
};

/* A time per phase that is to be told by function. */
struct pool {
	const struct pick *k;
	const char *part;	/* pyhost */
	int64_t device;		/* pyidle */
	int64_t pid;
	ns_t ns[PHASE_N];
	ns_t whole;
};

static void pool_add(struct pool *p, const struct facts *f, uint32_t proc, ns_t start, ns_t end)
{
	const struct proc_facts *pf = proc == ID_NONE ? NULL : &f->procs[proc];

	while (start < end) {
		uint32_t i = pf && pf->n_phases ? facts_phase_index(pf, start) : 0;
		ns_t to = pf && i + 1 < pf->n_phases && pf->phases[i + 1].start < end ? pf->phases[i + 1].start : end;

		p->ns[pf && pf->n_phases ? pf->phases[i].phase : PHASE_OTHER] += to - start;
		p->whole += to - start;
		start = to;
	}
}

/* ---- rows ---- */

static uint32_t put_row(struct table *t, const struct pool *p, enum phase phase, ns_t ns, const char *basis)
{
	uint32_t row = table_row(t);

	if (p->part)
		table_cstr(t, row, C_PART, p->part);
	else
		table_i64(t, row, C_PART, p->device);
	table_cstr(t, row, C_PHASE, phase_name(phase));
	table_i64(t, row, C_TIME, ns);
	if (p->whole > 0)
		table_f64(t, row, C_SHARE, (double)ns / (double)p->whole);
	if (basis)
		table_cstr(t, row, C_BASIS, basis);
	an_row_source(t, row, p->k, p->pid);
	return row;
}

static void put_sampled(struct table *t, uint32_t row, const struct pyjoin *j, uint32_t node)
{
	const struct py_node *nd = &j->st.a[node];
	const struct py_frame *f = &j->st.frames.a[nd->frame];
	char letter[2] = { nd->letter, '\0' }, op[512];

	if (letter[0])
		table_cstr(t, row, C_FRAMEWORK, letter);
	table_str(t, row, C_FUNCTION, f->func, f->func_len);
	if (f->file_len)
		table_str(t, row, C_FILE, f->file, f->file_len);
	if (f->line > 0)
		table_i64(t, row, C_LINE, f->line);
	table_cstr(t, row, C_OPERATION, pytree_operation(&j->st, nd, op, sizeof(op)));
	table_cstr(t, row, C_SAMPLER, j->k.src->path);
}

/* The phase with the next most time: the first of those that are left in `todo`. */
static enum phase next_phase(const struct pool *p, unsigned todo)
{
	enum phase best = PHASE_N;

	for (enum phase ph = PHASE_DATALOAD; ph < PHASE_N; ph++)
		if (todo >> ph & 1 && (best == PHASE_N || p->ns[ph] > p->ns[best]))
			best = ph;
	return best;
}

static void put_estimates(struct table *t, const struct pool *p, const struct pyjoin *j)
{
	enum phase ph;

	for (unsigned todo = (1u << PHASE_N) - 1; (ph = next_phase(p, todo)) != PHASE_N; todo &= ~(1u << ph)) {
		size_t n = j->of[ph].n;
		int64_t *part = xcalloc(n ? n : 1, sizeof(*part));

		if (p->ns[ph] && !n)
			put_row(t, p, ph, p->ns[ph], NULL);
		else if (p->ns[ph])
			apportion(p->ns[ph], j->of[ph].a, n, part);
		for (size_t i = 0; i < n && p->ns[ph]; i++)
			if (part[i])
				put_sampled(t, put_row(t, p, ph, part[i], _("sampled estimate")), j, j->of[ph].a[i].node);
		free(part);
	}
}

/* ---- pyhost ---- */

static void ops_pool(struct pool *p, const struct pick *k)
{
	struct op_split *s = op_splits(k);

	for (uint32_t t = 0; t < k->f->ops.n_tracks; t++) {
		const struct op_track *tr = &k->f->ops.tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
			ns_t host = s[i].self;

			for (int c = 0; c < RT_N; c++)
				host -= s[i].rt[c];
			if (!pick_op(k, i) || !host)
				continue;
			/* the phase in which the op starts, as `ops --by phase` counts it */
			p->ns[facts_phase_at(k->f, k->f->threads[tr->thread].proc, k->f->ops.start[i])] += host;
			p->whole += host;
		}
	}
	free(s);
}

/* No event at all, or nothing inside the marker of a step: what a trace without frames shows of Python. */
static bool between_events(const struct leaves *ls, uint32_t leaf)
{
	size_t n;
	const char *l2 = leaves_str(ls, ls->a[leaf].l2, &n);

	return leaf == LEAF_UNTRACED || (ls->a[leaf].l1 == L1_OTHER && n == 13 && !memcmp(l2, "step boundary", n));
}

static void between_pool(struct pool *p, const struct pick *k)
{
	struct leaves ls;

	leaves_init(&ls, k->cx->rules);
	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		const struct proc_facts *pf = &k->f->procs[i];
		struct spans window = { 0 };
		struct segs segs = { 0 };

		if (!pf->training || pf->main == ID_NONE || (k->sc->pid != SCOPE_ANY && pf->pid != k->sc->pid))
			continue;
		pick_proc_window(k, i, &window);
		leaf_partition(&ls, k, i, &window, &segs);
		for (size_t s = 0; s < segs.n; s++)
			if (between_events(&ls, segs.a[s].owner))
				pool_add(p, k->f, i, segs.a[s].start, segs.a[s].end);
		spans_fini(&window);
		segs_fini(&segs);
	}
	leaves_fini(&ls);
}

static void host_source(struct table *t, const struct pick *k, const struct pyjoin *j)
{
	struct pool ops = { .k = k, .part = _("host part of the ops"), .pid = -1 }, rest = { .k = k, .part = _("between events"), .pid = -1 };

	if (split_known(k)) {
		ops_pool(&ops, k);
		put_estimates(t, &ops, j);
	} else {
		table_note(t, _("%s: no runtime calls recorded: the host part of its ops is unknown"), k->src->path);
	}
	between_pool(&rest, k);
	put_estimates(t, &rest, j);
	t->wall_ns = ops.whole + rest.whole;
	if (k->p->caps & CAP_PYTHON)
		table_note(t, _("%s records Python frames itself: `stacks` of a chosen op are measured, these rows are not"), k->src->path);
}

static bool run_host(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct pyjoin j;
	struct picks ps = { 0 };
	bool done = pyjoin_open(&j, cx, e);

	if (done && !j.open)
		table_note(t, _("no sampler's file: add one of pyinstrument or py-spy, of a run like this one"));
	else if (done)
		done = picks_open(&ps, cx, sc, VIEW_OPS, t, _("no operators: record with torch.profiler (CPU activities)"), e);
	for (uint32_t i = 0; i < ps.n; i++)
		host_source(t, &ps.a[i], &j);
	if (ps.n)
		table_note(t, _("times are of the trace, their division among functions of %s, another run: an estimate, per phase"), j.k.src->path);
	picks_close(&ps);
	pyjoin_close(&j);
	return done && !an_cancelled(cx, e);
}

const struct analysis an_pyhost = {
	.id = "pyhost", .title = N_("Host time by Python function"),
	.doc = N_("host part of the ops, and the time between events, by Python function: an estimate by the shares of a sampler"),
	.cols = host_cols, .n_cols = N_COLS(host_cols), .run = run_host,
};

/* ---- pyidle ---- */

/* A device beside the source that shows the Python frames of its process. */
struct beside {
	const struct pick *k;		/* of the device */
	const struct facts *f;		/* of the frames */
	uint32_t proc;			/* in f */
	ns_t ahead;			/* time there = time here + ahead */
	ns_t apart;			/* how far equal steps lie apart there; 0 on one clock; NS_UNKNOWN: none to compare */
};

/* Idle time by phase, function and the frame that says what is done. */
struct idle_sum {
	enum phase phase;
	ev_id frame, decides;
	ns_t ns;
};
struct idle_view {
	const struct beside *b;
	const struct rules *rules;
	struct groups g;
	struct names names;
	VEC(struct idle_sum) rows;
};

static bool decides(const struct idle_view *v, ev_id e)
{
	struct host_class hc;
	size_t n;
	const char *s = profile_str(v->b->f->p, v->b->f->p->name[e], &n);

	rules_python(v->rules, s, n, &hc);
	return hc.known && !hc.transparent;
}

static void add_frame(void *arg, const struct seg *piece)
{
	struct idle_view *v = arg;
	const struct profile *p = v->b->f->p;
	struct pool cut = { 0 };
	ev_id d = piece->owner;

	while (d != ID_NONE && !decides(v, d))
		d = p->parent[d];
	pool_add(&cut, v->b->f, v->b->proc, piece->start, piece->end);
	for (enum phase ph = PHASE_DATALOAD; ph < PHASE_N; ph++) {
		uint32_t name = names_id(&v->names, p->name[piece->owner]), by = d == ID_NONE ? ID_NONE : names_id(&v->names, p->name[d]), i;

		if (!cut.ns[ph])
			continue;
		i = groups_add(&v->g, &(struct group_key){ .k = { ph, name, by } });
		if (i == v->rows.n)
			VEC_PUSH(&v->rows, (struct idle_sum){ ph, piece->owner, d, 0 });
		v->rows.a[i].ns += cut.ns[ph];
	}
}

/* The idle instants in which `thread` issues work, on the clock of the frames. */
static void thread_idle(const struct beside *b, const struct spans *idle, thread_id thread, struct spans *out)
{
	const struct proc_facts *pf = &b->f->procs[b->proc];
	struct spans slots = { 0 };

	for (uint32_t i = 0; i < pf->n_issue; i++)
		if (pf->issue[i].thread == thread)
			spans_append(&slots, pf->issue[i].start, i + 1 < pf->n_issue ? pf->issue[i + 1].start : INT64_MAX);
	if (!pf->n_issue && pf->main == thread)
		spans_append(&slots, INT64_MIN, INT64_MAX);
	spans_intersect(out, idle, &slots);
	spans_fini(&slots);
}

static void measure(struct idle_view *v, const struct spans *idle)
{
	const struct facts *f = v->b->f;
	const struct profile *p = f->p;

	for (track_id t = p->layer_track[LAYER_PYTHON]; t < p->layer_track[LAYER_PYTHON + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		struct spans own = { 0 };
		struct segs frames = { 0 };

		if (f->threads[tr->thread].proc == v->b->proc)
			thread_idle(v->b, idle, tr->thread, &own);
		if (own.n) {
			segs_of_track(&frames, p->start + tr->first, p->dur + tr->first, tr->count, tr->first);
			segs_clip(&frames, &own, add_frame, v);
		}
		segs_fini(&frames);
		spans_fini(&own);
	}
}

static int by_time(uint32_t a, uint32_t b, const void *arg)
{
	const struct idle_sum *x = (const struct idle_sum *)arg + a, *y = (const struct idle_sum *)arg + b;

	if (x->ns == y->ns)
		return (x->phase > y->phase) - (x->phase < y->phase);
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void put_measured(struct table *t, const struct pool *p, const struct idle_view *v, const struct idle_sum *s, const char *basis)
{
	const struct profile *pr = v->b->f->p;
	uint32_t row = put_row(t, p, s->phase, s->ns, basis);
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
		table_str(t, row, C_FUNCTION, fn.func, fn.func_len);
		table_str(t, row, C_FILE, fn.file, fn.file_len);
		table_i64(t, row, C_LINE, fn.line > 0 ? fn.line : I64_UNKNOWN);
	} else {
		table_str(t, row, C_FUNCTION, fn.key, fn.key_len);
	}
	if (s->decides != ID_NONE) {
		name = profile_str(pr, pr->name[s->decides], &n);
		rules_frame_name(name, n, &fn);
		rules_python(v->rules, name, n, &hc);
		rules_level2(hc.level2, fn.func, fn.func_len, op, sizeof(op));
		table_cstr(t, row, C_OPERATION, op);
		letter[0] = borrowed ? hc.framework : letter[0];	/* a built-in is its caller's */
	}
	table_cstr(t, row, C_FRAMEWORK, letter);
	table_cstr(t, row, C_SAMPLER, v->b->k->cx->session->sources[v->b->f->source].path);
}

static const char *basis_text(struct table *t, const struct beside *b)
{
	char num[NUM_TEXT_MAX];

	if (b->f == b->k->f)
		return _("one clock");
	if (b->apart == NS_UNKNOWN)
		return _("clocks linked by epoch");
	return arena_printf(&t->arena, _("clocks linked by epoch, steps up to %s apart"), num_ns(b->apart, num));
}

static void put_all_measured(struct table *t, struct pool *p, const struct beside *b, const struct spans *idle, const struct rules *rules)
{
	struct idle_view v = { .b = b, .rules = rules, .names = { .cut = py_name_cut } };
	const char *basis = basis_text(t, b);
	uint32_t *order;

	names_enter(&v.names, b->f->p);
	measure(&v, idle);
	order = groups_order((uint32_t)v.rows.n, by_time, v.rows.a);
	for (size_t i = 0; i < v.rows.n; i++) {
		const struct idle_sum *s = &v.rows.a[order[i]];

		put_measured(t, p, &v, s, basis);
		p->ns[s->phase] -= s->ns;
	}
	/* what is left has no frame on the issuing thread */
	for (enum phase ph = PHASE_DATALOAD; ph < PHASE_N; ph++)
		if (p->ns[ph])
			put_row(t, p, ph, p->ns[ph], basis);
	free(order);
	VEC_FREE(&v.rows);
	groups_fini(&v.g);
	names_fini(&v.names);
}

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

/* The frames of the device's process: of the same file, else of a file of the same run on the same clock. */
static bool find_frames(struct beside *b, const struct pick *k, uint32_t proc)
{
	const struct session *s = k->cx->session;
	int64_t pid = proc == ID_NONE ? -1 : k->f->procs[proc].pid;

	*b = (struct beside){ .k = k, .f = has_frames(k->f) ? k->f : NULL, .proc = proc };
	for (uint32_t i = 0; !b->f && i < s->n_sources; i++) {
		const struct facts *f = k->cx->facts[i];

		if (!has_frames(f) || s->sources[i].clock_group != k->src->clock_group ||
		    (f->p->rank >= 0 && k->p->rank >= 0 && f->p->rank != k->p->rank))
			continue;
		for (b->proc = 0; b->proc < f->n_procs && f->procs[b->proc].pid != pid; b->proc++)
			;
		if (b->proc == f->n_procs)
			continue;
		b->f = f;
		b->ahead = k->src->shift_ns - s->sources[i].shift_ns;
		b->apart = steps_apart(k->f, f, b->ahead);
	}
	return b->f && b->proc != ID_NONE;
}

static void shift(struct spans *s, ns_t by)
{
	for (size_t i = 0; i < s->n; i++) {
		s->a[i].start += by;
		s->a[i].end += by;
	}
}

static void idle_device(struct table *t, const struct pick *k, const struct device_facts *d, const struct pyjoin *j)
{
	uint32_t proc = device_proc(k, d->device);
	struct pool p = { .k = k, .device = d->device, .pid = proc == ID_NONE ? -1 : k->f->procs[proc].pid };
	struct spans window = { 0 }, states[GPU_STATE_N] = { { 0 } }, *idle = &states[GPU_IDLE];
	struct beside b;
	bool measured = find_frames(&b, k, proc);

	pick_device_window(k, d, &window);
	gpu_state_spans(d, &window, states);
	if (measured)
		shift(idle, b.ahead);
	for (size_t i = 0; i < idle->n; i++)
		pool_add(&p, measured ? b.f : k->f, measured ? b.proc : proc, idle->a[i].start, idle->a[i].end);
	if (measured)
		put_all_measured(t, &p, &b, idle, k->cx->rules);
	else
		put_estimates(t, &p, j);
	t->wall_ns += p.whole;
	for (int i = 0; i < GPU_STATE_N; i++)
		spans_fini(&states[i]);
	spans_fini(&window);
}

static bool run_idle(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct pyjoin j;
	struct picks ps = { 0 };
	bool done = pyjoin_open(&j, cx, e) && picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);

	t->wall_ns = 0;
	for (uint32_t i = 0; i < ps.n && done; i++)
		for (uint32_t d = 0; d < ps.a[i].f->n_devices; d++)
			if (device_in_scope(&ps.a[i], &ps.a[i].f->devices[d]))
				idle_device(t, &ps.a[i], &ps.a[i].f->devices[d], &j);
	if (ps.n && !j.open && t->n_rows && table_cell(t, 0, C_FUNCTION)->type == CELL_MISSING)
		table_note(t, _("no Python frames beside this device: record torch.profiler with_stack=True, or add a file of a sampler"));
	picks_close(&ps);
	pyjoin_close(&j);
	return done && !an_cancelled(cx, e);
}

const struct analysis an_pyidle = {
	.id = "pyidle", .title = N_("Python while the GPU idles"),
	.doc = N_("what Python did while a device was idle: measured on one clock, else estimated per phase from a sampler"),
	.cols = idle_cols, .n_cols = N_COLS(idle_cols), .run = run_idle,
};
