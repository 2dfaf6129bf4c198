/* Kind offload: a mixture of experts whose parameters live on the host of 8 ranks. Every step fetches
 * the shard of each parameter twice, for forward and for backward, whichever experts the router took.
 * The answers add up the copies one by one, knowing of each whose it was and whether it was used. */
#include "gen.h"

#include <stdlib.h>

#include "torch_text.h"

#define ZERO_NS INT64_C(0)
#define STEPS 4
#define LAYERS 3
#define EXPERTS 8
#define TAKEN 2 /* experts that the router takes in a step, the same for all its tokens */
#define RANKS 8
#define DENSE_PARAMS INT64_C(4000000) /* of a layer */
#define EXPERT_PARAMS INT64_C(2000000) /* of one expert of a layer */
#define ELEMENT 2 /* bfloat16 */
#define STEP_NS INT64_C(20000000)

struct sums {
	int64_t htod, dtoh, needed, experts, used;
	ns_t htod_ns;
};

struct out {
	FILE *f;
	ns_t now;
	int64_t corr;
};

static bool is_taken(int step, int layer, int expert)
{
	int first = (3 * step + layer) % EXPERTS;

	return expert == first || expert == (first + 5) % EXPERTS;
}

static ns_t put_copy(struct out *o, bool back, int64_t bytes)
{
	ns_t dur = 1000 + bytes / 25;

	torch_event(o->f, "cuda_runtime", "cudaMemcpyAsync", GEN_PID, GEN_PID, o->now, o->now + 900);
	fprintf(o->f, "\"cbid\": 41, \"correlation\": %lld", (long long)o->corr);
	torch_end(o->f);
	torch_event(o->f, "gpu_memcpy",
		back ? "Memcpy DtoH (Device -> Pinned)" : "Memcpy HtoD (Pinned -> Device)", 0, 20,
		o->now + 1000, o->now + 1000 + dur);
	fprintf(o->f,
		"\"device\": 0, \"context\": 1,\n      \"stream\": 20, \"correlation\": %lld, "
		"\"bytes\": %lld",
		(long long)o->corr++, (long long)bytes);
	torch_end(o->f);
	o->now += 2000 + dur;
	return dur;
}

static void fetch(struct out *o, int step, int pass, struct sums *s)
{
	for (int layer = 0; layer < LAYERS; layer++) {
		int64_t dense = DENSE_PARAMS * ELEMENT / RANKS, expert = EXPERT_PARAMS * ELEMENT / RANKS;

		s->htod_ns += put_copy(o, false, dense);
		s->htod += dense;
		s->needed += pass ? 0 : dense;
		for (int e = 0; e < EXPERTS; e++) {
			bool taken = is_taken(step, layer, e);

			s->htod_ns += put_copy(o, false, expert);
			s->htod += expert;
			s->experts += expert;
			s->used += taken ? expert : 0;
			s->needed += taken && !pass ? expert : 0;
		}
	}
}

static void put_step(struct out *o, int step, struct sums *s)
{
	ns_t start = ZERO_NS + step * STEP_NS;
	char name[32];

	snprintf(name, sizeof(name), "ProfilerStep#%d", step + 1);
	torch_event(o->f, "user_annotation", name, GEN_PID, GEN_PID, start, start + STEP_NS);
	fputs("\"Ev Idx\": 0", o->f);
	torch_end(o->f);
	o->now = start + 1000;
	for (int pass = 0; pass < 2; pass++)
		fetch(o, step, pass, s);
	s->dtoh += 1000000 + 4 * step;
	put_copy(o, true, 1000000 + 4 * step);
	if (o->now >= start + STEP_NS)
		die("offload: a step is too short for its copies");
}

static void put_facts(const char *path)
{
	FILE *f = gen_create(path);

	fprintf(f,
		"{\n  \"model_type\": \"moe\",\n  \"torch_dtype\": \"bfloat16\",\n  \"parameters\": "
		"%lld,\n  \"expert_parameters\": %lld,\n  \"num_local_experts\": %d,\n  "
		"\"num_experts_per_tok\": %d\n}\n",
		(long long)(LAYERS * (DENSE_PARAMS + EXPERTS * EXPERT_PARAMS)),
		(long long)(LAYERS * EXPERTS * EXPERT_PARAMS), EXPERTS, TAKEN);
	gen_close(f, path);
}

static void put_answers(FILE *f, const struct sums *s)
{
	fputs("{\n \"format\": \"tracegen-truth-1\",\n \"kind\": \"offload\",\n \"steps\": [", f);
	for (int i = 0; i < STEPS; i++)
		fprintf(f,
			"%s\n  {\"step\": %d, \"htod_bytes\": %lld, \"dtoh_bytes\": %lld, \"htod_ns\": "
			"%lld, \"used_bytes\": %lld, \"moe_fetched_bytes\": %lld, \"moe_used_bytes\": "
			"%lld, \"moe_waste_bytes\": %lld}",
			i ? "," : "", i + 1, (long long)s[i].htod, (long long)s[i].dtoh,
			(long long)s[i].htod_ns, (long long)s[i].needed, (long long)s[i].experts,
			(long long)s[i].used, (long long)(s[i].experts - s[i].used));
	fputs("\n ]\n}\n", f);
}

void make_offload(const struct gen_opts *opt)
{
	char *trace = gen_path(opt->out, "offload.pt.trace.json"),
	     *facts = gen_path(opt->out, "config.json"), *truth = gen_path(opt->out, "truth.json");
	const char *answers = opt->truth ? opt->truth : truth;
	struct sums sums[STEPS] = { { 0 } };
	struct out o = { gen_create(trace), 0, GEN_FIRST_CORR };
	FILE *f;

	torch_header(o.f);
	for (int i = 0; i < STEPS; i++)
		put_step(&o, i, &sums[i]);
	torch_meta(o.f, "thread_name", GEN_PID, GEN_PID, ZERO_NS, "name", "thread 41210 (python3)");
	fputs("  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": "
	      "\"\", \"tid\": \"\", \"ts\": ",
		o.f);
	torch_ts(o.f, ZERO_NS + STEPS * STEP_NS);
	fputs("\n  }\n  ],\n  \"traceName\": \"offload.pt.trace.json\"\n}\n", o.f);
	gen_close(o.f, trace);
	if (opt->gz)
		torch_gzip(trace);
	put_facts(facts);
	f = gen_create(answers);
	put_answers(f, sums);
	gen_close(f, answers);
	free(trace);
	free(facts);
	free(truth);
}
