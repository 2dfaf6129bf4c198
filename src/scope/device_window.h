/* device_window.h - the windows of a device, split by --by: what the views on the GPU wall clock (gpu, gaps) share */
#ifndef SCOPE_DEVICE_WINDOW_H
#define SCOPE_DEVICE_WINDOW_H

#include "scope/selections.h"

struct device_window {
	int64_t by;		/* value of the split, SPLIT_NONE */
	struct spans w;		/* source time: the wall that is divided up */
	struct spans launched;	/* GPU work launched in here counts whole; wider than w for --window all */
};
struct device_windows {
	struct device_window *a;
	size_t n, cap;
	bool rest;		/* the last one is what lies outside of the others */
};

/*
 * The window of the device (selection_device_window), narrowed to the phases of the scope and cut by scope.by: step, phase, micro-batch;
 * other splits do not cut a wall clock and give one window. Phases, steps and micro-batches are those of the process that
 * device_proc() names. The last window of such a cut is what lies outside of all others, without a value of the split and often empty
 * (w.n == 0): the windows sum to the whole.
 */
void device_windows_make(struct device_windows *out, const struct selection *k, const struct device_facts *d);
void device_windows_fini(struct device_windows *w);

/* The process (index in facts) that uses the device: owner of its tracks, else the first to launch work on it; ID_NONE unknown. */
uint32_t device_proc(const struct selection *k, int64_t device);
/* True if the scope looks at the device: number, and process where the device is known to belong to others. */
bool device_in_scope(const struct selection *k, const struct device_facts *d);

#endif
