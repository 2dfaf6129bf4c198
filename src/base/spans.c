/* spans.c - sets of half-open intervals, see spans.h */
#include "base/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/runs.h"
#include "base/search.h"
#include "base/work.h"

static void push(struct spans *s, int64_t start, int64_t end)
{
	if (s->n == s->cap) {
		s->cap = mem_grow(s->cap, s->n + 1);
		s->a = xreallocarray(s->a, s->cap, sizeof(*s->a));
	}
	s->a[s->n++] = (struct span){ start, end };
}

void spans_add(struct spans *s, int64_t start, int64_t end)
{
	struct span *last = s->n ? &s->a[s->n - 1] : NULL;

	if (start >= end)
		return;
	/* one that goes on from the last makes it longer: there is less to sort then */
	if (!last || start < last->start || start > last->end)
		push(s, start, end);
	else if (end > last->end)
		last->end = end;
}

void spans_append(struct spans *s, int64_t start, int64_t end)
{
	if (start >= end)
		return;
	if (s->n && start <= s->a[s->n - 1].end) {
		if (end > s->a[s->n - 1].end)
			s->a[s->n - 1].end = end;
		return;
	}
	push(s, start, end);
}

static int by_start(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

RUNS_SORT(sort_spans, struct span, by_start)

void spans_norm(struct spans *s)
{
	size_t n = s->n;

	work_count(n);
	sort_spans(s->a, n);
	s->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct span x = s->a[i];

		if (s->n && x.start <= s->a[s->n - 1].end) {
			if (x.end > s->a[s->n - 1].end)
				s->a[s->n - 1].end = x.end;
		} else {
			s->a[s->n++] = x;
		}
	}
}

int64_t spans_measure(const struct spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->a[i].end - s->a[i].start;
	return sum;
}

void spans_union(struct spans *out, const struct spans *a, const struct spans *b)
{
	size_t i = 0, j = 0;

	work_count(a->n + b->n);
	out->n = 0;
	while (i < a->n || j < b->n) {
		const struct span *x;

		if (j == b->n || (i < a->n && a->a[i].start <= b->a[j].start))
			x = &a->a[i++];
		else
			x = &b->a[j++];
		spans_append(out, x->start, x->end);
	}
}

void spans_intersect(struct spans *out, const struct spans *a, const struct spans *b)
{
	size_t i = 0, j = 0;

	work_count(a->n + b->n);
	out->n = 0;
	while (i < a->n && j < b->n) {
		int64_t lo = a->a[i].start > b->a[j].start ? a->a[i].start : b->a[j].start;
		int64_t hi = a->a[i].end < b->a[j].end ? a->a[i].end : b->a[j].end;

		spans_append(out, lo, hi);
		if (a->a[i].end < b->a[j].end)
			i++;
		else
			j++;
	}
}

void spans_subtract(struct spans *out, const struct spans *a, const struct spans *b)
{
	size_t j = 0;

	work_count(a->n + b->n);
	out->n = 0;
	for (size_t i = 0; i < a->n; i++) {
		int64_t t = a->a[i].start;

		while (j < b->n && b->a[j].end <= t)
			j++;
		for (size_t k = j; k < b->n && b->a[k].start < a->a[i].end; k++) {
			spans_append(out, t, b->a[k].start);
			if (b->a[k].end > t)
				t = b->a[k].end;
		}
		spans_append(out, t, a->a[i].end);
	}
}

size_t spans_seek(const struct spans *s, int64_t t)
{
	size_t i;

	LOWER_BOUND(i, 0, s->n, s->a[i].end <= t);
	return i;
}

int64_t spans_overlap(const struct spans *s, int64_t start, int64_t end)
{
	int64_t sum = 0;

	for (size_t i = spans_seek(s, start); i < s->n && s->a[i].start < end; i++) {
		int64_t lo = s->a[i].start > start ? s->a[i].start : start;
		int64_t hi = s->a[i].end < end ? s->a[i].end : end;

		sum += hi - lo;
	}
	return sum;
}

bool spans_contain(const struct spans *s, int64_t t)
{
	size_t i = spans_seek(s, t);

	return i < s->n && s->a[i].start <= t;
}

void spans_copy(struct spans *out, const struct spans *a)
{
	work_count(a->n);
	if (out->cap < a->n) {
		out->a = xreallocarray(out->a, a->n, sizeof(*out->a));
		out->cap = a->n;
	}
	if (a->n)
		memcpy(out->a, a->a, a->n * sizeof(*out->a));
	out->n = a->n;
}

void spans_trim(struct spans *s)
{
	if (s->cap > s->n && s->n) {
		s->a = xreallocarray(s->a, s->n, sizeof(*s->a));
		s->cap = s->n;
	}
}

void spans_fini(struct spans *s)
{
	free(s->a);
	memset(s, 0, sizeof(*s));
}
