/*
 * vec.h - typed growable arrays. VEC(type) declares the struct; the members are open to readers.
 *
 *	VEC(int) v = { 0 };
 *	VEC_PUSH(&v, 7);
 *	for (size_t i = 0; i < v.n; i++) use(v.a[i]);
 *	VEC_FREE(&v);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"

#define VEC(type) struct { type *a; size_t n, cap; }

#define VEC_RESERVE(v, want) do {								\
	if ((v)->cap < (want)) {								\
		(v)->cap = mem_grow((v)->cap, (want));						\
		(v)->a = xreallocarray((v)->a, (v)->cap, sizeof(*(v)->a));			\
	}											\
} while (0)

#define VEC_PUSH(v, ...) do {									\
	VEC_RESERVE(v, (v)->n + 1);								\
	(v)->a[(v)->n++] = (__VA_ARGS__);							\
} while (0)

#define VEC_FREE(v) do { free((v)->a); (v)->a = NULL; (v)->n = (v)->cap = 0; } while (0)

#endif
