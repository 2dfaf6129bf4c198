/* A large torch trace for the bench: streamed, the same bytes for the same --events, no model in
 * memory.  One group is an operator in an operator, its launch, the flow and the kernel; backward
 * groups run on the autograd thread. */
#include "torch_text.h"

#include <stdlib.h>

#define PER_GROUP 6
#define GROUPS_PER_STEP 2000

struct bench {
	FILE *f;
	int64_t ops, calls, kernels, copies, flows, steps, kernel_ns, events;
	ns_t now, gpu;
};

static const char *const outer_names[] = { "aten::linear", "aten::layer_norm", "aten::gelu",
	"aten::add", "aten::softmax", "aten::index_select", "aten::mul",
	"aten::scaled_dot_product_attention" };
static const char *const inner_names[] = { "aten::mm", "aten::native_layer_norm", "aten::gelu",
	"aten::add_", "aten::_softmax", "aten::gather", "aten::mul_",
	"aten::_flash_attention_forward" };

static void put_op(struct bench *b, const char *name, int tid, ns_t start, ns_t end_ns)
{
	torch_event(b->f, "cpu_op", name, GEN_PID, tid, start, end_ns);
	fprintf(b->f, "\"External id\": %lld,\"Record function id\": 0, \"Ev Idx\": %lld",
		(long long)b->ops + 1, (long long)b->ops);
	torch_end(b->f);
	b->ops++;
	b->events++;
}

static void put_kernel(struct bench *b, int64_t g, int tid, int64_t corr, ns_t launch_ns)
{
	ns_t start = launch_ns + 2100 > b->gpu + 900 ? launch_ns + 2100 : b->gpu + 900,
	     dur = 3000 + g * 7919 % 9973;

	torch_event(b->f, "kernel", gen_kernels[g % K_COUNT].torch, 0, 7, start, start + dur);
	fprintf(b->f,
		"\"External id\": %lld,\n      \"queued\": 0, \"device\": 0, \"context\": 1,\n     "
		" \"stream\": 7, "
		"\"correlation\": %lld,\n      \"registers per thread\": 32,\n      \"shared "
		"memory\": 0,\n      \"grid\": [132, 1, 1],\n"
		"      \"block\": [256, 1, 1]",
		(long long)b->ops, (long long)corr);
	torch_end(b->f);
	torch_flow(b->f, "s", "ac2g", corr, GEN_PID, tid, launch_ns);
	torch_flow(b->f, "f", "ac2g", corr, 0, 7, start);
	b->gpu = start + dur;
	b->kernel_ns += dur;
	b->kernels++;
	b->flows += 2;
	b->events += 3;
}

static void put_group(struct bench *b, int64_t g)
{
	int tid = g % GROUPS_PER_STEP < GROUPS_PER_STEP / 3 ? GEN_PID : gen_tids[TH_AUTOGRAD];
	int64_t corr = GEN_FIRST_CORR + g;
	ns_t t = b->now, launch_ns = t + 4100;

	put_op(b, outer_names[g % 8], tid, t, t + 9000 + g % 701);
	put_op(b, inner_names[g % 8], tid, t + 1300, t + 8400);
	torch_event(b->f, "cuda_runtime", "cudaLaunchKernel", GEN_PID, tid, launch_ns,
		launch_ns + 3000 + g % 97);
	fprintf(b->f, "\"External id\": %lld,\n      \"cbid\": 211, \"correlation\": %lld",
		(long long)b->ops, (long long)corr);
	torch_end(b->f);
	b->calls++;
	b->events++;
	put_kernel(b, g, tid, corr, launch_ns);
	b->now = t + 10400;
}

static void put_step(struct bench *b, ns_t start)
{
	char name[48];

	snprintf(name, sizeof(name), "ProfilerStep#%lld", (long long)b->steps++);
	torch_event(b->f, "user_annotation", name, GEN_PID, GEN_PID, start, b->now);
	fputs("\"Record function id\": 0", b->f);
	torch_end(b->f);
	b->events++;
	b->now += 30000;
}

static void put_counts(const struct bench *b, const char *path)
{
	FILE *f = gen_create(path);

	fprintf(f,
		"{\n \"format\": \"tracegen-truth-1\",\n \"kind\": \"bench\",\n \"events\": "
		"{\"cpu_op\": %lld, \"cuda_runtime\": %lld, "
		"\"kernel\": %lld, \"ac2g\": %lld, \"user_annotation\": %lld},\n \"trace_events\": "
		"%lld,\n \"kernel_sum_ns\": %lld\n}\n",
		(long long)b->ops, (long long)b->calls, (long long)b->kernels, (long long)b->flows,
		(long long)b->steps, (long long)b->events + 3, (long long)b->kernel_ns);
	gen_close(f, path);
}

void make_bench(const struct gen_opts *opt)
{
	char *trace = gen_path(opt->out, "bench.pt.trace.json"),
	     *truth = gen_path(opt->out, "truth.json");
	int64_t groups = (opt->events ? opt->events : 100000) / PER_GROUP + 1;
	struct bench b = { .f = gen_create(trace), .now = 5000000 };
	ns_t start = b.now;

	torch_header(b.f);
	for (int64_t g = 0; g < groups; g++) {
		put_group(&b, g);
		if (g % GROUPS_PER_STEP == GROUPS_PER_STEP - 1 || g + 1 == groups) {
			put_step(&b, start);
			start = b.now;
		}
	}
	torch_meta(b.f, "thread_name", GEN_PID, GEN_PID, 0, "name", "thread 41210 (python3)");
	torch_meta(b.f, "thread_name", GEN_PID, gen_tids[TH_AUTOGRAD], 0, "name",
		"thread 41271 (pt_autograd_0)");
	fputs("  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    "
	      "\"pid\": \"\", \"tid\": \"\", \"ts\": ",
		b.f);
	torch_ts(b.f, b.now);
	fputs("\n  }\n  ],\n  \"traceName\": \"bench.pt.trace.json\"\n}\n", b.f);
	gen_close(b.f, trace);
	if (opt->gz)
		torch_gzip(trace);
	put_counts(&b, opt->truth ? opt->truth : truth);
	free(trace);
	free(truth);
}
