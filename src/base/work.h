/*
 * work.h - steps of work of this thread, so that a test can tell how work grows with its input without looking at a clock. Counted where
 * it costs nothing: what is allocated, looked up in groups, united, unwound, put into tables. Steps mean nothing by themselves.
 */
#ifndef BASE_WORK_H
#define BASE_WORK_H

#include <stdint.h>

extern _Thread_local uint64_t work_steps;

static inline void work_count(uint64_t n)
{
	work_steps += n;
}

#endif
