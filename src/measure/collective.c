/* collective.c - see collective.h: by the args of the kernel or of the op that launched it, by names otherwise */
#include <string.h>

#include "base/text.h"
#include "measure/collective.h"

const char *collective_told_name(enum collective_told t)
{
	static const char *const names[] = { "args", "kernel", "range", "rule" };

	return names[t];
}

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

/* The op that launched it or one around that, with the args of a collective; *kind: what the names of these ops say. */
static const struct collective_detail *args_of_ops(const struct facts *f, ev_id call, const char **kind)
{
	const struct op_layer *o = &f->ops;
	const struct profile *p = f->p;

	for (uint32_t op = call == ID_NONE ? ID_NONE : facts_op_of_call(f, call); op != ID_NONE; op = o->parent[op]) {
		const struct op_detail *d = o->from_nvtx ? NULL : profile_op_detail(p, o->ev ? o->ev[op] : op);
		size_t n;
		const char *s = profile_str(p, o->name[op], &n);

		if (d && d->collective)
			return &p->collectives[d->collective - 1];
		*kind = *kind ? *kind : kind_of_name(s, n);
	}
	return NULL;
}

static void look_around(struct collective_finder *c, const struct facts *f, thread_id thread)
{
	static const enum layer layers[] = { LAYER_NVTX, LAYER_ANNOT };
	const struct profile *p = f->p;

	if (c->f == f && c->thread == thread)
		return;
	c->f = f;
	c->thread = thread;
	c->tracks.n = 0;
	for (size_t l = 0; l < sizeof(layers) / sizeof(*layers); l++)
		for (track_id t = p->layer_track[layers[l]]; t < p->layer_track[layers[l] + 1]; t++)
			if (p->tracks[t].thread == thread)
				VEC_PUSH(&c->tracks, t);
}

/* NVTX ranges and annotations around the launch ("ncclAllReduce", "nccl:all_reduce"). */
static const char *kind_of_ranges(struct collective_finder *c, const struct facts *f, ev_id call)
{
	const struct profile *p = f->p;
	const char *kind = NULL;

	if (call == ID_NONE)
		return NULL;
	look_around(c, f, p->tracks[profile_track_of(p, call)].thread);
	for (size_t i = 0; i < c->tracks.n && !kind; i++) {
		ev_id e = track_event_at(p, &p->tracks[c->tracks.a[i]], p->start[call]);

		for (; e != ID_NONE && !kind; e = p->parent[e]) {
			size_t n;
			const char *s = profile_str(p, p->name[e], &n);

			kind = memmem(s, n, "nccl", 4) || memmem(s, n, "c10d", 4) ? kind_of_name(s, n) : NULL;
		}
	}
	return kind;
}

/* "ncclDevKernel_SendRecv" is how NCCL runs all-to-all, too: what launched it knows better. */
void collective_of(struct collective_finder *c, const struct facts *f, ev_id e, struct collective *out)
{
	const struct profile *p = f->p;
	const char *by_op = NULL, *s;
	size_t n;

	*out = (struct collective){ .told = COLLECTIVE_BY_ARGS };
	if (p->aux[e] < p->n_kernels && p->kernels[p->aux[e]].collective)
		out->args = &p->collectives[p->kernels[p->aux[e]].collective - 1];
	else
		out->args = args_of_ops(f, p->link[e], &by_op);
	if (out->args) {
		s = profile_str(p, out->args->name, &n);
		out->kind = kind_of_arg(s, n);
	}
	if (out->kind)
		return;
	s = profile_str(p, p->name[e], &n);
	out->kind = kind_of_name(s, n);
	out->told = COLLECTIVE_BY_KERNEL;
	if (!out->kind || !strcmp(out->kind, "SendRecv")) {
		const char *kind = by_op ? by_op : kind_of_ranges(c, f, p->link[e]);

		out->told = kind ? COLLECTIVE_BY_RANGE : out->kind ? COLLECTIVE_BY_KERNEL : COLLECTIVE_BY_RULE;
		out->kind = kind ? kind : out->kind ? out->kind : facts_kclass(f, e)->subclass;
	}
	if (out->args)
		out->told = COLLECTIVE_BY_ARGS;
}

int64_t collective_bytes(const struct profile *p, const struct collective_detail *d, int64_t elems)
{
	size_t n;
	const char *s = profile_str(p, d->dtype, &n);
	int64_t size = dtype_bytes(s, n), bytes;

	return elems < 0 || !size || __builtin_mul_overflow(elems, size, &bytes) ? -1 : bytes;
}

void collective_finder_fini(struct collective_finder *c)
{
	VEC_FREE(&c->tracks);
}
