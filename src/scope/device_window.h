/* device_window.h - the windows of a device, split by --by: what the views on the GPU wall clock (gpu, gaps) share */
#ifndef ANALYZE_DEVWIN_H
#define ANALYZE_DEVWIN_H

#include "scope/selections.h"

struct devwin {
	int64_t by;		/* value of the split, SPLIT_NONE */
	struct spans w;		/* source time: the wall that is divided up */
	struct spans launched;	/* GPU work launched in here counts whole; wider than w for --window all */
};
struct devwins {
	struct devwin *a;
	size_t n, cap;
	bool rest;		/* the last one is what lies outside of the others */
};

/*
 * The window of the device (pick_device_window), narrowed to the phases of the scope and cut by scope.by: step, phase, micro-batch;
 * other splits do not cut a wall clock and give one window. Phases, steps and micro-batches are those of the process that
 * device_proc() names. The last window of such a cut is what lies outside of all others, without a value of the split and often empty
 * (w.n == 0): the windows sum to the whole.
 */
void devwins_make(struct devwins *out, const struct pick *k, const struct device_facts *d);
void devwins_fini(struct devwins *w);

/* The process (index in facts) that uses the device: owner of its tracks, else the first to launch work on it; ID_NONE unknown. */
uint32_t device_proc(const struct pick *k, int64_t device);
/* True if the scope looks at the device: number, and process where the device is known to belong to others. */
bool device_in_scope(const struct pick *k, const struct device_facts *d);

#endif
