/*
 * spans.h - sets of half-open intervals [start, end), kept sorted, disjoint and non-touching once normalised.
 * The arithmetic behind busy, idle, exposed and window: union, intersection, difference, measure. Units: ns.
 */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	int64_t start, end;
};

struct spans {
	struct span *a;
	size_t n, cap;
};

/* Appends without order; empty or inverted intervals are ignored. spans_norm() must follow before any other use. */
void spans_add(struct spans *s, int64_t start, int64_t end);
/* Appends an interval whose start is not before that of the last one, merging at once: stays normalised. */
void spans_append(struct spans *s, int64_t start, int64_t end);
/* Sorts and merges. */
void spans_norm(struct spans *s);
/* Sum of lengths. */
int64_t spans_measure(const struct spans *s);
/* *out = a OP b; out must be a zeroed or reusable struct other than a and b (it is emptied first). */
void spans_union(struct spans *out, const struct spans *a, const struct spans *b);
void spans_intersect(struct spans *out, const struct spans *a, const struct spans *b);
void spans_subtract(struct spans *out, const struct spans *a, const struct spans *b);
/* Measure of s within [start, end); O(log n + hits). */
int64_t spans_overlap(const struct spans *s, int64_t start, int64_t end);
bool spans_contain(const struct spans *s, int64_t t);
/* Index of the first interval with end > t (n if none). */
size_t spans_seek(const struct spans *s, int64_t t);
void spans_copy(struct spans *out, const struct spans *a);
/* Gives back the room that it has grown for: for sets that stay. */
void spans_trim(struct spans *s);
void spans_fini(struct spans *s);

#endif
