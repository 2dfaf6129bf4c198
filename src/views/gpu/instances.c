/* instances.c - view `instances`: every kernel, copy and memory set in scope, in time order, with its launch */
#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_START, C_DUR, C_LAYER, C_DEVICE, C_STREAM, C_NAME, C_CLASS, C_DELAY, C_LAUNCH, C_LAUNCH_NS, C_OP, C_PHASE, C_STEP, C_GRID, C_BLOCK,
	C_REGS, C_BYTES, C_BY };

static const struct column_def cols[] = {
	[C_START] = { "start_ns", N_("Start"), UNIT_TIME, COL_KEY, 0, N_("when it starts on the device") },
	[C_DUR] = { "dur_ns", N_("Duration"), UNIT_NS, COL_BAR, 0, N_("how long it runs") },
	[C_LAYER] = { "layer", N_("What"), UNIT_TEXT, 0, 4, N_("kernel, memcpy or memset") },
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, 0, 3, N_("number of the device in the file") },
	[C_STREAM] = { "stream", N_("Stream"), UNIT_ID, 0, 3, N_("stream that it runs on") },
	[C_NAME] = { "name", N_("Name"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name as recorded, whole") },
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 2, N_("class of the kernel, or direction of the copy") },
	[C_DELAY] = { "delay_ns", N_("Delay"), UNIT_NS, 0, 1, N_("from the start of the launch call to the start on the device: short when the device waits for the host") },
	[C_LAUNCH] = { "launch", N_("Launched by"), UNIT_TEXT, 0, 5, N_("API call that launched it") },
	[C_LAUNCH_NS] = { "launch_ns", N_("Call"), UNIT_NS, 0, 5, N_("duration of that call") },
	[C_OP] = { "op", N_("Operator"), UNIT_TEXT, 0, 2, N_("innermost op around the launch") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, 0, 3, N_("phase of the step at the launch") },
	[C_STEP] = { "step", N_("Step"), UNIT_ID, 0, 4, N_("step of the launch") },
	[C_GRID] = { "grid", N_("Grid"), UNIT_TEXT, 0, 6, N_("blocks in x, y, z") },
	[C_BLOCK] = { "block", N_("Block"), UNIT_TEXT, 0, 6, N_("threads of a block in x, y, z") },
	[C_REGS] = { "registers", N_("Regs"), UNIT_COUNT, 0, 7, N_("registers of a thread") },
	[C_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, 0, 4, N_("bytes copied or set") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct inst {
	ns_t start;		/* session time */
	ev_id e;
	uint32_t source;	/* index in picks */
	track_id track;
};
struct insts {
	const struct selections *ps;
	VEC(struct inst) v;
};

static void add(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct insts *s = arg;

	VEC_PUSH(&s->v, (struct inst){ selection_session_time(k, k->p->start[e]), e, (uint32_t)(k - s->ps->a), (track_id)(tr - k->p->tracks) });
}

static int inst_cmp(const void *pa, const void *pb)
{
	const struct inst *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->e > b->e) - (a->e < b->e);
}

static void put_xyz(struct table *t, uint32_t row, uint32_t col, const int32_t v[3])
{
	char buf[48];

	if (!v[0])
		return;
	snprintf(buf, sizeof(buf), "%" PRId32 "x%" PRId32 "x%" PRId32, v[0], v[1], v[2]);
	table_cstr(t, row, col, buf);
}

/* What only kernels, or only copies and sets, have. */
static void put_detail(struct table *t, uint32_t row, const struct selection *k, enum layer l, ev_id e)
{
	const struct profile *p = k->p;
	uint32_t aux = p->aux[e];

	if (l == LAYER_KERNEL) {
		table_cstr(t, row, C_CLASS, kclass_name(facts_kclass(k->f, e)->class));
		if (aux >= p->n_kernels)
			return;
		put_xyz(t, row, C_GRID, p->kernels[aux].grid);
		put_xyz(t, row, C_BLOCK, p->kernels[aux].block);
		if (p->kernels[aux].registers >= 0)
			table_i64(t, row, C_REGS, p->kernels[aux].registers);
		return;
	}
	if (l == LAYER_MEMCPY)
		table_cstr(t, row, C_CLASS, copy_kind_name(aux < p->n_copies ? (enum copy_kind)p->copies[aux].kind : COPY_UNKNOWN));
	if (aux < p->n_copies)
		table_i64(t, row, C_BYTES, p->copies[aux].bytes);
}

static void put_launch(struct table *t, uint32_t row, const struct selection *k, ev_id e)
{
	const struct profile *p = k->p;
	ev_id call = p->link[e];
	uint32_t op, proc;

	if (call == ID_NONE)
		return;
	proc = k->f->threads[facts_launch_thread(k->f, e)].proc;
	op = facts_op_of_call(k->f, call);
	table_i64(t, row, C_DELAY, p->start[e] - p->start[call]);
	an_str(t, row, C_LAUNCH, k, p->name[call]);
	table_i64(t, row, C_LAUNCH_NS, p->dur[call]);
	table_cstr(t, row, C_PHASE, phase_name(selection_gpu_phase(k, e)));
	table_i64(t, row, C_STEP, step_at(k->f, proc, p->start[call]));
	if (op != ID_NONE) {
		size_t n;
		const char *s = profile_str(p, k->f->ops.name[op], &n);

		table_str(t, row, C_OP, s, k->f->ops.from_nvtx ? rules_op_base(s, n) : n);
	}
}

static void put(const struct insts *s, struct table *t, const struct inst *x)
{
	const struct selection *k = &s->ps->a[x->source];
	const struct track *tr = &k->p->tracks[x->track];
	uint32_t row = table_row(t);

	table_i64(t, row, C_START, x->start);
	table_i64(t, row, C_DUR, k->p->dur[x->e]);
	table_cstr(t, row, C_LAYER, layer_name((enum layer)tr->layer));
	if (tr->device >= 0)
		table_i64(t, row, C_DEVICE, tr->device);
	if (tr->stream >= 0)
		table_i64(t, row, C_STREAM, tr->stream);
	an_str(t, row, C_NAME, k, k->p->name[x->e]);
	put_detail(t, row, k, (enum layer)tr->layer, x->e);
	put_launch(t, row, k, x->e);
	split_set(t, row, C_BY, k, split_gpu(k, tr, x->e));
	an_ref(t, row, REF_EVENT, k->f->source, x->e, 0, C_NAME);
	an_row_source(t, row, k, gpu_pid(k, tr, x->e));
	table_row_done(t);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	struct insts s = { .ps = &ps };
	bool ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = picks_work(&ps.a[i], add, &s, e);
	if (s.v.n)
		qsort(s.v.a, s.v.n, sizeof(*s.v.a), inst_cmp);
	for (size_t i = 0; i < s.v.n && ok; i++) {
		if (table_wants(t))
			put(&s, t, &s.v.a[i]);
		ok = i % TABLE_CHUNK || !an_cancelled(cx, e);
	}
	VEC_FREE(&s.v);
	selections_close(&ps);
	return ok;
}

const struct analysis an_instances = {
	.id = "instances", .title = N_("GPU events"), .doc = N_("every kernel, copy and memory set, with the launch behind it"),
	.cols = cols, .n_cols = N_COLS(cols), .pages = true, .run = run,
};
