/*
 * expert.c - view `expert`: the expert rules of `nsys analyze`, under their names: copies and memory sets that hold up the host,
 * synchronisation, long gaps, stretches of little use. With the op and the Python frame that issued the call.
 *
 * Other than there: driver calls, HIP and event waits count as well, calls and copies are joined per process, and use of a device is the
 * union of its work. The thresholds are the official defaults: copies from the host of up to 64000 bytes may be synchronous, gaps over
 * 500 ms, use below 50 % in one of 30 equal parts.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/tally.h"
#include "scope/analysis.h"

#define SMALL_COPY 64000
#define GAP_NS INT64_C(500000000)
#define PARTS 30

enum { C_RULE, C_CALL, C_OP, C_COUNT, C_TIME, C_HOST, C_LOST, C_KIND, C_SRC, C_DST, C_BYTES, C_DEVICE, C_START, C_USE, C_FRAME, C_BY };

static const struct column_def cols[] = {
	[C_RULE] = { "rule", N_("Rule"), UNIT_TEXT, COL_KEY, 0, N_("name of the rule in `nsys analyze`") },
	[C_CALL] = { "call", N_("Call"), UNIT_TEXT, 0, 1, N_("API call") },
	[C_OP] = { "op", N_("Operator"), UNIT_TEXT, 0, 2, N_("innermost op around the call") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 0, N_("calls, gaps or stretches") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, COL_BAR, 0, N_("of the copies or sets on the device; of the calls; of the gap or stretch") },
	[C_HOST] = { "host_ns", N_("Call time"), UNIT_NS, 0, 1, N_("time that the calls hold the thread, inside the window") },
	[C_LOST] = { "lost_ns", N_("Lost"), UNIT_NS, COL_BAR, 0, N_("part of it in which the devices of the process are idle") },
	[C_KIND] = { "kind", N_("Kind"), UNIT_TEXT, 0, 3, N_("direction of the copy") },
	[C_SRC] = { "src", N_("From"), UNIT_TEXT, 0, 4, N_("memory kind of the source") },
	[C_DST] = { "dst", N_("To"), UNIT_TEXT, 0, 4, N_("memory kind of the destination") },
	[C_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, 0, 1, N_("bytes copied or set") },
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, 0, 5, N_("device of a gap or stretch") },
	[C_START] = { "start_ns", N_("Start"), UNIT_TIME, 0, 6, N_("where the gap, the stretch or the longest of the calls begins") },
	[C_USE] = { "in_use", N_("In use"), UNIT_RATIO, 0, 5, N_("share of the stretch in which the device works") },
	[C_FRAME] = { "frame", N_("Python frame"), UNIT_TEXT, COL_NAME, 2, N_("innermost Python function around the call that is no wrapper") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum expert_rule { R_NONE, R_MEMCPY_ASYNC, R_MEMCPY_SYNC, R_MEMSET_SYNC, R_API_SYNC, R_GAPS, R_UTIL };
static const char *const rule_names[] = { "", "cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync", "gpu_gaps", "gpu_time_util" };

enum { OPS, FRAMES };

struct expert_acc {
	struct tally_row row;
	enum expert_rule rule;
	const struct selection *k;		/* of the longest call */
	ev_id call;			/* it */
	uint32_t op;			/* number in names, ID_NONE */
	str_id frame;			/* of k, ID_NONE */
	struct copy_detail copy;	/* kinds of all of them */
	bool has_copy, unsized;
	int64_t bytes;
	ns_t time, host, lost, max;
};
struct expert_view {
	struct tally y;
	const struct selection *k;
	struct proc_busies busy;	/* of the present source */
	uint8_t *wrapper;		/* per string of the present source: is the frame one, 2 not known */
	track_id *python;		/* per thread of the present source: its frames, ID_NONE */
};

/* ---- which rule a call breaks ---- */

static bool has_word(const char *s, size_t n, const char *word)
{
	return memmem(s, n, word, strlen(word)) != NULL;
}

static enum expert_rule rule_of_copy(bool set, bool async, const struct copy_detail *cd)
{
	if (set) {
		bool host = cd && (cd->dst == MEM_PINNED || cd->dst == MEM_MANAGED);

		return !async && host ? R_MEMSET_SYNC : R_NONE;
	}
	if (async)
		return cd && (cd->src == MEM_PAGEABLE || cd->dst == MEM_PAGEABLE) ? R_MEMCPY_ASYNC : R_NONE;
	if (cd && (cd->kind == COPY_DTOD || (cd->kind == COPY_HTOD && cd->bytes >= 0 && cd->bytes <= SMALL_COPY)))
		return R_NONE;
	return R_MEMCPY_SYNC;
}

/* The copy or set that the call made, ID_NONE: not recorded. */
static ev_id work_of(const struct profile *p, ev_id call, enum layer l)
{
	uint32_t first, n = profile_launched_by(p, call, &first);

	for (uint32_t i = first; i < first + n; i++)
		if (p->by_launch[i] >= p->layer_first[l] && p->by_launch[i] < p->layer_first[l + 1])
			return p->by_launch[i];
	return ID_NONE;
}

/* ---- who made it ---- */

static bool is_wrapper(struct expert_view *v, str_id id)
{
	if (id >= v->k->p->n_strs)
		return true;
	if (v->wrapper[id] == 2) {
		struct frame_name fn;
		struct host_class hc;
		size_t n;
		const char *s = profile_str(v->k->p, id, &n);

		rules_frame_name(s, n, &fn);
		rules_python(v->k->cx->rules, s, n, &hc);
		v->wrapper[id] = fn.kind != FRAME_PYTHON || hc.transparent;
	}
	return v->wrapper[id];
}

static str_id frame_of(struct expert_view *v, thread_id thread, ns_t at)
{
	const struct profile *p = v->k->p;
	track_id t = v->python[thread];
	ev_id e = t == ID_NONE ? ID_NONE : track_event_at(p, &p->tracks[t], at);

	while (e != ID_NONE && is_wrapper(v, p->name[e]))
		e = p->parent[e];
	return e == ID_NONE ? ID_NONE : p->name[e];
}

/* ---- adding up ---- */

static struct expert_acc *acc_of(struct expert_view *v, enum expert_rule rule, const struct track *tr, ev_id call, const struct copy_detail *cd)
{
	const struct profile *p = v->k->p;
	uint32_t op = facts_op_of_call(v->k->f, call), frame = frame_of(v, tr->thread, p->start[call]);
	uint32_t op_name = op == ID_NONE ? ID_NONE : names_id(&v->y.names[OPS], v->k->f->ops.name[op]);
	uint32_t frame_name = frame == ID_NONE ? ID_NONE : names_id(&v->y.names[FRAMES], frame);
	uint64_t kinds = cd ? 1 + ((uint64_t)cd->kind << 16 | (uint64_t)cd->src << 8 | cd->dst) : 0;
	struct group_key key = { .k = { kinds << 8 | rule, (uint64_t)op_name << 32 | frame_name } };
	struct expert_acc *a;

	key.name = profile_str(p, p->name[call], &key.name_len);
	a = tally_host(&v->y, v->k, tr->thread, p->start[call], &key);
	if (a->row.n == 1) {
		a->rule = rule;
		a->op = op_name;
		a->max = -1;
		a->has_copy = cd;
		a->copy = cd ? *cd : a->copy;
	}
	return a;
}

static void add_call(struct expert_view *v, const struct track *tr, ev_id call, enum expert_rule rule, ev_id work)
{
	const struct selection *k = v->k;
	const struct profile *p = k->p;
	const struct copy_detail *cd = work == ID_NONE || p->aux[work] >= p->n_copies ? NULL : &p->copies[p->aux[work]];
	struct expert_acc *a = acc_of(v, rule, tr, call, cd);
	ns_t in = selection_clip(k, p->start[call], ev_end(p, call));

	a->host += in;
	a->lost += in - pick_overlap(k, proc_busy(&v->busy, k->f->threads[tr->thread].proc), p->start[call], ev_end(p, call));
	a->time += rule == R_API_SYNC ? in : work == ID_NONE ? 0 : p->dur[work];
	if (cd && cd->bytes != I64_UNKNOWN)
		a->bytes += cd->bytes;
	else
		a->unsized = true;
	if (in > a->max) {
		a->max = in;
		a->k = k;
		a->call = call;
		a->frame = frame_of(v, tr->thread, p->start[call]);
	}
}

static bool in_phase(const struct selection *k, thread_id t, ns_t at)
{
	return !k->sc->phases || (k->sc->phases >> facts_phase_at(k->f, k->f->threads[t].proc, at) & 1);
}

static void look_at(struct expert_view *v, const struct track *tr, ev_id call)
{
	const struct selection *k = v->k;
	const struct profile *p = k->p;
	enum rt_class rt = facts_rt(k->f, call);
	enum expert_rule rule = rt == RT_SYNC ? R_API_SYNC : R_NONE;
	ev_id work = ID_NONE;

	if ((rt != RT_SYNC && rt != RT_MEMCPY) || !selects_at(k, p->start[call]) || !selects_call(k, call) || !in_phase(k, tr->thread, p->start[call]))
		return;
	if (rt == RT_MEMCPY) {
		size_t n;
		const char *s = profile_str(p, p->name[call], &n);
		bool set = has_word(s, n, "Memset");

		work = work_of(p, call, set ? LAYER_MEMSET : LAYER_MEMCPY);
		rule = rule_of_copy(set, has_word(s, n, "Async"),
			work == ID_NONE || p->aux[work] >= p->n_copies ? NULL : &p->copies[p->aux[work]]);
	}
	if (rule != R_NONE)
		add_call(v, tr, call, rule, work);
}

static void enter(struct expert_view *v, const struct selection *k)
{
	const struct profile *p = k->p;

	v->k = k;
	proc_busies_init(&v->busy, k->f);
	v->wrapper = xmalloc((size_t)p->n_strs + 1);
	memset(v->wrapper, 2, p->n_strs);
	v->python = xreallocarray(NULL, (size_t)p->n_threads + 1, sizeof(*v->python));
	memset(v->python, 0xff, p->n_threads * sizeof(*v->python));
	for (track_id t = p->layer_track[LAYER_PYTHON]; t < p->layer_track[LAYER_PYTHON + 1]; t++)
		v->python[p->tracks[t].thread] = t;
}

static void leave(struct expert_view *v)
{
	proc_busies_fini(&v->busy);
	free(v->wrapper);
	free(v->python);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct expert_view *v = view;
	const struct profile *p = k->p;
	bool ok = true;

	(void)t;
	enter(v, k);
	for (track_id i = p->layer_track[LAYER_RUNTIME]; i < p->layer_track[LAYER_RUNTIME + 1] && ok; i++) {
		const struct track *tr = &p->tracks[i];

		ok = !an_cancelled(k->cx, e);
		for (ev_id call = tr->first; ok && selects_thread(k, tr->thread) && call < tr->first + tr->count; call++)
			look_at(v, tr, call);
	}
	leave(v);
	return ok;
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct expert_acc *a = pa, *b = pb;
	int c = tally_cmp_place(&a->row, &b->row);

	c = c ? c : (int)a->rule - (int)b->rule;
	return c ? c : tally_cmp_down(a->host, b->host);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	const struct expert_acc *a = acc;
	const struct profile *p = a->k->p;
	ns_t start = selection_session_time(a->k, p->start[a->call]);

	table_cstr(t, row, C_RULE, rule_names[a->rule]);
	an_str(t, row, C_CALL, a->k, p->name[a->call]);
	names_put(t, row, C_OP, &y->names[OPS], a->op);
	table_i64(t, row, C_COUNT, (int64_t)a->row.n);
	if (a->rule == R_API_SYNC || a->has_copy)
		table_i64(t, row, C_TIME, a->time);
	table_i64(t, row, C_HOST, a->host);
	if (a->k->f->n_devices)
		table_i64(t, row, C_LOST, a->lost);
	if (a->has_copy) {
		if (a->rule != R_MEMSET_SYNC)
			table_cstr(t, row, C_KIND, copy_kind_name((enum copy_kind)a->copy.kind));
		table_cstr(t, row, C_SRC, a->rule == R_MEMSET_SYNC ? NULL : mem_kind_name((enum mem_kind)a->copy.src));
		table_cstr(t, row, C_DST, mem_kind_name((enum mem_kind)a->copy.dst));
	}
	if (a->has_copy && !a->unsized)
		table_i64(t, row, C_BYTES, a->bytes);
	table_i64(t, row, C_START, start);
	an_str(t, row, C_FRAME, a->k, a->frame);
	an_ref(t, row, REF_TIME, a->k->f->source, start, start + p->dur[a->call], C_CALL);
}

/* ---- devices ---- */

static void put_stretch(struct table *t, const struct selection *k, const struct device_facts *d, enum expert_rule rule, ns_t start, ns_t end)
{
	uint32_t row = table_row(t);
	ns_t at = selection_session_time(k, start);

	table_cstr(t, row, C_RULE, rule_names[rule]);
	table_i64(t, row, C_COUNT, 1);
	table_i64(t, row, C_TIME, end - start);
	table_i64(t, row, C_DEVICE, d->device);
	table_i64(t, row, C_START, at);
	table_f64(t, row, C_USE, (double)spans_overlap(&d->any, start, end) / (double)(end - start));
	an_ref(t, row, REF_TIME, k->f->source, at, at + end - start, C_RULE);
	an_row_source(t, row, k, -1);
}

static void put_gaps(struct table *t, const struct selection *k, const struct device_facts *d, const struct spans *window)
{
	struct spans holes = { 0 };

	spans_subtract(&holes, window, &d->any);
	for (size_t i = 0; i < holes.n; i++)
		if (holes.a[i].end - holes.a[i].start > GAP_NS)
			put_stretch(t, k, d, R_GAPS, holes.a[i].start, holes.a[i].end);
	spans_fini(&holes);
}

/* Neighbouring parts of little use are one stretch. */
static void put_util(struct table *t, const struct selection *k, const struct device_facts *d, ns_t start, ns_t end)
{
	ns_t part = (end - start + PARTS - 1) / PARTS, from = start, since = INT64_MIN;

	for (; part && from < end; from += part) {
		ns_t to = from + part < end ? from + part : end;
		bool low = 2 * spans_overlap(&d->any, from, to) < to - from;

		if (low && since == INT64_MIN)
			since = from;
		if (!low && since != INT64_MIN) {
			put_stretch(t, k, d, R_UTIL, since, from);
			since = INT64_MIN;
		}
	}
	if (since != INT64_MIN)
		put_stretch(t, k, d, R_UTIL, since, end);
}

static void put_devices(struct table *t, const struct selection *k)
{
	for (uint32_t i = 0; i < k->f->n_devices; i++) {
		const struct device_facts *d = &k->f->devices[i];
		struct spans window = { 0 };

		selection_device_window(k, d, &window);
		put_gaps(t, k, d, &window);
		for (size_t w = 0; w < window.n; w++)
			put_util(t, k, d, window.a[w].start, window.a[w].end);
		spans_fini(&window);
	}
}

static const struct tally_view how = {
	.kind = NEED_RUNTIME, .none = N_("no API calls recorded: the rules cannot be applied"), .source = add_source, .n_names = 2,
	.row_size = sizeof(struct expert_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct expert_view v = { .y.how = &how, .y.names[OPS].cut = rules_op_base };
	bool ok = tally_collect(&v.y, cx, sc, t, e);

	if (ok)
		tally_put(&v.y, t);
	for (uint32_t i = 0; i < v.y.ps.n && ok && !sc->phases; i++)
		put_devices(t, &v.y.ps.a[i]);
	tally_fini(&v.y);
	return ok;
}

const struct analysis an_expert = {
	.id = "expert", .title = N_("Expert rules"), .doc = N_("the expert rules of nsys: blocking copies and waits with their callers, long gaps, little use"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
