/* streams.c - view `streams`: what each stream of each device did */
#include <stdlib.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum {
	C_DEVICE,
	C_CONTEXT,
	C_STREAM,
	C_KERNELS,
	C_COPIES,
	C_MEMSETS,
	C_TOTAL,
	C_BUSY
};

static const struct column_def cols[] = {
	[C_DEVICE] = {"device", N_("GPU"), UNIT_ID, COL_KEY, 0,
		      N_("number of the device in the file")},
	[C_CONTEXT] = {"context", N_("Context"), UNIT_ID, 0, 5, N_("CUDA context")},
	[C_STREAM] = {"stream", N_("Stream"), UNIT_ID, COL_KEY, 0,
		      N_("number of the stream in the file")},
	[C_KERNELS] = {"kernels", N_("Kernels"), UNIT_COUNT, 0, 1, N_("kernels of the window")},
	[C_COPIES] = {"copies", N_("Copies"), UNIT_COUNT, 0, 2, N_("copies of the window")},
	[C_MEMSETS] = {"memsets", N_("Memsets"), UNIT_COUNT, 0, 3, N_("memory sets of the window")},
	[C_TOTAL] = {"total_ns", N_("Total"), UNIT_NS, COL_BAR, 0,
		     N_("sum of the durations of all of them")},
	[C_BUSY] = {"busy_ns", N_("Busy"), UNIT_NS, 0, 1,
		    N_("time in which at least one of them runs")},
	SOURCE_COLS};

struct stream {
	const struct selection *k;
	uint32_t pick;
	int64_t device, context, stream, pid, counts[3];
	ns_t total;
	struct spans busy;
};
struct streams_view {
	VEC(struct stream) v;
	struct groups index; /* of the selection at hand; base = streams of those before it */
	uint32_t pick, base;
};

static struct stream *stream_of(struct streams_view *s, const struct selection *k,
				const struct track *tr)
{
	uint32_t i = s->base +
		     groups_add(&s->index, &(struct group_key){.k = {(uint64_t)tr->device,
								     (uint64_t)tr->context,
								     (uint64_t)tr->stream,
								     (uint64_t)tr->pid}});

	if (i == s->v.n)
		VEC_PUSH(&s->v, (struct stream){.k = k,
						.pick = s->pick,
						.device = tr->device,
						.context = tr->context,
						.stream = tr->stream,
						.pid = tr->pid});
	return &s->v.a[i];
}

static void add(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct stream *x = stream_of(arg, k, tr);

	x->counts[tr->layer - LAYER_KERNEL]++;
	x->total += k->p->dur[e];
	spans_add(&x->busy, k->p->start[e], ev_end(k->p, e));
}

static int stream_cmp(const void *pa, const void *pb)
{
	const struct stream *a = pa, *b = pb;

	if (a->pick != b->pick)
		return a->pick < b->pick ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->total < b->total) - (a->total > b->total);
}

static void put_stream(struct table *t, struct stream *x)
{
	uint32_t row = table_row(t);

	spans_norm(&x->busy);
	table_i64(t, row, C_DEVICE, x->device);
	if (x->context >= 0)
		table_i64(t, row, C_CONTEXT, x->context);
	if (x->stream >= 0)
		table_i64(t, row, C_STREAM, x->stream);
	for (uint32_t i = 0; i < 3; i++)
		table_i64(t, row, C_KERNELS + i, x->counts[i]);
	table_i64(t, row, C_TOTAL, x->total);
	table_i64(t, row, C_BUSY, spans_measure(&x->busy));
	an_ref(t, row, REF_DEVICE, x->k->f->source, x->device, 0, C_STREAM);
	an_row_source(t, row, x->k, x->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct streams_view s = {0};
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		s.pick = i;
		s.base = (uint32_t)s.v.n;
		ok = picks_work(&ps.a[i], add, &s, e);
		groups_fini(&s.index);
	}
	if (ok && s.v.n)
		qsort(s.v.a, s.v.n, sizeof(*s.v.a), stream_cmp);
	for (size_t i = 0; i < s.v.n; i++) {
		if (ok)
			put_stream(t, &s.v.a[i]);
		spans_fini(&s.v.a[i].busy);
	}
	VEC_FREE(&s.v);
	selections_close(&ps);
	return ok;
}

const struct analysis an_streams = {
	.id = "streams",
	.title = N_("Streams"),
	.doc = N_("GPU work by stream"),
	.cols = cols,
	.n_cols = N_COLS(cols),
	.run = run,
};
