/* metric_gpu.c - metrics of the devices' wall time: partition, idle gaps by cause, copies; see metric.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/devwin.h"
#include "analyze/gapscan.h"
#include "analyze/gpu_state.h"
#include "analyze/idle.h"
#include "analyze/metric_impl.h"
#include "analyze/picks.h"
#include "base/mem.h"

enum { STARVED_NS = 25000, LONG_NS = 20000000, MID_NS = 1000000 };

/* ---- partition ---- */

struct partition {
	ns_t state[GPU_STATE_N], window, comm, copy;
};

static ns_t measure_in(const struct spans *s, const struct spans *window)
{
	struct spans in = { 0 };
	ns_t n;

	spans_intersect(&in, s, window);
	n = spans_measure(&in);
	spans_fini(&in);
	return n;
}

static void add_device(struct partition *sum, const struct device_facts *d, const struct spans *window)
{
	struct spans states[GPU_STATE_N], host = { 0 };

	gpu_state_spans(d, window, states);
	for (int i = 0; i < GPU_STATE_N; i++) {
		sum->state[i] += spans_measure(&states[i]);
		spans_fini(&states[i]);
	}
	spans_union(&host, &d->busy[BUSY_HTOD], &d->busy[BUSY_DTOH]);
	sum->window += spans_measure(window);
	sum->comm += measure_in(&d->busy[BUSY_COMM], window);
	sum->copy += measure_in(&host, window);
	spans_fini(&host);
}

static void set_partition(struct metric_work *w, const struct partition *p)
{
	static const struct { enum metric_id id; enum gpu_state state; } of[] = {
		{ METRIC_compute, GPU_COMPUTE }, { METRIC_exposed_comm, GPU_COMM }, { METRIC_exposed_htod, GPU_HTOD },
		{ METRIC_exposed_dtoh, GPU_DTOH }, { METRIC_idle, GPU_IDLE },
	};
	int64_t n = w->devices;
	ns_t rest = p->window - p->state[GPU_COMPUTE] - p->state[GPU_COMM] - p->state[GPU_IDLE];

	metric_set_i64(w->m, METRIC_devices, n);
	if (!n) {
		metric_set_i64(w->m, METRIC_window, w->k->wall);
		return;
	}
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		metric_set_i64(w->m, of[i].id, p->state[of[i].state] / n);
	metric_set_i64(w->m, METRIC_window, p->window / n);
	metric_set_i64(w->m, METRIC_exposed_copy, rest / n);
	metric_set_i64(w->m, METRIC_comm, p->comm / n);
	metric_set_i64(w->m, METRIC_copy, p->copy / n);
}

/* ---- gaps ---- */

struct gap_work {
	struct metric_work *w;
	struct idle *idle;
	ns_t ns[CAUSE_N];
};

static void add_causes(void *arg, thread_id t, ns_t start, ns_t end)
{
	struct gap_work *g = arg;

	idle_add(g->idle, t, start, end, g->ns);
}

static void add_piece(struct gap_work *g, const struct gap *x, enum idle_cause c, ns_t ns)
{
	struct metric_work *w = g->w;
	ns_t len = x->end - x->start;
	bool starved = x->delay != NS_UNKNOWN && x->delay < STARVED_NS;
	int size = len >= LONG_NS ? 2 : len >= MID_NS;
	enum phase ph = x->proc == ID_NONE ? PHASE_OTHER : facts_phase_at(w->k->f, x->proc, x->start);
	static const char *const sizes[] = { "short", "mid", "long" };
	char text[96];
	int n = snprintf(text, sizeof(text), "%s/%s/%s/%s", idle_cause_name(c), starved ? "starved" : "ahead", phase_name(ph), sizes[size]);
	const struct metric_set *s = metric_set_of(w, FAMILY_GAPS, (uint64_t)c << 16 | (uint64_t)ph << 8 | (uint64_t)size << 1 | starved, 0,
		text, (size_t)n);

	metric_add_set(w, s, &(struct amounts){ 1, ns, ns, 0 }, &(struct instance){ x->start, x->end, 0, x->thread, x->ended });
}

static bool add_gap(void *arg, const struct gap *x)
{
	struct gap_work *g = arg;
	bool whose = x->thread != ID_NONE || x->proc != ID_NONE;

	memset(g->ns, 0, sizeof(g->ns));
	if (x->dependency)
		g->ns[CAUSE_DEPENDENCY] = x->end - x->start;
	else if (whose)
		gap_each_issuer(g->w->k->f, x, add_causes, g);
	else
		g->ns[CAUSE_UNTRACED] = x->end - x->start;
	for (int c = 0; c < CAUSE_N; c++)
		if (g->ns[c])
			add_piece(g, x, (enum idle_cause)c, g->ns[c]);
	return true;
}

void metric_gpu_pass(struct metric_work *w)
{
	struct gap_work g = { .w = w, .idle = idle_new(w->k->f, w->cx->rules) };
	struct partition sum = { { 0 }, 0, 0, 0 };

	for (uint32_t i = 0; i < w->k->f->n_devices; i++) {
		const struct device_facts *d = &w->k->f->devices[i];
		struct gapscan *scan;
		struct spans window = { 0 };

		if (!d->any.n)
			continue;
		pick_device_window(w->k, d, &window);
		add_device(&sum, d, &window);
		scan = gapscan_new(w->k, d, false);
		gapscan_each(scan, &window, add_gap, &g);
		gapscan_free(scan);
		spans_fini(&window);
	}
	set_partition(w, &sum);
	metric_family_known(w->m, FAMILY_GAPS, w->devices ? NULL : N_("GPU work"));
	idle_free(g.idle);
}
