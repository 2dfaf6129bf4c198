/*
 * device_state.h - the state of a device at each instant (definitions.md §5): compute, exposed communication, exposed copy by kind, idle.
 */
#ifndef MEASURE_DEVICE_STATE_H
#define MEASURE_DEVICE_STATE_H

#include "base/vec.h"
#include "calc/groups.h"
#include "calc/owners.h"
#include "scope/selection.h"

enum gpu_state {
	GPU_COMPUTE, GPU_COMM, GPU_HTOD, GPU_DTOH, GPU_BOTH, GPU_PTOP, GPU_DTOD, GPU_MEMSET, GPU_COPY_REST, GPU_IDLE, GPU_STATE_N
};
const char *gpu_state_name(enum gpu_state s);	/* "compute", "exposed communication", "exposed copy HtoD", …, "idle" */

struct gpu_states {
	struct owner_list states;	/* owner = enum gpu_state; cover the window exactly */
	struct owner_list owners;	/* owner = the event that stands for the state; none where idle */
};
/* window: source time, normalised. gpu_states_fini() frees. owners: whether they are wanted, too. */
void gpu_states_make(const struct selection *k, const struct device_facts *d, const struct spans *window, bool owners, struct gpu_states *out);
void gpu_states_fini(struct gpu_states *st);
/* Calls fn for each piece of the window with the state of the device in it, in order of time; two that touch may have one state. */
void gpu_state_each(const struct device_facts *d, const struct spans *window,
	void (*fn)(void *arg, ns_t start, ns_t end, enum gpu_state s), void *arg);
/* The set of instants of each state inside the window, each normalised; they partition it. spans_fini() each. */
void gpu_state_spans(const struct device_facts *d, const struct spans *window, struct spans out[GPU_STATE_N]);
/* What of some work of a device compute and communication cover. */
struct gpu_cover {
	ns_t busy;		/* measure of the work's union */
	ns_t outside;		/* of it, without compute */
	ns_t bare;		/* of that, without communication either */
};
/* The work of one row on one device of one source; and that of all rows of a table. */
struct gpu_part {
	uint32_t row;
	const struct selection *k;
	int64_t device;
	struct spans work;
};
struct gpu_parts {
	struct groups g;
	VEC(struct gpu_part) v;
};
void gpu_parts_add(struct gpu_parts *p, uint32_t row, const struct selection *k, int64_t device,
		   ns_t start, ns_t end);
/* Adds a part to what is known of its row. */
void gpu_part_cover(struct gpu_cover *c, struct gpu_part *part);
void gpu_parts_fini(struct gpu_parts *p);
/* "GEMM", "Attention", "Copy", "Memset": the kernel class, or the kind of copy of an event of a device. Static or rules-owned. */
const char *gpu_work_class(const struct selection *k, ev_id e);

#endif
