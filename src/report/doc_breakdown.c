/*
 * doc_breakdown.c - 06_complete_breakdown.md: every nanosecond of the window once, and the proof
 * that nothing is missing
 */
#include "report/section.h"

static const struct section sections[] = {
	{
		.level = 2,
		.heading = N_("CPU wall by kind of work"),
		.reading = "level1 time_ns",
		.bars = "level1 time_ns",
		.view = "breakdown",
		.partition = "cpu",
		.shape = SHAPE_GROUP,
		.group = "level1 source? rank? process?",
		.cols = "time_ns share",
		.exact = true,
		.missing = N_("No host partition: no source records operators, runtime calls or "
			      "NVTX ranges. A torch.profiler trace or an nsys export "
			      "would provide it."),
	},
	{
		.level = 2,
		.heading = N_("CPU wall by operation"),
		.view = "breakdown",
		.partition = "cpu",
		.shape = SHAPE_GROUP,
		.group = "level2 source? rank? process?",
		.cols = "time_ns share",
		.sort = "time_ns",
		.exact = true,
		.text = N_("Level 2 alone: what an operation costs in all, whatever its time went into. "
			   "What lies inside a parameter fetch, a recomputed block, a gate or "
			   "an optimizer step counts for it."),
		.missing = N_("No host partition: no source records operators, runtime calls or "
			      "NVTX ranges. A torch.profiler trace or an nsys export "
			      "would provide it."),
	},
	{
		.level = 2,
		.heading = N_("CPU wall, complete"),
		.limit = DOC_COMPLETE_MAX,
		.reading = "level2 level3 time_ns",
		.view = "breakdown",
		.partition = "cpu",
		.exact = true,
		.cols = "time_ns share time_ns# pieces longest_ns source? rank? process? level1 level2 "
			"level3",
		.text = N_("Leaves only. Each instant belongs to the event that started last on "
			   "the thread that issues work: the autograd thread while it "
			   "is busy, else the main thread. Wrappers are leaves only where nothing "
			   "lies inside them. *untraced* = no event at all. Sync "
			   "waits are split by what the device did meanwhile."),
		.missing = N_("No host partition: no source records operators, runtime calls or "
			      "NVTX ranges. A torch.profiler trace or an nsys export "
			      "would provide it."),
	},
	{
		.level = 2,
		.heading = N_("GPU {N} wall, complete"),
		.limit = DOC_COMPLETE_MAX,
		.view = "breakdown",
		.partition = "gpu:{N}",
		.per_device = true,
		.exact = true,
		.cols = "time_ns share time_ns# source? rank? process? level1 level2 level3",
		.text = N_("States of the device in their order of precedence; compute by kernel "
			   "class, phase and op (the kernel where no op is known). An "
			   "instant with several kernels belongs to the one that started last."),
		.missing = N_("No GPU partition: no GPU work was recorded. An nsys export or a "
			      "torch.profiler trace with CUDA activities would provide it."),
	},
	{
		.level = 2,
		.heading = N_("GPU {N} and host, by state and kind of work"),
		.view = "breakdown",
		.partition = "joint:{N}",
		.per_device = true,
		.shape = SHAPE_MATRIX,
		.group = "level1 level2 time_ns",
		.exact = true,
	},
	{
		.level = 2,
		.heading = N_("GPU {N} and host, complete"),
		.limit = DOC_COMPLETE_MAX,
		.view = "breakdown",
		.partition = "joint:{N}",
		.per_device = true,
		.exact = true,
		.cols = "time_ns share time_ns# source? rank? process? level1 level2 level3",
		.text = N_("State of the device × what the issuing thread did."),
		.missing = N_("No joint partition: no source has GPU work and host events on one "
			      "clock. A torch.profiler trace or an nsys export with "
			      "`--trace=cuda` would provide it."),
	},
	{
		.level = 2,
		.heading = N_("Coverage"),
		.view = "coverage",
		.cols = "pid wall_ns covered_ns untraced_ns coverage wall_ns# covered_ns# "
			"untraced_ns# source? rank?",
		.text = /* xgettext:no-c-format */ N_("Share of the wall in which the issuing thread has an event. What lies "
			   "outside is host work that no source of this session "
			   "records: below 80 % a verdict about the host is not safe."),
		.missing = N_("No host partition."),
	},
	{
		.level = 2,
		.heading = N_("Self times against the union of the events"),
		.view = "layers",
		.whole = true,
		.cols = "layer tracks events overlaps depth_max self_ns# union_ns# differs_ns# "
			"source? rank?",
		.text = N_("Each instant of a layer belongs to one event, so the self times of a "
			   "layer sum to the union of its events, over the whole of "
			   "each source: the last column of figures must be 0."),
		.missing = N_("No host events."),
	},
	SECTIONS_END};

const struct document doc_breakdown = {
	.file = "06_complete_breakdown.md",
	.title = N_("Complete breakdown"),
	.intro = N_("Every nanosecond of the window, once. What a table has no room for is summed in its last row. Below each "
		    "partition stand the sum of its rows and the wall, both in ns."),
	.sections = sections,
};
