/*
 * nvtx_gpu.h - NVTX ranges of a thread in one nesting over all domains and both styles, and the GPU work launched inside them: what the
 * views nvtxsum, nvtxgpu, nvtxproj and nvtxkern share.
 *
 * A call belongs to a range of its thread when both its ends lie inside, the range's own ends included; so does the work that it
 * launched (this is how `nsys stats` joins them). The parent of a range is the shortest one that contains it.
 */
#ifndef MEASURE_NVTX_GPU_H
#define MEASURE_NVTX_GPU_H

#include "base/vec.h"
#include "calc/groups.h"
#include "scope/selections.h"

struct nvtx_range {
	ns_t start, end;
	ev_id e;
	track_id track;
	uint32_t parent;	/* index in the thread's ranges, ID_NONE */
	uint32_t level, children;	/* children: ranges directly inside that have work */
};
struct nvtx_call {		/* a call that launched work in scope */
	ns_t start, end;
	ev_id e;
	uint32_t inner;		/* the shortest range around it, ID_NONE */
};
struct nvtx_thread {
	thread_id thread;
	VEC(struct nvtx_range) ranges;	/* closed ones: start ascending, end descending, event */
	VEC(struct nvtx_call) calls;	/* start ascending */
};

/* The work in scope of a selection: track + 1 per event of the layers kernel, memcpy and memset, 0 = out of scope. */
struct nvtx_work {
	const struct selection *k;
	ev_id first, end;
	uint32_t *track;
};
bool nvtx_work_init(struct nvtx_work *w, const struct selection *k, struct err *e);
void nvtx_work_fini(struct nvtx_work *w);
static inline const struct track *nvtx_work_track(const struct nvtx_work *w, ev_id e)
{
	uint32_t i = e >= w->first && e < w->end ? w->track[e - w->first] : 0;

	return i ? &w->k->p->tracks[i - 1] : NULL;
}

/* Calls fn for each thread in scope that has closed ranges or calls with work. False when cancelled, *e set. */
typedef void (*nvtx_thread_fn)(void *arg, const struct nvtx_work *w, const struct nvtx_thread *t);
bool nvtx_each_thread(const struct nvtx_work *w, nvtx_thread_fn fn, void *arg, struct err *e);

/* The push/pop ranges of t->thread alone, nested among themselves; no calls. Equal ranges: the one that was written later is inside. */
void nvtx_push_pop(struct nvtx_thread *t, const struct profile *p);

/* Calls fn for each call with work inside range i, in the order of their starts. */
typedef void (*nvtx_call_fn)(void *arg, const struct nvtx_call *c);
void nvtx_each_call(const struct nvtx_thread *t, uint32_t i, nvtx_call_fn fn, void *arg);

/* Note of views of NVTX ranges without a source. */
#define NV_NONE \
	N_("no NVTX ranges: mark the code with torch.cuda.nvtx or record with --pytorch=autograd-nvtx (nsys)")

/* What tells tracks of ranges apart: number of the domain and style; NV_NO_RANGE is none of them. */
#define NV_NO_RANGE (UINT64_C(1) << 33)
uint64_t nv_domain(struct names *domains, const struct track *tr);
/* Writes them from column `col` on; style: "PushPop" or "StartEnd", as `nsys stats` calls them. */
void nv_put_kind(struct table *t, uint32_t row, uint32_t col, const struct selection *k, const struct track *tr);

#endif
