/*
 * host_partition.c - the leaves of the breakdown, see host_partition.h.
 *
 * At each instant the issuing thread's latest started active event of any layer is the leaf. Annotations and NVTX ranges, step
 * and micro-batch markers among them, are leaves only at instants at which nothing started later is active, which is what
 * "transparent where something lies inside" means for one instant; untraced is where no event is active at all.
 *
 * Some operations are made of ops, calls and waits that any other code has, too: the fetch of parameters, the recompute of a
 * checkpointed block, the gate of a mixture of experts, the optimizer's step. Rules call them owners: what lies inside keeps its level
 * 1 and 3 and takes the owner's level 2, so that one name at level 2 sums to all that the operation costs. The innermost owner counts,
 * and where a node of the backward pass begins, an owner around it ends. A wait that says by itself why it waits (item) and calls of the
 * allocator keep their names.
 */
#include "measure/host_partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/work.h"
#include "calc/owner_stream.h"

static const enum layer leaf_layers[] = {
	LAYER_NVTX, LAYER_NVTX_SE, LAYER_ANNOT, LAYER_PYTHON, LAYER_OP, LAYER_OTHER, LAYER_RUNTIME, LAYER_OVERHEAD,
};

#define MARKER "step boundary"	/* level 2 of what only a marker of steps is known of */

uint32_t host_leaf_intern(struct host_leaves *ls, enum level1 l1, const char *l2, const char *l3, size_t n3, bool keeps)
{
	uint32_t id2 = strtab_intern(&ls->names, l2, strlen(l2));
	uint32_t id3 = l3 ? strtab_intern(&ls->names, l3, n3) : ID_NONE;
	uint32_t i = map_get_or_put(&ls->index, (uint64_t)l1 << 32 | id2, id3, ls->n);

	if (i == ls->n) {
		if (ls->n == ls->cap) {
			ls->cap = (uint32_t)mem_grow(ls->cap, ls->n + 1);
			ls->a = xreallocarray(ls->a, ls->cap, sizeof(*ls->a));
		}
		ls->a[ls->n++] = (struct host_leaf){ l1, id2, id3, keeps };
	}
	return i;
}

void host_leaves_init(struct host_leaves *ls, const struct rules *r)
{
	memset(ls, 0, sizeof(*ls));
	ls->rules = r;
	host_leaf_intern(ls, L1_OTHER, "untraced", NULL, 0, true);
}

void host_leaves_fini(struct host_leaves *ls)
{
	strtab_fini(&ls->names);
	map_fini(&ls->index);
	map_fini(&ls->memo);
	free(ls->a);
	memset(ls, 0, sizeof(*ls));
}

bool leaf_is_marker(const struct host_leaves *ls, uint32_t leaf)
{
	size_t n;
	const char *l2 = host_leaves_str(ls, ls->a[leaf].l2, &n);

	return ls->a[leaf].l1 == L1_OTHER && text_is(l2, n, MARKER);
}

const char *host_leaves_str(const struct host_leaves *ls, uint32_t id, size_t *n)
{
	return strtab_get(&ls->names, id, n);
}

/* Markers of steps and micro-batches: time in which nothing else is known is nobody's work. */
static bool boundary(const struct host_leaves *ls, const char *s, size_t n)
{
	struct step_name sn;

	return (n > 13 && !memcmp(s, "ProfilerStep#", 13)) || rules_step_name(ls->rules, s, n, &sn) ||
		rules_microbatch_name(ls->rules, s, n, &sn);
}

static uint32_t op_leaf(struct host_leaves *ls, const struct selection *k, str_id id, const char *s, size_t n)
{
	struct host_class hc;
	char l2[512];

	n = rules_op_base(s, n);
	if (boundary(ls, s, n))
		return host_leaf_intern(ls, L1_OTHER, MARKER, s, n, true);
	rules_op(ls->rules, s, n, &hc);
	if (facts_no_device(k->f))
		rules_under(&hc, &hc.cpu);
	if (facts_on_cpu(k->f, id)) {
		rules_level2("{name} on the CPU", s, n, l2, sizeof(l2));
		return host_leaf_intern(ls, L1_COMPUTE, l2, s, n, false);
	}
	rules_level2(hc.level2, s, n, l2, sizeof(l2));
	return host_leaf_intern(ls, hc.l1, l2, s, n, hc.sync);
}

/* What a call does at an instant. A copy that blocks its caller waits, copies and returns (definitions §6); other calls do one thing. */
enum call_part { PART_WHOLE, PART_WAIT, PART_COPY, PART_DISPATCH, PART_N };

/* The class of a part of a blocking copy; `whole` is that of the call by its name. */
static struct runtime_class class_of_part(const struct runtime_class *whole, enum call_part part)
{
	struct runtime_class rc = *whole;

	if (part == PART_WAIT) {
		rc.rt = RT_SYNC;
		rc.l1 = L1_SYNC;
		rc.level2 = "wait in {name}";
	} else if (part == PART_COPY) {
		rc.rt = RT_OTHER;	/* the transfer is not the op's dispatch */
		rc.l1 = L1_DATA_MOVEMENT;
		rc.level2 = "blocking copy ({name})";
	} else if (part == PART_DISPATCH && rc.blocks) {
		rc.level2 = "copy dispatch";
	}
	return rc;
}

/* A runtime call: level 1 by the call; level 2 is that of the op that made it, where there is one and it fits; a wait names its op. */
static uint32_t call_leaf(struct host_leaves *ls, const struct selection *k, ev_id e, enum call_part part)
{
	uint32_t op = facts_op_of_call(k->f, e);
	struct runtime_class rc;
	struct host_class hc;
	char l2[512];
	size_t n, on = 0, base;
	const char *s = profile_str(k->p, k->p->name[e], &n), *os = NULL;
	bool waits;

	base = rules_runtime_base(s, n);
	if (facts_first(k->f, e) == FIRST_LOADS)
		return host_leaf_intern(ls, L1_FRAMEWORK, "first launch of a kernel (lazy loading)", s, base, true);
	rules_runtime_class(ls->rules, s, n, &rc);
	rc = class_of_part(&rc, part);
	if (op != ID_NONE) {
		os = profile_str(k->p, k->f->ops.name[op], &on);
		on = rules_op_base(os, on);
		rules_op(ls->rules, os, on, &hc);
	}
	waits = os && rc.rt == RT_SYNC && hc.sync;
	if (waits || (os && ((rc.rt == RT_LAUNCH && hc.l1 == L1_FRAMEWORK) || (rc.rt == RT_MEMCPY && hc.l1 == L1_DATA_MOVEMENT))))
		rules_level2(hc.level2, os, on, l2, sizeof(l2));
	else
		rules_level2(os && rc.rt == RT_SYNC ? "wait in {name}" : rc.level2, os && rc.rt == RT_SYNC ? os : s,
			os && rc.rt == RT_SYNC ? on : base, l2, sizeof(l2));
	return host_leaf_intern(ls, rc.l1, l2, s, base, waits || (rc.category && !strcmp(rc.category, "memory management")));
}

enum { FRAME_KNOWN = 1, FRAME_DECIDES = 2, FRAME_LOADS = 4, FRAME_MAY_LOAD = 8 };

/*
 * Whether a rule knows a frame, whether it is no wrapper, so that it speaks for unknown frames inside, and whether it loads data, always or
 * below a frame that does: asked once per name.
 */
static uint32_t frame_says(struct host_leaves *ls, const struct selection *k, str_id id)
{
	uint64_t key = (uint64_t)LAYER_N << 32 | id;	/* no layer's key */
	uint32_t v = map_find(&ls->memo, key, ID_NONE);

	if (v == MAP_NONE) {
		struct host_class hc;
		size_t n;
		const char *s = profile_str(k->p, id, &n);

		rules_python(ls->rules, s, n, &hc);
		v = (hc.known ? FRAME_KNOWN : 0) | (hc.known && !hc.transparent ? FRAME_DECIDES : 0) |
			(hc.elsewhere.level2 ? FRAME_MAY_LOAD : hc.dataload ? FRAME_LOADS : 0);
		map_put(&ls->memo, key, ID_NONE, v);
	}
	return v;
}

#define CLIMB 32	/* frames on the way out of which one answer is remembered: a stack may be 10^5 frames deep */

/* The innermost frame, from e on outwards, that says `what`; ID_NONE: none. */
static ev_id frame_saying(struct host_leaves *ls, const struct selection *k, ev_id e, uint32_t what)
{
	const uint64_t key = (uint64_t)(LAYER_N + 5 + what) << 32;	/* no layer's key, nor another one's here */
	ev_id found = e;
	uint32_t steps = 0, known;

	for (; found != ID_NONE && !(frame_says(ls, k, k->p->name[found]) & what); found = k->p->parent[found]) {
		if (++steps % CLIMB)
			continue;
		known = map_find(&ls->memo, key | found, 0);
		if (known != MAP_NONE) {
			found = known - 1;	/* 0: none */
			break;
		}
	}
	work_count(steps + 1);
	for (uint32_t i = 1; steps >= CLIMB && i <= steps; i++, e = k->p->parent[e])
		if (i == 1 || i % CLIMB == 0)
			map_put(&ls->memo, key | e, 0, found + 1);
	return found;
}

/*
 * The frame that says what the leaf e does: itself if a rule knows it (a wrapper is a leaf where nothing lies inside it), else the next
 * outer one that decides.
 */
static ev_id deciding_frame(struct host_leaves *ls, const struct selection *k, ev_id e)
{
	if (frame_says(ls, k, k->p->name[e]) & FRAME_KNOWN)
		return e;
	return frame_saying(ls, k, e, FRAME_DECIDES);
}

/* Whether the frame is one of queues and pickles, and nothing around it loads data. */
static bool loads_elsewhere(struct host_leaves *ls, const struct selection *k, ev_id frame)
{
	if (frame == ID_NONE || !(frame_says(ls, k, k->p->name[frame]) & FRAME_MAY_LOAD))
		return false;
	return frame_saying(ls, k, frame, FRAME_LOADS) == ID_NONE;
}

static uint32_t python_leaf(struct host_leaves *ls, const struct selection *k, ev_id e, ev_id decides)
{
	struct host_class hc;
	struct frame_name fn;
	char l2[512];
	size_t n, m;
	const char *s = profile_str(k->p, k->p->name[e], &n), *outer;

	rules_frame_name(s, n, &fn);
	if (decides == ID_NONE)
		return host_leaf_intern(ls, L1_FRAMEWORK, "Python", fn.key, fn.key_len, false);
	outer = profile_str(k->p, k->p->name[decides], &m);
	rules_python(ls->rules, outer, m, &hc);
	if (loads_elsewhere(ls, k, decides))
		rules_under(&hc, &hc.elsewhere);
	if (!k->f->autograd)
		rules_under(&hc, &hc.alone);
	if (facts_no_device(k->f))
		rules_under(&hc, &hc.cpu);
	rules_level2(hc.level2, fn.func, fn.func_len, l2, sizeof(l2));
	return host_leaf_intern(ls, hc.l1, l2, fn.key, fn.key_len, false);
}

static uint32_t overhead_leaf(struct host_leaves *ls, const char *s, size_t n)
{
	struct host_class hc;

	rules_overhead(ls->rules, s, n, &hc);
	return host_leaf_intern(ls, hc.l1, hc.level2, s, n, true);
}

static uint32_t make_leaf(struct host_leaves *ls, const struct selection *k, enum layer l, ev_id e, ev_id decides, enum call_part part)
{
	size_t n;
	const char *s = profile_str(k->p, k->p->name[e], &n);

	switch (l) {
	case LAYER_RUNTIME:
		return call_leaf(ls, k, e, part);
	case LAYER_PYTHON:
		return python_leaf(ls, k, e, decides);
	case LAYER_OVERHEAD:
		return overhead_leaf(ls, s, n);
	default:
		return op_leaf(ls, k, k->p->name[e], s, n);
	}
}

/*
 * A leaf depends on the name and, for a call, on its op and on what it does at the instant, for a frame, on the frame that decides and on
 * whether data is loaded around it.
 */
static uint32_t leaf_of(struct host_leaves *ls, const struct selection *k, enum layer l, ev_id e, enum call_part part)
{
	uint32_t op = l == LAYER_RUNTIME ? facts_op_of_call(k->f, e) : ID_NONE;
	ev_id decides = l == LAYER_PYTHON ? deciding_frame(ls, k, e) : ID_NONE;
	bool loads = l == LAYER_RUNTIME && facts_first(k->f, e) == FIRST_LOADS;
	bool elsewhere = loads_elsewhere(ls, k, decides);
	int kind = part ? LAYER_N + 4 + (int)part : loads ? LAYER_N + 3 : elsewhere ? LAYER_N + 4 : (int)l;	/* from LAYER_N on: no layer */
	uint64_t a = (uint64_t)kind << 32 | k->p->name[e];
	uint64_t b = op != ID_NONE ? k->f->ops.name[op] : decides != ID_NONE ? k->p->name[decides] : ID_NONE;
	uint32_t leaf = map_find(&ls->memo, a, b);

	if (leaf == MAP_NONE) {
		leaf = make_leaf(ls, k, l, e, decides, part);
		map_put(&ls->memo, a, b, leaf);
	}
	return leaf;
}

/* ---- owners ---- */

enum { OWNS_UNKNOWN, OWNS_NOT, OWNS, OWNS_ENDS };

/* What is asked about names of one profile while its partition is made. */
struct owner_memo {
	struct host_leaves *ls;
	const struct selection *k;
	uint8_t *frames, *ops;	/* per string */
};

static void classify(const struct host_leaves *ls, const struct selection *k, enum layer l, str_id id, struct host_class *hc)
{
	size_t n;
	const char *s = profile_str(k->p, id, &n);

	if (l == LAYER_PYTHON)
		rules_python(ls->rules, s, n, hc);
	else
		rules_op(ls->rules, s, n, hc);
	if (facts_no_device(k->f))
		rules_under(hc, &hc->cpu);
}

static uint8_t owns(const struct owner_memo *m, enum layer l, str_id id)
{
	uint8_t *known = l == LAYER_PYTHON ? m->frames : m->ops;
	struct host_class hc;

	if (id >= m->k->p->n_strs)
		return OWNS_NOT;
	if (l != LAYER_PYTHON)
		id = facts_same_op(m->k->f, id);
	if (known[id] == OWNS_UNKNOWN) {
		classify(m->ls, m->k, l, id, &hc);
		known[id] = hc.owner ? OWNS : hc.ends_owner ? OWNS_ENDS : OWNS_NOT;
	}
	return known[id];
}

static bool may_own(enum layer l)
{
	return l != LAYER_RUNTIME && l != LAYER_OVERHEAD && l != LAYER_OTHER;
}

/*
 * The leaf with the level 2 of the owner around it. A Python function that only schedules takes the owner's level 1 as well, and so
 * does all but calls inside the loading of data: ops that make a batch are no scheduling. What is data loading by itself stays.
 */
static uint32_t make_owned(struct host_leaves *ls, const struct selection *k, enum layer l, uint32_t leaf, enum layer owner_layer, ev_id owner)
{
	struct host_leaf lf = ls->a[leaf];
	struct host_class hc;
	char l2[512], l3[1024];
	size_t n, n3 = 0;
	const char *s = profile_str(k->p, k->p->name[owner], &n);

	classify(ls, k, owner_layer, k->p->name[owner], &hc);
	if (hc.l1 == L1_DATALOAD && lf.l1 == L1_DATALOAD)
		return leaf;
	rules_level2(hc.level2, s, owner_layer == LAYER_PYTHON ? n : rules_op_base(s, n), l2, sizeof(l2));
	if (lf.l3 != ID_NONE) {
		s = host_leaves_str(ls, lf.l3, &n3);
		n3 = n3 < sizeof(l3) ? n3 : sizeof(l3);
		memcpy(l3, s, n3);	/* interning may move it */
	}
	if ((l == LAYER_PYTHON && lf.l1 == L1_FRAMEWORK) || (hc.l1 == L1_DATALOAD && l != LAYER_RUNTIME))
		lf.l1 = hc.l1;
	return host_leaf_intern(ls, lf.l1, l2, lf.l3 == ID_NONE ? NULL : l3, n3, false);
}

static uint32_t owned_leaf(struct host_leaves *ls, const struct selection *k, enum layer l, uint32_t leaf, enum layer owner_layer, ev_id owner)
{
	uint64_t a = (uint64_t)(LAYER_N + 1 + (l == LAYER_PYTHON)) << 32 | leaf;	/* no layer's key */
	uint64_t b = (uint64_t)owner_layer << 32 | k->p->name[owner];
	uint32_t v;

	if (ls->a[leaf].keeps)
		return leaf;
	v = map_find(&ls->memo, a, b);
	if (v == MAP_NONE) {
		v = make_owned(ls, k, l, leaf, owner_layer, owner);
		map_put(&ls->memo, a, b, v);
	}
	return v;
}

/* ---- the partition ---- */

/* One pass over the issuing threads of a process: a flow for each that has issued. */
struct issuers {
	const struct selection *k;
	struct owner_stream_sink sink;
	struct map of_thread;	/* thread -> index in flows */
	VEC(struct owner_stream *) flows;
};

static struct owner_stream *new_flow(const struct issuers *s, thread_id thread, ns_t from)
{
	const struct profile *p = s->k->p;
	struct owner_stream *flow = owner_stream_new(&(struct owner_columns){ p->start, p->dur, p->parent, 0, 0 }, &s->sink, from);

	for (uint32_t l = 0; l < sizeof(leaf_layers) / sizeof(*leaf_layers); l++) {
		uint32_t n;
		const track_id *tracks = facts_thread_tracks(s->k->f, thread, leaf_layers[l], &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct track *tr = &p->tracks[tracks[i]];

			owner_stream_track(flow, tr->first, tr->first + tr->count, l);
		}
	}
	return flow;
}

static struct owner_stream *thread_flow(struct issuers *s, thread_id thread, ns_t from)
{
	uint32_t i = map_get_or_put(&s->of_thread, thread, 0, (uint32_t)s->flows.n);

	if (i == s->flows.n)
		VEC_PUSH(&s->flows, new_flow(s, thread, from));
	return s->flows.a[i];
}

/* The pieces of the window between two changes of the issuer; nobody: untraced. */
static void issuer_pieces(struct issuers *s, thread_id thread, ns_t start, ns_t end, const struct spans *window)
{
	for (size_t w = spans_seek(window, start); w < window->n && window->a[w].start < end; w++) {
		ns_t lo = window->a[w].start > start ? window->a[w].start : start;
		ns_t hi = window->a[w].end < end ? window->a[w].end : end;

		if (thread == ID_NONE) {
			s->sink.piece(s->sink.arg, lo, hi, NULL, NULL);
			continue;
		}
		owner_stream_run(thread_flow(s, thread, lo), lo, hi);
	}
}

static void issuers_run(const struct selection *k, uint32_t proc, const struct spans *window, const struct owner_stream_sink *sink)
{
	const struct proc_facts *pf = &k->f->procs[proc];
	struct issuers s = { .k = k, .sink = *sink };

	for (uint32_t i = 0; i < pf->n_issue; i++)
		issuer_pieces(&s, pf->issue[i].thread, pf->issue[i].start,
			i + 1 < pf->n_issue ? pf->issue[i + 1].start : INT64_MAX, window);
	for (size_t i = 0; i < s.flows.n; i++)
		owner_stream_free(s.flows.a[i]);
	VEC_FREE(&s.flows);
	map_fini(&s.of_thread);
}

struct fill {
	struct owner_memo m;
	host_leaf_fn *fn;
	void *arg;
};

static bool may_mark(void *arg, const struct owner_event *x)
{
	const struct fill *f = arg;
	enum layer l = leaf_layers[x->rank];

	return may_own(l) && owns(&f->m, l, f->m.k->p->name[x->owner]) != OWNS_NOT;
}

static void fill_part(struct fill *f, ns_t start, ns_t end, const struct owner_event *x, const struct owner_event *owner, enum call_part part)
{
	const struct selection *k = f->m.k;
	uint32_t leaf = HOST_UNTRACED;

	if (x) {
		enum layer l = leaf_layers[x->rank], ol = owner ? leaf_layers[owner->rank] : LAYER_N;

		leaf = leaf_of(f->m.ls, k, l, x->owner, part);
		if (owner && owner->owner != x->owner && owns(&f->m, ol, k->p->name[owner->owner]) == OWNS)
			leaf = owned_leaf(f->m.ls, k, l, leaf, ol, owner->owner);
	}
	f->fn(f->arg, start, end, leaf);
}

static void fill_piece(void *arg, ns_t start, ns_t end, const struct owner_event *x, const struct owner_event *owner)
{
	static const enum call_part parts[] = { PART_WAIT, PART_DISPATCH, PART_COPY, PART_DISPATCH };
	struct fill *f = arg;
	const struct blocking_copy *b = x && leaf_layers[x->rank] == LAYER_RUNTIME ? facts_blocking_copy(f->m.k->f, x->owner) : NULL;

	if (!b) {
		fill_part(f, start, end, x, owner, PART_WHOLE);
		return;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && start < end; i++) {
		const ns_t until[] = { b->wait_end, b->copy_start, b->copy_end, end };
		ns_t to = until[i] < end ? until[i] : end;

		if (to > start) {
			fill_part(f, start, to, x, owner, parts[i]);
			start = to;
		}
	}
}

void host_partition_each(struct host_leaves *ls, const struct selection *k, uint32_t proc, const struct spans *window, host_leaf_fn *fn, void *arg)
{
	struct fill f = { { ls, k, xcalloc(k->p->n_strs, 1), xcalloc(k->p->n_strs, 1) }, fn, arg };

	issuers_run(k, proc, window, &(struct owner_stream_sink){ may_mark, fill_piece, &f });
	free(f.m.frames);
	free(f.m.ops);
}

void leaf_keep(void *arg, ns_t start, ns_t end, uint32_t leaf)
{
	struct owner_list *out = arg;

	if (out->n && out->a[out->n - 1].owner == leaf && out->a[out->n - 1].end == start)
		out->a[out->n - 1].end = end;
	else
		VEC_PUSH(out, (struct owner_span){ start, end, leaf });
}

void host_partition(struct host_leaves *ls, const struct selection *k, uint32_t proc, const struct spans *window, struct owner_list *out)
{
	host_partition_each(ls, k, proc, window, leaf_keep, out);
}

static void add_untraced(void *arg, ns_t start, ns_t end, const struct owner_event *x, const struct owner_event *owner)
{
	ns_t *sum = arg;

	(void)owner;
	*sum += x ? 0 : end - start;
}

ns_t host_untraced(const struct selection *k, uint32_t proc, const struct spans *window)
{
	ns_t sum = 0;

	issuers_run(k, proc, window, &(struct owner_stream_sink){ NULL, add_untraced, &sum });
	return sum;
}
