/*
 * metric.h - the measures that conditions and sentences of findings are made of. Each is computed once per source, by definitions.md.
 *
 * There are two kinds. Some are defined here (METRICS): totals, step statistics, figures that need their own computation. All others
 * are defined in rule files as sums over names: `metric NAME FAMILY.MEASURE PATTERN | PATTERN ...`, see finding_file.c. A family is a
 * kind of event; the text that the patterns (globs) see is
 *
 *	gaps      cause/starved|ahead/phase/long|mid|short		per device; starved: the work that ends the gap was launched less
 *			than 25 us before it started; long: 20 ms or more, mid: 1 ms or more. One gap is as many pieces as it has causes
 *			and belongs to each step that it covers, in proportion
 *	calls     name of the runtime call without version suffix
 *	ops       name of an operator, annotation or NVTX range
 *	frames    level 2 of the class of a Python frame
 *	kernels   class/subclass/dtype/tc|notc|unknown/phase/name
 *	copies    kind/source memory/target memory/large|small|tiny/phase	large: 1 MB or more, tiny: 64 bytes or less
 *
 * and the measures are count; time (ns, clipped to the window; of kernels and copies whole, by launch); idle (part of the time in which
 * no device of the process works; of copies: in which no kernel runs); bytes (copies only). An event inside another one of the same
 * metric counts once (for the first 63 metrics of a family). Host families look at the threads that issue work. Figures of several devices or processes of a source are
 * means (times, bytes) or rounded up means (counts).
 */
#ifndef FINDINGS_METRIC_H
#define FINDINGS_METRIC_H

#include "scope/selection.h"

struct finding_rules;

enum metric_unit { MU_NS, MU_COUNT, MU_BYTES, MU_RATIO, MU_FACTOR, MU_SAMPLES };

/* METRIC(id, unit, doc) */
/* clang-format off */
#define METRICS(METRIC) \
	METRIC(window, NS, N_("wall time that the figures refer to")) \
	METRIC(steps, COUNT, N_("complete steady steps in the window")) \
	METRIC(devices, COUNT, N_("devices with work")) \
	METRIC(step_median, NS, N_("median period of the steps")) \
	METRIC(step_p90, NS, N_("90th percentile of the periods")) \
	METRIC(step_max, NS, N_("longest period")) \
	METRIC(long_steps, NS, \
		N_("time beyond the median in steps longer than 1.5 times the median, on the " \
		   "device as well where its work is known")) \
	METRIC(warmup, NS, N_("time of the leading warm-up steps of the capture, window or not")) \
	METRIC(first_step, NS, N_("period of the first step of the capture")) \
	METRIC(coverage, RATIO, N_("share of the window with an event on the issuing thread")) \
	METRIC(damaged, COUNT, N_("places of the file that could not be read")) \
	METRIC(compute, NS, N_("time with a kernel that is not communication")) \
	METRIC(exposed_comm, NS, N_("communication outside compute")) \
	METRIC(exposed_copy, NS, N_("copies and memory sets outside both")) \
	METRIC(exposed_htod, NS, N_("exposed copies from the host alone")) \
	METRIC(exposed_dtoh, NS, N_("exposed copies to the host alone")) \
	METRIC(exposed_both, NS, N_("exposed copies from and to the host at once")) \
	METRIC(exposed_inner, NS, \
		N_("exposed copies in the device and between devices, and memory sets")) \
	METRIC(idle, NS, N_("nothing runs on the device")) \
	METRIC(comm, NS, N_("time with a communication kernel, hidden or not")) \
	METRIC(copy, NS, N_("time with a copy from or to the host, hidden or not")) \
	METRIC(kernels, COUNT, N_("kernels")) \
	METRIC(kernel_sum, NS, N_("durations of the kernels that are not communication")) \
	METRIC(kernel_median, NS, N_("median duration of a kernel")) \
	METRIC(cpu_ops, NS, \
		N_("own time of operators that compute on the CPU, on threads that issue GPU " \
		   "work")) \
	METRIC(launches, COUNT, N_("launch calls")) \
	METRIC(launch_p50, NS, N_("median duration of a launch call")) \
	METRIC(launch_p90, NS, N_("90th percentile of the launch calls")) \
	METRIC(delay_median, NS, \
		N_("median time from the end of a launch call to the start of its kernel")) \
	METRIC(sync_count, COUNT, N_("calls in which the host waits for the device")) \
	METRIC(sync_wait, NS, N_("waits of the host, device busy or not")) \
	METRIC(sync_bound, NS, \
		N_("upper bound of what the waits cost: for each launch after waits, the " \
		   "smaller of the work waited for and the idle time up to the next work")) \
	METRIC(item_bound, NS, \
		N_("the part of it after waits inside operators that read a value back")) \
	METRIC(dataload, NS, N_("phase of the steps: data loading")) \
	METRIC(forward, NS, N_("phase of the steps: forward")) \
	METRIC(backward, NS, N_("phase of the steps: backward")) \
	METRIC(recompute, NS, N_("phase of the steps: forward work again inside backward")) \
	METRIC(optimizer, NS, N_("phase of the steps: optimizer")) \
	METRIC(optimizer_idle, NS, N_("part of the optimizer phase in which the device is idle")) \
	METRIC(optimizer_launches, COUNT, N_("launch calls in the optimizer phase")) \
	METRIC(recompute_device, NS, N_("kernels launched in the recompute phase")) \
	METRIC(recompute_launches, COUNT, N_("launch calls in the recompute phase")) \
	METRIC(forward_launches, COUNT, N_("launch calls in the forward phase")) \
	METRIC(small_gemm, NS, \
		N_("matrix products with fewer blocks than the device has multiprocessors")) \
	METRIC(small_grid, NS, \
		N_("other kernels with fewer blocks than the device has multiprocessors")) \
	METRIC(low_occupancy, NS, \
		N_("of the kernels that are large enough for the device those that can fill " \
		   "less than a quarter of its warps")) \
	METRIC(conv_search, NS, \
		N_("kernels of convolutions that launch more than five different ones, and not " \
		   "the same in most steps: algorithms that are tried")) \
	METRIC(elementwise_chain, NS, \
		N_("runs of five or more elementwise kernels one after the other")) \
	METRIC(comm_slow, NS, \
		N_("what kernels take longer beside communication than the same kernels, of the " \
		   "same grid, without")) \
	METRIC(comm_skew, FACTOR, \
		N_("90th percentile by median of communication kernels of one name")) \
	METRIC(comm_kernel_median, NS, N_("median duration of a communication kernel")) \
	METRIC(overhead, NS, N_("the profiler's own work on issuing threads")) \
	METRIC(frames_wall, NS, \
		N_("wall time that the Python frames refer to; of samples without a wall their " \
		   "sum")) \
	METRIC(dump_threads, COUNT, \
		N_("main threads in a dump of py-spy, all threads where none is known as main; " \
		   "0 where the source is no dump")) \
	METRIC(dump_collective, COUNT, N_("those of them that are inside a collective")) \
	METRIC(dump_waiting, COUNT, N_("those of them that wait for a lock, a queue or data")) \
	METRIC(failed_calls, COUNT, N_("CUDA calls of the capture that returned an error")) \
	METRIC(fatal_calls, COUNT, \
		N_("those of them after which the device's state is lost: an illegal address, a " \
		   "failed launch and the like")) \
	METRIC(param_bytes, BYTES, N_("bytes of the parameters, from the facts of the run")) \
	METRIC(experts, COUNT, N_("experts per layer, from the facts of the run")) \
	METRIC(experts_used, COUNT, N_("experts that a token uses, from the facts of the run")) \
	METRIC(zero_stage, COUNT, \
		N_("stage of ZeRO, from the facts of the run; 0 where they tell none")) \
	METRIC(other_ranks, COUNT, N_("1 if a source of another rank is open")) \
	METRIC(disagreements, COUNT, \
		N_("cross-checks of the session in which two sources differ")) \
	METRIC(no_gpu, COUNT, N_("1 if the session has no GPU work, read or not")) \
	METRIC(no_ops, COUNT, N_("1 if the session has no operators")) \
	METRIC(no_stacks, COUNT, N_("1 if the session has no Python stacks")) \
	METRIC(no_steps, COUNT, N_("1 if the source has no step markers")) \
	METRIC(no_memkind, COUNT, N_("1 if copies do not say what memory they use")) \
	METRIC(copy_alone, NS, \
		N_("copies between host and device, one way or both, outside compute and " \
		   "communication")) \
	METRIC(copy_hidable, NS, \
		N_("what overlap could hide of it at most: the smaller of it and the other work " \
		   "of the device that has no such copy beside")) \
	METRIC(exposed_dtod, NS, N_("exposed copies inside the device alone")) \
	METRIC(copy_kernel_stream, NS, \
		N_("copies between host and device on streams that run kernels as well")) \
	METRIC(copy_same_count, COUNT, \
		N_("copies of one size from the host, of the size of 1 MB or more that moves the " \
		   "most bytes")) \
	METRIC(copy_same_bytes, BYTES, N_("that size")) \
	METRIC(um_asked, NS, N_("migrations of unified memory that a prefetch asked for")) \
	METRIC(first_memory, NS, \
		N_("the device is idle in the first call of a function that allocates, frees or " \
		   "pins memory, where it takes 1 ms and ten times as long as the others")) \
	METRIC(first_handles, NS, \
		N_("the same of other functions: they make the context, streams and handles"))
/* clang-format on */

/* What a metric's `why` begins with where the data is there, and not enough of it. */
#define FINDING_FEW "too few "

enum metric_id {
#define METRIC(id, unit, doc) METRIC_##id,
	METRICS(METRIC)
#undef METRIC
	METRIC_N
};

/* One event that added to a metric, for the way to its instants. Source time. */
struct instance {
	ns_t start, end;
	int64_t amount;
	thread_id thread;	/* ID_NONE on a device */
	ev_id ev;
};
enum { METRIC_TOP = 3 };

struct metric {
	bool known;
	const char *why;	/* unknown: the data that is missing, N_() marked */
	int64_t i;		/* ns, count, bytes */
	double f;		/* ratio, factor */
	int64_t events;		/* that added to it */
	int64_t *by_step;	/* per step of metrics.steps, NULL: nothing known per step */
	struct instance top[METRIC_TOP];	/* falling */
	uint32_t n_top;
};

struct metrics {
	const struct finding_rules *fr;
	struct selection k;		/* of the source */
	struct scope sc;	/* that the selection looks at */
	uint32_t source;
	struct metric *v;	/* METRIC_N, then those of the rule files in their order */
	uint32_t n;
	const struct step **steps;	/* the steady steps of the window, by start */
	uint32_t n_steps;
	char *top_kernel;	/* name of the kernel with the largest sum that is not communication; NULL */
	int64_t top_kernel_skip;	/* its metric_kernel_skip() */
	ns_t top_kernel_ns;
	char *idle_doubt;	/* why idle time of the window is not known, translated (facts/records.h); NULL: it is */
	bool sampled;		/* the frames come from a sampler */
	bool counted;		/* that tells no times: the figures of frames are numbers of samples */
	bool cancelled;
};

/* Computes all metrics of one source of the context in a scope. NULL with *e set: cancelled, or a window that the source lacks. */
struct metrics *metrics_new(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e);
void metrics_free(struct metrics *m);

/* Of all kernels whose base name holds that of this one, how many start before its first one of the second step. */
int64_t metric_kernel_skip(const struct metrics *m, str_id name);
/* The part of a kernel's name that tools filter by: no return type, namespace, template or arguments. Points into s, *len bytes. */
const char *kernel_base_name(const char *s, size_t n, size_t *len);
/* The number of a name among the metrics of these rules, ID_NONE; its unit and meaning. */
uint32_t metric_find(const struct finding_rules *fr, const char *name, size_t n);
enum metric_unit metric_unit(const struct finding_rules *fr, uint32_t metric);
const char *metric_name(const struct finding_rules *fr, uint32_t metric);
/* Share of the steps in which it occurs; NaN without steps. Median (the lower) and p90 (nearest rank) of its values per step. */
double metric_presence(const struct metrics *m, uint32_t metric);
int64_t metric_step_median(const struct metrics *m, uint32_t metric);
int64_t metric_step_p90(const struct metrics *m, uint32_t metric);
/* Share of the steps that have at least half of the mean: what loses in many steps, if not in most; NaN without steps. */
double metric_step_often(const struct metrics *m, uint32_t metric);
/* What of it lies in steps. */
int64_t metric_step_sum(const struct metrics *m, uint32_t metric);
/* What the steps with more than ten times the median have more than it, in all. */
int64_t metric_step_spikes(const struct metrics *m, uint32_t metric);

#endif
