/*
 * fwdbwd.c - view `fwdbwd`: which forward op an autograd node belongs to, by the sequence number of both, and what the two cost.
 * torch.profiler writes it into the args, emit_nvtx into the names ("aten::mm, seq = 3", "MmBackward0, seq = 3").
 *
 * A node's number is that which was next when it was made, so all ops around its making carry it: the forward op is the one that started
 * last before the node ran. Numbers are counted per thread: an op recomputed on the autograd thread has those of that thread, and where
 * ops of several threads carry the number the latest is taken and counted as ambiguous.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_FORWARD, C_BACKWARD, C_COUNT, C_FWD, C_FWD_GPU, C_BWD, C_BWD_GPU, C_RATIO, C_AMBIGUOUS, C_BY };

static const struct column_def cols[] = {
	[C_FORWARD] = { "forward", N_("Forward op"), UNIT_TEXT, COL_KEY, 0, N_("op that made the node; unknown where no op carries the number") },
	[C_BACKWARD] = { "backward", N_("Backward node"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("node of the autograd graph") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("nodes that start in the window") },
	[C_FWD] = { "forward_ns", N_("Forward"), UNIT_NS, 0, 1, N_("time of the forward ops on the host") },
	[C_FWD_GPU] = { "forward_gpu_ns", N_("its GPU"), UNIT_NS, COL_BAR, 0, N_("kernels launched inside them") },
	[C_BWD] = { "backward_ns", N_("Backward"), UNIT_NS, 0, 1, N_("time of the nodes on the host") },
	[C_BWD_GPU] = { "backward_gpu_ns", N_("its GPU"), UNIT_NS, COL_BAR, 0, N_("kernels launched inside them") },
	[C_RATIO] = { "ratio", N_("Ratio"), UNIT_FACTOR, 0, 1, N_("kernels of backward by those of forward: 2 where each input needs a gradient") },
	[C_AMBIGUOUS] = { "ambiguous", N_("Ambiguous"), UNIT_COUNT, 0, 4, N_("nodes whose number ops of several threads carry") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct numbered {		/* an op with a sequence number */
	int64_t seq;
	ns_t start;
	uint32_t op, proc;
	thread_id thread;
	bool node;
};
struct acc {
	const struct pick *k;
	uint32_t forward, backward;	/* numbers of names, ID_NONE */
	int64_t by, pid, count, ambiguous;
	ns_t fwd, fwd_gpu, bwd, bwd_gpu;
};
struct view {
	const struct pick *k;
	struct names names;
	struct groups g;
	VEC(struct acc) acc;
	VEC(struct numbered) ops;
	ns_t *gpu;			/* per op of the present source: kernels launched in it or below */
};

/* ", seq = 12" of an op's name; -1 without one. */
static int64_t seq_of(const char *s, size_t n)
{
	static const char key[] = ", seq = ";
	const char *p = memmem(s, n, key, sizeof(key) - 1);
	int64_t v = 0;
	bool any = false;

	if (!p)
		return -1;
	for (p += sizeof(key) - 1; p < s + n && *p >= '0' && *p <= '9' && v < INT64_MAX / 20; p++, any = true)
		v = 10 * v + (*p - '0');
	return any ? v : -1;
}

static bool is_node(const char *s, size_t n)
{
	static const char engine[] = "autograd::engine::evaluate_function";

	return rules_autograd_node(s, n) || (n >= sizeof(engine) - 1 && !memcmp(s, engine, sizeof(engine) - 1));
}

/* Process, number, start, outer before inner. */
static int op_cmp(const void *pa, const void *pb)
{
	const struct numbered *a = pa, *b = pb;

	if (a->proc != b->proc)
		return a->proc < b->proc ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->op > b->op) - (a->op < b->op);
}

static int64_t seq_of_op(const struct facts *f, uint32_t op, bool *node)
{
	const struct op_detail *d = f->ops.from_nvtx ? NULL : profile_op_detail(f->p, f->ops.ev ? f->ops.ev[op] : op);
	size_t n;
	const char *s = profile_str(f->p, f->ops.name[op], &n);

	*node = is_node(s, n) || (d && d->backward);
	if (f->ops.from_nvtx)
		return seq_of(s, n);
	return d ? d->seq : -1;
}

static void collect(struct view *v)
{
	const struct facts *f = v->k->f;

	v->ops.n = 0;
	for (uint32_t t = 0; t < f->ops.n_tracks; t++) {
		const struct op_track *tr = &f->ops.tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
			bool node;
			int64_t seq = seq_of_op(f, i, &node);

			if (seq >= 0)
				VEC_PUSH(&v->ops, (struct numbered){ seq, f->ops.start[i], i, f->threads[tr->thread].proc, tr->thread,
					node });
		}
	}
	if (v->ops.n)
		qsort(v->ops.a, v->ops.n, sizeof(*v->ops.a), op_cmp);
}

/* Kernels per op, children included: parents stand before them. */
static void measure_gpu(struct view *v)
{
	const struct facts *f = v->k->f;
	const struct profile *p = f->p;

	v->gpu = xcalloc((size_t)f->ops.n + 1, sizeof(*v->gpu));
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++) {
		uint32_t op = p->link[e] == ID_NONE ? ID_NONE : facts_op_of_call(f, p->link[e]);

		if (op != ID_NONE)
			v->gpu[op] += p->dur[e];
	}
	for (uint32_t i = f->ops.n; i-- > 0;)
		if (f->ops.parent[i] != ID_NONE)
			v->gpu[f->ops.parent[i]] += v->gpu[i];
}

/* A node inside the range of the engine that runs the same node is the same once more. */
static bool runs_inside_itself(const struct view *v, const struct numbered *x)
{
	uint32_t up = v->k->f->ops.parent[x->op];
	bool node;

	return up != ID_NONE && seq_of_op(v->k->f, up, &node) == x->seq && node;
}

static void add_pair(struct view *v, const struct numbered *node, const struct numbered *fwd, bool ambiguous)
{
	const struct pick *k = v->k;
	const struct oplayer *o = &k->f->ops;
	int64_t by = split_host(k, node->thread, node->start), pid = k->p->threads[node->thread].pid;
	uint32_t f = fwd ? names_id(&v->names, o->name[fwd->op]) : ID_NONE, b = names_id(&v->names, o->name[node->op]);
	uint32_t i = groups_add(&v->g, &(struct group_key){ .k = { k->f->source, (uint64_t)by, (uint64_t)f << 32 | b, (uint64_t)pid } });
	struct acc *a;

	if (i == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .k = k, .forward = f, .backward = b, .by = by, .pid = pid });
	a = &v->acc.a[i];
	a->count++;
	a->ambiguous += ambiguous;
	a->bwd += o->dur[node->op];
	a->bwd_gpu += v->gpu[node->op];
	if (fwd) {
		a->fwd += o->dur[fwd->op];
		a->fwd_gpu += v->gpu[fwd->op];
	}
}

/* The ops of one number, in order. */
static void link_group(struct view *v, size_t first, size_t end)
{
	const struct numbered *fwd = NULL;
	bool mixed = false;

	for (size_t i = first; i < end; i++) {
		const struct numbered *x = &v->ops.a[i];

		if (!x->node) {
			mixed |= fwd && fwd->thread != x->thread;
			fwd = x;
		} else if (!runs_inside_itself(v, x)) {
			if (pick_thread(v->k, x->thread) && pick_at(v->k, x->start))
				add_pair(v, x, fwd, mixed);
			fwd = NULL;	/* each is used once: numbers begin anew */
			mixed = false;
		}
	}
}

static void add_source(struct view *v, const struct pick *k)
{
	v->k = k;
	names_enter(&v->names, k->p);
	collect(v);
	measure_gpu(v);
	for (size_t i = 0, end; i < v->ops.n; i = end) {
		for (end = i; end < v->ops.n && v->ops.a[end].seq == v->ops.a[i].seq && v->ops.a[end].proc == v->ops.a[i].proc; end++)
			;
		link_group(v, i, end);
	}
	free(v->gpu);
}

static int acc_cmp(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct acc *a = (const struct acc *)arg + ia, *b = (const struct acc *)arg + ib;
	ns_t ga = a->fwd_gpu + a->bwd_gpu, gb = b->fwd_gpu + b->bwd_gpu;

	if (split_cmp(a->by, b->by))
		return split_cmp(a->by, b->by);
	if (ga != gb)
		return ga < gb ? 1 : -1;
	return (a->bwd < b->bwd) - (a->bwd > b->bwd);
}

static void put(const struct view *v, struct table *t, const struct acc *a)
{
	bool gpu = a->k->f->n_devices > 0, known = a->forward != ID_NONE;
	uint32_t row = table_row(t);
	size_t n;
	const char *s = names_str(&v->names, a->forward, &n);

	table_str(t, row, C_FORWARD, s, n);
	s = names_str(&v->names, a->backward, &n);
	table_str(t, row, C_BACKWARD, s, n);
	table_i64(t, row, C_COUNT, a->count);
	if (known)
		table_i64(t, row, C_FWD, a->fwd);
	table_i64(t, row, C_BWD, a->bwd);
	if (gpu && known)
		table_i64(t, row, C_FWD_GPU, a->fwd_gpu);
	if (gpu)
		table_i64(t, row, C_BWD_GPU, a->bwd_gpu);
	if (gpu && known && a->fwd_gpu)
		table_f64(t, row, C_RATIO, (double)a->bwd_gpu / (double)a->fwd_gpu);
	table_i64(t, row, C_AMBIGUOUS, a->ambiguous);
	split_set(t, row, C_BY, a->k, a->by);
	an_ref(t, row, REF_OP, a->k->f->source, 0, 0, C_BACKWARD);
	an_row_source(t, row, a->k, a->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .names = { .cut = rules_op_base } };
	bool ok = picks_open(&ps, cx, sc, VIEW_SEQ, t, _("no ops with sequence numbers: record with torch.profiler or with "
		"--pytorch=autograd-nvtx (nsys)"), e);
	uint32_t *order;

	for (uint32_t i = 0; i < ps.n && ok; i++) {
		ok = !an_cancelled(cx, e);
		if (ok)
			add_source(&v, &ps.a[i]);
	}
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	if (ok && ps.n && !v.acc.n)
		table_note(t, _("no autograd node with a sequence number in the window"));
	free(order);
	groups_fini(&v.g);
	names_fini(&v.names);
	VEC_FREE(&v.acc);
	VEC_FREE(&v.ops);
	picks_close(&ps);
	return ok;
}

const struct analysis an_fwdbwd = {
	.id = "fwdbwd", .title = N_("Forward and backward"), .doc = N_("forward ops and their autograd nodes, linked by sequence number"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
