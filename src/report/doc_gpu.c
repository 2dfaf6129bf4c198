/*
 * doc_gpu.c - 03_gpu_analysis.md: partition of each device, classes, kernels, transfers, waits,
 * gaps, streams
 */
#include "report/section.h"

#define NO_GPU                                                                            \
	N_("No GPU work was recorded. An nsys export (`nsys profile --trace=cuda`) or a " \
	   "torch.profiler trace with CUDA activities would provide it.")

static const struct section sections[] = {
	{
		.level = 2,
		.heading = N_("Wall time of each device"),
		.view = "gpu",
		.missing = NO_GPU,
		.cols = "device window_ns compute_ns exposed_comm_ns exposed_memcpy_ns idle_ns "
			"compute_share utilization sm_use kernels "
			"kernel_sum_ns kernel_busy_ns unattributed source? rank? process? name",
		.text = N_("The complete partition in this order of precedence: *compute* = union "
			   "of the kernels that are not communication; "
			   "*comm* = communication kernels outside compute; *copy* = copies and "
			   "memory sets outside both; *idle* = the rest. The four "
			   "sum to the window to the nanosecond. *Kernel busy* is the union of all "
			   "kernels, *kernel sum* their durations added up."),
	},
	{
		.level = 2,
		.heading = N_("GPU {N} by state"),
		.view = "breakdown",
		.partition = "gpu:{N}",
		.per_device = true,
		.shape = SHAPE_GROUP,
		.group = "level1 source? rank?",
		.cols = "time_ns share",
		.sort = "time_ns",
		.reading = "level1 time_ns",
		.bars = "level1 time_ns",
		.exact = true,
	},
	{
		.level = 2,
		.heading = N_("Exposed copies by direction"),
		.view = "gpu",
		.missing = NO_GPU,
		.cols = "device exposed_memcpy_ns exposed_htod_ns exposed_dtoh_ns exposed_both_ns "
			"exposed_ptop_ns exposed_dtod_ns exposed_memset_ns "
			"exposed_rest_ns comm_sum_ns source? rank?",
		.text = N_("Copy time that neither compute nor communication hides, cut in the "
			   "order of the columns; they sum to *Copy*."),
	},
	{
		.level = 2,
		.heading = N_("Kernel classes"),
		.reading = "class subclass total_ns",
		.bars = "by class subclass total_ns",
		.view = "classes",
		.by = BY_DEVICE,
		.missing = NO_GPU,
		.cols = "by? class subclass count+ total_ns+ share+ avg_ns forward_ns+ "
			"backward_ns+ recompute_ns+ optimizer_ns+ dataload_ns+ other_ns+ "
			"unattributed_ns+ source? rank?",
		.text = N_("Classes are told from kernel names by rules (see the methods). The "
			   "phase of a kernel is that of its launch; the seven phase "
			   "columns sum to the total. With several devices *By* is the device."),
	},
	{
		.level = 2,
		.heading = N_("Top kernels"),
		.reading = "name total_ns",
		.view = "kernels",
		.sort = "total_ns",
		.limit = 40,
		.missing = NO_GPU,
		.cols = "class subclass layout dtype tensor_core count+ total_ns+ share+ avg_ns "
			"min_ns max_ns source? rank? name",
		.text = N_("The 40 largest by the sum of their durations. Whole names; *TC* tells "
			   "whether the name speaks of tensor cores, and is empty "
			   "where it says nothing."),
	},
	{
		.level = 2,
		.heading = N_("Which ops launched them"),
		.reading = "op total_ns",
		.view = "opkernels",
		.sort = "total_ns",
		.limit = 40,
		.cols = "class count+ total_ns+ share+ avg_ns source? rank? op kernel",
		.text = N_("Kernel and launch are linked by correlation id, launch and op by "
			   "containment on the launching thread."),
		.missing = N_("No kernel can be led back to an op. A torch.profiler trace with CPU "
			      "and CUDA activities would provide both."),
	},
	{
		.level = 2,
		.heading = N_("Copies"),
		.reading = "kind src dst time_ns",
		.view = "memcpy",
		.sort = "time_ns",
		.cols = "kind src dst count+ bytes+ avg_bytes time_ns+ busy_ns exposed_ns overlap "
			"gbps bytes_per_step+ source? rank?",
		.text = N_("Per direction and memory kind of both ends. *Time* is the sum on the "
			   "device, *busy* the union; the rate is bytes by time "
			   "(1 GB = 10^9 bytes); *hidden* is the share of the busy time that "
			   "compute covers. The CPU time of the copy calls is only "
			   "their dispatch and stands under the runtime calls."),
		.missing = N_("No copies in this window. An nsys export or a torch.profiler trace "
			      "with CUDA activities records them."),
	},
	{
		.level = 3,
		.heading = N_("Copies by phase"),
		.view = "memcpy",
		.by = BY_PHASE,
		.sort = "time_ns",
		.limit = 30,
		.cols = "by kind src dst count+ bytes+ time_ns+ gbps bytes_per_step+ source? rank?",
		.text = N_("The phase is that of the launch."),
	},
	{
		.level = 2,
		.heading = N_("Memory sets"),
		.view = "memset",
		.cols = "device count+ bytes+ time_ns+ source? rank?",
		.missing = N_("No memory sets in this window."),
	},
	{
		.level = 2,
		.heading = N_("Waits of the host for the device"),
		.reading = "type time_ns",
		.view = "sync",
		.sort = "time_ns",
		.cols = "type count+ time_ns+ busy_ns+ lost_ns+ max_ns source? rank? call",
		.text = N_("The kind is told by the API call. *Busy* = the device works meanwhile: "
			   "waiting for useful work; *lost* = the device is idle. "
			   "A stream-wait is a wait of the device, not of the host."),
		.missing = N_("No synchronization in this window. An nsys export (`--trace=cuda`) "
			      "or a torch.profiler trace with CUDA activities records it."),
	},
	{
		.level = 2,
		.heading = N_("Idle time by cause"),
		.reading = "cause dur_ns",
		.bars = "device cause dur_ns",
		.view = "gaps",
		.shape = SHAPE_GROUP,
		.group = "device cause source? rank?",
		.cols = "dur_ns",
		.sort = "dur_ns",
		.count = N_("Gaps"),
		.text = N_("A gap is a maximal interval without kernel, copy or memory set on the "
			   "device; the gaps of a device sum to its idle time. Cause: "
			   "*dependency* where the work that ends the gap was launched before it "
			   "began, else what the issuing thread did for most of it: each gap "
			   "counts whole for one cause. The findings and the way down split a gap "
			   "by instants, so that their figures differ from these."),
		.missing = N_("No idle gaps, or no GPU work in this window."),
	},
	{
		.level = 3,
		.heading = N_("Largest gaps"),
		.view = "gaps",
		.sort = "dur_ns",
		.limit = 25,
		.cols = "device start_ns dur_ns+ cause step phase source? rank? ended_by evidence",
		.text = N_("Times count from the zero of the session."),
		.missing = N_("No idle gaps, or no GPU work in this window."),
	},
	{
		.level = 3,
		.heading = N_("Time without compute by cause"),
		.reading = "cause dur_ns",
		.view = "gaps",
		.partition = "compute",
		.shape = SHAPE_GROUP,
		.group = "device cause source? rank?",
		.cols = "dur_ns",
		.sort = "dur_ns",
		.count = N_("Gaps"),
		.text = N_("The same against compute alone: a run that is bound by copies or "
			   "communication has few idle gaps, but many of these."),
		.missing = N_("No such gaps, or no GPU work in this window."),
	},
	{
		.level = 2,
		.heading = N_("Streams"),
		.view = "streams",
		.missing = NO_GPU,
		.cols = "device context stream kernels copies memsets total_ns busy_ns source? "
			"rank? process?",
		.text = N_("Busy times of streams overlap each other; they do not add up to the "
			   "device."),
	},
	SECTIONS_END};

const struct document doc_gpu = {
	.file = "03_gpu_analysis.md",
	.title = N_("GPU analysis"),
	.intro = N_("What the devices did: each nanosecond of their wall time, which kernels and "
		    "copies it went to, who launched them, and why nothing "
		    "ran in between. GPU events count whole, by their launch; the partition and "
		    "the gaps are wall time, clipped to the window."),
	.sections = sections,
};
