/* owner_stream.c - see owner_stream.h. The tracks are merged by a heap of their next events. */
#include "calc/owner_stream.h"

#include <stdlib.h>

#include "base/vec.h"

struct owner_stream_cursor {
	struct owner_event head;
	uint32_t at, end;
	VEC(uint32_t) open;	/* active at the start and begun before it: the outermost last */
};
typedef VEC(struct owner_event) event_stack;

struct owner_stream {
	struct owner_columns c;
	struct owner_stream_sink sink;
	ns_t from;
	VEC(struct owner_stream_cursor) heap;	/* the one with the earliest head first */
	event_stack own, marks;
};

struct owner_stream *owner_stream_new(const struct owner_columns *c, const struct owner_stream_sink *sink, ns_t from)
{
	struct owner_stream *f = xcalloc(1, sizeof(*f));

	f->c = *c;
	f->sink = *sink;
	f->from = from;
	return f;
}

/* The next event of a track; false at its end. */
static bool next(const struct owner_stream *f, struct owner_stream_cursor *x)
{
	uint32_t i;

	if (x->open.n)
		i = x->open.a[--x->open.n];
	else if (x->at < x->end)
		i = x->at++;
	else
		return false;
	x->head.start = f->c.start[i];
	x->head.end = f->c.start[i] + f->c.dur[i];
	x->head.owner = i;
	return true;
}

static bool before(const struct owner_stream *f, size_t a, size_t b)
{
	return owner_event_cmp(&f->heap.a[a].head, &f->heap.a[b].head) < 0;
}

static void swap(struct owner_stream *f, size_t a, size_t b)
{
	struct owner_stream_cursor x = f->heap.a[a];

	f->heap.a[a] = f->heap.a[b];
	f->heap.a[b] = x;
}

static void sift_down(struct owner_stream *f, size_t i)
{
	for (;;) {
		size_t least = 2 * i + 1;

		if (least >= f->heap.n)
			return;
		if (least + 1 < f->heap.n && before(f, least + 1, least))
			least++;
		if (!before(f, least, i))
			return;
		swap(f, least, i);
		i = least;
	}
}

void owner_stream_track(struct owner_stream *f, uint32_t first, uint32_t end, uint32_t rank)
{
	struct owner_columns c = f->c;
	struct owner_stream_cursor x = { .end = end };

	c.first = first;
	c.end = end;
	x.at = owner_lower_bound(&c, f->from);
	x.head.rank = rank;
	for (uint32_t up = x.at > first ? x.at - 1 : ID_NONE; up != ID_NONE; up = c.parent[up])
		if (c.start[up] + c.dur[up] > f->from)
			VEC_PUSH(&x.open, up);
	if (!next(f, &x))
		return;
	VEC_PUSH(&f->heap, x);
	for (size_t i = f->heap.n - 1; i && before(f, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(f, i, (i - 1) / 2);
}

static void step(struct owner_stream *f)
{
	struct owner_stream_cursor *x = &f->heap.a[0];

	if (!next(f, x)) {
		VEC_FREE(&x->open);
		f->heap.a[0] = f->heap.a[--f->heap.n];
	}
	sift_down(f, 0);
}

static const struct owner_event *top(event_stack *s, ns_t now)
{
	while (s->n && s->a[s->n - 1].end <= now)
		s->n--;
	return s->n ? &s->a[s->n - 1] : NULL;
}

static void begin(struct owner_stream *f, const struct owner_event *x)
{
	if (x->end <= x->start)
		return;
	top(&f->own, x->start);
	VEC_PUSH(&f->own, *x);
	if (!f->sink.marks || !f->sink.marks(f->sink.arg, x))
		return;
	top(&f->marks, x->start);
	VEC_PUSH(&f->marks, *x);
}

/* No event begins in [from, to). */
static void pieces(struct owner_stream *f, ns_t from, ns_t to)
{
	while (from < to) {
		const struct owner_event *owner = top(&f->own, from), *mark = top(&f->marks, from);
		ns_t end = to;

		if (owner && owner->end < end)
			end = owner->end;
		if (mark && mark->end < end)
			end = mark->end;
		f->sink.piece(f->sink.arg, from, end, owner, mark);
		from = end;
	}
}

void owner_stream_run(struct owner_stream *f, ns_t from, ns_t to)
{
	while (f->heap.n && f->heap.a[0].head.start < to) {
		struct owner_event x = f->heap.a[0].head;

		if (x.start > from) {
			pieces(f, from, x.start);
			from = x.start;
		}
		begin(f, &x);
		step(f);
	}
	pieces(f, from, to);
}

void owner_stream_free(struct owner_stream *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->heap.n; i++)
		VEC_FREE(&f->heap.a[i].open);
	VEC_FREE(&f->heap);
	VEC_FREE(&f->own);
	VEC_FREE(&f->marks);
	free(f);
}
