/*
 * ncu.c - view `ncu`: the launches that Nsight Compute profiled, one row each
 *
 * bound: of the throughputs of computation and memory (Speed of Light) the larger one from 80 % on; where both are below 60 % the launch
 * waits for latency; between, the larger one "-leaning"; `tensor` where a tensor pipe is busy for 80 % or more.
 * The columns run_… are of the kernels of the session that the launch belongs to (join.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "rules/rules.h"
#include "views/kernel/join.h"
#include "views/kernel/limits.h"
#include "views/kernel/stalls.h"

enum { C_ID, C_NAME, C_CLASS, C_SUBCLASS, C_LAYOUT, C_DTYPE, C_TENSOR, C_GRID, C_BLOCK, C_CONTEXT, C_STREAM, C_DEVICE, C_CC, C_DUR, C_CYCLES,
	C_SM, C_MEM, C_L1, C_L2, C_DRAM, C_BOUND, C_OCC_THEORY, C_OCC_ACHIEVED, C_LIMITER, C_WAVES, C_TAIL, C_REGISTERS, C_SMEM,
	C_STALL, C_STALL_SHARE, C_RULES, C_RUN_COUNT, C_RUN_TOTAL, C_RUN_MEDIAN, C_CLOCK, C_TOOL };

static const struct column_def cols[] = {
	[C_ID] = LAUNCH_ID_COL,
	[C_NAME] = { "name", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the kernel, whole") },
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 4, N_("what kind of work it does, told by its name") },
	[C_SUBCLASS] = { "subclass", N_("Kind"), UNIT_TEXT, 0, 8, N_("finer kind inside the class") },
	[C_LAYOUT] = { "layout", N_("Layout"), UNIT_TEXT, 0, 8, N_("layout of the matrices, told by the name") },
	[C_DTYPE] = { "dtype", N_("Type"), UNIT_TEXT, 0, 7, N_("data type, told by the name") },
	[C_TENSOR] = { "tensor_core", N_("Tensor"), UNIT_BOOL, 0, 8, N_("whether the name says that it uses tensor cores") },
	[C_GRID] = { "grid", N_("Grid"), UNIT_TEXT, 0, 3, N_("blocks in x, y, z") },
	[C_BLOCK] = { "block", N_("Block"), UNIT_TEXT, 0, 3, N_("threads of a block in x, y, z") },
	[C_CONTEXT] = { "context", N_("Context"), UNIT_ID, 0, 9, N_("CUDA context") },
	[C_STREAM] = { "stream", N_("Stream"), UNIT_ID, 0, 8, N_("CUDA stream") },
	[C_DEVICE] = { "device", N_("Device"), UNIT_TEXT, 0, 5, N_("the device it was measured on") },
	[C_CC] = { "cc", N_("CC"), UNIT_TEXT, 0, 7, N_("compute capability of the device") },
	[C_DUR] = { "dur_ns", N_("Duration"), UNIT_NS, COL_BAR, 0, N_("duration under the profiler, which serialises kernels, flushes caches and holds the clocks: not that of the run") },
	[C_CYCLES] = { "cycles", N_("Cycles"), UNIT_COUNT, 0, 6, N_("elapsed cycles of the GPU") },
	[C_SM] = { "sm_pct", N_("SM %"), UNIT_FACTOR, 0, 1, N_("throughput of computation in percent of the peak") },
	[C_MEM] = { "mem_pct", N_("Memory %"), UNIT_FACTOR, 0, 1, N_("throughput of memory in percent of the peak") },
	[C_L1] = { "l1_pct", N_("L1 %"), UNIT_FACTOR, 0, 5, N_("throughput of the L1 cache in percent of the peak") },
	[C_L2] = { "l2_pct", N_("L2 %"), UNIT_FACTOR, 0, 5, N_("throughput of the L2 cache in percent of the peak") },
	[C_DRAM] = { "dram_pct", N_("DRAM %"), UNIT_FACTOR, 0, 4, N_("throughput of device memory in percent of the peak") },
	[C_BOUND] = { "bound", N_("Bound by"), UNIT_TEXT, 0, 0, N_("compute, memory, tensor or latency; -leaning: not clearly") },
	[C_OCC_THEORY] = { "occupancy_theoretical", N_("Occupancy"), UNIT_RATIO, 0, 3, N_("warps that a multiprocessor can hold of this launch by those that it can hold at all") },
	[C_OCC_ACHIEVED] = { "occupancy_achieved", N_("Achieved"), UNIT_RATIO, 0, 2, N_("warps that were active on average by those that a multiprocessor can hold") },
	[C_LIMITER] = { "occupancy_limiter", N_("Limit"), UNIT_TEXT, 0, 3, N_("the least of the limits of occupancy: registers, smem, warps, blocks, barriers") },
	[C_WAVES] = { "waves", N_("Waves"), UNIT_FACTOR, 0, 4, N_("blocks of the grid by those that the device holds at once") },
	[C_TAIL] = { "tail_pct", N_("Tail %"), UNIT_FACTOR, 0, 4, N_("percent of the multiprocessors' time that the last wave leaves idle; up to 10 waves") },
	[C_REGISTERS] = { "registers", N_("Regs"), UNIT_COUNT, 0, 6, N_("registers of a thread") },
	[C_SMEM] = { "smem_bytes", N_("Shared"), UNIT_BYTES, 0, 6, N_("shared memory of a block, static and dynamic") },
	[C_STALL] = { "top_stall", N_("Stall"), UNIT_TEXT, 0, 2, N_("what warps waited for most") },
	[C_STALL_SHARE] = { "top_stall_share", N_("Share"), UNIT_RATIO, 0, 2, N_("its part of a warp's latency per issued instruction") },
	[C_RULES] = { "rules", N_("Advice"), UNIT_COUNT, 0, 6, N_("messages of the report's own rules, see view ncurules") },
	[C_RUN_COUNT] = { "run_count", N_("In the run"), UNIT_COUNT, 0, 5, N_("kernels of the run with this name and launch shape; of any shape where none has this one") },
	[C_RUN_TOTAL] = { "run_total_ns", N_("Run total"), UNIT_NS, 0, 5, N_("sum of their durations") },
	[C_RUN_MEDIAN] = { "run_median_ns", N_("Run median"), UNIT_NS, 0, 6, N_("median of their durations") },
	[C_CLOCK] = { "clock_ratio", N_("Ratio"), UNIT_FACTOR, 0, 6, N_("duration under the profiler by the median in the run; above 1.3 or below 0.8 its figures say little of the run") },
	[C_TOOL] = { "tool", N_("Tool"), UNIT_TEXT, 0, 9, N_("version of Nsight Compute") },
	SOURCE_COLS
};

static double number(const struct launch *x, const char *metric)
{
	return launch_number(x->p, x->l, metric);
}

/* ---- bound -------------------------------------------------------------------------------------- */

/* The busiest tensor pipe in percent; NaN: none was measured. */
static double tensor_pct(const struct launch *x)
{
	double most = NAN;

	for (uint32_t i = 0; i < x->l->n_metrics; i++) {
		const struct kernel_metric *m = &x->p->reports.metrics[x->l->first_metric + i];
		size_t n;
		const char *name = metric_name(x->p, m, &n);
		double v = metric_number((enum metric_kind)m->kind, m->bits);

		if ((text_starts(name, n, "sm__pipe_tensor") || text_starts(name, n, "sm__inst_executed_pipe_tensor")) &&
		    (text_ends(name, n, ".avg.pct_of_peak_sustained_active") || text_ends(name, n, ".avg.pct_of_peak_sustained_elapsed")) &&
		    !(v <= most))
			most = isfinite(v) ? v : most;
	}
	return most;
}

static const char *bound(double sm, double mem, double tensor)
{
	double larger = sm >= mem ? sm : mem;

	if (tensor >= 80)
		return "tensor";
	if (!isfinite(sm) || !isfinite(mem))
		return NULL;
	if (larger < 60)
		return "latency";
	if (larger >= 80)
		return sm >= mem ? "compute" : "memory";
	return sm >= mem ? "compute-leaning" : "memory-leaning";
}

/* ---- columns ------------------------------------------------------------------------------------ */

static void put_name(const struct an_ctx *cx, struct table *t, uint32_t row, const struct launch *x)
{
	struct kernel_class kc;
	size_t n;
	const char *s = profile_str(x->p, x->l->name, &n);

	launch_str(t, row, C_NAME, x, x->l->name);
	if (x->l->name == ID_NONE)
		return;
	rules_kernel(cx->rules, s, n, &kc);
	table_cstr(t, row, C_CLASS, kclass_name(kc.class));
	if (*kc.subclass)
		table_cstr(t, row, C_SUBCLASS, kc.subclass);
	table_cstr(t, row, C_LAYOUT, kc.layout);
	table_cstr(t, row, C_DTYPE, kc.dtype);
	if (kc.tensor_core >= 0)
		table_bool(t, row, C_TENSOR, kc.tensor_core);
}

/* "" unknown. */
struct dims {
	char text[64];
};

static struct dims dims(const uint32_t d[3])
{
	struct dims out = { "" };

	if (d[0] && d[1] && d[2])
		snprintf(out.text, sizeof(out.text), "%" PRIu32 "x%" PRIu32 "x%" PRIu32, d[0], d[1], d[2]);
	return out;
}

static void put_device(struct table *t, uint32_t row, const struct launch *x)
{
	const struct kernel_metric *name = launch_metric(x->p, x->l, "device__attribute_display_name");
	double major = number(x, "device__attribute_compute_capability_major"), minor = number(x, "device__attribute_compute_capability_minor");
	char cc[32];

	if (name)
		value_cell(t, row, C_DEVICE, x->p, name->kind, name->bits);
	if (major >= 1 && major < 1000 && minor >= 0 && minor < 1000) {
		snprintf(cc, sizeof(cc), "%d.%d", (int)major, (int)minor);
		table_cstr(t, row, C_CC, cc);
	}
}

static void put_throughput(struct table *t, uint32_t row, const struct launch *x)
{
	double sm = number(x, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
	double mem = number(x, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
	double dram = number(x, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");

	whole_cell(t, row, C_DUR, number(x, "gpu__time_duration.sum"));
	whole_cell(t, row, C_CYCLES, number(x, "gpc__cycles_elapsed.max"));
	number_cell(t, row, C_SM, sm);
	number_cell(t, row, C_MEM, mem);
	number_cell(t, row, C_L1, number(x, "l1tex__throughput.avg.pct_of_peak_sustained_active"));
	number_cell(t, row, C_L2, number(x, "lts__throughput.avg.pct_of_peak_sustained_elapsed"));
	number_cell(t, row, C_DRAM, isfinite(dram) ? dram : number(x, "dram__throughput.avg.pct_of_peak_sustained_elapsed"));
	table_cstr(t, row, C_BOUND, bound(sm, mem, tensor_pct(x)));
}

static void put_limiters(struct table *t, uint32_t row, const struct limits *s)
{
	char text[80] = "";
	size_t n = 0;

	for (unsigned k = 0; k < LIMIT_N; k++)
		if (s->blocks[k] <= s->least)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "+" : "", limit_name((enum limit_kind)k));
	if (n)
		table_cstr(t, row, C_LIMITER, text);
}

static void put_occupancy(struct table *t, uint32_t row, const struct launch *x)
{
	double smem = number(x, "launch__shared_mem_per_block_static") + number(x, "launch__shared_mem_per_block_dynamic");
	struct limits s;

	limits_of(&s, x);
	number_cell(t, row, C_OCC_THEORY, s.share);
	number_cell(t, row, C_OCC_ACHIEVED, number(x, "sm__warps_active.avg.pct_of_peak_sustained_active") / 100);
	put_limiters(t, row, &s);
	number_cell(t, row, C_WAVES, s.waves);
	if (s.waves > 0 && s.waves <= 10)
		number_cell(t, row, C_TAIL, 100 * (ceil(s.waves) - s.waves) / ceil(s.waves));
	whole_cell(t, row, C_REGISTERS, number(x, "launch__registers_per_thread"));
	whole_cell(t, row, C_SMEM, smem);
}

static void put_stall(struct table *t, uint32_t row, const struct launch *x)
{
	const struct stall *top;
	struct stalls s;

	stalls_of(&s, x);
	top = stalls_top(&s);
	if (top) {
		table_str(t, row, C_STALL, top->reason, top->reason_n);
		number_cell(t, row, C_STALL_SHARE, top->share);
	}
}

/* ---- the run ------------------------------------------------------------------------------------ */

struct ncu_walk {
	const struct an_ctx *cx;
	struct join *run;	/* NULL: the session has no kernels */
	uint64_t absent, ambiguous, other_shape, off;	/* launches; off: of another speed than in the run */
};

static void put_run(struct ncu_walk *w, struct table *t, uint32_t row, const struct launch *x, const struct dims *grid, const struct dims *block)
{
	double dur = number(x, "gpu__time_duration.sum"), ratio;
	struct joined in;

	join_find(w->run, x, grid->text, block->text, &in);
	w->ambiguous += in.ambiguous;
	w->absent += !in.ambiguous && !in.count;
	if (!in.count)
		return;
	w->other_shape += in.other_shape;
	table_i64(t, row, C_RUN_COUNT, in.count);
	table_i64(t, row, C_RUN_TOTAL, in.total_ns);
	table_i64(t, row, C_RUN_MEDIAN, in.median_ns);
	if (in.other_shape || in.median_ns == I64_UNKNOWN || in.median_ns <= 0 || !(dur > 0))
		return;
	ratio = dur / (double)in.median_ns;
	w->off += ratio > 1.3 || ratio < 0.8;
	table_f64(t, row, C_CLOCK, ratio);
}

/* What the figures of the run do not say by themselves. */
static void note_run(const struct ncu_walk *w, struct table *t)
{
	if (w->absent)
		table_note(t, ngettext("%" PRIu64 " profiled launch is of a kernel that the window of the run does not have",
			"%" PRIu64 " profiled launches are of kernels that the window of the run does not have", (unsigned long)w->absent), w->absent);
	if (w->ambiguous)
		table_note(t, ngettext("%" PRIu64 " profiled launch has a name that several kernels of the run could have: it is joined to none",
			"%" PRIu64 " profiled launches have names that several kernels of the run could have: they are joined to none",
			(unsigned long)w->ambiguous), w->ambiguous);
	if (w->other_shape)
		table_note(t, ngettext("%" PRIu64 " profiled launch has a grid and block that the run does not have: run figures are of all its shapes",
			"%" PRIu64 " profiled launches have a grid and block that the run does not have: run figures are of all shapes",
			(unsigned long)w->other_shape), w->other_shape);
	if (w->off)
		table_note(t, ngettext("%" PRIu64 " profiled launch took more than 1.3 or less than 0.8 times what it takes in the run: the profiler "
			"serialises kernels, flushes caches and holds the clocks at their base, so its figures may not be those of the run",
			"%" PRIu64 " profiled launches took more than 1.3 or less than 0.8 times what they take in the run: the profiler "
			"serialises kernels, flushes caches and holds the clocks at their base, so their figures may not be those of the run",
			(unsigned long)w->off), w->off);
}


static void add(const struct launch *x, struct table *t, void *arg)
{
	struct ncu_walk *w = arg;
	uint32_t row = launch_row(t, x);
	struct dims grid = dims(x->l->grid), block = dims(x->l->block);

	put_name(w->cx, t, row, x);
	if (*grid.text)
		table_cstr(t, row, C_GRID, grid.text);
	if (*block.text)
		table_cstr(t, row, C_BLOCK, block.text);
	if (x->l->context >= 0)
		table_i64(t, row, C_CONTEXT, x->l->context);
	if (x->l->stream >= 0)
		table_i64(t, row, C_STREAM, x->l->stream);
	put_device(t, row, x);
	put_throughput(t, row, x);
	put_occupancy(t, row, x);
	put_stall(t, row, x);
	table_i64(t, row, C_RULES, x->l->n_rules);
	if (w->run)
		put_run(w, t, row, x, &grid, &block);
	launch_str(t, row, C_TOOL, x, x->p->version);
	an_ref(t, row, REF_KERNEL, x->source, 0, 0, C_NAME);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct err none = ERR_INIT;
	struct ncu_walk w = { .cx = cx, .run = join_new(cx, sc, t, &none) };
	bool ok = none.code != ERR_CANCELLED && launches_walk(cx, sc, t, add, &w, e);

	if (none.code == ERR_CANCELLED)
		*e = none;
	else if (none.code != ERR_NONE)
		table_note(t, "%s", none.text);	/* no such step in the run: the reports are shown without it */
	if (ok)
		note_run(&w, t);
	join_free(w.run);
	return ok;
}

const struct analysis an_ncu = {
	.id = "ncu", .title = N_("Profiled kernels"), .doc = N_("launches that Nsight Compute profiled: what bounds them, occupancy, stalls"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
