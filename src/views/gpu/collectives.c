/*
 * collectives.c - view `collectives`: communication kernels by collective, data type, size, group and stream, and how much of them
 * compute on the same device covers.
 *
 * What a collective is and how large is told by torch (args of the kernel, else of the record_param_comms that launched it); where it is
 * not, the kernel's name tells the collective, else the op or NVTX range around the launch, and the size is unknown: Nsight Systems
 * writes the schemas of NCCL's payloads, but not the values.
 */
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "measure/device_state.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_KIND, C_DTYPE, C_COUNT, C_RANKS, C_IN, C_OUT, C_TOTAL, C_BUSY, C_EXPOSED, C_OVERLAP, C_GBPS, C_STATS,
	C_GROUP = C_STATS + N_STAT_COLS, C_MEMBERS, C_STREAM, C_FROM, C_KERNEL, C_BY };

static const struct column_def cols[] = {
	[C_KIND] = { "collective", N_("Collective"), UNIT_TEXT, COL_KEY, 0, N_("what the ranks do together, or the library where only that is known") },
	[C_DTYPE] = { "dtype", N_("Type"), UNIT_TEXT, COL_KEY, 2, N_("data type, as the source spells it") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 0, N_("kernels") },
	[C_RANKS] = { "ranks", N_("Ranks"), UNIT_COUNT, 0, 2, N_("size of the group") },
	[C_IN] = { "in_bytes", N_("In"), UNIT_BYTES, 0, 1, N_("bytes that a rank gives to one of them") },
	[C_OUT] = { "out_bytes", N_("Out"), UNIT_BYTES, 0, 2, N_("bytes that a rank gets from one of them") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of the durations: waiting for other ranks is in it") },
	[C_BUSY] = { "busy_ns", N_("Busy"), UNIT_NS, 0, 4, N_("time in which at least one of them runs, per device") },
	[C_EXPOSED] = { "exposed_ns", N_("Exposed"), UNIT_NS, COL_BAR, 0, N_("busy time without compute on the device") },
	[C_OVERLAP] = { "overlap", N_("Hidden"), UNIT_RATIO, 0, 1, N_("share of the busy time that compute on the same device covers") },
	[C_GBPS] = { "gbps", N_("Rate"), UNIT_GBPS, 0, 2, N_("larger of In and Out by the mean duration (algorithm bandwidth)") },
	STAT_COLS(5),
	[C_GROUP] = { "group", N_("Group"), UNIT_TEXT, 0, 3, N_("name of the process group") },
	[C_MEMBERS] = { "members", N_("Members"), UNIT_TEXT, 0, 7, N_("ranks of the group") },
	[C_STREAM] = { "stream", N_("Stream"), UNIT_ID, 0, 6, N_("stream that they run on") },
	[C_FROM] = { "told_by", N_("Told by"), UNIT_TEXT, 0, 6, N_("args: recorded with sizes; kernel, range: by the name of the kernel, or of what launched it; rule: only that it is communication") },
	[C_KERNEL] = { "kernel", N_("Kernel"), UNIT_TEXT, COL_NAME, 4, N_("kernel of the longest one") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

/* ---- what a name says ---- */

/* First that occurs in the name, letters in lower case and all else left out. */
static const struct { const char *word, *kind; } kinds[] = {
	{ "reducescatter", "ReduceScatter" }, { "allgather", "AllGather" }, { "allreduce", "AllReduce" }, { "crossdevicereduce", "AllReduce" },
	{ "quickreduce", "AllReduce" }, { "alltoall", "AllToAll" }, { "sendrecv", "SendRecv" }, { "collectivepermute", "SendRecv" },
	{ "broadcast", "Broadcast" }, { "bcast", "Broadcast" }, { "barrier", "Barrier" }, { "notifydispatch", "Dispatch (notify)" },
	{ "notifycombine", "Combine (notify)" }, { "epdispatch", "Dispatch" }, { "nodedispatch", "Dispatch" }, { "nodecombine", "Combine" },
	{ "epcombine", "Combine" }, { "ncclsend", "Send" }, { "ncclrecv", "Recv" }, { "c10dsend", "Send" }, { "c10drecv", "Recv" },
	{ "ncclreduce", "Reduce" }, { "kernelreduce", "Reduce" }, { "c10dreduce", "Reduce" },
};

/* Words of the args, whole: "send" alone would occur in too many names. */
static const struct { const char *word, *kind; } arg_kinds[] = {
	{ "send", "Send" }, { "recv", "Recv" }, { "reduce", "Reduce" }, { "gather", "Gather" }, { "scatter", "Scatter" },
};

static const char *kind_of_name(const char *s, size_t n)
{
	char word[256];
	size_t k = 0;

	for (size_t i = 0; i < n && k < sizeof(word) - 1; i++) {
		char c = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] | 32) : s[i];

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			word[k++] = c;
		else if (c == '(' && k && s[i - 1] != ' ' && s[i - 1] != ':')
			break;		/* types of arguments say nothing; "(anonymous namespace)::" is none */
	}
	word[k] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(word, kinds[i].word))
			return kinds[i].kind;
	return NULL;
}

static const char *kind_of_arg(const char *s, size_t n)
{
	const char *kind = kind_of_name(s, n);

	for (size_t i = 0; i < sizeof(arg_kinds) / sizeof(*arg_kinds) && !kind; i++)
		if (text_is(s, n, arg_kinds[i].word))
			kind = arg_kinds[i].kind;
	return kind;
}

/* Bytes of an element by torch's name of the type; 0 unknown. */
static int64_t dtype_bytes(const char *s, size_t n)
{
	static const struct { const char *name; uint8_t bytes; } types[] = {
		{ "Float", 4 }, { "Half", 2 }, { "BFloat16", 2 }, { "Double", 8 }, { "Int", 4 }, { "Long", 8 }, { "Byte", 1 }, { "Char", 1 },
		{ "Short", 2 }, { "Bool", 1 }, { "ComplexFloat", 8 }, { "ComplexDouble", 16 }, { "Float8_e5m2", 1 }, { "Float8_e4m3fn", 1 },
		{ "Float8_e5m2fnuz", 1 }, { "Float8_e4m3fnuz", 1 }, { "UInt16", 2 }, { "UInt32", 4 }, { "UInt64", 8 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (text_is(s, n, types[i].name))
			return types[i].bytes;
	return 0;
}

/* ---- what one kernel belongs to ---- */

enum told { TOLD_ARGS, TOLD_KERNEL, TOLD_RANGE, TOLD_RULE };
static const char *const told_names[] = { "args", "kernel", "range", "rule" };

struct what {
	const char *kind;			/* static or owned by the rules */
	const struct collective_detail *args;	/* NULL: none recorded */
	enum told told;
};

/* The op that launched it or one around that, with the args of a collective; *kind: what the names of these ops say. */
static const struct collective_detail *args_of_ops(const struct pick *k, ev_id call, const char **kind)
{
	const struct oplayer *o = &k->f->ops;
	const struct profile *p = k->p;

	for (uint32_t op = call == ID_NONE ? ID_NONE : facts_op_of_call(k->f, call); op != ID_NONE; op = o->parent[op]) {
		const struct op_detail *d = o->from_nvtx ? NULL : profile_op_detail(p, o->ev ? o->ev[op] : op);
		size_t n;
		const char *s = profile_str(p, o->name[op], &n);

		if (d && d->collective)
			return &p->collectives[d->collective - 1];
		*kind = *kind ? *kind : kind_of_name(s, n);
	}
	return NULL;
}

/* The tracks of the thread that launched last, in which a range may say what is launched. */
struct around {
	const struct pick *k;
	thread_id thread;
	VEC(track_id) tracks;
};

static void look_around(struct around *a, const struct pick *k, thread_id thread)
{
	static const enum layer layers[] = { LAYER_NVTX, LAYER_ANNOT };
	const struct profile *p = k->p;

	if (a->k == k && a->thread == thread)
		return;
	a->k = k;
	a->thread = thread;
	a->tracks.n = 0;
	for (size_t l = 0; l < sizeof(layers) / sizeof(*layers); l++)
		for (track_id t = p->layer_track[layers[l]]; t < p->layer_track[layers[l] + 1]; t++)
			if (p->tracks[t].thread == thread)
				VEC_PUSH(&a->tracks, t);
}

/* NVTX ranges and annotations around the launch ("ncclAllReduce", "nccl:all_reduce"). */
static const char *kind_of_ranges(struct around *a, const struct pick *k, ev_id call)
{
	const struct profile *p = k->p;
	const char *kind = NULL;

	if (call == ID_NONE)
		return NULL;
	look_around(a, k, p->tracks[profile_track_of(p, call)].thread);
	for (size_t i = 0; i < a->tracks.n && !kind; i++) {
		ev_id e = track_event_at(p, &p->tracks[a->tracks.a[i]], p->start[call]);

		for (; e != ID_NONE && !kind; e = p->parent[e]) {
			size_t n;
			const char *s = profile_str(p, p->name[e], &n);

			kind = memmem(s, n, "nccl", 4) || memmem(s, n, "c10d", 4) ? kind_of_name(s, n) : NULL;
		}
	}
	return kind;
}

/* "ncclDevKernel_SendRecv" is how NCCL runs all-to-all, too: what launched it knows better. */
static void identify(struct around *a, const struct pick *k, ev_id e, struct what *out)
{
	const struct profile *p = k->p;
	const char *by_op = NULL, *s;
	size_t n;

	*out = (struct what){ .told = TOLD_ARGS };
	if (p->aux[e] < p->n_kernels && p->kernels[p->aux[e]].collective)
		out->args = &p->collectives[p->kernels[p->aux[e]].collective - 1];
	else
		out->args = args_of_ops(k, p->link[e], &by_op);
	if (out->args) {
		s = profile_str(p, out->args->name, &n);
		out->kind = kind_of_arg(s, n);
	}
	if (out->kind)
		return;
	s = profile_str(p, p->name[e], &n);
	out->kind = kind_of_name(s, n);
	out->told = TOLD_KERNEL;
	if (!out->kind || !strcmp(out->kind, "SendRecv")) {
		const char *kind = by_op ? by_op : kind_of_ranges(a, k, p->link[e]);

		out->told = kind ? TOLD_RANGE : out->kind ? TOLD_KERNEL : TOLD_RULE;
		out->kind = kind ? kind : out->kind ? out->kind : facts_kclass(k->f, e)->subclass;
	}
	if (out->args)
		out->told = TOLD_ARGS;
}

/* ---- rows ---- */

struct acc {
	struct tally_row row;
	struct what what;
	int64_t stream;
	str_id kernel;			/* of the longest one, in `longest` */
	const struct pick *longest;
	struct gpu_cover cover;
};
struct view {
	struct tally y;
	struct gpu_parts parts;
	struct around around;
};

static struct acc *acc_of(struct view *v, const struct pick *k, const struct track *tr, ev_id e)
{
	const struct kernel_class *kc = facts_kclass(k->f, e);
	struct what w;
	struct acc *a;

	identify(&v->around, k, e, &w);
	/* args are those of their profile: rows are merged over sources only where there are none */
	a = tally_gpu(&v->y, k, tr, e, &(struct group_key){ .k = { (uint64_t)tr->stream,
		(uint64_t)(uintptr_t)(w.args ? (const void *)w.args : (const void *)kc->dtype) },
		.name = w.kind, .name_len = strlen(w.kind) });
	if (a->row.n == 1) {
		a->what = w;
		a->stream = tr->stream;
	}
	return a;
}

static void add(void *view, const struct pick *k, const struct track *tr, ev_id e)
{
	struct view *v = view;
	struct acc *a;

	if (facts_kclass(k->f, e)->class != KCLASS_COMMUNICATION)
		return;
	a = acc_of(v, k, tr, e);
	if (a->row.n == 1 || k->p->dur[e] > a->row.durs.max) {
		a->kernel = k->p->name[e];
		a->longest = k;
	}
	stats_add(&a->row.durs, k->p->dur[e]);
	gpu_parts_add(&v->parts, tally_index(&v->y, a), k, tr->device, k->p->start[e], ev_end(k->p, e));
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct acc *a = pa, *b = pb;
	int c = tally_cmp_place(&a->row, &b->row);

	return c ? c : tally_cmp_down(a->row.durs.total, b->row.durs.total);
}

static int64_t message_bytes(const struct pick *k, const struct collective_detail *d, int64_t elems)
{
	size_t n;
	const char *s = profile_str(k->p, d->dtype, &n);
	int64_t size = dtype_bytes(s, n), bytes;

	return elems < 0 || !size || __builtin_mul_overflow(elems, size, &bytes) ? -1 : bytes;
}

static void put_args(struct table *t, uint32_t row, const struct pick *k, struct acc *a)
{
	const struct collective_detail *d = a->what.args;
	int64_t in = message_bytes(k, d, d->in_elems), out = message_bytes(k, d, d->out_elems), most = in > out ? in : out;
	double mean = stats_mean(&a->row.durs);

	an_str(t, row, C_DTYPE, k, d->dtype);
	an_str(t, row, C_GROUP, k, d->group);
	an_str(t, row, C_MEMBERS, k, d->ranks);
	if (d->group_size > 0)
		table_i64(t, row, C_RANKS, d->group_size);
	if (in >= 0)
		table_i64(t, row, C_IN, in);
	if (out >= 0)
		table_i64(t, row, C_OUT, out);
	if (most >= 0 && mean > 0)
		table_f64(t, row, C_GBPS, (double)most / mean);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	struct acc *a = acc;
	const struct facts *f = a->longest->f;

	table_cstr(t, row, C_KIND, a->what.kind);
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_i64(t, row, C_BUSY, a->cover.busy);
	table_i64(t, row, C_EXPOSED, a->cover.outside);
	if (a->cover.busy)
		table_f64(t, row, C_OVERLAP, (double)(a->cover.busy - a->cover.outside) / (double)a->cover.busy);
	if (a->what.args)
		put_args(t, row, tally_source(view, &a->row), a);
	else if (f->kclass_of[a->kernel] != ID_NONE)
		table_cstr(t, row, C_DTYPE, f->kclasses[f->kclass_of[a->kernel]].dtype);
	if (a->stream >= 0)
		table_i64(t, row, C_STREAM, a->stream);
	table_cstr(t, row, C_FROM, told_names[a->what.told]);
	an_str(t, row, C_KERNEL, a->longest, a->kernel);
	an_ref(t, row, REF_KERNEL, f->source, 0, 0, C_KERNEL);
}

static void say_unsized(const struct tally *y, struct table *t)
{
	bool unsized = false;

	for (uint32_t i = 0; i < y->n; i++)
		unsized |= !((const struct acc *)tally_at(y, i))->what.args;
	if (unsized)
		table_note(t, _("sizes and groups are unknown where told_by is not args: torch.profiler from 2.2 on records them"));
}

static const struct tally_view how = {
	.kind = VIEW_GPU, .none = NO_GPU_WORK, .layers = 1U << LAYER_KERNEL, .add = add,
	.row_size = sizeof(struct acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct view v = { .y.how = &how };
	bool ok = tally_collect(&v.y, cx, sc, t, e);

	for (size_t i = 0; i < v.parts.v.n; i++)
		gpu_part_cover(&((struct acc *)tally_at(&v.y, v.parts.v.a[i].row))->cover, &v.parts.v.a[i]);
	if (ok)
		tally_put(&v.y, t);
	say_unsized(&v.y, t);
	gpu_parts_fini(&v.parts);
	VEC_FREE(&v.around.tracks);
	tally_fini(&v.y);
	return ok;
}

const struct analysis an_collectives = {
	.id = "collectives", .title = N_("Collectives"), .doc = N_("communication by collective, size and group, and how much of it compute hides"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
