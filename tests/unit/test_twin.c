/* test_twin.c - exports of one capture in a session: clock, kernel names repaired, classes */
#include "base/mem.h"
#include "facts/facts.h"
#include "model/session.h"
#include "rules/rules.h"
#include "tests/lib/tap.h"

#define GEMM "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_tn_align8>(T1::Params)"
#define NCCL "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"

struct kernel {
	ns_t start;
	uint64_t corr;		/* 0 none */
	int64_t device, stream;
	const char *name;
};

static str_id intern(struct builder *b, const char *s)
{
	return builder_intern(b, s, strlen(s));
}

/* Calls of thread 6 of process pid at 100 × correlation id, 10 ns; kernels of 50 ns. */
static struct profile *source(enum source_format f, int64_t pid, ns_t epoch, const struct kernel *k, size_t n, ns_t shift)
{
	struct builder *b = builder_new();
	struct profile *p;

	builder_set_format(b, f);
	if (f == FORMAT_NSYS_CHROME)
		builder_caps(b, CAP_SHORT_NAMES);
	if (epoch)
		builder_set_epoch(b, epoch);
	for (uint64_t c = 1; c < 5; c++)
		builder_add(b, builder_host_track(b, LAYER_RUNTIME, builder_thread(b, pid, 6), ID_NONE, 1),
			&(struct builder_event){ .start = (ns_t)c * 100 + shift, .dur = 10, .name = intern(b, "cudaLaunchKernel"),
				.corr = c, .ext = CORR_NONE });
	for (size_t i = 0; i < n; i++)
		builder_add(b, builder_gpu_track(b, LAYER_KERNEL, -1, k[i].device, -1, k[i].stream, 1),
			&(struct builder_event){ .start = k[i].start + shift, .dur = 50, .name = intern(b, k[i].name),
				.corr = k[i].corr ? k[i].corr : CORR_NONE, .ext = CORR_NONE, .aux = ID_NONE });
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static const struct kernel whole[] = {
	{ 1000, 1, 0, 7, GEMM },
	{ 1100, 2, 0, 7, NCCL },
	/* a graph: two kernels of one launch */
	{ 1200, 3, 0, 7, "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)" },
	{ 1300, 3, 0, 7, "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>(int)" },
	{ 1400, 0, 0, 9, "void other::Kernel2<a>(int)" },
};
static const struct kernel cut[] = {
	{ 1000, 1, 5, 7, "Kernel2" },	/* another device number: the launch tells */
	{ 1100, 2, 0, 7, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" },
	{ 1200, 3, 0, 7, "vectorized_elementwise_kernel" },
	{ 1300, 3, 0, 7, "vectorized_elementwise_kernel" },
	{ 1400, 0, 0, 9, "Kernel2" },	/* no launch: the stream tells */
	{ 1500, 0, 0, 9, "Kernel2" },	/* not in the export */
	{ 1400, 0, 0, 8, "Kernel2" },	/* another stream */
};
#define N_WHOLE (sizeof(whole) / sizeof(*whole))
#define N_CUT (sizeof(cut) / sizeof(*cut))

/* The name and class of the kernel of `cut` at index i. */
static ev_id kernel_at(const struct profile *p, const struct kernel *k)
{
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++) {
		const struct track *tr = &p->tracks[profile_track_of(p, e)];

		if (p->start[e] == k->start && tr->stream == k->stream && tr->device == k->device)
			return e;
	}
	return ID_NONE;
}

static const char *name_at(const struct profile *p, size_t i)
{
	ev_id e = kernel_at(p, &cut[i]);
	size_t n;

	return e == ID_NONE ? NULL : profile_str(p, p->name[e], &n);
}

static void is_class(const struct rules *r, struct profile *p, size_t i, enum kclass want, const char *what)
{
	struct facts *f = facts_new(r, p, 0);

	is_str(kclass_name(facts_kclass(f, kernel_at(p, &cut[i]))->class), kclass_name(want), "%s", what);
	facts_free(f);
}

static void test_alone(const struct rules *r)
{
	struct session *s = session_new();
	struct profile *p = source(FORMAT_NSYS_CHROME, 5, 0, cut, N_CUT, 0);
	struct facts *f;

	session_put(s, session_add(s, "c"), p, SOURCE_READY);
	ok(s->sources[0].profile == p && s->sources[0].twin < 0, "alone, it is what it is");
	f = facts_new(r, p, 0);
	is_uint(f->n_truncated, N_CUT, "all names are truncated");
	is_str(facts_kclass(f, kernel_at(p, &cut[0]))->subclass, "truncated", "and said to be");
	is_uint(f->devices[0].busy[BUSY_COMM].n, 0, "none is communication");
	facts_free(f);
	is_class(r, p, 0, KCLASS_UNRESOLVED, "no class for Kernel2");
	is_class(r, p, 1, KCLASS_UNRESOLVED, "nor for a name that a rule would know");
	session_free(s);
}

static void check_repaired(const struct rules *r, struct profile *p)
{
	struct facts *f = facts_new(r, p, 0);

	is_str(name_at(p, 0), GEMM, "by the launch");
	is_str(name_at(p, 1), NCCL, "by the launch, a name that looked whole");
	is_str(name_at(p, 2), whole[2].name, "of two kernels of one launch, the one that starts then");
	is_str(name_at(p, 3), whole[3].name, "and the other one");
	is_str(name_at(p, 4), whole[4].name, "by stream and start");
	is_str(name_at(p, 5), "Kernel2", "no match: it stays short");
	is_str(name_at(p, 6), "Kernel2", "the start alone, on another stream, is none");
	is_uint(f->n_truncated, 2, "and so many are truncated");
	is_int(p->caps & CAP_SHORT_NAMES, CAP_SHORT_NAMES, "the source is still one with short names");
	ok(p->n_notes && strstr(p->notes[p->n_notes - 1], "5 kernel names were repaired from w, 2 stay truncated"), "a remark: %s",
		p->n_notes ? p->notes[p->n_notes - 1] : "");
	facts_free(f);
	is_class(r, p, 0, KCLASS_GEMM, "a GEMM that was shown as Kernel2 is no communication");
	is_class(r, p, 1, KCLASS_COMMUNICATION, "NCCL is");
	is_class(r, p, 4, KCLASS_UNCLASSIFIED, "a whole name that no rule knows");
	is_class(r, p, 5, KCLASS_UNRESOLVED, "a short one");
}

static void test_repair(const struct rules *r, bool export_first, int64_t pid)
{
	struct session *s = session_new(), *c;
	struct profile *w = source(FORMAT_NSYS_SQLITE, 5, 1700000000000000000, whole, N_WHOLE, 0);
	struct profile *p = source(FORMAT_NSYS_CHROME, pid, 0, cut, N_CUT, 0);
	uint32_t iw = session_add(s, "w"), ip = session_add(s, "c");

	session_put(s, export_first ? iw : ip, export_first ? w : p, SOURCE_READY);
	session_put(s, export_first ? ip : iw, export_first ? p : w, SOURCE_READY);
	diag("%s, pid %d", export_first ? "export first" : "conversion first", (int)pid);
	is_int(s->sources[ip].twin, iw, "the conversion finds its export");
	is_int(s->sources[ip].clock_group, s->sources[iw].clock_group, "they share a clock");
	is_int(s->sources[ip].shift_ns, s->sources[iw].shift_ns, "and its zero");
	ok(s->sources[iw].profile == w, "the export is untouched");
	check_repaired(r, s->sources[ip].profile);
	c = session_clone(s);
	/* the export goes: what was repaired from it goes, too, but not from the clone */
	session_put(s, iw, source(FORMAT_NSYS_SQLITE, 5, 0, whole, 0, 999), SOURCE_READY);
	is_str(name_at(s->sources[ip].profile, 0), "Kernel2", "without the export the name is short again");
	is_int(s->sources[ip].twin, -1, "and the twin is forgotten");
	session_free(s);
	is_str(name_at(c->sources[ip].profile, 0), GEMM, "a clone keeps it");
	session_free(c);
}

static void test_other_run(void)
{
	struct session *s = session_new();

	session_put(s, session_add(s, "w"), source(FORMAT_NSYS_SQLITE, 5, 0, whole, N_WHOLE, 3), SOURCE_READY);
	session_put(s, session_add(s, "c"), source(FORMAT_NSYS_CHROME, 5, 0, cut, N_CUT, 0), SOURCE_READY);
	is_int(s->sources[1].twin, -1, "the same program, run again, is another capture");
	is_str(name_at(s->sources[1].profile, 0), "Kernel2", "its names repair nothing");
	session_free(s);
	s = session_new();
	session_put(s, session_add(s, "a"), source(FORMAT_NSYS_SQLITE, 5, 0, whole, N_WHOLE, 0), SOURCE_READY);
	session_put(s, session_add(s, "b"), source(FORMAT_NSYS_SQLITE, 5, 0, whole, N_WHOLE, 0), SOURCE_READY);
	is_int(s->sources[1].twin, -1, "of two databases none is the conversion of the other");
	session_free(s);
	s = session_new();
	session_put(s, session_add(s, "j"), source(FORMAT_NSYS_JSON, 5, 0, whole, N_WHOLE, 0), SOURCE_READY);
	session_put(s, session_add(s, "c"), source(FORMAT_NSYS_CHROME, 5, 0, cut, N_CUT, 0), SOURCE_READY);
	session_put(s, session_add(s, "w"), source(FORMAT_NSYS_SQLITE, 5, 0, whole, N_WHOLE, 0), SOURCE_READY);
	is_int(s->sources[0].twin, 2, "an export as text has the database as its twin");
	is_int(s->sources[1].twin, 2, "the conversion takes the most complete one");
	is_int(s->sources[1].clock_group, s->sources[0].clock_group, "all share a clock");
	session_free(s);
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rules *r = rules_new(&e);

	if (!r) {
		fail("rules: %s", e.text);
		return done_testing();
	}
	test_alone(r);
	test_repair(r, true, 5);
	test_repair(r, false, 5);
	test_repair(r, false, -1000);	/* nsys2json: a process without a number */
	test_other_run();
	rules_free(r);
	return done_testing();
}
