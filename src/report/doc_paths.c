/*
 * doc_paths.c - 05_code_path_mapping.md: from the step down to the kernel, and from the Python line
 * to the runtime call
 */
#include "report/section.h"

#define NO_GPU                                                                                    \
	N_("No GPU work was recorded. A torch.profiler trace with CPU and CUDA activities would " \
	   "provide the whole way from op to kernel.")
#define NO_STACKS                                                                                  \
	N_("No Python stacks: add a pyinstrument JSON file (`pyinstrument -r json -o stacks.json " \
	   "train.py`), or a torch.profiler trace recorded with `with_stack=True`.")

#define NO_SAMPLER                                                                                 \
	N_("No sampler's file beside a trace with operators: one of pyinstrument or py-spy, of a run " \
	   "like the traced one, would tell which Python functions the host time belongs to.")

static const struct section sections[] = {
	{
		.level = 2,
		.heading = N_("Step to phase"),
		.view = "stepstats",
		.cols = "quantity n median_ns share source? rank? process?",
		.text = N_("Phases partition each period: a busy autograd thread decides (backward "
			   "or recompute), else the innermost phase marker of the "
			   "main thread, else *other*."),
		.missing = N_("No step markers. `prof.step()` with torch.profiler or NVTX ranges "
			      "named `step_N` would provide them."),
	},
	{
		.level = 2,
		.heading = N_("Phase to op"),
		.view = "ops",
		.by = BY_PHASE,
		.sort = "self_ns",
		.limit = 60,
		.cols = "by count+ self_ns+ share+ host_ns+ launch_ns+ sync_ns+ device_ns+ source? "
			"rank? name",
		.text = N_("Operators by the phase in which they start, by self time."),
		.missing = N_("No operators. A torch.profiler trace with CPU activities would "
			      "provide them."),
	},
	{
		.level = 2,
		.heading = N_("The whole way to the kernels"),
		.reading = "op gpu_ns",
		.view = "chains",
		.sort = "gpu_ns",
		.limit = 60,
		.missing = NO_GPU,
		.cols = "phase count+ call_ns+ gpu_ns+ share+ source? rank? frame root op call "
			"kernel",
		.text = N_("One row per distinct way: phase of the step at the launch, innermost "
			   "Python function on the launching thread, outermost and "
			   "innermost op, runtime call, kernel or copy. *In calls* is host time, "
			   "*GPU time* device time. What could not be told is empty; "
			   "nothing is guessed."),
	},
	{
		.level = 2,
		.heading = N_("Python to op"),
		.view = "opframes",
		.sort = "self_ns",
		.limit = 60,
		.missing = N_("No trace with operators and Python frames: torch.profiler with "
			      "`with_stack=True` would provide both."),
		.cols = "count+ self_ns+ host_ns+ share+ source? rank? framework operation name line file function",
		.text = N_("Operators by the innermost Python function that is open on their thread when "
			   "they start. Ops of threads without Python frames (autograd's own) have none."),
	},
	{
		.level = 2,
		.heading = N_("Op to kernel"),
		.view = "opkernels",
		.sort = "total_ns",
		.limit = 60,
		.missing = NO_GPU,
		.cols = "class count+ total_ns+ share+ source? rank? op kernel",
	},
	{
		.level = 2,
		.heading = N_("Who pays for which runtime call"),
		.reading = "call total_ns",
		.view = "callers",
		.sort = "total_ns",
		.limit = 60,
		.cols = "class phase count+ total_ns+ share+ source? rank? call op frame",
		.text = N_("Host time in runtime calls by the innermost op and the innermost "
			   "Python function around them."),
		.missing = N_("No runtime calls. An nsys export (`--trace=cuda`) or a "
			      "torch.profiler trace with CUDA activities would provide them."),
	},
	{
		.level = 2,
		.heading = N_("Call tree of the operators"),
		.view = "optree",
		.sort = "device_ns",
		.limit = 60,
		.cols = "count device_ns total_ns self_ns launch_ns sync_ns source? rank? name",
		.text = N_("The paths that lead to the most GPU time, with all that lies above "
			   "them; dots show the depth."),
		.missing = N_("No operators. A torch.profiler trace with CPU activities would "
			      "provide them."),
	},
	{
		.level = 2,
		.heading = N_("Time in Python by framework and phase"),
		.view = "frameworks",
		.shape = SHAPE_MATRIX,
		.group = "library phase self_ns",
		.missing = NO_STACKS,
		.text = N_("Self time of the stacks: whose code was on top, in which phase of the step. A "
			   "built-in belongs to its caller. Forward work below backward is *recompute*; "
			   "the bodies of imported modules are *other*."),
	},
	{
		.level = 3,
		.heading = N_("What it did"),
		.view = "frameworks",
		.sort = "self_ns",
		.limit = 40,
		.missing = NO_STACKS,
		.cols = "self_ns+ share+ samples+ source? rank? framework library phase level1 operation",
	},
	{
		.level = 2,
		.heading = N_("Python while the GPU idled"),
		.view = "pyidle",
		.sort = "time_ns",
		.limit = 60,
		.missing = NO_GPU,
		.cols = "device time_ns+ share+ source? rank? basis phase framework operation file line function",
		.text = N_("The idle time of each device by what Python did meanwhile. On one clock this is "
			   "measured: the innermost frame of the issuing thread. Else the idle time of each "
			   "phase is divided by the shares of a sampler in that phase, and the row says so."),
	},
	{
		.level = 2,
		.heading = N_("Host time by Python function"),
		.view = "pyhost",
		.sort = "time_ns",
		.limit = 60,
		.missing = NO_SAMPLER,
		.cols = "part time_ns+ share+ source? rank? basis phase framework operation file line function",
		.text = N_("What the trace knows of as the host part of ops, or as time between all events, by the "
			   "functions that a sampler saw in the same phase: an estimate. The rows "
			   "of a part sum to what the trace measured."),
	},
	{
		.level = 2,
		.heading = N_("Python threads"),
		.view = "pythreads",
		.missing = NO_STACKS,
		.cols = "role total_ns samples wait_ns busy busy_of_run state top_share source? rank? pid tid name operation user_frame file line function",
		.text = N_("A row per thread or worker process: how much of its time lies below frames that wait, "
			   "and the function that is on top most of the time."),
	},
	{
		.level = 2,
		.heading = N_("Python call stacks"),
		.view = "stacks",
		.sort = "total_ns",
		.limit = 120,
		.missing = NO_STACKS,
		.cols = "total_ns share self_ns samples framework phase operation source? rank? "
			"line ran_line? file function",
		.text = N_("The frames with the most inclusive time and all that lies above them; "
			   "a recursive frame counts once. Self time is the time with "
			   "the frame on top. In a sampled source the times are estimates from its "
			   "samples, and another run than the traces unless they "
			   "share a clock."),
	},
	{
		.level = 3,
		.heading = N_("Frames by their own time"),
		.reading = "function self_ns",
		.view = "stacks",
		.shape = SHAPE_GROUP,
		.sort = "self_ns",
		.limit = 60,
		.group = "source? framework operation line file function",
		.cols = "self_ns samples",
		.count = N_("Places"),
		.missing = NO_STACKS,
		.text = N_("Self time over all places of the tree: what runs, whoever called it."),
	},
	SECTIONS_END};

const struct document doc_paths = {
	.file = "05_code_path_mapping.md",
	.title = N_("Code path mapping"),
	.intro = N_("Which code leads to which GPU work: step, phase, op, runtime call, kernel, "
		    "and the Python lines above them. Kernel and launch are "
		    "linked by correlation id per process, launch and op by containment on the "
		    "launching thread."),
	.sections = sections,
};
