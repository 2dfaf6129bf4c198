/* How the true answers are worked out: slow and plain sweeps over sorted boundaries, after shared
 * definitions. */
#ifndef GEN_TRUTH_H
#define GEN_TRUTH_H

#include "gen.h"

struct span {
	ns_t lo, hi;
};

struct spans { /* disjoint, ascending */
	struct span *v;
	size_t n, cap;
};

/* One track and layer: events in the order of a track (start up, end down, file order). */
struct layer {
	struct item {
		ns_t start, end;
		size_t order, index; /* place in the file; index of the event in its vector */
	} * v;
	ns_t *max_end; /* of all items up to this one */
	size_t n, cap;
};

enum gpu_state {
	GS_COMPUTE,
	GS_COMM,
	GS_HTOD,
	GS_DTOH,
	GS_BOTH,
	GS_DTOD,
	GS_MEMSET,
	GS_IDLE,
	GS_COUNT
};

struct step {
	int number;
	ns_t start, end, period_end;
	bool warmup;
	ns_t phase[PH_COUNT]; /* recompute = all of CheckpointFunctionBackward outside nested nodes
			       */
	ns_t narrow[PH_COUNT]; /* recompute = only where an operator runs inside it */
};

enum source { SRC_TORCH, SRC_NSYS, SRC_COUNT };

struct truth {
	const struct run *r;
	FILE *f;
	struct step *steps;
	size_t nsteps, first_steady;
	struct layer ops[TH_COUNT], calls[TH_COUNT];
	struct spans busy; /* kernel, copy or memset on the device */
	struct spans kernel_busy;
	struct span gpu_all;
};

/* measure.c */
void *gen_alloc(size_t n, size_t size);
void spans_add(struct spans *s, ns_t lo, ns_t hi);
void spans_union(struct spans *s); /* sort, join what overlaps or touches */
ns_t spans_measure(const struct spans *s);
ns_t spans_common(const struct spans *s, ns_t lo, ns_t hi);
bool spans_contain(const struct spans *s, ns_t t);
void spans_free(struct spans *s);
void layer_add(struct layer *l, ns_t start, ns_t end, size_t order, size_t index);
void layer_sort(struct layer *l);
ptrdiff_t layer_owner(
	const struct layer *l, ns_t t); /* latest in the order among the active; -1: none */
ptrdiff_t layer_outer(const struct layer *l, ns_t t,
	ptrdiff_t below); /* next active one before `below` in the order */
void layer_free(struct layer *l);

struct cuts { /* sorted instants without repetition */
	ns_t *v;
	size_t n, cap;
};

void cuts_add(struct cuts *c, ns_t t);
void cuts_sort(struct cuts *c);
void cuts_free(struct cuts *c);

/* phases.c */
void find_steps(struct truth *t);
enum gen_phase phase_at(const struct truth *t, ns_t at, bool narrow);
enum gen_phase kernel_phase(const struct truth *t, const struct ev *kernel);
bool launched_in(const struct truth *t, const struct ev *gpu, const struct spans *w);
void put_steps(struct truth *t);

/* truth_gpu.c, truth_cpu.c */
/* wall: the instants that are divided up; launches: GPU work launched in there is counted, whole */
void put_gpu_tables(
	struct truth *t, enum source src, const struct spans *wall, const struct spans *launches);
void put_cpu_tables(struct truth *t, enum source src, const struct spans *w);
void put_threads(struct truth *t, enum source src);
struct span cpu_extent(const struct truth *t, enum source src);
void cpu_union(const struct truth *t, enum source src, int thread, struct spans *out);

#endif
