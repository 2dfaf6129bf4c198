/*
 * doc_methods.c - 02_analysis_methods.md: what the figures mean, which file each kind comes from,
 * and what speaks against them
 */
#include <stdlib.h>
#include <string.h>

#include "report/section.h"

/*
 * ---- which file feeds which view
 * ------------------------------------------------------------------
 */

enum {
	C_WHAT,
	C_VIEW,
	C_SOURCES,
	C_WHY
};

static const struct column_def origin_cols[] = {
	[C_WHAT] = {"figures", N_("Figures"), UNIT_TEXT, COL_KEY, 0, ""},
	[C_VIEW] = {"view", N_("View"), UNIT_TEXT, 0, 0, ""},
	[C_SOURCES] = {"sources", N_("From"), UNIT_TEXT, 0, 0, ""},
	[C_WHY] = {"why", N_("Why this file"), UNIT_TEXT, 0, 0, ""},
};

#define WHY_GPU	  N_("nsys where it has GPU work (it sees every process and stream), else torch")
#define WHY_OPS	  N_("torch where it has ops, else nsys with NVTX ranges named like ops")
#define WHY_JOINT N_("needs host and GPU on one clock: torch with ops and GPU work, else nsys")

static const struct {
	const char *what, *view, *partition, *why;
} origins[] = {
	{N_("steps and phases"), "steps", "",
	 N_("every source with step markers, each for itself")},
	{N_("GPU partition"), "gpu", "", WHY_GPU},
	{N_("kernel classes"), "classes", "", WHY_GPU},
	{N_("kernels"), "kernels", "", WHY_GPU},
	{N_("copies"), "memcpy", "", WHY_GPU},
	{N_("memory sets"), "memset", "", WHY_GPU},
	{N_("waits for the device"), "sync", "", WHY_GPU},
	{N_("gaps and their causes"), "gaps", "", WHY_GPU},
	{N_("runtime calls"), "runtime", "", N_("nsys where it records them, else torch")},
	{N_("ops and the split of self time"), "ops", "", WHY_OPS},
	{N_("op to kernel"), "opkernels", "",
	 N_("the source of the ops if it has GPU work too, else that of the GPU work")},
	{N_("NVTX ranges"), "nvtx", "", N_("every source that has them")},
	{N_("Python stacks"), "stacks", "",
	 N_("a sampler where there is one (it disturbs least), else torch with Python frames")},
	{N_("CPU breakdown"), "breakdown", "cpu",
	 N_("torch with ops, else nsys with runtime calls or NVTX")},
	{N_("GPU breakdown"), "breakdown", "gpu:{N}", WHY_GPU},
	{N_("joint breakdown"), "breakdown", "joint:{N}", WHY_JOINT},
	{N_("whole ways to kernels, callers"), "chains", "", WHY_JOINT},
};

static void put_source(void *arg, const char *path)
{
	struct sbuf *b = arg;

	sbuf_puts(b, b->n ? ", " : "");
	sbuf_puts(b, path);
}

static void put_sources(struct table *out, uint32_t row, const struct table *t)
{
	struct sbuf b = {0};
	uint32_t more;

	if (!t->n_rows || !t->n_sources)
		return;
	more = report_each_source(t, put_source, &b);
	if (more)
		sbuf_printf(&b, ngettext(" and %u more file", " and %u more files", more), more);
	table_str(out, row, C_SOURCES, sbuf_str(&b), b.n);
	sbuf_fini(&b);
}

/*
 * The table behind an origin; for partitions of devices that of the first one stands for all, since
 * the breakdown shows it too.
 */
static const struct table *origin_table(struct report *r, size_t i, int64_t device, struct err *e)
{
	struct section one = {.partition = origins[i].partition};
	struct scope sc;

	section_scope(r, &one, device, &sc);
	return report_table(r, origins[i].view, &sc, e);
}

static void put_origin(struct table *out, size_t i, const struct table *t)
{
	uint32_t row = table_row(out);

	table_cstr(out, row, C_WHAT, _(origins[i].what));
	table_cstr(out, row, C_VIEW, origins[i].view);
	table_cstr(out, row, C_WHY, _(origins[i].why));
	if (t)
		put_sources(out, row, t);
}

static bool put_origins(struct report *r, const struct section *s, struct err *e)
{
	struct table *out =
		table_new("origins", origin_cols, sizeof(origin_cols) / sizeof(*origin_cols));
	struct err own = ERR_INIT;
	uint32_t n;
	int64_t *devices = report_devices(r, s, &n, &own);

	for (size_t i = 0; i < sizeof(origins) / sizeof(*origins) && !own.code; i++) {
		bool per_device = strstr(origins[i].partition, "{N}") != NULL;

		put_origin(out, i,
			   per_device && !n
				   ? NULL
				   : origin_table(r, i, per_device ? devices[0] : SCOPE_ANY, &own));
	}
	if (!own.code)
		report_put_table(r, out, &own);
	free(devices);
	table_free(out);
	if (own.code && e)
		*e = own;
	return !own.code;
}

/*
 * ---- the document
 * --------------------------------------------------------------------------------
 */

static bool put_version(struct report *r, const struct section *s, struct err *e)
{
	(void)s;
	(void)e;
	fprintf(r->f, "\n%s %s.\n", PACKAGE_NAME, PACKAGE_VERSION);
	return true;
}

static const struct section sections[] = {
	{
		.level = 2,
		.heading = N_("Program"),
		.text = N_("Below each table stands the command that prints its rows again; "
			   "`PATH...` stands for the paths that this report was made of. Sums and "
			   "matrices are made of those rows."),
		.write = put_version,
	},
	{
		.level = 2,
		.heading = N_("Time"),
		.text = N_("One unit: whole nanoseconds, 64 bit, no rounding on the way. Intervals "
			   "are half-open. Sources that carry an epoch and touch in time "
			   "share one clock; all others count from their own first event and are "
			   "compared by step number and by name, never by a guessed "
			   "shift. Figures in tables are rounded to three or four digits; the "
			   "breakdown and `profdive print --format json` give all of "
			   "them."),
	},
	{
		.level = 2,
		.heading = N_("Steps, phases, windows"),
		.text = N_("A step has the range of its marker and a *period*: from its start to "
			   "the start of the next. Shares and windows use periods, so "
			   "that what lies between markers (fetching data, say) is counted. "
			   "*Partial*: cut by the capture. *Warm-up*: leading steps "
			   "longer than 1.25 times the median of the later ones, with evidence of "
			   "start-up work; a long first step without evidence is "
			   "an *outlier*. The *steady window* is the union of the periods that are "
			   "neither warm-up nor partial, and is the default. "
			   "Phases partition each period: dataload, forward, backward, recompute "
			   "(forward work inside backward: gradient "
			   "checkpointing), optimizer, other.\n\n"
			   "CPU events are clipped to the window and counted by their start. GPU "
			   "events in tables count whole, by their launch. The GPU "
			   "partition, gaps and the breakdown are wall time, clipped. Window *all* "
			   "is, per device, from the first start to the last end "
			   "of its GPU work, and on the host from the first start to the last end "
			   "of the events."),
	},
	{
		.level = 2,
		.heading = N_("Self time"),
		.text = N_("Ops, runtime calls, annotations, Python frames and NVTX ranges of a "
			   "thread are layers, each with its own nesting. Each instant of a "
			   "layer belongs to the active event that started last, so self times sum "
			   "exactly to the union of the events, nested or not. "
			   "The complete breakdown proves it for this session."),
	},
	{
		.level = 2,
		.heading = N_("GPU partition"),
		.text = N_("Per device, in this order of precedence: *compute* = union of kernels "
			   "that are not communication; *exposed communication* = "
			   "communication kernels outside compute; *exposed copy* = copies and "
			   "memory sets outside both, by direction; *idle* = the "
			   "rest. They sum exactly to the wall. GPU utilization as commonly quoted "
			   "is kernel busy by wall: it counts a waiting "
			   "communication kernel as busy. The headline here is compute by wall."),
	},
	{
		.level = 2,
		.heading = N_("Attribution"),
		.text = N_("Kernel and launch are linked by correlation id, per process. The op of "
			   "a launch is the innermost op around it on the same thread; "
			   "an external id decides only where the launch lies outside every op. "
			   "Step and phase of a kernel are those of its launch; "
			   "without one it is unattributed, never guessed. The self time of an op "
			   "splits exactly into sync wait, kernel launch, copy "
			   "dispatch, other runtime and host; each instant goes to the innermost "
			   "runtime call."),
	},
	{
		.level = 2,
		.heading = N_("Breakdown"),
		.text = N_("CPU: each instant of the window belongs to one leaf: on the autograd "
			   "thread while it is busy, else on the main thread, the active "
			   "event of any layer that started last. Wrappers are looked through. "
			   "GPU: the partition above, compute by kernel class, phase "
			   "and op. Joint: state of the device × what the issuing thread did. Rows "
			   "sum to the wall to the nanosecond."),
	},
	{
		.level = 2,
		.heading = N_("Which file feeds which figures in this session"),
		.write = put_origins,
		.text = N_("Sources of one run are never added up: for each kind of figure the "
			   "best one is taken; `--source` chooses another. No file = no data."),
	},
	{
		.level = 2,
		.heading = N_("Recording options and their effect"),
		.view = "sources",
		.whole = true,
		.cols = "format producer version options path",
		.text = N_("Recording costs time, mostly on the host: `with_stack` and "
			   "`record_shapes` of torch.profiler lengthen every op; `profile_memory` "
			   "adds "
			   "events; nsys CPU sampling, `--cudabacktrace` and OS runtime tracing "
			   "lengthen calls; `--pytorch=autograd-nvtx` lengthens every "
			   "op; a sampler disturbs least. Host times of a run with such options "
			   "are upper bounds; GPU durations hardly change."),
	},
	{
		.level = 2,
		.heading = N_("Damage and what was lost"),
		.view = "sources",
		.whole = true,
		.cols = "damaged state remarks path",
		.text = N_("Damaged places are skipped and counted; the notes below the table name "
			   "the kind and the first place."),
	},
	{
		.level = 2,
		.heading = N_("Quality of the data"),
		.view = "quality",
		.cols = "verdict count of time_ns share check source? rank? means",
		.text = N_("What the files themselves make doubtful. *Note*: the figures are right, "
			   "but know this; *bad*: figures of this source are off; *unknown*: the "
			   "source cannot tell."),
		.missing = N_("No profile with a time axis."),
	},
	{
		.level = 2,
		.heading = N_("Cross-checks"),
		.view = "crosscheck",
		.cols = "quantity unit a a_source b b_source ratio tolerance verdict reason",
		.text = N_("The same quantity from two places. Tolerance: 2 % for exact events of "
			   "one run; for different runs the spread of the steps, at least "
			   "5 %; 10 % for sampled sources. Not comparable is a verdict too, and "
			   "says why."),
		.missing = N_("Nothing to compare: a second profile of the same training (nsys "
			      "beside torch.profiler, or a pyinstrument file) would make "
			      "cross-checks possible."),
	},
	{
		.level = 2,
		.heading = N_("Rule files"),
		.view = "rules",
		.shape = SHAPE_GROUP,
		.group = "file check table",
		.cols = "samples",
		.count = N_("Rules"),
		.filter = "file != null",
		.text = N_("Kernels, ops, frames, calls, steps, phases and threads are told by "
			   "their names, with rules that can be read and changed "
			   "(`--rules FILE` puts rules before these). The first rule that matches "
			   "wins; *samples* are the names that the rules are tested with. *Check* "
			   "is a sum over the text of the file: reports with the same sums used "
			   "the same rules."),
	},
	{
		.level = 3,
		.heading = N_("Rules that named the kernels of this window"),
		.view = "rules",
		.filter = "names > 0",
		.sort = "total_ns",
		.cols = "file names+ count+ total_ns+ rule",
		.missing = N_("No kernels were recorded in this window."),
	},
	SECTIONS_END};

const struct document doc_methods = {
	.file = "02_analysis_methods.md",
	.title = N_("Analysis methods"),
	.intro = N_("What the figures of the other documents mean, which file each kind comes from "
		    "in this session, and what speaks for and against them."),
	.sections = sections,
};
