/*
 * collectives.c - view `collectives`: communication kernels by collective, data type, size, group and stream, and how much of them
 * compute on the same device covers.
 *
 * What a collective is and how large is told by torch (args of the kernel, else of the record_param_comms that launched it); where it is
 * not, the kernel's name tells the collective, else the op or NVTX range around the launch, and the size is unknown: Nsight Systems
 * writes the schemas of NCCL's payloads, but not the values.
 */
#include <string.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "calc/stats.h"
#include "measure/device_state.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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
		if (strlen(arg_kinds[i].word) == n && !memcmp(s, arg_kinds[i].word, n))
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
		if (strlen(types[i].name) == n && !memcmp(s, types[i].name, n))
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
	struct what what;
	const struct pick *k;		/* of the first one, whose strings `what` names */
	int64_t by, source, pid, stream;
	struct stats durs;
	str_id kernel;			/* of the longest one, in `longest` */
	const struct pick *longest;
	struct gpu_cover cover;
};
struct part {				/* the intervals of a row on one device of one source */
	uint32_t acc;
	const struct pick *k;
	int64_t device;
	struct spans busy;
};
struct view {
	const struct picks *ps;
	struct groups g, gparts;
	VEC(struct acc) acc;
	VEC(struct part) parts;
	struct around around;
};

static uint32_t acc_of(struct view *v, const struct pick *k, const struct track *tr, ev_id e)
{
	const struct kernel_class *kc = facts_kclass(k->f, e);
	int64_t by = split_gpu(k, tr, e);
	struct what w;
	struct group_key key;
	uint32_t i;

	identify(&v->around, k, e, &w);
	/* args are ids of their profile: rows are merged over sources only where there are none */
	key = (struct group_key){ .k = { k->sc->by == BY_ALL && !w.args ? 0 : (uint64_t)(k - v->ps->a), (uint64_t)by,
		(uint64_t)tr->stream, (uint64_t)(uintptr_t)(w.args ? (const void *)w.args : (const void *)kc->dtype) },
		.name = w.kind, .name_len = strlen(w.kind) };
	i = groups_add(&v->g, &key);
	if (i == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .what = w, .k = k, .by = by, .source = OWNER_NEW, .pid = OWNER_NEW, .stream = tr->stream });
	return i;
}

static struct part *part_of(struct view *v, uint32_t acc, const struct pick *k, int64_t device)
{
	uint32_t i = groups_add(&v->gparts, &(struct group_key){ .k = { acc, (uint64_t)(k - v->ps->a), (uint64_t)device } });

	if (i == v->parts.n)
		VEC_PUSH(&v->parts, (struct part){ .acc = acc, .k = k, .device = device });
	return &v->parts.a[i];
}

static void add(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	struct view *v = arg;
	struct acc *a;
	uint32_t i;

	if (facts_kclass(k->f, e)->class != KCLASS_COMMUNICATION)
		return;
	i = acc_of(v, k, tr, e);
	a = &v->acc.a[i];
	owner_add(&a->source, k - v->ps->a);
	owner_add(&a->pid, gpu_pid(k, tr, e));
	if (!stats_n(&a->durs) || k->p->dur[e] > a->durs.max) {
		a->kernel = k->p->name[e];
		a->longest = k;
	}
	stats_add(&a->durs, k->p->dur[e]);
	spans_add(&part_of(v, i, k, tr->device)->busy, k->p->start[e], ev_end(k->p, e));
}

static void finish_part(struct view *v, struct part *part)
{
	gpu_cover_add(&v->acc.a[part->acc].cover, facts_device(part->k->f, part->device), &part->busy);
	spans_fini(&part->busy);
}

static int acc_cmp(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct acc *a = (const struct acc *)arg + ia, *b = (const struct acc *)arg + ib;
	int c = (a->source > b->source) - (a->source < b->source);

	c = c ? c : split_cmp(a->by, b->by);
	return c ? c : (a->durs.total < b->durs.total) - (a->durs.total > b->durs.total);
}

static int64_t message_bytes(const struct acc *a, int64_t elems)
{
	size_t n;
	const char *s = profile_str(a->k->p, a->what.args->dtype, &n);
	int64_t size = dtype_bytes(s, n), bytes;

	return elems < 0 || !size || __builtin_mul_overflow(elems, size, &bytes) ? -1 : bytes;
}

static void put_args(struct table *t, uint32_t row, struct acc *a)
{
	const struct collective_detail *d = a->what.args;
	int64_t in = message_bytes(a, d->in_elems), out = message_bytes(a, d->out_elems), most = in > out ? in : out;
	double mean = stats_mean(&a->durs);

	an_str(t, row, C_DTYPE, a->k, d->dtype);
	an_str(t, row, C_GROUP, a->k, d->group);
	an_str(t, row, C_MEMBERS, a->k, d->ranks);
	if (d->group_size > 0)
		table_i64(t, row, C_RANKS, d->group_size);
	if (in >= 0)
		table_i64(t, row, C_IN, in);
	if (out >= 0)
		table_i64(t, row, C_OUT, out);
	if (most >= 0 && mean > 0)
		table_f64(t, row, C_GBPS, (double)most / mean);
}

static void put(const struct view *v, struct table *t, struct acc *a)
{
	uint32_t row = table_row(t);
	const char *dtype = a->longest->f->kclass_of[a->kernel] == ID_NONE ? NULL :
		a->longest->f->kclasses[a->longest->f->kclass_of[a->kernel]].dtype;

	table_cstr(t, row, C_KIND, a->what.kind);
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	table_i64(t, row, C_TOTAL, a->durs.total);
	table_i64(t, row, C_BUSY, a->cover.busy);
	table_i64(t, row, C_EXPOSED, a->cover.outside);
	if (a->cover.busy)
		table_f64(t, row, C_OVERLAP, (double)(a->cover.busy - a->cover.outside) / (double)a->cover.busy);
	stats_put(t, row, C_STATS, &a->durs);
	if (a->what.args)
		put_args(t, row, a);
	else
		table_cstr(t, row, C_DTYPE, dtype);
	if (a->stream >= 0)
		table_i64(t, row, C_STREAM, a->stream);
	table_cstr(t, row, C_FROM, told_names[a->what.told]);
	an_str(t, row, C_KERNEL, a->longest, a->kernel);
	split_set(t, row, C_BY, a->k, a->by);
	an_ref(t, row, REF_KERNEL, a->longest->f->source, 0, 0, C_KERNEL);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static void say_unsized(const struct view *v, struct table *t)
{
	size_t unsized = 0;

	for (size_t i = 0; i < v->acc.n; i++)
		unsized += !v->acc.a[i].what.args;
	if (unsized)
		table_note(t, _("sizes and groups are unknown where told_by is not args: torch.profiler from 2.2 on records them"));
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);
	uint32_t *order;

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = picks_gpu(&ps.a[i], LAYER_KERNEL, add, &v, e);
	for (size_t i = 0; i < v.parts.n; i++)
		finish_part(&v, &v.parts.a[i]);
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	say_unsized(&v, t);
	free(order);
	for (size_t i = 0; i < v.acc.n; i++)
		stats_fini(&v.acc.a[i].durs);
	groups_fini(&v.g);
	groups_fini(&v.gparts);
	VEC_FREE(&v.acc);
	VEC_FREE(&v.parts);
	VEC_FREE(&v.around.tracks);
	picks_close(&ps);
	return ok;
}

const struct analysis an_collectives = {
	.id = "collectives", .title = N_("Collectives"), .doc = N_("communication by collective, size and group, and how much of it compute hides"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
