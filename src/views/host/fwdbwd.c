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
#include "measure/tally.h"
#include "scope/analysis.h"

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
struct fwdbwd_acc {
	struct tally_row row;
	uint32_t forward, backward;	/* numbers of names, ID_NONE */
	int64_t ambiguous;
	ns_t fwd, fwd_gpu, bwd, bwd_gpu;
};
struct fwdbwd_view {
	struct tally y;
	const struct selection *k;
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

static void collect(struct fwdbwd_view *v)
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
static void measure_gpu(struct fwdbwd_view *v)
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
static bool runs_inside_itself(const struct fwdbwd_view *v, const struct numbered *x)
{
	uint32_t up = v->k->f->ops.parent[x->op];
	bool node;

	return up != ID_NONE && seq_of_op(v->k->f, up, &node) == x->seq && node;
}

static void add_pair(struct fwdbwd_view *v, const struct numbered *node, const struct numbered *fwd, bool ambiguous)
{
	const struct op_layer *o = &v->k->f->ops;
	uint32_t f = fwd ? names_id(v->y.names, o->name[fwd->op]) : ID_NONE, b = names_id(v->y.names, o->name[node->op]);
	struct fwdbwd_acc *a = tally_host(&v->y, v->k, node->thread, node->start, TALLY_KEY((uint64_t)f << 32 | b,
		(uint64_t)v->k->p->threads[node->thread].pid));

	a->forward = f;
	a->backward = b;
	a->ambiguous += ambiguous;
	a->bwd += o->dur[node->op];
	a->bwd_gpu += v->gpu[node->op];
	if (fwd) {
		a->fwd += o->dur[fwd->op];
		a->fwd_gpu += v->gpu[fwd->op];
	}
}

/* The ops of one number, in order. */
static void link_group(struct fwdbwd_view *v, size_t first, size_t end)
{
	const struct numbered *fwd = NULL;
	bool mixed = false;

	for (size_t i = first; i < end; i++) {
		const struct numbered *x = &v->ops.a[i];

		if (!x->node) {
			mixed |= fwd && fwd->thread != x->thread;
			fwd = x;
		} else if (!runs_inside_itself(v, x)) {
			if (selects_thread(v->k, x->thread) && selects_at(v->k, x->start))
				add_pair(v, x, fwd, mixed);
			fwd = NULL;	/* each is used once: numbers begin anew */
			mixed = false;
		}
	}
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct fwdbwd_view *v = view;

	(void)t;
	(void)e;
	v->k = k;
	collect(v);
	measure_gpu(v);
	for (size_t i = 0, end; i < v->ops.n; i = end) {
		for (end = i; end < v->ops.n && v->ops.a[end].seq == v->ops.a[i].seq && v->ops.a[end].proc == v->ops.a[i].proc; end++)
			;
		link_group(v, i, end);
	}
	free(v->gpu);
	return true;
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct fwdbwd_acc *a = pa, *b = pb;
	int c = split_cmp(a->row.by, b->row.by);

	c = c ? c : tally_cmp_down(a->fwd_gpu + a->bwd_gpu, b->fwd_gpu + b->bwd_gpu);
	return c ? c : tally_cmp_down(a->bwd, b->bwd);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	const struct fwdbwd_acc *a = acc;
	const struct facts *f = tally_source(y, &a->row)->f;
	bool gpu = f->n_devices > 0, known = a->forward != ID_NONE;

	names_put(t, row, C_FORWARD, y->names, a->forward);
	names_put(t, row, C_BACKWARD, y->names, a->backward);
	table_i64(t, row, C_COUNT, (int64_t)a->row.n);
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
	an_ref(t, row, REF_OP, f->source, 0, 0, C_BACKWARD);
}

static const struct tally_view how = {
	.kind = NEED_SEQ,
	.none = N_("no ops with sequence numbers: record with torch.profiler or with --pytorch=autograd-nvtx (nsys)"),
	.empty = N_("no autograd node with a sequence number in the window"), .source = add_source, .n_names = 1, .apart = true,
	.row_size = sizeof(struct fwdbwd_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct fwdbwd_view v = { .y.how = &how, .y.names[0].cut = rules_op_base };
	bool ok = tally_run(&v.y, cx, sc, t, e);

	VEC_FREE(&v.ops);
	return ok;
}

const struct analysis an_fwdbwd = {
	.id = "fwdbwd", .title = N_("Forward and backward"), .doc = N_("forward ops and their autograd nodes, linked by sequence number"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
