/* synth.c - a profile of any size without a file, see bench.h. The same number of events gives the same profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/session.h"
#include "tests/perf/bench.h"

enum { PER_GROUP = 12, GROUPS_PER_STEP = 1000, N_OPS = 60, N_KERNELS = 40, DEPTH = 4 };

struct synth {
	struct builder *b;
	track_id ops[2], calls[2], steps, kernels[2], copies;
	str_id op_names[N_OPS], kernel_names[N_KERNELS], launch, memcpy_call, copy_name;
	uint32_t copy_detail;
	ns_t now, gpu[2];
	uint32_t seed;
};

static uint32_t rnd(struct synth *s, uint32_t n)
{
	s->seed = s->seed * 1664525u + 1013904223u;
	return (s->seed >> 8) % n;
}

static void add(struct synth *s, track_id t, str_id name, ns_t start, ns_t dur, uint64_t corr, uint32_t aux)
{
	struct builder_event e = { start, dur, name, corr, CORR_NONE, aux };

	builder_add(s->b, t, &e);
}

static str_id name_of(struct synth *s, const char *before, int i, const char *behind)
{
	char name[160];
	int n = snprintf(name, sizeof(name), "%s%d%s", before, i, behind);

	return builder_intern(s->b, name, (size_t)n);
}

static void make_tracks(struct synth *s)
{
	static const struct copy_detail detail = { 1 << 20, COPY_HTOD, MEM_PINNED, MEM_DEVICE, 0, 0 };

	for (int i = 0; i < 2; i++) {
		thread_id th = builder_thread(s->b, 100, 100 + i);

		s->ops[i] = builder_host_track(s->b, LAYER_OP, th, ID_NONE, 0);
		s->calls[i] = builder_host_track(s->b, LAYER_RUNTIME, th, ID_NONE, 0);
		s->kernels[i] = builder_gpu_track(s->b, LAYER_KERNEL, -1, 0, 0, i ? 20 : 7, 0);
	}
	s->steps = builder_host_track(s->b, LAYER_ANNOT, builder_thread(s->b, 100, 100), ID_NONE, 0);
	s->copies = builder_gpu_track(s->b, LAYER_MEMCPY, -1, 0, 0, 7, 0);
	for (int i = 0; i < N_OPS; i++)
		s->op_names[i] = name_of(s, "aten::operator_", i, "");
	for (int i = 0; i < N_KERNELS; i++)
		s->kernel_names[i] = name_of(s, "void at::native::kernel_", i, "<4, float>(int, float const*, float*)");
	s->launch = builder_intern(s->b, "cudaLaunchKernel", 16);
	s->memcpy_call = builder_intern(s->b, "cudaMemcpyAsync", 15);
	s->copy_name = builder_intern(s->b, "Memcpy HtoD (Pinned -> Device)", 30);
	s->copy_detail = builder_copy_detail(s->b, &detail);
}

static void work_on_stream(struct synth *s, int stream, track_id track, str_id name, ns_t launched, uint64_t corr, uint32_t aux)
{
	ns_t start = launched + 2000 > s->gpu[stream] + 500 ? launched + 2000 : s->gpu[stream] + 500, dur = 1500 + rnd(s, 6000);

	add(s, track, name, start, dur, corr, aux);
	s->gpu[stream] = start + dur;
}

/* One op with ops inside it, two kernels, a copy: PER_GROUP events. */
static void make_group(struct synth *s, uint64_t g)
{
	int th = g % 3 == 2;
	ns_t t = s->now, len = 12000 + rnd(s, 4000);
	uint64_t corr = g * 3 + 1;

	for (int d = 0; d < DEPTH; d++)
		add(s, s->ops[th], s->op_names[rnd(s, N_OPS)], t + d * 900, len - d * 1900, CORR_NONE, ID_NONE);
	add(s, s->ops[th], s->op_names[rnd(s, N_OPS)], t + len + 100, 1700, CORR_NONE, ID_NONE);
	for (int k = 0; k < 2; k++) {
		add(s, s->calls[th], s->launch, t + 3000 + k * 1500, 1200, corr + (uint64_t)k, ID_NONE);
		work_on_stream(s, (int)(g % 5 == 0), s->kernels[g % 5 == 0], s->kernel_names[rnd(s, N_KERNELS)], t + 3000 + k * 1500,
			corr + (uint64_t)k, ID_NONE);
	}
	add(s, s->calls[th], s->memcpy_call, t + 6200, 800, corr + 2, ID_NONE);
	work_on_stream(s, 0, s->copies, s->copy_name, t + 6200, corr + 2, s->copy_detail);
	add(s, s->ops[th], s->op_names[rnd(s, N_OPS)], t + len + 1900, 600, CORR_NONE, ID_NONE);
	s->now = t + len + 3000;
}

struct profile *synth_profile(uint64_t events)
{
	struct synth s = { .b = builder_new(), .now = 1000, .seed = 1 };
	struct profile *p;
	ns_t step = s.now;

	make_tracks(&s);
	for (uint64_t g = 0; g * PER_GROUP < events; g++) {
		make_group(&s, g);
		if (g % GROUPS_PER_STEP == GROUPS_PER_STEP - 1 || (g + 1) * PER_GROUP >= events) {
			add(&s, s.steps, name_of(&s, "ProfilerStep#", (int)(g / GROUPS_PER_STEP), ""), step, s.now - step, CORR_NONE, ID_NONE);
			s.now += 20000;
			step = s.now;
		}
	}
	builder_set_format(s.b, FORMAT_TORCH);
	builder_set_producer(s.b, "torch.profiler (Kineto)", NULL);
	p = builder_finish(s.b);
	builder_free(s.b);
	return p;
}

struct session *synth_session(uint64_t events)
{
	struct session *s = session_new();

	session_put(s, session_add(s, "bench.json"), synth_profile(events), SOURCE_READY);
	return s;
}

uint64_t synth_events(int argc, char **argv)
{
	return argc == 0 ? 1000000 : argc == 1 ? (uint64_t)strtod(argv[0], NULL) : 0;
}
