/*
 * edit_script.h - what was put into a sequence of numbers, what was taken out: the shortest edit script (Myers 1986, in linear space).
 *
 * Work is bounded: where the two differ so much that `budget` comparisons do not suffice, the part that is not finished stands as one
 * run that is told to be open, and the rest is exact.
 */
#ifndef CALC_EDIT_SCRIPT_H
#define CALC_EDIT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum align_kind { ALIGN_SAME, ALIGN_CHANGED, ALIGN_OPEN };

/* na elements of a from `a` on against nb of b from `b` on. The runs of an alignment follow each other and cover both sides. */
struct align_run {
	enum align_kind kind;	/* SAME: na = nb, equal. CHANGED: taken out (nb = 0), put in (na = 0) or replaced */
	uint32_t a, na, b, nb;
};

/* The runs of two sequences, in order; *n their number. The caller frees. */
struct align_run *align(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb, uint64_t budget, size_t *n);

#endif
