/* cache_fake.h - profiles with something in every section of a cache file, and comparing two of them; header only */
#ifndef TESTS_LIB_CACHE_FAKE_H
#define TESTS_LIB_CACHE_FAKE_H

#include <stdio.h>
#include <string.h>

#include "model/profile.h"

struct fake_random {
	uint64_t state;		/* not 0 */
};

static inline uint32_t fake_below(struct fake_random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 11) % n;
}

static inline str_id fake_name(struct builder *b, struct fake_random *r, const char *stem)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%s_%u", stem, fake_below(r, 20));

	if (!fake_below(r, 5))
		text[n / 2] = '\0';	/* names may hold anything */
	return builder_intern(b, text, (size_t)n);
}

/* Events in order of start, nested and overlapping as it comes. */
static inline void fake_track(struct builder *b, struct fake_random *r, track_id t, unsigned n, uint32_t aux_below, const char *stem)
{
	ns_t now = 1000;

	for (unsigned i = 0; i < n; i++) {
		struct builder_event e = { .start = now, .dur = fake_below(r, 400), .name = fake_name(b, r, stem),
			.corr = fake_below(r, 3) ? fake_below(r, n * 2) : CORR_NONE, .ext = CORR_NONE, .aux = ID_NONE };

		if (aux_below && fake_below(r, 4))
			e.aux = fake_below(r, aux_below);
		builder_add(b, t, &e);
		now += fake_below(r, 100);
	}
}

static inline void fake_details(struct builder *b, struct fake_random *r)
{
	for (unsigned i = 0; i < 7; i++) {
		struct kernel_detail k = { .grid = { (int32_t)i + 1, 2, 3 }, .block = { 32, 1, 1 }, .registers = -1, .graph_node = i };
		struct copy_detail c = { .bytes = 100 * i, .kind = (uint8_t)(i % COPY_KIND_N), .src = MEM_PINNED, .dst = MEM_DEVICE };
		struct um_detail um = { .address = 4096 * i, .device = -1, .module = fake_name(b, r, "/bin/app"), .file = ID_NONE };
		struct frame_node f = { .parent = (int32_t)i - 1, .line = (int32_t)i, .function = fake_name(b, r, "def"),
			.file = i & 1 ? ID_NONE : fake_name(b, r, "file"), .total_ns = 100 - i, .self_ns = 1, .samples = i,
			.class_name = i & 1 ? fake_name(b, r, "Class") : ID_NONE, .kind = i % NODE_KIND_N };
		struct frame_line l = { .frame = i, .line = (int32_t)i + 10, .total_ns = 100 - i, .samples = i };

		struct collective_detail x = { .name = fake_name(b, r, "allreduce"), .dtype = i & 1 ? ID_NONE : fake_name(b, r, "Float"),
			.group = ID_NONE, .ranks = fake_name(b, r, "[0, 1]"), .in_elems = i, .out_elems = -1, .group_size = 2 };

		k.collective = builder_collective(b, &x) + i % 2;
		builder_op_detail(b, &(struct op_detail){ .shape = i & 1 ? ID_NONE : fake_name(b, r, "[2,3]x[3]"), .collective = k.collective,
			.seq = (int64_t)i - 1, .backward = i % 2 });
		builder_kernel_detail(b, &k);
		if (i & 1)
			c.um = builder_um_detail(b, &um) + 1;
		builder_copy_detail(b, &c);
		builder_frame(b, &f);
		builder_frame_line(b, &l);
		builder_frame_sample(b, &(struct frame_sample){ 10 * (ns_t)i, 5, i });
	}
	/* those of which both ids are calls of the fake stay */
	for (uint64_t id = 0; id < 60; id++)
		builder_event_wait(b, 0, id, id + 1, (int64_t)id - 1);
}

/* Two launches that a kernel profiler measured, with something in each table. */
static inline void fake_reports(struct builder *b, struct fake_random *r)
{
	for (unsigned i = 0; i < 2; i++) {
		const str_id text = fake_name(b, r, "CachePreferNone");
		uint32_t m;

		builder_metric(b, fake_name(b, r, "launch__func_cache_config"), METRIC_TEXT, text);
		m = builder_metric(b, fake_name(b, r, "inst_executed"), METRIC_WHOLE, UINT64_MAX - i);
		builder_instance(b, &(struct metric_instance){ 4096, i, METRIC_WHOLE, METRIC_WHOLE });
		builder_instance(b, &(struct metric_instance){ text, metric_bits(0.5), METRIC_TEXT, METRIC_REAL });
		builder_metric(b, fake_name(b, r, "sm__warps_active.avg"), METRIC_NONE, 0);
		builder_section_line(b, &(struct section_line){ text, ID_NONE, text, m });
		builder_kernel_rule(b, &(struct kernel_rule){ 12.5, text, text, ID_NONE, text, ID_NONE, RULE_WARNING, SPEEDUP_LOCAL });
		builder_roof(b, &(struct kernel_roof){ 1e12, 1e9, 2e12, 2e9, fake_name(b, r, "fp32"), LEVEL_DRAM });
		builder_launch(b, &(struct profiled_launch){ .pid = 1, .context = 1, .stream = 7, .when_s = -1, .offset = 12 * i,
			.name = text, .function = ID_NONE, .nvtx = ID_NONE, .grid = { 1, 2, 3 }, .block = { 32, 1, 1 } });
	}
}

/* The history of two devices and a segment, with something in each table. */
static inline void fake_memory(struct builder *b, struct fake_random *r)
{
	uint32_t first, stack = builder_memory_stack(b);

	builder_memory_stack_frame(b, builder_memory_frame(b, fake_name(b, r, "forward"), fake_name(b, r, "model.py"), 39));
	builder_memory_stack_frame(b, builder_memory_frame(b, fake_name(b, r, "main"), ID_NONE, -1));
	for (unsigned d = 0; d < 2; d++) {
		first = builder_memory_entry(b, &(struct memory_entry){ .time = 5000 + d, .address = 512, .bytes = 100 + d, .stream = 7,
			.stack = stack, .action = MEMORY_ALLOC });
		builder_memory_entry(b, &(struct memory_entry){ .time = 6000 + d, .address = 512, .bytes = I64_UNKNOWN,
			.stack = ID_NONE, .action = MEMORY_FREE_COMPLETED });
		builder_memory_series(b, d, d, first, 2);
	}
	first = builder_memory_block(b, &(struct memory_block){ 512, 1024, 1000, stack, BLOCK_ACTIVE });
	builder_memory_block(b, &(struct memory_block){ 1536, 512, 0, ID_NONE, BLOCK_INACTIVE });
	builder_memory_segment(b, &(struct memory_segment){ .address = 512, .total = 1536, .allocated = 1024, .active = 1024,
		.requested = 1000, .first_block = first, .n_blocks = 2, .stack = ID_NONE, .large = 2 });
	builder_memory_mark(b, &(struct memory_mark){ 5500, 0, fake_name(b, r, "Optimizer.step#AdamW.step"), 1 });
}

static inline void fake_facts(struct builder *b, struct fake_random *r)
{
	builder_set_format(b, (enum source_format)fake_below(r, FORMAT_N));
	builder_set_producer(b, "fake", fake_below(r, 2) ? "1.0" : NULL);
	builder_set_bytes(b, 12345);
	builder_set_epoch(b, fake_below(r, 2) ? 1700000000000000000 : NS_UNKNOWN);
	builder_set_rank(b, fake_below(r, 8), 8);
	builder_option(b, "with_stack", "1");
	builder_option_command(b, "command", CMDLINE_PLAIN, "python a.py x", 13);
	builder_content(b, "kernel", 6, 17);
	builder_device(b, 0, "GPU", 108, 0);
	builder_device_more(b, 0, 80, INT64_C(80000000000), 3);
	builder_caps(b, CAP_SYNC);
	builder_damage(b, "rows of no kind", 4711, 3);
	builder_damage(b, "cut short", -1, 1);
	builder_note(b, "a note of %d words", 5);
	builder_note(b, "%s", "");
	builder_sampled_wall(b, 5000, NS_UNKNOWN);
	builder_process_name(b, 1, fake_name(b, r, "python"));
}

/* size = events per track; 0: everything but events. */
static inline struct profile *fake_profile(uint64_t seed, unsigned size)
{
	static const struct { enum layer layer; uint32_t aux; } host[] = {
		{ LAYER_OP, 7 }, { LAYER_RUNTIME, 2 }, { LAYER_PYTHON, 0 }, { LAYER_NVTX, 0 }, { LAYER_INSTANT, 0 },
	}, gpu[] = {
		{ LAYER_KERNEL, 7 }, { LAYER_MEMCPY, 7 }, { LAYER_MEMSET, 7 }, { LAYER_SYNC, SYNC_KIND_N }, { LAYER_COUNTER, 0 },
	};
	struct fake_random r = { seed * 0x9e3779b97f4a7c15u + 1 };
	struct builder *b = builder_new();
	struct profile *p;

	fake_facts(b, &r);
	fake_details(b, &r);
	fake_reports(b, &r);
	fake_memory(b, &r);
	for (unsigned i = 0; size && i < sizeof(host) / sizeof(*host); i++)
		for (int64_t tid = 1; tid < 3; tid++) {
			thread_id th = builder_thread(b, 1, tid);
			str_id domain = host[i].layer == LAYER_NVTX ? fake_name(b, &r, "domain") : ID_NONE;

			builder_thread_name(b, th, fake_name(b, &r, "thread"));
			fake_track(b, &r, builder_host_track(b, host[i].layer, th, domain, 0), size, host[i].aux,
				host[i].layer == LAYER_RUNTIME ? "cudaEventRecord" : layer_name(host[i].layer));
		}
	for (unsigned i = 0; size && i < sizeof(gpu) / sizeof(*gpu); i++)
		for (int64_t stream = 7; stream < 9; stream++)
			fake_track(b, &r, builder_gpu_track(b, gpu[i].layer, -1, stream - 7, -1, stream, 0), size, gpu[i].aux,
				layer_name(gpu[i].layer));
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* ---- equality: NULL, or the name of the first difference ------------------------------------------------------ */

static inline bool fake_same_str(const struct profile *a, str_id x, const struct profile *b, str_id y)
{
	size_t n, m;
	const char *s = profile_str(a, x, &n), *t = profile_str(b, y, &m);

	return n == m && !memcmp(s, t, n) && (x == ID_NONE) == (y == ID_NONE);
}

#define SAME_COLUMN(member, count) do {								\
	if (a->count != b->count)								\
		return #count;									\
	if (a->count && memcmp(a->member, b->member, a->count * sizeof(*a->member)) != 0)	\
		return #member;									\
} while (0)
#define SAME(member) do { if (a->member != b->member) return #member; } while (0)
#define SAME_AT(table, member) do { if (a->table[i].member != b->table[i].member) return #table "." #member; } while (0)

static inline const char *fake_columns_differ(const struct profile *a, const struct profile *b)
{
	SAME_COLUMN(start, n);
	SAME_COLUMN(dur, n);
	SAME_COLUMN(self, n);
	SAME_COLUMN(name, n);
	SAME_COLUMN(parent, n);
	SAME_COLUMN(link, n);
	SAME_COLUMN(aux, n);
	SAME_COLUMN(by_launch, n_by_launch);
	SAME_COLUMN(kernels, n_kernels);
	SAME_COLUMN(collectives, n_collectives);
	SAME_COLUMN(op_details, n_op_details);
	SAME_COLUMN(ums, n_ums);
	SAME_COLUMN(event_waits, n_event_waits);
	SAME_COLUMN(frames, n_frames);
	SAME_COLUMN(frame_lines, n_frame_lines);
	SAME_COLUMN(frame_samples, n_frame_samples);
	SAME_COLUMN(reports.launches, reports.n_launches);
	SAME_COLUMN(reports.metrics, reports.n_metrics);
	SAME_COLUMN(reports.instances, reports.n_instances);
	SAME_COLUMN(reports.lines, reports.n_lines);
	SAME_COLUMN(reports.rules, reports.n_rules);
	SAME_COLUMN(reports.roofs, reports.n_roofs);
	SAME_COLUMN(memory.series, memory.n_series);
	SAME_COLUMN(memory.entries, memory.n_entries);
	SAME_COLUMN(memory.segments, memory.n_segments);
	SAME_COLUMN(memory.blocks, memory.n_blocks);
	SAME_COLUMN(memory.frames, memory.n_frames);
	SAME_COLUMN(memory.stacks, memory.n_stacks);
	SAME_COLUMN(memory.stack_frames, memory.n_stack_frames);
	SAME_COLUMN(memory.marks, memory.n_marks);
	SAME_COLUMN(options, n_options);
	SAME_COLUMN(cmdlines, n_cmdlines);
	if (memcmp(a->layer_track, b->layer_track, sizeof(a->layer_track)) != 0)
		return "layer_track";
	if (memcmp(a->layer_first, b->layer_first, sizeof(a->layer_first)) != 0)
		return "layer_first";
	return NULL;
}

static inline const char *fake_tracks_differ(const struct profile *a, const struct profile *b)
{
	SAME(n_tracks);
	for (uint32_t i = 0; i < a->n_tracks; i++) {
		SAME_AT(tracks, layer);
		SAME_AT(tracks, thread);
		SAME_AT(tracks, pid);
		SAME_AT(tracks, device);
		SAME_AT(tracks, context);
		SAME_AT(tracks, stream);
		SAME_AT(tracks, domain);
		SAME_AT(tracks, link_group);
		SAME_AT(tracks, first);
		SAME_AT(tracks, count);
		SAME_AT(tracks, overlaps);
		SAME_AT(tracks, depth_max);
	}
	return NULL;
}

static inline const char *fake_tables_differ(const struct profile *a, const struct profile *b)
{
	SAME(n_threads);
	SAME(n_processes);
	SAME(n_devices);
	SAME(n_contents);
	SAME(n_copies);
	for (uint32_t i = 0; i < a->n_threads; i++) {
		SAME_AT(threads, pid);
		SAME_AT(threads, tid);
		SAME_AT(threads, name);
	}
	for (uint32_t i = 0; i < a->n_processes; i++) {
		SAME_AT(processes, pid);
		SAME_AT(processes, name);
	}
	for (uint32_t i = 0; i < a->n_devices; i++) {
		SAME_AT(devices, device);
		SAME_AT(devices, name);
		SAME_AT(devices, sm_count);
		SAME_AT(devices, mem_bytes_per_s);
		SAME_AT(devices, mem_bytes);
		SAME_AT(devices, capability);
		SAME_AT(devices, board);
	}
	for (uint32_t i = 0; i < a->n_contents; i++) {
		SAME_AT(contents, what);
		SAME_AT(contents, count);
	}
	for (uint32_t i = 0; i < a->n_copies; i++) {
		SAME_AT(copies, bytes);
		SAME_AT(copies, kind);
		SAME_AT(copies, src);
		SAME_AT(copies, dst);
		SAME_AT(copies, um);
	}
	return NULL;
}

static inline const char *fake_texts_differ(const struct profile *a, const struct profile *b)
{
	SAME(n_strs);
	SAME(n_damages);
	SAME(n_notes);
	for (str_id i = 0; i < a->n_strs; i++)
		if (!fake_same_str(a, i, b, i))
			return "strings";
	for (uint32_t i = 0; i < a->n_damages; i++) {
		SAME_AT(damages, offset);
		SAME_AT(damages, count);
		if (strcmp(a->damages[i].what, b->damages[i].what) != 0)
			return "damages.what";
	}
	for (uint32_t i = 0; i < a->n_notes; i++)
		if (strcmp(a->notes[i], b->notes[i]) != 0)
			return "notes";
	return NULL;
}

static inline const char *fake_facts_differ(const struct profile *a, const struct profile *b)
{
	SAME(format);
	SAME(producer);
	SAME(version);
	SAME(bytes);
	SAME(epoch_ns);
	SAME(rank);
	SAME(world);
	SAME(caps);
	SAME(partial);
	SAME(first_ns);
	SAME(last_ns);
	SAME(sampled_wall_ns);
	SAME(sampled_cpu_ns);
	return NULL;
}

static inline const char *fake_differ(const struct profile *a, const struct profile *b)
{
	const char *(*const parts[])(const struct profile *, const struct profile *) = {
		fake_columns_differ, fake_tracks_differ, fake_tables_differ, fake_texts_differ, fake_facts_differ,
	};
	const char *what = NULL;

	for (size_t i = 0; !what && i < sizeof(parts) / sizeof(*parts); i++)
		what = parts[i](a, b);
	return what;
}

#endif
