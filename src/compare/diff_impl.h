/*
 * diff_impl.h - what the parts of the comparison share; see diff.h
 */
#ifndef COMPARE_DIFF_IMPL_H
#define COMPARE_DIFF_IMPL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "compare/diff.h"

/* Columns of the table. */
enum {
	C_WHAT,
	C_NAME,
	C_BEFORE,
	C_AFTER,
	C_DELTA,
	C_NOISE,
	C_SIGNIFICANT,
	C_RATIO,
	C_CONTRIBUTION,
	C_COUNT_BEFORE,
	C_COUNT_AFTER,
	C_CHANGE,
	C_DETAIL
};

/* The groups, in the order of the table. */
enum diff_group {
	GROUP_STEP,
	GROUP_PHASE,
	GROUP_GPU,
	GROUP_FINDING,
	GROUP_BREAKDOWN,
	GROUP_CLASS,
	GROUP_KERNEL,
	GROUP_SEQUENCE,
	GROUP_OP,
	GROUP_RUNTIME,
	GROUP_COPY,
	GROUP_SYNC,
	GROUP_N
};

/* One quantity: its value in the steps of both sides, ns; what a step lacks is 0. */
struct quantity {
	enum diff_group group;
	int64_t part; /* rows of one group and part sum to the step: the pair of devices */
	const char *name;
	size_t len;
	int64_t total[2]; /* over all steps */
	int64_t *ns[2];	  /* of the sampled steps */
	int64_t count[2]; /* events over all steps; -1: not counted */
	bool unknown[2];  /* the side cannot tell: it is not 0 there */
};

/* The steps of a side that are compared: all of the window. Quantities keep their values in DIFF_STEPS of them, evenly spread. */
struct diff_steps {
	int64_t *number;
	int64_t *period; /* without steps: the wall of the window */
	bool *slow;	 /* outlying ones */
	int32_t *sample; /* place of the step among those that are sampled, -1 none */
	uint32_t n;	 /* 1 where there are no steps */
	uint32_t n_sample;
	bool any;	/* there are steps */
	uint32_t outliers;
	struct map index; /* number -> place */
};

/* The devices of a side, by rank and number; `pair` is the same of two that are compared with each other. */
struct diff_device {
	int64_t rank, number;
	uint32_t pair;
};
struct diff_devices {
	VEC(struct diff_device) v;
};

struct diff {
	const struct diff_side *side;
	struct scope scope[2]; /* narrowed to one rank where the steps are of one */
	struct diff_steps steps[2];
	struct diff_devices devices[2];
	VEC(struct quantity) q;
	struct map index; /* (hash of the name, group and part) -> quantity */
	struct arena arena;
	bool have[GROUP_N][2]; /* the side has rows of this group */
	int64_t grid[2];       /* the side's times are multiples of this, ns: 1 or 1000 */
};

/* diff_gather.c: fills steps and quantities of both sides; false with *e set. diff_fini() must follow in either case. */
bool diff_gather(struct diff *d, struct err *e);
void diff_fini(struct diff *d);
/* The place of a step by its number, ID_NONE: it is not compared. */
uint32_t diff_step_at(const struct diff_steps *s, int64_t number);

/* diff_devices.c: the devices of a side, of which `t` (the view gpu) has a row each; then who stands beside whom. */
void diff_list_devices(struct diff_devices *l, const struct table *t);
void diff_pair_devices(struct diff *d);
/* ID_NONE: it is not listed. */
uint32_t diff_device_pair(const struct diff_devices *l, int64_t rank, int64_t number);
/* The number of the device of a pair, of the side before where that has one; *other: that of the side after, if it differs, else -1. */
int64_t diff_pair_number(const struct diff *d, uint32_t pair, int64_t *other);

/*
 * A kernel's name as every tool writes it: nsys and torch agree on neither blanks nor on the return
 * type and the arguments of a function. Appended to b.
 */
void diff_kernel_name(struct sbuf *b, const char *s, size_t n);

/* diff.c: writes before, after, change, ratio and, where it is known, the noise and the verdict. */
void diff_put_change(struct table *t, uint32_t row, int64_t before, int64_t after, bool known,
		     int64_t noise);
/* The variance that a sum over so many events of a side has because its times are on a grid, ns^2. */
double diff_rounding(const struct diff *d, int side, int64_t events);
bool diff_is_text(const struct cell *c, const char *s, size_t n);

/* diff_findings.c: the rows of findings that one of the sides has. */
bool diff_findings(struct diff *d, struct table *t, struct err *e);
/* diff_sequence.c: the rows of what was put into the kernels of the median step, taken out or replaced. */
bool diff_sequences(struct diff *d, struct table *t, struct err *e);

/* diff_stat.c */
int64_t diff_sum(const int64_t *v, uint32_t n);
/* The lower middle of the values. */
int64_t diff_median(const int64_t *v, uint32_t n);
/*
 * Whole numbers that sum to floor(sum of totals / n) and are each within 1 of totals[i] / n: the
 * remainder goes to the largest fractions.
 */
void diff_means(const int64_t *totals, size_t n_totals, uint32_t n, int64_t *means);
/* One side of a quantity: values of n steps of the `of` that its mean is over, and the variance that each has by rounding, ns^2. */
struct diff_values {
	const int64_t *ns;
	uint32_t n, of;
	double rounding;
};
/* See diff.h; false: fewer than three values on a side. median: of the difference of medians. */
bool diff_noise(const struct diff_values v[2], bool many, bool median, int64_t *noise);

#endif
