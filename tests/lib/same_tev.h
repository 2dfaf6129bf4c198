/*
 * same_tev.h - whether two readers of an event found the same in it: every member that they say they know, and that matters.
 */
#ifndef TESTS_LIB_SAME_TEV_H
#define TESTS_LIB_SAME_TEV_H

#include <string.h>

#include "load/torch/torch_impl.h"

static inline bool same_text(const struct tev *a, const struct jstr *x, const struct jstr *y, uint32_t bit)
{
	return !(a->have & bit) || (x->n == y->n && x->escaped == y->escaped && memcmp(x->s, y->s, x->n) == 0);
}

#define SAME_TEV(member, bit) (!(a->have & (bit)) || memcmp(&a->member, &b->member, sizeof(a->member)) == 0)

/* NULL, or what differs of two events that were read. */
static inline const char *same_tev(const struct tev *a, const struct tev *b)
{
	if (a->ph != b->ph || a->offset != b->offset)
		return "ph or offset";
	if (tev_only_counted(a->ph))
		return NULL;
	if (a->have != b->have)
		return "have";
	if (!same_text(a, &a->name, &b->name, TEV_NAME) || !same_text(a, &a->cat, &b->cat, TEV_CAT) ||
	    !same_text(a, &a->pid_text, &b->pid_text, TEV_PID_TEXT) || !same_text(a, &a->tid_text, &b->tid_text, TEV_TID_TEXT) ||
	    !same_text(a, &a->arg_name, &b->arg_name, TEV_ARG_NAME) || !same_text(a, &a->sync, &b->sync, TEV_SYNC) ||
	    !same_text(a, &a->collective, &b->collective, TEV_COLLECTIVE) || !same_text(a, &a->dtype, &b->dtype, TEV_DTYPE) ||
	    !same_text(a, &a->group, &b->group, TEV_GROUP) || !same_text(a, &a->ranks, &b->ranks, TEV_RANKS) ||
	    !same_text(a, &a->shape, &b->shape, TEV_SHAPE))
		return "texts";
	/* a text's bit comes with the number's, which then is void */
	if ((!(a->have & TEV_PID_TEXT) && !SAME_TEV(pid, TEV_PID)) || (!(a->have & TEV_TID_TEXT) && !SAME_TEV(tid, TEV_TID)))
		return "ids";
	if (!SAME_TEV(ts, TEV_TS) || !SAME_TEV(dur, TEV_DUR))
		return "times";
	if (!SAME_TEV(corr, TEV_CORR) || !SAME_TEV(ext, TEV_EXT) || !SAME_TEV(stream, TEV_STREAM) || !SAME_TEV(device, TEV_DEVICE) ||
	    !SAME_TEV(context, TEV_CONTEXT) || !SAME_TEV(bytes, TEV_BYTES) || !SAME_TEV(registers, TEV_REGISTERS) || !SAME_TEV(shared, TEV_SHARED) ||
	    !SAME_TEV(node, TEV_NODE) || !SAME_TEV(in_elems, TEV_IN_ELEMS) || !SAME_TEV(out_elems, TEV_OUT_ELEMS) ||
	    !SAME_TEV(group_size, TEV_GROUP_SIZE) || !SAME_TEV(seq, TEV_SEQ) || !SAME_TEV(fwd_thread, TEV_SEQ) ||
	    a->stack.n != b->stack.n || (a->stack.n && memcmp(a->stack.s, b->stack.s, a->stack.n) != 0))
		return "args";
	return !SAME_TEV(grid, TEV_GRID) || !SAME_TEV(block, TEV_BLOCK) ? "dims" : NULL;
}

#endif
