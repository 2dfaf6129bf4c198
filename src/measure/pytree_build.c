/* pytree_build.c - makes the call trees of samplers and traces, see pytree.h */
#include "measure/pytree.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "calc/owners.h"
#include "measure/py_by_step.h"
#include "measure/py_threads.h"
#include "scope/columns.h"
#include "scope/selections.h"

#define STANDARD_LIBRARY "stdlib"	/* as data/frames.rules calls it */

/* ---- frames ---- */

/* "libcudart.so.12" of its path. */
static uint32_t module_of(struct pytree *st, const struct py_frame *f)
{
	const char *base = f->file_len ? memrchr(f->file, '/', f->file_len) : NULL;

	if (!f->file_len)
		return ID_NONE;
	base = base ? base + 1 : f->file;
	return strtab_intern(&st->libs, base, f->file_len - (size_t)(base - f->file));
}

/* What stands first below site-packages; of everything else that no rule knows it is the user's. */
static uint32_t library_of(struct pytree *st, const struct py_frame *f)
{
	static const char *const marks[] = { "site-packages/", "dist-packages/" };

	if (f->hc.library)
		return strtab_intern(&st->libs, f->hc.library, strlen(f->hc.library));
	if (st->native)
		return module_of(st, f);
	for (size_t i = 0; i < 2; i++) {
		const char *at = f->file_len ? memmem(f->file, f->file_len, marks[i], strlen(marks[i])) : NULL;
		size_t n, left;

		if (!at)
			continue;
		at += strlen(marks[i]);
		left = f->file_len - (size_t)(at - f->file);
		for (n = 0; n < left && at[n] != '/'; n++)
			;
		if (n == left && n > 3 && !memcmp(at + n - 3, ".py", 3))
			n -= 3;
		return strtab_intern(&st->libs, at, n);
	}
	if (text_holds(f->file, f->file_len, "lib/python3"))
		return strtab_intern(&st->libs, STANDARD_LIBRARY, strlen(STANDARD_LIBRARY));
	/* "<built-in>", "<string>", nothing */
	if (!f->file || !f->file_len || f->file[0] == '<' || f->kind != NODE_CODE)
		return ID_NONE;
	return strtab_intern(&st->libs, PY_USER_CODE, strlen(PY_USER_CODE));
}

static uint32_t add_frame(struct pytree *st, struct py_frame f)
{
	if (st->no_device)
		rules_under(&f.hc, &f.hc.cpu);
	f.elsewhere = f.hc;
	rules_under(&f.elsewhere, &f.hc.elsewhere);
	f.alone = f.hc;
	rules_under(&f.alone, &f.hc.alone);
	f.lib = library_of(st, &f);
	f.body = text_is(f.func, f.func_len, "<module>");
	f.runs = text_holds(f.file, f.file_len, "runpy") || text_holds(f.file, f.file_len, "importlib");
	f.imports = rules_frame_imports(f.file, f.file_len, f.func, f.func_len);
	VEC_PUSH(&st->frames, f);
	return (uint32_t)st->frames.n - 1;
}

static uint32_t traced_frame(struct pytree *st, const struct selection *k, const char *name, size_t len)
{
	struct frame_name fn;
	struct py_frame f;

	rules_frame_name(name, len, &fn);
	f = (struct py_frame){ .func = fn.func, .file = fn.file, .func_len = fn.func_len, .file_len = fn.file_len, .line = fn.line };
	if (fn.kind != FRAME_PYTHON)
		f = (struct py_frame){ .func = fn.key, .func_len = fn.key_len };
	rules_python(k->cx->rules, name, len, &f.hc);
	return add_frame(st, f);
}

static bool holds_frames(uint32_t kind)
{
	return kind == NODE_THREAD || kind == NODE_PROCESS;
}

static uint32_t sampled_frame(struct pytree *st, const struct selection *k, const struct frame_node *n, struct groups *seen)
{
	uint32_t i = groups_add(seen, &(struct group_key){ .k = { (uint64_t)n->function << 32 | n->file, (uint64_t)(uint32_t)n->line,
		n->class_name, n->kind } });
	struct py_frame f = { .line = n->line, .kind = n->kind };

	if (i < st->frames.n)
		return i;
	f.func = profile_str(k->p, n->function, &f.func_len);
	f.file = profile_str(k->p, n->file, &f.file_len);
	f.cls = profile_str(k->p, n->class_name, &f.cls_len);
	if (holds_frames(n->kind))
		f.hc = (struct host_class){ .l1 = L1_OTHER, .level1 = "other", .level2 = "" };
	else
		rules_frame(k->cx->rules, f.file, f.file_len, f.func, f.func_len, &f.hc);
	return add_frame(st, f);
}

/* ---- a sampler's tree ---- */

/* Of a source of counts, samples stand for times; what a node has itself is what its children do not have. */
static void count_selfs(struct calltree *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->a[i].total = t->a[i].self = t->a[i].count == I64_UNKNOWN ? 0 : t->a[i].count;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->a[i].parent != ID_NONE)
			t->a[t->a[i].parent].self -= t->a[i].total;
	for (uint32_t i = 0; i < t->n; i++)
		t->a[i].self = t->a[i].self > 0 ? t->a[i].self : 0;
}

/* Totals of a tree of own times. */
static void sum_selfs(struct calltree *t, bool counted)
{
	for (uint32_t i = t->n; i-- > 0;) {
		struct call_node *nd = &t->a[i];

		nd->total += nd->self;
		if (nd->parent != ID_NONE)
			t->a[nd->parent].total += nd->total;
		if (!counted)
			nd->count = I64_UNKNOWN;
	}
}

static bool split_samples(struct pytree *st, const struct selection *k, struct calltree *t, const uint32_t *name_of)
{
	bool split = k->sc->by == BY_STEP || k->sc->by == BY_PHASE || k->sc->by == BY_MICROBATCH;
	struct pyruler r;

	if ((k->all && !split) || !pyruler_of(&r, k->cx, k->f->source))
		return false;
	pysplit_tree(t, k, name_of, &r);
	st->split_by = split ? k->cx->session->sources[r.f->source].path : NULL;
	st->cut_by = k->all ? NULL : k->cx->session->sources[r.f->source].path;
	sum_selfs(t, false);
	return true;
}

static void whole_samples(const struct selection *k, struct calltree *t, const uint32_t *name_of)
{
	t->n = t->cap = k->p->n_frames;
	t->a = xcalloc(t->n, sizeof(*t->a));
	for (uint32_t i = 0; i < t->n; i++) {
		const struct frame_node *f = &k->p->frames[i];

		t->a[i] = (struct call_node){ .parent = f->parent < 0 ? ID_NONE : (uint32_t)f->parent, .split = SPLIT_NONE, .sample = i,
			.count = f->samples, .total = f->total_ns, .self = f->self_ns, .name = name_of[i] };
	}
}

static void sampled_tree(struct pytree *st, const struct selection *k, struct calltree *t)
{
	uint32_t *name_of = xreallocarray(NULL, k->p->n_frames, sizeof(*name_of));
	struct groups seen = { 0 };
	int64_t roots = 0, wall;

	st->sampled = true;
	st->native = !profile_python_samples(k->p);
	st->timed = k->p->frames[0].total_ns != NS_UNKNOWN;
	for (uint32_t i = 0; i < k->p->n_frames; i++)
		name_of[i] = sampled_frame(st, k, &k->p->frames[i], &seen);
	groups_fini(&seen);
	if (!split_samples(st, k, t, name_of))
		whole_samples(k, t, name_of);
	free(name_of);
	if (!st->timed)
		count_selfs(t);
	for (uint32_t i = 0; i < t->n; i++)
		roots += t->a[i].parent == ID_NONE ? t->a[i].total : 0;
	/* several threads, and damaged files, have more than the wall: then shares are of all that there is */
	wall = st->cut_by ? k->wall : st->timed ? k->p->sampled_wall_ns : 0;
	st->wall = wall > roots ? wall : roots;
}

/* ---- torch's python_function events, merged by call path ---- */

struct traced {
	struct calltree *tree;
	struct names names;
	const struct selection *k;
	ev_id base;
	uint32_t *node_of;		/* per Python event: node of the split below; ID_NONE none yet */
	int64_t *split_of;
	VEC(ev_id) path;
	thread_id thread;
	ns_t owned;
};

size_t py_name_cut(const char *s, size_t n)
{
	struct frame_name fn;

	rules_frame_name(s, n, &fn);
	return fn.key == s ? fn.key_len : n;
}

/* The node of an event for a value of the split: made from the outermost caller down. */
static uint32_t node_of(struct traced *v, ev_id e, int64_t split)
{
	const struct profile *p = v->k->p;
	uint32_t node = ID_NONE;

	v->path.n = 0;
	for (; e != ID_NONE && node == ID_NONE; e = p->parent[e]) {
		if (v->node_of[e - v->base] != ID_NONE && v->split_of[e - v->base] == split)
			node = v->node_of[e - v->base];
		else
			VEC_PUSH(&v->path, e);
	}
	while (v->path.n) {
		e = v->path.a[--v->path.n];
		node = calltree_split_node(v->tree, node, names_id(&v->names, p->name[e]), e, split);
		v->node_of[e - v->base] = node;
		v->split_of[e - v->base] = split;
	}
	return node;
}

static void add_self(void *arg, const struct owner_span *piece)
{
	struct traced *v = arg;

	for (ns_t at = piece->start, end; at < piece->end; at = end) {
		uint32_t node = node_of(v, piece->owner, split_host(v->k, v->thread, at));

		end = split_edge(v->k->f, v->k->f->threads[v->thread].proc, v->k->sc->by, at);
		end = end < piece->end ? end : piece->end;
		v->tree->a[node].self += end - at;
		v->owned += end - at;
	}
}

/* What of a thread's time the chosen ops, calls or kernels take, inside the window. */
static void chosen_spans(const struct selection *k, thread_id thread, struct spans *out)
{
	const struct profile *p = k->p;
	const struct facts *f = k->f;
	uint32_t ops = f->threads[thread].op_track;
	struct spans all = { 0 };

	if (k->sc->op_hash && !k->sc->runtime_hash && ops != ID_NONE) {
		for (uint32_t i = f->ops.tracks[ops].first; i < f->ops.tracks[ops].first + f->ops.tracks[ops].count; i++)
			if (selects_op(k, i))
				spans_append(&all, f->ops.start[i], f->ops.start[i] + f->ops.dur[i]);
	} else if (!k->sc->op_hash || k->sc->runtime_hash) {
		track_id t = profile_host_track(p, LAYER_RUNTIME, thread);

		for (ev_id e = t == ID_NONE ? 0 : p->tracks[t].first; t != ID_NONE && e < p->tracks[t].first + p->tracks[t].count; e++)
			if (selects_call(k, e))
				spans_append(&all, p->start[e], ev_end(p, e));
	}
	spans_norm(&all);
	spans_intersect(out, &all, &k->window);
	spans_fini(&all);
}

/* Starts are counted where nothing is chosen: of a frame that an op lies in, no number of calls is of that op. */
static void count_starts(struct traced *v, const struct track *tr)
{
	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		ns_t start = v->k->p->start[e];
		uint32_t node;

		if (!selects_at(v->k, start))
			continue;
		node = node_of(v, e, split_host(v->k, tr->thread, start));
		v->tree->a[node].count++;
	}
}

static void add_track(struct traced *v, const struct track *tr)
{
	const struct profile *p = v->k->p;
	struct owner_list own = { 0 };
	struct spans chosen = { 0 };

	v->thread = tr->thread;
	v->owned = 0;
	owner_list_of_track(&own, p->start + tr->first, p->dur + tr->first, tr->count, tr->first);
	if (pytree_narrowed(v->k->sc)) {
		chosen_spans(v->k, tr->thread, &chosen);
		owner_list_clip(&own, &chosen, add_self, v);
	} else {
		owner_list_clip(&own, &v->k->window, add_self, v);
		count_starts(v, tr);
	}
	owner_list_fini(&own);
	spans_fini(&chosen);
}

static ns_t chosen_time(const struct selection *k)
{
	ns_t sum = 0;

	for (thread_id t = 0; t < k->p->n_threads; t++) {
		struct spans chosen = { 0 };

		if (selects_thread(k, t))
			chosen_spans(k, t, &chosen);
		sum += spans_measure(&chosen);
		spans_fini(&chosen);
	}
	return sum;
}

static void traced_tree(struct pytree *st, const struct selection *k, struct calltree *tree)
{
	const struct profile *p = k->p;
	struct traced v = { .tree = tree, .names = { .cut = py_name_cut }, .k = k, .base = p->layer_first[LAYER_PYTHON] };
	uint32_t n = p->layer_first[LAYER_PYTHON + 1] - v.base;
	ns_t owned = 0;

	names_enter(&v.names, p);
	v.node_of = xreallocarray(NULL, n, sizeof(*v.node_of));
	v.split_of = xcalloc(n, sizeof(*v.split_of));
	memset(v.node_of, 0xff, n * sizeof(*v.node_of));
	for (track_id t = p->layer_track[LAYER_PYTHON]; t < p->layer_track[LAYER_PYTHON + 1] && !job_cancelled(k->cx->job); t++) {
		if (!selects_thread(k, p->tracks[t].thread))
			continue;
		add_track(&v, &p->tracks[t]);
		owned += v.owned;
	}
	for (uint32_t i = 0; i < v.names.g.n; i++)
		traced_frame(st, k, v.names.g.keys[i].name, v.names.g.keys[i].name_len);
	sum_selfs(tree, !pytree_narrowed(k->sc));
	st->timed = true;
	st->wall = selection_walls(k, LAYER_PYTHON);
	if (pytree_narrowed(k->sc))
		st->no_frame = chosen_time(k) - owned;
	VEC_FREE(&v.path);
	free(v.node_of);
	free(v.split_of);
	names_fini(&v.names);
}

/* ---- what holds at a node ---- */

/* Equal functions of equal files, whatever their lines. */
static void number_functions(struct pytree *st)
{
	struct groups g = { 0 }, files = { 0 }, classes = { 0 };

	st->func_of = xreallocarray(NULL, st->frames.n, sizeof(*st->func_of));
	for (size_t i = 0; i < st->frames.n; i++) {
		const struct py_frame *f = &st->frames.a[i];
		uint32_t file = groups_add(&files, &(struct group_key){ .name = f->file_len ? f->file : "", .name_len = f->file_len });

		uint32_t cls = groups_add(&classes, &(struct group_key){ .name = f->cls ? f->cls : "", .name_len = f->cls_len });

		st->func_of[i] = groups_add(&g, &(struct group_key){ .k = { file, cls, f->kind }, .name = f->func, .name_len = f->func_len });
	}
	st->n_funcs = g.n;
	groups_fini(&g);
	groups_fini(&files);
	groups_fini(&classes);
}

/* Whether a module's body runs because of an import: some caller is a module's body too, and nothing like runpy started it. */
static bool is_import(const struct pytree *st, const struct py_node *nd, const bool *in_body)
{
	uint32_t up = nd->parent;

	if (!st->frames.a[nd->frame].body || up == ID_NONE)
		return false;
	return in_body[up] && !(st->frames.a[st->a[up].frame].runs && text_holds(st->frames.a[st->a[up].frame].file,
		st->frames.a[st->a[up].frame].file_len, "runpy"));
}

static uint8_t phase_of(const struct py_frame *f, uint8_t outer)
{
	enum phase own = f->hc.phase ? phase_by_name(f->hc.phase, strlen(f->hc.phase)) : PHASE_N;

	if (own == PHASE_FORWARD && (outer == PHASE_BACKWARD || outer == PHASE_RECOMPUTE))
		return PHASE_RECOMPUTE;
	return own == PHASE_N ? outer : own;
}

/* Of what no rule knows, the standard library and other people's packages are not the user's. */
static char letter_of(const struct pytree *st, const struct py_frame *f)
{
	size_t n;
	const char *lib = f->lib == ID_NONE ? "" : strtab_get(&st->libs, f->lib, &n);

	if (st->native && !f->hc.known)
		return 'E';
	if (f->hc.known || f->lib == ID_NONE || !strcmp(lib, PY_USER_CODE))
		return f->hc.framework;
	return !strcmp(lib, STANDARD_LIBRARY) ? 'S' : 'X';
}

/* Nothing holds below a thread but what its own frames say. */
static void start_thread(struct pytree *st, uint32_t i, bool process)
{
	struct py_node *nd = &st->a[i];
	uint32_t outer = nd->parent == ID_NONE ? ID_NONE : st->a[nd->parent].process;

	nd->lib = nd->decides = ID_NONE;
	nd->phase = PHASE_N;
	nd->thread = process ? ID_NONE : i;
	nd->process = process ? i : outer;
}

/*
 * Wrappers, built-ins and what no rule knows take over what holds for their caller, but for a forked process: of the frames that it was
 * forked in, nothing holds for its own work.
 */
static void classify_node(struct pytree *st, uint32_t i, bool *in_body)
{
	struct py_node *nd = &st->a[i];
	const struct py_frame *f = &st->frames.a[nd->frame];
	const struct py_node *above = nd->parent == ID_NONE ? NULL : &st->a[nd->parent], *up = f->hc.entry ? NULL : above;
	bool decides = f->hc.known && !f->hc.transparent;

	in_body[i] = f->body || (above && in_body[nd->parent]);
	nd->lib = f->lib != ID_NONE || !up ? f->lib : up->lib;
	nd->letter = f->lib == ID_NONE && up && up->letter ? up->letter : letter_of(st, f);
	nd->import = (up && up->import) || f->imports || is_import(st, nd, in_body);
	nd->decides = decides ? nd->frame : up ? up->decides : ID_NONE;
	nd->loads = (up && up->loads) || (decides && f->hc.dataload && !f->hc.elsewhere.level2);
	nd->elsewhere = decides ? f->hc.elsewhere.level2 && !nd->loads : up && up->elsewhere;
	nd->phase = nd->import ? PHASE_OTHER : phase_of(f, up ? up->phase : PHASE_N);
	nd->thread = above ? above->thread : ID_NONE;
	nd->process = above ? above->process : ID_NONE;
}

static void classify(struct pytree *st)
{
	bool *in_body = xcalloc(st->n, 1);

	for (uint32_t i = 0; i < st->n; i++) {
		uint32_t kind = st->frames.a[st->a[i].frame].kind;

		if (holds_frames(kind))
			start_thread(st, i, kind == NODE_PROCESS);
		else
			classify_node(st, i, in_body);
	}
	free(in_body);
}

static void self_counts(struct pytree *st)
{
	for (uint32_t i = 0; i < st->n; i++)
		st->a[i].self_count = st->sampled ? st->a[i].count : I64_UNKNOWN;
	for (uint32_t i = 0; st->sampled && i < st->n; i++) {
		struct py_node *up = st->a[i].parent == ID_NONE ? NULL : &st->a[st->a[i].parent];

		if (!up || up->self_count == I64_UNKNOWN)
			continue;
		if (st->a[i].count == I64_UNKNOWN || st->a[i].count > up->self_count)
			up->self_count = I64_UNKNOWN;
		else
			up->self_count -= st->a[i].count;
	}
}

static void take_order(struct pytree *st, const struct calltree *t)
{
	uint32_t *order, *rank;

	calltree_order(t, &order, &rank);
	st->n = t->n;
	st->a = xcalloc(t->n, sizeof(*st->a));
	st->split = xcalloc(t->n, sizeof(*st->split));
	for (uint32_t i = 0; i < t->n; i++) {
		const struct call_node *nd = &t->a[order[i]];

		st->a[i] = (struct py_node){ .parent = nd->parent == ID_NONE ? ID_NONE : rank[nd->parent], .frame = nd->name,
			.source = nd->sample, .owner = ID_NONE,
			.total = nd->total, .self = nd->self, .count = nd->count };
		st->split[i] = nd->split;
	}
	free(order);
	free(rank);
}

/* What a trace knows of its own threads and devices; a sampler may see one thread alone, and no device: the traces of the session know. */
static void ask_traces(struct pytree *st, const struct selection *k)
{
	bool device = false;

	for (uint32_t i = 0; i < k->cx->session->n_sources; i++) {
		const struct facts *f = k->cx->facts[i];

		if (!f || (!k->p->n_frames && f != k->f))
			continue;
		st->autograd |= f->autograd;
		st->no_device |= facts_no_device(f);
		device |= f->p->caps & (CAP_GPU | CAP_RUNTIME | CAP_DEVICE_UNREAD);
	}
	st->no_device &= !device;
}

bool pytree_make(struct pytree *st, const struct selection *k, struct err *e)
{
	struct calltree t = { 0 };

	memset(st, 0, sizeof(*st));
	ask_traces(st, k);
	if (k->p->n_frames)
		sampled_tree(st, k, &t);
	else
		traced_tree(st, k, &t);
	take_order(st, &t);
	calltree_fini(&t);
	number_functions(st);
	classify(st);
	self_counts(st);
	pytree_roles(st, k);
	pytree_narrow(st, k->sc);
	return !an_cancelled(k->cx, e);
}
