/*
 * compare.c - holds every view on a generated folder against the generator's answers: compare DIR
 *
 * One line per comparison ("agree WHAT" or "differ WHAT", differences before it as TAP comments). Exit status: 0 all agree,
 * 1 something differs, 2 could not compare. What each member of truth.json means stands in tests/gen/README.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sbuf.h"
#include "tests/truth/checks.h"

/* ---- views whose truth is a table of the same shape ---- */

#define PHASES "dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns"

enum who { BOTH, NSYS, TORCH };

static const struct {
	const char *view, *truth;
	enum who who;
	struct spec spec;
} wants[] = {
	{ "gpu", "gpu", BOTH, { { "device" }, { "window_ns", "kernels", "kernel_sum_ns", "kernel_busy_ns", "compute_ns",
		"exposed_comm_ns", "exposed_memcpy_ns", "exposed_htod_ns", "exposed_dtoh_ns", "exposed_both_ns", "exposed_dtod_ns",
		"exposed_ptop_ns", "exposed_memset_ns", "idle_ns" }, 0 } },
	{ "kernels", "kernels", BOTH, { { "name", "class" }, { "count", "total_ns", "min_ns", "max_ns", PHASES,
		"unattributed_ns" }, 0 } },
	{ "classes", "classes", BOTH, { { "class" }, { "count", "total_ns", PHASES, "unattributed_ns" }, 0 } },
	{ "memcpy", "memcpy", BOTH, { { "kind", "src", "dst" }, { "count", "bytes", "time_ns", "busy_ns" }, 0 } },
	{ "memset", "memset", BOTH, { { "device" }, { "count", "bytes", "time_ns" }, 0 } },
	{ "sync", "sync", BOTH, { { "type" }, { "count", "time_ns", "busy_ns", "lost_ns" }, 0 } },
	{ "runtime", "runtime", BOTH, { { "name", "class" }, { "count", "total_ns", "min_ns", "max_ns" }, 0 } },
	{ "ops", "ops", BOTH, { { "name" }, { "count", "total_ns", "self_ns", "sync_ns", "launch_ns", "memcpy_ns",
		"other_runtime_ns", "host_ns", "device_ns", "exposed_ns" }, 0 } },
	{ "optree", "ops", BOTH, { { "name" }, { "count", "total_ns", "self_ns", "sync_ns", "launch_ns", "memcpy_ns",
		"other_runtime_ns", "host_ns" }, 0 } },
	{ "nvtx", "nvtx", NSYS, { { "name" }, { "count", "open", "total_ns", "self_ns", "gpu_ns" }, 0 } },
};

static const char *const source_names[] = { "nsys", "torch" };
/* Windows that are written in another way and are the same instants have the same answers. */
static const struct {
	enum window_kind kind;
	const char *name, *truth;
} windows[] = {
	{ WINDOW_ALL, "all", "all" }, { WINDOW_STEADY, "steady", "steady" }, { WINDOW_STEPS, "steps", "steady" },
	{ WINDOW_TIME, "time", "steady" },
};

static void check_tables(struct trial *t, enum who who, const struct place *at)
{
	char what[96];

	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
		if (wants[i].who != BOTH && wants[i].who != who)
			continue;
		snprintf(what, sizeof(what), "%s, %s of %s", wants[i].view, at->window_name, at->source_name);
		trial_view_sheets(t, what, wants[i].view, at->source, at->window, jval_get(at->truth, wants[i].truth),
			&wants[i].spec);
	}
}

static void check_source(struct trial *t, enum who who, uint32_t source)
{
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		const struct jval *truth = jval_get(jval_get(t->truth, source_names[who - 1]), windows[i].truth);
		struct place at = { source_names[who - 1], windows[i].name, source, windows[i].kind, truth };

		check_tables(t, who, &at);
		check_gaps(t, &at);
		check_walls(t, &at);
		check_host_partition(t, &at);
		check_device_partition(t, &at, "gpu:0");
		check_device_partition(t, &at, "joint:0");
		check_opkernels(t, &at);
		check_splits(t, &at);
		check_bytes_per_step(t, &at);
		if (who == TORCH)
			check_python(t, &at);
	}
	check_steps(t, source_names[who - 1], source);
	check_threads(t, source_names[who - 1], source);
	check_contents(t, source_names[who - 1], source);
	check_microbatches(t, source_names[who - 1], source);
}

int main(int argc, char **argv)
{
	struct trial t;
	struct err e = ERR_INIT;
	int status = 2;
	size_t n;

	if (argc != 2) {
		fprintf(stderr, "usage: compare DIR\n");
		return 2;
	}
	if (!trial_open(&t, argv[1], &e)) {
		fprintf(stderr, "compare: %s\n", e.text);
	} else if (jval_get(t.truth, "kind")) {
		if (!strcmp(jval_text(jval_get(t.truth, "kind"), &n), "offload"))
			check_offload(&t);
		else
			check_overlap(&t);
		status = t.differ != 0;
	} else if (t.nsys == TRIAL_NONE || t.torch == TRIAL_NONE || t.sampler == TRIAL_NONE) {
		fprintf(stderr, "compare: %s: a profile of each kind is wanted\n", argv[1]);
	} else {
		check_clock(&t);
		check_source(&t, NSYS, t.nsys);
		check_source(&t, TORCH, t.torch);
		check_sampler(&t);
		check_crosschecks(&t);
		status = t.differ != 0;
	}
	trial_close(&t);
	return status;
}
