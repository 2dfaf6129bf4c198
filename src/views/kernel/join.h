/*
 * join.h - which kernels of the run a profiled launch belongs to: those of the same name and launch shape, else of the name alone.
 *
 * Names are compared without blanks and casts ("(int)4" is "4"), since every tool has its own dialect; where no whole name is the same,
 * by the function's name without namespace, template and arguments, if one kernel of the run alone is called so. Kernels are those of the
 * scope's window, over all sources that view kernelshapes takes them from.
 */
#ifndef VIEWS_KERNEL_JOIN_H
#define VIEWS_KERNEL_JOIN_H

#include "views/kernel/common.h"

struct join;	/* the kernels of a run */

struct joined {
	int64_t count, total_ns;	/* 0: none belongs to the launch */
	int64_t median_ns;		/* I64_UNKNOWN: of several groups at once it is not known */
	bool other_shape;		/* none has the launch's grid and block: these are of any */
	bool ambiguous;			/* several kernels are called so: none is taken */
};

/* NULL with *e unset: the session has no kernels. *t is told the window. The caller frees. */
struct join *join_new(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e);
void join_free(struct join *j);
/* grid and block as the views write them, NULL unknown. */
void join_find(const struct join *j, const struct launch *x, const char *grid, const char *block, struct joined *out);

#endif
