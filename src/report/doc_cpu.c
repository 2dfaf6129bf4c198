/*
 * doc_cpu.c - 04_cpu_analysis.md: threads, ops with the split of their self time, runtime calls,
 * NVTX, call tree of ops
 */
#include "report/section.h"

#define NO_OPS                                                                                     \
	N_("No operators. A torch.profiler trace with CPU activities, or an nsys export recorded " \
	   "with `--pytorch=autograd-nvtx`, would provide them.")

static const struct section sections[] = {
	{
		.level = 2,
		.heading = N_("Threads and their roles"),
		.view = "threads",
		.sort = "busy_ns",
		.cols = "pid tid role name events+ launches+ busy_ns source? rank? evidence",
		.text = N_("Over the whole of each source. *Busy* is the union of all events of "
			   "the thread."),
		.missing = N_(
			"No host events. Any nsys export or torch.profiler trace records threads."),
	},
	{
		.level = 2,
		.heading = N_("Host time by kind of work"),
		.reading = "level1 time_ns",
		.bars = "level1 time_ns",
		.view = "breakdown",
		.partition = "cpu",
		.shape = SHAPE_GROUP,
		.group = "level1 source? rank? process?",
		.cols = "time_ns share",
		.text = N_("Each instant of the thread that issues work (the autograd thread while "
			   "it is busy, else the main thread) belongs to the event "
			   "that started last. The complete table stands in the breakdown."),
		.missing = N_("No host partition: no source records operators, runtime calls or "
			      "NVTX ranges."),
		.exact = true,
	},
	{
		.level = 2,
		.heading = N_("Operators by self time"),
		.reading = "name self_ns",
		.view = "ops",
		.sort = "self_ns",
		.limit = 60,
		.missing = NO_OPS,
		.cols = "count+ per_step+ self_ns+ share+ sync_ns+ launch_ns+ memcpy_ns+ other_runtime_ns+ "
			"host_ns+ exposed_ns+ device_ns+ total_ns source? rank? name",
		.text = N_("Self time splits exactly into *sync* + *launch* + *memcpy* (dispatch, "
			   "not the transfer) + *runtime* (other calls) + *host* (Python "
			   "and C++ scheduling). torch's own table counts runtime calls as "
			   "children: its self CPU time is our *host*. *Exposed* is the "
			   "part of self during which the device was idle; *device* sums the "
			   "kernels launched inside. *Total* counts nested time again."),
	},
	{
		.level = 2,
		.heading = N_("CUDA runtime calls"),
		.reading = "name total_ns",
		.view = "runtime",
		.sort = "total_ns",
		.limit = 60,
		.cols = "class count+ total_ns+ share+ avg_ns p50_ns p99_ns min_ns max_ns source? "
			"rank? name op op_share",
		.text = N_("Host time in the calls. A long call is not always a loss: a wait while "
			   "the device works is waiting for useful work. *Op that "
			   "paid most* is the innermost op with the largest part of the time."),
		.missing = N_("No runtime calls. An nsys export (`--trace=cuda`) or a "
			      "torch.profiler trace with CUDA activities would provide them."),
	},
	{
		.level = 3,
		.heading = N_("Launches: delay, queue, long calls"),
		.view = "launches",
		.sort = "total_ns",
		.cols = "verdict count+ total_ns+ delay_median_ns delay_p90_ns queue_median_ns inside+ "
			"early+ long+ long_ns+ long_busy_ns+ long_idle_ns+ long_first+ tid source? "
			"rank? call",
		.text = N_("*Delay* = from the start of the call to the start of its first kernel, "
			   "*queue* = from the end of the call, negative where the kernel "
			   "starts before the call returns; medians. Long calls (over 100 µs) are "
			   "split by what the device does meanwhile: *busy* = the queue is full, "
			   "which costs nothing; *idle* is lost, often to the first use of a kernel."),
		.missing = N_("No kernel with a launch record. An nsys export (`--trace=cuda`) or a "
			      "torch.profiler trace with CUDA activities would provide them."),
	},
	{
		.level = 2,
		.heading = N_("NVTX ranges"),
		.view = "nvtx",
		.sort = "self_ns",
		.limit = 60,
		.cols = "count+ open+ total_ns self_ns+ gpu_ns min_ns max_ns domain source? rank? "
			"name",
		.text = N_("*Self* is the time in which the range is the innermost of its thread "
			   "and domain; *GPU* sums the kernels launched inside, on the "
			   "same thread; *open* ranges have no end and are in no time."),
		.missing = N_("No NVTX ranges. An nsys export recorded with `--trace=nvtx` would "
			      "provide them, if the program marks its code "
			      "(`torch.cuda.nvtx.range_push`, or `--pytorch=autograd-nvtx`)."),
	},
	{
		.level = 2,
		.heading = N_("Call tree of the operators"),
		.view = "optree",
		.sort = "total_ns",
		.limit = 80,
		.missing = NO_OPS,
		.cols = "count total_ns self_ns host_ns launch_ns sync_ns device_ns source? rank? "
			"name",
		.text = N_("Ops merged by call path over the window, the largest paths with all "
			   "that lies above them; dots show the depth."),
	},
	{
		.level = 2,
		.heading = N_("Modules"),
		.view = "modules",
		.sort = "total_ns",
		.limit = 80,
		.cols = "count total_ns share self_ns device_ns kernels source? rank? name",
		.text = N_("Calls of nn.Module merged by path, with the kernels launched inside: "
			   "forward and recompute, since backward has no module frames. "
			   "The largest paths with all that lies above them."),
		.missing = N_("No module frames. A torch.profiler trace with `with_stack=True` has "
			      "them."),
	},
	SECTIONS_END};

const struct document doc_cpu = {
	.file = "04_cpu_analysis.md",
	.title = N_("CPU analysis"),
	.intro = N_("What the host did: threads, operators and what their own time consists of, "
		    "runtime calls, ranges. CPU times are clipped to the "
		    "window, counts go by the start."),
	.sections = sections,
};
