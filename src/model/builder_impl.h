/* builder_impl.h - the inside of a builder, shared by builder.c (filling), finish.c and place.c (freezing). Private to src/model. */
#ifndef MODEL_BUILDER_IMPL_H
#define MODEL_BUILDER_IMPL_H

#include "base/map.h"
#include "base/vec.h"
#include "model/builder.h"
#include "model/profile.h"
#include "model/strtab.h"

/* A builder_event in few bytes: there are many. */
struct raw_event {
	ns_t start, dur;
	uint32_t corr, ext;		/* numbers for the ids, ID_NONE: none; see short_id() in builder.c */
	str_id name;
	uint32_t aux;
};
struct raw_track {
	struct track key;		/* first/count are set by finish */
	VEC(struct raw_event) ev;	/* memory of pages.h */
	VEC(uint32_t) breaks;		/* the events that belong before the one in front of them; see order.h */
	bool own_ext;			/* an event's ext is neither none nor its corr */
};

struct raw_wait {		/* for an event; calls by correlation ids */
	uint64_t group;
	uint32_t call, record;
	int64_t stream;
};
struct builder {
	struct strtab str;
	VEC(struct raw_track) tracks;
	struct map track_map;		/* hash of the key -> index of the first track with it; chains by linear probe in the key hash */
	VEC(struct thread) threads;
	struct map thread_map;
	struct map long_ids;		/* correlation and external ids that need a number, in order of appearance */
	VEC(struct process) processes;
	VEC(struct device) devices;
	VEC(struct copy_detail) copies;
	VEC(struct kernel_detail) kernels;
	struct map kernel_map;
	VEC(struct collective_detail) collectives;
	struct map collective_map;
	VEC(struct op_detail) op_details;
	VEC(struct um_detail) ums;
	VEC(struct raw_wait) event_waits;	/* of correlation ids in the place of calls */
	VEC(struct frame_node) frames;
	VEC(struct frame_line) frame_lines;
	VEC(struct frame_sample) frame_samples;
	VEC(struct profiled_launch) launches;
	VEC(struct kernel_metric) metrics;
	VEC(struct metric_instance) metric_instances;
	VEC(struct section_line) section_lines;
	VEC(struct kernel_rule) kernel_rules;
	VEC(struct kernel_roof) roofs;
	VEC(struct memory_series) memory_series;
	VEC(struct memory_entry) memory_entries;
	VEC(struct memory_segment) memory_segments;
	VEC(struct memory_block) memory_blocks;
	VEC(struct memory_frame) memory_frames;
	VEC(struct memory_stack) memory_stacks;
	VEC(uint32_t) memory_stack_frames;
	VEC(struct memory_mark) memory_marks;
	struct map memory_frame_map;	/* (function and file, line) -> index */
	int64_t memory_sum;		/* of the bytes in the tables of memory, <= NS_LIMIT */
	VEC(struct damage) damages;
	VEC(struct content) contents;
	VEC(struct option) options;
	VEC(struct cmdline) cmdlines;
	struct map cmdline_map;		/* (full, 0), (shown, 1) -> index of cmdlines */
	VEC(char *) notes;
	enum source_format format;
	str_id producer, version;
	int64_t bytes, epoch_ns, rank, world;
	ns_t sampled_wall_ns, sampled_cpu_ns;
	unsigned caps, workers;
	uint64_t n_events;
	bool choosy, surveying;		/* not all events are kept; none */
	ns_t keep_from, keep_to;
	uint64_t left_out;
	struct builder_survey survey;
	ns_t dur_sum;			/* < NS_LIMIT */
	int64_t byte_sum;		/* of the copies, <= NS_LIMIT */
	int64_t fault_sum;		/* page faults, <= NS_LIMIT */
};

#endif
