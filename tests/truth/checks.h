/* checks.h - the comparisons that are more than one table against another; each says its verdicts by itself */
#ifndef TESTS_TRUTH_CHECKS_H
#define TESTS_TRUTH_CHECKS_H

#include "tests/truth/trial.h"

struct place {
	const char *source_name, *window_name;
	uint32_t source;
	enum window_kind window;
	const struct jval *truth;	/* the member "all" or "steady" of the source */
};

/* ---- host.c ---- */
/* Sources of one run share a clock: the truth's zero is the zero of the nsys file. */
void check_clock(struct trial *t);
/* Session time of the truth's time 0. */
ns_t truth_zero(const struct trial *t);
/* The window that views of the host say that they have. */
void check_walls(struct trial *t, const struct place *at);
/* Rows of breakdown cpu sum to the wall, and what is untraced is what no thread has an event in. */
void check_host_partition(struct trial *t, const struct place *at);
/* torch's python_function events by name: times with the frame, own times, calls. */
void check_python(struct trial *t, const struct place *at);
void check_steps(struct trial *t, const char *name, uint32_t source);
void check_threads(struct trial *t, const char *name, uint32_t source);
/* Rows per table or category as the file has them. */
void check_contents(struct trial *t, const char *name, uint32_t source);
/* pyinstrument's tree: nodes, wall, and by function: a recursive frame once, own time. */
void check_sampler(struct trial *t);
/* Every row of crosscheck: quantity, figures, verdict. */
void check_crosschecks(struct trial *t);
/* The trace with events that overlap without nesting. */
void check_overlap(struct trial *t);
/* The trace of a mixture of experts on the host; the folder has its facts. */
void check_offload(struct trial *t);

/* ---- device.c ---- */
/* Number, sum and longest of the gaps; each gap once. */
void check_gaps(struct trial *t, const struct place *at);
/* gpu:0 or joint:0: rows sum to the window, each state to the truth of it. */
void check_device_partition(struct trial *t, const struct place *at, const char *partition);
/* opkernels: kernels by the innermost op that launched them. */
void check_opkernels(struct trial *t, const struct place *at);
void check_bytes_per_step(struct trial *t, const struct place *at);
/* gpu and kernels split by step and by phase have the same kernels in every row. */
void check_splits(struct trial *t, const struct place *at);
/* --by microbatch: kernels and copies by the micro-batch of their launch. */
void check_microbatches(struct trial *t, const char *name, uint32_t source);

#endif
