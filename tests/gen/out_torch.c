/* The torch.profiler trace, in the layout of Kineto as of torch 2.7-2.10: base time before the
 * events, decimal microseconds with three digits, one event over several lines.  Events are in no
 * global order of time. */
#include "torch_text.h"

#include <stdlib.h>
#include <string.h>

static const char *const copy_names[COPY_KINDS] = { "HtoD", "DtoH", "DtoD" };
static const char *const mem_names[3] = { "Pageable", "Pinned", "Device" };
static const char *const sync_names[SYNC_KINDS] = { "Stream Sync", "Context Sync", "Event Sync",
	"Stream Wait Event" };

static void put_ops(FILE *f, const struct run *r)
{
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct ev *e = &r->ops.v[i];

		torch_event(f, "cpu_op", e->name, GEN_PID, gen_tids[e->thread], e->start, e->end);
		fprintf(f, "\"External id\": %lld,\"Record function id\": 0", (long long)e->ext);
		if (e->seq)
			fprintf(f, ", \"Sequence number\": %lld, \"Fwd thread id\": %d",
				(long long)e->seq, strstr(e->name, "Backward") ? 1 : 0);
		if (strcmp(e->name, "aten::mm") == 0)
			fputs(", \"Input Dims\": [[4096, 2048], [2048, 2048]], \"Input type\": "
			      "[\"c10::BFloat16\", "
			      "\"c10::BFloat16\"]",
				f);
		fprintf(f, ", \"Ev Idx\": %lld", (long long)e->ext - 1);
		torch_end(f);
	}
}

static void put_annotations(FILE *f, const struct run *r)
{
	for (size_t i = 0; i < r->annots.n; i++) {
		const struct ev *e = &r->annots.v[i];

		torch_event(f, "user_annotation", e->name, GEN_PID, gen_tids[e->thread], e->start,
			e->end);
		fprintf(f, "\"External id\": %lld,\"Record function id\": 0, \"Ev Idx\": %lld",
			(long long)e->ext, (long long)e->ext - 1);
		torch_end(f);
	}
}

static int torch_parent(const struct run *r, const struct ev *e)
{
	int p = e->parent;

	while (p >= 0 && r->pys.v[p].kind == PY_SAMPLER)
		p = r->pys.v[p].parent;
	return p;
}

static unsigned module_id(const char *name)
{
	unsigned h = 7;

	while (*name)
		h = h * 31 + (unsigned char)*name++;
	return h % 100000;
}

static void put_python(FILE *f, const struct run *r)
{
	for (size_t i = 0; i < r->pys.n; i++) {
		const struct ev *e = &r->pys.v[i];
		int parent;

		if (e->kind == PY_SAMPLER)
			continue;
		parent = torch_parent(r, e);
		torch_event(f, "python_function", e->name, GEN_PID, gen_tids[e->thread], e->start,
			e->end);
		if (parent < 0)
			fputs("\"Python parent id\": null, ", f);
		else
			fprintf(f, "\"Python parent id\": %d, ", parent + 1);
		fprintf(f, "\"Python id\": %zu, ", i + 1);
		if (e->kind == PY_MODULE)
			fprintf(f, "\"Python module id\": %u, ", module_id(e->name));
		fprintf(f, "\"Ev Idx\": %zu", 1000000 + i);
		torch_end(f);
	}
}

static void put_calls(FILE *f, const struct run *r)
{
	for (size_t i = 0; i < r->calls.n; i++) {
		const struct ev *e = &r->calls.v[i];
		const struct api_def *a = &gen_apis[e->def];

		torch_event(f, a->driver ? "cuda_driver" : "cuda_runtime", a->torch, GEN_PID,
			gen_tids[e->thread], e->start, e->end);
		if (e->ext && !a->driver)
			fprintf(f, "\"External id\": %lld,\n      ", (long long)e->ext);
		fprintf(f, "\"cbid\": %d, \"correlation\": %lld", a->cbid, (long long)e->corr);
		torch_end(f);
	}
}

static void put_flows(FILE *f, const struct run *r, const struct ev *e, struct torch_counts *n)
{
	const struct ev *c = run_call(r, e->corr);

	if (!c)
		return;
	torch_flow(f, "s", "ac2g", c->corr, GEN_PID, gen_tids[c->thread], c->start);
	torch_flow(f, "f", "ac2g", c->corr, GEN_DEVICE, gen_stream_ids[e->stream], e->start);
	n->ac2g += 2;
}

static void put_gpu_args(FILE *f, const struct ev *e)
{
	if (e->ext)
		fprintf(f, "\"External id\": %lld,\n      ", (long long)e->ext);
}

static void put_kernels(FILE *f, const struct run *r, struct torch_counts *n)
{
	for (size_t i = 0; i < r->kernels.n; i++) {
		const struct ev *e = &r->kernels.v[i];
		const struct kernel_def *k = &gen_kernels[e->def];
		int stream = gen_stream_ids[e->stream];

		torch_event(f, "kernel", k->torch, GEN_DEVICE, stream, e->start, e->end);
		put_gpu_args(f, e);
		fprintf(f,
			"\"queued\": 0, \"device\": %d, \"context\": 1,\n      \"stream\": %d, "
			"\"correlation\": %lld,\n",
			GEN_DEVICE, stream, (long long)e->corr);
		fprintf(f,
			"      \"registers per thread\": %d,\n      \"shared memory\": %d,\n      "
			"\"blocks per SM\": %g,\n"
			"      \"warps per SM\": %g,\n      \"grid\": [%d, 1, 1],\n      "
			"\"block\": [%d, 1, 1],\n"
			"      \"est. achieved occupancy %%\": %d",
			k->regs, k->shared, k->grid / 132.0, k->grid * (k->block / 32.0) / 132.0,
			k->grid, k->block, k->grid < 132 ? 12 : 50);
		if (strcmp(k->cls, "Communication") == 0)
			fprintf(f,
				",\n      \"dtype\": \"BFloat16\", \"Process Group Name\": \"0\", "
				"\"Group size\": %d",
				torch_run.world);
		if (e->micro)
			fprintf(f, ",\n      \"graph id\": 1, \"graph node id\": %d", e->micro);
		torch_end(f);
		put_flows(f, r, e, n);
	}
}

static void put_copies(FILE *f, const struct run *r, struct torch_counts *n)
{
	for (size_t i = 0; i < r->copies.n; i++) {
		const struct ev *e = &r->copies.v[i];
		int stream = gen_stream_ids[e->stream];
		char name[64];

		snprintf(name, sizeof(name), "Memcpy %s (%s -> %s)", copy_names[e->kind],
			mem_names[e->src], mem_names[e->dst]);
		torch_event(f, "gpu_memcpy", name, GEN_DEVICE, stream, e->start, e->end);
		put_gpu_args(f, e);
		fprintf(f,
			"\"device\": %d, \"context\": 1,\n      \"stream\": %d, \"correlation\": "
			"%lld,\n      \"bytes\": %lld, "
			"\"memory bandwidth (GB/s)\": %g",
			GEN_DEVICE, stream, (long long)e->corr, (long long)e->bytes,
			(double)e->bytes / (double)(e->end - e->start));
		torch_end(f);
		put_flows(f, r, e, n);
	}
}

static void put_sets(FILE *f, const struct run *r, struct torch_counts *n)
{
	for (size_t i = 0; i < r->sets.n; i++) {
		const struct ev *e = &r->sets.v[i];
		int stream = gen_stream_ids[e->stream];

		torch_event(
			f, "gpu_memset", "Memset (Device)", GEN_DEVICE, stream, e->start, e->end);
		put_gpu_args(f, e);
		fprintf(f,
			"\"device\": %d, \"context\": 1,\n      \"stream\": %d, \"correlation\": "
			"%lld,\n      \"bytes\": %lld, "
			"\"memory bandwidth (GB/s)\": %g",
			GEN_DEVICE, stream, (long long)e->corr, (long long)e->bytes,
			(double)e->bytes / (double)(e->end - e->start));
		torch_end(f);
		put_flows(f, r, e, n);
	}
}

static void put_syncs(FILE *f, const struct run *r)
{
	for (size_t i = 0; i < r->syncs.n; i++) {
		const struct ev *e = &r->syncs.v[i];
		int stream = e->stream >= 0 ? gen_stream_ids[e->stream] : -1;

		torch_event(f, "cuda_sync", sync_names[e->kind], GEN_DEVICE,
			stream < 0 ? 0 : stream, e->start, e->end);
		put_gpu_args(f, e);
		fprintf(f,
			"\"cuda_sync_kind\": \"%s\",\n      \"stream\": %d, \"correlation\": "
			"%lld,\n      \"device\": %d, "
			"\"context\": 1",
			sync_names[e->kind], stream, (long long)e->corr, GEN_DEVICE);
		if (e->kind == SYNC_STREAM_WAIT || e->bytes)
			fprintf(f,
				",\n      \"wait_on_stream\": %d, "
				"\"wait_on_cuda_event_record_corr_id\": %lld, "
				"\"wait_on_cuda_event_id\": %d",
				e->bytes ? gen_stream_ids[e->src] : -1,
				(long long)(e->bytes ? e->bytes : -1), e->bytes ? e->dst : -1);
		torch_end(f);
	}
}

static const struct ev *innermost_annotation(const struct run *r, ns_t t)
{
	const struct ev *best = NULL;

	for (size_t i = 0; i < r->annots.n; i++)
		if (r->annots.v[i].start <= t && t < r->annots.v[i].end)
			best = &r->annots.v[i];
	return best;
}

/* Kineto's echo of an annotation on a stream: from the first to the last work launched with it
 * innermost. */
static void put_gpu_annotations(FILE *f, const struct run *r, struct torch_counts *n)
{
	const struct evs *const work[] = { &r->kernels, &r->copies, &r->sets };
	struct span {
		ns_t lo, hi;
	} *span = calloc(r->annots.n * ST_COUNT, sizeof(*span));

	if (!span)
		die("out of memory");
	for (int w = 0; w < 3; w++) {
		for (size_t i = 0; i < work[w]->n; i++) {
			const struct ev *e = &work[w]->v[i], *c = run_call(r, e->corr), *a;
			struct span *s;

			a = c && c->thread == TH_MAIN ? innermost_annotation(r, c->start) : NULL;
			if (!a)
				continue;
			s = &span[(a - r->annots.v) * ST_COUNT + e->stream];
			if (!s->hi || e->start - 1 < s->lo)
				s->lo = e->start - 1;
			if (e->end + 1 > s->hi)
				s->hi = e->end + 1;
		}
	}
	for (size_t i = 0; i < r->annots.n * ST_COUNT; i++) {
		const struct ev *a = &r->annots.v[i / ST_COUNT];

		if (!span[i].hi)
			continue;
		torch_event(f, "gpu_user_annotation", a->name, GEN_DEVICE,
			gen_stream_ids[i % ST_COUNT], span[i].lo, span[i].hi);
		fprintf(f, "\"External id\": %lld", (long long)a->ext);
		torch_end(f);
		n->gpu_annotations++;
	}
	free(span);
}

static void put_metadata(FILE *f, ns_t t)
{
	char buf[64];

	torch_meta(f, "process_name", GEN_PID, 0, t, "name", "python3");
	torch_meta(f, "process_labels", GEN_PID, 0, t, "labels", "CPU");
	torch_meta(f, "process_sort_index", GEN_PID, 0, t, "sort_index", "41210");
	for (int i = 0; i < 8; i++) {
		torch_meta(f, "process_name", i, 0, t, "name", "python3");
		snprintf(buf, sizeof(buf), "GPU %d", i);
		torch_meta(f, "process_labels", i, 0, t, "labels", buf);
		snprintf(buf, sizeof(buf), "%d", 5000000 + i);
		torch_meta(f, "process_sort_index", i, 0, t, "sort_index", buf);
	}
	for (int i = 0; i < ST_COUNT; i++) {
		snprintf(buf, sizeof(buf), "stream %d ", gen_stream_ids[i]);
		torch_meta(f, "thread_name", GEN_DEVICE, gen_stream_ids[i], t, "name", buf);
	}
	for (int i = 0; i < TH_COUNT; i++) {
		snprintf(buf, sizeof(buf), "thread %d (%s)", gen_tids[i], gen_thread_names[i]);
		torch_meta(f, "thread_name", GEN_PID, gen_tids[i], t, "name", buf);
	}
}

/* Forward operators and their backward share a sequence number; the last forward of a number is the
 * one meant. */
static void put_fwdbwd(FILE *f, const struct run *r, struct torch_counts *n)
{
	int64_t id = 1;

	for (size_t i = 0; i < r->ops.n; i++) {
		const struct ev *b = &r->ops.v[i];

		if (!b->seq || !strstr(b->name, "Backward"))
			continue;
		for (size_t j = i; j-- > 0;) {
			const struct ev *a = &r->ops.v[j];

			if (a->seq != b->seq || strstr(a->name, "Backward"))
				continue;
			torch_flow(f, "s", "fwdbwd", id, GEN_PID, gen_tids[a->thread], a->start);
			torch_flow(f, "f", "fwdbwd", id++, GEN_PID, gen_tids[b->thread], b->start);
			n->fwdbwd += 2;
			break;
		}
	}
}

/* When the first event of the host began. */
static ns_t first_start(const struct run *r)
{
	return r->pys.n ? r->pys.v[0].start : r->annots.v[0].start;
}

static void put_tail(FILE *f, const struct run *r)
{
	ns_t first = first_start(r) - 90000, last = r->th[TH_MAIN].now + 120000;

	fputs("  {\n    \"ph\": \"X\", \"cat\": \"overhead\", \"name\": \"Activity Buffer "
	      "Request\", \"pid\": -1, \"tid\": 0,\n"
	      "    \"ts\": ",
		f);
	torch_ts(f, first_start(r) + 30000);
	fputs(", \"dur\": 812.031\n  },\n  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ", f);
	torch_ts(f, first);
	fputs(", \"dur\": ", f);
	torch_us(f, last - first);
	fputs(",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch "
	      "Profiler (0)\",\n    \"args\": {\n"
	      "      \"Op count\": 0\n    }\n  },\n",
		f);
	fputs("  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": "
	      "\"g\",\n    \"pid\": \"Traces\", "
	      "\"tid\": \"Trace PyTorch Profiler\", \"ts\": ",
		f);
	torch_ts(f, first);
	fputs("\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    "
	      "\"pid\": \"\", \"tid\": \"\", \"ts\": ",
		f);
	torch_ts(f, last);
	fputs("\n  }\n  ],\n  \"traceName\": \"rank0.pt.trace.json\"\n}\n", f);
}

void write_torch(const struct run *r, const char *path, bool gz, struct torch_counts *n)
{
	FILE *f = gen_create(path);

	torch_header(f);
	put_annotations(f, r);
	put_ops(f, r);
	put_python(f, r);
	put_calls(f, r);
	put_kernels(f, r, n);
	put_copies(f, r, n);
	put_sets(f, r, n);
	put_syncs(f, r);
	put_gpu_annotations(f, r, n);
	put_fwdbwd(f, r, n);
	put_metadata(f, first_start(r));
	put_tail(f, r);
	gen_close(f, path);
	if (gz)
		torch_gzip(path);
}
