/* memory.c - the history and the state of an allocator: into a builder, see memory.h */
#include "model/memory.h"

#include "base/i18n.h"
#include "model/builder_impl.h"

uint32_t builder_memory_frame(struct builder *b, str_id function, str_id file, int64_t line)
{
	uint32_t fresh = (uint32_t)b->memory_frames.n;
	uint32_t i = map_get_or_put(&b->memory_frame_map, (uint64_t)function << 32 | file, (uint64_t)line, fresh);

	if (i == fresh)
		VEC_PUSH(&b->memory_frames, (struct memory_frame){ function, file, line });
	return i;
}

uint32_t builder_memory_stack(struct builder *b)
{
	VEC_PUSH(&b->memory_stacks, (struct memory_stack){ (uint32_t)b->memory_stack_frames.n, 0 });
	return (uint32_t)b->memory_stacks.n - 1;
}

uint32_t builder_memory_stacks(const struct builder *b)
{
	return (uint32_t)b->memory_stacks.n;
}

void builder_memory_stack_frame(struct builder *b, uint32_t frame)
{
	VEC_PUSH(&b->memory_stack_frames, frame);
	b->memory_stacks.a[b->memory_stacks.n - 1].n++;
}

static int64_t known_bytes(struct builder *b, int64_t bytes)
{
	if (bytes == I64_UNKNOWN)
		return bytes;
	if (bytes < 0 || bytes > NS_LIMIT - b->memory_sum) {
		builder_damage(b, N_("impossible number of bytes"), -1, 1);
		return I64_UNKNOWN;
	}
	b->memory_sum += bytes;
	return bytes;
}

static ns_t known_time(struct builder *b, ns_t t)
{
	if (t == NS_UNKNOWN || (t > -NS_LIMIT && t < NS_LIMIT))
		return t;
	builder_damage(b, N_("impossible time"), -1, 1);
	return NS_UNKNOWN;
}

uint32_t builder_memory_entry(struct builder *b, const struct memory_entry *e)
{
	struct memory_entry known = *e;

	known.time = known_time(b, e->time);
	known.bytes = known_bytes(b, e->bytes);
	VEC_PUSH(&b->memory_entries, known);
	return (uint32_t)b->memory_entries.n - 1;
}

uint32_t builder_memory_block(struct builder *b, const struct memory_block *k)
{
	struct memory_block known = *k;

	known.bytes = known_bytes(b, k->bytes);
	known.requested = known_bytes(b, k->requested);
	VEC_PUSH(&b->memory_blocks, known);
	return (uint32_t)b->memory_blocks.n - 1;
}

uint32_t builder_memory_segment(struct builder *b, const struct memory_segment *s)
{
	struct memory_segment known = *s;

	known.total = known_bytes(b, s->total);
	known.allocated = known_bytes(b, s->allocated);
	known.active = known_bytes(b, s->active);
	known.requested = known_bytes(b, s->requested);
	known.more = 0;
	VEC_PUSH(&b->memory_segments, known);
	return (uint32_t)b->memory_segments.n - 1;
}

uint32_t builder_memory_mark(struct builder *b, const struct memory_mark *m)
{
	struct memory_mark known = *m;

	known.time = known_time(b, m->time);
	VEC_PUSH(&b->memory_marks, known);
	return (uint32_t)b->memory_marks.n - 1;
}

void builder_memory_series(struct builder *b, int64_t device, bool rounded, uint32_t first, uint32_t n)
{
	VEC_PUSH(&b->memory_series, (struct memory_series){ .device = device, .first_ns = INT64_MAX, .last_ns = INT64_MIN,
		.first_entry = first, .n_entries = n, .rounded = rounded });
}

/* ---- clocks ------------------------------------------------------------------------------- */

static ns_t first_time(const struct builder *b)
{
	ns_t first = INT64_MAX;

	for (size_t i = 0; i < b->memory_entries.n; i++)
		if (b->memory_entries.a[i].time != NS_UNKNOWN && b->memory_entries.a[i].time < first)
			first = b->memory_entries.a[i].time;
	return first;
}

static void span_series(struct builder *b, struct memory_series *s)
{
	for (uint32_t i = s->first_entry; i < s->first_entry + s->n_entries; i++) {
		ns_t t = b->memory_entries.a[i].time;

		if (t == NS_UNKNOWN)
			continue;
		s->first_ns = t < s->first_ns ? t : s->first_ns;
		s->last_ns = t > s->last_ns ? t : s->last_ns;
	}
}

void builder_memory_done(struct builder *b)
{
	ns_t zero = first_time(b);

	if (zero != INT64_MAX) {
		builder_set_epoch(b, zero);
		for (size_t i = 0; i < b->memory_entries.n; i++)
			if (b->memory_entries.a[i].time != NS_UNKNOWN)
				b->memory_entries.a[i].time -= zero;
		for (size_t i = 0; i < b->memory_marks.n; i++)
			if (b->memory_marks.a[i].time != NS_UNKNOWN)
				b->memory_marks.a[i].time -= zero;
	}
	for (size_t i = 0; i < b->memory_series.n; i++)
		span_series(b, &b->memory_series.a[i]);
}

ns_t profile_memory_end(const struct profile *p)
{
	ns_t end = NS_UNKNOWN;

	for (uint32_t i = 0; i < p->memory.n_series; i++)
		if (p->memory.series[i].first_ns <= p->memory.series[i].last_ns && p->memory.series[i].last_ns > end)
			end = p->memory.series[i].last_ns;
	return end;
}
