/* A random training program: what each thread does, one action after another.  Sizes are drawn per program, so that some are bound
 * by launches, some by the device, some by the loader, by copies or by waits. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define LEAD_STEPS 4 /* steps before the profiler starts */

struct layer_kind {
	const char *op, *node; /* forward operator, its node in backward */
	enum gen_kernel forward, backward;
	int weight; /* device time, in hundredths of the program's unit */
};

static const struct layer_kind layer_kinds[] = {
	{ "aten::mm", "MmBackward0", K_GEMM_TN, K_GEMM_NN, 400 },
	{ "aten::native_layer_norm", "NativeLayerNormBackward0", K_LN, K_LN_BWD_X, 60 },
	{ "aten::gelu", "GeluBackward0", K_GELU, K_GELU_BWD, 80 },
	{ "aten::add", "AddBackward0", K_ADD, K_ADD, 50 },
	{ "aten::_softmax", "SoftmaxBackward0", K_SOFTMAX, K_SOFTMAX_BWD, 70 },
	{ "aten::_flash_attention_forward", "FlashAttentionBackward0", K_FLASH_FWD, K_FLASH_BWD, 250 },
};
#define LAYER_KINDS ((int)(sizeof(layer_kinds) / sizeof(*layer_kinds)))

struct build {
	struct program *p;
	struct run *r;
	int thread;
	ns_t unit, host_op, launch, call; /* device time and host time of one operator, cost of calls */
	int layers, *kinds, buckets, graph_nodes, workers, prefetch;
	bool side, ddp, pageable, item_sync;
	int items, step, last_event, go, done, batches, slots;
	ns_t loader_permille, fetch, augment, copy_ns; /* loader: of a step without it */
	enum { END_NOTHING, END_STREAM, END_DEVICE, END_EVENT } step_end;
};

static ns_t between(struct build *b, ns_t low, ns_t high)
{
	return low + (ns_t)run_random(b->r, (uint64_t)(high - low + 1));
}

static bool one_in(struct build *b, int n)
{
	return run_random(b->r, (uint64_t)n) == 0;
}

static struct action *act(struct build *b, enum act what)
{
	struct script *s = &b->p->actor[b->thread];
	struct action *a;

	s->v = gen_grow(s->v, s->n, &s->cap, sizeof(*s->v));
	a = &s->v[s->n++];
	memset(a, 0, sizeof(*a));
	a->what = what;
	a->cost = run_jitter(b->r, b->call, 15);
	return a;
}

static void work(struct build *b, ns_t ns)
{
	act(b, ACT_HOST)->ns = run_jitter(b->r, ns, 20);
}

static void open_range(struct build *b, enum range_layer layer, const char *name)
{
	struct action *a = act(b, ACT_OPEN);

	a->name = name;
	a->layer = layer;
	act(b, ACT_HOST)->ns = between(b, 300, 900);
}

static void close_range(struct build *b)
{
	act(b, ACT_HOST)->ns = between(b, 200, 600);
	act(b, ACT_CLOSE);
	act(b, ACT_HOST)->ns = between(b, 100, 400);
}

static void kernel(struct build *b, enum gen_kernel k, enum gen_stream st, ns_t ns)
{
	struct action *a = act(b, ACT_LAUNCH);

	a->kernel = k;
	a->stream = st;
	a->ns = run_jitter(b->r, ns, 30) + 900;
	a->cost = run_jitter(b->r, b->launch, 15);
}

/* An operator that launches one kernel: half of its work before, half after. */
static void op(struct build *b, const char *name, enum gen_kernel k, enum gen_stream st, ns_t ns)
{
	open_range(b, RANGE_OP, name);
	work(b, b->host_op / 2);
	kernel(b, k, st, ns);
	work(b, b->host_op / 2);
	close_range(b);
}

static void copy_action(struct build *b, enum gen_copy kind, enum gen_mem src, enum gen_mem dst, int64_t bytes, ns_t ns,
	enum gen_stream st, bool blocks)
{
	struct action *a = act(b, ACT_COPY);

	a->copy = kind;
	a->src = src;
	a->dst = dst;
	a->bytes = bytes;
	a->ns = ns;
	a->stream = st;
	a->blocks = blocks;
}

static int record(struct build *b, enum gen_stream st)
{
	struct action *a = act(b, ACT_RECORD);
	int id = b->p->events++;

	a->stream = st;
	a->id = id;
	work(b, 600);
	return id;
}

static void stream_waits(struct build *b, enum gen_stream st, int event)
{
	struct action *a = act(b, ACT_WAIT);

	a->stream = st;
	a->id = event;
	work(b, 600);
}

static void semaphore(struct build *b, enum act what, int id)
{
	act(b, what)->id = id;
}

/* The value of a tensor on the host: a copy whose call returns after it, and what torch then waits for. */
static void item(struct build *b)
{
	open_range(b, RANGE_OP, "aten::item");
	open_range(b, RANGE_OP, "aten::_local_scalar_dense");
	copy_action(b, COPY_DTOH, MEM_DEVICE, MEM_PAGEABLE, 4, 1100, ST_COMPUTE, true);
	if (b->item_sync) {
		work(b, 700);
		act(b, ACT_SYNC_STREAM)->stream = ST_COMPUTE;
	}
	close_range(b);
	close_range(b);
	work(b, b->host_op);
}

static void load_batch(struct build *b)
{
	if (b->workers) {
		open_range(b, RANGE_ANNOTATION, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
		work(b, 30 * US);
		semaphore(b, ACT_TAKE, b->batches + b->step % b->workers);
		work(b, 60 * US);
		semaphore(b, ACT_POST, b->slots + b->step % b->workers);
		close_range(b);
	} else if (b->loader_permille) {
		open_range(b, RANGE_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
		open_range(b, RANGE_OP, "aten::stack");
		work(b, b->fetch);
		close_range(b);
		close_range(b);
	}
	work(b, 15 * US);
}

static void batch_to_device(struct build *b)
{
	enum gen_stream st = b->side ? ST_HTOD : ST_COMPUTE;
	int64_t bytes = b->copy_ns * (b->pageable ? 9 : 25);

	for (int i = 0; i < 2; i++) {
		open_range(b, RANGE_OP, "aten::_to_copy");
		open_range(b, RANGE_OP, "aten::copy_");
		copy_action(b, COPY_HTOD, b->pageable ? MEM_PAGEABLE : MEM_PINNED, MEM_DEVICE, i ? 4096 : bytes,
			i ? 1500 : b->copy_ns, st, false);
		if (b->pageable)
			act(b, ACT_SYNC_STREAM)->stream = st;
		close_range(b);
		close_range(b);
		work(b, b->host_op);
	}
	if (st != ST_COMPUTE)
		stream_waits(b, ST_COMPUTE, record(b, st));
}

/* Part of a layer on a stream of its own, as an overlapped branch. */
static void side_branch(struct build *b)
{
	stream_waits(b, ST_STRAY, record(b, ST_COMPUTE));
	op(b, "aten::mul", K_MUL, ST_STRAY, b->unit / 2);
	op(b, "aten::mul", K_MUL, ST_STRAY, b->unit);
	op(b, "aten::add", K_ADD, ST_COMPUTE, b->unit / 2);
	stream_waits(b, ST_COMPUTE, record(b, ST_STRAY));
}

static void forward(struct build *b)
{
	open_range(b, RANGE_ANNOTATION, "forward");
	if (b->augment) {
		open_range(b, RANGE_ANNOTATION, "augment");
		work(b, b->augment);
		close_range(b);
	}
	if (b->graph_nodes) {
		struct action *a = act(b, ACT_GRAPH);

		a->kernel = K_GEMM_TN;
		a->nodes = b->graph_nodes;
		a->ns = run_jitter(b->r, b->unit, 20) + 900;
		a->cost = 2 * b->launch;
		work(b, b->host_op);
	}
	for (int i = 0; i < b->layers; i++) {
		const struct layer_kind *k = &layer_kinds[b->kinds[i]];

		op(b, k->op, k->forward, ST_COMPUTE, b->unit * k->weight / 100);
		if (b->side && i % 5 == 2)
			side_branch(b);
		if (b->items > 1 && i == b->layers / 2)
			item(b);
	}
	op(b, "aten::nll_loss_forward", K_NLL, ST_COMPUTE, b->unit / 2);
	close_range(b);
	if (b->items && b->items != 2)
		item(b);
}

/* A bucket of gradients: all-reduced on the stream of communication while backward goes on. */
static void reduce_bucket(struct build *b)
{
	int ready = record(b, ST_COMPUTE);

	stream_waits(b, ST_COMM, ready);
	open_range(b, RANGE_OP, "c10d::allreduce_");
	work(b, b->host_op / 2);
	kernel(b, K_REDSCAT, ST_COMM, b->unit * 6);
	close_range(b);
}

static void backward_nodes(struct build *b)
{
	char name[128];

	for (int i = b->layers - 1; i >= 0; i--) {
		const struct layer_kind *k = &layer_kinds[b->kinds[i]];

		snprintf(name, sizeof(name), "autograd::engine::evaluate_function: %s", k->node);
		open_range(b, RANGE_OP, run_str(b->r, "%s", name));
		work(b, b->host_op / 2);
		open_range(b, RANGE_OP, k->node);
		op(b, k->op, k->backward, ST_COMPUTE, b->unit * k->weight / 100);
		if (k->forward == K_GEMM_TN)
			op(b, k->op, K_GEMM_NT, ST_COMPUTE, b->unit * k->weight / 100);
		close_range(b);
		close_range(b);
		if (b->ddp && i % b->buckets == 0)
			reduce_bucket(b);
	}
	if (b->ddp)
		stream_waits(b, ST_COMPUTE, record(b, ST_COMM));
}

static void backward(struct build *b)
{
	open_range(b, RANGE_ANNOTATION, "backward");
	work(b, b->host_op);
	semaphore(b, ACT_POST, b->go);
	b->thread = TH_AUTOGRAD;
	semaphore(b, ACT_TAKE, b->go);
	backward_nodes(b);
	semaphore(b, ACT_POST, b->done);
	b->thread = TH_MAIN;
	semaphore(b, ACT_TAKE, b->done);
	close_range(b);
}

static void optimizer(struct build *b)
{
	open_range(b, RANGE_ANNOTATION, "Optimizer.step#AdamW.step");
	work(b, 4 * b->host_op);
	for (int i = 0; i < 1 + b->layers / 3; i++)
		op(b, "aten::_fused_adamw_", K_ADAM, ST_COMPUTE, b->unit * 3 / 2);
	close_range(b);
	open_range(b, RANGE_ANNOTATION, "Optimizer.zero_grad#AdamW.zero_grad");
	work(b, b->host_op);
	close_range(b);
}

static void end_of_step(struct build *b)
{
	int event;

	switch (b->step_end) {
	case END_STREAM:
		act(b, ACT_SYNC_STREAM)->stream = ST_COMPUTE;
		break;
	case END_DEVICE:
		act(b, ACT_SYNC_DEVICE);
		break;
	case END_EVENT: /* the host stays one step ahead */
		event = record(b, ST_COMPUTE);
		if (b->last_event >= 0)
			act(b, ACT_SYNC_EVENT)->id = b->last_event;
		b->last_event = event;
		break;
	default:
		break;
	}
	work(b, 20 * US);
}

/* A worker makes every k-th batch, as many ahead as it has slots. They begin one after the other, and all batches are alike: where
 * workers are slow the host waits for each, and the trace shows when it was made. */
static void make_worker(struct build *b, int worker, int batches)
{
	b->thread = 2 + worker;
	act(b, ACT_HOST)->ns = b->fetch * worker / b->workers;
	for (int i = worker; i < batches; i += b->workers) {
		if (i / b->workers >= b->prefetch)
			semaphore(b, ACT_TAKE, b->slots + worker);
		act(b, ACT_HOST)->ns = run_jitter(b->r, b->fetch, 1);
		semaphore(b, ACT_POST, b->batches + worker);
	}
}

static void make_threads(struct build *b)
{
	int lead = LEAD_STEPS;

	for (b->step = 0; b->step < lead + b->p->steps; b->step++) {
		b->thread = TH_MAIN;
		if (b->step == lead) {
			act(b, ACT_START);
			b->last_event = -1;
			work(b, 50 * US);
		}
		open_range(b, RANGE_STEP, run_str(b->r, "ProfilerStep#%d", b->step + 10));
		load_batch(b);
		batch_to_device(b);
		forward(b);
		backward(b);
		optimizer(b);
		if (b->items == 2)
			item(b);
		end_of_step(b);
		close_range(b);
		work(b, 25 * US);
	}
	for (int i = 0; i < b->workers; i++)
		make_worker(b, i, lead + b->p->steps);
	b->p->actors = 2 + b->workers;
}

static void draw_machine(struct build *b)
{
	struct program *p = b->p;

	p->latency = between(b, 3500, 7000);
	p->copy_latency = p->latency + between(b, 0, 1500);
	p->graph_latency = p->latency + between(b, 1000, 4000);
	p->gap = between(b, 0, 1000);
	p->node_gap = between(b, 200, 900);
	p->sync_return = between(b, 2500, 6000);
	p->copy_return = between(b, 3000, 8000);
	p->wake = between(b, 5000, 15000);
	p->depth = one_in(b, 4) ? (int)between(b, 48, 160) : PROGRAM_DEPTH;
	b->launch = between(b, 2000, 5000);
	b->call = between(b, 1500, 3500);
}

/* Workers are clearly slower than the rest of a step, or clearly faster: in between, a trace that does not hold them cannot tell when
 * the host would wait for them. */
static void draw_loader(struct build *b)
{
	if (one_in(b, 2))
		return;
	b->loader_permille = between(b, 100, 1500);
	if (one_in(b, 2))
		return;
	b->workers = (int)between(b, 1, 4);
	b->prefetch = 2;
	b->loader_permille = b->workers * (one_in(b, 2) ? between(b, 1300, 2500) : between(b, 20, 80));
}

static void draw_shape(struct build *b)
{
	struct program *p = b->p;

	b->unit = between(b, 2, 6) * US << between(b, 0, 5);
	b->host_op = between(b, 3, 8) * US << between(b, 0, 2);
	b->layers = (int)between(b, 6, 24);
	b->kinds = calloc((size_t)b->layers, sizeof(int));
	if (!b->kinds)
		die("out of memory");
	for (int i = 0; i < b->layers; i++)
		b->kinds[i] = (int)between(b, 0, LAYER_KINDS - 1);
	b->side = one_in(b, 3);
	b->ddp = one_in(b, 3);
	b->buckets = (int)between(b, 3, 6);
	b->pageable = one_in(b, 2);
	b->copy_ns = between(b, 3, 60) * b->unit / 10 + 3 * US;
	b->graph_nodes = one_in(b, 4) ? (int)between(b, 8, 40) : 0;
	b->items = one_in(b, 2) ? (int)between(b, 1, 3) : 0;
	b->item_sync = one_in(b, 2);
	b->step_end = between(b, 0, END_EVENT);
	/* which event a thread waits for cannot be inferred: such a program is told it */
	p->waits_recorded = b->step_end == END_EVENT || !one_in(b, 3);
	b->augment = one_in(b, 3) ? between(b, 1, 8) * 10 * b->host_op : 0;
	p->augment = b->augment != 0;
	draw_loader(b);
	p->loader = b->loader_permille != 0;
	p->stream_syncs = b->pageable || b->step_end == END_STREAM || (b->items && b->item_sync);
	p->device_syncs = b->step_end == END_DEVICE;
	p->event_syncs = b->step_end == END_EVENT;
	p->items = b->items != 0;
}

void program_make(struct program *p, struct run *r, ns_t step)
{
	struct build b = { .p = p, .r = r, .last_event = -1 };

	memset(p, 0, sizeof(*p));
	p->steps = (int)r->opt.steps;
	p->noise_percent = r->opt.noise;
	draw_machine(&b);
	draw_shape(&b);
	b.fetch = step * b.loader_permille / 1000;
	b.go = 0;
	b.done = 1;
	b.batches = 2;
	b.slots = b.batches + b.workers;
	p->semaphores = b.slots + b.workers;
	make_threads(&b);
	free(b.kinds);
}

void program_free(struct program *p)
{
	for (int i = 0; i < PROGRAM_ACTORS; i++)
		free(p->actor[i].v);
	memset(p, 0, sizeof(*p));
}
