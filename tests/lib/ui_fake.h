/*
 * ui_fake.h - a small training run with known times for the tests of the explorer; header only.
 *
 * 4 steps of 100 ms from t = 0. In each step: an op "aten::mm" [10, 30) ms with a child "aten::copy_" [12, 20) ms, a call
 * cudaLaunchKernel [14, 15) ms that launches the kernel "ampere_sgemm_128x64_nn" [40, 60) ms on stream 7 of device 0, and a copy
 * HtoD of 1 MB [70, 75) ms that nothing launched. So the device idles [60, 70) ms of each step.
 */
#ifndef TESTS_LIB_UI_FAKE_H
#define TESTS_LIB_UI_FAKE_H

#include <string.h>

#include "model/builder.h"
#include "model/profile.h"
#include "model/session.h"

enum { FAKE_MS = 1000000, FAKE_STEPS = 4, FAKE_STEP_NS = 100 * FAKE_MS };

static inline void fake_event(struct builder *b, track_id t, const char *name, ns_t start_ms, ns_t dur_ms, uint64_t corr, uint32_t aux)
{
	struct builder_event e = { start_ms * FAKE_MS, dur_ms * FAKE_MS, builder_intern(b, name, strlen(name)), corr, CORR_NONE, aux };

	builder_add(b, t, &e);
}

static inline struct profile *fake_profile(void)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 100, 100);
	track_id marks = builder_host_track(b, LAYER_ANNOT, th, ID_NONE, 0), ops = builder_host_track(b, LAYER_OP, th, ID_NONE, 0);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0);
	track_id kernels = builder_gpu_track(b, LAYER_KERNEL, 100, 0, 0, 7, 0), copies = builder_gpu_track(b, LAYER_MEMCPY, 100, 0, 0, 7, 0);
	struct copy_detail copy = { .bytes = 1000000, .kind = COPY_HTOD, .src = MEM_PINNED, .dst = MEM_DEVICE };
	uint32_t detail = builder_copy_detail(b, &copy);
	struct profile *p;

	for (int i = 0; i < FAKE_STEPS; i++) {
		ns_t t = (ns_t)i * 100;
		char name[32];

		snprintf(name, sizeof(name), "ProfilerStep#%d", i + 3);
		fake_event(b, marks, name, t, 100, CORR_NONE, ID_NONE);
		fake_event(b, ops, "aten::mm", t + 10, 20, CORR_NONE, ID_NONE);
		fake_event(b, ops, "aten::copy_", t + 12, 8, CORR_NONE, ID_NONE);
		fake_event(b, calls, "cudaLaunchKernel", t + 14, 1, 500 + (uint64_t)i, 0);
		fake_event(b, kernels, "ampere_sgemm_128x64_nn", t + 40, 20, 500 + (uint64_t)i, ID_NONE);
		fake_event(b, copies, "Memcpy HtoD (Pinned -> Device)", t + 70, 5, CORR_NONE, detail);
	}
	builder_set_format(b, FORMAT_TORCH);
	builder_set_producer(b, "torch.profiler (Kineto)", NULL);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* The same run as nsys sees it without NVTX: launches and kernels of 19 ms, no ops. */
static inline struct profile *fake_nsys_profile(void)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 100, 100);
	track_id calls = builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0), kernels = builder_gpu_track(b, LAYER_KERNEL, 100, 0, 0, 7, 0);
	struct profile *p;

	for (int i = 0; i < FAKE_STEPS; i++) {
		fake_event(b, calls, "cudaLaunchKernel", i * 100 + 14, 1, 500 + (uint64_t)i, 0);
		fake_event(b, kernels, "ampere_sgemm_128x64_nn", i * 100 + 40, 19, 500 + (uint64_t)i, ID_NONE);
	}
	builder_set_format(b, FORMAT_NSYS_SQLITE);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static inline struct session *fake_session(void)
{
	struct session *s = session_new();

	session_put(s, session_add(s, "run/trace.json"), fake_profile(), SOURCE_READY);
	return s;
}

#endif
