/* metric_gpu.c - metrics of the devices' wall time: partition, idle gaps by cause, copies; see metric.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "findings/metric_impl.h"
#include "measure/device_state.h"
#include "measure/gaps.h"
#include "measure/idle_cause.h"
#include "scope/device_window.h"
#include "scope/selections.h"

enum { STARVED_NS = 25000, LONG_NS = 20000000, MID_NS = 1000000 };

/* ---- partition ---- */

/* The metrics that a state of the device counts for; METRIC_N none. */
static const struct {
	enum metric_id own, kind;
} states_of[GPU_STATE_N] = {
	[GPU_COMPUTE] = { METRIC_compute, METRIC_N }, [GPU_COMM] = { METRIC_exposed_comm, METRIC_N },
	[GPU_HTOD] = { METRIC_exposed_copy, METRIC_exposed_htod }, [GPU_DTOH] = { METRIC_exposed_copy, METRIC_exposed_dtoh },
	[GPU_BOTH] = { METRIC_exposed_copy, METRIC_exposed_both }, [GPU_PTOP] = { METRIC_exposed_copy, METRIC_exposed_inner },
	[GPU_DTOD] = { METRIC_exposed_copy, METRIC_exposed_inner }, [GPU_MEMSET] = { METRIC_exposed_copy, METRIC_exposed_inner },
	[GPU_COPY_REST] = { METRIC_exposed_copy, METRIC_exposed_inner }, [GPU_IDLE] = { METRIC_idle, METRIC_N },
};
static const enum metric_id partition_metrics[] = {
	METRIC_compute, METRIC_exposed_comm, METRIC_exposed_copy, METRIC_exposed_htod, METRIC_exposed_dtoh,
	METRIC_exposed_both, METRIC_exposed_inner, METRIC_exposed_dtod, METRIC_copy_alone, METRIC_copy_hidable,
	METRIC_idle, METRIC_comm, METRIC_copy, METRIC_window,
};

static void add_spans(struct metrics *m, enum metric_id id, const struct spans *s)
{
	for (size_t i = 0; i < s->n && id < METRIC_N; i++)
		metric_add_span(m, id, s->a[i].start, s->a[i].end);
}

static ns_t measure_in(const struct spans *s, const struct spans *window)
{
	struct spans in = { 0 };
	ns_t n;

	spans_intersect(&in, s, window);
	n = spans_measure(&in);
	spans_fini(&in);
	return n;
}

static void add_device(struct metrics *m, const struct device_facts *d, const struct spans *window)
{
	struct spans states[GPU_STATE_N], host = { 0 }, idle;

	gpu_state_spans(d, window, states);
	metric_copies_alone(m, d, window, states);
	add_spans(m, METRIC_exposed_dtod, &states[GPU_DTOD]);
	idle = states[GPU_IDLE];
	states[GPU_IDLE] = (struct spans){ 0 };
	spans_subtract(&states[GPU_IDLE], &idle, &d->edges);
	spans_fini(&idle);
	for (int i = 0; i < GPU_STATE_N; i++) {
		add_spans(m, states_of[i].own, &states[i]);
		add_spans(m, states_of[i].kind, &states[i]);
		spans_fini(&states[i]);
	}
	spans_union(&host, &d->busy[BUSY_HTOD], &d->busy[BUSY_DTOH]);
	m->v[METRIC_window].i += spans_measure(window);
	m->v[METRIC_comm].i += measure_in(&d->busy[BUSY_COMM], window);
	m->v[METRIC_copy].i += measure_in(&host, window);
	spans_fini(&host);
}

static void end_partition(struct metric_work *w)
{
	struct metrics *m = w->m;

	metric_set_i64(m, METRIC_devices, w->devices);
	if (!w->devices) {
		metric_set_i64(m, METRIC_window, w->k->wall);
		return;
	}
	for (size_t i = 0; i < sizeof(partition_metrics) / sizeof(*partition_metrics); i++) {
		metric_divide(m, partition_metrics[i], w->devices, false);
		m->v[partition_metrics[i]].known = true;
	}
}

/* ---- gaps ---- */

struct gap_work {
	struct metric_work *w;
	struct host_causes *idle;
	ns_t ns[CAUSE_N];
};

static void add_causes(void *arg, thread_id t, ns_t start, ns_t end)
{
	struct gap_work *g = arg;

	host_causes_add(g->idle, t, start, end, g->ns);
}

static void add_piece(struct gap_work *g, const struct gap *x, enum idle_cause c, ns_t ns)
{
	struct metric_work *w = g->w;
	ns_t len = x->end - x->start;
	bool starved = x->delay != NS_UNKNOWN && x->delay < STARVED_NS;
	int size = len >= LONG_NS ? 2 : len >= MID_NS;
	enum phase ph = x->proc == ID_NONE ? PHASE_OTHER : facts_phase_at(w->k->f, x->proc, x->start);
	static const char *const sizes[] = { "short", "mid", "long" };
	uint64_t key = (uint64_t)c << 16 | (uint64_t)ph << 8 | (uint64_t)size << 1 | starved;
	const struct metric_set *s = metric_set_known(w, FAMILY_GAPS, key, 0);

	if (!s) {
		char text[96];
		int n = snprintf(text, sizeof(text), "%s/%s/%s/%s", idle_cause_name(c), starved ? "starved" : "ahead", phase_name(ph),
			sizes[size]);

		s = metric_set_of(w, FAMILY_GAPS, key, 0, text, (size_t)n);
	}
	metric_add_set(w, s, 0, &(struct amounts){ 1, ns, ns, 0 }, &(struct instance){ x->start, x->end, 0, x->thread, x->ended });
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
	return !job_cancelled(g->w->cx->job);
}

void metric_gpu_pass(struct metric_work *w)
{
	struct gap_work g = { .w = w, .idle = host_causes_new(w->k->f, w->cx->rules) };

	for (uint32_t i = 0; i < w->k->f->n_devices; i++) {
		const struct device_facts *d = &w->k->f->devices[i];
		struct gap_walk *scan;
		struct spans window = { 0 }, inner = { 0 };

		if (!d->any.n)
			continue;
		selection_device_window(w->k, d, &window);
		add_device(w->m, d, &window);
		spans_subtract(&inner, &window, &d->edges);
		scan = gap_walk_new(w->k, d, false);
		gap_walk_each(scan, &inner, add_gap, &g);
		gap_walk_free(scan);
		spans_fini(&window);
		spans_fini(&inner);
	}
	end_partition(w);
	metric_family_known(w->m, FAMILY_GAPS, w->devices ? NULL : N_("GPU work"));
	host_causes_free(g.idle);
}
