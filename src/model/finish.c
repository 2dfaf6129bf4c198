/* finish.c - from a filled builder to an immutable profile: order, nest, link, freeze. See builder.h, profile.h. */
#include <string.h>

#include "base/i18n.h"
#include "model/builder_impl.h"
#include "model/place.h"

/* A table of the builder becomes that of the profile, or is copied to it. */
#define TAKE_TABLE(p, dst, cnt, src, consume) do {					\
	(p)->cnt = (uint32_t)(src).n;							\
	if (consume) {									\
		(p)->dst = xreallocarray((src).a, (src).n, sizeof(*(src).a));		\
		(src).a = NULL;								\
		(src).n = (src).cap = 0;						\
		break;									\
	}										\
	(p)->dst = xreallocarray(NULL, (src).n, sizeof(*(src).a));			\
	if ((src).n)									\
		memcpy((p)->dst, (src).a, (src).n * sizeof(*(src).a));			\
} while (0)

/*
 * A run of pyinstrument cannot hold more time than it lasted, but for what rounding adds. (Speedscope files of it go on for a while
 * behind the end that they give; those of others hold several threads.)
 */
static void check_sampled_wall(struct builder *b)
{
	ns_t wall = b->sampled_wall_ns, roots = 0;

	if (wall < 0 || wall > NS_LIMIT || !source_format_pyi(b->format) || b->format == FORMAT_SPEEDSCOPE)
		return;
	for (size_t i = 0; i < b->frames.n; i++)
		if (b->frames.a[i].parent < 0 && b->frames.a[i].total_ns > 0)
			roots = i64_sum(roots, b->frames.a[i].total_ns);
	if (roots == I64_UNKNOWN || roots > wall + wall / 100 + 1000000)
		builder_damage(b, N_("frames with more time than the recorded duration"), -1, 1);
}

static void take_tables(struct profile *p, struct builder *b, bool consume)
{
	TAKE_TABLE(p, threads, n_threads, b->threads, consume);
	TAKE_TABLE(p, processes, n_processes, b->processes, consume);
	TAKE_TABLE(p, devices, n_devices, b->devices, consume);
	TAKE_TABLE(p, copies, n_copies, b->copies, consume);
	TAKE_TABLE(p, kernels, n_kernels, b->kernels, consume);
	TAKE_TABLE(p, collectives, n_collectives, b->collectives, consume);
	TAKE_TABLE(p, op_details, n_op_details, b->op_details, consume);
	TAKE_TABLE(p, ums, n_ums, b->ums, consume);
	TAKE_TABLE(p, frames, n_frames, b->frames, consume);
	TAKE_TABLE(p, frame_lines, n_frame_lines, b->frame_lines, consume);
	TAKE_TABLE(p, frame_samples, n_frame_samples, b->frame_samples, consume);
	TAKE_TABLE(p, reports.launches, reports.n_launches, b->launches, consume);
	TAKE_TABLE(p, reports.metrics, reports.n_metrics, b->metrics, consume);
	TAKE_TABLE(p, reports.instances, reports.n_instances, b->metric_instances, consume);
	TAKE_TABLE(p, reports.lines, reports.n_lines, b->section_lines, consume);
	TAKE_TABLE(p, reports.rules, reports.n_rules, b->kernel_rules, consume);
	TAKE_TABLE(p, reports.roofs, reports.n_roofs, b->roofs, consume);
	TAKE_TABLE(p, memory.series, memory.n_series, b->memory_series, consume);
	TAKE_TABLE(p, memory.entries, memory.n_entries, b->memory_entries, consume);
	TAKE_TABLE(p, memory.segments, memory.n_segments, b->memory_segments, consume);
	TAKE_TABLE(p, memory.blocks, memory.n_blocks, b->memory_blocks, consume);
	TAKE_TABLE(p, memory.frames, memory.n_frames, b->memory_frames, consume);
	TAKE_TABLE(p, memory.stacks, memory.n_stacks, b->memory_stacks, consume);
	TAKE_TABLE(p, memory.stack_frames, memory.n_stack_frames, b->memory_stack_frames, consume);
	TAKE_TABLE(p, memory.marks, memory.n_marks, b->memory_marks, consume);
	TAKE_TABLE(p, damages, n_damages, b->damages, consume);
	TAKE_TABLE(p, contents, n_contents, b->contents, consume);
	TAKE_TABLE(p, options, n_options, b->options, consume);
	TAKE_TABLE(p, cmdlines, n_cmdlines, b->cmdlines, consume);
	p->notes = xcalloc(b->notes.n, sizeof(*p->notes));
	p->n_notes = (uint32_t)b->notes.n;
	for (size_t i = 0; i < b->notes.n; i++)
		p->notes[i] = xstrdup(b->notes.a[i]);
	p->format = b->format;
	p->producer = b->producer;
	p->version = b->version;
	p->bytes = b->bytes;
	p->epoch_ns = b->epoch_ns;
	p->rank = b->rank;
	p->world = b->world;
	p->sampled_wall_ns = b->sampled_wall_ns;
	p->sampled_cpu_ns = b->sampled_cpu_ns;
}

static void freeze_strings(struct profile *p, struct builder *b, bool consume)
{
	struct strtab *s = &b->str;

	p->n_strs = s->n;
	if (consume) {
		p->str_blob = s->blob;
		p->str_off = s->off;
		s->blob = NULL;
		s->off = NULL;
		strtab_fini(s);
		return;
	}
	p->str_blob = xmalloc(s->blob_len);
	p->str_off = xreallocarray(NULL, (size_t)s->n + 1, sizeof(*p->str_off));
	if (s->n) {
		memcpy(p->str_blob, s->blob, s->blob_len);
		memcpy(p->str_off, s->off, ((size_t)s->n + 1) * sizeof(*p->str_off));
	}
}

static void derive_caps(struct profile *p, unsigned caps)
{
	static const struct { enum layer layer; unsigned cap; } table[] = {
		{ LAYER_OP, CAP_OPS }, { LAYER_RUNTIME, CAP_RUNTIME }, { LAYER_PYTHON, CAP_PYTHON }, { LAYER_SYNC, CAP_SYNC },
		{ LAYER_KERNEL, CAP_GPU }, { LAYER_MEMCPY, CAP_GPU }, { LAYER_MEMSET, CAP_GPU }, { LAYER_NVTX, CAP_NVTX },
		{ LAYER_NVTX_SE, CAP_NVTX },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (p->layer_first[table[i].layer] < p->layer_first[table[i].layer + 1])
			caps |= table[i].cap;
	p->caps = caps | (p->n_frames ? CAP_SAMPLES : 0);
}

static void add_missing_devices(struct builder *b)
{
	struct map known = { 0 };

	for (size_t d = 0; d < b->devices.n; d++)
		map_put(&known, (uint64_t)b->devices.a[d].device, 0, 0);
	for (size_t i = 0; i < b->tracks.n; i++) {
		const struct track *k = &b->tracks.a[i].key;

		if (!layer_on_gpu(k->layer) || k->layer == LAYER_COUNTER || map_find(&known, (uint64_t)k->device, 0) != MAP_NONE)
			continue;
		VEC_PUSH(&b->devices, (struct device){ .device = k->device, .name = ID_NONE, .board = -1 });
		map_put(&known, (uint64_t)k->device, 0, 0);
	}
	map_fini(&known);
}

static struct profile *freeze(struct builder *b, bool consume)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	add_missing_devices(b);
	p->refs = 1;
	p->n = (uint32_t)b->n_events;
	p->n_tracks = (uint32_t)b->tracks.n;
	if (consume)
		check_sampled_wall(b);
	take_tables(p, b, consume);
	freeze_strings(p, b, consume);
	place_tracks(p, b, consume);
	derive_caps(p, b->caps);
	return p;
}

struct profile *builder_snapshot(struct builder *b, bool partial)
{
	struct profile *p = freeze(b, false);

	p->partial = partial;
	return p;
}

struct profile *builder_finish(struct builder *b)
{
	return freeze(b, true);
}
