/* metric_impl.h - the passes that fill the metrics; private to metric*.c */
#ifndef FINDINGS_METRIC_IMPL_H
#define FINDINGS_METRIC_IMPL_H

#include "base/i18n.h"
#include "base/map.h"
#include "base/sbuf.h"
#include "findings/finding_impl.h"
#include "findings/metric.h"

struct metric_set;
struct metric_sets {
	struct map memo;	/* (key a, key b) -> index */
	struct metric_set *a;
	uint32_t n, cap;
};
struct metric_work {
	struct metrics *m;
	const struct an_ctx *cx;
	const struct selection *k;
	struct spans window;	/* that host figures are clipped to: that of the devices, without devices that of the source */
	struct spans *idle;	/* per process: no device of it works, inside the window */
	struct spans common_idle;	/* that of processes without devices of their own, which share it */
	uint32_t procs;		/* that issue work: what host figures are divided by */
	uint32_t devices;
	struct metric_sets sets[FAMILY_N];	/* each family is filled by one pass alone: they may run side by side */
};
/* The metrics of a family that a text belongs to. */
struct metric_set {
	uint32_t *id;
	uint8_t *bit;		/* number of each within its family, below FAMILY_METRICS */
	uint32_t n;
	uint64_t bits;		/* 1 << bit of all of them */
	bool loads, may_load;	/* of Python frames: loads data; does so below a frame that loads, and elsewhere is in no metric */
	bool body, runs, imports, entry;	/* of Python frames: the body of a module; what runs one as a program; what imports; where a forked process begins */
};

/* Sets a native metric; I64_UNKNOWN stays unknown. */
void metric_set_i64(struct metrics *m, enum metric_id id, int64_t v);
void metric_set_f64(struct metrics *m, enum metric_id id, double v);
/* Index of the step that holds t, -1 none. */
int64_t metrics_step_at(const struct metrics *m, ns_t t);
/* Adds an amount at an instant; `at` may be NULL: no instance is kept, `t` says when. */
void metric_add(struct metrics *m, uint32_t id, int64_t amount, ns_t t, const struct instance *at);
/* Adds an amount that belongs to all of at's interval: each step that it covers has its part of it, by length. It is one instance. */
void metric_add_spread(struct metrics *m, uint32_t id, int64_t amount, const struct instance *at);
/* Adds the length of an interval, cut at the steps it lies in; it is one instance. */
void metric_add_span(struct metrics *m, uint32_t id, ns_t start, ns_t end);
/* Of a sum over several devices or processes the mean; `up`: rounded up. */
void metric_divide(struct metrics *m, uint32_t id, uint32_t by, bool up);
/* Which metrics of a family a text belongs to, remembered under two keys that stand for the text. */
const struct metric_set *metric_set_of(struct metric_work *w, enum metric_family f, uint64_t a, uint64_t b, const char *text, size_t n);
/* What is remembered under the two keys; NULL: nothing yet. */
const struct metric_set *metric_set_known(const struct metric_work *w, enum metric_family f, uint64_t a, uint64_t b);
/* Marks all metrics of a family known (0 so far), or unknown because of `why`. */
void metric_family_known(struct metrics *m, enum metric_family f, const char *why);

/* What an event adds to the metrics of a set. */
struct amounts {
	int64_t count;
	ns_t time, idle;
	int64_t bytes;
};
/* Adds to those of the set whose bit is not in `but`. */
void metric_add_set(struct metric_work *w, const struct metric_set *s, uint64_t but, const struct amounts *x, const struct instance *at);

/* Why each native metric is unknown, unless its pass knows better: before the passes. */
void metric_whys(struct metrics *m);
void metric_gpu_pass(struct metric_work *w);		/* partition, gaps, copies */
void metric_kernel_pass(struct metric_work *w);
void metric_copies(struct metric_work *w);		/* a part of that of the kernels */
/* Adds what copies to and from the host take alone on a device, and what of it could be hidden; states: of gpu_state_spans(). */
void metric_copies_alone(struct metrics *m, const struct device_facts *d, const struct spans *window, const struct spans *states);
void metric_call_pass(struct metric_work *w);		/* runtime calls, waits */
void metric_first_pass(struct metric_work *w);		/* first calls of functions */
/* Whether a thread issues GPU work, as far as is known, and is in the scope. */
bool metric_issues(const struct metric_work *w, thread_id t);
void metric_op_pass(struct metric_work *w);
void metric_frame_pass(struct metric_work *w);
void metric_step_pass(struct metric_work *w);		/* steps, phases, coverage, overhead, facts */

#endif
